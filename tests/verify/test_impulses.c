/*
 * Impulses of constraints whose prescribed rates are discontinuous.
 *
 * - A cart with the prescribed position s(t), which has kinks of all kinds, and a pendulum on it; 200 random drives in the campaign. Every
 *   method in every formulation is compared with a solution by a plain Runge-Kutta method between the kinks,
 *
 *     J φ'' = m L cos φ s'' − m g L sin φ,       J Δφ' = m L cos φ Δs',      P = (M + m) Δs' − m L cos φ Δφ',
 *
 *   with P the impulse of the drive: final values and impulses within 100 tolerances, times of impulses to 1e-9 s. Real-time methods have the
 *   same impulses at the ends of steps: their errors decrease with the step size.
 * - A double pendulum whose joint locks at an angle, by a loop that becomes active, and one whose loop releases one joint and holds the
 *   other: every method against the same kind of solution. Methods that cannot start with an inactive loop return an error.
 * - Random mechanisms with kinks in driven coordinates and distances: at every impulse M (v⁺ − v⁻) + Gᵀ τ = 0, 1,000 of them in the
 *   campaign, and the impulses of drives agree in joint and Cartesian coordinates. The rows of G show here which impulses are unique: those
 *   of rows that are no linear combination of the others.
 * - A point mass, which has no moment of inertia, on a rod whose length has a kink, and on two such rods.
 * - Errors: a discontinuity of the driven position, and one of a rate with a method that does not correct velocities.
 */
#include "balance.h"
#include "check.h"
#include "dae/evaluator.h"
#include "math/dense.h"
#include "math/pattern.h"
#include "methods.h"
#include "model_run.h"
#include "random.h"
#include "random_mechanism.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_KINKS = 200, MOST_IMPULSES = 1000 };

static const double t_end = 1;

/* ---- drives */

/* At the time t, s' changes by `rate` and s'' by `second`. */
struct kink {
  double t, rate, second;
};

struct drive {
  char text[2000], table[500];
  size_t used;
  double begun, rate;      /* s and s' at the start, without the wave */
  double amplitude, omega; /* of a wave in s */
  struct kink kinks[MOST_KINKS];
  int count;
};

static void add_kink(struct drive *d, double t, double rate, double second)
{
  int i = d->count++;
  assert_in_range(i, 0, MOST_KINKS - 1);
  for (; i > 0 && d->kinks[i - 1].t > t; i--) d->kinks[i] = d->kinks[i - 1];
  d->kinks[i] = (struct kink){t, rate, second};
}

#define ADD_TEXT(d, ...)                                                                           \
  (d)->used += (size_t)snprintf((d)->text + (d)->used, sizeof(d)->text - (d)->used, __VA_ARGS__)

/* Adds one random term: its text, and its changes of s, s' and s'' between 0 and t_end. */
static void add_term(struct drive *d, struct cmbt_random *r)
{
  const double a = cmbt_random_uniform(r, 0.05, 0.95), c = cmbt_random_uniform(r, 0.3, 1.2),
               b = cmbt_random_uniform(r, -1, 1), period = cmbt_random_uniform(r, 0.2, 0.75);
  switch (cmbt_random_int(r, 0, 7)) {
  case 0:
    ADD_TEXT(d, " + if(t > %.17g, %.17g*(t - %.17g) + %.17g*(t - %.17g)^2, 0)", a, c, a, b, a);
    add_kink(d, a, c, 2 * b);
    break;
  case 1:
    ADD_TEXT(d, " - %.17g*max(0, t - %.17g)", c, a);
    add_kink(d, a, -c, 0);
    break;
  case 2:
    ADD_TEXT(d, " + %.17g*abs(t - %.17g)", c, a);
    d->begun += c * a;
    d->rate -= c;
    add_kink(d, a, 2 * c, 0);
    break;
  case 3:
    ADD_TEXT(d, " + min(%.17g*t, %.17g)", c, c * a);
    d->rate += c;
    add_kink(d, a, -c, 0);
    break;
  case 4: /* floor gives the slopes 0, c, 2 c, .. */
    ADD_TEXT(d, " - %.17g*(floor(t/%.17g)*t/%.17g - floor(t/%.17g)*(floor(t/%.17g) + 1)/2)",
             c * period, period, period, period, period);
    for (int k = 1; k * period < t_end; k++) add_kink(d, k * period, -c, 0);
    break;
  case 5: /* begins at 0 and has the slopes c, b, 0 */
    if (d->table[0]) break;
    snprintf(d->table, sizeof d->table,
             "tables:\n  way: {points: [[-1, %.17g], [%.17g, %.17g], [3, %.17g], [4, %.17g]]}\n",
             -c, a, c * a, c * a + b * (3 - a), c * a + b * (3 - a));
    ADD_TEXT(d, " + way(t)");
    d->rate += c;
    add_kink(d, a, b - c, 0);
    break;
  case 6: /* a triangle wave; where floor is discontinuous, the sign in abs is, too */
    ADD_TEXT(d, " - %.17g*abs(t/%.17g - floor(t/%.17g + 0.5))", c * period, period, period);
    d->rate -= c;
    for (int k = 1; k * period / 2 < t_end; k++)
      add_kink(d, k * period / 2, k % 2 ? 2 * c : -2 * c, 0);
    break;
  default: /* nested conditions */
    ADD_TEXT(d, " + if(t < %.17g, 0, max(%.17g*(t - %.17g), %.17g*(t - %.17g)))", a, c, a, c / 2,
             a);
    add_kink(d, a, c, 0);
  }
}

