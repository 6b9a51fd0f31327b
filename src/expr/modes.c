/*
 * Replaces every operation that can switch by a smooth one with the mode as a further input (cmb_modes_freeze). Used to form equations
 * that are smooth between two switches.
 *
 *     abs(x)        m x                     s = x; m = +1 where s > 0, else −1
 *     sign(x)       m                       (where x is 0 the mode decides between +1 and −1)
 *     min(x, y)     if(m, y, x)             s = x − y
 *     max(x, y)     if(m, x, y)             s = x − y
 *     x > y         if(m, 1, 0)             s = x − y; x <= y is its negation; x < y is y > x
 *     c and d       if(c, d, 0)             min and max of comparisons have no switching function of their own
 *     if(x, y, z)   if(m, y, z)             s = x, where x is not a comparison or made of such
 *     table(x)      in interval m           s = how far x is inside it (tables with kinks)
 *     stick(x,b,c)  m b; (3 − m) c for m from 2 to 4, −c for m = −2: the force that holds x at 0 is between c and −c (separate mode)
 *     floor(x)      m, a whole number       s = the margin min(x − m, m + 1 − x): negative when x has left [m, m + 1]
 *
 * A root, or a power with a non-integer exponent, whose argument the formula itself keeps from being negative, by abs, max or a condition
 * around it, is continued beyond the switch (continued.h).
 *
 * With the modes as inputs the rest is smooth, and its derivatives are those between two switches. Comparisons for equality (==, !=) are
 * left unchanged: they are constant except at points. Expressions inside smooth(...) are left unchanged too.
 */
#include "base/arena.h"
#include "base/context.h"
#include "expr/continued.h"
#include "expr/graph.h"
#include "expr/table.h"

#include <camber/expr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  NAME_ROOM = 64,
  /* limit of the visits of nodes, in all branches together, to continue roots */
  MAX_VISITS = 1 << 20
};

struct cmb_modes {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_mode *modes;
  int count, room;
  int first_reusable; /* modes with smaller indices are not reused */
};

/* The state while the nodes of a graph are rewritten with frozen branches. */
struct rewriter {
  cmb_graph *g;
  cmb_modes *modes;
  uint32_t size;       /* number of nodes before the rewriting */
  cmb_expr *rewritten; /* (size) the rewritten node */
  /* (size) 1: the node is a comparison, or comparisons combined by min and max, so that its value is 0 or 1 */
  uint8_t *condition;
  /* (size) 1: the node contains a square root or power whose argument may be negative */
  uint8_t *has_root;
  cmb_known known; /* conclusions from the conditions of the current branch */
  int visits;      /* how many more nodes may be visited to continue roots */
  /* (2 size) lists of nodes and of their earlier values; NULL: not needed so far */
  cmb_expr *stack;
  uint32_t used;   /* used part of the stack */
  bool failed;     /* no memory for the stack */
  bool only_known; /* no modes are created: an operation without a mode stays unchanged */
};

static cmb_expr op2(cmb_graph *g, cmb_op op, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, op, a, b, 0);
}

static bool grow(cmb_modes *m)
{
  int room = m->room ? 2 * m->room : 16;
  cmb_mode *grown = cmb_arena_take(m->arena, (size_t)room, sizeof *grown);
  if (!grown) return false;
  if (m->modes) memcpy(grown, m->modes, (size_t)m->count * sizeof *grown);
  m->modes = grown;
  m->room = room;
  return true;
}

/* Creates an input that fixes which branch of a piecewise operation is evaluated (a mode), and appends it to the list r->modes. The expression
 * s decides the branch; `kind` says what the mode is: a sign, slipping or sticking, a whole number, or the interval of the table with the
 * number `table` (else 0). Returns the input, 0 if out of memory. */
static cmb_expr add_mode(struct rewriter *r, cmb_expr s, cmb_mode_kind kind, uint16_t table)
{
  static const char *const words[] = {"sign", "stick", "floor", "interval"};
  cmb_modes *m = r->modes;
  if (m->count == m->room && !grow(m)) return 0;
  char text[NAME_ROOM], symbol[2 * NAME_ROOM];
  cmb_expr_print(r->g, s, text, sizeof text);
  snprintf(symbol, sizeof symbol, "mode %s of %s", words[kind], text);
  snprintf(symbol + strlen(symbol), sizeof symbol - strlen(symbol), " #%u.%u.%d", (unsigned)s,
           (unsigned)table, m->first_reusable);
  cmb_expr mode = cmb_input(r->g, symbol), margin = s;
  if (kind == CMB_MODE_FLOOR) {
    cmb_expr above = op2(r->g, CMB_OP_SUB, s, mode);
    cmb_expr next = op2(r->g, CMB_OP_ADD, mode, cmb_constant(r->g, 1));
    cmb_expr below = op2(r->g, CMB_OP_SUB, next, s); /* rounding cannot change its sign */
    margin = op2(r->g, CMB_OP_MIN, above, below);
  }
  if (kind == CMB_MODE_TABLE) {
    margin = cmb_table_node(r->g, CMB_OP_TABLE_AT, CMB_TABLE_MARGIN, table, s, mode);
  }
  char *name = cmb_arena_text(m->arena, text);
  m->modes[m->count++] = (cmb_mode){name, kind, table, s, margin, mode};
  return mode;
}

