/*
 * A, B, C, D (camber/system.h) from the linearised equations in free motions (linearize.h):
 *
 *     ξ = (z, y),   δq = T N z,   δv = N y − R H N z,   ξ̇ = A₀ ξ + B₀ u,   B₀ = (0, −Nᵀ ∂r/∂u)
 *
 * What the user gets are changes of coordinates and velocities by their names, x = S ξ, S made of the rows of T N, and of N and −R H N, that
 * belong to the chosen ones: A = S A₀ S⁻¹, B = S B₀. The coordinates are chosen one after the other, each the one that those before
 * determine least. Outputs depend on accelerations and multipliers, too; their changes along each x and u are central differences of fourth
 * order in that direction, with accelerations and multipliers computed at each place.
 */
#include "base/context.h"
#include "dae/attach.h"
#include "dae/derivative.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/finite.h"
#include "system/gaps.h"
#include "system/linearize.h"

#include <math.h>
#include <string.h>

struct space {
  cmb_state_space seen; /* first, so that a pointer to it is a pointer to the whole */
  cmb_arena *arena;
  cmb_evaluator *ev;
  cmb_differences *differences;
  cmb_tangent tangent;
  double t;
  const double *q, *v; /* the state */
  const int *parameter, *output;
  int n;                      /* degrees of freedom */
  double *a, *lambda;         /* (nv), (ng) */
  double *A, *B, *C, *D;      /* in the end those of x */
  double *follow;             /* (n x nv) −R H N */
  double *dq;                 /* (n x nq) T N_j */
  int *coordinate, *velocity; /* (nq), (nv) the first n are chosen */
  double *S, *inverse;        /* (nx x nx) */
  double *scratch;            /* (nx x nx) */
  int *pivot;                 /* (nx) */
  double *q_there, *v_there, *a_there, *lambda_there, *p_there; /* (nq), (nv), (nv), (ng), (np) */
  double *out, *change;                                         /* (no) */
};

static cmb_status take_memory(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  cmb_arena *a = s->arena;
  const int most = 2 * eq->nv, nv = eq->nv, nq = eq->nq;
  const struct {
    double **array;
    int size;
  } arrays[] = {{&s->a, nv},
                {&s->lambda, eq->ng},
                {&s->A, most * most},
                {&s->B, most * s->seen.nu},
                {&s->C, most * s->seen.ny},
                {&s->D, s->seen.ny * s->seen.nu},
                {&s->follow, nv * nv},
                {&s->dq, nv * nq},
                {&s->S, most * most},
                {&s->inverse, most * most},
                {&s->scratch, most * most},
                {&s->q_there, nq},
                {&s->v_there, nv},
                {&s->a_there, nv},
                {&s->lambda_there, eq->ng},
                {&s->p_there, eq->np},
                {&s->out, eq->no},
                {&s->change, eq->no}};
  CMB_TRY(cmb_tangent_create(&s->tangent, a, s->ev));
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i].array = cmb_arena_doubles(a, arrays[i].size + 1);
  }
  s->coordinate = cmb_arena_ints(a, nq + 1);
  s->velocity = cmb_arena_ints(a, nv + 1);
  s->pivot = cmb_arena_ints(a, most + 1);
  if (cmb_arena_failed(a)) return cmb_fail_memory(s->ev->ctx);
  return cmb_differences_create(s->ev, &s->differences);
}

/* ---- the unknowns */

/* The first n of `order` become the rows of W (rows x n), given by its columns (n x rows), that determine the others best. */
static cmb_status choose(struct space *s, int rows, const double *columns, int *order)
{
  const int n = s->n;
  double *W = cmb_arena_doubles(s->arena, rows * n + 1),
         *beta = cmb_arena_doubles(s->arena, 2 * rows + 1);
  if (!W || !beta) return cmb_fail_memory(s->ev->ctx);
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < n; j++) W[i * n + j] = columns[j * rows + i];
  }
  cmb_reduce_rows(rows, n, -1, W, order, beta, beta + rows);
  for (int i = 1; i < n; i++) { /* in their own order */
    const int kept = order[i];
    int k = i;
    for (; k > 0 && order[k - 1] > kept; k--) order[k] = order[k - 1];
    order[k] = kept;
  }
  return CMB_OK;
}

