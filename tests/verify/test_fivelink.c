/*
 * Compares the kinematics of the five-link suspension in heave (models/fivelink.yaml) with a table that was computed from the link lengths
 * alone, without joints: wheel centre, direction of the wheel's axis, length of the shock absorber.
 *
 * The rotation of a rod about its own axis does not follow from the link lengths. In the table, the rod that carries the shock absorber is
 * rotated by the smallest rotation that takes its direction from the design position to the actual one. In the model a universal joint
 * guides it, which also rotates it slightly about its axis; the end of the shock absorber is not on this axis.
 */
#include "check.h"
#include "model_run.h"

#include "dae/graph_data.h"
#include "math/vec3.h"

#include <stdio.h>

static const double PI = 3.14159265358979323846;

struct place {
  double dz, dx, dy;         /* m */
  double elevation, forward; /* of the wheel's axis, degrees */
  double shock;              /* m */
};

static const struct place table[] = {
    {-0.100, -0.000514, -0.009508, -0.87872, -1.18733, 0.517201},
    {-0.050, -0.000188, -0.000556, -0.76446, -0.45787, 0.476284},
    {0.050, 0.000059, -0.007402, 1.42225, 0.13210, 0.392896},
    {0.100, -0.000072, -0.023053, 3.63533, -0.14822, 0.349564},
};

/* Half a unit of the table's last digits, and a little for rounding. */
static const double LENGTH = 0.51e-6, ANGLE = 0.51e-5;

static void open_lifted(cmbt_run *r, double dz)
{
  char text[600];
  snprintf(text, sizeof text,
           "include: [fivelink.yaml]\nmotions: {lift: {formula: hub.z, value: %.17g}}\n"
           "markers: {end5: {on: rod5, at: B5}}\n"
           "outputs: {x: hub.x, y: hub.y, ax: hub.y_x, ay: hub.y_y, az: hub.y_z,\n"
           "          ex: end5.x, ey: end5.y, ez: end5.z}\n",
           0.330 + dz);
  cmbt_run_open_text(r, text, CMB_FORM_EXPLICIT);
  cmbt_run_start(r);
}

/* Returns the length of the shock absorber if the rod from A5 is rotated from its design direction u to the direction w of `end` by the
 * smallest rotation R: with c = u·w, R x = c x + (u × w) × x + (u × w)·x (u × w)/(1 + c). */
static double untwisted_length(const double end[3])
{
  static const double A5[3] = {-0.125, 0.306, 0.150}, B5[3] = {-0.020, 0.706, 0.150};
  static const double top[3] = {-0.05387, 0.49195, 0.52286}, bottom[3] = {-0.053587, 0.716, 0.150};
  double u[3], w[3], x[3], axis[3], across[3], d[3];
  for (int i = 0; i < 3; i++) {
    u[i] = B5[i] - A5[i];
    w[i] = end[i] - A5[i];
    x[i] = bottom[i] - A5[i];
  }
  const double lu = cmb_norm3(u), lw = cmb_norm3(w);
  cmbt_near(lw, lu, 1e-10);
  for (int i = 0; i < 3; i++) u[i] /= lu, w[i] /= lw;
  cmb_cross3(u, w, axis);
  cmb_cross3(axis, x, across);
  const double c = cmb_dot3(u, w), part = cmb_dot3(axis, x) / (1 + c);
  for (int i = 0; i < 3; i++) d[i] = A5[i] + c * x[i] + across[i] + part * axis[i] - top[i];
  return cmb_norm3(d);
}

static void test_heave(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
    const struct place *p = &table[k];
    cmbt_run r;
    open_lifted(&r, p->dz);
    cmbt_near(cmbt_output(&r, "heave"), p->dz, 1e-12);
    cmbt_near(cmbt_output(&r, "x"), p->dx, LENGTH);
    cmbt_near(cmbt_output(&r, "y") - 0.7875, p->dy, LENGTH);
    const double y = cmbt_output(&r, "ay");
    cmbt_near(atan2(cmbt_output(&r, "az"), y) * 180 / PI, p->elevation, ANGLE);
    cmbt_near(atan2(cmbt_output(&r, "ax"), y) * 180 / PI, p->forward, ANGLE);
    const double end[3] = {cmbt_output(&r, "ex"), cmbt_output(&r, "ey"), cmbt_output(&r, "ez")};
    const double length = cmbt_output(&r, "shock_length");
    printf("dz %+.2f: shock %.6f m without twist, %.6f m in the model\n", p->dz,
           untwisted_length(end), length);
    cmbt_near(untwisted_length(end), p->shock, LENGTH);
    cmbt_near(length, p->shock, 5e-5); /* the universal joint rotates the rod, see above */
    cmbt_run_close(&r);
  }
}

/* Checks a motion from one end of the table to the other: it stays on the table's branch and finds no other assembly. */
static void test_travel(void **state)
{
  (void)state;
  static const char text[] = "include: [fivelink.yaml]\nmotions: {lift: {formula: hub.z, value: "
                             "0.330 + 0.1*sin(2*pi*t)}}\n"
                             "outputs: {y: hub.y, az: hub.y_z, ay: hub.y_y}\n";
  cmbt_run r;
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmbt_run_to(&r, 0.75, 0.25);
  assert_int_equal(r.row_count, 4);
  static const int expected[4] = {-1, 3, -1, 0}; /* rows of the table; -1: design position */
  for (int i = 0; i < 4; i++) {
    const struct place *p = expected[i] < 0 ? &(struct place){0} : &table[expected[i]];
    cmbt_near(cmbt_row(&r, i, "heave"), p->dz, 1e-9);
    cmbt_near(cmbt_row(&r, i, "y") - 0.7875, p->dy, LENGTH);
    double elevation = atan2(cmbt_row(&r, i, "az"), cmbt_row(&r, i, "ay")) * 180 / PI;
    cmbt_near(elevation, p->elevation, ANGLE);
  }
  cmbt_run_close(&r);
}

/* Checks that there are separate programs for the terms that stages of half-explicit methods need: M and f at the beginning of a stage, G
 * and g_t at its end. Both together have no more instructions than the program of all terms. */
static void test_programs_of_a_stage(void **state)
{
  (void)state;
  const unsigned M = 1U << CMB_PART_M, f = 1U << CMB_PART_F, G = 1U << CMB_PART_G,
                 gt = 1U << CMB_PART_GT, all = (1U << CMB_TERMS) - 1;
  cmbt_run r;
  cmbt_run_open(&r, "fivelink", CMB_FORM_EXPLICIT, 0, NULL);
  const cmb_graph_data *d = cmb_system_equations(r.system)->self;
  const int begin = cmb_program_instructions(d->program[d->for_terms[M | f]]),
            end = cmb_program_instructions(d->program[d->for_terms[G | gt]]),
            whole = cmb_program_instructions(d->program[d->for_terms[all]]);
  printf("five-link, instructions: M f %d, G g_t %d, all terms %d\n", begin, end, whole);
  assert_true(begin < whole / 2);
  assert_in_range(begin + end, 1, whole);
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_heave),
      cmocka_unit_test(test_travel),
      cmocka_unit_test(test_programs_of_a_stage),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
