/*
 * Finds switching functions that are held at their switch, and releases them (run.h, dae/sliding.h). If both modes of a function lead back to its
 * zero, it does not switch: the motion goes on along s = 0 (a sliding mode; sticking friction is the plainest example). For a function of
 * velocities this is decided by ds/dt in the two modes. For a function of positions d²s/dt² decides in the same way, but only where the time
 * between two changes of sign makes less of a difference than the tolerances.
 */
#include "base/context.h"
#include "math/finite.h"
#include "math/random.h"
#include "sim/run.h"

#include <math.h>
#include <string.h>

static const double NOTHING =
    1e-9; /* part of a gradient that constraints leave of one that they hold */
static const double SAME_RATIO = 1e-6; /* of two values of a function to those of another */
static const double JUMPED =
    1e3; /* a held function that is further from 0, in tolerances, has jumped */
static const double LEFT =
    1e-2; /* one that is further from 0, beside the largest rate, is not held */

void cmb_run_stop_holding(cmb_simulation *sim, int leader, int side)
{
  for (int i = 0; i < sim->eq->ns; i++) {
    const int group = sim->hold_of[i];
    if (group == 0 || cmb_slide_leader(group) != leader) continue;
    sim->hold_of[i] = 0;
    sim->ev->mode[i] = sim->events->mode_new[i] = cmb_slide_mode(group, side);
  }
}

void cmb_run_release_function(cmb_simulation *sim, int leader)
{
  for (int i = 0; i < sim->eq->ns; i++) {
    if (sim->hold_of[i] != 0 && cmb_slide_leader(sim->hold_of[i]) == leader) {
      sim->released[i] = cmb_run_away(sim, i);
    }
  }
}

cmb_status cmb_run_leave_zeros(cmb_simulation *sim, bool jumped)
{
  const cmb_resting *resting = sim->regime->resting;
  cmb_events *e = sim->events;
  bool any = false;
  for (int i = 0; i < sim->eq->ns; i++) any = any || sim->released[i] > 0;
  if (!any) return CMB_OK;
  cmb_status status =
      cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  for (int i = 0; i < sim->eq->ns; i++) {
    const bool held = sim->hold_of[i] != 0 || (resting && resting->limit[i] > 0);
    const bool at_zero = fabs(e->s_probe[i]) <= cmb_run_leeway(sim) * fmax(1, e->unit[i]);
    const bool leaves = sim->released[i] > 0 && !jumped && !held && at_zero;
    if (leaves) cmb_events_leave_zero(e, i, e->s_probe[i], sim->released[i]);
    sim->released[i] = 0;
  }
  return CMB_OK;
}

/* Whether the rests of this regime hold function i. */
bool cmb_run_is_held(const cmb_simulation *sim, int i)
{
  const cmb_resting *resting = sim->regime->resting;
  return resting && resting->held[i] != 0;
}

cmb_status cmb_run_end_redundant_holds(cmb_simulation *sim)
{
  for (int i = 0; i < sim->eq->ns; i++) {
    const int leader = cmb_slide_leader(sim->hold_of[i]);
    if (sim->hold_of[i] != 0 && cmb_run_is_held(sim, i)) cmb_run_stop_holding(sim, leader, -1);
  }
  return cmb_run_change_regime(sim);
}

