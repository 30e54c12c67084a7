// posenc for C++: sinusoidal position encodings, every entry correctly rounded, on every instruction set.
//
// Types for the functions of posenc_c.h, the library's binary interface, which says what is computed and
// promised. Nothing here throws, checks or allocates by itself, and none of it is in the library: any C++17
// compiler and any of its flags will do.
#ifndef POSENC_POSENC_H_
#define POSENC_POSENC_H_

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "posenc/posenc_c.h"
#include "posenc/types.h"

namespace posenc {

// Positions are steps, integers or any finite doubles, with |p + position_offset| <= kMaxPosition.
inline constexpr std::int64_t kMaxPosition = POSENC_MAX_POSITION;

// Columns of a row: 1 <= dim <= kMaxDim.
inline constexpr std::size_t kMaxDim = POSENC_MAX_DIM;

// posenc_layout, the order of the columns of a row.
struct Layout : Named<posenc_layout> {
  using Named::Named;
  static constexpr Value kInterleaved = POSENC_INTERLEAVED, kSinCos = POSENC_SIN_COS,
                         kCosSin = POSENC_COS_SIN, kInterleavedCosSin = POSENC_INTERLEAVED_COS_SIN;
};

// posenc_odd_column, what a row of odd dim has besides floor(dim / 2) pairs.
struct OddColumn : Named<posenc_odd_column> {
  using Named::Named;
  static constexpr Value kHalfPair = POSENC_ODD_HALF_PAIR, kZeroLast = POSENC_ODD_ZERO_LAST,
                         kZeroMiddle = POSENC_ODD_ZERO_MIDDLE, kCosineLast = POSENC_ODD_COSINE_LAST;
};

// posenc_phase_rounding, how the phase p * w_i is rounded before its sine and cosine are taken.
struct PhaseRounding : Named<posenc_phase_rounding> {
  using Named::Named;
  static constexpr Value kNone = POSENC_NO_PHASE_ROUNDING, kF32PowDiv = POSENC_F32_POW_DIV,
                         kF32Exp = POSENC_F32_EXP, kF32LogDiv = POSENC_F32_LOG_DIV,
                         kF32InvFreq = POSENC_F32_INV_FREQ, kF32Iterated = POSENC_F32_ITERATED,
                         kF64InvFreq = POSENC_F64_INV_FREQ, kF64PowDiv = POSENC_F64_POW_DIV,
                         kF64PowMul = POSENC_F64_POW_MUL, kF32List = POSENC_F32_LIST,
                         kF32LogIncrement = POSENC_F32_LOG_INCREMENT;
};

// posenc_unit, the unit of frequencies, per step.
struct FrequencyUnit : Named<posenc_unit> {
  using Named::Named;
  static constexpr Value kRadians = POSENC_RADIANS, kHalfTurns = POSENC_HALF_TURNS, kTurns = POSENC_TURNS;
};

// posenc_spec, what to encode; posenc_c.h documents its members. Only dim must be set.
struct Spec : posenc_spec {
  // All defaults of posenc_spec_init.
  Spec() : posenc_spec{} { posenc_spec_init(this, sizeof(posenc_spec)); }

  // Points to what `spec` points to.
  explicit Spec(const posenc_spec& spec) : posenc_spec(spec) {}
};

// One compiled instruction set: name, runnable (this CPU can run it), best (the one that is used unless
// Spec::target names another). REFERENCE, the scalar path without SIMD, is always there and last.
using Target = posenc_target;

// The largest number of targets that any build has.
inline constexpr std::size_t kMaxTargets = POSENC_MAX_TARGETS;

// Fills targets [kMaxTargets], best first, and returns how many there are.
inline std::size_t Targets(Target (&targets)[kMaxTargets]) { return posenc_targets(targets, kMaxTargets); }

// posenc_with_fp_state: calls work() in the floating-point state in which posenc computes.
template <class Work>
Status WithFpState(Work work) {
  return posenc_with_fp_state([](void* data) { (*static_cast<Work*>(data))(); }, &work);
}

// posenc_encoder, which writes or adds encodings, a row per position. Immutable after Create. Each method is
// the C function of the same name, which says what it computes and refuses.
//
// T is float, BFloat16 or Float16, or double if rows are only written. Id is std::int32_t or std::int64_t.
// Position is one of these, or in lists float or double. out and x are [rows, row_stride] elements.
// *bad_index, if given, becomes the first row at fault if a list is refused.
class Encoder {
 public:
  // On failure *out is left as it was.
  static Status Create(const posenc_spec& spec, Encoder* out) {
    if (out == nullptr) return Status::kNullPointer;
    return out->encoder_.Take([&](posenc_encoder** made) { return posenc_encoder_create(&spec, made); });
  }

  // The bytes of memory that CreateIn needs for that spec, on this CPU.
  static Status MemorySize(const posenc_spec& spec, std::size_t* bytes) {
    return posenc_encoder_memory_size(&spec, bytes);
  }

  // Create without allocating: the encoder lies in memory [bytes], which must neither move nor be freed
  // before *out is gone. *out must neither lie in that memory nor already use it.
  static Status CreateIn(const posenc_spec& spec, void* memory, std::size_t bytes, Encoder* out) {
    if (out == nullptr) return Status::kNullPointer;
    return out->encoder_.Take(
        [&](posenc_encoder** made) { return posenc_encoder_create_in(&spec, memory, bytes, made); });
  }

