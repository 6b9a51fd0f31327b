/*
 * Step sizes and error tests near positions in which the constraints lose rank, so that a motion can pass them (dae/branch.h). Called by
 * the step loop through the inline functions in method.h.
 *
 * With the smallest singular value σ of the constraint Jacobian and the rounding eps of a constraint, positions are known to eps/σ in the
 * corresponding direction, the velocities that go with them to eps/σ², accelerations to eps/σ³. So no step should end at a small σ, and a
 * step over σ = 0 should have no stage there. A wrong constraint force does no harm while it is small: it does no work, and the
 * projections remove its effect once σ has grown again.
 */
#include "method/method.h"

#include <math.h>

enum {
  MOST_NEAR = 5000, /* consecutive steps near a loss of rank: a slow passage takes hundreds */
  MOST_INSIDE = 100 /* consecutive steps even nearer, where none should end */
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

/* Counts consecutive accepted steps near positions where the constraints lose rank. If there are too many, the constraints are nearly dependent
 * everywhere, and the special treatment of such positions is switched off. */
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

/* Removes from the vector x (n) its component along the vector d (n): x := x − (dᵀx/dᵀd) d. Does nothing if d = 0. */
static void remove_direction(int n, const double *d, double *x)
{
  double square = 0, product = 0;
  for (int i = 0; i < n; i++) square += d[i] * d[i], product += d[i] * x[i];
  for (int i = 0; i < n && square > 0; i++) x[i] -= product / square * d[i];
}

/* Removes from an error x (n), positions and velocities, its components in directions that the constraints hardly determine near a loss of rank
 * (singular vectors of the constraint Jacobian with small singular values). in->passage.weak (nv) becomes the removed part w of the velocities.
 * If q̇ = T(q) v with T ≠ I, the component along T w is removed from the positions. */
static void remove_weak_parts(const cmb_integrator *in, double *x)
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
  remove_direction(in->nq, ev->dq, x);
}

/* Returns xᵀ M x with the mass matrix M, twice the kinetic energy of the velocities x (nv). */
static double energy_of(cmb_evaluator *ev, const double *x)
{
  double sum = 0;
  cmb_multiply_mass(ev, x, ev->dw);
  for (int i = 0; i < ev->eq->nv; i++) sum += x[i] * ev->dw[i];
  return sum;
}

double cmb_remove_weak_error(const cmb_integrator *in, double *x, double *y)
{
  cmb_evaluator *ev = in->ev;
  if (y) remove_weak_parts(in, y);
  remove_weak_parts(in, x);
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

/* Predicts the next loss of rank of the constraints from their smallest singular value and its rate of change. in->passage.ahead becomes
 * the time until then (infinite if the singular value is not small or does not decrease), in->passage.zone the time before and after that
 * instant in which no step may end. */
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

/* Returns the step size to use instead of h near a predicted loss of rank of the constraints, where rounding errors are large. Steps are
 * shortened or lengthened so that one ends well before such a position and the next one passes over it, with the position between the
 * stages of the method. Returns h after more than three rejections. */
double cmb_passage_step(const cmb_integrator *in, double h)
{
  const double at = 0.45, ahead = in->passage.ahead, zone = in->passage.zone;
  if (ahead > (1 + at) * h || in->rejections > 3) return h;
  const double jump = fmax(h, 2.5 * zone);
  if (ahead <= 1.02 * at * jump) return fmax(ahead / at, ahead + 1.3 * zone);
  return fmax(ahead - 0.9 * at * jump, ahead / 4);
}

/* Returns the error estimate by which a step of size h across a loss of rank of the constraints is accepted or rejected; `error`, above 1, is
 * that of the method. If an attempt with a larger step had a smaller estimate, the estimate consists of rounding errors: then 1 is returned,
 * which accepts the step, if the estimate is at most 0.1/√rtol and small in the directions that the constraints hardly determine. Otherwise
 * returns `error`. */
static double error_of_crossing_step(cmb_integrator *in, double h, double error)
{
  const double weak = *in->ev->doubtful ? *in->passage.weak_error : 0;
  const bool rounding = h < in->passage.jump && error >= in->passage.jump_error && weak <= 1 &&
                        error * sqrt(in->options.rtol) <= 0.1;
  in->passage.jump = rounding ? 0 : h;
  in->passage.jump_error = error;
  return rounding ? 1 : error;
}

/* Returns the error, in units of the tolerance, by which a step of size h that begins or ends near a loss of rank of the constraints is
 * accepted or rejected; `error` is its estimate. If the step crosses such a position and cannot be made smaller, the error counts at most
 * as 1; if it ends too near to one, as 3, so that the step is repeated with another size, unless it also began there or five attempts were
 * rejected. */
double cmb_passage_judge(cmb_integrator *in, double h, double error)
{
  const bool jumps = h > in->passage.ahead;
  if (jumps && h < 3 * in->passage.zone) error = fmin(error, 1);
  if (jumps && error > 1) return error_of_crossing_step(in, h, error);
  if (jumps) in->passage.jump = 0;
  bool inside = *in->ev->doubtful && cmb_kkt_nearness(in->ev->kkt) < CMB_WEAK_ZONE;
  bool ends_badly = inside && in->passage.inside_steps == 0 && !jumps;
  return error <= 1 && ends_badly && in->rejections < 5 ? 3 : error;
}
