/*
 * Computes transfer functions of linearised equations (cmb_transfer_create, camber/system.h): zeros, poles and gain of
 * c (s − A)⁻¹ b + d.
 *
 * E = [d c; b A], with rows and columns scaled to about equal size (Parlett and Reinsch 1969), is brought to Hessenberg form by
 * reflectors that leave its first row and column, those of output and input, separate. Where a subdiagonal entry is negligible, the
 * input does not reach the states behind it: they are cut off, and their eigenvalues are cancelled. Then the same with Eᵀ, whose
 * transfer function is that of E, for states that the output does not depend on (the staircase algorithm; Paige 1981). The rest is
 * minimal, its eigenvalues are the poles.
 *
 * The zeros are those s for which [d c; b A − s] is singular (Rosenbrock's system matrix). With b = (γ₁, 0, …) and d = 0, row 1 and
 * column 0 imply that the first state is 0 (Emami-Naeini and Van Dooren 1982): they are deleted, γ₁ is a factor of the gain, and
 * the rest has the same form, until its d, an entry of row 0, is not negligible. Then the zeros are the eigenvalues of A − b c/d.
 *
 * If rates of the input count, c (s − A)⁻¹ (b + s b') + d + s d' may have a zero more than poles. Divided by s − p it is a function
 * of the form above, that of the equations behind a filter ẇ = p w + u, whose state is their input:
 *
 *     E = [d'  c  d + p d';  b'  A  b + p b';  1  0  p].
 *
 * It has the same zeros, and in addition the pole p, which is removed again.
 *
 * The limit for negligible entries is tried from large to small. Each result is compared with c (s − A)⁻¹ b + d at points in the
 * right half-plane, far below to far above all eigenvalues; the first that agrees to GOOD is taken, else the best.
 */
#include "base/arena.h"
#include "base/context.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/finite.h"
#include "math/hessenberg.h"
#include "system/responses.h"

#include <complex.h>
#include <math.h>
#include <string.h>

enum { POINTS = 24 };

static const double NEGLIGIBLE[] = {1e-11, 1e-13, 1e-15, 0};
static const double GOOD = 1e-9, BAD = 1e-6;
/* an eigenvalue smaller than this part of the largest may be a multiple 0 */
static const double NEUTRAL = 1e-6;
/* a response smaller than this part of its terms is mostly rounding */
static const double SUM = 1e-5;
/* relative distance to a zero or pole within which responses are not compared */
static const double NEAR = 0.05;

struct transfer {
  cmb_transfer result; /* first, so that a pointer to it is a pointer to the whole */
  cmb_arena *arena;
};

/* Zeros and poles of one attempt. */
struct roots {
  double gain;
  double off;                            /* largest relative difference from the exact response */
  int zeros, poles, cancelled;           /* numbers of them */
  double complex *zero, *pole, *removed; /* (n) each; `removed` contains the cancelled ones */
};

struct root_search {
  cmb_context *ctx;
  int n;                  /* number of states, with that of a filter */
  double filter;          /* the filter's pole; 0: no filter */
  double *E;              /* ((n + 1) x (n + 1)) scaled equations [d c; b A] */
  double *W, *Q, *V;      /* ((n + 1) x (n + 1)) scratch */
  double *re, *im, *work; /* (n + 1) eigenvalues; scratch */
  /* points and the exact response; NaN where there is none */
  double complex s[POINTS], response[POINTS];
  double terms[POINTS]; /* size of the terms of the response */
  struct roots now, best;
};

/* ---- memory */

static double complex *take_complex(cmb_arena *arena, int count)
{
  return cmb_arena_take(arena, (size_t)count + 1, sizeof(double complex));
}

static cmb_status take_memory(struct root_search *k, cmb_arena *arena)
{
  const int m = k->n + 1;
  double **squares[] = {&k->E, &k->W, &k->Q, &k->V};
  for (int i = 0; i < 4; i++) *squares[i] = cmb_arena_doubles(arena, m * m);
  k->re = cmb_arena_doubles(arena, m);
  k->im = cmb_arena_doubles(arena, m);
  k->work = cmb_arena_doubles(arena, cmb_eigen_work(m, 0));
  for (int i = 0; i < 2; i++) {
    struct roots *r = i ? &k->best : &k->now;
    r->zero = take_complex(arena, k->n);
    r->pole = take_complex(arena, k->n);
    r->removed = take_complex(arena, k->n);
  }
  return cmb_arena_failed(arena) ? cmb_fail_memory(k->ctx) : CMB_OK;
}

