// The C functions of encoders: creation and the calls.

#include "number/exact.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "api/block.h"
#include "api/handle.h"
#include "call/call.h"
#include "call/checks.h"
#include "kernel/targets.h"
#include "number/fp_state.h"
#include "posenc/posenc_c.h"
#include "spec/rows.h"

namespace posenc {
namespace internal {
namespace {

struct EncoderPlan {
  posenc_spec spec;
  posenc_encoder handle;

  posenc_status Make();
  // The schedule takes microseconds, and settles whether all frequencies are in range.
  posenc_status Finish() { return MakeSchedule(spec, &handle.encoder.table.schedule); }
  std::size_t ArraySize() const { return ArrayBytes(handle.encoder.table); }
  std::array<Bytes, 1> Read() const { return {BytesOf(ListOf(spec))}; }
  void Fill(void* memory, posenc_encoder* made) const {
    FrequencyTable& table = made->encoder.table;
    FillTable(memory, &table);
    if (table.has_offsets) made->encoder.kernels->fill_offsets(table);
  }
};

posenc_status EncoderPlan::Make() {
  Encoder& encoder = handle.encoder;
  if (!FlagsAreRight(spec)) return POSENC_BAD_FLAG;
  if (const posenc_status status = PlaceColumns(spec, &encoder); status != POSENC_OK) return status;
  if (spec.position_offset < -POSENC_MAX_POSITION || spec.position_offset > POSENC_MAX_POSITION)
    return POSENC_BAD_POSITION_OFFSET;
  if (spec.has_padding != 0 && CheckRun(spec.padding_position, 1, spec.position_offset) != POSENC_OK)
    return POSENC_BAD_PADDING_POSITION;
  if (const posenc_status status = PlanTable(spec, &encoder.table); status != POSENC_OK) return status;
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
  return POSENC_OK;
}

bool AreTypesOfEmbed(posenc_type ids, posenc_type table, posenc_type type) {
  if (!IsInteger(ids) || !IsSummand(type) || !IsSummand(table)) return false;
  return table == type || type == POSENC_F32;  // widened, never narrowed
}

}  // namespace
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_encoder_create(const posenc_spec* spec, posenc_encoder** encoder) {
  return Create<EncoderPlan>(spec, true, nullptr, 0, encoder);
}

posenc_status posenc_encoder_memory_size(const posenc_spec* spec, size_t* bytes) {
  return MemorySize<EncoderPlan>(spec, bytes);
}

posenc_status posenc_encoder_create_in(const posenc_spec* spec, void* memory, size_t bytes,
                                       posenc_encoder** encoder) {
  return Create<EncoderPlan>(spec, false, memory, bytes, encoder);
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
  return InFpState([&] { return encoder->encoder.table.schedule.NearestRadians(i); });
}

posenc_status posenc_write(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                           posenc_type type, void* out, size_t row_stride) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  if (!IsEntry(type)) return POSENC_BAD_TYPE;
  return CallRun({encoder->encoder, type}, first_position, rows,
                 {out, row_stride, encoder->encoder.table_rows});
}

posenc_status posenc_write_at(const posenc_encoder* encoder, posenc_type position_type, const void* positions,
                              size_t rows, posenc_type type, void* out, size_t row_stride,
                              size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  if (!IsPositionType(position_type) || !IsEntry(type)) return POSENC_BAD_TYPE;
  return CallList({encoder->encoder, type}, {position_type, positions}, rows, {out, row_stride}, bad_index);
}

posenc_status posenc_add(const posenc_encoder* encoder, int64_t first_position, size_t rows, posenc_type type,
                         void* x, size_t row_stride, float scale) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  if (!IsSummand(type)) return POSENC_BAD_TYPE;
  return CallRun({encoder->encoder, type, &scale}, first_position, rows, {x, row_stride});
}

posenc_status posenc_add_at(const posenc_encoder* encoder, posenc_type position_type, const void* positions,
                            size_t rows, posenc_type type, void* x, size_t row_stride, float scale,
                            size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  if (!IsPositionType(position_type) || !IsSummand(type)) return POSENC_BAD_TYPE;
  return CallList({encoder->encoder, type, &scale}, {position_type, positions}, rows, {x, row_stride},
                  bad_index);
}

posenc_status posenc_embed(const posenc_encoder* encoder, posenc_type id_type, const void* ids, size_t rows,
                           posenc_type table_type, const void* table, size_t vocabulary, size_t table_stride,
                           int64_t first_position, posenc_type type, void* out, size_t row_stride,
                           float scale, size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  if (!AreTypesOfEmbed(id_type, table_type, type)) return POSENC_BAD_TYPE;
  return CallEmbed({encoder->encoder, type, &scale},
                   {{id_type, ids}, table_type, table, vocabulary, table_stride}, first_position, rows,
                   {out, row_stride}, bad_index);
}

posenc_status posenc_embed_at(const posenc_encoder* encoder, posenc_type id_type, const void* ids,
                              size_t rows, posenc_type table_type, const void* table, size_t vocabulary,
                              size_t table_stride, posenc_type position_type, const void* positions,
                              posenc_type type, void* out, size_t row_stride, float scale,
                              size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  if (!AreTypesOfEmbed(id_type, table_type, type) || !IsPositionType(position_type)) return POSENC_BAD_TYPE;
  return CallEmbedAt({encoder->encoder, type, &scale},
                     {{id_type, ids}, table_type, table, vocabulary, table_stride},
                     {position_type, positions}, rows, {out, row_stride}, bad_index);
}

posenc_status posenc_add_batch(const posenc_encoder* encoder, int64_t first_position,
                               posenc_type position_type, const void* first_positions, size_t batch,
                               size_t rows, posenc_type type, void* x, size_t batch_stride, size_t row_stride,
                               float scale, size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  if (!IsInteger(position_type) || !IsSummand(type)) return POSENC_BAD_TYPE;
  return CallBatch(
      {encoder->encoder, type, &scale},
      {first_position, {position_type, first_positions}, batch, rows, x, batch_stride, row_stride},
      bad_index);
}
