// What all C++ headers of posenc share: element types, names for C's constants, statuses, owners of C's
// objects.
#ifndef POSENC_TYPES_H_
#define POSENC_TYPES_H_

#include <cstdint>
#include <type_traits>

#include "posenc/posenc_c.h"

namespace posenc {

// A bfloat16 as memory holds it.
struct BFloat16 {
  std::uint16_t bits;  // sign, 8 of exponent, 7 of mantissa
};

// An IEEE half precision number as memory holds it.
struct Float16 {
  std::uint16_t bits;  // sign, 5 of exponent, 10 of mantissa
};

// A value of one of C's enums. Each enum below derives from this and names C's constants in its own scope, so
// that `spec.layout = Layout::kSinCos` and `switch (status) { case Status::kOk:` compile. The C++ type and
// C's convert to each other, but never to those of another enum.
template <class Enum>
class Named {
 public:
  using Value = Enum;  // C's

  // From C's value; by default the constant with number 0.
  constexpr Named(Enum value = Enum{}) : value_(value) {}  // NOLINT(google-explicit-constructor)

  // From any number, even if no constant has it.
  template <class Integer, class = std::enable_if_t<std::is_integral_v<Integer>>>
  constexpr explicit Named(Integer number) : value_(static_cast<Enum>(number)) {}

  // C's value.
  constexpr operator Enum() const { return value_; }  // NOLINT(google-explicit-constructor)

 private:
  Enum value_;
};

// posenc_status, what a call reports.
struct Status : Named<posenc_status> {
  using Named::Named;
  static constexpr Value kOk = POSENC_OK, kNullPointer = POSENC_NULL_POINTER,
                         kNotCreated = POSENC_NOT_CREATED, kBadDim = POSENC_BAD_DIM,
                         kBadBase = POSENC_BAD_BASE, kBadExponentDim = POSENC_BAD_EXPONENT_DIM,
                         kBadPositionScale = POSENC_BAD_POSITION_SCALE, kBadLayout = POSENC_BAD_LAYOUT,
                         kBadPhaseRounding = POSENC_BAD_PHASE_ROUNDING,
                         kFrequencyOutOfRange = POSENC_FREQUENCY_OUT_OF_RANGE,
                         kUnknownTarget = POSENC_UNKNOWN_TARGET,
                         kUnavailableTarget = POSENC_UNAVAILABLE_TARGET, kOutOfMemory = POSENC_OUT_OF_MEMORY,
                         kStrideTooSmall = POSENC_STRIDE_TOO_SMALL, kSizeOverflow = POSENC_SIZE_OVERFLOW,
                         kPositionOutOfRange = POSENC_POSITION_OUT_OF_RANGE,
                         kIdOutOfRange = POSENC_ID_OUT_OF_RANGE, kBuffersOverlap = POSENC_BUFFERS_OVERLAP,
                         kMemoryTooSmall = POSENC_MEMORY_TOO_SMALL, kBadType = POSENC_BAD_TYPE,
                         kBadStructSize = POSENC_BAD_STRUCT_SIZE, kBadFrequencies = POSENC_BAD_FREQUENCIES,
                         kBadFlag = POSENC_BAD_FLAG, kBadHeadDim = POSENC_BAD_HEAD_DIM,
                         kBadRotaryDim = POSENC_BAD_ROTARY_DIM, kBadPairing = POSENC_BAD_PAIRING,
                         kBadArithmetic = POSENC_BAD_ARITHMETIC, kBadScaling = POSENC_BAD_SCALING,
                         kBadFactor = POSENC_BAD_FACTOR, kBadLength = POSENC_BAD_LENGTH,
                         kBadBeta = POSENC_BAD_BETA, kBadMscale = POSENC_BAD_MSCALE,
                         kBadFreqFactor = POSENC_BAD_FREQ_FACTOR, kBadProportion = POSENC_BAD_PROPORTION,
                         kBadFactorList = POSENC_BAD_FACTOR_LIST, kBadAxes = POSENC_BAD_AXES,
                         kBadAmplitude = POSENC_BAD_AMPLITUDE, kUnknownPreset = POSENC_UNKNOWN_PRESET,
                         kBadCache = POSENC_BAD_CACHE, kBadMinTimescale = POSENC_BAD_MIN_TIMESCALE,
                         kBadOddColumn = POSENC_BAD_ODD_COLUMN,
                         kBadPositionOffset = POSENC_BAD_POSITION_OFFSET, kBadGrid = POSENC_BAD_GRID,
                         kBadNormalization = POSENC_BAD_NORMALIZATION,
                         kBadPaddingPosition = POSENC_BAD_PADDING_POSITION,
                         kTableStrideTooSmall = POSENC_TABLE_STRIDE_TOO_SMALL,
                         kBatchStrideTooSmall = POSENC_BATCH_STRIDE_TOO_SMALL,
                         kTokenStrideTooSmall = POSENC_TOKEN_STRIDE_TOO_SMALL,
                         kHeadStrideTooSmall = POSENC_HEAD_STRIDE_TOO_SMALL,
                         kIdStrideTooSmall = POSENC_ID_STRIDE_TOO_SMALL,
                         kCacheRowOutOfRange = POSENC_CACHE_ROW_OUT_OF_RANGE,
                         kBadFrequencyCount = POSENC_BAD_FREQUENCY_COUNT,
                         kFrequencyNotFinite = POSENC_FREQUENCY_NOT_FINITE, kBadUnit = POSENC_BAD_UNIT,
                         kRoundingNeedsRadians = POSENC_ROUNDING_NEEDS_RADIANS,
                         kRoundingTakesNoList = POSENC_ROUNDING_TAKES_NO_LIST,
                         kUnknownMembers = POSENC_UNKNOWN_MEMBERS, kColumnsOverlap = POSENC_COLUMNS_OVERLAP,
                         kBadCacheLayout = POSENC_BAD_CACHE_LAYOUT,
                         kBadNormalizationScale = POSENC_BAD_NORMALIZATION_SCALE,
                         kBadNormalizationOffset = POSENC_BAD_NORMALIZATION_OFFSET,
                         kRoundingTakesNoScaling = POSENC_ROUNDING_TAKES_NO_SCALING,
                         kListTakesNoScaling = POSENC_LIST_TAKES_NO_SCALING,
                         kBadFactorCount = POSENC_BAD_FACTOR_COUNT,
                         kBadListedFactor = POSENC_BAD_LISTED_FACTOR,
                         kUnknownConfigKey = POSENC_UNKNOWN_CONFIG_KEY,
                         kBadConfigKind = POSENC_BAD_CONFIG_KIND, kBadConfigValue = POSENC_BAD_CONFIG_VALUE,
                         kMissingConfigKey = POSENC_MISSING_CONFIG_KEY, kBadLayer = POSENC_BAD_LAYER,
                         kLayerHasNoRotary = POSENC_LAYER_HAS_NO_ROTARY,
                         kPairingInPlace = POSENC_PAIRING_IN_PLACE, kInexactBuild = POSENC_INEXACT_BUILD,
                         kUnknownModel = POSENC_UNKNOWN_MODEL;
};

// One static English sentence for a status; never null.
inline const char* StatusMessage(Status status) { return posenc_status_message(status); }

// The posenc_type of a C++ type, which is float, BFloat16, Float16 or double for entries, and std::int32_t,
// std::int64_t, float or double for positions and ids.
template <class T>
constexpr posenc_type TypeOf() {
  if constexpr (std::is_same_v<T, float>) return POSENC_F32;
  if constexpr (std::is_same_v<T, BFloat16>) return POSENC_BF16;
  if constexpr (std::is_same_v<T, Float16>) return POSENC_F16;
  if constexpr (std::is_same_v<T, double>) return POSENC_F64;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 4) return POSENC_I32;
  if constexpr (std::is_integral_v<T> && std::is_signed_v<T> && sizeof(T) == 8) return POSENC_I64;
  return posenc_type{};
}

