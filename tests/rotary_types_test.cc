// Tensors whose results have another type than their source: float32 becomes bfloat16 or float16. Exact
// elements are rounded once, and elements that do not rotate are, too. tools/verify/rotary_rows.cc has
// elements of all kinds. Here are tensors of several types in one call, every way to call, and all floats
// that are midpoints of a 16-bit type or next to one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "api/handle.h"
#include "kernel/rotate_token.h"
#include "posenc/rotary_angles_c.h"
#include "rotary_tensors.h"

namespace posenc {
namespace {

class RotaryTypes : public PerTarget {};

std::uint64_t RoundedBits(posenc_type type, double x) { return oracle::Pack(type, oracle::RoundTo(type, x)); }

std::uint64_t BitsAt(posenc_type type, const std::vector<unsigned char>& bytes, std::size_t at) {
  std::uint32_t word = 0;
  std::uint16_t half = 0;
  if (type == POSENC_F32) return std::memcpy(&word, &bytes[at], sizeof(word)), word;
  return std::memcpy(&half, &bytes[at], sizeof(half)), half;
}

// How a test calls the library.
enum class Way { kRotate, kRotateAt, kCached, kAngles };

constexpr std::size_t kTokens = 5, kHeads = 3;

// A tensor of a call: [tokens, heads, head_dim] floats, and the bits of the results.
struct Converted {
  posenc_type type;
  RotaryGain gain;
  bool is_in_place;
  std::size_t source_shift, shift;  // bytes from an aligned address to the first element
  std::vector<float> elements;
  std::vector<std::uint64_t> want;
  std::vector<unsigned char> source, data;

  void Place() {
    source.assign(source_shift + elements.size() * sizeof(float), 0);
    std::memcpy(&source[source_shift], elements.data(), elements.size() * sizeof(float));
    data.assign(shift + elements.size() * TraitsOf(type).size + sizeof(float), 0xA5);
    if (is_in_place) std::memcpy(&data[shift], elements.data(), elements.size() * sizeof(float));
  }

  posenc_heads Heads(std::size_t head_dim) {
    posenc_heads heads = DenseHeads(reinterpret_cast<float*>(&data[shift]), kHeads, head_dim);
    heads.type = type;
    heads.source_type = type == POSENC_F32 && is_in_place ? posenc_type{} : POSENC_F32;
    heads.source = is_in_place ? nullptr : &source[source_shift];
    heads.scale = gain.scale;
    heads.inverse = gain.inverse ? 1 : 0;
    return heads;
  }

