// The calls of a rotary: each checks its arguments, then goes through its tokens (rotary_walk.cc). A call
// reports one mistake only: the first one in the order of these checks.
#include "number/exact.h"

#include <algorithm>
#include <cstring>

#include "call/angles.h"
#include "call/cache_rows.h"
#include "call/checks.h"
#include "call/norm.h"
#include "call/rotary.h"
#include "call/slots.h"
#include "call/strided_memory.h"
#include "call/tensor_overlaps.h"
#include "kernel/heads.h"
#include "number/double_double.h"
#include "number/fp_state.h"
#include "number/wide.h"
#include "spec/check_members.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kMaxBytes = PTRDIFF_MAX;

// Whether a tensor has no scale. Asks for the bits, because the caller's floating-point state may take a
// subnormal number for zero.
bool IsUnscaled(const posenc_heads& heads) {
  constexpr double kOne = 1.0, kZero = 0.0;
  return std::memcmp(&heads.scale, &kZero, sizeof(double)) == 0 ||
         std::memcmp(&heads.scale, &kOne, sizeof(double)) == 0;
}

// Checks the scale of a tensor, and its product with the amplitude. Creation has checked the amplitude
// itself.
posenc_status CheckScale(double amplitude, const posenc_heads& heads) {
  if (IsUnscaled(heads)) return rule::ok;
  return InFpState([&] {
    const double scale = ScaleOf(heads);
    if (!IsGain(scale)) return rule::heads_scale;
    // The exact product must be in range. Rounding to odd never moves it across or onto a bound.
    return IsGain(ToOdd(ExactProduct(amplitude, scale))) ? rule::ok : rule::heads_gain;
  });
}

// Whether amplitude * scale * factor, a real number, may multiply elements. Rounding never moves this
// number across a limit, but it may move the number onto a limit.
bool IsGainWith(double amplitude, double scale, float factor) {
  const double rounded = Gain{amplitude, scale, factor, false}.nearest();
  if (rounded != kLeastGain && rounded != kLargestGain) return IsGain(rounded);
  const Wide256 product = Multiply(Multiply(FromDouble<4>(amplitude), FromDouble<4>(scale)),
                                   FromDouble<4>(static_cast<double>(factor)));  // exact: at most 130 digits
  const Wide256 beyond = Subtract(product, FromDouble<4>(rounded));
  return beyond.IsZero() || beyond.negative == (rounded == kLargestGain);
}

// Checks the factors of a tensor's tokens, and the gains with them.
posenc_status CheckFactorsOf(double amplitude, const posenc_heads& heads, std::size_t tokens) {
  return InFpState([&] {
    float least = FactorOf(heads, 0), largest = least;
    for (std::size_t t = 0; t < tokens; ++t) {
      const float factor = FactorOf(heads, t);
      if (!IsGain(static_cast<double>(factor))) return rule::heads_factors;
      least = std::min(least, factor);
      largest = std::max(largest, factor);
    }
    const double scale = ScaleOf(heads);
    const bool are_gains = IsGainWith(amplitude, scale, least) && IsGainWith(amplitude, scale, largest);
    return are_gains ? rule::ok : rule::heads_factor_gain;
  });
}

// Checks the members of a tensor that are neither sizes nor pointers to elements.
posenc_status CheckMembers(const Rotary& rotary, double amplitude, posenc_type source_type,
                           const posenc_heads& heads) {
  if (!IsSummand(heads.type)) return rule::type_heads;
  const posenc_type from = SourceType(heads);
  if (from != heads.type && from != POSENC_F32) return rule::type_source;
  if (from != source_type) return rule::type_tensors;
  if (heads.inverse != 0 && heads.inverse != 1) return rule::heads_inverse;
  if (heads.reserved != 0) return rule::heads_reserved;
  if (heads.norm != nullptr) {
    const posenc_status status = CheckNorm(*heads.norm, heads.heads, rotary.head_dim);
    if (status != POSENC_OK) return status;
  }
  if (heads.slots != nullptr) {
    if (const posenc_status status = CheckSlotMembers(*heads.slots); status != POSENC_OK) return status;
  }
  return CheckScale(amplitude, heads);
}

