/*
 * Solves impacts (impact.h). With N = M⁻¹ − M⁻¹Gᵀ(GM⁻¹Gᵀ)⁻¹GM⁻¹, the response of velocities to impulses that the constraints allow,
 *
 *     (R N Rᵀ) ρ = change,   v⁺ = v⁻ + N Rᵀ ρ.
 *
 * A row R and the gradient U of a surface are the same direction if N Rᵀ and N Uᵀ are parallel. With w = N (R − αU)ᵀ,
 * α = R N Uᵀ / U N Uᵀ, the angle between them is, in the metric of M, sin² = wᵀ M w / R N Rᵀ.
 */
#include "sim/impact.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/pattern.h"

#include <math.h>
#include <string.h>

/* What the constraints hold can only be moved by rounding errors. Solved for once more, from the same impulses, these become others;
 * a jump that there is room for is known to this part of its energy at the least. */
static const double KNOWN = 1e-6;

/* The response to one impulse is known to this part of its length in the metric of M. Where the angle between a row of R and the gradients of
 * the constraints is small, the response is as small as its sine, and its rounding errors are not: below an angle of about this number they
 * decide. The energy, as small as the square of the sine, would be unknown below 1e-5. */
static const double KNOWN_RESPONSE = 1e-8;

/* How well a jump satisfies the constraints, those too that count as dependent, as a part of what its entries have in them. */
static const double MET = 1e-6, ROUNDING = 1e-14;

enum { MOST_PASSES = 4 };            /* of refinement */
static const double REFINED = 1e-15; /* a change of impulses that is none */

static const double PARALLEL = 1e-12; /* sin² of an angle that is none */
static const double FLAT = 1e-16;     /* the square of a gradient that is none, beside the usual */

void cmb_impact_create(cmb_impact *x, cmb_arena *arena, cmb_evaluator *ev)
{
  const cmb_equations *eq = ev->eq;
  const size_t rules = (size_t)eq->rule_count;
  *x = (cmb_impact){.ev = ev};
  for (int i = 0; i < eq->rule_count; i++) {
    if (eq->rules[i].reset_count > x->most) x->most = eq->rules[i].reset_count;
  }
  x->met = cmb_arena_take(arena, rules, sizeof *x->met);
  x->met_here = cmb_arena_take(arena, rules, sizeof *x->met_here);
  x->R = cmb_arena_doubles(arena, eq->reset_count * eq->nv);
  x->change = cmb_arena_doubles(arena, eq->reset_count);
  x->response = cmb_arena_doubles(arena, x->most * eq->nv);
  x->A = cmb_arena_doubles(arena, x->most * x->most);
  x->scale = cmb_arena_doubles(arena, x->most);
  x->pivot = cmb_arena_ints(arena, x->most);
  x->rho = cmb_arena_doubles(arena, x->most);
  x->jump = cmb_arena_doubles(arena, eq->nv);
  x->tau = cmb_arena_doubles(arena, eq->ng);
  x->tau_of = cmb_arena_doubles(arena, x->most * eq->ng);
  x->size = cmb_arena_doubles(arena, eq->ng);
  x->rate = cmb_arena_doubles(arena, eq->ng);
  x->jump_size = cmb_arena_doubles(arena, eq->nv);
  x->normal = cmb_arena_doubles(arena, eq->nv);
  x->momentum = cmb_arena_doubles(arena, eq->nv);
  x->refinement = cmb_arena_doubles(arena, eq->nv);
  x->G_size = cmb_arena_doubles(arena, cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv));
}

cmb_status cmb_impact_begin(cmb_impact *x, double t, const double *q, const double *v,
                            const double *lambda)
{
  const cmb_equations *eq = x->ev->eq;
  CMB_TRY(cmb_conditions(x->ev, t, q, v, lambda, x->met));
  for (int i = 0; i < eq->rule_count; i++) x->met[i] = x->met[i] && !eq->rules[i].gap;
  return CMB_OK;
}

int cmb_impact_next(const cmb_impact *x, int rule)
{
  const cmb_equations *eq = x->ev->eq;
  for (; rule < eq->rule_count; rule++) {
    const int change = (int)x->met_here[rule] - (int)x->met[rule];
    const int direction = eq->rules[rule].direction;
    if (change != 0 && (direction == 0 || direction == change)) break;
  }
  return rule;
}

