// Computes the expected entries of a Case, for each of its variants. They come from the oracle or, in a build
// without MPFR, from the library's REFERENCE target.
#ifndef POSENC_TOOLS_VERIFY_EXPECTED_H_
#define POSENC_TOOLS_VERIFY_EXPECTED_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "oracle/distances.h"
#include "verify/calls.h"
#include "verify/case.h"
#ifdef POSENC_HAVE_MPFR
#include "oracle/norm_oracle.h"
#include "oracle/oracle.h"
#include "oracle/rotary_oracle.h"
#endif

namespace posenc {
namespace tools {

#ifdef POSENC_HAVE_MPFR
inline constexpr bool kHaveOracle = true;
#else
inline constexpr bool kHaveOracle = false;
#endif

// The types in which areas of encodings and of rotations are written. The oracle computes them together.
inline constexpr posenc_type kSharedTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16};

// A variant of a case: the case, possibly with another type, pairing or list.
struct Variant {
  Case as;
  const char* call;     // the name of the variant in reports
  std::size_t answer;   // the index of the expected entries in Answers::entries
  std::size_t numbers;  // the index of their distances in Answers::distances
};

// The variants of a case. A case that is not part of an area has one variant, the case itself. A case of an
// area has many, and needs MPFR: encodings as runs, which use angle addition, and as lists, which do not;
// rotations half-split and with neighbours; all of these in kSharedTypes, and caches also in double.
std::vector<Variant> VariantsOf(const Case& c, bool is_area);

// Whether a variant of an area writes the chunk that begins at `row`. For caches, every seventh chunk is
// written in all types, and the others only in float32, because all types round the same cosines. (REFERENCE
// and parts of a run leave out chunks by other factors than 7, so they meet all types, too.)
bool IsWritten(const Case& as, std::size_t row);

// The number of rows in a chunk. For areas of rotations it is eight, which share an anchor. With small
// chunks, even a small part of a run has chunks of every area.
std::size_t ChunkRows(const Case& c, bool is_area);

// The expected entries of some rows.
struct Answers {
  std::vector<Entries> entries;              // [rows, columns] each
  std::vector<oracle::Distances> distances;  // empty if they were not measured
};

// The functions are about the rows that `calls` has prepared.
class Expected {
 public:
  Expected(const Case& c, bool is_area, Calls* calls);

  Answers Compute();

  // The error of an entry in ULP. 0 if the exact value is not known, or if the entry is not the rounding of a
  // single real number.
  double Ulp(const Case& as, std::size_t row, std::size_t column, std::uint64_t got);

  // Describes what was to be computed, and its exact value.
  std::string Exact(const Case& as, std::size_t row, std::size_t column);

 private:
  const Case& case_;
  [[maybe_unused]] bool is_area_;  // without MPFR
  Calls* calls_;
#ifdef POSENC_HAVE_MPFR
  // Which number an entry of a rotary embedding is.
  struct Element {
    std::size_t row, head, pair;
    bool is_rotated;
    bool is_second;  // the second element of its pair or, in a cache, a sine
  };

  Answers Encodings() const;
  Answers EncodingsInSharedTypes() const;
  Answers Caches();
  Answers Rotations();
  // What is rotated, as numbers: [rows, heads, pairs, 2], after the norm if there is one. With a norm, `rest`
  // has the results of the elements that are not rotated: [rows, heads, rest].
  struct Operands {
    std::vector<double> pairs;
    std::vector<std::uint64_t> rest;
  };
  // Elements that share a mean, and their weights. Elements of pairs come first in each head.
  struct Means {
    std::vector<double> x, weights;
  };

  const Operands& OperandsOf(posenc_type type);
  void Normalize(posenc_type type, Operands* made);
  Means MeansOf(posenc_type type, std::size_t r, std::size_t head, std::size_t heads) const;
  std::vector<double> Normalized(const Means& means) const;
  std::vector<double> NormalizedFast(const Means& means) const;
  std::uint64_t RestOf(posenc_type type, std::size_t row, std::size_t head, std::uint64_t bits,
                       double normalized) const;
  std::string ExactNorm(posenc_type type, const Element& element) const;
  InputPair RotateFast(std::size_t row, std::size_t pair, bool is_k, oracle::Angle* angle, double a,
                       double b) const;
  double Sum(std::uint64_t input, double value) const;
  Element ElementOf(const Case& as, std::size_t row, std::size_t column) const;
  oracle::Angle AngleOf(std::size_t row, std::size_t pair, bool is_k);
  bool IsMeasured(const Element& element) const;
  void PartsOf(const Element& element, posenc_type type, double* u, double* v);

  std::size_t operands_row_ = 0, operands_rows_ = 0;
  std::map<posenc_type, Operands> operands_;  // of the rows above; by types of results
  std::optional<oracle::Oracle> encoder_;
  std::optional<oracle::RotaryOracle> rotary_;
#else
  Handle reference_;
#endif
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_EXPECTED_H_
