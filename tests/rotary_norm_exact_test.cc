// A call with a norm gives the bits of two steps, on every target: integers normalize each element
// (norm_integers.h), and a call without a norm rotates the floats. So it is for each way to rotate, in place
// or not, wherever the heads are. POSENC_FAST is compared with the definition in rotary_norm_c.h.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "norm_integers.h"
#include "posenc/rotary.h"
#include "posenc/rotary_norm_c.h"
#include "refusal.h"
#include "rotary_cases.h"
#include "spec_words.h"
#include "verify/inputs.h"
#include "verify/norm_inputs.h"

namespace posenc {
namespace {

using tools::NormInputs;
using tools::NormWeights;

// Heads [tokens, heads, head_dim] and the norm for them.
struct Shape {
  std::size_t tokens, heads, head_dim;

  std::size_t elements() const { return tokens * heads * head_dim; }
};

// Where heads are in memory, in bytes: with gaps of some elements behind each head, heads outside of tokens
// or inside, and an address of any alignment.
struct Layout {
  bool is_heads_first;
  std::size_t gap, shift;

  std::size_t Inner(const Shape& shape) const { return shape.head_dim + gap; }
  std::size_t Outer(const Shape& shape) const {
    return Inner(shape) * (is_heads_first ? shape.tokens : shape.heads) + gap;
  }
  std::size_t TokenStride(const Shape& shape) const { return is_heads_first ? Inner(shape) : Outer(shape); }
  std::size_t HeadStride(const Shape& shape) const { return is_heads_first ? Outer(shape) : Inner(shape); }
};
constexpr Layout kMemoryLayouts[] = {{false, 0, 0}, {false, 3, 1}, {true, 0, 2}, {true, 5, 3}};

// Memory with heads, and a pattern between them. If `dense` is null, the pattern is everywhere.
template <class T>
std::vector<unsigned char> InMemory(const T* dense, const Shape& shape, const Layout& layout) {
  const std::size_t last =
      (shape.tokens - 1) * layout.TokenStride(shape) + (shape.heads - 1) * layout.HeadStride(shape);
  std::vector<unsigned char> memory(layout.shift + (last + shape.head_dim) * sizeof(T) + 8, 0xA5);
  for (std::size_t k = 0; dense != nullptr && k < shape.tokens * shape.heads; ++k) {
    const std::size_t at =
        k / shape.heads * layout.TokenStride(shape) + k % shape.heads * layout.HeadStride(shape);
    std::memcpy(&memory[layout.shift + at * sizeof(T)], dense + k * shape.head_dim,
                shape.head_dim * sizeof(T));
  }
  return memory;
}

struct Weights {
  posenc_type type;
  std::vector<std::uint64_t> bits;
  std::vector<unsigned char> memory;

