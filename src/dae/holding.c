/*
 * Bounds over time of the functions that end sticking and contact (holding.h).
 */
#include "dae/holding.h"

#include "expr/interval.h"
#include "math/dense.h"

#include <string.h>

static const double SAME = 1e-9;      /* relative difference up to which gradients count as equal */
static const double ROUNDING = 1e-14; /* relative rounding error of loads */
static const double SMALL = 1e-9;     /* negligible part of what friction can hold */

/* Where in the interval of time t₀ is: at the golden section, which is special to no function, so that equal values and bounds
 * there are no coincidence. */
static const double T0_FRACTION = 0.381966011250105;

/* ---- intervals */

/* Returns bounds of min(x, y) for x in the interval a and y in the interval b. */
static cmb_interval smaller(cmb_interval a, cmb_interval b)
{
  return cmb_op_enclose(CMB_OP_MIN, a, b, b);
}

static double most(cmb_interval a)
{
  return fmax(fabs(a.low), fabs(a.high));
}

/* ---- creation */

/* Lists in x->function the switching functions whose change of sign ends sticking or contact: the first function of each of the x->slides
 * groups of friction elements that stick together, then those of the closed contacts (x->count in all). Leaves out bilateral contacts
 * (direction 0), since their functions also depend on forces on the other side. */
static void list_functions(cmb_holding *x)
{
  const cmb_resting *r = x->resting;
  for (int k = 0; x->sliding && k < x->sliding->count; k++) {
    x->function[x->count++] = x->sliding->function[k];
  }
  x->slides = x->count;
  for (int k = 0; r && k < r->count; k++) {
    if (r->layer.inner->rules[r->rule[k]].direction == 0) continue;
    x->rest[x->count] = k;
    x->function[x->count++] = r->layer.inner->ns + k;
  }
}

static cmb_interval *intervals(cmb_arena *arena, int count)
{
  return cmb_arena_take(arena, (size_t)count, sizeof(cmb_interval));
}

void cmb_holding_create(cmb_holding *x, cmb_arena *arena, cmb_evaluator *ev,
                        const cmb_sliding *sliding, const cmb_resting *resting)
{
  const cmb_equations *eq = ev->eq;
  *x = (cmb_holding){.eq = eq, .sliding = sliding, .resting = resting};
  const int most_held = (sliding ? sliding->count : 0) + (resting ? resting->count : 0);
  if (most_held == 0 || !eq->load_bounds || (sliding && !eq->flow_bounds)) return;
  x->ev = sliding ? sliding->below : ev;
  x->function = cmb_arena_ints(arena, most_held);
  x->rest = cmb_arena_ints(arena, most_held);
  if (cmb_arena_failed(arena)) return;
  list_functions(x);
  const int n = x->slides, nv = eq->nv, ng = eq->ng;
  x->gradient = cmb_arena_doubles(arena, n * nv);
  x->row = cmb_arena_doubles(arena, x->count * nv);
  x->row_g = cmb_arena_doubles(arena, x->count * ng);
  x->a = cmb_arena_doubles(arena, nv);
  x->lambda = cmb_arena_doubles(arena, ng);
  x->force = cmb_arena_doubles(arena, nv);
  x->rhs = cmb_arena_doubles(arena, nv + ng);
  x->rate = cmb_arena_doubles(arena, 2 * eq->ns);
  x->none = cmb_arena_doubles(arena, 2 * eq->ns);
  x->varies = cmb_arena_take(arena, (size_t)(n + 1) * (size_t)nv, sizeof *x->varies);
  x->gamma_varies = cmb_arena_take(arena, (size_t)ng, sizeof *x->gamma_varies);
  x->flow_varies = cmb_arena_take(arena, (size_t)n, sizeof *x->flow_varies);
  x->small = cmb_arena_doubles(arena, x->count);
  x->first = cmb_arena_doubles(arena, x->count);
  x->v = intervals(arena, nv);
  x->q = intervals(arena, eq->nq);
  x->f = intervals(arena, nv);
  x->gamma = intervals(arena, ng);
  x->g_f = intervals(arena, nv);
  x->g_gamma = intervals(arena, ng);
  x->flow = intervals(arena, 2 * eq->ns);
  x->value = intervals(arena, (n + 1) * x->count);
  x->change = intervals(arena, n * x->count);
  x->theta = intervals(arena, n);
  x->inverse = cmb_arena_doubles(arena, n * n);
  x->defect = cmb_arena_doubles(arena, n);
  x->spread = cmb_arena_doubles(arena, n);
}

