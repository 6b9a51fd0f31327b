/*
 * Draws diagrams with axes of their own as SVG (diagram.h); called by tyre_plot.c and rail_plot.c.
 */
#include "cli/diagram.h"

#include "cli/plot.h"

#include <math.h>

const char *const cli_diagram_colours[CLI_DIAGRAM_CURVES] = {"#0072b2", "#d55e00", "#009e73",
                                                             "#cc79a7"};

/* Returns a tick spacing of 1, 2 or 5 times a power of ten for an axis of length `size` (in the unit of the axis), so that it has about
 * four ticks. */
static double nice_step(double size)
{
  const double power = pow(10, floor(log10(size / 4))), digit = size / 4 / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

/* Sets the range and the tick spacing of an axis (0: abscissa, 1: ordinate) so that it contains all finite values of the curves, with a margin of
 * 4 % at both ends of an ordinate. Without two different values, the range without margin is 0 to 1. */
static void set_axis(struct cli_diagram *d, int axis)
{
  double low = INFINITY, high = -INFINITY;
  for (int c = 0; c < d->count; c++) {
    const double *v = axis ? d->curves[c].y : d->curves[c].x;
    for (int i = 0; i < d->curves[c].points; i++) {
      if (!isfinite(v[i])) continue;
      low = fmin(low, v[i]);
      high = fmax(high, v[i]);
    }
  }
  if (!(high > low)) low = 0, high = 1;
  d->step[axis] = nice_step(high - low);
  const double room = axis ? 0.04 * (high - low) : 0;
  d->low[axis] = low - room;
  d->high[axis] = high + room;
}

/* Returns the horizontal position, in pixels, of the abscissa x. */
static double place_x(const struct cli_diagram *d, double x)
{
  return d->left + d->width * (x - d->low[0]) / (d->high[0] - d->low[0]);
}

/* Returns the vertical position, in pixels, of the ordinate y. */
static double place_y(const struct cli_diagram *d, double y)
{
  return d->top + d->height * (d->high[1] - y) / (d->high[1] - d->low[1]);
}

/* Draws the grid lines of a diagram, and the number of each beside it. */
static void put_ticks(FILE *to, const struct cli_diagram *d)
{
  for (double k = ceil(d->low[0] / d->step[0] - 1e-9); k * d->step[0] <= d->high[0] * (1 + 1e-9);
       k++) {
    const double x = place_x(d, k * d->step[0]);
    fprintf(to,
            "<path d='M%.1f %.1fv%d' class='grid'/><text x='%.1f' y='%.1f' class='m'>%g</text>\n",
            x, d->top, d->height, x, d->top + d->height + 15, k * d->step[0] + 0.0);
  }
  for (double k = ceil(d->low[1] / d->step[1]); k * d->step[1] <= d->high[1]; k++) {
    const double y = place_y(d, k * d->step[1]);
    fprintf(to,
            "<path d='M%.1f %.1fh%d' class='grid'/><text x='%.1f' y='%.1f' class='e'>%g</text>\n",
            d->left, y, d->width, d->left - 6, y + 4, k * d->step[1] + 0.0);
  }
}

/* Draws curve number c of a diagram: a line for each part between gaps. */
static void put_curve(FILE *to, const struct cli_diagram *d, int c)
{
  const struct cli_diagram_curve *curve = &d->curves[c];
  for (int i = 0; i < curve->points;) {
    if (!isfinite(curve->y[i])) {
      i++;
      continue;
    }
    fprintf(to, "<polyline stroke='%s' points='", cli_diagram_colours[c]);
    for (; i < curve->points && isfinite(curve->y[i]); i++) {
      fprintf(to, "%.1f,%.1f ", place_x(d, curve->x[i]), place_y(d, curve->y[i]));
    }
    fputs("'/>\n", to);
  }
}

void cli_diagram_begin(FILE *to, int width, int height, const char *title)
{
  fprintf(
      to,
      "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
      "font-family='sans-serif' font-size='12'>\n<style>polyline{fill:none;stroke-width:1.4}"
      ".grid{stroke:#e4e4e4}.box{fill:none;stroke:#555}.e{text-anchor:end}.m{text-anchor:middle}"
      ".small{font-size:11px}</style>\n<rect width='%d' height='%d' fill='white'/>\n<text x='%d' "
      "y='20' font-size='14' class='m'>",
      width, height, width, height, width, height, width / 2);
  cli_svg_text(to, title);
  fputs("</text>\n", to);
}

void cli_diagram_draw(FILE *to, struct cli_diagram *d)
{
  set_axis(d, 0);
  set_axis(d, 1);
  put_ticks(to, d);
  fprintf(to, "<rect x='%.1f' y='%.1f' width='%d' height='%d' class='box'/>\n", d->left, d->top,
          d->width, d->height);
  for (int c = 0; c < d->count; c++) put_curve(to, d, c);
  fprintf(to, "<text x='%.1f' y='%.1f'>", d->left, d->top - 22);
  cli_svg_text(to, d->title);
  fprintf(to, "</text><text x='%.1f' y='%.1f' class='m'>", d->left + d->width / 2.0,
          d->top + d->height + 31);
  cli_svg_text(to, d->abscissa);
  fprintf(to, "</text><text x='%.1f' y='%.1f' class='small'>", d->left, d->top - 7);
  for (int c = 0; c < d->count; c++) {
    fprintf(to, "<tspan fill='%s' dx='%d'>%s</tspan>", cli_diagram_colours[c], c ? 10 : 0,
            d->curves[c].name);
  }
  fputs("</text>\n", to);
}
