// One encoder, many threads: each gets ranges of rows, the bits are those of one call. Under ThreadSanitizer
// (preset tsan) this also shows that calls share no state.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "c_encoder.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 66, kThreads = 4, kRange = 5;
constexpr std::int64_t kFirst = -17;

class Threads : public PerTarget {
 protected:
  std::size_t rows() const { return IsReference() ? 40 : 400; }
};

// Calls job(begin, end) for the ranges that make up [0, rows), on kThreads threads.
template <class Job>
void ParallelFor(std::size_t rows, const Job& job) {
  std::atomic<std::size_t> next{0};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (std::size_t begin; (begin = next.fetch_add(kRange)) < rows;) {
        job(begin, begin + kRange < rows ? begin + kRange : rows);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Threads, ShareAnEncoder) {
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  const CEncoder c(MakeSpec(kDim, target()));
  ForEachType([&](auto element) {
    using T = decltype(element);
    const std::vector<T> want = Write<T>(encoder, kFirst, rows());
    std::vector<T> got(want.size()), listed(want.size()), added(want.size()), sum(want.size());
    ASSERT_EQ(encoder.Add(kFirst, rows(), sum.data(), kDim), Status::kOk);
    ParallelFor(rows(), [&](std::size_t begin, std::size_t end) {
      const std::int64_t first = kFirst + static_cast<std::int64_t>(begin);
      const std::vector<std::int32_t> positions = Consecutive<std::int32_t>(first, end - begin);
      EXPECT_EQ(encoder.Write(first, end - begin, &got[begin * kDim], kDim), Status::kOk);
      EXPECT_EQ(encoder.Add(first, end - begin, &added[begin * kDim], kDim), Status::kOk);
      EXPECT_EQ(posenc_write_at(c.get(), POSENC_I32, positions.data(), end - begin, kCType<T>,
                                &listed[begin * kDim], kDim, nullptr),
                POSENC_OK);
    });
    EXPECT_TRUE(SameBits(got, want));
    EXPECT_TRUE(SameBits(listed, want));
    EXPECT_TRUE(SameBits(added, sum));
  });
}

TEST_P(Threads, CreateAtTheSameTime) {
  ParallelFor(8 * kRange, [&](std::size_t begin, std::size_t /*end*/) {
    const CEncoder c(MakeSpec(8 + begin, target()));
    EXPECT_EQ(posenc_encoder_dim(c.get()), 8 + begin);
  });
}

POSENC_INSTANTIATE_PER_TARGET(Threads);

}  // namespace
}  // namespace posenc
