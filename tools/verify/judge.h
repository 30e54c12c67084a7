// Knows what a Case must give, by each way to write it: from the oracle or, built without MPFR, from the
// library's scalar path.
#ifndef POSENC_TOOLS_VERIFY_JUDGE_H_
#define POSENC_TOOLS_VERIFY_JUDGE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/distances.h"
#include "verify/calls.h"
#include "verify/case.h"
#ifdef POSENC_HAVE_MPFR
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

// The types that areas of encodings and of rotation are written in: the oracle gives them together.
inline constexpr posenc_type kSharedTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16};

// One call for the entries of a case.
struct Way {
  Case as;              // the case, but for its type, pairing and list
  const char* call;     // as reports name it
  std::size_t answer;   // which of Answers::entries it must give
  std::size_t numbers;  // which of Answers::distances are those of these
};

// A case is written in one way, as it is. An area is written in all: encodings as runs, which use angle
// addition, and as lists, which do not; rotations paired as halves and as neighbours; each in kSharedTypes,
// and caches in double, too. Areas need MPFR.
std::vector<Way> WaysOf(const Case& c, bool is_area);

// Whether an area's way has the rows of that chunk. Of areas of caches all types have a seventh of the
// chunks, and only float32 the others, since they round the same cosines. (By seven also what REFERENCE and a
// part take has all of them.)
bool IsWritten(const Case& as, std::size_t row);

// So many rows at a time. Of areas of rotation eight, which share an anchor: a small part, too, then has
// chunks of every area.
std::size_t ChunkRows(const Case& c, bool is_area);

// What rows must be.
struct Answers {
  std::vector<Entries> entries;              // [rows, columns] each
  std::vector<oracle::Distances> distances;  // empty ones where nobody measured
};

// Of the rows that the calls have prepared.
class Judge {
 public:
  Judge(const Case& c, bool is_area, Calls* calls);

  Answers Expect();

  // How far an entry of a way is from the real number, in ULP; 0 if that is not known, or it is no rounding
  // of one.
  double Ulp(const Case& as, std::size_t row, std::size_t column, std::uint64_t got);

  // What was to be computed and what it is exactly.
  std::string Exact(const Case& as, std::size_t row, std::size_t column);

 private:
  const Case& case_;
  [[maybe_unused]] bool is_area_;  // without MPFR
  Calls* calls_;
#ifdef POSENC_HAVE_MPFR
  // What an entry of a rotary is.
  struct Element {
    std::size_t row, head, pair;
    bool turns;
    bool is_second;  // of its pair; of a cache: a sine
  };

  Answers ExpectEncodings() const;
  Answers ExpectEncodingsInSharedTypes() const;
  Answers ExpectCaches();
  Answers ExpectRotations();
  InputPair RotateFast(std::size_t row, std::size_t pair, bool is_k, oracle::Turn* turn,
                       const InputPair& in) const;
  double Sum(std::uint64_t input, double value) const;
  Element ElementOf(const Case& as, std::size_t row, std::size_t column) const;
  oracle::Turn TurnOf(std::size_t row, std::size_t pair, bool is_k);
  bool IsMeasured(const Element& element) const;
  void PartsOf(const Element& element, posenc_type type, double* u, double* v);

  std::optional<oracle::Oracle> encoder_;
  std::optional<oracle::RotaryOracle> rotary_;
#else
  Handle reference_;
#endif
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_JUDGE_H_
