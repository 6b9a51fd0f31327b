/*
 * Creates programs from graphs (program.h): the nodes that the outputs are made of become instructions, in ascending order and in groups
 * of equal operations. Each result is given a slot, which is free again after the last use of the earlier result in it.
 */
#include "expr/program.h"

#include "base/context.h"
#include "expr/graph.h"
#include "expr/implicit.h"
#include "expr/schedule.h"
#include "expr/table.h"

#include <limits.h>
#include <string.h>

/* The data about the graph's nodes while a program is created from them. */
struct maker {
  cmb_context *ctx;
  const cmb_graph *g;
  cmb_program *p;
  /* number of nodes up to the last input or output; later nodes are not in the program */
  cmb_expr size;
  uint8_t *marked; /* (size) 1: the outputs depend on it; 2: an input of the program */
  uint32_t *slot;  /* (size) slot of the node's value */
  cmb_expr *order; /* (size) the operations in the order of the program */
  /* (size) 1 + the index in this order of the last operation that reads the node; UINT32_MAX: an output */
  uint32_t *last_use;
  uint32_t *free; /* (size) stack of free slots */
  uint32_t free_count;
  bool for_lanes;    /* one list of instructions is enough */
  int solutions;     /* number of solutions in one list */
  size_t operands;   /* number of operands of the solutions in one list */
  uint32_t *operand; /* where to store the next operands */
};

static cmb_expr extended_size(cmb_expr size, int count, const cmb_expr *exprs)
{
  for (int i = 0; i < count; i++) size = exprs[i] < size ? size : exprs[i] + 1;
  return size;
}

static bool take_scratch(struct maker *m, const cmb_expr *input, const cmb_expr *output)
{
  const int outputs = m->p->outputs;
  m->size = extended_size(extended_size(0, m->p->inputs, input), outputs, output);
  const size_t size = (size_t)m->size + 1;
  m->marked = cmb_reachable(m->g, outputs, output);
  m->slot = cmb_allocate(m->ctx, size * sizeof *m->slot);
  m->order = cmb_allocate(m->ctx, size * sizeof *m->order);
  m->last_use = cmb_allocate(m->ctx, size * sizeof *m->last_use);
  m->free = cmb_allocate(m->ctx, size * sizeof *m->free);
  return m->marked && m->slot && m->order && m->last_use && m->free;
}

static void release_scratch(struct maker *m)
{
  cmb_release(m->ctx, m->marked);
  cmb_release(m->ctx, m->slot);
  cmb_release(m->ctx, m->order);
  cmb_release(m->ctx, m->last_use);
  cmb_release(m->ctx, m->free);
}

/* Lists in m->order the operations on which the outputs depend, in ascending order, and counts the instructions, the constants, the systems of
 * equations to be solved and their operands. */
static void list_operations(struct maker *m)
{
  cmb_program *p = m->p;
  for (cmb_expr e = 0; e < m->size; e++) {
    if (!m->marked[e]) continue;
    p->constants += cmb_expr_op(m->g, e) == CMB_OP_CONSTANT;
    if (cmb_is_operation(m->g, e)) m->order[p->instructions++] = e;
    if (cmb_expr_op(m->g, e) != CMB_OP_SOLVE) continue;
    m->solutions++;
    m->operands += (size_t)cmb_operand_count(m->g, e);
  }
}

/* Allocates arrays for the systems of equations that a program solves, and for each of its two lists of instructions the arrays for the
 * solution instructions and their operands. */
static void take_solutions(struct maker *m)
{
  cmb_program *p = m->p;
  p->systems = cmb_arena_take(p->arena, m->g->systems_size, sizeof *p->systems);
  p->solutions = cmb_arena_take(p->arena, 2 * (size_t)m->solutions, sizeof *p->solutions);
  p->operand = cmb_arena_take(p->arena, 2 * m->operands, sizeof *p->operand);
  p->system_count = (int)m->g->systems_size;
  m->operand = p->operand;
}

/* Adds system of equations `number` of the graph to the program, unless it has been added before. Creates the program of its equations if
 * they are nonlinear, and enlarges p->room to the memory for solving it. */
static cmb_status add_system(struct maker *m, uint16_t number)
{
  const cmb_system_of *of = m->g->systems[number];
  cmb_program *p = m->p;
  cmb_program_system *s = &p->systems[number];
  if (s->n > 0) return CMB_OK;
  const int n = of->n, count = of->given + (of->linear ? 0 : n);
  *s = (cmb_program_system){.n = n, .given = of->given, .operands = count, .linear = of->linear};
  memcpy(s->size, of->size, sizeof s->size);
  int room = count;
  if (!of->linear) {
    CMB_TRY(cmb_system_program(m->ctx, m->g, number, &s->equations));
    room += cmb_program_work(s->equations);
  }
  if (room > p->room) p->room = room;
  return CMB_OK;
}

