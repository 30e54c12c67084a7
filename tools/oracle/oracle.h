// The oracle for encoders: computes with MPFR what an encoder must write. Tests and tools compare the library
// with it. It uses the library's public headers, but none of its arithmetic.
//
// Every sine and cosine is computed with an error bound. If the bound is too large to be certain of the
// rounding, the number is computed again with twice as many bits. So no entry depends on the precision.
//
// Entries of all types are returned as doubles, which hold them exactly; Pack (format.h) gives their bits. An
// entry is rounded once, from the exact value, even if it is subnormal. An entry that rounds to zero keeps
// its sign.
#ifndef POSENC_TOOLS_ORACLE_ORACLE_H_
#define POSENC_TOOLS_ORACLE_ORACLE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "oracle/columns.h"
#include "oracle/distances.h"
#include "oracle/number.h"
#include "posenc/posenc.h"

namespace posenc {
namespace oracle {

// An Oracle does not change after construction, so threads may share it. Call it with the default
// floating-point state.
class Oracle {
 public:
  // `spec` must be one that Encoder::Create accepts; its target is ignored.
  explicit Oracle(const posenc_spec& spec, posenc_type type = POSENC_F32);
  ~Oracle();

  std::size_t dim() const { return spec_.dim; }

  // Writes the row of one position, which may be any finite double, to out [dim]. Takes some microseconds per
  // pair.
  void Row(double position, double* out) const;

  // Writes the rows of consecutive positions to out [rows, dim]. Without a phase rounding, and with thousands
  // of rows in a call, it takes about 0.2 microseconds per pair and row.
  Distances Rows(std::int64_t first_position, std::size_t rows, double* out) const;

  // Writes the rows in three types at once, as the bits that Pack returns, [rows, dim] each. The oracle's own
  // type does not matter. This takes little longer than a single type.
  struct Tables {
    std::uint32_t* float32;
    std::uint16_t* bfloat16;
    std::uint16_t* float16;
  };
  std::array<Distances, 3> AllTables(std::int64_t first_position, std::size_t rows,
                                     const Tables& tables) const;

  // The frequency w_i without phase rounding, in radians per step, with a relative error below 2^-bits.
  Number Frequency(std::size_t pair, int bits) const;

  // The error |got - exact| / spacing(exact), with the spacing of the type, as accuracy.h defines it.
  // Infinite if `got` is not finite.
  double Ulp(double got, double position, std::size_t column) const;

  // The exact value as text, in scientific notation with `digits` significant decimal digits.
  std::string Exact(double position, std::size_t column, int digits = 30) const;

 private:
  struct Pair;

  Number Counted(std::size_t pair, int bits) const;
  Number QuarterTurns(std::size_t pair, double position, int bits) const;
  Number Phase(std::size_t pair, double position, int bits) const;
  Pair Evaluate(std::size_t pair, double position, int bits) const;
  void EvaluateAndRound(posenc_type type, std::size_t pair, double position, Rounding* sine,
                        Rounding* cosine) const;
  template <class Visit>
  void AddAngles(std::size_t pair, std::int64_t first_position, std::size_t rows, const Visit& visit) const;
  template <class Put>
  void PutPair(posenc_type type, std::size_t pair, std::int64_t position, const Pair& approximation,
               Distances* distances, const Put& put) const;
  template <class Visit>
  void ForEachPair(std::int64_t first_position, std::size_t rows, const Visit& visit) const;
  Number ExactEntry(double position, std::size_t column) const;
  double Listed(std::size_t pair) const;
  double ExponentDim() const;
  bool IsPadding(double position) const;
  std::uint64_t OtherEntry(posenc_type type, Entry::Kind kind, double position) const;
  template <class Put>
  void PutOthers(posenc_type type, double position, const Put& put) const;

  static constexpr std::size_t kNone = SIZE_MAX;

  posenc_spec spec_;  // its list of frequencies must outlive the oracle
  posenc_type type_;
  std::vector<Entry> entries_;                    // [dim]
  std::vector<std::size_t> sine_at_, cosine_at_;  // [pairs]: the column of each pair, or kNone
  std::vector<std::size_t> others_;               // columns that are neither a sine nor a cosine
  // [pairs]: the frequencies or, with a phase rounding, the results of PhaseFactor.
  std::vector<Number> factors_;
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_ORACLE_H_
