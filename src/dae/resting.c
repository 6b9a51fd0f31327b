/*
 * Closed contacts as constraints (resting.h).
 */
#include "dae/resting.h"

#include "base/context.h"
#include "expr/interval.h"
#include "math/dense.h"
#include "math/pattern.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double SMALL = 1e-9; /* negligible part of the forces on the bodies in contact */
/* relative rounding error of a contact force, beside the largest force connected with it */
static const double ROUNDING = 1e-13;
/* relative length of what remains of a gradient that the constraints determine */
static const double FREE = 1e-9;

/* Evaluates the contact functions u of all events and stops at a point: u, ∂u/∂t, γ (the velocity-dependent part of ü) and the gradients, into
 * x->u, x->ut, x->gamma and x->U. */
static cmb_status find_surfaces(const cmb_resting *x, const cmb_point *at)
{
  const cmb_equations *inner = x->layer.inner;
  return inner->surfaces(inner->self, at, x->u, x->ut, x->gamma, x->U);
}

/* Returns how many entries of the gradient of contact function u number `rule` (of an event or stop) are stored, and writes the index of the
 * first one in x->U, the array of all such gradients, to *first. */
static int entries_of(const cmb_resting *x, int rule, int *first)
{
  const cmb_equations *inner = x->layer.inner;
  const cmb_pattern *p = inner->U_pattern;
  *first = p ? p->start[rule] : rule * inner->nv;
  return p ? p->start[rule + 1] - p->start[rule] : inner->nv;
}

/* Stores the constraint u = 0 of closed contact k, multiplied by x->unit[k], in those of the terms g, ∂g/∂t, γ and G that are
 * requested. Its row ng + k follows the ng constraints of the equations without contacts. */
static void add_row(const cmb_resting *x, int k, const cmb_terms *want)
{
  const cmb_equations *inner = x->layer.inner, *eq = &x->layer.eq;
  const int i = inner->ng + k, rule = x->rule[k];
  int first;
  const double unit = x->unit[k];
  if (want->g) want->g[i] = x->u[rule] * unit;
  if (want->gt) want->gt[i] = x->ut[rule] * unit;
  if (want->gamma) want->gamma[i] = x->gamma[rule] * unit;
  if (!want->G) return;
  if (eq->G_pattern) {
    const int count = entries_of(x, rule, &first);
    double *row = want->G + x->pattern.start[i];
    for (int j = 0; j < count; j++) row[j] = x->U[first + j] * unit;
  } else {
    double *row = want->G + (ptrdiff_t)i * eq->nv;
    cmb_expand_row(inner->U_pattern, eq->nv, rule, x->U, row);
    for (int j = 0; j < eq->nv; j++) row[j] *= unit;
  }
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const cmb_resting *x = self;
  const cmb_equations *inner = x->layer.inner;
  CMB_TRY(inner->evaluate(inner->self, at, want));
  if (!want->g && !want->G && !want->gt && !want->gamma) return CMB_OK;
  CMB_TRY(find_surfaces(x, at));
  for (int k = 0; k < x->count; k++) add_row(x, k, want);
  return CMB_OK;
}

/* Computes the force (multiplier) *mu of closed contact k as if the bodies were on the other side of its surface: with opposite signs of those
 * switching functions on which the condition of the contact's event depends. Overwrites x->a, x->lambda and the modes of x->other. */
static cmb_status force_on_other_side(const cmb_resting *x, const cmb_point *at, int k, double *mu)
{
  const cmb_equations *inner = x->layer.inner, *eq = &x->layer.eq;
  const bool *reads = inner->rule_reads + (ptrdiff_t)x->rule[k] * inner->ns;
  for (int i = 0; i < eq->ns; i++) {
    x->other->mode[i] = i < inner->ns && reads[i] ? -at->mode[i] : at->mode[i];
  }
  CMB_TRY(cmb_accelerate(x->other, at->t, at->q, at->v, x->a, x->lambda));
  *mu = x->lambda[inner->ng + k];
  return CMB_OK;
}

