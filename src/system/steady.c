/*
 * Steady motion (camber/system.h): finds positions q, the velocities v that may be other than 0, the turn rate ω of the frame
 * (steady_frame.h), states, multipliers λ and trimmed parameters at the same time, from
 *
 *     0 = r(q, v, a, λ) = M a − f + Gᵀ λ,  a = ω S v;  rates of states are among r
 *     0 = g(q),   0 = G v + g_t
 *     0 = v_i − ω s_i            first rotations about the vertical, s_i = ±1
 *     0 = v_ball − ω Rᵀ R0ᵀ e    ball joints
 *     0 = ω                      if there is neither, or if a first rotation is about another axis
 *     0 = y_k − value_k          held quantities
 *
 * Coordinates that grow keep their start values; for parts with joints to the ground (a trailer) they are found relative to the
 * first part. Newton's method with exact derivatives: rows and columns are scaled, and the step is the shortest one that meets the
 * equations best (singular values, math/orthogonal.h), so that undetermined unknowns do not change. A step is halved until the
 * correction that the same matrix gives at its end is shorter (Deuflhard's natural monotonicity test). The result is checked by
 * what was not solved for: the accelerations that the equations of motion give there, and whether r stays 0 along the motion.
 */
#include "base/context.h"
#include "base/text.h"
#include "dae/derivative.h"
#include "dae/modes.h"
#include "dae/project.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/orthogonal.h"
#include "model/limits.h"
#include "system/gaps.h"
#include "system/linearize.h"
#include "system/output_change.h"
#include "system/steady_frame.h"
#include "system/stuck.h"

#include <camber/system.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ITERATIONS = 100, HALVINGS = 30 };

static const double RADIUS = 0.5;   /* m or rad: the largest step of a coordinate */
static const double ARRIVED = 1e-9; /* a step below this that no longer shrinks is rounding */
static const double ROUNDING = 1e-13;
static const double NEGLIGIBLE =
    1e-11; /* singular values below this part of the largest count as 0 */
/* tolerance of accelerations in m/s² and rad/s², relative to 1 + the largest one */
static const double STEADY = 1e-7;
static const double SAME = 1e-6; /* tolerance of dr/dt relative to its terms */

enum unknown { U_POSITION, U_VELOCITY, U_TURN, U_FORCE, U_PARAMETER };
enum row { R_FORCE, R_POSITION, R_VELOCITY, R_TURN, R_STRAIGHT, R_BALL, R_HOLD };

/* An unknown or an equation. */
struct entry {
  int kind; /* enum unknown or enum row */
  int index, part;
};

struct held_quantity {
  const char *name;
  double value;
  int output, q, v; /* index of the output, coordinate or velocity; the others are −1 */
};

struct point {
  double *q, *v, *lambda, *p; /* (nq) (nv) (ng) (np) */
  double omega;               /* turn rate of the frame */
};

struct steady {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_evaluator *ev;
  const cmb_equations *eq;
  cmb_differences *differences;
  cmb_mode_search modes;
  cmb_moving_frame frame;
  cmb_output_change outputs;
  double t;
  struct point here, trial;
  bool *free; /* (nv) the velocity may be other than 0 */
  int n, m;   /* numbers of unknowns and of equations */
  struct entry *unknown, *row;
  struct held_quantity *hold;
  int hold_count;
  double *a, *r, *g, *y;                              /* (nv) (nv) (ng) (no) scratch */
  double *residuals;                                  /* (m) residuals */
  double *dq, *dv, *da, *dlambda, *dr, *dg, *dw, *dy; /* changes, for one column of the matrix */
  double *J[CMB_DERIVATIVES];
  double *A, *turned, *sigma, *b, *row_scale, *column_scale, *x;
  int rank;
};

/* ---- names */

static cmb_status no_name(struct steady *k, const char *what, const char *name,
                          const char *const *names, int count)
{
  char hint[CMB_HINT_ROOM];
  return cmb_fail_about(k->ctx, CMB_ERROR_INPUT, cmb_about_thing(what, name),
                        "steady motion: there is no %s '%s'; %s", what, name,
                        cmb_hint_of_names(name, names, count, sizeof *names, hint));
}

static cmb_status mark_free(struct steady *k, const cmb_system *system, const char *name)
{
  const int at = cmb_find_name(name, k->eq->q_names, k->eq->nq, sizeof(char *));
  bool found = false;
  for (int i = 0; i < k->frame.count; i++) {
    const cmb_carrier *c = &k->frame.carrier[i];
    const bool of_joint = c->joint >= 0 && strcmp(system->model->joints[c->joint].name, name) == 0;
    if (c->q != at && !of_joint) continue;
    k->free[i] = found = true;
  }
  return found ? CMB_OK : no_name(k, "coordinate or joint", name, k->eq->q_names, k->eq->nq);
}

/* Returns the name that the user has to give with --free so that velocity i may differ from 0: that of its coordinate or, for joints such as
 * the ball joint, whose coordinates have no velocities of their own, that of the joint. */
