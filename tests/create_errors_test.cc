// Bad input to creation: every status has a case that produces it and a message of its own, and nothing is
// written. calls_refusals_test.cc and refusals_test.cc have the statuses of calls.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "per_target.h"

namespace posenc {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();
constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kDim = 8;
constexpr double kDoubles[kDim / 2] = {1.0, 0.1, 0.01, 0.001};
constexpr float kFloats[kDim / 2] = {1.0f, 0.1f, 0.01f, 0.001f};

// The size that memory would need is an estimate: it may be given for frequencies next to the range.
bool MayHaveASize(const posenc_spec* spec, posenc_status status) {
  if (status != POSENC_FREQUENCY_OUT_OF_RANGE) return false;
  constexpr double kLimits[] = {0x1p31, 0x1p-126};
  return std::any_of(std::begin(kLimits), std::end(kLimits), [&](double limit) {
    const auto is_near = [&](double w) {
      return std::fabs(w) / limit > 0.999999 && std::fabs(w) / limit < 1.000001;
    };
    return is_near(spec->position_scale) ||
           (spec->frequencies != nullptr &&
            std::any_of(spec->frequencies, spec->frequencies + spec->frequency_count, is_near));
  });
}

// Creation in all three ways gives `want`, and on failure sets nothing.
void ExpectStatus(const posenc_spec* spec, posenc_status want) {
  static unsigned char memory[1 << 16];
  auto* const untouched = reinterpret_cast<posenc_encoder*>(memory);
  posenc_encoder *encoder = untouched, *placed = untouched;
  std::size_t bytes = 4711;
  EXPECT_EQ(posenc_encoder_create(spec, &encoder), want) << posenc_status_message(want);
  const posenc_status sized = posenc_encoder_memory_size(spec, &bytes);
  EXPECT_TRUE(sized == want || (sized == POSENC_OK && MayHaveASize(spec, want)))
      << posenc_status_message(sized);
  EXPECT_EQ(posenc_encoder_create_in(spec, memory, sizeof(memory), &placed), want);
  if (want == POSENC_OK) {
    EXPECT_EQ(posenc_encoder_dim(encoder), spec->dim);
    EXPECT_EQ(posenc_encoder_dim(placed), spec->dim);
    posenc_encoder_destroy(encoder);
    std::memset(memory, 0, sizeof(memory));
  } else {
    EXPECT_EQ(encoder, untouched);
    EXPECT_EQ(placed, untouched);
    EXPECT_TRUE(sized == POSENC_OK || bytes == 4711u);
    EXPECT_TRUE(std::all_of(std::begin(memory), std::end(memory), [](unsigned char b) { return b == 0; }));
  }
}

posenc_spec GoodSpec() { return ToC(MakeSpec(kDim)); }

// Of a good spec with one member changed to each of some values.
template <class T>
void ExpectStatusWith(T posenc_spec::*member, std::initializer_list<std::common_type_t<T>> values,
                      posenc_status want, posenc_spec spec = GoodSpec()) {
  for (const T value : values) {
    SCOPED_TRACE(testing::PrintToString(value));
    spec.*member = value;
    ExpectStatus(&spec, want);
  }
}

TEST(StatusMessages, AreDistinctSentences) {
  std::set<std::string> messages;
  for (posenc_status status = POSENC_OK; status <= POSENC_BAD_PADDING_POSITION; ++status) {
    const char* message = posenc_status_message(status);
    ASSERT_NE(message, nullptr) << status;
    EXPECT_STRNE(message, "") << status;
    EXPECT_TRUE(messages.insert(message).second) << status << ": " << message;
  }
  for (const posenc_status status : {kMinInt, -1, POSENC_BAD_PADDING_POSITION + 1, 4711, kMaxInt}) {
    EXPECT_STREQ(posenc_status_message(status), "unknown status");
  }
  EXPECT_EQ(messages.count("unknown status"), 0u);
}

// Of what several calls report.
TEST(StatusMessages, NameWhateverMayBeAtFault) {
  const struct {
    posenc_status status;
    std::vector<const char*> words;
  } messages[] = {{POSENC_STRIDE_TOO_SMALL,
                   {"row_stride", "table_stride", "batch_stride", "token_stride", "head_stride"}},
                  {POSENC_SIZE_OVERFLOW, {"matrix", "batch", "tensor", "list"}},
                  {POSENC_POSITION_OUT_OF_RANGE, {"position", "row", "cache"}},
                  {POSENC_MEMORY_TOO_SMALL, {"object"}}};
  for (const auto& message : messages) {
    for (const char* word : message.words) {
      EXPECT_NE(std::string(posenc_status_message(message.status)).find(word), std::string::npos) << word;
    }
  }
}

TEST(CreateErrors, NullPointers) {
  const posenc_spec spec = GoodSpec();
  ExpectStatus(&spec, POSENC_OK);
  ExpectStatus(nullptr, POSENC_NULL_POINTER);
  EXPECT_EQ(posenc_encoder_create(&spec, nullptr), POSENC_NULL_POINTER);
  EXPECT_EQ(posenc_encoder_memory_size(&spec, nullptr), POSENC_NULL_POINTER);
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create_in(&spec, nullptr, 1 << 20, &encoder), POSENC_NULL_POINTER);
  char memory[64];
  EXPECT_EQ(posenc_encoder_create_in(&spec, memory, sizeof(memory), nullptr), POSENC_NULL_POINTER);
  EXPECT_EQ(posenc_spec_init(nullptr, sizeof(spec)), POSENC_NULL_POINTER);
}

