/*
 * Builds the expressions of a real-time step of fixed cost, its stages and its projections, for the methods lie and rosw2 (step.h).
 *
 * Stages. One stage with γ = 1 is the linearly implicit Euler method. Two stages are ROS2 (Verwer, Spee, Blom, Hundsdorfer 1999), a
 * W-method, which has order 2 with any matrix:
 *
 *     (I − γh J) k₁ = φ(y),   (I − γh J) k₂ = φ(y + h k₁) − 2 k₁,   y₁ = y + h (3/2 k₁ + 1/2 k₂),   γ = 1 − 1/√2.
 *
 * φ are the equations of index 1 solved for accelerations, and J = Π M⁻¹ ∂f with the projector Π onto G a = 0: then a stage is one
 * solution with the matrix of step.h. The second stage has M, G and γ at its own point; that changes J by O(h), without loss of order.
 *
 * Projections. q by one Newton step in the metric of the matrix A = M − .., whose factors are available,
 *
 *     q₁ = q̃ − T P g(q̃),   P = A⁻¹ Gᵀ (G A⁻¹ Gᵀ)⁻¹ at the beginning of the step:   G P = I, which is all that §3.4 needs;
 *
 * v exactly, v₁ = ṽ − R (G ṽ + g_t) at q₁ with G R = I: R = A⁻¹ Gᵀ (G A⁻¹ Gᵀ)⁻¹ where A is symmetric; where it is not, the right Gᵀ is
 * that of the beginning of the step, for which half of the elimination has been done. Expressions that occur repeatedly are the same nodes
 * of the graph: A is factored once.
 */
#include "method/step.h"

#include "base/context.h"
#include "expr/algebra.h"
#include "expr/elimination.h"

#include <math.h>
#include <string.h>

struct builder {
  cmb_step_source *s;
  const cmb_step_options *o;
  cmb_step *step;
  cmb_graph *g;
  cmb_arena *arena;
  int nq, nv, ng;
  cmb_expr gh;                 /* γ h */
  cmb_expr t_next;             /* t + h */
  cmb_expr *force_q, *force_v; /* (nv x nv) ∂f/∂q T and ∂f/∂v; NULL: not in the matrix */
  cmb_expr *A, *G;             /* matrix A and constraint Jacobian at the beginning of the step */
  cmb_expr *g_start;           /* (ng) constraints there; NULL unless wanted */
  /* factors of [A Gᵀ; G 0] at the beginning of the step; NULL: not made yet */
  cmb_elimination *here;
  cmb_elimination *last;     /* factors from which the velocities after the step follow */
  cmb_grip grip;             /* friction that can stick */
  cmb_expr *x;               /* (nv + ng) right side, and then the solution, of a stage */
  cmb_expr *kq, *k, *lambda; /* (nq), (nv), (ng) q̇, v̇ and λ of the current stage */
  cmb_expr *q, *v;           /* (nq), (nv) positions and velocities after the step, so far */
};

static cmb_expr *take(struct builder *b, int count)
{
  return cmb_arena_take(b->arena, (size_t)count, sizeof(cmb_expr));
}

static cmb_expr number(struct builder *b, double value)
{
  return cmb_constant(b->g, value);
}

/* Builds the expressions y := y + c x for vectors of n expressions. */
static void add_scaled(struct builder *b, int n, cmb_expr c, const cmb_expr *x, cmb_expr *y)
{
  for (int i = 0; i < n; i++) y[i] = cmb_add(b->g, y[i], cmb_mul(b->g, c, x[i]));
}

/* Builds the expressions y := y + c B x with the matrix B (rows x columns) of expressions. */
static void add_product(struct builder *b, int rows, int columns, const cmb_expr *B, cmb_expr c,
                        const cmb_expr *x, cmb_expr *y)
{
  for (int i = 0; i < rows; i++) {
    cmb_expr sum = 0;
    for (int k = 0; k < columns; k++) {
      sum = cmb_add(b->g, sum, cmb_mul(b->g, B[i * columns + k], x[k]));
    }
    y[i] = cmb_add(b->g, y[i], cmb_mul(b->g, c, sum));
  }
}

static void normalize(struct builder *b, cmb_expr *q)
{
  if (b->s->normalize) b->s->normalize(b->s, q);
}

/* ---- matrices */

