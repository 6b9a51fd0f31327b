/*
 * Losses of rank in passing (singular.h).
 *
 * G is eliminated with complete pivoting once; at the end of each step the same pivots, in the same order, are computed again.
 * Where G loses rank at least one of them goes through zero and changes its sign, which is seen however long the step was. A
 * pivot can also change its sign because others than the chosen would be better by now. So the smallest singular value is
 * followed through the step (cmb_kkt_smallest, units do not matter): it decides, and its minimum is the time.
 *
 * In large systems the pivots are those of G G₀ᵀ in a static order, with G₀ the G of some time before (math/kkt_sparse.h): at
 * first they are positive.
 */
#include "sim/singular.h"

#include "base/context.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/pattern.h"
#include "method/integrator.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SAMPLES = 8, NARROWINGS = 60, PARTS = 4 };

static const double GOLDEN = 0.38196601125010515; /* (3 − √5) / 2 */
static const double ZERO = 1e-9;                  /* a pivot this small by its row is none */
static const double POOR = 0.05; /* a pivot that has shrunk to this: choose others */

/* A singular value this small is 0: dense output is beside the constraints by the tolerance, and a minimum is never hit. */
static const double LOST = 1e-3;
static const double HERE = 1e-6; /* the same at a start, which is on the constraints */

struct place {
  double t, sigma;
};

/* For pivots in a static order, with 1 in place of M. */
static cmb_status create_sparse(cmb_rank_watch *w, cmb_arena *arena)
{
  const cmb_equations *eq = w->ev->eq;
  const cmb_kkt_shape shape = {eq->nv, eq->ng, true, NULL, eq->G_pattern};
  w->pivot = cmb_arena_doubles(arena, eq->ng);
  w->G_reference = cmb_arena_doubles(arena, eq->G_pattern->start[eq->ng]);
  double *one = cmb_arena_doubles(arena, eq->nv);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(w->ev->ctx);
  for (int i = 0; i < eq->nv; i++) one[i] = 1;
  CMB_TRY(cmb_kkt_sparse_create(w->ev->ctx, arena, &shape, &w->sparse));
  return cmb_kkt_sparse_mass(w->sparse, one);
}

static void create_dense(cmb_rank_watch *w, cmb_arena *arena)
{
  const int ng = w->ev->eq->ng, nv = w->ev->eq->nv;
  w->row = cmb_arena_ints(arena, ng);
  w->column = cmb_arena_ints(arena, ng);
  w->place = cmb_arena_take(arena, (size_t)ng * (size_t)ng, sizeof *w->place);
  w->scale = cmb_arena_doubles(arena, ng);
  w->A = cmb_arena_take(arena, (size_t)ng * (size_t)(ng > nv ? ng : nv), sizeof(double));
}

cmb_status cmb_rank_watch_create(cmb_rank_watch *w, cmb_arena *arena, cmb_integrator *in,
                                 cmb_status (*tell)(void *user, const cmb_singularity *found),
                                 void *user)
{
  cmb_evaluator *ev = cmb_integrator_evaluator(in);
  const cmb_equations *eq = ev->eq;
  const int ng = eq->ng;
  const bool large = eq->G_pattern && ng > 0 && eq->nv + ng >= CMB_KKT_SPARSE_FROM;
  *w = (cmb_rank_watch){.in = in, .ev = ev, .tell = tell, .user = user};
  if (!large) create_dense(w, arena);
  w->reference = cmb_arena_doubles(arena, ng);
  w->q = cmb_arena_doubles(arena, eq->nq);
  w->v = cmb_arena_doubles(arena, eq->nv);
  for (int k = 0; k < 2; k++) w->q_dot[k] = cmb_arena_doubles(arena, eq->nq);
  w->share = cmb_arena_doubles(arena, ng);
  w->names = cmb_arena_take(arena, (size_t)ng, sizeof *w->names);
  if (large) CMB_TRY(create_sparse(w, arena));
  return cmb_arena_failed(arena) ? cmb_fail_memory(ev->ctx) : CMB_OK;
}

/* A = the evaluator's G, dense. */
static void copy_G(cmb_rank_watch *w)
{
  const cmb_equations *eq = w->ev->eq;
  const cmb_pattern *p = eq->G_pattern;
  const int nv = eq->nv;
  const double *G = w->ev->G;
  if (!p) memcpy(w->A, G, (size_t)eq->ng * (size_t)nv * sizeof *G);
  if (p) memset(w->A, 0, (size_t)eq->ng * (size_t)nv * sizeof *G);
  for (int i = 0; p && i < eq->ng; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) w->A[i * nv + p->column[k]] = G[k];
  }
}

