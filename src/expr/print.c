/*
 * Expressions as text that reads back to the same node (formula.c).
 *
 * A node's text is a short list of pieces: words, and arguments, in parentheses where they bind less tightly than
 * their place asks for. Sums and products, whose arguments the graph keeps in the order of their numbers, are
 * written in the order that needs fewer parentheses: a + (b + c) is b + c + a.
 *
 * The text is written by a walk with a stack of its own. An expression that uses its parts many times can have a text of
 * exponential length; the walk ends when the room is full, and the length is then found by adding up, node by node.
 */
#include "base/context.h"
#include "base/text.h"
#include "expr/graph.h"
#include "expr/token.h"

#include <stdio.h>
#include <string.h>

enum { MOST_PIECES = 12, STACK_AT_FIRST = 64, WALK_AT_LEAST = 4096 };

static const size_t longest = SIZE_MAX / 2;

struct piece {
  const char *words; /* or NULL: */
  cmb_expr argument;
};

/* The text of one node. */
struct layout {
  int count;
  struct piece pieces[MOST_PIECES];
  char number[CMB_NUMBER_ROOM];
};

/* A node on the way, and its next piece. */
struct visit {
  cmb_expr e;
  uint32_t next;
};

struct writer {
  const cmb_graph *g;
  char *text; /* (room) */
  size_t room, length;
  struct visit *stack;
  size_t depth, stack_room;
};

/* ---- the text of one node */

static int binds(const cmb_graph *g, cmb_expr e)
{
  switch (cmb_expr_op(g, e)) {
  case CMB_OP_CONSTANT: return cmb_expr_constant(g, e) < 0 ? CMB_BINDS_SIGN : CMB_BINDS_ATOM;
  case CMB_OP_LT:
  case CMB_OP_LE:
  case CMB_OP_GT:
  case CMB_OP_GE:
  case CMB_OP_EQ:
  case CMB_OP_NE: return CMB_BINDS_COMPARISON;
  case CMB_OP_ADD:
  case CMB_OP_SUB: return CMB_BINDS_SUM;
  case CMB_OP_MUL:
  case CMB_OP_DIV: return CMB_BINDS_PRODUCT;
  case CMB_OP_NEG: return CMB_BINDS_SIGN;
  case CMB_OP_POW: return CMB_BINDS_POWER;
  default: return CMB_BINDS_ATOM;
  }
}

static void put(struct layout *l, const char *words)
{
  l->pieces[l->count++] = (struct piece){words, 0};
}

/* An argument at a place that asks for `least`. */
static void put_argument(struct layout *l, const cmb_graph *g, cmb_expr e, int least)
{
  bool parentheses = binds(g, e) < least;
  if (parentheses) put(l, "(");
  l->pieces[l->count++] = (struct piece){NULL, e};
  if (parentheses) put(l, ")");
}

/* Two arguments with an operator between them; `how` tightly it binds decides what may stand beside it. */
static void lay_out_binary(struct layout *l, const cmb_graph *g, cmb_expr e, int how)
{
  cmb_op op = cmb_expr_op(g, e);
  cmb_expr a = cmb_expr_argument(g, e, 0), b = cmb_expr_argument(g, e, 1);
  int left = how, right = how + 1; /* a - (b - c) */
  if (how == CMB_BINDS_COMPARISON) left = how + 1;
  if (how == CMB_BINDS_POWER) left = CMB_BINDS_ATOM, right = CMB_BINDS_SIGN; /* (a^b)^c, a^-b */
  bool commutes = op == CMB_OP_ADD || op == CMB_OP_MUL;
  bool swapped = commutes && binds(g, b) == how && binds(g, a) > how;
  bool spaced = how < CMB_BINDS_PRODUCT;
  put_argument(l, g, swapped ? b : a, left);
  if (spaced) put(l, " ");
  put(l, cmb_op_text(op));
  if (spaced) put(l, " ");
  put_argument(l, g, swapped ? a : b, right);
}

/* A function's name. Tables and C functions, which formulas cannot name, are told apart for the reader: table#2 is the
 * graph's table number 2, and what follows ' is the order of a derivative; likewise root#1, whose unknown 2 is part'2. */
static void put_function(struct layout *l, const cmb_graph *g, cmb_expr e)
{
  const cmb_node *n = &g->nodes[e];
  char *suffix = l->number;
  bool is_call = n->op == CMB_OP_CALL,
       is_table = cmb_is_table((cmb_op)n->op) || n->op == CMB_OP_SOLVE;
  put(l, is_call ? g->externals[n->data]->name : cmb_op_text((cmb_op)n->op));
  if (is_table) suffix += snprintf(suffix, CMB_NUMBER_ROOM / 2, "#%d", n->data);
  if (n->order > 0) suffix += snprintf(suffix, CMB_NUMBER_ROOM / 2, "'%d", n->order);
  if (suffix > l->number) put(l, l->number);
}

