/*
 * camber linearize --vary: the table of steady motions over a value that is held, and its files.
 */
#ifndef CMB_CLI_VARY_H
#define CMB_CLI_VARY_H

#include "cli/cli.h"

/* One value of the table. */
struct cli_look {
  double at;
  int neutral;   /* eigenvalues that are 0 .. */
  double below;  /* .. or not told from it, being smaller than this */
  double re, im; /* the eigenvalue with the largest real part of the others; -INFINITY: none */
  double slow_re, slow_im; /* and the slowest of the others; INFINITY: none */
  double damping;          /* and the least damping of all of them */
  cmb_linearization *l;    /* NULL: not kept */
};

/* Where the largest real part is 0. */
struct cli_crossing {
  double at;
  bool unstable_above; /* it is positive at larger values */
};

/* A search for crossings: who looks at a value, and what is known so far. A look leaves aside the `aside` slowest eigenvalues, neutral
 * ones included, but for slow_re. */
struct cli_critical {
  const char *name; /* what is varied */
  double from, to;
  cmb_status (*look)(void *user, double at, int aside, struct cli_look *x);
  void *user;
  const struct cli_look *rows;
  int first;                      /* the row from which on none has had fewer neutral eigenvalues */
  int before;                     /* the last row that has no more of them than that one */
  struct cli_crossing *crossings; /* (2 x rows) */
  int count;
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

/* vary_critical.c: the largest real part of all but the `aside` slowest eigenvalues, neutral ones included; -INFINITY: there are no others. */
double cli_largest_but(const cmb_linearization *l, int aside);

/* The crossings between row i and those before it, and warnings where there is no telling. */
cmb_status cli_critical_next(struct cli_critical *search, int i, bool is_last);

/* vary_files.c: the eigenvalues that are not neutral, a row for each; and as curves over what is varied. Of CMB_ERROR_MEMORY the
 * context has no words. */
cmb_status cli_vary_save(cmb_context *ctx, const struct cli_vary_table *table, const char *path);
cmb_status cli_vary_draw(cmb_context *ctx, const struct cli_vary_table *table, const char *path);

#endif
