/*
 * Tests of native code (include/camber/expr.h): several programs at once give the same bits as the interpreter, with and without code for
 * numbers and for lanes. test_emit.c tests the code itself.
 */
#include "check.h"
#include "native_case.h"
#include "random_system.h"

static void test_programs(void **state)
{
  enum { PROGRAMS = 5 };
  static const cmb_native_options options[] = {{0}, {.no_lanes = true}, {.no_numbers = true}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_program *programs[PROGRAMS];
  (void)state;
  for (int i = 0; i < PROGRAMS - 1; i++) {
    programs[i] = cmbt_random_program(ctx, 100 + (uint64_t)i, 500, 5 + 3 * i);
  }
  programs[PROGRAMS - 1] = cmbt_system_program(ctx, 5);
  for (int k = 0; k < 3; k++) {
    cmb_native *n;
    cmbt_ok(ctx, cmb_native_create(ctx, PROGRAMS, (const cmb_program *const *)programs,
                                   k == 0 ? NULL : &options[k], &n));
    assert_int_equal(cmb_native_where_from(n), CMBT_NATIVE_ORIGIN);
    for (int i = 0; i < PROGRAMS; i++) cmbt_compare_native(n, i, programs[i], 50);
    cmb_native_destroy(n);
  }
  for (int i = 0; i < PROGRAMS; i++) cmb_program_destroy(programs[i]);
  cmb_context_destroy(ctx);
}

static void test_no_programs(void **state)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_native *n;
  (void)state;
  cmbt_ok(ctx, cmb_native_create(ctx, 0, NULL, NULL, &n));
  cmb_native_destroy(n);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_programs),
      cmocka_unit_test(test_no_programs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
