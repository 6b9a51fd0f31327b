/*
 * Makes the expressions of a graph system's programs from those of its model (graph_parts.h):
 *
 *     - The modes are frozen. All that the motion depends on has one set of switching functions. Outputs and energy share these, so that they
 *       show both sides of an event; a comparison that occurs in them alone is evaluated as it is and is no event.
 *     - An input that the motion depends on has the modes of the motion, any other keeps its comparisons.
 *     - If Jacobians are wanted, the constraints on velocities and accelerations, G v + g_t and G a + γ, are formed from the entries, and so is
 *       r = M a − f + Gᵀ λ if the model gives no residual.
 *     - u = 0 is substituted, since the programs compute the motion; only derivatives with respect to u need u.
 *     - Entries of M and G that have become 0 are dropped.
 */
#include "dae/graph_parts.h"

#include "base/context.h"
#include "dae/code.h"
#include "expr/graph.h"
#include "expr/sparsity.h"

#include <string.h>

/* ---- which parts are wanted */

/* Returns whether a program for the explicit formalism (accelerations and multipliers in one call) is to be made: it is requested,
 * and the model's expressions include it. */
static bool wants_explicit(const cmb_graph_parts *p)
{
  return p->options->explicit_form && p->x->acceleration;
}

/* Returns whether the program is needed that computes accelerations for given multipliers λ: it is requested, and the model's expressions
 * include it. Returns false if the model has first-order states whose rates depend on accelerations, which this program cannot compute. */
static bool wants_forced(const cmb_graph_parts *p)
{
  return p->options->forced_form && p->x->forced && p->x->nl == 0;
}

static bool wants_residual(const cmb_graph_parts *p)
{
  return p->options->derivatives || (p->options->residual_form && p->x->residual);
}

static bool wants_stiff(const cmb_graph_parts *p)
{
  return p->options->keep && p->x->stiff_row;
}

static bool wants_split(const cmb_graph_parts *p)
{
  return p->options->derivatives && p->x->applied;
}

static cmb_status copy_entries(cmb_graph_parts *p, const cmb_entries *from, cmb_entries *to)
{
  to->entry = cmb_arena_take(p->arena, (size_t)from->count, sizeof *to->entry);
  if (!to->entry) return cmb_fail_memory(p->ctx);
  for (int k = 0; k < from->count; k++) to->entry[k] = from->entry[k];
  to->count = from->count;
  return CMB_OK;
}

/* Counts the expressions of each part of the equations (mass matrix, forces, constraints, ...) and allocates all parts from
 * p->arena as sections of one array, so that one call can rewrite them. Copies the entries (row, column, expression) of M and G to
 * p and, if required, builds those of the derivatives of the inertial forces. */
static cmb_status take_parts(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  int *n = p->count, total = 0;
  CMB_TRY(copy_entries(p, &x->M, &p->M));
  CMB_TRY(copy_entries(p, &x->G, &p->G));
  if (wants_split(p)) {
    cmb_status status = x->inertial(x->kinematics, &p->inertial_q, &p->inertial_v);
    if (status != CMB_OK) return cmb_fail_memory(p->ctx);
  }
  n[CMB_PART_M] = x->mass_factors.count > 0 ? x->mass_factors.count : p->M.count;
  n[CMB_PART_G] = p->G.count;
  n[CMB_PART_F] = x->nv;
  n[CMB_PART_POSITION] = n[CMB_PART_GAMMA] = n[CMB_PART_GT] = p->x->ng;
  n[CMB_PART_RESIDUAL] = wants_residual(p) ? x->nv : 0;
  n[CMB_PART_ACCELERATION] = wants_explicit(p) ? x->nv : 0;
  n[CMB_PART_MULTIPLIER] = n[CMB_PART_PIVOT] = wants_explicit(p) ? p->x->ng : 0;
  n[CMB_PART_FORCED] = wants_forced(p) ? x->nv : 0;
  n[CMB_PART_APPLIED] = wants_split(p) ? x->nv : 0;
  n[CMB_PART_INERTIAL_Q] = p->inertial_q.count;
  n[CMB_PART_INERTIAL_V] = p->inertial_v.count;
  n[CMB_PART_VELOCITY_LEVEL] = n[CMB_PART_ACCELERATION_LEVEL] = p->options->derivatives ? x->ng : 0;
  n[CMB_PART_STIFF] = wants_stiff(p) ? x->stiff_count * (x->nv + 2) + 2 * x->nv : 0;
  cmb_graph_rule_counts(x, n);
  n[CMB_PART_OUTPUTS] = x->no + x->nh;
  n[CMB_PART_LATE] = x->nl;
  n[CMB_PART_INPUTS] = x->nu;
  n[CMB_PART_ROOTS] = x->root_count;
  n[CMB_PART_ENERGY] = x->energy != 0;
  n[CMB_PART_MASS_FORWARD] = n[CMB_PART_MASS_BACKWARD] = n[CMB_PART_MASS_MULTIPLY] =
      x->mass_factors.count > 0 ? x->nv : 0;
  for (int k = 0; k < CMB_PARTS; k++) total += n[k];
  cmb_expr *all = cmb_arena_take(p->arena, (size_t)total, sizeof *all);
  if (!all) return cmb_fail_memory(p->ctx);
  for (int k = 0; k < CMB_PARTS; all += n[k++]) p->part[k] = all;
  return CMB_OK;
}

