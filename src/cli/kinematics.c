/*
 * The command `camber kinematics`: quasi-static sweeps of a suspension, as a table, CSV, JSON and plot (docs/kinematics.md). CSV and JSON
 * have SI units; the table and the plot show degrees, millimetres and N/mm.
 */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/plot.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 6, TITLE_ROOM = 112 };

static const double NEGLIGIBLE = 1e-9; /* in deg, mm or N/mm: smaller values are printed as 0 */
/* in m: a smaller wheel travel is not used as an axis of the plot */
static const double LEAST_TRAVEL = 1e-3;

struct sweep {
  cmb_suspension *k;
  const char *name; /* of the model */
  const cmb_suspension_column *columns;
  int count, points, done; /* numbers of columns, of points, and of points computed so far */
  double *table;           /* (points x count) the results in SI units */
};

/* ---- text output */

/* Returns the factor that converts the values of a column from SI units to the displayed unit, and stores the name of that unit in *unit:
 * deg for rad, mm for m, N/mm for N/m. Other units remain unchanged (factor 1). */
static double shown_unit(const cmb_suspension_column *c, const char **unit)
{
  static const struct {
    const char *si, *shown;
    double factor;
  } units[] = {{"rad", "deg", 57.29577951308232}, {"m", "mm", 1000}, {"N/m", "N/mm", 0.001}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(c->unit, units[i].si) != 0) continue;
    *unit = units[i].shown;
    return units[i].factor;
  }
  *unit = c->unit;
  return 1;
}

/* Returns whether a column contains the quantity `what` (e.g. "camber") of the given wheel, i.e. has the name "WHEEL.WHAT". */
static bool is_quantity(const cmb_suspension_column *c, const char *wheel, const char *what)
{
  const size_t length = strlen(wheel);
  return strncmp(c->name, wheel, length) == 0 && c->name[length] == '.' &&
         strcmp(c->name + length + 1, what) == 0;
}

/* Returns the index of the column in the table of results that contains the quantity `what` (e.g. "camber") of a wheel; -1 if there is
 * none. */
static int find_column(const struct sweep *s, const char *wheel, const char *what)
{
  for (int c = 0; c < s->count; c++) {
    if (is_quantity(&s->columns[c], wheel, what)) return c;
  }
  return -1;
}

/* Returns whether a column of the results is printed in the table on the terminal, which is too narrow for all of them: the driven quantities
 * and loads and, of each wheel, camber, toe, wheel rate and a few others; all columns if no wheels are given. CSV files and JSON always
 * contain all columns. */
static bool is_shown(const struct sweep *s, const struct cli_arguments *a, int column)
{
  static const char *const words[] = {"camber",      "toe",    "track",   "wheelbase", "rate",
                                      "roll_centre", "caster", "kingpin", "scrub",     "trail"};
  if (column < a->drive_count + a->load_count || a->wheel_count == 0) return true;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    for (int w = 0; w < a->wheel_count; w++) {
      if (is_quantity(&s->columns[column], a->wheel[w], words[i])) return true;
    }
  }
  return false;
}

/* Prints one line of the table of results: the values at the point with index `row`, or the names (row -2) or units (row -1) of the
 * columns. Values that are NaN are left blank. */
static void print_row(const struct sweep *s, const struct cli_arguments *a, int row)
{
  for (int c = 0; c < s->count; c++) {
    const char *unit, *name = s->columns[c].name;
    const double factor = shown_unit(&s->columns[c], &unit);
    const int width = (int)strlen(name) > 11 ? (int)strlen(name) : 11;
    if (!is_shown(s, a, c)) continue;
    if (row == -2) printf("%s%*s", c ? "  " : "", width, name);
    if (row == -1) printf("%s%*s", c ? "  " : "", width, unit);
    if (row >= 0) {
      const double value = factor * s->table[row * s->count + c];
      const bool rounding = factor != 1 && fabs(value) < NEGLIGIBLE;
      if (isnan(value))
        printf("%s%*s", c ? "  " : "", width, "");
      else
        printf("%s%*.6g", c ? "  " : "", width, rounding ? 0 : value);
    }
  }
  printf("\n");
}