int cmb_holding_name(const cmb_holding *x, int function)
{
  const cmb_equations *inner = x->resting ? x->resting->layer.inner : NULL;
  if (!inner || function < inner->ns) return function;
  const int rule = x->resting->rule[function - inner->ns];
  const bool *reads = inner->rule_reads + (ptrdiff_t)rule * inner->ns;
  for (int i = 0; i < inner->ns; i++) {
    if (reads[i]) return i;
  }
  return 0;
}

/* ---- bounds of loads */

/* Sets the modes of the evaluator x->ev to those in mode (ns), with the friction forces that stick slipping in direction −1, except force k in
 * direction +1 (k < 0: none), and with the modes of the functions that depend on force k. Does nothing if no friction sticks (x->sliding ==
 * NULL). */
static void set_modes(cmb_holding *x, const int *mode, int k)
{
  if (x->sliding) cmb_sliding_lower(x->sliding, mode, k, x->ev->mode);
}

static cmb_box box_at(cmb_holding *x, cmb_interval t, const double *q, const double *v)
{
  for (int i = 0; i < x->eq->nq; i++) x->q[i] = cmb_interval_of(q[i]);
  for (int i = 0; i < x->eq->nv; i++) x->v[i] = cmb_interval_of(v[i]);
  cmb_box box = cmb_evaluator_box(x->ev, t, x->q);
  box.v = x->v;
  return box;
}

static bool is_late(const cmb_equations *eq, int i)
{
  for (int k = 0; k < eq->nl; k++) {
    if (eq->late_row[k] == i) return true;
  }
  return false;
}

/* Finds the terms that depend on time at a fixed state (q, v): entries of the forces f and of the constraint terms γ, and rates of those
 * switching functions that sticking friction holds at 0, if their bounds over all times are not known. Marks them in x->varies,
 * x->gamma_varies and x->flow_varies, and sets *any to true if there are some. Leaves out first-order states whose rates depend on
 * accelerations. */
static void find_varying(cmb_holding *x, const int *mode, const double *q, const double *v,
                         bool *any)
{
  const cmb_equations *eq = x->eq, *below = x->ev->eq;
  const cmb_box box = box_at(x, cmb_interval_unknown(), q, v);
  for (int k = 0; k <= x->slides; k++) {
    bool *varies = x->varies + (ptrdiff_t)k * eq->nv;
    set_modes(x, mode, k - 1);
    below->load_bounds(below->self, &box, x->f, x->gamma);
    for (int i = 0; i < eq->nv; i++) {
      varies[i] = !cmb_interval_known(x->f[i]) && !is_late(eq, i);
      *any = *any || varies[i];
    }
  }
  for (int i = 0; i < eq->ng; i++) {
    x->gamma_varies[i] = !cmb_interval_known(x->gamma[i]);
    *any = *any || x->gamma_varies[i];
  }
  if (x->slides == 0) return;
  set_modes(x, mode, -1);
  memset(x->a, 0, (size_t)eq->nv * sizeof *x->a);
  below->flow_bounds(below->self, &box, x->a, x->flow);
  for (int j = 0; j < x->slides; j++) {
    x->flow_varies[j] = !cmb_interval_known(x->flow[x->function[j]]);
    *any = *any || x->flow_varies[j];
  }
}

/* Computes the weights θ with which friction sticks at (t, q, v), into x->sliding->theta: the friction forces lie between those for slip in
 * both directions such that the sliding velocities stay 0. Also computes the factors of the KKT matrix there. mode (ns) has the modes of the
 * other switching functions. */
static cmb_status find_mixture(cmb_holding *x, const int *mode, double t, const double *q,
                               const double *v)
{
  cmb_point at = cmb_evaluator_point(x->ev, t, q, v);
  at.mode = mode;
  return cmb_sliding_find(x->sliding, &at);
}

/* Computes x->small (count): the value below which each function that ends sticking or a closed contact counts as 0. For sticking friction the
 * function is the acceleration of the slip, and the value a small part (SMALL) of the difference between slip in one and in the other
 * direction; for a closed contact it is the slack of the contact force. */
