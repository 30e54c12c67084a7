// The oracle of tests and tools: what an encoder must write, by MPFR. It shares the public headers with
// the library and no arithmetic.
//
// Every sine and cosine is taken with an error bound, rounded only if the bound decides the rounding,
// and otherwise taken again with twice the bits. Hence no entry that it returns depends on a precision.
//
// Entries of all types are handed out as doubles, which hold them exactly; Pack (format.h) gives their bits.
// They are rounded once, from the exact value, also where they are subnormal; what rounds to zero keeps its
// sign.
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

// Immutable after construction; threads may share one. Call it with the default floating-point state.
class Oracle {
 public:
  // `spec` must be one that Encoder::Create accepts; its target is ignored.
  explicit Oracle(const posenc_spec& spec, posenc_type type = POSENC_F32);
  ~Oracle();

  std::size_t dim() const { return spec_.dim; }

  // One position, any finite double as callers pass it: out [dim]. Some microseconds a pair.
  void Row(double position, double* out) const;

  // Consecutive positions: out [rows, dim]. About 0.2 microseconds a pair without a phase rounding, thousands
  // of rows at a time.
  Distances Rows(std::int64_t first_position, std::size_t rows, double* out) const;

  // The same in three types for little more than the price of one, whatever the oracle's own: the patterns of
  // Pack, [rows, dim] each.
  struct Tables {
    std::uint32_t* float32;
    std::uint16_t* bfloat16;
    std::uint16_t* float16;
  };
  std::array<Distances, 3> AllTables(std::int64_t first_position, std::size_t rows,
                                     const Tables& tables) const;

  // w_i without a phase rounding, in radians a step; relative error below 2^-bits.
  Number Frequency(std::size_t pair, int bits) const;

  // |got - exact| / spacing(exact) as accuracy.h defines it, with the type's spacing; infinite if `got` is
  // not finite.
  double Ulp(double got, double position, std::size_t column) const;

  // The real number, in scientific notation with `digits` significant decimal digits.
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

  posenc_spec spec_;  // the caller's list lives as long as the oracle
  posenc_type type_;
  std::vector<Entry> entries_;                    // [dim]
  std::vector<std::size_t> sine_at_, cosine_at_;  // [pairs]: columns, or kNone
  std::vector<std::size_t> others_;               // columns that are neither
  // [pairs]: the frequencies, or what RecipeFactor gives.
  std::vector<Number> factors_;
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_ORACLE_H_
