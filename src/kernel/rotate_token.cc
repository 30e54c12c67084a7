#include "number/exact.h"

#include "kernel/rotate_token.h"

#include <cstring>

#include "kernel/rotary_reference.h"
#include "number/elements.h"

namespace posenc {
namespace internal {
namespace {

// Writes zeros after the last pair, up to the end of the longest vector that contains the last pair. Kernels
// load them, but no result depends on them.
template <class T>
void ClearPadding(std::size_t pairs, T* cosines, T* sines) {
  const std::size_t rest = pairs % kVectorPadding;
  if (rest == 0) return;
  std::memset(cosines + pairs, 0, (kVectorPadding - rest) * sizeof(T));
  std::memset(sines + pairs, 0, (kVectorPadding - rest) * sizeof(T));
}

}  // namespace

bool TakesOffsets(const RotaryKernels* kernels, const RotaryTable& table) {
  return kernels != nullptr && !table.IsRounded() && table.frequencies.count <= kMaxAddedPairs;
}

void FillOffsets(const RotaryKernels* kernels, const RotaryTable& table) {
  for (std::size_t k = 1; k <= kMaxOffset; ++k) {
    double* cosines = table.OffsetCosines(k);
    kernels->offset(table.frequencies, static_cast<double>(k), cosines, cosines + table.frequencies.count);
  }
}

void RotateByFloats(const RotaryKernels* kernels, posenc_type type, const float* cosines, const float* sines,
                    const Heads& heads) {
  if (kernels == nullptr) return ReferenceFast(type, heads, cosines, sines);
  kernels->fast[type][heads.pairing](cosines, sines, heads);
}

void WidenToFloats(const RotaryKernels* kernels, posenc_type type, const void* from, std::size_t count,
                   float* to) {
  if (kernels != nullptr) return kernels->widen[type](from, count, to);
  type == POSENC_BF16 ? WidenEntries<POSENC_BF16>(from, count, to)
                      : WidenEntries<POSENC_F16>(from, count, to);
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

Tally AnchorAngles::Begin(const double* position) {
  multiples_ = {nullptr, position[0]};
  if (table_.HasMultiples()) {
    table_.FillMultiples(position, list_);
    multiples_.list = list_;
  }
  if (kernels_ == nullptr) return {};  // the reference computes each result from its own phase
  offset_ = table_.has_offsets ? anchor_.OffsetOf(position) : 0;
  if (offset_ != 0) return {};
  anchor_.Set(position);
  return kernels_->sin_cos(table_.frequencies, multiples_, cosines_, sines_);
}

AddedAngles AnchorAngles::Added() const {
  const double* offset_cosines = table_.OffsetCosines(offset_);
  return {cosines_, sines_, offset_cosines, offset_cosines + Pairs()};
}

Tally AnchorAngles::RoundRow(posenc_type type, const Gain& gain, void* cosines, void* sines) const {
  const FrequencyTable& frequencies = table_.frequencies;
  if (kernels_ == nullptr) return ReferenceRound(frequencies, multiples_, gain, type, cosines, sines);
  if (offset_ != 0 && IsSummand(type)) {
    return kernels_->round_added[type](frequencies, multiples_, gain, Added(), cosines, sines);
  }
  return kernels_->round[type](frequencies, multiples_, gain, cosines_, sines_, cosines, sines);
}

HeadRotation::HeadRotation(const RotaryKernels* kernels, const RotaryTable& table,
                           posenc_arithmetic arithmetic, posenc_type type)
    : AnchorAngles(kernels, table), arithmetic_(arithmetic), type_(type), shared_(arithmetic) {
  if (arithmetic != POSENC_EXACT) return;
  shared_.exact.undecided.Clear();
  ClearPadding(Pairs(), cosines_, sines_);
  if (Pairs() <= kMaxAddedPairs) ClearPadding(Pairs(), shared_.exact.cosines, shared_.exact.sines);
}

void HeadRotation::Begin(const double* position) {
  tally_ += AnchorAngles::Begin(position);
  is_packed_ = false;
  angles_ = {cosines_, sines_, true};
  if (offset_ != 0 && arithmetic_ == POSENC_EXACT) {
    angles_ = {shared_.exact.cosines, shared_.exact.sines, false};
    kernels_->add(Added(), Pairs(), shared_.exact.cosines, shared_.exact.sines);
  }
}

void HeadRotation::Rotate(const Gain& gain, const Heads& heads) {
  const Rotation rotation = {table_.frequencies, multiples_, gain};
  if (kernels_ == nullptr && arithmetic_ == POSENC_EXACT) {
    tally_ += ReferenceExact(rotation, type_, heads);
    return;
  }
  if (!is_packed_ || !(gain == gain_)) Pack(gain, heads.pairing);
  if (arithmetic_ == POSENC_FAST) {
    RotateByFloats(kernels_, type_, shared_.floats.cosines, shared_.floats.sines, heads);
    return;
  }
  tally_ += kernels_->exact[type_][heads.pairing](rotation, angles_, shared_.exact.packed, heads,
                                                  shared_.exact.undecided);
}

// Multiplies the token's cosines and sines by a gain, for all heads with this gain.
void HeadRotation::Pack(const Gain& gain, posenc_pairing pairing) {
  if (!(gain == gain_)) End();  // the pairs that are left have the old gain
  gain_ = gain;
  is_packed_ = true;
  if (arithmetic_ == POSENC_FAST) {
    tally_ += RoundRow(POSENC_F32, gain, shared_.floats.cosines, shared_.floats.sines);
    ClearPadding(Pairs(), shared_.floats.cosines, shared_.floats.sines);
    return;
  }
  kernels_->pack[type_][pairing](angles_.cosines, angles_.sines, Pairs(), gain, shared_.exact.packed);
}

const Tally& HeadRotation::End() {
  if (arithmetic_ == POSENC_EXACT && shared_.exact.undecided.count != 0) {
    kernels_->resolve(type_, table_.frequencies, gain_, shared_.exact.undecided, tally_);
  }
  return tally_;
}

}  // namespace internal
}  // namespace posenc
