/*
 * Tables of the elliptic contact of two bodies of the same material: the shape of the ellipse over the ratio of the curvatures, and Kalker's
 * coefficients over the ratio of its semi-axes.
 */
#ifndef CMB_DYN_KALKER_H
#define CMB_DYN_KALKER_H

#include <camber/expr.h>

typedef enum cmb_kalker {
  CMB_KALKER_11,
  CMB_KALKER_22,
  CMB_KALKER_23,
  CMB_KALKER_33,
  CMB_KALKER_COUNT
} cmb_kalker;

typedef struct cmb_contact_tables {
  /* over log(lateral/longitudinal curvature): log(a/b), log γ and log F of cmb_ellipse */
  cmb_table *axes, *size, *depth;
  cmb_table *kalker[CMB_KALKER_COUNT]; /* logarithms of the coefficients over log(a/b) */
} cmb_contact_tables;

/* Creates the tables for a Poisson's ratio between 0 and 1/2, and frees them. The members of an empty struct are zeros. */
cmb_status cmb_contact_tables_create(cmb_context *ctx, double poisson, cmb_contact_tables *tables);
void cmb_contact_tables_destroy(cmb_contact_tables *tables);

/* The contact of two bodies with the gap A x² + B y² over an ellipse with the semi-axes a = c √g and b = c/√g, by elliptic integrals: the
 * largest pressure p0 and the approach are such that
 *     A = α p0/(E' c),  B = β p0/(E' c),  approach = F p0 c/E',  γ = √(α β),   1/E' = 2 (1 − ν²)/E. */
typedef struct cmb_ellipse {
  double alpha, beta, gamma, F;
} cmb_ellipse;

/* Computes the integrals of an ellipse of the ratio g = a/b > 0 to rounding, by arithmetic-geometric means. */
cmb_ellipse cmb_ellipse_of(double g);

/* Returns Kalker's coefficient in row 0 to 18 of Table E.3 (Kalker 1990), in the order of a/b = 0.1, 0.2 .. 1, 1/0.9 .. 1/0.1, for Poisson's
 * ratio, and stores a/b of the row in *g. */
double cmb_kalker_entry(cmb_kalker which, int row, double poisson, double *g);
enum { CMB_KALKER_ROWS = 19 };

#endif
