// Double positions, the caller's frequencies, and double entries, against MPFR.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernel_calls.h"
#include "oracle.h"
#include "per_target.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

constexpr double kPi = 3.14159265358979323846;

// Positions at which something may go wrong, for frequencies near `frequency`.
std::vector<double> HardPositions(double frequency) {
  std::vector<double> positions = {
      0.0,          -0.0,       0.5,      -0.25,    1.0,       1.5,
      -7.0,         0x1p-20,    0x1p-126, 0x1p-149, -0x1p-300, 0x1p-1074,
      -0x1p-1022,   0x1.8p-127, 1e-40,    0x1p31,   -0x1p31,   0x1.fffffffffffffp30,
      0x1p24 + 0.5, 1e9 + 0.1};
  // Next to multiples of pi/2: the double nearest to each, and its neighbours.
  for (const double multiple : {1.0, 2.0, 3.0, 101.0, 65536.0, 1e6 + 1, 1e9 + 3}) {
    const double position = multiple * kPi / 2 / frequency;
    if (std::fabs(position) > 0x1.fffffp30) continue;
    positions.push_back(position);
    positions.push_back(std::nextafter(position, 0.0));
    positions.push_back(-std::nextafter(position, HUGE_VAL));
  }
  // A sine next to a midpoint of floats, of bfloat16s and of float16s: as small as the angle itself.
  for (const double midpoint : {0x1.000003p0, 0x1.01p0, 0x1.fffffdp0, 0x1.002p0}) {
    for (const int exponent : {-12, -13, -14, -24, -40, -80, -100, -120, -126, -140}) {
      positions.push_back(std::ldexp(midpoint, exponent) / frequency);
    }
  }
  return positions;
}

std::vector<double> RandomPositions(std::size_t count, std::uint32_t seed) {
  std::mt19937_64 random(seed);
  std::vector<double> positions;
  for (std::size_t n = 0; n < count; ++n) {
    const int exponent = static_cast<int>(random() % 64) - 32;
    const double mantissa = std::ldexp(static_cast<double>(random() >> 11), -53);
    positions.push_back(std::ldexp(n % 2 == 0 ? mantissa : -mantissa, exponent < 31 ? exponent : 31));
  }
  return positions;
}

std::vector<double> Positions(double frequency, std::size_t random_ones) {
  std::vector<double> positions = HardPositions(frequency);
  for (const double position : RandomPositions(random_ones, 20261121)) positions.push_back(position);
  return positions;
}

std::string Show(const Spec& spec, double position, std::size_t column) {
  char text[200];
  std::snprintf(text, sizeof(text),
                "dim %zu, base %g, scale %a, %zu listed, unit %d: position %a, column %zu", spec.dim,
                spec.base, spec.position_scale, spec.frequencies.count,
                static_cast<int>(spec.frequencies.unit), position, column);
  return text;
}

class Doubles : public PerTarget {
 protected:
  std::size_t RandomOnes() const { return IsReference() ? 20 : 200; }

  // The number of entries that differ from the oracle's, which is asked once for all.
  void ExpectExact(Spec spec, const std::vector<double>& positions) {
    spec.target = target();
    const Encoder encoder = Create(spec);
    ASSERT_EQ(encoder.dim(), spec.dim);
    ForEachType([&](auto type) { Compare<decltype(type)>(spec, encoder, positions); });
    SCOPED_TRACE("double");
    CompareDoubles(spec, encoder, positions);
  }