static cmb_status add_systems(struct maker *m)
{
  for (int k = 0; m->solutions > 0 && k < m->p->instructions; k++) {
    const cmb_node *n = &m->g->nodes[m->order[k]];
    if (n->op == CMB_OP_SOLVE) CMB_TRY(add_system(m, n->data));
  }
  return CMB_OK;
}

static void take_memory(struct maker *m)
{
  cmb_program *p = m->p;
  const cmb_graph *g = m->g;
  p->table_count = (int)g->tables_size;
  p->tables = cmb_arena_take(p->arena, g->tables_size, sizeof(void *));
  p->externals = cmb_arena_take(p->arena, g->externals_size, sizeof(void *));
  p->constant = cmb_arena_doubles(p->arena, p->constants);
  p->code = cmb_arena_take(p->arena, (size_t)p->instructions + 1, sizeof *p->code);
  p->output = cmb_arena_take(p->arena, (size_t)p->outputs, sizeof *p->output);
  p->grouped = (cmb_grouped){.code = p->code, .output = p->output};
  if (m->solutions > 0) take_solutions(m);
  if (m->for_lanes) return;
  p->grouped.code = cmb_arena_take(p->arena, (size_t)p->instructions + 1, sizeof *p->grouped.code);
  p->grouped.output = cmb_arena_take(p->arena, (size_t)p->outputs, sizeof *p->grouped.output);
}

/* Assigns the first slots (entries of the work array) to the program's inputs and copies their names. Returns an error if an entry of input[]
 * is no input of the graph, or if the outputs use an input that is not listed. */
static cmb_status assign_input_slots(struct maker *m, const cmb_expr *input)
{
  const char **names = cmb_arena_take(m->p->arena, (size_t)m->p->inputs, sizeof *names);
  if (!names) return CMB_OK;
  m->p->names = names;
  for (int j = 0; j < m->p->inputs; j++) {
    if (cmb_expr_op(m->g, input[j]) != CMB_OP_INPUT) {
      return cmb_fail(m->ctx, CMB_ERROR_ARGUMENT,
                      "input %d of the program, counted from 0, is an expression; expected an "
                      "input of the graph",
                      j);
    }
    names[j] = cmb_arena_text(m->p->arena, cmb_expr_name(m->g, input[j]));
    m->slot[input[j]] = (uint32_t)j;
    m->marked[input[j]] |= 2;
  }
  for (cmb_expr e = 0; e < m->size; e++) {
    if (m->marked[e] == 1 && cmb_expr_op(m->g, e) == CMB_OP_INPUT) {
      return cmb_fail(m->ctx, CMB_ERROR_ARGUMENT, "'%s' is used but is not an input of the program",
                      cmb_expr_name(m->g, e));
    }
  }
  return CMB_OK;
}

static void assign_constant_slots(struct maker *m)
{
  int k = 0;
  for (cmb_expr e = 0; e < m->size; e++) {
    if (!m->marked[e] || cmb_expr_op(m->g, e) != CMB_OP_CONSTANT) continue;
    m->p->constant[k] = cmb_expr_constant(m->g, e);
    m->slot[e] = (uint32_t)(m->p->inputs + k++);
  }
}

static void find_last_uses(struct maker *m, int outputs, const cmb_expr *output)
{
  for (int k = 0; k < m->p->instructions; k++) {
    const int count = cmb_operand_count(m->g, m->order[k]);
    for (int i = 0; i < count; i++) {
      m->last_use[cmb_operand(m->g, m->order[k], i)] = (uint32_t)k + 1;
    }
  }
  for (int i = 0; i < outputs; i++) m->last_use[output[i]] = UINT32_MAX;
}

/* Frees the slots (entries of the work array) of those operands of node e that are results of operations and are not read later; `place` is 1 +
 * the index of e in m->order. Slots with the unknowns of systems of equations are never freed. */
static void free_arguments(struct maker *m, cmb_expr e, uint32_t place)
{
  const int count = cmb_operand_count(m->g, e);
  for (int i = 0; i < count; i++) {
    cmb_expr x = cmb_operand(m->g, e, i);
    if (m->last_use[x] != place || !cmb_is_operation(m->g, x)) continue;
    if (cmb_expr_op(m->g, x) == CMB_OP_SOLVE) continue;
    m->free[m->free_count++] = m->slot[x];
    m->last_use[x] = 0;
  }
}

