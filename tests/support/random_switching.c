/*
 * Writes random models with switching functions (random_switching.h). Joints have springs and dampers, so that motions stay moderate;
 * forces that depend on conditions are a few newtons, on bodies of about one kilogram.
 */
#include "random_switching.h"

#include "check.h"
#include "random_formula.h"
#include "text_writer.h"

#include <stdbool.h>
#include <stdio.h>

enum { MOST_COORDINATES = 16, NAME_ROOM = 24, FORMULA_ROOM = 8000 };

struct writer {
  struct cmbt_random r;
  struct cmbt_text to;
  int bodies, coordinates;
  char coordinate[MOST_COORDINATES][NAME_ROOM], rate[MOST_COORDINATES][NAME_ROOM];
};

static int choose(struct writer *w, int a, int b)
{
  return cmbt_random_int(&w->r, a, b);
}

static double uniform(struct writer *w, double a, double b)
{
  return cmbt_random_uniform(&w->r, a, b);
}

static const char *const tables[] = {"up", "bend", "round"};

/* Returns a random formula, valid until the next call. of_time: its arguments are t and 2 t; otherwise the time, the inputs, all
 * coordinates and rates and, with_measures, the measure `near`. */
static const char *formula(struct writer *w, bool of_time, bool with_measures)
{
  static char text[FORMULA_ROOM];
  const char *names[2 * MOST_COORDINATES + 8];
  int count = 0;
  names[count++] = "t";
  if (of_time) {
    names[count++] = "2*t";
  } else {
    names[count++] = "u0";
    names[count++] = "u1";
    if (with_measures) names[count++] = "near";
    for (int i = 0; i < w->coordinates; i++) {
      names[count++] = w->coordinate[i];
      names[count++] = w->rate[i];
    }
  }
  const struct cmbt_formula_words words = {count, 3, names, tables};
  cmbt_random_formula(&w->r, &words, choose(w, 1, 3), sizeof text, text);
  return text;
}

static void add_coordinate(struct writer *w, int joint, const char *part)
{
  if (w->coordinates == MOST_COORDINATES) return;
  const int i = w->coordinates++;
  snprintf(w->coordinate[i], NAME_ROOM, "j%d%s", joint, part);
  snprintf(w->rate[i], NAME_ROOM, "j%d%s.rate", joint, part);
}

static void put_tables(struct writer *w)
{
  static const char *const kinds[] = {"linear", "linear", "akima"};
  cmbt_put(&w->to, "tables:\n");
  for (int k = 0; k < 3; k++) {
    double x = uniform(w, -3, -1);
    const int points = choose(w, 3, 6);
    cmbt_put(&w->to, "  %s: {kind: %s, points: [", tables[k], kinds[k]);
    for (int i = 0; i < points; i++) {
      cmbt_put(&w->to, "%s[%.2f, %.2f]", i ? ", " : "", x, uniform(w, -1, 1));
      x += choose(w, 0, 2) ? 0.5 * choose(w, 1, 3) : uniform(w, 0.2, 1.5);
    }
    cmbt_put(&w->to, "]}\n");
  }
}

static void put_inputs(struct writer *w)
{
  cmbt_put(&w->to, "inputs:\n");
  for (int i = 0; i < 2; i++) cmbt_put(&w->to, "  u%d: '%s'\n", i, formula(w, true, false));
}

