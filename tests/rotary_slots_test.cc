// Heads that go to slots of a paged cache have the bits of heads that are rotated into a plain tensor and
// then copied to their slots, on every target. Nothing else in the cache is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "guarded_pages.h"
#include "posenc/rotary.h"
#include "posenc/rotary_slots_c.h"
#include "refusal.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

using Random = std::mt19937;
std::size_t Below(Random& random, std::size_t end) { return random() % end; }

// How the caches of a call are laid out: [blocks, block_size, heads, head_dim] or
// [blocks, heads, block_size, head_dim], with gaps of this number of elements after each head, slot and
// block.
struct Layout {
  bool has_heads_outside;
  std::size_t block_size, blocks, gap;
};

// The source of a tensor [tokens, heads, head_dim], and a cache of elements T with slots for it. The cache
// ends at a page that nobody may touch, and begins at any address modulo the size of an element.
template <class T, class Source = T>
class SlotTensor {
 public:
  SlotTensor(std::size_t tokens, std::size_t heads, std::size_t head_dim, const Layout& layout,
             const std::vector<std::int64_t>& slots, posenc_type list_type, std::size_t before_end)
      : tokens_(tokens),
        heads_(heads),
        head_dim_(head_dim),
        slots_of_tokens_(slots),
        source_(tokens * heads * head_dim) {
    PairMaker<Source> maker(static_cast<unsigned>(head_dim + tokens));
    for (std::size_t n = 0; n + 1 < source_.size(); n += 2) {
      const auto angle = static_cast<double>(n % 70);
      const Rotated<Source> pair = maker.Make(n / 2, std::cos(angle), std::sin(angle), 1.0);
      source_[n] = pair.x;
      source_[n + 1] = pair.y;
    }
    const std::size_t inner = head_dim + layout.gap;
    const std::size_t outer = inner * (layout.has_heads_outside ? layout.block_size : heads) + layout.gap;
    slots_.count = layout.block_size * layout.blocks;
    slots_.block_size = layout.block_size;
    slots_.offset_stride = layout.has_heads_outside ? inner : outer;
    slots_.block_stride = outer * (layout.has_heads_outside ? heads : layout.block_size) + layout.gap;
    head_stride_ = layout.has_heads_outside ? outer : inner;
    // One byte before the list, so that it is not aligned.
    const std::size_t value = list_type == POSENC_I32 ? 4 : 8;
    list_.resize(1 + tokens * value);
    for (std::size_t t = 0; t < tokens; ++t) {
      const auto narrow = static_cast<std::int32_t>(slots[t]);
      std::memcpy(&list_[1 + t * value],
                  list_type == POSENC_I32 ? static_cast<const void*>(&narrow) : &slots[t], value);
    }
    slots_.list = {list_type, list_.data() + 1};
    const std::size_t bytes =
        (Element(static_cast<std::int64_t>(slots_.count) - 1, heads - 1) + head_dim) * sizeof(T);
    pages_ = std::make_unique<GuardedPages>(bytes + before_end);
    cache_ = pages_->end() - before_end - bytes;
    std::fill(pages_->begin(), pages_->end(), static_cast<unsigned char>(0xA5));
  }

  // The tensor whose heads go to slots. The struct points to this object.
  posenc_heads ToSlots() const {
    posenc_heads heads = From();
    heads.data = cache_;
    heads.token_stride = 1;  // is ignored
    heads.head_stride = head_stride_;
    heads.slots = &slots_;
    return heads;
  }

  // The same heads in a plain tensor [tokens, heads, head_dim].
  posenc_heads ToPlain(std::vector<T>* plain) const {
    plain->resize(source_.size());
    posenc_heads heads = From();
    heads.data = plain->data();
    heads.token_stride = heads_ * head_dim_;
    heads.head_stride = head_dim_;
    return heads;
  }

