/*
 * The internals of a program: a flat list of instructions that read and write numbered slots of a work array.
 *
 * Slots: first the inputs, then the constants, then temporary results, whose slots are used again as soon as no instruction reads them any
 * more (those of solved systems never).
 *
 * There are two lists of the same operations. One is in the order of the graph, in which values are used soon and few slots are needed:
 * for lanes and for C text. The other, for the interpreter on numbers, has equal operations next to each other (schedule.h), so that a
 * loop over instructions of one operation replaces a jump for each of them.
 */
#ifndef CMB_EXPR_PROGRAM_H
#define CMB_EXPR_PROGRAM_H

#include "base/arena.h"
#include "base/sha256.h"

#include <camber/expr.h>
#include <string.h>

typedef struct cmb_instruction {
  uint8_t op, order; /* cmb_op, and derivative order as in a node */
  uint16_t data;
  uint32_t to;      /* slot of the result */
  uint32_t a, b, c; /* slots of the arguments; 0 for those that the operation does not have */
} cmb_instruction;

/* A small system of equations (graph.h) that solutions in the program refer to. */
typedef struct cmb_program_system {
  /* n: number of unknowns; operands: number of start values (none if it is linear) and given quantities */
  int n, given, operands;
  bool linear;
  /* computes the residuals r (n) and the Jacobian J (n x n) from (w, given); NULL: linear, or not used in this program */
  cmb_program *equations;
  double size[CMB_MOST_UNKNOWNS];
} cmb_program_system;

/* A solution of a system: its instruction has the solution's number as `data` and the first of n slots as `to`; CMB_OP_PART copies one
 * unknown. */
typedef struct cmb_program_solution {
  uint16_t system;
  uint32_t first; /* index of its first operand in `operand` */
} cmb_program_solution;

/* The second list of instructions. In each list the last instruction is followed by a CMB_OP_CONSTANT, which marks the end. */
typedef struct cmb_grouped {
  cmb_instruction *code; /* (instructions + 1) */
  uint32_t *output;      /* (outputs) slots */
  int slots;
} cmb_grouped;

struct cmb_program {
  cmb_arena *arena;
  int inputs, outputs, constants, instructions, slots;
  double *constant;      /* (constants) */
  cmb_instruction *code; /* (instructions + 1) */
  uint32_t *output;      /* (outputs) slots */
  cmb_grouped grouped;
  int table_count;
  const cmb_table **tables; /* (table_count) all tables of the graph */
  const cmb_external **externals;
  const char *const *names; /* (inputs) */
  int system_count, solution_count;
  cmb_program_system *systems; /* (system_count) as in the graph */
  /* (solution_count) solutions in the first list of instructions, then those in the second */
  cmb_program_solution *solutions;
  uint32_t *operand; /* slots of all operands */
  /* number of doubles that are needed to solve systems; they follow the slots in the work array */
  int room;
};

/* Returns the value of an instruction that is a table, a C function or an unknown of a solution, with the arguments a, b and c. */
double cmb_instruction_value(const cmb_program *p, const cmb_instruction *i, double a, double b,
                             double c);

/* Marks in read[inputs] the inputs that are outputs or that operations other than solutions of systems read; input 0 also where an operation
 * has fewer than three arguments. Other entries are not changed. On intervals solutions are unknown, whatever they read. */
void cmb_program_mark_inputs(const cmb_program *p, bool *read);

/* Returns the number of operands of all solutions in both lists. */
int cmb_program_operands(const cmb_program *p);

/* Solves a system of equations; its operands are at the beginning of `room`, which is overwritten. The unknowns are written to w[n]; all are
 * NaN if no solution is found. */
void cmb_program_solve(const cmb_program *p, const cmb_program_solution *solution, double *room,
                       double *w);

/* Executes instruction i, which solves a small system of equations: reads its operands from their slots in the work array and writes the
 * unknowns to the slot i->to and the following ones. For several lanes (sets of inputs that are evaluated together, at most CMB_LANES) the
 * entries of a slot are at work[CMB_LANES slot + lane], for a single one at work[slot]. Operands that are the same in all lanes are solved
 * once. */
void cmb_program_run_solution(const cmb_program *p, const cmb_instruction *i, int lanes,
                              double *work);

/* Returns the part of a work array that is used to solve systems of equations, for 1 or CMB_LANES lanes. */
static inline double *cmb_program_room(const cmb_program *p, int lanes, double *work)
{
  const int slots = p->slots > p->grouped.slots ? p->slots : p->grouped.slots;
  return work + (size_t)lanes * (size_t)slots;
}

/* Returns whether two numbers have the same bits: 0 differs from −0, and a NaN can equal a NaN. */
static inline bool cmb_same_bits(double a, double b)
{
  uint64_t x, y;
  memcpy(&x, &a, sizeof x);
  memcpy(&y, &b, sizeof y);
  return x == y;
}

/* Adds to the digest s all on which the program's results depend: instructions, constants, tables, and of user functions the names. */
void cmb_program_add_digest(const cmb_program *p, cmb_sha256 *s);

/* Creates a program like cmb_program_create, in half the memory: the first list of instructions serves as the second one too. For
 * programs that rarely run on single numbers. */
cmb_status cmb_program_create_for_lanes(cmb_context *ctx, const cmb_graph *g, int inputs,
                                        const cmb_expr *input, int outputs, const cmb_expr *output,
                                        cmb_program **out);

#endif
