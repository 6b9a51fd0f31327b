/*
 * Saving and resuming a run. A run that is saved is the same, bit for bit and with every method, as one that is not: records, events, impulses,
 * outputs, statistics. A run that resumes it has the same bits too with explicit methods and those of fixed cost. The other methods restart
 * at the state; with them the same events happen within the tolerances.
 *
 * Runs are saved at random times, with random methods, on bundled models (redundant constraints, tables, impacts) and on some in which bodies
 * bounce, stay in contact and lift off, friction sticks and is released, conditions become true and live parameters have changed. The
 * resuming run has a context, a model and a system of its own. CAMBER_RESUMES: number of runs for each model.
 *
 * States that were saved repeatedly, or at the end of a run, are resumed likewise; saved again at once, they give the same file. Files that
 * do not belong to the run are refused: files cut off anywhere, files with a changed byte, those of another model, parameter, method,
 * tolerance or option, and those with numbers that no run saves. Files of random content with a right checksum cause an error or a run,
 * but no crash.
 */
#include "check.h"
#include "methods.h"
#include "random.h"

#include "base/sha256.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double NEARLY = 1e-3; /* for runs with relative tolerances of 1e-5 */

static const char PATH[] = "test.state", OTHER[] = "other.state";

/* A ball that falls on a stop and is lifted off, a block with dry friction, a pendulum closed by a loop; with an event and a table. */

static const char BOUNCES[] =
    "gravity: [0, 0, -9.81]\nparameters: {mu: 3}\n"
    "points: {W: [4, 0, 0], B: [5, 0, 0]}\n"
    "bodies:\n"
    "  ball: {mass: 1, sphere: [0, 0, 0], radius: 0.1}\n"
    "  block: {mass: 1, box: [0.1, 0.1, 0.1], at: [2, 0, 0]}\n"
    "  bob: {mass: 1, sphere: B, radius: 0.1}\n"
    "joints:\n"
    "  z: {type: prismatic, child: ball, axis: z, start: 0.1}\n"
    "  x: {type: prismatic, child: block, axis: x, rate: 1}\n"
    "  swing: {type: planar, child: bob, at: B, axes: [x, z]}\n"
    "loops:\n"
    "  low: {type: stop, formula: z, restitution: 0.4}\n"
    "  rod: {type: distance, between: [ground@W, bob@B]}\n"
    "events: {top: {when: z > 0.05, action: {reset: {z': 0.5*z'}}}}\n"
    "tables: {push: [[0, 0], [0.1, 1], [0.3, -1], [0.6, 2]]}\n"
    "forces:\n"
    "  lift: {type: load, on: {body: ball, at: [0, 0, 0]}, force: [0, 0, \"10*t\"]}\n"
    "  dry: {type: load, on: {body: block, at: [2, 0, 0]}, force: [\"-mu*sign(x') + 4*max(t - 0.5, "
    "0) + 0.1*push(t)\", 0, 0]}\n"
    "outputs: {push: low.force}\n";

/* A mass with two controllers, a delayed value and a switching one. */
static const char SAMPLED[] =
    "parameters: {mu: 3}\n"
    "bodies: {b: {mass: 1, com: [0, 0, 0], inertia: [0.1, 0.1, 0.1]}}\n"
    "joints: {x: {type: prismatic, child: b, axis: x, start: 1, stiffness: 30}}\n"
    "controllers:\n"
    "  damp: {period: 0.01, update: {u: -mu*x', n: n + 1}}\n"
    "  rare: {period: 0.25, phase: 0.1, update: {w: \"if(x > 0, 2, -2)\"}}\n"
    "forces: {push: {type: load, on: {body: b, at: [0, 0, 0]}, force: [\"delay(u, 0.025) + w\", 0, "
    "0]}}\n"
    "outputs: {count: n}\n";

/* A body on a stop, a block with friction that sticks and slides in turns, and a body that comes to rest against a wall while friction sticks:
 * the forces on the last one are indeterminate in the end. The gaps have gradients other than 1. */