  std::size_t dim() const { return posenc_encoder_dim(c_encoder()); }        // 0 before Create
  Layout layout() const { return posenc_encoder_layout(c_encoder()); }       // -1 before
  const char* target() const { return posenc_encoder_target(c_encoder()); }  // "" before
  std::size_t frequency_count() const { return posenc_encoder_frequency_count(c_encoder()); }  // 0 before
  double Radians(std::size_t i) const { return posenc_encoder_radians(c_encoder(), i); }       // NaN before

  // For the C functions; null before Create.
  const posenc_encoder* c_encoder() const { return encoder_.get(); }

  // out[r] = PE(first_position + r), correctly rounded to T.
  template <class T>
  Status Write(std::int64_t first_position, std::size_t rows, T* out, std::size_t row_stride) const {
    static_assert(IsEntry<T>(), "T is float, BFloat16, Float16 or double");
    return posenc_write(c_encoder(), first_position, rows, TypeOf<T>(), out, row_stride);
  }

  // out[r] = PE(positions[r]). Doubles count as the real numbers that they are.
  template <class T, class Position>
  Status WriteAt(const Position* positions, std::size_t rows, T* out, std::size_t row_stride,
                 std::size_t* bad_index = nullptr) const {
    static_assert(IsEntry<T>() && IsPosition<Position>(), "see the types above the class");
    return posenc_write_at(c_encoder(), TypeOf<Position>(), positions, rows, TypeOf<T>(), out, row_stride,
                           bad_index);
  }

  // x[r] = x[r] * scale + PE(first_position + r).
  template <class T>
  Status Add(std::int64_t first_position, std::size_t rows, T* x, std::size_t row_stride,
             float scale = 1.0f) const {
    static_assert(IsSummand<T>(), "T is float, BFloat16 or Float16");
    return posenc_add(c_encoder(), first_position, rows, TypeOf<T>(), x, row_stride, scale);
  }

  // The same at positions[r].
  template <class T, class Position>
  Status AddAt(const Position* positions, std::size_t rows, T* x, std::size_t row_stride, float scale = 1.0f,
               std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsPosition<Position>(), "see the types above the class");
    return posenc_add_at(c_encoder(), TypeOf<Position>(), positions, rows, TypeOf<T>(), x, row_stride, scale,
                         bad_index);
  }

  // Token embedding in one pass: out[r] = table[ids[r]] * scale + PE(first_position + r). ids [rows], table
  // [vocabulary, table_stride]. Element is T; if T is float, it may also be BFloat16 or Float16.
  template <class T, class Id, class Element>
  Status Embed(const Id* ids, std::size_t rows, const Element* table, std::size_t vocabulary,
               std::size_t table_stride, std::int64_t first_position, T* out, std::size_t row_stride,
               float scale = 1.0f, std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsInteger<Id>() && IsSummand<Element>() &&
                      (std::is_same_v<T, Element> || std::is_same_v<T, float>),
                  "see the types above the class");
    return posenc_embed(c_encoder(), TypeOf<Id>(), ids, rows, TypeOf<Element>(), table, vocabulary,
                        table_stride, first_position, TypeOf<T>(), out, row_stride, scale, bad_index);
  }

  // The same at positions[r]; the status tells which list *bad_index is a row of.
  template <class T, class Id, class Element, class Position>
  Status EmbedAt(const Id* ids, std::size_t rows, const Element* table, std::size_t vocabulary,
                 std::size_t table_stride, const Position* positions, T* out, std::size_t row_stride,
                 float scale = 1.0f, std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsInteger<Id>() && IsSummand<Element>() && IsPosition<Position>() &&
                      (std::is_same_v<T, Element> || std::is_same_v<T, float>),
                  "see the types above the class");
    return posenc_embed_at(c_encoder(), TypeOf<Id>(), ids, rows, TypeOf<Element>(), table, vocabulary,
                           table_stride, TypeOf<Position>(), positions, TypeOf<T>(), out, row_stride, scale,
                           bad_index);
  }

  // A batch of sequences, each with a first position of its own: x[b][r] = x[b][r] * scale +
  // PE(first_positions[b] + r). x [batch, batch_stride] elements, each sequence [rows, row_stride] within.
  // *bad_index is the index of a sequence.
  template <class T, class Position>
  Status AddBatch(const Position* first_positions, std::size_t batch, std::size_t rows, T* x,
                  std::size_t batch_stride, std::size_t row_stride, float scale = 1.0f,
                  std::size_t* bad_index = nullptr) const {
    static_assert(IsSummand<T>() && IsInteger<Position>(), "see the types above the class");
    return posenc_add_batch(c_encoder(), 0, TypeOf<Position>(), first_positions, batch, rows, TypeOf<T>(), x,
                            batch_stride, row_stride, scale, bad_index);
  }

  // The same if all sequences begin at one position.
  template <class T>
  Status AddBatch(std::int64_t first_position, std::size_t batch, std::size_t rows, T* x,
                  std::size_t batch_stride, std::size_t row_stride, float scale = 1.0f) const {
    static_assert(IsSummand<T>(), "T is float, BFloat16 or Float16");
    return posenc_add_batch(c_encoder(), first_position, POSENC_I64, nullptr, batch, rows, TypeOf<T>(), x,
                            batch_stride, row_stride, scale, nullptr);
  }

 private:
  Owner<posenc_encoder, posenc_encoder_destroy> encoder_;
};

}  // namespace posenc

#endif  // POSENC_POSENC_H_
