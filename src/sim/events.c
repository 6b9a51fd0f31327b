/*
 * Location of events (Simeon 1996 §4.3). The mode holds the sign m_i of each switching function s_i, frozen in a
 * step; for a level it is a whole number, and m_i is +1, since s_i is positive while that number is right. All functions
 * together are watched through
 *
 *     F(t) = min_i m_i s_i(t):   F >= 0 while nothing has switched, and its first zero is the first event.
 *
 * Phase 1 looks at F on the plain dense output. Functions with bounds are enclosed over the step (enclosure.h), so that no
 * zero is missed. Others are looked at in eight points of a step, and at a function's inner minimum where the points suggest
 * that it dips below zero and comes back between two of them. A few iterations of the root finder narrow the bracket. Phase 2 goes on with the projected dense output, whose
 * multipliers come from eq. (4), until the bracket is as narrow as time can be told apart. The event is
 * taken at the far end of the bracket, where the sign has changed for certain. A zero of the plain dense output that the projected one does not have
 * is that of a function that dips to 0; the plain one lies off the constraints.
 */
#include "sim/events.h"

#include "base/context.h"
#include "dae/modes.h"
#include "dae/project.h"
#include "math/root.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The projected dense output may change its sign beside the bracket found on the plain one: this part of a step. */
static const double AROUND = 1e-3;

static const double TOUCHING = 1e-10; /* a gap, as a part of the largest that it has been */

enum { PLAIN_ITERATIONS = 4, PROBES = 8, ROOT_ITERATIONS = 120 };

void cmb_events_create(cmb_events *e, cmb_arena *arena, cmb_integrator *in)
{
  cmb_evaluator *ev = cmb_integrator_evaluator(in);
  const cmb_equations *eq = ev->eq;
  *e = (cmb_events){.in = in, .ev = ev, .ns = eq->ns};
  for (int k = 0; k <= CMB_EVENT_SAMPLES; k++) e->s[k] = cmb_arena_doubles(arena, eq->ns);
  e->s_probe = cmb_arena_doubles(arena, eq->ns);
  e->s_edge = cmb_arena_doubles(arena, eq->ns);
  e->s_found = cmb_arena_doubles(arena, eq->ns);
  e->lift_before = cmb_arena_doubles(arena, eq->ns);
  e->q = cmb_arena_doubles(arena, eq->nq);
  e->q_found = cmb_arena_doubles(arena, eq->nq);
  e->v = cmb_arena_doubles(arena, eq->nv);
  e->v_found = cmb_arena_doubles(arena, eq->nv);
  e->lambda_found = cmb_arena_doubles(arena, eq->ng);
  e->mode_new = cmb_arena_ints(arena, eq->ns);
  e->a = cmb_arena_doubles(arena, eq->nv);
  e->lambda = cmb_arena_doubles(arena, eq->ng);
  cmb_enclosure_create(&e->enclosure, arena, in);
  e->ignored = cmb_arena_take(arena, (size_t)eq->ns, sizeof *e->ignored);
  e->constrained = cmb_arena_take(arena, (size_t)eq->ns, sizeof *e->constrained);
  e->small = cmb_arena_take(arena, (size_t)eq->ns, sizeof *e->small);
  e->scale = cmb_arena_doubles(arena, eq->ns);
  e->lift = cmb_arena_doubles(arena, eq->ns);
  e->unit = cmb_arena_doubles(arena, eq->ns);
  e->steepest = cmb_arena_doubles(arena, eq->ns);
  for (int i = 0; e->unit && i < eq->ns; i++) e->unit[i] = 1;
  e->enclosure.ignored = e->ignored;
  e->enclosure.lift = e->lift;
  for (int i = 0; i < eq->ns; i++) e->sampled |= !eq->enclose || !eq->switch_enclosed[i];
  cmb_mode_search_create(&e->search, arena, eq);
  e->search.s = e->s[0]; /* the first step begins there */
  e->search.lift = e->lift;
}

void cmb_events_leave_zero(cmb_events *e, int i, double s, double least)
{
  e->lift[i] = fmax(2 * fabs(s), least);
}