  // All memory of the cache: now, and after a plain tensor has been copied to the slots.
  std::vector<unsigned char> Content() const { return {pages_->begin(), pages_->end()}; }
  std::vector<unsigned char> Scattered(const std::vector<T>& plain) const {
    std::vector<unsigned char> content(static_cast<std::size_t>(pages_->end() - pages_->begin()), 0xA5);
    unsigned char* const cache = content.data() + (cache_ - pages_->begin());
    for (std::size_t t = 0; t < tokens_; ++t) {
      for (std::size_t h = 0; h < heads_ && slots_of_tokens_[t] >= 0; ++h) {
        std::memcpy(cache + Element(slots_of_tokens_[t], h) * sizeof(T), &plain[(t * heads_ + h) * head_dim_],
                    head_dim_ * sizeof(T));
      }
    }
    return content;
  }

 private:
  std::size_t Element(std::int64_t slot, std::size_t head) const {
    const auto at = static_cast<std::size_t>(slot);
    return at / slots_.block_size * slots_.block_stride + at % slots_.block_size * slots_.offset_stride +
           head * head_stride_;
  }

  posenc_heads From() const {
    posenc_heads heads{};
    heads.type = TypeOf<T>();
    heads.source_type = TypeOf<Source>();
    heads.heads = heads_;
    heads.source = source_.data();
    heads.source_token_stride = heads_ * head_dim_;
    heads.source_head_stride = head_dim_;
    return heads;
  }

  std::size_t tokens_, heads_, head_dim_, head_stride_;
  std::vector<std::int64_t> slots_of_tokens_;
  std::vector<Source> source_;
  std::vector<unsigned char> list_;
  posenc_slots slots_{};
  std::unique_ptr<GuardedPages> pages_;
  unsigned char* cache_;
};

// The calls that rotate, all at the same tokens.
enum class Way { kRun, kList, kCacheRun, kCacheList, kAngles };
constexpr Way kWays[] = {Way::kRun, Way::kList, Way::kCacheRun, Way::kCacheList, Way::kAngles};

class Rotations {
 public:
  Rotations(const posenc_rotary_spec& spec, std::size_t tokens)
      : tokens_(tokens), rotary_(CreateRotary(spec)), cosines_(tokens * spec.head_dim), sines_(cosines_) {
    for (std::size_t n = 0; n < tokens * spec.axes; ++n) {
      positions_.push_back(static_cast<std::int64_t>(n * 7919 % 1000) + (n % 3 == 0 ? 131071 : 0));
      rows_.push_back(static_cast<std::int64_t>((n * 5 + 2) % tokens));
    }
    cache_ = {POSENC_CACHE_HALVES, POSENC_F32, cosines_.data(), sines_.data(), spec.head_dim};
    EXPECT_EQ(posenc_write_cache(rotary_.get(), kFirst, tokens, &cache_), POSENC_OK);
    std::size_t bytes = 0;
    EXPECT_EQ(posenc_angles_memory_size(rotary_.get(), tokens, &bytes), POSENC_OK);
    memory_.resize(bytes);
    const posenc_list list = {POSENC_I64, positions_.data()};
    EXPECT_EQ(posenc_angles_make_at(rotary_.get(), &list, tokens, memory_.data(), bytes, &angles_, nullptr),
              POSENC_OK);
  }

  posenc_status operator()(Way way, const std::vector<posenc_heads>& tensors) const {
    const posenc_list positions = {POSENC_I64, positions_.data()}, rows = {POSENC_I64, rows_.data()};
    const posenc_const_cache cache = {cache_.layout, cache_.type,       cache_.cos,
                                      cache_.sin,    cache_.row_stride, tokens_};
    const posenc_heads* heads = tensors.data();
    const std::size_t count = tensors.size();
    switch (way) {
      case Way::kRun:
        return posenc_rotate(rotary_.get(), kFirst, tokens_, heads, count);
      case Way::kList:
        return posenc_rotate_at(rotary_.get(), &positions, tokens_, heads, count, nullptr);
      case Way::kCacheRun:
        return posenc_rotate_cached(rotary_.get(), &cache, 0, tokens_, heads, count);
      case Way::kCacheList:
        return posenc_rotate_cached_at(rotary_.get(), &cache, &rows, tokens_, heads, count, nullptr);
      default:
        return posenc_rotate_by_angles(rotary_.get(), angles_, 0, tokens_, heads, count);
    }
  }

 private:
  static constexpr std::int64_t kFirst = 1021;

