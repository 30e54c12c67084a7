// The processor's time of this thread.
#ifndef POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_
#define POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_

#include <ctime>

namespace posenc {
namespace tools {

inline double ThreadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_THREAD_SECONDS_H_