/* Merges those sets of coupled velocities (parts of the model that move independently) that the matrix row row[nv] couples: all velocities with
 * non-zero entries in the row, and the other velocities of their parts, get the same part number in x->part. */
static void merge_parts(const cmb_resting *x, const double *row)
{
  const int nv = x->layer.inner->nv;
  int first = -1;
  for (int i = 0; i < nv; i++) {
    if (row[i] == 0) continue;
    if (first < 0) first = i;
    const int from = x->part[i], to = x->part[first];
    for (int k = 0; from != to && k < nv; k++) {
      if (x->part[k] == from) x->part[k] = to;
    }
  }
}

/* Divides the velocities into independent parts of the model, which neither the mass matrix nor the constraints couple, so that rounding errors
 * of the forces in one part do not count in another. Writes the number of each velocity's part to x->part (nv). If the mass matrix is given by
 * factors, all velocities belong to one part. */
static void find_parts(const cmb_resting *x, const cmb_evaluator *ev)
{
  const cmb_equations *eq = &x->layer.eq;
  const int nv = eq->nv;
  for (int i = 0; i < nv; i++) x->part[i] = eq->mass_factors ? 0 : i;
  if (eq->mass_factors) return;
  for (int i = 0; i < nv && !eq->mass_diagonal; i++) {
    cmb_expand_row(eq->M_pattern, nv, i, ev->M, x->row);
    merge_parts(x, x->row);
  }
  for (int k = 0; k < eq->ng; k++) {
    cmb_expand_row(eq->G_pattern, nv, k, ev->G, x->row);
    merge_parts(x, x->row);
  }
}

/* Computes the magnitude |f| + |Gᵀ| |λ| of the forces that act on each velocity, x->force (nv), from the evaluator's f and G; and
 * the largest of them in each independent part of the model, x->largest, indexed by the number of the part. */
static void find_forces(const cmb_resting *x, const cmb_evaluator *ev, const double *lambda)
{
  const cmb_equations *eq = &x->layer.eq;
  const int nv = eq->nv;
  for (int i = 0; i < nv; i++) x->force[i] = fabs(ev->f[i]), x->largest[i] = 0;
  for (int k = 0; k < eq->ng; k++) {
    cmb_expand_row(eq->G_pattern, nv, k, ev->G, x->row);
    for (int i = 0; i < nv; i++) x->force[i] += fabs(x->row[i] * lambda[k]);
  }
  for (int i = 0; i < nv; i++) {
    double *largest = &x->largest[x->part[i]];
    *largest = fmax(*largest, x->force[i]);
  }
}

/* Returns the force up to which a contact on a surface with the gradient u = x->row (nv) counts as unloaded: the largest of a small part of the
 * forces on the bodies in contact, of the rounding error of the largest force that could affect them, and of the force that gives their
 * effective mass the acceleration `still`. Returns 0 if u = 0. Overwrites x->a. */
static double slack_of(const cmb_resting *x, const cmb_evaluator *ev, double still)
{
  const int nv = x->layer.inner->nv;
  double force = 0, beside = 0, length = 0, square = 0, inertia = 0;
  cmb_multiply_mass(ev, x->row, x->a);
  for (int i = 0; i < nv; i++) {
    force += fabs(x->row[i]) * x->force[i];
    if (x->row[i] != 0) beside = fmax(beside, x->largest[x->part[i]]);
    length = fmax(length, fabs(x->row[i]));
    square += x->row[i] * x->row[i];
    inertia += x->row[i] * x->a[i];
  }
  if (!(square > 0)) return 0;
  const double small = fmax(SMALL * force / square, ROUNDING * beside / length);
  return fmax(small, still * sqrt(square) * inertia / (square * square));
}

