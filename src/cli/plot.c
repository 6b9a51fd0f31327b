/*
 * Draws line plots as SVG (plot.h). A curve over ascending abscissas with more points than the picture can show is reduced to the smallest
 * and the largest value of each group of successive points.
 */
#include "cli/plot.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  WIDTH = 800,
  FONT_SIZE = 12,
  HEIGHT = 220, /* of a panel, in pixels */
  TITLE = 34,
  LETTERS = 14, /* height of the letters above the first panel */
  GAP = 22,
  BOTTOM = 44,
  LINE = 15, /* line height of small text */
  LEAST_LEFT = 60,
  MOST_RIGHT = 330,
  NOTE_LENGTH = 124, /* bytes per line */
  FEW_MARKS = 60,    /* more of them are drawn as short ticks instead of lines */
  ALPHABET = 26,
  LETTER_ROWS = 4,
  LETTER_LINE = 11,   /* height of a further row of letters */
  MOST_LETTERS = 128, /* number of texts in the rows of letters */
  TITLE_SIZE = 14,
  TITLE_LINE = 18
};

/* Colours that the colour-blind can distinguish as well (Okabe and Ito, the yellow darkened). */
static const char *const COLOURS[CLI_PLOT_MOST_CURVES] = {
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#8b7500"};

/* The axes of a panel and its rectangle in the picture. */
struct frame {
  struct cli_axis x, y;
  double left, top, width, height; /* in pixels */
  int x_ticks;                     /* approximate number of ticks of the abscissa */
};

/* Returns the horizontal position in pixels of the value x on the abscissa of a panel. */
static double pixel_x(const struct frame *f, double x)
{
  return f->left + (cli_axis_place(&f->x, x) - f->x.low) / (f->x.high - f->x.low) * f->width;
}

/* Returns the vertical position in pixels of the value y on the ordinate of a panel. */
static double pixel_y(const struct frame *f, double y)
{
  return f->top + (f->y.high - cli_axis_place(&f->y, y)) / (f->y.high - f->y.low) * f->height;
}

/* Returns whether XML permits the UTF-8 character of `length` bytes at `text`: false for most control characters, for U+FFFE and U+FFFF,
 * and if length is 0, which means invalid UTF-8. */
static bool is_permitted(const char *text, size_t length)
{
  const unsigned char c = (unsigned char)text[0];
  const bool control = c < ' ' && c != '\n' && c != '\r' && c != '\t';
  const bool beyond = length == 3 && memcmp(text, "\xEF\xBF", 2) == 0 &&
                      (unsigned char)text[2] >= 0xBE; /* U+FFFE and U+FFFF */
  return length > 0 && !control && !beyond;
}

/* Writes `length` bytes of UTF-8 text to an SVG file: escapes <, > and &, and replaces characters that XML does not permit by U+FFFD. */
static void put_text(FILE *to, const char *text, size_t length)
{
  for (size_t i = 0, step; i<length; i += step> 0 ? step : 1) {
    step = cmb_character_length(text + i, length - i);
    if (!is_permitted(text + i, step)) {
      fputs("\xEF\xBF\xBD", to);
    } else if (strchr("<>&", text[i])) {
      fputs(text[i] == '<' ? "&lt;" : text[i] == '>' ? "&gt;" : "&amp;", to);
    } else {
      fwrite(text + i, 1, step, to);
    }
  }
}

void cli_svg_text(FILE *to, const char *text)
{
  put_text(to, text, strlen(text));
}

/* Draws the minor ticks of a logarithmic axis (2 to 9 times each power of ten) as short lines at the edge of a panel. Draws nothing on a
 * linear axis, or if the ticks would be less than 2 pixels apart. `vertical`: the axis is the ordinate, otherwise the abscissa. */
static void put_minor_ticks(FILE *to, const struct frame *f, const struct cli_axis *axis,
                            bool vertical)
{
  const double size = vertical ? f->height : f->width, short_line = 4;
  const double apart = 2; /* pixels between 9 and 10, the smallest gap */
  if (!axis->logarithmic || (axis->high - axis->low) * apart > size * log10(10. / 9)) return;
  for (int k = (int)floor(axis->low); k <= axis->high; k++) {
    for (int digit = 2; digit < 10; digit++) {
      const double value = digit * pow(10, k), at = log10(value);
      if (at < axis->low || at > axis->high) continue;
      const double x = vertical ? f->left : pixel_x(f, value);
      const double y = vertical ? pixel_y(f, value) : f->top + f->height;
      fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='minor'/>\n", x,
              vertical ? x + short_line : x, y, vertical ? y : y - short_line);
    }
  }
}

enum { Y_TICKS = 4, X_TICKS = 8 };

/* Writes the offset of the ordinate, such as "+1.7e9", above its tick labels, to which it has to be added. Writes nothing if the axis has no
 * offset. */
