/*
 * Tests of cmb_picture_digest: the digest of a model changes with everything that a picture shows (positions, directions, shapes,
 * surfaces), and with nothing else.
 */
#include "check.h"

#include <camber/dyn.h>
#include <camber/model.h>
#include <stdio.h>
#include <string.h>

static const char model_text[] =
    "bodies: {b: {mass: 1, com: [0, 0, -1]}}\n"
    "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [a], start: 1}}\n"
    "forces: {touch: {type: contact, on: b@foot, radius: 0.1, surface: z + 2, "
    "stiffness: 1000}}\n"
    "points: {foot: [0, 0, -1]}\n"
    "shapes: [{body: b, sphere: [0, 0, -1], radius: 0.1}]\n";

/* Computes the digest of the model `model_text` with the first occurrence of `from` replaced by `to`. */
static void digest_with(const char *from, const char *to, char text[CMB_PICTURE_DIGEST_ROOM])
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  char changed[1024];
  const char *at = strstr(model_text, from);
  assert_non_null(at);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - model_text), model_text, to,
           at + strlen(from));
  cmbt_ok(ctx, cmb_model_parse(ctx, changed, strlen(changed), "test.yaml", NULL, &model));
  cmbt_ok(ctx, cmb_picture_digest(ctx, model, text));
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

static void digest_changes_with_the_picture(void **state)
{
  (void)state;
  static const char *const visible[][2] = {
      {"[0, 0, -1]}}", "[0, 0, -1.5]}}"},   {"axis: y", "axis: x"},
      {"at: [0, 0, 0]", "at: [0, 0.1, 0]"}, {"z + 2", "z + 3"},
      {"z + 2", "z + 2 - 0.1*t"},           {"radius: 0.1}]", "radius: 0.2}]"}};
  static const char *const invisible[][2] = {
      {"mass: 1", "mass: 2"}, {"start: 1", "start: 2"}, {"1000", "2000"}};
  char first[CMB_PICTURE_DIGEST_ROOM], other[CMB_PICTURE_DIGEST_ROOM];
  digest_with("mass", "mass", first);
  assert_int_equal(strlen(first), 64);
  for (size_t i = 0; i < sizeof visible / sizeof visible[0]; i++) {
    digest_with(visible[i][0], visible[i][1], other);
    if (strcmp(first, other) == 0) fail_msg("'%s' does not change the digest", visible[i][1]);
  }
  for (size_t i = 0; i < sizeof invisible / sizeof invisible[0]; i++) {
    digest_with(invisible[i][0], invisible[i][1], other);
    assert_string_equal(first, other);
  }
}

/* Checks that a call without a model is refused, and the names of formulations. */
static void wrong_calls_are_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  char text[CMB_PICTURE_DIGEST_ROOM];
  assert_int_equal(cmb_picture_digest(ctx, NULL, text), CMB_ERROR_ARGUMENT);
  assert_string_equal(cmb_formulation_name(CMB_FORM_CARTESIAN), "cartesian");
  assert_string_equal(cmb_formulation_name((cmb_formulation)9), "");
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(digest_changes_with_the_picture),
                                     cmocka_unit_test(wrong_calls_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
