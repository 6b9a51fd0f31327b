/*
 * Builds the derivatives of the inertial forces τ(q, v, a) with respect to q and v in closed form, for the Newton matrices of long chains in
 * joint coordinates (joint_form.c offers it to layer dae); O(N d) for N links and d links on the path to the ground (Singh, Russell and Wensing
 * 2022, "Efficient analytical derivatives of rigid-body dynamics using spatial vector algebra"). With S_i the motion (angular, linear) that
 * velocity i makes, p the parent of i, j on the path from i to the ground, and sums over all links built on i: inertia I, forces f, and B,
 *
 *     Ψ_i = v_p × S_i     Ψ'_i = a_p × S_i + v_p × Ψ_i
 *     ∂τ_i/∂q_j = S_i·(2B_i Ψ_j + I_i Ψ'_j)      ∂τ_j/∂q_i = S_j·(2B_i Ψ_i + I_i Ψ'_i + S_i ×* f_i)
 *     ∂τ_i/∂v_j = S_i·(2B_i S_j + 2 I_i Ψ_j)     ∂τ_j/∂v_i = S_j·(2B_i S_i + 2 I_i Ψ_i)
 *
 * In the paper Ψ, Ψ' are Ψ with one and two dots. Written with the moments of mass m, c = Σ m x, P = Σ m x xᵀ, and
 * velocities u of the points, B consists of two sums and depends on the angular part α of a motion only:
 *
 *     D = Σ m u xᵀ = v cᵀ + ω~ P,   h = Σ m u = m v + ω × c:      2B (α, β) = 2 (tr(D) α − D α,  α × h)
 *
 * All vectors are in the reference frame of the tree (reference.h), so that sums need no rotation.
 */
#include "dyn/jacobian.h"

#include "dyn/reference.h"

#include <stdlib.h>

/* The motion and mass of a link in the axes of its tree's reference link. */
struct moving {
  cmb_frame at;
  cmb_motion S, v, a, psi, psi2;
  /* sums over the link and all links built on it */
  cmb_number mass;
  cmb_vector first;
  cmb_matrix second, D;
  cmb_vector h;
  cmb_force f;
};

/* The vectors of link i from which its row and column of the derivatives follow, by products with the motions of the links before it. */
struct columns {
  cmb_force U;  /* I S */
  cmb_vector C; /* the factor of the angular part in S·2B */
  /* the columns of the derivatives by q and v, as forces to be multiplied with S_j */
  cmb_force by_q, by_v;
};

bool cmb_inertial_jacobian_pays(const cmb_tree *tree)
{
  int deepest = 0;
  for (int i = 0; i < tree->link_count; i++) {
    const int depth = tree->links[i].v_before + 1; /* every link has one velocity here */
    if (tree->links[i].kind != CMB_LINK_TURN && tree->links[i].kind != CMB_LINK_SHIFT) return false;
    if (depth > deepest) deepest = depth;
  }
  return deepest > CMB_LANES;
}

/* ---- motions */

static cmb_motion scaled(cmb_graph *g, cmb_expr s, cmb_motion m)
{
  return (cmb_motion){cmb_vector_scale(g, s, m.angular), cmb_vector_scale(g, s, m.linear)};
}

static void move(cmb_graph *g, cmb_expr rate, cmb_expr second, const struct moving *from,
                 struct moving *m)
{
  m->psi = cmb_motion_cross(g, from->v, m->S);
  m->psi2 =
      cmb_motion_add(g, cmb_motion_cross(g, from->a, m->S), cmb_motion_cross(g, from->v, m->psi));
  m->v = cmb_motion_add(g, from->v, scaled(g, rate, m->S));
  cmb_motion own = cmb_motion_add(g, scaled(g, second, m->S), scaled(g, rate, m->psi));
  m->a = cmb_motion_add(g, from->a, own);
}

/* ---- inertia */

/* Computes the mass moments Σ m, Σ m x, Σ m x xᵀ of a link in the reference frame of the tree from those in the
 * link's own frame, *o, and stores them in *m. */
static void set_mass_moments(cmb_graph *g, const cmb_moments *o, struct moving *m)
{
  cmb_vector first = cmb_matrix_times(g, m->at.A, cmb_number_vector(g, o->first));
  cmb_expr mass = cmb_number_expr(g, o->mass);
  cmb_matrix P = cmb_matrix_product(g, m->at.A, cmb_number_matrix(g, o->second));
  P = cmb_matrix_product(g, P, cmb_matrix_transpose(m->at.A));
  m->mass = o->mass;
  for (int i = 0; i < 3; i++) {
    m->first.x[i] = cmb_add(g, first.x[i], cmb_mul(g, mass, m->at.r.x[i]));
    for (int j = 0; j <= i; j++) { /* r cᵀ + c rᵀ + m r rᵀ */
      cmb_expr sum = cmb_mul(g, m->at.r.x[i], first.x[j]);
      sum = cmb_add(g, sum, cmb_mul(g, m->first.x[i], m->at.r.x[j]));
      m->second.a[3 * i + j] = m->second.a[3 * j + i] = cmb_add(g, P.a[3 * i + j], sum);
    }
  }
}

