// Caches of cosines and sines: every entry of every layout and type is the nearest number, the amplitude
// included; what is not of the layout keeps its bytes.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "rotary_tensors.h"

namespace posenc {
namespace {

constexpr unsigned char kCanary = 0xA5;
constexpr double kAmplitudes[] = {1.0, 1.3465735902799727, 0x1p-64, 0x1p64, 0.1, 1.0 + 0x1p-24};

class RotaryCache : public PerTarget {
 protected:
  // What tables hold, of bytes; entries by Put, all else canaries.
  struct Tables {
    std::vector<unsigned char> cos, sin;
  };

  template <class T>
  static void Put(std::vector<unsigned char>* table, std::size_t at, T entry) {
    std::memcpy(table->data() + at * sizeof(T), &entry, sizeof(T));
  }

  // All layouts at once, whatever their rows begin with: `shift` bytes more than is aligned.
  template <class T>
  void Expect(posenc_rotary_spec spec, const TurnTable& turns, double amplitude, std::size_t padding,
              std::size_t shift) const {
    spec.amplitude = amplitude;
    const std::size_t pairs = turns.pairs(), tokens = turns.tokens();
    std::vector<T> cosines, sines;
    for (std::size_t t = 0; t < tokens; ++t) {
      for (std::size_t i = 0; i < pairs; ++i) {
        const GainedTurn turn = turns.Gained(t, i, {amplitude, 1.0, false});
        cosines.push_back(turn.Cosine<T>());
        sines.push_back(turn.Sine<T>());
      }
    }
    for (const posenc_pairing pairing : kPairings) {
      spec.pairing = pairing;
      const RotaryPtr rotary = CreateRotary(spec);
      ASSERT_NE(rotary, nullptr);
      for (const posenc_cache_layout layout :
           {POSENC_CACHE_HALVES, POSENC_CACHE_DUPLICATED, POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS}) {
        const bool has_two = layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED;
        const std::size_t stride = (layout == POSENC_CACHE_HALVES ? pairs : 2 * pairs) + padding;
        const std::vector<unsigned char> empty(tokens * stride * sizeof(T) + 2 * sizeof(T), kCanary);
        Tables want{empty, empty}, got = want;
        for (std::size_t k = 0; k < cosines.size(); ++k) {
          const std::size_t row = k / pairs * stride, i = k % pairs;
          const ElementIndices both = IndicesOf(pairing, i, pairs);
          switch (layout) {
            case POSENC_CACHE_HALVES:
              Put(&want.cos, row + i, cosines[k]);
              Put(&want.sin, row + i, sines[k]);
              break;
            case POSENC_CACHE_DUPLICATED:
              for (const std::size_t at : {both.a, both.b}) {
                Put(&want.cos, row + at, cosines[k]);
                Put(&want.sin, row + at, sines[k]);
              }
              break;
            case POSENC_CACHE_COS_SIN:
              Put(&want.cos, row + i, cosines[k]);
              Put(&want.cos, row + pairs + i, sines[k]);
              break;
            default:
              Put(&want.cos, row + 2 * i, cosines[k]);
              Put(&want.cos, row + 2 * i + 1, sines[k]);
          }
        }
        Tables shifted{std::vector<unsigned char>(shift, kCanary),
                       std::vector<unsigned char>(shift, kCanary)};
        shifted.cos.insert(shifted.cos.end(), got.cos.begin(), got.cos.end());
        shifted.sin.insert(shifted.sin.end(), got.sin.begin(), got.sin.end());
        posenc_cache cache{};
        cache.layout = layout;
        cache.type = TypeOf<T>();
        cache.cos = shifted.cos.data() + shift;
        cache.sin = has_two ? shifted.sin.data() + shift : nullptr;
        cache.row_stride = stride;
        ASSERT_EQ(posenc_rotary_write_at(rotary.get(), POSENC_F64, turns.positions().data(), tokens, &cache,
                                         nullptr),
                  POSENC_OK);
        std::memcpy(got.cos.data(), shifted.cos.data() + shift, got.cos.size());
        std::memcpy(got.sin.data(), shifted.sin.data() + shift, got.sin.size());
        EXPECT_EQ(std::vector<unsigned char>(shifted.cos.begin(),
                                             shifted.cos.begin() + static_cast<std::ptrdiff_t>(shift)),
                  std::vector<unsigned char>(shift, kCanary));
        for (const bool is_cos : {true, false}) {
          const std::vector<unsigned char>& is = is_cos ? got.cos : got.sin;
          const std::vector<unsigned char>& expected = is_cos ? want.cos : want.sin;
          for (std::size_t at = 0; at < is.size() / sizeof(T); ++at) {
            T entry, right;
            std::memcpy(&entry, &is[at * sizeof(T)], sizeof(T));
            std::memcpy(&right, &expected[at * sizeof(T)], sizeof(T));
            ASSERT_TRUE(SameBits(entry, right))
                << "layout " << layout << ", pairing " << pairing << ", amplitude " << std::hexfloat
                << amplitude << ", position " << turns.positions()[std::min(at / stride, tokens - 1)] << ", "
                << std::dec << (is_cos ? "cos" : "sin") << " column " << at % stride << " of " << stride
                << ": " << std::hex << BitsOf(entry) << ", not " << BitsOf(right);
          }
        }
      }
    }
  }
};

TEST_P(RotaryCache, EveryEntryIsTheNearestNumber) {
  for (const std::size_t dim : {2u, 6u, 64u, 130u, 1024u}) {
    if (IsReference() && dim > 64) continue;
    const posenc_rotary_spec spec = MakeRotarySpec(dim, target());
    const TurnTable turns(spec, RotaryPositions());
    for (const double amplitude : kAmplitudes) {
      if (dim == 1024 && amplitude != kAmplitudes[1]) continue;
      ForEachEntryType([&](auto entry) { Expect<decltype(entry)>(spec, turns, amplitude, dim % 3, 0); });
      if (HasFailure()) return;
    }
  }
}

TEST_P(RotaryCache, TablesOfAnyAlignment) {
  const posenc_rotary_spec spec = MakeRotarySpec(22, target());
  const TurnTable turns(spec, {0.0, 1.0, 1e-9, -131071.0});
  for (std::size_t shift = 1; shift < 9; ++shift) {
    ForEachEntryType([&](auto entry) { Expect<decltype(entry)>(spec, turns, 1.25, 2, shift); });
  }
}

// Parts of heads have as many columns as turn.
TEST_P(RotaryCache, PartsOfHeads) {
  posenc_rotary_spec spec = MakeRotarySpec(80, target());
  spec.rotary_dim = 26;
  spec.rotary_offset = 30;
  const TurnTable turns(spec, {0.0, 7.0, -1.0, 0x1p31});
  ForEachEntryType([&](auto entry) { Expect<decltype(entry)>(spec, turns, 0.75, 1, 0); });
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
    ForEachEntryType([&](auto entry) { Expect<decltype(entry)>(spec, turns, amplitude, 0, 0); });
    if (HasFailure()) return;
  }
}

// A run of positions is the list of them, in integers of both widths and in floats.
TEST_P(RotaryCache, RunsAndListsOfEveryTypeAgree) {
  constexpr std::size_t kTokens = 70, kDim = 34;
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(kDim, target()));
  const auto write = [&](auto call) {
    std::vector<double> table(kTokens * kDim);
    posenc_cache cache{};
    cache.layout = POSENC_CACHE_COS_SIN;
    cache.type = POSENC_F64;
    cache.cos = table.data();
    cache.row_stride = kDim;
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
