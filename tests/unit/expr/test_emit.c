/*
 * Tests of emitted machine code (src/expr/emit.h): it computes the same bits as the interpreter, with and without AVX, on numbers and on
 * lanes; memory that cannot be made executable; failing allocations.
 */
#include "check.h"
#include "failing_allocator.h"
#include "native_case.h"
#include "random.h"
#include "random_system.h"

#include "expr/emit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

static int setup(void **state)
{
  *state = cmb_context_create(NULL);
  return *state ? 0 : -1;
}

static int teardown(void **state)
{
  cmb_context_destroy(*state);
  return 0;
}

/* ---- comparison with the interpreter */

/* A program, its code on numbers and on lanes, and arrays for CMB_LANES evaluations. */
struct subject {
  const cmb_program *p;
  int width;
  cmb_emission e[2];
  cmb_emitted code;
  double *in, *work, *expected, *got;
};

static double *doubles(int count)
{
  double *x = aligned_alloc(64, ((size_t)count + 8) / 8 * 64);
  assert_non_null(x);
  return x;
}

static struct subject open_subject(cmb_context *ctx, const cmb_program *p, cmb_emit_level level)
{
  struct subject s = {
      .p = p, .width = cmb_emit_width(level), .e = {{.program = p}, {.program = p, .lanes = true}}};
  cmbt_ok(ctx, cmb_emit(ctx, level, 2, s.e, &s.code));
  assert_non_null(s.code.bytes);
  s.in = doubles(CMB_LANES * cmb_program_inputs(p));
  s.work = doubles(CMB_LANES * cmb_program_work(p));
  s.expected = doubles(CMB_LANES * cmb_program_outputs(p));
  s.got = doubles(CMB_LANES * cmb_program_outputs(p));
  return s;
}

static void close_subject(struct subject *s)
{
  free(s->in);
  free(s->work);
  free(s->expected);
  free(s->got);
  cmb_emit_release(&s->code);
}

static void assert_same(const struct subject *s, int count, const char *what, int run)
{
  for (int i = 0; i < count; i++) {
    if (cmbt_same_bits(1, s->expected + i, s->got + i)) continue;
    fail_msg("run %d on %s: value %d is %.17g, expected %.17g", run, what, i, s->got[i],
             s->expected[i]);
  }
}

/* Fails unless the code gives the interpreter's results for the inputs in s->in. */
static void compare(struct subject *s, int run)
{
  const int outputs = cmb_program_outputs(s->p);
  const size_t lanes = CMB_LANES * (size_t)cmb_program_work(s->p) * sizeof *s->work;
  cmb_program_run(s->p, s->in, s->expected, s->work);
  memset(s->work, 0x55, lanes);
  s->e[0].function(s->in, s->got, s->work);
  assert_same(s, outputs, "numbers", run);
  cmb_program_run_lanes(s->p, s->in, s->expected, s->work);
  memset(s->work, 0x55, lanes);
  for (int l = 0; l < CMB_LANES; l += s->width) {
    s->e[1].function(s->in + l, s->got + l, s->work + l);
  }
  assert_same(s, CMB_LANES * outputs, "lanes", run);
}

/* Compares for inputs of all magnitudes, of which some are 0, -0, infinite, NaN, denormal or equal to each other. */
static void compare_levels(cmb_context *ctx, const cmb_program *p, int runs, uint64_t seed)
{
  static const double special[] = {
      0,           -0.0,          1,       -1,  INFINITY, -INFINITY, NAN,
      DBL_MIN / 8, -DBL_TRUE_MIN, DBL_MAX, 0.5, -2.5,     1e6,       3e6};
  for (cmb_emit_level level = CMB_EMIT_SSE2; level <= cmb_emit_best(); level++) {
    struct subject s = open_subject(ctx, p, level);
    struct cmbt_random r = {seed};
    const int count = CMB_LANES * cmb_program_inputs(p);
    for (int run = 0; run < runs; run++) {
      cmbt_random_inputs(seed + (uint64_t)run, count, s.in);
      for (int i = 0; i < count && run % 2; i++) {
        s.in[i] =
            run % 4 == 1 ? cmbt_random_uniform(&r, -2, 2) : special[cmbt_random_int(&r, 0, 13)];
      }
      for (int i = 0; i < count && run % 3 == 0; i++) s.in[i] = s.in[i - i % CMB_LANES];
      compare(&s, run);
    }
    close_subject(&s);
  }
}

