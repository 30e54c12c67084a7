#include "number/exact.h"

#include "verify/norm_inputs.h"

#include <algorithm>
#include <cmath>

#include "oracle/format.h"
#include "posenc/accuracy.h"
#include "verify/inputs.h"

namespace posenc {
namespace tools {
namespace {

// Random numbers that follow from one.
class Random {
 public:
  explicit Random(std::uint64_t random) : random_(random) {}
  std::uint64_t Next() { return random_ = HashOf(random_, 0, 0, 0); }
  std::uint64_t Below(std::uint64_t end) { return (Next() >> 20) % end; }

 private:
  std::uint64_t random_;
};

std::uint64_t Root(std::uint64_t square) {
  auto root = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(square)));
  while (root * root > square) --root;
  while ((root + 1) * (root + 1) <= square) ++root;
  return root;
}

// *parts become three numbers whose squares have this sum. False if there are none.
bool SumOfThreeSquares(std::uint64_t sum, std::uint64_t* parts) {
  std::uint64_t odd = sum;
  while (odd != 0 && odd % 4 == 0) odd /= 4;
  if (odd % 8 == 7) return false;  // Legendre's theorem
  for (std::uint64_t a = Root(sum) + 1; a-- > 0 && 3 * a * a >= sum;) {
    const std::uint64_t rest = sum - a * a;
    for (std::uint64_t b = Root(rest) + 1; b-- > 0 && 2 * b * b >= rest;) {
      const std::uint64_t c = Root(rest - b * b);
      if (c * c != rest - b * b) continue;
      parts[0] = a;
      parts[1] = b;
      parts[2] = c;
      return true;
    }
  }
  return false;
}

// A number as an odd integer times 2^exponent. The integer is 0 if the number is 0.
struct Odd {
  std::uint64_t integer;
  int exponent;
};

Odd OddOf(double x) {
  if (x == 0.0 || !std::isfinite(x)) return {0, 0};
  int exponent;
  auto integer = static_cast<std::uint64_t>(std::ldexp(std::fabs(std::frexp(x, &exponent)), 53));
  exponent -= 53;
  while (integer % 2 == 0) integer /= 2, ++exponent;
  return {integer, exponent};
}

// Makes elements that are integers times 2^unit_, whose squares have a given sum. The root of the mean
// becomes a small odd number times a power of two. So if an element is a multiple of this number, n_i is an
// integer times a power of two, which may be a midpoint.
class TiesMaker {
 public:
  TiesMaker(posenc_type type, posenc_type result_type, double epsilon, bool plus_one,
            const std::vector<double>& weights, std::uint64_t random)
      : traits_(TraitsOf(type)),
        result_digits_(TraitsOf(result_type).digits),
        epsilon_(epsilon),
        plus_one_(plus_one),
        weights_(weights),
        random_(random),
        elements_(weights.size(), 0) {
    // The larger numbers have inverses that doubles round with larger errors.
    constexpr std::uint64_t kOdd[] = {1, 1, 3, 5, 7, 49, 117, 123};
    constexpr int kDigits[] = {0, 0, 2, 3, 3, 6, 7, 7};
    const std::uint64_t which = random_.Below(traits_.digits > 20 ? 8 : 5);
    root_odd_ = kOdd[which];
    root_exponent_ = traits_.digits - 2 - kDigits[which];
    left_ = (std::uint64_t{weights.size()} * root_odd_ * root_odd_) << (2 * root_exponent_);
  }

  std::vector<double> Make(bool is_beside) {
    const int most = traits_.max_exponent - traits_.digits - 1, least = traits_.least_exponent();
    const int units[] = {least, least / 2, least / 8, 0, most / 2, most};
    unit_ = std::min(units[random_.Below(6)], most);
    // If epsilon is a multiple of the unit's square, ties remain ties.
    const double epsilons = std::ldexp(epsilon_, -2 * unit_);
    if (epsilons < 0x1p10 && epsilons == std::floor(epsilons)) {
      const std::uint64_t all = weights_.size() * static_cast<std::uint64_t>(epsilons);
      if (all < left_ / 4) left_ -= all;
    }
    const std::uint64_t beside = is_beside ? random_.Below(3) : 3;
    if (beside == 0) ++left_;
    if (beside == 1) --left_;
    const std::vector<std::size_t> others = MakeMidpoints();
    MakeOthers(others);
    std::vector<double> numbers;
    for (const std::uint64_t element : elements_) {
      const double number = std::ldexp(static_cast<double>(element), unit_);
      numbers.push_back(random_.Below(2) == 0 ? number : -number);
    }
    // An element that is 0 becomes one of the smallest numbers.
    if (beside == 2 && unit_ > least && !others.empty()) {
      numbers[others.front()] = std::ldexp(static_cast<double>(1 + 2 * random_.Below(2)), least);
    }
    return numbers;
  }

