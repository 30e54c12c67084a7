// The calls of a RotaryCase, some rows at a time.
#ifndef POSENC_TOOLS_VERIFY_ROTARY_CALLS_H_
#define POSENC_TOOLS_VERIFY_ROTARY_CALLS_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "command/entries.h"
#include "posenc/rotary_c.h"
#include "verify/rotary_case.h"
#include "verify/subject.h"

namespace posenc {
namespace tools {

struct DestroyRotary {
  void operator()(posenc_rotary* rotary) const { posenc_rotary_destroy(rotary); }
};
using RotaryPtr = std::unique_ptr<posenc_rotary, DestroyRotary>;

// On that target, or on the best if it is null; a UsageError if there is no such rotary.
RotaryPtr MakeRotary(posenc_rotary_spec spec, const char* target);

// The elements of pair i, among those that turn.
struct PairPlace {
  std::size_t a, b;
};
inline PairPlace PlaceOf(posenc_pairing pairing, std::size_t i, std::size_t pairs) {
  return pairing == POSENC_NEIGHBOURS ? PairPlace{2 * i, 2 * i + 1} : PairPlace{i, i + pairs};
}

class RotaryCalls {
 public:
  explicit RotaryCalls(const RotaryCase& c);

  // The rows [row, row + rows), which all else is about.
  void Prepare(std::size_t row, std::size_t rows);
  std::size_t row() const { return row_; }
  std::size_t rows() const { return rows_; }

  // What is rotated, of a type: [rows, heads, pairs].
  const std::vector<InputPair>& Pairs(posenc_type type);

  // Pairs, paired so, as the elements of heads, beside those that do not turn: [rows, columns].
  void Arrange(posenc_type type, const std::vector<InputPair>& pairs, posenc_pairing pairing,
               Entries* out) const;

  // The cache that is rotated by: of a row, cosines [pairs], then sines; and the row of a token.
  double CacheEntry(std::size_t cache_row, std::size_t e) const;
  std::size_t CacheRow(std::size_t token) const;

  // The call of users, of the case's type.
  void Call(const posenc_rotary* rotary, Written* written);

  // The same in any type by the library's walker of tokens, to see what the rounding test did.
  void Walk(const posenc_rotary* rotary, posenc_type type, posenc_pairing pairing, Written* written);

 private:
  struct Tensors {
    posenc_heads heads[2];  // q and k
  };

  struct Arranged {
    posenc_type type;
    posenc_pairing pairing;
    Entries entries;
  };

  template <class Bits>
  void ArrangeAs(const std::vector<InputPair>& pairs, posenc_pairing pairing, Bits* out) const;
  const Entries& Source(posenc_type type, posenc_pairing pairing);
  Tensors MakeTensors(posenc_type type, posenc_pairing pairing, Entries* out);
  std::vector<unsigned char> PassedPositions() const;
  void CallRotate(const posenc_rotary* rotary, Entries* out, double* seconds);
  void CallRotateCached(const posenc_rotary* rotary, Entries* out, double* seconds);
  // write(first, list, cache) fills the tables of the cache.
  template <class Write>
  void WriteCache(posenc_type type, const Write& write, Written* written) const;
  void CallWriteCache(const posenc_rotary* rotary, Written* written) const;
  void WalkCache(const posenc_rotary* rotary, posenc_type type, Written* written) const;

  const RotaryCase& case_;
  RotaryPtr turns_;  // of an amplitude of 1, on the best target
  std::size_t row_ = 0, rows_ = 0;
  std::vector<double> cosines_, sines_;  // [rows, pairs]
  std::vector<InputPair> pairs_[3];      // of each type, once they were wanted
  std::vector<Arranged> sources_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_ROTARY_CALLS_H_
