/*
 * Checks along a run that constraints which were left out as redundant stay satisfied (left_out.h). The distance of a constraint is the
 * change of a coordinate that would satisfy it, |g_i| / |∇g_i|; that of its rate is defined likewise. A combination of constraints that hold
 * within the tolerances of the run holds to the same order, so the check is
 *
 *     |g_i| / |∇g_i| ≤ FACTOR (rtol |q| + atol) + SPREAD (the largest such distance of the constraints in the equations).
 *
 * A larger distance is no error of integration. A contradiction that grows is reported when it has reached this limit.
 *
 * Where constraints change with the modes, velocities jump to the nearest ones that satisfy the new constraints, in the metric of M (Simeon 1996,
 * eq. 12b): M (v⁺ − v⁻) = −Gᵀ τ is the balance of momentum, and τ are the impulses of the constraints.
 */
#include "sim/left_out.h"

#include "base/context.h"
#include "dae/project.h"
#include "dae/system.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

static const double MOVED = 5;     /* tolerances: what values that are set may ask of positions */
static const double FACTOR = 100;  /* tolerances; global errors are larger than those of a step */
static const double SPREAD = 1000; /* a small angle between constraints makes much of little */
static const double ROUNDING = 1e4 * DBL_EPSILON;
static const double NOTHING = 1e-4; /* the gradient of a constraint that has none */

/* Impulses that are rounding: of all momentum there is, since velocities meet the constraints before and after; of the largest one. */
static const double NO_IMPULSE = 1e-10;
static const double ROUNDING_OF_IMPULSE = 1e-13;

cmb_status cmb_left_out_create(cmb_context *ctx, cmb_arena *arena, const cmb_system *system,
                               cmb_evaluator *run, const cmb_integrator_options *options,
                               cmb_left_out *a)
{
  const cmb_system *whole = system->whole ? system->whole : system;
  *a = (cmb_left_out){.system = system, .run = run, .rtol = options->rtol, .atol = options->atol};
  const int rows = run->eq->ng; /* a run may have more constraints for a time than the system */
  a->rate = cmb_arena_doubles(arena, whole->eq.ng + rows);
  a->last_g = cmb_arena_doubles(arena, rows);
  a->last_rate = cmb_arena_doubles(arena, rows);
  a->impulse = cmb_arena_doubles(arena, rows);
  a->impulse_unique = cmb_arena_take(arena, (size_t)rows, sizeof *a->impulse_unique);
  a->v_struck = cmb_arena_doubles(arena, system->eq.nv);
  if (!system->whole) return CMB_OK;
  cmb_mode_search_create(&a->modes, arena, &whole->eq);
  a->left_out = cmb_arena_take(arena, (size_t)whole->eq.ng, sizeof *a->left_out);
  if (!a->left_out) return cmb_fail_memory(ctx);
  for (int k = 0; k < system->left_out_count; k++) a->left_out[system->left_out_row[k]] = true;
  return cmb_evaluator_create(ctx, &whole->eq, &a->whole);
}

void cmb_left_out_destroy(cmb_left_out *a)
{
  cmb_evaluator_destroy(a->whole);
}

cmb_status cmb_left_out_resume(cmb_left_out *a, double t, const double *q, const double *v)
{
  bool changed;
  return a->whole ? cmb_guess_modes(a->whole, &a->modes, t, q, v, &changed) : CMB_OK;
}

cmb_status cmb_left_out_start(cmb_left_out *a, double t, const double *q, const double *v)
{
  CMB_TRY(cmb_left_out_resume(a, t, q, v));
  return a->whole ? cmb_take_references(a->whole, t, q) : CMB_OK;
}

/* |∇g_i|, or what it is elsewhere if it is smaller here. */
static double gradient(const cmb_evaluator *ev, int i)
{
  return fmax(fmax(cmb_gradient_length(ev, i), ev->extent[i] / CMB_REFERENCE_PART), NOTHING);
}

static double largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* How far off a position and a velocity may be. */
struct limits {
  double position, velocity;
};