static void make_drive(struct drive *d, struct cmbt_random *r)
{
  *d = (struct drive){.amplitude = cmbt_random_uniform(r, 0, 0.3)};
  d->omega = cmbt_random_uniform(r, 1, 5);
  ADD_TEXT(d, "%.17g*sin(%.17g*t)", d->amplitude, d->omega);
  const int terms = cmbt_random_int(r, 1, 4);
  for (int i = 0; i < terms; i++) add_term(d, r);
  assert_true(d->used < sizeof d->text);
}

/* ---- the independent solution */

struct pendulum {
  double cart, mass, length, inertia; /* about the centre of mass */
  double phi, rate;
};

struct impulses {
  double t[MOST_IMPULSES], value[MOST_IMPULSES];
  int count;
};

static const double gravity = 9.81;

static double J_of(const struct pendulum *p)
{
  return p->mass * p->length * p->length + p->inertia;
}

static double acceleration(const struct pendulum *p, double phi, double s_second)
{
  return p->mass * p->length * (cos(phi) * s_second - gravity * sin(phi)) / J_of(p);
}

/* Integrates from `from` to `to` with s'' = second − A ω² sin ωt. */
static void swing(struct pendulum *p, const struct drive *d, double second, double from, double to)
{
  const int steps = 1 + (int)((to - from) / 5e-4);
  const double h = (to - from) / steps;
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  for (int n = 0; n < steps; n++) {
    double kx = 0, kv = 0, dx = 0, dv = 0;
    for (int i = 0; i < 4; i++) {
      const double t = from + h * (n + at[i]), x = p->phi + h * at[i] * kx,
                   v = p->rate + h * at[i] * kv;
      kv = acceleration(p, x, second - d->amplitude * d->omega * d->omega * sin(d->omega * t));
      kx = v;
      dx += weight[i] * kx, dv += weight[i] * kv;
    }
    p->phi += h / 6 * dx;
    p->rate += h / 6 * dv;
  }
}

static void solve(struct pendulum *p, const struct drive *d, struct impulses *out)
{
  double t = 0, second = 0;
  out->count = 0;
  for (int i = 0; i < d->count && d->kinks[i].t < t_end; i++) {
    const struct kink *k = &d->kinks[i];
    swing(p, d, second, t, k->t);
    const double coupling = p->mass * p->length * cos(p->phi),
                 change = coupling * k->rate / J_of(p);
    out->t[out->count] = k->t;
    out->value[out->count++] = (p->cart + p->mass) * k->rate - coupling * change;
    p->rate += change;
    second += k->second;
    t = k->t;
  }
  swing(p, d, second, t, t_end);
}

/* Computes x, z and their rates at t_end for the pendulum's centre of mass. */
static void final_state(const struct pendulum *p, const struct drive *d, double out[4])
{
  double s = d->amplitude * sin(d->omega * t_end),
         rate = d->amplitude * d->omega * cos(d->omega * t_end);
  rate += d->rate;
  s += d->begun + d->rate * t_end;
  for (int i = 0; i < d->count; i++) {
    const double since = t_end - d->kinks[i].t;
    if (since <= 0) continue;
    s += d->kinks[i].rate * since + d->kinks[i].second * since * since / 2;
    rate += d->kinks[i].rate + d->kinks[i].second * since;
  }
  out[0] = s - p->length * sin(p->phi);
  out[1] = -p->length * cos(p->phi);
  out[2] = rate - p->length * cos(p->phi) * p->rate;
  out[3] = p->length * sin(p->phi) * p->rate;
}

/* ---- the model */

static void write_model(const struct pendulum *p, const struct drive *d, size_t room, char *text)
{
  int n = snprintf(text, room,
                   "bodies:\n"
                   "  cart: {mass: %.17g, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
                   "  bob: {mass: %.17g, com: [0, 0, %.17g], inertia: [0.2, %.17g, 0.2]}\n"
                   "joints:\n"
                   "  slide: {type: prismatic, child: cart, at: [0, 0, 0], axis: x, coordinates: "
                   "[s], start: %.17g}\n"
                   "  pin: {type: revolute, parent: cart, child: bob, at: [0, 0, 0], axis: y, "
                   "coordinates: [phi],\n"
                   "        start: %.17g, rate: %.17g}\n"
                   "%s"
                   "motions:\n"
                   "  drive: {coordinate: s, value: '%s'}\n"
                   "outputs: {x: bob.x, z: bob.z, vx: bob.vx, vz: bob.vz}\n",
                   p->cart, p->mass, -p->length, p->inertia, d->begun, p->phi, p->rate, d->table,
                   d->text);
  assert_in_range(n, 1, room - 1);
}

static cmb_status on_impulse(void *user, const cmb_impulse *impulse)
{
  struct impulses *found = user;
  if (strcmp(impulse->name, "drive") != 0) return CMB_OK; /* of joints, in Cartesian coordinates */
  assert_in_range(found->count, 0, MOST_IMPULSES - 1);
  assert_string_equal(impulse->unit, "N s");
  assert_true(impulse->unique);
  found->t[found->count] = impulse->t;
  found->value[found->count++] = impulse->value;
  return CMB_OK;
}

