/*
 * Coordinate partitioning (partition.h).
 *
 * The choice: Gaussian elimination of G with complete pivoting, rows scaled by their largest entries so that the units of the constraints do
 * not matter, columns by the units of the velocities (scale.c) where these are very different. Pivot columns become dependent velocities,
 * pivot rows are the selected constraints.
 *
 * Condition: ‖G‖₁ ‖Φ_u⁻¹‖₁ of the selected scaled rows, the second factor by Hager's estimate (Higham, Accuracy and Stability of Numerical
 * Algorithms, §15.3): a search for the maximum of ‖Φ_u⁻¹ x‖₁ along the signs. With ‖Φ_u‖₁ in place of ‖G‖₁, as in the paper, it would always
 * be 1 for a single constraint, also where its dependent coordinate is about to lose all influence on it.
 *
 * (54) is solved by iterative refinement with the present factors, or with new ones if it does not converge: v_u := v_u − Φ_u⁻¹(G v + g_t).
 */
#include "form/partition.h"

#include "form/partition_factors.h"
#include "form/private.h"
#include "math/dense.h"
#include "math/finite.h"
#include "math/pattern.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { POSITION_ITERATIONS = 10, VELOCITY_ITERATIONS = 10, CLIMBS = 5 };

/* Growth of the condition number from which another partition is chosen (Haug, Negrut and Engstler 1999 §6). The paper compares with the
 * first value; but a choice made near a loss of rank begins with a large one, falls, and is bad again long before it has grown back to
 * that. */
static const double REPARTITION = 1.25;
/* a pivot below this fraction of the largest entry: the remaining rows depend on the selected ones */
static const double NO_PIVOT = 1e-10;

struct cmb_partition_work {
  double *A;         /* (ng x nv) G under elimination */
  int *row, *column; /* (ng), (nv) order of its rows and columns */
  cmb_partition_factors *factors;
  double *scale;      /* (ng) reciprocals of the rows' largest entries */
  double *size;       /* (nv) units of the velocities */
  bool scaled;        /* whether these units are very different */
  double *x, *y, *z;  /* (ng) */
  double *sum;        /* (nv) sums of columns */
  double *w, *defect; /* (nv), (ng) */
  double *dq;         /* (nq) */
};

cmb_status cmb_partition_create(cmb_evaluator *ev, cmb_arena *arena, cmb_partition **out)
{
  const int ng = ev->eq->ng, nv = ev->eq->nv;
  cmb_partition *p = *out = cmb_arena_take(arena, 1, sizeof *p);
  struct cmb_partition_work *k = cmb_arena_take(arena, 1, sizeof *k);
  if (!p || !k) return CMB_OK;
  *p = (cmb_partition){.ev = ev, .free_count = nv, .work = k};
  p->dependent = cmb_arena_ints(arena, ng);
  p->independent = cmb_arena_ints(arena, nv);
  p->rows = cmb_arena_ints(arena, ng);
  k->A = cmb_arena_take(arena, (size_t)ng * (size_t)nv, sizeof *k->A);
  k->row = cmb_arena_ints(arena, ng);
  k->column = cmb_arena_ints(arena, nv);
  double **vectors[] = {&k->scale, &k->x, &k->y, &k->z, &k->defect};
  for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    *vectors[i] = cmb_arena_doubles(arena, ng);
  }
  k->w = cmb_arena_doubles(arena, nv);
  k->sum = cmb_arena_doubles(arena, nv);
  k->size = cmb_arena_doubles(arena, nv);
  k->dq = cmb_arena_doubles(arena, ev->eq->nq);
  return cmb_partition_factors_create(ev->ctx, arena, ev->eq, &k->factors);
}

void cmb_partition_destroy(cmb_partition *p)
{
  if (p && p->work) cmb_partition_factors_destroy(p->work->factors);
}

