/*
 * Runs that diverge: a sign error pumps in energy, rates grow exponentially or faster, steps shrink as they grow, and the run would go
 * on for hours without a word.
 *
 * Watched is the largest |v_i| beside what the run began with: base = max(|v| at the start, 100 atol/rtol), the second being well
 * above the size from which on the tolerance is a relative one. When it first reaches 2^k base, the time T_k and the number of steps N_k are noted. With HALF = 6:
 *
 *     growth is exponential or faster    T_k − T_{k−6} ≤ 1.5 (T_{k−6} − T_{k−12}),  k ≥ 12
 *     steps shrink with it               N_k − N_{k−6} ≥ 8 (N_{k−6} − N_{k−12})
 *     the end is out of reach            the steps of the next 12 doublings, or of those that fit into the time left, by the
 *                                        same rule are more than max_steps
 *
 * All three: the run has diverged. What impacts add to the velocities does not count: a ball between walls that close in on it gets as
 * fast as they make it. A growth like t^p, of a rotor that is spun up or a body that falls, has
 * T_k − T_{k−6} = 2^(6/p) (T_{k−6} − T_{k−12}) and would need p > 10; the large angles and long times of such runs do not matter.
 * Vibrations that build up to a limit cycle keep the size of their steps, but for a root of the growth. What grows exponentially
 * with steps that do not shrink, a body on a spring of negative stiffness, costs nothing: it has diverged at 2^64 base.
 */
#ifndef CMB_METHOD_RUNAWAY_H
#define CMB_METHOD_RUNAWAY_H

#include "method/method.h"

enum { CMB_RUNAWAY_LEVELS = 65 };

typedef struct cmb_runaway {
  bool begun;
  double base;
  double next;                    /* the size of the next level: 2^level base */
  int level;                      /* the levels below have been reached */
  int most;                       /* the velocity that did so last */
  double t[CMB_RUNAWAY_LEVELS];   /* when each was reached, */
  long steps[CMB_RUNAWAY_LEVELS]; /* and after how many accepted steps */
} cmb_runaway;

/* Where the integrator stands a run begins, unless one has: after cmb_runaway_reset. */
void cmb_runaway_reset(cmb_integrator *in);
void cmb_runaway_begin(cmb_integrator *in);

/* Before the integrator begins again at t in its last step with the velocities v: if an impact has made them larger this is no growth of the
 * motion between impacts, and the base grows with it. Impacts that follow each other too fast are the run's to see. */
void cmb_runaway_restart(cmb_integrator *in, double t, const double *v);

/* After an accepted step on the way to t_limit: CMB_ERROR_DIVERGED with words, or CMB_OK. */
cmb_status cmb_runaway_look(cmb_integrator *in, double t_limit);

/* Whether rates were growing exponentially or faster when a run could not go on. */
bool cmb_runaway_suspected(const cmb_integrator *in);

/* The words for it. */
cmb_status cmb_runaway_fail(cmb_integrator *in);

#endif
