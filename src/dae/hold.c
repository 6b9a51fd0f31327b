/*
 * Held start values (hold.h): the equations with further constraints, one for each value that is held,
 *
 *     0 = q_i − given,  0 = v_i   (positions)         0 = v_i − given   (velocities)
 *
 * whose gradients are unit vectors, so G is the system's with a few rows more.
 */
#include "dae/hold.h"

#include "base/context.h"
#include "dae/project.h"

#include <math.h>
#include <string.h>

static const double MET = 1e-8; /* relative: a held value that is not met so well is given up */

struct extended {
  cmb_equations eq;
  const cmb_equations *inner;
  int count;          /* further constraints */
  int *q, *v;         /* (count) coordinate and velocity; q = -1: of the velocity alone */
  double *value;      /* (count) of the coordinate, or of the velocity */
  const char **names; /* (ng + count) */
};

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const struct extended *x = self;
  const int ng = x->inner->ng, nv = x->inner->nv;
  CMB_TRY(x->inner->evaluate(x->inner->self, at, want));
  for (int i = 0; i < x->count; i++) {
    bool position = x->q[i] >= 0;
    double *row = want->G ? want->G + (size_t)(ng + i) * (size_t)nv : NULL;
    if (row) {
      memset(row, 0, (size_t)nv * sizeof *row);
      row[x->v[i]] = 1;
    }
    if (want->g) want->g[ng + i] = position ? at->q[x->q[i]] - x->value[i] : 0;
    if (want->gt) want->gt[ng + i] = position ? 0 : -x->value[i];
    if (want->gamma) want->gamma[ng + i] = 0;
  }
  return CMB_OK;
}

static void rates(const void *self, const double *q, const double *v, double *qdot)
{
  const struct extended *x = self;
  x->inner->rates(x->inner->self, q, v, qdot);
}

static void normalize(const void *self, double *q)
{
  const struct extended *x = self;
  x->inner->normalize(x->inner->self, q);
}

static cmb_status extend(cmb_context *ctx, cmb_arena *arena, const cmb_equations *eq, int most,
                         struct extended **out)
{
  struct extended *x = *out = cmb_arena_take(arena, 1, sizeof *x);
  if (!x) return cmb_fail_memory(ctx);
  *x = (struct extended){.eq = *eq, .inner = eq};
  x->q = cmb_arena_ints(arena, most);
  x->v = cmb_arena_ints(arena, most);
  x->value = cmb_arena_doubles(arena, most);
  x->names = cmb_arena_take(arena, (size_t)eq->ng + (size_t)most, sizeof *x->names);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < eq->ng + most; i++) x->names[i] = i < eq->ng ? eq->g_names[i] : "held value";
  x->eq.self = x;
  x->eq.evaluate = evaluate;
  if (eq->rates) x->eq.rates = rates;
  if (eq->normalize) x->eq.normalize = normalize;
  x->eq.switches = NULL; /* the modes stay */
  x->eq.levels = NULL;
  x->eq.energy = NULL;
  x->eq.accelerate = NULL;
  x->eq.residual = NULL;
  x->eq.derivative = NULL;
  x->eq.outputs = NULL;
  x->eq.no = 0;
  x->eq.g_names = x->eq.lambda_names = x->names;
  return CMB_OK;
}

static void add(struct extended *x, int q, int v, double value)
{
  x->q[x->count] = q;
  x->v[x->count] = v;
  x->value[x->count++] = value;
  x->eq.ng = x->inner->ng + x->count;
}

static bool near(double x, double value)
{
  return fabs(x - value) <= MET * fmax(1, fabs(value));
}

/* What went wrong is no error here, unless it is memory. */
static cmb_status only_memory(cmb_status status)
{
  return status == CMB_ERROR_MEMORY ? status : CMB_OK;
}

