/*
 * The command `camber plot`: draws quantities of one or several result files over time or over each other, as SVG or PNG.
 *
 * Quantities of the same unit share a panel (diagram); each has a curve for each file. The program rsvg-convert, if it is installed, converts
 * SVG to PNG.
 */
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/plot.h"
#include "cli/png.h"
#include "cli/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 12, TEXT_ROOM = 512 };

/* The files and quantities to be drawn, and the panels made from them. */
struct drawing {
  const struct cli_arguments *a;
  struct cli_result results[CLI_MOST_RESULTS];
  int result_count;
  char *names;                         /* copy of --y, split into names; NULL: not given */
  char *x_names;                       /* copy of --x, if it is in quotes; else NULL */
  const char *x;                       /* name of the abscissa */
  const char *name[CLI_MOST_SETTINGS]; /* (name_count) names of the ordinates */
  int name_count;
  struct cli_panel panels[MOST_PANELS];
  char titles[MOST_PANELS][TEXT_ROOM];
  const char *first[MOST_PANELS]; /* name of the first quantity in each panel */
  int panel_count;
  char legend[MOST_PANELS][CLI_PLOT_MOST_CURVES][TEXT_ROOM];
  char abscissa[TEXT_ROOM]; /* label of the abscissa */
};

/* Returns whether the option --log makes an axis of the plot ('x' or 'y') logarithmic. */
static bool is_logarithmic(const struct drawing *d, char axis)
{
  return d->a->log && strchr(d->a->log, axis);
}

/* ---- the quantities to be drawn */

/* Prints the error message that a result file has no column `name`, which was requested with the option --OPTION, and suggests similar or
 * existing names; returns the exit code CLI_BAD_INPUT. */
static int complain_name(const struct cli_result *r, const char *option, const char *name)
{
  char hint[CMB_HINT_ROOM];
  return cli_complain("option --%s: '%s' has no column '%s'; %s", option, r->path, name,
                      cmb_hint_of_names(name, r->columns, r->count, sizeof *r->columns, hint));
}

/* Prints the error message that a quoted name in the value of the option --OPTION does not end before a comma; returns the exit code
 * CLI_BAD_INPUT. */
static int complain_quotes(const char *option)
{
  return cli_complain("option --%s: the quotes of a name do not end before a comma; expected names "
                      "as in a CSV file, NAME or \"NAME, WITH COMMA\"",
                      option);
}

/* Finds the names of the quantities to be drawn, d->name[]: those in the option --y or, without it, the outputs in the first result file.
 * Returns CLI_DONE; another exit code after an error message, e.g. if there are no outputs or too many names. */
static int find_names(struct drawing *d)
{
  const struct cli_result *r = &d->results[0];
  if (!d->a->y) {
    for (int i = 0; i < r->count && d->name_count < CLI_MOST_SETTINGS; i++) {
      if (r->columns[i].kind == CLI_COLUMN_OUTPUT) d->name[d->name_count++] = r->columns[i].name;
    }
    if (d->name_count > 0) return CLI_DONE;
    return cli_complain("'%s' has no columns that are marked as outputs; expected --y NAME,.. with "
                        "the columns to be drawn",
                        r->path);
  }
  d->names = strdup(d->a->y);
  if (!d->names) return cli_fail(NULL, CMB_ERROR_MEMORY);
  for (char *rest = d->names, *name; rest;) {
    if (d->name_count == CLI_MOST_SETTINGS)
      return cli_complain("--y has too many names; expected at most %d", CLI_MOST_SETTINGS);
    if (!cli_result_cut_name(&rest, &name)) return complain_quotes("y");
    d->name[d->name_count++] = name;
  }
  return CLI_DONE;
}

/* Sets d->x to the name of the abscissa from the option --x. A name that begins with a quote is read in CSV notation; any other is used as it
 * is and may contain commas. Returns CLI_DONE or, after an error message, another exit code. */
static int find_abscissa(struct drawing *d)
{
  d->x = d->a->x;
  if (d->x[0] != '"') return CLI_DONE;
  d->x_names = strdup(d->a->x);
  if (!d->x_names) return cli_fail(NULL, CMB_ERROR_MEMORY);
  char *rest = d->x_names, *name;
  if (!cli_result_cut_name(&rest, &name) || rest) return complain_quotes("x");
  d->x = name;
  return CLI_DONE;
}