static struct limits limits_at(const cmb_left_out *a, const double *q, const double *v)
{
  const cmb_equations *eq = &a->system->eq;
  double q_size = 1 + largest(eq->nq, q), v_size = v ? largest(eq->nv, v) : 0;
  double position = FACTOR * (a->rtol * q_size + a->atol) + ROUNDING * q_size;
  return (struct limits){position, FACTOR * (a->rtol * v_size + a->atol) + position * (1 + v_size)};
}

/* The most violated of the watched constraints (left out: those; otherwise all); *off > 1 if one is beyond its limit. */
static int most_violated(cmb_left_out *a, const cmb_evaluator *ev, struct limits l, double *off)
{
  int worst = 0;
  double kept_g = 0, kept_rate = 0;
  *off = 0;
  for (int i = 0; a->whole && i < ev->eq->ng; i++) {
    if (a->left_out[i]) continue;
    kept_g = fmax(kept_g, fabs(ev->g[i]) / gradient(ev, i));
    kept_rate = fmax(kept_rate, fabs(a->rate[i]) / gradient(ev, i));
  }
  a->others_met = kept_g <= l.position && kept_rate <= l.velocity;
  l.position += SPREAD * kept_g;
  l.velocity += SPREAD * kept_rate;
  for (int i = 0; i < ev->eq->ng; i++) {
    if (a->whole && !a->left_out[i]) continue;
    double size = gradient(ev, i);
    double by = fmax(fabs(ev->g[i]) / size / l.position, fabs(a->rate[i]) / size / l.velocity);
    if (by > *off) *off = by, worst = i;
  }
  return worst;
}

static cmb_status rate_of(cmb_left_out *a, cmb_evaluator *ev, const double *v)
{
  const cmb_equations *eq = ev->eq;
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, v, a->rate);
  for (int i = 0; i < eq->ng; i++) a->rate[i] += ev->gt[i];
  return CMB_OK;
}

static cmb_status watch_left_out(cmb_left_out *a, double t, const double *q, const double *v)
{
  cmb_evaluator *ev = a->whole;
  cmb_terms want = {.g = ev->g, .G = ev->G, .gt = ev->gt};
  bool changed;
  CMB_TRY(cmb_guess_modes(ev, &a->modes, t, q, v, &changed));
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  return rate_of(a, ev, v);
}

/* " ('m0' and 'm1' change with time)": who may be to blame, since in Cartesian coordinates a joint repeats them. */
static const char *list_driven(const cmb_evaluator *ev, size_t room, char *text)
{
  enum { SHOWN = 6 };
  size_t used = 0;
  int count = 0;
  text[0] = '\0';
  for (int i = 0; i < ev->eq->ng && count < SHOWN && used < room; i++) {
    if (ev->gt[i] == 0) continue;
    used += (size_t)snprintf(text + used, room - used, "%s'%s'", count++ ? ", " : "; driven by ",
                             ev->eq->g_names[i]);
  }
  return text;
}

static cmb_status check_watched(cmb_left_out *a, double t, const double *q, const double *v)
{
  cmb_evaluator *ev = a->whole ? a->whole : a->run;
  char driven[300];
  double off;
  CMB_TRY(a->whole ? watch_left_out(a, t, q, v) : rate_of(a, ev, v));
  int i = most_violated(a, ev, limits_at(a, q, v), &off);
  if (off <= 1) return CMB_OK;
  return cmb_fail_about(
      ev->ctx, CMB_ERROR_CONTRADICTION, cmb_about_time(t, "constraint", ev->eq->g_names[i]),
      "constraint '%s' was redundant until t = %.9g and now contradicts other constraints: "
      "g = %.3g, its rate is %.3g%s",
      ev->eq->g_names[i], t, ev->g[i], a->rate[i], list_driven(ev, sizeof driven, driven));
}

cmb_status cmb_left_out_check(cmb_left_out *a, double t, const double *q, const double *v)
{
  return a->whole || a->run->redundant > 0 ? check_watched(a, t, q, v) : CMB_OK;
}

