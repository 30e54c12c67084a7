#include "verify/judge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <limits>
#include <tuple>
#include <utility>

#include "oracle/format.h"

namespace posenc {
namespace tools {

// A broken target has mismatches by the million; so many errors of a comparison are measured.
constexpr std::uint64_t kMaxMeasured = 1000;

Findings& Findings::operator+=(const Findings& other) {
  entries += other.entries;
  mismatches += other.mismatches;
  worst_ulp = std::max(worst_ulp, other.worst_ulp);
  tally += other.tally;
  examples.insert(examples.end(), other.examples.begin(), other.examples.end());
  std::sort(examples.begin(), examples.end(), [](const Example& a, const Example& b) {
    return std::tie(a.case_number, a.row, a.column) < std::tie(b.case_number, b.row, b.column);
  });
  if (examples.size() > kMaxExamples) examples.resize(kMaxExamples);
  return *this;
}

#ifdef POSENC_HAVE_MPFR

namespace {

bool IsPosition(double p) { return std::fabs(p) <= 0x1p31; }  // no NaN is

}  // namespace

// What is added to has been rounded to float32.
Judge::Judge(const Case& c) : case_(c), oracle_(c.spec, c.add ? POSENC_F32 : c.type) {}

Expected Judge::Expect(std::size_t row, std::size_t rows) const {
  const std::size_t dim = case_.spec.dim;
  Expected expected;
  std::vector<double> values(rows * dim);
  if (case_.list == 0) {
    const auto first = static_cast<std::int64_t>(case_.Position(row));
    expected.distances = oracle_.Rows(first, rows, values.data());
  } else {
    for (std::size_t r = 0; r < rows; ++r) {
      if (IsPosition(case_.Position(row + r))) {
        oracle_.Row(case_.Position(row + r), &values[r * dim]);
      } else {
        std::fill_n(&values[r * dim], dim, std::numeric_limits<double>::quiet_NaN());
      }
    }
  }
  if (case_.add) {
    expected.distances = {};
    for (std::size_t i = 0; i < rows * dim; ++i) {
      const std::uint64_t bits = AddInput(case_, row + i / dim, i % dim);
      const auto x = static_cast<float>(oracle::Unpack(case_.type, bits));
      const float product = x * case_.scale;
      const float sum = product + static_cast<float>(values[i]);
      values[i] = oracle::RoundTo(case_.type, static_cast<double>(sum));
    }
  }
  expected.entries.Reset(case_.type, rows * dim);
  for (std::size_t i = 0; i < rows * dim; ++i) expected.entries.Set(i, oracle::Pack(case_.type, values[i]));
  return expected;
}

std::vector<Expected> Judge::ExpectShared(std::size_t row, std::size_t rows) const {
  std::vector<Expected> expected(std::size(kSharedTypes));
  for (std::size_t k = 0; k < expected.size(); ++k) {
    expected[k].entries.Reset(kSharedTypes[k], rows * case_.spec.dim);
  }
  const auto distances = oracle_.AllTables(static_cast<std::int64_t>(case_.Position(row)), rows,
                                           {static_cast<std::uint32_t*>(expected[0].entries.data()),
                                            static_cast<std::uint16_t*>(expected[1].entries.data()),
                                            static_cast<std::uint16_t*>(expected[2].entries.data())});
  for (std::size_t k = 0; k < expected.size(); ++k) expected[k].distances = distances[k];
  return expected;
}

double Judge::Ulp(double got, std::size_t row, std::size_t column) const {
  if (!IsPosition(case_.Position(row))) return std::numeric_limits<double>::infinity();
  return oracle_.Ulp(got, case_.Position(row), column);
}

std::string Judge::Exact(std::size_t row, std::size_t column) const {
  return IsPosition(case_.Position(row)) ? oracle_.Exact(case_.Position(row), column) : "NaN";
}

#else

Judge::Judge(const Case& c) : case_(c), reference_(std::move(MakeEncoders(c.spec, {kReferenceName})[0])) {}

Expected Judge::Expect(std::size_t row, std::size_t rows) const {
  Expected expected;
  RunCase(case_, reference_, row, rows, &expected.entries);
  return expected;
}

std::vector<Expected> Judge::ExpectShared(std::size_t, std::size_t) const { return {}; }

double Judge::Ulp(double, std::size_t, std::size_t) const { return 0.0; }

std::string Judge::Exact(std::size_t, std::size_t) const { return "unknown without MPFR"; }

#endif

Findings Judge::Compare(const Entries& expected, const Entries& got, const std::string& target,
                        std::size_t case_number, std::size_t row) const {
  const std::size_t dim = case_.spec.dim;
  Findings found;
  for (std::size_t i = 0; i < got.count(); ++i) {
    if (got[i] == expected[i]) continue;
    const std::size_t r = row + i / dim, column = i % dim;
    if (++found.mismatches <= kMaxMeasured && !case_.add) {
      found.worst_ulp = std::max(found.worst_ulp, Ulp(oracle::Unpack(case_.type, got[i]), r, column));
    }
    if (found.mismatches > kMaxExamples) continue;
    found.examples.push_back(
        {case_number, r, column, target + ": " + Describe(got[i], expected[i], r, column)});
  }
  return found;
}

std::string Judge::Describe(std::uint64_t got, std::uint64_t expected, std::size_t row,
                            std::size_t column) const {
  const auto show = [&](std::uint64_t bits) { return ShowEntry(case_.type, bits); };
  char place[64];
  std::snprintf(place, sizeof(place), ", position %.17g, column %zu: ", case_.Position(row), column);
  std::string text = tools::Describe(case_) + place + "got " + show(got) + ", expected " + show(expected);
  if (!case_.add) return text + "; exact " + Exact(row, column);
  return text + "; x " + show(AddInput(case_, row, column)) + ", encoding " + Exact(row, column);
}

}  // namespace tools
}  // namespace posenc
