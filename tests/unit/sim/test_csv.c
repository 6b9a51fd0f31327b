/*
 * Tests of the CSV writer (cmb_csv_open): names of any length are quoted as in RFC 4180; at every moment the file on disk ends with a
 * complete line; residuals are the last columns; the file gets its final name when it is closed; discarding removes it.
 */
#include <camber/sim.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char PATH[] = "test.csv", PARTIAL[] = "test.csv.partial";

/* Returns equations with sizes and names only, which is all that the writer uses. */
static cmb_equations named(const char *const *q_names, const char *const *v_names,
                           const char *const *lambda_names, const char *const *output_names)
{
  return (cmb_equations){.nq = 1,
                         .nv = 1,
                         .ng = 1,
                         .no = 1,
                         .q_names = q_names,
                         .v_names = v_names,
                         .lambda_names = lambda_names,
                         .output_names = output_names};
}

/* Returns the contents of a file and sets its size; NULL if the file does not exist. The caller frees them. */
static char *contents(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *size = (size_t)ftell(file);
  rewind(file);
  char *text = malloc(*size + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, *size, file), *size);
  text[*size] = '\0';
  fclose(file);
  return text;
}

static void assert_contents(const char *path, const char *expected)
{
  size_t size;
  char *text = contents(path, &size);
  assert_non_null(text);
  assert_string_equal(text, expected);
  free(text);
}

/* Removes the files that a test may have left. */
static int remove_files(void **state)
{
  (void)state;
  unlink(PATH);
  unlink(PARTIAL);
  return 0;
}

/* Checks the first line with names that need quotes, and numbers with the digits that identify a double. The file has the ending .partial
 * until it is closed. */
static void test_names_and_numbers(void **state)
{
  (void)state;
  static const char *const q[] = {"a,b"}, *const v[] = {"the \"fast\" one"};
  static const char *const lambda[] = {"two\nlines"}, *const out[] = {"x'"};
  const double one[] = {0.1}, two[] = {-1e-300}, three[] = {1e300}, four[] = {-0.0};
  const cmb_equations eq = named(q, v, lambda, out);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_csv *csv;
  assert_int_equal(cmb_csv_open(ctx, PATH, &eq, &csv), CMB_OK);
  assert_contents(PARTIAL, "t,\"a,b\",\"the \"\"fast\"\" one\",\"two\nlines\",x'\n");
  assert_int_equal(
      cmb_csv_record(
          csv, &(cmb_record){.t = 1.0 / 3, .q = one, .v = two, .lambda = three, .outputs = four}),
      CMB_OK);
  assert_int_not_equal(access(PATH, F_OK), 0);
  assert_int_equal(cmb_csv_close(csv), CMB_OK);
  assert_int_not_equal(access(PARTIAL, F_OK), 0);
  assert_contents(PATH, "t,\"a,b\",\"the \"\"fast\"\" one\",\"two\nlines\",x'\n"
                        "0.33333333333333331,0.10000000000000001,-1e-300,"
                        "1.0000000000000001e+300,-0\n");
  cmb_context_destroy(ctx);
}

static void test_long_names(void **state)
{
  (void)state;
  enum { LONG = 50000 }; /* several times the size of the writer's buffer */
  static char name[LONG + 1], expected[2 * LONG + 100];
  memset(name, '"', LONG);
  const char *const names[] = {name}, *const short_names[] = {"s"};
  const char *const output_names[] = {"w"};
  const cmb_equations eq = named(names, short_names, short_names, output_names);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_csv *csv;
  assert_int_equal(cmb_csv_open(ctx, PATH, &eq, &csv), CMB_OK);
  assert_int_equal(cmb_csv_close(csv), CMB_OK);
  strcpy(expected, "t,\"");
  memset(expected + 3, '"', (size_t)2 * LONG);
  strcpy(expected + 3 + 2 * LONG, "\",s,s,w\n");
  assert_contents(PATH, expected);
  cmb_context_destroy(ctx);
}

