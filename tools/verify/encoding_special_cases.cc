// Digest cases of what is rare: sums of special values, positions that are floats or none, frequencies of a
// rounded base, and the angles that cancel most.
#include "verify/encoding_cases.h"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "verify/hard_angles.h"

namespace posenc {
namespace tools {
namespace {

using Cases = std::vector<EncodingCase>;
using Positions = std::vector<double>;

constexpr Layout kLayouts[] = {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin};
constexpr posenc_type kTypes[] = {POSENC_F32, POSENC_BF16, POSENC_F16, POSENC_F64};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

EncodingCase MakeList(std::size_t dim, Positions positions, posenc_type list = POSENC_F64) {
  EncodingCase c = MakeRun(dim, 0, positions.size());
  c.positions = std::move(positions);
  c.list = list;
  return c;
}

// In every type that the case can be in.
void AddTypes(EncodingCase c, Cases* cases) {
  for (const posenc_type type : kTypes) {
    if (c.add && type == POSENC_F64) continue;
    c.type = type;
    cases->push_back(c);
  }
}

void AddSpecialSums(Cases* cases) {
  for (const Layout layout : kLayouts) {
    for (const float scale :
         {0.0f, -0.0f, HUGE_VALF, -HUGE_VALF, std::nanf(""), 1.0f, -2.5f, 0x1p-130f, 3e38f}) {
      for (EncodingCase c : {MakeRun(67, -5, 24), MakeList(35, {0.0, 0.37, -1e9, 77.0, 0x1p-140})}) {
        c.spec.layout = layout;
        c.add = c.specials = true;
        c.scale = scale;
        AddTypes(c, cases);
      }
    }
  }
}

void AddFloatPositions(Cases* cases) {
  Positions positions = {0.0, -0.0, 0x1p31, -0x1p31, 0x1.fffffep30, 0x1p-149, -0x1.8p-127, 0x1.000002p-126};
  for (int r = 0; r < 24; ++r) positions.push_back(static_cast<double>(static_cast<float>(r * 0.37 - 3.0)));
  for (const Layout layout : kLayouts) {
    for (const bool add : {false, true}) {
      EncodingCase c = MakeList(38, positions, POSENC_F32);
      c.spec.layout = layout;
      c.add = add;
      AddTypes(c, cases);
    }
  }
}

void AddNanRows(Cases* cases) {
  const Positions doubles = {1.5,       kNaN,  HUGE_VAL, -3.0, 0x1.0000000000001p31, -0x1.0000000000001p31,
                             -HUGE_VAL, 0x1p31};
  const Positions floats = {-kNaN, 0.5, HUGE_VAL, -HUGE_VAL, 0x1.000002p31, -0x1p31, 7.0};
  const Positions integers = {5.0, 0x1p31 + 1.0, -0x1p31, -0x1p31 - 1.0, 0x1p62, -0x1p63, 0.0};
  for (const Layout layout : kLayouts) {
    for (const bool add : {false, true}) {
      for (const bool lists_only : {false, true}) {
        for (EncodingCase c :
             {MakeList(19, doubles), MakeList(19, floats, POSENC_F32), MakeList(19, integers, POSENC_I64)}) {
          c.spec.layout = layout;
          c.spec.nan_rows = true;
          c.spec.lists_only = lists_only;
          c.add = c.specials = add;
          AddTypes(c, cases);
        }
      }
    }
  }
}

void AddListsOnly(Cases* cases) {
  for (const Layout layout : kLayouts) {
    for (const bool add : {false, true}) {
      EncodingCase c = MakeRun(134, 100000, 40);
      c.spec.layout = layout;
      c.spec.lists_only = true;
      c.add = add;
      AddTypes(c, cases);
    }
  }
}

// A base that is no float.
void AddRoundedBase(Cases* cases) {
  for (EncodingCase c :
       {MakeRun(64, 0, 40), MakeRun(64, (1 << 24) - 3, 24), MakeList(64, {0.5, 1e6 + 0.3, -77.7})}) {
    c.spec.base = 10000.1;
    c.spec.phase_rounding = PhaseRounding::kF32PowDiv;
    AddTypes(c, cases);
  }
}

// What a row has besides its pairs, written and added, in runs over the padding and in lists.
void AddColumns(Cases* cases) {
  const Positions positions = {9, 0.375, -1e-3, 65519.5, 9, 1e9 + 0.5, -9, 0};
  for (const Layout layout :
       {Layout::kInterleaved, Layout::kSinCos, Layout::kCosSin, Layout::kInterleavedCosSin}) {
    for (const OddColumn odd :
         {OddColumn::kHalfPair, OddColumn::kZeroLast, OddColumn::kZeroMiddle, OddColumn::kCosineLast}) {
      const bool in_turns = layout == Layout::kInterleaved || layout == Layout::kInterleavedCosSin;
      if (odd == OddColumn::kZeroMiddle && in_turns) continue;
      for (const bool input_first : {false, true}) {
        for (const bool add : {false, true}) {
          for (const std::size_t dim : {1u, 2u, 5u, 67u, 68u}) {
            for (EncodingCase c : {MakeRun(dim, -4, 20), MakeList(dim, positions)}) {
              c.spec.layout = layout;
              c.spec.odd_column = odd;
              c.spec.input_first = input_first;
              c.spec.has_padding = true;
              c.spec.padding_position = 9;
              c.spec.position_offset = 3;
              c.add = add;
              AddTypes(c, cases);
            }
          }
        }
      }
    }
  }
}

// Timescales, and frequencies of a base in turns: of NeRF (powers of two), thirds of a turn, any.
void AddTimescales(Cases* cases) {
  for (EncodingCase c : {MakeRun(66, -5, 24), MakeList(66, {0.5, 1e6 + 0.3, -77.7})}) {
    c.spec.min_timescale = 0.3;
    c.spec.exponent_dim = 64.0;
    AddTypes(c, cases);
  }
  for (const FrequencyUnit unit : {FrequencyUnit::kHalfTurns, FrequencyUnit::kTurns}) {
    for (const double base : {2.0, 0.5, 3.0, 100.0}) {
      for (EncodingCase c : {MakeRun(24, -9, 24), MakeList(24, {0.5, 1.0 / 3.0, 0.1, -0.75, 1.0, 3.0})}) {
        c.spec.base = base;
        c.spec.exponent_dim = base == 2.0 ? -2.0 : 24.0;
        c.spec.frequencies.unit = unit;
        AddTypes(c, cases);
      }
    }
  }
}

// Thirds of quarter turns, of bases that have them.
void AddKnownAngles(Cases* cases) {
  for (const double base : {3.0, 6.0, 12.0, 9.0}) {
    for (EncodingCase c : {MakeRun(16, -9, 40), MakeList(16, {0.5, 0.125, 27.0, -0.75, 729.0, 1e9})}) {
      c.spec.base = base;
      c.spec.exponent_dim = base == 9.0 ? 4.0 : 2.0;
      c.spec.frequencies.unit = FrequencyUnit::kTurns;
      AddTypes(c, cases);
    }
  }
}

void AddRecipes(Cases* cases) {
  for (const PhaseRounding rounding :
       {PhaseRounding::kF32Exp, PhaseRounding::kF32LogDiv, PhaseRounding::kF32InvFreq,
        PhaseRounding::kF32Iterated, PhaseRounding::kF64InvFreq, PhaseRounding::kF64PowDiv,
        PhaseRounding::kF64PowMul}) {
    for (const double scale : {1.0, 0.3}) {
      for (EncodingCase c : {MakeRun(64, 0, 40), MakeRun(64, (1 << 24) - 3, 24),
                             MakeList(64, {0.5, 1e6 + 0.3, -77.7, -0x1p31, 999.0})}) {
        c.spec.base = 10000.1;
        c.spec.exponent_dim = 62.0;
        c.spec.position_scale = scale;
        c.spec.phase_rounding = rounding;
        AddTypes(c, cases);
      }
    }
  }
}

// The recipe that has timescales, too.
void AddIncrements(Cases* cases) {
  for (const double scale : {1.0, 0.3}) {
    for (const double least : {1.0, 0.3}) {
      for (EncodingCase c : {MakeRun(66, 0, 24), MakeRun(66, (1 << 24) - 3, 24),
                             MakeList(66, {0.5, 1e6 + 0.3, -77.7, -0x1p31, 999.0})}) {
        c.spec.base = 10000.1;
        c.spec.exponent_dim = 64.0;
        c.spec.position_scale = scale;
        c.spec.min_timescale = least;
        c.spec.phase_rounding = PhaseRounding::kF32LogIncrement;
        AddTypes(c, cases);
      }
    }
  }
}

// Of a list, the frequency is the only one; of a base, that of pair 1. A run has the position in the middle.
void AddHardAngle(const HardAngle& angle, bool listed, bool run, Cases* cases) {
  constexpr std::size_t kRows = 5;
  const std::size_t dim = listed ? 2 : 4;
  EncodingCase c = run ? MakeRun(dim, static_cast<std::int64_t>(angle.position) - 2, kRows)
                       : MakeList(dim, {angle.position});
  c.spec.position_scale = angle.scale;
  if (listed) {
    c.spec.frequencies = {&angle.frequency, nullptr, 1, FrequencyUnit::kRadians};
  } else {
    c.spec.exponent_dim = -2.0;
    c.spec.base = angle.frequency;
  }
  AddTypes(c, cases);
}

// All as listed frequencies, and some of each kind in other ways.
void AddHardAngles(Cases* cases) {
  static const std::vector<HardAngle> angles = HardAngles(), reported = ReportedAngles();
  std::size_t integers = 0;
  for (std::size_t n = 0; n < angles.size(); ++n) {
    AddHardAngle(angles[n], true, false, cases);
    if (n % 4 == 0) AddHardAngle(angles[n], false, false, cases);
    if (!angles[n].is_integer) continue;
    ++integers;
    if (integers % 4 == 0) AddHardAngle(angles[n], integers % 8 == 0, true, cases);
  }
  for (std::size_t n = 0; n < reported.size(); ++n) {
    AddHardAngle(reported[n], n == 0, false, cases);
    if (reported[n].is_integer) AddHardAngle(reported[n], n == 0, true, cases);
  }
}

}  // namespace

void AppendSpecialCases(std::vector<EncodingCase>* cases) {
  AddSpecialSums(cases);
  AddFloatPositions(cases);
  AddNanRows(cases);
  AddListsOnly(cases);
  AddRoundedBase(cases);
  AddHardAngles(cases);
  AddRecipes(cases);
  AddColumns(cases);
  AddTimescales(cases);
  AddIncrements(cases);
  AddKnownAngles(cases);
}

}  // namespace tools
}  // namespace posenc
