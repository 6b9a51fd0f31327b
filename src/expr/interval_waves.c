/*
 * Bounds of sums of waves on a box (interval.h). In a box with the half widths r and q, the angle of a wave differs from that at the
 * middle by δ = 2π (|n| r + |m| q) at most. With the offsets h and k of a point from the middle,
 *
 *     f(x + h, y + k) = f + f_x h + f_y k + (f_xx h² + 2 f_xy h k + f_yy k²)/2 + R,   |R| <= Σ |a| δ³/6,
 *
 * where all waves are summed up before bounds are taken, so that the rise of one wave and the fall of another one cancel. Where a wave
 * turns too far for this, δ > 3/2, the bounds of it and of the other waves of its block are their amplitudes. Bounds on rounding errors
 * are added: those of the angle, which grow with it, and those of the sums.
 */
#include "expr/interval.h"
#include "expr/sine_code.h"
#include "expr/table_code.h"
#include "expr/wide.h"

#include <float.h>
#include <string.h>

static const double TURN = 6.283185307179586;
static const double MAX_TURN = 1.5; /* δ³/6 is 0.56 there */
enum { UNITS = 64 };                /* more than the rounding errors of one wave */

CMB_WAVE_CODE(CMB_CODE_COMPILED)

/* Sums over the waves that are expanded (value, derivatives), bounds for the other waves and the remainder, and amounts for rounding
 * errors. */
enum { VALUE, X, Y, XX, XY, YY, REST, SIZE, AMOUNT, SUMS };

struct box {
  double x, y, r, q; /* the middle of the box and half its widths, in x (r) and in y (q) */
  double quarters;
};

/* Computes the midpoint *middle and the radius *half (half the width, rounded up) of the interval x. */
static void middle_of(cmb_interval x, double *middle, double *half)
{
  *middle = x.low + (x.high - x.low) / 2;
  *half = fmax(x.high - *middle, *middle - x.low) * (1 + 4 * DBL_EPSILON);
}

/* A block of waves: the derivatives of their angles with respect to x and y (u, v), the largest change of the angle in the box (delta), and
 * the amplitudes of the requested derivative (a). */
struct block {
  double u[CMB_WAVE_BLOCK], v[CMB_WAVE_BLOCK], delta[CMB_WAVE_BLOCK], a[CMB_WAVE_BLOCK];
};

static void fill_block(const cmb_table *t, int i, int dx, int dy, const struct box *b,
                       struct block *restrict w)
{
  const double *restrict x = t->x + i, *restrict y = t->y + i, *restrict amplitude = t->c + i;
  for (int k = 0; k < CMB_WAVE_BLOCK; k++) {
    w->u[k] = TURN * x[k];
    w->v[k] = TURN * y[k];
    w->delta[k] = fabs(w->u[k]) * b->r + fabs(w->v[k]) * b->q;
    w->a[k] = amplitude[k];
  }
  for (int d = 0; d < dx; d++) {
    for (int k = 0; k < CMB_WAVE_BLOCK; k++) w->a[k] *= w->u[k];
  }
  for (int d = 0; d < dy; d++) {
    for (int k = 0; k < CMB_WAVE_BLOCK; k++) w->a[k] *= w->v[k];
  }
}

/* Adds the waves i .. i + CMB_WAVE_BLOCK − 1 of a sum of sines to sum[][]: their value and first derivatives at the middle of the box b, the
 * second derivatives with opposite sign, bounds of the remainder of the second-order Taylor expansion, and amounts from which bounds of
 * rounding errors follow. */
static void add_expanded(const cmb_table *t, int i, const struct block *restrict w,
                         const struct box *restrict b, double (*restrict sum)[CMB_WAVE_BLOCK])
{
  const double *restrict x = t->x + i, *restrict y = t->y + i, *restrict phase = t->c + t->nx + i;
  for (int k = 0; k < CMB_WAVE_BLOCK; k++) {
    const double u = w->u[k], v = w->v[k], delta = w->delta[k];
    const double along = x[k] * b->x, across = y[k] * b->y;
    const double angle = along + across + (phase[k] + b->quarters);
    const double s = w->a[k] * op_wave(angle), c = w->a[k] * op_wave(angle + 0.25);
    sum[VALUE][k] += s;
    sum[X][k] += u * c;
    sum[Y][k] += v * c;
    sum[XX][k] += u * u * s;
    sum[XY][k] += u * v * s;
    sum[YY][k] += v * v * s;
    sum[REST][k] += fabs(w->a[k]) * delta * delta * delta / 6;
    sum[SIZE][k] += fabs(w->a[k]) * (1 + fabs(along) + fabs(across));
    sum[AMOUNT][k] += fabs(w->a[k]);
  }
}

