/*
 * Friction that sticks in steps of fixed cost (`lie`), compared with solutions in closed form and with mdop853, which locates the times at
 * which sticking begins and ends:
 *
 *   - a block sticks on an inclined plane without any creep over a million steps;
 *   - a block slides to a stop, sticks and is released; a brake, applied and released gradually, stops a wheel and holds it;
 *   - a block on a contact;
 *   - order 1 through stops and releases of two blocks on each other and of a four-bar linkage, in all formulations and variants;
 *   - friction in two places that hold the same motion is released at the sum of both limits;
 *   - a saved and resumed run has the same bits; a run allocates nothing, and failing allocations before it are errors;
 *   - refused models, and the number of operations of a step.
 */
#include "check.h"
#include "failing_allocator.h"
#include "model_case.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Fails on warnings: one would report that the solution for friction did not converge. */
static void fail_warning(void *user, cmb_log_level level, const char *message)
{
  (void)user;
  if (level == CMB_LOG_WARNING) fail_msg("%s", message);
}

static void open_lie(cmbt_run *r, const char *text, cmb_formulation formulation, double step)
{
  cmbt_run_open_text_with(r, text, formulation, true);
  cmb_context_set_log(r->ctx, fail_warning, NULL);
  r->method = "lie";
  r->step = step;
}

/* ---- a block on an inclined plane */

static const char SLOPE[] =
    "gravity: [0, 0, -9.81]\n"
    "bodies: {block: {mass: 2, box: [0.2, 0.1, 0.1], at: [0, 0, 0]}}\n"
    "joints:\n"
    "  x: {type: prismatic, child: block, axis: [0.8, 0, -0.6], start: 0.3,\n"
    "      friction: {force: 11, law: stick, static: 11.8}}\n"
    "outputs: {place: block.x, down: block.z}\n"; /* the slope pulls with 11.772 N */

static void check_slope(cmb_formulation formulation, int steps, double most)
{
  cmbt_run r;
  open_lie(&r, SLOPE, formulation, 1e-3);
  cmbt_run_to(&r, steps * 1e-3, steps * 1e-3 / 4);
  const double x = cmbt_row(&r, 0, "place"), z = cmbt_row(&r, 0, "down");
  assert_int_equal(r.event_count, 0);
  cmbt_near(cmbt_output(&r, "place"), x, most);
  cmbt_near(cmbt_output(&r, "down"), z, most);
  for (int i = 0; i < r.eq->nv; i++) cmbt_below(fabs(r.result->v[i]), most);
  cmbt_run_close(&r);
}

static void test_slope(void **state)
{
  (void)state;
  check_slope(CMB_FORM_EXPLICIT, 1000000, 0);
  check_slope(CMB_FORM_CARTESIAN, 20000, 1e-15);
}

/* ---- a stop, a hold and a release */

