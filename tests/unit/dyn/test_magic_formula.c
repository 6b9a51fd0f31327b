/*
 * Tests of the Magic Formula (dyn/magic_formula.h): forces and loads against a second implementation (tests/support/magic_formula.py) and
 * published values, derivatives against difference quotients, reversal of the direction of travel, limits at zero load, slip and speed; and
 * that load, deflection and radii agree with each other.
 */
#include "check.h"
#include "dyn/magic_formula.h"

#include <camber/dyn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(holds, ...)                                                                          \
  do {                                                                                             \
    if (!(holds)) fail_msg(__VA_ARGS__);                                                           \
  } while (0)

/* Sets the path of a tyre property file: all-52.tir and all-62.tir, with all coefficients, are in this folder, others in models/tyres. */
static void find_file(const char *name, size_t room, char *path)
{
  const char *folder = strncmp(name, "all-", 4) == 0 ? "tests/unit/dyn" : "models/tyres";
  snprintf(path, room, "%s/%s/%s", getenv("SOURCE_DIR"), folder, name);
}

static cmb_tyre *open_tyre(cmb_context *ctx, const char *name)
{
  char path[1024];
  cmb_tyre *tyre = NULL;
  find_file(name, sizeof path, path);
  assert_int_equal(cmb_tyre_open(ctx, path, &tyre), CMB_OK);
  return tyre;
}

/* Inputs Fz, κ, α, γ, Vx, friction, and the expected Fx, Fy, Mx, My, Mz, σx, σy (relaxation lengths). */
static const struct row {
  const char *file;
  double x[CMB_TYRE_STATES + CMB_TYRE_FORCES];
} rows[] = {
#include "magic_formula_values.h"
};
enum { ROWS = sizeof rows / sizeof *rows };

static cmb_tyre_state state_of(const double *x)
{
  return (cmb_tyre_state){x[0], x[1], x[2], x[3], x[4], x[5]};
}

static void forces_in_order(const cmb_tyre_forces *f, double y[CMB_TYRE_FORCES])
{
  const double all[] = {f->Fx, f->Fy, f->Mx, f->My, f->Mz, f->sigma_x, f->sigma_y};
  for (int i = 0; i < CMB_TYRE_FORCES; i++) y[i] = all[i];
}

static void evaluate(cmb_tyre *tyre, const double *x, double y[CMB_TYRE_FORCES], double *J)
{
  const cmb_tyre_state s = state_of(x);
  cmb_tyre_forces f;
  assert_int_equal(cmb_tyre_evaluate(tyre, &s, &f, J), CMB_OK);
  forces_in_order(&f, y);
}

/* Checks the forces, torques and relaxation lengths of the table. The relative tolerance of 1e-6 is increased by 1e-9 Fz for forces,
 * 1e-9 Fz · 1 m for torques and 1e-9 m for lengths, since a small value may be a difference of larger ones. */
static void test_values(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < ROWS; i++) {
    cmb_tyre *tyre = open_tyre(ctx, rows[i].file);
    double y[CMB_TYRE_FORCES];
    evaluate(tyre, rows[i].x, y, NULL);
    for (int k = 0; k < CMB_TYRE_FORCES; k++) {
      const double expected = rows[i].x[CMB_TYRE_STATES + k];
      const double small = k < 5 ? 1e-3 * rows[i].x[0] : 1e-3;
      CHECK(fabs(y[k] - expected) <= 1e-6 * (fabs(expected) + small),
            "%s, row %d, force %d: %.12g, expected %.12g", rows[i].file, i, k, y[k], expected);
    }
    cmb_tyre_close(tyre);
  }
  cmb_context_destroy(ctx);
}

/* ---- load and radii of files */

enum { LOAD_STATES = 6, LOAD_VALUES = 3 };
static const struct load_row {
  const char *file;
  double x[LOAD_STATES + LOAD_VALUES];
} load_rows[] = {
#include "magic_formula_loads.h"
};