static cmb_status find_small(cmb_holding *x, const int *mode, double t, const double *q,
                             const double *v)
{
  if (x->sliding) CMB_TRY(find_mixture(x, mode, t, q, v));
  for (int j = 0; j < x->count; j++) {
    const ptrdiff_t own = (ptrdiff_t)j * (x->slides + 1);
    x->small[j] = j < x->slides ? SMALL * fabs(x->sliding->A[own]) : x->resting->slack[x->rest[j]];
  }
  return CMB_OK;
}

cmb_status cmb_holding_begin(cmb_holding *x, const int *mode, double t, const double *q,
                             const double *v, bool *any)
{
  *any = false;
  if (x->count == 0) return CMB_OK;
  find_varying(x, mode, q, v, any);
  return *any ? find_small(x, mode, t, q, v) : CMB_OK;
}

/* Computes bounds of f(t) − f(t₀) and γ(t) − γ(t₀) over the box, for the forces f (nv) and the constraint terms γ (ng), whose values at t₀ are
 * in the evaluator; 0 for entries that do not depend on time. k says for which modes the evaluator has these values: all sticking friction with
 * slip in direction −1 (k = 0), or force k − 1 with slip in direction +1 and all others in direction −1. */
static void find_loads(cmb_holding *x, int k, const cmb_box *box, cmb_interval *f,
                       cmb_interval *gamma)
{
  const cmb_equations *below = x->ev->eq;
  const bool *varies = x->varies + (ptrdiff_t)k * below->nv;
  const cmb_interval zero = cmb_interval_of(0);
  below->load_bounds(below->self, box, f, gamma);
  for (int i = 0; i < below->nv; i++) {
    f[i] = varies[i] ? cmb_interval_subtract(f[i], cmb_interval_of(x->ev->f[i])) : zero;
  }
  for (int i = 0; i < below->ng; i++) {
    gamma[i] = x->gamma_varies[i]
                   ? cmb_interval_subtract(gamma[i], cmb_interval_of(x->ev->gamma[i]))
                   : zero;
  }
}

/* Returns bounds of x_j·f − y_j·γ, the change of function j (the rate of a switching function that friction holds at 0, or the
 * force of a closed contact) caused by changes of the forces and constraint terms within f (nv) and gamma (ng). x_j and y_j are
 * row j of the sensitivities x->row and x->row_g (find_rows). */
static cmb_interval response(const cmb_holding *x, int j, const cmb_interval *f,
                             const cmb_interval *gamma)
{
  const int nv = x->eq->nv, ng = x->eq->ng;
  const double *row = x->row + (ptrdiff_t)j * nv, *row_g = x->row_g + (ptrdiff_t)j * ng;
  cmb_interval sum = cmb_interval_of(0);
  for (int i = 0; i < nv; i++) {
    const bool none = row[i] == 0 || (f[i].low == 0 && f[i].high == 0);
    if (!none) sum = cmb_interval_add(sum, cmb_interval_multiply(cmb_interval_of(row[i]), f[i]));
  }
  for (int i = 0; i < ng; i++) {
    const bool none = row_g[i] == 0 || (gamma[i].low == 0 && gamma[i].high == 0);
    if (!none)
      sum = cmb_interval_subtract(sum, cmb_interval_multiply(cmb_interval_of(row_g[i]), gamma[i]));
  }
  return sum;
}

/* ---- functionals */

static cmb_status flow_along(cmb_holding *x, const cmb_point *at, const double *a, double *flow)
{
  return x->ev->eq->switch_flow(x->ev->eq->self, at, a, flow);
}

/* Checks whether the stored gradients S = ∂ṡ/∂v̇ of those switching functions s that sticking friction holds at 0 are still valid: for an
 * arbitrary acceleration a, the changes S a of the rates ṡ must agree with computed ones, and none may be 0. Stores the answer in *yes. x->none
 * must contain the rates without accelerations. Overwrites x->a and x->rate. */
