/*
 * Prints a compiled expression program (cmb_program) as C text, for the exported C file (c_file.c).
 *
 * The instructions become statements on local variables, each assigned once,
 *
 *     const number t17 = t3 * t4;
 *
 * in functions ("pieces") of at most CMB_C_PIECE instructions: the time and memory of compilers grow faster than the length of a function.
 * A value that one piece computes and a later one reads is passed through the array w, which has as few entries as the program's slots
 * allow. The arrays x (inputs), y (outputs) and w must not overlap.
 *
 * `number` is a typedef for double. + - * / and the minus sign are C's; every other operation is a call op_name(...). These functions are
 * printed from the table of operations (CMB_OP_LIST).
 */
#ifndef CMB_EXPR_C_TEXT_H
#define CMB_EXPR_C_TEXT_H

#include "base/buffer.h"
#include "expr/program.h"

/* Instructions per C function; chosen by measurements with 30,000 operations, see bench/expr_speed.c. */
enum { CMB_C_PIECE = 500 };

/* The analysis of a program that is made by cmb_c_program_create before its C functions ("pieces") can be printed. */
typedef struct cmb_c_program {
  const cmb_program *p;
  cmb_arena *arena;
  int piece_size, pieces;
  int work; /* number of entries of the work array w that are used: at most cmb_program_work */
  /* (instructions x 3) for each argument the instruction that computed it; -1 - slot for an input or a constant */
  int *source;
  /* (instructions) index in w of the instruction's value, or of a solution's first unknown; -1: no other piece reads the value */
  int *place;
  int *loaded;      /* (instructions) 1 + the last piece that loaded its value from w */
  int *last_output; /* (instructions) the last output that is the instruction's value, or -1 */
  int *next_output; /* (outputs) another output with the same value, or -1 */
  /* operands of all solved systems of equations (cmb_program_solution), coded as in source */
  int *operand;
  /* the two parts of the name of its tables' arrays, as in PREFIX_NAME_table_3_x */
  const char *tables[2];
} cmb_c_program;

/* Returns whether the program, or the equations of its systems, call a user's C function. */
bool cmb_c_calls(const cmb_program *p);

/* Sets *linear to true if the program, or the equations of its systems, solve linear systems, and *root to true if they solve nonlinear ones.
 * Otherwise they are not changed. */
void cmb_c_systems(const cmb_program *p, bool *linear, bool *root);

/* Analyses a program, which must not call user functions, so that its pieces can be printed, each with at most piece_size instructions;
 * cmb_c_program_destroy releases the result. The caller then sets `tables`. Tables are printed as calls of the functions in table_code.h and
 * foot_code.h on the arrays PREFIX_NAME_table_3_x, .._c and .._y, and solutions of systems as calls of those in root_code.h and of the system's
 * equations, PREFIX_NAME_root_2. */
cmb_status cmb_c_program_create(cmb_context *ctx, const cmb_program *p, int piece_size,
                                cmb_c_program **out);
void cmb_c_program_destroy(cmb_c_program *c);

/* Sets used[op] to true for each operation op that occurs in the program or in the equations of its systems; other entries of used[CMB_OPS]
 * are not changed. */
void cmb_c_operations(const cmb_program *p, bool *used);

/* Appends preprocessor checks to the C text b, by which a compiler stops whose arithmetic is not that of double (reassociation, excess
 * precision, constants of less precision): sine and cosine (sine_code.h) and the checks for finite results would silently be wrong. */
void cmb_c_print_conditions(cmb_buffer *b);

/* Appends the definitions of the C functions op_NAME to the C text b for all operations op of CMB_OP_LIST with used[op] (CMB_OPS) that are
 * not operators of C. */
void cmb_c_print_operations(cmb_buffer *b, const bool *used);

/* Appends the body of piece k, one of the C functions into which a program is divided, to the C text b, from { to }. Pieces must be printed
 * in ascending order; starting again with 0 is allowed. */
void cmb_c_print_piece(cmb_buffer *b, cmb_c_program *c, int k);

/* Appends one self-contained C99 file with a function for each program to `text`, as cmb_c_file_save saves it. */
cmb_status cmb_c_file(cmb_context *ctx, const char *prefix, int count,
                      const cmb_c_function *functions, cmb_buffer *text);

/* Appends a static function for each program to `text`, preceded by the definitions that they use, as a part of a C file. */
cmb_status cmb_c_functions(cmb_context *ctx, const char *prefix, int count,
                           const cmb_c_function *functions, cmb_buffer *text);

/* Appends `name` to the text b inside of a C comment. Replaces control characters, asterisks, backslashes and question marks, which could end
 * the comment or the line, by underscores. */
void cmb_c_print_comment(cmb_buffer *b, const char *name);

/* Returns the name of the libm function that computes operation op; NULL if there is none. Sine and cosine have the names that they call for
 * large arguments. */
const char *cmb_c_library_function(cmb_op op);

#endif
