// posenc.h over posenc_c.h: every template for every type that it admits calls the function that it should,
// with the arguments in their places; encoders own what they created; defaults and values are the same.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "per_target.h"
#include "posenc/grid.h"
#include "scalar_formats.h"

namespace posenc {
namespace {

// All different, so that no two arguments may change places.
constexpr std::size_t kDim = 21, kRows = 3, kStride = 25, kBatch = 2, kBatchStride = 83, kVocabulary = 5,
                      kTableStride = 23;
constexpr std::int64_t kFirst = -4;
constexpr float kScale = 1.5f;
constexpr std::size_t kNone = 4711;

struct TypedHeader : testing::Test {
  const Encoder e = Create(MakeSpec(kDim));
  const posenc_encoder* const c = e.c_encoder();
};

// What a call of C++ and one of C make of the same activations.
template <class T>
class Both {
 public:
  T* x() { return got_.data(); }
  T* c_x() { return want_.data(); }
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
  std::vector<T> got_ = Activations<T>(kBatch * kBatchStride), want_ = got_;
};

template <class T, class Position>
void ExpectSameLists(const Encoder& e, const std::vector<Position>& positions) {
  constexpr posenc_type kType = TypeOf<T>(), kList = TypeOf<Position>();
  const posenc_encoder* c = e.c_encoder();
  const Position* p = positions.data();
  Both<T> b;
  b.Expect(e.WriteAt(p, kRows, b.x(), kStride, &b.bad),
           posenc_write_at(c, kList, p, kRows, kType, b.c_x(), kStride, &b.c_bad));
  if constexpr (!std::is_same_v<T, double>) {
    b.Expect(e.AddAt(p, kRows, b.x(), kStride, kScale, &b.bad),
             posenc_add_at(c, kList, p, kRows, kType, b.c_x(), kStride, kScale, &b.c_bad));
    b.Expect(e.AddAt(p, kRows, b.x(), kStride),
             posenc_add_at(c, kList, p, kRows, kType, b.c_x(), kStride, 1.0f, nullptr));
  }
}

template <class T, class Integer, class Element, class Position>
void ExpectSameEmbedAt(const Encoder& e, const std::vector<Integer>& list, const std::vector<Element>& table,
                       const std::vector<Position>& positions) {
  constexpr posenc_type kType = TypeOf<T>(), kList = TypeOf<Integer>(), kTable = TypeOf<Element>(),
                        kAt = TypeOf<Position>();
  const Integer* l = list.data();
  const Element* t = table.data();
  const Position* p = positions.data();
  Both<T> b;
  b.Expect(e.EmbedAt(l, kRows, t, kVocabulary, kTableStride, p, b.x(), kStride, kScale, &b.bad),
           posenc_embed_at(e.c_encoder(), kList, l, kRows, kTable, t, kVocabulary, kTableStride, kAt, p,
                           kType, b.c_x(), kStride, kScale, &b.c_bad));
  b.Expect(e.EmbedAt(l, kRows, t, kVocabulary, kTableStride, p, b.x(), kStride),
           posenc_embed_at(e.c_encoder(), kList, l, kRows, kTable, t, kVocabulary, kTableStride, kAt, p,
                           kType, b.c_x(), kStride, 1.0f, nullptr));
}

template <class T, class Element, class Integer>
void ExpectSameEmbed(const Encoder& e, const std::vector<Integer>& list) {
  constexpr posenc_type kType = TypeOf<T>(), kList = TypeOf<Integer>(), kTable = TypeOf<Element>();
  const posenc_encoder* c = e.c_encoder();
  const std::vector<Element> table = Activations<Element>(kVocabulary * kTableStride, 9);
  const Element* t = table.data();
  const Integer* l = list.data();
  Both<T> b;
  b.Expect(e.Embed(l, kRows, t, kVocabulary, kTableStride, kFirst, b.x(), kStride, kScale, &b.bad),
           posenc_embed(c, kList, l, kRows, kTable, t, kVocabulary, kTableStride, kFirst, kType, b.c_x(),
                        kStride, kScale, &b.c_bad));
  b.Expect(e.Embed(l, kRows, t, kVocabulary, kTableStride, kFirst, b.x(), kStride),
           posenc_embed(c, kList, l, kRows, kTable, t, kVocabulary, kTableStride, kFirst, kType, b.c_x(),
                        kStride, 1.0f, nullptr));
  ExpectSameEmbedAt<T>(e, list, table, std::vector<float>{0.375f, -1e6f, 3.0f});
  ExpectSameEmbedAt<T>(e, list, table, std::vector<double>{0.375, std::nan(""), 3.0});
  ExpectSameEmbedAt<T>(e, list, table, std::vector<std::int32_t>{-7, 1 << 30, 3});
  ExpectSameEmbedAt<T>(e, list, table, std::vector<std::int64_t>{-7, 1, kMaxPosition});
}

template <class T, class Integer>
void ExpectSameIntegers(const Encoder& e, const std::vector<Integer>& list) {
  constexpr posenc_type kType = TypeOf<T>(), kList = TypeOf<Integer>();
  const posenc_encoder* c = e.c_encoder();
  const Integer* l = list.data();
  ExpectSameEmbed<T, T>(e, list);
  Both<T> b;
  b.Expect(e.AddBatch(l, kBatch, kRows, b.x(), kBatchStride, kStride, kScale, &b.bad),
           posenc_add_batch(c, 0, kList, l, kBatch, kRows, kType, b.c_x(), kBatchStride, kStride, kScale,
                            &b.c_bad));
  b.Expect(
      e.AddBatch(l, kBatch, kRows, b.x(), kBatchStride, kStride),
      posenc_add_batch(c, 0, kList, l, kBatch, kRows, kType, b.c_x(), kBatchStride, kStride, 1.0f, nullptr));
}

template <class T>
void ExpectSameSharedFirst(const Encoder& e, std::int64_t first) {
  const posenc_encoder* c = e.c_encoder();
  Both<T> b;
  b.Expect(e.AddBatch(first, kBatch, kRows, b.x(), kBatchStride, kStride, kScale),
           posenc_add_batch(c, first, POSENC_I64, nullptr, kBatch, kRows, TypeOf<T>(), b.c_x(), kBatchStride,
                            kStride, kScale, nullptr));
  b.Expect(e.AddBatch(first, kBatch, kRows, b.x(), kBatchStride, kStride),
           posenc_add_batch(c, first, POSENC_I64, nullptr, kBatch, kRows, TypeOf<T>(), b.c_x(), kBatchStride,
                            kStride, 1.0f, nullptr));
}

TEST_F(TypedHeader, CallsAreThoseOfC) {
  ForEachEntryType([&](auto entry) {
    using T = decltype(entry);
    Both<T> b;
    b.Expect(e.Write(kFirst, kRows, b.x(), kStride),
             posenc_write(c, kFirst, kRows, TypeOf<T>(), b.c_x(), kStride));
    ExpectSameLists<T, std::int32_t>(e, {3, -1, 77});
    ExpectSameLists<T, std::int64_t>(e, {3, -1, 1 << 30});
    ExpectSameLists<T, std::int64_t>(e, {3, kMaxPosition + 1, -1});
    ExpectSameLists<T, float>(e, {0.375f, -1e6f, 0x1p-130f});
    ExpectSameLists<T, float>(e, {0.375f, 0x1.000002p31f, 1.0f});
    ExpectSameLists<T, double>(e, {0.375, -1e6 - 0.1, 0x1p-130});
    ExpectSameLists<T, double>(e, {0.375, 1.0, std::nan("")});
  });
  ForEachType([&](auto entry) {
    using T = decltype(entry);
    Both<T> b;
    b.Expect(e.Add(kFirst, kRows, b.x(), kStride, kScale),
             posenc_add(c, kFirst, kRows, TypeOf<T>(), b.c_x(), kStride, kScale));
    b.Expect(e.Add(kFirst, kRows, b.x(), kStride),
             posenc_add(c, kFirst, kRows, TypeOf<T>(), b.c_x(), kStride, 1.0f));
    ExpectSameIntegers<T, std::int32_t>(e, {4, 0, 3});
    ExpectSameIntegers<T, std::int64_t>(e, {4, 0, 3});
    ExpectSameIntegers<T, std::int64_t>(e, {4, kMaxPosition + 1, 0});
    for (const std::int64_t first : {kFirst, kMaxPosition}) ExpectSameSharedFirst<T>(e, first);
  });
  ExpectSameEmbed<float, BFloat16, std::int32_t>(e, {4, 0, 3});
  ExpectSameEmbed<float, Float16, std::int64_t>(e, {4, kVocabulary, 0});
}

TEST_F(TypedHeader, AxesOfGridsHaveTheirMembers) {
  const double positions[] = {1.0, 2.0};
  const GridAxis run = RunAxis(e, 1, -2, 3), list = ListAxis(e, 4, positions, 2);
  EXPECT_TRUE(run.encoder == c && run.column == 1 && run.count == 3 && run.positions == nullptr &&
              run.first_position == -2 && run.reserved == 0);
  EXPECT_TRUE(list.encoder == c && list.column == 4 && list.count == 2 && list.positions == positions &&
              list.position_type == POSENC_F64 && list.first_position == 0 && list.reserved == 0);
  EXPECT_EQ(ListAxis<float>(e, 0, nullptr, 0).position_type, POSENC_F32);
  EXPECT_EQ(ListAxis<std::int32_t>(e, 0, nullptr, 0).position_type, POSENC_I32);
  EXPECT_EQ(ListAxis<std::int64_t>(e, 0, nullptr, 0).position_type, POSENC_I64);
  EXPECT_EQ(kMaxGridAxes, 8u);
}

TEST_F(TypedHeader, GridsAreThoseOfC) {
  const double bad[] = {1.0, std::nan("")};
  for (const GridAxis& second : {RunAxis(e, 1, 7, 2), ListAxis(e, 1, bad, 2)}) {
    const GridAxis axes[] = {RunAxis(e, 1 + kDim, kFirst, 1), second};
    ForEachEntryType([&](auto entry) {
      using T = decltype(entry);
      constexpr std::size_t kWide = 2 * kDim + 4;
      Both<T> b;
      std::size_t axis = kNone, c_axis = kNone;
      b.Expect(WriteGrid(axes, 1, b.x(), kWide, &axis, &b.bad),
               posenc_write_grid(axes, 2, 1, TypeOf<T>(), b.c_x(), kWide, &c_axis, &b.c_bad));
      EXPECT_EQ(axis, c_axis);
      b.Expect(WriteGrid(axes, 0, b.x(), kWide),
               posenc_write_grid(axes, 2, 0, TypeOf<T>(), b.c_x(), kWide, nullptr, nullptr));
      if constexpr (!std::is_same_v<T, double>) {
        axis = c_axis = kNone;
        b.Expect(AddGrid(axes, 1, b.x(), kWide, kScale, &axis, &b.bad),
                 posenc_add_grid(axes, 2, 1, TypeOf<T>(), b.c_x(), kWide, kScale, &c_axis, &b.c_bad));
        EXPECT_EQ(axis, c_axis);
        b.Expect(AddGrid(axes, 0, b.x(), kWide),
                 posenc_add_grid(axes, 2, 0, TypeOf<T>(), b.c_x(), kWide, 1.0f, nullptr, nullptr));
      }
    });
  }
}

TEST_F(TypedHeader, PropertiesAreThoseOfC) {
  EXPECT_EQ(e.dim(), kDim);
  EXPECT_EQ(Create(MakeSpec(kDim, nullptr, Layout::kCosSin)).layout(), Layout::kCosSin);
  EXPECT_STREQ(e.target(), posenc_encoder_target(c));
  EXPECT_EQ(e.frequency_count(), (kDim + 1) / 2);
  EXPECT_EQ(e.Radians(3), posenc_encoder_radians(c, 3));
  EXPECT_EQ(e.Radians(0), 1.0);
}

TEST_F(TypedHeader, TargetsAreThoseOfC) {
  Target targets[kMaxTargets];
  posenc_target c_targets[kMaxTargets];
  ASSERT_EQ(Targets(targets), posenc_targets(c_targets, kMaxTargets));
  EXPECT_EQ(std::memcmp(targets, c_targets, Targets(targets) * sizeof(Target)), 0);
}

TEST(FpState, RunsTheWork) {
  int calls = 0;
  EXPECT_EQ(WithFpState([&] { ++calls; }), Status::kOk);
  EXPECT_EQ(calls, 1);
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

// A member or parameter takes C++'s names and C's for its own values, and nothing else.
template <class Enum, class Other>
constexpr bool IsApart() {
  return !std::is_convertible_v<Enum, Other> && !std::is_constructible_v<Enum, Other>;
}
static_assert(std::is_assignable_v<posenc_layout&, Layout> && std::is_convertible_v<posenc_layout, Layout> &&
                  IsApart<Layout, OddColumn>() && IsApart<posenc_layout, OddColumn>() &&
                  IsApart<Layout, posenc_odd_column>() && !std::is_assignable_v<posenc_layout&, int> &&
                  !std::is_convertible_v<int, Layout> && !std::is_convertible_v<int, Status>,
              "each enum for itself");

// surfaces.py holds the names against the C headers.
static_assert(std::is_same_v<std::underlying_type_t<posenc_status>, std::int32_t> &&
                  sizeof(Status) == sizeof(std::int32_t),
              "as in C");

TEST(Types, HaveTheirConstants) {
  EXPECT_EQ(
      (std::vector<posenc_type>{TypeOf<float>(), TypeOf<BFloat16>(), TypeOf<Float16>(), TypeOf<double>(),
                                TypeOf<std::int32_t>(), TypeOf<std::int64_t>()}),
      (std::vector<posenc_type>{POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64, POSENC_I32, POSENC_I64}));
  EXPECT_EQ(TypeOf<std::uint32_t>() + TypeOf<std::int16_t>() + TypeOf<bool>() + TypeOf<char*>(), 0);
  for (std::int32_t status = -1; status < 100; ++status) {
    EXPECT_EQ(StatusMessage(Status(status)), posenc_status_message(static_cast<posenc_status>(status)));
  }
}

// An encoder works, and is the one that was created.
void ExpectWorks(const Encoder& encoder, std::size_t dim) {
  ASSERT_EQ(encoder.dim(), dim);
  EXPECT_TRUE(SameBits(Write(encoder, kFirst, kRows), Write(Create(MakeSpec(dim)), kFirst, kRows)));
}

TEST(Encoders, AreEmptyBeforeCreate) {
  const Encoder encoder;
  EXPECT_EQ(encoder.dim(), 0u);
  EXPECT_EQ(encoder.layout(), static_cast<Layout>(-1));
  EXPECT_STREQ(encoder.target(), "");
  EXPECT_EQ(encoder.frequency_count(), 0u);
  EXPECT_TRUE(std::isnan(encoder.Radians(0)));
  EXPECT_EQ(encoder.c_encoder(), nullptr);
  float x = 0.0f;
  EXPECT_EQ(encoder.Write(0, 1, &x, 1), Status::kNotCreated);
}

TEST(Encoders, Move) {
  Encoder first = Create(MakeSpec(kDim));
  Encoder second = std::move(first);
  ExpectWorks(second, kDim);
  EXPECT_EQ(first.c_encoder(), nullptr);  // NOLINT(bugprone-use-after-move): as before Create
  first = Create(MakeSpec(4));
  second = std::move(first);
  ExpectWorks(second, 4);
  ExpectWorks(first, kDim);  // NOLINT(bugprone-use-after-move): exchanged
}

// With AddressSanitizer this also shows that nothing is freed twice, or never.
TEST(Encoders, AreReplacedByCreateUnlessItFails) {
  Encoder encoder;
  std::vector<unsigned char> memory(1 << 16);
  for (const std::size_t dim : {8u, 9u}) {
    ASSERT_EQ(Encoder::Create(MakeSpec(dim), &encoder), Status::kOk);
    EXPECT_EQ(Encoder::Create(Spec(), &encoder), Status::kBadDim);
    ExpectWorks(encoder, dim);
    ASSERT_EQ(Encoder::CreateIn(MakeSpec(dim + 2), memory.data(), memory.size(), &encoder), Status::kOk);
    EXPECT_EQ(Encoder::CreateIn(MakeSpec(6), memory.data(), 9, &encoder), Status::kMemoryTooSmall);
    EXPECT_EQ(Encoder::CreateIn(MakeSpec(6), nullptr, memory.size(), &encoder), Status::kNullPointer);
    EXPECT_EQ(Encoder::CreateIn(MakeSpec(6), &encoder, sizeof(encoder), &encoder), Status::kBuffersOverlap);
    ExpectWorks(encoder, dim + 2);
    const Encoder moved = std::move(encoder);
    ExpectWorks(moved, dim + 2);
  }
  EXPECT_EQ(Encoder::Create(MakeSpec(kDim), nullptr), Status::kNullPointer);
  EXPECT_EQ(Encoder::CreateIn(MakeSpec(kDim), memory.data(), memory.size(), nullptr), Status::kNullPointer);
}

TEST(Encoders, MemorySizeIsThatOfC) {
  const posenc_spec spec = MakeSpec(kDim);
  std::size_t want = 0, got = 0;
  ASSERT_EQ(posenc_encoder_memory_size(&spec, &want), POSENC_OK);
  EXPECT_EQ(Encoder::MemorySize(MakeSpec(kDim), &got), Status::kOk);
  EXPECT_EQ(got, want);
  EXPECT_EQ(Encoder::MemorySize(MakeSpec(kDim), nullptr), Status::kNullPointer);
  EXPECT_EQ(Encoder::MemorySize(Spec(), &got), Status::kBadDim);
}

}  // namespace
}  // namespace posenc
