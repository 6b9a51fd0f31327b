/*
 * Random mechanisms: the explicit formalism, the residual formalism and Cartesian coordinates are three derivations of the same equations
 * of motion, so their accelerations and constraint forces must agree. Exact Jacobians must agree with central differences, and the change
 * of the energy must equal the work of the external forces and drives.
 *
 * The environment variables CAMBER_MECHANISMS and CAMBER_ENERGY set the number of mechanisms that are compared (250 if it is not set) and
 * integrated (20).
 */
#include "check.h"
#include "random.h"
#include "random_mechanism.h"

#include "dae/evaluator.h"
#include "dae/graph_system.h"
#include "dae/project.h"
#include "dyn/mechanism.h"
#include "math/pattern.h"

#include <camber/method.h>
#include <stdio.h>
#include <string.h>

/* One formulation of a mechanism with its accelerations at the start. */
struct formulation {
  cmb_mechanism *mechanism;
  cmb_system *system;
  cmb_evaluator *ev;
  const cmb_equations *eq;
  double *q, *v, *a, *lambda, *outputs;
};

static void open_form(cmb_context *ctx, const cmb_model *m, cmb_formulation form, bool derivatives,
                      struct formulation *f)
{
  const cmb_mechanism_options options = {.formulation = form};
  const cmb_graph_options graph = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                   .derivatives = derivatives,
                                   .explicit_form = form == CMB_FORM_EXPLICIT,
                                   .residual_form = form == CMB_FORM_RESIDUAL};
  cmbt_ok(ctx, cmb_mechanism_create(ctx, m, &options, &f->mechanism));
  cmbt_ok(ctx, cmb_graph_system_create(ctx, &f->mechanism->expressions, &graph, &f->system));
  f->eq = cmb_system_equations(f->system);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, f->eq, &f->ev));
  f->q = calloc((size_t)f->eq->nq, sizeof(double));
  f->v = calloc((size_t)f->eq->nv, sizeof(double));
  f->a = calloc((size_t)f->eq->nv, sizeof(double));
  f->lambda = calloc((size_t)f->eq->ng + 1, sizeof(double));
  f->outputs = calloc((size_t)f->eq->no, sizeof(double));
  memcpy(f->q, cmb_system_q(f->system), (size_t)f->eq->nq * sizeof(double));
  memcpy(f->v, cmb_system_v(f->system), (size_t)f->eq->nv * sizeof(double));
}

static void close_form(struct formulation *f)
{
  cmb_evaluator_destroy(f->ev);
  cmb_system_destroy(f->system);
  cmb_mechanism_destroy(f->mechanism);
  free(f->q), free(f->v), free(f->a), free(f->lambda), free(f->outputs);
}

/* Returns max |x_i − y_i| / max(1, |x_i|, |y_i|), each maximum over all i; infinity if an entry is not finite. */
static double difference(int n, const double *x, const double *y)
{
  double most = 0, size = 1;
  for (int i = 0; i < n; i++) {
    most = fmax(most, fabs(x[i] - y[i]));
    size = fmax(size, fmax(fabs(x[i]), fabs(y[i])));
    if (!isfinite(x[i]) || !isfinite(y[i])) return INFINITY;
  }
  return most / size;
}

/* Computes a consistent start in joint coordinates and stores it as the model's start values. Returns false if the mechanism cannot be
 * assembled from its rough start or is next to a singular position (an acceleration above 1e4). */
static bool assemble(struct formulation *f, cmb_model *m)
{
  cmb_start_report report;
  cmb_point at;
  if (cmb_consistent_start(f->ev, 0, f->q, f->v, f->a, f->lambda, &report) != CMB_OK) return false;
  at = cmb_evaluator_point(f->ev, 0, f->q, f->v);
  if (f->eq->accelerate(f->eq->self, &at, f->a, f->lambda) != CMB_OK) return false;
  for (int i = 0; i < f->eq->nv; i++) {
    if (fabs(f->a[i]) > 1e4) return false;
  }
  const double *q = f->q, *v = f->v;
  for (int i = 0; i < m->joint_count; i++) {
    cmb_model_joint *j = &m->joints[i];
    cmb_fix_numbers(j->nq, q, j->q_start);
    cmb_fix_numbers(j->nv, v, j->v_start);
    q += j->nq, v += j->nv;
  }
  return true;
}

