/*
 * Builds the equations of motion in joint coordinates as expressions, called by mechanism.c: M and f; the residual r = M a − f + Gᵀ λ; and
 * the accelerations a, where the constraints of closed loops are solved by
 *
 *     S λ = Zᵀ D⁻¹ u + γ,   S = G M⁻¹ Gᵀ = Zᵀ D⁻¹ Z = L Δ Lᵀ,   a = Wᵀ D⁻¹ (u − Z λ),    u = W f, Z = W Gᵀ
 *
 * where W and D are the factors of M⁻¹ = Wᵀ D⁻¹ W from the articulated bodies. S is positive definite: it is eliminated in a static order,
 * without pivoting (expr/elimination.h). Δ_k/S_kk is the squared sine of the angle between constraint k and those eliminated before it. For
 * given λ, a = Wᵀ D⁻¹ W (f − Gᵀ λ) needs neither Z nor S.
 */
#include "base/context.h"
#include "dyn/build.h"
#include "dyn/jacobian.h"
#include "dyn/recursion.h"
#include "expr/elimination.h"

/* Up to this number, constraints are eliminated in straight-line code; for more, the numerical KKT solver is faster
 * to set up and to run. */
enum { MOST_STATIC_CONSTRAINTS = 48 };

static cmb_expr *expressions(cmb_build *b, int count)
{
  return cmb_arena_take(b->arena, (size_t)count + 1, sizeof(cmb_expr));
}

/* Subtracts from the wrenches on[], one for each link, the applied forces between links and the ground and, if with_lambda is set, the
 * constraint forces between links and the ground. */
static cmb_status subtract_applied(cmb_build *b, bool with_lambda, cmb_wrench *on)
{
  const int links = b->tree->link_count;
  cmb_wrench *ext = cmb_arena_take(b->arena, (size_t)links + 1, sizeof *ext);
  if (!ext) return CMB_ERROR_MEMORY;
  cmb_build_wrenches(b, CMB_GROUND, with_lambda, ext);
  for (int i = 0; i < links; i++) {
    if (!ext[i].given) continue;
    on[i].moment = cmb_vector_sub(b->g, on[i].moment, ext[i].moment);
    on[i].force = cmb_vector_sub(b->g, on[i].force, ext[i].force);
    on[i].given = true;
  }
  return CMB_OK;
}

/* Computes by inverse dynamics the wrench that each link needs for the accelerations a[nv] (NULL: 0), in a new array *out, and subtracts the
 * applied forces between link and ground and, if with_lambda is set, the constraint forces between them. */
static cmb_status inverse_dynamics(cmb_build *b, const cmb_expr *a, bool with_lambda,
                                   cmb_wrench **out)
{
  const int links = b->tree->link_count;
  cmb_wrench *on = *out = cmb_arena_take(b->arena, (size_t)links + 1, sizeof *on);
  if (!on) return CMB_ERROR_MEMORY;
  cmb_newton_euler(b->k, a, on);
  return subtract_applied(b, with_lambda, on);
}

/* Projects the wrenches on[], one for each link, onto the joint velocities, and subtracts the forces along coordinates and between links. With
 * wrenches from inverse dynamics, the result *out (nv) is the residual M a − f + Gᵀ λ; with accelerations 0 and without λ it is −f. Overwrites
 * on[]. */
static cmb_status project_residual(cmb_build *b, cmb_wrench *on, bool with_lambda, cmb_expr **out)
{
  const int nv = b->tree->nv;
  cmb_expr *r = *out = expressions(b, nv), *inner = expressions(b, nv);
  if (!r || !inner) return CMB_ERROR_MEMORY;
  cmb_wrenches_project(b->k, CMB_GROUND, on, r);
  cmb_build_inner_forces(b, with_lambda, inner);
  for (int i = 0; i < nv; i++) r[i] = cmb_sub(b->g, r[i], inner[i]);
  return CMB_OK;
}

