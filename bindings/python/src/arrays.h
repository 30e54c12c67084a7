// Reads arrays from Python: their memory, type, shape and strides. It accepts any object with the buffer
// protocol (NumPy, memoryview, array.array) or DLPack (torch and others), and copies nothing.
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

enum class Access { kRead, kWrite, kWriteNew };  // kWriteNew: an array that the call itself has made
enum class Types { kKnown, kAny };

// Evenly spaced blocks: how many, and the distance from one to the next, in elements.
struct Steps {
  size_t count;
  size_t stride;
};

// An array in the CPU's memory. The array stays alive, and in place, as long as this object lives.
class Array {
 public:
  // Raises TypeError if `object` is not an array, or if posenc does not have the type of its elements and
  // `types` is kKnown. Raises ValueError if it is on another device, if it requires a gradient (`instead` is
  // the message's advice what to write instead), if strides are not a multiple of the element size, or if it
  // is read-only and must be written.
  Array(nb::handle object, const char* name, Access access, const char* instead = nullptr,
        Types types = Types::kKnown);

  const std::string& name() const { return name_; }
  void* data() const { return data_; }
  posenc_type type() const { return type_; }  // 0 if posenc does not have the type
  size_t size() const { return size_; }       // bytes per element
  size_t count() const;                       // number of elements
  size_t axes() const { return shape_.size(); }
  const Shape& shape() const { return shape_; }
  const Shape& strides() const { return strides_; }  // in elements

  // Raises TypeError unless the array has one of these types.
  void RequireType(std::initializer_list<posenc_type> types) const;
  // Raises ValueError unless the array has this shape.
  void RequireShape(const Shape& shape) const;
  // Raises ValueError unless the last axis has this many elements, with a stride of 1.
  void RequireColumns(size_t columns) const;
  // Joins the axes begin .. end - 1 into one. Raises ValueError unless this axis has a single stride that is
  // not negative.
  Steps Join(size_t begin, size_t end) const;
  bool IsContiguous() const;
  // Tells torch that elements have been written. Does nothing for a new array.
  void MoveVersion() const;

 private:
  void TakeBuffer(Access access);
  void TakeTensor(nb::handle object, Access access, const char* instead);
  void TakeDlpack(nb::handle object, Access access);

  struct Buffer {
    Buffer() = default;
    Buffer(const Buffer&) = delete;
    Buffer& operator=(const Buffer&) = delete;
    ~Buffer() { PyBuffer_Release(&view); }  // does nothing if there is no buffer

    Py_buffer view = {};
  };

  std::string name_;
  Buffer buffer_;
  nb::ndarray<nb::ro> dlpack_;
  nb::object tensor_;  // the torch tensor, if it will be written
  void* data_ = nullptr;
  posenc_type type_ = {};
  size_t size_ = 0;
  Shape shape_, strides_;
};

// Positions or ids from Python: a number, an array, a list or a range, of any type whose numbers fit one of
// posenc's types. The numbers are contiguous; they are copied if necessary.
class List {
 public:
  List(nb::handle object, const char* name, bool integers_only);

  posenc_list get() const { return {type_, data_}; }  // for the C functions
  const void* data() const { return data_; }
  posenc_type type() const { return type_; }
  const Shape& shape() const { return shape_; }  // empty for a single number
  size_t count() const { return count_; }

  // Number i. The list must have integers.
  int64_t Integer(size_t i) const;
  // Number i of any list.
  double Real(size_t i) const;
  // The name of an element for messages: "positions[3, 1]".
  std::string At(size_t index) const;
  // Repeats all numbers. At() still names the element that the caller passed.
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

// The rows of an array for the C functions. The last axis of the array has the columns.
struct CountedRows {
  posenc_rows rows;
  size_t count;
};
CountedRows RowsOf(const Array& array, size_t columns);

std::string ToText(const Shape& shape);
const char* NameOf(posenc_type type);

// A new array of this shape. It is a torch tensor if dtype is a torch dtype, or if `like` is a tensor and
// there is no dtype; otherwise it is a NumPy array. Raises TypeError or ValueError if dtype is not a dtype.
nb::object NewArray(const Shape& shape, nb::handle dtype, nb::handle like);

// OutOrNew returns `out`, or a new array if `out` is None. AccessTo says how the call writes to it.
nb::object OutOrNew(nb::handle out, const Shape& shape, nb::handle dtype, nb::handle like);
inline Access AccessTo(nb::handle out) { return out.is_none() ? Access::kWriteNew : Access::kWrite; }

// A new array of int64 or float64: a torch tensor if `like` is a tensor, otherwise a NumPy array.
nb::object NewNumbers(const Shape& shape, const char* type, nb::handle like);

// A mask of bool or uint8 as a contiguous NumPy array of bytes.
nb::object CopyMask(nb::handle object, const char* name);

// A copy of frequencies or factors as a NumPy array of float32 or float64.
nb::object CopyCoefficients(nb::handle object, const std::string& name);

// Imports the functions of posenc._arrays that this file needs.
void ImportArrays();

}  // namespace posenc_python

#endif  // POSENC_PYTHON_ARRAYS_H_
