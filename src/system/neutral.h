/*
 * Finds the eigenvalues of linearised equations that are 0 but for rounding errors (neutral ones).
 */
#ifndef CMB_SYSTEM_NEUTRAL_H
#define CMB_SYSTEM_NEUTRAL_H

#include <stdbool.h>

/* relative accuracy of an eigenvalue that can be distinguished from 0 */
#define CMB_NEUTRAL_ACCURACY 1e-4

/* Returns the number of doubles of scratch memory that cmb_find_neutral needs for m eigenvalues. */
int cmb_neutral_work(int m);

/* Marks in neutral (m) those of the eigenvalues re + i im (m) of A (m x m) with absolute values up to `band` that cannot be
 * distinguished from 0, and replaces the others of these by more accurate values. The first n unknowns of A are displacements. Entries
 * of A have the relative error `noise`; the eigenvalues of a conjugate pair are adjacent, im > 0 first. work (cmb_neutral_work(m)) is
 * scratch. */
void cmb_find_neutral(int n, int m, const double *A, double noise, double band, double *re,
                      double *im, bool *neutral, double *work);

#endif
