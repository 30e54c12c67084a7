// The members of specs by name, so that JavaScript need not know where a compiler puts them.
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"
#include "wasm/module.h"

namespace {

// clang-format off
constexpr Member kSpec[] = {
    {"dim", Kind::kSize, offsetof(posenc_spec, dim)},
    {"base", Kind::kDouble, offsetof(posenc_spec, base)},
    {"exponentDim", Kind::kDouble, offsetof(posenc_spec, exponent_dim)},
    {"positionScale", Kind::kDouble, offsetof(posenc_spec, position_scale)},
    {"layout", Kind::kInt32, offsetof(posenc_spec, layout)},
    {"phaseRounding", Kind::kInt32, offsetof(posenc_spec, phase_rounding)},
    {"target", Kind::kPointer, offsetof(posenc_spec, target)},
    {"frequencies", Kind::kPointer, offsetof(posenc_spec, frequencies)},
    {"frequenciesF32", Kind::kPointer, offsetof(posenc_spec, frequencies_f32)},
    {"frequenciesCount", Kind::kSize, offsetof(posenc_spec, frequency_count)},
    {"frequencyUnit", Kind::kInt32, offsetof(posenc_spec, frequency_unit)},
    {"nanRows", Kind::kInt32, offsetof(posenc_spec, nan_rows)},
    {"listsOnly", Kind::kInt32, offsetof(posenc_spec, lists_only)},
    {"oddColumn", Kind::kInt32, offsetof(posenc_spec, odd_column)},
    {"minTimescale", Kind::kDouble, offsetof(posenc_spec, min_timescale)},
    {"positionOffset", Kind::kInt64, offsetof(posenc_spec, position_offset)},
    {"hasPadding", Kind::kInt32, offsetof(posenc_spec, has_padding)},
    {"inputFirst", Kind::kInt32, offsetof(posenc_spec, input_first)},
    {"paddingPosition", Kind::kInt64, offsetof(posenc_spec, padding_position)},
    {"tableRows", Kind::kInt64, offsetof(posenc_spec, table_rows)},
    {nullptr, Kind::kSize, 0}};

constexpr Member kRotarySpec[] = {
    {"headDim", Kind::kSize, offsetof(posenc_rotary_spec, head_dim)},
    {"rotaryDim", Kind::kSize, offsetof(posenc_rotary_spec, rotary_dim)},
    {"rotaryOffset", Kind::kSize, offsetof(posenc_rotary_spec, rotary_offset)},
    {"pairing", Kind::kInt32, offsetof(posenc_rotary_spec, pairing)},
    {"outputPairing", Kind::kInt32, offsetof(posenc_rotary_spec, output_pairing)},
    {"arithmetic", Kind::kInt32, offsetof(posenc_rotary_spec, arithmetic)},
    {"phaseRounding", Kind::kInt32, offsetof(posenc_rotary_spec, phase_rounding)},
    {"base", Kind::kDouble, offsetof(posenc_rotary_spec, base)},
    {"exponentDim", Kind::kDouble, offsetof(posenc_rotary_spec, exponent_dim)},
    {"positionScale", Kind::kDouble, offsetof(posenc_rotary_spec, position_scale)},
    {"frequencyUnit", Kind::kInt32, offsetof(posenc_rotary_spec, unit)},
    {"scaling", Kind::kInt32, offsetof(posenc_rotary_spec, scaling)},
    {"factor", Kind::kDouble, offsetof(posenc_rotary_spec, factor)},
    {"length", Kind::kDouble, offsetof(posenc_rotary_spec, length)},
    {"originalLength", Kind::kDouble, offsetof(posenc_rotary_spec, original_length)},
    {"betaFast", Kind::kDouble, offsetof(posenc_rotary_spec, beta_fast)},
    {"betaSlow", Kind::kDouble, offsetof(posenc_rotary_spec, beta_slow)},
    {"mscale", Kind::kDouble, offsetof(posenc_rotary_spec, mscale)},
    {"mscaleAllDim", Kind::kDouble, offsetof(posenc_rotary_spec, mscale_all_dim)},
    {"lowFreqFactor", Kind::kDouble, offsetof(posenc_rotary_spec, low_freq_factor)},
    {"highFreqFactor", Kind::kDouble, offsetof(posenc_rotary_spec, high_freq_factor)},
    {"proportion", Kind::kDouble, offsetof(posenc_rotary_spec, proportion)},
    {"amplitude", Kind::kDouble, offsetof(posenc_rotary_spec, amplitude)},
    {"truncate", Kind::kInt32, offsetof(posenc_rotary_spec, truncate)},
    {"axisOrder", Kind::kInt32, offsetof(posenc_rotary_spec, axis_order)},
    {"factorsCount", Kind::kSize, offsetof(posenc_rotary_spec, factor_count)},
    {"factors", Kind::kPointer, offsetof(posenc_rotary_spec, factors)},
    {"factorsF32", Kind::kPointer, offsetof(posenc_rotary_spec, factors_f32)},
    {"longFactors", Kind::kPointer, offsetof(posenc_rotary_spec, long_factors)},
    {"longFactorsF32", Kind::kPointer, offsetof(posenc_rotary_spec, long_factors_f32)},
    {"frequenciesCount", Kind::kSize, offsetof(posenc_rotary_spec, frequency_count)},
    {"frequencies", Kind::kPointer, offsetof(posenc_rotary_spec, frequencies)},
    {"frequenciesF32", Kind::kPointer, offsetof(posenc_rotary_spec, frequencies_f32)},
    {"axes", Kind::kSize, offsetof(posenc_rotary_spec, axes)},
    {"sections", Kind::kSizes4, offsetof(posenc_rotary_spec, sections)},
    {"target", Kind::kPointer, offsetof(posenc_rotary_spec, target)},
    {nullptr, Kind::kSize, 0}};
// clang-format on

}  // namespace

const Member* web_spec_members() { return kSpec; }
const Member* web_rotary_spec_members() { return kRotarySpec; }
std::size_t web_spec_size() { return sizeof(posenc_spec); }
std::size_t web_rotary_spec_size() { return sizeof(posenc_rotary_spec); }
