/*
 * States of rest of a system along a path of its live parameters p: q(p) with g(q; p) = 0 and f(q, 0; p) = Gᵀ λ, and their
 * derivatives, by
 *
 *     J T w + Gᵀ λ' + ∂r/∂p = 0,   G w + ∂g/∂p = 0      J = ∂r/∂q, r = −f + Gᵀ λ, q' = T w
 *
 * with w = w₀ + N z in the tangent space (tangent.h): G w₀ = −∂g/∂p, NᵀJTN z = −Nᵀ(∂r/∂p + J T w₀). Motions without stiffness, such
 * as the spin of a wheel, have z = 0; it is an error if a change exerts a force on them. If the constraints leave no motion, this
 * is kinematics, and forces determine λ only. Used for the kinematics of suspensions.
 */
#ifndef CMB_SYSTEM_QUASISTATIC_H
#define CMB_SYSTEM_QUASISTATIC_H

#include "dae/derivative.h"
#include "dae/modes.h"
#include "dae/system.h"
#include "system/tangent.h"

typedef struct cmb_quasistatic {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_evaluator *ev;
  cmb_differences *differences;
  cmb_tangent tangent;
  cmb_mode_search modes;
  double t;
  int count;
  const int *parameter; /* (count) indices of the parameters that change */

  /* the state */
  double *p;      /* (np) parameters */
  double *q;      /* (nq) positions */
  double *lambda; /* (ng) multipliers */
  double *W;      /* (count x nv) derivatives w */
  double *L;      /* (count x ng) derivatives λ' */
  double *gp;     /* (count x ng) ∂g/∂p */

  /* scratch */
  double *q_try, *dq, *rest, *left, *rhs, *z, *K, *J, *P, *p_from;
  int *column;
} cmb_quasistatic;

/* Creates all data from the system, which must outlive x and have exact derivatives. Call cmb_quasistatic_destroy also after a
 * failure. */
cmb_status cmb_quasistatic_create(cmb_quasistatic *x, cmb_context *ctx, const cmb_system *system,
                                  int count, const int *parameter);
void cmb_quasistatic_destroy(cmb_quasistatic *x);

/* Evaluates the forces and their derivatives at q, which need not be a state of rest. */
cmb_status cmb_quasistatic_evaluate(cmb_quasistatic *x, const double *q);

/* Returns whether velocity i alone is a possible motion at the position last evaluated that no constraint but the `drives` (count)
 * restricts, that has no stiffness, and that the drives do not hold. */
bool cmb_quasistatic_is_free(cmb_quasistatic *x, int i, int count, const int *drives);

/* Finds the state of rest near q_start (nq), with the parameters as they are, and its derivatives. */
cmb_status cmb_quasistatic_begin(cmb_quasistatic *x, const double *q_start);

/* Moves to the values `to` (count) of the parameters, in steps along which the path is nearly straight. Returns CMB_RETRY_NEWTON if
 * only the fraction *reached of the path is possible, where the state is then; the context has the reason. */
cmb_status cmb_quasistatic_go(cmb_quasistatic *x, const double *to, double *reached);

#endif