/* Results of a run: final values, and the impulses of the drive. */
struct outcome {
  double end[4];
  struct impulses impulses;
};

static void run(const char *text, cmb_formulation formulation, const cmb_method *method,
                double step, struct outcome *o)
{
  static const char *const names[4] = {"x", "z", "vx", "vz"};
  cmbt_run r;
  cmbt_run_open_text(&r, text, formulation);
  cmb_run_options options = cmb_run_defaults();
  options.method = method;
  options.integrator.step = step;
  options.t_end = t_end;
  options.observer = (cmb_observer){.user = &o->impulses, .impulse = on_impulse};
  o->impulses.count = 0;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  r.result = cmb_simulation_result(r.sim);
  cmbt_ok(r.ctx, cmb_simulation_run(r.sim));
  for (int i = 0; i < 4; i++) o->end[i] = cmbt_output(&r, names[i]);
  cmbt_run_close(&r);
}

/* Returns the largest difference of two runs in final values and impulses, relative to values larger than 1. Times in a may be later by up
 * to `late`; INFINITY if they differ more. */
static double difference(const struct outcome *a, const struct outcome *b, double late)
{
  double worst = 0;
  if (a->impulses.count != b->impulses.count) return INFINITY;
  for (int i = 0; i < 4; i++)
    worst = fmax(worst, fabs(a->end[i] - b->end[i]) / fmax(1, fabs(b->end[i])));
  for (int i = 0; i < a->impulses.count; i++) {
    const double value = b->impulses.value[i], by = a->impulses.t[i] - b->impulses.t[i];
    worst = fmax(worst, fabs(a->impulses.value[i] - value) / fmax(1, fabs(value)));
    if (!(by >= -1e-9 && by <= late)) return INFINITY;
  }
  return worst;
}

struct problem {
  struct drive drive;
  struct outcome exact;
  char text[4000];
};

static void make_problem(struct problem *x, struct cmbt_random *r)
{
  struct pendulum p;
  p.cart = cmbt_random_uniform(r, 0.5, 3);
  p.mass = cmbt_random_uniform(r, 0.5, 3);
  p.length = cmbt_random_uniform(r, 0.3, 1.2);
  p.inertia = cmbt_random_uniform(r, 0.02, 0.2);
  p.phi = cmbt_random_uniform(r, -1, 1);
  p.rate = cmbt_random_uniform(r, -1, 1);
  make_drive(&x->drive, r);
  write_model(&p, &x->drive, sizeof x->text, x->text);
  solve(&p, &x->drive, &x->exact.impulses);
  final_state(&p, &x->drive, x->exact.end);
}

static void test_drives(void **state)
{
  (void)state;
  static struct problem x;
  static struct outcome o;
  struct cmbt_random r = {20};
  double worst[3] = {0};
  const int count = cmbt_count("CAMBER_DRIVES", 4);
  long impulses = 0, runs = 0;
  for (int n = 0; n < count; n++) {
    make_problem(&x, &r);
    for (int i = 0; i < cmb_method_count(); i++) {
      const cmb_method *method = cmb_method_at(i);
      for (int k = 0; k < 3 && !cmb_method_is_real_time(method); k++) {
        run(x.text, cmbt_formulation(k), method, 0, &o);
        const double off = difference(&o, &x.exact, 1e-9);
        if (!(off <= 1e-4)) {
          fail_msg("drive %d with %s, formulation %d: off by %g, %d of %d impulses\n%s", n,
                   cmb_method_name(method), k, off, o.impulses.count, x.exact.impulses.count,
                   x.text);
        }
        worst[k] = fmax(worst[k], off);
        impulses += o.impulses.count;
        runs++;
      }
    }
  }
  printf("%d drives, %ld runs, %ld impulses; largest error at rtol 1e-6: explicit %.1e, residual "
         "%.1e, "
         "Cartesian %.1e\n",
         count, runs, impulses, worst[0], worst[1], worst[2]);
}

/* Replaces the impulses of kinks in the same step by their sum. */
static void join_steps(struct impulses *x, double h)
{
  int last = -1;
  for (int i = 0; i < x->count; i++) {
    if (last >= 0 && ceil(x->t[i] / h) == ceil(x->t[last] / h)) {
      x->value[last] += x->value[i];
      x->t[last] = x->t[i];
    } else {
      x->t[++last] = x->t[i];
      x->value[last] = x->value[i];
    }
  }
  x->count = last + 1;
}

/* Returns whether a kink is in the last step; it would change velocities only in the step after that. */
static bool ends_with_kink(const struct problem *x, double h)
{
  const struct impulses *p = &x->exact.impulses;
  return p->count > 0 && p->t[p->count - 1] > t_end - h;
}

/* Checks real-time methods with steps of 1 ms and 0.25 ms: no impulse is missed, and the mean error decreases to less than half. It would be a
 * quarter, but it also depends on the places of kinks within their steps. */