static cmb_status are_gradients_valid(cmb_holding *x, const cmb_point *at, bool *yes)
{
  const int nv = x->eq->nv;
  for (int i = 0; i < nv; i++) x->a[i] = sin(i + 1.0);
  CMB_TRY(flow_along(x, at, x->a, x->rate));
  *yes = true;
  for (int j = 0; j < x->slides; j++) {
    const double *S = x->gradient + (ptrdiff_t)j * nv;
    const double along = x->rate[x->function[j]] - x->none[x->function[j]];
    *yes = *yes && fabs(cmb_dot(nv, S, x->a) - along) <= SAME * fabs(along) && along != 0;
  }
  return CMB_OK;
}

/* Computes ∂ṡ/∂v̇ for each switching function s that sticking friction holds at 0, into x->gradient, by one evaluation of the rates ṡ for each
 * unit acceleration. Keeps the stored gradients if they are still valid. */
static cmb_status find_gradients(cmb_holding *x, const cmb_point *at)
{
  const int nv = x->eq->nv;
  bool known;
  memset(x->rhs, 0, (size_t)nv * sizeof *x->rhs);
  CMB_TRY(flow_along(x, at, x->rhs, x->none));
  CMB_TRY(are_gradients_valid(x, at, &known));
  for (int i = 0; !known && i < nv; i++) {
    x->rhs[i] = 1;
    CMB_TRY(flow_along(x, at, x->rhs, x->rate));
    x->rhs[i] = 0;
    for (int j = 0; j < x->slides; j++) {
      const int s = x->function[j];
      x->gradient[(ptrdiff_t)j * nv + i] = x->rate[s] - x->none[s];
    }
  }
  return CMB_OK;
}

/* Computes how the right-hand side of the KKT system affects the functions that end sticking or contact, with the present factors of the KKT
 * matrix: for a contact force a row of the inverse of [M Gᵀ; G 0], for the rate of a switching function that friction holds at 0 a linear
 * combination of such rows. Stores them in x->row (count x nv) and x->row_g (count x ng). */
static void find_rows(cmb_holding *x)
{
  const int nv = x->eq->nv, ng = x->eq->ng;
  double *e = x->rhs + nv;
  memset(x->rhs, 0, (size_t)(nv + ng) * sizeof *x->rhs);
  for (int j = 0; j < x->count; j++) {
    double *row = x->row + (ptrdiff_t)j * nv, *row_g = x->row_g + (ptrdiff_t)j * ng;
    if (j < x->slides) {
      cmb_solve(x->ev, x->gradient + (ptrdiff_t)j * nv, NULL, row, row_g);
    } else {
      double *one = e + x->resting->layer.inner->ng + x->rest[j];
      *one = -1; /* sign of γ in the right-hand side */
      cmb_solve(x->ev, x->rhs, e, row, row_g);
      *one = 0;
    }
  }
}

/* Returns value j of x->value at time t₀: for j < x->slides the rate of a switching function that sticking friction holds at 0, otherwise the
 * force of a closed contact. Reads the rates x->rate and the multipliers x->lambda, which must have been computed at t₀. */
static double value_at_t0(const cmb_holding *x, int j)
{
  return j < x->slides ? x->rate[x->function[j]]
                       : x->lambda[x->resting->layer.inner->ng + x->rest[j]];
}

/* Returns bounds, over the box, of how much that part of the rate of switching function j has changed since t₀ which does not depend on
 * accelerations. Returns 0 if this part does not depend on time, and for a closed contact (j ≥ x->slides). */
static cmb_interval drift(const cmb_holding *x, int j)
{
  if (j >= x->slides || !x->flow_varies[j]) return cmb_interval_of(0);
  return cmb_interval_subtract(x->flow[x->function[j]], cmb_interval_of(value_at_t0(x, j)));
}

/* Computes bounds over the box, row k of x->value, of the rates of all switching functions that friction holds at 0 and of all contact forces.
 * In row 0 all friction forces slip in direction −1; in row k > 0 force k − 1 slips in direction +1. Also sets f (nv) and gamma (ng) to bounds
 * of the changes of the applied forces and of γ since the time of the point `at`. */
