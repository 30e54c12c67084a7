// An encoder of the C ABI in C++ tests.
#ifndef POSENC_TESTS_C_ENCODER_H_
#define POSENC_TESTS_C_ENCODER_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
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
  posenc_spec c;
  EXPECT_EQ(posenc_spec_init(&c, sizeof(c)), POSENC_OK);
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

class CEncoder {
 public:
  explicit CEncoder(const Spec& spec) {
    const posenc_spec c_spec = ToC(spec);
    posenc_encoder* encoder = nullptr;
    EXPECT_EQ(posenc_encoder_create(&c_spec, &encoder), POSENC_OK);
    encoder_.reset(encoder);
  }
  const posenc_encoder* get() const { return encoder_.get(); }

 private:
  struct Destroy {
    void operator()(posenc_encoder* encoder) const { posenc_encoder_destroy(encoder); }
  };
  std::unique_ptr<posenc_encoder, Destroy> encoder_;
};

}  // namespace posenc

#endif  // POSENC_TESTS_C_ENCODER_H_
