/*
 * Transforms 3 x 3 matrices of expressions from a link's axes to its parent's, one plane rotation after the other (inertia.h); used by the
 * recursions for the mass matrix and for articulated bodies. A rotation in the plane (i, j) with cosine c and sine s changes the elements
 * of a symmetric matrix A, with d = A_ii − A_jj and p = s d + 2 c A_ij, to
 *
 *     A_ii − s p,   A_jj + s p,   c p − A_ij
 */
#include "dyn/inertia.h"

#include <string.h>

static cmb_vector row_of(cmb_matrix A, int i)
{
  return (cmb_vector){{A.a[3 * i], A.a[3 * i + 1], A.a[3 * i + 2]}};
}

static void set_both(cmb_matrix *A, int i, int j, cmb_expr e)
{
  A->a[3 * i + j] = A->a[3 * j + i] = e;
}

/* Returns whether an expression is the constant 0, as is the sine of a rotation by 0° or the cosine of one by 90°. */
static bool is_zero(cmb_expr e)
{
  return e == 0;
}

static cmb_matrix turn_symmetric(cmb_graph *g, int axis, cmb_expr c, cmb_expr s, cmb_matrix A)
{
  int i = (axis + 1) % 3, j = (axis + 2) % 3;
  cmb_matrix B = A;
  cmb_expr ii = A.a[4 * i], jj = A.a[4 * j], ij = A.a[3 * i + j];
  cmb_vector side = {{0, 0, 0}};
  side.x[i] = A.a[3 * i + axis], side.x[j] = A.a[3 * j + axis];
  side = cmb_turn(g, axis, c, s, side);
  set_both(&B, i, axis, side.x[i]);
  set_both(&B, j, axis, side.x[j]);
  if (is_zero(s)) return B;
  if (is_zero(c)) {
    B.a[4 * i] = jj, B.a[4 * j] = ii;
    set_both(&B, i, j, cmb_neg(g, ij));
    return B;
  }
  cmb_expr two_c = cmb_mul(g, cmb_constant(g, 2), c);
  cmb_expr p = cmb_add(g, cmb_mul(g, s, cmb_sub(g, ii, jj)), cmb_mul(g, two_c, ij));
  cmb_expr sp = cmb_mul(g, s, p);
  B.a[4 * i] = cmb_sub(g, ii, sp);
  B.a[4 * j] = cmb_add(g, jj, sp);
  set_both(&B, i, j, cmb_sub(g, cmb_mul(g, c, p), ij));
  return B;
}

/* Returns R A Rᵀ for a rotation R and a symmetric matrix A (3 x 3); the result is exactly symmetric. */
static cmb_matrix rotated(cmb_graph *g, cmb_matrix R, cmb_matrix A)
{
  A = cmb_matrix_product(g, cmb_matrix_product(g, R, A), cmb_matrix_transpose(R));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < i; j++) A.a[3 * i + j] = A.a[3 * j + i];
  }
  return A;
}

cmb_matrix cmb_symmetric_up(cmb_graph *g, const cmb_step *s, cmb_matrix A)
{
  if (s->ball) A = rotated(g, s->R, A);
  A = turn_symmetric(g, 2, s->c, s->s, A);
  A = turn_symmetric(g, 0, s->ca, s->sa, A);
  A = turn_symmetric(g, 2, s->cb, s->sb, A);
  return s->general ? rotated(g, s->F, A) : A;
}

/* Returns A Rᵀ, where R is the rotation from a link's axes to its parent's axes in the transformation s. */
static cmb_matrix rows_up(cmb_graph *g, const cmb_step *s, cmb_matrix A)
{
  for (int i = 0; i < 3; i++) {
    cmb_vector row = cmb_step_up(g, s, row_of(A, i));
    memcpy(A.a + 3 * i, row.x, sizeof row.x);
  }
  return A;
}

cmb_matrix cmb_matrix_up(cmb_graph *g, const cmb_step *s, cmb_matrix A)
{
  A = cmb_matrix_transpose(rows_up(g, s, A)); /* the transpose of A Rᵀ, which is R Aᵀ */
  return cmb_matrix_transpose(rows_up(g, s, A));
}
