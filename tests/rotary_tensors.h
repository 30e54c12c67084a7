// Tensors of pairs that are known, with what becomes of them: rotated in every pairing, in place and from a
// source. And caches of cosines and sines.
#ifndef POSENC_TESTS_ROTARY_TENSORS_H_
#define POSENC_TESTS_ROTARY_TENSORS_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "rotary_cases.h"

namespace posenc {

// The oracle's turns of a spec at some positions, the same on all axes: [tokens, pairs].
class TurnTable {
 public:
  TurnTable(const posenc_rotary_spec& spec, const std::vector<double>& positions)
      : oracle_(spec), positions_(positions) {}

  const std::vector<double>& positions() const { return positions_; }
  std::size_t tokens() const { return positions_.size(); }
  std::size_t pairs() const { return oracle_.pairs(); }
  GainedTurn Gained(std::size_t token, std::size_t pair, const RotaryGain& gain) const {
    return {&oracle_, pair, positions_[token], gain};
  }

 private:
  mutable oracle::RotaryOracle oracle_;  // keeps the frequencies that it has evaluated
  std::vector<double> positions_;
};

// The elements of a head that do not turn.
template <class T>
T Rest(std::size_t k) {
  return FromBits<T>(0x0101010101010101u * (k % 100 + 1));
}

template <class T>
class RotaryTensor {
 public:
  RotaryTensor(const posenc_rotary_spec& spec, std::size_t tokens, std::size_t heads, std::size_t pairs,
               std::vector<Rotated<T>> before, std::vector<Rotated<T>> after)
      : head_dim_(spec.head_dim),
        offset_(spec.rotary_offset),
        tokens_(tokens),
        heads_(heads),
        pairs_(pairs),
        before_(std::move(before)),
        after_(std::move(after)) {}

  std::vector<T> Before(posenc_pairing pairing) const { return Arrange(before_, pairing); }
  std::vector<T> After(posenc_pairing pairing) const { return Arrange(after_, pairing); }
  std::size_t size() const { return tokens_ * heads_ * head_dim_; }

  posenc_heads Heads(T* data, const T* source, const RotaryGain& gain) const {
    posenc_heads heads{};
    heads.data = data;
    heads.heads = heads_;
    heads.token_stride = heads_ * head_dim_;
    heads.head_stride = head_dim_;
    if (source != nullptr) {
      heads.source = source;
      heads.source_token_stride = heads.token_stride;
      heads.source_head_stride = heads.head_stride;
    }
    heads.scale = gain.scale;
    heads.inverse = gain.inverse ? 1 : 0;
    return heads;
  }

  // That `got` is `want`, or says what is wrong. Where `any_nan`, NaNs are NaNs.
  testing::AssertionResult IsAfter(const std::vector<T>& got, posenc_pairing pairing,
                                   bool any_nan = false) const {
    const std::vector<T> want = After(pairing);
    if (SameBits(got, want)) return testing::AssertionSuccess();
    for (std::size_t t = 0; t < tokens_; ++t) {
      for (std::size_t h = 0; h < heads_; ++h) {
        const std::size_t head = (t * heads_ + h) * head_dim_;
        for (std::size_t e = 0; e < head_dim_; ++e) {
          const T is = got[head + e], expected = want[head + e];
          if (SameBits(is, expected)) continue;
          if (any_nan && std::isnan(Value(is)) && std::isnan(Value(expected))) continue;
          auto failure = testing::AssertionFailure();
          failure << "token " << t << ", head " << h << ", element " << e << ": " << std::hexfloat
                  << Value(is) << " (bits " << std::hex << BitsOf(is) << "), not " << Value(expected)
                  << " (bits " << BitsOf(expected) << ")";
          for (std::size_t i = 0; i < pairs_; ++i) {
            const ElementIndices at = IndicesOf(pairing, i, pairs_);
            if (offset_ + at.a != e && offset_ + at.b != e) continue;
            const Rotated<T>& pair = before_[(t * heads_ + h) * pairs_ + i];
            failure << std::dec << ", of pair " << i << " (" << Value(pair.x) << ", " << Value(pair.y) << ")";
          }
          return failure;
        }
      }
    }
    return testing::AssertionSuccess();
  }

 private:
  std::vector<T> Arrange(const std::vector<Rotated<T>>& pairs, posenc_pairing pairing) const {
    std::vector<T> elements(size());
    for (std::size_t k = 0; k < elements.size(); ++k) elements[k] = Rest<T>(k);
    for (std::size_t head = 0; head < tokens_ * heads_; ++head) {
      for (std::size_t i = 0; i < pairs_; ++i) {
        const ElementIndices at = IndicesOf(pairing, i, pairs_);
        elements[head * head_dim_ + offset_ + at.a] = pairs[head * pairs_ + i].x;
        elements[head * head_dim_ + offset_ + at.b] = pairs[head * pairs_ + i].y;
      }
    }
    return elements;
  }

  std::size_t head_dim_, offset_, tokens_, heads_, pairs_;
  std::vector<Rotated<T>> before_, after_;
};

// Tables of cosines and sines: the layouts of posenc_cache_layout in its own words. Each row has columns
// more, of which, as of all that is not Put, the entries are `other`.
template <class C>
struct OwnCache {
  posenc_cache_layout layout;
  posenc_pairing pairing;
  std::size_t pairs, rows, stride;
  C other;
  std::vector<C> cos, sin;

