/*
 * Writes the eigenvalues in the table of --vary as a CSV file and as a plot (vary.h). The curves of the plot track modes from row to row
 * (mode_curves.h).
 */
#include "base/text.h"
#include "cli/mode_curves.h"
#include "cli/plot.h"
#include "cli/state_space.h"
#include "cli/vary.h"

#include <math.h>
#include <stdlib.h>

/* Bytes of a label and of a note; number of critical values that are marked with letters. */
enum { LABEL_ROOM = 200, NOTE_ROOM = 2048, LETTERS = 26 };

/* The panels of the plot; number of panels. */
enum part { REAL, FREQUENCY, DAMPING, PARTS };

/* A curve that decays faster than this multiple of the largest drawn eigenvalue is not drawn. */
static const double FAR_APART = 30;

/* ---- CSV */

/* Writes the eigenvalues of the steady motions for all values of the quantity of --vary to the file `to` as CSV, one a line: real and
 * imaginary part, frequency, damping ratio, and the coordinate that changes most (or state, if no coordinate changes). Neutral ones (0 up to
 * rounding) are left out. A callback of cli_svg_save; `what` is a struct cli_vary_table. */
static void write_csv(FILE *to, const void *what)
{
  const struct cli_vary_table *t = what;
  cli_csv_name(to, "", t->name);
  fputs(",re,im,frequency,damping,moves\n", to);
  for (int i = 0; i < t->count; i++) {
    const cmb_linearization *l = t->motions[i].l;
    for (int k = 0; k < l->eigenmode_count; k++) {
      const cmb_eigenmode *m = &l->eigenmodes[k];
      if (m->neutral) continue;
      fprintf(to, "%.17g,%.17g,%.17g,%.17g,%.17g,", t->motions[i].at, m->re, m->im, m->frequency,
              m->damping);
      cli_csv_name(to, "", cli_component_name(t->eq, m->most));
      fputc('\n', to);
    }
  }
}

cmb_status cli_vary_save(cmb_context *ctx, const struct cli_vary_table *table, const char *path)
{
  return cli_svg_save(ctx, write_csv, table, path);
}

/* ---- choice of the curves */

/* The curves that are drawn. */
struct drawing {
  int count;
  int curve[CLI_PLOT_MOST_CURVES];             /* their numbers in struct cli_mode_curves */
  char name[CLI_PLOT_MOST_CURVES][LABEL_ROOM]; /* their labels */
  double *x, *y;                               /* (values), (PARTS x count x values) their points */
};

/* Returns the mode with the largest real part on a curve, which follows a mode (eigenvalue and eigenvector) over the values of --vary; NULL if
 * the curve is empty. */
static const cmb_eigenmode *least_stable_of(const struct cli_mode_curves *c, int curve)
{
  const cmb_eigenmode *worst = NULL;
  for (int i = 0; i < c->values; i++) {
    const cmb_eigenmode *m = cli_mode_of(c, curve, i);
    if (m && (!worst || m->re > worst->re)) worst = m;
  }
  return worst;
}

/* Chooses the curves of eigenvalues over the quantity of --vary to be drawn, d->curve[d->count], and makes their labels: at most
 * CLI_PLOT_MOST_CURVES, those with the largest real parts. Eigenvalues whose motions decay faster than FAR_APART times the largest absolute
 * value of those already chosen are left out. */
static void choose(const struct cli_mode_curves *c, struct drawing *d)
{
  double largest = 0;
  d->count = 0;
  while (d->count < CLI_PLOT_MOST_CURVES) {
    const cmb_eigenmode *next = NULL;
    for (int i = 0; i < c->count; i++) {
      bool chosen = false;
      for (int k = 0; k < d->count; k++) chosen = chosen || d->curve[k] == i;
      const cmb_eigenmode *worst = chosen ? NULL : least_stable_of(c, i);
      if (worst && (!next || worst->re > next->re)) next = worst, d->curve[d->count] = i;
    }
    if (!next || (d->count > 0 && next->re < -FAR_APART * largest)) break;
    largest = fmax(largest, hypot(next->re, next->im));
    snprintf(d->name[d->count], LABEL_ROOM, "%d: %s", d->count + 1,
             cli_component_name(c->table->eq, next->most));
    d->count++;
  }
}

