/*
 * Inner loops of radau.c: sums over the stages of a Radau method, computed two numbers at a time. The number of stages is that of the
 * table, a constant where these functions are inlined (CMB_RADAU_WITH), so that loops over it are unrolled. Arrays come from the arena,
 * which hands out whole blocks: one number beyond n may be processed as well.
 */
#ifndef CMB_METHOD_RADAU_KERNELS_H
#define CMB_METHOD_RADAU_KERNELS_H

#include "math/dense.h"
#include "method/radau_table.h"

#define CMB_RADAU_KERNEL static inline __attribute__((always_inline))

/* Executes the statement with the pointer t to the constant table of the method with `count` stages. */
#define CMB_RADAU_WITH(count, statement)                                                           \
  do {                                                                                             \
    if ((count) == 3) {                                                                            \
      const cmb_radau_table *const t = &cmb_radau_3;                                               \
      statement;                                                                                   \
    } else if ((count) == 5) {                                                                     \
      const cmb_radau_table *const t = &cmb_radau_5;                                               \
      statement;                                                                                   \
    } else {                                                                                       \
      const cmb_radau_table *const t = &cmb_radau_7;                                               \
      statement;                                                                                   \
    }                                                                                              \
  } while (0)

/* The matrices of a method, row by row, with each coefficient twice: it multiplies two numbers at a time as it stands. They are in memory and
 * no constants, all of which the compiler would copy before each of the short loops over the unknowns. */
typedef struct cmb_radau_matrices {
  cmb_lanes A[CMB_RADAU_MOST * CMB_RADAU_MOST], A_inverse[CMB_RADAU_MOST * CMB_RADAU_MOST];
  cmb_lanes T[CMB_RADAU_MOST * CMB_RADAU_MOST], T_inverse[CMB_RADAU_MOST * CMB_RADAU_MOST];
} cmb_radau_matrices;

/* Sets the matrices to those of the table t. */
static inline void cmb_radau_set_matrices(const cmb_radau_table *t, cmb_radau_matrices *m)
{
  for (int k = 0; k < t->stages * t->stages; k++) {
    m->A[k] = (cmb_lanes){t->A[k], t->A[k]};
    m->A_inverse[k] = (cmb_lanes){t->A_inverse[k], t->A_inverse[k]};
    m->T[k] = (cmb_lanes){t->T[k], t->T[k]};
    m->T_inverse[k] = (cmb_lanes){t->T_inverse[k], t->T_inverse[k]};
  }
}

/* Returns Σ_j factor[j] x[j] over s vectors of two numbers. */
CMB_RADAU_KERNEL cmb_lanes cmb_radau_sum(const int s, const cmb_lanes *factor, const cmb_lanes *x)
{
  cmb_lanes sum = factor[0] * x[0];
  for (int j = 1; j < s; j++) sum += factor[j] * x[j];
  return sum;
}

/* Returns entry i of T d, where T is the matrix of eigenvectors. In its last row the entries of complex eigenvectors are 1 and 0. */
CMB_RADAU_KERNEL cmb_lanes cmb_radau_transformed(const int s, int i, const cmb_lanes *T,
                                                 const cmb_lanes *d)
{
  if (i < s - 1) return cmb_radau_sum(s, T + (long)i * s, d);
  cmb_lanes sum = T[(long)i * s] * d[0];
  for (int j = 1; j < s; j += 2) sum += d[j];
  return sum;
}

/* Computes out[k] := Σ_j factor[j] x[j][from + k] for k = 0 .. n − 1, the weighted sum of the arrays x of all stages j. */
CMB_RADAU_KERNEL void cmb_radau_sum_up(const cmb_radau_table *const t, int n, const double *factor,
                                       double *const *x, int from, double *out)
{
  const int s = t->stages;
  cmb_lanes twice[CMB_RADAU_MOST];
  for (int j = 0; j < s; j++) twice[j] = (cmb_lanes){factor[j], factor[j]};
  for (int k = 0; k < n; k += 2) {
    cmb_lanes at[CMB_RADAU_MOST];
    for (int j = 0; j < s; j++) at[j] = cmb_lanes_load(x[j] + from + k);
    cmb_lanes_store(cmb_radau_sum(s, twice, at), out + k);
  }
}

