// Overlaps among the tensors of a call. The search by address gives the answer that comparing each two
// tensors gives, in less than quadratic time.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "call/rotary.h"
#include "call/slots.h"
#include "call/tensor_overlaps.h"
#include "number/elements.h"
#include "rotary_cases.h"

namespace posenc {
namespace {

using internal::AnyOverlap;
using internal::kTensorsAtOnce;
using internal::TensorMemory;
using internal::TensorShape;

// An address as a pointer, which nothing follows.
// NOLINTNEXTLINE(performance-no-int-to-ptr)
void* At(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

TensorMemory MemoryOf(const TensorShape& shape, const posenc_heads& heads) {
  TensorMemory memory{};
  memory.is_in_place = internal::IsInPlace(heads, shape.tokens);
  EXPECT_TRUE(internal::FindData(shape, heads, &memory.data));
  EXPECT_TRUE(memory.is_in_place || internal::FindSource(shape, heads, &memory.source));
  return memory;
}

// The definition: each two tensors are compared.
bool AnyPairOverlaps(const TensorShape& shape, const std::vector<posenc_heads>& tensors) {
  std::vector<TensorMemory> memories;
  for (const posenc_heads& heads : tensors) {
    if (heads.heads != 0) memories.push_back(MemoryOf(shape, heads));
  }
  for (std::size_t i = 0; i < memories.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (memories[i].MayOverlap(memories[j])) return true;
    }
  }
  return false;
}

// The bytes of all slots of a tensor.
std::set<std::uintptr_t> SlotBytesOf(const TensorShape& shape, const posenc_heads& heads) {
  std::set<std::uintptr_t> bytes;
  const posenc_slots& slots = *heads.slots;
  const std::size_t size = internal::ElementSize(heads.type);
  for (std::size_t slot = 0; slot < slots.count; ++slot) {
    for (std::size_t h = 0; h < heads.heads; ++h) {
      const std::size_t element = slot / slots.block_size * slots.block_stride +
                                  slot % slots.block_size * slots.offset_stride + h * heads.head_stride;
      const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(heads.data) + element * size;
      for (std::size_t k = 0; k < shape.head_dim * size; ++k) bytes.insert(begin + k);
    }
  }
  return bytes;
}

std::set<std::uintptr_t> BytesOf(const TensorShape& shape, posenc_type type, const void* data,
                                 std::size_t token_stride, const posenc_heads& heads,
                                 std::size_t head_stride) {
  const std::size_t size = internal::ElementSize(type);
  std::set<std::uintptr_t> bytes;
  for (std::size_t t = 0; t < shape.tokens; ++t) {
    for (std::size_t h = 0; h < heads.heads; ++h) {
      const std::uintptr_t begin =
          reinterpret_cast<std::uintptr_t>(data) + (t * token_stride + h * head_stride) * size;
      for (std::size_t k = 0; k < shape.head_dim * size; ++k) bytes.insert(begin + k);
    }
  }
  return bytes;
}

// Whether a tensor really writes a byte that another one reads or writes.
bool AnyByteIsShared(const TensorShape& shape, const std::vector<posenc_heads>& tensors) {
  std::vector<std::set<std::uintptr_t>> written, read;
  for (const posenc_heads& heads : tensors) {
    written.push_back(heads.slots != nullptr ? SlotBytesOf(shape, heads)
                                             : BytesOf(shape, heads.type, heads.data, heads.token_stride,
                                                       heads, heads.head_stride));
    read.emplace_back();
    if (!internal::IsInPlace(heads, shape.tokens)) {
      read.back() = BytesOf(shape, internal::SourceType(heads), heads.source,
                            internal::SourceTokenStride(heads), heads, internal::SourceHeadStride(heads));
    }
  }
  const auto meet = [](const std::set<std::uintptr_t>& a, const std::set<std::uintptr_t>& b) {
    return std::any_of(a.begin(), a.end(), [&](std::uintptr_t byte) { return b.count(byte) != 0; });
  };
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (std::size_t j = 0; j < tensors.size(); ++j) {
      if (i != j && (meet(written[i], written[j]) || meet(written[i], read[j]))) return true;
    }
  }
  return false;
}

constexpr TensorShape kShape = {3, 8};  // of ordered tensors, which are float32
constexpr std::size_t kHeads = 2, kBytes = kHeads * kShape.head_dim * sizeof(float);

// Ways to put tensors into memory so that they do not overlap. Most have two heads.
struct Order {
  const char* name;
  std::vector<posenc_heads> (*make)(std::size_t count);
};

posenc_heads HeadsAt(std::uintptr_t address, std::size_t token_stride, std::size_t head_stride) {
  posenc_heads heads{};
  heads.type = POSENC_F32;
  heads.data = At(address);
  heads.heads = kHeads;
  heads.token_stride = token_stride;
  heads.head_stride = head_stride;
  return heads;
}

constexpr std::uintptr_t kBase = 1 << 20;

// Each tensor has memory of its own.
std::vector<posenc_heads> Apart(std::size_t count) {
  std::vector<posenc_heads> tensors;
  for (std::size_t i = 0; i < count; ++i)
    tensors.push_back(HeadsAt(kBase + i * kShape.tokens * kBytes, kHeads * kShape.head_dim, kShape.head_dim));
  return tensors;
}

// [tokens, tensors, heads, head_dim]
std::vector<posenc_heads> InSameRows(std::size_t count) {
  std::vector<posenc_heads> tensors;
  for (std::size_t i = 0; i < count; ++i)
    tensors.push_back(HeadsAt(kBase + i * kBytes, count * kHeads * kShape.head_dim, kShape.head_dim));
  return tensors;
}

// [tokens, heads, tensors, head_dim]
std::vector<posenc_heads> HeadByHead(std::size_t count) {
  std::vector<posenc_heads> tensors;
  for (std::size_t i = 0; i < count; ++i) {
    tensors.push_back(HeadsAt(kBase + i * kShape.head_dim * sizeof(float), count * kHeads * kShape.head_dim,
                              count * kShape.head_dim));
  }
  return tensors;
}

// q and k of one layer are in the same rows; each layer has rows of its own, at any distance.
std::vector<posenc_heads> Layers(std::size_t count) {
  std::vector<posenc_heads> tensors;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uintptr_t layer = kBase + i / 2 * (2 * kShape.tokens * kBytes + 64) + i / 2 % 7 * 4;
    tensors.push_back(HeadsAt(layer + i % 2 * kBytes, 2 * kHeads * kShape.head_dim, kShape.head_dim));
  }
  return tensors;
}

