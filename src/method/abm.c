/*
 * abm (Haug, Negrut and Engstler 1999, ExplDEABM): Adams–Bashforth–Moulton methods of orders 1 to 12 in PECE form with variable
 * steps, on the state-space form y' = F(Π(y)) (partitioned.h). Coefficients and differences after Krogh (Hairer, Nørsett, Wanner,
 * Solving ODEs I, §III.5), order and step after Shampine and Gordon (1975). With x_n = t, h = x_{n+1} − x_n, f_n the slope:
 *
 *     φ_0(n) = f_n,  φ_{j+1}(n) = φ_j(n) − φ*_j(n−1),  φ*_j(n) = β_j φ_j(n)
 *     β_0 = 1,  β_j = β_{j−1} (x_{n+1} − x_{n−j+1}) / (x_n − x_{n−j})
 *     p = y_n + h Σ_{j<k} g_j φ*_j(n),   y_{n+1} = p + h g_k φ_k(n+1) with the slope at p
 *     g_j = c_{j1},  c_{0q} = 1/q,  c_{1q} = 1/(q(q+1)),  c_{jq} = c_{j−1,q} − c_{j−1,q+1} h / (x_{n+1} − x_{n−j+1})
 *
 * Error of order k: h (g_k − g_{k−1}) φ_k, and what Π has changed in y_{n+1}; those of neighbouring orders j with the coefficients γ*_j
 * of equal steps. Between steps: the polynomial of the slopes, integrated backwards from y_{n+1}, and a straight line to meet y_n.
 */
#include "method/partitioned.h"

#include <math.h>
#include <string.h>

enum { MOST_ORDER = 12, ROWS = MOST_ORDER + 2 };

/* Shampine and Gordon: half of the tolerance is what the next step aims at. */
static const cmb_controller control = {
    .kind = CMB_CONTROLLER_HALVING,
    .order = 2,
    .shrink = 0.5,
    .grow = 2,
    .decided = 0.9,
    .rejected_least = 0.5,
    .rejected_most = 0.5,
    .rejected_safety = 1,
    .rejected_again = 0.5,
    .failed = 0.25,
};

/* −γ*_j */
static const double gamma_star[ROWS] = {1,
                                        1.0 / 2,
                                        1.0 / 12,
                                        1.0 / 24,
                                        19.0 / 720,
                                        3.0 / 160,
                                        863.0 / 60480,
                                        275.0 / 24192,
                                        33953.0 / 3628800,
                                        8183.0 / 1036800,
                                        3250433.0 / 479001600,
                                        4671.0 / 788480,
                                        13695779093.0 / 2615348736000.0,
                                        2224234463.0 / 475517952000.0};

struct abm {
  cmb_partitioned head;
  int order;          /* k of the next step */
  int used;           /* k of the last one */
  int known;          /* differences φ_0 .. φ_{known−1} are there */
  int equal;          /* steps of the same size in a row */
  bool starting;      /* order and step grow with every step */
  double x[ROWS + 1]; /* x_n, x_{n−1}, .. */
  double x_new;       /* of the attempt */
  double error[3];    /* of orders k, k−1, k−2 in the attempt */
  double above;       /* of order k+1, if it can be told; else infinite */
  double
      recovered; /* by how much the constraints have changed what was integrated, in the attempt */
  double *phi[ROWS];  /* (n) φ_j(n) */
  double *star[ROWS]; /* (n) φ*_j(n) */
  double *next[ROWS]; /* (n) φ_j(n+1) */
  double *p;          /* (n) predicted */
  double *slope, *d;  /* (n) */
  double *gap;        /* (n) what the interpolation misses at the left end */
  double *a;          /* (nv) */
};

