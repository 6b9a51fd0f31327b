/*
 * Tests of systems from expressions: native code computes the same bits as the interpreter;
 * large systems are stored sparse; failing allocations are errors; evaluation does not allocate.
 */
#include "check.h"
#include "failing_allocator.h"
#include "graph_examples.h"
#include "graph_stage.h"
#include "native_case.h"

#include "math/kkt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ROOM = 256 };

/* Computes everything that the equations define and stores it in `out`; returns the number of values. */
static int evaluate_all(struct cmbt_stage *s, double *out)
{
  const cmb_equations *eq = s->eq;
  const double q[4] = {0.9, -1.2, 0.3, 0.7}, v[4] = {0.4, 0.3, -0.2, 0.1};
  const double a[4] = {1, 2, 3, 4}, lambda[1] = {5};
  double *to = out;
  cmb_point at = cmbt_stage_point(s, 0.5, q, v);
  cmb_terms want = {to, to + 16, to + 20, to + 24, to + 28, to + 32};
  memset(to, 0, ROOM * sizeof *to);
  cmbt_ok(s->ctx, eq->evaluate(eq->self, &at, &want));
  to += 40;
  if (eq->residual) cmbt_ok(s->ctx, eq->residual(eq->self, &at, a, lambda, to));
  if (eq->accelerate) cmbt_ok(s->ctx, eq->accelerate(eq->self, &at, to + 4, to + 8));
  if (eq->outputs) cmbt_ok(s->ctx, eq->outputs(eq->self, &at, a, lambda, to + 12));
  if (eq->energy) cmbt_ok(s->ctx, eq->energy(eq->self, &at, to + 16));
  if (eq->switches) cmbt_ok(s->ctx, eq->switches(eq->self, &at, lambda, to + 20));
  if (eq->rates) eq->rates(eq->self, q, v, to + 28);
  to += 32;
  for (int k = 0; eq->derivative && k < CMB_DERIVATIVES; k++, to += 16) {
    cmbt_ok(s->ctx, eq->derivative(eq->self, &at, a, lambda, (cmb_derivative)k, to));
  }
  return (int)(to - out);
}

static cmb_native_origin compute(const struct cmbt_graph_model *model, cmb_evaluation evaluation,
                                 int *count, double *out)
{
  struct cmbt_stage s;
  const cmb_graph_options options = {
      .evaluation = evaluation, .derivatives = true, .explicit_form = true, .residual_form = true};
  cmbt_stage_open(&s, model, &options);
  for (int i = 0; i < s.eq->ns; i++) s.mode[i] = -1;
  *count = evaluate_all(&s, out);
  cmb_native_origin origin = cmb_system_origin(s.system);
  cmbt_stage_close(&s);
  return origin;
}

static void test_same_bits(void **state)
{
  (void)state;
  const struct cmbt_graph_model *models[] = {&cmbt_pendulum, &cmbt_arm, &cmbt_top, &cmbt_bounce};
  for (int k = 0; k < 4; k++) {
    double plain[ROOM], other[ROOM];
    int n, m;
    assert_int_equal(compute(models[k], CMB_EVALUATE_INTERPRETER, &n, plain),
                     CMB_NATIVE_INTERPRETED);
    for (int e = CMB_EVALUATE_AUTO; e <= CMB_EVALUATE_NATIVE; e++) {
      if (e == CMB_EVALUATE_INTERPRETER) continue;
      assert_int_equal(compute(models[k], (cmb_evaluation)e, &m, other), CMBT_NATIVE_ORIGIN);
      assert_true(n == m && cmbt_same_bits(n, plain, other));
    }
  }
}

static void test_origin_of_others(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_system *system;
  cmbt_ok(ctx, cmb_problem_create(ctx, cmb_problem_find("pendulum"), 0, NULL, &system));
  assert_int_equal(cmb_system_origin(system), CMB_NATIVE_INTERPRETED);
  cmb_system_destroy(system);
  cmb_context_destroy(ctx);
}

/* ---- a large system: 40 masses in a row with the constraints q_i q_{i+1} = 1 for the first 30 pairs */

enum { MASSES = 40, PAIRS = 30 };

struct row {
  cmb_arena *arena;
  struct cmbt_graph_model model;
};

__attribute__((format(printf, 2, 3))) static const char *format_text(cmb_arena *arena,
                                                                     const char *format, ...)
{
  char text[128];
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return cmb_arena_text(arena, text);
}

/* Makes M: 2 + sin(q_i)² on the diagonal, 0.3 beside it, and zeros further away, which must not be stored. */
static void make_mass(cmb_arena *a, struct cmbt_graph_model *m)
{
  struct cmbt_entry *M = cmb_arena_take(a, 5 * (size_t)MASSES, sizeof *M);
  m->M = M;
  for (int i = 0; i < MASSES; i++) {
    for (int j = i - 2; j <= i + 2; j++) {
      if (j < 0 || j >= MASSES) continue;
      const char *text = i == j            ? format_text(a, "2 + sin(q%d)^2", i)
                         : abs(i - j) == 1 ? "0.3"
                                           : "0";
      M[m->M_count++] = (struct cmbt_entry){i, j, text};
    }
  }
}