/* The rates of the switching functions at the state found, in the modes that there are; the accelerations into a. */
cmb_status cmb_run_flow_here(cmb_simulation *sim, double *a, double *flow)
{
  const cmb_equations *eq = sim->ev->eq;
  cmb_events *e = sim->events;
  CMB_TRY(cmb_accelerate(sim->ev, e->t, e->q_found, e->v_found, a, e->lambda_found));
  const cmb_point at = cmb_run_point(sim);
  CMB_TRY(eq->switch_flow(eq->self, &at, a, flow));
  return cmb_all_finite(2 * eq->ns, flow) ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_run_release_zeros(cmb_simulation *sim)
{
  const cmb_equations *eq = sim->ev->eq;
  const double *s = sim->events->s[0];
  if (!eq->switch_flow) return CMB_OK;
  cmb_status status = cmb_run_flow_here(sim, sim->a, sim->flow);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", sim->events->t));
  for (int i = 0; i < sim->eq->ns; i++) {
    const bool leaves = eq->switch_order[i] == 1 && sim->ev->mode[i] * sim->flow[i] > 0;
    const bool of_gap = eq->switch_of_gap && eq->switch_of_gap[i];
    const bool released = leaves && s[i] == 0 && !of_gap;
    sim->released[i] = released ? cmb_run_away(sim, i) : 0;
  }
  return CMB_OK;
}

/* A function of positions: whether its changes of sign have come so near to each other that the velocities between them are within the
 * tolerances. Then the velocities become those on the surface. */
static bool settles(cmb_simulation *sim, double rate, double now, double other)
{
  const double time = fabs(rate) / fmin(fabs(now), fabs(other)), part = -rate / (now - other);
  double *v = sim->events->v_found, *jump = sim->v_work;
  for (int i = 0; i < sim->eq->nv; i++) jump[i] = (sim->a[i] - sim->a_other[i]) * time;
  if (!cmb_run_is_negligible(sim, jump)) return false;
  for (int i = 0; i < sim->eq->nv; i++) v[i] += part * (sim->a[i] - sim->a_other[i]);
  return true;
}

/* ---- functions with the same surface */

/* Whether function j may have the surface of function i: it has changed its mode too, or is 0 but for what is within the tolerances, and is
 * of the same kind. Its gradient is `size`, the functions are s. */
static bool may_be_indeterminate(const cmb_simulation *sim, int i, int j, double size,
                                 const double *s)
{
  const int *order = sim->ev->eq->switch_order;
  const bool silent = sim->eq->switch_silent && sim->eq->switch_silent[j];
  if (sim->hold_of[j] != 0 || order[j] != order[i] || silent || cmb_run_is_held(sim, j))
    return false;
  if (sim->ev->mode[j] != sim->mode_before[j]) return true;
  return order[j] == 1 && fabs(s[j]) <= size * cmb_run_slowness(sim);
}

double *cmb_run_probe(const cmb_simulation *sim, int k)
{
  return sim->flow + 2 * k * (ptrdiff_t)sim->most_ns;
}

/* What the accelerations of some direction, one of several at random, add to the rates of all functions: their gradients in that direction.
 * `permitted`: in what the constraints permit of it. */
static cmb_status gradient_along(cmb_simulation *sim, uint32_t *random, bool permitted,
                                 double *along)
{
  const cmb_equations *eq = sim->ev->eq;
  const cmb_events *e = sim->events;
  const cmb_point at = cmb_run_point(sim);
  double *back = cmb_run_probe(sim, CMB_PROBES), *direction = sim->a_other;
  for (int k = 0; k < eq->nv; k++) direction[k] = cmb_random(random);
  if (permitted && eq->ng > 0) {
    CMB_TRY(cmb_factor_at(sim->ev, e->t, e->q_found));
    cmb_multiply_mass(sim->ev, direction, sim->v_work);
    cmb_solve(sim->ev, sim->v_work, NULL, direction, sim->lambda_work);
  }
  CMB_TRY(eq->switch_flow(eq->self, &at, direction, along));
  for (int k = 0; k < eq->nv; k++) direction[k] = -direction[k];
  CMB_TRY(eq->switch_flow(eq->self, &at, direction, back));
  for (int k = 0; k < eq->ns; k++) along[k] = (along[k] - back[k]) / 2;
  return cmb_all_finite(eq->ns, along) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Whether the two values of function j are those of function i, but for a factor. */
static bool are_parallel(const double *first, const double *second, int i, int j)
{
  const double a = first[j] * second[i], b = second[j] * first[i];
  return fabs(a - b) <= SAME_RATIO * fmax(fabs(a), fabs(b));
}

cmb_status cmb_run_find_gradients(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  uint32_t random = CMB_RANDOM_FIRST;
  CMB_TRY(cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe));
  for (int k = 0; k < CMB_PROBES; k++)
    CMB_TRY(gradient_along(sim, &random, true, cmb_run_probe(sim, k)));
  return CMB_OK;
}

cmb_status cmb_run_mark_constrained(cmb_simulation *sim, bool *any)
{
  const cmb_equations *eq = sim->eq;
  cmb_events *e = sim->events;
  const double zero = cmb_run_leeway(sim), *before = e->s[0];
  const double *freely = cmb_run_probe(sim, 0), *permitted = cmb_run_probe(sim, 1);
  uint32_t random = CMB_RANDOM_FIRST;
  *any = false;
  if (!eq->switch_flow || eq->ng == 0) return CMB_OK;
  CMB_TRY(cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe));
  CMB_TRY(gradient_along(sim, &random, false, cmb_run_probe(sim, 0)));
  CMB_TRY(gradient_along(sim, &random, true, cmb_run_probe(sim, 1)));
  for (int i = 0; i < eq->ns; i++) {
    const bool of_gap = eq->switch_of_gap && eq->switch_of_gap[i];
    const bool is_zero = fmax(fabs(before[i]), fabs(e->s_probe[i])) <= zero * fabs(freely[i]);
    const bool held = is_zero && fabs(permitted[i]) <= NOTHING * fabs(freely[i]);
    if (eq->switch_order[i] != 1 || of_gap || e->constrained[i] || !held) continue;
    *any = e->constrained[i] = true;
  }
  return CMB_OK;
}