static void lay_out_call(struct layout *l, const cmb_graph *g, cmb_expr e)
{
  const cmb_node *n = &g->nodes[e];
  int arity = n->op == CMB_OP_CALL ? g->externals[n->data]->arity : cmb_op_arity((cmb_op)n->op);
  put_function(l, g, e);
  put(l, "(");
  for (int i = 0; i < arity; i++) {
    if (i > 0) put(l, ", ");
    put_argument(l, g, cmb_expr_argument(g, e, i), 0);
  }
  put(l, ")");
}

static void lay_out(struct layout *l, const cmb_graph *g, cmb_expr e)
{
  cmb_op op = cmb_expr_op(g, e);
  int how = binds(g, e);
  l->count = 0;
  if (op == CMB_OP_CONSTANT) {
    cmb_format_shortest(cmb_expr_constant(g, e), l->number);
    put(l, l->number);
  } else if (op == CMB_OP_INPUT) {
    put(l, cmb_expr_name(g, e));
  } else if (op == CMB_OP_NEG) {
    put(l, cmb_op_text(op));
    put_argument(l, g, cmb_expr_argument(g, e, 0), CMB_BINDS_SIGN);
  } else if (how != CMB_BINDS_ATOM) {
    lay_out_binary(l, g, e, how);
  } else {
    lay_out_call(l, g, e);
  }
}

/* ---- writing */

static bool push(struct writer *w, cmb_expr e)
{
  if (!w->stack || w->depth == w->stack_room) {
    size_t room = w->stack_room ? 2 * w->stack_room : STACK_AT_FIRST;
    struct visit *larger = cmb_allocate(w->g->ctx, room * sizeof *larger);
    if (!larger) return false;
    if (w->stack) memcpy(larger, w->stack, w->depth * sizeof *larger);
    cmb_release(w->g->ctx, w->stack);
    w->stack = larger;
    w->stack_room = room;
  }
  w->stack[w->depth++] = (struct visit){e, 0};
  return true;
}

static void write_words(struct writer *w, const char *words)
{
  size_t length = strlen(words);
  for (size_t i = 0; i < length && w->length + i + 1 < w->room; i++) {
    w->text[w->length + i] = words[i];
  }
  w->length += length;
}

/* Write e until it is done or `limit` characters are. False without memory. */
static bool walk(struct writer *w, cmb_expr e, size_t limit)
{
  struct layout l;
  if (!push(w, e)) return false;
  while (w->depth > 0 && w->length < limit) {
    struct visit *v = &w->stack[w->depth - 1];
    lay_out(&l, w->g, v->e);
    while ((int)v->next < l.count && l.pieces[v->next].words) {
      write_words(w, l.pieces[v->next++].words);
    }
    if ((int)v->next == l.count)
      w->depth--;
    else if (!push(w, l.pieces[v->next++].argument))
      return false;
  }
  return true;
}

/* The length of e's text, at most `longest`. False without memory. */
static bool measure(const cmb_graph *g, cmb_expr e, size_t *length)
{
  struct layout l;
  uint8_t *marked = cmb_reachable(g, 1, &e);
  size_t *lengths = cmb_allocate(g->ctx, ((size_t)e + 1) * sizeof *lengths);
  bool good = marked && lengths;
  for (cmb_expr k = 0; good && k <= e; k++) {
    if (!marked[k]) continue;
    lay_out(&l, g, k);
    for (int i = 0; i < l.count; i++) {
      const struct piece *p = &l.pieces[i];
      lengths[k] += p->words ? strlen(p->words) : lengths[p->argument];
      if (lengths[k] > longest) lengths[k] = longest; /* two of them still fit a size_t */
    }
  }
  if (good) *length = lengths[e];
  cmb_release(g->ctx, marked);
  cmb_release(g->ctx, lengths);
  return good;
}

size_t cmb_expr_print(const cmb_graph *g, cmb_expr e, char *text, size_t room)
{
  struct writer w = {.g = g, .text = text, .room = room};
  bool good = walk(&w, e, room > WALK_AT_LEAST ? room : WALK_AT_LEAST);
  size_t written = w.length < room ? w.length : room - 1;
  if (good && w.depth > 0) good = measure(g, e, &w.length);
  cmb_release(g->ctx, w.stack);
  if (room > 0) text[good ? written : 0] = '\0';
  if (good) return w.length;
  ((cmb_graph *)g)->failed =
      true; /* as always without memory, though printing changes nothing else */
  return 0;
}