 private:
  std::uint64_t Limit() const { return (std::uint64_t{1} << traits_.digits) - 1; }

  void Take(std::size_t at, std::uint64_t element) {
    elements_[at] = element;
    left_ -= element * element;
  }

  // Makes half of the elements so that their n_i are midpoints, if they can be. Returns the other elements.
  // The first one of them stays 0.
  std::vector<std::size_t> MakeMidpoints() {
    const std::size_t count = weights_.size(), shift = static_cast<std::size_t>(random_.Below(count));
    const std::uint64_t least_left = left_ / 4;
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t at = (k + shift) % count;
      const bool is_other = k + 6 >= count || random_.Below(2) == 0;
      const std::uint64_t element = is_other ? 0 : MidpointElement(weights_[at]);
      if (element == 0 || element * element > left_ - least_left) {
        others.push_back(at);
      } else {
        Take(at, element);
      }
    }
    return others;
  }

  // An element for which n_i is a midpoint, or 0 if there is none.
  std::uint64_t MidpointElement(double weight) {
    const Odd gain = OddOf(plus_one_ ? 1.0 + weight : weight);
    if (gain.integer == 0 || gain.integer >= std::uint64_t{1} << 25) return 0;
    // n_i is (element / root_odd_ * gain.integer) times 2^exponent.
    constexpr int kLeast = TraitsOf(POSENC_F32).least_exponent() - 1;  // of midpoints
    const int exponent = gain.exponent - root_exponent_;
    const std::uint64_t limit = Limit() / root_odd_;
    if (exponent > kLeast || (exponent == kLeast && random_.Below(2) == 0)) {
      // The product has a bit more than a float has place for, or than a result has.
      const int digits = random_.Below(2) == 0 ? 24 : result_digits_;
      const std::uint64_t first = std::uint64_t{1} << digits;
      const std::uint64_t least = (first + gain.integer - 1) / gain.integer,
                          most = std::min((2 * first - 1) / gain.integer, limit);
      if (least > most) return 0;
      std::uint64_t odd = (least + random_.Below(most - least + 1)) | 1;
      if (odd > most) odd -= 2;
      if (odd < least || odd > most) return 0;
      while (odd * 2 <= limit && random_.Below(2) == 0) odd *= 2;
      return root_odd_ * odd;
    }
    if (exponent < kLeast - 20) return 0;
    // A subnormal midpoint is an odd number of halves of the smallest float.
    const auto shift = static_cast<unsigned>(kLeast - exponent);
    constexpr std::uint64_t kLargest = (std::uint64_t{1} << 24) - 1;  // 2^-126 - 2^-150
    const std::uint64_t most = std::min(kLargest / gain.integer, limit >> shift);
    if (kLargest % gain.integer == 0 && kLargest / gain.integer <= most && random_.Below(2) == 0)
      return root_odd_ * (kLargest / gain.integer) << shift;
    return most == 0 ? 0 : root_odd_ * (random_.Below(most) | 1) << shift;
  }

  // Fills up the sum of squares with the other elements.
  void MakeOthers(const std::vector<std::size_t>& others) {
    std::size_t k = 1;
    for (; k + 5 < others.size(); ++k) {
      const std::uint64_t most = Root(left_ / (others.size() - k));
      Take(others[k], std::min(most - random_.Below(most / 8 + 1), Limit()));
    }
    if (k + 5 != others.size()) return;
    Take(others[k], std::min(Root(left_ / 2), Limit()));
    std::uint64_t next = std::min(Root(left_), Limit());
    std::uint64_t parts[3] = {0, 0, 0};
    for (int tries = 0; tries < 8 && next > 0; ++tries, --next) {
      if (SumOfThreeSquares(left_ - next * next, parts)) break;
    }
    Take(others[k + 1], next);
    for (std::size_t n = 0; n < 3; ++n) {
      if (parts[n] <= Limit()) Take(others[k + 2 + n], parts[n]);
    }
  }

  ElementTraits traits_;
  int result_digits_;
  double epsilon_;
  bool plus_one_;
  const std::vector<double>& weights_;
  Random random_;
  std::uint64_t root_odd_;
  int root_exponent_, unit_ = 0;
  std::vector<std::uint64_t> elements_;
  std::uint64_t left_;  // of the sum of squares
};

// A number of about the usual size or, rarely, an infinity, a NaN, 0 or -1.
std::uint64_t OddWeight(posenc_type type, Random* random) {
  constexpr double kOdd[] = {HUGE_VAL, -HUGE_VAL, NAN, 0.0, -0.0, -1.0};
  const std::uint64_t which = random->Below(40);
  if (which < 6) return oracle::Pack(type, kOdd[which]);
  return MakeInput(Inputs::kNormal, type, type, random->Next(), 1.0, 0.0).a;
}