/* Positions with some held; *held = false: it cannot be done. */
static cmb_status hold_positions(cmb_context *ctx, cmb_arena *arena, const struct extended *x,
                                 double t, double *q, bool *held)
{
  cmb_evaluator *ev;
  cmb_start_report report;
  double *v = cmb_arena_doubles(arena, x->eq.nv), *a = cmb_arena_doubles(arena, x->eq.nv);
  double *lambda = cmb_arena_doubles(arena, x->eq.ng);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  CMB_TRY(cmb_evaluator_create(ctx, &x->eq, &ev));
  cmb_status status = cmb_consistent_start(ev, t, q, v, a, lambda, &report);
  cmb_evaluator_destroy(ev);
  *held = status == CMB_OK;
  for (int i = 0; *held && i < x->count; i++) *held = near(q[x->q[i]], x->value[i]);
  return only_memory(status);
}

static cmb_status hold_velocities(cmb_context *ctx, const struct extended *x, double t,
                                  const double *q, double *v, bool *held)
{
  cmb_evaluator *ev;
  CMB_TRY(cmb_evaluator_create(ctx, &x->eq, &ev));
  cmb_status status = cmb_factor_at(ev, t, q);
  if (status == CMB_OK) status = cmb_project_velocity(ev, v);
  cmb_evaluator_destroy(ev);
  *held = status == CMB_OK;
  for (int i = 0; *held && i < x->count; i++) *held = near(v[x->v[i]], x->value[i]);
  return only_memory(status);
}

/* q with what is to be held, or else the nearest consistent position; *found = false: there is none. */
static cmb_status find_positions(cmb_context *ctx, cmb_arena *arena, struct extended *x, double t,
                                 double *q, bool *found)
{
  const size_t size = (size_t)x->eq.nq * sizeof *q;
  double *q_new = cmb_arena_doubles(arena, x->eq.nq);
  if (!q_new) return cmb_fail_memory(ctx);
  memcpy(q_new, q, size);
  CMB_TRY(hold_positions(ctx, arena, x, t, q_new, found));
  if (!*found && x->count > 0) { /* too much to hold */
    x->count = 0;
    x->eq.ng = x->inner->ng;
    memcpy(q_new, q, size);
    CMB_TRY(hold_positions(ctx, arena, x, t, q_new, found));
  }
  if (*found) memcpy(q, q_new, size);
  return CMB_OK;
}

static cmb_status hold(cmb_context *ctx, cmb_arena *arena, const cmb_equations *eq, double t,
                       int count, const cmb_held *held, double *q, double *v)
{
  struct extended *positions, *velocities;
  double *v_new = cmb_arena_doubles(arena, eq->nv);
  bool found = false;
  if (!v_new) return cmb_fail_memory(ctx);
  CMB_TRY(extend(ctx, arena, eq, count, &positions));
  CMB_TRY(extend(ctx, arena, eq, count, &velocities));
  for (int i = 0; i < count; i++) {
    if (held[i].hold_q && held[i].q >= 0) add(positions, held[i].q, held[i].v, q[held[i].q]);
    if (held[i].hold_v) add(velocities, -1, held[i].v, v[held[i].v]);
  }
  CMB_TRY(find_positions(ctx, arena, positions, t, q, &found));
  if (!found || velocities->count == 0) return CMB_OK;
  memcpy(v_new, v, (size_t)eq->nv * sizeof *v);
  CMB_TRY(hold_velocities(ctx, velocities, t, q, v_new, &found));
  if (found) memcpy(v, v_new, (size_t)eq->nv * sizeof *v);
  return CMB_OK;
}

cmb_status cmb_hold_start(cmb_context *ctx, const cmb_equations *eq, double t, int count,
                          const cmb_held *held, double *q, double *v)
{
  if (eq->ng == 0 || eq->M_pattern || eq->G_pattern) return CMB_OK;
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = hold(ctx, arena, eq, t, count, held, q, v);
  if (status == CMB_OK && cmb_arena_failed(arena)) status = cmb_fail_memory(ctx);
  if (status == CMB_OK) cmb_forget_error(ctx);
  cmb_arena_destroy(arena);
  return status;
}
