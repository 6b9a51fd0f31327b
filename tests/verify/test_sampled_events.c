/*
 * Events between the samples of controllers are reported in the order of time. Random bodies on a line have forces sampled by two
 * controllers, and events of all directions that only report, change the velocity or end the run. From sample to sample the motion is a
 * parabola, so that all crossings are roots of quadratic equations. CAMBER_SAMPLED_EVENTS: number of bodies; they take the methods in turn.
 *
 * An event with one direction also has crossings in the other direction, which have no effect. A crossing that was predicted after a sample
 * in the same step has not happened yet, and does not happen if the sample reverses the motion.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

enum { CONTROLLERS = 2, EVENTS = 3, MOST_CROSSINGS = 200, MOST_SAMPLES = 200, TEXT = 3000 };

static const double TIMES = 1e-6;   /* largest error of times of events */
static const double DOUBTFUL = 0.1; /* rate of a crossing below which its time is too sensitive */

typedef enum action { WATCH, RESET, STOP } action;

typedef struct event {
  bool of_rate;
  double threshold, factor; /* a reset multiplies the velocity by `factor` */
  int direction;            /* 1 rising, -1 falling, 0 both */
  action action;
} event;

/* The force is u + w(t − delay) with the sampled values u = −k x − d x' and w = b for x > place, −b elsewhere. */
typedef struct body {
  double x, v, t_end, period[CONTROLLERS], phase[CONTROLLERS];
  double k, d, b, place, delay;
  event event[EVENTS];
} body;

static body random_body(struct cmbt_random *r)
{
  body s = {.x = cmbt_random_uniform(r, -1, 1),
            .v = cmbt_random_uniform(r, -1, 1),
            .t_end = cmbt_random_uniform(r, 1, 5),
            .k = cmbt_random_uniform(r, -1, 4),
            .d = cmbt_random_uniform(r, -0.5, 1),
            .b = cmbt_random_uniform(r, 0, 2),
            .place = cmbt_random_uniform(r, -0.5, 0.5),
            .delay = cmbt_random_int(r, 0, 1) ? cmbt_random_uniform(r, 0.01, 0.3) : 0};
  for (int i = 0; i < CONTROLLERS; i++) {
    s.period[i] = pow(10, cmbt_random_uniform(r, -1.3, 0.3));
    s.phase[i] = cmbt_random_uniform(r, 0, 1) * s.period[i];
  }
  for (int i = 0; i < EVENTS; i++) {
    event *e = &s.event[i];
    e->of_rate = cmbt_random_int(r, 0, 3) == 0;
    e->threshold = cmbt_random_uniform(r, -0.6, 0.6);
    e->direction = cmbt_random_int(r, -1, 1);
    e->factor = cmbt_random_uniform(r, 0.6, 1.5);
    const int a = cmbt_random_int(r, 0, 5);
    e->action = a == 0 ? STOP : a == 1 && !e->of_rate ? RESET : WATCH;
  }
  return s;
}

/* ---- the model */

#define ADD(...) used += (size_t)snprintf(text + used, TEXT - used, __VA_ARGS__)

static void write_body(const body *s, char *text)
{
  static const char *const directions[] = {"falling", "both", "rising"};
  size_t used = 0;
  ADD("gravity: [0, 0, 0]\nbodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n");
  ADD("joints: {x: {type: prismatic, child: b, axis: x, start: %.17g, rate: %.17g}}\n", s->x, s->v);
  ADD("controllers:\n  a: {period: %.17g, phase: %.17g, update: {u: \"%.17g*x - %.17g*x'\"}}\n",
      s->period[0], s->phase[0], -s->k, s->d);
  ADD("  c: {period: %.17g, phase: %.17g, update: {w: \"if(x > %.17g, %.17g, %.17g)\"}}\n",
      s->period[1], s->phase[1], s->place, s->b, -s->b);
  ADD("forces:\n  push: {type: load, on: {body: b, at: [0, 0, 0]}, force: [\"u + ");
  if (s->delay > 0) ADD("delay(w, %.17g)\", 0, 0]}\n", s->delay);
  if (s->delay == 0) ADD("w\", 0, 0]}\n");
  ADD("outputs: {place: x, rate: x'}\nevents:\n");
  for (int i = 0; i < EVENTS; i++) {
    const event *e = &s->event[i];
    ADD("  e%d: {when: %s > %.17g, direction: %s", i, e->of_rate ? "x'" : "x", e->threshold,
        directions[e->direction + 1]);
    if (e->action == STOP) ADD(", action: stop");
    if (e->action == RESET) ADD(", action: {reset: {x': %.17g*x'}}", e->factor);
    ADD("}\n");
  }
}