TEST(CreateErrors, StructSize) {
  const posenc_spec before = GoodSpec();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, sizeof(posenc_spec) - 1, std::size_t{4097}, kMaxSize}) {
    posenc_spec spec = before;
    EXPECT_EQ(posenc_spec_init(&spec, size), POSENC_BAD_STRUCT_SIZE);
    EXPECT_EQ(std::memcmp(&spec, &before, sizeof(spec)), 0);
    ExpectStatusWith(&posenc_spec::struct_size, {size}, POSENC_BAD_STRUCT_SIZE);
  }
}

// A caller with a newer header: fine while what this version lacks is not used.
TEST(CreateErrors, NewerStructs) {
  struct Newer {
    posenc_spec spec;
    std::int64_t member;
  } newer;
  newer.member = 1;
  ASSERT_EQ(posenc_spec_init(&newer.spec, sizeof(newer)), POSENC_OK);
  EXPECT_EQ(newer.member, 0);
  newer.spec.dim = kDim;
  ExpectStatus(&newer.spec, POSENC_OK);
  for (int bit = 0; bit < 63; bit += 9) {  // in every byte
    newer.member = std::int64_t{1} << bit;
    ExpectStatus(&newer.spec, POSENC_BAD_STRUCT_SIZE);
  }
}

// A member that is added later must not fall into padding, where struct_size does not tell.
static_assert(offsetof(posenc_spec, table_rows) + sizeof(posenc_spec::table_rows) == sizeof(posenc_spec), "");

TEST(CreateErrors, BadDim) {
  ExpectStatusWith(&posenc_spec::dim, {std::size_t{0}, kMaxDim + 1, kMaxSize}, POSENC_BAD_DIM);
  ExpectStatusWith(&posenc_spec::dim, {std::size_t{1}}, POSENC_OK);
}

TEST(CreateErrors, BadBase) {
  ExpectStatusWith(&posenc_spec::base, {kNaN, kInfinity, -kInfinity, 0.0, -0.0, -10000.0}, POSENC_BAD_BASE);
  posenc_spec rounded = GoodSpec();  // needs it as a float
  rounded.phase_rounding = POSENC_F32_POW_DIV;
  rounded.exponent_dim = 1e30;  // whose powers stay in range
  ExpectStatusWith(&posenc_spec::base,
                   {kNaN, kInfinity, -1.0, 0.0, 0x1p-150, kLeast, 1e300, 0x1.ffffffp127, 0x1p128},
                   POSENC_BAD_BASE, rounded);
  ExpectStatusWith(&posenc_spec::base, {0x1p-149, 0x1.8p-150, 0x1.fffffep127, 0x1.fffffefffffffp127},
                   POSENC_OK, rounded);
}

