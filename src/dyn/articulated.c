/*
 * Factorises the inverse of the mass matrix by the articulated-body recursion (Featherstone), as expressions; joint_form.c uses it for the
 * explicit formalism in joint coordinates. All terms that depend on velocities are on the right-hand side: wrenches p that the links require
 * if v̇ = 0. From the
 * last link to the first, with the inertia of a link together with all links built on it,
 *
 *     [ n ]   [ I   H ] [ ω̇ ]            U: its column along the link's velocity,   D = e·U
 *     [ f ] = [ Hᵀ  M ] [ v̇ ]            u = τ − e·p
 *
 *     inertia − U Uᵀ/D and p + U u/D are added to the parent; then from the first link to the last: a = (u − U·(ω̇, v̇))/D.
 *
 * The first half, f → u = W f, is linear; M = W⁻¹ D W⁻ᵀ. So G M⁻¹ Gᵀ = Zᵀ D⁻¹ Z with Z = W Gᵀ needs only first halves.
 * The three velocities of a ball are eliminated one after the other in the same frame.
 */
#include "dyn/articulation.h"
#include "dyn/inertia.h"

struct inertia {
  cmb_matrix I, H, M;
  bool given;
};

/* Returns which component of a spatial 6-vector belongs to velocity n of a link's joint: 0..2 for a rotation about x, y, z, 3..5 for a
 * translation along x, y, z. */
static int direction_of(cmb_link_kind kind, int n)
{
  return kind == CMB_LINK_BALL ? n : kind == CMB_LINK_TURN ? 2 : 5;
}

static cmb_expr *component(cmb_vector *moment, cmb_vector *force, int direction)
{
  return direction < 3 ? &moment->x[direction] : &force->x[direction - 3];
}

static struct inertia own_inertia(cmb_graph *g, const cmb_link *l)
{
  struct inertia a = {.given = !cmb_is_zero(l->mass)};
  if (!a.given) return a;
  a.I = cmb_number_matrix(g, l->J);
  a.H = cmb_matrix_tilde(g, cmb_number_vector(g, l->first));
  for (int i = 0; i < 3; i++) a.M.a[4 * i] = cmb_number_expr(g, l->mass);
  return a;
}

static void add_matrix(cmb_graph *g, cmb_matrix *to, cmb_matrix A)
{
  for (int i = 0; i < 9; i++) to->a[i] = cmb_add(g, to->a[i], A.a[i]);
}

/* Computes A := A − x yᵀ (3 x 3). Sets row `zero_row` and column `zero_column` (−1: none), which are mathematically zero, to exact zeros; makes
 * the result exactly symmetric if `symmetric` is set. */
static void subtract_product(cmb_graph *g, cmb_matrix *A, cmb_vector x, cmb_vector y, int zero_row,
                             int zero_column, bool symmetric)
{
  for (int i = 0; i < 3; i++) {
    for (int j = symmetric ? i : 0; j < 3; j++) {
      cmb_expr e = cmb_sub(g, A->a[3 * i + j], cmb_mul(g, x.x[i], y.x[j]));
      if (i == zero_row || j == zero_column) e = 0;
      A->a[3 * i + j] = e;
      if (symmetric) A->a[3 * j + i] = e;
    }
  }
}

/* Performs one elimination step of the articulated-body algorithm, for one joint velocity of a link. Replaces the inertia I by I − U Uᵀ/D,
 * where U is its column for component `direction` of the motion and D the diagonal entry. Stores U in *U and 1/D in *inverse. */
static void eliminate(cmb_graph *g, struct inertia *a, int direction, cmb_articulated_column *U,
                      cmb_expr *inverse)
{
  int i = direction % 3;
  if (direction < 3) {
    U->moment = (cmb_vector){{a->I.a[i], a->I.a[3 + i], a->I.a[6 + i]}};
    U->force = (cmb_vector){{a->H.a[3 * i], a->H.a[3 * i + 1], a->H.a[3 * i + 2]}};
  } else {
    U->moment = (cmb_vector){{a->H.a[i], a->H.a[3 + i], a->H.a[6 + i]}};
    U->force = (cmb_vector){{a->M.a[i], a->M.a[3 + i], a->M.a[6 + i]}};
  }
  *inverse = cmb_div(g, cmb_constant(g, 1), *component(&U->moment, &U->force, direction));
  U->moment_D = cmb_vector_scale(g, *inverse, U->moment);
  U->force_D = cmb_vector_scale(g, *inverse, U->force);
  /* this component of U/D is 1, which the recursions take into account */
  *component(&U->moment_D, &U->force_D, direction) = 0;
  int angular = direction < 3 ? i : -1, linear = direction < 3 ? -1 : i;
  subtract_product(g, &a->I, U->moment_D, U->moment, angular, angular, true);
  subtract_product(g, &a->H, U->moment_D, U->force, angular, linear, false);
  subtract_product(g, &a->M, U->force_D, U->force, linear, linear, true);
}

