/*
 * Tests of programs as C text (expr/c_text.h): the file that cmb_c_file_save writes compiles without a warning with all installed
 * compilers and computes the same bits as the interpreter; names are checked; after an error no file is left.
 */
#include "check.h"
#include "failing_allocator.h"
#include "native_case.h"
#include "process.h"
#include "random_system.h"

#include "expr/c_text.h"
#include "expr/foot.h"
#include "expr/graph.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANDOM = 2, SYSTEMS = 1, CHAIN = 1, FUNCTIONS = RANDOM + SYSTEMS + CHAIN };

struct fixture {
  cmb_context *ctx;
  char folder[256], path[300], library[300], log[300];
  cmb_program *programs[FUNCTIONS];
  cmb_c_function functions[FUNCTIONS];
};

static int setup(void **state)
{
  static const char *const names[] = {"first", "second", "systems", "chain"};
  struct fixture *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->ctx = cmb_context_create(NULL);
  cmbt_make_folder(f->folder);
  (void)snprintf(f->path, sizeof f->path, "%s/model.c", f->folder);
  (void)snprintf(f->log, sizeof f->log, "%s/log", f->folder);
  for (int i = 0; i < FUNCTIONS; i++) {
    f->programs[i] = i < RANDOM             ? cmbt_random_program(f->ctx, 40 + (uint64_t)i, 200, 10)
                     : i < RANDOM + SYSTEMS ? cmbt_system_program(f->ctx, 6)
                                            : cmbt_chain_program(f->ctx, 3000);
    f->functions[i] = (cmb_c_function){names[i], f->programs[i]};
  }
  *state = f;
  return 0;
}

static int teardown(void **state)
{
  struct fixture *f = *state;
  for (int i = 0; i < FUNCTIONS; i++) cmb_program_destroy(f->programs[i]);
  cmb_context_destroy(f->ctx);
  cmbt_remove_folder(f->folder);
  free(f);
  return 0;
}

/* Compiles the file at f->path with an additional option and returns the exit code; -1 if there is no such compiler. */
static int compile(struct fixture *f, const char *compiler, const char *option, const char *output)
{
  char path[64], variable[] = "PATH=/usr/local/bin:/usr/bin:/bin";
  (void)snprintf(path, sizeof path, "/usr/bin/%s", compiler);
  if (access(path, X_OK) != 0) return -1;
  char *words[] = {path,           "-std=c99",     "-Wall",   "-Wextra",
                   "-Wpedantic",   "-Wconversion", "-Werror", "-ffp-contract=off",
                   "-fPIC",        (char *)option, f->path,   "-o",
                   (char *)output, "-shared",      "-lm",     NULL};
  char *environment[] = {variable, NULL};
  pid_t process;
  assert_int_equal(cmbt_process_start(words, environment, f->log, &process), 0);
  return cmbt_process_wait(process);
}

static void compare(void *library, const char *name, const cmb_program *p)
{
  void (*function)(const double *, double *, double *);
  char symbol[64];
  (void)snprintf(symbol, sizeof symbol, "my_%s", name);
  void *address = dlsym(library, symbol);
  assert_non_null(address);
  memcpy(&function, &address, sizeof function);
  size_t outputs = (size_t)cmb_program_outputs(p), work = (size_t)cmb_program_work(p) + 1;
  double in[CMBT_CASE_INPUTS], *expected = calloc(outputs, sizeof *expected);
  double *got = calloc(outputs, sizeof *got), *room = calloc(work, sizeof *room);
  assert_true(expected && got && room);
  for (int k = 0; k < 50; k++) {
    cmbt_random_inputs(70 + (uint64_t)k, CMBT_CASE_INPUTS, in);
    cmb_program_run(p, in, expected, room);
    function(in, got, room);
    if (!cmbt_same_bits((int)outputs, expected, got)) fail_msg("%s differs in run %d", name, k);
  }
  free(expected);
  free(got);
  free(room);
}

