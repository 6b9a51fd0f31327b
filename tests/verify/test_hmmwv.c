/*
 * The vehicle HMMWV14 of Haug, Negrut and Engstler 1999 §6.1 (models/hmmwv14.yaml): its degrees of freedom, its fastest eigenvalue, the
 * force laws of springs and shock absorbers against the numbers they were made from, the times at which the wheels reach the bump, the
 * energy in free fall, and agreement of joint and Cartesian coordinates.
 */
#include "check.h"
#include "model_run.h"

#include <camber/camber.h>
#include <stdio.h>
#include <string.h>

static const double SPEED = 4.4704, BUMP = 4.05, GRAVITY = 9.81;
static const char *const corners[] = {"front_left", "front_right", "rear_left", "rear_right"};

/* Checks the degrees of freedom: 14 bodies with 6 each, minus 4 lower hinges with 5 equations, 8 ball joints with 3, 4 tie rods with 1, upper
 * arms on hinges with 5 or ball joints with 3, and the rack in a guide with 5, in some variants locked by a sixth. */
static void test_counts(void **state)
{
  static const struct {
    const char *name;
    int upper, rack;
  } variants[] = {{"hmmwv14", 3, 6},
                  {"hmmwv/hmmwv14-rack", 3, 5},
                  {"hmmwv/hmmwv14-hinged", 5, 6},
                  {"hmmwv/hmmwv14-hinged-rack", 5, 5}};
  (void)state;
  for (int i = 0; i < 4; i++) {
    const int freedoms = 14 * 6 - 4 * 5 - 8 * 3 - 4 - 4 * variants[i].upper - variants[i].rack;
    for (int form = 0; form < 2; form++) {
      cmbt_run r;
      cmb_linearization *lin;
      cmbt_run_open(&r, variants[i].name, form ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT, 0, NULL);
      cmbt_run_settle(&r);
      cmbt_run_start(&r);
      cmbt_ok(r.ctx, cmb_linearize(r.ctx, r.eq, 0, r.result->q, r.result->v, &lin));
      assert_int_equal(lin->freedoms, freedoms);
      if (form) assert_int_equal(r.eq->nq, 98);
      cmb_linearization_destroy(lin);
      cmbt_run_close(&r);
    }
  }
}

