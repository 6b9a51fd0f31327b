/*
 * Computes the constants of the bound on the drift during a run (drift.h).
 */
#include "method/drift.h"

#include "base/context.h"
#include "math/pattern.h"
#include "math/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

void cmb_drift_create(cmb_drift *d, const cmb_equations *eq, cmb_arena *arena)
{
  d->nq = eq->nq, d->nv = eq->nv, d->ng = eq->ng;
  d->G_size = cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv);
  d->g = cmb_arena_doubles(arena, d->ng);
  d->g_last = cmb_arena_doubles(arena, d->ng);
  d->G = cmb_arena_doubles(arena, d->G_size);
  d->q = cmb_arena_doubles(arena, d->nq);
  d->product = cmb_arena_doubles(arena, d->ng);
}

void cmb_drift_begin(cmb_drift *d)
{
  d->bound = (cmb_drift_bound){.holds = true, .broken_at = NAN};
  d->rounding = d->h = d->first = 0;
}

/* Returns Σ x_i², the square of the 2-norm of x (n). */
static double squared_norm(int n, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += x[i] * x[i];
  return sum;
}

/* Sets d->G to the difference to − from of two constraint Jacobians; all three arrays are in the storage format of the equations (dense or
 * sparse). */
static void take_change(cmb_drift *d, const double *from, const double *to)
{
  for (int k = 0; k < d->G_size; k++) d->G[k] = to[k] - from[k];
}

/* Sets *most to `value` if that is larger or NaN. */
static void raise_to(double *most, double value)
{
  if (!(value <= *most)) *most = value;
}

/* Estimates *size, the change of the constraint values g at (t, q) that rounding of the coordinates can cause: 2ε Σ_j ‖∂g/∂q_j‖ |q_j|
 * with the machine epsilon ε and derivatives by difference quotients. g is their value at (t, q). */
static cmb_status rounding_of_q(cmb_drift *d, cmb_evaluator *ev, double t, const double *q,
                                const double *g, double *size)
{
  const double part = 1e-6;
  double sum = 0;
  memcpy(d->q, q, (size_t)d->nq * sizeof *q);
  for (int j = 0; j < d->nq; j++) {
    d->q[j] = q[j] * (1 + part);
    CMB_TRY(cmb_evaluate(ev, t, d->q, NULL, &(cmb_terms){.g = d->product}));
    d->q[j] = q[j];
    for (int i = 0; i < d->ng; i++) d->product[i] -= g[i];
    sum += sqrt(squared_norm(d->ng, d->product)) / part;
  }
  *size = 2 * DBL_EPSILON * sum;
  return CMB_OK;
}

/* Estimates the rounding error of the constraints g at (t, q), whose values there are g. They are evaluated at 8 points close together on a
 * line through (t, q), where they would be linear without rounding, so that second differences are rounding errors; *size is raised to the
 * largest norm of these. `line` is the seed of the line's random direction, `near` the relative distance of the points. */
static cmb_status rounding_along(cmb_drift *d, cmb_evaluator *ev, double t, const double *q,
                                 const double *g, uint32_t line, double near, double *size)
{
  enum { PLACES = 8 };
  double *last = d->g_last, *before = d->g, *now = d->product;
  memcpy(last, g, (size_t)d->ng * sizeof *last);
  for (int k = 1; k < PLACES; k++) {
    uint32_t seed = line;
    for (int j = 0; j < d->nq; j++) {
      d->q[j] = q[j] + k * near * (1 + fabs(q[j])) * cmb_random(&seed);
    }
    CMB_TRY(cmb_evaluate(ev, t, d->q, NULL, &(cmb_terms){.g = now}));
    for (int i = 0; k > 1 && i < d->ng; i++) before[i] += now[i] - 2 * last[i];
    if (k > 1) *size = fmax(*size, sqrt(squared_norm(d->ng, before)));
    memcpy(before, last, (size_t)d->ng * sizeof *last);
    memcpy(last, now, (size_t)d->ng * sizeof *last);
  }
  return CMB_OK;
}

/* Estimates *size, the rounding error made inside the evaluation of the constraints g at (t, q), from second differences of g along three short
 * lines, since the points of a single line can by chance show no error. The result is multiplied by a safety factor. */
static cmb_status rounding_inside(cmb_drift *d, cmb_evaluator *ev, double t, const double *q,
                                  const double *g, double *size)
{
  enum { LINES = 3 };
  const double near = 1e-12, unseen = 8;
  *size = 0;
  for (uint32_t k = 0; k < LINES; k++) {
    CMB_TRY(rounding_along(d, ev, t, q, g, CMB_RANDOM_FIRST + k, near * (1 + 0.37 * k), size));
  }
  *size *= unseen;
  return CMB_OK;
}

/* Estimates the rounding error of the constraint values g at (t, q) as the sum of the errors from a rounded time, 2ε ‖g_t‖ |t|, from
 * rounded coordinates and from rounding inside the evaluation, and raises d->rounding to it. */
