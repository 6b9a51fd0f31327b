/*
 * The output of `camber check --pattern`: the sparsity pattern of the Jacobian by differences, and the groups of columns that one difference
 * quotient serves (Arnold, Fuchs and Führer 2006 §3.1, Figs. 3 to 5), as text, as JSON and as a picture.
 */
#ifndef CMB_CLI_PATTERN_H
#define CMB_CLI_PATTERN_H

#include "cli/cli.h"

struct cli_pattern {
  const cmb_equations *eq;
  double t;                   /* time of the state at which the Jacobian is computed */
  cmb_jacobian_report report; /* its numbers of rows, columns, nonzero entries and groups */
  bool *nonzero;              /* (rows x columns) whether the entry differs from 0 */
  int *group;                 /* (columns) the number of each column's group, from 0 */
};

/* Computes the sparsity pattern of the Jacobian at the state of the result, and groups of its columns that share no row. `pattern` has to
 * be released by cli_pattern_release, also after a failure. If CMB_ERROR_MEMORY is returned, the context may have no error message. */
cmb_status cli_pattern_find(cmb_context *ctx, const cmb_system *system, const cmb_result *result,
                            struct cli_pattern *pattern);
void cli_pattern_release(struct cli_pattern *pattern);

/* Show the pattern: print it as text, write it under the JSON key "pattern", or draw it as SVG to the file `path`. If cli_pattern_draw
 * returns CMB_ERROR_MEMORY, the context may have no error message. */
void cli_pattern_print(const struct cli_pattern *pattern);
void cli_pattern_json(struct cli_json *j, const struct cli_pattern *pattern);
cmb_status cli_pattern_draw(cmb_context *ctx, const struct cli_pattern *pattern, const char *path);

#endif
