// Bad input to the calls of a rotary: each mistake has its status, next to it is what works, and on any
// failure nothing is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <vector>

#include "call_errors.h"
#include "rotary_cases.h"

namespace posenc {
namespace {

constexpr std::size_t kHeadDim = 8, kHeads = 2, kTokens = 3, kStride = kHeads * kHeadDim;
constexpr std::size_t kMaxSize = std::numeric_limits<std::size_t>::max();
constexpr std::int64_t kMinInt64 = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMaxInt64 = std::numeric_limits<std::int64_t>::max();
constexpr std::int32_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct RotaryArguments {
  const posenc_rotary* rotary;
  std::int64_t first = 0;
  posenc_type list_type = POSENC_I64;
  const void* list = nullptr;  // positions or rows
  std::size_t tokens = kTokens;
  posenc_type type = POSENC_F32;
  const posenc_heads* tensors = nullptr;
  std::size_t count = 1;
  const posenc_cache* cache = nullptr;
  std::size_t rows = kTokens;
  std::size_t* bad_index = nullptr;
};

struct RotaryFunction {
  const char* name;
  bool has_positions, has_rows, has_tensors, has_cache;
  posenc_status (*call)(const RotaryArguments&);
};

void PrintTo(const RotaryFunction& function, std::ostream* os) { *os << function.name; }

std::vector<RotaryFunction> RotaryFunctions() {
  using A = const RotaryArguments&;
  return {
      {"rotate", false, false, true, false,
       [](A a) { return posenc_rotate(a.rotary, a.first, a.tokens, a.type, a.tensors, a.count); }},
      {"rotate_at", true, false, true, false,
       [](A a) {
         return posenc_rotate_at(a.rotary, a.list_type, a.list, a.tokens, a.type, a.tensors, a.count,
                                 a.bad_index);
       }},
      {"write", false, false, false, true,
       [](A a) { return posenc_rotary_write(a.rotary, a.first, a.tokens, a.cache); }},
      {"write_at", true, false, false, true,
       [](A a) {
         return posenc_rotary_write_at(a.rotary, a.list_type, a.list, a.tokens, a.cache, a.bad_index);
       }},
      {"rotate_cached", false, true, true, true,
       [](A a) {
         return posenc_rotate_cached(a.rotary, a.cache, a.rows, a.first, a.list_type, a.list, a.tokens,
                                     a.type, a.tensors, a.count, a.bad_index);
       }},
  };
}

// All memory that a call may touch, and what works: tests spoil it. Zeros, which every type reads as 0.
struct RotaryMemory {
  std::vector<double> data = std::vector<double>(1000), source = data, cos = data, sin = data, list = data;
  posenc_heads tensors[3] = {};
  posenc_cache cache = {};
  RotaryArguments arguments;

  RotaryMemory(const posenc_rotary* rotary, const RotaryFunction& function) : arguments{rotary} {
    // Each in another third.
    for (std::size_t k = 0; k < 3; ++k) {
      tensors[k].data = data.data() + 300 * k;
      tensors[k].heads = kHeads;
      tensors[k].token_stride = kStride;
      tensors[k].head_stride = kHeadDim;
    }
    cache.layout = POSENC_CACHE_HALVES;
    cache.type = POSENC_F32;
    cache.cos = cos.data();
    cache.sin = sin.data();
    cache.row_stride = kHeadDim;
    arguments.tensors = tensors;
    arguments.cache = &cache;
    if (function.has_positions) arguments.list = list.data();
    const std::int64_t far = 1000;
    if (function.has_positions) std::memcpy(list.data(), &far, sizeof(far));
    // What does not come out as it was.
    for (std::size_t k = 0; k < data.size(); ++k) data[k] = 1.0 + static_cast<double>(k);
  }
  RotaryMemory(const RotaryMemory&) = delete;
  RotaryMemory& operator=(const RotaryMemory&) = delete;
};

class RotaryCalls : public testing::TestWithParam<RotaryFunction> {
 protected:
  static const RotaryFunction& function() { return GetParam(); }

  // What a call with spoilt arguments reports; unless that is good nothing has changed.
  void Expect(posenc_status want, const std::function<void(RotaryMemory&)>& spoil) {
    RotaryMemory memory(rotary_.get(), function());
    spoil(memory);
    const std::vector<double> data = memory.data, source = memory.source, cos = memory.cos, sin = memory.sin,
                              list = memory.list;
    EXPECT_EQ(function().call(memory.arguments), want) << posenc_status_message(want);
    if (want == POSENC_OK) return;
    EXPECT_TRUE(SameBits(memory.data, data));
    EXPECT_TRUE(SameBits(memory.source, source));
    EXPECT_TRUE(SameBits(memory.cos, cos));
    EXPECT_TRUE(SameBits(memory.sin, sin));
    EXPECT_TRUE(SameBits(memory.list, list));
  }

