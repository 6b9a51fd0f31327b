/*
 * Shows that equations in which a live parameter is an input, set to a value, agree with those into which the value was folded:
 *
 *   - every bundled model, every parameter that can stay live, all formulations, with another value than the file's;
 *   - models with what the bundled ones lack: axes, mirrored and repeated instances, solids, gears, stops that depend on parameters;
 *   - random mechanisms of all joints and forces in which many numbers are parameters;
 *   - the accelerations of a chain so long that its mass matrix is given by factors;
 *   - ∂r/∂p and ∂g/∂p against differences;
 *   - events of switching functions that have no effect with the values of the parameters.
 *
 * M, f, G, γ, g_t and the residual agree to 1e-13 of their largest entry, g to 1e-13 m or rad, start values to 1e-12.
 */
#include "check.h"
#include "model_run.h"
#include "random.h"
#include "random_mechanism.h"

#include "dae/evaluator.h"
#include "math/pattern.h"
#include "model/model.h"

#include <stdio.h>
#include <string.h>

static const double SAME = 1e-13, SAME_START = 1e-12, DIFFERENCED = 2e-6;

enum { KINDS = 7 };
static const char *const kind_names[KINDS] = {"M", "f", "g", "G", "gamma", "g_t", "r"};

/* The terms of the equations at a point, with dense matrices. */
struct values {
  int size[KINDS];
  double *x[KINDS];
};

static void expand(int rows, int columns, const cmb_pattern *pattern, bool diagonal,
                   const double *from, double *to)
{
  memset(to, 0, (size_t)rows * (size_t)columns * sizeof *to);
  for (int i = 0; i < rows; i++) {
    if (diagonal) to[(size_t)i * (size_t)columns + (size_t)i] = from[i];
    for (int k = pattern ? pattern->start[i] : 0; pattern && k < pattern->start[i + 1]; k++) {
      to[(size_t)i * (size_t)columns + (size_t)pattern->column[k]] = from[k];
    }
  }
  if (!pattern && !diagonal) memcpy(to, from, (size_t)rows * (size_t)columns * sizeof *to);
}

/* Computes r = M a − f + Gᵀ λ for some a and λ. */
static void add_residual(int nv, int ng, struct values *v)
{
  double *const *x = v->x, *r = v->x[6];
  for (int i = 0; i < nv; i++) {
    r[i] = -x[1][i];
    for (int k = 0; k < nv; k++) r[i] += x[0][i * nv + k] * cos(1.0 + k);
    for (int k = 0; k < ng; k++) r[i] += x[3][k * nv + i] * sin(2.0 + k);
  }
}

static struct values evaluate(cmb_evaluator *ev, const double *p, double t, const double *q,
                              const double *v)
{
  const cmb_equations *eq = ev->eq;
  const int nv = eq->nv, ng = eq->ng, size[KINDS] = {nv * nv, nv, ng, ng * nv, ng, ng, nv};
  struct values out;
  for (int k = 0; k < KINDS; k++) {
    out.size[k] = size[k];
    out.x[k] = calloc((size_t)size[k] + 1, sizeof(double));
    assert_non_null(out.x[k]);
  }
  double *M = calloc((size_t)nv * (size_t)nv + 1, sizeof *M);
  double *G = calloc((size_t)ng * (size_t)nv + 1, sizeof *G);
  assert_true(M && G);
  ev->p = p;
  const cmb_terms want = {M, out.x[1], out.x[2], G, out.x[4], out.x[5]};
  cmbt_ok(ev->ctx, cmb_evaluate(ev, t, q, v, &want));
  expand(nv, nv, eq->M_pattern, eq->mass_diagonal, M, out.x[0]);
  expand(ng, nv, eq->G_pattern, false, G, out.x[3]);
  add_residual(nv, ng, &out);
  free(M);
  free(G);
  return out;
}

static void release(struct values *v)
{
  for (int k = 0; k < KINDS; k++) free(v->x[k]);
}

