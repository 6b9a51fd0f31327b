/*
 * State-space model ẋ = A x + B u, y = C x + D u of the linearised equations (`camber linearize --inputs, --outputs`): its matrices as text, JSON
 * and files, and plots of its frequency and step responses.
 */
#ifndef CMB_CLI_STATE_SPACE_H
#define CMB_CLI_STATE_SPACE_H

#include "cli/cli.h"

/* A state-space model of which nu inputs and ny outputs are requested. */
struct cli_state_space {
  const struct cli_arguments *arguments;
  const cmb_equations *eq;
  const cmb_steady_frame *frame; /* frame of a steady motion; NULL: none */
  cmb_state_space *space;        /* NULL: not requested, or not computed yet */
  /* (ny x nu) transfer functions; NULL: zeros and poles cannot be computed, which is reported as a warning */
  cmb_transfer **transfer;
  int nu, ny;
  const char **u_names, **y_names; /* (nu), (ny) */
  int *parameter, *output;         /* (nu), (ny) their indices in the equations */

  /* B and D with columns for the inputs, followed by those for the rates of inputs that have an influence */
  int columns;
  const char **column_names; /* (columns) */
  double *B, *D;             /* (nx x columns), (ny x columns) */
};

/* linearize.c: writes an eigenvalue as keys of a JSON object, without its mode shape. */
void cli_json_eigenvalue(struct cli_json *j, const cmb_equations *eq, const cmb_eigenmode *mode);

/* cli_state_space_wanted returns whether --inputs or --outputs is given. cli_state_space_begin looks up the names in these options; it prints an
 * error message for unknown names or missing options, and returns the exit code of the program. */
bool cli_state_space_wanted(const struct cli_arguments *a);
int cli_state_space_begin(struct cli_state_space *s, const struct cli_arguments *a,
                          const cmb_equations *eq);
void cli_state_space_end(struct cli_state_space *s);

/* Computes the matrices and transfer functions of the equations linearised about the state (t, q, v), and writes the requested files and plots;
 * the eigenvalues in l determine the ranges of the plots. */
cmb_status cli_state_space_find(cmb_context *ctx, struct cli_state_space *s,
                                const struct cli_arguments *a, const cmb_linearization *l, double t,
                                const double *q, const double *v);

/* Print the names, matrices and transfer functions, as text (matrices only of up to 12 states) or as JSON; nothing if they have not been
 * computed. */
void cli_state_space_print(const struct cli_state_space *s);
void cli_state_space_json(const struct cli_state_space *s, struct cli_json *j);

/* Writes the text `before` and the name as one field of a CSV file; a failure sets the error indicator of `to` (ferror). */
void cli_csv_name(FILE *to, const char *before, const char *name);

#endif