static const char HELD[] =
    "gravity: [0, 0, -9.81]\nparameters: {mu: 3}\n"
    "bodies:\n"
    "  a: {mass: 1, box: [0.1, 0.1, 0.1], at: [0, 0, 0]}\n"
    "  b: {mass: 2, box: [0.1, 0.1, 0.1], at: [2, 0, 0]}\n"
    "  c: {mass: 1, box: [0.1, 0.1, 0.1], at: [4, 0, 0]}\n"
    "joints:\n"
    "  z: {type: prismatic, child: a, axis: z, start: 0.02}\n"
    "  x: {type: prismatic, child: b, axis: x, rate: 0.3, friction: {force: mu, law: stick, "
    "static: 4}}\n"
    "  y: {type: prismatic, child: c, axis: y, rate: -0.3, friction: {force: 2, law: stick}}\n"
    "loops:\n"
    "  low: {type: stop, formula: 2.04*z, restitution: 0.2}\n"
    "  wall: {type: stop, formula: 3*y + 0.3 , restitution: 0}\n"
    "forces:\n"
    "  down: {type: load, on: {body: a, at: [0, 0, 0]}, force: [0, 0, \"14*sin(8*t)\"]}\n"
    "  along: {type: load, on: {body: b, at: [2, 0, 0]}, force: [\"6*sin(9*t)\", 0, 0]}\n"
    "  aside: {type: load, on: {body: c, at: [4, 0, 0]}, force: [0, \"-3 + 8*max(t - 0.8, 0)\", "
    "0]}\n"
    "outputs: {low: low.force, wall: wall.force, place: x}\n";

struct example {
  const char *name, *text; /* a bundled model, or its text */
  double t_end;
  bool resets; /* there are impacts, which real-time methods refuse */
};

static const struct example examples[] = {
    {"bounces", BOUNCES, 1.3, true},   {"newtons-cradle", NULL, 1, true},
    {"fivelink", NULL, 0.1, false},    {"four-bar", NULL, 0.3, false},
    {"quarter-car", NULL, 0.1, false}, {"slider-crank", NULL, 0.02, false},
    {"sampled", SAMPLED, 0.6, false},  {"held", HELD, 1.2, true},
};

enum { EXAMPLES = sizeof examples / sizeof examples[0], TEXT_ROOM = 1 << 22, MOST_OUTPUTS = 400 };

enum { MOST_EVENTS = 5000 };

/* An event, for the comparison within the tolerances. */
struct seen_event {
  char name[60];
  double t;
  int direction;
};

/* Observer that writes all that a run reports, one item per line, and saves the state; it keeps the place in the text and the outputs at
 * that time. */
struct recorder {
  const cmb_equations *eq;
  cmb_simulation *sim;
  double save_at; /* NaN: the run is not saved */
  int saves;      /* how often it is saved, at the ends of consecutive steps */
  char *text;
  size_t length, cut;
  bool silent; /* nothing is written */
  struct seen_event *seen_event;
  int count, before; /* number of events: in all, and before the last save */
  cmb_result result; /* result and outputs at the last save */
  double outputs[MOST_OUTPUTS];
};

/* Appends a line of a word and n numbers to the text. */
static void write_line(struct recorder *w, const char *what, int n, const double *x)
{
  if (w->silent) return;
  int length = snprintf(w->text + w->length, TEXT_ROOM - w->length, "%s", what);
  w->length += (size_t)length;
  for (int i = 0; i < n; i++) {
    length = snprintf(w->text + w->length, TEXT_ROOM - w->length, " %a", x[i]);
    w->length += (size_t)length;
    assert_true(w->length < TEXT_ROOM - 100);
  }
  w->text[w->length++] = '\n';
}

static cmb_status on_record(void *user, const cmb_record *record)
{
  struct recorder *w = user;
  write_line(w, "t", 1, &record->t);
  write_line(w, "q", w->eq->nq, record->q);
  write_line(w, "v", w->eq->nv, record->v);
  write_line(w, "lambda", w->eq->ng, record->lambda);
  write_line(w, "outputs", w->eq->no, record->outputs);
  return CMB_OK;
}

static cmb_status on_event(void *user, const cmb_event *event)
{
  struct recorder *w = user;
  const double x[] = {event->t, event->direction, event->limit};
  write_line(w, event->name, 3, x);
  if (w->silent) return CMB_OK;
  assert_in_range(w->count, 0, MOST_EVENTS - 1);
  struct seen_event *seen_event = &w->seen_event[w->count++];
  *seen_event = (struct seen_event){.t = event->t, .direction = event->direction};
  snprintf(seen_event->name, sizeof seen_event->name, "%s", event->name);
  return CMB_OK;
}

static cmb_status on_impulse(void *user, const cmb_impulse *impulse)
{
  const double x[] = {impulse->t, impulse->value};
  write_line(user, impulse->name, 2, x);
  return CMB_OK;
}

static cmb_status after_step(void *user, double t)
{
  struct recorder *w = user;
  if (!(t >= w->save_at) || w->saves == 0) return CMB_OK;
  CMB_TRY(cmb_simulation_save(w->sim, PATH));
  const cmb_result *r = cmb_simulation_result(w->sim);
  w->cut = w->length;
  w->before = w->count;
  w->result = *r;
  assert_in_range(w->eq->no, 0, MOST_OUTPUTS);
  if (w->eq->no > 0) memcpy(w->outputs, r->outputs, (size_t)w->eq->no * sizeof *r->outputs);
  w->saves--;
  return CMB_OK;
}

