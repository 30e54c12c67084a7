// The peers SLEEF, Eigen and libmvec on the widest vectors of this CPU, and limited to SSE4; in doubles also
// limited to AVX2. Frequencies are computed once.
#include <hwy/targets.h>

#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "peers.h"
#include "simd_rows.h"

namespace posenc {
namespace bench {
namespace {

template <class Phase, class T>
typename Peer<T>::Writer Prepare(const SimdRow<Phase, T>& row, std::size_t dim) {
  std::vector<Phase> frequencies(dim / 2);
  for (std::size_t i = 0; i < frequencies.size(); ++i) {
    frequencies[i] =
        static_cast<Phase>(std::pow(10000.0, -2.0 * static_cast<double>(i) / static_cast<double>(dim)));
  }
  return [=, write = row.write](int first, std::size_t rows, T* out) {
    for (std::size_t r = 0; r < rows; ++r) {
      const Phase position = static_cast<Phase>(first + static_cast<int>(r));
      write(position, frequencies.data(), dim / 2, out + r * dim);
    }
  };
}

template <class Phase, class T>
void AddPeer(const std::string& name, const SimdRow<Phase, T>& row, const std::string& target,
             std::vector<Peer<T>>* peers) {
  if (row.write == nullptr) return;
  peers->push_back({name, row.label, [row](std::size_t dim) { return Prepare(row, dim); }, target});
}

void AddPeers(const SimdRows& rows, const std::string& suffix, const std::string& target,
              std::vector<Peer<float>>* peers) {
  AddPeer("sleef_double" + suffix, rows.sleef_double, target, peers);
  AddPeer("sleef_float" + suffix, rows.sleef_float, target, peers);
  AddPeer("eigen" + suffix, rows.eigen, target, peers);
  AddPeer("libmvec" + suffix, rows.libmvec, target, peers);
}

void AddPeers(const SimdRows& rows, const std::string& suffix, const std::string& target,
              std::vector<Peer<double>>* peers) {
  AddPeer("sleef_f64" + suffix, rows.sleef_f64, target, peers);
}

}  // namespace

bool CpuHasAvx2() { return (hwy::SupportedTargets() & HWY_AVX2) != 0; }

bool CpuHasAvx512() { return (hwy::SupportedTargets() & HWY_AVX3) != 0; }

bool CpuHasAvx512Bf16() { return CpuHasAvx512() && __builtin_cpu_supports("avx512bf16") != 0; }

template <class T>
std::vector<Peer<T>> SimdPeers() {
  std::vector<Peer<T>> peers;
  if (CpuHasAvx512()) {
    AddPeers(avx512::Rows(), "", "", &peers);
    if constexpr (std::is_same_v<T, double>) AddPeers(avx2::Rows(), "_avx2", "AVX2", &peers);
  } else if (CpuHasAvx2()) {
    AddPeers(avx2::Rows(), "", "", &peers);
  }
  if ((hwy::SupportedTargets() & HWY_SSE4) != 0) AddPeers(sse4::Rows(), "_sse4", "SSE4", &peers);
  return peers;
}

template std::vector<Peer<float>> SimdPeers<float>();
template std::vector<Peer<double>> SimdPeers<double>();

}  // namespace bench
}  // namespace posenc
