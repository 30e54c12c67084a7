// Elements that no model should have: NaNs, infinities, subnormal numbers and others, each kind by its name.
#ifndef POSENC_BENCH_CONTENTS_H_
#define POSENC_BENCH_CONTENTS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>

#include "normal.h"
#include "posenc/accuracy.h"
#include "posenc/posenc.h"
#include "rotary_case.h"

namespace posenc {
namespace bench {

// Makes elements of one kind: nan, inf, subnormal, overflow (the largest number), wide (any magnitude),
// random (any bits), zeros.
template <class T>
class OddElements {
 public:
  explicit OddElements(const std::string& kind) : kind_(kind) {}

  T Next() {
    const auto any = static_cast<std::uint32_t>(random_());
    std::uint32_t bits = any;
    if (kind_ == "nan") bits = kInfinity + 1;
    if (kind_ == "inf") bits = kInfinity | (any & kSign);
    if (kind_ == "subnormal") bits = any & (kSign | ((std::uint32_t{1} << kFraction) - 1));
    if (kind_ == "overflow") bits = (any & kSign) | (kInfinity - 1);
    if (kind_ == "wide") bits = (any & kSign) | (any % (kInfinity - 1) & ~kSign);
    if (kind_ == "zeros") bits = 0;
    return FromBits(bits);
  }
  static T One() { return FromBits((kInfinity >> 1) & ~((std::uint32_t{1} << kFraction) - 1)); }

 private:
  static constexpr std::uint32_t kFraction = TraitsOf(TypeOf<T>()).digits - 1;
  static constexpr std::uint32_t kSign = std::uint32_t{1} << (8 * sizeof(T) - 1);
  static constexpr std::uint32_t kInfinity = kSign - (std::uint32_t{1} << kFraction);

  static T FromBits(std::uint32_t bits) {
    if constexpr (sizeof(T) == 2) {
      return T{static_cast<std::uint16_t>(bits)};
    } else {
      T x;
      std::memcpy(&x, &bits, sizeof(x));
      return x;
    }
  }

  std::string kind_;
  std::mt19937 random_{7};
};

// The kinds that can fill a whole table of embeddings.
constexpr const char* kTableContents[] = {"nan", "inf", "subnormal", "overflow", "random"};

// The kinds for heads. "one_" means that a head has one such element; otherwise all its elements are of the
// kind.
constexpr const char* kHeadContents[] = {
    "nan",      "one_nan", "inf",    "one_inf", "subnormal",        "one_subnormal",
    "overflow", "wide",    "random", "zeros",   "ones_beside_zeros"};

template <class T>
void FillHeads(const std::string& content, posenc_pairing pairing, T* x, std::size_t count) {
  const bool is_of_one = content.compare(0, 4, "one_") == 0;
  OddElements<T> elements(is_of_one ? content.substr(4) : content == "ones_beside_zeros" ? "zeros" : content);
  FillNormal(x, count);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t head = k / kHeadDim, element = k % kHeadDim;
    const bool is_first = pairing == POSENC_NEIGHBOURS ? element % 2 == 0 : element < kPairs;
    const T odd = elements.Next();
    if (is_of_one && element != (37 * head + 11) % kHeadDim) continue;
    x[k] = content == "ones_beside_zeros" && is_first ? OddElements<T>::One() : odd;
  }
}

// Whole numbers from -9 to 9, without 0; all types hold them exactly.
template <class T>
void FillIntegers(T* x, std::size_t count) {
  std::mt19937 random(5);
  for (std::size_t k = 0; k < count; ++k) {
    const auto any = static_cast<std::uint32_t>(random());
    const auto magnitude = static_cast<float>(1 + any / 2 % 9);
    x[k] = Truncate<T>(any % 2 == 0 ? magnitude : -magnitude);
  }
}

}  // namespace bench
}  // namespace posenc

#endif  // POSENC_BENCH_CONTENTS_H_