/* The switching functions, with what those that leave their zero are lifted by. */
static cmb_status look(cmb_events *e, double t, double *s)
{
  CMB_TRY(cmb_switches(e->ev, t, e->q, e->v, e->lambda, s));
  for (int i = 0; i < e->ns; i++) s[i] += cmb_mode_sign(e->ev, i) * e->lift[i];
  return CMB_OK;
}

/* Functions with the values s[0] that have left their zero. */
static void end_lifts(cmb_events *e)
{
  for (int i = 0; i < e->ns; i++) {
    if (fabs(e->s[0][i]) >= e->lift[i]) e->lift[i] = 0;
  }
}

/* F, from the values s. */
static double margin(const cmb_events *e, const double *s)
{
  double least = INFINITY;
  for (int i = 0; i < e->ns; i++) {
    if (!e->ignored[i]) least = fmin(least, cmb_mode_sign(e->ev, i) * s[i]);
  }
  return least;
}

/* Switching functions on the plain dense output; multipliers between those of the ends, unless they are to be solved for. */
static cmb_status sample_plain(cmb_events *e, double theta, double *s)
{
  const double *before = cmb_integrator_lambda_before(e->in), *after = cmb_integrator_lambda(e->in);
  double t = cmb_integrator_time_at(e->in, theta);
  CMB_TRY(cmb_integrator_interpolate(e->in, t, e->q, e->v));
  if (e->solves) CMB_TRY(cmb_accelerate(e->ev, t, e->q, e->v, e->a, e->lambda));
  for (int i = 0; !e->solves && i < e->ev->eq->ng; i++) {
    e->lambda[i] = before[i] + theta * (after[i] - before[i]);
  }
  return look(e, t, s);
}

static cmb_status sample_projected(cmb_events *e, double theta, double *s)
{
  double t = cmb_integrator_time_at(e->in, theta);
  CMB_TRY(cmb_integrator_interpolate(e->in, t, e->q, e->v));
  if (e->ev->eq->ng == 0) {
    if (e->ev->eq->normalize) e->ev->eq->normalize(e->ev->eq->self, e->q);
  } else {
    CMB_TRY(cmb_project(e->ev, t, e->q, e->v));
    CMB_TRY(cmb_accelerate_factored(e->ev, t, e->q, e->v, e->a, e->lambda));
  }
  return look(e, t, s);
}

/* The state just sampled lies behind the sign change: remember it. */
static void keep_found(cmb_events *e, double theta, const double *s)
{
  const cmb_equations *eq = e->ev->eq;
  memcpy(e->s_found, s, (size_t)e->ns * sizeof *s);
  e->t = cmb_integrator_time_at(e->in, theta);
  e->theta = theta;
  memcpy(e->q_found, e->q, (size_t)eq->nq * sizeof(double));
  memcpy(e->v_found, e->v, (size_t)eq->nv * sizeof(double));
  memcpy(e->lambda_found, e->lambda, (size_t)eq->ng * sizeof(double));
}

/* Function i has a positive local minimum of m_i s_i near the middle of three points. Follow it down by
 * parabolas: *below is a point where it is negative, or stays as it is. */
static cmb_status probe_dip(cmb_events *e, int i, const double x[3], const double f[3],
                            double *below)
{
  double a = x[0], b = x[1], c = x[2], fa = f[0], fb = f[1], fc = f[2];
  for (int k = 0; k < PROBES; k++) {
    double p = (b - a) * (fb - fc), r = (b - c) * (fb - fa);
    double at = b - 0.5 * ((b - a) * p - (b - c) * r) / (p - r);
    if (!(at > a && at < c) || fabs(at - b) < 1e-6 * (c - a)) return CMB_OK;
    CMB_TRY(sample_plain(e, at, e->s_probe));
    double f_at = cmb_mode_sign(e->ev, i) * e->s_probe[i];
    if (f_at < 0) {
      *below = at;
      return CMB_OK;
    }
    if (f_at > 0.75 * fb) return CMB_OK; /* flattening out above zero */
    if (at < b) {
      c = b, fc = fb;
    } else {
      a = b, fa = fb;
    }
    b = at, fb = f_at;
  }
  return CMB_OK;
}

