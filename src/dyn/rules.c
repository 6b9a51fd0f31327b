/*
 * Builds rules, which are the model's events, its stops, and the limits of validity of force laws, as expressions for layer dae. A rule is
 * a condition, and the action when it becomes true or false, such as a change of velocities.
 *
 * A reset gives a quantity r(t, q, v) that is linear in v a new value w(t, q, v): with R = ∂r/∂v
 *
 *     R (v⁺ − v⁻) = w − r(v⁻).
 *
 * A stop is a gap d(t, q) that cannot become negative. When d < 0 and ḋ < 0 its rate is reset to −e ḋ (Newton's law).
 *
 * If such events accumulate, the contact stays closed at the surface u(t, q) = 0 where the condition changes, u = −d for a stop. Then u = 0
 * is a constraint, with
 *
 *     u̇ = ∂u/∂q T v + u_t,   gradient ∂u̇/∂v,   γ = ü for v̇ = 0.
 */
#include "dyn/build.h"

#include "expr/graph.h"

#include <stdio.h>
#include <string.h>

/* ---- conditions */

cmb_expr cmb_build_deciding(const cmb_build *b, cmb_expr when)
{
  cmb_graph *g = b->g;
  const cmb_expr x = cmb_expr_argument(g, when, 0), y = cmb_expr_argument(g, when, 1);
  switch (cmb_expr_op(g, when)) {
  case CMB_OP_LT:
  case CMB_OP_LE: return cmb_sub(g, y, x);
  case CMB_OP_GT:
  case CMB_OP_GE: return cmb_sub(g, x, y);
  case CMB_OP_MIN:
  case CMB_OP_MAX:
  case CMB_OP_EQ:
  case CMB_OP_NE: return 0;
  default: return when;
  }
}

static cmb_status depends(cmb_build *b, int inputs, const cmb_expr *input, cmb_expr e, bool *yes)
{
  return cmb_depends(b->g, inputs, input, 1, &e, yes);
}

/* Reports an error if the condition `when` of an event can never change, because it depends on neither time,
 * position, velocity nor a parameter that can be set, or if it compares by == or !=, which do not give a
 * function that changes its sign. */
static cmb_status check_condition(cmb_build *b, const cmb_expressions *x,
                                  const cmb_model_event *event, cmb_expr when)
{
  bool on_t, on_q, on_v, on_p;
  const cmb_op op = cmb_expr_op(b->g, when);
  CMB_TRY(depends(b, 1, &x->t, when, &on_t));
  CMB_TRY(depends(b, x->nq, x->q, when, &on_q));
  CMB_TRY(depends(b, x->nv, x->v, when, &on_v));
  CMB_TRY(depends(b, x->np, x->parameter, when, &on_p));
  if (!on_t && !on_q && !on_v && !on_p) {
    return cmb_build_fail(
        b, cmb_about_leading(cmb_about_part(&event->when.place, "event", event->name)),
        "'when' is always the same; expected a formula of the time, positions, velocities, states "
        "or live parameters");
  }
  if (op != CMB_OP_EQ && op != CMB_OP_NE) return CMB_OK;
  return cmb_build_fail(
      b, cmb_about_leading(cmb_about_part(&event->when.place, "event", event->name)),
      "'when' compares by '==' or '!=', which events cannot use; expected < or >, or "
      "a formula whose sign changes");
}

/* ---- resets */

/* Builds the partial derivatives ∂e/∂v and writes them to row[nv]. */
static cmb_status gradient(cmb_build *b, const cmb_expressions *x, cmb_expr e, cmb_expr *row)
{
  const cmb_expr one = cmb_constant(b->g, 1);
  return cmb_reverse(b->g, x->nv, x->v, 1, &e, &one, row);
}

static cmb_status add_reset(cmb_build *b, cmb_expressions *x, const char *name, cmb_expr target,
                            cmb_expr value)
{
  const int i = x->reset_count++;
  cmb_expr *row = x->reset_row + (ptrdiff_t)i * x->nv;
  x->reset_names[i] = name;
  x->reset_change[i] = cmb_sub(b->g, value, target);
  CMB_TRY(gradient(b, x, target, row));
  x->reset_of_state[i] = x->nz > 0;
  for (int k = 0; k < x->nv - x->nz; k++) {
    x->reset_of_state[i] = x->reset_of_state[i] && row[k] == 0;
  }
  return CMB_OK;
}

