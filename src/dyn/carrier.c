/*
 * Determines which joint motions carry the whole mechanism over the ground (carrier.h), from the tree of links.
 */
#include "dyn/carrier.h"

#include "base/context.h"
#include "dyn/tree.h"
#include "expr/graph.h"

/* Returns whether all links on the path from the parent of `link` to the ground are shifts (prismatic motions). */
static bool has_only_shifts_before(const cmb_tree *tree, int link)
{
  for (int k = tree->links[link].parent; k != CMB_GROUND; k = tree->links[k].parent) {
    if (tree->links[k].kind != CMB_LINK_SHIFT) return false;
  }
  return true;
}

static cmb_carrying carrying_of(const cmb_tree *tree, int link, int component)
{
  if (!has_only_shifts_before(tree, link)) return CMB_CARRY_NOTHING;
  switch (tree->links[link].kind) {
  case CMB_LINK_SHIFT: return CMB_CARRY_SHIFT;
  case CMB_LINK_TURN: return CMB_CARRY_TURN;
  case CMB_LINK_BALL: return component == 0 ? CMB_CARRY_BALL : CMB_CARRY_BALL_MORE;
  default: return CMB_CARRY_NOTHING;
  }
}

static void describe(const cmb_tree *tree, int link, cmb_carrier *carriers)
{
  const cmb_link *l = &tree->links[link];
  for (int k = 0; k < cmb_link_velocities(l->kind); k++) {
    cmb_carrier *c = &carriers[l->v + k];
    *c = (cmb_carrier){.kind = carrying_of(tree, link, k),
                       .joint = l->joint,
                       .q = l->q,
                       .link = link,
                       .before = l->parent == CMB_GROUND ? -1 : l->parent};
    for (int i = 0; i < 9; i++) c->R0[i] = l->R0[i].value;
    for (int i = 0; i < 3; i++) c->axis[i] = l->R0[3 * i + 2].value;
  }
}

cmb_status cmb_carriers_find(cmb_context *ctx, cmb_arena *arena, const cmb_model *model, int *count,
                             cmb_carrier **carriers)
{
  cmb_graph *g;
  cmb_tree *tree;
  cmb_arena *scratch = cmb_arena_create(ctx);
  if (!scratch) return cmb_fail_memory(ctx);
  cmb_status status = cmb_graph_copy(ctx, model->graph, &g);
  if (status == CMB_OK) {
    status = cmb_tree_create(scratch, g, model, &tree);
    if (status == CMB_OK) {
      *count = tree->nv;
      *carriers = cmb_arena_take(arena, (size_t)tree->nv + 1, sizeof **carriers);
      if (!*carriers) status = CMB_ERROR_MEMORY;
    }
    for (int i = 0; status == CMB_OK && i < tree->link_count; i++) describe(tree, i, *carriers);
    cmb_graph_destroy(g);
  }
  cmb_arena_destroy(scratch);
  return status == CMB_ERROR_MEMORY ? cmb_fail_memory(ctx) : status;
}
