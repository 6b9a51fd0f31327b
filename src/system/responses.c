/*
 * Responses of linearised equations (camber/system.h): the frequency response C (s − A)⁻¹ (B + s B') + D + s D' with s = iω; and
 * step responses, by the exponential of the equations extended by the constant input,
 *
 *     d/dt (x, u) = [A B; 0 0] (x, u),   x = B' at the beginning: the rate of a step is an impulse.
 */
#include "system/responses.h"
#include "base/arena.h"
#include "base/context.h"
#include "base/text.h"
#include "math/dense.h"
#include "math/exponential.h"
#include "math/finite.h"

#include <camber/system.h>
#include <math.h>
#include <string.h>

/* Returns entry i of a matrix that multiplies the rates of inputs; 0 if the matrix is NULL. */
static double rate_of(const double *rates, int i)
{
  return rates ? rates[i] : 0;
}

static cmb_status fill_response(cmb_context *ctx, cmb_arena *arena, const cmb_state_space *s,
                                double re, double im, double *response)
{
  const int n = s->nx;
  double *W = cmb_arena_doubles(arena, 2 * n * n + 1), *scale = cmb_arena_doubles(arena, n + 1);
  double *x = cmb_arena_doubles(arena, 2 * n + 1);
  int *pivot = cmb_arena_ints(arena, n + 1);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < n * n; i++) W[2 * i] = -s->A[i];
  for (int i = 0; i < n; i++) W[2 * (i * n + i)] += re, W[2 * (i * n + i) + 1] = im;
  CMB_TRY(cmb_lu_factor_complex(n, W, scale, pivot));
  for (int k = 0; k < s->nu; k++) {
    for (int i = 0; i < n; i++) {
      const double rate = rate_of(s->B_rate, i * s->nu + k);
      x[2 * i] = s->B[i * s->nu + k] + re * rate, x[2 * i + 1] = im * rate;
    }
    cmb_lu_solve_complex(n, W, pivot, x);
    for (int j = 0; j < s->ny; j++) {
      double *to = response + 2 * ((ptrdiff_t)j * s->nu + k);
      const double rate = rate_of(s->D_rate, j * s->nu + k);
      to[0] = s->D[j * s->nu + k] + re * rate, to[1] = im * rate;
      for (int i = 0; i < n; i++) {
        to[0] += s->C[j * n + i] * x[2 * i];
        to[1] += s->C[j * n + i] * x[2 * i + 1];
      }
    }
  }
  return CMB_OK;
}

cmb_status cmb_response_at(cmb_context *ctx, const cmb_state_space *space, double re, double im,
                           double *response)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = fill_response(ctx, arena, space, re, im, response);
  cmb_arena_destroy(arena);
  return status;
}

cmb_status cmb_state_space_response(cmb_context *ctx, const cmb_state_space *space, double omega,
                                    double *response)
{
  CMB_REQUIRE(ctx, ctx && space && response && isfinite(omega),
              "cmb_state_space_response needs equations, a finite frequency and room");
  cmb_status status = cmb_response_at(ctx, space, 0, omega, response);
  if (status <= 0) return status;
  return cmb_fail(ctx, CMB_ERROR_EQUATIONS,
                  "no response at %s rad/s: the linearised equations have an eigenvalue with this "
                  "imaginary part and the real part 0",
                  cmb_shortest(omega).text);
}

/* Computes the matrix W = dt [A b; 0 0] ((nx + 1) x (nx + 1)), where b is column k of B. Its exponential advances ẋ = A x + b u by the time dt
 * if u is constant. */
static void fill_extended_matrix(const cmb_state_space *s, int k, double dt, double *W)
{
  const int n = s->nx, m = n + 1;
  memset(W, 0, (size_t)m * (size_t)m * sizeof *W);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) W[i * m + j] = dt * s->A[i * n + j];
    W[i * m + n] = dt * s->B[i * s->nu + k];
  }
}

static cmb_status fill_step(cmb_context *ctx, cmb_arena *arena, const cmb_state_space *s, int k,
                            double dt, int points, double *y)
{
  const int n = s->nx, m = n + 1;
  double *W = cmb_arena_doubles(arena, m * m), *E = cmb_arena_doubles(arena, m * m);
  double *work = cmb_arena_doubles(arena, 2 * m * m), *x = cmb_arena_doubles(arena, m);
  double *next = cmb_arena_doubles(arena, m);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  fill_extended_matrix(s, k, dt, W);
  cmb_status status = cmb_exponential(m, W, E, work);
  for (int i = 0; i < n; i++) x[i] = rate_of(s->B_rate, i * s->nu + k);
  x[n] = 1;
  for (int i = 0; i < points && status == CMB_OK; i++) {
    for (int j = 0; j < s->ny; j++) {
      y[i * s->ny + j] = cmb_dot(n, s->C + (ptrdiff_t)j * n, x) + s->D[j * s->nu + k];
    }
    for (int j = 0; j < m; j++) next[j] = cmb_dot(m, E + (ptrdiff_t)j * m, x);
    memcpy(x, next, (size_t)m * sizeof *x);
    if (!cmb_all_finite(m, x)) status = CMB_RETRY_NONFINITE;
  }
  if (status == CMB_OK) return status;
  return cmb_fail(ctx, CMB_ERROR_EQUATIONS,
                  "the step response exceeds the range of numbers within %g s", dt * points);
}

cmb_status cmb_state_space_step(cmb_context *ctx, const cmb_state_space *space, int k, double dt,
                                int points, double *y)
{
  CMB_REQUIRE(ctx, ctx && space && y && isfinite(dt) && points > 0 && k >= 0 && k < space->nu,
              "cmb_state_space_step needs equations, one of their inputs, a time and room");
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = fill_step(ctx, arena, space, k, dt, points, y);
  cmb_arena_destroy(arena);
  return status;
}