static const char PULLED[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {block: {mass: 2, box: [0.2, 0.1, 0.1], at: [0, 0, 0]}}\n"
    "joints:\n"
    "  x: {type: prismatic, child: block, axis: x, rate: 0.5,\n"
    "      friction: {force: 4, law: stick, static: 6}}\n"
    "forces: {pull: {type: load, on: {body: block, at: [0, 0, 0]}, force: [0.6*t, 0, 0]}}\n"
    "outputs: {place: x, rate: x'}\n";

/* Compares a run with 2 x'' = −4 + 0.6 t until x' = 0, rest until 0.6 t = 6, then 2 x'' = 2 + 0.6 s with s = t − 10. */
static void check_stick_and_release(cmb_formulation formulation, double h)
{
  enum { MOST = 4 };
  const double stop = (2 - sqrt(4 - 0.3)) / 0.3, s = 1;
  const double place = 0.5 * stop - stop * stop + 0.05 * pow(stop, 3);
  double t[MOST];
  cmbt_run r;
  open_lie(&r, PULLED, formulation, h);
  cmbt_run_to(&r, 10 + s, 0.5);
  assert_int_equal(cmbt_switch_times(&r, "x.friction", 0, MOST, t), 2);
  cmbt_near(t[0], stop, 2 * h);
  cmbt_near(t[1], 10, 2.001 * h); /* the load of the step before decides */
  for (int i = 0; i < r.row_count; i++) {
    const double now = cmbt_row(&r, i, "t");
    if (now < 0.5 || now > 9.9) continue;
    cmbt_near(cmbt_row(&r, i, "place"), cmbt_row(&r, 2, "place"), 1e-15);
    cmbt_near(cmbt_row(&r, i, "rate"), 0, formulation == CMB_FORM_CARTESIAN ? 1e-16 : 0);
    cmbt_near(cmbt_row(&r, i, "place"), place, 0.5 * h); /* error of one step: 0.5 m/s times h */
  }
  cmbt_near(cmbt_output(&r, "place"), place + s * s / 2 + 0.05 * s * s * s, 4 * h);
  cmbt_run_close(&r);
}

static void test_stick_and_release(void **state)
{
  (void)state;
  static const double steps[] = {4e-3, 1e-3, 2.5e-4};
  for (int k = 0; k < 3; k++) {
    check_stick_and_release(CMB_FORM_EXPLICIT, steps[k]);
    check_stick_and_release(CMB_FORM_CARTESIAN, steps[k]);
  }
}

/* ---- a brake */

/* A brake with the limit 3 t Nm, at most 6 Nm, from t = 0 on, released within a second from t = 4 on; the motor drives with 2 Nm. */
static const char BRAKE[] =
    "gravity: [0, 0, 0]\n"
    "parameters: {motor: 2}\n"
    "inputs: {torque: \"max(min(3*t, 6) - 6*max(t - 4, 0), 0)\"}\n"
    "bodies: {wheel: {mass: 10, com: [0, 0, 0], inertia: [0.5, 0.9, 0.5]}}\n"
    "joints: {w: {type: revolute, child: wheel, at: [0, 0, 0], axis: y, rate: 5}}\n"
    "measures: {brake: \"-stick(w', torque, 1.2*torque)\"}\n"
    "forces: {turn: {type: load, on: {body: wheel, at: [0, 0, 0]}, torque: [0, \"brake + motor\", "
    "0]}}\n"
    "outputs: {angle: w, rate: w', brake: brake}\n";

/* Compares with 0.9 w' = 2 − 3 t up to t = 2 and 0.9 w' = 2 − 6 after it, so that w = 0 at t = 2.625. The wheel is released when the static
 * limit 1.2 (6 − 6 (t − 4)) is 2, at t = 5 − 2/7.2, and is driven with 2 − 6 (5 − t) Nm until t = 5, with 2 Nm from then on. */
static void check_brake(double h)
{
  enum { MOST = 4 };
  const double stop = 2.625, rest = 2 / 7.2, free = 5 - rest;
  const double last = (2 * rest - 3 * rest * rest + 2) / 0.9;
  double t[MOST];
  cmbt_run r;
  open_lie(&r, BRAKE, CMB_FORM_EXPLICIT, h);
  cmbt_run_to(&r, 6, 0.25);
  assert_int_equal(cmbt_switch_times(&r, "measure brake, line 6 (2)", 0, MOST, t), 2);
  cmbt_near(t[0], stop, 2 * h);
  cmbt_near(t[1], free, 2 * h);
  for (int i = 0; i < r.row_count; i++) {
    const double now = cmbt_row(&r, i, "t");
    if (now < 2.75 || now > 4.6) continue;
    cmbt_near(cmbt_row(&r, i, "rate"), 0, 0);
    /* the brake carries the motor's torque; while it is being released, with the limit of one step before */
    cmbt_near(cmbt_row(&r, i, "brake"), -2, now > 4 ? 10 * h : 1e-12);
  }
  cmbt_near(cmbt_output(&r, "rate"), last, 10 * h);
  cmbt_run_close(&r);
}

static void test_brake(void **state)
{
  (void)state;
  check_brake(4e-3);
  check_brake(5e-4);
}

/* ---- a block on a contact */

/* A block slides on a floor of stiff springs at two points, from 1 m/s on with μ = 0.3. It stops at 1/(0.3 g), after a way of 1/(0.6 g). */
static const char CONTACT[] =
    "gravity: [0, 0, -9.81]\n"
    "points: {A: [-0.2, 0, 0], B: [0.2, 0, 0], C: [0, 0, 0.1]}\n"
    "bodies: {block: {mass: 3, box: [0.4, 0.2, 0.2], at: C}}\n"
    "joints: {go: {type: planar, child: block, at: C, axes: [x, z], start: [0, -0.00073575, 0], "
    "rate: [1, 0, 0]}}\n"
    "forces:\n"
    "  a: {type: contact, on: block@A, surface: z, stiffness: 2e4, damping: 400,\n"
    "      friction: {coefficient: 0.3, static: 0.4, law: stick, direction: x}}\n"
    "  b: {type: contact, on: block@B, surface: z, stiffness: 2e4, damping: 400,\n"
    "      friction: {coefficient: 0.3, static: 0.4, law: stick, direction: x}}\n"
    "outputs: {place: block.x, rate: block.vx}\n";

static void test_contact(void **state)
{
  (void)state;
  static const cmb_formulation formulations[] = {CMB_FORM_EXPLICIT, CMB_FORM_CARTESIAN};
  for (int k = 0; k < 2; k++) {
    cmbt_run r;
    open_lie(&r, CONTACT, formulations[k], 5e-4);
    cmbt_run_to(&r, 3, 0.5);
    cmbt_near(cmbt_output(&r, "place"), 1 / (0.6 * 9.81), 2e-3);
    cmbt_near(cmbt_row(&r, r.row_count - 1, "place"), cmbt_row(&r, 2, "place"), 1e-6);
    cmbt_near(cmbt_output(&r, "rate"), 0, 1e-12);
    cmbt_run_close(&r);
  }
}

/* ---- order 1, through stops and releases */

static const char STACK[] =
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  lower: {mass: 3, box: [0.4, 0.2, 0.1], at: [0, 0, 0]}\n"
    "  upper: {mass: 1, box: [0.2, 0.1, 0.1], at: [0, 0, 0.1]}\n"
    "joints:\n"
    "  a: {type: prismatic, child: lower, axis: x, rate: 0.3,\n"
    "      friction: {force: 6, law: stick, static: 8}}\n"
    "  b: {type: prismatic, parent: lower, child: upper, axis: x, rate: 0.5,\n"
    "      friction: {force: 2, law: stick, static: 3}}\n"
    "forces:\n"
    "  one: {type: load, on: {body: upper, at: [0, 0, 0.1]}, force: [\"6*sin(3*t)\", 0, 0]}\n"
    "  two: {type: load, on: {body: lower, at: [0, 0, 0]}, force: [\"9*sin(2*t)\", 0, 0]}\n"
    "outputs: {first: lower.x, second: upper.x}\n";

/* A growing torque turns the linkage again after a stop. The friction of its three joints holds one degree of freedom. */
static const char FOUR_BAR[] =
    "gravity: [0, 0, -9.81]\n"
    "points: {O: [0, 0, 0], A: [0, 0, 0.3], B: [0.8, 0, 0.7], D: [0.9, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, rod: [O, A], radius: 0.01}\n"
    "  coupler: {mass: 2, rod: [A, B], radius: 0.01}\n"
    "  rocker: {mass: 1.5, rod: [D, B], radius: 0.01}\n"
    "joints:\n"
    "  o: {type: revolute, child: crank, at: O, axis: y, rate: 4,\n"
    "      friction: {force: 3, law: stick, static: 4}}\n"
    "  a: {type: revolute, parent: crank, child: coupler, at: A, axis: y,\n"
    "      friction: {force: 2, law: stick, static: 3}}\n"
    "  d: {type: revolute, child: rocker, at: D, axis: y, friction: {force: 2.5, law: stick}}\n"
    "loops: {b: {type: point-line, point: coupler@B, on: rocker@B, axis: y}}\n"
    "forces: {turn: {type: load, on: {body: crank, at: O}, torque: [0, 12*t, 0]}}\n"
    "outputs: {first: coupler.x, second: coupler.z}\n";

static double error_of(const char *text, cmb_formulation formulation, const char *positions,
                       double h, double end, const double expected[2])
{
  cmbt_run r;
  open_lie(&r, text, formulation, h);
  r.positions = positions;
  cmbt_run_to(&r, end, 0);
  const double error =
      hypot(cmbt_output(&r, "first") - expected[0], cmbt_output(&r, "second") - expected[1]);
  cmbt_run_close(&r);
  return error;
}

/* Checks that the error at `end` is proportional to the step, compared with mdop5, for joint and Cartesian coordinates and for positions from
 * the old and the new velocities. */
static void check_order(const char *text, double h, double end, int variants)
{
  static const char *const positions[] = {"auto", "new"};
  double expected[2];
  cmbt_run r;
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, end, 0);
  expected[0] = cmbt_output(&r, "first");
  expected[1] = cmbt_output(&r, "second");
  assert_in_range(r.event_count, 3, 100);
  cmbt_run_close(&r);
  for (int k = 0; k < variants; k++) {
    const cmb_formulation form = k / 2 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT;
    const double coarse = error_of(text, form, positions[k % 2], h, end, expected);
    const double fine = error_of(text, form, positions[k % 2], h / 8, end, expected);
    printf("  %s, positions %s: %.2e, with an eighth of the step %.2e, order %.2f\n",
           k / 2 ? "Cartesian" : "joint", positions[k % 2], coarse, fine, log2(coarse / fine) / 3);
    cmbt_near(log2(coarse / fine) / 3, 1, 0.3);
  }
}

