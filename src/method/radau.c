/*
 * The methods `radau5` and `radau` of the integrator: Radau IIA with three stages, and with three, five or seven, of orders 5, 9 and 13
 * (Hairer and Wanner, Solving ODEs II, §§IV.8 and VII.6; Stiff differential equations solved by Radau methods, 1999), for second-order
 * equations with constraints in the forms index 3, ggl or index 1 (form.h).
 *
 *     V_i = v_0 + z_i,   a_i = h⁻¹ Σ_j (A⁻¹)_ij z_j,   Q_i = q_0 + h Σ_j A_ij T(Q_j) W_j,   W_j = V_j − Ḡᵀ η_j
 *
 * A simplified Newton iteration makes the defects of the s stages zero. A⁻¹ = T Λ T⁻¹ with one real eigenvalue γ₀ and complex pairs α ±
 * iβ: T⁻¹ decouples the increments into a real system with c = h/γ₀ and complex ones with c = h/(α + iβ), each nv + ng wide. Error
 * estimate: the embedded formula of order s, smoothed,
 *     s_w = v_0 + h⁻¹ Σ e_i w_i,  s_v = a_0 + h⁻¹ Σ e_i z_i,   w_i = h Σ_j A_ij W_j.
 *
 * The estimate is of lower order than the step: O(h^(s+1)), while errors at the end of a run are O(h^(2s−1)). control=strict holds it to
 * 0.4 rtol^(4/5), which makes these errors proportional to rtol with three stages; the iteration may leave the (3/2)th power of that in
 * each of the O(1/h) steps, O(h rtol). With more stages smooth motion would permit more, but where the motion is not smooth, after an
 * impact or in a transient that no step resolves, errors are as large as the estimate: it is held to half of that, 0.2 rtol^(4/5).
 * control=classic holds it to 0.1 rtol^((s+1)/(2s)), as the authors' codes RADAU5 and RADAU, and multiplies velocity errors of index 3 by
 * h, but not what the iteration leaves in them, which no later step removes; strict counts the part along the constraints fully
 * (implicit.h), and prefers ggl, since index 3 loses orders. In Cartesian coordinates the largest component of increments and errors
 * counts (method.h), except with fixed steps, which cannot become smaller if the iteration is slow.
 *
 * The order of radau is chosen by choose_by_efficiency or, with classic, by choose_by_rate. Order 1, which RADAU permits, is left out:
 * RADAU begins with order 5 by default, too.
 *
 * Dense output: the collocation polynomials of q and v. Where q̇ = T(q) v the matrix omits the derivative of T with respect to q:
 * positions then follow the increments only up to O(h ω), which the index-1 form tolerates best.
 */
#include "base/context.h"
#include "math/dense.h"
#include "method/implicit.h"
#include "method/newton.h"
#include "method/radau_kernels.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
  MOST = CMB_RADAU_MOST,
  MOST_FIXED = 12
}; /* permitted iterations of a fixed step with three stages, which cannot become smaller */

#define KERNEL CMB_RADAU_KERNEL

/* smallest tolerance of the error estimate; smaller errors are rounding */
static const double LEAST_TOLERANCE = 1e6 * DBL_EPSILON;

/* The Newton rule of RADAU5 (Hairer, Wanner, §IV.8), except for `slow` (1e-3 there), the power of η (0.8 there) and κ (see above). */
#define NEWTON(theta)                                                                              \
  {                                                                                                \
    .most = 7, .mean = CMB_NEWTON_OF_TWO, .diverges = 0.99, .predicts = true, .spare = 1,          \
    .slow = (theta), .eta_new = 1, .eta_power = 0.75, .eta_least = DBL_EPSILON, .kappa = 0.03,     \
    .roundings = 100                                                                               \
  }

static const cmb_newton_rule newton = NEWTON(2e-2);

/* The Newton rule where the order is chosen by the convergence rate θ: θ has to be that of a new matrix, as in RADAU. */
static const cmb_newton_rule newton_of_rate = NEWTON(1e-3);

/* The step-size controller of RADAU5, except for keep_from (1 there). After the iteration has failed with a matrix made where the step
 * begins, the next steps stay below the size in question and return to it slowly; otherwise every other step would fail where the
 * motion changes the matrix faster than accuracy limits h. */
#define CONTROL(estimate, most)                                                                    \
  {                                                                                                \
    .kind = CMB_CONTROLLER_PREDICTIVE, .order = (estimate), .safety = 0.9, .shrink = 0.2,          \
    .grow = 8, .failed = 0.5, .iterations = (most), .keep_from = 0.95, .keep_to = 1.2,             \
    .first_rejected = 0.1, .foreseen = 0.8, .below_failure = 0.9, .back = 1.05                     \
  }

static const cmb_controller control_3 = CONTROL(4, 7), control_5 = CONTROL(6, 12),
                            control_7 = CONTROL(8, 17);

/* The data of an order: its coefficients, and its controller, which also contains the permitted number of iterations (RADAU). */
struct order {
  const cmb_radau_table *table;
  const cmb_controller *control;
};

static const struct order orders[CMB_RADAU_TABLES] = {
    {&cmb_radau_3, &control_3}, {&cmb_radau_5, &control_5}, {&cmb_radau_7, &control_7}};

/* RADAU's choice of the order: the convergence rate θ below which the order rises if the step size stays about the same, the rate from
 * which on it falls, and the least number of steps before it rises. */
static const double RISES = 0.002, FALLS = 0.8, SAME_FROM = 0.8, SAME_TO = 1.2;
enum { LEAST_STAY = 10 };

/* The choice of the order by efficiency: steps of an order before its efficiency is known (the first of them still has the size of the
 * previous order); steps until a higher order is tried, at first and at the most; and the costs of a factorisation, in iterations. */
enum { EFFICIENCY_KNOWN = 4, FIRST_PATIENCE = 4, MOST_PATIENCE = 1024, FACTORING = 2 };

/* An order is given up if its efficiency is below this part of that of the order below; the difference is then not a matter of chance. */
static const double LESS_EFFICIENT = 0.8;

/* The largest ratio of the step size to the last one for which the last step's polynomials predict the middle of the step. */
static const double MOST_RATIO_AHEAD = 2;

