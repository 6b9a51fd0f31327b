/*
 * The bytes of x86-64 instructions, for emitted code (emit.h). See emit_x86.c for how they are encoded.
 */
#ifndef CMB_EXPR_EMIT_X86_H
#define CMB_EXPR_EMIT_X86_H

#include "expr/emit.h"

#if defined(__x86_64__) && !defined(_WIN32) && !defined(__ILP32__)
#define CMB_EMIT_X86
#endif

/* The vector registers 0, 1 and 2 hold the arguments of calls and are scratch otherwise; values of the program are in the other ones. */
enum { CMB_X86_SCRATCH = 3, CMB_X86_REGISTERS = 16 };

/* Where a number (or vector of lanes) is: in a vector register, or in memory relative to the array of inputs, of outputs or the work array,
 * to the stack, or to the beginning of all code. */
typedef enum cmb_x86_base {
  CMB_X86_REGISTER,
  CMB_X86_IN,
  CMB_X86_OUT,
  CMB_X86_WORK,
  CMB_X86_STACK,
  CMB_X86_CODE
} cmb_x86_base;

typedef struct cmb_x86_place {
  cmb_x86_base base;
  int32_t at; /* number of the register, or distance in bytes */
} cmb_x86_place;

/* The growing code. After a failed allocation all later calls do nothing: write everything, then check `failed` once. */
typedef struct cmb_x86 {
  cmb_context *ctx;
  uint8_t *bytes;
  size_t length, room;
  bool failed;
  bool avx, lanes; /* lanes: instructions compute with vectors of `width` numbers */
  int width;       /* number of lanes, or 1 */
} cmb_x86;

/* Frees the bytes. */
void cmb_x86_release(cmb_x86 *x);

/* Begins new code with the constants that the instructions of some operations read. */
cmb_x86 cmb_x86_begin(cmb_context *ctx, bool avx);

/* Appends bytes, or zeros up to a multiple of `size`. */
void cmb_x86_add(cmb_x86 *x, const void *bytes, size_t length);
void cmb_x86_align(cmb_x86 *x, size_t size);

/* Append the beginning of a function with the arguments (in, out, work), and its end. */
void cmb_x86_enter(cmb_x86 *x);
void cmb_x86_leave(cmb_x86 *x);

/* Append instructions that copy a number (or lanes) between a register and another place. */
void cmb_x86_load(cmb_x86 *x, int to, cmb_x86_place from);
void cmb_x86_store(cmb_x86 *x, cmb_x86_place to, int from);

/* How an operation is computed. */
typedef struct cmb_x86_operation {
  bool inlined;   /* by instructions of the processor; otherwise by a call */
  bool commutes;  /* its arguments may be exchanged */
  bool exchanged; /* its arguments have to be exchanged */
  bool
      last; /* its second argument may be in memory, and the result may be in the register of any argument */
} cmb_x86_operation;

cmb_x86_operation cmb_x86_how(const cmb_x86 *x, cmb_op op);

/* Appends an operation that is inlined: computes register `to` from the arguments in registers a and c and in the place b. Without AVX, or if
 * the operation's `last` is false, `to` must not be the register of an argument, except that of a if `last` is true. */
void cmb_x86_compute(cmb_x86 *x, cmb_op op, int to, int a, cmb_x86_place b, int c);

/* The places of argument i of a call, and of the result; before and after it all registers are scratch. */
cmb_x86_place cmb_x86_argument(const cmb_x86 *x, int i);

/* Appends a call of the function whose address is at `address` in the code, for an instruction of a program. */
void cmb_x86_call(cmb_x86 *x, int32_t address, const cmb_program *p, const cmb_instruction *i);

#endif
