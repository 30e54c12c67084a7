// Many threads share one Encoder: each makes every call, and has what one thread alone has. Under
// ThreadSanitizer (preset tsan) this also shows that nothing is written behind the caller's back.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "every_call.h"
#include "per_target.h"

namespace posenc {
namespace {

constexpr std::size_t kThreads = 8;
constexpr std::size_t kDim = 67;
constexpr std::size_t kPiece = 23;  // rows that a thread takes at once; neither a block nor a group of rows
constexpr std::int64_t kFirst = -200;

class Threads : public PerTarget {
 protected:
  std::size_t Rows() const { return IsReference() ? 16 : 512; }
};

// Runs work(thread) on all threads at once.
void RunAtOnce(const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> waiting{kThreads};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      work(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_P(Threads, AllCallsAtOnce) {
  const std::size_t rows = Rows();
  for (const Layout layout : kLayouts) {
    const Encoder encoder = Create(MakeSpec(kDim, target(), layout));
    ForEachEntryType([&](auto element) {
      using T = decltype(element);
      EveryCall<T> want(kDim, kFirst, rows, 7);
      ASSERT_TRUE(want.Run(encoder));
      std::vector<EveryCall<T>> got(kThreads, EveryCall<T>(kDim, kFirst, rows, 7));
      RunAtOnce([&](std::size_t t) { EXPECT_TRUE(got[t].Run(encoder)); });
      for (const EveryCall<T>& calls : got) EXPECT_TRUE(SameBits(calls.out, want.out));
    });
  }
}

TEST_P(Threads, RangesOfRowsMakeTheTableOfOneThread) {
  const Encoder encoder = Create(MakeSpec(kDim, target()));
  const std::vector<float> want = Write(encoder, kFirst, Rows());
  std::vector<float> got(want.size());
  std::atomic<std::size_t> next{0};
  RunAtOnce([&](std::size_t) {
    for (std::size_t row = next.fetch_add(kPiece); row < Rows(); row = next.fetch_add(kPiece)) {
      encoder.Write(kFirst + static_cast<std::int64_t>(row), std::min(kPiece, Rows() - row), &got[row * kDim],
                    kDim);
    }
  });
  EXPECT_TRUE(SameBits(got, want));
}

// Creation, listing and choosing targets happen on threads of their own as well.
TEST_P(Threads, EachCreatesItsOwn) {
  const std::vector<float> want = Write(Create(MakeSpec(kDim, target())), kFirst, kPiece);
  RunAtOnce([&](std::size_t) {
    EXPECT_GE(CompiledTargets().size(), 1u);
    EXPECT_TRUE(SameBits(Write(Create(MakeSpec(kDim, target())), kFirst, kPiece), want));
  });
}

POSENC_INSTANTIATE_PER_TARGET(Threads);

}  // namespace
}  // namespace posenc