// All tensors are read from the same source.
std::vector<posenc_heads> OneSource(std::size_t count) {
  std::vector<posenc_heads> tensors = Apart(count);
  for (posenc_heads& heads : tensors) heads.source = At(1 << 10);
  return tensors;
}

// Rows of data and sources in turns.
std::vector<posenc_heads> SourcesInRows(std::size_t count) {
  std::vector<posenc_heads> tensors = InSameRows(2 * count);
  for (std::size_t i = 0; i < count; ++i) tensors[i].source = tensors[2 * count - 1 - i].data;
  tensors.resize(count);
  return tensors;
}

// Tensors with one head each: some use every row, some every second or third row.
std::vector<posenc_heads> EveryThirdRow(std::size_t count) {
  std::vector<posenc_heads> tensors;
  for (std::size_t i = 0; i < count; ++i) {
    tensors.push_back(
        HeadsAt(kBase + i * kShape.head_dim * sizeof(float), (1 + i % 3) * count * kShape.head_dim, 0));
    tensors.back().heads = 1;
  }
  return tensors;
}

constexpr Order kOrders[] = {{"apart", Apart},
                             {"in the same rows", InSameRows},
                             {"head by head", HeadByHead},
                             {"layers", Layers},
                             {"one source", OneSource},
                             {"sources in rows", SourcesInRows},
                             {"every third row", EveryThirdRow}};

