/*
 * Derivatives that are updated with the inputs that drive the equations (Arnold, Fuchs and Führer 2006 §3.3): for mildly nonlinear equations
 * whose Jacobian changes mainly because of the inputs u(t), which include those of rheonomic joints.
 *
 *     J_new = J_old + Σ_i ∂²F/∂u_i∂y (u_i(t_new) − u_i(t_old))                  the second line of eq. (26)
 *
 * The u_i are of two kinds:
 *
 *     inputs            u of the equations. ∂F/∂u comes from them, its derivatives with respect to q and v from differences.
 *     driven positions  A rheonomic joint has a coordinate here, and a constraint that makes it a function of time: one whose row of
 *                       G has a single entry. In the paper, where it has none, it is an input, and so it is here. The derivatives
 *                       are differences of two difference Jacobians.
 *
 * Both are computed once, at the state in which they are first needed. This serves both formalisms; M and G are computed anew for each
 * matrix anyway.
 */
#include "base/context.h"
#include "dae/evaluator.h"
#include "form/private.h"
#include "math/pattern.h"
#include "math/random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCKS = 4 }; /* K, D, C₁, C₂, as far as the form has them */

typedef struct cmb_extension {
  int nu, driven, followed; /* numbers of inputs, of driven positions, of both */
  int *velocity;            /* (ng) scratch */
  int *position;            /* (driven) their indices in q */
  bool known;
  double *at, *at_new; /* (followed) values of u to which the blocks belong, and new ones */
  /* (followed x entries of the block) derivatives of the block with respect to each u */
  double *slope[BLOCKS];
  double *kept[BLOCKS]; /* (entries) copy of the block */
  double *raw;          /* ∂r/∂u as the equations store it */
  double *base, *moved; /* (nv x nu) ∂F/∂u at the state and beside it */
  double *unit;         /* (nu) unit vector */
  double *q, *v;
} cmb_extension;

/* Returns block b of those blocks of the iteration matrix that change with the inputs of the equations: K, D, C₁, C₂ for b = 0 ..
 * 3. */
static cmb_block *block_of(cmb_form *form, int b)
{
  cmb_block *const blocks[BLOCKS] = {&form->K, &form->D, &form->C1, &form->C2};
  return blocks[b];
}

/* ---- creation */

/* Returns the coordinate whose rate depends on velocity j alone, provided that no other coordinate's rate depends on j; −1 if
 * there is none. Where q̇ = v, this is coordinate j. */
static int coordinate_of(const cmb_form *form, int j)
{
  if (!form->T) return j;
  const cmb_pattern *T = &form->T->pattern;
  int found = -1;
  for (int i = 0; i < form->nq; i++) {
    for (int k = T->start[i]; k < T->start[i + 1]; k++) {
      if (T->column[k] != j) continue;
      if (found >= 0 || T->start[i + 1] != T->start[i] + 1) return -1;
      found = i;
    }
  }
  return found;
}

/* Finds for each constraint whose gradient (row of the Jacobian G) depends on a single velocity the index of this velocity, and
 * stores it in single (ng); a negative number for other constraints. q (nq) and G (ng x nv) are work space, not used if G has a
 * sparsity pattern. */
static void find_single_velocities(const cmb_form *form, double *q, double *G, int *single)
{
  enum { PLACES = 3, NONE = -2, SEVERAL = -1 };
  const cmb_equations *eq = form->ev->eq;
  const cmb_pattern *p = eq->G_pattern;
  cmb_terms want = {0};
  uint32_t seed = CMB_RANDOM_FIRST;
  want.G = G;
  for (int i = 0; i < form->ng; i++) {
    single[i] = p && p->start[i + 1] == p->start[i] + 1 ? p->column[p->start[i]] : NONE;
  }
  /* evaluated at random positions, as T is in rates.c */
  for (int place = 0; !p && place < PLACES; place++) {
    for (int i = 0; i < form->nq; i++) q[i] = 1.5 + cmb_random(&seed);
    if (eq->normalize) eq->normalize(eq->self, q);
    if (cmb_evaluate(form->ev, 0, q, NULL, &want) != CMB_OK) continue;
    for (int k = 0; k < form->ng * form->nv; k++) {
      const int i = k / form->nv, j = k % form->nv;
      if (G[k] != 0) single[i] = single[i] == NONE || single[i] == j ? j : SEVERAL;
    }
  }
}

/* Lists in x->position the coordinates that a constraint makes functions of time alone, since it contains no other coordinate (rheonomic
 * joints), and their number in x->driven. Lists none if out of memory. */
static void find_driven(cmb_form *form, cmb_extension *x)
{
  double *G = cmb_arena_doubles(form->arena, form->ev->eq->G_pattern ? 0 : form->ng * form->nv);
  if (!G) return;
  find_single_velocities(form, x->q, G, x->velocity);
  for (int i = 0; i < form->ng; i++) {
    const int j = x->velocity[i], q = j >= 0 ? coordinate_of(form, j) : -1;
    if (q >= 0) x->position[x->driven++] = q;
  }
}

