/*
 * Errors as data (cmb_error_of): the record of a failure and its error text agree, for mistakes of every kind. Tested are all bad models of
 * tests/cli/bad, whose first lines say where the mistake is, and mistakes in formulas, tables, options, mechanisms, starts and runs, for
 * which status, place, subject and time are known beforehand.
 */
#include "check.h"
#include "model_case.h"

#include "base/output.h"

#include <camber/camber.h>
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the record against the text */

static const char *text_after(const char *sentence, const char *part)
{
  const size_t length = strlen(part);
  if (strncmp(sentence, part, length) != 0)
    fail_msg("'%s' does not begin with '%s'", sentence, part);
  return sentence + length;
}

/* Checks that the text begins with the place of the record, if it has one, and returns the rest. */
static const char *text_after_place(const cmb_error *e, const char *sentence)
{
  char place[300] = "";
  assert_true((e->line > 0) == (e->column > 0));
  if (e->line > 0 && e->file)
    snprintf(place, sizeof place, "%s:%d:%d: ", e->file, e->line, e->column);
  if (e->line > 0 && !e->file) snprintf(place, sizeof place, "%d:%d: ", e->line, e->column);
  return text_after(sentence, place);
}

static void check_subject(const cmb_error *e, const char *sentence)
{
  assert_true(!e->kind == !e->name);
  if (!e->name) return;
  assert_non_null(e->subject);
  if (!strstr(sentence, e->name)) fail_msg("'%s' does not name '%s'", sentence, e->name);
  if (!strstr(e->subject, e->kind)) fail_msg("'%s' is no %s", e->subject, e->kind);
}

/* Checks that a text which contains a time contains that of the record. */
static void check_time(const cmb_error *e, const char *sentence)
{
  const char *const formats[] = {"t = %g", "t = %.9g", "t = %.12g", "to %.9g"};
  bool found = false;
  char words[60];
  if (isnan(e->time) && strstr(sentence, " at t = ")) fail_msg("no time of '%s'", sentence);
  for (size_t i = 0; i < sizeof formats / sizeof *formats && !isnan(e->time); i++) {
    snprintf(words, sizeof words, formats[i], e->time);
    found = found || strstr(sentence, words);
  }
  if (!isnan(e->time) && !found) fail_msg("'%s' does not contain t = %.12g", sentence, e->time);
}

static void check_record(const cmb_context *ctx, cmb_status status)
{
  const cmb_error *e = cmb_error_of(ctx);
  const char *sentence = cmb_last_error(ctx), *rest = text_after_place(e, sentence);
  assert_int_equal(e->status, status);
  assert_non_null(e->text);
  const size_t length = strlen(rest), words = strlen(e->text);
  assert_true(words <= length);
  assert_string_equal(rest + length - words, e->text);
  if (e->subject && strncmp(rest, e->subject, strlen(e->subject)) == 0 && words < length) {
    assert_string_equal(text_after(text_after(rest, e->subject), ": "), e->text);
  }
  check_subject(e, sentence);
  check_time(e, sentence);
}

/* ---- the stage at which a model fails */

enum stage { READ, BUILD, START, RUN, DONE };

