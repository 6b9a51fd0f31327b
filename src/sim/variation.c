/*
 * Finds variations of functions between the stages of a step (variation.h).
 *
 * Bounds of a function of several coordinates that hardly varies can be so wide that they prove nothing in any part: the search along a
 * step has a budget of parts. Where it is used up the rest is looked at in points only, and the next step's budget is smaller.
 */
#include "sim/variation.h"

#include "expr/interval.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  MOST_PARTS = 2048,
  LEAST_PARTS = 64,
  SCALE_PARTS = 64,
  FEW_PARTS = 16,
  STEPS_AHEAD = 8,
  UNKNOWN_PARTS = 256,
  DEPTH = 44
};

static const double UNDERFLOW = 1e-290; /* smaller values are nothing but the end of a bell */

static const double NOISE = 8; /* times the width of bounds in one point */

static const double MET = 1.1; /* what is larger than the scale by less than this changes nothing */

static void create_watched(cmb_watched *g, cmb_arena *arena, int count)
{
  g->count = count;
  g->value = cmb_arena_doubles(arena, count);
  g->begin = cmb_arena_doubles(arena, count);
  g->end = cmb_arena_doubles(arena, count);
  g->earlier = cmb_arena_doubles(arena, count);
  g->scale = cmb_arena_doubles(arena, count);
  g->noise = cmb_arena_doubles(arena, count);
  g->seen = cmb_arena_take(arena, (size_t)count, sizeof *g->seen);
  g->bounds = cmb_arena_take(arena, (size_t)count, sizeof *g->bounds);
}

void cmb_variation_create(cmb_variation *w, cmb_arena *arena, cmb_integrator *in, cmb_evaluator *ev)
{
  const cmb_equations *eq = ev->eq;
  *w = (cmb_variation){.in = in, .ev = ev};
  create_watched(&w->time, arena, eq->nt);
  create_watched(&w->path, arena, eq->path_count);
  if (eq->path_count == 0) return;
  cmb_motion_create(&w->motion, arena, in, eq->path_reads);
  w->q = cmb_arena_doubles(arena, eq->nq);
  w->v = cmb_arena_doubles(arena, eq->nv);
  for (int k = 0; k < 2; k++) w->rate[k] = cmb_arena_doubles(arena, eq->nq);
  w->q_range = cmb_arena_take(arena, (size_t)eq->nq, sizeof *w->q_range);
  w->q_rate = cmb_arena_take(arena, (size_t)eq->nq, sizeof *w->q_rate);
  w->q_bend = cmb_arena_take(arena, (size_t)eq->nq, sizeof *w->q_bend);
  w->slope = cmb_arena_take(arena, (size_t)eq->path_count, sizeof *w->slope);
  w->bend = cmb_arena_take(arena, (size_t)eq->path_count, sizeof *w->bend);
  w->middle = cmb_arena_take(arena, (size_t)eq->path_count, sizeof *w->middle);
  w->large = cmb_arena_take(arena, (size_t)eq->path_count, sizeof *w->large);
}

/* ---- values and bounds in the last step, at θ and on [a, b] */

static double time_at(const cmb_variation *w, double theta)
{
  return cmb_integrator_time_at(w->in, theta);
}

/* Computes the values (count) at time t and, of functions of the path, at the position q. */
static void values_of(cmb_variation *w, const cmb_watched *g, double t, const double *q,
                      double *values)
{
  const cmb_equations *eq = w->ev->eq;
  const cmb_point at = cmb_evaluator_point(w->ev, t, q, NULL);
  (g == &w->time ? eq->time_values : eq->path_values)(eq->self, &at, values);
}

/* Computes the values (count) at the fraction theta of the step. */
static cmb_status values_at(cmb_variation *w, const cmb_watched *g, double theta, double *values)
{
  const double t = time_at(w, theta);
  const double *q = theta > 0 ? cmb_integrator_q(w->in) : cmb_integrator_q_before(w->in);
  if (g == &w->path && theta > 0 && theta < 1) {
    CMB_TRY(cmb_integrator_interpolate(w->in, t, w->q, w->v));
    q = w->q;
  }
  values_of(w, g, t, q, values);
  return CMB_OK;
}