/* Eliminate column j with the k-th pivot row below it. */
static void eliminate(cmb_rank_watch *w, int k, int column)
{
  const int nv = w->ev->eq->nv, ng = w->ev->eq->ng;
  const double *a = w->A + w->row[k] * nv;
  for (int m = k + 1; m < ng; m++) {
    double *b = w->A + w->row[m] * nv, factor = b[column] / a[column];
    for (int j = 0; factor != 0 && j < nv; j++) b[j] -= factor * a[j];
  }
}

static void swap(int *a, int *b)
{
  int t = *a;
  *a = *b;
  *b = t;
}

/* The largest entry of the rows from the k-th on, in units of the rows' first largest entries. */
static double largest(cmb_rank_watch *w, int k, int *row, int *column)
{
  const int nv = w->ev->eq->nv;
  double most = 0;
  for (int m = k; m < w->ev->eq->ng; m++) {
    const double *a = w->A + w->row[m] * nv;
    for (int j = 0; j < nv; j++) {
      double size = fabs(a[j]) * w->scale[w->row[m]];
      if (size > most) most = size, *row = m, *column = j;
    }
  }
  return most;
}

/* Where G's entry of this row and column is stored; -1: nowhere, it is always 0. */
static int place_of(const cmb_equations *eq, int row, int column)
{
  const cmb_pattern *p = eq->G_pattern;
  if (!p) return row * eq->nv + column;
  for (int k = p->start[row]; k < p->start[row + 1]; k++) {
    if (p->column[k] == column) return k;
  }
  return -1;
}

/* Choose pivots for the evaluator's G, and note where their rows' entries are. */
static void choose(cmb_rank_watch *w)
{
  const cmb_equations *eq = w->ev->eq;
  const int nv = eq->nv, ng = eq->ng;
  copy_G(w);
  for (int i = 0; i < ng; i++) {
    double most = 0;
    for (int j = 0; j < nv; j++) most = fmax(most, fabs(w->A[i * nv + j]));
    w->row[i] = i;
    w->scale[i] = most > 0 ? 1 / most : 0;
  }
  for (w->rank = 0; w->rank < ng; w->rank++) {
    int k = w->rank, row = k, column = 0;
    if (!(largest(w, k, &row, &column) > ZERO)) break;
    swap(&w->row[k], &w->row[row]);
    w->column[k] = column;
    w->reference[k] = w->A[w->row[k] * nv + column];
    eliminate(w, k, column);
  }
  for (int i = 0; i < w->rank; i++) {
    for (int k = 0; k < w->rank; k++) {
      w->place[i * w->rank + k] = place_of(eq, w->row[i], w->column[k]);
    }
  }
}

/* Whether pivot k is poor by now; true if it has changed its sign. */
static inline bool has_turned(const cmb_rank_watch *w, int k, double pivot, bool *poor)
{
  const double reference = w->reference[k];
  *poor = *poor || !(fabs(pivot) > POOR * fabs(reference) && POOR * fabs(pivot) < fabs(reference));
  return !(pivot * reference > 0);
}

/* The pivots now: whether one has changed its sign, or become poor. */
static bool has_changed(cmb_rank_watch *w, bool *poor)
{
  const int n = w->rank;
  const double *G = w->ev->G;
  double *A = w->A;
  for (int i = 0; i < n * n; i++) A[i] = w->place[i] < 0 ? 0 : G[w->place[i]];
  for (int k = 0; k < n; k++) {
    const double *a = A + k * n;
    if (has_turned(w, k, a[k], poor)) return true;
    for (int m = k + 1; m < n; m++) {
      double *b = A + m * n, factor = b[k] / a[k];
      for (int j = k + 1; factor != 0 && j < n; j++) b[j] -= factor * a[j];
    }
  }
  return false;
}

/* The same for two rows, stored densely: the smallest loop, and the case where the loops above cost more than they do. */
static bool have_two_changed(const cmb_rank_watch *w, bool *poor)
{
  const double *G = w->ev->G;
  const int *place = w->place;
  const double first = G[place[0]], second = G[place[3]] - G[place[2]] * G[place[1]] / first;
  return has_turned(w, 0, first, poor) || has_turned(w, 1, second, poor);
}

/* Pivots in a static order, for the evaluator's G and as it is now. */
static void choose_sparse(cmb_rank_watch *w)
{
  const cmb_equations *eq = w->ev->eq;
  memcpy(w->G_reference, w->ev->G, (size_t)eq->G_pattern->start[eq->ng] * sizeof *w->ev->G);
  w->rank = 0;
  if (cmb_kkt_sparse_factor(w->sparse, w->ev->G, w->ev->G, ZERO * ZERO) != CMB_OK) return;
  cmb_kkt_sparse_pivots(w->sparse, w->reference);
  w->rank = eq->ng;
}

