// Rotaries and what tests rotate: handles, pairs of every kind, and what the oracle makes of them.
#ifndef POSENC_TESTS_ROTARY_CASES_H_
#define POSENC_TESTS_ROTARY_CASES_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "oracle/rotary_oracle.h"
#include "per_target.h"
#include "posenc/rotary.h"
#include "scalar_formats.h"

namespace posenc {

using RotaryPtr = std::unique_ptr<posenc_rotary, void (*)(posenc_rotary*)>;

inline posenc_rotary_spec MakeRotarySpec(std::size_t head_dim, const char* target = nullptr) {
  posenc_rotary_spec spec;
  EXPECT_EQ(posenc_rotary_spec_init(&spec, sizeof(spec)), POSENC_OK);
  spec.head_dim = head_dim;
  spec.target = target;
  return spec;
}

inline RotaryPtr CreateRotary(const posenc_rotary_spec& spec) {
  posenc_rotary* rotary = nullptr;
  const posenc_status status = posenc_rotary_create(&spec, &rotary);
  EXPECT_EQ(status, POSENC_OK) << posenc_status_message(status);
  return {rotary, &posenc_rotary_destroy};
}

// A spec with a list of frequencies. The list must outlive the spec.
inline posenc_rotary_spec ListedSpec(const std::vector<double>& frequencies, const char* target) {
  posenc_rotary_spec spec = MakeRotarySpec(2 * frequencies.size(), target);
  spec.frequencies = frequencies.data();
  spec.frequency_count = frequencies.size();
  return spec;
}

// Heads without gaps: [tokens, heads, head_dim].
template <class T>
posenc_heads DenseHeads(T* data, std::size_t heads, std::size_t head_dim) {
  posenc_heads dense{};
  dense.type = TypeOf<T>();
  dense.data = data;
  dense.heads = heads;
  dense.token_stride = heads * head_dim;
  dense.head_stride = head_dim;
  return dense;
}

inline constexpr posenc_pairing kPairings[] = {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS};

// Where the elements of pair i of r / 2 pairs are, as posenc_pairing describes.
struct ElementIndices {
  std::size_t a, b;
};
inline ElementIndices IndicesOf(posenc_pairing pairing, std::size_t i, std::size_t pairs) {
  if (pairing == POSENC_HALF_SPLIT) return {i, i + pairs};
  return {2 * i, 2 * i + 1};
}

template <class T>
T Largest() {
  return FromBits<T>(oracle::Pack(TypeOf<T>(), HUGE_VAL) - 1);
}

// The exponent e for which 2^e is the smallest number of the type.
template <class T>
int LeastExponent() {
  return TraitsOf(TypeOf<T>()).least_exponent();
}

template <class T>
std::uint64_t BitsOf(T x) {
  if constexpr (sizeof(T) == 8) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  } else if constexpr (sizeof(T) == 4) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof(bits));
    return bits;
  } else {
    return x.bits;
  }
}

template <class T>
struct Rotated {
  T x, y;
};

// The factor of cosines and sines, and whether they rotate back.
struct RotaryGain {
  double amplitude = 1.0, scale = 1.0;
  bool inverse = false;
  float factor = 1.0f;  // of the token
};

// A rotation by the oracle, for elements of C++ types.
class ScaledAngle {
 public:
  ScaledAngle(oracle::RotaryOracle* oracle, std::size_t pair, double position, const RotaryGain& gain)
      : angle_(oracle, pair, position, {gain.scale, gain.inverse, gain.amplitude, gain.factor}) {}

  // Rounds each exact element once. For NaNs and infinities it follows IEEE arithmetic.
  template <class T>
  Rotated<T> Rotate(T a, T b) const {
    oracle::Rounding x, y;
    angle_.Rotate(TypeOf<T>(), static_cast<double>(Value(a)), static_cast<double>(Value(b)), &x, &y);
    return {FromBits<T>(x.bits), FromBits<T>(y.bits)};
  }

  // The same for elements that are rounded to another type: the bits of the results.
  Rotated<std::uint64_t> RotateTo(posenc_type type, const Rotated<double>& pair) const {
    oracle::Rounding x, y;
    angle_.Rotate(type, pair.x, pair.y, &x, &y);
    return {x.bits, y.bits};
  }

  // The cosine and the sine.
  template <class T>
  Rotated<T> Entries() const {
    oracle::Rounding cosine, sine;
    angle_.RoundBoth(TypeOf<T>(), &cosine, &sine);
    return {FromBits<T>(cosine.bits), FromBits<T>(sine.bits)};
  }
  double Cosine() const { return Entries<double>().x; }
  double Sine() const { return Entries<double>().y; }

 private:
  mutable oracle::Angle angle_;  // remembers what it has evaluated
};

// Makes pairs of numbers of a type, easy ones and ones that are hard to rotate.
template <class T>
class PairMaker {
 public:
  static constexpr std::size_t kKinds = 18;

  explicit PairMaker(unsigned seed) : random_(seed) {}