static double largest(int n, const double *x)
{
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

/* Returns the largest difference of two evaluations, relative to the largest entry of its term. */
static double difference(const struct values *a, const struct values *b, const char *where)
{
  double worst = 0;
  for (int k = 0; k < KINDS; k++) {
    const double least = k == 2 ? 1 : 1e-3; /* g is a difference of lengths of about 1 m */
    const double scale = fmax(largest(b->size[k], b->x[k]), least);
    for (int i = 0; i < b->size[k]; i++) {
      const double off = fabs(a->x[k][i] - b->x[k][i]) / scale;
      if (!(off <= SAME)) {
        fail_msg("%s: %s[%d] is %.17g live and %.17g folded, off by %.3g", where, kind_names[k], i,
                 a->x[k][i], b->x[k][i], off);
      }
      worst = fmax(worst, off);
    }
  }
  return worst;
}

/* Computes a state near the start with random velocities, the same for both systems. */
static void take_state(const cmb_system *s, double *q, double *v)
{
  const cmb_equations *eq = cmb_system_equations(s);
  struct cmbt_random r = {7};
  memcpy(q, cmb_system_q(s), (size_t)eq->nq * sizeof *q);
  for (int i = 0; i < eq->nq; i++) q[i] += cmbt_random_uniform(&r, -0.004, 0.004);
  for (int i = 0; i < eq->nv; i++) v[i] = cmbt_random_uniform(&r, -1, 1);
  if (eq->normalize) eq->normalize(eq->self, q);
}

enum { MOST = 400, T_TENTHS = 3 };

/* Finds the modes of the point. */
static void find_modes(cmb_evaluator *ev, const double *p, double t, const double *q,
                       const double *v)
{
  const cmb_equations *eq = ev->eq;
  double s[MOST];
  assert_true(eq->ns <= MOST);
  ev->p = p;
  const double *lambda = ev->zero;
  for (int again = 0; again < 3; again++) {
    if (eq->levels) cmbt_ok(ev->ctx, cmb_levels(ev, t, q, v, lambda, ev->mode));
    if (eq->switches) cmbt_ok(ev->ctx, cmb_switches(ev, t, q, v, lambda, s));
    for (int i = 0; i < eq->ns; i++) {
      if (!eq->switch_is_level || !eq->switch_is_level[i]) ev->mode[i] = s[i] > 0 ? 1 : -1;
    }
  }
}

static bool are_equal(const struct values *a, const struct values *b)
{
  for (int k = 0; k < KINDS; k++) {
    if (memcmp(a->x[k], b->x[k], (size_t)a->size[k] * sizeof(double)) != 0) return false;
  }
  return true;
}

/* Checks start values for p against those with p folded in. */
static void compare_starts(cmb_context *ctx, const cmb_system *live, const double *p,
                           const cmb_system *folded, const char *where)
{
  const cmb_equations *eq = cmb_system_equations(live);
  double x[2 * MOST], *q = x, *v = x + eq->nq;
  cmbt_ok(ctx, cmb_system_start(ctx, live, p, q, v));
  for (int i = 0; i < eq->nq + eq->nv; i++) {
    const double expected = i < eq->nq ? cmb_system_q(folded)[i] : cmb_system_v(folded)[i - eq->nq];
    if (fabs(x[i] - expected) <= SAME_START * fmax(1, fabs(expected))) continue;
    fail_msg("%s: start value %d is %.17g live and %.17g folded", where, i, x[i], expected);
  }
}

/* Compares the live system with the parameters p with the folded one; *has_effect: whether p changes any value. */
static double compare(cmb_context *ctx, const cmb_system *live, const double *p,
                      const cmb_system *folded, const char *where, bool *has_effect)
{
  const cmb_equations *a = cmb_system_equations(live), *b = cmb_system_equations(folded);
  if (a->nq != b->nq || a->nv != b->nv || a->ng != b->ng) fail_msg("%s: other sizes", where);
  cmb_evaluator *with, *without;
  double q[MOST], v[MOST];
  const double t = T_TENTHS * 0.1;
  assert_true(a->nq <= MOST && a->nv <= MOST);
  take_state(folded, q, v);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, a, &with));
  cmbt_ok(ctx, cmb_evaluator_create(ctx, b, &without));
  find_modes(with, p, t, q, v);
  find_modes(without, NULL, t, q, v);
  struct values x = evaluate(with, p, t, q, v), y = evaluate(without, NULL, t, q, v);
  struct values nominal = evaluate(with, NULL, t, q, v);
  const double worst = difference(&x, &y, where);
  *has_effect = !are_equal(&x, &nominal);
  release(&nominal);
  release(&x);
  release(&y);
  cmb_evaluator_destroy(with);
  cmb_evaluator_destroy(without);
  return worst;
}

/* ---- derivatives with respect to p */