static const char *free_name(const struct steady *k, const cmb_system *system, int i)
{
  const cmb_carrier *c = &k->frame.carrier[i];
  bool shared = false;
  for (int j = 0; j < k->frame.count; j++) {
    shared = shared || (j != i && k->frame.carrier[j].q == c->q);
  }
  return shared && c->joint >= 0 ? system->model->joints[c->joint].name : k->eq->q_names[c->q];
}

static cmb_status check_held_velocity(struct steady *k, const cmb_system *system,
                                      const struct held_quantity *h)
{
  if (h->v < 0 || h->v >= k->frame.count || k->free[h->v] || h->value == 0) return CMB_OK;
  const char *name = free_name(k, system, h->v);
  return cmb_fail_about(k->ctx, CMB_ERROR_INPUT, cmb_about_thing("velocity", h->name),
                        "the velocity '%s' cannot be held at %g: it is 0 in a steady motion, "
                        "unless '%s' is among the free coordinates; --free %s is missing",
                        h->name, h->value, name, name);
}

static cmb_status find_hold(struct steady *k, const cmb_setting *s, struct held_quantity *h)
{
  const cmb_equations *eq = k->eq;
  *h = (struct held_quantity){.name = s->name, .value = s->value, .output = -1, .q = -1, .v = -1};
  h->v = cmb_find_name(s->name, eq->v_names, eq->nv, sizeof(char *));
  if (h->v < 0) h->q = cmb_find_name(s->name, eq->q_names, eq->nq, sizeof(char *));
  if (h->v < 0 && h->q < 0) {
    h->output = cmb_find_name(s->name, eq->output_names, eq->no, sizeof(char *));
  }
  if (h->v < 0 && h->q < 0 && h->output < 0) {
    const bool moves = cmb_nearest_name(s->name, eq->q_names, eq->nq, sizeof *eq->q_names);
    return no_name(k, "output, coordinate, velocity or state", s->name,
                   moves ? eq->q_names : eq->output_names, moves ? eq->nq : eq->no);
  }
  if (h->output >= 0 && !eq->code) {
    return cmb_fail_about(k->ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("output", s->name),
                          "output '%s' cannot be held, since its expression is not known; expected "
                          "the option 'expressions' when the system is made",
                          s->name);
  }
  if (h->v >= 0) k->here.v[h->v] = s->value;
  return CMB_OK;
}

/* ---- unknowns and equations */

/* Appends an unknown of the given kind to the list of unknowns; `index` is that of its velocity, constraint or parameter. */
static void add_unknown(struct steady *k, int kind, int index)
{
  k->unknown[k->n++] = (struct entry){kind, index, 0};
}

static void add_row(struct steady *k, int kind, int index, int part)
{
  k->row[k->m++] = (struct entry){kind, index, part};
}

static cmb_status list_trims(struct steady *k, const cmb_steady_options *o)
{
  for (int i = 0; i < o->trim_count; i++) {
    const int p = cmb_find_name(o->trim[i], k->eq->p_names, k->eq->np, sizeof(char *));
    if (p < 0) return no_name(k, "input or live parameter", o->trim[i], k->eq->p_names, k->eq->np);
    if (strchr(o->trim[i], '\'')) {
      return cmb_fail(k->ctx, CMB_ERROR_INPUT,
                      "'%s' cannot be trimmed: it is the rate of an input, and this rate is 0 in a "
                      "steady motion; expected an input or a live parameter",
                      o->trim[i]);
    }
    add_unknown(k, U_PARAMETER, p);
  }
  return CMB_OK;
}

static void list_rows(struct steady *k)
{
  const cmb_equations *eq = k->eq;
  bool turns = false, fixed = false;
  for (int i = 0; i < eq->nv; i++) add_row(k, R_FORCE, i, 0);
  for (int i = 0; i < eq->ng; i++) add_row(k, R_POSITION, i, 0);
  for (int i = 0; i < eq->ng; i++) add_row(k, R_VELOCITY, i, 0);
  for (int i = 0; i < k->frame.count; i++) {
    const cmb_carrying kind = k->frame.carrier[i].kind;
    const bool across = kind == CMB_CARRY_TURN && cmb_frame_share(&k->frame, i) == 0;
    fixed = fixed || across;
    if (kind == CMB_CARRY_TURN && !across) add_row(k, R_TURN, i, 0), turns = true;
    for (int j = 0; j < 3 && kind == CMB_CARRY_BALL; j++) add_row(k, R_BALL, i, j), turns = true;
  }
  if (!turns || fixed) add_row(k, R_STRAIGHT, 0, 0);
  for (int i = 0; i < k->hold_count; i++) add_row(k, R_HOLD, i, 0);
}

static bool is_ball(const struct steady *k, int i)
{
  return k->frame.carrier[i].kind == CMB_CARRY_BALL ||
         k->frame.carrier[i].kind == CMB_CARRY_BALL_MORE;
}

/* Returns whether velocity i belongs to a further part of the mechanism with joints to the ground of its own, after the first such part: for
 * example, a trailer that is modelled beside the car. Its position relative to the first part is then an unknown of the steady motion. */