  Weights(NormWeights kind, posenc_type the_type, std::size_t count, std::uint64_t seed) : type(the_type) {
    const std::size_t size = TraitsOf(type).size;
    memory.resize(count * size + 1);  // one byte further on, so that they are not aligned
    for (std::size_t i = 0; i < count; ++i) {
      bits.push_back(tools::MakeWeight(kind, type, tools::HashOf(seed, 9, 9, i)));
      const auto narrow = static_cast<std::uint16_t>(bits.back());
      const auto wide = static_cast<std::uint32_t>(bits.back());
      std::memcpy(&memory[1 + i * size], size == 2 ? static_cast<const void*>(&narrow) : &wide, size);
    }
  }
  double At(std::size_t i) const { return oracle::Unpack(type, bits[i]); }
};

std::uint32_t FloatBitsOf(double x) { return static_cast<std::uint32_t>(oracle::Pack(POSENC_F32, x)); }

// The elements, a kind of them for each head or token.
template <class T>
std::vector<T> MakeElements(const Shape& shape, const posenc_norm& norm, const Weights& weights,
                            std::uint64_t seed) {
  const std::size_t together = norm.over_heads != 0 ? shape.heads : 1, count = together * shape.head_dim;
  std::vector<T> x;
  for (std::size_t k = 0; k < shape.tokens * shape.heads / together; ++k) {
    const std::uint64_t random = tools::HashOf(seed, k, 0, 0);
    if (random % 3 == 0) {
      std::vector<double> of_elements;
      for (std::size_t i = 0; i < count; ++i) of_elements.push_back(weights.At(i % weights.bits.size()));
      const NormInputs kind = random % 2 == 0 ? NormInputs::kTies : NormInputs::kEqual;
      for (const std::uint64_t bits : MakeNormInputs(kind, TypeOf<T>(), POSENC_F32, norm.epsilon,
                                                     norm.plus_one != 0, of_elements, random))
        x.push_back(FromBits<T>(bits));
      continue;
    }
    constexpr tools::Inputs kKinds[] = {tools::Inputs::kNormal, tools::Inputs::kNormal,
                                        tools::Inputs::kEvery,  tools::Inputs::kTiny,
                                        tools::Inputs::kLarge,  tools::Inputs::kZeros};
    const tools::Inputs kind = random % 31 == 1 ? tools::Inputs::kSpecial : kKinds[random / 64 % 6];
    for (std::size_t i = 0; i < count; ++i) {
      x.push_back(FromBits<T>(
          tools::MakeInput(kind, TypeOf<T>(), TypeOf<T>(), tools::HashOf(random, 0, 0, i), 0.6, 0.8).a));
    }
  }
  return x;
}

// r of POSENC_FAST. Computing a step in double and rounding it to float is the same as rounding once.
float FastInverse(const std::vector<float>& x, std::size_t head_dim, double epsilon) {
  const auto rounded = [](double v) { return oracle::RoundTo(POSENC_F32, v); };
  double sum = 0.0;
  for (std::size_t head = 0; head < x.size(); head += head_dim) {
    double sums[16] = {};
    for (std::size_t e = 0; e < head_dim; ++e) {
      const auto element = static_cast<double>(x[head + e]);
      sums[e % 16] = rounded(sums[e % 16] + rounded(element * element));
    }
    for (std::size_t apart = 8; apart > 0; apart /= 2) {
      for (std::size_t k = 0; k < apart; ++k) sums[k] = rounded(sums[k] + sums[k + apart]);
    }
    sum = rounded(sum + sums[0]);
  }
  const double mean = rounded(sum / static_cast<double>(x.size()));
  return static_cast<float>(rounded(1.0 / rounded(std::sqrt(rounded(mean + rounded(epsilon))))));
}

// The n_i of all heads.
template <class T>
std::vector<float> Normalized(const std::vector<T>& x, const Shape& shape, const posenc_norm& norm,
                              const Weights& weights, bool is_fast) {
  const std::size_t together = norm.over_heads != 0 ? shape.heads : 1, count = together * shape.head_dim;
  const bool plus_one = norm.plus_one != 0;
  std::vector<float> n;
  for (std::size_t begin = 0; begin < x.size(); begin += count) {
    std::vector<float> values(count);
    std::vector<std::uint32_t> bits(count);
    for (std::size_t i = 0; i < count; ++i) {
      values[i] = Value(x[begin + i]);
      bits[i] = FloatBitsOf(static_cast<double>(values[i]));
    }
    const NormIntegers exact(bits.data(), count, norm.epsilon);
    const float inverse = FastInverse(values, shape.head_dim, norm.epsilon);
    for (std::size_t i = 0; i < count; ++i) {
      const double weight = weights.At(i % weights.bits.size());
      if (!is_fast) {
        n.push_back(FromBits<float>(exact.Normalize(bits[i], FloatBitsOf(weight), plus_one)));
      } else {
        const auto rounded = [](double v) { return static_cast<float>(oracle::RoundTo(POSENC_F32, v)); };
        const float gain = rounded(plus_one ? 1.0 + weight : weight);
        n.push_back((values[i] * inverse) * gain);
      }
    }
  }
  return n;
}

enum class Way { kRun, kList, kAngles };

posenc_status Rotate(const posenc_rotary* rotary, Way way, std::size_t tokens, const posenc_heads& heads) {
  constexpr std::int64_t kFirst = 1021;
  if (way == Way::kRun) return posenc_rotate(rotary, kFirst, tokens, &heads, 1);
  if (way == Way::kList) {
    std::vector<std::int64_t> positions;
    for (std::size_t t = 0; t < POSENC_MAX_AXES * tokens; ++t)
      positions.push_back(static_cast<std::int64_t>(t * t * 1000) - 7);
    const posenc_list list = {POSENC_I64, positions.data()};
    return posenc_rotate_at(rotary, &list, tokens, &heads, 1, nullptr);
  }
  std::size_t bytes = 0;
  EXPECT_EQ(posenc_angles_memory_size(rotary, tokens, &bytes), POSENC_OK);
  std::vector<unsigned char> memory(bytes);
  posenc_angles* angles = nullptr;
  EXPECT_EQ(posenc_angles_make(rotary, kFirst, tokens, memory.data(), bytes, &angles), POSENC_OK);
  return posenc_rotate_by_angles(rotary, angles, 0, tokens, &heads, 1);
}

// Makes all NaNs the same one: with POSENC_FAST their bits differ between processors.
template <class T>
void MakeNansOne(std::vector<T>* x) {
  for (T& element : *x) {
    if (std::isnan(Value(element))) element = CanonicalNan<T>();
  }
}

// The same for the heads in memory.
template <class T>
void MakeNansOne(const Shape& shape, const Layout& layout, std::vector<unsigned char>* memory) {
  std::vector<T> head(shape.head_dim);
  for (std::size_t k = 0; k < shape.tokens * shape.heads; ++k) {
    const std::size_t at =
        k / shape.heads * layout.TokenStride(shape) + k % shape.heads * layout.HeadStride(shape);
    unsigned char* const place = memory->data() + layout.shift + at * sizeof(T);
    std::memcpy(head.data(), place, head.size() * sizeof(T));
    MakeNansOne(&head);
    std::memcpy(place, head.data(), head.size() * sizeof(T));
  }
}

class RotaryNormExact : public PerTarget {
 protected:
  template <class T, class Source>
  void ExpectTwoSteps(posenc_rotary_spec spec, const Shape& shape, bool over_heads,
                      std::uint64_t seed) const {
    spec.target = target();
    const bool is_fast = spec.arithmetic == POSENC_FAST;
    const RotaryPtr rotary = CreateRotary(spec);
    constexpr NormWeights kKinds[] = {NormWeights::kNormal, NormWeights::kDigits, NormWeights::kHalves,
                                      NormWeights::kOdd, NormWeights::kTinyDigits};
    constexpr posenc_type kTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16};
    constexpr double kEpsilons[] = {0.0, 1e-6, 0x1p-126, 1.0};
    const NormWeights kind = kKinds[seed % 5];
    const Weights weights(kind, kTypes[seed % 3], (over_heads ? shape.heads : 1) * shape.head_dim, seed);
    posenc_norm norm{};
    norm.weight = weights.memory.data() + 1;
    norm.weight_type = weights.type;
    norm.epsilon = kEpsilons[seed % 4];
    norm.plus_one = kind == NormWeights::kHalves || seed % 7 == 0 ? 1 : 0;
    norm.over_heads = over_heads ? 1 : 0;
    const std::vector<Source> x = MakeElements<Source>(shape, norm, weights, seed);
    std::vector<float> factors(shape.tokens);
    for (std::size_t t = 0; t < shape.tokens; ++t) factors[t] = t % 2 == 0 ? 1.0f : 0x1.800002p-1f;

