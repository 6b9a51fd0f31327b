/*
 * Tables: functions given by points, with derivatives. Private to the layer; include/camber/expr.h has how they are made.
 */
#ifndef CMB_EXPR_TABLE_H
#define CMB_EXPR_TABLE_H

#include "base/arena.h"

#include <camber/expr.h>

struct cmb_table {
  cmb_arena *arena;
  cmb_table_kind kind;
  int nx, ny;         /* ny = 0: 1-D; waves: both are their number, a multiple of CMB_WAVE_BLOCK;
                    a foot: both are the number of points */
  double *x, *y;      /* (nx), (ny) */
  double *c;          /* (cmb_table_coefficients) see table_code.h and foot_code.h */
  cmb_table *line[2]; /* of a foot (foot.h): the line it is on, X(u) and Y(u); else NULL */
};

/* The derivative of a given order (0: the value) of a 1-D table. */
double cmb_table_value(const cmb_table *table, int order, double x);

/* The same with the polynomial of interval `interval`, wherever x lies. */
double cmb_table_value_in(const cmb_table *table, int order, int interval, double x);

/* A mode as the number of an interval; what is none becomes the nearest one, NaN 0. */
int cmb_table_piece(const cmb_table *table, double mode);

/* The interval that x lies in, and how far x is inside it: negative outside. */
int cmb_table_interval(const cmb_table *table, double x);
double cmb_table_margin(const cmb_table *table, int interval, double x);

/* How many numbers c holds. */
int cmb_table_coefficients(const cmb_table *table);

/* Derivative of order dx in x and dy in y of a 2-D table. */
double cmb_table2_value(const cmb_table *table, int dx, int dy, double x, double y);

/* The same of a sum of waves (waves.c). */
double cmb_waves_value(const cmb_table *table, int dx, int dy, double x, double y);

/* A table without anything in its arrays; NULL without memory. */
cmb_table *cmb_table_take(cmb_context *ctx, cmb_table_kind kind, int nx, int ny);

bool cmb_table_has_kinks(const cmb_table *table);

#endif
