/*
 * Stores the nodes of an expression graph (graph.h) in one array; equal nodes are found again by a hash table. Used by all functions that
 * make expressions.
 */
#include "expr/graph.h"

#include "base/context.h"
#include "expr/implicit.h"
#include "expr/sine_code.h"
#include "expr/table.h"
#include "expr/table_code.h"

#include <math.h>
#include <string.h>

CMB_TURN_CODE(CMB_CODE_COMPILED)
CMB_SINE_CODE(CMB_CODE_COMPILED)
CMB_COSINE_CODE(CMB_CODE_COMPILED)

enum { INITIAL_ROOM = 1024 };

static const struct {
  const char *text;
  int arity;
} ops[CMB_OPS] = {
    [CMB_OP_CONSTANT] = {"constant", 0},
    [CMB_OP_INPUT] = {"input", 0},
#define OP_ROW(name, text, arity, value) [CMB_OP_##name] = {text, arity},
    CMB_OP_LIST(OP_ROW)
#undef OP_ROW
        [CMB_OP_TABLE] = {"table", 1},
    [CMB_OP_TABLE_AT] = {"table_at", 2},
    [CMB_OP_TABLE2] = {"table2", 2},
    [CMB_OP_CALL] = {"call", 3},
    [CMB_OP_LIST_OF] = {"list", 2},
    [CMB_OP_SOLVE] = {"root", 2},
    [CMB_OP_PART] = {"part", 1},
};

const char *cmb_op_text(cmb_op op)
{
  return ops[op].text;
}

int cmb_op_arity(cmb_op op)
{
  return ops[op].arity;
}

double cmb_op_value(cmb_op op, double a, double b, double c)
{
  switch (op) {
#define OP_VALUE(name, text, arity, value)                                                         \
  case CMB_OP_##name: return value;
    CMB_OP_LIST(OP_VALUE)
#undef OP_VALUE
  default: return a;
  }
}

/* Doubles the capacity *room of a dynamic array (INITIAL_ROOM at first) and copies its entries of `element` bytes. Returns false, and leaves
 * the array unchanged, if out of memory or if the capacity is too large. */
static bool grow(cmb_graph *g, void **array, uint32_t *room, size_t element)
{
  if (*room > UINT32_MAX / 4) return false;
  uint32_t larger = *room ? 2 * *room : INITIAL_ROOM;
  void *grown = cmb_allocate(g->ctx, larger * element);
  if (!grown) return false;
  if (*array) memcpy(grown, *array, *room * element);
  cmb_release(g->ctx, *array);
  *array = grown;
  *room = larger;
  return true;
}

cmb_status cmb_graph_create(cmb_context *ctx, cmb_graph **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_graph_create needs a context and a place for the graph");
  *out = NULL;
  cmb_graph *g = cmb_allocate(ctx, sizeof *g);
  if (!g) return cmb_fail_memory(ctx);
  g->ctx = ctx;
  cmb_constant(g, 0); /* node 0 */
  if (g->failed) {
    cmb_graph_destroy(g);
    return cmb_fail_memory(ctx);
  }
  *out = g;
  return CMB_OK;
}

void cmb_graph_destroy(cmb_graph *g)
{
  if (!g) return;
  for (uint32_t i = 0; i < g->names_size; i++) cmb_release(g->ctx, g->names[i]);
  cmb_release(g->ctx, g->names);
  cmb_release(g->ctx, g->name_table);
  cmb_release(g->ctx, (void *)g->tables);
  cmb_release(g->ctx, (void *)g->externals);
  for (uint32_t i = 0; i < g->systems_size; i++) cmb_release(g->ctx, g->systems[i]);
  cmb_release(g->ctx, (void *)g->systems);
  cmb_release(g->ctx, g->nodes);
  cmb_release(g->ctx, g->table);
  cmb_release(g->ctx, g);
}

cmb_status cmb_graph_status(const cmb_graph *g)
{
  if (!g) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(g->ctx, !g->misused,
              "an expression was made from one that is not in its graph, or without a name or a "
              "function");
  return g->failed ? cmb_fail_memory(g->ctx) : CMB_OK;
}

