/*
 * Impacts and resting contacts, compared with solutions in closed form: a ball that bounces on a floor, on a slope, and on a moving table;
 * Newton's cradle; a rocking block; a box on four corners; contacts that close permanently and open again; and events at the end of a run.
 *
 * A ball that falls from the height 1 onto a floor with the restitution e bounces at t₁ = √(2/g), t₁ + 2 t₁ e, t₁ + 2 t₁ (e + e²), ..,
 * and is at rest from t₁ (1 + e)/(1 − e) on.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 1000, TEXT = 2000 };

static const double G = 9.81;

/* Opens a run. trap has order 2 and would take millions of steps at small tolerances; it is exact for parabolas. */
static void open_run(cmbt_run *r, const char *text, int method, int formulation)
{
  cmbt_run_open_text(r, text, cmbt_formulation(formulation));
  r->method = cmb_method_name(cmb_method_at(method));
  if (cmbt_is(cmb_method_at(method), "trap")) r->rtol = 1e-6;
}

/* Returns the time at which the impacts accumulate, from the only event of this name. */
static double limit_of(const cmbt_run *r, const char *name)
{
  double limit = NAN;
  int count = 0;
  for (int i = 0; i < r->event_count; i++) {
    if (strcmp(r->events[i].name, name) != 0) continue;
    limit = r->events[i].limit;
    count++;
  }
  if (count != 1) fail_msg("%s: %d times '%s'; expected one", r->method, count, name);
  return limit;
}

/* ---- the bouncing ball */

static const char BALL_EVENT[] = "bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
                                 "joints: {z: {type: prismatic, child: ball, axis: z, start: 1}}\n"
                                 "events: {touch: {when: z < 0, action: {reset: {z': -0.8*z'}}}}\n"
                                 "outputs: {h: ball.z, w: ball.vz}\n";
static const char BALL_CONTACT[] =
    "bodies: {ball: {mass: 1, sphere: [0, 0, 1], radius: 0.1}}\n"
    "joints: {j: {type: free, child: ball}}\n"
    "forces:\n"
    "  touch: {type: contact, on: {body: ball, at: [0, 0, 1]}, radius: 0.1, surface: z + 0.1,\n"
    "          restitution: 0.8}\n"
    "outputs: {h: ball.z, w: ball.vz}\n";
static const char BALL_STOP[] = "bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
                                "joints: {z: {type: prismatic, child: ball, axis: z, start: 1}}\n"
                                "loops: {touch: {type: stop, formula: ball.z, restitution: 0.8}}\n"
                                "outputs: {h: ball.z, w: ball.vz}\n";

/* The size of rounding errors of a gap; times of the smallest bounces have at most half of the digits. */
static const double LEAST_GAP = 1e-16;

/* Returns the largest error of the times of bounces of a ball that falls from the height 1 at t = 0. *last is the number of bounces well
 * above the rounding errors of the gap: a bounce of height h takes 2 √(2h/g). */
static double bounce_error(const double *t, int count, double g, double e, int *last)
{
  const double first = sqrt(2 / g), least = 2 * sqrt(2 * 1e4 * LEAST_GAP / g);
  double expected = first, worst = 0, interval = 2 * first;
  *last = 0;
  for (int i = 0; i < count && interval > least; i++, (*last)++) {
    worst = fmax(worst, fabs(t[i] - expected));
    expected += interval *= e;
  }
  return worst;
}

/* Checks the times of bounces and of their accumulation. bdf starts with order 1 after each impact, and its errors are a multiple of its
 * tolerances; those of times are errors of positions divided by the velocity. */
static void check_bounces(const cmbt_run *r, const char *kind, double g, double e, double usual,
                          double for_bdf)
{
  double t[MOST];
  const double tolerance = strcmp(r->method, "bdf") == 0 ? for_bdf : usual;
  const double limit = sqrt(2 / g) * (1 + e) / (1 - e);
  const int count = cmbt_times(r, "touch", 1, MOST, t);
  int last;
  const double error = bounce_error(t, count, g, e, &last), found = limit_of(r, "touch.rest");
  printf("%-9s %-8s %3d bounces, the first %d to %.1e s, limit to %.1e s\n", r->method, kind, count,
         last, error, fabs(found - limit));
  assert_in_range(count, 20, 200);
  cmbt_below(error, tolerance);
  cmbt_near(found, limit, fmax(10 * tolerance, 10 * sqrt(LEAST_GAP)));
  assert_int_equal(r->event_count, count + 1);
}