/* Relative differences between the formulations: KKT solution, residual form, Cartesian outputs, multipliers, Jacobians. */
struct comparison {
  double kkt, residual, cartesian, multipliers, jacobian;
};

/* Returns the largest |M a − f + Gᵀλ| relative to the largest |f|, |λ| and 1. */
static double residual_size(struct formulation *f, const double *a, const double *lambda)
{
  double *r = calloc((size_t)f->eq->nv, sizeof *r), *zero = calloc((size_t)f->eq->nv, sizeof *r);
  double *none = calloc((size_t)f->eq->ng + 1, sizeof *r), most = 0, size = 1;
  assert_int_equal(cmb_residual(f->ev, 0, f->q, f->v, zero, none, r), CMB_OK);
  for (int i = 0; i < f->eq->nv; i++) size = fmax(size, fabs(r[i]));
  for (int i = 0; i < f->eq->ng; i++) size = fmax(size, fabs(lambda[i]));
  assert_int_equal(cmb_residual(f->ev, 0, f->q, f->v, a, lambda, r), CMB_OK);
  for (int i = 0; i < f->eq->nv; i++) most = fmax(most, fabs(r[i]));
  free(r), free(zero), free(none);
  return most / size;
}

/* Evaluates the function of which `which` is a derivative: the residual r, G v + g_t or G a + γ. */
static void function_at(struct formulation *f, cmb_derivative which, double *y)
{
  cmb_evaluator *ev = f->ev;
  const bool velocity = which == CMB_VELOCITY_Q;
  if (which <= CMB_RESIDUAL_V) {
    assert_int_equal(cmb_residual(ev, 0, f->q, f->v, f->a, f->lambda, y), CMB_OK);
    return;
  }
  const cmb_terms want = {.G = ev->G, .gt = ev->gt, .gamma = ev->gamma};
  assert_int_equal(cmb_evaluate(ev, 0, f->q, f->v, &want), CMB_OK);
  cmb_multiply(f->eq->G_pattern, f->eq->ng, f->eq->nv, ev->G, velocity ? f->v : f->a, y);
  for (int i = 0; i < f->eq->ng; i++) y[i] += velocity ? ev->gt[i] : ev->gamma[i];
}

/* Returns the largest difference between the exact derivative and central differences by each coordinate or velocity, relative to the
 * largest entry and to 1. */
static double jacobian_error(struct formulation *f, cmb_derivative which)
{
  const cmb_pattern *pattern = f->eq->derivative_pattern[which];
  const bool by_v = which == CMB_RESIDUAL_V || which == CMB_GAMMA_V;
  const int rows = which <= CMB_RESIDUAL_V ? f->eq->nv : f->eq->ng;
  const int columns = by_v ? f->eq->nv : f->eq->nq;
  double most = 0, size = 1, *J = calloc((size_t)(rows * columns) + 1, sizeof *J);
  double *up = calloc((size_t)rows + 1, sizeof *up), *down = calloc((size_t)rows + 1, sizeof *up);
  double *x = by_v ? f->v : f->q;
  cmb_point at = {0, f->q, f->v, f->ev->mode, f->ev->scratch, NULL, NULL};
  assert_int_equal(f->eq->derivative(f->eq->self, &at, f->a, f->lambda, which, J), CMB_OK);
  for (int j = 0; j < columns; j++) {
    const double h = 1e-5, before = x[j];
    x[j] = before + h;
    function_at(f, which, up);
    x[j] = before - h;
    function_at(f, which, down);
    x[j] = before;
    for (int i = 0; i < rows; i++) {
      double exact = 0;
      for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++) {
        if (pattern->column[k] == j) exact = J[k];
      }
      double slope = (up[i] - down[i]) / (2 * h);
      most = fmax(most, fabs(exact - slope));
      size = fmax(size, fabs(exact));
    }
  }
  free(J), free(up), free(down);
  return most / size;
}