bool cmb_graph_has(const cmb_graph *g, int count, const cmb_expr *exprs)
{
  if (count < 0 || (count > 0 && !exprs)) return false;
  for (int i = 0; i < count; i++) {
    if (exprs[i] >= g->size) return false;
  }
  return true;
}

cmb_expr cmb_graph_misuse(cmb_graph *g)
{
  g->failed = g->misused = true;
  return 0;
}

uint32_t cmb_graph_size(const cmb_graph *g)
{
  return g->size;
}

/* ---- hash table of nodes */

/* NEAR_WINDOW entries of the hash table are a page of memory */
enum { NEAR_WINDOW = 1024, NEAR_TRIES = 8 };

/* Returns a hash of all fields of a node of the expression graph. */
static uint32_t hash(const cmb_node *n)
{
  uint64_t rest;
  memcpy(&rest, &n->value, sizeof rest);
  uint64_t h = ((uint64_t)n->op << 56 | (uint64_t)n->order << 48 | (uint64_t)n->data << 32 | n->a) *
               UINT64_C(0x9E3779B97F4A7C15);
  h = (h ^ (h >> 29) ^ rest) * UINT64_C(0xBF58476D1CE4E5B9);
  h = (h ^ (h >> 32)) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)(h >> 32);
}

static bool same(const cmb_node *m, const cmb_node *n)
{
  return m->op == n->op && m->order == n->order && m->data == n->data && m->a == n->a &&
         m->b == n->b && m->c == n->c; /* b and c overlap with a constant's value */
}

/* Sets *latest to the largest node number among the arguments of node n and returns true. Returns false for a constant or an input, which have
 * no arguments. */
static bool latest_argument(const cmb_node *n, uint32_t *latest)
{
  if (n->op == CMB_OP_CONSTANT || n->op == CMB_OP_INPUT) return false;
  *latest = n->a > n->b ? n->a : n->b;
  if (n->c > *latest) *latest = n->c;
  return true;
}

/* Returns the index in the hash table of the entry for a node equal to n or, if there is none, of the free entry for it. Tries some entries
 * near a position given by the largest argument's number first, which keeps memory accesses local, and then probes linearly from the hash. */
static uint32_t table_index(const cmb_graph *g, const cmb_node *n)
{
  const uint32_t mask = g->table_room - 1, h = hash(n);
  uint32_t latest, i;
  if (latest_argument(n, &latest)) {
    const uint32_t near = 2 * latest + h % NEAR_WINDOW;
    for (uint32_t k = 0; k < NEAR_TRIES; k++) {
      i = (near + k) & mask;
      if (g->table[i] == 0 || same(&g->nodes[g->table[i]], n)) return i;
    }
  }
  i = h & mask;
  while (g->table[i] != 0 && !same(&g->nodes[g->table[i]], n)) i = (i + 1) & mask;
  return i;
}

/* Doubles the capacity of the hash table of nodes and enters all nodes again except node 0, since 0 marks a free entry. Returns false if out of
 * memory. */
static bool grow_table(cmb_graph *g)
{
  uint32_t room = g->table_room ? 2 * g->table_room : 2 * INITIAL_ROOM;
  uint32_t *table = cmb_allocate(g->ctx, room * sizeof *table);
  if (!table) return false;
  cmb_release(g->ctx, g->table);
  g->table = table;
  g->table_room = room;
  for (uint32_t i = 1; i < g->size; i++) table[table_index(g, &g->nodes[i])] = i;
  return true;
}

static cmb_expr fail(cmb_graph *g)
{
  g->failed = true;
  return 0;
}

cmb_expr cmb_intern(cmb_graph *g, cmb_node node)
{
  if (g->failed) return 0;
  if (g->size > 0 && same(&node, &g->nodes[0])) return 0;
  if (2 * g->size >= g->table_room && !grow_table(g)) return fail(g);
  if (g->size == g->room && !grow(g, (void **)&g->nodes, &g->room, sizeof *g->nodes))
    return fail(g);
  uint32_t place = table_index(g, &node);
  if (g->table[place] != 0) return g->table[place];
  cmb_expr e = g->size++;
  g->nodes[e] = node;
  if (e > 0) g->table[place] = e;
  return e;
}

/* ---- leaves */