static void test_real_time(void **state)
{
  (void)state;
  static struct problem x;
  static struct outcome o, exact;
  struct cmbt_random r = {21};
  const int count = 4 + cmbt_count("CAMBER_DRIVES", 8);
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *method = cmb_method_at(i);
    double sum[2] = {0};
    for (int n = 0; n < count && cmb_method_is_real_time(method); n++) {
      do make_problem(&x, &r);
      while (ends_with_kink(&x, 1e-3));
      for (int k = 0; k < 2; k++) {
        const double h = k ? 2.5e-4 : 1e-3;
        run(x.text, CMB_FORM_EXPLICIT, method, h, &o);
        exact = x.exact;
        join_steps(&exact.impulses, h);
        const double off = difference(&o, &exact, 1.001 * h);
        if (!(off <= 50 * h)) {
          fail_msg("drive %d with %s, step %g: off by %g, %d of %d impulses\n%s", n,
                   cmb_method_name(method), h, off, o.impulses.count, exact.impulses.count, x.text);
        }
        sum[k] += off;
      }
    }
    if (sum[0] == 0) continue;
    printf("%-6s mean error %.1e with steps of 1 ms, %.1e with 0.25 ms\n", cmb_method_name(method),
           sum[0] / count, sum[1] / count);
    cmbt_below(sum[1], 0.5 * sum[0]);
  }
}

/* ---- a loop that becomes active */

/* A double pendulum; x are the angles of the bodies from the vertical. */
struct pair {
  double t, x[2], v[2];
};

static const double m1 = 1.2, c1 = 0.5, I1 = 0.1, L1 = 1, m2 = 0.8, c2 = 0.4, I2 = 0.05;
static const double lock_at = 0.2, start_1 = 0.5, start_2 = 0.8;

enum { FREE, FIRST_HELD, LOCKED };

/* Computes the entries M11, M12 and M22 of the mass matrix for the angle between the two. */
static void masses(double between, double M[3])
{
  M[0] = I1 + m1 * c1 * c1 + m2 * L1 * L1;
  M[1] = m2 * L1 * c2 * cos(between);
  M[2] = I2 + m2 * c2 * c2;
}

static void pair_slope(const double x[2], const double v[2], int phase, double a[2])
{
  const double between = x[1] - x[0], s = m2 * L1 * c2 * sin(between);
  double M[3];
  masses(between, M);
  const double f1 = s * v[1] * v[1] - (m1 * c1 + m2 * L1) * gravity * sin(x[0]);
  const double f2 = -s * v[0] * v[0] - m2 * c2 * gravity * sin(x[1]);
  if (phase == LOCKED) {
    a[0] = a[1] = (f1 + f2) / (M[0] + 2 * M[1] + M[2]);
  } else if (phase == FIRST_HELD) {
    a[0] = 0, a[1] = f2 / M[2];
  } else {
    const double d = M[0] * M[2] - M[1] * M[1];
    a[0] = (M[2] * f1 - M[1] * f2) / d, a[1] = (M[0] * f2 - M[1] * f1) / d;
  }
}

static void pair_step(struct pair *p, int phase, double h)
{
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
  double kx[2] = {0}, kv[2] = {0}, dx[2] = {0}, dv[2] = {0};
  for (int i = 0; i < 4; i++) {
    double x[2], v[2];
    for (int k = 0; k < 2; k++)
      x[k] = p->x[k] + h * at[i] * kx[k], v[k] = p->v[k] + h * at[i] * kv[k];
    pair_slope(x, v, phase, kv);
    for (int k = 0; k < 2; k++)
      kx[k] = v[k], dx[k] += weight[i] * kx[k], dv[k] += weight[i] * kv[k];
  }
  for (int k = 0; k < 2; k++) p->x[k] += h / 6 * dx[k], p->v[k] += h / 6 * dv[k];
  p->t += h;
}

/* Returns the angle that remains until the joint locks. */
static double remaining_angle(const struct pair *p)
{
  return p->x[1] - p->x[0] - lock_at;
}

/* Integrates until the joint locks and then until t_end, and computes the impulse of the lock. */
static void solve_lock(struct pair *p, int phase, struct impulses *out)
{
  const double h = 2e-4;
  double M[3];
  struct pair next = *p;
  for (pair_step(&next, phase, h); remaining_angle(&next) > 0; pair_step(&next, phase, h))
    *p = next;
  double low = 0, high = h;
  for (int k = 0; k < 60; k++) {
    const double middle = (low + high) / 2;
    next = *p;
    pair_step(&next, phase, middle);
    if (remaining_angle(&next) > 0)
      low = middle;
    else
      high = middle;
  }
  *p = next;
  masses(lock_at, M);
  const double before = M[1] * p->v[0] + M[2] * p->v[1];
  const double momentum = M[0] * p->v[0] + M[1] * p->v[1] + before;
  p->v[0] = p->v[1] = momentum / (M[0] + 2 * M[1] + M[2]);
  out->t[0] = p->t;
  out->value[0] = (M[1] + M[2]) * p->v[0] - before;
  out->count = 1;
  const int steps = 1 + (int)((t_end - p->t) / h);
  const double rest = (t_end - p->t) / steps;
  for (int i = 0; i < steps; i++) pair_step(p, LOCKED, rest);
}

static cmb_status on_lock_impulse(void *user, const cmb_impulse *impulse)
{
  struct impulses *found = user;
  if (strcmp(impulse->name, "lock") != 0) return CMB_OK;
  assert_in_range(found->count, 0, MOST_IMPULSES - 1);
  found->t[found->count] = impulse->t;
  found->value[found->count++] = impulse->value;
  return CMB_OK;
}