static cmb_status create(cmb_integrator *in)
{
  cmb_arena *arena = in->arena;
  struct abm *m = in->data = cmb_arena_take(arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  CMB_TRY(cmb_partition_create(in->ev, arena, &m->head.partition));
  for (int j = 0; j < ROWS; j++) {
    m->phi[j] = cmb_arena_doubles(arena, in->n);
    m->star[j] = cmb_arena_doubles(arena, in->n);
    m->next[j] = cmb_arena_doubles(arena, in->n);
  }
  m->p = cmb_arena_doubles(arena, in->n);
  m->slope = cmb_arena_doubles(arena, in->n);
  m->d = cmb_arena_doubles(arena, in->n);
  m->gap = cmb_arena_doubles(arena, in->n);
  m->a = cmb_arena_doubles(arena, in->nv);
  return CMB_OK;
}

static cmb_status begin(cmb_integrator *in)
{
  struct abm *m = in->data;
  cmb_partitioned_begin(in);
  m->order = m->known = 1;
  m->equal = 0;
  m->starting = true;
  m->x[0] = in->t;
  CMB_TRY(cmb_slope(in, in->t, in->y, m->phi[0], in->lambda));
  memcpy(m->a, m->phi[0] + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
  return CMB_OK;
}

/* g_0 .. g_k for a step of size h; φ*_j for all that is known. */
static void make_coefficients(const cmb_integrator *in, struct abm *m, double h, double *g)
{
  const double x_new = m->x_new;
  double c[ROWS + 1], beta = 1;
  for (int q = 0; q <= m->order; q++) c[q] = 1.0 / (q + 1);
  g[0] = 1;
  for (int j = 1; j <= m->order; j++) {
    for (int q = 0; q <= m->order - j; q++) {
      c[q] = j == 1 ? 1.0 / ((q + 1) * (q + 2)) : c[q] - c[q + 1] * h / (x_new - m->x[j - 1]);
    }
    g[j] = c[0];
  }
  for (int j = 0; j < m->known; j++) {
    if (j > 0) beta *= (x_new - m->x[j - 1]) / (m->x[0] - m->x[j]);
    for (int i = 0; i < in->n; i++) m->star[j][i] = beta * m->phi[j][i];
  }
}

/* Errors of orders k, k−1, k−2 by the slope at p; m->d becomes φ_k(n+1). */
static void find_errors(const cmb_integrator *in, struct abm *m, double h, const double *g)
{
  const int k = m->order;
  m->error[1] = m->error[2] = INFINITY;
  memcpy(m->d, m->slope, (size_t)in->n * sizeof *m->d);
  for (int j = 0; j < k; j++) {
    if (j > 0 && k - j <= 2) m->error[k - j] = h * gamma_star[j] * cmb_size_of_change(in, m->d);
    for (int i = 0; i < in->n; i++) m->d[i] -= m->star[j][i];
  }
  m->error[0] = h * fabs(g[k] - g[k - 1]) * cmb_size_of_change(in, m->d);
}

/* φ_j(n+1) by the slope at y_new, and the error of order k + 1. */
static void make_next(const cmb_integrator *in, struct abm *m, double h)
{
  const int k = m->order;
  memcpy(m->next[0], m->slope, (size_t)in->n * sizeof *m->d);
  for (int j = 0; j < m->known && j + 1 < ROWS; j++) {
    for (int i = 0; i < in->n; i++) m->next[j + 1][i] = m->next[j][i] - m->star[j][i];
  }
  m->above = INFINITY;
  if (m->equal >= k && k < MOST_ORDER && m->known > k) {
    m->above = h * gamma_star[k + 1] * cmb_size_of_change(in, m->next[k + 1]);
  }
}

/* The difference between dependent coordinates as integrated, in m->d, and as they follow from the independent ones: where these say
 * little about them it is much larger than the error of either as integrated. */
static double recovery_error(const cmb_integrator *in, struct abm *m)
{
  for (int i = 0; i < in->n; i++) m->d[i] -= in->y_new[i];
  const double weak = cmb_forgive_weak(in, m->d, NULL);
  return cmb_larger_error(weak, cmb_size_of_change(in, m->d));
}

static cmb_status attempt(cmb_integrator *in, double h, double *error)
{
  struct abm *m = in->data;
  const size_t bytes = (size_t)in->n * sizeof *in->y;
  double g[ROWS] = {0};
  CMB_TRY(cmb_partitioned_prepare(in));
  in->order_tried = m->order;
  m->x_new = in->t + h;
  m->equal = m->known > 1 && fabs(h - (m->x[0] - m->x[1])) <= 1e-6 * h ? m->equal : 0;
  make_coefficients(in, m, h, g);
  cmb_combine(in->n, in->y, h, m->order, g, m->star, m->p);
  memcpy(in->y_new, m->p, bytes);
  CMB_TRY(cmb_partitioned_slope(in, in->t + h, in->y_new, m->slope, in->lambda_new));
  find_errors(in, m, h, g);
  *error = m->error[0];
  if (!(*error <= 1) && !in->fixed_step) return CMB_OK;
  for (int i = 0; i < in->n; i++) in->y_new[i] = m->d[i] = m->p[i] + h * g[m->order] * m->d[i];
  CMB_TRY(cmb_partitioned_slope(in, in->t + h, in->y_new, m->slope, in->lambda_new));
  m->recovered = recovery_error(in, m);
  *error = cmb_larger_error(*error, m->recovered);
  make_next(in, m, h);
  return CMB_OK;
}

/* Whether order k − 1 would have done as well. */
static bool is_lower_better(const struct abm *m)
{
  if (m->order == 1) return false;
  if (m->order == 2) return m->error[1] <= 0.5 * m->error[0];
  return fmax(m->error[1], m->error[2]) <= m->error[0];
}

/* The next order after an accepted step of order k; returns the error that step would have had with it. */
static double choose_order(struct abm *m)
{
  const bool lower = is_lower_better(m);
  if (lower || m->order == MOST_ORDER) m->starting = false;
  if (m->starting) {
    m->order++;
    return 0;
  }
  if (lower || (m->order > 1 && m->error[1] <= fmin(m->error[0], m->above))) {
    m->order--;
    return m->error[1];
  }
  if (m->above < (m->order == 1 ? 0.5 : 1) * m->error[0]) {
    m->order++;
    return m->above;
  }
  return m->error[0];
}

static double step_after_failure(const cmb_integrator *in, struct abm *m, double h, double error,
                                 cmb_status status)
{
  m->starting = false;
  if (status != CMB_OK) return control.failed * h;
  if (is_lower_better(m)) m->order--;
  if (in->rejections >= 2) m->order = 1;
  return cmb_controller_halve_rejected(&control, h, error, m->order + 1, in->rejections + 1);
}

static double propose(cmb_integrator *in, double h, double error, cmb_status status)
{
  struct abm *m = in->data;
  if (status != CMB_OK || (error > 1 && !in->fixed_step))
    return step_after_failure(in, m, h, error, status);
  m->used = m->order;
  const double left = fmax(choose_order(m), m->recovered);
  return cmb_controller_halve(&control, h, left, m->order + 1, true);
}

static void accept(cmb_integrator *in)
{
  struct abm *m = in->data;
  m->known = m->known + 1 < ROWS ? m->known + 1 : ROWS;
  for (int j = 0; j < m->known; j++) {
    double *before = m->phi[j];
    m->phi[j] = m->next[j];
    m->next[j] = before;
  }
  memmove(m->x + 1, m->x, ROWS * sizeof *m->x);
  m->x[0] = m->x_new;
  m->equal++;
  m->head.ready = false;
  memcpy(m->a, m->slope + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
}

/* y at x_{n+1} − back by the slopes' polynomial. Its integrals over the basis Π (x − x_{n+1−i})/(x_{n+1} − x_{n−i}) follow from
 * repeated ones, w_q = (q−1)!/s^q times the q-fold integral, by parts. */
static void integrate_back(const cmb_integrator *in, const struct abm *m, double back, double *y)
{
  const double s = -back;
  double w[ROWS + 1], before = 0;
  const int terms = m->used + 1;
  for (int q = 0; q < terms; q++) w[q] = 1.0 / (q + 1);
  memcpy(y, in->y, (size_t)in->n * sizeof *y);
  for (int j = 0; j < terms; j++) {
    if (j > 0) {
      const double psi = m->x[0] - m->x[j], up = (s + before) / psi, down = s / psi;
      for (int q = 0; q < terms - j; q++) w[q] = up * w[q] - down * w[q + 1];
      before = psi;
    }
    for (int i = 0; i < in->n; i++) y[i] += s * w[0] * m->phi[j][i];
  }
}

static cmb_status densify(cmb_integrator *in)
{
  struct abm *m = in->data;
  integrate_back(in, m, in->h_taken, m->gap);
  for (int i = 0; i < in->n; i++) m->gap[i] = in->y_before[i] - m->gap[i];
  return CMB_OK;
}

static void interpolate(const cmb_integrator *in, double theta, double *y)
{
  const struct abm *m = in->data;
  integrate_back(in, m, (1 - theta) * in->h_taken, y);
  for (int i = 0; i < in->n; i++) y[i] += (1 - theta) * m->gap[i];
}

static int dense_degree_now(const cmb_integrator *in)
{
  const struct abm *m = in->data;
  return m->used + 1;
}

static const cmb_option options[] = {CMB_OPTION_STEPS};

const cmb_method cmb_method_abm = {
    .name = "abm",
    .title = "Adams-Bashforth-Moulton of orders 1 to 12 on the state-space form (Shampine, Gordon)",
    .order = MOST_ORDER,
    .control = &control,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .stability = 2,
    .create = create,
    .begin = begin,
    .attempt = attempt,
    .accept = accept,
    .densify = densify,
    .dense_degree = MOST_ORDER + 1,
    .dense_degree_now = dense_degree_now,
    .interpolate = interpolate,
    .destroy = cmb_partitioned_destroy,
    .multistep = true,
    .propose = propose,
};