/* Computes r or g with parameter k changed by `by`. */
static void moved(cmb_evaluator *ev, const double *p, int k, double by, bool residual,
                  const double *q, const double *v, double *out)
{
  const cmb_equations *eq = ev->eq;
  double changed[MOST];
  memcpy(changed, p, (size_t)eq->np * sizeof *p);
  changed[k] += by;
  struct values x = evaluate(ev, changed, T_TENTHS * 0.1, q, v);
  memcpy(out, x.x[residual ? 6 : 2], (size_t)(residual ? eq->nv : eq->ng) * sizeof *out);
  release(&x);
}

/* Checks all columns of ∂r/∂p or ∂g/∂p against differences of fourth order. */
static void check_derivative(cmb_evaluator *ev, const double *p, bool residual, const double *q,
                             const double *v, const char *where)
{
  const cmb_equations *eq = ev->eq;
  const cmb_derivative which = residual ? CMB_RESIDUAL_P : CMB_POSITION_P;
  const int rows = residual ? eq->nv : eq->ng, np = eq->np;
  double a[MOST], lambda[MOST], *raw = calloc((size_t)rows * (size_t)np + 1, sizeof *raw);
  double *J = calloc((size_t)rows * (size_t)np + 1, sizeof *J), d[4][MOST];
  assert_true(raw && J);
  for (int i = 0; i < eq->nv; i++) a[i] = cos(1.0 + i);
  for (int i = 0; i < eq->ng; i++) lambda[i] = sin(2.0 + i);
  ev->p = p;
  cmb_point at = cmb_evaluator_point(ev, T_TENTHS * 0.1, q, v);
  cmbt_ok(ev->ctx, eq->derivative(eq->self, &at, a, lambda, which, raw));
  expand(rows, np, eq->derivative_pattern[which], false, raw, J);
  for (int k = 0; k < np && rows > 0; k++) {
    const double h = 1e-3 * fmax(fabs(p[k]), 1e-2);
    for (int n = 0; n < 4; n++) moved(ev, p, k, (n < 2 ? -2 + n : n - 1) * h, residual, q, v, d[n]);
    double scale = 1e-5;
    for (int i = 0; i < rows; i++) scale = fmax(scale, fabs(J[i * np + k]));
    scale = fmax(scale, 1e-9 * largest(rows, d[0]) / h);
    for (int i = 0; i < rows; i++) {
      const double expected = (d[0][i] - 8 * d[1][i] + 8 * d[2][i] - d[3][i]) / (12 * h);
      if (!(fabs(J[i * np + k] - expected) <= DIFFERENCED * scale)) {
        fail_msg("%s: d%s[%d]/d(%s) is %.12g, by differences %.12g", where, residual ? "r" : "g", i,
                 eq->p_names[k], J[i * np + k], expected);
      }
    }
  }
  free(raw);
  free(J);
}

static void check_derivatives(cmb_context *ctx, const cmb_system *live, const char *where)
{
  const cmb_equations *eq = cmb_system_equations(live);
  cmb_evaluator *ev;
  double q[MOST], v[MOST];
  take_state(live, q, v);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  find_modes(ev, eq->p, T_TENTHS * 0.1, q, v);
  check_derivative(ev, eq->p, true, q, v, where);
  if (eq->ng > 0) check_derivative(ev, eq->p, false, q, v, where);
  cmb_evaluator_destroy(ev);
}

/* ---- models in files and texts */

/* A model: a file (text NULL) or a text. */
struct source {
  const char *path, *text;
};

static void read_model(cmb_context *ctx, const struct source *s, const cmb_model_options *o,
                       cmb_model **model)
{
  if (s->text) {
    cmbt_ok(ctx, cmb_model_parse(ctx, s->text, strlen(s->text), s->path, o, model));
  } else {
    cmbt_ok(ctx, cmb_model_read(ctx, s->path, o, model));
  }
}

struct counts {
  int parameters, models;
  int effective; /* parameters that change the equations at this point */
  double worst;
};

