/*
 * Determines which column of a result file is which quantity of its model; called when its motion is computed (viewed_motion.c, viewed.h). HDF5
 * and MAT files contain this as groups, and CSV files of `camber run` have a fixed order; the columns of other programs are found by their
 * names.
 */
#include "cli/viewed.h"

#include <stdlib.h>
#include <string.h>

/* Quantities of one kind (e.g. all coordinates), in the order of the equations. */
struct group {
  enum cli_column_kind kind;
  int count; /* number of quantities */
  /* put by CSV files before a name that is also an output's (sim/csv.c); "": none */
  const char *prefix;
  const char *const *names, *const *units; /* (count); units may be NULL */
};

/* Returns whether a column of a result file has the name of quantity i of the group g (e.g. of all coordinates) with the group's prefix, as in
 * "q/phi". Returns false if the group has no prefix. */
static bool is_prefixed(const struct cli_result_column *c, const struct group *g, int i)
{
  const size_t length = strlen(g->prefix);
  return length > 0 && strncmp(c->name, g->prefix, length) == 0 &&
         strcmp(c->name + length, g->names[i]) == 0;
}

/* Returns whether a column of a result file has the name of quantity i of the group g (e.g. of all coordinates), with or without the group's
 * prefix, such as "q/". */
static bool is_called(const struct cli_result_column *c, const struct group *g, int i)
{
  return strcmp(c->name, g->names[i]) == 0 || is_prefixed(c, g, i);
}

/* Sets the unit of a column of a result file to that of quantity i of the group g (e.g. of all coordinates). Does nothing if the column has a
 * unit or the quantity has none. Returns false if memory runs out. */
static bool set_unit(struct cli_result_column *c, const struct group *g, int i)
{
  if (c->unit[0] || !g->units || !g->units[i][0]) return true;
  char *unit = strdup(g->units[i]);
  if (!unit) return false;
  free(c->unit);
  c->unit = unit;
  return true;
}

/* Returns whether the columns of a result file from number `first` on have the names of all quantities of the group (e.g. of all
 * coordinates), in their order, with or without the group's prefix. */
static bool is_at(const struct cli_result *r, int first, const struct group *g)
{
  if (first + g->count > r->count) return false;
  for (int i = 0; i < g->count; i++) {
    if (!is_called(&r->columns[first + i], g, i)) return false;
  }
  return true;
}

/* Returns whether the columns of a result file have the order of the CSV files that `camber run` writes: t, then the quantities of
 * groups[count] (coordinates, velocities, ...), one group after the other. Other columns may follow. */
static bool is_in_order(const struct cli_result *r, int count, const struct group *groups)
{
  int first = 1;
  if (strcmp(r->columns[0].name, "t") != 0) return false;
  for (int g = 0; g < count; g++) {
    if (!is_at(r, first, &groups[g])) return false;
    first += groups[g].count;
  }
  return true;
}

/* Sets the kinds (coordinate, velocity, ...) of the columns of a result file, which are known to begin with the time t, followed by the
 * quantities of groups[count], one group after the other. */
static void set_kinds_by_order(struct cli_result *r, int count, const struct group *groups)
{
  int k = 1;
  for (int g = 0; g < count; g++) {
    for (int i = 0; i < groups[g].count; i++) r->columns[k++].kind = groups[g].kind;
  }
}

/* Returns the first column of a result file without a kind whose name is that of quantity n of the group g (e.g. of all coordinates). Columns
 * whose name has the group's prefix have priority. Returns NULL if there is none. */
static struct cli_result_column *find_free(struct cli_result *r, const struct group *g, int n)
{
  struct cli_result_column *found = NULL;
  for (int i = 0; i < r->count; i++) {
    struct cli_result_column *c = &r->columns[i];
    if (c->kind != CLI_COLUMN_UNKNOWN) continue;
    if (is_prefixed(c, g, n)) return c;
    if (!found && is_called(c, g, n)) found = c;
  }
  return found;
}

