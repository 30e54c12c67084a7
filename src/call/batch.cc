// Adds encodings to a batch of sequences. Sequences usually have many positions in common. So this file goes
// through the positions in ascending blocks, computes the encodings of a block once, in a tile, and adds them
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

// The most sequences that share blocks. More would be slow, because each block looks at all sequences.
constexpr std::size_t kMaxSequences = 64;

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
struct Block {
  std::int64_t first, end;
  std::size_t sequences;  // how many sequences contain some of these positions
  std::size_t rows;       // how many rows these sequences have at these positions, in total

  Positions positions() const { return {nullptr, first, static_cast<std::size_t>(end - first)}; }

  // Whether it is cheaper to compute each position once and share it than to compute the rows of each
  // sequence by themselves. Without sharing, each sequence begins a new run, which costs about as much as one
  // more row.
  bool IsWorthSharing() const {
    return sequences > 1 && rows + sequences >= static_cast<std::size_t>(end - first);
  }
};

// The next block. It begins at the lowest position that is at least `cursor` and belongs to a sequence, and
// has at most `most` positions. If only one sequence is in the block, it needs no tile: then it may have up
// to Rows::kMax positions, and ends where another sequence begins. After the last block comes a block without
// sequences.
Block NextBlock(const Sequences& sequences, std::int64_t cursor, std::size_t most) {
  const auto rows = static_cast<std::int64_t>(sequences.batch.rows);
  Block block{INT64_MAX, INT64_MIN, 0, 0};
  for (std::size_t b = 0; b < sequences.count; ++b) {
    const std::int64_t first = sequences.first[b];
    if (first + rows <= cursor) continue;
    block.first = std::min(block.first, std::max(first, cursor));
    block.end = std::max(block.end, first + rows);
  }
  if (block.end == INT64_MIN) return block;
  block.end = std::min(block.end, block.first + static_cast<std::int64_t>(most));
  std::int64_t end = block.end, next = INT64_MAX;
  for (std::size_t b = 0; b < sequences.count; ++b) {
    const std::int64_t first = sequences.first[b];
    if (first >= block.end) {
      next = std::min(next, first);
    } else if (first + rows > block.first) {
      end = first + rows;
      ++block.sequences;
      block.rows += static_cast<std::size_t>(std::min(end, block.end) - std::max(first, block.first));
    }
  }
  if (block.sequences == 1) {
    block.end = std::min({end, next, block.first + static_cast<std::int64_t>(Rows::kMax)});
  }
  return block;
}

// Calls visit(first, end, row) for each sequence that is in the block: the sequence has the block's positions
// first .. end - 1, and `row` is the address of its row for position `first`.
template <class Visit>
void ForSequences(const Call& call, const Sequences& sequences, const Block& block, const Visit& visit) {
  const Batch& batch = sequences.batch;
  for (std::size_t b = 0; b < sequences.count; ++b) {
    const std::int64_t start = sequences.first[b];
    const std::int64_t first = std::max(start, block.first);
    const std::int64_t end = std::min(start + static_cast<std::int64_t>(batch.rows), block.end);
    if (first >= end) continue;
    const std::size_t offset = (sequences.begin + b) * batch.batch_stride +
                               static_cast<std::size_t>(first - start) * batch.row_stride;
    visit(first, end, static_cast<unsigned char*>(batch.data) + offset * call.element_size());
  }
}

// Computes a block in a tile and adds it to all of its sequences. The function is not inlined, because the
// tile takes 24 KB of stack, which calls without a tile should not need.
POSENC_NOINLINE void AddBlock(const Call& call, const Sequences& sequences, const Block& block) {
  const Encoder& encoder = call.encoder;
  const Columns& columns = encoder.columns;
  const bool interleaved = columns.Interleaved();
  Positions positions = block.positions();
  positions.first += encoder.offset;
  const std::size_t size = call.element_size(), row_bytes = sequences.batch.row_stride * size;
  const auto add_entries = encoder.kernels->add_entries[call.type];
  Tile tile(columns.sines);
  for (std::size_t pair = 0; pair < columns.sines; pair += tile.pairs()) {
    const std::size_t sines = std::min(columns.sines - pair, tile.pairs());
    const std::size_t cosines = std::min(columns.cosines - std::min(pair, columns.cosines), sines);
    tile.Fill(*encoder.kernels, encoder.table.Slice(pair, sines), positions, interleaved);
    const std::size_t sine_bytes = (columns.sine_offset + pair * columns.step) * size;
    const std::size_t cosine_bytes = (columns.cosine_offset + pair * columns.step) * size;
    ForSequences(call, sequences, block, [&](std::int64_t first, std::int64_t end, unsigned char* rows) {
      for (std::int64_t p = first; p < end; ++p) {
        const auto r = static_cast<std::size_t>(p - block.first);
        unsigned char* const row = rows + static_cast<std::size_t>(p - first) * row_bytes;
        const std::uintptr_t next_row = AddressOf(row) + row_bytes;
        if (interleaved) {
          add_entries(tile.interleaved(r), sines + cosines, *call.scale, row + sine_bytes,
                      next_row + sine_bytes);
        } else {
          add_entries(tile.sines(r), sines, *call.scale, row + sine_bytes, next_row + sine_bytes);
          add_entries(tile.cosines(r), cosines, *call.scale, row + cosine_bytes, next_row + cosine_bytes);
        }
        if (call.MakesNans()) MakeNansCanonical(encoder.dim, row);
      }
    });
  }
}

// Whether rows can be added from a tile. Their columns must all belong to pairs, in one of the common orders,
// because a tile has nothing else.
bool SharesTiles(const Encoder& encoder) {
  return encoder.HasPairsOnly() && !encoder.has_padding && encoder.columns.AreCommon();
}

void AddSequences(const Call& call, const Sequences& sequences) {
  const std::size_t most = Tile::RowsOf(call.encoder.columns.sines);
  for (std::int64_t cursor = INT64_MIN;;) {
    const Block block = NextBlock(sequences, cursor, most);
    if (block.sequences == 0) return;
    if (block.IsWorthSharing()) {
      AddBlock(call, sequences, block);
    } else {
      ForSequences(call, sequences, block, [&](std::int64_t first, std::int64_t end, unsigned char* row) {
        const Positions positions = {nullptr, call.encoder.offset + first,
                                     static_cast<std::size_t>(end - first)};
        call.Apply({positions, row, sequences.batch.row_stride, nullptr, false});
      });
    }
    cursor = block.end;
  }
}

}  // namespace

void WalkBatch(const Call& call, const Batch& batch) {
  if (!SharesTiles(call.encoder)) {
    for (std::size_t b = 0; b < batch.sequences; ++b) {
      const std::size_t offset = b * batch.batch_stride * call.element_size();
      WalkRows(call, batch.First(b), List(), batch.rows,
               {static_cast<unsigned char*>(batch.data) + offset, batch.row_stride});
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