static void check_ball(const char *text, const char *kind, int method, int formulation)
{
  cmbt_run r;
  open_run(&r, text, method, formulation);
  cmbt_run_to(&r, 10, 0);
  check_bounces(&r, kind, G, 0.8, 1e-9, 5e-6);
  cmbt_near(cmbt_output(&r, "h"), 0, 1e-12);
  cmbt_near(cmbt_output(&r, "w"), 0, 1e-12);
  cmbt_run_close(&r);
}

static void test_ball(void **state)
{
  (void)state;
  const char *const texts[] = {BALL_EVENT, BALL_CONTACT, BALL_STOP};
  const char *const kinds[] = {"event", "contact", "stop"};
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int form = 0; form < 3; form++) {
      for (int k = 0; k < 3; k++) {
        if (cmbt_is_sampled(i + form + k)) check_ball(texts[k], kinds[k], i, form);
      }
    }
  }
}

/* Checks the same at the default tolerances of a run; errors, and bounces that are left out, are within them. */
static void test_ball_default_tolerance(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_run(&r, BALL_EVENT, i, 0);
    r.rtol = 1e-6;
    cmbt_run_to(&r, 10, 0);
    check_bounces(&r, "coarse", G, 0.8, 1e-6, 1e-4);
    cmbt_near(cmbt_output(&r, "h"), 0, 1e-8);
    cmbt_run_close(&r);
  }
}

/* ---- on a slope: the velocity along it does not change by impacts, and at rest on the slope the ball slides on */

static void test_slope(void **state)
{
  (void)state;
  const double a = 0.3, e = 0.6, g = G * cos(a);
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    open_run(&r,
             "parameters: {a: 0.3}\n"
             "bodies: {ball: {mass: 2, sphere: [sin(a), 0, cos(a)], radius: 0.1}}\n"
             "joints: {j: {type: free, child: ball, rate: [cos(a), 0, -sin(a), 1, 2, 3]}}\n"
             "forces:\n"
             "  touch: {type: contact, on: {body: ball, at: [sin(a), 0, cos(a)]}, radius: 0.1,\n"
             "          surface: 'x*sin(a) + z*cos(a) + 0.1', restitution: 0.6}\n"
             "outputs: {n: 'ball.x*sin(a) + ball.z*cos(a)', s: 'ball.x*cos(a) - ball.z*sin(a)',\n"
             "  ws: 'ball.vx*cos(a) - ball.vz*sin(a)', wn: 'ball.vx*sin(a) + ball.vz*cos(a)'}\n",
             i, i % 3);
    cmbt_run_to(&r, 3, 0);
    check_bounces(&r, "slope", g, e, 1e-9, 1e-5);
    cmbt_near(cmbt_output(&r, "n"), 0, 1e-11);
    cmbt_near(cmbt_output(&r, "wn"), 0, 1e-11);
    cmbt_near(cmbt_output(&r, "ws"), 1 + G * sin(a) * 3, 1e-8);
    cmbt_near(cmbt_output(&r, "s"), 3 + G * sin(a) * 4.5, 1e-8);
    cmbt_run_close(&r);
  }
}

/* ---- a moving table: reference by exact flights from impact to impact */

/* A table at the height A sin(ω t), with a ball above it. */
struct table {
  double A, omega, e;
  double t, h, w; /* time, height and velocity of the ball at the beginning of its flight */
};

static double table_at(const struct table *x, double t)
{
  return x->A * sin(x->omega * t);
}

static double table_rate(const struct table *x, double t)
{
  return x->A * x->omega * cos(x->omega * t);
}

static double table_acceleration(const struct table *x, double t)
{
  return -x->A * x->omega * x->omega * sin(x->omega * t);
}

static double gap_at(const struct table *x, double s)
{
  return x->h + x->w * s - G / 2 * s * s - table_at(x, x->t + s);
}

/* Returns how long the ball flies until it touches the table again, by steps along the flight and bisection. It starts on the table with
 * the relative velocity `up`, or above it. */
static double flight(const struct table *x, double up)
{
  const double relative = G + table_acceleration(x, x->t);
  double begin = up > 0 && relative > 0 ? up / relative : 0, step;
  step = up > 0 && relative > 0 && begin < 1e-3 ? begin / 10 : 1e-4;
  while (gap_at(x, begin + step) > 0) begin += step;
  for (double end = begin + step; end - begin > 1e-16 * end;) {
    const double middle = begin + (end - begin) / 2;
    if (middle <= begin || middle >= end) break;
    if (gap_at(x, middle) > 0) {
      begin = middle;
    } else {
      end = middle;
    }
  }
  return begin;
}

