#include "nouns.h"

#include <algorithm>
#include <cmath>

namespace posenc {
namespace fuzz {
namespace {

using Encoder = posenc_spec;
using Rotary = posenc_rotary_spec;

constexpr std::size_t kLargestDim = 150, kLargestHead = 160;  // of specs that are not refused

// All values of an enum or flag.
std::vector<double> UpTo(int last) {
  std::vector<double> values;
  for (int value = 0; value <= last; ++value) values.push_back(value);
  return values;
}

bool ChangesBase(posenc_scaling scaling) { return scaling >= POSENC_NTK && scaling <= POSENC_MIXED_NTK; }

void SetList(std::size_t count, bool floats, std::size_t* count_at, List* list) {
  *count_at = count;
  list->is_set = true;
  (floats ? list->as_floats : list->as_doubles) = true;
}

}  // namespace

const std::vector<Member<Encoder>>& EncoderNoun::Members() {
  static const std::vector<Member<Encoder>> members = {
      {&Encoder::dim, {}},
      {&Encoder::base, {1e4, 5e5, 1e6, 10.0, 1e7}},
      {&Encoder::exponent_dim, {0.0, 64.0, 37.5, -512.0}},
      {&Encoder::position_scale, {1.0, 0.25, 1000.0, 0.1, -3.0}},
      {&Encoder::layout, UpTo(3)},
      {&Encoder::phase_rounding, UpTo(10)},
      {&Encoder::frequency_unit, UpTo(2)},
      {&Encoder::nan_rows, UpTo(1)},
      {&Encoder::lists_only, UpTo(1)},
      {&Encoder::odd_column, UpTo(3)},
      {&Encoder::min_timescale, {1.0, 0.5, 3.0}},
      {&Encoder::position_offset, {0.0, 1.0, -5.0, 2048.0}},
      {&Encoder::has_padding, UpTo(1)},
      {&Encoder::input_first, UpTo(1)},
      {&Encoder::padding_position, {0.0, 1.0, -3.0, 9.0}},
      {&Encoder::table_rows, {0.0, 1.0, 4096.0, 1e9}},
  };
  return members;
}

const ListMembers<Encoder>& EncoderNoun::ListAt(std::size_t /*i*/) {
  static constexpr ListMembers<Encoder> kList = {&Encoder::frequencies, &Encoder::frequencies_f32,
                                                 &Encoder::frequency_count};
  return kList;
}

void EncoderNoun::Arrange(Encoder* spec, List* lists, Verdict* verdict, Bytes& bytes) {
  spec->dim = MakeSize(Rarely(bytes, 5) ? kLargestDim : 24, bytes, 1);
  const bool is_interleaved =
      spec->layout == POSENC_INTERLEAVED || spec->layout == POSENC_INTERLEAVED_COS_SIN;
  if (is_interleaved && spec->odd_column == POSENC_ODD_ZERO_MIDDLE) spec->odd_column = POSENC_ODD_ZERO_LAST;
  bool has_list = Rarely(bytes, 3);
  if (bytes.ConsumeBool()) spec->phase_rounding = POSENC_NO_PHASE_ROUNDING;
  if (spec->phase_rounding == POSENC_F32_LIST) has_list = true;
  if (has_list && spec->phase_rounding != POSENC_F32_LIST) spec->phase_rounding = POSENC_NO_PHASE_ROUNDING;
  const bool rounds = spec->phase_rounding != POSENC_NO_PHASE_ROUNDING;
  if (rounds) spec->frequency_unit = POSENC_RADIANS;
  if (has_list || (rounds && spec->phase_rounding != POSENC_F32_LOG_INCREMENT)) spec->min_timescale = 1.0;
  // Small ones divide, negative ones raise: frequencies may leave their range.
  if (spec->exponent_dim != 0.0) verdict->Doubt();
  if (!has_list) return;
  const std::size_t columns = spec->dim - (spec->input_first == 1 ? 1 : 0);
  const std::size_t halves = spec->odd_column == POSENC_ODD_HALF_PAIR ? columns % 2 : 0;
  SetList(std::max<std::size_t>(columns / 2 + halves, 1), bytes.ConsumeBool(), &spec->frequency_count,
          &lists[0]);
  lists[0].is_checked = true;
}

const std::vector<Member<Rotary>>& RotaryNoun::Members() {
  static const std::vector<double> factors = {1.0, 8.0, 2.0, 40.0, 0.5, 1.5, 32.0};
  static const std::vector<double> lengths = {8192.0, 4096.0, 131072.0, 32768.0, 100.0};
  static const std::vector<Member<Rotary>> members = {
      {&Rotary::head_dim, {}},
      {&Rotary::rotary_dim, {}},
      {&Rotary::rotary_offset, {}},
      {&Rotary::pairing, UpTo(1)},
      {&Rotary::output_pairing, UpTo(2)},
      {&Rotary::arithmetic, UpTo(1)},
      {&Rotary::phase_rounding, {0.0, 2.0, 4.0, 5.0, 6.0}},
      {&Rotary::base, {1e4, 5e5, 1e6, 10.0, 150000.0}},
      {&Rotary::exponent_dim, {0.0, 128.0, 77.5}},
      {&Rotary::position_scale, {1.0, 0.25, -1.5}},
      {&Rotary::unit, UpTo(2)},
      {&Rotary::scaling, UpTo(11)},
      {&Rotary::factor, factors},
      {&Rotary::length, lengths},
      {&Rotary::original_length, lengths},
      {&Rotary::beta_fast, {32.0, 4.0, 1.0}},
      {&Rotary::beta_slow, {1.0, 0.5}},
      {&Rotary::mscale, {1.0, 0.0, 0.7}},
      {&Rotary::mscale_all_dim, {0.0, 1.0, 0.7}},
      {&Rotary::low_freq_factor, {1.0, 2.5}},
      {&Rotary::high_freq_factor, {4.0, 2.5}},
      {&Rotary::proportion, {1.0, 0.25, 0.0, 0.7}},
      {&Rotary::amplitude, {0.0, 0.0, 1.0, 1.25, 40.0}},
      {&Rotary::truncate, UpTo(1)},
      {&Rotary::axis_order, UpTo(5)},
      {&Rotary::axes, {1.0, 1.0, 2.0, 3.0, 4.0}},
  };
  return members;
}

const ListMembers<Rotary>& RotaryNoun::ListAt(std::size_t i) {
  static constexpr ListMembers<Rotary> kLists[] = {
      {&Rotary::factors, &Rotary::factors_f32, &Rotary::factor_count},
      {&Rotary::long_factors, &Rotary::long_factors_f32, &Rotary::factor_count},
      {&Rotary::frequencies, &Rotary::frequencies_f32, &Rotary::frequency_count}};
  return kLists[i];
}

namespace {

bool TakePreset(Rotary* spec, Bytes& bytes) {
  posenc_preset presets[128];
  const std::size_t count = std::min<std::size_t>(posenc_rotary_presets(presets, 128), 128);
  const char* name = presets[MakeSize(count - 1, bytes)].name;
  const auto head_dim = bytes.PickValueInArray<std::size_t>({128, 64, 192, 256, 80});
  return posenc_rotary_spec_preset(spec, sizeof(*spec), name, head_dim) == POSENC_OK;
}

void MakeShape(Rotary* spec, Bytes& bytes) {
  spec->head_dim = MakeSize(Rarely(bytes, 8) ? kLargestHead : 20, bytes, 2);
  if (bytes.ConsumeBool()) spec->rotary_offset = MakeSize(spec->head_dim / 2, bytes);
  const std::size_t rest = spec->head_dim - spec->rotary_offset;
  if (bytes.ConsumeBool() || rest % 2 != 0)
    spec->rotary_dim = MakeSize(rest / 2, bytes, rest == 1 ? 0 : 1) * 2;
  if (spec->rotary_dim == 0 && rest % 2 != 0) spec->rotary_offset = 0, spec->rotary_dim = 2;
}

// Some orders have room for some sections only: no section but the rest's has more than its share.
void MakeSections(Rotary* spec, std::size_t pairs, Verdict* verdict, Bytes& bytes) {
  const bool is_alike = spec->axis_order == POSENC_ALTERNATING_AXES || spec->axis_order == POSENC_SPLIT_AXES;
  std::size_t left = pairs, section = 0;
  for (std::size_t k = spec->axes; k-- > 1;) {
    if (section == 0 || !is_alike) section = MakeSize(pairs / spec->axes, bytes);
    if (spec->axis_order == POSENC_SPLIT_AXES) section = pairs / spec->axes;
    spec->sections[k] = section;
    left -= section;
  }
  spec->sections[0] = left;
  if (spec->axis_order == POSENC_IMROPE_AXES) std::swap(spec->sections[0], spec->sections[spec->axes - 1]);
  if (spec->axis_order == POSENC_AXIAL_AXES) spec->exponent_dim = 0.0;
  // Whether there is room for them all, the order says.
  verdict->Doubt(spec->axis_order != POSENC_CONSECUTIVE_AXES);
  if (!Rarely(bytes, 16)) return;
  verdict->Doubt();
  spec->sections[MakeSize(POSENC_MAX_AXES - 1, bytes)] += bytes.ConsumeBool() ? 1 : SIZE_MAX;
}

}  // namespace

void RotaryNoun::Arrange(Rotary* spec, List* lists, Verdict* verdict, Bytes& bytes) {
  enum List : std::size_t { kFactors, kLongFactors, kFrequencies };
  const auto arithmetic = spec->arithmetic;
  if (Rarely(bytes, 12) && TakePreset(spec, bytes)) {
    verdict->Doubt();
    spec->arithmetic = arithmetic;
    if (bytes.ConsumeBool()) spec->length = 8192.0;
  } else {
    MakeShape(spec, bytes);
    if (spec->length == 0.0) spec->length = 8192.0;
    if (spec->original_length == 0.0) spec->original_length = 4096.0;
  }
  const std::size_t pairs =
      (spec->rotary_dim == 0 ? spec->head_dim - spec->rotary_offset : spec->rotary_dim) / 2;
  if (!Rarely(bytes, 3)) spec->phase_rounding = POSENC_NO_PHASE_ROUNDING;
  const bool rounds = spec->phase_rounding != POSENC_NO_PHASE_ROUNDING;
  if (rounds) {
    const bool divides =
        spec->phase_rounding == POSENC_F32_ITERATED && spec->scaling == POSENC_FREQUENCY_FACTORS;
    if (!divides) spec->scaling = bytes.ConsumeBool() ? POSENC_LINEAR : POSENC_NO_SCALING;
    spec->position_scale = 1.0;
    spec->unit = POSENC_RADIANS;
    verdict->Doubt(spec->axes > 1);
  }
  if (spec->axes > 1 && spec->sections[0] + spec->sections[1] == 0) MakeSections(spec, pairs, verdict, bytes);
  if (Rarely(bytes, 4)) {
    if (ChangesBase(spec->scaling)) spec->scaling = POSENC_NO_SCALING;
    if (rounds) spec->phase_rounding = POSENC_F32_INV_FREQ, verdict->Doubt(spec->scaling > POSENC_LINEAR);
    SetList(pairs, rounds || bytes.ConsumeBool(), &spec->frequency_count, &lists[kFrequencies]);
    lists[kFrequencies].is_checked = true;
  }
  const bool takes_factors = spec->scaling == POSENC_LONGROPE || spec->scaling == POSENC_FREQUENCY_FACTORS;
  if (!takes_factors && !Rarely(bytes, 16)) return;
  const bool floats = bytes.ConsumeBool();
  SetList(pairs, floats, &spec->factor_count, &lists[kFactors]);
  if (spec->scaling == POSENC_LONGROPE) SetList(pairs, floats, &spec->factor_count, &lists[kLongFactors]);
  for (const List i : {kFactors, kLongFactors}) {
    lists[i].is_positive = true;
    lists[i].is_checked = takes_factors && lists[i].is_set;
  }
}

}  // namespace fuzz
}  // namespace posenc
