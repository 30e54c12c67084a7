// What the C++ API's types and specs are in the C ABI.
#ifndef POSENC_TESTS_TO_C_H_
#define POSENC_TESTS_TO_C_H_

#include <cstdint>
#include <type_traits>

#include "posenc/posenc.h"
#include "posenc/posenc_c.h"

namespace posenc {

template <class T>
inline constexpr posenc_type kCType = std::is_same_v<T, float>          ? POSENC_F32
                                      : std::is_same_v<T, BFloat16>     ? POSENC_BF16
                                      : std::is_same_v<T, Float16>      ? POSENC_F16
                                      : std::is_same_v<T, double>       ? POSENC_F64
                                      : std::is_same_v<T, std::int32_t> ? POSENC_I32
                                                                        : POSENC_I64;

inline posenc_spec ToC(const Spec& spec) {
  posenc_spec c{};
  posenc_spec_init(&c, sizeof(c));
  c.dim = spec.dim;
  c.base = spec.base;
  c.exponent_dim = spec.exponent_dim.value_or(0.0);
  c.position_scale = spec.position_scale;
  c.layout = static_cast<posenc_layout>(spec.layout);
  c.recipe = static_cast<posenc_recipe>(spec.recipe);
  c.target = spec.target;
  c.frequencies = spec.frequencies.doubles;
  c.frequencies_f32 = spec.frequencies.floats;
  c.frequency_count = spec.frequencies.count;
  c.frequency_unit = static_cast<posenc_unit>(spec.frequencies.unit);
  return c;
}

}  // namespace posenc

#endif  // POSENC_TESTS_TO_C_H_