// Whether T is float, BFloat16 or Float16.
template <class T>
constexpr bool IsSummand() {
  return TypeOf<T>() == POSENC_F32 || TypeOf<T>() == POSENC_BF16 || TypeOf<T>() == POSENC_F16;
}

// Whether T is float, BFloat16, Float16 or double.
template <class T>
constexpr bool IsEntry() {
  return IsSummand<T>() || TypeOf<T>() == POSENC_F64;
}

// Whether T is std::int32_t or std::int64_t.
template <class T>
constexpr bool IsInteger() {
  return TypeOf<T>() == POSENC_I32 || TypeOf<T>() == POSENC_I64;
}

// Whether T is std::int32_t, std::int64_t, float or double.
template <class T>
constexpr bool IsPosition() {
  return IsInteger<T>() || TypeOf<T>() == POSENC_F32 || TypeOf<T>() == POSENC_F64;
}

// Owns an object that C's functions made, or null.
template <class Made, void (*kDestroy)(Made*)>
class Owner {
 public:
  Owner() = default;
  Owner(Owner&& other) noexcept : made_(other.made_) { other.made_ = nullptr; }  // leaves other null
  Owner& operator=(Owner&& other) noexcept {                                     // exchanges the two
    Made* mine = made_;
    made_ = other.made_;
    other.made_ = mine;
    return *this;
  }
  ~Owner() { kDestroy(made_); }

  // What it owns.
  Made* get() const { return made_; }

  // Replaces the object by what make(&made) makes; on failure the object stays.
  template <class Make>
  Status Take(const Make& make) {
    Made* old = made_;
    const Status status = make(&made_);
    if (status == Status::kOk) kDestroy(old);
    return status;
  }

 private:
  Made* made_ = nullptr;
};

}  // namespace posenc

#endif  // POSENC_TYPES_H_
