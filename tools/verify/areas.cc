#include "number/exact.h"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <utility>

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

// A seed for the random numbers of the case or group with this name. It depends only on the name and on
// `seed`, so that other cases may be added or removed.
std::uint32_t SeedOf(std::uint64_t seed, const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325u ^ seed;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

// A random case: 1024 rows at a random position near `middle`, with a random dim from 2 to 256, base from 2
// to 2^24, and layout.
Case RandomRun(std::int64_t middle, std::mt19937_64* random) {
  constexpr std::int64_t kAround = 1 << 20, kRows = 1024;
  constexpr const char* kLayouts[] = {"interleaved", "sin_cos", "cos_sin"};
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>((*random)() % end); };
  const std::int64_t first = std::clamp<std::int64_t>(middle - kAround + below(2 * kAround),
                                                      -POSENC_MAX_POSITION, POSENC_MAX_POSITION + 1 - kRows);
  const double base = std::exp2(1.0 + 23.0 * std::ldexp(static_cast<double>((*random)() >> 11), -53));
  const auto dim = static_cast<int>(2 + below(255));
  const char* layout = kLayouts[below(3)];
  char row[128];
  std::snprintf(row, sizeof(row), "dim=%d base=%.17g layout=%s at=%" PRId64 "..%" PRId64, dim, base, layout,
                first, first + kRows - 1);
  std::vector<Case> made;
  AppendRows({row}, 0, &made);
  return made.front();
}

