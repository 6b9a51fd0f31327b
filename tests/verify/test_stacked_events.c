/*
 * Stacks of bodies that fall onto each other and come to rest, with impacts by events of the user. An event that resets the rate of a gap to
 * −e times itself is Newton's law, so that the same stack with stops of that restitution must have the same motion. Stops are solved
 * simultaneously (sim/contacts.h, sim/active_contacts.h), events one after the other. No body may penetrate another.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

enum { MOST_BODIES = 5, TEXT = 4000 };

/* A random stack. */
typedef struct stack {
  int count;
  double place[MOST_BODIES], rate[MOST_BODIES], mass[MOST_BODIES], e[MOST_BODIES];
  int order[MOST_BODIES]; /* of the events in the file */
  int form[MOST_BODIES];  /* of three equivalent ways to write their conditions */
} stack;

static stack random_stack(struct cmbt_random *r)
{
  static const double restitution[] = {0, 0.2, 0.5, 0.7};
  stack s = {.count = cmbt_random_int(r, 2, MOST_BODIES)};
  double place = 0;
  for (int i = 0; i < s.count; i++) {
    s.place[i] = place += cmbt_random_uniform(r, 0.06, 0.4);
    s.rate[i] = cmbt_random_uniform(r, -1, 1);
    s.mass[i] = cmbt_random_uniform(r, 0.3, 3);
    s.e[i] = restitution[cmbt_random_int(r, 0, 3)];
    s.form[i] = cmbt_random_int(r, 0, 2);
    s.order[i] = i;
  }
  for (int i = s.count - 1; i > 0; i--) {
    const int k = cmbt_random_int(r, 0, i), kept = s.order[i];
    s.order[i] = s.order[k];
    s.order[k] = kept;
  }
  return s;
}

/* Appends to the text. */
#define ADD(...) used += (size_t)snprintf(text + used, TEXT - used, __VA_ARGS__)

static size_t add_bodies(const stack *s, char *text)
{
  size_t used = 0;
  ADD("bodies:\n");
  for (int i = 0; i < s->count; i++) {
    ADD("  b%d: {mass: %.6f, com: [0, 0, %.6f], inertia: [0.05, 0.05, 0.05]}\n", i, s->mass[i],
        s->place[i]);
  }
  ADD("joints:\n");
  for (int i = 0; i < s->count; i++) {
    ADD("  j%d: {type: prismatic, child: b%d, at: [0, 0, %.6f], axis: z, rate: %.6f}\n", i, i,
        s->place[i], s->rate[i]);
  }
  ADD("outputs: {");
  for (int i = 0; i < s->count; i++) ADD("z%d: b%d.z, w%d: b%d.vz, ", i, i, i, i);
  ADD("n: %d}\n", s->count);
  return used;
}

/* Writes formulas of the gap below body i and of its rate. */
static void gap_of(int i, char *gap, char *rate, size_t size)
{
  snprintf(gap, size, i == 0 ? "b%d.z" : "b%d.z - b%d.z - 0.05", i, i - 1);
  snprintf(rate, size, i == 0 ? "b%d.vz" : "b%d.vz - b%d.vz", i, i - 1);
}

/* Writes the model of a stack, joined by events or by stops. */
static void write_stack(const stack *s, bool events, char *text)
{
  size_t used = add_bodies(s, text);
  ADD(events ? "events:\n" : "loops:\n");
  for (int k = 0; k < s->count; k++) {
    const int i = s->order[k];
    char gap[80], rate[80];
    gap_of(i, gap, rate, sizeof gap);
    if (!events) {
      ADD("  p%d: {type: stop, formula: %s, restitution: %g}\n", i, gap, s->e[i]);
      continue;
    }
    ADD("  p%d: {when: ", i);
    if (s->form[i] == 0) ADD("%s < 0", gap);
    if (s->form[i] == 1) ADD("-(%s)", gap);
    if (s->form[i] == 2) ADD("%s > 0, direction: falling", gap);
    ADD(", action: {reset: {%s: -%g*(%s)}}}\n", rate, s->e[i], rate);
  }
}

/* Runs a model up to t and stores places and velocities in z (2 count); fails if a body penetrates another. */
static void run_stack(const char *text, int count, const char *method, int formulation, double t,
                      double *z)
{
  cmbt_run r;
  cmbt_run_open_text(&r, text, cmbt_formulation(formulation));
  r.method = method;
  r.rtol = 1e-8;
  cmbt_run_to(&r, t, 0);
  for (int i = 0; i < count; i++) {
    char name[20];
    snprintf(name, sizeof name, "z%d", i);
    z[2 * i] = cmbt_output(&r, name);
    snprintf(name, sizeof name, "w%d", i);
    z[2 * i + 1] = cmbt_output(&r, name);
    const double gap = i == 0 ? z[0] : z[2 * i] - z[2 * i - 2] - 0.05;
    if (!(gap >= -1e-7)) fail_msg("%s: body %d penetrates by %.3g\n%s", method, i, -gap, text);
  }
  cmbt_run_close(&r);
}

