/*
 * Shows for every method on every bundled problem that memory is handled correctly in all layers:
 *
 *   - After an integrator or a simulation has been created, nothing allocates memory any more, neither through the context's allocator nor
 *     by calling malloc directly. Tested with 1,000 steps with dense output, of which each hundredth is undone, and with a whole run with
 *     events, records between the steps and a CSV file.
 *   - If any single allocation of a whole run fails, or all allocations from any one on, the run returns CMB_ERROR_MEMORY with an error
 *     text, frees all memory and leaves no file.
 *
 * Calls of malloc, calloc and realloc are counted by functions that replace them, or by a hook of the address sanitizer. Only those of
 * the test's own thread count, since Camber starts no threads.
 */
#include "failing_allocator.h"

#include <camber/camber.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { STEPS = 1000, UNDO_EACH = 100, RECORDS = 200, MOST_POINTS = 64 };

static const char CSV[] = "run.csv", PARTIAL[] = "run.csv.partial";

/* ---- counting calls of the C library's allocator */

/* Number of calls so far. It is volatile because compilers assume that malloc does not write variables of the program, and local to the
 * thread because a BLAS library may start threads when the program is loaded, which allocate memory at any time. */
static _Thread_local volatile long libc_calls;

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BY_SANITIZER
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define BY_SANITIZER
#endif

#ifdef BY_SANITIZER
#include <sanitizer/allocator_interface.h>

static void on_malloc(const volatile void *memory, size_t size)
{
  (void)memory, (void)size;
  libc_calls++;
}

static void on_free(const volatile void *memory)
{
  (void)memory;
}

static int count_calls(void **state)
{
  (void)state;
  return __sanitizer_install_malloc_and_free_hooks(on_malloc, on_free) ? 0 : -1;
}
#else
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);

void *malloc(size_t size)
{
  libc_calls++;
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
  libc_calls++;
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size)
{
  libc_calls++;
  return __libc_realloc(memory, size);
}

static int count_calls(void **state)
{
  (void)state;
  return 0;
}
#endif

static void test_calls_are_counted(void **state)
{
  (void)state;
  long before = libc_calls;
  void *volatile memory = malloc(10);
  assert_int_equal(libc_calls - before, 1);
  memory = realloc(memory, 100000);
  free(memory);
  memory = calloc(3, 7);
  free(memory);
  assert_int_equal(libc_calls - before, 3);
}

/* ---- no allocations after creation */

struct counts {
  long hook, libc;
};

static struct counts counts_now(const struct cmbt_allocator *memory)
{
  return (struct counts){memory->calls, libc_calls};
}

static void assert_no_allocations_since(struct counts before, const struct cmbt_allocator *memory,
                                        const char *method, const char *problem)
{
  struct counts now = counts_now(memory);
  if (now.hook != before.hook || now.libc != before.libc) {
    fail_msg("%s on %s: %ld allocations through the hook, %ld behind it", method, problem,
             now.hook - before.hook, now.libc - before.libc);
  }
}

static void make_steps(cmb_integrator *in, const cmb_system *system)
{
  double q[MOST_POINTS], v[MOST_POINTS];
  assert_true(cmb_system_equations(system)->nq <= MOST_POINTS);
  assert_int_equal(cmb_integrator_begin(in, 0, cmb_system_q(system), cmb_system_v(system)), CMB_OK);
  for (int i = 1; i <= STEPS; i++) {
    assert_int_equal(cmb_integrator_step(in, 1e6), CMB_OK);
    double a = cmb_integrator_t_before(in), b = cmb_integrator_t(in);
    assert_int_equal(cmb_integrator_interpolate(in, a, q, v), CMB_OK);
    assert_int_equal(cmb_integrator_interpolate(in, a + (b - a) / 3, q, v), CMB_OK);
    assert_int_equal(cmb_integrator_interpolate(in, b, q, v), CMB_OK);
    if (i % UNDO_EACH == 0) assert_int_equal(cmb_integrator_undo(in), CMB_OK);
  }
}

