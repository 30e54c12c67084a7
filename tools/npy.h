// A NumPy file of float32, written row by row, that appears under its name only when it is complete.
#ifndef POSENC_TOOLS_NPY_H_
#define POSENC_TOOLS_NPY_H_

#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace posenc {
namespace tools {

// Format version 1.0, C order, little-endian on any machine. Failures throw a UsageError, and a file that
// is not finished is removed. What is not a regular file (/dev/stdout) is written to directly.
class NpyWriter {
 public:
  NpyWriter(const std::string& path, std::size_t rows, std::size_t dim);
  ~NpyWriter();
  NpyWriter(const NpyWriter&) = delete;
  NpyWriter& operator=(const NpyWriter&) = delete;

  void Append(const float* values, std::size_t count);
  void Finish();

 private:
  explicit NpyWriter(const std::string& path);
  void Write(const void* bytes, std::size_t size);
  [[noreturn]] void Fail() const;

  std::string path_;
  std::string written_path_;  // path_, or a name beside it until Finish
  std::FILE* file_ = nullptr;
  std::vector<unsigned char> buffer_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_NPY_H_