static bool is_relative_position(const struct steady *k, int i)
{
  return cmb_frame_carries(&k->frame, i) && cmb_frame_follows(&k->frame, i);
}

static cmb_status list(struct steady *k, const cmb_system *system, const cmb_steady_options *o)
{
  const cmb_equations *eq = k->eq;
  for (int i = 0; i < k->frame.count; i++) k->free[i] = cmb_frame_carries(&k->frame, i);
  for (int i = 0; i < o->free_count; i++) CMB_TRY(mark_free(k, system, o->free[i]));
  for (int i = 0; i < o->hold_count; i++) {
    CMB_TRY(find_hold(k, &o->holds[i], &k->hold[i]));
    CMB_TRY(check_held_velocity(k, system, &k->hold[i]));
  }
  k->hold_count = o->hold_count;
  for (int i = 0; i < k->frame.count; i++) {
    if (!k->free[i] || is_ball(k, i) || is_relative_position(k, i)) add_unknown(k, U_POSITION, i);
    if (k->free[i]) add_unknown(k, U_VELOCITY, i);
  }
  for (int i = k->frame.count; i < eq->nv; i++) add_unknown(k, U_VELOCITY, i);
  for (int i = 0; i < eq->ng; i++) add_unknown(k, U_FORCE, i);
  add_unknown(k, U_TURN, 0);
  CMB_TRY(list_trims(k, o));
  list_rows(k);
  return CMB_OK;
}

/* ---- memory */

static void take_point(struct steady *k, struct point *x)
{
  x->q = cmb_arena_doubles(k->arena, k->eq->nq + 1);
  x->v = cmb_arena_doubles(k->arena, k->eq->nv + 1);
  x->lambda = cmb_arena_doubles(k->arena, k->eq->ng + 1);
  x->p = cmb_arena_doubles(k->arena, k->eq->np + 1);
}

static cmb_status take_memory(struct steady *k, const cmb_steady_options *o)
{
  const cmb_equations *eq = k->eq;
  cmb_arena *arena = k->arena;
  const int n = 2 * eq->nv + eq->ng + o->trim_count + 1;
  const int m = 2 * eq->nv + 2 * eq->ng + o->hold_count + 1;
  double **const by_v[] = {&k->a, &k->r, &k->dv, &k->da, &k->dr, &k->dw};
  double **const by_m[] = {&k->residuals, &k->sigma, &k->b, &k->row_scale};
  take_point(k, &k->here);
  take_point(k, &k->trial);
  for (size_t i = 0; i < sizeof by_v / sizeof *by_v; i++) {
    *by_v[i] = cmb_arena_doubles(arena, eq->nv + 1);
  }
  for (size_t i = 0; i < sizeof by_m / sizeof *by_m; i++) *by_m[i] = cmb_arena_doubles(arena, m);
  k->g = cmb_arena_doubles(arena, eq->ng + 1), k->dg = cmb_arena_doubles(arena, eq->ng + 1);
  k->dlambda = cmb_arena_doubles(arena, eq->ng + 1);
  k->y = cmb_arena_doubles(arena, cmb_observed(eq) + 1);
  k->dy = cmb_arena_doubles(arena, cmb_observed(eq) + 1);
  k->dq = cmb_arena_doubles(arena, eq->nq + 1);
  k->free = cmb_arena_take(arena, (size_t)eq->nv + 1, sizeof *k->free);
  k->unknown = cmb_arena_take(arena, (size_t)n, sizeof *k->unknown);
  k->row = cmb_arena_take(arena, (size_t)m, sizeof *k->row);
  k->hold = cmb_arena_take(arena, (size_t)o->hold_count + 1, sizeof *k->hold);
  k->A = cmb_arena_doubles(arena, m * n), k->turned = cmb_arena_doubles(arena, m * m);
  k->column_scale = cmb_arena_doubles(arena, n), k->x = cmb_arena_doubles(arena, n);
  for (int which = 0; which < CMB_DERIVATIVES; which++) {
    const bool of_g = which == CMB_VELOCITY_Q || which == CMB_POSITION_P;
    const bool of_p = which == CMB_RESIDUAL_P || which == CMB_POSITION_P;
    const int columns = of_p ? eq->np : which == CMB_RESIDUAL_V ? eq->nv : eq->nq;
    const int size =
        cmb_pattern_values(eq->derivative_pattern[which], of_g ? eq->ng : eq->nv, columns);
    k->J[which] = cmb_arena_doubles(arena, size + 1);
  }
  cmb_mode_search_create(&k->modes, arena, eq);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(k->ctx);
  return cmb_differences_create(k->ev, &k->differences);
}

/* ---- the equations at a point */

/* Computes the accelerations a = ω S v (nv) of a motion with velocities v (nv) that is constant in a frame rotating about the
 * vertical with the rate ω = omega. */
static void frame_rates(const struct steady *k, double omega, const double *v, double *a)
{
  const int nv = k->eq->nv;
  for (int i = 0; i < nv; i++) a[i] = omega * cmb_dot(nv, k->frame.S + (ptrdiff_t)i * nv, v);
}