/* Returns the matrix with the columns r × A_j, the cross products of r and the columns of A. */
static cmb_matrix cross_columns(cmb_graph *g, cmb_vector r, cmb_matrix A)
{
  cmb_matrix B;
  for (int j = 0; j < 3; j++) {
    cmb_vector c = cmb_vector_cross(g, r, (cmb_vector){{A.a[j], A.a[3 + j], A.a[6 + j]}});
    for (int i = 0; i < 3; i++) B.a[3 * i + j] = c.x[i];
  }
  return B;
}

/* Adds the articulated-body inertia *a of a link to the inertia *to of its parent, after transforming it from the link's frame to the parent's
 * by s (rotation and offset r). The 6 x 6 inertia has the blocks [I H; Hᵀ M]. The offset gives H' = H + r~ M and I' = I − H r~ + r~ H'ᵀ, where
 * r~ x = r × x. */
static void add_to_parent(cmb_graph *g, const cmb_step *s, const struct inertia *a,
                          struct inertia *to)
{
  cmb_matrix M = cmb_symmetric_up(g, s, a->M), H = cmb_matrix_up(g, s, a->H);
  cmb_matrix I = cmb_symmetric_up(g, s, a->I);
  cmb_matrix left = cmb_matrix_transpose(cross_columns(g, s->offset, cmb_matrix_transpose(H)));
  add_matrix(g, &H, cross_columns(g, s->offset, M));
  cmb_matrix right = cross_columns(g, s->offset, cmb_matrix_transpose(H));
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j <= i; j++) {
      cmb_expr both = cmb_add(g, left.a[3 * i + j], right.a[3 * i + j]);
      I.a[3 * i + j] = I.a[3 * j + i] = cmb_add(g, I.a[3 * i + j], both);
    }
  }
  add_matrix(g, &to->I, I);
  add_matrix(g, &to->H, H);
  add_matrix(g, &to->M, M);
  to->given = true;
}

