/*
 * Random KKT systems for tests (kkt_system.h). All arrays live in one arena.
 */
#include "kkt_system.h"

#include "base/arena.h"
#include "math/dense.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

static double *doubles(struct cmbt_kkt_system *sys, int count)
{
  double *x = cmb_arena_doubles(sys->memory, count);
  if (!x) abort();
  return x;
}

static int *ints(struct cmbt_kkt_system *sys, int count)
{
  int *x = cmb_arena_ints(sys->memory, count);
  if (!x) abort();
  return x;
}

static struct cmbt_kkt_system *empty_system(const struct cmbt_kkt_kind *kind)
{
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = ctx ? cmb_arena_create(ctx) : NULL;
  struct cmbt_kkt_system *sys = arena ? cmb_arena_take(arena, 1, sizeof *sys) : NULL;
  if (!sys) abort();
  const int nv = kind->nv, ng = kind->ng;
  *sys = (struct cmbt_kkt_system){.kind = *kind, .ctx = ctx, .memory = arena};
  sys->M = doubles(sys, nv * nv);
  sys->G = doubles(sys, ng * nv);
  sys->B = doubles(sys, ng * nv);
  sys->M_diagonal = doubles(sys, nv);
  sys->r = doubles(sys, nv);
  sys->s = doubles(sys, ng);
  sys->tau = doubles(sys, nv);
  sys->rho = doubles(sys, ng);
  sys->x = doubles(sys, nv);
  sys->y = doubles(sys, ng);
  return sys;
}

void cmbt_kkt_destroy(struct cmbt_kkt_system *sys)
{
  cmb_context *ctx = sys->ctx;
  cmb_arena_destroy(sys->memory);
  cmb_context_destroy(ctx);
}

/* ---- sparsity patterns */

static cmb_pattern *pattern_of(struct cmbt_kkt_system *sys, int rows, const double *A)
{
  const int nv = sys->kind.nv;
  int count = 0;
  for (int i = 0; i < rows * nv; i++) count += A[i] != 0;
  int *start = ints(sys, rows + 1), *column = ints(sys, count);
  count = 0;
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < nv; j++) {
      if (A[i * nv + j] != 0) column[count++] = j;
    }
    start[i + 1] = count;
  }
  cmb_pattern *pattern = cmb_arena_take(sys->memory, 1, sizeof *pattern);
  if (!pattern) abort();
  *pattern = (cmb_pattern){rows, nv, start, column};
  return pattern;
}

static void gather(const cmb_pattern *p, const double *A, double *values)
{
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++)
      values[k] = A[i * p->columns + p->column[k]];
  }
}

void cmbt_kkt_refresh(struct cmbt_kkt_system *sys)
{
  for (int i = 0; i < sys->kind.nv; i++) sys->M_diagonal[i] = sys->M[i * sys->kind.nv + i];
  gather(sys->M_pattern, sys->M, sys->M_values);
  gather(sys->G_pattern, sys->G, sys->G_values);
  gather(sys->G_pattern, sys->B, sys->B_values);
}

static void take_patterns(struct cmbt_kkt_system *sys)
{
  const int nv = sys->kind.nv, ng = sys->kind.ng;
  sys->M_pattern = pattern_of(sys, nv, sys->M);
  sys->G_pattern = pattern_of(sys, ng, sys->G);
  sys->M_values = doubles(sys, sys->M_pattern->start[nv]);
  sys->G_values = doubles(sys, sys->G_pattern->start[ng]);
  sys->B_values = doubles(sys, sys->G_pattern->start[ng]);
  cmbt_kkt_refresh(sys);
}

/* ---- entries */

static double sign(struct cmbt_random *random)
{
  return cmbt_random_int(random, 0, 1) ? 1 : -1;
}

/* Adds w wᵀ to M, for a random vector w with nonzero entries at the positions at[0 .. count − 1]. */
static void add_square(struct cmbt_kkt_system *sys, struct cmbt_random *random, int count,
                       const int *at)
{
  const int nv = sys->kind.nv;
  double w[64];
  for (int a = 0; a < count; a++) w[a] = cmbt_random_uniform(random, -1, 1);
  for (int a = 0; a < count; a++) {
    for (int b = 0; b < count; b++) sys->M[at[a] * nv + at[b]] += w[a] * w[b];
  }
}

