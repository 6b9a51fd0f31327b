/*
 * Equations in which contacts stay closed: a layer that adds the constraints u = 0 of the surfaces of rules (dae.h, `surfaces`),
 * and for each a switching function that becomes negative when the contact opens.
 *
 *     M v̇ = f − Gᵀλ − Uᵀμ,   0 = u(t, q),   U = ∂u̇/∂v
 *
 * If a rule holds from one side, its condition being met where u > 0, the contact lasts while the surface pushes: μ ≥ 0; from the
 * other side while μ ≤ 0. If it holds from both sides, the force without which the motion would leave must lead back on each: with
 * μ₊ and μ₋ in the modes of the two sides, μ₋ ≥ 0 ≥ μ₊. Instead of 0, μ is compared with a slack far below the forces on the bodies
 * in contact, so that bodies which touch without pressing do not separate and meet again endlessly because of rounding errors.
 *
 * The constraints and their forces are scaled so that the largest entry of U was 1 when the contact closed, whatever the unit of u
 * is.
 *
 * Switching functions of velocities that the constraints determine completely, ∂s/∂v = c G, such as the sliding velocity of a body
 * that cannot move, are held: where they are 0 within the tolerances they are set to 0, with the modes that the formulas have at 0.
 */
#ifndef CMB_DAE_RESTING_H
#define CMB_DAE_RESTING_H

#include "base/archive.h"
#include "dae/evaluator.h"
#include "dae/layer.h"

typedef struct cmb_resting {
  cmb_layer layer;
  int count;
  const int *rule; /* (count) the rules whose contacts are closed */
  /* (ns of inner) functions that the rules' conditions read: 0 on the surface but for rounding, so their modes are kept */
  bool *frozen;
  double *u, *ut, *gamma; /* (rule_count) surfaces of all rules */
  double *U;              /* (rule_count x nv) their gradients, stored as in the inner equations */
  cmb_pattern pattern;    /* of G */
  /* evaluator of these equations in the modes of the other side; NULL: no rule holds from both sides */
  cmb_evaluator *other;
  double *a, *lambda; /* (nv), (ng) scratch */
  double *unit;       /* (count) factors by which the constraints are scaled */
  double *slack;      /* (count) contact forces that count as 0 */
  double *force;      /* (nv) size of the forces on each velocity */
  double *largest;    /* (nv) largest such force in each independent part of the model */
  int *part;          /* (nv) the part of the model to which each velocity belongs */
  /* (ns of inner) absolute value up to which a held function is 0; 0 for functions that are not held */
  double *limit;
  /* (ns of inner) for held functions, frozen ones too, the sign of their rate along an arbitrary direction; 0: not held */
  int *held;
  double *direction;          /* (nv) scratch for finding held functions */
  double *flow;               /* (6 ns of inner) scratch for finding held functions */
  bool *met;                  /* (rule_count) which conditions are met */
  double *row;                /* (nv) a dense gradient */
  double *push;               /* (rule_count) forces of closed contacts, 0 for other rules */
  cmb_interval *gamma_bounds; /* (rule_count) scratch */
} cmb_resting;

/* Creates the layer for closed contacts of the given rules, which have surfaces. Arrays come from `arena`; names of switching
 * functions, which may be reported after the layer is gone, from `lasting`. `inner` and `rule` must outlive the layer. */
cmb_status cmb_resting_create(cmb_context *ctx, cmb_arena *arena, cmb_arena *lasting,
                              const cmb_equations *inner, int count, const int *rule,
                              cmb_resting **out);
void cmb_resting_destroy(cmb_resting *x);

/* Sets the scaling of the constraints when contacts close. Call it before anything is evaluated. */
cmb_status cmb_resting_measure(cmb_resting *x, const cmb_point *at);

/* Computes the slack of contact forces and the held functions when contacts close at a state. An acceleration `still` and a
 * velocity `slow` count as 0. `ev` is the evaluator of the layer's equations; afterwards it has M, G and factors of that state. */
cmb_status cmb_resting_begin(cmb_resting *x, cmb_evaluator *ev, const cmb_point *at, double still,
                             double slow);

/* Enlarges the slack of contact forces at a later state where the other forces are larger. */
cmb_status cmb_resting_widen(cmb_resting *x, cmb_evaluator *ev, const cmb_point *at, double still);

/* Writes or reads what was computed when the contacts closed, for a saved run (base/archive.h). */
void cmb_resting_visit(cmb_resting *x, cmb_archive *a);

#endif
