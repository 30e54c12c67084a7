#include "api/spec.h"

#include <cstddef>
#include <cstdint>

#include "api/versioned.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

// The size of posenc_spec in version 0.1.
constexpr std::size_t kFirstSpecSize = offsetof(posenc_spec, table_rows) + sizeof(std::uint64_t);

}  // namespace

posenc_status CopySpec(const posenc_spec* from, posenc_spec* to) {
  return CopyVersioned(from, kFirstSpecSize, DefaultSpec(), to);
}

posenc_status WriteSpec(const posenc_spec& from, std::size_t struct_size, posenc_spec* to) {
  return WriteVersioned(from, kFirstSpecSize, struct_size, to);
}

}  // namespace internal
}  // namespace posenc

posenc_status posenc_spec_init(posenc_spec* spec, size_t struct_size) {
  using namespace posenc::internal;
  return WriteSpec(DefaultSpec(), struct_size, spec);
}