/* Checks that the values of a column can be drawn: at least one is finite, and no finite one exceeds 1e300 in magnitude. Returns CLI_DONE, or
 * CLI_BAD_INPUT after an error message. */
static int check_numbers(const struct cli_result *r, const struct cli_result_column *c)
{
  const double most = 1e300;
  bool any = false;
  for (long i = 0; i < r->rows; i++) {
    any = any || isfinite(c->numbers[i]);
    if (isfinite(c->numbers[i]) && fabs(c->numbers[i]) > most) {
      return cli_complain("column '%s' of '%s' has numbers beyond %g, which cannot be drawn",
                          c->name, r->path, most);
    }
  }
  return any ? CLI_DONE
             : cli_complain("column '%s' of '%s' has no numbers that are finite", c->name, r->path);
}

/* Checks that a result file has a column `name`, as the option --OPTION requests, that the name is not ambiguous (cli_result_ambiguous), and
 * that its values can be drawn. Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_column(const struct cli_result *r, const char *option, const char *name)
{
  const struct cli_result_column *c = cli_result_find(r, name);
  if (!c) return complain_name(r, option, name);
  if (cli_result_ambiguous(r, c)) {
    return cli_complain("option --%s: '%s' has several columns '%s'", option, r->path, name);
  }
  return check_numbers(r, c);
}

/* Checks that the column `name` has the same unit in all result files that state one. Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_unit(const struct drawing *d, const char *name)
{
  const struct cli_result *known = NULL;
  for (int f = 0; f < d->result_count; f++) {
    const struct cli_result *r = &d->results[f];
    const char *unit = cli_result_find(r, name)->unit;
    if (!unit[0]) continue;
    if (known && strcmp(unit, cli_result_find(known, name)->unit) != 0) {
      return cli_complain("'%s' is in %s in '%s' and in %s in '%s'; expected one unit", name,
                          cli_result_find(known, name)->unit, known->path, unit, r->path);
    }
    known = r;
  }
  return CLI_DONE;
}

/* Checks that every result file has columns for the abscissa and for all quantities to be drawn, that their values can be drawn, and that units
 * are the same in all files. Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_names(const struct drawing *d)
{
  for (int f = 0; f < d->result_count; f++) {
    const struct cli_result *r = &d->results[f];
    int code = check_column(r, "x", d->x);
    for (int i = 0; i < d->name_count && code == CLI_DONE; i++) {
      code = check_column(r, "y", d->name[i]);
    }
    if (code != CLI_DONE) return code;
  }
  int code = check_unit(d, d->x);
  for (int i = 0; i < d->name_count && code == CLI_DONE; i++) code = check_unit(d, d->name[i]);
  return code;
}

/* ---- panels */

/* Returns the unit of the column `name` from the first result file that contains one; "" if none does. */
static const char *unit_of(const struct drawing *d, const char *name)
{
  for (int f = 0; f < d->result_count; f++) {
    const char *unit = cli_result_find(&d->results[f], name)->unit;
    if (unit[0]) return unit;
  }
  return "";
}

/* Appends the curve of the quantity `name` in result file number f to a panel of the plot. With several files, the name in the legend is
 * followed by the label of the file. */
static void add_curve(struct drawing *d, int panel, const char *name, int f)
{
  struct cli_panel *p = &d->panels[panel];
  const struct cli_result *r = &d->results[f];
  char *legend = d->legend[panel][p->curve_count];
  if (d->result_count > 1) {
    snprintf(legend, TEXT_ROOM, "%.200s, %.200s", name, r->label);
  } else {
    snprintf(legend, TEXT_ROOM, "%.500s", name);
  }
  p->curves[p->curve_count++] = (struct cli_curve){.name = legend,
                                                   .y = cli_result_find(r, name)->numbers,
                                                   .x = cli_result_find(r, d->x)->numbers,
                                                   .points = r->rows,
                                                   .stride = 1,
                                                   .dashes = f};
}

/* Returns the index of the panel of the plot for a quantity with this unit: a panel of the same unit with room for a curve of each file,
 * otherwise a new one; −1 if there are already MOST_PANELS. A quantity without a unit always gets a new panel. */
