#include "peers.h"

namespace posenc {
namespace bench {

std::vector<Peer> Peers() {
  return {
      ScalarLibm(),
#ifdef POSENC_BENCH_SLEEF
      SleefDouble(),
#endif
  };
}

}  // namespace bench
}  // namespace posenc