static cmb_status inertial(void *kinematics, cmb_entries *by_q, cmb_entries *by_v)
{
  cmb_kinematics *k = kinematics;
  return cmb_inertial_jacobian(k, k->a, by_q, by_v);
}

/* Prepares the Jacobian of the equations of motion in two parts: the derivatives of the inertial forces and weights, which have a closed form,
 * and the residual of all other forces, x->applied, which is differentiated automatically. */
static cmb_status split_jacobian(cmb_build *b, cmb_expressions *x)
{
  cmb_wrench *on = cmb_arena_take(b->arena, (size_t)b->tree->link_count + 1, sizeof *on);
  if (!on) return CMB_ERROR_MEMORY;
  CMB_TRY(subtract_applied(b, true, on));
  x->inertial = inertial;
  x->kinematics = b->k;
  return project_residual(b, on, true, &x->applied);
}

/* ---- explicit formalism */

/* The linear system S λ = .. for the constraints that are not left out. */
struct system {
  int n;
  cmb_expr **Z; /* (n) columns of W Gᵀ (nv) */
  cmb_expr *S;  /* (n x n) */
};

static cmb_expr weighted(cmb_graph *g, int n, const cmb_expr *x, const cmb_expr *w,
                         const cmb_expr *y)
{
  cmb_expr sum = 0;
  for (int i = 0; i < n; i++) {
    if (x[i] == 0 || y[i] == 0) continue;
    sum = cmb_add(g, sum, cmb_mul(g, x[i], cmb_mul(g, w[i], y[i])));
  }
  return sum;
}

static cmb_status allocate_system(cmb_build *b, const cmb_expressions *x, struct system *s)
{
  const int n = s->n = x->ng;
  s->Z = cmb_arena_take(b->arena, (size_t)n + 1, sizeof *s->Z);
  s->S = expressions(b, n * n);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < n; i++) s->Z[i] = expressions(b, b->tree->nv);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

static cmb_status solve_constraints(cmb_build *b, cmb_articulation *w, cmb_expressions *x,
                                    cmb_expr *u)
{
  cmb_graph *g = b->g;
  const int nv = b->tree->nv;
  const cmb_expr *inverse = cmb_articulation_inverse(w);
  struct system s;
  CMB_TRY(allocate_system(b, x, &s));
  for (int i = 0, n = 0; i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    if (c->lambda == 0) continue;
    for (int v = 0; v < c->row.count; v++) s.Z[n][c->row.column[v]] = c->row.e[v];
    cmb_articulation_half(w, s.Z[n++], NULL);
  }
  for (int i = 0; i < s.n; i++) {
    for (int j = 0; j <= i; j++) {
      s.S[s.n * i + j] = s.S[s.n * j + i] = weighted(g, nv, s.Z[i], inverse, s.Z[j]);
    }
    x->multiplier[i] = cmb_add(g, weighted(g, nv, s.Z[i], inverse, u), x->gamma[i]);
  }
  const cmb_elimination *e = cmb_eliminate(g, b->arena, s.n, 0, s.S, NULL, NULL);
  if (!e) return CMB_ERROR_MEMORY;
  for (int i = 0; i < s.n; i++) x->pivot[i] = cmb_elimination_pivot(e, i);
  cmb_elimination_solve(e, x->multiplier);
  for (int i = 0; i < s.n; i++) {
    for (int v = 0; v < nv; v++) {
      if (s.Z[i][v] != 0) u[v] = cmb_sub(g, u[v], cmb_mul(g, s.Z[i][v], x->multiplier[i]));
    }
  }
  return CMB_OK;
}