/* Sets the kinds (coordinate, velocity, ...) of columns of a result file by their names, which are compared with those of the quantities in
 * groups[count]. Moves each identified column to the end of the identified ones, so that the columns of each kind have the order of the
 * equations. */
static void set_kinds_by_name(struct cli_result *r, int count, const struct group *groups)
{
  int first = 0;
  for (int g = 0; g < count; g++) {
    for (int i = 0; i < groups[g].count; i++) {
      struct cli_result_column *c = find_free(r, &groups[g], i);
      if (!c) continue;
      while (r->columns[first].kind != CLI_COLUMN_UNKNOWN) first++;
      struct cli_result_column found = *c;
      found.kind = groups[g].kind;
      memmove(r->columns + first + 1, r->columns + first,
              (size_t)(c - (r->columns + first)) * sizeof *c);
      r->columns[first++] = found;
    }
  }
}

/* Checks that a result file has exactly one column for each coordinate of its model, in the model's order; g is the group of these coordinates.
 * Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_coordinates(const struct cli_viewed *v, const struct group *g)
{
  for (int i = 0; i < g->count; i++) {
    const struct cli_result_column *c = cli_viewed_column(v, g->kind, i);
    if (c && is_called(c, g, i)) continue;
    return cli_complain("'%s' has no column '%s', a coordinate of the model '%s'; --model names "
                        "another one, --no-motion shows plots only",
                        v->result.path, g->names[i], v->with.operand);
  }
  if (cli_viewed_count(v, g->kind) == g->count) return CLI_DONE;
  return cli_complain("'%s' has %d coordinates, but the model '%s' has %d; --model names another "
                      "model, --no-motion "
                      "shows plots only",
                      v->result.path, cli_viewed_count(v, g->kind), v->with.operand, g->count);
}

/* Gives the columns of a result file that have no unit the unit of the model's quantity with the same name, for one kind of quantity, the group
 * g (e.g. all coordinates). Columns and quantities must be in the same order. Returns CLI_DONE, or another exit code after an error message if
 * memory runs out. */
static int set_units(struct cli_result *r, const struct group *g)
{
  for (int i = 0, k = 0; i < r->count && k < g->count; i++) {
    struct cli_result_column *c = &r->columns[i];
    if (c->kind != g->kind) continue;
    while (k < g->count && !is_called(c, g, k)) k++;
    if (k < g->count && !set_unit(c, g, k++)) return cli_fail(NULL, CMB_ERROR_MEMORY);
  }
  return CLI_DONE;
}

int cli_viewed_match(struct cli_viewed *v, const cmb_equations *eq)
{
  struct cli_result *r = &v->result;
  const struct group groups[] = {
      {CLI_COLUMN_COORDINATE, eq->nq, "q/", eq->q_names, eq->q_units},
      {CLI_COLUMN_VELOCITY, eq->nv, "v/", eq->v_names, eq->v_units},
      {CLI_COLUMN_MULTIPLIER, eq->ng, "", eq->lambda_names, NULL},
      {CLI_COLUMN_OUTPUT, eq->no, "", eq->output_names, eq->output_units}};
  enum { GROUPS = sizeof groups / sizeof groups[0] };
  if (cli_viewed_count(v, CLI_COLUMN_COORDINATE) == 0) { /* the file does not contain the kinds */
    if (is_in_order(r, GROUPS, groups))
      set_kinds_by_order(r, GROUPS, groups);
    else
      set_kinds_by_name(r, GROUPS, groups);
    if (cli_viewed_count(v, CLI_COLUMN_VELOCITY) == eq->nv) r->numbers[CLI_NUMBER_states] = eq->nz;
  }
  int code = check_coordinates(v, &groups[0]);
  for (int g = 0; g < GROUPS && code == CLI_DONE; g++) code = set_units(r, &groups[g]);
  return code;
}