 private:
  template <class T>
  static void Compare(const Spec& spec, const Encoder& encoder, const std::vector<double>& positions) {
    const oracle::Oracle oracle(spec, kFormat<T>);
    const std::vector<T> got = WriteAt<T>(encoder, positions);
    std::vector<float> sines(oracle.sines()), cosines(oracle.cosines() + 1), row(spec.dim);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      oracle.Row(positions[r], sines.data(), cosines.data());
      oracle::PlaceRow(spec.layout, spec.dim, sines.data(), cosines.data(), row.data());
      for (std::size_t k = 0; k < spec.dim; ++k) {
        ASSERT_TRUE(SameBits(got[r * spec.dim + k], Nearest<T>(static_cast<double>(row[k]))))
            << Show(spec, positions[r], k) << ": " << Value(got[r * spec.dim + k]) << ", exact "
            << oracle.Exact(positions[r], k);
      }
    }
  }

  static void CompareDoubles(const Spec& spec, const Encoder& encoder, const std::vector<double>& positions) {
    const oracle::Oracle oracle(spec);
    const std::vector<double> got = WriteAt<double>(encoder, positions);
    std::vector<double> sines(oracle.sines()), cosines(oracle.cosines() + 1);
    for (std::size_t r = 0; r < positions.size(); ++r) {
      oracle.DoubleRow(positions[r], sines.data(), cosines.data());
      for (std::size_t k = 0; k < spec.dim; ++k) {
        const oracle::Entry entry = oracle::EntryAt(spec.layout, spec.dim, k);
        const double want = (entry.sine ? sines : cosines)[entry.pair];
        ASSERT_TRUE(SameBits(got[r * spec.dim + k], want))
            << Show(spec, positions[r], k) << ": " << got[r * spec.dim + k] << ", exact "
            << oracle.Exact(positions[r], k);
      }
    }
  }
};

TEST_P(Doubles, PositionsOfGeometricSchedules) {
  for (const double base : {10000.0, 500000.0, 0.5}) {
    Spec spec = MakeSpec(22);
    spec.base = base;
    ExpectExact(spec, Positions(1.0, RandomOnes()));
  }
}

// w_i = 10^-i: rational, so that positions can make an angle a midpoint.
TEST_P(Doubles, AnglesThatAreMidpoints) {
  Spec spec = MakeSpec(8);
  std::vector<double> positions = HardPositions(1.0);
  for (const double tens : {10.0, 100.0, 1000.0}) {
    for (const int exponent : {-30, -60, -90, -110, -125}) {
      positions.push_back(std::ldexp(0x1.000003p0 * tens, exponent));
      positions.push_back(-std::ldexp(0x1.01p0 * tens, exponent));
    }
  }
  // Beside an odd number, which is the one nearer to zero.
  for (int k = 0; k < 30; ++k) {
    for (const int exponent : {-118, -126}) {
      positions.push_back(std::ldexp(1.0 + (4 * k * k * k + 3) * 0x1p-24, exponent));
      positions.push_back(-std::ldexp((1.0 + (4 * k + 3) * 0x1p-24) * 100.0, exponent + 20));
    }
  }
  ExpectExact(spec, positions);
  spec.base = 1.0;
  spec.position_scale = 0x1p-100;
  ExpectExact(spec, HardPositions(1.0));
}

// Such an angle and its sine are 2^-200 apart and less: where it is a midpoint, the sine is below it.
TEST_P(Doubles, MidpointsAreDecided) {
  const Encoder encoder = Create(MakeSpec(8, target()));
  const std::vector<double> positions = {0x1.000003p-118, -0x1.000003p-118, 0x1.000007p-120 * 10,
                                         0x1.01p-110};
  std::vector<float> rows(8 * positions.size());
  EXPECT_EQ(ListKernel(encoder, positions, rows.data()).undecided, 0u);
  EXPECT_EQ(rows[0], 0x1.000002p-118f);
  EXPECT_EQ(rows[8], -0x1.000002p-118f);
}

// Frequencies beyond a turn per step: whole positions may leave whole turns out, others may not.
TEST_P(Doubles, LargeFrequencies) {
  for (const double scale : {1e4, -2e9, 0x1.8p20}) {
    Spec spec = MakeSpec(9, nullptr, Layout::kSinCos);
    spec.position_scale = scale;
    std::vector<double> positions = HardPositions(scale);
    for (const double position : RandomPositions(RandomOnes(), 7)) {
      positions.push_back(position);
      positions.push_back(std::nearbyint(position));
    }
    ExpectExact(spec, positions);
  }
}

