#include "verify/encoding_cases.h"

#include <cmath>
#include <cstdint>
#include <utility>

namespace posenc {
namespace tools {
namespace {

using Cases = std::vector<EncodingCase>;
using Positions = std::vector<double>;

constexpr Layout kLayouts[] = {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin};
constexpr FrequencyUnit kUnits[] = {FrequencyUnit::kRadians, FrequencyUnit::kHalfTurns,
                                    FrequencyUnit::kTurns};
constexpr std::size_t kDims[] = {1, 2, 3, 5, 11, 16, 31, 64, 134};  // around the vector lengths
constexpr double kBases[] = {10000.0, 500000.0, 1e7, 7.25, 0.5, 1.0};

EncodingCase& AddRun(Cases* cases, std::size_t dim, std::int64_t first, std::size_t rows,
                     double base = 10000.0) {
  return cases->emplace_back(MakeRun(dim, first, rows, base));
}

// The last `rows` positions of the whole range.
EncodingCase& AddEnd(Cases* cases, std::size_t dim, std::size_t rows, double base) {
  return AddRun(cases, dim, kMaxPosition + 1 - static_cast<std::int64_t>(rows), rows, base);
}

EncodingCase& AddList(Cases* cases, std::size_t dim, Positions positions, double base = 10000.0) {
  EncodingCase& c = AddRun(cases, dim, 0, positions.size(), base);
  c.positions = std::move(positions);
  c.list = POSENC_F64;
  return c;
}

void AddLayouts(Cases* cases) {
  for (const Layout layout : kLayouts) {
    for (const std::size_t dim : kDims) AddRun(cases, dim, -3, 32).spec.layout = layout;
  }
}

// Each base around 0, around the powers of two where float positions or phases fail, and at both ends.
void AddPositions(Cases* cases) {
  for (const double base : kBases) {
    for (const std::int64_t around : {0, 4096, 1 << 16, 1 << 20, 1 << 24, -(1 << 24)}) {
      AddRun(cases, 128, around - 48, 96, base);
    }
    AddRun(cases, 128, -kMaxPosition, 96, base);
    AddEnd(cases, 128, 96, base);
  }
  AddRun(cases, 512, 0, 512);
  AddRun(cases, 1024, 65536, 32);
}

void AddScales(Cases* cases) {
  for (const double scale : {0.001, -3.5, 0x1p-20, 0x1.000003p-20, 1048576.0, 0.0}) {
    AddRun(cases, 96, -5, 32).spec.position_scale = scale;
  }
  EncodingCase& diffusion = AddRun(cases, 320, 0, 48);
  diffusion.spec.layout = Layout::kCosSin;
  diffusion.spec.exponent_dim = 318.0;
}

void AddPhaseRoundings(Cases* cases) {
  for (const double base : {10000.0, 500000.0, 7.25}) {
    for (const std::int64_t first : {std::int64_t{0}, (std::int64_t{1} << 24) - 3, -kMaxPosition}) {
      AddRun(cases, 130, first, 24, base).spec.phase_rounding = PhaseRounding::kF32PowDiv;
    }
  }
}

void AddLists(Cases* cases) {
  Positions positions;
  for (int r = 0; r < 32; ++r) positions.push_back(r * 134217721.0 - 0x1p31);  // steps of a prime
  for (const Layout layout : kLayouts) {
    for (const bool add : {false, true}) {
      EncodingCase& c = AddList(cases, 257, positions);
      c.spec.layout = layout;
      c.list = POSENC_I64;
      c.add = add;
    }
  }
}

void AddSums(Cases* cases) {
  for (const Layout layout : kLayouts) {
    for (const float scale : {1.0f, 22.627417f /* sqrt(512) */, -0.3f}) {
      EncodingCase& c = AddRun(cases, 99, -8, 40);
      c.spec.layout = layout;
      c.add = true;
      c.scale = scale;
    }
  }
}

// The window of the rounding test, the store functions and the subnormal numbers differ from float32's.
void Add16Bit(posenc_type type, Cases* cases) {
  const std::size_t begin = cases->size();
  AddLayouts(cases);
  for (const double base : kBases) {
    AddRun(cases, 128, -48, 96, base);
    AddRun(cases, 128, 1 << 20, 64, base);
    AddEnd(cases, 128, 64, base);
  }
  for (const double scale :
       {1e-3, -0x1p-10, 0x1p-14, -0x1.8p-17, 0x1p-23, -0x1p-25, 0x1.000003p-26, 0x1p-100}) {
    AddRun(cases, 96, -9, 48).spec.position_scale = scale;
  }
  AddPhaseRoundings(cases);
  AddLists(cases);
  AddSums(cases);
  EncodingCase& overflow = AddRun(cases, 64, 0, 16);
  overflow.add = true;
  overflow.scale = 30000.0f;
  for (std::size_t i = begin; i < cases->size(); ++i) (*cases)[i].type = type;
}

// -3, -2.63, ...: of no special kind.
Positions Fractions(int count) {
  Positions positions;
  for (int r = 0; r < count; ++r) positions.push_back(r * 0.37 - 3.0);
  return positions;
}

Positions Eighths() {
  Positions positions;
  for (int k = -40; k <= 40; ++k) positions.push_back(k / 8.0);
  return positions;
}

// Small ones whose angles lie next to midpoints, where w is 1, and whose entries are subnormal.
Positions Small() {
  Positions positions = {0.0, -0.0, 0x1p-126, 0x1.8p-127, -0x1p-149, 0x1p-150, 0x1p-1022, -0x1p-1074};
  for (int exponent = -8; exponent > -160; exponent -= 8) {
    positions.push_back(std::ldexp(0x1.000003p0, exponent));
    positions.push_back(-std::ldexp(0x1.01p0, exponent));
    positions.push_back(std::ldexp(0x1.002p0, exponent));
    positions.push_back(-std::ldexp(0x1.1c71c71c71c71p0, 4 * exponent));
  }
  return positions;
}

// Next to multiples of pi/2, up to the end of the range.
Positions Large() {
  Positions positions = {0x1p31, -0x1p31, 0x1.fffffffffffffp30, 0x1p24 + 0.5, -1e9 - 0.1};
  for (double multiple = 1.0; multiple < 0x1p30; multiple = 3.0 * multiple + 1.0) {
    const double position = multiple * 0x1.921fb54442d18p0;
    positions.push_back(position);
    positions.push_back(-std::nextafter(position, HUGE_VAL));
  }
  return positions;
}

void AddFractions(Cases* cases) {
  for (const Layout layout : kLayouts) {
    for (const std::size_t dim : {1u, 2u, 11u, 64u}) {
      AddList(cases, dim, Fractions(24)).spec.layout = layout;
    }
  }
  for (const double base : {10000.0, 500000.0, 0.5}) {
    AddList(cases, 32, Small(), base);
    AddList(cases, 32, Large(), base);
  }
  AddList(cases, 8, Small());  // w_i = 10^-i
  for (const double scale : {1e6, -0x1.8p-100}) {
    for (const Positions& positions : {Fractions(40), Large(), Eighths()}) {
      AddList(cases, 16, positions).spec.position_scale = scale;
    }
  }
  AddList(cases, 16, Fractions(40)).spec.phase_rounding = PhaseRounding::kF32PowDiv;
}

// Also steps that are exact, with all their digits, up to the largest and beyond it.
void AddFrequencies(Cases* cases) {
  static constexpr double kAny[] = {1.0, -0.1, 0.0, 0x1p-126, 5.0, 3e8, 0.0625, 0x1.921fb54442d18p1};
  static constexpr double kExact[] = {0x1.00001da5161d5p+9,  0x1.fffffffffffffp+9, 0x1p10,
                                      -0x1.23456789abcdfp+8, 0x1.edcba98765432p-3, 0x1.3p-4};
  static constexpr double kBeyond[] = {0x1.00001da5161d5p+16, 0x1.8p17,  1.0,
                                       0x1.0000000000001p+10, -0x1.fp26, 0.1};
  for (const FrequencyUnit unit : kUnits) {
    for (const Positions& positions : {Eighths(), Small(), Large()}) {
      AddList(cases, 15, positions).spec.frequencies = {kAny, nullptr, 8, unit};
    }
  }
  for (const double* list : {kExact, kBeyond}) {
    for (const FrequencyUnit unit : {FrequencyUnit::kHalfTurns, FrequencyUnit::kTurns}) {
      for (const Positions& positions : {Large(), Fractions(40)}) {
        AddList(cases, 12, positions).spec.frequencies = {list, nullptr, 6, unit};
      }
    }
  }
}

void AddFloatFrequencies(Cases* cases) {
  static float frequencies[37];
  for (int k = 0; k < 37; ++k) frequencies[k] = std::ldexp(1.0f + static_cast<float>(k), -k);
  for (const FrequencyUnit unit : kUnits) {
    for (const Layout layout : kLayouts) {
      for (const double scale : {1.0, -0.3}) {
        EncodingCase& c = AddRun(cases, 73, layout == Layout::kSinCos ? -kMaxPosition : 1000, 130);
        c.spec.layout = layout;
        c.spec.position_scale = scale;
        c.spec.frequencies = {nullptr, frequencies, 37, unit};
      }
    }
  }
}

}  // namespace

std::vector<EncodingCase> EncodingDigestCases() {
  Cases cases;
  AddLayouts(&cases);
  AddPositions(&cases);
  AddScales(&cases);
  AddPhaseRoundings(&cases);
  AddLists(&cases);
  AddSums(&cases);
  for (const posenc_type type : {POSENC_BF16, POSENC_F16}) Add16Bit(type, &cases);
  Cases in_all_types;
  AddFractions(&in_all_types);
  AddFrequencies(&in_all_types);
  AddFloatFrequencies(&in_all_types);
  for (const EncodingCase& c : in_all_types) {
    for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64}) {
      cases.emplace_back(c).type = type;
    }
  }
  AppendSpecialCases(&cases);
  return cases;
}

std::vector<EncodingCase> EncodingTableCases() {
  Cases cases;
  AddRun(&cases, 512, 0, 5120);
  AddRun(&cases, 768, 0, 4096);
  AddRun(&cases, 1024, 0, 8192);
  for (const double base : kBases) {
    AddRun(&cases, 128, -8192, 16384, base);
    AddEnd(&cases, 128, 8192, base);
  }
  AddRun(&cases, 512, 0, 512).spec.phase_rounding = PhaseRounding::kF32PowDiv;
  for (const posenc_type type : {POSENC_F32, POSENC_BF16, POSENC_F16}) {
    EncodingCase& sum = AddRun(&cases, 512, 1 << 20, 4096);
    sum.type = type;
    sum.add = true;
    sum.scale = 22.627417f;
    if (type == POSENC_F32) continue;
    AddRun(&cases, 512, 0, 5120).type = type;
    AddRun(&cases, 128, -8192, 16384, 500000.0).type = type;
    AddEnd(&cases, 128, 8192, 1e7).type = type;
  }
  return cases;
}

}  // namespace tools
}  // namespace posenc
