/*
 * Finds positions within a step in which the constraints lose rank (singular.h).
 *
 * At the end of each step the pivots of G are computed in an order that stays (math/pivots.h): one of them changes its sign where G loses
 * rank, and may do so elsewhere. So the smallest singular value is followed through the step (cmb_kkt_smallest, units do not matter): it
 * decides, and its minimum is the time.
 */
#include "sim/singular.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/lowest.h"
#include "math/pattern.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>

enum { SAMPLES = 8, NARROWINGS = 60, PARTS = 4 };

/* A singular value this small is 0: dense output is beside the constraints by the tolerance, and a minimum is never hit. */
static const double LOST = 1e-3;
static const double HERE = 1e-6; /* the same at a start, which is on the constraints */

cmb_status cmb_rank_watch_create(cmb_rank_watch *w, cmb_arena *arena, cmb_integrator *in,
                                 cmb_status (*tell)(void *user, const cmb_singularity *found),
                                 void *user)
{
  cmb_evaluator *ev = cmb_integrator_evaluator(in);
  const cmb_equations *eq = ev->eq;
  const int ng = eq->ng;
  *w = (cmb_rank_watch){.in = in, .ev = ev, .tell = tell, .user = user};
  w->q = cmb_arena_doubles(arena, eq->nq);
  w->v = cmb_arena_doubles(arena, eq->nv);
  for (int k = 0; k < 2; k++) w->q_dot[k] = cmb_arena_doubles(arena, eq->nq);
  w->share = cmb_arena_doubles(arena, ng);
  w->names = cmb_arena_take(arena, (size_t)ng, sizeof *w->names);
  CMB_TRY(cmb_pivots_create(ev->ctx, arena, ng, eq->nv, eq->G_pattern, &w->pivots));
  return cmb_arena_failed(arena) ? cmb_fail_memory(ev->ctx) : CMB_OK;
}

/* The smallest singular value at (t, q) that is not always 0; the shares of the constraints stay. */
static cmb_status smallest(cmb_rank_watch *w, double t, const double *q, double *sigma)
{
  cmb_evaluator *ev = w->ev;
  double *M = cmb_mass_wanted(ev);
  cmb_terms want = {.M = M, .G = ev->G};
  *sigma = 1;
  if (ev->eq->ng <= ev->redundant) return CMB_OK;
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  CMB_TRY(cmb_kkt_smallest(ev->kkt, M, ev->G, ev->redundant, sigma, w->share));
  ev->mass_ready = ev->eq->mass_constant;
  return CMB_OK;
}

static cmb_status smallest_inside(cmb_rank_watch *w, double t, double *sigma)
{
  CMB_TRY(cmb_integrator_interpolate(w->in, t, w->q, w->v));
  if (w->ev->eq->normalize) w->ev->eq->normalize(w->ev->eq->self, w->q);
  return smallest(w, t, w->q, sigma);
}

/* Tell: the time, and the constraints that take part. */
static cmb_status tell(cmb_rank_watch *w, double t)
{
  const cmb_equations *eq = w->ev->eq;
  double most = 0;
  int count = 0;
  for (int i = 0; i < eq->ng; i++) most = fmax(most, w->share[i]);
  for (int i = 0; i < eq->ng; i++) {
    if (w->share[i] > 0.1 * most) w->names[count++] = eq->g_names[i];
  }
  w->t_last = t;
  return w->tell(w->user, &(cmb_singularity){t, count, w->names});
}

/* The minimum of σ between a and c, where b is below both. Where rank is lost σ² is a parabola, to a first approximation. */
static cmb_status minimum(cmb_rank_watch *w, cmb_lowest_point a, cmb_lowest_point *b,
                          cmb_lowest_point c)
{
  const double enough = fmax(1e-9 * (c.t - a.t), 4 * DBL_EPSILON * fabs(c.t));
  cmb_lowest m;
  cmb_lowest_begin(&m, a, *b, c);
  while (m.updates < NARROWINGS && cmb_lowest_width(&m) > enough) {
    cmb_lowest_point x = {.t = cmb_lowest_next(&m)};
    CMB_TRY(smallest_inside(w, x.t, &x.value));
    cmb_lowest_update(&m, x);
  }
  *b = m.b;
  return smallest_inside(w, b->t, &b->value);
}