struct Answer {
  bool any;
  std::size_t steps;
};

Answer Search(const TensorShape& shape, const std::vector<posenc_heads>& tensors) {
  std::size_t steps = 0;
  const bool any = AnyOverlap(shape, tensors.data(), tensors.size(), &steps);
  return {any, steps};
}

// Tensors in some order, shuffled; then one of them moves on by an element, by a head, or onto another one.
TEST(TensorOverlaps, OrderedTensors) {
  std::mt19937 random(1);
  for (const Order& order : kOrders) {
    for (const std::size_t count : {2u, 8u, 9u, 17u, 40u, 300u, 1100u}) {
      SCOPED_TRACE(testing::Message() << count << " tensors, " << order.name);
      std::vector<posenc_heads> tensors = order.make(count);
      std::shuffle(tensors.begin(), tensors.end(), random);
      ASSERT_FALSE(AnyPairOverlaps(kShape, tensors));
      EXPECT_FALSE(Search(kShape, tensors).any);
      for (const std::size_t distance : {std::size_t{4}, kShape.head_dim * sizeof(float), kBytes}) {
        std::vector<posenc_heads> moved = tensors;
        posenc_heads& heads = moved[random() % count];
        heads.data = static_cast<unsigned char*>(heads.data) + distance;
        EXPECT_EQ(Search(kShape, moved).any, AnyPairOverlaps(kShape, moved)) << distance << " bytes on";
      }
      std::vector<posenc_heads> moved = tensors;
      moved[0].data = moved[count - 1].data;
      EXPECT_TRUE(Search(kShape, moved).any);
    }
  }
}

// A tensor without heads has no memory, so it overlaps nothing.
TEST(TensorOverlaps, NoHeads) {
  std::vector<posenc_heads> tensors = Apart(40);
  tensors[3].data = tensors[4].data;
  EXPECT_TRUE(Search(kShape, tensors).any);
  tensors[3].heads = 0;
  EXPECT_FALSE(Search(kShape, tensors).any);
}

// Small tensors anywhere in a small memory, so that all cases occur. Strides have common divisors.
TEST(TensorOverlaps, RandomTensors) {
  std::mt19937 random(2);
  const auto below = [&](std::size_t end) { return std::size_t{random() % end}; };
  std::size_t kinds[2][2] = {};  // by whether bytes are shared, and the answer
  for (int trial = 0; trial < 20000; ++trial) {
    const TensorShape shape{1 + below(3), 1 + below(2)};
    const posenc_type type = below(2) == 0 ? POSENC_F32 : POSENC_F16;
    const bool converts = type == POSENC_F32 && below(2) == 0;  // some tensors become bfloat16
    const std::size_t unit = 1 + below(6), slots = std::size_t{16} << below(8);
    std::vector<posenc_heads> tensors(2 + below(trial % 10 == 0 ? 60 : 6));
    for (posenc_heads& heads : tensors) {
      heads = {};
      heads.type = type;
      if (converts && below(2) == 0) {
        heads.type = POSENC_BF16;
        heads.source_type = POSENC_F32;
      }
      const std::size_t size = internal::ElementSize(heads.type);
      heads.heads = below(3);
      heads.head_stride = shape.head_dim + unit * below(4);
      heads.token_stride = heads.head_stride * std::max<std::size_t>(heads.heads, 1) + unit * below(4);
      if (below(4) == 0) std::swap(heads.head_stride, heads.token_stride);
      heads.data = At(4096 + unit * size * below(slots) + (below(4) == 0 ? below(4) : 0));
      if (heads.source_type == POSENC_F32 || below(4) == 0)
        heads.source = At(4096 + unit * size * below(slots));
      if (below(4) == 0) heads.source_token_stride = unit * (1 + below(8));
    }
    const bool want = AnyPairOverlaps(shape, tensors), got = Search(shape, tensors).any;
    ASSERT_EQ(got, want) << "trial " << trial;
    if (tensors.size() > 8) continue;
    const bool is_shared = AnyByteIsShared(shape, tensors);
    ASSERT_TRUE(got || !is_shared) << "trial " << trial;
    ++kinds[is_shared][got];
  }
  EXPECT_GT(std::min({kinds[0][0], kinds[0][1], kinds[1][1]}), 100u);
}

