/*
 * The user's events of a graph system (dae.h, `rules`), and the rates of its switching functions along a motion,
 *
 *     ṡ = s_t + s_q T v + s_v a             for functions that depend on velocities,
 *     s̈ = (the same of ṡ), and ṡ            for functions of t and q alone.
 *
 * There are no rates of functions of λ, of t alone, of levels, and of functions that call a user's C function or solve an implicit
 * equation.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"

#include <string.h>

/* ---- parts */

/* Returns the number of entries that are not identically 0 in the gradients of the surfaces of all events and stops, and writes their sparsity
 * pattern row by row: row starts to start[1 .. rule_count], column indices to `column`. Either is not written if it is NULL. */
static int list_gradients(const cmb_expressions *x, int *start, int *column)
{
  int count = 0;
  for (int i = 0; i < x->rule_count; i++) {
    const cmb_expr *row = x->surface_row + (ptrdiff_t)i * x->nv;
    for (int k = 0; k < x->nv; k++) {
      if (row[k] == 0) continue;
      if (column) column[count] = k;
      count++;
    }
    if (start) start[i + 1] = count;
  }
  return count;
}

void cmb_graph_rule_counts(const cmb_expressions *x, int count[CMB_PARTS])
{
  count[CMB_PART_CONDITIONS] = x->rule_count;
  count[CMB_PART_RESETS] = x->reset_count * (x->nv + 1);
  count[CMB_PART_SURFACES] = 3 * x->rule_count + list_gradients(x, NULL, NULL);
}

/* Builds the expression that is 1 where the condition `when` is true (positive) and 0 elsewhere. */
static cmb_expr condition(cmb_graph *g, cmb_expr when)
{
  const cmb_expr one = cmb_constant(g, 1);
  return cmb_apply(g, CMB_OP_IF, when, one, 0);
}

void cmb_graph_rule_parts(const cmb_expressions *x, cmb_expr *const part[CMB_PARTS])
{
  const size_t nv = (size_t)x->nv, resets = (size_t)x->reset_count, rules = (size_t)x->rule_count;
  if (rules == 0) return;
  cmb_expr *u = part[CMB_PART_SURFACES], *to = u + 3 * rules;
  for (size_t i = 0; i < rules; i++) {
    part[CMB_PART_CONDITIONS][i] = condition(x->graph, x->rules[i].when);
    u[i] = x->rules[i].surface;
    u[rules + i] = x->surface_gt[i];
    u[2 * rules + i] = x->surface_gamma[i];
  }
  for (size_t k = 0; k < rules * nv; k++) {
    if (x->surface_row[k] != 0) *to++ = x->surface_row[k];
  }
  if (resets == 0) return;
  memcpy(part[CMB_PART_RESETS], x->reset_row, resets * nv * sizeof *u);
  memcpy(part[CMB_PART_RESETS] + resets * nv, x->reset_change, resets * sizeof *u);
}

/* ---- rates of switching functions */

/* Builds the expressions rate[count] of the time derivatives of e[count] along the motion, with q̇ = T(q) v and accelerations v̇ =
 * a. */
static cmb_status differentiate_along_motion(const cmb_graph_parts *p, int count, const cmb_expr *e,
                                             cmb_expr *rate)
{
  const cmb_expressions *x = p->x;
  const size_t nq = (size_t)x->nq, nv = (size_t)x->nv, n = 1 + nq + nv;
  cmb_expr *wrt = cmb_arena_take(p->arena, 2 * n, sizeof *wrt), *along = wrt + n;
  if (!wrt) return cmb_fail_memory(p->ctx);
  wrt[0] = x->t, along[0] = cmb_constant(x->graph, 1);
  memcpy(wrt + 1, x->q, nq * sizeof *wrt);
  memcpy(along + 1, x->rates ? x->rates : x->v, nq * sizeof *wrt);
  memcpy(wrt + 1 + nq, x->v, nv * sizeof *wrt);
  memcpy(along + 1 + nq, x->a, nv * sizeof *wrt);
  return cmb_forward(x->graph, (int)n, wrt, along, count, e, rate);
}

