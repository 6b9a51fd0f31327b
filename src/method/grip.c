/*
 * Dry friction that can stick, in a real-time step of fixed cost (grip.h).
 */
#include "method/grip.h"

#include "base/context.h"
#include "expr/algebra.h"
#include "expr/complement.h"

#include <string.h>

/* sliding velocities below this part of the sum of their terms are rounding */
static const double ROUNDING = 1e-14;
static const double AT_REST = 1e-12; /* the same limit for the given state where a step begins */
/* Friction is rejected if it accelerates the sliding it should stop by more than this part of what it would do without constraints.
 * Less than that is permitted: friction whose lever arm changes its sign within the step. */
static const double DRIVES = 1e-2;
enum { CORRECTIONS = 2 };

/* ---- expressions */

static cmb_expr *take(cmb_step_source *s, int count)
{
  return cmb_arena_take(s->arena, (size_t)count, sizeof(cmb_expr));
}

/* Builds the expression "if a is not 0 then yes, else no". */
static cmb_expr choose(cmb_step_source *s, cmb_expr a, cmb_expr yes, cmb_expr no)
{
  return cmb_apply(s->graph, CMB_OP_IF, a, yes, no);
}

static cmb_expr size_of(cmb_step_source *s, cmb_expr a)
{
  return cmb_apply(s->graph, CMB_OP_ABS, a, 0, 0);
}

static cmb_expr greater(cmb_step_source *s, cmb_expr a, cmb_expr b)
{
  return cmb_apply(s->graph, CMB_OP_GT, a, b, 0);
}

static cmb_expr scaled(cmb_step_source *s, double c, cmb_expr a)
{
  return cmb_mul(s->graph, cmb_constant(s->graph, c), a);
}

/* Builds the expression Σ x_k y_k over n terms or, if `sizes` is set, the sum of absolute values Σ |x_k y_k|. */
static cmb_expr product(cmb_step_source *s, int n, const cmb_expr *x, const cmb_expr *y, bool sizes)
{
  cmb_expr sum = 0;
  for (int k = 0; k < n; k++) {
    const cmb_expr part = cmb_mul(s->graph, x[k], y[k]);
    sum = cmb_add(s->graph, sum, sizes ? size_of(s, part) : part);
  }
  return sum;
}

/* ---- the ranges of the friction forces */

/* Returns the number of switching functions of the equations that belong to dry friction which can stick. */
int cmb_grip_count(const cmb_equations *eq)
{
  int count = 0;
  for (int i = 0; i < eq->ns; i++) count += cmb_switch_sticks(eq, i);
  return count;
}

void cmb_grip_list(const cmb_equations *eq, int *which)
{
  for (int i = 0, k = 0; i < eq->ns; i++) {
    if (cmb_switch_sticks(eq, i)) which[k++] = i;
  }
}

static cmb_status take_memory(cmb_step_source *s, cmb_grip *x)
{
  x->which = cmb_arena_ints(s->arena, x->count);
  x->sign = take(s, x->count);
  x->half_range = take(s, x->count * s->nv);
  x->middle_sum = take(s, s->nv);
  x->mode = take(s, x->count);
  x->settled = cmb_constant(s->graph, 1);
  return cmb_arena_failed(s->arena) ? cmb_fail_memory(s->ctx) : CMB_OK;
}

/* Builds the expression for the sign of the sliding velocity of friction element k at the beginning of the step: ±1 if the friction slides, 0
 * if it sticks. */
static cmb_expr sliding_sign(cmb_step_source *s, const cmb_grip *x, int k)
{
  const cmb_expr mode = s->input[s->layout.first[CMB_BLOCK_MODE] + x->which[k]];
  return choose(s, greater(s, mode, cmb_constant(s->graph, 1.5)), 0, mode);
}

/* Returns an error with the message that real-time steps cannot treat sticking friction in user equations written in C, since the dependence of
 * the forces on the friction is not known without expressions. */
static cmb_status refuse_calls(cmb_step_source *s)
{
  int i = 0;
  while (!cmb_switch_sticks(s->eq, i)) i++;
  const char *name = s->eq->switch_names[i];
  return cmb_fail_about(s->ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("switching function", name),
                        "steps of fixed cost cannot hold '%s', friction that sticks, without the "
                        "expressions of the model: set 'expressions' in the options of "
                        "cmb_model_system",
                        name);
}