static double hold_value(const struct steady *k, const struct point *x,
                         const struct held_quantity *h)
{
  return h->output >= 0 ? k->y[h->output] : h->v >= 0 ? x->v[h->v] : x->q[h->q];
}

static double residual_of(const struct steady *k, const struct point *x, const struct entry *e)
{
  double up[3];
  switch (e->kind) {
  case R_FORCE: return k->r[e->index];
  case R_POSITION: return k->ev->g[e->index];
  case R_VELOCITY: return k->g[e->index];
  case R_TURN: return x->v[e->index] - x->omega * cmb_frame_share(&k->frame, e->index);
  case R_STRAIGHT: return x->omega;
  case R_BALL:
    cmb_frame_up(&k->frame, e->index, x->q, up);
    return x->v[e->index + e->part] - x->omega * up[e->part];
  default: return hold_value(k, x, &k->hold[e->index]) - k->hold[e->index].value;
  }
}

static cmb_status evaluate(struct steady *k, const struct point *x)
{
  const cmb_equations *eq = k->eq;
  cmb_evaluator *ev = k->ev;
  bool changed = true;
  ev->p = x->p;
  frame_rates(k, x->omega, x->v, k->a);
  for (int round = 0; changed; round++) {
    if (round >= cmb_mode_rounds(eq)) return CMB_RETRY_NEWTON;
    CMB_TRY(cmb_find_modes(ev, &k->modes, k->t, x->q, x->v, x->lambda, NULL, &changed));
  }
  CMB_TRY(cmb_residual(ev, k->t, x->q, x->v, k->a, x->lambda, k->r));
  if (eq->ng > 0) {
    const cmb_terms want = {.g = ev->g, .G = ev->G, .gt = ev->gt};
    CMB_TRY(cmb_evaluate(ev, k->t, x->q, x->v, &want));
    cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, x->v, k->g);
    for (int i = 0; i < eq->ng; i++) k->g[i] += ev->gt[i];
  }
  if (k->outputs.jacobian) CMB_TRY(cmb_outputs(ev, k->t, x->q, x->v, k->a, x->lambda, k->y));
  for (int i = 0; i < k->m; i++) k->residuals[i] = residual_of(k, x, &k->row[i]);
  return cmb_all_finite(k->m, k->residuals) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* ---- derivatives */

static double entry_of(const cmb_pattern *p, int columns, const double *J, int i, int j)
{
  if (!p) return J[i * columns + j];
  for (int k = p->start[i]; k < p->start[i + 1]; k++) {
    if (p->column[k] == j) return J[k];
  }
  return 0;
}

static cmb_status take_derivatives(struct steady *k)
{
  const struct point *x = &k->here;
  for (int which = 0; which < CMB_DERIVATIVES; which++) {
    const bool of_p = which == CMB_RESIDUAL_P || which == CMB_POSITION_P;
    const bool of_g = which == CMB_VELOCITY_Q || which == CMB_POSITION_P;
    if (!of_p && !of_g && which != CMB_RESIDUAL_Q && which != CMB_RESIDUAL_V) continue;
    if ((of_p && k->unknown[k->n - 1].kind != U_PARAMETER) || (of_g && k->eq->ng == 0)) continue;
    CMB_TRY(cmb_derivative_at(k->differences, k->t, x->q, x->v, k->a, x->lambda,
                              (cmb_derivative)which, k->J[which]));
  }
  return cmb_factor_at(k->ev, k->t, x->q); /* M and G */
}

/* Computes the derivatives of all quantities of the steady motion with respect to one of its unknowns, u: of velocities k->dv, accelerations
 * k->da, displacements k->dw (all nv), multipliers k->dlambda (ng) and positions k->dq (nq). If u is a trimmed parameter, they are 0, and its
 * index is returned; otherwise returns −1. */
static int change_unknown(struct steady *k, const struct entry *u)
{
  const cmb_equations *eq = k->eq;
  double *const of_v[] = {k->dw, k->dv, k->da};
  for (int i = 0; i < 3; i++) memset(of_v[i], 0, (size_t)eq->nv * sizeof(double));
  memset(k->dlambda, 0, (size_t)eq->ng * sizeof(double));
  if (u->kind == U_POSITION) k->dw[u->index] = 1;
  cmb_rates(k->ev, k->here.q, k->dw, k->dq);
  if (u->kind == U_VELOCITY) {
    k->dv[u->index] = 1;
    frame_rates(k, k->here.omega, k->dv, k->da);
  }
  if (u->kind == U_TURN) frame_rates(k, 1, k->here.v, k->da);
  if (u->kind == U_FORCE) k->dlambda[u->index] = 1;
  return u->kind == U_PARAMETER ? u->index : -1;
}

/* Computes the directional derivatives of the equations of steady motion for the increments k->dq, dv, da, dlambda and dw of the unknowns and
 * an increment 1 of one parameter (−1: none): of the residual of the equations of motion, k->dr (nv), of the velocity constraints, k->dg (ng),
 * and of the position constraints, k->g (ng). k->dg leaves out the part of the parameter. Overwrites k->r. */