/* Returns the instruction that solves the system of equations of node e. Its unknowns get new slots at the end of the work array, by which
 * *slots increases; the slots of its operands are appended to the program's list of operands. */
static cmb_instruction write_solution(struct maker *m, cmb_expr e, uint32_t *slots)
{
  cmb_program *p = m->p;
  const cmb_node *n = &m->g->nodes[e];
  const int count = cmb_operand_count(m->g, e), number = p->solution_count++;
  p->solutions[number] =
      (cmb_program_solution){.system = n->data, .first = (uint32_t)(m->operand - p->operand)};
  for (int i = 0; i < count; i++) *m->operand++ = m->slot[cmb_operand(m->g, e, i)];
  m->slot[e] = *slots;
  *slots += (uint32_t)p->systems[n->data].n;
  return (cmb_instruction){.op = CMB_OP_SOLVE, .data = (uint16_t)number, .to = m->slot[e]};
}

/* Translates the operations in m->order to instructions `to`, with slots (entries of the work array) for their results; a slot is used again
 * once its result has been read for the last time. Writes the slots of the outputs to `place`. Returns the number of slots. */
static int write_code(struct maker *m, const cmb_expr *output, cmb_instruction *to, uint32_t *place)
{
  const cmb_program *p = m->p;
  uint32_t slots = (uint32_t)(p->inputs + p->constants);
  find_last_uses(m, p->outputs, output);
  m->free_count = 0;
  for (int k = 0; k < p->instructions; k++) {
    cmb_expr e = m->order[k];
    uint32_t argument[3] = {0, 0, 0};
    if (cmb_expr_op(m->g, e) == CMB_OP_SOLVE) {
      *to++ = write_solution(m, e, &slots);
      free_arguments(m, e, (uint32_t)k + 1);
      continue;
    }
    int arity = cmb_op_arity(cmb_expr_op(m->g, e));
    for (int i = 0; i < arity; i++) argument[i] = m->slot[cmb_expr_argument(m->g, e, i)];
    free_arguments(m, e, (uint32_t)k + 1);
    m->slot[e] = m->free_count > 0 ? m->free[--m->free_count] : slots++;
    const cmb_node *n = &m->g->nodes[e];
    if (n->op == CMB_OP_PART) argument[0] += n->order;
    *to++ = (cmb_instruction){n->op,       n->order,    n->data,    m->slot[e],
                              argument[0], argument[1], argument[2]};
  }
  for (int i = 0; i < p->outputs; i++) place[i] = m->slot[output[i]];
  return (int)slots;
}

static cmb_status make(struct maker *m, const cmb_expr *input, const cmb_expr *output)
{
  cmb_program *p = m->p;
  list_operations(m);
  take_memory(m);
  CMB_TRY(assign_input_slots(m, input));
  if (cmb_arena_failed(p->arena)) return cmb_fail_memory(m->ctx);
  CMB_REQUIRE(m->ctx, m->solutions <= UINT16_MAX / 2, "a program has too many solutions");
  CMB_TRY(add_systems(m));
  assign_constant_slots(m);
  p->slots = write_code(m, output, p->code, p->output);
  p->grouped.slots = p->slots;
  if (!m->for_lanes) {
    if (!cmb_schedule(m->g, p->instructions, m->order)) return cmb_fail_memory(m->ctx);
    p->grouped.slots = write_code(m, output, p->grouped.code, p->grouped.output);
  }
  for (uint32_t i = 0; i < m->g->tables_size; i++) p->tables[i] = m->g->tables[i];
  for (uint32_t i = 0; i < m->g->externals_size; i++) p->externals[i] = m->g->externals[i];
  return CMB_OK;
}

static cmb_status create(cmb_context *ctx, const cmb_graph *g, int inputs, const cmb_expr *input,
                         int outputs, const cmb_expr *output, bool for_lanes, cmb_program **out)
{
  CMB_REQUIRE(ctx, ctx && out, "cmb_program_create needs a context and a place for the program");
  *out = NULL;
  CMB_REQUIRE(ctx, g, "cmb_program_create needs a graph");
  CMB_TRY(cmb_graph_status(g));
  CMB_REQUIRE(ctx, cmb_graph_has(g, inputs, input) && cmb_graph_has(g, outputs, output),
              "cmb_program_create needs expressions of the graph");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_program *p = arena ? cmb_arena_take(arena, 1, sizeof *p) : NULL;
  if (!p) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *p = (cmb_program){.arena = arena, .inputs = inputs, .outputs = outputs};
  struct maker m = {.ctx = ctx, .g = g, .p = p, .for_lanes = for_lanes};
  cmb_status status =
      take_scratch(&m, input, output) ? make(&m, input, output) : cmb_fail_memory(ctx);
  release_scratch(&m);
  if (status != CMB_OK) {
    cmb_program_destroy(p);
    return status;
  }
  *out = p;
  return CMB_OK;
}

