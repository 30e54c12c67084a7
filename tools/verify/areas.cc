#include "number/exact.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "command/require.h"
#include "posenc/models_c.h"
#include "verify/cases.h"
#include "verify/rows.h"

namespace posenc {
namespace tools {
namespace {

void AppendAreas(const std::vector<const char*>& rows, std::vector<Group>* areas) {
  std::vector<Case> cases;
  AppendRows(rows, 0, &cases);
  for (const Case& c : cases) areas->push_back({"", {c}});
}

// Usual dims, any base from 2 to 2^24, every layout.
Case RandomRun(std::int64_t middle, std::mt19937_64* random) {
  constexpr std::int64_t kAround = 1 << 20, kRows = 1024;
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>((*random)() % end); };
  Case run;
  run.rows = kRows;
  run.first = middle - kAround + below(2 * kAround);
  run.first = std::clamp<std::int64_t>(run.first, -POSENC_MAX_POSITION, POSENC_MAX_POSITION + 1 - kRows);
  run.encoder.base = std::exp2(1.0 + 23.0 * std::ldexp(static_cast<double>((*random)() >> 11), -53));
  run.encoder.dim = static_cast<std::size_t>(2 + below(255));
  run.encoder.layout = static_cast<posenc_layout>(below(3));
  return run;
}

void AppendEncodings(std::uint64_t seed, std::vector<Group>* areas) {
  AppendAreas(
      {"{dim=512|dim=128 base=500000,1e7} at=0..15,0..511", "dim=512 at=0..16383 phase_rounding=f32_pow_div"},
      areas);
  std::mt19937_64 random(seed);
  const auto around = [&](const char* name, std::int64_t middle) {
    Group area{std::string("random runs around ") + name, {}};
    for (int k = 0; k < 512; ++k) area.cases.push_back(RandomRun(middle, &random));
    areas->push_back(area);
  };
  around("0", 0);
  around("2^24", std::int64_t{1} << 24);
  around("-2^24", -(std::int64_t{1} << 24));
  around("2^31", POSENC_MAX_POSITION);
  around("-2^31", -POSENC_MAX_POSITION);
  AppendAreas({"dim=64 base=10000,500000 at=2146435073..2147483648",
               "base=1e7,7.25,0.5,1 {dim=64 at=2146435073..2147483648|dim=128 at=0..1048575}",
               "dim=1024,768 at=0..1048575", "dim=128 base=10000,500000,1e6 at=0..16777215"},
              areas);
}

// |p| < 2^bits, half of them in runs of 8; from 0 on if bits is 0.
void SetPositions(std::size_t count, int bits, std::mt19937_64* random, Case* c) {
  c->rows = count;
  if (bits == 0) return;
  c->list = POSENC_F64;
  for (std::size_t r = 0; r < count * c->axes(); ++r) {
    if (r % 16 > 8) {
      c->positions.push_back(c->positions.back() + 1.0);
      continue;
    }
    const auto magnitude = static_cast<double>((*random)() >> (64 - bits));
    const double position = (*random)() % 2 == 0 ? magnitude : -magnitude;
    c->positions.push_back(r % 16 == 8 ? std::min(position, std::ldexp(1.0, bits) - 8.0) : position);
  }
}

// 1.1 thousand million elements of each type, each way. Those that go to wide arithmetic are fewer. 64 heads
// share the oracle's cosines and sines.
void AppendRotations(std::mt19937_64* random, std::vector<Group>* areas) {
  struct Area {
    const char* name;
    const char* preset;
    Inputs inputs;
    int bits;  // of positions
    std::size_t tokens;
  };
  constexpr Area kAreas[] = {
      {"elements of usual sizes, from 0 on", "llama", Inputs::kNormal, 0, 32768},
      {"elements of usual sizes, |p| < 2^20", "llama3", Inputs::kNormal, 20, 32768},
      {"elements of usual sizes, |p| < 2^31", "yarn_qwen2_5", Inputs::kNormal, 31, 16384},
      {"any finite elements, |p| < 2^31", "qwen2", Inputs::kAny, 31, 16384},
      {"tiny, subnormal and zero elements, |p| < 2^24", "qwen2", Inputs::kTiny, 24, 16384},
      {"elements around the largest, |p| < 2^17", "telechat3", Inputs::kLarge, 17, 16384},
      {"elements that cancel, from 0 on", "llama3", Inputs::kCancelling, 0, 2048},
      {"elements that cancel, |p| < 2^31", "gpt_oss", Inputs::kCancelling, 31, 2048},
      {"results next to the middle, |p| < 2^17", "llama", Inputs::kMiddle, 17, 2048}};
  for (const Area& area : kAreas) {
    Case c;
    c.operation = Operation::kRotate;
    Require(posenc_rotary_spec_preset(&c.rotary, sizeof(c.rotary), area.preset, 128));
    c.q_heads = 64;
    c.k_heads = 0;
    c.inputs = area.inputs;
    c.seed = static_cast<std::uint32_t>((*random)());
    SetPositions(area.tokens, area.bits, random, &c);
    areas->push_back({std::string("rotation, ") + area.preset + ", " + area.name, {c}});
  }
}

// Each scaling, each variant of one that has other constants, a list, and each order of axes. Every position
// below 2^20, as a run; random ones, others on each axis, as a list: only that tells orders of axes apart.
void AppendCaches(std::mt19937_64* random, std::vector<Group>* areas) {
  std::vector<Case> cases;
  AppendRows(
      {"operation=cache head_dim=16 {length=40000 original_length=8192 proportion=0.3 factor=3.7 $scalings"
       "|scaling=none"
       "|scaling=yarn factor=16 original_length=4096 truncate=0 mscale=0.707 mscale_all_dim=0.3 beta_fast=24"
       "|$longrope length=4096,131072|$frequency_factors|factor=8 original_length=512 frequencies=signed_64"
       "|factor=8 original_length=1024 {scaling=yarn {axis_order=consecutive,interleaved,alternating "
       "sections=4/2/2|axis_order=split sections=3/3/2|axis_order=axial sections=4/2/2"
       "|axis_order=imrope sections=3/3/2}}"
       "|axis_order=summed axes=2 "
       "frequencies=0.3/1/0.001/7/-0.3/-0x1.fffffep-1/0.002/-7/11/-0.5/0.75/-0.1/0/1/2/-2"
       "|scaling=llama3 factor=3.7 original_length=8192 high_freq_factor=3}"},
      0, &cases);
  for (Case& c : cases) {
    Group area;
    SetPositions(std::size_t{1} << 20, 0, random, &c);
    if (c.rotary.axis_order == POSENC_CONSECUTIVE_AXES) area.cases.push_back(c);
    SetPositions(std::size_t{1} << 14, 20, random, &c);
    area.cases.push_back(c);
    areas->push_back(area);
  }
}

}  // namespace

std::vector<Group> FullAreas(std::uint64_t seed) {
  std::vector<Group> areas;
  AppendEncodings(seed, &areas);
  std::mt19937_64 random(seed);
  AppendRotations(&random, &areas);
  AppendCaches(&random, &areas);
  return areas;
}

}  // namespace tools
}  // namespace posenc
