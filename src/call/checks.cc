// Checks the arguments of calls: sizes, memory, runs of positions, and lists.
#include "number/exact.h"

#include "call/checks.h"

#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

// The statuses for the ways in which a list can be wrong.
struct ListRules {
  posenc_status null, overlap, range;
};

// Checks a list. Its values are right if in_range(i) for all i < count.
template <class InRange>
posenc_status CheckList(const List& list, std::size_t count, const InRange& in_range, const ListRules& rules,
                        const Bytes& written, std::size_t* bad_index) {
  if (list.IsNull()) return rules.null;
  if (count > PTRDIFF_MAX / list.value_bytes()) return rule::size_list;
  if (Overlap(ListBytes(list, count), written)) return rules.overlap;
  for (std::size_t i = 0; i < count; ++i) {
    if (in_range(i)) continue;
    SetIfNotNull(bad_index, i);
    return rules.range;
  }
  return rule::ok;
}

posenc_status CheckIntegers(const List& list, std::size_t count, std::int64_t end, const ListRules& rules,
                            const Bytes& written, std::size_t* bad_index) {
  const auto in_range = [&](std::size_t i) { return list[i] >= 0 && list[i] < end; };
  return CheckList(list, count, in_range, rules, written, bad_index);
}

}  // namespace

Bytes BatchBytes(const Batch& batch, const Shape& shape) {
  const Bytes first = MatrixBytes(shape, {batch.data, batch.row_stride});
  return {batch.data, (batch.sequences - 1) * batch.batch_stride * shape.element_size + first.count};
}

posenc_status CheckRun(std::int64_t first, std::size_t rows, std::int64_t offset) {
  constexpr auto kPositions = static_cast<std::uint64_t>(2 * POSENC_MAX_POSITION + 1);
  if (rows == 0) return rule::ok;
  const bool is_in_range = std::uint64_t{rows} <= kPositions && first >= -POSENC_MAX_POSITION - offset &&
                           first <= POSENC_MAX_POSITION - offset - static_cast<std::int64_t>(rows - 1);
  return is_in_range ? rule::ok : rule::run_range;
}

posenc_status CheckPositions(const List& positions, std::size_t count, const Admitted& admitted,
                             const Bytes& written, std::size_t* bad_index) {
  const auto in_range = [&](std::size_t i) {
    return admitted.any_value || IsPosition(positions.AsDouble(i) + static_cast<double>(admitted.offset));
  };
  const ListRules rules = {rule::null_positions_data, rule::overlap_positions, admitted.wrong};
  return InFpState([&] { return CheckList(positions, count, in_range, rules, written, bad_index); });
}

posenc_status CheckFirsts(const Batch& batch, std::int64_t offset, const Bytes& written,
                          std::size_t* bad_index) {
  if (batch.firsts.IsNull()) return CheckRun(batch.first, batch.rows, offset);
  const auto can_be_added = [](std::int64_t x) {
    constexpr std::int64_t kFar = (std::int64_t{1} << 62) - 1;  // the sum of larger terms might overflow
    return x >= -kFar && x <= kFar;
  };
  const auto in_range = [&](std::size_t b) {
    return can_be_added(batch.first) && can_be_added(batch.firsts[b]) &&
           CheckRun(batch.First(b), batch.rows, offset) == POSENC_OK;
  };
  constexpr ListRules kRules = {rule::ok, rule::overlap_first_positions, rule::first_position_range};
  return CheckList(batch.firsts, batch.sequences, in_range, kRules, written, bad_index);
}

posenc_status CheckIndices(const List& indices, std::size_t count, std::int64_t end, const Bytes& written,
                           std::size_t* bad_index) {
  constexpr ListRules kRules = {rule::null_cache_rows_data, rule::overlap_cache, rule::cache_row_range};
  return CheckIntegers(indices, count, end, kRules, written, bad_index);
}

posenc_status CheckLookup(const Lookup& lookup, const Shape& out, const Bytes& written,
                          std::size_t* bad_index) {
  const Shape shape{out.dim, ElementSize(lookup.type), lookup.vocabulary};
  const Matrix table{const_cast<void*>(lookup.table), lookup.stride};  // never written
  constexpr MatrixRules kTableRules = {rule::stride_table, rule::size_table, rule::null_table};
  const ListRules id_rules = {rule::null_ids_data, rule::overlap_ids,
                              lookup.vocabulary == 0 ? rule::no_ids : rule::id_range};
  if (const posenc_status status = CheckMatrix(shape, table, kTableRules); status != POSENC_OK) return status;
  if (lookup.vocabulary != 0 && Overlap(MatrixBytes(shape, table), written)) return rule::overlap_table;
  return CheckIntegers(lookup.ids, out.rows, static_cast<std::int64_t>(lookup.vocabulary), id_rules, written,
                       bad_index);
}

posenc_status CheckBatch(const Batch& batch, std::size_t element_size) {
  if (batch.sequences < 2 || batch.rows == 0) return rule::ok;
  if (batch.batch_stride / batch.rows < batch.row_stride) return rule::stride_batch;
  return batch.sequences > PTRDIFF_MAX / element_size / batch.batch_stride ? rule::size_batch : rule::ok;
}

}  // namespace internal
}  // namespace posenc
