/*
 * Draws line plots as SVG (plot.h). A curve with more points than the picture can show is reduced to the least and the greatest value in
 * each column of pixels.
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
  NOTE_LENGTH = 124, /* characters per line */
  FEW_MARKS = 60,    /* more of them are drawn as short ticks instead of lines */
  ALPHABET = 26,
  LETTER_ROWS = 4,
  LETTER_LINE = 11,   /* height of a further row of letters */
  MOST_LETTERS = 128, /* number of letter groups */
  TITLE_SIZE = 14,
  TITLE_LINE = 18
};

/* Colours that the colour-blind can distinguish as well (Okabe and Ito). */
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

/* Returns whether XML permits the character at `text`, which has `length` bytes; length 0 means invalid UTF-8 and gives false. */
static bool is_permitted(const char *text, size_t length)
{
  const unsigned char c = (unsigned char)text[0];
  const bool control = c < ' ' && c != '\n' && c != '\r' && c != '\t';
  const bool beyond = length == 3 && memcmp(text, "\xEF\xBF", 2) == 0 &&
                      (unsigned char)text[2] >= 0xBE; /* U+FFFE and U+FFFF */
  return length > 0 && !control && !beyond;
}

/* Writes `length` bytes of text for SVG: <, > and & are escaped, and what XML does not permit becomes U+FFFD. */
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

/* Draws short lines at the edge of a panel for 2 to 9 times the powers of ten of a logarithmic axis, if these are not too close to each
 * other. `upwards` selects the ordinate. */
static void put_minor_ticks(FILE *to, const struct frame *f, const struct cli_axis *r, bool upwards)
{
  const double size = upwards ? f->height : f->width, short_line = 4;
  const double apart = 2; /* pixels between 9 and 10, the smallest gap */
  if (!r->logarithmic || (r->high - r->low) * apart > size * log10(10. / 9)) return;
  for (int k = (int)floor(r->low); k <= r->high; k++) {
    for (int digit = 2; digit < 10; digit++) {
      const double value = digit * pow(10, k), at = log10(value);
      if (at < r->low || at > r->high) continue;
      const double x = upwards ? f->left : pixel_x(f, value);
      const double y = upwards ? pixel_y(f, value) : f->top + f->height;
      fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='minor'/>\n", x,
              upwards ? x + short_line : x, y, upwards ? y : y - short_line);
    }
  }
}

enum { Y_TICKS = 4, X_TICKS = 8 };

/* Writes the constant that has to be added to the numbers beside the ordinate, above them; nothing if the axis has none. */
static void put_y_offset(FILE *to, const struct frame *f)
{
  char text[CLI_AXIS_TEXT];
  cli_axis_offset_text(&f->y, Y_TICKS, text);
  if (!text[0]) return;
  fprintf(to, "<text x='%.1f' y='%.1f' class='end'>%s</text>\n", f->left - 6, f->top - 8, text);
}

/* Writes the constant that has to be added to the numbers below the abscissa, at its right end at height y; nothing if the axis has
 * none. */
static void put_x_offset(FILE *to, const struct frame *f, double y)
{
  char text[CLI_AXIS_TEXT];
  cli_axis_offset_text(&f->x, f->x_ticks, text);
  if (!text[0]) return;
  fprintf(to, "<text x='%.1f' y='%.1f' class='end'>%s</text>\n", f->left + f->width, y, text);
}

/* Draws the grid lines of a panel with the numbers of the ordinate and, if `with_x` is set, of the abscissa. */
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
  const double *x, *y;
  long points, stride;
  bool ascends; /* whether x ascends */
};

/* Returns the points of a curve, with its own abscissas if it has any and those of the plot otherwise. */
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

/* Interpolates an ascending line at x; NaN beyond its ends. *i is the point where the search begins and is advanced, so calls need
 * ascending x. */
static double value_at(const struct line *l, double x, long *i)
{
  while (*i + 1 < l->points && x_of(l, *i + 1) < x) ++*i;
  if (x_of(l, *i) == x) return y_of(l, *i);
  if (*i + 1 >= l->points || x < x_of(l, *i)) return NAN;
  const double width = x_of(l, *i + 1) - x_of(l, *i), part = (x - x_of(l, *i)) / width;
  return y_of(l, *i) + part * (y_of(l, *i + 1) - y_of(l, *i));
}

/* Returns whether curve a covers curve b within a line's width, so that only the upper one would be seen. If their abscissas differ, b
 * is interpolated at the points of a, and both must ascend. */
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

