// MPFR numbers with operators. Each result has the precision of the wider operand, and knows whether it is
// exact.
#ifndef POSENC_TOOLS_ORACLE_REAL_H_
#define POSENC_TOOLS_ORACLE_REAL_H_

#include <algorithm>
#include <utility>

#include "oracle/number.h"

namespace posenc {
namespace oracle {

class Real {
 public:
  Real(double x, int bits) : value_(bits) { Note(mpfr_set_d(value_, x, MPFR_RNDN)); }
  explicit Real(Number x) : value_(std::move(x)), exact_(false) {}
  Real(const Real& x) : value_(x.bits()), exact_(x.exact_) { mpfr_set(value_, x.value_, MPFR_RNDN); }
  Real& operator=(const Real& x) {
    if (this != &x) *this = Real(x);
    return *this;
  }
  Real(Real&&) = default;
  Real& operator=(Real&&) = default;

  mpfr_srcptr get() const { return value_; }
  const Number& number() const { return value_; }
  mpfr_prec_t bits() const { return mpfr_get_prec(value_); }
  bool exact() const { return exact_; }  // neither this number nor any operand before it was rounded
  bool is_zero() const { return mpfr_zero_p(get()) != 0; }

  // The nearest double, or float. To get a subnormal one, compute with more bits than the type has: otherwise
  // the number is rounded twice.
  double ToDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }
  float ToFloat() const { return mpfr_get_flt(value_, MPFR_RNDN); }

  Real Pow(const Real& y) const { return Of(&mpfr_pow, *this, y); }
  Real Log() const { return Of(&mpfr_log, *this); }
  Real Exp() const { return Of(&mpfr_exp, *this); }
  Real Sqrt() const { return Of(&mpfr_sqrt, *this); }
  Real Floor() const { return Of(&mpfr_rint_floor, *this); }
  Real Ceil() const { return Of(&mpfr_rint_ceil, *this); }
  static Real Pi(int bits) {
    Real pi(0.0, bits);
    pi.Note(mpfr_const_pi(pi.value_, MPFR_RNDN));
    return pi;
  }

  friend Real operator+(const Real& x, const Real& y) { return Of(&mpfr_add, x, y); }
  friend Real operator-(const Real& x, const Real& y) { return Of(&mpfr_sub, x, y); }
  friend Real operator*(const Real& x, const Real& y) { return Of(&mpfr_mul, x, y); }
  friend Real operator/(const Real& x, const Real& y) { return Of(&mpfr_div, x, y); }
  friend Real operator+(const Real& x, double y) { return x + Real(y, 53); }
  friend Real operator-(const Real& x, double y) { return x - Real(y, 53); }
  friend Real operator*(const Real& x, double y) { return x * Real(y, 53); }
  friend Real operator/(const Real& x, double y) { return x / Real(y, 53); }
  friend bool operator<(const Real& x, const Real& y) { return mpfr_less_p(x.get(), y.get()) != 0; }
  friend bool operator==(const Real& x, const Real& y) { return mpfr_equal_p(x.get(), y.get()) != 0; }
  friend bool operator<(const Real& x, double y) { return mpfr_cmp_d(x.get(), y) < 0; }
  friend bool operator>(const Real& x, double y) { return mpfr_cmp_d(x.get(), y) > 0; }

  // x modulo y, with the sign of x.
  Real Modulo(double y) const { return Of(&mpfr_fmod, *this, Real(y, 53)); }

 private:
  explicit Real(mpfr_prec_t bits) : value_(bits) {}

  template <class Function>
  static Real Of(Function f, const Real& x) {
    Real result(x.bits());
    result.exact_ = x.exact_;
    result.Note(f(result.value_, x.value_, MPFR_RNDN));
    return result;
  }
  template <class Function>
  static Real Of(Function f, const Real& x, const Real& y) {
    Real result(std::max(x.bits(), y.bits()));
    result.exact_ = x.exact_ && y.exact_;
    result.Note(f(result.value_, x.value_, y.value_, MPFR_RNDN));
    return result;
  }
  void Note(int inexact) { exact_ = exact_ && inexact == 0; }

  Number value_;
  bool exact_ = true;
};

}  // namespace oracle
}  // namespace posenc

#endif  // POSENC_TOOLS_ORACLE_REAL_H_