/* Writes the file, compiles it with all installed compilers, with and without optimisation, and compares the results. */
static void write_and_compare(struct fixture *f, int count, const cmb_c_function *functions)
{
  static const char *const compilers[] = {"gcc", "clang", "cc"};
  static const char *const levels[] = {"-O0", "-O2"};
  int compiled = 0;
  cmbt_ok(f->ctx, cmb_c_file_save(f->ctx, "my", count, functions, f->path));
  for (int i = 0; i < 6; i++) {
    (void)snprintf(f->library, sizeof f->library, "%s/model%d.so", f->folder, i);
    (void)unlink(f->library);
    int code = compile(f, compilers[i / 2], levels[i % 2], f->library);
    if (code < 0) continue;
    assert_int_equal(code, 0);
    void *library = dlopen(f->library, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
    for (int k = 0; k < count; k++) compare(library, functions[k].name, functions[k].program);
    dlclose(library);
    compiled++;
  }
  assert_true(compiled > 0);
}

static void test_file_computes_the_same(void **state)
{
  struct fixture *f = *state;
  write_and_compare(f, FUNCTIONS, f->functions);
}

/* Tables are arrays in the file. Each way to use a table is also written alone, as an unused function would cause a warning. */
static void test_tables(void **state)
{
  enum { TABLES = 11, POINTS = 10 };
  struct fixture *f = *state;
  const double at[4] = {-1, 0, 0.5, 3}, y[4] = {2, -1, 0, 1},
               grid[16] = {1, 2, 3, 5, 8, 3, 1, 4, 5, 9, 2, 6};
  const cmb_wave wave[3] = {{1, 0.3, -0.2, 0.1}, {-0.5, 2, 0.7, 0}, {0.2, 9, 3, 0.9}};
  const double px[POINTS] = {-3, -2.1, -1.1, -0.2, 0.7, 1.5, 2.1, 2.4, 2.3, 1.9},
               py[POINTS] = {0, 0.4, 0.5, 0.2, 0, 0.4, 1.2, 2.1, 3.1, 4};
  cmb_foot_limit limit[CMB_FOOT_SIDES];
  cmb_table *line, *surface, *waves, *foot;
  cmb_graph *g;
  cmbt_ok(f->ctx, cmb_table_create(f->ctx, CMB_TABLE_AKIMA, 4, at, y, &line));
  cmbt_ok(f->ctx, cmb_table2_create(f->ctx, 4, at, 4, at, grid, &surface));
  cmbt_ok(f->ctx, cmb_waves_create(f->ctx, 3, wave, &waves));
  cmbt_ok(f->ctx, cmb_foot_create(f->ctx, POINTS, px, py, 1, 9, limit, &foot));
  cmbt_ok(f->ctx, cmb_graph_create(f->ctx, &g));
  cmb_expr x[CMBT_CASE_INPUTS], one = cmb_constant(g, 1), e[TABLES];
  for (int i = 0; i < CMBT_CASE_INPUTS; i++) {
    char name[8];
    (void)snprintf(name, sizeof name, "x%d", i);
    x[i] = cmb_input(g, name);
  }
  e[0] = cmb_table_apply(g, line, x[0]);
  e[1] = cmb_table2_apply(g, surface, x[1], x[2]);
  e[2] = cmb_table_node(g, CMB_OP_TABLE_AT, 0, 0, x[3], x[4]);
  e[3] = cmb_table_node(g, CMB_OP_TABLE_AT, CMB_TABLE_MARGIN, 0, x[3], one);
  cmbt_ok(f->ctx, cmb_forward(g, 1, &x[0], &one, 1, &e[0], &e[4]));
  cmbt_ok(f->ctx, cmb_forward(g, 1, &x[2], &one, 1, &e[1], &e[5]));
  e[6] = cmb_table2_apply(g, waves, x[1], x[2]);
  cmbt_ok(f->ctx, cmb_forward(g, 1, &x[2], &one, 1, &e[6], &e[7]));
  e[8] = cmb_foot_apply(g, foot, false, x[1], x[2]);
  e[9] = cmb_foot_apply(g, foot, true, x[1], x[2]);
  cmbt_ok(f->ctx, cmb_forward(g, 1, &x[2], &one, 1, &e[8], &e[10]));
  for (int k = 0; k <= TABLES; k++) { /* each expression alone, then all of them */
    cmb_program *p;
    cmbt_ok(f->ctx, cmb_program_create(f->ctx, g, CMBT_CASE_INPUTS, x, k < TABLES ? 1 : TABLES,
                                       k < TABLES ? &e[k] : e, &p));
    cmb_c_function function = {"tables", p};
    write_and_compare(f, 1, &function);
    cmb_program_destroy(p);
  }
  cmb_graph_destroy(g);
  cmb_table_destroy(line);
  cmb_table_destroy(surface);
  cmb_table_destroy(waves);
  cmb_table_destroy(foot);
}

/* Checks that the file contains only declarations if it is included as a header. */
static void test_file_as_header(void **state)
{
  struct fixture *f = *state;
  char user[300];
  cmbt_ok(f->ctx, cmb_c_file_save(f->ctx, "my", FUNCTIONS, f->functions, f->path));
  (void)snprintf(user, sizeof user, "%s/user.c", f->folder);
  FILE *file = fopen(user, "w");
  assert_non_null(file);
  assert_true(fprintf(file, "#define my_DECLARATIONS\n#include \"model.c\"\n"
                            "double user(const double *x);\n"
                            "double user(const double *x)\n{\n"
                            "  double y[my_chain_outputs], w[my_chain_work];\n"
                            "  my_chain(x, y, w);\n  return y[0];\n}\n") > 0);
  assert_int_equal(fclose(file), 0);
  memcpy(f->path, user, sizeof user);
  (void)snprintf(f->library, sizeof f->library, "%s/user.so", f->folder);
  int code = compile(f, "cc", "-O1", f->library);
  if (code < 0) skip();
  assert_int_equal(code, 0);
}

/* Checks that a long program is divided into pieces of the requested length, and that values passed between pieces take few places. */
static void test_pieces(void **state)
{
  struct fixture *f = *state;
  const cmb_program *p = f->programs[FUNCTIONS - 1];
  cmb_c_program *c;
  cmbt_ok(f->ctx, cmb_c_program_create(f->ctx, p, 100, &c));
  assert_int_equal(c->pieces, (cmb_program_instructions(p) + 99) / 100);
  assert_in_range(c->work, 1, 2 * CMBT_CASE_INPUTS);
  assert_true(c->work <= cmb_program_work(p));
  cmb_c_program_destroy(c);
}

static void test_names_are_checked(void **state)
{
  struct fixture *f = *state;
  cmb_c_function twice[] = {{"a", f->programs[0]}, {"a", f->programs[1]}};
  cmb_c_function bad[] = {
      {"9lives", f->programs[0]}, {"a-b", f->programs[0]}, {"", f->programs[0]}};
  assert_int_equal(cmb_c_file_save(f->ctx, "my", 2, twice, f->path), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(f->ctx), "'a'"));
  for (int i = 0; i < 3; i++)
    assert_int_equal(cmb_c_file_save(f->ctx, "my", 1, &bad[i], f->path), CMB_ERROR_ARGUMENT);
  assert_int_equal(cmb_c_file_save(f->ctx, "a b", 1, twice, f->path), CMB_ERROR_ARGUMENT);
  assert_int_equal(access(f->path, F_OK), -1);
}

