// Frequencies of encoders: a geometric sequence, or the caller's list.
#ifndef POSENC_SRC_FREQUENCY_GEOMETRIC_H_
#define POSENC_SRC_FREQUENCY_GEOMETRIC_H_

#include <cstddef>
#include <cstdint>

#include "frequency/formula.h"
#include "frequency/frequencies.h"
#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// Checks by estimates that all frequencies are in range. The spec has passed CheckSpec. A frequency within a
// millionth of a limit passes; Plan checks it exactly. Sets *has_large if some |w_i| may exceed four quarter
// turns.
posenc_status CheckRange(const posenc_spec& spec, bool* has_large);

class GeometricFrequencies final : public Frequencies {
 public:
  // For a spec that has passed CheckRange: computes what all pairs share, and checks frequencies near the
  // limits. Refers to the caller's list.
  posenc_status Plan(const posenc_spec& spec);

  // The memory for a copy and its list, and such a copy, which no longer refers to the caller's list.
  static std::size_t CopyBytes(const posenc_spec& spec);
  const GeometricFrequencies* CopyTo(void* memory) const;

  Wide256 In256Bits(std::size_t pair) const override;
  Wide1024 In1024Bits(std::size_t pair) const override;
  Wide256 Radians(std::size_t pair) const override;
  RationalStep Rational(std::size_t pair) const override;
  void FillSteps(std::size_t count, double* high, double* low) const override;
  AxisEntry AxisOf(std::size_t pair) const override { return {formula_, pair}; }
  int KnownBits() const override { return 870; }

 private:
  template <int kLimbs>
  Wide<kLimbs> InUnit(std::size_t pair) const;  // w_i in the spec's unit

  Formula formula_ = {};

  // The ratio of neighbouring frequencies, w_{i+1} / w_i; unused with a list.
  Wide256 log_ratio_;                // its logarithm, -2 ln(base / min_timescale) / exponent_dim
  bool is_binary_ = false;           // whether it is a power of two
  std::int64_t ratio_exponent_ = 0;  // the exponent of that power
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_GEOMETRIC_H_
