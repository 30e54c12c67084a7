// The public objects' functions: creation, and every call with its types looked up.

#include <cstdint>
#include <type_traits>
#include <utility>

#include "access.h"
#include "call.h"
#include "checks.h"
#include "kernels.h"
#include "posenc/posenc.h"

namespace posenc {
namespace internal {
namespace {

template <class T>
constexpr ElementType kTypeOf = std::is_same_v<T, float>      ? kFloat32
                                : std::is_same_v<T, BFloat16> ? kBFloat16
                                : std::is_same_v<T, Float16>  ? kFloat16
                                                              : kFloat64;

bool IsLayout(Layout layout) {
  return layout == Layout::kInterleaved || layout == Layout::kSinCos || layout == Layout::kCosSin;
}

}  // namespace

Status Access::Make(const Spec& spec, void* memory, std::size_t bytes, Encoder* out) {
  if (!IsLayout(spec.layout)) return Status::kBadLayout;
  Encoder encoder;
  if (const Status status = Make(spec, memory, bytes, &encoder.frequencies_, &encoder.kernels_);
      status != Status::kOk) {
    return status;
  }
  encoder.dim_ = spec.dim;
  encoder.layout_ = spec.layout;
  *out = std::move(encoder);
  return Status::kOk;
}

}  // namespace internal

using internal::Access;
using internal::Bytes;
using internal::kTypeOf;
using internal::List;
using internal::Overlap;

Status Encoder::Create(const Spec& spec, Encoder* out) {
  return out == nullptr ? Status::kNullPointer : Access::Make(spec, nullptr, 0, out);
}

Status Encoder::MemorySize(const Spec& spec, std::size_t* bytes) {
  if (bytes == nullptr) return Status::kNullPointer;
  if (!internal::IsLayout(spec.layout)) return Status::kBadLayout;
  return Access::MemorySize(spec, bytes);
}

Status Encoder::CreateIn(const Spec& spec, void* memory, std::size_t bytes, Encoder* out) {
  if (memory == nullptr || out == nullptr) return Status::kNullPointer;
  const Bytes target{memory, bytes};
  if (Overlap(target, {out, sizeof(*out)}) || Overlap(target, {&spec, sizeof(spec)}))
    return Status::kBuffersOverlap;
  return Access::Make(spec, memory, bytes, out);
}

Encoder::Encoder(Encoder&& other) noexcept { *this = std::move(other); }

Encoder& Encoder::operator=(Encoder&& other) noexcept {
  std::swap(frequencies_, other.frequencies_);
  std::swap(dim_, other.dim_);
  std::swap(layout_, other.layout_);
  std::swap(kernels_, other.kernels_);
  return *this;
}

const char* Encoder::target() const { return kernels_ == nullptr ? "" : kernels_->name; }

template <class T>
Status Encoder::Write(std::int64_t first_position, std::size_t rows, T* out, std::size_t row_stride) const {
  return Access::Run(*this, kTypeOf<T>, nullptr, first_position, rows, {out, row_stride});
}

template <class T, class Position>
Status Encoder::WriteAt(const Position* positions, std::size_t rows, T* out, std::size_t row_stride,
                        std::size_t* bad_index) const {
  return Access::At(*this, kTypeOf<T>, nullptr, List(positions), rows, {out, row_stride}, bad_index);
}

template <class T>
Status Encoder::Add(std::int64_t first_position, std::size_t rows, T* x, std::size_t row_stride,
                    float scale) const {
  return Access::Run(*this, kTypeOf<T>, &scale, first_position, rows, {x, row_stride});
}

template <class T, class Position>
Status Encoder::AddAt(const Position* positions, std::size_t rows, T* x, std::size_t row_stride, float scale,
                      std::size_t* bad_index) const {
  return Access::At(*this, kTypeOf<T>, &scale, List(positions), rows, {x, row_stride}, bad_index);
}

template <class T, class Id>
Status Encoder::Embed(const Id* ids, std::size_t rows, const T* table, std::size_t vocabulary,
                      std::size_t table_stride, std::int64_t first_position, T* out, std::size_t row_stride,
                      float scale, std::size_t* bad_index) const {
  return Access::Embed(*this, kTypeOf<T>, scale, {List(ids), table, vocabulary, table_stride}, first_position,
                       rows, {out, row_stride}, bad_index);
}

template <class T, class Position>
Status Encoder::AddBatch(const Position* first_positions, std::size_t batch, std::size_t rows, T* x,
                         std::size_t batch_stride, std::size_t row_stride, float scale,
                         std::size_t* bad_index) const {
  return Access::AddBatch(*this, kTypeOf<T>, scale,
                          {List(first_positions), batch, rows, x, batch_stride, row_stride}, bad_index);
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define POSENC_INSTANTIATE_WRITE_AT(T, Position) \
  template Status Encoder::WriteAt(const Position*, std::size_t, T*, std::size_t, std::size_t*) const;
#define POSENC_INSTANTIATE_POSITION(T, Position) \
  POSENC_INSTANTIATE_WRITE_AT(T, Position)       \
  template Status Encoder::AddAt(const Position*, std::size_t, T*, std::size_t, float, std::size_t*) const;
#define POSENC_INSTANTIATE_INTEGER(T, Integer)                                                              \
  POSENC_INSTANTIATE_POSITION(T, Integer)                                                                   \
  template Status Encoder::Embed(const Integer*, std::size_t, const T*, std::size_t, std::size_t,           \
                                 std::int64_t, T*, std::size_t, float, std::size_t*) const;                 \
  template Status Encoder::AddBatch(const Integer*, std::size_t, std::size_t, T*, std::size_t, std::size_t, \
                                    float, std::size_t*) const;
#define POSENC_INSTANTIATE(T)                                                            \
  template Status Encoder::Write(std::int64_t, std::size_t, T*, std::size_t) const;      \
  template Status Encoder::Add(std::int64_t, std::size_t, T*, std::size_t, float) const; \
  POSENC_INSTANTIATE_INTEGER(T, std::int32_t)                                            \
  POSENC_INSTANTIATE_INTEGER(T, std::int64_t)                                            \
  POSENC_INSTANTIATE_POSITION(T, double)
// NOLINTEND(bugprone-macro-parentheses)

POSENC_INSTANTIATE(float)
POSENC_INSTANTIATE(BFloat16)
POSENC_INSTANTIATE(Float16)

template Status Encoder::Write(std::int64_t, std::size_t, double*, std::size_t) const;
POSENC_INSTANTIATE_WRITE_AT(double, std::int32_t)
POSENC_INSTANTIATE_WRITE_AT(double, std::int64_t)
POSENC_INSTANTIATE_WRITE_AT(double, double)

}  // namespace posenc