cmb_status cmb_resting_widen(cmb_resting *x, cmb_evaluator *ev, const cmb_point *at, double still)
{
  const cmb_equations *inner = x->layer.inner;
  CMB_TRY(cmb_factor_and_accelerate(ev, at->t, at->q, at->v, x->a, x->lambda));
  CMB_TRY(find_surfaces(x, at));
  find_parts(x, ev);
  find_forces(x, ev, x->lambda);
  for (int k = 0; k < x->count; k++) {
    cmb_expand_row(inner->U_pattern, inner->nv, x->rule[k], x->U, x->row);
    for (int i = 0; i < inner->nv; i++) x->row[i] *= x->unit[k];
    x->slack[k] = fmax(x->slack[k], slack_of(x, ev, still));
  }
  return CMB_OK;
}

/* Computes the rates of change of the switching functions of velocities (order 1) along the direction x->direction (nv), into the first ns
 * numbers of change (2 ns): the functions' rates with the accelerations x->direction minus their rates `none` with accelerations 0. The results
 * for other functions are not used. */
static cmb_status change_along(const cmb_resting *x, const cmb_point *at, const double *none,
                               double *change)
{
  const cmb_equations *inner = x->layer.inner;
  CMB_TRY(inner->switch_flow(inner->self, at, x->direction, change));
  for (int i = 0; i < inner->ns; i++) change[i] -= none[i];
  return CMB_OK;
}

/* Finds the switching functions of velocities that the constraints keep at 0, such as the sliding velocity of a body that cannot move. Such a
 * function changes along two arbitrary directions of velocity, but not along these directions projected onto the constraints. Stores in x->held
 * the sign of the change (0: not kept at 0) and in x->limit, unless frozen, a tolerance, the change by a velocity of the size `slow`. */
static cmb_status find_held(cmb_resting *x, cmb_evaluator *ev, const cmb_point *at, double slow)
{
  enum { DIRECTIONS = 2 };
  const cmb_equations *inner = x->layer.inner;
  const int ns = inner->ns, nv = inner->nv;
  double *none = x->flow, *whole = none + 2 * (ptrdiff_t)ns, *left = whole + 2 * (ptrdiff_t)ns;
  for (int i = 0; i < ns; i++) x->limit[i] = INFINITY;
  memset(x->direction, 0, (size_t)nv * sizeof *x->direction);
  CMB_TRY(inner->switch_flow(inner->self, at, x->direction, none));
  for (int k = 1; k <= DIRECTIONS; k++) {
    for (int i = 0; i < nv; i++) x->direction[i] = sin(k * (i + 1.0));
    CMB_TRY(change_along(x, at, none, whole));
    cmb_multiply_mass(ev, x->direction, x->a);
    cmb_solve(ev, x->a, NULL, x->direction, x->lambda);
    CMB_TRY(change_along(x, at, none, left));
    for (int i = 0; i < ns; i++) {
      const double size = fabs(whole[i]);
      const bool held = size > 0 && fabs(left[i]) <= FREE * size;
      x->limit[i] = held ? fmin(x->limit[i], size * slow) : 0;
      x->held[i] = whole[i] > 0 ? 1 : -1;
    }
  }
  for (int i = 0; i < ns; i++) {
    if (inner->switch_order[i] != 1 || !(x->limit[i] > 0)) x->held[i] = 0;
    if (inner->switch_order[i] != 1 || x->frozen[i]) x->limit[i] = 0;
  }
  return CMB_OK;
}

cmb_status cmb_resting_measure(cmb_resting *x, const cmb_point *at)
{
  const cmb_equations *inner = x->layer.inner;
  CMB_TRY(find_surfaces(x, at));
  for (int k = 0; k < x->count; k++) {
    x->unit[k] = 1 / cmb_row_size(inner->U_pattern, inner->nv, x->rule[k], x->U);
  }
  return CMB_OK;
}

cmb_status cmb_resting_begin(cmb_resting *x, cmb_evaluator *ev, const cmb_point *at, double still,
                             double slow)
{
  for (int k = 0; k < x->count; k++) x->slack[k] = 0;
  CMB_TRY(cmb_resting_widen(x, ev, at, still));
  return x->layer.inner->switch_flow ? find_held(x, ev, at, slow) : CMB_OK;
}

