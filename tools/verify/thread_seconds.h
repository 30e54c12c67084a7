// Measures the processor time of this thread, in seconds. In WebAssembly it is 0, because there is no such
// clock.
#ifndef POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_
#define POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_

#ifdef _WIN32
#include "verify/windows_api.h"
#elif !defined(__wasm__)
#include <ctime>
#endif

namespace posenc {
namespace tools {

inline double ThreadSeconds() {
#ifdef __wasm__
  return 0.0;
#elif defined(_WIN32)
  FILETIME created, ended, kernel, user;  // kernel and user are in units of 100 ns
  GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user);
  return 1e-7 * (0x1p32 * user.dwHighDateTime + user.dwLowDateTime);
#else
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
#endif
}

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_