TEST_P(Doubles, ListedFrequencies) {
  const std::vector<double> doubles = {1.0, -0.1, 0.0, 0x1p-125, 1e-3, 5.0, 3e8, kPi};
  const std::vector<float> floats(doubles.begin(), doubles.end());
  for (const FrequencyUnit unit :
       {FrequencyUnit::kRadians, FrequencyUnit::kHalfTurns, FrequencyUnit::kTurns}) {
    for (const bool is_double : {true, false}) {
      Spec spec = MakeSpec(is_double ? 16 : 15, nullptr, is_double ? Layout::kInterleaved : Layout::kCosSin);
      spec.frequencies.count = doubles.size();
      spec.frequencies.unit = unit;
      if (is_double) {
        spec.frequencies.doubles = doubles.data();
      } else {
        spec.frequencies.floats = floats.data();
      }
      const double frequency = unit == FrequencyUnit::kRadians ? 1.0
                               : unit == FrequencyUnit::kTurns ? 4.0
                                                               : 2.0;
      // In turns, whole multiples of a quarter are exact zeros and ones.
      std::vector<double> positions = Positions(frequency, RandomOnes() / 2);
      for (double eighths = -20.0; eighths < 20.0; ++eighths) positions.push_back(eighths / 8);
      if (is_double || unit != FrequencyUnit::kRadians) ExpectExact(spec, positions);
      spec.position_scale = 0.75;
      ExpectExact(spec, positions);
    }
  }
}

// Exact steps, with all their digits, up to the largest and just beyond, at positions with all theirs.
TEST_P(Doubles, ExactStepsAtLargePositions) {
  const std::vector<double> up_to_12 = {0x1.00001da5161d5p+9,  0x1.fffffffffffffp+9,  0x1p10,
                                        -0x1.23456789abcdfp+8, 0x1.edcba987654321p-3, 0x1.3p-4};
  const std::vector<double> beyond = {0x1.00001da5161d5p+16,  0x1.8p17,  1.0,
                                      0x1.00000000000001p+10, -0x1.fp26, 0.1};
  std::vector<double> positions = {0x1.fffffffffffffp+30, -0x1.fffffffffffffp+30, 0x1p31, 0.75};
  for (const double position : RandomPositions(2 * RandomOnes(), 11)) {
    positions.push_back(position);
    positions.push_back(std::copysign(0x1p31, position) - position);
  }
  for (const std::vector<double>& frequencies : {up_to_12, beyond, std::vector<double>(6, beyond[0])}) {
    for (const FrequencyUnit unit : {FrequencyUnit::kHalfTurns, FrequencyUnit::kTurns}) {
      Spec spec = MakeSpec(12);
      spec.frequencies = {frequencies.data(), nullptr, frequencies.size(), unit};
      ExpectExact(spec, positions);
    }
  }
}

// Runs of rows rotate listed frequencies too, and are what the list of the same positions gives.
TEST_P(Doubles, ListedFrequenciesInRuns) {
  if (IsReference()) GTEST_SKIP() << "nothing rotates";
  std::vector<double> frequencies;
  for (int k = 0; k < 37; ++k) frequencies.push_back(std::ldexp(1.0 + k, -k));
  for (const FrequencyUnit unit :
       {FrequencyUnit::kRadians, FrequencyUnit::kHalfTurns, FrequencyUnit::kTurns}) {
    for (const Layout layout : kLayouts) {
      Spec spec = MakeSpec(74, target(), layout);
      spec.frequencies = {frequencies.data(), nullptr, frequencies.size(), unit};
      const Encoder encoder = Create(spec);
      const std::int64_t first = 1000;
      ForEachType([&](auto type) {
        using T = decltype(type);
        const oracle::Oracle oracle(spec, kFormat<T>);
        std::vector<float> want(200 * spec.dim);
        oracle.Table(first, 200, want.data(), spec.dim);
        const std::vector<T> run = Write<T>(encoder, first, 200);
        for (std::size_t k = 0; k < run.size(); ++k) {
          ASSERT_TRUE(SameBits(run[k], Nearest<T>(static_cast<double>(want[k]))))
              << Show(spec, static_cast<double>(first) + static_cast<double>(k / spec.dim), k % spec.dim)
              << ": " << Value(run[k]) << ", exact " << want[k];
        }
        EXPECT_TRUE(SameBits(WriteAt<T>(encoder, Consecutive<double>(first, 200)), run));
      });
      EXPECT_TRUE(SameBits(WriteAt<double>(encoder, Consecutive<double>(first, 200)),
                           Write<double>(encoder, first, 200)));
    }
  }
}