void cmb_resting_visit(cmb_resting *x, cmb_archive *a)
{
  const int ns = x->layer.inner->ns;
  cmb_archive_doubles(a, "rest-unit", x->count, x->unit);
  for (int k = 0; k < x->count; k++) {
    if (!(x->unit[k] > 0)) {
      cmb_archive_refuse(a, "the scale factor of a closed contact is not positive");
    }
  }
  cmb_archive_doubles(a, "rest-slack", x->count, x->slack);
  cmb_archive_doubles(a, "rest-limit", ns, x->limit);
  cmb_archive_ints(a, "rest-held", ns, x->held);
  for (int i = 0; i < ns; i++) {
    cmb_archive_check(a, i, x->held[i], -1, 1);
  }
}

/* Computes the switching function s of closed contact k, which becomes negative when the contact opens: the contact force, from the multiplier
 * mu, plus a tolerance, the force that counts as 0 (slack). For a bilateral contact, the forces on both sides of the surface decide. */
static cmb_status contact_function(const cmb_resting *x, const cmb_point *at, int k, double mu,
                                   double *s)
{
  const cmb_equations *inner = x->layer.inner;
  const int direction = inner->rules[x->rule[k]].direction;
  const double slack = x->slack[k];
  double beyond;
  *s = (direction < 0 ? -mu : mu) + slack;
  if (direction != 0) return CMB_OK;
  CMB_TRY(force_on_other_side(x, at, k, &beyond));
  *s = (x->met[x->rule[k]] ? fmin(-mu, beyond) : fmin(mu, -beyond)) + slack;
  return CMB_OK;
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  const cmb_resting *x = self;
  const cmb_equations *inner = x->layer.inner;
  CMB_TRY(inner->switches(inner->self, at, lambda, s));
  CMB_TRY(inner->conditions(inner->self, at, lambda, x->met));
  for (int i = 0; i < inner->ns; i++) {
    if (x->frozen[i]) s[i] = at->mode[i];
    if (fabs(s[i]) <= x->limit[i]) s[i] = 0;
  }
  for (int k = 0; k < x->count; k++) {
    CMB_TRY(contact_function(x, at, k, lambda[inner->ng + k], &s[inner->ns + k]));
  }
  return CMB_OK;
}

/* Computes bounds of the switching functions, s, and of their rates, `rate`, over a box of times and states, except for the functions added for
 * closed contacts; either array may be NULL. For functions that the constraints keep at 0, bounds within the tolerance x->limit are replaced by
 * 0. */
static void enclose(const void *self, const cmb_box *box, cmb_interval *s, cmb_interval *rate)
{
  const cmb_resting *x = self;
  const cmb_equations *inner = x->layer.inner;
  inner->enclose(inner->self, box, s, rate);
  for (int i = 0; s && i < inner->ns; i++) {
    if (x->limit[i] > 0 && s[i].low >= -x->limit[i] && s[i].high <= x->limit[i]) {
      s[i] = (cmb_interval){0, 0};
    }
  }
}

/* Computes the forces of the closed contacts from the multipliers λ (ng + count) and stores each in x->push at the index of its
 * event rule. */
static void find_contact_forces(const cmb_resting *x, const double *lambda)
{
  const int ng = x->layer.inner->ng;
  for (int k = 0; k < x->count; k++) x->push[x->rule[k]] = lambda[ng + k] * x->unit[k];
}

static cmb_status late(const void *self, const cmb_point *at, const double *a, const double *lambda,
                       const double *push, double *out)
{
  const cmb_resting *x = self;
  const cmb_equations *inner = x->layer.inner;
  (void)push; /* the layer knows the contact forces */
  find_contact_forces(x, lambda);
  return inner->late(inner->self, at, a, lambda, x->push, out);
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  const cmb_resting *x = self;
  const cmb_equations *inner = x->layer.inner;
  find_contact_forces(x, lambda);
  return inner->outputs_at_rest(inner->self, at, a, lambda, x->push, out);
}

