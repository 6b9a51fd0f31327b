/*
 * Tests of drafts (cmb_draft_create), models that a program builds: the meaning of keys, the replacement of values, and errors. An error
 * names the key, is reported again by all later calls, and leaks no memory.
 */
#include "check.h"
#include "failing_allocator.h"
#include "model_case.h"

#include <camber/dyn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static cmb_draft *new_draft(cmb_context *ctx)
{
  cmb_draft *d;
  cmbt_ok(ctx, cmb_draft_create(ctx, "test", &d));
  return d;
}

static void put_pendulum(cmb_draft *d)
{
  cmb_draft_point(d, "A", 0, 0, 0);
  cmb_draft_point(d, "B", 0, 0, -1);
  cmb_draft_rod(d, "rod", 2, "A", "B");
  cmb_draft_joint(d, "swing", "revolute", "ground", "rod", "A", "y");
}

/* ---- values */

static void numbers_keep_their_bits(void **state)
{
  (void)state;
  static const double x[] = {0.1, 1.0 / 3, -2.5e-300, 4.9e-324, 1.7976931348623157e308, -7};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *d = new_draft(ctx);
  cmb_model *m;
  char name[8];
  put_pendulum(d);
  for (int i = 0; i < 6; i++) {
    snprintf(name, sizeof name, "p%d", i);
    cmbt_ok(ctx, cmb_draft_parameter(d, name, x[i]));
  }
  cmbt_ok(ctx, cmb_draft_model(d, NULL, &m));
  for (int i = 0; i < 6; i++) {
    snprintf(name, sizeof name, "p%d", i);
    assert_true(cmbt_model_parameter(m, name) == x[i]);
  }
  cmb_model_destroy(m);
  cmb_draft_destroy(d);
  cmb_context_destroy(ctx);
}

/* Makes the model of a draft; returns the mass of the body `rod`, after checking that its place is the key. */
static double mass_of(cmb_context *ctx, cmb_draft *d, const cmb_model_options *options)
{
  cmb_model *m;
  cmbt_ok(ctx, cmb_draft_model(d, options, &m));
  const double mass = cmbt_model_body(m, "rod")->mass.value;
  assert_true(cmbt_model_body(m, "rod")->place.line == 0);
  assert_string_equal(cmbt_model_body(m, "rod")->place.key, "bodies/rod");
  cmb_model_destroy(m);
  return mass;
}

/* Checks that a draft can be changed and made into a model several times: new values replace old ones, and options set parameters as for
 * model files. */
static void drafts_change(void **state)
{
  (void)state;
  static const char *const names[] = {"m"};
  static const double values[] = {9};
  const cmb_model_options set = {.set_count = 1, .set_names = names, .set_values = values};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *d = new_draft(ctx);
  put_pendulum(d);
  assert_true(mass_of(ctx, d, NULL) == 2);
  cmbt_ok(ctx, cmb_draft_text(d, "bodies/rod/mass", "3*m"));
  cmbt_ok(ctx, cmb_draft_parameter(d, "m", 4));
  assert_true(mass_of(ctx, d, NULL) == 12);
  assert_true(mass_of(ctx, d, &set) == 27);
  cmb_model *m;
  cmbt_ok(ctx, cmb_draft_numbers(d, "points/B", 3, (const double[]){0, 0, -2}));
  cmbt_ok(ctx, cmb_draft_text(d, "bodies/rod/mass", "-m"));
  /* a wrong value can be replaced */
  assert_int_equal(cmb_draft_model(d, NULL, &m), CMB_ERROR_INPUT);
  cmbt_ok(ctx, cmb_draft_number(d, "bodies/rod/mass", 5));
  assert_true(mass_of(ctx, d, NULL) == 5);
  cmb_draft_destroy(d);
  cmb_context_destroy(ctx);
}