static void change_equations(struct steady *k, int parameter)
{
  const cmb_equations *eq = k->eq;
  const cmb_pattern *const *pattern = eq->derivative_pattern;
  const int nv = eq->nv, nq = eq->nq, ng = eq->ng;
  double sum;
  cmb_multiply_mass(k->ev, k->da, k->dr);
  cmb_multiply_transposed_add(eq->G_pattern, ng, nv, k->ev->G, 1, k->dlambda, k->dr);
  cmb_multiply(pattern[CMB_RESIDUAL_Q], nv, nq, k->J[CMB_RESIDUAL_Q], k->dq, k->r);
  for (int i = 0; i < nv; i++) k->dr[i] += k->r[i];
  cmb_multiply(pattern[CMB_RESIDUAL_V], nv, nv, k->J[CMB_RESIDUAL_V], k->dv, k->r);
  for (int i = 0; i < nv; i++) {
    sum = parameter < 0
              ? 0
              : entry_of(pattern[CMB_RESIDUAL_P], eq->np, k->J[CMB_RESIDUAL_P], i, parameter);
    k->dr[i] += k->r[i] + sum;
  }
  if (ng == 0) return;
  cmb_multiply(pattern[CMB_VELOCITY_Q], ng, nq, k->J[CMB_VELOCITY_Q], k->dq, k->dg);
  cmb_multiply(eq->G_pattern, ng, nv, k->ev->G, k->dv, k->g);
  for (int i = 0; i < ng; i++) k->dg[i] += k->g[i];
  cmb_multiply(eq->G_pattern, ng, nv, k->ev->G, k->dw, k->g);
  for (int i = 0; i < ng && parameter >= 0; i++) {
    k->g[i] += entry_of(pattern[CMB_POSITION_P], eq->np, k->J[CMB_POSITION_P], i, parameter);
  }
}

/* Returns by how much the residual of equation e of the steady motion changes when the unknowns change as stored in k; `turn` is the change of
 * the turn rate ω of the moving frame. */
static double row_change(struct steady *k, const struct entry *e, double turn)
{
  const int i = e->index;
  switch (e->kind) {
  case R_FORCE: return k->dr[i];
  case R_POSITION: return k->g[i];
  case R_VELOCITY: return k->dg[i];
  case R_TURN: return k->dv[i] - turn * cmb_frame_share(&k->frame, i);
  case R_STRAIGHT: return turn;
  case R_BALL: {
    double up[3];
    cmb_frame_up(&k->frame, i, k->here.q, up); /* changes by up × w */
    const int a = (e->part + 1) % 3, b = (e->part + 2) % 3;
    const double moved = up[a] * k->dw[i + b] - up[b] * k->dw[i + a];
    return k->dv[i + e->part] - turn * up[e->part] - k->here.omega * moved;
  }
  default: {
    const struct held_quantity *h = &k->hold[i];
    return h->output >= 0 ? k->dy[h->output] : h->v >= 0 ? k->dv[h->v] : k->dq[h->q];
  }
  }
}