// A list that is what base would give, but for its rounding to double, is held as exactly.
TEST_P(Doubles, ListsAreCopied) {
  std::vector<double> frequencies = {1.0, 0.5, 0.25};
  Spec spec = MakeSpec(6, target());
  spec.frequencies = {frequencies.data(), nullptr, 3, FrequencyUnit::kTurns};
  const Encoder encoder = Create(spec);
  const auto before = Write(encoder, 0, 8);
  frequencies = {7.0, 7.0, 7.0};
  EXPECT_TRUE(SameBits(Write(encoder, 0, 8), before));
  EXPECT_EQ(encoder.frequencies().Radians(1), kPi);
}

// Found among 80 million entries: what sums of two doubles alone would round the wrong way. (w is 1.)
TEST_P(Doubles, HardestFound) {
  struct Hard {
    double position;
    bool sine;
    double want;
    double bits;  // log2 of the distance from the midpoint, relative to the entry
  };
  for (const Hard& hard : {Hard{0x1.be54e722f94f4p+2, false, 0x1.8aa26d1da61bcp-1, -74.6},
                           Hard{0x1.9ebf395feac8ep-1, true, 0x1.72da875d4895ap-1, -73.5},
                           Hard{0x1.5d31f39cd034dp+2, true, -0x1.78c95ace0ad17p-1, -76.7},
                           Hard{0x1.6ce72003586bep-1, false, 0x1.8360e4a26f8d6p-1, -73.6},
                           Hard{0x1.f59ab6f20dc6cp+1, false, -0x1.6cff646d2387ap-1, -72.7},
                           Hard{0x1.b91123a026d7fp+2, false, 0x1.a41a7ac2524ebp-1, -75.2},
                           Hard{0x1.e8d526a7fe0dap+1, false, -0x1.8ef2f2f9e4763p-1, -74.9},
                           Hard{0x1.325d64d66abaap+1, false, -0x1.7747f17471333p-1, -73.9}}) {
    const auto row = WriteAt<double>(Create(MakeSpec(2, target())), std::vector<double>{hard.position});
    EXPECT_EQ(row[hard.sine ? 0 : 1], hard.want) << hard.position << ", 2^" << hard.bits;
  }
}

// In turns the zeros are exact, and not for the last resort to find.
TEST_P(Doubles, WholeTurnsNeedNoLastResort) {
  if (IsReference()) GTEST_SKIP() << "it is the last resort";
  const std::vector<double> frequencies = {1.0, 2.0, 0.5, 1024.0};
  Spec spec = MakeSpec(8, target());
  spec.frequencies = {frequencies.data(), nullptr, 4, FrequencyUnit::kHalfTurns};
  const Encoder encoder = Create(spec);
  std::vector<float> row(8 * 3);
  EXPECT_EQ(ListKernel(encoder, {1, 2, 5}, row.data()).recomputed, 0u);
  for (std::size_t k = 0; k < row.size(); ++k) {
    if (k % 8 == 4 || k % 8 == 5) continue;  // half a half turn
    EXPECT_TRUE(SameBits(std::fabs(row[k]), k % 2 == 0 ? 0.0f : 1.0f)) << k;
    EXPECT_TRUE(k % 2 != 0 || !std::signbit(row[k])) << k;
  }
}

TEST_P(Doubles, RecipesRoundPositionsToFloat) {
  Spec spec = MakeSpec(10, target());
  spec.recipe = Recipe::kF32PowDiv;
  ExpectExact(spec, Positions(1.0, RandomOnes()));
}