cmb_status cmb_grip_begin(cmb_step_source *s, cmb_grip *x)
{
  cmb_graph *g = s->graph;
  const int nv = s->nv;
  *x = (cmb_grip){.count = cmb_grip_count(s->eq)};
  if (x->count == 0) return CMB_OK;
  if (!s->friction) return refuse_calls(s);
  CMB_TRY(take_memory(s, x));
  cmb_grip_list(s->eq, x->which);
  cmb_expr *slip = take(s, x->count * nv), *hold = take(s, x->count * nv);
  if (!slip || !hold) return cmb_fail_memory(s->ctx);
  CMB_TRY(s->friction(s, x->count, x->which, slip, hold));
  for (int k = 0; k < x->count; k++) {
    const cmb_expr sign = x->sign[k] = sliding_sign(s, x, k), moves = cmb_square(g, sign);
    for (int i = 0; i < nv; i++) {
      const int at = k * nv + i;
      const cmb_expr less = scaled(s, 0.5, cmb_sub(g, slip[at], hold[at]));
      x->half_range[at] = cmb_add(g, hold[at], cmb_mul(g, moves, less));
      x->middle_sum[i] = cmb_add(g, x->middle_sum[i], cmb_mul(g, sign, less));
    }
  }
  return cmb_graph_status(g);
}

/* ---- the complementarity problem */

/* The working arrays of one solution of the complementarity problem. */
struct problem_arrays {
  cmb_complement problem;
  int nv, n;   /* n = nv + ng */
  cmb_expr *S; /* (count x nv) gradients of the sliding velocities */
  cmb_expr *X; /* (count x n) changes of accelerations and multipliers by each force at φ = 1 */
  cmb_expr *P; /* (count x count) matrix of the problem */
  cmb_expr *whole, *noise, *w0, *w, *dx, *phi; /* (count) */
};

static cmb_status take_work(cmb_step_source *s, const cmb_grip *x, struct problem_arrays *a)
{
  const int count = x->count;
  *a = (struct problem_arrays){.nv = s->nv, .n = s->nv + s->ng};
  a->S = take(s, count * s->nv), a->X = take(s, count * a->n), a->P = take(s, count * count);
  a->whole = take(s, count), a->noise = take(s, count), a->w0 = take(s, count);
  a->w = take(s, count), a->dx = take(s, count), a->phi = take(s, count);
  if (cmb_arena_failed(s->arena)) return cmb_fail_memory(s->ctx);
  a->problem = (cmb_complement){.g = s->graph,
                                .arena = s->arena,
                                .n = count,
                                .P = a->P,
                                .w0 = a->w0,
                                .whole = a->whole,
                                .noise = a->noise,
                                .first = x->sign};
  return CMB_OK;
}

/* Builds the expressions of the sliding velocities w (count) of all friction elements at the velocities of the step, and of their gradients
 * a->S (count x nv) with respect to the velocities. */
static cmb_status sliding_velocities(cmb_step_source *s, const cmb_grip *x,
                                     const cmb_grip_step *step, struct problem_arrays *a,
                                     cmb_expr *w)
{
  const cmb_step_point at = {step->at.t, step->at.q, step->v};
  return s->sliding(s, &at, x->count, x->which, w, a->S);
}

/* Builds the complementarity problem of dry friction, w = w₀ − P φ, as expressions: w are the sliding velocities at the end of the step, φ (−1
 * to 1) the normalised friction forces. P = −h S X, with the gradients S of w and the changes X of accelerations and multipliers by each force.
 * Also sets the magnitudes below which values count as rounding errors. */
static void build_problem(cmb_step_source *s, const cmb_grip *x, const cmb_grip_step *step,
                          struct problem_arrays *a)
{
  cmb_graph *g = s->graph;
  const cmb_expr minus_h = cmb_neg(g, s->h);
  for (int k = 0; k < x->count; k++) {
    cmb_expr *column = a->X + (ptrdiff_t)k * a->n;
    memcpy(column, x->half_range + (ptrdiff_t)k * a->nv, (size_t)a->nv * sizeof *column);
    cmb_elimination_solve(step->factors, column);
  }
  for (int i = 0; i < x->count; i++) {
    const cmb_expr *row = a->S + (ptrdiff_t)i * a->nv;
    for (int k = 0; k < x->count; k++) {
      const cmb_expr rate = product(s, a->nv, row, a->X + (ptrdiff_t)k * a->n, false);
      a->P[i * x->count + k] = cmb_mul(g, minus_h, rate);
    }
    const cmb_expr sizes = product(s, a->nv, row, a->X + (ptrdiff_t)i * a->n, true);
    a->whole[i] = cmb_mul(g, s->h, sizes);
    a->noise[i] = scaled(s, ROUNDING, product(s, a->nv, row, step->v, true));
  }
}

