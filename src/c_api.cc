// The C ABI: each function looks its types up and makes the call of the C++ API.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "c_constants.h"  // IWYU pragma: keep
#include "checks.h"
#include "fp_state.h"
#include "posenc/posenc.h"
#include "posenc/posenc_c.h"

struct posenc_encoder {
  posenc::Encoder encoder;
  bool owned;  // the block that it lies in is ours, not the caller's
};

namespace posenc {
namespace internal {
namespace {

posenc_status ToC(Status status) { return static_cast<posenc_status>(status); }

// The size of posenc_spec in version 0.1, and more than it will ever have.
constexpr std::size_t kFirstSpecSize = sizeof(posenc_spec);
constexpr std::size_t kMaxSpecSize = 4096;

bool IsSpecSize(std::size_t size) { return size >= kFirstSpecSize && size <= kMaxSpecSize; }

posenc_spec DefaultSpec() {
  const Spec defaults;
  posenc_spec spec{};
  spec.base = defaults.base;
  spec.position_scale = defaults.position_scale;
  spec.layout = static_cast<posenc_layout>(defaults.layout);
  spec.recipe = static_cast<posenc_recipe>(defaults.recipe);
  return spec;
}

// A caller who knows fewer members gets the defaults of the others. One who knows more must have left them
// zero, which means that they are not used.
Status CopySpec(const posenc_spec& from, posenc_spec* to) {
  if (!IsSpecSize(from.struct_size)) return Status::kBadStructSize;
  const auto* bytes = reinterpret_cast<const unsigned char*>(&from);
  for (std::size_t i = sizeof(from); i < from.struct_size; ++i) {
    if (bytes[i] != 0) return Status::kBadStructSize;
  }
  *to = DefaultSpec();
  std::memcpy(to, bytes, std::min(sizeof(*to), from.struct_size));
  return to->reserved == 0 ? Status::kOk : Status::kBadStructSize;
}

Status FromC(const posenc_spec* from, Spec* spec) {
  if (from == nullptr) return Status::kNullPointer;
  posenc_spec copy;
  if (const Status status = CopySpec(*from, &copy); status != Status::kOk) return status;
  if (copy.layout < 0 || copy.layout > UINT8_MAX) return Status::kBadLayout;
  if (copy.recipe < 0 || copy.recipe > UINT8_MAX) return Status::kBadRecipe;
  if (copy.frequency_unit < 0 || copy.frequency_unit > UINT8_MAX) return Status::kBadFrequencies;
  spec->dim = copy.dim;
  spec->layout = static_cast<Layout>(copy.layout);
  spec->base = copy.base;
  if (InFpState([&] { return copy.exponent_dim != 0.0; })) spec->exponent_dim = copy.exponent_dim;
  spec->position_scale = copy.position_scale;
  spec->recipe = static_cast<Recipe>(copy.recipe);
  spec->target = copy.target;
  spec->frequencies.doubles = copy.frequencies;
  spec->frequencies.floats = copy.frequencies_f32;
  spec->frequencies.count = copy.frequency_count;
  spec->frequencies.unit = static_cast<FrequencyUnit>(copy.frequency_unit);
  return Status::kOk;
}

// The handle comes first in its block, then the tables of its encoder.
constexpr std::size_t kHandleBytes = sizeof(posenc_encoder);

Status MemorySize(const Spec& spec, std::size_t* bytes) {
  if (const Status status = Encoder::MemorySize(spec, bytes); status != Status::kOk) return status;
  *bytes += kHandleBytes + alignof(posenc_encoder) - 1;
  return Status::kOk;
}

Status CreateIn(const Spec& spec, void* memory, std::size_t bytes, bool owned, posenc_encoder** out) {
  if (std::align(alignof(posenc_encoder), kHandleBytes, memory, bytes) == nullptr)
    return Status::kMemoryTooSmall;
  Encoder encoder;
  auto* tables = static_cast<unsigned char*>(memory) + kHandleBytes;
  if (const Status status = Encoder::CreateIn(spec, tables, bytes - kHandleBytes, &encoder);
      status != Status::kOk) {
    return status;
  }
  *out = ::new (memory) posenc_encoder{std::move(encoder), owned};
  return Status::kOk;
}

Status Create(const Spec& spec, posenc_encoder** out) {
  std::size_t bytes = 0;
  if (const Status status = MemorySize(spec, &bytes); status != Status::kOk) return status;
  void* memory = ::operator new(bytes, std::nothrow);
  if (memory == nullptr) return Status::kOutOfMemory;
  const Status status = CreateIn(spec, memory, bytes, true, out);
  if (status != Status::kOk) ::operator delete(memory);
  return status;
}

// Calls visit(T()) with the C++ type of entries that are added to, of entries that are written, and with that
// of ids or positions too.
template <class Visit>
posenc_status WithSummand(posenc_type type, const Visit& visit) {
  switch (type) {
    case POSENC_F32:
      return ToC(visit(float()));
    case POSENC_BF16:
      return ToC(visit(BFloat16()));
    case POSENC_F16:
      return ToC(visit(Float16()));
    default:
      return POSENC_BAD_TYPE;
  }
}

template <class Visit>
posenc_status WithEntry(posenc_type type, const Visit& visit) {
  return type == POSENC_F64 ? ToC(visit(double())) : WithSummand(type, visit);
}

template <class Visit>
posenc_status WithInteger(posenc_type type, const Visit& visit) {
  if (type == POSENC_I32) return visit(std::int32_t());
  if (type == POSENC_I64) return visit(std::int64_t());
  return POSENC_BAD_TYPE;
}

template <class Visit>
posenc_status WithPosition(posenc_type type, const Visit& visit) {
  return type == POSENC_F64 ? visit(double()) : WithInteger(type, visit);
}

}  // namespace
}  // namespace internal
}  // namespace posenc