/* Compares parameter k with another value: live and set, or folded. */
static void try_parameter(cmb_context *ctx, const struct source *s, const cmb_system *live, int k,
                          cmb_formulation formulation, struct counts *counts)
{
  const cmb_equations *eq = cmb_system_equations(live);
  double p[MOST];
  char where[300];
  memcpy(p, eq->p, (size_t)eq->np * sizeof *p);
  p[k] = p[k] == 0 ? 0.03 : 1.07 * p[k];
  const cmb_model_options set = {.set_count = 1, .set_names = &eq->p_names[k], .set_values = &p[k]};
  const cmb_model_system_options o = {.formulation = formulation,
                                      .evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_model *model;
  cmb_system *folded;
  read_model(ctx, s, &set, &model);
  cmbt_ok(ctx, cmb_model_system(ctx, model, &o, &folded));
  snprintf(where, sizeof where, "%s, formulation %d, %s", s->path, (int)formulation,
           eq->p_names[k]);
  bool has_effect;
  counts->worst = fmax(counts->worst, compare(ctx, live, p, folded, where, &has_effect));
  if (k % 3 == (int)formulation || getenv("CAMBER_CAMPAIGN")) {
    compare_starts(ctx, live, p, folded, where);
  }
  counts->effective += has_effect;
  counts->parameters++;
  cmb_system_destroy(folded);
  cmb_model_destroy(model);
}

/* Returns whether a parameter is tried: of a large model each one in one formulation only, since reading the model takes long. */
static bool is_tried(const cmb_system *live, int k, int formulation)
{
  const int large = 50;
  return cmb_system_equations(live)->nv < large || k % 3 == formulation ||
         getenv("CAMBER_CAMPAIGN");
}

static void try_source(cmb_context *ctx, const struct source *s, struct counts *counts)
{
  const cmb_model_options all = {.live_all = true};
  cmb_model *model;
  read_model(ctx, s, &all, &model);
  for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f++) {
    const cmb_model_system_options o = {.formulation = (cmb_formulation)f,
                                        .evaluation = CMB_EVALUATE_INTERPRETER,
                                        .derivatives = true};
    cmb_system *live;
    cmbt_ok(ctx, cmb_model_system(ctx, model, &o, &live));
    const int np = cmb_system_equations(live)->np;
    for (int k = 0; k < np - cmb_system_equations(live)->nh; k++) {
      if (is_tried(live, k, f)) try_parameter(ctx, s, live, k, (cmb_formulation)f, counts);
    }
    if (np > 0) check_derivatives(ctx, live, s->path);
    cmb_system_destroy(live);
  }
  counts->models++;
  cmb_model_destroy(model);
}

static void test_bundled(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM], path[8000];
  struct counts counts = {0};
  const int models = cmbt_model_names(names);
  for (int i = 0; i < models; i++) {
    if (cmbt_has_trailer(names[i])) continue;
    snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("SOURCE_DIR"), names[i]);
    const struct source s = {path, NULL};
    try_source(ctx, &s, &counts);
  }
  print_message(
      "%d models, %d live parameters in all formulations, %d with an effect, worst %.2g\n",
      counts.models, counts.parameters, counts.effective, counts.worst);
  assert_true(counts.parameters > 3 * models && counts.effective > counts.parameters / 2);
  cmb_context_destroy(ctx);
}

