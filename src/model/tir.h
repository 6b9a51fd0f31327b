/*
 * Tyre property files (.tir, TeimOrbit), read for tyres.c and dyn/magic_formula.c: [SECTION] headers, KEY = value $comment, texts in quotes,
 * tables of numbers after a line in braces. Numbers are converted to SI units from those of [UNITS]. tir_keys.h describes the keys.
 */
#ifndef CMB_MODEL_TIR_H
#define CMB_MODEL_TIR_H

#include "model/reader.h"
#include "model/tir_keys.h"

typedef enum cmb_tyre_side {
  CMB_TYRE_SIDE_UNKNOWN,
  CMB_TYRE_SIDE_LEFT,
  CMB_TYRE_SIDE_RIGHT,
  CMB_TYRE_SIDE_SYMMETRIC
} cmb_tyre_side;

/* The numbers of a tyre property file in SI units, a member for each key. It has no pointers and can be copied by assignment. */
typedef struct cmb_tir {
#define CMB_TIR_MEMBER(section, key, quantity, limit, versions, value, meaning) double key;
  CMB_TIR_KEYS(CMB_TIR_MEMBER)
#undef CMB_TIR_MEMBER
  cmb_tyre_side side; /* TYRESIDE: side of the vehicle for which it was measured */
} cmb_tir;

enum {
#define CMB_TIR_COUNT(section, key, quantity, limit, versions, value, meaning) CMB_TIR_AT_##key,
  CMB_TIR_KEYS(CMB_TIR_COUNT)
#undef CMB_TIR_COUNT
      CMB_TIR_KEY_COUNT
};

/* cmb_tir_names returns the names of all keys, in the order of the table; cmb_tir_number returns the number under key number `key` (0 to
 * CMB_TIR_KEY_COUNT − 1). */
const char *const *cmb_tir_names(void);
double cmb_tir_number(const cmb_tir *tir, int key);

/* Returns the relative difference (p − p0)/p0 of the inflation pressure p from the nominal one p0; 0 if one of them is not given. */
double cmb_tir_pressure(const cmb_tir *tir);

/* Parses the text of a tyre property file into *tir; `name` is the file's name for messages. Returns CMB_ERROR_INPUT with the message
 * "FILE:LINE:COLUMN: what is wrong, and what was expected" if it is not correct. Unknown sections, and numbers with an effect that only
 * another version of the formula has, are skipped with a warning. Allocates no memory. */
cmb_status cmb_tir_parse(cmb_context *ctx, const char *name, const char *text, size_t length,
                         cmb_tir *tir);

/* Reads the tyre property file that a node of a model names (relative to its file, or from the library) onto the model's arena. */
cmb_status cmb_read_tir(cmb_reader *r, const cmb_node *file, const cmb_tir **tir);

/* Checks the numbers of a tyre for consistency (tir_check.c). `name` is the file's name, and line_of[CMB_TIR_KEY_COUNT] has the line of each
 * key in it, or 0, for error messages. */
cmb_status cmb_tir_check(cmb_context *ctx, const char *name, const int *line_of,
                         const cmb_tir *tir);

#endif
