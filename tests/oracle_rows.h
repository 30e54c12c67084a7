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

// Whether rows [positions.size(), spec.dim] equal the oracle's rows.
template <class T, class Position>
testing::AssertionResult AreOracles(const std::vector<T>& got, const Spec& spec,
                                    const std::vector<Position>& positions) {
  const oracle::Oracle oracle(spec, TypeOf<T>());
  std::vector<double> row(spec.dim);
  for (std::size_t r = 0; r < positions.size(); ++r) {
    const auto position = static_cast<double>(positions[r]);
    oracle.Row(position, row.data());
    for (std::size_t k = 0; k < spec.dim; ++k) {
      if (SameBits(got[r * spec.dim + k], Nearest<T>(row[k]))) continue;
      return testing::AssertionFailure()
             << "layout " << Name(spec.layout) << ", dim " << spec.dim << ", phase rounding "
             << static_cast<int>(spec.phase_rounding) << ", base " << spec.base << ", scale " << std::hexfloat
             << spec.position_scale << ", unit " << static_cast<int>(spec.unit) << ", position " << position
             << ", column " << k << ": " << Value(got[r * spec.dim + k]) << ", not " << row[k] << ", exactly "
             << oracle.Exact(position, k);
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace posenc

#endif  // POSENC_TESTS_ORACLE_ROWS_H_