static void random_mass(struct cmbt_kkt_system *sys, struct cmbt_random *random)
{
  const int nv = sys->kind.nv;
  for (int i = 0; i < nv; i++) sys->M[i * nv + i] = cmbt_random_uniform(random, 0.1, 0.3);
  int coupled = (int)(sys->kind.density * nv); /* how many velocities one term couples */
  if (sys->kind.diagonal || coupled < 2) return;
  if (coupled > 64) coupled = 64;
  for (int k = 0; k < 2 * nv / coupled + nv / 4; k++) {
    int at[64], first = cmbt_random_int(random, 0, nv - coupled);
    for (int a = 0; a < coupled; a++) at[a] = first + a;
    add_square(sys, random, coupled, at);
  }
}

/* Sets G: random entries, and in each row one entry of magnitude 1 to 2, in columns that differ if ng <= nv. */
static void random_constraints(struct cmbt_kkt_system *sys, struct cmbt_random *random)
{
  const int nv = sys->kind.nv, ng = sys->kind.ng;
  int offset = nv > 0 ? cmbt_random_int(random, 0, nv - 1) : 0;
  for (int j = 0; j < ng; j++) {
    for (int i = 0; i < nv; i++) {
      bool there = cmbt_random_uniform(random, 0, 1) < sys->kind.density;
      sys->G[j * nv + i] = there ? cmbt_random_uniform(random, -1, 1) : 0;
    }
    const double side = sign(random);
    sys->G[j * nv + (j + offset) % nv] = side * cmbt_random_uniform(random, 1, 2);
  }
}

/* Sets B = G, or to entries of G times factors between 0.8 and 1.2 if the system is unsymmetric. */
static void B_near_G(struct cmbt_kkt_system *sys, struct cmbt_random *random)
{
  for (int k = 0; k < sys->kind.ng * sys->kind.nv; k++) {
    double factor = sys->kind.unsymmetric ? cmbt_random_uniform(random, 0.8, 1.2) : 1;
    sys->B[k] = sys->G[k] * factor;
  }
}

/* Scales the velocities by tau and the constraints by rho, random factors, and sets the right-hand side in these units. */
static void apply_units(struct cmbt_kkt_system *sys, struct cmbt_random *random)
{
  const int nv = sys->kind.nv, ng = sys->kind.ng;
  for (int i = 0; i < nv; i++) sys->tau[i] = cmbt_random_scale(random, sys->kind.decades);
  for (int j = 0; j < ng; j++) sys->rho[j] = cmbt_random_scale(random, sys->kind.decades);
  for (int i = 0; i < nv; i++) {
    for (int k = 0; k < nv; k++) sys->M[i * nv + k] *= sys->tau[i] * sys->tau[k];
    sys->r[i] = sys->tau[i] * cmbt_random_uniform(random, -1, 1);
  }
  for (int j = 0; j < ng; j++) {
    for (int i = 0; i < nv; i++) {
      sys->G[j * nv + i] *= sys->rho[j] * sys->tau[i];
      sys->B[j * nv + i] *= sys->rho[j] * sys->tau[i];
    }
    sys->s[j] = sys->rho[j] * cmbt_random_uniform(random, -1, 1);
  }
}

struct cmbt_kkt_system *cmbt_kkt_create(struct cmbt_random *random,
                                        const struct cmbt_kkt_kind *kind)
{
  struct cmbt_kkt_system *sys = empty_system(kind);
  random_mass(sys, random);
  random_constraints(sys, random);
  B_near_G(sys, random);
  apply_units(sys, random);
  take_patterns(sys);
  return sys;
}

