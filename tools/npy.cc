#include "npy.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>

#include "options.h"

namespace posenc {
namespace tools {
namespace {

namespace fs = std::filesystem;

std::string Header(std::size_t rows, std::size_t dim) {
  constexpr std::size_t kPreamble = 10;  // magic, version, length
  std::string dict = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                     std::to_string(dim) + "), }";
  dict.append(63 - (kPreamble + dict.size()) % 64, ' ');  // the data begins at a multiple of 64
  dict += '\n';
  std::string header("\x93NUMPY\x01\x00", 8);
  header += static_cast<char>(dict.size() & 0xff);
  header += static_cast<char>(dict.size() >> 8);
  return header + dict;
}

// A link is followed, so that the file it names is replaced and not the link.
std::string Resolve(const std::string& path) {
  std::error_code error;
  const fs::path resolved = fs::canonical(path, error);
  return error ? path : resolved.string();
}

}  // namespace

NpyWriter::NpyWriter(const std::string& path) : path_(Resolve(path)), written_path_(path_) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  const bool replace = !fs::exists(status) || fs::is_regular_file(status);
  if (replace) written_path_ += '.' + std::to_string(std::random_device{}()) + ".part";
  file_ = std::fopen(written_path_.c_str(), replace ? "wbx" : "wb");
  if (file_ == nullptr) Fail();
}

// Once the delegate has returned, an exception runs the destructor.
NpyWriter::NpyWriter(const std::string& path, std::size_t rows, std::size_t dim) : NpyWriter(path) {
  const std::string header = Header(rows, dim);
  Write(header.data(), header.size());
}

NpyWriter::~NpyWriter() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  if (written_path_ != path_) std::remove(written_path_.c_str());
}

void NpyWriter::Append(const float* values, std::size_t count) {
  buffer_.clear();
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t bits;
    std::memcpy(&bits, values + i, sizeof(bits));
    for (int shift = 0; shift < 32; shift += 8)
      buffer_.push_back(static_cast<unsigned char>(bits >> shift & 0xff));
  }
  Write(buffer_.data(), buffer_.size());
}

void NpyWriter::Finish() {
  if (std::fflush(file_) != 0) Fail();
  if (written_path_ != path_ && std::rename(written_path_.c_str(), path_.c_str()) != 0) Fail();
  std::fclose(file_);
  file_ = nullptr;
}

void NpyWriter::Write(const void* bytes, std::size_t size) {
  if (std::fwrite(bytes, 1, size, file_) != size) Fail();
}

void NpyWriter::Fail() const {
  throw UsageError("--out: cannot write '" + path_ + "': " + std::strerror(errno));
}

}  // namespace tools
}  // namespace posenc
