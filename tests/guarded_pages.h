// Memory that ends where nobody may read or write.
#ifndef POSENC_TESTS_GUARDED_PAGES_H_
#define POSENC_TESTS_GUARDED_PAGES_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>

namespace posenc {

// Bytes between two pages that nobody may touch.
class GuardedPages {
 public:
  explicit GuardedPages(std::size_t bytes) : page_(static_cast<std::size_t>(sysconf(_SC_PAGESIZE))) {
    size_ = (bytes + page_ - 1) / page_ * page_;
    void* map = mmap(nullptr, size_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED) std::abort();
    map_ = static_cast<unsigned char*>(map);
    if (mprotect(begin(), size_, PROT_READ | PROT_WRITE) != 0) std::abort();
  }
  ~GuardedPages() { munmap(map_, size_ + 2 * page_); }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  unsigned char* begin() { return map_ + page_; }
  unsigned char* end() { return begin() + size_; }

 private:
  std::size_t page_, size_;
  unsigned char* map_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_GUARDED_PAGES_H_