static void test_order(void **state)
{
  (void)state;
  check_order(STACK, 2e-3, 3, 4);
  check_order(FOUR_BAR, 2e-3, 0.9, 3);
}

/* ---- one motion that is held in two places */

/* Two rings on hinges of their own, coupled by a = 2 b, with static limits of 4 and 3 Nm, and a torque of t Nm on the first. */
static const char TWO[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {one: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]},\n"
    "         two: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
    "joints:\n"
    "  a: {type: revolute, child: one, at: [0, 0, 0], axis: y, friction: {force: 2, law: stick, "
    "static: 4}}\n"
    "  b: {type: revolute, child: two, at: [0, 0, 0], axis: y, friction: {force: 1, law: stick, "
    "static: 3}}\n"
    "loops: {tie: {type: formula, formula: a - 2*b}}\n"
    "forces: {turn: {type: load, on: {body: one, at: [0, 0, 0]}, torque: [0, t, 0]}}\n"
    "outputs: {angle: a}\n";

/* Checks that both frictions are released at 4 + 3/2 Nm: b rotates half as fast as a. */
static void test_two_places(void **state)
{
  (void)state;
  double t[4];
  cmbt_run r;
  open_lie(&r, TWO, CMB_FORM_EXPLICIT, 1e-3);
  cmbt_run_to(&r, 6, 0);
  assert_int_equal(cmbt_switch_times(&r, "a.friction", 0, 4, t), 1);
  cmbt_near(t[0], 5.5, 2.1e-3);
  assert_int_equal(cmbt_switch_times(&r, "b.friction", 0, 4, t), 1);
  cmbt_near(t[0], 5.5, 2.1e-3);
  /* (1 + 1/4) a'' = t − 2.5 */
  const double s = 0.5;
  cmbt_near(cmbt_output(&r, "angle"), (3 * s * s / 2 + s * s * s / 6) / 1.25, 5e-3);
  cmbt_run_close(&r);
}