// An odd number with at most the digits of the type, times a power of two.
std::uint64_t DigitsWeight(posenc_type type, bool is_tiny, Random* random) {
  const ElementTraits traits = TraitsOf(type);
  const auto digits = 1 + static_cast<int>(random->Below(static_cast<std::uint64_t>(traits.digits)));
  const std::uint64_t most = std::uint64_t{1} << digits;
  const std::uint64_t odd = (most / 2 + random->Below(most / 2)) | 1;
  int exponent = static_cast<int>(random->Below(7)) - 3 - digits;
  if (is_tiny) {  // less the root's exponent, it is the exponent of subnormal midpoints, or a bit smaller
    constexpr int kExponents[] = {-128, -135, -141, -144};
    exponent = kExponents[random->Below(4)] - static_cast<int>(random->Below(4));
    exponent = std::max(exponent, traits.least_exponent());
    if (random->Below(2) == 0) return oracle::Pack(type, std::ldexp(1.0, exponent));
  }
  const double weight = std::ldexp(static_cast<double>(odd), exponent);
  return oracle::Pack(type, oracle::RoundTo(type, random->Below(4) == 0 ? -weight : weight));
}

// An odd multiple of 2^-24 from 0 to 1, or an odd multiple of 2^-25 from -1/2 to 0. Plus 1 it is a midpoint
// of two floats. Or a number next to 2^-24.
std::uint64_t HalfWeight(posenc_type type, Random* random) {
  const auto digits = 1 + static_cast<int>(random->Below(static_cast<std::uint64_t>(TraitsOf(type).digits)));
  const auto odd = static_cast<double>(random->Below(std::uint64_t{1} << digits) | 1);
  if (random->Below(8) == 0) return oracle::Pack(type, 0x1p-24) + random->Below(3) - 1;
  return oracle::Pack(type, oracle::RoundTo(type, random->Below(2) == 0 ? odd * 0x1p-24 : odd * -0x1p-25));
}

// The float after or before a small odd multiple of 2^-24 or -2^-25, or one or two floats on. If the type has
// only 8 or 11 digits, the number is farther away.
std::uint64_t NearHalfWeight(posenc_type type, Random* random) {
  const auto odd = static_cast<double>(random->Below(8) | 1);
  const std::uint64_t bits =
      oracle::Pack(type, oracle::RoundTo(type, random->Below(2) == 0 ? odd * 0x1p-24 : odd * -0x1p-25));
  return random->Below(2) == 0 ? bits + 1 + random->Below(2) : bits - 1 - random->Below(2);
}

}  // namespace

std::uint64_t MakeWeight(NormWeights kind, posenc_type type, std::uint64_t random) {
  Random next(random);
  const auto input = [&](Inputs inputs) { return MakeInput(inputs, type, type, random, 1.0, 0.0).a; };
  switch (kind) {
    case NormWeights::kNone:
    case NormWeights::kNormal:
      return input(Inputs::kNormal);
    case NormWeights::kAroundOne:
      return input(Inputs::kAroundOne);
    case NormWeights::kDigits:
      return DigitsWeight(type, false, &next);
    case NormWeights::kTinyDigits:
      return DigitsWeight(type, true, &next);
    case NormWeights::kHalves:
      return HalfWeight(type, &next);
    case NormWeights::kNearHalves:
      return NearHalfWeight(type, &next);
    case NormWeights::kTiny:
      return input(Inputs::kTiny);
    case NormWeights::kLarge:
      return input(Inputs::kLarge);
    case NormWeights::kAny:
      return input(Inputs::kAny);
    case NormWeights::kOdd:
      return OddWeight(type, &next);
  }
  return 0;
}

std::vector<std::uint64_t> MakeNormInputs(NormInputs kind, posenc_type type, posenc_type result_type,
                                          double epsilon, bool plus_one, const std::vector<double>& weights,
                                          std::uint64_t random) {
  const std::size_t count = weights.size();
  std::vector<std::uint64_t> bits;
  if (kind == NormInputs::kEqual || count < 16) {  // too few for a given sum of squares
    Random next(random);
    constexpr Inputs kKinds[] = {Inputs::kNormal, Inputs::kNormal, Inputs::kAny, Inputs::kTiny,
                                 Inputs::kLarge};
    const std::uint64_t sign = std::uint64_t{1} << (8 * TraitsOf(type).size - 1);
    const std::uint64_t magnitude = MakeInput(kKinds[next.Below(5)], type, type, random, 1.0, 0.0).a & ~sign;
    for (std::size_t i = 0; i < count; ++i) bits.push_back(magnitude | (next.Below(2) == 0 ? sign : 0));
    return bits;
  }
  TiesMaker maker(type, result_type, epsilon, plus_one, weights, random);
  for (const double x : maker.Make(kind == NormInputs::kBeside)) bits.push_back(oracle::Pack(type, x));
  return bits;
}

}  // namespace tools
}  // namespace posenc
