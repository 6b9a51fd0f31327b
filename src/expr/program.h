/*
 * A program from inside: a flat list of instructions over slots.
 *
 * Slots: first the inputs, then the constants, then temporaries, which are used again as soon as nobody reads
 * them any more.
 *
 * There are two lists of the same operations. One is in the order of the graph, in which values are soon used and places
 * few: for lanes and for C text. The other, for the interpreter over numbers, has equal operations next to each
 * other (schedule.h), so that a loop of one operation takes the place of a jump for each.
 */
#ifndef CMB_EXPR_PROGRAM_H
#define CMB_EXPR_PROGRAM_H

#include "base/arena.h"
#include "base/sha256.h"

#include <camber/expr.h>
#include <string.h>

typedef struct cmb_instruction {
  uint8_t op, order; /* cmb_op, and as in a node */
  uint16_t data;
  uint32_t to;      /* slot of the result */
  uint32_t a, b, c; /* slots of the arguments; 0 beyond the operation's */
} cmb_instruction;

/* A small system (graph.h) that solutions in the program refer to. */
typedef struct cmb_program_system {
  int n, given, operands; /* operands: start values, unless it is linear, and what is given */
  bool linear;
  cmb_program *equations; /* (w, given) -> r (n), J (n x n); NULL: linear, or not used */
  double size[CMB_MOST_UNKNOWNS];
} cmb_program_system;

/* A solution: its instruction has this one's number as `data` and the first of n slots as `to`; CMB_OP_PART copies from one. */
typedef struct cmb_program_solution {
  uint16_t system;
  uint32_t first; /* of its operands, in `operand` */
} cmb_program_solution;

/* The second list. Behind the instructions of each list stands one more, a CMB_OP_CONSTANT. */
typedef struct cmb_grouped {
  cmb_instruction *code; /* (instructions + 1) */
  uint32_t *output;      /* (outputs) slots */
  int slots;
} cmb_grouped;

struct cmb_program {
  cmb_arena *arena;
  int inputs, outputs, constants, instructions, slots;
  double *constant;      /* (constants) */
  cmb_instruction *code; /* (instructions) */
  uint32_t *output;      /* (outputs) slots */
  cmb_grouped grouped;
  int table_count;
  const cmb_table **tables; /* (table_count) the graph's, all of them */
  const cmb_external **externals;
  const char *const *names; /* (inputs) */
  int system_count, solution_count;
  cmb_program_system *systems;     /* (system_count) as in the graph */
  cmb_program_solution *solutions; /* (solution_count) of the first list, then of the second */
  uint32_t *operand;               /* slots */
  int room;                        /* doubles that solving takes, behind the slots */
};

/* The value of an instruction that is a table or a call: these need more than their arguments. */
double cmb_instruction_value(const cmb_program *p, const cmb_instruction *i, double a, double b,
                             double c);

/* Marks (inputs) those that operations other than solutions read. On intervals solutions are unknown, whatever they read. */
void cmb_program_mark_inputs(const cmb_program *p, bool *read);

/* How many operands its solutions have, all together, of both lists. */
int cmb_program_operands(const cmb_program *p);

/* Solves with the operands at the beginning of `room`, which is overwritten; the unknowns into w (n). */
void cmb_program_solve(const cmb_program *p, const cmb_program_solution *solution, double *room,
                       double *w);

/* Where the program's room for solving begins in a work array of so many lanes, 1 or CMB_LANES. */
static inline double *cmb_program_room(const cmb_program *p, int lanes, double *work)
{
  const int slots = p->slots > p->grouped.slots ? p->slots : p->grouped.slots;
  return work + (size_t)lanes * (size_t)slots;
}

/* To the last bit: 0 is not −0, and a NaN is itself. */
static inline bool cmb_same_bits(double a, double b)
{
  uint64_t x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return x == y;
}

/* Adds all that the results depend on: instructions, constants, tables; of C functions the names. */
void cmb_program_add_digest(const cmb_program *p, cmb_sha256 *s);

/* As cmb_program_create, in half the memory: the first list is the second one too. For what seldom runs on numbers. */
cmb_status cmb_program_create_for_lanes(cmb_context *ctx, const cmb_graph *g, int inputs,
                                        const cmb_expr *input, int outputs, const cmb_expr *output,
                                        cmb_program **out);

#endif