  // Lists of good values of which one and the last are bad.
  template <class Value>
  void ExpectBadValues(posenc_type type, Value good, std::initializer_list<Value> bad,
                       const RotaryPtr* rotary = nullptr, std::size_t axes = 1) {
    const auto expect = [&](posenc_status want, const std::vector<Value>& values, std::size_t index) {
      for (const bool is_told : {false, true}) {
        std::size_t bad_index = 4711;
        Expect(want, [&](RotaryMemory& m) {
          if (rotary != nullptr) m.arguments.rotary = rotary->get();
          m.arguments.list_type = type;
          m.arguments.list = values.data();
          m.arguments.bad_index = is_told ? &bad_index : nullptr;
        });
        EXPECT_EQ(bad_index, want == POSENC_OK || !is_told ? 4711u : index);
      }
    };
    const std::size_t count = axes * kTokens;
    expect(POSENC_OK, std::vector<Value>(count, good), 0);
    for (const Value value : bad) {
      for (std::size_t index = 0; index < count; ++index) {
        SCOPED_TRACE(testing::Message() << value << " at " << index);
        std::vector<Value> values(count, good);
        values[index] = values.back() = value;
        expect(POSENC_POSITION_OUT_OF_RANGE, values, index);
      }
    }
  }

  const RotaryPtr& rotary() const { return rotary_; }

 private:
  const RotaryPtr rotary_ = CreateRotary(MakeRotarySpec(kHeadDim));
};

TEST_P(RotaryCalls, GoodArgumentsWork) {
  const auto changes = [&](const std::function<void(RotaryMemory&)>& change) {
    RotaryMemory memory(rotary().get(), function());
    if (function().has_rows) memory.cos[0] = memory.sin[1] = 7.0;
    change(memory);
    const std::vector<double> before = function().has_tensors ? memory.data : memory.cos;
    EXPECT_EQ(function().call(memory.arguments), POSENC_OK);
    return !SameBits(before, function().has_tensors ? memory.data : memory.cos);
  };
  for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16}) {
    for (const std::size_t count : {1u, 2u, 3u}) {
      EXPECT_TRUE(changes([&](RotaryMemory& m) {
        m.arguments.type = m.cache.type = type;
        m.arguments.count = count;
        m.arguments.first = function().has_rows ? 0 : 1000;
      }));
    }
  }
}

TEST_P(RotaryCalls, NullPointers) {
  Expect(POSENC_NOT_CREATED, [](RotaryMemory& m) { m.arguments.rotary = nullptr; });
  if (function().has_positions)
    Expect(POSENC_NULL_POINTER, [](RotaryMemory& m) { m.arguments.list = nullptr; });
  if (function().has_tensors) {
    Expect(POSENC_NULL_POINTER, [](RotaryMemory& m) { m.arguments.tensors = nullptr; });
    for (const std::size_t k : {0u, 1u, 2u}) {
      Expect(POSENC_NULL_POINTER, [&](RotaryMemory& m) {
        m.arguments.count = 3;
        m.tensors[k].data = nullptr;
      });
      Expect(POSENC_NULL_POINTER, [&](RotaryMemory& m) {
        m.arguments.count = 3;
        m.tensors[k].data = nullptr;
        m.tensors[k].source = m.source.data();
      });
    }
    Expect(POSENC_OK, [](RotaryMemory& m) {
      m.arguments.count = 2;
      m.tensors[2].data = nullptr;
    });
  }
  if (function().has_cache) {
    Expect(POSENC_NULL_POINTER, [](RotaryMemory& m) { m.arguments.cache = nullptr; });
    Expect(POSENC_NULL_POINTER, [](RotaryMemory& m) { m.cache.cos = nullptr; });
    for (const posenc_cache_layout layout : {POSENC_CACHE_HALVES, POSENC_CACHE_DUPLICATED}) {
      Expect(POSENC_NULL_POINTER, [&](RotaryMemory& m) {
        m.cache.layout = layout;
        m.cache.sin = nullptr;
      });
    }
    for (const posenc_cache_layout layout : {POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS}) {
      Expect(POSENC_NULL_POINTER, [&](RotaryMemory& m) {
        m.cache.layout = layout;
        m.cache.cos = m.cache.sin = nullptr;
      });
    }
  }
}

TEST_P(RotaryCalls, NothingToDoIsFine) {
  const auto nothing = [](RotaryMemory& m) {
    m.tensors[0].data = nullptr;
    m.arguments.list = nullptr;
    m.arguments.first = 0;
  };
  Expect(POSENC_OK, [&](RotaryMemory& m) {
    nothing(m);
    m.arguments.tokens = m.arguments.rows = 0;
    m.cache.cos = m.cache.sin = nullptr;
  });
  if (!function().has_tensors) return;
  Expect(POSENC_OK, [&](RotaryMemory& m) {
    m.tensors[0].data = nullptr;
    m.tensors[0].heads = 0;
    m.tensors[0].token_stride = m.tensors[0].head_stride = 0;
    m.arguments.count = 2;  // the second is there
  });
  Expect(POSENC_OK, [](RotaryMemory& m) {
    m.arguments.tensors = nullptr;
    m.arguments.count = 0;
  });
}