/* ---- the solution in closed form */

/* A reported crossing. */
typedef struct crossing {
  double t;
  int event, direction;
} crossing;

typedef struct motion {
  const body *s;
  double t, x, v, u, w;
  int side[EVENTS];
  double sample[CONTROLLERS], next[CONTROLLERS]; /* number of samples, and time of the next one */
  double due[MOST_SAMPLES], value[MOST_SAMPLES]; /* times and values of delayed samples */
  int first, last;
  crossing crossing[MOST_CROSSINGS];
  int count;
  bool stopped, doubtful; /* `doubtful`: too sensitive to be compared */
} motion;

/* Returns the switching function of event i after the time h, and its rate. */
static double margin(const motion *m, int i, double h, double *rate)
{
  const event *e = &m->s->event[i];
  const double a = m->u + m->w;
  *rate = e->of_rate ? a : m->v + a * h;
  return (e->of_rate ? m->v + a * h : m->x + h * (m->v + a * h / 2)) - e->threshold;
}

/* Returns the time until event i changes its sign, infinity if it does not. */
static double time_to(const motion *m, int i)
{
  const event *e = &m->s->event[i];
  const double a = m->u + m->w, least = 1e-12;
  double root[2] = {INFINITY, INFINITY}, rate, first = INFINITY;
  if (e->of_rate) {
    root[0] = (e->threshold - m->v) / a;
  } else {
    const double c = m->x - e->threshold, square = m->v * m->v - 2 * a * c;
    const double sum = -(m->v + copysign(sqrt(fmax(square, 0)), m->v));
    if (square >= 0) root[0] = sum / a, root[1] = 2 * c / sum;
  }
  for (int k = 0; k < 2; k++) {
    if (!isfinite(root[k]) || !(root[k] > -least)) continue;
    (void)margin(m, i, root[k], &rate);
    if (rate * m->side[i] < 0) first = fmin(first, fmax(root[k], 0));
  }
  return first;
}

/* Advances the motion by h. */
static void advance(motion *m, double h)
{
  const double a = m->u + m->w;
  m->x += h * (m->v + a * h / 2);
  m->v += a * h;
  m->t += h;
}

/* Applies the crossing of event i at the present time. */
static void apply_crossing(motion *m, int i)
{
  const event *e = &m->s->event[i];
  const int direction = m->side[i] = -m->side[i];
  double rate;
  (void)margin(m, i, 0, &rate);
  m->doubtful = m->doubtful || fabs(rate) < DOUBTFUL || m->count == MOST_CROSSINGS;
  if (m->doubtful || (e->direction != 0 && e->direction != direction)) return;
  m->crossing[m->count++] = (crossing){m->t, i, direction};
  if (e->action == STOP) m->stopped = true;
  if (e->action == RESET) {
    const double before = m->v;
    m->v *= e->factor;
    for (int k = 0; k < EVENTS; k++) { /* the reset may move a velocity across its threshold */
      const double c = m->s->event[k].threshold;
      m->doubtful = m->doubtful || (m->s->event[k].of_rate && (before - c) * (m->v - c) <= 0);
    }
  }
}