/* Returns the graph's node for a constant, which is created if it does not exist; −0 becomes 0. */
cmb_expr cmb_constant(cmb_graph *g, double value)
{
  return cmb_intern(g,
                    (cmb_node){.op = CMB_OP_CONSTANT, .value = value == 0 ? 0 : value}); /* no −0 */
}

/* Returns the index of a name's entry in the hash table of input names or, if it is not there, of the free entry for it (FNV-1a hash, linear
 * probing). */
static uint32_t name_index(const cmb_graph *g, const char *name)
{
  uint32_t mask = g->name_table_room - 1, i = 2166136261u;
  for (const char *c = name; *c; c++) i = (i ^ (unsigned char)*c) * 16777619u;
  i &= mask;
  while (g->name_table[i] != 0 && strcmp(g->names[g->name_table[i] - 1], name) != 0) {
    i = (i + 1) & mask;
  }
  return i;
}

static bool grow_name_table(cmb_graph *g)
{
  uint32_t room = g->name_table_room ? 2 * g->name_table_room : 2 * INITIAL_ROOM;
  uint32_t *table = cmb_allocate(g->ctx, room * sizeof *table);
  if (!table) return false;
  cmb_release(g->ctx, g->name_table);
  g->name_table = table;
  g->name_table_room = room;
  for (uint32_t i = 0; i < g->names_size; i++) table[name_index(g, g->names[i])] = i + 1;
  return true;
}

/* Appends a copy of `name` to the graph's list of input names. Returns false if out of memory. */
static bool add_name(cmb_graph *g, const char *name)
{
  const uint32_t i = g->names_size;
  const size_t length = strlen(name) + 1;
  if (i == g->names_room && !grow(g, (void **)&g->names, &g->names_room, sizeof *g->names)) {
    return false;
  }
  g->names[i] = cmb_allocate(g->ctx, length);
  if (!g->names[i]) return false;
  memcpy(g->names[i], name, length);
  g->names_size++;
  return true;
}

cmb_expr cmb_input(cmb_graph *g, const char *name)
{
  if (!name) return cmb_graph_misuse(g);
  if (2 * g->names_size >= g->name_table_room && !grow_name_table(g)) return fail(g);
  const uint32_t place = name_index(g, name);
  if (g->name_table[place] == 0) {
    if (!add_name(g, name)) return fail(g);
    g->name_table[place] = g->names_size;
  }
  return cmb_intern(g, (cmb_node){.op = CMB_OP_INPUT, .a = g->name_table[place] - 1});
}

/* ---- tables and C functions of the user's */

/* Returns the index of the pointer `thing` in the dynamic array *pool, which has *size entries and the capacity *room; appends the pointer if
 * it is missing. Returns UINT16_MAX, and marks the graph as failed, if out of memory or if the array has 65535 entries. */
static uint16_t pool_index(cmb_graph *g, const void *thing, const void ***pool, uint32_t *size,
                           uint32_t *room)
{
  uint32_t i = 0;
  while (i < *size && (*pool)[i] != thing) i++;
  if (i < *size) return (uint16_t)i;
  if (i == UINT16_MAX || (i == *room && !grow(g, (void **)pool, room, sizeof **pool))) {
    fail(g);
    return UINT16_MAX;
  }
  (*pool)[(*size)++] = thing;
  return (uint16_t)i;
}

bool cmb_is_table(cmb_op op)
{
  return op == CMB_OP_TABLE || op == CMB_OP_TABLE_AT || op == CMB_OP_TABLE2;
}

uint16_t cmb_table_number(cmb_graph *g, const cmb_table *table)
{
  return pool_index(g, table, (const void ***)&g->tables, &g->tables_size, &g->tables_room);
}

cmb_expr cmb_table_apply(cmb_graph *g, const cmb_table *table, cmb_expr x)
{
  if (!table || table->ny > 0 || x >= g->size) return cmb_graph_misuse(g);
  return cmb_table_node(g, CMB_OP_TABLE, 0, cmb_table_number(g, table), x, 0);
}

cmb_expr cmb_table2_apply(cmb_graph *g, const cmb_table *table, cmb_expr x, cmb_expr y)
{
  if (!table || table->ny == 0 || x >= g->size || y >= g->size) return cmb_graph_misuse(g);
  return cmb_table_node(g, CMB_OP_TABLE2, 0, cmb_table_number(g, table), x, y);
}