/* Computes out_i := factor Σ_j B_ij x_j for the arrays x_j of all s stages, n numbers each, with the matrix B (s x s); out may be x. */
CMB_RADAU_KERNEL void cmb_radau_combine(const cmb_radau_table *const t, int n, const cmb_lanes *B,
                                        double factor, double *const *x, double *const *out)
{
  const int s = t->stages;
  for (int k = 0; k < n; k += 2) {
    cmb_lanes at[CMB_RADAU_MOST];
    for (int j = 0; j < s; j++) at[j] = factor * cmb_lanes_load(x[j] + k);
    for (int i = 0; i < s; i++) {
      cmb_lanes_store(cmb_radau_sum(s, B + (long)i * s, at), out[i] + k);
    }
  }
}

/* Returns Σ (w_k x_k)² over the components k and k + 1 of the arrays x of s stages, separately for both; that of k + 1 = n, which lies
 * beyond the arrays, is 0. */
CMB_RADAU_KERNEL cmb_lanes cmb_radau_pair_square(const int s, int k, int n, const double *w,
                                                 const cmb_lanes *x)
{
  const cmb_lanes weight = k + 1 < n ? cmb_lanes_load(w + k) : (cmb_lanes){w[k], 0};
  cmb_lanes sum = {0, 0};
  for (int i = 0; i < s; i++) sum += (weight * x[i]) * (weight * x[i]);
  return sum;
}

/* Transforms the decoupled increments d of all stages, n numbers each, back by the matrix T of eigenvectors and adds them to x: x := x + T
 * d. If there are weights w (n), returns the sum of the weighted squares of the increments T d; if w is NULL, stores them in d and
 * returns 0. */
CMB_RADAU_KERNEL double cmb_radau_transform_back(const cmb_radau_table *const t, int n,
                                                 const cmb_lanes *T, const double *w,
                                                 double *const *d, double *const *x)
{
  const int s = t->stages;
  cmb_lanes square = {0, 0};
  for (int k = 0; k < n; k += 2) {
    cmb_lanes at[CMB_RADAU_MOST], moved[CMB_RADAU_MOST];
    for (int j = 0; j < s; j++) at[j] = cmb_lanes_load(d[j] + k);
    for (int i = 0; i < s; i++) {
      moved[i] = cmb_radau_transformed(s, i, T, at);
      if (!w) cmb_lanes_store(moved[i], d[i] + k);
      cmb_lanes_store(cmb_lanes_load(x[i] + k) + moved[i], x[i] + k);
    }
    if (w) square += cmb_radau_pair_square(s, k, n, w, moved);
  }
  return square[0] + square[1];
}

/* The arrays of the stages for cmb_radau_complete and cmb_radau_advance. */
typedef struct cmb_radau_stages {
  const cmb_radau_matrices *matrices;
  const double *q, *v; /* positions and velocities where the step begins */
  double *const *z, *const *V, *const *a, *const *w, *const *Q;
  double *const *dv, *const *dw; /* Newton increments of the velocities and of their integrals */
} cmb_radau_stages;

/* Computes the velocities V = v + z and the accelerations a = A⁻¹ z/h of all stages in the components k and k + 1, where inverse is 1/h. */
CMB_RADAU_KERNEL void cmb_radau_differentiate(const cmb_radau_table *const t, int k, double inverse,
                                              const cmb_lanes *z, const cmb_radau_stages *m)
{
  const int s = t->stages;
  const cmb_lanes v = cmb_lanes_load(m->v + k);
  for (int i = 0; i < s; i++) {
    cmb_lanes_store(v + z[i], m->V[i] + k);
    cmb_lanes_store(inverse * cmb_radau_sum(s, m->matrices->A_inverse + (long)i * s, z),
                    m->a[i] + k);
  }
}

/* Computes velocities V, accelerations a, integrals w of the velocities and positions Q of all stages from the velocity changes z, n
 * numbers each, for q̇ = v − n with the arrays n = `normal` of all stages, or 0 if this is NULL: w_i = h Σ A_ij (v + z_j − n_j), where the
 * rows of A add up to c. */
CMB_RADAU_KERNEL void cmb_radau_complete(const cmb_radau_table *const t, int n, double h,
                                         double *const *normal, const cmb_radau_stages *m)
{
  const int s = t->stages;
  const double inverse = 1 / h;
  for (int k = 0; k < n; k += 2) {
    const cmb_lanes v = cmb_lanes_load(m->v + k), q = cmb_lanes_load(m->q + k);
    cmb_lanes z[CMB_RADAU_MOST], moved[CMB_RADAU_MOST];
    for (int j = 0; j < s; j++) moved[j] = z[j] = cmb_lanes_load(m->z[j] + k);
    for (int j = 0; normal && j < s; j++) moved[j] -= cmb_lanes_load(normal[j] + k);
    for (int i = 0; i < s; i++) {
      const cmb_lanes w = h * (t->c[i] * v + cmb_radau_sum(s, m->matrices->A + (long)i * s, moved));
      cmb_lanes_store(w, m->w[i] + k);
      cmb_lanes_store(q + w, m->Q[i] + k);
    }
    cmb_radau_differentiate(t, k, inverse, z, m);
  }
}

