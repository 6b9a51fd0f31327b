/*
 * Computes eigenvalues and mode shapes of linearised equations (linearize.h) for cmb_linearize: A x = λ x (math/eigen.h). The upper part of x
 * is the displacements z, the last nz entries are the first-order states. The mode shape is (T N z, states), divided by the largest change of a
 * coordinate, or of a state where no coordinate changes.
 */
#include "base/context.h"
#include "dae/attach.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/finite.h"
#include "system/equilibrium.h"
#include "system/gaps.h"
#include "system/linearize.h"
#include "system/neutral.h"
#include "system/stuck.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const double NEGLIGIBLE = 1e-10; /* relative size of a part of a mode that is rounding */
static const double TWO_PI = 6.28318530717958647692;

struct linearization {
  cmb_linearization result; /* first, so that a pointer to it is a pointer to the whole */
  cmb_arena *arena;
};

struct eigen {
  cmb_evaluator *ev;
  const cmb_steady_frame *frame; /* NULL: none */
  cmb_tangent tangent;
  double *A, *scratch_A; /* (m x m) state matrix, m = 2n − nz, and a copy */
  double *re, *im;       /* (m) eigenvalues */
  double *V, *work;      /* (m x m) eigenvectors, a row each; scratch */
  bool *neutral;         /* (m) eigenvalues that are 0 but for rounding */
  double *a, *lambda;    /* (nv), (ng) accelerations and multipliers at the state */
  double *w;             /* (nv) scratch */
  cmb_eigenmode *modes;
};

static cmb_status take_memory(struct eigen *e, cmb_arena *arena)
{
  const cmb_equations *eq = e->ev->eq;
  const int most = 2 * eq->nv;
  CMB_TRY(cmb_tangent_create(&e->tangent, arena, e->ev));
  e->A = cmb_arena_doubles(arena, most * most);
  e->scratch_A = cmb_arena_doubles(arena, most * most);
  e->V = cmb_arena_doubles(arena, most * most);
  e->re = cmb_arena_doubles(arena, most);
  e->im = cmb_arena_doubles(arena, most);
  e->work = cmb_arena_doubles(arena, cmb_neutral_work(most));
  e->neutral = cmb_arena_take(arena, (size_t)most, sizeof *e->neutral);
  e->a = cmb_arena_doubles(arena, eq->nv);
  e->lambda = cmb_arena_doubles(arena, eq->ng);
  e->w = cmb_arena_doubles(arena, eq->nv);
  e->modes = cmb_arena_take(arena, (size_t)most, sizeof *e->modes);
  return cmb_arena_failed(arena) ? cmb_fail_memory(e->ev->ctx) : CMB_OK;
}

static int freedoms(const struct eigen *e)
{
  return e->tangent.n - e->ev->eq->nz;
}

static int size_of(const struct eigen *e)
{
  return freedoms(e) + e->tangent.n;
}

/* Computes the real part (or, in a second call, the imaginary part) of a mode shape from the same part x (m) of an eigenvector of the state
 * matrix. The mode shape (nq + nz) contains the changes of all coordinates, then of all first-order states, at position q (nq). */
static void compute_shape(struct eigen *e, const double *q, const double *x, double *shape)
{
  const cmb_equations *eq = e->ev->eq;
  const int nv = eq->nv;
  memset(e->w, 0, (size_t)nv * sizeof *e->w);
  for (int k = 0; k < freedoms(e); k++) {
    for (int i = 0; i < nv; i++) e->w[i] += x[k] * e->tangent.N[k * nv + i];
  }
  cmb_rates(e->ev, q, e->w, shape);
  for (int i = 0; i < eq->nz; i++) shape[eq->nq + i] = x[size_of(e) - eq->nz + i];
}

/* Returns the largest absolute value |re[i] + i im[i]| for from ≤ i < to, and its index in *most, the first one of nearly equal values. Returns
 * −1 and leaves *most unchanged if the range is empty. */
static double largest_of(int from, int to, const double *re, const double *im, int *most)
{
  double largest = -1;
  for (int i = from; i < to; i++) {
    double size = hypot(re[i], im[i]);
    if (size <= largest * (1 + 1e-9))
      continue; /* of equal ones the first, independently of rounding */
    largest = size;
    *most = i;
  }
  return largest;
}

/* Normalises a mode shape re + i im (nq + nz) in place: divides it by its largest complex entry, which becomes 1. The entry is sought among the
 * coordinates, or among the first-order states if all coordinates are negligible beside these. *most becomes its index. */
