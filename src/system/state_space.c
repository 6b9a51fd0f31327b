/*
 * Computes state-space matrices A, B, C, D of linearised equations (cmb_state_space_create, camber/system.h) in named coordinates and
 * velocities.
 *
 * Free motions (linearize.h) ξ = (z, y) give changes that the constraints permit, δq = T N z, δv = N y − R H N z. As many
 * coordinates and velocities as there are degrees of freedom are chosen, one after the other, each the one that those before
 * determine least; their changes are x = S ξ. For a change of each x by 1, and of each input, the consequences are
 *
 *     M δa + Gᵀ δλ = −∂r/∂q δq − ∂r/∂v δv − ∂r/∂p δp,    G δa = −∂(G a + γ)/∂q δq − ∂γ/∂v δv,    δq̇ = δ(T v)
 *
 * with exact derivatives: δq̇ and δa of the chosen ones are the columns of A and B, and of B' if the parameter is the rate of
 * another. Outputs depend on accelerations and multipliers, too; their derivatives are those of the model's expressions, in the
 * branches given by the modes.
 */
#include "base/context.h"
#include "dae/attach.h"
#include "dae/derivative.h"
#include "math/dense.h"
#include "math/eigen.h"
#include "math/finite.h"
#include "system/gaps.h"
#include "system/linearize.h"
#include "system/output_change.h"
#include "system/stuck.h"

#include <math.h>
#include <string.h>

struct space {
  cmb_state_space result; /* first, so that a pointer to it is a pointer to the whole */
  cmb_arena *arena;
  cmb_evaluator *ev;
  cmb_differences *differences;
  cmb_tangent tangent;
  double t;
  const double *q, *v;           /* the state */
  const cmb_steady_frame *frame; /* NULL: none */
  const int *parameter, *output;
  int *rate;             /* (nu) parameter that is the rate of an input; −1: none */
  int n;                 /* degrees of freedom */
  double *a, *lambda;    /* (nv), (ng) */
  double *A, *B, *C, *D; /* (nx x nx), (nx x nu), (ny x nx), (ny x nu) */
  double *B_rate, *D_rate;
  double *follow;             /* (n x nv) −R H N */
  double *dq;                 /* (n x nq) T N_j */
  int *coordinate, *velocity; /* (nq), (nv) the first n are chosen */
  double *S, *inverse;        /* (nx x nx) transformation x = S ξ; its inverse by columns */
  double *scratch;            /* (nx x nx) */
  int *pivot;                 /* (nx) */
  double *J[CMB_DERIVATIVES]; /* derivatives at the state, as the equations store them */
  double *q_there, *q_rate, *q_trial, *v_there, *a_there, *lambda_there,
      *out_g;                /* (nq) (nq) (nq) (nv) (nv) (ng) (ng) scratch */
  double *change;            /* (no) */
  cmb_output_change outputs; /* if outputs are wanted */
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
                {&s->B, most * s->result.nu},
                {&s->C, most * s->result.ny},
                {&s->D, s->result.ny * s->result.nu},
                {&s->B_rate, most * s->result.nu},
                {&s->D_rate, s->result.ny * s->result.nu},
                {&s->follow, nv * nv},
                {&s->dq, nv * nq},
                {&s->S, most * most},
                {&s->inverse, most * most},
                {&s->scratch, most * most},
                {&s->q_there, nq},
                {&s->q_rate, nq},
                {&s->q_trial, nq},
                {&s->v_there, nv},
                {&s->a_there, nv},
                {&s->lambda_there, eq->ng},
                {&s->out_g, eq->ng},
                {&s->change, eq->no}};
  CMB_TRY(cmb_tangent_create(&s->tangent, a, s->ev));
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
    *arrays[i].array = cmb_arena_doubles(a, arrays[i].size + 1);
  }
  s->coordinate = cmb_arena_ints(a, nq + 1);
  s->velocity = cmb_arena_ints(a, nv + 1);
  s->pivot = cmb_arena_ints(a, most + 1);
  s->rate = cmb_arena_ints(a, s->result.nu + 1);
  if (cmb_arena_failed(a)) return cmb_fail_memory(s->ev->ctx);
  return cmb_differences_create(s->ev, &s->differences);
}

/* ---- the unknowns */

/* Selects s->n linearly independent rows of a matrix (rows x s->n) by a QR factorisation with column pivoting of its transpose, `columns` (s->n
 * x rows). Each row belongs to a coordinate or velocity; the selected ones determine all others accurately. Stores their indices in the first
 * entries of order (rows), ascending. */
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
  for (int i = 1; i < n; i++) { /* sorted */
    const int kept = order[i];
    int k = i;
    for (; k > 0 && order[k - 1] > kept; k--) order[k] = order[k - 1];
    order[k] = kept;
  }
  return CMB_OK;
}

