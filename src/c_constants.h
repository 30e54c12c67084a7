// The constants of the C ABI are those of the C++ API.
#ifndef POSENC_SRC_C_CONSTANTS_H_
#define POSENC_SRC_C_CONSTANTS_H_

#include <cstdint>

#include "posenc/posenc.h"
#include "posenc/posenc_c.h"

namespace posenc {

#define POSENC_SAME(c_constant, constant) \
  static_assert((c_constant) == static_cast<std::int32_t>(constant), "C and C++ disagree")
POSENC_SAME(POSENC_OK, Status::kOk);
POSENC_SAME(POSENC_NULL_POINTER, Status::kNullPointer);
POSENC_SAME(POSENC_NOT_CREATED, Status::kNotCreated);
POSENC_SAME(POSENC_BAD_DIM, Status::kBadDim);
POSENC_SAME(POSENC_BAD_BASE, Status::kBadBase);
POSENC_SAME(POSENC_BAD_EXPONENT_DIM, Status::kBadExponentDim);
POSENC_SAME(POSENC_BAD_POSITION_SCALE, Status::kBadPositionScale);
POSENC_SAME(POSENC_BAD_LAYOUT, Status::kBadLayout);
POSENC_SAME(POSENC_BAD_RECIPE, Status::kBadRecipe);
POSENC_SAME(POSENC_FREQUENCY_OUT_OF_RANGE, Status::kFrequencyOutOfRange);
POSENC_SAME(POSENC_UNKNOWN_TARGET, Status::kUnknownTarget);
POSENC_SAME(POSENC_UNAVAILABLE_TARGET, Status::kUnavailableTarget);
POSENC_SAME(POSENC_OUT_OF_MEMORY, Status::kOutOfMemory);
POSENC_SAME(POSENC_STRIDE_TOO_SMALL, Status::kStrideTooSmall);
POSENC_SAME(POSENC_SIZE_OVERFLOW, Status::kSizeOverflow);
POSENC_SAME(POSENC_POSITION_OUT_OF_RANGE, Status::kPositionOutOfRange);
POSENC_SAME(POSENC_ID_OUT_OF_RANGE, Status::kIdOutOfRange);
POSENC_SAME(POSENC_BUFFERS_OVERLAP, Status::kBuffersOverlap);
POSENC_SAME(POSENC_MEMORY_TOO_SMALL, Status::kMemoryTooSmall);
POSENC_SAME(POSENC_BAD_TYPE, Status::kBadType);
POSENC_SAME(POSENC_BAD_STRUCT_SIZE, Status::kBadStructSize);
POSENC_SAME(POSENC_BAD_FREQUENCIES, Status::kBadFrequencies);
POSENC_SAME(POSENC_INTERLEAVED, Layout::kInterleaved);
POSENC_SAME(POSENC_SIN_COS, Layout::kSinCos);
POSENC_SAME(POSENC_COS_SIN, Layout::kCosSin);
POSENC_SAME(POSENC_EXACT, Recipe::kExact);
POSENC_SAME(POSENC_F32_POW_DIV, Recipe::kF32PowDiv);
POSENC_SAME(POSENC_RADIANS, FrequencyUnit::kRadians);
POSENC_SAME(POSENC_HALF_TURNS, FrequencyUnit::kHalfTurns);
POSENC_SAME(POSENC_TURNS, FrequencyUnit::kTurns);
#undef POSENC_SAME

}  // namespace posenc

#endif  // POSENC_SRC_C_CONSTANTS_H_