/* Expands row i of the constraint Jacobian G in the evaluator to the dense row[nv]. */
static void dense_row(const cmb_evaluator *ev, int i, double *row)
{
  const cmb_equations *eq = ev->eq;
  const cmb_pattern *pattern = eq->G_pattern;
  if (!pattern) {
    memcpy(row, ev->G + (size_t)i * (size_t)eq->nv, (size_t)eq->nv * sizeof *row);
    return;
  }
  memset(row, 0, (size_t)eq->nv * sizeof *row);
  for (int k = pattern->start[i]; k < pattern->start[i + 1]; k++)
    row[pattern->column[k]] = ev->G[k];
}

/* Computes the scale factors p->work->scale (ng) of the constraints: the reciprocal of the largest absolute entry in each row of the constraint
 * Jacobian, with its columns multiplied by the typical sizes of the velocities; 1 for a row of zeros. */
static void scale_rows(cmb_partition *p)
{
  struct cmb_partition_work *k = p->work;
  const int ng = p->ev->eq->ng, nv = p->ev->eq->nv;
  for (int i = 0; i < ng; i++) {
    double most = 0;
    dense_row(p->ev, i, k->w);
    for (int j = 0; j < nv; j++) most = fmax(most, fabs(k->w[j]) * k->size[j]);
    k->scale[i] = most > 0 ? 1 / most : 1;
  }
}

/* Finds the next pivot for complete pivoting, the absolutely largest entry of the matrix k->A in the rows and columns number
 * `from` and later of the present order k->row, k->column. Writes its position in this order to *row and *column (unchanged if all
 * entries are 0), and returns its absolute value. */
static double find_pivot(const struct cmb_partition_work *k, int ng, int nv, int from, int *row,
                         int *column)
{
  double most = 0;
  for (int i = from; i < ng; i++) {
    const double *a = k->A + (size_t)k->row[i] * (size_t)nv;
    for (int j = from; j < nv; j++) {
      if (fabs(a[k->column[j]]) <= most) continue;
      most = fabs(a[k->column[j]]);
      *row = i, *column = j;
    }
  }
  return most;
}

/* Exchanges entries i and j of x. */
static void swap(int *x, int i, int j)
{
  int t = x[i];
  x[i] = x[j];
  x[j] = t;
}

/* Applies Gaussian elimination with complete pivoting to the scaled constraint Jacobian, and returns its rank r. Leaves the order
 * of pivots in k->column and k->row (k = p->work): their first r entries are the dependent velocities and the selected
 * constraints. */
static int eliminate(cmb_partition *p)
{
  struct cmb_partition_work *k = p->work;
  const int ng = p->ev->eq->ng, nv = p->ev->eq->nv, most = ng < nv ? ng : nv;
  for (int i = 0; i < ng; i++) {
    double *a = k->A + (size_t)i * (size_t)nv;
    dense_row(p->ev, i, a);
    for (int j = 0; j < nv; j++) a[j] *= k->scale[i] * k->size[j];
    k->row[i] = i;
  }
  for (int j = 0; j < nv; j++) k->column[j] = j;
  for (int n = 0; n < most; n++) {
    int r = n, c = n;
    if (find_pivot(k, ng, nv, n, &r, &c) <= NO_PIVOT) return n;
    swap(k->row, n, r);
    swap(k->column, n, c);
    const double *a = k->A + (size_t)k->row[n] * (size_t)nv;
    for (int i = n + 1; i < ng; i++) {
      double *b = k->A + (size_t)k->row[i] * (size_t)nv;
      const double factor = b[k->column[n]] / a[k->column[n]];
      if (factor != 0) cmb_add_scaled(nv, -factor, a, b);
    }
  }
  return most;
}

/* Sorts x (n) in ascending order, in place. */
static void sort(int n, int *x)
{
  for (int i = 1; i < n; i++) {
    for (int j = i; j > 0 && x[j] < x[j - 1]; j--) swap(x, j, j - 1);
  }
}

/* Divides the velocities into dependent and independent ones by Gaussian elimination of the constraint Jacobian in the evaluator,
 * and selects as many constraints as there are dependent velocities. Returns true if the dependent velocities differ from those of
 * the previous choice, or if there was none. */