/* ---- roots */

/* Computes the eigenvalues, into `to` (n), of the n x n diagonal block of W that begins at row and column `from`; the rows of W have `stride`
 * entries. Returns CMB_RETRY_NEWTON if the QR iteration does not converge. */
static cmb_status eigenvalues(struct root_search *k, const double *W, int stride, int from, int n,
                              double complex *to)
{
  double *A = k->Q;
  for (int i = 0; i < n; i++) {
    const double *row = W + (ptrdiff_t)(from + i) * stride + from;
    memcpy(A + (ptrdiff_t)i * n, row, (size_t)n * sizeof *A);
  }
  if (n > 0 && !cmb_eigen_general(n, A, k->re, k->im, k->V, k->work)) return CMB_RETRY_NEWTON;
  for (int i = 0; i < n; i++) to[i] = k->re[i] + k->im[i] * I;
  return CMB_OK;
}

/* Reduces the matrix k->W (*m x *m) to Hessenberg form and removes the states that its first column cannot reach. Their eigenvalues, which are
 * poles and zeros at the same time and cancel, are added to k->now.removed. Subdiagonal entries up to `negligible` times the Frobenius norm
 * count as 0. *m becomes the size of the remaining matrix. */
static cmb_status cut_off(struct root_search *k, double negligible, int *m)
{
  const int whole = *m;
  double *W = k->W;
  int left = 1;
  cmb_hessenberg(whole, W, k->Q, k->work);
  const double least = negligible * cmb_norm2(whole * whole, W);
  while (left < whole && fabs(W[(ptrdiff_t)left * whole + left - 1]) > least) left++;
  CMB_TRY(eigenvalues(k, W, whole, left, whole - left, k->now.removed + k->now.cancelled));
  k->now.cancelled += whole - left;
  for (int i = 0; i < left; i++) {
    memmove(W + (ptrdiff_t)i * left, W + (ptrdiff_t)i * whole, (size_t)left * sizeof *W);
  }
  *m = left;
  return CMB_OK;
}

static void transpose(int m, double *W)
{
  for (int i = 0; i < m; i++) {
    for (int j = 0; j < i; j++) {
      const double x = W[(ptrdiff_t)i * m + j];
      W[(ptrdiff_t)i * m + j] = W[(ptrdiff_t)j * m + i];
      W[(ptrdiff_t)j * m + i] = x;
    }
  }
}

/* Computes the zeros and the gain of a transfer function into k->now from the matrix k->W = [d c; b A] (m x m) in Hessenberg form of its
 * minimal realisation, which is overwritten. Entries of the first row below `negligible` times its norm count as 0; if all do, the gain is 0. */
static cmb_status find_zeros(struct root_search *k, double negligible, int m)
{
  double *W = k->W, gain = 1;
  const double least = negligible * cmb_norm2(m, W);
  int r = 0;
  for (; r < m && fabs(W[r]) <= least; r++) {
    if (r + 1 < m) gain *= W[(ptrdiff_t)(r + 1) * m + r];
  }
  if (r == m) { /* the input does not affect the output */
    k->now.gain = 0;
    k->now.zeros = 0;
    return CMB_OK;
  }
  k->now.gain = gain * W[r];
  k->now.zeros = m - 1 - r;
  for (int j = r + 1; j < m; j++) {
    W[(ptrdiff_t)(r + 1) * m + j] -= W[(ptrdiff_t)(r + 1) * m + r] / W[r] * W[j];
  }
  return eigenvalues(k, W, m, r + 1, m - 1 - r, k->now.zero);
}

/* ---- the comparison */

static double complex value_at(const struct roots *r, double complex s)
{
  double complex g = r->gain;
  const int most = r->zeros > r->poles ? r->zeros : r->poles;
  for (int i = 0; i < most; i++) { /* alternately, so that nothing overflows on the way */
    if (i < r->zeros) g *= s - r->zero[i];
    if (i < r->poles) g /= s - r->pole[i];
  }
  return g;
}

