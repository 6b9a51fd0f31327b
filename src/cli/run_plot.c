/*
 * Draws the plot of a run (run_plot.h).
 */
#include "cli/run_plot.h"

#include "base/text.h"
#include "cli/facts.h"
#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_PANELS = 12,
  FAR_APART = 30,  /* ratio of sizes above which outputs without a unit get separate panels */
  MOST_KINDS = 10, /* kinds of events with a letter; more names would fill the picture */
  LABEL_ROOM = 80,
  NOTE_ROOM = 4096
};

/* ---- the quantities to be drawn */

/* Appends n quantities to the list of those that can be plotted; their values are in the columns `column`, `column` + 1, ... of the history. A
 * quantity whose name exists already gets the prefix ("q/" or "v/", as in CSV files), or is left out if `prefix` is NULL. Returns false if
 * memory runs out. */
static bool add_series(struct cli_run_plot *p, int n, const char *const *names,
                       const char *const *units, int column, const char *prefix)
{
  for (int i = 0; i < n; i++) {
    struct cli_series s = {names[i], units ? units[i] : "", NULL, column + i};
    if (cmb_find_name(names[i], p->series, p->all, sizeof *p->series) >= 0) {
      if (!prefix) continue;
      const size_t room = strlen(prefix) + strlen(names[i]) + 1;
      s.name = s.prefixed = malloc(room);
      if (!s.prefixed) return false;
      snprintf(s.prefixed, room, "%s%s", prefix, names[i]);
    }
    p->series[p->all++] = s;
  }
  return true;
}

/* Lists all quantities of a run that can be plotted in p->series, which is allocated here. Those that are plotted by default come first: the
 * outputs (without any, the coordinates and velocities), and the norms of the constraint residuals if `residuals` is set. Returns false if
 * memory runs out. */
static bool list_all(struct cli_run_plot *p, const cmb_equations *eq, bool residuals)
{
  const size_t most = (size_t)eq->no + (size_t)eq->nq + (size_t)eq->nv + (size_t)eq->ng + 2;
  *p = (struct cli_run_plot){.series = calloc(most + 1, sizeof *p->series)};
  if (!p->series) return false;
  const int outputs = 1 + eq->nq + eq->nv + eq->ng, norms = residuals ? 2 : 0;
  const int before = eq->no > 0 ? norms : 0, after = norms - before;
  return add_series(p, eq->no, eq->output_names, eq->output_units, outputs, NULL) &&
         add_series(p, before, cli_norm_names, cli_norm_units, outputs + eq->no, NULL) &&
         add_series(p, eq->nq, eq->q_names, eq->q_units, 1, "q/") &&
         add_series(p, eq->nv, eq->v_names, eq->v_units, 1 + eq->nq, "v/") &&
         add_series(p, after, cli_norm_names, cli_norm_units, outputs + eq->no, NULL) &&
         add_series(p, eq->ng, eq->lambda_names, NULL, 1 + eq->nq + eq->nv, NULL);
}

/* Prints the error message that the model has no quantity `name`, which was requested with --plot-outputs, and suggests similar or existing
 * names; returns the exit code CLI_BAD_INPUT. */
static int complain_name(const struct cli_run_plot *all, const char *name)
{
  char hint[CMB_HINT_ROOM];
  return cli_complain("option --plot-outputs: the model has no output, coordinate, velocity or "
                      "multiplier '%s'; %s",
                      name,
                      cmb_hint_of_names(name, all->series, all->all, sizeof *all->series, hint));
}

/* Moves the quantities named in `names`, a list separated by commas, to the front of p->series in this order, so that they are plotted. The
 * text `names` is overwritten. Returns CLI_DONE, or CLI_BAD_INPUT after an error message for an unknown name. */
static int choose_series(struct cli_run_plot *p, char *names)
{
  int chosen = 0;
  for (char *name = names, *next; name; name = next) {
    next = strchr(name, ',');
    if (next) *next++ = '\0';
    const int k = cmb_find_name(name, p->series, p->all, sizeof *p->series);
    if (k < 0) return complain_name(p, name);
    if (k < chosen) continue; /* named twice */
    const struct cli_series found = p->series[k];
    memmove(p->series + chosen + 1, p->series + chosen, (size_t)(k - chosen) * sizeof found);
    p->series[chosen++] = found;
  }
  p->count = chosen;
  return CLI_DONE;
}