static const char *const texts[] = {
    /* geometry: the axes of joints, markers, points between points, a rod between moving ends */
    "parameters: {a: 0.2, b: 0.7, m: 2, l: 0.5, tilt: 20 deg, r: 0.03, half: b/2}\n"
    "points: {P: [0, a, 0], Q: [b, a + 0.1, l], R: {between: [P, Q], ratio: half}}\n"
    "bodies:\n"
    "  first: {mass: m, rod: [P, Q], radius: r}\n"
    "  second: {mass: m/2, com: [b + l, a, l], inertia: [0.1, r + 0.2, 0.3, 0.01, m/100, 0],"
    " axes: {x: [1, a, 0], z: [0, 0, 1]}}\n"
    "  third: {mass: 1, box: [l, a, 0.1], at: [b + l, a, 2*l]}\n"
    "joints:\n"
    "  one: {type: revolute, child: first, at: P, axis: [0, sin(tilt), cos(tilt)], start: 0.1}\n"
    "  two: {type: universal, parent: first, child: second, at: Q,"
    " axes: [[cos(tilt), 0, sin(tilt)], y], stiffness: 5*m}\n"
    "  three: {type: planar, parent: second, child: third, at: [b + l, a, l], normal: [a, 0, 1]}\n"
    "loops: {rope: {type: distance, between: [third@R, {body: ground, at: [2*l, 0, 0]}]}}\n"
    "forces:\n"
    "  s: {type: spring, between: [ground@P, {body: third, at: [b + l, a, 2*l]}], stiffness: 100*m,"
    " damping: r}\n"
    "  p: {type: bushing, bodies: [ground, second], at: Q, stiffness: [m, 2*m, 3],"
    " rotational-stiffness: l, axes: {x: [1, 0, a], y: y}}\n"
    "outputs: {height: third.z}\n"
    "gravity: [0, a, -9.81]\n",
    /* mirrored and repeated instances, gears, spheres, a stop */
    "parameters: {k: 500, w: 0.4, n: 3, m: 1.5, ratio: 2}\n"
    "templates:\n"
    "  arm:\n"
    "    parameters: {length: w, mass: 0.3}\n"
    "    bodies: {bar: {mass: mass, rod: [[0, 0.2, 0], [0, 0.2 + length, 0.1]], radius: w/20}}\n"
    "    joints: {hinge: {type: revolute, child: bar, at: [0, 0.2, 0], axis: [1, w, 0]}}\n"
    "    forces: {s: {type: spring, between: [{body: bar, at: [0, 0.2 + length, 0.1]}, {body: "
    "ground, at: [0, 0, 1]}],"
    " stiffness: k}}\n"
    "  link:\n"
    "    bodies: {ball: {mass: m*index, sphere: [0, 0, 0], radius: w/4}}\n"
    "    joints: {slide: {type: prismatic, parent: previous.ball, child: ball, axis: [0, 0, 1]}}\n"
    "instances:\n"
    "  left: {template: arm, offset: [w, 0, 0]}\n"
    "  right: {template: arm, mirror: y, offset: [0, 0, k/1000], parameters: {mass: m/4}}\n"
    "  chain: {template: link, repeat: n, step: [0, 0, w], offset: [2, 0, 0]}\n"
    "loops:\n"
    "  gear: {type: gear, coordinates: [left.hinge, right.hinge], ratio: ratio, offset: w/10}\n"
    "  bottom: {type: stop, formula: chain1.ball.z + 5*w, restitution: 0.5}\n"
    "inputs: {u: k*sin(ratio*t)}\n"
    "motions: {drive: {coordinate: chain3.slide, value: u/1000}}\n"
    "outputs: {energy: energy}\n",
    /* Euler parameters, contacts, tables of scaled arguments */
    "parameters: {c: 0.3, k: 1e4, mu: 0.4, e: 1.5, s: 2}\n"
    "tables: {road: {kind: spline, points: [[0, 0], [1, 0.1], [2, 0], [3, 0.2]]}}\n"
    "bodies:\n"
    "  cart: {mass: 3, box: [1, c, 0.2], at: [0, 0, c]}\n"
    "  top: {mass: 1, cylinder: [[0, 0, c], [0, 0, 2*c]], radius: c/3}\n"
    "joints:\n"
    "  free: {type: free, child: cart, start: [0, 0, c/10]}\n"
    "  ball: {type: spherical, parent: cart, child: top, at: [0, c/2, c], orientation: euler}\n"
    "forces:\n"
    "  wheel: {type: contact, on: {body: cart, at: [0.5, 0, 0]}, radius: c, surface: z - "
    "s*road(x/s),"
    " stiffness: k, damping: k/100, exponent: e, friction: mu}\n"
    "  push: {type: load, on: {body: top, at: [0, 0, 2*c]}, force: [k/100, c*t, 0], frame: "
    "body}\n",
    /* tables of all kinds whose scales are parameters: of forces, inputs, formulas, two arguments */
    "parameters: {s: 2, xs: 1.5, ys: 0.8, h: 0.1, tau: 0.9}\n"
    "tables:\n"
    "  bump: {points: [[-1, -3], [-0.1, -0.2], [0.1, 0.3], [1, 4]], scale: s, x-scale: xs}\n"
    "  map: {x: [-1, 0, 1], y: [-1, 0.2, 2], values: [[1, 2, 0], [2, 1, 3], [0, 4, 1]], scale: "
    "s*h, x-scale: xs, y-scale: ys}\n"
    "inputs: {road: {kind: spline, table: [[0, 0], [0.5, 0.2], [1, -0.1], [2, 0]], scale: h, "
    "x-scale: tau}}\n"
    "bodies:\n"
    "  one: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
    "  two: {mass: 2, sphere: [1, 0, 0], radius: 0.1}\n"
    "joints:\n"
    "  x: {type: prismatic, child: one, axis: x, start: h}\n"
    "  y: {type: prismatic, child: two, axis: x}\n"
    "forces:\n"
    "  coupling: {type: spring, between: [{body: one, at: [0, 0, 0]}, {body: two, at: [1, 0, 0]}], "
    "spring: {kind: akima, points: [[-1, -3], [-0.1, -0.2], [0.1, 0.3], [1, 4]], scale: 10*s, "
    "x-scale: xs}, damper: bump}\n"
    "  push: {type: load, on: {body: two, at: [1, 0, 0]}, force: ['map(x, t) + road', 0, 0]}\n"};

