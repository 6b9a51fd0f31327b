/*
 * Detects runs that diverge: a sign error adds energy, velocities grow exponentially or faster, steps shrink meanwhile, and the run would
 * go on for hours without a message. Called by the step loop after each accepted step.
 *
 * Observed is the largest |v_i| relative to a base value, base = max(|v| at the start, 100 atol/rtol), the second being well above the
 * size from which on the tolerance is a relative one. When |v_i| first reaches 2^k base, the time T_k and the number of steps N_k are
 * stored. With HALF = 6:
 *
 *     growth is exponential or faster    T_k − T_{k−6} ≤ 1.5 (T_{k−6} − T_{k−12}),  k ≥ 12
 *     steps shrink with it               N_k − N_{k−6} ≥ 8 (N_{k−6} − N_{k−12})
 *     the end is out of reach            the steps of 6 doublings, extrapolated by the same rule over the next 12 doublings or the
 *                                        remaining time, are more than max_steps
 *
 * If all three hold, the run has diverged. Velocities added by impacts do not count: a ball between walls that close in on it becomes as
 * fast as they make it. A growth like t^p, of a rotor that is spun up or a body that falls, has T_k − T_{k−6} = 2^(6/p) (T_{k−6} −
 * T_{k−12}) and would need p > 10; the large angles and long times of such runs do not matter. Vibrations that build up to a limit cycle
 * keep the size of their steps, except for a root of the growth. Exponential growth with steps that do not shrink, as of a body on a
 * spring of negative stiffness, costs nothing: such a run counts as diverged at 2^64 base.
 */
#ifndef CMB_METHOD_RUNAWAY_H
#define CMB_METHOD_RUNAWAY_H

#include "method/method.h"

enum { CMB_RUNAWAY_LEVELS = 65 };

typedef struct cmb_runaway {
  bool begun;
  double base;
  double next;                    /* velocity of the next level, 2^level base */
  int level;                      /* number of levels that have been reached */
  int fastest;                    /* index of the velocity that was the largest when last checked */
  double t[CMB_RUNAWAY_LEVELS];   /* time when each level was reached, */
  long steps[CMB_RUNAWAY_LEVELS]; /* and the accepted steps until then */
} cmb_runaway;

/* Resets the detection of diverging runs before a new run. */
void cmb_runaway_reset(cmb_integrator *in);

/* Begins the detection at the current state, unless it has begun already since the last cmb_runaway_reset. */
void cmb_runaway_begin(cmb_integrator *in);

/* Increases the base value of the detection in proportion if an impact has increased the velocities, because this is no growth of the
 * motion between impacts. Called before the integrator restarts at a time t in its last step with the velocities v (nv). Impacts in too
 * quick succession are detected by the run loop. */
void cmb_runaway_restart(cmb_integrator *in, double t, const double *v);

/* Checks whether the run diverges, after an accepted step on the way to t_limit. Returns CMB_ERROR_DIVERGED with a message if it does,
 * else CMB_OK. */
cmb_status cmb_runaway_check(cmb_integrator *in, double t_limit);

/* Returns whether velocities were growing exponentially or faster, for the error message of a run that cannot go on. */
bool cmb_runaway_suspected(const cmb_integrator *in);

/* Returns CMB_ERROR_DIVERGED with a message that the motion has diverged, which names the fastest velocity. */
cmb_status cmb_runaway_fail(cmb_integrator *in);

#endif