cmb_status cmb_graph_flow_part(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  const int ns = p->ns;
  const cmb_expr *s = p->part[CMB_PART_MARGINS];
  cmb_expr *rate = cmb_arena_take(p->arena, 2 * (size_t)ns, sizeof *rate), *second = rate + ns;
  bool *on_v = cmb_arena_take(p->arena, 2 * (size_t)ns, sizeof *on_v), *moves = on_v + ns;
  p->switch_order = cmb_arena_ints(p->arena, ns);
  if (cmb_arena_failed(p->arena)) return cmb_fail_memory(p->ctx);
  if (ns == 0) return CMB_OK;
  CMB_TRY(differentiate_along_motion(p, ns, s, rate));
  CMB_TRY(differentiate_along_motion(p, ns, rate, second));
  CMB_TRY(cmb_depends(x->graph, x->nv, x->v, ns, s, on_v));
  CMB_TRY(cmb_depends(x->graph, x->nq, x->q, ns, s, moves));
  for (int i = 0; i < ns; i++) {
    bool unknown = true;
    if (cmb_mode_is_sign(cmb_modes_at(p->modes, i)->kind)) {
      CMB_TRY(cmb_graph_reads_unknown(p, s[i], &unknown));
    }
    p->switch_order[i] = unknown ? 0 : on_v[i] ? 1 : moves[i] ? 2 : 0;
    const cmb_expr first = rate[i];
    rate[i] = p->switch_order[i] == 2 ? second[i] : p->switch_order[i] == 1 ? first : 0;
    second[i] = p->switch_order[i] == 2 ? first : 0;
  }
  p->part[CMB_PART_FLOW] = rate;
  p->count[CMB_PART_FLOW] = 2 * ns;
  return CMB_OK;
}

/* ---- the list of rules */

/* Finds for each switching function whether the variable of its mode (sign or whole number) occurs in any of the `count`
 * expressions e, and stores the answers in reads[ns]. */
static cmb_status list_modes(const cmb_graph_parts *p, int count, const cmb_expr *e, bool *reads)
{
  uint8_t *used = cmb_reachable(p->x->graph, count, e);
  if (!used) return cmb_fail_memory(p->ctx);
  for (int k = 0; k < p->ns; k++) reads[k] = used[cmb_modes_at(p->modes, k)->mode];
  cmb_release(p->ctx, used);
  return CMB_OK;
}

static cmb_status list_surfaces(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d)
{
  const cmb_expressions *x = p->x;
  const int count = list_gradients(x, NULL, NULL);
  int *start = cmb_arena_ints(arena, x->rule_count + 1), *column = cmb_arena_ints(arena, count);
  if (!start || !column) return cmb_fail_memory(p->ctx);
  list_gradients(x, start, column);
  d->U_pattern = (cmb_pattern){x->rule_count, x->nv, start, column};
  return CMB_OK;
}

/* Finds the switching functions on whose modes (signs) the condition and the surface of each event or stop depend, and stores the answers in
 * conditions and surfaces (rule_count x ns). Marks in shown (ns) those on which outputs or other results shown to the user depend, such as
 * sampled values, inputs and the energy. */
static cmb_status list_reads(const cmb_graph_parts *p, bool *conditions, bool *surfaces,
                             bool *shown)
{
  for (int i = 0; i < p->x->rule_count; i++) {
    const ptrdiff_t row = (ptrdiff_t)i * p->ns;
    CMB_TRY(list_modes(p, 1, &p->part[CMB_PART_CONDITIONS][i], conditions + row));
    CMB_TRY(list_modes(p, 1, &p->part[CMB_PART_SURFACES][i], surfaces + row));
  }
  const int outputs = (int)(p->part[CMB_PART_ENERGY] - p->part[CMB_PART_OUTPUTS]);
  return list_modes(p, outputs + p->count[CMB_PART_ENERGY], p->part[CMB_PART_OUTPUTS], shown);
}

/* Copies the event rules, and the names and units of what their resets change, into eq; arrays and texts come from the arena. */
static cmb_status list_rules(const cmb_graph_parts *p, cmb_arena *arena, cmb_equations *eq)
{
  const cmb_expressions *x = p->x;
  cmb_rule *rules = cmb_arena_take(arena, (size_t)x->rule_count, sizeof *rules);
  const char **names = cmb_arena_take(arena, (size_t)x->reset_count, sizeof(void *));
  const char **units = cmb_arena_take(arena, (size_t)x->reset_count, sizeof(void *));
  bool *of_state = cmb_arena_take(arena, (size_t)x->reset_count, sizeof *of_state);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < x->rule_count; i++) {
    const cmb_rule_expressions *r = &x->rules[i];
    rules[i] = (cmb_rule){cmb_arena_text(arena, r->name),
                          r->action,
                          r->direction,
                          r->gap,
                          r->surface != 0,
                          r->first_reset,
                          r->reset_count,
                          r->law,
                          r->restitution,
                          r->warning ? cmb_arena_text(arena, r->warning) : NULL,
                          r->fails};
  }
  for (int i = 0; i < x->reset_count; i++) {
    names[i] = cmb_arena_text(arena, x->reset_names[i]);
    units[i] = cmb_arena_text(arena, x->reset_units[i]);
    of_state[i] = x->reset_of_state[i];
  }
  eq->rule_count = x->rule_count;
  eq->reset_count = x->reset_count;
  eq->rules = rules;
  eq->reset_of_state = of_state;
  eq->reset_names = names;
  eq->reset_units = units;
  return CMB_OK;
}

