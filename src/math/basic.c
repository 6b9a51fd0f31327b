/*
 * Basic solutions (basic.h): rows enter one after the other, by the method of Gram and Schmidt. One that depends on those that are in,
 * W_k = Σ c_i W_i, gives its part to them, z_i += θ c_i and z_k −= θ, until it has none left; or until another one has none, which it
 * then takes the place of.
 */
#include "math/basic.h"

#include "math/dense.h"

#include <math.h>

static const double DEPENDENT = 1e-11; /* what other rows leave of one, sin² of an angle */
static const double NONE = 1e-9;       /* a part of a row, in units in which rows have length 1 */
static const double ROUNDING = 1e-12;  /* an unknown that is 0, beside what it was */

void cmb_basic_create(cmb_basic *p, cmb_arena *arena, int most, int width)
{
  *p = (cmb_basic){.most = most, .width = width};
  p->member = cmb_arena_ints(arena, most);
  p->W = cmb_arena_take(arena, (size_t)most, (size_t)width * sizeof(double));
  p->P = cmb_arena_take(arena, (size_t)most, (size_t)width * sizeof(double));
  p->L = cmb_arena_doubles(arena, most * most);
  p->c = cmb_arena_doubles(arena, most);
}

/* What the members leave of row k, into the place behind them, and c: its parts along the orthonormal rows. Done twice, since
 * rounding spoils the first time where little is left. */
static double separate(cmb_basic *p, const cmb_basic_rows *rows, int k)
{
  const int m = p->count, n = p->width;
  double *w = p->W + (ptrdiff_t)m * n, *r = p->P + (ptrdiff_t)m * n;
  cmb_copy(n, rows->row[k], w);
  cmb_copy(n, rows->response[k], r);
  for (int i = 0; i < m; i++) p->c[i] = 0;
  for (int turn = 0; turn < 2; turn++) {
    for (int i = 0; i < m; i++) {
      const double part = cmb_dot(n, w, p->P + (ptrdiff_t)i * n);
      p->c[i] += part;
      cmb_add_scaled(n, -part, p->W + (ptrdiff_t)i * n, w);
      cmb_add_scaled(n, -part, p->P + (ptrdiff_t)i * n, r);
    }
  }
  return cmb_dot(n, w, r);
}

static double square_of(const cmb_basic *p, const cmb_basic_rows *rows, int k)
{
  return cmb_dot(p->width, rows->row[k], rows->response[k]);
}

/* Row k enters, if it is independent; else c has its parts. */
static bool enter(cmb_basic *p, const cmb_basic_rows *rows, int k)
{
  const int m = p->count, n = p->width;
  const double left = separate(p, rows, k), length = sqrt(fmax(left, 0));
  if (left > DEPENDENT * square_of(p, rows, k)) {
    double *w = p->W + (ptrdiff_t)m * n, *r = p->P + (ptrdiff_t)m * n;
    for (int i = 0; i < n; i++) w[i] /= length, r[i] /= length;
    cmb_copy(m, p->c, p->L + (ptrdiff_t)m * p->most);
    p->L[(ptrdiff_t)m * (p->most + 1)] = length;
    p->member[p->count++] = k;
    return true;
  }
  for (int i = m - 1; i >= 0; i--) { /* c := L⁻ᵀ c */
    for (int j = i + 1; j < m; j++) p->c[i] -= p->L[(ptrdiff_t)j * p->most + i] * p->c[j];
    p->c[i] /= p->L[(ptrdiff_t)i * (p->most + 1)];
  }
  return false;
}

/* The member in this place leaves. */
static void leave(cmb_basic *p, const cmb_basic_rows *rows, int place)
{
  const int before = p->count;
  p->count = place;
  for (int i = place + 1; i < before; i++) enter(p, rows, p->member[i]);
}

/* Row k, which depends on the members, gives its part away. */
static void exchange(cmb_basic *p, const cmb_basic_rows *rows, int k, double *z)
{
  const double square = square_of(p, rows, k);
  double part = z[k];
  int out = -1;
  for (int i = 0; i < p->count; i++) {
    const int m = p->member[i];
    const double size = p->c[i] * sqrt(square_of(p, rows, m) / square);
    if (size < -NONE && z[m] + part * p->c[i] < -ROUNDING * z[m]) part = -z[m] / p->c[i], out = i;
  }
  for (int i = 0; i < p->count; i++) {
    const int m = p->member[i];
    z[m] = i == out ? 0 : fmax(z[m] + part * p->c[i], 0);
  }
  z[k] = out < 0 ? 0 : z[k] - part;
  if (out < 0) return;
  leave(p, rows, out);
  enter(p, rows, k);
}

void cmb_basic_find(cmb_basic *p, const cmb_basic_rows *rows, const bool *first, const bool *more,
                    double *z, bool *in)
{
  p->count = 0;
  for (int k = 0; k < rows->n; k++) in[k] = false;
  for (int turn = 0; turn < 4; turn++) { /* those of z, then more; each time first ones first */
    for (int k = 0; k < rows->n; k++) {
      const bool wanted = turn < 2 ? z[k] > 0 : z[k] == 0 && more[k] && !in[k];
      if (!wanted || first[k] != (turn % 2 == 0)) continue;
      if (!enter(p, rows, k) && z[k] > 0) exchange(p, rows, k, z);
    }
    for (int i = 0; turn > 0 && i < p->count; i++) in[p->member[i]] = true;
  }
}
