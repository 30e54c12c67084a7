// Allocates the memory of the module: a list of free blocks, ordered by address. It takes the first block
// that fits, and joins neighbours when a block is freed. The allocator of wasi-libc would be a twelfth of the
// whole module.
#include <cstddef>
#include <cstdint>
#include <new>

#include "wasm/module.h"

namespace {

struct Block {
  std::size_t bytes;  // size, including this header
  Block* next;        // the next free block
};
constexpr std::size_t kUnit = 128, kPage = 65536;
constexpr std::size_t kMost = std::size_t{0} - 4 * kPage;

Block* first_free = nullptr;

unsigned char* PayloadOf(Block* block) { return reinterpret_cast<unsigned char*>(block) + kUnit; }
Block* BlockOf(void* payload) {
  return reinterpret_cast<Block*>(static_cast<unsigned char*>(payload) - kUnit);
}
bool Touch(const Block* block, const Block* next) {
  return reinterpret_cast<std::uintptr_t>(block) + block->bytes == reinterpret_cast<std::uintptr_t>(next);
}

void Join(Block* block) {
  if (!Touch(block, block->next)) return;
  block->bytes += block->next->bytes;
  block->next = block->next->next;
}

void Free(Block* block) {
  Block** link = &first_free;
  Block* before = nullptr;
  while (*link != nullptr && *link < block) {
    before = *link;
    link = &before->next;
  }
  block->next = *link;
  *link = block;
  Join(block);
  if (before != nullptr) Join(before);
}

// Adds a free block of at least this many bytes. Returns false if there is no more memory.
bool Grow(std::size_t bytes) {
  const std::size_t pages = (bytes + kPage - 1) / kPage;
  const std::size_t old = __builtin_wasm_memory_grow(0, pages);
  if (old == ~std::size_t{0}) return false;
  auto* const block = reinterpret_cast<Block*>(old * kPage);
  block->bytes = pages * kPage;
  Free(block);
  return true;
}

Block* Take(std::size_t bytes) {
  for (Block** link = &first_free; *link != nullptr; link = &(*link)->next) {
    Block* const block = *link;
    if (block->bytes < bytes) continue;
    if (block->bytes - bytes < 2 * kUnit) {
      *link = block->next;
      return block;
    }
    block->bytes -= bytes;  // take the end of the block
    auto* const taken = reinterpret_cast<Block*>(reinterpret_cast<unsigned char*>(block) + block->bytes);
    taken->bytes = bytes;
    return taken;
  }
  return nullptr;
}

}  // namespace

void* web_allocate(std::size_t bytes) {
  if (bytes > kMost) return nullptr;
  const std::size_t all = (bytes + 2 * kUnit - 1) / kUnit * kUnit;
  Block* block = Take(all);
  if (block == nullptr && Grow(all)) block = Take(all);
  return block == nullptr ? nullptr : PayloadOf(block);
}

void web_free(void* payload) {
  if (payload != nullptr) Free(BlockOf(payload));
}

// Defined here, because libc++'s definitions would bring in exceptions, standard output, and so imports.
namespace std {
const nothrow_t nothrow = nothrow_t();
}  // namespace std
extern "C" [[noreturn]] void __cxa_pure_virtual() {
  __builtin_trap();
}  // NOLINT(bugprone-reserved-identifier)

// The library creates handles with these operators. It never asks for a larger alignment than kUnit.
void* operator new(std::size_t bytes, std::align_val_t /*alignment*/, const std::nothrow_t&) noexcept {
  return web_allocate(bytes);
}
void operator delete(void* payload, std::align_val_t /*alignment*/) noexcept { web_free(payload); }
void operator delete(void* payload, std::align_val_t /*alignment*/, const std::nothrow_t&) noexcept {
  web_free(payload);
}
