/*
 * The assignment problem: pairs of rows and columns with the least sum of costs. Used to match the eigenmodes of one parameter value to
 * those of the next.
 */
#ifndef CMB_CLI_ASSIGNMENT_H
#define CMB_CLI_ASSIGNMENT_H

#include <stdbool.h>

/* Solves the assignment problem: gives each row a column of its own such that the sum of the costs is least. cost is (rows x columns);
 * column[rows] receives the column index of each row. Requires rows <= columns and finite costs. Returns false if memory runs out. */
bool cli_assign(int rows, int columns, const double *cost, int *column);

#endif