static int panel_for(struct drawing *d, const char *unit)
{
  for (int p = 0; p < d->panel_count; p++) {
    const bool room = d->panels[p].curve_count + d->result_count <= CLI_PLOT_MOST_CURVES;
    if (room && unit[0] && strcmp(d->titles[p], unit) == 0) return p;
  }
  if (d->panel_count == MOST_PANELS) return -1;
  const int p = d->panel_count++;
  snprintf(d->titles[p], TEXT_ROOM, "%.500s", unit);
  d->panels[p].logarithmic = is_logarithmic(d, 'y');
  return p;
}

/* Distributes the curves of all quantities to panels of the plot by their units, which become the titles; a quantity without a unit has a panel
 * of its own. Returns CLI_DONE, or CLI_BAD_INPUT after an error message if this takes more than MOST_PANELS. */
static int make_panels(struct drawing *d)
{
  for (int i = 0; i < d->name_count; i++) {
    const char *unit = unit_of(d, d->name[i]);
    const int p = panel_for(d, unit);
    if (p < 0) {
      return cli_complain("there is room for %d panels; --y chooses what is drawn", MOST_PANELS);
    }
    if (d->panels[p].curve_count == 0) d->first[p] = d->name[i];
    for (int f = 0; f < d->result_count; f++) add_curve(d, p, d->name[i], f);
  }
  for (int p = 0; p < d->panel_count; p++) {
    struct cli_panel *panel = &d->panels[p];
    const bool alone = panel->curve_count == d->result_count;
    panel->title = d->titles[p];
    if (!d->titles[p][0] && alone) { /* without a unit, the name of the quantity is the title */
      snprintf(d->titles[p], TEXT_ROOM, "%.500s", d->first[p]);
    }
  }
  return CLI_DONE;
}

/* ---- points that cannot be drawn */

/* Numbers of points of a curve that cannot be drawn. */
struct left_out {
  long not_finite, not_positive;
};

/* Counts the points of the curve `name` of a result file that cannot be drawn: those with a coordinate that is not finite, or not positive
 * on a logarithmic axis. */
static struct left_out count_left_out(const struct drawing *d, const struct cli_result *r,
                                      const char *name)
{
  const double *x = cli_result_find(r, d->x)->numbers, *y = cli_result_find(r, name)->numbers;
  struct left_out out = {0};
  for (long i = 0; i < r->rows; i++) {
    if (!isfinite(x[i]) || !isfinite(y[i])) {
      out.not_finite++;
    } else if ((is_logarithmic(d, 'x') && x[i] <= 0) || (is_logarithmic(d, 'y') && y[i] <= 0)) {
      out.not_positive++;
    }
  }
  return out;
}

/* Writes the reasons why points of a curve are not drawn to why[TEXT_ROOM], e.g. "1 is not finite, 2 are not positive on a logarithmic
 * axis". */
static void describe_left_out(const struct left_out *out, char why[TEXT_ROOM])
{
  size_t used = 0;
  why[0] = '\0';
  if (out->not_finite > 0) {
    used = (size_t)snprintf(why, TEXT_ROOM, "%ld %s not finite", out->not_finite,
                            out->not_finite == 1 ? "is" : "are");
  }
  if (out->not_positive > 0) {
    snprintf(why + used, TEXT_ROOM - used, "%s%ld %s not positive on a logarithmic axis",
             used > 0 ? ", " : "", out->not_positive, out->not_positive == 1 ? "is" : "are");
  }
}

/* Checks which points of the curve `name` of a result file can be drawn: prints a warning if some cannot, or an error message if none can.
 * Returns CLI_DONE, or CLI_BAD_INPUT after an error. */
static int report_left_out(const struct drawing *d, const struct cli_result *r, const char *name)
{
  const struct left_out out = count_left_out(d, r, name);
  const long all = out.not_finite + out.not_positive;
  char why[TEXT_ROOM], words[4 * TEXT_ROOM];
  if (all == 0) return CLI_DONE;
  describe_left_out(&out, why);
  if (all == r->rows) {
    return cli_complain("nothing of '%s' over '%s' in '%s' can be drawn: of %ld points %s", name,
                        d->x, r->path, r->rows, why);
  }
  snprintf(words, sizeof words, "%ld of %ld points of '%s' in '%s' %s left out of the picture: %s",
           all, r->rows, name, r->path, all == 1 ? "is" : "are", why);
  cli_warn(NULL, CMB_LOG_WARNING, words);
  return CLI_DONE;
}