cmb_status cmb_left_out_check_start(cmb_left_out *a, double t, const double *q, const double *v)
{
  cmb_evaluator *ev = a->run;
  const struct limits l = limits_at(a, q, v);
  CMB_TRY(rate_of(a, ev, v));
  for (int i = 0; i < ev->eq->ng; i++) {
    const double size = gradient(ev, i), g = fabs(ev->g[i]) / size, rate = fabs(a->rate[i]) / size;
    if (g <= l.position && rate <= l.velocity) continue;
    return cmb_fail_start(ev, t, ev->eq->g_names[i], NULL,
                          "constraint '%s' is satisfied by no %s near here (g = %.3g, its rate is "
                          "%.3g): its gradient is 0 or depends on those of other constraints",
                          ev->eq->g_names[i], g > l.position ? "position" : "velocity", ev->g[i],
                          a->rate[i]);
  }
  return CMB_OK;
}

bool cmb_left_out_can_change(const cmb_left_out *a)
{
  const bool *branches = a->system->g_has_branches;
  const cmb_equations *eq = &a->system->eq;
  if (a->moved && *a->moved) return eq->ng > 0;
  if (!a->system->model) return eq->ng > 0 && eq->ns > 0; /* written in C: not known */
  for (int i = 0; branches && i < eq->ng; i++) {
    if (branches[i]) return true;
  }
  return false;
}

/* A position would have to jump by g_i. */
static cmb_status refuse_jump(const cmb_evaluator *ev, int i, double t, double g)
{
  return cmb_fail_about(
      ev->ctx, CMB_ERROR_CONTRADICTION, cmb_about_time(t, "constraint", ev->eq->g_names[i]),
      "constraint '%s' changes suddenly at t = %.9g and is not satisfied then (g = "
      "%.3g), since positions cannot jump; expected one that stays satisfied",
      ev->eq->g_names[i], t, g);
}

/* g with the parameters `before`, into a->rate; NULL: 0. */
static cmb_status find_before(cmb_left_out *a, cmb_evaluator *ev, double t, const double *q,
                              const double *before)
{
  const double *now = ev->p;
  const cmb_terms want = {.g = a->rate};
  for (int i = 0; i < ev->eq->ng; i++) a->rate[i] = 0;
  if (!before) return CMB_OK;
  ev->p = before;
  cmb_status status = cmb_evaluate(ev, t, q, NULL, &want);
  ev->p = now;
  return status;
}

/* Positions cannot jump: what the first `count` constraints ask for must be so already, up to `limit` or to what was so before. */
static cmb_status check_positions(cmb_left_out *a, cmb_evaluator *ev, int count, double limit,
                                  double t, const double *q, const double *before)
{
  const cmb_terms want = {.g = ev->g, .G = ev->G};
  CMB_TRY(find_before(a, ev, t, q, before));
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  if (!cmb_all_finite(ev->eq->ng, ev->g)) return CMB_RETRY_NONFINITE;
  for (int i = 0; i < count; i++) {
    const double most = gradient(ev, i) * limit;
    if (fabs(ev->g[i]) <= most || fabs(ev->g[i] - a->rate[i]) <= most) continue;
    return refuse_jump(ev, i, t, ev->g[i]);
  }
  return CMB_OK;
}

cmb_status cmb_left_out_check_moved(cmb_left_out *a, double t, const double *q,
                                    const double *before)
{
  const double limit = MOVED / FACTOR * limits_at(a, q, NULL).position;
  CMB_TRY(check_positions(a, a->run, a->system->eq.ng, limit, t, q, before));
  if (!a->whole) return CMB_OK;
  return check_positions(a, a->whole, a->whole->eq->ng, limit, t, q, before);
}

