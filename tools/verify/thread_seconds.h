// The processor's time of this thread; 0 in WebAssembly, which has no clock of its own.
#ifndef POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_
#define POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_

#ifndef __wasm__
#include <ctime>
#endif

namespace posenc {
namespace tools {

inline double ThreadSeconds() {
#ifdef __wasm__
  return 0.0;
#else
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
}

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_
