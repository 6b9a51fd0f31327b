/*
 * The search for few groups, common to all colourings: first-fit passes over the columns in several
 * orders, and the best result taken. What a valid group is, only the pass knows.
 */
#ifndef CMB_MATH_COLOUR_SEARCH_H
#define CMB_MATH_COLOUR_SEARCH_H

#include "base/arena.h"

#include <camber/base.h>

typedef struct cmb_colour_task {
  int columns;
  int least;     /* no colouring has fewer groups */
  double visits; /* entries looked at to find the neighbours of all columns once */
  void *self;    /* what the two functions work on */

  /* The columns that cannot simply share a group with column j, without j and each once; how many. */
  int (*neighbours)(void *self, int j, int *list);

  /* First fit: the columns in this order, each into the first group it may enter. Returns the number of
   * groups, or limit + 1 as soon as more than `limit` are needed. Adds the entries it looked at, about, to
   * *visits: they bound the number of passes. */
  int (*first_fit)(void *self, const int *order, int limit, int *group, double *visits);
} cmb_colour_task;

/* Memory of a search: a few ints a column, left to the arena on failure. */
typedef struct cmb_colour_memory {
  int *degree, *order, *list, *trial;
  int *first, *next, *previous, *key;
} cmb_colour_memory;

void cmb_colour_memory_take(cmb_arena *arena, int columns, cmb_colour_memory *memory);

/* Improve the valid colouring group (columns), *groups; in memory for as many columns or more, or in memory of its own. */
void cmb_colour_search_in(const cmb_colour_memory *memory, const cmb_colour_task *task, int *group,
                          int *groups);
cmb_status cmb_colour_search(cmb_context *ctx, const cmb_colour_task *task, int *group,
                             int *groups);

#endif