/* S, and its inverse by columns. */
static cmb_status transform(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  const int n = s->n, nv = eq->nv, nq = eq->nq, nx = s->seen.nx;
  const double *N = s->tangent.N;
  memset(s->S, 0, (size_t)nx * (size_t)nx * sizeof *s->S);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      s->S[i * nx + j] = s->dq[j * nq + s->coordinate[i]];
      s->S[(n + i) * nx + j] = s->follow[j * nv + s->velocity[i]];
      s->S[(n + i) * nx + n + j] = N[j * nv + s->velocity[i]];
    }
  }
  for (int i = 2 * n; i < nx; i++) s->S[i * nx + i] = 1;
  memcpy(s->scratch, s->S, (size_t)nx * (size_t)nx * sizeof *s->S);
  double *scale = cmb_arena_doubles(s->arena, nx + 1);
  if (!scale) return cmb_fail_memory(s->ev->ctx);
  CMB_TRY(cmb_lu_factor(nx, s->scratch, scale, s->pivot));
  for (int j = 0; j < nx; j++) {
    double *column = s->inverse + (ptrdiff_t)j * nx;
    memset(column, 0, (size_t)nx * sizeof *column);
    column[j] = 1;
    cmb_lu_solve(nx, s->scratch, s->pivot, column);
  }
  return CMB_OK;
}

static cmb_status name_unknowns(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  const char **names = cmb_arena_take(s->arena, (size_t)s->seen.nx + 1, sizeof(void *));
  if (!names) return cmb_fail_memory(s->ev->ctx);
  for (int i = 0; i < s->n; i++) {
    names[i] = eq->q_names[s->coordinate[i]];
    names[s->n + i] = eq->v_names[s->velocity[i]];
  }
  for (int i = 0; i < eq->nz; i++) names[2 * s->n + i] = eq->v_names[eq->nv - eq->nz + i];
  s->seen.x_names = names;
  return CMB_OK;
}

/* ---- A and B */

/* A := S A S⁻¹ */
static void turn_A(struct space *s)
{
  const int nx = s->seen.nx;
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++) {
      const double *column = s->inverse + (ptrdiff_t)j * nx;
      s->scratch[j * nx + i] = cmb_dot(nx, s->A + (ptrdiff_t)i * nx, column);
    }
  }
  for (int i = 0; i < nx; i++) {
    for (int j = 0; j < nx; j++) {
      s->A[i * nx + j] = cmb_dot(nx, s->S + (ptrdiff_t)i * nx, s->scratch + (ptrdiff_t)j * nx);
    }
  }
}

/* Entry (i, j) of a matrix on a pattern; NULL: dense. */
static double entry(const cmb_pattern *p, int columns, const double *J, int i, int j)
{
  if (!p) return J[i * columns + j];
  for (int k = p->start[i]; k < p->start[i + 1]; k++) {
    if (p->column[k] == j) return J[k];
  }
  return 0;
}

/* A parameter on which constraints depend moves bodies by itself, and its rates count as well. */
static cmb_status refuse_drives(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  const cmb_pattern *p = eq->derivative_pattern[CMB_POSITION_P];
  double *J = cmb_arena_doubles(s->arena, cmb_pattern_values(p, eq->ng, eq->np) + 1);
  if (!J) return cmb_fail_memory(s->ev->ctx);
  if (eq->ng == 0) return CMB_OK;
  CMB_TRY(cmb_derivative_at(s->differences, s->t, s->q, s->v, s->a, s->lambda, CMB_POSITION_P, J));
  for (int k = 0; k < s->seen.nu; k++) {
    for (int i = 0; i < eq->ng; i++) {
      if (entry(p, eq->np, J, i, s->parameter[k]) == 0) continue;
      const char *name = eq->p_names[s->parameter[k]];
      return cmb_fail_about(s->ev->ctx, CMB_ERROR_INPUT, cmb_about_thing("input", name),
                            "'%s' moves the constraint '%s', so that its rates count as well; "
                            "expected an input on which only forces and states depend",
                            name, eq->g_names[i]);
    }
  }
  return CMB_OK;
}

