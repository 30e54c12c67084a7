// What accuracy_test.cc compares: blocks of rows, in named cases, with the oracle's values.
#ifndef POSENC_TESTS_ACCURACY_CASES_H_
#define POSENC_TESTS_ACCURACY_CASES_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "oracle/oracle.h"
#include "per_target.h"

namespace posenc {

// Rows of one spec, at consecutive positions or at a list of positions.
struct Block {
  Spec spec;
  std::vector<std::int64_t> positions;
  bool is_run;
  std::vector<double> want;  // the oracle's entries, interleaved; Solve computes them

  void Solve(posenc_type type);
  double Want(std::size_t row, const oracle::Entry& entry) const {
    return want[row * spec.dim + 2 * entry.pair + (entry.sine() ? 0 : 1)];
  }
  template <class T>
  std::vector<T> Got(const Encoder& encoder) const {
    return is_run ? Write<T>(encoder, positions.front(), positions.size()) : WriteAt<T>(encoder, positions);
  }
};

struct Case {
  std::string name;
  posenc_type type;
  std::function<std::vector<Block>()> make;
};

inline void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

std::vector<Case> AccuracyCases();

}  // namespace posenc

#endif  // POSENC_TESTS_ACCURACY_CASES_H_