TEST_P(RotaryCalls, UnknownTypes) {
  for (const posenc_type type : {kMinInt, -1, 0, 1, 2, 3, 4, 5, 6, 7, kMaxInt}) {
    SCOPED_TRACE(type);
    const bool is_summand = type >= POSENC_F32 && type <= POSENC_F16;
    const auto status = [](bool is_right) { return is_right ? POSENC_OK : POSENC_BAD_TYPE; };
    if (function().has_tensors) Expect(status(is_summand), [&](RotaryMemory& m) { m.arguments.type = type; });
    if (function().has_cache) {
      Expect(status(is_summand || (type == POSENC_F64 && !function().has_rows)),
             [&](RotaryMemory& m) { m.cache.type = type; });
    }
    const bool is_integer = type == POSENC_I32 || type == POSENC_I64;
    if (function().has_positions) {
      Expect(status(is_integer || type == POSENC_F32 || type == POSENC_F64),
             [&](RotaryMemory& m) { m.arguments.list_type = type; });
    }
    if (function().has_rows) {
      Expect(status(is_integer), [&](RotaryMemory& m) {
        m.arguments.list = m.list.data();
        m.arguments.list_type = type;
      });
    }
  }
}

// Heads of a token next to each other or apart, tokens of a head next to each other or apart; but never
// crossing.
TEST_P(RotaryCalls, Strides) {
  if (!function().has_tensors) GTEST_SKIP() << "no tensors";
  const auto expect = [&](posenc_status want, std::size_t tokens, std::size_t heads, std::size_t token_stride,
                          std::size_t head_stride) {
    SCOPED_TRACE(testing::Message() << tokens << " tokens " << token_stride << " apart, " << heads
                                    << " heads " << head_stride << " apart");
    Expect(want, [&](RotaryMemory& m) {
      m.arguments.tokens = tokens;
      m.tensors[0].heads = heads;
      m.tensors[0].token_stride = token_stride;
      m.tensors[0].head_stride = head_stride;
    });
  };
  expect(POSENC_OK, 3, 2, 16, 8);
  expect(POSENC_OK, 3, 2, 17, 8);
  expect(POSENC_OK, 3, 2, 17, 9);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 16, 9);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 15, 8);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 16, 7);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 16, 0);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 0, 8);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 8, 8);
  expect(POSENC_OK, 3, 2, 8, 24);  // [heads, tokens, head_dim]
  expect(POSENC_OK, 3, 2, 9, 26);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 8, 23);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 9, 25);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 2, 7, 24);
  expect(POSENC_OK, 3, 1, 8, 0);  // of one there is no stride
  expect(POSENC_OK, 3, 1, 8, 3);
  expect(POSENC_STRIDE_TOO_SMALL, 3, 1, 7, 8);
  expect(POSENC_OK, 1, 2, 0, 8);
  expect(POSENC_OK, 1, 2, 3, 8);
  expect(POSENC_STRIDE_TOO_SMALL, 1, 2, 16, 7);
  expect(POSENC_OK, 1, 1, 0, 0);
}

TEST_P(RotaryCalls, CacheStrides) {
  if (!function().has_cache) GTEST_SKIP() << "no cache";
  for (const posenc_cache_layout layout :
       {POSENC_CACHE_HALVES, POSENC_CACHE_DUPLICATED, POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS}) {
    const bool has_two = layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED;
    const std::size_t columns = layout == POSENC_CACHE_HALVES ? kHeadDim / 2 : kHeadDim;
    const auto expect = [&](posenc_status want, std::size_t stride) {
      SCOPED_TRACE(testing::Message() << "layout " << layout << ", stride " << stride);
      Expect(want, [&](RotaryMemory& m) {
        m.cache.layout = layout;
        if (!has_two) m.cache.sin = nullptr;
        m.cache.row_stride = stride;
      });
    };
    expect(POSENC_OK, columns);
    expect(POSENC_STRIDE_TOO_SMALL, columns - 1);
    expect(POSENC_STRIDE_TOO_SMALL, 0);
    for (const std::size_t stride : {kMaxSize, kMaxSize / 2, kMaxSize / 8, kMaxSize / 16 + 1}) {
      expect(POSENC_SIZE_OVERFLOW, stride);
    }
  }
  for (const posenc_cache_layout layout : {kMinInt, -1, 4, kMaxInt}) {
    Expect(POSENC_BAD_CACHE, [&](RotaryMemory& m) { m.cache.layout = layout; });
  }
  // One table, and another that nobody would write.
  for (const posenc_cache_layout layout : {POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS}) {
    Expect(POSENC_BAD_CACHE, [&](RotaryMemory& m) { m.cache.layout = layout; });
  }
}

