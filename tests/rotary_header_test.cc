// rotary.h over rotary_c.h: every method, for every type of arguments, calls the right C function with the
// arguments in the right places. Rotaries own what they created. Defaults, members and values are the same as
// in C.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "per_target.h"
#include "posenc/rotary.h"
#include "refusal.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

// All numbers differ, so that exchanged arguments are noticed.
constexpr std::size_t kHeadDim = 12, kTokens = 3, kQHeads = 4, kKHeads = 2, kRows = 7, kStride = 13;
constexpr std::int64_t kFirst = -5;
constexpr std::size_t kNone = 4711;

Rotary Create(std::size_t head_dim = kHeadDim) {
  RotarySpec spec;
  spec.head_dim = head_dim;
  Rotary rotary;
  EXPECT_EQ(Rotary::Create(spec, &rotary), POSENC_OK);
  return rotary;
}

bool IsSame(const posenc_rotary_spec& a, const posenc_rotary_spec& b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

TEST(RotarySpecs, HaveTheDefaultsOfC) {
  posenc_rotary_spec want;
  ASSERT_EQ(posenc_rotary_spec_init(&want, sizeof(want)), POSENC_OK);
  EXPECT_TRUE(IsSame(RotarySpec(), want));
  want.head_dim = 6;
  EXPECT_TRUE(IsSame(RotarySpec(want), want));
}

TEST(HeadsAndCaches, AreThoseOfC) {
  BFloat16 data[1] = {};
  for (const Heads& heads : {Heads{data, 1, 2, 3}, Heads{POSENC_BF16, data, 1, 2, 3}}) {
    posenc_heads want{};
    want.type = POSENC_BF16;
    want.data = data;
    want.heads = 1;
    want.token_stride = 2;
    want.head_stride = 3;
    EXPECT_EQ(std::memcmp(&heads, &want, sizeof(want)), 0);
  }
  double cos = 0.0, sin = 0.0;
  for (const Cache& cache : {Cache{POSENC_CACHE_DUPLICATED, &cos, &sin, 9},
                             Cache{POSENC_CACHE_DUPLICATED, POSENC_F64, &cos, &sin, 9}}) {
    EXPECT_EQ(cache.layout, POSENC_CACHE_DUPLICATED);
    EXPECT_EQ(cache.type, POSENC_F64);
    EXPECT_EQ(cache.cos, &cos);
    EXPECT_EQ(cache.sin, &sin);
    EXPECT_EQ(cache.row_stride, 9u);
    const ConstCache read{cache, 4};
    EXPECT_EQ(read.layout, POSENC_CACHE_DUPLICATED);
    EXPECT_EQ(read.type, POSENC_F64);
    EXPECT_EQ(read.cos, &cos);
    EXPECT_EQ(read.sin, &sin);
    EXPECT_EQ(read.row_stride, 9u);
    EXPECT_EQ(read.rows, 4u);
  }
  const BFloat16 table[1] = {};
  for (const ConstCache& cache : {ConstCache{POSENC_CACHE_PAIRS, table, nullptr, 8, 7},
                                  ConstCache{POSENC_CACHE_PAIRS, POSENC_BF16, table, nullptr, 8, 7}}) {
    EXPECT_EQ(cache.layout, POSENC_CACHE_PAIRS);
    EXPECT_EQ(cache.type, POSENC_BF16);
    EXPECT_EQ(cache.cos, table);
    EXPECT_EQ(cache.sin, nullptr);
    EXPECT_EQ(cache.row_stride, 8u);
    EXPECT_EQ(cache.rows, 7u);
  }
}

// Calls C++ and C with the same q and k.
template <class T>
class Both {
 public:
  Heads q() { return Q(&got_); }
  Heads k() { return K(&got_); }
  const posenc_heads* c_tensors() {
    c_tensors_[0] = Q(&want_);
    c_tensors_[1] = K(&want_);
    return c_tensors_;
  }
  std::size_t bad = kNone, c_bad = kNone;

  // Compares the results and starts again.
  void Expect(Status got, posenc_status want) {
    EXPECT_EQ(got, want);
    EXPECT_EQ(bad, c_bad);
    EXPECT_TRUE(SameBits(got_, want_));
    EXPECT_EQ(SameBits(want_, Both().want_), want != POSENC_OK);
    *this = Both();
  }

 private:
  // q [tokens, heads, head_dim] is rotated from a source, and scaled. k [heads, tokens, head_dim] is rotated
  // in place, by -p.
  static constexpr std::size_t kQ = kTokens * kQHeads * kHeadDim, kK = kTokens * kKHeads * kHeadDim;
  static Heads Q(std::vector<T>* x) {
    Heads q{x->data(), kQHeads, kQHeads * kHeadDim, kHeadDim};
    q.source = x->data() + kQ + kK;
    q.source_token_stride = kQHeads * kHeadDim;
    q.source_head_stride = kHeadDim;
    q.scale = 0.375;
    return q;
  }
  static Heads K(std::vector<T>* x) {
    Heads k{x->data() + kQ, kKHeads, kHeadDim, kTokens * kHeadDim};
    k.inverse = 1;
    return k;
  }

  std::vector<T> got_ = Activations<T>(2 * kQ + kK), want_ = got_;
  posenc_heads c_tensors_[2];
};

template <class T, class Position>
void ExpectSameAt(const Rotary& rotary, const std::vector<Position>& positions) {
  const Position* p = positions.data();
  const posenc_list list = {TypeOf<Position>(), p};
  Both<T> b;
  b.Expect(rotary.RotateAt(p, kTokens, {b.q(), b.k()}, &b.bad),
           posenc_rotate_at(rotary.get(), &list, kTokens, b.c_tensors(), 2, &b.c_bad));
  b.Expect(rotary.RotateAt(p, kTokens, {b.q(), b.k()}),
           posenc_rotate_at(rotary.get(), &list, kTokens, b.c_tensors(), 2, nullptr));
}

TEST(RotaryCalls, RotateIsThatOfC) {
  const Rotary rotary = Create();
  ForEachType([&](auto entry) {
    using T = decltype(entry);
    Both<T> b;
    b.Expect(rotary.Rotate(kFirst, kTokens, {b.q(), b.k()}),
             posenc_rotate(rotary.get(), kFirst, kTokens, b.c_tensors(), 2));
    b.Expect(rotary.Rotate(kFirst, kTokens, {b.q()}),
             posenc_rotate(rotary.get(), kFirst, kTokens, b.c_tensors(), 1));
    const posenc_heads array[2] = {b.q(), b.k()};
    b.Expect(rotary.Rotate(kFirst, kTokens, {array, 2}),
             posenc_rotate(rotary.get(), kFirst, kTokens, b.c_tensors(), 2));
    b.Expect(rotary.Rotate(POSENC_MAX_POSITION, kTokens, {b.q(), b.k()}),
             posenc_rotate(rotary.get(), POSENC_MAX_POSITION, kTokens, b.c_tensors(), 2));
    ExpectSameAt<T, std::int32_t>(rotary, {3, -1, 77});
    ExpectSameAt<T, std::int64_t>(rotary, {3, -1, 1 << 30});
    ExpectSameAt<T, std::int64_t>(rotary, {3, POSENC_MAX_POSITION + 1, -1});
    ExpectSameAt<T, float>(rotary, {0.375f, -1e6f, 77.0f});
    ExpectSameAt<T, double>(rotary, {0.375, -1e6 - 0.1, 77.0});
    ExpectSameAt<T, double>(rotary, {0.375, 1.0, std::nan("")});
  });
}

// k goes to slots of a paged cache [blocks, block_size, heads, head_dim].
TEST(RotaryCalls, SlotsAreThoseOfC) {
  constexpr std::size_t kBlockSize = 2, kCount = 4, kHead = kKHeads * kHeadDim, kRow = kHead + 1;
  constexpr std::size_t kBlock = kBlockSize * kRow + 3;
  const Rotary rotary = Create();
  const std::vector<float> keys = Activations<float>(kTokens * kHead);
  const std::int32_t list[kTokens] = {3, -1, 0};
  std::vector<float> got(2 * kBlock), want = got;

  const Slots slots{list, kCount, kBlockSize, kBlock, kRow};
  Heads k{got.data(), kKHeads, 0, kHeadDim};
  k.source = keys.data();
  k.source_token_stride = kHead;
  k.slots = &slots;
  EXPECT_EQ(rotary.Rotate(kFirst, kTokens, {k}), POSENC_OK);

  posenc_slots c_slots{};
  c_slots.list.type = POSENC_I32;
  c_slots.list.data = list;
  c_slots.count = kCount;
  c_slots.block_size = kBlockSize;
  c_slots.block_stride = kBlock;
  c_slots.offset_stride = kRow;
  posenc_heads c_k = k;
  c_k.data = want.data();
  c_k.slots = &c_slots;
  EXPECT_EQ(posenc_rotate(rotary.get(), kFirst, kTokens, &c_k, 1), POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
  EXPECT_NE(got[0], 0.0f);              // the last token is in slot 0
  EXPECT_NE(got[kBlock + kRow], 0.0f);  // the first token is in slot 3
  EXPECT_EQ(got[kRow], 0.0f);           // nothing else is written
  EXPECT_EQ(got[kBlock], 0.0f);
}

// Both tensors are normalized: q without weights, and k with a mean over all heads.
TEST(RotaryCalls, NormsAreThoseOfC) {
  constexpr std::size_t kQ = kQHeads * kHeadDim, kK = kKHeads * kHeadDim;
  const Rotary rotary = Create();
  const std::vector<BFloat16> weights = Activations<BFloat16>(kK, 7);
  const std::vector<float> before = Activations<float>(kTokens * (kQ + kK));
  std::vector<float> got = before, want = before;

  const Norm q_norm{1e-6};
  Norm k_norm{1e-5, weights.data()};
  k_norm.plus_one = k_norm.over_heads = 1;
  Heads q{got.data(), kQHeads, kQ, kHeadDim}, k{got.data() + kTokens * kQ, kKHeads, kK, kHeadDim};
  q.norm = &q_norm;
  k.norm = &k_norm;
  EXPECT_EQ(rotary.Rotate(kFirst, kTokens, {q, k}), POSENC_OK);

  posenc_norm c_norms[2] = {};
  c_norms[0].epsilon = 1e-6;
  c_norms[1].weight = weights.data();
  c_norms[1].weight_type = POSENC_BF16;
  c_norms[1].epsilon = 1e-5;
  c_norms[1].plus_one = 1;
  c_norms[1].over_heads = 1;
  posenc_heads c_heads[2] = {q, k};
  c_heads[0].data = want.data();
  c_heads[1].data = want.data() + kTokens * kQ;
  c_heads[0].norm = &c_norms[0];
  c_heads[1].norm = &c_norms[1];
  EXPECT_EQ(posenc_rotate(rotary.get(), kFirst, kTokens, c_heads, 2), POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
  c_heads[0].norm = c_heads[1].norm = nullptr;
  want = before;
  EXPECT_EQ(posenc_rotate(rotary.get(), kFirst, kTokens, c_heads, 2), POSENC_OK);
  EXPECT_FALSE(SameBits(got, want));
}

// The two tables of a cache, written by C++ and by C.
template <class T>
void ExpectSameCache(const Rotary& rotary, posenc_cache_layout layout) {
  const bool two = layout != POSENC_CACHE_COS_SIN && layout != POSENC_CACHE_PAIRS;
  const std::vector<T> before = Activations<T>(2 * kTokens * kStride);
  std::vector<T> got = before, want = before;
  const auto sines = [&](std::vector<T>* x) { return two ? x->data() + kTokens * kStride : nullptr; };
  const Cache cache{layout, got.data(), sines(&got), kStride};
  const posenc_cache c = {layout, TypeOf<T>(), want.data(), sines(&want), kStride};
  EXPECT_EQ(rotary.WriteCache(kFirst, kTokens, cache), POSENC_OK);
  EXPECT_EQ(posenc_write_cache(rotary.get(), kFirst, kTokens, &c), POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
  EXPECT_FALSE(SameBits(got, before));

  const double positions[kTokens] = {0.5, -3.25, 1e5}, bad[kTokens] = {0.5, 1e10, 1.0};
  const posenc_list list = {POSENC_F64, positions}, bad_list = {POSENC_F64, bad};
  EXPECT_EQ(rotary.WriteCacheAt(positions, kTokens, cache), POSENC_OK);
  EXPECT_EQ(posenc_write_cache_at(rotary.get(), &list, kTokens, &c, nullptr), POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
  std::size_t bad_index = kNone, c_bad_index = kNone;
  const Status status = rotary.WriteCacheAt(bad, kTokens, cache, &bad_index);
  EXPECT_EQ(status, posenc_write_cache_at(rotary.get(), &bad_list, kTokens, &c, &c_bad_index));
  EXPECT_EQ(status, Refusal(POSENC_OUT_OF_RANGE, "each position"));
  EXPECT_EQ(bad_index, 1u);
  EXPECT_EQ(c_bad_index, 1u);
}

TEST(RotaryCalls, WriteCacheIsThatOfC) {
  const Rotary rotary = Create();
  ForEachEntryType([&](auto entry) {
    for (const posenc_cache_layout layout :
         {POSENC_CACHE_HALVES, POSENC_CACHE_DUPLICATED, POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS,
          POSENC_CACHE_HALVES_TWICE}) {
      ExpectSameCache<decltype(entry)>(rotary, layout);
    }
  });
}

template <class T, class Entry, class Index>
void ExpectSameCached(const Rotary& rotary, const std::vector<Index>& rows) {
  std::vector<Entry> table(kRows * kStride);
  ASSERT_EQ(rotary.WriteCache(0, kRows, {POSENC_CACHE_COS_SIN, table.data(), nullptr, kStride}), POSENC_OK);
  const ConstCache cache{POSENC_CACHE_COS_SIN, table.data(), nullptr, kStride, kRows};
  const posenc_const_cache c = {POSENC_CACHE_COS_SIN, TypeOf<Entry>(), table.data(), nullptr, kStride, kRows};
  const posenc_list list = {TypeOf<Index>(), rows.data()};
  const posenc_rotary* r = rotary.get();
  Both<T> b;
  b.Expect(rotary.RotateCached(cache, 2, kTokens, {b.q(), b.k()}),
           posenc_rotate_cached(r, &c, 2, kTokens, b.c_tensors(), 2));
  b.Expect(rotary.RotateCachedAt(cache, rows.data(), kTokens, {b.q(), b.k()}, &b.bad),
           posenc_rotate_cached_at(r, &c, &list, kTokens, b.c_tensors(), 2, &b.c_bad));
  b.Expect(rotary.RotateCachedAt(cache, rows.data(), kTokens, {b.q(), b.k()}),
           posenc_rotate_cached_at(r, &c, &list, kTokens, b.c_tensors(), 2, nullptr));
}

TEST(RotaryCalls, RotateCachedIsThatOfC) {
  const Rotary rotary = Create();
  ForEachType([&](auto entry) {
    using T = decltype(entry);
    ExpectSameCached<T, float, std::int32_t>(rotary, {6, 0, 3});
    ExpectSameCached<T, float, std::int64_t>(rotary, {6, 0, 3});
    ExpectSameCached<T, BFloat16, std::int64_t>(rotary, {6, 0, 3});
    ExpectSameCached<T, Float16, std::int32_t>(rotary, {6, kRows, 3});
  });
}

TEST(RotaryCalls, RotateByAnglesIsThatOfC) {
  const Rotary rotary = Create();
  std::size_t bytes = 0, want = 0;
  ASSERT_EQ(rotary.AnglesMemorySize(kTokens, &bytes), POSENC_OK);
  ASSERT_EQ(posenc_angles_memory_size(rotary.get(), kTokens, &want), POSENC_OK);
  EXPECT_EQ(bytes, want);
  std::vector<unsigned char> memory(bytes), c_memory(bytes);
  Angles angles;
  posenc_angles* c = nullptr;
  Both<float> b;
  b.Expect(rotary.RotateByAngles(angles, 1, 2, {b.q(), b.k()}),
           posenc_rotate_by_angles(rotary.get(), c, 1, 2, b.c_tensors(), 2));
  ASSERT_EQ(rotary.MakeAngles(kFirst, kTokens, memory.data(), bytes, &angles), POSENC_OK);
  ASSERT_EQ(posenc_angles_make(rotary.get(), kFirst, kTokens, c_memory.data(), bytes, &c), POSENC_OK);
  b.Expect(rotary.RotateByAngles(angles, 1, 2, {b.q(), b.k()}),
           posenc_rotate_by_angles(rotary.get(), c, 1, 2, b.c_tensors(), 2));

  double positions[kTokens] = {0.375, -1e6 - 0.1, 77.0};
  const posenc_list list = {POSENC_F64, positions};
  ASSERT_EQ(rotary.MakeAnglesAt(positions, kTokens, memory.data(), bytes, &angles), POSENC_OK);
  ASSERT_EQ(posenc_angles_make_at(rotary.get(), &list, kTokens, c_memory.data(), bytes, &c, nullptr),
            POSENC_OK);
  b.Expect(rotary.RotateByAngles(angles, 0, kTokens, {b.q(), b.k()}),
           posenc_rotate_by_angles(rotary.get(), c, 0, kTokens, b.c_tensors(), 2));

  const posenc_angles* const before = angles.get();
  positions[2] = std::nan("");
  EXPECT_EQ(rotary.MakeAnglesAt(positions, kTokens, memory.data(), bytes, &angles, &b.bad),
            posenc_angles_make_at(rotary.get(), &list, kTokens, c_memory.data(), bytes, &c, &b.c_bad));
  EXPECT_EQ(b.bad, 2u);
  EXPECT_EQ(b.c_bad, 2u);
  EXPECT_EQ(rotary.MakeAngles(kFirst, kTokens, memory.data(), 1, &angles),
            Refusal(POSENC_NO_MEMORY, "bytes must be at least"));
  EXPECT_EQ(rotary.MakeAngles(kFirst, kTokens, memory.data(), bytes, nullptr),
            Refusal(POSENC_NULL, "that receives the address of the angles"));
  EXPECT_EQ(angles.get(), before);
}

// Tensors that are read as different types compile, but the call is refused.
TEST(RotaryCalls, TensorsHaveOneSourceType) {
  const Rotary rotary = Create();
  float q[kHeadDim] = {};
  BFloat16 k[kHeadDim] = {};
  EXPECT_EQ(rotary.Rotate(0, 1, {{q, 1, kHeadDim, kHeadDim}, {k, 1, kHeadDim, kHeadDim}}),
            Refusal(POSENC_BAD_TYPE, "all tensors of a call must have the same source_type"));
}

// q stays float, and k becomes bfloat16, as in C.
TEST(RotaryCalls, ConvertFromASource) {
  const Rotary rotary = Create();
  float q[kHeadDim], k[kHeadDim], want_q[kHeadDim];
  BFloat16 k_converted[kHeadDim] = {}, want_k[kHeadDim] = {}, typed_k[kHeadDim] = {};
  for (std::size_t e = 0; e < kHeadDim; ++e) want_q[e] = q[e] = k[e] = 1.0f + 0.37f * static_cast<float>(e);
  posenc_heads c[2] = {};
  c[0].type = POSENC_F32;
  c[0].data = want_q;
  c[1].type = POSENC_BF16;
  c[1].source_type = POSENC_F32;
  c[1].data = want_k;
  c[1].source = k;
  for (posenc_heads& heads : c) {
    heads.heads = 1;
    heads.token_stride = heads.head_stride = kHeadDim;
  }
  ASSERT_EQ(posenc_rotate(rotary.get(), 3, 1, c, 2), POSENC_OK);
  EXPECT_EQ(
      rotary.Rotate(3, 1, {{q, 1, kHeadDim, kHeadDim}, Heads(k_converted, 1, kHeadDim, kHeadDim).From(k)}),
      POSENC_OK);
  EXPECT_EQ(std::memcmp(q, want_q, sizeof(q)), 0);
  EXPECT_EQ(std::memcmp(k_converted, want_k, sizeof(want_k)), 0);
  EXPECT_NE(want_k[0].bits, 0);
  const void* const untyped = k;
  EXPECT_EQ(rotary.Rotate(3, 1, {Heads(typed_k, 1, kHeadDim, kHeadDim).From(POSENC_F32, untyped)}),
            POSENC_OK);
  EXPECT_EQ(std::memcmp(typed_k, want_k, sizeof(want_k)), 0);
}

static_assert(std::is_trivially_copyable_v<RotarySpec> && sizeof(RotarySpec) == sizeof(posenc_rotary_spec) &&
                  sizeof(Heads) == sizeof(posenc_heads) && sizeof(Cache) == sizeof(posenc_cache) &&
                  sizeof(ConstCache) == sizeof(posenc_const_cache),
              "those of C");
static_assert(std::is_nothrow_move_constructible_v<Rotary> && std::is_nothrow_move_assignable_v<Rotary> &&
                  !std::is_copy_constructible_v<Rotary>,
              "owns what it created");

TEST(RotaryCalls, TakeArraysOfSeveralDimensions) {
  const Rotary rotary = Create();
  float q[kTokens][kQHeads][kHeadDim], want[kTokens][kQHeads][kHeadDim];
  float cos[kTokens][kHeadDim] = {}, sin[kTokens][kHeadDim] = {};
  std::vector<float> elements;
  for (std::size_t i = 0; i < kTokens * kQHeads * kHeadDim; ++i) elements.push_back(static_cast<float>(i));
  std::memcpy(q, elements.data(), sizeof(q));
  std::memcpy(want, elements.data(), sizeof(want));
  EXPECT_EQ(rotary.Rotate(kFirst, kTokens, {{q, kQHeads, kQHeads * kHeadDim, kHeadDim}}), POSENC_OK);
  const Heads pointer = {&want[0][0][0], kQHeads, kQHeads * kHeadDim, kHeadDim};
  EXPECT_EQ(rotary.Rotate(kFirst, kTokens, {pointer}), POSENC_OK);
  EXPECT_EQ(std::memcmp(q, want, sizeof(q)), 0);
  const Cache cache = {POSENC_CACHE_HALVES_TWICE, cos, sin, kHeadDim};
  EXPECT_EQ(rotary.WriteCache(kFirst, kTokens, cache), POSENC_OK);
  EXPECT_EQ(cos[kTokens - 1][0], cos[kTokens - 1][kHeadDim / 2]);
  const ConstCache read = {POSENC_CACHE_HALVES_TWICE, cos, sin, kHeadDim, kTokens};
  EXPECT_EQ(rotary.RotateCached(read, 0, kTokens, {{q, kQHeads, kQHeads * kHeadDim, kHeadDim}}), POSENC_OK);
  const Cache one = {POSENC_CACHE_COS_SIN, cos, nullptr, kHeadDim};
  EXPECT_EQ(one.sin, nullptr);
}

TEST(Rotaries, AreEmptyBeforeCreate) {
  const Rotary rotary;
  EXPECT_EQ(rotary.head_dim(), 0u);
  EXPECT_EQ(rotary.frequency_count(), 0u);
  EXPECT_STREQ(rotary.target(), "");
  EXPECT_TRUE(std::isnan(rotary.amplitude()));
  EXPECT_TRUE(std::isnan(rotary.Radians(0)));
  EXPECT_EQ(rotary.get(), nullptr);
  float x[2] = {};
  EXPECT_EQ(rotary.Rotate(0, 1, {{x, 1, 2, 2}}), Refusal(POSENC_NULL, "rotary is null"));
}

TEST(Rotaries, PropertiesAreThoseOfC) {
  const Rotary rotary = Create();
  const posenc_rotary* c = rotary.get();
  EXPECT_EQ(rotary.head_dim(), kHeadDim);
  EXPECT_EQ(rotary.frequency_count(), kHeadDim / 2);
  EXPECT_STREQ(rotary.target(), posenc_rotary_target(c));
  EXPECT_EQ(rotary.amplitude(), posenc_rotary_amplitude(c));
  for (std::size_t i = 0; i < kHeadDim / 2; ++i) EXPECT_EQ(rotary.Radians(i), posenc_rotary_radians(c, i));
  EXPECT_TRUE(std::isnan(rotary.Radians(kHeadDim / 2)));
}

TEST(Rotaries, Move) {
  Rotary first = Create(8);
  Rotary second = std::move(first);
  EXPECT_EQ(second.head_dim(), 8u);
  EXPECT_EQ(first.head_dim(), 0u);  // NOLINT(bugprone-use-after-move)
  first = Create(10);
  std::swap(first, second);
  EXPECT_EQ(first.head_dim(), 8u);
  EXPECT_EQ(second.head_dim(), 10u);
}

TEST(Rotaries, StayOnFailure) {
  Rotary rotary = Create(8);
  EXPECT_EQ(Rotary::Create(RotarySpec(), &rotary), Refusal(POSENC_BAD_MEMBER, "head_dim must be 2 .. 65536"));
  EXPECT_EQ(rotary.head_dim(), 8u);
  EXPECT_EQ(Rotary::Create(RotarySpec(), nullptr),
            Refusal(POSENC_NULL, "that receives what is created, must not be null"));
}

TEST(Rotaries, CreateInMemoryOfTheCaller) {
  RotarySpec spec;
  spec.head_dim = kHeadDim;
  const posenc_rotary_spec c = spec;
  std::size_t bytes = 0, want = 0;
  ASSERT_EQ(Rotary::MemorySize(spec, &bytes), POSENC_OK);
  ASSERT_EQ(posenc_rotary_memory_size(&c, &want), POSENC_OK);
  EXPECT_EQ(bytes, want);
  EXPECT_EQ(Rotary::MemorySize(spec, nullptr), Refusal(POSENC_NULL, "bytes must not be null"));
  RotarySpec usual;
  usual.head_dim = 128;
  ASSERT_EQ(Rotary::MemorySize(usual, &want), POSENC_OK);
  EXPECT_LE((want + 500) / 1000, 11u);  // 11 KB in the comment of rotary_c.h; without SIMD it is less
  EXPECT_EQ(Rotary::MemorySize(RotarySpec(), &bytes),
            Refusal(POSENC_BAD_MEMBER, "head_dim must be 2 .. 65536"));
  std::vector<unsigned char> memory(bytes);
  Rotary rotary;
  ASSERT_EQ(Rotary::CreateIn(spec, memory.data(), memory.size(), &rotary), POSENC_OK);
  EXPECT_EQ(rotary.head_dim(), kHeadDim);
  EXPECT_EQ(Rotary::CreateIn(spec, nullptr, memory.size(), &rotary),
            Refusal(POSENC_NULL, "memory must not be null"));
  EXPECT_EQ(Rotary::CreateIn(spec, memory.data(), 1, &rotary),
            Refusal(POSENC_NO_MEMORY, "bytes must be at least"));
  EXPECT_EQ(Rotary::CreateIn(spec, memory.data(), memory.size(), nullptr),
            Refusal(POSENC_NULL, "that receives what is created, must not be null"));
  EXPECT_EQ(rotary.head_dim(), kHeadDim);
}

}  // namespace
}  // namespace posenc
