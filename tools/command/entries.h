// A buffer of entries whose type is known only at run time.
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

// The bytes are as the library writes them. The buffer begins at a cache line and shares none, so that the
// library may use streaming stores, as in a large table of a caller.
class Entries {
 public:
  Entries() = default;
  Entries(posenc_type type, std::size_t count) { Reset(type, count); }

  // Fills the buffer with a pattern, so that entries that are not written afterwards can be seen.
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

  // The bits of entry i.
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

  // The bytes of the first `count` entries, in little-endian order.
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

  // The offset of byte k of entry i, where byte 0 is the least significant one.
  std::size_t Place(std::size_t i, std::size_t k) const {
    return i * size_ + (kBigEndian ? size_ - 1 - k : k);
  }

  std::size_t size_ = 0;  // bytes per entry
  std::size_t count_ = 0;
  std::vector<Line> lines_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_COMMAND_ENTRIES_H_