TEST_P(Doubles, AddsAtDoublePositions) {
  const Encoder encoder = Create(MakeSpec(7, target()));
  const std::vector<double> positions = RandomPositions(9, 3);
  const std::vector<float> table = WriteAt(encoder, positions);
  std::vector<float> x(table.size(), 0.1f);
  ASSERT_EQ(encoder.AddAt(positions.data(), positions.size(), x.data(), 7, 3.0f), Status::kOk);
  for (std::size_t k = 0; k < x.size(); ++k) {
    const float product = 0.1f * 3.0f;
    EXPECT_EQ(x[k], product + table[k]) << k;
  }
}

TEST_P(Doubles, DoubleTablesInEveryLayout) {
  for (const Layout layout : kLayouts) {
    for (const std::size_t dim : {1u, 2u, 3u, 31u, 64u, 530u}) {
      Spec spec = MakeSpec(dim, target(), layout);
      const Encoder encoder = Create(spec);
      const std::size_t rows = IsReference() ? 2 : 70, stride = dim + 3;
      const std::vector<double> untouched(rows * stride, -7.0);
      std::vector<double> got = untouched;
      ASSERT_EQ(encoder.Write(-5, rows, got.data(), stride), Status::kOk);
      const oracle::Oracle oracle(spec);
      std::vector<double> sines(oracle.sines()), cosines(oracle.cosines() + 1);
      for (std::size_t r = 0; r < rows; ++r) {
        oracle.DoubleRow(static_cast<double>(r) - 5.0, sines.data(), cosines.data());
        for (std::size_t k = 0; k < stride; ++k) {
          double want = -7.0;
          if (k < dim) {
            const oracle::Entry entry = oracle::EntryAt(layout, dim, k);
            want = (entry.sine ? sines : cosines)[entry.pair];
          }
          ASSERT_TRUE(SameBits(got[r * stride + k], want))
              << Name(layout) << " " << dim << " " << r << " " << k;
        }
      }
      std::vector<unsigned char> bytes(rows * dim * sizeof(double) + 1);
      ASSERT_EQ(encoder.Write(-5, rows, reinterpret_cast<double*>(bytes.data() + 1), dim), Status::kOk);
      for (std::size_t r = 0; r < rows; ++r) {
        ASSERT_EQ(std::memcmp(&bytes[r * dim * sizeof(double) + 1], &got[r * stride], dim * sizeof(double)),
                  0);
      }
    }
  }
}

TEST_P(Doubles, BadPositionsAreRefused) {
  const Encoder encoder = Create(MakeSpec(4, target()));
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {kNan, HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p31, -0x1.0000000000001p31, 1e300}) {
    const std::vector<double> positions = {0.5, bad, 1.0};
    std::vector<float> x(12, 3.0f);
    std::vector<double> y(12, 3.0);
    std::size_t index = 9;
    EXPECT_EQ(encoder.WriteAt(positions.data(), 3, x.data(), 4, &index), Status::kPositionOutOfRange) << bad;
    EXPECT_EQ(index, 1u);
    index = 9;
    EXPECT_EQ(encoder.WriteAt(positions.data(), 3, y.data(), 4, &index), Status::kPositionOutOfRange) << bad;
    EXPECT_EQ(index, 1u);
    EXPECT_EQ(encoder.AddAt(positions.data(), 3, x.data(), 4, 1.0f), Status::kPositionOutOfRange) << bad;
    EXPECT_EQ(x, std::vector<float>(12, 3.0f));
    EXPECT_EQ(y, std::vector<double>(12, 3.0));
  }
  const double good[] = {0x1p31, -0x1p31};
  std::vector<double> y(8);
  EXPECT_EQ(encoder.WriteAt(good, 2, y.data(), 4), Status::kOk);
  EXPECT_EQ(encoder.WriteAt(static_cast<const double*>(nullptr), 1, y.data(), 4), Status::kNullPointer);
  EXPECT_EQ(encoder.WriteAt(y.data(), 1, y.data(), 4), Status::kBuffersOverlap);
}