static bool is_near(int count, const double complex *roots, double complex s)
{
  for (int i = 0; i < count; i++) {
    if (cabs(s - roots[i]) < NEAR * cabs(s)) return true;
  }
  return false;
}

static double difference(const struct root_search *k)
{
  const struct roots *r = &k->now;
  double worst = 0;
  for (int i = 0; i < POINTS; i++) {
    const double complex s = k->s[i], exact = k->response[i];
    if (isnan(creal(exact)) || is_near(r->zeros, r->zero, s) || is_near(r->poles, r->pole, s)) {
      continue;
    }
    const double complex g = value_at(r, s);
    if (g == exact) continue;
    const double off = cabs(g - exact) / (cabs(exact) + SUM * k->terms[i]);
    worst = off <= worst ? worst : off; /* NaN stays */
  }
  return worst;
}

/* Chooses the points k->s of the complex plane at which computed transfer functions are compared with the exact response. Their absolute values
 * range from a tenth of the smallest to ten times the largest eigenvalue, except tiny ones, which may be 0; their angles are quasi-random, up
 * to 80°. */
static void choose_points(struct root_search *k, const double complex *eigenvalue)
{
  double low = INFINITY, high = 0;
  for (int i = 0; i < k->n; i++) high = fmax(high, cabs(eigenvalue[i]));
  for (int i = 0; i < k->n; i++) {
    const double size = cabs(eigenvalue[i]);
    if (size > NEUTRAL * high) low = fmin(low, size);
  }
  if (high == 0) low = high = 1;
  for (int i = 0; i < POINTS; i++) {
    const double size = low / 10 * pow(100 * high / low, (double)i / (POINTS - 1));
    const double angle = 1.4 * fmod(i * 0.6180339887498949, 1);
    k->s[i] = size * (cos(angle) + sin(angle) * I);
  }
}

/* Creates in *space the state space of the scaled equations k->E = [d c; b A] with one input. Its outputs are the output of the transfer
 * function, followed by all states. */
static cmb_status make_space(const struct root_search *k, cmb_arena *arena, cmb_state_space *space)
{
  const int n = k->n, m = n + 1;
  double *A = cmb_arena_doubles(arena, n * n + 1), *B = cmb_arena_doubles(arena, n + 1);
  double *C = cmb_arena_doubles(arena, m * n + 1), *D = cmb_arena_doubles(arena, m);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(k->ctx);
  D[0] = k->E[0];
  for (int i = 0; i < n; i++) {
    const double *row = k->E + (ptrdiff_t)(1 + i) * m;
    B[i] = row[0];
    memcpy(A + (ptrdiff_t)i * n, row + 1, (size_t)n * sizeof *A);
    C[i] = k->E[1 + i];
    C[(ptrdiff_t)(1 + i) * n + i] = 1;
  }
  *space = (cmb_state_space){.nx = n, .nu = 1, .ny = m, .A = A, .B = B, .C = C, .D = D};
  return CMB_OK;
}

/* Computes the exact frequency response of the scaled equations at all frequencies at which it is compared with its poles and zeros, into
 * k->response (NaN at an eigenvalue), and the size of the terms that are added up in it, which determines its rounding errors, into k->terms. */
static cmb_status compute_responses(struct root_search *k, cmb_arena *arena)
{
  cmb_state_space space = {0};
  CMB_TRY(make_space(k, arena, &space));
  double *all = cmb_arena_doubles(arena, 2 * space.ny);
  if (!all) return cmb_fail_memory(k->ctx);
  for (int i = 0; i < POINTS; i++) {
    const cmb_status status = cmb_response_at(k->ctx, &space, creal(k->s[i]), cimag(k->s[i]), all);
    if (status < 0) return status;
    k->response[i] = status == CMB_OK ? all[0] + all[1] * I : NAN;
    k->terms[i] = fabs(k->E[0]) + cmb_largest(k->n, k->E + 1) * cmb_largest(2 * k->n, all + 2);
  }
  return CMB_OK;
}

/* ---- attempts */

