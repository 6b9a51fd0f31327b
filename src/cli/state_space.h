/*
 * camber linearize --inputs, --outputs: A, B, C, D as text, JSON and files, and what they answer as plots.
 */
#ifndef CMB_CLI_STATE_SPACE_H
#define CMB_CLI_STATE_SPACE_H

#include "cli/cli.h"

struct cli_state_space {
  const struct cli_arguments *arguments;
  const cmb_equations *eq;
  const cmb_steady_frame *frame; /* of a steady motion; NULL: none */
  cmb_state_space *space;        /* NULL: not wanted */
  cmb_transfer *
      *transfer; /* (ny x nu); NULL: zeros and poles cannot be told, as a warning has said */
  int nu, ny;
  const char **u_names, **y_names; /* (nu), (ny) */
  int *parameter, *output;         /* their numbers in the equations */

  /* B and D as they are written: behind the inputs those of their rates that count */
  int columns;
  const char **column_names; /* (columns) */
  double *B, *D;             /* (nx x columns), (ny x columns) */
};

/* linearize.c: an eigenvalue as keys of an object, without its shape. */
void cli_json_eigenvalue(struct cli_json *j, const cmb_equations *eq, const cmb_eigenmode *mode);

/* Reads the names; complains of those that there are not. Whether anything is wanted: cli_state_space_wanted. */
bool cli_state_space_wanted(const struct cli_arguments *a);
int cli_state_space_begin(struct cli_state_space *s, const struct cli_arguments *a,
                          const cmb_equations *eq);
void cli_state_space_end(struct cli_state_space *s);

/* Computes at a state, of which l is the linearisation, and writes the files that were asked for. */
cmb_status cli_state_space_find(cmb_context *ctx, struct cli_state_space *s,
                                const struct cli_arguments *a, const cmb_linearization *l, double t,
                                const double *q, const double *v);

void cli_state_space_print(const struct cli_state_space *s);
void cli_state_space_json(const struct cli_state_space *s, struct cli_json *j);

/* BEFORE and NAME as one field of a CSV file; what is left undone is seen in the stream's error. */
void cli_csv_name(FILE *to, const char *before, const char *name);

#endif