static void time_bounds(cmb_variation *w, double t0, double t1)
{
  const cmb_equations *eq = w->ev->eq;
  const cmb_box box = cmb_evaluator_box(w->ev, (cmb_interval){t0, t1}, NULL);
  eq->time_bounds(eq->self, &box, w->time.bounds);
}

/* With q in q_range. */
static void path_bounds(cmb_variation *w, double t0, double t1, cmb_interval *bounds)
{
  const cmb_equations *eq = w->ev->eq;
  const cmb_box box = cmb_evaluator_box(w->ev, (cmb_interval){t0, t1}, w->q_range);
  eq->path_bounds(eq->self, &box, bounds);
}

/* The piece [a, b] of the motion, with its derivatives. */
static cmb_box piece_of_path(cmb_variation *w, double a, double b)
{
  const int nq = w->ev->eq->nq;
  cmb_motion_range(&w->motion, nq, a, b, w->q_range);
  cmb_motion_rate_range(&w->motion, nq, a, b, w->q_rate);
  cmb_motion_bend_range(&w->motion, nq, a, b, w->q_bend);
  const cmb_interval t = {time_at(w, a), time_at(w, b)};
  cmb_box box = cmb_evaluator_box(w->ev, t, w->q_range);
  box.t_rate = cmb_interval_of(cmb_integrator_t(w->in) - cmb_integrator_t_before(w->in));
  box.q_rate = w->q_rate;
  box.q_bend = w->q_bend;
  return box;
}

static cmb_interval sum_of(cmb_interval x, cmb_interval factor, cmb_interval y)
{
  return cmb_interval_add(x, cmb_interval_multiply(factor, y));
}

static void narrow(cmb_interval *bounds, cmb_interval x)
{
  if (!cmb_interval_known(x) || !cmb_interval_known(*bounds)) return;
  bounds->low = fmax(bounds->low, x.low);
  bounds->high = fmin(bounds->high, x.high);
}

/* Bounds on [a, b] become narrower where the mean value theorem says more: f(m) + f'(part) (θ − m). */
static void narrow_by_slopes(cmb_variation *w, cmb_watched *g, double a, double b)
{
  const cmb_equations *eq = w->ev->eq;
  const double m = (a + b) / 2, reach = (b - a) / 2 * (1 + 4 * DBL_EPSILON);
  const cmb_box part = piece_of_path(w, a, b);
  eq->path_rates(eq->self, &part, w->slope);
  cmb_motion_range(&w->motion, eq->nq, m, m, w->q_range);
  path_bounds(w, time_at(w, m), time_at(w, m), w->middle);
  for (int i = 0; i < g->count; i++) {
    narrow(&g->bounds[i], sum_of(w->middle[i], w->slope[i], (cmb_interval){-reach, reach}));
  }
}

/* The same one order higher, with f(m) at hand: f(m) + f'(m) (θ − m) + f''(part) (θ − m)²/2. */
static void narrow_by_bends(cmb_variation *w, cmb_watched *g, double a, double b)
{
  const cmb_equations *eq = w->ev->eq;
  const double m = (a + b) / 2, reach = (b - a) / 2 * (1 + 4 * DBL_EPSILON);
  const cmb_interval around = {-reach, reach},
                     square = {0, reach * reach / 2 * (1 + 4 * DBL_EPSILON)};
  const cmb_box part = piece_of_path(w, a, b);
  eq->path_bends(eq->self, &part, w->bend);
  const cmb_box middle = piece_of_path(w, m, m);
  eq->path_rates(eq->self, &middle, w->slope);
  for (int i = 0; i < g->count; i++) {
    const cmb_interval straight = sum_of(w->middle[i], w->slope[i], around);
    narrow(&g->bounds[i], sum_of(straight, w->bend[i], square));
  }
}

