/*
 * The data of tables (functions given by points, with derivatives) and their evaluation, for use inside of the library;
 * include/camber/expr.h contains the functions that create tables.
 */
#ifndef CMB_EXPR_TABLE_H
#define CMB_EXPR_TABLE_H

#include "base/arena.h"

#include <camber/expr.h>

struct cmb_table {
  cmb_arena *arena;
  cmb_table_kind kind;
  /* ny = 0: 1-D; waves: both are their number, a multiple of CMB_WAVE_BLOCK; a foot: both are the number of points */
  int nx, ny;
  double *x, *y;      /* (nx), (ny) */
  double *c;          /* (cmb_table_coefficients) see table_code.h and foot_code.h */
  cmb_table *line[2]; /* of a foot (foot.h): the coordinates X(u) and Y(u) of the line; else NULL */
};

/* Returns the derivative of a given order (0: the value) of a 1-D table at x. */
double cmb_table_value(const cmb_table *table, int order, double x);

/* Returns this derivative of the cubic of one interval, also for x outside of it; beyond the table's ends the cubics there are continued by
 * their tangents. */
double cmb_table_value_in(const cmb_table *table, int order, int interval, double x);

/* Returns the number of the interval that a mode (a number that fixes the interval) selects: its integer part or the nearest valid number; 0
 * for NaN. */
int cmb_table_piece(const cmb_table *table, double mode);

/* Return the number of the interval that contains x (beyond the ends the first or the last one), and the margin: how far x is inside of an
 * interval (negative outside). */
int cmb_table_interval(const cmb_table *table, double x);
double cmb_table_margin(const cmb_table *table, int interval, double x);

/* Returns the number of coefficients in table->c. */
int cmb_table_coefficients(const cmb_table *table);

/* Returns the derivative of order dx in x and dy in y of a 2-D table; of a foot (foot.h) u for dx = 0, v for dx = 1. */
double cmb_table2_value(const cmb_table *table, int dx, int dy, double x, double y);

/* Returns the derivative of order dx in x and dy in y of a sum of waves (waves.c). */
double cmb_waves_value(const cmb_table *table, int dx, int dy, double x, double y);

/* Allocates a table whose arrays x, y and c are zeros; returns NULL if out of memory. */
cmb_table *cmb_table_take(cmb_context *ctx, cmb_table_kind kind, int nx, int ny);

/* Returns whether the table's slope can be discontinuous: it is linear and has more than two points. */
bool cmb_table_has_kinks(const cmb_table *table);

#endif
