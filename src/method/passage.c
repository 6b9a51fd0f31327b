/*
 * Steps near positions in which the constraints lose rank (dae/branch.h).
 *
 * With σ the smallest singular value and eps the rounding of a constraint, positions are known to eps/σ in the direction in
 * question, the velocities that go with them to eps/σ², accelerations to eps/σ³. So no step should end at a small σ, and one
 * that jumps over σ = 0 should have no stage there. What a wrong constraint force does is of no account while it is small: it
 * does no work, and the projections take it back once σ has grown again.
 */
#include "method/method.h"

#include <math.h>

enum {
  MOST_NEAR = 5000, /* steps in a row near a loss of rank: a slow passage takes hundreds */
  MOST_INSIDE = 100 /* steps in a row even nearer, where none should end */
};

/* A step has been accepted: count those near a loss of rank. If there is no end to them this is how the constraints are made,
 * and is not taken care of any more. */
void cmb_passage_count(cmb_integrator *in)
{
  if (!cmb_step_is_near_singular(in)) return;
  in->nearness = *in->ev->doubtful ? cmb_kkt_nearness(in->ev->kkt) : 1;
  in->near_steps = in->nearness < CMB_WEAK ? in->near_steps + 1 : 0;
  in->inside_steps = in->nearness < CMB_WEAK_ZONE ? in->inside_steps + 1 : 0;
  if (in->near_steps <= MOST_NEAR && in->inside_steps <= MOST_INSIDE) return;
  in->near_steps = in->inside_steps = 0;
  cmb_watch_rank(in->ev, false);
}

/* Take the part in direction d, which has the dual p, out of x; returns it. */
static double take_out(int n, const double *d, const double *p, double *x)
{
  double part = 0;
  for (int i = 0; i < n; i++) part += p[i] * x[i];
  for (int i = 0; i < n; i++) x[i] -= part * d[i];
  return part;
}

/* Direction d with its dual p out of the error x of positions and velocities; returns the velocities' part. */
static double take_both_out(const cmb_integrator *in, const double *d, const double *p, double *x)
{
  cmb_evaluator *ev = in->ev;
  double square = 0;
  if (!ev->eq->rates) {
    take_out(in->nq, d, p, x);
  } else {
    cmb_rates(ev, in->y_new, d, ev->dq); /* T d: its dual is itself */
    for (int i = 0; i < in->nq; i++) square += ev->dq[i] * ev->dq[i];
    for (int i = 0; i < in->nq; i++) ev->q_trial[i] = ev->dq[i] / square;
    if (square > 0) take_out(in->nq, ev->dq, ev->q_trial, x);
  }
  return take_out(in->nv, d, p, x + in->nq);
}

double cmb_take_weak_out(const cmb_integrator *in, double *x, double *y)
{
  cmb_evaluator *ev = in->ev;
  double most = 0, energy = 0, *v = in->y_new + in->nq;
  int count = cmb_weak_directions(ev, in->weak, in->weak_dual);
  if (count == 0) return 0;
  for (int k = 0; k < count; k++) {
    const double *d = in->weak + k * in->nv, *p = in->weak_dual + k * in->nv;
    most = cmb_larger_error(most, fabs(take_both_out(in, d, p, x)));
    if (y) take_both_out(in, d, p, y);
  }
  cmb_multiply_mass(ev, v, ev->dw);
  for (int i = 0; i < in->nv; i++) energy += v[i] * ev->dw[i];
  return most / (sqrt(in->options.rtol * energy) + in->options.atol);
}

/* When the constraints lose rank next, by the singular value σ that is nearest to that and its rate; and how long it takes
 * to cross the zone on one side of it. */
void cmb_passage_look_ahead(cmb_integrator *in)
{
  double sigma, rate;
  in->until_singular = INFINITY;
  if (cmb_weakest(in->ev, in->t, in->y, in->y + in->nq, &sigma, &rate) != CMB_OK) return;
  if (!(rate < 0)) return;
  in->until_singular = -sigma / rate;
  in->zone_time = -CMB_WEAK_ZONE / rate;
}

/* A step that ended next to a loss of rank, or had a stage there, would suffer from rounding: stop before it at such a
 * distance that the next step jumps over it, with the place in question between the nodes of all methods. */
double cmb_passage_step(const cmb_integrator *in, double h)
{
  const double at = 0.45, ahead = in->until_singular, zone = in->zone_time;
  if (ahead > (1 + at) * h) return h;
  const double jump = fmax(h, 2.5 * zone);
  if (ahead <= 1.02 * at * jump) return fmax(ahead / at, ahead + 1.3 * zone);
  return fmax(ahead - 0.9 * at * jump, ahead / 4);
}

/* The error of a step that began or ended near a loss of rank. If it jumps over that and cannot be made smaller, what its
 * error estimate sees is rounding; if it came from elsewhere and ended too near, it is to be repeated. */
double cmb_passage_error(const cmb_integrator *in, double h, double error)
{
  const bool jumps = h > in->until_singular;
  if (jumps && h < 3 * in->zone_time) return fmin(error, 1);
  bool inside = *in->ev->doubtful && cmb_kkt_nearness(in->ev->kkt) < CMB_WEAK_ZONE;
  bool ends_badly = inside && in->inside_steps == 0 && !jumps;
  return error <= 1 && ends_badly && in->rejections < 5 ? 3 : error;
}
