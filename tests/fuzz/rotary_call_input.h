// One call on a rotary of the fuzzer's bytes, right or wrong, its memory, and what the documentation says of
// it.
#ifndef POSENC_TESTS_FUZZ_ROTARY_CALL_INPUT_H_
#define POSENC_TESTS_FUZZ_ROTARY_CALL_INPUT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "call_input.h"
#include "fuzzing.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace fuzz {

// What is known of a rotary when its spec is gone.
struct RotaryShape {
  std::size_t head_dim, offset, pairs, axes;
  posenc_pairing from, to;
  double amplitude;
  bool is_exact, is_rounded;         // its arithmetic; its phases
  std::vector<std::size_t> axis;     // of each pair
  std::vector<long double> radians;  // of each pair; a NaN if no estimate is good
};

enum class RotaryKind : std::uint8_t { kRotate, kRotateAt, kCached, kWrite, kWriteAt, kMaxValue = kWriteAt };

// The parts of its memory: what tensors are rotated to, the first of them, or else the cosines that are
// written; what they are rotated from; a list; cosines and sines.
enum RotaryPart : std::size_t {
  kFirstData = 0,
  kFirstSource = 3,
  kPositions = 6,
  kCosines = 7,
  kSines = 8,
  kRotaryParts = 9
};
constexpr std::size_t kMaxTensors = 3;

// Where pair i of a row is: its cosine, its sine, and how far the copies are.
struct CachePlace {
  std::size_t cosine, sine, copy;
};

struct RotaryCall {
  RotaryCall(const RotaryShape& rotary_shape, FuzzedDataProvider& bytes);

  const RotaryShape& shape;
  RotaryKind kind;
  posenc_type type, cache_type, list_type;                 // as memory holds them
  posenc_type said_type, said_cache_type, said_list_type;  // as the call says: the same, or what it refuses
  std::int64_t first;                                      // position, or row of the cache
  std::size_t tokens, tensor_count;
  posenc_heads tensors[kMaxTensors];  // without their memory
  bool has_source[kMaxTensors];
  posenc_cache_layout layout;
  std::size_t row_stride, rows, held_rows;  // of the cache, as the call says and as memory holds them
  std::vector<std::uint8_t> list;           // positions [axes, tokens], or rows [tokens]
  std::vector<double> positions;            // the same, or none
  std::size_t first_bad;                    // of the list, or its length
  bool null_rotary, null_tensors, null_cache, null_list, null_bad_index, odd_sines, null_data[kMaxTensors],
      null_cosines;
  int rounding;  // of the caller's floating-point state
  std::size_t offset;
  Place places[kRotaryParts];
  bool is_aligned[kRotaryParts];
  std::vector<std::uint8_t> pattern;  // fills all but the list

  bool Rotates() const { return kind <= RotaryKind::kCached; }
  bool HasCache() const { return kind >= RotaryKind::kCached; }
  bool HasList() const;
  bool PassesList() const { return HasList() && !null_list; }
  bool HasTwoTables() const { return layout == POSENC_CACHE_HALVES || layout == POSENC_CACHE_DUPLICATED; }
  std::size_t CosPart() const { return Rotates() ? kCosines : kFirstData; }
  std::size_t TensorCount() const { return Rotates() ? tensor_count : 0; }
  bool IsInPlace(const Parts& parts, std::size_t tensor) const;

  Parts MakeParts() const;
  Faults CallFaults(const Parts& parts) const;
  posenc_status Run(const posenc_rotary* rotary, const Parts& parts, std::size_t* bad_index) const;

  // Whether an accepted call may touch more memory than there is; whether it says that there is more.
  bool IsLarge() const;
  bool ClaimsMore() const { return IsLarge() || rows != held_rows; }

  // Of an accepted call: position of a token, row of the cache that turns it.
  double PositionOf(std::size_t token, std::size_t axis) const;
  std::size_t RowOf(std::size_t token) const;

  // Where a head of a token begins in what a tensor is rotated to or from, in bytes.
  std::size_t DataOffset(std::size_t tensor, std::size_t token, std::size_t head) const;
  std::size_t SourceOffset(std::size_t tensor, std::size_t token, std::size_t head) const;
  std::size_t SourcePart(std::size_t tensor) const {
    return has_source[tensor] ? kFirstSource + tensor : kFirstData + tensor;
  }
  CachePlace PlaceOf(std::size_t pair) const;

 private:
  static constexpr std::size_t kLargest = 1 << 17, kMostTokens = 1000;

  void MakeTypes(FuzzedDataProvider& bytes);
  void MakeTensor(std::size_t i, FuzzedDataProvider& bytes);
  void MakeStrides(std::size_t heads, std::size_t* token_stride, std::size_t* head_stride,
                   FuzzedDataProvider& bytes) const;
  void MakeCache(FuzzedDataProvider& bytes);
  void MakeList(FuzzedDataProvider& bytes);
  void MakeNulls(FuzzedDataProvider& bytes);

  std::size_t SourceTokenStride(std::size_t i) const;
  std::size_t SourceHeadStride(std::size_t i) const;
  std::size_t Columns() const;
  std::size_t CacheRows() const { return Rotates() ? rows : tokens; }
  bool HasHeads(std::size_t i) const { return i < TensorCount() && tokens != 0 && tensors[i].heads != 0; }

  // Bytes from the first element to the last of what an accepted call may touch; kEndless if they exceed the
  // address space.
  static constexpr std::size_t kEndless = SIZE_MAX;
  std::size_t Extent(std::size_t heads, std::size_t token_stride, std::size_t head_stride) const;
  std::size_t DataExtent(std::size_t i) const;
  std::size_t SourceExtent(std::size_t i) const;
  std::size_t CacheExtent(std::size_t of_rows) const;

  void AddGainFaults(Faults* faults) const;
  void AddCacheFaults(Faults* faults) const;
  void AddPositionFaults(Faults* faults) const;
  void AddTensorFaults(std::size_t i, Faults* faults) const;
  void AddOverlaps(const Parts& parts, Faults* faults) const;
};

}  // namespace fuzz
}  // namespace posenc

#endif  // POSENC_TESTS_FUZZ_ROTARY_CALL_INPUT_H_
