#include "number/exact.h"

#include "call/angles.h"

#include <cstddef>

#include "frequency/table.h"
#include "number/fp_state.h"

namespace posenc {
namespace internal {
namespace {

constexpr std::size_t kPositionBytes = 64;  // so that the arrays behind it are aligned for vectors

// The numbers of an array for the pairs of a head, with the padding behind them.
std::size_t Padded(std::size_t pairs, std::size_t padding) {
  return (pairs + padding + kVectorPadding - 1) / kVectorPadding * kVectorPadding;
}

}  // namespace

StepAngles::StepAngles(const Rotary& rotary, std::size_t tokens)
    : rotary_(&rotary),
      tokens_(tokens),
      multiples_(rotary.table.HasMultiples() ? Padded(rotary.head_pairs, kPadding) : 0),
      doubles_(Padded(rotary.head_pairs, kVectorPadding)),
      floats_(rotary.arithmetic == POSENC_FAST ? doubles_ : 0) {
  const std::size_t packed = floats_ == 0 ? PackedBytes(POSENC_BF16, rotary.head_pairs) : 0;
  token_bytes_ =
      kPositionBytes + (multiples_ + 2 * doubles_) * sizeof(double) + 2 * floats_ * sizeof(float) + packed;
}

inline AnglesRoom StepAngles::RoomOf(std::size_t token, std::size_t first_pair) const {
  auto* const multiples = reinterpret_cast<double*>(memory_ + token * token_bytes_ + kPositionBytes);
  double *const cosines = multiples + multiples_, *const sines = cosines + doubles_;
  double* const multiples_of_piece = multiples_ == 0 ? nullptr : multiples + first_pair;
  auto* const rest = reinterpret_cast<unsigned char*>(sines + doubles_);
  // All members at once: GCC would clear the struct first, which takes longer than the rest.
  if (floats_ == 0) {
    return {multiples_of_piece,
            cosines + first_pair,
            sines + first_pair,
            nullptr,
            nullptr,
            rest + PackedBytes(POSENC_BF16, first_pair)};
  }
  auto* const floats = reinterpret_cast<float*>(rest) + first_pair;
  return {multiples_of_piece, cosines + first_pair, sines + first_pair, floats, floats + floats_, nullptr};
}

void StepAngles::Fill(const TokenPositions& positions, void* memory) {
  memory_ = static_cast<unsigned char*>(memory);
  InFpState([&] {
    for (std::size_t t = 0; t < tokens_; ++t) {
      double position[POSENC_MAX_AXES];
      positions.At(t, position);
      *reinterpret_cast<double*>(memory_ + t * token_bytes_) = position[0];
      // The padding behind a piece is where the next piece begins, so the pieces must come in this order.
      ForEachPiece(*rotary_, [&](const Rotary& piece) {
        MakeAngles(piece.kernels, piece.table, piece.to, position, RoomOf(t, piece.First()));
      });
    }
    return 0;
  });
}

ReadyAngles StepAngles::At(std::size_t token, const Rotary& piece) const {
  const AnglesRoom room = RoomOf(token, piece.First());
  const double position = *reinterpret_cast<const double*>(memory_ + token * token_bytes_);
  return {{room.multiples, position}, room.cosines,     room.sines,
          room.float_cosines,         room.float_sines, room.packed};
}

}  // namespace internal
}  // namespace posenc
