/*
 * The method `phem56` of the integrator: partitioned half-explicit Runge–Kutta of order 5 on the nodes of Dormand and Prince (Murua 1997).
 *
 * Stage states Y_i = (Q_i, V_i) follow from the coefficients a of Dormand and Prince. Each has a second state Ȳ_i from the coefficients ā,
 * whose row includes the stage itself; it has to satisfy the velocity constraint:
 *
 *     Q̄_i = q_0 + h Σ_{j≤i} ā_ij T V_j,  V̄_i = v_0 + h Σ_{j≤i} ā_ij V'_j,  G(Q̄_i) V̄_i + g_t = 0  ⇒  V'_i, Λ_i
 *
 * for i = 2 .. 6; Ȳ_6 = y_1 is the result. The seventh slope, at y_1, is the first one of the next step. Murua computes it by one more
 * half-explicit stage with its constraint at 19/30 of the step; that leaves λ at order 4 or less (measured on the car axis), so here slope
 * and λ at y_1 come from eq. (4) of Simeon 1996 at the same cost, and λ has order 5. Error estimate: the embedded formula of Dormand and
 * Prince, whose velocity part is projected onto the constraint by one Newton step. Dense output: quartic Hermite interpolation (hermite.h)
 * with the value at 19/30 from weights of the slopes.
 */
#include "method/half_explicit.h"

#include "math/pattern.h"

#include <string.h>

enum { SLOPES = 7, FIRST_NODE = 2 /* the second stage has no weight */ };

/* clang-format off */
static const double c[SLOPES] = {0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1, 1};
static const double a[5][SLOPES] = { /* row i: a_{i+2,j} */
  {1.0/5},
  {3.0/40, 9.0/40},
  {44.0/45, -56.0/15, 32.0/9},
  {19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729},
  {9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656},
};
static const double cc[6] = {0, 3.0/10, 3.0/8, 5.0/7, 1, 1};
static const double aa[5][SLOPES] = {
  {3.0/40, 9.0/40},
  {21.0/256, 45.0/256, 15.0/128},
  {19235.0/98784, -225.0/392, 6235.0/6174, 2755.0/32928},
  {-293.0/1152, 85.0/48, -2275.0/1908, 35.0/32, -2835.0/6784},
  {35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84},
};
static const double e[SLOPES] = {
  71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525, -1.0/40};
static const double inside_at = 19.0/30;
static const double inside[SLOPES] = {
  1812923.0/20736000, 0, 45847.0/100170, 56677.0/414720, -289161.0/13568000, -67507.0/4536000,
  -3971.0/324000};
/* clang-format on */

struct phem56 {
  cmb_half_explicit head;
  double *k[SLOPES]; /* (n) slopes of the stages */
  double *Y, *Y_bar; /* (n) states Y_i and Ȳ_i of a stage */
  bool shift;        /* the last slope of the previous step becomes the first of the next */
};

