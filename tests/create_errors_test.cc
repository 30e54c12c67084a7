// Bad input to the creation of handles: each status has a case and a sentence, and nothing is written.
// calls_refusals_test.cc and refusals_test.cc test the statuses of other calls.
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
#include "spec/rules.h"
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

// The memory size is an estimate. If a frequency is next to an end of the range, the estimate may succeed
// although creation fails.
bool MayHaveASize(const posenc_spec* spec, posenc_status status) {
  if (status != internal::rule::frequency_range) return false;
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

// Creates in all three ways and expects `want`. If creation fails, it must not set anything.
void ExpectStatus(const posenc_spec* spec, const Refusal& want) {
  static unsigned char memory[1 << 16];
  auto* const untouched = reinterpret_cast<posenc_encoder*>(memory);
  posenc_encoder *encoder = untouched, *placed = untouched;
  std::size_t bytes = 4711;
  const posenc_status status = posenc_encoder_create(spec, &encoder);
  EXPECT_EQ(status, want) << posenc_status_message(status);
  const posenc_status sized = posenc_encoder_memory_size(spec, &bytes);
  EXPECT_TRUE(sized == want || (sized == POSENC_OK && MayHaveASize(spec, status)))
      << posenc_status_message(sized);
  EXPECT_EQ(posenc_encoder_create_in(spec, memory, sizeof(memory), &placed), want);
  if (want.IsOk()) {
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

// Sets one member of a good spec to several values and expects `want` for each.
template <class T>
void ExpectStatusWith(T posenc_spec::*member, std::initializer_list<std::common_type_t<T>> values,
                      const Refusal& want, posenc_spec spec = GoodSpec()) {
  for (const T value : values) {
    SCOPED_TRACE(testing::PrintToString(value));
    spec.*member = value;
    ExpectStatus(&spec, want);
  }
}

TEST(StatusMessages, AreDistinctSentences) {
  constexpr posenc_status kStatuses[] = {
      POSENC_OK,
#define POSENC_RULE(name, kind, sentence) internal::rule::name,
#include "spec/rules.inc"
  };
  const std::set<std::int32_t> known(std::begin(kStatuses), std::end(kStatuses));
  EXPECT_EQ(known.size(), std::size(kStatuses));
  std::set<std::string> messages;
  for (const posenc_status status : kStatuses) {
    const char* message = posenc_status_message(status);
    ASSERT_NE(message, nullptr) << status;
    EXPECT_STRNE(message, "") << status;
    // Both kinds of specs have a base and other common members. Rules for the same member have the same
    // sentence.
    const bool is_member = posenc_status_kind(status) == POSENC_BAD_MEMBER;
    EXPECT_TRUE(messages.insert(message).second || is_member) << status << ": " << message;
  }
  std::vector<std::int32_t> others = {kMinInt, kMaxInt};
  for (std::int32_t status = -1; status < 256 * 256; ++status) {
    if (known.count(status) == 0) others.push_back(status);
  }
  for (const std::int32_t status : others) {
    EXPECT_STREQ(posenc_status_message(static_cast<posenc_status>(status)), "unknown status") << status;
  }
  EXPECT_EQ(messages.count("unknown status"), 0u);
}

TEST(CreateErrors, NullPointers) {
  const posenc_spec spec = GoodSpec();
  ExpectStatus(&spec, POSENC_OK);
  ExpectStatus(nullptr, Refusal(rule::null_spec));
  EXPECT_EQ(posenc_encoder_create(&spec, nullptr), Refusal(rule::null_made));
  EXPECT_EQ(posenc_encoder_memory_size(&spec, nullptr), Refusal(rule::null_bytes));
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create_in(&spec, nullptr, 1 << 20, &encoder), Refusal(rule::null_memory));
  char memory[64];
  EXPECT_EQ(posenc_encoder_create_in(&spec, memory, sizeof(memory), nullptr), Refusal(rule::null_made));
  EXPECT_EQ(posenc_spec_init(nullptr, sizeof(spec)), Refusal(rule::null_spec));
}

TEST(CreateErrors, StructSize) {
  const posenc_spec before = GoodSpec();
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, internal::kFirstSize<posenc_spec> - 1, std::size_t{4097}, kMaxSize}) {
    posenc_spec spec = before;
    EXPECT_EQ(posenc_spec_init(&spec, size), Refusal(rule::spec_size_argument));
    EXPECT_EQ(std::memcmp(&spec, &before, sizeof(spec)), 0);
    ExpectStatusWith(&posenc_spec::struct_size, {size}, Refusal(rule::spec_struct_size));
  }
}

