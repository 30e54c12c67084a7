// The insides of public objects: what frequencies.cc and encoder.cc do for them.
#ifndef POSENC_SRC_ACCESS_H_
#define POSENC_SRC_ACCESS_H_

#include <cstddef>
#include <cstdint>

#include "call.h"
#include "posenc/posenc.h"

namespace posenc {
namespace internal {

struct Access {
  // Null before Create.
  static const FrequencyTable* Table(const Frequencies& frequencies) { return frequencies.table_; }

  // What both ways of creation do; memory is null if it is to be allocated.
  static Status Make(const Spec& spec, void* memory, std::size_t bytes, Frequencies* out,
                     const Kernels** kernels);
  static Status Make(const Spec& spec, void* memory, std::size_t bytes, Encoder* out);

  // The calls of an Encoder, whatever their types; scale is null where they write (encoder.cc).
  static Status Run(const Encoder& encoder, ElementType type, const float* scale, std::int64_t first,
                    std::size_t rows, const Matrix& matrix);
  static Status At(const Encoder& encoder, ElementType type, const float* scale, const List& positions,
                   std::size_t rows, const Matrix& matrix, std::size_t* bad_index);
  static Status Embed(const Encoder& encoder, ElementType type, float scale, const Lookup& lookup,
                      std::int64_t first, std::size_t rows, const Matrix& matrix, std::size_t* bad_index);
  static Status AddBatch(const Encoder& encoder, ElementType type, float scale, const Batch& batch,
                         std::size_t* bad_index);

  // The bytes that Make needs.
  static Status MemorySize(const Spec& spec, std::size_t* bytes);
};

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_ACCESS_H_
