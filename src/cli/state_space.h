/*
 * State-space matrices A, B, C, D of a linearised model (`camber linearize --inputs, --outputs`): as text, JSON and files, and plots of
 * their responses.
 */
#ifndef CMB_CLI_STATE_SPACE_H
#define CMB_CLI_STATE_SPACE_H

#include "cli/cli.h"

struct cli_state_space {
  const struct cli_arguments *arguments;
  const cmb_equations *eq;
  const cmb_steady_frame *frame; /* frame of a steady motion; NULL: none */
  cmb_state_space *space;        /* NULL: not requested */
  /* (ny x nu) transfer functions; NULL: zeros and poles cannot be computed, which is reported as a warning */
  cmb_transfer **transfer;
  int nu, ny;
  const char **u_names, **y_names; /* (nu), (ny) */
  int *parameter, *output;         /* their indices in the equations */

  /* B and D with columns for the inputs, followed by those for the rates of inputs that have an influence */
  int columns;
  const char **column_names; /* (columns) */
  double *B, *D;             /* (nx x columns), (ny x columns) */
};

/* linearize.c: writes an eigenvalue as keys of an object, without its shape. */
void cli_json_eigenvalue(struct cli_json *j, const cmb_equations *eq, const cmb_eigenmode *mode);

/* cli_state_space_wanted returns whether inputs or outputs are given; cli_state_space_begin looks up their names and prints an error
 * message for unknown ones or missing options. */
bool cli_state_space_wanted(const struct cli_arguments *a);
int cli_state_space_begin(struct cli_state_space *s, const struct cli_arguments *a,
                          const cmb_equations *eq);
void cli_state_space_end(struct cli_state_space *s);

/* Computes the matrices at the state (t, q, v) with the linearisation l, and writes the requested files and plots. */
cmb_status cli_state_space_find(cmb_context *ctx, struct cli_state_space *s,
                                const struct cli_arguments *a, const cmb_linearization *l, double t,
                                const double *q, const double *v);

void cli_state_space_print(const struct cli_state_space *s);
void cli_state_space_json(const struct cli_state_space *s, struct cli_json *j);

/* Writes `before` and `name` together as one field of a CSV file; a failure is visible in the error state of `to`. */
void cli_csv_name(FILE *to, const char *before, const char *name);

#endif
