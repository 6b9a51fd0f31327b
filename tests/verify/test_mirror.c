/*
 * A mirrored or rotated instance of a template moves as the image of the original. The same template is run once as it is and once
 * mirrored in a plane, rotated or both, with gravity and all other bodies mirrored and rotated too; the second motion must be the image of
 * the first. Random formulas of components of motion act as loads, torques, rates, constraints, surfaces and on coordinates, so that each
 * component has to be transformed wherever a formula uses it.
 */
#include "check.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = 16000, FORMULA_ROOM = 400 };

static const double gravity[3] = {1.5, -2, -9};

/* Components of vectors, and scalars. b is on a free joint, c is joined to it, `outside` is not part of the template. */
static const char *const components[] = {
    "b.x",         "b.y",         "b.z",        "b.vx",       "b.vy",       "b.vz",
    "b.wx",        "b.wy",        "b.wz",       "b.x_y",      "b.y_y",      "b.y_z",
    "b.z_x",       "tip.x",       "tip.y",      "tip.z",      "tip.vy",     "tip.wx",
    "tip.x_z",     "tip.y_x",     "tip.z_y",    "free.x",     "free.y",     "free.z",
    "free.x'",     "free.y'",     "free.z'",    "free.wx",    "free.wy'",   "free.wz",
    "hang.wx",     "hang.wz'",    "drag.fy",    "drag.fx",    "pull.force", "pull.rate",
    "rubber.fx",   "rubber.fy",   "rubber.mx",  "rubber.mz",  "twist",      "twist'",
    "outside.y",   "outside.x",   "outside.vy", "outside.wx", "outside.wz", "outside.x_y",
    "outside.y_y", "outside.z_y", "seen",
};

enum { COMPONENTS = sizeof components / sizeof *components };

/* Writes a sum of bounded terms tanh(c a + d a b) of random components a and b. */
static void random_formula(struct cmbt_random *r, char text[FORMULA_ROOM])
{
  int length = snprintf(text, FORMULA_ROOM, "%.3f", cmbt_random_uniform(r, -1, 1));
  for (int i = 0; i < 3; i++) {
    const char *a = components[cmbt_random_int(r, 0, COMPONENTS - 1)];
    const char *b = components[cmbt_random_int(r, 0, COMPONENTS - 1)];
    length +=
        snprintf(text + length, (size_t)(FORMULA_ROOM - length), " + tanh(%.3f*%s + %.3f*%s*%s)",
                 cmbt_random_uniform(r, -1, 1), a, cmbt_random_uniform(r, -1, 1), a, b);
  }
}

/* The map x -> T S x with a rotation T and the signs S = diag(sign). */
struct image {
  double T[3][3], sign[3];
  int plane; /* 3: not mirrored */
  bool turned;
};

/* Computes the image y of a vector x: T S x, or det(S) T S x for an axial vector (angular velocity, torque). */
static void apply(const struct image *m, bool axial, const double x[3], double y[3])
{
  const double about = axial ? m->sign[0] * m->sign[1] * m->sign[2] : 1;
  for (int i = 0; i < 3; i++) {
    y[i] = 0;
    for (int k = 0; k < 3; k++) y[i] += m->T[i][k] * about * m->sign[k] * x[k];
  }
}

/* Returns a random rotation about the vertical (`upright`) or about any axis, by Rodrigues' formula, with a mirroring in `plane`. */
static struct image random_image(struct cmbt_random *r, int plane, bool turned, bool upright)
{
  double e[3], length = 0, a = turned ? cmbt_random_uniform(r, -3, 3) : 0;
  for (int i = 0; i < 3; i++) {
    e[i] = upright ? i == 2 : cmbt_random_uniform(r, 0.1, 1);
    length += e[i] * e[i];
  }
  for (int i = 0; i < 3; i++) e[i] /= sqrt(length);
  const double cross[3][3] = {{0, -e[2], e[1]}, {e[2], 0, -e[0]}, {-e[1], e[0], 0}};
  struct image m = {.sign = {1, 1, 1}, .plane = plane, .turned = turned};
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      m.T[i][k] = cos(a) * (i == k) + sin(a) * cross[i][k] + (1 - cos(a)) * e[i] * e[k];
  }
  if (plane < 3) m.sign[plane] = -1;
  return m;
}