// The tensors of a call, and their memory. Most calls have a few tensors, such as q and k: their memory is
// found once and kept. If there are more than kKept, memory is found again where it is needed.
class CheckedTensors {
 public:
  // The amplitude is the one by which the call multiplies: 1 with a cache, whose numbers include it.
  CheckedTensors(const Rotary& rotary, double amplitude, std::size_t tokens, const Tensors& tensors)
      : rotary_(rotary), amplitude_(amplitude), tensors_(tensors), shape_{tokens, rotary.head_dim} {}

  posenc_status Check() {
    if (tensors_.count != 0 && tensors_.heads == nullptr) return rule::null_tensors;
    for (std::size_t i = 0; i < tensors_.count; ++i) {
      const posenc_heads& heads = tensors_.heads[i];
      const posenc_status status = CheckMembers(rotary_, amplitude_, tensors_.source_type, heads);
      if (status != POSENC_OK) return status;
      have_lists_ =
          have_lists_ || heads.slots != nullptr || heads.token_factors != nullptr || heads.norm != nullptr;
    }
    if (shape_.tokens == 0) return rule::ok;
    return tensors_.count <= kKept ? CheckFew() : CheckMany();
  }

  // Checks the slots, the factors and the memory of norms. Check, and the check of the number of tokens, must
  // come before, because a call with too many tokens may have shorter lists. *bad_index becomes the first
  // token with a wrong slot.
  posenc_status CheckLists(std::size_t* bad_index) const {
    if (!have_lists_) return rule::ok;
    if (const posenc_status status = CheckSlotLists(bad_index); status != POSENC_OK) return status;
    const posenc_status status = CheckFactors();
    return status == POSENC_OK ? CheckNorms() : status;
  }

