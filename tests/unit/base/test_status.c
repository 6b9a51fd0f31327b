/*
 * Tests of the status codes: values, codes and texts of CMB_STATUS_LIST are distinct, and the sign of a value agrees with its name.
 */
#include "check.h"

#include <camber/base.h>
#include <stdio.h>
#include <string.h>

struct entry {
  cmb_status status;
  const char *name, *code, *meaning;
};

#define ENTRY(name, value, code, meaning) {(cmb_status)(value), #name, code, meaning},
static const struct entry entries[] = {CMB_STATUS_LIST(ENTRY)};
#undef ENTRY

enum { ENTRIES = sizeof entries / sizeof entries[0] };

static void every_status_has_code_and_meaning(void **state)
{
  (void)state;
  for (int i = 0; i < ENTRIES; i++) {
    assert_string_equal(cmb_status_code(entries[i].status), entries[i].code);
    assert_string_equal(cmb_status_meaning(entries[i].status), entries[i].meaning);
    assert_true(strlen(entries[i].meaning) > 0);
  }
}

/* Checks that each code is of lower-case letters and hyphens, so that scripts can match it, and that no code or value occurs twice. */
static void codes_are_distinct_words(void **state)
{
  (void)state;
  for (int i = 0; i < ENTRIES; i++) {
    const char *code = entries[i].code;
    assert_int_equal(strspn(code, "abcdefghijklmnopqrstuvwxyz-"), strlen(code));
    for (int j = 0; j < i; j++) {
      assert_string_not_equal(code, entries[j].code);
      assert_int_not_equal(entries[i].status, entries[j].status);
    }
  }
}

static void the_sign_agrees_with_the_prefix_of_the_name(void **state)
{
  (void)state;
  for (int i = 0; i < ENTRIES; i++) {
    const char *prefix = entries[i].status > 0   ? "CMB_RETRY_"
                         : entries[i].status < 0 ? "CMB_ERROR_"
                                                 : "CMB_OK";
    assert_memory_equal(entries[i].name, prefix, strlen(prefix));
  }
}

static void a_number_outside_the_list_is_unknown(void **state)
{
  (void)state;
  assert_string_equal(cmb_status_code((cmb_status)1000), "unknown");
  assert_string_equal(cmb_status_meaning((cmb_status)-1000), "unknown");
}

static cmb_status count_and_return(int *calls, cmb_status status)
{
  ++*calls;
  return status;
}

static cmb_status two_steps(cmb_status first, cmb_status second, int *calls)
{
  CMB_TRY(count_and_return(calls, first));
  CMB_TRY(count_and_return(calls, second));
  return CMB_OK;
}

static void try_returns_at_the_first_failure(void **state)
{
  (void)state;
  int calls = 0;
  assert_int_equal(two_steps(CMB_OK, CMB_OK, &calls), CMB_OK);
  assert_int_equal(calls, 2);
  calls = 0;
  assert_int_equal(two_steps(CMB_RETRY_MASS, CMB_OK, &calls), CMB_RETRY_MASS);
  assert_int_equal(calls, 1);
  calls = 0;
  assert_int_equal(two_steps(CMB_OK, CMB_ERROR_IO, &calls), CMB_ERROR_IO);
  assert_int_equal(calls, 2);
}

static void the_version_is_three_numbers(void **state)
{
  (void)state;
  const char *version = cmb_version();
  int points = 0;
  for (const char *c = version; *c; c++) points += *c == '.';
  assert_int_equal(points, 2);
  assert_int_equal(strspn(version, "0123456789."), strlen(version));
}

static void the_version_agrees_with_its_numbers(void **state)
{
  (void)state;
  char text[32];
  snprintf(text, sizeof text, "%d.%d.%d", CAMBER_VERSION_MAJOR, CAMBER_VERSION_MINOR,
           CAMBER_VERSION_PATCH);
  assert_string_equal(cmb_version(), text);
  assert_int_equal(cmb_version_number(), CAMBER_VERSION_NUMBER);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_code_and_meaning),
      cmocka_unit_test(codes_are_distinct_words),
      cmocka_unit_test(the_sign_agrees_with_the_prefix_of_the_name),
      cmocka_unit_test(a_number_outside_the_list_is_unknown),
      cmocka_unit_test(try_returns_at_the_first_failure),
      cmocka_unit_test(the_version_is_three_numbers),
      cmocka_unit_test(the_version_agrees_with_its_numbers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