static cmb_status find_B(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  const int nu = s->seen.nu, nx = s->seen.nx, nv = eq->nv;
  const cmb_pattern *p = eq->derivative_pattern[CMB_RESIDUAL_P];
  double *J = cmb_arena_doubles(s->arena, cmb_pattern_values(p, nv, eq->np) + 1);
  double *column = cmb_arena_doubles(s->arena, nx + 1), *r = cmb_arena_doubles(s->arena, nv + 1);
  if (cmb_arena_failed(s->arena)) return cmb_fail_memory(s->ev->ctx);
  if (nu == 0) return CMB_OK;
  CMB_TRY(refuse_drives(s));
  CMB_TRY(cmb_derivative_at(s->differences, s->t, s->q, s->v, s->a, s->lambda, CMB_RESIDUAL_P, J));
  for (int k = 0; k < nu; k++) {
    for (int i = 0; i < nv; i++) r[i] = entry(p, eq->np, J, i, s->parameter[k]);
    for (int i = 0; i < s->tangent.n; i++) {
      column[s->n + i] = -cmb_dot(nv, s->tangent.N + (ptrdiff_t)i * nv, r);
    }
    for (int i = 0; i < nx; i++) {
      s->B[i * nu + k] = cmb_dot(nx, s->S + (ptrdiff_t)i * nx, column);
    }
  }
  return CMB_OK;
}

/* ---- C and D */

/* A direction: changes of positions, velocities and one parameter. */
struct direction {
  const double *q, *v; /* (nq), (nv) */
  int parameter;       /* -1: none */
};

/* The outputs a part h of the direction away. */
static cmb_status outputs_at(struct space *s, const struct direction *d, double h)
{
  const cmb_equations *eq = s->ev->eq;
  for (int i = 0; i < eq->nq; i++) s->q_there[i] = s->q[i] + (d->q ? h * d->q[i] : 0);
  for (int i = 0; i < eq->nv; i++) s->v_there[i] = s->v[i] + (d->v ? h * d->v[i] : 0);
  for (int i = 0; i < eq->np; i++) s->p_there[i] = eq->p[i] + (i == d->parameter ? h : 0);
  s->ev->p = s->p_there;
  cmb_status status =
      cmb_accelerate(s->ev, s->t, s->q_there, s->v_there, s->a_there, s->lambda_there);
  if (status == CMB_OK) {
    status = cmb_outputs(s->ev, s->t, s->q_there, s->v_there, s->a_there, s->lambda_there, s->out);
  }
  s->ev->p = NULL;
  return status;
}

static double largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; x && i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* s->change = the outputs' derivative in this direction. */
static cmb_status along(struct space *s, const struct direction *d)
{
  static const double at[4] = {-2, -1, 1, 2},
                      weight[4] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};
  const cmb_equations *eq = s->ev->eq;
  const double size = fmax(largest(eq->nq, d->q), largest(eq->nv, d->v));
  const double base = d->parameter >= 0 ? 1 + fabs(eq->p[d->parameter]) : 1;
  const double h = 1e-3 * base / (size > 0 ? size : 1);
  memset(s->change, 0, (size_t)eq->no * sizeof *s->change);
  for (int k = 0; k < 4; k++) {
    CMB_TRY(outputs_at(s, d, at[k] * h));
    cmb_add_scaled(eq->no, weight[k] / h, s->out, s->change);
  }
  return cmb_all_finite(eq->no, s->change) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* The changes of q and v that the unknown ξ of this vector makes. */
static void direction_of(const struct space *s, const double *xi, double *dq, double *dv)
{
  const cmb_equations *eq = s->ev->eq;
  const int n = s->n, nv = eq->nv;
  memset(dq, 0, (size_t)eq->nq * sizeof *dq);
  memset(dv, 0, (size_t)nv * sizeof *dv);
  for (int j = 0; j < n; j++) {
    cmb_add_scaled(eq->nq, xi[j], s->dq + (ptrdiff_t)j * eq->nq, dq);
    cmb_add_scaled(nv, xi[j], s->follow + (ptrdiff_t)j * nv, dv);
  }
  for (int j = 0; j < s->tangent.n; j++) {
    cmb_add_scaled(nv, xi[n + j], s->tangent.N + (ptrdiff_t)j * nv, dv);
  }
}

