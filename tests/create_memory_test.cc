// Creation in the caller's memory works with exactly the size that posenc asks for, at any alignment. Less
// memory, or memory that overlaps a list of the spec, is refused, and nothing is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "guarded_pages.h"
#include "per_target.h"
#include "rotary_cases.h"

namespace posenc {
namespace {

// The memory must not overlap a list of the spec, at either end. A list directly behind the memory is fine.
// (refusals_test.cc tests the same for the spec and the handle.)
template <class S, class Handle, class T>
void ExpectNoOverlap(S spec, const T* S::*member, std::size_t count,
                     posenc_status (*memory_size)(const S*, std::size_t*),
                     posenc_status (*create_in)(const S*, void*, std::size_t, Handle**)) {
  const std::vector<T> ones(count, T{1});
  spec.*member = ones.data();
  std::size_t bytes = 0;
  ASSERT_EQ(memory_size(&spec, &bytes), POSENC_OK);
  bytes = (bytes + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  std::vector<double> memory(bytes / sizeof(double) + count + 1);
  auto* const begin = reinterpret_cast<unsigned char*>(memory.data());
  for (const std::size_t at : {std::size_t{0}, std::size_t{64}, bytes - sizeof(T), bytes}) {
    std::memcpy(begin + at, ones.data(), count * sizeof(T));
    spec.*member = reinterpret_cast<const T*>(begin + at);
    Handle* handle = nullptr;
    EXPECT_EQ(create_in(&spec, begin, bytes, &handle),
              at < bytes ? Refusal(rule::overlap_memory) : Refusal(POSENC_OK))
        << at;
    EXPECT_EQ(handle == nullptr, at < bytes);
    EXPECT_EQ(std::memcmp(begin + at, ones.data(), count * sizeof(T)), 0);
  }
}

TEST(CreateInMemory, MemoryOverlapsLists) {
  constexpr std::size_t kPairs = 17;
  posenc_spec encoder = MakeSpec(2 * kPairs);
  encoder.frequency_count = kPairs;
  const auto expect_encoder = [&](auto member) {
    ExpectNoOverlap(encoder, member, kPairs, &posenc_encoder_memory_size, &posenc_encoder_create_in);
  };
  expect_encoder(&posenc_spec::frequencies);
  expect_encoder(&posenc_spec::frequencies_f32);
  posenc_rotary_spec rotary = MakeRotarySpec(2 * kPairs);
  rotary.frequency_count = rotary.factor_count = kPairs;
  rotary.scaling = POSENC_LONGROPE;
  rotary.length = rotary.original_length = 8.0;
  rotary.amplitude = 1.0;
  const auto expect_rotary = [&](auto member) {
    ExpectNoOverlap(rotary, member, kPairs, &posenc_rotary_memory_size, &posenc_rotary_create_in);
  };
  const std::vector<double> ones(kPairs, 1.0);
  const std::vector<float> one_floats(kPairs, 1.0f);
  rotary.frequencies = rotary.factors = rotary.long_factors = ones.data();
  for (const auto member :
       {&posenc_rotary_spec::frequencies, &posenc_rotary_spec::factors, &posenc_rotary_spec::long_factors}) {
    expect_rotary(member);
  }
  rotary.frequencies = rotary.factors = rotary.long_factors = nullptr;
  rotary.frequencies_f32 = rotary.factors_f32 = rotary.long_factors_f32 = one_floats.data();
  for (const auto member : {&posenc_rotary_spec::frequencies_f32, &posenc_rotary_spec::factors_f32,
                            &posenc_rotary_spec::long_factors_f32}) {
    expect_rotary(member);
  }
}

// A scaling that takes no factors reads neither their lists nor their count, which no check has seen.
TEST(CreateInMemory, ListsThatAScalingIgnoresAreNotRead) {
  posenc_rotary_spec spec = MakeRotarySpec(8);
  spec.long_factors = reinterpret_cast<const double*>(16);
  spec.factor_count = SIZE_MAX / sizeof(double);
  std::size_t bytes = 0;
  ASSERT_EQ(posenc_rotary_memory_size(&spec, &bytes), POSENC_OK);
  std::vector<unsigned char> memory(bytes);
  posenc_rotary* rotary = nullptr;
  EXPECT_EQ(posenc_rotary_create_in(&spec, memory.data(), bytes, &rotary), POSENC_OK);
}

// Memory at a null pointer overlaps nothing, so the status says that it is too small.
TEST(CreateInMemory, NoMemoryOverlapsNothing) {
  posenc_spec spec = MakeSpec(8);
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create_in(&spec, &spec, 0, &encoder),
            Refusal(POSENC_NO_MEMORY, "bytes must be at least"));
  EXPECT_EQ(posenc_encoder_create_in(&spec, &spec.base, 0, &encoder),
            Refusal(POSENC_NO_MEMORY, "bytes must be at least"));
  EXPECT_EQ(posenc_encoder_create_in(&spec, &encoder, 0, &encoder),
            Refusal(POSENC_NO_MEMORY, "bytes must be at least"));
  EXPECT_EQ(encoder, nullptr);
}

// Specs for rotaries that need arrays of every kind.
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
    spec.position_scale = 100.0;  // stores steps both reduced and whole
    specs.push_back(spec);
  }
};

