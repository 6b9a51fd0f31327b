/*
 * Functions of a layer that pass on their call to the inner equations (layer.h), with modes translated.
 */
#include "dae/layer.h"

#include <string.h>

static const int *lower_modes(const cmb_layer *layer, const int *mode)
{
  if (!layer->lower_modes) return mode;
  layer->lower_modes(layer, mode, layer->mode);
  return layer->mode;
}

cmb_point cmb_layer_point(const cmb_layer *layer, const cmb_point *at)
{
  cmb_point below = *at;
  below.mode = lower_modes(layer, at->mode);
  return below;
}

/* Returns a copy of the box of states for the equations on which this layer is built (x->inner). These know no sticking friction, so that
 * friction that sticks gets a mode of slip. Modes that differ are stored in scratch memory of the layer. */
static cmb_box lower_box(const cmb_layer *layer, const cmb_box *box)
{
  cmb_box below = *box;
  below.mode = lower_modes(layer, box->mode);
  return below;
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->evaluate(x->inner->self, &below, want);
}

static void rates(const void *self, const double *q, const double *v, double *qdot)
{
  const cmb_layer *x = self;
  x->inner->rates(x->inner->self, q, v, qdot);
}

static void normalize(const void *self, double *q)
{
  const cmb_layer *x = self;
  x->inner->normalize(x->inner->self, q);
}

static cmb_status inputs(const void *self, const cmb_point *at, double *u)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->inputs(x->inner->self, &below, u);
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->switches(x->inner->self, &below, lambda, s);
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->outputs(x->inner->self, &below, a, lambda, out);
}

static cmb_status late(const void *self, const cmb_point *at, const double *a, const double *lambda,
                       const double *push, double *out)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->late(x->inner->self, &below, a, lambda, push, out);
}

/* Sets the whole-number entries of mode (ns), such as the current interval of a table, to their values at the point; the equations on which
 * this layer is built (x->inner) compute them. Leaves other entries unchanged. */
static cmb_status levels(const void *self, const cmb_point *at, const double *lambda, int *mode)
{
  const cmb_layer *x = self;
  const cmb_equations *inner = x->inner;
  const cmb_point below = cmb_layer_point(x, at);
  int *found = x->mode + inner->ns;
  memcpy(found, below.mode, (size_t)inner->ns * sizeof *found);
  CMB_TRY(inner->levels(inner->self, &below, lambda, found));
  for (int i = 0; i < inner->ns; i++) {
    if (inner->switch_is_level[i]) mode[i] = found[i];
  }
  return CMB_OK;
}

static void enclose(const void *self, const cmb_box *box, cmb_interval *s, cmb_interval *rate)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->enclose(x->inner->self, &below, s, rate);
}

static cmb_status switch_flow(const void *self, const cmb_point *at, const double *a, double *flow)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->switch_flow(x->inner->self, &below, a, flow);
}

static cmb_status conditions(const void *self, const cmb_point *at, const double *lambda, bool *met)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->conditions(x->inner->self, &below, lambda, met);
}

static cmb_status resets(const void *self, const cmb_point *at, const double *lambda, double *R,
                         double *change)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->resets(x->inner->self, &below, lambda, R, change);
}

static cmb_status surfaces(const void *self, const cmb_point *at, double *u, double *ut,
                           double *gamma, double *U)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->surfaces(x->inner->self, &below, u, ut, gamma, U);
}

static void time_values(const void *self, const cmb_point *at, double *values)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  x->inner->time_values(x->inner->self, &below, values);
}

static void time_bounds(const void *self, const cmb_box *box, cmb_interval *bounds)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->time_bounds(x->inner->self, &below, bounds);
}

static void time_rates(const void *self, const cmb_box *box, cmb_interval *rates_of)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->time_rates(x->inner->self, &below, rates_of);
}

static void path_values(const void *self, const cmb_point *at, double *values)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  x->inner->path_values(x->inner->self, &below, values);
}

static void path_bounds(const void *self, const cmb_box *box, cmb_interval *bounds)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->path_bounds(x->inner->self, &below, bounds);
}

static void path_rates(const void *self, const cmb_box *box, cmb_interval *rates_of)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->path_rates(x->inner->self, &below, rates_of);
}

static void path_bends(const void *self, const cmb_box *box, cmb_interval *bends)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->path_bends(x->inner->self, &below, bends);
}

static void load_bounds(const void *self, const cmb_box *box, cmb_interval *f, cmb_interval *gamma)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->load_bounds(x->inner->self, &below, f, gamma);
}

static void flow_bounds(const void *self, const cmb_box *box, const double *a, cmb_interval *flow)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->flow_bounds(x->inner->self, &below, a, flow);
}

static void surface_bounds(const void *self, const cmb_box *box, cmb_interval *gamma)
{
  const cmb_layer *x = self;
  const cmb_box below = lower_box(x, box);
  x->inner->surface_bounds(x->inner->self, &below, gamma);
}

static cmb_status energy(const void *self, const cmb_point *at, double *sum)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->energy(x->inner->self, &below, sum);
}

static const char *unsolved(const void *self, const cmb_point *at)
{
  const cmb_layer *x = self;
  const cmb_point below = cmb_layer_point(x, at);
  return x->inner->unsolved(x->inner->self, &below);
}

void cmb_layer_begin(cmb_layer *layer, cmb_arena *arena, const cmb_equations *inner)
{
  cmb_equations *eq = &layer->eq;
  *layer = (cmb_layer){.eq = *inner, .inner = inner};
  layer->mode = cmb_arena_ints(arena, 2 * inner->ns);
  eq->self = layer;
  eq->code = NULL;
  eq->residual = NULL;
  eq->accelerate = NULL;
  eq->forced = NULL;
  eq->derivative = NULL;
  memset(eq->derivative_pattern, 0, sizeof eq->derivative_pattern);
  eq->evaluate = evaluate;
  if (inner->rates) eq->rates = rates;
  if (inner->normalize) eq->normalize = normalize;
  if (inner->inputs) eq->inputs = inputs;
  if (inner->switches) eq->switches = switches;
  if (inner->outputs) eq->outputs = outputs;
  if (inner->late) eq->late = late;
  if (inner->levels) eq->levels = levels;
  if (inner->enclose) eq->enclose = enclose;
  if (inner->switch_flow) eq->switch_flow = switch_flow;
  if (inner->conditions) eq->conditions = conditions;
  if (inner->resets) eq->resets = resets;
  if (inner->surfaces) eq->surfaces = surfaces;
  if (inner->time_values) eq->time_values = time_values;
  if (inner->time_bounds) eq->time_bounds = time_bounds;
  if (inner->time_rates) eq->time_rates = time_rates;
  if (inner->path_values) eq->path_values = path_values;
  if (inner->path_bounds) eq->path_bounds = path_bounds;
  if (inner->path_rates) eq->path_rates = path_rates;
  if (inner->path_bends) eq->path_bends = path_bends;
  if (inner->load_bounds) eq->load_bounds = load_bounds;
  if (inner->flow_bounds) eq->flow_bounds = flow_bounds;
  if (inner->surface_bounds) eq->surface_bounds = surface_bounds;
  if (inner->energy) eq->energy = energy;
  if (inner->unsolved) eq->unsolved = unsolved;
}