/* Compares the formulations of the random mechanism with this seed. Returns false if it cannot be assembled. */
static bool compare(cmb_context *ctx, uint64_t seed, struct comparison *c)
{
  const struct cmbt_mechanism_wishes wishes = {.most_bodies = 20, .most_loops = 4, .drives = true};
  cmb_model *m = cmbt_random_mechanism(ctx, seed, &wishes);
  struct formulation x = {0}, r = {0}, k = {0};
  open_form(ctx, m, CMB_FORM_EXPLICIT, false, &x);
  bool good = assemble(&x, m);
  if (good) {
    double *a = calloc((size_t)x.eq->nv, sizeof *a),
           *lambda = calloc((size_t)x.eq->ng + 1, sizeof *a);
    assert_int_equal(cmb_factor_and_accelerate(x.ev, 0, x.q, x.v, a, lambda), CMB_OK);
    c->kkt = fmax(difference(x.eq->nv, x.a, a), difference(x.eq->ng, x.lambda, lambda));
    free(a), free(lambda);
    open_form(ctx, m, CMB_FORM_RESIDUAL, true, &r);
    c->residual = residual_size(&r, x.a, x.lambda);
    memcpy(r.a, x.a, (size_t)x.eq->nv * sizeof *x.a);
    memcpy(r.lambda, x.lambda, (size_t)x.eq->ng * sizeof *x.a);
    for (int which = CMB_RESIDUAL_Q; which <= CMB_GAMMA_V; which++) {
      c->jacobian = fmax(c->jacobian, jacobian_error(&r, (cmb_derivative)which));
    }
    open_form(ctx, m, CMB_FORM_CARTESIAN, false, &k);
    assert_int_equal(cmb_accelerate(k.ev, 0, k.q, k.v, k.a, k.lambda), CMB_OK);
    assert_int_equal(cmb_outputs(x.ev, 0, x.q, x.v, x.a, x.lambda, x.outputs), CMB_OK);
    assert_int_equal(cmb_outputs(k.ev, 0, k.q, k.v, k.a, k.lambda, k.outputs), CMB_OK);
    c->cartesian = difference(x.eq->no, x.outputs, k.outputs);
    c->multipliers = difference(x.eq->ng, x.lambda, k.lambda);
    close_form(&r);
    close_form(&k);
  }
  close_form(&x);
  cmb_model_destroy(m);
  return good;
}

static void test_agreement(void **state)
{
  cmb_context *ctx = cmb_context_create(NULL);
  struct comparison worst = {0};
  const int count = cmbt_count("CAMBER_MECHANISMS", 250);
  int done = 0, tried = 0;
  (void)state;
  for (uint64_t seed = 1; done < count; seed++, tried++) {
    struct comparison c = {0};
    if (!compare(ctx, seed, &c)) continue;
    done++;
    if (!(c.kkt < 1e-9 && c.residual < 1e-9 && c.cartesian < 1e-9 && c.multipliers < 1e-9 &&
          c.jacobian < 1e-6)) {
      fail_msg(
          "mechanism %d: kkt %.2g, residual %.2g, cartesian %.2g, multipliers %.2g, jacobian %.2g",
          (int)seed, c.kkt, c.residual, c.cartesian, c.multipliers, c.jacobian);
    }
    worst.kkt = fmax(worst.kkt, c.kkt);
    worst.residual = fmax(worst.residual, c.residual);
    worst.cartesian = fmax(worst.cartesian, c.cartesian);
    worst.multipliers = fmax(worst.multipliers, c.multipliers);
    worst.jacobian = fmax(worst.jacobian, c.jacobian);
  }
  print_message("%d mechanisms of %d: kkt %.2g, residual %.2g, cartesian %.2g, multipliers %.2g, "
                "jacobian %.2g\n",
                done, tried, worst.kkt, worst.residual, worst.cartesian, worst.multipliers,
                worst.jacobian);
  assert_true(done * 2 > tried); /* most mechanisms can be assembled */
  cmb_context_destroy(ctx);
}

/* ---- energy */

