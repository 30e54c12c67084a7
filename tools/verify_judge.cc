#include "verify_judge.h"

#include <algorithm>
#include <cstring>

#include "options.h"

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_MPFR

// What is added to has been rounded to float32.
Judge::Judge(const Case& c) : case_(c), oracle_(c.spec, c.add ? oracle::Format::kFloat32 : c.format) {}

Expected Judge::Expect(std::size_t row, std::size_t rows) const {
  const std::size_t dim = case_.spec.dim;
  Expected expected;
  expected.entries.resize(rows * dim);
  float* out = expected.entries.data();
  if (case_.step == 1) {
    expected.distances = oracle_.Table(case_.Position(row), rows, out, dim);
  } else {
    for (std::size_t r = 0; r < rows; ++r) {
      expected.distances.Merge(oracle_.Table(case_.Position(row + r), 1, out + r * dim, dim));
    }
  }
  if (!case_.add) return expected;
  expected.distances = {};
  for (std::size_t i = 0; i < rows * dim; ++i) {
    const float product = AddInput(case_.format, row + i / dim, i % dim) * case_.scale;
    const float sum = product + out[i];
    out[i] = oracle::RoundTo(case_.format, static_cast<double>(sum));
  }
  return expected;
}

double Judge::Ulp(float got, std::int64_t position, std::size_t column) const {
  return oracle_.Ulp(got, static_cast<double>(position), column);
}

std::string Judge::Exact(std::int64_t position, std::size_t column) const {
  return oracle_.Exact(static_cast<double>(position), column);
}

#else

Judge::Judge(const Case& c) : case_(c) {
  Spec spec = c.spec;
  spec.target = kReferenceName;
  Require(Encoder::Create(spec, &reference_));
}

Expected Judge::Expect(std::size_t row, std::size_t rows) const {
  Expected expected;
  expected.entries.resize(rows * case_.spec.dim);
  RunCase(case_, reference_, row, rows, expected.entries.data());
  return expected;
}

double Judge::Ulp(float, std::int64_t, std::size_t) const { return 0.0; }

std::string Judge::Exact(std::int64_t, std::size_t) const { return "unknown without MPFR"; }

#endif

Report Judge::Compare(const Expected& expected, const std::string& target, std::size_t row, std::size_t rows,
                      const float* got) const {
  const std::size_t dim = case_.spec.dim;
  Report report;
  report.entries = rows * dim;
  report.worst_ulp = expected.distances.worst_ulp();
  report.distances = expected.distances;
  for (std::size_t i = 0; i < rows * dim; ++i) {
    if (std::memcmp(&got[i], &expected.entries[i], sizeof(float)) == 0) continue;
    ++report.mismatches;
    const std::size_t r = row + i / dim, column = i % dim;
    if (!case_.add) report.worst_ulp = std::max(report.worst_ulp, Ulp(got[i], case_.Position(r), column));
    if (report.examples.size() < kMaxExamples) {
      report.examples.push_back({0, r, column, Describe(target, r, column, got[i], expected.entries[i])});
    }
  }
  return report;
}

std::string Judge::Describe(const std::string& target, std::size_t row, std::size_t column, float got,
                            float expected) const {
  const auto show = [&](float value) { return ShowEntry(case_.format, oracle::Pack(case_.format, value)); };
  const std::int64_t position = case_.Position(row);
  return target + ": " + tools::Describe(case_) + ", position " + std::to_string(position) + ", column " +
         std::to_string(column) + ": got " + show(got) + ", expected " + show(expected) +
         (case_.add ? "; x " + show(AddInput(case_.format, row, column)) + ", encoding " : "; exact ") +
         Exact(position, column);
}

}  // namespace tools
}  // namespace posenc