/* Runs the model with the given loop and checks angles, rates and the impulse. Returns false if the method refuses to start. */
static bool run_lock(const char *loop, const cmb_method *method, cmb_formulation formulation,
                     const struct pair *end, const struct impulses *impulse)
{
  char text[2000];
  struct impulses found = {.count = 0};
  cmbt_run r;
  snprintf(
      text, sizeof text,
      "bodies:\n"
      "  a: {mass: %g, com: [0, 0, %g], inertia: [%g, %g, %g]}\n"
      "  b: {mass: %g, com: [0, 0, %g], inertia: [%g, %g, %g]}\n"
      "joints:\n"
      "  j: {type: revolute, child: a, at: [0, 0, 0], axis: y, coordinates: [al], start: %g}\n"
      "  k: {type: revolute, parent: a, child: b, at: [0, 0, %g], axis: y, coordinates: [be],\n"
      "      start: %.17g}\n"
      "loops: {lock: {type: formula, formula: '%s'}}\n"
      "outputs: {wa: a.wy, wb: b.wy, ax: a.x, bx: b.x}\n",
      m1, -c1, I1, I1, I1, m2, -L1 - c2, I2, I2, I2, start_1, -L1, start_2 - start_1, loop);
  cmbt_run_open_text(&r, text, formulation);
  cmb_run_options options = cmb_run_defaults();
  options.method = method;
  options.t_end = t_end;
  options.observer = (cmb_observer){.user = &found, .impulse = on_lock_impulse};
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  r.result = cmb_simulation_result(r.sim);
  const cmb_status status = cmb_simulation_run(r.sim);
  if (status == CMB_OK) {
    cmbt_near(cmbt_output(&r, "wa"), end->v[0], 1e-4);
    cmbt_near(cmbt_output(&r, "wb"), end->v[1], 1e-4);
    cmbt_near(cmbt_output(&r, "ax"), -c1 * sin(end->x[0]), 1e-4);
    cmbt_near(cmbt_output(&r, "bx"), -L1 * sin(end->x[0]) - c2 * sin(end->x[1]), 1e-4);
    assert_int_equal(found.count, 1);
    cmbt_near(found.t[0], impulse->t[0], 1e-4);
    cmbt_near(found.value[0], impulse->value[0], 1e-4);
  } else {
    assert_non_null(strstr(cmb_last_error(r.ctx), "no step possible at t = 0"));
  }
  cmbt_run_close(&r);
  return status == CMB_OK;
}

static void test_lock(void **state)
{
  (void)state;
  static const struct {
    const char *loop;
    int phase;
  } cases[] = {{"if(be > 0.2, 0, be - 0.2)", FREE},
               {"if(be > 0.2, al - 0.5, be - 0.2)", FIRST_HELD}};
  for (int n = 0; n < 2; n++) {
    struct pair end = {0, {start_1, start_2}, {0, 0}};
    struct impulses impulse;
    solve_lock(&end, cases[n].phase, &impulse);
    printf("%s: locks at t = %.6f with %.6f N m s\n", cases[n].loop, impulse.t[0],
           impulse.value[0]);
    for (int i = 0; i < cmb_method_count(); i++) {
      const cmb_method *method = cmb_method_at(i);
      const bool stiff = cmb_method_is_implicit(method) && !cmbt_is(method, "sdirk4") &&
                         !cmbt_is(method, "trap") && !cmbt_is(method, "forsdirk");
      if (cmb_method_is_real_time(method)) continue;
      for (int k = 0; k < 3; k++) {
        const bool done = run_lock(cases[n].loop, method, cmbt_formulation(k), &end, &impulse);
        if (!done) printf("%s, formulation %d: refused\n", cmb_method_name(method), k);
        assert_true(done || (n == 0 && stiff));
      }
    }
  }
}

/* ---- units of the impulses of stops: N s along lengths, N m s along angles, unknown along sums of both and multiples */

static void test_units_of_stops(void **state)
{
  (void)state;
  static const char *const gaps[][2] = {
      {"x", "N s"},      {"p", "N m s"}, {"x + y", "N s"}, {"p + r", "N m s"},
      {"y - x", "N s"},  {"x + p", ""},  {"p + x", ""},    {"x + y + p", ""},
      {"p + r + x", ""}, {"2*x", ""},    {"x + 2*y", ""},  {"x + tip.z", "N s"}};
  enum { GAPS = sizeof gaps / sizeof *gaps };
  char text[4000];
  int length =
      snprintf(text, sizeof text,
               "bodies:\n"
               "  a: {mass: 1, com: [0, 0, 0]}\n  b: {mass: 1, com: [0, 0, 0]}\n"
               "  c: {mass: 1, com: [1, 0, 0], inertia: [1, 1, 1]}\n"
               "  d: {mass: 1, com: [2, 0, 0], inertia: [1, 1, 1], markers: {tip: {at: [2, "
               "0, 0]}}}\n"
               "joints:\n"
               "  x: {type: prismatic, child: a, axis: x, start: 3}\n"
               "  y: {type: prismatic, parent: a, child: b, axis: y, start: 4}\n"
               "  p: {type: revolute, child: c, at: [0, 0, 0], axis: y, start: 1}\n"
               "  r: {type: revolute, parent: c, child: d, at: [1, 0, 0], axis: y, start: 1}\n"
               "loops:\n");
  for (int i = 0; i < GAPS; i++) {
    length += snprintf(text + length, sizeof text - (size_t)length,
                       "  s%d: {type: stop, formula: %s, restitution: 0.5}\n", i, gaps[i][0]);
  }
  for (int k = 0; k < 3; k++) {
    cmbt_run r;
    cmbt_run_open_text(&r, text, cmbt_formulation(k));
    assert_int_equal(r.eq->rule_count, GAPS);
    for (int i = 0; i < GAPS; i++) {
      const char *unit = r.eq->reset_units[r.eq->rules[i].first_reset];
      if (k == 2 && !unit[0]) continue; /* coordinates are formulas of positions */
      if (strcmp(unit, gaps[i][1]) != 0) fail_msg("%s: '%s', formulation %d", gaps[i][0], unit, k);
    }
    cmbt_run_close(&r);
  }
}