/* The measured efficiency of an order. */
struct efficiency {
  double value; /* simulated time per unit of work; 0: not known */
  int patience; /* steps until the order above is tried */
};

struct radau {
  cmb_form *form;
  cmb_linear *real, *complex[CMB_RADAU_PAIRS];
  double rtol, atol; /* tolerances of the error estimate */
  cmb_newton newton; /* its tolerance is relative to those */
  cmb_implicit_projection projection;
  bool tests_multipliers, strict;
  bool largest_counts; /* the largest component counts in norms, not the mean of all */

  const struct order *order;        /* current order; of radau5 always the first one */
  cmb_radau_matrices matrices;      /* of the current order */
  const struct order *least, *most; /* the range of permitted orders */
  const struct order *next;         /* order of the next step if the attempt is accepted */
  int stay;                         /* steps since the order changed */
  double rate;       /* classic: convergence rate θ, the slower one of the last steps */
  double time, work; /* strict: simulated time and work of the last steps */
  struct efficiency efficiency[CMB_RADAU_TABLES];

  /* quantities of the stages */
  double *Q[MOST]; /* (nq) positions */
  /* (nv) velocities, their changes z, integrals w, and accelerations */
  double *V[MOST], *z[MOST], *w[MOST], *a[MOST];
  double *lambda[MOST];                            /* (ng) multipliers of the stages */
  double *r[MOST], *position[MOST], *motion[MOST]; /* defects of the equations */
  double *dv[MOST], *dw[MOST], *dl[MOST];          /* Newton increments */
  double *normal[MOST], *dn[MOST];                 /* (nv) Ḡᵀ η and its increments; ggl form */
  double *rate_of_q[MOST];                         /* (nq) T(Q_j) W_j, rates of the positions */
  cmb_weights weights;
  bool rounded;            /* rounding influences the increments of velocities */
  double *s_w, *s_v;       /* (nv) defects of the embedded formula in q̇ = T w and in v̇ */
  double *e_w, *e_v, *e_q; /* (nv), (nv), (nq) error estimates of ∫ w dt, of v, and of q */
  double *a_here, *a_new;  /* (nv) accelerations where the step begins and where it ends */

  /* data of the last accepted step, for extrapolation and dense output */
  double *y_stage[MOST];       /* (n) y_i − y_0 of the stages */
  double *lambda_last[MOST];   /* (ng) multipliers of the stages */
  const cmb_radau_table *last; /* coefficients of that step */
  double h_tried, h_last;      /* size of the attempt, and of that last step; 0: there is none */

  bool jacobian_here; /* the derivatives D and K were made where the step begins */
  bool want_jacobian;
  double h_factored; /* step size for which the matrices are factored; 0: none are */
};

/* ---- creation */

/* Allocates an array of size + 1 numbers for each stage that the highest permitted order has. The additional number is needed because arrays
 * are processed two numbers at a time. */
static void take_stages(cmb_integrator *in, int size, double **array)
{
  const struct radau *m = in->data;
  for (int i = 0; i < m->most->table->stages; i++)
    array[i] = cmb_arena_doubles(in->arena, size + 1);
}

static void take_memory(cmb_integrator *in, struct radau *m)
{
  const int nv = in->nv, ng = in->ng, nq = in->nq;
  double **velocities[] = {m->V, m->z, m->w, m->a, m->r, m->dv, m->dw, m->normal, m->dn};
  double **constraints[] = {m->lambda, m->position, m->motion, m->dl, m->lambda_last};
  double **coordinates[] = {m->Q, m->rate_of_q};
  for (size_t k = 0; k < sizeof velocities / sizeof *velocities; k++) {
    take_stages(in, nv, velocities[k]);
  }
  for (size_t k = 0; k < sizeof constraints / sizeof *constraints; k++) {
    take_stages(in, ng, constraints[k]);
  }
  for (int k = 0; k < 2; k++) take_stages(in, nq, coordinates[k]);
  take_stages(in, in->n, m->y_stage);
  cmb_weights_create(in, &m->weights);
  m->s_w = cmb_arena_doubles(in->arena, nv + 1);
  m->s_v = cmb_arena_doubles(in->arena, nv + 1);
  m->e_w = cmb_arena_doubles(in->arena, nv + 1);
  m->e_v = cmb_arena_doubles(in->arena, nv + 1);
  m->e_q = cmb_arena_doubles(in->arena, nq);
  m->a_here = cmb_arena_doubles(in->arena, nv);
  m->a_new = cmb_arena_doubles(in->arena, nv);
}

/* Returns the form of the equations (index 3, stabilised index 2 or index 1) that the option `form` selects. With `auto` the choice depends on
 * the equations and on the option `control`. */
static cmb_form_kind form_of(const cmb_integrator *in)
{
  static const cmb_form_kind kinds[] = {CMB_FORM_INDEX3, CMB_FORM_GGL, CMB_FORM_INDEX1};
  const int choice = cmb_choice(in, "form");
  if (choice > 0) return kinds[choice - 1];
  if (cmb_implicit_prefers_index1(in->ev->eq)) return CMB_FORM_INDEX1;
  return cmb_choice(in, "control") == CMB_CONTROL_STRICT ? CMB_FORM_GGL : CMB_FORM_INDEX3;
}

/* Returns the factor f for a method of this order: with control=strict, the tolerance of the error estimate is f rtol^(4/5). */
static double tolerance_factor(const struct order *order)
{
  return order->table->stages == 3 ? 0.4 : 0.2;
}

/* Returns the smallest relative tolerance that control=strict can satisfy with a method of this order. */
static double least_rtol(const struct order *order)
{
  return pow(LEAST_TOLERANCE / tolerance_factor(order), 5.0 / 4);
}

/* Computes the tolerances of the error estimate and of the Newton iteration for the current order, from the user's tolerances and the option
 * `control`. */
