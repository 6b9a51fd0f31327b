/*
 * Line plots as SVG (plot.h). Ticks are at 1, 2 or 5 times a power of ten, on a logarithmic axis of several decades
 * at powers of ten; a curve of more points than the picture can show is reduced to the least and the greatest value in each column of pixels.
 */
#include "cli/plot.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WIDTH = 800, HEIGHT = 220, LEFT = 78, RIGHT = 150, TOP = 34, GAP = 22, BOTTOM = 44 };

/* Colours that are told apart by the colour-blind as well (Okabe and Ito). */
static const char *const COLOURS[CLI_PLOT_MOST_CURVES] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8b7500"};

/* What an axis shows; decimal logarithms of it if it is logarithmic. */
struct range {
  double low, high;
  bool logarithmic;
};

/* Where a panel lies and what it shows. */
struct frame {
  struct range x, y;
  double left, top, width, height; /* pixels */
};

static struct range empty_range(bool logarithmic)
{
  return (struct range){INFINITY, -INFINITY, logarithmic};
}

/* Where a value lies on the axis; not finite: nowhere. */
static double place(const struct range *r, double value)
{
  return r->logarithmic ? log10(value) : value;
}

static void include(struct range *r, double value)
{
  value = place(r, value);
  if (!isfinite(value)) return;
  r->low = fmin(r->low, value);
  r->high = fmax(r->high, value);
}

static double tick_step(const struct range *r, int wanted)
{
  double rough = (r->high - r->low) / wanted, power = pow(10, floor(log10(rough)));
  double digit = rough / power;
  return power * (digit < 1.5 ? 1 : digit < 3.5 ? 2 : digit < 7.5 ? 5 : 10);
}

static void widen(struct range *r)
{
  if (!(r->high >= r->low)) r->low = 0, r->high = 1;
  double size = fmax(fabs(r->low), fabs(r->high));
  if (r->high - r->low <= 1e-12 * size || r->high == r->low) {
    double half = size > 0 ? 0.5 * size : 0.5;
    r->low -= half, r->high += half;
  }
}

static double pixel_x(const struct frame *f, double x)
{
  return f->left + (place(&f->x, x) - f->x.low) / (f->x.high - f->x.low) * f->width;
}

static double pixel_y(const struct frame *f, double y)
{
  return f->top + (f->y.high - place(&f->y, y)) / (f->y.high - f->y.low) * f->height;
}

static void put_text(FILE *to, const char *text)
{
  for (; *text; text++) {
    switch (*text) {
    case '<': fputs("&lt;", to); break;
    case '>': fputs("&gt;", to); break;
    case '&': fputs("&amp;", to); break;
    default: fputc(*text, to);
    }
  }
}

/* The values with a tick; how many. */
enum { MOST_TICKS = 32 };

static int linear_ticks(const struct range *r, int wanted, double *tick)
{
  const double step = tick_step(r, wanted);
  const long first = (long)ceil(r->low / step), last = (long)floor(r->high / step + 1e-9);
  int count = 0;
  for (long k = first; k <= last && count < MOST_TICKS; k++) tick[count++] = (double)k * step;
  return count;
}

/* Powers of ten, or 1, 2 and 5 times them on a short axis. */
static int logarithmic_ticks(const struct range *r, int wanted, double *tick)
{
  static const double digits[] = {1, 2, 5};
  const bool few = r->high - r->low < 2;
  const int stride = few ? 1 : (int)ceil((r->high - r->low) / (wanted + 1));
  int count = 0;
  for (int k = (int)floor(r->low / stride) * stride; k <= r->high; k += stride) {
    for (int d = 0; d < (few ? 3 : 1); d++) {
      const double value = digits[d] * pow(10, k), at = log10(value);
      if (at >= r->low && at <= r->high && count < MOST_TICKS) tick[count++] = value;
    }
  }
  return count;
}

static int ticks_of(const struct range *r, int wanted, double *tick)
{
  return r->logarithmic ? logarithmic_ticks(r, wanted, tick) : linear_ticks(r, wanted, tick);
}

static void put_ticks(FILE *to, const struct frame *f, bool with_x)
{
  double tick[MOST_TICKS];
  int count = ticks_of(&f->y, 4, tick);
  for (int k = 0; k < count; k++) {
    double at = pixel_y(f, tick[k]);
    fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='grid'/>", f->left,
            f->left + f->width, at, at);
    fprintf(to, "<text x='%.1f' y='%.1f' class='end'>%.6g</text>\n", f->left - 6, at + 4, tick[k]);
  }
  count = ticks_of(&f->x, 8, tick);
  for (int k = 0; k < count; k++) {
    double at = pixel_x(f, tick[k]);
    fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='grid'/>\n", at, at, f->top,
            f->top + f->height);
    if (!with_x) continue;
    fprintf(to, "<text x='%.1f' y='%.1f' class='middle'>%.6g</text>\n", at, f->top + f->height + 16,
            tick[k]);
  }
}