static void normalize(const cmb_equations *eq, double *re, double *im, int *most)
{
  const int count = eq->nq + eq->nz;
  int state = 0;
  double largest = largest_of(0, eq->nq, re, im, most);
  const double of_states = largest_of(eq->nq, count, re, im, &state);
  if (largest <= NEGLIGIBLE * of_states) largest = of_states, *most = state;
  double c = re[*most] / (largest * largest), s = im[*most] / (largest * largest);
  for (int i = 0; i < count; i++) {
    double x = re[i], y = im[i];
    re[i] = x * c + y * s;
    im[i] = y * c - x * s;
  }
  re[*most] = 1;
  im[*most] = 0;
}

/* Returns whether an eigenmode of a steady motion, with eigenvector x + iy (m), is not a vibration but the same circular motion about a
 * displaced centre. In the frame that rotates at the rate ω, this displacement appears as an eigenvalue near i|ω| whose eigenvector has
 * velocities and first-order states 0. Below `neutral_below`, where eigenvectors are inaccurate, an eigenvalue very close to i|ω| suffices. */
static bool is_displaced_circle(const struct eigen *e, const cmb_eigenmode *mode, const double *x,
                                const double *y, double neutral_below)
{
  const int m = size_of(e), n = freedoms(e);
  if (!e->frame || e->frame->turn == 0) return false;
  const double apart = hypot(mode->re, mode->im - fabs(e->frame->turn));
  if (mode->im <= neutral_below && apart <= CMB_NEUTRAL_ACCURACY * mode->im) return true;
  if (apart > neutral_below) return false;
  const double place = hypot(cmb_norm2(n, x), cmb_norm2(n, y));
  return hypot(cmb_norm2(m - n, x + n), cmb_norm2(m - n, y + n)) <= 1e-6 * mode->im * place;
}

static void describe(cmb_eigenmode *mode, bool neutral)
{
  double size = hypot(mode->re, mode->im);
  mode->neutral = neutral;
  mode->frequency = mode->neutral ? 0 : size / TWO_PI;
  mode->damping = mode->neutral ? 0 : (0 - mode->re) / size; /* not −0 */
}

static bool comes_before(const cmb_eigenmode *a, const cmb_eigenmode *b)
{
  if (a->neutral != b->neutral) return a->neutral;
  double x = hypot(a->re, a->im), y = hypot(b->re, b->im);
  return x != y ? x < y : a->re < b->re;
}

/* Sorts `count` eigenmodes in place: first the neutral ones (eigenvalue 0 up to rounding), then by increasing absolute value of the eigenvalue,
 * and by the real part if these are equal. The sort is stable. */
static void sort(int count, cmb_eigenmode *modes)
{
  for (int i = 1; i < count; i++) {
    cmb_eigenmode mode = modes[i];
    int k = i;
    for (; k > 0 && comes_before(&mode, &modes[k - 1]); k--) modes[k] = modes[k - 1];
    modes[k] = mode;
  }
}

/* Lists in l the eigenmodes for the eigenvalues e->re + i e->im (m) and eigenvectors e->V of the state matrix, one for each real eigenvalue or
 * conjugate pair, with normalised mode shapes at position q (nq). Marks as neutral the modes whose eigenvalue cannot be distinguished from 0,
 * and displacements of the centre of a circular motion. */
static cmb_status collect_modes(struct eigen *e, cmb_arena *arena, const double *q,
                                cmb_linearization *l)
{
  const int m = size_of(e), count = e->ev->eq->nq + e->ev->eq->nz;
  double most = 0;
  for (int i = 0; i < m; i++) most = fmax(most, hypot(e->re[i], e->im[i]));
  const double neutral_below = sqrt(cmb_stiffness_noise(e->ev->eq)) * most;
  l->neutral_below = neutral_below;
  cmb_find_neutral(freedoms(e), m, e->A, cmb_stiffness_noise(e->ev->eq), neutral_below, e->re,
                   e->im, e->neutral, e->work);
  for (int i = 0; i < m; i++) {
    if (e->im[i] < 0) continue; /* the other one of a conjugate pair */
    cmb_eigenmode *mode = &e->modes[l->eigenmode_count++];
    double *re = cmb_arena_doubles(arena, count), *im = cmb_arena_doubles(arena, count);
    if (!re || !im) return cmb_fail_memory(e->ev->ctx);
    *mode = (cmb_eigenmode){.re = e->re[i], .im = e->im[i], .shape_re = re, .shape_im = im};
    compute_shape(e, q, e->V + (ptrdiff_t)i * m, re);
    if (mode->im > 0) compute_shape(e, q, e->V + (ptrdiff_t)(i + 1) * m, im);
    normalize(e->ev->eq, re, im, &mode->most);
    const bool circles =
        mode->im > 0 && is_displaced_circle(e, mode, e->V + (ptrdiff_t)i * m,
                                            e->V + (ptrdiff_t)(i + 1) * m, neutral_below);
    describe(mode, circles || e->neutral[i]);
    if (!cmb_all_finite(count, re) || !cmb_all_finite(count, im)) return CMB_RETRY_NONFINITE;
  }
  sort(l->eigenmode_count, e->modes);
  return CMB_OK;
}

