// Positions from ids and from masks, compared with literal transcriptions of fairseq's and DETR's code.
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "fp_modes.h"
#include "per_target.h"
#include "posenc/models.h"
#include "refusal.h"

namespace posenc {
namespace {

constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// fairseq/utils.py, make_positions:
//   mask = tensor.ne(padding_idx).int()
//   return (torch.cumsum(mask, dim=1).type_as(mask) * mask).long() + padding_idx
// As in transformers, `past` is added to the sum.
std::vector<std::int64_t> MakePositions(const std::vector<std::int64_t>& row, std::int64_t padding_idx,
                                        std::int64_t past) {
  std::vector<std::int64_t> positions;
  std::int64_t cumsum = 0;
  for (const std::int64_t id : row) {
    const std::int64_t mask = id != padding_idx ? 1 : 0;
    cumsum += mask;
    positions.push_back((cumsum + past) * mask + padding_idx);
  }
  return positions;
}

// Rows of random ids. A third of them are padding. Gaps must not change.
template <class Id, class Position>
void ExpectMakePositions(std::size_t batch, std::size_t sequence, std::int64_t padding_id,
                         std::int64_t past) {
  const std::size_t id_stride = sequence + 2, stride = sequence + 3;
  std::mt19937 random(7);
  std::vector<Id> ids(batch * id_stride);
  for (Id& id : ids)
    id = static_cast<Id>(random() % 3 == 0 ? padding_id : static_cast<std::int64_t>(random() % 1000));
  std::vector<Position> got(batch * stride, -4711), want = got;
  ASSERT_EQ(
      PositionsFromIds({ids.data(), id_stride, padding_id}, batch, sequence, past, {got.data(), stride}),
      POSENC_OK);
  for (std::size_t b = 0; b < batch; ++b) {
    const std::vector<std::int64_t> row(&ids[b * id_stride], &ids[b * id_stride] + sequence);
    const std::vector<std::int64_t> positions = MakePositions(row, padding_id, past);
    for (std::size_t s = 0; s < sequence; ++s) want[b * stride + s] = static_cast<Position>(positions[s]);
  }
  EXPECT_EQ(got, want) << batch << " x " << sequence << ", padding " << padding_id << ", past " << past;
}

TEST(PositionsFromIds, AreFairseqs) {
  for (const std::size_t batch : {1u, 2u, 5u}) {
    for (const std::size_t sequence : {1u, 2u, 17u, 300u}) {
      for (const std::int64_t padding_id : {1, 0, -100, 999}) {
        for (const std::int64_t past : {0, 1, 77}) {
          ExpectMakePositions<std::int32_t, std::int32_t>(batch, sequence, padding_id, past);
          ExpectMakePositions<std::int32_t, std::int64_t>(batch, sequence, padding_id, past);
          ExpectMakePositions<std::int64_t, std::int32_t>(batch, sequence, padding_id, past);
          ExpectMakePositions<std::int64_t, std::int64_t>(batch, sequence, padding_id, past);
        }
      }
    }
  }
}

// An id of 64 bits is not padding if only its lower 32 bits equal the padding id.
TEST(PositionsFromIds, ComparesWholeIds) {
  const std::int64_t ids[] = {(std::int64_t{1} << 32) + 1, 1, kMinInt64, kMaxInt64};
  std::vector<std::int32_t> got(4);
  ASSERT_EQ(PositionsFromIds({ids, 4, 1}, 1, 4, 0, {got.data(), 4}), POSENC_OK);
  EXPECT_EQ(got, (std::vector<std::int32_t>{2, 1, 3, 4}));
}

struct IdArguments {
  posenc_type position_type = POSENC_I64;
  std::vector<std::int64_t> memory = std::vector<std::int64_t>(100, 3);
  const void* ids = memory.data();
  void* positions = memory.data() + 50;
  std::size_t batch = 3, sequence = 5, id_stride = 6, stride = 7;
  std::int64_t padding_id = 1, past = 0;
};

template <class Spoil>
void ExpectIds(const Refusal& want, const Spoil& spoil) {
  IdArguments a;
  spoil(a);
  const std::vector<std::int64_t> before = a.memory;
  const posenc_ids ids = {POSENC_I64, a.ids, a.id_stride, a.padding_id};
  const posenc_rows positions = {a.position_type, a.positions, a.stride};
  const posenc_status status = posenc_positions_from_ids(&ids, a.batch, a.sequence, a.past, &positions);
  EXPECT_EQ(status, want) << posenc_status_message(status);
  if (!want.IsOk()) {
    EXPECT_EQ(a.memory, before);
  }
}

// refusals_test.cc does not try these: strides that overflow, and calls with nothing to do.
TEST(PositionsFromIds, Sizes) {
  const Refusal ids(POSENC_BAD_SIZE, "stride of ids is too large"),
      positions(POSENC_BAD_SIZE, "stride of positions is too large");
  ExpectIds(positions, [](IdArguments& a) { a.batch = kMaxSize / 16; });
  ExpectIds(ids, [](IdArguments& a) { a.id_stride = kMaxSize / 8; });
  ExpectIds(positions, [](IdArguments& a) { a.stride = kMaxSize / 8; });
  for (const std::size_t nothing : {0u, 1u}) {
    ExpectIds(POSENC_OK, [&](IdArguments& a) {
      (nothing == 0 ? a.batch : a.sequence) = 0;
      a.ids = a.positions = nullptr;
    });
  }
  for (const std::int64_t padding_id : {std::int64_t{1}, std::int64_t{POSENC_MAX_POSITION}}) {
    ExpectIds(POSENC_OK, [&](IdArguments& a) {
      a.sequence = a.id_stride = a.stride = 0;
      a.padding_id = padding_id;
    });
  }
}

// The largest position that the row could have is checked, whatever its ids are.
TEST(PositionsFromIds, Range) {
  constexpr std::int64_t kMax = POSENC_MAX_POSITION;
  const auto expect = [](const Refusal& want, posenc_type type, std::int64_t padding_id, std::int64_t past) {
    SCOPED_TRACE(testing::Message() << padding_id << ", past " << past);
    ExpectIds(want, [&](IdArguments& a) {
      a.position_type = type;
      a.padding_id = padding_id;
      a.past = past;
    });
  };
  const Refusal bad(POSENC_OUT_OF_RANGE, "padding_id + past + sequence");
  expect(POSENC_OK, POSENC_I64, kMax - 5, 0);
  expect(bad, POSENC_I64, kMax - 4, 0);
  expect(POSENC_OK, POSENC_I64, kMax - 6, 1);
  expect(bad, POSENC_I64, kMax - 6, 2);
  expect(POSENC_OK, POSENC_I32, kMax - 6, 0);
  expect(bad, POSENC_I32, kMax - 5, 0);
  expect(POSENC_OK, POSENC_I64, -kMax, 2 * kMax - 5);
  expect(bad, POSENC_I64, -kMax, 2 * kMax - 4);
  expect(POSENC_OK, POSENC_I32, -kMax, 0);
  expect(bad, POSENC_I64, -kMax - 1, 0);
  expect(bad, POSENC_I32, -kMax - 1, 0);
  for (const std::int64_t far : {kMinInt64, kMaxInt64, kMaxInt64 - 5}) {
    expect(bad, POSENC_I64, far, 0);
    expect(bad, POSENC_I64, 0, far);
    expect(bad, POSENC_I64, far, far);
  }
  expect(bad, POSENC_I64, 1, -1);
  ExpectIds(bad, [](IdArguments& a) {
    a.batch = 0;
    a.sequence = a.id_stride = a.stride = kMaxSize;
  });
}

// DETR, models/position_encoding.py, PositionEmbeddingSine.forward, with Deformable DETR's offset:
//   y_embed = not_mask.cumsum(1, dtype=torch.float32)
//   y_embed = (y_embed + offset) / (y_embed[:, -1:, :] + eps) * self.scale
// torch rounds each Python number, and each operation, to the tensor's float32.
struct Image {
  std::size_t height, width;
  std::vector<std::uint8_t> mask;
  bool Has(std::size_t r, std::size_t c) const { return mask.empty() || mask[r * width + c] == 0; }
};

template <class Float>
double Normalized(double n, double last, double offset, double scale) {
  volatile Float x = static_cast<Float>(n);
  volatile Float m = static_cast<Float>(last);
  x = x + static_cast<Float>(offset);
  m = m + static_cast<Float>(1e-6);
  x = x / m;
  x = x * static_cast<Float>(scale);
  return static_cast<double>(x);
}

void Transcribe(const Image& image, posenc_normalization normalization, double scale, double offset,
                std::vector<double>* y, std::vector<double>* x) {
  const auto finish = [&](double n, double last) {
    if (normalization == POSENC_NO_NORMALIZATION) return n;
    if (normalization == POSENC_NORMALIZE_F32) return Normalized<float>(n, last, offset, scale);
    return Normalized<double>(n, last, offset, scale);
  };
  const auto cells = [&](std::size_t rows, std::size_t columns, bool down, std::size_t r, std::size_t c) {
    double n = 0.0;
    for (std::size_t k = 0; k < (down ? rows : columns); ++k)
      n += image.Has(down ? k : r, down ? c : k) ? 1.0 : 0.0;
    return n;
  };
  for (std::size_t r = 0; r < image.height; ++r) {
    for (std::size_t c = 0; c < image.width; ++c) {
      y->push_back(finish(cells(r + 1, 0, true, r, c), cells(image.height, 0, true, r, c)));
      x->push_back(finish(cells(0, c + 1, false, r, c), cells(0, image.width, false, r, c)));
    }
  }
}

std::vector<Image> Images() {
  std::vector<Image> images = {{1, 1, {}}, {1, 7, {}}, {6, 1, {}}, {25, 34, {}}, {3, 2, {1, 1, 1, 1, 1, 1}}};
  std::mt19937 random(3);
  for (const std::size_t side : {2u, 5u, 41u}) {
    Image rectangle = {side, side + 3,
                       std::vector<std::uint8_t>(side * (side + 3))};  // padded like the images of a batch
    Image holes = rectangle;
    for (std::size_t k = 0; k < rectangle.mask.size(); ++k) {
      rectangle.mask[k] = k / (side + 3) >= side * 2 / 3 || k % (side + 3) >= side / 2 ? 1 : 0;
      holes.mask[k] = random() % 3 == 0 ? static_cast<std::uint8_t>(1 + random() % 255) : 0;
    }
    images.push_back(rectangle);
    images.push_back(holes);
  }
  return images;
}

void ExpectTranscribed(const Image& image, posenc_normalization normalization, double scale, double offset) {
  std::vector<double> want_y, want_x;
  Transcribe(image, normalization, scale == 0.0 ? 2.0 * 3.141592653589793 : scale, offset, &want_y, &want_x);
  std::vector<double> y(want_y.size()), x(y);
  ASSERT_EQ(PositionsFromMask({image.mask.empty() ? nullptr : image.mask.data(), image.height, image.width},
                              normalization, scale, offset, y.data(), x.data()),
            POSENC_OK);
  EXPECT_TRUE(SameBits(y, want_y));
  EXPECT_TRUE(SameBits(x, want_x));
}

TEST(PositionsFromMask, AreDetrs) {
  for (const Image& image : Images()) {
    for (const posenc_normalization normalization :
         {POSENC_NO_NORMALIZATION, POSENC_NORMALIZE_F32, POSENC_NORMALIZE_F64}) {
      for (const double scale : {0.0, 1.0, 20.0, 0.1}) {
        for (const double offset : {0.0, -0.5, 0.3}) {
          SCOPED_TRACE(testing::Message()
                       << image.height << " x " << image.width << ", normalization "
                       << static_cast<int>(normalization) << ", scale " << scale << ", offset " << offset);
          ExpectTranscribed(image, normalization, scale, offset);
        }
      }
    }
  }
}

// Counts so small that a float still shows the added 1e-6, and larger ones.
TEST(PositionsFromMask, OfLongRows) {
  for (const std::size_t width : {7u, 8u, 16u, 31u, 33u, 64u, 1000u}) {
    ExpectTranscribed({1, width, {}}, POSENC_NORMALIZE_F32, 0.0, 0.0);
    ExpectTranscribed({1, width, {}}, POSENC_NORMALIZE_F64, 0.0, 0.0);
  }
}

// A scale that some floating-point states flush to zero, and one for which comparisons raise an exception.
TEST(PositionsFromMask, WhateverTheFloatingPointState) {
  for (const Mode& mode : kModes) {
    SCOPED_TRACE(mode.name);
    Status tiny = -1, bad = -1;
    double y = 0.0, x = 0.0;
    RunIn(mode, 0, [&] {
      tiny = PositionsFromMask({nullptr, 1, 1}, POSENC_NORMALIZE_F64, 0x1p-1074, 0.0, &y, &x);
      bad = PositionsFromMask({nullptr, 1, 1}, POSENC_NORMALIZE_F64, kNaN, 0.0, &y, &x);
    });
    EXPECT_EQ(tiny, POSENC_OK);
    EXPECT_EQ(y, 0x1p-1074);
    EXPECT_EQ(bad, Refusal(POSENC_BAD_ARGUMENT, "scale of the normalization"));
  }
}

// refusals_test.cc does not try these: wrong numbers, images that are too large, and calls with nothing
// to do.
TEST(PositionsFromMask, Arguments) {
  std::vector<double> y(4 * 6, 3.0), x = y;
  const auto expect = [&](const Refusal& want, std::size_t height, std::size_t width, double scale,
                          double offset, bool is_null = false) {
    const std::vector<double> before = y;
    const posenc_mask mask = {nullptr, height, width};
    EXPECT_EQ(posenc_positions_from_mask(&mask, POSENC_NORMALIZE_F32, scale, offset,
                                         is_null ? nullptr : y.data(), is_null ? nullptr : x.data()),
              want)
        << height << " x " << width << ", scale " << scale << ", offset " << offset;
    EXPECT_TRUE(want.IsOk() || (SameBits(y, before) && SameBits(x, before)));
  };
  for (const double bad : {kNaN, HUGE_VAL, -HUGE_VAL, 0x1.0000000000001p31, -0x1.0000000000001p31}) {
    expect(Refusal(POSENC_BAD_ARGUMENT, "scale of the normalization"), 4, 6, bad, 0.0);
    expect(Refusal(POSENC_BAD_ARGUMENT, "offset of the normalization"), 4, 6, 1.0, bad);
  }
  // A system of 32 bits does not have enough memory for these.
  const Refusal too_far = sizeof(std::size_t) > 4
                              ? Refusal(POSENC_OUT_OF_RANGE, "height and width must be at most 2^31")
                              : Refusal(POSENC_BAD_SIZE, "height times width is too large");
  expect(too_far, (std::size_t{1} << 31) + 1, 1, 1.0, 0.0);
  expect(too_far, 1, (std::size_t{1} << 31) + 1, 1.0, 0.0);
  expect(POSENC_OK, 0, 6, 1.0, 0.0, true);
  expect(POSENC_OK, 4, 0, 1.0, 0.0, true);
  expect(POSENC_OK, 4, 6, -0x1p31, 0.0);
  expect(POSENC_OK, 4, 6, 1.0, 0x1p31);
}

template <class Id, class Position>
void ExpectSamePositions() {
  const Id ids[] = {5, 1, 6, 1, 7, 8, 9};
  Position got[8] = {}, want[8] = {};
  for (const std::int64_t past : {0, 4}) {
    EXPECT_EQ(PositionsFromIds({ids, 4, 1}, 2, 3, past, {got, 5}), POSENC_OK);
    const posenc_ids c_ids = {TypeOf<Id>(), ids, 4, 1};
    const posenc_rows c_positions = {TypeOf<Position>(), want, 5};
    EXPECT_EQ(posenc_positions_from_ids(&c_ids, 2, 3, past, &c_positions), POSENC_OK);
    EXPECT_TRUE(SameBits(got, want, 8));
  }
  EXPECT_EQ(PositionsFromIds({ids, 2, 1}, 2, 3, 0, {got, 5}),
            Refusal(POSENC_BAD_STRIDE, "stride of ids must be at least"));
}

TEST(PositionsOfCpp, AreThoseOfC) {
  ExpectSamePositions<std::int32_t, std::int32_t>();
  ExpectSamePositions<std::int32_t, std::int64_t>();
  ExpectSamePositions<std::int64_t, std::int32_t>();
  ExpectSamePositions<std::int64_t, std::int64_t>();
  const std::uint8_t padding[] = {0, 1, 0, 0, 0, 1};
  const posenc_mask mask = {padding, 2, 3};
  double y[6], x[6], c_y[6], c_x[6];
  EXPECT_EQ(PositionsFromMask(mask, POSENC_NO_NORMALIZATION, 0.0, 0.0, y, x), POSENC_OK);
  EXPECT_EQ(posenc_positions_from_mask(&mask, POSENC_NO_NORMALIZATION, 0.0, 0.0, c_y, c_x), POSENC_OK);
  EXPECT_TRUE(SameBits(y, c_y, 6) && SameBits(x, c_x, 6));
  EXPECT_EQ(PositionsFromMask(mask, POSENC_NORMALIZE_F32, 3.0, -0.5, y, x), POSENC_OK);
  EXPECT_EQ(posenc_positions_from_mask(&mask, POSENC_NORMALIZE_F32, 3.0, -0.5, c_y, c_x), POSENC_OK);
  EXPECT_TRUE(SameBits(y, c_y, 6) && SameBits(x, c_x, 6));
  EXPECT_EQ(PositionsFromMask(mask, static_cast<posenc_normalization>(9), 0.0, 0.0, y, x),
            Refusal(POSENC_BAD_ARGUMENT, "normalization must be one of"));
}

}  // namespace
}  // namespace posenc
