/*
 * Late states (build.h): those whose rates read what is known only when the motion is, ż = e(t, q, v, z, a, λ, μ) with the forces μ of rests.
 *
 * No force depends on such a rate (names.c refuses it), so that M a = f − Gᵀ λ, 0 = G a + γ can be solved first:
 *
 *     e(t, q, v, z) = e(t, q, v, z, a(t, q, v, z), λ(t, q, v, z), 0)
 *
 * is what every method sees, and its derivatives are exact. The solution is that of the explicit formalism where there is one, else the
 * elimination of expr/elimination.h. Where bodies rest, where friction holds and where constraints depend on each other that is not the
 * motion: e itself is handed on, too, and the evaluator puts in a, λ and μ as they are (dae/evaluator.c).
 */
#include "base/context.h"
#include "dyn/build.h"
#include "expr/algebra.h"
#include "expr/elimination.h"

#include <string.h>

static cmb_expr *expressions(cmb_build *b, int count)
{
  return cmb_arena_take(b->arena, (size_t)count + 1, sizeof(cmb_expr));
}

/* The rates again, now that reactions can be asked for. */
static cmb_status read_again(cmb_build *b)
{
  cmb_status status = CMB_OK;
  for (int i = 0; i < b->model->state_count; i++) {
    if (b->state_late[i]) b->rate_state[i] = CMB_NOT_BUILT;
  }
  b->outputs = true;
  for (int i = 0; i < b->model->state_count && status == CMB_OK; i++) {
    status = cmb_build_state_rate(b, i);
  }
  b->outputs = false;
  return status;
}

/* x := (a, λ) from M, f, G and γ of the mechanism alone. */
static cmb_status eliminate(cmb_build *b, const cmb_expressions *x, cmb_expr *solution)
{
  const int nv = b->tree->nv, ng = x->ng;
  cmb_expr *M = cmb_arena_take(b->arena, (size_t)nv * (size_t)nv, sizeof *M);
  cmb_expr *G = cmb_arena_take(b->arena, (size_t)ng * (size_t)nv + 1, sizeof *G);
  if (!M || !G) return CMB_ERROR_MEMORY;
  for (int k = 0; k < x->M.count; k++) {
    const cmb_entry *at = &x->M.entry[k];
    M[(size_t)at->row * (size_t)nv + (size_t)at->column] = at->e;
  }
  for (int k = 0; k < x->G.count; k++) {
    const cmb_entry *at = &x->G.entry[k];
    G[(size_t)at->row * (size_t)nv + (size_t)at->column] = at->e;
  }
  const cmb_elimination *e = cmb_eliminate(b->g, b->arena, nv, ng, M, G, G);
  if (!e) return CMB_ERROR_MEMORY;
  memcpy(solution, x->f, (size_t)nv * sizeof *solution);
  for (int i = 0; i < ng; i++) solution[nv + i] = cmb_neg(b->g, x->gamma[i]);
  cmb_elimination_solve(e, solution);
  return CMB_OK;
}

/* (a, λ) as functions of t, q, v and z. */
static cmb_status solve(cmb_build *b, const cmb_expressions *x, cmb_expr *solution)
{
  const int nv = b->tree->nv;
  if (x->acceleration) {
    memcpy(solution, x->acceleration, (size_t)nv * sizeof *solution);
    memcpy(solution + nv, x->multiplier, (size_t)x->ng * sizeof *solution);
    return CMB_OK;
  }
  if (x->mass_factors.count == 0) return eliminate(b, x, solution);
  return cmb_fail_about(b->ctx, CMB_ERROR_INPUT, cmb_about_at(b->model->place),
                        "the rates of states read accelerations or constraint forces, which for a "
                        "chain of this length with %d constraints are not known as formulas; "
                        "expected the Cartesian formulation",
                        x->ng);
}

/* In `count` rates: a and λ become what the motion makes of them, or stay (solution NULL); no body rests. */
static cmb_status put_motion(cmb_build *b, const cmb_expressions *x, const cmb_expr *solution,
                             int count, const cmb_expr *from, cmb_expr *to)
{
  const int nv = b->tree->nv, pushes = b->pushes ? b->push_count : 0;
  cmb_expr *old = expressions(b, nv + x->ng + pushes), *new = expressions(b, nv + x->ng + pushes);
  int n = 0;
  if (!old || !new) return CMB_ERROR_MEMORY;
  for (int i = 0; solution && i < nv; i++, n++) old[n] = b->k->a[i], new[n] = solution[i];
  for (int i = 0; solution && i < x->ng; i++, n++) old[n] = x->lambda[i], new[n] = solution[nv + i];
  for (int i = 0; i < pushes; i++, n++) old[n] = b->pushes[i].force, new[n] = 0;
  return cmb_substitute(b->g, n, old, new, count, from, to);
}

cmb_status cmb_build_late_states(cmb_build *b, cmb_expressions *x, cmb_expr *rate)
{
  const int nz = b->model->state_count;
  memcpy(rate, b->state_rate, (size_t)nz * sizeof *rate);
  b->state_rate_free = b->state_rate;
  for (int i = 0; i < nz; i++) x->nl += b->state_late[i];
  if (x->nl == 0) return CMB_OK;
  cmb_expr *solution = expressions(b, b->tree->nv + x->ng);
  x->late_row = cmb_arena_ints(b->arena, x->nl);
  x->late = expressions(b, x->nl);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  CMB_TRY(read_again(b));
  for (int i = 0, n = 0; i < nz; i++) {
    if (!b->state_late[i]) continue;
    x->late_row[n] = b->tree->nv + i;
    x->late[n++] = b->state_rate[i];
  }
  CMB_TRY(solve(b, x, solution));
  b->state_rate_free = expressions(b, nz);
  if (!b->state_rate_free) return CMB_ERROR_MEMORY;
  CMB_TRY(put_motion(b, x, NULL, nz, b->state_rate, b->state_rate_free));
  return put_motion(b, x, solution, nz, b->state_rate, rate);
}
