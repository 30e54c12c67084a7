// Batches: positions are walked in ascending blocks; the encodings of a block are written once to a buffer,
// then added to every sequence that contains them. Sequences are looked through for each block, so no more
// than 64 share their blocks.

#include <algorithm>

#include "call.h"
#include "elements.h"
#include "fp_state.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kTile = 64;
constexpr std::int64_t kBlockRows = 32;
constexpr std::size_t kBlockPairs = 128;  // the buffer is 32 KB of stack

// The pairs first .. first + kBlockPairs - 1 of a table.
FrequencyTable View(const FrequencyTable& table, std::size_t first) {
  FrequencyTable view = table;
  view.first += first;
  view.count = std::min(table.count - first, kBlockPairs);
  if (table.high != nullptr) {
    view.high += first;
    view.low += first;
    view.whole_high += first;
    view.whole_low += first;
  }
  if (table.rotations != nullptr) view.rotations += first;
  if (table.divisors != nullptr) view.divisors += first;
  return view;
}

// The sequences begin .. end - 1 of a batch.
struct Tile {
  const Batch& batch;
  std::size_t begin, end;
};

// The positions [first, end) that a block covers, and the sequences that contain some of them.
struct Block {
  std::int64_t first, end;
  std::size_t sequences;
};

// The next block from `cursor` on: starts with the least position needed.
Block NextBlock(const Tile& tile, std::int64_t cursor) {
  const Batch& batch = tile.batch;
  const auto rows = static_cast<std::int64_t>(batch.rows);
  Block block{INT64_MAX, INT64_MIN, 0};
  for (std::size_t b = tile.begin; b < tile.end; ++b) {
    if (batch.firsts[b] + rows <= cursor) continue;
    block.first = std::min(block.first, std::max(batch.firsts[b], cursor));
    block.end = std::max(block.end, batch.firsts[b] + rows);
  }
  if (block.end == INT64_MIN) return block;
  block.end = std::min(block.end, block.first + kBlockRows);
  for (std::size_t b = tile.begin; b < tile.end; ++b) {
    if (batch.firsts[b] < block.end && batch.firsts[b] + rows > block.first) ++block.sequences;
  }
  return block;
}

// Calls visit(first, end, row) for the part [first, end) of the block in each sequence; row is that of first.
template <class Visit>
void ForSequences(const Call& call, const Tile& tile, const Block& block, const Visit& visit) {
  const Batch& batch = tile.batch;
  for (std::size_t b = tile.begin; b < tile.end; ++b) {
    const std::int64_t start = batch.firsts[b];
    const std::int64_t first = std::max(start, block.first);
    const std::int64_t end = std::min(start + static_cast<std::int64_t>(batch.rows), block.end);
    if (first >= end) continue;
    const std::size_t offset =
        b * batch.batch_stride + static_cast<std::size_t>(first - start) * batch.row_stride;
    visit(first, end, static_cast<unsigned char*>(batch.data) + offset * ElementSize(call.type));
  }
}

Rows RunOfRows(std::int64_t first, std::int64_t end, void* data, std::size_t stride) {
  Rows rows{};
  rows.first = first;
  rows.count = static_cast<std::size_t>(end - first);
  rows.data = data;
  rows.stride = stride;
  return rows;
}

void AddBlock(const Call& call, const Tile& tile, const Block& block) {
  const Batch& batch = tile.batch;
  const std::size_t size = ElementSize(call.type);
  const bool interleaved = call.columns.step == 2;
  alignas(64) float buffer[kBlockRows * 2 * kBlockPairs];
  for (std::size_t pair = 0; pair < call.columns.sines; pair += kBlockPairs) {
    Columns columns = call.columns;
    columns.sines = std::min(call.columns.sines - pair, kBlockPairs);
    columns.cosines = call.columns.cosines < pair ? 0 : std::min(call.columns.cosines - pair, kBlockPairs);
    columns.sine_offset = 0;
    columns.cosine_offset = interleaved ? 1 : kBlockPairs;
    call.kernels.write[kFloat32](View(call.table, pair), columns,
                                 RunOfRows(block.first, block.end, buffer, 2 * kBlockPairs));
    const auto add_entries = call.kernels.add_entries[call.type];
    const std::size_t sine_column = call.columns.sine_offset + pair * call.columns.step;
    const std::size_t cosine_column = call.columns.cosine_offset + pair;
    ForSequences(call, tile, block, [&](std::int64_t first, std::int64_t end, unsigned char* row) {
      const float* entries = buffer + static_cast<std::size_t>(first - block.first) * 2 * kBlockPairs;
      for (std::int64_t p = first; p < end; ++p, row += batch.row_stride * size, entries += 2 * kBlockPairs) {
        const std::size_t count = interleaved ? columns.sines + columns.cosines : columns.sines;
        add_entries(entries, count, *call.scale, row + sine_column * size);
        if (!interleaved) {
          add_entries(entries + kBlockPairs, columns.cosines, *call.scale, row + cosine_column * size);
        }
      }
    });
  }
}

void AddTile(const Call& call, const Tile& tile) {
  for (std::int64_t cursor = INT64_MIN;;) {
    const Block block = NextBlock(tile, cursor);
    if (block.sequences == 0) return;
    if (block.sequences == 1) {
      ForSequences(call, tile, block, [&](std::int64_t first, std::int64_t end, unsigned char* row) {
        call.Apply(RunOfRows(first, end, row, tile.batch.row_stride));
      });
    } else {
      AddBlock(call, tile, block);
    }
    cursor = block.end;
  }
}

}  // namespace

void AddBatch(const Call& call, const Batch& batch) {
  InFpState([&] {
    for (std::size_t begin = 0; begin < batch.sequences; begin += kTile) {
      AddTile(call, {batch, begin, std::min(begin + kTile, batch.sequences)});
    }
    return Status::kOk;
  });
}

}  // namespace internal
}  // namespace posenc