static bool choose(cmb_partition *p)
{
  struct cmb_partition_work *k = p->work;
  const int nv = p->ev->eq->nv;
  const int rank = eliminate(p);
  sort(rank, k->column);
  sort(rank, k->row);
  bool same = p->chosen && rank == p->rank;
  for (int i = 0; same && i < rank; i++) same = k->column[i] == p->dependent[i];
  memcpy(p->rows, k->row, (size_t)rank * sizeof *p->rows);
  memcpy(p->dependent, k->column, (size_t)rank * sizeof *p->dependent);
  memcpy(p->independent, k->column + rank, (size_t)(nv - rank) * sizeof *p->independent);
  sort(nv - rank, p->independent);
  p->rank = rank;
  p->free_count = nv - rank;
  return !same;
}

/* Returns the 1-norm Σ |x_i| of x (n). */
static double norm1(int n, const double *x)
{
  double sum = 0;
  for (int i = 0; i < n; i++) sum += fabs(x[i]);
  return sum;
}

/* Estimates ‖Φ_u⁻¹‖₁ by Hager's method with the present factors. Φ_u is a square part of the scaled constraint Jacobian: its selected rows in
 * the columns of the dependent velocities. The columns are multiplied by the typical sizes of these velocities. */
static double inverse_norm(const cmb_partition *p)
{
  const struct cmb_partition_work *k = p->work;
  const int n = p->rank;
  double best = 0;
  for (int i = 0; i < n; i++) k->x[i] = 1.0 / n;
  for (int climb = 0; climb < CLIMBS; climb++) {
    int most = 0;
    memcpy(k->y, k->x, (size_t)n * sizeof *k->y);
    cmb_partition_factors_solve(k->factors, k->y);
    for (int i = 0; i < n; i++) k->y[i] /= k->size[p->dependent[i]];
    best = fmax(best, norm1(n, k->y));
    for (int i = 0; i < n; i++) k->z[i] = (k->y[i] < 0 ? -1 : 1) / k->size[p->dependent[i]];
    cmb_partition_factors_solve_transposed(k->factors, k->z);
    for (int i = 1; i < n; i++) {
      if (fabs(k->z[i]) > fabs(k->z[most])) most = i;
    }
    if (fabs(k->z[most]) <= cmb_dot(n, k->z, k->x)) break;
    memset(k->x, 0, (size_t)n * sizeof *k->x);
    k->x[most] = 1;
  }
  return best;
}

/* Returns the 1-norm (largest sum of absolute values in a column) of those rows of the constraint Jacobian that are selected as independent,
 * with rows and columns scaled by the scale factors of the constraints and the typical sizes of the velocities. */
static double norm_of_rows(const cmb_partition *p)
{
  const struct cmb_partition_work *k = p->work;
  const int nv = p->ev->eq->nv;
  double most = 0;
  memset(k->sum, 0, (size_t)nv * sizeof *k->sum);
  for (int i = 0; i < p->rank; i++) {
    dense_row(p->ev, p->rows[i], k->w);
    for (int j = 0; j < nv; j++) k->sum[j] += fabs(k->scale[p->rows[i]] * k->w[j]) * k->size[j];
  }
  for (int j = 0; j < nv; j++) most = fmax(most, k->sum[j]);
  return most;
}

/* Factorises Φ_u, the square matrix of the selected rows of the evaluator's constraint Jacobian in the columns of the dependent
 * velocities, and estimates the condition number p->condition; it is 1 if there are no dependent velocities. Returns a positive
 * status if Φ_u is singular. */
static cmb_status factor(cmb_partition *p)
{
  const cmb_partition_choice choice = {p->rank, p->rows, p->dependent, p->ev->G, p->work->scale};
  p->condition = 1;
  if (p->rank == 0) return CMB_OK;
  p->ev->stats.factor++;
  CMB_TRY(cmb_partition_factors_make(p->work->factors, &choice));
  p->condition = norm_of_rows(p) * inverse_norm(p);
  return isfinite(p->condition) ? CMB_OK : CMB_RETRY_SINGULAR;
}

