/*
 * The plot of a run: which of its quantities are drawn, in which panels, and what stands around them.
 *
 * Drawn are the outputs of the model, or what --plot-outputs names; only if there are no outputs the coordinates and
 * velocities. Quantities of one unit share a panel, eight at most; more get further panels of that unit. Outputs without a unit
 * are put together by their size. Events are lines with letters, explained below the panels.
 */
#ifndef CMB_CLI_RUN_PLOT_H
#define CMB_CLI_RUN_PLOT_H

#include "cli/cli.h"
#include "cli/history.h"

struct cli_series {
  const char *name, *unit;
  char *prefixed; /* its name if that is "q/NAME" or "v/NAME"; NULL: it has another */
  int column;     /* of the history */
};

struct cli_run_plot {
  struct cli_series *series; /* (all) those that are drawn come first */
  int count, all;
};

/* What is to be drawn: known before the run. Complains of names that nothing has. Returns an exit code. */
int cli_run_plot_begin(struct cli_run_plot *p, const struct cli_arguments *a,
                       const cmb_equations *eq);
void cli_run_plot_end(struct cli_run_plot *p);

struct cli_run_events {
  const cmb_event *all; /* (kept) the first of them */
  long kept, count;
  bool formulas; /* those of kinks in formulas are marked too */
};

struct cli_run_plot_texts {
  const char *title, *subtitle;
  const char *failure; /* why the run ended early, "" if it did not */
};

/* The plot at a->plot, put in place as a whole. What had to be left out is said in it and as a warning. */
cmb_status cli_run_plot_draw(cmb_context *ctx, const struct cli_run_plot *p,
                             const struct cli_history *h, const struct cli_run_plot_texts *texts,
                             const struct cli_run_events *events, const char *path);

#endif
