/*
 * Projection onto the constraints (project.h; Simeon 1996 §4.1; its p is the projected q, its q the position before).
 *
 *     (12a)  0 = M(p)(p − q) + G(p)ᵀ τ,  0 = g(p)            nearest point in the metric of M
 *     (12b)  0 = M(p)(v − u) + G(p)ᵀ η,  0 = G(p) v + g_t    nearest velocity
 *
 * (12a) by p⁽ʲ⁺¹⁾ = p⁽ʲ⁾ + Δp⁽ʲ⁾ with Q (Δp, Δτ) = −(M(p − q) + Gᵀτ, g(p)), eq. (13) with Δ of the other sign. With M and G
 * evaluated once, the first block of the right-hand side vanishes from the start: only g is evaluated again. Where T ≠ I increments
 * are computed in the directions of v, and T(q) maps them to q.
 */
#include "dae/project.h"

#include "base/context.h"
#include "dae/branch.h"
#include "dae/size.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/pattern.h"
#include "math/random.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { CHORD_ITERATIONS = 10, START_ITERATIONS = 60, HALVINGS = 12, PLACES = 3 };
enum {
  NEAR_ITERATIONS = 30
}; /* where a gradient vanishes, each increment is half of the one before */

/* A constraint is met if |g| is at most this part of its extent, the change of g for a displacement of q by a twentieth. */
static const double MET = 1e-8;

/* the same limit for g that is nothing but rounding */
static const double ROUNDING = 1e-12;
static const double SMALL = 1e-8;

/* smaller extents count as this */
static const double LEAST_EXTENT = 1e-4;

/* An extent below this part of the largest one is rounding alone: the constraint depends on no coordinate. */
static const double UNMOVED = 1e-13;

/* Returns the norm of an increment of q up to which it counts as rounding error: a few ε ‖q‖, where each coordinate is divided by its typical
 * size. q has a relative rounding error of ε/2, and the constraints g(q) are sums of a few terms. */
static double rounding_of(const cmb_equations *eq, const double *q)
{
  return 8 * DBL_EPSILON * cmb_sized_norm(eq, q);
}

/* Returns the largest norm of the last Newton increment of q at which an iteration that no longer converges is still accepted: about 1e-13 (1 +
 * ‖q‖) √ng. Rounding errors of the constraints g (ng) may exceed those of q, since they also come from lengths of the bodies, which do not
 * appear in q and add up along a chain. */
static double arrived_at(const cmb_equations *eq, const double *q)
{
  return 512 * DBL_EPSILON * (1 + cmb_sized_norm(eq, q)) * sqrt(fmax(1, eq->ng));
}

cmb_status cmb_project_position(cmb_evaluator *ev, double t, double *q, double *first)
{
  const cmb_equations *eq = ev->eq;
  double enough = rounding_of(eq, q), arrived = arrived_at(eq, q), before = INFINITY;
  cmb_terms want = {.g = ev->g};
  ev->stats.projections++;
  for (int j = 0; j < CHORD_ITERATIONS; j++) {
    CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
    cmb_correct(ev, ev->g, ev->dw, ev->dtau);
    cmb_rates(ev, q, ev->dw, ev->dq);
    ev->stats.newton++;
    for (int i = 0; i < eq->nq; i++) q[i] += ev->dq[i];
    if (eq->normalize)
      eq->normalize(eq->self, q); /* G does not contain how a norm other than 1 changes g */
    if (j == 0) ev->tau_square = cmb_dot(eq->ng, ev->dtau, ev->dtau);
    if (j == 0 && first) memcpy(first, ev->dq, (size_t)eq->nq * sizeof *first);
    double size = cmb_sized_norm(eq, ev->dq);
    double rate = size / before; /* 0 for j = 0: no rate known yet */
    if (size <= enough || (j > 0 && rate < 1 && rate * size <= enough)) return CMB_OK;
    if (!isfinite(size)) return CMB_RETRY_NONFINITE;
    before = size;
    if (rate >= 1) break;
  }
  /* The remaining increment may be rounding, which is larger where the constraints are nearly dependent. Increments of
   * displacements below the rounding of the lengths inside g do not change g: then they decrease only slowly. */
  return before <= arrived / cmb_kkt_nearness(ev->kkt) ? CMB_OK : CMB_RETRY_NEWTON;
}

