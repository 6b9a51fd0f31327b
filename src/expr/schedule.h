/*
 * The order of a program's operations for the interpreter over numbers.
 */
#ifndef CMB_EXPR_SCHEDULE_H
#define CMB_EXPR_SCHEDULE_H

#include "expr/graph.h"

/* Rearranges `order` (count), operations in ascending order, so that equal ones stand next to each other and each still
 * comes after those that it reads. The operations that these read are all among them. False without memory. */
bool cmb_schedule(const cmb_graph *g, int count, cmb_expr *order);

#endif
