// Adds encodings to a batch of sequences. Sequences usually have many positions in common. So this file goes
// through the positions in ascending ranges, computes the encodings of a range once, in a tile, and adds them
// to every sequence that contains the positions.
#include "number/exact.h"

#include <algorithm>

#include "call/call.h"
#include "call/tile.h"
#include "number/compiler.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

// The most sequences that share a tile. More would be slow, because each range looks at all sequences.
constexpr std::size_t kMaxSequences = 64;

// The most columns of a row that are in the tile at the same time. So the tile holds 12 rows or more. With
// fewer rows, computing them would take longer, because each filling of the tile begins a run.
constexpr std::size_t kMaxColumns = 512;

// The sequences begin .. begin + count - 1 of a batch, and the first position of each.
struct Sequences {
  Sequences(const Batch& whole, std::size_t from)
      : batch(whole), begin(from), count(std::min(whole.sequences - from, kMaxSequences)) {
    for (std::size_t b = 0; b < count; ++b) first[b] = whole.First(from + b);
  }

  const Batch& batch;
  std::size_t begin, count;
  std::int64_t first[kMaxSequences];
};

// The positions first .. end - 1, and how many rows of the sequences have them.
struct PositionRange {
  std::int64_t first, end;
  std::size_t sequences;  // how many sequences contain some of these positions
  std::size_t rows;       // how many rows these sequences have at these positions, in total

  // Whether it is cheaper to compute each position once and share it than to compute the rows of each
  // sequence by themselves. Each run costs about as much as one more row. Sharing needs one run; without
  // sharing, each sequence begins a run of its own.
  bool IsWorthSharing() const {
    return sequences > 1 && rows + sequences >= static_cast<std::size_t>(end - first) + 1;
  }
};

// The next range. It begins at the lowest position that is at least `cursor` and belongs to a sequence, and
// has at most `most` positions. If only one sequence has them, they need no tile: then the range may have
// up to Rows::kMax positions, and ends where another sequence begins. After the last range comes one without
// sequences.
PositionRange NextRange(const Sequences& sequences, std::int64_t cursor, std::size_t most) {
  const auto rows = static_cast<std::int64_t>(sequences.batch.rows);
  PositionRange range{INT64_MAX, INT64_MIN, 0, 0};
  for (std::size_t b = 0; b < sequences.count; ++b) {
    const std::int64_t first = sequences.first[b];
    if (first + rows <= cursor) continue;
    range.first = std::min(range.first, std::max(first, cursor));
    range.end = std::max(range.end, first + rows);
  }
  if (range.end == INT64_MIN) return range;
  range.end = std::min(range.end, range.first + static_cast<std::int64_t>(most));
  std::int64_t end = range.end, next = INT64_MAX;
  for (std::size_t b = 0; b < sequences.count; ++b) {
    const std::int64_t first = sequences.first[b];
    if (first >= range.end) {
      next = std::min(next, first);
    } else if (first + rows > range.first) {
      end = first + rows;
      ++range.sequences;
      range.rows += static_cast<std::size_t>(std::min(end, range.end) - std::max(first, range.first));
    }
  }
  if (range.sequences == 1) {
    range.end = std::min({end, next, range.first + static_cast<std::int64_t>(Rows::kMax)});
  }
  return range;
}

// Calls visit(first, end, row) for each sequence that is in the range: the sequence has the range's positions
// first .. end - 1, and `row` is the address of its row for position `first`.
template <class Visit>
void ForSequences(const Call& call, const Sequences& sequences, const PositionRange& range,
                  const Visit& visit) {
  const Batch& batch = sequences.batch;
  for (std::size_t b = 0; b < sequences.count; ++b) {
    const std::int64_t start = sequences.first[b];
    const std::int64_t first = std::max(start, range.first);
    const std::int64_t end = std::min(start + static_cast<std::int64_t>(batch.rows), range.end);
    if (first >= end) continue;
    const std::size_t size = call.element_size();
    unsigned char* const sequence = RowAt(batch.data, batch.batch_stride, size, sequences.begin + b);
    visit(first, end, RowAt(sequence, batch.row_stride, size, static_cast<std::size_t>(first - start)));
  }
}

// Whether rows can be added from a tile. Long rows cannot if they have columns that belong to no pair.
bool FitsTile(const Encoder& encoder) { return encoder.dim <= kMaxColumns || encoder.HasPairsOnly(); }

// The most rows that are in the tile at the same time. It is 12 or a multiple of 16, because the kernel for
// runs computes rows in such groups, and would have to start again for the rest.
std::size_t TileRows(std::size_t dim) {
  const std::size_t most = kTileFloats / std::min(dim, kMaxColumns);
  return most < 16 ? most / 2 * 2 : std::min(most / 16 * 16, Rows::kMax);
}

