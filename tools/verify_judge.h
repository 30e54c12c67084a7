// Knows what a case must give: from the oracle, or, built without MPFR, from the library's own scalar path.
#ifndef POSENC_TOOLS_VERIFY_JUDGE_H_
#define POSENC_TOOLS_VERIFY_JUDGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "verify.h"
#ifdef POSENC_HAVE_MPFR
#include "oracle.h"
#endif

namespace posenc {
namespace tools {

struct Expected {
  std::vector<float> entries;   // [rows, dim], of the case's format
  oracle::Distances distances;  // of these, hence of all outputs that are equal to them
};

class Judge {
 public:
  explicit Judge(const Case& c);

  // Rows [row, row + rows) of the case.
  Expected Expect(std::size_t row, std::size_t rows) const;

  // Compares got [rows, dim], bit by bit.
  Report Compare(const Expected& expected, const std::string& target, std::size_t row, std::size_t rows,
                 const float* got) const;

 private:
  double Ulp(float got, std::int64_t position, std::size_t column) const;
  std::string Exact(std::int64_t position, std::size_t column) const;
  std::string Describe(const std::string& target, std::size_t row, std::size_t column, float got,
                       float expected) const;

  const Case& case_;
#ifdef POSENC_HAVE_MPFR
  oracle::Oracle oracle_;
#else
  Encoder reference_;
#endif
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_JUDGE_H_
