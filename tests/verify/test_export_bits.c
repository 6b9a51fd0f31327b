/*
 * Exported C against a run, bit for bit (export_bits.h): random models with tables, floor, conditions and contacts inside each other
 * (random_switching.h), with all variants of the real-time methods.
 */
#include "check.h"
#include "export_bits.h"
#include "model_case.h"
#include "random_switching.h"

#include "random.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

/* A variant of a method: how the options of `lie` and `rosw2` can be combined is in docs/methods. */
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
  char called[40];
  cmb_model *model = cmbt_model_parse(ctx, text);
  const int settings = choose_variant(&r, &method, setting);
  snprintf(called, sizeof called, "seed %llu", (unsigned long long)seed);
  cmbt_export_bits(ctx, model, formulations[seed % 3], method, settings, setting, called, &seen);
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

/* Inputs that are 0 are folded into the run's expressions and added in the code: 0 + (−0) is 0 and not −0, 0·(−1) is −0 and not 0. */
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
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_zeros), cmocka_unit_test(test_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