static void bounds_on(cmb_variation *w, const cmb_watched *g, double a, double b)
{
  if (g == &w->time) {
    time_bounds(w, time_at(w, a), time_at(w, b));
  } else {
    cmb_motion_range(&w->motion, w->ev->eq->nq, a, b, w->q_range);
    path_bounds(w, time_at(w, a), time_at(w, b), w->path.bounds);
  }
}

/* Bounds on the whole step at little cost: of the path, on the cubic through its ends. */
static void bounds_at_first(cmb_variation *w, const cmb_watched *g)
{
  cmb_integrator *in = w->in;
  const double h = cmb_integrator_t(in) - cmb_integrator_t_before(in);
  const double *q0 = cmb_integrator_q_before(in), *q1 = cmb_integrator_q(in);
  if (g == &w->time) {
    bounds_on(w, g, 0, 1);
    return;
  }
  cmb_rates(w->ev, q0, cmb_integrator_v_before(in), w->rate[0]);
  cmb_rates(w->ev, q1, cmb_integrator_v(in), w->rate[1]);
  for (int i = 0; i < w->ev->eq->nq; i++) {
    const double after = q0[i] + h / 3 * w->rate[0][i], before = q1[i] - h / 3 * w->rate[1][i];
    const double low = fmin(fmin(q0[i], after), fmin(before, q1[i]));
    const double high = fmax(fmax(q0[i], after), fmax(before, q1[i]));
    w->q_range[i] = (cmb_interval){low - (high - low) / 4, high + (high - low) / 4};
  }
  path_bounds(w, cmb_integrator_t_before(in), cmb_integrator_t(in), w->path.bounds);
}

/* ---- a run begins */

static double size_of(cmb_interval x)
{
  return cmb_interval_known(x) ? fmax(fabs(x.low), fabs(x.high)) : 0;
}

void cmb_variation_begin(cmb_variation *w, double t0, double t1)
{
  cmb_watched *g = &w->time;
  cmb_variation_restart(w);
  w->time.budget = w->path.budget = MOST_PARTS;
  for (int i = 0; i < w->path.count; i++) w->path.scale[i] = 0;
  for (int i = 0; i < g->count; i++) g->scale[i] = 0;
  for (int k = 0; g->count > 0 && k < SCALE_PARTS; k++) {
    time_bounds(w, t0 + (t1 - t0) * k / SCALE_PARTS, t0 + (t1 - t0) * (k + 1) / SCALE_PARTS);
    for (int i = 0; i < g->count; i++) g->scale[i] = fmax(g->scale[i], size_of(g->bounds[i]));
  }
  if (w->also) cmb_variation_begin(w->also, t0, t1);
}

void cmb_variation_restart(cmb_variation *w)
{
  w->time.t_end = w->path.t_end = w->t_earlier = NAN;
  w->same_from = INFINITY;
  w->same_to = w->same_after = -INFINITY;
  if (w->also) cmb_variation_restart(w->also);
}

static void visit_watched(cmb_watched *g, cmb_archive *a)
{
  cmb_archive_ints(a, "seen-budget", 1, &g->budget);
  cmb_archive_check(a, 0, g->budget, LEAST_PARTS, MOST_PARTS);
  cmb_archive_doubles(a, "seen-to", 1, &g->t_end);
  cmb_archive_doubles(a, "seen-there", g->count, g->begin);
  cmb_archive_doubles(a, "seen-before", g->count, g->earlier);
  cmb_archive_doubles(a, "seen-scale", g->count, g->scale);
}

void cmb_variation_visit(cmb_variation *w, cmb_archive *a)
{
  visit_watched(&w->time, a);
  visit_watched(&w->path, a);
  cmb_archive_doubles(a, "seen-earlier", 1, &w->t_earlier);
  cmb_archive_doubles(a, "same-from", 1, &w->same_from);
  cmb_archive_doubles(a, "same-to", 1, &w->same_to);
  cmb_archive_doubles(a, "same-after", 1, &w->same_after);
  if (w->also) cmb_variation_visit(w->also, a);
}

