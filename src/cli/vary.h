/*
 * camber linearize --vary: the table of steady motions over a value that is held, and its files.
 */
#ifndef CMB_CLI_VARY_H
#define CMB_CLI_VARY_H

#include "cli/cli.h"

/* One value of the table. */
struct cli_look {
  double at;
  int neutral;    /* eigenvalues that are 0 .. */
  double below;   /* .. or not told from it, being smaller than this */
  double re, im;  /* the eigenvalue with the largest real part of the others; -INFINITY: none */
  double damping; /* and the least damping of all of them */
  cmb_linearization *l; /* NULL: not kept */
};

/* Where the largest real part is 0. */
struct cli_crossing {
  double at;
  bool unstable_above; /* it is positive at larger values */
};

/* What came of --vary. */
struct cli_vary_table {
  const char *title; /* of the model */
  const char *name;  /* what is varied */
  const cmb_equations *eq;
  int count;
  const struct cli_look *looks;
  int crossing_count;
  const struct cli_crossing *crossings;
  const char *failure; /* why it ends early; NULL: it does not */
};

/* Complains of options that say nothing to --vary, and of those that need it. Returns an exit code. */
int cli_vary_check(cmb_context *ctx, const struct cli_arguments *arguments);

int cli_vary(cmb_context *ctx, const struct cli_arguments *arguments, cmb_system *system);

/* vary_files.c: the eigenvalues that are not neutral, a row for each; and as curves over what is varied. Of CMB_ERROR_MEMORY the
 * context has no words. */
cmb_status cli_vary_save(cmb_context *ctx, const struct cli_vary_table *table, const char *path);
cmb_status cli_vary_draw(cmb_context *ctx, const struct cli_vary_table *table, const char *path);

#endif
