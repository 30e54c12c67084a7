// An MPFR number with a destructor. It converts to the pointers that MPFR's functions take.
#ifndef POSENC_TOOLS_ORACLE_NUMBER_H_
#define POSENC_TOOLS_ORACLE_NUMBER_H_

#define MPFR_USE_NO_MACRO  // MPFR's macros expect its own struct, not this class
#include <mpfr.h>

namespace posenc {
namespace oracle {

class Number {
 public:
  explicit Number(mpfr_prec_t bits) { mpfr_init2(value_, bits); }
  ~Number() { mpfr_clear(value_); }
  Number(Number&& other) noexcept : Number(MPFR_PREC_MIN) { mpfr_swap(value_, other.value_); }
  Number& operator=(Number&& other) noexcept {
    mpfr_swap(value_, other.value_);
    return *this;
  }

  operator mpfr_ptr() { return value_; }
  operator mpfr_srcptr() const { return value_; }

 private:
  mpfr_t value_;
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_NUMBER_H_