static void read_tir(cmb_context *ctx, const char *name, cmb_tir *tir)
{
  static char text[1 << 15];
  char path[1024];
  find_file(name, sizeof path, path);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(text, 1, sizeof text, file);
  fclose(file);
  assert_true(length < sizeof text);
  assert_int_equal(cmb_tir_parse(ctx, name, text, length, tir), CMB_OK);
}

/* Checks the load, with the effects of camber γ, lateral force, pressure, spin and contact of the rim, the free radius and the rolling
 * radius at that load. The tolerance is 1e-5, because |γ| is replaced by γ²/sqrt(γ² + 1e-8), with the relative error 1e-8/(2 γ²) <=
 * 5.6e-6. */
static void test_loads(void **unused)
{
  (void)unused;
  static const char *const names[] = {"rho", "rate", "omega", "gamma", "Fx", "Fy"};
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof load_rows / sizeof *load_rows; i++) {
    const struct load_row *row = &load_rows[i];
    cmb_graph *g = NULL;
    cmb_program *p = NULL;
    cmb_tir tir;
    cmb_expr in[LOAD_STATES], out[LOAD_VALUES];
    cmb_tyre_limits limits;
    double y[LOAD_VALUES], work[512];
    read_tir(ctx, row->file, &tir);
    assert_int_equal(cmb_graph_create(ctx, &g), CMB_OK);
    for (int k = 0; k < LOAD_STATES; k++) in[k] = cmb_input(g, names[k]);
    const cmb_tyre_deflection d = {in[0], in[1], in[2], in[3], in[4], in[5]};
    assert_int_equal(cmb_magic_vertical(g, &tir, &d, &out[0], &limits), CMB_OK);
    assert_int_equal(cmb_magic_free_radius(g, &tir, in[2], &out[1]), CMB_OK);
    assert_int_equal(cmb_magic_rolling_radius(g, &tir, out[0], in[2], &out[2]), CMB_OK);
    assert_int_equal(cmb_program_create(ctx, g, LOAD_STATES, in, LOAD_VALUES, out, &p), CMB_OK);
    assert_true(cmb_program_work(p) <= 512);
    cmb_program_run(p, row->x, y, work);
    for (int k = 0; k < LOAD_VALUES; k++) {
      const double expected = row->x[LOAD_STATES + k];
      CHECK(fabs(y[k] - expected) <= 1e-5 * fabs(expected),
            "%s, row %zu, value %d: %.12g, expected %.12g", row->file, i, k, y[k], expected);
    }
    cmb_program_destroy(p);
    cmb_graph_destroy(g);
  }
  cmb_context_destroy(ctx);
}

/* Checks Fx, Fy and Mz at the load Fz, slip κ and slip angle α in degrees against published values with three decimals. Mz is compared only
 * where the moment of Fx about the contact point does not contribute to it; NaN otherwise. */
