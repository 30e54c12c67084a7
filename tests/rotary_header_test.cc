// rotary.h over rotary_c.h: every template for every type that it admits calls the function that it should,
// with the arguments in their places; rotaries own what they created; defaults, members and values are the
// same.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "per_target.h"
#include "posenc/rotary.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

// All different, so that no two arguments may change places.
constexpr std::size_t kHeadDim = 12, kTokens = 3, kQHeads = 4, kKHeads = 2, kRows = 7, kStride = 13;
constexpr std::int64_t kFirst = -5;
constexpr std::size_t kNone = 4711;

Rotary Create(std::size_t head_dim = kHeadDim) {
  RotarySpec spec;
  spec.head_dim = head_dim;
  Rotary rotary;
  EXPECT_EQ(Rotary::Create(spec, &rotary), Status::kOk);
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
  float data = 0.0f, source = 0.0f;
  const posenc_heads heads = Heads<float>{&data, 1, 2, 3, &source, 4, 5, 6.0, true};
  EXPECT_EQ(heads.data, &data);
  EXPECT_EQ(heads.heads, 1u);
  EXPECT_EQ(heads.token_stride, 2u);
  EXPECT_EQ(heads.head_stride, 3u);
  EXPECT_EQ(heads.source, &source);
  EXPECT_EQ(heads.source_token_stride, 4u);
  EXPECT_EQ(heads.source_head_stride, 5u);
  EXPECT_EQ(heads.scale, 6.0);
  EXPECT_EQ(heads.inverse, 1);
  const posenc_heads in_place = Heads{&data, 1, 2, 3};
  EXPECT_EQ(in_place.source, nullptr);
  EXPECT_EQ(in_place.scale, 1.0);
  EXPECT_EQ(in_place.inverse, 0);

  double cos = 0.0, sin = 0.0;
  const posenc_cache cache = Cache<double>{CacheLayout::kDuplicated, &cos, &sin, 9};
  EXPECT_EQ(cache.layout, POSENC_CACHE_DUPLICATED);
  EXPECT_EQ(cache.type, POSENC_F64);
  EXPECT_EQ(cache.cos, &cos);
  EXPECT_EQ(cache.sin, &sin);
  EXPECT_EQ(cache.row_stride, 9u);
  const BFloat16 table[1] = {};
  const posenc_cache constant = Cache{CacheLayout::kPairs, table, nullptr, 8};
  EXPECT_EQ(constant.type, POSENC_BF16);
  EXPECT_EQ(constant.cos, table);
  EXPECT_EQ(constant.sin, nullptr);
}

// What a call of C++ and one of C make of the same q and k.
template <class T>
class Both {
 public:
  Heads<T> q() { return Q(&got_); }
  Heads<T> k() { return K(&got_); }
  const posenc_heads* c_tensors() {
    c_tensors_[0] = Q(&want_);
    c_tensors_[1] = K(&want_);
    return c_tensors_;
  }
  std::size_t bad = kNone, c_bad = kNone;

  // Compares, and begins anew.
  void Expect(Status got, posenc_status want) {
    EXPECT_EQ(static_cast<posenc_status>(got), want);
    EXPECT_EQ(bad, c_bad);
    EXPECT_TRUE(SameBits(got_, want_));
    EXPECT_EQ(SameBits(want_, Both().want_), want != POSENC_OK);
    *this = Both();
  }

 private:
  // q [tokens, heads, head_dim], out of place, scaled; k [heads, tokens, head_dim], in place, turned back.
  static constexpr std::size_t kQ = kTokens * kQHeads * kHeadDim, kK = kTokens * kKHeads * kHeadDim;
  static Heads<T> Q(std::vector<T>* x) {
    return {x->data(), kQHeads, kQHeads * kHeadDim, kHeadDim, x->data() + kQ + kK, kQHeads * kHeadDim,
            kHeadDim,  0.375};
  }
  static Heads<T> K(std::vector<T>* x) {
    Heads<T> k{x->data() + kQ, kKHeads, kHeadDim, kTokens * kHeadDim};
    k.inverse = true;
    return k;
  }

  std::vector<T> got_ = Activations<T>(2 * kQ + kK), want_ = got_;
  posenc_heads c_tensors_[2];
};

template <class T, class Position>
void ExpectSameAt(const Rotary& rotary, const std::vector<Position>& positions) {
  const Position* p = positions.data();
  Both<T> b;
  b.Expect(rotary.RotateAt(p, kTokens, {b.q(), b.k()}, &b.bad),
           posenc_rotate_at(rotary.c_rotary(), TypeOf<Position>(), p, kTokens, TypeOf<T>(), b.c_tensors(), 2,
                            &b.c_bad));
  b.Expect(rotary.RotateAt(p, kTokens, {b.q(), b.k()}),
           posenc_rotate_at(rotary.c_rotary(), TypeOf<Position>(), p, kTokens, TypeOf<T>(), b.c_tensors(), 2,
                            nullptr));
}

