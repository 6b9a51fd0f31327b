/*
 * The assignment problem: pairs of rows and columns with the least sum of costs.
 */
#ifndef CMB_CLI_ASSIGNMENT_H
#define CMB_CLI_ASSIGNMENT_H

#include <stdbool.h>

/* Assigns a different column to each row such that the sum of their costs is least; column (rows) receives the indices, cost is (rows
 * x columns). Needs rows <= columns and finite costs. Returns false if memory runs out. */
bool cli_assign(int rows, int columns, const double *cost, int *column);

#endif
