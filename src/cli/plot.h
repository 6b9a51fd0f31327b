/*
 * Line plots as SVG: panels one below the other over a common abscissa, curves with a legend, marks across all panels, notes
 * below; or side by side, with the common quantity upwards. Axes are linear or logarithmic. The margins follow from the longest tick and the longest name.
 */
#ifndef CMB_CLI_PLOT_H
#define CMB_CLI_PLOT_H

#include <camber/base.h>
#include <stdbool.h>
#include <stdio.h>

enum { CLI_PLOT_MOST_CURVES = 8 }; /* in a panel; more would not be told apart */

struct cli_curve {
  const char *name;
  const double *y; /* (points, at intervals of `stride`) */
  const double *x; /* NULL: x, points and stride are the plot's */
  long points, stride;
  int dashes; /* 0: none, unless it covers another one; else a pattern of its own, so that one below it is seen */
  int colour; /* 0: that of its place in the panel; else which, from 1 on */
};

struct cli_panel {
  const char *title; /* beside the ordinate */
  struct cli_curve curves[CLI_PLOT_MOST_CURVES];
  int curve_count;
  bool logarithmic; /* the ordinate */
  bool degrees;     /* its ticks are parts or multiples of 90, as of a phase */
};

/* A vertical line through all panels. */
struct cli_mark {
  double x;
  char letter; /* above it; 0: none */
};

struct cli_plot {
  const char *title, *abscissa;
  const char *subtitle; /* NULL: none */
  const double *x;      /* (points, at intervals of `stride`) */
  long points, stride;
  const struct cli_panel *panels;
  int panel_count;
  bool logarithmic; /* the abscissa */
  bool
      dots; /* the points are what was computed, and are seen on the lines that join them, unless they are too many */
  bool
      upright; /* the abscissa points upwards, linear, and panels stand side by side; no marks, notes or subtitle */
  const struct cli_mark *marks;
  long mark_count;
  const char *const *notes; /* sentences below the picture */
  int note_count;
};

/* Curves with an x of their own may go back and forth: a path in the plane of two quantities. */

/* Writes the plot to `to`; what is not finite, or not positive on a logarithmic axis, leaves a gap. */
void cli_plot_write(FILE *to, const struct cli_plot *plot);

/* The same to a file, put in place as a whole. Of CMB_ERROR_MEMORY the context has no words. */
cmb_status cli_plot_save(cmb_context *ctx, const struct cli_plot *plot, const char *path);

/* What other pictures share: text with SVG's own letters escaped; what `write` writes as a file, as above. */
void cli_svg_text(FILE *to, const char *text);
cmb_status cli_svg_save(cmb_context *ctx, void (*write)(FILE *to, const void *what),
                        const void *what, const char *path);

#endif
