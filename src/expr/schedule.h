/*
 * Computes the order of a program's operations for the interpreter on numbers; used by program.c.
 */
#ifndef CMB_EXPR_SCHEDULE_H
#define CMB_EXPR_SCHEDULE_H

#include "expr/graph.h"

/* Rearranges order[count], operations in ascending order, so that operations of the same kind are adjacent where possible and each comes
 * after those whose results it reads. All operations that they read have to be in the list. Returns false if out of memory. */
bool cmb_schedule(const cmb_graph *g, int count, cmb_expr *order);

#endif
