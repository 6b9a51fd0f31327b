/*
 * The method `abm` of the integrator: Adams–Bashforth–Moulton multistep methods of orders 1 to 12 with variable step sizes (Haug, Negrut
 * and Engstler 1999, their ExplDEABM). They are evaluated in PECE form (predict, evaluate, correct, evaluate) on the state-space form y' =
 * F(Π(y)) (partitioned.h), where Π corrects the dependent coordinates so that the constraints hold. Coefficients and differences after
 * Krogh (Hairer, Nørsett, Wanner, Solving ODEs I, §III.5), choice of order and step size after Shampine and Gordon (1975). With x_n = t
 * the time, h = x_{n+1} − x_n the step size and f_n the slope:
 *
 *     φ_0(n) = f_n,  φ_{j+1}(n) = φ_j(n) − φ*_j(n−1),  φ*_j(n) = β_j φ_j(n)
 *     β_0 = 1,  β_j = β_{j−1} (x_{n+1} − x_{n−j+1}) / (x_n − x_{n−j})
 *     p = y_n + h Σ_{j<k} g_j φ*_j(n),   y_{n+1} = p + h g_k φ_k(n+1) with the slope at p
 *     g_j = c_{j1},  c_{0q} = 1/q,  c_{1q} = 1/(q(q+1)),  c_{jq} = c_{j−1,q} − c_{j−1,q+1} h / (x_{n+1} − x_{n−j+1})
 *
 * The error estimate of order k is h (g_k − g_{k−1}) φ_k, or the correction of y_{n+1} by Π if that is larger; the estimates of
 * neighbouring orders j use the coefficients γ*_j of equal steps. Dense output between steps integrates the interpolating polynomial of
 * the slopes backwards from y_{n+1}; a linear term is added so that it also passes through y_n.
 */
#include "method/partitioned.h"

#include <math.h>
#include <string.h>

enum { MOST_ORDER = 12, ROWS = MOST_ORDER + 2 };

/* The step-size controller of Shampine and Gordon: it aims at half of the tolerance for the next step. */
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

/* |γ*_j|, the coefficients of the Adams–Moulton error estimates for equal steps */
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
  int order;          /* order k of the next step */
  int order_taken;    /* order k of the last step */
  int known;          /* the differences φ_0 .. φ_{known−1} are valid */
  int equal_steps;    /* number of consecutive steps of equal size */
  bool starting;      /* start-up phase: order and step size grow with every step */
  double x[ROWS + 1]; /* the times x_n, x_{n−1}, .. */
  double x_new;       /* x_{n+1} of the attempted step */
  double error[3];    /* error estimates of orders k, k−1, k−2 for the attempted step */
  double error_above; /* error estimate of order k+1; infinite if it is not available */
  /* size of the correction by the constraints in the attempted step, in tolerances */
  double correction;
  double *phi[ROWS];  /* (n) divided differences φ_j(n) of the slopes */
  double *star[ROWS]; /* (n) scaled differences φ*_j(n) */
  double *next[ROWS]; /* (n) divided differences φ_j(n+1) */
  double *p;          /* (n) predicted state */
  double *slope, *d;  /* (n) slope; scratch */
  /* (n) error of the backward integration at the left end of the step, for dense output */
  double *gap;
  double *a; /* (nv) accelerations at the end of the last step */
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
  m->equal_steps = 0;
  m->starting = true;
  m->x[0] = in->t;
  CMB_TRY(cmb_slope(in, in->t, in->y, m->phi[0], in->lambda));
  memcpy(m->a, m->phi[0] + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
  return CMB_OK;
}

/* Computes the coefficients g[0 .. k] of the Adams–Bashforth–Moulton formulas for a step of size h, where k is the current order. Also computes
 * the scaled divided differences of the slopes y', φ*_j = β_j φ_j, in m->star. */
static void compute_coefficients(const cmb_integrator *in, struct abm *m, double h, double *g)
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

/* Estimates the errors of a step of size h for the current order k and for the orders k − 1 and k − 2, in units of the tolerance, in m->error[0
 * .. 2] (infinite for orders below 1). m->slope (n) must contain the slope at the predicted state, g[0 .. k] the Adams coefficients. m->d (n)
 * becomes the divided difference φ_k of the slopes at the end of the step. */
static void estimate_errors(const cmb_integrator *in, struct abm *m, double h, const double *g)
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

/* Computes in m->next the divided differences of the slopes at the end of a step of size h, from the slope at the corrected state, m->slope.
 * Also stores in m->error_above the error estimate of order k + 1 in units of the tolerance, which is infinite unless the step size has been
 * constant for k steps and k is below the highest order. */
