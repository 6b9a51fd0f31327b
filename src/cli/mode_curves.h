/*
 * Tracks the modes (eigenvalues and eigenvectors) of linearised equations over a parameter sweep (`camber linearize --vary`): joins similar
 * modes at neighbouring values of the varied quantity to curves. Used for the plot of the sweep (vary_files.c) and to find its critical
 * values (vary_critical.c, vary_follow.c).
 */
#ifndef CMB_CLI_MODE_CURVES_H
#define CMB_CLI_MODE_CURVES_H

#include "cli/vary.h"

struct cli_mode_curves {
  const struct cli_vary_table *table; /* the sweep */
  int count, values;                  /* number of curves; of points of the sweep */
  /* (count x values) the mode of each curve at each point, which belongs to the table; NULL: the curve has a gap there */
  const cmb_eigenmode **mode;
};

/* Joins the modes of a sweep to curves, without neutral modes (eigenvalue 0 within rounding errors); each mode is in one curve. Returns false
 * if out of memory. In both cases `curves` has to be destroyed. */
bool cli_mode_curves_create(const struct cli_vary_table *table, struct cli_mode_curves *curves);
void cli_mode_curves_destroy(struct cli_mode_curves *curves);

/* Returns the mode of a curve at point number `value` of the sweep; NULL if the curve has a gap there. */
const cmb_eigenmode *cli_mode_of(const struct cli_mode_curves *curves, int curve, int value);

#endif
