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

typedef struct cmb_instruction {
  uint8_t op, order; /* cmb_op, and as in a node */
  uint16_t data;
  uint32_t to;      /* slot of the result */
  uint32_t a, b, c; /* slots of the arguments; 0 beyond the operation's */
} cmb_instruction;

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
};

/* The value of an instruction that is a table or a call: these need more than their arguments. */
double cmb_instruction_value(const cmb_program *p, const cmb_instruction *i, double a, double b,
                             double c);

/* Adds all that the results depend on: instructions, constants, tables; of C functions the names. */
void cmb_program_add_digest(const cmb_program *p, cmb_sha256 *s);

/* As cmb_program_create, in half the memory: the first list is the second one too. For what seldom runs on numbers. */
cmb_status cmb_program_create_for_lanes(cmb_context *ctx, const cmb_graph *g, int inputs,
                                        const cmb_expr *input, int outputs, const cmb_expr *output,
                                        cmb_program **out);

#endif
