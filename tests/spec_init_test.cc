// The functions that set the defaults of specs, and the sizes of specs in other versions, for encoders and
// rotaries.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "refusal.h"
#include "spec/tables.h"
#include "spec/versioned.h"
#include "spec_words.h"
#include "untouched.h"

namespace posenc {
namespace {

struct Encoders {
  using Spec = posenc_spec;
  static constexpr auto kInit = &posenc_spec_init;
  static constexpr auto kMemorySize = &posenc_encoder_memory_size;
  static constexpr std::size_t kPastSizes[] = {sizeof(posenc_spec)};
  static constexpr std::size_t kNumbers = 16;  // members that are no lists, counts of lists or names
  static constexpr const char *kGood = "dim=64", *kDefaults = "base=10000 position_scale=1 min_timescale=1";
};

struct Rotaries {
  using Spec = posenc_rotary_spec;
  static constexpr auto kInit = &posenc_rotary_spec_init;
  static constexpr auto kMemorySize = &posenc_rotary_memory_size;
  static constexpr std::size_t kPastSizes[] = {sizeof(posenc_rotary_spec)};
  static constexpr std::size_t kNumbers = 27;
  static constexpr const char
      *kGood = "head_dim=64 base=150000 scaling=yarn factor=32 original_length=4096 truncate=0",
      *kDefaults =
          "output_pairing=same base=10000 position_scale=1 factor=1 "
          "beta_fast=32 beta_slow=1 mscale=1 low_freq_factor=1 "
          "high_freq_factor=4 proportion=1 truncate=1 axes=1 amplitude_factor=1";
};

template <class Noun>
class SpecInit : public testing::Test {};
using Nouns = testing::Types<Encoders, Rotaries>;
TYPED_TEST_SUITE(SpecInit, Nouns, );

TYPED_TEST(SpecInit, RefusesWhatIsNone) {
  using S = typename TypeParam::Spec;
  S spec = Untouched<S>();
  EXPECT_EQ(TypeParam::kInit(nullptr, sizeof(spec)), Refusal(rule::null_spec));
  for (const std::size_t size : {std::size_t{0}, internal::kFirstSize<S> - 1, std::size_t{4097}}) {
    EXPECT_EQ(TypeParam::kInit(&spec, size), Refusal(internal::kBadSizeArgument<S>));
  }
  EXPECT_TRUE(IsUntouched(spec));
}

TYPED_TEST(SpecInit, SetsTheDefaultsOfTheHeader) {
  using S = typename TypeParam::Spec;
  S spec = Untouched<S>(), zeros;
  std::memset(&zeros, 0, sizeof(zeros));
  ASSERT_EQ(TypeParam::kInit(&spec, sizeof(spec)), POSENC_OK);
  EXPECT_EQ(Differences(spec, With(zeros, TypeParam::kDefaults)), "");
  EXPECT_EQ(spec.struct_size, sizeof(spec));
}

// Only the sizes of versions are accepted. Every other size ends inside a member (sizeof - 1 cuts a pointer),
// or leaves the second spec in an array unaligned.
TYPED_TEST(SpecInit, HasTheSizesOfVersionsOnly) {
  using S = typename TypeParam::Spec;
  constexpr std::size_t kMost = 4096;
  S good;
  ASSERT_EQ(TypeParam::kInit(&good, sizeof(good)), POSENC_OK);
  good = With(good, TypeParam::kGood);
  std::vector<std::size_t> sizes(sizeof(S) + 17);
  std::iota(sizes.begin(), sizes.end(), std::size_t{0});
  for (std::size_t size = kMost - 16; size <= kMost + 16; ++size) sizes.push_back(size);
  std::size_t right = 0;
  for (const std::size_t size : sizes) {
    SCOPED_TRACE(size);
    const bool is_past =
        std::count(std::begin(TypeParam::kPastSizes), std::end(TypeParam::kPastSizes), size) != 0;
    const bool is_later = size > sizeof(S) && size <= kMost && size % alignof(S) == 0;
    const Refusal want = is_past || is_later ? Refusal(POSENC_OK) : Refusal(internal::kBadStructSize<S>);
    right += want.IsOk() ? 1 : 0;
    std::vector<unsigned char> room(kMost + 32, 0x5A);  // aligned, as operator new allocates it
    EXPECT_EQ(TypeParam::kInit(reinterpret_cast<S *>(room.data()), size),
              want.IsOk() ? want : Refusal(internal::kBadSizeArgument<S>));
    const std::size_t written = want.IsOk() ? size : 0;
    EXPECT_TRUE(std::all_of(room.begin() + static_cast<std::ptrdiff_t>(written), room.end(),
                            [](unsigned char byte) { return byte == 0x5A; }));
    if (size < sizeof(std::size_t)) continue;
    std::vector<unsigned char> bytes(size);  // no more bytes: AddressSanitizer reports reads beyond them
    std::memcpy(bytes.data(), &good, std::min(size, sizeof(good)));
    std::memcpy(bytes.data() + offsetof(S, struct_size), &size, sizeof(size));
    std::size_t memory = 0;
    EXPECT_EQ(TypeParam::kMemorySize(reinterpret_cast<const S *>(bytes.data()), &memory), want);
    EXPECT_EQ(memory != 0, want.IsOk());
  }
  EXPECT_EQ(right, std::size(TypeParam::kPastSizes) + 16 / alignof(S) + 16 / alignof(S) + 1);
}

// The caller has a later version, in which the spec is longer.
TYPED_TEST(SpecInit, LaterVersionsGetZerosForWhatIsUnknown) {
  using S = typename TypeParam::Spec;
  struct {
    S spec;
    unsigned char more[24];
  } longer;
  std::memset(&longer, 0x5A, sizeof(longer));
  EXPECT_EQ(TypeParam::kInit(&longer.spec, sizeof(longer)), POSENC_OK);
  EXPECT_EQ(longer.spec.struct_size, sizeof(longer));
  EXPECT_EQ(longer.spec.base, 10000);
  for (const unsigned char byte : longer.more) EXPECT_EQ(byte, 0);
  auto copy = Untouched<S>();
  EXPECT_EQ(internal::CopySpec<S>(&longer.spec, &copy), POSENC_OK);
  EXPECT_EQ(copy.struct_size, sizeof(longer));
  EXPECT_EQ(Differences(copy, longer.spec), "");
  for (unsigned char &byte : longer.more) {
    byte = 1;
    EXPECT_EQ(internal::CopySpec<S>(&longer.spec, &copy), Refusal(POSENC_BAD_STRUCT, "does not know"));
    byte = 0;
  }
}

// The rows of members (spec/tables.h): each number is where its row says, and has the row's default.
TYPED_TEST(SpecInit, RowsOfMembersReadAndSetNumbers) {
  using S = typename TypeParam::Spec;
  std::size_t numbers = 0;
  for (const internal::Member &member : internal::MembersOf<S>()) {
    SCOPED_TRACE(member.name);
    const S before = internal::Default<S>();
    S spec = before;
    const bool is_number = internal::UseNumber(member, &spec, [&](auto &number) {
      EXPECT_EQ(static_cast<double>(number), member.initial);
      number = static_cast<std::remove_reference_t<decltype(number)>>(number + 1);
    });
    EXPECT_EQ(Differences(spec, before), is_number ? std::string(member.name) + " " : "");
    if (is_number) ++numbers;
  }
  EXPECT_EQ(numbers, TypeParam::kNumbers);
}

TEST(RotarySpec, IsCopiedOnlyOfItsSize) {
  auto spec = Untouched<posenc_rotary_spec>(), copy = spec;
  EXPECT_EQ(internal::CopySpec<posenc_rotary_spec>(nullptr, &copy), Refusal(rule::null_spec));
  for (const std::size_t size :
       {std::size_t{0}, internal::kFirstSize<posenc_rotary_spec> - 1, std::size_t{4097}}) {
    spec.struct_size = size;
    EXPECT_EQ(internal::CopySpec<posenc_rotary_spec>(&spec, &copy), Refusal(rule::rotary_struct_size));
  }
  EXPECT_TRUE(IsUntouched(copy));
}

}  // namespace
}  // namespace posenc
