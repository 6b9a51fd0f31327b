/*
 * A program from inside: a flat list of instructions over slots.
 *
 * Slots: first the inputs, then the constants, then temporaries, which are used again as soon as nobody reads
 * them any more.
 */
#ifndef CMB_EXPR_PROGRAM_H
#define CMB_EXPR_PROGRAM_H

#include "base/arena.h"

#include <camber/expr.h>

typedef struct cmb_instruction {
  uint8_t op, order; /* cmb_op, and as in a node */
  uint16_t data;
  uint32_t to;      /* slot of the result */
  uint32_t a, b, c; /* slots of the arguments; 0 beyond the operation's */
} cmb_instruction;

struct cmb_program {
  cmb_arena *arena;
  int inputs, outputs, constants, instructions, slots;
  double *constant;      /* (constants) */
  cmb_instruction *code; /* (instructions) */
  uint32_t *output;      /* (outputs) slots */
  int table_count;
  const cmb_table **tables; /* (table_count) the graph's, all of them */
  const cmb_external **externals;
  const char *const *names; /* (inputs) */
};

#endif