/* Advances to the state after the next impact. Returns the relative velocity of separation. */
static double bounce(struct table *x, double up)
{
  const double s = flight(x, up);
  const double down = x->w - G * s - table_rate(x, x->t + s);
  x->t += s;
  x->h = table_at(x, x->t);
  x->w = table_rate(x, x->t) - x->e * down;
  return -x->e * down;
}

static const char TABLE[] =
    "parameters: {A: 0.1, omega: 5, e: 0.5, h: 1}\n"
    "bodies: {ball: {mass: 3, sphere: [0, 0, 0], radius: 0.1}}\n"
    "joints: {z: {type: prismatic, child: ball, axis: z, start: h, rate: 0.3}}\n"
    "forces:\n"
    "  touch: {type: contact, on: {body: ball, at: [0, 0, 0]}, radius: 0.1,\n"
    "          surface: 'z - A*sin(omega*t) + 0.1', restitution: e}\n"
    "outputs: {h: ball.z, w: ball.vz}\n";

static void test_table(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    struct table x = {0.1, 5, 0.5, 0, 1, 0.3};
    const double tolerance = cmbt_is(cmb_method_at(i), "bdf") ? 1e-6 : 2e-9;
    double t[MOST], up = 0;
    cmbt_run r;
    open_run(&r, TABLE, i, i % 3);
    cmbt_run_to(&r, 4, 0);
    const int count = cmbt_times(&r, "touch", 1, MOST, t);
    assert_in_range(count, 12, MOST);
    for (int k = 0; k < 12; k++) {
      up = bounce(&x, up);
      cmbt_near(t[k], x.t, tolerance);
    }
    cmbt_near(cmbt_output(&r, "h"), table_at(&x, 4), 1e-9); /* the contact stays closed: A ω² < g */
    cmbt_near(cmbt_output(&r, "w"), table_rate(&x, 4), 1e-9);
    limit_of(&r, "touch.rest");
    cmbt_run_close(&r);
  }
}

/* ---- contacts that open again */

/* Checks the time at which a contact opens: the table is accelerated downwards by 3 t², which then equals g. */
static void test_opening_contact(void **state)
{
  (void)state;
  const double leaves = sqrt(G / 3), h = -pow(leaves, 4) / 4, w = -pow(leaves, 3);
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    const bool is_bdf = cmbt_is(cmb_method_at(i), "bdf");
    double t[MOST];
    cmbt_run r;
    open_run(&r,
             "bodies: {ball: {mass: 3, sphere: [0, 0, 0], radius: 0.1}}\n"
             "joints: {z: {type: prismatic, child: ball, axis: z}}\n"
             "loops: {table: {type: stop, formula: z + t^4/4, restitution: 0.5}}\n"
             "outputs: {h: ball.z, w: ball.vz}\n",
             i, i % 3);
    cmbt_run_to(&r, 2.5, 0);
    assert_int_equal(cmbt_times(&r, "table.rest", -1, MOST, t), 1);
    const double s = 2.5 - leaves;
    printf("%-9s leaves %.1e s from where it should, h off by %.1e\n", r.method,
           fabs(t[0] - leaves), fabs(cmbt_output(&r, "h") - (h + w * s - G / 2 * s * s)));
    cmbt_near(t[0], leaves, 2e-9); /* a contact force below a billionth of the weight counts as 0 */
    cmbt_near(cmbt_output(&r, "h"), h + w * s - G / 2 * s * s, is_bdf ? 1e-6 : 1e-7);
    cmbt_run_close(&r);
  }
}

/* Returns the next time at which the table's acceleration reaches −g, where the contact opens. At x->t the acceleration is above −g. */
static double next_leave(const struct table *x)
{
  const double pi = acos(-1), phase = asin(G / (x->A * x->omega * x->omega));
  const double turns = ceil((x->omega * x->t - phase) / (2 * pi));
  return (phase + 2 * pi * turns) / x->omega;
}