static void put_y_offset(FILE *to, const struct frame *f)
{
  char text[CLI_AXIS_TEXT];
  cli_axis_offset_text(&f->y, Y_TICKS, text);
  if (!text[0]) return;
  fprintf(to, "<text x='%.1f' y='%.1f' class='end'>%s</text>\n", f->left - 6, f->top - 8, text);
}

/* Writes the offset of the abscissa, such as "+1.7e9", which has to be added to its tick labels, at the right end of the axis and the
 * vertical position y in pixels. Writes nothing if the axis has no offset. */
static void put_x_offset(FILE *to, const struct frame *f, double y)
{
  char text[CLI_AXIS_TEXT];
  cli_axis_offset_text(&f->x, f->x_ticks, text);
  if (!text[0]) return;
  fprintf(to, "<text x='%.1f' y='%.1f' class='end'>%s</text>\n", f->left + f->width, y, text);
}

/* Draws the grid lines and minor ticks of a panel, the tick labels of the ordinate with their offset and, if with_x is set, the tick labels of
 * the abscissa, whose offset the caller writes. */
static void put_ticks(FILE *to, const struct frame *f, bool with_x)
{
  double tick[CLI_AXIS_MOST_TICKS];
  char text[CLI_AXIS_TEXT];
  int count = cli_axis_ticks(&f->y, Y_TICKS, tick);
  for (int k = 0; k < count; k++) {
    double at = pixel_y(f, tick[k]);
    cli_axis_tick_text(&f->y, Y_TICKS, tick[k], text);
    fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='grid'/>", f->left,
            f->left + f->width, at, at);
    fprintf(to, "<text x='%.1f' y='%.1f' class='end'>%s</text>\n", f->left - 6, at + 4, text);
  }
  count = cli_axis_ticks(&f->x, f->x_ticks, tick);
  for (int k = 0; k < count; k++) {
    double at = pixel_x(f, tick[k]);
    cli_axis_tick_text(&f->x, f->x_ticks, tick[k], text);
    fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='grid'/>\n", at, at, f->top,
            f->top + f->height);
    if (!with_x) continue;
    fprintf(to, "<text x='%.1f' y='%.1f' class='middle'>%s</text>\n", at, f->top + f->height + 16,
            text);
  }
  put_y_offset(to, f);
  put_minor_ticks(to, f, &f->x, false);
  put_minor_ticks(to, f, &f->y, true);
}

/* The points of a curve; the abscissas are those of the curve or of the plot. */
struct line {
  const double *x, *y; /* (points, at intervals of `stride`) */
  long points, stride;
  bool ascends; /* whether x ascends */
};

/* Returns the data of a curve: pointers to its points, with its own abscissas or, if it has none, those of the plot, and whether the
 * abscissas ascend (those of the plot are taken to do so). */
static struct line line_of(const struct cli_plot *plot, const struct cli_curve *curve)
{
  struct line l = {plot->x, curve->y, plot->points, plot->stride, true};
  if (!curve->x) return l;
  l.x = curve->x, l.points = curve->points, l.stride = curve->stride;
  for (long i = 1; i < l.points && l.ascends; i++) {
    l.ascends = l.x[i * l.stride] >= l.x[(i - 1) * l.stride];
  }
  return l;
}

static double x_of(const struct line *l, long i)
{
  return l->x[i * l->stride];
}

static double y_of(const struct line *l, long i)
{
  return l->y[i * l->stride];
}

/* Interpolates a curve with ascending abscissas linearly at x; returns NaN outside of its range. *i is the index of the point where the
 * search for x begins. It is only ever increased, so that successive calls need ascending x. */
static double value_at(const struct line *l, double x, long *i)
{
  while (*i + 1 < l->points && x_of(l, *i + 1) < x) ++*i;
  if (x_of(l, *i) == x) return y_of(l, *i);
  if (*i + 1 >= l->points || x < x_of(l, *i)) return NAN;
  const double width = x_of(l, *i + 1) - x_of(l, *i), part = (x - x_of(l, *i)) / width;
  return y_of(l, *i) + part * (y_of(l, *i + 1) - y_of(l, *i));
}

/* Returns whether curve a, drawn later, hides curve b: they run within a line width of each other at all points of a. If their abscissas
 * differ, b is interpolated, and points of a where b has no value do not count; returns false if they differ and do not both ascend. */
static bool covers(const struct cli_plot *plot, const struct frame *f, const struct cli_curve *a,
                   const struct cli_curve *b)
{
  const double line_width = 1.4;
  const struct line upper = line_of(plot, a), lower = line_of(plot, b);
  const bool same = upper.x == lower.x && upper.points == lower.points;
  long k = 0, compared = 0;
  if (!same && !(upper.ascends && lower.ascends)) return false;
  for (long i = 0; i < upper.points; i++) {
    const double y = y_of(&upper, i);
    const double other = same ? y_of(&lower, i) : value_at(&lower, x_of(&upper, i), &k);
    if (!isfinite(cli_axis_place(&f->y, other)) && (!same || !isfinite(cli_axis_place(&f->y, y))))
      continue;
    if (!(fabs(pixel_y(f, y) - pixel_y(f, other)) <= line_width)) return false;
    compared++;
  }
  return same || compared > 0;
}

