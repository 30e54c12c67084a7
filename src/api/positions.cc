// The C functions that make positions.

#include "number/exact.h"

#include "call/positions.h"

#include "posenc/positions_c.h"

using namespace posenc::internal;  // NOLINT(google-build-using-namespace)

posenc_status posenc_positions_from_ids(posenc_type id_type, const void* ids, size_t batch, size_t sequence,
                                        size_t id_stride, int64_t padding_id, int64_t past,
                                        posenc_type position_type, void* positions, size_t position_stride) {
  if (!IsInteger(id_type) || !IsInteger(position_type)) return POSENC_BAD_TYPE;
  return PositionsFromIds({id_type, const_cast<void*>(ids), id_stride}, batch, sequence, padding_id, past,
                          {position_type, positions, position_stride});  // ids are only read
}

posenc_status posenc_positions_from_mask(const uint8_t* mask, size_t height, size_t width,
                                         posenc_normalization normalization, double scale, double offset,
                                         double* y, double* x) {
  return PositionsFromMask(mask, height, width, {normalization, scale, offset}, y, x);
}
