/*
 * A mirrored instance of a template moves as the mirror image of the original: the same template, once as it is and once mirrored in
 * a plane, with gravity and everything around it mirrored too, has mirrored motions. Formulas of random components of motion act as
 * loads, torques, rates, constraints, surfaces and on coordinates; whatever they read, they must see it in the mirror.
 */
#include "check.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_ROOM = 8000, FORMULA_ROOM = 400 };

static const double gravity[3] = {1.5, -2, -9};

/* What has a direction, and a number that has none; b is on a free joint, c hangs on it, `outside` is not part of the template. */
static const char *const components[] = {
    "b.x",        "b.y",         "b.z",         "b.vx",        "b.vy",       "b.vz",
    "b.wx",       "b.wy",        "b.wz",        "b.x_y",       "b.y_y",      "b.y_z",
    "b.z_x",      "tip.x",       "tip.y",       "tip.z",       "tip.vy",     "tip.wx",
    "tip.x_z",    "tip.y_x",     "tip.z_y",     "free.x",      "free.y",     "free.z",
    "free.x'",    "free.y'",     "free.z'",     "free.wx",     "free.wy'",   "free.wz",
    "hang.wx",    "hang.wz'",    "drag.fy",     "drag.fx",     "pull.force", "pull.rate",
    "twist",      "twist'",      "outside.y",   "outside.x",   "outside.vy", "outside.wx",
    "outside.wz", "outside.x_y", "outside.y_y", "outside.z_y", "seen",
};

enum { COMPONENTS = sizeof components / sizeof *components };

/* A sum of products of two components, bounded. */
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

/* The template, the same in both worlds. Roads cannot be turned upside down. */
static void write_template(struct cmbt_random *r, int plane, char text[TEXT_ROOM])
{
  const char *road =
      plane < 2 ? "    roads: {hill: {type: formula, height: '0.3*sin(x + 2*y) - 3'}}\n" : "";
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
      "      rope: {type: spring, between: [{body: outside, at: [0, 0, 0]}, {body: b, at: [0.1, "
      "0.1, 0.1]}], stiffness: 5, damping: 1}\n"
      "      wall: {type: contact, on: {body: b, at: [0.1, 0.2, 0.3]}, radius: 0.1, surface: 'y + "
      "0.3 + 0.2*x', stiffness: 50, damping: 2}\n"
      "      slab: {type: contact, on: {body: c, at: [0.3, 0.5, 0.2]}, radius: 0.1, surface: '%s', "
      "stiffness: 80}\n",
      f[0], road, f[1], f[2], f[3], f[4], f[5], f[6], "0.1*tanh(free.y')", f[7],
      plane < 2 ? "z - hill(x, y)" : "z + 3 + 0.1*x");
}

/* A world: gravity, a body outside that is its own mirror image in all planes, and the instance. `plane` < 3: everything is mirrored. */
static void write_world(const char *template, int plane, char text[TEXT_ROOM])
{
  const double at[3] = {0, 0, 0}, rate[6] = {0.3, -0.2, 0.1, 0.2, 0.5, -0.4};
  double sign[3] = {1, 1, 1}, turn = plane < 3 ? -1 : 1;
  if (plane < 3) sign[plane] = -1;
  char mirror[20] = "";
  if (plane < 3) snprintf(mirror, sizeof mirror, ", mirror: %c", 'x' + plane);
  snprintf(text, TEXT_ROOM,
           "gravity: [%g, %g, %g]\n"
           "bodies: {outside: {mass: 3, com: [%g, %g, %g], inertia: [1, 1.2, 1.4]}}\n"
           "joints: {carry: {type: free, child: outside, rate: [%g, %g, %g, %g, %g, %g]}}\n"
           "instances: {i: {template: thing%s}}\n"
           "outputs: {x: i.b.x, y: i.b.y, z: i.b.z, wx: i.b.wx, wy: i.b.wy, wz: i.b.wz,\n"
           "          cx: i.tip.vx, cy: i.tip.vy, cz: i.tip.vz, ex: i.e.x, ey: i.e.y, ez: i.e.z, "
           "ox: outside.x, oy: outside.y, oz: outside.z,\n"
           "          seen: i.seen, twist: i.twist}\n%s",
           gravity[0] * sign[0], gravity[1] * sign[1], gravity[2] * sign[2], at[0], at[1], at[2],
           rate[0] * sign[0], rate[1] * sign[1], rate[2] * sign[2], rate[3] * turn * sign[0],
           rate[4] * turn * sign[1], rate[5] * turn * sign[2], mirror, template);
}

static void moves_as_the_mirror_image(const char *template, int plane, cmb_formulation formulation)
{
  static const char *const vectors[] = {"x",  "y",  "z",  "wx", "wy", "wz", "cx", "cy",
                                        "cz", "ex", "ey", "ez", "ox", "oy", "oz"};
  char text[TEXT_ROOM];
  cmbt_run original, image;
  write_world(template, 3, text);
  cmbt_run_open_text(&original, text, formulation);
  write_world(template, plane, text);
  cmbt_run_open_text(&image, text, formulation);
  original.rtol = image.rtol = 1e-8;
  cmbt_run_to(&original, 0.5, 0.1);
  cmbt_run_to(&image, 0.5, 0.1);
  assert_int_equal(original.row_count, image.row_count);
  assert_int_equal(original.event_count, image.event_count);
  assert_true(cmbt_times(&original, "i.kick", 0, 0, NULL) > 0);
  for (int i = 0; i < original.row_count; i++) {
    for (int k = 0; k < 15; k++) {
      const bool turns = vectors[k][0] == 'w';
      const double sign = (k % 3 == plane ? -1 : 1) * (turns ? -1 : 1);
      cmbt_near(cmbt_row(&image, i, vectors[k]), sign * cmbt_row(&original, i, vectors[k]), 1e-9);
    }
    cmbt_near(cmbt_row(&image, i, "seen"), cmbt_row(&original, i, "seen"), 1e-9);
    cmbt_near(cmbt_row(&image, i, "twist"), cmbt_row(&original, i, "twist"), 1e-9);
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
    write_template(&r, i % 3, template);
    moves_as_the_mirror_image(template, i % 3, i % 4 == 3 ? CMB_FORM_CARTESIAN : CMB_FORM_EXPLICIT);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_templates)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
