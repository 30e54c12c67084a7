// A NumPy file of entries, written row by row.
#ifndef POSENC_TOOLS_NPY_H_
#define POSENC_TOOLS_NPY_H_

#include <cstddef>
#include <string>
#include <vector>

#include "output_file.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {

// What NumPy reads the elements as: little-endian on any machine.
inline const char* NpyType(double) { return "<f8"; }
inline const char* NpyType(float) { return "<f4"; }
inline const char* NpyType(Float16) { return "<f2"; }
inline const char* NpyType(BFloat16) { return "<u2"; }  // the bits: NumPy lacks the type

// Format version 1.0, C order.
class NpyWriter {
 public:
  // `type` is one of NpyType, of elements of so many bytes.
  NpyWriter(const std::string& path, const char* type, std::size_t element_bytes, std::size_t rows,
            std::size_t dim);

  void Append(const void* elements, std::size_t count);
  void Finish() { file_.Finish(); }

 private:
  OutputFile file_;
  std::size_t element_bytes_;
  std::vector<unsigned char> buffer_;
};

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_NPY_H_
