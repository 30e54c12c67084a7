// Peers: other ways to write the same table. To add one, declare here a function that describes it, and write
// a file that implements it, a line in peers.cc, and a line in CMakeLists.txt.
#ifndef POSENC_BENCH_PEERS_H_
#define POSENC_BENCH_PEERS_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace posenc {
namespace bench {

template <class T>  // type of the entries: float or double
struct Peer {
  // Writes rows first, first + 1, ... to out [rows, dim].
  using Writer = std::function<void(int first, std::size_t rows, T* out)>;

  std::string name;
  std::string label;  // says exactly what runs
  // Does the work that a peer needs once for all rows. dim is a multiple of 32.
  std::function<Writer(std::size_t dim)> prepare;
  // The target of posenc with the same instruction set as the peer. If it is empty, posenc uses its best
  // target.
  std::string target;
};

template <class T>
Peer<T> ScalarLibm();
Peer<float> PyTorch();
// SLEEF, Eigen and libmvec on the widest vectors, and limited to SSE4. With T = double it is SLEEF only.
template <class T>
std::vector<Peer<T>> SimdPeers();

#ifdef POSENC_BENCH_X86
bool CpuHasAvx2();        // what add_simd_rows(avx2 ...) and add_rotary_loops(avx2 ...) need
bool CpuHasAvx512();      // what both need for avx512
bool CpuHasAvx512Bf16();  // what add_rotary_loops(avx512bf16 ...) needs; see CMakeLists.txt
#endif

// All peers that were found at configure time and that this CPU can run.
template <class T>
std::vector<Peer<T>> Peers();

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_PEERS_H_
