/*
 * Which modes of the steady motions of --vary belong together.
 */
#ifndef CMB_CLI_MODE_CURVES_H
#define CMB_CLI_MODE_CURVES_H

#include "cli/vary.h"

struct cli_mode_curves {
  const struct cli_vary_table *table;
  int count, values;
  const cmb_eigenmode **mode; /* (count x values) of the table; NULL: a gap */
};

/* The modes of a table that are not neutral, each in one curve. False: no memory. Either way there is something to destroy. */
bool cli_mode_curves_create(const struct cli_vary_table *table, struct cli_mode_curves *curves);
void cli_mode_curves_destroy(struct cli_mode_curves *curves);

/* The mode of a curve at a value of the table; NULL: it has none there. */
const cmb_eigenmode *cli_mode_of(const struct cli_mode_curves *curves, int curve, int value);

#endif