static void set_tolerances(const cmb_integrator *in, struct radau *m)
{
  const double least = m->strict && !in->fixed_step ? least_rtol(m->order) : 0;
  const double rtol = fmax(in->options.rtol, least);
  const int s = m->order->table->stages, most = m->order->control->iterations;
  /* power of the tolerance that classic leaves */
  const double power = 2 * (s - 1) / (3 * (s + 1.0));
  m->rtol = m->strict ? fmax(tolerance_factor(m->order) * pow(rtol, 4.0 / 5), LEAST_TOLERANCE)
                      : 0.1 * pow(rtol, (s + 1) / (2.0 * s));
  m->atol = m->rtol * (cmb_raised_atol(in, least) / rtol);
  const double wanted = m->strict ? sqrt(m->rtol) : 0.5 * pow(m->rtol, power);
  cmb_newton_create(&m->newton, m->strict || m->least == m->most ? &newton : &newton_of_rate,
                    wanted, m->rtol);
  m->newton.most = in->fixed_step ? MOST_FIXED * (s - 1) / 2 : most;
  if (m->largest_counts) { /* the largest component is at most the mean times this, and so is its rounding */
    const double times = sqrt(s * in->n);
    m->newton.enough = fmax(m->newton.enough, times * newton.roundings * DBL_EPSILON / m->rtol);
  }
}

/* Sets the order of the method for the next attempt: marks the factorised Newton matrices as invalid and computes the tolerances anew. */
static void set_order(cmb_integrator *in, struct radau *m, const struct order *order)
{
  m->order = m->next = order;
  cmb_radau_set_matrices(order->table, &m->matrices);
  m->h_factored = 0;
  m->stay = 0;
  in->control.h = 0; /* the error of another order shows no trend */
  set_tolerances(in, m);
}

/* Determines the lowest and the highest permitted order: 5 for the method radau5; for radau all orders, or the one named by the option `order`.
 * The method begins with the lowest. */
static void set_order_range(cmb_integrator *in, struct radau *m)
{
  const int last = CMB_RADAU_TABLES - 1;
  const int choice = in->method == &cmb_method_radau ? cmb_choice(in, "order") : 1;
  m->least = orders + (choice > 0 ? choice - 1 : 0);
  m->most = orders + (choice > 0 ? choice - 1 : last);
  m->strict = cmb_choice(in, "control") == CMB_CONTROL_STRICT;
  m->largest_counts = cmb_has_turning_velocities(in->ev->eq) && !in->fixed_step;
  m->last = m->least->table;
  set_order(in, m, m->least);
}

/* Returns whether velocity errors are multiplied by the step size h in the error test, as in the code RADAU5: in the index-3 form with
 * control=classic. */
static bool weights_velocities_by_h(const struct radau *m)
{
  return !m->strict && m->form->kind == CMB_FORM_INDEX3;
}

/* Logs a warning that the error test multiplies velocity errors by the step size, so that velocities are not held to the tolerance. */
static void warn_of_velocities(const cmb_integrator *in)
{
  cmb_log(in->ctx, CMB_LOG_WARNING,
          "%s with control=classic in index 3 multiplies errors of velocities by the step size, as "
          "RADAU5 "
          "does: they are not held to the tolerance, and in fast mechanisms errors at the end can "
          "be hundreds of tolerances; control=strict holds them",
          in->method->name);
}