/* Returns the colour of curve number c of a panel, in SVG notation ("#0072b2"). */
static const char *colour_of(const struct cli_panel *panel, int c)
{
  const int own = panel->curves[c].colour;
  return COLOURS[own > 0 ? (own - 1) % CLI_PLOT_MOST_CURVES : c];
}

/* Writes the colour of curve number c of a panel to `text`, as the value of the SVG attribute `stroke` with its closing quote, and returns
 * `text`. The attribute stroke-dasharray follows if the curve is dashed, or if it would otherwise hide an earlier curve. */
static const char *stroke_of(const struct cli_plot *plot, const struct cli_panel *panel,
                             const struct frame *f, int c, char text[64])
{
  static const char *const patterns[] = {"",     "5 5", "2 3",          "9 3 2 3",
                                         "12 4", "1 4", "12 3 2 3 2 3", "6 2"};
  int dashes = panel->curves[c].dashes % (int)(sizeof patterns / sizeof patterns[0]);
  for (int i = 0; i < c && dashes == 0; i++) {
    dashes = covers(plot, f, &panel->curves[c], &panel->curves[i]) ? 1 : 0;
  }
  snprintf(text, 64, dashes > 0 ? "%s' stroke-dasharray='%s'" : "%s'", colour_of(panel, c),
           patterns[dashes]);
  return text;
}

/* An SVG polyline while it is being written. */
struct pen {
  FILE *to;
  const struct frame *f;
  const char *stroke; /* value of the SVG attribute `stroke`, with the quote at its end */
  bool down;          /* a polyline has been begun */
  int points;         /* points since the polyline was begun */
  double x, y;        /* position of the last point, in pixels */
};

/* Ends the SVG polyline that is being written by the pen, if there is one. A single point is extended to a line of three pixels, so that it
 * can be seen. */
static void lift(struct pen *p)
{
  if (p->down && p->points == 1) fprintf(p->to, "%.1f,%.1f ", p->x + 3, p->y);
  if (p->down) fputs("'/>\n", p->to);
  p->down = false;
  p->points = 0;
}

/* Extends the SVG polyline that is being written by the pen to the point (x, y) of a curve, or begins a new one there. A point without a
 * finite position on both axes ends the polyline. */
static void draw_to(struct pen *p, double x, double y)
{
  const bool shown = isfinite(cli_axis_place(&p->f->x, x)) && isfinite(cli_axis_place(&p->f->y, y));
  if (!shown) {
    lift(p);
    return;
  }
  if (!p->down) fprintf(p->to, "<polyline stroke='%s points='", p->stroke);
  p->x = pixel_x(p->f, x), p->y = pixel_y(p->f, y);
  fprintf(p->to, "%.1f,%.1f ", p->x, p->y);
  p->down = true;
  p->points++;
}

/* Draws a curve with ascending abscissas as SVG polylines. If it has two or more points per pixel of width, only the smallest and the largest
 * value of each group of consecutive points are drawn. */
static void draw_graph(struct pen *p, const struct line *l)
{
  const long bundle = l->points / (2 * (long)p->f->width) + 1;
  for (long k = 0; k < l->points; k += bundle) {
    long low = k, high = k;
    const long last = k + bundle < l->points ? k + bundle : l->points;
    for (long i = k; i < last; i++) {
      if (y_of(l, i) < y_of(l, low)) low = i;
      /* the last one, so that a constant bundle keeps its first and last point */
      if (y_of(l, i) >= y_of(l, high)) high = i;
    }
    const long ends[2] = {low < high ? low : high, low < high ? high : low};
    for (int e = 0; e < (bundle > 1 ? 2 : 1); e++) {
      draw_to(p, x_of(l, ends[e]), y_of(l, ends[e]));
    }
  }
}

/* Draws a curve whose abscissas do not ascend (a path in the plane) as SVG polylines; skips points less than 0.3 pixels from the last one
 * drawn, except for the last point. */
static void draw_path(struct pen *p, const struct line *l)
{
  const double least_distance = 0.3; /* in pixels */
  for (long i = 0; i < l->points; i++) {
    const double x = x_of(l, i), y = y_of(l, i);
    const bool near = p->down && fabs(pixel_x(p->f, x) - p->x) < least_distance &&
                      fabs(pixel_y(p->f, y) - p->y) < least_distance;
    if (!near || i == l->points - 1) draw_to(p, x, y);
  }
}

/* Draws a dot at each point of curve number c of a panel, if the plot has dots and they are on average at least 6 pixels apart along the
 * abscissa, whose length is `size` pixels. */
