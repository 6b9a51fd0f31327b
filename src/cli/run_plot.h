/*
 * Draws the plot of a run (`camber run --plot`): chooses the quantities that are drawn, their panels (diagrams) and the texts.
 *
 * The plot shows the quantities that --plot-outputs names; without this option the outputs of the model, or if it has none, the coordinates
 * and velocities, and with --record residuals also these. Quantities of the same unit share a panel, eight at most; further ones are in
 * further panels of that unit. Quantities without a unit are grouped by their size. Events are vertical lines with letters, which a note
 * below the panels explains.
 */
#ifndef CMB_CLI_RUN_PLOT_H
#define CMB_CLI_RUN_PLOT_H

#include "cli/cli.h"
#include "cli/history.h"

/* A quantity that can be drawn. */
struct cli_series {
  const char *name, *unit;
  char *prefixed; /* allocated name with a prefix, "q/NAME" or "v/NAME"; NULL: none */
  int column;     /* column of the history */
};

struct cli_run_plot {
  struct cli_series *series; /* (all) the drawn ones come first */
  int count, all;            /* numbers of quantities: drawn, and in the history */
};

/* Determines before the run which quantities are drawn; none without --plot. Prints an error message for unknown names; returns the exit code of
 * the program. */
int cli_run_plot_begin(struct cli_run_plot *p, const struct cli_arguments *a,
                       const cmb_equations *eq);
void cli_run_plot_end(struct cli_run_plot *p);

/* The events of a run. */
struct cli_run_events {
  const cmb_event *all; /* (kept) the first events */
  long kept, count;     /* numbers of events: stored, and in the run */
  bool formulas;        /* whether events at kinks of formulas are marked, too */
};

/* Texts of the plot. */
struct cli_run_plot_texts {
  const char *title, *subtitle;
  const char *failure; /* why the run ended early; "": it did not */
};

/* Draws the plot to the SVG file `path`, which is replaced as a whole. If there is no room for all quantities, a note in the plot and a
 * warning say so. If the result is CMB_ERROR_MEMORY, the context may have no error message. */
cmb_status cli_run_plot_draw(cmb_context *ctx, const struct cli_run_plot *p,
                             const struct cli_history *h, const struct cli_run_plot_texts *texts,
                             const struct cli_run_events *events, const char *path);

#endif