/* ---- random programs */

/* Makes a program of `operations` random operations on `live` values that are in use at the same time, of which now and then one is replaced
 * by an input or a constant, so that not all become NaN. The last values are the outputs. */
static cmb_program *make_random(cmb_context *ctx, uint64_t seed, int operations, int live)
{
  struct cmbt_random r = {seed};
  cmb_graph *g;
  cmb_program *p;
  cmb_expr input[CMBT_CASE_INPUTS], *v = malloc((size_t)live * sizeof *v);
  assert_non_null(v);
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  for (int i = 0; i < CMBT_CASE_INPUTS; i++)
    input[i] = cmb_input(g, (const char *[]){"a", "b", "c", "d", "e", "f"}[i]);
  for (int i = 0; i < live; i++) v[i] = input[i % CMBT_CASE_INPUTS];
  for (int k = 0; k < operations; k++) {
    cmb_expr x[3];
    for (int n = 0; n < 3; n++) {
      x[n] = v[cmbt_random_int(&r, 0, live - 1)];
      if (cmbt_random_int(&r, 0, 9) == 0)
        x[n] = input[cmbt_random_int(&r, 0, CMBT_CASE_INPUTS - 1)];
      if (cmbt_random_int(&r, 0, 9) == 0) x[n] = cmb_constant(g, cmbt_random_uniform(&r, -2, 2));
    }
    const int last = CMB_OP_STICK, often = cmbt_random_int(&r, 0, 1) ? last : CMB_OP_NEG;
    const cmb_op op = (cmb_op)cmbt_random_int(&r, CMB_OP_ADD, often);
    v[cmbt_random_int(&r, 0, live - 1)] = cmb_apply(g, op, x[0], x[1], x[2]);
  }
  cmbt_ok(ctx, cmb_program_create(ctx, g, CMBT_CASE_INPUTS, input, live, v, &p));
  cmb_graph_destroy(g);
  free(v);
  return p;
}

static void test_random_programs(void **state)
{
  const char *wanted = getenv("CAMBER_EMITTED");
  const int count = wanted ? atoi(wanted) : getenv("CAMBER_SANITIZED") ? 100 : 2000;
  struct cmbt_random r = {7};
  for (int i = 0; i < count; i++) {
    const int live = cmbt_random_int(&r, 1, i % 4 == 0 ? 60 : 20);
    cmb_program *p = make_random(*state, (uint64_t)i + 1, cmbt_random_int(&r, 1, 200), live);
    compare_levels(*state, p, 12, (uint64_t)i);
    cmb_program_destroy(p);
  }
}

static void test_random_expressions(void **state)
{
  for (int i = 0; i < 20; i++) {
    cmb_program *p = cmbt_random_program(*state, (uint64_t)i + 1, 40, 5 + 3 * i);
    compare_levels(*state, p, 40, (uint64_t)i);
    cmb_program_destroy(p);
  }
}

static void test_long_program(void **state)
{
  cmb_program *p = cmbt_chain_program(*state, 30000);
  compare_levels(*state, p, 8, 1);
  cmb_program_destroy(p);
}

/* Compares programs with implicit functions, their derivatives, and implicit functions of such functions. */
static void test_solutions(void **state)
{
  for (uint64_t seed = 1; seed <= 8; seed++) {
    cmb_program *p = cmbt_system_program(*state, seed);
    compare_levels(*state, p, 40, seed);
    cmb_program_destroy(p);
  }
}