static cmb_status create(cmb_integrator *in)
{
  struct radau *m = in->data = cmb_arena_take(in->arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  cmb_form_options options = {.kind = form_of(in),
                              .formalism = (cmb_formalism)cmb_choice(in, "formalism")};
  set_order_range(in, m);
  m->projection = cmb_implicit_projection_of(in, options.kind);
  m->tests_multipliers = cmb_choice(in, "multipliers") == 1;
  take_memory(in, m);
  CMB_TRY(cmb_form_create(in->ev, &options, &m->form));
  CMB_TRY(cmb_form_matrix_create(m->form, false, &m->real));
  for (int k = 0; k < m->most->table->stages / 2; k++) {
    CMB_TRY(cmb_form_matrix_create(m->form, true, &m->complex[k]));
  }
  if (weights_velocities_by_h(m) && !in->fixed_step) warn_of_velocities(in);
  return CMB_OK;
}

static void destroy(cmb_integrator *in)
{
  struct radau *m = in->data;
  cmb_linear_destroy(m->real);
  for (int k = 0; k < CMB_RADAU_PAIRS; k++) cmb_linear_destroy(m->complex[k]);
  cmb_form_destroy(m->form);
}

/* Discards what the method has learnt in the last motion: the scaling of the equations, the convergence rate, the efficiency of each order. The
 * method begins with the lowest permitted order again. */
static void reset_knowledge(cmb_integrator *in, struct radau *m)
{
  cmb_form_forget(m->form);
  m->rate = 0;
  for (int i = 0; i < CMB_RADAU_TABLES; i++)
    m->efficiency[i] = (struct efficiency){0, FIRST_PATIENCE};
  set_order(in, m, m->least);
}

static cmb_status begin(cmb_integrator *in)
{
  struct radau *m = in->data;
  cmb_watch_rank(in->ev, false);
  if (m->strict) cmb_warn_of_least_tolerance(in, least_rtol(m->most));
  m->h_last = m->h_factored = 0;
  if (!in->keep_size) reset_knowledge(in, m);
  cmb_controller_restart(&in->control);
  m->want_jacobian = true;
  m->jacobian_here = false;
  cmb_newton_forget(&m->newton);
  in->a = m->a_here;
  return cmb_accelerate(in->ev, in->t, in->y, in->y + in->nq, m->a_here, in->lambda);
}

/* ---- the Newton iteration */

/* Computes *re + i *im = h/(α + iβ), the coefficient of a complex Newton matrix for a step of size h. α ± iβ is the k-th pair of complex
 * eigenvalues of the inverse of the Runge–Kutta matrix, from the table t. */
static inline void complex_coefficient(const cmb_radau_table *t, int k, double h, double *re,
                                       double *im)
{
  const double alpha = t->alpha[k], beta = t->beta[k], square = alpha * alpha + beta * beta;
  *re = h * alpha / square;
  *im = -h * beta / square;
}

/* Returns whether the derivatives for the Newton matrix of a step of size h are evaluated at an extrapolated state in the middle of the step,
 * not at its beginning. This requires at least five stages, variable step sizes, no rejection before, and a last step of at least h/2. */
static bool can_extrapolate_middle(const cmb_integrator *in, const struct radau *m, double h)
{
  const bool large = m->order->table->stages > 3 && !in->fixed_step;
  return large && in->rejections == 0 && m->h_last > 0 && h <= MOST_RATIO_AHEAD * m->h_last;
}

/* Extrapolates the collocation polynomials of the last step (coefficients t) to *at, the state in the middle of a step of size h, and
 * computes its accelerations and multipliers from the index-1 equations. A Newton matrix made there differs only half as much from that
 * at the ends of a large step. */
KERNEL cmb_status extrapolate_middle(const cmb_radau_table *const t, cmb_integrator *in,
                                     struct radau *m, double h, cmb_form_state *at)
{
  const double x = 1 + 0.5 * h / m->h_last;
  double of[MOST], *q = m->Q[0], *v = m->V[0];
  cmb_radau_basis(t, x, of);
  for (int j = 0; j < t->stages; j++) of[j] *= x / t->c[j];
  of[t->stages - 1] -= 1; /* relative to where this step begins */
  cmb_radau_sum_up(t, in->nq, of, m->y_stage, 0, q);
  cmb_radau_sum_up(t, in->nv, of, m->y_stage, in->nq, v);
  cmb_add_scaled(in->nq, 1, in->y, q);
  cmb_add_scaled(in->nv, 1, in->y + in->nq, v);
  *at = (cmb_form_state){in->t + 0.5 * h, q, v, m->a[0], in->lambda_new};
  return cmb_accelerate(in->ev, at->t, q, v, m->a[0], in->lambda_new);
}

/* Computes the derivatives of the equations for the Newton matrix of a step of size h: in the middle of the step if the state there can be
 * extrapolated from the last step, else at its beginning. */
static cmb_status linearize(cmb_integrator *in, struct radau *m, double h)
{
  const cmb_form_state here = {in->t, in->y, in->y + in->nq, m->a_here, in->lambda};
  cmb_form_state middle;
  const bool asked = can_extrapolate_middle(in, m, h);
  cmb_status status = CMB_OK;
  m->h_factored = 0;
  if (asked) CMB_RADAU_WITH(m->last->stages, status = extrapolate_middle(t, in, m, h, &middle));
  if (status < 0) return status;
  const bool ahead = asked && status == CMB_OK;
  CMB_TRY(cmb_form_linearize(m->form, ahead ? &middle : &here, true));
  m->jacobian_here = !ahead;
  m->want_jacobian = false;
  return CMB_OK;
}

/* Prepares the Newton matrices of a step of size h: computes the derivatives of the equations if requested, unless that was done at the
 * beginning of this step, and factorises the real and complex matrices, unless that was done for h. */
static cmb_status prepare(cmb_integrator *in, struct radau *m, double h)
{
  const cmb_radau_table *t = m->order->table;
  if (m->want_jacobian && !m->jacobian_here) CMB_TRY(linearize(in, m, h));
  if (h == m->h_factored) return CMB_OK;
  m->h_factored = 0;
  CMB_TRY(cmb_form_factor(m->form, h / t->gamma, 0, m->real));
  for (int k = 0; k < t->stages / 2; k++) {
    double re, im;
    complex_coefficient(t, k, h, &re, &im);
    CMB_TRY(cmb_form_factor(m->form, re, im, m->complex[k]));
  }
  m->h_factored = h;
  m->work += FACTORING * t->stages;
  return CMB_OK;
}

/* Computes starting values of all stages of a step of size h by extrapolating the collocation polynomials of the last step (coefficients
 * t): the velocity changes z from the nodes 0, c_1, .., 1, and the multipliers λ from c_1, .., 1. */
KERNEL void extrapolate(const cmb_radau_table *const t, const cmb_integrator *in, struct radau *m,
                        double h)
{
  const double quotient = h / m->h_last, *c = m->order->table->c;
  const int s = t->stages, count = m->order->table->stages;
  for (int i = 0; i < count; i++) {
    const double x = 1 + c[i] * quotient;
    double of_z[MOST] = {0}, of_lambda[MOST];
    cmb_radau_basis(t, x, of_lambda);
    for (int j = 0; j < s; j++) of_z[j] = of_lambda[j] * x / t->c[j];
    of_z[s - 1] -= 1; /* relative to where this step begins */
    cmb_radau_sum_up(t, in->nv, of_z, m->y_stage, in->nq, m->z[i]);
    cmb_radau_sum_up(t, in->ng, of_lambda, m->lambda_last, 0, m->lambda[i]);
  }
}

/* Sets the starting values of the Newton iteration for all stages of a step of size h: extrapolated from the last step or, if there is
 * none, from the accelerations and multipliers at the beginning of the step, taken as constant. */
static void start_values(const cmb_integrator *in, struct radau *m, double h)
{
  const bool ggl = m->form->kind == CMB_FORM_GGL, rates = in->ev->eq->rates != NULL;
  const int s = m->order->table->stages;
  const double *c = m->order->table->c;
  for (int i = 0; i < s; i++) {
    if (ggl) memset(m->normal[i], 0, (size_t)in->nv * sizeof(double));
    if (rates) memcpy(m->Q[i], in->y, (size_t)in->nq * sizeof(double));
  }
  if (m->h_last > 0) {
    CMB_RADAU_WITH(m->last->stages, extrapolate(t, in, m, h));
    return;
  }
  for (int i = 0; i < s; i++) {
    for (int k = 0; k < in->nv; k++) m->z[i][k] = c[i] * h * m->a_here[k];
    memcpy(m->lambda[i], in->lambda, (size_t)in->ng * sizeof(double));
  }
}

/* Computes the positions Q of all stages from Q = q_0 + h A T(Q) W, with the Runge–Kutta matrix A and the velocities W of the stages,
 * where q̇ = T(q) v. Runs as many fixed-point iterations as there are stages, each of which multiplies the error by about h |ω| / 2 (ω:
 * angular velocity); the Newton iteration reduces it further. */
KERNEL void integrate_rates(const cmb_radau_table *const t, const cmb_integrator *in,
                            struct radau *m, double h, double *const *W)
{
  const int s = t->stages, rounds = s;
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < s; i++) cmb_rates(in->ev, m->Q[i], W[i], m->rate_of_q[i]);
    cmb_radau_combine(t, in->nq, m->matrices.A, h, m->rate_of_q, m->Q);
    for (int i = 0; i < s; i++) {
      for (int k = 0; k < in->nq; k++) m->Q[i][k] += in->y[k];
    }
  }
}