/* ---- what is seen */

static void add_seen(cmb_watched *g, const double *values)
{
  for (int i = 0; i < g->count; i++) {
    g->seen[i] = cmb_interval_hull(g->seen[i], cmb_interval_of(values[i]));
  }
}

/* What is seen at the ends of the step: at its beginning as at the end of the step before. */
static cmb_status look_at_ends(cmb_variation *w, cmb_watched *g)
{
  if (g->t_end != cmb_integrator_t_before(w->in)) CMB_TRY(values_at(w, g, 0, g->begin));
  CMB_TRY(values_at(w, g, 1, g->end));
  for (int i = 0; i < g->count; i++) g->seen[i] = cmb_interval_of(g->begin[i]);
  add_seen(g, g->end);
  return CMB_OK;
}

/* What was seen where the step before began. */
static void see_earlier(const cmb_variation *w, cmb_watched *g)
{
  const cmb_equations *eq = w->ev->eq;
  const cmb_point at = cmb_evaluator_point(w->ev, w->t_earlier, NULL, NULL);
  if (g == &w->time) eq->time_values(eq->self, &at, g->earlier);
  add_seen(g, g->earlier);
}

/* What the stages see, too. */
static cmb_status look_at_stages(cmb_variation *w, cmb_watched *g)
{
  int count;
  const double *node = cmb_integrator_nodes(w->in, &count);
  for (int i = 0; i < g->count; i++) g->seen[i] = cmb_interval_of(g->begin[i]);
  add_seen(g, g->end);
  for (int k = 0; k < count; k++) {
    if (g == &w->path) cmb_integrator_node_position(w->in, k, w->q);
    values_of(w, g, time_at(w, node[k]), w->q, g->value);
    add_seen(g, g->value);
  }
  if (count == 0 && !isnan(w->t_earlier)) see_earlier(w, g);
  return CMB_OK;
}

/* A function that overflows where it was looked at says nothing: 1/cosh(x) is watched beside its cosh(x). */
static void add_slack(const cmb_variation *w, cmb_watched *g)
{
  const double rtol = cmb_integrator_rtol(w->in);
  for (int i = 0; i < g->count; i++) {
    const double spread = g->seen[i].high - g->seen[i].low;
    const double slack = spread / 2 + rtol * g->scale[i] + g->noise[i] + UNDERFLOW;
    g->seen[i] = isfinite(slack) ? (cmb_interval){g->seen[i].low - slack, g->seen[i].high + slack}
                                 : (cmb_interval){-INFINITY, INFINITY};
  }
}

static void meet(cmb_watched *g)
{
  for (int i = 0; i < g->count; i++) {
    if (isfinite(g->value[i])) g->scale[i] = fmax(g->scale[i], fabs(g->value[i]));
  }
}

/* How large function i may be on a part of the step, from its bounds there. */
static double most_of(const cmb_watched *g, int i)
{
  return cmb_interval_known(g->bounds[i]) ? size_of(g->bounds[i]) : INFINITY;
}

static double most_on(cmb_variation *w, int i, double a, double b)
{
  bounds_on(w, &w->path, a, b);
  return most_of(&w->path, i);
}

/* Whether values up to `most` say nothing new of how large function i is. */
static bool is_met(const cmb_watched *g, int i, double most)
{
  return most <= MET * g->scale[i] + g->noise[i] + UNDERFLOW;
}

/* Looks where in the step function i is large: in that half where it may be larger, again and again, until it is not larger there than what
 * has been met. */
static cmb_status meet_largest(cmb_variation *w, int i)
{
  cmb_watched *g = &w->path;
  double a = 0, b = 1;
  for (int k = 0; k < DEPTH; k++) {
    const double middle = (a + b) / 2, left = most_on(w, i, a, middle),
                 right = most_on(w, i, middle, b);
    *(left > right ? &b : &a) = middle;
    CMB_TRY(values_at(w, g, (a + b) / 2, g->value));
    meet(g);
    if (is_met(g, i, fmax(left, right))) break;
  }
  return CMB_OK;
}

