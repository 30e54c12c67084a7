// The cases of accuracy_test.cc: frequencies and positions at which rounding is hard, or an instruction set
// may go wrong.
#include "accuracy_cases.h"

#include <iterator>
#include <random>
#include <utility>

namespace posenc {
namespace {

constexpr double kBases[] = {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0};

Block MakeRun(const Spec& spec, std::int64_t first, std::size_t rows) {
  Block block{spec, {}, true, {}};
  for (std::size_t r = 0; r < rows; ++r) block.positions.push_back(first + static_cast<std::int64_t>(r));
  return block;
}

Block MakeList(const Spec& spec, std::vector<std::int64_t> positions) {
  return {spec, std::move(positions), false, {}};
}

Spec WithBase(std::size_t dim, double base) {
  Spec spec = MakeSpec(dim);
  spec.base = base;
  return spec;
}

// Runs that cross 0, are negative, cross or touch 4095, 2^16, 2^20 or 2^24, or touch an end of the range.
void AddRuns(const Spec& spec, std::size_t rows, std::vector<Block>* blocks) {
  const auto n = static_cast<std::int64_t>(rows);
  for (const std::int64_t first :
       {-n / 2, std::int64_t{-5000}, 4095 - n / 2, (std::int64_t{1} << 16) - n / 2,
        (std::int64_t{1} << 20) - n / 2, (std::int64_t{1} << 24) - n / 2, -(std::int64_t{1} << 24) - n / 2,
        POSENC_MAX_POSITION - n + 1, -POSENC_MAX_POSITION}) {
    blocks->push_back(MakeRun(spec, first, rows));
  }
}

// Dims 1 .. 130, so that every vector length meets every possible tail, of pairs and of rows.
std::vector<Block> EveryDim() {
  std::vector<Block> blocks;
  for (std::size_t dim = 1; dim <= 130; ++dim) AddRuns(WithBase(dim, 10000.0), 128 + dim % 37, &blocks);
  return blocks;
}

// Every base, with dims at the ends of every vector length.
std::vector<Block> SomeDims() {
  std::vector<Block> blocks;
  for (const double base : kBases) {
    for (const std::size_t dim : {1u, 2u, 3u, 7u, 15u, 17u, 30u, 33u, 62u, 64u, 67u, 127u, 130u}) {
      AddRuns(WithBase(dim, base), 70 + dim % 37, &blocks);
    }
  }
  return blocks;
}

// At small positions and with large bases most phases are tiny: subnormal as float16, and too small for the
// absolute error of angle addition.
std::vector<Block> SmallPositions() {
  std::vector<Block> blocks;
  for (const double base : {10000.0, 500000.0, 1e7}) {
    blocks.push_back(MakeRun(WithBase(128, base), 1, 1024));
    blocks.push_back(MakeRun(WithBase(512, base), -64, 129));
    blocks.push_back(MakeList(WithBase(128, base), {1, 2, 3, 4, 5, 6, 7, 8, 63, -1, -2, -3}));
  }
  return blocks;
}

std::vector<Block> LargeDims() {
  constexpr std::size_t kDims[] = {512, 768, 1024};
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < std::size(kBases); ++i)
    AddRuns(WithBase(kDims[i % 3], kBases[i]), 257, &blocks);
  return blocks;
}

std::vector<Block> LongRuns() {
  return {MakeRun(WithBase(512, 10000.0), 0, 8192), MakeRun(WithBase(134, 10000.0), -4096, 32768),
          MakeRun(WithBase(64, 500000.0), (1 << 20) - 4096, 65536)};
}

std::vector<Block> RandomPositions() {
  std::mt19937_64 random(3);
  std::vector<Block> blocks;
  for (const double base : kBases) {
    for (const std::size_t dim : {5u, 130u, 1024u}) {
      std::vector<std::int64_t> positions(64);
      for (std::int64_t& p : positions) {
        p = static_cast<std::int64_t>(random() % (2 * POSENC_MAX_POSITION + 1)) - POSENC_MAX_POSITION;
      }
      blocks.push_back(MakeList(WithBase(dim, base), std::move(positions)));
    }
  }
  return blocks;
}

// Numerators of convergents of pi, and numbers near them. With w_0 = 1, sin(p) or cos(p) is nearly 0.
std::vector<Block> NearMultiplesOfPi() {
  std::vector<std::int64_t> positions;
  for (const std::int64_t p :
       {3,      11,      22,      333,     355,      710,      103993,    104348,    208341,    312689,
        833719, 1146408, 4272943, 5419351, 80143857, 85563208, 165707065, 245850922, 411557987, 1068966896}) {
    for (const std::int64_t multiple : {p, 2 * p, -p}) {
      if (multiple <= POSENC_MAX_POSITION) positions.push_back(multiple);
    }
  }
  return {MakeList(WithBase(16, 10000.0), positions), MakeList(WithBase(1, 1.0), positions)};
}

// Frequencies and positions whose product is nearly k quarter turns: their ratio is within 2^-bits of 1. They
// come from convergents of pi/2. More bits cancel than the kernels' steps have.
std::vector<Block> NearQuarterTurns() {
  struct Near {
    double frequency;
    std::int64_t position;
  };
  constexpr Near kNear[] = {
      {0x1.712ebd9949477p+21, 1698314833},  // k = 3269862348112417, bits = 134.9
      {0x1.712ebd9949477p+22, 1698314833},  // k = 6539724696224834, bits = 134.9
      {0x1.1fa633b094df6p+19, 398658709},   // k = 149511480295785, bits = 128.5
      {0x1.6bb3882e67b42p+14, 986781521},   // k = 14622645602569, bits = 125.5
      {0x1.c9b6f9ba94489p-2, 1353878003},   // k = 385260607, bits = 116.4
      {0x1.c9b6f9ba94489p-1, 1353878003},   // k = 770521214, bits = 116.4
      {0x1.86cf4fdf6bd80p+0, 2137161337},   // k = 2077030749, bits = 114.5
      {0x1.8a10680a2dbc7p+0, 1025610426},   // k = 1005054107, bits = 112.9
      {0x1.2cd6940b19000p+3, 60735587},     // k = 363501623, bits = 92
  };
  std::vector<Block> blocks;
  for (const Near& near : kNear) {
    Spec spec = WithBase(17, 1.0);  // all pairs have this frequency, so that every lane and the tail meet it
    spec.position_scale = near.frequency;
    const std::int64_t p = near.position;
    blocks.push_back(MakeList(spec, {p, -p, p - 1, p + 1}));
  }
  return blocks;
}

// The angle is exactly theta = p * 2^-k. If p has 25 bits, sin(theta) lies theta^3 / 6 below a midpoint of
// two floats.
std::vector<Block> TinyPhases() {
  std::vector<Block> blocks;
  for (const double scale : {0x1p-20, 0x1p-40, 0x1p-60, 0x1p-100, 0x1p-126, -0x1p-126}) {
    Spec spec = WithBase(3, 1.0);
    spec.position_scale = scale;
    AddRuns(spec, 33, &blocks);
    blocks.push_back(MakeList(spec, {(1 << 24) + 1, (1 << 24) + 3, (1 << 25) + 2, (1 << 25) - 1,
                                     -(1 << 24) - 1, (1 << 30) + 192, 1, 2}));
    // The same with p of 9 bits, for midpoints of bfloat16.
    blocks.push_back(MakeList(spec, {257, 259, 511, -257, 1025, (1 << 20) + (1 << 12), 3}));
  }
  // Sines that are subnormal as float16, where the last place is 2^-24.
  for (const double scale : {0x1p-25, 0x1p-26, 0x1p-27, -0x1p-25}) {
    Spec spec = WithBase(5, 1.0);
    spec.position_scale = scale;
    AddRuns(spec, 33, &blocks);
    blocks.push_back(MakeRun(spec, -70, 2200));
  }
  return blocks;
}

// Other values of exponent_dim and position_scale: dim - 2 as in whisper, interpolation, growing frequencies,
// 2^31, and 0.
std::vector<Block> OtherSchedules() {
  std::vector<Block> blocks;
  for (const std::size_t dim : {6u, 67u}) {
    for (const double exponent_dim : {4.0, 66.0, 1e6, -50.0}) {
      for (const double scale : {1.0, -0.125, 1.0 / 3.0, 1000.0, 0.0, -0.0}) {
        Spec spec = WithBase(dim, 10000.0);
        spec.exponent_dim = exponent_dim;
        spec.position_scale = scale;
        Encoder encoder;
        if (Encoder::Create(spec, &encoder) != POSENC_OK) continue;  // a frequency is not in 2^-126 .. 2^31
        AddRuns(spec, 33, &blocks);
      }
    }
    Spec fastest = WithBase(dim, 1.0);
    fastest.position_scale = 0x1p31;
    AddRuns(fastest, 33, &blocks);
    Spec growing = WithBase(dim, 1e-6);  // most steps are larger than four quarter turns
    AddRuns(growing, 33, &blocks);
    growing.position_scale = -1000.0;
    AddRuns(growing, 33, &blocks);
  }
  return blocks;
}

}  // namespace

