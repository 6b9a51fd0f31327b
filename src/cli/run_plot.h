/*
 * Draws the plot of a run (`camber run --plot`): which quantities are drawn, in which panels, and with which texts.
 *
 * The plot shows the outputs of the model, or what --plot-outputs names, or the coordinates and velocities of a model without outputs.
 * Quantities of the same unit share a panel, eight at most; more get further panels of that unit. Outputs without a unit are grouped by
 * their size. Events are vertical lines with letters, explained below the panels.
 */
#ifndef CMB_CLI_RUN_PLOT_H
#define CMB_CLI_RUN_PLOT_H

#include "cli/cli.h"
#include "cli/history.h"

struct cli_series {
  const char *name, *unit;
  char *prefixed; /* allocated name if it is "q/NAME" or "v/NAME", else NULL */
  int column;     /* column of the history */
};

struct cli_run_plot {
  struct cli_series *series; /* (all) the drawn ones come first */
  int count, all;
};

/* Determines before the run what is drawn. Prints an error message for unknown names; returns an exit code. */
int cli_run_plot_begin(struct cli_run_plot *p, const struct cli_arguments *a,
                       const cmb_equations *eq);
void cli_run_plot_end(struct cli_run_plot *p);

struct cli_run_events {
  const cmb_event *all; /* (kept) the first events */
  long kept, count;
  bool formulas; /* whether events of kinks in formulas are marked too */
};

struct cli_run_plot_texts {
  const char *title, *subtitle;
  const char *failure; /* why the run ended early; "": it did not */
};

/* Draws the plot to the file `path`, which is replaced as a whole. Quantities that have no room are reported in the plot and as a
 * warning. */
cmb_status cli_run_plot_draw(cmb_context *ctx, const struct cli_run_plot *p,
                             const struct cli_history *h, const struct cli_run_plot_texts *texts,
                             const struct cli_run_events *events, const char *path);

#endif