static void put_joint(struct writer *w, int i)
{
  static const struct {
    const char *type, *parts[3];
    int spring; /* 0: neither stiffness nor damping */
  } kinds[] = {{"revolute", {""}, 1},
               {"prismatic", {""}, 1},
               {"cylindrical", {".x", ".angle"}, 2},
               {"universal", {".a", ".b"}, 2},
               {"planar", {".x", ".y", ".angle"}, 3},
               {"spherical", {".a", ".b", ".c"}, 3},
               {"free", {".x", ".y", ".z"}, 0}};
  const int kind = choose(w, 0, 2) ? choose(w, 0, 1) : choose(w, 0, 6);
  cmbt_put(&w->to, "  j%d: {type: %s, child: b%d", i, kinds[kind].type, i);
  if (i > 0 && choose(w, 0, 3)) cmbt_put(&w->to, ", parent: b%d", choose(w, 0, i - 1));
  const double z = 0.3 * i + uniform(w, -0.1, 0.1), y = uniform(w, -0.3, 0.3),
               x = uniform(w, -0.3, 0.3);
  cmbt_put(&w->to, ", at: [%.2f, %.2f, %.2f]", x, y, z);
  if (kind < 3) cmbt_put(&w->to, ", axis: %s", (const char *[]){"x", "y", "z"}[choose(w, 0, 2)]);
  if (kind == 3) cmbt_put(&w->to, ", axes: [x, z]");
  if (kind == 4) cmbt_put(&w->to, ", normal: y");
  if (kinds[kind].spring > 0) {
    const double damping = uniform(w, 0.2, 2), stiffness = uniform(w, 5, 60);
    cmbt_put(&w->to, ", stiffness: %.1f, damping: %.2f", stiffness, damping);
  }
  if (kind < 2) {
    const double rate = uniform(w, -1, 1), start = uniform(w, -0.3, 0.3);
    cmbt_put(&w->to, ", start: %.2f, rate: %.2f", start, rate);
  }
  cmbt_put(&w->to, "}\n");
  for (int k = 0; k < 3 && kinds[kind].parts[k]; k++) add_coordinate(w, i, kinds[kind].parts[k]);
}

static void put_mechanism(struct writer *w)
{
  cmbt_put(&w->to, "bodies:\n");
  for (int i = 0; i < w->bodies; i++) {
    const double y = uniform(w, -0.3, 0.3), x = uniform(w, -0.3, 0.3), mass = uniform(w, 0.5, 2);
    cmbt_put(&w->to, "  b%d: {mass: %.2f, com: [%.2f, %.2f, %.2f], inertia: [0.03, 0.04, 0.05]}\n",
             i, mass, x, y, 0.3 * i);
  }
  cmbt_put(&w->to, "joints:\n");
  for (int i = 0; i < w->bodies; i++) put_joint(w, i);
  if (w->bodies > 2 && choose(w, 0, 2) == 0) {
    cmbt_put(&w->to,
             "loops:\n  rod: {type: distance, between: [{body: b0, at: [0.2, 0.1, 0]}, {body: b%d, "
             "at: [-0.2, 0.3, 0.9]}]}\n",
             w->bodies - 1);
  }
}

static void put_surface(struct writer *w)
{
  switch (choose(w, 0, 4)) {
  case 0: cmbt_put(&w->to, "z + 0.2"); return;
  case 1: cmbt_put(&w->to, "z + 0.3 - 0.1*bend(2*x)"); return;
  case 2: cmbt_put(&w->to, "z + 0.1*min(1, max(-1, u0))"); return;
  case 3: cmbt_put(&w->to, "z - if(x > 0.1*floor(3*t), 0.1, -0.1) + 0.2"); return;
  default: cmbt_put(&w->to, "0.6*z + 0.8*x + 0.05*abs(y) + 0.2"); return;
  }
}

/* Writes the part of a contact that follows its surface. */
static void put_contact(struct writer *w)
{
  const double friction = 0.3 * choose(w, 0, 2), damping = uniform(w, 0, 10),
               stiffness = uniform(w, 200, 3000);
  cmbt_put(&w->to, "', stiffness: %.0f, damping: %.1f, friction: %.1f}\n", stiffness, damping,
           friction);
}

