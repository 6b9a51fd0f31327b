/*
 * Builds the equations of motion in Cartesian coordinates with Euler parameters (Haug, Negrut and Engstler 1999; its r, p are our q, and
 * v = q̇) as expressions; mechanism.c calls it in the Cartesian formulation:
 *
 *     m r̈ = F,   4 Lᵀ J' L p̈ = 2 Lᵀ (n' − ω' × J' ω'),   ω' = 2 L(p) ṗ,   0 = (p·p − 1)/2 for each body
 *
 * 4 Lᵀ J' L is singular along p. The term c p pᵀ p̈ + c p ṗ·ṗ of the normalisation, which is 0 by its acceleration level, is
 * added: M becomes positive definite, and neither motion nor multipliers change. Likewise c G_kᵀ (G_k v̇ + γ_k) is added for
 * the constraints of bodies without mass or inertia and of joints whose coordinates are used: those are additional coordinates
 * without mass, tied to the bodies by the joint's own kinematics.
 *
 * When velocities are discontinuous there is no such term on the right: M (v⁺ − v⁻) then contains a part c G_kᵀ G_k (v⁺ − v⁻) of the
 * impulse of a constraint k whose rate is discontinuous; therefore these c are stored for layer dae (impulse_weights).
 */
#include "dyn/build.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Typical mass and moment of inertia of the bodies, which determine the weights of the constraints added to M. */
struct scale {
  cmb_number mass, inertia;
};

static struct scale typical(const cmb_build *b)
{
  cmb_graph *g = b->g;
  struct scale s = {cmb_fixed(0), cmb_fixed(0)};
  int n = 0;
  for (int i = 0; i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    if (cmb_is_zero(l->mass)) continue;
    s.mass = cmb_plus(g, s.mass, l->mass);
    const cmb_number trace = cmb_plus(g, cmb_plus(g, l->J[0], l->J[4]), l->J[8]);
    s.inertia = cmb_plus(g, s.inertia, trace);
    n++;
  }
  if (n > 0) s.mass = cmb_over(g, s.mass, cmb_fixed(n));
  if (n > 0) s.inertia = cmb_over(g, s.inertia, cmb_fixed(n));
  if (!(s.mass.value > 0)) s.mass = cmb_fixed(1);
  if (!(s.inertia.value > 0)) s.inertia = s.mass;
  return s;
}

/* The largest ratio of a weight to the mass (of an angle: inertia) of the lightest body that the constraint moves; a larger weight would
 * cost too many digits of that body's inertia. */
static const double MOST_RATIO = 1e6;

/* A body whose inertia is below this times its mass times the square of a typical length is a point mass, and its
 * inertia is rounding error. */
static const double ROUNDING = 1e-20;

/* Returns 1/(1/a + 1/b) for two positive numbers; returns b if a is 0 (no value yet). */
static cmb_number harmonic_sum(cmb_graph *g, cmb_number a, cmb_number b)
{
  const cmb_number one = cmb_fixed(1);
  if (!(a.value > 0)) return b;
  return cmb_over(g, one, cmb_plus(g, cmb_over(g, one, a), cmb_over(g, one, b)));
}

/* Estimates the mass of the lightest body that a constraint moves, by the harmonic sum 1/Σ (1/m) of the masses of all bodies that it moves. For
 * a constraint of an angle uses the traces of their inertia tensors. Returns 0 if none has mass (of an angle: inertia). link_of[nv] is the
 * link of each velocity. */
static cmb_number mass_of_lightest(const cmb_build *b, const cmb_constraint *c, const int *link_of,
                                   const struct scale *typical)
{
  const double length2 = typical->inertia.value / typical->mass.value;
  cmb_number all = cmb_fixed(0);
  for (int i = 0, before = -1; i < c->row.count; i++) {
    const int link = link_of[c->row.column[i]];
    const cmb_link *l = &b->tree->links[link];
    const cmb_number x =
        c->angle ? cmb_plus(b->g, cmb_plus(b->g, l->J[0], l->J[4]), l->J[8]) : l->mass;
    const double least = c->angle ? ROUNDING * length2 * l->mass.value : 0;
    if (link != before && x.value > least) all = harmonic_sum(b->g, all, x);
    before = link;
  }
  return all;
}

