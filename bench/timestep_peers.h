// Other ways to write the embeddings of timesteps [rows, dim]: each row has all cosines, then all sines. The
// base is 10000.
#ifndef POSENC_BENCH_TIMESTEP_PEERS_H_
#define POSENC_BENCH_TIMESTEP_PEERS_H_

#include <cstddef>

namespace posenc {
namespace bench {

using TimestepWriter = void (*)(const float* timesteps, std::size_t rows, std::size_t dim, float* out);

// The loop of ggml_compute_forward_timestep_embedding_f32, written anew: expf, cosf and sinf for each pair.
void WriteTimestepsByLoop(const float* timesteps, std::size_t rows, std::size_t dim, float* out);

// Highway's Sin and Cos of phases in float. Frequencies are computed once. dim is a multiple of 32.
void WriteTimestepsByHighway(const float* timesteps, std::size_t rows, std::size_t dim, float* out);

// get_timestep_embedding of diffusers (flip_sin_to_cos, shift 0), by libtorch on one thread.
void WriteTimestepsByTorch(const float* timesteps, std::size_t rows, std::size_t dim, float* out);

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_TIMESTEP_PEERS_H_