/* Computes the velocity residual of the constraints, G v + ∂g/∂t (ng), with the evaluator's G and ∂g/∂t. */
static void velocity_defect(cmb_evaluator *ev, const double *v, double *defect)
{
  const cmb_equations *eq = ev->eq;
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, v, defect);
  cmb_add_to(eq->ng, ev->gt, defect);
}

/* Computes v += dw (nv) with the evaluator's increment dw. Returns CMB_RETRY_NONFINITE if dw is not finite. */
static cmb_status change_velocity(cmb_evaluator *ev, double *v)
{
  cmb_add_to(ev->eq->nv, ev->dw, v);
  return cmb_all_finite(ev->eq->nv, ev->dw) ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_project_velocity(cmb_evaluator *ev, double *v)
{
  velocity_defect(ev, v, ev->dtau);
  cmb_correct(ev, ev->dtau, ev->dw, ev->dtau);
  ev->eta_square = cmb_dot(ev->eq->ng, ev->dtau, ev->dtau);
  return change_velocity(ev, v);
}

cmb_status cmb_strike_velocity(cmb_evaluator *ev, double *v, double *tau)
{
  velocity_defect(ev, v, ev->dtau);
  cmb_correct(ev, ev->dtau, ev->dw, tau);
  return change_velocity(ev, v);
}

/* Returns whether a Newton increment of q with the norm `size` is caused by rounding errors of the constraints g alone, which
 * nearly dependent constraints amplify: the increment is small, and g is 0 but for rounding. */
static bool is_rounding(const cmb_evaluator *ev, double size, const double *q)
{
  return size <= SMALL * (1 + cmb_sized_norm(ev->eq, q)) && cmb_constraints_exact(ev);
}

/* Projects q (nq) and v (nv) onto the constraints, in place, with new factors. If `outside` of a time step, accepts a position whose last
 * increment is caused by rounding errors of the constraints, since there is no smaller step to try. */
static cmb_status project(cmb_evaluator *ev, double t, double *q, double *v, bool outside)
{
  if (ev->eq->normalize) ev->eq->normalize(ev->eq->self, q);
  CMB_TRY(cmb_factor_at(ev, t, q));
  cmb_status status = cmb_project_position(ev, t, q, NULL);
  const double size = cmb_sized_norm(ev->eq, ev->dq);
  if (outside && status == CMB_RETRY_NEWTON && is_rounding(ev, size, q)) status = CMB_OK;
  CMB_TRY(status);
  CMB_TRY(cmb_factor_at(ev, t, q));
  return cmb_project_velocity(ev, v);
}

cmb_status cmb_project(cmb_evaluator *ev, double t, double *q, double *v)
{
  return project(ev, t, q, v, false);
}

cmb_status cmb_project_outside_steps(cmb_evaluator *ev, double t, double *q, double *v)
{
  return project(ev, t, q, v, true);
}

double cmb_gradient_length(const cmb_evaluator *ev, int i)
{
  const cmb_pattern *p = ev->eq->G_pattern;
  const int nv = ev->eq->nv;
  return p ? cmb_norm2(p->start[i + 1] - p->start[i], ev->G + p->start[i])
           : cmb_norm2(nv, ev->G + (ptrdiff_t)i * nv);
}

/* Returns the 2-norm of row i of the evaluator's constraint Jacobian G, with each entry multiplied by the typical size of its velocity, so that
 * lengths and angles are comparable. */
static double sized_gradient(const cmb_evaluator *ev, int i)
{
  const cmb_equations *eq = ev->eq;
  const cmb_pattern *p = eq->G_pattern;
  if (!p) return cmb_sized_gradient(eq, eq->nv, NULL, ev->G + (ptrdiff_t)i * eq->nv);
  const int from = p->start[i];
  return cmb_sized_gradient(eq, p->start[i + 1] - from, p->column + from, ev->G + from);
}

/* Returns |g_i| relative to the extent ev->extent[i] of constraint i, the change of g_i that a small displacement of the
 * coordinates causes, or to LEAST_EXTENT if this is larger. So constraints with different units are comparable. */
static double relative_defect(const cmb_evaluator *ev, int i)
{
  return fabs(ev->g[i]) / fmax(ev->extent[i], LEAST_EXTENT);
}

static int worst_constraint(const cmb_evaluator *ev)
{
  int worst = 0;
  for (int i = 1; i < ev->eq->ng; i++) {
    if (!(relative_defect(ev, i) <= relative_defect(ev, worst))) worst = i;
  }
  return worst;
}

static bool is_met(const cmb_evaluator *ev, double limit)
{
  for (int i = 0; i < ev->eq->ng; i++) {
    if (!(relative_defect(ev, i) <= limit)) return false;
  }
  return true;
}

bool cmb_constraints_met(const cmb_evaluator *ev)
{
  return is_met(ev, MET);
}

double cmb_constraints_off(const cmb_evaluator *ev)
{
  return relative_defect(ev, worst_constraint(ev));
}

bool cmb_constraints_exact(const cmb_evaluator *ev)
{
  return is_met(ev, ROUNDING);
}

cmb_status cmb_fail_start(const cmb_evaluator *ev, double t, const char *constraint,
                          const char *why, const char *format, ...)
{
  char lead[160];
  snprintf(lead, sizeof lead, "no consistent initial values at t = %g%s%s", t, why ? ": " : "",
           why ? why : "");
  cmb_about about = cmb_about_time(t, "constraint", constraint);
  about.lead = lead;
  va_list arguments;
  va_start(arguments, format);
  cmb_fail_words(ev->ctx, CMB_ERROR_INCONSISTENT, &about, format, arguments);
  va_end(arguments);
  return CMB_ERROR_INCONSISTENT;
}

static cmb_status cannot_start(cmb_evaluator *ev, double t, cmb_status status)
{
  if (status == CMB_RETRY_NEWTON) {
    const int i = worst_constraint(ev);
    return cmb_fail_start(ev, t, ev->eq->g_names[i], NULL,
                          "constraint '%s' could not be satisfied (g = %.3g)", ev->eq->g_names[i],
                          ev->g[i]);
  }
  const char *why = cmb_status_meaning(status), *constraint = cmb_evaluator_blamed(ev, status);
  if (!constraint) return cmb_fail_start(ev, t, NULL, NULL, "%s", why);
  return cmb_fail_start(ev, t, constraint, why, "constraint '%s' depends on the others",
                        constraint);
}

/* Line search along the Newton increment Δq = ev->dq: moves q to q + α Δq, with Euler parameters normalised, for the largest α = 1, 1/2, 1/4,
 * ... that reduces ‖g‖ sufficiently, stores α in *alpha and leaves the new g in the evaluator. A tiny increment is accepted without a
 * reduction, which rounding would decide. If no α down to 2⁻¹² suffices, leaves q unchanged and returns a positive status, or a negative one if
 * the equations fail. */
static cmb_status damped_move(cmb_evaluator *ev, double t, double *q, double *alpha)
{
  const cmb_equations *eq = ev->eq;
  cmb_terms want = {.g = ev->g};
  double before = cmb_norm2(eq->ng, ev->g);
  bool tiny = cmb_sized_norm(eq, ev->dq) <= 1e-6 * (1 + cmb_sized_norm(eq, q));
  cmb_status status = CMB_RETRY_NEWTON;
  *alpha = 1;
  for (int k = 0; k <= HALVINGS; k++, *alpha /= 2) {
    for (int i = 0; i < eq->nq; i++) ev->q_trial[i] = q[i] + *alpha * ev->dq[i];
    if (eq->normalize) eq->normalize(eq->self, ev->q_trial);
    status = cmb_evaluate(ev, t, ev->q_trial, NULL, &want);
    if (status < 0) return status;
    if (status == CMB_OK && (tiny || cmb_norm2(eq->ng, ev->g) <= (1 - *alpha / 4) * before)) {
      memcpy(q, ev->q_trial, (size_t)eq->nq * sizeof *q);
      return CMB_OK;
    }
  }
  cmb_terms again = {.g = ev->g, .G = ev->G}; /* for the message */
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &again));
  return status == CMB_OK ? CMB_RETRY_NEWTON : status;
}

