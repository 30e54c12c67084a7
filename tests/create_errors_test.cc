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

#include "spec/versioned.h"
#include "per_target.h"
#include "spec/tables.h"
#include "spec_words.h"

namespace posenc {
namespace {

constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kDim = 8;

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

posenc_spec GoodSpec() { return MakeSpec(kDim); }

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
  constexpr posenc_status kStatuses[] = {
#define POSENC_STATUS(constant, sentence) constant,
#include "spec/statuses.inc"
  };
  const std::set<std::int32_t> known(std::begin(kStatuses), std::end(kStatuses));
  EXPECT_EQ(known.size(), std::size(kStatuses));
  std::set<std::string> messages;
  for (const posenc_status status : kStatuses) {
    const char* message = posenc_status_message(status);
    ASSERT_NE(message, nullptr) << status;
    EXPECT_STRNE(message, "") << status;
    EXPECT_TRUE(messages.insert(message).second) << status << ": " << message;
  }
  std::vector<std::int32_t> others = {kMinInt, kMaxInt};
  for (std::int32_t status = -1; status < 4711; ++status) {
    if (known.count(status) == 0) others.push_back(status);
  }
  for (const std::int32_t status : others) {
    EXPECT_STREQ(posenc_status_message(static_cast<posenc_status>(status)), "unknown status") << status;
  }
  EXPECT_EQ(messages.count("unknown status"), 0u);
}

// Of what several calls report.
TEST(StatusMessages, NameWhateverMayBeAtFault) {
  const struct {
    posenc_status status;
    std::vector<const char*> words;
  } messages[] = {{POSENC_STRIDE_TOO_SMALL, {"row_stride", "position_stride", "column"}},
                  {POSENC_SIZE_OVERFLOW, {"matrix", "batch", "tensor", "list"}},
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
       {std::size_t{0}, std::size_t{1}, internal::kFirstSize<posenc_spec> - 1, std::size_t{4097}, kMaxSize}) {
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
    ExpectStatus(&newer.spec, POSENC_UNKNOWN_MEMBERS);
  }
}

TEST(CreateErrors, NewerStructsOfRotaries) {
  struct Newer {
    posenc_rotary_spec spec;
    const posenc_rotary_spec* member;
  } newer;
  ASSERT_EQ(posenc_rotary_spec_init(&newer.spec, sizeof(newer)), POSENC_OK);
  newer.spec.head_dim = 8;
  std::size_t bytes = 0;
  EXPECT_EQ(posenc_rotary_memory_size(&newer.spec, &bytes), POSENC_OK);
  newer.member = &newer.spec;
  EXPECT_EQ(posenc_rotary_memory_size(&newer.spec, &bytes), POSENC_UNKNOWN_MEMBERS);
}

// A member that is added later must not fall into padding, where struct_size does not tell.
constexpr internal::Member kLast = internal::kSpecMembers[std::size(internal::kSpecMembers) - 1];
static_assert(kLast.offset + kLast.size == sizeof(posenc_spec), "");

// A phase rounding needs base, exponent_dim and position_scale as floats, and exponent_dim not 0. Frequencies
// are what they are times the scale.
const Refusal kRefusals[] = {
    {"", "dim=1", "dim=0|16777217|-1", POSENC_BAD_DIM},
    {"", "", "base=nan|inf|-inf|0|-0|-10000", POSENC_BAD_BASE},
    {"phase_rounding=F32_POW_DIV exponent_dim=1e30",
     "base=0x1p-149|0x1.8p-150|0x1.fffffep127|0x1.fffffefffffffp127",
     "base=nan|inf|-1|0|0x1p-150|0x1p-1074|1e300|0x1.ffffffp127|0x1p128", POSENC_BAD_BASE},
    {"", "exponent_dim=0|-0", "exponent_dim=nan|inf|-inf", POSENC_BAD_EXPONENT_DIM},
    {"", "", "position_scale=nan|inf|-inf", POSENC_BAD_POSITION_SCALE},
    {"phase_rounding=F32_POW_DIV", "position_scale=0.5|-1|1000", "position_scale=0|0x1p-150|0x1p128|nan|inf",
     POSENC_BAD_POSITION_SCALE},
    {"phase_rounding=F32_POW_DIV", "", "position_scale=0x1p-140|0x1p32", POSENC_FREQUENCY_OUT_OF_RANGE},
    {"", "layout=3", "layout=4|-2147483648|-1|11|255|256|257|65536|2147483647", POSENC_BAD_LAYOUT},
    {"", "odd_column=1", "odd_column=4|-2147483648|-1|11|255|256|257|65536|2147483647",
     POSENC_BAD_ODD_COLUMN},
    {"", "phase_rounding=10", "phase_rounding=-2147483648|-1|11|255|256|257|65536|2147483647",
     POSENC_BAD_PHASE_ROUNDING},
    {"", "frequency_unit=HALF_TURNS|TURNS", "frequency_unit=3|-2147483648|-1|11|255|256|257|65536|2147483647",
     POSENC_BAD_UNIT},
    {"", "has_padding=1;input_first=1;nan_rows=1;lists_only=1",
     "has_padding=2|-1|3|256|257|65536|-2147483648|2147483647;input_first=2|-1|3|256|257|65536|-2147483648|"
     "2147483647;nan_rows=2|-1|3|256|257|65536|-2147483648|2147483647;lists_only=2|-1|3|256|257|65536|-"
     "2147483648|2147483647",
     POSENC_BAD_FLAG},
    {"base=1", "position_scale=0x1p31|-0x1p31|0x1p-126|-0x1p-126|0|-0",
     "position_scale=0x1.0000000000001p31|-0x1.0000000000001p31|0x1.fffffffffffffp-127|-0x1.fffffffffffffp-"
     "127",
     POSENC_FREQUENCY_OUT_OF_RANGE},
    {"", "", "position_scale=1e300;base=1e-300|1e300|0x1p-1074;exponent_dim=1e-3|-1e-3|0x1p-1074",
     POSENC_FREQUENCY_OUT_OF_RANGE},
    {"frequencies=1,0.1,0.01,0.001", "frequencies= frequencies_f32=1,0.1,0.01,0.001",
     "frequencies_f32=1,0.1,0.01,0.001;frequencies=", POSENC_BAD_FREQUENCIES},
    {"phase_rounding=F32_LIST frequencies=1,1,1,1", "", "frequencies= frequency_count=0",
     POSENC_BAD_FREQUENCIES},
    {"frequencies=1,1,1,1", "", "frequency_count=0|3|8|-1", POSENC_BAD_FREQUENCY_COUNT},
    {"frequencies=1,1,1,1", "", "phase_rounding=F32_POW_DIV", POSENC_ROUNDING_TAKES_NO_LIST},
    {"frequencies=1,1,1,1", "", "frequency_unit=-2147483648|-1|3|256|65536|2147483647", POSENC_BAD_UNIT},
    {"frequencies=1,1,1,1", "",
     "frequencies= frequencies_f32=1,1,inf,1;frequencies=1,1,nan,1|1,1,inf,1|1,1,-inf,1",
     POSENC_FREQUENCY_NOT_FINITE},
    {"frequencies=1,1,1,1", "frequencies=1,1,0,1|1,1,-0,1|1,1,-0x1p-126,1|1,1,0x1p31,1",
     "frequencies=1,1,0x1p-127,1|1,1,0x1.0000000000001p31,1|1,1,-1e300,1|1,1,1e-320,1",
     POSENC_FREQUENCY_OUT_OF_RANGE},
    // Though the product is 0 as double.
    {"position_scale=1e-300 frequencies=1e300,1e300,0,1e300", "frequencies=1e300,1e300,1e300,1e300",
     "frequencies=1e300,1e300,1e-300,1e300", POSENC_FREQUENCY_OUT_OF_RANGE},
    {"frequency_unit=TURNS frequencies=1,1,1,1", "", "frequencies=1,1,0x1p30,1",
     POSENC_FREQUENCY_OUT_OF_RANGE},
    // Of POSENC_F32_LIST they are floats before anything is asked of them, infinite or 0 as such; nor does a
    // scale make one of them right.
    {"frequencies=1,1,1,1", "",
     "frequencies=1,1,0x1.0000000000001p31,1|1,1,-0x1.0000008p31,1|1,1,0x1.ffffffp-127,1",
     POSENC_FREQUENCY_OUT_OF_RANGE},
    {"phase_rounding=F32_LIST frequencies=1,1,1,1",
     "frequencies=1,1,0x1.0000000000001p31,1|1,1,-0x1.0000008p31,1|1,1,0x1.ffffffp-127,1|1,1,-0,1",
     "frequencies=1,1,0x1.000002p31,1|1,1,0x1.fffffcp-127,1|1,1,1e300,1|1,1,-1e300,1|1,1,1e-300,1|1,1,-0x1p-"
     "151,1;position_scale=0x1p-100 frequencies=1,1,1e300,1;position_scale=0x1p20 frequencies=1,1,1e-300,1",
     POSENC_FREQUENCY_OUT_OF_RANGE},
    {"phase_rounding=F32_LIST frequencies=1,1,1,1", "", "frequencies=1,1,nan,1|1,1,inf,1",
     POSENC_FREQUENCY_NOT_FINITE},
    // Rows without sines and cosines have no frequency that could be wrong.
    {"dim=1",
     "layout=SIN_COS odd_column=ODD_ZERO_LAST position_scale=1e300|0x1p-1000;layout=SIN_COS "
     "odd_column=ODD_ZERO_MIDDLE position_scale=1e300|0x1p-1000;input_first=1 position_scale=1e300|0x1p-1000",
     "position_scale=1e300|0x1p-1000;layout=SIN_COS odd_column=ODD_COSINE_LAST "
     "position_scale=1e300|0x1p-1000;dim=2 input_first=1 position_scale=1e300|0x1p-1000",
     POSENC_FREQUENCY_OUT_OF_RANGE},
};

TEST(CreateErrors, SpecsAreRefusedForTheirReason) {
  std::vector<Refusal> refusals(std::begin(kRefusals), std::end(kRefusals));
  for (const char* rounding : {"F32_POW_DIV", "F32_LOG_DIV", "F32_INV_FREQ", "F32_LOG_INCREMENT"}) {
    refusals.push_back(
        {std::string("phase_rounding=") + rounding, "base=1 exponent_dim=0|-0|0x1p-149|-0x1.fffffep127",
         "exponent_dim=nan|inf|-inf|0x1p-150|-0x1p-1074|1e300|-0x1p128", POSENC_BAD_EXPONENT_DIM});
  }
  for (const Refusal& c : refusals) {
    ForEachChange(c, EncoderSpec("dim=8 " + c.spec),
                  [](const posenc_spec& spec, posenc_status want) { ExpectStatus(&spec, want); });
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

// What is not there is 0.
TEST(CreateErrors, RowsWithoutPairsHaveNoFrequency) {
  for (const auto& [words, want] : {std::pair("dim=1", 1.0),
                                    {"dim=1 layout=SIN_COS odd_column=ODD_ZERO_LAST", 0.0},
                                    {"dim=1 layout=SIN_COS odd_column=ODD_ZERO_MIDDLE", 0.0},
                                    {"dim=1 layout=SIN_COS odd_column=ODD_COSINE_LAST", 1.0},
                                    {"dim=1 input_first=1", 0.0},
                                    {"dim=2 input_first=1", 1.0}}) {
    EXPECT_EQ(Create(EncoderSpec(words)).Radians(0), want) << words;
  }
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
