/*
 * Which eigenvalues of linearised equations are 0, as far as one can tell.
 */
#ifndef CMB_SYSTEM_NEUTRAL_H
#define CMB_SYSTEM_NEUTRAL_H

#include <stdbool.h>

/* An eigenvalue that is told from 0 is known to so much of its size. */
#define CMB_TOLD 1e-4

/* How many doubles of `work` are wanted for m eigenvalues. */
int cmb_neutral_work(int m);

/* Of the eigenvalues re, im (m) of A (m x m), with displacements as its first n unknowns, those up to `band` are neutral, but for those
 * that can be told from 0: their values are replaced by more exact ones. Entries of A are known to `noise` of its size; pairs stand next to each
 * other. */
void cmb_find_neutral(int n, int m, const double *A, double noise, double band, double *re,
                      double *im, bool *neutral, double *work);

#endif