static cmb_status fill_matrix(struct steady *k)
{
  const struct point *x = &k->here;
  const cmb_output_point at = {x->q, x->v, k->a, x->lambda, -1};
  CMB_TRY(take_derivatives(k));
  for (int j = 0; j < k->n; j++) {
    const int parameter = change_unknown(k, &k->unknown[j]);
    const cmb_output_point by = {k->dq, k->dv, k->da, k->dlambda, parameter};
    change_equations(k, parameter);
    if (k->outputs.jacobian) cmb_output_change_at(&k->outputs, k->t, &at, &by, k->dy);
    const double turn = k->unknown[j].kind == U_TURN;
    for (int i = 0; i < k->m; i++) k->A[i * k->n + j] = row_change(k, &k->row[i], turn);
  }
  return cmb_all_finite(k->m * k->n, k->A) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* ---- steps */

static void scale(struct steady *k)
{
  const int m = k->m, n = k->n;
  for (int i = 0; i < m; i++) {
    const double most = cmb_largest(n, k->A + (ptrdiff_t)i * n);
    k->row_scale[i] = most > 0 ? 1 / most : 0;
    for (int j = 0; j < n; j++) k->A[i * n + j] *= k->row_scale[i];
  }
  for (int j = 0; j < n; j++) {
    double most = 0;
    for (int i = 0; i < m; i++) most = fmax(most, fabs(k->A[i * n + j]));
    k->column_scale[j] = most > 0 ? 1 / most : 0;
    for (int i = 0; i < m; i++) k->A[i * n + j] *= k->column_scale[j];
  }
}

/* Computes the Newton step k->x (n) as the minimum-norm least-squares solution, by the singular value decomposition of the scaled matrix. Small
 * singular values are treated as 0; k->rank becomes the number of the others. Returns the 2-norm of the step in scaled unknowns. */
static double solve(struct steady *k)
{
  const int m = k->m, n = k->n;
  for (int i = 0; i < m; i++) k->b[i] = -k->residuals[i] * k->row_scale[i];
  memset(k->x, 0, (size_t)n * sizeof *k->x);
  k->rank = 0;
  for (int i = 0; i < m && k->sigma[i] > NEGLIGIBLE * k->sigma[0]; i++, k->rank++) {
    const double part = cmb_dot(m, k->turned + (ptrdiff_t)i * m, k->b);
    cmb_add_scaled(n, part / (k->sigma[i] * k->sigma[i]), k->A + (ptrdiff_t)i * n, k->x);
  }
  const double size = cmb_norm2(n, k->x);
  for (int j = 0; j < n; j++) k->x[j] *= k->column_scale[j];
  return size;
}

static void copy_point(const struct steady *k, const struct point *from, struct point *to)
{
  memcpy(to->q, from->q, (size_t)k->eq->nq * sizeof(double));
  memcpy(to->v, from->v, (size_t)k->eq->nv * sizeof(double));
  memcpy(to->lambda, from->lambda, (size_t)k->eq->ng * sizeof(double));
  memcpy(to->p, from->p, (size_t)k->eq->np * sizeof(double));
  to->omega = from->omega;
}

/* Returns the relative size of the Newton step k->x (n): the largest entry, divided by 1 + |unknown|; multipliers are compared with the largest
 * multiplier in this way, positions and the turn rate are not divided. Also computes the change k->dq (nq) of the coordinates. */
static double relative_size(struct steady *k)
{
  const struct point *x = &k->here;
  const double force = 1 + cmb_largest(k->eq->ng, x->lambda);
  double most = 0;
  memset(k->dw, 0, (size_t)k->eq->nv * sizeof(double));
  for (int j = 0; j < k->n; j++) {
    const struct entry *u = &k->unknown[j];
    double size = 1;
    if (u->kind == U_POSITION) k->dw[u->index] = k->x[j];
    if (u->kind == U_VELOCITY) size = 1 + fabs(x->v[u->index]);
    if (u->kind == U_FORCE) size = force;
    if (u->kind == U_PARAMETER) size = 1 + fabs(x->p[u->index]);
    most = fmax(most, fabs(k->x[j]) / size);
  }
  cmb_rates(k->ev, x->q, k->dw, k->dq);
  return most;
}

static void displace(struct steady *k, double alpha, const double *x)
{
  struct point *to = &k->trial;
  copy_point(k, &k->here, to);
  cmb_add_scaled(k->eq->nq, alpha, k->dq, to->q);
  if (k->eq->normalize) k->eq->normalize(k->eq->self, to->q);
  for (int j = 0; j < k->n; j++) {
    const struct entry *u = &k->unknown[j];
    if (u->kind == U_VELOCITY) to->v[u->index] += alpha * x[j];
    if (u->kind == U_FORCE) to->lambda[u->index] += alpha * x[j];
    if (u->kind == U_TURN) to->omega += alpha * x[j];
    if (u->kind == U_PARAMETER) to->p[u->index] += alpha * x[j];
  }
}

static cmb_status descend(struct steady *k, double size, bool near, double *step)
{
  const double most = cmb_largest(k->eq->nq, k->dq);
  double alpha = most > RADIUS ? RADIUS / most : 1;
  memcpy(step, k->x, (size_t)k->n * sizeof *step);
  for (int i = 0; i < HALVINGS; i++, alpha /= 2) {
    displace(k, alpha, step);
    const cmb_status status = evaluate(k, &k->trial);
    if (status < 0) return status;
    if (status != CMB_OK || !(near || solve(k) <= (1 - alpha / 4) * size)) continue;
    copy_point(k, &k->trial, &k->here);
    return CMB_OK;
  }
  return CMB_RETRY_NEWTON;
}

static cmb_status iterate(struct steady *k, int *iterations)
{
  double last = INFINITY, *step = cmb_arena_doubles(k->arena, k->n);
  if (!step) return cmb_fail_memory(k->ctx);
  for (*iterations = 0; *iterations < ITERATIONS; ++*iterations) {
    CMB_TRY(evaluate(k, &k->here));
    CMB_TRY(fill_matrix(k));
    scale(k);
    cmb_orthogonal_rows(k->m, k->n, k->A, k->turned, k->sigma);
    const double scaled = solve(k), size = relative_size(k);
    if (!isfinite(size)) return CMB_RETRY_NONFINITE;
    if (size <= ROUNDING || (size <= ARRIVED && size >= last / 2)) return CMB_OK;
    CMB_TRY(descend(k, scaled, size <= ARRIVED, step));
    last = size;
  }
  return CMB_RETRY_NEWTON;
}

/* ---- results */

static const char *row_name(const struct steady *k, const struct entry *e)
{
  if (e->kind == R_HOLD) return k->hold[e->index].name;
  if (e->kind == R_STRAIGHT) return "turn";
  return e->kind == R_POSITION || e->kind == R_VELOCITY ? k->eq->g_names[e->index]
                                                        : k->eq->v_names[e->index];
}

/* Returns an error with the message that no steady motion was found. The message names the equation with the largest residual relative to the
 * largest entry of its row in the Newton matrix. */
static cmb_status fail_not_steady(struct steady *k)
{
  static const char *const words[] = {[R_FORCE] = "the unbalanced force or rate",
                                      [R_POSITION] = "the position residual",
                                      [R_VELOCITY] = "the velocity residual",
                                      [R_TURN] = "the deviation from the turn rate",
                                      [R_STRAIGHT] = "the turn rate of the mechanism",
                                      [R_BALL] = "the deviation from the turn rate",
                                      [R_HOLD] = "the deviation from the requested value"};
  int most = 0;
  if (evaluate(k, &k->here) == CMB_OK) {
    for (int i = 1; i < k->m; i++) {
      const double here = fabs(k->residuals[i]) * (k->row_scale[i] > 0 ? k->row_scale[i] : 1);
      const double there =
          fabs(k->residuals[most]) * (k->row_scale[most] > 0 ? k->row_scale[most] : 1);
      if (here > there) most = i;
    }
  }
  const struct entry *e = &k->row[most];
  return cmb_fail_about(
      k->ctx, CMB_ERROR_EQUATIONS, cmb_about_time(k->t, "equation", row_name(k, e)),
      "no steady motion near the start: %s of '%s' remains %.6g; more parameters to "
      "trim, fewer values that are held or a nearer start may help",
      words[e->kind], row_name(k, e), k->residuals[most]);
}

/* Checks that the accelerations from the equations of motion agree with those of a steady motion. Stores the largest difference in
 * report->defect; returns an error with a message if it exceeds the tolerance. */
static cmb_status check_accelerations(struct steady *k, cmb_steady_report *report)
{
  const struct point *x = &k->here;
  int most = 0;
  CMB_TRY(cmb_accelerate_in_modes(k->ev, k->arena, k->t, x->q, x->v, k->da, k->dlambda));
  frame_rates(k, x->omega, x->v, k->a);
  for (int i = 0; i < k->eq->nv; i++) {
    k->dr[i] = fabs(k->da[i] - k->a[i]);
    if (k->dr[i] > k->dr[most]) most = i;
  }
  report->defect = k->eq->nv > 0 ? k->dr[most] : 0;
  if (report->defect <= STEADY * (1 + cmb_largest(k->eq->nv, k->a))) return CMB_OK;
  return cmb_fail_about(k->ctx, CMB_ERROR_EQUATIONS,
                        cmb_about_time(k->t, "velocity", k->eq->v_names[most]),
                        "no steady motion near the start: '%s' has the acceleration %.6g in place "
                        "of %.6g; a parameter to trim may be missing",
                        k->eq->v_names[most], k->da[most], k->a[most]);
}

/* Checks that the forces are balanced along the whole steady motion and not only at the present position: dr/dt = 0 for the residual r of the
 * equations of motion. Returns an error with a message if not, since a force then depends on a coordinate that grows along the motion. */
static cmb_status check_along_motion(struct steady *k)
{
  const cmb_equations *eq = k->eq;
  const struct point *x = &k->here;
  const int nv = eq->nv, nq = eq->nq;
  const int entries = cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_Q], nv, nq);
  double *terms = k->dw;
  memcpy(k->dv, k->a, (size_t)nv * sizeof(double));
  frame_rates(k, x->omega, k->a, k->da);
  cmb_rates(k->ev, x->q, x->v, k->dq);
  memset(k->dlambda, 0, (size_t)eq->ng * sizeof(double));
  for (int i = 0; i < nv; i++) {
    terms[i] = 0;
    for (int j = 0; j < nq; j++) {
      terms[i] += fabs(k->dq[j] * entry_of(eq->derivative_pattern[CMB_RESIDUAL_Q], nq,
                                           k->J[CMB_RESIDUAL_Q], i, j));
    }
  }
  const double rounding =
      ROUNDING * cmb_largest(nq, k->dq) * cmb_largest(entries, k->J[CMB_RESIDUAL_Q]);
  const double least = SAME * SAME * cmb_largest(nv, terms) + rounding;
  change_equations(k, -1);
  for (int i = 0; i < nv; i++) {
    if (fabs(k->dr[i]) <= SAME * terms[i] + least) continue;
    return cmb_fail_about(k->ctx, CMB_ERROR_EQUATIONS,
                          cmb_about_time(k->t, "velocity", eq->v_names[i]),
                          "no steady motion: the balance of '%s' holds at this place only and "
                          "changes by %.6g a second along the motion, since a force depends on a "
                          "coordinate that grows",
                          eq->v_names[i], k->dr[i]);
  }
  return CMB_OK;
}