/* The polyline; dense data by the extremes of each column of pixels. */
static void put_curve(FILE *to, const struct cli_plot *plot, const struct frame *f,
                      const struct cli_curve *curve, const char *colour)
{
  long bundle = plot->points / (2 * (long)f->width) + 1;
  bool pen_down = false;
  for (long k = 0; k < plot->points; k += bundle) {
    long low = k, high = k, last = k + bundle < plot->points ? k + bundle : plot->points;
    for (long i = k; i < last; i++) {
      if (curve->y[i * plot->stride] < curve->y[low * plot->stride]) low = i;
      if (curve->y[i * plot->stride] > curve->y[high * plot->stride]) high = i;
    }
    const long ends[2] = {low < high ? low : high, low < high ? high : low};
    for (int e = 0; e < (bundle > 1 ? 2 : 1); e++) {
      double x = plot->x[ends[e] * plot->stride], y = curve->y[ends[e] * plot->stride];
      bool shown = isfinite(place(&f->x, x)) && isfinite(place(&f->y, y));
      if (shown && !pen_down) fprintf(to, "<polyline stroke='%s' points='", colour);
      if (shown) fprintf(to, "%.1f,%.1f ", pixel_x(f, x), pixel_y(f, y));
      if (!shown && pen_down) fputs("'/>\n", to);
      pen_down = shown;
    }
  }
  if (pen_down) fputs("'/>\n", to);
}

static void put_panel(FILE *to, const struct cli_plot *plot, const struct cli_panel *panel,
                      struct frame *f, bool last)
{
  f->y = empty_range(panel->logarithmic);
  for (int c = 0; c < panel->curve_count; c++) {
    for (long i = 0; i < plot->points; i++) include(&f->y, panel->curves[c].y[i * plot->stride]);
  }
  widen(&f->y);
  double margin = 0.04 * (f->y.high - f->y.low);
  f->y.low -= margin, f->y.high += margin;
  put_ticks(to, f, last);
  fprintf(to, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='box'/>\n", f->left, f->top,
          f->width, f->height);
  fprintf(to, "<text transform='translate(16 %.1f) rotate(-90)' class='middle'>",
          f->top + f->height / 2);
  put_text(to, panel->title);
  fputs("</text>\n", to);
  for (int c = 0; c < panel->curve_count; c++) {
    double at = f->top + 12 + 17 * c, side = f->left + f->width + 10;
    put_curve(to, plot, f, &panel->curves[c], COLOURS[c]);
    fprintf(to, "<polyline stroke='%s' points='%.1f,%.1f %.1f,%.1f'/><text x='%.1f' y='%.1f'>",
            COLOURS[c], side, at - 4, side + 18, at - 4, side + 24, at);
    put_text(to, panel->curves[c].name);
    fputs("</text>\n", to);
  }
}

void cli_plot_write(FILE *to, const struct cli_plot *plot)
{
  int height = TOP + plot->panel_count * (HEIGHT + GAP) - GAP + BOTTOM;
  struct frame f = {.x = empty_range(plot->logarithmic),
                    .left = LEFT,
                    .width = WIDTH - LEFT - RIGHT,
                    .height = HEIGHT};
  for (long i = 0; i < plot->points; i++) include(&f.x, plot->x[i * plot->stride]);
  widen(&f.x);
  fprintf(to,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
          "font-family='sans-serif' font-size='12'>\n"
          "<style>polyline{fill:none;stroke-width:1.4}.grid{stroke:#e4e4e4}"
          ".box{fill:none;stroke:#555}.end{text-anchor:end}.middle{text-anchor:middle}</style>\n"
          "<rect width='%d' height='%d' fill='white'/>\n"
          "<text x='%d' y='20' font-size='14' class='middle'>",
          WIDTH, height, WIDTH, height, WIDTH, height, (WIDTH - RIGHT + LEFT) / 2);
  put_text(to, plot->title);
  fputs("</text>\n", to);
  for (int p = 0; p < plot->panel_count; p++) {
    f.top = TOP + p * (HEIGHT + GAP);
    put_panel(to, plot, &plot->panels[p], &f, p == plot->panel_count - 1);
  }
  fprintf(to, "<text x='%d' y='%d' class='middle'>", (WIDTH - RIGHT + LEFT) / 2, height - 10);
  put_text(to, plot->abscissa);
  fputs("</text>\n</svg>\n", to);
}

/* ---- files */

static bool write_plot(const char *path, const struct cli_plot *plot)
{
  FILE *file = fopen(path, "w");
  if (!file) return false;
  cli_plot_write(file, plot);
  bool good = fflush(file) == 0 && !ferror(file);
  return fclose(file) == 0 && good;
}

/* PATH.partial, to be freed; NULL without memory. */
static char *partial_name(const char *path)
{
  size_t room = strlen(path) + sizeof ".partial";
  char *partial = malloc(room);
  if (partial) snprintf(partial, room, "%s.partial", path);
  return partial;
}

bool cli_plot_writable(const char *path)
{
  struct stat there;
  if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
    errno = EISDIR;
    return false;
  }
  char *partial = partial_name(path);
  FILE *file = partial ? fopen(partial, "w") : NULL;
  int reason = errno;
  if (file) {
    fclose(file);
    unlink(partial);
  }
  free(partial);
  errno = reason;
  return file != NULL;
}

bool cli_plot_save(const struct cli_plot *plot, const char *path)
{
  char *partial = partial_name(path);
  if (!partial) return false;
  bool good = write_plot(partial, plot) && rename(partial, path) == 0;
  if (!good) {
    int reason = errno;
    unlink(partial);
    errno = reason;
  }
  free(partial);
  return good;
}
