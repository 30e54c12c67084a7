// Angles that are made once rotate to the bits of posenc_rotate_at, on every target. They never change. And
// mistakes of which the list of calls (calls.h) has none.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "guarded_pages.h"
#include "kernel/heads.h"
#include "number/elements.h"
#include "posenc/rotary_angles_c.h"
#include "posenc/rotary_norm_c.h"
#include "posenc/rotary_slots_c.h"
#include "refusal.h"
#include "rotary_cases.h"
#include "spec_words.h"

namespace posenc {
namespace {

constexpr std::size_t kHeads = 3;

// Angles in memory that ends at a page that nobody may touch.
class MadeAngles {
 public:
  MadeAngles(const posenc_rotary* rotary, std::size_t tokens, std::size_t before_end)
      : rotary_(rotary), tokens_(tokens), bytes_(Size()), pages_(bytes_ + before_end) {
    memory_ = pages_.end() - before_end - bytes_;
  }

  void Make(std::int64_t first) {
    ASSERT_EQ(posenc_angles_make(rotary_, first, tokens_, memory_, bytes_, &made_), POSENC_OK);
  }
  void MakeAt(const posenc_list& list) {
    ASSERT_EQ(posenc_angles_make_at(rotary_, &list, tokens_, memory_, bytes_, &made_, nullptr), POSENC_OK);
  }

  const posenc_angles* get() const { return made_; }
  std::vector<unsigned char> Content() const { return {memory_, memory_ + bytes_}; }

 private:
  std::size_t Size() const {
    std::size_t bytes = 0;
    EXPECT_EQ(posenc_angles_memory_size(rotary_, tokens_, &bytes), POSENC_OK);
    return bytes;
  }

  const posenc_rotary* rotary_;
  std::size_t tokens_, bytes_;
  GuardedPages pages_;
  unsigned char* memory_;
  posenc_angles* made_ = nullptr;
};

// q [tokens, heads, head_dim], scaled and rotated from a source, and k [heads, tokens, head_dim], rotated in
// place and by -p. Some elements are hard to rotate.
template <class T>
struct TwoTensors {
  TwoTensors(std::size_t how_many, std::size_t dim, double scale)
      : tokens(how_many), head_dim(dim), source(tokens * kHeads * dim), q(source.size()), k(source.size()) {
    PairMaker<T> maker(static_cast<unsigned>(dim));
    for (std::size_t n = 0; n + 1 < source.size(); n += 2) {
      const auto angle = static_cast<double>(n % 70);
      const Rotated<T> pair = maker.Make(n / 2, std::cos(angle), std::sin(angle), 1.0);
      source[n] = k[n + 1] = pair.x;
      source[n + 1] = k[n] = pair.y;
    }
    heads[0] = heads[1] = DenseHeads(q.data(), kHeads, dim);
    heads[0].source = source.data();
    heads[0].scale = scale;
    heads[1].data = k.data();
    heads[1].token_stride = dim;
    heads[1].head_stride = tokens * dim;
    heads[1].inverse = 1;
  }
  TwoTensors(const TwoTensors&) = delete;
  TwoTensors& operator=(const TwoTensors&) = delete;

  // The heads of the tokens from `first` on.
  std::vector<posenc_heads> From(std::size_t first) {
    std::vector<posenc_heads> rest = {heads[0], heads[1]};
    rest[0].source = &source[first * kHeads * head_dim];
    rest[0].data = &q[first * kHeads * head_dim];
    rest[1].data = &k[first * head_dim];
    return rest;
  }

