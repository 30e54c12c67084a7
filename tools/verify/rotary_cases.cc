#include "verify/rotary_cases.h"

#include <cmath>
#include <utility>

#include "verify/hard_angles.h"

namespace posenc {
namespace tools {
namespace {

using Cases = std::vector<RotaryCase>;

constexpr posenc_type kTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16};
constexpr std::pair<posenc_pairing, posenc_pairing> kPairings[] = {{POSENC_HALF_SPLIT, POSENC_SAME_PAIRING},
                                                                   {POSENC_NEIGHBOURS, POSENC_SAME_PAIRING},
                                                                   {POSENC_HALF_SPLIT, POSENC_NEIGHBOURS},
                                                                   {POSENC_NEIGHBOURS, POSENC_HALF_SPLIT}};

RotaryCase MakeCase(std::size_t head_dim, std::int64_t first, std::size_t rows) {
  RotaryCase c;
  c.spec = MakeRotarySpec(head_dim);
  c.first = first;
  c.rows = rows;
  return c;
}

// In every type, and with other elements in each.
void AddTypes(RotaryCase c, Cases* cases) {
  for (const posenc_type type : kTypes) {
    c.type = type;
    c.seed = static_cast<std::uint32_t>(cases->size());
    cases->push_back(c);
  }
}

void AddPairings(RotaryCase c, std::size_t count, Cases* cases) {
  for (std::size_t k = 0; k < count; ++k) {
    c.spec.pairing = kPairings[k].first;
    c.spec.output_pairing = kPairings[k].second;
    c.in_place = k % 2 == 0;
    AddTypes(c, cases);
  }
}

// Around the vector lengths, and parts of heads.
void AddDims(Cases* cases) {
  for (const std::size_t dim : {2u, 4u, 6u, 10u, 16u, 30u, 34u, 64u, 66u, 130u}) {
    AddPairings(MakeCase(dim, -3, dim < 34 ? 8 : 4), 4, cases);
  }
  for (const std::size_t offset : {0u, 1u, 14u}) {
    RotaryCase part = MakeCase(48, 1000, 3);
    part.spec.rotary_dim = 34;
    part.spec.rotary_offset = offset;
    AddPairings(part, 4, cases);
  }
}

void AddPositions(Cases* cases) {
  for (const double base : {10000.0, 500000.0, 1e7, 0.5}) {
    RotaryCase c = MakeCase(64, 0, 0);
    c.spec.base = base;
    SetPositions(FarPositions(), POSENC_I64, &c);
    AddPairings(c, base == 10000.0 ? 2 : 1, cases);
    SetPositions(RealPositions(), POSENC_F64, &c);
    AddPairings(c, 1, cases);
  }
}

void AddInputs(Cases* cases) {
  for (const Inputs inputs : {Inputs::kSpecial, Inputs::kCancelling, Inputs::kMiddle, Inputs::kTiny,
                              Inputs::kLarge, Inputs::kAny}) {
    RotaryCase c = MakeCase(32, 0, 0);
    c.inputs = inputs;
    c.q_heads = 5;
    SetPositions(FarPositions(), POSENC_I64, &c);
    AddPairings(c, 2, cases);
    RotaryCase still = MakeCase(16, 0, 1);  // cosine 1 and sine 0: ties
    still.inputs = inputs;
    still.q_heads = 20;
    for (const double amplitude : {1.0, 1.5, 0x1.8p-20, 1.25}) {
      still.spec.amplitude = amplitude;
      AddTypes(still, cases);
    }
  }
}

void AddGains(Cases* cases) {
  for (const double amplitude : {1.0, 1.3465735902799727, 0x1p30}) {
    for (const double scale : {0x1.6a09e667f3bcdp-4, 0.1, 0x1p-64, 0x1p34}) {
      RotaryCase c = MakeCase(22, 0, 0);
      c.spec.amplitude = amplitude;
      c.scale = scale;
      c.inverse = scale < 1e-9 || amplitude != 1.0;
      SetPositions(FarPositions(), POSENC_I64, &c);
      AddPairings(c, 2, cases);
    }
  }
}

void AddFast(Cases* cases) {
  for (const Inputs inputs : {Inputs::kEvery, Inputs::kSpecial}) {
    for (const double amplitude : {1.0, 1.3465735902799727}) {
      RotaryCase c = MakeCase(34, 0, 0);
      c.spec.arithmetic = POSENC_FAST;
      c.spec.amplitude = amplitude;
      c.inputs = inputs;
      c.scale = amplitude == 1.0 ? 1.0 : 0.1;
      c.inverse = amplitude != 1.0;
      SetPositions(FarPositions(), POSENC_I64, &c);
      AddPairings(c, 4, cases);
    }
  }
}

void AddCached(Cases* cases) {
  for (const posenc_type cache_type : kTypes) {
    for (const posenc_type list : {0, POSENC_I32 + 0, POSENC_I64 + 0}) {
      RotaryCase c = MakeCase(40, 0, 9);
      c.call = RotaryCall::kRotateCached;
      c.cache_type = cache_type;
      c.list = list;
      c.spec.rotary_dim = 36;
      c.scale = list == 0 ? 1.0 : 0.3;
      c.inverse = list == POSENC_I64;
      AddPairings(c, 2, cases);
    }
  }
}

void AddCaches(Cases* cases) {
  for (const posenc_cache_layout layout :
       {POSENC_CACHE_HALVES, POSENC_CACHE_DUPLICATED, POSENC_CACHE_COS_SIN, POSENC_CACHE_PAIRS}) {
    for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64}) {
      RotaryCase c = MakeCase(66, -5, 12);
      c.call = RotaryCall::kWriteCache;
      c.layout = layout;
      c.type = type;
      cases->push_back(c);
      c.spec.amplitude = 1.3465735902799727;
      c.spec.pairing = POSENC_NEIGHBOURS;
      SetPositions(FarPositions(), POSENC_I64, &c);
      cases->push_back(c);
      SetPositions(RealPositions(), POSENC_F64, &c);
      cases->push_back(c);
    }
  }
}

