/*
 * Diagrams with axes of their own, side by side in an SVG picture: for the pictures of tyres and of wheels on rails. Line plots with a common
 * abscissa are in plot.h.
 */
#ifndef CMB_CLI_DIAGRAM_H
#define CMB_CLI_DIAGRAM_H

#include <stdio.h>

enum { CLI_DIAGRAM_CURVES = 4 }; /* in a diagram, at most */

/* The colours of the curves. */
extern const char *const cli_diagram_colours[CLI_DIAGRAM_CURVES];

/* A curve. */
struct cli_diagram_curve {
  const double *x, *y; /* (points) in the units of the axes; where y is NaN, the curve has a gap */
  int points;
  char name[32]; /* in the legend */
};

/* A diagram. */
struct cli_diagram {
  const char *title, *abscissa;
  double left, top; /* of the area with the curves, in pixels */
  int width, height;
  struct cli_diagram_curve curves[CLI_DIAGRAM_CURVES];
  int count; /* number of curves */
  double low[2], high[2],
      step[2]; /* range and tick spacing of both axes; set by cli_diagram_draw */
};

/* Writes the beginning of an SVG picture of the given size in pixels: the styles of diagrams, a white ground, and the title in the middle of
 * the top. */
void cli_diagram_begin(FILE *to, int width, int height, const char *title);

/* Draws a diagram: grid, curves, title, label of the abscissa, legend. Sets the ranges of its axes to the values of the curves first. */
void cli_diagram_draw(FILE *to, struct cli_diagram *d);

#endif
