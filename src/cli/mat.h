/*
 * Writes matrices to MAT files of version 4, which MATLAB, Octave and scipy read; used for trajectories and linearisations. A file consists
 * of one matrix after the other, each with a header of five numbers and its name, followed by its columns. Numbers are written in
 * little-endian order, whatever the machine's byte order is.
 */
#ifndef CMB_CLI_MAT_H
#define CMB_CLI_MAT_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the header of a matrix: its name, its size, and whether its entries are character codes (`text`) or numbers. The caller has to
 * write the entries after it, column by column. */
void cli_mat_head(FILE *to, bool text, const char *name, int rows, int columns);

/* Writes the entries x[count] of a matrix, such as a column, in double precision. */
void cli_mat_numbers(FILE *to, long count, const double *x);

/* Writes the matrix x (rows x columns), which is stored by rows, with its header. */
void cli_mat_matrix(FILE *to, const char *name, int rows, int columns, const double *x);

/* Writes the strings names[count] as the rows of a character matrix with its header. They are padded with blanks to the same length. */
void cli_mat_names(FILE *to, const char *name, int count, const char *const *names);

#endif
