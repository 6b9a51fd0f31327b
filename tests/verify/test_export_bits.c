/*
 * Compares exported C with runs, bit for bit (export_bits.h), for random models with tables, floor, conditions and nested contacts
 * (random_switching.h) and all variants of the real-time methods.
 */
#include "check.h"
#include "export_bits.h"
#include "model_case.h"
#include "random_switching.h"

#include "random.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

/* Chooses a method and options for it at random; docs/methods says which options of `lie` and `rosw2` can be combined. Returns the number
 * of options. */
static int choose_variant(struct cmbt_random *r, const char **method, cmb_option_setting *setting)
{
  static const char *const jacobians[] = {"none", "J1", "J2", "J3", "exact"};
  static const char *const against[] = {"baumgarte", "projection-q", "projection"};
  *method = cmbt_random_int(r, 0, 3) ? "lie" : "rosw2";
  setting[0] = (cmb_option_setting){"bound", "none"};
  if (strcmp(*method, "rosw2") == 0) return 1;
  setting[1] = (cmb_option_setting){"jacobian", jacobians[cmbt_random_int(r, 0, 4)]};
  setting[2] = (cmb_option_setting){"stabilization", against[cmbt_random_int(r, 0, 2)]};
  if (cmbt_random_int(r, 0, 1) == 0 || strcmp(setting[1].value, "J3") == 0) return 3;
  setting[3] = (cmb_option_setting){"positions", "new"};
  return 4;
}

struct count {
  int models, whole;
  long steps, flags, levels;
};

static void compare_text(cmb_context *ctx, const char *text, uint64_t seed, struct count *c)
{
  static const cmb_formulation formulations[] = {CMB_FORM_EXPLICIT, CMB_FORM_EXPLICIT,
                                                 CMB_FORM_CARTESIAN};
  struct cmbt_random r = {seed};
  struct cmbt_export_bits seen;
  cmb_option_setting setting[4];
  const char *method;
  char label[40];
  cmb_model *model = cmbt_model_parse(ctx, text);
  const int settings = choose_variant(&r, &method, setting);
  snprintf(label, sizeof label, "seed %llu", (unsigned long long)seed);
  cmbt_export_bits(ctx, model, formulations[seed % 3], method, settings, setting, label, &seen);
  c->models++;
  c->steps += seen.steps;
  c->whole += seen.whole;
  c->flags += seen.flags;
  c->levels += seen.levels;
  cmb_model_destroy(model);
}

static void compare_model(cmb_context *ctx, uint64_t seed, struct count *c)
{
  static char text[CMBT_SWITCHING_ROOM];
  cmbt_random_switching(seed, sizeof text, text);
  compare_text(ctx, text, seed, c);
}

/* Checks signs of zeros. The run folds inputs that are 0 into its expressions, while the exported code adds them: 0 + (−0) is 0, and
 * 0·(−1) is −0. */
static void test_zeros(void **state)
{
  (void)state;
  static const char text[] =
      "inputs: {zero: 0, negative: abs(floor(t)), difference: floor(t) - floor(t/2)}\n"
      "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {x: {type: prismatic, child: b, axis: x, start: -1}}\n"
      "outputs: {zero: zero, negative: negative, sum: zero + negative, product: zero*x,\n"
      "          other: -zero*x, opposite: -difference}\n";
  struct count c = {0};
  cmb_context *ctx = cmb_context_create(NULL);
  compare_text(ctx, text, 0, &c);
  assert_int_equal(c.whole, 1);
  cmb_context_destroy(ctx);
}

/* Friction that sticks: in the joints of a closed loop that stops and is turned again, and in a contact and a brake of a block; outputs are
 * the forces that hold. */
