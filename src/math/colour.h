/*
 * Groups of columns for compressed derivatives: the product A S with the 0/1 matrix S, S(j,g) = 1 if
 * column j is in group g, has as many columns as there are groups, and all entries of A can be read off
 * it. One product with A (one difference, one directional derivative) is spent a group.
 *
 * All of this but cmb_colour_columns_in is for set-up: it takes scratch memory from the context and gives it back. Fatal statuses
 * only: CMB_ERROR_MEMORY, and CMB_ERROR_INPUT for a pattern that should be symmetric and is not.
 */
#ifndef CMB_MATH_COLOUR_H
#define CMB_MATH_COLOUR_H

#include "base/arena.h"

#include <camber/base.h>
#include <camber/math.h>

/* Groups in which no two columns have an entry in the same row: entry (i, j) stands at row i, group[j] of A S.
 * group[j] in 0 .. *groups-1, all of them used; 0 groups without columns. Never fewer than the longest row
 * has entries, and the search ends when that is reached. On failure the outputs are not to be used. */
cmb_status cmb_colour_columns(cmb_context *ctx, const cmb_pattern *p, int *group, int *groups);

/* The same while stepping, when nothing is allocated: in room for patterns of that many columns and entries or fewer. A failure of the
 * room is left to the arena. */
typedef struct cmb_colour_room cmb_colour_room;
cmb_colour_room *cmb_colour_room_create(cmb_arena *arena, int columns, int entries);
void cmb_colour_columns_in(cmb_colour_room *room, const cmb_pattern *p, int *group, int *groups);

/* The same for a symmetric matrix, whose entry (i, j) may as well be read as (j, i): fewer groups, at most
 * as many as cmb_colour_columns takes. The pattern has both triangles. */
cmb_status cmb_colour_symmetric(cmb_context *ctx, const cmb_pattern *p, int *group, int *groups);

/* Where an entry of a symmetric matrix stands in the compressed product. */
typedef struct cmb_colour_place {
  int row, group;
} cmb_colour_place;

/* For each stored entry k = (i, j) of a symmetric pattern: row i and group[j], or row j and group[i].
 * CMB_ERROR_INPUT if some entry cannot be read off at all: no group of cmb_colour_symmetric's. */
cmb_status cmb_colour_recovery(cmb_context *ctx, const cmb_pattern *p, const int *group, int groups,
                               cmb_colour_place *place);

#endif