/* Lists the properties of each switching function in eq: which derivative is used as its rate; whether the motion depends on it; whether any
 * event condition does, those of gaps aside; whether other switching functions do; and which event conditions, surfaces and outputs depend on
 * it. Arrays come from the arena. */
static cmb_status list_switch_properties(const cmb_graph_parts *p, cmb_arena *arena,
                                         cmb_equations *eq)
{
  const cmb_expressions *x = p->x;
  const size_t ns = (size_t)p->ns, pairs = (size_t)x->rule_count * ns;
  int *order = cmb_arena_ints(arena, p->ns);
  bool *silent = cmb_arena_take(arena, ns, sizeof *silent);
  bool *of_gap = cmb_arena_take(arena, ns, sizeof *of_gap);
  bool *reads = cmb_arena_take(arena, pairs, sizeof *reads);
  bool *on_surface = cmb_arena_take(arena, pairs, sizeof *on_surface);
  bool *shown = cmb_arena_take(arena, ns, sizeof *shown);
  bool *nested = cmb_arena_take(arena, ns, sizeof *nested);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < p->ns; i++) {
    order[i] = p->switch_order[i];
    silent[i] = i >= p->motion_ns;
  }
  CMB_TRY(list_reads(p, reads, on_surface, shown));
  CMB_TRY(list_modes(p, p->ns, p->part[CMB_PART_MARGINS], nested));
  for (int i = p->motion_ns; i < p->ns; i++) {
    of_gap[i] = true;
    for (int k = 0; k < x->rule_count; k++) {
      if (reads[(ptrdiff_t)k * p->ns + i] && !x->rules[k].gap) of_gap[i] = false;
    }
  }
  eq->switch_order = order;
  eq->switch_silent = silent;
  eq->switch_nested = nested;
  eq->switch_of_gap = of_gap;
  eq->rule_reads = reads;
  eq->surface_reads = on_surface;
  eq->switch_shown = shown;
  return CMB_OK;
}

cmb_status cmb_graph_rules_list(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d,
                                cmb_equations *eq)
{
  CMB_TRY(list_rules(p, arena, eq));
  CMB_TRY(list_switch_properties(p, arena, eq));
  CMB_TRY(list_surfaces(p, arena, d));
  d->rule_count = eq->rule_count;
  d->reset_count = eq->reset_count;
  return cmb_arena_failed(arena) ? cmb_fail_memory(p->ctx) : CMB_OK;
}

/* ---- functions */

static cmb_status switch_flow(const void *self, const cmb_point *at, const double *a, double *flow)
{
  const cmb_graph_data *d = self;
  cmb_graph_run(d, CMB_PROGRAM_FLOW, at, NULL, a, flow);
  return CMB_OK;
}

static cmb_status conditions(const void *self, const cmb_point *at, const double *lambda, bool *met)
{
  const cmb_graph_data *d = self;
  double *out = cmb_graph_results(d, at);
  cmb_graph_run(d, CMB_PROGRAM_CONDITIONS, at, lambda, NULL, out);
  for (int i = 0; i < d->rule_count; i++) met[i] = out[i] > 0;
  return CMB_OK;
}

static cmb_status resets(const void *self, const cmb_point *at, const double *lambda, double *R,
                         double *change)
{
  const cmb_graph_data *d = self;
  const size_t nv = (size_t)d->nv, count = (size_t)d->reset_count;
  double *out = cmb_graph_results(d, at);
  cmb_graph_run(d, CMB_PROGRAM_RESETS, at, lambda, NULL, out);
  memcpy(R, out, count * nv * sizeof *R);
  memcpy(change, out + count * nv, count * sizeof *change);
  return CMB_OK;
}

static cmb_status surfaces(const void *self, const cmb_point *at, double *u, double *ut,
                           double *gamma, double *U)
{
  const cmb_graph_data *d = self;
  const size_t rules = (size_t)d->rule_count, entries = (size_t)d->U_pattern.start[d->rule_count];
  double *out = cmb_graph_results(d, at);
  cmb_graph_run(d, CMB_PROGRAM_SURFACES, at, NULL, NULL, out);
  memcpy(u, out, rules * sizeof *u);
  memcpy(ut, out + rules, rules * sizeof *ut);
  memcpy(gamma, out + 2 * rules, rules * sizeof *gamma);
  memcpy(U, out + 3 * rules, entries * sizeof *U);
  return CMB_OK;
}

void cmb_graph_rule_functions(const cmb_graph_data *d, cmb_equations *eq)
{
  if (d->program[CMB_PROGRAM_FLOW]) eq->switch_flow = switch_flow;
  if (d->program[CMB_PROGRAM_CONDITIONS]) eq->conditions = conditions;
  if (d->program[CMB_PROGRAM_RESETS]) eq->resets = resets;
  if (!d->program[CMB_PROGRAM_SURFACES]) return;
  eq->surfaces = surfaces;
  eq->U_pattern = &d->U_pattern;
}