TEST_P(RotaryCalls, SizeOverflow) {
  if (!function().has_tensors) GTEST_SKIP() << "no tensors";
  for (const std::size_t stride : {kMaxSize, kMaxSize / 2, kMaxSize / 4, kMaxSize / 8 + 1}) {
    SCOPED_TRACE(stride);
    Expect(POSENC_SIZE_OVERFLOW, [&](RotaryMemory& m) { m.tensors[0].token_stride = stride; });
    Expect(POSENC_SIZE_OVERFLOW, [&](RotaryMemory& m) { m.tensors[0].head_stride = stride; });
    Expect(POSENC_SIZE_OVERFLOW, [&](RotaryMemory& m) {
      m.tensors[0].source = m.source.data();
      m.tensors[0].source_token_stride = stride;
    });
    Expect(POSENC_SIZE_OVERFLOW, [&](RotaryMemory& m) {
      m.tensors[0].source = m.source.data();
      m.tensors[0].source_head_stride = stride;
    });
  }
  for (const std::size_t heads : {kMaxSize, kMaxSize / 8 + 1, kMaxSize / 64 + 1}) {
    Expect(POSENC_SIZE_OVERFLOW, [&](RotaryMemory& m) {
      m.tensors[0].heads = heads;
      m.tensors[0].token_stride = 0;
      m.arguments.tokens = 1;
    });
  }
}

// Of more positions than there is memory for, on several axes, which no tensor limits.
TEST_P(RotaryCalls, ListsBeyondTheAddressSpace) {
  if (!function().has_positions || !function().has_tensors)
    GTEST_SKIP() << "no positions, or a cache that limits them";
  posenc_rotary_spec spec = MakeRotarySpec(kHeadDim);
  spec.axes = 4;
  std::fill(spec.sections, spec.sections + 4, 1);
  const RotaryPtr rotary = CreateRotary(spec);
  for (const std::size_t tokens : {kMaxSize / 4 + 1, kMaxSize / 2 + 1, kMaxSize, kMaxSize / 16 + 1}) {
    for (const std::size_t count : {0u, 1u}) {
      SCOPED_TRACE(testing::Message() << tokens << " tokens, " << count << " tensors");
      Expect(POSENC_SIZE_OVERFLOW, [&](RotaryMemory& m) {
        m.arguments.rotary = rotary.get();
        m.arguments.tokens = tokens;
        m.arguments.count = count;
        m.tensors[0].heads = 0;
      });
    }
  }
}

TEST_P(RotaryCalls, TensorsThatOverlap) {
  if (!function().has_tensors) GTEST_SKIP() << "no tensors";
  constexpr std::size_t kBytes = kTokens * kStride * sizeof(float);
  const auto expect = [&](posenc_status want, std::ptrdiff_t distance) {
    SCOPED_TRACE(distance);
    Expect(want, [&](RotaryMemory& m) {
      m.arguments.count = 2;
      m.tensors[0].data = m.data.data() + 100;
      m.tensors[1].data = reinterpret_cast<unsigned char*>(m.tensors[0].data) + distance;
    });
    Expect(want, [&](RotaryMemory& m) {  // of one what the other reads
      m.arguments.count = 2;
      m.tensors[0].data = m.data.data() + 100;
      m.tensors[1].source = reinterpret_cast<unsigned char*>(m.tensors[0].data) + distance;
    });
    Expect(want, [&](RotaryMemory& m) {
      m.arguments.count = 2;
      m.tensors[1].data = m.data.data() + 100;
      m.tensors[0].data = m.data.data() + 700;
      m.tensors[0].source = reinterpret_cast<unsigned char*>(m.tensors[1].data) + distance;
    });
    if (distance == 0) return;           // in place
    Expect(want, [&](RotaryMemory& m) {  // its own source
      m.tensors[0].data = m.data.data() + 100;
      m.tensors[0].source = reinterpret_cast<unsigned char*>(m.tensors[0].data) + distance;
    });
  };
  const auto bytes = static_cast<std::ptrdiff_t>(kBytes);
  for (const std::ptrdiff_t distance : {bytes, -bytes, bytes + 1}) expect(POSENC_OK, distance);
  for (const std::ptrdiff_t distance : {std::ptrdiff_t{0}, bytes - 1, 1 - bytes, std::ptrdiff_t{4},
                                        std::ptrdiff_t{-32}, std::ptrdiff_t{32}}) {
    expect(POSENC_BUFFERS_OVERLAP, distance);
  }
  Expect(POSENC_BUFFERS_OVERLAP, [](RotaryMemory& m) {  // the last two of three
    m.arguments.count = 3;
    m.tensors[2].data = reinterpret_cast<unsigned char*>(m.tensors[1].data) + kBytes - 1;
  });
  // In place by another name, and what two tensors read.
  Expect(POSENC_OK, [](RotaryMemory& m) { m.tensors[0].source = m.tensors[0].data; });
  Expect(POSENC_OK, [](RotaryMemory& m) {
    m.tensors[0].source = m.tensors[0].data;
    m.tensors[0].source_token_stride = kStride;
    m.tensors[0].source_head_stride = kHeadDim;
  });
  Expect(POSENC_BUFFERS_OVERLAP, [](RotaryMemory& m) {
    m.tensors[0].source = m.tensors[0].data;
    m.tensors[0].source_token_stride = kStride + 1;
  });
  Expect(POSENC_OK, [](RotaryMemory& m) {
    m.arguments.count = 2;
    m.tensors[0].source = m.tensors[1].source = m.source.data();
  });
  // A source may be the same heads again and again: stride 0 is not to be had, less than a head is.
  Expect(POSENC_OK, [](RotaryMemory& m) {
    m.tensors[0].source = m.source.data();
    m.tensors[0].source_token_stride = m.tensors[0].source_head_stride = 1;
  });
}