static struct row make_row(cmb_context *ctx)
{
  cmb_arena *a = cmb_arena_create(ctx);
  struct cmbt_graph_model m = {.name = "row", .nq = MASSES, .nv = MASSES, .ng = PAIRS};
  const char **text[6];
  for (int k = 0; k < 6; k++) text[k] = cmb_arena_take(a, MASSES, sizeof *text[k]);
  struct cmbt_entry *G = cmb_arena_take(a, 2 * (size_t)PAIRS, sizeof *G);
  for (int i = 0; i < MASSES; i++) {
    text[0][i] = format_text(a, "q%d", i);
    text[1][i] = format_text(a, "v%d", i);
    text[2][i] = format_text(a, "-q%d", i);
    text[3][i] = format_text(a, "q%d*q%d - 1", i, i + 1);
    text[4][i] = format_text(a, "2*v%d*v%d", i, i + 1);
    text[5][i] = "0";
  }
  for (int k = 0; k < PAIRS; k++) {
    G[2 * k] = (struct cmbt_entry){k, k, text[0][k + 1]};
    G[2 * k + 1] = (struct cmbt_entry){k, k + 1, text[0][k]};
  }
  make_mass(a, &m);
  m.q = text[0], m.v = text[1], m.f = text[2], m.g = m.g_names = text[3];
  m.gamma = text[4], m.gt = text[5];
  m.G_count = 2 * PAIRS;
  m.G = G;
  m.q_start = m.v_start = cmb_arena_doubles(a, MASSES);
  return (struct row){a, m};
}

static void test_sparse(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  struct row row = make_row(ctx);
  struct cmbt_stage s;
  double q[MASSES], M[3 * MASSES], G[2 * PAIRS];
  for (int i = 0; i < MASSES; i++) q[i] = 0.1 * i;
  assert_true(MASSES + PAIRS >= CMB_KKT_SPARSE_FROM);
  cmbt_stage_open(&s, &row.model, &(cmb_graph_options){0});
  const cmb_pattern *p = s.eq->M_pattern;
  assert_int_equal(p->start[MASSES], 3 * MASSES - 2);
  assert_int_equal(s.eq->G_pattern->start[PAIRS], 2 * PAIRS);
  cmb_point at = cmbt_stage_point(&s, 0, q, NULL);
  cmbt_ok(s.ctx, s.eq->evaluate(s.eq->self, &at, &(cmb_terms){.M = M, .G = G}));
  for (int i = 0; i < MASSES; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      assert_in_range(p->column[k] - i + 1, 0, 2);
      cmbt_near(M[k], p->column[k] == i ? 2 + sin(q[i]) * sin(q[i]) : 0.3, 1e-15);
    }
  }
  for (int k = 0; k < PAIRS; k++) {
    assert_int_equal(s.eq->G_pattern->column[2 * k], k);
    cmbt_near(G[2 * k], q[k + 1], 0);
    cmbt_near(G[2 * k + 1], q[k], 0);
  }
  cmbt_stage_close(&s);
  cmb_arena_destroy(row.arena);
  cmb_context_destroy(ctx);
}

/* ---- memory */

static cmb_status create_with(struct cmbt_allocator *memory, const struct cmbt_graph_model *model,
                              long fail_at)
{
  const cmb_graph_options options = {.evaluation = CMB_EVALUATE_INTERPRETER,
                                     .derivatives = true,
                                     .explicit_form = true,
                                     .residual_form = true};
  struct cmbt_graph m;
  cmb_system *system;
  cmbt_allocator_init(memory);
  cmb_context *ctx = cmb_context_create(&memory->hook);
  cmbt_graph_open(ctx, model, &m);
  memory->fail_at = memory->calls + fail_at;
  cmb_status status = cmb_graph_system_create(ctx, &m.x, &options, &system);
  if (status != CMB_OK) assert_true(cmb_last_error(ctx)[0] != '\0' && !system);
  cmb_system_destroy(system);
  cmbt_graph_close(&m);
  cmb_context_destroy(ctx);
  assert_int_equal(memory->outstanding, 0);
  return status;
}

static void test_failing_allocations(void **state)
{
  (void)state;
  const struct cmbt_graph_model *models[] = {&cmbt_pendulum, &cmbt_arm, &cmbt_top, &cmbt_bounce};
  struct cmbt_allocator memory;
  for (int k = 0; k < 4; k++) {
    long at = 1;
    while (create_with(&memory, models[k], at) != CMB_OK) {
      assert_true(memory.refused > 0);
      at++;
    }
    assert_int_equal(memory.refused, 0);
    printf("%s: %ld allocations\n", models[k]->name, at - 1);
    assert_true(at > 20);
  }
}

static void test_evaluation_takes_no_memory(void **state)
{
  (void)state;
  struct cmbt_allocator memory;
  struct cmbt_graph m;
  struct cmbt_stage s = {0};
  double out[ROOM];
  cmbt_allocator_init(&memory);
  s.ctx = cmb_context_create(&memory.hook);
  cmbt_graph_open(s.ctx, &cmbt_arm, &m);
  const cmb_graph_options options = {.evaluation = CMB_EVALUATE_INTERPRETER, .derivatives = true};
  cmbt_ok(s.ctx, cmb_graph_system_create(s.ctx, &m.x, &options, &s.system));
  cmbt_graph_close(&m);
  s.eq = cmb_system_equations(s.system);
  s.scratch = aligned_alloc(64, (s.eq->scratch_size + 63) / 64 * 64);
  memset(s.scratch, 0, s.eq->scratch_size);
  long calls = memory.calls;
  (void)evaluate_all(&s, out);
  assert_int_equal(memory.calls, calls);
  cmbt_stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_bits),
      cmocka_unit_test(test_origin_of_others),
      cmocka_unit_test(test_sparse),
      cmocka_unit_test(test_failing_allocations),
      cmocka_unit_test(test_evaluation_takes_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
