// Rows computed by the oracle.
#ifndef POSENC_TESTS_ORACLE_ROWS_H_
#define POSENC_TESTS_ORACLE_ROWS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "oracle/oracle.h"
#include "scalar_formats.h"

namespace posenc {

template <class T>
std::vector<T> OracleRow(const Spec& spec, double position) {
  std::vector<double> row(spec.dim);
  oracle::Oracle(spec, TypeOf<T>()).Row(position, row.data());
  std::vector<T> entries(spec.dim);
  std::transform(row.begin(), row.end(), entries.begin(), Nearest<T>);
  return entries;
}

}  // namespace posenc

#endif  // POSENC_TESTS_ORACLE_ROWS_H_