/* ---- particular programs */

/* Compares every operation alone, for all pairs and triples of special values and for random ones. */
static void test_each_operation(void **state)
{
  cmb_context *ctx = *state;
  cmb_graph *g;
  cmb_program *p;
  cmb_expr x[3], y[4 * CMB_OPS];
  int outputs = 0;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  for (int i = 0; i < 3; i++) x[i] = cmb_input(g, (const char *[]){"a", "b", "c"}[i]);
  const cmb_expr two = cmb_constant(g, 2);
#define APPLY(name, text, arity, value)                                                            \
  y[outputs++] = cmb_apply(g, CMB_OP_##name, x[0], x[1], x[2]);                                    \
  y[outputs++] = cmb_apply(g, CMB_OP_##name, x[0], x[0], x[0]);                                    \
  y[outputs++] = cmb_apply(g, CMB_OP_##name, x[0], two, x[2]);                                     \
  y[outputs++] = cmb_apply(g, CMB_OP_##name, two, x[1], x[1]);
  CMB_OP_LIST(APPLY)
#undef APPLY
  cmbt_ok(ctx, cmb_program_create(ctx, g, 3, x, outputs, y, &p));
  compare_levels(ctx, p, 4000, 3);
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
}

static double weigh(const void *user, const double *x)
{
  (void)user;
  return x[0] + 2 * x[1] * x[2];
}

/* Compares tables, a user's function and its derivatives amid values that are in use at the same time. */
static void test_calls(void **state)
{
  cmb_context *ctx = *state;
  static const cmb_external external = {.name = "weigh", .arity = 3, .value = weigh};
  const double at[] = {-1, 0, 0.5, 2}, f[] = {1, -1, 3, 2};
  const cmb_wave wave = {.amplitude = 0.3, .along = 0.7, .across = 0.2, .phase = 0.1};
  cmb_graph *g;
  cmb_program *p;
  cmb_table *table, *waves;
  cmb_expr x[3], y[24];
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmbt_ok(ctx, cmb_table_create(ctx, CMB_TABLE_SPLINE, 4, at, f, &table));
  cmbt_ok(ctx, cmb_waves_create(ctx, 1, &wave, &waves));
  for (int i = 0; i < 3; i++) x[i] = cmb_input(g, (const char *[]){"a", "b", "c"}[i]);
  for (int i = 0; i < 20; i++)
    y[i] = cmb_apply(g, i % 2 ? CMB_OP_ADD : CMB_OP_MUL, x[i % 3], i < 2 ? x[1] : y[i - 2], 0);
  y[20] = cmb_table_apply(g, table, y[3]);
  y[21] = cmb_table2_apply(g, waves, y[4], x[0]);
  y[22] = cmb_external_apply(g, &external, (const cmb_expr[]){y[5], y[20], x[1]});
  const cmb_expr one = cmb_constant(g, 1);
  cmbt_ok(ctx, cmb_forward(g, 1, x, &one, 1, y + 22, y + 23));
  cmbt_ok(ctx, cmb_program_create(ctx, g, 3, x, 24, y, &p));
  compare_levels(ctx, p, 500, 3);
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  cmb_table_destroy(table);
  cmb_table_destroy(waves);
}

/* Compares programs whose outputs are inputs, constants or equal to each other, one without instructions and one without outputs. */
static void test_plain_outputs(void **state)
{
  cmb_context *ctx = *state;
  cmb_graph *g;
  cmb_program *p[3];
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  const cmb_expr x = cmb_input(g, "x"), s = cmb_apply(g, CMB_OP_SIN, x, 0, 0);
  const cmb_expr y[] = {x, s, cmb_constant(g, 7), s, 0, x, cmb_apply(g, CMB_OP_NEG, s, 0, 0)};
  cmbt_ok(ctx, cmb_program_create(ctx, g, 1, &x, 7, y, &p[0]));
  cmbt_ok(ctx, cmb_program_create(ctx, g, 1, &x, 1, y, &p[1]));
  cmbt_ok(ctx, cmb_program_create(ctx, g, 1, &x, 0, NULL, &p[2]));
  for (int i = 0; i < 3; i++) {
    compare_levels(ctx, p[i], 20, 1);
    cmb_program_destroy(p[i]);
  }
  cmb_graph_destroy(g);
}

static void test_no_level(void **state)
{
  cmb_program *p = cmbt_random_program(*state, 3, 4, 10);
  cmb_emission e = {.program = p};
  cmb_emitted code;
  cmbt_ok(*state, cmb_emit(*state, CMB_EMIT_NONE, 1, &e, &code));
  assert_null(code.bytes);
  cmb_emit_release(&code);
  cmb_program_destroy(p);
}

#ifdef __linux__
/* Makes code where memory that was writable cannot become executable. Returns 0 if it is interpreted, with the right results. */
static int run_refused(cmb_context *ctx)
{
  enum { MEMORY_DENY_WRITE_EXECUTE = 65, REFUSE_GAIN = 1, UNKNOWN = 2 };
  if (prctl(MEMORY_DENY_WRITE_EXECUTE, REFUSE_GAIN, 0L, 0L, 0L) != 0) return UNKNOWN;
  cmb_program *p = cmbt_random_program(ctx, 3, 4, 10);
  cmb_native *n;
  cmbt_ok(ctx, cmb_native_create(ctx, 1, (const cmb_program *const[]){p}, NULL, &n));
  const bool interpreted = cmb_native_where_from(n) == CMB_NATIVE_INTERPRETED;
  cmbt_compare_native(n, 0, p, 10);
  cmb_native_destroy(n);
  cmb_program_destroy(p);
  return interpreted ? 0 : 1;
}

static void test_refused_memory(void **state)
{
  int status = 0;
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) _exit(run_refused(*state));
  assert_int_equal(waitpid(child, &status, 0), child);
  if (!WIFEXITED(status) || WEXITSTATUS(status) > 1) skip(); /* before Linux 6.3 */
  assert_int_equal(WEXITSTATUS(status), 0);
}
#endif

static void test_failing_allocations(void **state)
{
  struct cmbt_allocator memory;
  (void)state;
  cmbt_allocator_init(&memory);
  cmb_context *ctx = cmb_context_create(&memory.hook);
  cmb_program *p = cmbt_system_program(ctx, 5);
  const long before = memory.outstanding;
  for (long k = 1;; k++) {
    cmb_emission e[2] = {{.program = p}, {.program = p, .lanes = true}};
    cmb_emitted code;
    memory.fail_at = memory.calls + k;
    memory.refused = 0;
    const cmb_status status = cmb_emit(ctx, CMB_EMIT_SSE2, 2, e, &code);
    assert_int_equal(status, memory.refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
    cmb_emit_release(&code);
    assert_int_equal(memory.outstanding, before);
    if (memory.refused == 0) break;
  }
  cmb_program_destroy(p);
  cmb_context_destroy(ctx);
  assert_int_equal(memory.outstanding, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_each_operation, setup, teardown),
      cmocka_unit_test_setup_teardown(test_plain_outputs, setup, teardown),
      cmocka_unit_test_setup_teardown(test_calls, setup, teardown),
      cmocka_unit_test_setup_teardown(test_solutions, setup, teardown),
      cmocka_unit_test_setup_teardown(test_random_expressions, setup, teardown),
      cmocka_unit_test_setup_teardown(test_random_programs, setup, teardown),
      cmocka_unit_test_setup_teardown(test_long_program, setup, teardown),
#ifdef __linux__
      cmocka_unit_test_setup_teardown(test_refused_memory, setup, teardown),
#endif
      cmocka_unit_test(test_failing_allocations),
      cmocka_unit_test_setup_teardown(test_no_level, setup, teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
