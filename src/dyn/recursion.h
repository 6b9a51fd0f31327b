/*
 * The recursions of joint coordinates, O(N) in the number of links, each in its links' own axes:
 *
 *     cmb_newton_euler   forces that a motion needs: r = M a − f (residual formalism), and −f itself with a = 0
 *     cmb_mass_matrix    M by composite rigid bodies
 *     cmb_mass_factors_make  W, D and M as products, where M itself has too many entries
 *     cmb_articulate     M = W⁻¹ D W⁻ᵀ by articulated bodies (explicit formalism): a = Wᵀ D⁻¹ W f without forming M
 */
#ifndef CMB_DYN_RECURSION_H
#define CMB_DYN_RECURSION_H

#include "dyn/expressions.h"
#include "dyn/kinematics.h"

/* Inertial forces of all links for accelerations `a` (NULL: 0) under gravity: on[i] is what link i needs to move so, with the
 * masses that the motion needs; moments about the origins, links' axes. As generalised forces they are right; what goes
 * through a joint beside that is not what they say. */
void cmb_newton_euler(cmb_kinematics *k, const cmb_expr *a, cmb_wrench *on);

/* Entries of M, both triangles, sorted. */
cmb_status cmb_mass_matrix(cmb_kinematics *k, cmb_entries *M);

typedef struct cmb_articulation cmb_articulation;

cmb_status cmb_articulate(cmb_kinematics *k, cmb_articulation **articulation);

/* u = W f, f given as generalised forces (nv) and wrenches that links need (or NULL); both are used up, u replaces f. */
void cmb_articulation_half(cmb_articulation *w, cmb_expr *f, cmb_wrench *needed);

/* a = Wᵀ D⁻¹ u */
void cmb_articulation_accelerate(cmb_articulation *w, const cmb_expr *u, cmb_expr *a);

/* The factors as values, and the products with them. Is M so full that they cost less than its entries, with ng constraints? */
/* The live parameters are among the values. */
cmb_status cmb_mass_factors_make(cmb_articulation *w, int np, const cmb_expr *parameter,
                                 cmb_mass_expressions *out);
bool cmb_mass_factors_pay(const cmb_tree *tree, int ng);

/* How many entries M has, both triangles. */
double cmb_mass_entries(const cmb_tree *tree);

/* 1/D (nv) */
const cmb_expr *cmb_articulation_inverse(const cmb_articulation *w);

#endif
