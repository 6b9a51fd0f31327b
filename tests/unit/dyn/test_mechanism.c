/*
 * Tests of cmb_mechanism_create: equations of motion of small mechanisms against formulas of textbooks, time derivatives of constraints
 * against difference quotients, messages for wrong formulas, and failing requests for memory.
 */
#include "check.h"
#include "failing_allocator.h"
#include "random_mechanism.h"

#include "dae/evaluator.h"
#include "dae/graph_system.h"
#include "dyn/mechanism.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The equations of a model, with everything of which they are made. */
struct compiled {
  cmb_context *ctx;
  cmb_model *model;
  cmb_mechanism *mechanism;
  cmb_system *system;
  cmb_evaluator *ev;
  const cmb_equations *eq;
};

static void compile(struct compiled *s, const char *text, cmb_formulation formulation)
{
  const cmb_mechanism_options options = {.formulation = formulation};
  const cmb_graph_options graph = {.evaluation = CMB_EVALUATE_INTERPRETER, .explicit_form = true};
  s->ctx = cmb_context_create(NULL);
  cmbt_ok(s->ctx, cmb_model_parse(s->ctx, text, strlen(text), "test.yaml", NULL, &s->model));
  cmbt_ok(s->ctx, cmb_mechanism_create(s->ctx, s->model, &options, &s->mechanism));
  cmbt_ok(s->ctx, cmb_graph_system_create(s->ctx, &s->mechanism->expressions, &graph, &s->system));
  s->eq = cmb_system_equations(s->system);
  cmbt_ok(s->ctx, cmb_evaluator_create(s->ctx, s->eq, &s->ev));
}

static void discard(struct compiled *s)
{
  cmb_evaluator_destroy(s->ev);
  cmb_system_destroy(s->system);
  cmb_mechanism_destroy(s->mechanism);
  cmb_model_destroy(s->model);
  cmb_context_destroy(s->ctx);
}

/* Returns the output of this name at the state t, q, v, with the accelerations and multipliers that belong to the state. */
static double output(struct compiled *s, double t, const double *q, const double *v,
                     const char *name)
{
  double a[32], lambda[32], out[32];
  assert_true(s->eq->nv <= 32 && s->eq->ng <= 32 && s->eq->no <= 32);
  cmbt_ok(s->ctx, cmb_accelerate(s->ev, t, q, v, a, lambda));
  cmbt_ok(s->ctx, cmb_outputs(s->ev, t, q, v, a, lambda, out));
  for (int i = 0; i < s->eq->no; i++) {
    if (strcmp(s->eq->output_names[i], name) == 0) return out[i];
  }
  fail_msg("no output %s", name);
  return 0;
}

/* ---- double pendulum: two rods with mass m, length l, moment of inertia I about their middles, in the x-z plane */

static const char double_pendulum[] =
    "points: {A: [0,0,0], B: [0,0,-2], C: [0,0,-3]}\n"
    "bodies:\n"
    "  one: {mass: 3, com: [0,0,-1.2], inertia: [9, 0.7, 9]}\n"
    "  two: {mass: 2, com: [0,0,-2.6], inertia: [9, 0.3, 9]}\n"
    "joints:\n"
    "  a: {type: revolute, child: one, at: A, axis: [0,-1,0]}\n"
    "  b: {type: revolute, parent: one, child: two, at: B, axis: [0,-1,0]}\n"
    "outputs: {Rx: a.fx, Rz: a.fz, E: energy, My: a.my}\n";

/* Checks M, f, accelerations, the forces in the upper joint and the energy. The textbook's equations are written in the absolute angles
 * α = q1 and β = q1 + q2; with A, B, C as below its mass matrix is [A, B cos(α−β); B cos(α−β), C]. */