double cmb_run_gradient_size(const cmb_simulation *sim, int i)
{
  double size = 0;
  for (int k = 0; k < CMB_PROBES; k++) size = fmax(size, fabs(cmb_run_probe(sim, k)[i]));
  return size;
}

int cmb_run_ratio_sign(const cmb_simulation *sim, int i, int j)
{
  double factor = 0;
  for (int k = 0; k < CMB_PROBES; k++) {
    const double *one = cmb_run_probe(sim, k), *next = cmb_run_probe(sim, (k + 1) % CMB_PROBES);
    if (!are_parallel(one, next, i, j)) return 0;
    factor += one[i] * one[j];
  }
  return factor < 0 ? -1 : factor > 0;
}

/* The functions whose gradients are those of function i but for a factor, into `with`: its sign; 0 for the others. What the constraints leave
 * of the gradients counts: joints that friction holds in a mechanism with one freedom stop together. off (ns) is how much further each function is
 * from 0 than errors of the run make it. */
static cmb_status find_sharing(cmb_simulation *sim, int i, int *with, double *off)
{
  CMB_TRY(cmb_run_find_gradients(sim));
  for (int j = 0; j < sim->eq->ns; j++) {
    const double size = cmb_run_gradient_size(sim, j);
    off[j] = fabs(sim->events->s_probe[j]) - cmb_run_leeway(sim) * size;
    const bool may = may_be_indeterminate(sim, i, j, size, sim->events->s_probe);
    with[j] = may ? cmb_run_ratio_sign(sim, i, j) : 0;
  }
  with[i] = 1;
  return CMB_OK;
}

/* Whether other functions may depend on the modes of the functions in `with`. */
static bool are_nested(const cmb_simulation *sim, const int *with)
{
  const bool *nested = sim->eq->switch_nested;
  for (int i = 0; i < sim->eq->ns; i++) {
    if (with[i] != 0 && (!nested || nested[i])) return true;
  }
  return false;
}

/* Sets the modes of function i and of those that go with it, `with`, to one side, with all that can hold them there; functions that are not held
 * and depend on these modes get those that follow. */
static cmb_status put_on(cmb_simulation *sim, int i, const int *with, int side)
{
  cmb_events *e = sim->events;
  double *s = cmb_run_probe(sim, CMB_PROBES);
  const bool nested = are_nested(sim, with);
  const int ns = sim->eq->ns;
  if (nested) CMB_TRY(cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, s));
  for (int k = 0; k < ns; k++) {
    if (with[k] != 0) sim->ev->mode[k] = cmb_slide_held_mode(sim->eq, k, with[k], side);
  }
  if (!nested) return CMB_OK;
  for (int k = 0; k < e->ns; k++) {
    sim->fixed[k] = k >= ns || with[k] != 0 || sim->hold_of[k] != 0 || cmb_run_is_held(sim, k);
  }
  return cmb_follow_modes(sim->ev, &e->search, e->t, e->q_found, e->v_found, e->lambda_found, s,
                          CMB_FOLLOWING * fabs(s[i]), sim->fixed);
}

