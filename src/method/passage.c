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

void cmb_passage_take(cmb_integrator *in)
{
  in->passage.weak = cmb_arena_doubles(in->arena, in->nv);
  in->passage.weak_error = cmb_arena_doubles(in->arena, 1);
}

void cmb_passage_begin(cmb_integrator *in)
{
  cmb_passage *p = &in->passage;
  p->near_steps = p->inside_steps = 0;
  p->ahead = INFINITY;
  p->jump = 0;
}

/* A step has been accepted: count those near a loss of rank. If there is no end to them this is how the constraints are made,
 * and is not taken care of any more. */
void cmb_passage_count(cmb_integrator *in)
{
  in->passage.nearness = *in->ev->doubtful ? cmb_kkt_nearness(in->ev->kkt) : 1;
  in->passage.near_steps = in->passage.nearness < CMB_WEAK ? in->passage.near_steps + 1 : 0;
  in->passage.inside_steps =
      in->passage.nearness < CMB_WEAK_ZONE ? in->passage.inside_steps + 1 : 0;
  if (in->passage.near_steps <= MOST_NEAR && in->passage.inside_steps <= MOST_INSIDE) return;
  in->passage.near_steps = in->passage.inside_steps = 0;
  cmb_watch_rank(in->ev, false);
}

/* Take the part in direction d out of x. */
static void take_out(int n, const double *d, double *x)
{
  double square = 0, product = 0;
  for (int i = 0; i < n; i++) square += d[i] * d[i], product += d[i] * x[i];
  for (int i = 0; i < n && square > 0; i++) x[i] -= product / square * d[i];
}

/* The weak part out of the error x of positions and velocities; in->passage.weak becomes the velocities' part. Where positions are no
 * integrals of velocities, theirs is what lies along T times that. */
static void take_both_out(const cmb_integrator *in, double *x)
{
  cmb_evaluator *ev = in->ev;
  double *weak = in->passage.weak, *v = x + in->nq;
  if (!ev->eq->rates) {
    cmb_weak_part(ev, x, weak);
    for (int i = 0; i < in->nq; i++) x[i] -= weak[i];
  }
  cmb_weak_part(ev, v, weak);
  for (int i = 0; i < in->nv; i++) v[i] -= weak[i];
  if (!ev->eq->rates) return;
  cmb_rates(ev, in->y_new, weak, ev->dq);
  take_out(in->nq, ev->dq, x);
}

/* xᵀ M x */
static double energy_of(cmb_evaluator *ev, const double *x)
{
  double sum = 0;
  cmb_multiply_mass(ev, x, ev->dw);
  for (int i = 0; i < ev->eq->nv; i++) sum += x[i] * ev->dw[i];
  return sum;
}

double cmb_take_weak_out(const cmb_integrator *in, double *x, double *y)
{
  cmb_evaluator *ev = in->ev;
  if (y) take_both_out(in, y);
  take_both_out(in, x);
  const double weak = sqrt(fmax(energy_of(ev, in->passage.weak), 0));
  *in->passage.weak_error =
      weak / (sqrt(in->options.rtol * energy_of(ev, in->y_new + in->nq)) + in->options.atol);
  return *in->passage.weak_error;
}

bool cmb_passage_is_near(cmb_integrator *in, const char **name)
{
  cmb_evaluator *ev = in->ev;
  int most = 0;
  if (!cmb_weakest_constraints(ev, in->t, in->y, ev->dtau)) return false;
  for (int j = 1; j < in->ng; j++) most = ev->dtau[j] > ev->dtau[most] ? j : most;
  *name = ev->eq->g_names[most];
  return true;
}

/* When the constraints lose rank next, by the singular value σ that is nearest to that and its rate; and how long it takes
 * to cross the zone on one side of it. */
void cmb_passage_look_ahead(cmb_integrator *in)
{
  double sigma, rate;
  in->passage.ahead = INFINITY;
  cmb_status status = cmb_weakest(in->ev, in->t, in->y, in->y + in->nq, &sigma, &rate);
  if (status != CMB_OK || !(rate < 0)) {
    in->passage.jump = 0;
    return;
  }
  in->passage.ahead = -sigma / rate;
  in->passage.zone = in->passage.ahead * CMB_WEAK_ZONE / cmb_kkt_nearness(in->ev->kkt);
}

/* A step that ended next to a loss of rank, or had a stage there, would suffer from rounding: stop before it at such a
 * distance that the next step jumps over it, with the place in question between the nodes of all methods. */
double cmb_passage_step(const cmb_integrator *in, double h)
{
  const double at = 0.45, ahead = in->passage.ahead, zone = in->passage.zone;
  if (ahead > (1 + at) * h || in->rejections > 3) return h;
  const double jump = fmax(h, 2.5 * zone);
  if (ahead <= 1.02 * at * jump) return fmax(ahead / at, ahead + 1.3 * zone);
  return fmax(ahead - 0.9 * at * jump, ahead / 4);
}

/* The error of a step that jumps over a loss of rank and is too large. If one over the same place was larger and had a smaller error,
 * it is rounding in stages next to that place, which grows the nearer they are: it does no harm if the weak directions have little of
 * it. A truncation error would have become smaller. */
static double error_of_jump(cmb_integrator *in, double h, double error)
{
  const double weak = *in->ev->doubtful ? *in->passage.weak_error : 0;
  const bool rounding = h < in->passage.jump && error >= in->passage.jump_error && weak <= 1 &&
                        error * sqrt(in->options.rtol) <= 0.1;
  in->passage.jump = rounding ? 0 : h;
  in->passage.jump_error = error;
  return rounding ? 1 : error;
}

/* The error of a step that began or ended near a loss of rank. If it jumps over that and cannot be made smaller, what its
 * error estimate sees is rounding; if it came from elsewhere and ended too near, it is to be repeated. */
double cmb_passage_judge(cmb_integrator *in, double h, double error)
{
  const bool jumps = h > in->passage.ahead;
  if (jumps && h < 3 * in->passage.zone) error = fmin(error, 1);
  if (jumps && error > 1) return error_of_jump(in, h, error);
  if (jumps) in->passage.jump = 0;
  bool inside = *in->ev->doubtful && cmb_kkt_nearness(in->ev->kkt) < CMB_WEAK_ZONE;
  bool ends_badly = inside && in->passage.inside_steps == 0 && !jumps;
  return error <= 1 && ends_badly && in->rejections < 5 ? 3 : error;
}
