/*
 * The frame that moves with a steady motion (steady_frame.h).
 */
#include "system/steady_frame.h"

#include "base/context.h"
#include "math/rotation.h"
#include "math/vec3.h"

#include <camber/system.h>
#include <math.h>

/* tolerance of the cosine of right angles, and of 1 − cosine of parallel directions */
static const double PARALLEL = 1e-9;

/* Returns the scalar product of the vectors a and b in space. */
static double dot(const double a[3], const double b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_horizontal_shift(const cmb_moving_frame *f, int i)
{
  const cmb_carrier *c = &f->carrier[i];
  return c->kind == CMB_CARRY_SHIFT && fabs(dot(c->axis, f->up)) < PARALLEL;
}

/* Returns whether the elementary motion with the translational velocity i precedes that with the translational velocity j on the way from the
 * ground, in a joint before it or in the same joint. */
static bool is_before(const cmb_moving_frame *f, int i, int j)
{
  for (int link = f->carrier[j].before; link >= 0;) {
    if (f->carrier[i].link == link) return true;
    int next = -1;
    for (int k = 0; k < f->count; k++) {
      if (f->carrier[k].link == link) next = f->carrier[k].before;
    }
    link = next;
  }
  return false;
}

static void fill_S(cmb_moving_frame *f)
{
  for (int i = 0; i < f->count; i++) {
    for (int j = 0; j < f->count; j++) {
      const double *a = f->carrier[i].axis, *b = f->carrier[j].axis;
      if (!is_horizontal_shift(f, i) || !is_horizontal_shift(f, j)) continue;
      if (!is_before(f, i, j) && !is_before(f, j, i)) continue;
      if (fabs(dot(a, b)) >= PARALLEL) continue;
      const double *e = f->up;
      const double cross[3] = {e[1] * b[2] - e[2] * b[1], e[2] * b[0] - e[0] * b[2],
                               e[0] * b[1] - e[1] * b[0]};
      f->S[i * f->eq->nv + j] = dot(a, cross);
    }
  }
}

cmb_status cmb_frame_create(cmb_context *ctx, cmb_arena *arena, const cmb_system *system,
                            cmb_moving_frame *f)
{
  const cmb_model *model = system->model;
  *f = (cmb_moving_frame){.eq = &system->eq};
  if (!model) {
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("equations", system->eq.name),
                          "'%s' is written in C, so that its joints are not known; a steady "
                          "motion needs a model file",
                          system->eq.name);
  }
  CMB_TRY(cmb_carriers_find(ctx, arena, model, &f->count, &f->carrier));
  const bool cartesian = f->eq->euler_parameters && !f->eq->rates;
  if (cartesian || f->count != f->eq->nv - f->eq->nz) {
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("equations", system->eq.name),
                          "a steady motion of '%s' is found in joint coordinates; expected the "
                          "formulation explicit or residual",
                          system->eq.name);
  }
  double size = 0;
  for (int i = 0; i < 3; i++) {
    f->up[i] = -model->gravity[i].value;
    size += f->up[i] * f->up[i];
  }
  for (int i = 0; i < 3; i++) f->up[i] = size > 0 ? f->up[i] / sqrt(size) : i == 2;
  f->S = cmb_arena_doubles(arena, f->eq->nv * f->eq->nv + 1);
  if (!f->S) return cmb_fail_memory(ctx);
  fill_S(f);
  return CMB_OK;
}

bool cmb_frame_carries(const cmb_moving_frame *f, int i)
{
  const cmb_carrying kind = f->carrier[i].kind;
  return is_horizontal_shift(f, i) || (kind == CMB_CARRY_TURN && cmb_frame_share(f, i) != 0) ||
         kind == CMB_CARRY_BALL || kind == CMB_CARRY_BALL_MORE;
}

/* Returns the first link, counted from the ground, of the chain of joints that velocity i belongs to. */
static int chain_of(const cmb_moving_frame *f, int i)
{
  int link = f->carrier[i].link;
  for (int before = f->carrier[i].before; before >= 0;) {
    link = before, before = -1;
    for (int k = 0; k < f->count; k++) {
      if (f->carrier[k].link == link) before = f->carrier[k].before;
    }
  }
  return link;
}

bool cmb_frame_follows(const cmb_moving_frame *f, int i)
{
  int first = 0;
  while (!cmb_frame_carries(f, first)) first++;
  return chain_of(f, i) != chain_of(f, first);
}

double cmb_frame_share(const cmb_moving_frame *f, int i)
{
  const double along = dot(f->carrier[i].axis, f->up);
  return fabs(along) < 1 - PARALLEL ? 0 : along > 0 ? 1 : -1;
}

/* Computes up = R0ᵀ e, the vertical unit vector e in the axes of the ball joint whose first velocity is i, in its design position; the columns
 * of R0 are these axes. */
static void up_in_design(const cmb_moving_frame *f, int i, double up[3])
{
  const double *R0 = f->carrier[i].R0;
  for (int k = 0; k < 3; k++)
    up[k] = R0[k] * f->up[0] + R0[3 + k] * f->up[1] + R0[6 + k] * f->up[2];
}

void cmb_frame_up(const cmb_moving_frame *f, int i, const double *q, double up[3])
{
  double R[9], first[3];
  up_in_design(f, i, first);
  cmb_rotation_from_euler(q + f->carrier[i].q, R);
  for (int k = 0; k < 3; k++) up[k] = R[k] * first[0] + R[3 + k] * first[1] + R[6 + k] * first[2];
}

/* Sets the block of q_frame (nq x nq) by which the Euler parameters p of ball joint i change, ṗ = (block) p, when the joint turns with a frame
 * that rotates about the vertical e at the rate ω = omega. It is the matrix of p ↦ ½ (0, ω R0ᵀ e) ∘ p (∘: quaternion product); the columns of
 * R0 are the joint's axes in its design position. */
static void turn_ball(const cmb_moving_frame *f, int i, double omega, double *q_frame)
{
  const int nq = f->eq->nq, first = f->carrier[i].q;
  double up[3];
  up_in_design(f, i, up);
  const double rate[4] = {0, omega * up[0] / 2, omega * up[1] / 2, omega * up[2] / 2};
  for (int j = 0; j < 4; j++) {
    const double unit[4] = {j == 0, j == 1, j == 2, j == 3};
    double column[4];
    cmb_euler_product(rate, unit, column);
    for (int k = 0; k < 4; k++) q_frame[(first + k) * nq + first + j] = column[k];
  }
}

const cmb_steady_frame *cmb_frame_at(const cmb_moving_frame *f, cmb_arena *arena, double omega)
{
  const int nv = f->eq->nv, nq = f->eq->nq;
  cmb_steady_frame *frame = cmb_arena_take(arena, 1, sizeof *frame);
  double *v_frame = cmb_arena_doubles(arena, nv * nv + 1);
  double *q_frame = cmb_arena_doubles(arena, nq * nq + 1);
  if (!frame || !v_frame || !q_frame) return NULL;
  for (int i = 0; i < f->count; i++) {
    for (int j = 0; j < f->count; j++) {
      const double x = omega * f->S[i * nv + j];
      v_frame[i * nv + j] = x;
      if (x != 0) q_frame[f->carrier[i].q * nq + f->carrier[j].q] = x;
    }
    if (f->carrier[i].kind == CMB_CARRY_BALL) turn_ball(f, i, omega, q_frame);
  }
  *frame = (cmb_steady_frame){omega, v_frame, q_frame};
  return frame;
}
