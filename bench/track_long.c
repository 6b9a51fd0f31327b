/*
 * Verifies the drift bound over a long run: track_long [STEPS [H]], by default 10^7 steps of 1 ms.
 *
 * The circular track with lie, projected. After every step |g| is compared with the bound g_lim that the integrator reports there
 * (Burgermeister, Arnold and Esterl 2006 §3.4, with the rounding of g).
 */
#include <camber/camber.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct outcome {
  double largest; /* |g| */
  double excess;  /* of |g| over g_lim, the largest */
  long above;     /* steps with one */
  double radius;  /* at the end */
  cmb_drift_bound bound;
};

static cmb_status go(cmb_integrator *in, long steps, double h, struct outcome *o)
{
  *o = (struct outcome){.excess = -INFINITY};
  for (long k = 1; k <= steps; k++) {
    const double t = (double)k * h;
    while (cmb_integrator_t(in) < t) {
      const cmb_status status = cmb_integrator_step(in, t);
      if (status != CMB_OK) return status;
    }
    const double *q = cmb_integrator_q(in), g = fabs(q[0] * q[0] + q[1] * q[1] - 1);
    const double excess = g - cmb_integrator_drift_bound(in)->limit;
    o->largest = fmax(o->largest, g);
    o->excess = fmax(o->excess, excess);
    o->above += !(excess <= 0);
  }
  o->bound = *cmb_integrator_drift_bound(in);
  o->radius = hypot(cmb_integrator_q(in)[0], cmb_integrator_q(in)[1]);
  return CMB_OK;
}

static cmb_status run(cmb_context *ctx, const cmb_system *system, long steps, double h,
                      struct outcome *o)
{
  cmb_integrator_options options = cmb_integrator_defaults();
  cmb_integrator *in;
  options.step = h;
  cmb_status status = cmb_integrator_create(ctx, cmb_system_equations(system),
                                            cmb_method_find("lie"), &options, &in);
  if (status == CMB_OK) {
    status = cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system));
  }
  if (status == CMB_OK) status = go(in, steps, h, o);
  cmb_integrator_destroy(in);
  return status;
}

int main(int argc, char **argv)
{
  const long steps = argc > 1 ? atol(argv[1]) : 10000000;
  const double h = argc > 2 ? atof(argv[2]) : 1e-3;
  struct outcome o;
  cmb_system *system = NULL;
  if (steps < 1 || !(h > 0)) {
    fprintf(stderr, "usage: track_long [STEPS [H]]\n");
    return 2;
  }
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_status status = cmb_problem_create(ctx, cmb_problem_find("circular-track"), 0, NULL, &system);
  if (status == CMB_OK) status = run(ctx, system, steps, h, &o);
  if (status == CMB_OK) {
    const bool good = o.above == 0 && o.bound.holds;
    printf("circular track, lie, projected, %ld steps of %g s\n"
           "largest |g| %.6e, g_lim %.6e, |g| - g_lim at most %.1e; at the end |r - 1| = %.3e\n"
           "|g| <= g_lim in every step: %s\n",
           steps, h, o.largest, o.bound.limit, o.excess, fabs(o.radius - 1), good ? "yes" : "no");
    if (!good) status = CMB_ERROR_EQUATIONS;
  } else {
    fprintf(stderr, "%s\n", cmb_last_error(ctx));
  }
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  return status == CMB_OK ? 0 : 1;
}