/* Finds the mode of a switching expression s, an input of the graph that stands for its branch, such as the sign of s, and sets *mode to it.
 * Uses an existing mode with the same s, kind and table, from m->first_reusable on, or else adds a new one. Returns false if there is none and
 * new ones are not allowed (r->only_known). */
static bool mode_of(struct rewriter *r, cmb_expr s, cmb_mode_kind kind, uint16_t table,
                    cmb_expr *mode)
{
  const cmb_modes *m = r->modes;
  for (int i = m->first_reusable; i < m->count; i++) {
    bool same = m->modes[i].of == s && m->modes[i].kind == kind && m->modes[i].table == table;
    if (same) *mode = m->modes[i].mode;
    if (same) return true;
  }
  if (r->only_known) return false;
  *mode = add_mode(r, s, kind, table);
  return true;
}

static bool sign_of(struct rewriter *r, cmb_expr s, cmb_expr *mode)
{
  if (cmb_expr_op(r->g, s) != CMB_OP_CONSTANT) return mode_of(r, s, CMB_MODE_SIGN, 0, mode);
  *mode = cmb_apply(r->g, CMB_OP_SIGN, s, 0, 0);
  return true;
}

/* Builds the condition x > y, or x <= y if `yes` is false, with a fixed branch: its value, 1 or 0, follows from an input (the mode) and not
 * from the sign of x − y, unless x − y is constant. Returns the ordinary comparison if there is no mode and new ones are not allowed. */
static cmb_expr freeze_comparison(struct rewriter *r, cmb_expr x, cmb_expr y, bool yes)
{
  cmb_expr mode, one = cmb_constant(r->g, 1);
  if (!sign_of(r, op2(r->g, CMB_OP_SUB, x, y), &mode)) {
    return op2(r->g, yes ? CMB_OP_GT : CMB_OP_LE, x, y);
  }
  return cmb_apply(r->g, CMB_OP_IF, mode, yes ? one : 0, yes ? 0 : one);
}

bool cmb_is_decision(const cmb_graph *g, cmb_expr e, int argument)
{
  const cmb_op op = cmb_expr_op(g, e);
  switch (op) {
  case CMB_OP_IF: return argument == 0;
  case CMB_OP_TABLE: return cmb_table_has_kinks(g->tables[g->nodes[e].data]);
  case CMB_OP_ABS:
  case CMB_OP_SIGN:
  case CMB_OP_MIN:
  case CMB_OP_MAX:
  case CMB_OP_FLOOR:
  case CMB_OP_STICK: return true;
  default: return op >= CMB_OP_LT && op <= CMB_OP_NE;
  }
}

/* Builds the lookup e of a table with kinks at the argument x[0], where the interval of the table is fixed: its number is an input (the mode).
 * Returns the ordinary lookup if there is no mode and r permits no new ones. */
static cmb_expr freeze_table(struct rewriter *r, cmb_expr e, const cmb_expr *x)
{
  const cmb_node n = r->g->nodes[e];
  cmb_expr mode;
  if (!mode_of(r, x[0], CMB_MODE_TABLE, n.data, &mode)) return cmb_rebuild(r->g, e, x);
  return cmb_table_node(r->g, CMB_OP_TABLE_AT, n.order, n.data, x[0], mode);
}

static bool is_condition(const struct rewriter *r, cmb_expr e)
{
  cmb_op op = cmb_expr_op(r->g, e);
  if (op >= CMB_OP_LT && op <= CMB_OP_NE) return true;
  return (op == CMB_OP_MIN || op == CMB_OP_MAX) && r->condition[cmb_expr_argument(r->g, e, 0)] &&
         r->condition[cmb_expr_argument(r->g, e, 1)];
}

/* Builds min or max (node e) of x[0] and x[1] as a selection by a mode, an input that stays constant between events. If e is a condition,
 * in which min and max mean `and` and `or`, the selection is by the condition x[0] and needs no mode. Builds the ordinary operation if
 * there is no mode and new ones are not allowed. */