/* What rounding makes of bounds in one point. */
static void find_noise(cmb_variation *w)
{
  cmb_watched *g = &w->path;
  bounds_on(w, g, 1, 1);
  for (int i = 0; i < g->count; i++) {
    const cmb_interval b = g->bounds[i];
    g->noise[i] = cmb_interval_known(b) ? NOISE * (b.high - b.low) : 0;
  }
}

/* The scales of functions of the path grow by what is met in the step. */
static cmb_status measure(cmb_variation *w)
{
  cmb_watched *g = &w->path;
  for (int k = 0; k <= SCALE_PARTS; k++) {
    CMB_TRY(values_at(w, g, (double)k / SCALE_PARTS, g->value));
    meet(g);
  }
  find_noise(w);
  bounds_on(w, g, 0, 1);
  for (int i = 0; i < g->count; i++) w->large[i] = !is_met(g, i, most_of(g, i));
  for (int i = 0; i < g->count; i++) {
    if (w->large[i]) CMB_TRY(meet_largest(w, i));
  }
  return CMB_OK;
}

/* ---- what is not */

/* Whether all bounds are inside of what was seen; what is unknown is not, or, in a short part, says nothing. */
static bool is_inside(const cmb_watched *g, bool is_short)
{
  for (int i = 0; i < g->count; i++) {
    const cmb_interval b = g->bounds[i], seen = g->seen[i];
    if (!(b.low >= seen.low && b.high <= seen.high) && (cmb_interval_known(b) || !is_short)) {
      return false;
    }
  }
  return true;
}

static void narrow_bounds(cmb_variation *w, cmb_watched *g, double a, double b, bool is_short)
{
  const cmb_equations *eq = w->ev->eq;
  if (!eq->path_rates || is_inside(g, is_short)) return;
  narrow_by_slopes(w, g, a, b);
  if (eq->path_bends && !is_inside(g, is_short)) narrow_by_bends(w, g, a, b);
}

static cmb_status look_outside(cmb_variation *w, cmb_watched *g, double theta, bool *outside)
{
  CMB_TRY(values_at(w, g, theta, g->value));
  for (int i = 0; i < g->count; i++) {
    if (g->value[i] < g->seen[i].low || g->value[i] > g->seen[i].high) *outside = true;
  }
  return CMB_OK;
}

typedef enum verdict { INSIDE, OUTSIDE, OPEN } verdict;

/* The points in the middle of equal parts of [from, 1]. */
static cmb_status look_at_points(cmb_variation *w, cmb_watched *g, double from, bool *outside)
{
  const double width = 1.0 / SCALE_PARTS;
  for (; from < 1 && !*outside; from += width) {
    CMB_TRY(look_outside(w, g, (from + fmin(1, from + width)) / 2, outside));
  }
  return CMB_OK;
}

/* Whether there is a time in the step at which a function leaves what was seen. OPEN: not in the part up to *from, and for the rest there were
 * not parts enough. */
static cmb_status search(cmb_variation *w, cmb_watched *g, int most, double *from, verdict *found)
{
  double width = 1;
  bool outside = false;
  int parts = 0;
  for (*from = 0; *from < 1 && !outside && parts < most; parts++) {
    const double to = fmin(1, *from + width);
    const bool is_short = width < 1.0 / UNKNOWN_PARTS;
    bounds_on(w, g, *from, to);
    if (g == &w->path) narrow_bounds(w, g, *from, to, is_short);
    const bool inside = is_inside(g, is_short) || width < ldexp(1, -DEPTH);
    if (!inside) CMB_TRY(look_outside(w, g, (*from + to) / 2, &outside));
    width = inside ? fmin(2 * width, 1) : (to - *from) / 2;
    if (inside) *from = to;
  }
  *found = outside ? OUTSIDE : *from < 1 ? OPEN : INSIDE;
  return CMB_OK;
}