/* Prints the results of a sweep as a table. The lines before it name the forces between road and wheels in the model, which the analysis ignores. */
static void print_text(const struct sweep *s, const struct cli_arguments *a)
{
  const char *const *left_out;
  const int count = cmb_suspension_left_out(s->k, &left_out);
  for (int i = 0; i < count; i++) {
    printf("force '%s' is the road's push on a wheel and is left out\n", left_out[i]);
  }
  for (int row = -2; row < s->done; row++) print_row(s, a, row);
}

/* ---- files and JSON */

/* Writes `length` characters of text to the file `to` (a FILE *); a callback for writing CSV fields. Returns CMB_ERROR_IO on failure. */
static cmb_status put_piece(void *to, const char *piece, size_t length)
{
  return fwrite(piece, 1, length, to) == length ? CMB_OK : CMB_ERROR_IO;
}

/* Writes the results of a sweep (`what`, a struct sweep) to the file `to` as CSV: a header line with names and units, then one line per
 * point. Values that are NaN become empty fields. A callback of the function that saves the file. */
static void write_csv(FILE *to, const void *what)
{
  const struct sweep *s = what;
  char name[600], number[CMB_NUMBER_ROOM];
  for (int c = 0; c < s->count; c++) {
    const cmb_suspension_column *column = &s->columns[c];
    const bool unit = column->unit[0] != '\0';
    snprintf(name, sizeof name, "%s%s%s%s", column->name, unit ? " [" : "", column->unit,
             unit ? "]" : "");
    if (c) fputc(',', to);
    cmb_csv_field(name, put_piece, to);
  }
  for (int i = 0; i < s->done * s->count; i++) {
    cmb_format_number(s->table[i], number);
    fprintf(to, "%c%s", i % s->count ? ',' : '\n', isnan(s->table[i]) ? "" : number);
  }
  fputc('\n', to);
}

/* Prints the results of a sweep as one JSON object: names and units of the columns, the values at all computed points, and the names of the
 * forces between road and wheels, which the analysis ignores. `status` tells whether the sweep succeeded. */
static void print_json(const struct sweep *s, cmb_status status)
{
  struct cli_json j;
  const char *const *left_out;
  const int count = cmb_suspension_left_out(s->k, &left_out);
  cli_json_begin(&j, s->name, NULL, status);
  cli_json_texts(&j, "left_out", count, left_out);
  cli_json_open(&j, "columns", '[');
  for (int c = 0; c < s->count; c++) {
    cli_json_open(&j, NULL, '{');
    cli_json_text(&j, "name", s->columns[c].name);
    cli_json_text(&j, "unit", s->columns[c].unit);
    cli_json_close(&j, '}');
  }
  cli_json_close(&j, ']');
  cli_json_open(&j, "rows", '[');
  for (int i = 0; i < s->done; i++) cli_json_numbers(&j, NULL, s->count, s->table + i * s->count);
  cli_json_close(&j, ']');
  cli_json_end(&j);
}

/* ---- plot */

/* The plot of a sweep, with values in the displayed units. */
struct picture {
  double *shown; /* (done x stride) the results, followed by a column of NaN for missing curves */
  int stride, count; /* number of columns of `shown`; number of panels */
  struct cli_panel panels[MOST_PANELS];
  char titles[MOST_PANELS][TITLE_ROOM], axis[TITLE_ROOM];
};

/* Allocates p->shown, the table of values for the plot, and fills it with the results of the sweep in the displayed units. A last column of NaN
 * is added, for curves that have no values. Returns false if memory runs out. */
static bool fill_plot_table(const struct sweep *s, struct picture *p)
{
  p->stride = s->count + 1;
  p->shown = calloc((size_t)s->done * (size_t)p->stride, sizeof *p->shown);
  for (int k = 0; k < s->done && p->shown; k++) {
    for (int c = 0; c < s->count; c++) {
      const char *unit;
      p->shown[k * p->stride + c] = shown_unit(&s->columns[c], &unit) * s->table[k * s->count + c];
    }
    p->shown[k * p->stride + s->count] = NAN;
  }
  return p->shown != NULL;
}

/* Writes the title of a plot panel or axis to `title` (TITLE_ROOM bytes), e.g. "toe, deg": `name` and the displayed unit of the column. */
static void put_title(char *title, const char *name, const cmb_suspension_column *column)
{
  const char *unit;
  shown_unit(column, &unit);
  snprintf(title, TITLE_ROOM, "%.80s%s%.20s", name, unit[0] ? ", " : "", unit);
}