/* Writes the template, the same for original and image, with random formulas. A road cannot be turned upside down. */
static void write_template(struct cmbt_random *r, bool has_road, char text[TEXT_ROOM])
{
  const char *road =
      has_road ? "    roads: {hill: {type: formula, height: '0.1*sin(x + 2*y) - 0.4'}}\n" : "";
  char f[8][FORMULA_ROOM];
  for (int i = 0; i < 8; i++) random_formula(r, f[i]);
  snprintf(
      text, TEXT_ROOM,
      "templates:\n"
      "  thing:\n"
      "    bodies:\n"
      "      b: {mass: 2, com: [0.1, 0.2, 0.3], inertia: [0.5, 0.6, 0.7, 0.02, -0.03, 0.04]}\n"
      "      c: {mass: 1, com: [0.3, 0.5, 0.2], inertia: [0.2, 0.3, 0.25, 0.01, 0.02, -0.01]}\n"
      "      d: {mass: 1, com: [0.5, 0.1, -0.2], inertia: [0.1, 0.1, 0.1]}\n"
      "      e: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.2, 0.15]}\n"
      "      p: {mass: 2, box: [0.1, 0.2, 0.4], at: [0.4, 0.6, 0.1]}\n"
      "      s: {mass: 1, rod: [[0.4, 0.6, 0.1], [0.5, 0.8, 0.4]], radius: 0.1}\n"
      "      m: {mass: 1, com: [0.1, 0, 0.4]}\n"
      "    markers:\n"
      "      tip: {on: c, at: [0.4, 0.1, 0.6], axes: {x: [1, 2, 3], y: [2, -1, 0]}}\n"
      "    joints:\n"
      "      free: {type: free, child: b, start: [0.1, -0.2, 0.3], rate: [0.1, 0.2, -0.3, 0.4, "
      "0.5, -0.6]}\n"
      "      hang: {type: spherical, orientation: euler, parent: b, child: c, at: [0.2, 0.3, "
      "0.25],\n"
      "             rate: [0.3, -0.2, 0.1]}\n"
      "      twist: {type: revolute, parent: b, child: d, at: [0.2, 0.1, 0], axis: [1, 0.5, 0.2], "
      "rate: 0.3}\n"
      "      glide: {type: free, child: e}\n"
      "      plate: {type: planar, child: p, parent: outside, at: [0.4, 0.6, 0.1], normal: [0.1, "
      "1, "
      "0.3], rate: [0.1, 0.2, 0.3], damping: [1, 2, 0.5]}\n"
      "      ball: {type: spherical, child: s, parent: p, at: [0.4, 0.6, 0.1], rate: [0.1, 0.2, "
      "0.3], stiffness: [1, 2, 3]}\n"
      "      lift: {type: translation, child: m, rate: [0.3, -0.1, 0.2], stiffness: [1, 2, 3], "
      "damping: [0.1, 0.2, 0.3]}\n"
      "    loops: {plane: {type: formula, formula: e.y - 0.5*e.x + 0.1*e.x_y}}\n"
      "    events: {kick: {when: e.z < -0.05, action: {reset: {e.vz: '0.5 + e.vx'}}}}\n"
      "    states: {seen: {rate: \"%s\"}}\n"
      "%s"
      "    forces:\n"
      "      push: {type: load, on: {body: c, at: [0.4, 0.4, 0.4]}, force: [\"%s\", \"%s\", "
      "\"%s\"], torque: [\"%s\", \"%s\", \"%s\"]}\n"
      "      drag: {type: load, on: {body: b, at: [0.1, 0.2, 0.3]}, force: [-b.vx, -3*b.vy, "
      "-2*b.vz], torque: [-b.wx, -b.wy, -0.5*b.wz]}\n"
      "      own: {type: load, on: {body: d, at: [0.5, 0.1, -0.2]}, frame: body, force: [0, '0.2 + "
      "0.1*tanh(seen)', 0.1], reaction: b}\n"
      "      pull: {type: torsion, coordinate: free.y, stiffness: 3, angle: 0.4, torque: \"0.5 + "
      "%s\",\n"
      "             spring: [[-1, -1], [0, 0.2], [1, 2]]}\n"
      "      soft: {type: torsion, coordinate: twist, stiffness: 1, torque: \"%s\"}\n"
      "      rubber: {type: bushing, between: [{body: b, at: [0.1, 0, 0.4]}, {body: m, at: [0.1, "
      "0, 0.4]}], stiffness: [3, 5, 9], damping: [1, 2, 0.4], rotational-stiffness: [0.2, 0.3, "
      "0.5]}\n"
      "      rope: {type: spring, between: [{body: outside, at: [0, 0, 0]}, {body: b, at: [0.1, "
      "0.1, 0.1]}], stiffness: 5, damping: 1}\n"
      "      wall: {type: contact, on: {body: b, at: [0.1, 0.2, 0.3]}, radius: 0.1, surface: 'y + "
      "0.3 + 0.2*x', stiffness: 50, damping: 2}\n"
      "      slab: {type: contact, on: {body: c, at: [0.3, 0.5, 0.2]}, radius: 0.1, surface: "
      "'%s', "
      "stiffness: 80}\n",
      f[0], road, f[1], f[2], f[3], f[4], f[5], f[6], "0.1*tanh(free.y')", f[7],
      has_road ? "z - hill(x, y)" : "z + 0.4 + 0.1*x");
}

static int put_vector(char *to, const char *before, const double x[3])
{
  return sprintf(to, "%s[%.17g, %.17g, %.17g]", before, x[0], x[1], x[2]);
}