struct setup {
  cmb_context *ctx;
  cmb_model *model;
  cmb_system *system;
  cmb_simulation *sim;
  struct recorder recorder;
};

static void open_model(struct setup *s, const struct example *x)
{
  char path[1000];
  const cmb_model_system_options make = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .derivatives = true,
                                         .expressions = true,
                                         .live_inputs = true};
  const cmb_model_options live = {.live_all = x->text != NULL};
  s->ctx = cmb_context_create(NULL);
  if (x->text) {
    cmbt_ok(s->ctx, cmb_model_parse(s->ctx, x->text, strlen(x->text), x->name, &live, &s->model));
  } else {
    snprintf(path, sizeof path, "%s/models/%s.yaml", getenv("SOURCE_DIR"), x->name);
    cmbt_ok(s->ctx, cmb_model_read(s->ctx, path, &live, &s->model));
  }
  cmbt_ok(s->ctx, cmb_model_system(s->ctx, s->model, &make, &s->system));
}

static cmb_run_options options_of(const struct example *x, const char *method)
{
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find(method);
  o.integrator.rtol = strcmp(method, "trap") == 0 ? 1e-3 : 1e-5;
  o.integrator.atol = CMB_ATOL_PER_RTOL * o.integrator.rtol;
  o.t_end = x->t_end;
  return o;
}

static void open_run(struct setup *s, const struct example *x, cmb_run_options o)
{
  *s = (struct setup){0};
  open_model(s, x);
  s->recorder = (struct recorder){.eq = cmb_system_equations(s->system), .save_at = NAN};
  s->recorder.text = malloc(TEXT_ROOM);
  s->recorder.seen_event = malloc(MOST_EVENTS * sizeof *s->recorder.seen_event);
  assert_non_null(s->recorder.text);
  assert_non_null(s->recorder.seen_event);
  s->recorder.text[0] = '\0';
  o.observer = (cmb_observer){.user = &s->recorder,
                              .record = on_record,
                              .event = on_event,
                              .impulse = on_impulse,
                              .after_step = after_step};
  cmbt_ok(s->ctx, cmb_simulation_create(s->ctx, s->system, &o, &s->sim));
  s->recorder.sim = s->sim;
}

static void close_run(struct setup *s)
{
  cmb_simulation_destroy(s->sim);
  cmb_system_destroy(s->system);
  cmb_model_destroy(s->model);
  cmb_context_destroy(s->ctx);
  free(s->recorder.text);
  free(s->recorder.seen_event);
}

/* Fails unless the text of b equals that of a after `cut`, and the results at the end are equal; reports the first line that differs. */
static void compare(const char *what, double t, const struct setup *a, size_t cut,
                    const struct setup *b)
{
  const char *x = a->recorder.text + cut, *y = b->recorder.text;
  const size_t m = a->recorder.length - cut, n = b->recorder.length;
  const cmb_result *r = cmb_simulation_result(a->sim), *s = cmb_simulation_result(b->sim);
  size_t i = 0;
  while (i < m && i < n && x[i] == y[i]) i++;
  if (i < m || i < n) {
    while (i > 0 && x[i - 1] != '\n') i--;
    fail_msg("%s, %.17g: '%.300s' is '%.300s'", what, t, x + i, y + i);
  }
  assert_int_equal(memcmp(r->statistics, s->statistics, sizeof *r->statistics), 0);
  assert_true(r->t == s->t && r->worst_position == s->worst_position);
  assert_true(r->events == s->events && r->impulses == s->impulses && r->records == s->records);
  assert_true(!r->outputs_unique == !s->outputs_unique);
  for (int k = 0; k < a->recorder.eq->no; k++) {
    if (!(r->outputs[k] == s->outputs[k])) fail_msg("%s: output %d", what, k);
    if (r->outputs_unique) assert_int_equal(r->outputs_unique[k], s->outputs_unique[k]);
  }
}

