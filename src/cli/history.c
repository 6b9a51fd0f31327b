/*
 * The trajectory in memory and its plot (history.h).
 */
#include "cli/history.h"

#include <stdlib.h>
#include <string.h>

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

bool cli_history_writable(const char *path)
{
  return cli_plot_writable(path);
}

void cli_history_points(const struct cli_history *h, struct cli_plot *plot)
{
  plot->x = h->rows;
  plot->points = h->count;
  plot->stride = h->columns;
}
