// The errors of other engines' phase roundings, in the sine at long contexts. It prints the table in
// docs/rotary-figures.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "posenc/rotary.h"

namespace posenc {
namespace {

constexpr std::size_t kHeadDim = 128, kPairs = kHeadDim / 2, kLast = 256;

// Cosines and sines at the last `count` positions up to `last`, as doubles.
std::vector<double> Turns(double base, posenc_phase_rounding rounding, std::int64_t last, std::size_t count) {
  RotarySpec spec;
  spec.head_dim = kHeadDim;
  spec.base = base;
  spec.phase_rounding = rounding;
  Rotary rotary;
  EXPECT_EQ(Rotary::Create(spec, &rotary), POSENC_OK);
  std::vector<double> turns(count * kHeadDim);
  const posenc_cache cache = {POSENC_CACHE_COS_SIN, POSENC_F64, turns.data(), nullptr, kHeadDim};
  const auto first = last - static_cast<std::int64_t>(count) + 1;
  EXPECT_EQ(posenc_write_cache(rotary.get(), first, count, &cache), POSENC_OK);
  return turns;
}

double WorstSine(const std::vector<double>& got, const std::vector<double>& exact) {
  double worst = 0.0;
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (k % kHeadDim >= kPairs) worst = std::max(worst, std::fabs(got[k] - exact[k]));
  }
  return worst;
}

struct Engine {
  const char* name;
  posenc_phase_rounding rounding;
  double least, most;  // bounds of the errors at 131071; they grow in proportion to the position
};

TEST(RotaryErrors, OfRoundedPhasesGrowWithThePosition) {
  constexpr Engine kEngines[] = {{"f32_inv_freq (transformers, vLLM)", POSENC_F32_INV_FREQ, 1e-3, 2e-2},
                                 {"f32_iterated (ggml)", POSENC_F32_ITERATED, 2e-3, 4e-2},
                                 {"f32_exp (MLX)", POSENC_F32_EXP, 1e-3, 4e-2},
                                 {"f64_inv_freq (gemma.cpp)", POSENC_F64_INV_FREQ, 1e-3, 2e-2}};
  std::printf(
      "| phases | base | at 131071 | at 130816 .. 131071 | at 1048575 | at 1048320 .. 1048575 "
      "|\n|---|---|---|---|---|---|\n");
  for (const Engine& engine : kEngines) {
    for (const double base : {1e4, 5e5, 1e6}) {
      std::printf("| %s | %g |", engine.name, base);
      for (const std::int64_t last : {131071, 1048575}) {
        for (const std::size_t count : {std::size_t{1}, kLast}) {
          const double error = WorstSine(Turns(base, engine.rounding, last, count),
                                         Turns(base, POSENC_NO_PHASE_ROUNDING, last, count));
          const double grown = static_cast<double>(last) / 131071;
          EXPECT_GT(error, engine.least * grown) << engine.name << ", base " << base << ", " << last;
          EXPECT_LT(error, engine.most * grown) << engine.name << ", base " << base << ", " << last;
          std::printf(" %.1e |", error);
        }
      }
      std::printf("\n");
    }
  }
}

// Exact sines are only rounded to float. The error is half a unit in the last place of a float below 1.
TEST(RotaryErrors, OfExactPhasesDoNot) {
  for (const double base : {1e4, 5e5, 1e6}) {
    for (const std::int64_t last : {std::int64_t{131071}, std::int64_t{1048575}, POSENC_MAX_POSITION}) {
      const std::vector<double> exact = Turns(base, POSENC_NO_PHASE_ROUNDING, last, kLast);
      std::vector<double> rounded(exact.size());
      std::transform(exact.begin(), exact.end(), rounded.begin(),
                     [](double x) { return static_cast<double>(static_cast<float>(x)); });
      EXPECT_LE(WorstSine(rounded, exact), 0x1p-25);
    }
  }
}

}  // namespace
}  // namespace posenc
