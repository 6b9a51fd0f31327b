/*
 * Writes random formulas of model files with switching functions: nested conditions, floor, tables, max, min and abs; equal seeds give
 * equal formulas. Values stay moderate. Many constants are multiples of 0.5, so that switching functions are sometimes exactly 0.
 */
#ifndef CMBT_RANDOM_FORMULA_H
#define CMBT_RANDOM_FORMULA_H

#include "random.h"

#include <stddef.h>

struct cmbt_formula_words {
  int variables, tables;
  const char *const *variable; /* (variables) names of the arguments */
  const char *const *table;    /* (tables) names of linear tables */
};

/* Writes the text of a formula whose operations are nested up to `depth` levels. With 5 levels it has up to about 2,000 characters. */
void cmbt_random_formula(struct cmbt_random *r, const struct cmbt_formula_words *words, int depth,
                         size_t room, char *text);

#endif