/* ---- saving and resuming */

/* Continues the simulation to t and copies positions, velocities and outputs to `state`. */
static void run_on(cmbt_run *r, cmb_simulation *sim, double t, double *state)
{
  cmbt_ok(r->ctx, cmb_simulation_advance(sim, t));
  const cmb_result *result = cmb_simulation_result(sim);
  memcpy(state, result->q, 2 * sizeof *state);
  memcpy(state + 2, result->v, 2 * sizeof *state);
  memcpy(state + 4, result->outputs, 2 * sizeof *state);
}

static cmb_simulation *open_simulation(cmbt_run *r, double t_end)
{
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  options.method = cmb_method_find("lie");
  options.integrator.step = 1e-3;
  options.t_end = t_end;
  cmbt_ok(r->ctx, cmb_simulation_create(r->ctx, r->system, &options, &sim));
  return sim;
}

/* Saves at 12 times: while both blocks slide, while one sticks, and while both do. A resumed run has the same bits at the end. */
static void test_resume(void **state)
{
  (void)state;
  for (int k = 0; k < 12; k++) {
    const double t = 0.05 + 0.25 * k;
    cmbt_run r;
    double whole[6], parts[6];
    open_lie(&r, STACK, k % 2 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT, 1e-3);
    cmb_simulation *one = open_simulation(&r, 3), *other = open_simulation(&r, 3);
    run_on(&r, one, t, parts);
    cmbt_ok(r.ctx, cmb_simulation_save(one, "friction.state"));
    run_on(&r, one, 3, whole);
    cmbt_ok(r.ctx, cmb_simulation_resume(other, "friction.state"));
    run_on(&r, other, 3, parts);
    assert_memory_equal(whole, parts, sizeof whole);
    cmb_simulation_destroy(one);
    cmb_simulation_destroy(other);
    cmbt_run_close(&r);
  }
}