static void put_dots(FILE *to, const struct cli_plot *plot, const struct frame *f,
                     const struct cli_panel *panel, int c, double size)
{
  const double apart = 6;
  const struct line l = line_of(plot, &panel->curves[c]);
  if (!plot->dots || apart * (double)(l.points - 1) > size) return;
  for (long i = 0; i < l.points; i++) {
    const double x = plot->upright ? y_of(&l, i) : x_of(&l, i);
    const double y = plot->upright ? x_of(&l, i) : y_of(&l, i);
    if (!isfinite(cli_axis_place(&f->x, x)) || !isfinite(cli_axis_place(&f->y, y))) continue;
    fprintf(to, "<circle cx='%.1f' cy='%.1f' r='2' fill='%s'/>", pixel_x(f, x), pixel_y(f, y),
            colour_of(panel, c));
  }
  fputc('\n', to);
}

/* Draws a curve of a plot in a panel as SVG polylines; f contains the axes and the position of the panel. `stroke` is the value of the SVG
 * attribute `stroke` (the colour), including its closing quote. */
static void put_curve(FILE *to, const struct cli_plot *plot, const struct frame *f,
                      const struct cli_curve *curve, const char *stroke)
{
  const struct line l = line_of(plot, curve);
  struct pen pen = {.to = to, .f = f, .stroke = stroke};
  if (l.ascends) {
    draw_graph(&pen, &l);
  } else {
    draw_path(&pen, &l);
  }
  lift(&pen);
}

/* ---- panels */

/* Returns the axis for the values of a panel: its range contains all values of the panel's curves, with a margin of 4 % at both ends. */
static struct cli_axis range_of(const struct cli_plot *plot, const struct cli_panel *panel)
{
  struct cli_axis y = cli_axis_empty(panel->logarithmic);
  y.degrees = panel->degrees;
  for (int c = 0; c < panel->curve_count; c++) {
    const struct line l = line_of(plot, &panel->curves[c]);
    for (long i = 0; i < l.points; i++) cli_axis_include(&y, y_of(&l, i));
  }
  cli_axis_widen(&y);
  const double margin = 0.04 * (y.high - y.low);
  y.low -= margin, y.high += margin;
  return y;
}

/* Draws the marks of a plot through a panel: vertical lines at given abscissas, e.g. the times of events. If there are more than FEW_MARKS,
 * only short lines at the upper edge of the panel are drawn. */
static void put_marks(FILE *to, const struct cli_plot *plot, const struct frame *f)
{
  const double length = plot->mark_count > FEW_MARKS ? 6 : f->height;
  for (long i = 0; i < plot->mark_count; i++) {
    const double at = pixel_x(f, plot->marks[i].x);
    fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='mark'/>\n", at, at, f->top,
            f->top + length);
  }
}

/* Estimates the width in pixels of the character that begins with the byte c, at font size FONT_SIZE in a wide sans-serif font. Returns 0
 * for the further bytes of a UTF-8 character. */
static double letter_width(char c)
{
  if (((unsigned char)c & 0xC0) == 0x80) return 0; /* continues a character of several bytes */
  if (strchr("ijl.,:;'|! ", c)) return 4.2;
  if (strchr("frt()[]/-", c)) return 5.2;
  if (strchr("mwMW%@=+<>", c)) return 11.9;
  return c >= 'A' && c <= 'Z' ? 8.8 : 7.7;
}

/* Estimates the width in pixels of a UTF-8 text at font size FONT_SIZE. */
static double text_width(const char *text)
{
  double width = 0;
  for (; *text; text++) width += letter_width(*text);
  return width;
}

/* The texts of letters above the first panel, which name the marks, and the space that each takes. */
struct letters {
  double from[MOST_LETTERS], to[MOST_LETTERS]; /* (count) left and right end, in pixels */
  int row[MOST_LETTERS];                       /* (count) text row, from 0 at the bottom */
  int count, rows;                             /* number of texts; of text rows in use */
};

/* Finds space for a label above the first panel of a plot: returns the number of the lowest text row (from 0) in which no label of *l lies
 * between the horizontal positions `from` and `to` in pixels; −1 if there is none, or if *l is full. */
static int free_row(const struct letters *l, double from, double to)
{
  for (int row = 0; row < LETTER_ROWS && l->count < MOST_LETTERS; row++) {
    bool is_free = true;
    for (int k = 0; k < l->count; k++) {
      is_free = is_free && (l->row[k] != row || from >= l->to[k] || to <= l->from[k]);
    }
    if (is_free) return row;
  }
  return -1;
}

/* Places a label, the letters of vertical marker lines, above the first panel of a plot: centred at the horizontal position `at` (in pixels),
 * in the lowest text row with space. Reserves the space in *l, and writes the label as SVG to the file `to` unless this is NULL. Does nothing
 * if no row has space. */