/* Evaluates the constraint Jacobian G and g_t = ∂g/∂t at (t, q). Returns CMB_RETRY_NONFINITE if G is not finite. */
static cmb_status evaluate_G(cmb_partition *p, double t, const double *q)
{
  cmb_evaluator *ev = p->ev;
  const cmb_equations *eq = ev->eq;
  cmb_terms want = {.G = ev->G, .gt = ev->gt};
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  const int values = cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv);
  return cmb_all_finite(values, ev->G) ? CMB_OK : CMB_RETRY_NONFINITE;
}

/* Computes scale factors p->work->size (nv), the units of the velocities, from the mass matrix at (t, q); all are 1 unless the units are
 * very different. With them the choice of dependent coordinates does not depend on very different units. */
static cmb_status find_sizes(cmb_partition *p, double t, const double *q)
{
  cmb_evaluator *ev = p->ev;
  cmb_terms want = {.M = ev->M};
  CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
  p->work->scaled = cmb_velocity_units(ev->eq, ev->M, p->work->size);
  return CMB_OK;
}

double cmb_partition_multiplier_unit(const cmb_partition *p, int i)
{
  return p->work->scaled ? p->work->scale[i] : 1;
}

void cmb_partition_forget(cmb_partition *p)
{
  p->chosen = false;
}

bool cmb_partition_lacks_constraints(const cmb_partition *p)
{
  return p->rank < p->ev->eq->ng - p->ev->redundant;
}

cmb_status cmb_partition_check(cmb_partition *p, double t, const double *q)
{
  if (p->ev->eq->ng == 0) {
    choose(p);
    return CMB_OK;
  }
  CMB_TRY(evaluate_G(p, t, q));
  if (!p->chosen) CMB_TRY(find_sizes(p, t, q));
  scale_rows(p);
  cmb_status status =
      p->chosen && !cmb_partition_lacks_constraints(p) ? factor(p) : CMB_RETRY_SINGULAR;
  if (status == CMB_OK && p->condition <= REPARTITION * p->condition_least) {
    p->condition_least = fmin(p->condition_least, p->condition);
    return CMB_OK;
  }
  if (status == CMB_RETRY_NONFINITE) return status;
  if (choose(p) && p->chosen) p->ev->stats.repartitions++;
  CMB_TRY(factor(p));
  p->chosen = true;
  p->condition_least = p->condition;
  return CMB_OK;
}

cmb_status cmb_partition_refactor(cmb_partition *p, double t, const double *q)
{
  if (p->rank == 0) return CMB_OK;
  CMB_TRY(evaluate_G(p, t, q));
  return factor(p);
}

void cmb_partition_solve(cmb_partition *p, const double *c, double *w)
{
  struct cmb_partition_work *k = p->work;
  memset(w, 0, (size_t)p->ev->eq->nv * sizeof *w);
  for (int i = 0; i < p->rank; i++) k->x[i] = k->scale[p->rows[i]] * c[p->rows[i]];
  cmb_partition_factors_solve(k->factors, k->x);
  for (int i = 0; i < p->rank; i++) w[p->dependent[i]] = k->x[i];
}

void cmb_partition_solve_transposed(cmb_partition *p, const double *b, double *lambda)
{
  struct cmb_partition_work *k = p->work;
  memset(lambda, 0, (size_t)p->ev->eq->ng * sizeof *lambda);
  for (int i = 0; i < p->rank; i++) k->x[i] = b[p->dependent[i]];
  cmb_partition_factors_solve_transposed(k->factors, k->x);
  for (int i = 0; i < p->rank; i++) lambda[p->rows[i]] = k->scale[p->rows[i]] * k->x[i];
}

/* Corrects the dependent positions in q by a simplified Newton iteration with the present factors of Φ_u until g(t, q) = 0.
 * Returns CMB_RETRY_NEWTON if it does not converge. The rate of convergence is used to accept an iterate from the third increment
 * on, since in long chains of bodies the second may be small and the third larger. */
