/*
 * Makes random mechanisms (random_mechanism.h). Bodies are boxes with random centres; every joint is near the centre of its child body.
 * Start values are small random coordinates and velocities. They violate the loop constraints, so that the assembly has to correct them.
 */
#include "random_mechanism.h"

#include "random.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct maker {
  struct cmbt_random random;
  cmb_model *m;
};

static const cmb_place nowhere = {.file = "random", .line = 1, .column = 1};

static double uniform(struct maker *k, double a, double b)
{
  return cmbt_random_uniform(&k->random, a, b);
}

static int choose(struct maker *k, int a, int b)
{
  return cmbt_random_int(&k->random, a, b);
}

__attribute__((format(printf, 2, 3))) static const char *text(struct maker *k, const char *format,
                                                              ...)
{
  char buffer[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  return cmb_arena_text(k->m->arena, buffer);
}

static cmb_model_formula formula(const char *words)
{
  return (cmb_model_formula){.text = words, .place = nowhere, .scope = "", .subject = ""};
}

static void random_vector(struct maker *k, double size, double x[3])
{
  for (int i = 0; i < 3; i++) x[i] = uniform(k, -size, size);
}

static void random_direction(struct maker *k, double x[3])
{
  double length;
  do {
    random_vector(k, 1, x);
    length = sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
  } while (length < 0.3 || length > 1);
  for (int i = 0; i < 3; i++) x[i] /= length;
  if (choose(k, 0, 2) ==
      0) { /* a third of the directions are parallel to a global axis, as in many real mechanisms */
    memset(x, 0, 3 * sizeof *x);
    const double sign = choose(k, 0, 1) ? 1 : -1;
    x[choose(k, 0, 2)] = sign;
  }
}

/* Sets axes to a random right-handed orthonormal basis, by rows. */
static void random_axes(struct maker *k, double axes[3][3])
{
  double y[3], along = 0, length = 0;
  random_direction(k, axes[0]);
  do {
    random_direction(k, y);
    along = axes[0][0] * y[0] + axes[0][1] * y[1] + axes[0][2] * y[2];
  } while (fabs(along) > 0.9);
  for (int i = 0; i < 3; i++) {
    y[i] -= along * axes[0][i];
    length += y[i] * y[i];
  }
  for (int i = 0; i < 3; i++) axes[1][i] = y[i] / sqrt(length);
  for (int i = 0; i < 3; i++) {
    int j = (i + 1) % 3, l = (i + 2) % 3;
    axes[2][i] = axes[0][j] * axes[1][l] - axes[0][l] * axes[1][j];
  }
}

static void make_body(struct maker *k, int i)
{
  cmb_model_body *b = &k->m->bodies[i];
  double axes[3][3], I[3], edge[3], com[3], inertia[9] = {0};
  b->name = text(k, "b%d", i);
  b->place = nowhere;
  const double mass = uniform(k, 0.5, 3);
  b->mass = cmb_fixed(mass);
  random_vector(k, 1, com);
  cmb_fix_numbers(3, com, b->com);
  random_axes(k, axes);
  for (int n = 0; n < 3; n++) edge[n] = uniform(k, 0.1, 0.5);
  for (int n = 0; n < 3; n++) {
    double a = edge[(n + 1) % 3], c = edge[(n + 2) % 3];
    I[n] = mass * (a * a + c * c) / 12;
  }
  for (int r = 0; r < 3; r++) {
    for (int c = 0; c < 3; c++) {
      for (int n = 0; n < 3; n++) inertia[3 * r + c] += I[n] * axes[n][r] * axes[n][c];
    }
  }
  cmb_fix_numbers(9, inertia, b->inertia);
  cmb_model_marker *marker = &k->m->markers[i];
  *marker = (cmb_model_marker){text(k, "m%d", i), nowhere, .anchor = {.body = i}};
  memcpy(marker->axes, cmb_unit3, sizeof marker->axes);
  for (int n = 0; n < 3; n++) marker->anchor.at[n] = cmb_fixed(com[n] + uniform(k, -0.3, 0.3));
}

static void name_coordinates(struct maker *k, cmb_model_joint *j, int number)
{
  int ball = j->euler ? 3 : 0;
  j->nv = cmb_joint_velocities(j->type);
  j->nq = j->nv + (j->euler ? 1 : 0);
  for (int n = 0; n < j->nv - ball; n++) {
    j->q_names[n] = text(k, "j%d.c%d", number, n);
    j->v_names[n] = text(k, "j%d.c%d'", number, n);
    j->q_start[n] = cmb_fixed(uniform(k, -0.2, 0.2));
  }
  for (int n = 0; n < ball; n++) j->v_names[j->nv - 3 + n] = text(k, "j%d.w%d'", number, n);
  for (int n = 0; ball && n < 4; n++) {
    j->q_names[j->nq - 4 + n] = text(k, "j%d.p%d", number, n);
    j->q_start[j->nq - 4 + n] = cmb_fixed(n == 0 ? 1 : 0);
  }
  for (int n = 0; n < j->nv; n++) j->v_start[n] = cmb_fixed(uniform(k, -0.5, 0.5));
  for (int n = 0; n < j->nv - ball; n++) {
    cmb_model_coordinate *c = &j->coordinate[n];
    if (choose(k, 0, 3) == 0) c->stiffness = cmb_fixed(uniform(k, 1, 20));
    if (choose(k, 0, 3) == 0) c->damping = cmb_fixed(uniform(k, 0.1, 0.5));
    c->reference = cmb_fixed(uniform(k, -0.1, 0.1));
    c->friction_velocity = cmb_fixed(0.1);
    if (choose(k, 0, 7) == 0) c->friction = cmb_fixed(uniform(k, 0.05, 0.2));
  }
}

static void make_joint(struct maker *k, int i)
{
  cmb_model_joint *j = &k->m->joints[i];
  double axes[3][3];
  j->name = text(k, "j%d", i);
  j->place = nowhere;
  j->type = (cmb_joint_type)choose(k, CMB_JOINT_FIXED, CMB_JOINT_PLANAR);
  if (i == 0 || choose(k, 0, 12) == 0)
    j->type = choose(k, 0, 2) ? CMB_JOINT_FREE : CMB_JOINT_REVOLUTE;
  if (j->type == CMB_JOINT_FIXED && choose(k, 0, 2)) j->type = CMB_JOINT_REVOLUTE;
  j->parent = i == 0 || choose(k, 0, 8) == 0 ? CMB_GROUND : choose(k, i > 4 ? i - 4 : 0, i - 1);
  j->child = i;
  j->turn = choose(k, 0, 3) ? 1 : -1;
  j->euler = j->type == CMB_JOINT_FREE || (j->type == CMB_JOINT_SPHERICAL && choose(k, 0, 1));
  for (int n = 0; n < 3; n++)
    j->at[n] = cmb_fixed(k->m->bodies[i].com[n].value + uniform(k, -0.4, 0.4));
  random_axes(k, axes);
  cmb_fix_numbers(9, axes[0], j->axes[0]);
  name_coordinates(k, j, i);
}

static cmb_anchor random_anchor(struct maker *k, int body)
{
  cmb_anchor a = {.body = body};
  double about[3] = {0, 0, 0};
  if (body != CMB_GROUND) cmb_values_of(3, k->m->bodies[body].com, about);
  for (int n = 0; n < 3; n++) a.at[n] = cmb_fixed(about[n] + uniform(k, -0.4, 0.4));
  return a;
}

/* Returns the number of velocities of the joints on the path in the tree between bodies a and b. */
static int velocities_between(const cmb_model *m, int a, int b)
{
  int sum = 0;
  while (a != b) { /* the number of a body is larger than that of its parent */
    int *up = a > b ? &a : &b;
    sum += m->joints[*up].nv;
    *up = m->joints[*up].parent;
  }
  return sum;
}

/* The number of constraints of a loop of each type. */
static const int constraints_of[] = {
    [CMB_JOINT_FIXED] = 6,       [CMB_JOINT_REVOLUTE] = 5,   [CMB_JOINT_PRISMATIC] = 5,
    [CMB_JOINT_CYLINDRICAL] = 4, [CMB_JOINT_UNIVERSAL] = 4,  [CMB_JOINT_SPHERICAL] = 3,
    [CMB_JOINT_TRANSLATION] = 3, [CMB_JOINT_PLANAR] = 3,     [CMB_LOOP_DISTANCE] = 1,
    [CMB_LOOP_POINT_LINE] = 2,   [CMB_LOOP_POINT_PLANE] = 1, [CMB_LOOP_FORMULA] = 1};

int cmbt_unknowns(const cmb_model *m)
{
  int sum = 0;
  for (int i = 0; i < m->joint_count; i++) sum += m->joints[i].nv;
  for (int i = 0; i < m->loop_count; i++)
    sum += m->loops[i].motion ? 1 : constraints_of[m->loops[i].type];
  return sum;
}

/* Adds a loop of a random type between two random bodies. Adds none if it would leave no degree of freedom of the mechanism (*left) or
 * fewer than two between the bodies; otherwise reduces *left by its constraints. */
static void make_loop(struct maker *k, int *left)
{
  cmb_model *m = k->m;
  cmb_model_loop *l = &m->loops[m->loop_count];
  double axes[3][3];
  int a = choose(k, -1, m->body_count - 1), b = choose(k, 0, m->body_count - 1);
  /* Tests refer to mechanisms by their seeds: another list of types changes the mechanisms of all seeds. */
  static const int types[] = {CMB_JOINT_FIXED,       CMB_JOINT_REVOLUTE,  CMB_JOINT_PRISMATIC,
                              CMB_JOINT_CYLINDRICAL, CMB_JOINT_UNIVERSAL, CMB_JOINT_SPHERICAL,
                              CMB_JOINT_PLANAR,      CMB_JOINT_FREE,      CMB_LOOP_DISTANCE,
                              CMB_LOOP_POINT_LINE,   CMB_LOOP_POINT_PLANE};
  const int type = types[choose(k, 0, (int)(sizeof types / sizeof types[0]) - 1)];
  if (a == b || type == CMB_JOINT_FREE || constraints_of[type] >= *left) return;
  if (velocities_between(m, a, b) < constraints_of[type] + 2) return;
  *left -= constraints_of[type];
  *l = (cmb_model_loop){.name = text(k, "l%d", m->loop_count), .place = nowhere, .type = type};
  l->b = random_anchor(k, b);
  l->a = type == CMB_LOOP_DISTANCE ? random_anchor(k, a) : l->b;
  l->a.body = a;
  random_axes(k, axes);
  cmb_fix_numbers(9, axes[0], l->axes[0]);
  memcpy(l->axes_b, l->axes, sizeof l->axes);
  m->loop_count++;
}

/* Adds a prescribed motion: the first coordinate of a random joint is 0.1 sin(3 t) + 0.2 u1. Adds none if the joint has Euler parameters or no
 * coordinate, or if the mechanism has fewer than three degrees of freedom (*left); otherwise reduces *left by 1. */
static void make_motion(struct maker *k, int *left)
{
  cmb_model *m = k->m;
  int i = choose(k, 0, m->body_count - 1);
  const cmb_model_joint *j = &m->joints[i];
  if (*left < 3 || j->nv == 0 || j->euler) return;
  *left -= 1;
  m->loops[m->loop_count] = (cmb_model_loop){.name = "motion",
                                             .place = nowhere,
                                             .type = CMB_LOOP_FORMULA,
                                             .motion = true,
                                             .formula = formula(j->q_names[0]),
                                             .minus = formula("0.1*sin(3*t) + 0.2*u1")};
  m->loop_count++;
}

static void make_force(struct maker *k, int i, bool drives)
{
  cmb_model *m = k->m;
  cmb_model_force *f = &m->forces[i];
  int a = choose(k, -1, m->body_count - 1), b = choose(k, 0, m->body_count - 1);
  if (a == b) a = CMB_GROUND;
  *f = (cmb_model_force){.name = text(k, "f%d", i), .place = nowhere};
  f->type = drives && choose(k, 0, 2) == 0 ? CMB_FORCE_LOAD
            : choose(k, 0, 1)              ? CMB_FORCE_BUSHING
                                           : CMB_FORCE_SPRING;
  f->a = random_anchor(k, a);
  f->b = random_anchor(k, b);
  if (f->type == CMB_FORCE_SPRING) {
    f->stiffness = cmb_fixed(uniform(k, 5, 50));
    f->free_length = cmb_fixed(uniform(k, 0.1, 1));
    f->damping = cmb_fixed(uniform(k, 0, 0.5));
    f->preload = cmb_fixed(uniform(k, -1, 1));
    if (drives) f->formula = formula(text(k, "0.5*u0*sin(t + m%d.x) - 0.1*f%d.rate", b, i));
  }
  for (int n = 0; n < 6; n++) {
    f->bushing_stiffness[n] = cmb_fixed(uniform(k, 1, 20));
    f->bushing_damping[n] = cmb_fixed(uniform(k, 0, 0.3));
  }
  double axes[3][3];
  random_axes(k, axes);
  cmb_fix_numbers(9, axes[0], f->axes);
  memcpy(f->directions, axes, sizeof axes);
  memcpy(f->torque_directions, axes, sizeof axes);
  f->body_frame = choose(k, 0, 1);
  if (f->type != CMB_FORCE_LOAD) return;
  f->force[0] = formula("cos(2*t)*u0");
  f->force[2] = formula(text(k, "0.2 - 0.1*b%d.vz", b));
  f->torque[1] = formula("0.1*u1");
}

static void make_outputs(struct maker *k)
{
  static const char *const parts[] = {"x", "y", "z", "ax", "ay", "az"};
  cmb_model *m = k->m;
  for (int i = 0; i < m->body_count; i++) {
    for (int n = 0; n < CMBT_OUTPUTS_PER_BODY; n++) {
      const char *name = text(k, "%s%d.%s", n < 6 ? "b" : "m", i, parts[n % 6]);
      m->outputs[m->output_count++] = (cmb_model_output){name, nowhere, formula(name), "", ""};
    }
  }
  m->outputs[m->output_count++] = (cmb_model_output){"E", nowhere, formula("energy"), "", ""};
  m->outputs[m->output_count++] = (cmb_model_output){"P", nowhere, formula("power"), "", ""};
}

static void take_memory(cmb_model *m, int bodies, int loops, int forces)
{
  m->bodies = cmb_arena_take(m->arena, (size_t)bodies, sizeof *m->bodies);
  m->markers = cmb_arena_take(m->arena, (size_t)bodies, sizeof *m->markers);
  m->joints = cmb_arena_take(m->arena, (size_t)bodies, sizeof *m->joints);
  m->loops = cmb_arena_take(m->arena, (size_t)loops + 2, sizeof *m->loops);
  m->forces = cmb_arena_take(m->arena, (size_t)forces, sizeof *m->forces);
  m->inputs = cmb_arena_take(m->arena, 2, sizeof *m->inputs);
  m->outputs =
      cmb_arena_take(m->arena, (size_t)bodies * CMBT_OUTPUTS_PER_BODY + 2, sizeof *m->outputs);
  m->body_count = m->marker_count = m->joint_count = bodies;
  m->force_count = forces;
}

cmb_model *cmbt_random_mechanism(cmb_context *ctx, uint64_t seed,
                                 const struct cmbt_mechanism_wishes *wishes)
{
  cmb_arena *arena = cmb_arena_create(ctx);
  struct maker k = {.random = {seed}, .m = cmb_arena_take(arena, 1, sizeof *k.m)};
  cmb_model *m = k.m;
  m->ctx = ctx, m->arena = arena, m->name = "random", m->title = "", m->path = "random";
  m->gravity[2] = cmb_fixed(-9.81);
  const int least = wishes->least_bodies > 1 ? wishes->least_bodies : 1;
  int bodies = choose(&k, least, wishes->most_bodies);
  int loops = choose(&k, wishes->least_loops, wishes->most_loops);
  take_memory(m, bodies, loops, bodies);
  int left = 0;
  for (int i = 0; i < bodies; i++) make_body(&k, i);
  for (int i = 0; i < bodies; i++) {
    make_joint(&k, i);
    left += m->joints[i].nv;
  }
  for (int i = 0; i < 4 * loops && m->loop_count < loops; i++) make_loop(&k, &left);
  if (wishes->drives) make_motion(&k, &left);
  for (int i = 0; i < m->force_count; i++) make_force(&k, i, wishes->drives);
  m->input_count = 2;
  m->inputs[0] = (cmb_model_input){"u0", nowhere, formula("1 + 0.5*sin(4*t)")};
  m->inputs[1] = (cmb_model_input){"u1", nowhere, formula("cos(3*t)*exp(-t)")};
  make_outputs(&k);
  return m;
}
