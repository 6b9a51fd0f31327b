/*
 * Follows states of rest (static equilibria) of a system while its live parameters p, those that can be changed after set-up, move
 * along a path: q(p) with g(q; p) = 0 and f(q, 0; p) = Gᵀ λ, and their derivatives, by
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
  double *W;      /* (count x nv) derivatives w of displacements by the parameters */
  double *L;      /* (count x ng) derivatives λ' of multipliers */
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

/* Evaluates at q (nq), which need not be a state of rest, the tangent space, the forces and ∂r/∂q, for cmb_quasistatic_is_free. */
cmb_status cmb_quasistatic_evaluate(cmb_quasistatic *x, const double *q);

/* Returns whether the motion of velocity i alone has no stiffness at the position last evaluated, is restricted by no constraint except
 * those listed in drives (count), and is not blocked by these. Overwrites x->L. */
bool cmb_quasistatic_is_free(cmb_quasistatic *x, int i, int count, const int *drives);

/* Finds the state of rest near q_start (nq), with the present parameters, and its derivatives. Fails with a message if there is none or
 * friction sticks there. */
cmb_status cmb_quasistatic_begin(cmb_quasistatic *x, const double *q_start);

/* Moves the state of rest to the values `to` (count) of the parameters, in steps along which the path is nearly straight. Returns
 * CMB_RETRY_NEWTON if only the fraction *reached of the path is possible: the state is that at its end then. */
cmb_status cmb_quasistatic_go(cmb_quasistatic *x, const double *to, double *reached);

#endif
