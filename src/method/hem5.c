/*
 * The method `hem5` of the integrator: half-explicit Runge–Kutta of order 5 with 8 stages (Brasey 1992), for q̇ = T v, M v̇ = f − Gᵀλ, 0 =
 * G v + g_t. For the stages i = 1 .. 8, the result being stage 9 with the weights b as its row:
 *
 *     Q_{i+1} = q_0 + h Σ_{j≤i} a_{i+1,j} T V_j,   V_{i+1} = v_0 + h Σ_{j≤i} a_{i+1,j} V'_j,
 *     V'_i, Λ_i from G(Q_{i+1}) V_{i+1} + g_t = 0 (half_explicit.h).
 *
 * Error estimate: err1 = ‖y_1 − Y_8‖, err2 = ‖y_1 − y_0 − h(5/2 Y'_7 − 3/2 Y'_8)‖, err = err1²/(err1 + 0.01 err2). The multipliers λ and
 * accelerations a are those of the last stage, of lower order than q and v. Dense output: quartic Hermite interpolation with a
 * bootstrapped inner value (hermite.h), which needs no additional stage; Brasey's takes one of the same cost.
 */
#include "math/pattern.h"
#include "method/half_explicit.h"

#include <string.h>

enum { STAGES = 8 };

/* clang-format off */
static const double c[STAGES + 1] = {0, 0.1, 0.15, 0.3614787346573635, 0.08535584335486351, 0.5, 0.8, 1, 1};
static const double a[STAGES][STAGES] = { /* row i: a_{i+2,j} */
  {0.1},
  {0.0375, 0.1125},
  {0.3222169236216038, -1.188883322987607, 1.228145134023366},
  {-0.03501123898129943, 0.3725420601086163, -0.2721053535582034, 0.01993037578575077},
  {-0.5576547055042005, 1.367307289645883, -1.732236360460725, 0.4587772007467548,
   0.9638065755722880},
  {0.08654517193566155, -0.08810082847945416, 0.1981275547329404, -0.4645422679331083,
   0.1615170091109488, 0.9064533606330119},
  {0, 0, 0, 3.624477248753816, -0.4617724189181256, -3.198024628164272, 1.035319798328740},
  {0, 0, 0, 0.2467760667636791, 0.2106594087489728, 0.1769218149125021, 0.3064446444147922,
   0.05919806516005373},
};
/* clang-format on */

struct hem5 {
  cmb_half_explicit head;
  double *k[STAGES]; /* (n) slopes (T V_i, V'_i) of the stages */
  double *Y[2];      /* (n) state of the current stage and of the next one */
  double *Y8;        /* (n) state of stage 8, for the error estimate */
  double *G_here;    /* (ng x nv) G at the start of the step */
};

