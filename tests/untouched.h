// A spec with recognizable contents, for checks that a failed call does not change it.
#ifndef POSENC_TESTS_UNTOUCHED_H_
#define POSENC_TESTS_UNTOUCHED_H_

#include <cstring>

namespace posenc {

template <class S>
S Untouched() {
  S spec;
  std::memset(&spec, 0x5A, sizeof(spec));
  return spec;
}

template <class S>
bool IsUntouched(const S& spec) {
  const S want = Untouched<S>();
  return std::memcmp(&spec, &want, sizeof(want)) == 0;
}

}  // namespace posenc

#endif  // POSENC_TESTS_UNTOUCHED_H_