class CreateInMemoryOf : public PerTarget {};

// Creates in the least memory that suffices, at every alignment, before a page that nobody may touch. Less
// memory is refused. The handle writes the same as one in allocated memory.
template <class Spec, class Handle, class Write>
void ExpectPlaced(const Spec& spec, posenc_status (*memory_size)(const Spec*, std::size_t*),
                  posenc_status (*create)(const Spec*, Handle**),
                  posenc_status (*create_in)(const Spec*, void*, std::size_t, Handle**),
                  void (*destroy)(Handle*), const Write& write) {
  Handle* handle = nullptr;
  ASSERT_EQ(create(&spec, &handle), POSENC_OK);
  const std::vector<double> want = write(handle);
  destroy(handle);
  std::size_t bytes = 0;
  ASSERT_EQ(memory_size(&spec, &bytes), POSENC_OK);
  GuardedPages pages(bytes + 128);
  for (std::size_t shift = 0; shift < 128; ++shift) {  // the same memory is used again and again
    ASSERT_EQ(create_in(&spec, pages.end() - bytes - shift, bytes, &handle), POSENC_OK) << shift;
    EXPECT_TRUE(SameBits(write(handle), want)) << shift;
    destroy(handle);
  }
  std::memset(pages.begin(), 0xA5, bytes);
  const std::vector<unsigned char> before(pages.begin(), pages.begin() + bytes);
  handle = nullptr;
  for (const std::size_t less : {std::size_t{0}, std::size_t{1}, bytes / 2, bytes - 256}) {
    EXPECT_EQ(create_in(&spec, pages.begin(), less, &handle),
              Refusal(POSENC_NO_MEMORY, "bytes must be at least"));
  }
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(std::memcmp(pages.begin(), before.data(), bytes), 0);
}

TEST_P(CreateInMemoryOf, Encoders) {
  for (const posenc_phase_rounding rounding : {POSENC_NO_PHASE_ROUNDING, POSENC_F32_POW_DIV}) {
    posenc_spec spec = MakeSpec(37, target());
    spec.phase_rounding = rounding;
    ExpectPlaced(spec, &posenc_encoder_memory_size, &posenc_encoder_create, &posenc_encoder_create_in,
                 &posenc_encoder_destroy, [](const posenc_encoder* encoder) {
                   std::vector<double> table(9 * 37);
                   EXPECT_EQ(posenc_write(encoder, -3, 9, PointerTo(Rows(POSENC_F64, table.data(), 37))),
                             POSENC_OK);
                   return table;
                 });
  }
}

TEST_P(CreateInMemoryOf, Rotaries) {
  const Lists lists(target());
  for (const posenc_rotary_spec& spec : lists.specs) {
    ExpectPlaced(spec, &posenc_rotary_memory_size, &posenc_rotary_create, &posenc_rotary_create_in,
                 &posenc_rotary_destroy, [](const posenc_rotary* rotary) {
                   std::vector<double> table(3 * 34);
                   const posenc_cache cache = {POSENC_CACHE_PAIRS, POSENC_F64, table.data(), nullptr, 34};
                   EXPECT_EQ(posenc_write_cache(rotary, -1, 3, &cache), POSENC_OK);
                   return table;
                 });
  }
}

POSENC_INSTANTIATE_PER_TARGET(CreateInMemoryOf);

