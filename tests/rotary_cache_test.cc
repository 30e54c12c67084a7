// Caches of cosines and sines: every entry of every layout and type is the nearest number, the amplitude
// included; what is not of the layout keeps its bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rotary_tensors.h"

namespace posenc {
namespace {

constexpr double kAmplitudes[] = {1.0, 1.3465735902799727, 0x1p-64, 0x1p64, 0.1, 1.0 + 0x1p-24};

class RotaryCache : public PerTarget {};

TEST_P(RotaryCache, EveryEntryIsTheNearestNumber) {
  for (const std::size_t dim : {2u, 6u, 64u, 130u, 1024u}) {
    if (IsReference() && dim > 64) continue;
    const posenc_rotary_spec spec = MakeRotarySpec(dim, target());
    const TurnTable turns(spec, RotaryPositions());
    for (const double amplitude : kAmplitudes) {
      if (dim == 1024 && amplitude != kAmplitudes[1]) continue;
      ForEachEntryType(
          [&](auto entry) { ExpectCaches<decltype(entry)>(spec, turns, amplitude, dim % 3, 0); });
      if (HasFailure()) return;
    }
  }
}

TEST_P(RotaryCache, TablesOfAnyAlignment) {
  const posenc_rotary_spec spec = MakeRotarySpec(22, target());
  const TurnTable turns(spec, {0.0, 1.0, 1e-9, -131071.0});
  for (std::size_t shift = 1; shift < 9; ++shift) {
    ForEachEntryType([&](auto entry) { ExpectCaches<decltype(entry)>(spec, turns, 1.25, 2, shift); });
  }
}

// Parts of heads have as many columns as turn.
TEST_P(RotaryCache, PartsOfHeads) {
  posenc_rotary_spec spec = MakeRotarySpec(80, target());
  spec.rotary_dim = 26;
  spec.rotary_offset = 30;
  const TurnTable turns(spec, {0.0, 7.0, -1.0, 0x1p31});
  ForEachEntryType([&](auto entry) { ExpectCaches<decltype(entry)>(spec, turns, 0.75, 1, 0); });
}

// In turns: cosines and sines that are 0, and whole amplitudes, ties of a type among them.
TEST_P(RotaryCache, WholeQuarterTurns) {
  posenc_rotary_spec spec = MakeRotarySpec(8, target());
  spec.unit = POSENC_TURNS;
  spec.base = 16.0;
  std::vector<double> positions;
  for (int k = -20; k <= 20; ++k) positions.push_back(k * 0.125);
  positions.push_back(0x1p31);
  const TurnTable turns(spec, positions);
  for (const double amplitude :
       {1.0, 1.0 + 0x1p-24, 1.0 + 3 * 0x1p-24, 1.0 + 0x1p-8, 1.0 - 0x1p-12, 0x1.8p-64}) {
    ForEachEntryType([&](auto entry) { ExpectCaches<decltype(entry)>(spec, turns, amplitude, 0, 0); });
    if (HasFailure()) return;
  }
}

// A run of positions is the list of them, in integers of both widths and in floats.
TEST_P(RotaryCache, RunsAndListsOfEveryTypeAgree) {
  constexpr std::size_t kTokens = 70, kDim = 34;
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(kDim, target()));
  const auto write = [&](auto call) {
    std::vector<double> table(kTokens * kDim);
    const posenc_cache cache = {POSENC_CACHE_COS_SIN, POSENC_F64, table.data(), nullptr, kDim};
    EXPECT_EQ(call(&cache), POSENC_OK);
    return table;
  };
  for (const std::int64_t first :
       {std::int64_t{-33}, std::int64_t{16000000}, -kMaxPosition, kMaxPosition - 69}) {
    const auto run =
        write([&](const posenc_cache* c) { return posenc_rotary_write(rotary.get(), first, kTokens, c); });
    const auto expect = [&](posenc_type type, const auto& list) {
      EXPECT_TRUE(SameBits(run, write([&](const posenc_cache* c) {
                             return posenc_rotary_write_at(rotary.get(), type, list.data(), kTokens, c,
                                                           nullptr);
                           })))
          << "from " << first << ", type " << type;
    };
    expect(POSENC_I64, Consecutive<std::int64_t>(first, kTokens));
    expect(POSENC_F64, Consecutive<double>(first, kTokens));
    if (std::abs(first) > 1 << 30) continue;
    expect(POSENC_I32, Consecutive<std::int32_t>(first, kTokens));
    expect(POSENC_F32, Consecutive<float>(first, kTokens));
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryCache);

}  // namespace
}  // namespace posenc