/* Checks that the runs have the same events after the saved state, and the same positions at the end, within NEARLY. */
static void compare_nearly(const char *what, double t, const struct setup *a, const struct setup *b)
{
  const struct recorder *x = &a->recorder, *y = &b->recorder;
  const cmb_result *r = cmb_simulation_result(a->sim), *s = cmb_simulation_result(b->sim);
  for (int i = 0; i < y->count || x->before + i < x->count; i++) {
    const bool first = x->before + i < x->count, second = i < y->count;
    const struct seen_event *one = first ? &x->seen_event[x->before + i] : &y->seen_event[i];
    const struct seen_event *other = second ? &y->seen_event[i] : one;
    const bool same = first && second && strcmp(one->name, other->name) == 0 &&
                      one->direction == other->direction && fabs(one->t - other->t) < NEARLY;
    if (same) continue;
    fail_msg("%s, saved at %.17g: '%s', %d, at %.9g%s is '%s', %d, at %.9g%s", what, t, one->name,
             one->direction, one->t, first ? "" : " (none)", other->name, other->direction,
             other->t, second ? "" : " (none)");
  }
  for (int i = 0; i < x->eq->nq; i++) cmbt_near(s->q[i], r->q[i], NEARLY * fmax(1, fabs(r->q[i])));
}

/* Runs the example with a parameter changed at `set_at` (only for models written here), saved `saves` times from `save_at` on. */
static void run_whole(struct setup *s, const struct example *x, cmb_run_options o, double save_at,
                      double set_at, int saves)
{
  const cmb_setting less = {"mu", 2.5};
  open_run(s, x, o);
  s->recorder.save_at = save_at;
  s->recorder.saves = saves;
  if (x->text) cmbt_ok(s->ctx, cmb_simulation_advance(s->sim, set_at));
  if (x->text) cmbt_ok(s->ctx, cmb_simulation_set(s->sim, 1, &less));
  cmbt_ok(s->ctx, cmb_simulation_advance(s->sim, x->t_end));
  s->recorder.text[s->recorder.length] = '\0';
}

/* Compares a run that is not saved, a saved one, and one that resumes it: with each other and, right after resuming, by the outputs. */
static void try_one(const struct example *x, const char *method, double t, int saves, double every)
{
  struct setup plain, saved, resumed;
  char what[100];
  cmb_run_options o = options_of(x, method);
  snprintf(what, sizeof what, "%s, %s", x->name, method);
  o.every = every;
  run_whole(&plain, x, o, NAN, t / 2, 0);
  run_whole(&saved, x, o, t, t / 2, saves);
  assert_true(saved.recorder.saves < saves);
  compare(what, t, &plain, 0, &saved);
  open_run(&resumed, x, o);
  cmbt_ok(resumed.ctx, cmb_simulation_resume(resumed.sim, PATH));
  const cmb_result *there = cmb_simulation_result(resumed.sim);
  assert_true(there->t == saved.recorder.result.t);
  for (int i = 0; i < plain.recorder.eq->no; i++) {
    const double before = saved.recorder.outputs[i];
    if (there->outputs[i] == before) continue;
    fail_msg("%s, resumed at %.17g: %s is %.17g; expected %.17g", what, t,
             saved.recorder.eq->output_names[i], there->outputs[i], before);
  }
  cmbt_ok(resumed.ctx, cmb_simulation_advance(resumed.sim, x->t_end));
  resumed.recorder.text[resumed.recorder.length] = '\0';
  if (cmbt_resumes_exactly(o.method)) {
    compare(what, t, &saved, saved.recorder.cut, &resumed);
  } else {
    compare_nearly(what, t, &saved, &resumed);
  }
  close_run(&plain);
  close_run(&saved);
  close_run(&resumed);
}

static void test_random_times(void **state)
{
  (void)state;
  struct cmbt_random r = {3};
  const int count = cmbt_count("CAMBER_RESUMES", 6);
  for (int k = 0; k < EXAMPLES; k++) {
    const struct example *x = &examples[k];
    for (int i = 0; i < count; i++) {
      int m = cmbt_random_int(&r, 0, cmb_method_count() - 1);
      while (x->resets && cmb_method_is_real_time(cmb_method_at(m))) {
        m = cmbt_random_int(&r, 0, cmb_method_count() - 1);
      }
      const double t = cmbt_random_uniform(&r, 0, x->t_end);
      const int saves = cmbt_random_int(&r, 1, 3);
      const double every = cmbt_random_int(&r, 0, 1) ? x->t_end / 50 : 0;
      try_one(x, cmb_method_name(cmb_method_at(m)), t, saves, every);
    }
  }
}

/* Tests every method on every model, saved once at 35 or 70 % of the run. */
static void test_all_methods(void **state)
{
  (void)state;
  for (int m = 0; m < cmb_method_count(); m++) {
    const cmb_method *method = cmb_method_at(m);
    for (int k = 0; k < EXAMPLES; k++) {
      const struct example *x = &examples[k];
      if (x->resets && cmb_method_is_real_time(method)) continue;
      if (!cmbt_is_sampled(m + k)) continue;
      try_one(x, cmb_method_name(method), (k + m) % 2 ? 0.35 * x->t_end : 0.7 * x->t_end, 1, 0);
    }
  }
}

