/*
 * The quarter car of models/quarter-car.yaml in MuJoCo (realtime_code.h), set up to be as fast and as exact as it can.
 *
 * The same tree and the same two cuts as Camber's: 7 velocities, a `connect` of 3 equations for the upper ball joint and a tendon
 * of fixed length for the tie rod. The frames of all bodies lie in the origin in the design position, so the numbers are the
 * model file's. The lower ball joint is one with a quaternion, which is cheaper than three hinges. The strut is a
 * spatial tendon. The tyre's force is computed from MuJoCo's motion axes in its callback for passive forces.
 *
 * Constraints as stiff as a step h = 1 ms allows: MuJoCo demands r̈ = −b ṙ − k r of a gap r; with b = 1/h and k = 1/h² its
 * semi-implicit Euler would close a linear gap in one step. Newton's method is exact after one iteration, since there are equations
 * only, and needs no warm start.
 */
#include "support/realtime_code.h"

#ifdef BENCH_MUJOCO

#include "support/mujoco_load.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
static const double STIFFNESS = 48000, PRELOAD = 6240; /* of the strut */
static const double TYRE_RADIUS = 0.32, TYRE_STIFFNESS = 200000, TYRE_DAMPING = 50;
static const double SPEED = 20, BUMP_HEIGHT = 0.06, BUMP_LENGTH = 3, BUMP_TIME = 0.1;

/* The model, as a format for printf with three values: integrator, time step, length of the strut's spring without load. */
static const char MJCF[] =
    "<mujoco><compiler angle='radian' inertiafromgeom='false'/><size nuserdata='1'/>"
    "<option integrator='%s' timestep='%.17g' gravity='0 0 -9.81' solver='Newton'>"
    "<flag contact='disable' limit='disable' frictionloss='disable' sensor='disable'"
    " actuation='disable' warmstart='disable' refsafe='disable'/></option>"
    "<default><equality solref='-1e6 -1e3' solimp='0.9999 0.9999 0.001'/></default>"
    "<worldbody>"
    "<body name='chassis'><joint type='slide' axis='0 0 1'/>"
    "<inertial pos='0 0 0.55' mass='380' diaginertia='1 1 1'/>"
    "<site name='rod_inner' pos='-0.13 0.37 0.265'/><site name='spring_top' pos='0.01 0.46 0.60'/>"
    "<body name='lower'><joint type='hinge' pos='0.16 0.36 0.19' axis='0.36 -0.01 -0.01'/>"
    "<inertial pos='-0.012 0.50 0.188' mass='4.2' diaginertia='0.052 0.034 0.082'/>"
    "<site name='spring_seat' pos='0.005 0.58 0.19'/>"
    "<body name='carrier'><joint type='ball' pos='0.005 0.70 0.18'/>"
    "<inertial pos='-0.008 0.71 0.31' mass='9' diaginertia='0.11 0.09 0.035'/>"
    "<site name='rod_outer' pos='-0.14 0.69 0.26'/><site name='carrier_ball' pos='-0.015 0.66 "
    "0.49'/>"
    "<body name='wheel'><joint type='hinge' pos='0 0.76 0.30' axis='0 1 0'/>"
    "<inertial pos='0 0.76 0.30' mass='17' diaginertia='0.55 0.95 0.55'/>"
    "</body></body></body>"
    "<body name='upper'><joint type='hinge' pos='0.13 0.42 0.47' axis='0.27 -0.01 0.015'/>"
    "<inertial pos='-0.008 0.52 0.472' mass='2.1' diaginertia='0.013 0.011 0.022'/>"
    "<site name='upper_ball' pos='-0.015 0.66 0.49'/>"
    "</body></body></worldbody>"
    "<tendon><spatial name='rod'><site site='rod_inner'/><site site='rod_outer'/></spatial>"
    "<spatial stiffness='48000' damping='4200' springlength='%.17g'>"
    "<site site='spring_top'/><site site='spring_seat'/></spatial></tendon>"
    "<equality><connect body1='upper' body2='carrier' anchor='-0.015 0.66 0.49'/>"
    "<tendon tendon1='rod'/></equality></mujoco>";

enum {
  WHEEL = 4,
  COORDINATES = 8,
  VELOCITIES = 7
}; /* the wheel is the fourth body after the world */

struct run {
  mjModel *m;
  mjData *d, *judge; /* judge: kinematics of any position */
  int parts;
  int upper_ball, carrier_ball, rod_inner, rod_outer; /* sites */
  double rod_length;
  double start[COORDINATES];
};

/* Computes the height of the road under the wheel at time t, for a bump of the given height, in at[0], and its rate in at[1]. */
static void road(double t, double height, double at[2])
{
  const double omega = 2 * PI * SPEED / BUMP_LENGTH, phase = omega * (t - BUMP_TIME);
  const bool on = phase > 0 && phase < 2 * PI;
  at[0] = on ? height / 2 * (1 - cos(phase)) : 0;
  at[1] = on ? height / 2 * omega * sin(phase) : 0;
}

/* Adds the generalised forces of the tyre to MuJoCo's passive forces: Jᵀ times the vertical force on the wheel's centre, where J is the row
 * of the centre's vertical velocity. Called by MuJoCo as its callback for passive forces. */