/* Returns the value of a mode (eigenvalue) m in a panel of the plot: its real part if `part` is REAL, its undamped frequency for FREQUENCY, its
 * damping ratio for DAMPING. Returns NaN if m is NULL, and for the latter two if the mode does not oscillate. */
static double value_of(const cmb_eigenmode *m, int part)
{
  if (!m || (part != REAL && m->im == 0)) return NAN;
  return part == REAL ? m->re : part == FREQUENCY ? m->frequency : m->damping;
}

/* Computes the points of the chosen curves in panels[PARTS]: real part, frequency and damping ratio of eigenvalues, plotted against the
 * quantity that --vary varies. Their arrays d->x and d->y are allocated together; the caller frees d->x. Returns false if memory runs out. */
static bool set_points(const struct cli_mode_curves *c, struct drawing *d,
                       struct cli_panel panels[PARTS])
{
  const size_t values = (size_t)c->values;
  d->x = calloc(values * (size_t)(1 + PARTS * d->count) + 1, sizeof *d->x);
  if (!d->x) return false;
  d->y = d->x + values;
  for (int i = 0; i < c->values; i++) d->x[i] = c->table->motions[i].at;
  for (int part = 0; part < PARTS; part++) {
    panels[part].curve_count = d->count;
    for (int k = 0; k < d->count; k++) {
      double *y = d->y + ((ptrdiff_t)part * d->count + k) * c->values;
      for (int i = 0; i < c->values; i++) y[i] = value_of(cli_mode_of(c, d->curve[k], i), part);
      panels[part].curves[k] = (struct cli_curve){.name = d->name[k], .y = y};
    }
  }
  return true;
}

/* Returns the number of panels of the plot: PARTS (real part, frequency and damping ratio of the eigenvalues), or 1 (the real part) if none
 * of the chosen curves has a mode that oscillates. */
static int count_panels(const struct cli_mode_curves *c, const struct drawing *d)
{
  for (int k = 0; k < d->count; k++) {
    for (int i = 0; i < c->values; i++) {
      const cmb_eigenmode *m = cli_mode_of(c, d->curve[k], i);
      if (m && m->im > 0) return PARTS;
    }
  }
  return 1;
}

/* ---- texts */

/* Writes the label of the abscissa to `text`: the name of the quantity of --vary and, if known, its unit, e.g. "speed in m/s". */
static void describe_abscissa(const struct cli_vary_table *t, char text[LABEL_ROOM])
{
  const cmb_equations *eq = t->eq;
  const char *const *const names[] = {eq->v_names, eq->q_names, eq->output_names};
  const char *const *const units[] = {eq->v_units, eq->q_units, eq->output_units};
  const int counts[] = {eq->nv, eq->nq, eq->no};
  const char *unit = "";
  for (int i = 2; i >= 0; i--) {
    const int k = cmb_find_name(t->name, names[i], counts[i], sizeof(char *));
    if (k >= 0) unit = units[i] && units[i][k] ? units[i][k] : "";
  }
  snprintf(text, LABEL_ROOM, "%s%s%s", t->name, unit[0] ? " in " : "", unit);
}

/* Writes the note about the critical values of the quantity of --vary for the plot, e.g. "Critical speed: a: 21.3614, unstable above", to
 * `note`. If there are more than LETTERS values, only the number of the further ones is written. */