cmb_expr cmb_table_node(cmb_graph *g, cmb_op op, int order, uint16_t table, cmb_expr x, cmb_expr y)
{
  bool flat = order > 3 && op != CMB_OP_TABLE2 && order != CMB_TABLE_MARGIN;
  if (g->failed || flat) return 0;
  return cmb_intern(
      g, (cmb_node){.op = (uint8_t)op, .order = (uint8_t)order, .data = table, .a = x, .b = y});
}

uint16_t cmb_external_number(cmb_graph *g, const cmb_external *function)
{
  return pool_index(g, function, (const void ***)&g->externals, &g->externals_size,
                    &g->externals_room);
}

cmb_expr cmb_external_apply(cmb_graph *g, const cmb_external *function, const cmb_expr *x)
{
  if (!function || !function->value || function->arity < 1 || function->arity > 3 ||
      !cmb_graph_has(g, function->arity, x)) {
    return cmb_graph_misuse(g);
  }
  const uint16_t number = cmb_external_number(g, function);
  if (g->failed) return 0;
  cmb_node node = {.op = CMB_OP_CALL, .data = number, .a = x[0]};
  node.b = function->arity > 1 ? x[1] : 0;
  node.c = function->arity > 2 ? x[2] : 0;
  return cmb_intern(g, node);
}

/* ---- small implicit systems */

/* Returns whether two small systems of equations are equal: both linear with the same sizes, or both nonlinear with the same sizes, residual
 * expressions and typical sizes of the unknowns. */
static bool same_system(const cmb_system_of *a, const cmb_system_of *b)
{
  bool same = a->n == b->n && a->given == b->given && a->linear == b->linear;
  for (int i = 0; same && !a->linear && i < a->n; i++) {
    same = a->r[i] == b->r[i] && a->size[i] == b->size[i];
  }
  return same;
}

uint16_t cmb_system_number(cmb_graph *g, cmb_system_of *system)
{
  uint32_t i = 0;
  while (i < g->systems_size && !same_system(g->systems[i], system)) i++;
  if (i < g->systems_size) {
    cmb_release(g->ctx, system);
    return (uint16_t)i;
  }
  const bool room =
      i < UINT16_MAX &&
      (i < g->systems_room || grow(g, (void **)&g->systems, &g->systems_room, sizeof(void *)));
  if (!room) {
    cmb_release(g->ctx, system);
    fail(g);
    return UINT16_MAX;
  }
  g->systems[g->systems_size++] = system;
  return (uint16_t)i;
}

/* Returns element i of a list of `count` expressions, which the graph stores as a chain of nodes from the last element to the first. */
static cmb_expr list_element(const cmb_graph *g, cmb_expr list, int count, int i)
{
  for (int behind = count - 1 - i; behind > 0; behind--) list = g->nodes[list].a;
  return g->nodes[list].b;
}

int cmb_operand_count(const cmb_graph *g, cmb_expr e)
{
  const cmb_op op = cmb_expr_op(g, e);
  if (op == CMB_OP_LIST_OF) return 0;
  if (op != CMB_OP_SOLVE) return cmb_op_arity(op);
  const cmb_system_of *system = g->systems[g->nodes[e].data];
  return system->given + (system->linear ? 0 : system->n);
}

cmb_expr cmb_operand(const cmb_graph *g, cmb_expr e, int i)
{
  if (cmb_expr_op(g, e) != CMB_OP_SOLVE) return cmb_expr_argument(g, e, i);
  const cmb_node *n = &g->nodes[e];
  const cmb_system_of *system = g->systems[n->data];
  const int starts = system->linear ? 0 : system->n;
  if (i < starts) return list_element(g, n->b, starts, i);
  return list_element(g, n->a, system->given, i - starts);
}

bool cmb_is_operation(const cmb_graph *g, cmb_expr e)
{
  const cmb_op op = cmb_expr_op(g, e);
  return op != CMB_OP_LIST_OF && cmb_op_arity(op) > 0;
}

/* ---- properties of nodes */

/* Returns whether the derivative of operation op with respect to its argument i can differ from 0. It cannot, for example, for comparisons,
 * sign, floor and the condition of `if`. */
