/*
 * Tests of the search for a minimum (math/lowest.h) with functions whose minimum at T0 is known: |t − T0|, one with different slopes on
 * both sides, √((t − T0)² + d²), and one that is flat at its minimum.
 */
#include "check.h"
#include "math/lowest.h"

static const double T0 = 0.3137;

static double absolute_value(double t)
{
  return fabs(t - T0);
}

static double unequal_slopes(double t)
{
  return t < T0 ? 3 * (T0 - t) : 0.2 * (t - T0) + 5 * (t - T0) * (t - T0);
}

static double rounded(double t)
{
  return sqrt((t - T0) * (t - T0) + 1e-4);
}

static double flat(double t)
{
  return 1 + pow(t - T0, 4);
}

static cmb_lowest_point at(double (*f)(double), double t)
{
  return (cmb_lowest_point){t, f(t)};
}

/* Searches from the points 0, 0.4, 1 until they are at most `width` apart; checks that they enclose the minimum after each evaluation.
 * Sets *t to the minimum and returns the number of evaluations. */
static int find(double (*f)(double), double width, double *t)
{
  cmb_lowest m;
  cmb_lowest_begin(&m, at(f, 0), at(f, 0.4), at(f, 1));
  while (cmb_lowest_width(&m) > width && m.updates < 200) {
    cmb_lowest_update(&m, at(f, cmb_lowest_next(&m)));
    assert_true(m.a.t <= m.b.t && m.b.t <= m.c.t);
    assert_true(m.b.value <= m.a.value && m.b.value <= m.c.value);
    assert_true(m.a.t <= T0 && T0 <= m.c.t);
  }
  *t = m.b.t;
  return m.updates;
}

static void test_minima(void **state)
{
  (void)state;
  double t;
  assert_in_range(
      find(absolute_value, 1e-9, &t), 1,
      40); /* golden sections alone would need 43, and 129 if only every third step is one */
  cmbt_near(t, T0, 1e-9);
  assert_in_range(find(unequal_slopes, 1e-9, &t), 1, 129);
  cmbt_near(t, T0, 1e-9);
  assert_in_range(find(rounded, 1e-6, &t), 1, 40);
  cmbt_near(t, T0, 1e-6);
  assert_in_range(find(flat, 1e-3, &t), 1, 60);
  cmbt_near(t, T0, 1e-3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_minima)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