  std::size_t tokens, head_dim;
  std::vector<T> source, q, k;
  posenc_heads heads[2];
};

template <class T>
bool AreSame(const TwoTensors<T>& a, const TwoTensors<T>& b) {
  return SameBits(a.q, b.q) && SameBits(a.k, b.k);
}

// Compares a rotation by angles with posenc_rotate_at, for all tokens at once and for the last tokens before
// the first.
void ExpectTheSameBits(const posenc_rotary* rotary, const MadeAngles& angles, const posenc_list& positions,
                       std::size_t tokens) {
  const std::vector<unsigned char> made = angles.Content();
  const std::size_t dim = posenc_rotary_head_dim(rotary), last = tokens / 3;
  ForEachType([&](auto element) {
    using T = decltype(element);
    for (const double scale : {0.0, 1.0, 0.7}) {
      SCOPED_TRACE(testing::Message() << "scale " << scale);
      TwoTensors<T> want(tokens, dim, scale), whole(tokens, dim, scale), parts(tokens, dim, scale);
      ASSERT_EQ(posenc_rotate_at(rotary, &positions, tokens, want.heads, 2, nullptr), POSENC_OK);
      ASSERT_EQ(posenc_rotate_by_angles(rotary, angles.get(), 0, tokens, whole.heads, 2), POSENC_OK);
      EXPECT_TRUE(AreSame(whole, want));
      const auto first = static_cast<std::int64_t>(tokens - last);
      ASSERT_EQ(
          posenc_rotate_by_angles(rotary, angles.get(), first, last, parts.From(tokens - last).data(), 2),
          POSENC_OK);
      ASSERT_EQ(posenc_rotate_by_angles(rotary, angles.get(), 0, tokens - last, parts.From(0).data(), 2),
                POSENC_OK);
      EXPECT_TRUE(AreSame(parts, want));
    }
  });
  EXPECT_EQ(angles.Content(), made) << "angles never change";
}

class RotaryAngles : public PerTarget {
 protected:
  // For a spec in words, with both arithmetics.
  template <class Visit>
  void ForBoth(const std::string& words, const Visit& visit) const {
    for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
      SCOPED_TRACE(words + (arithmetic == POSENC_FAST ? ", fast" : ", exact"));
      posenc_rotary_spec spec = RotarySpecOf(words);
      spec.target = target();
      spec.arithmetic = arithmetic;
      const RotaryPtr rotary = CreateRotary(spec);
      ASSERT_NE(rotary, nullptr);
      visit(rotary.get(), spec);
    }
  }
};

// Position by position and by angle addition, from negative to far ones.
TEST_P(RotaryAngles, RunsOfTokens) {
  std::size_t before_end = 0;
  for (const char* words : {"head_dim=2", "head_dim=22 pairing=neighbours", "head_dim=128 amplitude=1.3465",
                            "head_dim=80 phase_rounding=f32_inv_freq"}) {
    ForBoth(words, [&](const posenc_rotary* rotary, const posenc_rotary_spec&) {
      for (const std::int64_t first : {std::int64_t{-3}, std::int64_t{131071}, POSENC_MAX_POSITION - 20}) {
        for (const std::size_t tokens : {1u, 2u, 19u}) {
          if (IsReference() && tokens > 2) continue;
          const std::vector<std::int64_t> positions = Consecutive(first, tokens);
          MadeAngles angles(rotary, tokens, before_end++ % 5);
          angles.Make(first);
          ExpectTheSameBits(rotary, angles, {POSENC_I64, positions.data()}, tokens);
          if (HasFailure()) return;
        }
      }
    });
  }
}

// Positions of any type, on one axis or on several, in heads of one piece or of several pieces (kMaxPiece).
TEST_P(RotaryAngles, ListsAndAxes) {
  const std::vector<double> doubles = {5.0,   6.0,       0.0,  -7.0, 131071.5, 0x1p31, 1e-9,
                                       -0.0,  0x1p-1074, 12.5, 1e9,  3.0,      3.0,    4.0,
                                       70.25, -1.0,      2.0,  8.0,  9.0,      -1e-3,  6.0};
  std::vector<std::int32_t> integers;
  for (const double position : doubles) integers.push_back(static_cast<std::int32_t>(position / 2));
  std::size_t before_end = 0;
  for (const char* words :
       {"head_dim=66",
        "head_dim=64 rotary_dim=40 rotary_offset=10 axes=3 sections=8:6:6 output_pairing=neighbours",
        "head_dim=20 axis_order=axial axes=3 sections=3:5:2 pairing=neighbours amplitude=0.7",
        "head_dim=24 axes=3 sections=4:4:4 phase_rounding=f32_inv_freq axis_order=interleaved",
        "head_dim=40 phase_rounding=f32_iterated scaling=linear factor=3", "head_dim=2100",
        "head_dim=1030 axes=3 sections=5:505:5", "head_dim=1026 axes=3 sections=511:1:1"}) {
    ForBoth(words, [&](const posenc_rotary* rotary, const posenc_rotary_spec& spec) {
      if (IsReference() && spec.head_dim > 66) return;
      for (const bool are_integers : {false, true}) {
        const posenc_list list = {are_integers ? POSENC_I32 : POSENC_F64,
                                  are_integers ? static_cast<const void*>(integers.data()) : doubles.data()};
        const std::size_t tokens = IsReference() ? 3 : 7;
        MadeAngles angles(rotary, tokens, before_end++ % 5);
        angles.MakeAt(list);
        ExpectTheSameBits(rotary, angles, list, tokens);
        if (HasFailure()) return;
      }
    });
  }
}

// Each thread is a worker of a runtime that rotates some heads of each layer by the step's angles.
TEST_P(RotaryAngles, ManyThreads) {
  constexpr std::size_t kTokens = 2, kDim = 32;
  ForBoth("head_dim=32", [&](const posenc_rotary* rotary, const posenc_rotary_spec&) {
    MadeAngles angles(rotary, kTokens, 0);
    angles.Make(1000);
    TwoTensors<float> want(kTokens, kDim, 0.3);
    ASSERT_EQ(posenc_rotate(rotary, 1000, kTokens, want.heads, 2), POSENC_OK);
    std::vector<std::thread> threads;
    for (int n = 0; n < 4; ++n) {
      threads.emplace_back([&] {
        for (int layer = 0; layer < 10; ++layer) {
          TwoTensors<float> got(kTokens, kDim, 0.3);
          EXPECT_EQ(posenc_rotate_by_angles(rotary, angles.get(), 0, kTokens, got.heads, 2), POSENC_OK);
          EXPECT_TRUE(AreSame(got, want));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
}

// A call that is chosen at random: its spec, and tensors that share a type of source.
class RandomCall {
 public:
  RandomCall(unsigned seed, std::size_t most_elements) : random_(seed) {
    constexpr std::size_t kDims[] = {2, 10, 34, 64, 72, 80, 96, 128, 130, 256, 640, 1100};
    do {
      spec = MakeRotarySpec(kDims[Below(std::size(kDims))]);
      tokens = 1 + Below(5);
    } while (spec.head_dim * tokens > most_elements);
    if (Below(3) == 0) {
      spec.rotary_dim = 2 * (1 + Below(spec.head_dim / 2));
      spec.rotary_offset = Below(spec.head_dim - spec.rotary_dim + 1);
    }
    spec.pairing = kPairings[Below(2)];
    spec.arithmetic = Below(3) == 0 ? POSENC_FAST : POSENC_EXACT;
    if (Below(4) == 0) spec.amplitude = 1.25;
    if (Below(4) == 0) spec.phase_rounding = POSENC_F32_INV_FREQ;
    first = static_cast<std::int64_t>(Below(100000));
    tensors_.resize(1 + Below(3));
    const posenc_type from = AnyType();
    for (Tensor& tensor : tensors_) Choose(from, &tensor);
  }
  RandomCall(const RandomCall&) = delete;
  RandomCall& operator=(const RandomCall&) = delete;

  // The results of rotate(heads, count), which returns a status.
  template <class Rotate>
  std::vector<std::vector<unsigned char>> Results(const Rotate& rotate) const {
    std::vector<std::vector<unsigned char>> results;
    std::vector<posenc_heads> heads;
    for (const Tensor& tensor : tensors_) {
      results.emplace_back(tensor.heads.heads * tokens * spec.head_dim * SizeOf(tensor.heads.type));
      heads.push_back(tensor.heads);
      heads.back().data = results.back().data();
    }
    const posenc_status status = rotate(heads.data(), heads.size());
    EXPECT_EQ(status, POSENC_OK) << posenc_status_message(status);
    return results;
  }

  posenc_rotary_spec spec;
  std::size_t tokens;
  std::int64_t first;

 private:
  struct Tensor {
    posenc_heads heads{};
    posenc_norm norm{};
    posenc_slots slots{};
    std::vector<unsigned char> source, weight;
    std::vector<std::int32_t> list;  // of slots
  };

  static std::size_t SizeOf(posenc_type type) { return type == POSENC_F32 ? 4 : 2; }
  std::size_t Below(std::size_t end) { return static_cast<std::size_t>(random_() % end); }
  posenc_type AnyType() { return internal::kSummands[Below(std::size(internal::kSummands))]; }

  // Numbers of magnitudes 2^-7 to 2^3. If `special`, one in 16 is any number, an infinity or a NaN. (In float
  // arithmetic the bits of NaNs differ between targets.)
  std::vector<unsigned char> Numbers(posenc_type type, std::size_t count, bool special) {
    std::vector<unsigned char> numbers(count * SizeOf(type));
    for (std::size_t k = 0; k < count; ++k) {
      const double any =
          std::ldexp(1.0 + static_cast<double>(Below(1 << 24)) * 0x1p-24, static_cast<int>(Below(10)) - 7);
      std::uint64_t bits = oracle::Pack(type, Below(2) == 0 ? any : -any);
      if (special && Below(16) == 0) bits = random_();
      internal::StoreBits(type, static_cast<std::uint32_t>(bits), &numbers[k * SizeOf(type)]);
    }
    return numbers;
  }

  void Choose(posenc_type from, Tensor* tensor) {
    posenc_heads& heads = tensor->heads;
    heads.source_type = from;
    heads.type = from == POSENC_F32 ? AnyType() : from;
    heads.heads = 1 + Below(6);
    heads.head_stride = spec.head_dim;
    heads.token_stride = heads.source_token_stride = heads.heads * spec.head_dim;
    tensor->source =
        Numbers(from, heads.heads * tokens * spec.head_dim, spec.arithmetic == POSENC_EXACT && Below(2) == 0);
    heads.source = tensor->source.data();
    if (Below(3) == 0) heads.scale = 0.7;
    heads.inverse = Below(4) == 0 ? 1 : 0;
    if (Below(3) == 0) {  // the tokens in another order, and the last one nowhere
      for (std::size_t t = 0; t < tokens; ++t)
        tensor->list.push_back(static_cast<std::int32_t>(tokens - 2 - t));
      tensor->slots = {{POSENC_I32, tensor->list.data()}, tokens, 1, heads.token_stride, heads.token_stride};
      heads.slots = &tensor->slots;
    }
    if (Below(2) == 0) return;
    posenc_norm& norm = tensor->norm;
    norm.epsilon = Below(2) == 0 ? 0.0 : 1e-6;
    norm.over_heads = Below(2) == 0 ? 1 : 0;
    if (Below(4) != 0) {
      norm.weight_type = AnyType();
      tensor->weight = Numbers(norm.weight_type, heads.heads * spec.head_dim, false);
      norm.weight = tensor->weight.data();
      norm.plus_one = Below(2) == 0 ? 1 : 0;
    }
    heads.norm = &norm;
  }

  std::mt19937_64 random_;
  std::vector<Tensor> tensors_;
};

// Combinations of which nobody thought. (One loop once rotated parts of heads, while another place took the
// length of a head for the distance of the arrays that had been made with the angles.)
TEST_P(RotaryAngles, RandomCalls) {
  // The target with the shortest vectors, or none. It is before REFERENCE, which is slow.
  const std::vector<posenc_target> runnable = RunnableTargets();
  const posenc_target plain = runnable[runnable.size() - 2];
  for (unsigned seed = 0; seed < (IsReference() ? 60u : 300u); ++seed) {
    RandomCall call(seed, IsReference() ? 300 : 6000);
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", head_dim " << call.spec.head_dim
                                    << ", arithmetic " << call.spec.arithmetic);
    call.spec.target = plain.name;
    const RotaryPtr other = CreateRotary(call.spec);
    call.spec.target = target();
    const RotaryPtr rotary = CreateRotary(call.spec);
    MadeAngles angles(rotary.get(), call.tokens, seed % 5);
    angles.Make(call.first);
    const auto rotate_by = [&](const posenc_rotary* by) {
      return call.Results([&](const posenc_heads* heads, std::size_t count) {
        return posenc_rotate(by, call.first, call.tokens, heads, count);
      });
    };
    const auto want = rotate_by(other.get());
    EXPECT_TRUE(rotate_by(rotary.get()) == want) << "posenc_rotate, compared with the target " << plain.name;
    const auto got = call.Results([&](const posenc_heads* heads, std::size_t count) {
      return posenc_rotate_by_angles(rotary.get(), angles.get(), 0, call.tokens, heads, count);
    });
    EXPECT_TRUE(got == want) << "posenc_rotate_by_angles";
    if (HasFailure()) return;
  }
}

POSENC_INSTANTIATE_PER_TARGET(RotaryAngles);

// The angles of the next step may be made in the same memory. If that fails, the old ones stay.
TEST(AnglesMemory, IsUsedAgain) {
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(16));
  MadeAngles angles(rotary.get(), 2, 0);
  angles.Make(4);
  const std::vector<unsigned char> first = angles.Content();
  angles.Make(6);
  EXPECT_NE(angles.Content(), first);
  const double positions[2] = {1.0, 0x1.8p31};
  const posenc_list list = {POSENC_F64, positions};
  std::size_t bad = 9;
  std::vector<double> memory(1000, 1.0);
  const std::vector<double> before = memory;
  posenc_angles* made = nullptr;
  EXPECT_EQ(posenc_angles_make_at(rotary.get(), &list, 2, memory.data(), 8000, &made, &bad),
            Refusal(rule::token_position_range));
  EXPECT_EQ(bad, 1u);
  EXPECT_EQ(made, nullptr);
  EXPECT_EQ(memory, before);
}

TEST(AnglesMemory, IsNeitherCopiedNorShort) {
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(16));
  std::size_t bytes = 0;
  ASSERT_EQ(posenc_angles_memory_size(rotary.get(), 2, &bytes), POSENC_OK);
  alignas(128) static unsigned char memory[16384], copy[16384];
  ASSERT_LE(bytes, sizeof(memory) - 128);
  posenc_angles* angles = nullptr;
  // At an aligned address less is enough, at the address behind it nothing less is.
  EXPECT_EQ(posenc_angles_make(rotary.get(), 5, 2, memory, bytes - 127, &angles), POSENC_OK);
  EXPECT_EQ(static_cast<void*>(angles), memory);
  EXPECT_EQ(posenc_angles_make(rotary.get(), 5, 2, memory, bytes - 128, &angles),
            Refusal(rule::small_angles));
  EXPECT_EQ(posenc_angles_make(rotary.get(), 5, 2, memory + 1, bytes - 1, &angles),
            Refusal(rule::small_angles));
  EXPECT_EQ(static_cast<void*>(angles), memory);

  std::memcpy(copy, memory, sizeof(copy));
  std::vector<float> x(2 * 16, 1.0f);
  const posenc_heads heads = DenseHeads(x.data(), 1, 16);
  EXPECT_EQ(posenc_rotate_by_angles(rotary.get(), reinterpret_cast<posenc_angles*>(copy), 0, 2, &heads, 1),
            Refusal(rule::angles_moved));
  EXPECT_EQ(x, std::vector<float>(2 * 16, 1.0f));
  EXPECT_EQ(posenc_rotate_by_angles(rotary.get(), angles, 0, 2, &heads, 1), POSENC_OK);
  EXPECT_NE(x, std::vector<float>(2 * 16, 1.0f));
}

// Another rotary is refused, even if it was made from the same spec.
TEST(AnglesMemory, BelongsToOneRotary) {
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(16)), other = CreateRotary(MakeRotarySpec(16));
  MadeAngles angles(rotary.get(), 2, 0);
  angles.Make(5);
  std::vector<float> x(2 * 16, 1.0f);
  const posenc_heads heads = DenseHeads(x.data(), 1, 16);
  EXPECT_EQ(posenc_rotate_by_angles(other.get(), angles.get(), 0, 2, &heads, 1),
            Refusal(rule::angles_rotary));
  EXPECT_EQ(x, std::vector<float>(2 * 16, 1.0f));
  const auto* inside = reinterpret_cast<const unsigned char*>(rotary.get());
  posenc_angles* made = nullptr;
  EXPECT_EQ(posenc_angles_make(rotary.get(), 5, 2, const_cast<unsigned char*>(inside), 4096, &made),
            Refusal(rule::overlap_angles_memory));
  EXPECT_EQ(posenc_rotate_by_angles(rotary.get(), angles.get(), 0, 2, &heads, 1), POSENC_OK);
}

// Memory for angles must not overlap any byte of the rotary, which may be in memory of the caller.
TEST(AnglesMemory, IsOutsideOfTheRotary) {
  const posenc_rotary_spec spec = MakeRotarySpec(16);
  std::size_t size = 0;
  ASSERT_EQ(posenc_rotary_memory_size(&spec, &size), POSENC_OK);
  const std::size_t block = size - 127;  // what a rotary takes at an aligned address
  struct alignas(128) Line {
    unsigned char bytes[128];
  };
  std::vector<Line> lines(block / 128 + 64);
  unsigned char* const begin = lines.front().bytes;
  posenc_rotary* rotary = nullptr;
  ASSERT_EQ(posenc_rotary_create_in(&spec, begin, block, &rotary), POSENC_OK);
  posenc_angles* angles = nullptr;
  const std::size_t bytes = 4096;
  for (const std::size_t at : {std::size_t{0}, std::size_t{128}, block / 2, block - 1}) {
    EXPECT_EQ(posenc_angles_make(rotary, 5, 2, begin + at, bytes, &angles),
              Refusal(rule::overlap_angles_memory))
        << at << " of " << block;
  }
  EXPECT_EQ(posenc_angles_make(rotary, 5, 2, begin + block, bytes, &angles), POSENC_OK);
}

// Angles are as large as the header says.
TEST(AnglesMemory, SizeOfAToken) {
  for (const char* words : {"head_dim=128", "head_dim=128 arithmetic=fast",
                            "head_dim=128 arithmetic=fast axes=2 sections=32:32"}) {
    const RotaryPtr rotary = CreateRotary(RotarySpecOf(words));
    std::size_t one = 0, two = 0;
    ASSERT_EQ(posenc_angles_memory_size(rotary.get(), 1, &one), POSENC_OK);
    ASSERT_EQ(posenc_angles_memory_size(rotary.get(), 2, &two), POSENC_OK);
    EXPECT_LE(two - one, 4160u) << words;
  }
}

}  // namespace
}  // namespace posenc