static void test_double_pendulum(void **state)
{
  (void)state;
  struct compiled s;
  compile(&s, double_pendulum, CMB_FORM_EXPLICIT);
  const double q[2] = {0.7, -0.4}, v[2] = {1.3, 0.6}, alpha = 0.7, beta = 0.3, wa = 1.3, wb = 1.9;
  const double m1 = 3, m2 = 2, s1 = 1.2, s2 = 0.6, l = 2, I1 = 0.7, I2 = 0.3, g = 9.81;
  const double A = I1 + m1 * s1 * s1 + m2 * l * l, B = m2 * l * s2, C = I2 + m2 * s2 * s2;
  const double c = cos(alpha - beta), n = sin(alpha - beta);
  const double fa = -B * n * wb * wb - (m1 * s1 + m2 * l) * g * sin(alpha);
  const double fb = B * n * wa * wa - m2 * s2 * g * sin(beta);
  double M[4], f[2], a[2];
  cmbt_ok(s.ctx, cmb_evaluate(s.ev, 0, q, v, &(cmb_terms){.M = M, .f = f}));
  cmbt_near(M[0], A + 2 * B * c + C, 1e-13);
  cmbt_near(M[2], B * c + C, 1e-13);
  cmbt_near(M[3], C, 1e-13);
  cmbt_near(f[0], fa + fb, 1e-12);
  cmbt_near(f[1], fb, 1e-12);
  const double det = A * C - B * B * c * c;
  const double da = (C * fa - B * c * fb) / det, db = (A * fb - B * c * fa) / det;
  cmbt_ok(s.ctx, cmb_accelerate(s.ev, 0, q, v, a, NULL));
  cmbt_near(a[0], da, 1e-12);
  cmbt_near(a[1], db - da, 1e-12);
  /* joint force = Σ m (acceleration − gravity); x1, z1, x2, z2 are accelerations of the centres of mass at x = s sin α, z = −s cos α */
  const double x1 = s1 * (da * cos(alpha) - wa * wa * sin(alpha));
  const double x2 =
      l * (da * cos(alpha) - wa * wa * sin(alpha)) + s2 * (db * cos(beta) - wb * wb * sin(beta));
  const double z1 = s1 * (da * sin(alpha) + wa * wa * cos(alpha));
  const double z2 =
      l * (da * sin(alpha) + wa * wa * cos(alpha)) + s2 * (db * sin(beta) + wb * wb * cos(beta));
  cmbt_near(output(&s, 0, q, v, "Rx"), m1 * x1 + m2 * x2, 1e-11);
  cmbt_near(output(&s, 0, q, v, "Rz"), m1 * (z1 + g) + m2 * (z2 + g), 1e-11);
  cmbt_near(output(&s, 0, q, v, "My"), 0, 1e-12); /* no torque about the joint's axis */
  const double kinetic = A * wa * wa / 2 + B * c * wa * wb + C * wb * wb / 2;
  const double potential = -g * (m1 * s1 * cos(alpha) + m2 * (l * cos(alpha) + s2 * cos(beta)));
  cmbt_near(output(&s, 0, q, v, "E"), kinetic + potential, 1e-12);
  discard(&s);
}

/* ---- free body */

/* Checks the acceleration of a free body against Euler's equations I1 ω̇1 = (I2 − I3) ω2 ω3, ..., and the rates of the Euler parameters,
 * ω/2 at the identity. */
static void test_free_body(void **state)
{
  static const char text[] = "bodies: {top: {mass: 2, com: [1,2,3], inertia: [3, 2, 1.5]}}\n"
                             "joints: {f: {type: free, child: top, at: [1,2,3]}}\n";
  (void)state;
  struct compiled s;
  compile(&s, text, CMB_FORM_EXPLICIT);
  const double q[7] = {0.1, 0.2, 0.3, 1, 0, 0, 0}, v[6] = {1, 2, 3, 0.5, -0.7, 0.9};
  double a[6], rates[7];
  cmbt_ok(s.ctx, cmb_accelerate(s.ev, 0, q, v, a, NULL));
  cmbt_near(a[0], 0, 1e-14);
  cmbt_near(a[2], -9.81, 1e-13);
  cmbt_near(a[3], (2 - 1.5) * -0.7 * 0.9 / 3, 1e-14);
  cmbt_near(a[4], (1.5 - 3) * 0.9 * 0.5 / 2, 1e-14);
  cmbt_near(a[5], (3 - 2) * 0.5 * -0.7 / 1.5, 1e-14);
  cmb_rates(s.ev, q, v, rates);
  cmbt_near(rates[3], 0, 1e-15);
  cmbt_near(rates[4], 0.25, 1e-15);
  cmbt_near(rates[6], 0.45, 1e-15);
  discard(&s);
}

/* ---- constraints: G, g_t and γ against differences of g and of G v + g_t in time */

