// The calls of a Case, some rows at a time.
#ifndef POSENC_TOOLS_VERIFY_CALLS_H_
#define POSENC_TOOLS_VERIFY_CALLS_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "command/entries.h"
#include "verify/case.h"

namespace posenc {
namespace tools {

// The elements of pair i, among those that turn.
struct PairPlace {
  std::size_t a, b;
};
inline PairPlace PlaceOf(posenc_pairing pairing, std::size_t i, std::size_t pairs) {
  return pairing == POSENC_NEIGHBOURS ? PairPlace{2 * i, 2 * i + 1} : PairPlace{i, i + pairs};
}

// Of the rows that were prepared last. `as` is the case, or one that differs in type, pairing and list.
class Calls {
 public:
  explicit Calls(const Case& c);

  void Prepare(std::size_t row, std::size_t rows);
  std::size_t row() const { return row_; }
  std::size_t rows() const { return rows_; }

  // What is added to.
  std::uint64_t AddInput(posenc_type type, std::size_t row, std::size_t column) const;

  // What is rotated: [rows, heads, pairs].
  const std::vector<InputPair>& Pairs(posenc_type type);

  // Pairs, paired so, as the elements of heads, beside those that do not turn: [rows, columns].
  void Arrange(posenc_type type, const std::vector<InputPair>& pairs, posenc_pairing pairing,
               Entries* out) const;

  // The cache that is rotated by: of a row, cosines [pairs], then sines; and the row of a token.
  double CacheEntry(std::size_t cache_row, std::size_t e) const;
  std::size_t CacheRow(std::size_t token) const;

  // What the functions of the library take.
  struct Arguments {
    std::int64_t first;  // of a run
    posenc_list list;    // without data: a run
    std::size_t rows;
    posenc_rows out;        // of an encoder
    posenc_heads heads[2];  // of a rotation: q and k
    posenc_cache cache;     // that is written, or rotated by
  };

  // Makes the arguments and calls `call` with them. *out is what it wrote, [rows, columns], and *seconds its
  // time on this thread.
  void With(const Case& as, const std::function<void(const Arguments&)>& call, Entries* out, double* seconds);

  // With the function that users call.
  void Call(const Case& as, const Handle& handle, Entries* out, double* seconds);

 private:
  template <class Bits>
  void ArrangeAs(const std::vector<InputPair>& pairs, posenc_pairing pairing, Bits* out) const;
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
  std::unique_ptr<Handle> turns_;  // of a rotation: with an amplitude of 1, on the best target
  std::size_t row_ = 0, rows_ = 0;
  std::vector<double> cosines_, sines_;                  // [rows, pairs]
  std::map<posenc_type, std::vector<InputPair>> pairs_;  // once they were wanted
  std::vector<Source> sources_;                          // so too
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_CALLS_H_