TEST(RotaryCalls, RotateIsThatOfC) {
  const Rotary rotary = Create();
  ForEachType([&](auto entry) {
    using T = decltype(entry);
    Both<T> b;
    b.Expect(rotary.Rotate(kFirst, kTokens, {b.q(), b.k()}),
             posenc_rotate(rotary.c_rotary(), kFirst, kTokens, TypeOf<T>(), b.c_tensors(), 2));
    b.Expect(rotary.Rotate(kFirst, kTokens, {b.q()}),
             posenc_rotate(rotary.c_rotary(), kFirst, kTokens, TypeOf<T>(), b.c_tensors(), 1));
    b.Expect(rotary.Rotate(kMaxPosition, kTokens, {b.q(), b.k()}),
             posenc_rotate(rotary.c_rotary(), kMaxPosition, kTokens, TypeOf<T>(), b.c_tensors(), 2));
    ExpectSameAt<T, std::int32_t>(rotary, {3, -1, 77});
    ExpectSameAt<T, std::int64_t>(rotary, {3, -1, 1 << 30});
    ExpectSameAt<T, std::int64_t>(rotary, {3, kMaxPosition + 1, -1});
    ExpectSameAt<T, float>(rotary, {0.375f, -1e6f, 77.0f});
    ExpectSameAt<T, double>(rotary, {0.375, -1e6 - 0.1, 77.0});
    ExpectSameAt<T, double>(rotary, {0.375, 1.0, std::nan("")});
  });
}