/* ---- balance of momentum */

enum { KINKS = 5, MOST_BODIES = 6, MOST_ROWS = 100 };

/* Gives the drives of a mechanism kinks at KINKS times; returns the number of drives. */
static int add_kinks(cmb_model *m, struct cmbt_random *r)
{
  int drives = 0;
  for (int i = 0; i < m->loop_count; i++) {
    cmb_model_loop *l = &m->loops[i];
    char text[1000];
    double apart = 0;
    if (!l->motion && l->type != CMB_LOOP_DISTANCE) continue;
    for (int n = 0; n < 3; n++) {
      const double d = l->b.at[n].value - l->a.at[n].value;
      apart += d * d;
    }
    int used = snprintf(text, sizeof text, "%.17g", l->motion ? 0 : sqrt(apart));
    for (int k = 0; k < KINKS; k++) {
      used += snprintf(text + used, sizeof text - (size_t)used, " + (%.17g)*max(0, t - %.17g)",
                       cmbt_random_uniform(r, -1, 1), 0.01 * (k + 1));
    }
    cmb_model_formula *f = l->motion ? &l->minus : &l->length;
    *f = (cmb_model_formula){
        .text = cmb_arena_text(m->arena, text), .place = l->place, .scope = "", .subject = "drive"};
    drives++;
  }
  return drives;
}

struct balance {
  cmb_evaluator *ev;
  const cmb_model *model;
  cmb_simulation *sim;
  double *v_before, *tau, *change; /* (nv), (ng), (nv) */
  int reported[MOST_ROWS];         /* of each constraint: 0 no impulse, 1 unique, -1 not unique */
  struct impulses drives;          /* of motions and distances */
  double worst;                    /* error of the balance, relative to the momentum that changes */
  long count;
  double start[MOST_BODIES * CMBT_OUTPUTS_PER_BODY]; /* outputs at the start of the run */
};

static cmb_status keep_start(void *user, const cmb_record *r)
{
  struct balance *b = user;
  const size_t count = (size_t)b->model->body_count * CMBT_OUTPUTS_PER_BODY;
  if (r->t == 0) memcpy(b->start, r->outputs, count * sizeof *b->start);
  return CMB_OK;
}

/* Returns the largest difference of body positions at two starts. If loops do not close with the given coordinates, each kind of coordinates
 * has its own nearest position. */
static double difference_of_starts(const struct balance *a, const struct balance *b)
{
  double most = 0;
  for (int i = 0; i < a->model->body_count; i++) {
    for (int n = 0; n < 3; n++) {
      const int k = i * CMBT_OUTPUTS_PER_BODY + n;
      most = fmax(most, fabs(a->start[k] - b->start[k]));
    }
  }
  return most;
}

static cmb_status keep_impulse(void *user, const cmb_impulse *impulse)
{
  struct balance *b = user;
  b->tau[impulse->index] += b->ev->eq->impulse_signs[impulse->index] * impulse->value;
  b->reported[impulse->index] = impulse->unique ? 1 : -1;
  b->count++;
  for (int i = 0; i < b->model->loop_count; i++) {
    const cmb_model_loop *l = &b->model->loops[i];
    if (strcmp(l->name, impulse->name) != 0 || b->drives.count == MOST_IMPULSES) continue;
    b->drives.t[b->drives.count] = impulse->unique ? impulse->t : NAN;
    b->drives.value[b->drives.count++] = impulse->value;
  }
  return CMB_OK;
}

/* Subtracts from x (n) its projections on `count` orthonormal rows and normalises it. Returns the remaining part of its norm. Two passes are
 * enough against rounding. */
static double orthogonalize(int n, int count, double rows[][MOST_ROWS], double *x)
{
  const double size = cmb_norm2(n, x);
  for (int pass = 0; pass < 2; pass++) {
    for (int k = 0; k < count; k++) cmb_add_scaled(n, -cmb_dot(n, rows[k], x), rows[k], x);
  }
  const double left = cmb_norm2(n, x);
  for (int i = 0; i < n; i++) x[i] /= left > 0 ? left : 1;
  return size > 0 ? left / size : 0;
}

