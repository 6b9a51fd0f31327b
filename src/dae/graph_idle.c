/*
 * Finds the switching functions of a graph system that have no effect as long as the live parameters have their first values, such as t − t₁
 * in if(stair > 0, if(t > t₁, ..), ..) with stair = 0. With parameters that are not live, such functions vanish from the expressions.
 *
 * The values of the parameters are substituted for them in a copy of the expressions, which simplifies them. A switching function that becomes
 * a constant, like stair above, has one sign, which is then substituted for its mode in the same way.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"

#include <string.h>

/* The copy: all parts up to the energy, then the switching functions and the arguments of levels. */
struct copy {
  cmb_graph *graph;
  int count, margins; /* number of expressions, and the index of the first switching function */
  cmb_expr *e, *mode; /* (count), (ns) */
};

static cmb_status copy_parts(const cmb_graph_parts *p, struct copy *c)
{
  const cmb_expressions *x = p->x;
  const int live = x->held_first, ns = p->ns;
  c->margins = (int)(p->part[CMB_PART_ENERGY] - p->part[0]) + p->count[CMB_PART_ENERGY];
  c->count = c->margins + ns + p->count[CMB_PART_DECIDING];
  cmb_expr *from = cmb_arena_take(p->arena, (size_t)c->count + (size_t)ns, sizeof *from);
  cmb_expr *value = cmb_arena_take(p->arena, (size_t)live, sizeof *value);
  c->e = cmb_arena_take(p->arena, (size_t)c->count + (size_t)ns, sizeof *c->e);
  c->mode = c->e + c->count;
  if (cmb_arena_failed(p->arena)) return cmb_fail_memory(p->ctx);
  memcpy(from, p->part[0], (size_t)c->margins * sizeof *from);
  memcpy(from + c->margins, p->part[CMB_PART_MARGINS],
         (size_t)(c->count - c->margins) * sizeof *from);
  for (int i = 0; i < ns; i++) from[c->count + i] = cmb_modes_at(p->modes, i)->mode;
  for (int i = 0; i < live; i++) value[i] = cmb_constant(c->graph, x->parameter_value[i]);
  return cmb_import(c->graph, x->graph, live, x->parameter, value, c->count + ns, from, c->e);
}

/* Substitutes the signs of switching functions that are constants for their modes, until no further one becomes constant. */
static cmb_status substitute_signs(const cmb_graph_parts *p, struct copy *c)
{
  cmb_expr *input = cmb_arena_take(p->arena, 2 * (size_t)p->ns, sizeof *input);
  bool *known = cmb_arena_take(p->arena, (size_t)p->ns, sizeof *known);
  if (!input || !known) return cmb_fail_memory(p->ctx);
  cmb_expr *sign = input + p->ns;
  for (int count = -1; count != 0;) {
    count = 0;
    for (int i = 0; i < p->ns; i++) {
      const cmb_expr s = c->e[c->margins + i];
      const bool has_sign = cmb_modes_at(p->modes, i)->kind == CMB_MODE_SIGN;
      if (known[i] || !has_sign || cmb_expr_op(c->graph, s) != CMB_OP_CONSTANT) continue;
      known[i] = true;
      input[count] = c->mode[i];
      sign[count++] = cmb_constant(c->graph, c->graph->nodes[s].value > 0 ? 1 : -1);
    }
    CMB_TRY(cmb_substitute(c->graph, count, input, sign, c->count, c->e, c->e));
  }
  return CMB_OK;
}

/* Finds the switching functions i whose mode has no effect on the equations in the graph c, and sets idle[i] for these (ns entries): no
 * equation depends on the mode, and no other switching function does whose own mode has an effect. */
static cmb_status list_idle(const cmb_graph_parts *p, const struct copy *c, bool *idle)
{
  bool changed = true;
  cmb_expr *root = cmb_arena_take(p->arena, (size_t)c->count, sizeof *root);
  if (!root) return cmb_fail_memory(p->ctx);
  memcpy(root, c->e, (size_t)c->margins * sizeof *root);
  for (int i = 0; i < p->ns; i++) idle[i] = true;
  for (int count = c->margins; changed;) {
    uint8_t *used = cmb_reachable(c->graph, count, root);
    if (!used) return cmb_fail_memory(p->ctx);
    changed = false;
    for (int i = 0; i < p->ns; i++) {
      if (!idle[i] || !used[c->mode[i]]) continue;
      idle[i] = false;
      changed = true;
      root[count++] = c->e[c->margins + i];
    }
    cmb_release(p->ctx, used);
  }
  return CMB_OK;
}

cmb_status cmb_graph_idle_list(const cmb_graph_parts *p, cmb_arena *arena, cmb_equations *eq)
{
  struct copy c = {0};
  if (p->x->held_first == 0 || p->ns == 0) return CMB_OK;
  bool *idle = cmb_arena_take(arena, (size_t)p->ns, sizeof *idle);
  if (!idle) return cmb_fail_memory(p->ctx);
  cmb_status status = cmb_graph_create(p->ctx, &c.graph);
  if (status == CMB_OK) status = copy_parts(p, &c);
  if (status == CMB_OK) status = substitute_signs(p, &c);
  if (status == CMB_OK) status = list_idle(p, &c, idle);
  cmb_graph_destroy(c.graph);
  eq->switch_idle = idle;
  return status;
}
