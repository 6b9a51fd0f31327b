/*
 * Switching functions held at 0 by a mixture of the forces of both modes (sliding.h).
 */
#include "dae/sliding.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/finite.h"

#include <limits.h>
#include <math.h>
#include <string.h>

static const double SAME = 1e-9;        /* relative difference up to which forces count as equal */
static const int INDEPENDENT = INT_MIN; /* a function that does not depend on a group */
static const double NEGLIGIBLE =
    1e-13; /* relative change of a rate by a mode that counts as none */

/* Sets the modes of one friction force that sticks to those of slip in one direction, in mode (ns). The force has a group of switching
 * functions with the same zeros, such as v and −v; the first of them, number `leader`, becomes positive if side = 1 and negative if side = −1. */
static void set_group(const cmb_sliding *x, int leader, int side, int *mode)
{
  for (int i = 0; i < x->layer.inner->ns; i++) {
    const int group = x->group[i];
    if (group != 0 && cmb_slide_leader(group) == leader) {
      mode[i] = cmb_slide_held_mode(x->layer.inner, i, group, side);
    }
  }
}

/* Computes lower (ns) from mode (ns), the modes in which no friction sticks: switching functions that sticking friction holds at 0 get the mode
 * of slip in direction −1, all others keep their modes. */
static void lower_modes(const cmb_layer *layer, const int *mode, int *lower)
{
  const cmb_sliding *x = (const cmb_sliding *)layer;
  for (int i = 0; i < layer->inner->ns; i++) {
    lower[i] = x->group[i] == 0 ? mode[i] : cmb_slide_held_mode(layer->inner, i, x->group[i], -1);
  }
}

void cmb_sliding_lower(const cmb_sliding *x, const int *mode, int k, int *lower)
{
  const int ns = x->layer.inner->ns;
  lower_modes(&x->layer, mode, lower);
  if (k < 0) return;
  set_group(x, x->function[k], 1, lower);
  for (int i = 0; x->nested && i < ns; i++) {
    if (x->upper[k * ns + i] != INDEPENDENT) lower[i] = x->upper[k * ns + i];
  }
}

/* Changes inner modes that have all groups at −1 to those with group k at +1 (`up`), or back. `from` has the modes of the layer. */
static void move_group(const cmb_sliding *x, const int *from, int k, bool up, int *mode)
{
  if (x->nested) {
    cmb_sliding_lower(x, from, up ? k : -1, mode);
  } else {
    set_group(x, x->function[k], up ? 1 : -1, mode);
  }
}

/* Keeps what modes of other functions depend on, with all groups at −1 (x->s_lower, x->lambda_lower). */
static cmb_status keep_lower(const cmb_sliding *x, const cmb_point *at)
{
  if (!x->nested) return CMB_OK;
  memcpy(x->lambda_lower, x->lambda, (size_t)x->layer.inner->ng * sizeof *x->lambda);
  return cmb_switches(x->below, at->t, at->q, at->v, x->lambda_lower, x->s_lower);
}

/* Returns by how much a function has to depend on the modes of the groups to be one that follows them. What a held function, whose value is 0 but for
 * errors, changes without a jump has no other sign behind its zero. */
static double least_change(const cmb_sliding *x, const double *s)
{
  double off = 0;
  for (int k = 0; k < x->count; k++) off = fmax(off, fabs(s[x->function[k]]));
  return CMB_FOLLOWING * off;
}

/* Lets functions that depend on the modes of the groups follow these in the evaluator x->below. */
static cmb_status follow_groups(const cmb_sliding *x, const cmb_point *at)
{
  if (!x->nested) return CMB_OK;
  return cmb_follow_modes(x->below, &x->search, at->t, at->q, at->v, x->lambda_lower, x->s_lower,
                          least_change(x, x->s_lower), x->fixed);
}