static const char rheonomic[] =
    "points: {P: [0,1,1], Q: [0,0,2], T: [2.5,0.2,0.1]}\n"
    "bodies: {b: {mass: 1, com: [1,0,0], inertia: [1,1,1]},\n"
    "         c: {mass: 1, com: [2,0,0], inertia: [1,2,3]}}\n"
    "markers: {tip: {on: c, at: T}}\n"
    "joints:\n"
    "  j: {type: universal, child: b, at: [0,0,0], axes: [z, y], coordinates: [ja, jb]}\n"
    "  k: {type: cylindrical, parent: b, child: c, at: [1.5,0,0], axis: [1,1,0], coordinates: [ks, "
    "kr]}\n"
    "inputs: {u: sin(2*t)}\n"
    "measures: {rod2: {distance: [ground@Q, tip]}}\n"
    "implicit:\n"
    "  w: {equation: w + 0.3*sin(w) - kr*ja - 0.2*t, start: 0}\n"
    "  two: {unknowns: {p: 0, q: 0}, equations: [p + 0.2*q^2 - w*ks, q - 0.1*p*rod2 - u]}\n"
    "loops:\n"
    "  rod: {type: distance, between: [ground@P, tip], length: 2 + 0.1*u}\n"
    "motions: {m: {formula: tip.x*ks + sin(ja)*rod2 + 0.1*w*two.q + two.p, value: u*t}}\n";

/* Computes g and its rate G v + g_t at time 0.3 + t of the motion q + v t + a t²/2. */
static void constraints_at(struct compiled *s, double t, const double *q, const double *v,
                           const double *a, double *g, double *rate)
{
  double qt[8], vt[8], G[16], gt[2];
  const int n = s->eq->nv;
  for (int i = 0; i < n; i++) qt[i] = q[i] + v[i] * t + a[i] * t * t / 2;
  for (int i = 0; i < n; i++) vt[i] = v[i] + a[i] * t;
  cmbt_ok(s->ctx, cmb_evaluate(s->ev, 0.3 + t, qt, vt, &(cmb_terms){.g = g, .G = G, .gt = gt}));
  for (int k = 0; k < s->eq->ng; k++) {
    rate[k] = gt[k];
    for (int i = 0; i < n; i++) rate[k] += G[k * n + i] * vt[i];
  }
}

/* Checks G v + g_t and G a + γ against difference quotients of fourth order of g and of G v + g_t, for constraints that depend on time and
 * on implicit functions. */
static void test_rheonomic(void **state)
{
  (void)state;
  struct compiled s;
  compile(&s, rheonomic, CMB_FORM_RESIDUAL);
  assert_int_equal(s.eq->ng, 2);
  const double q[4] = {0.2, -0.3, 0.1, 0.4}, v[4] = {1, 0.5, -0.7, 0.8}, a[4] = {0.3, -1, 2, 0.6};
  const double h = 1e-4;
  double g[5][2], rate[5][2], G[8], gamma[2];
  for (int k = 0; k < 5; k++) constraints_at(&s, (k - 2) * h, q, v, a, g[k], rate[k]);
  cmbt_ok(s.ctx, cmb_evaluate(s.ev, 0.3, q, v, &(cmb_terms){.G = G, .gamma = gamma}));
  for (int k = 0; k < 2; k++) {
    double slope = (g[0][k] - 8 * g[1][k] + 8 * g[3][k] - g[4][k]) / (12 * h);
    double second = (rate[0][k] - 8 * rate[1][k] + 8 * rate[3][k] - rate[4][k]) / (12 * h);
    double exact = gamma[k];
    for (int i = 0; i < 4; i++) exact += G[4 * k + i] * a[i];
    cmbt_near(rate[2][k], slope, 1e-10);
    cmbt_near(exact, second, 1e-9);
  }
  discard(&s);
}

/* ---- errors that are found when the equations are made */

/* Checks that a model can be read, but that each formulation refuses it with a message that contains `words`. */
static void expect_error(const char *text, const char *words)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_mechanism *mechanism;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", NULL, &model));
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    const cmb_mechanism_options options = {.formulation = (cmb_formulation)form};
    assert_int_equal(cmb_mechanism_create(ctx, model, &options, &mechanism), CMB_ERROR_INPUT);
    assert_null(mechanism);
    if (!strstr(cmb_last_error(ctx), words)) fail_msg("%s", cmb_last_error(ctx));
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

#define BODY                                                                                       \
  "bodies: {b: {mass: 1, com: [0,0,1], inertia: [1,1,1]}}\njoints: {j: {type: revolute, child: "   \
  "b, at: [0,0,0], axis: x}}\n"