/* Computes the matrix s->S (nx x nx) that transforms coordinates of the tangent space to the chosen independent coordinates, velocities and
 * first-order states, and its inverse, stored column by column in s->inverse. */
static cmb_status transform(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  const int n = s->n, nv = eq->nv, nq = eq->nq, nx = s->result.nx;
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
  const char **names = cmb_arena_take(s->arena, (size_t)s->result.nx + 1, sizeof(void *));
  if (!names) return cmb_fail_memory(s->ev->ctx);
  for (int i = 0; i < s->n; i++) {
    names[i] = eq->q_names[s->coordinate[i]];
    names[s->n + i] = eq->v_names[s->velocity[i]];
  }
  for (int i = 0; i < eq->nz; i++) names[2 * s->n + i] = eq->v_names[eq->nv - eq->nz + i];
  s->result.x_names = names;
  return CMB_OK;
}

/* Returns entry (i, j) of a matrix J stored on the sparsity pattern p, 0 if the pattern has no such entry; p == NULL: J is dense
 * with the given number of columns. */
static double entry(const cmb_pattern *p, int columns, const double *J, int i, int j)
{
  if (!p) return J[i * columns + j];
  for (int k = p->start[i]; k < p->start[i + 1]; k++) {
    if (p->column[k] == j) return J[k];
  }
  return 0;
}

/* ---- consequences of a change */

/* Changes of positions, velocities and one parameter, and the resulting changes of accelerations and multipliers. */
struct change {
  double *q, *v;      /* (nq), (nv) */
  int parameter;      /* changes by 1; −1: none */
  double *a, *lambda; /* (nv), (ng) */
};

/* Computes the first-order changes of the accelerations, c->a (nv), and multipliers, c->lambda (ng), caused by changes of positions c->q,
 * velocities c->v and one parameter: solves the linearised equations of motion M δa + Gᵀ δλ = −δr together with the linearised constraints on
 * accelerations, where r is the residual of the equations of motion. */
static void compute_consequences(struct space *s, struct change *c)
{
  const cmb_equations *eq = s->ev->eq;
  const cmb_pattern *const *pattern = eq->derivative_pattern;
  const int nq = eq->nq, nv = eq->nv, ng = eq->ng;
  double *r = s->v_there, *sum = s->a_there, *g = s->lambda_there, *gamma = s->out_g;
  cmb_multiply(pattern[CMB_RESIDUAL_Q], nv, nq, s->J[CMB_RESIDUAL_Q], c->q, r);
  cmb_multiply(pattern[CMB_RESIDUAL_V], nv, nv, s->J[CMB_RESIDUAL_V], c->v, sum);
  for (int i = 0; i < nv; i++) {
    r[i] = -r[i] - sum[i];
    if (c->parameter < 0) continue;
    r[i] -= entry(pattern[CMB_RESIDUAL_P], eq->np, s->J[CMB_RESIDUAL_P], i, c->parameter);
  }
  if (ng > 0) {
    cmb_multiply(pattern[CMB_GAMMA_Q], ng, nq, s->J[CMB_GAMMA_Q], c->q, g);
    cmb_multiply(pattern[CMB_GAMMA_V], ng, nv, s->J[CMB_GAMMA_V], c->v, gamma);
    for (int i = 0; i < ng; i++) g[i] += gamma[i];
  }
  cmb_solve(s->ev, r, g, c->a, c->lambda);
}

/* Computes the first-order change s->q_there (nq) of the rates q̇ = T(q) v that is caused by the changes c->q (nq) of positions and c->v (nv)
 * of velocities: T c->v + (δT) v, where δT is the change of T. The second term is computed by a central difference; it is 0 if T = I. */
static void change_of_rates(struct space *s, const struct change *c)
{
  const cmb_equations *eq = s->ev->eq;
  const int nq = eq->nq;
  double *there = s->q_rate, *q = s->q_trial;
  cmb_rates(s->ev, s->q, c->v, s->q_there);
  if (!eq->rates) return;
  const double size = cmb_largest(nq, c->q), h = 1e-3 / (size > 0 ? size : 1);
  for (int side = -1; side <= 1; side += 2) {
    for (int i = 0; i < nq; i++) q[i] = s->q[i] + side * h * c->q[i];
    cmb_rates(s->ev, q, s->v, there);
    cmb_add_scaled(nq, side / (2 * h), there, s->q_there);
  }
}