// Of each angle, from the hardest on, one pair in some heads, and its cache.
void AddHardAngles(Cases* cases) {
  static const std::vector<HardAngle> angles = HardAngles();
  for (std::size_t n = 0; n < angles.size(); n += 16) {
    RotaryCase c = MakeCase(2, 0, 1);
    c.spec.frequencies = &angles[n].frequency;
    c.spec.frequency_count = 1;
    c.spec.position_scale = angles[n].scale;
    c.q_heads = 20;
    SetPositions({angles[n].position}, POSENC_F64, &c);
    AddTypes(c, cases);
    c.call = RotaryCall::kWriteCache;
    c.type = POSENC_F64;
    cases->push_back(c);
  }
}

}  // namespace

std::vector<double> FarPositions() {
  return {0, 1, -3, 4095, 131071, 999999, 0x1p24 + 1, 1234567890, 0x1p31 - 1, -0x1p31};
}

std::vector<double> RealPositions() {
  std::vector<double> positions = {0.5,  0.37,     -77.7,       1e6 + 0.3,       0x1p-20,
                                   -0.0, 0x1p-149, 0x1.8p-1022, -0x1.000003p-60, 0x1.fffffffffffffp30};
  for (double multiple = 1.0; multiple < 0x1p30; multiple = 47.0 * multiple + 1.0) {
    positions.push_back(multiple * 0x1.921fb54442d18p0);
  }
  return positions;
}

void SetPositions(const std::vector<double>& positions, posenc_type list, RotaryCase* c) {
  c->rows = positions.size();
  c->list = list;
  c->positions.clear();
  for (std::size_t k = 0; k < c->spec.axes; ++k) {
    for (std::size_t r = 0; r < c->rows; ++r) c->positions.push_back(positions[(r + 2 * k) % c->rows]);
  }
}

std::vector<RotaryCase> RotaryDigestCases() {
  Cases cases;
  AddDims(&cases);
  AddPositions(&cases);
  AddInputs(&cases);
  AddGains(&cases);
  AddFast(&cases);
  AddCached(&cases);
  AddCaches(&cases);
  AddHardAngles(&cases);
  AppendSchedules(&cases);
  return cases;
}

std::vector<RotaryCase> RotaryTableCases() {
  Cases cases;
  for (const double base : {10000.0, 500000.0}) {
    for (const std::int64_t first : {std::int64_t{0}, std::int64_t{131072}, POSENC_MAX_POSITION - 63}) {
      RotaryCase c = MakeCase(128, first, 64);
      c.spec.base = base;
      c.q_heads = 16;
      c.k_heads = 4;
      AddPairings(c, 2, &cases);
    }
  }
  return cases;
}

}  // namespace tools
}  // namespace posenc