/* Checks that the impulse of row i is unique if the row is no linear combination of the others. Cases that are not clear are not checked. */
static void check_unique(const cmb_evaluator *ev, const int *reported)
{
  static double rows[MOST_ROWS][MOST_ROWS];
  const cmb_equations *eq = ev->eq;
  assert_in_range(eq->ng > eq->nv ? eq->ng : eq->nv, 1, MOST_ROWS - 1);
  for (int i = 0; i < eq->ng; i++) {
    int count = 0;
    if (reported[i] == 0) continue;
    for (int k = 0; k < eq->ng; k++) {
      if (k == i) continue;
      cmb_expand_row(eq->G_pattern, eq->nv, k, ev->G, rows[count]);
      if (orthogonalize(eq->nv, count, rows, rows[count]) > 1e-9) count++;
    }
    cmb_expand_row(eq->G_pattern, eq->nv, i, ev->G, rows[count]);
    const double left = orthogonalize(eq->nv, count, rows, rows[count]);
    if (left > 1e-5) assert_int_equal(reported[i], 1);
    if (left < 1e-11) assert_int_equal(reported[i], -1);
  }
}

static cmb_status check_balance(void *user, const cmb_record *r)
{
  struct balance *b = user;
  cmb_evaluator *ev = b->ev;
  const cmb_equations *eq = ev->eq;
  if (r->side < 0) {
    memcpy(b->v_before, r->v, (size_t)eq->nv * sizeof(double));
    memset(b->tau, 0, (size_t)eq->ng * sizeof(double));
    memset(b->reported, 0, sizeof b->reported);
    return CMB_OK;
  }
  assert_int_equal(r->side, 1);
  const cmb_result *result = cmb_simulation_result(b->sim);
  for (int i = 0; i < eq->ns; i++) ev->mode[i] = result->mode[i];
  cmb_terms want = {.M = ev->M, .G = ev->G};
  CMB_TRY(cmb_evaluate(ev, r->t, r->q, NULL, &want));
  for (int i = 0; i < eq->nv; i++) {
    b->change[i] = r->v[i] - b->v_before[i];
    ev->w[i] = fabs(r->v[i]) + fabs(b->v_before[i]);
  }
  if (cmb_norm2(eq->ng, b->tau) > 0) {
    b->worst = fmax(b->worst, cmbt_imbalance(ev, b->change, ev->w, 0, NULL, NULL, b->tau));
    check_unique(ev, b->reported);
  }
  return CMB_OK;
}