/* Saves while the brake is being released, where the fraction of its limit that it exerts changes with time. The fraction has to be saved. */
static void test_resumed_output(void **state)
{
  (void)state;
  cmbt_run r;
  open_lie(&r, BRAKE, CMB_FORM_EXPLICIT, 1e-3);
  cmb_simulation *one = open_simulation(&r, 6), *other = open_simulation(&r, 6);
  cmbt_ok(r.ctx, cmb_simulation_advance(one, 4.3));
  const double brake = cmb_simulation_result(one)->outputs[2];
  cmbt_ok(r.ctx, cmb_simulation_save(one, "friction.state"));
  cmbt_ok(r.ctx, cmb_simulation_resume(other, "friction.state"));
  cmbt_near(brake, -2, 0.01);
  cmbt_near(cmb_simulation_result(other)->outputs[2], brake, 0);
  cmb_simulation_destroy(one);
  cmb_simulation_destroy(other);
  cmbt_run_close(&r);
}

/* ---- memory */

/* Runs the stack with an allocator that counts and fails; *during_run is the number of allocations during the run. */
static cmb_status run_with(struct cmbt_allocator *memory, long *during_run)
{
  const cmb_model_system_options o = {.evaluation = CMB_EVALUATE_INTERPRETER, .expressions = true};
  cmb_run_options options = cmb_run_defaults();
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  cmb_simulation *sim = NULL;
  cmb_context *ctx = cmb_context_create(&memory->hook);
  *during_run = 0;
  if (!ctx) return CMB_ERROR_MEMORY;
  options.method = cmb_method_find("lie");
  options.integrator.step = 1e-3;
  options.t_end = 3;
  cmb_status status = cmb_model_parse(ctx, STACK, strlen(STACK), "test.yaml", NULL, &model);
  if (status == CMB_OK) status = cmb_model_system(ctx, model, &o, &system);
  if (status == CMB_OK) status = cmb_simulation_create(ctx, system, &options, &sim);
  *during_run = memory->calls;
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  *during_run = memory->calls - *during_run;
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return status;
}

static void test_memory(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  long during_run = -1, calls;
  cmbt_allocator_init(&memory);
  assert_int_equal(run_with(&memory, &during_run), CMB_OK);
  assert_int_equal(during_run, 0);
  calls = memory.calls;
  for (long k = calls; k > 0; k -= k > calls - 100 ? 3 : 31) {
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    assert_int_equal(run_with(&memory, &during_run), CMB_ERROR_MEMORY);
    assert_int_equal(memory.outstanding, 0);
  }
}

/* ---- refused models */

/* Checks the status of a run with this force on the first of two blocks, and its message if `words` is not NULL. */
static void check_refusal(const char *force, const char *method, cmb_status expected,
                          const char *words)
{
  char text[1000];
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim;
  cmbt_run r;
  snprintf(text, sizeof text,
           "gravity: [0, 0, 0]\n"
           "bodies: {b1: {mass: 1, com: [0, 0, 0]}, b2: {mass: 1, com: [0, 0, 0]}}\n"
           "joints: {x: {type: prismatic, child: b1, axis: x, rate: 1},\n"
           "         y: {type: prismatic, child: b2, axis: y, rate: 1}}\n"
           "forces: {f: {type: load, on: {body: b1, at: [0, 0, 0]}, force: [\"%s\", 0, 0]}}\n",
           force);
  cmbt_run_open_text_with(&r, text, CMB_FORM_EXPLICIT, true);
  options.method = cmb_method_find(method);
  options.integrator.step = 1e-3;
  options.t_end = 0.1;
  cmb_status status = cmb_simulation_create(r.ctx, r.system, &options, &sim);
  if (status == CMB_OK) status = cmb_simulation_run(sim);
  assert_int_equal(status, expected);
  if (words && !strstr(cmb_last_error(r.ctx), words)) fail_msg("%s", cmb_last_error(r.ctx));
  cmb_simulation_destroy(sim);
  cmbt_run_close(&r);
}

