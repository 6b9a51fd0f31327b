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

/* Marks in neutral (m) the eigenvalues re, im (m) of A (m x m) up to the size `band` that cannot be distinguished from 0; those
 * that can get more exact values. The first n unknowns of A are displacements. Entries of A have a relative error of `noise`;
 * conjugate pairs must be adjacent. */
void cmb_find_neutral(int n, int m, const double *A, double noise, double band, double *re,
                      double *im, bool *neutral, double *work);

#endif