/* Reads, builds, starts and runs the model of the text or (NULL) of the file. Returns the stage that failed, or DONE, and its status. */
static enum stage try_model(cmb_context *ctx, const char *text, const char *path,
                            cmb_status *status)
{
  enum stage stage = READ;
  cmb_model *model = NULL;
  cmb_system *system = NULL;
  cmb_simulation *sim = NULL;
  const cmb_model_system_options building = {.evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_run_options options = cmb_run_defaults();
  options.t_end = 1;
  *status = text ? cmb_model_parse(ctx, text, strlen(text), path, NULL, &model)
                 : cmb_model_read(ctx, path, NULL, &model);
  if (*status == CMB_OK) stage = BUILD, *status = cmb_model_system(ctx, model, &building, &system);
  if (*status == CMB_OK) *status = cmb_simulation_create(ctx, system, &options, &sim);
  if (*status == CMB_OK) stage = START, *status = cmb_simulation_start(sim);
  if (*status == CMB_OK) stage = RUN, *status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  return *status == CMB_OK ? DONE : stage;
}

/* ---- the bad models of tests/cli */

/* Reads the first line of a bad model, "# expect: [FILE:]LINE:COL: TEXT". */
static void expected_place(const char *path, int *line, int *column)
{
  char text[300];
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  assert_non_null(fgets(text, sizeof text, file));
  fclose(file);
  const char *place = text_after(text, "# expect: ");
  if (strncmp(place, "parts/", 6) == 0) place = strchr(place, ':') + 1;
  assert_int_equal(sscanf(place, "%d:%d:", line, column), 2);
}

/* Checks one bad model; returns whether it failed before its run. Some mistakes are found by the program only (options under `simulate`),
 * and a loop that cannot be closed has no place in the equations. */
static int check_bad_model(const char *path)
{
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_error *e = cmb_error_of(ctx);
  cmb_status status;
  int line, column;
  const enum stage stage = try_model(ctx, NULL, path, &status);
  expected_place(path, &line, &column);
  if (stage < RUN) check_record(ctx, status);
  if (stage < START) {
    if (e->line != line || e->column != column)
      fail_msg("%s: not %d:%d", cmb_last_error(ctx), line, column);
  }
  if (stage == START) {
    assert_int_equal(status, CMB_ERROR_INCONSISTENT);
    assert_string_equal(e->kind, "constraint");
    assert_true(e->time == 0);
  }
  cmb_context_destroy(ctx);
  return stage < RUN;
}

static void test_places_of_bad_models(void **state)
{
  (void)state;
  char folder[1000], path[1300];
  int refused = 0;
  snprintf(folder, sizeof folder, "%s/tests/cli/bad", getenv("SOURCE_DIR"));
  DIR *dir = opendir(folder);
  assert_non_null(dir);
  for (struct dirent *entry; (entry = readdir(dir));) {
    if (!strstr(entry->d_name, ".yaml")) continue;
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    refused += check_bad_model(path);
  }
  closedir(dir);
  assert_true(refused >= 130);
}

/* ---- mistakes of which all data are known */

#define PENDULUM                                                                                   \
  "bodies: {b: {mass: 1, com: [0, 0, -1], inertia: [1, 1, 1]}}\n"                                  \
  "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y, coordinates: [phi]}}\n"
#define BALL                                                                                       \
  "bodies: {b: {mass: 1, com: [0, 0, 0]}}\n"                                                       \
  "joints: {j: {type: prismatic, child: b, at: [0, 0, 0], axis: z, coordinates: [z], "

struct mistake {
  const char *text;
  enum stage stage;
  cmb_status status;
  int line, column;
  const char *kind, *name;
  double from, to; /* interval of the time; NaN: the record has no time */
};

#define NO_TIME NAN, NAN

/* Lines and columns of the first wrong character, counted by hand. */
static const struct mistake mistakes[] = {
    /* formulas: of a parameter, of another one that it depends on, of a force, of an output over two lines, of measures */
    {"parameters: {a: 1 +}\n" PENDULUM, READ, CMB_ERROR_INPUT, 1, 20, "parameter", "a", NO_TIME},
    {"parameters:\n  a: 2*b\n  b: sin(1, 2)\n" PENDULUM, READ, CMB_ERROR_INPUT, 3, 11, "parameter",
     "b", NO_TIME},
    {"parameters:\n  a: 2*b\n  b: a\n" PENDULUM, READ, CMB_ERROR_INPUT, 3, 6, "parameter", "b",
     NO_TIME},
    {PENDULUM "forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, torque: [0, 1 + ph, 0]}}\n",
     BUILD, CMB_ERROR_INPUT, 3, 72, "force", "f", NO_TIME},
    {PENDULUM "outputs:\n  o: |\n    phi +\n    phj\n", BUILD, CMB_ERROR_INPUT, 6, 1, "output", "o",
     NO_TIME},
    {PENDULUM "outputs: {o: 'phi )'}\n", READ, CMB_ERROR_INPUT, 3, 19, "output", "o", NO_TIME},
    {PENDULUM "measures: {m: 2*n, n: m}\noutputs: {o: m}\n", BUILD, CMB_ERROR_INPUT, 3, 12,
     "measure", "m", NO_TIME},
    {PENDULUM "measures: {m: 2*phj}\noutputs: {o: m}\n", BUILD, CMB_ERROR_INPUT, 3, 17, "measure",
     "m", NO_TIME},
    {PENDULUM "inputs: {u: phi}\noutputs: {o: u}\n", BUILD, CMB_ERROR_INPUT, 3, 13, "input", "u",
     NO_TIME},
    /* tables */
    {PENDULUM "tables: {s: [[0, 0]]}\n", READ, CMB_ERROR_INPUT, 3, 13, "table", "s", NO_TIME},
    {PENDULUM "tables: {s: [[0, 0], [1, 1], [1, 2]]}\n", READ, CMB_ERROR_INPUT, 3, 30, "table", "s",
     NO_TIME},
    {PENDULUM "tables: {s: {x: [0], y: [0, 1], values: [[0, 1]]}}\n", READ, CMB_ERROR_INPUT, 3, 13,
     "table", "s", NO_TIME},
    {PENDULUM "tables: {s: [[0, 0], [1, 1]]}\noutputs: {o: 's(1, 2)'}\n", READ, CMB_ERROR_INPUT, 4,
     15, "output", "o", NO_TIME},
    /* syntax, and parts of the model */
    {"title: [1\n", READ, CMB_ERROR_INPUT, 2, 1, NULL, NULL, NO_TIME},
    {"", READ, CMB_ERROR_INPUT, 1, 1, NULL, NULL, NO_TIME},
    {"templates: {arm: {bodies: {b: {mass: -1, com: [0, 0, 0]}}}}\n"
     "instances: {left: {template: arm}}\n",
     READ, CMB_ERROR_INPUT, 1, 38, "body", "left.b", NO_TIME},
    {PENDULUM "markers: {k: {on: c, at: [0, 0, 0]}}\n", READ, CMB_ERROR_INPUT, 3, 19, "marker", "k",
     NO_TIME},
    {PENDULUM "events: {e: {when: 1 > 2}}\n", BUILD, CMB_ERROR_INPUT, 3, 20, "event", "e", NO_TIME},
    {PENDULUM "events: {e: {when: phi > 1, action: {reset: {phi: 0}}}}\n", BUILD, CMB_ERROR_INPUT,
     3, 46, "event", "e", NO_TIME},
    {"bodies: {b: {massless: true}}\n"
     "joints: {j: {type: revolute, child: b, at: [0, 0, 0], axis: y}}\n",
     BUILD, CMB_ERROR_INPUT, 1, 10, "body", "b", NO_TIME},
    {PENDULUM "loops: {l: {type: formula, formula: phi}}\noutputs: {l: 1}\n", BUILD,
     CMB_ERROR_INPUT, 4, 11, "output", "l", NO_TIME},
    /* constraints: without a gradient, contradictory, and such that cannot be satisfied at the start */
    {PENDULUM "loops: {l: {type: formula, formula: phi^2}}\n", BUILD, CMB_ERROR_INPUT, 3, 9, "loop",
     "l", NO_TIME},
    {PENDULUM "loops: {l: {type: formula, formula: phi}, m: {type: formula, formula: phi - t}}\n",
     BUILD, CMB_ERROR_INPUT, 3, 43, "loop", "m", NO_TIME},
    {PENDULUM
     "points: {P: [0, 0, 5], Q: [0, 0, 0]}\nloops: {l: {type: distance, between: [ground@P, b@Q], "
     "length: 1}}\n",
     START, CMB_ERROR_INCONSISTENT, 0, 0, "constraint", "l", 0, 0},
    {BALL "start: -0.3}}\nloops: {s: {type: stop, formula: z, restitution: 0.5}}\n", RUN,
     CMB_ERROR_INCONSISTENT, 0, 0, "stop", "s", 0, 0},
    {"bodies: {b: {mass: 1, com: [0.1, 0, -0.3], inertia: [0.02, 0.03, 0.04]}}\n"
     "joints: {ball: {type: spherical, child: b, at: [0, 0, 0], start: [0, 90 deg, 0], rate: [1, "
     "1, "
     "1]}}\n",
     START, CMB_ERROR_EQUATIONS, 2, 10, "joint", "ball", 0, 0},
    {PENDULUM "outputs: {o: 1/phi}\n", START, CMB_ERROR_NONFINITE, 0, 0, "output", "o", 0, 0},
    /* during the run; a ball that falls from 1 m and rebounds with a tenth of its speed does so until sqrt(2/9.81) (1 + 2/9) s */
    {BALL "}}\nloops: {l: {type: formula, formula: 'z - floor(2*t)'}}\n", RUN,
     CMB_ERROR_CONTRADICTION, 0, 0, "constraint", "l", 0.5, 0.5},
    {BALL "}}\nloops: {s: {type: stop, formula: 'if(t < 0.2, z + 1, z)', restitution: 0.5}}\n", RUN,
     CMB_ERROR_EVENTS, 0, 0, "stop", "s", 0.2, 0.2},
    {BALL "rate: 9}}\nloops: {s: {type: stop, formula: 'z + 1 - if(t < 0.2, 0, 9)', restitution: "
          "0.5}}\n",
     RUN, CMB_ERROR_EVENTS, 0, 0, "stop", "s", 0.2, 0.2},
    {BALL "}}\nloops: {l: {type: formula, formula: z - t}}\nevents: {e: {when: t > 0.5, action: "
          "{reset: {z': 3}}}}\n",
     RUN, CMB_ERROR_EVENTS, 0, 0, "event", "e", 0.5, 0.5},
    {BALL "start: 1}}\nevents: {e: {when: z < 0 and t > 0.1, action: {reset: {z': -0.1*z'}}}}\n",
     RUN, CMB_ERROR_EVENTS, 0, 0, "event", "e", 0.55186, 0.55187},
    {BALL "}}\noutputs: {o: sqrt(0.25 - t)}\n", RUN, CMB_ERROR_NONFINITE, 0, 0, "output", "o", 0.25,
     1},
    {BALL
     "}}\nforces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [0, 0, sqrt(0.5 - t)]}}\n",
     RUN, CMB_ERROR_STEP_SIZE, 0, 0, NULL, NULL, 0.49, 0.5},
    {BALL "start: 1, rate: 10}}\nforces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: [0, "
          "0, 100*z^3]}}\n",
     RUN, CMB_ERROR_DIVERGED, 0, 0, "velocity", "z'", 0.01, 0.5},
};

static void check_texts(const char *is, const char *expected)
{
  if (!is != !expected)
    fail_msg("'%s'; expected '%s'", is ? is : "NULL", expected ? expected : "NULL");
  if (expected) assert_string_equal(is, expected);
}

static void check_mistake(const struct mistake *m)
{
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_error *e = cmb_error_of(ctx);
  cmb_status status;
  const enum stage stage = try_model(ctx, m->text, "test.yaml", &status);
  check_record(ctx, status);
  assert_int_equal(stage, m->stage);
  assert_int_equal(status, m->status);
  assert_int_equal(e->line, m->line);
  assert_int_equal(e->column, m->column);
  check_texts(e->file, m->line > 0 ? "test.yaml" : NULL);
  check_texts(e->kind, m->kind);
  check_texts(e->name, m->name);
  if (isnan(m->from)) assert_true(isnan(e->time));
  if (!isnan(m->from) && !(e->time >= m->from - 1e-9 && e->time <= m->to + 1e-9)) {
    fail_msg("%s: not from t = %g to %g", cmb_last_error(ctx), m->from, m->to);
  }
  cmb_context_destroy(ctx);
}

static void test_mistakes(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) check_mistake(&mistakes[i]);
}