    std::vector<float> n = Normalized(x, shape, norm, weights, is_fast);
    for (const Way way : {Way::kRun, Way::kList, Way::kAngles}) {
      posenc_heads heads{};
      heads.type = TypeOf<T>();
      heads.heads = shape.heads;
      heads.scale = seed % 2 == 0 ? 0.0 : 0.7;
      heads.inverse = seed % 3 == 0 ? 1 : 0;
      heads.token_factors = seed % 4 < 2 ? nullptr : factors.data();
      std::vector<T> want(shape.elements());
      posenc_heads step = heads;
      step.data = want.data();
      step.source = n.data();
      step.source_type = POSENC_F32;
      step.token_stride = shape.heads * shape.head_dim;
      step.head_stride = shape.head_dim;
      ASSERT_EQ(Rotate(rotary.get(), way, shape.tokens, step), POSENC_OK);
      MakeNansOne(&want);
      for (std::size_t k = 0; k < std::size(kMemoryLayouts); ++k) {
        if (IsReference() && k != seed % std::size(kMemoryLayouts)) continue;  // slow
        const Layout &to = kMemoryLayouts[k], &from = kMemoryLayouts[(k + 1) % std::size(kMemoryLayouts)];
        for (const bool is_in_place : {false, true}) {
          if (is_in_place && !std::is_same_v<T, Source>) continue;
          SCOPED_TRACE(testing::Message() << "way " << static_cast<int>(way) << ", layout " << k
                                          << (is_in_place ? ", in place" : ""));
          std::vector<unsigned char> source = InMemory(x.data(), shape, from), memory = source;
          const Layout& where = is_in_place ? from : to;
          if (!is_in_place) memory = InMemory<T>(nullptr, shape, to);
          heads.data = &memory[where.shift];
          heads.token_stride = where.TokenStride(shape);
          heads.head_stride = where.HeadStride(shape);
          heads.source = is_in_place ? nullptr : &source[from.shift];
          heads.source_type = TypeOf<Source>();
          heads.source_token_stride = is_in_place ? 0 : from.TokenStride(shape);
          heads.source_head_stride = is_in_place ? 0 : from.HeadStride(shape);
          heads.norm = &norm;
          ASSERT_EQ(Rotate(rotary.get(), way, shape.tokens, heads), POSENC_OK);
          if (is_fast) MakeNansOne<T>(shape, where, &memory);
          ExpectSame<T>(memory, InMemory(want.data(), shape, where), shape, where);
          if (HasFailure()) return;
        }
      }
    }
  }