/* Applies the first crossing up to t. Returns false if there is none. */
static bool apply_first_crossing(motion *m, double t)
{
  double first = INFINITY, second = INFINITY;
  int which = -1;
  for (int i = 0; i < EVENTS; i++) {
    const double h = time_to(m, i);
    if (h < first) {
      second = first, first = h, which = i;
    } else {
      second = fmin(second, h);
    }
  }
  m->doubtful = m->doubtful || fabs(m->t + first - t) < 10 * TIMES || second - first < 10 * TIMES;
  if (m->t + first > t) return false;
  advance(m, first);
  apply_crossing(m, which);
  return true;
}

static double instant(const body *s, int i, double sample)
{
  return s->phase[i] + sample * s->period[i];
}

/* Takes the samples of this instant, from values before it, and applies a delayed value that is due. */
static void sample(motion *m)
{
  const body *s = m->s;
  const bool first = m->next[0] <= m->t, second = m->next[1] <= m->t;
  const double u = -s->k * m->x - s->d * m->v, w = m->x > s->place ? s->b : -s->b;
  m->doubtful = m->doubtful || fabs(m->x - s->place) < 10 * TIMES || m->last == MOST_SAMPLES;
  if (m->doubtful) return;
  if (first) m->u = u, m->next[0] = instant(s, 0, ++m->sample[0]);
  if (second) {
    m->due[m->last] = m->t + s->delay, m->value[m->last++] = w;
    m->next[1] = instant(s, 1, ++m->sample[1]);
  }
  if (m->first < m->last && m->due[m->first] <= m->t) m->w = m->value[m->first++];
}

/* Computes the motion of a body up to its end, or until it stops or becomes too sensitive. */
static void solve(const body *s, motion *m)
{
  *m = (motion){.s = s, .x = s->x, .v = s->v, .next = {s->phase[0], s->phase[1]}};
  for (int i = 0; i < EVENTS; i++) {
    double rate;
    const double here = margin(m, i, 0, &rate);
    m->side[i] = here > 0 ? 1 : -1;
    m->doubtful = m->doubtful || fabs(here) < 10 * TIMES;
  }
  while (!m->stopped && !m->doubtful && m->t < s->t_end) {
    const double due = m->first < m->last ? m->due[m->first] : INFINITY;
    const double next = fmin(fmin(m->next[0], m->next[1]), fmin(due, s->t_end));
    while (!m->stopped && !m->doubtful && apply_first_crossing(m, next)) continue;
    if (m->stopped || m->doubtful) return;
    advance(m, next - m->t);
    m->t = next;
    if (next < s->t_end) sample(m);
  }
}

/* ---- comparison */

/* Compares events and final state of a run with the closed form. */
static void compare(const motion *m, const cmbt_run *r, const char *text)
{
  int count = 0;
  for (int i = 0; i < r->event_count; i++) {
    const cmbt_event *e = &r->events[i];
    if (e->index >= 0) continue;
    const crossing *x = &m->crossing[count++];
    const bool same = count <= m->count && e->name[1] - '0' == x->event &&
                      e->direction == x->direction && fabs(e->t - x->t) < TIMES;
    if (!same) {
      fail_msg("%s: '%s' at t = %.9g in direction %d; expected %d events, e%d at t = %.9g\n%s",
               r->method, e->name, e->t, e->direction, m->count, count <= m->count ? x->event : -1,
               count <= m->count ? x->t : NAN, text);
    }
  }
  if (count != m->count) {
    fail_msg("%s: %d events; expected %d, e%d at t = %.9g\n%s", r->method, count, m->count,
             m->crossing[count].event, m->crossing[count].t, text);
  }
  assert_int_equal(r->result->stopped_by != NULL, m->stopped);
  cmbt_near(r->result->t, m->t, TIMES);
  cmbt_near(cmbt_output(r, "place"), m->x, TIMES);
  cmbt_near(cmbt_output(r, "rate"), m->v, 10 * TIMES);
}