  // Whether the results are right, and nothing is written behind them. With `any_nan` all NaNs are equal.
  void Expect(bool any_nan) const {
    const std::size_t size = TraitsOf(type).size;
    for (std::size_t k = 0; k < want.size(); ++k) {
      const std::uint64_t got = BitsAt(type, data, shift + k * size);
      if (any_nan && std::isnan(oracle::Unpack(type, got)) && std::isnan(oracle::Unpack(type, want[k])))
        continue;
      ASSERT_EQ(got, want[k]) << "element " << k << " of type " << type << ", scale " << gain.scale << ", "
                              << std::hexfloat << elements[k] << std::hex;
    }
    for (std::size_t k = shift + want.size() * size; k < data.size(); ++k) ASSERT_EQ(data[k], 0xA5);
  }
};

// Float arithmetic, as in POSENC_FAST.
double RotateFast(double u, double cosine, double v, double sine) {
  const float first = static_cast<float>(u) * static_cast<float>(cosine);
  const float second = static_cast<float>(v) * static_cast<float>(sine);
  const float sum = first + second;
  return static_cast<double>(sum);
}

// Makes the elements of a tensor, and the results that are right.
void Fill(const posenc_rotary_spec& spec, const AngleTable& angles, bool is_exact, Converted* tensor) {
  const posenc_type type = tensor->type;
  const std::size_t dim = spec.head_dim, pairs = angles.pairs();
  const posenc_pairing to = spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
  PairMaker<float> maker(3 + static_cast<unsigned>(type) + static_cast<unsigned>(pairs));
  const std::size_t count = kTokens * kHeads * dim;
  tensor->elements.resize(count);
  tensor->want.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint32_t bits = static_cast<std::uint32_t>(maker.Bits());
    tensor->elements[k] = k % 7 == 0 ? FromBits<float>(bits) : maker.Normal(-20, 20);
    tensor->want[k] = RoundedBits(type, static_cast<double>(tensor->elements[k]));
    if (type == POSENC_F32) tensor->want[k] = BitsOf(tensor->elements[k]);  // NaNs keep their bits
  }
  std::size_t kind = 0;
  for (std::size_t t = 0; t < kTokens; ++t) {
    for (std::size_t i = 0; i < pairs; ++i) {
      const ScaledAngle angle = angles.Scaled(t, i, tensor->gain);
      const Rotated<float> floats = angle.Entries<float>();
      const auto cosine = static_cast<double>(floats.x), sine = static_cast<double>(floats.y);
      for (std::size_t h = 0; h < kHeads; ++h) {
        const std::size_t head = (t * kHeads + h) * dim + spec.rotary_offset;
        const ElementIndices from = IndicesOf(spec.pairing, i, pairs), at = IndicesOf(to, i, pairs);
        Rotated<float> pair = maker.Make(kind++, angle.Cosine(), angle.Sine(), tensor->gain.scale);
        if (kind % 31 == 0) pair.x = FromBits<float>(kind % 2 == 0 ? 0x7F800000 : 0xFFC12345);
        tensor->elements[head + from.a] = pair.x;
        tensor->elements[head + from.b] = pair.y;
        const auto a = static_cast<double>(pair.x), b = static_cast<double>(pair.y);
        std::uint64_t& x = tensor->want[head + at.a];
        std::uint64_t& y = tensor->want[head + at.b];
        if (is_exact) {
          const Rotated<double> both = {a, b};
          const auto [x_bits, y_bits] = angle.RotateTo(type, both);
          x = x_bits;
          y = y_bits;
        } else {
          x = RoundedBits(type, RotateFast(a, cosine, -b, sine));
          y = RoundedBits(type, RotateFast(b, cosine, a, sine));
        }
      }
    }
  }
}

posenc_status Call(Way way, const posenc_rotary* rotary, const std::vector<double>& positions,
                   const std::vector<posenc_heads>& tensors) {
  const List list(POSENC_F64, positions.data());
  const auto first = static_cast<std::int64_t>(positions[0]);
  if (way == Way::kRotate) return posenc_rotate(rotary, first, kTokens, tensors.data(), tensors.size());
  if (way == Way::kRotateAt)
    return posenc_rotate_at(rotary, &list, kTokens, tensors.data(), tensors.size(), nullptr);
  if (way == Way::kAngles) {
    std::size_t bytes = 0;
    EXPECT_EQ(posenc_angles_memory_size(rotary, kTokens, &bytes), POSENC_OK);
    std::vector<unsigned char> memory(bytes);
    posenc_angles* angles = nullptr;
    EXPECT_EQ(posenc_angles_make(rotary, first, kTokens, memory.data(), bytes, &angles), POSENC_OK);
    return posenc_rotate_by_angles(rotary, angles, 0, kTokens, tensors.data(), tensors.size());
  }
  const std::size_t pairs = posenc_rotary_frequency_count(rotary);
  std::vector<float> cos(kTokens * pairs), sin(cos.size());
  const posenc_cache cache{POSENC_CACHE_HALVES, POSENC_F32, cos.data(), sin.data(), pairs};
  const posenc_const_cache read{POSENC_CACHE_HALVES, POSENC_F32, cos.data(), sin.data(), pairs, kTokens};
  EXPECT_EQ(posenc_write_cache(rotary, first, kTokens, &cache), POSENC_OK);
  return posenc_rotate_cached(rotary, &read, 0, kTokens, tensors.data(), tensors.size());
}

// In one call tensors of all types are rotated: in place and from sources, aligned or not, with several
// gains.
TEST_P(RotaryTypes, SeveralInOneCall) {
  struct Shape {
    std::size_t head_dim, rotary_dim, offset;
  };
  for (const Shape& shape : {Shape{10, 10, 0}, {128, 96, 16}, {1100, 1054, 3}, {64, 64, 0}}) {
    if (IsReference() && shape.head_dim > 200) continue;
    for (const auto& [from, to] : AllPairings()) {
      for (const Way way : {Way::kRotate, Way::kRotateAt, Way::kCached, Way::kAngles}) {
        for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
          if (way == Way::kCached && (arithmetic == POSENC_EXACT || from != to)) continue;
          SCOPED_TRACE(testing::Message()
                       << "head_dim " << shape.head_dim << ", pairings " << from << " to " << to << ", way "
                       << static_cast<int>(way) << ", arithmetic " << arithmetic);
          posenc_rotary_spec spec = MakeRotarySpec(shape.head_dim, target());
          spec.rotary_dim = shape.rotary_dim;
          spec.rotary_offset = shape.offset;
          spec.pairing = from;
          spec.output_pairing = to;
          spec.arithmetic = arithmetic;
          const RotaryPtr rotary = CreateRotary(spec);
          ASSERT_NE(rotary, nullptr);
          const std::vector<double> positions =
              Consecutive<double>(way == Way::kRotateAt ? -2 : 100000, kTokens);
          const AngleTable angles(spec, positions);
          const RotaryGain plain, scaled = {1.0, way == Way::kCached ? 0.5 : 0.3, true};
          const bool is_torn = from != to && shape.rotary_dim > 1024;  // such heads need a source
          std::vector<Converted> tensors = {{POSENC_F32, plain, !is_torn, 0, 0, {}, {}, {}, {}},
                                            {POSENC_F16, plain, false, 0, 0, {}, {}, {}, {}},
                                            {POSENC_BF16, plain, false, 1, 0, {}, {}, {}, {}},
                                            {POSENC_F32, scaled, false, 0, 0, {}, {}, {}, {}},
                                            {POSENC_BF16, scaled, false, 0, 0, {}, {}, {}, {}},
                                            {POSENC_F16, scaled, false, 2, 1, {}, {}, {}, {}}};
          std::vector<posenc_heads> heads;
          for (Converted& tensor : tensors) {
            Fill(spec, angles, arithmetic == POSENC_EXACT, &tensor);
            tensor.Place();
            heads.push_back(tensor.Heads(shape.head_dim));
          }
          ASSERT_EQ(Call(way, rotary.get(), positions, heads), POSENC_OK);
          for (const Converted& tensor : tensors) {
            tensor.Expect(arithmetic == POSENC_FAST);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

// Floats that are numbers of a 16-bit type, midpoints of two of them, or next to these, with any sign and
// exponent: all for bfloat16, and all normal ones for float16 (and many subnormal ones).
std::vector<float> NextToMidpoints(std::uint32_t every) {
  std::vector<float> floats;
  for (std::uint32_t upper = 0; upper < 1u << 19; upper += every) {
    for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x0FFFu, 0x1000u, 0x1001u, 0x1FFFu}) {
      floats.push_back(FromBits<float>(upper << 13 | lower));
    }
  }
  return floats;
}

// At position 0, elements become products with the scale, rounded once; with scale 1 they are only converted.
TEST_P(RotaryTypes, EveryMidpointIsRoundedOnce) {
  std::vector<float> elements = NextToMidpoints(IsReference() ? 61 : 1);
  constexpr std::size_t kDim = 64;
  elements.resize(elements.size() / kDim * kDim);
  for (const posenc_pairing pairing : kPairings) {
    posenc_rotary_spec spec = MakeRotarySpec(kDim, target());
    spec.pairing = pairing;
    const RotaryPtr rotary = CreateRotary(spec);
    for (const posenc_type type : {POSENC_BF16, POSENC_F16}) {
      for (const double scale : {1.0, 0.75}) {
        std::vector<std::uint16_t> results(elements.size());
        posenc_heads heads = DenseHeads(elements.data(), elements.size() / kDim, kDim);
        heads.type = type;
        heads.source_type = POSENC_F32;
        heads.source = elements.data();
        heads.data = results.data();
        heads.scale = scale;
        ASSERT_EQ(posenc_rotate(rotary.get(), 0, 1, &heads, 1), POSENC_OK);
        for (std::size_t k = 0; k < elements.size(); ++k) {
          const ElementIndices other =
              pairing == POSENC_NEIGHBOURS ? ElementIndices{k ^ 1, 0} : ElementIndices{k ^ (kDim / 2), 0};
          if (!std::isfinite(elements[k]) || !std::isfinite(elements[other.a])) continue;
          const double product = static_cast<double>(elements[k]) * scale;
          const std::uint64_t want = product == 0.0 ? 0 : RoundedBits(type, product);
          ASSERT_EQ(results[k], want)
              << std::hexfloat << elements[k] << " times " << scale << ", type " << type;
        }
      }
    }
  }
}

// Elements that do not rotate, with factors: the exact product is rounded once.
TEST_P(RotaryTypes, RestIsRoundedOnce) {
  std::vector<float> floats = NextToMidpoints(IsReference() ? 61 : 7);
  for (std::size_t k = 0; k < floats.size(); k += 5) floats[k] = FromBits<float>(0x9E3779B9u * (k + 1));
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(8, target()));
  const internal::RotaryKernels* const kernels = rotary->rotary.kernels;
  for (const internal::ElementTypes types : {internal::ElementTypes{POSENC_F32, POSENC_F32},
                                             {POSENC_BF16, POSENC_BF16},
                                             {POSENC_F16, POSENC_F16},
                                             {POSENC_F32, POSENC_BF16},
                                             {POSENC_F32, POSENC_F16}}) {
    const std::size_t from_size = TraitsOf(types.from).size, size = TraitsOf(types.to).size;
    const std::size_t count = floats.size() - 3;  // so that the last elements fill no vector
    for (const float factor :
         {1.0f, 0.75f, 0x1.fffffep-1f, 0x1.921fb6p1f, 0x1.23456p-30f, 0x1p-64f, 0x1p64f}) {
      for (const std::size_t shift : {std::size_t{0}, std::size_t{1}}) {
        const std::size_t some = shift == 0 ? count : 1000;
        std::vector<unsigned char> from(shift + some * from_size), to(shift + some * size);
        for (std::size_t k = 0; k < some; ++k) {
          const std::uint32_t bits = static_cast<std::uint32_t>(BitsOf(floats[k]));
          const std::uint16_t half = static_cast<std::uint16_t>(k);
          std::memcpy(&from[shift + k * from_size], from_size == 4 ? static_cast<const void*>(&bits) : &half,
                      from_size);
        }
        internal::StoreRest(kernels, types, &from[shift], some, factor, &to[shift]);
        for (std::size_t k = 0; k < some; ++k) {
          const std::uint64_t bits = BitsAt(types.from, from, shift + k * from_size);
          const double product = oracle::Unpack(types.from, bits) * static_cast<double>(factor);
          const bool is_copy = types.from == types.to && factor == 1.0f;
          ASSERT_EQ(BitsAt(types.to, to, shift + k * size), is_copy ? bits : RoundedBits(types.to, product))
              << "types " << types.from << " to " << types.to << ", bits " << std::hex << bits << " times "
              << std::hexfloat << factor;
        }
      }
    }
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryTypes);

}  // namespace
}  // namespace posenc