  template <class T>
  static void ExpectSame(const std::vector<unsigned char>& got, const std::vector<unsigned char>& want,
                         const Shape& shape, const Layout& layout) {
    if (got == want) return;
    const auto at = std::mismatch(got.begin(), got.end(), want.begin()).first - got.begin();
    const std::size_t element = (static_cast<std::size_t>(at) - layout.shift) / sizeof(T);
    ADD_FAILURE() << "element " << element << " of memory, with strides " << layout.TokenStride(shape)
                  << " and " << layout.HeadStride(shape);
  }
};

// Numbers of elements around the vector lengths, elements that do not rotate, other pairings, and heads of
// several pieces.
constexpr const char* kSpecs[] = {"head_dim=2",
                                  "head_dim=16 pairing=neighbours",
                                  "head_dim=34 amplitude=1.3465",
                                  "head_dim=64 output_pairing=neighbours",
                                  "head_dim=50 rotary_dim=32 rotary_offset=7",
                                  "head_dim=66 rotary_dim=64 pairing=neighbours output_pairing=half_split",
                                  "head_dim=20 axes=3 sections=2:3:5 axis_order=axial"};

TEST_P(RotaryNormExact, IsTwoSteps) {
  std::uint64_t seed = 1;
  for (const char* words : kSpecs) {
    for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
      for (const bool over_heads : {false, true}) {
        posenc_rotary_spec spec = RotarySpecOf(words);
        spec.arithmetic = arithmetic;
        const Shape shape{4, 3, spec.head_dim};
        SCOPED_TRACE(testing::Message() << words << (arithmetic == POSENC_FAST ? ", fast" : ", exact")
                                        << (over_heads ? ", over heads" : "") << ", seed " << seed);
        ForEachType([&](auto element) {
          using T = decltype(element);
          ExpectTwoSteps<T, T>(spec, shape, over_heads, seed++);
          SCOPED_TRACE("from float32");
          if constexpr (!std::is_same_v<T, float>) ExpectTwoSteps<T, float>(spec, shape, over_heads, seed++);
        });
        if (HasFailure()) return;
      }
    }
  }
}

// All heads of a token must be read before the first one is written, however many there are. Heads of many
// elements are rotated in pieces. An infinite weight shows which elements were read too late.
TEST_P(RotaryNormExact, InPlaceOverHeads) {
  if (IsReference()) GTEST_SKIP() << "slow";
  for (const char* words :
       {"head_dim=128", "head_dim=128 pairing=neighbours", "head_dim=1032 rotary_dim=1030",
        "head_dim=130 rotary_dim=64 rotary_offset=5", "head_dim=16 output_pairing=neighbours"}) {
    for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
      posenc_rotary_spec spec = RotarySpecOf(words);
      spec.target = target();
      spec.arithmetic = arithmetic;
      const RotaryPtr rotary = CreateRotary(spec);
      const Shape shape{3, 9, spec.head_dim};
      SCOPED_TRACE(testing::Message() << words << (arithmetic == POSENC_FAST ? ", fast" : ", exact"));
      ForEachType([&](auto element) {
        using T = decltype(element);
        const Weights weights(NormWeights::kOdd, POSENC_F32, shape.heads * shape.head_dim, 3);
        posenc_norm norm{weights.memory.data() + 1, weights.type, 1e-6, 0, 1};
        std::vector<T> x;
        for (std::size_t i = 0; i < shape.elements(); ++i)
          x.push_back(Nearest<T>(std::sin(static_cast<double>(i * i % 1009)) * 3.0));
        for (const Layout& layout : kMemoryLayouts) {
          std::vector<unsigned char> memory = InMemory(x.data(), shape, layout);
          std::vector<T> want(shape.elements());
          posenc_heads heads = DenseHeads(want.data(), shape.heads, shape.head_dim);
          heads.source = x.data();
          heads.norm = &norm;
          ASSERT_EQ(posenc_rotate(rotary.get(), 100, shape.tokens, &heads, 1), POSENC_OK);
          heads.source = nullptr;
          heads.data = &memory[layout.shift];
          heads.token_stride = layout.TokenStride(shape);
          heads.head_stride = layout.HeadStride(shape);
          ASSERT_EQ(posenc_rotate(rotary.get(), 100, shape.tokens, &heads, 1), POSENC_OK);
          MakeNansOne(&want);
          MakeNansOne<T>(shape, layout, &memory);
          ExpectSame<T>(memory, InMemory(want.data(), shape, layout), shape, layout);
        }
      });
      if (HasFailure()) return;
    }
  }
}