/* Returns the square of the length of x (nv) in the metric of M, and overwrites `momentum` with M x. */
static double energy_of(const cmb_impact *impact, const double *x)
{
  cmb_multiply_mass(impact->ev, x, impact->momentum);
  return cmb_dot(impact->ev->eq->nv, x, impact->momentum);
}

bool cmb_impact_respond(const cmb_impact *x, const double *row, double *response, double *tau)
{
  const int nv = x->ev->eq->nv;
  cmb_solve(x->ev, row, NULL, response, tau);
  memcpy(x->refinement, response, (size_t)nv * sizeof *response);
  cmb_solve_again(x->ev, row, response, tau);
  cmb_add_scaled(nv, -1, response, x->refinement);
  const double energy = energy_of(x, response);
  return energy > 0 && energy_of(x, x->refinement) <= KNOWN_RESPONSE * KNOWN_RESPONSE * energy;
}

/* N Rᵀ and R N Rᵀ */
static cmb_status respond(cmb_impact *x, const cmb_rule *rule, double t, const double *q)
{
  cmb_evaluator *ev = x->ev;
  const int n = rule->reset_count, nv = ev->eq->nv;
  const double *rows = x->R + (ptrdiff_t)rule->first_reset * nv;
  CMB_TRY(cmb_factor_at(ev, t, q));
  for (int j = 0; j < n; j++) {
    double *response = x->response + (ptrdiff_t)j * nv;
    if (cmb_impact_respond(x, rows + (ptrdiff_t)j * nv, response,
                           x->tau_of + (ptrdiff_t)j * ev->eq->ng))
      continue;
    return cmb_all_finite(nv, response) ? CMB_RETRY_SINGULAR : CMB_RETRY_NONFINITE;
  }
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      x->A[i * n + j] = cmb_dot(nv, rows + (ptrdiff_t)i * nv, x->response + (ptrdiff_t)j * nv);
    }
  }
  return cmb_all_finite(n * n, x->A) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Whether a refined change of velocities (nv) is one that the constraints allow, those last evaluated. */
static bool is_allowed(const cmb_impact *x, const double *jump)
{
  const cmb_evaluator *ev = x->ev;
  const cmb_equations *eq = ev->eq;
  const int values = cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv);
  double largest = 0;
  for (int k = 0; k < values; k++) x->G_size[k] = fabs(ev->G[k]);
  for (int k = 0; k < eq->nv; k++) largest = fmax(largest, fabs(jump[k]));
  for (int k = 0; k < eq->nv; k++) {
    x->jump_size[k] = MET * fabs(jump[k]) + ROUNDING * largest;
  }
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, jump, x->rate);
  cmb_multiply(eq->G_pattern, eq->ng, eq->nv, x->G_size, x->jump_size, x->size);
  for (int i = 0; i < eq->ng; i++) {
    if (!(fabs(x->rate[i]) <= x->size[i])) return false;
  }
  return cmb_all_finite(eq->nv, jump);
}

bool cmb_impact_asks_for_more(const cmb_impact *x, int rule, const double *v, double rtol,
                              double atol)
{
  const cmb_rule *r = &x->ev->eq->rules[rule];
  const int nv = x->ev->eq->nv;
  for (int j = r->first_reset; j < r->first_reset + r->reset_count; j++) {
    const double *row = x->R + (ptrdiff_t)j * nv;
    double size = 0;
    for (int k = 0; k < nv; k++) size += fabs(row[k] * v[k]);
    if (!(fabs(x->change[j]) <= rtol * size + atol * cmb_row_size(NULL, nv, 0, row))) return true;
  }
  return false;
}

/* The impulses `by` along the rows of R are added; whether they are more than rounding. */
static bool add_impulses(cmb_impact *x, const cmb_rule *r, const double *by)
{
  const cmb_equations *eq = x->ev->eq;
  double most = 0, size = 0;
  for (int j = 0; j < r->reset_count; j++) {
    x->rho[j] += by[j];
    most = fmax(most, fabs(by[j]));
    size = fmax(size, fabs(x->rho[j]));
    cmb_add_scaled(eq->nv, by[j], x->response + (ptrdiff_t)j * eq->nv, x->jump);
    cmb_add_scaled(eq->ng, by[j], x->tau_of + (ptrdiff_t)j * eq->ng, x->tau);
  }
  return most > REFINED * size;
}

