// The version of the library, and the kind and the sentence of each status.

#include "number/exact.h"

#include <cstdint>
#include <cstring>

#include "posenc/posenc_c.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {
namespace {

constexpr posenc_status kStatuses[] = {
    POSENC_OK,
#define POSENC_RULE(name, kind, sentence) rule::name,
#include "spec/rules.inc"
};

// All sentences in one string, each with a 0 at its end. An array of pointers would have to be relocated in
// every process.
constexpr char kSentences[] = "success\0"
#define POSENC_RULE(name, kind, sentence) sentence "\0"
#include "spec/rules.inc"
    ;

}  // namespace
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

int32_t posenc_version(void) { return POSENC_VERSION; }

posenc_kind posenc_status_kind(posenc_status status) {
  constexpr posenc_status kKinds = (1 << kKindBits) - 1;
  return static_cast<posenc_kind>(status & kKinds);
}

const char* posenc_status_message(posenc_status status) {
  const char* sentence = kSentences;
  for (const posenc_status known : kStatuses) {
    if (known == status) return sentence;
    sentence += std::strlen(sentence) + 1;
  }
  return "unknown status";
}