static void test_published(void **unused)
{
  (void)unused;
  static const struct {
    const char *file;
    double x[3], Fx, Fy, Mz;
  } cases[] = {
      {"car-205-60r15.tir", {4000, 0.02, 0}, 1242.433, 0, 0},
      {"car-205-60r15.tir", {4000, 0.10, 0}, 3804.226, 0, 0},
      {"car-205-60r15.tir", {4000, 0, 1}, 0, -824.745, 30.463},
      {"car-205-60r15.tir", {4000, 0, 4}, 0, -2712.319, 79.705},
      {"car-205-60r15.tir", {2000, 0, 4}, 0, -1511.261, 22.205},
      {"car-205-60r15.tir", {6000, 0, 4}, 0, -3461.528, 152.582},
      {"car-205-60r15.tir", {4000, 0.05, 4}, 2419.800, -2636.132, NAN},
      {"car-205-60r19.tir", {4000, 0.02, 0}, 1662.467, 180.422, NAN},
      {"car-205-60r19.tir", {4000, 0.10, 0}, 4128.163, 224.462, NAN},
      {"car-205-60r19.tir", {4000, 0, 4}, 13.434, -2880.050, NAN},
      {"car-205-60r19.tir", {4000, 0, -4}, 13.484, 2934.804, NAN},
      {"car-205-60r19.tir", {4000, 0.05, 4}, 2487.695, -2459.423, NAN},
      {"car-255-55r20.tir", {6752, 0.05, 4}, 5217.727, -5693.131, NAN},
      {"car-235-85r16.tir", {9416.6, 0.10, 0}, 8319.101, -42.319, NAN},
      {"car-235-85r16.tir", {9416.6, 0, 4}, 138.656, -4568.765, NAN},
      {"car-235-85r16.tir", {9416.6, 0.05, 4}, 4912.201, -4307.140, NAN},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cmb_tyre *tyre = open_tyre(ctx, cases[i].file);
    double V0 = 0, y[CMB_TYRE_FORCES];
    assert_true(cmb_tyre_number(tyre, "LONGVL", &V0));
    const double x[] = {cases[i].x[0], cases[i].x[1], cases[i].x[2] * acos(-1) / 180, 0, V0, 1};
    evaluate(tyre, x, y, NULL);
    CHECK(fabs(y[0] - cases[i].Fx) < 6e-4, "case %zu: Fx %.4f, expected %.3f", i, y[0],
          cases[i].Fx);
    CHECK(fabs(y[1] - cases[i].Fy) < 6e-4, "case %zu: Fy %.4f, expected %.3f", i, y[1],
          cases[i].Fy);
    CHECK(isnan(cases[i].Mz) || fabs(y[4] - cases[i].Mz) < 6e-4, "case %zu: Mz %.4f, expected %.3f",
          i, y[4], cases[i].Mz);
    cmb_tyre_close(tyre);
  }
  cmb_context_destroy(ctx);
}

/* Checks the derivatives against difference quotients of fourth order. The tolerance is 2e-6 of the derivative plus 1e-6 Fz (plus 1e-6 for
 * derivatives by the load). */
static void test_derivatives(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < ROWS; i++) {
    cmb_tyre *tyre = open_tyre(ctx, rows[i].file);
    double y[CMB_TYRE_FORCES], J[CMB_TYRE_FORCES * CMB_TYRE_STATES];
    evaluate(tyre, rows[i].x, y, J);
    for (int j = 0; j < CMB_TYRE_STATES; j++) {
      const double h = j == 0 ? 1e-4 * rows[i].x[0] : 2e-5, at[] = {-2, -1, 1, 2};
      const double weight[] = {1, -8, 8, -1};
      double difference[CMB_TYRE_FORCES] = {0};
      for (int k = 0; k < 4; k++) {
        double x[CMB_TYRE_STATES];
        for (int n = 0; n < CMB_TYRE_STATES; n++) x[n] = rows[i].x[n];
        x[j] += at[k] * h;
        evaluate(tyre, x, y, NULL);
        for (int n = 0; n < CMB_TYRE_FORCES; n++) difference[n] += weight[k] * y[n] / (12 * h);
      }
      const double unit = (j == 0 ? 1 : rows[i].x[0]) * 1e-6;
      for (int n = 0; n < CMB_TYRE_FORCES; n++) {
        if (rows[i].x[3] == 0 && j == 3) continue; /* the approximation of |γ| bends within 1e-4 */
        const double exact = J[n * CMB_TYRE_STATES + j];
        CHECK(fabs(exact - difference[n]) <= 2e-6 * fabs(exact) + unit,
              "%s, row %d: force %d by %d is %.10g, differences %.10g", rows[i].file, i, n, j,
              exact, difference[n]);
      }
    }
    cmb_tyre_close(tyre);
  }
  cmb_context_destroy(ctx);
}

/* Checks a wheel that runs backwards: if Vx, κ, α and γ change their signs, Fx and Fy change theirs, and Mz does not, except that of a tyre
 * with a residual torque (QDZ6), whose sign depends on the direction of travel. */