/* Cancels in r each pair of a zero and a pole that coincide to the accuracy GOOD, except poles at 0, and adds these poles to the cancelled
 * eigenvalues. */
static void cancel_pairs(struct roots *r)
{
  for (int i = r->zeros - 1; i >= 0; i--) {
    int nearest = 0;
    for (int k = 1; k < r->poles; k++) {
      if (cabs(r->pole[k] - r->zero[i]) < cabs(r->pole[nearest] - r->zero[i])) nearest = k;
    }
    const double size = r->poles > 0 ? cabs(r->pole[nearest]) : 0;
    if (!(size > 0 && cabs(r->pole[nearest] - r->zero[i]) <= GOOD * size)) continue;
    r->removed[r->cancelled++] = r->pole[nearest];
    r->pole[nearest] = r->pole[--r->poles];
    r->zero[i] = r->zero[--r->zeros];
  }
}

static cmb_status attempt(struct root_search *k, double negligible)
{
  int m = k->n + 1;
  memcpy(k->W, k->E, (size_t)m * (size_t)m * sizeof *k->W);
  k->now.cancelled = 0;
  CMB_TRY(cut_off(k, negligible, &m));
  transpose(m, k->W);
  CMB_TRY(cut_off(k, negligible, &m));
  k->now.poles = m - 1;
  CMB_TRY(eigenvalues(k, k->W, m, 1, m - 1, k->now.pole));
  CMB_TRY(find_zeros(k, negligible, m));
  cancel_pairs(&k->now);
  k->now.off = difference(k);
  return CMB_OK;
}

/* Computes zeros and poles with a sequence of limits below which entries are negligible, until a result agrees with the exact response to the
 * accuracy GOOD. k->best becomes this result or, if none agrees, the most accurate one. */
static cmb_status try_all(struct root_search *k)
{
  k->best.off = INFINITY;
  for (size_t i = 0; i < sizeof NEGLIGIBLE / sizeof *NEGLIGIBLE && !(k->best.off <= GOOD); i++) {
    CMB_TRY(attempt(k, NEGLIGIBLE[i]));
    if (!(k->now.off < k->best.off)) continue;
    const struct roots worse = k->best;
    k->best = k->now;
    k->now = worse;
  }
  return CMB_OK;
}

/* Sets k->E ((n + 1) x (n + 1)) to the matrix [d c; b A] of one input and one output of a state space, and scales its rows and
 * columns to about equal size. */
static void fill_equations(struct root_search *k, const cmb_state_space *s, int input, int output)
{
  const int n = k->n, m = n + 1;
  k->E[0] = s->D[output * s->nu + input];
  for (int i = 0; i < n; i++) {
    k->E[1 + i] = s->C[(ptrdiff_t)output * n + i];
    k->E[(ptrdiff_t)(1 + i) * m] = s->B[i * s->nu + input];
    memcpy(k->E + (ptrdiff_t)(1 + i) * m + 1, s->A + (ptrdiff_t)i * n, (size_t)n * sizeof *k->E);
  }
  cmb_even_out(m, k->E, k->re);
}

/* ---- rates of the input */

/* Returns whether the rate of the given input affects the states or the given output. */
static bool has_rates(const cmb_state_space *s, int input, int output)
{
  if (!s->B_rate) return false;
  for (int i = 0; i < s->nx; i++) {
    if (s->B_rate[i * s->nu + input] != 0) return true;
  }
  return s->D_rate[output * s->nu + input] != 0;
}

/* Creates in *to a state space with one input and one output: a first-order filter ẇ = p w + u, whose state w is the input of the system s. The
 * pole p < 0, also stored in k->filter, is chosen larger in magnitude than all eigenvalues of s. */