/* Checks a ball that is thrown up by a table with A ω² > g, bounces, comes to rest on it, and is thrown again, for twenty periods. */
static void test_thrown(void **state)
{
  (void)state;
  const double period = 2 * acos(-1) / 12;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    struct table x = {.A = 0.1, .omega = 12, .e = 0.3};
    const bool is_bdf = cmbt_is(cmb_method_at(i), "bdf");
    double touch[MOST], rest[MOST], leave[MOST];
    cmbt_run r;
    if (cmbt_is(cmb_method_at(i), "trap")) continue; /* thousands of steps a period */
    open_run(&r,
             "parameters: {A: 0.1, omega: 12}\n"
             "bodies: {ball: {mass: 3, sphere: [0, 0, 0], radius: 0.1}}\n"
             "joints: {z: {type: prismatic, child: ball, axis: z, rate: A*omega}}\n"
             "loops: {touch: {type: stop, formula: z - A*sin(omega*t), restitution: 0.3}}\n"
             "outputs: {h: ball.z, w: ball.vz}\n",
             i, i % 3);
    if (!cmbt_is_precise(cmb_method_at(i))) r.rtol = 1e-8;
    cmbt_run_to(&r, 20 * period, 0);
    const int touches = cmbt_times(&r, "touch", 1, MOST, touch);
    const int rests = cmbt_times(&r, "touch.rest", 1, MOST, rest);
    const int leaves = cmbt_times(&r, "touch.rest", -1, MOST, leave);
    double worst = 0;
    int n = 0;
    assert_in_range(leaves, 15, 20);
    for (int k = 0; k < leaves; k++) {
      x.t = next_leave(&x), x.h = table_at(&x, x.t), x.w = table_rate(&x, x.t);
      worst = fmax(worst, fabs(leave[k] - x.t));
      while (n < touches && touch[n] <= leave[k] + 1e-3) n++; /* the flight takes 0.3 s */
      double up = 0;
      do {
        up = bounce(&x, up);
        if (n < touches && up > 1e-5) worst = fmax(worst, fabs(touch[n++] - x.t));
      } while (up > 1e-10);
    }
    printf("%-9s %d impacts, %d resting contacts, times to %.1e s\n", r.method, touches, rests,
           worst);
    cmbt_below(worst, is_bdf ? 1e-4 : 2e-8);
    cmbt_run_close(&r);
  }
}

/* Checks a ball that moves down a stair at 0.8 m/s: every 1.25 s it reaches an edge, falls by 0.2 m, bounces and comes to rest on the step. */
static void test_stair(void **state)
{
  (void)state;
  const char *const text = "bodies: {ball: {mass: 0.1, sphere: [0, 0, 0.5], radius: 0.05}}\n"
                           "joints: {j: {type: free, child: ball, rate: [0.8, 0, 0, 0, 0, 0]}}\n"
                           "forces:\n"
                           "  step: {type: contact, on: {body: ball, at: [0, 0, 0.5]},\n"
                           "         radius: 0.05, surface: z %c 0.2*floor(x), restitution: 0.5}\n";
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    const bool is_bdf = cmbt_is(cmb_method_at(i), "bdf");
    double rest[MOST], leave[MOST];
    char down[TEXT];
    cmbt_run r;
    snprintf(down, TEXT, text, '+');
    open_run(&r, down, i, i % 3);
    if (!cmbt_is_precise(cmb_method_at(i))) r.rtol = 1e-6;
    cmbt_run_to(&r, 4, 0);
    assert_int_equal(cmbt_times(&r, "step.rest", 1, MOST, rest), 3);
    assert_int_equal(cmbt_times(&r, "step.rest", -1, MOST, leave), 3);
    for (int k = 0; k < 3; k++) {
      const double from = k == 0 ? 0 : 1.25 * k, fall = sqrt(2 * (k == 0 ? 0.45 : 0.2) / G);
      cmbt_near(leave[k], 1.25 * (k + 1), 1e-6);
      cmbt_near(rest[k], from + 3 * fall, is_bdf ? 1e-3 : 1e-5);
    }
    cmbt_run_close(&r);
  }
}

/* ---- Newton's cradle */

static void write_cradle(char text[TEXT], int lifted)
{
  snprintf(text, TEXT,
           "parameters: {r: 0.05, L: 1}\n"
           "templates:\n"
           "  ball:\n"
           "    points: {P: [2*r*(index-1), 0, L], B: [2*r*(index-1), 0, 0]}\n"
           "    bodies: {b: {mass: 1, sphere: B, radius: r}}\n"
           "    joints: {a: {type: revolute, child: b, at: P, axis: y,\n"
           "                 start: 'if(index < %d.5, 0.5, 0)'}}\n"
           "instances: {k: {template: ball, repeat: 5}}\n"
           "loops:\n"
           "  c1: {type: stop, formula: k2.b.x - k1.b.x - 2*r, restitution: 1}\n"
           "  c2: {type: stop, formula: k3.b.x - k2.b.x - 2*r, restitution: 1}\n"
           "  c3: {type: stop, formula: k4.b.x - k3.b.x - 2*r, restitution: 1}\n"
           "  c4: {type: stop, formula: k5.b.x - k4.b.x - 2*r, restitution: 1}\n"
           "outputs: {a1: k1.a, a2: k2.a, a3: k3.a, a4: k4.a, a5: k5.a, E: energy}\n",
           lifted);
}