// Slots of a tensor: in blocks [block_size, heads, head_dim] or [heads, block_size, head_dim], with gaps that
// are often large enough for another tensor.
posenc_slots RandomSlots(std::mt19937& random, std::size_t unit, posenc_heads* heads, std::size_t head_dim) {
  const auto below = [&](std::size_t end) { return std::size_t{random() % end}; };
  const auto room = [&](std::size_t used) {
    return below(2) == 0 ? (1 + below(3)) * used : used + unit * below(4);
  };
  posenc_slots slots{};
  slots.block_size = 1 + below(3);
  slots.count = 1 + below(7);
  slots.offset_stride = heads->head_stride = 0;
  heads->heads = 1 + below(3);
  const bool has_heads_outside = below(2) == 0;
  std::size_t *const inner = has_heads_outside ? &slots.offset_stride : &heads->head_stride,
                     *const outer = has_heads_outside ? &heads->head_stride : &slots.offset_stride;
  *inner = room(head_dim);
  *outer = room(*inner * (has_heads_outside ? slots.block_size : heads->heads));
  slots.block_stride = room(*outer * (has_heads_outside ? heads->heads : slots.block_size));
  return slots;
}

// The same for tensors of which some have slots. The answer is never a wrong no. Tensors that are next to
// each other in each block or in each slot are accepted.
TEST(TensorOverlaps, RandomSlots) {
  std::mt19937 random(4);
  const auto below = [&](std::size_t end) { return std::size_t{random() % end}; };
  std::size_t kinds[2][2] = {};
  for (int trial = 0; trial < 20000; ++trial) {
    const TensorShape shape{1 + below(3), 1 + below(2)};
    const posenc_type source_type = below(2) == 0 ? POSENC_F32 : POSENC_F16;
    const std::size_t unit = 1 + below(3), places = std::size_t{16} << below(6);
    std::vector<posenc_heads> tensors(2 + below(trial % 10 == 0 ? 40 : 2));
    std::vector<posenc_slots> slots(tensors.size());
    std::int64_t list = 0;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      posenc_heads& heads = tensors[i];
      heads = {};
      heads.source_type = source_type;
      heads.type = below(2) == 0 ? source_type : POSENC_F16;
      if (i != 0 && below(2) == 0) {
        heads = tensors[i - 1];  // the same strides at another place
      } else if (below(3) != 0) {
        slots[i] = RandomSlots(random, unit, &heads, shape.head_dim);
        slots[i].list = {POSENC_I64, &list};
        heads.slots = &slots[i];
      } else {
        heads.heads = below(3);
        heads.head_stride = shape.head_dim;
        heads.token_stride = heads.head_stride * std::max<std::size_t>(heads.heads, 1) * (1 + below(3));
      }
      heads.data = At(4096 + unit * internal::ElementSize(heads.type) * below(places));
      heads.source = At(1 << 20);
      heads.source_token_stride = 4;
      if (heads.slots != nullptr) {
        ASSERT_EQ(internal::CheckSlots(shape, heads), POSENC_OK);
      }
    }
    const bool want = AnyPairOverlaps(shape, tensors), got = Search(shape, tensors).any;
    ASSERT_EQ(got, want) << "trial " << trial;
    if (tensors.size() > 8) continue;
    const bool is_shared = AnyByteIsShared(shape, tensors);
    ASSERT_TRUE(got || !is_shared) << "trial " << trial;
    ++kinds[is_shared][got];
  }
  std::printf("%zu apart, %zu refused though apart, %zu overlap\n", kinds[0][0], kinds[0][1], kinds[1][1]);
  EXPECT_GT(std::min(kinds[0][0], kinds[1][1]), 1000u);
}