int cli_run_plot_begin(struct cli_run_plot *p, const struct cli_arguments *a,
                       const cmb_equations *eq)
{
  *p = (struct cli_run_plot){0};
  if (!a->plot && cli_given(a, "plot-outputs")) {
    return cli_complain("--plot-outputs needs --plot FILE");
  }
  if (!a->plot) return CLI_DONE;
  if (!list_all(p, eq, a->residuals)) return cli_fail(NULL, CMB_ERROR_MEMORY);
  if (a->plot_outputs) {
    char *names = strdup(a->plot_outputs);
    const int code = names ? choose_series(p, names) : cli_fail(NULL, CMB_ERROR_MEMORY);
    free(names);
    return code;
  }
  p->count = (eq->no > 0 ? eq->no : eq->nq + eq->nv) + (a->residuals ? 2 : 0);
  return CLI_DONE;
}

void cli_run_plot_end(struct cli_run_plot *p)
{
  for (int i = 0; i < p->all; i++) free(p->series[i].prefixed);
  free(p->series);
}

/* ---- panels */

/* The panels (diagrams) of the plot. */
struct panels {
  const struct cli_plot *plot;
  const struct cli_history *h;
  struct cli_panel panel[MOST_PANELS];
  char label[MOST_PANELS][LABEL_ROOM];
  int count;
  int left_out; /* number of quantities without a panel */
};

/* Returns the largest absolute value of a quantity in the history of the run. */
static double amplitude(const struct panels *all, const struct cli_series *s)
{
  const double *y = all->h->rows + s->column;
  double most = 0;
  for (long k = 0; k < all->plot->points; k++) most = fmax(most, fabs(y[k * all->plot->stride]));
  return most;
}

/* Appends panels to the plot for n quantities of the same unit: as few as possible, with about the same number of curves in each. If
 * MOST_PANELS is reached, the remaining quantities are only counted, in all->left_out. */
static void add_panels(struct panels *all, const char *unit, int n,
                       const struct cli_series *const *series)
{
  const int parts = (n + CLI_PLOT_MOST_CURVES - 1) / CLI_PLOT_MOST_CURVES;
  for (int part = 0, done = 0; part < parts; part++) {
    const int until = (int)((long)n * (part + 1) / parts);
    if (all->count == MOST_PANELS) {
      all->left_out += n - done;
      return;
    }
    char *label = all->label[all->count];
    struct cli_panel *p = &all->panel[all->count++];
    *p = (struct cli_panel){.title = label};
    if (parts > 1) {
      snprintf(label, LABEL_ROOM, "%s (%d of %d)", unit, part + 1, parts);
    } else {
      snprintf(label, LABEL_ROOM, "%s", unit);
    }
    for (; done < until; done++) {
      p->curves[p->curve_count++] =
          (struct cli_curve){.name = series[done]->name, .y = all->h->rows + series[done]->column};
    }
  }
}

/* Appends panels to the plot for the quantities without a unit, grouped by size: a group contains the largest remaining quantity and those
 * smaller by a factor of at most FAR_APART. `some` is a working array with an element for each quantity of p. */
static void add_without_unit(struct panels *all, const struct cli_run_plot *p,
                             const struct cli_series **some)
{
  for (double below = INFINITY; below > 0;) {
    double most = 0;
    int n = 0;
    for (int i = 0; i < p->count; i++) {
      const double size = p->series[i].unit[0] ? NAN : amplitude(all, &p->series[i]);
      if (size < below) most = fmax(most, size);
    }
    for (int i = 0; i < p->count; i++) {
      const double size = p->series[i].unit[0] ? NAN : amplitude(all, &p->series[i]);
      if (size < below && size >= most / FAR_APART) some[n++] = &p->series[i];
    }
    if (n > 0) add_panels(all, "no unit", n, some);
    below = most / FAR_APART;
  }
}

/* Appends the panels of the plot for all its quantities: one or several for each unit, in the order in which the units first occur, then those
 * without a unit. `some` is a working array with an element for each quantity. */
static void make_panels(struct panels *all, const struct cli_run_plot *p,
                        const struct cli_series **some)
{
  for (int i = 0; i < p->count; i++) {
    const char *unit = p->series[i].unit;
    int n = 0;
    bool earlier = unit[0] == '\0';
    for (int k = 0; k < p->count; k++) {
      const bool same = strcmp(p->series[k].unit, unit) == 0;
      earlier = earlier || (same && k < i);
      if (same) some[n++] = &p->series[k];
    }
    if (!earlier) add_panels(all, unit, n, some);
  }
  add_without_unit(all, p, some);
}

/* ---- events */

/* The kinds of events, which differ by name or direction, in the order of their first appearance. */
struct kinds {
  const cmb_event *first[MOST_KINDS];
  int count;
  long without_letter; /* number of events of other kinds, whose marks have no letter */
};

/* Returns the index in `kinds` of the kind of an event, which is determined by its name and direction; a new kind is appended. Returns −1 if
 * there are already MOST_KINDS others. */
