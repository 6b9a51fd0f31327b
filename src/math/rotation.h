/*
 * Rotations: matrices from axis and angle or from Euler parameters, and back.
 *
 * A rotation matrix A (row-major, 9) takes body components to global ones: x = A x'.
 * Euler parameters p = (e0, e1, e2, e3), |p| = 1 (Haug, Negrut and Engstler 1999): A = (2 e0² − 1) I + 2 (e eᵀ + e0 ẽ).
 * Angular velocity in body components: ṗ = ½ L(p)ᵀ ω' with L (3 x 4), so that ω' = 2 L(p) ṗ.
 */
#ifndef CMB_MATH_ROTATION_H
#define CMB_MATH_ROTATION_H

/* A = rotation by `angle` about the unit vector `axis`. */
void cmb_rotation_from_axis(const double axis[3], double angle, double A[9]);

/* A(p), for |p| = 1. */
void cmb_rotation_from_euler(const double p[4], double A[9]);

/* p of A with e0 >= 0, from the largest of the four candidates (no loss of digits near half turns). */
void cmb_euler_from_rotation(const double A[9], double p[4]);

/* ṗ = ½ L(p)ᵀ ω', ω' in body components. */
void cmb_euler_rates(const double p[4], const double omega[3], double pdot[4]);

/* r = p ∘ s: first s, then p, as A(r) = A(p) A(s). */
void cmb_euler_product(const double p[4], const double s[4], double r[4]);

/* Euler parameters whose length is off by more than this were not meant as they stand. */
#define CMB_EULER_LENGTH 1e-6

/* p := p / |p|. Returns |p|; if it is 0 or not finite p is left alone. */
double cmb_euler_normalize(double p[4]);

#endif