static void test_texts(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct counts counts = {0};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char name[40];
    snprintf(name, sizeof name, "text%zu.yaml", i);
    const struct source s = {name, texts[i]};
    try_source(ctx, &s, &counts);
  }
  print_message("%d models, %d live parameters, %d with an effect, worst %.2g\n", counts.models,
                counts.parameters, counts.effective, counts.worst);
  assert_int_equal(counts.effective, counts.parameters);
  cmb_context_destroy(ctx);
}

/* ---- numbers of a random mechanism */

/* Makes the number a parameter of the model. */
static void make_live(cmb_model *m, cmb_number *x)
{
  char name[40];
  snprintf(name, sizeof name, "parameter p%d", m->parameter_count);
  assert_true(m->parameter_count < MOST);
  x->live = cmb_input(m->graph, name);
  const char *copy = cmb_arena_text(m->arena, name + 10);
  assert_non_null(copy);
  m->parameters[m->parameter_count++] =
      (cmb_model_parameter){.name = copy, .number = *x, .live = true};
}

static void make_all_live(cmb_model *m, int count, cmb_number *x)
{
  for (int i = 0; i < count; i++) make_live(m, &x[i]);
}

/* Makes the components of a unit vector parameters; the axis is normalised again when they change. */
static void make_axis_live(cmb_model *m, cmb_number axis[3])
{
  double unit[3];
  cmb_values_of(3, axis, unit);
  if (!(largest(3, unit) > 0)) return;
  make_all_live(m, 3, axis);
  const cmb_number length = cmb_number_norm3(m->graph, axis);
  for (int i = 0; i < 3; i++)
    axis[i] = (cmb_number){unit[i], cmb_over(m->graph, axis[i], length).live};
}

/* Makes a start value a live parameter with another value; its old value goes to p. (Random loops leave room for few given start values; with more
 * of them the result depends on rounding.) */
static void make_start_live(cmb_model *m, cmb_number *x, double *p)
{
  p[m->parameter_count] = x->value;
  x->value += 0.05;
  make_live(m, x);
}

/* Makes some numbers of all kinds live; inertias stay symmetric. p gets the values of the numbers. */
static void make_model_live(cmb_context *ctx, struct cmbt_random *r, cmb_model *m, double *p)
{
  for (int i = 0; i < MOST; i++) p[i] = NAN;
  m->parameters = cmb_arena_take(m->arena, MOST, sizeof *m->parameters);
  assert_non_null(m->parameters);
  m->parameter_count = 0;
  cmbt_ok(ctx, cmb_graph_create(ctx, &m->graph));
  for (int i = 0; i < m->body_count && m->parameter_count < MOST / 2; i++) {
    cmb_model_body *b = &m->bodies[i];
    if (cmb_is_zero(b->mass) || cmbt_random_int(r, 0, 1)) continue;
    make_live(m, &b->mass);
    make_all_live(m, 3, b->com);
    for (int k = 0; k < 9; k++) {
      if (k % 3 >= k / 3) make_live(m, &b->inertia[k]);
    }
    for (int k = 0; k < 9; k++)
      b->inertia[k] = b->inertia[k % 3 >= k / 3 ? k : 3 * (k % 3) + k / 3];
  }
  for (int i = 0; i < m->joint_count && m->parameter_count < 3 * MOST / 4; i++) {
    if (cmbt_random_int(r, 0, 1)) make_all_live(m, 3, m->joints[i].at);
    const int starts = m->loop_count > 0 ? 0 : m->joints[i].nq;
    for (int k = 0; k < starts && !m->joints[i].euler; k++) {
      make_start_live(m, &m->joints[i].q_start[k], p);
    }
    const bool axes = cmbt_random_int(r, 0, 1);
    for (int k = 0; axes && k < 3; k++) make_axis_live(m, m->joints[i].axes[k]);
  }
  for (int i = 0; i < m->force_count && m->parameter_count < MOST - 20; i++) {
    make_live(m, &m->forces[i].stiffness);
    make_live(m, &m->forces[i].damping);
    make_all_live(m, 3, m->forces[i].b.at);
  }
  for (int i = 0; i < m->parameter_count; i++) {
    if (isnan(p[i])) p[i] = m->parameters[i].number.value;
  }
}

