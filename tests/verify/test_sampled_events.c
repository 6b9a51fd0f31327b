/*
 * Events between the samples of controllers, told in the order of time: random bodies on a line, pushed by what two controllers have
 * sampled, with events of all directions that watch, change the velocity or end the run. From sample to sample the motion is a parabola, so
 * that all crossings are roots of quadratic equations. CAMBER_SAMPLED_EVENTS: how many bodies; each runs with a method of its own.
 *
 * An event that is told in one direction has crossings in the other which change nothing. One that lies behind a sample in the same step has
 * not happened there, and does not if the sample turns the motion.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

enum { CONTROLLERS = 2, EVENTS = 3, MOST_TOLD = 200, MOST_SAMPLES = 200, TEXT = 3000 };

static const double TIMES = 1e-6;   /* that events may be off, */
static const double DOUBTFUL = 0.1; /* and how slow a crossing is whose time is not sure */

typedef enum action { WATCH, RESET, STOP } action;

typedef struct event {
  bool of_rate;
  double threshold, factor; /* the velocity is multiplied by that one */
  int direction;            /* 1 rising, -1 falling, 0 both */
  action action;
} event;

/* The force is u + w(t − delay): u = −k x − d x', w = b on one side of a place and −b on the other. */
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

/* ---- by the library */

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

/* ---- in closed form */

typedef struct told {
  double t;
  int event, direction;
} told;

typedef struct motion {
  const body *s;
  double t, x, v, u, w;
  int side[EVENTS];
  double sample[CONTROLLERS], next[CONTROLLERS]; /* how many there were, and the time of the next */
  double due[MOST_SAMPLES], value[MOST_SAMPLES]; /* delayed values that are on their way */
  int first, last;
  told told[MOST_TOLD];
  int count;
  bool stopped, doubtful;
} motion;

/* s and its rate of event i after the time h. */
static double margin(const motion *m, int i, double h, double *rate)
{
  const event *e = &m->s->event[i];
  const double a = m->u + m->w;
  *rate = e->of_rate ? a : m->v + a * h;
  return (e->of_rate ? m->v + a * h : m->x + h * (m->v + a * h / 2)) - e->threshold;
}

/* The time until event i leaves its side; infinite: it does not. */
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

static void go(motion *m, double h)
{
  const double a = m->u + m->w;
  m->x += h * (m->v + a * h / 2);
  m->v += a * h;
  m->t += h;
}

/* Event i crosses its threshold here. */
static void cross(motion *m, int i)
{
  const event *e = &m->s->event[i];
  const int direction = m->side[i] = -m->side[i];
  double rate;
  (void)margin(m, i, 0, &rate);
  m->doubtful = m->doubtful || fabs(rate) < DOUBTFUL || m->count == MOST_TOLD;
  if (m->doubtful || (e->direction != 0 && e->direction != direction)) return;
  m->told[m->count++] = (told){m->t, i, direction};
  if (e->action == STOP) m->stopped = true;
  if (e->action == RESET) {
    const double before = m->v;
    m->v *= e->factor;
    for (int k = 0; k < EVENTS; k++) { /* a rate that jumps over its threshold */
      const double c = m->s->event[k].threshold;
      m->doubtful = m->doubtful || (m->s->event[k].of_rate && (before - c) * (m->v - c) <= 0);
    }
  }
}

/* The first crossing up to t happens; false: there is none. */
static bool cross_first(motion *m, double t)
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
  go(m, first);
  cross(m, which);
  return true;
}

static double instant(const body *s, int i, double sample)
{
  return s->phase[i] + sample * s->period[i];
}

/* What happens at this instant: samples see the values before it. */
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

static void move(const body *s, motion *m)
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
    while (!m->stopped && !m->doubtful && cross_first(m, next)) continue;
    if (m->stopped || m->doubtful) return;
    go(m, next - m->t);
    m->t = next;
    if (next < s->t_end) sample(m);
  }
}

/* ---- both */

/* What a run has told of the events, one after the other. */
static void compare(const motion *m, const cmbt_run *r, const char *text)
{
  int count = 0;
  for (int i = 0; i < r->event_count; i++) {
    const cmbt_event *e = &r->events[i];
    if (e->index >= 0) continue;
    const told *x = &m->told[count++];
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
             m->told[count].event, m->told[count].t, text);
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
    move(&s, &m);
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

/* A body that flies towards a threshold and is turned by a sample before it comes there, in one step of any method. The event watches the way
 * back only, on which it never comes. */
static void test_smallest(void **state)
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

/* A condition that jumps to true acts where the body is, which is not at its surface: the reset turns the body round, the force turns it again, and
 * the condition is met all along. x = t + t²/2 up to t = 1; from there with x' = −0.4 in place of 2. */
static void test_jumping_condition(void **state)
{
  (void)state;
  static const char *const thresholds[] = {
      "inputs: {w: \"if(t >= 1, 0.5, 5)\"}\n",
      "controllers: {c: {period: 0.25, update: {w: \"if(t >= 1, 0.5, 5)\"}}}\n"};
  for (int i = 0; (i = cmbt_next_method(i)) < cmb_method_count(); i++) {
    for (int k = 0; k < 2; k++) {
      char text[TEXT];
      double t[MOST_TOLD];
      cmbt_run r;
      snprintf(
          text, sizeof text,
          "gravity: [0, 0, 0]\nbodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
          "joints: {x: {type: prismatic, child: b, axis: x, start: %g, rate: 1}}\n%s"
          "forces: {push: {type: load, on: {body: b, at: [0, 0, 0]}, force: [1, 0, 0]}}\n"
          "events: {back: {when: x > w, action: {reset: {x': -0.2*x'}}}}\n"
          "outputs: {place: x}\n",
          -0.5 * k, thresholds[k]); /* w is 0 before the first sample: x > w is no news there */
      cmbt_run_open_text(&r, text, CMB_FORM_EXPLICIT);
      r.method = cmb_method_name(cmb_method_at(i));
      r.rtol = r.atol = 1e-8;
      cmbt_run_to(&r, 3, 0);
      assert_int_equal(cmbt_times(&r, "back", 0, MOST_TOLD, t), 1);
      cmbt_near(t[0], 1, 1e-9);
      cmbt_near(cmbt_output(&r, "place"), 2.7 - 0.5 * k, 1e-6);
      cmbt_near(cmbt_velocity(&r, "x'"), 1.6, 1e-6);
      cmbt_run_close(&r);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_smallest),
                                     cmocka_unit_test(test_jumping_condition),
                                     cmocka_unit_test(test_random)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
