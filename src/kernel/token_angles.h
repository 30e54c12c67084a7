// The angles of one token after another, for heads that rotate and for rows of a cache. A token's angles come
// from the kernels of a target (rotary_kernels.h), or by angle addition from an anchor. A null pointer to
// kernels stands for the scalar reference, which makes each angle by itself.
#ifndef POSENC_SRC_KERNEL_TOKEN_ANGLES_H_
#define POSENC_SRC_KERNEL_TOKEN_ANGLES_H_

#include <cstddef>
#include <cstring>

#include "frequency/rotary_table.h"
#include "kernel/heads.h"
#include "kernel/rotary_kernels.h"
#include "kernel/rows.h"
#include "number/compiler.h"
#include "posenc/posenc_c.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// The size of a buffer of cosines or sines. There are 64 numbers more than pairs, so that adjacent buffers
// are not a multiple of 4 KB apart: at that distance loads wait for unrelated stores (4K aliasing).
inline constexpr std::size_t kPairBuffer = kMaxPiece + 64;
static_assert(kVectorPadding <= 64, "a last vector may reach past the pairs");

// Whether angle addition pays for a rotary with these kernels. If so, FillTokenOffsets fills the table's
// offsets.
bool TakesOffsets(const RotaryKernels* kernels, const RotaryTable& table);
void FillTokenOffsets(const RotaryKernels* kernels, const RotaryTable& table);

// Writes angles 0 after the last pair, up to the end of the longest vector that contains the last pair.
// Kernels load them, but no result depends on them.
template <class T>
void FillPadding(std::size_t pairs, T* cosines, T* sines) {
  const std::size_t end = (pairs + kVectorPadding - 1) / kVectorPadding * kVectorPadding;
  if (end == pairs) return;
  std::memset(sines + pairs, 0, (end - pairs) * sizeof(T));
  POSENC_ROLLED for (std::size_t k = pairs; k < end; ++k) cosines[k] = T{1};
}

// The angles of one token, made before the call that rotates by them. Arrays [pairs], readable as whole
// vectors.
struct ReadyAngles {
  Multiples multiples;
  const double* cosines;  // direct, with the relative error kDirectError. The reference does not read them
  const double* sines;
  const float* float_cosines;  // times the amplitude, rounded once; null if the arithmetic is POSENC_EXACT
  const float* float_sines;
  const void* packed;  // times the amplitude, for elements of bfloat16; null if it is POSENC_FAST
};

// Cosines and sines of a token in float arithmetic. Arrays [pairs], readable as whole vectors.
struct SinCosFloats {
  const float* cosines;
  const float* sines;
};

// Where MakeAngles writes the arrays of ReadyAngles. It may overwrite kVectorPadding numbers behind the
// pairs, and kPadding multiples.
struct AnglesRoom {
  double* multiples;  // null unless the table has multiples
  double* cosines;
  double* sines;
  float* float_cosines;  // null if the arithmetic is POSENC_EXACT
  float* float_sines;
  void* packed;  // [PackedBytes]; null if the arithmetic is POSENC_FAST
};

// Makes the angles of a token at a position [axes]. Heads will be rotated in a pairing.
void MakeAngles(const RotaryKernels* kernels, const RotaryTable& table, posenc_pairing pairing,
                const double* position, const AnglesRoom& room);

// A token's cosines and sines times a gain, rounded to float: the ones that are ready, if the gain is the
// amplitude; else in cosines and sines, which must have room for kVectorPadding numbers more.
SinCosFloats FloatsOf(const RotaryKernels* kernels, const RotaryTable& table, const ReadyAngles& angles,
                      const Gain& gain, float* cosines, float* sines);

// The position at which angles were evaluated last, the anchor. Angles at positions after it come by angle
// addition.
class Anchor {
 public:
  explicit Anchor(std::size_t axes) : axes_(axes) {}

  void Set(const double* position);

  // How far a position is ahead of the anchor, 1 .. kMaxOffset. Returns 0 if angle addition cannot be used:
  // if the distance is not the same integer on all axes, or is out of that range.
  std::size_t OffsetOf(const double* position) const;

 private:
  std::size_t axes_;
  bool is_whole_ = false;
  double position_[POSENC_MAX_AXES] = {};
};

// The angles of one token after another. It stores the cosines and sines of the last anchor, and the offset
// from the anchor to the token.
class AnchorAngles {
 public:
  AnchorAngles(const RotaryKernels* kernels, const RotaryTable& table);

  // A row of a cache: goes on to the token at a position [axes], and writes its cosines and sines [pairs],
  // times a gain and rounded to a type. The arrays must have room for kVectorPadding numbers more.
  void WriteRow(const double* position, posenc_type type, const Gain& gain, void* cosines, void* sines);

  // The tally of all tokens so far.
  const Tally& tally() const { return tally_; }

 protected:
  // Goes on to the token at a position: evaluates its angles, unless they can be added to the anchor's.
  void Begin(const double* position);

  // Writes the token's cosines and sines as WriteRow does.
  void RoundRow(posenc_type type, const Gain& gain, void* cosines, void* sines);

  std::size_t Pairs() const { return table_.frequencies.count; }
  AddedAngles Added() const;

  const RotaryKernels* kernels_;  // null: the reference
  const RotaryTable& table_;
  Anchor anchor_;
  std::size_t offset_ = 0;  // from the anchor to the token
  Multiples multiples_{};
  Tally tally_;
  alignas(64) double list_[kPairBuffer];     // aligned, because loads across cache lines take twice as long
  alignas(64) double cosines_[kPairBuffer];  // the anchor's
  alignas(64) double sines_[kPairBuffer];
};

// Makes rows of a cache at consecutive positions, for some pairs of a rotary whose amplitude is 1, by the
// encoders' kernels. They evaluate each angle once in 64 rows, and write whole vectors to where they belong.
class RowRuns {
 public:
  static constexpr std::size_t kMaxPairs = 64;  // so few that the offsets of their angles fit on the stack

  // Whether a call's rows are made in this way. With few rows it would take longer to make the offsets.
  static bool Take(const RotaryKernels* kernels, const RotaryTable& table, std::size_t rows);

  // For the pairs of a table, at most kMaxPairs, and rows of a type.
  RowRuns(const RotaryKernels& kernels, const FrequencyTable& table, posenc_type type);
  RowRuns(const RowRuns&) = delete;  // table_ points into the object
  RowRuns& operator=(const RowRuns&) = delete;

  // Writes at most Rows::kMax rows. A row has one sine and one cosine for each pair.
  Tally Write(const Columns& columns, const Rows& rows) const { return write_(table_, columns, rows); }

 private:
  // Vectors of at most 64 bytes divide kMaxPairs.
  static constexpr std::size_t kPadded = kMaxPairs + (kMaxVectorBytes > 64 ? kVectorPadding : 0);

  Tally (*write_)(const FrequencyTable& table, const Columns& columns, const Rows& rows);
  FrequencyTable table_;
  alignas(64) double offsets_[2 * kOffsets * kPadded];
  alignas(64) float float_offsets_[2 * kReach * kPadded];
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_KERNEL_TOKEN_ANGLES_H_
