// posenc: sinusoidal position encodings, every entry correctly rounded, on every instruction set.
//
// For a position p and a pair index i the encoding is the real number
//
//   sin(p * w_i) and cos(p * w_i),   w_i = position_scale * base^(-2i / exponent_dim)
//
// ("Attention Is All You Need", section 3.5, has exponent_dim = dim; w_i may also be frequencies of your
// own), rounded to nearest, ties to even. Where it is 0 the entry is +0; what rounds to 0 keeps its sign.
// Hence the bits are the same on every target, with every compiler, for every split of the rows.
//
// Nothing here throws. Only Create allocates (CreateIn does not); afterwards nothing allocates, locks or
// keeps state, so one Encoder may be used by any number of threads at once. Results do not depend on the
// caller's floating-point state (rounding mode, flush-to-zero, exception masks), which is left as it was.
#ifndef POSENC_POSENC_H_
#define POSENC_POSENC_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "posenc/export.h"

namespace posenc {

namespace internal {
struct Kernels;         // src/kernels.h
struct FrequencyTable;  // src/frequencies.h
struct Access;          // src/access.h
}  // namespace internal

// Positions are steps, integers or any finite doubles, with |p| <= kMaxPosition.
inline constexpr std::int64_t kMaxPosition = std::int64_t{1} << 31;

// Columns of a row: 1 <= dim <= kMaxDim.
inline constexpr std::size_t kMaxDim = std::size_t{1} << 24;

// A bfloat16 as memory holds it.
struct POSENC_API BFloat16 {
  std::uint16_t bits;  // sign, 8 of exponent, 7 of mantissa
};

// An IEEE half precision number as memory holds it.
struct POSENC_API Float16 {
  std::uint16_t bits;  // sign, 5 of exponent, 10 of mantissa
};

// What a call reports. On any status but kOk nothing has been written.
enum class Status : int {
  kOk = 0,
  kNullPointer,          // a null pointer where there is something to read or write
  kNotCreated,           // an Encoder or Frequencies on which Create has not succeeded
  kBadDim,               // dim is 0 or exceeds kMaxDim
  kBadBase,              // base is NaN, infinite, zero or negative
  kBadExponentDim,       // exponent_dim is NaN, infinite or zero (for a recipe: as float)
  kBadPositionScale,     // position_scale is NaN or infinite, or not 1 with a compat recipe
  kBadLayout,            // not a value of Layout
  kBadRecipe,            // not a value of Recipe
  kFrequencyOutOfRange,  // some w_i is neither 0 nor 2^-126 <= |w_i| <= 2^31
  kUnknownTarget,        // no compiled target has that name
  kUnavailableTarget,    // this CPU cannot run that target
  kOutOfMemory,          // Create could not allocate its tables
  kStrideTooSmall,       // row_stride or table_stride < dim, or matrices of a batch overlap
  kSizeOverflow,         // a matrix or a batch exceeds the address space
  kPositionOutOfRange,   // some position has |p| > kMaxPosition or is a NaN
  kIdOutOfRange,         // some token id is negative or not below the vocabulary's size
  kBuffersOverlap,       // what is written and what is read share memory
  kMemoryTooSmall,       // less memory than MemorySize asks for
  kBadType,              // C only: not a posenc_type that this parameter takes
  kBadStructSize,        // C only: struct_size is wrong, or unknown members of the struct are set
  kBadFrequencies,       // a list that is not as FrequencyList says
};

// One static English sentence for a status; never null.
POSENC_API const char* StatusMessage(Status status);

// Where the columns of a row go. An odd dim has ceil(dim/2) sines and floor(dim/2) cosines.
enum class Layout : std::uint8_t {
  kInterleaved,  // [sin_0 cos_0 sin_1 cos_1 ...]          the paper
  kSinCos,       // [sin_0 sin_1 ... | cos_0 cos_1 ...]    tensor2tensor, fairseq, Marian
  kCosSin,       // [cos_0 cos_1 ... | sin_0 sin_1 ...]    diffusion timestep embeddings
};

// How the phase p * w_i is rounded before its sine and cosine are taken.
enum class Recipe : std::uint8_t {
  kExact,  // not at all: the real number
  // As NumPy and PyTorch notebooks write it: q = f32(pow(base, f32(2i / f32(exponent_dim)))),
  // phase = f32(f32(p) / q). pow and the sine and cosine of that phase are correctly rounded.
  kF32PowDiv,
};

// What the numbers of a FrequencyList count, per step: frequencies in half turns are multiplied by pi, those
// in turns by 2 pi.
enum class FrequencyUnit : std::uint8_t { kRadians, kHalfTurns, kTurns };

// A caller's own frequencies, such as a checkpoint's inv_freq: either doubles or floats, [count], of any
// alignment and in any order, finite; only with Recipe::kExact. Create copies them.
struct FrequencyList {
  const double* doubles = nullptr;               // either these
  const float* floats = nullptr;                 // or these
  std::size_t count = 0;                         // ceil(dim / 2)
  FrequencyUnit unit = FrequencyUnit::kRadians;  // of each; a FrequencyUnit even without a list
};

// What to encode. Plain data; only dim must be set.
struct Spec {
  std::size_t dim = 0;                   // columns of a row (d_model)
  Layout layout = Layout::kInterleaved;  // of the columns
  double base = 10000.0;                 // the longest wavelength is near 2 pi * base
  std::optional<double> exponent_dim;    // divides 2i; dim unless given
  double position_scale = 1.0;           // multiplies every position
  Recipe recipe = Recipe::kExact;        // of the phases
  const char* target = nullptr;          // a name from Targets(); the best on this CPU if null
  FrequencyList frequencies;             // if set, instead of those of base and exponent_dim (still checked)
};

// One compiled instruction set. REFERENCE, the scalar path without SIMD, is always there and last.
struct Target {
  const char* name;  // Highway's name, e.g. "AVX2"
  bool runnable;     // this CPU can run it
  bool best;         // the one that is used unless Spec::target names another
};

// No build has more targets.
inline constexpr std::size_t kMaxTargets = 32;

// Fills targets [kMaxTargets], best first, and returns how many there are.
POSENC_API std::size_t Targets(Target (&targets)[kMaxTargets]);

// The angular frequencies w_i [count], count = ceil(dim / 2), held wider than double. Immutable.
class POSENC_API Frequencies {
 public:
  // Uses every member of spec but layout. On failure *out is left as it was.
  static Status Create(const Spec& spec, Frequencies* out);