static cmb_status explicit_form(cmb_build *b, cmb_articulation *w, cmb_expressions *x)
{
  cmb_expr *u = expressions(b, b->tree->nv);
  cmb_wrench *on;
  CMB_TRY(inverse_dynamics(b, NULL, false, &on));
  x->acceleration = expressions(b, b->tree->nv);
  x->multiplier = expressions(b, x->ng);
  x->pivot = expressions(b, x->ng);
  if (!u || cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  cmb_build_inner_forces(b, false, u);
  cmb_articulation_half(w, u, on);
  CMB_TRY(solve_constraints(b, w, x, u));
  cmb_articulation_accelerate(w, u, x->acceleration);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

/* Builds the accelerations a = M⁻¹ (f − Gᵀ λ) for given Lagrange multipliers λ, in x->forced, with a number of operations proportional to the
 * number of links, by the articulated-body factors w of M⁻¹. Constraint forces act on links like applied ones (Arnold, Fuchs and Führer 2006,
 * eq. 10). */
static cmb_status build_forced_accelerations(cmb_build *b, cmb_articulation *w, cmb_expressions *x)
{
  cmb_expr *u = expressions(b, b->tree->nv);
  cmb_wrench *on;
  CMB_TRY(inverse_dynamics(b, NULL, true, &on));
  x->forced = expressions(b, b->tree->nv);
  if (!u || !x->forced) return CMB_ERROR_MEMORY;
  cmb_build_inner_forces(b, true, u);
  cmb_articulation_half(w, u, on);
  cmb_articulation_accelerate(w, u, x->forced);
  return cmb_arena_failed(b->arena) ? CMB_ERROR_MEMORY : CMB_OK;
}

/* ---- the mass matrix */

/* bytes for one entry of M, with the programs that compute it and its derivatives; limit of the memory for all entries */
static const double ENTRY_BYTES = 1000, MOST_BYTES = 8e9;

/* Builds the mass matrix: as articulated-body factors w for long chains with few constraints, unless the option whole_mass is set, and as
 * entries otherwise. Reports an error if the entries would take more than 8 GB of memory. */
static cmb_status make_mass(cmb_build *b, cmb_articulation *w, cmb_expressions *x)
{
  if (!b->whole_mass && cmb_mass_factors_pay(b->tree, x->ng)) {
    return cmb_mass_factors_make(w, x->np, x->parameter, &x->mass_factors);
  }
  const double bytes = ENTRY_BYTES * cmb_mass_entries(b->tree);
  if (bytes > MOST_BYTES) {
    return cmb_fail_about(
        b->ctx, CMB_ERROR_INPUT, cmb_about_at(b->model->place),
        "the mass matrix of %d joint velocities would take about %.1f GB of memory; expected at "
        "most %g GB; an explicit method or the Cartesian formulation needs no such matrix if the "
        "model "
        "has few constraints",
        b->tree->nv, ceil(bytes / 1e8) / 10, MOST_BYTES / 1e9);
  }
  return cmb_mass_matrix(b->k, &x->M);
}

cmb_status cmb_build_joint_form(cmb_build *b, cmb_expressions *x)
{
  cmb_articulation *w;
  cmb_wrench *on;
  CMB_TRY(cmb_build_check_idle(b, b->tree));
  CMB_TRY(cmb_articulate(b->k, &w));
  CMB_TRY(make_mass(b, w, x));
  CMB_TRY(inverse_dynamics(b, NULL, false, &on));
  CMB_TRY(project_residual(b, on, false, &x->f));
  for (int i = 0; i < b->tree->nv; i++) x->f[i] = cmb_neg(b->g, x->f[i]);
  CMB_TRY(inverse_dynamics(b, b->k->a, true, &on));
  CMB_TRY(project_residual(b, on, true, &x->residual));
  if (cmb_inertial_jacobian_pays(b->tree)) CMB_TRY(split_jacobian(b, x));
  if (b->forced && x->ng > 0) CMB_TRY(build_forced_accelerations(b, w, x));
  return x->ng <= MOST_STATIC_CONSTRAINTS ? explicit_form(b, w, x) : CMB_OK;
}