// Two tables of a cache, as C++ and as C write them.
template <class T>
void ExpectSameCache(const Rotary& rotary, CacheLayout layout) {
  const bool two = layout != CacheLayout::kCosSin && layout != CacheLayout::kPairs;
  const std::vector<T> before = Activations<T>(2 * kTokens * kStride);
  std::vector<T> got = before, want = before;
  const auto cache = [&](std::vector<T>* x) {
    return Cache<T>{layout, x->data(), two ? x->data() + kTokens * kStride : nullptr, kStride};
  };
  const posenc_cache c = cache(&want);
  EXPECT_EQ(rotary.WriteCache(kFirst, kTokens, cache(&got)), Status::kOk);
  EXPECT_EQ(posenc_rotary_write(rotary.c_rotary(), kFirst, kTokens, &c), POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
  EXPECT_FALSE(SameBits(got, before));

  const double positions[kTokens] = {0.5, -3.25, 1e5}, bad[kTokens] = {0.5, 1e10, 1.0};
  EXPECT_EQ(rotary.WriteCacheAt(positions, kTokens, cache(&got)), Status::kOk);
  EXPECT_EQ(posenc_rotary_write_at(rotary.c_rotary(), POSENC_F64, positions, kTokens, &c, nullptr),
            POSENC_OK);
  EXPECT_TRUE(SameBits(got, want));
  std::size_t bad_index = kNone, c_bad_index = kNone;
  const Status status = rotary.WriteCacheAt(bad, kTokens, cache(&got), &bad_index);
  EXPECT_EQ(static_cast<posenc_status>(status),
            posenc_rotary_write_at(rotary.c_rotary(), POSENC_F64, bad, kTokens, &c, &c_bad_index));
  EXPECT_EQ(bad_index, c_bad_index);
}

TEST(RotaryCalls, WriteCacheIsThatOfC) {
  const Rotary rotary = Create();
  ForEachEntryType([&](auto entry) {
    for (const CacheLayout layout : {CacheLayout::kHalves, CacheLayout::kDuplicated, CacheLayout::kCosSin,
                                     CacheLayout::kPairs, CacheLayout::kHalvesTwice}) {
      ExpectSameCache<decltype(entry)>(rotary, layout);
    }
  });
}

template <class T, class Entry, class Index>
void ExpectSameCached(const Rotary& rotary, const std::vector<Index>& rows) {
  std::vector<Entry> table(kRows * kStride);
  ASSERT_EQ(rotary.WriteCache(0, kRows, Cache{CacheLayout::kCosSin, table.data(), nullptr, kStride}),
            Status::kOk);
  const Cache<const Entry> cache{CacheLayout::kCosSin, table.data(), nullptr, kStride};
  const posenc_cache c = cache;
  const posenc_rotary* r = rotary.c_rotary();
  Both<T> b;
  b.Expect(rotary.RotateCached(cache, kRows, 2, kTokens, {b.q(), b.k()}),
           posenc_rotate_cached(r, &c, kRows, 2, POSENC_I64, nullptr, kTokens, TypeOf<T>(), b.c_tensors(), 2,
                                nullptr));
  b.Expect(rotary.RotateCachedAt(cache, kRows, rows.data(), kTokens, {b.q(), b.k()}, &b.bad),
           posenc_rotate_cached(r, &c, kRows, 0, TypeOf<Index>(), rows.data(), kTokens, TypeOf<T>(),
                                b.c_tensors(), 2, &b.c_bad));
  b.Expect(rotary.RotateCachedAt(cache, kRows, rows.data(), kTokens, {b.q(), b.k()}),
           posenc_rotate_cached(r, &c, kRows, 0, TypeOf<Index>(), rows.data(), kTokens, TypeOf<T>(),
                                b.c_tensors(), 2, nullptr));
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

// Whether {heads of A, heads of B} is one call.
template <class A, class B>
auto Mixes(int)
    -> decltype(std::declval<Rotary>().Rotate(0, 1, {std::declval<Heads<A>>(), std::declval<Heads<B>>()}),
                std::true_type());
template <class A, class B>
std::false_type Mixes(...);
static_assert(decltype(Mixes<float, float>(0))::value, "one type");
static_assert(!decltype(Mixes<float, BFloat16>(0))::value, "two types in one call");

static_assert(std::is_trivially_copyable_v<RotarySpec> && sizeof(RotarySpec) == sizeof(posenc_rotary_spec) &&
                  sizeof(Heads<float>) == sizeof(posenc_heads) &&
                  sizeof(Cache<float>) == sizeof(posenc_cache),
              "those of C");
static_assert(std::is_nothrow_move_constructible_v<Rotary> && std::is_nothrow_move_assignable_v<Rotary> &&
                  !std::is_copy_constructible_v<Rotary>,
              "owns what it created");

TEST(Rotaries, AreEmptyBeforeCreate) {
  const Rotary rotary;
  EXPECT_EQ(rotary.head_dim(), 0u);
  EXPECT_EQ(rotary.frequency_count(), 0u);
  EXPECT_STREQ(rotary.target(), "");
  EXPECT_TRUE(std::isnan(rotary.amplitude()));
  EXPECT_TRUE(std::isnan(rotary.Radians(0)));
  EXPECT_EQ(rotary.c_rotary(), nullptr);
  float x[2] = {};
  EXPECT_EQ(rotary.Rotate(0, 1, {Heads{x, 1, 2, 2}}), Status::kNotCreated);
}

TEST(Rotaries, PropertiesAreThoseOfC) {
  const Rotary rotary = Create();
  const posenc_rotary* c = rotary.c_rotary();
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
  EXPECT_EQ(Rotary::Create(RotarySpec(), &rotary), Status::kBadHeadDim);
  EXPECT_EQ(rotary.head_dim(), 8u);
  EXPECT_EQ(Rotary::Create(RotarySpec(), nullptr), Status::kNullPointer);
}

TEST(Rotaries, CreateInMemoryOfTheCaller) {
  RotarySpec spec;
  spec.head_dim = kHeadDim;
  const posenc_rotary_spec c = spec;
  std::size_t bytes = 0, want = 0;
  ASSERT_EQ(Rotary::MemorySize(spec, &bytes), Status::kOk);
  ASSERT_EQ(posenc_rotary_memory_size(&c, &want), POSENC_OK);
  EXPECT_EQ(bytes, want);
  EXPECT_EQ(Rotary::MemorySize(spec, nullptr), Status::kNullPointer);
  EXPECT_EQ(Rotary::MemorySize(RotarySpec(), &bytes), Status::kBadHeadDim);
  std::vector<unsigned char> memory(bytes);
  Rotary rotary;
  ASSERT_EQ(Rotary::CreateIn(spec, memory.data(), memory.size(), &rotary), Status::kOk);
  EXPECT_EQ(rotary.head_dim(), kHeadDim);
  EXPECT_EQ(Rotary::CreateIn(spec, nullptr, memory.size(), &rotary), Status::kNullPointer);
  EXPECT_EQ(Rotary::CreateIn(spec, memory.data(), 1, &rotary), Status::kMemoryTooSmall);
  EXPECT_EQ(Rotary::CreateIn(spec, memory.data(), memory.size(), nullptr), Status::kNullPointer);
  EXPECT_EQ(rotary.head_dim(), kHeadDim);
}

}  // namespace
}  // namespace posenc
