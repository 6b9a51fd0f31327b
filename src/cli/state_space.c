/*
 * Computes the state-space model of the linearised equations (state_space.h) and writes its matrices as text, JSON, CSV and MAT files, and
 * plots of the frequency and step responses. Called by `camber linearize`.
 */
#include "cli/state_space.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/mat.h"
#include "cli/plot.h"
#include "cli/transfer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_SHOWN = 12 }; /* the greatest number of states for which matrices are printed as text */
enum {
  POINTS = 900,
  EVEN = 400,
  BESIDE = 5
}; /* numbers of points of a plot, of evenly spaced ones, and on each side of a resonance */

static const double DEGREES_PER_RADIAN = 57.29577951308232;
static const double TWO_PI = 6.28318530717958647692;

bool cli_state_space_wanted(const struct cli_arguments *a)
{
  return a->inputs || a->outputs;
}

/* ---- names */

/* Returns the number of names in a text, separated by commas; 0 if the text is NULL. */
static int count_names(const char *text)
{
  int count = text != NULL;
  for (; text && *text; text++) count += *text == ',';
  return count;
}

/* Looks up the names in `text`, separated by commas (NULL: no names), in names[known]: stores the k-th one as found[k] and its index as
 * number[k]. Overwrites the commas. Returns CLI_DONE, or CLI_BAD_INPUT after the error message that the model has no `what` (e.g. "output") of
 * a name in --OPTION. */
static int look_up(char *text, const char *option, const char *what, int known,
                   const char *const *names, const char **found, int *number)
{
  int count = 0;
  for (char *name = text, *next; name; name = next) {
    next = strchr(name, ',');
    if (next) *next++ = '\0';
    const int k = cmb_find_name(name, names, known, sizeof *names);
    if (k < 0) {
      char hint[CMB_HINT_ROOM];
      return cli_complain("option --%s: the model has no %s '%s'; %s", option, what, name,
                          cmb_hint_of_names(name, names, known, sizeof *names, hint));
    }
    found[count] = names[k];
    number[count++] = k;
  }
  return CLI_DONE;
}

int cli_state_space_begin(struct cli_state_space *s, const struct cli_arguments *a,
                          const cmb_equations *eq)
{
  const int nu = count_names(a->inputs), ny = count_names(a->outputs);
  *s = (struct cli_state_space){.arguments = a, .eq = eq, .nu = nu, .ny = ny};
  if (!cli_state_space_wanted(a)) {
    /* only if given on the command line: --out in a model file is for its run */
    const bool out = cli_given(a, "out");
    return out || a->bode || a->step_response
               ? cli_complain("%s needs --inputs or --outputs", out       ? "--out"
                                                                : a->bode ? "--bode"
                                                                          : "--step-response")
               : CLI_DONE;
  }
  if ((a->bode || a->step_response) && (nu == 0 || ny == 0)) {
    return cli_complain("%s needs --inputs and --outputs", a->bode ? "--bode" : "--step-response");
  }
  char *in = a->inputs ? strdup(a->inputs) : NULL, *out = a->outputs ? strdup(a->outputs) : NULL;
  s->u_names = calloc((size_t)nu + (size_t)ny + 1, sizeof(void *));
  s->parameter = calloc((size_t)nu + (size_t)ny + 1, sizeof *s->parameter);
  int code = CLI_DONE;
  if (!s->u_names || !s->parameter || (a->inputs && !in) || (a->outputs && !out)) {
    code = cli_fail(NULL, CMB_ERROR_MEMORY);
  } else {
    s->y_names = s->u_names + nu;
    s->output = s->parameter + nu;
    code = look_up(in, "inputs", "input or live parameter", eq->np, eq->p_names, s->u_names,
                   s->parameter);
    if (code == CLI_DONE) {
      code = look_up(out, "outputs", "output", eq->no, eq->output_names, s->y_names, s->output);
    }
  }
  free(in);
  free(out);
  return code;
}

void cli_state_space_end(struct cli_state_space *s)
{
  cli_transfer_end(s);
  cmb_state_space_destroy(s->space);
  free(s->u_names);
  free(s->parameter);
  free(s->column_names);
  free(s->B);
}

/* ---- columns of inputs and their rates */

/* Copies each row of the matrix X (rows x nu) to the array `to`, followed by the entries of the same row of X_rate (NULL: none) for those
 * inputs whose rates influence the state-space model. The rows follow one another. */
