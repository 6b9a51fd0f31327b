/*
 * Tests of switching functions of systems from expressions: the mode selects the branch, not the state; equal switching functions are one;
 * modes of tables and floor are levels; and switches that only outputs contain have no mode.
 */
#include "check.h"
#include "graph_examples.h"
#include "graph_stage.h"

#include "dae/modes.h"

#include <limits.h>
#include <string.h>

static double force(struct cmbt_stage *s, double q, double v)
{
  double f;
  cmb_point at = cmbt_stage_point(s, 0, &q, &v);
  cmbt_ok(s->ctx, s->eq->evaluate(s->eq->self, &at, &(cmb_terms){.f = &f}));
  return f;
}

/* max(0, −100 y): checks that the switching function is the difference of the arguments, and that the mode selects the branch on both sides
 * of y = 0. */
static void test_mode_selects_the_branch(void **state)
{
  (void)state;
  struct cmbt_stage s;
  double q = 0.25, v = 0, margin;
  cmbt_stage_open(&s, &cmbt_bounce, &(cmb_graph_options){0});
  assert_int_equal(s.eq->ns, 1);
  assert_true(!s.eq->switch_is_level && !s.eq->levels);
  assert_non_null(strstr(s.eq->switch_names[0], "y"));
  cmb_point at = cmbt_stage_point(&s, 0, &q, &v);
  s.mode[0] = 1;
  cmbt_ok(s.ctx, s.eq->switches(s.eq->self, &at, NULL, &margin));
  cmbt_near(margin, 25, 1e-13);
  cmbt_near(force(&s, 0.25, 0), -9.81, 1e-14);
  cmbt_near(force(&s, -0.25, 0), -9.81, 1e-14);
  s.mode[0] = -1;
  cmbt_near(force(&s, -0.25, 0), -9.81 + 25, 1e-13);
  cmbt_near(force(&s, 0.25, 0), -9.81 - 25, 1e-13);
  cmbt_stage_close(&s);
}

/* Checks that derivatives are those of the branch that the mode selects. */
static void test_derivative_of_a_branch(void **state)
{
  (void)state;
  struct cmbt_stage s;
  const double q = 0.25, v = 0, a = 0;
  double J;
  cmbt_stage_open(&s, &cmbt_bounce, &(cmb_graph_options){.derivatives = true});
  cmb_point at = cmbt_stage_point(&s, 0, &q, &v);
  s.mode[0] = 1;
  cmbt_ok(s.ctx, s.eq->derivative(s.eq->self, &at, &a, NULL, CMB_RESIDUAL_Q, &J));
  cmbt_near(J, 0, 0);
  s.mode[0] = -1;
  cmbt_ok(s.ctx, s.eq->derivative(s.eq->self, &at, &a, NULL, CMB_RESIDUAL_Q, &J));
  cmbt_near(J, 100, 0);
  cmbt_stage_close(&s);
}

/* Returns a model with one coordinate and the given force and output. */
static struct cmbt_graph_model one_mass(const char *const *f, const char *const *output)
{
  static const char *const names[] = {"output"};
  struct cmbt_graph_model m = cmbt_bounce;
  m.name = "mass";
  m.f = f;
  m.no = 1;
  m.outputs = output;
  m.output_names = names;
  return m;
}

/* Checks that |w| and sign(w) in the force have one switching function, and |y| in the output none. */
static void test_shared_switch(void **state)
{
  (void)state;
  static const char *const f[] = {"-3*abs(w)*w - sign(w)"}, *const output[] = {"abs(y)"};
  struct cmbt_stage s;
  struct cmbt_graph_model model = one_mass(f, output);
  const double q = -2, v = 0.5;
  double out;
  cmbt_stage_open(&s, &model, &(cmb_graph_options){.residual_form = true, .derivatives = true});
  assert_int_equal(s.eq->ns, 1);
  assert_string_equal(s.eq->switch_names[0], "w");
  s.mode[0] = 1;
  cmbt_near(force(&s, q, v), -0.75 - 1, 1e-15);
  s.mode[0] = -1;
  cmbt_near(force(&s, q, v), 0.75 + 1, 1e-15);
  cmb_point at = cmbt_stage_point(&s, 0, &q, &v);
  cmbt_ok(s.ctx, s.eq->outputs(s.eq->self, &at, &v, NULL, &out));
  cmbt_near(out, 2, 0);
  cmbt_stage_close(&s);
}

