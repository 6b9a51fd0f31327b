/*
 * The command `camber linearize --vary`: a table of steady motions over a quantity that is varied, such as the speed, with their
 * eigenvalues, the critical values at which the motion becomes unstable or stable, and the files of this table.
 */
#ifndef CMB_CLI_VARY_H
#define CMB_CLI_VARY_H

#include "cli/cli.h"

/* One row of the table: the steady motion at the value `at`, and its eigenvalues. */
struct cli_look {
  double at;
  int neutral;  /* number of neutral eigenvalues: 0, or indistinguishable from 0 */
  double below; /* absolute values below this are neutral */
  /* the eigenvalue with the largest real part that is not neutral; -INFINITY: none */
  double re, im;
  double slow_re, slow_im; /* the slowest eigenvalue that is not neutral; INFINITY: none */
  double damping;          /* the least damping ratio of all that are not neutral */
  cmb_linearization *l;    /* NULL: already freed */
};

/* A critical value: the largest real part of the eigenvalues is 0 there. */
struct cli_crossing {
  double at;
  bool unstable_above; /* whether the motion is unstable at larger values, else at smaller ones */
};

/* The state of the search for critical values: a callback that computes further motions, the rows so far, and the crossings found. */
struct cli_critical {
  const cmb_equations *eq;
  const char *name; /* name of the varied quantity */
  double from, to;
  /* computes the motion at a value; the caller destroys x->l */
  cmb_status (*look)(void *user, double at, struct cli_look *x);
  void *user;
  const struct cli_look *rows;
  int first; /* first row of the current stretch of the table: no row since then has fewer neutral eigenvalues than row `before` */
  int before; /* last row of this stretch with the least number of neutral eigenvalues */
  struct cli_crossing *crossings; /* (room), in the order of the table */
  int count, room;
};

#define CLI_CLOSE 1e-6 /* relative accuracy of a critical value, and of comparisons */

/* An eigenvalue that is followed from motion a to motion b, between which its real part changes its sign. */
struct cli_follow {
  const struct cli_look *a, *b;
  const cmb_eigenmode *at_a, *at_b;
  double re_a, re_b; /* real parts according to cli_growth */
};

/* The result of --vary, for its files. */
struct cli_vary_table {
  const char *title; /* title of the model */
  const char *name;  /* name of the varied quantity */
  const cmb_equations *eq;
  int count;
  const struct cli_look *looks;
  int crossing_count;
  const struct cli_crossing *crossings;
  const char *failure; /* why the table ends early; NULL: it is complete */
};

/* Checks that the options are compatible with --vary, and that those which need it have it. Prints an error message otherwise; returns
 * an exit code. */
int cli_vary_check(cmb_context *ctx, const struct cli_arguments *arguments);

int cli_vary(cmb_context *ctx, const struct cli_arguments *arguments, cmb_system *system);

/* vary_follow.c: returns the real part of a mode m of motion x for the decision on stability. For an undamped oscillation, whose real
 * part is a rounding error, it is never above 0. */
double cli_growth(const struct cli_look *x, const cmb_eigenmode *m);

/* Finds the value *x at which the real part of the followed eigenvalue is 0; NaN if there is none, as at a pole, or if the eigenvalue
 * cannot be followed. *in_band says whether the eigenvalue is neutral at *x. */
cmb_status cli_follow_to_zero(struct cli_critical *s, const struct cli_follow *f, double *x,
                              bool *in_band);

/* Checks at motions close to x whether the real part of the followed eigenvalue has the sign of re_a on a's side of x, and that of re_b
 * on b's side. */
cmb_status cli_follow_confirm(struct cli_critical *s, const struct cli_follow *f, double x,
                              bool *good);

/* vary_critical.c: finds the critical values between row i and the rows before it, and prints warnings where stability is unknown. */
cmb_status cli_critical_next(struct cli_critical *search, int i, bool is_last);

/* vary_files.c: write the eigenvalues that are not neutral as CSV, one a line, or draw them as curves over the varied quantity. If the
 * result is CMB_ERROR_MEMORY, the context has no error message. */
cmb_status cli_vary_save(cmb_context *ctx, const struct cli_vary_table *table, const char *path);
cmb_status cli_vary_draw(cmb_context *ctx, const struct cli_vary_table *table, const char *path);

#endif
