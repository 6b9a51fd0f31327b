/*
 * Joins the modes of neighbouring values in the table of --vary to curves, so that each curve follows one mode; used for the plot and the
 * files of that table.
 */
#ifndef CMB_CLI_MODE_CURVES_H
#define CMB_CLI_MODE_CURVES_H

#include "cli/vary.h"

struct cli_mode_curves {
  const struct cli_vary_table *table;
  int count, values;
  /* (count x values) the modes of the table by curve and value; NULL: a gap */
  const cmb_eigenmode **mode;
};

/* Joins the modes of a table that are not neutral to curves; each mode is in one curve. Returns false if there is no memory. In both
 * cases `curves` has to be destroyed. */
bool cli_mode_curves_create(const struct cli_vary_table *table, struct cli_mode_curves *curves);
void cli_mode_curves_destroy(struct cli_mode_curves *curves);

/* Returns the mode of a curve at a value of the table; NULL if the curve has a gap there. */
const cmb_eigenmode *cli_mode_of(const struct cli_mode_curves *curves, int curve, int value);

#endif