/* Rates where function i and those that go with it are on one side. */
static cmb_status flow_on(cmb_simulation *sim, int i, const int *with, int side, double *a,
                          double *flow)
{
  const size_t size = (size_t)sim->eq->ns * sizeof(int);
  memcpy(sim->mode_kept, sim->ev->mode, size);
  cmb_status status = put_on(sim, i, with, side);
  if (status == CMB_OK) status = cmb_run_flow_here(sim, a, flow);
  memcpy(sim->ev->mode, sim->mode_kept, size);
  return status;
}

/* Those rates on both sides: `now` on that of its mode. */
static cmb_status flow_on_both(cmb_simulation *sim, int i, const int *with, double *now,
                               double *other)
{
  const int side = sim->ev->mode[i];
  CMB_TRY(flow_on(sim, i, with, side, sim->a, now));
  return flow_on(sim, i, with, -side, sim->a_other, other);
}

/* Whether function i is 0, but for errors of the run and the resolution of time, with its rates on both sides. One that has jumped over 0, as
 * x' - floor(t) may, is not. */
static bool is_at_zero(const cmb_simulation *sim, int i, const double *now, const double *other,
                       const double *off)
{
  const cmb_equations *eq = sim->ev->eq;
  const double least = cmb_run_least_step(sim, sim->events->t);
  if (eq->switch_order[i] == 2) return off[i] <= least * fabs(now[eq->ns + i]);
  return off[i] <= least * fmax(fabs(now[i]), fabs(other[i]));
}

/* Finds the functions with the surface of function i, into `with`, and their rates on both sides; *at_zero: function i is on it. A function
 * whose rates do not have the ratio of those of function i leaves the group, which changes the rates of the others: these are examined again. */
static cmb_status find_group(cmb_simulation *sim, int i, int *with, double *now, double *other,
                             bool *at_zero)
{
  double *off = cmb_run_probe(sim, CMB_PROBES + 1);
  CMB_TRY(find_sharing(sim, i, with, off));
  for (bool again = true; again;) {
    again = false;
    CMB_TRY(flow_on_both(sim, i, with, now, other));
    for (int j = 0; j < sim->eq->ns; j++) {
      const bool belongs = is_at_zero(sim, j, now, other, off) && are_parallel(now, other, i, j);
      if (with[j] == 0 || j == i || belongs) continue;
      with[j] = 0;
      again = true;
    }
  }
  *at_zero = is_at_zero(sim, i, now, other, off);
  return CMB_OK;
}

cmb_status cmb_run_find_group(cmb_simulation *sim, int i, int *with)
{
  bool at_zero;
  return find_group(sim, i, with, sim->flow, sim->flow + 2 * (ptrdiff_t)sim->most_ns, &at_zero);
}

cmb_status cmb_run_find_still(cmb_simulation *sim, bool *still)
{
  const int *order = sim->ev->eq->switch_order;
  CMB_TRY(cmb_run_find_gradients(sim));
  for (int i = 0; i < sim->eq->ns; i++) {
    const double slow = cmb_run_gradient_size(sim, i) * cmb_run_slowness(sim);
    still[i] = order[i] == 1 && fabs(sim->events->s_probe[i]) <= slow;
  }
  return CMB_OK;
}

/* Function i has just changed its sign: do its new mode and that of the functions with the same surface, into `with`, lead back, as the
 * old ones did? */
