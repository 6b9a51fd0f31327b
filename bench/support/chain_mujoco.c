/*
 * The chain evaluated by MuJoCo (chain_code.h), from the same numbers, as MJCF text.
 *
 * All that is not asked of it is switched off: contacts, constraints, sensors, passive forces. Explicit is mj_forward.
 * Residual is the least that gives it from q, v and a: kinematics, motion axes, velocities, recursive Newton-Euler;
 * mj_inverse does more. Where CMake does not find MuJoCo, there is none to race.
 */
#include "support/chain_code.h"

#ifdef BENCH_MUJOCO

#include "chain.h"
#include "support/mujoco_load.h"

#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct run {
  mjModel *m;
  mjData *d;
  mjtNum *residual; /* (n) */
};

static void forward(void *self)
{
  struct run *r = self;
  mj_forward(r->m, r->d);
}

static void inverse(void *self)
{
  struct run *r = self;
  mj_kinematics(r->m, r->d);
  mj_comPos(r->m, r->d);
  mj_comVel(r->m, r->d);
  mj_rne(r->m, r->d, 1, r->residual);
}

static void destroy(void *self)
{
  struct run *r = self;
  if (r->d) mj_deleteData(r->d);
  if (r->m) mj_deleteModel(r->m);
  free(r->residual);
  free(r);
}

/* Computes the eigenvalues d and eigenvectors (columns of V) of the symmetric 3 x 3 matrix `full` = V diag(d) Vᵀ by Jacobi rotations, to
 * rounding. MuJoCo's own decomposition of inertia matrices stops at a relative accuracy of 1e-9. */
static void principal_axes(const double full[9], double d[3], double V[9])
{
  double J[9];
  memcpy(J, full, sizeof J);
  memcpy(V, (const double[9]){1, 0, 0, 0, 1, 0, 0, 0, 1}, 9 * sizeof *V);
  for (int turn = 0; turn < 30; turn++) {
    const int p = turn % 3, q = (p + 1) % 3;
    const double apart = J[4 * q] - J[4 * p];
    const double angle = atan2(2 * copysign(J[3 * p + q], J[3 * p + q] * apart), fabs(apart)) / 2;
    const double c = cos(angle), s = sin(angle);
    for (int i = 0; i < 3; i++) { /* columns of J and V, then rows of J */
      double *row[] = {J + 3 * (ptrdiff_t)i, V + 3 * (ptrdiff_t)i};
      for (int k = 0; k < 2; k++) {
        const double x = row[k][p], y = row[k][q];
        row[k][p] = c * x - s * y;
        row[k][q] = s * x + c * y;
      }
    }
    for (int i = 0; i < 3; i++) {
      const double x = J[3 * p + i], y = J[3 * q + i];
      J[3 * p + i] = c * x - s * y;
      J[3 * q + i] = s * x + c * y;
    }
  }
  for (int i = 0; i < 3; i++) d[i] = J[4 * i];
}

/* Writes the XML element (MJCF, MuJoCo's model format) of body i of the chain to text[room], without its end tag, as its child bodies are
 * nested inside it. The axes of the body are parallel to the global ones in the design position. Returns the length of the text. */
static int print_body(const cmb_model *m, int i, char *text, size_t room)
{
  const cmb_model_joint *j = &m->joints[i];
  const cmb_model_body *b = &m->bodies[i];
  double from[3] = {0, 0, 0}, at[3], axis[3], com[3], inertia[9], d[3], V[9], quat[4];
  if (i > 0) cmb_values_of(3, m->joints[i - 1].at, from);
  cmb_values_of(3, j->at, at);
  cmb_values_of(3, j->axes[0], axis);
  cmb_values_of(3, b->com, com);
  cmb_values_of(9, b->inertia, inertia);
  principal_axes(inertia, d, V);
  mju_mat2Quat(quat, V);
  return snprintf(text, room,
                  "<body pos='%.17g %.17g %.17g'><joint type='hinge' axis='%.17g %.17g %.17g'/>"
                  "<inertial pos='%.17g %.17g %.17g' mass='%.17g' "
                  "quat='%.17g %.17g %.17g %.17g' diaginertia='%.17g %.17g %.17g'/>\n",
                  at[0] - from[0], at[1] - from[1], at[2] - from[2], axis[0], axis[1], axis[2],
                  com[0] - at[0], com[1] - at[1], com[2] - at[2], b->mass.value, quat[0], quat[1],
                  quat[2], quat[3], d[0], d[1], d[2]);
}

static char *print_model(const cmb_model *m)
{
  enum { BODY = 600, HEAD = 600 };
  const size_t room = HEAD + (size_t)m->body_count * BODY;
  char *text = malloc(room);
  if (!text) return NULL;
  int at = snprintf(text, room,
                    "<mujoco><compiler angle='radian' inertiafromgeom='false'/>"
                    "<option gravity='0 0 %.17g'><flag contact='disable' constraint='disable' "
                    "passive='disable' sensor='disable' actuation='disable'/></option>"
                    "<worldbody>\n",
                    m->gravity[2].value);
  for (int i = 0; i < m->body_count; i++) at += print_body(m, i, text + at, room - (size_t)at);
  for (int i = 0; i < m->body_count; i++) {
    at += snprintf(text + at, room - (size_t)at, "</body>");
  }
  (void)snprintf(text + at, room - (size_t)at, "</worldbody></mujoco>\n");
  return text;
}

static bool prepare(struct run *r, int n)
{
  bench_chain_state s = {0};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *model = ctx ? cmbt_chain_create(ctx, n) : NULL;
  char *text = model ? print_model(model) : NULL;
  r->m = text ? bench_mujoco_load(text) : NULL;
  r->d = r->m ? mj_makeData(r->m) : NULL;
  r->residual = calloc((size_t)n, sizeof *r->residual);
  const bool good = r->d && r->residual && r->m->nv == n && bench_chain_state_create(n, &s);
  for (int i = 0; good && i < n; i++) {
    r->d->qpos[i] = s.q[i], r->d->qvel[i] = s.v[i], r->d->qacc[i] = s.a[i];
  }
  bench_chain_state_destroy(&s);
  free(text);
  cmb_model_destroy(model);
  cmb_context_destroy(ctx);
  return good;
}

bool bench_chain_mujoco(int n, bench_quantity what, bench_chain_code *code)
{
  struct run *r = what == BENCH_JACOBIAN ? NULL : calloc(1, sizeof *r);
  if (!r) return false;
  if (!prepare(r, n)) {
    destroy(r);
    return false;
  }
  const bool explicit_form = what == BENCH_EXPLICIT;
  *code = (bench_chain_code){r, explicit_form ? forward : inverse,
                             explicit_form ? r->d->qacc : r->residual, destroy};
  return true;
}

#else

bool bench_chain_mujoco(int n, bench_quantity what, bench_chain_code *code)
{
  (void)n, (void)what, (void)code;
  return false;
}

#endif