static cmb_status find_side(cmb_holding *x, const int *mode, int k, const cmb_point *at,
                            const cmb_box *box, cmb_interval *f, cmb_interval *gamma)
{
  const cmb_equations *below = x->ev->eq;
  set_modes(x, mode, k - 1);
  CMB_TRY(cmb_accelerate_factored(x->ev, at->t, at->q, at->v, x->a, x->lambda));
  if (x->slides > 0) CMB_TRY(flow_along(x, at, x->a, x->rate));
  if (x->slides > 0) below->flow_bounds(below->self, box, x->a, x->flow);
  find_loads(x, k, box, f, gamma);
  for (int j = 0; j < x->count; j++) {
    const cmb_interval there = cmb_interval_of(value_at_t0(x, j));
    const cmb_interval varies = cmb_interval_add(drift(x, j), response(x, j, f, gamma));
    x->value[k * x->count + j] = cmb_interval_add(there, varies);
  }
  return CMB_OK;
}

/* Returns bounds of the change of g − f since t₀, given bounds f and g of the changes of both functions, and their values there, `one` of f and
 * `other` of g. Bounds that are equal up to rounding are taken as those of one common change: the result is then 0, or bounds of the rounding
 * errors. */
static cmb_interval subtract_common(cmb_interval f, cmb_interval g, double one, double other)
{
  const double rounding = ROUNDING * (fabs(one) + fabs(other) + most(f));
  const bool same = fabs(g.low - f.low) <= rounding && fabs(g.high - f.high) <= rounding;
  if (!same) return cmb_interval_subtract(g, f);
  return f.low == g.low && f.high == g.high ? cmb_interval_of(0)
                                            : (cmb_interval){-rounding, rounding};
}

/* Computes in row k − 1 of x->change bounds of the differences that friction force k − 1 makes when it slips in direction +1 and not −1: in the
 * rates of all switching functions that friction holds at 0, and in all contact forces. On entry x->g_f and x->g_gamma bound the changes of the
 * right-hand sides since t₀ for direction +1; they become the differences from those for direction −1. */
static void find_changes(cmb_holding *x, int k)
{
  cmb_interval *change = x->change + (ptrdiff_t)(k - 1) * x->count;
  for (int i = 0; i < x->eq->nv; i++) {
    x->g_f[i] = subtract_common(x->f[i], x->g_f[i], x->force[i], x->ev->f[i]);
  }
  for (int i = 0; i < x->eq->ng; i++) {
    x->g_gamma[i] = subtract_common(x->gamma[i], x->g_gamma[i], x->ev->gamma[i], x->ev->gamma[i]);
  }
  for (int j = 0; j < x->count; j++) {
    const cmb_interval own = drift(x, j), there = cmb_interval_of(value_at_t0(x, j) - x->first[j]);
    const cmb_interval loads = response(x, j, x->g_f, x->g_gamma);
    change[j] = cmb_interval_add(cmb_interval_add(there, cmb_interval_subtract(own, own)), loads);
  }
}

static cmb_status find_sides(cmb_holding *x, const int *mode, const cmb_point *at,
                             const cmb_box *box)
{
  CMB_TRY(find_side(x, mode, 0, at, box, x->f, x->gamma));
  for (int j = 0; j < x->count; j++) x->first[j] = value_at_t0(x, j);
  memcpy(x->force, x->ev->f, (size_t)x->eq->nv * sizeof *x->force);
  for (int k = 1; k <= x->slides; k++) {
    CMB_TRY(find_side(x, mode, k, at, box, x->g_f, x->g_gamma));
    find_changes(x, k);
  }
  return CMB_OK;
}

/* ---- mixtures */

/* Returns bounds of function j (the rate of a switching function that sticking friction holds at 0, or a contact force) for friction forces
 * between those of slip in the two directions: `sum`, its bounds for one direction, plus Σ_i θ_i change_i over all friction forces i with
 * weights θ_i within x->theta, except number `without` (−1: none). */
static cmb_interval mix_groups(const cmb_holding *x, int j, int without, cmb_interval sum)
{
  for (int i = 0; i < x->slides; i++) {
    if (i == without) continue;
    sum = cmb_interval_add(
        sum, cmb_interval_multiply(x->change[(ptrdiff_t)i * x->count + j], x->theta[i]));
  }
  return sum;
}

/* Computes x->inverse, the absolute values of the entries of A⁻¹, from the LU factors in x->sliding of the matrix A at time t₀. A
 * is the matrix of the equations for the weights θ of friction forces. */
static void find_inverse(cmb_holding *x)
{
  const int n = x->slides;
  for (int k = 0; k < n; k++) {
    for (int i = 0; i < n; i++) x->defect[i] = i == k;
    cmb_lu_solve(n, x->sliding->LU, x->sliding->pivot, x->defect);
    for (int i = 0; i < n; i++) x->inverse[i * n + k] = fabs(x->defect[i]);
  }
}

