/*
 * Prints a compiled expression program (cmb_program) as C text. Used for the exported C file (c_file.c) and for native code
 * (native_text.c).
 *
 * The instructions become statements on local variables, each assigned once,
 *
 *     const number t17 = t3 * t4;
 *
 * in functions ("pieces") of at most CMB_C_PIECE statements: the time and memory of compilers grow faster than the length of a function. A
 * value that one piece computes and a later one reads is passed through the array w, which has as few entries as the program's slots
 * allow. The arrays x (inputs), y (outputs) and w must not overlap.
 *
 * `number` is a typedef, so that the same text computes with doubles and with vectors of doubles (lanes). + - * / and the minus sign are
 * C's; every other operation is a call op_name(...). These functions are printed from the table of operations (CMB_OP_LIST): for doubles
 * with the expression in the table, for lanes with the same expression in each lane.
 */
#ifndef CMB_EXPR_C_TEXT_H
#define CMB_EXPR_C_TEXT_H

#include "base/buffer.h"
#include "expr/program.h"

/* Statements per C function; chosen by measurements with 30,000 operations, see bench/expr_speed.c. */
enum { CMB_C_PIECE = 500 };

/* The analysis of a program that has to be done before its pieces can be printed. */
typedef struct cmb_c_program {
  const cmb_program *p;
  cmb_arena *arena;
  int piece_size, pieces;
  int work; /* entries of w that are used: at most cmb_program_work */
  /* (3 x instructions) each argument: the instruction that computed it, or -1 - slot */
  int *source;
  int *place;  /* (instructions) index of its value in w, or -1 if only its own piece reads it */
  int *loaded; /* (instructions) 1 + the last piece that loaded its value from w */
  int *last_output; /* (instructions) the last output that is this value, or -1 */
  int *next_output; /* (outputs) another output with the same value, or -1 */
  /* operands of all solutions of systems (cmb_program_solution), coded as in source */
  int *operand;
  /* The two parts of the name of its tables' arrays, as in PREFIX_NAME_table_3_x; NULL: tables are evaluated by the interpreter. */
  const char *tables[2];
} cmb_c_program;

/* Without `tables`, tables and C functions are printed as calls op_special(e, number of the instruction, a, b, c) and solutions of
 * systems as op_solve, which both call the interpreter. With `tables`, tables are printed as calls of the functions in table_code.h on
 * the arrays NAME_table_3_x, NAME_table_3_c, NAME_table_3_y, and solutions as calls of those in root_code.h and of the system's
 * equations, NAME_root_2. The unknowns of a solution are consecutive entries of w. */
bool cmb_c_calls(const cmb_program *p); /* whether it calls C functions of the user's */

/* Sets *linear to true if the program, or the equations of its systems, solve linear systems, and *root if they solve nonlinear ones. */
void cmb_c_systems(const cmb_program *p, bool *linear, bool *root);

cmb_status cmb_c_program_create(cmb_context *ctx, const cmb_program *p, int piece_size,
                                cmb_c_program **out);
void cmb_c_program_destroy(cmb_c_program *c);

typedef enum cmb_c_number { CMB_C_SCALAR, CMB_C_LANES } cmb_c_number;

/* How array entries and constants are written: x[3] and 0.5, or as macros X(3) and K(0.5), which can be defined for lanes as well. */
typedef enum cmb_c_style { CMB_C_PLAIN, CMB_C_MACROS } cmb_c_style;

/* Sets used[op] (CMB_OPS) to true for each operation that occurs in the program or in the equations of its systems. */
void cmb_c_operations(const cmb_program *p, bool *used);

/* Prints preprocessor checks that reject a compiler whose arithmetic is not that of double (reassociation, excess precision, constants
 * of less precision): sine and cosine (sine_code.h) and the checks for finite results would silently be wrong. */
void cmb_c_print_conditions(cmb_buffer *b);

/* Prints the definitions of op_name for the operations with used[op] (CMB_OPS). The definitions for lanes need WIDTH, mask, select_lanes
 * and same_in_all. */
void cmb_c_print_operations(cmb_buffer *b, cmb_c_number number, const bool *used);

/* Prints the body of piece k, from { to }. Pieces must be printed in ascending order; starting again with 0 is allowed. */
void cmb_c_print_piece(cmb_buffer *b, cmb_c_program *c, int k, cmb_c_style style);

/* Writes one self-contained C99 file with a function for each program to `text`, as cmb_c_file_save saves it. */
cmb_status cmb_c_file(cmb_context *ctx, const char *prefix, int count,
                      const cmb_c_function *functions, cmb_buffer *text);

/* Writes a function for each program to `text` as a part of a C file: static functions, preceded by the definitions that they use. */
cmb_status cmb_c_functions(cmb_context *ctx, const char *prefix, int count,
                           const cmb_c_function *functions, cmb_buffer *text);

/* Appends a name to the text of a C comment; each character that could end the comment or the line is replaced by an underscore. */
void cmb_c_print_comment(cmb_buffer *b, const char *name);

/* Returns the name of the libm function that computes the operation; NULL if there is none. */
const char *cmb_c_library_function(cmb_op op);

#endif
