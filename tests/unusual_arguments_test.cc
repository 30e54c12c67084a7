// Arguments that no row of refusals.inc can have: names of targets, structs of later versions, more tensors
// and axes than the list of calls has, and null handles. Also the sentences of all statuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "per_target.h"
#include "posenc/grid_c.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 8, kRows = 3;

TEST(StatusMessages, AreDistinctSentences) {
  std::set<std::int32_t> known = {POSENC_OK};
  for (const Rule& each : AllRules()) known.insert(each.status);
  EXPECT_EQ(known.size(), AllRules().size() + 1);
  std::set<std::string> messages;
  for (const posenc_status status : known) {
    const char* message = posenc_status_message(status);
    ASSERT_NE(message, nullptr) << status;
    EXPECT_STRNE(message, "") << status;
    // Both kinds of specs have a base and other common members. Rules for the same member have the same
    // sentence.
    const bool is_member = posenc_status_kind(status) == POSENC_BAD_MEMBER;
    EXPECT_TRUE(messages.insert(message).second || is_member) << status << ": " << message;
  }
  std::vector<std::int32_t> others = {std::numeric_limits<std::int32_t>::min(),
                                      std::numeric_limits<std::int32_t>::max()};
  for (std::int32_t status = -1; status < 256 * 256; ++status) {
    if (known.count(status) == 0) others.push_back(status);
  }
  for (const std::int32_t status : others) {
    EXPECT_STREQ(posenc_status_message(static_cast<posenc_status>(status)), "unknown status") << status;
  }
  EXPECT_EQ(messages.count("unknown status"), 0u);
}

// The caller was compiled with a newer header. This works if it uses no member that this version lacks.
template <class S, class Size>
void ExpectNewer(S good, const Size& size) {
  struct Newer {
    S spec;
    std::int64_t member;
  } newer = {good, 0};
  newer.spec.struct_size = sizeof(newer);
  std::size_t bytes = 0;
  EXPECT_EQ(size(&newer.spec, &bytes), POSENC_OK);
  for (int bit = 0; bit < 63; bit += 9) {  // a bit in every byte
    newer.member = std::int64_t{1} << bit;
    EXPECT_EQ(size(&newer.spec, &bytes), rule::unknown_members);
  }
}

TEST(UnusualArguments, NewerStructs) {
  ExpectNewer(EncoderSpec("dim=8"), &posenc_encoder_memory_size);
  ExpectNewer(RotarySpecOf("head_dim=8"), &posenc_rotary_memory_size);
}

// A later version will add members at the end. They must not fall into padding, because then struct_size
// would not show them.
constexpr internal::Member kLast = internal::kSpecMembers[std::size(internal::kSpecMembers) - 1];
static_assert(kLast.offset + kLast.size == sizeof(posenc_spec), "");

TEST(UnusualArguments, NoWork) { EXPECT_EQ(posenc_with_fp_state(nullptr, nullptr), rule::null_work); }

TEST(UnusualArguments, Targets) {
  posenc_spec spec = EncoderSpec("dim=8");
  const auto expect = [&](const char* target, posenc_status want) {
    posenc_encoder* encoder = nullptr;
    spec.target = target;
    EXPECT_EQ(posenc_encoder_create(&spec, &encoder), want) << target;
    EXPECT_EQ(encoder != nullptr, want == POSENC_OK);
    posenc_encoder_destroy(encoder);
  };
  for (const char* name : {"", "AVX", "avx2", "AVX2 ", "REFERENCE2"}) expect(name, rule::target_name);
  for (const posenc_target& target : CompiledTargets())
    expect(target.name, target.runnable != 0 ? posenc_status{POSENC_OK} : rule::target_cpu);
}

TEST(UnusualArguments, EightAxesOfAGrid) {
  const Encoder encoder = Create(MakeSpec(kDim));
  std::vector<posenc_grid_axis> many(POSENC_MAX_GRID_AXES);
  for (std::size_t k = 0; k < many.size(); ++k) many[k] = {encoder.get(), k * kDim, 1, {}, 5};
  std::vector<float> row(many.size() * kDim), want = Write(encoder, 5, 1);
  const posenc_rows out = {POSENC_F32, row.data(), row.size()};
  ASSERT_EQ(posenc_write_grid(many.data(), many.size(), 0, &out, nullptr, nullptr), POSENC_OK);
  for (std::size_t k = 0; k < many.size(); ++k) EXPECT_TRUE(SameBits(&row[k * kDim], want.data(), kDim));
}

