// Embeddings of timesteps by the loop of ggml, written anew.
#include <cmath>

#include "timestep_peers.h"

namespace posenc {
namespace bench {

void WriteTimestepsByLoop(const float* timesteps, std::size_t rows, std::size_t dim, float* out) {
  const int max_period = 10000, half = static_cast<int>(dim / 2);
  for (std::size_t row = 0; row < rows; ++row, out += dim) {
    for (int j = 0; j < half; ++j) {
      const float frequency = std::exp(-std::log(static_cast<float>(max_period)) * static_cast<float>(j) /
                                       static_cast<float>(half));
      const float phase = timesteps[row] * frequency;
      out[j] = std::cos(phase);
      out[j + half] = std::sin(phase);
    }
    if (dim % 2 != 0) out[2 * half] = 0.0f;
  }
}

}  // namespace bench
}  // namespace posenc
