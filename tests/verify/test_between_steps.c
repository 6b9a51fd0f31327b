/*
 * Accuracy of the dense output, at records with intervals shorter than the steps. The first system has a slow oscillation, exactly cos 0.1 t,
 * and an independent fast one with an amplitude so small that it limits only the first steps, and only with some tolerances, where steps
 * are rejected. In the second a state follows an oscillation so fast that stability limits the steps of explicit methods; compared are the
 * state and the force that drives it. The error of dense output may be larger than that at the ends of steps: up to 30 tolerances. Events of
 * the state are as exact, and cost evaluations only in the steps that contain some.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <stdio.h>

static const char MODEL[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {b_slow: {mass: 1, com: [0, 0, 0]}, b_fast: {mass: 1, com: [0, 0, 0]}}\n"
    "joints:\n"
    "  slow: {type: prismatic, child: b_slow, axis: x, start: 1, stiffness: 0.01}\n"
    "  fast: {type: prismatic, child: b_fast, axis: x, start: 1e-5, stiffness: 100}\n"
    "outputs: {x: slow, v: slow'}\n";

/* Returns the largest error of x and x' in all records, divided by the tolerance. */
static double largest_error(const char *method, double rtol)
{
  double worst = 0;
  cmbt_run r;
  cmbt_run_open_text(&r, MODEL, CMB_FORM_EXPLICIT);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, 20, 0.25);
  for (int i = 0; i < r.row_count; i++) {
    const double t = cmbt_row(&r, i, "t");
    worst = fmax(worst, fabs(cmbt_row(&r, i, "x") - cos(0.1 * t)));
    worst = fmax(worst, fabs(cmbt_row(&r, i, "v") + 0.1 * sin(0.1 * t)));
  }
  cmbt_run_close(&r);
  return worst / rtol;
}

static void test_records_between_steps(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    const cmb_method *m = cmb_method_at(i);
    if (cmbt_is(m, "trap") || cmbt_is(m, "forsdirk"))
      continue; /* trap takes too many steps; forsdirk has the dense output of sdirk4 */
    for (int k = 12; k <= 24; k++) {
      const double rtol = pow(10, -k / 3.0), worst = largest_error(cmb_method_name(m), rtol);
      if (k % 6 == 0) printf("%-9s %.0e: %.2g tolerances\n", cmb_method_name(m), rtol, worst);
      cmbt_below(worst, 30);
    }
  }
}

/* w' = 300 (x − w) with x = cos t has the solution w = (300² cos t + 300 sin t)/(300² + 1). */
static const char STIFF[] =
    "gravity: [0, 0, 0]\n"
    "bodies: {b: {mass: 1, com: [0, 0, 0]}}\n"
    "joints: {p: {type: prismatic, child: b, axis: x, start: 1, stiffness: 1}}\n"
    "states: {w: {rate: 300*(p - w), start: 0.99998888901234554}}\n"
    "outputs: {at: w, force: 300*(p - w)}\n";

/* Returns the largest error of w, and of the force divided by 600, in all records, divided by the tolerance. */
static double largest_error_stiff(const char *method, double rtol)
{
  double worst = 0;
  cmbt_run r;
  cmbt_run_open_text(&r, STIFF, CMB_FORM_EXPLICIT);
  r.method = method;
  r.rtol = rtol;
  cmbt_run_to(&r, 5, 1 / 320.0);
  for (int i = 0; i < r.row_count; i++) {
    const double t = cmbt_row(&r, i, "t"), fast = 300;
    const double w = (fast * fast * cos(t) + fast * sin(t)) / (fast * fast + 1);
    worst = fmax(worst, fabs(cmbt_row(&r, i, "at") - w));
    worst = fmax(worst, fabs(cmbt_row(&r, i, "force") - fast * (cos(t) - w)) / (2 * fast));
  }
  cmbt_run_close(&r);
  return worst / rtol;
}

static void test_records_between_stiff_steps(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    const cmb_method *m = cmb_method_at(i);
    for (int k = 6; k <= 10; k++) {
      const double rtol = pow(10, -k), worst = largest_error_stiff(cmb_method_name(m), rtol);
      printf("%-9s %.0e: %.2g tolerances\n", cmb_method_name(m), rtol, worst);
      cmbt_below(worst, 30);
    }
  }
}

/* w crosses 0 twice. It never reaches the limit of the second event, but comes nearer to it than 6e-6 twice. */
static const char WATCHED[] =
    "events: {crosses: {when: w > 0, direction: both}, exceeds: {when: w > 1.000001}}\n";

static const double END = 7, RTOL = 1e-7;

static void run_watched(cmbt_run *r, double every)
{
  char text[sizeof STIFF + sizeof WATCHED];
  snprintf(text, sizeof text, "%s%s", STIFF, WATCHED);
  cmbt_run_open_text(r, text, CMB_FORM_EXPLICIT);
  r->rtol = RTOL;
  cmbt_run_to(r, END, every);
}

/* Checks that the times of the crossings are the same, bit for bit, with many records inside steps and with none, that they agree with the
 * solution, and that a run without records evaluates the refined dense output only at the crossings. */
static void test_events_between_stiff(void **state)
{
  (void)state;
  cmbt_run r[2];
  for (int k = 0; k < 2; k++) {
    run_watched(&r[k], k * END / 1024);
    const cmb_statistics *s = r[k].result->statistics;
    printf("%d records: %ld evaluations in %ld steps\n", r[k].row_count, s->f, s->steps);
    assert_int_equal(r[k].event_count, 2);
  }
  for (int i = 0; i < 2; i++) {
    assert_true(r[0].events[i].t == r[1].events[i].t);
    cmbt_near(r[0].events[i].t, acos(-1) * (i + 0.5) + atan(1 / 300.0), 30 * RTOL);
  }
  const cmb_statistics *s = r[0].result->statistics;
  /* 12 stages, 3 slopes of dense output, and at the two crossings two steps of a third of the size and the search */
  assert_true(s->f <= 15 * s->steps + 2 * 60 + 40);
  for (int k = 0; k < 2; k++) cmbt_run_close(&r[k]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_records_between_steps),
      cmocka_unit_test(test_records_between_stiff_steps),
      cmocka_unit_test(test_events_between_stiff),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
