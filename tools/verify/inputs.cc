#include "number/exact.h"

#include "verify/inputs.h"

#include <cmath>

#include "oracle/format.h"
#include "posenc/accuracy.h"

namespace posenc {
namespace tools {
namespace {

// One step of the random number generator SplitMix64.
std::uint64_t Mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

class Maker {
 public:
  Maker(posenc_type type, posenc_type result_type, std::uint64_t random, double cosine, double sine,
        double gain)
      : type_(type),
        result_type_(result_type),
        traits_(TraitsOf(type)),
        result_traits_(TraitsOf(result_type)),
        random_(random),
        cosine_(cosine),
        sine_(sine),
        gain_(gain) {}

  InputPair Make(Inputs inputs) {
    switch (inputs) {
      case Inputs::kEvery:
        return Make(kByTurns[Below(sizeof(kByTurns) / sizeof(kByTurns[0]))]);
      case Inputs::kNormal:
        return {Normal(-6, 3), Normal(-6, 3)};
      case Inputs::kAny:
        return {AnyFinite(), AnyFinite()};
      case Inputs::kCancelling:
        return Cancelling();
      case Inputs::kMiddle:
        return Middle();
      case Inputs::kTiny:
        return {Tiny(), Tiny()};
      case Inputs::kLarge:
        return {Large(), Below(2) == 0 ? Large() : AnyFinite()};
      case Inputs::kMixed:
        return Mixed();
      case Inputs::kAroundOne:
        return {Normal(-1, 1), Normal(-1, 1)};
      case Inputs::kEqual:
        return Equal();
      case Inputs::kFew:
        return {Few(), Few()};
      case Inputs::kZeros:
        return Swapped({Signed(0), Below(2) == 0 ? Signed(0) : Normal(-4, 4)});
      case Inputs::kSparse:
        return Below(64) == 0 ? InputPair{Normal(-4, 4), Normal(-4, 4)} : InputPair{Signed(0), Signed(0)};
      case Inputs::kSmallest:
        return Smallest();
      case Inputs::kLargest:
        return {Signed(Infinity() - 1), Signed(Infinity() - 1 - Below(3))};
      case Inputs::kNans:
        return Swapped({Nan(), Below(2) == 0 ? Nan() : Finite(1.0)});
      case Inputs::kInfinities: {
        const std::uint64_t others[] = {Infinity(), 0, Finite(1.0)};
        return Swapped({Signed(Infinity()), Signed(others[Below(3)])});
      }
      case Inputs::kBits:
        return {Next() >> (64 - 8 * traits_.size), Next() >> (64 - 8 * traits_.size)};
      case Inputs::kSpecial:
        break;
    }
    const std::uint64_t special = Special(), other = Below(2) == 0 ? Special() : AnyFinite();
    return Below(2) == 0 ? InputPair{special, other} : InputPair{other, special};
  }

 private:
  static constexpr Inputs kByTurns[] = {Inputs::kNormal,     Inputs::kNormal,     Inputs::kAny,
                                        Inputs::kCancelling, Inputs::kCancelling, Inputs::kMiddle,
                                        Inputs::kTiny,       Inputs::kLarge};

  std::uint64_t Next() { return random_ = Mix(random_); }
  std::uint64_t Below(std::uint64_t end) { return (Next() >> 32) % end; }
  // The number with a random sign. (The argument is evaluated first and may take random numbers, too.)
  std::uint64_t Signed(std::uint64_t bits) { return bits | (Next() >> 63) << (8 * traits_.size - 1); }
  std::uint64_t Infinity() const { return oracle::Pack(type_, HUGE_VAL); }

  // The bits of the finite number that is nearest to x.
  std::uint64_t Finite(double x) const {
    const std::uint64_t largest = Infinity() - 1, sign = std::uint64_t{1} << (8 * traits_.size - 1);
    if (!std::isfinite(x)) return largest;
    const std::uint64_t bits = oracle::Pack(type_, oracle::RoundTo(type_, x));
    return (bits & ~sign) <= largest ? bits : (bits & sign) | largest;
  }

  // A number from 2^low to 2^high, with a random sign.
  std::uint64_t Normal(int low, int high) {
    const int exponent = low + static_cast<int>(Below(static_cast<std::uint64_t>(high - low)));
    const double mantissa = 1.0 + std::ldexp(static_cast<double>(Next() >> 40), -24);
    return Signed(Finite(std::ldexp(mantissa, exponent)));
  }

  std::uint64_t AnyFinite() { return Signed(Next() % Infinity()); }

  std::uint64_t Tiny() {
    const std::uint64_t subnormal = std::uint64_t{1} << (traits_.digits - 1);
    switch (Below(6)) {
      case 0:
        return Signed(0);
      case 1:
        return Signed(Below(9));
      case 2:
        return Normal(result_traits_.min_exponent - 3, result_traits_.min_exponent + 6);
      case 3:
        return Normal(-4, 4);
      default:
        return Signed(Below(subnormal));
    }
  }

  std::uint64_t Large() {
    if (Below(8) == 0) return Signed(Infinity() - 1 - Below(4));
    return Normal(result_traits_.max_exponent - 3, result_traits_.max_exponent);
  }

  std::uint64_t Special() {
    const std::uint64_t infinity = Infinity(), least = std::uint64_t{1} << (traits_.digits - 1);
    const std::uint64_t specials[] = {infinity,     infinity,     0,         1,    infinity + least / 2,
                                      infinity - 1, infinity + 1, least - 1, least};
    return Signed(specials[Below(sizeof(specials) / sizeof(specials[0]))]);
  }

