#include "number/exact.h"

#include "kernel/token_angles.h"

#include "kernel/rotary_reference.h"

namespace posenc {
namespace internal {

bool TakesOffsets(const RotaryKernels* kernels, const RotaryTable& table) {
  return kernels != nullptr && !table.IsRounded() && table.frequencies.count <= kMaxAddedPairs;
}

void FillTokenOffsets(const RotaryKernels* kernels, const RotaryTable& table) {
  for (std::size_t k = 1; k <= kMaxOffset; ++k) {
    double* cosines = table.OffsetCosines(k);
    kernels->offset(table.frequencies, static_cast<double>(k), cosines, cosines + table.frequencies.count);
  }
}

void MakeAngles(const RotaryKernels* kernels, const RotaryTable& table, posenc_pairing pairing,
                const double* position, const AnglesRoom& room) {
  const Gain gain = {table.amplitude, 1.0, 1.0f, false};
  ReadyAngles made = {{nullptr, position[0]}, room.cosines, room.sines, nullptr, nullptr, nullptr};
  if (table.HasMultiples()) {
    table.FillMultiples(position, room.multiples);
    made.multiples.list = room.multiples;
  }
  if (kernels != nullptr) {
    Tally tally;
    kernels->sin_cos(table.frequencies, made.multiples, room.cosines, room.sines, tally);
    const std::size_t pairs = table.frequencies.count;
    FillPadding(pairs, room.cosines, room.sines);
    if (room.packed != nullptr)
      kernels->pack[POSENC_BF16][pairing](room.cosines, room.sines, pairs, gain, room.packed);
  }
  if (room.float_cosines != nullptr)
    FloatsOf(kernels, table, made, gain, room.float_cosines, room.float_sines);
}

SinCosFloats FloatsOf(const RotaryKernels* kernels, const RotaryTable& table, const ReadyAngles& angles,
                      const Gain& gain, float* cosines, float* sines) {
  if (angles.float_cosines != nullptr && gain == Gain{table.amplitude, 1.0, 1.0f, false})
    return {angles.float_cosines, angles.float_sines};
  Tally tally;
  const Rotation rotation = {table.frequencies, angles.multiples, gain, tally};
  if (kernels == nullptr) {
    ReferenceRound(rotation, POSENC_F32, cosines, sines);
  } else {
    kernels->round[POSENC_F32](rotation, {angles.cosines, angles.sines, nullptr, nullptr}, cosines, sines);
  }
  FillPadding(table.frequencies.count, cosines, sines);
  return {cosines, sines};
}

void Anchor::Set(const double* position) {
  is_whole_ = true;
  for (std::size_t k = 0; k < axes_; ++k) {
    position_[k] = position[k];
    is_whole_ = is_whole_ && IsWhole(position[k]);
  }
}

std::size_t Anchor::OffsetOf(const double* position) const {
  const double offset = position[0] - position_[0];
  if (!is_whole_ || !(offset >= 1.0 && offset <= static_cast<double>(kMaxOffset))) return 0;
  for (std::size_t k = 0; k < axes_; ++k) {
    if (!IsWhole(position[k]) || position[k] - position_[k] != offset) return 0;
  }
  return static_cast<std::size_t>(offset);
}

AnchorAngles::AnchorAngles(const RotaryKernels* kernels, const RotaryTable& table)
    : kernels_(kernels), table_(table), anchor_(table.frequencies.axis_count) {}

void AnchorAngles::Begin(const double* position) {
  multiples_ = {nullptr, position[0]};
  if (table_.HasMultiples()) {
    table_.FillMultiples(position, list_);
    multiples_.list = list_;
  }
  if (kernels_ == nullptr) return;  // the reference computes each result from its own phase
  offset_ = table_.has_offsets ? anchor_.OffsetOf(position) : 0;
  if (offset_ != 0) return;
  anchor_.Set(position);
  kernels_->sin_cos(table_.frequencies, multiples_, cosines_, sines_, tally_);
}

AddedAngles AnchorAngles::Added() const {
  if (offset_ == 0) return {cosines_, sines_, nullptr, nullptr};
  const double* offset_cosines = table_.OffsetCosines(offset_);
  return {cosines_, sines_, offset_cosines, offset_cosines + Pairs()};
}

void AnchorAngles::RoundRow(posenc_type type, const Gain& gain, void* cosines, void* sines) {
  const Rotation rotation = {table_.frequencies, multiples_, gain, tally_};
  if (kernels_ == nullptr) {
    ReferenceRound(rotation, type, cosines, sines);
  } else {
    kernels_->round[type](rotation, Added(), cosines, sines);
  }
}

void AnchorAngles::WriteRow(const double* position, posenc_type type, const Gain& gain, void* cosines,
                            void* sines) {
  Begin(position);
  RoundRow(type, gain, cosines, sines);
}

bool RowRuns::Take(const RotaryKernels* kernels, const RotaryTable& table, std::size_t rows) {
  constexpr std::size_t kMinRows = 64;
  return rows >= kMinRows && kernels != nullptr && kernels->fill_offsets != nullptr &&
         table.amplitude == 1.0 && !table.IsRounded() && !table.frequencies.HasStepBesideHalfTurns();
}

RowRuns::RowRuns(const RotaryKernels& kernels, const FrequencyTable& table, posenc_type type)
    : write_(kernels.write[type]), table_(table) {
  table_.padded = kPadded;
  table_.offsets = offsets_;
  table_.float_offsets = float_offsets_;
  table_.has_offsets = true;
  if (type != POSENC_F64) kernels.fill_offsets(table_);  // rows of doubles make their own
}

}  // namespace internal
}  // namespace posenc