/* ---- failures without a model text */

static void expect_error(const cmb_context *ctx, cmb_status status, const char *file, int line,
                         int column, const char *subject)
{
  const cmb_error *e = cmb_error_of(ctx);
  check_record(ctx, status);
  check_texts(e->file, file);
  assert_int_equal(e->line, line);
  assert_int_equal(e->column, column);
  check_texts(e->subject, subject);
}

static void test_places_in_formulas(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  double x;
  expect_error(ctx, cmb_number_parse(ctx, "1 + 2 * )", &x), NULL, 1, 9, NULL);
  assert_memory_equal(cmb_last_error(ctx), "1:9: ", 5);
  expect_error(ctx, cmb_number_parse(ctx, "1 +\n\n (2", &x), NULL, 3, 4, NULL);
  expect_error(ctx, cmb_number_parse(ctx, "1/0", &x), NULL, 0, 0, NULL);
  cmb_context_destroy(ctx);
}

static void test_names_of_files(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_status status = cmb_model_read(ctx, "no/such.yaml", NULL, &model);
  assert_int_equal(status, CMB_ERROR_IO);
  expect_error(ctx, status, "no/such.yaml", 0, 0, NULL);
  status = cmb_output_possible(ctx, "no/folder/x.csv");
  assert_int_equal(status, CMB_ERROR_IO);
  expect_error(ctx, status, "no/folder/x.csv", 0, 0, NULL);
  cmb_context_destroy(ctx);
}