static cmb_status fill_filter(struct root_search *k, cmb_arena *arena, const cmb_state_space *s,
                              int input, int output, cmb_state_space *to)
{
  const int n = s->nx, m = n + 1;
  double *A = cmb_arena_doubles(arena, m * m), *B = cmb_arena_doubles(arena, m);
  double *C = cmb_arena_doubles(arena, m), *D = cmb_arena_doubles(arena, 1), largest = 0;
  if (cmb_arena_failed(arena)) return cmb_fail_memory(k->ctx);
  CMB_TRY(eigenvalues(k, s->A, n, 0, n, k->now.pole));
  for (int i = 0; i < n; i++) largest = fmax(largest, cabs(k->now.pole[i]));
  const double p = k->filter = largest > 0 ? -1.6180339887498949 * largest : -1;
  for (int i = 0; i < n; i++) {
    const double rate = s->B_rate[i * s->nu + input];
    memcpy(A + (ptrdiff_t)i * m, s->A + (ptrdiff_t)i * n, (size_t)n * sizeof *A);
    A[(ptrdiff_t)i * m + n] = s->B[i * s->nu + input] + p * rate;
    B[i] = rate;
    C[i] = s->C[(ptrdiff_t)output * n + i];
  }
  D[0] = s->D_rate[output * s->nu + input];
  A[(ptrdiff_t)n * m + n] = p, B[n] = 1;
  C[n] = s->D[output * s->nu + input] + p * D[0];
  *to = (cmb_state_space){.nx = m, .nu = 1, .ny = 1, .A = A, .B = B, .C = C, .D = D};
  return CMB_OK;
}

static int nearest_to(double p, int count, const double complex *x)
{
  int best = -1;
  for (int i = 0; i < count; i++) {
    if (best < 0 || cabs(x[i] - p) < cabs(x[best] - p)) best = i;
  }
  return best;
}

/* Removes the pole p = k->filter of the auxiliary filter from the result r, where fill_filter() had multiplied the transfer function by 1/(s −
 * p): deletes the value nearest to p among the poles r->pole and the cancelled eigenvalues r->removed. If p had been cancelled, adds a zero at
 * p, unless the gain is 0. */
static void remove_filter(const struct root_search *k, struct roots *r)
{
  const double p = k->filter;
  const int pole = nearest_to(p, r->poles, r->pole),
            removed = nearest_to(p, r->cancelled, r->removed);
  if (pole >= 0 && (removed < 0 || cabs(r->pole[pole] - p) <= cabs(r->removed[removed] - p))) {
    r->pole[pole] = r->pole[--r->poles];
    return;
  }
  if (removed < 0) return;
  r->removed[removed] = r->removed[--r->cancelled];
  if (r->gain != 0) r->zero[r->zeros++] = p;
}

/* ---- the result */

/* Returns whether root a comes before root b in the results: by absolute value, then by larger real part, and then the one above the real axis. */
static bool comes_before(double complex a, double complex b)
{
  const double x = cabs(a), y = cabs(b);
  if (x != y) return x < y;
  return creal(a) != creal(b) ? creal(a) > creal(b) : cimag(a) > cimag(b);
}

static double *copy_sorted(cmb_arena *arena, int count, double complex *x)
{
  double *to = cmb_arena_doubles(arena, 2 * count + 1);
  for (int i = 1; i < count; i++) {
    const double complex kept = x[i];
    int j = i;
    for (; j > 0 && comes_before(kept, x[j - 1]); j--) x[j] = x[j - 1];
    x[j] = kept;
  }
  for (int i = 0; to && i < count; i++) to[2 * i] = creal(x[i]), to[2 * i + 1] = cimag(x[i]);
  return to;
}

/* Computes the coefficients of the polynomial lead · Π (s − x_i) with `count` roots x_i, highest power first. Returns NULL if one
 * is not finite or memory runs out. */
static double *expand(cmb_arena *arena, double lead, int count, const double complex *x)
{
  double complex *p = take_complex(arena, count);
  double *to = cmb_arena_doubles(arena, count + 1);
  if (!p || !to) return NULL;
  p[0] = lead;
  for (int i = 0; i < count; i++) {
    p[i + 1] = 0;
    for (int j = i + 1; j > 0; j--) p[j] -= x[i] * p[j - 1];
  }
  for (int i = 0; i <= count; i++) to[i] = creal(p[i]);
  return cmb_all_finite(count + 1, to) ? to : NULL;
}