bool cmb_op_passes(cmb_op op, int i)
{
  switch (op) {
  case CMB_OP_LT:
  case CMB_OP_LE:
  case CMB_OP_GT:
  case CMB_OP_GE:
  case CMB_OP_EQ:
  case CMB_OP_NE:
  case CMB_OP_SIGN:
  case CMB_OP_FLOOR: return false;
  case CMB_OP_IF: return i > 0;
  case CMB_OP_STICK: return i == 1;
  case CMB_OP_SOLVE: /* the start values do not influence a solution */
  case CMB_OP_TABLE_AT: return i == 0;
  default: return true;
  }
}

cmb_op cmb_expr_op(const cmb_graph *g, cmb_expr e)
{
  return (cmb_op)g->nodes[e].op;
}

cmb_expr cmb_expr_argument(const cmb_graph *g, cmb_expr e, int i)
{
  const cmb_node *n = &g->nodes[e];
  if (i >= cmb_op_arity((cmb_op)n->op)) return 0;
  return i == 0 ? n->a : i == 1 ? n->b : n->c;
}

double cmb_expr_constant(const cmb_graph *g, cmb_expr e)
{
  return g->nodes[e].value;
}

const char *cmb_expr_name(const cmb_graph *g, cmb_expr e)
{
  return g->names[g->nodes[e].a];
}

uint8_t *cmb_reachable(const cmb_graph *g, int count, const cmb_expr *exprs)
{
  uint8_t *marked = cmb_allocate(g->ctx, (size_t)g->size + 1);
  if (!marked) return NULL;
  cmb_expr size = 0;
  for (int i = 0; i < count; i++) {
    marked[exprs[i]] = 1;
    if (exprs[i] >= size) size = exprs[i] + 1;
  }
  for (cmb_expr e = size; e-- > 0;) { /* arguments have smaller numbers */
    if (!marked[e]) continue;
    int arity = cmb_op_arity(cmb_expr_op(g, e));
    for (int k = 0; k < arity; k++) marked[cmb_expr_argument(g, e, k)] = 1;
  }
  return marked;
}

cmb_status cmb_depends(const cmb_graph *g, int inputs, const cmb_expr *input, int outputs,
                       const cmb_expr *output, bool *depends)
{
  uint8_t *marked = cmb_allocate(g->ctx, (size_t)g->size + 1);
  if (!marked) return cmb_fail_memory(g->ctx);
  for (int i = 0; i < inputs; i++) marked[input[i]] = 1;
  for (cmb_expr e = 0; e < g->size; e++) { /* arguments have smaller numbers */
    int arity = cmb_op_arity(cmb_expr_op(g, e));
    for (int k = 0; k < arity && !marked[e]; k++) marked[e] = marked[cmb_expr_argument(g, e, k)];
  }
  for (int i = 0; i < outputs; i++) depends[i] = marked[output[i]];
  cmb_release(g->ctx, marked);
  return CMB_OK;
}

/* ---- copies of graphs */

/* Gives g, which must have none, the tables, user functions and systems of equations of the graph `from` in the same order, so that nodes
 * copied from `from` can refer to them by the same numbers. Tables and functions are shared, systems are copied. A failure marks g as failed. */
static void copy_pools(cmb_graph *g, const cmb_graph *from)
{
  for (uint32_t i = 0; i < from->tables_size; i++) cmb_table_number(g, from->tables[i]);
  for (uint32_t i = 0; i < from->externals_size; i++) cmb_external_number(g, from->externals[i]);
  cmb_copy_systems(g, from);
}

cmb_status cmb_graph_copy(cmb_context *ctx, const cmb_graph *from, cmb_graph **graph)
{
  cmb_graph *g = NULL;
  *graph = NULL;
  CMB_TRY(cmb_graph_create(ctx, &g));
  bool good = g != NULL;
  for (cmb_expr e = 1; from && good && e < from->size; e++) {
    const cmb_node *n = &from->nodes[e];
    const cmb_expr copy =
        n->op == CMB_OP_INPUT ? cmb_input(g, from->names[n->a]) : cmb_intern(g, *n);
    good = copy == e;
  }
  if (from && good) copy_pools(g, from);
  if (!good || g->failed) { /* no memory */
    cmb_graph_destroy(g);
    return cmb_fail_memory(ctx);
  }
  *graph = g;
  return CMB_OK;
}