static bool has_changed_sparse(cmb_rank_watch *w, bool *poor)
{
  bool turned = false;
  if (cmb_kkt_sparse_factor(w->sparse, w->ev->G, w->G_reference, 0) < 0) return true;
  cmb_kkt_sparse_pivots(w->sparse, w->pivot);
  for (int k = 0; k < w->rank && !turned; k++) turned = has_turned(w, k, w->pivot[k], poor);
  return turned;
}

/* The smallest singular value at (t, q) that is not always 0; the shares of the constraints stay. */
static cmb_status smallest(cmb_rank_watch *w, double t, const double *q, double *sigma)
{
  cmb_evaluator *ev = w->ev;
  double *M = cmb_mass_wanted(ev);
  cmb_terms want = {.M = M, .G = ev->G};
  *sigma = 1;
  if (ev->eq->ng <= ev->redundant) return CMB_OK;
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  CMB_TRY(cmb_kkt_smallest(ev->kkt, M, ev->G, ev->redundant, sigma, w->share));
  ev->mass_ready = ev->eq->mass_constant;
  return CMB_OK;
}

static cmb_status smallest_inside(cmb_rank_watch *w, double t, double *sigma)
{
  CMB_TRY(cmb_integrator_interpolate(w->in, t, w->q, w->v));
  if (w->ev->eq->normalize) w->ev->eq->normalize(w->ev->eq->self, w->q);
  return smallest(w, t, w->q, sigma);
}

/* Tell: the time, and the constraints that take part. */
static cmb_status tell(cmb_rank_watch *w, double t)
{
  const cmb_equations *eq = w->ev->eq;
  double most = 0;
  int count = 0;
  for (int i = 0; i < eq->ng; i++) most = fmax(most, w->share[i]);
  for (int i = 0; i < eq->ng; i++) {
    if (w->share[i] > 0.1 * most) w->names[count++] = eq->g_names[i];
  }
  w->t_last = t;
  return w->tell(w->user, &(cmb_singularity){t, count, w->names});
}

/* Where the parabola through three values of σ² is lowest, but not so near to b that the longer side stays as it is; a golden
 * section if that is of no use, or asked for. */
static double lowest_expected(const struct place *a, const struct place *b, const struct place *c,
                              bool golden)
{
  const double at_a = a->sigma * a->sigma, at_b = b->sigma * b->sigma, at_c = c->sigma * c->sigma;
  const double left = (b->t - a->t) * (at_b - at_c), right = (b->t - c->t) * (at_b - at_a);
  const double x = b->t - ((b->t - a->t) * left - (b->t - c->t) * right) / (2 * (left - right));
  const double away = 1e-3 * (c->t - a->t), longer = c->t - b->t > b->t - a->t ? 1 : -1;
  const double side = longer > 0 ? c->t - b->t : b->t - a->t;
  if (golden || !(x > a->t && x < c->t)) return b->t + longer * GOLDEN * side;
  return fabs(x - b->t) < away ? b->t + longer * fmin(away, GOLDEN * side) : x;
}

/* The minimum of σ between a and c, where b is below both. Where rank is lost σ² is a parabola, to a first approximation. */
static cmb_status minimum(cmb_rank_watch *w, struct place a, struct place *b, struct place c)
{
  const double enough = fmax(1e-9 * (c.t - a.t), 4 * DBL_EPSILON * fabs(c.t));
  for (int k = 0; k < NARROWINGS && c.t - a.t > enough; k++) {
    struct place x = {.t = lowest_expected(&a, b, &c, k % 3 == 2)};
    CMB_TRY(smallest_inside(w, x.t, &x.sigma));
    const struct place higher = x.sigma < b->sigma ? *b : x;
    if (x.sigma < b->sigma) *b = x;
    *(higher.t > b->t ? &c : &a) = higher;
  }
  return smallest_inside(w, b->t, &b->sigma);
}

/* Follow the smallest singular value from t0 to t1, inside the last step. */
static cmb_status confirm(cmb_rank_watch *w, double t0, double t1)
{
  struct place at[SAMPLES + 1], least = {.sigma = INFINITY};
  int lowest = 0;
  for (int k = 0; k <= SAMPLES; k++) {
    at[k].t = k == SAMPLES ? t1 : t0 + k * (t1 - t0) / SAMPLES;
    CMB_TRY(smallest_inside(w, at[k].t, &at[k].sigma));
    if (at[k].sigma < least.sigma) least = at[k], lowest = k;
  }
  const int before = lowest > 0 ? lowest - 1 : 0, after = lowest < SAMPLES ? lowest + 1 : SAMPLES;
  CMB_TRY(minimum(w, at[before], &least, at[after]));
  bool same = fabs(least.t - w->t_last) <= 1e-6 * fmax(1e-3, t1 - t0);
  return least.sigma < LOST && !same ? tell(w, least.t) : CMB_OK;
}