/* Checks a quantity that an event resets, with the derivatives row[nv] with respect to velocities and first-order states: reports an error
 * unless it is linear, and depends either on velocities or on first-order states but not on both. */
static cmb_status check_target(cmb_build *b, const cmb_expressions *x,
                               const cmb_model_formula *target, const cmb_expr *row)
{
  bool of_rates = false, of_states = false, nonlinear = false;
  for (int i = 0; i < x->nv; i++) {
    bool on_v;
    CMB_TRY(depends(b, x->nv, x->v, row[i], &on_v));
    if (i < x->nv - x->nz) of_rates = of_rates || row[i] != 0;
    if (i >= x->nv - x->nz) of_states = of_states || row[i] != 0;
    nonlinear = nonlinear || on_v;
  }
  if (of_rates && of_states) {
    return cmb_build_fail(
        b, cmb_about_formula(target),
        "'%s' cannot be reset: it depends on both states and velocities, so that the "
        "change of each is not determined; expected only one of the two",
        target->text);
  }
  if ((of_rates || of_states) && !nonlinear) return CMB_OK;
  return cmb_build_fail(b, cmb_about_formula(target),
                        "'%s' cannot be reset; expected the rate of a coordinate, a component "
                        "of a velocity, a state, or a formula that is linear in them",
                        target->text);
}

static cmb_status add_resets(cmb_build *b, cmb_expressions *x, const cmb_model_event *event)
{
  for (int k = 0; k < event->reset_count; k++) {
    const cmb_model_reset *reset = &event->resets[k];
    const cmb_expr *row = x->reset_row + (ptrdiff_t)x->reset_count * x->nv;
    cmb_expr target, value;
    CMB_TRY(cmb_build_formula(b, &reset->target, CMB_LEVEL_MOTION, NULL, &target));
    CMB_TRY(cmb_build_formula(b, &reset->value, CMB_LEVEL_MOTION, NULL, &value));
    CMB_TRY(add_reset(b, x, reset->target.text, target, value));
    CMB_TRY(check_target(b, x, &reset->target, row));
  }
  return CMB_OK;
}

/* ---- surfaces */

/* Builds the time derivative of e along the motion for constant velocities, ∂e/∂t + ∂e/∂q T v (T from q̇ = T v),
 * including the rates of inputs. */
static cmb_status rate_of(cmb_build *b, const cmb_expressions *x, cmb_expr e, cmb_expr *rate)
{
  const size_t n = (size_t)x->nq + 1;
  cmb_expr *input = cmb_arena_take(b->arena, 2 * n, sizeof *input), *direction = input + n;
  if (!input) return CMB_ERROR_MEMORY;
  input[0] = x->t, direction[0] = cmb_constant(b->g, 1);
  memcpy(input + 1, x->q, (n - 1) * sizeof *input);
  memcpy(direction + 1, x->rates, (n - 1) * sizeof *direction);
  CMB_TRY(cmb_forward(b->g, x->nq + 1, input, direction, 1, &e, rate));
  return cmb_build_add_input_rates(b, e, rate);
}

/* Builds the surface u = 0 of a rule (an event or a stop) as a constraint: the gradient ∂u̇/∂v, the rate ∂u/∂t and γ, which is ü for
 * v̇ = 0. Does nothing if the rule has no surface. */
static cmb_status make_surface(cmb_build *b, cmb_expressions *x, int rule)
{
  const cmb_expr u = x->rules[rule].surface, one = cmb_constant(b->g, 1);
  cmb_expr rate;
  if (u == 0) return CMB_OK;
  CMB_TRY(rate_of(b, x, u, &rate));
  CMB_TRY(gradient(b, x, rate, x->surface_row + (ptrdiff_t)rule * x->nv));
  CMB_TRY(cmb_forward(b->g, 1, &x->t, &one, 1, &u, &x->surface_gt[rule]));
  CMB_TRY(cmb_build_add_input_rates(b, u, &x->surface_gt[rule]));
  return rate_of(b, x, rate, &x->surface_gamma[rule]);
}

