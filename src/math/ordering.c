/*
 * Minimum degree on a quotient graph (ordering.h).
 *
 * An unknown i has unknowns A_i and sets of eliminated ones E_i as neighbours; the set of an eliminated p is L_p, the unknowns
 * that were its neighbours. Eliminating p:
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
  int *near;             /* E_i, then A_i, at pattern->start[i] */
  int *sets, *unknowns;  /* (n) how many of them */
  int **column, *count;  /* (n) L_p */
  bool *done, *absorbed; /* (n) eliminated; its set is part of another one */
  int *waiting;          /* (n) neighbours to be eliminated before this one */
  int *mark, stamp;      /* (n) members of the set under construction have this stamp */
  int *head, least;      /* (n) unknowns of equal degree, the first; no degree below `least` */
  int *next, *before;    /* (n) the others; -1: none */
  int *degree;           /* (n) -1: in no list */
};

/* ---- lists of equal degree */

static void enlist(struct ordering *o, int i, int degree)
{
  o->degree[i] = degree;
  o->before[i] = -1;
  o->next[i] = o->head[degree];
  if (o->next[i] >= 0) o->before[o->next[i]] = i;
  o->head[degree] = i;
  if (degree < o->least) o->least = degree;
}

static void strike(struct ordering *o, int i)
{
  if (o->degree[i] < 0) return;
  if (o->before[i] >= 0) o->next[o->before[i]] = o->next[i];
  if (o->before[i] < 0) o->head[o->degree[i]] = o->next[i];
  if (o->next[i] >= 0) o->before[o->next[i]] = o->before[i];
  o->degree[i] = -1;
}

/* ---- the graph */

static bool take(struct ordering *o, cmb_arena *arena)
{
  const int n = o->n;
  int **const arrays[] = {&o->sets, &o->unknowns, &o->waiting, &o->mark,
                          &o->head, &o->next,     &o->before,  &o->degree};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) *arrays[k] = cmb_arena_ints(arena, n);
  o->near = cmb_arena_ints(arena, o->pattern->start[n]);
  o->done = cmb_arena_take(arena, (size_t)n, sizeof *o->done);
  o->absorbed = cmb_arena_take(arena, (size_t)n, sizeof *o->absorbed);
  return !cmb_arena_failed(arena);
}

static void fill(struct ordering *o)
{
  const cmb_pattern *p = o->pattern;
  for (int i = 0; i < o->n; i++) o->head[i] = o->degree[i] = -1;
  o->least = o->n;
  for (int i = 0; i < o->n; i++) {
    int *to = o->near + p->start[i];
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      const int j = p->column[k];
      if (j == i) continue;
      to[o->unknowns[i]++] = j;
      o->waiting[i] += i >= o->first_waiting && j < o->first_waiting;
    }
    if (o->waiting[i] == 0) enlist(o, i, o->unknowns[i]);
  }
}

/* Add the members of a list that are neither eliminated nor marked, to `out` if that is given; returns how many. */
static int add(struct ordering *o, int count, const int *list, int *out)
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

/* The neighbours of i, to `out` if that is given; returns how many. */
static int neighbours(struct ordering *o, int i, int *out)
{
  const int *near = o->near + o->pattern->start[i];
  int count = 0;
  o->stamp++;
  o->mark[i] = o->stamp;
  for (int k = 0; k < o->sets[i]; k++) {
    count += add(o, o->count[near[k]], o->column[near[k]], out ? out + count : NULL);
  }
  return count + add(o, o->unknowns[i], near + o->sets[i], out ? out + count : NULL);
}

/* E_i and A_i after p has been eliminated, while L_p is marked. There is room for p: it was in A_i, or a set of E_p in E_i. */
static void renew(struct ordering *o, int i, int p)
{
  int *near = o->near + o->pattern->start[i], sets = 0, all;
  for (int k = 0; k < o->sets[i]; k++) {
    if (!o->absorbed[near[k]]) near[sets++] = near[k];
  }
  all = sets;
  for (int k = o->sets[i]; k < o->sets[i] + o->unknowns[i]; k++) {
    if (near[k] != p && o->mark[near[k]] != o->stamp) near[all++] = near[k];
  }
  near[all] = near[sets];
  near[sets] = p;
  o->unknowns[i] = all - sets;
  o->sets[i] = sets + 1;
}

static bool eliminate(struct ordering *o, cmb_arena *arena, int p)
{
  const int *near = o->near + o->pattern->start[p];
  strike(o, p);
  o->count[p] = neighbours(o, p, NULL);
  o->column[p] = cmb_arena_ints(arena, o->count[p]);
  if (!o->column[p]) return false;
  neighbours(o, p, o->column[p]);
  o->done[p] = true;
  for (int k = 0; k < o->sets[p]; k++) o->absorbed[near[k]] = true;
  for (int k = 0; k < o->count[p]; k++) renew(o, o->column[p][k], p);
  for (int k = o->pattern->start[p]; k < o->pattern->start[p + 1] && p < o->first_waiting; k++) {
    const int j = o->pattern->column[k];
    o->waiting[j] -= j >= o->first_waiting;
  }
  for (int k = 0; k < o->count[p]; k++) {
    const int i = o->column[p][k];
    if (o->waiting[i] > 0) continue;
    strike(o, i);
    enlist(o, i, neighbours(o, i, NULL));
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
  if (!take(&o, arena)) return false;
  memset(count, 0, (size_t)o.n * sizeof *count);
  fill(&o);
  for (int k = 0; k < o.n; k++) {
    while (o.head[o.least] < 0) o.least++;
    order[k] = o.head[o.least];
    if (!eliminate(&o, arena, order[k])) return false;
  }
  return true;
}
