// Tensors of known pairs together with the expected results: rotated in every pairing, in place and from a
// source. Also caches of cosines and sines.
#ifndef POSENC_TESTS_ROTARY_TENSORS_H_
#define POSENC_TESTS_ROTARY_TENSORS_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <utility>
#include <vector>

#include "rotary_cases.h"

namespace posenc {

// The oracle's angles for a spec at positions [axes, tokens]: [tokens, pairs].
class AngleTable {
 public:
  AngleTable(const posenc_rotary_spec& spec, const std::vector<double>& positions)
      : oracle_(spec), positions_(positions), tokens_(positions.size() / spec.axes) {}

  const std::vector<double>& positions() const { return positions_; }
  std::size_t tokens() const { return tokens_; }
  std::size_t pairs() const { return oracle_.pairs(); }
  ScaledAngle Scaled(std::size_t token, std::size_t pair, const RotaryGain& gain) const {
    const auto at = [&](std::size_t axis) { return positions_[axis * tokens_ + token]; };
    return {&oracle_, pair, oracle_.PositionOf(pair, at), gain};
  }

 private:
  mutable oracle::RotaryOracle oracle_;  // remembers frequencies that it has evaluated
  std::vector<double> positions_;
  std::size_t tokens_;
};

// Elements of a head that do not rotate.
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
    posenc_heads heads = DenseHeads(data, heads_, head_dim_);
    heads.source = source;
    heads.source_token_stride = source != nullptr ? heads.token_stride : 0;
    heads.source_head_stride = source != nullptr ? heads.head_stride : 0;
    heads.scale = gain.scale;
    heads.inverse = gain.inverse ? 1 : 0;
    return heads;
  }

  // Whether `got` is `want`; if not, says what is wrong. With `any_nan` all NaNs are equal.
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

// Tables of cosines and sines, written as posenc_cache_layout describes. Each row has more columns. All
// entries that are not Put have the value `other`.
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

  bool HasTwo() const { return layout != POSENC_CACHE_COS_SIN && layout != POSENC_CACHE_PAIRS; }

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
      case POSENC_CACHE_HALVES_TWICE:
        c[i] = c[pairs + i] = cosine;
        s[i] = s[pairs + i] = sine;
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
                                                        POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS,
                                                        POSENC_CACHE_HALVES_TWICE};

// Makes a tensor: make(angle, head, pair) gives a pair before rotation, and want(angle, a, b) the pair after
// it.
template <class T, class Make, class Want>
RotaryTensor<T> MakeTensor(const posenc_rotary_spec& spec, const AngleTable& angles, std::size_t heads,
                           const RotaryGain& gain, const Make& make, const Want& want) {
  const std::size_t pairs = angles.pairs();
  std::vector<Rotated<T>> before(angles.tokens() * heads * pairs), after(before.size());
  for (std::size_t t = 0; t < angles.tokens(); ++t) {
    for (std::size_t i = 0; i < pairs; ++i) {
      const ScaledAngle angle = angles.Scaled(t, i, gain);
      for (std::size_t h = 0; h < heads; ++h) {
        const std::size_t at = (t * heads + h) * pairs + i;
        before[at] = make(angle, h, i);
        after[at] = want(angle, before[at].x, before[at].y);
      }
    }
  }
  return {spec, angles.tokens(), heads, pairs, std::move(before), std::move(after)};
}

using Pairings = std::vector<std::pair<posenc_pairing, posenc_pairing>>;
inline Pairings AllPairings() {
  return {{POSENC_HALF_SPLIT, POSENC_HALF_SPLIT},
          {POSENC_NEIGHBOURS, POSENC_NEIGHBOURS},
          {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS},
          {POSENC_NEIGHBOURS, POSENC_HALF_SPLIT}};
}