/* Returns the weight c with which a constraint is added to the mass matrix, M += c Gᵀ G: the typical mass of all bodies (for a constraint of an
 * angle: inertia) or, if much smaller (by the factor MOST_RATIO), that of the lightest body that the constraint moves. link_of[nv] is the link
 * of each velocity. */
static cmb_number weight_of(const cmb_build *b, const cmb_constraint *c, const int *link_of,
                            const struct scale *typical)
{
  const cmb_number weight = c->angle ? typical->inertia : typical->mass;
  const cmb_number light = mass_of_lightest(b, c, link_of, typical);
  return light.value > 0 && weight.value > MOST_RATIO * light.value ? light : weight;
}

/* The terms of the mass matrix M in the order in which they are added, and the generalised forces f (nv). */
struct sums {
  cmb_list M; /* of cmb_entry */
  cmb_expr *f;
};

/* Appends the expression e as one more term of the entries M_ij and M_ji of the mass matrix. If memory runs out, the arena records the failure. */
static void add_mass_term(cmb_build *b, struct sums *s, int i, int j, cmb_expr e)
{
  for (int side = 0; side < (i == j ? 1 : 2); side++) {
    cmb_entry *entry = cmb_list_add(b, &s->M, sizeof *entry);
    if (entry) *entry = side == 0 ? (cmb_entry){i, j, e} : (cmb_entry){j, i, e};
  }
}

/* Adds the constraint 0 = G v̇ + γ with the weight c to the equations of motion M v̇ = f: M += c Gᵀ G, f −= c Gᵀ γ.
 * `row` is the constraint's row of the Jacobian G. */
static void add_weighted_constraint(cmb_build *b, struct sums *s, cmb_number weight,
                                    const cmb_row *row, cmb_expr gamma)
{
  cmb_graph *g = b->g;
  cmb_expr c = cmb_number_expr(g, weight);
  for (int i = 0; i < row->count; i++) {
    cmb_expr scaled = cmb_mul(g, c, row->e[i]), *f = &s->f[row->column[i]];
    *f = cmb_sub(g, *f, cmb_mul(g, scaled, gamma));
    for (int j = 0; j <= i; j++) {
      add_mass_term(b, s, row->column[i], row->column[j], cmb_mul(g, scaled, row->e[j]));
    }
  }
}

static void body_inertia(cmb_build *b, const cmb_link *l, struct sums *s)
{
  cmb_graph *g = b->g;
  const cmb_expr *p = b->k->q + l->q + 3;
  cmb_matrix J = cmb_number_matrix(g, l->J);
  for (int i = 0; i < 3; i++) {
    add_mass_term(b, s, l->v + i, l->v + i, cmb_number_expr(g, l->mass));
    s->f[l->v + i] = cmb_number_expr(g, cmb_times(g, l->mass, b->model->gravity[i]));
  }
  for (int j = 0; j < 4; j++) {
    cmb_expr e[4] = {0}, column[4];
    e[j] = cmb_constant(g, 4);
    cmb_euler_transposed(g, p, cmb_matrix_times(g, J, cmb_euler_times(g, p, e)), column);
    for (int i = j; i < 4; i++) add_mass_term(b, s, l->v + 3 + i, l->v + 3 + j, column[i]);
  }
}

/* Compares two terms of the mass matrix, for qsort(): by row, by column, then by address. */
static int by_row_and_column(const void *x, const void *y)
{
  const cmb_entry *const *p = x, *const *q = y, *a = *p, *b = *q;
  if (a->row != b->row) return (a->row > b->row) - (a->row < b->row);
  if (a->column != b->column) return (a->column > b->column) - (a->column < b->column);
  return (a > b) - (a < b);
}

