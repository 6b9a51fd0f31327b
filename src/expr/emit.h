/*
 * Machine code for programs (program.h), written directly into memory, for x86-64 processors. Three files:
 *
 *     emit.c        the walk over a program's instructions: which value is in which register
 *     emit_x86.c    the bytes of the processor's instructions
 *     emit_calls.c  the C functions that the code calls, for operations that no instruction of the processor computes
 *
 * The code computes what the interpreter computes, operation by operation in the order of the graph, and calls the same functions of libm,
 * so that results have the same bits; only sign and payload of a NaN can differ. Memory is written first and made executable afterwards; it
 * is never both. Where the system refuses that, and on other processors, there is no code, and the caller interprets.
 */
#ifndef CMB_EXPR_EMIT_H
#define CMB_EXPR_EMIT_H

#include "expr/program.h"

/* The instructions that the code may use. */
typedef enum cmb_emit_level {
  CMB_EMIT_NONE, /* another processor: no code */
  CMB_EMIT_SSE2, /* those of every x86-64 processor; 2 lanes at a time */
  CMB_EMIT_AVX   /* 4 lanes at a time; no FMA, whose results are rounded once instead of twice */
} cmb_emit_level;

/* Returns the best level of this processor. */
cmb_emit_level cmb_emit_best(void);

/* Evaluates a program. in, out and work must not overlap. For lanes, entry k of an array is at [CMB_LANES k + lane], and one call computes
 * cmb_emit_width lanes. */
typedef void (*cmb_emitted_function)(const double *in, double *out, double *work);

/* Returns how many lanes a call of a function for lanes computes. */
int cmb_emit_width(cmb_emit_level level);

/* A function to be emitted. */
typedef struct cmb_emission {
  const cmb_program *program;
  bool lanes;
  cmb_emitted_function function; /* the result */
} cmb_emission;

/* The memory of the functions that were emitted together; `bytes` is NULL if there are none. */
typedef struct cmb_emitted {
  void *bytes;
  size_t size;
} cmb_emitted;

/* Writes machine code for the functions e[count] and sets e[].function. The programs must outlive the code. Returns CMB_OK with code->bytes =
 * NULL if the system does not permit executable memory, if the level is CMB_EMIT_NONE, or if the code would exceed 1 GB. */
cmb_status cmb_emit(cmb_context *ctx, cmb_emit_level level, int count, cmb_emission *e,
                    cmb_emitted *code);
void cmb_emit_release(cmb_emitted *code);

#endif
