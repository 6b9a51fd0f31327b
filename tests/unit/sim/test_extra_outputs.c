/*
 * Tests the option `extra_equations` of a run: the extra outputs equal, bit for bit, the outputs of a run with the extra equations alone,
 * before and between impacts, in a closed contact, and while friction sticks. The run does not depend on them. Extra equations with other
 * sizes are refused.
 */
#include "check.h"
#include "model_case.h"

#include <camber/camber.h>
#include <string.h>

#define BALL                                                                                       \
  "bodies: {ball: {mass: 2, com: [0, 0, 0.3], inertia: [1, 1, 1]}}\n"                              \
  "points: {P: [0, 0, 0.3]}\n"                                                                     \
  "joints: {fall: {type: prismatic, child: ball, at: P, axis: z, coordinates: [h]}}\n"             \
  "forces: {base: {type: contact, on: ball@P, radius: 0.1, surface: z + 0.1*x, restitution: "      \
  "0.3}}\n"                                                                                        \
  "simulate: {t-end: 1}\n"
#define FORCES "outputs: {push: base.fz, across: base.fx, held: fall.fx}\n"

#define BLOCK                                                                                      \
  "bodies: {block: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"                               \
  "points: {P: [0, 0, 0], Q: [-1, 0, 0]}\n"                                                        \
  "joints: {slide: {type: prismatic, child: block, at: P, axis: x, coordinates: [x],\n"            \
  "                 start: 0.02}}\n"                                                               \
  "forces: {spring: {type: spring, between: [ground@Q, block@P], stiffness: 100,\n"                \
  "                  force: 'if(x'' > 0, 3, -3)'}}\n"                                              \
  "simulate: {t-end: 1}\n"

enum { MOST = 4000 };

struct log {
  int count, known;           /* number of records, and of those with outputs */
  double t[MOST], x[MOST][3]; /* times and outputs of the records */
  bool store_extra;           /* the extra outputs are stored in place of the outputs */
};

static cmb_status on_record(void *user, const cmb_record *r)
{
  struct log *log = user;
  assert_true(log->count < MOST);
  const double *from = log->store_extra ? r->extra_outputs : r->outputs;
  log->t[log->count] = r->t;
  if (from) memcpy(log->x[log->count], from, sizeof log->x[0]);
  log->known += from != NULL;
  log->count++;
  return CMB_OK;
}

/* Simulates 1 s with the given extra equations, or none. Records the outputs in *log and sets *q to the first position at the end. */
static cmb_status simulate(cmb_context *ctx, cmb_system *system, const cmb_equations *extra,
                           struct log *log, double *q)
{
  cmb_simulation *sim = NULL;
  cmb_run_options options = cmb_run_defaults();
  options.extra_equations = extra;
  options.observer = (cmb_observer){.user = log, .record = on_record};
  log->store_extra = extra != NULL;
  options.t_end = 1;
  cmb_status status = cmb_simulation_create(ctx, system, &options, &sim);
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  if (status == CMB_OK) *q = cmb_simulation_result(sim)->q[0];
  cmb_simulation_destroy(sim);
  return status;
}

static void open_system(cmb_context *ctx, const char *text, cmb_model **model, cmb_system **system)
{
  const cmb_model_system_options options = {0};
  *model = cmbt_model_parse(ctx, text);
  cmbt_ok(ctx, cmb_model_system(ctx, *model, &options, system));
}

