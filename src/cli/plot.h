/*
 * Draws line plots as SVG: panels (diagrams) one below the other with a common abscissa, curves with a legend, vertical marks across all
 * panels, and notes below; or panels side by side, whose common abscissa points upwards.
 *
 * Axes are linear or logarithmic. The margins follow from the longest tick label and the longest curve name. Used by all commands that
 * draw.
 */
#ifndef CMB_CLI_PLOT_H
#define CMB_CLI_PLOT_H

#include <camber/base.h>
#include <stdbool.h>
#include <stdio.h>

enum { CLI_PLOT_MOST_CURVES = 8 }; /* in a panel; more could not be distinguished */

/* A curve. */
struct cli_curve {
  const char *name; /* in the legend */
  const double *y;  /* (points, at intervals of `stride`) */
  /* abscissas of this curve, which need not ascend (a path in the plane of two quantities); NULL: x, points and stride of the plot */
  const double *x;
  long points, stride;
  int dashes; /* dash pattern 1, 2, ...; 0: solid, or dashed if it covers an earlier curve, so that both are seen */
  int colour; /* number of the colour from 1 on; 0: that of the curve's position in the panel */
};

/* A panel: one diagram of a plot. */
struct cli_panel {
  const char *title; /* label of the ordinate */
  struct cli_curve curves[CLI_PLOT_MOST_CURVES];
  int curve_count;
  bool logarithmic; /* whether the ordinate is logarithmic */
  bool degrees;     /* whether its ticks are fractions or multiples of 90, as for a phase angle */
};

/* A vertical line through all panels at the abscissa x. */
struct cli_mark {
  double x;
  char letter; /* printed above it; 0: none */
};

/* A plot. */
struct cli_plot {
  const char *title, *abscissa; /* `abscissa`: label of the abscissa */
  const char *subtitle;         /* NULL: none */
  const double *x;              /* (points, at intervals of `stride`) */
  long points, stride;
  const struct cli_panel *panels;
  int panel_count;
  bool logarithmic; /* whether the abscissa is logarithmic */
  /* whether computed points are marked by dots on the lines between them, unless there are too many */
  bool dots;
  /* whether panels stand side by side with a linear abscissa that points upwards; such plots have no marks, notes or subtitle, and their
   * curves no abscissas of their own */
  bool upright;
  const struct cli_mark *marks;
  long mark_count;
  const char *const *notes; /* sentences below the picture */
  int note_count;
};

/* Writes the plot as SVG to the file `to`. Values that are not finite, or not positive on a logarithmic axis, leave a gap in the curve. */
void cli_plot_write(FILE *to, const struct cli_plot *plot);

/* Writes the plot as SVG to the file `path`, which is replaced as a whole. If the result is CMB_ERROR_MEMORY, the context may have no error
 * message. */
cmb_status cli_plot_save(cmb_context *ctx, const struct cli_plot *plot, const char *path);

/* Functions for other SVG pictures. cli_svg_text writes text with the characters <, > and & escaped and those that XML forbids replaced by
 * U+FFFD. cli_svg_save saves an SVG file under the name `path`, which is replaced as a whole; the callback `write` writes its content for the
 * data `what`. If cli_svg_save returns CMB_ERROR_MEMORY, the context may have no error message. */
void cli_svg_text(FILE *to, const char *text);
cmb_status cli_svg_save(cmb_context *ctx, void (*write)(FILE *to, const void *what),
                        const void *what, const char *path);

#endif