static cmb_matrix cross_columns(cmb_graph *g, cmb_vector w, cmb_matrix A)
{
  return cmb_matrix_product(g, cmb_matrix_tilde(g, w), A);
}

/* Computes two sums over the mass points m of a link with positions x and velocities u, D = Σ m u xᵀ and h = Σ m u, from the link's velocity
 * (ω, v) and its mass moments m, c, P in *m: D = v cᵀ + ω~ P (ω~: matrix of the cross product) and h = m v + ω × c. */
static void set_velocity_sums(cmb_graph *g, struct moving *m)
{
  m->D = cross_columns(g, m->v.angular, m->second);
  for (int i = 0; i < 9; i++) {
    cmb_expr outer = cmb_mul(g, m->v.linear.x[i / 3], m->first.x[i % 3]);
    m->D.a[i] = cmb_add(g, m->D.a[i], outer);
  }
  m->h = cmb_vector_add(g, cmb_vector_scale(g, cmb_number_expr(g, m->mass), m->v.linear),
                        cmb_vector_cross(g, m->v.angular, m->first));
}

/* Returns (tr(A) 1 − A) x for a 3 x 3 matrix A, where 1 is the identity. */
static cmb_vector trace_minus_times(cmb_graph *g, cmb_matrix A, cmb_vector x)
{
  cmb_expr trace = cmb_add(g, cmb_add(g, A.a[0], A.a[4]), A.a[8]);
  return cmb_vector_sub(g, cmb_vector_scale(g, trace, x), cmb_matrix_times(g, A, x));
}

static cmb_force inertia_times(cmb_graph *g, const struct moving *m, cmb_motion x)
{
  cmb_expr mass = cmb_number_expr(g, m->mass);
  return (cmb_force){cmb_vector_add(g, trace_minus_times(g, m->second, x.angular),
                                    cmb_vector_cross(g, m->first, x.linear)),
                     cmb_vector_add(g, cmb_vector_scale(g, mass, x.linear),
                                    cmb_vector_cross(g, x.angular, m->first))};
}

/* Returns 2 B a for the Coriolis matrix B of a link and a motion a with the angular part α: (2 (tr(D) 1 − D) α, 2 α × h). D = Σ m u xᵀ and h =
 * Σ m u are sums over the link's mass points x with velocities u. */
static cmb_force b_times(cmb_graph *g, const struct moving *m, cmb_vector alpha)
{
  cmb_vector twice = cmb_vector_scale(g, cmb_constant(g, 2), alpha);
  return (cmb_force){trace_minus_times(g, m->D, twice), cmb_vector_cross(g, twice, m->h)};
}

/* Computes the inertial force I a + v ×* I v of a link (spatial 6-vectors: inertia I, velocity v, acceleration a,
 * cross product ×* of a motion and a force) and stores it in m->f. */
static void set_inertial_force(cmb_graph *g, struct moving *m)
{
  cmb_force bias = {trace_minus_times(g, m->D, m->v.angular),
                    cmb_vector_cross(g, m->v.angular, m->h)};
  m->f = cmb_force_add(g, inertia_times(g, m, m->a), bias);
}

static void add_sums(cmb_graph *g, const struct moving *m, struct moving *to)
{
  to->mass = cmb_plus(g, to->mass, m->mass);
  to->first = cmb_vector_add(g, to->first, m->first);
  to->h = cmb_vector_add(g, to->h, m->h);
  to->f = cmb_force_add(g, to->f, m->f);
  for (int i = 0; i < 9; i++) {
    to->second.a[i] = cmb_add(g, to->second.a[i], m->second.a[i]);
    to->D.a[i] = cmb_add(g, to->D.a[i], m->D.a[i]);
  }
}

/* ---- derivatives */

static struct columns columns_of(cmb_graph *g, const struct moving *m)
{
  const cmb_expr two = cmb_constant(g, 2);
  struct columns c = {.U = inertia_times(g, m, m->S)};
  c.C = cmb_vector_add(g, trace_minus_times(g, cmb_matrix_transpose(m->D), m->S.angular),
                       cmb_vector_cross(g, m->h, m->S.linear));
  c.C = cmb_vector_scale(g, two, c.C);
  c.by_q = cmb_force_add(g, b_times(g, m, m->psi.angular), inertia_times(g, m, m->psi2));
  c.by_q = cmb_force_add(g, c.by_q, cmb_motion_cross_force(g, m->S, m->f));
  c.by_v =
      cmb_force_add(g, b_times(g, m, m->S.angular), inertia_times(g, m, scaled(g, two, m->psi)));
  return c;
}

