// Subnormal numbers that exact rotation computes with. On Intel's processors a product of such a number takes
// some 150 cycles, longer than a head of normal bfloat16. Other processors take fewer cycles. So the test
// counts instructions instead of time: it unmasks the processor's exception for subnormal operands, and steps
// over each instruction that raises it. x86-64 Linux only.
#include <gtest/gtest.h>

#if defined(__linux__) && defined(__x86_64__) && defined(__GLIBC__)
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <immintrin.h>
#include <ucontext.h>

#include "api/handle.h"
#include "kernel/rotate_token.h"
#include "per_target.h"
#include "posenc/accuracy.h"
#include "posenc/rotary.h"

namespace posenc {
namespace {

// Bits of MXCSR: flags and masks of exceptions.
constexpr unsigned kSubnormalOperand = 0x02, kUnderflow = 0x10, kFlags = 0x3F, kMasks = 0x1F80,
                   kSubnormalMask = 0x100;
constexpr long long kTrapFlag = 0x100;  // of EFLAGS

struct Counts {
  std::size_t products, others;
};
Counts counts;           // what the handlers count
unsigned before_a_step;  // MXCSR

// Whether an instruction multiplies or divides. Its operation's byte stands behind prefixes, which say what
// map of operations it is from. Instructions that only add, convert or compare are not products.
bool IsProduct(const unsigned char* at) {
  unsigned map = 1, operation = 0;
  if (at[0] == 0x62) {  // EVEX
    map = at[1] & 7u;
    operation = at[4];
  } else if (at[0] == 0xC4) {  // VEX
    map = at[1] & 31u;
    operation = at[3];
  } else if (at[0] == 0xC5) {
    operation = at[2];
  } else {
    while (*at != 0x0F) ++at;
    operation = at[1];
  }
  if (map == 1) return operation == 0x59 || operation == 0x5E || operation == 0x51;
  return map == 2 && operation >= 0x96 && operation <= 0xBF;  // FMA
}

// Masks the exception, and lets the processor trap after this instruction.
void OnException(int /*signal*/, siginfo_t* /*info*/, void* of) {
  auto& context = static_cast<ucontext_t*>(of)->uc_mcontext;
  const unsigned char* instruction;
  std::memcpy(&instruction, &context.gregs[REG_RIP], sizeof(instruction));
  ++(IsProduct(instruction) ? counts.products : counts.others);
  before_a_step = context.fpregs->mxcsr;
  context.fpregs->mxcsr |= kMasks;
  context.gregs[REG_EFL] |= kTrapFlag;
}
void OnStep(int /*signal*/, siginfo_t* /*info*/, void* of) {
  auto& context = static_cast<ucontext_t*>(of)->uc_mcontext;
  context.fpregs->mxcsr = (before_a_step & ~kFlags) | ((before_a_step | context.fpregs->mxcsr) & kFlags);
  context.gregs[REG_EFL] &= ~kTrapFlag;
}

// What `work` meets. `flags` are the flags that it leaves.
template <class Work>
Counts Count(const Work& work, unsigned* flags) {
  struct sigaction action {};
  struct sigaction old_exception, old_step;
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = OnException;
  sigaction(SIGFPE, &action, &old_exception);
  action.sa_sigaction = OnStep;
  sigaction(SIGTRAP, &action, &old_step);
  const unsigned saved = _mm_getcsr();
  counts = {};
  void (*volatile unknown)(const Work*) = [](const Work* that) { (*that)(); };
  _mm_setcsr(kMasks & ~kSubnormalMask);
  unknown(&work);
  *flags = _mm_getcsr() & kFlags;
  _mm_setcsr(saved);
  sigaction(SIGFPE, &old_exception, nullptr);
  sigaction(SIGTRAP, &old_step, nullptr);
  return counts;
}

// Whether the processor raises the exception. Some emulators do not.
bool IsRaised() {
  volatile float subnormal = 0x1p-140f, two = 2.0f;
  unsigned flags = 0;
  return Count([&] { two = two * subnormal; }, &flags).products == 1;
}

constexpr std::size_t kTokens = 8, kHeads = 8, kHeadDim = 128, kPairs = kHeadDim / 2;

enum class Kind { kNormal, kSubnormal, kOneInAHead, kAnyBits, kTinyPairs };

// Elements of a kind:
//
//   kNormal      normal elements from 2^-7 to 2
//   kSubnormal   subnormal elements
//   kOneInAHead  normal elements, and one subnormal element in each head
//   kAnyBits     any bits
//   kTinyPairs   as kOneInAHead, but in one of 128 pairs both elements have any size below 2^-66 (of float16,
//                2^-7)
template <class T>
std::vector<T> MakeElements(Kind kind, posenc_pairing pairing, std::size_t tokens) {
  constexpr unsigned kFraction = TraitsOf(TypeOf<T>()).digits - 1;
  constexpr std::uint32_t kSign = std::uint32_t{1} << (8 * sizeof(T) - 1);
  constexpr std::uint32_t kFractions = (std::uint32_t{1} << kFraction) - 1;
  const std::uint32_t one = ((kSign - 1) >> 1) & ~kFractions;  // 1.0
  std::vector<T> elements(tokens * kHeads * kHeadDim);
  std::mt19937 random(11);
  for (std::size_t k = 0; k < elements.size(); ++k) {
    const auto any = static_cast<std::uint32_t>(random()), other = static_cast<std::uint32_t>(random());
    const std::size_t head = k / kHeadDim, element = k % kHeadDim;
    const std::size_t pair = pairing == POSENC_NEIGHBOURS ? element / 2 : element % kPairs;
    const bool is_tiny = kind == Kind::kTinyPairs && (head * kPairs + pair) * 2654435761u % 128 == 5;
    const bool is_chosen = kind != Kind::kNormal && element == 37 * head % kHeadDim;
    std::uint32_t exponent = one - (other % 8 << kFraction);
    if (kind == Kind::kSubnormal || is_chosen) exponent = 0;
    if (is_tiny) exponent = other % (one / 2 >> kFraction) << kFraction;
    const std::uint32_t bits = kind == Kind::kAnyBits ? any : (any & (kSign | kFractions)) | exponent;
    std::memcpy(&elements[k], &bits, sizeof(T));  // x86 is little-endian
  }
  return elements;
}

class RotarySubnormals : public PerTarget {
 protected:
  // Rotates elements of a kind, and counts the products of subnormal numbers in 1,000 elements.
  template <class T>
  void Rotate(posenc_pairing pairing, Kind kind) {
    RotarySpec spec;
    spec.head_dim = kHeadDim;
    spec.pairing = pairing;
    spec.target = target();
    Rotary rotary;
    ASSERT_EQ(Rotary::Create(spec, &rotary), POSENC_OK);
    const internal::Rotary& inside = rotary.get()->rotary;
    std::vector<T> elements = MakeElements<T>(kind, pairing, kTokens);
    unsigned flags = 0;
    const Counts met = Count(
        [&] {
          internal::HeadRotation rotation(inside.kernels, inside.table, POSENC_EXACT, TypeOf<T>());
          for (std::size_t t = 0; t < kTokens; ++t) {
            const double position = 1000.0 + static_cast<double>(t);
            auto* data = reinterpret_cast<unsigned char*>(elements.data() + t * kHeads * kHeadDim);
            internal::Heads heads{
                data,         data,    kHeadDim * sizeof(T),      kHeadDim * sizeof(T), kHeads, kHeadDim / 2,
                kHeadDim / 2, pairing, internal::Cached::kByCore, TypeOf<T>()};
            rotation.Begin(&position);
            rotation.Rotate(internal::kNoGain, heads);
          }
          rotation.End();
        },
        &flags);
    if (kind == Kind::kNormal) {
      EXPECT_EQ(met.products + met.others, 0u);
      // A sum may be a subnormal number of float16, though no subnormal float.
      const unsigned underflow = TypeOf<T>() == POSENC_F16 ? 0u : kUnderflow;
      EXPECT_EQ(flags & (kSubnormalOperand | underflow), 0u);
      return;
    }
    // Tier 1 meets subnormal numbers in the heads of one token, and then flushes them.
    EXPECT_LE(1000 * met.products, kMost * elements.size());
    if (kind == Kind::kSubnormal && TypeOf<T>() != POSENC_F16) {
      EXPECT_GT(met.products + met.others, 0u);
    }
  }