static cmb_expr freeze_extreme(struct rewriter *r, cmb_expr e, const cmb_expr *x)
{
  cmb_graph *g = r->g;
  bool least = cmb_expr_op(g, e) == CMB_OP_MIN;
  if (r->condition[e]) {
    return cmb_apply(g, CMB_OP_IF, x[0], least ? x[1] : cmb_constant(g, 1), least ? 0 : x[1]);
  }
  cmb_expr first;
  if (!sign_of(r, op2(g, CMB_OP_SUB, x[0], x[1]), &first)) return cmb_rebuild(g, e, x);
  return cmb_apply(g, CMB_OP_IF, first, x[least ? 1 : 0], x[least ? 0 : 1]);
}

/* Builds the dry friction force of node e, stick(x[0], x[1], x[2]), as a function of a mode m, an input that is constant between events: m
 * x[1] while the friction slides (m = ±1), and while it sticks (3 − m) x[2] for 2 <= m <= 4, −x[2] for m = −2. x[0] is the sliding
 * velocity, x[1] the sliding force, x[2] the largest force while sticking. Returns the ordinary operation if x[0] is constant, or has no
 * mode and none may be created. */
static cmb_expr freeze_stick(struct rewriter *r, cmb_expr e, const cmb_expr *x)
{
  cmb_graph *g = r->g;
  const cmb_expr edge = cmb_constant(g, 1.5);
  cmb_expr m;
  if (cmb_expr_op(g, x[0]) == CMB_OP_CONSTANT) return cmb_rebuild(g, e, x);
  if (!mode_of(r, x[0], CMB_MODE_STICK, 0, &m)) return cmb_rebuild(g, e, x);
  const cmb_expr down = op2(g, CMB_OP_SUB, cmb_apply(g, CMB_OP_NEG, edge, 0, 0), m);
  const cmb_expr least = cmb_apply(g, CMB_OP_NEG, x[2], 0, 0);
  const cmb_expr other = cmb_apply(g, CMB_OP_IF, down, least, op2(g, CMB_OP_MUL, m, x[1]));
  const cmb_expr part = op2(g, CMB_OP_SUB, cmb_constant(g, CMB_MODE_HELD), m);
  const cmb_expr held = op2(g, CMB_OP_MUL, part, x[2]);
  return cmb_apply(g, CMB_OP_IF, op2(g, CMB_OP_SUB, m, edge), held, other);
}

static cmb_expr rewrite(struct rewriter *r, cmb_expr e);

static int ascending(const void *a, const void *b)
{
  const cmb_expr x = *(const cmb_expr *)a, y = *(const cmb_expr *)b;
  return (x > y) - (x < y);
}

/* Collects in list[room], in ascending order, e and those nodes below it that contain square roots or powers of possibly negative arguments.
 * Returns their number; 0 if they fill the list or the limit r->visits is reached. */
static int collect_roots(struct rewriter *r, cmb_expr e, int room, cmb_expr *list)
{
  int count = 0;
  if (room > 0) list[count++] = e;
  for (int at = 0; at < count && r->visits > 0; at++, r->visits--) {
    for (int k = 0; k < cmb_op_arity(cmb_expr_op(r->g, list[at])); k++) {
      const cmb_expr x = cmb_expr_argument(r->g, list[at], k);
      if (r->has_root[x] != 1 || count == room) continue;
      list[count++] = x;
      r->has_root[x] = 2; /* already in the list */
    }
  }
  for (int i = 0; i < count; i++) r->has_root[list[i]] = 1;
  qsort(list, (size_t)count, sizeof *list, ascending);
  return r->visits > 0 && count < room ? count : 0;
}

/* Rewrites the branch e of an `if` again, now using the conditions that hold in this branch (r->known): square roots and powers whose arguments
 * these conditions keep non-negative are extended to negative arguments, since a time step may go slightly beyond the switch. Returns the new
 * expression, or e as rewritten before if it has too many nodes. */
static cmb_expr rewrite_branch(struct rewriter *r, cmb_expr e)
{
  const uint32_t used = r->used, room = (2 * r->size - used) / 2;
  cmb_expr *list = r->stack + used, frozen = r->rewritten[e];
  const int count = collect_roots(r, e, (int)room, list);
  cmb_expr *before = list + count;
  r->used = used + 2 * (uint32_t)count;
  for (int i = 0; i < count; i++) {
    before[i] = r->rewritten[list[i]];
    r->rewritten[list[i]] = rewrite(r, list[i]);
  }
  if (count > 0) frozen = r->rewritten[e];
  for (int i = 0; i < count; i++) r->rewritten[list[i]] = before[i];
  r->used = used;
  return frozen;
}