/* What rounding has left of all three equations (impact.h) is solved for once more: where quantities nearly depend on each other, or on
 * the constraints, the responses to their impulses are large and cancel, and rounding errors do not. First M jump = Rᵀ ρ − Gᵀ τ and
 * G jump = 0; then what is left of change − R jump is in `scale`. */
static void balance_again(cmb_impact *x, const cmb_rule *r)
{
  const int nv = x->ev->eq->nv;
  const double *rows = x->R + (ptrdiff_t)r->first_reset * nv;
  memset(x->momentum, 0, (size_t)nv * sizeof *x->momentum);
  for (int j = 0; j < r->reset_count; j++) {
    cmb_add_scaled(nv, x->rho[j], rows + (ptrdiff_t)j * nv, x->momentum);
  }
  cmb_solve_again(x->ev, x->momentum, x->jump, x->tau);
  for (int j = 0; j < r->reset_count; j++) {
    x->scale[j] = x->change[r->first_reset + j] - cmb_dot(nv, rows + (ptrdiff_t)j * nv, x->jump);
  }
}

/* Whether the impulses do what they were found for, now that their jump has been solved for once more: ρᵀ (change − R jump) beside ρᵀ change,
 * which is jumpᵀ M jump. */
static bool has_room(const cmb_impact *x, const cmb_rule *r)
{
  double left = 0, done = 0;
  for (int j = 0; j < r->reset_count; j++) {
    left += fabs(x->rho[j] * x->scale[j]);
    done += x->rho[j] * x->change[r->first_reset + j];
  }
  return left <= KNOWN * done;
}

cmb_status cmb_impact_solve(cmb_impact *x, int rule, double t, const double *q, const double *v,
                            const double *lambda)
{
  const cmb_equations *eq = x->ev->eq;
  const cmb_rule *r = &eq->rules[rule];
  const int n = r->reset_count;
  bool more = true;
  memset(x->jump, 0, (size_t)eq->nv * sizeof *x->jump);
  memset(x->tau, 0, (size_t)eq->ng * sizeof *x->tau);
  if (n == 0) return CMB_OK;
  CMB_TRY(cmb_resets(x->ev, t, q, v, lambda, x->R, x->change));
  cmb_status status = respond(x, r, t, q);
  if (status == CMB_OK) status = cmb_lu_factor(n, x->A, x->scale, x->pivot);
  CMB_TRY(status);
  memset(x->rho, 0, (size_t)n * sizeof *x->rho);
  memcpy(x->scale, x->change + r->first_reset, (size_t)n * sizeof *x->scale);
  cmb_lu_solve(n, x->A, x->pivot, x->scale);
  add_impulses(x, r, x->scale);
  for (int pass = 0; more && pass < MOST_PASSES; pass++) {
    balance_again(x, r);
    if (pass == 0 && !has_room(x, r)) return CMB_RETRY_SINGULAR;
    cmb_lu_solve(n, x->A, x->pivot, x->scale);
    more = add_impulses(x, r, x->scale);
  }
  return is_allowed(x, x->jump) ? CMB_OK : CMB_RETRY_SINGULAR;
}

cmb_status cmb_impact_is_along(cmb_impact *x, double t, const double *q, const double *R,
                               const double *U, double usual, bool *along)
{
  cmb_evaluator *ev = x->ev;
  const int nv = ev->eq->nv;
  double *w = x->response;
  *along = false;
  if (!(cmb_dot(nv, U, U) > FLAT * usual * usual)) return CMB_OK;
  CMB_TRY(cmb_factor_at(ev, t, q));
  if (!cmb_impact_respond(x, R, w, x->tau_of)) return CMB_OK;
  if (!cmb_impact_respond(x, U, x->normal, x->tau_of)) return CMB_OK;
  const double size = cmb_dot(nv, R, w), square = cmb_dot(nv, U, x->normal);
  cmb_add_scaled(nv, -cmb_dot(nv, R, x->normal) / square, x->normal, w);
  cmb_multiply_mass(ev, w, x->momentum);
  *along = cmb_dot(nv, w, x->momentum) <= PARALLEL * size;
  return CMB_OK;
}
