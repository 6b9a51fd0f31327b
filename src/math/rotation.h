/*
 * Rotations in space: matrices from axis and angle or from Euler parameters, and back.
 *
 * A rotation matrix A (stored by rows, 9) maps body components to global ones: x = A x'. Euler parameters p = (e0, e1, e2, e3), |p| = 1
 * (Haug, Negrut and Engstler 1999): A = (2 e0² − 1) I + 2 (e eᵀ + e0 ẽ). Angular velocity in body components: ṗ = ½ L(p)ᵀ ω' with L (3 x 4),
 * so that ω' = 2 L(p) ṗ.
 */
#ifndef CMB_MATH_ROTATION_H
#define CMB_MATH_ROTATION_H

/* Computes the matrix A of the rotation by `angle` about the unit vector `axis`. */
void cmb_rotation_from_axis(const double axis[3], double angle, double A[9]);

/* Computes the rotation matrix A of the Euler parameters p, |p| = 1. */
void cmb_rotation_from_euler(const double p[4], double A[9]);

/* Computes the Euler parameters p, e0 >= 0, of the rotation matrix A. Divides by the largest of the four, so that no digits are lost near
 * half turns. */
void cmb_euler_from_rotation(const double A[9], double p[4]);

/* Computes the rates of the Euler parameters, ṗ = ½ L(p)ᵀ ω', from the angular velocity ω' in body components. */
void cmb_euler_rates(const double p[4], const double omega[3], double pdot[4]);

/* Computes the product r = p ∘ s of Euler parameters, as quaternions: the rotation s followed by p, A(r) = A(p) A(s). r may be p or s. */
void cmb_euler_product(const double p[4], const double s[4], double r[4]);

/* Largest deviation of |p| from 1 that is accepted in given Euler parameters. */
#define CMB_EULER_LENGTH 1e-6

/* Normalises p := p / |p|. Returns the previous |p|; if that is 0 or not finite p is unchanged. */
double cmb_euler_normalize(double p[4]);

#endif