/* Checks the levels of a table of straight pieces through (0, 0), (1, 2), (2, 3), (4, 3). */
static void test_table(void **state)
{
  (void)state;
  static const char *const f[] = {"-table(y)"}, *const output[] = {"table(y)"};
  const double x[4] = {0, 1, 2, 4}, values[4] = {0, 2, 3, 3}, v = 0;
  static const struct {
    double y;
    int interval;
    double value, margin;
  } cases[] = {
      {-1, 0, -2, 2}, {0.25, 0, 0.5, 0.75}, {1.25, 1, 2.25, 0.25}, {1, 1, 2, 0}, {9, 2, 3, 4}};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_table *table;
  struct cmbt_stage s;
  cmbt_ok(ctx, cmb_table_create(ctx, CMB_TABLE_LINEAR, 4, x, values, &table));
  struct cmbt_graph_model model = one_mass(f, output);
  model.table = table;
  cmbt_stage_open(&s, &model, &(cmb_graph_options){0});
  assert_int_equal(s.eq->ns, 1);
  assert_true(s.eq->switch_is_level[0]);
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    double margin;
    cmb_point at = cmbt_stage_point(&s, 0, &cases[k].y, &v);
    cmbt_ok(s.ctx, s.eq->levels(s.eq->self, &at, NULL, s.mode));
    assert_int_equal(s.mode[0], cases[k].interval);
    cmbt_near(force(&s, cases[k].y, 0), -cases[k].value, 1e-15);
    cmbt_ok(s.ctx, s.eq->switches(s.eq->self, &at, NULL, &margin));
    cmbt_near(margin, cases[k].margin, 1e-15);
  }
  s.mode[0] = 0; /* the first piece, extended */
  cmbt_near(force(&s, 1.5, 0), -3, 1e-15);
  cmbt_stage_close(&s);
  cmb_table_destroy(table);
  cmb_context_destroy(ctx);
}

/* Searches the modes at (0, q, v), beginning with the modes in s, and stores them in s. */
static cmb_status find(struct cmbt_stage *s, cmb_evaluator *ev, double q, double v)
{
  cmb_mode_search search;
  bool changed;
  cmb_mode_search_create(&search, ev->arena, s->eq);
  for (int i = 0; i < s->eq->ns; i++) ev->mode[i] = s->mode[i];
  cmb_status status = cmb_find_modes(ev, &search, 0, &q, &v, NULL, NULL, &changed);
  for (int i = 0; i < s->eq->ns; i++) s->mode[i] = ev->mode[i];
  return status;
}

