/*
 * Groups of structurally orthogonal columns (colour.h; Curtis, Powell and Reid 1974; Arnold, Fuchs and Führer 2006 §3.1, eq. (19) and (20),
 * where group[j] is called γ(r)): two columns with an entry in the same row are in different groups. That is a colouring of the graph with
 * the columns as vertices and such pairs as edges. Each row is a clique of it, so its longest row is a lower bound of the number of groups.
 *
 * The graph is never stored: the neighbours of a column are found through its rows. A pass over all columns examines Σ (row length)²
 * entries; memory is a few ints for each entry and column.
 */
#include "math/colour.h"

#include "base/context.h"
#include "math/colour_search.h"

struct orthogonal {
  const cmb_pattern *p;
  int *start;    /* (columns + 1) where the entries of each column begin in `row` */
  int *row;      /* (entries) row numbers, column by column */
  int *mark;     /* (columns) scratch */
  double visits; /* entries examined in a pass */
};

/* Converts a sparsity pattern from storage by rows (o->p) to storage by columns (o->start, o->row), with ascending row numbers in each
 * column. */
static void transpose(struct orthogonal *o)
{
  const cmb_pattern *p = o->p;
  int *next = o->mark;
  for (int j = 0; j <= p->columns; j++) o->start[j] = 0;
  for (int k = 0; k < p->start[p->rows]; k++) o->start[p->column[k] + 1]++;
  for (int j = 0; j < p->columns; j++) {
    next[j] = o->start[j];
    o->start[j + 1] += o->start[j];
  }
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) o->row[next[p->column[k]]++] = i;
  }
}

/* Lists, each once, the columns other than j that have an entry in a row in which column j has one, in `list`; returns their number. self
 * is the struct orthogonal. */
static int neighbours(void *self, int j, int *list)
{
  struct orthogonal *o = self;
  const cmb_pattern *p = o->p;
  int count = 0;
  o->mark[j] = 1;
  for (int m = o->start[j]; m < o->start[j + 1]; m++) {
    for (int k = p->start[o->row[m]]; k < p->start[o->row[m] + 1]; k++) {
      int other = p->column[k];
      if (o->mark[other]) continue;
      o->mark[other] = 1;
      list[count++] = other;
    }
  }
  o->mark[j] = 0; /* clears the marks for the next call */
  for (int k = 0; k < count; k++) o->mark[list[k]] = 0;
  return count;
}

/* Sets o->mark[g] = mark for each group g that contains a column sharing a row with column j: in the colouring, column j must not join
 * these groups. group[k] is the group of column k, −1 if it has none yet. */
static void mark_groups(struct orthogonal *o, int j, const int *group, int mark)
{
  const cmb_pattern *p = o->p;
  for (int m = o->start[j]; m < o->start[j + 1]; m++) {
    for (int k = p->start[o->row[m]]; k < p->start[o->row[m] + 1]; k++) {
      int g = group[p->column[k]];
      if (g >= 0) o->mark[g] = mark;
    }
  }
}

/* Colours the columns greedily (first fit): assigns each, in the given order, to the first group that contains no column with an entry in
 * the same row. group[j] becomes the group of column j. Returns the number of groups, or limit + 1 as soon as more than `limit` are needed.
 * Adds the cost of a pass over all columns to *visits. */
static int first_fit(void *self, const int *order, int limit, int *group, double *visits)
{
  struct orthogonal *o = self;
  const int columns = o->p->columns;
  int groups = 0;
  for (int j = 0; j < columns; j++) {
    group[j] = -1;
    o->mark[j] = 0;
  }
  for (int k = 0; k < columns && groups <= limit; k++) {
    int g = 0;
    mark_groups(o, order[k], group, k + 1);
    while (g < groups && o->mark[g] == k + 1) g++;
    group[order[k]] = g;
    if (g == groups) groups++;
  }
  for (int j = 0; j < columns; j++) o->mark[j] = 0;
  *visits += o->visits;
  return groups;
}

struct cmb_colour_room {
  int *start, *row, *mark; /* arrays of struct orthogonal */
  cmb_colour_memory search;
};

cmb_colour_room *cmb_colour_room_create(cmb_arena *arena, int columns, int entries)
{
  cmb_colour_room *room = cmb_arena_take(arena, 1, sizeof *room);
  if (!room) return NULL;
  room->start = cmb_arena_ints(arena, columns + 1);
  room->row = cmb_arena_ints(arena, entries);
  room->mark = cmb_arena_ints(arena, columns);
  cmb_colour_memory_take(arena, columns, &room->search);
  return cmb_arena_failed(arena) ? NULL : room;
}

/* Initialises the colouring with each column in a group of its own, which is optimal if some row of the pattern is full. Sets in *task the
 * lower bound of the number of groups (the length of the longest row) and the cost of a pass over all columns. */
static void start_trivially(const cmb_pattern *p, cmb_colour_task *task, int *group, int *groups)
{
  task->least = p->columns > 0 ? 1 : 0;
  for (int i = 0; i < p->rows; i++) {
    int length = p->start[i + 1] - p->start[i];
    if (length > task->least) task->least = length;
    task->visits += (double)length * length;
  }
  for (int j = 0; j < p->columns; j++) group[j] = j;
  *groups = p->columns;
}

void cmb_colour_columns_in(cmb_colour_room *room, const cmb_pattern *p, int *group, int *groups)
{
  struct orthogonal o = {p, room->start, room->row, room->mark, 0};
  cmb_colour_task task = {
      .columns = p->columns, .self = &o, .neighbours = neighbours, .first_fit = first_fit};
  start_trivially(p, &task, group, groups);
  if (task.least == p->columns) return;
  o.visits = task.visits;
  transpose(&o);
  for (int j = 0; j < p->columns; j++) o.mark[j] = 0;
  cmb_colour_search(&room->search, &task, group, groups);
}

cmb_status cmb_colour_columns(cmb_context *ctx, const cmb_pattern *p, int *group, int *groups)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_colour_room *room =
      arena ? cmb_colour_room_create(arena, p->columns, p->start[p->rows]) : NULL;
  if (room) cmb_colour_columns_in(room, p, group, groups);
  cmb_arena_destroy(arena);
  return room ? CMB_OK : cmb_fail_memory(ctx);
}
