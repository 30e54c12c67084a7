// Frequencies of rotaries: of each axis the formula or the list, and the scaling applied to it.
#ifndef POSENC_SRC_FREQUENCY_SCALED_H_
#define POSENC_SRC_FREQUENCY_SCALED_H_

#include <cstddef>

#include "frequency/frequencies.h"
#include "frequency/scaling.h"
#include "number/wide.h"
#include "posenc/rotary_c.h"

namespace posenc {
namespace internal {

// In 1,024 bits the relative error is below 2^-kFrequencyBits<16>. On a steep ramp, or if NTK makes the base
// nearly 1, it is below 2^-700.
class ScaledFrequencies final : public Frequencies {
 public:
  // For a spec that has passed CheckSpec: computes what all pairs of an axis share, and checks that all
  // frequencies are in range. Writes scalings [POSENC_MAX_AXES], and refers to them and to the caller's
  // lists.
  posenc_status Plan(const posenc_rotary_spec& spec, Scaling* scalings);

  // The memory for a copy with its scalings and lists, and such a copy, which refers to nothing else.
  std::size_t CopyBytes() const;
  const ScaledFrequencies* CopyTo(void* memory) const;

  Wide256 In256Bits(std::size_t pair) const override;
  Wide1024 In1024Bits(std::size_t pair) const override;
  RationalStep Rational(std::size_t pair) const override;
  void FillSteps(std::size_t count, double* high, double* low) const override;
  AxisEntry AxisOf(std::size_t pair) const override;
  int KnownBits() const override { return 600; }

  const posenc_rotary_spec& spec() const { return spec_; }  // checked; without lists and target
  double amplitude() const { return amplitude_; }
  bool HasLarge() const { return has_large_; }  // whether some |w_i| exceeds four quarter turns

  // The frequencies of each axial axis, or those of all axes together: [scaling_count]. An axial axis may
  // have no pairs.
  const Scaling& scaling(std::size_t k) const { return scalings_[k]; }
  std::size_t scaling_count() const;

 private:
  struct ScalingEntry {
    const Scaling& scaling;
    std::size_t entry;
  };
  ScalingEntry ScalingOf(std::size_t pair) const;

  posenc_rotary_spec spec_ = {};
  double amplitude_ = 1.0;
  bool has_large_ = false;
  const Scaling* scalings_ = nullptr;
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_SCALED_H_