static cmb_status evaluate_hold(cmb_simulation *sim, int i, int *with, bool *hold_of)
{
  const cmb_equations *eq = sim->ev->eq;
  const int sign = sim->ev->mode[i];
  double *now = sim->flow, *other = sim->flow + 2 * (ptrdiff_t)sim->most_ns;
  bool at_zero;
  CMB_TRY(find_group(sim, i, with, now, other, &at_zero));
  *hold_of = at_zero && sign * now[i] < 0 && sign * other[i] > 0;
  if (*hold_of && eq->switch_order[i] == 2) {
    *hold_of = settles(sim, now[eq->ns + i], now[i], other[i]);
  }
  return CMB_OK;
}

/* What is mixed must be a sum. */
static cmb_status refuse_products(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  const char *const *names = sim->ev->eq->switch_names;
  const cmb_point at = cmb_run_point(sim);
  int first, second;
  cmb_status status = cmb_sliding_products(sim->regime->sliding, &at, &first, &second);
  CMB_TRY(cmb_run_final(sim, status, "dry friction", e->t));
  if (first < 0) return CMB_OK;
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(e->t, "switching function", names[first]),
      "'%s' and '%s' are both held at their switches at t = %.9g, and a force contains a product "
      "of the two: its value is not determined; expected forces without such a product",
      names[first], names[second], e->t);
}

/* A force that switches with a velocity which friction holds has no value there, unless it acts as that friction does. */
static cmb_status refuse_strangers(cmb_simulation *sim)
{
  const cmb_events *e = sim->events;
  const char *const *names = sim->ev->eq->switch_names;
  const cmb_point at = cmb_run_point(sim);
  int friction, other;
  cmb_status status = cmb_sliding_strangers(sim->regime->sliding, &at, &friction, &other);
  CMB_TRY(cmb_run_final(sim, status, "dry friction", e->t));
  if (friction < 0) return CMB_OK;
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(e->t, "switching function", names[other]),
      "'%s' holds a velocity at 0 at t = %.9g, where another force ('%s') jumps with the sign of "
      "that velocity: the value of this force is not determined while the velocity is held; "
      "expected a force that changes smoothly, or that has a threshold of its own, such as v > "
      "1e-6",
      names[friction], e->t, names[other]);
}

/* What slides now must be determined. */
static cmb_status refuse_mixtures(cmb_simulation *sim)
{
  CMB_TRY(refuse_products(sim));
  return refuse_strangers(sim);
}

/* The leader of a group: function i, or one that conditions read, for with the leader at −1 these are not met. */
static int leader_of(const cmb_simulation *sim, int i, const int *with)
{
  const cmb_equations *eq = sim->eq;
  for (int j = 0; j < eq->ns; j++) {
    for (int k = 0; with[j] != 0 && k < eq->rule_count; k++) {
      if (eq->rules[k].gap && eq->rule_reads[(ptrdiff_t)k * eq->ns + j]) return j;
    }
  }
  return i;
}

void cmb_run_hold_function(cmb_simulation *sim, int i, const int *with)
{
  const int leader = leader_of(sim, i, with);
  for (int j = 0; j < sim->eq->ns; j++) {
    if (with[j] != 0) sim->hold_of[j] = with[j] * with[leader] * (leader + 1);
  }
}

cmb_status cmb_run_check_held_functions(cmb_simulation *sim)
{
  const cmb_sliding *x = sim->regime->sliding;
  const cmb_point at = cmb_run_point(sim);
  if (!x) return CMB_OK;
  cmb_status status = cmb_sliding_find(x, &at);
  if (status != CMB_RETRY_SINGULAR) {
    CMB_TRY(cmb_run_final(sim, status, "dry friction", sim->events->t));
    return refuse_mixtures(sim);
  }
  const char *name = sim->eq->switch_names[x->function[x->count - 1]];
  return cmb_fail_about(
      sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(sim->events->t, "switching function", name),
      "'%s' is held at its switch at t = %.9g, and so are others that hold the same "
      "motion: the force of each of them is not determined",
      name, sim->events->t);
}

cmb_status cmb_run_stop_held(cmb_simulation *sim)
{
  const cmb_point at = cmb_run_point(sim);
  if (!sim->regime->sliding) return CMB_OK;
  cmb_status status = cmb_sliding_stop(sim->regime->sliding, &at, sim->events->v_found);
  return cmb_run_final(sim, status, "dry friction", sim->events->t);
}

