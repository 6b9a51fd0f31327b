/*
 * Difference Jacobians (derivative.h), column by column (Arnold, Fuchs and Führer 2006 eq. 16) or by groups of columns that share
 * no row (eq. 20) where the equations give a pattern. Increment of variable y_j (Arnold, Fuchs and Führer 2006, eq. 17):
 *
 *     δ_j = max(|y_j|, eps^(1/4)) sqrt(eps),   made exactly representable as (y_j + δ_j) − y_j.
 */
#include "dae/derivative.h"

#include "base/context.h"
#include "math/colour.h"
#include "math/finite.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* number of derivatives that differences can give: inputs and parameters are inside the equations and cannot be displaced */
enum { DIFFERENCED = CMB_RESIDUAL_U };

struct cmb_differences {
  cmb_evaluator *ev;
  cmb_arena *arena;
  int *group[DIFFERENCED]; /* (columns) group of each column */
  int groups[DIFFERENCED];
  double *at_point,
      *at_displaced; /* (max(nv, ng)) function values at the point and at the displaced point */
  double *q, *v;     /* (nq), (nv) displaced variables */
  double *delta;     /* (max(nq, nv)) increments */
};

static bool is_of_constraints(cmb_derivative which)
{
  return which == CMB_VELOCITY_Q || which == CMB_GAMMA_Q || which == CMB_GAMMA_V;
}

static bool is_by_velocity(cmb_derivative which)
{
  return which == CMB_RESIDUAL_V || which == CMB_GAMMA_V;
}

static int row_count(const cmb_equations *eq, cmb_derivative which)
{
  return is_of_constraints(which) ? eq->ng : eq->nv;
}

static int column_count(const cmb_equations *eq, cmb_derivative which)
{
  return is_by_velocity(which) ? eq->nv : eq->nq;
}

static cmb_status make_groups(struct cmb_differences *d, cmb_derivative which)
{
  const cmb_equations *eq = d->ev->eq;
  const cmb_pattern *p = eq->derivative_pattern[which];
  int columns = column_count(eq, which);
  d->group[which] = cmb_arena_ints(d->arena, columns);
  if (cmb_arena_failed(d->arena)) return cmb_fail_memory(d->ev->ctx);
  if (p) return cmb_colour_columns(d->ev->ctx, p, d->group[which], &d->groups[which]);
  d->groups[which] = columns;
  for (int j = 0; j < columns; j++) d->group[which][j] = j;
  return CMB_OK;
}

static cmb_status allocate(struct cmb_differences *d)
{
  const cmb_equations *eq = d->ev->eq;
  int most_rows = eq->nv > eq->ng ? eq->nv : eq->ng;
  int most_columns = eq->nq > eq->nv ? eq->nq : eq->nv;
  for (int k = 0; k < DIFFERENCED; k++) CMB_TRY(make_groups(d, (cmb_derivative)k));
  d->at_point = cmb_arena_doubles(d->arena, most_rows);
  d->at_displaced = cmb_arena_doubles(d->arena, most_rows);
  d->q = cmb_arena_doubles(d->arena, eq->nq);
  d->v = cmb_arena_doubles(d->arena, eq->nv);
  d->delta = cmb_arena_doubles(d->arena, most_columns);
  return cmb_arena_failed(d->arena) ? cmb_fail_memory(d->ev->ctx) : CMB_OK;
}

cmb_status cmb_differences_create(cmb_evaluator *ev, cmb_differences **out)
{
  *out = NULL;
  cmb_arena *arena = cmb_arena_create(ev->ctx);
  if (!arena) return cmb_fail_memory(ev->ctx);
  cmb_differences *d = cmb_arena_take(arena, 1, sizeof *d);
  if (d) *d = (struct cmb_differences){.ev = ev, .arena = arena};
  cmb_status status = d ? allocate(d) : cmb_fail_memory(ev->ctx);
  if (status != CMB_OK) {
    cmb_arena_destroy(arena);
    return status;
  }
  *out = d;
  return CMB_OK;
}

void cmb_differences_destroy(cmb_differences *d)
{
  if (d) cmb_arena_destroy(d->arena);
}

/* Evaluates into y (ng) the constraint function to be differentiated for the derivative `which`: G v + g_t for CMB_VELOCITY_Q, G a
 * + γ for CMB_GAMMA_Q, γ alone for CMB_GAMMA_V. Returns CMB_RETRY_NONFINITE if a value is not finite. */