static void copy(cmb_graph_parts *p, cmb_graph_part part, const cmb_expr *from)
{
  for (int i = 0; i < p->count[part] && from; i++) p->part[part][i] = from[i];
}

static void copy_expressions(cmb_graph_parts *p, cmb_graph_part part, const cmb_entries *from)
{
  for (int k = 0; k < from->count; k++) p->part[part][k] = from->entry[k].e;
}

static void copy_stiff(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  const size_t count = (size_t)x->stiff_count, nv = (size_t)x->nv;
  cmb_expr *to = p->part[CMB_PART_STIFF];
  memcpy(to, x->stiff_row, count * nv * sizeof *to);
  memcpy(to + count * nv, x->stiff_x, count * sizeof *to);
  memcpy(to + count * (nv + 1), x->stiff_rate, count * sizeof *to);
  memcpy(to + count * (nv + 2), x->loose, nv * sizeof *to);
  memcpy(to + count * (nv + 2) + nv, x->forces, nv * sizeof *to);
}

static void fill_parts(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  copy_expressions(p, CMB_PART_M, &p->M);
  copy_expressions(p, CMB_PART_G, &p->G);
  copy_expressions(p, CMB_PART_INERTIAL_Q, &p->inertial_q);
  copy_expressions(p, CMB_PART_INERTIAL_V, &p->inertial_v);
  copy(p, CMB_PART_F, x->f);
  copy(p, CMB_PART_POSITION, x->g);
  copy(p, CMB_PART_GAMMA, x->gamma);
  copy(p, CMB_PART_GT, x->gt);
  copy(p, CMB_PART_RESIDUAL, x->residual);
  copy(p, CMB_PART_ACCELERATION, x->acceleration);
  copy(p, CMB_PART_MULTIPLIER, x->multiplier);
  copy(p, CMB_PART_PIVOT, x->pivot);
  copy(p, CMB_PART_FORCED, x->forced);
  copy(p, CMB_PART_APPLIED, x->applied);
  if (wants_stiff(p)) copy_stiff(p);
  cmb_graph_rule_parts(x, p->part);
  copy(p, CMB_PART_OUTPUTS, x->outputs);
  copy(p, CMB_PART_LATE, x->late);
  copy(p, CMB_PART_INPUTS, x->input_value);
  copy(p, CMB_PART_ROOTS, x->roots);
  copy(p, CMB_PART_ENERGY, &x->energy);
  if (x->mass_factors.count == 0) return;
  copy(p, CMB_PART_M, x->mass_factors.value);
  copy(p, CMB_PART_MASS_FORWARD, x->mass_factors.forward);
  copy(p, CMB_PART_MASS_BACKWARD, x->mass_factors.backward);
  copy(p, CMB_PART_MASS_MULTIPLY, x->mass_factors.multiply);
}

/* ---- rewriting */

static void add_product(cmb_graph *g, cmb_expr *sum, cmb_expr a, cmb_expr b)
{
  *sum = cmb_apply(g, CMB_OP_ADD, *sum, cmb_apply(g, CMB_OP_MUL, a, b, 0), 0);
}

/* Builds the expressions of the residual r = M a − f + Gᵀ λ (nv) of the equations of motion from the entries of M and G, in
 * CMB_PART_RESIDUAL. */
