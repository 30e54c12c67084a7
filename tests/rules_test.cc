// For every rule in spec/rules.inc, a mistake that breaks only this rule. The call reports the rule's
// sentence. A rule that no mistake breaks fails the test. models/models_rules_test.cc has the rules of
// models.
#include "rules_test.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "posenc/grid_c.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_cache_c.h"
#include "spec_words.h"

namespace posenc {
namespace {

namespace rule = internal::rule;

constexpr std::size_t kDim = 8, kRows = 3, kMaxSize = std::numeric_limits<std::size_t>::max();

// A spec of 8 columns, or for heads of 8 elements, with these members.
struct MistakeOfSpec {
  posenc_status rule;
  const char* words;
};

const MistakeOfSpec kOfEncoders[] = {
    {rule::spec_dim, "dim=0"},
    {rule::spec_layout, "layout=4"},
    {rule::spec_odd_column, "odd_column=4"},
    {rule::spec_base, "base=0"},
    {rule::spec_exponent_dim, "exponent_dim=nan"},
    {rule::spec_min_timescale, "min_timescale=0"},
    {rule::spec_position_scale, "position_scale=inf"},
    {rule::spec_position_offset, "position_offset=2147483649"},
    {rule::spec_unit, "unit=3"},
    {rule::spec_phase_rounding, "phase_rounding=11"},
    {rule::spec_has_padding, "has_padding=2"},
    {rule::spec_input_first, "input_first=2"},
    {rule::spec_nan_rows, "nan_rows=2"},
    {rule::spec_lists_only, "lists_only=2"},
    {rule::frequencies_finite, "frequencies=1:1:inf:1"},
    {rule::frequencies_twice, "frequencies=1:1:1:1 +frequencies_f32=1:1:1:1"},
    {rule::frequencies_missing, "frequency_count=4"},
    {rule::frequency_count, "frequencies=1:1:1"},
    {rule::frequency_range, "position_scale=1e300"},
    {rule::odd_zero_middle, "odd_column=zero_middle"},
    {rule::padding_position, "padding_position=2147483648 position_offset=1"},
    {rule::min_timescale_with_list, "min_timescale=2 frequencies=1:1:1:1"},
    {rule::min_timescale_with_rounding, "min_timescale=2 phase_rounding=f32_exp"},
    {rule::list_rounding, "frequencies=1:1:1:1 phase_rounding=f32_exp"},
    {rule::f32_list_needs_list, "phase_rounding=f32_list"},
    {rule::rounding_unit, "phase_rounding=f32_exp unit=turns"},
    {rule::rounding_base, "phase_rounding=f32_pow_div base=1e300"},
    {rule::rounding_exponent_dim, "phase_rounding=f32_pow_div exponent_dim=0x1p128"},
    {rule::rounding_position_scale, "phase_rounding=f32_exp position_scale=1e300"},
    {rule::rounding_position_scale, "phase_rounding=f32_exp position_scale=0"},
};

const MistakeOfSpec kOfRotaries[] = {
    {rule::rotary_head_dim, "head_dim=1"},
    {rule::rotary_rotary_dim, "rotary_dim=3"},
    {rule::rotary_pairing, "pairing=2"},
    {rule::rotary_output_pairing, "output_pairing=3"},
    {rule::rotary_arithmetic, "arithmetic=2"},
    {rule::rotary_base, "base=-1"},
    {rule::rotary_exponent_dim, "exponent_dim=inf"},
    {rule::rotary_position_scale, "position_scale=nan"},
    {rule::rotary_unit, "unit=3"},
    {rule::rotary_axes, "axes=5"},
    {rule::rotary_axis_order, "axis_order=100"},
    {rule::rotary_scaling, "scaling=100"},
    {rule::rotary_factor, "factor=nan"},
    {rule::rotary_length, "length=nan"},
    {rule::rotary_original_length, "original_length=nan"},
    {rule::rotary_beta_fast, "beta_fast=nan"},
    {rule::rotary_beta_slow, "beta_slow=nan"},
    {rule::rotary_truncate, "truncate=2"},
    {rule::rotary_mscale, "mscale=nan"},
    {rule::rotary_mscale_all_dim, "mscale_all_dim=nan"},
    {rule::rotary_amplitude_factor, "amplitude_factor=nan"},
    {rule::rotary_low_freq_factor, "low_freq_factor=nan"},
    {rule::rotary_high_freq_factor, "high_freq_factor=nan"},
    {rule::rotary_proportion, "proportion=nan"},
    {rule::rotary_amplitude, "amplitude=0x1p-65"},
    {rule::rotary_phase_rounding, "phase_rounding=11"},
    {rule::factors_positive, "scaling=frequency_factors factors=1:0:1:1"},
    {rule::rotary_end, "rotary_offset=2 rotary_dim=8"},
    {rule::rotary_dim_default, "rotary_offset=1"},
    {rule::sections_of_one_axis, "sections=4"},
    {rule::sections_sum, "axes=2 sections=2:1"},
    {rule::sections_order, "axes=2 sections=1:3 axis_order=interleaved"},
    {rule::axial_exponent_dim, "axes=2 sections=2:2 axis_order=axial exponent_dim=4"},
    {rule::list_scaling, "scaling=ntk factor=2 frequencies=1:1:1:1"},
    {rule::scaling_factor, "scaling=linear factor=0"},
    {rule::summed_factor, "scaling=yarn original_length=1024 factor=0x1.00001p100"},
    {rule::llama3_ratio, "scaling=llama3 factor=8 original_length=1024 low_freq_factor=0x1p-99"},
    {rule::ntk_lengths, "scaling=qwen_ntk length=1e300 original_length=1e-300"},
    {rule::rotary_frequency_count, "frequencies=1:1:1"},
    {rule::dynamic_factor, "scaling=dynamic_ntk factor=1e300 length=1e300 original_length=1"},
    {rule::scaling_length, "scaling=dynamic_ntk original_length=1024"},
    {rule::scaling_original_length, "scaling=yarn factor=4"},
    {rule::longrope_original_length,
     "scaling=longrope factors=1:1:1:1 long_factors=1:1:1:1 factor=4 length=1 original_length=1"},
    {rule::yarn_base, "scaling=yarn factor=4 original_length=1024 base=0.5"},
    {rule::yarn_betas, "scaling=yarn factor=4 original_length=1024 beta_slow=0"},
    {rule::yarn_beta_order, "scaling=yarn factor=4 original_length=1024 beta_slow=33"},
    {rule::yarn_mscale, "scaling=yarn factor=4 original_length=1024 mscale=-1"},
    {rule::made_amplitude, "scaling=yarn factor=4 original_length=1024 amplitude_factor=0"},
    {rule::llama3_factors, "scaling=llama3 factor=8 original_length=1024 low_freq_factor=0"},
    {rule::llama3_order, "scaling=llama3 factor=8 original_length=1024 low_freq_factor=5"},
    {rule::proportion_range, "scaling=proportional proportion=2"},
    {rule::factors_twice, "scaling=frequency_factors factors=1:1:1:1 +factors_f32=1:1:1:1"},
    {rule::factors_missing, "scaling=frequency_factors"},
    {rule::factor_count, "scaling=frequency_factors factors=1:1:1"},
    {rule::long_factors_twice,
     "scaling=longrope factors=1:1:1:1 long_factors=1:1:1:1 +long_factors_f32=1:1:1:1 length=1 "
     "original_length=2"},
    {rule::long_factors_missing, "scaling=longrope factors=1:1:1:1 length=1 original_length=2"},
    {rule::rotary_roundings, "phase_rounding=f32_pow_div"},
    {rule::rounding_scaling, "phase_rounding=f32_exp scaling=ntk factor=2"},
    {rule::rounding_scale_of_rotary, "phase_rounding=f32_exp position_scale=2"},
    {rule::rounding_list_of_rotary, "phase_rounding=f32_exp frequencies=1:1:1:1"},
    {rule::rounding_axes, "phase_rounding=f32_exp axes=2 sections=2:2 axis_order=split"},
    {rule::rounding_factor,
     "phase_rounding=f32_inv_freq scaling=linear factor=1e39 frequencies_f32=1e9:1e9:1e9:1e9"},
    {rule::rounding_factors,
     "phase_rounding=f32_iterated scaling=frequency_factors base=0.5 exponent_dim=0.3 "
     "factors=1:1:1:0x1.ffffffp127"},
};

void BreakRulesOfSpecs(BrokenRules* rules) {
  for (const MistakeOfSpec& mistake : kOfEncoders) {
    SCOPED_TRACE(mistake.words);
    const posenc_spec spec = EncoderSpec(std::string("dim=8 ") + mistake.words);
    posenc_encoder* encoder = nullptr;
    rules->Expect(mistake.rule, posenc_encoder_create(&spec, &encoder));
  }
  for (const MistakeOfSpec& mistake : kOfRotaries) {
    SCOPED_TRACE(mistake.words);
    const posenc_rotary_spec spec = RotarySpecOf(std::string("head_dim=8 ") + mistake.words);
    posenc_rotary* rotary = nullptr;
    rules->Expect(mistake.rule, posenc_rotary_create(&spec, &rotary));
  }
}

void BreakRulesOfCreation(BrokenRules* rules) {
  posenc_spec spec = EncoderSpec("dim=8");
  posenc_encoder* encoder = nullptr;
  unsigned char memory[64];
  rules->Expect(rule::null_spec, posenc_spec_init(nullptr, sizeof(spec)));
  rules->Expect(rule::spec_size_argument, posenc_spec_init(&spec, 1));
  rules->Expect(rule::null_made, posenc_encoder_create(&spec, nullptr));
  rules->Expect(rule::null_memory, posenc_encoder_create_in(&spec, nullptr, 1 << 20, &encoder));
  rules->Expect(rule::null_bytes, posenc_encoder_memory_size(&spec, nullptr));
  rules->Expect(rule::null_work, posenc_with_fp_state(nullptr, nullptr));
  for (const std::size_t bytes : {kMaxSize, kMaxSize / 2 + 1})
    rules->Expect(rule::size_memory, posenc_encoder_create_in(&spec, memory, bytes, &encoder));
  rules->Expect(rule::small_memory, posenc_encoder_create_in(&spec, memory, sizeof(memory), &encoder));
  std::vector<unsigned char> around(1 << 16);
  auto* const within = reinterpret_cast<posenc_spec*>(around.data() + 64);
  std::memcpy(within, &spec, sizeof(spec));
  rules->Expect(rule::overlap_memory,
                posenc_encoder_create_in(within, around.data(), around.size(), &encoder));
  spec.target = "no such target";
  rules->Expect(rule::target_name, posenc_encoder_create(&spec, &encoder));
  spec.struct_size = 1;
  rules->Expect(rule::spec_struct_size, posenc_encoder_create(&spec, &encoder));
  posenc_rotary_spec rotary_spec = RotarySpecOf("head_dim=8");
  posenc_rotary* rotary = nullptr;
  rules->Expect(rule::rotary_size_argument, posenc_rotary_spec_init(&rotary_spec, 1));
  rotary_spec.struct_size = 1;
  rules->Expect(rule::rotary_struct_size, posenc_rotary_create(&rotary_spec, &rotary));
  struct {
    posenc_spec spec;
    std::int64_t member;
  } newer = {EncoderSpec("dim=8"), 1};
  newer.spec.struct_size = sizeof(newer);
  rules->Expect(rule::unknown_members, posenc_encoder_create(&newer.spec, &encoder));
}

// An encoder and a rotary, and arguments that are right for their calls.
struct Calls {
  Calls() {
    const posenc_spec spec = EncoderSpec("dim=8");
    const posenc_rotary_spec rotary_spec = RotarySpecOf("head_dim=8");
    EXPECT_EQ(posenc_encoder_create(&spec, &encoder), POSENC_OK);
    EXPECT_EQ(posenc_rotary_create(&rotary_spec, &rotary), POSENC_OK);
    for (posenc_heads& tensor : tensors) {
      tensor.type = POSENC_F32;
      tensor.heads = 2;
      tensor.token_stride = 2 * kDim;
      tensor.head_stride = kDim;
    }
    tensors[0].data = data;
    tensors[1].data = data + 100;
    axes[0].encoder = axes[1].encoder = encoder;
    axes[0].count = axes[1].count = 2;
    axes[1].column = kDim;
  }
  ~Calls() {
    posenc_encoder_destroy(encoder);
    posenc_rotary_destroy(rotary);
  }
  Calls(const Calls&) = delete;
  Calls& operator=(const Calls&) = delete;