static const char *const sticking[] = {
    "gravity: [0, 0, -9.81]\n"
    "points: {O: [0, 0, 0], A: [0, 0, 0.3], B: [0.8, 0, 0.7], D: [0.9, 0, 0]}\n"
    "bodies:\n"
    "  crank: {mass: 1, rod: [O, A], radius: 0.01}\n"
    "  coupler: {mass: 2, rod: [A, B], radius: 0.01}\n"
    "  rocker: {mass: 1.5, rod: [D, B], radius: 0.01}\n"
    "joints:\n"
    "  o: {type: revolute, child: crank, at: O, axis: y, rate: 2, friction: {force: 3, law: stick, "
    "static: 4}}\n"
    "  a: {type: revolute, parent: crank, child: coupler, at: A, axis: y, friction: {force: 2, "
    "law: stick, static: 3}}\n"
    "  d: {type: revolute, child: rocker, at: D, axis: y, friction: {force: 2.5, law: stick}}\n"
    "loops: {b: {type: point-line, point: coupler@B, on: rocker@B, axis: y}}\n"
    "forces: {turn: {type: load, on: {body: crank, at: O}, torque: [0, \"40*(t - 0.1)\", 0]}}\n"
    "outputs: {x: coupler.x, force: b.fx}\n",
    "gravity: [0, 0, -9.81]\n"
    "parameters: {push: 3}\n"
    "points: {A: [-0.2, 0, 0], C: [0, 0, 0.1]}\n"
    "bodies: {block: {mass: 3, box: [0.4, 0.2, 0.2], at: C}, wheel: {mass: 2, com: C, inertia: "
    "[0.1, 0.2, 0.1]}}\n"
    "joints:\n"
    "  go: {type: planar, child: block, at: C, axes: [x, z], rate: [0.4, 0, 0]}\n"
    "  w: {type: revolute, parent: block, child: wheel, at: C, axis: y, rate: 1}\n"
    "measures: {brake: \"-stick(w', 4*t, 6*t)\"}\n"
    "forces:\n"
    "  a: {type: contact, on: block@A, surface: z, stiffness: 2e4, damping: 400,\n"
    "      friction: {coefficient: 0.3, static: 0.4, law: stick, direction: x}}\n"
    "  turn: {type: load, on: {body: wheel, at: C}, torque: [0, \"brake + 0.3*sin(9*t)\", 0]}\n"
    "  lift: {type: load, on: {body: block, at: A}, force: [\"push*sin(20*t)\", 0, 12]}\n"
    "controllers: {c: {period: 0.03125, phase: 0.03125, update: {last: brake}}}\n"
    "outputs: {brake: brake, last: last, way: block.x}\n"};

static void test_sticking(void **state)
{
  (void)state;
  static const cmb_option_setting variants[][4] = {
      {{"bound", "none"}, {"jacobian", "J2"}, {"index", "1"}, {"positions", "auto"}},
      {{"bound", "none"}, {"jacobian", "exact"}, {"index", "2"}, {"stabilization", "ggl"}},
      {{"bound", "none"}, {"jacobian", "J1"}, {"index", "1"}, {"positions", "new"}}};
  long flags = 0;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int k = 0; k < 4; k++) {
    struct cmbt_export_bits seen;
    char label[40];
    cmb_model *model = cmbt_model_parse(ctx, sticking[k % 2]);
    snprintf(label, sizeof label, "friction %d", k);
    cmbt_export_bits(ctx, model, k == 3 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT, "lie", 4,
                     variants[k % 3], label, &seen);
    assert_true(seen.whole);
    flags += seen.flags;
    cmb_model_destroy(model);
  }
  printf("friction that sticks: %ld modes changed\n", flags);
  assert_true(flags >= 20);
  cmb_context_destroy(ctx);
}

static void test_bits(void **state)
{
  (void)state;
  const int count = cmbt_count("CAMBER_EXPORTS", 12);
  struct count c = {0};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int k = 0; k < count; k++) compare_model(ctx, (uint64_t)k, &c);
  printf("%d models, %d runs to the end, %ld steps, %ld modes changed, %ld levels other than 1 and "
         "-1: all the "
         "same bits\n",
         c.models, c.whole, c.steps, c.flags, c.levels);
  assert_true(c.whole * 4 >= c.models * 3);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_zeros), cmocka_unit_test(test_sticking),
                                     cmocka_unit_test(test_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
