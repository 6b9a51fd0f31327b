/*
 * The lowest point of functions known in closed form: |t − t₀| in other words and with other slopes on both sides, √((t − t₀)² + d²), and
 * one that is flat.
 */
#include "check.h"
#include "math/lowest.h"

static const double T0 = 0.3137;

static double touches(double t)
{
  return fabs(t - T0);
}

static double bent(double t)
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

/* From the bracket (0, 0.4, 1); how many evaluations it takes. */
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
  assert_in_range(find(touches, 1e-9, &t), 1,
                  40); /* golden sections alone: 43, every third time: 129 */
  cmbt_near(t, T0, 1e-9);
  assert_in_range(find(bent, 1e-9, &t), 1, 129);
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
