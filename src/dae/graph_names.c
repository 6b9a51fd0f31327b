/*
 * Names of switching functions, for messages about events (graph_parts.h).
 *
 * A name suggested by the model (a hint) goes to the switching function that has the expression of the hint. Any other function is
 * named after the formula or force that contains it: of several, the first one listed, which is the innermost. Functions with the
 * same name are numbered. A function whose expression contains another one belongs to the same formula or to one further out.
 */
#include "base/context.h"
#include "dae/graph_parts.h"
#include "expr/graph.h"

#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 450 };

struct naming {
  cmb_graph_parts *p;
  int *mode_at;     /* (size) 1 + index of the mode that a graph node represents; 0: none */
  uint8_t *visited; /* (size) nodes that have been visited */
  cmb_expr *stack;  /* (size) nodes that are to be visited */
};

/* Scores how well a name that the model suggests fits switching function i; the function gets the name with the highest score. The name of an
 * event's condition (`of_rule` set) scores 1 if only events depend on the function, else 0. Any other name scores −1 if only events depend on
 * the function; otherwise 1 for a function of friction that can stick, and else 0. */
static int hint_score(const cmb_graph_parts *p, int i, bool of_rule)
{
  const bool silent = i >= p->motion_ns, sticks = cmb_modes_at(p->modes, i)->kind == CMB_MODE_STICK;
  return of_rule ? silent : silent ? -1 : sticks;
}

/* Returns whether the mode of switching function i is determined by the expression e or by minus_e = −e. The negative occurs where
 * the arguments of min or max have been exchanged. */
static bool has_expression(const cmb_graph_parts *p, int i, cmb_expr e, cmb_expr minus_e)
{
  const cmb_expr of = cmb_modes_at(p->modes, i)->of;
  return of == e || of == minus_e;
}

/* Returns whether switching function i gets name number k of the list of names that the model suggests, each for an expression e: the function
 * must be e or −e, its score (hint_score) must not be negative, and no other function with this expression may have a higher score. */
static bool is_named(const cmb_graph_parts *p, int i, int k, cmb_expr e)
{
  const bool of_rule = p->x->hint_of_rule[k];
  const int score = hint_score(p, i, of_rule);
  const cmb_expr minus_e = cmb_apply(p->x->graph, CMB_OP_NEG, e, 0, 0);
  if (score < 0 || !has_expression(p, i, e, minus_e)) return false;
  for (int j = 0; j < p->ns; j++) {
    if (has_expression(p, j, e, minus_e) && hint_score(p, j, of_rule) > score) return false;
  }
  return true;
}

/* Gives switching functions the names that the model suggests for their expressions, where is_named() accepts them. If several names fit one
 * function, a name that a formula of the motion suggests is preferred to that of an event's condition, and among names of the same kind the
 * last one. */
static cmb_status use_hints(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  cmb_expr *hint = cmb_arena_take(p->arena, (size_t)x->hint_count, sizeof *hint);
  if (!hint) return cmb_fail_memory(p->ctx);
  CMB_TRY(cmb_modes_freeze(p->modes, x->graph, x->hint_count, x->hints, hint));
  for (int k = 0; k < 2 * x->hint_count; k++) { /* those of the motion come last and win */
    const int h = k % x->hint_count;
    if (x->hint_of_rule[h] != (k < x->hint_count)) continue;
    for (int i = 0; i < p->ns; i++) {
      if (!is_named(p, i, h, hint[h])) continue;
      p->switch_names[i] = x->hint_names[h];
      p->switch_kinds[i] = x->hint_of_contact[h] ? CMB_SWITCH_CONTACT : CMB_SWITCH_NAMED;
    }
  }
  return CMB_OK;
}

static void push(struct naming *n, int *depth, cmb_expr e)
{
  if (n->visited[e]) return;
  n->visited[e] = 1;
  n->stack[(*depth)++] = e;
}

/* Gives `name` to each unnamed switching function on whose mode the expression `root` depends, directly or through the expression of
 * another switching function. Searches depth-first and skips nodes that were visited for earlier expressions. */