static void test_reversal(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < ROWS; i++) {
    cmb_tyre *tyre = open_tyre(ctx, rows[i].file);
    double x[CMB_TYRE_STATES], y[CMB_TYRE_FORCES], back[CMB_TYRE_FORCES], residual = 0;
    for (int n = 0; n < CMB_TYRE_STATES; n++)
      x[n] = n == 0 || n == 5 ? rows[i].x[n] : -rows[i].x[n];
    evaluate(tyre, rows[i].x, y, NULL);
    evaluate(tyre, x, back, NULL);
    assert_true(cmb_tyre_number(tyre, "QDZ6", &residual));
    const double size = 1e-10 * x[0];
    CHECK(fabs(y[0] + back[0]) < size && fabs(y[1] + back[1]) < size,
          "%s, row %d: Fx %g %g, Fy %g %g", rows[i].file, i, y[0], back[0], y[1], back[1]);
    CHECK(residual != 0 || fabs(y[4] - back[4]) < size, "%s, row %d: Mz %g and %g", rows[i].file, i,
          y[4], back[4]);
    cmb_tyre_close(tyre);
  }
  cmb_context_destroy(ctx);
}

/* Sets each subset of Fz, κ, α, γ, Vx and friction to 0: all derivatives are finite, all forces and torques are 0 without load, and Fx and
 * Fy are 0 without friction. At small loads Fx and Fy are proportional to the load. */
static void test_limits(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < ROWS; i++) {
    cmb_tyre *tyre = open_tyre(ctx, rows[i].file);
    for (int zero = 0; zero < 64; zero++) {
      double x[CMB_TYRE_STATES], y[CMB_TYRE_FORCES], J[CMB_TYRE_FORCES * CMB_TYRE_STATES];
      for (int n = 0; n < CMB_TYRE_STATES; n++) x[n] = zero >> n & 1 ? 0 : rows[i].x[n];
      evaluate(tyre, x, y, J);
      for (int n = 0; n < CMB_TYRE_FORCES * CMB_TYRE_STATES; n++) {
        CHECK(isfinite(J[n]), "%s, zeros %d: derivative %d is not finite", rows[i].file, zero, n);
      }
      for (int n = 0; n < 5 && x[0] == 0; n++)
        CHECK(y[n] == 0, "force %d is %g without load", n, y[n]);
      if (x[5] == 0) CHECK(y[0] == 0 && y[1] == 0, "Fx %g, Fy %g without friction", y[0], y[1]);
    }
    double low[CMB_TYRE_STATES], y[CMB_TYRE_FORCES], z[CMB_TYRE_FORCES];
    for (int n = 0; n < CMB_TYRE_STATES; n++) low[n] = rows[i].x[n];
    low[0] = 1e-3;
    evaluate(tyre, low, y, NULL);
    low[0] = 1e-6;
    evaluate(tyre, low, z, NULL);
    for (int n = 0; n < 2; n++) {
      CHECK(fabs(1e3 * z[n] - y[n]) <= 1e-6 * fabs(y[n]), "%s: force %d is not linear at lift-off",
            rows[i].file, n);
    }
    cmb_tyre_close(tyre);
  }
  cmb_context_destroy(ctx);
}

/* Checks that the vertical force at the deflection free radius − loaded radius is the load from which the loaded radius was computed, plus
 * 50 N s/m · 0.1 m/s of the damper. Free radius, rolling radius and, for Q_FZ2 = 0, the deflection are compared with their formulas. */
