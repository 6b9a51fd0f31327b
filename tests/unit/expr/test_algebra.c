/*
 * Tests of vectors, rotations and 6-vectors of expressions (expr/algebra.h): the same numbers as the kernels of layer math; power does not
 * depend on the frame; and the two cross products of 6-vectors are dual.
 */
#include "check.h"
#include "random.h"

#include "expr/algebra.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <camber/camber.h>
#include <stdio.h>

enum { MOST = 64, ROOM = 2048 };

/* A graph with inputs of random values, created one after the other. */
struct test_graph {
  cmb_context *ctx;
  cmb_graph *g;
  struct cmbt_random random;
  int count;
  cmb_expr input[MOST];
  double value[MOST];
};

static void open_graph(struct test_graph *s, uint64_t seed)
{
  *s = (struct test_graph){.ctx = cmb_context_create(NULL), .random = {seed}};
  cmbt_ok(s->ctx, cmb_graph_create(s->ctx, &s->g));
}

static void close_graph(struct test_graph *s)
{
  cmb_graph_destroy(s->g);
  cmb_context_destroy(s->ctx);
}

static cmb_expr scalar(struct test_graph *s)
{
  char name[16];
  assert_in_range(s->count, 0, MOST - 1);
  snprintf(name, sizeof name, "x%d", s->count);
  s->value[s->count] = cmbt_random_uniform(&s->random, -2, 2);
  return s->input[s->count++] = cmb_input(s->g, name);
}

static cmb_vector vector(struct test_graph *s)
{
  return (cmb_vector){{scalar(s), scalar(s), scalar(s)}};
}

static cmb_motion motion(struct test_graph *s)
{
  return (cmb_motion){vector(s), vector(s)};
}

static cmb_force force(struct test_graph *s)
{
  return (cmb_force){vector(s), vector(s)};
}

static double value(struct test_graph *s, cmb_expr e)
{
  double work[ROOM], out;
  cmb_program *p;
  cmbt_ok(s->ctx, cmb_program_create(s->ctx, s->g, s->count, s->input, 1, &e, &p));
  assert_in_range(cmb_program_work(p), 0, ROOM);
  cmb_program_run(p, s->value, &out, work);
  cmb_program_destroy(p);
  return out;
}

/* Returns the rotation about a fixed axis by a random angle as expressions of Euler parameters; sets A to the same matrix of numbers. */
static cmb_matrix rotation(struct test_graph *s, double A[9])
{
  const double axis[3] = {2.0 / 7, 3.0 / 7, 6.0 / 7};
  double p[4];
  cmb_expr e[4];
  scalar(s);
  cmb_rotation_from_axis(axis, s->value[s->count - 1], A);
  cmb_euler_from_rotation(A, p);
  for (int i = 0; i < 4; i++) e[i] = scalar(s), s->value[s->count - 1] = p[i];
  return cmb_rotation_euler(s->g, e);
}

/* Returns the motion in the child's frame: ω' = Aᵀ ω, v' = Aᵀ (v + ω × r). */
static cmb_motion to_child(cmb_graph *g, cmb_frame frame, cmb_motion parent)
{
  const cmb_matrix At = cmb_matrix_transpose(frame.A);
  const cmb_vector arm = cmb_vector_cross(g, parent.angular, frame.r);
  return (cmb_motion){cmb_matrix_times(g, At, parent.angular),
                      cmb_matrix_times(g, At, cmb_vector_add(g, parent.linear, arm))};
}

static void test_kernels(void **state)
{
  (void)state;
  struct test_graph s;
  open_graph(&s, 1);
  cmb_vector a = vector(&s), b = vector(&s), c = cmb_vector_cross(s.g, a, b);
  double cross[3];
  cmb_cross3(s.value, s.value + 3, cross);
  for (int i = 0; i < 3; i++) cmbt_near(value(&s, c.x[i]), cross[i], 1e-15);
  cmbt_near(value(&s, cmb_vector_dot(s.g, a, b)), cmb_dot3(s.value, s.value + 3), 1e-14);
  cmbt_near(value(&s, cmb_vector_length(s.g, a)), cmb_norm3(s.value), 1e-15);
  cmb_vector by_tilde = cmb_matrix_times(s.g, cmb_matrix_tilde(s.g, a), b);
  for (int i = 0; i < 3; i++) cmbt_near(value(&s, by_tilde.x[i]), cross[i], 1e-15);
  close_graph(&s);
}

static void test_rotations(void **state)
{
  (void)state;
  struct test_graph s;
  open_graph(&s, 2);
  double expected[9];
  const cmb_matrix A = rotation(&s, expected), I = cmb_matrix_identity(s.g);
  const cmb_matrix B = cmb_matrix_product(s.g, cmb_matrix_transpose(A), A);
  for (int i = 0; i < 9; i++) {
    cmbt_near(value(&s, A.a[i]), expected[i], 1e-14);
    cmbt_near(value(&s, B.a[i]), value(&s, I.a[i]), 1e-14);
  }
  close_graph(&s);
}

/* Checks that power is the same in the child's and the parent's frame, and that f · (v × w) = −(v ×* f) · w. */
static void test_duality(void **state)
{
  (void)state;
  for (uint64_t seed = 1; seed <= 20; seed++) {
    struct test_graph s;
    open_graph(&s, seed);
    double A[9];
    const cmb_matrix turn = rotation(&s, A);
    const cmb_frame frame = {turn, vector(&s)};
    cmb_motion v = motion(&s), w = motion(&s);
    cmb_force f = force(&s);
    cmb_expr child = cmb_power(s.g, f, to_child(s.g, frame, v));
    cmb_expr parent = cmb_power(s.g, cmb_force_to_parent(s.g, frame, f), v);
    cmbt_near(value(&s, child), value(&s, parent), 1e-12);
    cmb_expr left = cmb_power(s.g, f, cmb_motion_cross(s.g, v, w));
    cmb_expr right = cmb_power(s.g, cmb_motion_cross_force(s.g, v, f), w);
    cmbt_near(value(&s, left), -value(&s, right), 1e-12);
    close_graph(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_kernels),
      cmocka_unit_test(test_rotations),
      cmocka_unit_test(test_duality),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
