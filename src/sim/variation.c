/*
 * Variations of functions of time that a step has not seen (variation.h).
 */
#include "sim/variation.h"

#include "expr/interval.h"
#include "math/finite.h"
#include "method/integrator.h"

#include <math.h>
#include <string.h>

enum { MOST_PARTS = 2048, SCALE_PARTS = 64, UNKNOWN_PARTS = 256, DEPTH = 44 };

void cmb_variation_create(cmb_variation *w, cmb_arena *arena, cmb_integrator *in)
{
  cmb_evaluator *ev = cmb_integrator_evaluator(in);
  const size_t nt = (size_t)ev->eq->nt;
  *w = (cmb_variation){.in = in, .ev = ev};
  w->value = cmb_arena_take(arena, nt, sizeof *w->value);
  w->value_end = cmb_arena_take(arena, nt, sizeof *w->value_end);
  w->scale = cmb_arena_take(arena, nt, sizeof *w->scale);
  w->seen = cmb_arena_take(arena, nt, sizeof *w->seen);
  w->bounds = cmb_arena_take(arena, nt, sizeof *w->bounds);
}

static void values_at(cmb_variation *w, double t)
{
  const cmb_equations *eq = w->ev->eq;
  const cmb_point at = {.t = t, .mode = w->ev->mode, .scratch = w->ev->scratch};
  eq->time_values(eq->self, &at, w->value);
}

static void bounds_on(cmb_variation *w, double t0, double t1)
{
  const cmb_equations *eq = w->ev->eq;
  const cmb_box box = {.t = {t0, t1}, .mode = w->ev->mode, .scratch = w->ev->scratch};
  eq->time_bounds(eq->self, &box, w->bounds);
}

static double size_of(cmb_interval x)
{
  return cmb_interval_known(x) ? fmax(fabs(x.low), fabs(x.high)) : 0;
}

void cmb_variation_begin(cmb_variation *w, double t0, double t1)
{
  const int nt = w->ev->eq->nt;
  cmb_variation_restart(w, t0);
  for (int i = 0; i < nt; i++) w->scale[i] = 0;
  for (int k = 0; nt > 0 && k < SCALE_PARTS; k++) {
    bounds_on(w, t0 + (t1 - t0) * k / SCALE_PARTS, t0 + (t1 - t0) * (k + 1) / SCALE_PARTS);
    for (int i = 0; i < nt; i++) w->scale[i] = fmax(w->scale[i], size_of(w->bounds[i]));
  }
}

void cmb_variation_restart(cmb_variation *w, double t0)
{
  w->t_earlier = t0;
  w->t_end = NAN;
}

/* The value of each function at t is seen, too. */
static void see(cmb_variation *w, double t)
{
  values_at(w, t);
  for (int i = 0; i < w->ev->eq->nt; i++) {
    w->seen[i] = cmb_interval_hull(w->seen[i], cmb_interval_of(w->value[i]));
  }
}

/* What is seen at the ends of the step from t0 to t1: at t0 as at the end of the step before. */
static void look_at_ends(cmb_variation *w, double t0, double t1)
{
  const int nt = w->ev->eq->nt;
  if (w->t_end != t0) {
    values_at(w, t0);
    memcpy(w->value_end, w->value, (size_t)nt * sizeof *w->value);
  }
  for (int i = 0; i < nt; i++) w->seen[i] = cmb_interval_of(w->value_end[i]);
  see(w, t1);
}

/* What the stages see. */
static void look_at_stages(cmb_variation *w, double t0, double t1)
{
  int count;
  const double *node = cmb_integrator_nodes(w->in, &count);
  look_at_ends(w, t0, t1);
  for (int k = 0; k < count; k++) see(w, t0 + node[k] * (t1 - t0));
  if (count == 0) see(w, w->t_earlier);
}

static void add_slack(cmb_variation *w)
{
  const double rtol = cmb_integrator_rtol(w->in);
  for (int i = 0; i < w->ev->eq->nt; i++) {
    const double slack = (w->seen[i].high - w->seen[i].low) / 2 + rtol * w->scale[i];
    w->seen[i] = (cmb_interval){w->seen[i].low - slack, w->seen[i].high + slack};
  }
}

/* Whether all bounds on [t0, t1] are inside of what was seen; what is unknown is not, or, in a short part, says nothing. */
static bool is_inside(cmb_variation *w, double t0, double t1, bool is_short)
{
  bounds_on(w, t0, t1);
  for (int i = 0; i < w->ev->eq->nt; i++) {
    const cmb_interval b = w->bounds[i], seen = w->seen[i];
    if (!(b.low >= seen.low && b.high <= seen.high) && (cmb_interval_known(b) || !is_short)) {
      return false;
    }
  }
  return true;
}

static bool is_outside_at(cmb_variation *w, double t)
{
  values_at(w, t);
  for (int i = 0; i < w->ev->eq->nt; i++) {
    if (w->value[i] < w->seen[i].low || w->value[i] > w->seen[i].high) return true;
  }
  return false;
}

/* The step stays: where it ends, with the values at hand, the next one begins. */
static void keep(cmb_variation *w, double t0, double t1)
{
  memcpy(w->value_end, w->value, (size_t)w->ev->eq->nt * sizeof *w->value);
  w->t_end = t1;
  w->t_earlier = t0;
}

/* Whether there is a time between t0 and t1 at which a function leaves what was seen. */
static bool is_outside(cmb_variation *w, double t0, double t1)
{
  const double h = t1 - t0;
  double from = 0, width = 1;
  for (int parts = 0; from < 1 && parts < MOST_PARTS; parts++) {
    const double to = fmin(1, from + width);
    const bool is_short = width < 1.0 / UNKNOWN_PARTS;
    if (is_inside(w, t0 + from * h, t0 + to * h, is_short) || width < ldexp(1, -DEPTH)) {
      from = to;
      width = fmin(2 * width, 1);
    } else {
      if (is_outside_at(w, t0 + (from + to) / 2 * h)) return true;
      width = (to - from) / 2;
    }
  }
  return false;
}

bool cmb_variation_unseen(cmb_variation *w)
{
  const double t0 = cmb_integrator_t_before(w->in), t1 = cmb_integrator_t(w->in);
  if (w->ev->eq->nt == 0) return false;
  look_at_ends(w, t0, t1); /* is most often enough */
  add_slack(w);
  if (!is_inside(w, t0, t1, false)) {
    look_at_stages(w, t0, t1);
    add_slack(w);
    if (is_outside(w, t0, t1)) return true;
    values_at(w, t1);
  }
  keep(w, t0, t1);
  return false;
}
