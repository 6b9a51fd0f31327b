/*
 * For tests of generated code: makes programs and their inputs, compares results bit for bit, makes temporary folders.
 */
#ifndef CMBT_NATIVE_CASE_H
#define CMBT_NATIVE_CASE_H

#include <camber/expr.h>
#include <stdbool.h>

enum { CMBT_CASE_INPUTS = 6 };

/* Where code comes from on this processor, if the system permits it. */
#ifdef __x86_64__
#define CMBT_NATIVE_ORIGIN CMB_NATIVE_EMITTED
#else
#define CMBT_NATIVE_ORIGIN CMB_NATIVE_INTERPRETED
#endif

/* Makes a program of `outputs` random expressions (random_expr.h) of `nodes` steps in six inputs. Equal seeds give equal programs. */
cmb_program *cmbt_random_program(cmb_context *ctx, uint64_t seed, int outputs, int nodes);

/* Makes a program of about `operations` operations in proportions that are typical of mechanisms: rotations of a vector, one after
 * another (+ - *), and a few / sqrt sin cos min. Values stay near 1. */
cmb_program *cmbt_chain_program(cmb_context *ctx, int operations);

/* Sets random inputs of all magnitudes; some are 0, -0, infinite or NaN. */
void cmbt_random_inputs(uint64_t seed, int count, double *in);

/* Returns whether all pairs of numbers have equal bits or are both NaN. */
bool cmbt_same_bits(int count, const double *a, const double *b);

/* Runs the interpreter on p and program i of the native code on `runs` random inputs, with scalars and with lanes. Fails the test where
 * their results differ. */
void cmbt_compare_native(const cmb_native *native, int i, const cmb_program *p, int runs);

/* Makes a folder with a new name in the current folder and writes its absolute path; deletes a folder with its contents. */
void cmbt_make_folder(char path[256]);
void cmbt_remove_folder(const char *path);

#endif