/* Checks that a file with residuals has the norms of a record in its last two columns, and that one without ignores them. */
static void test_residuals(void **state)
{
  (void)state;
  static const char *const names[] = {"s"};
  const double x = 2;
  const cmb_record record = {
      .t = 1, .q = &x, .v = &x, .lambda = &x, .outputs = &x, .position = 0.5, .velocity = 0.25};
  const cmb_equations eq = named(names, names, names, names);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_csv *csv;
  assert_int_equal(cmb_csv_open_residuals(ctx, PATH, &eq, &csv), CMB_OK);
  assert_int_equal(cmb_csv_record(csv, &record), CMB_OK);
  assert_int_equal(cmb_csv_close(csv), CMB_OK);
  assert_contents(PATH, "t,q/s,v/s,s,s,|g|,|Gv|\n1,2,2,2,2,0.5,0.25\n");
  assert_int_equal(cmb_csv_open(ctx, PATH, &eq, &csv), CMB_OK);
  assert_int_equal(cmb_csv_record(csv, &record), CMB_OK);
  assert_int_equal(cmb_csv_close(csv), CMB_OK);
  assert_contents(PATH, "t,q/s,v/s,s,s\n1,2,2,2,2\n");
  cmb_context_destroy(ctx);
}

/* Checks after each of 1000 records that the file ends with a complete line, and that lines reach the disk in groups: in more than 5 and
 * fewer than 200 writes. */
static void test_complete_lines(void **state)
{
  (void)state;
  enum { LINES = 1000 };
  static const char *const names[] = {"s"};
  const cmb_equations eq = named(names, names, names, names);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_csv *csv;
  size_t size = 0, before = 0;
  int written = 0;
  assert_int_equal(cmb_csv_open(ctx, PATH, &eq, &csv), CMB_OK);
  for (int i = 0; i < LINES; i++) {
    double x = sin(i);
    assert_int_equal(
        cmb_csv_record(csv, &(cmb_record){.t = i, .q = &x, .v = &x, .lambda = &x, .outputs = &x}),
        CMB_OK);
    char *text = contents(PARTIAL, &size);
    assert_non_null(text);
    assert_int_equal(text[size - 1], '\n');
    written += size > before;
    before = size;
    free(text);
  }
  assert_true(written > 5 && written < LINES / 5);
  assert_int_equal(cmb_csv_close(csv), CMB_OK);
  cmb_context_destroy(ctx);
}

/* Checks that discarding removes the partial file and keeps an older file with the final name. */
static void test_discard(void **state)
{
  (void)state;
  static const char *const names[] = {"s"};
  const cmb_equations eq = named(names, names, names, names);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_csv *csv;
  FILE *older = fopen(PATH, "w");
  assert_non_null(older);
  fputs("older\n", older);
  fclose(older);
  assert_int_equal(cmb_csv_open(ctx, PATH, &eq, &csv), CMB_OK);
  cmb_csv_discard(csv);
  cmb_csv_discard(NULL);
  assert_int_not_equal(access(PARTIAL, F_OK), 0);
  assert_contents(PATH, "older\n");
  cmb_context_destroy(ctx);
}

static void test_cannot_open(void **state)
{
  (void)state;
  static const char *const names[] = {"s"};
  const cmb_equations eq = named(names, names, names, names);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_csv *csv;
  assert_int_equal(cmb_csv_open(ctx, "no/such/folder.csv", &eq, &csv), CMB_ERROR_IO);
  assert_null(csv);
  assert_non_null(strstr(cmb_last_error(ctx), "no/such/folder.csv"));
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_names_and_numbers, remove_files, remove_files),
      cmocka_unit_test_setup_teardown(test_long_names, remove_files, remove_files),
      cmocka_unit_test_setup_teardown(test_residuals, remove_files, remove_files),
      cmocka_unit_test_setup_teardown(test_complete_lines, remove_files, remove_files),
      cmocka_unit_test_setup_teardown(test_discard, remove_files, remove_files),
      cmocka_unit_test_setup_teardown(test_cannot_open, remove_files, remove_files),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