// Rotates several tensors in one call, in place and from sources. Each tensor has its own gain with the same
// amplitude. make(angle, gain, head, pair) gives each pair, and want(angle, a, b) the expected result.
template <class T, class Make, class Want>
void ExpectRotated(posenc_rotary_spec spec, const AngleTable& angles, std::size_t heads,
                   const std::vector<RotaryGain>& gains, const Pairings& pairings, const Make& make,
                   const Want& want, bool any_nan = false) {
  std::vector<RotaryTensor<T>> tensors;
  for (const RotaryGain& gain : gains) {
    tensors.push_back(MakeTensor<T>(
        spec, angles, heads, gain,
        [&](const ScaledAngle& angle, std::size_t h, std::size_t i) { return make(angle, gain, h, i); },
        want));
  }
  spec.amplitude = gains[0].amplitude;
  for (const auto& [from, to] : pairings) {
    SCOPED_TRACE(testing::Message() << "head_dim " << spec.head_dim << ", rotary_dim " << spec.rotary_dim
                                    << ", axes " << spec.axes << " in order " << spec.axis_order
                                    << ", pairings " << from << " to " << to << ", amplitude "
                                    << spec.amplitude);
    spec.pairing = from;
    spec.output_pairing = from == to && spec.head_dim % 4 == 0 ? POSENC_SAME_PAIRING : to;
    const RotaryPtr rotary = CreateRotary(spec);
    ASSERT_NE(rotary, nullptr);
    for (const bool in_place : {true, false}) {
      std::vector<std::vector<T>> sources, results;
      std::vector<posenc_heads> of_tensors;
      for (std::size_t k = 0; k < tensors.size(); ++k) {
        sources.push_back(tensors[k].Before(from));
        results.push_back(in_place ? sources[k] : std::vector<T>(tensors[k].size()));
        of_tensors.push_back(
            tensors[k].Heads(results[k].data(), in_place ? nullptr : sources[k].data(), gains[k]));
      }
      const bool is_torn = in_place && from != to && angles.pairs() > 512;
      ASSERT_EQ(posenc_rotate_at(rotary.get(), PointerTo(List(POSENC_F64, angles.positions().data())),
                                 angles.tokens(), of_tensors.data(), of_tensors.size(), nullptr),
                is_torn ? Refusal(POSENC_BAD_ARGUMENT, "needs a source") : Refusal(POSENC_OK));
      if (is_torn) {  // nothing is written
        for (std::size_t k = 0; k < tensors.size(); ++k) ASSERT_TRUE(SameBits(results[k], sources[k]));
        continue;
      }
      for (std::size_t k = 0; k < tensors.size(); ++k) {
        ASSERT_TRUE(tensors[k].IsAfter(results[k], to, any_nan))
            << (in_place ? "in place" : "from a source") << ", scale " << gains[k].scale
            << (gains[k].inverse ? ", back" : "");
        ASSERT_TRUE(in_place || SameBits(sources[k], tensors[k].Before(from)));
      }
    }
  }
}

// Rotates by caches of every pairing and layout. Rows begin `shift` bytes after an aligned address and have
// `more` columns. All bytes outside the layout must stay.
template <class T>
void ExpectCaches(posenc_rotary_spec spec, const AngleTable& angles, double amplitude, std::size_t more,
                  std::size_t shift) {
  constexpr unsigned char kCanary = 0xA5;
  spec.amplitude = amplitude;
  const std::size_t pairs = angles.pairs(), tokens = angles.tokens();
  std::vector<Rotated<T>> entries;
  for (std::size_t k = 0; k < tokens * pairs; ++k) {
    entries.push_back(angles.Scaled(k / pairs, k % pairs, {amplitude, 1.0, false}).Entries<T>());
  }
  for (const posenc_pairing pairing : kPairings) {
    spec.pairing = pairing;
    const RotaryPtr rotary = CreateRotary(spec);
    ASSERT_NE(rotary, nullptr);
    for (const posenc_cache_layout layout : kCacheLayouts) {
      OwnCache<T> want(layout, pairing, pairs, tokens, more,
                       FromBits<T>(std::uint64_t{0x0101010101010101} * kCanary));
      for (std::size_t k = 0; k < entries.size(); ++k)
        want.Put(k / pairs, k % pairs, entries[k].x, entries[k].y);
      const std::size_t bytes = want.cos.size() * sizeof(T);
      std::vector<unsigned char> cos(shift + bytes + 2 * sizeof(T), kCanary), sin = cos, want_cos = cos,
                                                                              want_sin = cos;
      std::memcpy(&want_cos[shift], want.cos.data(), bytes);
      if (want.HasTwo()) std::memcpy(&want_sin[shift], want.sin.data(), bytes);
      posenc_cache cache = want.Get();
      cache.cos = cos.data() + shift;
      if (want.HasTwo()) cache.sin = sin.data() + shift;
      ASSERT_EQ(posenc_write_cache_at(rotary.get(), PointerTo(List(POSENC_F64, angles.positions().data())),
                                      tokens, &cache, nullptr),
                POSENC_OK);
      for (const auto& [got, right] : {std::pair(&cos, &want_cos), {&sin, &want_sin}}) {
        if (*got == *right) continue;
        const auto at = std::mismatch(got->begin(), got->end(), right->begin()).first - got->begin();
        const std::size_t k = (static_cast<std::size_t>(at) - shift) / sizeof(T);
        FAIL() << "layout " << layout << ", pairing " << pairing << ", amplitude " << std::hexfloat
               << amplitude << std::dec << ", " << (got == &cos ? "cos" : "sin") << " row " << k / want.stride
               << ", column " << k % want.stride << " of " << want.stride << ", byte " << at;
      }
    }
  }
}

}  // namespace posenc

#endif  // POSENC_TESTS_ROTARY_TENSORS_H_
