/*
 * The command `camber linearize --vary`: a table of steady motions over a quantity that is varied, such as the speed, with their
 * eigenvalues, the critical values at which the motion becomes unstable or stable, and the files of this table. Called by linearize.c.
 */
#ifndef CMB_CLI_VARY_H
#define CMB_CLI_VARY_H

#include "cli/cli.h"

/* A steady motion with its eigenvalues, in 1/s; a row of the table. */
struct cli_motion {
  double at;   /* value of the varied quantity */
  int neutral; /* number of neutral eigenvalues, which count as 0; both of a pair are counted */
  /* limit below which eigenvalues are neutral unless they differ clearly from 0 */
  double below;
  /* the eigenvalue with the largest real part that is not neutral; re = -INFINITY: none */
  double re, im;
  /* the eigenvalue with the smallest absolute value that is not neutral; slow_re = INFINITY: none */
  double slow_re, slow_im;
  double damping;       /* the least damping ratio of all that are not neutral; INFINITY: none */
  cmb_linearization *l; /* all eigenvalues; NULL: already freed */
};

/* A critical value: the largest real part of the eigenvalues is 0 there. */
struct cli_crossing {
  double at;           /* value of the varied quantity */
  bool unstable_above; /* whether the motion is unstable at larger values, else at smaller ones */
};

/* The state of the search for critical values: a callback that computes further motions, the rows so far, and the crossings found. */
struct cli_critical {
  const cmb_equations *eq;
  const char *name; /* name of the varied quantity */
  double from, to;  /* its values in the first and the last row of the table */
  /* computes the motion *x for the value `at`; the caller destroys x->l */
  cmb_status (*compute)(void *user, double at, struct cli_motion *x);
  void *user;                    /* the first argument of `compute` */
  const struct cli_motion *rows; /* rows of the table; those so far are used */
  int first; /* first row of the current stretch of the table: no row since then has fewer neutral eigenvalues than row `before` */
  int before; /* last row of this stretch with the least number of neutral eigenvalues */
  struct cli_crossing *crossings; /* (room) critical values, in the order of the table */
  int count, room;                /* number of critical values; number of elements allocated */
};

#define CLI_CLOSE 1e-6 /* relative accuracy of a critical value, and of comparisons */

/* An eigenvalue that is followed from motion a to motion b, between which its real part changes its sign. */
struct cli_follow {
  const struct cli_motion *a, *b;
  const cmb_eigenmode *at_a, *at_b; /* its modes (eigenvalue and eigenvector) there */
  double re_a, re_b;                /* its real parts there, by cli_growth_rate */
};

/* The result of --vary, for its files. */
struct cli_vary_table {
  const char *title; /* title of the model */
  const char *name;  /* name of the varied quantity */
  const cmb_equations *eq;
  int count;
  const struct cli_motion *motions; /* (count) rows of the table, with x->l */
  int crossing_count;
  const struct cli_crossing *crossings; /* (crossing_count) critical values */
  const char *failure;                  /* why the table ends early; NULL: it is complete */
};

/* Checks that the options on the command line are compatible with --vary or, without it, that --plot is not given, and that the output files
 * of --vary can be written. Prints an error message otherwise; returns an exit code. */
int cli_vary_check(cmb_context *ctx, const struct cli_arguments *arguments);

/* Computes and prints the table of --vary, and writes its files. Changes the start values of the system. Prints an error message on failure;
 * returns the exit code of the program. */
int cli_vary(cmb_context *ctx, const struct cli_arguments *arguments, cmb_system *system);

/* vary_follow.c: returns the real part of a mode m (an eigenvalue) of the motion x, by which stability is decided. That of an undamped
 * oscillation, a rounding error, is returned with a negative sign, so that the oscillation does not count as unstable. */
double cli_growth_rate(const struct cli_motion *x, const cmb_eigenmode *m);

/* Finds the value *x of the varied quantity at which the real part of the followed eigenvalue is 0; NaN if there is none, as at a pole, or if
 * the eigenvalue cannot be followed. *in_band says whether the eigenvalue could not be found at *x because further eigenvalues are neutral
 * (count as 0) there; the zero is then only near *x. */
cmb_status cli_follow_to_zero(struct cli_critical *s, const struct cli_follow *f, double *x,
                              bool *in_band);

/* Checks at motions close to x whether the real part of the followed eigenvalue has the sign of f->re_a at values towards f->a, and that of
 * f->re_b at values towards f->b. *good is false if it has not, or if its signs there cannot be determined. */
cmb_status cli_follow_confirm(struct cli_critical *s, const struct cli_follow *f, double x,
                              bool *good);

/* vary_critical.c: finds the critical values between row i of the table and the rows before it, and prints warnings where stability is
 * unknown. To be called for each row in turn, the last with is_last. */
cmb_status cli_critical_next(struct cli_critical *search, int i, bool is_last);

/* vary_files.c: write the eigenvalues that are not neutral to the CSV file `path`, one a line, or draw curves of those with the largest real
 * parts over the varied quantity to the SVG file `path`. If CMB_ERROR_MEMORY is returned, the context may have no error message. */
cmb_status cli_vary_save(cmb_context *ctx, const struct cli_vary_table *table, const char *path);
cmb_status cli_vary_draw(cmb_context *ctx, const struct cli_vary_table *table, const char *path);

#endif
