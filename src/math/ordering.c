/*
 * Minimum degree ordering on a quotient graph (ordering.h).
 *
 * An unknown i has as neighbours unknowns A_i and sets of eliminated unknowns E_i; the set of an eliminated p is L_p, the unknowns that were
 * its neighbours. Eliminating p:
 *
 *     L_p = A_p ∪ ⋃ L_e over e in E_p;    for i in L_p:   A_i := A_i \ (L_p ∪ p),   E_i := (E_i \ E_p) ∪ p
 *
 * A_i and E_i share one array: together they never have more members than i had neighbours at first.
 */
#include "math/ordering.h"

#include <string.h>

struct ordering {
  const cmb_pattern *pattern;
  int n, first_waiting;
  int *adjacent;         /* E_i, then A_i, at pattern->start[i] */
  int *sets, *unknowns;  /* (n) numbers of members of E_i and A_i */
  int **column, *count;  /* (n) members of L_p, and their number */
  bool *done, *absorbed; /* (n) eliminated; its set is contained in another one */
  int *waiting;          /* (n) neighbours that have to be eliminated before this unknown */
  int *mark, stamp;      /* (n) members of the set under construction are marked with this stamp */
  int *head, least;      /* (n) first unknown of each degree; no degree in use is below `least` */
  int *next, *before;    /* (n) neighbours in the list of that degree; -1: none */
  int *degree;           /* (n) -1: in no list */
};

/* ---- degree lists */

/* Inserts unknown i into the doubly linked list of the unknowns with `degree` neighbours. */
static void list_insert(struct ordering *o, int i, int degree)
{
  o->degree[i] = degree;
  o->before[i] = -1;
  o->next[i] = o->head[degree];
  if (o->next[i] >= 0) o->before[o->next[i]] = i;
  o->head[degree] = i;
  if (degree < o->least) o->least = degree;
}

/* Removes unknown i from its doubly linked list, that of the unknowns with the same number of neighbours, if it is in one. */
static void list_remove(struct ordering *o, int i)
{
  if (o->degree[i] < 0) return;
  if (o->before[i] >= 0) o->next[o->before[i]] = o->next[i];
  if (o->before[i] < 0) o->head[o->degree[i]] = o->next[i];
  if (o->next[i] >= 0) o->before[o->next[i]] = o->before[i];
  o->degree[i] = -1;
}

/* ---- the graph */

/* Allocates the arrays for the elimination order from the arena; returns false if out of memory. */
static bool take_arrays(struct ordering *o, cmb_arena *arena)
{
  const int n = o->n;
  int **const arrays[] = {&o->sets, &o->unknowns, &o->waiting, &o->mark,
                          &o->head, &o->next,     &o->before,  &o->degree};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) *arrays[k] = cmb_arena_ints(arena, n);
  o->adjacent = cmb_arena_ints(arena, o->pattern->start[n]);
  o->done = cmb_arena_take(arena, (size_t)n, sizeof *o->done);
  o->absorbed = cmb_arena_take(arena, (size_t)n, sizeof *o->absorbed);
  return !cmb_arena_failed(arena);
}

/* Initialises the elimination graph with the sparsity pattern, and inserts all unknowns that may be eliminated at once, without waiting for
 * a neighbour that has to be eliminated before, into the lists by degree. */
static void initialise(struct ordering *o)
{
  const cmb_pattern *p = o->pattern;
  for (int i = 0; i < o->n; i++) o->head[i] = o->degree[i] = -1;
  o->least = o->n;
  for (int i = 0; i < o->n; i++) {
    int *to = o->adjacent + p->start[i];
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      const int j = p->column[k];
      if (j == i) continue;
      to[o->unknowns[i]++] = j;
      o->waiting[i] += i >= o->first_waiting && j < o->first_waiting;
    }
    if (o->waiting[i] == 0) list_insert(o, i, o->unknowns[i]);
  }
}

/* Appends the unknowns of list[count] that are neither eliminated nor marked to `out`, unless that is NULL, and marks them. Returns the
 * number of these unknowns. */