/* Dips of any function between three points with the values s; *below is beyond the step if there is none. */
static cmb_status look_for_dips(cmb_events *e, const double x[3], double *const s[3], double *below)
{
  *below = INFINITY;
  for (int i = 0; i < e->ns; i++) {
    if (e->ignored[i]) continue;
    int m = cmb_mode_sign(e->ev, i);
    const double f[3] = {m * s[0][i], m * s[1][i], m * s[2][i]};
    double here = INFINITY;
    if (f[1] < 0) {
      here = x[1];
    } else if (f[1] < f[0] && f[1] < f[2]) {
      CMB_TRY(probe_dip(e, i, x, f, &here));
    }
    *below = fmin(*below, here);
  }
  return CMB_OK;
}

/* θ of sample k */
static double place_of(const cmb_events *e, double k)
{
  return e->from + (1 - e->from) * k / CMB_EVENT_SAMPLES;
}

/* Dips that end at sample k: around sample k - 1; and in the first and the last interval next to the step's ends, where a
 * further sample close to the end shows whether a function comes from or goes to a minimum. */
static cmb_status dips_up_to(cmb_events *e, int k, double *from, double *below)
{
  const double edge = 1.0 / 16;
  if (k == 1 || k == CMB_EVENT_SAMPLES) {
    const double near = place_of(e, k == 1 ? edge : k - edge);
    const double x[3] = {place_of(e, k - 1), near, place_of(e, k)};
    double *const s[3] = {e->s[k - 1], e->s_edge, e->s[k]};
    CMB_TRY(sample_plain(e, near, e->s_edge));
    *from = x[0];
    CMB_TRY(look_for_dips(e, x, s, below));
    if (*below <= 1 || k == 1) return CMB_OK;
  }
  const double x[3] = {place_of(e, k - 2), place_of(e, k - 1), place_of(e, k)};
  double *const s[3] = {e->s[k - 2], e->s[k - 1], e->s[k]};
  *from = x[0];
  return look_for_dips(e, x, s, below);
}

/* Phase 1 by points: the first interval of the step in which F changes sign; b > 1 if there is none. */
static cmb_status scan_points(cmb_events *e, double *a, double *b)
{
  for (int k = 1; k <= CMB_EVENT_SAMPLES; k++) {
    *a = place_of(e, k - 1);
    *b = place_of(e, k);
    CMB_TRY(sample_plain(e, *b, e->s[k]));
    if (margin(e, e->s[k]) < 0) return CMB_OK;
    CMB_TRY(dips_up_to(e, k, a, b));
    if (*b <= 1) return CMB_OK;
  }
  *b = 2;
  return CMB_OK;
}

static cmb_status sample(void *user, double theta, double *s)
{
  return sample_plain(user, theta, s);
}

/* Phase 1: by bounds where there are some, by points for the other functions. */
static cmb_status scan(cmb_events *e, double *a, double *b)
{
  double low = 0, high = 2;
  *b = 2;
  if (e->ev->eq->enclose) CMB_TRY(cmb_enclosure_first(&e->enclosure, sample, e, e->from, a, b));
  if (!e->sampled) return CMB_OK;
  CMB_TRY(scan_points(e, &low, &high));
  if (high < *b) *a = low, *b = high;
  return CMB_OK;
}

static cmb_status narrow_plain(cmb_events *e, double *a, double *b)
{
  cmb_root root;
  double fa = 0, fb;
  if (*a > e->from) {
    CMB_TRY(sample_plain(e, *a, e->s_probe));
    fa = margin(e, e->s_probe);
  }
  CMB_TRY(sample_plain(e, *b, e->s_probe));
  fb = margin(e, e->s_probe);
  cmb_root_begin(&root, *a, fa, *b, fb);
  for (int k = 0; k < PLAIN_ITERATIONS; k++) {
    double x = cmb_root_next(&root);
    CMB_TRY(sample_plain(e, x, e->s_probe));
    cmb_root_update(&root, x, margin(e, e->s_probe));
  }
  *a = fmin(root.a, root.b);
  *b = fmax(root.a, root.b);
  return CMB_OK;
}

