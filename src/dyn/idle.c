/*
 * Finds joint motions that move no mass, to report them before a simulation: a massless body that carries nothing, a thin rod that a ball
 * joint lets turn about its axis, a point mass on a free joint. Then M is singular in every position, and no formulation has an
 * acceleration for that motion.
 *
 * M is regular if all D in the recursion of articulated bodies are (Featherstone 2008, ch. 7), from the leaves to the ground:
 *
 *     D = Sᵀ I S,    I_parent += Xᵀ (I − I S D⁻¹ Sᵀ I) X
 *
 * with I (6 x 6) the inertia about the origin of a joint's last link, for motions (ω, v) in its axes, S the motions that the joint
 * allows, and X the transformation of the parent's motions to the link. A motion x is idle if D x vanishes relative to the terms that were
 * summed up in I. This is tested in one generic position, so that a loss of rank in a single position, such as the stretched position of a
 * universal joint, does not count.
 */
#include "dyn/tree.h"

#include "math/eigen.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { MOTIONS = 6 };

/* relative to the sum of which it is a part: rounding leaves about 1e-15, and a rod as thin as a millionth of its
 * length has about this */
static const double NEGLIGIBLE = 1e-12;

/* The articulated inertia I that a link moves, and the magnitudes of the masses and inertias summed up in it, which
 * scale its rounding errors. */
struct moved_inertia {
  double I[MOTIONS * MOTIONS];
  double mass, inertia;
};

/* A joint: its motions S (one in each row) with their magnitudes, and the transformation X of motions from the parent
 * to its last link. */
struct freedom {
  int count;
  double S[MOTIONS][MOTIONS], size[MOTIONS];
  double X[MOTIONS * MOTIONS];
};

/* Computes C = A B for 6 x 6 matrices (row-major). C must be neither A nor B. */
static void multiply(const double *A, const double *B, double *C)
{
  for (int i = 0; i < MOTIONS; i++) {
    for (int j = 0; j < MOTIONS; j++) {
      double sum = 0;
      for (int k = 0; k < MOTIONS; k++) sum += A[MOTIONS * i + k] * B[MOTIONS * k + j];
      C[MOTIONS * i + j] = sum;
    }
  }
}

/* Writes the matrix of the cross product with `sign` times h into a 3 x 3 block of a 6 x 6 matrix (row-major); `block` points to the first
 * entry of the block. Its diagonal, which is 0, is not written. */
static void set_cross_block(const double h[3], double sign, double *block)
{
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    block[MOTIONS * j + k] = -sign * h[i];
    block[MOTIONS * k + j] = sign * h[i];
  }
}

static void rigid(const cmb_link *l, struct moved_inertia *m)
{
  double J[9], first[3];
  cmb_values_of(9, l->J, J);
  cmb_values_of(3, l->first, first);
  *m = (struct moved_inertia){.mass = 3 * l->mass.value, .inertia = J[0] + J[4] + J[8]};
  for (int i = 0; i < 3; i++) {
    memcpy(m->I + (ptrdiff_t)MOTIONS * i, J + (ptrdiff_t)3 * i, 3 * sizeof *m->I);
    m->I[(MOTIONS + 1) * (i + 3)] = l->mass.value;
  }
  set_cross_block(first, 1, m->I + 3);
  set_cross_block(first, -1, m->I + (ptrdiff_t)3 * MOTIONS);
}

static void turn_about(int axis, double c, double s, double R[9])
{
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  double A[9] = {0}, B[9];
  A[4 * axis] = 1;
  A[4 * j] = A[4 * k] = c;
  A[3 * j + k] = -s;
  A[3 * k + j] = s;
  memcpy(B, R, sizeof B);
  cmb_mul33(B, A, R);
}

/* Computes the rotation R and the position r of a link in its parent's frame for a generic position of the mechanism, which is not singular:
 * the angles differ between neighbouring links and are near neither 0° nor 90°; displacements are of the order of `length`. */
static void generic_pose(const cmb_tree *tree, int link, double length, double R[9], double r[3])
{
  const cmb_link *l = &tree->links[link];
  const double angle = 0.4 + 0.5 * fmod(0.618 * link, 1), c = cos(angle), s = sin(angle);
  memset(R, 0, 9 * sizeof *R);
  R[0] = R[4] = R[8] = 1;
  if (l->general) cmb_values_of(9, l->F, R);
  turn_about(2, l->beta.c, l->beta.s, R);
  turn_about(0, l->alpha.c, l->alpha.s, R);
  turn_about(2, l->gamma.c, l->gamma.s, R);
  cmb_values_of(3, l->offset, r);
  if (l->kind == CMB_LINK_SHIFT) {
    for (int i = 0; i < 3; i++) r[i] += angle * length * R[3 * i + 2];
  } else {
    turn_about(2, c, s, R);
    if (l->kind == CMB_LINK_BALL) turn_about(0, c, s, R), turn_about(1, c, s, R);
  }
}

