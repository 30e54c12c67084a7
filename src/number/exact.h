// Makes the compiler keep every product and every sum as it is written. Each source file of the library
// includes this header first (tests/rooms.sh checks it), so a build cannot forget it.
//
// GCC joins a product and a sum into one fused multiply-add by default (-ffp-contract=fast), and Clang does
// so within an expression. Both roundings matter here, so the pragmas below forbid it. Some flags cannot be
// taken back by a pragma. A flag that the compiler shows by a macro is refused here. What no macro shows,
// such as Clang's explicit -ffp-contract=fast, is found when an encoder or a rotary is created
// (kernel/exact_arithmetic.h).
#ifndef POSENC_SRC_NUMBER_EXACT_H_
#define POSENC_SRC_NUMBER_EXACT_H_

// no-ipa-modref: with link-time optimization GCC 11 and 12 take some stores of wide_arithmetic.h for dead.
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__) && __GNUC__ >= 11
#pragma GCC optimize("fp-contract=off", "no-math-errno", "no-ipa-modref")
#elif defined(__GNUC__)
#pragma GCC optimize("fp-contract=off", "no-math-errno")
#endif

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||             \
    defined(__NO_SIGNED_ZEROS__) || defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__) || \
    (defined(__FLT_EVAL_METHOD__) && __FLT_EVAL_METHOD__ == 2) || defined(_M_FP_FAST) ||             \
    defined(_M_FP_CONTRACT) || (defined(_M_IX86_FP) && _M_IX86_FP < 2)
#error "posenc is correctly rounded: without -ffast-math and its parts, and not on the x87"
#endif
#if defined(_MSC_VER) && _MSC_VER < 1930 && !defined(__clang__)
#error "posenc is correctly rounded: MSVC before 2022 contracts products and sums, and does not say so"
#endif
#if defined(__GNUC__) && !defined(__clang__) && defined(__CHAR_UNSIGNED__) && \
    (defined(__x86_64__) || defined(__i386__))
#error "posenc needs -fsigned-char: with unsigned chars GCC 12 compiles x86's blends of vectors wrongly"
#endif
static_assert(sizeof(0.1) == sizeof(double),
              "posenc is correctly rounded: not with -fsingle-precision-constant");

#endif  // POSENC_SRC_NUMBER_EXACT_H_