/* The bracket on the projected output: widen the plain one towards [low, high] until it holds. */
static cmb_status bracket_projected(cmb_events *e, double low, double high, double *a, double *fa,
                                    double *b, double *fb)
{
  double widen = fmax(*b - *a, 1e-6);
  for (;; widen *= 16) {
    *fa = 0;
    if (*a > e->from) {
      CMB_TRY(sample_projected(e, *a, e->s_probe));
      *fa = margin(e, e->s_probe);
    }
    if (*fa >= 0) break;
    if (*a <= low) return CMB_RETRY_NEWTON;
    *b = *a;
    *a = fmax(low, *a - widen);
  }
  for (;; widen *= 16) {
    CMB_TRY(sample_projected(e, *b, e->s_probe));
    *fb = margin(e, e->s_probe);
    if (*fb < 0) break;
    if (*b >= high) return CMB_RETRY_NEWTON;
    *a = *b;
    *fa = *fb;
    *b = fmin(high, *b + widen);
  }
  keep_found(e, *b, e->s_probe);
  return CMB_OK;
}

/* Parts of a step that can be told apart in time. */
static double resolution(const cmb_events *e)
{
  const double t = fabs(cmb_integrator_t(e->in));
  const double h = cmb_integrator_t(e->in) - cmb_integrator_t_before(e->in);
  return fmax(4 * DBL_EPSILON * t / h, 4 * DBL_EPSILON);
}

/* Phase 2: to the resolution of time. */
static cmb_status locate_projected(cmb_events *e, double low, double high, double a, double b)
{
  const double enough = resolution(e);
  double fa, fb;
  CMB_TRY(bracket_projected(e, low, high, &a, &fa, &b, &fb));
  cmb_root root;
  cmb_root_begin(&root, a, fa, b, fb);
  for (int k = 0; k < ROOT_ITERATIONS && cmb_root_width(&root) > enough; k++) {
    double x = cmb_root_next(&root);
    CMB_TRY(sample_projected(e, x, e->s_probe));
    double f = margin(e, e->s_probe);
    if (f < 0) keep_found(e, x, e->s_probe);
    cmb_root_update(&root, x, f);
  }
  return CMB_OK;
}

/* Whether all functions that the rule reads are marked. */
static bool all_marked(const cmb_events *e, int rule, const bool *marked)
{
  const bool *reads = e->ev->eq->rule_reads + (ptrdiff_t)rule * e->ns;
  for (int i = 0; i < e->ns; i++) {
    if (reads[i] && !marked[i]) return false;
  }
  return true;
}

/* The units of gaps, where the state has last been sampled. */
static cmb_status find_units(cmb_events *e, double t)
{
  const cmb_equations *eq = e->ev->eq;
  if (!eq->surfaces) return CMB_OK;
  CMB_TRY(cmb_surfaces(e->ev, t, e->q, e->v));
  for (int k = 0; k < eq->rule_count; k++) {
    const bool *reads = eq->rule_reads + (ptrdiff_t)k * e->ns;
    const double size = eq->rules[k].gap ? cmb_surface_size(e->ev, k) : 1;
    for (int i = 0; i < e->ns; i++) {
      if (!reads[i] || !eq->switch_of_gap[i]) continue;
      e->unit[i] = size;
      e->steepest[i] = fmax(e->steepest[i], size);
    }
  }
  return CMB_OK;
}

/* Gaps that are 0 at both ends of the step, and their rates too, but for rounding or what is within the tolerances, belong to bodies
 * that touch: they are not looked at. What really closes does not stay there, and is seen in this step or in the next. A rate that stays at 0 while
 * the gap is open, as that of a body at rest with no force on it, is not looked at either: where the gap closes it is. */