static void compute_new_differences(const cmb_integrator *in, struct abm *m, double h)
{
  const int k = m->order;
  memcpy(m->next[0], m->slope, (size_t)in->n * sizeof *m->d);
  for (int j = 0; j < m->known && j + 1 < ROWS; j++) {
    for (int i = 0; i < in->n; i++) m->next[j + 1][i] = m->next[j][i] - m->star[j][i];
  }
  m->error_above = INFINITY;
  if (m->equal_steps >= k && k < MOST_ORDER && m->known > k) {
    m->error_above = h * gamma_star[k + 1] * cmb_size_of_change(in, m->next[k + 1]);
  }
}

/* Returns how far the constraints move the dependent coordinates and velocities of the new state, in units of the tolerance. m->d (n) must
 * contain the state before this correction, and is overwritten. The result takes part in the error test, since it can be much larger than the
 * integration error of the independent coordinates. */
static double correction_error(const cmb_integrator *in, struct abm *m)
{
  for (int i = 0; i < in->n; i++) m->d[i] -= in->y_new[i];
  const double weak = cmb_separate_weak_error(in, m->d, NULL);
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
  m->equal_steps = m->known > 1 && fabs(h - (m->x[0] - m->x[1])) <= 1e-6 * h ? m->equal_steps : 0;
  compute_coefficients(in, m, h, g);
  cmb_combine(in->n, in->y, h, m->order, g, m->star, m->p);
  memcpy(in->y_new, m->p, bytes);
  CMB_TRY(cmb_partitioned_slope(in, in->t + h, in->y_new, m->slope, in->lambda_new));
  estimate_errors(in, m, h, g);
  *error = m->error[0];
  if (!(*error <= 1) && !in->fixed_step) return CMB_OK;
  for (int i = 0; i < in->n; i++) in->y_new[i] = m->d[i] = m->p[i] + h * g[m->order] * m->d[i];
  CMB_TRY(cmb_partitioned_slope(in, in->t + h, in->y_new, m->slope, in->lambda_new));
  m->correction = correction_error(in, m);
  *error = cmb_larger_error(*error, m->correction);
  compute_new_differences(in, m, h);
  return CMB_OK;
}

/* Returns whether the next lower order, k − 1, suffices. For k > 2 it does if the error estimates of orders k − 1 and k − 2 are no larger than
 * that of the current order k, for k = 2 if the estimate of order 1 is at most half as large. */
static bool is_lower_better(const struct abm *m)
{
  if (m->order == 1) return false;
  if (m->order == 2) return m->error[1] <= 0.5 * m->error[0];
  return fmax(m->error[1], m->error[2]) <= m->error[0];
}

/* Chooses the order of the next step (k − 1, k or k + 1) after an accepted step of order k, by comparing their error estimates. Returns the
 * estimate for the new order in units of the tolerance; 0 in the start-up phase, in which order and step size grow with every step. */
static double choose_order(struct abm *m)
{
  const bool lower = is_lower_better(m);
  if (lower || m->order == MOST_ORDER) m->starting = false;
  if (m->starting) {
    m->order++;
    return 0;
  }
  if (lower || (m->order > 1 && m->error[1] <= fmin(m->error[0], m->error_above))) {
    m->order--;
    return m->error[1];
  }
  if (m->error_above < (m->order == 1 ? 0.5 : 1) * m->error[0]) {
    m->order++;
    return m->error_above;
  }
  return m->error[0];
}

/* Returns the size of the next attempt after a step of size h has failed (status > 0), or has been rejected because its error estimate `error`
 * is above 1 (status CMB_OK). After a rejection also lowers the order by 1 if that has a smaller error estimate; to 1 from the third rejection
 * on. */
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
  m->order_taken = m->order;
  const double left = fmax(choose_order(m), m->correction);
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
  m->equal_steps++;
  m->head.ready = false;
  memcpy(m->a, m->slope + in->nq, (size_t)in->nv * sizeof *m->a);
  in->a = m->a;
}

/* Computes the state y (n) at the time `back` before the end of the last step, for dense output: integrates the interpolating polynomial of the
 * slopes (in Newton's form) backwards from the end of the step. */
static void integrate_back(const cmb_integrator *in, const struct abm *m, double back, double *y)
{
  const double s = -back;
  double w[ROWS + 1], before = 0;
  const int terms = m->order_taken + 1;
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
  return m->order_taken + 1;
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
