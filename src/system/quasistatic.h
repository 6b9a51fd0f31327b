/*
 * States of rest of a system along a way of its live parameters: q(p) with g(q; p) = 0 and f(q, 0; p) = Gᵀ λ, and how they change,
 *
 *     J T w + Gᵀ λ' + ∂r/∂p = 0,   G w + ∂g/∂p = 0      J = ∂r/∂q, r = −f + Gᵀ λ, q' = T w
 *
 * with w = w₀ + N z in the tangent space (tangent.h): G w₀ = −∂g/∂p, NᵀJTN z = −Nᵀ(∂r/∂p + J T w₀). Motions without stiffness, such as
 * the spin of a wheel, have z = 0; it is an error if a change pushes them. Where the constraints leave no motion this is kinematics, and forces only decide on λ.
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
  const int *parameter; /* (count) the numbers of the parameters that change */

  /* the state */
  double *p;      /* (np) */
  double *q;      /* (nq) */
  double *lambda; /* (ng) */
  double *W;      /* (count x nv) its derivatives: w, */
  double *L;      /* (count x ng) λ', */
  double *gp;     /* (count x ng) and ∂g/∂p */

  /* scratch */
  double *q_try, *dq, *rest, *left, *rhs, *z, *K, *J, *P, *p_from;
  int *column;
} cmb_quasistatic;

/* Memory and all else from the system, which must outlive it, with exact derivatives. x is to be destroyed also after a failure. */
cmb_status cmb_quasistatic_create(cmb_quasistatic *x, cmb_context *ctx, const cmb_system *system,
                                  int count, const int *parameter);
void cmb_quasistatic_destroy(cmb_quasistatic *x);

/* The forces and their derivatives at q, which need not be a state of rest. */
cmb_status cmb_quasistatic_look(cmb_quasistatic *x, const double *q);

/* Whether velocity i alone is a motion, where last looked at, that no constraint forbids besides the `drives` (count), that meets no stiffness, and
 * that the drives do not hold. */
bool cmb_quasistatic_is_loose(cmb_quasistatic *x, int i, int count, const int *drives);

/* The state of rest near the start values of the system, with the parameters as they are. */
cmb_status cmb_quasistatic_begin(cmb_quasistatic *x, const double *q_start);

/* On to the values `to` (count) of the parameters, in steps in which the way is nearly straight. CMB_RETRY_NEWTON: it goes no further than
 * the share *reached of the way, where the state is then; the context says what was in the way. */
cmb_status cmb_quasistatic_go(cmb_quasistatic *x, const double *to, double *reached);

#endif
