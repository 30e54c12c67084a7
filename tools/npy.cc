#include "npy.h"

#include <cstdint>

namespace posenc {
namespace tools {
namespace {

using oracle::Format;

const char* TypeName(Format format) {
  switch (format) {
    case Format::kFloat32:
      return "<f4";
    case Format::kFloat16:
      return "<f2";
    case Format::kBFloat16:
      break;
  }
  return "<u2";
}

std::string Header(Format format, std::size_t rows, std::size_t dim) {
  constexpr std::size_t kPreamble = 10;  // magic, version, length
  std::string dict = "{'descr': '";
  dict += TypeName(format);
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

NpyWriter::NpyWriter(const std::string& path, Format format, std::size_t rows, std::size_t dim)
    : file_(path), format_(format) {
  const std::string header = Header(format, rows, dim);
  file_.Write(header.data(), header.size());
}

void NpyWriter::Append(const float* values, std::size_t count) {
  buffer_.clear();
  for (std::size_t i = 0; i < count; ++i) oracle::AppendBytes(format_, values[i], &buffer_);
  file_.Write(buffer_.data(), buffer_.size());
}

}  // namespace tools
}  // namespace posenc