/* Builds the matrix of a Rosenbrock (linearly implicit) stage as expressions in place of the mass matrix M (nv x nv): M − γh ∂f/∂v − (γh)²
 * ∂f/∂q T, with the step size h, the method's coefficient γ, the applied forces f and q̇ = T v. Omits derivatives that the option `jacobian`
 * excludes. */
static void complete_matrix(struct builder *b, cmb_expr *M)
{
  const int n = b->nv * b->nv;
  const cmb_expr once = cmb_neg(b->g, b->gh), twice = cmb_mul(b->g, once, b->gh);
  if (b->force_v) add_scaled(b, n, once, b->force_v, M);
  if (b->force_q) add_scaled(b, n, twice, b->force_q, M);
}

/* Limits the diagonal derivatives ∂ż_i/∂z_i of first-order states z to at most 0 in the matrix of the step. A positive one could make 1 − γh
 * ∂ż/∂z vanish at some step size h. The methods keep their order, which does not depend on this matrix. */
static void limit_growth(struct builder *b)
{
  for (int i = b->nv - b->s->eq->nz; i < b->nv; i++) {
    cmb_expr *own = &b->force_v[i * b->nv + i];
    *own = cmb_apply(b->g, CMB_OP_MIN, *own, 0, 0);
  }
}

/* Builds the derivatives of the applied forces that the option `jacobian` includes in the matrix of the step: b->force_v with respect to
 * velocities and b->force_q with respect to positions (nv x nv each). */
static cmb_status take_forces(struct builder *b)
{
  const cmb_step_jacobian j = b->o->jacobian;
  const int n = b->nv * b->nv;
  if (j == CMB_STEP_NONE) return CMB_OK;
  const bool by_v = j != CMB_STEP_J3, by_q = j == CMB_STEP_J2 || j == CMB_STEP_EXACT;
  b->s->stiff_only = j == CMB_STEP_J1 || j == CMB_STEP_J2;
  if (by_v) b->force_v = take(b, n);
  if (by_q) b->force_q = take(b, n);
  if (cmb_arena_failed(b->arena)) return cmb_fail_memory(b->s->ctx);
  CMB_TRY(b->s->forces(b->s, b->force_q, b->force_v));
  if (by_v) limit_growth(b);
  return CMB_OK;
}

/* Builds the symbolic factorisation *out of the matrix [A Bᵀ; C 0] with A (nv x nv), B and C (ng x nv), and stores it in b->last, too. Updates
 * b->step->health, the smallest relative pivot of the step, which tells whether a matrix is nearly singular. */
static cmb_status eliminate(struct builder *b, const cmb_expr *A, const cmb_expr *B,
                            const cmb_expr *C, cmb_elimination **out)
{
  *out = cmb_eliminate(b->g, b->arena, b->nv, b->ng, A, B, C);
  if (!*out) return cmb_fail_memory(b->s->ctx);
  const cmb_expr health = cmb_elimination_health(*out);
  b->step->health = cmb_apply(b->g, CMB_OP_MIN, b->step->health, health, 0);
  b->last = *out;
  return CMB_OK;
}

/* Builds b->here, the symbolic factorisation of the matrix [A Gᵀ; G 0] at the beginning of the step, unless it exists. Sets b->last to it if
 * there was no factorisation before. */
static cmb_status eliminate_here(struct builder *b)
{
  cmb_elimination *last = b->last;
  if (b->here) return CMB_OK;
  CMB_TRY(eliminate(b, b->A, b->G, b->G, &b->here));
  if (last) b->last = last;
  return CMB_OK;
}

/* ---- stages */

/* A stage: the terms of the equations at its point; M becomes the matrix A. */
struct stage {
  cmb_step_point at;
  cmb_step_terms terms;
  cmb_expr *base; /* (nq) q̇ without the term of the new velocities */
};

/* Builds the expressions that one stage of a linearly implicit step needs, at the time and state stage->at: mass matrix, constraint Jacobian,
 * forces and coordinate rates q̇. If `index1` is set, so that the constraints are imposed on accelerations, also γ, the velocity-dependent part
 * of g̈, and for Baumgarte stabilisation g and ∂g/∂t. */