/* Computes the rates of the switching functions with the accelerations a (nv) into flow (2 ns). The rates of the functions added
 * for closed contacts are 0. */
static cmb_status switch_flow(const void *self, const cmb_point *at, const double *a, double *flow)
{
  const cmb_resting *x = self;
  const cmb_equations *inner = x->layer.inner;
  const int below = inner->ns, all = x->layer.eq.ns;
  CMB_TRY(inner->switch_flow(inner->self, at, a, flow));
  memmove(flow + all, flow + below, (size_t)below * sizeof *flow);
  for (int i = below; i < all; i++) flow[i] = flow[all + i] = 0;
  return CMB_OK;
}

/* Computes bounds over a box of the forces f (nv) and of γ, the velocity-dependent part of the constraints on accelerations: first
 * for the constraints of the equations without contacts, then for the closed contacts. */
static void load_bounds(const void *self, const cmb_box *box, cmb_interval *f, cmb_interval *gamma)
{
  const cmb_resting *x = self;
  const cmb_equations *inner = x->layer.inner;
  const cmb_interval none = cmb_interval_unknown();
  inner->load_bounds(inner->self, box, f, gamma);
  inner->surface_bounds(inner->self, box, x->gamma_bounds);
  for (int k = 0; k < x->count; k++) {
    const cmb_interval unit = cmb_interval_of(x->unit[k]);
    gamma[inner->ng + k] = cmb_op_enclose(CMB_OP_MUL, unit, x->gamma_bounds[x->rule[k]], none);
  }
}

static void flow_bounds(const void *self, const cmb_box *box, const double *a, cmb_interval *flow)
{
  const cmb_resting *x = self;
  const cmb_equations *inner = x->layer.inner;
  const int below = inner->ns, all = x->layer.eq.ns;
  inner->flow_bounds(inner->self, box, a, flow);
  memmove(flow + all, flow + below, (size_t)below * sizeof *flow);
  for (int i = below; i < all; i++) flow[i] = flow[all + i] = cmb_interval_of(0);
}

/* ---- creation */

static const char *name_of(cmb_arena *arena, const char *rule, const char *what)
{
  char text[300];
  snprintf(text, sizeof text, "%s.%s", rule, what);
  return cmb_arena_text(arena, text);
}

static void name_rows(const cmb_resting *x, cmb_arena *arena, cmb_arena *lasting, cmb_equations *eq)
{
  const cmb_equations *inner = x->layer.inner;
  const size_t ng = (size_t)eq->ng, ns = (size_t)eq->ns;
  const char **g = cmb_arena_take(arena, ng, sizeof(void *));
  const char **lambda = cmb_arena_take(arena, ng, sizeof(void *));
  const char **s = cmb_arena_take(arena, ns, sizeof(void *));
  if (cmb_arena_failed(arena)) return;
  for (int i = 0; i < inner->ng; i++) g[i] = inner->g_names[i], lambda[i] = inner->lambda_names[i];
  for (int i = 0; i < inner->ns; i++) s[i] = inner->switch_names[i];
  for (int k = 0; k < x->count; k++) {
    const char *rule = inner->rules[x->rule[k]].name;
    g[inner->ng + k] = lambda[inner->ng + k] = rule;
    s[inner->ns + k] = name_of(lasting, rule, "rest");
  }
  eq->g_names = g, eq->lambda_names = lambda, eq->switch_names = s;
}

/* Sets the arrays of eq that describe the switching functions: copies of those of the equations without contacts, then one function for each
 * closed contact. A switching function that the condition of a closed contact contains is marked in x->frozen, since its sign must not change
 * while the contact lasts; not so if its mode is a whole number, such as an interval of a table. For frozen functions and those of closed
 * contacts no bounds and no rates can be computed. */