static void make_residual(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  cmb_expr *r = p->part[CMB_PART_RESIDUAL];
  for (int k = 0; k < p->M.count; k++) {
    add_product(x->graph, &r[p->M.entry[k].row], p->part[CMB_PART_M][k],
                x->a[p->M.entry[k].column]);
  }
  for (int k = 0; k < p->G.count; k++) {
    add_product(x->graph, &r[p->G.entry[k].column], p->part[CMB_PART_G][k],
                x->lambda[p->G.entry[k].row]);
  }
  for (int i = 0; i < x->nv; i++) {
    r[i] = cmb_apply(x->graph, CMB_OP_SUB, r[i], p->part[CMB_PART_F][i], 0);
  }
}

/* Builds the differentiated constraints G x + r (ng) as part `level` of the equations (enum): those on velocities, with x = v and r = ∂g/∂t, or
 * those on accelerations, with x = a and r = γ. `rest` is the part of the equations that has r. */
static void make_level(cmb_graph_parts *p, const cmb_expr *x, cmb_graph_part rest,
                       cmb_graph_part level)
{
  cmb_graph *g = p->x->graph;
  cmb_expr *sum = p->part[level];
  for (int k = 0; k < p->G.count; k++) {
    add_product(g, &sum[p->G.entry[k].row], p->part[CMB_PART_G][k], x[p->G.entry[k].column]);
  }
  for (int i = 0; i < p->count[level]; i++) {
    sum[i] = cmb_apply(g, CMB_OP_ADD, sum[i], p->part[rest][i], 0);
  }
}

/* Replaces the conditions (if, comparisons, ...) in the model's input functions u(t) by modes, variables that are constant between
 * events; only in those inputs on which the motion depends. The first `motion` expressions of p->part[0] are those of the
 * motion. */
static cmb_status freeze_inputs(cmb_graph_parts *p, int motion)
{
  const cmb_expressions *x = p->x;
  cmb_expr *input = p->part[CMB_PART_INPUTS];
  uint8_t *used = cmb_reachable(x->graph, motion, p->part[0]);
  cmb_status status = CMB_OK;
  if (!used) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < x->nu && status == CMB_OK; i++) {
    if (used[x->u[i]]) status = cmb_modes_freeze(p->modes, x->graph, 1, &input[i], &input[i]);
  }
  cmb_release(p->ctx, used);
  return status;
}

/* Replaces conditions (if, comparisons, ...) in a part of the equations by modes, variables that are constant between events. Does so only for
 * conditions that already have a mode in the equations of motion or in an event. Leaves the next sampled values unchanged, whose conditions are
 * decided at the sampling instant. */
static cmb_status freeze_known(cmb_graph_parts *p, cmb_graph_part part)
{
  cmb_expr *e = p->part[part];
  const int count = part == CMB_PART_OUTPUTS ? p->x->no : p->count[part];
  return cmb_modes_freeze_known(p->modes, p->x->graph, count, e, e);
}

/* Replaces the conditions (if, comparisons, ...) in the event conditions when[count] by modes, variables that are constant between events.
 * Conditions on velocities do not share modes with the forces: where dry friction sticks, the velocity is 0, while the mode in the forces has
 * the sign of the friction force. */
static cmb_status freeze_events(cmb_graph_parts *p, int count, cmb_expr *when)
{
  const cmb_expressions *x = p->x;
  for (int i = 0; i < count; i++) {
    bool on_v = false;
    if (x->nv > 0) CMB_TRY(cmb_depends(x->graph, x->nv, x->v, 1, &when[i], &on_v));
    const int from = on_v ? p->motion_ns : 0;
    CMB_TRY(cmb_modes_freeze_apart(p->modes, x->graph, from, 1, &when[i], &when[i]));
  }
  return CMB_OK;
}

/* Replaces the conditions (if, comparisons, ...) in the formulas of all events and stops by modes, variables that are constant between events.
 * Gaps of unilateral contacts get modes of their own, since these stay fixed while a contact is closed and those of the motion do not. */