static void join_rows(const struct cli_state_space *s, int rows, const double *X,
                      const double *X_rate, double *to)
{
  const char *const *names = s->space->rate_names;
  const int nu = s->nu;
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < nu; k++) *to++ = X[i * nu + k];
    for (int k = 0; X_rate && names && k < nu; k++) {
      if (names[k]) *to++ = X_rate[i * nu + k];
    }
  }
}

/* Builds s->B and s->D, the matrices B and D of the state-space model with columns for the inputs, followed by columns for those rates of
 * inputs that have an influence, and the list of column names. Allocates them. Returns CMB_ERROR_MEMORY if memory runs out. */
static cmb_status join_columns(struct cli_state_space *s)
{
  const cmb_state_space *x = s->space;
  const size_t most = 2 * (size_t)s->nu + 1;
  s->column_names = calloc(most, sizeof(void *));
  s->B = calloc(most * (size_t)(x->nx + x->ny) + 1, sizeof *s->B);
  if (!s->column_names || !s->B) return CMB_ERROR_MEMORY;
  for (; s->columns < s->nu; s->columns++) s->column_names[s->columns] = s->u_names[s->columns];
  for (int k = 0; x->rate_names && k < s->nu; k++) {
    if (x->rate_names[k]) s->column_names[s->columns++] = x->rate_names[k];
  }
  s->D = s->B + (ptrdiff_t)x->nx * s->columns;
  join_rows(s, x->nx, x->B, x->B_rate, s->B);
  join_rows(s, x->ny, x->D, x->D_rate, s->D);
  return CMB_OK;
}

/* ---- files */

/* Returns the entry in row i and column j of the block matrix [A B; C D]. */
static double value_at(const struct cli_state_space *s, int i, int j)
{
  const int nx = s->space->nx;
  if (i < nx) return j < nx ? s->space->A[i * nx + j] : s->B[i * s->columns + j - nx];
  return j < nx ? s->space->C[(i - nx) * nx + j] : s->D[(i - nx) * s->columns + j - nx];
}

/* Writes piece[length] to the file `to`; a callback of cmb_csv_field. Returns CMB_ERROR_IO if that fails. */
static cmb_status put_piece(void *to, const char *piece, size_t length)
{
  return fwrite(piece, 1, length, to) == length ? CMB_OK : CMB_ERROR_IO;
}

void cli_csv_name(FILE *to, const char *before, const char *name)
{
  char whole[600];
  snprintf(whole, sizeof whole, "%s%s", before, name);
  cmb_csv_field(whole, put_piece, to);
}

/* Writes the block matrix [A B; C D] of the state-space model as CSV, with a first row of column names and a first column of row names. */
static void put_csv(FILE *to, const struct cli_state_space *s)
{
  const cmb_state_space *x = s->space;
  fputs("of", to);
  for (int j = 0; j < x->nx + s->columns; j++) {
    fputc(',', to);
    cli_csv_name(to, "", j < x->nx ? x->x_names[j] : s->column_names[j - x->nx]);
  }
  fputc('\n', to);
  for (int i = 0; i < x->nx + x->ny; i++) {
    cli_csv_name(to, i < x->nx ? "rate of " : "",
                 i < x->nx ? x->x_names[i] : s->y_names[i - x->nx]);
    for (int j = 0; j < x->nx + s->columns; j++) fprintf(to, ",%.17g", value_at(s, i, j));
    fputc('\n', to);
  }
}

/* Writes the matrices A, B, C and D of the state-space model and the names of states, inputs and outputs as a MAT file. */
static void put_mat_file(FILE *to, const struct cli_state_space *s)
{
  const cmb_state_space *x = s->space;
  cli_mat_matrix(to, "A", x->nx, x->nx, x->A);
  cli_mat_matrix(to, "B", x->nx, s->columns, s->B);
  cli_mat_matrix(to, "C", x->ny, x->nx, x->C);
  cli_mat_matrix(to, "D", x->ny, s->columns, s->D);
  cli_mat_names(to, "x_names", x->nx, x->x_names);
  cli_mat_names(to, "u_names", s->columns, s->column_names);
  cli_mat_names(to, "y_names", x->ny, s->y_names);
}

