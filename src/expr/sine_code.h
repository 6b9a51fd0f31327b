/*
 * Sine and cosine with the same operations for every argument up to 10⁶. Those of the C library take different paths for small and for
 * large arguments, so that a step of a suspension differs by up to 4 % in cost from the next, and cost twice as much. The code exists once
 * for the library and for generated C: the text in the macros is compiled in the interpreter and printed into C files (table_code.h).
 *
 * x = k π/2 + r, |r| <= π/4 or slightly more, with π/2 in three parts, the first two of 33 bits, so that their products with k are exact.
 * sin r = r + r w s(w), cos r = 1 − w/2 + w² c(w), w = r², with polynomials of degree 5 interpolated at Chebyshev points: relative errors
 * below 3e-17; the sine also includes the rounding error of r. With t = |m| for m = k mod 4 in −2 .. 2 the quadrant's factors are exact:
 * cos(k π/2) = 1 − t, sin(k π/2) = m (2 − t).
 */
#ifndef CMB_EXPR_SINE_CODE_H
#define CMB_EXPR_SINE_CODE_H

/* Always inlined: sine and cosine of the same angle share most of their operations if the compiler sees both. */
#ifdef __GNUC__
#define OP_INLINE static inline __attribute__((always_inline))
#else
#define OP_INLINE static inline
#endif

/* clang-format off */

/* The definition of OP_INLINE as text, for printed code. */
#define CMB_INLINE_CODE \
  "#ifdef __GNUC__\n#define OP_INLINE static inline __attribute__((always_inline))\n#else\n" \
  "#define OP_INLINE static inline\n#endif\n"

#define CMB_TURN_CODE(X) X( \
OP_INLINE void op_turn(double x, double *s, double *c, double *sine, double *cosine) \
{ \
  const double whole = 6755399441055744.0; \
  const double k = (x * 0.63661977236758138 + whole) - whole; \
  const double m = k - 4 * ((k * 0.25 + whole) - whole); \
  const double t = fabs(m); \
  const double y = x - k * 1.5707963267341256; \
  const double b = k * 6.077100506303966e-11; \
  const double z = y - b; \
  const double less = k * 2.0222662487959506e-21 - ((y - z) - b); \
  const double r = z - less; \
  const double rest = (z - r) - less; \
  const double w = r * r; \
  const double h = 0.5 * w; \
  const double one = 1 - h; \
  *sine = m * (2 - t); \
  *cosine = 1 - t; \
  *s = r + (r * w * (-0.16666666666666666 + w * (0.008333333333330948 + w * (-0.00019841269836758574 \
       + w * (2.7557316102552418e-06 + w * (-2.5051131844998664e-08 + w * 1.5918129294509297e-10))))) \
       + rest); \
  *c = one + (((1 - one) - h) + w * w * (0.041666666666666664 + w * (-0.0013888888888887398 \
       + w * (2.4801587298765689e-05 + w * (-2.7557317271729777e-07 + w * (2.0876146268400097e-09 \
       + w * -1.1382632425298186e-11)))))); \
} )

#define CMB_SINE_CODE(X) X( \
static double op_far_sine(volatile double x) { return sin(x); } \
OP_INLINE double op_sine(double x) \
{ \
  double s; double c; double sine; double cosine; \
  if (fabs(x) > 1e6) return op_far_sine(x); \
  op_turn(x, &s, &c, &sine, &cosine); \
  return s * cosine + c * sine; \
} )

#define CMB_COSINE_CODE(X) X( \
static double op_far_cosine(volatile double x) { return cos(x); } \
OP_INLINE double op_cosine(double x) \
{ \
  double s; double c; double sine; double cosine; \
  if (fabs(x) > 1e6) return op_far_cosine(x); \
  op_turn(x, &s, &c, &sine, &cosine); \
  return c * cosine - s * sine; \
} )

/* clang-format on */

#endif