/* Builds the expressions that solve the complementarity problem for the normalised friction forces φ (−1 to 1). Returns an error if more
 * friction elements act on each other than a step of fixed cost permits. */
static cmb_status solve(cmb_step_source *s, const cmb_grip *x, struct problem_arrays *a)
{
  int most;
  CMB_TRY(cmb_complement_parts(&a->problem, &most));
  if (most > CMB_COMPLEMENT_MOST) {
    return cmb_fail_about(
        s->ctx, CMB_ERROR_ARGUMENT,
        cmb_about_thing("switching function", s->eq->switch_names[x->which[0]]),
        "%d places with friction that sticks act on each other, '%s' among them; steps of fixed "
        "cost can have at most %d; expected a method that locates events, or friction with "
        "'law: smooth'",
        most, s->eq->switch_names[x->which[0]], CMB_COMPLEMENT_MOST);
  }
  return cmb_complement_solve(&a->problem);
}

/* Adds the effect of the friction forces to the expressions of velocities, accelerations and multipliers of the step. phi (count) are the
 * normalised friction forces, −1 and 1 at their bounds, or changes of these. */
static void apply(cmb_step_source *s, const cmb_grip *x, const struct problem_arrays *a,
                  const cmb_expr *phi, const cmb_grip_step *step)
{
  cmb_graph *g = s->graph;
  for (int i = 0; i < a->n; i++) {
    cmb_expr sum = 0;
    for (int k = 0; k < x->count; k++) {
      sum = cmb_add(g, sum, cmb_mul(g, phi[k], a->X[(ptrdiff_t)k * a->n + i]));
    }
    cmb_expr *to = i < a->nv ? &step->a[i] : &step->lambda[i - a->nv];
    *to = cmb_add(g, *to, sum);
    if (i < a->nv) step->v[i] = cmb_add(g, step->v[i], cmb_mul(g, s->h, sum));
  }
}

/* Builds the expressions of two successive corrections of the friction forces and velocities, after which the sliding velocities of sticking
 * friction elements are 0. They remove rounding errors, and the error of solving the complementarity problem with a slightly increased
 * diagonal. */
static cmb_status correct(cmb_step_source *s, const cmb_grip *x, const cmb_grip_step *step,
                          struct problem_arrays *a)
{
  memcpy(a->phi, a->problem.x, (size_t)x->count * sizeof *a->phi);
  for (int k = 0; k < CORRECTIONS; k++) {
    CMB_TRY(sliding_velocities(s, x, step, a, a->w));
    CMB_TRY(cmb_complement_correct(&a->problem, a->w, a->dx));
    for (int i = 0; i < x->count; i++) a->phi[i] = cmb_add(s->graph, a->phi[i], a->dx[i]);
    apply(s, x, a, a->dx, step);
  }
  return CMB_OK;
}

/* ---- modes after the step */

/* Builds the expression of the mode of each friction element after the step: 3 − φ if it sticks with the fraction φ (−1 to 1) of its largest
 * force, else the sign (±1) of its sliding velocity. An element at its largest force with a negligible sliding velocity also counts as
 * sticking. */
static void find_modes(cmb_step_source *s, cmb_grip *x, const struct problem_arrays *a)
{
  cmb_graph *g = s->graph;
  for (int k = 0; k < x->count; k++) {
    const cmb_expr at = a->problem.at[k];
    const cmb_expr held = cmb_sub(g, cmb_constant(g, CMB_MODE_HELD), a->phi[k]);
    const cmb_expr moves = greater(s, size_of(s, a->w[k]), a->problem.slack[k]);
    x->mode[k] = choose(s, cmb_square(g, at), choose(s, moves, at, held), held);
  }
}

/* Finds the velocity coordinate to which the sliding velocity of friction element k is proportional: *number becomes its index, or −1 if the
 * sliding velocity depends on several velocity coordinates or on time. */
static cmb_status find_single_velocity(cmb_step_source *s, const cmb_grip *x,
                                       const cmb_grip_step *step, const struct problem_arrays *a,
                                       int k, int *number)
{
  const cmb_expr *row = a->S + (ptrdiff_t)k * a->nv;
  cmb_expr *none = take(s, a->nv), *unused = take(s, a->nv), rest;
  int found = 0;
  if (!none || !unused) return cmb_fail_memory(s->ctx);
  *number = -1;
  for (int i = 0; i < a->nv; i++) {
    if (row[i] != 0) *number = i, found++;
  }
  const cmb_step_point at = {step->at.t, step->at.q, none};
  CMB_TRY(s->sliding(s, &at, 1, &x->which[k], &rest, unused));
  if (found != 1 || rest != 0) *number = -1;
  return CMB_OK;
}

