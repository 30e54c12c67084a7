#include "posenc/posenc.h"

namespace posenc {

const char* StatusMessage(Status status) {
  switch (status) {
    case Status::kOk:
      return "success";
    case Status::kNullPointer:
      return "a pointer is null although there is something to read or write";
    case Status::kNotCreated:
      return "the object is null or has not been created";
    case Status::kBadDim:
      return "dim must be between 1 and 16777216";
    case Status::kBadBase:
      return "base must be positive and finite";
    case Status::kBadExponentDim:
      return "exponent_dim must be finite and not zero";
    case Status::kBadPositionScale:
      return "position_scale must be finite, and 1 with a compat recipe";
    case Status::kBadLayout:
      return "layout is not a value of posenc::Layout";
    case Status::kBadRecipe:
      return "recipe is not a value of posenc::Recipe";
    case Status::kFrequencyOutOfRange:
      return "a frequency is outside 2^-126 .. 2^31 radians per step and not zero";
    case Status::kUnknownTarget:
      return "no compiled target has that name";
    case Status::kUnavailableTarget:
      return "this CPU cannot run that target";
    case Status::kOutOfMemory:
      return "out of memory";
    case Status::kStrideTooSmall:
      return "a stride is too small: row_stride or table_stride below dim, or batch_stride below rows * "
             "row_stride";
    case Status::kSizeOverflow:
      return "a matrix or batch, its rows times its stride, exceeds the address space";
    case Status::kPositionOutOfRange:
      return "a position is outside -2^31 .. 2^31 or not a number";
    case Status::kIdOutOfRange:
      return "a token id is outside the vocabulary";
    case Status::kBuffersOverlap:
      return "memory that is written overlaps memory that is read";
    case Status::kMemoryTooSmall:
      return "the memory for the encoder is smaller than it needs";
    case Status::kBadType:
      return "the type is not a posenc_type that this parameter takes";
    case Status::kBadStructSize:
      return "struct_size is not the size of the struct, or members that this version lacks are set";
    case Status::kBadFrequencies:
      return "the frequencies need one of doubles and floats, ceil(dim / 2) finite ones, a unit, and no "
             "recipe";
  }
  return "unknown status";
}

}  // namespace posenc