static cmb_status store_best(struct root_search *k, cmb_arena *arena, cmb_transfer *to)
{
  struct roots *r = &k->best;
  for (; r->gain == 0 && r->poles > 0; r->poles--)
    r->removed[r->cancelled++] = r->pole[r->poles - 1];
  *to = (cmb_transfer){.gain = r->gain,
                       .zero_count = r->zeros,
                       .pole_count = r->poles,
                       .cancelled_count = r->cancelled,
                       .off = r->off};
  to->zeros = copy_sorted(arena, r->zeros, r->zero);
  to->poles = copy_sorted(arena, r->poles, r->pole);
  to->cancelled = copy_sorted(arena, r->cancelled, r->removed);
  to->numerator = expand(arena, r->gain, r->zeros, r->zero);
  to->denominator = expand(arena, 1, r->poles, r->pole);
  if (!to->numerator || !to->denominator) to->numerator = to->denominator = NULL;
  return cmb_arena_failed(arena) ? cmb_fail_memory(k->ctx) : CMB_OK;
}

static cmb_status find(struct root_search *k, const cmb_state_space *space, int input, int output,
                       cmb_arena *scratch)
{
  CMB_TRY(eigenvalues(k, space->A, k->n, 0, k->n, k->now.pole));
  choose_points(k, k->now.pole);
  fill_equations(k, space, input, output);
  CMB_TRY(compute_responses(k, scratch));
  CMB_TRY(try_all(k));
  if (k->best.off <= BAD && isfinite(k->best.gain)) return CMB_OK;
  return cmb_fail(
      k->ctx, CMB_ERROR_EQUATIONS,
      "the zeros and poles that were found are not accurate: the best ones miss the response by "
      "%.2g of its size",
      k->best.off);
}

static cmb_status create(struct transfer *t, const cmb_state_space *space, int input, int output,
                         struct root_search *k)
{
  cmb_arena *scratch = cmb_arena_create(k->ctx);
  if (!scratch) return cmb_fail_memory(k->ctx);
  cmb_status status = take_memory(k, scratch);
  cmb_state_space filtered = {0};
  const bool rates = has_rates(space, input, output);
  if (status == CMB_OK && rates) status = fill_filter(k, scratch, space, input, output, &filtered);
  if (status == CMB_OK) {
    status = rates ? find(k, &filtered, 0, 0, scratch) : find(k, space, input, output, scratch);
  }
  if (status == CMB_OK && rates) remove_filter(k, &k->best);
  if (status > 0) {
    status = cmb_fail(k->ctx, CMB_ERROR_EQUATIONS,
                      "no zeros and poles: the iteration for eigenvalues did not converge");
  }
  if (status == CMB_OK) status = store_best(k, t->arena, &t->result);
  cmb_arena_destroy(scratch);
  return status;
}

static bool is_finite(const cmb_state_space *s)
{
  return cmb_all_finite(s->nx * s->nx, s->A) && cmb_all_finite(s->nx * s->nu, s->B) &&
         cmb_all_finite(s->ny * s->nx, s->C) && cmb_all_finite(s->ny * s->nu, s->D) &&
         (!s->B_rate ||
          (cmb_all_finite(s->nx * s->nu, s->B_rate) && cmb_all_finite(s->ny * s->nu, s->D_rate)));
}

cmb_status cmb_transfer_create(cmb_context *ctx, const cmb_state_space *space, int input,
                               int output, cmb_transfer **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_transfer_create needs a context and a place for its result");
  *out = NULL;
  CMB_REQUIRE(ctx, space && input >= 0 && input < space->nu && output >= 0 && output < space->ny,
              "cmb_transfer_create needs equations, one of their inputs and one of their outputs");
  CMB_REQUIRE(ctx, is_finite(space), "cmb_transfer_create needs finite matrices");
  cmb_arena *arena = cmb_arena_create(ctx);
  struct transfer *t = arena ? cmb_arena_take(arena, 1, sizeof *t) : NULL;
  struct root_search k = {.ctx = ctx, .n = space->nx + has_rates(space, input, output)};
  if (!t) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  t->arena = arena;
  const cmb_status status = create(t, space, input, output, &k);
  if (status == CMB_OK)
    *out = &t->result;
  else
    cmb_arena_destroy(arena);
  return status;
}

void cmb_transfer_destroy(cmb_transfer *transfer)
{
  if (transfer) cmb_arena_destroy(((struct transfer *)transfer)->arena);
}