static cmb_status create(cmb_integrator *in)
{
  const cmb_equations *eq = in->ev->eq;
  cmb_arena *arena = in->arena;
  struct hem5 *m = in->data = cmb_arena_take(arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  for (int i = 0; i < STAGES; i++) m->k[i] = cmb_arena_doubles(arena, in->n);
  for (int i = 0; i < 2; i++) m->Y[i] = cmb_arena_doubles(arena, in->n);
  m->Y8 = cmb_arena_doubles(arena, in->n);
  m->G_here = cmb_arena_doubles(arena, cmb_pattern_values(eq->G_pattern, in->ng, in->nv));
  m->head.dense.f0 = cmb_arena_doubles(arena, in->n);
  m->head.dense.f1 = cmb_arena_doubles(arena, in->n);
  cmb_half_explicit_create(in, &m->head);
  return CMB_OK;
}

/* Exchanges the evaluator's array for the constraint Jacobian with *mine, which keeps the Jacobian evaluated last without copying it. */
static void exchange_G(cmb_integrator *in, double **mine)
{
  double *G = in->ev->G;
  in->ev->G = *mine;
  *mine = G;
}

static cmb_status begin(cmb_integrator *in)
{
  struct hem5 *m = in->data;
  cmb_projection_begin(&m->head.projection);
  CMB_TRY(cmb_factor_and_slope(in, in->t, in->y, m->k[STAGES - 1], in->lambda));
  in->a = m->k[STAGES - 1] + in->nq;
  exchange_G(in, &m->G_here);
  return CMB_OK;
}

/* Solves stage i of a half-explicit Runge–Kutta step of size h at the state y (n), and computes the state y_next (n) of the following stage. If
 * `index1` is set, the accelerations follow from the constraints on accelerations, as is necessary near a loss of rank. */
static cmb_status stage(cmb_integrator *in, struct hem5 *m, int i, double h, bool index1,
                        const double *y, double *y_next)
{
  const double weight = h * a[i][i];
  double *k = m->k[i];
  cmb_rates(in->ev, y, y + in->nq, k);
  cmb_combine(in->n, in->y, h, i, a[i], m->k, y_next);
  for (int l = 0; l < in->nq; l++) y_next[l] += weight * k[l];
  cmb_half_explicit_stage s = {.t = in->t + c[i] * h,
                               .y = y,
                               .t_next = in->t + c[i + 1] * h,
                               .q_next = y_next,
                               .v_next = y_next + in->nq,
                               .weight = weight,
                               .B = i == 0 ? m->G_here : m->head.B,
                               .B_known = true,
                               .index1 = index1};
  CMB_TRY(cmb_half_explicit_solve(in, &s, k + in->nq, in->lambda_new));
  if (!index1) exchange_G(in, &m->head.B);
  return CMB_OK;
}

/* Computes all stages of a half-explicit Runge–Kutta step of size h; the last one is y_new, the state after the step. If `index1` is set, the
 * accelerations follow from the constraints on accelerations, as is necessary near a loss of rank. */
static cmb_status stages(cmb_integrator *in, double h, bool index1)
{
  struct hem5 *m = in->data;
  const double *y = in->y;
  for (int i = 0; i < STAGES; i++) {
    double *next = i == STAGES - 1 ? in->y_new : i == STAGES - 2 ? m->Y8 : m->Y[i % 2];
    CMB_TRY(stage(in, m, i, h, index1, y, next));
    y = next;
  }
  /* gives G at y_new back to the evaluator, for the projection */
  if (!index1) exchange_G(in, &m->head.B);
  return CMB_OK;
}

/* Returns the error estimate of a step of size h in units of the tolerance, the larger of those of positions and velocities. y (n) is
 * the state after the step, with or without its projection onto the constraints. */
static double error_of(const cmb_integrator *in, struct hem5 *m, double h, const double *y)
{
  static const double low[STAGES] = {[6] = 2.5, [7] = -1.5};
  double *x1 = m->Y8, *x2 = m->head.work, worst = 0;
  for (int i = 0; i < in->n; i++) x1[i] = y[i] - m->Y8[i];
  for (int i = 0; i < in->n; i++) x2[i] = y[i] - in->y[i];
  cmb_combine(in->n, x2, -h, STAGES, low, m->k, x2);
  worst = cmb_separate_weak_error(in, x1, x2);
  for (int part = 0; part < 2; part++) {
    int from = part ? in->nq : 0, to = part ? in->n : in->nq;
    double err1 = cmb_error_norm(in, from, to, x1), err2 = cmb_error_norm(in, from, to, x2);
    double both = err1 + 0.01 * err2;
    worst = cmb_larger_error(worst, both > 0 ? err1 * err1 / both : both);
  }
  return worst;
}

static cmb_status attempt(cmb_integrator *in, double h, double *error)
{
  struct hem5 *m = in->data;
  bool index1;
  CMB_TRY(cmb_half_explicit_attempt(in, h, stages, &index1));
  const bool plain = index1 || cmb_forgive_projection(in);
  if (plain) memcpy(m->head.y_plain, in->y_new, (size_t)in->n * sizeof *m->head.y_plain);
  CMB_TRY(cmb_half_explicit_project(in, &m->head.projection, in->t + h, index1));
  *error = error_of(in, m, h, plain ? m->head.y_plain : in->y_new);
  return CMB_OK;
}

static void accept(cmb_integrator *in)
{
  struct hem5 *m = in->data;
  cmb_projection_accept(&m->head.projection);
  in->a = m->k[STAGES - 1] + in->nq;
  exchange_G(in, &m->G_here);
}

static void visit(cmb_integrator *in, cmb_archive *archive)
{
  struct hem5 *m = in->data;
  const int entries = cmb_pattern_values(in->ev->eq->G_pattern, in->ng, in->nv);
  cmb_projection_visit(&m->head.projection, archive);
  cmb_archive_doubles(archive, "slope", in->n, m->k[STAGES - 1]);
  cmb_archive_doubles(archive, "gradients", entries, m->G_here);
}

static cmb_status densify(cmb_integrator *in)
{
  struct hem5 *m = in->data;
  return cmb_hermite_bootstrap(in, &m->head.dense);
}

static void node_position(const cmb_integrator *in, int k, double *q)
{
  const struct hem5 *m = in->data;
  cmb_combine(in->nq, in->y_before, in->h_taken, k + 1, a[k], m->k, q);
}

static const cmb_controller control = CMB_HALF_EXPLICIT_CONTROLLER(0);

const cmb_method cmb_method_hem5 = {
    .name = "hem5",
    .title = "half-explicit Runge-Kutta of order 5 (Brasey)",
    .control = &control,
    .create = create,
    .begin = begin,
    .attempt = attempt,
    .accept = accept,
    .densify = densify,
    .visit = visit,
    .nodes = c + 1,
    .node_count = STAGES - 1,
    .node_position = node_position,
    CMB_HALF_EXPLICIT_METHOD,
};