/* Returns the period of a ball, 4 K(sin(α/2)) √(J/(m g L)), with K by the arithmetic-geometric mean. */
static double cradle_period(double amplitude)
{
  double a = 1, b = cos(amplitude / 2);
  for (int k = 0; k < 10; k++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b), a = mean;
  }
  return 2 * acos(-1) / a * sqrt((1 + 0.4 * 0.05 * 0.05) / G);
}

/* Checks for five periods that as many balls rise on one side as were lifted on the other, and that the others stay at rest. */
static void check_cradle(int method, int formulation, int lifted)
{
  char text[TEXT];
  const double half = cradle_period(0.5) / 2;
  const bool precise = cmbt_is_precise(cmb_method_at(method));
  const double tolerance = cmbt_is(cmb_method_at(method), "bdf") ? 1e-4 : precise ? 1e-6 : 1e-5;
  cmbt_run r;
  write_cradle(text, lifted);
  open_run(&r, text, method, formulation);
  r.rtol = precise ? 1e-10 : 1e-8;
  cmbt_run_to(&r, 10 * half + 0.01, half);
  for (int k = 0; k <= 10; k++) {
    for (int ball = 1; ball <= 5; ball++) {
      const char name[] = {'a', (char)('0' + ball), '\0'};
      const bool left = k % 2 == 0 && ball <= lifted, right = k % 2 == 1 && ball > 5 - lifted;
      const double expected = left ? 0.5 : right ? -0.5 : 0, found = cmbt_row(&r, k, name);
      if (fabs(found - expected) > tolerance) {
        fail_msg("%s, formulation %d, %d lifted, after %d half periods: ball %d is at %.9g; "
                 "expected %g",
                 r.method, formulation, lifted, k, ball, found, expected);
      }
    }
    cmbt_near(cmbt_row(&r, k, "E"), cmbt_row(&r, 0, "E"), tolerance);
  }
  cmbt_run_close(&r);
}

static void test_cradle(void **state)
{
  (void)state;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    if (cmbt_is(cmb_method_at(i), "trap")) continue;
    for (int lifted = 1; lifted <= 3; lifted++) {
      if (cmbt_is_sampled(i / 3 + lifted)) check_cradle(i, (i + lifted) % 3, lifted);
    }
  }
}

/* ---- the rocking block */

/* Compares the times of impacts with those of θ'' = p² (θ − α sign θ): the block falls back from θ₀ in acosh(α/(α − θ₀))/p, with θ'² = p²
 * θ₀ (2α − θ₀), which the impact multiplies by r². */
static void test_rocking(void **state)
{
  (void)state;
  const double p = 3, alpha = 0.3, factor = 0.8;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    const bool precise = cmbt_is_precise(cmb_method_at(i));
    double t[MOST], amplitude = 0.2, worst = 0, expected = acosh(alpha / (alpha - amplitude)) / p;
    cmbt_run r;
    if (cmbt_is(cmb_method_at(i), "trap")) continue;
    open_run(&r,
             "parameters: {p: 3, al: 0.3, r: 0.8}\n"
             "gravity: [0, 0, 0]\n"
             "bodies: {block: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
             "joints: {th: {type: revolute, child: block, at: [0, 0, 0], axis: y, start: 0.2}}\n"
             "forces: {w: {type: torsion, coordinate: th, torque: 'p^2*(al*sign(th) - th)'}}\n"
             "events: {impact: {when: th > 0, direction: both, action: {reset: {th': r*th'}}}}\n"
             "outputs: {angle: th, speed: th'}\n",
             i, i % 2);
    if (!precise) r.rtol = 1e-8;
    cmbt_run_to(&r, 10, 0);
    const int count = cmbt_times(&r, "impact", 0, MOST, t);
    for (int k = 0; k < count && amplitude > 1e-7; k++) {
      worst = fmax(worst, fabs(t[k] - expected));
      const double rest = factor * factor * amplitude * (2 * alpha - amplitude);
      amplitude = rest / (alpha + sqrt(alpha * alpha - rest));
      expected += 2 * acosh(alpha / (alpha - amplitude)) / p;
    }
    printf("%-9s %d impacts, to %.1e s\n", r.method, count, worst);
    cmbt_below(amplitude, 1e-7);
    cmbt_below(worst, precise ? 2e-9 : 1e-5);
    cmbt_near(cmbt_output(&r, "angle"), 0, 1e-9);
    cmbt_near(cmbt_output(&r, "speed"), 0, 1e-9);
    cmbt_near(limit_of(&r, "impact.rest"), t[count - 1], 1e-4);
    cmbt_run_close(&r);
  }
}