static void check_steps(const cmb_method *method, const cmb_problem *problem)
{
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_system *system;
  cmb_integrator *in;
  cmb_integrator_options options = cmb_integrator_defaults();
  assert_int_equal(cmb_problem_create(ctx, problem, 0, NULL, &system), CMB_OK);
  assert_int_equal(cmb_integrator_create(ctx, cmb_system_equations(system), method, &options, &in),
                   CMB_OK);
  assert_true(memory.calls > 0);
  struct counts before = counts_now(&memory);
  make_steps(in, system);
  assert_no_allocations_since(before, &memory, cmb_method_name(method), cmb_problem_name(problem));
  cmb_integrator_destroy(in);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
}

static void test_steps_allocate_nothing(void **state)
{
  (void)state;
  for (int m = 0; m < cmb_method_count(); m++) {
    for (int p = 0; p < cmb_problem_count(); p++) check_steps(cmb_method_at(m), cmb_problem_at(p));
  }
}

static cmb_status to_csv(void *user, const cmb_record *record)
{
  return cmb_csv_record(user, record);
}

static cmb_status count_event(void *user, const cmb_event *event)
{
  (void)user, (void)event;
  return CMB_OK;
}

static void check_run(const cmb_method *method, const cmb_problem *problem)
{
  struct cmbt_allocator memory;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_system *system;
  cmb_simulation *sim;
  cmb_csv *csv;
  cmb_run_options options = cmb_run_defaults();
  assert_int_equal(cmb_problem_create(ctx, problem, 0, NULL, &system), CMB_OK);
  assert_int_equal(cmb_csv_open(ctx, CSV, cmb_system_equations(system), &csv), CMB_OK);
  options.method = method;
  options.every = cmb_system_t_end(system) / RECORDS;
  options.observer = (cmb_observer){.user = csv, .record = to_csv, .event = count_event};
  assert_int_equal(cmb_simulation_create(ctx, system, &options, &sim), CMB_OK);
  struct counts before = counts_now(&memory);
  assert_int_equal(cmb_simulation_run(sim), CMB_OK);
  assert_no_allocations_since(before, &memory, cmb_method_name(method), cmb_problem_name(problem));
  const cmb_result *r = cmb_simulation_result(sim);
  assert_int_equal(r->records, RECORDS + 1);
  if (cmb_system_equations(system)->ns > 0) assert_true(r->events > 5);
  cmb_simulation_destroy(sim);
  assert_int_equal(cmb_csv_close(csv), CMB_OK);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
  assert_int_equal(unlink(CSV), 0);
}

static void test_runs_allocate_nothing(void **state)
{
  (void)state;
  for (int m = 0; m < cmb_method_count(); m++) {
    for (int p = 0; p < cmb_problem_count(); p++) check_run(cmb_method_at(m), cmb_problem_at(p));
  }
}

/* ---- each allocation fails in turn */

struct whole_run {
  const cmb_method *method;
  const cmb_problem *problem;
  int setting_count;
  const cmb_setting *settings;
};

/* Runs the simulation as the program camber does: the file is opened before the simulation is created. */
static cmb_status simulate(cmb_context *ctx, const struct whole_run *w, const cmb_system *system)
{
  cmb_csv *csv;
  cmb_simulation *sim;
  cmb_run_options options = cmb_run_defaults();
  CMB_TRY(cmb_csv_open(ctx, CSV, cmb_system_equations(system), &csv));
  options.method = w->method;
  options.t_end = 0.05;
  options.every = 0.01;
  options.observer = (cmb_observer){.user = csv, .record = to_csv};
  cmb_status status = cmb_simulation_create(ctx, system, &options, &sim);
  if (status != CMB_OK) {
    assert_null(sim);
    cmb_csv_discard(csv);
    return status;
  }
  status = cmb_simulation_run(sim);
  cmb_simulation_destroy(sim);
  cmb_status closed = cmb_csv_close(csv);
  return status == CMB_OK ? closed : status;
}

