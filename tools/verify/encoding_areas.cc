#include <algorithm>
#include <cmath>
#include <random>
#include <utility>

#include "command/specs.h"
#include "verify/encoding_cases.h"

namespace posenc {
namespace tools {
namespace {

Group MakeArea(const EncodingCase& run) {
  const auto end = run.first + static_cast<std::int64_t>(run.rows);
  return {Describe(run.spec) + ", " + std::to_string(run.first) + " <= p < " + std::to_string(end),
          {AreaOf(run)}};
}

// Usual dims, any base from 2 to 2^24, every layout.
EncodingCase RandomRun(std::int64_t middle, std::mt19937_64* random) {
  constexpr std::size_t kRows = 1024;
  constexpr std::int64_t kAround = 1 << 20;
  const auto below = [&](std::uint64_t end) { return static_cast<std::int64_t>((*random)() % end); };
  std::int64_t first = middle - kAround + below(2 * kAround);
  first = std::min(std::max(first, -kMaxPosition), kMaxPosition + 1 - static_cast<std::int64_t>(kRows));
  const double base = std::exp2(1.0 + 23.0 * std::ldexp(static_cast<double>((*random)() >> 11), -53));
  EncodingCase run = MakeRun(static_cast<std::size_t>(2 + below(255)), first, kRows, base);
  run.spec.layout = static_cast<Layout>(below(3));
  return run;
}

Group RandomArea(const std::string& name, std::int64_t middle, std::mt19937_64* random) {
  constexpr int kRuns = 512;
  Group area{"random runs around " + name, {}};
  for (int i = 0; i < kRuns; ++i) area.subjects.push_back(AreaOf(RandomRun(middle, random)));
  return area;
}

}  // namespace

std::vector<Group> EncodingAreas(std::uint64_t seed) {
  constexpr std::size_t kMillion = std::size_t{1} << 20;
  std::vector<Group> areas;
  for (const auto& [base, dim] : {std::pair(10000.0, 512), std::pair(500000.0, 128), std::pair(1e7, 128)}) {
    for (const std::size_t rows : {std::size_t{16}, std::size_t{512}}) {
      areas.push_back(MakeArea(MakeRun(static_cast<std::size_t>(dim), 0, rows, base)));
    }
  }
  EncodingCase rounded = MakeRun(512, 0, 1 << 14);
  rounded.spec.phase_rounding = PhaseRounding::kF32PowDiv;
  areas.push_back(MakeArea(rounded));

  std::mt19937_64 random(seed);
  areas.push_back(RandomArea("0", 0, &random));
  areas.push_back(RandomArea("2^24", std::int64_t{1} << 24, &random));
  areas.push_back(RandomArea("-2^24", -(std::int64_t{1} << 24), &random));
  areas.push_back(RandomArea("2^31", kMaxPosition, &random));
  areas.push_back(RandomArea("-2^31", -kMaxPosition, &random));

  for (const double base : {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0}) {
    areas.push_back(MakeArea(MakeRun(64, kMaxPosition + 1 - (1 << 20), kMillion, base)));
    if (base != 10000.0 && base != 500000.0) areas.push_back(MakeArea(MakeRun(128, 0, kMillion, base)));
  }
  areas.push_back(MakeArea(MakeRun(1024, 0, kMillion)));
  areas.push_back(MakeArea(MakeRun(768, 0, kMillion)));
  for (const double base : {10000.0, 500000.0, 1e6}) {
    areas.push_back(MakeArea(MakeRun(128, 0, 16 * kMillion, base)));
  }
  return areas;
}

}  // namespace tools
}  // namespace posenc
