// Entries of a type that is known at run time only.
#ifndef POSENC_TOOLS_COMMAND_ENTRIES_H_
#define POSENC_TOOLS_COMMAND_ENTRIES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "posenc/accuracy.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace tools {

// As memory holds them, on cache lines of their own, so that rows may be streamed as into a caller's table.
class Entries {
 public:
  Entries() = default;
  Entries(posenc_type type, std::size_t count) { Reset(type, count); }

  // Fills them with a pattern, so that what is not written afterwards shows.
  void Reset(posenc_type type, std::size_t count) {
    size_ = TraitsOf(type).size;
    count_ = count;
    Line unwritten;
    std::memset(unwritten.bytes, 0xA5, sizeof(unwritten));
    lines_.assign((bytes() + sizeof(Line) - 1) / sizeof(Line), unwritten);
  }

  std::size_t count() const { return count_; }
  std::size_t bytes() const { return count_ * size_; }
  void* data() { return lines_.data(); }
  const void* data() const { return lines_.data(); }

  // The bit pattern of an entry.
  std::uint64_t operator[](std::size_t i) const {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < size_; ++k) bits |= std::uint64_t{begin()[Place(i, k)]} << (8 * k);
    return bits;
  }
  void Set(std::size_t i, std::uint64_t bits) {
    for (std::size_t k = 0; k < size_; ++k, bits >>= 8) {
      static_cast<unsigned char*>(data())[Place(i, k)] = static_cast<unsigned char>(bits);
    }
  }

  // The bytes of the first entries.
  std::string LittleEndian(std::size_t count) const {
    std::string bytes(begin(), begin() + count * size_);
    for (std::size_t j = 0; kBigEndian && j < bytes.size(); ++j) {
      bytes[j] = static_cast<char>(begin()[Place(j / size_, j % size_)]);
    }
    return bytes;
  }

 private:
  static constexpr bool kBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  struct alignas(64) Line {
    unsigned char bytes[64];
  };

  const unsigned char* begin() const { return static_cast<const unsigned char*>(data()); }

  // Where the byte of an entry is that counts 2^(8 k).
  std::size_t Place(std::size_t i, std::size_t k) const {
    return i * size_ + (kBigEndian ? size_ - 1 - k : k);
  }

  std::size_t size_ = 0;  // of an entry
  std::size_t count_ = 0;
  std::vector<Line> lines_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_ENTRIES_H_
