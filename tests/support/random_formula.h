/*
 * Random formulas of model files that switch: conditions, floor, tables, max, min and abs inside each other, the same for the same
 * seed. Values stay moderate, and round constants meet each other, so that functions are exactly 0 now and then.
 */
#ifndef CMBT_RANDOM_FORMULA_H
#define CMBT_RANDOM_FORMULA_H

#include "random.h"

#include <stddef.h>

struct cmbt_formula_words {
  int variables, tables;
  const char *const *variable; /* (variables) what it is a function of */
  const char *const *table;    /* (tables) names of linear tables */
};

/* The formula's text; depth: how far operations are nested. With 5 levels it has up to some 2,000 characters. */
void cmbt_random_formula(struct cmbt_random *r, const struct cmbt_formula_words *words, int depth,
                         size_t room, char *text);

#endif