// q, k and v of one projection, in any order of its axes.
TEST_P(RotaryCalls, FusedTensors) {
  if (!function().has_tensors) GTEST_SKIP() << "no tensors";
  const auto expect = [&](posenc_status want, std::size_t second, std::size_t token_stride,
                          std::size_t head_stride, std::size_t heads, std::size_t fewest_tokens = 1) {
    for (const std::size_t tokens : {std::size_t{1}, kTokens}) {
      if (tokens < fewest_tokens) continue;
      SCOPED_TRACE(testing::Message()
                   << tokens << " tokens " << token_stride << " apart, heads " << head_stride
                   << " apart, the second tensor " << second << " behind the first");
      Expect(want, [&](RotaryMemory& m) {
        m.arguments.tokens = m.arguments.rows = tokens;
        m.arguments.count = 2;
        for (posenc_heads& tensor : m.tensors) {
          tensor.heads = heads;
          tensor.token_stride = token_stride;
          tensor.head_stride = head_stride;
        }
        m.tensors[0].data = m.data.data();
        m.tensors[1].data = reinterpret_cast<float*>(m.data.data()) + second;
      });
    }
  };
  expect(POSENC_OK, 2 * kHeadDim, 6 * kHeadDim, kHeadDim, 2);  // [tokens, (q q k k v v), head_dim]
  expect(POSENC_OK, 3 * kHeadDim, 6 * kHeadDim, kHeadDim, 3);
  expect(POSENC_BUFFERS_OVERLAP, 2 * kHeadDim - 1, 6 * kHeadDim, kHeadDim, 2);
  expect(POSENC_BUFFERS_OVERLAP, 2 * kHeadDim, 6 * kHeadDim, kHeadDim, 3);
  expect(POSENC_OK, kHeadDim, 6 * kHeadDim, 3 * kHeadDim, 2);  // [tokens, heads, (q k v), head_dim]
  expect(POSENC_OK, 2 * kHeadDim, 6 * kHeadDim, 3 * kHeadDim, 2);
  expect(POSENC_BUFFERS_OVERLAP, kHeadDim - 1, 6 * kHeadDim, 3 * kHeadDim, 2);
  expect(POSENC_BUFFERS_OVERLAP, 2 * kHeadDim + 1, 6 * kHeadDim, 3 * kHeadDim, 2);
  expect(POSENC_OK, kHeadDim, 2 * kHeadDim, 6 * kHeadDim, 2);  // [heads, tokens, (q k), head_dim]
  expect(POSENC_BUFFERS_OVERLAP, kHeadDim + 1, 2 * kHeadDim, 6 * kHeadDim, 2, 2);
}