static cmb_expr freeze_branch(struct rewriter *r, cmb_expr e, cmb_expr condition, bool yes)
{
  const int known = r->known.count;
  cmb_expr frozen = r->rewritten[e];
  if (!r->has_root[e]) return frozen;
  if (!r->stack) r->stack = cmb_allocate(r->modes->ctx, 2 * (size_t)r->size * sizeof *r->stack);
  r->failed = !r->stack;
  cmb_known_add(r->g, condition, yes, &r->known);
  if (r->stack && r->known.count > known) frozen = rewrite_branch(r, e);
  r->known.count = known;
  return frozen;
}

static cmb_expr freeze_if(struct rewriter *r, cmb_expr e, const cmb_expr *x)
{
  cmb_graph *g = r->g;
  cmb_expr condition = cmb_expr_argument(g, e, 0);
  bool plain = r->condition[condition] || cmb_expr_op(g, condition) == CMB_OP_SMOOTH;
  const cmb_expr greater_0 = plain ? condition : op2(g, CMB_OP_GT, condition, 0);
  const cmb_expr yes = freeze_branch(r, cmb_expr_argument(g, e, 1), greater_0, true);
  const cmb_expr no = freeze_branch(r, cmb_expr_argument(g, e, 2), greater_0, false);
  cmb_expr first = x[0];
  if (!plain && !sign_of(r, x[0], &first)) {
    const cmb_expr rewritten[3] = {x[0], yes, no};
    return cmb_rebuild(g, e, rewritten);
  }
  return cmb_apply(g, CMB_OP_IF, first, yes, no);
}

/* Builds the square root or power e with the rewritten arguments x[3]. If abs, max or a condition keeps the argument of a root non-negative
 * in this branch, extends the root to negative arguments as an odd function, since stages of a time step may lie slightly beyond the
 * switch. */
static cmb_expr freeze_root(struct rewriter *r, cmb_expr e, const cmb_expr *x)
{
  cmb_graph *g = r->g;
  const cmb_expr of = cmb_expr_argument(g, e, 0);
  const bool switched = x[0] != of || !cmb_never_negative(g, of, NULL);
  if (cmb_is_root(g, e) && switched && cmb_never_negative(g, of, &r->known)) {
    return cmb_continued(g, e, x[0]);
  }
  return cmb_rebuild(g, e, x);
}

/* Returns whether e contains, outside of smooth(...), a square root or a power with a possibly non-integer exponent whose argument is not
 * proved to be non-negative. Uses r->has_root of e's arguments. */
static bool contains_root(const struct rewriter *r, cmb_expr e)
{
  const cmb_graph *g = r->g;
  if (cmb_expr_op(g, e) == CMB_OP_SMOOTH) return false;
  if (cmb_is_root(g, e) && !cmb_never_negative(g, cmb_expr_argument(g, e, 0), NULL)) return true;
  for (int k = 0; k < cmb_op_arity(cmb_expr_op(g, e)); k++) {
    if (r->has_root[cmb_expr_argument(g, e, k)]) return true;
  }
  return false;
}

static cmb_expr rewrite(struct rewriter *r, cmb_expr e)
{
  cmb_graph *g = r->g;
  cmb_op op = cmb_expr_op(g, e);
  if (cmb_op_arity(op) == 0 || op == CMB_OP_SMOOTH) return e;
  cmb_expr x[3], mode;
  for (int i = 0; i < 3; i++) x[i] = r->rewritten[cmb_expr_argument(g, e, i)];
  if (op == CMB_OP_SQRT || op == CMB_OP_POW) return freeze_root(r, e, x);
  if (!cmb_is_decision(g, e, 0)) return cmb_rebuild(g, e, x);
  switch (op) {
  case CMB_OP_ABS:
    return sign_of(r, x[0], &mode) ? op2(g, CMB_OP_MUL, mode, x[0]) : cmb_rebuild(g, e, x);
  case CMB_OP_SIGN: return sign_of(r, x[0], &mode) ? mode : cmb_rebuild(g, e, x);
  case CMB_OP_MIN:
  case CMB_OP_MAX: return freeze_extreme(r, e, x);
  case CMB_OP_IF: return freeze_if(r, e, x);
  case CMB_OP_GT: return freeze_comparison(r, x[0], x[1], true);
  case CMB_OP_LE: return freeze_comparison(r, x[0], x[1], false);
  case CMB_OP_LT: return freeze_comparison(r, x[1], x[0], true);
  case CMB_OP_GE: return freeze_comparison(r, x[1], x[0], false);
  case CMB_OP_STICK: return freeze_stick(r, e, x);
  case CMB_OP_FLOOR:
    return mode_of(r, x[0], CMB_MODE_FLOOR, 0, &mode) ? mode : cmb_rebuild(g, e, x);
  case CMB_OP_TABLE: return freeze_table(r, e, x);
  default: return cmb_rebuild(g, e, x); /* comparisons for equality */
  }
}

