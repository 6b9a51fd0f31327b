/*
 * Detects runs that diverge (runaway.h).
 */
#include "method/runaway.h"

#include "base/context.h"

#include <math.h>

enum {
  HALF = 6,       /* number of doublings in each of the two periods that are compared, */
  AHEAD = 2,      /* and the largest number of such periods to look ahead */
  LOOK_EVERY = 16 /* accepted steps between two checks */
};

static const double ABOVE = 100, SAME_PACE = 1.5, LEAST_SHRINK = 8;

void cmb_runaway_reset(cmb_integrator *in)
{
  in->runaway->begun = false;
}

/* Returns the largest |v_i| of the velocities v (nv), and its index i in *most; *most stays unchanged if all velocities are 0. */
static double largest_of(const cmb_integrator *in, const double *v, int *most)
{
  double size = 0;
  for (int i = 0; i < in->nv; i++) {
    if (fabs(v[i]) > size) size = fabs(v[i]), *most = i;
  }
  return size;
}

static double largest_rate(const cmb_integrator *in, int *most)
{
  return largest_of(in, in->y + in->nq, most);
}

void cmb_runaway_restart(cmb_integrator *in, double t, const double *v)
{
  cmb_runaway *w = in->runaway;
  const double *y = in->y; /* state before the restart */
  if (!w->begun || !(t >= in->t_before && t <= in->t)) return;
  if (t < in->t) {
    if (!in->dense_ready) return;
    in->method->interpolate(in, (t - in->t_before) / in->h_taken, in->y_out);
    y = in->y_out;
  }
  const double before = largest_of(in, y + in->nq, &w->fastest);
  const double after = largest_of(in, v, &w->fastest);
  if (!(before > 0) || !(after > before)) return;
  w->base *= after / before;
  w->next *= after / before;
}

void cmb_runaway_begin(cmb_integrator *in)
{
  cmb_runaway *w = in->runaway;
  if (w->begun) return;
  *w = (cmb_runaway){.begun = true};
  w->base = fmax(largest_rate(in, &w->fastest), ABOVE * in->options.atol / in->options.rtol);
  w->next = w->base;
}

/* Returns the time during which the largest velocity grew by the factor 2^6: by its last 6 doublings (earlier = 0) or by the 6 doublings before
 * these (earlier = 1). */
static double time_of_doublings(const cmb_runaway *w, int earlier)
{
  const int k = w->level - 1 - earlier * HALF;
  return w->t[k] - w->t[k - HALF];
}

/* Returns the number of steps in which the largest velocity grew by the factor 2^6: by its last 6 doublings (earlier = 0) or by the 6 doublings
 * before these (earlier = 1). */
static double steps_of_doublings(const cmb_runaway *w, int earlier)
{
  const int k = w->level - 1 - earlier * HALF;
  return (double)(w->steps[k] - w->steps[k - HALF]);
}

bool cmb_runaway_suspected(const cmb_integrator *in)
{
  const cmb_runaway *w = in->runaway;
  return w->level > 2 * HALF && time_of_doublings(w, 0) <= SAME_PACE * time_of_doublings(w, 1);
}

/* Returns whether a run whose velocities grow will use up the permitted number of steps too early: before t_limit and before the largest
 * velocity has doubled 12 more times, if the number of steps for each doubling goes on growing as it did. Returns false with fixed steps, or if
 * that number has hardly grown. */
static bool is_out_of_reach(const cmb_integrator *in, double t_limit)
{
  const cmb_runaway *w = in->runaway;
  const double shrink = steps_of_doublings(w, 0) / fmax(steps_of_doublings(w, 1), 1);
  const double periods = fmin(AHEAD, (t_limit - in->t) / time_of_doublings(w, 0));
  if (in->fixed_step || !(shrink >= LEAST_SHRINK)) return false;
  return steps_of_doublings(w, 0) * pow(shrink, periods) > (double)in->options.max_steps;
}

cmb_status cmb_runaway_fail(cmb_integrator *in)
{
  const cmb_runaway *w = in->runaway;
  const double *v = in->y + in->nq;
  return cmb_fail_about(
      in->ctx, CMB_ERROR_DIVERGED,
      cmb_about_time(in->t, "velocity", in->ev->eq->v_names[w->fastest]),
      "the motion has run away at t = %.9g: the largest velocity, now %s = %.3g, is growing "
      "without end, and has doubled %d times since t = %.6g; does a force or damper act the wrong "
      "way, does a drive "
      "leave what the mechanism can reach%s?",
      in->t, in->ev->eq->v_names[w->fastest], v[w->fastest], w->level - 1, w->t[0],
      in->fixed_step ? ", or is the step too large for the method" : "");
}

cmb_status cmb_runaway_check(cmb_integrator *in, double t_limit)
{
  cmb_runaway *w = in->runaway;
  const long accepted = in->ev->stats.accepted;
  if (accepted % LOOK_EVERY != 0) return CMB_OK;
  const double size = largest_rate(in, &w->fastest);
  if (size < w->next) return CMB_OK;
  for (; size >= w->next && w->level < CMB_RUNAWAY_LEVELS; w->level++, w->next *= 2) {
    w->t[w->level] = in->t;
    w->steps[w->level] = accepted;
  }
  if (!cmb_runaway_suspected(in)) return CMB_OK;
  const bool beyond = w->level == CMB_RUNAWAY_LEVELS;
  return beyond || is_out_of_reach(in, t_limit) ? cmb_runaway_fail(in) : CMB_OK;
}