static void test_radii(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int second = 0; second < 2; second++) {
    cmb_graph *g = NULL;
    cmb_program *p = NULL;
    cmb_tir tir = {.FITTYP = 61,
                   .UNLOADED_RADIUS = 0.35,
                   .FNOMIN = 4000,
                   .VERTICAL_STIFFNESS = 2e5,
                   .LONGVL = 16,
                   .VXLOW = 1,
                   .Q_RE0 = 1,
                   .Q_V1 = 8e-4,
                   .Q_V2 = 0.05,
                   .Q_FZ2 = second ? 15 : 0,
                   .BREFF = 8,
                   .DREFF = 0.25,
                   .FREFF = 0.05,
                   .CAMMIN = -1,
                   .CAMMAX = 1,
                   .VERTICAL_DAMPING = 50};
    assert_int_equal(cmb_graph_create(ctx, &g), CMB_OK);
    const cmb_expr in[] = {cmb_input(g, "Fz"), cmb_input(g, "omega")};
    cmb_expr out[4], rate = cmb_constant(g, 0.1);
    cmb_tyre_limits limits;
    assert_int_equal(cmb_magic_free_radius(g, &tir, in[1], &out[0]), CMB_OK);
    assert_int_equal(cmb_magic_loaded_radius(g, &tir, in[0], in[1], &out[1]), CMB_OK);
    assert_int_equal(cmb_magic_rolling_radius(g, &tir, in[0], in[1], &out[2]), CMB_OK);
    const cmb_tyre_deflection d = {
        cmb_apply(g, CMB_OP_SUB, out[0], out[1], 0), rate, in[1], 0, 0, 0};
    assert_int_equal(cmb_magic_vertical(g, &tir, &d, &out[3], &limits), CMB_OK);
    assert_int_equal(cmb_program_create(ctx, g, 2, in, 4, out, &p), CMB_OK);
    double y[4], work[512];
    assert_true(cmb_program_work(p) <= 512);
    for (int k = 0; k < 6; k++) {
      const double Fz = 100 + 1700 * k;
      cmb_program_run(p, (const double[]){Fz, 50}, y, work);
      CHECK(fabs(y[3] - Fz - 5) < 1e-9 * Fz, "load %g gives %.12g", Fz, y[3]);
      CHECK(fabs(y[0] - 0.35 * (1 + 8e-4 * pow(50 * 0.35 / 16, 2))) < 1e-15, "free radius %.17g",
            y[0]);
      const double dip = 0.02 * (0.25 * atan(8 * Fz / 4000) + 0.05 * Fz / 4000);
      CHECK(fabs(y[0] - y[2] - dip) < 1e-15, "rolling radius %.17g", y[2]);
      if (!second)
        CHECK(fabs(y[0] - y[1] - Fz / (2e5 * (1 + 0.05 * 50 * 0.35 / 16))) < 1e-14, "deflection %g",
              y[0] - y[1]);
    }
    cmb_program_destroy(p);
    cmb_graph_destroy(g);
  }
  cmb_context_destroy(ctx);
}

/* The message about a value that is not finite names the file, the value and the state. */
static void test_infinite(void **unused)
{
  (void)unused;
  static char text[20000];
  char path[1024];
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_tyre *tyre;
  cmb_tyre_forces f;
  find_file("all-52.tir", sizeof path, path);
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  char *key = strstr(text, "PTX3 = -0.3717");
  assert_non_null(key);
  memcpy(key, "PTX3 = 100000.", strlen("PTX3 = 100000.")); /* exp(PTX3) is infinite */
  assert_int_equal(cmb_tyre_parse(ctx, text, length, "large.tir", &tyre), CMB_OK);
  const cmb_tyre_state s = {.load = 8000, .slip = 0.1, .speed = 20, .friction = 1};
  assert_int_equal(cmb_tyre_evaluate(tyre, &s, &f, NULL), CMB_ERROR_NONFINITE);
  assert_string_equal(
      cmb_last_error(ctx),
      "large.tir: the tyre's relaxation length sigma_x is not finite at load 8000 N, "
      "slip 0.1, slip angle 0 rad, camber 0 rad, speed 20 m/s and friction 1");
  cmb_tyre_close(tyre);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_values),    cmocka_unit_test(test_loads),
      cmocka_unit_test(test_published), cmocka_unit_test(test_derivatives),
      cmocka_unit_test(test_reversal),  cmocka_unit_test(test_limits),
      cmocka_unit_test(test_radii),     cmocka_unit_test(test_infinite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
