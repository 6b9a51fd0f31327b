/*
 * The trajectory in memory and its plot (history.h).
 */
#include "cli/history.h"

#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 7, FAR_APART = 30 };

void cli_history_begin(struct cli_history *h, const cmb_equations *eq)
{
  *h = (struct cli_history){.eq = eq, .columns = 1 + eq->nq + eq->nv + eq->ng + eq->no};
}

cmb_status cli_history_add(struct cli_history *h, const cmb_record *r)
{
  const cmb_equations *eq = h->eq;
  if (h->count == h->room) {
    long room = h->room ? 2 * h->room : 1024;
    double *grown = realloc(h->rows, (size_t)room * (size_t)h->columns * sizeof *grown);
    if (!grown) return CMB_ERROR_MEMORY;
    h->rows = grown;
    h->room = room;
  }
  double *row = h->rows + h->count++ * h->columns;
  *row++ = r->t;
  memcpy(row, r->q, (size_t)eq->nq * sizeof *row);
  memcpy(row += eq->nq, r->v, (size_t)eq->nv * sizeof *row);
  memcpy(row += eq->nv, r->lambda, (size_t)eq->ng * sizeof *row);
  memcpy(row + eq->ng, r->outputs, (size_t)eq->no * sizeof *row);
  return CMB_OK;
}

void cli_history_end(struct cli_history *h)
{
  free(h->rows);
}

static void add_panel(struct cli_panel *panels, int *count, const char *title, int n,
                      const char *const *names, const double *first)
{
  if (n == 0) return;
  struct cli_panel *p = &panels[(*count)++];
  *p = (struct cli_panel){.title = title};
  p->curve_count = n < CLI_PLOT_MOST_CURVES ? n : CLI_PLOT_MOST_CURVES;
  for (int i = 0; i < p->curve_count; i++) p->curves[i] = (struct cli_curve){names[i], first + i};
}

/* The largest absolute value in a column. */
static double amplitude(const struct cli_history *h, const double *first)
{
  double most = 0;
  for (long k = 0; k < h->count; k++) most = fmax(most, fabs(first[k * h->columns]));
  return most;
}

/* Outputs are of all kinds: those whose sizes are far apart get panels of their own, the largest first. */
static void add_outputs(const struct cli_history *h, const double *first, struct cli_panel *panels,
                        int *count)
{
  const cmb_equations *eq = h->eq;
  double below = INFINITY;
  while (*count < MOST_PANELS) {
    double most = 0;
    for (int i = 0; i < eq->no; i++) {
      double size = amplitude(h, first + i);
      if (size < below) most = fmax(most, size);
    }
    struct cli_panel *p = &panels[*count];
    *p = (struct cli_panel){.title = "outputs"};
    double least = *count + 1 < MOST_PANELS ? most / FAR_APART : 0;
    for (int i = 0; i < eq->no && p->curve_count < CLI_PLOT_MOST_CURVES; i++) {
      double size = amplitude(h, first + i);
      if (size >= below || size < least) continue;
      p->curves[p->curve_count++] = (struct cli_curve){eq->output_names[i], first + i};
    }
    if (p->curve_count == 0) return;
    ++*count;
    below = least;
    if (!(most > 0)) return;
  }
}

bool cli_history_writable(const char *path)
{
  return cli_plot_writable(path);
}

bool cli_history_plot(const struct cli_history *h, const char *title, const char *path)
{
  const cmb_equations *eq = h->eq;
  struct cli_panel panels[MOST_PANELS];
  int count = 0;
  const double *at = h->rows + 1;
  add_panel(panels, &count, "positions", eq->nq, eq->q_names, at);
  add_panel(panels, &count, "velocities", eq->nv, eq->v_names, at += eq->nq);
  add_panel(panels, &count, "multipliers", eq->ng, eq->lambda_names, at += eq->nv);
  add_outputs(h, at + eq->ng, panels, &count);
  const struct cli_plot plot = {.title = title,
                                .abscissa = "t in s",
                                .x = h->rows,
                                .points = h->count,
                                .stride = h->columns,
                                .panels = panels,
                                .panel_count = count};
  return cli_plot_save(&plot, path);
}