cmb_status cmb_run_follow_held(cmb_simulation *sim, bool *changed)
{
  const cmb_point at = cmb_run_point(sim);
  *changed = false;
  return sim->regime->sliding ? cmb_sliding_follow(sim->regime->sliding, &at, changed) : CMB_OK;
}

/* What the forces of the regime are mixed of where everything that it says slides. CMB_RETRY_SINGULAR: others hold the same motion. */
static cmb_status find_mixture(const cmb_simulation *sim)
{
  const cmb_point at = cmb_run_point(sim);
  return cmb_sliding_find(sim->regime->sliding, &at);
}

/* Enters the regime in which function i slides too, unless the forces of the two sides cannot keep it on its surface. */
static cmb_status try_hold(cmb_simulation *sim, int i, const int *with)
{
  const size_t size = (size_t)sim->eq->ns * sizeof(int);
  cmb_regime *before = sim->regime;
  memcpy(sim->mode_kept, sim->ev->mode, size);
  CMB_TRY(put_on(sim, i, with, -with[leader_of(sim, i, with)]));
  cmb_run_hold_function(sim, i, with);
  CMB_TRY(cmb_run_inspect_regime(sim));
  bool changed;
  cmb_status status = cmb_run_follow_held(sim, &changed);
  if (status == CMB_OK) status = find_mixture(sim);
  if (status != CMB_RETRY_SINGULAR) {
    CMB_TRY(cmb_run_enter_regime(sim, false));
    status = find_mixture(sim);
  }
  const cmb_sliding *x = sim->regime->sliding;
  bool hold_of = status == CMB_OK;
  for (int k = 0; hold_of && k < x->count; k++) hold_of = x->hold[k] >= 0;
  if (hold_of) return refuse_mixtures(sim);
  if (status < 0) return status;
  cmb_run_return_to(sim, before);
  for (int j = 0; j < sim->eq->ns; j++) {
    if (with[j] != 0) sim->hold_of[j] = 0;
  }
  memcpy(sim->ev->mode, sim->mode_kept, size);
  return CMB_OK;
}

/* Whether function i may slide. Constraints may read one of positions, and have no mixture of their branches; they cannot read one of
 * velocities. */
static bool can_be_held(const cmb_simulation *sim, int i)
{
  const int order = sim->ev->eq->switch_order[i];
  const bool silent = sim->eq->switch_silent && sim->eq->switch_silent[i];
  if (silent || cmb_run_is_held(sim, i)) return false; /* no force depends on a silent one */
  return order == 1 || (order == 2 && !cmb_left_out_can_change(sim->left_out_watch));
}

/* How far the leader of group k, which has this value at the event found, is from 0, as a velocity or a position. */
static cmb_status find_distance(cmb_simulation *sim, int k, double value, double *distance)
{
  *distance = 0;
  if (fabs(value) <= sim->options.integrator.atol) return CMB_OK;
  CMB_TRY(cmb_run_find_gradients(sim));
  *distance = fabs(value) / cmb_run_gradient_size(sim, sim->regime->sliding->function[k]);
  return CMB_OK;
}

/* The largest velocity, and for a function of positions coordinate, at the event found. */
static double largest_of(const cmb_simulation *sim, int i)
{
  const cmb_events *e = sim->events;
  double largest = 0;
  for (int k = 0; k < sim->eq->nv; k++) largest = fmax(largest, fabs(e->v_found[k]));
  if (sim->eq->switch_order[i] != 2) return largest;
  for (int k = 0; k < sim->eq->nq; k++) largest = fmax(largest, fabs(e->q_found[k]));
  return largest;
}

