/*
 * The mean of forces over both signs of velocities that are held at 0 (mean.h).
 */
#include "dae/mean.h"

#include "dae/evaluator.h"
#include "expr/interval.h"

/* Copies the modes mode (ns) to x->layer.mode, except those of frictions along the line of a closed contact: these get the sign of slip in one
 * direction, side = 1 or −1. */
static void set_side(const cmb_mean *x, const int *mode, int side)
{
  for (int i = 0; i < x->layer.inner->ns; i++) {
    x->layer.mode[i] = x->side[i] != 0 ? side * x->side[i] : mode[i];
  }
}

/* Returns a copy of the state *at with the modes for slip in one direction, side = 1 or −1, of the velocities that a contact holds at 0 while
 * friction acts along the same line. The modes are stored in scratch memory that the next call overwrites. */
static cmb_point point_on(const cmb_mean *x, const cmb_point *at, int side)
{
  cmb_point there = *at;
  set_side(x, at->mode, side);
  there.mode = x->layer.mode;
  return there;
}

/* Computes a := (a + b) / 2 for n numbers. */
static void take_mean(int n, double *a, const double *b)
{
  for (int i = 0; i < n; i++) a[i] += (b[i] - a[i]) / 2;
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const cmb_mean *x = self;
  const cmb_equations *inner = x->layer.inner;
  if (!x->any || !want->f) return inner->evaluate(inner->self, at, want);
  cmb_point there = point_on(x, at, x->only ? x->only : 1);
  CMB_TRY(inner->evaluate(inner->self, &there, want));
  if (x->only) return CMB_OK;
  const cmb_terms forces = {.f = x->f};
  there = point_on(x, at, -1);
  CMB_TRY(inner->evaluate(inner->self, &there, &forces));
  take_mean(inner->nv, want->f, x->f);
  return CMB_OK;
}

/* Computes bounds of the forces f (nv) and of the constraint terms γ (ng) over a box of times and states. Friction along the line of a closed
 * contact counts with the mean of its forces for slip in both directions or, if x->only selects a direction, with that for this one. */
static void load_bounds(const void *self, const cmb_box *box, cmb_interval *f, cmb_interval *gamma)
{
  const cmb_mean *x = self;
  const cmb_equations *inner = x->layer.inner;
  const cmb_interval half = cmb_interval_of(0.5), none = cmb_interval_unknown();
  cmb_box there = *box;
  there.mode = x->layer.mode;
  set_side(x, box->mode, x->only ? x->only : 1);
  if (!x->any) there.mode = box->mode;
  inner->load_bounds(inner->self, &there, f, gamma);
  if (!x->any || x->only) return;
  set_side(x, box->mode, -1);
  inner->load_bounds(inner->self, &there, x->f_bounds, gamma);
  for (int i = 0; i < inner->nv; i++) {
    const cmb_interval sum = cmb_op_enclose(CMB_OP_ADD, f[i], x->f_bounds[i], none);
    f[i] = cmb_op_enclose(CMB_OP_MUL, half, sum, none);
  }
}

/* Computes the outputs and next sampled values by the equations on which this layer is built (x->inner); these do not average friction forces
 * over both directions of slip. The point has the accelerations a (nv) and multipliers λ (ng). push[i] is the contact force of event or stop
 * number i; push == NULL if no contact is closed. */
static cmb_status outputs_below(const cmb_mean *x, const cmb_point *at, const double *a,
                                const double *lambda, const double *push, double *out)
{
  const cmb_equations *inner = x->layer.inner;
  if (push) return inner->outputs_at_rest(inner->self, at, a, lambda, push, out);
  return inner->outputs(inner->self, at, a, lambda, out);
}

static cmb_status find_outputs(const cmb_mean *x, const cmb_point *at, const double *a,
                               const double *lambda, const double *push, double *out)
{
  if (!x->any) return outputs_below(x, at, a, lambda, push, out);
  cmb_point there = point_on(x, at, x->only ? x->only : 1);
  CMB_TRY(outputs_below(x, &there, a, lambda, push, out));
  if (x->only) return CMB_OK;
  there = point_on(x, at, -1);
  CMB_TRY(outputs_below(x, &there, a, lambda, push, x->out));
  take_mean(cmb_observed(x->layer.inner), out, x->out);
  return CMB_OK;
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  return find_outputs(self, at, a, lambda, NULL, out);
}

static cmb_status outputs_at_rest(const void *self, const cmb_point *at, const double *a,
                                  const double *lambda, const double *push, double *out)
{
  return find_outputs(self, at, a, lambda, push, out);
}

static cmb_status late(const void *self, const cmb_point *at, const double *a, const double *lambda,
                       const double *push, double *out)
{
  const cmb_mean *x = self;
  const cmb_equations *inner = x->layer.inner;
  if (!x->any) return inner->late(inner->self, at, a, lambda, push, out);
  cmb_point there = point_on(x, at, x->only ? x->only : 1);
  CMB_TRY(inner->late(inner->self, &there, a, lambda, push, out));
  if (x->only) return CMB_OK;
  there = point_on(x, at, -1);
  CMB_TRY(inner->late(inner->self, &there, a, lambda, push, x->f));
  take_mean(inner->nl, out, x->f);
  return CMB_OK;
}

cmb_status cmb_mean_create(cmb_context *ctx, cmb_arena *arena, const cmb_equations *inner,
                           cmb_mean **out)
{
  cmb_mean *x = *out = cmb_arena_take(arena, 1, sizeof *x);
  if (!x) return cmb_fail_memory(ctx);
  cmb_layer_begin(&x->layer, arena, inner);
  cmb_equations *eq = &x->layer.eq;
  eq->evaluate = evaluate;
  if (inner->outputs) eq->outputs = outputs;
  if (inner->late) eq->late = late;
  if (inner->outputs_at_rest) eq->outputs_at_rest = outputs_at_rest;
  if (inner->load_bounds) eq->load_bounds = load_bounds;
  x->f_bounds = cmb_arena_take(arena, (size_t)eq->nv, sizeof *x->f_bounds);
  x->side = cmb_arena_ints(arena, eq->ns);
  x->f = cmb_arena_doubles(arena, eq->nv);
  x->out = cmb_arena_doubles(arena, cmb_observed(eq));
  return cmb_arena_failed(arena) ? cmb_fail_memory(ctx) : CMB_OK;
}

void cmb_mean_hold(cmb_mean *x, const int *side)
{
  x->any = false;
  for (int i = 0; i < x->layer.inner->ns; i++) {
    x->side[i] = side ? side[i] : 0;
    x->any = x->any || x->side[i] != 0;
  }
}

void cmb_mean_visit(cmb_mean *x, cmb_archive *a)
{
  const int ns = x->layer.inner->ns;
  cmb_archive_ints(a, "mean", ns, x->side);
  x->any = false;
  for (int i = 0; i < ns; i++) {
    cmb_archive_check(a, i, x->side[i], -1, 1);
    x->any = x->any || x->side[i] != 0;
  }
}