/* Checks that a run saved at its end can be resumed with a later end and another interval of records. */
static void test_later_end(void **state)
{
  (void)state;
  struct example x = examples[0];
  cmb_run_options o = options_of(&x, "mdop5");
  struct setup first, whole, second;
  o.t_end = 0.6;
  open_run(&first, &x, o);
  cmbt_ok(first.ctx, cmb_simulation_run(first.sim));
  cmbt_ok(first.ctx, cmb_simulation_save(first.sim, PATH));
  o.t_end = x.t_end;
  open_run(&whole, &x, o);
  cmbt_ok(whole.ctx, cmb_simulation_run(whole.sim));
  o.every = 0.1;
  open_run(&second, &x, o);
  cmbt_ok(second.ctx, cmb_simulation_resume(second.sim, PATH));
  cmbt_ok(second.ctx, cmb_simulation_advance(second.sim, x.t_end));
  const cmb_result *a = cmb_simulation_result(whole.sim), *b = cmb_simulation_result(second.sim);
  for (int i = 0; i < whole.recorder.eq->nq; i++) cmbt_near(b->q[i], a->q[i], 1e-3);
  assert_int_equal(b->records - cmb_simulation_result(first.sim)->records, 7); /* 0.7 .. 1.3 */
  close_run(&first);
  close_run(&whole);
  close_run(&second);
}

/* ---- files that do not belong to the run */

enum { FILE_ROOM = 1 << 20 };

static size_t read_file(const char *path, char text[FILE_ROOM])
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  const size_t length = fread(text, 1, FILE_ROOM - 1, file);
  text[length] = '\0';
  fclose(file);
  return length;
}

static char *read_whole(size_t *length)
{
  static char text[FILE_ROOM];
  *length = read_file(PATH, text);
  return text;
}

static void write_other(const char *text, size_t length)
{
  FILE *file = fopen(OTHER, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(text, 1, length, file), length);
  fclose(file);
}

static void save_one(void)
{
  struct setup s;
  open_run(&s, &examples[0], options_of(&examples[0], "mdop5"));
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0.3));
  cmbt_ok(s.ctx, cmb_simulation_save(s.sim, PATH));
  close_run(&s);
}

/* Checks that resuming fails with a message that contains `words`. */
static void refuse(struct setup *s, const char *path, const char *words)
{
  const cmb_status status = cmb_simulation_resume(s->sim, path);
  assert_true(status < 0);
  if (!strstr(cmb_last_error(s->ctx), words)) fail_msg("%s", cmb_last_error(s->ctx));
}

static void test_damaged_files(void **state)
{
  (void)state;
  struct cmbt_random r = {5};
  struct setup s;
  size_t length;
  save_one();
  char *text = read_whole(&length);
  open_run(&s, &examples[0], options_of(&examples[0], "mdop5"));
  refuse(&s, "no-such.state", "cannot read no-such.state");
  refuse(&s, ".", "cannot read .");
  for (size_t cut = 0; cut < length; cut += 1 + length / 200) {
    write_other(text, cut);
    refuse(&s, OTHER, OTHER);
  }
  for (int k = 0; k < 200; k++) {
    const size_t i = cmbt_random_bits(&r) % length;
    text[i] ^= (char)(1 << cmbt_random_int(&r, 0, 7));
    write_other(text, length);
    refuse(&s, OTHER, OTHER);
    text = read_whole(&length);
  }
  write_other(text, 200);
  refuse(&s, OTHER, "is damaged: its checksum is missing or wrong, so it was cut off or changed");
  cmbt_ok(s.ctx, cmb_simulation_resume(s.sim, PATH)); /* the simulation is still usable */
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 1));
  close_run(&s);
}

/* Writes a saved state of `length` characters with the right checksum at its end. */
static void write_sealed(char *text, size_t length)
{
  char digest[CMB_DIGEST_TEXT];
  uint8_t bytes[CMB_DIGEST_SIZE];
  const size_t end = length - strlen("sha256 \n") - (CMB_DIGEST_TEXT - 1);
  cmb_sha256 sum = cmb_sha256_begin();
  cmb_sha256_add(&sum, text, end);
  cmb_sha256_end(&sum, bytes);
  cmb_digest_print(bytes, digest);
  memcpy(text + length - CMB_DIGEST_TEXT, digest, CMB_DIGEST_TEXT - 1);
  write_other(text, length);
}