/* Computes bounds x->spread of |θ − θ₀| over the box of states. The weights θ, by which the sticking friction forces lie between those for slip
 * in both directions, solve A θ = −r; θ₀ are those at time t₀. The bounds are |A₀⁻¹| |r + A θ₀|, enlarged for the change of A since t₀; all are
 * infinite if this change may be too large. */
static void find_spread(cmb_holding *x)
{
  const int n = x->slides;
  double largest = 0, factor = 0;
  find_inverse(x);
  for (int i = 0; i < n; i++) x->theta[i] = cmb_interval_of(x->sliding->theta[i]);
  for (int k = 0; k < n; k++) x->defect[k] = most(mix_groups(x, k, -1, x->value[k]));
  for (int i = 0; i < n; i++) {
    x->spread[i] = cmb_dot(n, x->inverse + (ptrdiff_t)i * n, x->defect);
    largest = fmax(largest, x->spread[i]);
  }
  for (int k = 0; k < n; k++) {
    x->defect[k] = 0;
    for (int i = 0; i < n; i++) {
      const cmb_interval A = x->change[(ptrdiff_t)i * x->count + k];
      x->defect[k] += A.high - A.low;
    }
  }
  for (int i = 0; i < n; i++) {
    factor = fmax(factor, cmb_dot(n, x->inverse + (ptrdiff_t)i * n, x->defect));
  }
  for (int i = 0; i < n; i++) {
    x->spread[i] += factor < 1 ? factor * largest / (1 - factor) : INFINITY;
  }
}

/* Computes bounds x->theta of the weights θ, with which the sticking friction force lies between the forces for slip in both directions, over a
 * box of states. They are limited to [0, 1], the range in which friction sticks. */
static void bound_theta(cmb_holding *x)
{
  find_spread(x);
  for (int i = 0; i < x->slides; i++) {
    const double theta = fmin(fmax(x->sliding->theta[i], 0), 1), spread = x->spread[i];
    x->theta[i] = (cmb_interval){fmax(theta - spread, 0), fmin(theta + spread, 1)};
    if (!isfinite(spread)) x->theta[i] = (cmb_interval){0, 1};
  }
}

static cmb_interval held_function_bounds(const cmb_holding *x, int k)
{
  const cmb_interval zero = cmb_interval_of(0);
  const cmb_interval lower = mix_groups(x, k, k, x->value[k]);
  const cmb_interval upper = mix_groups(x, k, k, x->value[(ptrdiff_t)(k + 1) * x->count + k]);
  return smaller(lower, cmb_interval_subtract(zero, upper));
}

static cmb_interval contact_function_bounds(const cmb_holding *x, int j)
{
  const cmb_resting *r = x->resting;
  const int k = x->rest[j], direction = r->layer.inner->rules[r->rule[k]].direction;
  const cmb_interval mu = mix_groups(x, j, -1, x->value[j]), zero = cmb_interval_of(0);
  return cmb_interval_add(direction < 0 ? cmb_interval_subtract(zero, mu) : mu,
                          cmb_interval_of(r->slack[k]));
}

cmb_status cmb_holding_enclose(cmb_holding *x, const int *mode, cmb_interval t, const double *q,
                               const double *v, cmb_interval *s)
{
  const double there = t.low + T0_FRACTION * (t.high - t.low);
  if (x->sliding) {
    CMB_TRY(find_mixture(x, mode, there, q, v));
  } else {
    CMB_TRY(cmb_factor_at(x->ev, there, q));
  }
  const cmb_point at = cmb_evaluator_point(x->ev, there, q, v);
  const cmb_box box = box_at(x, t, q, v);
  if (x->slides > 0) CMB_TRY(find_gradients(x, &at));
  find_rows(x);
  CMB_TRY(find_sides(x, mode, &at, &box));
  if (x->sliding) bound_theta(x);
  for (int k = 0; k < x->slides; k++) s[x->function[k]] = held_function_bounds(x, k);
  for (int j = x->slides; j < x->count; j++) s[x->function[j]] = contact_function_bounds(x, j);
  return CMB_OK;
}