/* Computes the derivatives of the residual of the dynamic equations and of the constraints at the state in *s, and stores them in
 * s->J. Then factors the KKT matrix for this state. Leaves out derivatives with respect to parameters if the state-space model
 * has no inputs. */
static cmb_status take_derivatives(struct space *s)
{
  static const cmb_derivative wanted[] = {CMB_RESIDUAL_Q, CMB_RESIDUAL_V, CMB_GAMMA_Q,
                                          CMB_GAMMA_V,    CMB_RESIDUAL_P, CMB_POSITION_P};
  const cmb_equations *eq = s->ev->eq;
  for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
    const cmb_derivative which = wanted[k];
    const bool of_p = which == CMB_RESIDUAL_P || which == CMB_POSITION_P;
    const bool of_g = which == CMB_GAMMA_Q || which == CMB_GAMMA_V || which == CMB_POSITION_P;
    const int rows = of_g ? eq->ng : eq->nv;
    const int columns = of_p                                              ? eq->np
                        : which == CMB_RESIDUAL_Q || which == CMB_GAMMA_Q ? eq->nq
                                                                          : eq->nv;
    const int size = cmb_pattern_values(eq->derivative_pattern[which], rows, columns);
    s->J[which] = cmb_arena_doubles(s->arena, size + 1);
    if (!s->J[which]) return cmb_fail_memory(s->ev->ctx);
    if ((of_g && eq->ng == 0) || (of_p && s->result.nu == 0)) continue;
    CMB_TRY(
        cmb_derivative_at(s->differences, s->t, s->q, s->v, s->a, s->lambda, which, s->J[which]));
  }
  return cmb_factor_at(s->ev, s->t, s->q);
}

/* Returns the index of the input of which a parameter is the rate of change: the parameter with the same name without primes, as
 * "u" for "u'". Returns the parameter's own index if there is none. */
static int input_of(const cmb_equations *eq, int parameter)
{
  const char *name = eq->p_names[parameter];
  const size_t length = strcspn(name, "'");
  for (int i = 0; i < eq->np; i++) {
    if (strlen(eq->p_names[i]) == length && strncmp(eq->p_names[i], name, length) == 0) return i;
  }
  return parameter;
}

/* Returns an error with a message if a position constraint depends on one of the inputs. Such an input would move bodies
 * directly, so that its rates of change would act as inputs as well. */
static cmb_status refuse_drives(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  const cmb_pattern *p = eq->derivative_pattern[CMB_POSITION_P];
  for (int k = 0; k < s->result.nu; k++) {
    const int input = input_of(eq, s->parameter[k]);
    for (int i = 0; i < eq->ng; i++) {
      if (entry(p, eq->np, s->J[CMB_POSITION_P], i, input) == 0) continue;
      const char *name = eq->p_names[s->parameter[k]];
      return cmb_fail_about(s->ev->ctx, CMB_ERROR_INPUT, cmb_about_thing("input", name),
                            "'%s' moves the constraint '%s', so that its rates count as well; "
                            "expected an input on which only forces and states depend",
                            name, eq->g_names[i]);
    }
  }
  return CMB_OK;
}

/* ---- outputs */

/* Computes the first-order change of the outputs, s->change (no), that is caused by the changes c of positions, velocities, accelerations,
 * multipliers and one parameter. */
static void change_of_outputs(struct space *s, const struct change *c)
{
  const cmb_output_point at = {s->q, s->v, s->a, s->lambda, -1};
  const cmb_output_point by = {c->q, c->v, c->a, c->lambda, c->parameter};
  cmb_output_change_at(&s->outputs, s->t, &at, &by, s->change);
}

/* ---- columns */

/* Converts a vector xi (nx) of coordinates of the tangent space to changes of positions, c->q (nq), and of velocities and first-order states,
 * c->v (nv). Both become 0 if xi is NULL. */
static void change_of_free_motion(const struct space *s, const double *xi, struct change *c)
{
  const cmb_equations *eq = s->ev->eq;
  const int n = s->n, nv = eq->nv;
  memset(c->q, 0, (size_t)eq->nq * sizeof *c->q);
  memset(c->v, 0, (size_t)nv * sizeof *c->v);
  for (int j = 0; xi && j < n; j++) {
    cmb_add_scaled(eq->nq, xi[j], s->dq + (ptrdiff_t)j * eq->nq, c->q);
    cmb_add_scaled(nv, xi[j], s->follow + (ptrdiff_t)j * nv, c->v);
  }
  for (int j = 0; xi && j < s->tangent.n; j++) {
    cmb_add_scaled(nv, xi[n + j], s->tangent.N + (ptrdiff_t)j * nv, c->v);
  }
}

