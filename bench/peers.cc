#include "peers.h"

#include <utility>

namespace posenc {
namespace bench {

std::vector<Peer> Peers() {
  std::vector<Peer> peers = {ScalarLibm()};
#ifdef POSENC_BENCH_X86
  for (Peer& peer : SimdPeers()) peers.push_back(std::move(peer));
#endif
#ifdef POSENC_BENCH_TORCH
  peers.push_back(PyTorch());
#endif
  return peers;
}

}  // namespace bench
}  // namespace posenc