/* Makes the whole run with allocations from `memory` and copies the text of its error to `message` (room for 1024). */
static cmb_status run_on(struct cmbt_allocator *memory, const struct whole_run *w, char *message)
{
  cmb_system *system;
  cmb_context *ctx = cmb_context_create(&memory->hook);
  if (!ctx) {
    strcpy(message, "no context");
    return CMB_ERROR_MEMORY;
  }
  cmb_status status = cmb_problem_create(ctx, w->problem, w->setting_count, w->settings, &system);
  if (status == CMB_OK) {
    status = simulate(ctx, w, system);
  } else {
    assert_null(system);
  }
  snprintf(message, 1024, "%s", cmb_last_error(ctx));
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
  return status;
}

static bool exists(const char *path)
{
  return access(path, F_OK) == 0;
}

/* Repeats the run with the first, the second ... allocation failing (and, with fail_after_too, all later ones) until it makes fewer
 * allocations than that. Returns the number of allocations of a run without failure. */
static long fail_each_allocation(const struct whole_run *w, int fail_after_too)
{
  for (long k = 1;; k++) {
    char message[1024] = "";
    struct cmbt_allocator memory;
    cmbt_allocator_init(&memory);
    memory.fail_at = k;
    memory.fail_after_too = fail_after_too;
    cmb_status status = run_on(&memory, w, message);
    assert_int_equal(memory.outstanding, 0);
    if (memory.refused == 0) {
      assert_int_equal(status, CMB_OK);
      assert_int_equal(memory.calls, k - 1);
      assert_true(exists(CSV) && !exists(PARTIAL));
      assert_int_equal(unlink(CSV), 0);
      return k - 1;
    }
    assert_int_equal(status, CMB_ERROR_MEMORY);
    assert_true(strlen(message) > 0);
    assert_false(exists(CSV) || exists(PARTIAL));
  }
}

static void test_each_allocation_fails(void **state)
{
  (void)state;
  long failures = 0;
  for (int m = 0; m < cmb_method_count(); m++) {
    for (int p = 0; p < cmb_problem_count(); p++) {
      struct whole_run w = {.method = cmb_method_at(m), .problem = cmb_problem_at(p)};
      long singly = fail_each_allocation(&w, 0), onwards = fail_each_allocation(&w, 1);
      assert_true(singly >= 10);
      assert_int_equal(singly, onwards);
      failures += singly + onwards;
    }
  }
  print_message("%ld failed allocations\n", failures);
}

/* Repeats the test with chains of 1 to 160 rods. Memory is taken in chunks that hold many arrays, and the number of rods decides which
 * array needs the next chunk. */
static void test_each_allocation_fails_for_many_sizes(void **state)
{
  (void)state;
  long failures = 0;
  for (int rods = 1; rods <= 160; rods += rods < 40 ? 1 : 7) {
    for (int m = 0; m < cmb_method_count(); m++) {
      cmb_setting size = {"N", rods};
      if (cmb_method_is_real_time(cmb_method_at(m)) && rods > 6) continue; /* long programs */
      struct whole_run w = {.method = cmb_method_at(m),
                            .problem = cmb_problem_find("pendulum-chain"),
                            .setting_count = 1,
                            .settings = &size};
      failures += fail_each_allocation(&w, 0);
    }
  }
  print_message("%ld failed allocations\n", failures);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_calls_are_counted),
      cmocka_unit_test(test_steps_allocate_nothing),
      cmocka_unit_test(test_runs_allocate_nothing),
      cmocka_unit_test(test_each_allocation_fails),
      cmocka_unit_test(test_each_allocation_fails_for_many_sizes),
  };
  unlink(CSV); /* files of an earlier run that failed */
  unlink(PARTIAL);
  return cmocka_run_group_tests(tests, count_calls, NULL);
}