static void describe_crossings(const struct cli_vary_table *t, char note[NOTE_ROOM])
{
  size_t used = (size_t)snprintf(note, NOTE_ROOM, "Critical %s:", t->name);
  for (int i = 0; i < t->crossing_count && used < NOTE_ROOM; i++) {
    const struct cli_crossing *c = &t->crossings[i];
    if (i == LETTERS) {
      snprintf(note + used, NOTE_ROOM - used, "; %d more are marked without a letter",
               t->crossing_count - LETTERS);
      return;
    }
    used += (size_t)snprintf(note + used, NOTE_ROOM - used, "%s %c: %.6g, unstable %s",
                             i ? ";" : "", 'a' + i, c->at, c->unstable_above ? "above" : "below");
  }
}

/* The texts of the plot besides titles and names of curves. */
struct plot_texts {
  char abscissa[LABEL_ROOM], text[3][NOTE_ROOM];
  const char *notes[3]; /* (count) point to elements of `text` */
  int count;
};

/* Appends an empty note to the plot. Returns its buffer of NOTE_ROOM bytes, into which the caller writes the text. */
static char *next_note(struct plot_texts *w)
{
  w->notes[w->count] = w->text[w->count];
  return w->text[w->count++];
}

/* Writes to *w the label of the plot's abscissa and the notes below the plot: the critical values, how many curves are drawn if not all are,
 * and why the table ends early, if it does. */
static void describe(const struct cli_mode_curves *c, const struct drawing *d, struct plot_texts *w)
{
  const struct cli_vary_table *t = c->table;
  w->count = 0;
  describe_abscissa(t, w->abscissa);
  if (t->crossing_count > 0) describe_crossings(t, next_note(w));
  if (d->count < c->count) {
    snprintf(next_note(w), NOTE_ROOM,
             "%d of %d curves are drawn: those with the greatest real parts; --out FILE.csv and "
             "--json have all eigenvalues",
             d->count, c->count);
  }
  if (t->failure) snprintf(next_note(w), NOTE_ROOM, "The table ends early: %s", t->failure);
}

/* ---- the plot */

/* Draws the chosen curves of eigenvalues over the quantity of --vary, with the critical values as marks, and saves the plot as the SVG file
 * `path`. */
static cmb_status draw(cmb_context *ctx, const struct cli_mode_curves *c, const char *path)
{
  const struct cli_vary_table *t = c->table;
  struct cli_panel panels[PARTS] = {{.title = "real part in 1/s"},
                                    {.title = "undamped frequency in Hz"},
                                    {.title = "damping ratio"}};
  struct drawing d = {.count = 0};
  struct plot_texts *w = calloc(1, sizeof *w);
  struct cli_mark *marks = calloc((size_t)t->crossing_count + 1, sizeof *marks);
  cmb_status status = CMB_ERROR_MEMORY;
  choose(c, &d);
  if (w && marks && set_points(c, &d, panels)) {
    for (int i = 0; i < t->crossing_count; i++) {
      marks[i] = (struct cli_mark){t->crossings[i].at, i < LETTERS ? (char)('a' + i) : '\0'};
    }
    describe(c, &d, w);
    const struct cli_plot plot = {.title = t->title,
                                  .subtitle = "eigenvalues of steady motions",
                                  .abscissa = w->abscissa,
                                  .x = d.x,
                                  .points = c->values,
                                  .stride = 1,
                                  .dots = true,
                                  .panels = panels,
                                  .panel_count = count_panels(c, &d),
                                  .marks = marks,
                                  .mark_count = t->crossing_count,
                                  .notes = w->notes,
                                  .note_count = w->count};
    status = cli_plot_save(ctx, &plot, path);
  }
  free(d.x);
  free(marks);
  free(w);
  return status;
}

cmb_status cli_vary_draw(cmb_context *ctx, const struct cli_vary_table *table, const char *path)
{
  struct cli_mode_curves c;
  const bool good = cli_mode_curves_create(table, &c);
  const cmb_status status = good ? draw(ctx, &c, path) : CMB_ERROR_MEMORY;
  cli_mode_curves_destroy(&c);
  return status;
}