// The caller was compiled with a newer header. This works if it uses no member that this version lacks.
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
  for (int bit = 0; bit < 63; bit += 9) {  // a bit in every byte
    newer.member = std::int64_t{1} << bit;
    ExpectStatus(&newer.spec, Refusal(POSENC_BAD_STRUCT, "does not know"));
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
  EXPECT_EQ(posenc_rotary_memory_size(&newer.spec, &bytes), Refusal(POSENC_BAD_STRUCT, "does not know"));
}

// A later version will add members at the end. They must not fall into padding, because then struct_size
// would not show them.
constexpr internal::Member kLast = internal::kSpecMembers[std::size(internal::kSpecMembers) - 1];
static_assert(kLast.offset + kLast.size == sizeof(posenc_spec), "");

constexpr char kNoFlags[] = "=2|-1|3|256|257|65536|-2147483648|2147483647";

// With a phase rounding, base, exponent_dim and position_scale must fit into floats, and exponent_dim must
// not become 0. The frequency that counts is the listed one times position_scale.
const Changes kChanges[] = {
    {"", "dim=1", "dim=0|16777217|" + kMaxSizeText, Refusal(POSENC_BAD_MEMBER, "dim must be 1 .. 16777216")},
    {"", "", "base=nan|inf|-inf|0|-0|-10000", Refusal(rule::spec_base)},
    {"phase_rounding=f32_pow_div exponent_dim=1e30",
     "base=0x1p-149|0x1.8p-150|0x1.fffffep127|0x1.fffffefffffffp127",
     "base=0x1p-150|0x1p-1074|1e300|0x1.ffffffp127|0x1p128", Refusal(POSENC_MEMBERS_CLASH, "base is too")},
    {"phase_rounding=f32_pow_div", "", "base=nan|inf|-1|0", Refusal(rule::spec_base)},
    {"", "exponent_dim=0|-0|0x1p128|-0x1p128",
     "exponent_dim=nan|inf|-inf|0x1.0000000000001p128|-0x1.0000000000001p128|1e300",
     Refusal(POSENC_BAD_MEMBER, "exponent_dim must be -2^128 .. 2^128")},
    {"unit=turns", "exponent_dim=0x1p128|-0x1p128",
     "exponent_dim=0x1.0000000000001p128|-0x1.0000000000001p128;unit=half_turns exponent_dim=1e300",
     Refusal(rule::spec_exponent_dim)},
    {"", "", "position_scale=nan|inf|-inf", Refusal(rule::spec_position_scale)},
    {"phase_rounding=f32_pow_div", "position_scale=0.5|-1|1000", "position_scale=0|0x1p-150|0x1p128",
     Refusal(POSENC_MEMBERS_CLASH, "position_scale must not be 0, too large or")},
    {"phase_rounding=f32_pow_div", "", "position_scale=0x1p-140|0x1p32",
     Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
    {"", "layout=3", "layout=4|-2147483648|-1|11|255|256|257|65536|2147483647",
     Refusal(POSENC_BAD_MEMBER, "layout must be one of")},
    {"", "odd_column=1", "odd_column=4|-2147483648|-1|11|255|256|257|65536|2147483647",
     Refusal(POSENC_BAD_MEMBER, "odd_column")},
    {"", "phase_rounding=10", "phase_rounding=-2147483648|-1|11|255|256|257|65536|2147483647",
     Refusal(rule::spec_phase_rounding)},
    {"", "unit=half_turns|turns", "unit=3|-2147483648|-1|11|255|256|257|65536|2147483647",
     Refusal(rule::spec_unit)},
    {"", "has_padding=1", std::string("has_padding") + kNoFlags, rule::spec_has_padding},
    {"", "input_first=1", std::string("input_first") + kNoFlags, rule::spec_input_first},
    {"", "nan_rows=1", std::string("nan_rows") + kNoFlags, rule::spec_nan_rows},
    {"", "lists_only=1", std::string("lists_only") + kNoFlags, rule::spec_lists_only},
    {"base=1", "position_scale=0x1p31|-0x1p31|0x1p-126|-0x1p-126|0|-0",
     "position_scale=0x1.0000000000001p31|-0x1.0000000000001p31|0x1.fffffffffffffp-127|-0x1.fffffffffffffp-"
     "127",
     Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
    {"", "", "position_scale=1e300;base=1e-300|1e300|0x1p-1074;exponent_dim=1e-3|-1e-3|0x1p-1074",
     Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
    {"frequencies=1:0.1:0.01:0.001", "frequencies_f32=1:0.1:0.01:0.001", "+frequencies_f32=1:0.1:0.01:0.001",
     Refusal(POSENC_MEMBERS_CLASH, "only one of frequencies")},
    {"frequencies=1:0.1:0.01:0.001", "",
     "frequencies=", Refusal(POSENC_MEMBERS_CLASH, "frequency_count is set")},
    {"phase_rounding=f32_list frequencies=1:1:1:1", "", "frequencies= frequency_count=0",
     Refusal(POSENC_MEMBERS_CLASH, "POSENC_F32_LIST needs")},
    {"frequencies=1:1:1:1", "", "frequency_count=0|3|8|" + kMaxSizeText,
     Refusal(POSENC_MEMBERS_CLASH, "frequency_count must be")},
    {"frequencies=1:1:1:1", "", "phase_rounding=f32_pow_div", Refusal(rule::list_rounding)},
    {"frequencies=1:1:1:1", "", "unit=-2147483648|-1|3|256|65536|2147483647", Refusal(rule::spec_unit)},
    {"frequencies=1:1:1:1", "", "frequencies_f32=1:1:inf:1;frequencies=1:1:nan:1|1:1:inf:1|1:1:-inf:1",
     Refusal(POSENC_BAD_MEMBER, "each of your frequencies")},
    {"frequencies=1:1:1:1", "frequencies=1:1:0:1|1:1:-0:1|1:1:-0x1p-126:1|1:1:0x1p31:1",
     "frequencies=1:1:0x1p-127:1|1:1:0x1.0000000000001p31:1|1:1:-1e300:1|1:1:1e-320:1",
     Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
    // The product is 0 as a double, but it is refused because it is too small.
    {"position_scale=1e-300 frequencies=1e300:1e300:0:1e300", "frequencies=1e300:1e300:1e300:1e300",
     "frequencies=1e300:1e300:1e-300:1e300", Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
    {"unit=turns frequencies=1:1:1:1", "", "frequencies=1:1:0x1p30:1",
     Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
    // With POSENC_F32_LIST, frequencies are rounded to float before they are checked. So they may become
    // infinite or 0, and position_scale does not bring such a frequency back into range.
    {"frequencies=1:1:1:1", "",
     "frequencies=1:1:0x1.0000000000001p31:1|1:1:-0x1.0000008p31:1|1:1:0x1.ffffffp-127:1",
     Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
    {"phase_rounding=f32_list frequencies=1:1:1:1",
     "frequencies=1:1:0x1.0000000000001p31:1|1:1:-0x1.0000008p31:1|1:1:0x1.ffffffp-127:1|1:1:-0:1",
     "frequencies=1:1:0x1.000002p31:1|1:1:0x1.fffffcp-127:1|1:1:1e300:1|1:1:-1e300:1|1:1:1e-300:1|1:1:-0x1p-"
     "151:1;position_scale=0x1p-100 frequencies=1:1:1e300:1;position_scale=0x1p20 frequencies=1:1:1e-300:1",
     Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
    {"phase_rounding=f32_list frequencies=1:1:1:1", "", "frequencies=1:1:nan:1|1:1:inf:1",
     Refusal(POSENC_BAD_MEMBER, "each of your frequencies")},
    // Rows without sines and cosines have no frequency that could be wrong.
    {"dim=1",
     "layout=sin_cos odd_column=zero_last position_scale=1e300|0x1p-1000;layout=sin_cos "
     "odd_column=zero_middle position_scale=1e300|0x1p-1000;input_first=1 position_scale=1e300|0x1p-1000",
     "position_scale=1e300|0x1p-1000;layout=sin_cos odd_column=cosine_last "
     "position_scale=1e300|0x1p-1000;dim=2 input_first=1 position_scale=1e300|0x1p-1000",
     Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians")},
};

TEST(CreateErrors, SpecsAreRefusedForTheirReason) {
  std::vector<Changes> all(std::begin(kChanges), std::end(kChanges));
  for (const char* rounding : {"f32_pow_div", "f32_log_div", "f32_inv_freq", "f32_log_increment"}) {
    all.push_back({std::string("phase_rounding=") + rounding,
                   "base=1 exponent_dim=0|-0|0x1p-149|-0x1.fffffep127",
                   "exponent_dim=0x1p-150|-0x1p-1074|0x1p128|-0x1p128",
                   Refusal(POSENC_MEMBERS_CLASH, "exponent_dim is too")});
  }
  for (const Changes& c : all) {
    ForEachChange(c, EncoderSpec("dim=8 " + c.spec),
                  [](const posenc_spec& spec, const Refusal& want) { ExpectStatus(&spec, want); });
  }
}

TEST(CreateErrors, BadPaddingPosition) {
  constexpr auto kMember = &posenc_spec::padding_position;
  posenc_spec spec = GoodSpec();
  ExpectStatusWith(kMember, {kMinInt64, kMaxInt64}, POSENC_OK, spec);  // without has_padding
  spec.has_padding = 1;
  for (const std::int64_t offset :
       {std::int64_t{0}, std::int64_t{7}, POSENC_MAX_POSITION, -POSENC_MAX_POSITION}) {
    spec.position_offset = offset;
    const std::int64_t last = POSENC_MAX_POSITION - offset, first = -POSENC_MAX_POSITION - offset;
    ExpectStatusWith(kMember, {first, first + 1, last - 1, last}, POSENC_OK, spec);
    ExpectStatusWith(kMember, {first - 1, last + 1, kMinInt64, kMaxInt64},
                     Refusal(POSENC_MEMBERS_CLASH, "padding_position"), spec);
  }
}

// Without pairs, the frequency is 0.
TEST(CreateErrors, RowsWithoutPairsHaveNoFrequency) {
  for (const auto& [words, want] : {std::pair("dim=1", 1.0),
                                    {"dim=1 layout=sin_cos odd_column=zero_last", 0.0},
                                    {"dim=1 layout=sin_cos odd_column=zero_middle", 0.0},
                                    {"dim=1 layout=sin_cos odd_column=cosine_last", 1.0},
                                    {"dim=1 input_first=1", 0.0},
                                    {"dim=2 input_first=1", 1.0}}) {
    EXPECT_EQ(Create(EncoderSpec(words)).Radians(0), want) << words;
  }
}

TEST(CreateErrors, Targets) {
  ExpectStatusWith(&posenc_spec::target, {"", "AVX", "avx2", "AVX2 ", "REFERENCE2"},
                   Refusal(POSENC_BAD_TARGET, "no such target"));
  for (const posenc_target& target : CompiledTargets()) {
    ExpectStatusWith(
        &posenc_spec::target, {target.name},
        target.runnable != 0 ? Refusal(POSENC_OK) : Refusal(POSENC_BAD_TARGET, "this CPU cannot run"));
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
