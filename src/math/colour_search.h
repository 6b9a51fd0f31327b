/*
 * Searches for a colouring with few groups, for columns of any kind of matrix: first-fit passes over the columns in several orders, of which
 * the best result is kept. The caller's callbacks define which columns may be in the same group.
 */
#ifndef CMB_MATH_COLOUR_SEARCH_H
#define CMB_MATH_COLOUR_SEARCH_H

#include "base/arena.h"

#include <camber/base.h>

typedef struct cmb_colour_task {
  int columns;
  int least;     /* lower bound: no colouring has fewer groups */
  double visits; /* entries examined to find the neighbours of all columns once */
  void *self;    /* passed to the two callbacks */

  /* Writes the columns that in general cannot be in the same group as column j to `list`, each once and without j; returns their number. */
  int (*neighbours)(void *self, int j, int *list);

  /* First fit: assigns the columns, in the given order, each to the first group that may contain it. Returns the number of groups, or
   * limit + 1 as soon as more than `limit` are needed. Adds the approximate number of entries examined to *visits, which bounds the
   * number of passes. */
  int (*first_fit)(void *self, const int *order, int limit, int *group, double *visits);
} cmb_colour_task;

/* Memory of a search: 8 ints for each column. cmb_colour_memory_take takes it from the arena, whose failure the caller checks. */
typedef struct cmb_colour_memory {
  int *degree, *order, *list, *trial;
  int *first, *next, *previous, *key;
} cmb_colour_memory;

void cmb_colour_memory_take(cmb_arena *arena, int columns, cmb_colour_memory *memory);

/* Improves the valid colouring group (columns) with *groups groups, in place. `memory` must have been taken for as many columns or more. */
void cmb_colour_search(const cmb_colour_memory *memory, const cmb_colour_task *task, int *group,
                       int *groups);

#endif