/* Returns the colour of curve c of a panel. */
static const char *colour_of(const struct cli_panel *panel, int c)
{
  const int own = panel->curves[c].colour;
  return COLOURS[own > 0 ? (own - 1) % CLI_PLOT_MOST_CURVES : c];
}

/* Writes the SVG stroke of curve c to `text` and returns it: its colour, and dashes if it has a pattern or covers an earlier curve. */
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

/* A polyline while it is being written. */
struct pen {
  FILE *to;
  const struct frame *f;
  const char *stroke;
  bool down;
  int points;  /* points since the pen was put down */
  double x, y; /* position of the last point, in pixels */
};

/* Ends the current polyline. A single point becomes a line of three pixels, so that it is seen. */
static void lift(struct pen *p)
{
  if (p->down && p->points == 1) fprintf(p->to, "%.1f,%.1f ", p->x + 3, p->y);
  if (p->down) fputs("'/>\n", p->to);
  p->down = false;
  p->points = 0;
}

/* Continues the polyline to the point (x, y), or begins one there. A point that cannot be shown ends the polyline. */
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

/* Draws a curve with ascending abscissas. Where it has more points than the picture can show, only the least and the greatest value of
 * each bundle of points are drawn. */
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

/* Draws a curve whose abscissas do not ascend, without points closer than a fraction of a pixel to the last one. */
static void draw_path(struct pen *p, const struct line *l)
{
  const double hardly = 0.3; /* in pixels */
  for (long i = 0; i < l->points; i++) {
    const double x = x_of(l, i), y = y_of(l, i);
    const bool near =
        p->down && fabs(pixel_x(p->f, x) - p->x) < hardly && fabs(pixel_y(p->f, y) - p->y) < hardly;
    if (!near || i == l->points - 1) draw_to(p, x, y);
  }
}

/* Draws a dot at each point of a curve, unless they would be too close to each other on an axis of `size` pixels. */
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

/* Draws a curve of a panel with the given SVG stroke. */
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

/* Computes the range of the ordinate that contains all curves of a panel, with a margin of 4 %. */
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

/* Draws the marks as lines through a panel, or as ticks at its upper edge if there are many. */
static void put_marks(FILE *to, const struct cli_plot *plot, const struct frame *f)
{
  const double length = plot->mark_count > FEW_MARKS ? 6 : f->height;
  for (long i = 0; i < plot->mark_count; i++) {
    const double at = pixel_x(f, plot->marks[i].x);
    fprintf(to, "<line x1='%.1f' x2='%.1f' y1='%.1f' y2='%.1f' class='mark'/>\n", at, at, f->top,
            f->top + length);
  }
}

/* Estimates the width in pixels of one byte of a text at FONT_SIZE, for a wide one of the usual fonts, in which an m is three times as
 * wide as an i. */
static double letter_width(char c)
{
  if (((unsigned char)c & 0xC0) == 0x80) return 0; /* continues a character of several bytes */
  if (strchr("ijl.,:;'|! ", c)) return 4.2;
  if (strchr("frt()[]/-", c)) return 5.2;
  if (strchr("mwMW%@=+<>", c)) return 11.9;
  return c >= 'A' && c <= 'Z' ? 8.8 : 7.7;
}

/* Estimates the width in pixels of a text at FONT_SIZE. */
static double text_width(const char *text)
{
  double width = 0;
  for (; *text; text++) width += letter_width(*text);
  return width;
}

/* The rows of letters above the first panel, with the space that each group of letters takes. */
struct letters {
  double from[MOST_LETTERS], to[MOST_LETTERS]; /* in pixels */
  int row[MOST_LETTERS];
  int count, rows;
};

/* Returns the lowest row that is free between the positions `from` and `to` (in pixels); -1 if there is none. */
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

/* Places a group of letters centred at the position `at` in the lowest free row, if there is one, and writes it to `to` unless that is
 * NULL. */