/* Updates q by one damped Newton iteration towards a position that satisfies the constraints, with M, G and g evaluated at q. If
 * `nearest`, towards the position p nearest to the start q₀ of the iteration, which also satisfies M(p)(p − q₀) + G(p)ᵀ τ = 0.
 * Writes the norm of the undamped increment to *size. */
static cmb_status iterate(cmb_evaluator *ev, double t, double *q, bool nearest, double *size)
{
  const cmb_equations *eq = ev->eq;
  double *M = cmb_mass_wanted(ev), alpha;
  cmb_terms want = {.M = M, .G = ev->G, .g = ev->g};
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  CMB_TRY(cmb_factor(ev, M, ev->G, NULL));
  if (nearest) {
    cmb_multiply_mass(ev, ev->w, ev->dw);
    cmb_multiply_transposed_add(eq->G_pattern, eq->ng, eq->nv, ev->G, 1.0, ev->tau, ev->dw);
    for (int i = 0; i < eq->nv; i++) ev->dw[i] = -ev->dw[i];
  }
  cmb_solve(ev, nearest ? ev->dw : NULL, ev->g, ev->dw, ev->dtau);
  cmb_rates(ev, q, ev->dw, ev->dq);
  *size = cmb_sized_norm(eq, ev->dq);
  if (!isfinite(*size)) return CMB_RETRY_NONFINITE;
  CMB_TRY(damped_move(ev, t, q, &alpha));
  for (int i = 0; i < eq->nv; i++) ev->w[i] += alpha * ev->dw[i];
  for (int i = 0; i < eq->ng; i++) ev->tau[i] += alpha * ev->dtau[i];
  return CMB_OK;
}

