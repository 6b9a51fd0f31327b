/*
 * Tests of the derivatives of the residual r = M a − f + Gᵀλ by q and v (dyn/jacobian.h): the closed form of the inertial part gives the
 * same ∂r/∂q and ∂r/∂v as automatic differentiation, for random trees with loops and forces, with all joints but those with Euler
 * parameters.
 */
#include "chain.h"
#include "check.h"
#include "failing_allocator.h"
#include "native_case.h"
#include "random.h"
#include "random_mechanism.h"

#include "dae/graph_system.h"
#include "dae/system.h"
#include "dyn/jacobian.h"
#include "dyn/mechanism.h"
#include "dyn/recursion.h"

#include <stdlib.h>

/* Replaces joints with Euler parameters, which the closed form does not cover: free joints by planar ones, which have links without mass in
 * front of the body, spherical ones by revolute ones. */
static void replace_euler_joints(cmb_model *m)
{
  for (int i = 0; i < m->joint_count; i++) {
    cmb_model_joint *j = &m->joints[i];
    if (!j->euler) continue;
    const bool was_free = j->type == CMB_JOINT_FREE;
    j->type = was_free ? CMB_JOINT_PLANAR : CMB_JOINT_REVOLUTE;
    j->euler = false;
    j->nq = j->nv = was_free ? 3 : 1;
    for (int n = 0; n < j->nv; n++) j->coordinate[n].friction_velocity = cmb_fixed(0.1);
  }
}

/* Makes body i − 1 the parent of body i, for every seventh body i − 3: a long chain with short branches. */
static void make_long(cmb_model *m)
{
  for (int i = 1; i < m->joint_count; i++) m->joints[i].parent = i % 7 == 6 ? i - 3 : i - 1;
}

struct case_ {
  cmb_model *model;
  cmb_mechanism *mechanism;
  cmb_system *system;
  const cmb_equations *eq;
  double *in;            /* t, q, v, a, λ, u: the graph's inputs */
  double *q, *v, *a, *l; /* parts of `in`; l is λ */
  cmb_expr *input;       /* (inputs) expressions of the graph whose values are `in` */
  int inputs;
};

/* Makes a random mechanism with at most `bodies` bodies, and its equations with derivatives of the residual. */
static void open_case(cmb_context *ctx, uint64_t seed, int bodies, struct case_ *c)
{
  const struct cmbt_mechanism_wishes wishes = {
      .most_bodies = bodies, .most_loops = 2, .drives = true};
  const cmb_mechanism_options form = {.formulation = CMB_FORM_RESIDUAL};
  const cmb_graph_options graph = {
      .evaluation = CMB_EVALUATE_INTERPRETER, .derivatives = true, .residual_form = true};
  c->model = cmbt_random_mechanism(ctx, seed, &wishes);
  replace_euler_joints(c->model);
  make_long(c->model);
  cmbt_ok(ctx, cmb_mechanism_create(ctx, c->model, &form, &c->mechanism));
  cmbt_ok(ctx, cmb_graph_system_create(ctx, &c->mechanism->expressions, &graph, &c->system));
  c->eq = cmb_system_equations(c->system);
}

/* Collects the inputs of the graph and gives them random values; those of u are 0. */
static void list_inputs(struct case_ *c, struct cmbt_random *r)
{
  const cmb_expressions *x = &c->mechanism->expressions;
  const struct {
    int count;
    const cmb_expr *e;
    double size;
  } groups[] = {{1, &x->t, 1},    {x->nq, x->q, 1},      {x->nv, x->v, 1},
                {x->nv, x->a, 5}, {x->ng, x->lambda, 5}, {x->nu, x->u, 0}};
  int total = 1 + x->nq + 2 * x->nv + x->ng + x->nu;
  c->in = calloc((size_t)total, sizeof *c->in);
  c->input = calloc((size_t)total, sizeof *c->input);
  c->q = c->in + 1, c->v = c->q + x->nq, c->a = c->v + x->nv, c->l = c->a + x->nv;
  for (int k = 0; k < 6; k++) {
    for (int i = 0; i < groups[k].count; i++) {
      c->in[c->inputs] = cmbt_random_uniform(r, -groups[k].size, groups[k].size);
      c->input[c->inputs++] = groups[k].e[i];
    }
  }
}