static void test_random(void **state)
{
  (void)state;
  const int count = cmbt_count("CAMBER_LIVE", 40);
  double worst = 0;
  long parameters = 0;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int seed = 1; seed <= count; seed++) {
    struct cmbt_random r = {(uint64_t)seed};
    const struct cmbt_mechanism_wishes kind = {
        .most_bodies = 6, .most_loops = 2, .drives = seed % 2 == 0};
    cmb_model *folded = cmbt_random_mechanism(ctx, (uint64_t)seed, &kind);
    cmb_model *live = cmbt_random_mechanism(ctx, (uint64_t)seed, &kind);
    double p[MOST];
    make_model_live(ctx, &r, live, p);
    for (int f = CMB_FORM_EXPLICIT; f <= CMB_FORM_CARTESIAN; f += 2) {
      const cmb_model_system_options o = {.formulation = (cmb_formulation)f,
                                          .evaluation = CMB_EVALUATE_INTERPRETER,
                                          .derivatives = seed <= 8};
      char where[60];
      cmb_system *a, *b;
      snprintf(where, sizeof where, "random mechanism %d, formulation %d", seed, f);
      cmbt_ok(ctx, cmb_model_system(ctx, live, &o, &a));
      cmbt_ok(ctx, cmb_model_system(ctx, folded, &o, &b));
      bool has_effect;
      worst = fmax(worst, compare(ctx, a, p, b, where, &has_effect));
      if (live->loop_count == 0) compare_starts(ctx, a, p, b, where);
      if (o.derivatives) check_derivatives(ctx, a, where);
      cmb_system_destroy(a);
      cmb_system_destroy(b);
    }
    parameters += live->parameter_count;
    cmb_model_destroy(folded);
    cmb_model_destroy(live);
  }
  print_message("%d random mechanisms with %ld live numbers, worst %.2g\n", count, parameters,
                worst);
  cmb_context_destroy(ctx);
}

/* ---- a long chain */

/* Computes the accelerations of the bundled chain of 150, with all parameters live, or folded with other masses and lengths. */
static void accelerate_chain(cmb_context *ctx, const char *path, bool live, int n, double a[])
{
  static const char *const names[] = {"N", "m", "l"};
  const double values[] = {150, 1.3, 0.21};
  const cmb_model_options all = {
      .live_all = true, .set_count = 1, .set_names = names, .set_values = values};
  const cmb_model_options set = {.set_count = 3, .set_names = names, .set_values = values};
  const cmb_model_system_options o = {.evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_model *model;
  cmb_system *system;
  cmb_evaluator *ev;
  double p[MOST], q[MOST], v[MOST], lambda[MOST];
  cmbt_ok(ctx, cmb_model_read(ctx, path, live ? &all : &set, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &o, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  assert_true(eq->nv == n && eq->mass_factors && eq->nq <= MOST);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &ev));
  for (int i = 0; i < eq->np; i++) {
    p[i] = eq->p[i];
    for (int k = 1; k < 3; k++) p[i] = strcmp(eq->p_names[i], names[k]) == 0 ? values[k] : p[i];
  }
  for (int i = 0; i < n; i++) q[i] = 0.3 * sin(i), v[i] = cos(2.0 * i);
  ev->p = live ? p : NULL;
  cmbt_ok(ctx, cmb_factor_and_accelerate(ev, 0.1, q, v, a, lambda));
  cmb_evaluator_destroy(ev);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
}

static void test_long(void **state)
{
  (void)state;
  enum { N = 152 }; /* 150 and the two coordinates of the suspension */
  cmb_context *ctx = cmb_context_create(NULL);
  double a[MOST], b[MOST];
  char path[8000];
  snprintf(path, sizeof path, "%s/models/chain.yaml", getenv("SOURCE_DIR"));
  accelerate_chain(ctx, path, true, N, a);
  accelerate_chain(ctx, path, false, N, b);
  for (int i = 0; i < N; i++) cmbt_near(a[i], b[i], 1e-10 * largest(N, b));
  cmb_context_destroy(ctx);
}

/* ---- events */

static cmb_status count_event(void *user, const cmb_event *event)
{
  int *count = user;
  (void)event;
  ++*count;
  return CMB_OK;
}

/* Runs a ball on a road that has a step at t = 0.2 if stair > 0, under a load that has a kink at t = 0.5 unless gain = 0 and a sign of the
 * velocity, which changes at t = 0.6, unless drag = 0. The parameters have the values `file` in the model, where they are live or not, and
 * are set to the values `set` at the time `at`. Returns the number of events. */
static int count_events(cmb_formulation formulation, bool live, double file, double set, double at)
{
  char text[1000];
  snprintf(
      text, sizeof text,
      "parameters: {stair: %g, gain: %g, drag: %g}\n"
      "gravity: [0, 0, 0]\n"
      "bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
      "joints: {slide: {type: prismatic, child: ball, axis: z, coordinates: [z], rate: -0.6}}\n"
      "inputs: {road: 'if(stair > 0, if(t > 0.2, 0.5, 0), 0.1*t)'}\n"
      "forces: {pull: {type: load, on: {body: ball, at: [0, 0, 0]}, force: [0, 0, '1 + 1e-3*road + "
      "1e-3*gain*min(2*t, 1) "
      "- "
      "1e-3*drag*sign(vel)']}}\n"
      "measures: {vel: \"z'\"}\n",
      file, file, file);
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  cmb_simulation *sim = NULL;
  int count = 0;
  const cmb_model_options o = {.live_all = live};
  const cmb_model_system_options options = {.formulation = formulation};
  cmb_run_options run = cmb_run_defaults();
  run.t_end = 1;
  run.observer = (cmb_observer){.user = &count, .event = count_event};
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "x.yaml", &o, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &options, &system));
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &run, &sim));
  cmbt_ok(ctx, cmb_simulation_advance(sim, at));
  const cmb_setting settings[] = {{"stair", set}, {"gain", set}, {"drag", set}};
  if (live) cmbt_ok(ctx, cmb_simulation_set(sim, 3, settings));
  cmbt_ok(ctx, cmb_simulation_advance(sim, 1));
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return count;
}