static void put_group(FILE *to, struct letters *l, const struct frame *f, double at,
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

/* Returns whether `letter` is among the first `count` characters of an array. */
static bool is_among(char letter, size_t count, const char *letters)
{
  for (size_t i = 0; i < count; i++) {
    if (letters[i] == letter) return true;
  }
  return false;
}

/* Collects the letters of all marks from number i on that are within one pixel of it in `together`, each once. Letters that appear for
 * the first time are added to `seen` and set *is_new; with `only_new`, others are omitted. Returns the number of the next mark. */
static long collect_letters(const struct cli_plot *plot, const struct frame *f, long i,
                            bool only_new, char seen[ALPHABET + 1], char together[ALPHABET + 1],
                            bool *is_new)
{
  const double at = pixel_x(f, plot->marks[i].x);
  size_t count = 0, known = strlen(seen);
  long next = i;
  *is_new = false;
  for (; next < plot->mark_count && pixel_x(f, plot->marks[next].x) - at < 1; next++) {
    const char letter = plot->marks[next].letter;
    if (!letter || is_among(letter, count, together)) continue;
    const bool first = !is_among(letter, known, seen);
    if (first && known < ALPHABET) seen[known++] = letter, *is_new = true;
    if ((first || !only_new) && count < ALPHABET) together[count++] = letter;
  }
  seen[known] = together[count] = '\0';
  return next;
}

/* Writes the letters of the marks above the first panel, those at one position side by side, and returns how many rows this takes; if
 * `to` is NULL, nothing is written. First appearances of a letter are placed first; the others only where there is room, and not at all
 * if there are many marks. */
static int put_letters(FILE *to, const struct cli_plot *plot, const struct frame *f)
{
  struct letters l = {.count = 0};
  const bool crowded = plot->mark_count > FEW_MARKS;
  for (int pass = 0; pass < (crowded ? 1 : 2); pass++) {
    char seen[ALPHABET + 1] = "", together[ALPHABET + 1];
    bool is_new;
    for (long i = 0, next; i < plot->mark_count; i = next) {
      next = collect_letters(plot, f, i, crowded, seen, together, &is_new);
      if (together[0] && is_new == (pass == 0)) {
        put_group(to, &l, f, pixel_x(f, plot->marks[i].x), together);
      }
    }
  }
  return l.rows;
}

enum {
  SAMPLE = 18,
  BEFORE_NAME = 34
}; /* in the legend: width of the sample line; start of the name */

/* Writes the names of the curves with a sample of each line beside a panel; long names are printed smaller. */
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

/* Draws one panel with ticks, marks, curves and legend; `last` says that it carries the numbers of the abscissa. */
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

/* Sets the left edge and the width of the panels such that the longest tick label and the longest curve name fit beside them. */
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

/* Returns how many bytes of a note fit on its next line; the line ends after an entry of a list (";") if possible, else at a blank. */
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

/* Writes the notes from the vertical position `top` downwards, each broken into lines, and returns the number of lines; if `to` is NULL,
 * they are only counted. */
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

/* Returns how many bytes of the title fit on its next line. */
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

/* Returns the horizontal centre for a text of this width: that of the panels if the text fits there, else that of the picture. */
static double middle_of(const struct frame *f, double width)
{
  const double middle = f->left + f->width / 2;
  return middle > width / 2 && middle + width / 2 < WIDTH ? middle : WIDTH / 2.0;
}

/* Writes the title from the top, broken into lines, and returns the number of lines; if `to` is NULL, they are only counted. */
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

/* Writes the beginning of the SVG file, the title and the subtitle. */
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

/* Returns the height in pixels of everything above the first panel: title, subtitle and letters of marks. */
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

/* Writes a text centred at (x, y), in smaller letters if it is wider than `room` pixels. */
static void put_fitted(FILE *to, double x, double y, double room, const char *text)
{
  const double width = text_width(text);
  fprintf(to, "<text x='%.1f' y='%.1f' font-size='%.1f' class='middle'>", x, y,
          width > room ? FONT_SIZE * room / width : FONT_SIZE);
  cli_svg_text(to, text);
  fputs("</text>\n", to);
}

/* Draws a curve whose abscissa points upwards, with at most about MOST_POINTS points. */
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

/* Draws one panel whose abscissa points upwards, with ticks, title and curves. */
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

/* Writes the names of the curves in one line at height y, if there are several; the panel is the first one, and its names apply to all. */
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

/* Writes a plot whose panels stand side by side with the abscissa pointing upwards. */
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

/* Extends the range of an axis to the abscissas of all curves of a plot. */
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

/* Writes what the callback `write` prints for `what` to the file `path`, which is replaced as a whole. Returns CMB_ERROR_MEMORY
 * if there is no memory for the whole text. */
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

/* Writes the plot `what` as SVG; a callback of cli_svg_save. */
static void write_plot(FILE *to, const void *what)
{
  cli_plot_write(to, what);
}

cmb_status cli_plot_save(cmb_context *ctx, const struct cli_plot *plot, const char *path)
{
  return cli_svg_save(ctx, write_plot, plot, path);
}