/* Allocates memory for the derivatives of the equations with respect to their inputs u. */
static void create_inputs(cmb_form *form, cmb_extension *x)
{
  const cmb_equations *eq = form->ev->eq;
  cmb_arena *arena = form->arena;
  const int nu = x->nu, nv = form->nv;
  x->raw =
      cmb_arena_doubles(arena, cmb_pattern_values(eq->derivative_pattern[CMB_RESIDUAL_U], nv, nu));
  x->base = cmb_arena_doubles(arena, nv * nu);
  x->moved = cmb_arena_doubles(arena, nv * nu);
  x->unit = cmb_arena_doubles(arena, nu);
}

void cmb_extension_create(cmb_form *form)
{
  cmb_arena *arena = form->arena;
  cmb_extension *x = form->extension = cmb_arena_take(arena, 1, sizeof *x);
  if (!x) return;
  x->nu = form->ev->eq->inputs ? form->ev->eq->nu : 0;
  x->velocity = cmb_arena_ints(arena, form->ng);
  x->position = cmb_arena_ints(arena, form->ng);
  x->q = cmb_arena_doubles(arena, form->nq);
  x->v = cmb_arena_doubles(arena, form->nv);
  if (cmb_arena_failed(arena)) return;
  find_driven(form, x);
  x->followed = x->nu + x->driven;
  x->at = cmb_arena_doubles(arena, x->followed);
  x->at_new = cmb_arena_doubles(arena, x->followed);
  for (int b = 0; b < BLOCKS; b++) {
    const size_t entries = (size_t)block_of(form, b)->count;
    x->slope[b] = cmb_arena_take(arena, (size_t)x->followed * entries, sizeof(double));
    x->kept[b] = cmb_arena_take(arena, entries, sizeof(double));
  }
  if (x->nu > 0) create_inputs(form, x);
}

/* Writes the values of all inputs u (nu) at the time of the state s to `values`, followed by the values of the driven coordinates
 * (functions of time) in this state. */
static cmb_status values_at(cmb_form *form, const cmb_form_state *s, double *values)
{
  const cmb_evaluator *ev = form->ev;
  const cmb_extension *x = form->extension;
  const cmb_point at = cmb_evaluator_point(ev, s->t, NULL, NULL);
  for (int k = 0; k < x->driven; k++) values[x->nu + k] = s->q[x->position[k]];
  return x->nu > 0 ? ev->eq->inputs(ev->eq->self, &at, values) : CMB_OK;
}

/* ---- inputs */

/* Computes the derivatives ∂F/∂u, out (nv x nu), of the dynamic equations with respect to their inputs u, at the positions q and velocities v
 * and with the other quantities of the state s. F is their residual, multiplied by the inverse mass matrix in the explicit formalism. */
static cmb_status by_inputs(cmb_form *form, const cmb_form_state *s, const double *q,
                            const double *v, double *out)
{
  cmb_extension *x = form->extension;
  const cmb_pattern *pattern = form->ev->eq->derivative_pattern[CMB_RESIDUAL_U];
  const bool divide = form->formalism == CMB_FORMALISM_EXPLICIT;
  form->ev->stats.f++;
  CMB_TRY(
      cmb_derivative_at(form->differences, s->t, q, v, s->a, s->lambda, CMB_RESIDUAL_U, x->raw));
  if (divide) {
    cmb_terms want = {.M = form->ev->M};
    CMB_TRY(cmb_evaluate(form->ev, s->t, q, NULL, &want));
    CMB_TRY(cmb_mass_factor(form));
  }
  for (int k = 0; k < x->nu; k++) {
    x->unit[k] = 1;
    cmb_multiply(pattern, form->nv, x->nu, x->raw, x->unit, form->x);
    x->unit[k] = 0;
    if (divide) cmb_kkt_solve(form->mass, form->x, NULL, form->x, NULL);
    for (int i = 0; i < form->nv; i++) out[i * x->nu + k] = form->x[i];
  }
  return CMB_OK;
}

/* Computes column j of the derivatives of a block of the iteration matrix with respect to all inputs u, by finite differences, into x->slope.
 * The block is K = ∂F/∂q T if `position` is set, where q̇ = T v, else D = ∂F/∂v. F is the residual of the dynamic equations, multiplied by M⁻¹
 * in the explicit formalism. ∂F/∂u at the state s must be in x->base. */
static cmb_status difference(cmb_form *form, const cmb_form_state *s, int j, bool position)
{
  cmb_extension *x = form->extension;
  const int nv = form->nv;
  memcpy(x->q, s->q, (size_t)form->nq * sizeof *x->q);
  memcpy(x->v, s->v, (size_t)nv * sizeof *x->v);
  const double delta =
      position ? cmb_move_position(form, s->q, j, x->q) : cmb_move_velocity(s->v, j, x->v);
  CMB_TRY(by_inputs(form, s, x->q, x->v, x->moved));
  double *to = x->slope[position ? 0 : 1];
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < x->nu; k++) {
      to[(k * nv + i) * nv + j] = (x->moved[i * x->nu + k] - x->base[i * x->nu + k]) / delta;
    }
  }
  return CMB_OK;
}

