// Other ways to write the same table. To add one: a function here that describes it, a file that
// implements it, a line in peers.cc and one in CMakeLists.txt.
#ifndef POSENC_BENCH_PEERS_H_
#define POSENC_BENCH_PEERS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace posenc {
namespace bench {

template <class T>  // of the entries: float or double
struct Peer {
  // Writes rows first, first + 1, ... to out [rows, dim].
  using Writer = std::function<void(int first, std::size_t rows, T* out)>;

  std::string name;
  std::string label;  // what exactly runs
  // Does what the peer does once for all rows; dim is a multiple of 32.
  std::function<Writer(std::size_t dim)> prepare;
  // The target of posenc that may use as much of the CPU as the peer does; the best one if empty.
  std::string target;
};

template <class T>
Peer<T> ScalarLibm();
Peer<float> PyTorch();
// SLEEF, Eigen and libmvec on the widest vectors, and limited to SSE4. Of doubles, SLEEF.
template <class T>
std::vector<Peer<T>> SimdPeers();

#ifdef POSENC_BENCH_X86
bool CpuHasAvx2();        // what add_simd_rows(avx2 ...) and add_rotary_loops(avx2 ...) compile for
bool CpuHasAvx512();      // and those of avx512
bool CpuHasAvx512Bf16();  // and add_rotary_loops(avx512bf16 ...): CMakeLists.txt
#endif

// All that were found at configure time and run on this CPU.
template <class T>
std::vector<Peer<T>> Peers();

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_PEERS_H_
