// Creation in the caller's memory: in exactly what it asks for, at any alignment; less, or memory that the
// arguments lie in, is refused, and nothing is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <vector>

#include "guarded_pages.h"
#include "per_target.h"
#include "rotary_cases.h"

namespace posenc {
namespace {

constexpr std::size_t kDim = 8;
constexpr double kDoubles[kDim / 2] = {1.0, 0.1, 0.01, 0.001};
constexpr float kFloats[kDim / 2] = {1.0f, 0.1f, 0.01f, 0.001f};

posenc_spec GoodSpec() { return ToC(MakeSpec(kDim)); }

TEST(CreateInMemory, MemoryOverlapsArguments) {
  union {
    unsigned char bytes[1 << 16];
    struct {
      posenc_spec spec;
      posenc_encoder* encoder;
    } arguments;
  } memory = {};
  const posenc_spec spec = GoodSpec();
  memory.arguments.spec = spec;
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create_in(&memory.arguments.spec, &memory, sizeof(memory), &encoder),
            POSENC_BUFFERS_OVERLAP);
  EXPECT_EQ(posenc_encoder_create_in(&spec, &memory, sizeof(memory), &memory.arguments.encoder),
            POSENC_BUFFERS_OVERLAP);
  EXPECT_EQ(encoder, nullptr);
  EXPECT_EQ(memory.arguments.encoder, nullptr);
  EXPECT_EQ(std::memcmp(&memory.arguments.spec, &spec, sizeof(spec)), 0);
}

// The handle comes before the tables, and is no place for the list either; a list behind the memory is fine.
template <class T>
void ExpectNoOverlapWith(const T (&list)[kDim / 2], const T* posenc_spec::*member) {
  unsigned char memory[1 << 16] = {};
  posenc_encoder* encoder = nullptr;
  posenc_spec spec = GoodSpec();
  spec.frequency_count = kDim / 2;
  constexpr std::size_t kLast = sizeof(memory) - sizeof(list);
  for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{64}, kLast}) {
    std::memcpy(memory + at, list, sizeof(list));
    spec.*member = reinterpret_cast<const T*>(memory + at);
    EXPECT_EQ(posenc_encoder_create_in(&spec, memory, kLast + 1, &encoder), POSENC_BUFFERS_OVERLAP) << at;
    EXPECT_EQ(encoder, nullptr);
    EXPECT_EQ(std::memcmp(memory + at, list, sizeof(list)), 0);
  }
  EXPECT_EQ(posenc_encoder_create_in(&spec, memory, kLast, &encoder), POSENC_OK);
}

TEST(CreateInMemory, MemoryOverlapsList) {
  ExpectNoOverlapWith(kDoubles, &posenc_spec::frequencies);
  ExpectNoOverlapWith(kFloats, &posenc_spec::frequencies_f32);
}

// Nowhere is no place that overlaps.
TEST(CreateInMemory, NoMemoryOverlapsNothing) {
  posenc_spec spec = GoodSpec();
  posenc_encoder* encoder = nullptr;
  EXPECT_EQ(posenc_encoder_create_in(&spec, &spec, 0, &encoder), POSENC_MEMORY_TOO_SMALL);
  EXPECT_EQ(posenc_encoder_create_in(&spec, &spec.base, 0, &encoder), POSENC_MEMORY_TOO_SMALL);
  EXPECT_EQ(posenc_encoder_create_in(&spec, &encoder, 0, &encoder), POSENC_MEMORY_TOO_SMALL);
  EXPECT_EQ(encoder, nullptr);
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

class CreateInMemoryOf : public PerTarget {};

// The least memory that will do, at every alignment, ends at a page that nobody may touch; less is refused.
// What is made there writes what one that was allocated does.
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
  for (std::size_t shift = 0; shift < 128; ++shift) {  // again and again in the same memory
    ASSERT_EQ(create_in(&spec, pages.end() - bytes - shift, bytes, &handle), POSENC_OK) << shift;
    EXPECT_TRUE(SameBits(write(handle), want)) << shift;
    destroy(handle);
  }
  std::memset(pages.begin(), 0xA5, bytes);
  const std::vector<unsigned char> before(pages.begin(), pages.begin() + bytes);
  handle = nullptr;
  for (const std::size_t less : {std::size_t{0}, std::size_t{1}, bytes / 2, bytes - 256}) {
    EXPECT_EQ(create_in(&spec, pages.begin(), less, &handle), POSENC_MEMORY_TOO_SMALL);
  }
  EXPECT_EQ(handle, nullptr);
  EXPECT_EQ(std::memcmp(pages.begin(), before.data(), bytes), 0);
}