  OwnCache(posenc_cache_layout the_layout, posenc_pairing the_pairing, std::size_t the_pairs,
           std::size_t the_rows, std::size_t more, C the_other)
      : layout(the_layout), pairing(the_pairing), pairs(the_pairs), rows(the_rows), other(the_other) {
    stride = (layout == POSENC_CACHE_HALVES ? pairs : 2 * pairs) + more;
    cos.resize(rows * stride, other);
    if (HasTwo()) sin = cos;
  }

  bool HasTwo() const { return layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED; }

  void Put(std::size_t row, std::size_t i, C cosine, C sine) {
    C* c = &cos[row * stride];
    C* s = HasTwo() ? &sin[row * stride] : c;
    const ElementIndices both = IndicesOf(pairing, i, pairs);
    switch (layout) {
      case POSENC_CACHE_HALVES:
        c[i] = cosine;
        s[i] = sine;
        break;
      case POSENC_CACHE_DUPLICATED:
        c[both.a] = c[both.b] = cosine;
        s[both.a] = s[both.b] = sine;
        break;
      case POSENC_CACHE_COS_SIN:
        c[i] = cosine;
        c[pairs + i] = sine;
        break;
      default:
        c[2 * i] = cosine;
        c[2 * i + 1] = sine;
    }
  }

  posenc_cache Get() {
    posenc_cache cache{};
    cache.layout = layout;
    cache.type = TypeOf<C>();
    cache.cos = cos.data();
    cache.sin = HasTwo() ? sin.data() : nullptr;
    cache.row_stride = stride;
    return cache;
  }
};

inline constexpr posenc_cache_layout kCacheLayouts[] = {POSENC_CACHE_HALVES, POSENC_CACHE_DUPLICATED,
                                                        POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS};

// Pairs by make(turn, head, pair), a Rotated<T>, and what want(turn, a, b), another, makes of them.
template <class T, class Make, class Want>
RotaryTensor<T> MakeTensor(const posenc_rotary_spec& spec, const TurnTable& turns, std::size_t heads,
                           const RotaryGain& gain, const Make& make, const Want& want) {
  const std::size_t pairs = turns.pairs();
  std::vector<Rotated<T>> before(turns.tokens() * heads * pairs), after(before.size());
  for (std::size_t t = 0; t < turns.tokens(); ++t) {
    for (std::size_t i = 0; i < pairs; ++i) {
      const GainedTurn turn = turns.Gained(t, i, gain);
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t at = (t * heads + h) * pairs + i;
        before[at] = make(turn, h, i);
        after[at] = want(turn, before[at].x, before[at].y);
      }
    }
  }
  return {spec, turns.tokens(), heads, pairs, std::move(before), std::move(after)};
}

using Pairings = std::vector<std::pair<posenc_pairing, posenc_pairing>>;
inline Pairings AllPairings() {
  return {{POSENC_HALF_SPLIT, POSENC_HALF_SPLIT},
          {POSENC_NEIGHBOURS, POSENC_NEIGHBOURS},
          {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS},
          {POSENC_NEIGHBOURS, POSENC_HALF_SPLIT}};
}

// Rotates tensors with gains of one amplitude, in one call, in place and from sources.
template <class T>
void ExpectRotated(posenc_rotary_spec spec, const TurnTable& turns,
                   const std::vector<RotaryTensor<T>>& tensors, const std::vector<RotaryGain>& gains,
                   const Pairings& pairings, bool any_nan = false) {
  spec.amplitude = gains[0].amplitude;
  for (const auto& [from, to] : pairings) {
    SCOPED_TRACE(testing::Message() << "head_dim " << spec.head_dim << ", rotary_dim " << spec.rotary_dim
                                    << ", pairings " << from << " to " << to << ", amplitude "
                                    << spec.amplitude);
    spec.pairing = from;
    spec.output_pairing = from == to && spec.head_dim % 4 == 0 ? POSENC_SAME_PAIRING : to;
    const RotaryPtr rotary = CreateRotary(spec);
    ASSERT_NE(rotary, nullptr);
    for (const bool in_place : {true, false}) {
      std::vector<std::vector<T>> sources, results;
      std::vector<posenc_heads> heads;
      for (std::size_t k = 0; k < tensors.size(); ++k) {
        sources.push_back(tensors[k].Before(from));
        results.push_back(in_place ? sources[k] : std::vector<T>(tensors[k].size()));
        heads.push_back(
            tensors[k].Heads(results[k].data(), in_place ? nullptr : sources[k].data(), gains[k]));
      }
      ASSERT_EQ(posenc_rotate_at(rotary.get(), POSENC_F64, turns.positions().data(), turns.tokens(),
                                 TypeOf<T>(), heads.data(), heads.size(), nullptr),
                POSENC_OK);
      for (std::size_t k = 0; k < tensors.size(); ++k) {
        ASSERT_TRUE(tensors[k].IsAfter(results[k], to, any_nan))
            << (in_place ? "in place" : "from a source") << ", scale " << gains[k].scale
            << (gains[k].inverse ? ", back" : "");
        ASSERT_TRUE(in_place || SameBits(sources[k], tensors[k].Before(from)));
      }
    }
  }
}

}  // namespace posenc

#endif  // POSENC_TESTS_ROTARY_TENSORS_H_