TEST_P(Doubles, BadListsAreRefused) {
  const std::vector<double> frequencies = {1.0, 0.5};
  const std::vector<float> floats = {1.0f, 0.5f};
  const auto status = [&](auto change) {
    Spec spec = MakeSpec(4, target());
    spec.frequencies = {frequencies.data(), nullptr, 2, FrequencyUnit::kRadians};
    change(&spec);
    Encoder encoder;
    const Status result = Encoder::Create(spec, &encoder);
    EXPECT_EQ(encoder.dim(), result == Status::kOk ? 4u : 0u);
    return result;
  };
  EXPECT_EQ(status([](Spec*) {}), Status::kOk);
  EXPECT_EQ(status([](Spec* s) { s->frequencies.count = 1; }), Status::kBadFrequencies);
  EXPECT_EQ(status([](Spec* s) { s->frequencies.count = SIZE_MAX; }), Status::kBadFrequencies);
  EXPECT_EQ(status([](Spec* s) { s->frequencies.doubles = nullptr; }), Status::kBadFrequencies);
  EXPECT_EQ(status([&](Spec* s) { s->frequencies.floats = floats.data(); }), Status::kBadFrequencies);
  EXPECT_EQ(status([](Spec* s) { s->frequencies.unit = static_cast<FrequencyUnit>(3); }),
            Status::kBadFrequencies);
  EXPECT_EQ(status([](Spec* s) { s->recipe = Recipe::kF32PowDiv; }), Status::kBadFrequencies);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL}) {
    const double list[] = {1.0, bad};
    EXPECT_EQ(status([&](Spec* s) { s->frequencies.doubles = list; }), Status::kBadFrequencies);
  }
  for (const double bad : {0x1p-127, 0x1.0000000000001p31, -1e300, 1e-320}) {
    const double list[] = {1.0, bad};
    EXPECT_EQ(status([&](Spec* s) { s->frequencies.doubles = list; }), Status::kFrequencyOutOfRange) << bad;
  }
  // The unit counts even where there is no list.
  EXPECT_EQ(status([](Spec* s) {
              s->frequencies = {nullptr, nullptr, 0, static_cast<FrequencyUnit>(3)};
            }),
            Status::kBadFrequencies);
  EXPECT_EQ(status([](Spec* s) {
              s->frequencies = {nullptr, nullptr, 0, FrequencyUnit::kTurns};
            }),
            Status::kOk);
  const double underflows[] = {1e-300, 1e300};
  EXPECT_EQ(status([&](Spec* s) {
              s->frequencies.doubles = underflows;
              s->position_scale = 1e-300;
            }),
            Status::kFrequencyOutOfRange);
  const double two[] = {1.0, 0x1p30};
  EXPECT_EQ(status([&](Spec* s) {
              s->frequencies.doubles = two;
              s->frequencies.unit = FrequencyUnit::kTurns;
            }),
            Status::kFrequencyOutOfRange);
}

TEST_P(Doubles, AListOfAnyAlignmentOutsideTheMemory) {
  std::vector<unsigned char> memory(1 << 16);
  const double frequencies[] = {1.0, 0.5};
  std::memcpy(&memory[1], frequencies, sizeof(frequencies));
  Spec spec = MakeSpec(4, target());
  spec.frequencies.doubles = reinterpret_cast<const double*>(&memory[1]);
  spec.frequencies.count = 2;
  Encoder encoder;
  EXPECT_EQ(Encoder::CreateIn(spec, memory.data(), memory.size(), &encoder), Status::kBuffersOverlap);
  ASSERT_EQ(Encoder::CreateIn(spec, memory.data() + 17, memory.size() - 17, &encoder), Status::kOk);
  EXPECT_EQ(encoder.frequencies().Radians(1), 0.5);
}

POSENC_INSTANTIATE_PER_TARGET(Doubles);

}  // namespace
}  // namespace posenc