static double difference(int n, const double *x, const double *y)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i] - y[i]));
  return most;
}

/* Compares stacks joined by events and by stops at t = 4, when every body lies on the one below. */
static void test_random_stacks(void **state)
{
  (void)state;
  const int stacks = cmbt_count("CAMBER_STACKS", 6);
  static const char *const methods[] = {"mdop5", "radau5", "abm", "auto", "mdop853", "bdf"};
  double worst = 0;
  for (int k = 0; k < stacks; k++) {
    struct cmbt_random random = {(uint64_t)k + 1};
    const stack s = random_stack(&random);
    double stops[2 * MOST_BODIES], events[2 * MOST_BODIES];
    char text[TEXT];
    write_stack(&s, false, text);
    run_stack(text, s.count, "mdop5", 0, 4, stops);
    write_stack(&s, true, text);
    for (int i = 0; i < 3; i++) {
      run_stack(text, s.count, methods[i == 1 ? k % 6 : 0], i == 2 ? 2 : 0, 4, events);
      worst = fmax(worst, difference(2 * s.count, stops, events));
    }
  }
  printf("%d stacks, events and stops differ by %.1e at the most\n", stacks, worst);
  cmbt_near(worst, 0, 1e-6);
}

/* Checks three bodies, the two lower ones at rest when the third falls onto them. The last event in the order of the file must not act on
 * bodies that separate at a rate within the tolerances, which would reverse this rate. */
static void test_three(void **state)
{
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  b0: {mass: 0.9571, com: [0, 0, 0.3504], inertia: [0.05, 0.05, 0.05]}\n"
      "  b1: {mass: 1.7937, com: [0, 0, 0.7880], inertia: [0.05, 0.05, 0.05]}\n"
      "  b2: {mass: 1.7735, com: [0, 0, 1.2777], inertia: [0.05, 0.05, 0.05]}\n"
      "joints:\n"
      "  j0: {type: prismatic, child: b0, at: [0, 0, 0.3504], axis: z, rate: 0.440}\n"
      "  j1: {type: prismatic, child: b1, at: [0, 0, 0.7880], axis: z, rate: 0.298}\n"
      "  j2: {type: prismatic, child: b2, at: [0, 0, 1.2777], axis: z, rate: 0.735}\n"
      "forces: {push: {type: load, on: {body: b2, at: [0, 0, 1.2777]}, force: [0, 0, "
      "8.625*sin(1.32*t)]}}\n"
      "events:\n"
      "  floor0: {when: b0.z < 0, action: {reset: {b0.vz: -0.2*b0.vz}}}\n"
      "  upper: {when: b2.z - b1.z < 0.05, action: {reset: {b2.vz - b1.vz: -0.2*(b2.vz - "
      "b1.vz)}}}\n"
      "  lower: {when: b1.z - b0.z < 0.05, action: {reset: {b1.vz - b0.vz: -0.2*(b1.vz - "
      "b0.vz)}}}\n"
      "outputs: {z0: b0.z, w0: b0.vz, z1: b1.z, w1: b1.vz, z2: b2.z, w2: b2.vz}\n";
  static const double rest[] = {0, 0, 0.05, 0, 0.1, 0};
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    double end[6];
    run_stack(text, 3, cmb_method_name(cmb_method_at(i)), i % 2 ? 2 : 0, 4, end);
    cmbt_near(difference(6, end, rest), 0, 1e-7);
  }
}

/* Checks five bodies with e = 0.9, joined by stops. When two of them have come to rest with rates too small to be detected, the third contact
 * closes again at that time and must act once more. */
