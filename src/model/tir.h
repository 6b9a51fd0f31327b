/*
 * Tyre property files (.tir, TeimOrbit): [SECTION] headers, KEY = value $comment, texts in quotes, tables of numbers below a line in
 * braces. Numbers are in SI units when they have been read, whatever [UNITS] says. What each key means is in tir_keys.h.
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

/* The numbers under their keys. It has no pointers: it is copied by assignment. */
typedef struct cmb_tir {
#define CMB_TIR_MEMBER(section, key, quantity, limit, versions, value, meaning) double key;
  CMB_TIR_KEYS(CMB_TIR_MEMBER)
#undef CMB_TIR_MEMBER
  cmb_tyre_side side; /* TYRESIDE: on which side of a vehicle it was measured */
} cmb_tir;

enum {
#define CMB_TIR_COUNT(section, key, quantity, limit, versions, value, meaning) CMB_TIR_AT_##key,
  CMB_TIR_KEYS(CMB_TIR_COUNT)
#undef CMB_TIR_COUNT
      CMB_TIR_KEY_COUNT
};

/* The names of all keys, in the order of the table, and the number under one of them. */
const char *const *cmb_tir_names(void);
double cmb_tir_number(const cmb_tir *tir, int key);

/* (p − p0)/p0 of the inflation pressure; 0 where none is given. */
double cmb_tir_pressure(const cmb_tir *tir);

/* The file's text; `name` is that of the file in messages. CMB_ERROR_INPUT with "FILE:LINE:COLUMN: what is wrong, and what was expected".
 * Takes no memory. What is skipped with a warning is in the log. */
cmb_status cmb_tir_parse(cmb_context *ctx, const char *name, const char *text, size_t length,
                         cmb_tir *tir);

/* A file that a node of a model names; the numbers are on the model's arena. */
cmb_status cmb_read_tir(cmb_reader *r, const cmb_node *file, const cmb_tir **tir);

/* tir_check.c: what the numbers have to be together; line is the file's last. */
cmb_status cmb_tir_check(cmb_context *ctx, cmb_place at, const cmb_tir *tir);

#endif