/* Checks lists, whose entries have keys with their numbers: a new entry gets the next number, and entries can be changed in any order. */
static void list_entries_have_numbers(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *d = new_draft(ctx);
  cmb_model *m;
  put_pendulum(d);
  for (int i = 0; i < 3; i++) {
    char key[40];
    snprintf(key, sizeof key, "shapes/%d/line/0", i);
    cmbt_ok(ctx, cmb_draft_text(d, key, "rod@A"));
    snprintf(key, sizeof key, "shapes/%d/line/1", i);
    cmbt_ok(ctx, cmb_draft_text(d, key, "rod@B"));
  }
  cmbt_ok(ctx, cmb_draft_text(d, "shapes/1/colour", "red"));
  cmbt_ok(ctx, cmb_draft_text(d, "shapes/0/colour", "blue"));
  cmbt_ok(ctx, cmb_draft_model(d, NULL, &m));
  assert_int_equal(m->shape_count, 3);
  assert_string_equal(m->shapes[0].colour, "blue");
  assert_string_equal(m->shapes[1].colour, "red");
  assert_string_equal(m->shapes[2].colour, "");
  cmb_model_destroy(m);
  cmb_draft_destroy(d);
  cmb_context_destroy(ctx);
}

/* Checks that the path of an included file is relative to the folder of the draft's name, and that an error in this file has a line and no
 * key. */
static void files_are_included(void **state)
{
  (void)state;
  static const char part[] =
      "bodies: {w: {mass: 1, com: A}}\njoints: {r: {type: free, child: v}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *d;
  cmb_model *m;
  cmbt_write_file("drafts/part.yaml", part, sizeof part - 1);
  cmbt_ok(ctx, cmb_draft_create(ctx, "drafts/whole.yaml", &d));
  put_pendulum(d);
  cmbt_ok(ctx, cmb_draft_text(d, "include", "part.yaml"));
  assert_int_equal(cmb_draft_model(d, NULL, &m), CMB_ERROR_INPUT);
  const cmb_error *e = cmb_error_of(ctx);
  assert_string_equal(e->file, "drafts/part.yaml");
  assert_int_equal(e->line, 2);
  assert_null(e->key);
  cmb_draft_destroy(d);
  cmb_context_destroy(ctx);
}

/* ---- failures */

/* Functions that are called wrongly, for a draft that is a correct pendulum otherwise. */
enum call { TEXT, NUMBER, NUMBERS, TEXTS, JOINT, LOOP, BODY };

/* Calls a function with this key or name and value. A value of NULL means a missing argument, or NaN for a number. */
static cmb_status do_call(cmb_draft *d, enum call call, const char *key, const char *value)
{
  static const double pair[] = {1, 2};
  const char *const texts[] = {value, value};
  switch (call) {
  case TEXT: return cmb_draft_text(d, key, value);
  case NUMBER: return cmb_draft_number(d, key, value ? -1 : (double)NAN);
  case NUMBERS: return cmb_draft_numbers(d, key, 2, value ? pair : NULL);
  case TEXTS: return cmb_draft_texts(d, key, value ? 2 : -1, texts);
  case JOINT: return cmb_draft_joint(d, key, "revolute", NULL, value, "A", "x");
  case LOOP: return cmb_draft_loop(d, key, "spherical", "rod@A", value, NULL);
  default: return cmb_draft_body(d, key, 1, value ? (const double[]){0, 0, 0} : NULL, NULL);
  }
}