/* Names of inputs are text of the user and are written into a comment; checks that they cannot end it. */
static void test_input_names_stay_in_the_comment(void **state)
{
  struct fixture *f = *state;
  cmb_graph *g;
  cmb_program *p;
  cmbt_ok(f->ctx, cmb_graph_create(f->ctx, &g));
  cmb_expr x[] = {cmb_input(g, "*/ #error"), cmb_input(g, "/* \n \\ \?\?/ q\xcc\x87")};
  cmb_expr y = cmb_apply(g, CMB_OP_MUL, x[0], x[1], 0);
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, g, 2, x, 1, &y, &p));
  cmb_c_function function = {"odd", p};
  cmbt_ok(f->ctx, cmb_c_file_save(f->ctx, "my", 1, &function, f->path));
  (void)snprintf(f->library, sizeof f->library, "%s/odd.so", f->folder);
  int code = compile(f, "cc", "-O1", f->library);
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  if (code < 0) skip();
  assert_int_equal(code, 0);
}

static double one(const void *user, const double *x)
{
  (void)user, (void)x;
  return 1.0;
}

static void test_c_functions_are_refused(void **state)
{
  struct fixture *f = *state;
  static const cmb_external external = {.name = "one", .arity = 1, .value = one};
  cmb_graph *g;
  cmb_program *p;
  cmbt_ok(f->ctx, cmb_graph_create(f->ctx, &g));
  cmb_expr x = cmb_input(g, "x"), y = cmb_external_apply(g, &external, &x);
  cmbt_ok(f->ctx, cmb_program_create(f->ctx, g, 1, &x, 1, &y, &p));
  cmb_c_function function = {"calls", p};
  assert_int_equal(cmb_c_file_save(f->ctx, "my", 1, &function, f->path), CMB_ERROR_ARGUMENT);
  assert_non_null(strstr(cmb_last_error(f->ctx), "'calls'"));
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
}

static void test_unwritable_place(void **state)
{
  struct fixture *f = *state;
  char path[400];
  (void)snprintf(path, sizeof path, "%s/nowhere/model.c", f->folder);
  assert_int_equal(cmb_c_file_save(f->ctx, "my", 1, f->functions, path), CMB_ERROR_IO);
  assert_non_null(strstr(cmb_last_error(f->ctx), "nowhere/model.c"));
  assert_int_equal(cmb_c_file_save(f->ctx, "my", 1, f->functions, f->folder), CMB_ERROR_IO);
}

static void test_out_of_memory(void **state)
{
  struct fixture *f = *state;
  for (long k = 1;; k++) {
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    memory.fail_at = memory.calls + k;
    cmb_status status = cmb_c_file_save(ctx, "my", FUNCTIONS, f->functions, f->path);
    bool refused = memory.refused > 0;
    assert_int_equal(status, refused ? CMB_ERROR_MEMORY : CMB_OK);
    assert_int_equal(access(f->path, F_OK), refused ? -1 : 0);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
    if (!refused) break;
  }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(test_file_computes_the_same),
      TEST(test_file_as_header),
      TEST(test_pieces),
      TEST(test_names_are_checked),
      TEST(test_input_names_stay_in_the_comment),
      TEST(test_tables),
      TEST(test_c_functions_are_refused),
      TEST(test_unwritable_place),
      TEST(test_out_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