static cmb_status begin(struct steady *k, const cmb_system *system, const cmb_steady_options *o)
{
  const cmb_equations *eq = k->eq;
  struct point *x = &k->here;
  cmb_start_report start;
  CMB_TRY(cmb_frame_create(k->ctx, k->arena, system, &k->frame));
  memcpy(x->q, system->q, (size_t)eq->nq * sizeof(double));
  memcpy(x->v, system->v, (size_t)eq->nv * sizeof(double));
  for (int i = 0; i < eq->np; i++) x->p[i] = eq->p[i];
  k->ev->p = x->p;
  CMB_TRY(cmb_start_in_modes(k->ev, &k->modes, k->t, x->q, x->v, k->a, x->lambda, &start));
  CMB_TRY(list(k, system, o));
  for (int i = 0; i < k->frame.count; i++) {
    if (!k->free[i]) x->v[i] = 0;
    if (k->frame.carrier[i].kind == CMB_CARRY_TURN && cmb_frame_share(&k->frame, i) != 0) {
      x->omega = x->v[i] * cmb_frame_share(&k->frame, i);
    }
    if (k->frame.carrier[i].kind == CMB_CARRY_BALL) {
      double up[3];
      cmb_frame_up(&k->frame, i, x->q, up);
      x->omega = cmb_dot(3, up, x->v + i);
    }
  }
  bool wanted = false;
  for (int i = 0; i < k->hold_count; i++) wanted = wanted || k->hold[i].output >= 0;
  return wanted ? cmb_output_change_begin(&k->outputs, k->arena, k->ev) : CMB_OK;
}

