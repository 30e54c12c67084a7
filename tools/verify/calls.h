// Makes the inputs of a Case and calls the library, for some rows at a time.
#ifndef POSENC_TOOLS_VERIFY_CALLS_H_
#define POSENC_TOOLS_VERIFY_CALLS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "command/entries.h"
#include "posenc/rotary_norm_c.h"
#include "verify/case.h"

namespace posenc {
namespace tools {

// Which of the rotated elements of a head belong to pair i.
struct PairPlace {
  std::size_t a, b;
};
inline PairPlace PlaceOf(posenc_pairing pairing, std::size_t i, std::size_t pairs) {
  return pairing == POSENC_NEIGHBOURS ? PairPlace{2 * i, 2 * i + 1} : PairPlace{i, i + pairs};
}

// The functions are about the rows of the last call of Prepare. `as` is the case, possibly with another type,
// pairing or list.
class Calls {
 public:
  explicit Calls(const Case& c);

  void Prepare(std::size_t row, std::size_t rows);
  std::size_t row() const { return row_; }
  std::size_t rows() const { return rows_; }

  // The bits of an input of Operation::kAdd.
  std::uint64_t AddInput(posenc_type type, std::size_t row, std::size_t column) const;

  // The type of the elements to rotate, if results have this type.
  posenc_type SourceType(posenc_type type) const { return case_.IsConverted() ? case_.source_type : type; }

  // The pairs that are rotated, as elements of the type SourceType(type): [rows, heads, pairs].
  const std::vector<InputPair>& Pairs(posenc_type type);

  // The elements of heads that are not rotated, of the same type: [rows, heads, rest]. Only for cases with a
  // norm, where all elements matter.
  const std::vector<std::uint64_t>& Rest(posenc_type type);

  // Writes pairs of a type as elements of heads, [rows, columns], in the order of `pairing`. The elements of
  // a head that are not rotated come from `rest`. If it is empty they are filled in: as the call reads them
  // or, with is_result, as it writes them.
  void Arrange(posenc_type type, const std::vector<InputPair>& pairs, const std::vector<std::uint64_t>& rest,
               posenc_pairing pairing, bool is_result, Entries* out) const;

  // Where element n of a head is, if pairs come first and the elements that are not rotated last.
  std::size_t PlaceInHead(posenc_pairing pairing, std::size_t n) const;

  // The weights of a norm, as bits of norm.weight_type: for each head, or once for all heads, first those of
  // pairs and then the others. Empty if the call passes no weights.
  const std::vector<std::uint64_t>& Weights(bool is_k) const { return weights_[is_k ? 1 : 0]; }

  // The cache of Operation::kRotateCached. CacheEntry is entry e of a row, which has cosines [pairs] and then
  // sines. CacheRow is the row that rotates a token.
  double CacheEntry(std::size_t cache_row, std::size_t e) const;
  std::size_t CacheRow(std::size_t token) const;

  // The arguments of the library's functions.
  struct Arguments {
    std::int64_t first;  // the first position of a run
    posenc_list list;    // the positions of a list; without data for a run
    std::size_t rows;
    posenc_rows out;        // where an encoder writes
    posenc_heads heads[2];  // q and k of a rotation
    posenc_cache cache;     // the cache that is written, or that rotates
  };

  // Makes the arguments, and calls `call` with them. *out becomes what was written, [rows, columns], and
  // *seconds the processor time on this thread.
  void With(const Case& as, const std::function<void(const Arguments&)>& call, Entries* out, double* seconds);

  // The same, with the library function that users call.
  void Call(const Case& as, const Handle& handle, Entries* out, double* seconds);

 private:
  struct HeadElements {
    std::vector<InputPair> pairs;
    std::vector<std::uint64_t> rest;  // only for cases with a norm
  };
  // The weights of a norm, as the call passes them.
  struct PassedNorm {
    posenc_norm norm;
    Entries weights;
  };

  template <class Bits>
  void ArrangeAs(posenc_type type, const std::vector<InputPair>& pairs,
                 const std::vector<std::uint64_t>& rest, posenc_pairing pairing, bool is_result,
                 Bits* out) const;
  HeadElements& ElementsOf(posenc_type type);
  InputPair MakePair(posenc_type type, std::size_t r, std::size_t h, std::size_t i, double gain) const;
  void MakeWeights();
  void MakeForNorm(posenc_type type, HeadElements* made) const;
  void SetNorm(const Case& as, bool is_k, PassedNorm* passed) const;
  std::uint64_t RestBits(posenc_type type, std::size_t row, std::size_t head, std::size_t element,
                         bool is_result) const;
  struct Source {
    posenc_type type;
    posenc_pairing pairing;
    Entries entries;
  };

  const Entries& SourceOf(posenc_type type, posenc_pairing pairing);
  std::vector<unsigned char> PassedPositions(const Case& as) const;
  std::vector<unsigned char> PassedRows(const Case& as) const;
  Entries CacheToRotateBy() const;

  const Case& case_;
  std::unique_ptr<Handle> unscaled_;  // for rotations: the rotary with an amplitude of 1, on the best target
  std::size_t row_ = 0, rows_ = 0;
  std::vector<double> cosines_, sines_;           // [rows, pairs]
  std::map<posenc_type, HeadElements> elements_;  // by types of results; made when first needed
  std::vector<std::uint64_t> weights_[2];         // of q and k
  std::vector<Source> sources_;                   // made when they are first needed
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CALLS_H_