static cmb_status take_stage(struct builder *b, bool index1, struct stage *stage)
{
  const bool baumgarte = index1 && b->o->stabilization == CMB_STABILIZE_BAUMGARTE;
  cmb_step_terms *w = &stage->terms;
  w->M = take(b, b->nv * b->nv);
  w->G = take(b, b->ng * b->nv);
  w->f = take(b, b->nv);
  if (index1) w->gamma = take(b, b->ng);
  if (baumgarte || b->o->bound) w->g = take(b, b->ng);
  if (baumgarte) w->gt = take(b, b->ng);
  stage->base = take(b, b->nq);
  if (cmb_arena_failed(b->arena)) return cmb_fail_memory(b->s->ctx);
  CMB_TRY(b->s->terms(b->s, &stage->at, w));
  return b->s->rates(b->s, stage->at.q, stage->at.v, stage->base);
}

/* Returns whether the step computes the new positions from the velocities at its end, not from those at its beginning. */
static bool uses_new_velocities(const struct builder *b)
{
  return b->o->jacobian == CMB_STEP_EXACT || b->o->positions == CMB_POSITIONS_NEW;
}

/* Builds the right side of a stage as expressions in b->x (nv): the applied forces f plus γh ∂f/∂q q̇, their predicted change in the step,
 * with the step size h and the method's coefficient γ. It is f alone with the options jacobian=none or positions=new. */
static cmb_status put_forces(struct builder *b, const struct stage *stage)
{
  memcpy(b->x, stage->terms.f, (size_t)b->nv * sizeof *b->x);
  if (b->o->jacobian == CMB_STEP_NONE || b->o->positions == CMB_POSITIONS_NEW) return CMB_OK;
  /* T = I: the derivative ∂f/∂q has been built */
  if (b->o->jacobian == CMB_STEP_EXACT && !b->s->eq->rates) {
    add_product(b, b->nv, b->nv, b->force_q, b->gh, stage->base, b->x);
    return CMB_OK;
  }
  cmb_expr *change = take(b, b->nv);
  if (!change) return cmb_fail_memory(b->s->ctx);
  CMB_TRY(b->s->along(b->s, stage->base, change));
  add_scaled(b, b->nv, b->gh, change, b->x);
  return CMB_OK;
}

/* Builds the expression of Baumgarte's parameter α: the value of the option or, by default, 1/h, which removes violations of the constraints
 * within two steps of size h. If the new positions are computed from the new velocities, the default is 1/(2h), since such steps are stable
 * only for hα < 2√2 − 2 (index 2: hα < 2/3). */
static cmb_expr alpha(struct builder *b)
{
  const double part = uses_new_velocities(b) ? 0.5 : 1;
  return b->o->alpha > 0 ? number(b, b->o->alpha) : cmb_div(b->g, number(b, part), b->s->h);
}

/* Builds the expression of Baumgarte's parameter β, which multiplies violations of position constraints: the value of the option or, by
 * default, α². */
static cmb_expr beta(struct builder *b)
{
  return b->o->beta > 0 ? number(b, b->o->beta) : cmb_square(b->g, alpha(b));
}

/* Builds the right side of the constraints on accelerations, G v̇ = −γ, as expressions in the last ng elements of b->x; with Baumgarte's
 * stabilisation −γ − 2α (G v + g_t) − β g, with the constraints g, their Jacobian G and their time derivative g_t. */
static void put_accelerations(struct builder *b, const struct stage *stage)
{
  const cmb_step_terms *w = &stage->terms;
  cmb_expr *s = b->x + b->nv;
  for (int i = 0; i < b->ng; i++) s[i] = cmb_neg(b->g, w->gamma[i]);
  if (b->o->stabilization != CMB_STABILIZE_BAUMGARTE) return;
  const cmb_expr damping = cmb_mul(b->g, number(b, -2), alpha(b));
  add_product(b, b->ng, b->nv, w->G, damping, stage->at.v, s);
  add_scaled(b, b->ng, damping, w->gt, s);
  add_scaled(b, b->ng, cmb_neg(b->g, beta(b)), w->g, s);
}

/* Builds the accelerations k (nv) of a stage with predicted friction forces, which belong to the old positions. Used for steps whose new
 * positions follow from the new velocities; the final friction forces are computed at the new positions. */
