/*
 * Groups of columns of a symmetric matrix H (colour.h) from which every entry can be read directly:
 *
 *     (∗)  h_ij is alone at (row i, group of j), or alone at (row j, group of i),
 *
 * where alone means: no other column of that group has an entry in that row (Powell and Toint 1979). Where the diagonal is stored this is
 * star colouring of the graph of H: neighbours differ, and no path of four vertices has only two colours (Coleman and Moré 1984). Where h_ii
 * and h_jj are both missing, neighbours i and j may be in one group, and (∗) is still the requirement.
 *
 * For each row i there is a list of the groups of its columns that are already assigned, with two flags:
 *
 *     shared    at least two of its columns are in that group: their entries must be read in other rows
 *     blocked   some column x of the group has an entry (x, i) that is shared in row x: it is read in row i,
 *               and no other column of row i may enter the group
 *
 * A column v may enter a group unless, for some coloured w in row v: the group is w's and h_vv or h_ww is stored; or it is blocked in row w;
 * or it occurs in row w at all and w's group is shared in row v, as then h_vw can only be read in row w. A new group is always allowed. The
 * lists are as short as the row has groups, so that a full row with few groups (an arrow matrix) costs no more than its length.
 *
 * Lower bound: a product has n numbers, and each distinct entry needs one of them.
 */
#include "base/arena.h"
#include "base/context.h"
#include "math/colour.h"
#include "math/colour_search.h"

#include <stdbool.h>

/* A group that occurs in a row. */
struct item {
  int group;
  int first; /* the first column of that group in the row */
  bool shared, blocked;
};

struct star {
  const cmb_pattern *p;
  bool *diagonal;    /* (columns) whether h_jj is stored */
  struct item *item; /* (entries) groups that occur in row i, from start[i] on */
  int *items;        /* (rows) number of groups that occur in each row */
  int *group;        /* (columns) groups of the present pass, -1: none yet */
  int *mark;         /* (columns) scratch */
};

/* Returns the item for a group in the list of groups of row i, which shows how the assigned columns of this row are distributed; NULL if no
 * assigned column of row i is in that group. */
static struct item *find(const struct star *s, int i, int group)
{
  struct item *item = s->item + s->p->start[i], *end = item + s->items[i];
  while (item < end && item->group != group) item++;
  return item < end ? item : NULL;
}

/* Sets s->mark[g] = mark for each group g that column v of a symmetric matrix must not join (star colouring), because some entry could then
 * not be read from the compressed product of the matrix. Returns the number of list items examined. */
static int mark_groups(struct star *s, int v, int mark)
{
  const cmb_pattern *p = s->p;
  int visits = 0;
  for (int k = p->start[v]; k < p->start[v + 1]; k++) {
    int w = p->column[k];
    if (s->group[w] < 0) continue;
    if (s->diagonal[v] || s->diagonal[w]) s->mark[s->group[w]] = mark;
    bool all = find(s, v, s->group[w])->shared;
    const struct item *item = s->item + p->start[w];
    for (int m = 0; m < s->items[w]; m++) {
      if (all || item[m].blocked) s->mark[item[m].group] = mark;
    }
    visits += s->items[v] + s->items[w];
  }
  return visits;
}

/* Forbids, in a star colouring, further columns of row w to join the group of column x, if x is already assigned: the entry (x, w) shares
 * its group with another entry of row x, so its value has to be read from the transposed entry (w, x). */
static void block(struct star *s, int x, int w)
{
  if (s->group[x] >= 0) find(s, w, s->group[x])->blocked = true;
}

/* Assigns column v to group g in a star colouring and updates the lists of groups of all rows in which v has an entry. Where two entries of
 * a row are now in the same group, their values must be read from the transposed entries, so no further column may join the groups of
 * these. */
static void enter(struct star *s, int v, int g)
{
  const cmb_pattern *p = s->p;
  for (int k = p->start[v]; k < p->start[v + 1]; k++) {
    int i = p->column[k];
    struct item *item = find(s, i, g);
    if (!item) {
      s->item[p->start[i] + s->items[i]++] = (struct item){.group = g, .first = v};
    } else if (!item->shared) {
      item->shared = true;
      block(s, i, item->first);
    }
    if (item) block(s, i, v);
  }
  s->group[v] = g;
  for (int k = p->start[v]; k < p->start[v + 1]; k++) {
    int w = p->column[k];
    if (s->group[w] >= 0 && find(s, v, s->group[w])->shared) block(s, v, w);
  }
}

/* Colours the columns of a symmetric matrix greedily (star colouring): assigns each, in the given order, to the first group that it may
 * join. group[j] becomes the group of column j. Returns the number of groups, or limit + 1 as soon as more than `limit` are needed. Adds
 * the approximate number of list items examined to *visits. */
static int first_fit(void *self, const int *order, int limit, int *group, double *visits)
{
  struct star *s = self;
  const int n = s->p->columns;
  int groups = 0;
  s->group = group;
  for (int j = 0; j < n; j++) {
    group[j] = -1;
    s->items[j] = s->mark[j] = 0;
  }
  for (int k = 0; k < n && groups <= limit; k++) {
    int g = 0;
    *visits += 2 * mark_groups(s, order[k], k + 1); /* the second half for entering the group */
    while (g < groups && s->mark[g] == k + 1) g++;
    enter(s, order[k], g);
    if (g == groups) groups++;
  }
  return groups;
}

/* Lists the columns other than j in which row j of a symmetric sparsity pattern has entries, in `list`; returns their number. self is the
 * struct star. */
static int neighbours(void *self, int j, int *list)
{
  const cmb_pattern *p = ((struct star *)self)->p;
  int count = 0;
  for (int k = p->start[j]; k < p->start[j + 1]; k++) {
    if (p->column[k] != j) list[count++] = p->column[k];
  }
  return count;
}