static void put_force(struct writer *w, int i)
{
  const int body = choose(w, 0, w->bodies - 1);
  const char *torque;
  cmbt_put(&w->to, "  f%d: ", i);
  switch (choose(w, 0, 3)) {
  case 0:
    cmbt_put(&w->to, "{type: spring, between: [ground@origin, {body: b%d, at: [0.2, 0.4, 0.5]}], ",
             body);
    cmbt_put(&w->to, "stiffness: k, damping: c, force: '%s'}\n", formula(w, false, true));
    return;
  case 1:
    cmbt_put(&w->to, "{type: torsion, coordinate: %s, ",
             w->coordinate[choose(w, 0, w->coordinates - 1)]);
    torque = formula(w, false, true);
    cmbt_put(&w->to, "damping: 0.3, spring: %s, torque: '%s'}\n", tables[choose(w, 0, 2)], torque);
    return;
  case 2:
    cmbt_put(&w->to, "{type: load, on: {body: b%d, at: [0.1, 0, 0.2]}, force: ['%s', ", body,
             formula(w, false, true));
    cmbt_put(&w->to, "0, '0.5*(%s)']}\n", formula(w, false, true));
    return;
  default:
    cmbt_put(&w->to,
             "{type: contact, on: {body: b%d, at: [0.1, 0.1, %.1f]}, radius: 0.15, surface: '",
             body, 0.3 * body);
    put_surface(w);
    put_contact(w);
    return;
  }
}

static void put_outputs(struct writer *w)
{
  cmbt_put(&w->to,
           "outputs:\n  measured: near\n  first: u0\n  second: 'u1 + floor(3*t)'\n  E: energy\n");
  cmbt_put(&w->to, "  own: '%s'\n", formula(w, false, true));
  for (int i = 0; i < w->bodies; i++) {
    cmbt_put(&w->to, "  z%d: b%d.z\n  a%d: b%d.ax\n  r%d: j%d.fz\n", i, i, i, i, i, i);
  }
}

/* Writes three controllers, whose periods and phases are multiples of 1/256 s. */
static void put_controllers(struct writer *w)
{
  cmbt_put(&w->to, "  held: 'slow + delay(quick, 1/128)'\n");
  cmbt_put(&w->to, "controllers:\n  a:\n    period: 1/32\n    update:\n      slow: '%s'\n",
           formula(w, false, true));
  cmbt_put(&w->to, "      count: {value: 'count + if(slow > quick, 1, -1)', start: 2}\n");
  cmbt_put(&w->to, "  b:\n    period: %d/256\n    phase: %d/256\n    update:\n", choose(w, 1, 5),
           choose(w, 0, 9));
  cmbt_put(&w->to,
           "      quick: '0.5*quick + 0.1*floor(8*delay(b0.z, %s)) + 0.2*max(-1, min(1, %s))'\n",
           "0", choose(w, 0, 1) ? "b0.ax" : "near");
  cmbt_put(&w->to, "  c: {period: 1/64, update: {late: 'delay(%s, 3/64) - 0.1*count'}}\n",
           w->coordinate[0]);
}

void cmbt_random_switching(uint64_t seed, size_t room, char *text)
{
  struct writer w = {.r = {seed}, .to = {text, 0, room}};
  w.bodies = choose(&w, 1, 4);
  const double c = uniform(&w, 0.1, 2), k = uniform(&w, 10, 100);
  cmbt_put(&w.to, "parameters: {k: %.1f, c: %.2f}\npoints: {origin: [0, 0, 0]}\n", k, c);
  put_tables(&w);
  put_inputs(&w);
  put_mechanism(&w);
  cmbt_put(&w.to, "measures:\n  near: '%s'\n", formula(&w, false, false));
  cmbt_put(&w.to, "forces:\n");
  const int forces = choose(&w, 1, 3);
  for (int i = 0; i < forces; i++) put_force(&w, i);
  const bool sampled = seed % 3 == 1;
  if (sampled) {
    cmbt_put(&w.to, "  fw: {type: load, on: {body: b0, at: [0.1, 0, 0.2]}, force: [quick, "
                    "'delay(slow, 3/256)', late]}\n");
  }
  put_outputs(&w);
  if (sampled) put_controllers(&w);
}
