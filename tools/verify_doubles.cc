#include "verify_doubles.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

#include "encoding.h"
#include "options.h"
#ifdef POSENC_HAVE_MPFR
#include "oracle.h"
#endif

namespace posenc {
namespace tools {
namespace {

using oracle::Format;

// One encoding at a list of positions. Each is written as float, BFloat16, Float16 and double.
struct ListCase {
  Spec spec;                        // without a target and without a list
  std::vector<double> frequencies;  // if not empty
  std::vector<float> floats;        // instead of those
  FrequencyUnit unit = FrequencyUnit::kRadians;
  std::vector<double> positions;
  bool is_run = false;  // positions that follow each other, for Write

  std::size_t listed() const { return frequencies.size() + floats.size(); }

  Spec SpecFor(const char* target) const {
    Spec copy = spec;
    copy.target = target;
    copy.frequencies = {frequencies.empty() ? nullptr : frequencies.data(),
                        floats.empty() ? nullptr : floats.data(), listed(), unit};
    return copy;
  }
};

// -3, -2.63, ...: of no special kind.
std::vector<double> Fractions(std::size_t count) {
  std::vector<double> positions;
  for (std::size_t r = 0; r < count; ++r) positions.push_back(static_cast<double>(r) * 0.37 - 3.0);
  return positions;
}

// Small ones whose angles lie next to midpoints, where w is 1, and whose entries are subnormal.
std::vector<double> SmallPositions() {
  std::vector<double> positions = {0.0,       -0.0,     0x1p-126,  0x1.8p-127,
                                   -0x1p-149, 0x1p-150, 0x1p-1022, -0x1p-1074};
  for (int exponent = -8; exponent > -160; exponent -= 8) {
    positions.push_back(std::ldexp(0x1.000003p0, exponent));
    positions.push_back(-std::ldexp(0x1.01p0, exponent));
    positions.push_back(std::ldexp(0x1.002p0, exponent));
    positions.push_back(-std::ldexp(0x1.1c71c71c71c71p0, 4 * exponent));
  }
  return positions;
}

// Next to multiples of pi/2, up to the end of the range.
std::vector<double> LargePositions() {
  std::vector<double> positions = {0x1p31, -0x1p31, 0x1.fffffffffffffp30, 0x1p24 + 0.5, -1e9 - 0.1};
  for (double multiple = 1.0; multiple < 0x1p30; multiple = 3.0 * multiple + 1.0) {
    const double position = multiple * 0x1.921fb54442d18p0;
    positions.push_back(position);
    positions.push_back(-std::nextafter(position, HUGE_VAL));
  }
  return positions;
}

std::vector<double> Eighths() {
  std::vector<double> positions;
  for (int k = -40; k <= 40; ++k) positions.push_back(k / 8.0);
  return positions;
}

std::vector<double> Run(std::int64_t first, std::size_t count) {
  std::vector<double> positions;
  for (std::size_t r = 0; r < count; ++r) {
    positions.push_back(static_cast<double>(first) + static_cast<double>(r));
  }
  return positions;
}

ListCase MakeCase(std::size_t dim, std::vector<double> positions, double base = 10000.0) {
  ListCase c;
  c.spec.dim = dim;
  c.spec.base = base;
  c.positions = std::move(positions);
  return c;
}

constexpr FrequencyUnit kUnits[] = {FrequencyUnit::kRadians, FrequencyUnit::kHalfTurns,
                                    FrequencyUnit::kTurns};

// What came with version 3 of the digest.
std::vector<ListCase> Cases3() {
  std::vector<ListCase> cases;
  for (const Layout layout : {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin}) {
    for (const std::size_t dim : {1u, 2u, 11u, 64u}) {
      cases.push_back(MakeCase(dim, Fractions(24)));
      cases.back().spec.layout = layout;
    }
  }
  for (const double base : {10000.0, 500000.0, 0.5}) {
    cases.push_back(MakeCase(32, SmallPositions(), base));
    cases.push_back(MakeCase(32, LargePositions(), base));
  }
  cases.push_back(MakeCase(8, SmallPositions()));  // w_i = 10^-i
  for (const double scale : {1e6, -0x1.8p-100}) {
    for (const std::vector<double>& positions : {Fractions(40), LargePositions(), Eighths()}) {
      cases.push_back(MakeCase(16, positions));
      cases.back().spec.position_scale = scale;
    }
  }
  cases.push_back(MakeCase(16, Fractions(40)));
  cases.back().spec.recipe = Recipe::kF32PowDiv;
  for (const FrequencyUnit unit : kUnits) {
    for (const std::vector<double>& positions : {Eighths(), SmallPositions(), LargePositions()}) {
      cases.push_back(MakeCase(15, positions));
      cases.back().frequencies = {1.0, -0.1, 0.0, 0x1p-126, 5.0, 3e8, 0.0625, 0x1.921fb54442d18p1};
      cases.back().unit = unit;
    }
  }
  return cases;
}

// Version 4: steps that are exact, with all their digits, up to the largest and beyond it; lists in runs of
// rows, and lists of floats.
std::vector<ListCase> Cases4() {
  std::vector<ListCase> cases;
  const std::vector<double> exact = {0x1.00001da5161d5p+9,  0x1.fffffffffffffp+9, 0x1p10,
                                     -0x1.23456789abcdfp+8, 0x1.edcba98765432p-3, 0x1.3p-4};
  const std::vector<double> beyond = {0x1.00001da5161d5p+16, 0x1.8p17,  1.0,
                                      0x1.0000000000001p+10, -0x1.fp26, 0.1};
  for (const std::vector<double>& frequencies : {exact, beyond}) {
    for (const FrequencyUnit unit : {FrequencyUnit::kHalfTurns, FrequencyUnit::kTurns}) {
      for (const std::vector<double>& positions : {LargePositions(), Fractions(40)}) {
        cases.push_back(MakeCase(12, positions));
        cases.back().frequencies = frequencies;
        cases.back().unit = unit;
      }
    }
  }
  std::vector<float> floats(37);
  for (int k = 0; k < 37; ++k) {
    floats[static_cast<std::size_t>(k)] = std::ldexp(1.0f + static_cast<float>(k), -k);
  }
  for (const FrequencyUnit unit : kUnits) {
    for (const Layout layout : {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin}) {
      for (const double scale : {1.0, -0.3}) {
        cases.push_back(MakeCase(73, Run(layout == Layout::kSinCos ? -kMaxPosition : 1000, 130)));
        cases.back().spec.layout = layout;
        cases.back().spec.position_scale = scale;
        cases.back().floats = floats;
        cases.back().unit = unit;
        cases.back().is_run = true;
      }
    }
  }
  return cases;
}

// Rows of each type; [positions, dim] of the case.
struct Rows {
  std::vector<float> f32;
  std::vector<BFloat16> bf16;
  std::vector<Float16> f16;
  std::vector<double> f64;
};

template <class Visit>
void ForEachType(Rows& rows, const Visit& visit) {
  visit("f32", &rows.f32);
  visit("bf16", &rows.bf16);
  visit("f16", &rows.f16);
  visit("f64", &rows.f64);
}

Rows RowsOf(const ListCase& c, const char* target) {
  Encoder encoder;
  Require(Encoder::Create(c.SpecFor(target), &encoder));
  Rows rows;
  ForEachType(rows, [&](const char*, auto* entries) {
    const std::size_t count = c.positions.size(), dim = c.spec.dim;
    entries->resize(count * dim);
    const auto first = static_cast<std::int64_t>(c.positions[0]);
    Require(c.is_run ? encoder.Write(first, count, entries->data(), dim)
                     : encoder.WriteAt(c.positions.data(), count, entries->data(), dim));
  });
  return rows;
}

#ifdef POSENC_HAVE_MPFR

template <class T>
T EntryOf(Format format, float value) {
  if constexpr (std::is_same_v<T, float>) {
    return value;
  } else {
    return {static_cast<std::uint16_t>(oracle::Pack(format, value))};
  }
}

template <class T>
void ExpectRows(const ListCase& c, Format format, std::vector<T>* entries) {
  const oracle::Oracle oracle(c.SpecFor(nullptr), format);
  std::vector<float> sines(oracle.sines()), cosines(oracle.cosines() + 1), row(c.spec.dim);
  for (const double position : c.positions) {
    oracle.Row(position, sines.data(), cosines.data());
    oracle::PlaceRow(c.spec.layout, c.spec.dim, sines.data(), cosines.data(), row.data());
    for (const float value : row) entries->push_back(EntryOf<T>(format, value));
  }
}

Rows ExpectedRows(const ListCase& c) {
  Rows rows;
  ExpectRows(c, Format::kFloat32, &rows.f32);
  ExpectRows(c, Format::kBFloat16, &rows.bf16);
  ExpectRows(c, Format::kFloat16, &rows.f16);
  const oracle::Oracle oracle(c.SpecFor(nullptr));
  std::vector<double> sines(oracle.sines()), cosines(oracle.cosines() + 1);
  for (const double position : c.positions) {
    oracle.DoubleRow(position, sines.data(), cosines.data());
    for (std::size_t column = 0; column < c.spec.dim; ++column) {
      const oracle::Entry entry = oracle::EntryAt(c.spec.layout, c.spec.dim, column);
      rows.f64.push_back((entry.sine ? sines : cosines)[entry.pair]);
    }
  }
  return rows;
}

std::string Exact(const ListCase& c, double position, std::size_t column) {
  return oracle::Oracle(c.SpecFor(nullptr)).Exact(position, column);
}

#else

Rows ExpectedRows(const ListCase& c) { return RowsOf(c, kReferenceName); }
std::string Exact(const ListCase&, double, std::size_t) { return "unknown without MPFR"; }

#endif

template <class T>
std::uint64_t BitsOf(const T& entry) {
  if constexpr (std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>) {
    return entry.bits;
  } else {
    std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t> bits;
    std::memcpy(&bits, &entry, sizeof(bits));
    return bits;
  }
}

std::string Describe(const ListCase& c, const char* type, std::size_t k, std::uint64_t got,
                     std::uint64_t want) {
  const double position = c.positions[k / c.spec.dim];
  char text[160];
  std::snprintf(text, sizeof(text),
                ", %zu listed frequencies, position %a, column %zu: got 0x%llx, expected 0x%llx", c.listed(),
                position, k % c.spec.dim, static_cast<unsigned long long>(got),
                static_cast<unsigned long long>(want));
  return std::string(c.is_run ? ": Write " : ": WriteAt ") + type + ", " + tools::Describe(c.spec) + text +
         "; exact " + Exact(c, position, k % c.spec.dim);
}

template <class T>
void Compare(const ListCase& c, std::size_t number, const char* type, const std::vector<T>& got,
             const std::vector<T>& want, Report* report) {
  report->entries += got.size();
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (BitsOf(got[k]) == BitsOf(want[k])) continue;
    ++report->mismatches;
    if (report->examples.size() >= kMaxExamples) continue;
    const std::size_t row = k / c.spec.dim, column = k % c.spec.dim;
    const std::string text = Describe(c, type, k, BitsOf(got[k]), BitsOf(want[k]));
    MergeExamples({{number, row, column, report->target + text}}, &report->examples);
  }
}

}  // namespace

void VerifyDoubles(const Plan& plan, std::vector<Report>* reports) {
  std::size_t number = plan.digest_cases.size() + plan.more_cases.size();
  const auto verify = [&](const std::vector<ListCase>& cases) {
    for (const ListCase& c : cases) {
      Rows want = plan.compare ? ExpectedRows(c) : Rows();
      for (Report& report : *reports) {
        Rows got = RowsOf(c, report.target.c_str());
        ForEachType(got, [&](const char*, auto* entries) {
          for (const auto& entry : *entries) report.digest.AppendBytes(BitsOf(entry), sizeof(entry));
        });
        if (!plan.compare) continue;
        Compare(c, number, "f32", got.f32, want.f32, &report);
        Compare(c, number, "bf16", got.bf16, want.bf16, &report);
        Compare(c, number, "f16", got.f16, want.f16, &report);
        Compare(c, number, "f64", got.f64, want.f64, &report);
      }
      ++number;
    }
  };
  verify(Cases3());
  for (Report& report : *reports) report.digests[2] = report.digest.value();
  verify(Cases4());
  for (Report& report : *reports) report.digests[3] = report.digest.value();
}

}  // namespace tools
}  // namespace posenc