static void place_letters(FILE *to, struct letters *l, const struct frame *f, double at,
                          const char *text)
{
  const double half = text_width(text) / 2;
  const int row = free_row(l, at - half, at + half);
  if (row < 0) return;
  l->from[l->count] = at - half;
  l->to[l->count] = at + half;
  l->row[l->count++] = row;
  if (row >= l->rows) l->rows = row + 1;
  if (!to) return;
  fprintf(to, "<text x='%.1f' y='%.1f' class='small middle'>%s</text>\n", at,
          f->top - 4 - LETTER_LINE * row, text);
}

/* Returns whether the array letters[count] contains `letter`. */
static bool is_among(char letter, size_t count, const char *letters)
{
  for (size_t i = 0; i < count; i++) {
    if (letters[i] == letter) return true;
  }
  return false;
}

/* Collects in `label` the letters of marker line i of a plot and of the lines after it that are at most one pixel away, each letter once.
 * Letters that occur for the first time are appended to `seen`, and *is_new says whether there are any; with only_new, `label` gets no others.
 * Returns the number of the first line farther away. */
static long collect_letters(const struct cli_plot *plot, const struct frame *f, long i,
                            bool only_new, char seen[ALPHABET + 1], char label[ALPHABET + 1],
                            bool *is_new)
{
  const double at = pixel_x(f, plot->marks[i].x);
  size_t count = 0, known = strlen(seen);
  long next = i;
  *is_new = false;
  for (; next < plot->mark_count && pixel_x(f, plot->marks[next].x) - at < 1; next++) {
    const char letter = plot->marks[next].letter;
    if (!letter || is_among(letter, count, label)) continue;
    const bool first = !is_among(letter, known, seen);
    if (first && known < ALPHABET) seen[known++] = letter, *is_new = true;
    if ((first || !only_new) && count < ALPHABET) label[count++] = letter;
  }
  seen[known] = label[count] = '\0';
  return next;
}

/* Writes the letters of a plot's marker lines above its first panel, and returns the number of text rows they need. The first occurrence of
 * each letter has priority; further ones are written where space is left, and not at all if there are more than FEW_MARKS lines. If `to` is
 * NULL, only counts the rows. */
static int put_letters(FILE *to, const struct cli_plot *plot, const struct frame *f)
{
  struct letters l = {.count = 0};
  const bool crowded = plot->mark_count > FEW_MARKS;
  for (int pass = 0; pass < (crowded ? 1 : 2); pass++) {
    char seen[ALPHABET + 1] = "", label[ALPHABET + 1];
    bool is_new;
    for (long i = 0, next; i < plot->mark_count; i = next) {
      next = collect_letters(plot, f, i, crowded, seen, label, &is_new);
      if (label[0] && is_new == (pass == 0)) {
        place_letters(to, &l, f, pixel_x(f, plot->marks[i].x), label);
      }
    }
  }
  return l.rows;
}

enum {
  SAMPLE = 18,
  BEFORE_NAME = 34
}; /* in the legend: width of the sample line; start of the name */

/* Writes the legend to the right of a panel: the name of each curve and a sample of its line. Names that are too long are written in a
 * smaller font. */
static void put_legend(FILE *to, const struct cli_plot *plot, const struct cli_panel *panel,
                       const struct frame *f)
{
  char stroke[64];
  for (int c = 0; c < panel->curve_count; c++) {
    const char *name = panel->curves[c].name;
    const double at = f->top + 12 + 17 * c, side = f->left + f->width + 10;
    const double room = WIDTH - side - BEFORE_NAME + 10 - 4;
    fprintf(to, "<polyline stroke='%s points='%.1f,%.1f %.1f,%.1f'/><text x='%.1f' y='%.1f'",
            stroke_of(plot, panel, f, c, stroke), side, at - 4, side + SAMPLE, at - 4,
            side + BEFORE_NAME - 10, at);
    if (text_width(name) > room + 0.5) {
      fprintf(to, " font-size='%.1f'", FONT_SIZE * room / text_width(name));
    }
    fputc('>', to);
    cli_svg_text(to, name);
    fputs("</text>\n", to);
  }
}

/* Draws one panel of a plot as SVG: grid, marks, curves and legend. Sets the ordinate f->y. `last` is true for the lowest panel, which has
 * the tick labels of the common abscissa. */
static void put_panel(FILE *to, const struct cli_plot *plot, const struct cli_panel *panel,
                      struct frame *f, bool last)
{
  f->y = range_of(plot, panel);
  put_ticks(to, f, last);
  put_marks(to, plot, f);
  fprintf(to, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='box'/>\n", f->left, f->top,
          f->width, f->height);
  fprintf(to, "<text transform='translate(14 %.1f) rotate(-90)' class='middle'>",
          f->top + f->height / 2);
  cli_svg_text(to, panel->title);
  fputs("</text>\n", to);
  for (int c = 0; c < panel->curve_count; c++) {
    char stroke[64];
    put_curve(to, plot, f, &panel->curves[c], stroke_of(plot, panel, f, c, stroke));
    put_dots(to, plot, f, panel, c, f->width);
  }
  put_legend(to, plot, panel, f);
}

/* ---- the picture */

