/*
 * The source of terms for a real-time step of equations written in C (step_source.h). The values that these compute are inputs of the
 * step's programs, so each set of terms begins a new program. Values that several programs need are computed in each of them: programs for
 * equations in C are for trying methods out, those of models for real time.
 */
#include "base/context.h"
#include "expr/algebra.h"
#include "math/pattern.h"
#include "method/step_source.h"

#include <string.h>

/* Adds an evaluation of the user's equations written in C to the list s->call, at the time, positions and (unless at->v is NULL) velocities
 * given by expressions. Returns it in *out, to which the caller adds the requested terms. These become inputs of the expressions that are
 * evaluated after it in the step. */
static cmb_status begin_call(cmb_step_source *s, const cmb_step_point *at, cmb_step_call **out)
{
  const int nq = s->nq, nv = s->nv;
  cmb_step_call *call = *out = &s->call[s->call_count++];
  *call = (cmb_step_call){.velocities = at->v != NULL, .first = s->inputs};
  call->point = cmb_arena_take(s->arena, 1 + (size_t)nq + (size_t)nv, sizeof *call->point);
  if (!call->point) return cmb_fail_memory(s->ctx);
  call->point[0] = at->t;
  memcpy(call->point + 1, at->q, (size_t)nq * sizeof *at->q);
  if (at->v) memcpy(call->point + 1 + nq, at->v, (size_t)nv * sizeof *at->v);
  return CMB_OK;
}

/* Creates `count` inputs of the step's programs that receive a vector from user equations written in C, named after `name`; stores them in to
 * (count) and sets *flag, which requests the vector. Does nothing if `to` is NULL. */
static cmb_status vector_inputs(cmb_step_source *s, const char *name, int count, cmb_expr *to,
                                bool *flag)
{
  cmb_expr *input;
  if (!to) return CMB_OK;
  *flag = true;
  CMB_TRY(cmb_step_inputs(s, name, count, &input));
  memcpy(to, input, (size_t)count * sizeof *to);
  return CMB_OK;
}

/* Creates inputs of the step's programs for the entries of a matrix that user equations written in C compute, and stores them in `to` (rows x
 * columns), with zeros outside of the sparsity pattern (NULL: dense). Their names begin with `name`. Sets *flag, by which the caller requests
 * this matrix from the user's equations. Does nothing if `to` is NULL. */
static cmb_status matrix_inputs(cmb_step_source *s, const char *name, int rows, int columns,
                                const cmb_pattern *pattern, cmb_expr *to, bool *flag)
{
  cmb_expr *input;
  if (!to) return CMB_OK;
  if (!pattern) return vector_inputs(s, name, rows * columns, to, flag);
  *flag = true;
  memset(to, 0, (size_t)rows * (size_t)columns * sizeof *to);
  CMB_TRY(cmb_step_inputs(s, name, pattern->start[rows], &input));
  for (int i = 0; i < rows; i++) {
    for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
      to[i * columns + pattern->column[k]] = input[k];
    }
  }
  return CMB_OK;
}

/* Creates inputs of the step's programs that receive the mass matrix, which may be diagonal, from user equations written in C; stores them in
 * `to` (nv x nv), with zeros elsewhere, and sets *flag, which requests the matrix. Does nothing if `to` is NULL. */
static cmb_status mass_inputs(cmb_step_source *s, cmb_expr *to, bool *flag)
{
  cmb_expr *input;
  if (!to || !s->eq->mass_diagonal) {
    return matrix_inputs(s, "M", s->nv, s->nv, s->eq->M_pattern, to, flag);
  }
  *flag = true;
  memset(to, 0, (size_t)s->nv * (size_t)s->nv * sizeof *to);
  CMB_TRY(cmb_step_inputs(s, "M", s->nv, &input));
  for (int i = 0; i < s->nv; i++) to[i * s->nv + i] = input[i];
  return CMB_OK;
}

/* Requests an evaluation of user equations written in C at the point `at`, for those terms whose arrays in *want are not NULL. Creates the
 * inputs of the step's programs that receive these terms, and stores them in the arrays. The order of the inputs must be that in which
 * stepper.c fills them. */
static cmb_status terms(cmb_step_source *s, const cmb_step_point *at, const cmb_step_terms *want)
{
  cmb_step_call *call;
  CMB_TRY(begin_call(s, at, &call));
  CMB_TRY(mass_inputs(s, want->M, &call->M));
  CMB_TRY(vector_inputs(s, "f", s->nv, want->f, &call->f));
  CMB_TRY(vector_inputs(s, "g", s->ng, want->g, &call->g));
  CMB_TRY(matrix_inputs(s, "G", s->ng, s->nv, s->eq->G_pattern, want->G, &call->G));
  CMB_TRY(vector_inputs(s, "gamma", s->ng, want->gamma, &call->gamma));
  return vector_inputs(s, "gt", s->ng, want->gt, &call->gt);
}

