// A FrequencyTable made by hand, so that tests can call kernels and see their Tally.
#ifndef POSENC_TESTS_STEP_TABLE_H_
#define POSENC_TESTS_STEP_TABLE_H_

#include <cstddef>
#include <vector>

#include "frequencies.h"
#include "kernels.h"
#include "per_target.h"
#include "wide.h"

namespace posenc {

// The row of the kernel table with that name.
inline const internal::Kernels& KernelsOf(const std::string& name) {
  std::size_t count = 0;
  const internal::Kernels* const* rows = internal::AllKernels(&count);
  std::size_t i = 0;
  while (i + 1 < count && name != rows[i]->name) ++i;
  return *rows[i];
}

inline internal::DoubleDouble ToDoubleDouble(const internal::Wide& x) {
  const double high = internal::ToDouble(x);
  return {high, internal::ToDouble(internal::Subtract(x, internal::FromDouble(high)))};
}

// Recipe::kExact, base^(-2i / exponent_dim) for i < count, by the `geometric` kernel of a target. No step may
// exceed two quarter turns.
class StepTable {
 public:
  StepTable(const internal::Kernels& kernels, double base, double exponent_dim, std::size_t count,
            double scale = 1.0)
      : high_(Length(count)), low_(Length(count)) {
    using namespace internal;
    const Wide log_base = Log(base);
    table_.count = count;
    table_.recipe = Recipe::kExact;
    table_.schedule.log_ratio = Negate(Divide(internal::Add(log_base, log_base), FromDouble(exponent_dim)));
    table_.schedule.scale = FromDouble(scale);
    std::vector<DoubleDouble> powers;
    Wide power = Exp(table_.schedule.log_ratio);
    for (std::size_t k = 0; (count - 1) >> k != 0; ++k) {
      powers.push_back(ToDoubleDouble(power));
      power = Multiply(power, power);
    }
    const Wide first = Multiply(table_.schedule.scale, QuarterTurnsPerRadian());
    kernels.geometric(ToDoubleDouble(first), powers.data(), count, high(), low());
    table_.high = high();
    table_.low = low();
  }
  StepTable(const StepTable&) = delete;
  StepTable& operator=(const StepTable&) = delete;

  const internal::FrequencyTable& table() const { return table_; }

 private:
  // Kernels load aligned vectors.
  struct alignas(128) Line {
    double values[16];
  };
  static std::size_t Length(std::size_t count) { return (count + internal::kPadding) / 16 + 1; }
  using Lines = std::vector<Line>;
  double* high() { return high_.front().values; }
  double* low() { return low_.front().values; }

  internal::FrequencyTable table_{};
  Lines high_, low_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_STEP_TABLE_H_