static int kind_of(struct kinds *kinds, const cmb_event *e)
{
  for (int k = 0; k < kinds->count; k++) {
    const cmb_event *f = kinds->first[k];
    if (strcmp(f->name, e->name) == 0 && f->direction == e->direction) return k;
  }
  if (kinds->count == MOST_KINDS) return -1;
  kinds->first[kinds->count] = e;
  return kinds->count++;
}

/* Makes a vertical marker line for each stored event that is to be shown in the plot. Returns an array of *count marks, to be freed by the
 * caller, or NULL if memory runs out. Stores the kinds of these events in *kinds; each of the first MOST_KINDS has a letter. */
static struct cli_mark *make_marks(const struct cli_run_events *events, struct kinds *kinds,
                                   int *count)
{
  struct cli_mark *marks = calloc((size_t)events->kept + 1, sizeof *marks);
  *count = 0;
  for (long i = 0; marks && i < events->kept; i++) {
    const cmb_event *e = &events->all[i];
    if (e->kind == CMB_KIND_FORMULA && !events->formulas) continue;
    const int k = kind_of(kinds, e);
    marks[(*count)++] = (struct cli_mark){e->t, k < 0 ? '\0' : (char)('a' + k)};
    kinds->without_letter += k < 0;
  }
  return marks;
}

/* Writes the note that explains the letters of the events in the plot, e.g. "Events: a: tyre lifts off; b: ...", to note[NOTE_ROOM]. */
static void describe_events(const struct cli_run_events *events, const struct kinds *kinds,
                            char note[NOTE_ROOM])
{
  size_t used = (size_t)snprintf(note, NOTE_ROOM, "Events:");
  for (int k = 0; k < kinds->count && used < NOTE_ROOM; k++) {
    const cmb_event *e = kinds->first[k];
    char text[CLI_EVENT_ROOM];
    used += (size_t)snprintf(note + used, NOTE_ROOM - used, "%s %c: %s", k ? ";" : "", 'a' + k,
                             cli_event_text(e->name, e->kind, e->direction, text));
  }
  if (kinds->without_letter > 0 && used < NOTE_ROOM) {
    used += (size_t)snprintf(note + used, NOTE_ROOM - used,
                             "; %ld more are marked without a letter", kinds->without_letter);
  }
  if (events->kept < events->count && used < NOTE_ROOM) {
    snprintf(note + used, NOTE_ROOM - used, "; the first %ld of %ld are marked", events->kept,
             events->count);
  }
}

/* ---- the whole plot */

/* Writes the note that the plot has no room for some of the `count` quantities to note[NOTE_ROOM], and also prints it as a warning. */
static void describe_left_out(const struct panels *all, int count, char note[NOTE_ROOM])
{
  snprintf(note, NOTE_ROOM,
           "the plot has room for %d of the %d quantities; --plot-outputs chooses others",
           count - all->left_out, count);
  cli_warn(NULL, CMB_LOG_WARNING, note);
  note[0] = 'T';
}

/* The notes below the panels: on events, on quantities that are left out, and on a failure. */
struct notes {
  char text[3][NOTE_ROOM];
  const char *all[3];
  int count;
};

/* Appends a note to the plot and returns the array text[NOTE_ROOM], into which the caller writes its text. */
static char *next_note(struct notes *n)
{
  n->all[n->count] = n->text[n->count];
  return n->text[n->count++];
}

cmb_status cli_run_plot_draw(cmb_context *ctx, const struct cli_run_plot *p,
                             const struct cli_history *h, const struct cli_run_plot_texts *texts,
                             const struct cli_run_events *events, const char *path)
{
  struct cli_plot plot = {.title = texts->title, .subtitle = texts->subtitle, .abscissa = "t in s"};
  struct panels panels = {.plot = &plot, .h = h};
  struct kinds kinds = {.count = 0};
  struct notes notes = {.count = 0};
  const struct cli_series **some = calloc((size_t)p->count + 1, sizeof(void *));
  int mark_count;
  struct cli_mark *marks = make_marks(events, &kinds, &mark_count);
  cmb_status status = CMB_ERROR_MEMORY;
  cli_history_points(h, &plot);
  if (some && marks) {
    make_panels(&panels, p, some);
    if (kinds.count > 0) describe_events(events, &kinds, next_note(&notes));
    if (panels.left_out > 0) describe_left_out(&panels, p->count, next_note(&notes));
    if (texts->failure[0])
      snprintf(next_note(&notes), NOTE_ROOM, "The run ended early: %s", texts->failure);
    plot.panels = panels.panel, plot.panel_count = panels.count;
    plot.marks = marks, plot.mark_count = mark_count;
    plot.notes = notes.all, plot.note_count = notes.count;
    status = cli_plot_save(ctx, &plot, path);
  }
  free(some);
  free(marks);
  return status;
}
