/*
 * Groups of columns for compressed derivatives: if S is the 0/1 matrix with S(j,g) = 1 where column j is in group g, the product A S has as
 * many columns as there are groups, and all entries of the sparse matrix A can be read from it. Each group costs one product with A, that
 * is, one finite difference or one directional derivative.
 *
 * cmb_colour_columns is for set-up: it allocates scratch memory from the context and frees it. Its only error is CMB_ERROR_MEMORY.
 */
#ifndef CMB_MATH_COLOUR_H
#define CMB_MATH_COLOUR_H

#include "base/arena.h"

#include <camber/base.h>
#include <camber/math.h>

/* Divides the columns of a pattern into few groups, in none of which two columns have an entry in the same row: entry (i, j) of A is
 * entry (i, group[j]) of A S. group[j] is in 0 .. *groups-1, each of which is used; there are 0 groups if there are no columns. The
 * number of groups is at least that of the entries of the longest row, where the search ends. On failure the outputs must not be used. */
cmb_status cmb_colour_columns(cmb_context *ctx, const cmb_pattern *p, int *group, int *groups);

/* Does the same as cmb_colour_columns, but without allocation, so that it can be used while stepping. cmb_colour_room_create takes its
 * memory, for patterns of up to that many columns and entries, from `arena`; it returns NULL if the arena has failed. */
typedef struct cmb_colour_room cmb_colour_room;
cmb_colour_room *cmb_colour_room_create(cmb_arena *arena, int columns, int entries);
void cmb_colour_columns_in(cmb_colour_room *room, const cmb_pattern *p, int *group, int *groups);

#endif