using posenc::Status;
using posenc::internal::FromC;
using posenc::internal::ToC;
using posenc::internal::WithEntry;
using posenc::internal::WithInteger;
using posenc::internal::WithPosition;
using posenc::internal::WithSummand;

int32_t posenc_version(void) { return POSENC_VERSION; }

const char* posenc_status_message(posenc_status status) {
  return posenc::StatusMessage(static_cast<Status>(status));
}

posenc_status posenc_spec_init(posenc_spec* spec, size_t struct_size) {
  if (spec == nullptr) return POSENC_NULL_POINTER;
  if (!posenc::internal::IsSpecSize(struct_size)) return POSENC_BAD_STRUCT_SIZE;
  posenc_spec defaults = posenc::internal::DefaultSpec();
  defaults.struct_size = struct_size;
  std::memset(static_cast<void*>(spec), 0, struct_size);
  std::memcpy(static_cast<void*>(spec), &defaults, std::min(sizeof(defaults), struct_size));
  return POSENC_OK;
}

size_t posenc_targets(posenc_target* targets, size_t capacity) {
  posenc::Target all[posenc::kMaxTargets];
  const std::size_t count = posenc::Targets(all);
  for (std::size_t i = 0; targets != nullptr && i < count && i < capacity; ++i) {
    targets[i] = {all[i].name, all[i].runnable ? 1 : 0, all[i].best ? 1 : 0};
  }
  return count;
}

posenc_status posenc_encoder_create(const posenc_spec* spec, posenc_encoder** encoder) {
  if (encoder == nullptr) return POSENC_NULL_POINTER;
  posenc::Spec copy;
  if (const Status status = FromC(spec, &copy); status != Status::kOk) return ToC(status);
  return ToC(posenc::internal::Create(copy, encoder));
}

posenc_status posenc_encoder_memory_size(const posenc_spec* spec, size_t* bytes) {
  if (bytes == nullptr) return POSENC_NULL_POINTER;
  posenc::Spec copy;
  if (const Status status = FromC(spec, &copy); status != Status::kOk) return ToC(status);
  return ToC(posenc::internal::MemorySize(copy, bytes));
}

posenc_status posenc_encoder_create_in(const posenc_spec* spec, void* memory, size_t bytes,
                                       posenc_encoder** encoder) {
  if (memory == nullptr || encoder == nullptr) return POSENC_NULL_POINTER;
  posenc::Spec copy;
  if (const Status status = FromC(spec, &copy); status != Status::kOk) return ToC(status);
  // It checks the list, which must not lie in the handle either.
  std::size_t needed = 0;
  if (const Status status = posenc::internal::MemorySize(copy, &needed); status != Status::kOk) {
    return ToC(status);
  }
  const posenc::internal::Bytes whole{memory, bytes};
  if (posenc::internal::Overlap(whole, {encoder, sizeof(void*)}) ||
      posenc::internal::Overlap(whole, {spec, spec->struct_size}) ||
      posenc::internal::Overlap(whole, posenc::internal::ListBytes(copy.frequencies))) {
    return POSENC_BUFFERS_OVERLAP;
  }
  return ToC(posenc::internal::CreateIn(copy, memory, bytes, false, encoder));
}