/* Saves the matrices of the state-space model as the file `path`, a MAT file if its name ends in .mat, otherwise CSV. */
static cmb_status save(cmb_context *ctx, const struct cli_state_space *s, const char *path)
{
  char *text = NULL;
  size_t length = 0;
  FILE *memory = open_memstream(&text, &length);
  const bool mat = strlen(path) > 4 && strcmp(path + strlen(path) - 4, ".mat") == 0;
  if (memory && mat) put_mat_file(memory, s);
  if (memory && !mat) put_csv(memory, s);
  const bool good = memory && !ferror(memory);
  cmb_status status = CMB_ERROR_MEMORY;
  if (memory && fclose(memory) == 0 && good) status = cmb_file_save(ctx, path, text, length);
  free(text);
  return status;
}

/* ---- plots */

/* The kind of a plot: frequency response or step response. */
enum kind { RESPONSE, STEP };

enum { NAME_ROOM = 160 };

/* The curves of a plot: one for each pair of an output and an input, at most CLI_PLOT_MOST_CURVES. */
struct curves {
  const struct cli_state_space *s;
  int count;
  char (*name)[NAME_ROOM], (*unit)[NAME_ROOM]; /* unit "": unknown */
  /* (POINTS), (rows x POINTS), where the rows are the curves, for a frequency response first all amplitudes, then all phases */
  double *x, *y;
};

/* Returns the unit of input number u of the state-space model if it is a parameter of the model file; "" if it is not or has no unit. */
static const char *unit_of_input(const struct cli_state_space *s, int u)
{
  const cmb_model *model = s->arguments->model;
  cmb_item item;
  for (int i = 0; model && cmb_model_item(model, CMB_ITEM_PARAMETER, i, &item); i++) {
    if (strcmp(item.name, s->u_names[u]) == 0) return item.unit;
  }
  return "";
}

/* Returns the unit of output number y of the state-space model; "" if it has none. */
static const char *unit_of_output(const struct cli_state_space *s, int y)
{
  const char *const *units = s->eq->output_units;
  return units && units[s->output[y]] ? units[s->output[y]] : "";
}

/* Writes the unit of the response of output y to input u to `text`: of a step response, the unit of the output; of a frequency response, the
 * quotient of the units of output and input, such as "N/m", or "N per unit of road" if the unit of the input `road` is unknown. Writes "" if
 * the output's unit is unknown. */
static void write_unit(const struct cli_state_space *s, int y, int u, enum kind kind,
                       char text[NAME_ROOM])
{
  const char *of = unit_of_output(s, y), *by = unit_of_input(s, u);
  if (kind == STEP || !of[0]) {
    snprintf(text, NAME_ROOM, "%s", of);
  } else if (!by[0]) {
    snprintf(text, NAME_ROOM, "%s per unit of %s", of, s->u_names[u]);
  } else {
    const bool parts = strpbrk(of, " /") != NULL,
               divided = strpbrk(by, " /*") != NULL; /* a product or quotient needs parentheses */
    snprintf(text, NAME_ROOM, "%s%s%s/%s%s%s", parts ? "(" : "", of, parts ? ")" : "",
             divided ? "(" : "", by, divided ? ")" : "");
  }
}

/* Allocates the curves of a plot, one for each pair of an output and an input of the state-space model, and sets their names and units. If
 * there are more than CLI_PLOT_MOST_CURVES, only the first ones are made, and a warning is printed. Returns false if memory runs out. */
static bool make_curves(struct curves *c, const struct cli_state_space *s, enum kind kind)
{
  const int rows = kind == RESPONSE ? 2 : 1; /* amplitude and phase */
  *c = (struct curves){.s = s, .count = s->nu * s->ny};
  if (c->count > CLI_PLOT_MOST_CURVES) {
    char note[120];
    snprintf(note, sizeof note,
             "the plot has room for %d of the %d curves; fewer --inputs or --outputs choose others",
             (int)CLI_PLOT_MOST_CURVES, c->count);
    cli_warn(NULL, CMB_LOG_WARNING, note);
    c->count = CLI_PLOT_MOST_CURVES;
  }
  c->name = calloc(2 * (size_t)c->count, sizeof *c->name);
  c->x = calloc((size_t)POINTS * (size_t)(1 + rows * c->count), sizeof *c->x);
  if (!c->name || !c->x) return false;
  c->unit = c->name + c->count;
  c->y = c->x + POINTS;
  for (int i = 0; i < c->count; i++) {
    const int y = i / s->nu, u = i % s->nu;
    snprintf(c->name[i], NAME_ROOM, kind == RESPONSE ? "%s / %s" : "%s, step of %s", s->y_names[y],
             s->u_names[u]);
    write_unit(s, y, u, kind, c->unit[i]);
  }
  return true;
}

