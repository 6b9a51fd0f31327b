/*
 * Tests of cmb_model_origin_of, which returns the element and the place in the file that belong to the name of a constraint.
 */
#include "check.h"
#include "model_case.h"

static const char text[] = "bodies: {b: {mass: 1, com: [0, 0, 0]}, c: {mass: 1, com: [1, 0, 0]}}\n"
                           "joints:\n"
                           "  j: {type: free, child: b}\n"
                           "  k: {type: revolute, parent: b, child: c, at: [0, 0, 0], axis: x}\n"
                           "loops:\n"
                           "  ring: {type: spherical, bodies: [ground, c], at: [1, 0, 0]}\n"
                           "motions: {drive: {coordinate: k, value: t}}\n"
                           "templates:\n"
                           "  part: {loops: {ring: {type: formula, formula: k}}}\n"
                           "instances: {in: {template: part}}\n";

static void constraints_have_an_origin(void **state)
{
  (void)state;
  static const struct {
    const char *constraint, *kind, *name;
    int line, column;
  } rows[] = {
      {"ring.x", "loop", "ring", 6, 3},      {"ring", "loop", "ring", 6, 3},
      {"in.ring", "loop", "in.ring", 9, 18}, {"drive", "motion", "drive", 7, 11},
      {"k.tilt1", "joint", "k", 4, 3},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, text);
  cmb_model_origin o;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_true(cmb_model_origin_of(m, rows[i].constraint, &o));
    assert_string_equal(o.kind, rows[i].kind);
    assert_string_equal(o.name, rows[i].name);
    assert_string_equal(o.file, "test.yaml");
    assert_int_equal(o.line, rows[i].line);
    assert_int_equal(o.column, rows[i].column);
  }
  assert_false(cmb_model_origin_of(m, "rings.x", &o)); /* begins with "ring", but is another name */
  assert_false(cmb_model_origin_of(m, "b.norm", &o));
  assert_false(cmb_model_origin_of(m, "", &o));
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(constraints_have_an_origin)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