static void add_amplitudes(const struct block *restrict w, double (*restrict sum)[CMB_WAVE_BLOCK])
{
  for (int k = 0; k < CMB_WAVE_BLOCK; k++) {
    sum[REST][k] += fabs(w->a[k]);
    sum[AMOUNT][k] += fabs(w->a[k]);
  }
}

static inline void add_all(const cmb_table *t, int dx, int dy, const struct box *b,
                           double (*sum)[CMB_WAVE_BLOCK])
{
  for (int i = 0; i < t->nx; i += CMB_WAVE_BLOCK) {
    struct block w;
    fill_block(t, i, dx, dy, b, &w);
    const bool near = w.delta[0] <= MAX_TURN && w.delta[1] <= MAX_TURN && w.delta[2] <= MAX_TURN &&
                      w.delta[3] <= MAX_TURN;
    if (near)
      add_expanded(t, i, &w, b, sum);
    else
      add_amplitudes(&w, sum);
  }
}

CMB_WIDE static void add_all_wide(const cmb_table *t, int dx, int dy, const struct box *b,
                                  double (*sum)[CMB_WAVE_BLOCK])
{
  add_all(t, dx, dy, b, sum);
}

/* Returns bounds of the quadratic term −(xx h² + 2 xy h k + yy k²)/2 of a Taylor expansion for all offsets |h| <= b->r and |k| <= b->q, where
 * xx, xy and yy are sum[XX], sum[XY] and sum[YY]. */
static cmb_interval quadratic_term(const double *sum, const struct box *b)
{
  const double xx = -sum[XX] * b->r * b->r / 2, yy = -sum[YY] * b->q * b->q / 2,
               xy = fabs(sum[XY]) * b->r * b->q;
  return (cmb_interval){fmin(xx, 0) + fmin(yy, 0) - xy, fmax(xx, 0) + fmax(yy, 0) + xy};
}

cmb_interval cmb_waves_enclose(const cmb_table *t, int dx, int dy, cmb_interval x, cmb_interval y)
{
  const int n = t->nx;
  const double far_x = fmax(fabs(x.low), fabs(x.high)), far_y = fmax(fabs(y.low), fabs(y.high));
  if (!(far_x * t->c[2 * n] + far_y * t->c[2 * n + 1] < 0.999e9)) return cmb_interval_unknown();
  struct box b = {.quarters = 0.25 * ((dx + dy) % 4)};
  double parts[SUMS][CMB_WAVE_BLOCK], sum[SUMS];
  memset(parts, 0, sizeof parts);
  middle_of(x, &b.x, &b.r);
  middle_of(y, &b.y, &b.q);
  if (CMB_HAS_WIDE())
    add_all_wide(t, dx, dy, &b, parts);
  else
    add_all(t, dx, dy, &b, parts);
  for (int k = 0; k < SUMS; k++) {
    sum[k] = (parts[k][0] + parts[k][1]) + (parts[k][2] + parts[k][3]);
  }
  const cmb_interval bend = quadratic_term(sum, &b);
  const double slope = fabs(sum[X]) * b.r + fabs(sum[Y]) * b.q;
  const double rounding = DBL_EPSILON * (UNITS * sum[SIZE] + n * sum[AMOUNT]) + n * DBL_TRUE_MIN;
  const double more = slope + sum[REST] + 4 * rounding, most = sum[AMOUNT] + 4 * rounding;
  const cmb_interval range = {fmax(sum[VALUE] + bend.low - more, -most),
                              fmin(sum[VALUE] + bend.high + more, most)};
  return isfinite(range.low) && isfinite(range.high) ? range : cmb_interval_unknown();
}