/* Computes f->left and f->width, the left edge and the width of the panels in pixels, so that the longest tick label fits to their left and the
 * longest curve name, up to a limit, to their right. */
static void set_margins(const struct cli_plot *plot, struct frame *f)
{
  double left = LEAST_LEFT, right = 0, tick[CLI_AXIS_MOST_TICKS];
  char text[CLI_AXIS_TEXT];
  for (int p = 0; p < plot->panel_count; p++) {
    const struct cli_panel *panel = &plot->panels[p];
    const struct cli_axis y = range_of(plot, panel);
    for (int c = 0; c < panel->curve_count; c++) {
      right = fmax(right, text_width(panel->curves[c].name));
    }
    const int count = cli_axis_ticks(&y, Y_TICKS, tick);
    for (int k = 0; k < count; k++) {
      cli_axis_tick_text(&y, Y_TICKS, tick[k], text);
      left = fmax(left, 34 + text_width(text));
    }
    cli_axis_offset_text(&y, Y_TICKS, text);
    left = fmax(left, 34 + text_width(text));
  }
  f->left = left;
  f->width = WIDTH - left - fmin(MOST_RIGHT, BEFORE_NAME + right + 4);
}

/* Returns the number of bytes of a note (a text below a plot) that fit on one line of NOTE_LENGTH bytes. Breaks the line after a list entry
 * (";") if one ends in its second half, otherwise at a blank, or else between two UTF-8 characters. */
static size_t line_length(const char *note)
{
  size_t length = strlen(note), at = NOTE_LENGTH;
  if (length <= NOTE_LENGTH) return length;
  for (size_t entry = at; entry > NOTE_LENGTH / 2; entry--) {
    if (note[entry] == ' ' && note[entry - 1] == ';') return entry;
  }
  while (at > 0 && note[at] != ' ') at--;
  if (at > 0) return at;
  for (at = NOTE_LENGTH; ((unsigned char)note[at] & 0xC0) == 0x80; at--)
    continue; /* do not split a character */
  return at;
}

/* Writes the notes of a plot, which are sentences below the picture, from the vertical position `top` (in pixels) downwards, and breaks
 * them into lines. Returns the number of lines. If `to` is NULL, only counts them. */
static int put_notes(FILE *to, const struct cli_plot *plot, int top)
{
  int lines = 0;
  for (int i = 0; i < plot->note_count; i++) {
    for (const char *at = plot->notes[i]; *at; lines++) {
      const size_t length = line_length(at);
      if (to) {
        fprintf(to, "<text x='16' y='%d' class='small'>", top + lines * LINE);
        put_text(to, at, length);
        fputs("</text>\n", to);
      }
      at += length;
      at += strspn(at, " ");
    }
  }
  return lines;
}

/* Returns the number of bytes of a plot's title that fit on one line. Breaks the line at the last blank that fits, or else between two
 * UTF-8 characters. */
static size_t title_length(const char *title)
{
  const double room = WIDTH - 2 * LINE;
  size_t length = 0, at = 0;
  if (text_width(title) * TITLE_SIZE / FONT_SIZE <= room) return strlen(title);
  for (double width = 0; title[at] && width * TITLE_SIZE / FONT_SIZE <= room; at++) {
    width += letter_width(title[at]);
    if (title[at] == ' ') length = at;
  }
  while (at > 1 && ((unsigned char)title[at] & 0xC0) == 0x80) at--; /* do not split a character */
  return length > 0 ? length : at;
}

/* Returns the horizontal position in pixels around which a text of the given width is centred: the middle of the panels or, if the text
 * would not fit there, of the picture. */
static double middle_of(const struct frame *f, double width)
{
  const double middle = f->left + f->width / 2;
  return middle > width / 2 && middle + width / 2 < WIDTH ? middle : WIDTH / 2.0;
}

/* Writes the title at the top of a plot, broken into lines, and returns the number of lines. If `to` is NULL, only counts them. */
static int put_title(FILE *to, const struct cli_plot *plot, const struct frame *f)
{
  const double x = middle_of(f, text_width(plot->title) * TITLE_SIZE / FONT_SIZE);
  int lines = 0;
  for (const char *at = plot->title; *at; lines++) {
    const size_t length = title_length(at);
    if (to) {
      fprintf(to, "<text x='%.1f' y='%d' font-size='%d' class='middle'>", x,
              20 + lines * TITLE_LINE, TITLE_SIZE);
      put_text(to, at, length);
      fputs("</text>\n", to);
    }
    at += length;
    at += strspn(at, " ");
  }
  return lines;
}

/* Writes the beginning of the SVG file of a plot (root element, styles, background), the title and the subtitle. `height` is the height of
 * the picture in pixels. */