static void list_switches(cmb_resting *x, cmb_arena *arena, cmb_equations *eq)
{
  const cmb_equations *inner = x->layer.inner;
  const size_t ns = (size_t)eq->ns;
  bool *level = cmb_arena_take(arena, ns, sizeof *level);
  bool *enclosed = cmb_arena_take(arena, ns, sizeof *enclosed);
  bool *silent = cmb_arena_take(arena, ns, sizeof *silent);
  bool *of_gap = cmb_arena_take(arena, ns, sizeof *of_gap);
  bool *sticks = cmb_arena_take(arena, ns, sizeof *sticks);
  int *order = cmb_arena_ints(arena, eq->ns);
  x->frozen = cmb_arena_take(arena, ns, sizeof *x->frozen);
  if (cmb_arena_failed(arena)) return;
  for (int k = 0; k < x->count; k++) {
    const bool *reads = inner->rule_reads + (ptrdiff_t)x->rule[k] * inner->ns;
    for (int i = 0; i < inner->ns; i++) {
      const bool is_level = inner->switch_is_level && inner->switch_is_level[i];
      x->frozen[i] = x->frozen[i] || (reads[i] && !is_level);
    }
    silent[inner->ns + k] = true;
  }
  for (int i = 0; i < inner->ns; i++) {
    level[i] = inner->switch_is_level && inner->switch_is_level[i];
    enclosed[i] = inner->switch_enclosed && inner->switch_enclosed[i] && !x->frozen[i];
    silent[i] = inner->switch_silent && inner->switch_silent[i];
    of_gap[i] = inner->switch_of_gap && inner->switch_of_gap[i];
    sticks[i] = cmb_switch_sticks(inner, i);
    order[i] = inner->switch_order && !x->frozen[i] ? inner->switch_order[i] : 0;
  }
  if (inner->switch_is_level) eq->switch_is_level = level;
  eq->switch_enclosed = enclosed;
  eq->switch_silent = silent;
  eq->switch_of_gap = of_gap;
  if (inner->switch_sticks) eq->switch_sticks = sticks;
  eq->switch_order = order;
}

/* Sets eq->rule_reads (rule_count x ns), which tells on which of the ns switching functions the condition of each event or stop depends. Copies
 * the table of the equations without contacts and fills the columns of the functions added for closed contacts with false, since no condition
 * depends on these. */
static void list_reads(const cmb_resting *x, cmb_arena *arena, cmb_equations *eq)
{
  const cmb_equations *inner = x->layer.inner;
  const size_t rules = (size_t)inner->rule_count, below = (size_t)inner->ns, ns = (size_t)eq->ns;
  bool *reads = cmb_arena_take(arena, rules * ns, sizeof *reads);
  if (!reads) return;
  for (size_t k = 0; k < rules; k++) {
    for (size_t i = 0; i < below; i++) reads[k * ns + i] = inner->rule_reads[k * below + i];
  }
  eq->rule_reads = reads;
}

/* Writes the column indices of a row of the sparsity pattern p, or 0 .. nv − 1 if p is NULL, and returns how many there are. */
static int list_columns(const cmb_pattern *p, int nv, int row, int *column)
{
  const int count = p ? p->start[row + 1] - p->start[row] : nv;
  for (int i = 0; i < count; i++) column[i] = p ? p->column[p->start[row] + i] : i;
  return count;
}

/* Returns whether the constraint Jacobian with closed contacts is stored sparse: if that of the equations without contacts is, or
 * if the equations have become large enough and all matrices can be sparse. */
static bool wants_pattern(const cmb_equations *inner, const cmb_equations *eq)
{
  const bool large = eq->nv + eq->ng >= CMB_KKT_SPARSE_FROM;
  return inner->G_pattern || (large && inner->U_pattern && (eq->mass_diagonal || eq->M_pattern));
}

/* Makes the sparsity pattern of the constraint Jacobian, eq->G_pattern: rows of the constraints of the equations without contacts,
 * then the gradients of the closed contacts. Does nothing if this Jacobian is stored dense. */