// A phase rounding needs it as a float.
TEST(CreateErrors, BadExponentDim) {
  constexpr auto kMember = &posenc_spec::exponent_dim;
  ExpectStatusWith(kMember, {kNaN, kInfinity, -kInfinity}, POSENC_BAD_EXPONENT_DIM);
  ExpectStatusWith(kMember, {0.0, -0.0}, POSENC_OK);
  for (const posenc_phase_rounding rounding :
       {POSENC_F32_POW_DIV, POSENC_F32_LOG_DIV, POSENC_F32_INV_FREQ, POSENC_F32_LOG_INCREMENT}) {
    posenc_spec rounded = GoodSpec();
    rounded.phase_rounding = rounding;
    ExpectStatusWith(kMember, {kNaN, kInfinity, -kInfinity, 0x1p-150, -kLeast, 1e300, -0x1p128},
                     POSENC_BAD_EXPONENT_DIM, rounded);
    rounded.base = 1.0;  // whose powers stay in range
    ExpectStatusWith(kMember, {0.0, -0.0, 0x1p-149, -0x1.fffffep127}, POSENC_OK, rounded);
  }
}

TEST(CreateErrors, BadPaddingPosition) {
  constexpr auto kMember = &posenc_spec::padding_position;
  posenc_spec spec = GoodSpec();
  ExpectStatusWith(kMember, {kMinInt64, kMaxInt64}, POSENC_OK, spec);  // as there is none
  spec.has_padding = 1;
  for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{7}, kMaxPosition, -kMaxPosition}) {
    spec.position_offset = offset;
    const std::int64_t last = kMaxPosition - offset, first = -kMaxPosition - offset;
    ExpectStatusWith(kMember, {first, first + 1, last - 1, last}, POSENC_OK, spec);
    ExpectStatusWith(kMember, {first - 1, last + 1, kMinInt64, kMaxInt64}, POSENC_BAD_PADDING_POSITION, spec);
  }
}

TEST(CreateErrors, BadPositionScale) {
  constexpr auto kMember = &posenc_spec::position_scale;
  ExpectStatusWith(kMember, {kNaN, kInfinity, -kInfinity}, POSENC_BAD_POSITION_SCALE);
  ExpectStatusWith(kMember, {1e300}, POSENC_FREQUENCY_OUT_OF_RANGE);
  posenc_spec rounded = GoodSpec();
  rounded.phase_rounding = POSENC_F32_POW_DIV;
  ExpectStatusWith(kMember, {0.0, 0x1p-150, 0x1p128, kNaN, kInfinity}, POSENC_BAD_POSITION_SCALE, rounded);
  ExpectStatusWith(kMember, {0.5, -1.0, 1000.0}, POSENC_OK, rounded);
  ExpectStatusWith(kMember, {0x1p-140, 0x1p32}, POSENC_FREQUENCY_OUT_OF_RANGE, rounded);
}

TEST(CreateErrors, UnknownValues) {
  for (const std::int32_t value : {kMinInt, -1, 11, 255, 256, 257, 65536, kMaxInt}) {
    ExpectStatusWith(&posenc_spec::layout, {value}, POSENC_BAD_LAYOUT);
    ExpectStatusWith(&posenc_spec::odd_column, {value}, POSENC_BAD_ODD_COLUMN);
    ExpectStatusWith(&posenc_spec::phase_rounding, {value}, POSENC_BAD_PHASE_ROUNDING);
    ExpectStatusWith(&posenc_spec::frequency_unit, {value}, POSENC_BAD_FREQUENCIES);  // even without a list
    ExpectStatusWith(&posenc_spec::has_padding, {value}, POSENC_BAD_FLAG);
    ExpectStatusWith(&posenc_spec::input_first, {value}, POSENC_BAD_FLAG);
  }
  ExpectStatusWith(&posenc_spec::layout, {4}, POSENC_BAD_LAYOUT);
  ExpectStatusWith(&posenc_spec::odd_column, {4}, POSENC_BAD_ODD_COLUMN);
  ExpectStatusWith(&posenc_spec::frequency_unit, {3}, POSENC_BAD_FREQUENCIES);
  ExpectStatusWith(&posenc_spec::frequency_unit, {POSENC_HALF_TURNS, POSENC_TURNS}, POSENC_OK);
}

TEST(CreateErrors, BadFlags) {
  for (const auto flag : {&posenc_spec::nan_rows, &posenc_spec::lists_only}) {
    ExpectStatusWith(flag, {0, 1}, POSENC_OK);
    ExpectStatusWith(flag, {2, -1, 3, 256, 257, 65536, kMinInt, kMaxInt}, POSENC_BAD_FLAG);
  }
}