/* Checks options of a run, and parameters and start values that are to be set. */
static void test_names_of_settings(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const char *const no_parameter[] = {"nothing"};
  const double one[] = {1}, infinite[] = {INFINITY};
  const char *const a[] = {"a"};
  const char text[] = "parameters: {a: 1}\n" PENDULUM;
  const cmb_option_setting colour = {"colour", "red"}, every = {"projection", "sometimes"};
  const cmb_setting start = {"psi", 1};
  cmb_model_options set = {.set_count = 1, .set_names = no_parameter, .set_values = one};
  cmb_model *model;
  cmb_system *system;
  cmb_simulation *sim;
  expect_error(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", &set, &model), NULL, 0, 0,
               "parameter 'nothing'");
  set = (cmb_model_options){.set_count = 1, .set_names = a, .set_values = infinite};
  expect_error(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", &set, &model), NULL, 0, 0,
               "parameter 'a'");
  const cmb_method *method = cmb_method_find("mdop5");
  expect_error(ctx, cmb_method_check_option(ctx, method, &colour), NULL, 0, 0, "option 'colour'");
  expect_error(ctx, cmb_method_check_option(ctx, method, &every), NULL, 0, 0,
               "option 'projection'");
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "test.yaml", NULL, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, NULL, &system));
  expect_error(ctx, cmb_system_set_start(ctx, system, 1, &start), NULL, 0, 0,
               "coordinate or velocity 'psi'");
  cmb_run_options options = cmb_run_defaults();
  options.integrator.rtol = -1;
  expect_error(ctx, cmb_simulation_create(ctx, system, &options, &sim), NULL, 0, 0,
               "option 'rtol'");
  options = cmb_run_defaults();
  options.every = -1;
  expect_error(ctx, cmb_simulation_create(ctx, system, &options, &sim), NULL, 0, 0,
               "option 'every'");
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

/* Checks that fields which are unknown for a failure do not keep the values of the failure before. */
static void test_unknown_fields_are_reset(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_error *e = cmb_error_of(ctx);
  cmb_status status;
  assert_int_equal(e->status, CMB_OK);
  assert_true(isnan(e->time) && !e->file && !e->subject && !e->kind && !e->name && !e->text);
  try_model(ctx, mistakes[0].text, "test.yaml", &status);
  assert_int_equal(e->line, mistakes[0].line);
  assert_int_equal(cmb_model_parse(ctx, NULL, 0, NULL, NULL, NULL), CMB_ERROR_ARGUMENT);
  assert_true(isnan(e->time) && !e->file && !e->subject && !e->kind && !e->name && e->text);
  assert_int_equal(e->line, 0);
  assert_string_equal(e->text, cmb_last_error(ctx));
  assert_int_equal(cmb_error_of(NULL)->status, CMB_OK);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_places_of_bad_models), cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_places_in_formulas),   cmocka_unit_test(test_names_of_files),
      cmocka_unit_test(test_names_of_settings),    cmocka_unit_test(test_unknown_fields_are_reset),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