static void close_case(struct case_ *c)
{
  free(c->in), free(c->input);
  cmb_system_destroy(c->system);
  cmb_mechanism_destroy(c->mechanism);
  cmb_model_destroy(c->model);
}

/* Copies the values of a sparse matrix into a dense one that is 0 elsewhere. */
static void spread(const cmb_pattern *p, const double *values, double *dense)
{
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      dense[i * p->columns + p->column[k]] = values[k];
  }
}

/* Returns the largest difference between the derivative of the equations and automatic differentiation of r, relative to the largest entry
 * (or to 1, if that is greater). Checks that the pattern of the derivative has only entries on which r depends. */
static double largest_difference(cmb_context *ctx, const struct case_ *c, cmb_derivative which)
{
  const cmb_expressions *x = &c->mechanism->expressions;
  const cmb_pattern *pattern = c->eq->derivative_pattern[which];
  cmb_jacobian *exact;
  const bool by_q = which == CMB_RESIDUAL_Q;
  const size_t size = (size_t)(x->nv * (by_q ? x->nq : x->nv));
  cmbt_ok(ctx, cmb_jacobian_create(ctx, x->graph, c->inputs, c->input, by_q ? x->nq : x->nv,
                                   by_q ? x->q : x->v, x->nv, x->residual, &exact));
  const cmb_pattern *whole = cmb_jacobian_pattern(exact);
  double *work = aligned_alloc(64, (size_t)cmb_jacobian_work(exact) * 8 / 64 * 64 + 64);
  double *scratch = aligned_alloc(64, c->eq->scratch_size / 64 * 64 + 64);
  double *values = calloc(size, sizeof *values), *A = calloc(size, sizeof *A),
         *B = calloc(size, sizeof *B), *is = calloc(size, sizeof *is), most = 0, largest = 1;
  cmb_jacobian_run(exact, c->in, values, work);
  spread(whole, values, A);
  for (int k = 0; k < whole->start[x->nv]; k++) values[k] = 1;
  spread(whole, values, is);
  /* modes of the switching functions, on which no force depends */
  int *mode = calloc((size_t)c->eq->ns + 1, sizeof *mode);
  cmb_point at = {c->in[0], c->q, c->v, mode, scratch, NULL, NULL};
  assert_int_equal(c->eq->derivative(c->eq->self, &at, c->a, c->l, which, values), CMB_OK);
  spread(pattern, values, B);
  for (int i = 0; i < pattern->rows; i++) {
    for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++)
      assert_true(is[i * pattern->columns + pattern->column[k]] == 1);
  }
  for (size_t i = 0; i < size; i++) {
    most = fmax(most, fabs(A[i] - B[i]));
    largest = fmax(largest, fabs(A[i]));
  }
  free(mode), free(work), free(scratch), free(values), free(A), free(B), free(is);
  cmb_jacobian_destroy(exact);
  return most / largest;
}

/* Checks 60 random mechanisms with up to 24 bodies. More than 20 of them must be so long that the closed form is used, and more than 100
 * velocities in these must have applied forces. */
static void test_closed_form(void **state)
{
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {7};
  int closed_forms = 0, with_forces = 0;
  double worst = 0;
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct case_ c = {0};
    open_case(ctx, seed, 24, &c);
    list_inputs(&c, &random);
    const cmb_expressions *x = &c.mechanism->expressions;
    for (int i = 0; i < c.eq->ns; i++) assert_true(c.eq->switch_silent[i]);
    closed_forms += x->applied != NULL;
    for (int i = 0; x->applied && i < x->nv; i++) with_forces += x->applied[i] != 0;
    worst = fmax(worst, largest_difference(ctx, &c, CMB_RESIDUAL_Q));
    worst = fmax(worst, largest_difference(ctx, &c, CMB_RESIDUAL_V));
    close_case(&c);
  }
  print_message("%d of 60 mechanisms in closed form, largest difference %.2g\n", closed_forms,
                worst);
  assert_true(closed_forms > 20 && with_forces > 100);
  cmbt_below(worst, 1e-11);
  cmb_context_destroy(ctx);
}