TEST_P(RotaryCalls, ListsAndCachesThatOverlapWhatIsWritten) {
  constexpr std::size_t kBytes = kTokens * kStride * sizeof(float);
  if (function().has_tensors && (function().has_positions || function().has_rows)) {
    const auto expect = [&](posenc_status want, std::ptrdiff_t distance) {
      SCOPED_TRACE(distance);
      for (const std::size_t tensor : {0u, 1u}) {
        Expect(want, [&](RotaryMemory& m) {
          m.arguments.count = 2;
          std::fill(m.data.begin(), m.data.end(), 0.0);
          m.tensors[tensor].data = m.data.data() + 200;
          m.tensors[1 - tensor].data = m.data.data() + 600;
          m.arguments.list = reinterpret_cast<unsigned char*>(m.tensors[tensor].data) + distance;
        });
      }
    };
    constexpr auto kList = static_cast<std::ptrdiff_t>(kTokens * sizeof(std::int64_t));
    expect(POSENC_OK, -kList);
    expect(POSENC_BUFFERS_OVERLAP, 1 - kList);
    expect(POSENC_BUFFERS_OVERLAP, 0);
    expect(POSENC_BUFFERS_OVERLAP, static_cast<std::ptrdiff_t>(kBytes) - 1);
    expect(POSENC_OK, static_cast<std::ptrdiff_t>(kBytes));
  }
  if (function().has_rows) {
    constexpr std::ptrdiff_t kTable = ((kTokens - 1) * kHeadDim + kHeadDim / 2) * sizeof(float);
    for (const bool is_cos : {true, false}) {
      const auto expect = [&](posenc_status want, std::ptrdiff_t distance) {
        SCOPED_TRACE(testing::Message() << (is_cos ? "cos " : "sin ") << distance);
        Expect(want, [&](RotaryMemory& m) {
          m.tensors[0].data = m.data.data() + 200;
          (is_cos ? m.cache.cos : m.cache.sin) =
              reinterpret_cast<unsigned char*>(m.tensors[0].data) + distance;
        });
      };
      expect(POSENC_OK, -kTable);
      expect(POSENC_BUFFERS_OVERLAP, 1 - kTable);
      expect(POSENC_BUFFERS_OVERLAP, static_cast<std::ptrdiff_t>(kBytes) - 1);
      expect(POSENC_OK, static_cast<std::ptrdiff_t>(kBytes));
    }
    // What is only read may be anywhere.
    Expect(POSENC_OK, [](RotaryMemory& m) { m.cache.sin = m.cache.cos; });
    return;
  }
  if (!function().has_cache) return;
  const auto expect_tables = [&](posenc_status want, std::ptrdiff_t distance) {
    SCOPED_TRACE(distance);
    Expect(want, [&](RotaryMemory& m) {
      m.cache.cos = m.cos.data() + 100;
      m.cache.sin = reinterpret_cast<unsigned char*>(m.cache.cos) + distance;
    });
  };
  constexpr std::ptrdiff_t kTable = ((kTokens - 1) * kHeadDim + kHeadDim / 2) * sizeof(float);
  expect_tables(POSENC_OK, kTable);
  expect_tables(POSENC_OK, -kTable);
  for (const std::ptrdiff_t distance : {kTable - 1, 1 - kTable, std::ptrdiff_t{0}}) {
    expect_tables(POSENC_BUFFERS_OVERLAP, distance);
  }
  if (!function().has_positions) return;
  for (const bool is_cos : {true, false}) {
    const auto expect = [&](posenc_status want, std::ptrdiff_t distance) {
      SCOPED_TRACE(testing::Message() << (is_cos ? "cos " : "sin ") << distance);
      Expect(want, [&](RotaryMemory& m) {
        (is_cos ? m.cache.cos : m.cache.sin) = m.source.data() + 100;
        m.arguments.list = reinterpret_cast<unsigned char*>(m.source.data() + 100) + distance;
      });
    };
    constexpr auto kList = static_cast<std::ptrdiff_t>(kTokens * sizeof(std::int64_t));
    expect(POSENC_OK, -kList);
    expect(POSENC_BUFFERS_OVERLAP, 1 - kList);
    expect(POSENC_BUFFERS_OVERLAP, kTable - 1);
    expect(POSENC_OK, kTable);
  }
}

TEST_P(RotaryCalls, RunsOutOfRange) {
  if (function().has_positions || function().has_rows) GTEST_SKIP() << "no run";
  const auto expect = [&](posenc_status want, std::int64_t first) {
    SCOPED_TRACE(first);
    Expect(want, [&](RotaryMemory& m) { m.arguments.first = first; });
  };
  expect(POSENC_OK, -POSENC_MAX_POSITION);
  expect(POSENC_OK, POSENC_MAX_POSITION - 2);
  for (const std::int64_t first :
       {-POSENC_MAX_POSITION - 1, POSENC_MAX_POSITION - 1, POSENC_MAX_POSITION + 1, kMinInt64, kMaxInt64}) {
    expect(POSENC_POSITION_OUT_OF_RANGE, first);
  }
  Expect(POSENC_OK, [](RotaryMemory& m) {
    m.arguments.first = POSENC_MAX_POSITION;
    m.arguments.tokens = 1;
  });
}