/* Computes by finite differences the derivatives of the blocks K = ∂F/∂q T and D = ∂F/∂v of the iteration matrix with respect to
 * all inputs u, into x->slope[0] and x->slope[1]. F is the residual of the dynamic equations. */
static cmb_status derive_by_inputs(cmb_form *form, const cmb_form_state *s)
{
  if (form->extension->nu == 0) return CMB_OK;
  CMB_TRY(by_inputs(form, s, s->q, s->v, form->extension->base));
  for (int j = 0; j < form->nv; j++) {
    CMB_TRY(difference(form, s, j, true));
    CMB_TRY(difference(form, s, j, false));
  }
  return CMB_OK;
}

/* ---- driven positions */

/* Copies the positions of the state s to x->q with driven coordinate k (a function of time) displaced, and returns the displacement. It is
 * max(|q|, 1) ε^(1/6), the square root of an accuracy of ε^(1/3) of a difference Jacobian, so that the difference of two Jacobians is as
 * accurate as possible. */
static double move_driven(cmb_form *form, const cmb_form_state *s, int k)
{
  cmb_extension *x = form->extension;
  const int i = x->position[k];
  memcpy(x->q, s->q, (size_t)form->nq * sizeof *x->q);
  volatile double there = s->q[i] + fmax(fabs(s->q[i]), 1) * sqrt(cbrt(DBL_EPSILON));
  x->q[i] = there;
  return there - s->q[i];
}

/* Computes the derivatives of all blocks of the iteration matrix with respect to driven coordinate k (a function of time), into
 * x->slope, as differences between a new Jacobian with this coordinate displaced and the saved blocks x->kept. Overwrites the
 * blocks. Extends the estimated sparsity pattern, if there is one, by new entries. */
static cmb_status by_driven(cmb_form *form, const cmb_form_state *s, int k)
{
  cmb_extension *x = form->extension;
  const double delta = move_driven(form, s, k);
  const cmb_form_state moved = {s->t, x->q, s->v, s->a, s->lambda};
  cmb_form_widen(form);
  CMB_TRY(cmb_estimate_derivatives(form, &moved));
  for (int b = 0; b < BLOCKS; b++) {
    const cmb_block *block = block_of(form, b);
    if (block->count == 0) continue;
    double *to = x->slope[b] + (ptrdiff_t)(x->nu + k) * block->count;
    for (int i = 0; i < block->count; i++) to[i] = (block->value[i] - x->kept[b][i]) / delta;
  }
  return CMB_OK;
}

/* Saves the values of all blocks of the iteration matrix, or restores them if `back`. */
static void copy_blocks(cmb_form *form, bool back)
{
  cmb_extension *x = form->extension;
  for (int b = 0; b < BLOCKS; b++) {
    cmb_block *block = block_of(form, b);
    if (block->count == 0) continue;
    const size_t size = (size_t)block->count * sizeof *block->value;
    memcpy(back ? block->value : x->kept[b], back ? x->kept[b] : block->value, size);
  }
}

/* Computes by finite differences the derivatives of all blocks of the iteration matrix with respect to the driven coordinates (functions of
 * time), into x->slope. The blocks are restored afterwards. */
static cmb_status derive_by_driven(cmb_form *form, const cmb_form_state *s)
{
  cmb_status status = CMB_OK;
  copy_blocks(form, false);
  for (int k = 0; k < form->extension->driven && status == CMB_OK; k++) {
    status = by_driven(form, s, k);
  }
  copy_blocks(form, true);
  return status;
}

/* ---- interface */

cmb_status cmb_form_know_inputs(cmb_form *form, const cmb_form_state *s)
{
  cmb_extension *x = form->extension;
  const long jacobians = form->ev->stats.jacobian;
  if (!x->known) {
    CMB_TRY(derive_by_inputs(form, s));
    CMB_TRY(derive_by_driven(form, s));
    form->ev->stats.jacobian = jacobians;
    x->known = true;
  }
  return values_at(form, s, x->at);
}

cmb_status cmb_form_follow_inputs(cmb_form *form, const cmb_form_state *s)
{
  cmb_extension *x = form->extension;
  CMB_TRY(values_at(form, s, x->at_new));
  for (int k = 0; k < x->followed; k++) {
    const double moved = x->at_new[k] - x->at[k];
    x->at[k] = x->at_new[k];
    for (int b = 0; b < BLOCKS; b++) {
      cmb_block *block = block_of(form, b);
      if (block->count == 0) continue;
      const double *slope = x->slope[b] + (ptrdiff_t)k * block->count;
      for (int i = 0; i < block->count; i++) block->value[i] += moved * slope[i];
    }
  }
  return CMB_OK;
}