/* Follow the smallest singular value from t0 to t1, inside the last step. */
static cmb_status confirm(cmb_rank_watch *w, double t0, double t1)
{
  cmb_lowest_point at[SAMPLES + 1], least = {.value = INFINITY};
  int lowest = 0;
  for (int k = 0; k <= SAMPLES; k++) {
    at[k].t = k == SAMPLES ? t1 : t0 + k * (t1 - t0) / SAMPLES;
    CMB_TRY(smallest_inside(w, at[k].t, &at[k].value));
    if (at[k].value < least.value) least = at[k], lowest = k;
  }
  const int before = lowest > 0 ? lowest - 1 : 0, after = lowest < SAMPLES ? lowest + 1 : SAMPLES;
  CMB_TRY(minimum(w, at[before], &least, at[after]));
  bool same = fabs(least.t - w->t_last) <= 1e-6 * fmax(1e-3, t1 - t0);
  return least.value < LOST && !same ? tell(w, least.t) : CMB_OK;
}

/* Choose pivots here; none if this is where rank is lost: then after the next step. */
static void choose_here(cmb_rank_watch *w)
{
  cmb_pivots_choose(&w->pivots, w->ev->G);
  if (w->pivots.rank < w->ev->eq->ng - w->ev->redundant) w->pivots.rank = 0;
}

cmb_status cmb_rank_watch_start(cmb_rank_watch *w, double t, const double *q)
{
  double sigma = 1;
  w->t_last = -INFINITY;
  if (w->ev->eq->ng == 0) return CMB_OK;
  if (*w->ev->doubtful) CMB_TRY(smallest(w, t, q, &sigma));
  choose_here(w);
  return sigma < HERE ? tell(w, t) : CMB_OK;
}

static cmb_status evaluate_G(cmb_rank_watch *w, double t, const double *q)
{
  const cmb_equations *eq = w->ev->eq;
  cmb_terms want = {.G = w->ev->G};
  CMB_TRY(cmb_evaluate(w->ev, t, q, NULL, &want));
  const int values = cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv);
  return cmb_all_finite(values, w->ev->G) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* G inside the last step. */
static cmb_status evaluate_inside(cmb_rank_watch *w, double t)
{
  CMB_TRY(cmb_integrator_interpolate(w->in, t, w->q, w->v));
  return evaluate_G(w, t, w->q);
}

/* From t0 to t1, where the evaluator has G. */
static cmb_status look(cmb_rank_watch *w, double t0, double t1)
{
  bool poor = w->pivots.rank == 0;
  if (!poor && cmb_pivots_have_turned(&w->pivots, w->ev->G, &poor)) {
    CMB_TRY(confirm(w, t0, t1));
    CMB_TRY(evaluate_inside(w, t1));
    poor = true;
  }
  if (poor) choose_here(w);
  return CMB_OK;
}

/* A step in which the motion turns may go through the same position twice. */
static bool turns(const cmb_rank_watch *w, const double *v)
{
  return cmb_dot(w->ev->eq->nv, cmb_integrator_v_before(w->in), v) < 0;
}

/* G at θ of the step to (t, q), on the cubic through both ends, which costs next to nothing. */
static cmb_status evaluate_between(cmb_rank_watch *w, double t, const double *q, double theta)
{
  const double t0 = cmb_integrator_t_before(w->in), h = t - t0, s = theta, r = 1 - s;
  const double *q0 = cmb_integrator_q_before(w->in);
  const double *d0 = w->q_dot[0], *d1 = w->q_dot[1];
  for (int i = 0; i < w->ev->eq->nq; i++) {
    w->q[i] = r * r * (1 + 2 * s) * q0[i] + s * s * (3 - 2 * s) * q[i] +
              h * s * r * (r * d0[i] - s * d1[i]);
  }
  return evaluate_G(w, t0 + theta * h, w->q);
}

/* In parts. */
static cmb_status look_closely(cmb_rank_watch *w, double t, const double *q, const double *v)
{
  const double t0 = cmb_integrator_t_before(w->in), part = (t - t0) / PARTS;
  cmb_rates(w->ev, cmb_integrator_q_before(w->in), cmb_integrator_v_before(w->in), w->q_dot[0]);
  cmb_rates(w->ev, q, v, w->q_dot[1]);
  for (int k = 1; k < PARTS; k++) {
    CMB_TRY(evaluate_between(w, t, q, (double)k / PARTS));
    CMB_TRY(look(w, t0 + (k - 1) * part, t0 + k * part));
  }
  CMB_TRY(evaluate_between(w, t, q, 1));
  return look(w, t0 + (PARTS - 1) * part, t);
}

/* Where the equations cannot be evaluated nothing is seen, and the run goes on. */
cmb_status cmb_rank_watch_step(cmb_rank_watch *w, double t, const double *q, const double *v)
{
  if (w->ev->eq->ng == 0) return CMB_OK;
  cmb_status status =
      turns(w, v) ? look_closely(w, t, q, v) : look(w, cmb_integrator_t_before(w->in), t);
  if (status <= 0) return status;
  w->pivots.rank = 0;
  return CMB_OK;
}