/* |v| in the metric of M: the root of twice the kinetic energy. */
static double speed_of(const cmb_evaluator *ev, const double *v)
{
  double sum = 0;
  cmb_multiply_mass(ev, v, ev->dw);
  for (int i = 0; i < ev->eq->nv; i++) sum += v[i] * ev->dw[i];
  return sqrt(fmax(sum, 0));
}

/* How large impulse i is beside the others: an impulse of 1 changes velocities by |∇g_i|, in the metric of M⁻¹. */
static double relative_impulse(const cmb_left_out *a, int i)
{
  return fabs(a->impulse[i]) * a->run->length[i];
}

/* Impulses that are nothing but rounding become 0: all of them, or those beside a blow. */
static void drop_rounding(cmb_left_out *a, const double *before, const double *after)
{
  const cmb_evaluator *ev = a->run;
  double speed = fmax(speed_of(ev, before), speed_of(ev, after)), most = 0;
  for (int i = 0; i < ev->eq->ng; i++) {
    if (ev->length[i] > 0) speed = fmax(speed, fabs(ev->gt[i]) / ev->length[i]);
    most = fmax(most, relative_impulse(a, i));
  }
  const double limit = most <= NO_IMPULSE * speed ? INFINITY : ROUNDING_OF_IMPULSE * most;
  for (int i = 0; i < ev->eq->ng; i++) {
    if (relative_impulse(a, i) <= limit) a->impulse[i] = 0;
  }
}

static cmb_status refuse_live_weight(const cmb_evaluator *ev, int i)
{
  return cmb_fail_about(
      ev->ctx, CMB_ERROR_INPUT, cmb_about_thing("constraint", ev->eq->g_names[i]),
      "constraint '%s' requires a sudden change of velocity and acts on a body without inertia: in "
      "Cartesian coordinates its impulse is not known while masses are live parameters; give the "
      "body an inertia, or use joint coordinates",
      ev->eq->g_names[i]);
}

/* What of the impulses is in M, in place of inertia that bodies lack. */
static cmb_status add_weights(cmb_left_out *a, const double *v)
{
  const cmb_evaluator *ev = a->run;
  const cmb_equations *eq = &a->system->eq;
  const double *weight = eq->impulse_weights;
  if (!weight) return CMB_OK;
  for (int i = 0; i < eq->nv; i++) ev->w[i] = a->v_struck[i] - v[i];
  cmb_multiply(ev->eq->G_pattern, ev->eq->ng, eq->nv, ev->G, ev->w, a->rate);
  const double rounding = ROUNDING * (1 + largest(eq->nv, v));
  for (int i = 0; i < eq->ng; i++) {
    if (!isnan(weight[i])) {
      a->impulse[i] += weight[i] * a->rate[i];
    } else if (fabs(a->rate[i]) > rounding * gradient(ev, i)) {
      return refuse_live_weight(ev, i);
    }
  }
  return CMB_OK;
}

/* v_struck from v, and the impulses; the factors are those of the new modes. */
static cmb_status strike(cmb_left_out *a, const double *v)
{
  cmb_evaluator *ev = a->run;
  const int nv = ev->eq->nv;
  for (int i = 0; i < nv; i++) a->v_struck[i] = v[i];
  CMB_TRY(cmb_strike_velocity(ev, a->v_struck, a->impulse));
  if (!cmb_all_finite(ev->eq->ng, a->impulse)) return CMB_RETRY_NONFINITE;
  if (cmb_unique_multipliers(ev, a->impulse_unique)) {
    for (int i = 0; i < ev->eq->ng; i++) a->impulse_unique[i] = true;
  }
  CMB_TRY(add_weights(a, v));
  drop_rounding(a, v, a->v_struck);
  return CMB_OK;
}

/* Whether a constraint has a gradient that had none in the modes at the start: what is usual for it is not known. */
static bool has_appeared(const cmb_evaluator *ev)
{
  for (int i = 0; i < ev->eq->ng; i++) {
    if (ev->length[i] == 0 && cmb_gradient_length(ev, i) > 0) return true;
  }
  return false;
}