static const struct mistake {
  enum call call;
  const char *key, *value;
  cmb_status status;
  const char *sentence; /* beginning of the message, after "test: " */
  bool late;            /* the error is found when the model is made */
} mistakes[] = {
    {TEXT, "bodies/rod/mass", "-1", CMB_ERROR_INPUT,
     "bodies/rod/mass: body 'rod': the mass is -1; expected", true},
    {TEXT, "bodies/rod/mass", "2*k + 1", CMB_ERROR_INPUT,
     "bodies/rod/mass: 1:3: body 'rod': unknown name 'k'", true},
    {TEXT, "joints/swing/start", "1 +", CMB_ERROR_INPUT, "joints/swing/start: 1:4: joint 'swing'",
     true},
    {TEXT, "bodies/rod/mas", "1", CMB_ERROR_INPUT,
     "bodies/rod/mas: body 'rod': unknown key 'mas': did you mean 'mass'?", true},
    {TEXT, "bodis/rod/mass", "1", CMB_ERROR_INPUT, "bodis: unknown key 'bodis'", true},
    {TEXT, "shapes/0/line/0", "rod@Q", CMB_ERROR_INPUT, "shapes/0/line: shape: 'line' has 1", true},
    {TEXT, "outputs/deg", "1", CMB_ERROR_INPUT, "outputs/deg: output 'deg': the name 'deg'", true},
    {TEXT, "events/e/action/reset/a~1b", "0", CMB_ERROR_INPUT,
     "events/e: event 'e': the key 'when' is missing", true},
    {NUMBERS, "gravity", "x", CMB_ERROR_INPUT, "gravity: 'gravity' has 2 entries; expected", true},
    {JOINT, "other", "rod", CMB_ERROR_INPUT, "joints/other: joint 'other'", true},
    {JOINT, "a/b", "rod", CMB_ERROR_INPUT, "joints/a~1b: joint 'a/b': 'a/b' is no name", true},
    {LOOP, "l", "rod@B", CMB_ERROR_INPUT, "loops/l: loop 'l': both sides", true},
    {LOOP, "rod", "ground@B", CMB_ERROR_INPUT,
     "loops/rod: loop 'rod': the name 'rod' is taken by the body in test: bodies/rod; ", true},
    {BODY, "other", "x", CMB_ERROR_INPUT, "bodies/other: body 'other'", true},
    {NUMBER, "bodies/rod/mass", NULL, CMB_ERROR_ARGUMENT, "bodies/rod/mass: wrong call: ", false},
    {TEXT, "bodies/rod/mass", NULL, CMB_ERROR_ARGUMENT, "bodies/rod/mass: wrong call: ", false},
    {TEXT, NULL, "1", CMB_ERROR_ARGUMENT, "wrong call: the key is NULL", false},
    {NUMBERS, "gravity", NULL, CMB_ERROR_ARGUMENT, "gravity: wrong call: ", false},
    {TEXTS, "gravity", NULL, CMB_ERROR_ARGUMENT, "gravity: wrong call: ", false},
    {BODY, "other", NULL, CMB_ERROR_ARGUMENT, "bodies/other/com: wrong call: ", false},
    {BODY, NULL, "x", CMB_ERROR_ARGUMENT, "bodies: wrong call: the name is NULL", false},
    {LOOP, "l", NULL, CMB_ERROR_ARGUMENT, "loops/l/between: wrong call: ", false},
    {BODY, "rod", "x", CMB_ERROR_INPUT, "bodies/rod: this entry exists already; ", false},
    {BODY, "", "x", CMB_ERROR_INPUT, "bodies: the name is empty; ", false},
    {TEXT, "", "1", CMB_ERROR_INPUT, "'' is no key; ", false},
    {TEXT, "/a", "1", CMB_ERROR_INPUT, "'/a' is no key; ", false},
    {TEXT, "a//b", "1", CMB_ERROR_INPUT, "'a//b' is no key; ", false},
    {TEXT, "a/", "1", CMB_ERROR_INPUT, "'a/' is no key; ", false},
    {TEXT, "a~2", "1", CMB_ERROR_INPUT, "'a~2' is no key; ", false},
    {TEXT, "a\nb", "1", CMB_ERROR_INPUT, "'a?b' is no key; ", false},
    {TEXT, "a\xff", "1", CMB_ERROR_INPUT, "byte 0xFF is no part of a text; ", false},
    {TEXT, "title", "a\x01", CMB_ERROR_INPUT, "title: 1:2: byte 0x01 is no part of a text; ",
     false},
    {TEXT, "bodies/rod", "1", CMB_ERROR_INPUT,
     "bodies/rod: the value of this key is a map already; ", false},
    {TEXT, "bodies/rod/mass/x", "1", CMB_ERROR_INPUT,
     "bodies/rod/mass/x: 'x' cannot be set in a value that is the text '2'; ", false},
    {TEXT, "shapes/1/line", "1", CMB_ERROR_INPUT,
     "shapes/1/line: '1' is no index of this list, which has 0 entries; expected a number from 0 "
     "to 0",
     false},
    {TEXT, "points/A/x", "1", CMB_ERROR_INPUT,
     "points/A/x: 'x' is no index of this list, which has 3 entries; ", false},
};

/* Checks the status and the beginning of the message, which has one line; and that the error as data has status, file and text. */
static void check_failure(cmb_context *ctx, const struct mistake *m, cmb_status status,
                          const char *sentence)
{
  const cmb_error *e = cmb_error_of(ctx);
  if (status != m->status || strncmp(cmb_last_error(ctx), sentence, strlen(sentence)) != 0 ||
      strchr(cmb_last_error(ctx), '\n')) {
    fail_msg("%s: %s; expected \"%s...\"", cmb_status_code(status), cmb_last_error(ctx), sentence);
  }
  assert_int_equal(e->status, status);
  assert_string_equal(e->file, "test");
  assert_non_null(e->text);
}