TEST_P(RotaryCalls, ListedPositionsOutOfRange) {
  if (!function().has_positions) GTEST_SKIP() << "no positions";
  const auto most = static_cast<double>(POSENC_MAX_POSITION);
  ExpectBadValues<std::int64_t>(POSENC_I64, POSENC_MAX_POSITION,
                                {POSENC_MAX_POSITION + 1, -POSENC_MAX_POSITION - 1, kMinInt64, kMaxInt64});
  ExpectBadValues<std::int64_t>(POSENC_I64, -POSENC_MAX_POSITION, {kMinInt64});
  ExpectBadValues<std::int32_t>(POSENC_I32, kMinInt, {});
  ExpectBadValues<double>(
      POSENC_F64, most,
      {std::nextafter(most, HUGE_VAL), -std::nextafter(most, HUGE_VAL), kNaN, -kNaN, HUGE_VAL, -HUGE_VAL});
  ExpectBadValues<float>(POSENC_F32, -0x1p31f,
                         {std::nextafter(0x1p31f, HUGE_VALF), std::nanf(""), HUGE_VALF});
  // Of several axes all count, those of axis 0 first.
  posenc_rotary_spec spec = MakeRotarySpec(kHeadDim);
  spec.axes = 2;
  spec.sections[0] = 1;
  spec.sections[1] = 3;
  const RotaryPtr rotary = CreateRotary(spec);
  ExpectBadValues<double>(POSENC_F64, 1.5, {kNaN, 0x1p32}, &rotary, 2);
  ExpectBadValues<std::int64_t>(POSENC_I64, 1, {kMaxInt64}, &rotary, 2);
}

TEST_P(RotaryCalls, RowsOutOfRange) {
  if (!function().has_rows) GTEST_SKIP() << "no rows";
  const auto expect = [&](posenc_status want, std::size_t rows, std::int64_t first, std::size_t tokens) {
    SCOPED_TRACE(testing::Message() << tokens << " from " << first << " on, of " << rows);
    Expect(want, [&](RotaryMemory& m) {
      m.arguments.rows = rows;
      m.arguments.first = first;
      m.arguments.tokens = tokens;
    });
  };
  expect(POSENC_OK, 3, 0, 3);
  expect(POSENC_OK, 9, 6, 3);
  expect(POSENC_OK, 3, 3, 0);
  expect(POSENC_POSITION_OUT_OF_RANGE, 3, 1, 3);
  expect(POSENC_POSITION_OUT_OF_RANGE, 2, 0, 3);
  expect(POSENC_POSITION_OUT_OF_RANGE, 3, -1, 3);
  expect(POSENC_POSITION_OUT_OF_RANGE, 3, 4, 1);
  expect(POSENC_POSITION_OUT_OF_RANGE, 3, kMaxInt64, 3);
  expect(POSENC_POSITION_OUT_OF_RANGE, 3, kMinInt64, 3);
  expect(POSENC_POSITION_OUT_OF_RANGE, 0, 0, 1);
  ExpectBadValues<std::int32_t>(POSENC_I32, 2, {3, -1, kMinInt, kMaxInt});
  ExpectBadValues<std::int64_t>(POSENC_I64, 0, {3, -1, kMinInt64, kMaxInt64, (std::int64_t{1} << 32) + 1});
  // With a list the first row does not count.
  Expect(POSENC_OK, [](RotaryMemory& m) {
    m.arguments.list = m.list.data();
    m.arguments.first = -5;
  });
}

TEST_P(RotaryCalls, ScalesAndFlags) {
  if (!function().has_tensors) GTEST_SKIP() << "no tensors";
  const auto expect = [&](posenc_status want, double scale, const RotaryPtr& rotary) {
    for (const std::size_t k : {0u, 1u}) {
      SCOPED_TRACE(testing::Message() << scale << " of tensor " << k);
      Expect(want, [&](RotaryMemory& m) {
        m.arguments.rotary = rotary.get();
        m.arguments.count = 2;
        m.tensors[k].scale = scale;
      });
    }
  };
  for (const double scale : {0.0, -0.0, 1.0, 0x1p-64, 0x1p64, 0.3}) expect(POSENC_OK, scale, rotary());
  for (const double scale : {-1.0, std::nextafter(0x1p64, 1e30), std::nextafter(0x1p-64, 0.0), kNaN, HUGE_VAL,
                             -HUGE_VAL, 5e-324}) {
    expect(POSENC_BAD_AMPLITUDE, scale, rotary());
  }
  posenc_rotary_spec spec = MakeRotarySpec(kHeadDim);
  spec.amplitude = 4.0;
  const RotaryPtr loud = CreateRotary(spec);
  expect(POSENC_OK, 0x1p62, loud);
  expect(POSENC_OK, 0x1p-64, loud);
  if (!function().has_rows) expect(POSENC_BAD_AMPLITUDE, std::nextafter(0x1p62, 1e30), loud);
  spec.amplitude = 0.25;
  const RotaryPtr quiet = CreateRotary(spec);
  expect(POSENC_OK, 0x1p64, quiet);
  expect(POSENC_OK, 0x1p-62, quiet);
  if (!function().has_rows) expect(POSENC_BAD_AMPLITUDE, std::nextafter(0x1p-62, 0.0), quiet);
  // Products that round to the limits.
  spec.amplitude = 0x1.0000000000001p32;
  const RotaryPtr above = CreateRotary(spec);
  if (!function().has_rows) expect(POSENC_BAD_AMPLITUDE, 0x1.fffffffffffffp31, above);
  expect(POSENC_OK, 0x1.ffffffffffffep31, above);
  spec.amplitude = 0x1.0000000000001p-32;
  const RotaryPtr below = CreateRotary(spec);
  if (!function().has_rows) expect(POSENC_BAD_AMPLITUDE, 0x1.ffffffffffffep-33, below);
  expect(POSENC_OK, 0x1.fffffffffffffp-33, below);
  for (const std::int32_t flag : {kMinInt, -1, 0, 1, 2, 256, kMaxInt}) {
    SCOPED_TRACE(flag);
    const bool is_flag = flag == 0 || flag == 1;
    Expect(is_flag ? POSENC_OK : POSENC_BAD_FLAG, [&](RotaryMemory& m) { m.tensors[0].inverse = flag; });
    Expect(flag == 0 ? POSENC_OK : POSENC_BAD_FLAG, [&](RotaryMemory& m) { m.tensors[0].reserved = flag; });
    Expect(is_flag ? POSENC_OK : POSENC_BAD_FLAG, [&](RotaryMemory& m) {
      m.arguments.count = 3;
      m.tensors[2].inverse = flag;
    });
  }
}

