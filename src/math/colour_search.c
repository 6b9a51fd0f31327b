/*
 * Searches for a colouring with few groups by repeated first fit (colour_search.h). First fit needs at most one group more than a column has
 * neighbours before it, so the order of the columns is decisive. These orders are tried:
 *
 *     natural            as numbered; a band is coloured with its width
 *     largest first      by falling degree, the number of neighbours (Welsh and Powell 1967)
 *     smallest last      the last one has the smallest degree in the graph, the one before it in the
 *                        rest, and so on (Matula 1968): no column has more neighbours before it than
 *                        the largest of these degrees
 *     incidence degree   next is a column with most neighbours among those before (Coleman and Moré 1983)
 *
 * Then follow passes over the groups found so far, all columns of a group in a row, with the groups reversed or shuffled (iterated greedy,
 * Culberson 1992): where two columns exclude each other independently of the others, this cannot increase the number of groups, and often
 * reduces it. Smallest last and incidence degree keep the columns in lists by degree, so that an order costs no more than examining all
 * neighbours once.
 *
 * The search is deterministic; the shuffle has a generator of its own. It ends when the lower bound is reached, when reversing and shuffling
 * have both brought no improvement, after ROUNDS rounds, or when VISITS entries have been examined (some tenths of a second).
 */
#include "math/colour_search.h"

#include "base/context.h"

#include <stdint.h>
#include <string.h>

enum { ROUNDS = 40, IDLE = 2 };
static const double VISITS = 5e7;

/* Columns in doubly linked lists, one for each key (here a degree) 0 .. columns-1. */
struct lists {
  int *first;           /* (columns) first column in the list of each key, -1: empty */
  int *next, *previous; /* (columns) neighbours in the list, -1: none */
  int *key;             /* (columns) key of each column, -1: in no list */
};

struct search {
  const cmb_colour_task *task;
  struct lists lists;
  int *degree;   /* (columns) number of neighbours of each column */
  int *order;    /* (columns) the columns in the order to be tried */
  int *list;     /* (columns) scratch: neighbours, or positions of groups */
  int *trial;    /* (columns) groups of the present pass */
  int *group;    /* (columns) the best groups so far */
  int groups;    /* their number */
  double visits; /* entries examined so far */
  uint32_t shuffle;
};

/* ---- lists */

static void lists_empty(struct lists *l, int columns)
{
  for (int j = 0; j < columns; j++) l->first[j] = l->key[j] = -1;
}

static void lists_add(struct lists *l, int j, int key)
{
  int second = l->first[key];
  l->key[j] = key;
  l->next[j] = second;
  l->previous[j] = -1;
  if (second >= 0) l->previous[second] = j;
  l->first[key] = j;
}

static void lists_remove(struct lists *l, int j)
{
  int before = l->previous[j], after = l->next[j];
  if (before >= 0) {
    l->next[before] = after;
  } else {
    l->first[l->key[j]] = after;
  }
  if (after >= 0) l->previous[after] = before;
  l->key[j] = -1;
}

/* ---- orders */

static void natural(struct search *s)
{
  for (int j = 0; j < s->task->columns; j++) s->order[j] = j;
}

/* Orders the columns by decreasing degree, the number of columns with which they must not share a group; columns of equal degree are in the
 * order of their numbers. */
static void largest_first(struct search *s)
{
  const int columns = s->task->columns;
  int *place = s->list;
  for (int d = 0; d < columns; d++) place[d] = 0;
  for (int j = 0; j < columns; j++) place[s->degree[j]]++;
  /* converts the number of columns of each degree to the position of the first */
  for (int d = columns - 1, at = 0; d >= 0; d--) {
    int size = place[d];
    place[d] = at;
    at += size;
  }
  for (int j = 0; j < columns; j++) s->order[place[s->degree[j]]++] = j;
}

/* Orders the columns to be coloured by the smallest-last rule, in s->order: the last column has the smallest degree in the graph whose edges
 * join columns that must not be in one group, the one before it the smallest degree in the graph without the last, and so on. */
static void smallest_last(struct search *s)
{
  const cmb_colour_task *task = s->task;
  struct lists *l = &s->lists;
  lists_empty(l, task->columns);
  for (int j = 0; j < task->columns; j++) lists_add(l, j, s->degree[j]);
  for (int k = task->columns - 1, d = 0; k >= 0; k--) {
    while (l->first[d] < 0) d++;
    int j = s->order[k] = l->first[d];
    lists_remove(l, j);
    int count = task->neighbours(task->self, j, s->list);
    for (int m = 0; m < count; m++) {
      int key = l->key[s->list[m]];
      if (key < 0) continue;
      lists_remove(l, s->list[m]);
      lists_add(l, s->list[m], key - 1);
    }
    if (d > 0) d--; /* no degree has fallen by more than one */
  }
}

