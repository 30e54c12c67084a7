// Knows what a RotaryCase must give: from the oracle, or, built without MPFR, from the library's scalar path.
#ifndef POSENC_TOOLS_VERIFY_ROTARY_JUDGE_H_
#define POSENC_TOOLS_VERIFY_ROTARY_JUDGE_H_

#include <cstddef>
#include <string>
#include <vector>

#include "oracle/distances.h"
#include "verify/rotary_calls.h"
#include "verify/rotary_case.h"
#ifdef POSENC_HAVE_MPFR
#include "oracle/rotary_oracle.h"
#endif

namespace posenc {
namespace tools {

// What an entry is, in heads of that pairing.
struct RotaryElement {
  std::size_t row, head, pair;
  bool turns;
  bool is_second;  // of its pair; of a cache: a sine
};
RotaryElement ElementOf(const RotaryCase& c, posenc_pairing pairing, std::size_t row, std::size_t column);

// Of the rows that the calls have prepared.
class RotaryJudge {
 public:
  RotaryJudge(const RotaryCase& c, RotaryCalls* calls);

  // What a call of users writes: [rows, columns].
  void Expect(posenc_pairing pairing, Entries* entries, oracle::Distances* distances);

  // What pairs [rows, heads, pairs] become, in each of some types. Needs MPFR.
  void Rotate(const posenc_type* types, std::size_t count, std::vector<InputPair>* rotated,
              oracle::Distances* distances);

  // What is in a cache of each of some types: [rows, columns]. Needs MPFR.
  void ExpectCaches(const posenc_type* types, std::size_t count, Entries* entries,
                    oracle::Distances* distances);

  // 0 and "..." for what is not the rounding of a real number.
  double Ulp(const RotaryElement& element, posenc_type type, double got);
  std::string Exact(const RotaryElement& element, posenc_type type);

 private:
#ifdef POSENC_HAVE_MPFR
  oracle::Turn TurnOf(std::size_t row, std::size_t pair, bool is_k);
  InputPair RotateFast(std::size_t row, std::size_t pair, bool is_k, const InputPair& in);
  bool IsMeasured(const RotaryElement& element) const;
  void PartsOf(const RotaryElement& element, posenc_type type, double* u, double* v);
#endif

#ifdef POSENC_HAVE_MPFR
  const RotaryCase& case_;
  RotaryCalls* calls_;
  oracle::RotaryOracle oracle_;
#else
  RotaryCalls* calls_;
  RotaryPtr reference_;
#endif
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ROTARY_JUDGE_H_