// Only the last elements are midpoints, which need the exact mean. By then, elements before them have been
// overwritten.
TEST_P(RotaryNormExact, InPlaceWithTiesAtTheEnd) {
  if (IsReference()) GTEST_SKIP() << "computes the exact mean at once";
  for (const Shape& shape : {Shape{2, 40, 128}, Shape{2, 3, 1500}, Shape{2, 1, 8192}, Shape{1, 65, 64}}) {
    for (const bool over_heads : {false, true}) {
      for (const posenc_pairing pairing : kPairings) {
        SCOPED_TRACE(testing::Message()
                     << shape.heads << " heads of " << shape.head_dim << (over_heads ? ", over heads" : ""));
        posenc_rotary_spec spec = MakeRotarySpec(shape.head_dim, target());
        spec.pairing = pairing;
        spec.rotary_dim = shape.head_dim - 4;
        spec.rotary_offset = 2;
        const RotaryPtr rotary = CreateRotary(spec);
        const std::size_t count = (over_heads ? shape.heads : 1) * shape.head_dim;
        std::vector<float> weights(count), x(shape.elements()), want(x.size());
        for (std::size_t i = 0; i < count; ++i)
          weights[i] = static_cast<float>(2 * i + 1) * (i + 40 < count ? 0x1p-22f : 0x1p-24f);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] = i * i % 7 < 3 ? 1.5f : -1.5f;
        const posenc_norm norm{weights.data(), POSENC_F32, 0.0, 1, over_heads ? 1 : 0};
        posenc_heads heads = DenseHeads(want.data(), shape.heads, shape.head_dim);
        heads.source = x.data();
        heads.norm = &norm;
        ASSERT_EQ(posenc_rotate(rotary.get(), 100, shape.tokens, &heads, 1), POSENC_OK);
        // The last element does not rotate. It becomes 1 + weight, a midpoint, which this sum rounds to even.
        EXPECT_EQ(std::fabs(want.back()), 1.0f + weights.back());
        heads.data = x.data();
        heads.source = nullptr;
        ASSERT_EQ(posenc_rotate(rotary.get(), 100, shape.tokens, &heads, 1), POSENC_OK);
        EXPECT_TRUE(SameBits(x, want));
        if (HasFailure()) return;
      }
    }
  }
}

// The struct of a norm and its weights are read while heads are written, so they must not be in memory that
// is written: neither of their own tensor nor of another one.
TEST_P(RotaryNormExact, StructOfNormMustNotBeWritten) {
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(2, target()));
  const std::vector<float> weights = {1.0f, 2.0f};
  for (const bool is_of_another : {false, true}) {
    std::vector<double> memory(64), other(64);
    posenc_norm norm{weights.data(), POSENC_F32, 1e-6, 0, 0};
    std::memcpy(memory.data(), &norm, sizeof(norm));
    const std::vector<double> before = memory;
    posenc_heads tensors[2] = {
        DenseHeads(reinterpret_cast<float*>(is_of_another ? other.data() : memory.data()), 1, 2),
        DenseHeads(reinterpret_cast<float*>(memory.data()), 1, 2)};
    tensors[0].norm = reinterpret_cast<const posenc_norm*>(memory.data());
    EXPECT_EQ(posenc_rotate(rotary.get(), 0, 2, tensors, is_of_another ? 2 : 1), Refusal(rule::overlap_norm));
    EXPECT_TRUE(SameBits(memory, before));
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryNormExact);

}  // namespace
}  // namespace posenc