INSTANTIATE_TEST_SUITE_P(, RotaryCalls, testing::ValuesIn(RotaryFunctions()),
                         [](const auto& param_info) { return std::string(param_info.param.name); });

// Not even as an address that is never read, which UndefinedBehaviorSanitizer sees.
TEST(RotaryOfOneHead, HasNoStrideThatCounts) {
  posenc_rotary_spec spec = MakeRotarySpec(kHeadDim);
  spec.rotary_dim = kHeadDim / 2;  // the rest is copied
  const RotaryPtr rotary = CreateRotary(spec);
  const std::vector<float> source(kHeadDim, 1.0f);
  std::vector<float> data(kHeadDim);
  posenc_heads heads{};
  heads.data = data.data();
  heads.source = source.data();
  heads.heads = 1;
  for (const std::size_t stride : {kMaxSize, kMaxSize / 8}) {
    heads.token_stride = heads.head_stride = stride;
    ASSERT_EQ(posenc_rotate(rotary.get(), 0, 1, POSENC_F32, &heads, 1), POSENC_OK);
    EXPECT_EQ(data, source);
  }
  heads.source = heads.data;  // in place, whatever the strides of the source
  heads.source_head_stride = heads.source_token_stride = 2 * kHeadDim;
  EXPECT_EQ(posenc_rotate(rotary.get(), 0, 1, POSENC_F32, &heads, 1), POSENC_OK);
  EXPECT_EQ(data, source);
}

TEST(RotaryOfSources, MayOverlapEachOther) {
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(kHeadDim));
  std::vector<float> source(kHeadDim + kTokens * kHeads), apart(kTokens * kHeads * kHeadDim), data = apart;
  for (std::size_t k = 0; k < source.size(); ++k) source[k] = 1.0f / static_cast<float>(k + 1);
  for (std::size_t head = 0; head < kTokens * kHeads; ++head) {
    std::copy_n(&source[head / kHeads + head % kHeads], kHeadDim, &apart[head * kHeadDim]);
  }
  posenc_heads heads{};
  heads.heads = kHeads;
  heads.token_stride = kHeads * kHeadDim;
  heads.head_stride = kHeadDim;
  heads.data = apart.data();
  ASSERT_EQ(posenc_rotate(rotary.get(), 5, kTokens, POSENC_F32, &heads, 1), POSENC_OK);
  heads.data = data.data();
  heads.source = source.data();
  heads.source_token_stride = heads.source_head_stride = 1;
  ASSERT_EQ(posenc_rotate(rotary.get(), 5, kTokens, POSENC_F32, &heads, 1), POSENC_OK);
  EXPECT_EQ(data, apart);
}

// What needs no call.
TEST(RotaryOfNull, HasNothing) {
  posenc_rotary_destroy(nullptr);
  EXPECT_EQ(posenc_rotary_head_dim(nullptr), 0u);
  EXPECT_EQ(posenc_rotary_frequency_count(nullptr), 0u);
  EXPECT_STREQ(posenc_rotary_target(nullptr), "");
  EXPECT_TRUE(std::isnan(posenc_rotary_amplitude(nullptr)));
  EXPECT_TRUE(std::isnan(posenc_rotary_radians(nullptr, 0)));
}

}  // namespace
}  // namespace posenc