static cmb_status freeze_rules(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  cmb_expr *when = p->part[CMB_PART_CONDITIONS], *other = when + p->count[CMB_PART_CONDITIONS];
  const int others = (int)(p->part[CMB_EVENT_PARTS] - other);
  int events = 0, end;
  while (events < x->rule_count && !x->rules[events].gap) events++;
  for (end = events; end < x->rule_count && x->rules[end].gap;) end++;
  CMB_TRY(freeze_events(p, events, when));
  CMB_TRY(cmb_modes_freeze_apart(p->modes, x->graph, p->motion_ns, end - events, when + events,
                                 when + events));
  CMB_TRY(freeze_events(p, x->rule_count - end, when + end));
  return cmb_modes_freeze(p->modes, x->graph, others, other, other);
}

static cmb_status freeze(cmb_graph_parts *p)
{
  cmb_expr *all = p->part[0];
  int motion = (int)(p->part[CMB_MOTION_PARTS] - all);
  CMB_TRY(cmb_modes_create(p->ctx, &p->modes));
  CMB_TRY(cmb_modes_freeze(p->modes, p->x->graph, motion, all, all));
  CMB_TRY(freeze_inputs(p, motion));
  p->motion_ns = cmb_modes_count(p->modes);
  CMB_TRY(freeze_rules(p));
  CMB_TRY(freeze_known(p, CMB_PART_OUTPUTS));
  CMB_TRY(freeze_known(p, CMB_PART_LATE));
  CMB_TRY(freeze_known(p, CMB_PART_ROOTS));
  CMB_TRY(freeze_known(p, CMB_PART_ENERGY));
  p->ns = cmb_modes_count(p->modes);
  cmb_expr *margin = cmb_arena_take(p->arena, 2 * (size_t)p->ns, sizeof *margin);
  if (!margin) return cmb_fail_memory(p->ctx);
  p->part[CMB_PART_MARGINS] = margin;
  p->part[CMB_PART_DECIDING] = margin + p->ns;
  p->count[CMB_PART_MARGINS] = p->ns;
  for (int i = 0; i < p->ns; i++) {
    const cmb_mode *mode = cmb_modes_at(p->modes, i);
    margin[i] = mode->margin;
    if (!cmb_mode_is_sign(mode->kind)) {
      p->part[CMB_PART_DECIDING][p->count[CMB_PART_DECIDING]++] = mode->of;
    }
  }
  return cmb_graph_name_switches(p);
}

static cmb_status store_before_zero_inputs(cmb_graph_parts *p)
{
  size_t nv = (size_t)p->x->nv, ng = (size_t)p->x->ng;
  p->residual_of_u = cmb_arena_take(p->arena, nv, sizeof(cmb_expr));
  p->position_of_u = cmb_arena_take(p->arena, ng, sizeof(cmb_expr));
  if (cmb_arena_failed(p->arena)) return cmb_fail_memory(p->ctx);
  memcpy(p->residual_of_u, p->part[CMB_PART_RESIDUAL], nv * sizeof(cmb_expr));
  memcpy(p->position_of_u, p->part[CMB_PART_POSITION], ng * sizeof(cmb_expr));
  return CMB_OK;
}

/* Returns the total number of expressions in p->part[], the parts of the equations, from the mass matrix (first) to the energy (last). */
static int count_parts(const cmb_graph_parts *p)
{
  return (int)(p->part[CMB_PART_ENERGY] - p->part[0]) + p->count[CMB_PART_ENERGY];
}

/* Returns the number of switching functions plus the number of expressions that determine integer-valued modes, which are stored one after the
 * other. */
static int count_margins(const cmb_graph_parts *p)
{
  return p->ns + p->count[CMB_PART_DECIDING];
}

/* Replaces the variables u and their rates by 0 in the expressions of all parts of the equations and in the switching functions. u are
 * additions to the formulas of the model's inputs; they exist only so that one can differentiate by inputs. Does nothing if the inputs are
 * parameters themselves. If derivatives are wanted, first saves the residual r and the constraints g as functions of u. */
static cmb_status substitute_zero_inputs(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  if (x->nu == 0) return CMB_OK;
  if (p->options->derivatives) CMB_TRY(store_before_zero_inputs(p));
  if (x->live_inputs) return CMB_OK;
  const int count = p->layout.count[CMB_BLOCK_U];
  const cmb_expr *u = p->input + p->layout.first[CMB_BLOCK_U];
  cmb_expr *zero = cmb_arena_take(p->arena, (size_t)count, sizeof *zero), *all = p->part[0];
  cmb_expr *margin = p->part[CMB_PART_MARGINS];
  if (!zero) return cmb_fail_memory(p->ctx);
  CMB_TRY(cmb_substitute(x->graph, count, u, zero, count_parts(p), all, all));
  return cmb_substitute(x->graph, count, u, zero, count_margins(p), margin, margin);
}