cmb_status cmb_articulate(cmb_kinematics *k, cmb_articulation **out)
{
  cmb_graph *g = k->g;
  const cmb_tree *tree = k->tree;
  const size_t links = (size_t)tree->link_count + 1;
  cmb_articulation *w = *out = cmb_arena_take(k->arena, 1, sizeof *w);
  struct inertia *inertias = cmb_arena_take(k->arena, links, sizeof *inertias);
  if (!w || !inertias) return CMB_ERROR_MEMORY;
  w->k = k;
  w->steps = cmb_arena_take(k->arena, links, sizeof *w->steps);
  w->columns = cmb_arena_take(k->arena, (size_t)tree->nv + 1, sizeof *w->columns);
  w->inverse = cmb_arena_take(k->arena, (size_t)tree->nv + 1, sizeof *w->inverse);
  w->p = cmb_arena_take(k->arena, links, sizeof *w->p);
  if (cmb_arena_failed(k->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < tree->link_count; i++) {
    w->steps[i] = cmb_step_of(k, i);
    inertias[i] = own_inertia(g, &tree->links[i]);
  }
  for (int i = tree->link_count; i-- > 0;) {
    const cmb_link *l = &tree->links[i];
    for (int n = cmb_link_velocities(l->kind); n-- > 0;) {
      eliminate(g, &inertias[i], direction_of(l->kind, n), &w->columns[l->v + n],
                &w->inverse[l->v + n]);
    }
    if (l->parent != CMB_GROUND && inertias[i].given) {
      add_to_parent(g, &w->steps[i], &inertias[i], &inertias[l->parent]);
    }
  }
  return CMB_OK;
}

/* Performs the step for one joint velocity in the articulated-body pass from the leaves to the ground: replaces the generalised force τ in *u
 * by τ minus component `direction` of the wrench p, and then adds U u/D to p, where *U is the column of the inertia for this component and D
 * its diagonal entry. */
static void half_step(cmb_graph *g, cmb_articulated_column *U, int direction, cmb_wrench *p,
                      cmb_expr *u)
{
  cmb_expr tau = *u, *along = component(&p->moment, &p->force, direction);
  if (p->given) *u = cmb_sub(g, tau, *along);
  if (*u == 0) return;
  p->moment = cmb_vector_add(g, p->moment, cmb_vector_scale(g, *u, U->moment_D));
  p->force = cmb_vector_add(g, p->force, cmb_vector_scale(g, *u, U->force_D));
  *along = tau;
  p->given = true;
}

void cmb_articulation_half(cmb_articulation *w, cmb_expr *f, cmb_wrench *required)
{
  cmb_graph *g = w->k->g;
  const cmb_tree *tree = w->k->tree;
  cmb_wrench *p = required ? required : w->p;
  for (int i = tree->link_count; i-- > 0;) {
    const cmb_link *l = &tree->links[i];
    for (int n = cmb_link_velocities(l->kind); n-- > 0;) {
      half_step(g, &w->columns[l->v + n], direction_of(l->kind, n), &p[i], &f[l->v + n]);
    }
    if (l->parent != CMB_GROUND && p[i].given) {
      const cmb_step *s = &w->steps[i];
      cmb_wrench *to = &p[l->parent];
      cmb_vector force = cmb_step_up(g, s, p[i].force), moment = cmb_step_up(g, s, p[i].moment);
      moment = cmb_vector_add(g, moment, cmb_vector_cross(g, s->offset, force));
      to->force = cmb_vector_add(g, to->force, force);
      to->moment = cmb_vector_add(g, to->moment, moment);
      to->given = true;
    }
    p[i] = (cmb_wrench){.given = false};
  }
}

/* Performs the step for one joint velocity in the articulated-body pass from the ground to the leaves. Returns the joint's acceleration along
 * component `direction` of the motion, (u − U·(dw, dv))/D with `inverse` = 1/D and the column *U of the inertia, and adds this acceleration to
 * the link's angular and linear acceleration *dw, *dv. */
static cmb_expr full_step(cmb_graph *g, const cmb_articulated_column *U, cmb_expr inverse,
                          int direction, cmb_expr u, cmb_vector *dw, cmb_vector *dv)
{
  cmb_expr *along = component(dw, dv, direction), before = *along;
  *along = 0;
  cmb_expr carried =
      cmb_add(g, cmb_vector_dot(g, U->moment_D, *dw), cmb_vector_dot(g, U->force_D, *dv));
  *along = cmb_sub(g, cmb_mul(g, u, inverse), carried);
  return cmb_sub(g, *along, before);
}

void cmb_articulation_accelerate(cmb_articulation *w, const cmb_expr *u, cmb_expr *a)
{
  cmb_graph *g = w->k->g;
  const cmb_tree *tree = w->k->tree;
  cmb_vector *dw = cmb_arena_take(w->k->arena, (size_t)tree->link_count + 1, sizeof *dw);
  cmb_vector *dv = cmb_arena_take(w->k->arena, (size_t)tree->link_count + 1, sizeof *dv);
  if (!dw || !dv) return;
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    const cmb_step *s = &w->steps[i];
    if (l->parent != CMB_GROUND) {
      cmb_vector at_joint = cmb_vector_cross(g, dw[l->parent], s->offset);
      dw[i] = cmb_step_down(g, s, dw[l->parent]);
      dv[i] = cmb_step_down(g, s, cmb_vector_add(g, dv[l->parent], at_joint));
    }
    for (int n = 0; n < cmb_link_velocities(l->kind); n++) {
      const int v = l->v + n;
      a[v] = full_step(g, &w->columns[v], w->inverse[v], direction_of(l->kind, n), u[v], &dw[i],
                       &dv[i]);
    }
  }
}

const cmb_expr *cmb_articulation_inverse(const cmb_articulation *w)
{
  return w->inverse;
}