/* Choose pivots here; none if this is where rank is lost: then after the next step. */
static void choose_here(cmb_rank_watch *w)
{
  if (w->sparse) choose_sparse(w);
  if (!w->sparse) choose(w);
  if (w->rank < w->ev->eq->ng - w->ev->redundant) w->rank = 0;
}

cmb_status cmb_rank_watch_start(cmb_rank_watch *w, double t, const double *q)
{
  double sigma = 1;
  w->t_last = -INFINITY;
  if (w->ev->eq->ng == 0) return CMB_OK;
  if (*w->ev->doubtful) CMB_TRY(smallest(w, t, q, &sigma));
  choose_here(w);
  return sigma < HERE ? tell(w, t) : CMB_OK;
}

static cmb_status evaluate_G(cmb_rank_watch *w, double t, const double *q)
{
  const cmb_equations *eq = w->ev->eq;
  cmb_terms want = {.G = w->ev->G};
  CMB_TRY(cmb_evaluate(w->ev, t, q, NULL, &want));
  const int values = cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv);
  return cmb_all_finite(values, w->ev->G) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* G inside the last step. */
static cmb_status evaluate_inside(cmb_rank_watch *w, double t)
{
  CMB_TRY(cmb_integrator_interpolate(w->in, t, w->q, w->v));
  return evaluate_G(w, t, w->q);
}

static bool have_changed(cmb_rank_watch *w, bool *poor)
{
  if (w->sparse) return has_changed_sparse(w, poor);
  const bool two = w->rank == 2 && !w->ev->eq->G_pattern;
  return two ? have_two_changed(w, poor) : has_changed(w, poor);
}

/* From t0 to t1, where the evaluator has G. */
static cmb_status look(cmb_rank_watch *w, double t0, double t1)
{
  bool poor = w->rank == 0;
  if (!poor && have_changed(w, &poor)) {
    CMB_TRY(confirm(w, t0, t1));
    CMB_TRY(evaluate_inside(w, t1));
    poor = true;
  }
  if (poor) choose_here(w);
  return CMB_OK;
}

/* A step in which the motion turns may go through the same position twice. */
static bool turns(const cmb_rank_watch *w, const double *v)
{
  return cmb_dot(w->ev->eq->nv, cmb_integrator_v_before(w->in), v) < 0;
}

/* G at θ of the step to (t, q), on the cubic through both ends, which costs next to nothing. */
static cmb_status evaluate_between(cmb_rank_watch *w, double t, const double *q, double theta)
{
  const double t0 = cmb_integrator_t_before(w->in), h = t - t0, s = theta, r = 1 - s;
  const double *q0 = cmb_integrator_q_before(w->in);
  const double *d0 = w->q_dot[0], *d1 = w->q_dot[1];
  for (int i = 0; i < w->ev->eq->nq; i++) {
    w->q[i] = r * r * (1 + 2 * s) * q0[i] + s * s * (3 - 2 * s) * q[i] +
              h * s * r * (r * d0[i] - s * d1[i]);
  }
  return evaluate_G(w, t0 + theta * h, w->q);
}

/* In parts. */
static cmb_status look_closely(cmb_rank_watch *w, double t, const double *q, const double *v)
{
  const double t0 = cmb_integrator_t_before(w->in), part = (t - t0) / PARTS;
  cmb_rates(w->ev, cmb_integrator_q_before(w->in), cmb_integrator_v_before(w->in), w->q_dot[0]);
  cmb_rates(w->ev, q, v, w->q_dot[1]);
  for (int k = 1; k < PARTS; k++) {
    CMB_TRY(evaluate_between(w, t, q, (double)k / PARTS));
    CMB_TRY(look(w, t0 + (k - 1) * part, t0 + k * part));
  }
  CMB_TRY(evaluate_between(w, t, q, 1));
  return look(w, t0 + (PARTS - 1) * part, t);
}

/* Where the equations cannot be evaluated nothing is seen, and the run goes on. */
cmb_status cmb_rank_watch_step(cmb_rank_watch *w, double t, const double *q, const double *v)
{
  if (w->ev->eq->ng == 0) return CMB_OK;
  cmb_status status =
      turns(w, v) ? look_closely(w, t, q, v) : look(w, cmb_integrator_t_before(w->in), t);
  if (status <= 0) return status;
  w->rank = 0;
  return CMB_OK;
}