/* Computes the matrix X (6 x 6) that transforms a motion (angular velocity ω, velocity v of the origin) from the
 * parent's frame to the link's: ω = Rᵀ ω_parent, v = Rᵀ (v_parent + ω_parent × r), with the link's rotation R and
 * position r. */
static void motion_transform(const double R[9], const double r[3], double *X)
{
  memset(X, 0, MOTIONS * MOTIONS * sizeof *X);
  for (int i = 0; i < 3; i++) {
    double row[3], turned[3];
    for (int j = 0; j < 3; j++) row[j] = R[3 * j + i];
    cmb_cross3(r, row, turned); /* row·(ω × r) = ω·(r × row) */
    for (int j = 0; j < 3; j++) {
      X[MOTIONS * i + j] = X[MOTIONS * (i + 3) + j + 3] = row[j];
      X[MOTIONS * (i + 3) + j] = turned[j];
    }
  }
}

/* Computes in *f the motions S (6-vectors) that a joint allows, in the axes of the last of its links, `last`; the mass or inertia that scales
 * each of them; and the transformation X of motions from the joint's parent. The position of the mechanism is a generic, non-singular one, with
 * displacements of the order of `length`. Returns the first link of the joint. */
static int joint_motions(const cmb_tree *tree, int last, double length,
                         const struct moved_inertia *m, struct freedom *f)
{
  int link = last;
  *f = (struct freedom){0};
  for (int i = 0; i < MOTIONS; i++) f->X[(MOTIONS + 1) * i] = 1;
  for (; link >= 0 && tree->links[link].joint == tree->links[last].joint; link--) {
    const cmb_link *l = &tree->links[link];
    const bool shift = l->kind == CMB_LINK_SHIFT, ball = l->kind == CMB_LINK_BALL;
    for (int axis = ball ? 0 : 2; axis < 3; axis++, f->count++) {
      const int column = axis + (shift ? 3 : 0);
      for (int i = 0; i < MOTIONS; i++) f->S[f->count][i] = f->X[MOTIONS * i + column];
      f->size[f->count] = shift ? m->mass : m->inertia;
    }
    double R[9], r[3], up[MOTIONS * MOTIONS], X[MOTIONS * MOTIONS];
    generic_pose(tree, link, length, R, r);
    motion_transform(R, r, up);
    multiply(f->X, up, X);
    memcpy(f->X, X, sizeof X);
  }
  return link + 1;
}

/* Computes the principal motions of a joint: the eigenvalues mu (ascending) and eigenvectors of its inertia matrix D = Sᵀ I S. The columns of S
 * are the motions that the joint allows, each divided by the square root of the mass or inertia that it moves. The principal motions, the
 * rows of Y, are combinations of these with Yᵢᵀ I Yⱼ = μᵢ δᵢⱼ. Returns false if the iteration for the eigenvalues does not converge. */
static bool principal_motions(const struct moved_inertia *m, const struct freedom *f, double *mu,
                              double Y[MOTIONS][MOTIONS])
{
  double D[MOTIONS * MOTIONS], V[MOTIONS * MOTIONS], work[5 * MOTIONS + 1];
  const int n = f->count;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < MOTIONS * MOTIONS; k++) {
        sum += f->S[i][k / MOTIONS] * m->I[k] * f->S[j][k % MOTIONS];
      }
      D[n * i + j] = sum == 0 ? 0 : sum / sqrt(f->size[i] * f->size[j]);
    }
  }
  if (!cmb_eigen_symmetric(n, D, mu, V, work)) return false;
  memset(Y, 0, MOTIONS * sizeof *Y);
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) {
      const double part = V[n * i + k] / (f->size[k] > 0 ? sqrt(f->size[k]) : 1);
      for (int c = 0; c < MOTIONS; c++) Y[i][c] += part * f->S[k][c];
    }
  }
  return true;
}

/* Removes the motions that a joint allows from the articulated-body inertia I: I := I − Σ (I y)(I y)ᵀ/μ, summed over the n principal motions y
 * of the joint (rows of Y) with the eigenvalues μ. */
static void eliminate_joint(int n, const double *mu, double Y[MOTIONS][MOTIONS],
                            struct moved_inertia *m)
{
  double Iy[MOTIONS][MOTIONS] = {{0}};
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < MOTIONS * MOTIONS; k++) Iy[i][k / MOTIONS] += m->I[k] * Y[i][k % MOTIONS];
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < MOTIONS * MOTIONS; k++) {
      m->I[k] -= Iy[i][k / MOTIONS] * Iy[i][k % MOTIONS] / mu[i];
    }
  }
}