void posenc_encoder_destroy(posenc_encoder* encoder) {
  if (encoder == nullptr || !encoder->owned) return;
  encoder->~posenc_encoder();
  ::operator delete(encoder);
}

size_t posenc_encoder_dim(const posenc_encoder* encoder) {
  return encoder == nullptr ? 0 : encoder->encoder.dim();
}

posenc_layout posenc_encoder_layout(const posenc_encoder* encoder) {
  return encoder == nullptr ? -1 : static_cast<posenc_layout>(encoder->encoder.layout());
}

const char* posenc_encoder_target(const posenc_encoder* encoder) {
  return encoder == nullptr ? "" : encoder->encoder.target();
}

size_t posenc_encoder_frequency_count(const posenc_encoder* encoder) {
  return encoder == nullptr ? 0 : encoder->encoder.frequencies().count();
}

double posenc_encoder_radians(const posenc_encoder* encoder, size_t i) {
  return encoder == nullptr ? std::nan("") : encoder->encoder.frequencies().Radians(i);
}

posenc_status posenc_write(const posenc_encoder* encoder, int64_t first_position, size_t rows,
                           posenc_type type, void* out, size_t row_stride) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  return WithEntry(type, [&](auto entry) {
    using T = decltype(entry);
    return encoder->encoder.Write(first_position, rows, static_cast<T*>(out), row_stride);
  });
}

posenc_status posenc_write_at(const posenc_encoder* encoder, posenc_type position_type, const void* positions,
                              size_t rows, posenc_type type, void* out, size_t row_stride,
                              size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  return WithPosition(position_type, [&](auto position) {
    return WithEntry(type, [&](auto entry) {
      const auto* list = static_cast<const decltype(position)*>(positions);
      auto* data = static_cast<decltype(entry)*>(out);
      return encoder->encoder.WriteAt(list, rows, data, row_stride, bad_index);
    });
  });
}

posenc_status posenc_add(const posenc_encoder* encoder, int64_t first_position, size_t rows, posenc_type type,
                         void* x, size_t row_stride, float scale) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  return WithSummand(type, [&](auto entry) {
    return encoder->encoder.Add(first_position, rows, static_cast<decltype(entry)*>(x), row_stride, scale);
  });
}

posenc_status posenc_add_at(const posenc_encoder* encoder, posenc_type position_type, const void* positions,
                            size_t rows, posenc_type type, void* x, size_t row_stride, float scale,
                            size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  return WithPosition(position_type, [&](auto position) {
    return WithSummand(type, [&](auto entry) {
      const auto* list = static_cast<const decltype(position)*>(positions);
      auto* data = static_cast<decltype(entry)*>(x);
      return encoder->encoder.AddAt(list, rows, data, row_stride, scale, bad_index);
    });
  });
}

posenc_status posenc_embed(const posenc_encoder* encoder, posenc_type id_type, const void* ids, size_t rows,
                           posenc_type type, const void* table, size_t vocabulary, size_t table_stride,
                           int64_t first_position, void* out, size_t row_stride, float scale,
                           size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  return WithInteger(id_type, [&](auto id) {
    return WithSummand(type, [&](auto entry) {
      using T = decltype(entry);
      return encoder->encoder.Embed(static_cast<const decltype(id)*>(ids), rows, static_cast<const T*>(table),
                                    vocabulary, table_stride, first_position, static_cast<T*>(out),
                                    row_stride, scale, bad_index);
    });
  });
}

posenc_status posenc_add_batch(const posenc_encoder* encoder, posenc_type position_type,
                               const void* first_positions, size_t batch, size_t rows, posenc_type type,
                               void* x, size_t batch_stride, size_t row_stride, float scale,
                               size_t* bad_index) {
  if (encoder == nullptr) return POSENC_NOT_CREATED;
  return WithInteger(position_type, [&](auto position) {
    return WithSummand(type, [&](auto entry) {
      const auto* firsts = static_cast<const decltype(position)*>(first_positions);
      auto* data = static_cast<decltype(entry)*>(x);
      return encoder->encoder.AddBatch(firsts, batch, rows, data, batch_stride, row_stride, scale, bad_index);
    });
  });
}