/* Makes a plot panel for each quantity (camber, toe, half-track change, wheel rate, …) that any wheel has, with a curve for each wheel. A
 * wheel without the quantity has an empty curve there, so that its colour is the same in all panels. */
static void make_wheel_panels(const struct sweep *s, const struct cli_arguments *a,
                              struct picture *p)
{
  static const char *const words[MOST_PANELS][2] = {
      {"camber", "camber"},           {"toe", "toe"},
      {"track", "half-track change"}, {"rate", "wheel rate"},
      {"roll_centre", "roll centre"}, {"caster", "caster"}};
  for (int i = 0; i < MOST_PANELS; i++) {
    struct cli_panel *panel = &p->panels[p->count];
    int found = -1;
    *panel = (struct cli_panel){.title = p->titles[p->count]};
    for (int w = 0; w < a->wheel_count && w < CLI_PLOT_MOST_CURVES; w++) {
      const int c = find_column(s, a->wheel[w], words[i][0]);
      panel->curves[panel->curve_count++] =
          (struct cli_curve){.name = a->wheel[w], .y = p->shown + (c < 0 ? s->count : c)};
      if (c >= 0) found = c;
    }
    if (found < 0) continue;
    put_title(p->titles[p->count++], words[i][1], &s->columns[found]);
  }
}

/* Makes the plot panels for a sweep of a model without wheels: one for each column of the results from index `first` on, at most MOST_PANELS. */
static void make_plain_panels(const struct sweep *s, int first, struct picture *p)
{
  for (int c = first; c < s->count && p->count < MOST_PANELS; c++) {
    struct cli_panel *panel = &p->panels[p->count];
    *panel = (struct cli_panel){.title = p->titles[p->count], .curve_count = 1};
    panel->curves[0] = (struct cli_curve){.name = s->columns[c].name, .y = p->shown + c};
    put_title(p->titles[p->count++], s->columns[c].name, &s->columns[c]);
  }
}

/* Returns the index of the column with the travel of the first wheel if it can be the vertical axis of the plot: it must change monotonically
 * along the sweep, by more than LEAST_TRAVEL in total, and the wheel rate must be among the results. Returns -1 otherwise. */
static int find_travel(const struct sweep *s, const struct cli_arguments *a)
{
  const int c = a->wheel_count > 0 ? find_column(s, a->wheel[0], "travel") : -1;
  if (c < 0 || find_column(s, a->wheel[0], "rate") < 0) return -1;
  const double total_travel = s->table[(s->done - 1) * s->count + c] - s->table[c];
  for (int k = 1; k < s->done; k++) {
    const double step = s->table[k * s->count + c] - s->table[(k - 1) * s->count + c];
    if (!(step * total_travel > 0)) return -1;
  }
  return fabs(total_travel) > LEAST_TRAVEL ? c : -1;
}

/* Draws the results of a sweep to the file of --plot, against the travel of the first wheel if find_travel() permits, otherwise against the
 * first drive or load that has a range. */
static cmb_status draw(cmb_context *ctx, const struct sweep *s, const struct cli_arguments *a)
{
  struct picture p = {.count = 0};
  const int inputs = a->drive_count + a->load_count, travel = find_travel(s, a);
  int x = 0;
  if (!fill_plot_table(s, &p)) return CMB_ERROR_MEMORY;
  for (int i = inputs - 1; i >= 0; i--) {
    const struct cli_range *r = i < a->drive_count ? &a->drive[i] : &a->load[i - a->drive_count];
    if (r->points > 0) x = i;
  }
  if (travel >= 0) x = travel;
  if (a->wheel_count > 0) {
    make_wheel_panels(s, a, &p);
  } else {
    make_plain_panels(s, inputs, &p);
  }
  put_title(p.axis, s->columns[x].name, &s->columns[x]);
  const struct cli_plot plot = {.title = cli_title(a),
                                .abscissa = p.axis,
                                .x = p.shown + x,
                                .points = s->done,
                                .stride = p.stride,
                                .panels = p.panels,
                                .panel_count = p.count,
                                .upright = travel >= 0,
                                .dots = true};
  const cmb_status status = cli_plot_save(ctx, &plot, a->plot);
  free(p.shown);
  return status;
}

/* ---- the command */