static void tyre(const mjModel *m, mjData *d)
{
  const double *origin = d->subtree_com + 3 * (ptrdiff_t)m->body_rootid[WHEEL];
  const double *centre = d->xipos + 3 * (ptrdiff_t)WHEEL;
  const double x = centre[0] - origin[0], y = centre[1] - origin[1];
  const int last = m->body_dofadr[WHEEL] + m->body_dofnum[WHEEL] - 1;
  double J[VELOCITIES], rise = 0, at[2];
  for (int i = last; i >= 0; i = m->dof_parentid[i]) {
    const double *axis = d->cdof + 6 * (ptrdiff_t)i; /* rotation, then translation */
    J[i] = axis[5] + axis[0] * y - axis[1] * x;
    rise += J[i] * d->qvel[i];
  }
  road(d->time, d->userdata[0], at);
  const double depth = TYRE_RADIUS - (centre[2] - at[0]);
  const double force = TYRE_STIFFNESS * depth + TYRE_DAMPING * (at[1] - rise);
  if (depth <= 0 || force <= 0) return;
  for (int i = last; i >= 0; i = m->dof_parentid[i]) d->qfrc_passive[i] += J[i] * force;
}

/* Converts Camber's coordinates q (height, lower arm, upper arm, three ball-joint angles about z, x and y, wheel spin) to MuJoCo's qpos
 * (height, lower arm, quaternion of the ball joint, wheel spin, upper arm). */
static void from_camber(const double *q, double *qpos)
{
  const double a[4] = {cos(q[3] / 2), 0, 0, sin(q[3] / 2)};
  const double b[4] = {cos(q[4] / 2), sin(q[4] / 2), 0, 0};
  const double c[4] = {cos(q[5] / 2), 0, sin(q[5] / 2), 0};
  double ab[4];
  mju_mulQuat(ab, a, b);
  mju_mulQuat(qpos + 2, ab, c);
  qpos[0] = q[0], qpos[1] = q[1], qpos[6] = q[6], qpos[7] = q[2];
}

static double distance(const struct run *r, int a, int b)
{
  return mju_dist3(r->judge->site_xpos + 3 * (ptrdiff_t)a, r->judge->site_xpos + 3 * (ptrdiff_t)b);
}

double bench_mujoco_gap(bench_realtime_code *code, const double *q)
{
  struct run *r = code->self;
  if (q) {
    from_camber(q, r->judge->qpos);
  } else {
    mju_copy(r->judge->qpos, r->d->qpos, COORDINATES);
  }
  mj_kinematics(r->m, r->judge);
  return fmax(distance(r, r->upper_ball, r->carrier_ball),
              fabs(distance(r, r->rod_inner, r->rod_outer) - r->rod_length));
}

void bench_mujoco_set_bump(bench_realtime_code *code, double height)
{
  struct run *r = code->self;
  r->d->userdata[0] = height;
}

static void restart(void *self)
{
  struct run *r = self;
  mj_resetData(r->m, r->d);
  mju_copy(r->d->qpos, r->start, COORDINATES);
  r->d->userdata[0] = BUMP_HEIGHT;
}

static void step(void *self)
{
  struct run *r = self;
  for (int i = 0; i < r->parts; i++) mj_step(r->m, r->d);
}

static const double *position(void *self)
{
  struct run *r = self;
  return r->d->qpos;
}

static void destroy(void *self)
{
  struct run *r = self;
  if (r->judge) mj_deleteData(r->judge);
  if (r->d) mj_deleteData(r->d);
  if (r->m) mj_deleteModel(r->m);
  free(r);
}

static bool prepare(struct run *r, const char *integrator)
{
  char text[sizeof MJCF + 100];
  const double h = 1.0 / BENCH_STEPS_PER_SECOND / r->parts;
  const double strut = sqrt(0.005 * 0.005 + 0.12 * 0.12 + 0.41 * 0.41);
  (void)snprintf(text, sizeof text, MJCF, integrator, h, strut + PRELOAD / STIFFNESS);
  r->m = bench_mujoco_load(text);
  r->d = r->m ? mj_makeData(r->m) : NULL;
  r->judge = r->m ? mj_makeData(r->m) : NULL;
  if (!r->d || !r->judge || r->m->nq != COORDINATES || r->m->nv != VELOCITIES) return false;
  r->upper_ball = mj_name2id(r->m, mjOBJ_SITE, "upper_ball");
  r->carrier_ball = mj_name2id(r->m, mjOBJ_SITE, "carrier_ball");
  r->rod_inner = mj_name2id(r->m, mjOBJ_SITE, "rod_inner");
  r->rod_outer = mj_name2id(r->m, mjOBJ_SITE, "rod_outer");
  mj_kinematics(r->m, r->judge); /* in the design position */
  r->rod_length = distance(r, r->rod_inner, r->rod_outer);
  return mj_name2id(r->m, mjOBJ_BODY, "wheel") == WHEEL;
}

bool bench_realtime_mujoco(const char *integrator, int parts,
                           const double start[BENCH_CAR_COORDINATES], bench_realtime_code *code)
{
  struct run *r = calloc(1, sizeof *r);
  if (!r) return false;
  r->parts = parts;
  if (!prepare(r, integrator)) {
    destroy(r);
    return false;
  }
  from_camber(start, r->start);
  mjcb_passive = tyre;
  restart(r);
  *code = (bench_realtime_code){r, restart, step, position, destroy};
  return true;
}

#else

bool bench_realtime_mujoco(const char *integrator, int parts,
                           const double start[BENCH_CAR_COORDINATES], bench_realtime_code *code)
{
  (void)integrator, (void)parts, (void)start, (void)code;
  return false;
}

void bench_mujoco_set_bump(bench_realtime_code *code, double height)
{
  (void)code, (void)height;
}

double bench_mujoco_gap(bench_realtime_code *code, const double *q)
{
  (void)code, (void)q;
  return 0;
}

#endif
