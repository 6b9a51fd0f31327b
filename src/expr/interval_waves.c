/*
 * Sums of waves on intervals (interval.h). Around the middle of a box with the half widths r and q the angle of a wave changes by
 * δ = 2π (|n| r + |m| q) at most. With h and k for how far a place is from the middle,
 *
 *     f(x + h, y + k) = f + f_x h + f_y k + (f_xx h² + 2 f_xy h k + f_yy k²)/2 + R,   |R| <= Σ |a| δ³/6,
 *
 * where all waves are summed up before ranges are taken, so that what one wave lets rise and another one lets fall cancels. A wave that turns
 * too far for that, δ > 3/2, has its amplitude as its range. Bounds on rounding are added: of the angle's, which grows with it, and of sums.
 */
#include "expr/interval.h"
#include "expr/sine_code.h"
#include "expr/table_code.h"

#include <float.h>
#include <string.h>

static const double TURN = 6.283185307179586;
static const double MOST_TURN = 1.5; /* δ³/6 is 0.56 there */
enum { UNITS = 64 };                 /* more than the operations on one wave */

CMB_WAVE_CODE(CMB_CODE_COMPILED)

/* Sums over the waves that are expanded, and what the others and the rest add. */
enum { VALUE, X, Y, XX, XY, YY, REST, SIZE, AMOUNT, SUMS };

struct box {
  double x, y, r, q, quarters;
};

/* The middle, and half the width, rounded up. */
static void middle_of(cmb_interval x, double *middle, double *half)
{
  *middle = x.low + (x.high - x.low) / 2;
  *half = fmax(x.high - *middle, *middle - x.low) * (1 + 4 * DBL_EPSILON);
}

/* Some waves: how fast they turn, their amplitudes in the derivative that is asked for, their sines and cosines in the middle. */
struct block {
  double u[CMB_WAVE_BLOCK], v[CMB_WAVE_BLOCK], a[CMB_WAVE_BLOCK], s[CMB_WAVE_BLOCK],
      c[CMB_WAVE_BLOCK], size[CMB_WAVE_BLOCK];
};

static void fill_block(const cmb_table *t, int i, int dx, int dy, const struct box *b,
                       struct block *w)
{
  const double *x = t->x + i, *y = t->y + i, *amplitude = t->c + i, *phase = t->c + t->nx + i;
  for (int k = 0; k < CMB_WAVE_BLOCK; k++) {
    const double angle = x[k] * b->x + y[k] * b->y + (phase[k] + b->quarters);
    w->s[k] = op_wave(angle);
    w->c[k] = op_wave(angle + 0.25);
    w->size[k] = 1 + fabs(x[k] * b->x) + fabs(y[k] * b->y);
    w->u[k] = TURN * x[k];
    w->v[k] = TURN * y[k];
    w->a[k] = amplitude[k];
  }
  for (int d = 0; d < dx; d++) {
    for (int k = 0; k < CMB_WAVE_BLOCK; k++) w->a[k] *= w->u[k];
  }
  for (int d = 0; d < dy; d++) {
    for (int k = 0; k < CMB_WAVE_BLOCK; k++) w->a[k] *= w->v[k];
  }
}

static void add_block(const struct block *w, const struct box *b, double sum[SUMS][CMB_WAVE_BLOCK])
{
  for (int k = 0; k < CMB_WAVE_BLOCK; k++) {
    const double u = w->u[k], v = w->v[k], size = fabs(w->a[k]);
    const double delta = fabs(u) * b->r + fabs(v) * b->q;
    const double a = delta <= MOST_TURN ? w->a[k] : 0, s = a * w->s[k], c = a * w->c[k];
    const double rest = delta * delta * delta / 6;
    sum[VALUE][k] += s;
    sum[X][k] += u * c;
    sum[Y][k] += v * c;
    sum[XX][k] += u * u * s;
    sum[XY][k] += u * v * s;
    sum[YY][k] += v * v * s;
    sum[REST][k] += size * (delta <= MOST_TURN ? rest : 1);
    sum[SIZE][k] += size * w->size[k];
    sum[AMOUNT][k] += size;
  }
}

/* The greatest and the least of −(xx h² + 2 xy h k + yy k²)/2. */
static cmb_interval curved(const double *sum, const struct box *b)
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
  for (int i = 0; i < n; i += CMB_WAVE_BLOCK) {
    struct block w;
    fill_block(t, i, dx, dy, &b, &w);
    add_block(&w, &b, parts);
  }
  for (int k = 0; k < SUMS; k++) {
    sum[k] = (parts[k][0] + parts[k][1]) + (parts[k][2] + parts[k][3]);
  }
  const cmb_interval bend = curved(sum, &b);
  const double slope = fabs(sum[X]) * b.r + fabs(sum[Y]) * b.q;
  const double rounding = DBL_EPSILON * (UNITS * sum[SIZE] + n * sum[AMOUNT]) + n * DBL_TRUE_MIN;
  const double more = slope + sum[REST] + 4 * rounding, most = sum[AMOUNT] + 4 * rounding;
  const cmb_interval range = {fmax(sum[VALUE] + bend.low - more, -most),
                              fmin(sum[VALUE] + bend.high + more, most)};
  return isfinite(range.low) && isfinite(range.high) ? range : cmb_interval_unknown();
}
