// Single steps of other programs' arithmetic, each rounded to float or double: what recipes are made of. pow
// and exp are correctly rounded.
#ifndef POSENC_SRC_FREQUENCY_FLOAT_STEPS_H_
#define POSENC_SRC_FREQUENCY_FLOAT_STEPS_H_

#include "number/wide.h"
#include "posenc/posenc_c.h"

namespace posenc {
namespace internal {

// The nearest number of a type, ties to even. What 256 bits cannot tell from a midpoint is one: a quotient,
// or a power with an integer for exponent.
double NearestOrTie(Wide256 x, posenc_type type);

// As a cast, but for what is out of range.
float NearestFloat(double x);
float NearestFloat(const Wide256& x);

// f32(a / b)
float QuotientAsFloat(double a, double b);

// exp(exponent * log) as a number of a type; 0 or infinite beyond all types.
double ExpAsType(double exponent, const Wide256& log, posenc_type type);
float ExpAsFloat(double exponent, const Wide256& log);

// Neither 0 nor infinite nor a NaN.
bool IsRegular(float x);

}  // namespace internal
}  // namespace posenc

#endif  // POSENC_SRC_FREQUENCY_FLOAT_STEPS_H_
