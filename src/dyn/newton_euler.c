/*
 * Computes the forces of inverse dynamics for given accelerations by the Newton–Euler recursion along the tree of links; joint_form.c calls it.
 * It works with accelerations of points rather than with 6-vectors:
 *
 *     K = ω̇~ + ω~ ω~        the point x of a link has the acceleration a + K x
 *     f = m a + K (m c)      n = m c × a + vee(K P),   P = Σ m x xᵀ,   vee(A) = (A_zy − A_yz, A_xz − A_zx, A_yx − A_xy)
 *
 * ω~ is the matrix of the cross product with ω; f and n are the inertial force and the moment about the link's origin. m, m c and P are the
 * base parameters (base.c): of the ten numbers of a turn seven remain, with m = 0. This takes about 150 operations for a link, where
 * 6-vectors take 230. Gravity enters as an acceleration of the ground.
 */
#include "dyn/recursion.h"

#include <string.h>

struct motion {
  /* angular velocity ω, its rate, and the acceleration of the origin, in the link's axes */
  cmb_vector w, dw, a;
  cmb_matrix K;
};

static cmb_matrix acceleration_field(cmb_graph *g, cmb_vector w, cmb_vector dw)
{
  cmb_expr ww[3][3];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) ww[i][j] = ww[j][i] = cmb_mul(g, w.x[i], w.x[j]);
  }
  cmb_matrix K;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    K.a[4 * i] = cmb_neg(g, cmb_add(g, ww[j][j], ww[l][l]));
    K.a[3 * l + j] = cmb_add(g, ww[l][j], dw.x[i]);
    K.a[3 * j + l] = cmb_sub(g, ww[j][l], dw.x[i]);
  }
  return K;
}

/* Adds the motion of a link relative to its parent to *m, which on entry is the motion of a frame fixed to the parent, in the link's axes: adds
 * the contributions of the link's joint velocities and of the accelerations a[nv] (NULL: 0) to the angular velocity, its rate and the
 * acceleration of the origin. */
static void add_relative_motion(cmb_kinematics *k, const cmb_link *l, const cmb_expr *a,
                                struct motion *m)
{
  cmb_graph *g = k->g;
  cmb_expr none[CMB_MOST_COORDINATES] = {0};
  const cmb_expr *rate = k->v + l->v, *second = a ? a + l->v : none;
  cmb_vector own = {{0, 0, 0}}, more = {{0, 0, 0}};
  if (l->kind == CMB_LINK_SHIFT) {
    own.x[2] = rate[0], more.x[2] = second[0];
    cmb_vector coriolis = cmb_vector_cross(g, m->w, own);
    coriolis = cmb_vector_scale(g, cmb_constant(g, 2), coriolis);
    m->a = cmb_vector_add(g, m->a, cmb_vector_add(g, coriolis, more));
    return;
  }
  if (l->kind == CMB_LINK_TURN) own.x[2] = rate[0], more.x[2] = second[0];
  if (l->kind == CMB_LINK_BALL) {
    memcpy(own.x, rate, sizeof own.x);
    memcpy(more.x, second, sizeof more.x);
  }
  cmb_vector turning = cmb_vector_cross(g, m->w, own);
  m->dw = cmb_vector_add(g, m->dw, cmb_vector_add(g, turning, more));
  m->w = cmb_vector_add(g, m->w, own);
}

/* Computes vee(K P) for a matrix K and the symmetric matrix P of second mass moments, where vee(A) = (A_zy − A_yz, A_xz − A_zx, A_yx − A_xy). */
static cmb_vector vee_of_product(cmb_graph *g, const cmb_matrix *K, const cmb_number second[9])
{
  const cmb_matrix P = cmb_number_matrix(g, second);
  cmb_vector n;
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    cmb_expr apart = cmb_sub(g, K->a[4 * l], K->a[4 * j]);
    cmb_expr sum = cmb_mul(g, P.a[3 * j + l], apart);
    sum = cmb_add(g, sum, cmb_mul(g, P.a[3 * i + j], K->a[3 * l + i]));
    sum = cmb_sub(g, sum, cmb_mul(g, P.a[3 * i + l], K->a[3 * j + i]));
    sum = cmb_add(g, sum, cmb_mul(g, P.a[4 * j], K->a[3 * l + j]));
    n.x[i] = cmb_sub(g, sum, cmb_mul(g, P.a[4 * l], K->a[3 * j + l]));
  }
  return n;
}

static void inertial_force(cmb_graph *g, const cmb_moments *o, const struct motion *m,
                           cmb_wrench *w)
{
  cmb_vector first = cmb_number_vector(g, o->first);
  cmb_vector ma = cmb_vector_scale(g, cmb_number_expr(g, o->mass), m->a);
  w->force = cmb_vector_add(g, ma, cmb_matrix_times(g, m->K, first));
  w->moment =
      cmb_vector_add(g, cmb_vector_cross(g, first, m->a), vee_of_product(g, &m->K, o->second));
  w->given = true;
}

void cmb_newton_euler(cmb_kinematics *k, const cmb_expr *a, cmb_wrench *on)
{
  cmb_graph *g = k->g;
  const cmb_tree *tree = k->tree;
  struct motion *motions = cmb_arena_take(k->arena, (size_t)tree->link_count + 1, sizeof *motions);
  if (!motions) return;
  struct motion ground = {.a = cmb_number_vector(g, tree->model->gravity)};
  for (int i = 0; i < 3; i++) ground.a.x[i] = cmb_neg(g, ground.a.x[i]);
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    const struct motion *from = l->parent == CMB_GROUND ? &ground : &motions[l->parent];
    const cmb_step s = cmb_step_of(k, i);
    struct motion *m = &motions[i];
    m->w = cmb_step_down(g, &s, from->w);
    m->dw = cmb_step_down(g, &s, from->dw);
    cmb_vector at_joint = cmb_matrix_times(g, from->K, s.offset);
    m->a = cmb_step_down(g, &s, cmb_vector_add(g, from->a, at_joint));
    add_relative_motion(k, l, a, m);
    m->K = acceleration_field(g, m->w, m->dw);
    inertial_force(g, &l->reduced, m, &on[i]);
  }
}
