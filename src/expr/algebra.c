/*
 * Arithmetic of scalars, 3-vectors, 3 x 3 matrices and spatial 6-vectors whose entries are expressions (algebra.h); used wherever
 * equations of motion are formed. Each function is written for the general case: cmb_apply removes terms with zeros and ones when it
 * builds the nodes.
 */
#include "expr/algebra.h"

cmb_expr cmb_add(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, CMB_OP_ADD, a, b, 0);
}

cmb_expr cmb_sub(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, CMB_OP_SUB, a, b, 0);
}

cmb_expr cmb_mul(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, CMB_OP_MUL, a, b, 0);
}

cmb_expr cmb_div(cmb_graph *g, cmb_expr a, cmb_expr b)
{
  return cmb_apply(g, CMB_OP_DIV, a, b, 0);
}

cmb_expr cmb_neg(cmb_graph *g, cmb_expr a)
{
  return cmb_apply(g, CMB_OP_NEG, a, 0, 0);
}

cmb_expr cmb_square(cmb_graph *g, cmb_expr a)
{
  return cmb_mul(g, a, a);
}

/* ---- 3-vectors */

/* Returns the vector x[3] as three constant expressions of the expression graph g. */
cmb_vector cmb_vector_constant(cmb_graph *g, const double x[3])
{
  cmb_vector v;
  for (int i = 0; i < 3; i++) v.x[i] = cmb_constant(g, x[i]);
  return v;
}

cmb_vector cmb_vector_add(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  for (int i = 0; i < 3; i++) a.x[i] = cmb_add(g, a.x[i], b.x[i]);
  return a;
}

cmb_vector cmb_vector_sub(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  for (int i = 0; i < 3; i++) a.x[i] = cmb_sub(g, a.x[i], b.x[i]);
  return a;
}

cmb_vector cmb_vector_scale(cmb_graph *g, cmb_expr s, cmb_vector a)
{
  for (int i = 0; i < 3; i++) a.x[i] = cmb_mul(g, s, a.x[i]);
  return a;
}

cmb_vector cmb_vector_cross(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  cmb_vector c;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, k = (i + 2) % 3;
    c.x[i] = cmb_sub(g, cmb_mul(g, a.x[j], b.x[k]), cmb_mul(g, a.x[k], b.x[j]));
  }
  return c;
}

cmb_expr cmb_vector_dot(cmb_graph *g, cmb_vector a, cmb_vector b)
{
  cmb_expr sum = 0;
  for (int i = 0; i < 3; i++) sum = cmb_add(g, sum, cmb_mul(g, a.x[i], b.x[i]));
  return sum;
}

cmb_expr cmb_vector_length(cmb_graph *g, cmb_vector a)
{
  return cmb_apply(g, CMB_OP_SQRT, cmb_vector_dot(g, a, a), 0, 0);
}

/* ---- matrices */

/* Returns the 3 x 3 matrix a, stored by rows, as constant expressions of the expression graph g. */
cmb_matrix cmb_matrix_constant(cmb_graph *g, const double a[9])
{
  cmb_matrix A;
  for (int i = 0; i < 9; i++) A.a[i] = cmb_constant(g, a[i]);
  return A;
}

cmb_matrix cmb_matrix_identity(cmb_graph *g)
{
  return cmb_matrix_constant(g, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1});
}

cmb_matrix cmb_matrix_tilde(cmb_graph *g, cmb_vector a)
{
  const cmb_expr *x = a.x;
  return (cmb_matrix){
      {0, cmb_neg(g, x[2]), x[1], x[2], 0, cmb_neg(g, x[0]), cmb_neg(g, x[1]), x[0], 0}};
}

cmb_matrix cmb_matrix_transpose(cmb_matrix A)
{
  const cmb_expr *a = A.a;
  return (cmb_matrix){{a[0], a[3], a[6], a[1], a[4], a[7], a[2], a[5], a[8]}};
}