/* Computes velocities V, accelerations a, integrals w of the velocities, and positions Q of all stages of a step of size h from the
 * velocity changes z; also where q̇ = T(q) v, and in the stabilised index-2 form, where multipliers η change q̇. */
KERNEL void complete_stages(const cmb_radau_table *const t, const cmb_integrator *in,
                            struct radau *m, double h)
{
  const bool ggl = m->form->kind == CMB_FORM_GGL && in->ng > 0, rates = in->ev->eq->rates != NULL;
  const cmb_radau_stages stages = {
      .matrices = &m->matrices,
      .q = in->y,
      .v = in->y + in->nq,
      .z = m->z,
      .V = m->V,
      .a = m->a,
      .w = m->w,
      .Q = rates ? m->rate_of_q : m->Q /* in the first case a dummy */
  };
  if (ggl) {
    cmb_radau_complete(t, in->nv, h, m->normal, &stages);
  } else {
    cmb_radau_complete(t, in->nv, h, NULL, &stages); /* a copy without Ḡᵀη */
  }
  if (!rates) return;
  for (int i = 0; ggl && i < t->stages; i++) {
    cmb_subtract(in->nv, m->V[i], m->normal[i], m->dw[i]);
  }
  integrate_rates(t, in, m, h, ggl ? m->dw : m->V);
}

/* Computes the defects (residuals) of the equations of motion and of the constraints at all stages of a step of size h. */
KERNEL cmb_status stage_defects(const cmb_radau_table *const t, cmb_integrator *in, struct radau *m,
                                double h)
{
  for (int i = 0; i < t->stages; i++) {
    cmb_form_state at = {in->t + t->c[i] * h, m->Q[i], m->V[i], m->a[i], m->lambda[i]};
    cmb_defects out = {m->r[i], m->position[i], m->motion[i]};
    CMB_TRY(cmb_form_defects(m->form, &at, &out));
  }
  return CMB_OK;
}

/* Decouples the linear systems of the stages: multiplies the defects (residuals) of all stages by T⁻¹, where A⁻¹ = T Λ T⁻¹ is the
 * eigenvalue decomposition of the inverse of the Runge–Kutta matrix. */
KERNEL void decouple_defects(const cmb_radau_table *const t, const cmb_integrator *in,
                             struct radau *m)
{
  const cmb_form *form = m->form;
  const int ng = in->ng;
  double *const *g = m->position, *const *p = m->motion;
  cmb_radau_combine(t, in->nv, m->matrices.T_inverse, 1, m->r, m->r);
  if (form->has_position) cmb_radau_combine(t, ng, m->matrices.T_inverse, 1, g, g);
  if (form->has_motion) cmb_radau_combine(t, ng, m->matrices.T_inverse, 1, p, p);
}

/* Solves the linear systems of a Newton iteration for a step of size h in decoupled form: one real system, and one complex system for
 * each pair of eigenvalues. Stores the decoupled increments in m->dv, dl and dn. */
KERNEL void solve_stages(const cmb_radau_table *const t, const cmb_integrator *in, struct radau *m,
                         double h)
{
  decouple_defects(t, in, m);
  const cmb_defects first = {m->r[0], m->position[0], m->motion[0]}, single[2] = {first, first};
  cmb_increment one = {.v = {m->dv[0]}, .lambda = {m->dl[0]}, .normal = {m->dn[0]}};
  cmb_form_solve(m->form, 1, h / t->gamma, 0, m->real, single, &one);
  for (int k = 0; k < t->stages / 2; k++) {
    const int i = 1 + 2 * k, j = i + 1;
    const cmb_defects both[2] = {{m->r[i], m->position[i], m->motion[i]},
                                 {m->r[j], m->position[j], m->motion[j]}};
    cmb_increment two = {
        .v = {m->dv[i], m->dv[j]}, .lambda = {m->dl[i], m->dl[j]}, .normal = {m->dn[i], m->dn[j]}};
    double re, im;
    complex_coefficient(t, k, h, &re, &im);
    cmb_form_solve(m->form, 2, re, im, m->complex[k], both, &two);
  }
}

/* Returns the largest component of the Newton increments of all stages, of coordinates (dq), velocities and multipliers, in units of the
 * tolerance. */
static double worst_increment(const cmb_integrator *in, const struct radau *m, double *const *dq)
{
  const cmb_weights *w = &m->weights;
  double most = 0;
  for (int i = 0; i < m->order->table->stages; i++) {
    most = cmb_larger_error(cmb_weighted_worst(in->nq, w->q, dq[i]), most);
    most = cmb_larger_error(cmb_weighted_worst(in->nv, w->v, m->dv[i]), most);
    most = cmb_larger_error(cmb_weighted_worst(in->ng, w->l, m->dl[i]), most);
  }
  return sqrt(most);
}

/* Returns the norm of the Newton increments of all stages (of coordinates dq, of velocities and of multipliers) in units of the tolerance:
 * the root of their sum of squares divided by s (nq + nv), with s stages. */
KERNEL double mean_increment(const cmb_radau_table *const t, const cmb_integrator *in,
                             const struct radau *m, double *const *dq)
{
  const int s = t->stages;
  const cmb_weights *w = &m->weights;
  double sum = 0, of_q[MOST], of_v[MOST], of_lambda[MOST];
  cmb_radau_squares(t, in->nq, w->q, dq, of_q);
  cmb_radau_squares(t, in->nv, w->v, m->dv, of_v);
  cmb_radau_squares(t, in->ng, w->l, m->dl, of_lambda);
  for (int i = 0; i < s; i++) sum += of_q[i] + of_v[i], sum += of_lambda[i];
  return sqrt(sum / (s * in->n));
}

/* Removes from the velocity increments of the s stages what rounding errors can have caused in the index-3 form, so that it does not
 * disturb the convergence test. */