TEST(CreateErrors, FrequencyOutOfRange) {
  posenc_spec constant = GoodSpec();
  constant.base = 1.0;
  for (const double limit : {0x1p31, 0x1p-126}) {
    const double outside = std::nextafter(limit, limit > 1.0 ? kInfinity : 0.0);
    ExpectStatusWith(&posenc_spec::position_scale, {limit, -limit, 0.0, -0.0}, POSENC_OK, constant);
    ExpectStatusWith(&posenc_spec::position_scale, {outside, -outside}, POSENC_FREQUENCY_OUT_OF_RANGE,
                     constant);
  }
  ExpectStatusWith(&posenc_spec::base, {1e-300, 1e300, kLeast}, POSENC_FREQUENCY_OUT_OF_RANGE);
  ExpectStatusWith(&posenc_spec::exponent_dim, {1e-3, -1e-3, kLeast}, POSENC_FREQUENCY_OUT_OF_RANGE);
}

TEST(CreateErrors, BadFrequencies) {
  posenc_spec good = GoodSpec();
  good.frequencies = kDoubles;
  good.frequency_count = kDim / 2;
  ExpectStatus(&good, POSENC_OK);
  ExpectStatusWith(&posenc_spec::frequencies_f32, {kFloats}, POSENC_BAD_FREQUENCIES, good);  // both
  ExpectStatusWith(&posenc_spec::frequencies, {nullptr}, POSENC_BAD_FREQUENCIES, good);
  ExpectStatusWith(&posenc_spec::frequency_count, {std::size_t{0}, kDim / 2 - 1, kDim, kMaxSize},
                   POSENC_BAD_FREQUENCIES, good);
  ExpectStatusWith(&posenc_spec::frequency_unit, {kMinInt, -1, 3, 256, 65536, kMaxInt},
                   POSENC_BAD_FREQUENCIES, good);
  ExpectStatusWith(&posenc_spec::phase_rounding, {POSENC_F32_POW_DIV}, POSENC_BAD_FREQUENCIES, good);
  good.frequencies = nullptr;
  good.frequencies_f32 = kFloats;
  ExpectStatus(&good, POSENC_OK);
  const float bad[kDim / 2] = {1.0f, 1.0f, std::numeric_limits<float>::infinity(), 1.0f};
  ExpectStatusWith(&posenc_spec::frequencies_f32, {bad}, POSENC_BAD_FREQUENCIES, good);
}

TEST(CreateErrors, BadListedFrequencies) {
  double list[kDim / 2] = {1.0, 1.0, 1.0, 1.0};
  posenc_spec spec = GoodSpec();
  spec.frequencies = list;
  spec.frequency_count = kDim / 2;
  const auto expect = [&](std::initializer_list<double> frequencies, posenc_status want) {
    for (const double frequency : frequencies) {
      SCOPED_TRACE(frequency);
      list[2] = frequency;
      ExpectStatus(&spec, want);
    }
  };
  expect({kNaN, kInfinity, -kInfinity}, POSENC_BAD_FREQUENCIES);
  expect({0x1p-127, 0x1.0000000000001p31, -1e300, 1e-320}, POSENC_FREQUENCY_OUT_OF_RANGE);
  expect({0.0, -0.0, -0x1p-126, 0x1p31}, POSENC_OK);
  spec.position_scale = 1e-300;
  list[0] = list[1] = list[3] = 1e300;
  expect({1e-300}, POSENC_FREQUENCY_OUT_OF_RANGE);  // though the product is 0 as double
  expect({0.0, 1e300}, POSENC_OK);
  list[0] = list[1] = list[3] = 1.0;
  spec.position_scale = 1.0;
  spec.frequency_unit = POSENC_TURNS;
  expect({0x1p30}, POSENC_FREQUENCY_OUT_OF_RANGE);
}

