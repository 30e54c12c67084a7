#include "number/exact.h"

#include "verify/lists.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <random>

namespace posenc {
namespace tools {
namespace {

using Numbers = std::vector<double>;

constexpr double kPi = 3.14159265358979323846;

template <class Make>
Numbers Sequence(int count, const Make& make) {
  Numbers numbers;
  for (int k = 0; k < count; ++k) numbers.push_back(make(k));
  return numbers;
}

double Fraction(int k) { return k * 0.37 - 3.0; }  // of no special kind

// Next to multiples of pi/2 that grow so, and perhaps beyond these.
void AppendQuarters(double growth, bool twice, Numbers* positions) {
  for (double multiple = 1.0; multiple < 0x1p30; multiple = growth * multiple + 1.0) {
    const double position = multiple * 0x1.921fb54442d18p0;
    positions->push_back(position);
    if (twice) positions->push_back(-std::nextafter(position, HUGE_VAL));
  }
}

// Small positions whose angles lie next to midpoints, where w is 1, and whose entries are subnormal.
Numbers Small() {
  Numbers positions = {0.0, -0.0, 0x1p-126, 0x1.8p-127, -0x1p-149, 0x1p-150, 0x1p-1022, -0x1p-1074};
  for (int exponent = -8; exponent > -160; exponent -= 8) {
    positions.push_back(std::ldexp(0x1.000003p0, exponent));
    positions.push_back(-std::ldexp(0x1.01p0, exponent));
    positions.push_back(std::ldexp(0x1.002p0, exponent));
    positions.push_back(-std::ldexp(0x1.1c71c71c71c71p0, 4 * exponent));
  }
  return positions;
}

// Up to the ends of the range.
Numbers Large() {
  Numbers positions = {0x1p31, -0x1p31, 0x1.fffffffffffffp30, 0x1p24 + 0.5, -1e9 - 0.1};
  AppendQuarters(3.0, true, &positions);
  return positions;
}

// Of no special kind, tiny, and beside multiples of pi/2.
Numbers Real() {
  Numbers positions = {0.5,  0.37,     -77.7,       1e6 + 0.3,       0x1p-20,
                       -0.0, 0x1p-149, 0x1.8p-1022, -0x1.000003p-60, 0x1.fffffffffffffp30};
  AppendQuarters(47.0, false, &positions);
  return positions;
}

Numbers Floats() {
  Numbers positions = {0.0, -0.0, 0x1p31, -0x1p31, 0x1.fffffep30, 0x1p-149, -0x1.8p-127, 0x1.000002p-126};
  for (int k = 0; k < 24; ++k) positions.push_back(static_cast<double>(static_cast<float>(Fraction(k))));
  return positions;
}

// Positions at which rounding is hard for frequencies near `frequency`.
Numbers Hard(double frequency) {
  Numbers positions = {0.0,          -0.0,       0.5,      -0.25,    1.0,       1.5,
                       -7.0,         0x1p-20,    0x1p-126, 0x1p-149, -0x1p-300, 0x1p-1074,
                       -0x1p-1022,   0x1.8p-127, 1e-40,    0x1p31,   -0x1p31,   0x1.fffffffffffffp30,
                       0x1p24 + 0.5, 1e9 + 0.1};
  // The double nearest to a multiple of pi/2, and its neighbours.
  for (const double multiple : {1.0, 2.0, 3.0, 101.0, 65536.0, 1e6 + 1, 1e9 + 3}) {
    const double position = multiple * kPi / 2 / frequency;
    if (std::fabs(position) > 0x1.fffffp30) continue;
    positions.push_back(position);
    positions.push_back(std::nextafter(position, 0.0));
    positions.push_back(-std::nextafter(position, HUGE_VAL));
  }
  // Angles so small that the sine is next to the angle, which is a midpoint of two floats, bfloat16s or
  // float16s.
  for (const double midpoint : {0x1.000003p0, 0x1.01p0, 0x1.fffffdp0, 0x1.002p0}) {
    for (const int exponent : {-12, -13, -14, -24, -40, -80, -100, -120, -126, -140}) {
      positions.push_back(std::ldexp(midpoint, exponent) / frequency);
    }
  }
  return positions;
}

// Positions that are midpoints of two numbers, or are midpoints divided by 10, 100 or 1000.
Numbers Midpoints() {
  Numbers positions;
  for (const double tens : {10.0, 100.0, 1000.0}) {
    for (const int exponent : {-30, -60, -90, -110, -125}) {
      positions.push_back(std::ldexp(0x1.000003p0 * tens, exponent));
      positions.push_back(-std::ldexp(0x1.01p0 * tens, exponent));
    }
  }
  // Next to an odd number, which is the neighbour closer to zero.
  for (int k = 0; k < 30; ++k) {
    for (const int exponent : {-118, -126}) {
      positions.push_back(std::ldexp(1.0 + (4 * k * k * k + 3) * 0x1p-24, exponent));
      positions.push_back(-std::ldexp((1.0 + (4 * k + 3) * 0x1p-24) * 100.0, exponent + 20));
    }
  }
  return positions;
}

// Times 1.5 they are midpoints of doubles, so small that even 1,024 bits do not show that the sine is below.
Numbers TinyMidpoints() {
  Numbers positions;
  for (const int exponent : {-80, -120, -300, -511, -513, -600, -1000, -1021}) {
    for (const double mantissa : {0x1.0000000000001p0, -0x1.0000000000003p0, 0x1.4000000000001p0, 0x1.4p0}) {
      positions.push_back(std::ldexp(mantissa, exponent));
    }
  }
  return positions;
}

// Random numbers of every size, up to the ends of the range.
Numbers Random(std::size_t count, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  Numbers positions;
  for (std::size_t n = 0; n < count; ++n) {
    const int exponent = static_cast<int>(random() % 64) - 32;
    const double mantissa = std::ldexp(static_cast<double>(random() >> 11), -53);
    positions.push_back(std::ldexp(n % 2 == 0 ? mantissa : -mantissa, exponent < 31 ? exponent : 31));
  }
  return positions;
}

Numbers AsFloats(Numbers numbers) {
  for (double& number : numbers) number = static_cast<double>(static_cast<float>(number));
  return numbers;
}

// The same numbers, and for each number what make(number) gives.
template <class Make>
Numbers With(const Numbers& numbers, const Make& make) {
  Numbers both;
  for (const double number : numbers) both.insert(both.end(), {number, make(number)});
  return both;
}

// Also positions at the end of the range.
Numbers WithEnds(Numbers positions) {
  positions.insert(positions.end(), {-0.0, 0x1p31, 0x1p31 - 0.125});
  return positions;
}

Numbers RandomIntegers() {
  std::mt19937_64 random(3);
  return Sequence(
      64, [&](int) { return static_cast<double>(random() % ((std::uint64_t{1} << 32) + 1)) - 0x1p31; });
}

// Integers of every size. float32 rounds those above 2^24.
Numbers IntegersOfEverySize() {
  Numbers positions = {0, 1, -1, 4095, 0x1p24 + 1, -0x1p24 - 3, 0x1p31, -0x1p31, 0x1p31 - 1};
  std::mt19937_64 random(11);
  for (int bits = 2; bits <= 31; ++bits) {
    positions.push_back(static_cast<double>(random() % (std::uint64_t{1} << bits)));
  }
  return positions;
}

// Numerators of convergents of pi, and numbers near them: their sine or their cosine is nearly 0.
Numbers NearMultiplesOfPi() {
  Numbers positions;
  for (const double p :
       {3.0,        11.0,       22.0,        333.0,       355.0,       710.0,       103993.0,
        104348.0,   208341.0,   312689.0,    833719.0,    1146408.0,   4272943.0,   5419351.0,
        80143857.0, 85563208.0, 165707065.0, 245850922.0, 411557987.0, 1068966896.0}) {
    for (const double multiple : {p, 2 * p, -p}) {
      if (multiple <= 0x1p31) positions.push_back(multiple);
    }
  }
  return positions;
}

// Some fractions, less 2, are closer to a midpoint of two 16-bit numbers than any float.
Numbers BesideMidpoints() {
  Numbers positions = {9, 0.375, -1e-3, 65519.5, 70000.25, 9, 9, 1e9 + 0.5, -9, 0, 9};
  for (const double middle : {4 + 0x1p-7, 4 + 0x3p-10, -0x1p-10, -0x3p-7}) {
    positions.insert(positions.end(), {middle - 0x1p-40, middle + 0x1p-40});
  }
  return positions;
}

// Positions in range, and after every second one a position that is NaN or out of range. There are so many
// that the library takes them in two blocks.
Numbers WithBad(const Numbers& good, const Numbers& bad) {
  return Sequence(70, [&](int k) {
    const auto at = static_cast<std::size_t>(k);
    return k % 3 == 1 ? bad[at / 3 % bad.size()] : good[at % good.size()];
  });
}

// Integers and fractions, small and large, and positions so small that only many bits show the sine.
Numbers OfRotaries() {
  return {0.0,          1.0,           -1.0, 7.0,       131071.0,  1048575.0,       0x1p31,
          -0x1p31,      0.5,           1e-3, -0.0,      1e-9,      0x1.000003p-100, 0x1p-1000,
          2147483647.0, -1999999973.0, 12.5, 0x1p-1074, -0x1p-1012};
}

// Consecutive positions: integers and fractions, some nearly integers, up to 0 and across it. Some only look
// consecutive.
Numbers NearlyRuns() {
  Numbers positions = {0.5, 1.5, 2.5, 0x1p-54, 1.0, 2.0, 7.0, 14.0, 22.0, 5.0, 5.0, 4.0, -1.0, 0x1p-54};
  for (const double first : {-3.0, 131060.0, 0x1p31 - 3.0}) {
    for (int k = 0; k < (first < 0.0 ? 20 : 4); ++k) positions.push_back(first + k);
  }
  return positions;
}

std::map<std::string, Numbers> NamedLists() {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  return {
      // Positions.
      {"fractions_24", Sequence(24, Fraction)},
      {"fractions_40", Sequence(40, Fraction)},
      {"eighths", Sequence(81, [](int k) { return (k - 40) / 8.0; })},
      {"primes", Sequence(32, [](int k) { return k * 134217721.0 - 0x1p31; })},  // steps of a prime
      {"small", Small()},
      {"large", Large()},
      {"real", Real()},
      {"floats", Floats()},
      {"far", {0, 1, -3, 4095, 131071, 999999, 0x1p24 + 1, 1234567890, 0x1p31 - 1, -0x1p31}},
      {"hard", Hard(1.0)},
      {"hard_2", Hard(2.0)},
      {"hard_4", Hard(4.0)},
      {"hard_1e4", Hard(1e4)},
      {"hard_2e9", Hard(-2e9)},
      {"hard_3p19", Hard(0x3p19)},
      {"midpoints", Midpoints()},
      {"tiny_midpoints", TinyMidpoints()},
      {"beside_midpoints", BesideMidpoints()},
      {"random_200", Random(200, 20261121)},
      {"random_floats", AsFloats(Random(60, 3))},
      {"random_and_nearest", With(Random(100, 7), [](double p) { return std::nearbyint(p); })},
      {"random_and_far", With(Random(100, 11), [](double p) { return std::copysign(0x1p31, p) - p; })},
      {"random_integers", RandomIntegers()},
      {"integers", IntegersOfEverySize()},
      {"near_pi", NearMultiplesOfPi()},
      {"bad_doubles", WithBad({0.5, -0x1p31, 1e6 + 0.3, 0.0, 0x1p31},
                              {kNaN, HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p31, -kNaN, -1e300})},
      {"bad_floats",
       WithBad({0.5, -0x1p31, 0x1p31, 77.0}, {kNaN, HUGE_VAL, -HUGE_VAL, 0x1.000002p31, -0x1p127})},
      {"bad_integers",
       WithBad({5, -0x1p31, 0x1p31, 0}, {0x1p31 + 1, -0x1p31 - 1, -0x1p63, 0x1.fffffffffffffp62})},
      {"rotary", OfRotaries()},
      {"nearly_runs", NearlyRuns()},
      {"eighths_of_turns", WithEnds(Sequence(41, [](int k) { return (k - 20) / 8.0; }))},
      {"thirds", Sequence(9, [](int k) { return 6.75 * (k - 4); })},
      {"axes",
       {0.0, 7.0, -131071.0, 0.5, 0x1p31, 1e-3, -2.0, 1048575.0, 3.0, 0x1p-1000, 100.0, 40, 41, 42, 43, 44,
        45}},
      // Frequencies and factors.
      {"mostly_0",
       Sequence(101, [](int i) { return i < 17    ? std::ldexp(1.4, -i / 2)
                                        : i == 70 ? 0.7
                                                  : 0.0; })},
      {"near_eighths", Sequence(36, [](int i) { return (2 * i + 1) * kPi / 8.0; })},  // in radians
      {"halving_0_37", Sequence(37, [](int k) { return k == 1 ? 0.0 : std::ldexp(1.0 + k, -k); })},
      {"halving_37", Sequence(37, [](int k) { return std::ldexp(1.0 + k, -k); })},
      {"slow_64", Sequence(64, [](int k) { return std::ldexp(1.0 + k, -(k / 2 + 6)); })},
      {"signed_64", Sequence(64, [](int k) { return std::ldexp(1.0 + k, -k) * (k % 5 == 4 ? -1.0 : 1.0); })},
      {"factors_64", Sequence(64, [](int k) { return 1.0 + 0.0625 * k; })},
      {"long_factors_64", Sequence(64, [](int k) { return 1.1 + 0.7 * k; })},
      {"float_factors_64",
       Sequence(64, [](int k) { return static_cast<double>(1.0f + 0.3f * static_cast<float>(k)); })}};
}

}  // namespace

const NumberList* ListNamed(const std::string& name) {
  static const std::map<std::string, NumberList> named = [] {
    std::map<std::string, NumberList> lists;
    for (const auto& [its, numbers] : NamedLists()) lists[its] = {numbers, {numbers.begin(), numbers.end()}};
    return lists;
  }();
  const auto found = named.find(name);
  return found == named.end() ? nullptr : &found->second;
}

}  // namespace tools
}  // namespace posenc
