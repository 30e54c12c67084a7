// Calls of an Encoder on elements of a format that is known at run time only.
#ifndef POSENC_TOOLS_CALL_ON_ELEMENTS_H_
#define POSENC_TOOLS_CALL_ON_ELEMENTS_H_

#include <cstddef>
#include <vector>

#include "format.h"
#include "posenc/posenc.h"

namespace posenc {
namespace tools {

template <class T, class Call>
Status CallOn16Bits(oracle::Format format, float* values, std::size_t count, const Call& call) {
  std::vector<T> elements(count);
  for (std::size_t i = 0; i < count; ++i) {
    elements[i].bits = static_cast<std::uint16_t>(oracle::Pack(format, values[i]));
  }
  const Status status = call(elements.data());
  for (std::size_t i = 0; i < count; ++i) values[i] = oracle::Unpack(format, elements[i].bits);
  return status;
}

// call(elements) with values [count], numbers of the format, as float*, BFloat16* or Float16*; what it makes
// of them comes back in values.
template <class Call>
Status CallOnElements(oracle::Format format, float* values, std::size_t count, const Call& call) {
  switch (format) {
    case oracle::Format::kBFloat16:
      return CallOn16Bits<BFloat16>(format, values, count, call);
    case oracle::Format::kFloat16:
      return CallOn16Bits<Float16>(format, values, count, call);
    case oracle::Format::kFloat32:
      break;
  }
  return call(values);
}

}  // namespace tools
}  // namespace posenc

#endif  // POSENC_TOOLS_CALL_ON_ELEMENTS_H_
