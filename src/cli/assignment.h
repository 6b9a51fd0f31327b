/*
 * Couples of rows and columns with the least sum of costs.
 */
#ifndef CMB_CLI_ASSIGNMENT_H
#define CMB_CLI_ASSIGNMENT_H

#include <stdbool.h>

/* column (rows): each row's own, such that the sum of cost (rows x columns) is least; rows <= columns, costs are finite. False: no memory. */
bool cli_assign(int rows, int columns, const double *cost, int *column);

#endif
