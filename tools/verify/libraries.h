// Functions of two builds of the shared library in one program. It links neither: a library that others link
// cannot be loaded twice.
#ifndef POSENC_TOOLS_VERIFY_LIBRARIES_H_
#define POSENC_TOOLS_VERIFY_LIBRARIES_H_

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace posenc {

inline void* Require(void* found) {
  if (found != nullptr) return found;
  std::fprintf(stderr, "same-bits: %s\n", dlerror());
  std::exit(2);
}

inline void* LoadLibrary(const char* path) { return Require(dlopen(path, RTLD_NOW | RTLD_LOCAL)); }

template <class Function>
void Find(void* library, const char* name, Function* function) {
  void* const symbol = Require(dlsym(library, name));
  std::memcpy(function, &symbol, sizeof(symbol));
}

}  // namespace posenc

#endif  // POSENC_TOOLS_VERIFY_LIBRARIES_H_
