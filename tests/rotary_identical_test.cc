// Results have the same bits for every split of the tokens. (calls_memory_test.cc tests every order of heads
// and tokens.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "rotary_cases.h"

namespace posenc {
namespace {

constexpr std::size_t kHeads = 3;
constexpr std::int64_t kFirst = 131000;

class RotaryIdentical : public PerTarget {
 protected:
  std::size_t tokens() const { return IsReference() ? 12 : 150; }

  // Numbers [tokens, kHeads, head_dim]. Some are hard to rotate.
  template <class T>
  std::vector<T> Numbers(std::size_t head_dim) const {
    PairMaker<T> maker(12);
    std::vector<T> x;
    for (std::size_t k = 0; k < tokens() * kHeads * head_dim / 2; ++k) {
      const double angle = static_cast<double>(k % 70);
      const Rotated<T> pair = maker.Make(k + k / 50, std::cos(angle), std::sin(angle), 1.0);
      x.push_back(pair.x);
      x.push_back(pair.y);
    }
    return x;
  }

  template <class T>
  static posenc_heads Heads(T* data, std::size_t heads, std::size_t token_stride, std::size_t head_stride) {
    posenc_heads of{};
    of.type = TypeOf<T>();
    of.data = data;
    of.heads = heads;
    of.token_stride = token_stride;
    of.head_stride = head_stride;
    return of;
  }

  template <class T>
  static void Rotate(const RotaryPtr& rotary, std::int64_t first, std::size_t tokens,
                     const posenc_heads* heads, std::size_t count = 1) {
    ASSERT_EQ(posenc_rotate(rotary.get(), first, tokens, heads, count), POSENC_OK);
  }

  // Calls visit(rotary, head_dim) for both arithmetics, both pairings, and rounded phases.
  template <class Visit>
  void ForRotaries(const Visit& visit) const {
    for (const std::size_t dim : {10u, 64u, 80u}) {
      for (const posenc_arithmetic arithmetic : {POSENC_EXACT, POSENC_FAST}) {
        for (const auto& [from, to] :
             {std::pair<posenc_pairing, posenc_pairing>{POSENC_HALF_SPLIT, POSENC_HALF_SPLIT},
              {POSENC_NEIGHBOURS, POSENC_NEIGHBOURS},
              {POSENC_NEIGHBOURS, POSENC_HALF_SPLIT}}) {
          posenc_rotary_spec spec = MakeRotarySpec(dim, target());
          spec.arithmetic = arithmetic;
          spec.pairing = from;
          spec.output_pairing = to;
          if (dim == 10) spec.phase_rounding = POSENC_F32_INV_FREQ;
          visit(CreateRotary(spec), dim);
        }
      }
    }
  }
};

TEST_P(RotaryIdentical, AnySplitOfTheTokens) {
  std::mt19937 random(1);
  ForRotaries([&](const RotaryPtr& rotary, std::size_t dim) {
    ForEachType([&](auto element) {
      using T = decltype(element);
      const std::vector<T> x = Numbers<T>(dim);
      std::vector<T> want = x;
      posenc_heads heads = Heads(want.data(), kHeads, kHeads * dim, dim);
      Rotate<T>(rotary, kFirst, tokens(), &heads);
      for (const std::size_t longest : {std::size_t{1}, std::size_t{5}, std::size_t{100}}) {
        std::vector<T> parts = x;
        for (std::size_t t = 0; t < tokens();) {
          const std::size_t count = std::min<std::size_t>(tokens() - t, 1 + random() % longest);
          heads = Heads(&parts[t * kHeads * dim], kHeads, kHeads * dim, dim);
          Rotate<T>(rotary, kFirst + static_cast<std::int64_t>(t), count, &heads);
          t += count;
        }
        EXPECT_TRUE(SameBits(parts, want)) << "head_dim " << dim << ", parts <= " << longest;
      }
      // Position by position, from the last to the first.
      std::vector<std::int64_t> positions = Consecutive(kFirst, tokens());
      std::reverse(positions.begin(), positions.end());
      std::vector<T> turned(x.size());
      heads = Heads(turned.data(), kHeads, kHeads * dim, dim);
      std::vector<T> source;
      for (std::size_t t = tokens(); t-- > 0;) {
        source.insert(source.end(), &x[t * kHeads * dim], &x[t * kHeads * dim] + kHeads * dim);
      }
      heads.source = source.data();
      ASSERT_EQ(posenc_rotate_at(rotary.get(), PointerTo(List(POSENC_I64, positions.data())), tokens(),
                                 &heads, 1, nullptr),
                POSENC_OK);
      for (std::size_t t = 0; t < tokens(); ++t) {
        ASSERT_TRUE(
            SameBits(&turned[(tokens() - 1 - t) * kHeads * dim], &want[t * kHeads * dim], kHeads * dim))
            << t;
      }
    });
  });
}

// Rotating by p and then by -p restores the elements, except for rounding errors. So `inverse` really is the
// inverse.
TEST_P(RotaryIdentical, BackAndForth) {
  const RotaryPtr rotary = CreateRotary(MakeRotarySpec(64, target()));
  PairMaker<float> maker(3);
  std::vector<float> x(tokens() * 64);
  for (float& value : x) value = maker.Normal(-1, 1);
  std::vector<float> y = x;
  posenc_heads heads = Heads(y.data(), 1, 64, 64);
  heads.scale = 4.0;
  Rotate<float>(rotary, kFirst, tokens(), &heads);
  heads.scale = 0.25;
  heads.inverse = 1;
  Rotate<float>(rotary, kFirst, tokens(), &heads);
  for (std::size_t k = 0; k < x.size(); ++k) ASSERT_NEAR(y[k], x[k], 2e-6f);
}

POSENC_INSTANTIATE_PER_TARGET(RotaryIdentical);

}  // namespace
}  // namespace posenc
