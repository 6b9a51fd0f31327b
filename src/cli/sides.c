/*
 * Stores the states before and after events (sides.h).
 */
#include "cli/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* the largest number of values that are stored */
enum { MOST_NUMBERS = 1 << 20 };

void cli_sides_begin(struct cli_sides *s, const cmb_equations *eq)
{
  *s = (struct cli_sides){.eq = eq, .columns = eq->nq + eq->nv + eq->ng + eq->no};
}

void cli_sides_end(struct cli_sides *s)
{
  free(s->rows);
}

/* Returns the stored row of values (positions, velocities, multipliers, outputs) right before (side 0) or right after (side 1) the events
 * at an event time. `instant` is the index of the event time, from 0. */
static double *row_of(const struct cli_sides *s, long instant, int side)
{
  return s->rows + (2 * instant + side) * s->columns;
}

/* Doubles the number of event times for which there is memory, up to a limit. Does nothing if the limit is reached. Returns CMB_ERROR_MEMORY if
 * memory runs out. */
static cmb_status grow(struct cli_sides *s)
{
  const long most = MOST_NUMBERS / (2 * s->columns), wanted = s->room ? 2 * s->room : 16;
  const long room = wanted < most ? wanted : most;
  if (room <= s->room) return CMB_OK; /* the limit is reached */
  double *grown = realloc(s->rows, 2 * (size_t)room * (size_t)s->columns * sizeof *grown);
  if (!grown) return CMB_ERROR_MEMORY;
  s->rows = grown;
  s->room = room;
  return CMB_OK;
}

/* Begins a new event time: allocates memory for the states before and after it if necessary, and fills them with NaN until they are stored. If
 * the limit of memory is reached, the states of this event are not stored. Returns CMB_ERROR_MEMORY if memory runs out. */
static cmb_status begin_instant(struct cli_sides *s)
{
  if (s->count == s->room) CMB_TRY(grow(s));
  s->begun = true;
  for (int i = 0; s->count < s->room && i < 2 * s->columns; i++) row_of(s, s->count, 0)[i] = NAN;
  return CMB_OK;
}

cmb_status cli_sides_add(struct cli_sides *s, const cmb_record *r)
{
  const cmb_equations *eq = s->eq;
  if (r->side < 0 || !s->begun) CMB_TRY(begin_instant(s));
  if (s->count < s->room) {
    double *row = row_of(s, s->count, r->side > 0);
    memcpy(row, r->q, (size_t)eq->nq * sizeof *row);
    memcpy(row += eq->nq, r->v, (size_t)eq->nv * sizeof *row);
    if (eq->ng > 0) memcpy(row + eq->nv, r->lambda, (size_t)eq->ng * sizeof *row);
    if (eq->no > 0) memcpy(row + eq->nv + eq->ng, r->outputs, (size_t)eq->no * sizeof *row);
  }
  if (r->side < 0) return CMB_OK;
  s->count++;
  s->begun = false;
  return CMB_OK;
}

/* Writes row[s->columns], a state right before or after an event, as a JSON object under `key`: positions, velocities, first-order states,
 * multipliers and outputs. */
static void put_side(const struct cli_sides *s, const char *key, const double *row,
                     struct cli_json *j)
{
  const cmb_equations *eq = s->eq;
  cli_json_open(j, key, '{');
  cli_json_numbers(j, "q", eq->nq, row);
  cli_json_velocities(j, eq, row += eq->nq);
  cli_json_numbers(j, "lambda", eq->ng, row += eq->nv);
  row += eq->ng;
  cli_json_open(j, "outputs", '{');
  for (int i = 0; i < eq->no; i++) cli_json_number(j, eq->output_names[i], row[i]);
  cli_json_close(j, '}');
  cli_json_close(j, '}');
}

void cli_sides_json(const struct cli_sides *s, long instant, struct cli_json *j)
{
  if (instant >= s->room || instant >= s->count + s->begun) return;
  put_side(s, "before", row_of(s, instant, 0), j);
  put_side(s, "behind", row_of(s, instant, 1), j);
}