static void drop_roundings(struct radau *m, int s)
{
  const double c = m->h_factored / m->order->table->gamma;
  for (int i = 0; i < s; i++) {
    cmb_remove_rounding(m->form, m->newton.enough, c, m->real, m->weights.v, m->dv[i]);
  }
}

/* Computes the increments dw of the integrals of the stages' velocities in a step of size h, dw = h A (dv − dn), from those of the
 * velocities and, in the stabilised index-2 form, of their parts dn that the multipliers η cause. */
KERNEL void integrate_increments(const cmb_radau_table *const t, const cmb_integrator *in,
                                 struct radau *m, double h)
{
  const bool ggl = m->form->kind == CMB_FORM_GGL;
  for (int i = 0; ggl && i < t->stages; i++) cmb_subtract(in->nv, m->dv[i], m->dn[i], m->dw[i]);
  cmb_radau_combine(t, in->nv, m->matrices.A, h, ggl ? m->dw : m->dv, m->dw);
}

/* Transforms the decoupled Newton increments of a step of size h back to those of the stages, by the matrix T of eigenvectors, and adds
 * them to the unknowns of the stages. Returns their norm in units of the tolerance of the error estimate. */
KERNEL double add_increments(const cmb_radau_table *const t, const cmb_integrator *in,
                             struct radau *m, double h)
{
  const int s = t->stages;
  const bool rates = in->ev->eq->rates != NULL, ggl = m->form->kind == CMB_FORM_GGL;
  double *const *dq = rates ? m->rate_of_q : m->dw;
  cmb_radau_transform_back(t, in->nv, m->matrices.T, m->dv, m->z);
  cmb_radau_transform_back(t, in->ng, m->matrices.T, m->dl, m->lambda);
  if (ggl) cmb_radau_transform_back(t, in->nv, m->matrices.T, m->dn, m->normal);
  integrate_increments(t, in, m, h);
  for (int i = 0; rates && i < s; i++) cmb_rates(in->ev, in->y, m->dw[i], m->rate_of_q[i]);
  if (m->rounded) drop_roundings(m, s);
  return m->largest_counts ? worst_increment(in, m, dq) : mean_increment(t, in, m, dq);
}

/* Sets the unknowns and increments of all stages to 0 after a Newton iteration with results that are not finite. Otherwise a NaN would remain
 * in the padding of the arrays, which are processed two numbers at a time. */
static void clear_increments(const cmb_integrator *in, struct radau *m)
{
  double **velocities[] = {m->z, m->dv, m->dw, m->dn, m->normal},
         **constraints[] = {m->lambda, m->dl};
  for (int i = 0; i < m->order->table->stages; i++) {
    for (size_t k = 0; k < sizeof velocities / sizeof *velocities; k++) {
      memset(velocities[k][i], 0, (size_t)(in->nv + 1) * sizeof(double));
    }
    for (size_t k = 0; k < sizeof constraints / sizeof *constraints; k++) {
      memset(constraints[k][i], 0, (size_t)(in->ng + 1) * sizeof(double));
    }
  }
}

/* Runs the simplified Newton iteration for all stages of a step of size h, from their starting values until it has converged. Returns
 * CMB_RETRY_NEWTON if it diverges or is too slow, and CMB_RETRY_NONFINITE if an increment is not finite. */
KERNEL cmb_status iterate_stages(const cmb_radau_table *const t, cmb_integrator *in,
                                 struct radau *m, double h)
{
  for (cmb_newton_begin(&m->newton); !m->newton.arrived;) {
    complete_stages(t, in, m, h);
    CMB_TRY(stage_defects(t, in, m, h));
    solve_stages(t, in, m, h);
    in->ev->stats.newton++;
    const cmb_status status = cmb_newton_judge(&m->newton, add_increments(t, in, m, h));
    if (status == CMB_RETRY_NONFINITE) clear_increments(in, m);
    CMB_TRY(status);
  }
  complete_stages(t, in, m, h);
  return CMB_OK;
}

static cmb_status iterate(cmb_integrator *in, struct radau *m, double h)
{
  const int s = m->order->table->stages;
  cmb_status status = CMB_OK;
  CMB_RADAU_WITH(s, status = iterate_stages(t, in, m, h));
  m->work += s * m->newton.iterations;
  return status;
}

/* ---- the step */

/* Returns the norm of the error estimate, m->e_w for positions and m->e_v for velocities, in units of the tolerance; at least 1e-10. */
static double size_of_error(const cmb_integrator *in, struct radau *m)
{
  const double *e_q = m->e_w;
  if (in->ev->eq->rates) {
    cmb_rates(in->ev, in->y, m->e_w, m->e_q);
    e_q = m->e_q;
  }
  double *e_v = memcpy(m->dv[0], m->e_v, (size_t)in->nv * sizeof *e_v);
  if (m->strict) cmb_remove_normal_part(m->form, m->real, e_v);
  const cmb_weights *w = &m->weights;
  const double size = m->largest_counts
                          ? cmb_larger_error(cmb_weighted_worst(in->nq, w->error_q, e_q),
                                             cmb_weighted_worst(in->nv, w->error_v, e_v))
                          : (cmb_weighted_square(in->nq, w->error_q, e_q) +
                             cmb_weighted_square(in->nv, w->error_v, e_v)) /
                                in->n;
  return cmb_larger_error(sqrt(size), 1e-10);
}

/* Returns the error of the multipliers, in units of the tolerance: the weighted root mean square of the difference between those of the
 * last stage and those computed from the state at the end of the step. Returns 0 if there are no constraints, or if nothing is projected at
 * the end of a step. */
static double multiplier_error(const cmb_integrator *in, struct radau *m)
{
  const int end = m->order->table->stages - 1;
  double *error = m->dl[end];
  for (int k = 0; k < in->ng; k++) error[k] = m->lambda[end][k] - in->lambda_new[k];
  return in->ng > 0 ? sqrt(cmb_weighted_square(in->ng, m->weights.l, error) / in->ng) : 0;
}

/* Estimates the error of a step of size h in units of the tolerance, *error, by the embedded formula, multiplied by the inverse of the real
 * Newton matrix to damp stiff components. If it is not below 1 in the first step or after a rejection, repeats the estimate with the slope
 * at the state y_0 + error. */