static int append_unmarked(struct ordering *o, int count, const int *list, int *out)
{
  int added = 0;
  for (int k = 0; k < count; k++) {
    const int j = list[k];
    if (o->done[j] || o->mark[j] == o->stamp) continue;
    o->mark[j] = o->stamp;
    if (out) out[added] = j;
    added++;
  }
  return added;
}

/* Lists the neighbours of unknown i in the elimination graph in `out`, unless that is NULL, and marks them and i with a new stamp. Returns
 * the number of neighbours. */
static int neighbours(struct ordering *o, int i, int *out)
{
  const int *adjacent = o->adjacent + o->pattern->start[i];
  int count = 0;
  o->stamp++;
  o->mark[i] = o->stamp;
  for (int k = 0; k < o->sets[i]; k++) {
    count +=
        append_unmarked(o, o->count[adjacent[k]], o->column[adjacent[k]], out ? out + count : NULL);
  }
  return count +
         append_unmarked(o, o->unknowns[i], adjacent + o->sets[i], out ? out + count : NULL);
}

/* Updates the adjacency of unknown i in the quotient graph after the elimination of its neighbour p: adds p to its list E_i of eliminated
 * unknowns, in place of those absorbed by p, and removes p and the neighbours of p from its list A_i of other unknowns. The neighbours of p
 * must be marked. */
static void update_adjacency(struct ordering *o, int i, int p)
{
  int *adjacent = o->adjacent + o->pattern->start[i], sets = 0, all;
  for (int k = 0; k < o->sets[i]; k++) {
    if (!o->absorbed[adjacent[k]]) adjacent[sets++] = adjacent[k];
  }
  all = sets;
  for (int k = o->sets[i]; k < o->sets[i] + o->unknowns[i]; k++) {
    if (adjacent[k] != p && o->mark[adjacent[k]] != o->stamp) adjacent[all++] = adjacent[k];
  }
  adjacent[all] = adjacent[sets];
  adjacent[sets] = p;
  o->unknowns[i] = all - sets;
  o->sets[i] = sets + 1;
}

/* Eliminates unknown p from the quotient graph: lists its neighbours in o->column[p], updates their adjacency, and the degrees of those
 * that need not wait for another unknown. Returns false if out of memory. */
static bool eliminate(struct ordering *o, cmb_arena *arena, int p)
{
  const int *adjacent = o->adjacent + o->pattern->start[p];
  list_remove(o, p);
  o->count[p] = neighbours(o, p, NULL);
  o->column[p] = cmb_arena_ints(arena, o->count[p]);
  if (!o->column[p]) return false;
  neighbours(o, p, o->column[p]);
  o->done[p] = true;
  for (int k = 0; k < o->sets[p]; k++) o->absorbed[adjacent[k]] = true;
  for (int k = 0; k < o->count[p]; k++) update_adjacency(o, o->column[p][k], p);
  for (int k = o->pattern->start[p]; k < o->pattern->start[p + 1] && p < o->first_waiting; k++) {
    const int j = o->pattern->column[k];
    o->waiting[j] -= j >= o->first_waiting;
  }
  for (int k = 0; k < o->count[p]; k++) {
    const int i = o->column[p][k];
    if (o->waiting[i] > 0) continue;
    list_remove(o, i);
    list_insert(o, i, neighbours(o, i, NULL));
  }
  return true;
}

bool cmb_minimum_degree(cmb_arena *arena, const cmb_pattern *pattern, int first_waiting, int *order,
                        int **column, int *count)
{
  struct ordering o = {.pattern = pattern,
                       .n = pattern->rows,
                       .first_waiting = first_waiting,
                       .column = column,
                       .count = count};
  if (!take_arrays(&o, arena)) return false;
  memset(count, 0, (size_t)o.n * sizeof *count);
  initialise(&o);
  for (int k = 0; k < o.n; k++) {
    while (o.head[o.least] < 0) o.least++;
    order[k] = o.head[o.least];
    if (!eliminate(&o, arena, order[k])) return false;
  }
  return true;
}