static cmb_status predict_friction(struct builder *b, cmb_expr *k)
{
  const cmb_grip_step ahead = {
      {b->t_next, b->s->q, NULL}, b->A, b->last, take(b, b->nv), k, take(b, b->ng)};
  memcpy(k, b->k, (size_t)b->nv * sizeof *k);
  if (cmb_arena_failed(b->arena)) return cmb_fail_memory(b->s->ctx);
  if (b->grip.count == 0) return CMB_OK;
  memcpy(ahead.v, b->s->v, (size_t)b->nv * sizeof *k);
  add_scaled(b, b->nv, b->s->h, k, ahead.v);
  return cmb_grip_apply(b->s, &b->grip, &ahead);
}

/* Splits the solution b->x of a stage into the accelerations b->k and the multipliers b->lambda, and builds the coordinate rates q̇, b->kq,
 * with the new velocities if positions follow from these. */
static cmb_status split_solution(struct builder *b, const struct stage *stage)
{
  memcpy(b->k, b->x, (size_t)b->nv * sizeof *b->k);
  memcpy(b->lambda, b->x + b->nv, (size_t)b->ng * sizeof *b->lambda);
  memcpy(b->kq, stage->base, (size_t)b->nq * sizeof *b->kq);
  if (!uses_new_velocities(b)) return CMB_OK;
  cmb_expr *more = take(b, b->nq), *k = take(b, b->nv);
  if (!more || !k) return cmb_fail_memory(b->s->ctx);
  CMB_TRY(predict_friction(b, k));
  CMB_TRY(b->s->rates(b->s, stage->at.q, k, more));
  add_scaled(b, b->nq, b->gh, more, b->kq);
  return CMB_OK;
}

/* Builds the first stage of the step, at its beginning: the terms of the equations, the matrix and the right side. If `index1` is set, the
 * constraints are imposed on accelerations, else on velocities. */
static cmb_status first_stage(struct builder *b, bool index1, struct stage *stage)
{
  stage->at = (cmb_step_point){b->s->t, b->s->q, b->s->v};
  CMB_TRY(take_stage(b, index1, stage));
  CMB_TRY(take_forces(b));
  complete_matrix(b, stage->terms.M);
  b->A = stage->terms.M;
  b->G = stage->terms.G;
  b->g_start = stage->terms.g;
  CMB_TRY(cmb_grip_begin(b->s, &b->grip));
  CMB_TRY(put_forces(b, stage));
  if (b->grip.count > 0) add_scaled(b, b->nv, number(b, 1), b->grip.middle_sum, b->x);
  return CMB_OK;
}

/* ---- projections */

/* Returns whether the constraints do not depend on the positions that belong to velocity i: then column i of their Jacobian G is 0. */
static bool is_unconstrained(const struct builder *b, const cmb_expr *G, int i)
{
  for (int k = 0; k < b->ng; k++) {
    if (G[k * b->nv + i] != 0) return false;
  }
  return true;
}

/* Keeps in b->step what the bound on the drift needs: q (nq) before its projection, with the constraints g (ng) and their Jacobian G (ng x
 * nv) there and at the beginning of the step. */
static cmb_status keep_for_bound(struct builder *b, const cmb_expr *q, const cmb_expr *g,
                                 cmb_expr *G)
{
  cmb_step *step = b->step;
  step->q_plain = take(b, b->nq);
  step->g_plain = take(b, b->ng);
  if (!step->q_plain || !step->g_plain) return cmb_fail_memory(b->s->ctx);
  memcpy(step->q_plain, q, (size_t)b->nq * sizeof *q);
  memcpy(step->g_plain, g, (size_t)b->ng * sizeof *g);
  step->G_plain = G;
  step->g = b->g_start;
  step->G = b->G;
  return CMB_OK;
}

/* Keeps in b->step->Pg, for the bound on the drift, the displacement x (nv) that the projection of positions subtracts. It is set to 0 in
 * velocities on which the constraints with the Jacobian G do not depend. */
static cmb_status keep_displacement(struct builder *b, const cmb_expr *G, const cmb_expr *x)
{
  cmb_expr *Pg = b->step->Pg = take(b, b->nv);
  if (!Pg) return cmb_fail_memory(b->s->ctx);
  for (int i = 0; i < b->nv; i++) Pg[i] = is_unconstrained(b, G, i) ? 0 : x[i];
  return CMB_OK;
}

