/*
 * The evaluation of tables on plain arrays. The code exists once, for the library and for generated C: the text in the macros below is
 * compiled in table.c, waves.c and other files of the library (CMB_CODE_COMPILED) and printed into C files (CMB_CODE_PRINTED).
 *
 *     x (n) the points, c (4 (n − 1)) the coefficients of the pieces c0 + c1 u + c2 u² + c3 u³, u = at − x_i
 *     2-D: y (ny), c (16 (nx − 1)(ny − 1)), four cubics in y for the four powers in x
 *     waves: x (n) and y (n) the wave numbers along x and y, c (2 n + 2) amplitudes, phases, the largest |x| and the largest |y|
 */
#ifndef CMB_EXPR_TABLE_CODE_H
#define CMB_EXPR_TABLE_CODE_H

/* clang-format off */

/* Returns the piece that contains `at`: the largest i <= n - 2 with x_i <= at, 0 if there is none or `at` is NaN. In a long table the
 * piece that would contain it if the points were equidistant is tried first; then bisection. */
#define CMB_TABLE_INTERVAL_CODE(X) X( \
static int op_table_interval(int n, const double *x, double at) \
{ \
  int low = 0, high = n - 1; \
  if (n > 16) { \
    const double guess = (at - x[0]) / (x[n - 1] - x[0]) * (n - 1); \
    const int i = guess > 0 && guess < n - 1 ? (int)guess : 0; \
    if (at >= x[i] && at < x[i + 1]) return i; \
  } \
  while (high - low > 1) { \
    int middle = (low + high) / 2; \
    if (at >= x[middle]) { low = middle; } else { high = middle; } \
  } \
  return low; \
} )

/* Returns the number of a piece for any value of a mode: clamped to 0 .. n − 2, 0 for NaN. */
#define CMB_TABLE_MODE_CODE(X) X( \
static int op_table_piece(int n, double mode) \
{ \
  return mode >= 0 ? mode < n - 2 ? (int)mode : n - 2 : 0; \
} )

/* Returns a derivative of the cubic with the coefficients c at u. */
#define CMB_TABLE_PIECES_CODE(X) X( \
static double op_table_cubic(const double *c, int order, double u) \
{ \
  switch (order) { \
  case 0: return c[0] + u * (c[1] + u * (c[2] + u * c[3])); \
  case 1: return c[1] + u * (2 * c[2] + u * 3 * c[3]); \
  case 2: return 2 * c[2] + u * 6 * c[3]; \
  case 3: return 6 * c[3]; \
  default: return 0; \
  } \
} )

/* Returns a derivative of piece i; beyond an end the table continues along its tangent. */
#define CMB_TABLE_LINE_CODE(X) X( \
static double op_table_in(int n, const double *x, const double *c, int order, int i, double at) \
{ \
  double low = x[0], high = x[n - 1]; \
  double inside = at < low && i == 0 ? low : at > high && i == n - 2 ? high : at; \
  double u = inside - x[i], value = op_table_cubic(c + 4 * i, order, u), slope; \
  if (inside == at || at != at) return value; \
  slope = op_table_cubic(c + 4 * i, 1, u); \
  return order == 0 ? value + slope * (at - inside) : order == 1 ? slope : 0; \
} )

/* Returns how far `at` is inside piece i; finite also if the piece has no border on a side, NaN if `at` is NaN. */
#define CMB_TABLE_MARGIN_CODE(X) X( \
static double op_table_margin(int n, const double *x, int i, double at) \
{ \
  double margin = x[n - 1] - x[0]; \
  if (i > 0 && !(at - x[i] >= margin)) margin = at - x[i]; \
  if (i < n - 2 && !(x[i + 1] - at >= margin)) margin = x[i + 1] - at; \
  return margin; \
} )

/* Returns a derivative of a 2-D table; beyond the border the arguments are clamped to it. */
#define CMB_TABLE_SURFACE_CODE(X) X( \
static double op_table_clamp(double at, double low, double high) \
{ \
  return at < low ? low : at > high ? high : at; \
} \
static double op_table2(int nx, const double *x, int ny, const double *y, const double *c, int dx, \
                        int dy, double at_x, double at_y) \
{ \
  double u = op_table_clamp(at_x, x[0], x[nx - 1]), v = op_table_clamp(at_y, y[0], y[ny - 1]); \
  int i = op_table_interval(nx, x, u), j = op_table_interval(ny, y, v), k; \
  const double *patch = c + 16 * (i * (ny - 1) + j); \
  double row[4]; \
  if ((dx > 0 && u != at_x) || (dy > 0 && v != at_y)) return 0; \
  for (k = 0; k < 4; k++) row[k] = op_table_cubic(patch + 4 * k, dy, v - y[j]); \
  return op_table_cubic(row, dx, u - x[i]); \
} )

/* Returns sin(2π u) of u in turns, for |u| up to 10⁹: it is cos(2π r), where r is the distance of u − 1/4 from the nearest whole number,
 * and that is sin(2π v) for v = 1/4 − |r|, |v| <= 1/4, computed by a polynomial in v² that is interpolated at Chebyshev points: absolute
 * error 3e-17. OP_INLINE: sine_code.h. */
#define CMB_WAVE_CODE(X) X( \
OP_INLINE double op_wave(double u) \
{ \
  const double whole = 6755399441055744.0; \
  const double from = u - 0.25; \
  const double v = 0.25 - fabs(from - ((from + whole) - whole)); \
  const double w = v * v; \
  return v * (6.283185307179586 + w * (-41.341702240399755 + w * (81.60524927607362 \
         + w * (-76.70585975282492 + w * (42.058693925428685 + w * (-15.0946416761179 \
         + w * (3.8199280942271643 + w * (-0.7177337921413454 + w * 0.10089695501646812)))))))); \
} )

/* Returns a derivative of a sum of n waves, n a multiple of 4 (CMB_WAVE_BLOCK): each differentiation shifts the phase by a quarter turn. */
#define CMB_WAVES_CODE(X) X( \
static double op_waves(int n, const double *x, const double *y, const double *c, int dx, int dy, \
                       double at_x, double at_y) \
{ \
  const double turn = 6.283185307179586; \
  const double quarters = 0.25 * ((dx + dy) % 4); \
  double sum[4] = {0, 0, 0, 0}; \
  double a[4]; \
  int i, k, d; \
  if (!(fabs(at_x) * c[2 * n] + fabs(at_y) * c[2 * n + 1] < 1e9)) return NAN; \
  for (i = 0; i < n; i += 4) { \
    for (k = 0; k < 4; k++) \
      a[k] = c[i + k] * op_wave(x[i + k] * at_x + y[i + k] * at_y + (c[n + i + k] + quarters)); \
    for (d = 0; d < dx; d++) { \
      for (k = 0; k < 4; k++) a[k] *= turn * x[i + k]; \
    } \
    for (d = 0; d < dy; d++) { \
      for (k = 0; k < 4; k++) a[k] *= turn * y[i + k]; \
    } \
    for (k = 0; k < 4; k++) sum[k] += a[k]; \
  } \
  return (sum[0] + sum[2]) + (sum[1] + sum[3]); \
} )

/* clang-format on */

enum { CMB_WAVE_BLOCK = 4 };

#define CMB_CODE_COMPILED(...) __VA_ARGS__
#define CMB_CODE_PRINTED(...)  #__VA_ARGS__

#endif
