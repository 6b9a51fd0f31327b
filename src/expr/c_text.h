/*
 * A program as C text.
 *
 * The instructions become statements on local variables, each assigned once,
 *
 *     const number t17 = t3 * t4;
 *
 * in functions of at most CMB_C_PIECE statements: compilers need time and memory that grow faster than a function.
 * What one piece computes and a later one reads goes through the array w; it gets as few places as the program's
 * slots allow. The arrays x (inputs), y (outputs) and w must not overlap.
 *
 * `number` is a typedef, so that the same text computes with doubles and with lanes of doubles. + - * / and the
 * minus sign are C's; every other operation is a call op_name(...). What these are is printed from the table of
 * operations (CMB_OP_LIST): for doubles the expression that stands there, for lanes the same in each lane.
 */
#ifndef CMB_EXPR_C_TEXT_H
#define CMB_EXPR_C_TEXT_H

#include "base/buffer.h"
#include "expr/program.h"

/* Statements a function. Measured on 30,000 operations: see bench/expr_speed.c. */
enum { CMB_C_PIECE = 500 };

/* What must be known about a program before its pieces can be printed. */
typedef struct cmb_c_program {
  const cmb_program *p;
  cmb_arena *arena;
  int piece_size, pieces;
  int work;    /* places of w that are used: at most cmb_program_work */
  int *source; /* (3 x instructions) what an argument is: an instruction's number, or -1 - slot */
  int *place;  /* (instructions) in w, or -1 if only its own piece reads it */
  int *loaded; /* (instructions) 1 + the last piece that took it out of w */
  int *last_output; /* (instructions) the last output that is this value, or -1 */
  int *next_output; /* (outputs) another output with the same value, or -1 */
  int *operand;     /* what the operands of the program's solutions are, as in source */
  const char
      *tables[2]; /* the name of its tables' arrays, in two parts; NULL: ask the interpreter */
} cmb_c_program;

/* Tables and C functions are printed as calls op_special(e, number of the instruction, a, b, c), solutions of systems as op_solve,
 * which ask the interpreter. Where `tables` is set, tables are printed by name, NAME_3_x, NAME_3_c, NAME_3_y, with calls of the
 * functions in table_code.h instead, and solutions with those in root_code.h and the system's equations, NAME_root_2. The unknowns
 * of a solution stand in w, one after the other. */
bool cmb_c_calls(const cmb_program *p); /* does it call C functions of the user's? */

/* Whether there are linear systems and others in the program, or in their equations. */
void cmb_c_systems(const cmb_program *p, bool *linear, bool *root);

cmb_status cmb_c_program_create(cmb_context *ctx, const cmb_program *p, int piece_size,
                                cmb_c_program **out);
void cmb_c_program_destroy(cmb_c_program *c);

typedef enum cmb_c_number { CMB_C_SCALAR, CMB_C_LANES } cmb_c_number;

/* How places and constants are written: x[3] and 0.5, or X(3) and K(0.5), which can mean lanes as well. */
typedef enum cmb_c_style { CMB_C_PLAIN, CMB_C_MACROS } cmb_c_style;

/* used (CMB_OPS) is set to true where the program has the operation. */
void cmb_c_operations(const cmb_program *p, bool *used);

/* What stops a compiler whose arithmetic is not that of double: reassociation, excess precision, short constants. With any of
 * these, sine and cosine (sine_code.h) and the checks for finite results would be wrong without a word. */
void cmb_c_print_conditions(cmb_buffer *b);

/* The definitions of op_name for the operations in use (CMB_OPS). Those for lanes need WIDTH, mask, select_lanes and
 * same_in_all. */
void cmb_c_print_operations(cmb_buffer *b, cmb_c_number number, const bool *used);

/* The body of piece k, from { to }. Pieces must be printed in ascending order; starting again with 0 is
 * allowed. */
void cmb_c_print_piece(cmb_buffer *b, cmb_c_program *c, int k, cmb_c_style style);

/* One C99 file of its own with a function for each program, as cmb_c_file_save writes it. */
cmb_status cmb_c_file(cmb_context *ctx, const char *prefix, int count,
                      const cmb_c_function *functions, cmb_buffer *text);

/* The same as part of a file: static functions, after definitions of what they use and before whatever calls them. */
cmb_status cmb_c_functions(cmb_context *ctx, const char *prefix, int count,
                           const cmb_c_function *functions, cmb_buffer *text);

/* A name inside a comment: what could end the comment or the line is left out. */
void cmb_c_print_comment(cmb_buffer *b, const char *name);

/* Whether an operation is a function of libm, and its name there; NULL: it is none. */
const char *cmb_c_library_function(cmb_op op);

#endif