// The memory of a runtime that stores K and V together: in each block, in each slot, or in each slot's head,
// and heads first. Each of the two may go to its part, but none may reach into the other.
TEST(TensorOverlaps, KeysAndValuesInOneCache) {
  constexpr std::size_t kBlocks = 3, kBlockSize = 4, kSlots = kBlocks * kBlockSize, kDim = kShape.head_dim;
  constexpr std::size_t kHalf = kBlockSize * kHeads * kDim;  // of a block
  struct Interleaved {
    const char* name;
    std::size_t block_stride, offset_stride, head_stride, to_values, too_near;
  };
  const Interleaved kinds[] = {
      {"[blocks, 2, block_size, heads, head_dim]", 2 * kHalf, kHeads * kDim, kDim, kHalf, kHalf - 1},
      {"[blocks, block_size, 2, heads, head_dim]", 2 * kHalf, 2 * kHeads * kDim, kDim, kHeads * kDim,
       kHeads * kDim - 1},
      {"[blocks, block_size, heads, 2, head_dim]", 2 * kHalf, 2 * kHeads * kDim, 2 * kDim, kDim, kDim - 1},
      {"[blocks, 2, heads, block_size, head_dim]", 2 * kHalf, kDim, kBlockSize * kDim, kHalf, kHalf + 1},
      {"[blocks, heads, 2, block_size, head_dim]", 2 * kHalf, kDim, 2 * kBlockSize * kDim, kBlockSize * kDim,
       kBlockSize * kDim - 1},
      {"[blocks, heads, block_size, 2, head_dim]", 2 * kHalf, 2 * kDim, 2 * kBlockSize * kDim, kDim, 0},
      {"[2, blocks, block_size, heads, head_dim]", kHalf, kHeads * kDim, kDim, kBlocks * kHalf,
       kBlocks * kHalf - 1}};
  for (const Interleaved& kind : kinds) {
    SCOPED_TRACE(kind.name);
    std::int64_t list = 0;
    const posenc_slots slots = {
        {POSENC_I64, &list}, kSlots, kBlockSize, kind.block_stride, kind.offset_stride};
    const auto at = [&](std::size_t element) {
      posenc_heads heads = HeadsAt(kBase + element * sizeof(float), 0, kind.head_stride);
      heads.source = At(1 << 10);
      heads.source_token_stride = 1;
      heads.slots = &slots;
      EXPECT_EQ(internal::CheckSlots(kShape, heads), POSENC_OK);
      return heads;
    };
    for (const std::size_t count : {2u, 40u}) {  // few tensors are compared in another way than many
      std::vector<posenc_heads> tensors = {at(0), at(kind.to_values)};
      for (std::size_t i = 2; i < count; i += 2) {
        const std::size_t layer = i * kSlots * kHeads * kDim;
        tensors.push_back(at(layer));
        tensors.push_back(at(layer + kind.to_values));
      }
      EXPECT_FALSE(AnyPairOverlaps(kShape, tensors));
      EXPECT_FALSE(Search(kShape, tensors).any);
      tensors[1] = at(kind.too_near);
      EXPECT_TRUE(AnyPairOverlaps(kShape, tensors));
      EXPECT_TRUE(Search(kShape, tensors).any);
    }
  }
}

// Memory that would go on behind the end of the address space overlaps what begins in it.
TEST(TensorOverlaps, EndOfTheAddressSpace) {
  const TensorShape shape{1, 8};
  for (const std::uintptr_t distance : {31u, 32u}) {
    for (const std::uintptr_t behind : {0u, 1u, 20u}) {
      const std::uintptr_t last = UINTPTR_MAX - 31 + behind;
      std::vector<posenc_heads> tensors = {HeadsAt(last, 8, 8), HeadsAt(last - distance, 8, 8)};
      for (posenc_heads& heads : tensors) heads.heads = 1;
      EXPECT_EQ(Search(shape, tensors).any, distance < 32) << behind;
      tensors[1].data = At(UINTPTR_MAX);
      EXPECT_TRUE(Search(shape, tensors).any) << behind;
    }
  }
}