/* Resumes files with random changes and a right checksum: each gives an error with a message, or a run that can be continued. */
static void test_forged_files(void **state)
{
  (void)state;
  struct cmbt_random r = {9};
  size_t length;
  save_one();
  struct setup s;
  open_run(&s, &examples[0], options_of(&examples[0], "mdop5"));
  s.recorder.silent = true;
  for (int k = 0; k < cmbt_count("CAMBER_FORGED", 300); k++) {
    char *text = read_whole(&length);
    const size_t end = length - strlen("sha256 \n") - (CMB_DIGEST_TEXT - 1);
    for (int n = cmbt_random_int(&r, 1, 4); n > 0; n--) {
      const size_t i = cmbt_random_bits(&r) % end;
      if (text[i] != '\n' && text[i] != ' ')
        text[i] = "0123456789abcdef-"[cmbt_random_int(&r, 0, 16)];
    }
    write_sealed(text, length);
    const cmb_status status = cmb_simulation_resume(s.sim, OTHER);
    if (status == CMB_OK)
      (void)cmb_simulation_advance(s.sim, fmin(cmb_simulation_result(s.sim)->t + 0.01, 1.3));
    if (status != CMB_OK) assert_true(cmb_last_error(s.ctx)[0] != '\0');
  }
  close_run(&s);
}

/* Sets number `place` (from 0) of the line `key` in the file to `value`. Returns the number of that line. */
static int set_number(char *text, size_t *length, const char *key, int place, const char *value)
{
  char start[60];
  int line = 2;
  snprintf(start, sizeof start, "\n%s ", key);
  text[*length] = '\0';
  char *at = strstr(text, start);
  while (at && !strchr("0123456789", at[strlen(start)])) at = strstr(at + 1, start); /* an option */
  if (!at) fail_msg("no line '%s' in the saved state", key);
  for (const char *c = text; c < at; c++) line += *c == '\n';
  at = strchr(at, ':') + 2;
  for (; place > 0; place--) at += strcspn(at, " \n") + 1;
  const size_t before = strcspn(at, " \n"), after = strlen(value);
  memmove(at + after, at + before, *length + 1 - (size_t)(at + before - text));
  memcpy(at, value, after);
  *length += after - before;
  return line;
}

/* Checks that numbers that no run saves are refused, on both sides of their ranges, and the values at the ends of the ranges are not. */
static void test_impossible_numbers(void **state)
{
  (void)state;
  static const struct {
    const char *key;
    int place;
    const char *value, *words; /* words NULL: accepted */
  } cases[] = {
      {"runaway-level", 0, "65", NULL},
      {"runaway-level", 0, "66", "'runaway-level' number 1 is 66; expected a number from 0 to 65"},
      {"runaway-level", 0, "-1", "'runaway-level' number 1 is -1; expected a number from 0 to 65"},
      {"runaway-level", 1, "4", NULL},
      {"runaway-level", 1, "5", "'runaway-level' number 2 is 5; expected a number from 0 to 4"},
      {"runaway-level", 1, "-1", "'runaway-level' number 2 is -1; expected a number from 0 to 4"},
      {"stiff-suspicion", 0, "1000000", NULL},
      {"stiff-suspicion", 0, "-1000000", NULL},
      {"stiff-suspicion", 0, "1000001",
       "number 1 is 1000001; expected a number from -1000000 to 1000000"},
      {"stiff-suspicion", 0, "-1000001",
       "number 1 is -1000001; expected a number from -1000000 to 1000000"},
      {"runaway-steps", 0, "9223372036854775807", NULL},
      {"runaway-steps", 0, "99999999999999999999", "a value is missing, malformed"},
      {"step", 0, "3f50000000000000", NULL},
      {"step", 0, "0000000000000000", "the size of the next step is not a positive number"},
      {"step", 0, "bf50000000000000", "the size of the next step is not a positive number"},
      {"step", 0, "7ff0000000000000", "the size of the next step is not a positive number"},
      {"redundant", 0, "1", NULL},
      {"redundant", 0, "2", "'redundant' number 1 is 2; expected a number from 0 to 1"},
      {"redundant", 0, "-1", "'redundant' number 1 is -1; expected a number from 0 to 1"},
      {"q", 0, "7ff0000000000000", "a number is not finite"},
      {"v", 3, "7ff8000000000000", "a number is not finite"},
      {"lambda", 0, "fff0000000000000", "a number is not finite"},
      {"t", 0, "bf50000000000000", "is before the start of the run"},
      {"p", 0, "7ff0000000000000", "a parameter is not finite"},
      {"start-q-most", 0, "4", NULL},
      {"start-q-most", 0, "5", "number 1 is 5; expected a number from 0 to 4"},
      {"start-q-most", 0, "-1", "number 1 is -1; expected a number from 0 to 4"},
      {"start-v-most", 0, "5", "number 1 is 5; expected a number from 0 to 4"},
      {"start-v-most", 0, "-1", "number 1 is -1; expected a number from 0 to 4"},
  };
  struct setup s;
  size_t length;
  save_one();
  open_run(&s, &examples[0], options_of(&examples[0], "mdop5"));
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char *text = read_whole(&length);
    set_number(text, &length, cases[k].key, cases[k].place, cases[k].value);
    write_sealed(text, length);
    const cmb_status status = cmb_simulation_resume(s.sim, OTHER);
    const char *words = cases[k].words, *error = status == CMB_OK ? "" : cmb_last_error(s.ctx);
    if (words ? !strstr(error, words) : status != CMB_OK) {
      fail_msg("%s, number %d: %s: '%s'; expected '%s'", cases[k].key, cases[k].place,
               cases[k].value, error, words ? words : "");
    }
  }
  close_run(&s);
}