/* Checks the drives, loads and wheels on the command line, and sets *points to the number of points of the sweep. All ranges must have the same
 * number of points, there must be a drive or a load, and each wheel needs a radius. Returns CLI_DONE or, after an error message, another exit
 * code. */
static int count_points(const struct cli_arguments *a, int *points)
{
  *points = 1;
  for (int i = 0; i < a->drive_count + a->load_count; i++) {
    const struct cli_range *r = i < a->drive_count ? &a->drive[i] : &a->load[i - a->drive_count];
    if (r->points == 0 || r->points == *points) continue;
    if (*points > 1) {
      return cli_complain("'%s' has %d points and another range %d; expected the same number",
                          r->name, r->points, *points);
    }
    *points = r->points;
  }
  if (a->drive_count + a->load_count == 0) {
    return cli_complain("'camber kinematics' needs --drive or --load; 'camber kinematics --help' "
                        "explains");
  }
  if (a->wheel_count == 0 || !isnan(a->radius)) return CLI_DONE;
  return cli_complain_pair(a, "wheel", "needs", "radius");
}

/* Creates the suspension analysis s->k from the model file and the drives, loads and wheels of the command line, and allocates the table of
 * results s->table. The caller frees both. */
static cmb_status open_sweep(cmb_context *ctx, const struct cli_arguments *a, struct sweep *s)
{
  struct cli_model_source source;
  cmb_suspension_range drives[CLI_MOST_SETTINGS], loads[CLI_MOST_SETTINGS];
  for (int i = 0; i < a->drive_count; i++) {
    drives[i] = (cmb_suspension_range){a->drive[i].name, a->drive[i].from, a->drive[i].to};
  }
  for (int i = 0; i < a->load_count; i++) {
    loads[i] = (cmb_suspension_range){a->load[i].name, a->load[i].from, a->load[i].to};
  }
  if (!cli_find_model(a, &source)) return CMB_ERROR_IO;
  const cmb_suspension_options options = {.model = &source.options,
                                          .drive_count = a->drive_count,
                                          .drives = drives,
                                          .load_count = a->load_count,
                                          .loads = loads,
                                          .wheel_count = a->wheel_count,
                                          .wheels = a->wheel,
                                          .radius = isnan(a->radius) ? 0 : a->radius,
                                          .points = s->points};
  const cmb_status status = cmb_suspension_create(ctx, source.path, &options, &s->k);
  if (status != CMB_OK) return status;
  s->columns = cmb_suspension_columns(s->k, &s->count);
  s->table = calloc((size_t)s->points * (size_t)s->count, sizeof *s->table);
  return s->table ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Reports a sweep that ended with `status`: writes the files of -o and, from two points on, of --plot, and prints the results as a table or
 * JSON. After a failure, prints an error message, and reports only the points computed before. Returns CLI_DONE or, after an error message,
 * another exit code. */
static int report(cmb_context *ctx, const struct cli_arguments *a, const struct sweep *s,
                  cmb_status status)
{
  int code = cli_complain_of(ctx, a, status);
  cmb_status written = CMB_OK;
  if (!s->table) {
    cli_json_failure(a, NULL);
    return code;
  }
  if (a->out && s->done > 0) written = cli_svg_save(ctx, write_csv, s, a->out);
  if (a->plot && s->done > 1 && written == CMB_OK) written = draw(ctx, s, a);
  if (code == CLI_DONE && written != CMB_OK) code = cli_fail(ctx, status = written);
  if (a->json) {
    print_json(s, status);
  } else {
    print_text(s, a);
  }
  return code;
}

int cli_kinematics(cmb_context *ctx, const struct cli_arguments *a)
{
  struct sweep s = {.name = a->model ? cmb_model_name(a->model) : a->operand};
  if (!a->model) {
    return cli_complain("'%s' is written in C; expected a model file", a->operand);
  }
  const int code = count_points(a, &s.points);
  if (code != CLI_DONE) {
    cli_json_failure(a, NULL);
    return code;
  }
  cmb_status status = open_sweep(ctx, a, &s);
  while (status == CMB_OK && s.done < s.points) {
    status = cmb_suspension_next(s.k, s.table + (ptrdiff_t)s.done * s.count);
    s.done += status == CMB_OK;
  }
  const int result = report(ctx, a, &s, status);
  free(s.table);
  cmb_suspension_destroy(s.k);
  return result;
}