struct cmbt_kkt_system *cmbt_kkt_create_chain(struct cmbt_random *random, int bodies, bool closed,
                                              bool diagonal)
{
  enum { V = 6, C = 5, LAST = 3 };
  const struct cmbt_kkt_kind kind = {
      V * bodies, C * bodies + (closed ? LAST : 0), diagonal, false, 1, 0};
  struct cmbt_kkt_system *sys = empty_system(&kind);
  for (int b = 0; b < bodies; b++) {
    int at[V];
    for (int k = 0; k < V; k++) {
      at[k] = V * b + k;
      sys->M[at[k] * kind.nv + at[k]] = 0.5;
    }
    for (int k = 0; !diagonal && k < V; k++) add_square(sys, random, V, at);
  }
  for (int j = 0; j < kind.ng; j++) { /* joint number j / C, between bodies j / C − 1 and j / C */
    int joint = j / C, first = V * (joint - 1), last = V * (joint + 1);
    for (int i = first > 0 ? first : 0; i < last && i < kind.nv; i++) {
      sys->G[j * kind.nv + i] = cmbt_random_uniform(random, -1, 1);
    }
  }
  B_near_G(sys, random);
  apply_units(sys, random);
  take_patterns(sys);
  return sys;
}

void cmbt_kkt_change(struct cmbt_kkt_system *sys, struct cmbt_random *random, double how_much)
{
  const int nv = sys->kind.nv;
  for (int j = 0; j < sys->kind.ng; j++) {
    for (int i = 0; i < nv; i++) {
      double *g = &sys->G[j * nv + i];
      if (*g == 0) continue;
      *g += how_much * cmbt_random_uniform(random, -1, 1) * sys->rho[j] * sys->tau[i];
    }
  }
  B_near_G(sys, random);
  cmbt_kkt_refresh(sys);
}

/* ---- the system as arguments of a solver */

cmb_kkt_shape cmbt_kkt_shape_dense(const struct cmbt_kkt_system *sys)
{
  return (cmb_kkt_shape){.nv = sys->kind.nv, .ng = sys->kind.ng};
}

cmb_kkt_shape cmbt_kkt_shape_diagonal(const struct cmbt_kkt_system *sys)
{
  return (cmb_kkt_shape){.nv = sys->kind.nv, .ng = sys->kind.ng, .mass_diagonal = true};
}

cmb_kkt_shape cmbt_kkt_shape_sparse(const struct cmbt_kkt_system *sys)
{
  return (cmb_kkt_shape){sys->kind.nv, sys->kind.ng, sys->kind.diagonal, sys->M_pattern,
                         sys->G_pattern};
}

const double *cmbt_kkt_mass_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape)
{
  return shape->mass_diagonal ? sys->M_diagonal : shape->M_pattern ? sys->M_values : sys->M;
}

const double *cmbt_kkt_G_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape)
{
  return shape->G_pattern ? sys->G_values : sys->G;
}

const double *cmbt_kkt_B_for(const struct cmbt_kkt_system *sys, const cmb_kkt_shape *shape)
{
  if (!sys->kind.unsymmetric) return cmbt_kkt_G_for(sys, shape);
  return shape->G_pattern ? sys->B_values : sys->B;
}

/* Returns the length of a row g of G or B in units in which M has unit diagonal, √(Σ g_i²/M_ii). */
static double unit_length(const struct cmbt_kkt_system *sys, const double *g)
{
  double sum = 0;
  for (int i = 0; i < sys->kind.nv; i++) sum += g[i] * g[i] / sys->M_diagonal[i];
  return sqrt(sum);
}

double cmbt_kkt_error(const struct cmbt_kkt_system *sys, const double *x, const double *y)
{
  const int nv = sys->kind.nv, ng = sys->kind.ng;
  double worst = 0, size = 0, sum = 0; /* sum: becomes NaN if a residual is; fmax ignores a NaN */
  for (int i = 0; i < nv; i++) {
    double unit = sqrt(sys->M_diagonal[i]), rest = sys->r[i] - cmb_dot(nv, sys->M + i * nv, x);
    for (int j = 0; j < ng; j++) rest -= sys->B[j * nv + i] * y[j];
    worst = fmax(worst, fabs(rest / unit));
    size = fmax(size, fmax(fabs(sys->r[i] / unit), fabs(x[i] * unit)));
    sum += fabs(rest);
  }
  for (int j = 0; j < ng; j++) {
    double rest = sys->s[j] + cmb_dot(nv, sys->G + j * nv, x);
    worst = fmax(worst, fabs(rest) / unit_length(sys, sys->G + j * nv));
    size = fmax(size, fabs(y[j]) * unit_length(sys, sys->B + j * nv));
    sum += fabs(rest);
  }
  return isfinite(sum) ? worst / ((nv + ng) * DBL_EPSILON * size) : INFINITY;
}
