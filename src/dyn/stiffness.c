/*
 * Writes the stiff part of the applied forces' derivatives as a sum of symmetric rank-1 terms (cmb_expressions.stiff_row), for methods that
 * neglect the rest (Burgermeister, Arnold and Esterl 2006 §2).
 *
 * A force Q(x, ẋ) along a measure x adds wᵀ Q to the generalised forces, w = ∂ẋ/∂v. Its derivatives are
 *
 *     ∂f/∂q T = wᵀ ∂Q/∂x w + wᵀ ∂Q/∂ẋ (∂ẋ/∂q T) + (∂wᵀ/∂q T) Q,      ∂f/∂v = wᵀ ∂Q/∂ẋ w.
 *
 * The stiff terms are those of springs and dampers, the products with w on both sides: two numbers and a row for each force, symmetric,
 * and negative where Q opposes the motion. The other terms have the size of force over length and are not stiff. Forces that depend on more
 * than their x and ẋ, t and parameters are collected in `loose`: the methods differentiate them exactly, as they do the rates of states.
 */
#include "dyn/build.h"

#include "base/context.h"
#include "expr/graph.h"

static cmb_status depends_on_measure_only(const cmb_build *b, cmb_expr force, bool *pure)
{
  const cmb_kinematics *k = b->k;
  uint8_t *used = cmb_reachable(b->g, 1, &force);
  if (!used) return cmb_fail_memory(b->ctx);
  *pure = true;
  for (int i = 0; i < b->tree->nq; i++) *pure = *pure && !used[k->q[i]];
  for (int i = 0; i < b->tree->nv; i++) *pure = *pure && !used[k->v[i]];
  for (int i = 0; i < b->model->state_count; i++) *pure = *pure && !used[b->state[i]];
  cmb_release(b->ctx, used);
  return CMB_OK;
}

/* Builds the derivative of a force law Q(x, ẋ) with respect to `symbol`, which represents x or ẋ, and inserts the actual x and ẋ. Reverses its
 * sign if x decreases as the body moves forward along the line of the force. */
static cmb_status law_derivative(cmb_build *b, const cmb_action *a, cmb_expr symbol, cmb_expr *out)
{
  const cmb_expr one = cmb_constant(b->g, 1);
  CMB_TRY(cmb_forward(b->g, 1, &symbol, &one, 1, &a->law, out));
  CMB_TRY(cmb_build_law(b, a->value, a->rate, out));
  if (a->against) *out = cmb_apply(b->g, CMB_OP_NEG, *out, 0, 0);
  return CMB_OK;
}

/* Appends a force Q(y, ẏ) to the stiff forces in x: the row w = ∂ẏ/∂v and the derivatives ∂Q/∂y and ∂Q/∂ẏ, unless both are 0. *covered becomes
 * whether the force acts along one line by a law that depends on the state through y and ẏ alone; if not, appends nothing. */
static cmb_status add_stiff_force(cmb_build *b, const cmb_action *a, cmb_expressions *x,
                                  bool *covered)
{
  const cmb_law_symbols s = cmb_build_law_symbols(b);
  const int n = x->stiff_count;
  cmb_expr *row = x->stiff_row + (size_t)n * (size_t)x->nv;
  *covered = false;
  if (!a->along_line) return CMB_OK;
  CMB_TRY(depends_on_measure_only(b, a->law, covered));
  if (!*covered) return CMB_OK;
  CMB_TRY(law_derivative(b, a, s.x, &x->stiff_x[n]));
  CMB_TRY(law_derivative(b, a, s.rate, &x->stiff_rate[n]));
  if (x->stiff_x[n] == 0 && x->stiff_rate[n] == 0) return CMB_OK;
  cmb_measure_force(b->k, &a->line, cmb_constant(b->g, 1), b->scratch, row);
  x->stiff_count++;
  return CMB_OK;
}

cmb_status cmb_build_stiffness(cmb_build *b, cmb_expressions *x)
{
  const size_t most = (size_t)b->actions.count + 1, nv = (size_t)x->nv;
  x->stiff_row = cmb_arena_take(b->arena, most * nv, sizeof *x->stiff_row);
  x->stiff_x = cmb_arena_take(b->arena, most, sizeof *x->stiff_x);
  x->stiff_rate = cmb_arena_take(b->arena, most, sizeof *x->stiff_rate);
  x->loose = cmb_arena_take(b->arena, nv + 1, sizeof *x->loose);
  x->forces = cmb_arena_take(b->arena, nv + 1, sizeof *x->forces);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < b->actions.count; i++) {
    const cmb_action *a = cmb_action_at(b, i);
    const int n = x->stiff_count;
    bool covered;
    CMB_TRY(add_stiff_force(b, a, x, &covered));
    if (x->stiff_count > n) {
      cmb_build_derivative_source(b, i, x->stiff_x[n]);
      cmb_build_derivative_source(b, i, x->stiff_rate[n]);
    }
    cmb_measure_force(b->k, &a->measure, a->force, b->scratch, x->forces);
    if (!covered) cmb_measure_force(b->k, &a->measure, a->force, b->scratch, x->loose);
  }
  for (int i = 0; i < x->nz; i++) {
    x->forces[b->tree->nv + i] = x->loose[b->tree->nv + i] = b->state_rate_free[i];
  }
  return cmb_graph_status(b->g);
}