/* Compares the extra outputs of a ball that falls on a slope and comes to rest with the outputs of a run of the extra equations alone. */
static void test_extra_outputs_equal_outputs(void **state)
{
  (void)state;
  static struct log extra_alone, as_extra;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *plain, *with;
  cmb_system *run, *extra;
  double q[3];
  open_system(ctx, BALL "outputs: {a: h, b: h', c: t}\n", &plain, &run);
  open_system(ctx, BALL FORCES, &with, &extra);
  const cmb_equations *eq = cmb_system_equations(extra);
  assert_true(cmb_extra_equations_fit(eq, cmb_system_equations(run)));
  cmbt_ok(ctx, simulate(ctx, extra, NULL, &extra_alone, &q[0]));
  cmbt_ok(ctx, simulate(ctx, run, eq, &as_extra, &q[1]));
  assert_true(q[0] == q[1]);
  assert_int_equal(extra_alone.count, as_extra.count);
  assert_int_equal(as_extra.known, as_extra.count);
  for (int i = 0; i < extra_alone.count; i++) {
    assert_true(extra_alone.t[i] == as_extra.t[i]);
    for (int k = 0; k < 3; k++) assert_true(extra_alone.x[i][k] == as_extra.x[i][k]);
  }
  /* at rest the contact carries the weight m g; the slope of 0.1 gives a horizontal force of a tenth of it */
  const double *last = as_extra.x[as_extra.count - 1];
  cmbt_near(last[0], 2 * 9.81, 1e-9);
  cmbt_near(last[1], 0.2 * 9.81, 1e-9);
  cmbt_near(last[2], -0.2 * 9.81, 1e-9);
  assert_true(as_extra.x[0][0] == 0); /* no contact force at the start */
  cmb_system_destroy(run);
  cmb_system_destroy(extra);
  cmb_model_destroy(plain);
  cmb_model_destroy(with);
  cmb_context_destroy(ctx);
}

/* Checks a block that sticks: the spring force is 2 N, and the friction in the same force element is at most 3 N. The block does not move,
 * and the force of the element, spring and friction, is 0. */
static void test_sticking(void **state)
{
  (void)state;
  static struct log log, without_extra, extra_alone;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *plain, *with;
  cmb_system *run, *extra;
  double q[3];
  open_system(ctx, BLOCK, &plain, &run);
  open_system(ctx, BLOCK "outputs: {a: spring.force, b: slide.fx, c: slide.fz}\n", &with, &extra);
  cmbt_ok(ctx, simulate(ctx, run, cmb_system_equations(extra), &log, &q[0]));
  cmbt_ok(ctx, simulate(ctx, run, NULL, &without_extra, &q[1]));
  cmbt_ok(ctx, simulate(ctx, extra, NULL, &extra_alone, &q[2]));
  assert_true(q[0] == q[1] && q[0] == q[2]);
  cmbt_near(q[0], 0.02, 1e-9);
  assert_true(log.count > 1 && log.count == extra_alone.count);
  assert_int_equal(log.known, log.count);
  for (int i = 0; i < log.count; i++) {
    for (int k = 0; k < 3; k++) assert_true(log.x[i][k] == extra_alone.x[i][k]);
    cmbt_near(log.x[i][0], 0, 1e-9);
    cmbt_near(log.x[i][2], 9.81, 1e-9);
  }
  cmb_system_destroy(run);
  cmb_system_destroy(extra);
  cmb_model_destroy(plain);
  cmb_model_destroy(with);
  cmb_context_destroy(ctx);
}

/* Checks that extra equations of another model are refused. */
static void test_another_motion(void **state)
{
  (void)state;
  static struct log log;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *ball, *block;
  cmb_system *run, *extra;
  double q;
  open_system(ctx, BALL, &ball, &run);
  open_system(ctx, BLOCK "outputs: {a: x}\n", &block, &extra);
  const cmb_equations *eq = cmb_system_equations(extra);
  assert_false(cmb_extra_equations_fit(eq, cmb_system_equations(run)));
  assert_int_equal(simulate(ctx, run, eq, &log, &q), CMB_ERROR_ARGUMENT);
  cmb_system_destroy(run);
  cmb_system_destroy(extra);
  cmb_model_destroy(ball);
  cmb_model_destroy(block);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_extra_outputs_equal_outputs),
                                     cmocka_unit_test(test_sticking),
                                     cmocka_unit_test(test_another_motion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