/* With the parts that there are; where they are used up, the rest is looked at in points, and the next step has fewer. */
static cmb_status search_on_budget(cmb_variation *w, cmb_watched *g, verdict *found)
{
  double from;
  CMB_TRY(search(w, g, g->budget, &from, found));
  g->budget = *found == OPEN ? g->budget / 2 : 2 * g->budget;
  if (g->budget < LEAST_PARTS) g->budget = LEAST_PARTS;
  if (g->budget > MOST_PARTS) g->budget = MOST_PARTS;
  if (*found != OPEN) return CMB_OK;
  bool outside = false;
  CMB_TRY(look_at_points(w, g, from, &outside));
  if (outside) *found = OUTSIDE;
  return CMB_OK;
}

/* The step stays: where it ends, the next one begins. */
static void keep(cmb_watched *g, double t)
{
  double *free_values = g->earlier;
  g->earlier = g->begin;
  g->begin = g->end;
  g->end = free_values;
  g->t_end = t;
}

/* Of the path, what is met in the step counts only where it is needed to decide. */
static cmb_status look_along(cmb_variation *w, cmb_watched *g, verdict *found)
{
  if (g == &w->path) {
    CMB_TRY(cmb_motion_take(&w->motion, w->ev->eq->nq));
    CMB_TRY(look_at_stages(w, g));
    add_slack(w, g);
    double from;
    CMB_TRY(search(w, g, FEW_PARTS, &from, found));
    if (*found == INSIDE) return CMB_OK;
    CMB_TRY(measure(w));
  }
  CMB_TRY(look_at_stages(w, g));
  add_slack(w, g);
  return search_on_budget(w, g, found);
}

static cmb_status look(cmb_variation *w, cmb_watched *g, bool *unseen)
{
  verdict found = INSIDE;
  CMB_TRY(look_at_ends(w, g)); /* is most often enough */
  add_slack(w, g);
  bounds_at_first(w, g);
  if (!is_inside(g, false)) CMB_TRY(look_along(w, g, &found));
  *unseen = found == OUTSIDE;
  return CMB_OK;
}

static bool keep_signs(int count, const cmb_interval *rates)
{
  for (int i = 0; i < count; i++) {
    if (!(rates[i].low >= 0) && !(rates[i].high <= 0)) return false;
  }
  return true;
}

/* Whether all functions of time only rise or only fall in the step: between its ends they are not outside of what is seen there. */
static bool is_monotone(cmb_variation *w)
{
  const cmb_equations *eq = w->ev->eq;
  const double t0 = cmb_integrator_t_before(w->in), t1 = cmb_integrator_t(w->in);
  const double ahead = t0 + STEPS_AHEAD * (t1 - t0);
  if (t0 >= w->same_from && t1 <= w->same_to) return true;
  if (!eq->time_rates || t1 < w->same_after) return false;
  const cmb_box box = cmb_evaluator_box(w->ev, (cmb_interval){t0, ahead}, NULL);
  eq->time_rates(eq->self, &box, w->time.bounds);
  w->same_after = ahead;
  if (!keep_signs(eq->nt, w->time.bounds)) return false;
  w->same_from = t0;
  w->same_to = ahead;
  return true;
}

cmb_status cmb_variation_unseen(cmb_variation *w, bool *unseen)
{
  const double t = cmb_integrator_t(w->in);
  const bool look_at_time = w->time.count > 0 && !is_monotone(w);
  *unseen = false;
  if (w->time.count == 0 && w->path.count == 0) {
    return w->also ? cmb_variation_unseen(w->also, unseen) : CMB_OK;
  }
  if (look_at_time) CMB_TRY(look(w, &w->time, unseen));
  if (w->path.count > 0 && !*unseen) CMB_TRY(look(w, &w->path, unseen));
  if (w->also && !*unseen) CMB_TRY(cmb_variation_unseen(w->also, unseen));
  if (*unseen) return CMB_OK;
  if (look_at_time) keep(&w->time, t);
  keep(&w->path, t);
  w->t_earlier = cmb_integrator_t_before(w->in);
  return CMB_OK;
}