static void failures_name_the_key(void **state)
{
  (void)state;
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    const struct mistake *m = &mistakes[i];
    char sentence[400];
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_draft *d = new_draft(ctx);
    cmb_model *model;
    snprintf(sentence, sizeof sentence, "test: %s", m->sentence);
    put_pendulum(d);
    cmb_status status = do_call(d, m->call, m->key, m->value);
    if (m->late) {
      cmbt_ok(ctx, status);
    } else {
      check_failure(ctx, m, status, sentence);
      /* later calls return the first error */
      assert_int_equal(cmb_draft_text(d, "title", "too late"), status);
      check_failure(ctx, m, status, sentence);
    }
    status = cmb_draft_model(d, NULL, &model);
    check_failure(ctx, m, status, sentence);
    assert_null(model);
    cmb_draft_destroy(d);
    cmb_context_destroy(ctx);
  }
}

/* Checks the error as data for a wrong formula: its key, the line and column in its text, and the kind and name of the element. */
static void failures_are_data(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *d = new_draft(ctx);
  cmb_model *m;
  const cmb_error *e = cmb_error_of(ctx);
  put_pendulum(d);
  cmb_draft_text(d, "forces/f/type", "load");
  cmb_draft_text(d, "forces/f/on", "rod@B");
  cmb_draft_texts(d, "forces/f/force", 3, (const char *const[]){"0", "1 + * 2", "0"});
  assert_int_equal(cmb_draft_model(d, NULL, &m), CMB_ERROR_INPUT);
  e = cmb_error_of(ctx);
  assert_string_equal(e->key, "forces/f/force/1");
  assert_int_equal(e->line, 1);
  assert_int_equal(e->column, 5);
  assert_string_equal(e->kind, "force");
  assert_string_equal(e->name, "f");
  cmb_draft_destroy(d);
  cmb_context_destroy(ctx);
}

/* Checks errors that are found when the equations are made: an unknown name in a formula, and a model without bodies. */
static void equations_name_the_key(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *d = new_draft(ctx);
  cmb_model *m;
  cmb_mechanism *mechanism;
  const cmb_mechanism_options options = {.formulation = CMB_FORM_RESIDUAL};
  put_pendulum(d);
  cmb_draft_output(d, "z", "1 + road.com.z", "m");
  cmbt_ok(ctx, cmb_draft_model(d, NULL, &m));
  assert_int_equal(cmb_mechanism_create(ctx, m, &options, &mechanism), CMB_ERROR_INPUT);
  const cmb_error *e = cmb_error_of(ctx);
  assert_string_equal(e->key, "outputs/z/value");
  assert_int_equal(e->column, 5);
  assert_string_equal(e->name, "z");
  cmb_model_destroy(m);
  cmb_draft_destroy(d);
  d = new_draft(ctx);
  cmbt_ok(ctx, cmb_draft_text(d, "title", "nothing"));
  cmbt_ok(ctx, cmb_draft_model(d, NULL, &m));
  assert_int_equal(cmb_mechanism_create(ctx, m, &options, &mechanism), CMB_ERROR_INPUT);
  assert_string_equal(cmb_last_error(ctx), "test: the model has no bodies; expected at least one");
  assert_false(cmb_model_reads(m, "test"));
  cmb_model_destroy(m);
  cmb_draft_destroy(d);
  cmb_context_destroy(ctx);
}

