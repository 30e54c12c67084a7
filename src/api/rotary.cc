// The C functions of rotaries (rotary_c.h, rotary_cache_c.h): creation and calls.

#include "number/exact.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "api/block.h"
#include "api/handle.h"
#include "api/token_list.h"
#include "call/rotary.h"
#include "frequency/rotary_spec.h"
#include "frequency/scaled.h"
#include "kernel/targets.h"
#include "kernel/token_angles.h"
#include "number/fp_state.h"
#include "posenc/rotary_c.h"
#include "posenc/rotary_cache_c.h"
#include "spec/rules.h"
#include "spec/versioned.h"

namespace posenc {
namespace internal {
namespace {

struct RotaryPlan {
  const posenc_rotary_spec* from;
  posenc_rotary_spec spec;
  posenc_rotary handle;
  Scaling scalings[POSENC_MAX_AXES];  // what `frequencies` refer to
  ScaledFrequencies frequencies;
  posenc_status refusal;

  explicit RotaryPlan(const posenc_rotary_spec* caller) : from(caller), refusal(CopySpec(caller, &spec)) {
    if (refusal == POSENC_OK) refusal = InFpState([&] { return Make(); });
  }
  posenc_status Make();  // checks the spec and sets the handle

  posenc_status Finish() const { return rule::ok; }
  std::size_t ArraySize() const { return ArrayBytes(handle.rotary.table, frequencies); }
  std::array<Bytes, 3> Read() const {
    const auto bytes_of = [](const double* doubles, const float* floats, std::size_t count) {
      return BytesOf({doubles, floats, count});
    };
    // Only the scalings that take factors have checked their count.
    const std::size_t factor_count = TakesFactors(spec) ? spec.factor_count : 0;
    return {bytes_of(spec.frequencies, spec.frequencies_f32, spec.frequency_count),
            bytes_of(spec.factors, spec.factors_f32, factor_count),
            bytes_of(spec.long_factors, spec.long_factors_f32, factor_count)};
  }
  void Fill(void* memory, posenc_rotary* made) const {
    RotaryTable& table = made->rotary.table;
    FillRotaryTable(memory, frequencies, &table);
    if (table.has_offsets) FillTokenOffsets(made->rotary.kernels, table);
    made->block_bytes = BlockSize(*this);
  }
};

posenc_status RotaryPlan::Make() {
  Rotary& rotary = handle.rotary;
  if (const posenc_status status = CheckSpec(&spec); status != POSENC_OK) return status;
  if (const posenc_status status = frequencies.Plan(spec, scalings); status != POSENC_OK) return status;
  if (const posenc_status status = PlanRotaryTable(frequencies, &rotary.table); status != POSENC_OK)
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
  rotary.table.has_offsets = TakesOffsets(rotary.kernels, rotary.table);
  return rule::ok;
}

posenc_status CheckRowList(const posenc_list* rows, std::size_t tokens) {
  if (rows == nullptr) return rule::null_cache_rows;
  if (!IsInteger(rows->type)) return rule::type_cache_rows;
  return rows->data == nullptr && tokens != 0 ? rule::null_cache_rows_data : rule::ok;
}

}  // namespace
}  // namespace internal
}  // namespace posenc

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_rotary_create(const posenc_rotary_spec* spec, posenc_rotary** rotary) {
  return Create(RotaryPlan(spec), rotary);
}

posenc_status posenc_rotary_memory_size(const posenc_rotary_spec* spec, size_t* bytes) {
  return MemorySize(RotaryPlan(spec), bytes);
}

posenc_status posenc_rotary_create_in(const posenc_rotary_spec* spec, void* memory, size_t bytes,
                                      posenc_rotary** rotary) {
  return CreateIn({memory, bytes}, RotaryPlan(spec), rotary);
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
  return rotary == nullptr ? std::numeric_limits<double>::quiet_NaN() : rotary->rotary.table.amplitude;
}

double posenc_rotary_radians(const posenc_rotary* rotary, size_t i) {
  if (rotary == nullptr || i >= rotary->rotary.pairs) return std::numeric_limits<double>::quiet_NaN();
  return InFpState([&] { return rotary->rotary.table.frequencies.exact->NearestRadians(i); });
}

posenc_status posenc_rotate(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                            const posenc_heads* tensors, size_t count) {
  if (rotary == nullptr) return rule::null_rotary;
  return CallRotate(rotary->rotary, {first_position, List(), rotary->rotary.axes, tokens}, {tensors, count},
                    nullptr);
}

posenc_status posenc_rotate_at(const posenc_rotary* rotary, const posenc_list* positions, size_t tokens,
                               const posenc_heads* tensors, size_t count, size_t* bad_index) {
  if (rotary == nullptr) return rule::null_rotary;
  if (const posenc_status status = CheckTokenList(positions, tokens); status != POSENC_OK) return status;
  return CallRotate(rotary->rotary, {0, List(*positions), rotary->rotary.axes, tokens}, {tensors, count},
                    bad_index);
}

posenc_status posenc_write_cache(const posenc_rotary* rotary, int64_t first_position, size_t tokens,
                                 const posenc_cache* cache) {
  if (rotary == nullptr) return rule::null_rotary;
  if (cache == nullptr) return rule::null_cache;
  if (!IsEntry(cache->type)) return rule::type_written;
  return CallWriteCache(rotary->rotary, {first_position, List(), rotary->rotary.axes, tokens}, *cache,
                        nullptr);
}

posenc_status posenc_write_cache_at(const posenc_rotary* rotary, const posenc_list* positions, size_t tokens,
                                    const posenc_cache* cache, size_t* bad_index) {
  if (rotary == nullptr) return rule::null_rotary;
  if (cache == nullptr) return rule::null_cache;
  if (!IsEntry(cache->type)) return rule::type_written;
  if (const posenc_status status = CheckTokenList(positions, tokens); status != POSENC_OK) return status;
  return CallWriteCache(rotary->rotary, {0, List(*positions), rotary->rotary.axes, tokens}, *cache,
                        bad_index);
}

posenc_status posenc_rotate_cached(const posenc_rotary* rotary, const posenc_const_cache* cache,
                                   int64_t first_row, size_t tokens, const posenc_heads* tensors,
                                   size_t count) {
  if (rotary == nullptr) return rule::null_rotary;
  if (cache == nullptr) return rule::null_cache;
  return CallRotateCached(rotary->rotary, {*cache, first_row, List()}, tokens, {tensors, count}, nullptr);
}

posenc_status posenc_rotate_cached_at(const posenc_rotary* rotary, const posenc_const_cache* cache,
                                      const posenc_list* rows, size_t tokens, const posenc_heads* tensors,
                                      size_t count, size_t* bad_index) {
  if (rotary == nullptr) return rule::null_rotary;
  if (const posenc_status status = CheckRowList(rows, tokens); status != POSENC_OK) return status;
  if (cache == nullptr) return rule::null_cache;
  return CallRotateCached(rotary->rotary, {*cache, 0, List(*rows)}, tokens, {tensors, count}, bad_index);
}