static void free_curves(struct curves *c)
{
  free(c->name);
  free(c->x);
}

/* Appends the curve whose values are row number `row` of c->y to a panel of the plot. Its colour denotes the pair of output and input, so that
 * it is the same in all panels. */
static void add_curve(const struct curves *c, int row, struct cli_panel *panel)
{
  const int i = row % c->count;
  panel->curves[panel->curve_count++] =
      (struct cli_curve){.name = c->name[i], .y = c->y + (ptrdiff_t)row * POINTS, .colour = i + 1};
}

/* Distributes the first c->count curves to panels of the plot, one for each unit, and writes the panels' titles, e.g. "amplitude in m" if
 * `what` is "amplitude". Returns the number of panels. */
static int fill_panels(const struct curves *c, const char *what,
                       char titles[CLI_PLOT_MOST_CURVES][NAME_ROOM], struct cli_panel *panels)
{
  int of[CLI_PLOT_MOST_CURVES], count = 0; /* first curve of each panel */
  for (int i = 0; i < c->count; i++) {
    int p = 0;
    while (p < count && strcmp(c->unit[i], c->unit[of[p]]) != 0) p++;
    if (p == count) {
      snprintf(titles[p], NAME_ROOM, "%s%s%.130s", what, c->unit[i][0] ? " in " : "", c->unit[i]);
      panels[p].title = titles[p];
      of[count++] = i;
    }
    add_curve(c, i, &panels[p]);
  }
  return count;
}

/* Computes the range of angular frequencies for the plots in rad/s: *low is a tenth of the smallest modulus of the non-zero eigenvalues, *high
 * ten times the largest; 0.1 and 10 if there are none. */
static void find_range(const cmb_linearization *l, double *low, double *high)
{
  *low = INFINITY, *high = 0;
  for (int i = 0; i < l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &l->eigenmodes[i];
    const double size = hypot(m->re, m->im);
    if (m->neutral || size == 0) continue;
    *low = fmin(*low, size), *high = fmax(*high, size);
  }
  if (!(*high > 0)) *low = *high = 1;
  *low /= 10, *high *= 10;
}

static int by_size(const void *x, const void *y)
{
  const double *a = x, *b = y;
  return (*a > *b) - (*a < *b);
}

/* Chooses the angular frequencies omega[POINTS] of a frequency response in rad/s, in ascending order: EVEN ones evenly spaced on a logarithmic
 * axis, and further ones near each resonance, whose peak may be narrow. Unused elements repeat the highest frequency. */
static void choose_frequencies(const cmb_linearization *l, double omega[POINTS])
{
  double low, high;
  int count = 0;
  find_range(l, &low, &high);
  for (; count < EVEN; count++) omega[count] = low * pow(high / low, (double)count / (EVEN - 1));
  for (int i = 0; i < l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &l->eigenmodes[i];
    for (int k = -BESIDE; k <= BESIDE && m->im > 0 && count < POINTS; k++) {
      const double at = m->im + 0.5 * k * abs(k) * fabs(m->re);
      if (at > low && at < high) omega[count++] = at;
    }
  }
  while (count < POINTS) omega[count++] = high;
  qsort(omega, POINTS, sizeof *omega, by_size);
}

/* Returns the phase in degrees, changed by a multiple of 360° such that it is closest to the phase `before` of the previous point, so that
 * the curve has no jumps of 360°. */
static double unwrap(double phase, double before)
{
  return phase - 360 * round((phase - before) / 360);
}

/* Draws the Bode plot of the state-space model (amplitude and phase of the frequency responses over the frequency in Hz) to the SVG file
 * `path`. The curve has a gap where the response is infinite. */