static void put_head(FILE *to, const struct cli_plot *plot, const struct frame *f, int height)
{
  fprintf(
      to,
      "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
      "font-family='sans-serif' font-size='%d'>\n"
      "<style>polyline{fill:none;stroke-width:1.4}.grid{stroke:#e4e4e4}"
      ".minor{stroke:#555}.mark{stroke:#888;stroke-dasharray:2 3}.small{font-size:11px;fill:#444}"
      ".box{fill:none;stroke:#555}.end{text-anchor:end}.middle{text-anchor:middle}</style>\n"
      "<rect width='%d' height='%d' fill='white'/>\n",
      WIDTH, height, WIDTH, height, FONT_SIZE, WIDTH, height);
  const int lines = put_title(to, plot, f);
  if (!plot->subtitle) return;
  fprintf(to, "<text x='%.1f' y='%d' class='small middle'>",
          middle_of(f, text_width(plot->subtitle)), 36 + (lines > 1 ? lines - 1 : 0) * TITLE_LINE);
  cli_svg_text(to, plot->subtitle);
  fputs("</text>\n", to);
}

/* Returns the height in pixels of the space above the first panel of a plot: title, subtitle and the letters that label the vertical marker
 * lines. */
static int head_height(const struct cli_plot *plot, const struct frame *f)
{
  const int titles = put_title(NULL, plot, f), rows = put_letters(NULL, plot, f);
  return TITLE + (titles > 1 ? titles - 1 : 0) * TITLE_LINE + (plot->subtitle ? LINE : 0) +
         (plot->mark_count ? LETTERS : 0) + (rows > 1 ? rows - 1 : 0) * LETTER_LINE;
}

/* ---- panels side by side, the common quantity upwards */

enum {
  ACROSS = 3,    /* panels per row */
  TALL = 250,    /* height of a panel */
  UNDER = 56,    /* room for its ticks and title */
  SIDE_GAP = 16, /* distance to the ticks of the next panel */
  FEW_TICKS = 4,
  MOST_POINTS = 2000
};

/* Writes a text centred at the position (x, y) in pixels as an SVG element, in a smaller font if it would be wider than `room` pixels. */
static void put_fitted(FILE *to, double x, double y, double room, const char *text)
{
  const double width = text_width(text);
  fprintf(to, "<text x='%.1f' y='%.1f' font-size='%.1f' class='middle'>", x, y,
          width > room ? FONT_SIZE * room / width : FONT_SIZE);
  cli_svg_text(to, text);
  fputs("</text>\n", to);
}

/* Draws a curve as SVG polylines in a plot whose abscissa points upwards: the values of the curve are the horizontal positions. Omits points
 * if there are MOST_POINTS or more; values that are not finite interrupt the line. */
static void put_upright_curve(FILE *to, const struct cli_plot *plot, const struct frame *f,
                              const struct cli_curve *curve, const char *colour)
{
  const long step = plot->points / MOST_POINTS + 1;
  bool pen_down = false;
  for (long k = 0; k < plot->points; k += step) {
    const double up = plot->x[k * plot->stride], value = curve->y[k * plot->stride];
    const bool shown = isfinite(up) && isfinite(value);
    if (shown && !pen_down) fprintf(to, "<polyline stroke='%s' points='", colour);
    if (shown) fprintf(to, "%.1f,%.1f ", pixel_x(f, value), pixel_y(f, up));
    if (!shown && pen_down) fputs("'/>\n", to);
    pen_down = shown;
  }
  if (pen_down) fputs("'/>\n", to);
}

/* Draws one panel of a plot whose abscissa points upwards as SVG: grid, title and curves, whose values are the horizontal positions. Sets f->x,
 * the axis of these values. */
static void put_upright_panel(FILE *to, const struct cli_plot *plot, const struct cli_panel *panel,
                              struct frame *f)
{
  f->x = range_of(plot, panel);
  put_ticks(to, f, true);
  fprintf(to, "<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='box'/>\n", f->left, f->top,
          f->width, f->height);
  if (f->x.low < 0 && f->x.high > 0) {
    fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' stroke='#999'/>\n", pixel_x(f, 0),
            pixel_x(f, 0), f->top, f->top + f->height);
  }
  put_fitted(to, f->left + f->width / 2, f->top + f->height + 34, f->width + SIDE_GAP,
             panel->title);
  put_x_offset(to, f, f->top + f->height + 48); /* below the title */
  for (int c = 0; c < panel->curve_count; c++) {
    put_upright_curve(to, plot, f, &panel->curves[c], COLOURS[c]);
    put_dots(to, plot, f, panel, c, f->height);
  }
}

/* Writes one legend for all panels in a line at the vertical position y in pixels, with the names of the first panel's curves. Writes
 * nothing if the panel has a single curve. */
static void put_common_legend(FILE *to, const struct cli_panel *panel, double y)
{
  double x = LEAST_LEFT;
  for (int c = 0; c < panel->curve_count && panel->curve_count > 1; c++) {
    const char *name = panel->curves[c].name;
    fprintf(to, "<polyline stroke='%s' points='%.1f,%.1f %.1f,%.1f'/><text x='%.1f' y='%.1f'>",
            COLOURS[c], x, y - 4, x + SAMPLE, y - 4, x + BEFORE_NAME - 10, y);
    cli_svg_text(to, name);
    fputs("</text>\n", to);
    x += BEFORE_NAME + text_width(name) + SIDE_GAP;
  }
}

