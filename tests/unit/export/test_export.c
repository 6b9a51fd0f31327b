/*
 * Tests of the export of C code: identifiers; a failing request for memory leads to an error message, no leak and no file; systems, methods
 * and folders that cannot be used are refused. What the exported code computes is tested by cli.export.
 */
#include "check.h"
#include "export/identifiers.h"
#include "failing_allocator.h"

#include <camber/camber.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- identifiers */

static void test_identifiers(void **state)
{
  (void)state;
  static const char *const names[] = {"x",
                                      "left.toe",
                                      "left_toe",
                                      "x'",
                                      "2nd",
                                      "double",
                                      "t>0",
                                      "t<0",
                                      "",
                                      "café",
                                      "input u, line 12 (2)"};
  static const char *const expected[] = {
      "x",     "left_toe", "left_toe_2", "x_rate",           "x2nd", "double_", "t_0",
      "t_0_2", "x_2",      "caf__",      "input_u_line_12_2"};
  enum { COUNT = sizeof names / sizeof names[0] };
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  const char *const *all = cmb_identifiers(arena, "", COUNT, names, 0, NULL);
  assert_non_null(all);
  for (int i = 0; i < COUNT; i++) assert_string_equal(all[i], expected[i]);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

/* Checks which names get a suffix: keywords of C and C++, macros of their headers, names of members that the struct has anyway (`own`), and
 * names that equal such a name with its suffix. */
static void test_taken_names(void **state)
{
  (void)state;
  static const char *const names[] = {"health",    "NULL",  "I",   "errno", "asm",  "health_2",
                                      "asm_",      "NULL_", "EI",  "K",     "K1",   "and",
                                      "constexpr", "linux", "sin", "Int",   "stdin"};
  static const char *const expected[] = {
      "health_2", "NULL_", "I_",   "errno_",     "asm_",   "health_2_2", "asm__2", "NULL__", "EI_",
      "K",        "K1",    "and_", "constexpr_", "linux_", "sin",        "Int",    "stdin_"};
  static const char *const own[] = {"health"};
  static const char *const switches[] = {"contact", "contact."};
  static const char *const outputs[] = {"event_contact"};
  enum { COUNT = sizeof names / sizeof names[0] };
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  const char *const *all = cmb_identifiers(arena, "", COUNT, names, 1, own);
  assert_non_null(all);
  for (int i = 0; i < COUNT; i++) assert_string_equal(all[i], expected[i]);
  const char *const *events = cmb_identifiers(arena, "event_", 2, switches, 1, outputs);
  assert_non_null(events);
  assert_string_equal(events[0], "event_contact_2");
  assert_string_equal(events[1], "event_contact_");
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

/* Checks the names of exported code that follow from the names of models. Keywords, functions and headers of the C library and names that
 * the exported code uses itself get a suffix, since the name becomes that of a type and of two files. */
static void test_code_names(void **state)
{
  (void)state;
  static const char *const names[][2] = {{"quarter-car", "quarter_car"},
                                         {"main", "main_"},
                                         {"math", "math_"},
                                         {"sinf", "sinf_"},
                                         {"ball", "ball"},
                                         {"stdio", "stdio_"},
                                         {"number", "number_"},
                                         {"op_sin", "op_sin_"},
                                         {"m", "m_"},
                                         {"time", "time_"},
                                         {"int", "int_"},
                                         {"l", "l"}};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char text[64];
    cmb_code_name(names[i][0], sizeof text, text);
    assert_string_equal(text, names[i][1]);
  }
}

/* Checks that two names of 299 characters that differ only in the last one are shortened and remain distinct. */
static void test_long_names(void **state)
{
  (void)state;
  char one[300], two[300];
  memset(one, 'a', sizeof one);
  one[299] = '\0';
  memcpy(two, one, sizeof two);
  two[298] = 'b';
  const char *const names[2] = {one, two};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  const char *const *all = cmb_identifiers(arena, "", 2, names, 0, NULL);
  assert_non_null(all);
  assert_true(strlen(all[0]) < 64 && strlen(all[1]) < 80);
  assert_string_not_equal(all[0], all[1]);
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

/* ---- export */

/* Exports the model in the file `path`, with all parameters live, to a folder. */
static cmb_status export_file(cmb_context *ctx, const char *path, const cmb_run_options *o,
                              const char *folder, cmb_export_report *report)
{
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_model *model;
  cmb_system *system = NULL;
  const cmb_model_options live = {.live_all = true};
  CMB_TRY(cmb_model_read(ctx, path, &live, &model));
  cmb_status status = cmb_model_system(ctx, model, &kept, &system);
  if (status == CMB_OK) status = cmb_export_c(ctx, system, o, folder, report);
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  return status;
}

static void car_axis_path(char path[4096])
{
  snprintf(path, 4096, "%s/models/car-axis.yaml", getenv("SOURCE_DIR"));
}

/* Exports the car axis with a method to the folder `code`. */
static cmb_status export_car_axis(cmb_context *ctx, const char *method)
{
  char path[4096];
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find(method);
  car_axis_path(path);
  return export_file(ctx, path, &o, "code", NULL);
}

/* Removes the exported car axis; returns whether both files existed. */
static bool remove_car_axis(void)
{
  const bool header = unlink("code/car_axis.h") == 0, source = unlink("code/car_axis.c") == 0;
  rmdir("code");
  return header && source;
}

/* Makes the k-th request for memory fail, for every k: the error is CMB_ERROR_MEMORY, with a message, and no file is written. */
static void test_memory(void **state)
{
  (void)state;
  cmb_status status = CMB_ERROR_MEMORY;
  long k = 1;
  for (; status != CMB_OK; k++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    memory.fail_at = k + 1; /* the first request is that of the context */
    cmb_context *ctx = cmb_context_create(&memory.hook);
    assert_non_null(ctx);
    status = export_car_axis(ctx, "lie");
    assert_int_equal(status, memory.refused ? CMB_ERROR_MEMORY : CMB_OK);
    assert_true((strlen(cmb_last_error(ctx)) > 0) == (status != CMB_OK));
    if (status != CMB_OK) assert_int_not_equal(access("code/car_axis.c", F_OK), 0);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
  printf("%ld failing requests for memory\n", k - 2);
  assert_true(k > 100);
  assert_true(remove_car_axis());
}

/* Checks that methods without exported code and systems without a model file are refused. */
static void test_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmb_run_options o = cmb_run_defaults();
  assert_int_equal(export_car_axis(ctx, "mdop5"), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(ctx), "lie or rosw2"));
  o.method = cmb_method_find("lie");
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("caraxis"), 0, NULL, &system));
  assert_int_equal(cmb_export_c(ctx, system, &o, "code", NULL), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(ctx), "expected a model file"));
  assert_false(remove_car_axis());
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* Writes a model with one switching function, input, output and parameter each to a file. */
static void write_small(const char *path)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("parameters: {k: 3}\n"
        "bodies: {b: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
        "joints: {j: {type: prismatic, child: b, axis: x, coordinates: [x], start: 1}}\n"
        "inputs: {u: 0}\n"
        "forces: {f: {type: load, on: {body: b, at: [0, 0, 0]}, force: ['u - k*abs(x)', 0, 0]}}\n"
        "outputs: {way: 2*x}\n",
        file);
  assert_int_equal(fclose(file), 0);
}