  std::size_t tokens_;
  RotaryPtr rotary_;
  std::vector<std::int64_t> positions_, rows_;
  std::vector<float> cosines_, sines_;
  posenc_cache cache_{};
  std::vector<unsigned char> memory_;
  posenc_angles* angles_ = nullptr;
};

// A slot for each token: in blocks of a random block table, as a runtime with several sequences makes them;
// or anywhere, some for several tokens. Some tokens have none.
std::vector<std::int64_t> RandomSlots(Random& random, std::size_t tokens, const Layout& layout) {
  std::vector<std::int64_t> slots(tokens);
  const std::size_t kind = Below(random, 3), count = layout.blocks * layout.block_size;
  std::size_t next = Below(random, count);
  for (std::int64_t& slot : slots) {
    next = next % layout.block_size == layout.block_size - 1 || kind == 0 ? Below(random, count) : next + 1;
    if (kind == 1) next %= 3;  // the same slots again and again
    slot = Below(random, 8) == 0 ? -1 : static_cast<std::int64_t>(next % count);
  }
  return slots;
}

class RotarySlots : public PerTarget {
 protected:
  // Rotates tensors with slots beside one without, and compares with plain tensors.
  template <class T, class Source>
  void ExpectScattered(const posenc_rotary_spec& spec, Random& random) const {
    const std::size_t dim = spec.head_dim, tokens = IsReference() ? 5 : 3 + Below(random, 20);
    const Rotations rotate(spec, tokens);
    std::vector<float> factors(tokens);
    for (float& factor : factors) factor = static_cast<float>(1 + Below(random, 3)) * 0.75f;
    for (const bool has_heads_outside : {false, true}) {
      const std::size_t gap = Below(random, 3) * 2;
      const Layout layout{has_heads_outside, 1 + Below(random, 5), 1 + Below(random, 5), gap};
      const std::vector<std::int64_t> k_slots = RandomSlots(random, tokens, layout),
                                      v_slots = RandomSlots(random, tokens, layout);
      // Other alignments than the element's one come in half of the trials.
      const std::size_t before_end = Below(random, 2) == 0 ? 0 : Below(random, 5);
      for (const Way way : kWays) {
        SCOPED_TRACE(testing::Message()
                     << "way " << static_cast<int>(way) << ", " << tokens << " tokens, block_size "
                     << layout.block_size << ", " << layout.blocks << " blocks, gap " << layout.gap
                     << (has_heads_outside ? ", heads outside" : ""));
        const SlotTensor<T, Source> k(tokens, 3, dim, layout, k_slots, POSENC_I64, before_end),
            v(tokens, 1, dim, layout, v_slots, POSENC_I32, 0);
        std::vector<T> plain_k, plain_v, plain_q, q;
        std::vector<posenc_heads> plain = {k.ToPlain(&plain_k), v.ToPlain(&plain_q), v.ToPlain(&plain_v)};
        std::vector<posenc_heads> tensors = {k.ToSlots(), v.ToPlain(&q), v.ToSlots()};
        plain[1].scale = tensors[1].scale = 0.7;
        plain[2].inverse = tensors[2].inverse = 1;
        plain[2].token_factors = tensors[2].token_factors = factors.data();
        ASSERT_EQ(rotate(way, plain), POSENC_OK);
        ASSERT_EQ(rotate(way, tensors), POSENC_OK);
        EXPECT_TRUE(k.Content() == k.Scattered(plain_k));
        EXPECT_TRUE(v.Content() == v.Scattered(plain_v));
        EXPECT_TRUE(SameBits(q, plain_q));
        if (HasFailure()) return;
      }
    }
  }
};

