/*
 * The output of `camber check --pattern`: the sparsity pattern of the Jacobian by differences and its groups of columns (Arnold, Fuchs and
 * Führer 2006 §3.1, Figs. 3 to 5), as text, as JSON and as a picture.
 */
#ifndef CMB_CLI_PATTERN_H
#define CMB_CLI_PATTERN_H

#include "cli/cli.h"

struct cli_pattern {
  const cmb_equations *eq;
  double t;
  cmb_jacobian_report report;
  bool *nonzero; /* (rows x columns) whether the entry is not 0 */
  int *group;  /* (columns) the group of each column */
};

/* Finds the pattern of the Jacobian and the groups of columns at the state of the result. `pattern` has to be released by
 * cli_pattern_release, also after a failure. If the result is CMB_ERROR_MEMORY, the context may have no error message. */
cmb_status cli_pattern_find(cmb_context *ctx, const cmb_system *system, const cmb_result *result,
                            struct cli_pattern *pattern);
void cli_pattern_release(struct cli_pattern *pattern);

void cli_pattern_print(const struct cli_pattern *pattern);
void cli_pattern_json(struct cli_json *j, const struct cli_pattern *pattern);
cmb_status cli_pattern_draw(cmb_context *ctx, const struct cli_pattern *pattern, const char *path);

#endif
