// A NumPy file of entries, written row by row.
#ifndef POSENC_TOOLS_NPY_H_
#define POSENC_TOOLS_NPY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "format.h"
#include "output_file.h"

namespace posenc {
namespace tools {

// Format version 1.0, C order, little-endian on any machine: <f4, <f2, or <u2 for bfloat16, which NumPy
// lacks.
class NpyWriter {
 public:
  NpyWriter(const std::string& path, oracle::Format format, std::size_t rows, std::size_t dim);

  void Append(const float* values, std::size_t count);
  void Finish() { file_.Finish(); }

 private:
  OutputFile file_;
  oracle::Format format_;
  std::vector<unsigned char> buffer_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_NPY_H_