// Every pairing, elements that do not rotate, several axes, and heads of several pieces (kMaxPiece).
TEST_P(RotarySlots, AreWhereRotatedHeadsAreCopied) {
  Random random(7);
  for (const char* words :
       {"head_dim=128", "head_dim=128 pairing=neighbours amplitude=1.3465",
        "head_dim=22 output_pairing=neighbours", "head_dim=50 rotary_dim=32 rotary_offset=6",
        "head_dim=64 rotary_dim=40 rotary_offset=10 pairing=neighbours "
        "output_pairing=half_split axes=3 sections=8:6:6",
        "head_dim=20 phase_rounding=f32_inv_freq", "head_dim=1100 rotary_dim=1030",
        "head_dim=1032 output_pairing=neighbours"}) {
    for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
      SCOPED_TRACE(std::string(words) + (arithmetic == POSENC_FAST ? ", fast" : ", exact"));
      posenc_rotary_spec spec = RotarySpecOf(words);
      spec.target = target();
      spec.arithmetic = arithmetic;
      if (IsReference() && spec.head_dim > 128) continue;
      ForEachType([&](auto element) {
        using T = decltype(element);
        ExpectScattered<T, T>(spec, random);
        SCOPED_TRACE("from float32");
        if constexpr (!std::is_same_v<T, float>) ExpectScattered<T, float>(spec, random);
      });
      if (HasFailure()) return;
    }
  }
}

// The struct of slots is read while heads are written, so it must not be in memory that is written.
TEST_P(RotarySlots, StructOfSlotsMustNotBeWritten) {
  RotarySpec spec;
  spec.head_dim = 2;
  spec.target = target();
  Rotary rotary;
  ASSERT_EQ(Rotary::Create(spec, &rotary), POSENC_OK);
  const std::vector<float> source(4, 1e30f);
  const std::int32_t list[2] = {0, 1};
  for (const bool is_of_another : {false, true}) {
    std::vector<float> memory(128), other(128);
    const Slots slots(list, 2, 1, 64, 2);
    std::memcpy(memory.data(), &slots, sizeof(posenc_slots));
    const std::vector<float> before = memory;
    Heads tensors[2] = {{is_of_another ? other.data() : memory.data(), 1, 2, 2}, {memory.data(), 1, 2, 2}};
    tensors[0].source = source.data();
    tensors[0].source_token_stride = 2;
    tensors[0].slots = reinterpret_cast<const posenc_slots*>(memory.data());
    const std::size_t count = is_of_another ? 2 : 1;
    EXPECT_EQ(rotary.Rotate(0, 2, {tensors, count}), Refusal(rule::overlap_slots));
    EXPECT_EQ(memory, before);
  }
}

// Exact arithmetic leaves single pairs for later. They must not be stored after a later token of the same
// slot. A tensor between two tokens has the same gain, so that only the slots say when the pairs must be
// stored.
TEST_P(RotarySlots, TheLastTokenOfASlotWins) {
  constexpr std::size_t kTokens = 40, kDim = 128;
  posenc_rotary_spec spec = MakeRotarySpec(kDim, target());
  const Rotations rotate(spec, kTokens);
  const Layout layout{false, 4, 2, 0};
  std::vector<std::int64_t> same(kTokens, 5), with_gaps(kTokens), falling(kTokens), returning(kTokens);
  for (std::size_t t = 0; t < kTokens; ++t) {
    with_gaps[t] = t % 2 == 0 ? 5 : -1;
    falling[t] = t % 3 == 2 ? 5 : static_cast<std::int64_t>(7 - t % 3);
    returning[t] = static_cast<std::int64_t>(t % 3 + 2);
  }
  const auto expect = [&](auto result, auto before) {
    for (const auto& slots : {same, with_gaps, falling, returning}) {
      SCOPED_TRACE(testing::Message() << "slots " << slots[0] << ", " << slots[1] << ", " << slots[2]);
      for (const Way way : {Way::kRun, Way::kAngles}) {
        const SlotTensor<decltype(result), decltype(before)> k(kTokens, 1, kDim, layout, slots, POSENC_I32,
                                                               0);
        std::vector<decltype(result)> plain;
        ASSERT_EQ(rotate(way, {k.ToPlain(&plain)}), POSENC_OK);
        ASSERT_EQ(rotate(way, {k.ToSlots()}), POSENC_OK);
        EXPECT_TRUE(k.Content() == k.Scattered(plain));
      }
    }
  };
  ForEachType([&](auto element) {
    expect(element, element);
    expect(element, float());
  });
}

POSENC_INSTANTIATE_PER_TARGET(RotarySlots);

}  // namespace
}  // namespace posenc