/* Finds the modes of functions that depend on group k where it is at +1, into x->upper; *changed: they are not those of before. */
static cmb_status follow_group(cmb_sliding *x, const cmb_point *at, int k, bool *changed)
{
  const int ns = x->layer.inner->ns;
  const double least = least_change(x, x->s_lower);
  int *upper = x->upper + (ptrdiff_t)k * ns;
  cmb_evaluator *ev = x->below;
  lower_modes(&x->layer, at->mode, ev->mode);
  set_group(x, x->function[k], 1, ev->mode);
  CMB_TRY(follow_groups(x, at));
  CMB_TRY(cmb_switches(ev, at->t, at->q, at->v, x->lambda_lower, x->s_upper));
  for (int i = 0; i < ns; i++) {
    const bool differs = ev->mode[i] != at->mode[i] || fabs(x->s_upper[i] - x->s_lower[i]) > least;
    const bool depends = x->fixed[i] == 0 && differs;
    const int mode = depends ? ev->mode[i] : INDEPENDENT;
    *changed = *changed || mode != upper[i];
    upper[i] = mode;
  }
  return CMB_OK;
}

cmb_status cmb_sliding_follow(cmb_sliding *x, const cmb_point *at, bool *changed)
{
  cmb_evaluator *ev = x->below;
  *changed = false;
  if (!x->nested) return CMB_OK;
  lower_modes(&x->layer, at->mode, ev->mode);
  CMB_TRY(cmb_accelerate(ev, at->t, at->q, at->v, x->a, x->lambda));
  CMB_TRY(keep_lower(x, at));
  for (int k = 0; k < x->count; k++) CMB_TRY(follow_group(x, at, k, changed));
  return CMB_OK;
}

/* Finds the least value, with the signs of their modes, of the functions that depend on group k where it is at +1: negative if one of them has
 * another sign. s (ns) has the values with all groups at −1. */
static cmb_status find_margin(const cmb_sliding *x, const cmb_point *at, const double *lambda,
                              const double *s, int k, double *margin)
{
  const cmb_equations *inner = x->layer.inner;
  const double least = least_change(x, s);
  int *mode = x->layer.mode;
  cmb_point above = *at;
  cmb_sliding_lower(x, at->mode, k, mode);
  above.mode = mode;
  CMB_TRY(inner->switches(inner->self, &above, lambda, x->s_upper));
  for (int i = 0; i < inner->ns; i++) {
    if (x->fixed[i] || (mode[i] == at->mode[i] && !(fabs(x->s_upper[i] - s[i]) > least))) continue;
    const int sign = cmb_mode_is_level(x->below, i) ? 1 : mode[i];
    *margin = fmin(*margin, sign * x->s_upper[i]);
  }
  return CMB_OK;
}

/* Sets to 0 the entries of f (nv) that belong to first-order states whose rates depend on accelerations. These entries are no forces, so that
 * the interpolation between the forces for slip in both directions does not apply to them. */
static void clear_late_rows(const cmb_sliding *x, double *f)
{
  const cmb_equations *inner = x->layer.inner;
  for (int i = 0; i < inner->nl; i++) f[inner->late_row[i]] = 0;
}

/* Computes the accelerations x->a with friction that slips instead of sticks, in the current modes and with the KKT factors of the evaluator
 * x->below, and the rates of the switching functions that follow from them, flow (2 ns). */
