#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "command/require.h"
#include "command/specs.h"
#include "verify/rotary_cases.h"

namespace posenc {
namespace tools {
namespace {

// Heads enough that the oracle's cosines and sines serve many.
constexpr std::size_t kHeads = 64, kDim = 128;

// |p| < 2^bits, half of them in runs of 8; from 0 on if bits is 0.
void SetPositions(std::size_t count, int bits, std::mt19937_64* random, RotaryCase* c) {
  c->rows = count;
  if (bits == 0) return;
  c->list = POSENC_F64;
  for (std::size_t r = 0; r < count * c->spec.axes; ++r) {
    if (r % 16 > 8) {
      c->positions.push_back(c->positions.back() + 1.0);
      continue;
    }
    const auto magnitude = static_cast<double>((*random)() >> (64 - bits));
    const double position = (*random)() % 2 == 0 ? magnitude : -magnitude;
    c->positions.push_back(r % 16 == 8 ? std::min(position, std::ldexp(1.0, bits) - 8.0) : position);
  }
}

// Every position below 2^20, as a run; random ones, others on each axis, as a list: only that tells orders of
// axes apart.
Group CacheArea(const posenc_rotary_spec& spec, std::mt19937_64* random) {
  RotaryCase c;
  c.spec = spec;
  c.call = RotaryCall::kWriteCache;
  SetPositions(std::size_t{1} << 20, 0, random, &c);
  Group area{"cache, " + Describe(spec), {}};
  if (spec.axis_order == POSENC_CONSECUTIVE_AXES) area.subjects.push_back(AreaOf(c));
  SetPositions(std::size_t{1} << 14, 20, random, &c);
  area.subjects.push_back(AreaOf(c));
  return area;
}

}  // namespace

// 1.1 thousand million elements of each type, each way. Those that go to wide arithmetic are fewer.
std::vector<Group> RotaryAreas(std::uint64_t seed) {
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
  std::mt19937_64 random(seed);
  std::vector<Group> areas;
  for (const Area& area : kAreas) {
    RotaryCase c;
    Require(posenc_rotary_spec_preset(&c.spec, sizeof(c.spec), area.preset, kDim));
    c.q_heads = kHeads;
    c.k_heads = 0;
    c.inputs = area.inputs;
    c.seed = static_cast<std::uint32_t>(random());
    SetPositions(area.tokens, area.bits, &random, &c);
    areas.push_back({std::string("rotation, ") + area.preset + ", " + area.name, {AreaOf(c)}});
  }
  for (const posenc_rotary_spec& spec : EveryScaling()) areas.push_back(CacheArea(spec, &random));
  return areas;
}

}  // namespace tools
}  // namespace posenc