static cmb_status draw_bode(cmb_context *ctx, const struct cli_state_space *s,
                            const cmb_linearization *l, const char *path)
{
  struct curves c;
  double omega[POINTS], *answer = calloc(2 * (size_t)(s->nu * s->ny) + 1, sizeof *answer);
  cmb_status status = answer && make_curves(&c, s, RESPONSE) ? CMB_OK : CMB_ERROR_MEMORY;
  choose_frequencies(l, omega);
  for (int k = 0; k < POINTS && status == CMB_OK; k++) {
    status = cmb_state_space_response(ctx, s->space, omega[k], answer);
    if (status ==
        CMB_ERROR_EQUATIONS) { /* an undamped resonance, where the response is infinite: a gap */
      for (int i = 0; i < 2 * s->nu * s->ny; i++) answer[i] = NAN;
      status = CMB_OK;
    }
    c.x[k] = omega[k] / TWO_PI;
    for (int i = 0; i < c.count; i++) {
      const double re = answer[2 * i], im = answer[2 * i + 1],
                   phase = DEGREES_PER_RADIAN * atan2(im, re);
      double *phases = c.y + (ptrdiff_t)(c.count + i) * POINTS;
      c.y[(ptrdiff_t)i * POINTS + k] = hypot(re, im);
      phases[k] = k > 0 && isfinite(phases[k - 1]) ? unwrap(phase, phases[k - 1]) : phase;
    }
  }
  if (status == CMB_OK) {
    struct cli_panel panels[CLI_PLOT_MOST_CURVES + 1] = {{.title = NULL}};
    char titles[CLI_PLOT_MOST_CURVES][NAME_ROOM];
    const int units = fill_panels(&c, "amplitude", titles, panels);
    for (int p = 0; p < units; p++) panels[p].logarithmic = true;
    panels[units] = (struct cli_panel){.title = "phase in deg", .degrees = true};
    for (int i = 0; i < c.count; i++) add_curve(&c, c.count + i, &panels[units]);
    const struct cli_plot plot = {.title = cli_title(s->arguments),
                                  .subtitle = "frequency response of the linearised equations",
                                  .abscissa = "frequency in Hz",
                                  .x = c.x,
                                  .points = POINTS,
                                  .stride = 1,
                                  .panels = panels,
                                  .panel_count = units + 1,
                                  .logarithmic = true};
    status = cli_plot_save(ctx, &plot, path);
  }
  if (answer) free_curves(&c);
  free(answer);
  return status;
}

/* Draws the responses over time of the model's outputs to a unit step of each input, computed from the state-space model, to the SVG file
 * `path`. The time axis is as long as five times the slowest time constant of the linearisation l. */
static cmb_status draw_steps(cmb_context *ctx, const struct cli_state_space *s,
                             const cmb_linearization *l, const char *path)
{
  struct curves c;
  double low, high, *y = calloc((size_t)POINTS * (size_t)s->ny, sizeof *y);
  cmb_status status = y && make_curves(&c, s, STEP) ? CMB_OK : CMB_ERROR_MEMORY;
  find_range(l, &low, &high);
  const double dt = 0.5 / low / (POINTS - 1); /* over five times the slowest time constant */
  for (int u = 0; u < s->nu && status == CMB_OK; u++) {
    status = cmb_state_space_step(ctx, s->space, u, dt, POINTS, y);
    for (int i = u; i < c.count && status == CMB_OK; i += s->nu) {
      for (int k = 0; k < POINTS; k++) c.y[(ptrdiff_t)i * POINTS + k] = y[k * s->ny + i / s->nu];
    }
  }
  for (int k = 0; k < POINTS && status == CMB_OK; k++) c.x[k] = k * dt;
  if (status == CMB_OK) {
    struct cli_panel panels[CLI_PLOT_MOST_CURVES] = {{.title = NULL}};
    char titles[CLI_PLOT_MOST_CURVES][NAME_ROOM];
    const int units = fill_panels(&c, "change", titles, panels);
    const struct cli_plot plot = {.title = cli_title(s->arguments),
                                  .subtitle = "response of the linearised equations to a step of 1",
                                  .abscissa = "t in s",
                                  .x = c.x,
                                  .points = POINTS,
                                  .stride = 1,
                                  .panels = panels,
                                  .panel_count = units};
    status = cli_plot_save(ctx, &plot, path);
  }
  if (y) free_curves(&c);
  free(y);
  return status;
}

/* Prints a warning for each pair of an output and an input where the output depends on the rate of the input: a step of the input then causes
 * an impulse in the output at t = 0, which the plot cannot show. */