/* A tree of few bodies without applied forces: r, and its derivatives in closed form. */
struct small {
  cmb_arena *arena;
  cmb_graph *g;
  int n;
  cmb_expr *in, *r;       /* (3 n) inputs q, v, a of the graph; (n) residual */
  double *x;              /* (3 n) values of `in` */
  cmb_entries entries[2]; /* ∂r/∂q, ∂r/∂v */
};

static void open_small(cmb_context *ctx, const cmb_model *m, struct small *s)
{
  cmb_tree *tree;
  cmb_kinematics *k;
  s->arena = cmb_arena_create(ctx);
  cmbt_ok(ctx, cmb_graph_create(ctx, &s->g));
  cmbt_ok(ctx, cmb_tree_create(s->arena, s->g, m, &tree));
  cmbt_ok(ctx, cmb_kinematics_create(s->arena, s->g, tree, &k));
  const int n = s->n = tree->nv;
  cmb_wrench *on = cmb_arena_take(s->arena, (size_t)tree->link_count, sizeof *on);
  s->r = cmb_arena_take(s->arena, (size_t)n + 1, sizeof *s->r);
  s->in = cmb_arena_take(s->arena, 3 * (size_t)n + 1, sizeof *s->in);
  s->x = cmb_arena_doubles(s->arena, 3 * n);
  cmb_newton_euler(k, k->a, on);
  cmb_wrenches_project(k, CMB_GROUND, on, s->r);
  cmbt_ok(ctx, cmb_inertial_jacobian(k, k->a, &s->entries[0], &s->entries[1]));
  for (int i = 0; i < n; i++) {
    s->in[i] = k->q[i], s->in[n + i] = k->v[i], s->in[2 * n + i] = k->a[i];
  }
}

/* Returns ∂r/∂q (which = 0) or ∂r/∂v (1) by the closed form, (n x n). */
static double *closed_form(cmb_context *ctx, struct small *s, int which)
{
  const int n = s->n;
  const cmb_entries *e = &s->entries[which];
  cmb_expr *out = cmb_arena_take(s->arena, (size_t)(n * n) + 1, sizeof *out);
  double *A = cmb_arena_doubles(s->arena, n * n);
  cmb_program *p;
  for (int i = 0; i < e->count; i++) out[n * e->entry[i].row + e->entry[i].column] = e->entry[i].e;
  cmbt_ok(ctx, cmb_program_create(ctx, s->g, 3 * n, s->in, n * n, out, &p));
  cmb_program_run(p, s->x, A, cmb_arena_doubles(s->arena, cmb_program_work(p)));
  cmb_program_destroy(p);
  return A;
}

/* Returns the largest difference between the closed form and automatic differentiation of r, relative to the largest entry (or to 1). */
static double largest_difference_of_small(cmb_context *ctx, struct small *s, int which)
{
  const int n = s->n;
  double *A = closed_form(ctx, s, which), *values = cmb_arena_doubles(s->arena, n * n);
  double *B = cmb_arena_doubles(s->arena, n * n), most = 0, largest = 1;
  cmb_jacobian *exact;
  cmbt_ok(ctx, cmb_jacobian_create(ctx, s->g, 3 * n, s->in, n, s->in + n * which, n, s->r, &exact));
  double *work = aligned_alloc(64, (size_t)cmb_jacobian_work(exact) * 8 / 64 * 64 + 64);
  cmb_jacobian_run(exact, s->x, values, work);
  spread(cmb_jacobian_pattern(exact), values, B);
  for (int i = 0; i < n * n; i++) {
    most = fmax(most, fabs(A[i] - B[i]));
    largest = fmax(largest, fabs(B[i]));
  }
  free(work);
  cmb_jacobian_destroy(exact);
  return most / largest;
}

/* Checks the closed form for 100 random trees of up to 8 bodies, for which cmb_mechanism_create would not choose the closed form. */
static void test_small_trees(void **state)
{
  cmb_context *ctx = cmb_context_create(NULL);
  struct cmbt_random random = {9};
  double worst = 0;
  (void)state;
  for (uint64_t seed = 100; seed < 200; seed++) {
    const struct cmbt_mechanism_wishes wishes = {
        .most_bodies = 8, .most_loops = 0, .drives = false};
    cmb_model *m = cmbt_random_mechanism(ctx, seed, &wishes);
    struct small s;
    replace_euler_joints(m);
    open_small(ctx, m, &s);
    for (int i = 0; i < 3 * s.n; i++) s.x[i] = cmbt_random_uniform(&random, -1, 1);
    worst = fmax(worst, fmax(largest_difference_of_small(ctx, &s, 0),
                             largest_difference_of_small(ctx, &s, 1)));
    cmb_graph_destroy(s.g);
    cmb_arena_destroy(s.arena);
    cmb_model_destroy(m);
  }
  print_message("100 small trees, largest difference %.2g\n", worst);
  cmbt_below(worst, 1e-12);
  cmb_context_destroy(ctx);
}