/* Checks the numbers of inputs, outputs, parameters, flags and instructions in the report, with a method that has a setting. */
static void test_report(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_export_report report;
  cmb_run_options o = cmb_run_defaults();
  const cmb_option_setting setting = {"jacobian", "exact"};
  o.method = cmb_method_find("rosw2");
  o.integrator.settings = &setting;
  o.integrator.setting_count = 1;
  write_small("weight.yaml");
  cmbt_ok(ctx, export_file(ctx, "weight.yaml", &o, "code", &report));
  assert_string_equal(report.name, "weight");
  assert_int_equal(report.inputs, 1);
  assert_int_equal(report.outputs, 1);
  assert_int_equal(report.parameters, 1);
  assert_int_equal(report.flags, 1);
  assert_in_range(report.instructions, 5, 500);
  assert_int_equal(unlink("code/weight.h"), 0);
  assert_int_equal(unlink("code/weight.c"), 0);
  assert_int_equal(rmdir("code"), 0);
  cmb_context_destroy(ctx);
}

/* Checks that an export is refused with a message that contains `words`. */
static void assert_refused(cmb_context *ctx, const char *model, const cmb_run_options *o,
                           const char *folder, const char *words)
{
  assert_true(export_file(ctx, model, o, folder, NULL) < 0);
  if (!strstr(cmb_last_error(ctx), words)) fail_msg("%s", cmb_last_error(ctx));
}

