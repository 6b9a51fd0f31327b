/*
 * Prints expressions as text that can be parsed back to the same node by formula.c (cmb_expr_print), except tables, solved systems and
 * derivatives of C functions, which formulas cannot write.
 *
 * The text of a node is a short list of pieces: words, and arguments, which are in parentheses if their precedence is too low for their
 * position. Sums and products, whose arguments the graph keeps in the order of their numbers, are written in the order that needs fewer
 * parentheses: a + (b + c) becomes b + c + a.
 *
 * The nodes are visited with an explicit stack. An expression that uses its parts many times can have a text of exponential length;
 * printing ends when the room is full, and the length of the whole text is then computed by adding up, node by node.
 */
#include "base/context.h"
#include "base/text.h"
#include "expr/graph.h"
#include "expr/token.h"

#include <stdio.h>
#include <string.h>

enum { MAX_PIECES = 12, INITIAL_STACK = 64, LEAST_LIMIT = 4096 };

static const size_t longest = SIZE_MAX / 2;

struct piece {
  const char *words; /* NULL: the piece is an argument */
  cmb_expr argument;
};

/* The pieces of the text of one node. */
struct layout {
  int count;
  struct piece pieces[MAX_PIECES];
  char number[CMB_NUMBER_ROOM];
};

/* A node whose text is being printed, and the number of its next piece. */
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

/* ---- the pieces of one node */

/* Returns the precedence of the operator with which node e is printed in a formula; the highest one, CMB_BINDS_ATOM, for non-negative numbers,
 * names and function calls. */
static int precedence_of(const cmb_graph *g, cmb_expr e)
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

static void append(struct layout *l, const char *words)
{
  l->pieces[l->count++] = (struct piece){words, 0};
}

/* Appends the argument e of a node to the list of pieces of the node's text, in parentheses if the precedence of its own operator is lower than
 * `least`. */
static void append_argument(struct layout *l, const cmb_graph *g, cmb_expr e, int least)
{
  bool parentheses = precedence_of(g, e) < least;
  if (parentheses) append(l, "(");
  l->pieces[l->count++] = (struct piece){NULL, e};
  if (parentheses) append(l, ")");
}

/* Appends the operation e, an infix operator with two arguments, to the list of pieces of its text, with parentheses where the operator's
 * precedence requires them. Exchanges the arguments of a sum or product if only the second one would need parentheses and none are needed then. */
static void lay_out_binary(struct layout *l, const cmb_graph *g, cmb_expr e, int precedence)
{
  cmb_op op = cmb_expr_op(g, e);
  cmb_expr a = cmb_expr_argument(g, e, 0), b = cmb_expr_argument(g, e, 1);
  int left = precedence, right = precedence + 1; /* a - (b - c) */
  if (precedence == CMB_BINDS_COMPARISON) left = precedence + 1;
  if (precedence == CMB_BINDS_POWER)
    left = CMB_BINDS_ATOM, right = CMB_BINDS_SIGN; /* (a^b)^c, a^-b */
  bool commutes = op == CMB_OP_ADD || op == CMB_OP_MUL;
  bool swapped = commutes && precedence_of(g, b) == precedence && precedence_of(g, a) > precedence;
  bool spaced = precedence < CMB_BINDS_PRODUCT;
  append_argument(l, g, swapped ? b : a, left);
  if (spaced) append(l, " ");
  append(l, cmb_op_text(op));
  if (spaced) append(l, " ");
  append_argument(l, g, swapped ? a : b, right);
}

/* Appends the function name of node e to the list of pieces of its text. Tables and solved systems, which have no names, get their number in
 * the graph, as in table#2 and root#1. If the order of a derivative, or the index of an unknown, is not 0, it follows after a ', as in part'2. */
static void append_function(struct layout *l, const cmb_graph *g, cmb_expr e)
{
  const cmb_node *n = &g->nodes[e];
  char *suffix = l->number;
  bool is_call = n->op == CMB_OP_CALL,
       is_table = cmb_is_table((cmb_op)n->op) || n->op == CMB_OP_SOLVE;
  append(l, is_call ? g->externals[n->data]->name : cmb_op_text((cmb_op)n->op));
  if (is_table) suffix += snprintf(suffix, CMB_NUMBER_ROOM / 2, "#%d", n->data);
  if (n->order > 0) suffix += snprintf(suffix, CMB_NUMBER_ROOM / 2, "'%d", n->order);
  if (suffix > l->number) append(l, l->number);
}

static void lay_out_call(struct layout *l, const cmb_graph *g, cmb_expr e)
{
  const cmb_node *n = &g->nodes[e];
  int arity = n->op == CMB_OP_CALL ? g->externals[n->data]->arity : cmb_op_arity((cmb_op)n->op);
  append_function(l, g, e);
  append(l, "(");
  for (int i = 0; i < arity; i++) {
    if (i > 0) append(l, ", ");
    append_argument(l, g, cmb_expr_argument(g, e, i), 0);
  }
  append(l, ")");
}

static void lay_out(struct layout *l, const cmb_graph *g, cmb_expr e)
{
  cmb_op op = cmb_expr_op(g, e);
  int precedence = precedence_of(g, e);
  l->count = 0;
  if (op == CMB_OP_CONSTANT) {
    cmb_format_shortest(cmb_expr_constant(g, e), l->number);
    append(l, l->number);
  } else if (op == CMB_OP_INPUT) {
    append(l, cmb_expr_name(g, e));
  } else if (op == CMB_OP_NEG) {
    append(l, cmb_op_text(op));
    append_argument(l, g, cmb_expr_argument(g, e, 0), CMB_BINDS_SIGN);
  } else if (precedence != CMB_BINDS_ATOM) {
    lay_out_binary(l, g, e, precedence);
  } else {
    lay_out_call(l, g, e);
  }
}

/* ---- writing */

/* Pushes node e on the stack of nodes whose text is being printed. Returns false if out of memory. */
static bool push(struct writer *w, cmb_expr e)
{
  if (!w->stack || w->depth == w->stack_room) {
    size_t room = w->stack_room ? 2 * w->stack_room : INITIAL_STACK;
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

/* Writes the text of expression e until it has at least `limit` characters or is complete; if it is complete, w->depth is 0. Returns false if
 * out of memory. */
static bool print_nodes(struct writer *w, cmb_expr e, size_t limit)
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

/* Computes the length of the text of expression e without printing it, at most the constant `longest`. Returns false, and leaves *length
 * unchanged, if out of memory. */
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
      /* the sum of two of them still fits into a size_t */
      if (lengths[k] > longest) lengths[k] = longest;
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
  bool good = print_nodes(&w, e, room > LEAST_LIMIT ? room : LEAST_LIMIT);
  size_t written = w.length < room ? w.length : room - 1;
  if (good && w.depth > 0) good = measure(g, e, &w.length);
  cmb_release(g->ctx, w.stack);
  if (room > 0) text[good ? written : 0] = '\0';
  if (good) return w.length;
  /* without memory the graph fails as everywhere, though printing does not change it otherwise */
  ((cmb_graph *)g)->failed = true;
  return 0;
}
