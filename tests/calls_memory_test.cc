// A call reads and writes only the memory that it is given: no byte around it, and none between rows and
// heads. Memory may have any alignment.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "calls.h"
#include "guarded_pages.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr unsigned char kCanary = 0xA5;
constexpr std::size_t kMargin = 64;      // bytes of canaries on both sides, inside the pages
constexpr std::size_t kMaxBuffers = 12;  // of a call

class CallsMemory : public PerTarget {
 protected:
  CallsMemory() {
    for (auto& pages : pages_) pages = std::make_unique<GuardedPages>(std::size_t{1} << 20);
  }

  // Buffer k ends `shift(k)` bytes before the end of its pages. If `at_begin`, it lies at their beginning
  // instead.
  template <class Shift>
  testing::AssertionResult Run(Call& call, const std::vector<std::vector<unsigned char>>& want, bool at_begin,
                               const Shift& shift) {
    if (call.buffers.size() > kMaxBuffers) std::abort();
    for (std::size_t k = 0; k < call.buffers.size(); ++k) {
      const Buffer& b = call.buffers[k];
      GuardedPages& pages = *pages_[k];
      const std::size_t bytes = b.extent(), align = b.alignment, before_end = shift(k) / align * align;
      if (bytes + before_end > static_cast<std::size_t>(pages.end() - pages.begin())) std::abort();
      unsigned char* place =
          at_begin ? pages.begin() : pages.end() - (bytes + align - 1) / align * align - before_end;
      b.PointTo(place);
      const auto [begin, end] = Around(b, &pages);
      std::memset(begin, kCanary, static_cast<std::size_t>(end - begin));
      b.Put(b.content, place);
    }
    const posenc_status status = call();
    if (status != POSENC_OK) return testing::AssertionFailure() << posenc_status_message(status);
    const auto& got = call.Results();
    for (std::size_t k = 0; k < call.buffers.size(); ++k) {
      const Buffer& b = call.buffers[k];
      const auto [begin, end] = Around(b, pages_[k].get());
      if (b.use != Use::kScratch && got[k] != want[k]) {
        return testing::AssertionFailure() << b.name << " differs from the result in other memory";
      }
      b.ForEachPiece([&, place = b.place()](std::size_t at, std::size_t, std::size_t n) {
        std::memset(place + at, kCanary, n);
      });
      const auto bytes = static_cast<std::size_t>(end - begin);
      if (*begin != kCanary || std::memcmp(begin, begin + 1, bytes - 1) != 0) {
        const auto* other = std::find_if(begin, end, [](unsigned char byte) { return byte != kCanary; });
        return testing::AssertionFailure()
               << b.name << ": byte " << other - b.place() << " of " << b.extent() << " is written";
      }
    }
    return testing::AssertionSuccess();
  }

 private:
  static std::pair<unsigned char*, unsigned char*> Around(const Buffer& b, GuardedPages* pages) {
    unsigned char* const place = b.place();
    const auto after = static_cast<std::ptrdiff_t>(b.extent() + kMargin);
    return {place - std::min<std::ptrdiff_t>(kMargin, place - pages->begin()),
            place + std::min(after, pages->end() - place)};
  }

  std::unique_ptr<GuardedPages> pages_[kMaxBuffers];
};

TEST_P(CallsMemory, GuardPagesRightBeforeAndRightAfter) {
  // The targets without vectors have fewer different ends of rows.
  const std::size_t largest = IsReference() ? 31 : 257, step = IsReference()                       ? 5
                                                               : std::string(target()) == "SCALAR" ? 3
                                                                                                   : 1;
  for (std::size_t dim = 1; dim <= largest; dim += dim > 129 ? 127 : step) {
    for (int kind = 0; kind < 8; ++kind) {
      if (kind > 3 && dim % 8 != static_cast<std::size_t>(kind)) continue;  // the layouts repeat
      Setting setting(target(), dim, 1);
      setting.SetKind(kind);
      setting.first = -3;
      setting.easy = true;
      ASSERT_TRUE(setting.Create());
      for (const std::size_t rows : {std::size_t{1}, std::size_t{2}, std::size_t{7}, std::size_t{70}}) {
        const auto turn = static_cast<std::size_t>(kind);
        if (rows > 7 && (IsReference() || dim % 4 != turn % 4)) continue;  // takes long
        if (rows == 2 && dim % 8 != turn) continue;
        setting.rows = rows;
        ForEachCall(
            setting,
            [&](Call& call) {
              const bool turns = call.a.passed_tensors != nullptr || call.a.passed_cache != nullptr;
              const bool depends_on_dim = !call.buffers.empty() && call.buffers[0].alignment == 1;
              if (HasFailure() || (dim % 2 == 1 && turns) || (dim > 8 && !depends_on_dim)) return;
              ASSERT_EQ(call(), POSENC_OK) << call.function.name;
              const auto want = call.Results();
              for (const std::size_t gap : {0u, 1u, 5u}) {
                if (rows > 7 && gap == 1) continue;
                for (const Buffer& b : call.buffers) {
                  const bool is_source = b.are_heads && !b.IsWritten();  // its strides are separate arguments
                  b.Spread(is_source ? gap + 1 : gap, (gap == 5) != is_source);
                }
                for (const std::size_t shift : {0u, 1u, 2u}) {
                  ASSERT_TRUE(Run(call, want, shift == 2, [&](std::size_t) { return shift; }))
                      << call.function.name << ", types " << call.a.type << ", " << call.a.list_type
                      << ", dim " << dim << ", kind " << kind << ", " << rows << " rows, gap " << gap
                      << ", shift " << shift;
                }
              }
            },
            true);
        if (HasFailure()) return;
      }
    }
  }
}

// Places buffers at every distance from a cache line, in whole elements and in bytes. All buffers have the
// same distance, or different ones.
TEST_P(CallsMemory, AnyAlignment) {
  for (const std::size_t dim : {1u, 6u, 33u, 64u}) {
    for (int kind = 0; kind < 8; ++kind) {
      if (IsReference() && (dim > 6 || kind > 3)) continue;  // takes long
      Setting setting(target(), dim, IsReference() ? 2 : 6);
      setting.SetKind(kind);
      ASSERT_TRUE(setting.Create());
      ForEachCall(
          setting,
          [&](Call& call) {
            if (HasFailure()) return;
            ASSERT_EQ(call(), POSENC_OK) << call.function.name;
            const auto want = call.Results();
            for (const Buffer& b : call.buffers) b.Spread(1);
            for (const std::size_t offset :
                 {0u, 1u, 2u, 3u, 4u, 8u, 12u, 15u, 16u, 20u, 28u, 32u, 36u, 60u, 63u}) {
              for (const std::size_t other : {0u, 1u, 2u, 4u, 99u}) {
                const auto shift = [&](std::size_t k) {  // the next multiple of 64, plus the distance
                  const std::size_t end = call.buffers[k].extent() % 64;
                  return (128 - end - (k == 0 || other == 99 ? offset : other)) % 64;
                };
                ASSERT_TRUE(Run(call, want, false, shift))
                    << call.function.name << ", types " << call.a.type << ", " << call.a.list_type << ", dim "
                    << dim << ", kind " << kind << ", offsets " << offset << ", " << other;
              }
            }
          },
          true);
      if (HasFailure()) return;
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(CallsMemory);

}  // namespace
}  // namespace posenc