cmb_status cmb_run_release_jumped(cmb_simulation *sim)
{
  const cmb_integrator_options *o = &sim->options.integrator;
  const cmb_sliding *x = sim->regime->sliding;
  cmb_events *e = sim->events;
  bool any = false;
  if (!x) return CMB_OK;
  cmb_status status =
      cmb_switches(sim->ev, e->t, e->q_found, e->v_found, e->lambda_found, e->s_probe);
  CMB_TRY(cmb_run_final(sim, status, "switching functions", e->t));
  for (int k = 0; k < x->count; k++) {
    const int i = x->function[k], side = x->value[k] > 0 ? 1 : -1;
    double distance;
    CMB_TRY(cmb_run_final(sim, find_distance(sim, k, x->value[k], &distance), "switching functions",
                          e->t));
    if (!(distance > JUMPED * (o->rtol * largest_of(sim, i) + o->atol))) continue;
    cmb_run_stop_holding(sim, i, side);
    CMB_TRY(cmb_run_report_event(sim, CMB_KIND_SWITCH, sim->eq->switch_names[i], i, side));
    any = true;
  }
  return any ? cmb_run_change_regime(sim) : CMB_OK;
}

cmb_status cmb_run_check_held(cmb_simulation *sim)
{
  const cmb_sliding *x = sim->regime->sliding;
  for (int k = 0; x && k < x->count; k++) {
    const int i = x->function[k];
    const char *name = sim->eq->switch_names[i];
    double distance;
    cmb_events_at_end(sim->events);
    cmb_kkt_keep(sim->ev->kkt);
    cmb_status status = find_distance(sim, k, x->value[k], &distance);
    cmb_kkt_restore(sim->ev->kkt);
    CMB_TRY(cmb_run_final(sim, status, "switching functions", sim->events->t));
    if (!(distance > LEFT * largest_of(sim, i) + cmb_run_leeway(sim))) continue;
    return cmb_fail_about(
        sim->ctx, CMB_ERROR_EVENTS, cmb_about_time(sim->events->t, "switching function", name),
        "'%s' is held at its switch, but at t = %.9g it is %.3g away from there: the forces do not "
        "hold it; expected a force that changes smoothly in place of one that switches",
        name, sim->events->t, distance);
  }
  return CMB_OK;
}

void cmb_run_mark_held(cmb_simulation *sim)
{
  const cmb_mean *mean = sim->regime->mean;
  for (int i = 0; i < sim->eq->ns; i++) {
    sim->at_zero[i] = sim->at_zero[i] || mean->side[i] != 0;
  }
}

cmb_status cmb_run_mark_torn(cmb_simulation *sim)
{
  bool any = false, *still = sim->decision.still;
  for (int i = 0; sim->eq->switch_flow && i < sim->eq->ns; i++) any = any || sim->was_torn[i];
  if (!any) return CMB_OK;
  CMB_TRY(cmb_run_final(sim, cmb_run_find_still(sim, still), "dry friction", sim->events->t));
  for (int i = 0; i < sim->eq->ns; i++) {
    if (sim->was_torn[i] && sim->hold_of[i] == 0 && still[i]) sim->at_zero[i] = true;
  }
  return CMB_OK;
}

/* Function i is looked at; but once. */
static bool is_asked_for(cmb_simulation *sim, int i, bool changed)
{
  const int *mode = sim->ev->mode;
  const bool marked = sim->at_zero[i];
  sim->at_zero[i] = false;
  if (sim->hold_of[i] != 0 || !can_be_held(sim, i)) return false;
  if (marked) sim->mode_before[i] = -mode[i]; /* as if it had just come from there */
  return marked || (changed && mode[i] != sim->mode_before[i]);
}

cmb_status cmb_run_find_held_functions(cmb_simulation *sim, bool changed)
{
  if (!sim->eq->switch_flow) return CMB_OK;
  for (int i = 0; i < sim->eq->ns; i++) {
    bool hold_of = false;
    if (!is_asked_for(sim, i, changed)) continue;
    cmb_status status = evaluate_hold(sim, i, sim->same_surface, &hold_of);
    if (status <= 0) CMB_TRY(status); /* else there are no accelerations to tell by */
    if (status == CMB_OK && hold_of) CMB_TRY(try_hold(sim, i, sim->same_surface));
  }
  return CMB_OK;
}
