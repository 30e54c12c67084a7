// Memory between pages that nobody may read or write, so that an access outside it crashes.
#ifndef POSENC_TESTS_GUARDED_PAGES_H_
#define POSENC_TESTS_GUARDED_PAGES_H_

#ifdef _WIN32
#include "verify/windows_api.h"
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstddef>
#include <cstdlib>

namespace posenc {

inline std::size_t PageSize() {
#ifdef _WIN32
  SYSTEM_INFO info;
  GetSystemInfo(&info);
  return info.dwPageSize;
#else
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
#endif
}

// Bytes between two pages that nobody may touch.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t bytes) : page_(PageSize()) {
    size_ = (bytes + page_ - 1) / page_ * page_;
    map_ = static_cast<unsigned char*>(Map());
    if (map_ == nullptr || !Open()) std::abort();
  }
  ~GuardedPages() { Unmap(); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  unsigned char* begin() { return map_ + page_; }
  unsigned char* end() { return begin() + size_; }

 private:
#ifdef _WIN32
  void* Map() { return VirtualAlloc(nullptr, size_ + 2 * page_, MEM_RESERVE, PAGE_NOACCESS); }
  bool Open() { return VirtualAlloc(begin(), size_, MEM_COMMIT, PAGE_READWRITE) != nullptr; }
  void Unmap() { VirtualFree(map_, 0, MEM_RELEASE); }
#else
  void* Map() {
    void* map = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return map == MAP_FAILED ? nullptr : map;
  }
  bool Open() { return mprotect(begin(), size_, PROT_READ | PROT_WRITE) == 0; }
  void Unmap() { munmap(map_, size_ + 2 * page_); }
#endif

  std::size_t page_, size_;
  unsigned char* map_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_GUARDED_PAGES_H_