/* Builds the expressions that project q (nq), which is overwritten, onto the position constraints at the time t + h by one Newton step,
 * with the matrix factorised at the beginning of the step. If the bound on the drift is wanted, b->step keeps q before its projection,
 * the constraints and their Jacobian there, and the displacement. */
static cmb_status project_position(struct builder *b, cmb_expr *q)
{
  const cmb_step_point at = {b->t_next, q, NULL};
  cmb_expr *x = take(b, b->nv + b->ng), *dq = take(b, b->nq);
  cmb_expr *G = b->o->bound ? take(b, b->ng * b->nv) : NULL;
  if (!x || !dq || (b->o->bound && !G)) return cmb_fail_memory(b->s->ctx);
  CMB_TRY(eliminate_here(b));
  CMB_TRY(b->s->terms(b->s, &at, &(cmb_step_terms){.g = x + b->nv, .G = G}));
  if (G) CMB_TRY(keep_for_bound(b, q, x + b->nv, G));
  cmb_elimination_solve(b->here, x);
  if (G) CMB_TRY(keep_displacement(b, G, x));
  CMB_TRY(b->s->rates(b->s, q, x, dq));
  add_scaled(b, b->nq, number(b, -1), dq, q);
  normalize(b, q);
  return CMB_OK;
}

static bool is_symmetric(int n, const cmb_expr *A)
{
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) {
      if (A[i * n + k] != A[k * n + i]) return false;
    }
  }
  return true;
}

/* Builds the expressions that project the velocities after the step exactly onto the velocity constraints G v + g_t = 0 at the time t +
 * h and the new positions. First-order states are not changed. */
static cmb_status project_velocity(struct builder *b)
{
  const cmb_step_point at = {b->t_next, b->q, NULL};
  cmb_expr *x = take(b, b->nv + b->ng), *G = take(b, b->ng * b->nv);
  cmb_elimination *there;
  if (!x || !G) return cmb_fail_memory(b->s->ctx);
  CMB_TRY(b->s->terms(b->s, &at, &(cmb_step_terms){.G = G, .gt = x + b->nv}));
  CMB_TRY(eliminate(b, b->A, is_symmetric(b->nv, b->A) ? G : b->G, G, &there));
  add_product(b, b->ng, b->nv, G, number(b, 1), b->v, x + b->nv);
  cmb_elimination_solve(there, x);
  /* first-order states are not changed */
  add_scaled(b, b->nv - b->s->eq->nz, number(b, -1), x, b->v);
  return CMB_OK;
}

/* ---- steps */

/* Builds the expressions y := start + h k (n), the state after a step of size h with the slope k. */
static void advance(struct builder *b, int n, const cmb_expr *start, const cmb_expr *k, cmb_expr *y)
{
  memcpy(y, start, (size_t)n * sizeof *y);
  add_scaled(b, n, b->s->h, k, y);
}

/* Builds the linearly implicit Euler step with the constraints imposed on accelerations (index 1). It is also the first stage of the W-method
 * of order 2. */
static cmb_status step_index1(struct builder *b)
{
  struct stage stage = {0};
  CMB_TRY(first_stage(b, true, &stage));
  put_accelerations(b, &stage);
  CMB_TRY(eliminate_here(b));
  cmb_elimination_solve(b->here, b->x);
  CMB_TRY(split_solution(b, &stage));
  advance(b, b->nq, b->s->q, b->kq, b->q);
  advance(b, b->nv, b->s->v, b->k, b->v);
  normalize(b, b->q);
  return CMB_OK;
}

/* Builds the linearly implicit Euler step whose new velocities satisfy the velocity constraints (with Baumgarte's stabilisation G v + g_t =
 * −α g) at the position q + h q̇, with q̇ from the old velocities (index 2). This is the new position unless the options jacobian=exact or
 * positions=new require that it follows from the new velocities. With stabilization=ggl the new position is projected onto the
 * constraints. */
