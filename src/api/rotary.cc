// The C functions of rotaries: creation and the calls.

#include "number/exact.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "api/block.h"
#include "api/handle.h"
#include "call/rotary.h"
#include "kernel/targets.h"
#include "number/fp_state.h"
#include "posenc/rotary_c.h"
#include "spec/versioned.h"

namespace posenc {
namespace internal {
namespace {

struct RotaryPlan {
  posenc_rotary_spec spec;
  posenc_rotary handle;
  AxisSchedule axes[POSENC_MAX_AXES];  // of axial axes

  posenc_status Make();
  posenc_status Finish() const { return POSENC_OK; }
  std::size_t ArraySize() const { return ArrayBytes(handle.rotary.table); }
  std::array<Bytes, 3> Read() const {
    const auto bytes_of = [](const double* doubles, const float* floats, std::size_t count) {
      return BytesOf({doubles, floats, count, POSENC_RADIANS});
    };
    return {bytes_of(spec.frequencies, spec.frequencies_f32, spec.frequency_count),
            bytes_of(spec.factors, spec.factors_f32, spec.factor_count),
            bytes_of(spec.long_factors, spec.long_factors_f32, spec.factor_count)};
  }
  void Fill(void* memory, posenc_rotary* made) const {
    RotaryTable& table = made->rotary.table;
    FillRotaryTable(memory, axes, &table);
    for (std::size_t k = 1; table.has_offsets && k <= kMaxOffset; ++k) {
      double* cosines = table.OffsetCosines(k);
      made->rotary.kernels->offset(table.frequencies, static_cast<double>(k), cosines,
                                   cosines + made->rotary.pairs);
    }
  }
};

posenc_status RotaryPlan::Make() {
  Rotary& rotary = handle.rotary;
  if (const posenc_status status = PlanRotaryTable(spec, axes, &rotary.table); status != POSENC_OK)
    return status;
  if (const posenc_status status = FindTarget(spec.target, &rotary.target); status != POSENC_OK)
    return status;
  rotary.head_dim = spec.head_dim;
  rotary.offset = spec.rotary_offset;
  rotary.pairs = rotary.head_pairs = rotary.table.frequencies.count;
  rotary.axes = spec.axes;
  rotary.from = spec.pairing;
  rotary.to = spec.output_pairing == POSENC_SAME_PAIRING ? spec.pairing : spec.output_pairing;
  rotary.arithmetic = spec.arithmetic;
  rotary.kernels = RotaryKernelsOf(rotary.target);
  rotary.table.has_offsets =
      rotary.kernels->offset != nullptr && !rotary.table.IsRounded() && rotary.pairs <= kMaxAddedPairs;
  return POSENC_OK;
}

}  // namespace
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_rotary_create(const posenc_rotary_spec* spec, posenc_rotary** rotary) {
  return Create<RotaryPlan>(spec, true, nullptr, 0, rotary);
}

posenc_status posenc_rotary_memory_size(const posenc_rotary_spec* spec, size_t* bytes) {
  return MemorySize<RotaryPlan>(spec, bytes);
}

posenc_status posenc_rotary_create_in(const posenc_rotary_spec* spec, void* memory, size_t bytes,
                                      posenc_rotary** rotary) {
  return Create<RotaryPlan>(spec, false, memory, bytes, rotary);
}

void posenc_rotary_destroy(posenc_rotary* rotary) { Destroy(rotary); }

size_t posenc_rotary_head_dim(const posenc_rotary* rotary) {
  return rotary == nullptr ? 0 : rotary->rotary.head_dim;
}

size_t posenc_rotary_frequency_count(const posenc_rotary* rotary) {
  return rotary == nullptr ? 0 : rotary->rotary.pairs;
}

const char* posenc_rotary_target(const posenc_rotary* rotary) {
  return rotary == nullptr ? "" : NameOf(rotary->rotary.target);
}

double posenc_rotary_amplitude(const posenc_rotary* rotary) {
  return rotary == nullptr ? std::numeric_limits<double>::quiet_NaN()
                           : rotary->rotary.table.scaling.amplitude;
}

double posenc_rotary_radians(const posenc_rotary* rotary, size_t i) {
  if (rotary == nullptr || i >= rotary->rotary.pairs) return std::numeric_limits<double>::quiet_NaN();
  return InFpState([&] { return rotary->rotary.table.frequencies.schedule.NearestRadians(i); });
}

posenc_status posenc_rotate(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                            posenc_type type, const posenc_heads* tensors, size_t count) {
  if (rotary == nullptr) return POSENC_NOT_CREATED;
  if (!IsSummand(type)) return POSENC_BAD_TYPE;
  return CallRotate(rotary->rotary, {first_position, List(), rotary->rotary.axes, tokens},
                    {type, tensors, count}, nullptr);
}

posenc_status posenc_rotate_at(const posenc_rotary* rotary, posenc_type position_type, const void* positions,
                               size_t tokens, posenc_type type, const posenc_heads* tensors, size_t count,
                               size_t* bad_index) {
  if (rotary == nullptr) return POSENC_NOT_CREATED;
  if (!IsPositionType(position_type) || !IsSummand(type)) return POSENC_BAD_TYPE;
  if (positions == nullptr && tokens != 0) return POSENC_NULL_POINTER;
  return CallRotate(rotary->rotary, {0, List(position_type, positions), rotary->rotary.axes, tokens},
                    {type, tensors, count}, bad_index);
}

posenc_status posenc_rotary_write(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                                  const posenc_cache* cache) {
  if (rotary == nullptr) return POSENC_NOT_CREATED;
  if (cache == nullptr) return POSENC_NULL_POINTER;
  if (!IsEntry(cache->type)) return POSENC_BAD_TYPE;
  return CallWriteCache(rotary->rotary, {first_position, List(), rotary->rotary.axes, tokens}, *cache,
                        nullptr);
}

posenc_status posenc_rotary_write_at(const posenc_rotary* rotary, posenc_type position_type,
                                     const void* positions, size_t tokens, const posenc_cache* cache,
                                     size_t* bad_index) {
  if (rotary == nullptr) return POSENC_NOT_CREATED;
  if (cache == nullptr || (positions == nullptr && tokens != 0)) return POSENC_NULL_POINTER;
  if (!IsPositionType(position_type) || !IsEntry(cache->type)) return POSENC_BAD_TYPE;
  return CallWriteCache(rotary->rotary, {0, List(position_type, positions), rotary->rotary.axes, tokens},
                        *cache, bad_index);
}

posenc_status posenc_rotate_cached(const posenc_rotary* rotary, const posenc_cache* cache, size_t rows,
                                   int64_t first_row, posenc_type index_type, const void* row_indices,
                                   size_t tokens, posenc_type type, const posenc_heads* tensors, size_t count,
                                   size_t* bad_index) {
  if (rotary == nullptr) return POSENC_NOT_CREATED;
  if (cache == nullptr) return POSENC_NULL_POINTER;
  if (!IsInteger(index_type) || !IsSummand(type) || !IsSummand(cache->type)) return POSENC_BAD_TYPE;
  return CallRotateCached(rotary->rotary, {*cache, rows, first_row, List(index_type, row_indices)}, tokens,
                          {type, tensors, count}, bad_index);
}