static void add_entry(cmb_entries *to, int row, int column, cmb_expr e)
{
  if (e != 0) to->entry[to->count++] = (cmb_entry){row, column, e};
}

static void add_pair(cmb_graph *g, const cmb_link *i, const cmb_link *j, const struct columns *c,
                     const struct moving *m, cmb_entries *by_q, cmb_entries *by_v)
{
  cmb_motion twice = scaled(g, cmb_constant(g, 2), m->psi);
  add_entry(by_q, i->v, j->q,
            cmb_add(g, cmb_vector_dot(g, c->C, m->psi.angular), cmb_power(g, c->U, m->psi2)));
  add_entry(by_v, i->v, j->v,
            cmb_add(g, cmb_vector_dot(g, c->C, m->S.angular), cmb_power(g, c->U, twice)));
  if (i == j) return;
  add_entry(by_q, j->v, i->q, cmb_power(g, c->by_q, m->S));
  add_entry(by_v, j->v, i->v, cmb_power(g, c->by_v, m->S));
}

static int by_row_and_column(const void *a, const void *b)
{
  const cmb_entry *x = a, *y = b;
  return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
                          : (x->column > y->column) - (x->column < y->column);
}

static bool allocate_entries(cmb_kinematics *k, cmb_entries *to)
{
  size_t count = 1;
  for (int i = 0; i < k->tree->link_count; i++) {
    for (int at = i; at != CMB_GROUND; at = k->tree->links[at].parent) count += 2;
  }
  *to = (cmb_entries){.entry = cmb_arena_take(k->arena, count, sizeof *to->entry)};
  return to->entry != NULL;
}

/* Computes in *ground the motion of the ground at the root of the tree that contains `link`: at rest, but with the acceleration −gravity, so
 * that inertial forces computed from it include the weights; in the axes of the tree's reference frame. Returns false if out of memory. */
static bool ground_motion(cmb_kinematics *k, int link, struct moving *ground)
{
  cmb_graph *g = k->g;
  const cmb_pose *p = cmb_pose_of(k, cmb_reference_link(k->tree, link), CMB_GROUND);
  if (!p) return false;
  cmb_vector up = cmb_number_vector(g, k->tree->model->gravity);
  for (int i = 0; i < 3; i++) up.x[i] = cmb_neg(g, up.x[i]);
  *ground = (struct moving){.a.linear = cmb_matrix_times(g, cmb_matrix_transpose(p->R), up)};
  return true;
}

/* Computes in moving[] for each link, without the links beyond it: its motion for the accelerations a[nv], its mass moments, the sums over its
 * mass points that contain their velocities (set_velocity_sums), and its inertial force. */
static cmb_status move_links(cmb_kinematics *k, const cmb_expr *a, struct moving *moving)
{
  const cmb_tree *tree = k->tree;
  for (int i = 0; i < tree->link_count; i++) {
    const cmb_link *l = &tree->links[i];
    struct moving ground = {.mass = cmb_fixed(0)};
    if (l->parent == CMB_GROUND && !ground_motion(k, i, &ground)) return CMB_ERROR_MEMORY;
    if (!cmb_reference_frame(k, i, &moving[i].at)) return CMB_ERROR_MEMORY;
    moving[i].S = cmb_reference_motion(k, i, 0, &moving[i].at);
    move(k->g, k->v[l->v], a[l->v], l->parent == CMB_GROUND ? &ground : &moving[l->parent],
         &moving[i]);
    set_mass_moments(k->g, &l->reduced, &moving[i]);
    set_velocity_sums(k->g, &moving[i]);
    set_inertial_force(k->g, &moving[i]);
  }
  return CMB_OK;
}

cmb_status cmb_inertial_jacobian(cmb_kinematics *k, const cmb_expr *a, cmb_entries *by_q,
                                 cmb_entries *by_v)
{
  const cmb_tree *tree = k->tree;
  struct moving *moving = cmb_arena_take(k->arena, (size_t)tree->link_count, sizeof *moving);
  if (!moving || !allocate_entries(k, by_q) || !allocate_entries(k, by_v)) return CMB_ERROR_MEMORY;
  CMB_TRY(move_links(k, a, moving));
  for (int i = tree->link_count; i-- > 0;) {
    const cmb_link *l = &tree->links[i];
    const struct columns c = columns_of(k->g, &moving[i]);
    for (int j = i; j != CMB_GROUND; j = tree->links[j].parent) {
      add_pair(k->g, l, &tree->links[j], &c, &moving[j], by_q, by_v);
    }
    if (l->parent != CMB_GROUND) add_sums(k->g, &moving[i], &moving[l->parent]);
  }
  qsort(by_q->entry, (size_t)by_q->count, sizeof *by_q->entry, by_row_and_column);
  qsort(by_v->entry, (size_t)by_v->count, sizeof *by_v->entry, by_row_and_column);
  return CMB_OK;
}