/* Computes energy and power of the external forces at (t, q, v), with the accelerations there. Returns false if they cannot be computed. */
static bool energy_at(struct formulation *f, double t, double *energy, double *power)
{
  if (cmb_accelerate(f->ev, t, f->q, f->v, f->a, f->lambda) != CMB_OK) return false;
  if (cmb_outputs(f->ev, t, f->q, f->v, f->a, f->lambda, f->outputs) != CMB_OK) return false;
  *energy = f->outputs[f->eq->no - 2];
  *power = f->outputs[f->eq->no - 1];
  return true;
}

/* Adds ∫ P dt over the last step to *work, by Gauss's formula with five points on the dense output. */
static bool work_of_step(struct formulation *f, cmb_integrator *in, double *work)
{
  static const double x[] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831,
                             0.9061798459386640};
  static const double w[] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889,
                             0.4786286704993665, 0.2369268850561891};
  double t0 = cmb_integrator_t_before(in), t1 = cmb_integrator_t(in), energy, power;
  for (int i = 0; i < 5; i++) {
    double t = (t0 + t1) / 2 + x[i] * (t1 - t0) / 2;
    if (cmb_integrator_interpolate(in, t, f->q, f->v) != CMB_OK) return false;
    if (!energy_at(f, t, &energy, &power)) return false;
    *work += w[i] * power * (t1 - t0) / 2;
  }
  return true;
}

static void take_state(struct formulation *f, const cmb_integrator *in)
{
  memcpy(f->q, cmb_integrator_q(in), (size_t)f->eq->nq * sizeof(double));
  memcpy(f->v, cmb_integrator_v(in), (size_t)f->eq->nv * sizeof(double));
}

/* Computes the largest |E(t) − E(0) − ∫ P dt| up to t = 2, relative to the largest energy and to 1 J. */
static bool energy_gap(struct formulation *f, cmb_integrator *in, double *gap)
{
  double work = 0, begin, energy, power, size = 1;
  *gap = 0;
  if (!energy_at(f, 0, &begin, &power)) return false;
  size = fmax(size, fabs(begin));
  if (cmb_integrator_begin(in, 0, f->q, f->v) != CMB_OK) return false;
  while (cmb_integrator_t(in) < 2) {
    if (cmb_integrator_step(in, 2) != CMB_OK || !work_of_step(f, in, &work)) return false;
    take_state(f, in);
    if (!energy_at(f, cmb_integrator_t(in), &energy, &power)) return false;
    size = fmax(size, fabs(energy));
    *gap = fmax(*gap, fabs(energy - begin - work));
  }
  *gap /= size;
  return true;
}

/* Integrates a random mechanism up to t = 2. Returns false if it cannot be assembled or a step fails, as next to a singular position. */
static bool integrate(cmb_context *ctx, uint64_t seed, double *gap)
{
  const struct cmbt_mechanism_wishes wishes = {.most_bodies = 20, .most_loops = 4, .drives = true};
  cmb_model *m = cmbt_random_mechanism(ctx, seed, &wishes);
  struct formulation x = {0};
  cmb_integrator *in;
  cmb_integrator_options options = cmb_integrator_defaults();
  options.rtol = 1e-9, options.atol = 1e-11, options.max_steps = 20000;
  open_form(ctx, m, CMB_FORM_EXPLICIT, false, &x);
  cmbt_ok(ctx, cmb_integrator_create(ctx, x.eq, cmb_method_find("mdop853"), &options, &in));
  bool good = assemble(&x, m) && energy_gap(&x, in, gap);
  cmb_integrator_destroy(in);
  close_form(&x);
  cmb_model_destroy(m);
  return good;
}

static void test_energy(void **state)
{
  cmb_context *ctx = cmb_context_create(NULL);
  const int count = cmbt_count("CAMBER_ENERGY", 20);
  int done = 0, tried = 0;
  double worst = 0;
  (void)state;
  for (uint64_t seed = 1; done < count; seed++, tried++) {
    double gap = 0;
    if (!integrate(ctx, seed, &gap)) continue;
    done++;
    worst = fmax(worst, gap);
    if (!(gap < 1e-7)) print_message("mechanism %d: energy gap %.2g\n", (int)seed, gap);
  }
  print_message("%d mechanisms of %d: energy balance %.2g\n", done, tried, worst);
  cmbt_below(worst, 1e-7);
  assert_true(done * 2 > tried);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_agreement),
                                     cmocka_unit_test(test_energy)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