static cmb_status update_rounding(cmb_drift *d, cmb_evaluator *ev, double t, const double *q)
{
  double of_q, inside;
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &(cmb_terms){.g = ev->g, .gt = ev->gt}));
  const double of_t = 2 * DBL_EPSILON * sqrt(squared_norm(d->ng, ev->gt)) * fabs(t);
  CMB_TRY(rounding_of_q(d, ev, t, q, ev->g, &of_q));
  CMB_TRY(rounding_inside(d, ev, t, q, ev->g, &inside));
  raise_to(&d->rounding, of_t + of_q + inside);
  return CMB_OK;
}

/* Declares the bound on the drift from the constraints invalid from time t on, and sets it to infinity. */
static void invalidate_bound(cmb_drift *d, double t)
{
  d->bound.limit = INFINITY;
  d->bound.holds = false;
  d->bound.broken_at = t;
}

/* Computes the bound on the drift ‖g‖ from its constants C₀, C₁, C₂, the rounding of g and the largest step size so far. None of these ever
 * decreases, so neither does the bound. Violations at the start of the motion are covered as well. Returns false if no bound exists,
 * because condition 13 of Burgermeister, Arnold and Esterl 2006 fails or the violation at the start is too large. */
static bool find_limit(cmb_drift *d)
{
  cmb_drift_bound *b = &d->bound;
  const double h = d->h, fresh = h * h * h * b->C0 + d->rounding;
  const double rest = 1 - h * b->C1, root = rest * rest - 4 * fresh * b->C2;
  const double other = rest + sqrt(fmax(root, 0)); /* 2 C2 times the larger fixed point */
  if (!(rest > 0 && root > 0 && 2 * b->C2 * d->first < other)) return false;
  /* the smaller root, computed without cancellation */
  b->limit = fmax(2 * fresh / other, d->first);
  return true;
}

/* Updates the bound on the drift after a step that begins at time t. If no bound exists, logs a warning and declares it invalid. */
static void update_bound(cmb_drift *d, const cmb_evaluator *ev, double t)
{
  const cmb_drift_bound *b = &d->bound;
  const double h = d->h;
  d->bound.steps++;
  if (!b->holds || find_limit(d)) return;
  invalidate_bound(d, t);
  cmb_log(ev->ctx, CMB_LOG_WARNING,
          "from t = %.6g on the drift has no proven bound: h C1 = %.3g and 4 h^3 C0 C2 = %.3g are "
          "too large; a smaller step size helps",
          t, h * b->C1, 4 * (h * h * h * b->C0 + d->rounding) * b->C2);
}

void cmb_drift_check(cmb_drift *d, cmb_evaluator *ev, double t, const double *q, double size)
{
  const cmb_drift_bound *b = &d->bound;
  if (!b->holds || b->steps == 0 || size <= b->limit) return;
  /* the positions and the rates of drives may have grown since the rounding error was last estimated */
  if (update_rounding(d, ev, t, q) == CMB_OK && find_limit(d) && size <= b->limit) return;
  cmb_log(
      ev->ctx, CMB_LOG_WARNING,
      "at t = %.6g the constraints are violated by |g| = %.3g, more than the bound on the drift "
      "of %.3g: something other than drift has moved them, such as a jump of a drive",
      t, size, b->limit);
  invalidate_bound(d, t);
}

/* Raises the constants C₀, C₁ and C₂ to those of the step. */
static void raise_by_step(cmb_drift *d, const cmb_equations *eq, const cmb_drift_step *x)
{
  const double h = d->h, size2 = squared_norm(d->ng, x->g_plain), size = sqrt(size2);
  for (int i = 0; i < d->ng; i++) d->product[i] = x->g_plain[i] - x->g[i];
  const double A1 = sqrt(squared_norm(d->ng, d->product)) / (h * h);
  take_change(d, x->G, x->G_plain);
  cmb_multiply(eq->G_pattern, d->ng, d->nv, d->G, x->Pg, d->product);
  const double change = sqrt(squared_norm(d->ng, d->product));
  for (int i = 0; i < d->ng; i++) d->product[i] += x->g_end[i];
  const double rest = fmax(0, sqrt(squared_norm(d->ng, d->product)) - d->rounding);
  const double A3 = size > 0 ? change / (h * size) : 0, A2 = size2 > 0 ? rest / size2 : 0;
  raise_to(&d->bound.C2, A2);
  raise_to(&d->bound.C1, A3 + 2 * h * A2 * A1);
  raise_to(&d->bound.C0, A3 * A1 + h * A2 * A1 * A1);
}

cmb_status cmb_drift_update(cmb_drift *d, cmb_evaluator *ev, const cmb_drift_step *x)
{
  const long steps = d->bound.steps;
  const double end = x->t + x->h;
  raise_to(&d->h, x->h);
  if (steps == 0) d->first = sqrt(squared_norm(d->ng, x->g));
  if ((steps & (steps - 1)) == 0) CMB_TRY(update_rounding(d, ev, end, x->q_plain));
  raise_by_step(d, ev->eq, x);
  update_bound(d, ev, x->t);
  return CMB_OK;
}