  Frequencies() = default;
  ~Frequencies();
  Frequencies(Frequencies&& other) noexcept;             // other is then as before Create
  Frequencies& operator=(Frequencies&& other) noexcept;  // exchanges the two

  std::size_t count() const;  // ceil(dim / 2); 0 before Create

  // w_i rounded to double, in radians per step; NaN unless i < count(). Slow (microseconds): for inspection.
  double Radians(std::size_t i) const;

 private:
  friend class Encoder;
  friend struct internal::Access;
  const internal::FrequencyTable* table_ = nullptr;
};

// Writes or adds encodings, a row per position. Immutable after Create.
//
// T is float, BFloat16 or Float16, where rows are only written also double. Id is std::int32_t or
// std::int64_t, and so is Position, in lists also double. out and x are [rows, row_stride] elements of which
// the columns 0 .. dim - 1 are used; the others keep their bytes. row_stride >= dim, counted in elements. Any
// alignment will do. What is written must not overlap a list or table that is read; all memory from the first
// row's first entry to the last row's last counts, the gaps between rows too. Where a list is checked,
// *bad_index, if given, is the first row at fault.
class POSENC_API Encoder {
 public:
  // Allocates 176 bytes a pair of columns and up to 13 KB; with a list 8 bytes a pair more, with frequencies
  // above 6.28 16 more. On failure *out is left as it was.
  static Status Create(const Spec& spec, Encoder* out);

  // The bytes of memory that CreateIn needs for that spec, on this CPU.
  static Status MemorySize(const Spec& spec, std::size_t* bytes);

  // Create without allocating: the tables lie in memory [bytes], of any alignment, which must neither move
  // nor be freed before the Encoder is gone, and must not be in use by *out nor hold the spec or its list. On
  // failure *out is left as it was.
  static Status CreateIn(const Spec& spec, void* memory, std::size_t bytes, Encoder* out);

  Encoder() = default;
  Encoder(Encoder&& other) noexcept;             // other is then as before Create
  Encoder& operator=(Encoder&& other) noexcept;  // exchanges the two

  std::size_t dim() const { return dim_; }                         // 0 before Create
  Layout layout() const { return layout_; }                        // of the columns
  const char* target() const;                                      // the one in use; "" before Create
  const Frequencies& frequencies() const { return frequencies_; }  // those of the rows

  // out[r] = PE(first_position + r), correctly rounded to T.
  template <class T>
  Status Write(std::int64_t first_position, std::size_t rows, T* out, std::size_t row_stride) const;

  // out[r] = PE(positions[r]). Doubles count as the real numbers that they are.
  template <class T, class Position>
  Status WriteAt(const Position* positions, std::size_t rows, T* out, std::size_t row_stride,
                 std::size_t* bad_index = nullptr) const;

  // x[r] = x[r] * scale + PE(first_position + r). The encoding is rounded to float, then the product (by
  // sqrt(d_model), usually), then the sum; a 16-bit x is widened before and the sum rounded after. For float
  // this is bit-identical to adding the written table.
  template <class T>
  Status Add(std::int64_t first_position, std::size_t rows, T* x, std::size_t row_stride,
             float scale = 1.0f) const;

  // The same at positions[r].
  template <class T, class Position>
  Status AddAt(const Position* positions, std::size_t rows, T* x, std::size_t row_stride, float scale = 1.0f,
               std::size_t* bad_index = nullptr) const;

  // Token embedding in one pass: out[r] = table[ids[r]] * scale + PE(first_position + r), rounded as in Add.
  // table [vocabulary, table_stride], table_stride >= dim; it does not overlap out.
  template <class T, class Id>
  Status Embed(const Id* ids, std::size_t rows, const T* table, std::size_t vocabulary,
               std::size_t table_stride, std::int64_t first_position, T* out, std::size_t row_stride,
               float scale = 1.0f, std::size_t* bad_index = nullptr) const;

  // A batch of sequences, each with a first position of its own (left padding makes them differ):
  // x[b][r] = x[b][r] * scale + PE(first_positions[b] + r). x [batch, batch_stride] elements, each sequence
  // [rows, row_stride] within; batch_stride >= rows * row_stride unless batch is 1. Each position's row is
  // computed once for all of 64 sequences that contain it. *bad_index is a sequence.
  template <class T, class Position>
  Status AddBatch(const Position* first_positions, std::size_t batch, std::size_t rows, T* x,
                  std::size_t batch_stride, std::size_t row_stride, float scale = 1.0f,
                  std::size_t* bad_index = nullptr) const;

 private:
  friend struct internal::Access;
  Frequencies frequencies_;
  std::size_t dim_ = 0;
  Layout layout_ = Layout::kInterleaved;
  const internal::Kernels* kernels_ = nullptr;
};

}  // namespace posenc

#endif  // POSENC_POSENC_H_