void Block::Solve(posenc_type type) {
  const oracle::Oracle oracle(spec, type);
  want.resize(positions.size() * spec.dim);
  if (is_run) {
    oracle.Rows(positions.front(), positions.size(), want.data());
    return;
  }
  for (std::size_t r = 0; r < positions.size(); ++r) {
    oracle.Row(static_cast<double>(positions[r]), &want[r * spec.dim]);
  }
}

std::vector<Case> AccuracyCases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, const std::function<std::vector<Block>()>& make,
                       posenc_type type = POSENC_F32) {
    cases.push_back({name, type, make});
  };
  add("EveryDim", EveryDim);
  add("LargeDims", LargeDims);
  add("LongRuns", LongRuns);
  for (const auto& [type, name] :
       {std::pair(POSENC_F32, ""), std::pair(POSENC_BF16, "BFloat16"), std::pair(POSENC_F16, "Float16")}) {
    const std::string prefix = name;
    add(prefix + "SomeDims", SomeDims, type);
    add(prefix + "SmallPositions", SmallPositions, type);
    add(prefix + "RandomPositions", RandomPositions, type);
    add(prefix + "NearMultiplesOfPi", NearMultiplesOfPi, type);
    add(prefix + "NearQuarterTurns", NearQuarterTurns, type);
    add(prefix + "TinyPhases", TinyPhases, type);
    add(prefix + "OtherSchedules", OtherSchedules, type);
  }
  return cases;
}

}  // namespace posenc