/* ---- two masses on a spring, one against a stop: its bounces become smaller than the rounding of its position, and it still comes to rest */

static void test_two_masses(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {a: {mass: 2, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}, b: {mass: 1, box: [0.1, 0.1, "
      "0.1], at: [1, 0, 0]}}\n"
      "joints: {x: {type: prismatic, child: a, axis: x, rate: 0.2}, y: {type: prismatic, child: b, "
      "axis: x, rate: 0.2}}\n"
      "forces: {s: {type: spring, between: [{body: a, at: [0, 0, 0]}, {body: b, at: [1, 0, 0]}], "
      "stiffness: 50}}\n"
      "loops: {wall: {type: stop, formula: 0.3 - y, restitution: 0.5}}\n"
      "outputs: {place: y, other: x}\n";
  double x[2];
  for (int i = 0, k = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++, k = 1) {
    cmbt_run r;
    open_run(&r, text, i, 0);
    r.rtol = 1e-6;
    cmbt_run_to(&r, 2, 0);
    printf("%-9s %ld steps, rest at %.9g s\n", r.method, r.result->statistics->accepted,
           limit_of(&r, "wall.rest"));
    assert_in_range(r.result->statistics->accepted, 10, 2000);
    cmbt_near(cmbt_output(&r, "place"), 0.3, 1e-12);
    x[k] = cmbt_output(&r, "other");
    cmbt_near(x[k], x[0], 1e-4);
    cmbt_run_close(&r);
  }
}

/* ---- an impact that separates a body from the surface of an event with which it was in contact */

/* Checks that a body does not pass its limit, which is an event. It is pushed to this limit and comes to rest there; then the other body
 * hits the wall. The impact separates the bodies from the limit, and rounding must not reverse that. With a stop as the limit the motion is
 * the same. */
static void test_separation(void **state)
{
  (void)state;
  static const char *const limits[] = {
      "events: {hit: {when: j2 > 0.167, action: {reset: {j2': -0.17*j2'}}}}\n",
      "  hit: {type: stop, formula: 0.167 - j2, restitution: 0.17}\n"};
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    double end[4];
    for (int k = 0; k < 4; k++) {
      char text[TEXT];
      cmbt_run r;
      snprintf(text, sizeof text,
               "gravity: [0, 0, 0]\n"
               "bodies: {b1: {mass: 1, sphere: [0, 0, 0], radius: 0.1}, b2: {mass: 0.83, sphere: "
               "[1, 0, 0], radius: 0.1}}\n"
               "joints:\n"
               "  j1: {type: prismatic, child: b1, axis: [1, 0, 0.5], rate: -1.2}\n"
               "  j2: {type: prismatic, parent: b1, child: b2, axis: x}\n"
               "forces: {push: {type: torsion, coordinate: j2, torque: -2.05}}\n"
               "outputs: {d: b2.x - b1.x - 1}\n"
               "loops:\n  wall: {type: stop, formula: b1.x + 2.04, restitution: 0.5}\n%s",
               limits[k % 2]);
      open_run(&r, text, i, k < 2 ? 2 : 0);
      r.rtol = cmbt_is_precise(cmb_method_at(i)) ? 1e-8 : 1e-6;
      cmbt_run_to(&r, 2.3, 0);
      end[k] = cmbt_output(&r, "d");
      cmbt_run_close(&r);
    }
    assert_true(end[0] < 0.1);
    for (int k = 1; k < 4; k++) cmbt_near(end[k], end[0], 1e-5);
  }
}

/* ---- events with the same condition, and events that are triggered again by impacts elsewhere */

/* Checks that both events act when the ball touches, although the first reverses the ball's velocity before the second is applied. */
static void test_same_condition(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}, cart: {mass: 1, com: [0, 0, 0]}}\n"
      "joints: {z: {type: prismatic, child: ball, axis: z, start: 1}, x: {type: prismatic, child: "
      "cart, axis: x, rate: 1}}\n"
      "events:\n"
      "  touch: {when: z < 0, action: {reset: {z': -0.8*z'}}}\n"
      "  brake: {when: z < 0, action: {reset: {x': 0.5*x'}}}\n"
      "outputs: {place: x, speed: x'}\n";
  const double t = sqrt(2 / G);
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int form = 0; form < 3; form++) {
      cmbt_run r;
      open_run(&r, text, i, form);
      cmbt_run_to(&r, 1, 0);
      cmbt_near(cmbt_output(&r, "speed"), 0.5, 1e-12);
      cmbt_near(cmbt_output(&r, "place"), t + 0.5 * (1 - t), 1e-6);
      cmbt_run_close(&r);
    }
  }
}

