// What accuracy_test.cc compares: blocks of rows, each solved by the oracle, grouped in named cases.
#ifndef POSENC_TESTS_ACCURACY_CASES_H_
#define POSENC_TESTS_ACCURACY_CASES_H_

#include <cstdint>
#include <functional>
#include <ostream>
#include <string>
#include <vector>

#include "format.h"
#include "per_target.h"

namespace posenc {

// Rows of one spec: a run of positions, or any list of them.
struct Block {
  Spec spec;
  std::vector<std::int64_t> positions;
  bool is_run;
  std::vector<float> sines, cosines;  // of the oracle, after Solve

  void Solve(oracle::Format format);
  std::vector<float> Want(Layout layout) const;
  template <class T>
  std::vector<T> Got(const Encoder& encoder) const {
    return is_run ? Write<T>(encoder, positions.front(), positions.size()) : WriteAt<T>(encoder, positions);
  }
};

struct Case {
  std::string name;
  oracle::Format format;
  std::function<std::vector<Block>()> make;
};

inline void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

std::vector<Case> AccuracyCases();

}  // namespace posenc

#endif  // POSENC_TESTS_ACCURACY_CASES_H_
