// A plugin with two faults, for before_test.sh: `write` writes everything twice, so it is slow, and
// `write_at` writes nothing.
#define posenc_before_plugin posenc_right_plugin
#include "before_plugin.cc"  // NOLINT(bugprone-suspicious-include)
#undef posenc_before_plugin

namespace {

std::int32_t WriteTwice(const void* encoder, std::int64_t first, std::uint64_t count,
                        const before_rows* out) {
  const std::int32_t status = Write(encoder, first, count, out);
  return status == 0 ? Write(encoder, first, count, out) : status;
}

std::int32_t WriteNothing(const void* /*encoder*/, const before_list* /*positions*/, std::uint64_t /*count*/,
                          const before_rows* /*out*/) {
  return 0;
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming)
extern "C" BEFORE_EXPORT const before_plugin* posenc_before_plugin(void);
// NOLINTNEXTLINE(readability-identifier-naming)
const before_plugin* posenc_before_plugin(void) {
  static const before_plugin plugin = [] {
    before_plugin faulty = kPlugin;
    faulty.write = WriteTwice;
    faulty.write_at = WriteNothing;
    return faulty;
  }();
  return &plugin;
}
