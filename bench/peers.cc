// The list of peers that were found at configure time and that this CPU can run.
#include "peers.h"

#include <type_traits>
#include <utility>

namespace posenc {
namespace bench {

template <class T>
std::vector<Peer<T>> Peers() {
  std::vector<Peer<T>> peers = {ScalarLibm<T>()};
#ifdef POSENC_BENCH_X86
  for (Peer<T>& peer : SimdPeers<T>()) peers.push_back(std::move(peer));
#endif
#ifdef POSENC_BENCH_TORCH
  if constexpr (std::is_same_v<T, float>) peers.push_back(PyTorch());
#endif
  return peers;
}

template std::vector<Peer<float>> Peers<float>();
template std::vector<Peer<double>> Peers<double>();

}  // namespace bench
}  // namespace posenc
