#include "npy.h"

#include <algorithm>

namespace posenc {
namespace tools {
namespace {

constexpr bool kBigEndian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

std::string Header(const char* type, std::size_t rows, std::size_t dim) {
  constexpr std::size_t kPreamble = 10;  // magic, version, length
  std::string dict = "{'descr': '";
  dict += type;
  dict += "', 'fortran_order': False, 'shape': (";
  dict += std::to_string(rows) + ", " + std::to_string(dim) + "), }";
  dict.append(63 - (kPreamble + dict.size()) % 64, ' ');  // the data begins at a multiple of 64
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

}  // namespace

NpyWriter::NpyWriter(const std::string& path, const char* type, std::size_t element_bytes, std::size_t rows,
                     std::size_t dim)
    : file_("--out", path), element_bytes_(element_bytes) {
  const std::string header = Header(type, rows, dim);
  file_.Write(header.data(), header.size());
}

void NpyWriter::Append(const void* elements, std::size_t count) {
  const auto* bytes = static_cast<const unsigned char*>(elements);
  if (!kBigEndian) return file_.Write(bytes, count * element_bytes_);
  buffer_.assign(bytes, bytes + count * element_bytes_);
  for (auto i = buffer_.begin(); i != buffer_.end(); i += static_cast<std::ptrdiff_t>(element_bytes_)) {
    std::reverse(i, i + static_cast<std::ptrdiff_t>(element_bytes_));
  }
  file_.Write(buffer_.data(), buffer_.size());
}

}  // namespace tools
}  // namespace posenc
