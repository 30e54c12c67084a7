// posenc.h over posenc_c.h: every method, for every type of arguments, calls the right C function with the
// arguments in the right places. Encoders own what they created. Defaults and values are the same as in C.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "per_target.h"
#include "posenc/grid.h"
#include "refusal.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

// All numbers differ, so that exchanged arguments are noticed.
constexpr std::size_t kDim = 21, kRows = 3, kStride = 25, kBatch = 2, kBatchStride = 83, kVocabulary = 5,
                      kTableStride = 23;
constexpr std::int64_t kFirst = -4;
constexpr float kScale = 1.5f;
constexpr std::size_t kNone = 4711;

struct TypedHeader : testing::Test {
  const Encoder e = Create(MakeSpec(kDim));
  const posenc_encoder* const c = e.get();
};

// Calls C++ and C with the same activations. The arguments for C are given member by member.
template <class T>
class Both {
 public:
  Rows x(std::size_t stride = kStride) { return {got_.data(), stride}; }
  const posenc_rows* c_x(std::size_t stride = kStride) {
    c_x_ = {TypeOf<T>(), want_.data(), stride};
    return &c_x_;
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
  std::vector<T> got_ = Activations<T>(kBatch * kBatchStride), want_ = got_;
  posenc_rows c_x_ = {};
};

template <class T, class Position>
void ExpectSameLists(const Encoder& e, const std::vector<Position>& positions) {
  const posenc_encoder* c = e.get();
  const Position* p = positions.data();
  const posenc_list list = {TypeOf<Position>(), p};
  Both<T> b;
  b.Expect(e.WriteAt(p, kRows, b.x(), &b.bad), posenc_write_at(c, &list, kRows, b.c_x(), &b.c_bad));
  b.Expect(e.WriteAt(p, kRows, b.x()), posenc_write_at(c, &list, kRows, b.c_x(), nullptr));
  if constexpr (!std::is_same_v<T, double>) {
    b.Expect(e.AddAt(p, kRows, b.x(), kScale, &b.bad),
             posenc_add_at(c, &list, kRows, b.c_x(), kScale, &b.c_bad));
    b.Expect(e.AddAt(p, kRows, b.x()), posenc_add_at(c, &list, kRows, b.c_x(), 1.0f, nullptr));
  }
}

template <class T, class Position>
void ExpectSameEmbedAt(const Encoder& e, const Lookup& lookup, const posenc_lookup& c_lookup,
                       const std::vector<Position>& positions) {
  const Position* p = positions.data();
  const posenc_list list = {TypeOf<Position>(), p};
  Both<T> b;
  b.Expect(e.EmbedAt(lookup, p, kRows, b.x(), kScale, &b.bad),
           posenc_embed_at(e.get(), &c_lookup, &list, kRows, b.c_x(), kScale, &b.c_bad));
  b.Expect(e.EmbedAt(lookup, p, kRows, b.x()),
           posenc_embed_at(e.get(), &c_lookup, &list, kRows, b.c_x(), 1.0f, nullptr));
}

template <class T, class Element, class Integer>
void ExpectSameEmbed(const Encoder& e, const std::vector<Integer>& ids) {
  const posenc_encoder* c = e.get();
  const std::vector<Element> table = Activations<Element>(kVocabulary * kTableStride, 9);
  const Lookup lookup{ids.data(), table.data(), kVocabulary, kTableStride};
  const posenc_lookup c_lookup = {
      {TypeOf<Integer>(), ids.data()}, TypeOf<Element>(), table.data(), kVocabulary, kTableStride};
  Both<T> b;
  b.Expect(e.Embed(lookup, kFirst, kRows, b.x(), kScale, &b.bad),
           posenc_embed(c, &c_lookup, kFirst, kRows, b.c_x(), kScale, &b.c_bad));
  b.Expect(e.Embed(lookup, kFirst, kRows, b.x()),
           posenc_embed(c, &c_lookup, kFirst, kRows, b.c_x(), 1.0f, nullptr));
  ExpectSameEmbedAt<T>(e, lookup, c_lookup, std::vector<float>{0.375f, -1e6f, 3.0f});
  ExpectSameEmbedAt<T>(e, lookup, c_lookup, std::vector<double>{0.375, std::nan(""), 3.0});
  ExpectSameEmbedAt<T>(e, lookup, c_lookup, std::vector<std::int32_t>{-7, 1 << 30, 3});
  ExpectSameEmbedAt<T>(e, lookup, c_lookup, std::vector<std::int64_t>{-7, 1, POSENC_MAX_POSITION});
}

template <class T, class Integer>
void ExpectSameIntegers(const Encoder& e, const std::vector<Integer>& firsts) {
  const posenc_encoder* c = e.get();
  ExpectSameEmbed<T, T>(e, firsts);
  const posenc_batch c_batch = {kBatch, kBatchStride, {TypeOf<Integer>(), firsts.data()}};
  Both<T> b;
  b.Expect(e.AddBatch({kBatch, kBatchStride, List(firsts.data())}, kFirst, kRows, b.x(), kScale, &b.bad),
           posenc_add_batch(c, &c_batch, kFirst, kRows, b.c_x(), kScale, &b.c_bad));
  b.Expect(e.AddBatch({kBatch, kBatchStride, List(firsts.data())}, kFirst, kRows, b.x()),
           posenc_add_batch(c, &c_batch, kFirst, kRows, b.c_x(), 1.0f, nullptr));
}

template <class T>
void ExpectSameSharedFirst(const Encoder& e, std::int64_t first) {
  const posenc_batch batch = {kBatch, kBatchStride, {}};
  Both<T> b;
  b.Expect(e.AddBatch({kBatch, kBatchStride, {}}, first, kRows, b.x(), kScale),
           posenc_add_batch(e.get(), &batch, first, kRows, b.c_x(), kScale, nullptr));
}

TEST_F(TypedHeader, CallsAreThoseOfC) {
  ForEachEntryType([&](auto entry) {
    using T = decltype(entry);
    Both<T> b;
    b.Expect(e.Write(kFirst, kRows, b.x()), posenc_write(c, kFirst, kRows, b.c_x()));
    ExpectSameLists<T, std::int32_t>(e, {3, -1, 77});
    ExpectSameLists<T, std::int64_t>(e, {3, -1, 1 << 30});
    ExpectSameLists<T, std::int64_t>(e, {3, POSENC_MAX_POSITION + 1, -1});
    ExpectSameLists<T, float>(e, {0.375f, -1e6f, 0x1p-130f});
    ExpectSameLists<T, float>(e, {0.375f, 0x1.000002p31f, 1.0f});
    ExpectSameLists<T, double>(e, {0.375, -1e6 - 0.1, 0x1p-130});
    ExpectSameLists<T, double>(e, {0.375, 1.0, std::nan("")});
  });
  ForEachType([&](auto entry) {
    using T = decltype(entry);
    Both<T> b;
    b.Expect(e.Add(kFirst, kRows, b.x(), kScale), posenc_add(c, kFirst, kRows, b.c_x(), kScale));
    b.Expect(e.Add(kFirst, kRows, b.x()), posenc_add(c, kFirst, kRows, b.c_x(), 1.0f));
    ExpectSameIntegers<T, std::int32_t>(e, {4, 0, 3});
    ExpectSameIntegers<T, std::int64_t>(e, {4, 0, 3});
    ExpectSameIntegers<T, std::int64_t>(e, {4, POSENC_MAX_POSITION + 5, 0});
    for (const std::int64_t first : {kFirst, POSENC_MAX_POSITION}) ExpectSameSharedFirst<T>(e, first);
  });
  ExpectSameEmbed<float, BFloat16, std::int32_t>(e, {4, 0, 3});
  ExpectSameEmbed<float, Float16, std::int64_t>(e, {4, kVocabulary, 0});
}

// Types that posenc does not have, such as a runtime's own bfloat16, are passed with their posenc_type.
TEST_F(TypedHeader, TakesTypesOfTheCaller) {
  std::vector<std::uint16_t> own(kRows * kStride), table(kVocabulary * kTableStride, 0x3F80);
  std::vector<BFloat16> ours(own.size());
  const std::int32_t ids[kRows] = {4, 0, 3};
  const auto same = [&] { return std::memcmp(own.data(), ours.data(), own.size() * 2) == 0; };
  EXPECT_EQ(e.Write(kFirst, kRows, {POSENC_BF16, own.data(), kStride}), POSENC_OK);
  EXPECT_EQ(e.Write(kFirst, kRows, {ours.data(), kStride}), POSENC_OK);
  EXPECT_TRUE(same());
  EXPECT_NE(own[1], 0u);
  EXPECT_EQ(e.Embed({List(POSENC_I32, ids), POSENC_BF16, table.data(), kVocabulary, kTableStride}, kFirst,
                    kRows, {POSENC_BF16, own.data(), kStride}),
            POSENC_OK);
  const std::vector<BFloat16> ones(table.size(), BFloat16{0x3F80});
  EXPECT_EQ(e.Embed({ids, ones.data(), kVocabulary, kTableStride}, kFirst, kRows, {ours.data(), kStride}),
            POSENC_OK);
  EXPECT_TRUE(same());
}

TEST_F(TypedHeader, TakesArraysOfSeveralDimensions) {
  static_assert(TypeOf<float[2][3]>() == POSENC_F32 && TypeOf<const BFloat16[2]>() == POSENC_BF16, "");
  float table[kRows][kStride] = {}, want[kRows * kStride] = {};
  EXPECT_EQ(e.Write(kFirst, kRows, {table, kStride}), POSENC_OK);
  EXPECT_EQ(e.Write(kFirst, kRows, {want, kStride}), POSENC_OK);
  EXPECT_EQ(std::memcmp(table, want, sizeof(want)), 0);
  const std::int32_t positions[kRows][1] = {{7}, {-8}, {9}};
  EXPECT_EQ(e.WriteAt(positions, kRows, {table, kStride}), POSENC_OK);
  EXPECT_EQ(e.WriteAt(positions[0], kRows, {want, kStride}), POSENC_OK);
  EXPECT_EQ(std::memcmp(table, want, sizeof(want)), 0);
  std::int64_t ids[kRows][1] = {{4}, {0}, {2}};
  const BFloat16 embeddings[kVocabulary][kTableStride] = {};
  const Lookup lookup(ids, embeddings, kVocabulary, kTableStride);
  EXPECT_EQ(lookup.ids.type, POSENC_I64);
  EXPECT_EQ(lookup.ids.data, ids);
  EXPECT_EQ(lookup.type, POSENC_BF16);
  EXPECT_EQ(lookup.table, embeddings);
}

TEST_F(TypedHeader, AxesOfGridsHaveTheirMembers) {
  const double positions[] = {1.0, 2.0};
  const GridAxis run{e, 1, 3, -2}, list{e, 4, 2, positions};
  EXPECT_TRUE(run.encoder == c && run.column == 1 && run.count == 3 && run.positions.data == nullptr &&
              run.first_position == -2);
  EXPECT_TRUE(list.encoder == c && list.column == 4 && list.count == 2 && list.positions.data == positions &&
              list.positions.type == POSENC_F64 && list.first_position == 0);
  EXPECT_EQ((GridAxis{e, 0, 5}).first_position, 0);
}

TEST_F(TypedHeader, GridsAreThoseOfC) {
  const double bad[] = {1.0, std::nan("")};
  for (const GridAxis& second : {GridAxis{e, 1, 2, 7}, GridAxis{e, 1, 2, bad}}) {
    const GridAxis axes[] = {{e, 1 + kDim, 1, kFirst}, second};
    ForEachEntryType([&](auto entry) {
      using T = decltype(entry);
      constexpr std::size_t kWide = 2 * kDim + 4;
      Both<T> b;
      std::size_t axis = kNone, c_axis = kNone;
      b.Expect(WriteGrid(axes, 1, b.x(kWide), &axis, &b.bad),
               posenc_write_grid(axes, 2, 1, b.c_x(kWide), &c_axis, &b.c_bad));
      EXPECT_EQ(axis, c_axis);
      b.Expect(WriteGrid(axes, 0, b.x(kWide)), posenc_write_grid(axes, 2, 0, b.c_x(kWide), nullptr, nullptr));
      if constexpr (!std::is_same_v<T, double>) {
        axis = c_axis = kNone;
        b.Expect(AddGrid(axes, 1, b.x(kWide), kScale, &axis, &b.bad),
                 posenc_add_grid(axes, 2, 1, b.c_x(kWide), kScale, &c_axis, &b.c_bad));
        EXPECT_EQ(axis, c_axis);
        b.Expect(AddGrid(axes, 0, b.x(kWide)),
                 posenc_add_grid(axes, 2, 0, b.c_x(kWide), 1.0f, nullptr, nullptr));
      }
    });
  }
}

TEST_F(TypedHeader, PropertiesAreThoseOfC) {
  EXPECT_EQ(e.dim(), kDim);
  EXPECT_EQ(Create(MakeSpec(kDim, nullptr, POSENC_COS_SIN)).layout(), POSENC_COS_SIN);
  EXPECT_STREQ(e.target(), posenc_encoder_target(c));
  EXPECT_EQ(e.frequency_count(), (kDim + 1) / 2);
  EXPECT_EQ(e.Radians(3), posenc_encoder_radians(c, 3));
  EXPECT_EQ(e.Radians(0), 1.0);
}

TEST_F(TypedHeader, TargetsAreThoseOfC) {
  posenc_target targets[POSENC_MAX_TARGETS], c_targets[POSENC_MAX_TARGETS];
  ASSERT_EQ(Targets(targets), posenc_targets(c_targets, POSENC_MAX_TARGETS));
  EXPECT_EQ(std::memcmp(targets, c_targets, Targets(targets) * sizeof(posenc_target)), 0);
}

TEST(Specs, HaveTheDefaultsOfC) {
  posenc_spec want;
  ASSERT_EQ(posenc_spec_init(&want, sizeof(want)), POSENC_OK);
  const Spec defaults;
  EXPECT_EQ(std::memcmp(&defaults, &want, sizeof(want)), 0);
  want.dim = 6;
  const Spec same(want);
  EXPECT_EQ(std::memcmp(&same, &want, sizeof(want)), 0);
}

// A member or parameter with an enum type takes the constants of this enum only.
static_assert(std::is_same_v<std::underlying_type_t<posenc_layout>, std::int32_t> &&
                  !std::is_convertible_v<posenc_layout, posenc_odd_column> &&
                  !std::is_assignable_v<posenc_layout&, int> && !std::is_convertible_v<int, posenc_layout>,
              "each enum for itself");
static_assert(std::is_same_v<Status, posenc_status> && std::is_same_v<Status, std::int32_t>, "as in C");
static_assert(sizeof(Rows) == sizeof(posenc_rows) && sizeof(List) == sizeof(posenc_list) &&
                  sizeof(Lookup) == sizeof(posenc_lookup),
              "the structs of C");

// Whether a == b, and whether a != b, compiles.
template <class A, class B, class = void>
struct CanBeEqual : std::false_type {};
template <class A, class B>
struct CanBeEqual<A, B, std::void_t<decltype(std::declval<A>() == std::declval<B>())>> : std::true_type {};
template <class A, class B, class = void>
struct CanDiffer : std::false_type {};
template <class A, class B>
struct CanDiffer<A, B, std::void_t<decltype(std::declval<A>() != std::declval<B>())>> : std::true_type {};

// A status is never equal to a kind, so their comparison does not compile.
TEST(Statuses, AreNotComparedWithKinds) {
  EXPECT_FALSE((CanBeEqual<posenc_status, posenc_kind>::value));
  EXPECT_FALSE((CanBeEqual<posenc_kind, posenc_status>::value));
  EXPECT_FALSE((CanDiffer<posenc_status, posenc_kind>::value));
  EXPECT_FALSE((CanDiffer<posenc_kind, posenc_status>::value));
  EXPECT_TRUE((CanBeEqual<posenc_status, posenc_ok>::value));
  EXPECT_TRUE((CanBeEqual<posenc_ok, posenc_status>::value));
  EXPECT_TRUE((CanDiffer<posenc_status, posenc_ok>::value));
  EXPECT_TRUE((CanBeEqual<posenc_kind, posenc_kind>::value));
  const Status status = posenc_spec_init(nullptr, sizeof(posenc_spec));
  EXPECT_NE(status, POSENC_OK);
  switch (posenc_status_kind(status)) {
    case POSENC_NULL:
      break;
    default:
      FAIL() << posenc_status_message(status);
  }
  EXPECT_EQ(posenc_status_kind(POSENC_OK), posenc_kind{});
  EXPECT_EQ(static_cast<int>(posenc_status_kind(-1)), 255);  // the low 8 bits of any number
}

TEST(Types, HaveTheirConstants) {
  EXPECT_EQ(
      (std::vector<posenc_type>{TypeOf<float>(), TypeOf<BFloat16>(), TypeOf<Float16>(), TypeOf<double>(),
                                TypeOf<std::int32_t>(), TypeOf<std::int64_t>()}),
      (std::vector<posenc_type>{POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64, POSENC_I32, POSENC_I64}));
  EXPECT_EQ(TypeOf<long>(), sizeof(long) == 8 ? POSENC_I64 : POSENC_I32);  // NOLINT(google-runtime-int)
}

// The encoder works, and is the one that was created.
void ExpectWorks(const Encoder& encoder, std::size_t dim) {
  ASSERT_EQ(encoder.dim(), dim);
  EXPECT_TRUE(SameBits(Write(encoder, kFirst, kRows), Write(Create(MakeSpec(dim)), kFirst, kRows)));
}

TEST(Encoders, AreEmptyBeforeCreate) {
  const Encoder encoder;
  EXPECT_EQ(encoder.dim(), 0u);
  EXPECT_EQ(encoder.layout(), static_cast<posenc_layout>(-1));
  EXPECT_STREQ(encoder.target(), "");
  EXPECT_EQ(encoder.frequency_count(), 0u);
  EXPECT_TRUE(std::isnan(encoder.Radians(0)));
  EXPECT_EQ(encoder.get(), nullptr);
  float x = 0.0f;
  EXPECT_EQ(encoder.Write(0, 1, {&x, 1}), Refusal(rule::null_encoder));
}

TEST(Encoders, Move) {
  Encoder first = Create(MakeSpec(kDim));
  Encoder second = std::move(first);
  ExpectWorks(second, kDim);
  EXPECT_EQ(first.get(), nullptr);  // NOLINT(bugprone-use-after-move): as before Create
  first = Create(MakeSpec(4));
  second = std::move(first);
  ExpectWorks(second, 4);
  ExpectWorks(first, kDim);  // NOLINT(bugprone-use-after-move): exchanged
}

// With AddressSanitizer this also shows that memory is freed exactly once.
TEST(Encoders, AreReplacedByCreateUnlessItFails) {
  Encoder encoder;
  std::vector<unsigned char> memory(1 << 16);
  for (const std::size_t dim : {8u, 9u}) {
    ASSERT_EQ(Encoder::Create(MakeSpec(dim), &encoder), POSENC_OK);
    EXPECT_EQ(Encoder::Create(Spec(), &encoder), Refusal(POSENC_BAD_MEMBER, "dim must be 1 .. 16777216"));
    ExpectWorks(encoder, dim);
    ASSERT_EQ(Encoder::CreateIn(MakeSpec(dim + 2), memory.data(), memory.size(), &encoder), POSENC_OK);
    EXPECT_EQ(Encoder::CreateIn(MakeSpec(6), memory.data(), 9, &encoder),
              Refusal(POSENC_NO_MEMORY, "bytes must be at least"));
    EXPECT_EQ(Encoder::CreateIn(MakeSpec(6), nullptr, memory.size(), &encoder),
              Refusal(POSENC_NULL, "memory must not be null"));
    EXPECT_EQ(Encoder::CreateIn(MakeSpec(6), &encoder, sizeof(encoder), &encoder),
              Refusal(POSENC_OVERLAP, "memory must not overlap the spec"));
    ExpectWorks(encoder, dim + 2);
    const Encoder moved = std::move(encoder);
    ExpectWorks(moved, dim + 2);
  }
  const Refusal created(POSENC_NULL,
                        "encoder or rotary, the pointer that receives what is created, must not be null");
  EXPECT_EQ(Encoder::Create(MakeSpec(kDim), nullptr), created);
  EXPECT_EQ(Encoder::CreateIn(MakeSpec(kDim), memory.data(), memory.size(), nullptr), created);
}

TEST(Encoders, MemorySizeIsThatOfC) {
  const posenc_spec spec = MakeSpec(kDim);
  std::size_t want = 0, got = 0;
  ASSERT_EQ(posenc_encoder_memory_size(&spec, &want), POSENC_OK);
  EXPECT_EQ(Encoder::MemorySize(MakeSpec(kDim), &got), POSENC_OK);
  EXPECT_EQ(got, want);
  EXPECT_EQ(Encoder::MemorySize(MakeSpec(kDim), nullptr), Refusal(POSENC_NULL, "bytes must not be null"));
  // The sizes in the comment of posenc_c.h. Without SIMD every encoder is as small as with lists_only.
  const auto kilobytes = [](int lists_only) {
    Spec wide(MakeSpec(512));
    wide.lists_only = lists_only;
    std::size_t bytes = 0;
    EXPECT_EQ(Encoder::MemorySize(wide, &bytes), POSENC_OK);
    return (bytes + 500) / 1000;
  };
  EXPECT_EQ(kilobytes(1), 6u);
  EXPECT_TRUE(kilobytes(0) == 78 || kilobytes(0) == 6) << kilobytes(0);
  EXPECT_EQ(Encoder::MemorySize(Spec(), &got), Refusal(POSENC_BAD_MEMBER, "dim must be 1 .. 16777216"));
}

}  // namespace
}  // namespace posenc