static cmb_status iterate_position(cmb_partition *p, double t, double *q)
{
  cmb_evaluator *ev = p->ev;
  struct cmb_partition_work *k = p->work;
  const int nq = ev->eq->nq;
  const double length = cmb_norm2(nq, q), enough = fmax(8 * DBL_EPSILON * length, p->enough),
               arrived = 512 * DBL_EPSILON * (1 + length) * sqrt(p->rank); /* as in dae/project.c */
  double before = INFINITY;
  cmb_terms want = {.g = ev->g};
  for (int j = 0; j < POSITION_ITERATIONS; j++) {
    CMB_TRY(cmb_evaluate(ev, t, q, NULL, &want));
    cmb_partition_solve(p, ev->g, k->w);
    cmb_rates(ev, q, k->w, k->dq);
    for (int i = 0; i < nq; i++) q[i] -= k->dq[i];
    if (ev->eq->normalize) ev->eq->normalize(ev->eq->self, q);
    double size = cmb_norm2(nq, k->dq), rate = size / before;
    if (size <= enough || (j > 1 && rate < 1 && rate * size <= enough)) return CMB_OK;
    if (!isfinite(size)) return CMB_RETRY_NONFINITE;
    if (rate >= 1) return size <= arrived ? CMB_OK : CMB_RETRY_NEWTON;
    before = size;
  }
  return CMB_RETRY_NEWTON;
}

cmb_status cmb_partition_position(cmb_partition *p, double t, double *q)
{
  const cmb_equations *eq = p->ev->eq;
  if (eq->normalize) eq->normalize(eq->self, q);
  if (p->rank == 0) return CMB_OK;
  p->ev->stats.projections++;
  cmb_status status = iterate_position(p, t, q);
  if (status != CMB_RETRY_NEWTON) return status;
  CMB_TRY(cmb_partition_refactor(p, t, q));
  return iterate_position(p, t, q);
}

/* Corrects the dependent velocities in v until G v + g_t = 0, with the evaluator's G and g_t, by iterative refinement. Uses the present factors
 * of Φ_u, the columns of G that belong to dependent velocities. Returns CMB_RETRY_NEWTON if this does not converge. */
static cmb_status iterate_velocity(cmb_partition *p, double *v)
{
  cmb_evaluator *ev = p->ev;
  struct cmb_partition_work *k = p->work;
  const cmb_equations *eq = ev->eq;
  const double rounding = 8 * DBL_EPSILON * cmb_norm2(eq->nv, v),
               enough = fmax(rounding, p->enough);
  double before = INFINITY;
  for (int j = 0; j < VELOCITY_ITERATIONS; j++) {
    cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, v, k->defect);
    for (int i = 0; i < eq->ng; i++) k->defect[i] += ev->gt[i];
    cmb_partition_solve(p, k->defect, k->w);
    for (int i = 0; i < eq->nv; i++) v[i] -= k->w[i];
    double size = cmb_norm2(eq->nv, k->w), rate = size / before;
    if (!isfinite(size)) return CMB_RETRY_NONFINITE;
    if (size <= enough || (j > 1 && rate < 1 && rate * size <= enough)) return CMB_OK;
    if (rate >= 1) return size <= 1024 * rounding ? CMB_OK : CMB_RETRY_NEWTON;
    before = size;
  }
  return CMB_RETRY_NEWTON;
}

cmb_status cmb_partition_velocity(cmb_partition *p, double t, const double *q, double *v)
{
  if (p->ev->eq->ng == 0) return CMB_OK;
  CMB_TRY(evaluate_G(p, t, q));
  cmb_status status = iterate_velocity(p, v);
  if (status != CMB_RETRY_NEWTON) return status;
  CMB_TRY(factor(p));
  return iterate_velocity(p, v);
}

void cmb_partition_motions(cmb_partition *p, double *N)
{
  cmb_evaluator *ev = p->ev;
  const cmb_equations *eq = ev->eq;
  struct cmb_partition_work *k = p->work;
  memset(N, 0, (size_t)p->free_count * (size_t)eq->nv * sizeof *N);
  for (int i = 0; i < p->free_count; i++) {
    double *n = N + (size_t)i * (size_t)eq->nv;
    n[p->independent[i]] = -1;
    if (p->rank > 0) {
      cmb_multiply(eq->G_pattern, eq->ng, eq->nv, ev->G, n, k->defect);
      cmb_partition_solve(p, k->defect, n);
    }
    n[p->independent[i]] = 1;
  }
}