static double largest_extent(const cmb_evaluator *ev)
{
  double largest = 0;
  for (int i = 0; i < ev->eq->ng; i++) largest = fmax(largest, ev->extent[i]);
  return largest;
}

/* Adjusts the reference lengths ev->length, by which constraint gradients are scaled, for gradients that consist of rounding errors only.
 * Without this such a gradient would be scaled to unit length. Its reference length is multiplied by the ratio of the largest extent of a
 * constraint, that is, its change with q, to the extent of this one. */
static void adjust_lengths(cmb_evaluator *ev)
{
  const double largest = largest_extent(ev);
  for (int i = 0; i < ev->eq->ng; i++) {
    const double length = ev->length[i] * (largest / ev->extent[i]);
    if (ev->extent[i] <= UNMOVED * largest && isfinite(length)) ev->length[i] = length;
  }
}

bool cmb_is_unmoved(const cmb_evaluator *ev, int i)
{
  return ev->extent[i] <= UNMOVED * largest_extent(ev);
}

cmb_status cmb_take_references(cmb_evaluator *ev, double t, const double *q)
{
  const cmb_equations *eq = ev->eq;
  const double part = CMB_REFERENCE_PART;
  uint32_t random = CMB_RANDOM_FIRST;
  memset(ev->length, 0, (size_t)eq->ng * sizeof *ev->length);
  memset(ev->extent, 0, (size_t)eq->ng * sizeof *ev->extent);
  for (int place = 0; place <= PLACES; place++) {
    double *M = cmb_mass_wanted(ev), *g = place ? ev->tau : ev->g;
    cmb_terms want = {.M = M, .G = ev->G, .g = g};
    memcpy(ev->q_trial, q, (size_t)eq->nq * sizeof *q);
    if (place) cmb_displace_beside(eq, q, part, &random, ev->q_trial);
    if (eq->normalize) eq->normalize(eq->self, ev->q_trial);
    cmb_status status = cmb_evaluate(ev, t, ev->q_trial, NULL, &want);
    if (status == CMB_OK) status = cmb_kkt_lengths(ev->kkt, M, ev->G, ev->dtau);
    if (status < 0 || (status > 0 && place == 0)) return status;
    if (status > 0) continue; /* the equations cannot be evaluated there */
    ev->mass_ready = eq->mass_constant;
    for (int i = 0; i < eq->ng; i++) {
      ev->length[i] = fmax(ev->length[i], ev->dtau[i]);
      /* change of g that normalisation hides */
      ev->extent[i] = fmax(ev->extent[i], part * sized_gradient(ev, i));
      if (place) ev->extent[i] = fmax(ev->extent[i], fabs(g[i] - ev->g[i]));
    }
  }
  adjust_lengths(ev);
  cmb_kkt_set_reference(ev->kkt, ev->length);
  return CMB_OK;
}

/* Finds a position that satisfies the constraints by at most `most` damped Newton iterations from q. If `nearest` is set, it is the position
 * nearest to q, but the iteration converges only linearly. Adds the number of iterations to *iterations. Returns CMB_RETRY_NEWTON if they do
 * not converge, or if dependent constraints remain violated. */
