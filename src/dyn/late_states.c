/*
 * Builds the rates of late states: states z whose rates depend on accelerations a, multipliers λ or the forces μ of resting contacts,
 * ż = e(t, q, v, z, a, λ, μ). states.c calls it when the equations of motion of the formulation are complete.
 *
 * No force depends on such a rate (names.c reports an error if one does), so that M a = f − Gᵀ λ, 0 = G a + γ can be solved first:
 *
 *     e(t, q, v, z) = e(t, q, v, z, a(t, q, v, z), λ(t, q, v, z), 0)
 *
 * is the rate in the equations of every formulation, and its derivatives are exact. The solution a, λ is that of the explicit formalism if
 * it is available, else the symbolic elimination of expr/elimination.h. With resting contacts, sticking friction or dependent constraints
 * this solution is not the motion. Therefore e with a, λ and μ as inputs is stored, too, and the evaluator inserts their actual values
 * (dae/evaluator.c).
 */
#include "base/context.h"
#include "dyn/build.h"
#include "expr/algebra.h"
#include "expr/elimination.h"
#include "expr/graph.h"

#include <string.h>

static cmb_expr *expressions(cmb_build *b, int count)
{
  return cmb_arena_take(b->arena, (size_t)count + 1, sizeof(cmb_expr));
}

/* Rebuilds the rates of those first-order states that depend on accelerations or constraint forces, once these are available to formulas. */
static cmb_status rebuild_late_rates(cmb_build *b)
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

/* Solves the linear equations M a + Gᵀ λ = f, G a = −γ symbolically for the accelerations a and Lagrange multipliers λ of the mechanism,
 * without its first-order states. Writes the expressions of a (nv) and then of λ (ng) to `solution`. */
static cmb_status solve_symbolically(cmb_build *b, const cmb_expressions *x, cmb_expr *solution)
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

/* Writes the expressions of the accelerations a (nv) and then of the Lagrange multipliers λ (ng), as functions of t,
 * q, v and z, to `solution`. Reports an error if M is known only as a product of factors and no closed form of a
 * exists. */
static cmb_status build_solution(cmb_build *b, const cmb_expressions *x, cmb_expr *solution)
{
  const int nv = b->tree->nv;
  if (x->acceleration) {
    memcpy(solution, x->acceleration, (size_t)nv * sizeof *solution);
    memcpy(solution + nv, x->multiplier, (size_t)x->ng * sizeof *solution);
    return CMB_OK;
  }
  if (x->mass_factors.count == 0) return solve_symbolically(b, x, solution);
  return cmb_fail_about(
      b->ctx, CMB_ERROR_INPUT, cmb_about_at(b->model->place),
      "the rates of states depend on accelerations or constraint forces, for which "
      "no formulas are made in such a long chain of bodies with constraints (%d); "
      "expected the Cartesian formulation",
      x->ng);
}

/* Copies the expressions from[count] to to[count]; replaces in them the accelerations and Lagrange multipliers by `solution` (NULL: not
 * replaced), and the forces of closed unilateral contacts by 0. */
static cmb_status substitute_motion(cmb_build *b, const cmb_expressions *x,
                                    const cmb_expr *solution, int count, const cmb_expr *from,
                                    cmb_expr *to)
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

/* Returns whether the choice of a branch in the expression e (of if, abs, max, ..) depends on an expression that is marked in marked[].
 * Branches inside smooth(..) do not count. seen[e + 1] is scratch and must be false on entry. */
static bool branches_on_marked(const cmb_graph *g, cmb_expr e, const bool *marked, bool *seen)
{
  seen[e] = true;
  for (cmb_expr k = e + 1; k-- > 0;) {
    const cmb_op op = cmb_expr_op(g, k);
    if (!seen[k] || op == CMB_OP_SMOOTH) continue;
    for (int i = 0; i < cmb_op_arity(op); i++) {
      const cmb_expr x = cmb_expr_argument(g, k, i);
      if (cmb_is_decision(g, k, i) && marked[x]) return true;
      seen[x] = true;
    }
  }
  return false;
}

/* Reports an error if the rate of a state has a branch (if, abs, max, ..) that depends on accelerations, Lagrange multipliers or contact
 * forces, because these are unknown when the branch is chosen. Branches inside smooth(..) are allowed. */
static cmb_status check_branches(cmb_build *b, const cmb_expressions *x)
{
  const size_t size = cmb_graph_size(b->g);
  bool *marked = cmb_arena_take(b->arena, size, sizeof *marked);
  if (!marked) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->tree->nv; i++) marked[b->k->a[i]] = true;
  for (int i = 0; i < x->ng; i++) marked[x->lambda[i]] = true;
  for (int i = 0; b->pushes && i < b->push_count; i++) marked[b->pushes[i].force] = true;
  for (cmb_expr e = 0; e < size; e++) {
    for (int i = 0; i < cmb_op_arity(cmb_expr_op(b->g, e)); i++) {
      marked[e] = marked[e] || marked[cmb_expr_argument(b->g, e, i)];
    }
  }
  for (int i = 0; i < b->model->state_count; i++) {
    const cmb_model_state *s = &b->model->states[i];
    bool *seen = b->state_late[i] ? cmb_arena_take(b->arena, size, sizeof *seen) : NULL;
    if (!seen || !branches_on_marked(b->g, b->state_rate[i], marked, seen)) continue;
    return cmb_build_fail(
        b, cmb_about_part(&s->place, "state", s->name),
        "the rate of state '%s' switches (if, abs, max, sign, a linear table, ..) "
        "with an acceleration or a constraint force, which is not known when the "
        "branch is chosen; expected a smooth formula, or smooth(..) around it",
        s->name);
  }
  return CMB_OK;
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
  CMB_TRY(rebuild_late_rates(b));
  CMB_TRY(check_branches(b, x));
  for (int i = 0, n = 0; i < nz; i++) {
    if (!b->state_late[i]) continue;
    x->late_row[n] = b->tree->nv + i;
    x->late[n++] = b->state_rate[i];
  }
  CMB_TRY(build_solution(b, x, solution));
  b->state_rate_free = expressions(b, nz);
  if (!b->state_rate_free) return CMB_ERROR_MEMORY;
  CMB_TRY(substitute_motion(b, x, NULL, nz, b->state_rate, b->state_rate_free));
  return substitute_motion(b, x, solution, nz, b->state_rate, rate);
}