/* Builds expressions that set a velocity coordinate exactly to 0, without rounding errors, if a friction element sticks whose sliding velocity
 * is proportional to this coordinate alone. */
static cmb_status set_held_to_zero(cmb_step_source *s, const cmb_grip *x, const cmb_grip_step *step,
                                   const struct problem_arrays *a)
{
  for (int k = 0; k < x->count; k++) {
    int i = -1;
    CMB_TRY(find_single_velocity(s, x, step, a, k, &i));
    if (i < 0) continue;
    const cmb_expr between = choose(s, cmb_square(s->graph, a->problem.at[k]), step->v[i], 0);
    step->v[i] = choose(s, a->problem.settled, between, step->v[i]);
  }
  return CMB_OK;
}

/* Builds the expression h Σ_i |S_i F_i / A_ii|: the change of the sliding velocity of friction element k in a step of size h by half the
 * range F of its own force, if the matrix A (nv x nv) of the step were diagonal. S (nv) is the gradient of the sliding velocity. Rounding
 * errors are compared with this magnitude. */
static cmb_expr uncoupled_diagonal(cmb_step_source *s, const cmb_grip *x,
                                   const struct problem_arrays *a, const cmb_expr *A, int k)
{
  cmb_graph *g = s->graph;
  cmb_expr sum = 0;
  for (int i = 0; i < a->nv; i++) {
    const cmb_expr force = x->half_range[(ptrdiff_t)k * a->nv + i],
                   S = a->S[(ptrdiff_t)k * a->nv + i];
    const cmb_expr part = cmb_mul(g, S, force);
    if (part != 0) sum = cmb_add(g, sum, size_of(s, cmb_div(g, part, A[i * a->nv + i])));
  }
  return cmb_mul(g, s->h, sum);
}

/* Builds x->settled, which says how the friction of the step was found: −1 − k if friction element k accelerates the sliding that it should
 * oppose, as a clearly negative diagonal element of the complementarity matrix shows; otherwise 1 if the complementarity problem was solved,
 * and 0 if not. A lower value that the prediction of this step has given remains. */
static void check_diagonal(cmb_step_source *s, cmb_grip *x, const struct problem_arrays *a,
                           const cmb_expr *A)
{
  x->settled = cmb_apply(s->graph, CMB_OP_MIN, x->settled, a->problem.settled, 0);
  for (int k = 0; k < x->count; k++) {
    const cmb_expr d = cmb_neg(s->graph, a->P[k * x->count + k]);
    const cmb_expr much = scaled(s, DRIVES, uncoupled_diagonal(s, x, a, A, k));
    x->settled = choose(s, greater(s, d, much), cmb_constant(s->graph, -1 - k), x->settled);
  }
}

cmb_status cmb_grip_apply(cmb_step_source *s, cmb_grip *x, const cmb_grip_step *step)
{
  struct problem_arrays a;
  if (x->count == 0) return CMB_OK;
  CMB_TRY(take_work(s, x, &a));
  CMB_TRY(sliding_velocities(s, x, step, &a, a.w0));
  build_problem(s, x, step, &a);
  CMB_TRY(solve(s, x, &a));
  apply(s, x, &a, a.problem.x, step);
  CMB_TRY(correct(s, x, step, &a));
  CMB_TRY(sliding_velocities(s, x, step, &a, a.w));
  CMB_TRY(set_held_to_zero(s, x, step, &a));
  find_modes(s, x, &a);
  check_diagonal(s, x, &a, step->A);
  return cmb_graph_status(s->graph);
}

cmb_status cmb_grip_first_modes(cmb_step_source *s, const cmb_grip *x, cmb_expr *mode)
{
  cmb_expr *S = take(s, x->count * s->nv), *w = take(s, x->count);
  if (!S || !w) return cmb_fail_memory(s->ctx);
  CMB_TRY(s->sliding(s, &(cmb_step_point){s->t, s->q, s->v}, x->count, x->which, w, S));
  for (int k = 0; k < x->count; k++) {
    const cmb_expr sizes = product(s, s->nv, S + (ptrdiff_t)k * s->nv, s->v, true);
    const cmb_expr moves = greater(s, size_of(s, w[k]), scaled(s, AT_REST, sizes));
    const cmb_expr sign = cmb_apply(s->graph, CMB_OP_SIGN, w[k], 0, 0);
    mode[k] = choose(s, moves, sign, cmb_constant(s->graph, CMB_MODE_HELD));
  }
  return cmb_graph_status(s->graph);
}