cmb_status cmb_program_create(cmb_context *ctx, const cmb_graph *g, int inputs,
                              const cmb_expr *input, int outputs, const cmb_expr *output,
                              cmb_program **out)
{
  return create(ctx, g, inputs, input, outputs, output, false, out);
}

cmb_status cmb_program_create_for_lanes(cmb_context *ctx, const cmb_graph *g, int inputs,
                                        const cmb_expr *input, int outputs, const cmb_expr *output,
                                        cmb_program **out)
{
  return create(ctx, g, inputs, input, outputs, output, true, out);
}

static void add_table(const cmb_table *table, cmb_sha256 *s)
{
  const size_t nx = (size_t)table->nx, ny = (size_t)table->ny;
  cmb_sha256_add(s, &table->kind, sizeof table->kind);
  cmb_sha256_add(s, &table->nx, sizeof table->nx);
  cmb_sha256_add(s, &table->ny, sizeof table->ny);
  cmb_sha256_add(s, table->x, nx * sizeof *table->x);
  if (ny > 0) cmb_sha256_add(s, table->y, ny * sizeof *table->y);
  cmb_sha256_add(s, table->c, (size_t)cmb_table_coefficients(table) * sizeof *table->c);
}

static void add_solution(const cmb_program *p, const cmb_program_solution *solution, cmb_sha256 *s)
{
  const cmb_program_system *of = &p->systems[solution->system];
  cmb_sha256_add(s, &of->n, sizeof of->n);
  cmb_sha256_add(s, of->size, sizeof of->size);
  cmb_sha256_add(s, p->operand + solution->first, (size_t)of->operands * sizeof *p->operand);
  if (of->equations) cmb_program_add_digest(of->equations, s);
}

void cmb_program_add_digest(const cmb_program *p, cmb_sha256 *s)
{
  const int sizes[] = {p->inputs, p->outputs, p->constants, p->instructions};
  cmb_sha256_add(s, sizes, sizeof sizes);
  cmb_sha256_add(s, p->constant, (size_t)p->constants * sizeof *p->constant);
  cmb_sha256_add(s, p->code, (size_t)p->instructions * sizeof *p->code);
  cmb_sha256_add(s, p->output, (size_t)p->outputs * sizeof *p->output);
  for (int i = 0; i < p->instructions; i++) {
    const cmb_instruction *at = &p->code[i];
    if (cmb_is_table((cmb_op)at->op)) add_table(p->tables[at->data], s);
    if (at->op == CMB_OP_CALL) cmb_sha256_add_text(s, p->externals[at->data]->name);
    if (at->op == CMB_OP_SOLVE) add_solution(p, &p->solutions[at->data], s);
  }
}

void cmb_program_destroy(cmb_program *p)
{
  if (!p) return;
  for (int i = 0; i < p->system_count; i++) cmb_program_destroy(p->systems[i].equations);
  cmb_arena_destroy(p->arena);
}

int cmb_program_inputs(const cmb_program *p)
{
  return p->inputs;
}

int cmb_program_outputs(const cmb_program *p)
{
  return p->outputs;
}

int cmb_program_instructions(const cmb_program *p)
{
  return p->instructions;
}

int cmb_program_operands(const cmb_program *p)
{
  int count = 0;
  for (int i = 0; i < p->solution_count; i++) count += p->systems[p->solutions[i].system].operands;
  return count;
}

void cmb_program_mark_inputs(const cmb_program *p, bool *read)
{
  for (int k = 0; k < p->outputs; k++) {
    if (p->output[k] < (uint32_t)p->inputs) read[p->output[k]] = true;
  }
  for (const cmb_instruction *i = p->code; i < p->code + p->instructions; i++) {
    const uint32_t slot[3] = {i->a, i->b, i->c};
    for (int k = 0; k < 3; k++) {
      if (slot[k] < (uint32_t)p->inputs) read[slot[k]] = true;
    }
  }
}

int cmb_program_work(const cmb_program *p)
{
  return (p->slots > p->grouped.slots ? p->slots : p->grouped.slots) + p->room;
}