/* Checks the limits: depth and length of a key, length of a name, and the number of parts of a draft. */
static void limits_are_checked(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  char key[1200];
  cmb_draft *d = new_draft(ctx);
  for (int i = 0; i < 70; i++) memcpy(key + 2 * i, "a/", 3);
  key[139] = '\0'; /* without the last '/' */
  assert_int_equal(cmb_draft_text(d, key, "1"), CMB_ERROR_INPUT);
  cmb_draft_destroy(d);
  d = new_draft(ctx);
  memset(key, 'a', 1100);
  key[1100] = '\0';
  assert_int_equal(cmb_draft_text(d, key, "1"), CMB_ERROR_INPUT);
  cmb_draft_destroy(d);
  d = new_draft(ctx);
  assert_int_equal(cmb_draft_parameter(d, key, 1), CMB_ERROR_INPUT);
  cmb_draft_destroy(d);
  d = new_draft(ctx);
  static double x[2000];
  cmb_status status = CMB_OK;
  for (int i = 0; i < 600 && status == CMB_OK; i++) {
    snprintf(key, sizeof key, "tables/t%d", i);
    status = cmb_draft_rows(d, key, 1000, 2, x);
  }
  assert_int_equal(status, CMB_ERROR_INPUT); /* more than a million parts */
  cmb_draft_destroy(d);
  cmb_context_destroy(ctx);
}

static void wrong_calls_are_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_draft *d;
  cmb_model *m;
  assert_int_equal(cmb_draft_create(NULL, "x", &d), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_draft_create(ctx, NULL, &d), CMB_ERROR_ARGUMENT);
  assert_null(d);
  assert_int_equal(cmb_draft_create(ctx, "", &d), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_draft_create(ctx, "x", NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_draft_text(NULL, "title", "x"), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_draft_body(NULL, "b", 1, NULL, NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_draft_model(NULL, NULL, &m), CMB_ERROR_ARGUMENT);
  assert_null(m);
  cmb_draft_destroy(NULL);
  d = new_draft(ctx);
  assert_int_equal(cmb_draft_model(d, NULL, NULL), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_draft_rows(d, "tables/t", 2, 0, (const double[]){1}), CMB_ERROR_ARGUMENT);
  cmb_draft_destroy(d);
  cmb_context_destroy(ctx);
}

/* Makes a draft with one call of almost every function, and its model. */
static cmb_status make_all(cmb_context *ctx, cmb_model **m)
{
  cmb_draft *d = NULL;
  static const double rows[] = {0, 0, 1, 1};
  static const double com[] = {0, 0, 0}, inertia[] = {1, 1, 1, 0, 0, 0};
  *m = NULL;
  CMB_TRY(cmb_draft_create(ctx, "test", &d));
  put_pendulum(d);
  cmb_draft_body(d, "b", 1, com, inertia);
  cmb_draft_joint(d, "j", "free", NULL, "b", NULL, NULL);
  cmb_draft_loop(d, "l", "distance", "rod@B", "b@A", NULL);
  cmb_draft_spring(d, "s", "rod@B", "b@A", 1, 2);
  cmb_draft_rows(d, "tables/f", 2, 2, rows);
  cmb_draft_output(d, "o", "f(swing)", "m");
  cmb_draft_event(d, "e", "swing > 1", NULL);
  for (int i = 0; i < 80; i++) {
    char name[16];
    snprintf(name, sizeof name, "p%d", i);
    cmb_draft_parameter(d, name, i);
  }
  cmb_status status = cmb_draft_model(d, NULL, m);
  cmb_draft_destroy(d);
  return status;
}

/* Makes the k-th request for memory fail, alone or together with all later ones, for every k from 2 (the first is that of the context). */
static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  for (int after_too = 0; after_too < 2; after_too++) {
    long refused = 1;
    for (long k = 2; refused > 0; k++) {
      struct cmbt_allocator memory;
      cmbt_allocator_init(&memory);
      memory.fail_at = k;
      memory.fail_after_too = after_too;
      cmb_context *ctx = cmb_context_create(&memory.hook);
      cmb_model *m;
      cmb_status status = make_all(ctx, &m);
      refused = memory.refused;
      if (status != (refused > 0 ? CMB_ERROR_MEMORY : CMB_OK)) {
        fail_msg("allocation %ld: %s: %s", k, cmb_status_code(status), cmb_last_error(ctx));
      }
      cmb_model_destroy(m);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
      assert_true(refused > 0 || k > 8);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_keep_their_bits),
      cmocka_unit_test(drafts_change),
      cmocka_unit_test(list_entries_have_numbers),
      cmocka_unit_test(files_are_included),
      cmocka_unit_test(failures_name_the_key),
      cmocka_unit_test(failures_are_data),
      cmocka_unit_test(equations_name_the_key),
      cmocka_unit_test(limits_are_checked),
      cmocka_unit_test(wrong_calls_are_refused),
      cmocka_unit_test(every_failed_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
