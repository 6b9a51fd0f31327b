/*
 * Creates random KKT systems for tests, each stored as dense matrices and on sparsity patterns, and measures the residual of a
 * solution.
 *
 *     [ M   Bᵀ ] [ x ]   [  r ]
 *     [ G   0  ] [ y ] = [ −s ]
 *
 * Velocities and constraints are scaled by random factors between 10^−decades and 10^decades, as if each had a unit of its own. A
 * solver whose accuracy does not depend on units is as accurate with decades = 6 as with 0.
 */
#ifndef CMBT_KKT_SYSTEM_H
#define CMBT_KKT_SYSTEM_H

#include "math/kkt.h"
#include "random.h"

struct cmbt_kkt_kind {
  int nv, ng;       /* ng <= nv for full rank */
  bool diagonal;    /* M is diagonal */
  bool unsymmetric; /* entries of B differ from those of G by up to 20 % */
  double density;   /* fraction of entries that are stored; 1: all */
  double decades;   /* decimal logarithm of the largest scale factor of units */
};

struct cmbt_kkt_system {
  struct cmbt_kkt_kind kind;
  double *M, *G, *B;  /* dense */
  double *M_diagonal; /* (nv) */
  double *r, *s;      /* right-hand side */
  double *tau, *rho;  /* (nv), (ng) scale factors of velocities and constraints */
  double *x, *y;      /* (nv), (ng) memory for a solution */
  cmb_pattern *M_pattern, *G_pattern;
  double *M_values, *G_values, *B_values; /* on the patterns */
  cmb_context *ctx;
  void *memory;
};

/* Creates a random system of this kind. In units in which M has unit diagonal its condition number is about 100; each row of G has one
 * large entry, in a column of its own, so that G has full rank. */
struct cmbt_kkt_system *cmbt_kkt_create(struct cmbt_random *random,
                                        const struct cmbt_kkt_kind *kind);

/* Creates the system of a spatial chain of bodies: 6 velocities and a 6 x 6 block of M for each body (or a diagonal M), and 5
 * constraints between neighbours and between the first body and the ground. A closed chain also has 3 constraints between the last body
 * and the ground. */
struct cmbt_kkt_system *cmbt_kkt_create_chain(struct cmbt_random *random, int bodies, bool closed,
                                              bool diagonal);
void cmbt_kkt_destroy(struct cmbt_kkt_system *sys);

/* Changes the entries of G and B on their pattern at random, by up to how_much in units of tau and rho: 0.1 is the change of a time step. */
void cmbt_kkt_change(struct cmbt_kkt_system *sys, struct cmbt_random *random, double how_much);

/* Copies the dense M, G and B to the values on the patterns and to M_diagonal; to be called after the dense matrices have changed. */
void cmbt_kkt_refresh(struct cmbt_kkt_system *sys);

/* Return the arguments of a solver for three ways to store the same system. */
cmb_kkt_shape cmbt_kkt_shape_dense(const struct cmbt_kkt_system *sys);
cmb_kkt_shape cmbt_kkt_shape_diagonal(const struct cmbt_kkt_system *sys); /* M diagonal, G dense */
cmb_kkt_shape cmbt_kkt_shape_sparse(const struct cmbt_kkt_system *sys);   /* M diagonal if it is */
const double *cmbt_kkt_mass_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape);
const double *cmbt_kkt_G_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape);
const double *cmbt_kkt_B_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape);

/* Returns the largest residual of a solution, divided by the expected rounding error (nv + ng) eps times the largest of |r|, |x| and |y|,
 * all in units in which M has unit diagonal and the rows of G and B have unit length; infinity if a residual is not finite. A backward
 * stable solver stays below about 10. */
double cmbt_kkt_error(const struct cmbt_kkt_system *sys, const double *x, const double *y);

#endif