/* Computes the first-order changes of the outputs, if there are outputs. Then transforms the changes of the rates, s->q_there (nq) and c->a
 * (nv), to the rotating frame of a steady motion; without such a frame they remain unchanged. */
static void transform_to_frame(struct space *s, const struct change *c)
{
  const int nq = s->ev->eq->nq, nv = s->ev->eq->nv;
  if (s->result.ny > 0) change_of_outputs(s, c);
  if (!s->frame) return;
  for (int i = 0; i < nq; i++) {
    s->q_there[i] -= cmb_dot(nq, s->frame->q_frame + (ptrdiff_t)i * nq, c->q);
  }
  for (int i = 0; i < nv; i++) {
    c->a[i] -= cmb_dot(nv, s->frame->v_frame + (ptrdiff_t)i * nv, c->v);
  }
}

/* Computes column j of the matrices X (nx x columns) and Y (ny x columns): the changes of the rates of the unknowns, and of the outputs, that
 * are caused by the change c of positions, velocities or one parameter. */
static cmb_status fill_column(struct space *s, struct change *c, int columns, int j, double *X,
                              double *Y)
{
  const cmb_equations *eq = s->ev->eq;
  const int n = s->n;
  compute_consequences(s, c);
  change_of_rates(s, c);
  transform_to_frame(s, c);
  for (int i = 0; i < n; i++) {
    X[i * columns + j] = s->q_there[s->coordinate[i]];
    X[(n + i) * columns + j] = c->a[s->velocity[i]];
  }
  for (int i = 0; i < eq->nz; i++) X[(2 * n + i) * columns + j] = c->a[eq->nv - eq->nz + i];
  if (s->result.ny == 0) return CMB_OK;
  for (int i = 0; i < s->result.ny; i++) Y[i * columns + j] = s->change[s->output[i]];
  return cmb_all_finite(eq->nv, c->a) && cmb_all_finite(eq->no, s->change) ? CMB_OK
                                                                           : CMB_RETRY_NONFINITE;
}

static cmb_status fill_matrices(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  const int nx = s->result.nx, nu = s->result.nu;
  struct change c = {.parameter = -1};
  c.q = cmb_arena_doubles(s->arena, eq->nq);
  c.v = cmb_arena_doubles(s->arena, eq->nv);
  c.a = cmb_arena_doubles(s->arena, eq->nv);
  c.lambda = cmb_arena_doubles(s->arena, eq->ng + 1);
  if (cmb_arena_failed(s->arena)) return cmb_fail_memory(s->ev->ctx);
  for (int j = 0; j < nx; j++) {
    change_of_free_motion(s, s->inverse + (ptrdiff_t)j * nx, &c);
    CMB_TRY(fill_column(s, &c, nx, j, s->A, s->C));
  }
  change_of_free_motion(s, NULL, &c);
  for (int k = 0; k < nu; k++) {
    c.parameter = s->parameter[k];
    CMB_TRY(fill_column(s, &c, nu, k, s->B, s->D));
    c.parameter = s->rate[k];
    if (c.parameter >= 0) CMB_TRY(fill_column(s, &c, nu, k, s->B_rate, s->D_rate));
  }
  return CMB_OK;
}

/* ---- rates of inputs */

/* Returns the index of the live parameter (one that can be changed after set-up) that is the rate of the given one: its name has an
 * additional prime. Returns −1 if there is none or if it is one of the inputs. */
static int find_rate(const struct space *s, int parameter)
{
  const cmb_equations *eq = s->ev->eq;
  const char *name = eq->p_names[parameter];
  const size_t length = strlen(name);
  for (int i = 0; i < eq->np; i++) {
    const char *other = eq->p_names[i];
    if (strncmp(other, name, length) != 0 || strcmp(other + length, "'") != 0) continue;
    for (int k = 0; k < s->result.nu; k++) {
      if (s->parameter[k] == i) return -1;
    }
    return i;
  }
  return -1;
}

/* Returns whether column j of the matrix X (rows x columns) has an entry other than 0. */
static bool has_column(int rows, int columns, const double *X, int j)
{
  for (int i = 0; i < rows; i++) {
    if (X[i * columns + j] != 0) return true;
  }
  return false;
}

/* Stores the matrices of the state space for the caller: A, B, C and D. Those for the rates of inputs are stored only if the rate of at least
 * one input has an effect. */