/* Fails unless the two files have the same lines. */
static void compare_files(const char *what, const char *a, const char *b)
{
  while (*a && *b) {
    const size_t m = strcspn(a, "\n"), n = strcspn(b, "\n");
    if (m != n || memcmp(a, b, n) != 0)
      fail_msg("%s: '%.*s' is '%.*s'", what, (int)m, a, (int)n, b);
    a += m + 1, b += n + 1;
  }
  assert_true(!*a && !*b);
}

/* Checks that a run that is saved again where it was resumed gives the same file, with methods without a history: only with a history, which
 * is not saved, the next step differs. */
static void test_saved_again(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "lie", "auto"};
  static char first[FILE_ROOM], second[FILE_ROOM], what[100];
  for (size_t m = 0; m < sizeof methods / sizeof *methods; m++) {
    for (int k = 0; k < EXAMPLES; k++) {
      struct setup s, again;
      const struct example *x = &examples[k];
      const cmb_run_options o = options_of(x, methods[m]);
      if (x->resets && cmb_method_is_real_time(o.method)) continue;
      open_run(&s, x, o);
      cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0.35 * x->t_end));
      cmbt_ok(s.ctx, cmb_simulation_save(s.sim, PATH));
      read_file(PATH, first);
      open_run(&again, x, o);
      cmbt_ok(again.ctx, cmb_simulation_resume(again.sim, PATH));
      cmbt_ok(again.ctx, cmb_simulation_save(again.sim, OTHER));
      read_file(OTHER, second);
      snprintf(what, sizeof what, "%s, %s", x->name, methods[m]);
      compare_files(what, first, second);
      close_run(&s);
      close_run(&again);
    }
  }
}

/* A number that cannot be right is refused with the line that contains it and the name of that line. */
static void test_numbers_out_of_range(void **state)
{
  (void)state;
  static const char not_a_number[] = "7ff8000000000000", minus_one[] = "bff0000000000000";
  static const char live_mass[] = "parameters: {m: 1}\n"
                                  "bodies: {b: {mass: m, sphere: [0, 0, 0], radius: 0.1}}\n"
                                  "joints: {x: {type: prismatic, child: b, axis: x, rate: 1}}\n";
  static const struct example live = {"live", live_mass, 1, false};
  const struct example *held = &examples[7], *sampled = &examples[6];
  const struct {
    const struct example *example;
    const char *method, *key, *value, *words;
  } cases[] = {
      {held, "mdop5", "t", not_a_number, "the time is not a number"},
      {held, "mdop5", "t", minus_one, "or is before the start of the run"},
      {held, "mdop5", "q", not_a_number, "a number is not finite"},
      {held, "mdop5", "lambda", not_a_number, "a number is not finite"},
      {held, "mdop5", "p", not_a_number, "a parameter is not finite"},
      {&live, "mdop5", "p", minus_one, "a parameter is impossible: live:2:"},
      {&live, "mdop5", "p", minus_one, "the mass is -1; expected a number greater than 0"},
      {held, "mdop5", "rests", "2", "a value is missing, malformed"},
      {held, "mdop5", "slides", "99", "a switching function is held that this model cannot hold"},
      {held, "mdop5", "read-of", "99", "number 1 is 99; expected a number from -8 to 8"},
      {held, "mdop5", "still", "99", "number 1 is 99; expected a number from -1 to "},
      {held, "mdop5", "mode", "5", "a mode is out of range"},
      {held, "mdop5", "redundant", "99", "number 1 is 99; expected a number from 0 to "},
      {held, "mdop5", "rest-unit", minus_one,
       "the scale factor of a closed contact is not positive"},
      {held, "mdop5", "rest-held", "7", "number 1 is 7; expected a number from -1 to 1"},
      {held, "mdop5", "start-q-most", "99", "number 1 is 99; expected a number from 0 to "},
      {held, "mdop5", "start-v-most", "99", "number 1 is 99; expected a number from 0 to "},
      {held, "mdop5", "events", "-1", "the number is negative or too large"},
      {held, "mdop5", "step", minus_one, "the size of the next step is not a positive number"},
      {held, "mdop5", "runaway-level", "99", "number 1 is 99; expected a number from 0 to 65"},
      {held, "auto", "switcher", "7", "the number of the active method is out of range"},
      {held, "radau", "radau-order", "7", "the order is not one that the options"},
      {sampled, "mdop5", "instants", minus_one, "a number is not a whole number from 0 on"},
      {sampled, "mdop5", "calm", "99", "number 1 is 99; expected a number from 0 to 20"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct setup s;
    size_t length;
    char words[300];
    const cmb_run_options o = options_of(cases[i].example, cases[i].method);
    open_run(&s, cases[i].example, o);
    cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0.45));
    cmbt_ok(s.ctx, cmb_simulation_save(s.sim, PATH));
    close_run(&s);
    char *text = read_whole(&length);
    const int line = set_number(text, &length, cases[i].key, 0, cases[i].value);
    write_sealed(text, length);
    open_run(&s, cases[i].example, o);
    snprintf(words, sizeof words,
             "other.state:%d:1: this saved state cannot be resumed: in its line '%s' ", line,
             cases[i].key);
    refuse(&s, OTHER, words);
    if (!strstr(cmb_last_error(s.ctx), cases[i].words)) fail_msg("%s", cmb_last_error(s.ctx));
    close_run(&s);
  }
}