/* Computes for each entry k = (i, j) of a symmetric sparsity pattern the index mirror[k] of the transposed entry (j, i). Returns
 * CMB_ERROR_INPUT if the pattern is not symmetric. next (rows) is scratch. */
static cmb_status match(cmb_context *ctx, const cmb_pattern *p, int *next, int *mirror)
{
  if (p->rows != p->columns) {
    return cmb_fail(ctx, CMB_ERROR_INPUT, "a symmetric pattern cannot have %d rows and %d columns",
                    p->rows, p->columns);
  }
  for (int i = 0; i < p->rows; i++) next[i] = p->start[i];
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int j = p->column[k], other = next[j]++;
      int partner = other < p->start[j + 1] ? p->column[other] : p->columns;
      if (partner != i) { /* the smaller one is missing in the other row */
        int there = partner < i ? j : i, missing = partner < i ? partner : j;
        return cmb_fail(ctx, CMB_ERROR_INPUT,
                        "the pattern is not symmetric: it has (%d, %d) but not (%d, %d)", there,
                        missing, missing, there);
      }
      mirror[k] = other;
    }
  }
  return CMB_OK;
}

/* Computes diagonal[j], whether the diagonal entry of column j of a symmetric pattern is stored; and in *task the cost of listing all
 * neighbours and a lower bound of the number of groups. */
static void inspect(const cmb_pattern *p, bool *diagonal, cmb_colour_task *task)
{
  int distinct = 0, rows = 0; /* entries of one triangle, rows that are not empty */
  for (int i = 0; i < p->rows; i++) {
    diagonal[i] = false;
    rows += p->start[i + 1] > p->start[i];
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      distinct += p->column[k] >= i;
      if (p->column[k] == i) diagonal[i] = true;
    }
  }
  task->visits = p->start[p->rows];
  task->least = rows > 0 ? (distinct + rows - 1) / rows : 1;
}

/* Computes a star colouring of the columns of a symmetric pattern: starts from groups of columns that share no row, and reduces their
 * number. group[j] becomes the group of column j, *groups their number. Returns CMB_ERROR_INPUT if the pattern is not symmetric. */
static cmb_status search(cmb_context *ctx, cmb_arena *arena, const cmb_pattern *p, int *group,
                         int *groups)
{
  const int entries = p->start[p->rows];
  struct star s = {.p = p};
  int *mirror = cmb_arena_ints(arena, entries);
  s.diagonal = cmb_arena_take(arena, (size_t)p->columns, sizeof *s.diagonal);
  s.item = cmb_arena_take(arena, (size_t)entries, sizeof *s.item);
  s.items = cmb_arena_ints(arena, p->rows);
  s.mark = cmb_arena_ints(arena, p->rows > p->columns ? p->rows : p->columns);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  CMB_TRY(match(ctx, p, s.mark, mirror));
  CMB_TRY(cmb_colour_columns(ctx, p, group, groups)); /* the colouring to be improved */
  cmb_colour_task task = {
      .columns = p->columns, .self = &s, .neighbours = neighbours, .first_fit = first_fit};
  inspect(p, s.diagonal, &task);
  if (*groups <= task.least) return CMB_OK;
  return cmb_colour_search(ctx, &task, group, groups);
}

cmb_status cmb_colour_symmetric(cmb_context *ctx, const cmb_pattern *p, int *group, int *groups)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = search(ctx, arena, p, group, groups);
  cmb_arena_destroy(arena);
  return status;
}

/* Computes alone[k] for each entry k = (i, j) of a sparsity pattern: whether no other entry of row i is in a column of the same group.
 * group[j] is the group of column j; last (groups) is scratch. */
static void find_alone(const cmb_pattern *p, const int *group, int groups, int *last, bool *alone)
{
  for (int g = 0; g < groups; g++) last[g] = -1;
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int g = group[p->column[k]];
      alone[k] = last[g] < p->start[i]; /* this row has had no column of the group so far */
      if (!alone[k]) alone[last[g]] = false;
      last[g] = k;
    }
  }
}

/* Computes for each entry k = (i, j) of a symmetric matrix the row and group place[k] at which its value can be read in the compressed
 * product, whose columns are the sums of the columns of each group: row i and the group of j, or row j and the group of i. Returns
 * CMB_ERROR_INPUT if an entry can be read at neither. */
static cmb_status recover(cmb_context *ctx, cmb_arena *arena, const cmb_pattern *p,
                          const int *group, int groups, cmb_colour_place *place)
{
  const int entries = p->start[p->rows];
  int *mirror = cmb_arena_ints(arena, entries);
  int *next = cmb_arena_ints(arena, p->rows), *last = cmb_arena_ints(arena, groups);
  bool *alone = cmb_arena_take(arena, (size_t)entries, sizeof *alone);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  CMB_TRY(match(ctx, p, next, mirror));
  find_alone(p, group, groups, last, alone);
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      int j = p->column[k];
      if (!alone[k] && !alone[mirror[k]]) {
        return cmb_fail(ctx, CMB_ERROR_INPUT,
                        "entry (%d, %d) cannot be computed from these %d groups of columns", i, j,
                        groups);
      }
      place[k] = alone[k] ? (cmb_colour_place){i, group[j]} : (cmb_colour_place){j, group[i]};
    }
  }
  return CMB_OK;
}

cmb_status cmb_colour_recovery(cmb_context *ctx, const cmb_pattern *p, const int *group, int groups,
                               cmb_colour_place *place)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_status status = recover(ctx, arena, p, group, groups, place);
  cmb_arena_destroy(arena);
  return status;
}