static cmb_status constraints_at(struct cmb_differences *d, double t, const double *q,
                                 const double *v, const double *a, cmb_derivative which, double *y)
{
  cmb_evaluator *ev = d->ev;
  const cmb_equations *eq = ev->eq;
  const bool velocity = which == CMB_VELOCITY_Q;
  const double *x = velocity ? v : which == CMB_GAMMA_Q ? a : NULL;
  cmb_terms want = {.G = x ? ev->G : NULL};
  *(velocity ? &want.gt : &want.gamma) = ev->tau;
  ev->stats.f++;
  CMB_TRY(cmb_evaluate(ev, t, q, v, &want));
  if (x) {
    cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, x, y);
  } else {
    memset(y, 0, (size_t)eq->ng * sizeof *y);
  }
  for (int i = 0; i < eq->ng; i++) y[i] += ev->tau[i];
  return cmb_all_finite(eq->ng, y) ? CMB_OK : CMB_RETRY_NONFINITE;
}

static cmb_status function_at(struct cmb_differences *d, double t, const double *q, const double *v,
                              const double *a, const double *lambda, cmb_derivative which,
                              double *y)
{
  if (is_of_constraints(which)) return constraints_at(d, t, q, v, a, which, y);
  return cmb_residual(d->ev, t, q, v, a, lambda, y);
}

/* Stores the difference quotients for one group of columns in the Jacobian J, which is dense or has the sparsity pattern of the
 * derivative `which`. Columns of a group share no row and are displaced simultaneously (Curtis, Powell and Reid); in a dense J
 * each column is a group. */
static void store_group(const struct cmb_differences *d, cmb_derivative which, int group, double *J)
{
  const cmb_equations *eq = d->ev->eq;
  const cmb_pattern *p = eq->derivative_pattern[which];
  int rows = row_count(eq, which), columns = column_count(eq, which);
  for (int i = 0; i < rows; i++) {
    double difference = d->at_displaced[i] - d->at_point[i];
    if (!p) {
      J[i * columns + group] = difference / d->delta[group];
      continue;
    }
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int j = p->column[k];
      if (d->group[which][j] == group) J[k] = difference / d->delta[j];
    }
  }
}

static cmb_status difference(struct cmb_differences *d, double t, const double *q, const double *v,
                             const double *a, const double *lambda, cmb_derivative which, double *J)
{
  const cmb_equations *eq = d->ev->eq;
  int columns = column_count(eq, which);
  const double *from = is_by_velocity(which) ? v : q;
  double *moving = is_by_velocity(which) ? d->v : d->q;
  memcpy(d->q, q, (size_t)eq->nq * sizeof *q);
  memcpy(d->v, v, (size_t)eq->nv * sizeof *v);
  CMB_TRY(function_at(d, t, q, v, a, lambda, which, d->at_point));
  for (int group = 0; group < d->groups[which]; group++) {
    for (int j = 0; j < columns; j++) {
      if (d->group[which][j] != group) continue;
      double wanted = fmax(fabs(from[j]), sqrt(sqrt(DBL_EPSILON))) * sqrt(DBL_EPSILON);
      /* volatile: rounded to a double, even with wider registers */
      volatile double displaced = from[j] + wanted;
      moving[j] = displaced;
      d->delta[j] = displaced - from[j];
    }
    CMB_TRY(function_at(d, t, d->q, d->v, a, lambda, which, d->at_displaced));
    store_group(d, which, group, J);
    for (int j = 0; j < columns; j++) moving[j] = from[j];
  }
  return CMB_OK;
}

cmb_status cmb_derivative_at(cmb_differences *d, double t, const double *q, const double *v,
                             const double *a, const double *lambda, cmb_derivative which, double *J)
{
  const cmb_equations *eq = d->ev->eq;
  if (!eq->derivative && (int)which >= DIFFERENCED) {
    return cmb_fail(d->ev->ctx, CMB_ERROR_ARGUMENT,
                    "%s: derivatives with respect to inputs and parameters are not known; expected "
                    "equations with the function derivative",
                    eq->name);
  }
  d->ev->stats.jacobian++;
  if (!eq->derivative) return difference(d, t, q, v, a, lambda, which, J);
  cmb_point at = cmb_evaluator_point(d->ev, t, q, v);
  return eq->derivative(eq->self, &at, a, lambda, which, J);
}