static cmb_status create(cmb_integrator *in)
{
  cmb_arena *arena = in->arena;
  struct phem56 *m = in->data = cmb_arena_take(arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  for (int i = 0; i < SLOPES; i++) m->k[i] = cmb_arena_doubles(arena, in->n);
  m->Y = cmb_arena_doubles(arena, in->n);
  m->Y_bar = cmb_arena_doubles(arena, in->n);
  cmb_half_explicit_create(in, &m->head);
  return CMB_OK;
}

static cmb_status begin(cmb_integrator *in)
{
  struct phem56 *m = in->data;
  m->shift = false;
  cmb_projection_begin(&m->head.projection);
  in->a = m->k[0] + in->nq;
  return cmb_slope(in, in->t, in->y, m->k[0], in->lambda);
}

/* Computes slope i of a partitioned half-explicit Runge–Kutta step of size h at the state y (n) of the stage, and the state y_bar (n), to
 * which this slope contributes and which satisfies the velocity constraints. If `index1` is set, the accelerations follow instead from the
 * constraints on accelerations, as is necessary near a loss of rank. */
static cmb_status stage(cmb_integrator *in, struct phem56 *m, int i, double h, bool index1,
                        const double *y, double *y_bar)
{
  const double *row = aa[i - 1], weight = h * row[i];
  double *k = m->k[i];
  cmb_rates(in->ev, y, y + in->nq, k);
  cmb_combine(in->n, in->y, h, i, row, m->k, y_bar);
  for (int l = 0; l < in->nq; l++) y_bar[l] += weight * k[l];
  cmb_half_explicit_stage s = {.t = in->t + c[i] * h,
                               .y = y,
                               .t_next = in->t + cc[i] * h,
                               .q_next = y_bar,
                               .v_next = y_bar + in->nq,
                               .weight = weight,
                               .B = m->head.B,
                               .B_known = false,
                               .index1 = index1};
  return cmb_half_explicit_solve(in, &s, k + in->nq, in->lambda_new);
}

/* Returns the error estimate of a step of size h in units of the tolerance, the larger of the norms for positions and for velocities. The error
 * is the difference to the embedded formula plus the displacement by the projection onto the constraints. */
static double error_of(const cmb_integrator *in, struct phem56 *m, double h)
{
  cmb_evaluator *ev = in->ev;
  double *x = m->head.work, *xv = m->head.work + in->nq;
  cmb_displacement(in, m->head.y_plain, x);
  cmb_combine(in->n, x, h, SLOPES, e, m->k, x);
  cmb_multiply(ev->eq->G_pattern, in->ng, in->nv, ev->G, xv, ev->dtau);
  cmb_solve(ev, NULL, ev->dtau, ev->dw, NULL);
  for (int i = 0; i < in->nv; i++) xv[i] += ev->dw[i];
  double worst = cmb_separate_weak_error(in, x, NULL);
  worst = cmb_larger_error(worst, cmb_error_norm(in, 0, in->nq, x));
  return cmb_larger_error(worst, cmb_error_norm(in, in->nq, in->n, x));
}

/* Computes all stages of a partitioned half-explicit Runge–Kutta step of size h; the last one is y_new, the state after the step. If `index1`
 * is set, the accelerations follow from the constraints on accelerations, as is necessary near a loss of rank. */
static cmb_status stages(cmb_integrator *in, double h, bool index1)
{
  struct phem56 *m = in->data;
  for (int i = 1; i < SLOPES - 1; i++) {
    cmb_combine(in->n, in->y, h, i, a[i - 1], m->k, m->Y);
    CMB_TRY(stage(in, m, i, h, index1, m->Y, i == SLOPES - 2 ? in->y_new : m->Y_bar));
  }
  return CMB_OK;
}

static cmb_status attempt(cmb_integrator *in, double h, double *error)
{
  struct phem56 *m = in->data;
  bool index1;
  if (m->shift) {
    double *last = m->k[SLOPES - 1];
    m->k[SLOPES - 1] = m->k[0], m->k[0] = last;
    m->shift = false;
  }
  CMB_TRY(cmb_half_explicit_attempt(in, h, stages, &index1));
  memcpy(m->head.y_plain, in->y_new, (size_t)in->n * sizeof *in->y_new);
  CMB_TRY(cmb_half_explicit_project(in, &m->head.projection, in->t + h, index1));
  CMB_TRY(cmb_factor_and_slope(in, in->t + h, in->y_new, m->k[SLOPES - 1], in->lambda_new));
  *error = error_of(in, m, h);
  return CMB_OK;
}

static void accept(cmb_integrator *in)
{
  struct phem56 *m = in->data;
  m->shift = true;
  in->a = m->k[SLOPES - 1] + in->nq;
  cmb_projection_accept(&m->head.projection);
}

static void visit(cmb_integrator *in, cmb_archive *archive)
{
  struct phem56 *m = in->data;
  cmb_projection_visit(&m->head.projection, archive);
  cmb_archive_doubles(archive, "slope", in->n, m->k[m->shift ? SLOPES - 1 : 0]);
}

static cmb_status densify(cmb_integrator *in)
{
  struct phem56 *m = in->data;
  m->head.dense.node = inside_at;
  m->head.dense.f0 = m->k[0];
  m->head.dense.f1 = m->k[SLOPES - 1];
  cmb_combine(in->n, in->y_before, in->h_taken, SLOPES, inside, m->k, m->head.dense.inside);
  return CMB_OK;
}

static void node_position(const cmb_integrator *in, int k, double *q)
{
  const struct phem56 *m = in->data;
  const int i = FIRST_NODE + k;
  cmb_combine(in->nq, in->y_before, in->h_taken, i, a[i - 1], m->k, q);
}

static const cmb_controller control = CMB_HALF_EXPLICIT_CONTROLLER(0.04);

const cmb_method cmb_method_phem56 = {
    .name = "phem56",
    .title = "partitioned half-explicit Runge-Kutta of order 5 (Murua)",
    .control = &control,
    .create = create,
    .begin = begin,
    .attempt = attempt,
    .accept = accept,
    .densify = densify,
    .visit = visit,
    .nodes = c + FIRST_NODE,
    .node_count = SLOPES - 1 - FIRST_NODE,
    .node_position = node_position,
    CMB_HALF_EXPLICIT_METHOD,
};
