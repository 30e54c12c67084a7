// Many threads share one Encoder: each takes ranges of rows, and together they make the table of one thread.
// Under ThreadSanitizer (preset tsan) this also shows that nothing is written behind the caller's back.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::size_t kDim = 67;
constexpr std::size_t kRows = 512;
constexpr std::size_t kPiece = 23;  // rows that a thread takes at once; neither a block nor a group of rows
constexpr std::int64_t kFirst = -200;

class Threads : public PerTarget {
 protected:
  std::size_t Rows() const { return IsReference() ? 64 : kRows; }
};

// Runs work(first row, rows) for all pieces, on all threads at once.
template <class Work>
void ShareRows(std::size_t all, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> waiting{kThreads};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      for (std::size_t row = next.fetch_add(kPiece); row < all; row = next.fetch_add(kPiece)) {
        work(row, std::min(kPiece, all - row));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Threads, RangesOfRowsMakeTheTableOfOneThread) {
  for (const Layout layout : kLayouts) {
    const Encoder encoder = Create(MakeSpec(kDim, target(), layout));
    ForEachType([&](auto element) {
      using T = decltype(element);
      const std::vector<T> want = Write<T>(encoder, kFirst, Rows());
      std::vector<T> got(Rows() * kDim);
      ShareRows(Rows(), [&](std::size_t row, std::size_t rows) {
        EXPECT_EQ(encoder.Write(kFirst + static_cast<std::int64_t>(row), rows, got.data() + row * kDim, kDim),
                  Status::kOk);
      });
      EXPECT_TRUE(SameBits(got, want));
    });
  }
}

// Every call at once on one encoder.
TEST_P(Threads, AllCallsAtOnce) {
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  const std::vector<float> want = Write(encoder, kFirst, Rows());
  const std::vector<float> zeros(kDim);
  std::vector<float> got(Rows() * kDim);
  ShareRows(Rows(), [&](std::size_t row, std::size_t rows) {
    const std::int64_t first = kFirst + static_cast<std::int64_t>(row);
    const std::vector<std::int64_t> positions = Consecutive(first, rows);
    const std::vector<std::int32_t> ids(rows, 0);
    float* out = got.data() + row * kDim;
    Status status = Status::kOk;
    switch (row / kPiece % 5) {
      case 0:
        status = encoder.Add(first, rows, out, kDim);
        break;
      case 1:
        status = encoder.WriteAt(positions.data(), rows, out, kDim);
        break;
      case 2:
        status = encoder.AddAt(positions.data(), rows, out, kDim);
        break;
      case 3:
        status = encoder.Embed(ids.data(), rows, zeros.data(), 1, kDim, first, out, kDim);
        break;
      default:
        status = encoder.AddBatch(&first, 1, rows, out, rows * kDim, kDim);
    }
    EXPECT_EQ(status, Status::kOk);
  });
  EXPECT_EQ(got, want);  // as values: 0 equals -0
}

// Creation, listing and choosing targets happen on threads of their own as well.
TEST_P(Threads, EachCreatesItsOwn) {
  const std::vector<float> want = Write(Create(MakeSpec(kDim, target())), kFirst, kPiece);
  ShareRows(kThreads * kPiece, [&](std::size_t, std::size_t) {
    Target targets[kMaxTargets];
    EXPECT_GE(Targets(targets), 1u);
    const Encoder own = Create(MakeSpec(kDim, target()));
    EXPECT_TRUE(SameBits(Write(own, kFirst, kPiece), want));
  });
}

POSENC_INSTANTIATE_PER_TARGET(Threads);

}  // namespace
}  // namespace posenc