static cmb_status step_index2(struct builder *b)
{
  struct stage stage = {0};
  const bool baumgarte = b->o->stabilization == CMB_STABILIZE_BAUMGARTE;
  const bool ggl = b->o->stabilization == CMB_STABILIZE_GGL, later = uses_new_velocities(b);
  cmb_expr *q = take(b, b->nq), *G = take(b, b->ng * b->nv), *gt = take(b, b->ng);
  cmb_expr *g = baumgarte ? take(b, b->ng) : NULL, *s = b->x + b->nv;
  cmb_elimination *mixed;
  CMB_TRY(first_stage(b, false, &stage));
  if (cmb_arena_failed(b->arena)) return cmb_fail_memory(b->s->ctx);
  advance(b, b->nq, b->s->q, stage.base, q);
  normalize(b, q);
  if (ggl && !later) CMB_TRY(project_position(b, q));
  const cmb_step_point at = {b->t_next, q, NULL};
  CMB_TRY(b->s->terms(b->s, &at, &(cmb_step_terms){.G = G, .gt = gt, .g = g}));
  const cmb_expr scale = cmb_div(b->g, number(b, -1), b->s->h);
  memset(s, 0, (size_t)b->ng * sizeof *s);
  add_product(b, b->ng, b->nv, G, scale, b->s->v, s);
  add_scaled(b, b->ng, scale, gt, s);
  if (g) add_scaled(b, b->ng, cmb_mul(b->g, scale, alpha(b)), g, s);
  CMB_TRY(eliminate(b, b->A, b->G, G, &mixed));
  cmb_elimination_solve(mixed, b->x);
  CMB_TRY(split_solution(b, &stage));
  memcpy(b->q, q, (size_t)b->nq * sizeof *q);
  if (later) {
    advance(b, b->nq, b->s->q, b->kq, b->q);
    normalize(b, b->q);
    if (ggl) CMB_TRY(project_position(b, b->q));
  }
  advance(b, b->nv, b->s->v, b->k, b->v);
  return CMB_OK;
}

/* Builds the expressions y := 3/2 y + 1/2 x (n), the weighted sum of the slopes y of the first and x of the second stage of the method ROS2. */
static void combine_stages(struct builder *b, int n, const cmb_expr *x, cmb_expr *y)
{
  for (int i = 0; i < n; i++) {
    y[i] = cmb_add(b->g, cmb_mul(b->g, number(b, 1.5), y[i]), cmb_mul(b->g, number(b, 0.5), x[i]));
  }
}

/* Builds the expressions lambda := 1/2 (lambda + second) (ng), which combine the multipliers of the two stages of the method ROS2 into those of
 * the whole step. */
static void combine_multipliers(struct builder *b, const cmb_expr *second, cmb_expr *lambda)
{
  for (int i = 0; i < b->ng; i++) {
    lambda[i] = cmb_mul(b->g, number(b, 0.5), cmb_add(b->g, lambda[i], second[i]));
  }
}

/* Builds the second stage of the W-method ROS2 at the state (t + h, q, v). On entry b->kq, b->k and b->lambda are q̇, v̇ and λ of the first
 * stage; on return they are the weighted sums of both stages, those of the whole step. */
static cmb_status second_stage(struct builder *b, const cmb_expr *q, const cmb_expr *v)
{
  struct stage stage = {.at = {b->t_next, q, v}};
  const cmb_expr minus_two = number(b, -2);
  cmb_expr *kq = take(b, b->nq), *k = take(b, b->nv), *lambda = take(b, b->ng);
  cmb_elimination *there;
  CMB_TRY(take_stage(b, true, &stage));
  if (cmb_arena_failed(b->arena)) return cmb_fail_memory(b->s->ctx);
  memcpy(kq, b->kq, (size_t)b->nq * sizeof *kq);
  memcpy(k, b->k, (size_t)b->nv * sizeof *k);
  memcpy(lambda, b->lambda, (size_t)b->ng * sizeof *lambda);
  add_scaled(b, b->nq, minus_two, kq, stage.base);
  CMB_TRY(put_forces(b, &stage));
  add_product(b, b->nv, b->nv, stage.terms.M, minus_two, k, b->x);
  put_accelerations(b, &stage);
  add_product(b, b->ng, b->nv, stage.terms.G, minus_two, k, b->x + b->nv);
  complete_matrix(b, stage.terms.M);
  CMB_TRY(eliminate(b, stage.terms.M, stage.terms.G, stage.terms.G, &there));
  cmb_elimination_solve(there, b->x);
  CMB_TRY(split_solution(b, &stage));
  combine_stages(b, b->nq, b->kq, kq);
  combine_stages(b, b->nv, b->k, k);
  combine_multipliers(b, b->lambda, lambda);
  b->kq = kq, b->k = k, b->lambda = lambda;
  return CMB_OK;
}

