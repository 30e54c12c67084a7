// A call gives the same bits whatever surrounds it: on every target, in any floating-point state (which it
// does not change), on a small stack, and in many threads that share handles. Under ThreadSanitizer (preset
// tsan) this also shows that no call writes to shared memory.
#include <gtest/gtest.h>

#include <atomic>
#include <cfenv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "calls.h"
#include "fp_modes.h"
#include "hard_calls.h"
#include "per_target.h"
#include "small_stack.h"

namespace posenc {
namespace {

class CallsState : public PerTarget {
 protected:
  // Calls visit(call, its results) for each kind, with inputs that are hard to round.
  template <class Visit>
  void ForEachHardCall(std::size_t rows, const Visit& visit) {
    for (int kind = 0; kind < kHardKinds; ++kind) {
      Setting setting(target(), IsReference() ? 9 : 37, IsReference() ? 2 : rows);
      SetHardKind(kind, &setting);
      ASSERT_TRUE(setting.Create()) << kind;
      ForEachCall(setting, [&](Call& call) {
        SCOPED_TRACE(testing::Message() << call.function.name << ", types " << call.a.type << ", "
                                        << call.a.list_type << ", kind " << kind);
        MakeHard(&call);
        ASSERT_EQ(call(), POSENC_OK);
        const auto want = call.Results();
        call.Settle();
        visit(call, want);
      });
      if (HasFailure()) return;
    }
  }
};

// The results of a call. The bits of NaNs that float arithmetic makes, here of overflowing products with the
// numbers of a cache or with weights of a norm, depend on the CPU. So in 16-bit types all such NaNs become
// one.
std::vector<std::vector<unsigned char>> WithOneNan(Call& call) {
  auto results = call.Results();
  const posenc_type type = call.a.type;
  const bool is_normed_fast = call.setting.has_norms && call.setting.rotary_spec.arithmetic == POSENC_FAST;
  if (!call.function.Is("_rotate_cached") && !is_normed_fast) return results;
  if (type != POSENC_BF16 && type != POSENC_F16) return results;
  const std::uint16_t infinity = type == POSENC_BF16 ? 0x7F80 : 0x7C00;
  for (std::size_t k = 0; k < results.size(); ++k) {
    if (!call.buffers[k].IsWritten() || call.buffers[k].type != type) continue;
    for (std::size_t i = 0; i + 2 <= results[k].size(); i += 2) {
      std::uint16_t bits;
      std::memcpy(&bits, &results[k][i], sizeof(bits));
      if ((bits & 0x7FFF) > infinity) bits = 0x7FFF;
      std::memcpy(&results[k][i], &bits, sizeof(bits));
    }
  }
  return results;
}

// The reference computes every entry in wide arithmetic, so it gets fewer calls.
TEST_P(CallsState, TargetsAgreeWithTheReference) {
  for (const std::int64_t first : {-POSENC_MAX_POSITION, std::int64_t{-4}, POSENC_MAX_POSITION - 5}) {
    for (int kind = 0; kind < Setting::kKinds; ++kind) {
      Setting setting(target(), 37, 3), reference(kReference, 37, 3);
      for (Setting* s : {&setting, &reference}) {
        s->SetKind(kind);
        s->first = first;
        ASSERT_TRUE(s->Create()) << kind;
      }
      ForEachCall(setting, [&](Call& call) {
        if (call.runs.empty() && first != -POSENC_MAX_POSITION) return;
        if (call.function.Is("_target") || call.a.spec != nullptr) return;  // depends on the target
        Call want(call.function, reference, call.a.type, call.list_type, call.a.table_type);
        for (Call* each : {&call, &want}) {
          MakeHard(each);
          ASSERT_EQ((*each)(), POSENC_OK) << call.function.name;
        }
        EXPECT_TRUE(WithOneNan(call) == WithOneNan(want))
            << call.function.name << ", types " << call.a.type << ", " << call.a.list_type << ", kind "
            << kind << ", from " << first;
      });
    }
  }
}

TEST_P(CallsState, FloatingPointStateIsLeftAsItWas) {
  ForEachHardCall(7, [&](Call& call, const auto& want) {
    for (const Mode& mode : kModes) {
      for (const int raised : {0, FE_INVALID, FE_INEXACT | FE_UNDERFLOW}) {
        SCOPED_TRACE(std::string(mode.name) + ", flags " + std::to_string(raised));
        call.Settle();
        posenc_status status = POSENC_OK;
        RunIn(mode, raised, [&] { status = call(); });
        EXPECT_EQ(status, POSENC_OK);
        EXPECT_TRUE(call.Results() == want);
      }
    }
  });
}

// Comparing a NaN raises a floating-point exception, so a refused call must restore the state too.
TEST_P(CallsState, FloatingPointStateOfRefusedCalls) {
  Setting setting(target());
  ASSERT_TRUE(setting.Create());
  ForEachCall(setting, [&](Call& call) {
    SCOPED_TRACE(call.function.name);
    Refusal want(POSENC_OUT_OF_RANGE, "2^31");
    const Buffer* list = call.Find(Values::kPositions);
    if (list != nullptr && list->type == POSENC_F64) {
      const double nan = std::nan("");
      std::memcpy(list->place(), &nan, sizeof(nan));
    } else if (list != nullptr && list->type == POSENC_F32) {
      const float nan = std::nanf("");
      std::memcpy(list->place(), &nan, sizeof(nan));
    } else if (call.a.tensor_count != 0) {
      call.a.tensors[0].scale = std::nan("");
      want = Refusal(rule::heads_scale);
    } else if (call.a.spec != nullptr) {  // the first double of either spec
      const double nan = std::nan("");
      auto* spec = reinterpret_cast<unsigned char*>(call.memory[0].data());
      const bool rotary = call.buffers[0].content.size() == sizeof(posenc_rotary_spec);
      std::memcpy(spec + (rotary ? offsetof(posenc_rotary_spec, base) : offsetof(posenc_spec, base)), &nan,
                  sizeof(nan));
      want = rotary ? rule::rotary_base : rule::spec_base;
    } else {
      return;
    }
    const auto expect_refusal = [&] {
      for (const Mode& mode : kModes) {
        SCOPED_TRACE(mode.name);
        posenc_status status = POSENC_OK;
        RunIn(mode, 0, [&] { status = call(); });
        EXPECT_EQ(status, want);
      }
    };
    expect_refusal();
    if (rule::heads_scale != want) return;
    call.a.tensors[0].scale = 5e-324;  // not 0, although some modes take it for 0
    expect_refusal();
  });
}

// Inputs include some that need 1,024 bits.
TEST_P(CallsState, OnASmallStack) {
  if (kFramesAreLarger) GTEST_SKIP() << "sanitizers, and a build without optimization, take more";
  ForEachHardCall(70, [&](Call& call, const auto& want) {
    posenc_status status = POSENC_BAD_ARGUMENT;
    OnASmallStack([&] { status = call(); });
    EXPECT_EQ(status, POSENC_OK);
    EXPECT_TRUE(call.Results() == want);
  });
}

// Runs work(thread) in all threads at once.
void RunAtOnce(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> waiting{count};
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting != 0) std::this_thread::yield();
      work(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

// The threads share handles, and also create their own, since creation is a call too.
TEST_P(CallsState, ManyThreads) {
  constexpr std::size_t kThreads = 6;
  for (int kind = 0; kind < Setting::kKinds; ++kind) {
    Setting setting(target(), IsReference() ? 9 : 67, IsReference() ? 2 : 40);
    setting.SetKind(kind);
    ASSERT_TRUE(setting.Create());
    std::vector<std::vector<std::vector<unsigned char>>> want;
    ForEachCall(setting, [&](Call& call) {
      ASSERT_EQ(call(), POSENC_OK);
      want.push_back(call.Results());
    });
    RunAtOnce(kThreads, [&](std::size_t) {
      std::size_t next = 0;
      ForEachCall(setting, [&](Call& call) {
        EXPECT_EQ(call(), POSENC_OK) << call.function.name;
        EXPECT_TRUE(call.Results() == want[next++]) << call.function.name;
      });
    });
  }
}

// Threads write parts of one table and of one tensor. The parts make the whole.
TEST_P(CallsState, ManyThreadsMakeOneTable) {
  const std::size_t rows = IsReference() ? 16 : 512, dim = 68,
                    piece = 23;  // not a multiple of a block or a group of rows
  Setting setting(target(), dim, rows);
  setting.first = -200;
  ASSERT_TRUE(setting.Create());
  std::vector<float> want(rows * dim), got(rows * dim), turned(rows * dim, 0.7f), turned_in_pieces = turned;
  const auto work = [&](std::size_t row, std::size_t count, std::vector<float>* table,
                        std::vector<float>* heads) {
    const std::int64_t first = setting.first + static_cast<std::int64_t>(row);
    posenc_heads of{};
    of.type = POSENC_F32;
    of.data = &(*heads)[row * dim];
    of.heads = 1;
    of.token_stride = of.head_stride = dim;
    EXPECT_EQ(
        posenc_write(setting.encoder, first, count, PointerTo(Rows(POSENC_F32, &(*table)[row * dim], dim))),
        POSENC_OK);
    EXPECT_EQ(posenc_rotate(setting.rotary, first, count, &of, 1), POSENC_OK);
  };
  work(0, rows, &want, &turned);
  std::atomic<std::size_t> next{0};
  RunAtOnce(6, [&](std::size_t) {
    for (std::size_t row = next.fetch_add(piece); row < rows; row = next.fetch_add(piece)) {
      work(row, std::min(piece, rows - row), &got, &turned_in_pieces);
    }
  });
  EXPECT_TRUE(SameBits(got, want));
  EXPECT_TRUE(SameBits(turned_in_pieces, turned));
}

POSENC_INSTANTIATE_PER_TARGET(CallsState);

// The modes take effect: an addition shows the rounding mode, and a subnormal product shows the flushing.
TEST(FpStateOfThisTest, TakesEffect) {
  volatile float one = 1.0f, tiny = 0x1p-60f, small = 0x1p-130f;
  const auto in = [](const Mode& mode, const auto& compute) {
    const ModeScope scope(mode);
    volatile float result = compute();
    return result;
  };
  EXPECT_GT(in({"Upward", FE_UPWARD, 0, false}, [&] { return one + tiny; }), 1.0f);
  EXPECT_LT(in({"Downward", FE_DOWNWARD, 0, false}, [&] { return one - tiny; }), 1.0f);
  if (kFlush == 0) GTEST_SKIP() << "flushing subnormals is not known on this platform";
  EXPECT_EQ(in({"Flush", FE_TONEAREST, kFlush, false}, [&] { return small * one; }), 0.0f);
}

}  // namespace
}  // namespace posenc
