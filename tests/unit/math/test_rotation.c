/*
 * Tests of rotations (math/rotation.h): orthogonality, composition, conversion to Euler parameters and back near half turns, and rates
 * against difference quotients.
 *
 * The entries of a rotation matrix are sums of a few products of numbers up to 1, so their errors are some eps, below ROUNDING.
 */
#include "check.h"
#include "math/rotation.h"
#include "math/vec3.h"
#include "random.h"

#include <float.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double ROUNDING = 16 * DBL_EPSILON;

static void random_axis(struct cmbt_random *random, double axis[3])
{
  double length;
  do {
    for (int i = 0; i < 3; i++) axis[i] = cmbt_random_uniform(random, -1, 1);
    length = cmb_norm3(axis);
  } while (length < 0.1 || length > 1);
  for (int i = 0; i < 3; i++) axis[i] /= length;
}

static void random_euler(struct cmbt_random *random, double p[4])
{
  do {
    for (int i = 0; i < 4; i++) p[i] = cmbt_random_uniform(random, -1, 1);
  } while (!(cmb_euler_normalize(p) > 0.1));
}

static double largest_difference(int n, const double *a, const double *b)
{
  double largest = 0;
  for (int i = 0; i < n; i++) largest = fmax(largest, fabs(a[i] - b[i]));
  return largest;
}

static double determinant(const double A[9])
{
  double c[3];
  cmb_cross3(A + 3, A + 6, c);
  return cmb_dot3(A, c);
}

static void assert_rotation(const double A[9])
{
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) cmbt_near(cmb_dot3(A + 3 * i, A + 3 * j), i == j, ROUNDING);
  }
  cmbt_near(determinant(A), 1, ROUNDING);
}

/* ---- 3-vectors */

