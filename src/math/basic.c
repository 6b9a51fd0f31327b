/*
 * Basic solutions (basic.h). The rows W_k with z_k > 0 are orthogonalised one after the other (Gram-Schmidt). A row that depends on the
 * previous ones, W_k = Σ c_i W_i, passes its unknown on to them, z_i += θ c_i and z_k −= θ, until z_k = 0; or until one of the z_i becomes
 * 0, whose row is then replaced by row k.
 */
#include "math/basic.h"

#include "math/dense.h"

#include <math.h>

/* a row is dependent if its squared distance to the span of the others, relative to its squared length (sin²), is smaller */
static const double DEPENDENT = 1e-11;
/* a coefficient c_i of a dependent row that counts as 0, with all rows scaled to length 1 */
static const double NEGLIGIBLE = 1e-9;
/* an unknown that counts as 0, relative to its previous value */
static const double ROUNDING = 1e-12;

void cmb_basic_create(cmb_basic *p, cmb_arena *arena, int most, int width)
{
  *p = (cmb_basic){.most = most, .width = width};
  p->member = cmb_arena_ints(arena, most);
  p->W = cmb_arena_take(arena, (size_t)most, (size_t)width * sizeof(double));
  p->P = cmb_arena_take(arena, (size_t)most, (size_t)width * sizeof(double));
  p->L = cmb_arena_doubles(arena, most * most);
  p->c = cmb_arena_doubles(arena, most);
}

/* Orthogonalises the row W_k against the p->count rows chosen so far, in the inner product of the matrix N (Gram-Schmidt, two passes, since
 * rounding errors spoil the first result where little remains). Stores the remainder w = W_k − Σ c_i q_i and N wᵀ after the orthonormal
 * rows q_i in p->W and p->P, and the c_i in p->c. Returns the squared length w N wᵀ. */
static double orthogonalise(cmb_basic *p, const cmb_basic_rows *rows, int k)
{
  const int m = p->count, n = p->width;
  double *w = p->W + (ptrdiff_t)m * n, *r = p->P + (ptrdiff_t)m * n;
  cmb_copy(n, rows->row[k], w);
  cmb_copy(n, rows->response[k], r);
  for (int i = 0; i < m; i++) p->c[i] = 0;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < m; i++) {
      const double part = cmb_dot(n, w, p->P + (ptrdiff_t)i * n);
      p->c[i] += part;
      cmb_add_scaled(n, -part, p->W + (ptrdiff_t)i * n, w);
      cmb_add_scaled(n, -part, p->P + (ptrdiff_t)i * n, r);
    }
  }
  return cmb_dot(n, w, r);
}

/* Returns W_k N W_kᵀ, the squared length of the row W_k in the inner product of the matrix N. */
static double squared_length(const cmb_basic *p, const cmb_basic_rows *rows, int k)
{
  return cmb_dot(p->width, rows->row[k], rows->response[k]);
}

/* Adds the row W_k to the chosen set of linearly independent rows and returns true if it is linearly independent of them (to rounding).
 * Otherwise returns false and stores in p->c the coefficients of W_k = Σ c_i W_i over the chosen rows. */
static bool add_row(cmb_basic *p, const cmb_basic_rows *rows, int k)
{
  const int m = p->count, n = p->width;
  const double left = orthogonalise(p, rows, k), length = sqrt(fmax(left, 0));
  if (left > DEPENDENT * squared_length(p, rows, k)) {
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

/* Removes the row p->member[place] from the chosen set of linearly independent rows, and orthogonalises the chosen rows after it again. */
static void remove_member(cmb_basic *p, const cmb_basic_rows *rows, int place)
{
  const int before = p->count;
  p->count = place;
  for (int i = place + 1; i < before; i++) add_row(p, rows, p->member[i]);
}

/* Eliminates the unknown z_k ≥ 0 of a row W_k = Σ c_i W_i that depends on the chosen rows, without changing Σ z_i W_i: z_i += θ c_i for the
 * chosen rows, z_k −= θ, with θ = z_k. If some z_i would become negative, θ is smaller such that this z_i becomes 0, and row k replaces row
 * i in the chosen set. */
static void exchange(cmb_basic *p, const cmb_basic_rows *rows, int k, double *z)
{
  const double square = squared_length(p, rows, k);
  double part = z[k];
  int out = -1;
  for (int i = 0; i < p->count; i++) {
    const int m = p->member[i];
    const double size = p->c[i] * sqrt(squared_length(p, rows, m) / square);
    if (size < -NEGLIGIBLE && z[m] + part * p->c[i] < -ROUNDING * z[m])
      part = -z[m] / p->c[i], out = i;
  }
  for (int i = 0; i < p->count; i++) {
    const int m = p->member[i];
    z[m] = i == out ? 0 : fmax(z[m] + part * p->c[i], 0);
  }
  z[k] = out < 0 ? 0 : z[k] - part;
  if (out < 0) return;
  remove_member(p, rows, out);
  add_row(p, rows, k);
}

void cmb_basic_find(cmb_basic *p, const cmb_basic_rows *rows, const bool *first, const bool *more,
                    double *z, bool *in)
{
  p->count = 0;
  for (int k = 0; k < rows->n; k++) in[k] = false;
  /* first the rows with z > 0, then those of `more`; both times the preferred ones (`first`) before the others */
  for (int round = 0; round < 4; round++) {
    for (int k = 0; k < rows->n; k++) {
      const bool wanted = round < 2 ? z[k] > 0 : z[k] == 0 && more[k] && !in[k];
      if (!wanted || first[k] != (round % 2 == 0)) continue;
      if (!add_row(p, rows, k) && z[k] > 0) exchange(p, rows, k, z);
    }
    for (int i = 0; round > 0 && i < p->count; i++) in[p->member[i]] = true;
  }
}