/* Writes a plot as an SVG file in which the panels stand side by side, three in a row, with their common abscissa pointing upwards. */
static void write_upright(FILE *to, const struct cli_plot *plot)
{
  const int columns = plot->panel_count < ACROSS ? plot->panel_count : ACROSS;
  const int rows = columns > 0 ? (plot->panel_count + columns - 1) / columns : 0;
  const int height = TITLE + rows * (TALL + UNDER) + LINE + 8;
  struct frame f = {
      .y = cli_axis_empty(false), .width = WIDTH, .height = TALL, .x_ticks = FEW_TICKS};
  for (long i = 0; i < plot->points; i++) cli_axis_include(&f.y, plot->x[i * plot->stride]);
  cli_axis_widen(&f.y);
  put_head(to, plot, &f, height);
  for (int p = 0; p < plot->panel_count; p++) {
    f.width = (double)(WIDTH - SIDE_GAP) / columns - LEAST_LEFT;
    f.left = LEAST_LEFT + p % columns * (f.width + LEAST_LEFT);
    const int row = p / columns;
    f.top = TITLE + row * (TALL + UNDER);
    put_upright_panel(to, plot, &plot->panels[p], &f);
    if (p % columns > 0) continue;
    fprintf(to, "<text transform='translate(14 %.1f) rotate(-90)' class='middle'>",
            f.top + f.height / 2);
    cli_svg_text(to, plot->abscissa);
    fputs("</text>\n", to);
  }
  if (rows > 0) put_common_legend(to, &plot->panels[0], height - 8);
  fputs("</svg>\n", to);
}

/* Extends the range of the axis x to the abscissas of all curves of a plot. */
static void include_abscissas(struct cli_axis *x, const struct cli_plot *plot)
{
  for (long i = 0; i < plot->points; i++) cli_axis_include(x, plot->x[i * plot->stride]);
  for (int p = 0; p < plot->panel_count; p++) {
    for (int c = 0; c < plot->panels[p].curve_count; c++) {
      const struct cli_curve *curve = &plot->panels[p].curves[c];
      for (long i = 0; curve->x && i < curve->points; i++)
        cli_axis_include(x, curve->x[i * curve->stride]);
    }
  }
}

void cli_plot_write(FILE *to, const struct cli_plot *plot)
{
  struct frame f = {.x = cli_axis_empty(plot->logarithmic), .height = HEIGHT, .x_ticks = X_TICKS};
  if (plot->upright) {
    write_upright(to, plot);
    return;
  }
  include_abscissas(&f.x, plot);
  cli_axis_widen(&f.x);
  set_margins(plot, &f);
  const int top = head_height(plot, &f);
  const int below = top + plot->panel_count * (HEIGHT + GAP) - GAP + BOTTOM;
  const int lines = put_notes(NULL, plot, 0), height = below + (lines ? lines * LINE + 6 : 0);
  f.top = top;
  put_head(to, plot, &f, height);
  put_letters(to, plot, &f);
  for (int p = 0; p < plot->panel_count; p++) {
    f.top = top + p * (HEIGHT + GAP);
    put_panel(to, plot, &plot->panels[p], &f, p == plot->panel_count - 1);
  }
  fprintf(to, "<text x='%.1f' y='%d' class='middle'>", f.left + f.width / 2, below - 10);
  cli_svg_text(to, plot->abscissa);
  fputs("</text>\n", to);
  put_x_offset(to, &f, below - 10);
  put_notes(to, plot, below + 8);
  fputs("</svg>\n", to);
}

/* ---- files */

/* Saves a text, e.g. an SVG file, as the file `path`, which is replaced as a whole if it exists. The callback `write` writes the text, made
 * from the data `what`. Returns CMB_ERROR_MEMORY if memory runs out (the context may have no error message then), or the error of saving the
 * file. */
cmb_status cli_svg_save(cmb_context *ctx, void (*write)(FILE *to, const void *what),
                        const void *what, const char *path)
{
  char *text = NULL;
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  if (memory) write(memory, what);
  const bool good = memory && !ferror(memory);
  cmb_status status = CMB_ERROR_MEMORY;
  if (memory && fclose(memory) == 0 && good) status = cmb_file_save(ctx, path, text, length);
  free(text);
  return status;
}

/* Writes a plot (`what` is a struct cli_plot) as SVG to a file. Callback of cli_svg_save. */
static void write_plot(FILE *to, const void *what)
{
  cli_plot_write(to, what);
}

cmb_status cli_plot_save(cmb_context *ctx, const struct cli_plot *plot, const char *path)
{
  return cli_svg_save(ctx, write_plot, plot, path);
}
