// No byte outside the heads is read or written, neither around nor between them, and any alignment will do:
// of tensors, sources, caches and lists; a rotary lies in exactly the memory that it asks for.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "guarded_pages.h"
#include "rotary_cases.h"

namespace posenc {
namespace {

constexpr unsigned char kCanary = 0xA5;
constexpr std::size_t kTokens = 3, kHeads = 2;
constexpr std::int64_t kFirst = -1;

// Heads [tokens, heads] of a head_dim, so far apart.
struct Places {
  std::size_t head_dim, token_stride, head_stride, size;

  std::size_t bytes() const {
    return ((kTokens - 1) * token_stride + (kHeads - 1) * head_stride + head_dim) * size;
  }
  std::size_t HeadAt(std::size_t t, std::size_t h) const {
    return (t * token_stride + h * head_stride) * size;
  }

  template <class T>
  void Put(const std::vector<T>& x, unsigned char* to) const {
    for (std::size_t k = 0; k < kTokens * kHeads; ++k) {
      std::memcpy(to + HeadAt(k / kHeads, k % kHeads), &x[k * head_dim], head_dim * size);
    }
  }

  // That heads are those, and all else from begin to end canaries.
  template <class T>
  testing::AssertionResult Hold(const std::vector<T>& x, const unsigned char* data,
                                const unsigned char* begin, const unsigned char* end) const {
    std::vector<unsigned char> want(static_cast<std::size_t>(end - begin), kCanary);
    Put(x, want.data() + (data - begin));
    const auto at = std::mismatch(want.begin(), want.end(), begin).first;
    if (at == want.end()) return testing::AssertionSuccess();
    return testing::AssertionFailure()
           << "byte " << (at - want.begin()) - (data - begin) << " from the first head on, of " << bytes();
  }
};

class RotaryMemoryTest : public PerTarget {
 protected:
  std::vector<std::size_t> Dims() const {
    if (IsReference()) return {2, 10, 34};
    return {2, 4, 6, 8, 10, 14, 16, 18, 24, 30, 32, 34, 46, 62, 64, 66, 70, 96, 126, 128, 130};
  }

  template <class T>
  static std::vector<T> Numbers(std::size_t count) {
    PairMaker<T> maker(2);
    std::vector<T> x(count);
    for (T& value : x) value = maker.Normal(-3, 3);
    return x;
  }