/* Checks that a live parameter with the value 0 leaves as few events as a constant 0, and that all are found once it has another value;
 * the change of `stair` during the run is an event itself. */
static void test_events(void **state)
{
  (void)state;
  static const cmb_formulation forms[] = {CMB_FORM_EXPLICIT, CMB_FORM_RESIDUAL, CMB_FORM_CARTESIAN};
  for (int k = 0; k < 3; k++) {
    assert_int_equal(count_events(forms[k], false, 0, 0, 0), 0);
    assert_int_equal(count_events(forms[k], true, 0, 0, 0), 0);
    assert_int_equal(count_events(forms[k], false, 1, 1, 0), 3);
    assert_int_equal(count_events(forms[k], true, 1, 1, 0), 3);
    assert_int_equal(count_events(forms[k], true, 0, 1, 0.1), 4);
    assert_int_equal(count_events(forms[k], true, 0, 1, 0.4), 3);
  }
}

/* ---- parameters that cannot be live */

static void test_refused(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {n: 3, twice: 2*n, m: 1}\n"
      "templates: {link: {bodies: {b: {mass: m, sphere: [0, 0, index], radius: 0.1}},"
      " joints: {j: {type: prismatic, child: b, axis: z}}}}\n"
      "instances: {all: {template: link, repeat: twice}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = NULL;
  const char *const names[] = {"m", "n"}, *const wrong[] = {"mm"};
  const cmb_model_options one = {.live_count = 2, .live_names = names}, all = {.live_all = true};
  const cmb_model_options unknown = {.live_count = 1, .live_names = wrong};
  assert_int_equal(cmb_model_parse(ctx, text, strlen(text), "x.yaml", &one, &model),
                   CMB_ERROR_INPUT);
  assert_non_null(
      strstr(cmb_last_error(ctx), "the number of copies depends on the live parameter 'n'"));
  assert_int_equal(cmb_model_parse(ctx, text, strlen(text), "x.yaml", &unknown, &model),
                   CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(ctx), "no parameter 'mm' to stay live: did you mean 'm'"));
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "x.yaml", &all, &model));
  for (int i = 0; i < model->parameter_count; i++) {
    assert_int_equal(model->parameters[i].live, strcmp(model->parameters[i].name, "m") == 0);
  }
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bundled), cmocka_unit_test(test_texts),
      cmocka_unit_test(test_random),  cmocka_unit_test(test_long),
      cmocka_unit_test(test_events),  cmocka_unit_test(test_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