void AppendEncodings(std::uint64_t seed, std::vector<Group>* areas) {
  AppendAreas(
      {"{dim=512|dim=128 base=500000,1e7} at=0..15,0..511", "dim=512 at=0..16383 phase_rounding=f32_pow_div"},
      areas);
  const auto around = [&](const char* name, std::int64_t middle) {
    Group area{std::string("random runs around ") + name, {}};
    std::mt19937_64 random(SeedOf(seed, area.name));
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

// Gives the case `count` positions: random ones with |p| < 2^bits, half of which are consecutive, in runs
// of 8. If bits is 0, the positions are 0, 1, 2 ...
void SetPositions(std::uint64_t seed, std::size_t count, int bits, Case* c) {
  c->rows = count;
  c->list = {};
  c->positions.clear();
  if (bits == 0) {
    c->Label("at", "0.." + std::to_string(count - 1));
    return;
  }
  const std::uint32_t own = SeedOf(seed, c->label);
  c->Label("at", "random/" + std::to_string(count) + "/" + std::to_string(bits) + "/" + std::to_string(own));
  std::mt19937_64 random(own);
  c->list = POSENC_F64;
  for (std::size_t r = 0; r < count * c->axes(); ++r) {
    if (r % 16 > 8) {
      c->positions.push_back(c->positions.back() + 1.0);
      continue;
    }
    const auto magnitude = static_cast<double>(random() >> (64 - bits));
    const double position = random() % 2 == 0 ? magnitude : -magnitude;
    c->positions.push_back(r % 16 == 8 ? std::min(position, std::ldexp(1.0, bits) - 8.0) : position);
  }
}

// Rotations of 1.1 thousand million elements in each type, with each pairing. There are fewer of the elements
// that need wide arithmetic. With 64 heads the oracle computes each cosine and sine only once for 64 pairs.
void AppendRotations(std::uint64_t seed, std::vector<Group>* areas) {
  struct Area {
    const char* name;
    const char* spec;  // other members than head_dim
    const char* inputs;
    int bits;  // the argument of SetPositions
    std::size_t tokens;
  };
  static constexpr char kLlama3[] = " base=500000 scaling=llama3 factor=8 original_length=8192";
  constexpr Area kAreas[] = {
      {"elements of usual sizes, from 0 on", "", "normal", 0, 32768},
      {"elements of usual sizes, |p| < 2^20", kLlama3, "normal", 20, 32768},
      {"elements of usual sizes, |p| < 2^31", " base=1e6 scaling=yarn factor=4 original_length=32768",
       "normal", 31, 16384},
      {"any finite elements, |p| < 2^31", " base=1e6", "any", 31, 16384},
      {"tiny, subnormal and zero elements, |p| < 2^24", " base=1e6", "tiny", 24, 16384},
      {"elements around the largest, |p| < 2^17",
       " base=1e6 scaling=yarn factor=4 original_length=8192 mscale=0.7", "large", 17, 16384},
      {"elements that cancel, from 0 on", kLlama3, "cancelling", 0, 2048},
      {"elements that cancel, |p| < 2^31",
       " base=150000 scaling=yarn factor=32 original_length=4096 truncate=0", "cancelling", 31, 2048},
      {"results next to the middle, |p| < 2^17", "", "middle", 17, 2048}};
  for (const Area& area : kAreas) {
    const std::string spec = std::string("head_dim=128") + area.spec;
    const std::string row = "operation=rotate q_heads=64 k_heads=0 " + spec + " inputs=" + area.inputs;
    std::vector<Case> made;
    AppendRows({row.c_str()}, SeedOf(seed, row), &made);
    SetPositions(seed, area.tokens, area.bits, &made.front());
    areas->push_back({"rotation, " + spec + ", " + area.name, std::move(made)});
  }
}

// 1.1 thousand million normalized and rotated elements: usual ones with each kind of mean, and elements whose
// n_i are midpoints, next to midpoints, subnormal or infinite. With frequency 0 the results are n_i.
void AppendNorms(std::uint64_t seed, std::vector<Group>* areas) {
  struct Area {
    const char* name;
    const char* norm;
    int bits;  // the argument of SetPositions
    std::size_t tokens;
  };
  constexpr Area kAreas[] = {
      {"means of heads, usual elements", "norm=head inputs=normal epsilon=1e-6", 20, 8192},
      {"means of tokens, usual elements", "norm=token inputs=normal epsilon=1e-5 weight_type=bf16", 20, 4096},
      {"1 + weight, usual elements", "norm=head inputs=normal plus_one=1 weight_type=bf16", 31, 4096},
      {"means of heads, any finite elements", "norm=head inputs=any weights=any epsilon=0", 17, 1024},
      {"tiny, subnormal and zero elements", "norm=head inputs=tiny epsilon=0x1p-126 weights=tiny", 17, 1024},
      {"elements around the largest", "norm=token inputs=large weights=normal epsilon=0", 17, 1024},
      {"equal magnitudes, midpoints of weights",
       "norm=head frequencies=0 norm_inputs=equal weights=halves plus_one=1 epsilon=0", 0, 1024},
      {"midpoints", "norm=head frequencies=0 norm_inputs=ties weights=digits epsilon=0", 0, 1024},
      {"midpoints of means of tokens",
       "norm=token frequencies=0 norm_inputs=ties weights=tiny_digits epsilon=0", 0, 512},
      {"next to midpoints", "norm=head frequencies=0 norm_inputs=beside weights=halves plus_one=1 epsilon=0",
       0, 1024},
      {"next to midpoints by an epsilon",
       "norm=head frequencies=0 norm_inputs=ties weights=digits epsilon=0x1p-126", 0, 1024}};
  for (const Area& area : kAreas) {
    const std::string row =
        std::string("operation=rotate q_heads=64 k_heads=0 head_dim=128 base=1e6 ") + area.norm;
    std::vector<Case> made;
    AppendRows({row.c_str()}, SeedOf(seed, row), &made);
    SetPositions(seed, area.tokens, area.bits, &made.front());
    areas->push_back({std::string("norm and rotation, ") + area.name, std::move(made)});
  }
}

// Caches with each scaling, each variant of a scaling that has other constants, a list of frequencies, and
// each order of axes. A run has every position below 2^20. A list has random positions, which differ between
// axes: only such positions show in which order the axes are.
void AppendCaches(std::uint64_t seed, std::vector<Group>* areas) {
  std::vector<Case> cases;
  AppendRows(
      {"operation=cache head_dim=16 {length=40000 original_length=8192 proportion=0.3 factor=3.7 $scalings"
       "|scaling=none"
       "|scaling=yarn factor=16 original_length=4096 truncate=0 mscale=0.707 mscale_all_dim=0.3 beta_fast=24"
       "|$longrope length=4096,131072|$frequency_factors|factor=8 original_length=512 frequencies=signed_64"
       "|factor=8 original_length=1024 {scaling=yarn {axis_order=consecutive,interleaved,alternating "
       "sections=4:2:2|axis_order=split sections=3:3:2|axis_order=axial sections=4:2:2"
       "|axis_order=imrope sections=3:3:2}}"
       "|scaling=llama3 factor=3.7 original_length=8192 high_freq_factor=3}"},
      0, &cases);
  for (Case& c : cases) {
    Group area{c.label, {}};
    SetPositions(seed, std::size_t{1} << 20, 0, &c);
    if (c.rotary.axis_order == POSENC_CONSECUTIVE_AXES) area.cases.push_back(c);
    SetPositions(seed, std::size_t{1} << 14, 20, &c);
    area.cases.push_back(c);
    areas->push_back(area);
  }
}

}  // namespace

std::vector<Group> FullAreas(std::uint64_t seed) {
  std::vector<Group> areas;
  AppendEncodings(seed, &areas);
  AppendRotations(seed, &areas);
  AppendNorms(seed, &areas);
  AppendCaches(seed, &areas);
  return areas;
}

}  // namespace tools
}  // namespace posenc