/* ---- dropping zeros */

/* Returns whether entry (row, column) of a sparse matrix exists and is not identically 0, by binary search in its sorted list of
 * entries. */
static bool has_entry(const cmb_entries *m, int row, int column)
{
  int low = 0, high = m->count;
  while (low < high) {
    int middle = (low + high) / 2;
    const cmb_entry *e = &m->entry[middle];
    if (e->row == row && e->column == column) return e->e != 0;
    if (e->row < row || (e->row == row && e->column < column)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return false;
}

/* Removes the entries k of the sparse matrix m for which keep[k] is false, and their expressions in the given part; the others
 * keep their order. */
static void keep_entries(cmb_graph_parts *p, cmb_entries *m, cmb_graph_part part, const bool *keep)
{
  int count = 0;
  for (int k = 0; k < m->count; k++) {
    if (!keep[k]) continue;
    p->part[part][count] = p->part[part][k];
    m->entry[count++] = m->entry[k];
  }
  m->count = p->count[part] = count;
}

/* Removes the identically vanishing entries of the sparse matrix m, whose expressions belong to the given part of the equations. The mass
 * matrix (CMB_PART_M) keeps its diagonal and a symmetric pattern. */
static void drop_zeros(cmb_graph_parts *p, cmb_entries *m, cmb_graph_part part)
{
  bool *keep = cmb_arena_take(p->arena, (size_t)m->count, sizeof *keep);
  for (int k = 0; k < m->count; k++) m->entry[k].e = p->part[part][k];
  for (int k = 0; keep && k < m->count; k++) {
    const cmb_entry *at = &m->entry[k];
    bool in_mass = part == CMB_PART_M;
    keep[k] =
        at->e != 0 || (in_mass && (at->row == at->column || has_entry(m, at->column, at->row)));
  }
  if (keep) keep_entries(p, m, part, keep);
}

static bool is_in(const cmb_pattern *pattern, int row, int column)
{
  for (int k = pattern->start[row]; k < pattern->start[row + 1]; k++) {
    if (pattern->column[k] == column) return true;
  }
  return false;
}

/* Removes entries from the sparse matrix m, the derivative of the inertial forces with respect to wrt[columns]: those that are 0, and those in
 * a row of the residual that does not depend on the variable of the column, since the derivative's terms cancel there. The expressions of m
 * belong to the given part. */
static cmb_status drop_independent(cmb_graph_parts *p, cmb_entries *m, cmb_graph_part part,
                                   int columns, const cmb_expr *wrt)
{
  cmb_pattern pattern;
  bool *keep = cmb_arena_take(p->arena, (size_t)m->count, sizeof *keep);
  if (!keep) return cmb_fail_memory(p->ctx);
  CMB_TRY(cmb_sparsity(p->x->graph, p->arena, columns, wrt, p->x->nv, p->part[CMB_PART_RESIDUAL],
                       &pattern));
  for (int k = 0; k < m->count; k++) {
    const cmb_entry *at = &m->entry[k];
    keep[k] = p->part[part][k] != 0 && is_in(&pattern, at->row, at->column);
  }
  keep_entries(p, m, part, keep);
  return CMB_OK;
}

/* ---- inputs */

/* Lists in p->input_rate (p->nr) the time derivatives of the model's inputs that occur in any of its expressions, and their names
 * in p->input_rate_names. */
static cmb_status list_rates(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  uint8_t *in_parts = cmb_reachable(x->graph, count_parts(p), p->part[0]);
  uint8_t *in_margins = cmb_reachable(x->graph, count_margins(p), p->part[CMB_PART_MARGINS]);
  p->input_rate = cmb_arena_take(p->arena, (size_t)x->nr, sizeof *p->input_rate);
  p->input_rate_names = cmb_arena_take(p->arena, (size_t)x->nr, sizeof *p->input_rate_names);
  const bool taken = in_parts && in_margins && p->input_rate && p->input_rate_names;
  for (int i = 0; taken && i < x->nr; i++) {
    if (!in_parts[x->input_rate[i]] && !in_margins[x->input_rate[i]]) continue;
    p->input_rate_names[p->nr] = x->input_rate_names[i];
    p->input_rate[p->nr++] = x->input_rate[i];
  }
  cmb_release(p->ctx, in_parts);
  cmb_release(p->ctx, in_margins);
  return taken ? CMB_OK : cmb_fail_memory(p->ctx);
}

/* Returns variable i of the block CMB_BLOCK_U of the programs' inputs: first the variables u (nu) that are added to the model's
 * input functions, then the time derivatives of inputs (nr). */
static cmb_expr input_at(const cmb_graph_parts *p, int i)
{
  return i < p->x->nu ? p->x->u[i] : p->input_rate[i - p->x->nu];
}

static cmb_status list_inputs(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  if (x->nr > 0) CMB_TRY(list_rates(p));
  const int nu = x->live_inputs ? 0 : x->nu + p->nr; /* otherwise they are parameters */
  const int count[CMB_BLOCKS] = {1, x->nq, p->ns, x->np, x->nv, x->ng, x->nv, x->push_count, nu, 1};
  const cmb_expr *const blocks[CMB_BLOCK_H] = {&x->t,     x->q, NULL, x->parameter, x->v,
                                               x->lambda, x->a, NULL, NULL};
  p->layout = cmb_layout_make(count);
  cmb_expr *in = p->input =
      cmb_arena_take(p->arena, (size_t)cmb_layout_size(&p->layout), sizeof *in);
  if (!in) return cmb_fail_memory(p->ctx);
  for (int k = 0; k < CMB_BLOCK_H; k++) {
    for (int i = 0; i < count[k]; i++) {
      *in++ = k == CMB_BLOCK_MODE   ? cmb_modes_at(p->modes, i)->mode
              : k == CMB_BLOCK_PUSH ? x->rules[i].push
              : k == CMB_BLOCK_U    ? input_at(p, i)
                                    : blocks[k][i];
    }
  }
  return CMB_OK;
}

/* Lists in p->factor_input the inputs of those programs that multiply a vector by the factorised mass matrix: the numbers of the factors, then
 * the vector (nv). Does nothing if the mass matrix is given by its entries. */
static cmb_status list_factor_inputs(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  const size_t values = (size_t)x->mass_factors.count, nv = (size_t)x->nv;
  if (values == 0) return CMB_OK;
  p->factor_inputs = x->mass_factors.count + x->nv;
  p->factor_input = cmb_arena_take(p->arena, values + nv, sizeof *p->factor_input);
  if (!p->factor_input) return cmb_fail_memory(p->ctx);
  memcpy(p->factor_input, x->mass_factors.symbol, values * sizeof *p->factor_input);
  memcpy(p->factor_input + values, x->a, nv * sizeof *p->factor_input);
  return CMB_OK;
}

cmb_status cmb_graph_parts_make(cmb_graph_parts *p)
{
  CMB_TRY(take_parts(p));
  fill_parts(p);
  CMB_TRY(freeze(p));
  CMB_TRY(list_inputs(p));
  if (wants_residual(p) && !p->x->residual) make_residual(p);
  if (p->options->derivatives) {
    make_level(p, p->x->v, CMB_PART_GT, CMB_PART_VELOCITY_LEVEL);
    make_level(p, p->x->a, CMB_PART_GAMMA, CMB_PART_ACCELERATION_LEVEL);
  }
  if (p->code) CMB_TRY(cmb_code_fill(p, p->lasting, p->code));
  CMB_TRY(substitute_zero_inputs(p));
  CMB_TRY(cmb_graph_flow_part(p));
  if (p->x->mass_factors.count == 0) drop_zeros(p, &p->M, CMB_PART_M);
  drop_zeros(p, &p->G, CMB_PART_G);
  if (wants_split(p)) {
    CMB_TRY(drop_independent(p, &p->inertial_q, CMB_PART_INERTIAL_Q, p->x->nq, p->x->q));
    CMB_TRY(drop_independent(p, &p->inertial_v, CMB_PART_INERTIAL_V, p->x->nv, p->x->v));
  }
  CMB_TRY(list_factor_inputs(p));
  if (cmb_arena_failed(p->arena)) return cmb_fail_memory(p->ctx);
  return cmb_graph_status(p->x->graph);
}
