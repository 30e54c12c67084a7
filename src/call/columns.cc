// Decides which column of a row holds what, from a spec's layout, odd_column and input_first.
#include "number/exact.h"

#include "call/encoder.h"
#include "spec/rules.h"

namespace posenc {
namespace internal {

posenc_status PlaceColumns(const posenc_spec& spec, Encoder* encoder) {
  const std::size_t first = spec.input_first != 0 ? 1 : 0;
  const std::size_t pairs = (spec.dim - first) / 2;
  const bool is_odd = (spec.dim - first) % 2 != 0;
  const std::size_t half_pair = is_odd && spec.odd_column == POSENC_ODD_HALF_PAIR ? 1 : 0;
  const std::size_t middle = is_odd && spec.odd_column == POSENC_ODD_ZERO_MIDDLE ? 1 : 0;
  const std::size_t more = pairs + half_pair;
  switch (spec.layout) {
    case POSENC_INTERLEAVED:
      encoder->columns = {more, pairs, first, first + 1, 2};
      break;
    case POSENC_INTERLEAVED_COS_SIN:
      encoder->columns = {pairs, more, first + 1, first, 2};
      break;
    case POSENC_SIN_COS:
      encoder->columns = {more, pairs, first, first + more + middle, 1};
      break;
    case POSENC_COS_SIN:
      encoder->columns = {more, pairs, first + pairs + middle, first, 1};
      break;
  }
  if (spec.odd_column == POSENC_ODD_ZERO_MIDDLE && encoder->columns.Interleaved())
    return rule::odd_zero_middle;
  encoder->input_first = first != 0;
  encoder->odd = {};
  if (is_odd && half_pair == 0) {
    encoder->odd = {middle != 0 ? first + pairs : spec.dim - 1, spec.odd_column == POSENC_ODD_COSINE_LAST};
  }
  return rule::ok;
}

}  // namespace internal
}  // namespace posenc