  // Rotates by a target.
  template <class T>
  std::vector<T> RotatedBy(const char* name, posenc_pairing pairing, std::vector<T> elements) {
    RotarySpec spec;
    spec.head_dim = kHeadDim;
    spec.pairing = pairing;
    spec.target = name;
    Rotary rotary;
    EXPECT_EQ(Rotary::Create(spec, &rotary), POSENC_OK);
    const std::size_t tokens = elements.size() / (kHeads * kHeadDim);
    const Heads heads{elements.data(), kHeads, kHeads * kHeadDim, kHeadDim};
    EXPECT_EQ(rotary.Rotate(1000, tokens, {heads}), POSENC_OK);
    return elements;
  }

  template <class T>
  void RotateAll() {
    if (IsReference()) GTEST_SKIP() << "It rotates few pairs at a time, mostly by integers.";
    if (!IsRaised()) GTEST_SKIP() << "This processor raises no exception for subnormal numbers.";
    for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
      for (const Kind kind : {Kind::kNormal, Kind::kSubnormal, Kind::kOneInAHead, Kind::kAnyBits}) {
        SCOPED_TRACE(std::to_string(pairing) + ", kind " + std::to_string(static_cast<int>(kind)));
        Rotate<T>(pairing, kind);
      }
    }
  }

 private:
  static constexpr std::size_t kMost = 12;  // products in 1,000 elements
};

TEST_P(RotarySubnormals, NormalFloatsMeetNoneAndOthersFew) { RotateAll<float>(); }
TEST_P(RotarySubnormals, NormalBFloat16MeetNoneAndOthersFew) { RotateAll<BFloat16>(); }
TEST_P(RotarySubnormals, NormalFloat16MeetNoneAndOthersFew) { RotateAll<Float16>(); }

// In this state sums are decided only if they are large enough.
TEST_P(RotarySubnormals, BitsAreRightWhileNumbersAreFlushed) {
  ForEachType([&](auto type) {
    for (const posenc_pairing pairing : {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS}) {
      const auto elements = MakeElements<decltype(type)>(Kind::kTinyPairs, pairing, 64);
      EXPECT_TRUE(SameBits(RotatedBy(target(), pairing, elements), RotatedBy(kReference, pairing, elements)))
          << pairing;
    }
  });
}

POSENC_INSTANTIATE_PER_TARGET(RotarySubnormals);

}  // namespace
}  // namespace posenc

#else

TEST(RotarySubnormals, AreCounted) { GTEST_SKIP() << "Instructions are counted on x86-64 Linux only."; }

#endif