// Covers specs for which an estimate says whether steps are reduced, and frequencies just inside the range:
// next to 2 pi, 2^31 and 2^-126.
TEST(MemorySize, IsEnoughNextToEveryLimit) {
  for (const double limit : {0x1.921fb54442d18p2, 0x1p31, 0x1p-126}) {
    for (const double factor : {0.99, 0.9985, 1.0 - 2e-6, 1.0 - 5e-7, 1.0 - 0x1p-53, 1.0, 1.0 + 0x1p-52,
                                1.0 + 5e-7, 1.0 + 2e-6, 1.0007, 1.01}) {
      for (const std::size_t dim : {2u, 9u, 130u}) {
        const std::vector<double> list((dim + 1) / 2, limit * factor);
        for (const int kind : {0, 1, 2}) {
          Spec spec = MakeSpec(dim);
          spec.base = kind == 1 ? 10000.0 : 1.0;  // kind 1 has different frequencies
          if (kind == 1 && limit < 1.0) continue;
          if (kind < 2) spec.position_scale = limit * factor;
          if (kind == 2) {
            spec.frequencies = list.data();
            spec.frequency_count = list.size();
          }
          std::size_t bytes = 0;
          const Status sized = Encoder::MemorySize(spec, &bytes);
          if (sized != POSENC_OK) {
            EXPECT_EQ(sized, Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians"));
            Encoder none;
            EXPECT_EQ(Encoder::Create(spec, &none), sized);
            EXPECT_GT(std::fabs(factor - 1.0), 4e-7);
            continue;
          }
          GuardedPages pages(bytes);
          Encoder encoder, allocated;
          const Status placed = Encoder::CreateIn(spec, pages.end() - bytes, bytes, &encoder);
          EXPECT_EQ(placed, Encoder::Create(spec, &allocated));
          const bool is_inside =
              limit == 0x1.921fb54442d18p2 || (limit > 1.0 ? factor <= 1.0 : factor >= 1.0);
          EXPECT_EQ(placed == POSENC_OK, is_inside) << limit << " * " << factor;
          if (placed == POSENC_OK) {
            EXPECT_TRUE(SameBits(Write(encoder, 5, 40), Write(allocated, 5, 40)));
            continue;
          }
          EXPECT_EQ(placed, Refusal(POSENC_MEMBERS_CLASH, "2^-126 .. 2^31 radians"));  // within a millionth
          EXPECT_LT(std::fabs(factor - 1.0), 1.1e-6);
          EXPECT_EQ(factor > 1.0, limit > 1.0);
        }
      }
    }
  }
}

// The documented size: 240 bytes for each pair and 16 KB, and more for lists, fast frequencies and turns.
TEST(MemorySize, IsWhatTheHeaderSays) {
  const std::vector<double> list(1u << 19, 1.0);
  for (const std::size_t dim : {1u, 512u, 1024u, 2048u, 4096u, 1u << 20}) {
    const std::size_t pairs = (dim + 1) / 2;
    Spec spec = MakeSpec(dim);
    const auto expect_at_most = [&](std::size_t bytes_a_pair, std::size_t bytes_more) {
      std::size_t bytes = 0;
      ASSERT_EQ(Encoder::MemorySize(spec, &bytes), POSENC_OK);
      EXPECT_LE(bytes, bytes_a_pair * pairs + bytes_more) << "dim " << dim;
    };
    expect_at_most(240, 16 * 1024);
    spec.position_scale = 100.0;
    expect_at_most(256, 17 * 1024);
    spec.frequencies = list.data();
    spec.frequency_count = pairs;
    expect_at_most(264, 18 * 1024);
    spec.unit = POSENC_TURNS;
    expect_at_most(280, 19 * 1024);
    spec = MakeSpec(dim);
    spec.lists_only = true;
    expect_at_most(16, 2 * 1024);
  }
}

// The documented size for rotaries.
TEST(RotaryMemorySize, IsWhatTheHeaderSays) {
  const std::vector<double> list(512, 100.0);
  for (const std::size_t dim : {2u, 64u, 128u, 1024u}) {
    const std::size_t pairs = dim / 2;
    posenc_rotary_spec spec = MakeRotarySpec(dim);
    const auto expect = [&] {
      std::size_t bytes = 0;
      ASSERT_EQ(posenc_rotary_memory_size(&spec, &bytes), POSENC_OK);
      const std::size_t of_axes = spec.axis_order == POSENC_AXIAL_AXES ? 1024 * spec.axes : 0;
      EXPECT_LE(bytes, (pairs <= 256 ? 172 : 60) * pairs + 6 * 1024 + of_axes) << "dim " << dim;
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
    spec.axis_order = POSENC_AXIAL_AXES;
    expect();
  }
}

}  // namespace
}  // namespace posenc
