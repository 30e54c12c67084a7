// Other ways to write the embeddings of timesteps: all of [rows, dim] cosines, then sines; base 10000.
#ifndef POSENC_BENCH_TIMESTEP_PEERS_H_
#define POSENC_BENCH_TIMESTEP_PEERS_H_

#include <cstddef>

namespace posenc {
namespace bench {

using TimestepWriter = void (*)(const float* timesteps, std::size_t rows, std::size_t dim, float* out);

// The loop of ggml_compute_forward_timestep_embedding_f32, written anew: expf, cosf and sinf per pair.
void WriteTimestepsByLoop(const float* timesteps, std::size_t rows, std::size_t dim, float* out);

// Highway's Sin and Cos of float phases; frequencies are taken once. dim is a multiple of 32.
void WriteTimestepsByHighway(const float* timesteps, std::size_t rows, std::size_t dim, float* out);

// What get_timestep_embedding of diffusers does (flip_sin_to_cos, shift 0), by libtorch on one thread.
void WriteTimestepsByTorch(const float* timesteps, std::size_t rows, std::size_t dim, float* out);

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_TIMESTEP_PEERS_H_