static void subtract(const double a[3], const double b[3], double out[3])
{
  for (int i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

/* Returns the square of the distance of x from the line through a along `direction`. */
static double squared_distance(const double x[3], const double a[3], const double direction[3])
{
  double r[3], rr = 0, rd = 0, dd = 0;
  subtract(x, a, r);
  for (int i = 0; i < 3; i++) {
    rr += r[i] * r[i];
    rd += r[i] * direction[i];
    dd += direction[i] * direction[i];
  }
  return rr - rd * rd / dd;
}

/* Returns the eigenvalue of the rear upper arm on its bushing, −c a²/J, from the source of the model's numbers. In the fastest motion the arm
 * rotates about the line through its two ball joints, which contains its centre of mass, so that only its moment of inertia J about this line
 * resists. The damping of its upper bushing is c, the distance of this bushing from the line is a. */
static double fastest_eigenvalue(void)
{
  static const double front[3] = {0.349110, 0.462257, 0.227594},
                      rear[3] = {0.077102, 0.462049, 0.223764};
  static const double ball[3] = {0.035560, 0.715518, 0.215900},
                      centre[3] = {0.124333, 0.588848, 0.220777};
  const double damping = 2e6, inertia = 0.06276 / 2;
  double middle[3], along[3];
  for (int i = 0; i < 3; i++) middle[i] = (front[i] + rear[i]) / 2;
  subtract(ball, middle, along);
  assert_true(squared_distance(centre, middle, along) < 1e-9); /* m² */
  return -damping * squared_distance(front, middle, along) / inertia;
}

/* Checks the fastest eigenvalue of the vehicle with bushings, which is that of an upper arm on its bushing. The paper has −2.6e5 with a small
 * imaginary part; its arms have other inertias or bearings, which it does not print (docs/papers.md), so that only the order of magnitude is
 * compared with it. */
static void test_eigenvalue(void **state)
{
  cmbt_run r;
  cmb_linearization *lin;
  double least = 0, im = 0;
  (void)state;
  cmbt_run_open(&r, "hmmwv14", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_settle(&r);
  cmbt_run_start(&r);
  cmbt_ok(r.ctx, cmb_linearize(r.ctx, r.eq, 0, r.result->q, r.result->v, &lin));
  for (int i = 0; i < lin->eigenmode_count; i++) {
    if (lin->eigenmodes[i].re < least) least = lin->eigenmodes[i].re, im = lin->eigenmodes[i].im;
  }
  printf("fastest eigenvalue %.4g, %.2g i\n", least, im);
  assert_true(least > -1e6 && least < -1e5);
  cmbt_below(fabs(im), 1e-3 * fabs(least));
  /* the arm's spring and the spindle change it a little */
  cmbt_below(fabs(least - fastest_eigenvalue()), 1e-3 * fabs(least));
  cmb_linearization_destroy(lin);
  cmbt_run_close(&r);
}

static double value(const cmbt_run *r, int row, const char *corner, const char *name)
{
  char full[60];
  snprintf(full, sizeof full, "%s.%s", corner, name);
  return cmbt_row(r, row, full);
}

/* Checks the force of a shock absorber, with its rates in N s/m, and that of a spring, with its free length in m: the cubic a x + b x³ through
 * the first two points of its table. The other points lie on the cubic, too, but the spline through all of them differs slightly from it. */
static void check_laws(const cmbt_run *r, int row, int corner)
{
  const int rear = corner >= 2;
  const double compression = rear ? 14535.52 : 12521.56, rebound = rear ? 35025.35 : 22460.01;
  const double free = rear ? 0.382 : 0.339;
  const double f2 = rear ? 8020.869 : 3629.923, f4 = rear ? 19869.076 : 8991.945;
  const double b = (f4 - 2 * f2) / (6 * 8e-6), a = f2 / 0.02 - b * 4e-4;
  const double x = value(r, row, corners[corner], "spring_length") - free;
  const double v = value(r, row, corners[corner], "shock_rate");
  cmbt_near(value(r, row, corners[corner], "spring_force"), a * x + b * x * x * x, 0.5);
  cmbt_near(value(r, row, corners[corner], "shock_force"), v * (v > 0 ? rebound : compression),
            1e-6);
}

/* Returns the time at which the wheel's disc touches the half cylinder, from the position of its centre at the start. */
static double time_at_bump(const cmbt_run *r, const char *corner)
{
  const double x = value(r, 0, corner, "wheel_x"), z = value(r, 0, corner, "wheel_z");
  return (BUMP - x - sqrt((z + 0.05) * (z + 0.05) - z * z)) / SPEED;
}

static double first_switch(const cmbt_run *r, const char *force)
{
  for (int i = 0; i < r->event_count; i++) {
    if (strncmp(r->events[i].name, force, strlen(force)) == 0) return r->events[i].t;
  }
  return NAN;
}

/* Checks a run until both axles have met the bump. The front wheels are in equilibrium until then, so that geometry gives their times. */
static void test_bump_and_laws(void **state)
{
  cmbt_run r;
  double least = INFINITY, most = -INFINITY;
  (void)state;
  cmbt_run_open(&r, "hmmwv14", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_settle(&r);
  r.method = "radau5", r.rtol = r.atol = 1e-6;
  cmbt_run_to(&r, 1.3, 0.01);
  for (int k = 0; k < r.row_count; k++) {
    for (int i = 0; i < 4; i++) check_laws(&r, k, i);
    least = fmin(least, cmbt_row(&r, k, "front_left.shock_rate"));
    most = fmax(most, cmbt_row(&r, k, "front_left.shock_rate"));
  }
  assert_true(least < -0.1 && most > 0.1); /* both directions occur */
  cmbt_near(first_switch(&r, "force front_left.tyre"), time_at_bump(&r, corners[0]), 1e-6);
  cmbt_near(first_switch(&r, "force front_right.tyre"), time_at_bump(&r, corners[1]), 1e-6);
  cmbt_near(first_switch(&r, "force front_left.tyre"), 0.5, 0.05);
  cmbt_near(first_switch(&r, "force rear_left.tyre"), 1.2, 0.05);
  cmbt_run_close(&r);
}

/* Checks the energy of the vehicle in the air, where the springs are not in equilibrium: its change is the integral of the power. */
static void test_energy(void **state)
{
  const cmb_setting high = {"ride", 5};
  cmbt_run r;
  (void)state;
  cmbt_run_open(&r, "hmmwv14", CMB_FORM_EXPLICIT, 1, &high);
  r.method = "radau5", r.rtol = r.atol = 1e-9;
  cmbt_run_to(&r, 0.03, 2e-5);
  const double begin = cmbt_row(&r, 0, "energy"), end = cmbt_row(&r, r.row_count - 1, "energy");
  printf("energy %.0f J more after 0.03 s\n", end - begin);
  assert_true(fabs(end - begin) > 100);
  cmbt_near(cmbt_integral(&r, "power") / (end - begin), 1, 1e-5);
  for (int i = 0; i < 4; i++)
    assert_true(value(&r, r.row_count - 1, corners[i], "tyre_force") == 0);
  cmbt_run_close(&r);
}

static void run_over(cmbt_run *r, cmb_formulation form, double bump)
{
  const cmb_setting set = {"bump_x", bump};
  cmbt_run_open(r, "hmmwv14", form, 1, &set);
  cmbt_run_settle(r);
  r->method = "radau5", r->rtol = r->atol = 1e-8;
  cmbt_run_to(r, 0.62, 0.02);
}

/* Checks that both kinds of coordinates give the same motion. The equilibrium is neutral along the road, and they find it at slightly
 * different places; the bump is moved by this difference. */
static void test_formulations(void **state)
{
  cmbt_run joint, cartesian;
  (void)state;
  run_over(&joint, CMB_FORM_EXPLICIT, BUMP);
  cmbt_run_open(&cartesian, "hmmwv14", CMB_FORM_CARTESIAN, 0, NULL);
  cmbt_run_settle(&cartesian);
  cmbt_run_start(&cartesian);
  const double apart = cmbt_output(&cartesian, "distance") - cmbt_row(&joint, 0, "distance");
  cmbt_run_close(&cartesian);
  run_over(&cartesian, CMB_FORM_CARTESIAN, BUMP + apart);
  assert_int_equal(joint.row_count, cartesian.row_count);
  for (int k = 0; k < joint.row_count; k++) {
    const double x = cmbt_row(&cartesian, k, "distance") - apart;
    cmbt_near(x, cmbt_row(&joint, k, "distance"), 1e-6);
    cmbt_near(cmbt_row(&cartesian, k, "height"), cmbt_row(&joint, k, "height"), 1e-6);
    for (int i = 0; i < 4; i++) {
      cmbt_near(value(&cartesian, k, corners[i], "wheel_z"),
                value(&joint, k, corners[i], "wheel_z"), 1e-6);
    }
  }
  cmbt_run_close(&joint);
  cmbt_run_close(&cartesian);
}

/* Checks that the start is an equilibrium at constant speed along the road, with no other velocity, and that the tyres carry the weight. */
static void test_start(void **state)
{
  cmbt_run r;
  (void)state;
  cmbt_run_open(&r, "hmmwv14", CMB_FORM_EXPLICIT, 0, NULL);
  cmbt_run_settle(&r);
  cmbt_run_start(&r);
  for (int i = 0; i < r.eq->nv; i++) {
    const bool along = strcmp(r.eq->v_names[i], "body.x'") == 0;
    cmbt_near(r.result->v[i], along ? SPEED : 0, 1e-9);
  }
  double weight = 0;
  char name[40];
  for (int i = 0; i < 4; i++) {
    snprintf(name, sizeof name, "%s.tyre_force", corners[i]);
    weight += cmbt_output(&r, name);
  }
  cmbt_near(weight / (GRAVITY * (2086.52 + 9.072 + 4 * (23.965 + 5.813 + 90.555))), 1, 1e-8);
  cmbt_run_close(&r);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_counts),     cmocka_unit_test(test_start),
      cmocka_unit_test(test_eigenvalue), cmocka_unit_test(test_bump_and_laws),
      cmocka_unit_test(test_energy),     cmocka_unit_test(test_formulations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
