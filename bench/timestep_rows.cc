// Rows Timesteps/...: embeddings of timesteps as diffusion models use them, with fractions, cosines first,
// and few rows.
#include <cmath>
#include <utility>
#include <vector>

#include "posenc/models.h"
#include "suite.h"
#include "timestep_peers.h"

namespace posenc {
namespace bench {
namespace {

constexpr Shape kShapes[] = {{1, 320}, {64, 320}, {1, 1024}};
constexpr double kTolerance = 1e-3;  // for rivals; a larger error means that one is used wrongly

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

void WriteTimesteps(benchmark::State& state, Shape shape, const std::string& target,
                    posenc_phase_rounding phase_rounding) {
  Spec spec = MakeSpec(shape.dim, target);  // as the UNets of diffusers use it
  spec.layout = POSENC_COS_SIN;
  spec.phase_rounding = phase_rounding;
  spec.lists_only = true;
  Encoder encoder;
  if (!Created(state, spec, &encoder)) return;

  RandomList<float> timesteps(0.0f, 1000.0f);
  float* out = Output().Get<float>(shape.entries());
  const auto write = [&] {
    return encoder.WriteAt(timesteps.Next(shape.rows), shape.rows, {out, shape.dim});
  };
  std::vector<Rival> rivals;
  for (const NamedWriter& rival : kRivals) {
    const float* first = timesteps.Next(shape.rows);
    Must(encoder.WriteAt(first, shape.rows, {out, shape.dim}));
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
  for (const Shape shape : kShapes) {
    for (const auto& [variant, rounding] :
         {std::pair{"/", POSENC_NO_PHASE_ROUNDING}, {"/f32_log_div/", POSENC_F32_LOG_DIV}}) {
      RegisterEach("Timesteps/f32/" + shape.name() + variant, shape.entries(), targets,
                   [shape, phase_rounding = rounding](benchmark::State& state, const std::string& target) {
                     WriteTimesteps(state, shape, target, phase_rounding);
                   });
    }
  }
}

}  // namespace bench
}  // namespace posenc
