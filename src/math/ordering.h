/*
 * Computes an elimination order for a symmetric sparse matrix with little fill-in. Private to math.
 *
 * The next unknown is one with the fewest neighbours (minimum degree). Neighbours of an eliminated unknown become neighbours of each other;
 * that is stored as one set for each eliminated unknown (quotient graph: George and Liu 1989), so that memory grows with the entries of the
 * factors only.
 *
 * Unknowns from `first_waiting` on wait until all their neighbours below it are eliminated. In a KKT matrix [M Gᵀ; G 0] these are the
 * multipliers: then every pivot belongs to M, or to −G M⁻¹ Gᵀ, and has a known sign.
 */
#ifndef CMB_MATH_ORDERING_H
#define CMB_MATH_ORDERING_H

#include "base/arena.h"
#include "math/pattern.h"

/* Computes order (n), the k-th unknown to eliminate; and column[i] (n) and count[i] (n), the unknowns that are neighbours of i when it is
 * eliminated, which are the entries of its column of L. The pattern is symmetric; its diagonal may be missing. Memory from `arena`;
 * returns false if it runs out. */
bool cmb_minimum_degree(cmb_arena *arena, const cmb_pattern *pattern, int first_waiting, int *order,
                        int **column, int *count);

#endif