/* Builds the step of the W-method of order 2 (ROS2): both stages, and the state after the step from the weighted sum of their slopes. */
static cmb_status two_stages(struct builder *b)
{
  cmb_expr *q = take(b, b->nq), *v = take(b, b->nv);
  CMB_TRY(step_index1(b));
  if (!q || !v) return cmb_fail_memory(b->s->ctx);
  advance(b, b->nq, b->s->q, b->kq, q);
  memcpy(v, b->v, (size_t)b->nv * sizeof *v);
  CMB_TRY(second_stage(b, q, v));
  advance(b, b->nq, b->s->q, b->kq, b->q);
  advance(b, b->nv, b->s->v, b->k, b->v);
  normalize(b, b->q);
  return CMB_OK;
}

/* Builds the expressions of those projections of positions and velocities after the step that the option `stabilization` selects, and the
 * constraints after them if the bound on the drift is wanted. */
static cmb_status project(struct builder *b)
{
  const cmb_stabilization stabilization = b->o->stabilization;
  if (b->ng == 0) return CMB_OK;
  if (stabilization == CMB_STABILIZE_POSITION || stabilization == CMB_STABILIZE_BOTH) {
    CMB_TRY(project_position(b, b->q));
  }
  if (stabilization == CMB_STABILIZE_BOTH) CMB_TRY(project_velocity(b));
  if (!b->step->q_plain) return CMB_OK;
  const cmb_step_point end = {b->t_next, b->q, NULL};
  b->step->g_end = take(b, b->ng);
  if (!b->step->g_end) return cmb_fail_memory(b->s->ctx);
  return b->s->terms(b->s, &end, &(cmb_step_terms){.g = b->step->g_end});
}

/* Adds the effect of dry friction, with the constraint forces that it causes, to the velocities, accelerations and multipliers after the step.
 * It is the last operation of a step, so that sticking velocities are 0 at the new position. b->step->health becomes −1 if friction accelerates
 * the motion that it should oppose. */
static cmb_status apply_friction(struct builder *b)
{
  const cmb_grip_step there = {{b->t_next, b->q, NULL}, b->A, b->last, b->v, b->k, b->lambda};
  CMB_TRY(cmb_grip_apply(b->s, &b->grip, &there));
  b->step->grip = b->grip.mode;
  b->step->settled = b->grip.settled;
  if (b->grip.count == 0) return CMB_OK;
  const cmb_expr drives =
      cmb_apply(b->g, CMB_OP_LT, b->step->settled, 0, 0); /* friction that accelerates the motion */
  b->step->health = cmb_apply(b->g, CMB_OP_IF, drives, number(b, -1), b->step->health);
  return CMB_OK;
}

static cmb_status make(struct builder *b)
{
  CMB_TRY(b->o->stages == 2 ? two_stages(b) : b->o->index == 2 ? step_index2(b) : step_index1(b));
  CMB_TRY(project(b));
  return apply_friction(b);
}

cmb_status cmb_step_make(cmb_step_source *s, const cmb_step_options *o, cmb_step *step)
{
  const double gamma = o->stages == 2 ? 1 - sqrt(0.5) : 1;
  struct builder b = {.s = s, .o = o, .step = step, .g = s->graph, .arena = s->arena};
  b.nq = s->nq, b.nv = s->nv, b.ng = s->ng;
  b.gh = cmb_mul(s->graph, number(&b, gamma), s->h);
  b.t_next = cmb_add(s->graph, s->t, s->h);
  b.x = take(&b, b.nv + b.ng);
  b.kq = take(&b, b.nq);
  b.k = take(&b, b.nv);
  b.lambda = take(&b, b.ng);
  b.q = take(&b, b.nq);
  b.v = take(&b, b.nv);
  if (cmb_arena_failed(b.arena)) return cmb_fail_memory(s->ctx);
  *step = (cmb_step){.health = number(&b, 1)};
  CMB_TRY(make(&b));
  step->first_grip = take(&b, b.grip.count);
  if (!step->first_grip) return cmb_fail_memory(s->ctx);
  if (b.grip.count > 0) CMB_TRY(cmb_grip_first_modes(s, &b.grip, step->first_grip));
  step->q = b.q, step->v = b.v, step->lambda = b.lambda, step->a = b.k;
  return cmb_graph_status(s->graph);
}
