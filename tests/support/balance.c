/*
 * Computes the error of the balance of momentum at an impact (balance.h).
 */
#include "balance.h"

#include "check.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>

enum { MOST_V = 200 };

static const double ROUNDED = 4 * DBL_EPSILON;

/* Sums of terms (value), and the sums of their magnitudes (size), from which the rounding error of a sum is estimated. */
struct sum {
  double value[MOST_V], size[MOST_V];
};

static void add(struct sum *s, int i, double part, double size)
{
  s->value[i] += part;
  s->size[i] += size;
}

/* Adds M jump; the magnitude of each term is |M_ik from_k|. */
static void add_momentum(const cmb_evaluator *ev, const double *jump, const double *from,
                         struct sum *s)
{
  const cmb_equations *eq = ev->eq;
  double row[MOST_V];
  for (int i = 0; i < eq->nv; i++) {
    const int first = eq->mass_diagonal ? i : 0, end = eq->mass_diagonal ? i + 1 : eq->nv;
    row[i] = ev->M[i];
    if (!eq->mass_diagonal) cmb_expand_row(eq->M_pattern, eq->nv, i, ev->M, row);
    for (int k = first; k < end; k++) add(s, i, row[k] * jump[k], fabs(row[k] * from[k]));
  }
}

/* Adds Gᵀ tau, the impulses of the constraints. */
static void add_constraints(const cmb_evaluator *ev, const double *tau, struct sum *s)
{
  const cmb_equations *eq = ev->eq;
  double row[MOST_V];
  for (int i = 0; i < eq->ng; i++) {
    cmb_expand_row(eq->G_pattern, eq->nv, i, ev->G, row);
    for (int k = 0; k < eq->nv; k++) add(s, k, row[k] * tau[i], fabs(row[k] * tau[i]));
  }
}

double cmbt_imbalance(const cmb_evaluator *ev, const double *jump, const double *from, int count,
                      const double *const *row, const double *impulse, const double *tau)
{
  const int nv = ev->eq->nv;
  struct sum left = {0}, right = {0}, back = {0};
  double worst = 0, size = 0;
  assert_in_range(nv, 1, MOST_V);
  add_momentum(ev, jump, from ? from : jump, &left);
  add_constraints(ev, tau, &back);
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < nv; i++)
      add(&right, i, impulse[k] * row[k][i], fabs(impulse[k] * row[k][i]));
  }
  for (int i = 0; i < nv; i++) {
    const double off = fabs(left.value[i] - right.value[i] + back.value[i]);
    worst = fmax(worst, off - ROUNDED * (left.size[i] + right.size[i] + back.size[i]));
    size = fmax(size, fabs(left.value[i]) + fabs(right.value[i]) + fabs(back.value[i]));
  }
  return size > 0 ? worst / size : 0;
}