/* Adds the articulated-body inertia I of a link to that of its parent, I_parent += Xᵀ I X, after eliminating the motions that the joint f
 * allows. mu and Y are the eigenvalues and principal motions of the joint's inertia matrix. Overwrites m->I. */
static void add_to_parent(struct moved_inertia *m, const struct freedom *f, const double *mu,
                          double Y[MOTIONS][MOTIONS], struct moved_inertia *parent)
{
  const double inertia = m->I[0] + m->I[7] + m->I[14], mass = m->I[21] + m->I[28] + m->I[35];
  double Xt[MOTIONS * MOTIONS], half[MOTIONS * MOTIONS], I[MOTIONS * MOTIONS], square = 0;
  for (int i = 0; i < MOTIONS * MOTIONS; i++) {
    Xt[i] = f->X[MOTIONS * (i % MOTIONS) + i / MOTIONS];
  }
  eliminate_joint(f->count, mu, Y, m);
  multiply(Xt, m->I, half);
  multiply(half, f->X, I);
  for (int i = 0; i < MOTIONS * MOTIONS; i++) parent->I[i] += I[i];
  for (int i = 0; i < 9; i++) {
    const double x = f->X[MOTIONS * (3 + i / 3) + i % 3];
    square += x * x;
  }
  parent->mass += mass;
  parent->inertia += inertia + mass * square;
}

/* Describes in *idle, for an error message, a joint motion y (a 6-vector) that moves no mass: the joint, whether y is a rotation or a
 * translation, and its axis (a unit vector) in the design position. mu[count] are the eigenvalues of the joint's inertia matrix,
 * ascending. */
static void describe_idle_motion(const cmb_link *l, int count, const double *mu,
                                 const double y[MOTIONS], const struct moved_inertia *m,
                                 cmb_idle *idle)
{
  const double turn = cmb_norm3(y) * sqrt(m->inertia), shift = cmb_norm3(y + 3) * sqrt(m->mass);
  idle->joint = l->joint;
  idle->bare = m->mass == 0;
  idle->turn = turn >= shift;
  while (idle->count < count && mu[idle->count] <= NEGLIGIBLE) idle->count++;
  double R0[9];
  cmb_values_of(9, l->R0, R0);
  cmb_mul3(R0, idle->turn ? y : y + 3, idle->axis);
  const double *x = idle->axis;
  const int most = fabs(x[0]) >= fabs(x[1]) ? (fabs(x[0]) >= fabs(x[2]) ? 0 : 2)
                                            : (fabs(x[1]) >= fabs(x[2]) ? 1 : 2);
  const double norm = cmb_norm3(x), scale = norm > 0 ? copysign(1 / norm, x[most]) : 0;
  for (int i = 0; i < 3; i++) {
    idle->axis[i] *= scale;
    if (fabs(idle->axis[i]) < 1e-9) idle->axis[i] = 0;
  }
}

static double farthest(const cmb_tree *tree)
{
  double length = 0;
  for (int i = 0; i < tree->link_count; i++) {
    double offset[3];
    cmb_values_of(3, tree->links[i].offset, offset);
    length = fmax(length, cmb_norm3(offset));
  }
  return length > 0 ? length : 1;
}

cmb_status cmb_tree_idle(cmb_arena *scratch, const cmb_tree *tree, cmb_idle *idle)
{
  struct moved_inertia *all = cmb_arena_take(scratch, (size_t)tree->link_count + 1, sizeof *all);
  const double length = farthest(tree);
  *idle = (cmb_idle){.joint = -1};
  if (!all) return CMB_ERROR_MEMORY;
  for (int i = 0; i < tree->link_count; i++) rigid(&tree->links[i], &all[i]);
  for (int last = tree->link_count - 1, first; last >= 0; last = first - 1) {
    struct freedom f;
    double mu[MOTIONS], Y[MOTIONS][MOTIONS];
    struct moved_inertia *m = &all[last];
    first = joint_motions(tree, last, length, m, &f);
    /* numbers out of range: reported when the simulation starts */
    if (!principal_motions(m, &f, mu, Y)) return CMB_OK;
    if (mu[0] <= NEGLIGIBLE) {
      describe_idle_motion(&tree->links[last], f.count, mu, Y[0], m, idle);
      return CMB_OK;
    }
    const int parent = tree->links[first].parent;
    if (parent != CMB_GROUND) add_to_parent(m, &f, mu, Y, &all[parent]);
  }
  return CMB_OK;
}