/* Marks in marked[] all nodes on which the expressions exprs[count] depend, except those that are only used inside of smooth(...). */
static void mark_nodes(const cmb_graph *g, int count, const cmb_expr *exprs, uint8_t *marked)
{
  for (int i = 0; i < count; i++) marked[exprs[i]] = 1;
  for (cmb_expr e = g->size; e-- > 0;) {
    if (!marked[e] || cmb_expr_op(g, e) == CMB_OP_SMOOTH) continue;
    int arity = cmb_op_arity(cmb_expr_op(g, e));
    for (int k = 0; k < arity; k++) marked[cmb_expr_argument(g, e, k)] = 1;
  }
}

cmb_status cmb_modes_create(cmb_context *ctx, cmb_modes **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_modes_create needs a context and a place for the modes");
  *out = NULL;
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_modes *m = arena ? cmb_arena_take(arena, 1, sizeof *m) : NULL;
  if (!m) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *m = (cmb_modes){.ctx = ctx, .arena = arena};
  *out = m;
  return CMB_OK;
}

void cmb_modes_destroy(cmb_modes *m)
{
  if (m) cmb_arena_destroy(m->arena);
}

int cmb_modes_count(const cmb_modes *m)
{
  return m->count;
}

const cmb_mode *cmb_modes_at(const cmb_modes *m, int i)
{
  return &m->modes[i];
}

static cmb_status freeze(cmb_modes *m, cmb_graph *g, bool only_known, int count,
                         const cmb_expr *exprs, cmb_expr *frozen)
{
  CMB_TRY(cmb_graph_status(g));
  CMB_REQUIRE(g->ctx, m && cmb_graph_has(g, count, exprs) && (frozen || count == 0),
              "cmb_modes_freeze needs modes and expressions of the graph");
  const uint32_t size = g->size;
  uint8_t *marked = cmb_allocate(m->ctx, (size_t)size + 1);
  cmb_expr *rewritten = cmb_allocate(m->ctx, ((size_t)size + 1) * sizeof *rewritten);
  cmb_expr *stack = NULL;
  bool failed = false;
  uint8_t *condition = cmb_allocate(m->ctx, 2 * ((size_t)size + 1));
  if (marked && rewritten && condition) {
    struct rewriter r = {.g = g,
                         .modes = m,
                         .size = size,
                         .rewritten = rewritten,
                         .condition = condition,
                         .has_root = condition + size + 1,
                         .visits = MAX_VISITS,
                         .only_known = only_known};
    mark_nodes(g, count, exprs, marked);
    for (cmb_expr e = 0; e < size; e++) {
      if (!marked[e]) continue;
      condition[e] = is_condition(&r, e);
      r.has_root[e] = contains_root(&r, e);
      rewritten[e] = rewrite(&r, e);
    }
    for (int i = 0; i < count; i++) frozen[i] = rewritten[exprs[i]];
    stack = r.stack;
    failed = r.failed;
  }
  bool good = marked && rewritten && condition && !failed && !cmb_arena_failed(m->arena);
  cmb_release(m->ctx, marked);
  cmb_release(m->ctx, rewritten);
  cmb_release(m->ctx, condition);
  cmb_release(m->ctx, stack);
  if (!good) return cmb_fail_memory(m->ctx);
  return cmb_graph_status(g);
}

cmb_status cmb_modes_freeze(cmb_modes *m, cmb_graph *g, int count, const cmb_expr *exprs,
                            cmb_expr *frozen)
{
  return freeze(m, g, false, count, exprs, frozen);
}

cmb_status cmb_modes_freeze_apart(cmb_modes *m, cmb_graph *g, int from, int count,
                                  const cmb_expr *exprs, cmb_expr *frozen)
{
  m->first_reusable = from;
  const cmb_status status = freeze(m, g, false, count, exprs, frozen);
  m->first_reusable = 0;
  return status;
}

cmb_status cmb_modes_freeze_known(cmb_modes *m, cmb_graph *g, int count, const cmb_expr *exprs,
                                  cmb_expr *frozen)
{
  return freeze(m, g, true, count, exprs, frozen);
}