  // A pair to be rotated by the cosine c and the sine s, which include the gain.
  Rotated<T> Make(std::size_t kind, double c, double s, double gain) {
    switch (kind % kKinds) {
      case 0:
      case 1:
        return {Normal(-4, 4), Normal(-4, 4)};
      case 2: {  // the terms of x cancel
        const T b = Normal(-4, 4);
        return {Step(Finite(Wide(b) * s / c)), b};
      }
      case 3: {  // the terms of y cancel
        const T a = Normal(-4, 4);
        return {a, Step(Finite(-Wide(a) * s / c))};
      }
      case 4:
        return {Normal(kMinNormal, kMinNormal + 6), Normal(kMinNormal, kMinNormal + 6)};
      case 5:
        return {Subnormal(), Subnormal()};
      case 6:
        return {Zero(), Normal(-4, 4)};
      case 7:
        return {Normal(-4, 4), Zero()};
      case 8:
        return {Zero(), Zero()};
      case 9:
        return {Normal(kMost - 3, kMost), random_() % 2 == 0 ? Normal(kMost - 3, kMost) : Normal(-4, 4)};
      case 10: {
        const int ratio = static_cast<int>(random_() % 121) - 60;
        return {Normal(-ratio / 2 - 2, -ratio / 2 + 2), Normal(ratio - ratio / 2 - 2, ratio - ratio / 2 + 2)};
      }
      case 11: {  // next to overflow, or beyond it
        const double most = random_() % 2 == 0 ? 1.0 + std::ldexp(1.0, -Digits() - 1) : 1.75;
        return Wanted(std::copysign(Wide(Largest<T>()) * most, Sign()), Wide(Normal(kMost - 3, kMost)), c, s,
                      gain);
      }
      case 12:  // next to midpoints of small numbers
        return Wanted(std::ldexp(Sign() * (static_cast<double>(random_() % 8) + 0.5), LeastExponent<T>()),
                      std::ldexp(static_cast<double>(random_() % 9) - 4.0, LeastExponent<T>()), c, s, gain);
      case 13:
        return Midpoint(c, s, false);
      case 14:
        return Midpoint(c, s, true);
      case 15: {  // both of the same magnitude
        const T a = Normal(-2, 2);
        return {a, random_() % 2 == 0 ? a : Finite(-Wide(a))};
      }
      case 16: {  // powers of two: both products have the same digits
        return {Finite(std::ldexp(Sign(), Exponent(-3, 3))), Finite(std::ldexp(Sign(), Exponent(-3, 3)))};
      }
      default:  // any finite numbers
        return {AnyFinite(), AnyFinite()};
    }
  }

  T Normal(int low, int high) {
    const double mantissa = 1.0 + std::ldexp(static_cast<double>(random_() % (1u << 24)), -24);
    return Finite(std::ldexp(Sign() * mantissa, Exponent(low, high)));
  }

  std::uint64_t Bits() { return random_(); }

  T AnyFinite() {
    for (;;) {
      const T x = FromBits<T>(random_());
      if (std::isfinite(Value(x))) return x;
    }
  }

 private:
  static constexpr int kMinNormal = TraitsOf(TypeOf<T>()).min_exponent - 1;
  static constexpr int kMost = TraitsOf(TypeOf<T>()).max_exponent - 1;

  static int Digits() { return TraitsOf(TypeOf<T>()).digits; }
  static double Wide(T x) { return static_cast<double>(Value(x)); }
  double Sign() { return random_() % 2 == 0 ? 1.0 : -1.0; }
  int Exponent(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1));
  }
  T Zero() { return Nearest<T>(std::copysign(0.0, Sign())); }
  T Subnormal() {
    return Nearest<T>(
        std::ldexp(Sign() * static_cast<double>(random_() % (1u << (Digits() - 1))), LeastExponent<T>()));
  }

  // The nearest finite number. For a NaN, a random number.
  T Finite(double x) {
    if (std::isnan(x)) return Normal(-4, 4);
    const double most = Wide(Largest<T>());
    return Nearest<T>(std::min(std::max(x, -most), most));
  }

  // A neighbour of x, or x itself.
  T Step(T x) {
    const std::uint64_t bits = BitsOf(x), step = random_() % 5;
    const T moved = FromBits<T>(bits + step - 2);
    return step < 3 || !std::isfinite(Value(moved)) || (bits & 0x7FFF) < 4 ? x : moved;
  }

  // A pair that rotates to nearly (x, y).
  Rotated<T> Wanted(double x, double y, double c, double s, double gain) {
    const double square = gain * gain;
    return {Finite((x * (c / square)) + (y * (s / square))), Finite((y * (c / square)) - (x * (s / square)))};
  }

  // a, and a much smaller b that brings x (or y) next to a midpoint of two numbers.
  Rotated<T> Midpoint(double c, double s, bool is_y) {
    const T a = Normal(-2, 2);
    const double near = Wide(a) * (is_y ? s : c);
    if (near == 0.0 || c == 0.0 || s == 0.0) return {a, Normal(-4, 4)};
    const double unit = std::ldexp(1.0, std::ilogb(near) + 1 - Digits());
    const double middle = (std::floor(near / unit) + 0.5) * unit;
    return {a, Finite(is_y ? (middle - near) / c : (near - middle) / s)};
  }

  std::mt19937_64 random_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_ROTARY_CASES_H_
