// The scalar path of encoders and rotaries: sine and cosine of one pair in 256 bits and, on demand, in 1,024.
// It shares no reduction, polynomial, anchor or table of doubles with the vector kernels.
#ifndef POSENC_SRC_KERNEL_WIDE_SINCOS_H_
#define POSENC_SRC_KERNEL_WIDE_SINCOS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "frequency/table.h"
#include "kernel/rows.h"
#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

struct Gain;

// 1,024 bits decide every entry (proof/wide.md).
inline constexpr int kMaxLimbs = 16;

// The phases of one pair, in quarter turns: position times step or, with a phase rounding, the rounded phase
// in radians times 2/pi.
template <int kLimbs>
class Phase {
 public:
  Phase(const FrequencyTable& table, std::size_t pair)
      : is_exact_(table.phase_rounding.IsNone() && table.exact->IsExact()),
        may_be_rational_(table.has_rational),
        known_bits_(table.exact->KnownBits()) {
    if (table.phase_rounding.IsNone()) {
      step_ = table.exact->QuarterTurns<kLimbs>(table.first + pair);
    } else {
      step_ = QuarterTurnsPerRadian<kLimbs>();
    }
  }

  // Relative error below 2^-kBits, and 0 if it is exact.
  static constexpr int kBits = kFrequencyBits<kLimbs> - 1;
  bool IsExact() const { return is_exact_; }
  bool MayBeRational() const { return may_be_rational_; }
  int KnownBits() const { return known_bits_; }
  Wide<kLimbs> At(double multiple) const { return Multiply(FromDouble<kLimbs>(multiple), step_); }

 private:
  Wide<kLimbs> step_;
  bool is_exact_;
  bool may_be_rational_;
  int known_bits_;
};

// What is known exactly of a sine and a cosine.
enum class Known {
  kNothing,          // any other angle
  kBoth,             // 0, 1 or -1: whole quarter turns
  kSine,             // 1/2 or -1/2: other multiples of a twelfth of a turn
  kCosine,           // the same of the cosine
  kEqualMagnitudes,  // odd multiples of an eighth of a turn, where sine and cosine differ in sign at most
};

template <int kLimbs>
struct WideSinCos {
  Wide<kLimbs> sine, cosine;
  int bits;  // both have relative errors below 2^-bits; if it is not positive, even their signs are unknown
  Known known;
  Wide<kLimbs> phase;  // in quarter turns; 0 if anything is known

  // Whether the phase is below 2^-80 quarter turns, so that 1,024 bits may not tell sine from angle
  // (proof/wide.md).
  bool IsTiny() const { return !phase.IsZero() && phase.exponent < -79; }
  Wide<kLimbs> Radians() const { return Multiply(phase, RadiansPerQuarterTurn<kLimbs>()); }
  bool IsSineKnown() const { return known == Known::kBoth || known == Known::kSine; }
  bool IsCosineKnown() const { return known == Known::kBoth || known == Known::kCosine; }
};

// The angle of a pair at a multiple, in twenty-fourths of a turn from 0 to 23: 0 if multiple or frequency is
// 0, a known angle (frequency/rational.h) if integers show that; else -1.
int KnownAngleAt(const FrequencyTable& table, std::size_t pair, double multiple);

// Sine and cosine of a pair at a multiple, to kSinCosBits - 1 bits; fewer if the phase is rounded and its
// reduction to |r| <= 1/2 cancels bits. Both precisions know the angles of KnownAngleAt. 1,024 bits also know
// phases that agree with a known angle in Frequencies::KnownBits bits. The pair's phases may be null.
template <int kLimbs>
WideSinCos<kLimbs> SinCosOf(const FrequencyTable& table, std::size_t pair, double multiple,
                            const Phase<kLimbs>* phases, Tally& tally);

// The finite pair (a, b), rotated and multiplied by the gain, each element rounded once to a type. False if
// these bits leave one of them undecided.
template <int kLimbs>
bool RoundPair(const WideSinCos<kLimbs>& sin_cos, const Gain& gain, posenc_type type, double a, double b,
               double* x, double* y);

// Calls round(sin_cos) with 256 bits and, if it gives false, with the 1,024 bits that widest() makes.
template <class Widest, class Round>
void RoundOnDemand(const WideSinCos<4>& in_256_bits, const Widest& widest, Tally& tally, const Round& round) {
  if (round(in_256_bits)) return;
  ++tally.widest;
  round(widest());
}

// gain * sine and gain * cosine of a pair at a multiple, each rounded once to a type. The pair's phases may
// be null.
struct RoundedSinCos {
  double sine, cosine;
};
RoundedSinCos RoundExactly(const FrequencyTable& table, std::size_t pair, double multiple,
                           const Phase<4>* phases, const Gain& gain, posenc_type type, Tally& tally);

// The sines and cosines of at most kCount pairs, each at one multiple. Pair i is entry i % kCount. Only Clear
// initialises it, since most calls need none.
template <int kLimbs, std::size_t kCount>
class SharedSinCosOf {
 public:
  void Clear() { used_ = 0; }

  // Returns what SinCosOf returns. Calls it only if the pair's last multiple was another one.
  WideSinCos<kLimbs> Find(const FrequencyTable& table, std::size_t pair, double multiple, Tally& tally) {
    const std::size_t k = pair % kCount;
    Entry& entry = entries_[k];
    WideSinCos<kLimbs> sin_cos;
    if ((used_ >> k & 1) != 0 && entry.pair == pair && entry.multiple == multiple) {
      std::memcpy(&sin_cos, entry.sin_cos, sizeof(sin_cos));
      return sin_cos;
    }
    sin_cos = SinCosOf<kLimbs>(table, pair, multiple, nullptr, tally);
    used_ |= std::uint64_t{1} << k;
    entry.pair = pair;
    entry.multiple = multiple;
    std::memcpy(entry.sin_cos, &sin_cos, sizeof(sin_cos));
    return sin_cos;
  }

 private:
  static_assert(kCount <= 64, "a bit each");
  struct Entry {
    std::size_t pair;
    double multiple;
    alignas(WideSinCos<kLimbs>) unsigned char sin_cos[sizeof(WideSinCos<kLimbs>)];
  };

  std::uint64_t used_;
  Entry entries_[kCount];
};

// The wide sines and cosines that a call needed last, so that all heads of a token share them.
struct SharedSinCos {
  SharedSinCosOf<4, 16> in_256_bits;
  SharedSinCosOf<kMaxLimbs, 2> in_1024_bits;

  void Clear() {
    in_256_bits.Clear();
    in_1024_bits.Clear();
  }
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_WIDE_SINCOS_H_