static cmb_status find_C_and_D(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  const int nx = s->seen.nx, ny = s->seen.ny, nu = s->seen.nu;
  double *dq = cmb_arena_doubles(s->arena, eq->nq), *dv = cmb_arena_doubles(s->arena, eq->nv);
  if (cmb_arena_failed(s->arena)) return cmb_fail_memory(s->ev->ctx);
  for (int j = 0; j < nx && ny > 0; j++) {
    direction_of(s, s->inverse + (ptrdiff_t)j * nx, dq, dv);
    CMB_TRY(along(s, &(struct direction){dq, dv, -1}));
    for (int i = 0; i < ny; i++) s->C[i * nx + j] = s->change[s->output[i]];
  }
  for (int k = 0; k < nu && ny > 0; k++) {
    CMB_TRY(along(s, &(struct direction){NULL, NULL, s->parameter[k]}));
    for (int i = 0; i < ny; i++) s->D[i * nu + k] = s->change[s->output[i]];
  }
  return CMB_OK;
}

/* ---- the whole */

static cmb_status fill(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  CMB_TRY(take_memory(s));
  CMB_TRY(cmb_accelerate_in_modes(s->ev, s->arena, s->t, s->q, s->v, s->a, s->lambda));
  CMB_TRY(cmb_linearize_at(&s->tangent, s->t, s->q, s->v, s->a, s->lambda, s->A, s->follow));
  CMB_TRY(cmb_refuse_closed_gaps(s->ev, s->t, s->q, s->v, CMB_TOUCHING, "a linearisation"));
  s->n = s->tangent.n - eq->nz;
  s->seen.nx = s->n + s->tangent.n;
  for (int j = 0; j < s->n; j++) {
    cmb_rates(s->ev, s->q, s->tangent.N + (ptrdiff_t)j * eq->nv, s->dq + (ptrdiff_t)j * eq->nq);
  }
  CMB_TRY(choose(s, eq->nq, s->dq, s->coordinate));
  CMB_TRY(choose(s, eq->nv, s->tangent.N, s->velocity));
  CMB_TRY(transform(s));
  CMB_TRY(name_unknowns(s));
  CMB_TRY(find_B(s));
  CMB_TRY(find_C_and_D(s));
  turn_A(s);
  s->seen.A = s->A, s->seen.B = s->B, s->seen.C = s->C, s->seen.D = s->D;
  return CMB_OK;
}

static bool are_numbers_of(int count, const int *numbers, int total)
{
  for (int i = 0; i < count; i++) {
    if (!numbers || numbers[i] < 0 || numbers[i] >= total) return false;
  }
  return count >= 0;
}

cmb_status cmb_state_space_create(cmb_context *ctx, const cmb_equations *eq, double t,
                                  const double *q, const double *v, int nu, const int *parameters,
                                  int ny, const int *outputs, cmb_state_space **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_state_space_create needs a context and a place for its result");
  *out = NULL;
  CMB_TRY(cmb_equations_check(ctx, eq));
  CMB_REQUIRE(ctx, q && v && isfinite(t), "cmb_state_space_create needs a finite t, q and v");
  CMB_REQUIRE(ctx, are_numbers_of(nu, parameters, eq->np) && are_numbers_of(ny, outputs, eq->no),
              "cmb_state_space_create needs numbers of live parameters and of outputs");
  CMB_REQUIRE(ctx, nu == 0 || eq->derivative,
              "cmb_state_space_create needs equations with exact derivatives for its inputs");
  cmb_arena *arena = cmb_arena_create(ctx);
  struct space *s = arena ? cmb_arena_take(arena, 1, sizeof *s) : NULL;
  if (!s) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *s = (struct space){.arena = arena, .t = t, .q = q, .v = v};
  s->seen.nu = nu, s->seen.ny = ny;
  s->parameter = parameters, s->output = outputs;
  cmb_status status = cmb_evaluator_create(ctx, eq, &s->ev);
  if (status == CMB_OK) status = cmb_no_linearization(s->ev, t, fill(s));
  cmb_differences_destroy(s->differences);
  cmb_evaluator_destroy(s->ev);
  if (status != CMB_OK) {
    cmb_arena_destroy(arena);
    return status;
  }
  *out = &s->seen;
  return CMB_OK;
}

void cmb_state_space_destroy(cmb_state_space *space)
{
  if (space) cmb_arena_destroy(((struct space *)space)->arena);
}
