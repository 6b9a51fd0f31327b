/*
 * Tests of the archives in which states are saved (base/archive.h): values of every type are read back as they were written, and a file with
 * another line, number or checksum is refused.
 */
#include "check.h"

#include "base/archive.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Values of every type: some of each line are equal, but no line reads the same from another place. */
struct values {
  double x[4];
  long n[3];
  int i[3];
  bool b[4];
  long count;
  int small;
};

static const struct values written = {.x = {0.1, -0.0, 1e-310, -INFINITY},
                                      .n = {LONG_MIN, 0, LONG_MAX},
                                      .i = {INT_MAX, -1, INT_MIN},
                                      .b = {true, false, false, true},
                                      .count = 7,
                                      .small = 3};

/* Writes *v to the archive, or reads it from there. */
static void transfer(cmb_archive *a, struct values *v)
{
  cmb_archive_expect(a, "model", "a \"name\"", NULL);
  cmb_archive_doubles(a, "x", 4, v->x);
  cmb_archive_longs(a, "n", 3, v->n);
  cmb_archive_ints(a, "i", 3, v->i);
  cmb_archive_bools(a, "b", 4, v->b);
  cmb_archive_bools(a, "last", 1, &v->b[3]);
  cmb_archive_count(a, "count", &v->count);
  cmb_archive_small_count(a, "small", &v->small);
}

static cmb_archive write_values(cmb_context *ctx)
{
  struct values v = written;
  cmb_archive a = cmb_archive_write(ctx);
  transfer(&a, &v);
  cmbt_ok(ctx, cmb_archive_close(&a));
  return a;
}

static void test_round_trip(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_archive out = write_values(ctx);
  for (int fill = 0; fill < 2; fill++) { /* what is there before does not matter */
    struct values v = {.count = 1};
    for (int k = 0; k < 4; k++) v.x[k] = fill, v.b[k] = fill;
    for (int k = 0; k < 3; k++) v.n[k] = fill, v.i[k] = fill;
    cmb_archive in = cmb_archive_read(ctx, "file", out.text.text, out.text.length);
    transfer(&in, &v);
    cmb_archive_finish(&in);
    cmbt_ok(ctx, in.status);
    assert_memory_equal(v.x, written.x, sizeof v.x);
    assert_memory_equal(v.n, written.n, sizeof v.n);
    assert_memory_equal(v.i, written.i, sizeof v.i);
    assert_memory_equal(v.b, written.b, sizeof v.b);
    assert_true(v.count == written.count && v.small == written.small);
  }
  cmb_buffer_release(&out.text);
  cmb_context_destroy(ctx);
}

/* Checks that a file of which one byte differs is refused, whichever it is. */
static void test_damaged(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_archive out = write_values(ctx);
  for (size_t k = 0; k < out.text.length; k++) {
    struct values v = written;
    out.text.text[k] ^= 1;
    cmb_archive in = cmb_archive_read(ctx, "file", out.text.text, out.text.length);
    transfer(&in, &v);
    cmb_archive_finish(&in);
    assert_int_equal(in.status, CMB_ERROR_INPUT);
    out.text.text[k] ^= 1;
  }
  cmb_buffer_release(&out.text);
  cmb_context_destroy(ctx);
}

/* Checks that a line is refused that has another name, another number of values, or values that its type does not have. */
static void test_other_lines(void **state)
{
  (void)state;
  static const struct {
    const char *name;
    int count;
    long value;
  } cases[] = {{"b", 2, 0}, {"c", 1, 0}, {"b", 0, 0}, {"b", 1, 2}, {"b", 1, -1}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    long values[2] = {cases[k].value, 0};
    bool read[2] = {false, false};
    cmb_archive out = cmb_archive_write(ctx);
    cmb_archive_longs(&out, cases[k].name, cases[k].count, values);
    cmbt_ok(ctx, cmb_archive_close(&out));
    cmb_archive in = cmb_archive_read(ctx, "file", out.text.text, out.text.length);
    cmbt_ok(ctx, in.status);
    cmb_archive_bools(&in, "b", 1, read);
    assert_int_equal(in.status, CMB_ERROR_INPUT);
    cmb_buffer_release(&out.text);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_round_trip),
                                     cmocka_unit_test(test_damaged),
                                     cmocka_unit_test(test_other_lines)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
