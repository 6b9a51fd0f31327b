/*
 * A system of one's own: a point mass on a rod, written out, integrated for ten seconds, every passage through the
 * lowest point reported.
 *
 *     cc pendulum.c $(pkg-config --cflags --libs camber) && ./a.out
 */
#include <camber/camber.h>
#include <stdio.h>

/* Evaluates the terms of the equations of motion M v̇ = f − Gᵀ λ and of the constraint 0 = g = (x² + y² − 1)/2. Only the terms that are
 * requested, by pointers other than NULL, are computed. */
static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const double *q = at->q, *v = at->v;
  (void)self;
  if (want->M) want->M[0] = want->M[1] = 1;
  if (want->f) want->f[0] = 0, want->f[1] = -9.81;
  if (want->g) want->g[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  if (want->G) want->G[0] = q[0], want->G[1] = q[1];
  if (want->gt) want->gt[0] = 0;
  if (want->gamma) want->gamma[0] = v[0] * v[0] + v[1] * v[1];
  return CMB_OK;
}

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  (void)self, (void)lambda;
  s[0] = at->q[0];
  return CMB_OK;
}

static cmb_status report(void *user, const cmb_event *event)
{
  (void)user;
  printf("%s at t = %.9f\n", event->name, event->t);
  return CMB_OK;
}

static const char *const q_names[] = {"x", "y"}, *const v_names[] = {"x'", "y'"};
static const char *const g_names[] = {"length of the rod"}, *const lambda_names[] = {"tension"};
static const char *const switch_names[] = {"lowest point"};

static const cmb_equations pendulum = {
    .name = "pendulum",
    .nq = 2,
    .nv = 2,
    .ng = 1,
    .ns = 1,
    .q_names = q_names,
    .v_names = v_names,
    .g_names = g_names,
    .lambda_names = lambda_names,
    .switch_names = switch_names,
    .mass_constant = true,
    .mass_diagonal = true,
    .evaluate = evaluate,
    .switches = switches,
};

static cmb_status simulate(cmb_context *ctx)
{
  const double q[2] = {0.9, -0.5},
               v[2] = {0, 0}; /* need not be exact: the start is made consistent */
  cmb_run_options options = cmb_run_defaults();
  cmb_system *system;
  cmb_simulation *sim;
  options.method = cmb_method_find("mdop853");
  options.integrator.rtol = 1e-10;
  options.observer.event = report;
  CMB_TRY(cmb_system_create(ctx, &pendulum, 0, 10, q, v, &system));
  cmb_status status = cmb_simulation_create(ctx, system, &options, &sim);
  if (status == CMB_OK) {
    status = cmb_simulation_run(sim);
    const cmb_result *r = cmb_simulation_result(sim);
    printf("t = %g: x = %.12f, y = %.12f, |g| never above %.1e\n", r->t, r->q[0], r->q[1],
           r->worst_position);
    cmb_simulation_destroy(sim);
  }
  cmb_system_destroy(system);
  return status;
}

int main(void)
{
  cmb_context *ctx = cmb_context_create(NULL);
  if (!ctx) return 1;
  cmb_status status = simulate(ctx);
  if (status != CMB_OK) fprintf(stderr, "%s\n", cmb_last_error(ctx));
  cmb_context_destroy(ctx);
  return status != CMB_OK;
}