/* floor inside of floor: checks that one search finds both levels from any initial ones, and that numbers beyond int and NaN have none. */
static void test_floor(void **state)
{
  (void)state;
  static const char *const f[] = {"floor(w + 10*floor(y))"}, *const output[] = {"0"};
  const struct cmbt_graph_model model = one_mass(f, output);
  struct cmbt_stage s;
  cmb_evaluator *ev;
  double q = 2.5, v = 0.75;
  cmbt_stage_open(&s, &model, &(cmb_graph_options){0});
  cmbt_ok(s.ctx, cmb_evaluator_create(s.ctx, s.eq, &ev));
  assert_int_equal(s.eq->ns, 2);
  assert_true(s.eq->switch_is_level[0] && s.eq->switch_is_level[1]);
  s.mode[0] = s.mode[1] = -7;
  cmbt_ok(s.ctx, find(&s, ev, q, v));
  assert_int_equal(s.mode[0], 2);
  assert_int_equal(s.mode[1], 20);
  cmbt_near(force(&s, q, v), 20, 0);
  cmbt_ok(s.ctx, find(&s, ev, -0.5, v));
  assert_int_equal(s.mode[0], -1);
  assert_int_equal(s.mode[1], -10);
  const double none[] = {1e300, -1e300, NAN};
  for (int k = 0; k < 3; k++) {
    cmb_point at = cmbt_stage_point(&s, 0, &none[k], &v);
    assert_int_equal(find(&s, ev, none[k], v), k < 2 ? CMB_ERROR_EVENTS : CMB_RETRY_NONFINITE);
    assert_int_equal(s.mode[0], -1);
    assert_int_equal(s.mode[1], -10);
    cmbt_ok(s.ctx, s.eq->levels(s.eq->self, &at, NULL, s.mode));
    assert_int_equal(s.mode[0], none[k] > 0 ? INT_MAX : none[k] < 0 ? -INT_MAX : -1);
    s.mode[0] = -1, s.mode[1] = -10;
  }
  cmb_evaluator_destroy(ev);
  cmbt_stage_close(&s);
}

/* With the initial modes the level's argument log(y) is not finite. Checks that the search finds the sign first, and that it fails only if
 * the argument is not finite in the final modes. */
static void test_level_not_finite_at_first(void **state)
{
  (void)state;
  static const char *const f[] = {"floor(log(if(y > w, y, 20)))"}, *const output[] = {"0"};
  const struct cmbt_graph_model model = one_mass(f, output);
  struct cmbt_stage s;
  cmb_evaluator *ev;
  cmbt_stage_open(&s, &model, &(cmb_graph_options){0});
  cmbt_ok(s.ctx, cmb_evaluator_create(s.ctx, s.eq, &ev));
  assert_int_equal(s.eq->ns, 2);
  s.mode[0] = s.mode[1] = 1;
  cmbt_ok(s.ctx, find(&s, ev, -1, 0));
  assert_int_equal(s.mode[0], -1);
  assert_int_equal(s.mode[1], 2); /* log 20 = 2.996 */
  cmbt_ok(s.ctx, find(&s, ev, 0.5, 0));
  assert_int_equal(s.mode[0], 1);
  assert_int_equal(s.mode[1], -1);
  assert_int_equal(find(&s, ev, -1, -2), CMB_RETRY_NONFINITE);
  assert_int_equal(s.mode[0], 1);
  assert_int_equal(s.mode[1], -1);
  cmb_evaluator_destroy(ev);
  cmbt_stage_close(&s);
}

/* Checks that `levels` sets only the modes that are levels and not the signs. */
static void test_levels_leave_signs(void **state)
{
  (void)state;
  static const char *const f[] = {"sign(w) + floor(3*y)"}, *const output[] = {"0"};
  const struct cmbt_graph_model model = one_mass(f, output);
  struct cmbt_stage s;
  const double q = 1.5, v = 2;
  cmbt_stage_open(&s, &model, &(cmb_graph_options){0});
  assert_int_equal(s.eq->ns, 2);
  int level = s.eq->switch_is_level[0] ? 0 : 1;
  cmb_point at = cmbt_stage_point(&s, 0, &q, &v);
  s.mode[0] = s.mode[1] = -1;
  cmbt_ok(s.ctx, s.eq->levels(s.eq->self, &at, NULL, s.mode));
  assert_int_equal(s.mode[level], 4);
  assert_int_equal(s.mode[1 - level], -1);
  cmbt_near(force(&s, q, v), 3, 0);
  cmbt_stage_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mode_selects_the_branch),
      cmocka_unit_test(test_derivative_of_a_branch),
      cmocka_unit_test(test_shared_switch),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_floor),
      cmocka_unit_test(test_levels_leave_signs),
      cmocka_unit_test(test_level_not_finite_at_first),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