static cmb_status estimate_error(cmb_integrator *in, struct radau *m, double h, double *error)
{
  const double *v = in->y + in->nq, *e = m->order->table->e, c = h / m->order->table->gamma;
  const int s = m->order->table->stages;
  double factor[MOST];
  for (int i = 0; i < s; i++) factor[i] = e[i] / h;
  CMB_RADAU_WITH(s, cmb_radau_sum_up(t, in->nv, factor, m->w, 0, m->s_w));
  CMB_RADAU_WITH(s, cmb_radau_sum_up(t, in->nv, factor, m->z, 0, m->s_v));
  cmb_add_scaled(in->nv, 1, v, m->s_w);
  cmb_add_scaled(in->nv, 1, m->a_here, m->s_v);
  cmb_form_smooth(m->form, c, m->real, m->s_w, m->s_v, m->e_w, m->e_v);
  *error = size_of_error(in, m);
  if (*error < 1 || (m->h_last > 0 && in->rejections == 0)) return CMB_OK;
  double *q_off = in->y_new, *v_off = in->y_new + in->nq,
         *a_off = m->a_new; /* arrays that are free; those of the stages are still needed */
  for (int k = 0; k < in->nv; k++) v_off[k] = v[k] + m->e_v[k], m->s_w[k] += m->e_v[k];
  cmb_rates(in->ev, in->y, m->e_w, q_off);
  for (int k = 0; k < in->nq; k++) q_off[k] += in->y[k];
  CMB_TRY(cmb_accelerate(in->ev, in->t, q_off, v_off, a_off, in->lambda_new));
  for (int k = 0; k < in->nv; k++) m->s_v[k] += a_off[k] - m->a_here[k];
  cmb_form_smooth(m->form, c, m->real, m->s_w, m->s_v, m->e_w, m->e_v);
  *error = size_of_error(in, m);
  return CMB_OK;
}

static cmb_status attempt(cmb_integrator *in, double h, double *error)
{
  struct radau *m = in->data;
  const int end = m->order->table->stages - 1;
  m->h_tried = h;
  in->order_tried = 2 * end + 1;
  m->newton.excess = 0; /* that of an earlier attempt must not be used if this one ends early */
  CMB_TRY(prepare(in, m, h));
  const cmb_tolerance tolerance = {m->form, m->rtol, m->atol, m->newton.enough, 1};
  cmb_weights_at(in, &tolerance, h, &m->weights);
  if (weights_velocities_by_h(m)) cmb_weigh_velocity_errors(in, h, &m->weights);
  m->rounded =
      cmb_rounding_matters(m->form, m->newton.enough, h / m->order->table->gamma, m->weights.v);
  start_values(in, m, h);
  cmb_status status = iterate(in, m, h);
  if (status > 0 && !m->jacobian_here) {
    m->want_jacobian = true;
    if (in->fixed_step) { /* fixed steps cannot become smaller */
      CMB_TRY(prepare(in, m, h));
      start_values(in, m, h);
      status = iterate(in, m, h);
    }
  }
  CMB_TRY(status);
  CMB_TRY(estimate_error(in, m, h, error));
  memcpy(in->y_new, m->Q[end], (size_t)in->nq * sizeof(double));
  memcpy(in->y_new + in->nq, m->V[end], (size_t)in->nv * sizeof(double));
  memcpy(in->lambda_new, m->lambda[end], (size_t)in->ng * sizeof(double));
  memcpy(m->a_new, m->a[end], (size_t)in->nv * sizeof(double));
  if (*error > 1 && !in->fixed_step) return CMB_OK;
  CMB_TRY(cmb_implicit_project(in, m->projection, in->t + h, m->a_new));
  if (m->tests_multipliers) *error = cmb_larger_error(*error, multiplier_error(in, m));
  return CMB_OK;
}

/* Returns the next lower order, because the current one has proved less efficient or its iteration has failed. Doubles the number of steps
 * until the current order is tried again. */
static const struct order *order_below(struct radau *m)
{
  struct efficiency *below = m->efficiency + (m->order - 1 - orders);
  below->patience = below->patience < MOST_PATIENCE ? 2 * below->patience : MOST_PATIENCE;
  return m->order - 1;
}

/* Chooses m->next, the order of the next step, by the convergence rate of the Newton iteration, as in the code RADAU (Hairer, Wanner 1999, §4):
 * fast convergence at about constant step size raises the order, slow convergence lowers it. h is the size of the last step, `next` that of the
 * next one. */
static void choose_by_rate(struct radau *m, double h, double next)
{
  m->rate = fmin(10, fmax(m->newton.theta, 0.5 * m->rate));
  const bool same = next > SAME_FROM * h && next < SAME_TO * h;
  const bool fast = m->newton.iterations > 1 && m->rate <= RISES;
  if (m->rate >= FALLS && m->order > m->least) m->next = m->order - 1;
  if (fast && same && m->stay > LEAST_STAY && m->order < m->most) m->next = m->order + 1;
}

/* Chooses m->next, the order of the next step after an accepted step of size h, by the measured efficiency of each order, the simulated time
 * per unit of work. A higher order is tried now and then, and given up if it is clearly less efficient. */
static void choose_by_efficiency(struct radau *m, double h)
{
  struct efficiency *here = m->efficiency + (m->order - orders);
  if (m->stay == 1) {
    m->time = m->work = 0;
    return;
  }
  m->time += h;
  if (m->stay < EFFICIENCY_KNOWN) return;
  here->value = m->time / m->work;
  m->time *= 0.75, m->work *= 0.75; /* so that recent steps count more */
  if (m->order > m->least && here->value < LESS_EFFICIENT * here[-1].value) {
    m->next = order_below(m);
  } else if (m->order < m->most && m->stay >= here->patience) {
    m->next = m->order + 1;
  }
}

/* Chooses m->next, the order of the next step after an accepted step of size h: by efficiency with control=strict, else by the
 * convergence rate. `next` is the proposed step size. */
static void choose_order(struct radau *m, double h, double next)
{
  m->stay++;
  if (m->strict) {
    choose_by_efficiency(m, h);
  } else {
    choose_by_rate(m, h, next);
  }
}