/* Runs one mechanism in one formulation. Returns false if it cannot be assembled or moved in it. */
static bool run_mechanism(cmb_context *ctx, const cmb_model *model, cmb_formulation formulation,
                          struct balance *b)
{
  const cmb_model_system_options options = {.formulation = formulation,
                                            .evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_system *system;
  *b = (struct balance){.model = model};
  if (cmb_model_system(ctx, model, &options, &system) != CMB_OK) return false;
  const cmb_equations *eq = cmb_system_equations(system);
  cmbt_ok(ctx, cmb_evaluator_create(ctx, eq, &b->ev));
  b->v_before = calloc((size_t)eq->nv, sizeof(double));
  b->change = calloc((size_t)eq->nv, sizeof(double));
  b->tau = calloc((size_t)eq->ng + 1, sizeof(double));
  cmb_run_options run = cmb_run_defaults();
  run.method = cmb_method_find("mdop853");
  run.integrator.rtol = 1e-9;
  run.integrator.atol = 1e-11;
  run.t_end = 0.01 * (KINKS + 0.5);
  run.every = run.t_end;
  run.observer = (cmb_observer){
      .user = b, .record = keep_start, .side = check_balance, .impulse = keep_impulse};
  cmbt_ok(ctx, cmb_simulation_create(ctx, system, &run, &b->sim));
  const bool good = cmb_simulation_run(b->sim) == CMB_OK;
  assert_int_equal(cmb_simulation_result(b->sim)->impulses, b->count);
  cmb_simulation_destroy(b->sim);
  cmb_evaluator_destroy(b->ev);
  cmb_system_destroy(system);
  free(b->v_before), free(b->change), free(b->tau);
  return good;
}

/* Returns the largest difference of impulses of drives at the first kinks, divided by the largest impulse. Later kinks would also show how errors
 * of integration have grown. Impulses that are not unique do not count. */
static double compare_drives(const struct impulses *a, const struct impulses *b)
{
  double worst = 0, most = 0;
  assert_int_equal(a->count, b->count);
  for (int i = 0; i < a->count; i++) most = fmax(most, fabs(a->value[i]));
  for (int i = 0; i < a->count; i++) {
    if (!(a->t[i] < 0.015 && b->t[i] < 0.015)) continue;
    worst = fmax(worst, fabs(a->value[i] - b->value[i]) / most);
  }
  return worst;
}

static void test_momentum(void **state)
{
  (void)state;
  static struct balance joint, cartesian;
  const struct cmbt_mechanism_wishes wishes = {
      .most_bodies = MOST_BODIES, .most_loops = 3, .drives = true};
  const int count = cmbt_count("CAMBER_IMPULSES", 20);
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random r = {22};
  double worst = 0, apart = 0;
  long found = 0;
  int mechanisms = 0, tried = 0, compared = 0;
  for (uint64_t seed = 1; found < count; seed++, tried++) {
    cmb_model *m = cmbt_random_mechanism(ctx, seed, &wishes);
    if (add_kinks(m, &r) > 0 && run_mechanism(ctx, m, CMB_FORM_EXPLICIT, &joint)) {
      assert_true(joint.drives.count > 0);
      cmbt_below(joint.worst, 1e-12);
      assert_true(run_mechanism(ctx, m, CMB_FORM_CARTESIAN, &cartesian));
      cmbt_below(cartesian.worst, 1e-12);
      worst = fmax(worst, fmax(joint.worst, cartesian.worst));
      if (difference_of_starts(&joint, &cartesian) < 1e-9) {
        apart = fmax(apart, compare_drives(&joint.drives, &cartesian.drives));
        cmbt_below(apart, 1e-6);
        compared++;
      }
      found += joint.drives.count;
      mechanisms++;
    }
    cmb_model_destroy(m);
  }
  printf("%ld impulses of drives in %d of %d mechanisms: momentum balances to %.1e; %d begin "
         "equally in joint and Cartesian coordinates, and "
         "differ by %.1e\n",
         found, mechanisms, tried, worst, compared, apart);
  assert_true(2 * compared > mechanisms);
  cmb_context_destroy(ctx);
}

/* ---- point masses */

struct rod_impulses {
  double sum;
  int count, unique;
};

static cmb_status add_impulse(void *user, const cmb_impulse *impulse)
{
  struct rod_impulses *p = user;
  if (strncmp(impulse->name, "rod", 3) != 0)
    return CMB_OK; /* of the slide, in Cartesian coordinates */
  p->sum += impulse->value;
  p->unique += impulse->unique;
  p->count++;
  return CMB_OK;
}

/* Runs a body of 3 kg whose velocity rods decrease by 0.5 m/s: the sum of their impulses is 1.5 N s. */
static void run_rods(const char *rods, cmb_formulation formulation, struct rod_impulses *p)
{
  char text[1000];
  snprintf(text, sizeof text,
           "points: {O: [0, 0, 0], A: [1, 0, 0]}\n"
           "bodies: {a: {mass: 3, com: A}}\n"
           "joints: {s: {type: prismatic, child: a, at: A, axis: x}}\n"
           "loops:\n%s",
           rods);
  cmbt_run r;
  cmbt_run_open_text(&r, text, formulation);
  cmb_run_options options = cmb_run_defaults();
  options.t_end = 0.2;
  options.observer = (cmb_observer){.user = p, .impulse = add_impulse};
  *p = (struct rod_impulses){0};
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  r.result = cmb_simulation_result(r.sim);
  cmbt_ok(r.ctx, cmb_simulation_run(r.sim));
  cmbt_run_close(&r);
}

#define ROD(name)                                                                                  \
  "  " name ": {type: distance, between: [ground@O, a@A], length: '1 - max(0, 0.5*(t - 0.1))'}\n"

static void test_point_mass(void **state)
{
  (void)state;
  struct rod_impulses p;
  for (int k = 0; k < 3; k++) {
    run_rods(ROD("rod"), cmbt_formulation(k), &p);
    cmbt_near(p.sum, 1.5, 1e-13);
    assert_int_equal(p.count, 1);
    assert_int_equal(p.unique, 1);
    run_rods(ROD("rod1") ROD("rod2"), cmbt_formulation(k), &p);
    cmbt_near(p.sum, 1.5, 1e-13);
    assert_int_equal(p.count, 2);
    assert_int_equal(p.unique, 0);
  }
}

/* ---- errors */

static void check_refused(const char *value, const char *method, int settings,
                          const cmb_option_setting *setting, const char *words)
{
  char text[2000];
  struct drive d = {.used = 0};
  const struct pendulum p = {1, 1, 1, 0.1, 0.3, 0};
  cmbt_run r;
  snprintf(d.text, sizeof d.text, "%s", value);
  write_model(&p, &d, sizeof text, text);
  cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_find(method);
  options.integrator.settings = setting;
  options.integrator.setting_count = settings;
  options.t_end = t_end;
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  const cmb_status status = cmb_simulation_run(r.sim);
  if (words) {
    assert_true(status < 0);
    if (!strstr(cmb_last_error(r.ctx), words)) fail_msg("%s: %s", method, cmb_last_error(r.ctx));
  } else {
    cmbt_ok(r.ctx, status);
  }
  cmbt_run_close(&r);
}

static void test_refused(void **state)
{
  (void)state;
  static const char *const loose[] = {"none", "projection-q"}, *const jump = "if(t > 0.6, 0.1, 0)",
                           *const kink = "max(0, t - 0.6)", *const smooth = "max(0, t - 0.6)^2";
  for (int i = 0; i < cmb_method_count(); i++) {
    check_refused(jump, cmb_method_name(cmb_method_at(i)), 0, NULL, "since positions cannot jump");
  }
  for (int i = 0; i < 2; i++) {
    const cmb_option_setting setting = {"stabilization", loose[i]};
    check_refused(kink, "lie", 1, &setting,
                  "constraint 'drive' requires a sudden change of velocity at t = 0.6");
    check_refused(kink, "rosw2", 1, &setting,
                  "constraint 'drive' requires a sudden change of velocity at t = 0.6");
    check_refused(smooth, "lie", 1, &setting, NULL);
    check_refused(smooth, "rosw2", 1, &setting, NULL);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_drives),     cmocka_unit_test(test_real_time),
      cmocka_unit_test(test_lock),       cmocka_unit_test(test_units_of_stops),
      cmocka_unit_test(test_momentum),   cmocka_unit_test(test_refused),
      cmocka_unit_test(test_point_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
