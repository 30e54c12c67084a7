// Angles that ordinary positions do not meet: a single pair that takes wide arithmetic, in 256 bits or in
// 1,024. Google Benchmark's mean time of a call is the figure.
#include <string>

#include "suite.h"

namespace posenc {
namespace bench {
namespace {

// The angle is position * scale * frequency. It comes so near to a multiple of pi/2 that most bits cancel.
struct HardAngle {
  const char* name;
  double position, scale, frequency;
  bool is_of_base;  // the frequency is a power of the base, else it is listed
};
constexpr double kHalfPi = 0x1.921fb54442d18p+0;
constexpr HardAngle kAngles[] = {
    {"easy", 3001.0, 1.0, 1.0, false},
    {"256_bits", 1.0, 1.0, kHalfPi, false},
    {"256_bits_of_base", 1.0, 1.0, kHalfPi, true},
    {"1024_bits", 0x1.87ffb6daa07c4p+30, 0x1.75deab83dccc1p+12, 0x1.097ab46a94729p+17, false},
    {"1024_bits_of_base", 0x1.8238f51019ad7p+30, 0x1.9a93e95ac5d61p-124, 0x1.4a3b477d25e79p+153, true},
};

void WriteHard(benchmark::State& state, const HardAngle& angle, const std::string& target) {
  Spec spec = MakeSpec(angle.is_of_base ? 4 : 2, target);
  spec.position_scale = angle.scale;
  if (angle.is_of_base) {  // pair 1 has the frequency base^(-2 / exponent_dim)
    spec.exponent_dim = -2.0;
    spec.base = angle.frequency;
  } else {
    spec.frequencies = &angle.frequency;
    spec.frequency_count = 1;
  }
  Encoder encoder;
  if (!Created(state, spec, &encoder)) return;
  double row[4];
  const auto write = [&] { return encoder.WriteAt(&angle.position, 1, {row, spec.dim}); };
  const Status status = write();
  if (status != POSENC_OK) return Fail(state, posenc_status_message(status));
  for (auto _ : state) benchmark::DoNotOptimize(write());
}

}  // namespace

void RegisterHard(const TargetNames& targets) {
  for (const HardAngle& angle : kAngles) {
    RegisterEach(
        std::string("Hard/f64/") + angle.name + "/", 2, targets,
        [=](benchmark::State& state, const std::string& target) { WriteHard(state, angle, target); });
  }
}

}  // namespace bench
}  // namespace posenc