static cmb_status ignore_touching(cmb_events *e)
{
  const cmb_equations *eq = e->ev->eq;
  for (int i = 0; i < e->ns; i++) e->ignored[i] = e->still[i] != 0 || e->constrained[i];
  if (!eq->switch_of_gap || eq->rule_count == 0) return CMB_OK;
  CMB_TRY(sample_plain(e, 1, e->s_probe));
  CMB_TRY(find_units(e, cmb_integrator_time_at(e->in, 1)));
  const double atol = cmb_integrator_atol(e->in);
  for (int i = 0; i < e->ns; i++) {
    const double most = fmax(fabs(e->s[0][i]), fabs(e->s_probe[i]));
    e->scale[i] = fmax(e->scale[i], most);
    e->small[i] = eq->switch_of_gap[i] && most <= fmax(TOUCHING * e->scale[i], atol * e->unit[i]);
    e->ignored[i] = e->ignored[i] || e->small[i];
  }
  for (int k = 0; k < eq->rule_count; k++) {
    const bool *reads = eq->rule_reads + (ptrdiff_t)k * e->ns;
    if (all_marked(e, k, e->small)) continue;
    for (int i = 0; i < e->ns; i++) {
      const bool open = reads[i] && eq->switch_order[i] != 1;
      e->ignored[i] = e->ignored[i] && (!open || e->still[i] != 0);
    }
  }
  return CMB_OK;
}

/* The first zero from `from` on; *theta is where the plain dense output has it. */
static cmb_status find_first(cmb_events *e, bool *found, double *theta)
{
  double a = 0, b = 2;
  CMB_TRY(scan(e, &a, &b));
  if (b > 1) return CMB_OK;
  const double around = fmax(b - a, AROUND);
  double low = fmax(e->from, a - around), high = fmin(1, b + around);
  CMB_TRY(narrow_plain(e, &a, &b));
  *theta = b;
  CMB_TRY(locate_projected(e, low, high, a, b));
  *found = true;
  return CMB_OK;
}

/* Functions that have a zero before θ on the plain dense output and none on the projected one are lifted by twice what lies between the
 * two; *any: there are some. */
static cmb_status lift_dips(cmb_events *e, double theta, bool *any)
{
  *any = false;
  CMB_TRY(sample_plain(e, theta, e->s_edge));
  CMB_TRY(sample_projected(e, theta, e->s_probe));
  for (int i = 0; i < e->ns; i++) {
    const int m = cmb_mode_sign(e->ev, i);
    const double plain = m * e->s_edge[i], projected = m * e->s_probe[i];
    if (e->ignored[i] || !(plain < 0 && projected >= 0)) continue;
    e->lift[i] += 2 * (projected - plain);
    *any = true;
  }
  return CMB_OK;
}

/* Whether a function is behind its zero in the state found only with what it is lifted by now. */
static bool is_of_lifted(const cmb_events *e)
{
  for (int i = 0; i < e->ns; i++) {
    const bool lifted = e->lift[i] > e->lift_before[i];
    if (lifted && !e->ignored[i] && cmb_mode_sign(e->ev, i) * e->s_found[i] < 0) return true;
  }
  return false;
}

/* A zero on the plain dense output is none on the projected one. A function that only dips below 0, by less than what lies between the two, has
 * none: no smaller step would show it, as where a body touches a surface without entering it. The step is looked at without the dip. */
static cmb_status find_behind_dip(cmb_events *e, bool *found, double theta)
{
  const size_t size = (size_t)e->ns * sizeof *e->lift;
  bool any;
  memcpy(e->lift_before, e->lift, size);
  cmb_status status = lift_dips(e, theta, &any);
  if (status == CMB_OK) status = any ? find_first(e, found, &theta) : CMB_RETRY_NEWTON;
  if (status == CMB_OK && *found && is_of_lifted(e)) status = CMB_RETRY_NEWTON;
  if (status == CMB_OK) return CMB_OK;
  memcpy(e->lift, e->lift_before, size);
  *found = false;
  return status;
}

/* The first event of the step, by a search of refined dense output. */
static cmb_status find_refined(cmb_events *e, bool *found)
{
  double theta = 0;
  cmb_status status = find_first(e, found, &theta);
  if (status != CMB_RETRY_NEWTON || e->from > 0) return status; /* what was found before stays */
  return find_behind_dip(e, found, theta);
}

/* Most steps have no event, and that may be proved without refining dense output that is still rough. If states inside of the step are
 * handed out nevertheless, they will come from the refined polynomial, and that has to be searched, too. */