static void note_impulses(const struct cli_state_space *s)
{
  const cmb_state_space *x = s->space;
  for (int i = 0; x->D_rate && i < s->nu * s->ny; i++) {
    char note[400];
    if (x->D_rate[i] == 0) continue;
    snprintf(note, sizeof note,
             "step response: '%s' depends on the rate of '%s', so that a step makes an impulse of "
             "%g in it at t = 0, which the plot leaves out",
             s->y_names[i / s->nu], s->u_names[i % s->nu], x->D_rate[i]);
    cli_warn(NULL, CMB_LOG_WARNING, note);
  }
}

cmb_status cli_state_space_find(cmb_context *ctx, struct cli_state_space *s,
                                const struct cli_arguments *a, const cmb_linearization *l, double t,
                                const double *q, const double *v)
{
  CMB_TRY(cmb_state_space_create_in(ctx, s->eq, s->frame, t, q, v, s->nu, s->parameter, s->ny,
                                    s->output, &s->space));
  CMB_TRY(join_columns(s));
  CMB_TRY(cli_transfer_find(ctx, s));
  if (cli_given(a, "out")) CMB_TRY(save(ctx, s, a->out));
  if (a->bode) CMB_TRY(draw_bode(ctx, s, l, a->bode));
  if (!a->step_response) return CMB_OK;
  note_impulses(s);
  return draw_steps(ctx, s, l, a->step_response);
}

/* ---- text and JSON */

/* Prints the matrix x (rows x columns) below its name as text; nothing if it is empty. */
static void print_matrix(const char *name, int rows, int columns, const double *x)
{
  if (rows == 0 || columns == 0) return;
  printf("  %s\n", name);
  for (int i = 0; i < rows; i++) {
    printf("   ");
    for (int j = 0; j < columns; j++) printf(" %12.6g", x[i * columns + j] + 0.0);
    printf("\n");
  }
}

/* Prints `what` and a list of names, separated by commas, in one line; nothing if the list is empty. */
static void print_names(const char *what, int count, const char *const *names)
{
  if (count == 0) return;
  printf("  %-12s", what);
  for (int i = 0; i < count; i++) printf("%s%s", i ? ", " : "", names[i]);
  printf("\n");
}

static void print_matrices(const struct cli_state_space *s)
{
  const cmb_state_space *x = s->space;
  print_matrix("A", x->nx, x->nx, x->A);
  print_matrix("B", x->nx, s->columns, s->B);
  print_matrix("C", x->ny, x->nx, x->C);
  print_matrix("D", x->ny, s->columns, s->D);
}

void cli_state_space_print(const struct cli_state_space *s)
{
  const cmb_state_space *x = s->space;
  if (!x) return;
  printf("x' = A x + B u, y = C x + D u\n");
  print_names("x", x->nx, x->x_names);
  print_names("u", s->columns, s->column_names);
  print_names("y", x->ny, s->y_names);
  if (s->columns > s->nu) {
    printf(
        "  the rates of inputs count, too: B and D have columns for them, and transfer functions, "
        "responses and plots include them\n");
  }
  if (x->nx > MOST_SHOWN) {
    printf("  the matrices have %d rows; --json and --out FILE have them\n", x->nx);
  } else {
    print_matrices(s);
  }
  cli_transfer_print(s);
}

/* Writes the matrix x (rows x columns) as a JSON list of rows under the key `name`. */
static void json_matrix(struct cli_json *j, const char *name, int rows, int columns,
                        const double *x)
{
  cli_json_open(j, name, '[');
  for (int i = 0; i < rows; i++) cli_json_numbers(j, NULL, columns, x + (ptrdiff_t)i * columns);
  cli_json_close(j, ']');
}

void cli_state_space_json(const struct cli_state_space *s, struct cli_json *j)
{
  const cmb_state_space *x = s->space;
  if (!x) return;
  cli_json_open(j, "state_space", '{');
  cli_json_texts(j, "x", x->nx, x->x_names);
  cli_json_texts(j, "u", s->columns, s->column_names);
  cli_json_texts(j, "y", x->ny, s->y_names);
  json_matrix(j, "A", x->nx, x->nx, x->A);
  json_matrix(j, "B", x->nx, s->columns, s->B);
  json_matrix(j, "C", x->ny, x->nx, x->C);
  json_matrix(j, "D", x->ny, s->columns, s->D);
  cli_json_close(j, '}');
  cli_transfer_json(s, j);
}