// Consecutive columns of a row.
struct ColumnRange {
  std::size_t begin, count;
};

// The columns of the pairs from `pair` on, up to kMaxColumns: an encoder of rows that have only these
// columns, and where they are in the caller's rows. If they are not interleaved, they are in two places.
struct ColumnsOfPairs {
  Encoder encoder;
  ColumnRange places[2];
};

ColumnsOfPairs TakePairs(const Encoder& encoder, std::size_t pair) {
  const auto some = [&](std::size_t all) { return std::min(all - std::min(pair, all), kMaxColumns / 2); };
  const Columns& all = encoder.columns;
  const std::size_t sines = some(all.sines), cosines = some(all.cosines);
  ColumnsOfPairs taken = {encoder, {}};
  taken.encoder.dim = sines + cosines;
  taken.encoder.table = encoder.table.Slice(pair, std::max(sines, cosines));
  if (all.Interleaved()) {
    const std::size_t first = std::min(all.sine_offset, all.cosine_offset);
    taken.encoder.columns = {sines, cosines, all.sine_offset - first, all.cosine_offset - first, 2};
    taken.places[0] = {first + 2 * pair, sines + cosines};
  } else {
    taken.encoder.columns = {sines, cosines, 0, sines, 1};
    taken.places[0] = {all.sine_offset + pair, sines};
    taken.places[1] = {all.cosine_offset + pair, cosines};
  }
  return taken;
}

// Computes rows of some columns in the tile, at a range of positions, and adds them to all sequences that
// contain positions of the range.
void AddColumns(const Call& call, const Sequences& sequences, const PositionRange& range,
                const Encoder& encoder, const ColumnRange (&places)[2], float* tile) {
  const std::size_t size = call.element_size(), row_bytes = sequences.batch.row_stride * size;
  FillTile(encoder, range.first, List(), static_cast<std::size_t>(range.end - range.first), tile);
  ForSequences(call, sequences, range, [&](std::int64_t first, std::int64_t end, unsigned char* row) {
    const float* entries = tile + static_cast<std::size_t>(first - range.first) * encoder.dim;
    for (const ColumnRange& place : places) {
      if (place.count == 0) continue;
      AddFromTile(call, entries, encoder.dim, place.count, static_cast<std::size_t>(end - first),
                  row + place.begin * size, row_bytes);
      entries += place.count;
    }
  });
}

// AddColumns for all columns. Not inlined, because of the tile's stack, which calls without a tile should not
// need.
POSENC_NOINLINE void AddRange(const Call& call, const Sequences& sequences, const PositionRange& range) {
  const Encoder& encoder = call.encoder;
  alignas(64) float tile[kTileFloats];
  if (encoder.dim <= kMaxColumns) {
    return AddColumns(call, sequences, range, encoder, {{0, encoder.dim}, {0, 0}}, tile);
  }
  for (std::size_t pair = 0; pair < encoder.columns.pairs(); pair += kMaxColumns / 2) {
    const ColumnsOfPairs taken = TakePairs(encoder, pair);
    AddColumns(call, sequences, range, taken.encoder, taken.places, tile);
  }
}

void AddSequences(const Call& call, const Sequences& sequences) {
  const std::size_t most = TileRows(call.encoder.dim);
  for (std::int64_t cursor = INT64_MIN;;) {
    const PositionRange range = NextRange(sequences, cursor, most);
    if (range.sequences == 0) return;
    if (range.IsWorthSharing()) {
      AddRange(call, sequences, range);
    } else {
      ForSequences(call, sequences, range, [&](std::int64_t first, std::int64_t end, unsigned char* row) {
        const Positions positions = {nullptr, call.encoder.offset + first,
                                     static_cast<std::size_t>(end - first)};
        call.Apply({positions, row, sequences.batch.row_stride, nullptr, false});
      });
    }
    cursor = range.end;
  }
}

}  // namespace

void WalkBatch(const Call& call, const Batch& batch) {
  if (batch.sequences == 1 || !FitsTile(call.encoder)) {
    for (std::size_t b = 0; b < batch.sequences; ++b) {
      WalkRows(call, batch.First(b), List(), batch.rows,
               {RowAt(batch.data, batch.batch_stride, call.element_size(), b), batch.row_stride});
    }
    return;
  }
  InFpState([&] {
    for (std::size_t begin = 0; begin < batch.sequences; begin += kMaxSequences) {
      AddSequences(call, {batch, begin});
    }
    return 0;
  });
}

}  // namespace internal
}  // namespace posenc