cmb_status cmb_events_find(cmb_events *e, bool *found)
{
  bool none = false;
  *found = false;
  if (e->ns == 0 || e->from >= 1) return CMB_OK;
  CMB_TRY(ignore_touching(e));
  if (!e->sampled && e->from == 0) CMB_TRY(cmb_enclosure_excludes(&e->enclosure, &none));
  if (none && !e->outputs_inside) return CMB_OK;
  const cmb_statistics statistics = e->ev->stats;
  const cmb_status status = find_refined(e, found);
  if (none && !e->outputs_count) e->ev->stats = statistics;
  return status;
}

/* The plain dense output, which the first phase looks at, may show the change a little later than the projected one. */
cmb_status cmb_events_go_on(cmb_events *e, bool *goes_on)
{
  double part = resolution(e);
  *goes_on = false;
  while (part <= AROUND && !*goes_on) {
    e->from = fmin(e->theta + part, 1);
    CMB_TRY(sample_plain(e, e->from, e->s[0]));
    *goes_on = margin(e, e->s[0]) >= 0;
    part *= 4;
  }
  return CMB_OK;
}

/* The modes of the state found into mode_new; the evaluator keeps its own. */
static cmb_status find_modes(cmb_events *e, const double *a, bool *changed)
{
  const size_t size = (size_t)e->ns * sizeof *e->mode_new;
  CMB_TRY(
      cmb_find_modes(e->ev, &e->search, e->t, e->q_found, e->v_found, e->lambda_found, a, changed));
  if (e->ns == 0) return CMB_OK;
  memcpy(e->mode_new, e->ev->mode, size);
  memcpy(e->ev->mode, e->search.before, size);
  end_lifts(e);
  return CMB_OK;
}

cmb_status cmb_events_find_at_end(cmb_events *e, double soon, bool *found)
{
  const cmb_equations *eq = e->ev->eq;
  const double *q = cmb_integrator_q(e->in), *v = cmb_integrator_v(e->in),
               *a = cmb_integrator_a(e->in), t = cmb_integrator_t(e->in);
  *found = false;
  if (e->ns == 0) return CMB_OK;
  cmb_rates(e->ev, q, v, e->q);
  for (int i = 0; i < eq->nq; i++) e->q[i] = q[i] + soon * e->q[i];
  for (int i = 0; i < eq->nv; i++) e->v[i] = v[i] + soon * a[i];
  memcpy(e->lambda, cmb_integrator_lambda(e->in), (size_t)eq->ng * sizeof(double));
  CMB_TRY(look(e, t + soon, e->s_probe));
  if (!(margin(e, e->s_probe) < 0)) return CMB_OK;
  keep_found(e, 1, e->s_probe);
  return cmb_events_new_modes(e, found);
}

/* Accelerations are those of the old modes, and of no use: velocities tell where a function goes that is exactly 0. */
cmb_status cmb_events_new_modes(cmb_events *e, bool *changed)
{
  return find_modes(e, e->search.no_change, changed);
}

cmb_status cmb_events_here(cmb_events *e)
{
  CMB_TRY(cmb_switches(e->ev, cmb_integrator_t(e->in), cmb_integrator_q(e->in),
                       cmb_integrator_v(e->in), cmb_integrator_lambda(e->in), e->s[0]));
  end_lifts(e);
  return CMB_OK;
}

void cmb_events_at_end(cmb_events *e)
{
  const cmb_equations *eq = e->ev->eq;
  e->t = cmb_integrator_t(e->in);
  memcpy(e->q_found, cmb_integrator_q(e->in), (size_t)eq->nq * sizeof *e->q_found);
  memcpy(e->v_found, cmb_integrator_v(e->in), (size_t)eq->nv * sizeof *e->v_found);
  memcpy(e->lambda_found, cmb_integrator_lambda(e->in), (size_t)eq->ng * sizeof *e->lambda_found);
}

cmb_status cmb_events_modes_at_end(cmb_events *e)
{
  bool changed;
  cmb_events_at_end(e);
  return find_modes(e, NULL, &changed);
}
