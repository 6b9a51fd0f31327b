/*
 * A mass matrix that is given by its factors and never formed:
 *
 *     M = W⁻¹ D W⁻ᵀ        W, Wᵀ and M are functions that are applied to vectors
 *
 * The articulated-body algorithm for a tree with N links gives such factors (dyn/articulated.c): each product costs O(N), whereas M of a
 * long chain has N² entries.
 */
#ifndef CMB_MATH_MASS_FACTORS_H
#define CMB_MATH_MASS_FACTORS_H

typedef struct cmb_mass_factors {
  /* size of the factors at one position, which are stored in place of M; the first nv are 1/D */
  int values;
  int scratch; /* doubles of scratch that a call needs */
  const void *self;
  void (*forward)(const void *self, const double *values, double *scratch,
                  double *x); /* x := W x */
  void (*backward)(const void *self, const double *values, double *scratch,
                   double *x); /* x := Wᵀ x */
  void (*multiply)(const void *self, const double *values, double *scratch, const double *x,
                   double *y); /* y = M x */
} cmb_mass_factors;

#endif