// With POSENC_F32_LIST frequencies are floats before anything is asked of them.
TEST(CreateErrors, ListedFrequenciesOfRecipesAreFloats) {
  double list[kDim / 2] = {1.0, 1.0, 1.0, 1.0};
  posenc_spec spec = GoodSpec();
  spec.frequencies = list;
  spec.frequency_count = kDim / 2;
  const auto expect = [&](double frequency, posenc_status exact, posenc_status rounded) {
    SCOPED_TRACE(frequency);
    list[2] = frequency;
    spec.phase_rounding = POSENC_NO_PHASE_ROUNDING;
    ExpectStatus(&spec, exact);
    spec.phase_rounding = POSENC_F32_LIST;
    ExpectStatus(&spec, rounded);
  };
  expect(0x1.0000000000001p31, POSENC_FREQUENCY_OUT_OF_RANGE, POSENC_OK);
  expect(-0x1.0000008p31, POSENC_FREQUENCY_OUT_OF_RANGE, POSENC_OK);
  expect(0x1.000002p31, POSENC_FREQUENCY_OUT_OF_RANGE, POSENC_FREQUENCY_OUT_OF_RANGE);
  expect(0x1.ffffffp-127, POSENC_FREQUENCY_OUT_OF_RANGE, POSENC_OK);
  expect(0x1.fffffcp-127, POSENC_FREQUENCY_OUT_OF_RANGE, POSENC_FREQUENCY_OUT_OF_RANGE);
  for (const double far : {1e300, -1e300, 1e-300, -0x1p-151})  // infinite, or 0, as floats
    expect(far, POSENC_FREQUENCY_OUT_OF_RANGE, POSENC_FREQUENCY_OUT_OF_RANGE);
  for (const double bad : {kNaN, kInfinity}) expect(bad, POSENC_BAD_FREQUENCIES, POSENC_BAD_FREQUENCIES);
  expect(-0.0, POSENC_OK, POSENC_OK);
  // Nor does a scale that is little, or large, make one of them right.
  list[2] = 1e300;
  ExpectStatusWith(&posenc_spec::position_scale, {0x1p-100}, POSENC_FREQUENCY_OUT_OF_RANGE, spec);
  list[2] = 1e-300;
  ExpectStatusWith(&posenc_spec::position_scale, {0x1p20}, POSENC_FREQUENCY_OUT_OF_RANGE, spec);
}

// Rows without sines and cosines have no frequency that could be wrong.
TEST(CreateErrors, RowsWithoutPairs) {
  posenc_spec spec = GoodSpec();
  spec.dim = 1;
  const auto expect = [&](posenc_status want, double radians) {
    ExpectStatusWith(&posenc_spec::position_scale, {1e300, 0x1p-1000}, want, spec);
    posenc_encoder* encoder = nullptr;
    ASSERT_EQ(posenc_encoder_create(&spec, &encoder), POSENC_OK);
    EXPECT_EQ(posenc_encoder_radians(encoder, 0), radians);
    posenc_encoder_destroy(encoder);
  };
  expect(POSENC_FREQUENCY_OUT_OF_RANGE, 1.0);
  spec.layout = POSENC_SIN_COS;
  for (const posenc_odd_column odd : {POSENC_ODD_ZERO_LAST, POSENC_ODD_ZERO_MIDDLE}) {
    spec.odd_column = odd;
    expect(POSENC_OK, 0.0);
  }
  spec.odd_column = POSENC_ODD_COSINE_LAST;
  expect(POSENC_FREQUENCY_OUT_OF_RANGE, 1.0);
  spec.input_first = 1;
  expect(POSENC_OK, 0.0);
  spec.dim = 2;
  expect(POSENC_FREQUENCY_OUT_OF_RANGE, 1.0);
}

TEST(CreateErrors, Targets) {
  ExpectStatusWith(&posenc_spec::target, {"", "AVX", "avx2", "AVX2 ", "REFERENCE2"}, POSENC_UNKNOWN_TARGET);
  for (const Target& target : CompiledTargets()) {
    ExpectStatusWith(&posenc_spec::target, {target.name},
                     target.runnable != 0 ? POSENC_OK : POSENC_UNAVAILABLE_TARGET);
  }
}

TEST(NullEncoder, HasNoProperties) {
  EXPECT_EQ(posenc_encoder_dim(nullptr), 0u);
  EXPECT_EQ(posenc_encoder_layout(nullptr), -1);
  EXPECT_STREQ(posenc_encoder_target(nullptr), "");
  EXPECT_EQ(posenc_encoder_frequency_count(nullptr), 0u);
  EXPECT_TRUE(std::isnan(posenc_encoder_radians(nullptr, 0)));
  posenc_encoder_destroy(nullptr);
}

}  // namespace
}  // namespace posenc