static void test_five_stops(void **state)
{
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  b0: {mass: 1.0000, com: [0, 0, 0.2985], inertia: [0.05, 0.05, 0.05]}\n"
      "  b1: {mass: 1.0000, com: [0, 0, 0.3713], inertia: [0.05, 0.05, 0.05]}\n"
      "  b2: {mass: 1.0000, com: [0, 0, 0.7364], inertia: [0.05, 0.05, 0.05]}\n"
      "  b3: {mass: 1.0000, com: [0, 0, 0.9541], inertia: [0.05, 0.05, 0.05]}\n"
      "  b4: {mass: 1.0000, com: [0, 0, 1.2389], inertia: [0.05, 0.05, 0.05]}\n"
      "joints:\n"
      "  j0: {type: prismatic, child: b0, at: [0, 0, 0.2985], axis: z, rate: -0.241}\n"
      "  j1: {type: prismatic, child: b1, at: [0, 0, 0.3713], axis: z, rate: -0.800}\n"
      "  j2: {type: prismatic, child: b2, at: [0, 0, 0.7364], axis: z, rate: 0.532}\n"
      "  j3: {type: prismatic, child: b3, at: [0, 0, 0.9541], axis: z, rate: 0.234}\n"
      "  j4: {type: prismatic, child: b4, at: [0, 0, 1.2389], axis: z, rate: 0.918}\n"
      "forces:\n"
      "  push: {type: load, on: {body: b0, at: [0, 0, 0.2985]}, force: [0, 0, "
      "'23.005*sin(1.754*t)']}\n"
      "loops:\n"
      "  p3: {type: stop, formula: b3.z - b2.z - 0.05, restitution: 0.9}\n"
      "  p4: {type: stop, formula: b4.z - b3.z - 0.05, restitution: 0.9}\n"
      "  p1: {type: stop, formula: b1.z - b0.z - 0.05, restitution: 0.9}\n"
      "  p0: {type: stop, formula: b0.z - 0, restitution: 0.9}\n"
      "  p2: {type: stop, formula: b2.z - b1.z - 0.05, restitution: 0.9}\n"
      "events:\n"
      "  kick: {when: t > 1.7766, action: {reset: {b1.vz: -1.370}}}\n"
      "outputs:\n"
      "  z0: b0.z\n"
      "  w0: b0.vz\n"
      "  z1: b1.z\n"
      "  w1: b1.vz\n"
      "  z2: b2.z\n"
      "  w2: b2.vz\n"
      "  z3: b3.z\n"
      "  w3: b3.vz\n"
      "  z4: b4.z\n"
      "  w4: b4.vz\n";
  double end[10];
  run_stack(text, 5, "mdop5", 0, 2.5, end);
  for (int i = 0; i < 5; i++) cmbt_near(end[2 * i], 0.05 * i, 1e-6);
}

/* Checks that bodies which meet in flight and get the same velocity separate again, the lighter one being pushed upwards; the event acts
 * once. */
static void test_in_flight(void **state)
{
  (void)state;
  static const char text[] =
      "bodies:\n"
      "  b0: {mass: 1, com: [0, 0, 10], inertia: [0.05, 0.05, 0.05]}\n"
      "  b1: {mass: 0.5, com: [0, 0, 11], inertia: [0.05, 0.05, 0.05]}\n"
      "joints:\n"
      "  j0: {type: prismatic, child: b0, at: [0, 0, 10], axis: z, rate: 1}\n"
      "  j1: {type: prismatic, child: b1, at: [0, 0, 11], axis: z, rate: -2}\n"
      "forces: {push: {type: load, on: {body: b1, at: [0, 0, 11]}, force: [0, 0, 1.5]}}\n"
      "events: {meet: {when: b1.z - b0.z < 0.05, action: {reset: {b1.vz - b0.vz: 0*b1.vz}}}}\n"
      "outputs: {d: b1.z - b0.z - 0.05}\n";
  const double t = (3 - sqrt(9 - 6 * 0.95)) / 3; /* 0.95 = 3 t − 3 t²/2 */
  for (int k = 0; k <= 2; k += 2) {
    cmbt_run r;
    double at[2];
    cmbt_run_open_text(&r, text, cmbt_formulation(k));
    r.rtol = 1e-8;
    cmbt_run_to(&r, 1, 0);
    assert_int_equal(cmbt_times(&r, "meet", 1, 2, at), 1);
    cmbt_near(at[0], t, 1e-8);
    cmbt_near(cmbt_output(&r, "d"), 1.5 * (1 - t) * (1 - t), 1e-7);
    cmbt_run_close(&r);
  }
}

/* Returns switching functions that never change, so that an impact is missed. */
static cmb_status constant_switches(const void *self, const cmb_point *at, const double *lambda,
                                    double *s)
{
  (void)self, (void)at, (void)lambda;
  s[0] = s[1] = -1;
  return CMB_OK;
}

/* Checks that a run which has missed an impact ends with an error instead of continuing inside a body. */
static void test_lost_impact(void **state)
{
  (void)state;
  static const char text[] = "bodies: {b: {mass: 1, com: [0, 0, 0]}}\n"
                             "joints: {z: {type: prismatic, child: b, axis: z, start: 0.5}}\n"
                             "loops: {soil: {type: stop, formula: z, restitution: 0.5}}\n";
  cmbt_run r;
  cmb_system *system;
  cmb_simulation *sim;
  cmb_run_options options = cmb_run_defaults();
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmb_equations eq = *r.eq;
  assert_int_equal(eq.ns, 2);
  eq.switches = constant_switches;
  eq.enclose = NULL;
  cmbt_ok(r.ctx, cmb_system_create(r.ctx, &eq, 0, 1, cmb_system_q(r.system), cmb_system_v(r.system),
                                   &system));
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, system, &options, &sim));
  assert_int_equal(cmb_simulation_run(sim), CMB_ERROR_EVENTS);
  assert_non_null(strstr(cmb_error_of(r.ctx)->text, "has missed an impact"));
  assert_true(cmb_simulation_result(sim)->t < 0.7);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_three), cmocka_unit_test(test_in_flight),
                                     cmocka_unit_test(test_random_stacks),
                                     cmocka_unit_test(test_five_stops),
                                     cmocka_unit_test(test_lost_impact)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