cmb_vector cmb_matrix_times(cmb_graph *g, cmb_matrix A, cmb_vector x)
{
  cmb_vector y;
  for (int i = 0; i < 3; i++) {
    y.x[i] = cmb_vector_dot(g, (cmb_vector){{A.a[3 * i], A.a[3 * i + 1], A.a[3 * i + 2]}}, x);
  }
  return y;
}

cmb_matrix cmb_matrix_product(cmb_graph *g, cmb_matrix A, cmb_matrix B)
{
  cmb_matrix C;
  for (int j = 0; j < 3; j++) {
    cmb_vector column = cmb_matrix_times(g, A, (cmb_vector){{B.a[j], B.a[3 + j], B.a[6 + j]}});
    for (int i = 0; i < 3; i++) C.a[3 * i + j] = column.x[i];
  }
  return C;
}

/* Builds the expressions of the rotation matrix A = (2 e0² − 1) I + 2 (e eᵀ + e0 ẽ) from the Euler parameters p = (e0, e1, e2, e3), where e =
 * (e1, e2, e3) and ẽ is its cross-product matrix, ẽ b = e × b. */
cmb_matrix cmb_rotation_euler(cmb_graph *g, const cmb_expr p[4])
{
  cmb_expr two = cmb_constant(g, 2);
  cmb_expr diagonal = cmb_sub(g, cmb_mul(g, two, cmb_square(g, p[0])), cmb_constant(g, 1));
  cmb_vector e = {{p[1], p[2], p[3]}};
  cmb_matrix A = cmb_matrix_tilde(g, e);
  for (int i = 0; i < 9; i++) {
    cmb_expr sum = cmb_add(g, cmb_mul(g, e.x[i / 3], e.x[i % 3]), cmb_mul(g, p[0], A.a[i]));
    A.a[i] = cmb_mul(g, two, sum);
    if (i % 4 == 0) A.a[i] = cmb_add(g, diagonal, A.a[i]);
  }
  return A;
}

/* ---- spatial vectors (6-vectors) */

/* Returns the sum a + b of two spatial motion vectors (such as velocities) as expressions: the angular and the linear parts are added. */
cmb_motion cmb_motion_add(cmb_graph *g, cmb_motion a, cmb_motion b)
{
  return (cmb_motion){cmb_vector_add(g, a.angular, b.angular),
                      cmb_vector_add(g, a.linear, b.linear)};
}

cmb_force cmb_force_add(cmb_graph *g, cmb_force a, cmb_force b)
{
  return (cmb_force){cmb_vector_add(g, a.moment, b.moment), cmb_vector_add(g, a.force, b.force)};
}

cmb_expr cmb_power(cmb_graph *g, cmb_force f, cmb_motion v)
{
  return cmb_add(g, cmb_vector_dot(g, f.moment, v.angular), cmb_vector_dot(g, f.force, v.linear));
}

/* Transforms a wrench (moment n', force f') from the child's frame to its parent's: returns the force f = A f' and the moment n = A n' + r ×
 * f, where A (frame.A) is the child's orientation and r (frame.r) its origin in the parent's frame. */
cmb_force cmb_force_to_parent(cmb_graph *g, cmb_frame frame, cmb_force child)
{
  cmb_vector force = cmb_matrix_times(g, frame.A, child.force);
  cmb_vector moment = cmb_matrix_times(g, frame.A, child.moment);
  return (cmb_force){cmb_vector_add(g, moment, cmb_vector_cross(g, frame.r, force)), force};
}

cmb_motion cmb_motion_cross(cmb_graph *g, cmb_motion v, cmb_motion w)
{
  return (cmb_motion){cmb_vector_cross(g, v.angular, w.angular),
                      cmb_vector_add(g, cmb_vector_cross(g, v.angular, w.linear),
                                     cmb_vector_cross(g, v.linear, w.angular))};
}

cmb_force cmb_motion_cross_force(cmb_graph *g, cmb_motion v, cmb_force f)
{
  return (cmb_force){cmb_vector_add(g, cmb_vector_cross(g, v.angular, f.moment),
                                    cmb_vector_cross(g, v.linear, f.force)),
                     cmb_vector_cross(g, v.angular, f.force)};
}
