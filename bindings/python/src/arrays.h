// Arrays as posenc takes them: memory, a type, and how far apart elements are, of whatever has the buffer
// protocol (NumPy, memoryview, array.array) or DLPack (torch and others); nothing is copied.
#ifndef POSENC_PYTHON_ARRAYS_H_
#define POSENC_PYTHON_ARRAYS_H_

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "errors.h"

namespace posenc_python {

using Shape = std::vector<int64_t>;

enum class Access { kRead, kWrite, kWriteNew };  // the last: an array that the call has made
enum class Types { kKnown, kAny };

// So many blocks, so far apart in elements.
struct Steps {
  size_t count;
  size_t stride;
};

// An array in the memory of this CPU, kept alive and in place as long as this lives.
class Array {
 public:
  // TypeError unless `object` is an array of elements that posenc has a type for, or of any with kAny.
  // ValueError if it is on another device, requires a gradient that is recorded (`instead`: what to write
  // then), has elements that are not aligned to their size apart, or is read-only and to be written.
  Array(nb::handle object, const char* name, Access access, const char* instead = nullptr,
        Types types = Types::kKnown);

  const std::string& name() const { return name_; }
  void* data() const { return data_; }
  posenc_type type() const { return type_; }  // 0: one that posenc has not
  size_t size() const { return size_; }       // of an element, in bytes
  size_t count() const;                       // of elements
  size_t axes() const { return shape_.size(); }
  const Shape& shape() const { return shape_; }
  const Shape& strides() const { return strides_; }  // in elements

  // TypeError unless it has one of these types.
  void RequireType(std::initializer_list<posenc_type> types) const;
  // ValueError unless it has this shape.
  void RequireShape(const Shape& shape) const;
  // ValueError unless the last axis has so many elements, next to each other.
  void RequireColumns(size_t columns) const;
  // The axes begin .. end - 1 as one. ValueError unless they are evenly spaced, forwards.
  Steps Join(size_t begin, size_t end) const;
  bool IsContiguous() const;
  // Tells torch that elements have been written, unless they are those of a new array.
  void MoveVersion() const;

 private:
  void TakeBuffer(Access access);
  void TakeTensor(nb::handle object, Access access, const char* instead);
  void TakeDlpack(nb::handle object, Access access);

  struct Buffer {
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view); }  // of nothing too

    Py_buffer view = {};
  };

  std::string name_;
  Buffer buffer_;
  nb::ndarray<nb::ro> dlpack_;
  nb::object tensor_;  // torch's, if it is to be written
  void* data_ = nullptr;
  posenc_type type_ = {};
  size_t size_ = 0;
  Shape shape_, strides_;
};

// Positions or ids: a Python number, an array, or a list or range of numbers, of any type whose numbers one
// of posenc's types has; contiguous, in memory of its own if need be.
class List {
 public:
  List(nb::handle object, const char* name, bool integers_only);

  posenc_list get() const { return {type_, data_}; }  // for the C functions
  const void* data() const { return data_; }
  posenc_type type() const { return type_; }
  const Shape& shape() const { return shape_; }  // of a number empty
  size_t count() const { return count_; }

  // Number i, of integers.
  int64_t Integer(size_t i) const;
  // "positions[3, 1]": the element at fault, for Check.
  std::string At(size_t index) const;
  // The same numbers over and over; At() names the element that was given.
  void Repeat(size_t times);

 private:
  template <class Number>
  void Take(Number number);
  void Take(nb::handle object, bool integers_only);
  void Copy(const Array& array);

  std::string name_;
  posenc_type type_ = {};
  Shape shape_;
  size_t count_ = 1;
  std::optional<Array> array_;
  std::vector<char> copy_;
  const void* data_ = nullptr;
};

// The rows of an array whose last axis has the columns, for the C functions.
struct CountedRows {
  posenc_rows rows;
  size_t count;
};
CountedRows RowsOf(const Array& array, size_t columns);

std::string ToText(const Shape& shape);
const char* NameOf(posenc_type type);

// A new array of that shape: NumPy's, or torch's if dtype is torch's or `like` is and there is no dtype.
// TypeError or ValueError for a dtype that is none.
nb::object NewArray(const Shape& shape, nb::handle dtype, nb::handle like);

// `out` itself, if it is not None; else a new array. How the call writes to it.
nb::object OutOrNew(nb::handle out, const Shape& shape, nb::handle dtype, nb::handle like);
inline Access AccessTo(nb::handle out) { return out.is_none() ? Access::kWriteNew : Access::kWrite; }

// A new array of int64 or float64: torch's if `like` is.
nb::object NewNumbers(const Shape& shape, const char* type, nb::handle like);

// A mask of bool or uint8 as bytes of NumPy's, contiguous.
nb::object CopyMask(nb::handle object, const char* name);

// A new array of NumPy's, float32 or float64, with the same numbers: frequencies or factors.
nb::object CopyCoefficients(nb::handle object, const std::string& name);

// Has the functions of posenc._arrays at hand.
void ImportArrays();

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ARRAYS_H_