static cmb_status iterate_position(cmb_evaluator *ev, double t, double *q, bool nearest, int most,
                                   int *iterations)
{
  const cmb_equations *eq = ev->eq;
  double before = INFINITY;
  memset(ev->w, 0, (size_t)eq->nv * sizeof *ev->w);
  memset(ev->tau, 0, (size_t)eq->ng * sizeof *ev->tau);
  for (int k = 0; k < most; k++) {
    double size, enough = rounding_of(eq, q), arrived = arrived_at(eq, q);
    ++*iterations;
    CMB_TRY(iterate(ev, t, q, nearest, &size));
    if (size <= enough || (size >= before && (size <= arrived || is_rounding(ev, size, q)))) {
      return !*ev->doubtful || ev->deficiency == 0 || cmb_constraints_met(ev) ? CMB_OK
                                                                              : CMB_RETRY_NEWTON;
    }
    before = size;
  }
  return CMB_RETRY_NEWTON;
}

/* Moves q to the nearest position that satisfies the constraints or, if the iteration for this position does not converge because
 * q is too far away, to another position nearby. Both use Newton iterations, whose number is added to *iterations. */
static cmb_status assemble(cmb_evaluator *ev, double t, double *q, int *iterations)
{
  cmb_status status = iterate_position(ev, t, q, true, START_ITERATIONS, iterations);
  if (status != CMB_RETRY_NEWTON) return status;
  return iterate_position(ev, t, q, false, START_ITERATIONS, iterations);
}

cmb_status cmb_nearest_position(cmb_evaluator *ev, double t, double *q, double *tau)
{
  int iterations = 0;
  CMB_TRY(iterate_position(ev, t, q, true, START_ITERATIONS, &iterations));
  memcpy(tau, ev->tau, (size_t)ev->eq->ng * sizeof *tau);
  return CMB_OK;
}

cmb_status cmb_position_near(cmb_evaluator *ev, double t, double *q)
{
  int iterations = 0;
  cmb_watch_rank(ev, false);
  if (ev->eq->normalize) ev->eq->normalize(ev->eq->self, q);
  CMB_TRY(cmb_take_references(ev, t, q));
  CMB_TRY(iterate_position(ev, t, q, false, NEAR_ITERATIONS, &iterations));
  return cmb_factor_at(ev, t, q);
}

double cmb_change(int n, const double *x, const double *given, int *most)
{
  double sum = 0, largest = 0;
  *most = 0;
  for (int i = 0; i < n; i++) {
    double d = fabs(x[i] - given[i]);
    sum += d * d;
    if (d > largest) {
      largest = d;
      *most = i;
    }
  }
  return sqrt(sum);
}

static cmb_status start_levels(cmb_evaluator *ev, double t, double *q, double *v, double *a,
                               double *lambda, cmb_start_report *report)
{
  if (ev->eq->normalize) ev->eq->normalize(ev->eq->self, q);
  if (ev->eq->ng > 0) {
    CMB_TRY(cmb_take_references(ev, t, q));
    CMB_TRY(assemble(ev, t, q, &report->iterations));
    CMB_TRY(cmb_factor_at(ev, t, q));
    CMB_TRY(cmb_project_velocity(ev, v));
  }
  CMB_TRY(cmb_accelerate(ev, t, q, v, a, lambda));
  return cmb_constraint_residuals(ev, t, q, v, &report->position, &report->velocity);
}

cmb_status cmb_consistent_start(cmb_evaluator *ev, double t, double *q, double *v, double *a,
                                double *lambda, cmb_start_report *report)
{
  const cmb_equations *eq = ev->eq;
  size_t q_size = (size_t)eq->nq * sizeof *q, v_size = (size_t)eq->nv * sizeof *v;
  memcpy(ev->q_given, q, q_size);
  memcpy(ev->v_given, v, v_size);
  cmb_watch_rank(ev, false);
  *report = (cmb_start_report){0};
  cmb_status status = start_levels(ev, t, q, v, a, lambda, report);
  if (status != CMB_OK) {
    memcpy(q, ev->q_given, q_size);
    memcpy(v, ev->v_given, v_size);
    return status > 0 ? cannot_start(ev, t, status) : status;
  }
  report->q_moved = cmb_change(eq->nq, q, ev->q_given, &report->q_most);
  report->v_moved = cmb_change(eq->nv, v, ev->v_given, &report->v_most);
  return CMB_OK;
}