static void products_of_vectors_and_matrices(void **state)
{
  (void)state;
  const double a[3] = {1, 2, 3}, b[3] = {-4, 5, 6}, A[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
  double c[3], d[3], B[9], C[9], v[3], w[3];
  assert_true(cmb_dot3(a, b) == 24);
  cmb_cross3(a, b, c);
  assert_true(c[0] == -3 && c[1] == -18 && c[2] == 13);
  cmb_mul3(A, a, c);
  assert_true(c[0] == 14 && c[1] == 32 && c[2] == 53);
  cmb_mul3t(A, a, d);
  assert_true(d[0] == 30 && d[1] == 36 && d[2] == 45);
  const double square[3] = {4, 12, 3};
  assert_true(cmb_norm3(square) == 13);
  for (int i = 0; i < 9; i++) B[i] = i * i - 3;
  cmb_mul33(A, B, C); /* checked by (A B) b = A (B b) */
  cmb_mul3(C, b, v);
  cmb_mul3(B, b, c);
  cmb_mul3(A, c, w);
  assert_true(v[0] == w[0] && v[1] == w[1] && v[2] == w[2]);
}

/* ---- matrices */

static void a_quarter_turn_about_z_takes_x_to_y(void **state)
{
  (void)state;
  const double z[3] = {0, 0, 1}, x[3] = {1, 0, 0}, half = sqrt(0.5), p[4] = {half, 0, 0, half};
  double A[9], image[3];
  cmb_rotation_from_axis(z, PI / 2, A);
  cmb_mul3(A, x, image);
  cmbt_near(image[0], 0, ROUNDING);
  cmbt_near(image[1], 1, ROUNDING);
  cmb_rotation_from_euler(p, A);
  cmb_mul3(A, x, image);
  cmbt_near(image[0], 0, ROUNDING);
  cmbt_near(image[1], 1, ROUNDING);
}

static void matrices_are_rotations_about_their_axis(void **state)
{
  (void)state;
  struct cmbt_random random = {1};
  for (int trial = 0; trial < 500; trial++) {
    double u[3], A[9], B[9], image[3], angle = cmbt_random_uniform(&random, -7, 7);
    random_axis(&random, u);
    cmb_rotation_from_axis(u, angle, A);
    assert_rotation(A);
    cmb_mul3(A, u, image);
    cmbt_below(largest_difference(3, image, u), ROUNDING);
    cmbt_near(A[0] + A[4] + A[8], 1 + 2 * cos(angle), ROUNDING);

    double s = sin(angle / 2);
    const double p[4] = {cos(angle / 2), s * u[0], s * u[1], s * u[2]};
    cmb_rotation_from_euler(p, B);
    assert_rotation(B);
    cmbt_below(largest_difference(9, A, B), ROUNDING);
  }
}

static void angles_about_one_axis_add(void **state)
{
  (void)state;
  struct cmbt_random random = {2};
  for (int trial = 0; trial < 100; trial++) {
    double u[3], A[9], B[9], C[9], AB[9];
    double a = cmbt_random_uniform(&random, -3, 3), b = cmbt_random_uniform(&random, -3, 3);
    random_axis(&random, u);
    cmb_rotation_from_axis(u, a, A);
    cmb_rotation_from_axis(u, b, B);
    cmb_rotation_from_axis(u, a + b, C);
    cmb_mul33(A, B, AB);
    cmbt_below(largest_difference(9, AB, C), ROUNDING);
  }
}

/* ---- Euler parameters */

static void products_compose_rotations(void **state)
{
  (void)state;
  struct cmbt_random random = {3};
  for (int trial = 0; trial < 500; trial++) {
    double p[4], s[4], r[4], A[9], B[9], AB[9], C[9];
    random_euler(&random, p);
    random_euler(&random, s);
    cmb_euler_product(p, s, r);
    cmb_rotation_from_euler(p, A);
    cmb_rotation_from_euler(s, B);
    cmb_rotation_from_euler(r, C);
    cmb_mul33(A, B, AB);
    cmbt_below(largest_difference(9, AB, C), ROUNDING);
    cmb_euler_product(p, s, p); /* in place */
    assert_memory_equal(p, r, sizeof r);
  }
}

static void assert_round_trip(const double p[4])
{
  double A[9], back[4];
  cmb_rotation_from_euler(p, A);
  cmb_euler_from_rotation(A, back);
  assert_true(back[0] >= 0);
  double same = largest_difference(4, p, back);
  for (int i = 0; i < 4; i++) back[i] = -back[i]; /* p and −p describe the same rotation */
  cmbt_below(fmin(same, largest_difference(4, p, back)), ROUNDING);
}

static void parameters_follow_from_matrices(void **state)
{
  (void)state;
  struct cmbt_random random = {4};
  for (int trial = 0; trial < 1000; trial++) {
    double p[4];
    random_euler(&random, p);
    assert_round_trip(p);
  }
}

/* Checks conversion near half turns. There e0 is nearly zero, and near a half turn about a coordinate axis three of the four parameters
 * are: a division by one of these would lose its digits. */
static void half_turns_lose_no_digits(void **state)
{
  (void)state;
  struct cmbt_random random = {5};
  for (int trial = 0; trial < 400; trial++) {
    double u[3], nearly = trial % 20 == 0 ? 0 : pow(10, -(trial % 20));
    random_axis(&random, u);
    if (trial % 4 < 3) {
      for (int i = 0; i < 3; i++) u[i] = i == trial % 4 ? 1 : nearly * u[i];
      double length = cmb_norm3(u);
      for (int i = 0; i < 3; i++) u[i] /= length;
    }
    double half = (PI - (trial % 2 ? nearly : -nearly)) / 2, s = sin(half);
    const double p[4] = {cos(half), s * u[0], s * u[1], s * u[2]};
    assert_round_trip(p);
  }
  const double exact[3][4] = {{0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, none[4] = {1, 0, 0, 0};
  for (int i = 0; i < 3; i++) assert_round_trip(exact[i]);
  assert_round_trip(none);
}

static void rates_keep_the_length(void **state)
{
  (void)state;
  struct cmbt_random random = {6};
  for (int trial = 0; trial < 300; trial++) {
    double p[4], omega[3], pdot[4], along = 0;
    random_euler(&random, p);
    for (int i = 0; i < 3; i++) omega[i] = cmbt_random_uniform(&random, -1, 1);
    cmb_euler_rates(p, omega, pdot);
    for (int i = 0; i < 4; i++) along += p[i] * pdot[i];
    cmbt_near(along, 0, ROUNDING); /* p·ṗ = 0, so |p| does not change */
  }
}

/* Checks Aᵀ Ȧ = ω̃', where Ȧ is the central difference of A along ṗ. Its error is h²/6 times third derivatives, which are of order 1, and
 * rounding divided by h. */
static void rates_turn_the_matrix_with_omega(void **state)
{
  (void)state;
  struct cmbt_random random = {7};
  const double h = 1e-5, tolerance = 4 * h * h + ROUNDING / h;
  for (int trial = 0; trial < 100; trial++) {
    double p[4], omega[3], pdot[4], plus[4], minus[4], A[9], A_plus[9], A_minus[9], Adot[9];
    random_euler(&random, p);
    for (int i = 0; i < 3; i++) omega[i] = cmbt_random_uniform(&random, -1, 1);
    cmb_euler_rates(p, omega, pdot);
    for (int i = 0; i < 4; i++) {
      plus[i] = p[i] + h * pdot[i];
      minus[i] = p[i] - h * pdot[i];
    }
    cmb_euler_normalize(plus);
    cmb_euler_normalize(minus);
    cmb_rotation_from_euler(p, A);
    cmb_rotation_from_euler(plus, A_plus);
    cmb_rotation_from_euler(minus, A_minus);
    for (int i = 0; i < 9; i++) Adot[i] = (A_plus[i] - A_minus[i]) / (2 * h);
    for (int j = 0; j < 3; j++) { /* column j of Ȧ is A (ω' × unit vector j) */
      const double unit[3] = {j == 0, j == 1, j == 2},
                   column[3] = {Adot[j], Adot[3 + j], Adot[6 + j]};
      double cross[3], expected[3];
      cmb_cross3(omega, unit, cross);
      cmb_mul3(A, cross, expected);
      cmbt_below(largest_difference(3, column, expected), tolerance);
    }
  }
}

static void normalizing_returns_the_length(void **state)
{
  (void)state;
  double p[4] = {2, -4, 5, 6};
  assert_true(cmb_euler_normalize(p) == 9);
  cmbt_near(p[3], 6.0 / 9, DBL_EPSILON);
  const double bad[][4] = {{0, 0, 0, 0}, {1, NAN, 0, 0}, {INFINITY, 0, 0, 1}};
  for (int i = 0; i < 3; i++) {
    double q[4];
    memcpy(q, bad[i], sizeof q);
    double length = cmb_euler_normalize(q);
    assert_true(length == 0 || !isfinite(length));
    assert_memory_equal(q, bad[i], sizeof q); /* unchanged */
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(products_of_vectors_and_matrices),
      cmocka_unit_test(a_quarter_turn_about_z_takes_x_to_y),
      cmocka_unit_test(matrices_are_rotations_about_their_axis),
      cmocka_unit_test(angles_about_one_axis_add),
      cmocka_unit_test(products_compose_rotations),
      cmocka_unit_test(parameters_follow_from_matrices),
      cmocka_unit_test(half_turns_lose_no_digits),
      cmocka_unit_test(rates_keep_the_length),
      cmocka_unit_test(rates_turn_the_matrix_with_omega),
      cmocka_unit_test(normalizing_returns_the_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
