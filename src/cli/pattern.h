/*
 * camber check --pattern: the pattern of the difference Jacobian and its groups (Arnold, Fuchs and Führer 2006 §3.1, Figs. 3 to 5), in
 * words, as JSON and as a picture.
 */
#ifndef CMB_CLI_PATTERN_H
#define CMB_CLI_PATTERN_H

#include "cli/cli.h"

struct cli_pattern {
  const cmb_equations *eq;
  double t;
  cmb_jacobian_report report;
  bool *there; /* (rows x columns) */
  int *group;  /* (columns) */
};

/* At the state of the result; what it has is released by cli_pattern_release, also after a failure. Of CMB_ERROR_MEMORY the context may
 * have no words. */
cmb_status cli_pattern_find(cmb_context *ctx, const cmb_system *system, const cmb_result *result,
                            struct cli_pattern *pattern);
void cli_pattern_release(struct cli_pattern *pattern);

void cli_pattern_print(const struct cli_pattern *pattern);
void cli_pattern_json(struct cli_json *j, const struct cli_pattern *pattern);
cmb_status cli_pattern_draw(cmb_context *ctx, const struct cli_pattern *pattern, const char *path);

#endif