static double propose(cmb_integrator *in, double h, double error, cmb_status status)
{
  struct radau *m = in->data;
  const cmb_newton *n = &m->newton;
  const cmb_controller *control = m->order->control;
  const cmb_controller_step step = {h, error, in->rejections, n->iterations};
  if (status == CMB_RETRY_NEWTON && m->jacobian_here) {
    cmb_controller_stay_below(control, &in->control, h);
  }
  if (status != CMB_OK) {
    const double factor = cmb_controller_failure(control, n->excess, n->left);
    if (m->jacobian_here && m->order > m->least) set_order(in, m, order_below(m));
    return h * factor;
  }
  if (error <= 1) {
    const double next =
        cmb_controller_predict(control, &in->control, &step, !cmb_newton_is_slow(n));
    if (m->least < m->most) choose_order(m, h, next);
    return next;
  }
  if (!m->jacobian_here) m->want_jacobian = true;
  return cmb_controller_predict_rejected(control, &step, m->h_last == 0);
}

/* Computes out := x − y (n), two numbers at a time; out must have room for one number more if n is odd. */
static inline void subtract(int n, const double *x, const double *y, double *out)
{
  for (int k = 0; k < n; k += 2) {
    cmb_lanes_store(cmb_lanes_load(x + k) - cmb_lanes_load(y + k), out + k);
  }
}

static void accept(cmb_integrator *in)
{
  struct radau *m = in->data;
  double *free_a = m->a_here;
  m->a_here = m->a_new, m->a_new = free_a;
  in->a = m->a_here;
  const int end = m->order->table->stages - 1;
  for (int i = 0; i <= end; i++) {
    const double *y[2] = {i < end ? m->Q[i] : in->y_new, i < end ? m->V[i] : in->y_new + in->nq};
    subtract(in->nq, y[0], in->y, m->y_stage[i]);
    subtract(in->nv, y[1], in->y + in->nq, m->y_stage[i] + in->nq);
    double *free_lambda = m->lambda_last[i];
    m->lambda_last[i] = m->lambda[i], m->lambda[i] = free_lambda;
  }
  m->jacobian_here = false;
  m->want_jacobian = cmb_newton_is_slow(&m->newton);
  m->h_last = m->h_tried;
  m->last = m->order->table;
  if (m->next != m->order) set_order(in, m, m->next);
}

static void interpolate(const cmb_integrator *in, double theta, double *y)
{
  const struct radau *m = in->data;
  const int s = m->last->stages;
  double of[MOST];
  CMB_RADAU_WITH(s, cmb_radau_basis(t, theta, of));
  for (int j = 0; j < s; j++) of[j] *= theta / m->last->c[j];
  for (int k = 0; k < in->n; k++) {
    double sum = in->y_before[k];
    for (int j = 0; j < s; j++) sum += of[j] * m->y_stage[j][k];
    y[k] = sum;
  }
}

static int dense_degree_now(const cmb_integrator *in)
{
  const struct radau *m = in->data;
  return m->last->stages;
}

static const double *nodes_now(const cmb_integrator *in, int *count)
{
  const struct radau *m = in->data;
  *count = m->last->stages;
  return m->last->c;
}

static void node_position(const cmb_integrator *in, int k, double *q)
{
  const struct radau *m = in->data;
  for (int i = 0; i < in->nq; i++) q[i] = in->y_before[i] + m->y_stage[k][i];
}

/* Saves or restores the current order in the archive a; the saved size of the next step belongs to it. Rejects an order that the
 * method's options do not permit. */
static void visit(cmb_integrator *in, cmb_archive *a)
{
  struct radau *m = in->data;
  int number = (int)(m->order - orders);
  cmb_archive_ints(a, "radau-order", 1, &number);
  if (number < m->least - orders || number > m->most - orders) {
    cmb_archive_refuse(a, "the order is not one that the options of the method permit");
  } else if (orders + number != m->order) {
    set_order(in, m, orders + number);
  }
}

#define OPTION_FORM                                                                                \
  {                                                                                                \
    "form", "auto|index3|ggl|index1", "auto",                                                      \
        "constraints of positions; of positions and velocities, stabilised; of accelerations; "    \
        "auto: ggl, index3 with classic control, but index1 with Euler parameters or where q' is " \
        "not v"                                                                                    \
  }

static const cmb_option options[] = {
    OPTION_FORM,
    CMB_OPTION_CONTROL("RADAU5"),
    CMB_OPTION_FORMALISM,
    CMB_OPTION_IMPLICIT_PROJECTION,
    CMB_OPTION_MULTIPLIERS,
    CMB_OPTION_STEPS,
};

static const cmb_option options_of_radau[] = {
    OPTION_FORM,
    {"order", "auto|5|9|13", "auto", "chosen as the run goes on, or this one"},
    CMB_OPTION_CONTROL("RADAU"),
    CMB_OPTION_FORMALISM,
    CMB_OPTION_IMPLICIT_PROJECTION,
    CMB_OPTION_MULTIPLIERS,
    CMB_OPTION_STEPS,
};

#define FUNCTIONS                                                                                  \
  .control = &control_3, .implicit = true, .create = create, .begin = begin, .attempt = attempt,   \
  .accept = accept, .node_position = node_position, .interpolate = interpolate,                    \
  .propose = propose, .destroy = destroy

const cmb_method cmb_method_radau5 = {
    .name = "radau5",
    .title = "Radau IIA of order 5, for stiff systems (Hairer, Wanner)",
    .order = 5,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .nodes = cmb_radau_3.c,
    .node_count = 3,
    .dense_degree = 3,
    FUNCTIONS,
};

const cmb_method cmb_method_radau = {
    .name = "radau",
    .title = "Radau IIA of orders 5, 9 and 13, for stiff systems (Hairer, Wanner)",
    .order = 13,
    .options = options_of_radau,
    .option_count = sizeof options_of_radau / sizeof options_of_radau[0],
    .nodes_now = nodes_now,
    .dense_degree = CMB_RADAU_MOST,
    .dense_degree_now = dense_degree_now,
    .visit = visit,
    FUNCTIONS,
};