static void test_refusals(void **state)
{
  (void)state;
  check_refusal("-stick(x', 1, 2)", "lie", CMB_OK, NULL);
  /* this friction does not act on the velocity whose sign it depends on */
  check_refusal("-stick(y', 1, 2)", "lie", CMB_OK, NULL);
  check_refusal("-stick(x', 1, 2)", "rosw2", CMB_ERROR_ARGUMENT,
                "'rosw2' makes steps of fixed cost and cannot hold");
  check_refusal("(1 + t)*stick(x', 1, 2)", "lie", CMB_ERROR_EQUATIONS,
                "at t = 0 is friction that accelerates");
  check_refusal("-stick(x', 1, 2)^3", "lie", CMB_ERROR_ARGUMENT,
                "not linear in the force of friction");
  check_refusal("-stick(x', 1, 2)*(2 + stick(y', 1, 1))", "lie", CMB_ERROR_ARGUMENT,
                "not linear in the force of friction");
  check_refusal("-stick(x'^3, 1, 2)", "lie", CMB_ERROR_ARGUMENT,
                "a rate that is not linear in velocities");
}

/* ---- cost of a step */

/* Returns the number of operations of a step for a stack of blocks with friction, -1 if there are too many. */
static int operations(int blocks)
{
  char text[8000];
  int used = snprintf(text, sizeof text, "gravity: [0, 0, 0]\nbodies:\n");
  for (int i = 0; i < blocks; i++) {
    used +=
        snprintf(text + used, sizeof text - (size_t)used, "  b%d: {mass: 1, com: [0, 0, 0]}\n", i);
  }
  used += snprintf(text + used, sizeof text - (size_t)used, "joints:\n");
  for (int i = 0; i < blocks; i++) {
    char parent[32] = "";
    if (i > 0) snprintf(parent, sizeof parent, "parent: b%d, ", i - 1);
    used += snprintf(text + used, sizeof text - (size_t)used,
                     "  x%d: {type: prismatic, %schild: b%d, axis: x, friction: {force: 1, law: "
                     "stick, static: 2}}\n",
                     i, parent, i);
  }
  cmb_run_options options = cmb_run_defaults();
  cmb_export_report report;
  cmbt_run r;
  cmbt_run_open_text_with(&r, text, CMB_FORM_EXPLICIT, true);
  options.method = cmb_method_find("lie");
  const cmb_status status = cmb_export_c(r.ctx, r.system, &options, "code", &report);
  if (status == CMB_ERROR_ARGUMENT) {
    assert_non_null(strstr(cmb_last_error(r.ctx), "steps of fixed cost can have at most 16"));
  } else {
    cmbt_ok(r.ctx, status);
  }
  cmbt_run_close(&r);
  return status == CMB_OK ? report.instructions : -1;
}

/* Checks upper limits for the numbers of operations that docs/realtime.md states. */
static void test_cost(void **state)
{
  (void)state;
  const int one = operations(1), four = operations(4), eight = operations(8);
  printf("  %d, %d and %d operations\n", one, four, eight);
  assert_in_range(one, 1, 120);
  assert_in_range(four, one, 2300);
  assert_in_range(eight, four, 12300);
  assert_int_equal(operations(17), -1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_slope),  cmocka_unit_test(test_stick_and_release),
      cmocka_unit_test(test_brake),  cmocka_unit_test(test_contact),
      cmocka_unit_test(test_order),  cmocka_unit_test(test_two_places),
      cmocka_unit_test(test_resume), cmocka_unit_test(test_resumed_output),
      cmocka_unit_test(test_memory), cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_cost),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