/* Checks that two bodies come to rest: one on a floor, which is an event, and a heavier one that falls on it without rebound. The floor
 * reverses the first body's velocity, and the second body presses it down again, infinitely often at one time. */
static void test_pressed_down(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {low: {mass: 1, sphere: [0, 0, 0], radius: 0.1}, high: {mass: 1.5, sphere: [0, 0, "
      "0], radius: 0.1}}\n"
      "joints: {a: {type: prismatic, child: low, axis: z, start: 0.05}, b: {type: prismatic, "
      "child: "
      "high, axis: z, start: 2}}\n"
      "events: {base: {when: a < 0, action: {reset: {a': -0.7*a'}}}}\n"
      "loops: {pair: {type: stop, formula: b - a - 0.2, restitution: 0}}\n"
      "outputs: {place: a, other: b}\n";
  for (int i = 0; (i = cmbt_next_but_trap(i)) < cmb_method_count(); i++) {
    for (int form = 0; form < 3; form++) {
      cmbt_run r;
      open_run(&r, text, i, form);
      cmbt_run_to(&r, 1, 0);
      cmbt_near(cmbt_output(&r, "place"), 0, 1e-8);
      cmbt_near(cmbt_output(&r, "other"), 0.2, 1e-8);
      cmbt_run_close(&r);
    }
  }
}

/* ---- a box on its four corners, one more than statically determinate */

static void test_box(void **state)
{
  static const char *const starts[] = {"0, 0, 0.3", "0, 0, 0.3, 0.995, 0.0998749217771909, 0, 0"};
  (void)state;
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 2; k++) {
      char text[TEXT];
      cmbt_run r;
      snprintf(text, sizeof text,
               "points: {A: [1, 1, 0], B: [-1, 1, 0], C: [-1, -1, 0], D: [1, -1, 0]}\n"
               "bodies: {box: {mass: 2, box: [2, 2, 0.4], at: [0, 0, 0.2]}}\n"
               "joints: {f: {type: free, child: box, start: [%s], rate: [0.5, 0, 0, 0, 0, 0]}}\n"
               "forces:\n"
               "  a: {type: contact, on: box@A, surface: z, restitution: 0.3}\n"
               "  b: {type: contact, on: box@B, surface: z, restitution: 0.3}\n"
               "  c: {type: contact, on: box@C, surface: z, restitution: 0.3}\n"
               "  d: {type: contact, on: box@D, surface: z, restitution: 0.3}\n"
               "outputs: {x: box.x, z: box.z, up: box.z_z, energy: energy}\n",
               starts[k]);
      open_run(&r, text, i, (i + k) % 3);
      r.rtol = 1e-6;
      cmbt_run_to(&r, 2, 0);
      cmbt_near(cmbt_output(&r, "z"), 0.2, 1e-8);
      cmbt_near(cmbt_output(&r, "up"), 1, 1e-12);
      cmbt_near(cmbt_output(&r, "x"), 1, 1e-6); /* no force along the floor */
      cmbt_near(cmbt_output(&r, "energy"), 2 * G * 0.2 + 0.25, 1e-6);
      cmbt_run_close(&r);
    }
  }
}

/* ---- the end of a run */

/* At 0.5 s, where the run ends, a body that has moved 0.5 m at 1 m/s is reversed with twice the speed; a condition on a later time is not
 * reached. */
static const char LAST[] = "bodies: {b: {mass: 2, sphere: [0, 0, 0], radius: 0.1}}\n"
                           "joints: {s: {type: prismatic, child: b, axis: x, rate: 1}}\n"
                           "events:\n"
                           "  turn: {when: t > 0.5, action: {reset: {s': -2*s'}}}\n"
                           "  there: {when: t >= 0.5, action: record}\n"
                           "  gone: {when: b.x > 0.5, action: record}\n"
                           "  later: {when: t > 0.5000000001, action: record}\n"
                           "outputs: {x: b.x, vx: b.vx, after: 'if(t > 0.5, 1, 0)'}\n";

/* A ball that falls for exactly 1 s and rebounds at the end. */
static const char LANDS[] = "bodies: {b: {mass: 2, sphere: [0, 0, 0], radius: 0.1}}\n"
                            "joints: {z: {type: prismatic, child: b, axis: z, start: 4.905}}\n"
                            "loops: {base: {type: stop, formula: b.z, restitution: 0.5}}\n"
                            "outputs: {vz: b.vz}\n";

struct sides {
  double before, after; /* of the last output */
  int count;
};

static cmb_status keep_side(void *user, const cmb_record *r)
{
  struct sides *s = user;
  assert_float_equal(r->t, 0.5, 0);
  *(r->side < 0 ? &s->before : &s->after) = r->outputs[2];
  s->count++;
  return CMB_OK;
}

static void check_last_event(int method, int formulation)
{
  cmbt_run r;
  double t[2];
  open_run(&r, LAST, method, formulation);
  cmbt_run_to(&r, 0.5, 0);
  assert_int_equal(cmbt_times(&r, "turn", 1, 2, t), 1);
  assert_float_equal(t[0], 0.5, 0);
  assert_int_equal(cmbt_times(&r, "there", 1, 2, t), 1);
  assert_int_equal(cmbt_times(&r, "gone", 1, 2, t), 1);
  assert_int_equal(cmbt_times(&r, "later", 0, 2, t), 0);
  cmbt_near(cmbt_output(&r, "vx"), -2, 1e-12);
  cmbt_near(cmbt_output(&r, "x"), 0.5, 1e-12);
  assert_float_equal(cmbt_output(&r, "after"), 1, 0);
  cmbt_run_close(&r);
}

/* Checks that the observer receives the state before and the state after the event. */
static void check_last_sides(int method)
{
  cmbt_run r;
  struct sides s = {0};
  open_run(&r, LAST, method, 0);
  cmb_run_options options = cmb_run_defaults();
  options.method = cmb_method_at(method);
  options.t_end = 0.5;
  options.observer = (cmb_observer){.user = &s, .side = keep_side};
  cmbt_ok(r.ctx, cmb_simulation_create(r.ctx, r.system, &options, &r.sim));
  cmbt_ok(r.ctx, cmb_simulation_run(r.sim));
  assert_int_equal(s.count, 2);
  assert_float_equal(s.before, 0, 0);
  assert_float_equal(s.after, 1, 0);
  cmbt_run_close(&r);
}

static void test_at_the_end(void **state)
{
  (void)state;
  for (int i = cmbt_next_method(0); i < cmb_method_count(); i = cmbt_next_method(i + 1)) {
    for (int k = 0; k < 3; k++) {
      cmbt_run r;
      double t[2];
      check_last_event(i, k);
      if (cmbt_is(cmb_method_at(i), "bdf")) continue; /* not exact on a parabola */
      open_run(&r, LANDS, i, k);
      cmbt_run_to(&r, 1, 0);
      assert_int_equal(cmbt_times(&r, "base", 0, 2, t), 1);
      cmbt_near(t[0], 1, 1e-9);
      cmbt_near(cmbt_output(&r, "vz"), 4.905, 1e-8);
      cmbt_run_close(&r);
    }
    check_last_sides(i);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ball),
                                     cmocka_unit_test(test_ball_default_tolerance),
                                     cmocka_unit_test(test_slope),
                                     cmocka_unit_test(test_table),
                                     cmocka_unit_test(test_opening_contact),
                                     cmocka_unit_test(test_thrown),
                                     cmocka_unit_test(test_stair),
                                     cmocka_unit_test(test_cradle),
                                     cmocka_unit_test(test_rocking),
                                     cmocka_unit_test(test_box),
                                     cmocka_unit_test(test_separation),
                                     cmocka_unit_test(test_same_condition),
                                     cmocka_unit_test(test_pressed_down),
                                     cmocka_unit_test(test_two_masses),
                                     cmocka_unit_test(test_at_the_end)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
