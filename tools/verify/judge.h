// Knows what a case must give: from the oracle, or, built without MPFR, from the library's own scalar path.
#ifndef POSENC_TOOLS_VERIFY_JUDGE_H_
#define POSENC_TOOLS_VERIFY_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "command/entries.h"
#include "kernel/rows.h"
#include "oracle/distances.h"
#include "posenc/accuracy.h"
#include "verify/case.h"
#ifdef POSENC_HAVE_MPFR
#include "oracle/oracle.h"
#endif

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_MPFR
inline constexpr bool kHaveOracle = true;
#else
inline constexpr bool kHaveOracle = false;
#endif

inline constexpr char kReferenceName[] = "REFERENCE";

// A mismatch in words, and where it is.
struct Example {
  std::size_t case_number, row, column;
  std::string text;
};
inline constexpr std::size_t kMaxExamples = 10;

// What was compared, and what was found.
struct Findings {
  std::uint64_t entries = 0;
  std::uint64_t mismatches = 0;
  double worst_ulp = 0.0;         // of the entries written (not of those added)
  internal::Tally tally;          // of the pairs written; stays 0 for the reference, which has one tier
  std::vector<Example> examples;  // the first ones

  bool right() const { return mismatches == 0 && worst_ulp <= kMaxUlp; }
  Findings& operator+=(const Findings& other);
};

// The oracle gives these together for little more than the price of one.
inline constexpr posenc_type kSharedTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16};

struct Expected {
  Entries entries;              // [rows, dim]
  oracle::Distances distances;  // of these, hence of all outputs that are equal to them; of runs only
};

class Judge {
 public:
  explicit Judge(const Case& c);

  // Rows [row, row + rows) of the case, or, if it is a run to be written, of each of kSharedTypes.
  Expected Expect(std::size_t row, std::size_t rows) const;
  std::vector<Expected> ExpectShared(std::size_t row, std::size_t rows) const;

  // Compares rows from that one on, bit by bit. Examples get the number of the case.
  Findings Compare(const Entries& expected, const Entries& got, const std::string& target,
                   std::size_t case_number, std::size_t row) const;

 private:
  double Ulp(double got, std::size_t row, std::size_t column) const;
  std::string Exact(std::size_t row, std::size_t column) const;
  std::string Describe(std::uint64_t got, std::uint64_t expected, std::size_t row, std::size_t column) const;

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