// Two tensors overlap at a multiple of the period with which the others alternate.
TEST(TensorOverlaps, AtTheEndOfAPeriod) {
  const TensorShape shape{1, 2};
  constexpr std::size_t kPeriod = 1000, kElements = kPeriod / sizeof(float);
  std::vector<posenc_heads> tensors;
  for (std::size_t i = 0; i < 20; ++i) tensors.push_back(HeadsAt(kPeriod * 1000 + 100 + 8 * i, 0, kElements));
  for (const std::size_t begin : {kPeriod - 4, kPeriod + 4}) {
    tensors.push_back(HeadsAt(kPeriod * 1000 + begin, 0, 0));
    tensors.back().heads = 1;
  }
  EXPECT_FALSE(Search(shape, tensors).any);
  tensors.back().data = At(kPeriod * 1001 + 3);
  EXPECT_TRUE(Search(shape, tensors).any);
}

// Twice as many tensors take little more than twice as many steps, and many tensors take far fewer steps than
// there are pairs of tensors.
TEST(TensorOverlaps, TimeIsNotQuadratic) {
  std::mt19937 random(3);
  for (const Order& order : kOrders) {
    const auto steps = [&](std::size_t count) {
      std::vector<posenc_heads> tensors = order.make(count);
      std::shuffle(tensors.begin(), tensors.end(), random);
      const Answer answer = Search(kShape, tensors);
      EXPECT_FALSE(answer.any);
      return answer.steps;
    };
    const std::size_t half = steps(kTensorsAtOnce / 2), whole = steps(kTensorsAtOnce), many = steps(2000);
    std::printf("%s: %zu, %zu and %zu steps\n", order.name, half, whole, many);
    EXPECT_LT(whole, 5 * half / 2) << order.name;
    EXPECT_LT(many, 2000u * 2000u / 2 / 3) << order.name;
  }
}

// A call reports the mistake that comes first, whether it has few tensors or many: a tensor that is wrong by
// itself, or that overlaps one before it.
TEST(TensorOverlaps, TheFirstMistakeIsReported) {
  constexpr std::size_t kDim = 8;
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(kDim));
  for (const std::size_t count : {4u, 8u, 9u, 30u, 2000u}) {
    SCOPED_TRACE(testing::Message() << count << " tensors");
    std::vector<float> memory(count * kDim, 1.0f);
    std::vector<posenc_heads> right;
    for (std::size_t i = 0; i < count; ++i) right.push_back(DenseHeads(&memory[i * kDim], 1, kDim));
    const auto expect = [&](posenc_status want, const std::vector<posenc_heads>& tensors) {
      // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the call writes to the memory
      const std::vector<float> before = memory;
      EXPECT_EQ(posenc_rotate(rotary.get(), 1, 1, tensors.data(), count), want);
      EXPECT_EQ(memory == before, want != POSENC_OK);
    };
    expect(POSENC_OK, right);
    const std::size_t last = count - 1;
    std::vector<posenc_heads> tensors = right;
    tensors[last].data = &memory[1];
    expect(internal::rule::overlap_tensors, tensors);
    tensors[last - 1].data = nullptr;  // before the tensor that overlaps
    expect(internal::rule::null_heads_data, tensors);
    tensors = right;
    tensors[last].data = nullptr;
    tensors[last - 1].data = &memory[1];
    expect(internal::rule::overlap_tensors, tensors);
    tensors[0].source = &memory[1];  // the first tensor of all overlaps itself
    expect(internal::rule::overlap_source, tensors);
    tensors = right;
    tensors[last].inverse = 2;  // members are checked first
    tensors[1].data = tensors[0].data;
    expect(internal::rule::heads_inverse, tensors);
  }
}

}  // namespace
}  // namespace posenc