static cmb_status set_result(struct space *s)
{
  cmb_state_space *result = &s->result;
  const char **names = cmb_arena_take(s->arena, (size_t)result->nu + 1, sizeof(void *));
  if (!names) return cmb_fail_memory(s->ev->ctx);
  result->A = s->A, result->B = s->B, result->C = s->C, result->D = s->D;
  for (int k = 0; k < result->nu; k++) {
    if (!has_column(result->nx, result->nu, s->B_rate, k) &&
        !has_column(result->ny, result->nu, s->D_rate, k)) {
      continue;
    }
    names[k] = s->ev->eq->p_names[s->rate[k]];
    result->B_rate = s->B_rate, result->D_rate = s->D_rate, result->rate_names = names;
  }
  return CMB_OK;
}

/* ---- creation */

static cmb_status fill(struct space *s)
{
  const cmb_equations *eq = s->ev->eq;
  CMB_TRY(take_memory(s));
  CMB_TRY(cmb_accelerate_in_modes(s->ev, s->arena, s->t, s->q, s->v, s->a, s->lambda));
  CMB_TRY(cmb_follow_at(&s->tangent, s->t, s->q, s->v, s->a, s->lambda, s->follow));
  CMB_TRY(cmb_refuse_closed_gaps(s->ev, s->t, s->q, s->v, CMB_TOUCHING, "a linearisation"));
  CMB_TRY(cmb_refuse_stuck(s->ev, s->arena, s->t, s->q, s->v, s->lambda, "a linearisation"));
  s->n = s->tangent.n - eq->nz;
  s->result.nx = s->n + s->tangent.n;
  for (int j = 0; j < s->n; j++) {
    cmb_rates(s->ev, s->q, s->tangent.N + (ptrdiff_t)j * eq->nv, s->dq + (ptrdiff_t)j * eq->nq);
  }
  CMB_TRY(choose(s, eq->nq, s->dq, s->coordinate));
  CMB_TRY(choose(s, eq->nv, s->tangent.N, s->velocity));
  CMB_TRY(transform(s));
  CMB_TRY(name_unknowns(s));
  CMB_TRY(take_derivatives(s));
  CMB_TRY(refuse_drives(s));
  if (s->result.ny > 0) CMB_TRY(cmb_output_change_begin(&s->outputs, s->arena, s->ev));
  for (int k = 0; k < s->result.nu; k++) s->rate[k] = find_rate(s, s->parameter[k]);
  CMB_TRY(fill_matrices(s));
  return set_result(s);
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
  return cmb_state_space_create_in(ctx, eq, NULL, t, q, v, nu, parameters, ny, outputs, out);
}

cmb_status cmb_state_space_create_in(cmb_context *ctx, const cmb_equations *eq,
                                     const cmb_steady_frame *frame, double t, const double *q,
                                     const double *v, int nu, const int *parameters, int ny,
                                     const int *outputs, cmb_state_space **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_state_space_create needs a context and a place for its result");
  *out = NULL;
  CMB_TRY(cmb_equations_check(ctx, eq));
  CMB_REQUIRE(ctx, q && v && isfinite(t), "cmb_state_space_create needs a finite t, q and v");
  CMB_REQUIRE(ctx, are_numbers_of(nu, parameters, eq->np) && are_numbers_of(ny, outputs, eq->no),
              "cmb_state_space_create needs numbers of live parameters and of outputs");
  CMB_REQUIRE(ctx, nu == 0 || eq->derivative,
              "cmb_state_space_create needs equations with exact derivatives for its inputs");
  if (ny > 0 && !eq->code) {
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("equations", eq->name),
                          "outputs of '%s' cannot be linearised: their expressions are not known; "
                          "expected the option 'expressions' when the system is made",
                          eq->name);
  }
  cmb_arena *arena = cmb_arena_create(ctx);
  struct space *s = arena ? cmb_arena_take(arena, 1, sizeof *s) : NULL;
  if (!s) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *s = (struct space){.arena = arena, .t = t, .q = q, .v = v};
  s->result.nu = nu, s->result.ny = ny, s->frame = frame;
  s->parameter = parameters, s->output = outputs;
  cmb_status status = cmb_evaluator_create(ctx, eq, &s->ev);
  if (status == CMB_OK) {
    s->ev->p = eq->p;
    status = cmb_no_linearization(s->ev, t, fill(s));
  }
  cmb_output_change_end(&s->outputs);
  cmb_differences_destroy(s->differences);
  cmb_evaluator_destroy(s->ev);
  if (status != CMB_OK) {
    cmb_arena_destroy(arena);
    return status;
  }
  *out = &s->result;
  return CMB_OK;
}

void cmb_state_space_destroy(cmb_state_space *space)
{
  if (space) cmb_arena_destroy(((struct space *)space)->arena);
}
