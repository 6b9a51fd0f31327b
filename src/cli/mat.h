/*
 * MAT files of version 4, which MATLAB, Octave and scipy read: one matrix after the other, each with five numbers and its name before it,
 * then its columns. Numbers are written with the lowest byte first, whatever the machine's order is.
 */
#ifndef CMB_CLI_MAT_H
#define CMB_CLI_MAT_H

#include <stdbool.h>
#include <stdio.h>

/* What a matrix begins with; text: its numbers are characters. The columns have to follow. */
void cli_mat_head(FILE *to, bool text, const char *name, int rows, int columns);

void cli_mat_numbers(FILE *to, long count, const double *x);

/* The whole matrix x (rows x columns), which lies row by row. */
void cli_mat_matrix(FILE *to, const char *name, int rows, int columns, const double *x);

/* Texts as the rows of a matrix of characters, filled up with blanks. */
void cli_mat_names(FILE *to, const char *name, int count, const char *const *names);

#endif
