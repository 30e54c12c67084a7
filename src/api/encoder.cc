// The C functions of encoders (posenc_c.h): creation and calls.

#include "number/exact.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "api/block.h"
#include "api/handle.h"
#include "call/call.h"
#include "call/checks.h"
#include "frequency/encoder_spec.h"
#include "frequency/framework.h"
#include "frequency/geometric.h"
#include "kernel/targets.h"
#include "number/fp_state.h"
#include "posenc/posenc_c.h"
#include "spec/rules.h"
#include "spec/versioned.h"

namespace posenc {
namespace internal {
namespace {

struct EncoderPlan {
  const posenc_spec* from;
  posenc_spec spec;
  posenc_encoder handle;
  GeometricFrequencies frequencies;
  posenc_status refusal;

  explicit EncoderPlan(const posenc_spec* caller) : from(caller), refusal(CopySpec(caller, &spec)) {
    if (refusal == POSENC_OK) refusal = InFpState([&] { return Make(); });
  }
  posenc_status Make();  // checks the spec and sets the handle

  // Takes microseconds. It decides exactly whether all frequencies are in range.
  posenc_status Finish() { return frequencies.Plan(spec); }
  std::size_t ArraySize() const {
    return ArrayBytes(handle.encoder.table) + GeometricFrequencies::CopyBytes(spec);
  }
  std::array<Bytes, 1> Read() const { return {BytesOf(ListOf(spec))}; }
  void Fill(void* memory, posenc_encoder* made) const {
    FrequencyTable& table = made->encoder.table;
    void* const behind = static_cast<unsigned char*>(memory) + ArrayBytes(table);
    FillTable(memory, *frequencies.CopyTo(behind), &table);
    if (table.has_offsets && table.HasStepBesideHalfTurns()) table.has_offsets = false;
    if (table.has_offsets) made->encoder.kernels->fill_offsets(table);
  }
};

posenc_status EncoderPlan::Make() {
  Encoder& encoder = handle.encoder;
  bool has_large = false;
  if (const posenc_status status = CheckSpec(spec); status != POSENC_OK) return status;
  if (const posenc_status status = CheckRange(spec, &has_large); status != POSENC_OK) return status;
  PlanTable(PairCount(spec), spec.unit, has_large, PlanPhaseRounding(spec), &encoder.table);
  if (const posenc_status status = PlaceColumns(spec, &encoder); status != POSENC_OK) return status;
  if (spec.has_padding != 0 && CheckRun(spec.padding_position, 1, spec.position_offset) != POSENC_OK)
    return rule::padding_position;
  if (const posenc_status status = FindTarget(spec.target, &encoder.target); status != POSENC_OK)
    return status;
  encoder.dim = spec.dim;
  encoder.layout = spec.layout;
  encoder.offset = spec.position_offset;
  encoder.has_padding = spec.has_padding != 0;
  encoder.padding = spec.padding_position;
  encoder.nan_rows = spec.nan_rows != 0;
  encoder.table_rows = spec.table_rows;
  encoder.kernels = EncoderKernelsOf(encoder.target);
  encoder.table.has_offsets = spec.phase_rounding == POSENC_NO_PHASE_ROUNDING && spec.lists_only == 0 &&
                              encoder.kernels->fill_offsets != nullptr;
  return rule::ok;
}

// Checks that pointers to handles and structs are not null, and that types are right. call/call.cc checks all
// other arguments.
posenc_status CheckWritten(const posenc_encoder* encoder, const posenc_rows* out) {
  if (encoder == nullptr) return rule::null_encoder;
  if (out == nullptr) return rule::null_rows;
  return IsEntry(out->type) ? rule::ok : rule::type_written;
}

posenc_status CheckAdded(const posenc_encoder* encoder, const posenc_rows* x, posenc_status wrong_type) {
  if (encoder == nullptr) return rule::null_encoder;
  if (x == nullptr) return rule::null_rows;
  return IsSummand(x->type) ? rule::ok : wrong_type;
}

posenc_status CheckPositionList(const posenc_list* positions) {
  if (positions == nullptr) return rule::null_positions;
  return IsPositionType(positions->type) ? rule::ok : rule::type_positions;
}

posenc_status CheckTypes(const posenc_encoder* encoder, const posenc_lookup* lookup, const posenc_rows* out) {
  if (const posenc_status status = CheckAdded(encoder, out, rule::type_embedded); status != POSENC_OK)
    return status;
  if (lookup == nullptr) return rule::null_lookup;
  if (!IsInteger(lookup->ids.type)) return rule::type_ids;
  const bool is_narrower = IsSummand(lookup->type) && out->type == POSENC_F32;  // it will be widened
  return lookup->type == out->type || is_narrower ? rule::ok : rule::type_table;
}

Lookup LookupOf(const posenc_lookup& lookup) {
  return {List(lookup.ids), lookup.type, lookup.table, lookup.vocabulary, lookup.stride};
}

}  // namespace
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_encoder_create(const posenc_spec* spec, posenc_encoder** encoder) {
  return Create(EncoderPlan(spec), encoder);
}

posenc_status posenc_encoder_memory_size(const posenc_spec* spec, size_t* bytes) {
  return MemorySize(EncoderPlan(spec), bytes);
}

posenc_status posenc_encoder_create_in(const posenc_spec* spec, void* memory, size_t bytes,
                                       posenc_encoder** encoder) {
  return CreateIn({memory, bytes}, EncoderPlan(spec), encoder);
}

void posenc_encoder_destroy(posenc_encoder* encoder) { Destroy(encoder); }

size_t posenc_encoder_dim(const posenc_encoder* encoder) {
  return encoder == nullptr ? 0 : encoder->encoder.dim;
}

posenc_layout posenc_encoder_layout(const posenc_encoder* encoder) {
  return encoder == nullptr ? posenc_layout{-1} : encoder->encoder.layout;
}

const char* posenc_encoder_target(const posenc_encoder* encoder) {
  return encoder == nullptr ? "" : NameOf(encoder->encoder.target);
}

size_t posenc_encoder_frequency_count(const posenc_encoder* encoder) {
  return encoder == nullptr ? 0 : encoder->encoder.table.count;
}

double posenc_encoder_radians(const posenc_encoder* encoder, size_t i) {
  if (i >= posenc_encoder_frequency_count(encoder)) return std::numeric_limits<double>::quiet_NaN();
  return InFpState([&] { return encoder->encoder.table.exact->NearestRadians(i); });
}

posenc_status posenc_write(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                           const posenc_rows* out) {
  if (const posenc_status status = CheckWritten(encoder, out); status != POSENC_OK) return status;
  return CallRun({encoder->encoder, out->type}, first_position, rows,
                 {out->data, out->stride, encoder->encoder.table_rows});
}

posenc_status posenc_write_at(const posenc_encoder* encoder, const posenc_list* positions, size_t rows,
                              const posenc_rows* out, size_t* bad_index) {
  posenc_status status = CheckWritten(encoder, out);
  if (status == POSENC_OK) status = CheckPositionList(positions);
  if (status != POSENC_OK) return status;
  return CallList({encoder->encoder, out->type}, List(*positions), rows, {out->data, out->stride}, bad_index);
}

posenc_status posenc_add(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                         const posenc_rows* x, float scale) {
  if (const posenc_status status = CheckAdded(encoder, x, rule::type_added); status != POSENC_OK)
    return status;
  return CallRun({encoder->encoder, x->type, &scale}, first_position, rows, {x->data, x->stride});
}

posenc_status posenc_add_at(const posenc_encoder* encoder, const posenc_list* positions, size_t rows,
                            const posenc_rows* x, float scale, size_t* bad_index) {
  posenc_status status = CheckAdded(encoder, x, rule::type_added);
  if (status == POSENC_OK) status = CheckPositionList(positions);
  if (status != POSENC_OK) return status;
  return CallList({encoder->encoder, x->type, &scale}, List(*positions), rows, {x->data, x->stride},
                  bad_index);
}

posenc_status posenc_add_batch(const posenc_encoder* encoder, const posenc_batch* batch,
                               int64_t first_position, size_t rows, const posenc_rows* x, float scale,
                               size_t* bad_index) {
  if (const posenc_status status = CheckAdded(encoder, x, rule::type_added); status != POSENC_OK)
    return status;
  if (batch == nullptr) return rule::null_batch;
  const posenc_list& firsts = batch->first_positions;
  if (firsts.data != nullptr && !IsInteger(firsts.type)) return rule::type_first_positions;
  return CallBatch({encoder->encoder, x->type, &scale},
                   {first_position, List(firsts), batch->sequences, rows, x->data, batch->stride, x->stride},
                   bad_index);
}

posenc_status posenc_embed(const posenc_encoder* encoder, const posenc_lookup* lookup, int64_t first_position,
                           size_t rows, const posenc_rows* out, float scale, size_t* bad_index) {
  if (const posenc_status status = CheckTypes(encoder, lookup, out); status != POSENC_OK) return status;
  return CallEmbed({encoder->encoder, out->type, &scale}, LookupOf(*lookup), first_position, rows,
                   {out->data, out->stride}, bad_index);
}

posenc_status posenc_embed_at(const posenc_encoder* encoder, const posenc_lookup* lookup,
                              const posenc_list* positions, size_t rows, const posenc_rows* out, float scale,
                              size_t* bad_index) {
  posenc_status status = CheckTypes(encoder, lookup, out);
  if (status == POSENC_OK) status = CheckPositionList(positions);
  if (status != POSENC_OK) return status;
  return CallEmbedAt({encoder->encoder, out->type, &scale}, LookupOf(*lookup), List(*positions), rows,
                     {out->data, out->stride}, bad_index);
}