/* Orders the vertices of the column graph (an edge: two columns must not share a group) such that each has as many neighbours as possible
 * among those before it (incidence-degree order). The first has the largest degree. */
static void incidence_degree(struct search *s)
{
  const cmb_colour_task *task = s->task;
  struct lists *l = &s->lists;
  lists_empty(l, task->columns);
  largest_first(s);
  for (int k = task->columns - 1; k >= 0; k--) lists_add(l, s->order[k], 0);
  for (int k = 0, d = 0; k < task->columns; k++) {
    while (l->first[d] < 0) d--;
    int j = s->order[k] = l->first[d];
    lists_remove(l, j);
    int count = task->neighbours(task->self, j, s->list);
    for (int m = 0; m < count; m++) {
      int key = l->key[s->list[m]];
      if (key < 0) continue;
      lists_remove(l, s->list[m]);
      lists_add(l, s->list[m], key + 1);
      if (key + 1 > d) d = key + 1;
    }
  }
}

/* Orders the columns group by group of the best colouring so far, with the groups in reverse order (even rounds) or shuffled (odd
 * rounds). */
static void order_by_groups(struct search *s, int round)
{
  const int columns = s->task->columns;
  int *sequence = s->list, *first = s->lists.first, *next = s->lists.next;
  for (int g = 0; g < s->groups; g++) {
    sequence[g] = s->groups - 1 - g;
    first[g] = -1;
  }
  for (int g = s->groups - 1; round % 2 == 1 && g > 0; g--) {
    s->shuffle = s->shuffle * 1664525u + 1013904223u; /* Numerical Recipes §7.1 */
    int other = (int)((s->shuffle >> 8) % (uint32_t)(g + 1)), kept = sequence[g];
    sequence[g] = sequence[other];
    sequence[other] = kept;
  }
  for (int j = columns - 1; j >= 0; j--) { /* links the columns of each group into a list */
    next[j] = first[s->group[j]];
    first[s->group[j]] = j;
  }
  for (int g = 0, k = 0; g < s->groups; g++) {
    for (int j = first[sequence[g]]; j >= 0; j = next[j]) s->order[k++] = j;
  }
}

/* ---- the search */

/* Colours the columns greedily in the order s->order, and keeps the colouring as the best one if it has at most `limit` groups. */
static void try_order(struct search *s, int limit)
{
  const cmb_colour_task *task = s->task;
  int groups = task->first_fit(task->self, s->order, limit, s->trial, &s->visits);
  if (groups > limit) return;
  memcpy(s->group, s->trial, (size_t)task->columns * sizeof *s->group);
  s->groups = groups;
}

/* Returns whether the search for a colouring can end: the number of groups has reached its lower bound, or too many matrix entries have
 * been examined. */
static bool done(const struct search *s)
{
  return s->groups <= s->task->least || s->visits > VISITS;
}

/* Searches for a colouring with few groups: colours the columns greedily in several orders, and then in orders by the groups of the best
 * colouring, until that brings no improvement or a limit on the work is reached. Keeps the best colouring in s->group and s->groups. */
static void run(struct search *s)
{
  static void (*const ordering[])(struct search *) = {natural, largest_first, smallest_last,
                                                      incidence_degree};
  const cmb_colour_task *task = s->task;
  natural(s);
  try_order(s, s->groups - 1);
  if (done(s)) return;
  for (int j = 0; j < task->columns; j++) {
    s->degree[j] = task->neighbours(task->self, j, s->list);
  }
  s->visits += task->visits;
  for (size_t k = 1; k < sizeof ordering / sizeof *ordering && !done(s); k++) {
    ordering[k](s);
    s->visits += task->visits;
    try_order(s, s->groups - 1);
  }
  for (int round = 0, idle = 0; round < ROUNDS && idle < IDLE && !done(s); round++) {
    const int before = s->groups;
    order_by_groups(s, round);
    try_order(s, s->groups);
    idle = s->groups < before ? 0 : idle + 1;
  }
}

void cmb_colour_memory_take(cmb_arena *arena, int columns, cmb_colour_memory *m)
{
  int **array[] = {&m->degree, &m->order, &m->list,     &m->trial,
                   &m->first,  &m->next,  &m->previous, &m->key};
  for (size_t k = 0; k < sizeof array / sizeof *array; k++) {
    *array[k] = cmb_arena_ints(arena, columns);
  }
}

void cmb_colour_search(const cmb_colour_memory *m, const cmb_colour_task *task, int *group,
                       int *groups)
{
  struct search s = {.task = task,
                     .lists = {m->first, m->next, m->previous, m->key},
                     .degree = m->degree,
                     .order = m->order,
                     .list = m->list,
                     .trial = m->trial,
                     .groups = *groups};
  s.group = group;
  run(&s);
  *groups = s.groups;
}