/* Computes ∂r/∂q or ∂r/∂v of a chain of ten bodies with one spring, by the interpreter or as native code. Returns where the code came
 * from. */
static cmb_native_origin chain_jacobian(cmb_evaluation evaluation, cmb_derivative which, double *J)
{
  enum { BODIES = 10 };
  const cmb_mechanism_options form = {.formulation = CMB_FORM_RESIDUAL};
  const cmb_graph_options graph = {.evaluation = evaluation, .derivatives = true};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_chain_create(ctx, BODIES);
  cmb_mechanism *mechanism;
  cmb_system *system;
  struct cmbt_random random = {5};
  double x[3][BODIES], none[1] = {0};
  m->joints[3].coordinate[0].stiffness = cmb_fixed(5);
  cmbt_ok(ctx, cmb_mechanism_create(ctx, m, &form, &mechanism));
  assert_non_null(mechanism->expressions.applied);
  cmbt_ok(ctx, cmb_graph_system_create(ctx, &mechanism->expressions, &graph, &system));
  const cmb_equations *eq = cmb_system_equations(system);
  double *scratch = aligned_alloc(64, eq->scratch_size / 64 * 64 + 64);
  for (int i = 0; i < 3 * BODIES; i++)
    x[i / BODIES][i % BODIES] = cmbt_random_uniform(&random, -1, 1);
  cmb_point at = {0, x[0], x[1], NULL, scratch, NULL, NULL};
  assert_int_equal(eq->derivative(eq->self, &at, x[2], none, which, J), CMB_OK);
  cmb_native_origin origin = cmb_system_origin(system);
  free(scratch);
  cmb_system_destroy(system);
  cmb_mechanism_destroy(mechanism);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
  return origin;
}

/* Checks that native code gives the same bits of ∂r/∂q and ∂r/∂v as the interpreter. */
static void test_native(void **state)
{
  (void)state;
  for (int which = CMB_RESIDUAL_Q; which <= CMB_RESIDUAL_V; which++) {
    double A[100] = {0}, B[100] = {0};
    (void)chain_jacobian(CMB_EVALUATE_INTERPRETER, (cmb_derivative)which, A);
    assert_int_equal(chain_jacobian(CMB_EVALUATE_NATIVE, (cmb_derivative)which, B),
                     CMBT_NATIVE_ORIGIN);
    assert_true(cmbt_same_bits(100, A, B));
  }
}

/* Makes every third request for memory fail, one in each repetition: the error is CMB_ERROR_MEMORY, and all memory is given back. */
static void test_memory(void **state)
{
  struct cmbt_allocator memory;
  (void)state;
  for (long fail_at = 1;; fail_at += 3) {
    const cmb_mechanism_options form = {.formulation = CMB_FORM_RESIDUAL};
    const cmb_graph_options graph = {.evaluation = CMB_EVALUATE_INTERPRETER, .derivatives = true};
    cmb_mechanism *mechanism = NULL;
    cmb_system *system = NULL;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    cmb_model *m = cmbt_chain_create(ctx, 16);
    memory.calls = 0, memory.fail_at = fail_at;
    cmb_status status = cmb_mechanism_create(ctx, m, &form, &mechanism);
    if (status == CMB_OK) {
      status = cmb_graph_system_create(ctx, &mechanism->expressions, &graph, &system);
    }
    const long refused = memory.refused;
    assert_int_equal(status, refused > 0 ? CMB_ERROR_MEMORY : CMB_OK);
    cmb_system_destroy(system);
    cmb_mechanism_destroy(mechanism);
    cmb_model_destroy(m);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
    if (refused == 0) break;
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_closed_form),
                                     cmocka_unit_test(test_small_trees),
                                     cmocka_unit_test(test_native), cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