cmb_status cmb_left_out_new_modes(cmb_left_out *a, double t, const double *q, double *v)
{
  cmb_evaluator *ev = a->run;
  if (!cmb_left_out_can_change(a)) return CMB_OK;
  CMB_TRY(check_positions(a, ev, ev->eq->ng, limits_at(a, q, NULL).position, t, q, NULL));
  if (has_appeared(ev)) CMB_TRY(cmb_take_references(ev, t, q));
  CMB_TRY(cmb_factor_at(ev, t, q));
  ev->redundant = *ev->doubtful ? ev->deficiency : 0;
  CMB_TRY(strike(a, v));
  for (int i = 0; i < ev->eq->nv; i++) v[i] = a->v_struck[i];
  return CMB_OK;
}

cmb_status cmb_left_out_last_modes(cmb_left_out *a, double t, const double *q, const double *v)
{
  cmb_evaluator *ev = a->run;
  cmb_terms want = {.g = a->last_g, .G = ev->G, .gt = ev->gt};
  if (!cmb_left_out_can_change(a)) return CMB_OK;
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  CMB_TRY(rate_of(a, ev, v));
  for (int i = 0; i < ev->eq->ng; i++) a->last_rate[i] = a->rate[i];
  return CMB_OK;
}

/* The constraints of the new modes: g, G, g_t, rates, and in dtau the accelerations that they are off by. */
static cmb_status look_late(cmb_left_out *a, double t, const double *q, const double *v,
                            const double *acceleration)
{
  cmb_evaluator *ev = a->run;
  const int ng = ev->eq->ng;
  double sum = 0;
  cmb_terms want = {.g = ev->g, .G = ev->G, .gt = ev->gt, .gamma = ev->gamma};
  CMB_TRY(cmb_evaluate(ev, t, q, v, &want));
  CMB_TRY(rate_of(a, ev, v));
  cmb_multiply(ev->eq->G_pattern, ng, ev->eq->nv, ev->G, acceleration, ev->dtau);
  for (int i = 0; i < ng; i++) {
    ev->dtau[i] += ev->gamma[i];
    sum += ev->g[i] + a->last_g[i] + a->rate[i] + a->last_rate[i] + ev->dtau[i];
  }
  return isfinite(sum) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Whether a rate has changed by more than its acceleration can in h; an error if a constraint has by more than its rate can. What
 * drift has made of both before does not count. */
static cmb_status find_jumps(cmb_left_out *a, double t, double h, const double *q, const double *v,
                             bool *jumped)
{
  cmb_evaluator *ev = a->run;
  const struct limits l = limits_at(a, q, NULL);
  const double rounding = ROUNDING * (1 + largest(ev->eq->nv, v));
  *jumped = false;
  for (int i = 0; i < ev->eq->ng; i++) {
    const double g = fabs(ev->g[i] - a->last_g[i]), rate = fabs(a->rate[i] - a->last_rate[i]);
    if (g > gradient(ev, i) * l.position + 2 * h * rate) return refuse_jump(ev, i, t, ev->g[i]);
    *jumped = *jumped || rate > 2 * h * fabs(ev->dtau[i]) + rounding * gradient(ev, i);
  }
  return CMB_OK;
}

cmb_status cmb_left_out_late_modes(cmb_left_out *a, double t, double h, const double *q,
                                   const double *v, const double *acceleration)
{
  bool jumped;
  if (!cmb_left_out_can_change(a)) return CMB_OK;
  for (int i = 0; i < a->run->eq->ng; i++) a->impulse[i] = 0;
  CMB_TRY(look_late(a, t, q, v, acceleration));
  CMB_TRY(find_jumps(a, t, h, q, v, &jumped));
  if (!jumped) return CMB_OK;
  if (has_appeared(a->run)) CMB_TRY(cmb_take_references(a->run, t, q));
  CMB_TRY(cmb_factor_at(a->run, t, q));
  return strike(a, v);
}

bool cmb_left_out_has_impulse(const cmb_left_out *a, int i)
{
  return a->impulse[i] != 0;
}