static cmb_status compute_rates(const cmb_sliding *x, const cmb_point *at, double *flow)
{
  const cmb_equations *inner = x->layer.inner;
  cmb_evaluator *ev = x->below;
  CMB_TRY(cmb_accelerate_factored(ev, at->t, at->q, at->v, x->a, x->lambda));
  const cmb_point point = cmb_evaluator_point(ev, at->t, at->q, at->v);
  CMB_TRY(inner->switch_flow(inner->self, &point, x->a, flow));
  return cmb_all_finite(2 * inner->ns, flow) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Returns whether sticking friction force k cannot influence its sliding velocity: the rate of this velocity is the same, but for rounding,
 * whichever direction the friction slips in. Its weight θ_k is then not unique. */
static bool has_no_effect(const cmb_sliding *x, int k)
{
  const double jump = x->A[(ptrdiff_t)k * (x->count + 1)], rate = x->rest[k];
  return fabs(jump) <= NEGLIGIBLE * (fabs(rate) + fabs(rate + jump));
}

/* Computes the forces of sticking friction, as weights x->theta between their values for slip in both directions (0: direction −1, 1: direction
 * +1), such that all sliding velocities stay 0. x->rest are the rates of these velocities if all friction slips in direction −1. A force
 * without influence on its own rate gets the weight 1/2. Returns a positive status if the equations are singular. */
static cmb_status solve(const cmb_sliding *x)
{
  const int n = x->count;
  memcpy(x->LU, x->A, (size_t)n * (size_t)n * sizeof *x->LU);
  for (int k = 0; k < n; k++) {
    const bool none = has_no_effect(x, k);
    x->theta[k] = none ? 0.5 : -x->rest[k];
    for (int i = 0; none && i < n; i++) x->LU[k * n + i] = i == k;
  }
  CMB_TRY(cmb_lu_factor(n, x->LU, x->scale, x->pivot));
  cmb_lu_solve(n, x->LU, x->pivot, x->theta);
  return CMB_OK;
}

/* Decides for each sticking friction force k whether it keeps sticking: evaluates the rate of its switching function for slip in both
 * directions, while the other forces keep their weights θ. x->hold[k] becomes negative if it is released; the sign of x->mean[k], the mean of
 * both rates, is then the direction in which it slips. */
static void compare_modes(const cmb_sliding *x)
{
  const int n = x->count;
  for (int k = 0; k < n; k++) {
    const double jump = x->A[k * n + k];
    double rate = x->rest[k];
    for (int i = 0; i < n; i++) rate += i == k ? 0 : x->A[k * n + i] * x->theta[i];
    x->hold[k] = fmin(rate, -rate - jump);
    x->mean[k] = rate + jump / 2;
  }
}

cmb_status cmb_sliding_find(const cmb_sliding *x, const cmb_point *at)
{
  const int n = x->count, nv = x->layer.eq.nv, ns = x->layer.inner->ns;
  const size_t size = (size_t)nv * sizeof(double);
  cmb_evaluator *ev = x->below;
  double *first = x->flow, *second = x->flow + 2 * (ptrdiff_t)ns;
  lower_modes(&x->layer, at->mode, ev->mode);
  CMB_TRY(cmb_factor_at(ev, at->t, at->q));
  CMB_TRY(compute_rates(x, at, first));
  clear_late_rows(x, ev->f);
  memcpy(x->f, ev->f, size);
  for (int k = 0; k < n; k++) {
    double *change = x->change + (ptrdiff_t)k * nv;
    move_group(x, at->mode, k, true, ev->mode);
    CMB_TRY(compute_rates(x, at, second));
    clear_late_rows(x, ev->f);
    move_group(x, at->mode, k, false, ev->mode);
    for (int i = 0; i < nv; i++) change[i] = ev->f[i] - x->f[i];
    for (int i = 0; i < n; i++) {
      x->A[i * n + k] = second[x->function[i]] - first[x->function[i]];
    }
    x->rest[k] = first[x->function[k]];
  }
  CMB_TRY(solve(x));
  compare_modes(x);
  return CMB_OK;
}

/* Checks whether the friction forces k and l (groups of held switching functions) are multiplied with each other instead of added:
 * the force for slip of both in direction +1 differs from f₋ + (f_k − f₋) + (f_l − f₋), where f₋ is the force for slip of both in
 * direction −1, and f_k and f_l are those with only one reversed. Stores the answer in *yes. */
static cmb_status are_multiplied(const cmb_sliding *x, const cmb_point *at, int k, int l, bool *yes)
{
  const int nv = x->layer.eq.nv;
  const double *one = x->change + (ptrdiff_t)k * nv, *other = x->change + (ptrdiff_t)l * nv;
  cmb_evaluator *ev = x->below;
  const cmb_terms want = {.f = ev->f};
  double size = 0, rest = 0;
  set_group(x, x->function[k], 1, ev->mode);
  set_group(x, x->function[l], 1, ev->mode);
  cmb_status status = follow_groups(x, at);
  if (status == CMB_OK) status = cmb_evaluate(ev, at->t, at->q, at->v, &want);
  lower_modes(&x->layer, at->mode, ev->mode);
  CMB_TRY(status);
  clear_late_rows(x, ev->f);
  for (int i = 0; i < nv; i++) {
    size = fmax(size, fabs(x->f[i]) + fabs(one[i]) + fabs(other[i]));
    rest = fmax(rest, fabs(ev->f[i] - x->f[i] - one[i] - other[i]));
  }
  *yes = rest > SAME * size;
  return CMB_OK;
}

cmb_status cmb_sliding_products(const cmb_sliding *x, const cmb_point *at, int *first, int *second)
{
  *first = *second = -1;
  if (x->count < 2) return CMB_OK;
  CMB_TRY(cmb_sliding_find(x, at));
  CMB_TRY(keep_lower(x, at));
  for (int k = 0; k < x->count; k++) {
    for (int l = k + 1; l < x->count; l++) {
      bool yes = false;
      CMB_TRY(are_multiplied(x, at, k, l, &yes));
      if (yes) *first = x->function[k], *second = x->function[l];
    }
  }
  return CMB_OK;
}

cmb_status cmb_sliding_residue(const cmb_sliding *x, const cmb_point *at, double *along)
{
  const int n = x->count, ns = x->layer.inner->ns;
  const double *first = x->flow;
  double *second = x->flow + 2 * (ptrdiff_t)ns, *part = x->part;
  cmb_evaluator *ev = x->below;
  CMB_TRY(cmb_sliding_find(x, at));
  for (int k = 0; k < n; k++) part[k] = along[x->function[k]];
  cmb_lu_solve(n, x->LU, x->pivot, part);
  for (int k = 0; k < n; k++) {
    move_group(x, at->mode, k, true, ev->mode);
    CMB_TRY(compute_rates(x, at, second));
    move_group(x, at->mode, k, false, ev->mode);
    for (int i = 0; i < ns; i++) along[i] -= part[k] * (second[i] - first[i]);
  }
  return CMB_OK;
}

/* Computes the impulses by which sticking friction stops slip that remains, so that the held switching functions which are velocities become 0;
 * those of positions keep their rates. x->part (count) gets each impulse as a multiple of the force's difference between slip in directions +1
 * and −1. Forces without influence on their own velocity get no impulse. *any becomes whether there is slip to stop. */
static cmb_status find_impulses(const cmb_sliding *x, const cmb_point *at, bool *any)
{
  const cmb_equations *inner = x->layer.inner;
  const cmb_evaluator *ev = x->below;
  double *s = x->flow;
  CMB_TRY(cmb_sliding_find(x, at));
  const cmb_point below = cmb_evaluator_point(ev, at->t, at->q, at->v);
  CMB_TRY(inner->switches(inner->self, &below, x->lambda, s));
  *any = false;
  for (int k = 0; k < x->count; k++) {
    const int i = x->function[k];
    const bool left = inner->switch_order[i] == 1 && !has_no_effect(x, k) && s[i] != 0;
    x->part[k] = left ? -s[i] : 0;
    *any = *any || left;
  }
  if (*any) cmb_lu_solve(x->count, x->LU, x->pivot, x->part);
  return cmb_all_finite(x->count, x->part) ? CMB_OK : CMB_RETRY_NONFINITE;
}

cmb_status cmb_sliding_stop(const cmb_sliding *x, const cmb_point *at, double *v)
{
  const int nv = x->layer.eq.nv;
  for (int round = 0; round < 2; round++) { /* the second round removes rounding errors */
    bool any;
    CMB_TRY(find_impulses(x, at, &any));
    if (!any) return CMB_OK;
    memset(x->f, 0, (size_t)nv * sizeof *x->f);
    for (int k = 0; k < x->count; k++) {
      cmb_add_scaled(nv, x->part[k], x->change + (ptrdiff_t)k * nv, x->f);
    }
    cmb_solve(x->below, x->f, NULL, x->a, x->lambda);
    cmb_add_scaled(nv, 1, x->a, v);
  }
  return CMB_OK;
}

/* ---- other forces that switch together with sticking friction */

/* Returns a switching function of group k, a group of functions that friction holds at 0: if `sticks` is set, the first one of dry friction
 * whose static friction force exceeds the kinetic one, otherwise the first other one. Returns −1 if the group has none. */
static int member_of(const cmb_sliding *x, int k, bool sticks)
{
  const cmb_equations *inner = x->layer.inner;
  for (int i = 0; i < inner->ns; i++) {
    const bool member = x->group[i] != 0 && cmb_slide_leader(x->group[i]) == x->function[k];
    if (member && cmb_switch_sticks(inner, i) == sticks) return i;
  }
  return -1;
}

/* Computes the change (nv) of the accelerations when some switching functions of group k, which friction holds at 0, change from slip in
 * direction −1 to slip in direction +1: if `sticks` is set, those of dry friction whose static friction force exceeds the kinetic one,
 * otherwise all others. Entries of first-order states whose rates depend on accelerations are 0. */
static cmb_status change_by(const cmb_sliding *x, const cmb_point *at, int k, bool sticks,
                            double *change)
{
  const cmb_equations *inner = x->layer.inner;
  cmb_evaluator *ev = x->below;
  lower_modes(&x->layer, at->mode, ev->mode);
  CMB_TRY(cmb_accelerate_factored(ev, at->t, at->q, at->v, x->a, x->lambda));
  for (int i = 0; i < inner->ns; i++) {
    const int group = x->group[i];
    if (group == 0 || cmb_slide_leader(group) != x->function[k]) continue;
    if (cmb_switch_sticks(inner, i) != sticks) continue;
    ev->mode[i] = cmb_slide_held_mode(inner, i, group, 1);
  }
  CMB_TRY(cmb_accelerate_factored(ev, at->t, at->q, at->v, change, x->lambda));
  for (int i = 0; i < inner->nv; i++) change[i] -= x->a[i];
  clear_late_rows(x, change);
  return CMB_OK;
}

/* Returns whether the vectors one (n) and other (n) are not parallel, up to a small relative error. */
static bool is_not_parallel(int n, const double *one, const double *other)
{
  const double square = cmb_dot(n, one, one);
  const double factor = square > 0 ? cmb_dot(n, one, other) / square : 0;
  double size = 0, rest = 0;
  for (int i = 0; i < n; i++) {
    size = fmax(size, fabs(one[i]) + fabs(other[i]));
    rest = fmax(rest, fabs(other[i] - factor * one[i]));
  }
  return rest > SAME * size;
}

cmb_status cmb_sliding_strangers(const cmb_sliding *x, const cmb_point *at, int *friction,
                                 int *other)
{
  const int nv = x->layer.eq.nv;
  double *one = x->change, *second = x->f;
  *friction = *other = -1;
  for (int k = 0; k < x->count; k++) {
    const int sticks = member_of(x, k, true), stranger = member_of(x, k, false);
    if (sticks < 0 || stranger < 0) continue;
    CMB_TRY(cmb_factor_at(x->below, at->t, at->q));
    CMB_TRY(change_by(x, at, k, true, one));
    CMB_TRY(change_by(x, at, k, false, second));
    if (is_not_parallel(nv, one, second)) *friction = sticks, *other = stranger;
  }
  return CMB_OK;
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const cmb_sliding *x = self;
  const cmb_equations *inner = x->layer.inner;
  if (want->f) CMB_TRY(cmb_sliding_find(x, at));
  const cmb_point below = cmb_layer_point(&x->layer, at);
  CMB_TRY(inner->evaluate(inner->self, &below, want));
  for (int k = 0; want->f && k < x->count; k++) {
    cmb_add_scaled(inner->nv, x->theta[k], x->change + (ptrdiff_t)k * inner->nv, want->f);
  }
  return CMB_OK;
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  const cmb_sliding *x = self;
  const cmb_equations *inner = x->layer.inner;
  CMB_TRY(cmb_sliding_find(x, at));
  const cmb_point below = cmb_layer_point(&x->layer, at);
  CMB_TRY(inner->switches(inner->self, &below, lambda, s));
  for (int k = 0; x->nested && k < x->count; k++) {
    CMB_TRY(find_margin(x, at, lambda, s, k, &x->hold[k]));
  }
  for (int k = 0; k < x->count; k++) x->value[k] = s[x->function[k]];
  for (int i = 0; i < inner->ns; i++) {
    /* functions other than the leaders keep their modes */
    if (x->group[i] != 0) s[i] = at->mode[i];
  }
  for (int k = 0; k < x->count; k++) s[x->function[k]] = x->hold[k];
  return CMB_OK;
}

/* ---- values mixed like the forces */

/* Evaluates values, such as outputs, where friction sticks: calls asked->ask with all sticking friction slipping in direction −1, which gives
 * x₋, and with friction force k in direction +1, which gives x_k. Returns in out (n) the combination x₋ + Σ_k θ_k (x_k − x₋) with the weights
 * θ_k of the friction forces. scratch (2 n) is work space. */
static cmb_status mix(const cmb_sliding *x, const cmb_point *at, const cmb_slide_question *asked,
                      double *scratch, double *out)
{
  const int n = asked->n;
  double *first = scratch, *second = scratch + n;
  int *mode = x->layer.mode;
  CMB_TRY(cmb_sliding_find(x, at));
  lower_modes(&x->layer, at->mode, mode);
  CMB_TRY(asked->ask(asked->user, mode, first));
  memcpy(out, first, (size_t)n * sizeof *out);
  for (int k = 0; k < x->count; k++) {
    move_group(x, at->mode, k, true, mode);
    CMB_TRY(asked->ask(asked->user, mode, second));
    move_group(x, at->mode, k, false, mode);
    for (int i = 0; i < n; i++) out[i] += x->theta[k] * (second[i] - first[i]);
  }
  return CMB_OK;
}

cmb_status cmb_sliding_ask(const cmb_sliding *x, const cmb_point *at,
                           const cmb_slide_question *asked, double *scratch, double *out)
{
  const int size = x->count * (x->count + 4);
  memcpy(x->kept, x->found, (size_t)size * sizeof *x->kept);
  cmb_status status = mix(x, at, asked, scratch, out);
  for (int k = 0; k < x->count && status == CMB_OK; k++) {
    if (has_no_effect(x, k)) status = CMB_RETRY_SINGULAR;
  }
  memcpy(x->found, x->kept, (size_t)size * sizeof *x->kept);
  return status;
}

/* Arguments of the inner functions whose results are mixed. */
struct inner_call {
  const cmb_equations *inner;
  const cmb_point *at;
  const double *a, *lambda, *push;
};

static cmb_status outputs_in_modes(const void *user, const int *mode, double *out)
{
  const struct inner_call *b = user;
  cmb_point at = *b->at;
  at.mode = mode;
  return b->inner->outputs(b->inner->self, &at, b->a, b->lambda, out);
}

static cmb_status late_in_modes(const void *user, const int *mode, double *out)
{
  const struct inner_call *b = user;
  cmb_point at = *b->at;
  at.mode = mode;
  return b->inner->late(b->inner->self, &at, b->a, b->lambda, b->push, out);
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  const cmb_sliding *x = self;
  const struct inner_call below = {x->layer.inner, at, a, lambda, NULL};
  const cmb_slide_question asked = {cmb_observed(below.inner), outputs_in_modes, &below};
  return mix(x, at, &asked, x->out, out);
}

/* Computes the rates out (nl) of those first-order states that depend on accelerations, where friction sticks: interpolates between the rates
 * for slip in both directions with the same weights as the friction forces. push[i] is the contact force of event or stop number i. */
static cmb_status late(const void *self, const cmb_point *at, const double *a, const double *lambda,
                       const double *push, double *out)
{
  const cmb_sliding *x = self;
  const struct inner_call below = {x->layer.inner, at, a, lambda, push};
  const cmb_slide_question asked = {below.inner->nl, late_in_modes, &below};
  return mix(x, at, &asked, x->late, out);
}

/* Gives eq its own copies of the arrays switch_enclosed and switch_order, which say for which switching functions bounds and rates along a
 * motion can be computed. For functions that sticking friction holds at 0 they become false and 0: other functions take their places, for which
 * neither is known (holding.h). The arrays come from the arena. */
static void hide_bounds(const cmb_sliding *x, cmb_arena *arena, cmb_equations *eq)
{
  bool *enclosed = cmb_arena_take(arena, (size_t)eq->ns, sizeof *enclosed);
  int *order = cmb_arena_ints(arena, eq->ns);
  if (!enclosed || !order) return;
  for (int i = 0; i < eq->ns; i++) {
    enclosed[i] = eq->switch_enclosed && eq->switch_enclosed[i];
    order[i] = eq->switch_order[i];
  }
  for (int i = 0; i < eq->ns; i++) {
    if (x->group[i] != 0) enclosed[i] = false, order[i] = 0;
  }
  eq->switch_enclosed = enclosed;
  eq->switch_order = order;
}

/* Copies group (n), which assigns each switching function that friction can hold at 0 to a group of functions with the same zeros, to x->group,
 * and lists the first function (leader) of each group in x->function (x->count). The arrays come from the arena. */
static cmb_status take_groups(cmb_sliding *x, cmb_context *ctx, cmb_arena *arena, int ns, int n,
                              const int *group)
{
  int *copy = cmb_arena_ints(arena, ns);
  x->function = cmb_arena_ints(arena, n);
  if (!copy || !x->function) return cmb_fail_memory(ctx);
  for (int i = 0; i < n; i++) {
    copy[i] = group[i];
    if (group[i] != 0 && cmb_slide_leader(group[i]) == i) x->function[x->count++] = i;
  }
  x->group = copy;
  return CMB_OK;
}

static void allocate_found(cmb_sliding *x, cmb_arena *arena)
{
  const int n = x->count;
  x->found = cmb_arena_doubles(arena, n * (n + 4));
  x->kept = cmb_arena_doubles(arena, n * (n + 4));
  if (!x->found) return;
  x->theta = x->found;
  x->hold = x->theta + n;
  x->mean = x->hold + n;
  x->rest = x->mean + n;
  x->A = x->rest + n;
}

/* Sets x->nested to whether switching functions may depend on the modes of the functions that are held (those of the first n with a group), and
 * allocates the arrays for their modes on both sides of the held functions if so. */
static void allocate_upper(cmb_sliding *x, cmb_arena *arena, int n)
{
  const cmb_equations *inner = x->layer.inner;
  for (int i = 0; i < n; i++) {
    const bool nested = !inner->switch_nested || inner->switch_nested[i];
    x->nested = x->nested || (x->group[i] != 0 && nested);
  }
  if (!x->nested) return;
  cmb_mode_search_create(&x->search, arena, inner);
  x->s_lower = cmb_arena_doubles(arena, inner->ns);
  x->s_upper = cmb_arena_doubles(arena, inner->ns);
  x->lambda_lower = cmb_arena_doubles(arena, inner->ng);
  x->fixed = cmb_arena_ints(arena, inner->ns);
  x->upper = cmb_arena_ints(arena, x->count * inner->ns);
  for (int i = 0; x->fixed && i < inner->ns; i++) x->fixed[i] = i >= n || x->group[i] != 0;
  for (int i = 0; x->upper && i < x->count * inner->ns; i++) x->upper[i] = INDEPENDENT;
}

cmb_status cmb_sliding_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner, int n,
                              const int *group, cmb_sliding **out)
{
  cmb_sliding *x = *out = cmb_arena_take(arena, 1, sizeof *x);
  if (!x) return cmb_fail_memory(ctx);
  CMB_TRY(take_groups(x, ctx, arena, inner->ns, n, group));
  const int count = x->count;
  cmb_layer_begin(&x->layer, arena, inner);
  allocate_upper(x, arena, n);
  cmb_equations *eq = &x->layer.eq;
  x->layer.lower_modes = lower_modes;
  eq->evaluate = evaluate;
  eq->switches = switches;
  if (inner->outputs) eq->outputs = outputs;
  if (inner->late) eq->late = late;
  allocate_found(x, arena);
  x->a = cmb_arena_doubles(arena, eq->nv);
  x->lambda = cmb_arena_doubles(arena, eq->ng);
  x->f = cmb_arena_doubles(arena, eq->nv);
  x->change = cmb_arena_doubles(arena, count * eq->nv);
  x->flow = cmb_arena_doubles(arena, 4 * eq->ns);
  x->out = cmb_arena_doubles(arena, 2 * cmb_observed(eq));
  x->late = cmb_arena_doubles(arena, 2 * eq->nl);
  x->LU = cmb_arena_doubles(arena, count * count);
  x->scale = cmb_arena_doubles(arena, count);
  x->part = cmb_arena_doubles(arena, count);
  x->value = cmb_arena_doubles(arena, count);
  x->pivot = cmb_arena_ints(arena, count);
  hide_bounds(x, arena, eq);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  return cmb_evaluator_create(ctx, inner, &x->below);
}

void cmb_sliding_destroy(cmb_sliding *x)
{
  if (x) cmb_evaluator_destroy(x->below);
}