static cmb_status find_steady(struct steady *k, const cmb_system *system,
                              const cmb_steady_options *o, cmb_steady_report *report)
{
  const struct point *x = &k->here;
  CMB_TRY(begin(k, system, o));
  cmb_status status = iterate(k, &report->iterations);
  if (status > 0) return fail_not_steady(k);
  CMB_TRY(status);
  report->unknowns = k->n, report->open = k->n - k->rank, report->turn = x->omega;
  for (int i = 0; i < k->hold_count; i++) {
    const struct entry e = {R_HOLD, i, 0};
    const double residuals = residual_of(k, x, &e);
    if (fabs(residuals) > ARRIVED * (1 + fabs(k->hold[i].value))) return fail_not_steady(k);
  }
  status = check_accelerations(k, report);
  if (status == CMB_OK) status = check_along_motion(k);
  if (status == CMB_OK) {
    status = cmb_refuse_closed_gaps(k->ev, k->t, x->q, x->v, CMB_TOUCHING, "a steady motion");
  }
  if (status == CMB_OK) {
    status = cmb_refuse_stuck(k->ev, k->arena, k->t, x->q, x->v, x->lambda, "a steady motion");
  }
  return status > 0 ? fail_not_steady(k) : status;
}

/* Checks that all parameters that can be changed after set-up, also those found by trimming, are within the limits that apply to a model file.
 * Does nothing if the system has no model. */
static cmb_status check_limits(const struct steady *k, const cmb_system *system)
{
  cmb_limits *limits = NULL;
  if (!system->model) return CMB_OK;
  CMB_TRY(cmb_limits_create(k->ctx, system->model, &limits));
  const cmb_status status = limits ? cmb_limits_check(limits, k->here.p) : CMB_OK;
  cmb_limits_destroy(limits);
  return status;
}

/* Stores the steady motion, with its moving frame, as the initial state of the system, and sets the trimmed parameters in the system. If
 * redundant constraints were left out, sets the parameters also in the system with all constraints. */
static cmb_status store_result(struct steady *k, cmb_system *system)
{
  const cmb_equations *eq = k->eq;
  const cmb_steady_frame *frame = cmb_frame_at(&k->frame, system->arena, k->here.omega);
  if (!frame) return cmb_fail_memory(k->ctx);
  memcpy(system->q, k->here.q, (size_t)eq->nq * sizeof(double));
  memcpy(system->v, k->here.v, (size_t)eq->nv * sizeof(double));
  system->q_given = system->v_given = NULL;
  for (cmb_system *s = system; s; s = s->whole) {
    for (int i = 0; i < eq->np && s->p; i++) s->p[i] = k->here.p[i];
  }
  system->frame = frame;
  return CMB_OK;
}

cmb_status cmb_system_steady(cmb_context *ctx, cmb_system *system,
                             const cmb_steady_options *options, cmb_steady_report *report)
{
  static const cmb_steady_options nothing = {0};
  const cmb_steady_options *o = options ? options : &nothing;
  CMB_REQUIRE(ctx, ctx && system && report,
              "cmb_system_steady needs a context, a system and a place for its report");
  CMB_REQUIRE(ctx, o->trim_count == 0 || system->eq.derivative,
              "cmb_system_steady needs equations with exact derivatives for what it trims");
  struct steady k = {.ctx = ctx, .eq = &system->eq, .t = system->t_start};
  *report = (cmb_steady_report){0};
  k.arena = cmb_arena_create(ctx);
  if (!k.arena) return cmb_fail_memory(ctx);
  cmb_status status = cmb_evaluator_create(ctx, k.eq, &k.ev);
  if (status == CMB_OK) status = cmb_require_mass_entries(k.ev);
  if (status == CMB_OK) status = take_memory(&k, o);
  if (status == CMB_OK) status = find_steady(&k, system, o, report);
  if (status == CMB_OK) status = check_limits(&k, system);
  if (status == CMB_OK) status = store_result(&k, system);
  cmb_output_change_end(&k.outputs);
  cmb_differences_destroy(k.differences);
  cmb_evaluator_destroy(k.ev);
  cmb_arena_destroy(k.arena);
  return status;
}

const cmb_steady_frame *cmb_system_frame(const cmb_system *system)
{
  return system ? system->frame : NULL;
}