/* The weights of the norm of increments: of positions and of velocities. */
typedef struct cmb_radau_weights {
  const double *q, *v;
} cmb_radau_weights;

/* Transforms the decoupled increments dv of velocities, n numbers each, back by the matrix T of eigenvectors, computes the increments dw = h A
 * (dv − dn) of the integrals of the velocities (dn: the increments of `normal`, or 0 if this is NULL), and adds them to all quantities of
 * the stages: the result is that of cmb_radau_complete with z + dv. If there are weights w, returns the sum of the weighted squares of dv
 * and dw, which are not stored; if w is NULL, stores them and returns 0. */
CMB_RADAU_KERNEL double cmb_radau_advance(const cmb_radau_table *const t, int n, double h,
                                          double *const *dn, const cmb_radau_weights *w,
                                          const cmb_radau_stages *m)
{
  const int s = t->stages;
  const double inverse = 1 / h;
  cmb_lanes square = {0, 0};
  for (int k = 0; k < n; k += 2) {
    cmb_lanes d[CMB_RADAU_MOST], dv[CMB_RADAU_MOST], dw[CMB_RADAU_MOST], z[CMB_RADAU_MOST];
    for (int j = 0; j < s; j++) d[j] = cmb_lanes_load(m->dv[j] + k);
    for (int i = 0; i < s; i++) {
      dv[i] = cmb_radau_transformed(s, i, m->matrices->T, d);
      z[i] = cmb_lanes_load(m->z[i] + k) + dv[i];
      if (!w) cmb_lanes_store(dv[i], m->dv[i] + k);
      cmb_lanes_store(z[i], m->z[i] + k);
    }
    cmb_radau_differentiate(t, k, inverse, z, m);
    if (w) square += cmb_radau_pair_square(s, k, n, w->v, dv);
    for (int j = 0; dn && j < s; j++) dv[j] -= cmb_lanes_load(dn[j] + k);
    const cmb_lanes q = cmb_lanes_load(m->q + k);
    for (int i = 0; i < s; i++) {
      dw[i] = h * cmb_radau_sum(s, m->matrices->A + (long)i * s, dv);
      const cmb_lanes sum = cmb_lanes_load(m->w[i] + k) + dw[i];
      if (!w) cmb_lanes_store(dw[i], m->dw[i] + k);
      cmb_lanes_store(sum, m->w[i] + k);
      cmb_lanes_store(q + sum, m->Q[i] + k);
    }
    if (w) square += cmb_radau_pair_square(s, k, n, w->q, dw);
  }
  return square[0] + square[1];
}

/* Returns Σ_i Σ_k (w_k x[i]_k)² over n components of all stages i. */
CMB_RADAU_KERNEL double cmb_radau_square(const cmb_radau_table *const t, int n, const double *w,
                                         double *const *x)
{
  const int s = t->stages;
  cmb_lanes sum = {0, 0};
  int k = 0;
  for (; k + 1 < n; k += 2) {
    const cmb_lanes weight = cmb_lanes_load(w + k);
    for (int i = 0; i < s; i++) {
      const cmb_lanes part = weight * cmb_lanes_load(x[i] + k);
      sum += part * part;
    }
  }
  double square = sum[0] + sum[1];
  for (int i = 0; k < n && i < s; i++) square += w[k] * x[i][k] * (w[k] * x[i][k]);
  return square;
}

/* Computes of[j], the values at x of the Lagrange polynomials, which are 1 at the node c_j and 0 at the other nodes; of[j] x/c_j are
 * those that are 0 at the node 0 as well. */
CMB_RADAU_KERNEL void cmb_radau_basis(const cmb_radau_table *const t, double x, double *of)
{
  for (int j = 0; j < t->stages; j++) {
    of[j] = 1;
    for (int k = 0; k < t->stages; k++) {
      if (k != j) of[j] *= (x - t->c[k]) / (t->c[j] - t->c[k]);
    }
  }
}

#endif