  // Whether writing the tensors would overwrite any memory in `read`, which the call reads. Check must have
  // accepted the tensors.
  template <class... Read>
  bool Overwrite(const Read&... read) const {
    for (std::size_t i = 0; i < tensors_.count; ++i) {
      if (tensors_.heads[i].heads == 0) continue;
      const Bytes written = tensors_.count <= kKept ? kept_[i].data.All() : FoundAgain(i).All();
      if ((Overlap(read, written) || ...)) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kKept = 8;

  posenc_status CheckFew() {
    for (std::size_t i = 0; i < tensors_.count; ++i) {
      if (tensors_.heads[i].heads == 0) continue;
      if (const posenc_status status = CheckTensor(tensors_.heads[i], &kept_[i]); status != POSENC_OK) {
        return status;
      }
      for (std::size_t j = 0; j < i; ++j) {
        if (tensors_.heads[j].heads != 0 && kept_[i].MayOverlap(kept_[j])) return rule::overlap_tensors;
      }
    }
    return rule::ok;
  }

  // Reports the same mistake as CheckFew: an overlap of two tensors, if both come before the first tensor
  // that is wrong by itself.
  posenc_status CheckMany() const {
    posenc_status status = rule::ok;
    std::size_t right = 0, steps = 0;
    for (; right < tensors_.count; ++right) {
      TensorMemory memory{};
      if (tensors_.heads[right].heads != 0) status = CheckTensor(tensors_.heads[right], &memory);
      if (status != POSENC_OK) break;
    }
    return AnyOverlap(shape_, tensors_.heads, right, &steps) ? rule::overlap_tensors : status;
  }

  // Checks the sizes and pointers of a tensor that has heads, and finds its memory.
  posenc_status CheckTensor(const posenc_heads& heads, TensorMemory* memory) const {
    if (heads.slots != nullptr) {
      if (const posenc_status status = CheckSlots(shape_, heads); status != POSENC_OK) return status;
    }
    if (!FindData(shape_, heads, &memory->data)) return rule::size_heads;
    if (heads.slots == nullptr) {
      const posenc_status status = CheckApart(memory->data, rule::stride_tokens, rule::stride_heads);
      if (status != POSENC_OK) return status;
    }
    if (heads.data == nullptr) return rule::null_heads_data;
    memory->is_in_place = IsInPlace(heads, shape_.tokens);
    if (memory->is_in_place) {
      // A head of several pieces cannot change its pairing in place: one piece would overwrite the next one.
      const bool is_torn = rotary_.from != rotary_.to && rotary_.pairs > kMaxPiece;
      return is_torn ? rule::pairing_in_place : rule::ok;
    }
    if (heads.source == nullptr) return rule::null_heads_source;  // the types differ
    if (!FindSource(shape_, heads, &memory->source)) return rule::size_heads;
    if (!MayOverlap(memory->data, memory->source)) return rule::ok;
    return heads.slots == nullptr ? rule::overlap_source : rule::overlap_cache_source;
  }

  posenc_status CheckSlotLists(std::size_t* bad_index) const {
    const posenc_slots* checked = nullptr;
    for (std::size_t i = 0; i < tensors_.count; ++i) {
      const posenc_slots* const slots = tensors_.heads[i].slots;
      if (slots == nullptr || slots == checked || tensors_.heads[i].heads == 0) continue;
      checked = slots;
      if (Overwrite(Bytes{slots, sizeof(*slots)}, ListBytes(List(slots->list), shape_.tokens)))
        return rule::overlap_slots;
      const posenc_status status = CheckSlotRange(*slots, shape_.tokens, bad_index);
      if (status != POSENC_OK) return status;
    }
    return rule::ok;
  }

  posenc_status CheckFactors() const {
    const float* last = nullptr;  // tensors with the same factors usually follow each other
    for (std::size_t i = 0; i < tensors_.count; ++i) {
      const posenc_heads& heads = tensors_.heads[i];
      if (heads.heads == 0 || heads.token_factors == nullptr) continue;
      const posenc_status status = CheckFactorsOf(amplitude_, heads, shape_.tokens);
      if (status != POSENC_OK) return status;
      if (heads.token_factors == last) continue;
      last = heads.token_factors;
      if (Overwrite(Bytes{last, shape_.tokens * sizeof(float)})) return rule::overlap_factors;
    }
    return rule::ok;
  }

  posenc_status CheckNorms() const {
    const posenc_norm* last = nullptr;  // tensors with the same norm usually follow each other
    for (std::size_t i = 0; i < tensors_.count; ++i) {
      const posenc_heads& heads = tensors_.heads[i];
      if (heads.heads == 0 || heads.norm == nullptr) continue;
      if (heads.norm == last && last->over_heads == 0) continue;  // else a tensor with more heads reads more
      last = heads.norm;
      const Bytes weights = WeightBytes(*last, heads.heads, rotary_.head_dim);
      if (Overwrite(Bytes{last, sizeof(*last)}, weights)) return rule::overlap_norm;
    }
    return rule::ok;
  }

  StridedMemory FoundAgain(std::size_t i) const {
    StridedMemory found{};
    FindData(shape_, tensors_.heads[i], &found);
    return found;
  }

  const Rotary& rotary_;
  const double amplitude_;
  const Tensors& tensors_;
  const TensorShape shape_;
  bool have_lists_ = false;   // whether any tensor has slots, factors or a norm
  TensorMemory kept_[kKept];  // of the tensors that have heads
};

Bytes BytesOf(const TokenPositions& positions) {
  return ListBytes(positions.list, positions.axes * positions.tokens);
}

// The memory of a cache's tables. `sines` is empty if the layout has only one table.
struct Tables {
  Bytes cosines, sines;
};

// Checks a cache and finds its tables. Without rows *tables stays as it is.
posenc_status CheckCache(const Rotary& rotary, const posenc_cache& cache, std::size_t rows, Tables* tables) {
  if (!IsValue<Of::cache_layout>(cache.layout)) return rule::cache_layout;
  const CacheColumns columns = ColumnsOf(cache.layout, rotary);
  const bool has_sines = columns.HasTwoTables();
  if (!has_sines && cache.sin != nullptr) return rule::cache_sin;
  const Shape shape{columns.Count(rotary.pairs), ElementSize(cache.type), rows};
  const Matrix cosines = {cache.cos, cache.row_stride}, sines = {cache.sin, cache.row_stride};
  posenc_status status = CheckMatrix(shape, cosines, {rule::stride_cache, rule::size_cache, rule::null_cos});
  if (status == POSENC_OK && has_sines)
    status = CheckMatrix(shape, sines, {rule::stride_cache, rule::size_cache, rule::null_sin});
  if (status != POSENC_OK || rows == 0) return status;
  *tables = {MatrixBytes(shape, cosines), has_sines ? MatrixBytes(shape, sines) : Bytes{nullptr, 0}};
  return rule::ok;
}

posenc_status CheckCacheRows(const CacheRows& rows, std::size_t tokens, std::size_t* bad_index) {
  const auto end = static_cast<std::int64_t>(rows.rows);
  if (!rows.list.IsNull()) return CheckIndices(rows.list, tokens, end, {nullptr, 0}, bad_index);
  const bool is_in_range =
      rows.first >= 0 && rows.first <= end && tokens <= static_cast<std::size_t>(end - rows.first);
  return is_in_range ? rule::ok : rule::cache_row_range;
}

}  // namespace

posenc_status CheckTokens(const TokenPositions& positions, const Bytes& written, std::size_t* bad_index) {
  if (positions.list.IsNull()) {
    const bool is_in_range = CheckRun(positions.first, positions.tokens) == POSENC_OK;
    return is_in_range ? rule::ok : rule::token_run_range;
  }
  if (positions.tokens > kMaxBytes / positions.axes) return rule::size_list;
  const Admitted admitted = {0, false, rule::token_position_range};
  return CheckPositions(positions.list, positions.axes * positions.tokens, admitted, written, bad_index);
}

posenc_status CallRotate(const Rotary& rotary, const TokenPositions& positions, const Tensors& tensors,
                         std::size_t* bad_index) {
  const std::size_t tokens = positions.tokens;
  CheckedTensors checked(rotary, rotary.table.amplitude, tokens, tensors);
  posenc_status status = checked.Check();
  if (status != POSENC_OK || tokens == 0) return status;
  status = CheckTokens(positions, {nullptr, 0}, bad_index);
  if (status != POSENC_OK) return status;
  if (checked.Overwrite(BytesOf(positions))) return rule::overlap_positions;
  status = checked.CheckLists(bad_index);
  if (status != POSENC_OK) return status;
  WalkTokens(rotary, positions, tensors);
  return rule::ok;
}

posenc_status CallRotateCached(const Rotary& rotary, const CacheRows& rows, std::size_t tokens,
                               const Tensors& tensors, std::size_t* bad_index) {
  Tables tables{};
  CheckedTensors checked(rotary, 1.0, tokens, tensors);
  if (HaveNorm(tensors)) return rule::norm_cached;
  posenc_status status = checked.Check();
  if (status == POSENC_OK) status = CheckCache(rotary, rows.cache, rows.rows, &tables);
  if (status != POSENC_OK || tokens == 0) return status;
  status = CheckCacheRows(rows, tokens, bad_index);
  if (status != POSENC_OK) return status;
  const Bytes list = ListBytes(rows.list, tokens);
  if (checked.Overwrite(tables.cosines, tables.sines, list)) return rule::overlap_cache;
  status = checked.CheckLists(bad_index);
  if (status != POSENC_OK) return status;
  WalkCached(rotary, rows, tokens, tensors);
  return rule::ok;
}

posenc_status CallRotateByAngles(const Rotary& rotary, const StepAngles& angles, std::int64_t first,
                                 std::size_t tokens, const Tensors& tensors) {
  if (!angles.AreOf(rotary)) return rule::angles_rotary;
  CheckedTensors checked(rotary, rotary.table.amplitude, tokens, tensors);
  posenc_status status = checked.Check();
  if (status != POSENC_OK || tokens == 0) return status;
  const auto made = static_cast<std::int64_t>(angles.tokens());
  if (first < 0 || first > made || tokens > static_cast<std::size_t>(made - first))
    return rule::angles_tokens;
  if (checked.Overwrite(Bytes{&angles, sizeof(angles)}, angles.Memory())) return rule::overlap_angles;
  status = checked.CheckLists(nullptr);
  if (status != POSENC_OK) return status;
  WalkAngles(rotary, {angles, static_cast<std::size_t>(first)}, tokens, tensors);
  return rule::ok;
}

posenc_status CallWriteCache(const Rotary& rotary, const TokenPositions& positions, const posenc_cache& cache,
                             std::size_t* bad_index) {
  Tables tables{};
  posenc_status status = CheckCache(rotary, cache, positions.tokens, &tables);
  if (status != POSENC_OK || positions.tokens == 0) return status;
  if (Overlap(tables.cosines, tables.sines)) return rule::overlap_tables;
  status = CheckTokens(positions, tables.cosines, bad_index);
  if (status != POSENC_OK) return status;
  if (Overlap(BytesOf(positions), tables.sines)) return rule::overlap_positions;
  WalkCache(rotary, positions, cache);
  return rule::ok;
}

}  // namespace internal
}  // namespace posenc
