// Knows what a case must give, from the oracle; built without MPFR it knows nothing and compares nothing.
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
  std::vector<float> entries;  // [rows, dim], of the case's format
  double worst_ulp = 0.0;      // of these, hence of all outputs that are equal to them
};

#ifdef POSENC_HAVE_MPFR

class Judge {
 public:
  // What is added to has been rounded to float32.
  explicit Judge(const Case& c) : case_(c), oracle_(c.spec, c.add ? oracle::Format::kFloat32 : c.format) {}

  // Rows [row, row + rows) of the case.
  Expected Expect(std::size_t row, std::size_t rows) const;

  // Compares got [rows, dim], bit by bit.
  Report Compare(const Expected& expected, const std::string& target, std::size_t row, std::size_t rows,
                 const float* got) const;

 private:
  std::string Describe(const std::string& target, std::size_t row, std::size_t column, float got,
                       float expected) const;

  const Case& case_;
  oracle::Oracle oracle_;
};

#else

class Judge {
 public:
  explicit Judge(const Case&) {}
  Expected Expect(std::size_t, std::size_t) const { return {}; }
  Report Compare(const Expected&, const std::string&, std::size_t, std::size_t, const float*) const {
    return {};
  }
};

#endif

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_JUDGE_H_