static void test_random(void **state)
{
  (void)state;
  const int count = cmbt_count("CAMBER_SAMPLED_EVENTS", 300);
  int tried = 0, events = 0, stops = 0;
  for (int k = 0, i = 0; k < count; k++) {
    struct cmbt_random random = {(uint64_t)k + 1};
    const body s = random_body(&random);
    char text[TEXT];
    motion m;
    solve(&s, &m);
    if (m.doubtful) continue;
    i = cmbt_next_method(i) < cmb_method_count() ? cmbt_next_method(i) : 0;
    write_body(&s, text);
    cmbt_run r;
    cmbt_run_open_text(&r, text, cmbt_formulation(k % 3));
    r.method = cmb_method_name(cmb_method_at(i++));
    r.rtol = r.atol = 1e-8;
    cmbt_run_to(&r, s.t_end, 0);
    compare(&m, &r, text);
    cmbt_run_close(&r);
    tried++, events += m.count, stops += m.stopped;
  }
  printf("%d bodies, %d events, %d of them ended the run\n", tried, events, stops);
  assert_true(tried > count / 4);
}

/* Checks a body that crosses a threshold downwards shortly after a sample, in the same step of any method. The event's condition becomes false
 * there and never true again, so that no event is reported. */
static void test_crossing_after_sample(void **state)
{
  (void)state;
  static const char text[] =
      "gravity: [0, 0, 0]\nbodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
      "joints: {x: {type: prismatic, child: b, axis: x, start: 0.55, rate: -0.8}}\n"
      "controllers: {ct: {period: 10, phase: 0.5, update: {u: -x}}}\n"
      "forces: {push: {type: load, on: {body: b, at: [0, 0, 0]}, force: [u, 0, 0]}}\n"
      "events: {er: {when: x > 0.13, action: stop}}\n";
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    cmbt_run r;
    cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
    r.method = cmb_method_name(cmb_method_at(i));
    r.rtol = 1e-6;
    cmbt_run_to(&r, 5, 0);
    assert_null(r.result->stopped_by);
    assert_int_equal(r.event_count, 0);
    cmbt_near(cmbt_velocity(&r, "x'"), -0.8 - 0.15 * 4.5, 1e-9);
    cmbt_run_close(&r);
  }
}

/* Checks a condition that jumps to true while the body is not at its surface: the reset reverses the velocity once, the force reverses it
 * again, and the condition stays true all the time. x = t + t²/2 up to t = 1; after it x' = −0.4 in place of 2. */
static void test_jumping_condition(void **state)
{
  (void)state;
  static const char *const thresholds[] = {
      "inputs: {w: \"if(t >= 1, 0.5, 5)\"}\n",
      "controllers: {c: {period: 0.25, update: {w: \"if(t >= 1, 0.5, 5)\"}}}\n"};
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 2; k++) {
      char text[TEXT];
      double t[MOST_CROSSINGS];
      cmbt_run r;
      /* w is 0 before the first sample; for k = 1 x = -0.5, so that x > w is false there */
      snprintf(
          text, sizeof text,
          "gravity: [0, 0, 0]\nbodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
          "joints: {x: {type: prismatic, child: b, axis: x, start: %g, rate: 1}}\n%s"
          "forces: {push: {type: load, on: {body: b, at: [0, 0, 0]}, force: [1, 0, 0]}}\n"
          "events: {back: {when: x > w, action: {reset: {x': -0.2*x'}}}}\n"
          "outputs: {place: x}\n",
          -0.5 * k, thresholds[k]);
      cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = r.atol = 1e-8;
      cmbt_run_to(&r, 3, 0);
      assert_int_equal(cmbt_times(&r, "back", 0, MOST_CROSSINGS, t), 1);
      cmbt_near(t[0], 1, 1e-9);
      cmbt_near(cmbt_output(&r, "place"), 2.7 - 0.5 * k, 1e-6);
      cmbt_near(cmbt_velocity(&r, "x'"), 1.6, 1e-6);
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_crossing_after_sample),
                                     cmocka_unit_test(test_jumping_condition),
                                     cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