  // A factor 1 + 2^-k with a random k, as long as it changes a number of the type; often exactly 1.
  double Beside() {
    const auto k = static_cast<int>(Below(4 * static_cast<std::uint64_t>(traits_.digits) / 3));
    return k >= traits_.digits ? 1.0 : 1.0 + std::ldexp(1.0, -k);
  }

  // A pair whose x or y is the difference of two almost equal products: b = a cosine / sine or
  // b = -a sine / cosine, or a number close to that.
  InputPair Cancelling() {
    const bool is_x = Below(2) == 0;
    const std::uint64_t a = Normal(-6, 6);
    const double ratio = is_x ? cosine_ / sine_ : -sine_ / cosine_;
    if (!std::isfinite(ratio)) return {a, Normal(-6, 6)};
    return {a, Finite(oracle::Unpack(type_, a) * ratio * Beside())};
  }

  // A pair with a small b that moves x or y next to the midpoint of two numbers.
  InputPair Middle() {
    const bool is_x = Below(2) == 0;
    const std::uint64_t bits = Normal(-2, 3);
    const double a = oracle::Unpack(type_, bits);
    const double first = a * (is_x ? cosine_ : sine_), other = is_x ? -sine_ : cosine_;
    if (first == 0.0 || other == 0.0) return {bits, Signed(Below(4))};
    const double spacing = std::ldexp(1.0, SpacingExponent(result_type_, first));
    const double middle = (std::floor(first / spacing) + 0.5) * spacing;
    // The rounding error of the product a * turn, computed with `turn` split into two parts.
    const double turn = is_x ? cosine_ : sine_;
    const double high = static_cast<double>(static_cast<float>(turn)), low = turn - high;
    const double rest = (a * high - middle) + a * low;
    return {bits, Finite(-rest / other * Beside())};
  }

  // A pair whose result, times the gain, is at the limit of overflow or beyond it.
  InputPair Overflowing() {
    const int limit = result_traits_.max_exponent;
    const double beside = 1.0 + std::ldexp(static_cast<double>(Below(1 << 20)) - 0x1p19, -42);
    const double x = std::ldexp(beside, Below(2) == 0 ? limit : limit + static_cast<int>(Below(5)));
    const double y = std::ldexp(1.0, limit - static_cast<int>(Below(20)) + static_cast<int>(Below(10)));
    return {Finite((x * cosine_ + y * sine_) / gain_), Finite((y * cosine_ - x * sine_) / gain_)};
  }

  InputPair Swapped(const InputPair& pair) { return Below(2) == 0 ? pair : InputPair{pair.b, pair.a}; }

  InputPair Equal() {
    if (Below(2) == 0) {
      const auto power = [&] { return Signed(Finite(std::ldexp(1.0, static_cast<int>(Below(7)) - 3))); };
      return {power(), power()};
    }
    const std::uint64_t a = Normal(-2, 2), sign = std::uint64_t{1} << (8 * traits_.size - 1);
    return {a, Below(2) == 0 ? a : a ^ sign};
  }

  // An odd number times a power of two, a number next to 1, or 0.
  std::uint64_t Few() {
    constexpr double kOdd[] = {1.0, 1.0, 3.0, 3.0, 5.0, 7.0, 11.0, 25.0};
    switch (Below(8)) {
      case 0:
        return Signed(0);
      case 1:
        return Signed(Finite(1.0) + Below(5) - 2);
      case 2:
        return Signed(Finite(8.0));
      default:
        break;
    }
    const double odd = kOdd[Below(8)];
    return Signed(Finite(std::ldexp(odd, static_cast<int>(Below(9)) - 4)));
  }

  // A small multiple of the smallest number of the results, and an element that adds or subtracts half of
  // this number.
  InputPair Smallest() {
    const std::uint64_t multiple = Below(7);
    const std::uint64_t few =
        Signed(Finite(std::ldexp(static_cast<double>(multiple), result_traits_.least_exponent())));
    const double half = std::ldexp(Below(2) == 0 ? 0.5 : -0.5, result_traits_.least_exponent());
    const double factor = Below(4) == 0 ? cosine_ : sine_;
    return Swapped({few, Finite(factor == 0.0 ? half : half / factor)});
  }

  std::uint64_t Nan() {
    const std::uint64_t payloads = std::uint64_t{1} << (traits_.digits - 1);
    return Signed(Infinity() + 1 + Next() % (payloads - 1));
  }

  InputPair Mixed() {
    switch (Below(20)) {
      case 0:
        return Overflowing();
      case 1:
        return Make(Inputs::kSpecial);
      case 2:  // numbers with few digits, which make ties
        return {Signed(Finite(std::ldexp(static_cast<double>(Below(1000)), -8))),
                Finite(std::ldexp(3.0, static_cast<int>(Below(9))))};
      case 3:
      case 4:
      case 5:
        return Make(Inputs::kEvery);
      default:
        return Make(Inputs::kNormal);
    }
  }

  posenc_type type_, result_type_;
  ElementTraits traits_, result_traits_;
  std::uint64_t random_;
  double cosine_, sine_, gain_;
};

}  // namespace

InputPair MakeInput(Inputs inputs, posenc_type type, posenc_type result_type, std::uint64_t random,
                    double cosine, double sine, double gain) {
  return Maker(type, result_type, random, cosine, sine, gain).Make(inputs);
}

std::uint64_t HashOf(std::uint64_t seed, std::uint64_t row, std::uint64_t head, std::uint64_t pair) {
  return Mix(Mix(Mix(seed) ^ row) ^ (head << 32 | pair));
}

}  // namespace tools
}  // namespace posenc