/* Builds the derivative of the applied forces of user equations written in C, ∂f/∂x = −∂r/∂x for x = q or v, in *to (nv x columns). r is the
 * residual for zero accelerations and multipliers. Sets *flag, by which its derivative is requested, and creates the inputs of the step's
 * programs that receive it. */
static cmb_status take_forces(cmb_step_source *s, const char *name, cmb_derivative which,
                              int columns, cmb_expr **to, bool *flag)
{
  const int count = s->nv * columns;
  *to = cmb_arena_take(s->arena, (size_t)count, sizeof **to);
  if (!*to) return cmb_fail_memory(s->ctx);
  CMB_TRY(matrix_inputs(s, name, s->nv, columns, s->eq->derivative_pattern[which], *to, flag));
  for (int i = 0; i < count; i++) (*to)[i] = cmb_neg(s->graph, (*to)[i]);
  return CMB_OK;
}

/* Builds the matrix product C := A B of expressions, with A (rows x inner), B (inner x columns) and C (rows x columns). */
static void multiply(cmb_graph *g, int rows, int inner, int columns, const cmb_expr *A,
                     const cmb_expr *B, cmb_expr *C)
{
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) {
      cmb_expr sum = 0;
      for (int k = 0; k < inner; k++) {
        sum = cmb_add(g, sum, cmb_mul(g, A[i * inner + k], B[k * columns + j]));
      }
      C[i * columns + j] = sum;
    }
  }
}

/* Creates inputs of the step's programs that receive the matrix T(q) (nq x nv) of q̇ = T v from user equations written in C, and returns them
 * in *T. For the positions at the beginning of the step this is done only once. */
static cmb_status rate_matrix(cmb_step_source *s, const cmb_expr *q, cmb_expr **T)
{
  cmb_step_call *call;
  const bool first = q == s->q;
  *T = s->T;
  if (first && s->T) return CMB_OK;
  CMB_TRY(begin_call(s, &(cmb_step_point){s->t, q, NULL}, &call));
  call->T = true;
  CMB_TRY(cmb_step_inputs(s, "T", s->nq * s->nv, T));
  if (first) s->T = *T;
  return CMB_OK;
}

static cmb_status rates(cmb_step_source *s, const cmb_expr *q, const cmb_expr *v, cmb_expr *qdot)
{
  cmb_expr *T;
  if (!s->eq->rates) {
    memcpy(qdot, v, (size_t)s->nv * sizeof *v);
    return CMB_OK;
  }
  CMB_TRY(rate_matrix(s, q, &T));
  multiply(s->graph, s->nq, s->nv, 1, T, v, qdot);
  return cmb_graph_status(s->graph);
}

static cmb_status forces(cmb_step_source *s, cmb_expr *by_q, cmb_expr *by_v)
{
  const size_t size = (size_t)s->nv * (size_t)s->nv * sizeof(cmb_expr);
  cmb_step_call *call;
  cmb_expr *T;
  CMB_TRY(begin_call(s, &(cmb_step_point){s->t, s->q, s->v}, &call));
  CMB_TRY(take_forces(s, "f_q", CMB_RESIDUAL_Q, s->nq, &s->force_q, &call->force_q));
  if (by_v) CMB_TRY(take_forces(s, "f_v", CMB_RESIDUAL_V, s->nv, &s->force_v, &call->force_v));
  if (by_v) memcpy(by_v, s->force_v, size);
  if (by_q && !s->eq->rates) memcpy(by_q, s->force_q, size);
  if (!by_q || !s->eq->rates) return CMB_OK;
  CMB_TRY(rate_matrix(s, s->q, &T));
  multiply(s->graph, s->nv, s->nq, s->nv, s->force_q, T, by_q);
  return cmb_graph_status(s->graph);
}

static cmb_status along(cmb_step_source *s, const cmb_expr *direction, cmb_expr *result)
{
  multiply(s->graph, s->nv, s->nq, 1, s->force_q, direction, result);
  return cmb_graph_status(s->graph);
}

cmb_status cmb_step_calls(cmb_step_source *s)
{
  if (s->eq->normalize) {
    return cmb_fail(s->ctx, CMB_ERROR_ARGUMENT,
                    "'%s' is written in C and needs coordinates that are normalized, which this "
                    "method cannot do; expected another method",
                    s->eq->name);
  }
  s->terms = terms;
  s->forces = forces;
  s->along = along;
  s->rates = rates;
  return CMB_OK;
}