  float data[400] = {}, table[100] = {}, cosines[100] = {}, sines[100] = {};
  std::int32_t ids[kRows] = {};
  posenc_encoder* encoder = nullptr;
  posenc_rotary* rotary = nullptr;
  std::int64_t first = 0;
  posenc_rows out = {POSENC_F32, data, kDim}, grid = {POSENC_F32, data, 2 * kDim};
  posenc_list positions = {POSENC_I32, ids}, cache_rows = {POSENC_I32, ids};
  posenc_lookup lookup = {{POSENC_I32, ids}, POSENC_F32, table, 3, kDim};
  posenc_batch batch = {2, kRows* kDim, {POSENC_I32, ids}};
  posenc_heads tensors[2] = {};
  posenc_cache cache = {POSENC_CACHE_HALVES, POSENC_F32, cosines, sines, kDim};
  posenc_const_cache read = {POSENC_CACHE_HALVES, POSENC_F32, cosines, sines, kDim, kRows};
  posenc_grid_axis axes[2] = {};
  std::size_t rows = kRows, axis_count = 2;
  // What the call gets: null, or the struct above.
  const posenc_rows* given_out = &out;
  const posenc_list *given_positions = &positions, *given_cache_rows = &cache_rows;
  const posenc_lookup* given_lookup = &lookup;
  const posenc_batch* given_batch = &batch;
  const posenc_heads* given_tensors = tensors;
  const posenc_cache* given_cache = &cache;
  const posenc_grid_axis* given_axes = axes;
};

void BreakRulesOfEncoders(BrokenRules* rules) {
  Calls c;
  const auto write = [&] { return posenc_write(c.encoder, c.first, c.rows, c.given_out); };
  const auto write_at = [&] {
    return posenc_write_at(c.encoder, c.given_positions, c.rows, c.given_out, nullptr);
  };
  const auto add = [&] { return posenc_add(c.encoder, c.first, c.rows, c.given_out, 1.0f); };
  const auto add_batch = [&] {
    return posenc_add_batch(c.encoder, c.given_batch, c.first, c.rows, c.given_out, 1.0f, nullptr);
  };
  const auto embed = [&] {
    return posenc_embed(c.encoder, c.given_lookup, c.first, c.rows, c.given_out, 1.0f, nullptr);
  };
  posenc_encoder* const none = nullptr;
  rules->Expect(rule::null_encoder, posenc_write(none, 0, kRows, &c.out));
  rules->ExpectWith(&c.given_out, nullptr, rule::null_rows, write);
  rules->ExpectWith(&c.out.data, nullptr, rule::null_rows_data, write);
  rules->ExpectWith(&c.given_positions, nullptr, rule::null_positions, write_at);
  rules->ExpectWith(&c.positions.data, nullptr, rule::null_positions_data, write_at);
  rules->ExpectWith(&c.given_batch, nullptr, rule::null_batch, add_batch);
  rules->ExpectWith(&c.given_lookup, nullptr, rule::null_lookup, embed);
  rules->ExpectWith(&c.lookup.ids.data, nullptr, rule::null_ids_data, embed);
  rules->ExpectWith(&c.lookup.table, nullptr, rule::null_table, embed);

  rules->ExpectWith(&c.out.type, POSENC_I32, rule::type_written, write);
  rules->ExpectWith(&c.out.type, POSENC_F64, rule::type_added, add);
  rules->ExpectWith(&c.out.type, POSENC_F64, rule::type_embedded, embed);
  rules->ExpectWith(&c.positions.type, POSENC_BF16, rule::type_positions, write_at);
  rules->ExpectWith(&c.lookup.ids.type, POSENC_F32, rule::type_ids, embed);
  rules->ExpectWith(&c.lookup.type, POSENC_F64, rule::type_table, embed);
  rules->ExpectWith(&c.batch.first_positions.type, POSENC_F32, rule::type_first_positions, add_batch);

  rules->ExpectWith(&c.rows, kMaxSize, rule::size_rows, write);
  rules->ExpectWith(&c.batch.sequences, kMaxSize, rule::size_batch, add_batch);
  rules->ExpectWith(&c.lookup.vocabulary, kMaxSize, rule::size_table, embed);
  rules->ExpectWith(&c.out.stride, kDim - 1, rule::stride_rows, write);
  rules->ExpectWith(&c.batch.stride, kRows * kDim - 1, rule::stride_batch, add_batch);
  rules->ExpectWith(&c.lookup.stride, kDim - 1, rule::stride_table, embed);

  rules->ExpectWith(&c.positions.data, c.data, rule::overlap_positions, write_at);
  rules->ExpectWith(&c.batch.first_positions.data, c.data, rule::overlap_first_positions, add_batch);
  rules->ExpectWith(&c.lookup.ids.data, c.data, rule::overlap_ids, embed);
  rules->ExpectWith(&c.lookup.table, c.data, rule::overlap_table, embed);

  c.positions = {POSENC_F64, c.table};
  double bad[kRows] = {0.0, 0.0, std::nan("")};
  rules->ExpectWith(&c.first, POSENC_MAX_POSITION, rule::run_range, write);
  rules->ExpectWith(&c.positions.data, bad, rule::position_range, write_at);
  rules->ExpectWith(&c.first, POSENC_MAX_POSITION, rule::first_position_range, add_batch);
  rules->ExpectWith(&c.ids[2], 3, rule::id_range, embed);
  rules->ExpectWith(&c.lookup.vocabulary, std::size_t{0}, rule::no_ids, embed);
}

// Rows have one column of 16 bits, and a list has 64 bits for each row. So the list exceeds the address space
// before the rows do.
void BreakSizeOfLists(BrokenRules* rules) {
  const posenc_spec spec = EncoderSpec("dim=1");
  posenc_encoder* encoder = nullptr;
  ASSERT_EQ(posenc_encoder_create(&spec, &encoder), POSENC_OK);
  std::uint16_t out[1] = {};
  const std::int64_t positions[1] = {};
  const posenc_rows rows = {POSENC_BF16, out, 1};
  const posenc_list list = {POSENC_I64, positions};
  rules->Expect(rule::size_list, posenc_write_at(encoder, &list, kMaxSize / 8, &rows, nullptr));
  posenc_encoder_destroy(encoder);
}

void BreakRulesOfGrids(BrokenRules* rules) {
  Calls c;
  const auto write = [&] {
    return posenc_write_grid(c.given_axes, c.axis_count, 0, &c.grid, nullptr, nullptr);
  };
  rules->ExpectWith(&c.given_axes, nullptr, rule::null_axes, write);
  rules->ExpectWith(&c.axes[1].encoder, nullptr, rule::null_axis_encoder, write);
  rules->ExpectWith(&c.axis_count, std::size_t{POSENC_MAX_GRID_AXES} + 1, rule::grid_axes, write);
  rules->ExpectWith(&c.axes[1].column, kDim - 1, rule::grid_columns, write);
  rules->ExpectWith(&c.axes[1].count, kMaxSize, rule::size_cells, write);
  rules->ExpectWith(&c.grid.stride, 2 * kDim - 1, rule::stride_grid, write);
}

void BreakRulesOfHeads(BrokenRules* rules) {
  Calls c;
  posenc_heads& q = c.tensors[0];
  const auto rotate = [&] { return posenc_rotate(c.rotary, c.first, kRows, c.given_tensors, 2); };
  posenc_rotary* const none = nullptr;
  rules->Expect(rule::null_rotary, posenc_rotate(none, 0, kRows, c.tensors, 2));
  rules->ExpectWith(&c.given_tensors, nullptr, rule::null_tensors, rotate);
  rules->ExpectWith(&q.data, nullptr, rule::null_heads_data, rotate);
  rules->ExpectWith(&c.first, POSENC_MAX_POSITION, rule::token_run_range, rotate);
  const auto rotate_at = [&] {
    return posenc_rotate_at(c.rotary, c.given_positions, kRows, c.tensors, 2, nullptr);
  };
  const double bad[kRows] = {0.0, 0.0, 0x1p31 + 1};
  c.positions.type = POSENC_F64;
  const double good[kRows] = {};
  c.positions.data = good;
  rules->ExpectWith(&c.positions.data, bad, rule::token_position_range, rotate_at);
  rules->ExpectWith(&q.type, POSENC_F64, rule::type_heads, rotate);
  rules->ExpectWith(&c.tensors[1].type, POSENC_BF16, rule::type_tensors, rotate);
  rules->ExpectWith(&q.source_type, POSENC_BF16, rule::type_source, rotate);
  rules->ExpectWith(&q.inverse, 2, rule::heads_inverse, rotate);
  rules->ExpectWith(&q.reserved, 1, rule::heads_reserved, rotate);
  rules->ExpectWith(&q.scale, 0x1p65, rule::heads_scale, rotate);
  rules->ExpectWith(&q.heads, kMaxSize, rule::size_heads, rotate);
  rules->ExpectWith(&q.token_stride, 2 * kDim - 1, rule::stride_tokens, rotate);
  rules->ExpectWith(&q.head_stride, kDim - 1, rule::stride_heads, rotate);
  rules->ExpectWith(&q.source, c.data + 1, rule::overlap_source, rotate);
  rules->ExpectWith(&q.data, c.data + 99, rule::overlap_tensors, rotate);

  posenc_rotary_spec spec = RotarySpecOf("head_dim=2048 output_pairing=neighbours");
  posenc_rotary* other = nullptr;
  ASSERT_EQ(posenc_rotary_create(&spec, &other), POSENC_OK);
  std::vector<float> head(2048);
  posenc_heads wide{};
  wide.type = POSENC_F32;
  wide.data = head.data();
  wide.heads = 1;
  rules->Expect(rule::pairing_in_place, posenc_rotate(other, 0, 1, &wide, 1));
  posenc_rotary_destroy(other);
  spec = RotarySpecOf("head_dim=8 amplitude=0x1p64");
  ASSERT_EQ(posenc_rotary_create(&spec, &other), POSENC_OK);
  wide.scale = 2.0;
  rules->Expect(rule::heads_gain, posenc_rotate(other, 0, 1, &wide, 1));
  posenc_rotary_destroy(other);
}

void BreakRulesOfCaches(BrokenRules* rules) {
  Calls c;
  const auto write = [&] { return posenc_write_cache(c.rotary, 0, c.rows, c.given_cache); };
  const auto rotate = [&] {
    return posenc_rotate_cached_at(c.rotary, &c.read, c.given_cache_rows, kRows, c.tensors, 2, nullptr);
  };
  rules->ExpectWith(&c.given_cache, nullptr, rule::null_cache, write);
  rules->ExpectWith(&c.cache.cos, nullptr, rule::null_cos, write);
  rules->ExpectWith(&c.cache.sin, nullptr, rule::null_sin, write);
  rules->ExpectWith(&c.given_cache_rows, nullptr, rule::null_cache_rows, rotate);
  rules->ExpectWith(&c.cache_rows.data, nullptr, rule::null_cache_rows_data, rotate);
  rules->ExpectWith(&c.read.type, POSENC_F64, rule::type_read_cache, rotate);
  rules->ExpectWith(&c.cache_rows.type, POSENC_F32, rule::type_cache_rows, rotate);
  rules->ExpectWith(&c.cache.layout, posenc_cache_layout{5}, rule::cache_layout, write);
  rules->ExpectWith(&c.cache.layout, POSENC_CACHE_PAIRS, rule::cache_sin, write);
  rules->ExpectWith(&c.rows, kMaxSize, rule::size_cache, write);
  rules->ExpectWith(&c.cache.row_stride, kDim / 2 - 1, rule::stride_cache, write);
  rules->ExpectWith(&c.cache.sin, c.cosines + 1, rule::overlap_tables, write);
  rules->ExpectWith(&c.read.cos, c.data, rule::overlap_cache, rotate);
  rules->ExpectWith(&c.ids[1], -1, rule::cache_row_range, rotate);
}

TEST(Rules, EachIsBrokenByAMistake) {
  BrokenRules rules;
  BreakRulesOfSpecs(&rules);
  BreakRulesOfCreation(&rules);
  BreakRulesOfEncoders(&rules);
  BreakSizeOfLists(&rules);
  BreakRulesOfGrids(&rules);
  BreakRulesOfHeads(&rules);
  BreakRulesOfCaches(&rules);
  // Tested elsewhere: calls_allocation_test.cc makes memory fail, and create_errors_test.cc names each
  // target. inexact_build cannot be tested here, because the library and the tests have the same compiler
  // flags.
  rules.ExpectAll(false, {rule::no_memory, rule::target_cpu, rule::inexact_build});
}

}  // namespace
}  // namespace posenc
