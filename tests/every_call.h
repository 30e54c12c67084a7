// Every call of one type of entries, in memory that is there before. Plain: needs neither GoogleTest nor
// MPFR.
#ifndef POSENC_TESTS_EVERY_CALL_H_
#define POSENC_TESTS_EVERY_CALL_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "posenc/grid.h"
#include "posenc/posenc.h"

namespace posenc {

template <class T>
class EveryCall {
 public:
  // Runs of `rows` positions from `first` on, even so many, and lists of `listed`.
  EveryCall(std::size_t dim, std::int64_t first, std::size_t rows, std::size_t listed)
      : dim_(dim), first_(first), rows_(rows), ids_(listed) {
    const std::int64_t wide[] = {0, -1, first, kMaxPosition, -kMaxPosition, 77};
    const double doubles[] = {0.1, -1e9 - 0.3, 0x1p-1074, 0x1.000003p-126, 0x1p31, -0.0, 12.5};
    for (std::size_t r = 0; r < listed; ++r) {
      wide_.push_back(wide[r % 6]);
      narrow_.push_back((1 << 20) - static_cast<std::int32_t>(r) * 300007);
      doubles_.push_back(doubles[r % 7]);
      floats_.push_back(static_cast<float>(doubles[r % 7]));
      ids_[r] = static_cast<std::int32_t>((3 * r + 1) % 4);
    }
    const std::size_t row_count =
        std::is_same_v<T, double> ? rows + 4 * listed + kGridRows : 4 * rows + 13 * listed + 2 * kGridRows;
    out.resize(row_count * dim);
    table.resize(4 * dim);
    bfloats.resize(4 * dim);
    halves.resize(4 * dim);
    for (std::size_t k = 0; k < 4 * dim; ++k) {
      bfloats[k].bits = static_cast<std::uint16_t>(0x3F80 + 5 * k);
      halves[k].bits = static_cast<std::uint16_t>(0x3C00 + 5 * k);
    }
  }

  // Whether all calls succeed. Allocates nothing.
  bool Run(const Encoder& encoder) {
    T* x = out.data();
    bool ok = true;
    const auto check = [&](Status status, std::size_t rows) {
      ok = ok && status == Status::kOk;
      x += rows * dim_;
    };
    const std::size_t listed = ids_.size();
    check(encoder.Write(first_, rows_, x, dim_), rows_);
    check(encoder.WriteAt(wide_.data(), listed, x, dim_), listed);
    check(encoder.WriteAt(narrow_.data(), listed, x, dim_), listed);
    check(encoder.WriteAt(doubles_.data(), listed, x, dim_), listed);
    check(encoder.WriteAt(floats_.data(), listed, x, dim_), listed);
    const GridAxis axes[] = {RunAxis(encoder, dim_, first_, 3), ListAxis(encoder, 0, doubles_.data(), 2)};
    check(WriteGrid(axes, 1, x, 2 * dim_), kGridRows);
    if constexpr (!std::is_same_v<T, double>) {
      check(AddGrid(axes, 1, x, 2 * dim_, 0.3f), kGridRows);
      check(encoder.EmbedAt(ids_.data(), listed, table.data(), 4, dim_, wide_.data(), x, dim_, 0.3f), listed);
      const std::int32_t firsts[] = {5, 6};
      check(encoder.AddBatch(firsts, 2, rows_ / 2, x, rows_ / 2 * dim_, dim_, 0.3f), rows_);
      check(encoder.AddBatch(first_, 2, rows_ / 2, x, rows_ / 2 * dim_, dim_, 0.3f), rows_);
      check(encoder.Add(first_, rows_, x, dim_, 0.3f), rows_);
      check(encoder.AddAt(wide_.data(), listed, x, dim_, 0.3f), listed);
      check(encoder.AddAt(narrow_.data(), listed, x, dim_, 0.3f), listed);
      check(encoder.AddAt(doubles_.data(), listed, x, dim_, 0.3f), listed);
      check(encoder.AddAt(floats_.data(), listed, x, dim_, 0.3f), listed);
      check(encoder.Embed(ids_.data(), listed, table.data(), 4, dim_, first_, x, dim_, 0.3f), listed);
      if constexpr (std::is_same_v<T, float>) {
        check(encoder.Embed(ids_.data(), listed, bfloats.data(), 4, dim_, first_, x, dim_, 0.3f), listed);
        check(encoder.Embed(ids_.data(), listed, halves.data(), 4, dim_, first_, x, dim_, 0.3f), listed);
        check(encoder.EmbedAt(ids_.data(), listed, halves.data(), 4, dim_, doubles_.data(), x, dim_), listed);
      }
    }
    return ok;
  }

  std::vector<T> out;    // the rows of all calls
  std::vector<T> table;  // [4, dim], of which Embed takes rows
  std::vector<BFloat16> bfloats;
  std::vector<Float16> halves;

 private:
  static constexpr std::size_t kGridRows = 2 * (1 + 3 * 2);  // of dim entries

  std::size_t dim_;
  std::int64_t first_;
  std::size_t rows_;
  std::vector<std::int64_t> wide_;
  std::vector<std::int32_t> narrow_, ids_;
  std::vector<double> doubles_;
  std::vector<float> floats_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_EVERY_CALL_H_