static void add_pattern(cmb_resting *x, cmb_arena *arena, cmb_equations *eq)
{
  const cmb_equations *inner = x->layer.inner;
  const int ng = inner->ng, nv = eq->nv;
  int below = cmb_pattern_values(inner->G_pattern, ng, nv), more = 0, first;
  if (!wants_pattern(inner, eq)) return;
  for (int k = 0; k < x->count; k++) more += entries_of(x, x->rule[k], &first);
  int *start = cmb_arena_ints(arena, eq->ng + 1);
  int *column = cmb_arena_ints(arena, below + more);
  if (cmb_arena_failed(arena)) return;
  for (int i = 0; i < eq->ng; i++) {
    const cmb_pattern *p = i < ng ? inner->G_pattern : inner->U_pattern;
    const int row = i < ng ? i : x->rule[i - ng];
    start[i + 1] = start[i] + list_columns(p, nv, row, column + start[i]);
  }
  x->pattern = (cmb_pattern){eq->ng, nv, start, column};
  eq->G_pattern = &x->pattern;
}

cmb_status cmb_resting_create(cmb_context *ctx, cmb_arena *arena, cmb_arena *lasting,
                              const cmb_equations *inner, int count, const int *rule,
                              cmb_resting **out)
{
  cmb_resting *x = *out = cmb_arena_take(arena, 1, sizeof *x);
  bool both = false;
  if (!x) return cmb_fail_memory(ctx);
  cmb_layer_begin(&x->layer, arena, inner);
  cmb_equations *eq = &x->layer.eq;
  x->count = count;
  x->rule = rule;
  eq->ng += count;
  eq->ns += count;
  eq->evaluate = evaluate;
  eq->switches = switches;
  if (inner->switch_flow) eq->switch_flow = switch_flow;
  if (inner->enclose) eq->enclose = enclose;
  eq->load_bounds = inner->load_bounds && inner->surface_bounds ? load_bounds : NULL;
  if (inner->flow_bounds) eq->flow_bounds = flow_bounds;
  x->gamma_bounds = cmb_arena_take(arena, (size_t)eq->rule_count, sizeof *x->gamma_bounds);
  x->u = cmb_arena_doubles(arena, eq->rule_count);
  x->ut = cmb_arena_doubles(arena, eq->rule_count);
  x->gamma = cmb_arena_doubles(arena, eq->rule_count);
  x->U = cmb_arena_doubles(arena, cmb_pattern_values(eq->U_pattern, eq->rule_count, eq->nv));
  if (inner->outputs_at_rest) eq->outputs = outputs;
  if (inner->late) eq->late = late;
  x->push = cmb_arena_doubles(arena, inner->rule_count);
  x->row = cmb_arena_doubles(arena, eq->nv);
  x->a = cmb_arena_doubles(arena, eq->nv);
  x->lambda = cmb_arena_doubles(arena, eq->ng);
  x->slack = cmb_arena_doubles(arena, count);
  x->unit = cmb_arena_doubles(arena, count);
  x->force = cmb_arena_doubles(arena, eq->nv);
  x->largest = cmb_arena_doubles(arena, eq->nv);
  x->part = cmb_arena_ints(arena, eq->nv);
  x->limit = cmb_arena_doubles(arena, inner->ns);
  x->held = cmb_arena_ints(arena, inner->ns);
  x->direction = cmb_arena_doubles(arena, eq->nv);
  x->flow = cmb_arena_doubles(arena, 6 * inner->ns);
  x->met = cmb_arena_take(arena, (size_t)inner->rule_count, sizeof *x->met);
  name_rows(x, arena, lasting, eq);
  list_switches(x, arena, eq);
  list_reads(x, arena, eq);
  add_pattern(x, arena, eq);
  if (cmb_arena_failed(arena) || cmb_arena_failed(lasting)) return cmb_fail_memory(ctx);
  for (int k = 0; k < count; k++) x->unit[k] = 1;
  for (int k = 0; k < count; k++) both = both || inner->rules[rule[k]].direction == 0;
  return both ? cmb_evaluator_create(ctx, eq, &x->other) : CMB_OK;
}

void cmb_resting_destroy(cmb_resting *x)
{
  if (x) cmb_evaluator_destroy(x->other);
}