/* Sums up the terms of each entry of the mass matrix, and stores the entries in *M, sorted by row and column, without entries that are 0. */
static cmb_status sum_mass(cmb_build *b, const struct sums *s, cmb_entries *M)
{
  const int count = s->M.count;
  const cmb_entry *terms = s->M.items;
  const cmb_entry **order = cmb_arena_take(b->arena, (size_t)count + 1, sizeof(void *));
  *M = (cmb_entries){.entry = cmb_arena_take(b->arena, (size_t)count + 1, sizeof *M->entry)};
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < count; i++) order[i] = &terms[i];
  qsort(order, (size_t)count, sizeof(void *), by_row_and_column);
  for (int i = 0, next; i < count; i = next) {
    cmb_entry sum = *order[i];
    for (next = i + 1; next < count; next++) {
      if (order[next]->row != sum.row || order[next]->column != sum.column) break;
      sum.e = cmb_add(b->g, sum.e, order[next]->e);
    }
    if (sum.e != 0) M->entry[M->count++] = sum;
  }
  return CMB_OK;
}

/* Adds the gyroscopic moment −ω' × J' ω' of a link to its wrench on[link]; ω' is the angular velocity and J' the inertia tensor in the axes of
 * the link. */
static void add_gyroscopic_moment(cmb_build *b, int link, cmb_wrench *on)
{
  cmb_graph *g = b->g;
  const cmb_link *l = &b->tree->links[link];
  cmb_vector w = cmb_euler_times(g, b->k->q + l->q + 3, b->k->v + l->v + 3);
  w = cmb_vector_scale(g, cmb_constant(g, 2), w);
  cmb_vector h = cmb_matrix_times(g, cmb_number_matrix(g, l->J), w);
  on[link].moment = cmb_vector_add(g, on[link].moment, cmb_vector_cross(g, h, w));
  on[link].given = true;
}

/* Returns whether a link has no mass or a singular inertia tensor, as a point mass or an infinitely thin rod has. */
static bool lacks_inertia(const cmb_link *l)
{
  double J[9], minors[3];
  cmb_values_of(9, l->J, J);
  const double trace = J[0] + J[4] + J[8];
  cmb_cross3(J + 3, J + 6, minors);
  return cmb_is_zero(l->mass) || cmb_dot3(J, minors) <= 1e-12 * trace * trace * trace;
}

/* Returns whether a constraint acts on a body that has no mass or a singular inertia tensor. */
static bool acts_on_massless_body(const cmb_build *b, const cmb_constraint *c)
{
  for (int n = 0; n < c->term_count; n++) {
    const cmb_measure *m = &c->terms[n].measure;
    for (int i = 0; i < m->side_count; i++) {
      if (m->side[i].link == CMB_GROUND) continue;
      const cmb_link *l = &b->tree->links[m->side[i].link];
      if (l->kind == CMB_LINK_CARTESIAN && lacks_inertia(l)) return true;
    }
  }
  return false;
}

/* Adds for each freely moving link (a body, or bodies fixed to each other) the constraint (p·p − 1)/2 = 0 on its Euler parameters p, with
 * the row pᵀ of the constraint Jacobian. */
