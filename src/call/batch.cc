// Batches: positions are walked in ascending blocks; the encodings of a block are computed once, in tiles,
// then added to every sequence that contains them. Sequences are looked through for each block, so no more
// than 64 share their blocks.

#include <algorithm>

#include "call/call.h"
#include "call/tile.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kMaxSequences = 64;
constexpr auto kBlockRows = static_cast<std::int64_t>(Tile::kRows);

// The sequences begin .. end - 1 of a batch.
struct Sequences {
  const Batch& batch;
  std::size_t begin, end;
};

// The positions [first, end) that a block covers, and how many sequences contain some of them.
struct Block {
  std::int64_t first, end;
  std::size_t sequences;

  Positions positions() const { return {nullptr, first, static_cast<std::size_t>(end - first)}; }
};

// The next block from `cursor` on: starts with the least position needed.
Block NextBlock(const Sequences& sequences, std::int64_t cursor) {
  const Batch& batch = sequences.batch;
  const auto rows = static_cast<std::int64_t>(batch.rows);
  Block block{INT64_MAX, INT64_MIN, 0};
  for (std::size_t b = sequences.begin; b < sequences.end; ++b) {
    if (batch.First(b) + rows <= cursor) continue;
    block.first = std::min(block.first, std::max(batch.First(b), cursor));
    block.end = std::max(block.end, batch.First(b) + rows);
  }
  if (block.end == INT64_MIN) return block;
  block.end = std::min(block.end, block.first + kBlockRows);
  for (std::size_t b = sequences.begin; b < sequences.end; ++b) {
    if (batch.First(b) < block.end && batch.First(b) + rows > block.first) ++block.sequences;
  }
  return block;
}

// Calls visit(first, end, row) for the part [first, end) of the block in each sequence; row is that of first.
template <class Visit>
void ForSequences(const Call& call, const Sequences& sequences, const Block& block, const Visit& visit) {
  const Batch& batch = sequences.batch;
  for (std::size_t b = sequences.begin; b < sequences.end; ++b) {
    const std::int64_t start = batch.First(b);
    const std::int64_t first = std::max(start, block.first);
    const std::int64_t end = std::min(start + static_cast<std::int64_t>(batch.rows), block.end);
    if (first >= end) continue;
    const std::size_t offset =
        b * batch.batch_stride + static_cast<std::size_t>(first - start) * batch.row_stride;
    visit(first, end, static_cast<unsigned char*>(batch.data) + offset * call.element_size());
  }
}

void AddBlock(const Call& call, const Sequences& sequences, const Block& block) {
  const Encoder& encoder = call.encoder;
  const Columns& columns = encoder.columns;
  const bool interleaved = columns.InTurns();
  Positions positions = block.positions();
  positions.first += encoder.offset;
  const std::size_t size = call.element_size(), row_bytes = sequences.batch.row_stride * size;
  const auto add_entries = encoder.kernels->add_entries[call.type];
  Tile tile;
  for (std::size_t pair = 0; pair < columns.sines; pair += Tile::kPairs) {
    const std::size_t sines = std::min(columns.sines - pair, Tile::kPairs);
    const std::size_t cosines = std::min(columns.cosines - std::min(pair, columns.cosines), sines);
    tile.Fill(*encoder.kernels, encoder.table.Slice(pair, sines), positions, interleaved);
    const std::size_t sine_bytes = (columns.sine_offset + pair * columns.step) * size;
    const std::size_t cosine_bytes = (columns.cosine_offset + pair * columns.step) * size;
    ForSequences(call, sequences, block, [&](std::int64_t first, std::int64_t end, unsigned char* row) {
      for (std::int64_t p = first; p < end; ++p, row += row_bytes) {
        const auto r = static_cast<std::size_t>(p - block.first);
        if (interleaved) {
          add_entries(tile.interleaved(r), sines + cosines, *call.scale, row + sine_bytes);
        } else {
          add_entries(tile.sines(r), sines, *call.scale, row + sine_bytes);
          add_entries(tile.cosines(r), cosines, *call.scale, row + cosine_bytes);
        }
        if (call.MakesNans()) MakeNansCanonical(encoder.dim, row);
      }
    });
  }
}

// Rows of pairs alone, sines first or apart.
bool SharesTiles(const Encoder& encoder) {
  const Columns& columns = encoder.columns;
  return encoder.HasPairsOnly() && !encoder.has_padding && (!columns.InTurns() || columns.SinesFirst());
}

void AddSequences(const Call& call, const Sequences& sequences) {
  for (std::int64_t cursor = INT64_MIN;;) {
    const Block block = NextBlock(sequences, cursor);
    if (block.sequences == 0) return;
    if (block.sequences == 1 || !SharesTiles(call.encoder)) {
      ForSequences(call, sequences, block, [&](std::int64_t first, std::int64_t end, unsigned char* row) {
        const Positions positions = {nullptr, call.encoder.offset + first,
                                     static_cast<std::size_t>(end - first)};
        call.Apply({positions, row, sequences.batch.row_stride, nullptr, false});
      });
    } else {
      AddBlock(call, sequences, block);
    }
    cursor = block.end;
  }
}

}  // namespace

void WalkBatch(const Call& call, const Batch& batch) {
  InFpState([&] {
    for (std::size_t begin = 0; begin < batch.sequences; begin += kMaxSequences) {
      AddSequences(call, {batch, begin, std::min(begin + kMaxSequences, batch.sequences)});
    }
    return 0;
  });
}

}  // namespace internal
}  // namespace posenc