static void name_in(struct naming *n, cmb_expr root, const char *name)
{
  const cmb_graph *g = n->p->x->graph;
  int depth = 0;
  push(n, &depth, root);
  while (depth > 0) {
    const cmb_expr e = n->stack[--depth];
    const int mode = n->mode_at[e] - 1, arity = cmb_op_arity(cmb_expr_op(g, e));
    for (int k = 0; k < arity; k++) push(n, &depth, cmb_expr_argument(g, e, k));
    if (mode < 0) continue;
    if (mode < n->p->ns && !n->p->switch_names[mode]) {
      n->p->switch_names[mode] = name;
      const bool sticks = cmb_modes_at(n->p->modes, mode)->kind == CMB_MODE_STICK;
      n->p->switch_kinds[mode] = sticks ? CMB_SWITCH_NAMED : CMB_SWITCH_FORMULA;
    }
    push(n, &depth, cmb_modes_at(n->p->modes, mode)->of);
  }
}

/* Names each switching function without a name after the first source (a formula or force of the model) whose expression depends on the
 * function's mode. */
static cmb_status use_sources(cmb_graph_parts *p)
{
  const cmb_expressions *x = p->x;
  cmb_expr *frozen = cmb_arena_take(p->arena, (size_t)x->source_count, sizeof *frozen);
  if (!frozen) return cmb_fail_memory(p->ctx);
  CMB_TRY(cmb_modes_freeze(p->modes, x->graph, x->source_count, x->sources, frozen));
  const size_t size = cmb_graph_size(x->graph);
  struct naming n = {.p = p,
                     .mode_at = cmb_allocate(p->ctx, size * sizeof *n.mode_at),
                     .visited = cmb_allocate(p->ctx, size),
                     .stack = cmb_allocate(p->ctx, size * sizeof *n.stack)};
  const bool good = n.mode_at && n.visited && n.stack;
  for (int i = 0; good && i < cmb_modes_count(p->modes); i++) {
    n.mode_at[cmb_modes_at(p->modes, i)->mode] = 1 + i;
  }
  for (int k = 0; good && k < x->source_count; k++) name_in(&n, frozen[k], x->source_names[k]);
  cmb_release(p->ctx, n.mode_at);
  cmb_release(p->ctx, n.visited);
  cmb_release(p->ctx, n.stack);
  return good ? CMB_OK : cmb_fail_memory(p->ctx);
}

/* Appends numbers to the names of switching functions that share a name: "input u, line 12 (1)", "input u, line 12 (2)". */
static cmb_status number_names(cmb_graph_parts *p)
{
  int *number = cmb_arena_ints(p->arena, p->ns);
  if (!number) return cmb_fail_memory(p->ctx);
  for (int i = 0; i < p->ns; i++) {
    int k = i - 1; /* the last function before i with the same name */
    while (k >= 0 && strcmp(p->switch_names[i], p->switch_names[k]) != 0) k--;
    if (k < 0) continue;
    if (number[k] == 0) number[k] = 1;
    number[i] = number[k] + 1;
  }
  for (int i = 0; i < p->ns; i++) {
    char text[NAME_ROOM];
    if (number[i] == 0) continue;
    snprintf(text, sizeof text, "%s (%d)", p->switch_names[i], number[i]);
    p->switch_names[i] = cmb_arena_text(p->arena, text);
  }
  return cmb_arena_failed(p->arena) ? cmb_fail_memory(p->ctx) : CMB_OK;
}

cmb_status cmb_graph_name_switches(cmb_graph_parts *p)
{
  p->switch_names = cmb_arena_take(p->arena, (size_t)p->ns, sizeof *p->switch_names);
  p->switch_kinds = cmb_arena_take(p->arena, (size_t)p->ns, sizeof *p->switch_kinds);
  if (!p->switch_names || !p->switch_kinds) return cmb_fail_memory(p->ctx);
  if (p->ns == 0) return CMB_OK;
  CMB_TRY(use_hints(p));
  CMB_TRY(use_sources(p));
  for (int i = 0; i < p->ns; i++) { /* expressions that come from no model */
    if (!p->switch_names[i]) p->switch_names[i] = cmb_modes_at(p->modes, i)->name;
  }
  return number_names(p);
}