cmb_status cmb_build_normalisation(cmb_build *b)
{
  cmb_graph *g = b->g;
  cmb_expr half = cmb_constant(g, 0.5), one = cmb_constant(g, 1);
  for (int i = 0; i < b->tree->link_count; i++) {
    const cmb_link *l = &b->tree->links[i];
    if (l->kind != CMB_LINK_CARTESIAN) continue;
    const cmb_expr *p = b->k->q + l->q + 3, *rate = b->k->v + l->v + 3;
    cmb_expr size = 0, speed = 0;
    for (int n = 0; n < 4; n++) {
      size = cmb_add(g, size, cmb_square(g, p[n]));
      speed = cmb_add(g, speed, cmb_square(g, rate[n]));
    }
    char *name = cmb_arena_text(b->arena, b->k->q_names[l->q]);
    if (!name) return CMB_ERROR_MEMORY;
    *strrchr(name, '.') = '\0'; /* leaves the body's name */
    cmb_constraint *c = cmb_build_constraint(b, name, "norm", (cmb_measure){.velocity = -1});
    if (!c) return CMB_ERROR_MEMORY;
    c->row = (cmb_row){4, cmb_arena_ints(b->arena, 4), cmb_arena_take(b->arena, 4, sizeof *p)};
    if (!c->row.column || !c->row.e) return CMB_ERROR_MEMORY;
    for (int n = 0; n < 4; n++) c->row.column[n] = l->v + 3 + n, c->row.e[n] = p[n];
    c->term_count = 0;
    c->g = cmb_mul(g, half, cmb_sub(g, size, one));
    c->gamma = speed;
    c->angle = c->weigh = true;
  }
  return CMB_OK;
}

/* Returns whether the rate of a constraint may be discontinuous: whether the constraint comes from the section `loops` or `motions` of the
 * model, and either depends explicitly on time or is given as a formula, which can have branches. Gears and motions count as formulas. */
static bool can_have_discontinuous_rate(const cmb_build *b, const cmb_constraint *c)
{
  return c->loop >= 0 && (c->gt != 0 || b->model->loops[c->loop].type == CMB_LOOP_FORMULA);
}

/* Adds to the equations of motion M v̇ = f those constraints, with weights, without which M would be singular: M += c Gᵀ G, f −= c Gᵀ γ.
 * Stores the weights c of those whose rates can be discontinuous in x->impulse_weights (NaN if c depends on parameters that can be changed
 * after set-up). link_of[nv] is the link of each velocity. */
static void add_weighted_constraints(cmb_build *b, const int *link_of, struct sums *s,
                                     cmb_expressions *x)
{
  const struct scale scale = typical(b);
  for (int i = 0, k = 0; i < b->constraints.count; i++) {
    const cmb_constraint *c = cmb_constraint_at(b, i);
    const int number = c->lambda != 0 ? k++ : -1;
    if (!c->weigh && (number < 0 || !acts_on_massless_body(b, c))) continue;
    const cmb_number weight = weight_of(b, c, link_of, &scale);
    if (!c->weigh && can_have_discontinuous_rate(b, c)) {
      x->impulse_weights[number] = weight.live != 0 ? NAN : weight.value;
    }
    add_weighted_constraint(b, s, weight, &c->row, c->gamma);
  }
}

cmb_status cmb_build_cartesian_form(cmb_build *b, cmb_expressions *x)
{
  const int links = b->tree->link_count;
  struct sums s = {.f = cmb_arena_take(b->arena, (size_t)b->tree->nv, sizeof *s.f)};
  int *link_of = cmb_arena_ints(b->arena, b->tree->nv);
  x->impulse_weights = cmb_arena_doubles(b->arena, x->ng);
  if (cmb_arena_failed(b->arena)) return CMB_ERROR_MEMORY;
  for (int i = 0; i < links; i++) {
    const cmb_link *l = &b->tree->links[i];
    for (int n = 0; n < cmb_link_velocities(l->kind); n++) link_of[l->v + n] = i;
    if (l->kind != CMB_LINK_CARTESIAN || cmb_is_zero(l->mass)) continue;
    body_inertia(b, l, &s);
    add_gyroscopic_moment(b, i, b->scratch);
  }
  cmb_build_wrenches(b, CMB_GROUND, false, b->scratch);
  cmb_wrenches_project(b->k, CMB_GROUND, b->scratch, s.f);
  cmb_build_inner_forces(b, false, s.f);
  add_weighted_constraints(b, link_of, &s, x);
  x->f = s.f;
  return sum_mass(b, &s, &x->M);
}