static void test_errors(void **state)
{
  (void)state;
  expect_error(BODY "outputs: {o: jj}\n", "test.yaml:3:14:");
  expect_error(BODY "outputs: {o: jj}\n", "did you mean 'j'");
  expect_error(BODY "loops: {l: {type: formula, formula: b.vx}}\n",
               "'b.vx' is a velocity or a force; this formula can use only positions, the time,");
  expect_error(BODY "motions: {l: {formula: t, value: t}}\n", "depends on no coordinate");
  expect_error(BODY "inputs: {road: 0.1*t}\nforces: {tyre: {type: contact, on: {body: b, at: "
                    "[0,0,1]}, surface: road, stiffness: 1}}\n",
               "test.yaml:4:69: force 'tyre' depends on no coordinate, length or position");
  expect_error(BODY "forces: {bump: {type: contact, on: {body: b, at: [0,0,1]}, surface: 0.2, "
                    "restitution: 1}}\n",
               "stop 'bump' depends on no coordinate, length or position");
  expect_error(BODY "inputs: {u: j}\n", "is a position; this formula can use only the time,");
  expect_error(BODY "measures: {m: n + 1, n: 2*m}\noutputs: {o: m}\n", "depends on itself");
}

/* ---- memory */

/* Returns a random mechanism or the model `rheonomic`. */
static cmb_model *model_for_memory(cmb_context *ctx, bool random)
{
  const struct cmbt_mechanism_wishes wishes = {.most_bodies = 4, .most_loops = 1, .drives = true};
  cmb_model *model;
  if (random) return cmbt_random_mechanism(ctx, 7, &wishes);
  cmbt_ok(ctx, cmb_model_parse(ctx, rheonomic, strlen(rheonomic), "m.yaml", NULL, &model));
  return model;
}

/* Makes each request for memory in cmb_mechanism_create fail in turn: the error is CMB_ERROR_MEMORY, and all memory is given back. */
static void check_memory(bool random)
{
  for (int form = CMB_FORM_EXPLICIT; form <= CMB_FORM_CARTESIAN; form++) {
    const cmb_mechanism_options options = {.formulation = (cmb_formulation)form};
    for (long k = 1, refused = 1; refused > 0; k++) {
      struct cmbt_allocator memory;
      cmbt_allocator_init(&memory);
      cmb_context *ctx = cmb_context_create(&memory.hook);
      cmb_model *model = model_for_memory(ctx, random);
      cmb_mechanism *mechanism;
      memory.fail_at = memory.calls + k;
      cmb_status status = cmb_mechanism_create(ctx, model, &options, &mechanism);
      refused = memory.refused;
      memory.fail_at = 0;
      assert_int_equal(status, refused ? CMB_ERROR_MEMORY : CMB_OK);
      if (refused) assert_null(mechanism);
      cmb_mechanism_destroy(mechanism);
      cmb_model_destroy(model);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
    }
  }
}

static void test_memory(void **state)
{
  (void)state;
  check_memory(true);
  check_memory(false);
}

/* Computes the product M x of the mass matrix of `count` equal pendulums in Cartesian coordinates, at the start, with a vector x (7 count) that
 * is the same for each of them. */
static void multiply_pendulums(int count, double *product)
{
  enum { EACH = 7, MOST_NV = 3 * EACH };
  char text[2000];
  double x[MOST_NV];
  struct compiled s;
  int length = snprintf(text, sizeof text, "bodies:\n");
  for (int i = 0; i < count; i++) {
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  b%d: {mass: 2, com: [0, 0.3, -1], inertia: [0.5, 0.6, 0.2]}\n", i);
  }
  length += snprintf(text + length, sizeof text - (size_t)length, "joints:\n");
  for (int i = 0; i < count; i++) {
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  j%d: {type: revolute, child: b%d, at: [0, 0, 0], axis: y}\n", i, i);
  }
  compile(&s, text, CMB_FORM_CARTESIAN);
  assert_int_equal(s.eq->nv, EACH * count);
  for (int i = 0; i < s.eq->nv; i++) x[i] = sin(1 + i % EACH);
  cmb_terms want = {.M = s.ev->M};
  cmbt_ok(s.ctx, cmb_evaluate(s.ev, 0, cmb_system_q(s.system), NULL, &want));
  cmb_multiply_mass(s.ev, x, product);
  discard(&s);
}

/* Checks that the constraints which are added to the mass matrix have the weights of a typical body, no matter how many bodies there are. */
static void test_weights(void **state)
{
  (void)state;
  double one[7], three[21];
  multiply_pendulums(1, one);
  multiply_pendulums(3, three);
  for (int i = 0; i < 21; i++) cmbt_near(three[i], one[i % 7], 1e-13);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_free_body),
      cmocka_unit_test(test_rheonomic),       cmocka_unit_test(test_errors),
      cmocka_unit_test(test_weights),         cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