/* Checks the messages for folders that cannot be made, for code that would replace a file of the model, and for missing or too many
 * settings; no file is written. */
static void test_folders(void **state)
{
  (void)state;
  enum { DOTS = 2045 };
  static char here[2 * DOTS + 1];
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_run_options o = cmb_run_defaults();
  o.method = cmb_method_find("lie");
  write_small("weight.yaml");
  assert_refused(ctx, "weight.yaml", &o, "weight.yaml/code",
                 "cannot make the folder 'weight.yaml/code'");
  for (int i = 0; i < DOTS; i++) memcpy(here + (ptrdiff_t)2 * i, "./", 2);
  assert_refused(ctx, "weight.yaml", &o, here, "expected at most 4095");
  write_small("weight.c");
  assert_refused(ctx, "weight.c", &o, ".",
                 "the code would overwrite './weight.c', a file of the model");
  assert_int_not_equal(access("weight.h", F_OK), 0);
  o.integrator.setting_count = 1;
  assert_refused(ctx, "weight.yaml", &o, "code", "the options of the method are NULL");
  const cmb_option_setting many[64] = {{"jacobian", "exact"}};
  o.integrator.settings = many;
  o.integrator.setting_count = 64;
  assert_refused(ctx, "weight.yaml", &o, "code",
                 "the method has 64 options; expected fewer than 64");
  assert_int_not_equal(access("code", F_OK), 0);
  cmb_context_destroy(ctx);
}

/* Checks that a drive whose velocity jumps (a kink in its formula) is refused with stabilisations that do not correct velocities: `none`
 * and `projection-q`. */
static void test_drive_with_kink(void **state)
{
  (void)state;
  static const char text[] =
      "bodies: {a: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints: {j: {type: prismatic, child: a, at: [0, 0, 0], axis: x, coordinates: [x]}}\n"
      "motions: {drive: {coordinate: x, value: 'max(0, t - 1)'}}\n";
  static const char *const words[] = {"none", "projection-q", "projection", "baumgarte"};
  const cmb_model_system_options kept = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                         .expressions = true};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model;
  cmb_system *system;
  cmbt_ok(ctx, cmb_model_parse(ctx, text, strlen(text), "drive.yaml", NULL, &model));
  cmbt_ok(ctx, cmb_model_system(ctx, model, &kept, &system));
  for (int i = 0; i < 4; i++) {
    const cmb_option_setting setting = {"stabilization", words[i]};
    cmb_run_options o = cmb_run_defaults();
    o.method = cmb_method_find("lie");
    o.integrator.settings = &setting;
    o.integrator.setting_count = 1;
    const cmb_status status = cmb_export_c(ctx, system, &o, "loose", NULL);
    assert_int_equal(status, i < 2 ? CMB_ERROR_ARGUMENT : CMB_OK);
    if (i < 2) assert_non_null(strstr(cmb_last_error(ctx), "constraint 'drive' has branches"));
  }
  cmb_system_destroy(system);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_identifiers),     cmocka_unit_test(test_taken_names),
      cmocka_unit_test(test_code_names),      cmocka_unit_test(test_long_names),
      cmocka_unit_test(test_memory),          cmocka_unit_test(test_refused),
      cmocka_unit_test(test_report),          cmocka_unit_test(test_folders),
      cmocka_unit_test(test_drive_with_kink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