TEST(UnusualArguments, TheLastTwoOfThreeTensorsOverlap) {
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(kDim));
  std::vector<float> first(kRows * kDim), others(2 * kRows * kDim);
  for (const std::size_t distance : {kRows * kDim, kRows * kDim - 1}) {
    posenc_heads tensors[3] = {};
    for (posenc_heads& t : tensors) t = DenseHeads(first.data(), 1, kDim);
    tensors[1].data = others.data();
    tensors[2].data = &others[distance];
    EXPECT_EQ(posenc_rotate(rotary.get(), 0, kRows, tensors, 3),
              distance == kRows * kDim ? posenc_status{POSENC_OK} : rule::overlap_tensors);
  }
}

// The stride must not even be used for an address that is never read. UndefinedBehaviorSanitizer would see
// that.
TEST(UnusualArguments, StridesOfOneHead) {
  posenc_rotary_spec spec = MakeRotarySpec(kDim);
  spec.rotary_dim = kDim / 2;  // the other half is copied
  const RotaryPtr rotary = CreateRotary(spec);
  const std::vector<float> source(kDim, 1.0f);
  std::vector<float> data(kDim);
  posenc_heads heads{};
  heads.type = POSENC_F32;
  heads.data = data.data();
  heads.source = source.data();
  heads.heads = 1;
  for (const std::size_t stride : {SIZE_MAX, SIZE_MAX / 8}) {
    heads.token_stride = heads.head_stride = stride;
    ASSERT_EQ(posenc_rotate(rotary.get(), 0, 1, &heads, 1), POSENC_OK);
    EXPECT_EQ(data, source);
  }
  heads.source = heads.data;  // in place, so the strides of the source do not matter
  heads.source_head_stride = heads.source_token_stride = 2 * kDim;
  EXPECT_EQ(posenc_rotate(rotary.get(), 0, 1, &heads, 1), POSENC_OK);
  EXPECT_EQ(data, source);
}

TEST(UnusualArguments, SourcesThatOverlapEachOther) {
  constexpr std::size_t kHeads = 2;
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(kDim));
  std::vector<float> source(kDim + kRows * kHeads), apart(kRows * kHeads * kDim), data = apart;
  for (std::size_t k = 0; k < source.size(); ++k) source[k] = 1.0f / static_cast<float>(k + 1);
  for (std::size_t head = 0; head < kRows * kHeads; ++head) {
    std::copy_n(&source[head / kHeads + head % kHeads], kDim, &apart[head * kDim]);
  }
  posenc_heads heads{};
  heads.type = POSENC_F32;
  heads.heads = kHeads;
  heads.token_stride = kHeads * kDim;
  heads.head_stride = kDim;
  heads.data = apart.data();
  ASSERT_EQ(posenc_rotate(rotary.get(), 5, kRows, &heads, 1), POSENC_OK);
  heads.data = data.data();
  heads.source = source.data();
  heads.source_token_stride = heads.source_head_stride = 1;
  ASSERT_EQ(posenc_rotate(rotary.get(), 5, kRows, &heads, 1), POSENC_OK);
  EXPECT_EQ(data, apart);
}

// Without pairs, the frequency is 0.
TEST(UnusualArguments, RowsWithoutPairsHaveNoFrequency) {
  for (const auto& [words, want] : {std::pair("dim=1", 1.0),
                                    {"dim=1 layout=sin_cos odd_column=zero_last", 0.0},
                                    {"dim=1 layout=sin_cos odd_column=zero_middle", 0.0},
                                    {"dim=1 layout=sin_cos odd_column=cosine_last", 1.0},
                                    {"dim=1 input_first=1", 0.0},
                                    {"dim=2 input_first=1", 1.0}}) {
    EXPECT_EQ(Create(EncoderSpec(words)).Radians(0), want) << words;
  }
}

TEST(UnusualArguments, NullHandles) {
  EXPECT_EQ(posenc_encoder_dim(nullptr), 0u);
  EXPECT_EQ(posenc_encoder_layout(nullptr), -1);
  EXPECT_STREQ(posenc_encoder_target(nullptr), "");
  EXPECT_EQ(posenc_encoder_frequency_count(nullptr), 0u);
  EXPECT_TRUE(std::isnan(posenc_encoder_radians(nullptr, 0)));
  posenc_encoder_destroy(nullptr);
  posenc_rotary_destroy(nullptr);
  EXPECT_EQ(posenc_rotary_head_dim(nullptr), 0u);
  EXPECT_EQ(posenc_rotary_frequency_count(nullptr), 0u);
  EXPECT_STREQ(posenc_rotary_target(nullptr), "");
  EXPECT_TRUE(std::isnan(posenc_rotary_amplitude(nullptr)));
  EXPECT_TRUE(std::isnan(posenc_rotary_radians(nullptr, 0)));
}

}  // namespace
}  // namespace posenc
