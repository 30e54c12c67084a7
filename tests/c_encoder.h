// An encoder of the C ABI in C++ tests.
#ifndef POSENC_TESTS_C_ENCODER_H_
#define POSENC_TESTS_C_ENCODER_H_

#include <gtest/gtest.h>

#include <memory>

#include "posenc/posenc.h"
#include "posenc/posenc_c.h"
#include "to_c.h"

namespace posenc {

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
