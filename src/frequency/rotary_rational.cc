#include "frequency/rotary_rational.h"

#include <cstdint>

#include "frequency/rotary_axes.h"

namespace posenc {
namespace internal {
namespace {

constexpr Exponent kMinusOne = {-1, 1};

Wide1024 WideOf(double x) { return FromDouble<16>(x); }

// Sums of products of such numbers have no more digits than there are bits.
bool IsMiddling(double x) { return x > 0x1p-64 && x < 0x1p64; }

// What NTK scalings multiply the base by, to an exponent; false if that is not known, as below.
bool MultiplyNtk(const posenc_rotary_spec& spec, const Exponent& exponent, RationalProduct* product) {
  const auto r = static_cast<std::int64_t>(spec.rotary_dim);
  if (r == 2 || exponent.n == 0) return exponent.d != 0;
  const Exponent power = Multiply(exponent, MakeExponent(r, r - 2));
  if (spec.scaling == POSENC_NTK) {
    product->Multiply(spec.factor, power);
    return true;
  }
  if (spec.length <= spec.original_length) return true;
  if (!IsMiddling(spec.length) || !IsMiddling(spec.original_length) || !IsMiddling(spec.factor)) return false;
  const Wide1024 length = WideOf(spec.length), original = WideOf(spec.original_length);
  if (spec.scaling == POSENC_DYNAMIC_NTK) {  // (L0 + f (L - L0)) / L0
    product->Multiply(Add(original, Multiply(WideOf(spec.factor), Subtract(length, original))), power);
    product->Multiply(original, Multiply(power, kMinusOne));
    return true;
  }
  const bool rounds_up = length.limb[15] > original.limb[15];  // 2^n - 1, n = ceil(log2(L / L0) + 1)
  Wide1024 alpha = FromInteger<16>(1);
  alpha.exponent += length.exponent - original.exponent + (rounds_up ? 1 : 0) + 1;
  product->Multiply(Subtract(alpha, FromInteger<16>(1)), power);
  return true;
}

// over / width of 1 / f, and the rest of 1.
void Interpolate(const Wide1024& over, const Wide1024& width, double factor, RationalProduct* product) {
  product->Multiply(Add(over, Multiply(Subtract(width, over), WideOf(factor))));
  product->Multiply(width, kMinusOne);
  product->Multiply(factor, kMinusOne);
}

// On a ramp whose ends are no integers frequencies are irrational (but by chance).
bool ScaleByYarn(const RotarySchedule& schedule, std::size_t entry, RationalProduct* product) {
  const posenc_rotary_spec& spec = schedule.spec;
  const Wide256 share = RampAt(schedule.constants, FromInteger<4>(static_cast<std::int64_t>(entry)));
  if (share.IsZero()) return true;
  if (Subtract(share, FromInteger<4>(1)).IsZero()) {
    product->Multiply(spec.factor, kMinusOne);
    return true;
  }
  if (spec.truncate == 0 || !IsMiddling(spec.factor)) return false;
  const double over = static_cast<double>(entry) - ToDouble(schedule.constants.low);
  const double width = ToDouble(schedule.constants.width);
  if (spec.scaling == POSENC_YARN) {
    Interpolate(WideOf(over), WideOf(width), spec.factor, product);
  } else {
    product->Multiply(spec.factor,
                      MakeExponent(-static_cast<std::int64_t>(over), static_cast<std::int64_t>(width)));
  }
  return true;
}

// Of w, which is rational, in turns times L0.
bool ScaleByLlama3(const posenc_rotary_spec& spec, RationalProduct* product) {
  RationalProduct::Quotient w;
  if (!product->ToQuotient(&w) || w.numerator == 0 || w.numerator >> 62 != 0 || w.denominator >> 62 != 0 ||
      w.negative || w.exponent < -128 || w.exponent > 128) {
    return false;
  }
  if (!IsMiddling(spec.original_length) || !IsMiddling(spec.low_freq_factor) ||
      !IsMiddling(spec.high_freq_factor) || !IsMiddling(spec.factor)) {
    return false;
  }
  const auto denominator = FromInteger<16>(static_cast<std::int64_t>(w.denominator));
  Wide1024 turns =
      Multiply(FromInteger<16>(static_cast<std::int64_t>(w.numerator)), WideOf(spec.original_length));
  turns.exponent += w.exponent - 2;
  const Wide1024 low = Multiply(WideOf(spec.low_freq_factor), denominator);
  const Wide1024 high = Multiply(WideOf(spec.high_freq_factor), denominator);
  const Wide1024 over = Subtract(high, turns), above = Subtract(turns, low);
  if (above.IsZero() || above.negative) {
    product->Multiply(spec.factor, kMinusOne);
  } else if (!over.IsZero() && !over.negative) {
    Interpolate(over, Subtract(high, low), spec.factor, product);
  }
  return true;
}

// What the scaling makes of w, an unscaled frequency in quarter turns.
bool ScaleFrequency(const RotarySchedule& schedule, const PairPlace& place, RationalProduct* product) {
  const posenc_rotary_spec& spec = schedule.spec;
  switch (spec.scaling) {
    case POSENC_LINEAR:
    case POSENC_PROPORTIONAL:
      product->Multiply(spec.factor, kMinusOne);
      return true;
    case POSENC_MIXED_NTK:
      product->Multiply(spec.factor, MakeExponent(-2, static_cast<std::int64_t>(spec.rotary_dim)));
      return true;
    case POSENC_YARN:
    case POSENC_YARN_LOG:
      return ScaleByYarn(schedule, place.entry, product);
    case POSENC_LLAMA3:
      return ScaleByLlama3(spec, product);
    case POSENC_LONGROPE:
    case POSENC_FREQUENCY_FACTORS:
      product->Multiply(schedule.factors[place.entry], kMinusOne);
      return true;
    default:
      return true;
  }
}

// w before it is scaled, but for the base.
bool MultiplyFrequency(const RotarySchedule& schedule, const PairPlace& place, RationalProduct* product) {
  const posenc_rotary_spec& spec = schedule.spec;
  product->ScaleByTwoTo({spec.unit == POSENC_HALF_TURNS ? 1 : 2, 1});
  if (schedule.list.count != 0) {
    product->Multiply(schedule.list[place.entry]);
    return true;
  }
  const Exponent exponent = ExponentOf(place.exponent, place.exponent_dim);
  product->Multiply(spec.base, exponent);
  if (spec.scaling == POSENC_MIXED_NTK) product->Multiply(spec.factor, exponent);
  const bool is_ntk =
      spec.scaling == POSENC_NTK || spec.scaling == POSENC_DYNAMIC_NTK || spec.scaling == POSENC_QWEN_NTK;
  return !is_ntk || MultiplyNtk(spec, exponent, product);
}

}  // namespace

RationalStep RationalStepOf(const RotarySchedule& schedule, std::size_t pair) {
  const posenc_rotary_spec& spec = schedule.spec;
  const PairPlace place = PlaceOf(spec, pair);
  const bool is_zero = spec.position_scale == 0.0 ||
                       (schedule.list.count != 0 && schedule.list[place.entry] == 0.0) ||
                       (spec.scaling == POSENC_PROPORTIONAL && place.entry >= schedule.turning);
  if (is_zero) return {};
  RationalProduct product;
  const bool is_known =
      MultiplyFrequency(schedule, place, &product) && ScaleFrequency(schedule, place, &product);
  product.Multiply(spec.position_scale);
  return is_known ? product.Step() : RationalStep{};
}

}  // namespace internal
}  // namespace posenc
