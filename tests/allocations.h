// Counts all allocations of a program, and can make them fail. The functions below replace the allocators, so
// only one file of a program may include this.
#ifndef POSENC_TESTS_ALLOCATIONS_H_
#define POSENC_TESTS_ALLOCATIONS_H_

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>
#ifdef _WIN32
#include <malloc.h>
#endif

#include "sanitized.h"

namespace {

std::atomic<std::size_t> allocations{0};
std::atomic<bool> exhausted{false};

bool Allocate() {
  ++allocations;
  return !exhausted;
}

}  // namespace

#if defined(__GLIBC__) && !defined(POSENC_SANITIZED)
extern "C" {
// glibc's names for the functions that are replaced below.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) noexcept { return Allocate() ? __libc_malloc(size) : nullptr; }
void* calloc(std::size_t count, std::size_t size) noexcept {
  return Allocate() ? __libc_calloc(count, size) : nullptr;
}
void* realloc(void* old, std::size_t size) noexcept {
  return Allocate() ? __libc_realloc(old, size) : nullptr;
}
void* memalign(std::size_t alignment, std::size_t size) noexcept {
  return Allocate() ? __libc_memalign(alignment, size) : nullptr;
}
void* aligned_alloc(std::size_t alignment, std::size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** out, std::size_t alignment, std::size_t size) noexcept {
  void* block = memalign(alignment, size);
  if (block == nullptr) return ENOMEM;
  *out = block;
  return 0;
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
}
#else
// Called through a pointer, so that GCC does not inline it. If GCC inlines only one of malloc and free, it
// warns that they do not match.
void (*volatile release)(void*) = std::free;

void* operator new(std::size_t size) {
  void* block = Allocate() ? std::malloc(size) : nullptr;
  if (block == nullptr) std::abort();
  return block;
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return Allocate() ? std::malloc(size) : nullptr;
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  const auto align = static_cast<std::size_t>(alignment);
  if (!Allocate()) return nullptr;
#ifdef _WIN32
  return _aligned_malloc(size, align);
#else
  return std::aligned_alloc(align, (size + align - 1) / align * align);
#endif
}
void operator delete(void* block) noexcept { release(block); }
void operator delete(void* block, std::size_t) noexcept { release(block); }
#ifdef _WIN32
void operator delete(void* block, std::align_val_t) noexcept { _aligned_free(block); }
#else
void operator delete(void* block, std::align_val_t) noexcept { std::free(block); }
#endif
#endif

#endif  // POSENC_TESTS_ALLOCATIONS_H_
