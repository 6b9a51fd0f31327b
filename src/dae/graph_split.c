/*
 * ∂r/∂q and ∂r/∂v of a graph system as sums: the Jacobian of the applied forces, and the derivatives of the inertial forces, whose
 * entries the model gives (dyn/expressions.h). The pattern is the union of both.
 */
#include "base/context.h"
#include "dae/graph_data.h"

#include <limits.h>

/* Merge of the entries of both parts in the order of rows and columns. */
struct merge {
  const cmb_pattern *applied; /* NULL: empty */
  const cmb_entries *inertial;
  int row, k, m; /* next entries: k of this row in the applied part, m in the inertial part */
};

/* Finds the next entry, row by row, of the union of two sparsity patterns that w merges, and writes its row and column. Returns false after the
 * last one. */
static bool next_place(struct merge *w, int rows, int *row, int *column)
{
  const cmb_pattern *a = w->applied;
  while (a && w->row < rows && w->k == a->start[w->row + 1]) w->row++;
  const cmb_entry *e = w->m < w->inertial->count ? &w->inertial->entry[w->m] : NULL;
  int row_a = a && w->row < rows ? w->row : INT_MAX, row_e = e ? e->row : INT_MAX;
  *row = row_a < row_e ? row_a : row_e;
  if (*row == INT_MAX) return false;
  int column_a = row_a == *row ? a->column[w->k] : INT_MAX;
  int column_e = row_e == *row ? e->column : INT_MAX;
  *column = column_a < column_e ? column_a : column_e;
  return true;
}

static void merge_parts(struct merge *w, int rows, int *start, int *column, cmb_graph_split *s)
{
  int row, at, count = 0;
  while (next_place(w, rows, &row, &at)) {
    const cmb_pattern *a = w->applied;
    const cmb_entry *e = &w->inertial->entry[w->m];
    if (a && w->row == row && a->column[w->k] == at) s->applied[w->k++] = count;
    if (w->m < w->inertial->count && e->row == row && e->column == at) s->inertial[w->m++] = count;
    column[count++] = at;
    start[row + 1] = count;
  }
  for (int i = 0; i < rows; i++) {
    if (start[i + 1] == 0) start[i + 1] = start[i];
  }
}

cmb_status cmb_graph_split_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_derivative which,
                                cmb_graph_data *d)
{
  const bool by_q = which == CMB_RESIDUAL_Q;
  const int rows = p->x->nv;
  cmb_graph_split *s = &d->split[which];
  struct merge w = {.inertial = by_q ? &p->inertial_q : &p->inertial_v};
  if (d->jacobian[which]) w.applied = cmb_jacobian_pattern(d->jacobian[which]);
  s->program = by_q ? CMB_PROGRAM_INERTIAL_Q : CMB_PROGRAM_INERTIAL_V;
  s->applied_count = w.applied ? w.applied->start[rows] : 0;
  s->inertial_count = w.inertial->count;
  if (s->inertial_count == 0) return CMB_OK;
  s->applied = cmb_arena_ints(arena, s->applied_count);
  s->inertial = cmb_arena_ints(arena, s->inertial_count);
  int *start = cmb_arena_ints(arena, rows + 1);
  int *column = cmb_arena_ints(arena, s->applied_count + s->inertial_count);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(p->ctx);
  merge_parts(&w, rows, start, column, s);
  s->pattern = (cmb_pattern){rows, by_q ? p->x->nq : rows, start, column};
  if (s->applied_count == 0) s->inertial = NULL;
  return CMB_OK;
}

void cmb_graph_split_add(const cmb_graph_split *s, const double *inertial, double *J)
{
  int k = s->applied_count - 1;
  /* backwards, since indices only grow */
  for (int n = s->pattern.start[s->pattern.rows]; n-- > 0;) {
    bool there = k >= 0 && s->applied[k] == n;
    J[n] = there ? J[k--] : 0;
  }
  for (int m = 0; m < s->inertial_count; m++) J[s->inertial[m]] += inertial[m];
}
