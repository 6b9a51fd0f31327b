/*
 * Lists of named formulas in text form, of which the laws of contacts and tyres consist: each line defines a name from names above it.
 */
#ifndef CMB_DYN_FORMULAS_H
#define CMB_DYN_FORMULAS_H

#include <camber/expr.h>

/* The names that are defined, with their expressions. A later definition of a name replaces the earlier one. */
enum { CMB_MOST_FORMULAS = 96 };
typedef struct cmb_formulas {
  cmb_graph *g;
  int count;
  bool full; /* there were more names than the list has room for */
  struct {
    const char *name;
    cmb_expr e;
  } of[CMB_MOST_FORMULAS];
} cmb_formulas;

/* Defines a name, which must exist as long as the list. */
void cmb_formulas_define(cmb_formulas *f, const char *name, cmb_expr e);

/* Finds the expression of a name. Returns false and leaves *e as it is if the name is not defined. */
bool cmb_formulas_find(const cmb_formulas *f, const char *name, cmb_expr *e);

/* Returns the expression of a name; 0 if it is not defined. */
cmb_expr cmb_formulas_value(const cmb_formulas *f, const char *name);

/* Parses one formula, whose names `names` looks up, and defines `name` as its expression. */
cmb_status cmb_formulas_parse(cmb_formulas *f, const cmb_names *names, const char *name,
                              const char *formula);

#endif
