/*
 * Builds sums and products of scalars, 3-vectors, 3 x 3 matrices and spatial 6-vectors whose entries are expressions; used wherever
 * equations of motion are formed.
 *
 * A rotation matrix A (row-major) takes the components of a body's frame to those of its parent: x = A x'. 6-vectors are those of
 * Featherstone, angular part first: a motion (ω, v), where v is the velocity of the frame's origin, and a force (n, f), where n is the
 * moment about that origin. The product of a motion and a force is a power.
 */
#ifndef CMB_EXPR_ALGEBRA_H
#define CMB_EXPR_ALGEBRA_H

#include <camber/expr.h>

typedef struct cmb_vector {
  cmb_expr x[3];
} cmb_vector;

typedef struct cmb_matrix {
  cmb_expr a[9]; /* row-major */
} cmb_matrix;

typedef struct cmb_motion {
  cmb_vector angular, linear;
} cmb_motion;

typedef struct cmb_force {
  cmb_vector moment, force;
} cmb_force;

/* A body's frame relative to its parent's: the rotation matrix A, which takes components to the parent's frame, and the origin r in the
 * parent's frame. */
typedef struct cmb_frame {
  cmb_matrix A;
  cmb_vector r;
} cmb_frame;

/* scalars */
cmb_expr cmb_add(cmb_graph *g, cmb_expr a, cmb_expr b);
cmb_expr cmb_sub(cmb_graph *g, cmb_expr a, cmb_expr b);
cmb_expr cmb_mul(cmb_graph *g, cmb_expr a, cmb_expr b);
cmb_expr cmb_div(cmb_graph *g, cmb_expr a, cmb_expr b);
cmb_expr cmb_neg(cmb_graph *g, cmb_expr a);
cmb_expr cmb_square(cmb_graph *g, cmb_expr a);

/* 3-vectors */
cmb_vector cmb_vector_constant(cmb_graph *g, const double x[3]);
cmb_vector cmb_vector_add(cmb_graph *g, cmb_vector a, cmb_vector b);
cmb_vector cmb_vector_sub(cmb_graph *g, cmb_vector a, cmb_vector b);
cmb_vector cmb_vector_scale(cmb_graph *g, cmb_expr s, cmb_vector a);
cmb_vector cmb_vector_cross(cmb_graph *g, cmb_vector a, cmb_vector b);
cmb_expr cmb_vector_dot(cmb_graph *g, cmb_vector a, cmb_vector b);
cmb_expr cmb_vector_length(cmb_graph *g, cmb_vector a);

/* matrices and rotations */
cmb_matrix cmb_matrix_identity(cmb_graph *g);
cmb_matrix cmb_matrix_constant(cmb_graph *g, const double a[9]);
cmb_matrix cmb_matrix_tilde(cmb_graph *g, cmb_vector a); /* ã, with ã b = a × b */
cmb_matrix cmb_matrix_transpose(cmb_matrix A);
cmb_matrix cmb_matrix_product(cmb_graph *g, cmb_matrix A, cmb_matrix B);
cmb_vector cmb_matrix_times(cmb_graph *g, cmb_matrix A, cmb_vector x);
cmb_matrix cmb_rotation_euler(cmb_graph *g, const cmb_expr p[4]); /* from Euler parameters */

/* spatial vectors (6-vectors) */
cmb_motion cmb_motion_add(cmb_graph *g, cmb_motion a, cmb_motion b);
cmb_force cmb_force_add(cmb_graph *g, cmb_force a, cmb_force b);
cmb_expr cmb_power(cmb_graph *g, cmb_force f, cmb_motion v);

/* Transforms a wrench (moment n', force f') from the child's frame to its parent's: f = A f', n = A n' + r × f. */
cmb_force cmb_force_to_parent(cmb_graph *g, cmb_frame frame, cmb_force child);

/* Return the spatial cross products v × w of two motions, and v ×* f of a motion and a wrench: the rates of change of a motion vector w, or a
 * wrench f, that is constant in a body moving with the spatial velocity v. */
cmb_motion cmb_motion_cross(cmb_graph *g, cmb_motion v, cmb_motion w);
cmb_force cmb_motion_cross_force(cmb_graph *g, cmb_motion v, cmb_force f);

#endif