/* Transforms the state matrix e->A of the linearised equations, in place, to the rotating frame of a steady motion, and subtracts
 * the frame's accelerations from e->a (nv). Does nothing if there is no such frame. */
static cmb_status transform_to_frame(struct eigen *e, cmb_arena *arena, double t, const double *q,
                                     const double *v)
{
  const int nv = e->ev->eq->nv;
  if (!e->frame) return CMB_OK;
  double *follow = cmb_arena_doubles(arena, nv * nv + 1);
  if (!follow) return cmb_fail_memory(e->ev->ctx);
  CMB_TRY(cmb_follow_at(&e->tangent, t, q, v, e->a, e->lambda, follow));
  cmb_linearize_seen_from(&e->tangent, e->frame->v_frame, follow, e->A);
  for (int i = 0; i < nv; i++) {
    e->a[i] -= cmb_dot(nv, e->frame->v_frame + (ptrdiff_t)i * nv, v);
  }
  return CMB_OK;
}

static cmb_status solve(struct eigen *e, cmb_arena *arena, double t, const double *q,
                        const double *v, cmb_linearization *l)
{
  CMB_TRY(cmb_accelerate_in_modes(e->ev, arena, t, q, v, e->a, e->lambda));
  CMB_TRY(cmb_linearize_at(&e->tangent, t, q, v, e->a, e->lambda, e->A));
  CMB_TRY(transform_to_frame(e, arena, t, q, v));
  const int m = size_of(e);
  memcpy(e->scratch_A, e->A, (size_t)m * (size_t)m * sizeof *e->A);
  if (!cmb_eigen_general(m, e->scratch_A, e->re, e->im, e->V, e->work)) return CMB_RETRY_NEWTON;
  *l = (cmb_linearization){.freedoms = freedoms(e),
                           .nq = e->ev->eq->nq,
                           .nv = e->ev->eq->nv,
                           .nz = e->ev->eq->nz,
                           .t = t,
                           .A = e->A,
                           .N = e->tangent.N,
                           .a = e->a,
                           .eigenmodes = e->modes};
  for (int i = 0; i < l->nv; i++) {
    if (fabs(e->a[i]) > fabs(e->a[l->a_most])) l->a_most = i;
  }
  return collect_modes(e, arena, q, l);
}

static cmb_status linearize(cmb_context *ctx, struct linearization *l, const cmb_equations *eq,
                            const cmb_steady_frame *frame, double t, const double *q,
                            const double *v)
{
  struct eigen e = {.frame = frame};
  CMB_TRY(cmb_evaluator_create(ctx, eq, &e.ev));
  e.ev->p = eq->p;
  cmb_status status = take_memory(&e, l->arena);
  if (status == CMB_OK) status = solve(&e, l->arena, t, q, v, &l->result);
  if (status == CMB_OK) {
    status = cmb_refuse_closed_gaps(e.ev, t, q, v, CMB_TOUCHING, "a linearisation");
  }
  if (status == CMB_OK) {
    status = cmb_refuse_stuck(e.ev, l->arena, t, q, v, e.lambda, "a linearisation");
  }
  status = cmb_no_linearization(e.ev, t, status);
  cmb_evaluator_destroy(e.ev);
  return status;
}

cmb_status cmb_linearize(cmb_context *ctx, const cmb_equations *eq, double t, const double *q,
                         const double *v, cmb_linearization **out)
{
  return cmb_linearize_in(ctx, eq, NULL, t, q, v, out);
}

cmb_status cmb_linearize_in(cmb_context *ctx, const cmb_equations *eq,
                            const cmb_steady_frame *frame, double t, const double *q,
                            const double *v, cmb_linearization **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_linearize needs a context and a place for its result");
  *out = NULL;
  CMB_TRY(cmb_equations_check(ctx, eq));
  CMB_REQUIRE(ctx, q && v && isfinite(t), "cmb_linearize needs a finite t, q and v");
  cmb_arena *arena = cmb_arena_create(ctx);
  struct linearization *l = arena ? cmb_arena_take(arena, 1, sizeof *l) : NULL;
  if (!l) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  l->arena = arena;
  cmb_status status = linearize(ctx, l, eq, frame, t, q, v);
  if (status != CMB_OK) {
    cmb_arena_destroy(arena);
    return status;
  }
  *out = &l->result;
  return CMB_OK;
}

void cmb_linearization_destroy(cmb_linearization *linearization)
{
  if (linearization) cmb_arena_destroy(((struct linearization *)linearization)->arena);
}