/* Prints a warning for each curve of which some points cannot be drawn. Stops with an error message at the first curve of which none can.
 * Returns CLI_DONE, or CLI_BAD_INPUT after an error. */
static int check_points(const struct drawing *d)
{
  int code = CLI_DONE;
  for (int i = 0; i < d->name_count; i++) {
    for (int f = 0; f < d->result_count && code == CLI_DONE; f++) {
      code = report_left_out(d, &d->results[f], d->name[i]);
    }
  }
  return code;
}

/* ---- the picture */

/* Writes the plot `what` (a struct cli_plot) as SVG to the file `to`; a callback of cli_png_save. */
static void write_plot(FILE *to, const void *what)
{
  cli_plot_write(to, what);
}

/* Returns the title of the model if all result files contain the same title, otherwise "". */
static const char *title_of(const struct drawing *d)
{
  const char *title = d->results[0].texts[CLI_TEXT_title];
  for (int f = 1; f < d->result_count; f++) {
    const char *other = d->results[f].texts[CLI_TEXT_title];
    if (!title || !other || strcmp(title, other) != 0) return "";
  }
  return title ? title : "";
}

/* Draws the plot to the file of the option --out, as PNG if its name ends in .png, otherwise as SVG. Returns CLI_DONE or, after an error
 * message, another exit code. */
static int draw(cmb_context *ctx, struct drawing *d)
{
  const struct cli_arguments *a = d->a;
  const char *unit = unit_of(d, d->x);
  snprintf(d->abscissa, sizeof d->abscissa, "%.200s%s%.200s", d->x, unit[0] ? " in " : "", unit);
  const struct cli_plot plot = {.title = title_of(d),
                                .abscissa = strcmp(d->x, "t") == 0 ? "t in s" : d->abscissa,
                                .panels = d->panels,
                                .panel_count = d->panel_count,
                                .logarithmic = is_logarithmic(d, 'x')};
  if (cli_ends_in(a->out, ".png")) return cli_png_save(ctx, write_plot, &plot, a->out);
  const cmb_status status = cli_plot_save(ctx, &plot, a->out);
  if (status == CMB_OK) return CLI_DONE;
  return cli_fail(status == CMB_ERROR_MEMORY ? NULL : ctx, status);
}

/* Reads all result files on the command line into d->results[], and gives them labels that distinguish them. Fails if the picture (--out) would
 * overwrite one of them. Returns CLI_DONE or, after an error message, another exit code. */
static int read_results(struct drawing *d)
{
  const struct cli_arguments *a = d->a;
  for (int f = 0; f < a->result_count; f++) {
    if (cmb_same_file(a->result[f], a->out)) {
      return cli_complain("the file '%s' would be overwritten", a->out);
    }
    const int code = cli_result_read(a->result[f], &d->results[d->result_count++]);
    if (code != CLI_DONE) return code;
  }
  struct cli_result *compared[CLI_MOST_RESULTS];
  for (int f = 0; f < d->result_count; f++) compared[f] = &d->results[f];
  return cli_result_label(d->result_count, compared) ? CLI_DONE : cli_fail(NULL, CMB_ERROR_MEMORY);
}

int cli_plot(cmb_context *ctx, const struct cli_arguments *a)
{
  struct drawing *d = calloc(1, sizeof *d);
  if (!d) return cli_fail(NULL, CMB_ERROR_MEMORY);
  d->a = a;
  int code = a->out ? read_results(d)
                    : cli_complain("'camber plot' needs -o FILE, which ends in .svg or .png");
  if (code == CLI_DONE) code = find_abscissa(d);
  if (code == CLI_DONE) code = find_names(d);
  if (code == CLI_DONE) code = check_names(d);
  if (code == CLI_DONE) code = check_points(d);
  if (code == CLI_DONE) code = make_panels(d);
  if (code == CLI_DONE) code = draw(ctx, d);
  for (int f = 0; f < d->result_count; f++) cli_result_end(&d->results[f]);
  free(d->names);
  free(d->x_names);
  free(d);
  return code;
}