static void test_other_runs(void **state)
{
  (void)state;
  char text[sizeof BOUNCES];
  struct setup s;
  struct example x = examples[0];
  save_one();
  cmb_run_options o = options_of(&x, "mdop5");
  open_run(&s, &examples[2], options_of(&examples[2], "mdop5"));
  refuse(&s, PATH, "it has model \"bounces\", but this run has model \"fivelink\"");
  close_run(&s);
  open_run(&s, &x, options_of(&x, "mdop853"));
  refuse(&s, PATH, "it has method \"mdop5\", but this run has method \"mdop853\"");
  close_run(&s);
  o.integrator.rtol = 1e-6;
  open_run(&s, &x, o);
  refuse(&s, PATH, "but this run has rtol");
  close_run(&s);
  o = options_of(&x, "mdop5");
  const cmb_option_setting setting = {"projection", "every"};
  o.integrator.settings = &setting;
  o.integrator.setting_count = 1;
  open_run(&s, &x, o);
  refuse(&s, PATH, "the options of the method differ");
  close_run(&s);
  o = options_of(&x, "mdop5");
  o.t_end = 0.2;
  open_run(&s, &x, o);
  refuse(&s, PATH, "was saved at t = 0.3, but this run ends at t = 0.2; expected a later end");
  close_run(&s);
  strcpy(text, BOUNCES);
  memcpy(strstr(text, "block: {mass: 1") + strlen("block: {mass: "), "2", 1);
  x.text = text;
  open_run(&s, &x, options_of(&x, "mdop5"));
  refuse(&s, PATH, "its equations differ from those of this run");
  close_run(&s);
}

static void test_wrong_calls(void **state)
{
  (void)state;
  struct setup s;
  open_run(&s, &examples[0], options_of(&examples[0], "mdop5"));
  assert_int_equal(cmb_simulation_save(NULL, PATH), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_simulation_resume(NULL, PATH), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_simulation_save(s.sim, NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_simulation_save(s.sim, PATH), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(s.ctx), "has not begun"));
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0.1));
  assert_true(cmb_simulation_save(s.sim, "no/such/folder/x.state") < 0);
  assert_int_equal(cmb_simulation_save(s.sim, ""), CMB_ERROR_ARGUMENT);
  assert_null(fopen(".partial", "rb"));
  cmbt_ok(s.ctx, cmb_simulation_advance(s.sim, 0.2)); /* the run can go on */
  close_run(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_times),
                                     cmocka_unit_test(test_all_methods),
                                     cmocka_unit_test(test_later_end),
                                     cmocka_unit_test(test_damaged_files),
                                     cmocka_unit_test(test_forged_files),
                                     cmocka_unit_test(test_other_runs),
                                     cmocka_unit_test(test_wrong_calls),
                                     cmocka_unit_test(test_impossible_numbers),
                                     cmocka_unit_test(test_numbers_out_of_range),
                                     cmocka_unit_test(test_saved_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
