#include "number/exact.h"

#include "verify/case.h"

#include "command/require.h"

namespace posenc {
namespace tools {

Case::Case() {
  Require(posenc_spec_init(&encoder, sizeof(encoder)));
  Require(posenc_rotary_spec_init(&rotary, sizeof(rotary)));
}

void Case::Label(const std::string& key, const std::string& value) {
  const std::string term = " " + key + "=";
  std::string all = " " + label;
  const std::size_t at = all.find(term);
  if (at != std::string::npos) all.erase(at, all.find(' ', at + 1) - at);
  all += term + value;
  label = all.substr(all.find_first_not_of(' '));
}

std::size_t Case::pairs() const {
  return (rotary.rotary_dim != 0 ? rotary.rotary_dim : rotary.head_dim - rotary.rotary_offset) / 2;
}

std::size_t Case::columns() const {
  if (!is_rotary()) return encoder.dim;
  if (operation != Operation::kWriteCache) return heads() * rotary.head_dim;
  const bool is_twice = cache_layout == POSENC_CACHE_DUPLICATED || cache_layout == POSENC_CACHE_HALVES_TWICE;
  return (is_twice ? 4 : 2) * pairs();
}

Handle::Handle(const Case& c, const char* target) {
  if (c.is_rotary()) {
    posenc_rotary_spec spec = c.rotary;
    spec.target = target;
    posenc_rotary* rotary = nullptr;
    Require(posenc_rotary_create(&spec, &rotary));
    rotary_.reset(rotary, posenc_rotary_destroy);
  } else {
    posenc_spec spec = c.encoder;
    spec.target = target;
    posenc_encoder* encoder = nullptr;
    Require(posenc_encoder_create(&spec, &encoder));
    encoder_.reset(encoder, posenc_encoder_destroy);
  }
}

}  // namespace tools
}  // namespace posenc
