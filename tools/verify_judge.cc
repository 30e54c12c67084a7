#include "verify_judge.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace posenc {
namespace tools {
namespace {

bool SameBits(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }

std::string Show(float value) {
  char text[80];
  std::snprintf(text, sizeof(text), "%a (%.9g)", static_cast<double>(value), static_cast<double>(value));
  return text;
}

}  // namespace

Expected Judge::Expect(std::size_t row, std::size_t rows) const {
  const std::size_t dim = case_.spec.dim;
  Expected expected;
  expected.entries.resize(rows * dim);
  float* out = expected.entries.data();
  if (case_.step == 1) {
    expected.worst_ulp = oracle_.Table(case_.Position(row), rows, out, dim);
  } else {
    for (std::size_t r = 0; r < rows; ++r) {
      expected.worst_ulp =
          std::max(expected.worst_ulp, oracle_.Table(case_.Position(row + r), 1, out + r * dim, dim));
    }
  }
  if (!case_.add) return expected;
  expected.worst_ulp = 0.0;
  for (std::size_t i = 0; i < rows * dim; ++i) {
    const float product = AddInput(case_.format, row + i / dim, i % dim) * case_.scale;
    const float sum = product + out[i];
    out[i] = oracle::RoundTo(case_.format, static_cast<double>(sum));
  }
  return expected;
}

Report Judge::Compare(const Expected& expected, const std::string& target, std::size_t row, std::size_t rows,
                      const float* got) const {
  const std::size_t dim = case_.spec.dim;
  Report report;
  report.entries = rows * dim;
  report.worst_ulp = expected.worst_ulp;
  for (std::size_t i = 0; i < rows * dim; ++i) {
    if (SameBits(got[i], expected.entries[i])) continue;
    ++report.mismatches;
    const std::size_t r = row + i / dim;
    if (!case_.add)
      report.worst_ulp = std::max(report.worst_ulp, oracle_.Ulp(got[i], case_.Position(r), i % dim));
    if (report.examples.size() < Report::kMaxExamples) {
      report.examples.push_back(Describe(target, r, i % dim, got[i], expected.entries[i]));
    }
  }
  return report;
}

std::string Judge::Describe(const std::string& target, std::size_t row, std::size_t column, float got,
                            float expected) const {
  const std::int64_t position = case_.Position(row);
  return target + ": " + tools::Describe(case_) + ", position " + std::to_string(position) + ", column " +
         std::to_string(column) + ": got " + Show(got) + ", expected " + Show(expected) +
         (case_.add ? "; x " + Show(AddInput(case_.format, row, column)) + ", encoding " : "; exact ") +
         oracle_.Exact(position, column);
}

}  // namespace tools
}  // namespace posenc
