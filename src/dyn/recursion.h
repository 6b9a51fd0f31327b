/*
 * Recursions along the tree of links in joint coordinates, O(N) in the number of links except for M, which has more entries; used by
 * joint_form.c:
 *
 *     cmb_newton_euler   inverse dynamics: r = M a − f (residual formalism), and −f itself with a = 0
 *     cmb_mass_matrix    M by composite rigid bodies
 *     cmb_mass_factors_make  W, D and M as products, where M itself has too many entries
 *     cmb_articulate     M = W⁻¹ D W⁻ᵀ by articulated bodies (explicit formalism): a = Wᵀ D⁻¹ W f without forming M
 */
#ifndef CMB_DYN_RECURSION_H
#define CMB_DYN_RECURSION_H

#include "dyn/expressions.h"
#include "dyn/kinematics.h"

/* Computes the inertial and weight wrenches on[i] of all links for the accelerations `a` (NULL: 0), about the links'
 * origins in the links' axes, with the base parameters of base.c. Their generalised forces are exact; reactions in
 * joints cannot be computed from them, since parts of the masses are attributed to parent links. */
void cmb_newton_euler(cmb_kinematics *k, const cmb_expr *a, cmb_wrench *on);

/* Computes the entries of M, both triangles, sorted by row and column. */
cmb_status cmb_mass_matrix(cmb_kinematics *k, cmb_entries *M);

typedef struct cmb_articulation cmb_articulation;

cmb_status cmb_articulate(cmb_kinematics *k, cmb_articulation **articulation);

/* Computes u = W f for f = τ minus the generalised forces of wrenches: the array f (nv) contains τ and is replaced by
 * u; `required` (links; may be NULL) are the wrenches, zero afterwards. */
void cmb_articulation_half(cmb_articulation *w, cmb_expr *f, cmb_wrench *required);

/* Computes the accelerations a = Wᵀ D⁻¹ u. */
void cmb_articulation_accelerate(cmb_articulation *w, const cmb_expr *u, cmb_expr *a);

/* Computes the factors of M as values, and the products with them as functions of symbols. The np live parameters are
 * among the values. */
cmb_status cmb_mass_factors_make(cmb_articulation *w, int np, const cmb_expr *parameter,
                                 cmb_mass_expressions *out);
bool cmb_mass_factors_pay(const cmb_tree *tree, int ng);

/* Returns the number of entries of M, both triangles. */
double cmb_mass_entries(const cmb_tree *tree);

/* Returns 1/D (nv). */
const cmb_expr *cmb_articulation_inverse(const cmb_articulation *w);

#endif