/* ---- rules */

static cmb_status add_event(cmb_build *b, cmb_expressions *x, const cmb_model_event *event)
{
  cmb_rule_expressions *rule = &x->rules[x->rule_count++];
  bool on_v, moves;
  *rule = (cmb_rule_expressions){
      .name = event->name, .action = event->action, .direction = event->direction};
  rule->first_reset = x->reset_count;
  rule->reset_count = event->reset_count;
  CMB_TRY(cmb_build_formula(b, &event->when, CMB_LEVEL_MOTION, NULL, &rule->when));
  CMB_TRY(check_condition(b, x, event, rule->when));
  const cmb_expr u = cmb_build_deciding(b, rule->when);
  if (u != 0) cmb_build_hint(b, CMB_HINT_RULE, event->name, "", u);
  CMB_TRY(depends(b, x->nv, x->v, u, &on_v));
  CMB_TRY(depends(b, x->nq, x->q, u, &moves));
  CMB_TRY(add_resets(b, x, event));
  const bool velocity = event->reset_count == 1 && !x->reset_of_state[rule->first_reset];
  if (velocity && moves && !on_v) rule->surface = u;
  return CMB_OK;
}

/* Builds the gap of a rigid contact between a sphere on a body and the surface s = 0: s/|∇s| − radius, evaluated at the centre of the sphere. */
static cmb_status contact_gap(cmb_build *b, const cmb_model_stop *stop, cmb_expr *gap)
{
  cmb_site at = cmb_site_of(b->k, &stop->b);
  const cmb_pose *p = cmb_pose_of(b->k, at.link, CMB_GROUND);
  cmb_vector n;
  cmb_expr s, s_t;
  if (!p) return CMB_ERROR_MEMORY;
  cmb_vector point = cmb_point_position(b->k, p, cmb_pose_arm(b->k, p, at.x));
  CMB_TRY(cmb_build_surface(b, &stop->gap, point, &s, &n, &s_t));
  *gap = cmb_sub(b->g, cmb_div(b->g, s, cmb_vector_length(b->g, n)),
                 cmb_number_expr(b->g, stop->radius));
  return CMB_OK;
}

static cmb_status gap_of(cmb_build *b, const cmb_model_stop *stop, cmb_expr *gap)
{
  if (stop->contact) return contact_gap(b, stop, gap);
  return cmb_build_formula(b, &stop->gap, CMB_LEVEL_POSITION, NULL, gap);
}

static cmb_status add_stop(cmb_build *b, cmb_expressions *x, const cmb_model_stop *stop)
{
  cmb_graph *g = b->g;
  cmb_rule_expressions *rule = &x->rules[x->rule_count++];
  cmb_expr gap, rate;
  bool moves;
  CMB_TRY(gap_of(b, stop, &gap));
  CMB_TRY(depends(b, x->nq, x->q, gap, &moves));
  if (!moves) return cmb_build_fail_fixed(b, &stop->gap, "stop", stop->name);
  CMB_TRY(rate_of(b, x, gap, &rate));
  cmb_expr closed = cmb_apply(g, CMB_OP_LT, gap, 0, 0),
           closing = cmb_apply(g, CMB_OP_LT, rate, 0, 0);
  *rule = (cmb_rule_expressions){.name = stop->name,
                                 .action = CMB_EVENT_RESET,
                                 .direction = 1,
                                 .gap = true,
                                 .law = stop->law,
                                 .restitution = stop->restitution,
                                 .when = cmb_apply(g, CMB_OP_MIN, closed, closing, 0),
                                 .first_reset = x->reset_count,
                                 .reset_count = 1,
                                 .surface = cmb_neg(g, gap)};
  cmb_build_hint(b, CMB_HINT_RULE, stop->name, "gap", cmb_neg(g, gap));
  cmb_build_hint(b, CMB_HINT_RULE, stop->name, "closing", cmb_neg(g, rate));
  return add_reset(b, x, stop->name, rate, cmb_mul(g, cmb_constant(g, -stop->restitution), rate));
}

