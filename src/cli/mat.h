/*
 * Writes matrices to MAT files of version 4, which MATLAB, Octave and scipy read; used for trajectories and linearisations. A file consists
 * of one matrix after the other, each with a head of five numbers and its name, followed by its columns. Numbers are written with the
 * lowest byte first, whatever the machine's byte order is.
 */
#ifndef CMB_CLI_MAT_H
#define CMB_CLI_MAT_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the head of a matrix; `text` says that its numbers are characters. The caller has to write the columns after it. */
void cli_mat_head(FILE *to, bool text, const char *name, int rows, int columns);

void cli_mat_numbers(FILE *to, long count, const double *x);

/* Writes a whole matrix x (rows x columns), which is stored row by row. */
void cli_mat_matrix(FILE *to, const char *name, int rows, int columns, const double *x);

/* Writes strings as the rows of a matrix of characters, padded with blanks to the same length. */
void cli_mat_names(FILE *to, const char *name, int count, const char *const *names);

#endif