/* Writes a model with the image of gravity, a body outside of the template that is symmetric to all planes, and the instance. */
static void write_world(const char *template, const struct image *m, char text[TEXT_ROOM])
{
  const double rate[2][3] = {{0.3, -0.2, 0.1}, {0.2, 0.5, -0.4}};
  double x[3], y[3];
  apply(m, false, gravity, x);
  text += put_vector(text, "gravity: ", x);
  text += sprintf(text,
                  "\nbodies: {outside: {mass: 3, com: [0, 0, 0], inertia: [1, 1.2, 1.4], axes: {");
  apply(&(struct image){.T = {{m->T[0][0], m->T[0][1], m->T[0][2]},
                              {m->T[1][0], m->T[1][1], m->T[1][2]},
                              {m->T[2][0], m->T[2][1], m->T[2][2]}},
                        .sign = {1, 1, 1}},
        false, (const double[]){1, 0, 0}, x);
  for (int i = 0; i < 3; i++) y[i] = m->T[i][1];
  text += put_vector(text, "x: ", x);
  text += put_vector(text, ", y: ", y);
  text += sprintf(text, "}}}\njoints: {carry: {type: free, child: outside, rate: [");
  for (int k = 0; k < 2; k++) {
    apply(m, k == 1, rate[k], x);
    text += sprintf(text, "%s%.17g, %.17g, %.17g", k ? ", " : "", x[0], x[1], x[2]);
  }
  text += sprintf(text, "]}}\ninstances: {i: {template: thing");
  if (m->plane < 3) text += sprintf(text, ", mirror: %c", 'x' + m->plane);
  if (m->turned) {
    for (int i = 0; i < 3; i++) x[i] = m->T[i][0];
    text += put_vector(text, ", axes: {x: ", x);
    text += put_vector(text, ", y: ", y);
    text += sprintf(text, "}");
  }
  sprintf(text,
          "}}\n"
          "outputs: {x: i.b.x, y: i.b.y, z: i.b.z, wx: i.b.wx, wy: i.b.wy, wz: i.b.wz,\n"
          "          cx: i.tip.vx, cy: i.tip.vy, cz: i.tip.vz, ex: i.e.x, ey: i.e.y, ez: i.e.z, "
          "ox: outside.x, oy: outside.y, oz: outside.z,\n"
          "          sx: i.s.x, sy: i.s.y, sz: i.s.z, mx: i.m.x, my: i.m.y, mz: i.m.z, "
          "wsx: i.s.wx, wsy: i.s.wy, wsz: i.s.wz,\n"
          "          seen: i.seen, twist: i.twist}\n%s",
          template);
}

/* Checks that the model's motion under the map m is the image of the motion without it, within 2e-8 for a tolerance of 1e-10. */
static void check_image(const char *template, const struct image *m, cmb_formulation form)
{
  static const char *const vectors[][3] = {
      {"x", "y", "z"},    {"cx", "cy", "cz"}, {"ex", "ey", "ez"}, {"ox", "oy", "oz"},
      {"sx", "sy", "sz"}, {"mx", "my", "mz"}, {"wx", "wy", "wz"}, {"wsx", "wsy", "wsz"}};
  const struct image same = {.T = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .sign = {1, 1, 1}, .plane = 3};
  char text[TEXT_ROOM];
  cmbt_run original, image;
  write_world(template, &same, text);
  cmbt_run_open_text(&original, text, form);
  write_world(template, m, text);
  cmbt_run_open_text(&image, text, form);
  original.rtol = image.rtol = original.atol = image.atol = 1e-10;
  cmbt_run_to(&original, 0.5, 0.1);
  cmbt_run_to(&image, 0.5, 0.1);
  assert_int_equal(original.row_count, image.row_count);
  assert_int_equal(original.event_count, image.event_count);
  assert_true(cmbt_times(&original, "i.kick", 0, 0, NULL) > 0);
  for (int i = 0; i < original.row_count; i++) {
    for (int k = 0; k < 8; k++) {
      double x[3], y[3];
      for (int n = 0; n < 3; n++) x[n] = cmbt_row(&original, i, vectors[k][n]);
      apply(m, vectors[k][0][0] == 'w', x, y);
      for (int n = 0; n < 3; n++) cmbt_near(cmbt_row(&image, i, vectors[k][n]), y[n], 2e-8);
    }
    cmbt_near(cmbt_row(&image, i, "seen"), cmbt_row(&original, i, "seen"), 2e-8);
    cmbt_near(cmbt_row(&image, i, "twist"), cmbt_row(&original, i, "twist"), 2e-8);
  }
  cmbt_run_close(&original);
  cmbt_run_close(&image);
}

static void random_templates(void **state)
{
  (void)state;
  const int count = cmbt_count("CAMBER_MIRRORS", 12);
  for (int i = 0; i < count; i++) {
    struct cmbt_random r = {(uint64_t)i};
    char template[TEXT_ROOM];
    const bool turned = i % 2 == 1, has_road = i % 3 < 2 && i % 4 != 3;
    const struct image m = random_image(&r, turned ? i % 4 : i % 3, turned, has_road);
    write_template(&r, has_road && m.plane != 2, template);
    check_image(template, &m, i % 5 == 3 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_templates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