void cmb_build_bound(cmb_build *b, const char *name, const char *part, cmb_expr e,
                     const char *warning, bool fails)
{
  char text[300];
  cmb_bound *bound = cmb_list_add(b, &b->bounds, sizeof *bound);
  if (!bound) return;
  snprintf(text, sizeof text, "%s.%s", name, part);
  *bound = (cmb_bound){e, cmb_arena_text(b->arena, text), cmb_arena_text(b->arena, warning), fails};
  cmb_build_hint(b, CMB_HINT_RULE, name, part, e);
}

static void add_bound(cmb_build *b, cmb_expressions *x, int i)
{
  const cmb_bound *bound = (const cmb_bound *)b->bounds.items + i;
  x->rules[x->rule_count++] =
      (cmb_rule_expressions){.name = bound->name,
                             .action = CMB_EVENT_RECORD,
                             .direction = 1,
                             .warning = bound->warning,
                             .fails = bound->fails,
                             .when = cmb_apply(b->g, CMB_OP_GT, bound->e, 0, 0),
                             .first_reset = x->reset_count};
}

static cmb_status allocate(cmb_build *b, cmb_expressions *x)
{
  const cmb_model *m = b->model;
  size_t rules = (size_t)m->event_count + (size_t)m->stop_count + (size_t)b->bounds.count;
  size_t resets = (size_t)m->stop_count, nv = (size_t)x->nv;
  for (int i = 0; i < m->event_count; i++) resets += (size_t)m->events[i].reset_count;
  x->rules = cmb_arena_take(b->arena, rules, sizeof *x->rules);
  x->reset_row = cmb_arena_take(b->arena, resets * nv, sizeof *x->reset_row);
  x->reset_change = cmb_arena_take(b->arena, resets, sizeof *x->reset_change);
  x->reset_names = cmb_arena_take(b->arena, resets, sizeof(void *));
  x->reset_of_state = cmb_arena_take(b->arena, resets, sizeof *x->reset_of_state);
  x->surface_row = cmb_arena_take(b->arena, rules * nv, sizeof *x->surface_row);
  x->surface_gt = cmb_arena_take(b->arena, rules, sizeof *x->surface_gt);
  x->surface_gamma = cmb_arena_take(b->arena, rules, sizeof *x->surface_gamma);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

cmb_status cmb_build_scan_rules(cmb_build *b)
{
  const cmb_model *m = b->model;
  cmb_expr e;
  for (int i = 0; i < m->event_count; i++) {
    const cmb_model_event *event = &m->events[i];
    CMB_TRY(cmb_build_formula(b, &event->when, CMB_LEVEL_MOTION, NULL, &e));
    for (int k = 0; k < event->reset_count; k++) {
      CMB_TRY(cmb_build_formula(b, &event->resets[k].target, CMB_LEVEL_MOTION, NULL, &e));
      CMB_TRY(cmb_build_formula(b, &event->resets[k].value, CMB_LEVEL_MOTION, NULL, &e));
    }
  }
  for (int i = 0; i < m->stop_count; i++) CMB_TRY(gap_of(b, &m->stops[i], &e));
  return CMB_OK;
}

cmb_status cmb_build_rules(cmb_build *b, cmb_expressions *x)
{
  const cmb_model *m = b->model;
  if (m->event_count + m->stop_count + b->bounds.count == 0) return CMB_OK;
  CMB_TRY(allocate(b, x));
  for (int i = 0; i < m->event_count; i++) CMB_TRY(add_event(b, x, &m->events[i]));
  for (int i = 0; i < m->stop_count; i++) CMB_TRY(add_stop(b, x, &m->stops[i]));
  for (int i = 0; i < b->bounds.count; i++) add_bound(b, x, i);
  for (int i = 0; i < x->rule_count; i++) CMB_TRY(make_surface(b, x, i));
  return CMB_OK;
}
