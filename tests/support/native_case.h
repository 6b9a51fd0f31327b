/*
 * What tests of generated code share: programs, their inputs, comparison of bits, folders and scripts of their own.
 */
#ifndef CMBT_NATIVE_CASE_H
#define CMBT_NATIVE_CASE_H

#include <camber/expr.h>
#include <stdbool.h>

enum { CMBT_CASE_INPUTS = 6 };

/* A program of `outputs` random expressions (random_expr.h) of `nodes` steps in six inputs, the same for the same seed. */
cmb_program *cmbt_random_program(cmb_context *ctx, uint64_t seed, int outputs, int nodes);

/* A program of about `operations` operations, mostly + - *, as a mechanism has them: a chain of rotations of a
 * vector, with some / sqrt sin cos min. Values stay near 1. */
cmb_program *cmbt_chain_program(cmb_context *ctx, int operations);

/* Inputs of all magnitudes; some are 0, -0, infinite or not a number. */
void cmbt_random_inputs(uint64_t seed, int count, double *in);

/* The same bits, or both not a number. */
bool cmbt_same_bits(int count, const double *a, const double *b);

/* Runs interpreter and native code on the program, scalar and lanes, `runs` times; fails the test where they differ. */
void cmbt_compare_native(const cmb_native *native, int i, const cmb_program *p, int runs);

/* A new folder in the current one, as an absolute path; and its end, with all that is in it. */
void cmbt_make_folder(char path[256]);
void cmbt_remove_folder(const char *path);

/* An executable script for /bin/sh at folder/name; path gets its place. */
void cmbt_make_script(const char *folder, const char *name, const char *text, char path[512]);

#endif
