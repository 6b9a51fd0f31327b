/*
 * Creates a random serial chain as a model in memory (chain.h).
 */
#include "chain.h"

#include "random.h"

#include <math.h>
#include <stdio.h>

static const cmb_place nowhere = {.file = "chain", .line = 1, .column = 1};

static void random_vector(struct cmbt_random *r, double size, double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = cmbt_random_uniform(r, -size, size);
}

/* Sets x to a random unit vector at an angle of at least 10 degrees to each coordinate plane. */
static void random_direction(struct cmbt_random *r, double x[3])
{
  double length, least;
  do {
    random_vector(r, 1, x);
    length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
    least = fmin(fabs(x[0]), fmin(fabs(x[1]), fabs(x[2])));
  } while (length > 1 || least < 0.18 * length);
  for (int i = 0; i < 3; i++) x[i] /= length;
}

/* Adds to J (3 x 3, by rows) the inertia matrix of six equal point masses at random places, about their centre of mass. */
static void random_inertia(struct cmbt_random *r, double mass, double J[9])
{
  enum { POINTS = 6 };
  double x[POINTS][3], mean[3] = {0, 0, 0};
  for (int p = 0; p < POINTS; p++) {
    random_vector(r, 0.2, x[p]);
    for (int i = 0; i < 3; i++) mean[i] += x[p][i] / POINTS;
  }
  for (int p = 0; p < POINTS; p++) {
    double square = 0, m = mass / POINTS;
    for (int i = 0; i < 3; i++) {
      x[p][i] -= mean[i];
      square += x[p][i] * x[p][i];
    }
    for (int i = 0; i < 9; i++) J[i] += m * ((i % 4 == 0 ? square : 0) - x[p][i / 3] * x[p][i % 3]);
  }
}

static const char *name_of(cmb_model *m, const char *format, int i)
{
  char text[32];
  (void)snprintf(text, sizeof text, format, i);
  return cmb_arena_text(m->arena, text);
}

/* Makes body i and the revolute joint at the position `at` that connects it with body i − 1; moves `at` to the next joint. */
static void make_link(cmb_model *m, int i, struct cmbt_random *r, double at[3])
{
  cmb_model_body *b = &m->bodies[i];
  cmb_model_joint *j = &m->joints[i];
  const double mass = cmbt_random_uniform(r, 0.5, 2);
  double offset[3], centre[3], inertia[9] = {0}, axis[3];
  b->name = name_of(m, "b%d", i);
  b->place = nowhere;
  b->mass = cmb_fixed(mass);
  random_vector(r, 0.2, centre);
  random_inertia(r, mass, inertia);
  cmb_fix_numbers(9, inertia, b->inertia);
  *j = (cmb_model_joint){.name = name_of(m, "j%d", i),
                         .place = nowhere,
                         .type = CMB_JOINT_REVOLUTE,
                         .parent = i - 1, /* CMB_GROUND for the first */
                         .child = i,
                         .turn = 1,
                         .nq = 1,
                         .nv = 1};
  random_direction(r, axis);
  cmb_fix_numbers(3, axis, j->axes[0]);
  j->q_names[0] = name_of(m, "q%d", i);
  j->v_names[0] = name_of(m, "q%d'", i);
  j->coordinate[0].friction_velocity = cmb_fixed(1);
  random_vector(r, 0.3, offset);
  for (int k = 0; k < 3; k++) {
    j->at[k] = cmb_fixed(at[k]);
    b->com[k] = cmb_fixed(at[k] + centre[k]);
    at[k] += offset[k];
  }
}

cmb_model *cmbt_chain_create(cmb_context *ctx, int n)
{
  struct cmbt_random r = {41};
  double at[3] = {0.1, 0.2, 0.3};
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_model *m = arena ? cmb_arena_take(arena, 1, sizeof *m) : NULL;
  if (!m) {
    cmb_arena_destroy(arena);
    return NULL;
  }
  m->ctx = ctx, m->arena = arena, m->name = "chain", m->title = "", m->path = "chain";
  m->gravity[2] = cmb_fixed(-9.81);
  m->bodies = cmb_arena_take(arena, (size_t)n, sizeof *m->bodies);
  m->joints = cmb_arena_take(arena, (size_t)n, sizeof *m->joints);
  if (!cmb_arena_failed(arena)) {
    m->body_count = m->joint_count = n;
    for (int i = 0; i < n; i++) make_link(m, i, &r, at);
  }
  if (cmb_arena_failed(arena)) {
    cmb_model_destroy(m);
    return NULL;
  }
  return m;
}