  // Rotates next to guard pages: at the beginning of the first, at the end of the last, and a byte before.
  template <class T>
  static void ExpectGuarded(const posenc_rotary_spec& spec, bool from_source, bool cached) {
    const RotaryPtr rotary = CreateRotary(spec);
    const std::size_t dim = spec.head_dim, pairs = posenc_rotary_frequency_count(rotary.get());
    const std::vector<T> x = Numbers<T>(kTokens * kHeads * dim);
    std::vector<T> want = x, table(kTokens * 2 * pairs);
    // Rows of a cache end at a page as well.
    GuardedPages cache_pages(table.size() * sizeof(T) + 1);
    posenc_cache cache = {POSENC_CACHE_PAIRS, TypeOf<T>(),
                          cache_pages.end() - table.size() * sizeof(T) - dim % 2, nullptr, 2 * pairs};
    ASSERT_EQ(posenc_rotary_write(rotary.get(), kFirst, kTokens, &cache), POSENC_OK);
    const auto rotate = [&](const posenc_heads& heads) {
      if (cached) {
        return posenc_rotate_cached(rotary.get(), &cache, kTokens, 0, POSENC_I32, nullptr, kTokens,
                                    TypeOf<T>(), &heads, 1, nullptr);
      }
      return posenc_rotate(rotary.get(), kFirst, kTokens, TypeOf<T>(), &heads, 1);
    };
    posenc_heads heads{};
    heads.heads = kHeads;
    heads.token_stride = kHeads * dim;
    heads.head_stride = dim;
    heads.data = want.data();
    ASSERT_EQ(rotate(heads), POSENC_OK);
    for (const std::size_t gap : {0u, 1u, 5u}) {
      const Places dense = {dim, kHeads * (dim + gap), dim + gap, sizeof(T)};
      const Places by_head = {dim, dim + gap, kTokens * (dim + gap), sizeof(T)};
      for (const Places& places : {dense, by_head}) {
        GuardedPages pages(places.bytes() + 1), source_pages(places.bytes() + 1);
        for (const std::size_t before_end :
             {std::size_t{0}, std::size_t{1},
              static_cast<std::size_t>(pages.end() - pages.begin()) - places.bytes()}) {
          unsigned char* data = pages.end() - places.bytes() - before_end;
          unsigned char* source = source_pages.end() - places.bytes() - before_end;
          unsigned char* begin =
              std::max(data - std::min<std::ptrdiff_t>(64, data - pages.begin()), pages.begin());
          unsigned char* end =
              data +
              std::min<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(places.bytes()) + 64, pages.end() - data);
          std::memset(begin, kCanary, static_cast<std::size_t>(end - begin));
          places.Put(x, from_source ? source : data);
          heads.data = data;
          heads.token_stride = places.token_stride;
          heads.head_stride = places.head_stride;
          heads.source = from_source ? source : nullptr;
          ASSERT_EQ(rotate(heads), POSENC_OK);
          ASSERT_TRUE(places.Hold(want, data, begin, end))
              << "head_dim " << dim << ", gap " << gap << ", " << before_end
              << " bytes before the end of the page" << (from_source ? ", from a source" : "")
              << (cached ? ", cached" : "") << ", arithmetic " << spec.arithmetic << ", pairings "
              << spec.pairing << " to " << spec.output_pairing;
        }
      }
    }
  }
};

TEST_P(RotaryMemoryTest, GuardPagesRightBeforeAndRightAfter) {
  for (const std::size_t dim : Dims()) {
    for (const posenc_pairing from : kPairings) {
      for (const posenc_pairing to : kPairings) {
        posenc_rotary_spec spec = MakeRotarySpec(dim, target());
        spec.pairing = from;
        spec.output_pairing = to;
        spec.amplitude = 1.1;
        ForEachType([&](auto element) {
          using T = decltype(element);
          for (const bool from_source : {false, true}) {
            spec.arithmetic = POSENC_EXACT;
            ExpectGuarded<T>(spec, from_source, false);
            if (from != to && from_source) continue;
            spec.arithmetic = POSENC_FAST;
            ExpectGuarded<T>(spec, from_source, false);
            ExpectGuarded<T>(spec, from_source, true);
          }
        });
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(RotaryMemoryTest, PartsOfHeads) {
  for (const std::size_t offset : {0u, 1u, 7u, 13u}) {
    posenc_rotary_spec spec = MakeRotarySpec(33, target());
    spec.rotary_dim = 20;
    spec.rotary_offset = offset;
    ForEachType([&](auto element) {
      for (const bool from_source : {false, true}) {
        for (const posenc_pairing pairing : kPairings) {
          spec.pairing = pairing;
          ExpectGuarded<decltype(element)>(spec, from_source, false);
        }
      }
    });
  }
}

// Tables, of each layout, at the end of their pages; lists at the end of theirs.
TEST_P(RotaryMemoryTest, CachesAndListsBetweenGuardPages) {
  for (const std::size_t dim : Dims()) {
    const RotaryPtr rotary = CreateRotary(MakeRotarySpec(dim, target()));
    for (const posenc_cache_layout layout :
         {POSENC_CACHE_HALVES, POSENC_CACHE_DUPLICATED, POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS}) {
      ForEachEntryType([&](auto entry) {
        using T = decltype(entry);
        const bool has_two = layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED;
        const std::size_t columns = layout == POSENC_CACHE_HALVES ? dim / 2 : dim, stride = columns + 1;
        const std::size_t bytes = ((kTokens - 1) * stride + columns) * sizeof(T);
        std::vector<T> cos(kTokens * stride), sin = cos;
        posenc_cache plain = {layout, TypeOf<T>(), cos.data(), has_two ? sin.data() : nullptr, stride};
        ASSERT_EQ(posenc_rotary_write(rotary.get(), kFirst, kTokens, &plain), POSENC_OK);
        GuardedPages cos_pages(bytes + 1), sin_pages(bytes + 1),
            list_pages(kTokens * sizeof(std::int64_t) + 1);
        for (const std::size_t before_end : {0u, 1u}) {
          posenc_cache cache = plain;
          unsigned char* const cos_at = cos_pages.end() - bytes - before_end;
          unsigned char* const sin_at = sin_pages.end() - bytes - before_end;
          cache.cos = cos_at;
          if (has_two) cache.sin = sin_at;
          std::memset(cos_at, 0, bytes);
          std::memset(sin_at, 0, bytes);
          unsigned char* const list = list_pages.end() - kTokens * sizeof(std::int64_t) - before_end;
          const std::vector<std::int64_t> positions = Consecutive(kFirst, kTokens);
          std::memcpy(list, positions.data(), kTokens * sizeof(std::int64_t));
          ASSERT_EQ(posenc_rotary_write_at(rotary.get(), POSENC_I64, list, kTokens, &cache, nullptr),
                    POSENC_OK);
          EXPECT_EQ(std::memcmp(cos_at, cos.data(), bytes), 0);
          EXPECT_TRUE(!has_two || std::memcmp(sin_at, sin.data(), bytes) == 0);
        }
      });
      if (HasFailure()) return;
    }
  }
}

// Every offset from a cache line, in elements and in bytes, of data and of source, alike or not.
TEST_P(RotaryMemoryTest, AnyAlignment) {
  for (const std::size_t dim : {6u, 34u, 64u}) {
    const Places places = {dim, kHeads * dim, dim, 1};
    for (const posenc_pairing pairing : kPairings) {
      for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
        posenc_rotary_spec spec = MakeRotarySpec(dim, target());
        spec.pairing = pairing;
        spec.arithmetic = arithmetic;
        const RotaryPtr rotary = CreateRotary(spec);
        ForEachType([&](auto element) {
          using T = decltype(element);
          Places of_type = places;
          of_type.size = sizeof(T);
          const std::vector<T> x = Numbers<T>(kTokens * kHeads * dim);
          std::vector<T> want = x;
          const auto rotate = [&](void* data, const void* source) {
            posenc_heads heads{};
            heads.data = data;
            heads.source = source;
            heads.heads = kHeads;
            heads.token_stride = places.token_stride;
            heads.head_stride = places.head_stride;
            return posenc_rotate(rotary.get(), kFirst, kTokens, TypeOf<T>(), &heads, 1);
          };
          ASSERT_EQ(rotate(want.data(), nullptr), POSENC_OK);
          std::vector<unsigned char> room(of_type.bytes() + 256), other = room;
          const auto at = [](std::vector<unsigned char>& bytes, std::size_t offset) {
            return bytes.data() + (64 - reinterpret_cast<std::uintptr_t>(bytes.data()) % 64) % 64 + 64 +
                   offset;
          };
          for (const std::size_t offset : {0u, 1u, 2u, 3u, 4u, 6u, 8u, 12u, 16u, 31u, 32u, 36u, 60u, 63u}) {
            for (const std::size_t source_offset : {0u, 1u, 2u, 4u, 99u}) {
              std::fill(room.begin(), room.end(), kCanary);
              unsigned char* data = at(room, offset);
              unsigned char* source = source_offset == 99 ? nullptr : at(other, source_offset);
              of_type.Put(x, source == nullptr ? data : source);
              ASSERT_EQ(rotate(data, source), POSENC_OK);
              ASSERT_TRUE(of_type.Hold(want, data, room.data(), room.data() + room.size()))
                  << "head_dim " << dim << ", offsets " << offset << ", " << source_offset;
            }
          }
        });
        if (HasFailure()) return;
      }
    }
  }
}

// Specs whose rotaries have arrays of every kind.
struct Lists {
  std::vector<double> frequencies = std::vector<double>(17, 0.25), factors = std::vector<double>(17, 1.5);
  std::vector<posenc_rotary_spec> specs;

  explicit Lists(const char* target) {
    posenc_rotary_spec spec = MakeRotarySpec(34, target);
    specs.push_back(spec);
    spec.frequencies = frequencies.data();
    spec.frequency_count = frequencies.size();
    specs.push_back(spec);
    spec.scaling = POSENC_FREQUENCY_FACTORS;
    spec.factors = factors.data();
    spec.factor_count = factors.size();
    specs.push_back(spec);
    spec.axes = 3;
    spec.sections[0] = 7;
    spec.sections[1] = spec.sections[2] = 5;
    specs.push_back(spec);
    spec = MakeRotarySpec(34, target);
    spec.phase_rounding = POSENC_F32_INV_FREQ;
    specs.push_back(spec);
    spec = MakeRotarySpec(34, target);
    spec.position_scale = 100.0;  // steps that are kept reduced and whole
    specs.push_back(spec);
  }
};

TEST_P(RotaryMemoryTest, RotariesInCallersMemory) {
  const Lists lists(target());
  for (const posenc_rotary_spec& spec : lists.specs) {
    const auto write = [&](const posenc_rotary* rotary) {
      std::vector<double> table(kTokens * 34);
      const posenc_cache cache = {POSENC_CACHE_PAIRS, POSENC_F64, table.data(), nullptr, 34};
      EXPECT_EQ(posenc_rotary_write(rotary, kFirst, kTokens, &cache), POSENC_OK);
      return table;
    };
    const std::vector<double> want = write(CreateRotary(spec).get());
    std::size_t bytes = 0;
    ASSERT_EQ(posenc_rotary_memory_size(&spec, &bytes), POSENC_OK);
    GuardedPages pages(bytes + 128);
    posenc_rotary* rotary = nullptr;
    for (std::size_t shift = 0; shift < 128; ++shift) {  // again and again in the same memory
      ASSERT_EQ(posenc_rotary_create_in(&spec, pages.end() - bytes - shift, bytes, &rotary), POSENC_OK)
          << shift;
      EXPECT_TRUE(SameBits(write(rotary), want)) << shift;
      posenc_rotary_destroy(rotary);
    }
    std::memset(pages.begin(), kCanary, bytes);
    const std::vector<unsigned char> before(pages.begin(), pages.begin() + bytes);
    rotary = nullptr;
    for (const std::size_t less : {std::size_t{0}, std::size_t{1}, bytes / 2, bytes - 256}) {
      EXPECT_EQ(posenc_rotary_create_in(&spec, pages.begin(), less, &rotary), POSENC_MEMORY_TOO_SMALL);
    }
    EXPECT_EQ(posenc_rotary_create_in(&spec, nullptr, bytes, &rotary), POSENC_NULL_POINTER);
    EXPECT_EQ(rotary, nullptr);
    EXPECT_EQ(posenc_rotary_create_in(&spec, pages.begin(), bytes, nullptr), POSENC_NULL_POINTER);
    EXPECT_EQ(std::memcmp(pages.begin(), before.data(), bytes), 0);
  }
}

// The caller's lists and strings may go once the rotary is there.
TEST_P(RotaryMemoryTest, ListsAreCopied) {
  Lists lists(target());
  const posenc_rotary_spec spec = lists.specs[3];
  const RotaryPtr rotary = CreateRotary(spec);
  const double before = posenc_rotary_radians(rotary.get(), 3);
  std::fill(lists.frequencies.begin(), lists.frequencies.end(), 7.0);
  std::fill(lists.factors.begin(), lists.factors.end(), 7.0);
  EXPECT_EQ(posenc_rotary_radians(rotary.get(), 3), before);
}

// Creation in memory that its arguments lie in is refused, and nothing is written.
TEST_P(RotaryMemoryTest, MemoryOverlapsArguments) {
  const std::size_t pairs = 17;
  posenc_rotary_spec spec = MakeRotarySpec(2 * pairs, target());
  std::size_t bytes = 0;
  ASSERT_EQ(posenc_rotary_memory_size(&spec, &bytes), POSENC_OK);
  bytes += 4 * pairs * sizeof(double);
  std::vector<double> memory(2 * bytes / sizeof(double));
  auto* const begin = reinterpret_cast<unsigned char*>(memory.data());
  posenc_rotary* rotary = nullptr;
  // The spec, and where the handle goes.
  for (const std::size_t at : {std::size_t{0}, std::size_t{64}, bytes / 8 * 8 - 8}) {
    std::memcpy(begin + at, &spec, sizeof(spec));
    EXPECT_EQ(posenc_rotary_create_in(reinterpret_cast<const posenc_rotary_spec*>(begin + at), begin, bytes,
                                      &rotary),
              POSENC_BUFFERS_OVERLAP);
    EXPECT_EQ(std::memcmp(begin + at, &spec, sizeof(spec)), 0);
    auto** handle = reinterpret_cast<posenc_rotary**>(begin + at);
    *handle = nullptr;
    EXPECT_EQ(posenc_rotary_create_in(&spec, begin, bytes, handle), POSENC_BUFFERS_OVERLAP);
    EXPECT_EQ(*handle, nullptr);
  }
  // Each list, at both ends and just behind.
  spec.frequency_count = spec.factor_count = pairs;
  spec.scaling = POSENC_LONGROPE;
  spec.length = spec.original_length = 8.0;
  spec.amplitude = 1.0;
  const std::vector<double> ones(pairs, 1.0);
  const std::vector<float> one_floats(pairs, 1.0f);
  for (const double* posenc_rotary_spec::*member :
       {&posenc_rotary_spec::frequencies, &posenc_rotary_spec::factors, &posenc_rotary_spec::long_factors}) {
    spec.frequencies = spec.factors = spec.long_factors = ones.data();
    for (const std::size_t at : {std::size_t{0}, std::size_t{64}, bytes / 8 * 8 - 8, (bytes + 7) / 8 * 8}) {
      std::memcpy(begin + at, ones.data(), pairs * sizeof(double));
      spec.*member = reinterpret_cast<const double*>(begin + at);
      const posenc_status want = at < bytes ? POSENC_BUFFERS_OVERLAP : POSENC_OK;
      EXPECT_EQ(posenc_rotary_create_in(&spec, begin, bytes, &rotary), want) << at;
      EXPECT_TRUE(want == POSENC_OK || std::memcmp(begin + at, ones.data(), pairs * sizeof(double)) == 0);
    }
  }
  spec.frequencies = spec.factors = spec.long_factors = nullptr;
  for (const float* posenc_rotary_spec::*member :
       {&posenc_rotary_spec::frequencies_f32, &posenc_rotary_spec::factors_f32,
        &posenc_rotary_spec::long_factors_f32}) {
    spec.frequencies_f32 = spec.factors_f32 = spec.long_factors_f32 = one_floats.data();
    std::memcpy(begin + 32, one_floats.data(), pairs * sizeof(float));
    spec.*member = reinterpret_cast<const float*>(begin + 32);
    EXPECT_EQ(posenc_rotary_create_in(&spec, begin, bytes, &rotary), POSENC_BUFFERS_OVERLAP);
    spec.*member = one_floats.data();
    EXPECT_EQ(posenc_rotary_create_in(&spec, begin, bytes, &rotary), POSENC_OK);
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryMemoryTest);

// The documented size.
TEST(RotaryMemorySize, IsWhatTheHeaderSays) {
  const std::vector<double> list(512, 100.0);
  for (const std::size_t dim : {2u, 64u, 128u, 1024u}) {
    const std::size_t pairs = dim / 2;
    posenc_rotary_spec spec = MakeRotarySpec(dim);
    const auto expect = [&] {
      std::size_t bytes = 0;
      ASSERT_EQ(posenc_rotary_memory_size(&spec, &bytes), POSENC_OK);
      EXPECT_LE(bytes, (pairs <= 256 ? 172 : 60) * pairs + 6 * 1024) << "dim " << dim;
    };
    expect();
    spec.frequencies = spec.factors = spec.long_factors = list.data();
    spec.frequency_count = spec.factor_count = pairs;
    spec.scaling = POSENC_LONGROPE;
    spec.length = spec.original_length = 8.0;
    expect();
    spec.position_scale = 50.0;
    expect();
    if (dim < 8) continue;
    spec.axes = 4;
    spec.sections[0] = pairs - 3;
    spec.sections[1] = spec.sections[2] = spec.sections[3] = 1;
    expect();
  }
}

}  // namespace
}  // namespace posenc
