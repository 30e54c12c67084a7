// Embeddings of timesteps as diffusion models have them: fractions, cosines first, few rows.
#include <cmath>
#include <random>
#include <vector>

#include "suite.h"
#include "timestep_peers.h"

namespace posenc {
namespace bench {
namespace {

constexpr Shape kShapes[] = {{1, 320}, {64, 320}, {1, 1024}};
constexpr double kTolerance = 1e-3;  // of rivals, lest one be used wrongly

struct NamedWriter {
  const char* counter;
  TimestepWriter write;
};
constexpr NamedWriter kRivals[] = {{"ggml_ratio", WriteTimestepsByLoop},
                                   {"hwy_ratio", WriteTimestepsByHighway},
#ifdef POSENC_BENCH_TORCH
                                   {"torch_ratio", WriteTimestepsByTorch}
#endif
};

// Others in each call, as PositionList.
class Timesteps {
 public:
  Timesteps() : all_(kListedPositions) {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> timestep(0.0f, 1000.0f);
    for (float& t : all_) t = timestep(random);
  }

  const float* Next(std::size_t rows) {
    if (next_ + rows > all_.size()) next_ = 0;
    next_ += rows;
    return all_.data() + next_ - rows;
  }

 private:
  std::vector<float> all_;
  std::size_t next_ = 0;
};

void WriteTimesteps(benchmark::State& state, Shape shape, const std::string& target,
                    PhaseRounding phase_rounding) {
  Spec spec;
  const Status status = SpecPreset(&spec, "diffusers_unet", shape.dim);
  if (status != Status::kOk) return Fail(state, StatusMessage(status));
  spec.phase_rounding = phase_rounding;
  spec.lists_only = true;
  spec.target = target.c_str();
  Encoder encoder;
  if (!Created(state, spec, &encoder)) return;

  Timesteps timesteps;
  float* out = Output().Get<float>(shape.entries());
  const auto write = [&] { return encoder.WriteAt(timesteps.Next(shape.rows), shape.rows, out, shape.dim); };
  std::vector<Rival> rivals;
  for (const NamedWriter& rival : kRivals) {
    const float* first = timesteps.Next(shape.rows);
    encoder.WriteAt(first, shape.rows, out, shape.dim);
    const std::vector<float> expected(out, out + shape.entries());
    rival.write(first, shape.rows, shape.dim, out);
    for (std::size_t i = 0; i < shape.entries(); ++i) {
      if (!(std::fabs(out[i] - expected[i]) <= kTolerance)) {
        return Fail(state, std::string(rival.counter) + ": differs from posenc");
      }
    }
    rivals.push_back({rival.counter, [&, write_rival = rival.write] {
                        write_rival(timesteps.Next(shape.rows), shape.rows, shape.dim, out);
                      }});
  }
  MeasureChecked(state, shape.work<float>(), write, rivals);
}

}  // namespace

void RegisterTimesteps(const TargetNames& targets) {
  const auto register_each = [&](Shape shape, const char* variant, PhaseRounding rounding) {
    for (const std::string& target : targets) {
      if (IsTooSlow(target, shape.entries())) continue;
      Register("Timesteps/f32/" + shape.name() + variant + "/" + target,
               [=](benchmark::State& state) { WriteTimesteps(state, shape, target, rounding); });
    }
  };
  for (const Shape shape : kShapes) {
    register_each(shape, "", PhaseRounding::kNone);
    register_each(shape, "/f32_log_div", PhaseRounding::kF32LogDiv);
  }
}

}  // namespace bench
}  // namespace posenc