TEST_P(CreateInMemoryOf, Encoders) {
  for (const posenc_phase_rounding rounding : {POSENC_NO_PHASE_ROUNDING, POSENC_F32_POW_DIV}) {
    posenc_spec spec = ToC(MakeSpec(37, target()));
    spec.phase_rounding = rounding;
    ExpectPlaced(spec, &posenc_encoder_memory_size, &posenc_encoder_create, &posenc_encoder_create_in,
                 &posenc_encoder_destroy, [](const posenc_encoder* encoder) {
                   std::vector<double> table(9 * 37);
                   EXPECT_EQ(posenc_write(encoder, -3, 9, POSENC_F64, table.data(), 37), POSENC_OK);
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
                   EXPECT_EQ(posenc_rotary_write(rotary, -1, 3, &cache), POSENC_OK);
                   return table;
                 });
  }
}

// The caller's lists and strings may go once the rotary is there.
TEST_P(CreateInMemoryOf, RotariesCopiesLists) {
  Lists lists(target());
  const posenc_rotary_spec spec = lists.specs[3];
  const RotaryPtr rotary = CreateRotary(spec);
  const double before = posenc_rotary_radians(rotary.get(), 3);
  std::fill(lists.frequencies.begin(), lists.frequencies.end(), 7.0);
  std::fill(lists.factors.begin(), lists.factors.end(), 7.0);
  EXPECT_EQ(posenc_rotary_radians(rotary.get(), 3), before);
}

// Creation in memory that its arguments lie in is refused, and nothing is written.
TEST_P(CreateInMemoryOf, RotariesOverlapsArguments) {
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

POSENC_INSTANTIATE_PER_TARGET(CreateInMemoryOf);

// Also where an estimate says whether steps are reduced, and what is just in range: next to 2 pi, 2^31 and
// 2^-126.
TEST(MemorySize, IsEnoughNextToEveryLimit) {
  for (const double limit : {0x1.921fb54442d18p2, 0x1p31, 0x1p-126}) {
    for (const double factor : {0.99, 0.9985, 1.0 - 2e-6, 1.0 - 5e-7, 1.0 - 0x1p-53, 1.0, 1.0 + 0x1p-52,
                                1.0 + 5e-7, 1.0 + 2e-6, 1.0007, 1.01}) {
      for (const std::size_t dim : {2u, 9u, 130u}) {
        const std::vector<double> list((dim + 1) / 2, limit * factor);
        for (const int kind : {0, 1, 2}) {
          Spec spec = MakeSpec(dim);
          spec.base = kind == 1 ? 10000.0 : 1.0;  // the largest, or all, or all of a list
          if (kind == 1 && limit < 1.0) continue;
          if (kind < 2) spec.position_scale = limit * factor;
          if (kind == 2) spec.frequencies = {list.data(), nullptr, list.size(), FrequencyUnit::kRadians};
          std::size_t bytes = 0;
          const Status sized = Encoder::MemorySize(spec, &bytes);
          if (sized != Status::kOk) {
            EXPECT_EQ(sized, Status::kFrequencyOutOfRange);
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
          EXPECT_EQ(placed == Status::kOk, is_inside) << limit << " * " << factor;
          if (placed == Status::kOk) {
            EXPECT_TRUE(SameBits(Write(encoder, 5, 40), Write(allocated, 5, 40)));
            continue;
          }
          EXPECT_EQ(placed, Status::kFrequencyOutOfRange);  // within a millionth
          EXPECT_LT(std::fabs(factor - 1.0), 1.1e-6);
          EXPECT_EQ(factor > 1.0, limit > 1.0);
        }
      }
    }
  }
}

// The documented size: 240 bytes a pair and up to 18 KB, and what a list and fast frequencies add.
TEST(MemorySize, IsWhatTheHeaderSays) {
  const std::vector<double> list(1u << 19, 1.0);
  for (const std::size_t dim : {1u, 512u, 1024u, 2048u, 4096u, 1u << 20}) {
    const std::size_t pairs = (dim + 1) / 2;
    Spec spec = MakeSpec(dim);
    const auto expect_at_most = [&](std::size_t bytes_a_pair, std::size_t bytes_more) {
      std::size_t bytes = 0;
      ASSERT_EQ(Encoder::MemorySize(spec, &bytes), Status::kOk);
      EXPECT_LE(bytes, bytes_a_pair * pairs + bytes_more) << "dim " << dim;
    };
    expect_at_most(240, 16 * 1024);
    spec.position_scale = 100.0;
    expect_at_most(256, 17 * 1024);
    spec.frequencies = {list.data(), nullptr, pairs, FrequencyUnit::kRadians};
    expect_at_most(264, 18 * 1024);
    spec = MakeSpec(dim);
    spec.lists_only = true;
    expect_at_most(16, 2 * 1024);
  }
}

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
