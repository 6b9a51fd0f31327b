/*
 * camber linearize --vary: the table of steady motions over a value that is held, and its files.
 */
#ifndef CMB_CLI_VARY_H
#define CMB_CLI_VARY_H

#include "cli/cli.h"

/* One value of the table. */
struct cli_look {
  double at;
  int neutral;   /* eigenvalues that are 0, or not told from it .. */
  double below;  /* .. and smaller than this */
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

/* A search for crossings: who looks at a value, and what is known so far. */
struct cli_critical {
  const cmb_equations *eq;
  const char *name; /* what is varied */
  double from, to;
  cmb_status (*look)(void *user, double at, struct cli_look *x); /* x->l belongs to who asked */
  void *user;
  const struct cli_look *rows;
  int first;                      /* the row from which on none has had fewer neutral eigenvalues */
  int before;                     /* the last row that has no more of them than that one */
  struct cli_crossing *crossings; /* (room), in the order of the table */
  int count, room;
};

#define CLI_CLOSE 1e-6 /* a critical value is known to this part of the values */

/* An eigenvalue that is followed from the motion a to the motion b, where its real part has another sign. */
struct cli_follow {
  const struct cli_look *a, *b;
  const cmb_eigenmode *at_a, *at_b;
  double re_a, re_b; /* cli_growth */
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

/* vary_follow.c: the real part of a mode of x. It is never above 0 if the mode is undamped: an oscillation whose real part is rounding. */
double cli_growth(const struct cli_look *x, const cmb_eigenmode *m);

/* Where the real part of the followed eigenvalue is 0, as x. NaN: it is nowhere, as beside a pole, or the eigenvalue is lost on the way.
 * `in_band`: at x it is neutral. */
cmb_status cli_follow_to_zero(struct cli_critical *s, const struct cli_follow *f, double *x,
                              bool *in_band);

/* Whether it has the sign that it has at a on one side of x, and that at b on the other, at motions close to x. */
cmb_status cli_follow_confirm(struct cli_critical *s, const struct cli_follow *f, double x,
                              bool *good);

/* vary_critical.c: the crossings between row i and those before it, and warnings where there is no telling. */
cmb_status cli_critical_next(struct cli_critical *search, int i, bool is_last);

/* vary_files.c: the eigenvalues that are not neutral, a row for each; and as curves over what is varied. Of CMB_ERROR_MEMORY the
 * context has no words. */
cmb_status cli_vary_save(cmb_context *ctx, const struct cli_vary_table *table, const char *path);
cmb_status cli_vary_draw(cmb_context *ctx, const struct cli_vary_table *table, const char *path);

#endif
