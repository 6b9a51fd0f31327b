/*
 * Random KKT systems for tests, the same numbers dense and on patterns, and how well a solution solves
 * them.
 *
 *     [ M   Bᵀ ] [ x ]   [ r ]
 *     [ G   0  ] [ y ] = [ s ]
 *
 * Units: velocities and constraints are scaled by factors up to 10^±decades, as if each were measured
 * in another unit. A solver that is as good in any units is as good with decades = 6 as with 0.
 */
#ifndef CMBT_KKT_SYSTEM_H
#define CMBT_KKT_SYSTEM_H

#include "math/kkt.h"
#include "random.h"

struct cmbt_kkt_kind {
  int nv, ng;       /* ng <= nv for full rank */
  bool diagonal;    /* M is diagonal */
  bool unsymmetric; /* B differs from G by some 20 % */
  double density;   /* share of entries that are there; 1: all */
  double decades;   /* of units */
};

struct cmbt_kkt_system {
  struct cmbt_kkt_kind kind;
  double *M, *G, *B;  /* dense */
  double *M_diagonal; /* (nv) */
  double *r, *s;      /* right-hand side */
  double *tau, *rho;  /* (nv), (ng) the units */
  double *x, *y;      /* (nv), (ng) room for a solution */
  cmb_pattern *M_pattern, *G_pattern;
  double *M_values, *G_values, *B_values; /* on the patterns */
  cmb_context *ctx;
  void *memory;
};

/* M has a condition of some 100 in units of its diagonal; each row of G has one entry that is large, in a
 * column of its own, so G has full rank. */
struct cmbt_kkt_system *cmbt_kkt_create(struct cmbt_random *random,
                                        const struct cmbt_kkt_kind *kind);

/* A chain of bodies in space, 6 velocities each and a 6 x 6 block in M, 5 constraints between neighbours
 * and to the ground at the beginning, or at both ends if closed (3 there, so that it can still move). */
struct cmbt_kkt_system *cmbt_kkt_create_chain(struct cmbt_random *random, int bodies, bool closed,
                                              bool diagonal);
void cmbt_kkt_destroy(struct cmbt_kkt_system *sys);

/* Random entries of G and B on the same pattern, near the old ones (a step's change: 0.1) or not (10). */
void cmbt_kkt_change(struct cmbt_kkt_system *sys, struct cmbt_random *random, double how_much);

/* After a change of the dense M, G or B within the patterns: the values on the patterns, and M_diagonal. */
void cmbt_kkt_refresh(struct cmbt_kkt_system *sys);

/* The three ways to give the same system to a solver. */
cmb_kkt_shape cmbt_kkt_shape_dense(const struct cmbt_kkt_system *sys);
cmb_kkt_shape cmbt_kkt_shape_diagonal(const struct cmbt_kkt_system *sys); /* M diagonal, G dense */
cmb_kkt_shape cmbt_kkt_shape_sparse(const struct cmbt_kkt_system *sys);   /* M diagonal if it is */
const double *cmbt_kkt_mass_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape);
const double *cmbt_kkt_G_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape);
const double *cmbt_kkt_B_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape);

/* The residual of a solution over what rounding may leave, (nv + ng) eps times the size of the terms,
 * both in units in which M has unit diagonal and the rows of G and B have unit length. A backward
 * stable solver stays below some 10. */
double cmbt_kkt_error(const struct cmbt_kkt_system *sys, const double *x, const double *y);

#endif
