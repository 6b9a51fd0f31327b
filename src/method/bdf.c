/*
 * The method `bdf` of the integrator: backward differentiation formulas of orders 1 to 5 with variable order and step size after DASSL
 * (Brenan, Campbell, Petzold), for stiff systems, with the Jacobian strategies of Arnold, Fuchs and Führer 2006. Their unknowns y = (p, v,
 * λ) are (q, v, λ) here; the multipliers η of the velocity constraints (ggl form) have no history, since they vanish up to discretisation
 * errors.
 *
 * The formula (bdf_history.h) gives v̇ = v̇⁰ + α (v − v⁰) and, with the kinematic equations q̇ = T (v − Ḡᵀη), q = q⁰ + (T (v − Ḡᵀη) −
 * q̇⁰)/α, where the superscript 0 marks the predictor. The defects of the chosen form of the equations (form.h) are made zero by a
 * modified Newton iteration in v, λ, η, whose matrix may have been made for another c' = 1/α':
 *
 *     the residual r of the dynamic equations is multiplied by 2/(1 + (c/c')²), a compromise between the factors that would suit
 *     M alone and the stiffness alone (the factor c of eq. 18). The iteration (newton.h) may leave 0.03 of the tolerance, or 0.01
 *     with control=strict (DASSL: 0.33); this makes the error estimates smoother, so that fewer steps are needed. control=dassl
 *     uses DASSL's numbers instead (struct rules); its factor 2/(1 + α/α') of all defects becomes 2/(1 + c/c') of r once q is
 *     eliminated.
 *
 * In index 3 the first Newton increment mainly corrects g/c, perpendicular to the constraints. The error that this leaves along the
 * constraints, because their directions turn, cannot be judged from the convergence rate of other steps: each step therefore measures its
 * rate θ itself, with at least two iterations unless the first increment is tiny. Velocities are projected after the step; the part of
 * increments perpendicular to the constraints does not count, nor that of errors if nothing is projected (implicit.h).
 *
 * Errors of O(h⁶) in each of O(1/h) steps add up to O(h⁵). control=strict holds the error of a step to rtol^(6/5), so that the sum is
 * proportional to rtol; classic to rtol/1.5. In Cartesian coordinates, whose velocities are rates of Euler parameters, strict holds it to
 * a tenth of that, and ends the iteration at 0.003 of the permitted error. Either measure alone was not enough; both were found by trial.
 *
 * A new matrix is made if a) the iteration fails, b) it converged too slowly in the last step, c) c/c' leaves [0.8, 1.25]. The strategies
 * "dense" and "sparse" then compute all derivatives anew; the partitioned ones and "exact" first only M, G and c (eqs. 24, 25), extended by
 * the influence of the inputs (26), and the derivatives only if the iteration fails with that.
 *
 * Orders from 3 on are unstable for undamped oscillations. An oscillation too small to matter grows with them until it limits the step
 * size, which DASSL's choice of the order does not notice. With control=strict it is detected from divided differences that do not decay
 * with their order; if order 2 can take the same step, it is chosen, and damps the oscillation away (is_limited_by_oscillation, below).
 *
 * With steps=fixed and order=k the first k − 1 steps are made by a Runge–Kutta method of order 4, whose errors are as small as those of
 * the formula.
 */
#include "dae/project.h"
#include "method/bdf_history.h"
#include "method/implicit.h"
#include "method/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { SUBSTEPS = 4 };

/* The constants in which this implementation differs from DASSL (Brenan, Campbell, Petzold, §5.2); control=dassl selects DASSL's own. */
struct rules {
  cmb_newton_rule newton;
  double least_ratio;   /* a new matrix is made where c/c' is below this or above its inverse */
  bool factor_of_first; /* the factor of eq. 18 uses c/c' in place of its square */
  double caution;       /* error estimates are multiplied by this factor or a larger one */
  bool waits;           /* after a failure the step size may not grow for k + 3 steps */
};

static const struct rules default_rules = {
    .newton = {.most = 4,
               .mean = CMB_NEWTON_OF_ALL,
               .diverges = 0.9,
               .slow = 0.2,
               .eta_new = 100,
               .eta_power = 1,
               .eta_least = 0.02, /* also if the last steps converged faster */
               .kappa = 0.03},
    .least_ratio = 0.8,
    .caution = 1.5,
    .waits = true,
};

static const struct rules dassl_rules = {
    .newton = {.most = 4,
               .mean = CMB_NEWTON_OF_ALL,
               .diverges = 0.9,
               .slow = 1, /* never: an iteration that converges has a rate below `diverges` */
               .eta_new = 100,
               .eta_power = 1,
               .kappa = 0.33},
    .least_ratio = 0.6,
    .factor_of_first = true,
    .caution = 1,
};

/* The step-size controller of DASSL (§5.2). */
static const cmb_controller control = {
    .kind = CMB_CONTROLLER_HALVING,
    .order = 2,
    .floor = 0.0001,
    .shrink = 0.5,
    .grow = 2,
    .decided = 0.9,
    .rejected_least = 0.25,
    .rejected_most = 0.9,
    .rejected_safety = 0.9,
    .rejected_again = 0.25,
    .failed = 0.25,
};

/* ROUNDINGS: Newton increments below this many machine epsilons, relative to the tolerance, need not shrink any more, since they are
 * rounding. NEGLIGIBLE: the part of that below which even the first increment is accepted. */
static const double ROUNDINGS = 1000, NEGLIGIBLE = 0.1;

/* The smallest tolerance that the error of a step can be held to; smaller errors are rounding. */
static const double LEAST_TOLERANCE = 1e4 * DBL_EPSILON;

/* The factor by which control=strict reduces the permitted error of a step where velocities are rates of Euler parameters, which turn
 * with the bodies. Found by trial on bundled models (docs/methods/bdf.md, Control). */
static const double TURNING = 10;

/* An oscillation is irrelevant if its amplitude is below IDLE times the permitted error of a step. Its divided differences decay from
 * one order to the next by a factor above UNSMOOTH (mean squares over about 1/(1 − KEPT) steps); those of a resolved motion decay
 * faster. */
static const double IDLE = 10, UNSMOOTH = 0.3, KEPT = 0.8;
enum { FIRST_STAY = 50, LONGEST_STAY = 1600 }; /* number of steps without an order above 2 */

struct strategy {
  cmb_jacobian_source source;
  bool partitioned, extended;
};

enum { CONTROL_DASSL = CMB_CONTROL_CLASSIC + 1 };

static const struct strategy strategies[] = {
    {CMB_SOURCE_EXACT, true, false},   {CMB_SOURCE_DENSE, false, false},
    {CMB_SOURCE_SPARSE, false, false}, {CMB_SOURCE_DENSE, true, false},
    {CMB_SOURCE_SPARSE, true, false},  {CMB_SOURCE_DENSE, true, true},
    {CMB_SOURCE_SPARSE, true, true},
};

struct bdf {
  cmb_form *form;
  cmb_linear *matrix;
  const struct strategy *strategy;
  const struct rules *rules;
  cmb_implicit_projection projection;
  bool tests_multipliers;  /* the error test includes the multipliers */
  int order;               /* fixed order; 0: variable */
  int size;                /* length of y: nq + nv + ng */
  bool finds_oscillations; /* looks for irrelevant oscillations that limit the step size */
  double caution;    /* factor of all error estimates, since the errors of many steps add up */
  double least_rtol; /* smallest relative tolerance that the error test can follow */
  double rtol, atol; /* the tolerances of a step */
  double least;      /* the smaller of the Newton tolerance and of 1/caution */
  cmb_bdf_history history;

  int k, k_next; /* order of the attempt, and of the next step if it is accepted */
  bool rising;   /* start-up phase: order and step size grow with each step */
  int failures;  /* consecutive failures of the error test */
  int wait; /* steps until the size may grow again after a failure, so that first the order can */
  /* of the attempt: the error estimate that the next size follows from, and the norm of e */
  double est, norm;
  double error_lower, error_lowest, error_k; /* error estimates of orders k − 1, k − 2 and k */
  /* decaying sums of squares of the divided differences of orders k and k + 1, and of their weights */
  double sum, sum_higher, sum_weight;
  int stay, stay_length; /* steps left with order 2, and the length of that period */

  double *y0, *rate0; /* (size) predictor of y and of its rate */
  double *y, *rate;   /* (size), padded by one: the iterate (q, v, λ) and its rate */
  double *e;          /* (size) y − y0, corrector minus predictor */
  double *normal, *W; /* (nv) Ḡᵀ η of the ggl form, and v − Ḡᵀ η */
  cmb_weights weights;
  double *work;                  /* (size) scratch */
  double *r, *position, *motion; /* (nv), (ng), (ng) defects (residuals) of the equations */
  cmb_increment increment;
  double *a; /* (nv) accelerations at the end of the last step */

  bool factored;     /* the matrix is factored, */
  double c_factored; /* for this c */
  bool derived;      /* the derivatives D and K have been computed */
  /* done in this step: the matrix, the derivatives, the pattern */
  bool updated_here, derived_here, widened_here;
  bool update_wanted; /* because the iteration was slow: rule b) */
  cmb_newton newton;
  double alpha_before; /* α of the last iteration */

  double *k1[4], *y_sub; /* (n) slopes and state of the Runge–Kutta start */
};

/* ---- creation */

static void take_memory(cmb_integrator *in, struct bdf *m)
{
  cmb_arena *arena = in->arena;
  double **of_y[] = {&m->y0, &m->rate0, &m->y, &m->rate, &m->e, &m->work};
  for (size_t i = 0; i < sizeof of_y / sizeof *of_y; i++) {
    *of_y[i] = cmb_arena_doubles(arena, m->size + 1);
  }
  cmb_bdf_history_create(&m->history, arena, m->size);
  m->normal = cmb_arena_doubles(arena, in->nv);
  m->W = cmb_arena_doubles(arena, in->nv);
  cmb_weights_create(in, &m->weights);
  m->r = cmb_arena_doubles(arena, in->nv);
  m->position = cmb_arena_doubles(arena, in->ng);
  m->motion = cmb_arena_doubles(arena, in->ng);
  m->a = cmb_arena_doubles(arena, in->nv);
  m->increment.v[0] = cmb_arena_doubles(arena, in->nv);
  m->increment.w[0] = cmb_arena_doubles(arena, in->nv);
  m->increment.lambda[0] = cmb_arena_doubles(arena, in->ng);
  m->increment.normal[0] = cmb_arena_doubles(arena, in->nv);
  for (int i = 0; i < 4; i++) m->k1[i] = cmb_arena_doubles(arena, in->n);
  m->y_sub = cmb_arena_doubles(arena, in->n);
}

/* Reads the option `control` and sets the constants of the method accordingly: its tolerances m->rtol and m->atol, and m->caution, a factor on
 * error estimates. Returns the error that the Newton iteration may leave, as a fraction of the tolerance. */
static double choose_control(const cmb_integrator *in, struct bdf *m)
{
  const int wanted = cmb_choice(in, "control");
  m->rules = wanted == CONTROL_DASSL ? &dassl_rules : &default_rules;
  m->caution = m->rules->caution;
  m->finds_oscillations = wanted == CMB_CONTROL_STRICT;
  const bool turning = cmb_has_turning_velocities(in->ev->eq);
  const double times = turning ? TURNING : 1;
  if (wanted == CMB_CONTROL_STRICT && !in->fixed_step)
    m->least_rtol = pow(times * LEAST_TOLERANCE, CMB_BDF_MOST / (CMB_BDF_MOST + 1.0));
  m->rtol = fmax(in->options.rtol, m->least_rtol);
  m->atol = cmb_raised_atol(in, m->least_rtol);
  if (wanted != CMB_CONTROL_STRICT) return m->rules->newton.kappa;
  const double more = times * pow(m->rtol, -1.0 / CMB_BDF_MOST);
  m->caution = fmax(m->caution, fmin(more, m->rtol / LEAST_TOLERANCE));
  return turning ? fmax(0.003 / m->caution, fmin(0.01, 200 * DBL_EPSILON / m->rtol)) : 0.01;
}

/* Reads the option `control`, sets the tolerances and rules of the method accordingly, and initialises the convergence test of the Newton
 * iteration: its tolerance, and the sizes below which increments count as rounding errors. */
static void create_newton(const cmb_integrator *in, struct bdf *m)
{
  const double left = choose_control(in, m), rounding = ROUNDINGS * DBL_EPSILON / m->rtol;
  cmb_newton_create(&m->newton, &m->rules->newton, left, m->rtol);
  m->newton.tolerable = fmin(rounding, m->newton.enough);
  m->newton.negligible = NEGLIGIBLE * rounding;
  m->least = fmin(m->newton.enough, 1 / m->caution);
}

static cmb_status create(cmb_integrator *in)
{
  static const cmb_form_kind kinds[] = {CMB_FORM_GGL, CMB_FORM_GGL, CMB_FORM_INDEX3,
                                        CMB_FORM_INDEX2, CMB_FORM_INDEX1};
  const cmb_equations *eq = in->ev->eq;
  const int form = cmb_choice(in, "form");
  struct bdf *m = in->data = cmb_arena_take(in->arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  m->strategy = &strategies[cmb_choice(in, "jacobian")];
  m->order = cmb_choice(in, "order");
  m->tests_multipliers = cmb_choice(in, "multipliers") == 1;
  m->size = in->n + in->ng;
  create_newton(in, m);
  take_memory(in, m);
  cmb_form_options options = {.kind = form == 0 && cmb_implicit_prefers_index1(eq) ? CMB_FORM_INDEX1
                                                                                   : kinds[form],
                              .formalism = (cmb_formalism)cmb_choice(in, "formalism"),
                              .source = m->strategy->source,
                              .extended = m->strategy->extended};
  m->projection = cmb_choice(in, "projection") == 0 && options.kind == CMB_FORM_GGL
                      ? CMB_IMPLICIT_NONE
                      : cmb_implicit_projection_of(in, options.kind);
  CMB_TRY(cmb_form_create(in->ev, &options, &m->form));
  return cmb_form_matrix_create(m->form, false, &m->matrix);
}

static void destroy(cmb_integrator *in)
{
  struct bdf *m = in->data;
  cmb_linear_destroy(m->matrix);
  cmb_form_destroy(m->form);
}

/* Copies the state q_and_v (nq + nv) and the multipliers lambda (ng) into one vector y = (q, v, λ). */
static void copy_to_y(const cmb_integrator *in, const double *q_and_v, const double *lambda,
                      double *y)
{
  memcpy(y, q_and_v, (size_t)in->n * sizeof *y);
  memcpy(y + in->n, lambda, (size_t)in->ng * sizeof *y);
}

static cmb_status begin(cmb_integrator *in)
{
  struct bdf *m = in->data;
  cmb_watch_rank(in->ev, false);
  cmb_warn_of_least_tolerance(in, m->least_rtol);
  CMB_TRY(cmb_accelerate(in->ev, in->t, in->y, in->y + in->nq, m->a, in->lambda));
  in->a = m->a;
  copy_to_y(in, in->y, in->lambda, m->y);
  cmb_rates(in->ev, in->y, in->y + in->nq, m->rate);
  memcpy(m->rate + in->nq, m->a, (size_t)in->nv * sizeof *m->a);
  memset(m->rate + in->n, 0, (size_t)in->ng * sizeof *m->rate);
  cmb_bdf_begin(&m->history, m->y, m->rate, in->h);
  m->k = 1;
  m->rising = true;
  m->failures = m->wait = m->stay = m->stay_length = 0;
  m->factored = m->derived = m->update_wanted = false;
  if (!in->keep_size) cmb_form_forget(m->form);
  cmb_newton_forget(&m->newton);
  return CMB_OK;
}

/* ---- the Newton matrix */

/* Returns the Newton iterate as a state (t, q, v, v̇, λ) at time t at which the equations can be evaluated. Its arrays point to those of m. */
static cmb_form_state iterate_at(const cmb_integrator *in, const struct bdf *m, double t)
{
  return (cmb_form_state){t, m->y, m->y + in->nq, m->rate + in->nq, m->y + in->n};
}

/* Updates the Newton matrix: evaluates the mass matrix and the constraint Jacobian at the iterate at time t, and factorises the matrix for the
 * current step size. Computes the derivatives of the residual anew, too, if `derive` is set, there are none yet, or the option `jacobian`
 * permits no partial updates; extended partial updates adapt them to changed inputs. */
static cmb_status update_matrix(cmb_integrator *in, struct bdf *m, double t, bool derive)
{
  const struct strategy *s = m->strategy;
  const cmb_form_state at = iterate_at(in, m, t);
  const bool all = derive || !m->derived || !s->partitioned;
  m->factored = false;
  if (all) m->derived = false;
  CMB_TRY(cmb_form_linearize(m->form, &at, all));
  if (all && m->form->extension) CMB_TRY(cmb_form_know_inputs(m->form, &at));
  if (!all) {
    in->ev->stats.jacobian_update++;
    if (m->form->extension) CMB_TRY(cmb_form_follow_inputs(m->form, &at));
  }
  m->c_factored = 1 / m->history.alpha;
  CMB_TRY(cmb_form_factor(m->form, m->c_factored, 0, m->matrix));
  m->factored = m->derived = m->updated_here = true;
  m->derived_here = m->derived_here || all;
  m->update_wanted = false;
  cmb_newton_forget(&m->newton);
  return CMB_OK;
}

/* Returns whether a failed Newton iteration can still be repeated with a better matrix in this step: the derivatives of the residual have not
 * been computed in this step, or their estimated sparsity pattern has not been extended. */
static bool can_improve_matrix(const struct bdf *m)
{
  return !m->derived_here || (m->strategy->source == CMB_SOURCE_SPARSE && !m->widened_here);
}

/* Improves the Newton matrix after the iteration for the step to time t has failed. A matrix from an earlier step is updated, with new
 * derivatives of the residual only if the option `jacobian` does not permit to keep them. Otherwise the derivatives are computed anew; if they
 * are already new, the estimated sparsity pattern of their finite differences is first extended, since it may lack entries. */
static cmb_status improve_matrix(cmb_integrator *in, struct bdf *m, double t)
{
  if (m->derived_here) {
    cmb_form_widen(m->form);
    m->widened_here = true;
  }
  return update_matrix(in, m, t, m->updated_here);
}

/* ---- the Newton iteration */

/* Computes the accelerations v̇ (in m->rate) and the positions q (in m->y) of the Newton iterate from its velocities v by the BDF formula. The
 * positions satisfy q̇ = v − Ḡᵀη with the multipliers η of the velocity constraints (stabilised index-2 form). */
static void complete_plain(const cmb_integrator *in, struct bdf *m)
{
  const int n = in->nv;
  const double alpha = m->history.alpha, c = 1 / alpha;
  double *q = m->y, *v = q + n, *a = m->rate + n;
  const double *q0 = m->y0, *v0 = q0 + n, *u0 = m->rate0, *a0 = u0 + n, *normal = m->normal;
  int i = 0;
  for (; i + 1 < n; i += 2) {
    const cmb_lanes here = cmb_lanes_load(v + i), u = here - cmb_lanes_load(normal + i);
    cmb_lanes_store(cmb_lanes_load(a0 + i) + alpha * (here - cmb_lanes_load(v0 + i)), a + i);
    cmb_lanes_store(cmb_lanes_load(q0 + i) + c * (u - cmb_lanes_load(u0 + i)), q + i);
  }
  if (i == n) return;
  a[i] = a0[i] + alpha * (v[i] - v0[i]);
  q[i] = q0[i] + c * (v[i] - normal[i] - u0[i]);
}

/* Computes the accelerations v̇ (in m->rate) and the positions q (in m->y) of the Newton iterate from its velocities v by the BDF formula. If
 * q̇ = T(q) v with T ≠ I, solves the formula, which is then implicit in q, by three fixed-point iterations. */
static void complete(const cmb_integrator *in, struct bdf *m)
{
  enum { ROUNDS = 3 };
  const int nq = in->nq, nv = in->nv;
  const double alpha = m->history.alpha, c = 1 / alpha;
  const double *v = m->y + nq;
  if (!in->ev->eq->rates) {
    complete_plain(in, m);
    return;
  }
  for (int i = 0; i < nv; i++) {
    m->rate[nq + i] = m->rate0[nq + i] + alpha * (v[i] - m->y0[nq + i]);
    m->W[i] = v[i] - m->normal[i];
  }
  for (int round = 0; round < ROUNDS; round++) {
    cmb_rates(in->ev, m->y, m->W, m->work);
    for (int i = 0; i < nq; i++) m->y[i] = m->y0[i] + c * (m->work[i] - m->rate0[i]);
  }
}

/* Performs one Newton iteration of the BDF step that ends at time t: solves for the increments of velocities and multipliers, adds them to
 * the iterate, and updates its positions and accelerations. *size becomes the weighted norm of the increments in units of the tolerance:
 * the root of (sum of squares for q, v and λ)/(nq + nv). */
static cmb_status newton_step(cmb_integrator *in, struct bdf *m, double t, double *size)
{
  const double c = 1 / m->history.alpha, ratio = c / m->c_factored;
  const double factor = 2 / (1 + (m->rules->factor_of_first ? ratio : ratio * ratio));
  const cmb_defects defects[2] = {{m->r, m->position, m->motion}};
  cmb_increment *d = &m->increment;
  const cmb_form_state at = iterate_at(in, m, t);
  CMB_TRY(cmb_form_defects(m->form, &at, defects));
  if (factor != 1) {
    for (int i = 0; i < in->nv; i++) m->r[i] *= factor;
  }
  cmb_form_solve(m->form, 1, c, 0, m->matrix, defects, d);
  in->ev->stats.newton++;
  cmb_add_scaled(in->nv, 1, d->v[0], m->y + in->nq);
  cmb_add_scaled(in->ng, 1, d->lambda[0], m->y + in->n);
  if (m->form->kind == CMB_FORM_GGL && in->ng > 0) {
    cmb_add_scaled(in->nv, 1, d->normal[0], m->normal);
  }
  const double *dq = d->w[0];
  if (in->ev->eq->rates) {
    cmb_rates(in->ev, m->y, d->w[0], m->work);
    dq = m->work;
  }
  cmb_remove_normal_part(m->form, m->matrix, d->v[0]);
  const cmb_weights *w = &m->weights;
  double sum = cmb_weighted_square(in->nq, w->q, dq) + cmb_weighted_square(in->nv, w->v, d->v[0]) +
               cmb_weighted_square(in->ng, w->l, d->lambda[0]);
  *size = sqrt(sum / in->n);
  complete(in, m);
  return CMB_OK;
}

/* Runs the Newton iteration of the BDF step that ends at time t until it has converged, beginning with the current iterate. Returns
 * CMB_RETRY_NEWTON if it diverges or converges too slowly, CMB_RETRY_NONFINITE if an increment is not finite. */
static cmb_status iterate(cmb_integrator *in, struct bdf *m, double t)
{
  for (cmb_newton_begin(&m->newton); !m->newton.arrived;) {
    double size = 0;
    CMB_TRY(newton_step(in, m, t, &size));
    CMB_TRY(cmb_newton_judge(&m->newton, size));
  }
  m->update_wanted = cmb_newton_is_slow(&m->newton);
  return CMB_OK;
}

/* Sets the Newton iterate to the predictor of the BDF formula, with the multipliers η of the velocity constraints 0. */
static void restart_iteration(const cmb_integrator *in, struct bdf *m)
{
  memcpy(m->y, m->y0, (size_t)m->size * sizeof *m->y);
  memset(m->normal, 0, (size_t)in->nv * sizeof *m->normal);
  complete(in, m);
}

/* Solves the BDF formula for the step that ends at time t by a simplified Newton iteration that starts from the predictor. If the iteration
 * fails, repeats it with an updated matrix, with new derivatives and with an extended sparsity pattern, as far as the option `jacobian`
 * permits. Returns the status of the last iteration. */
static cmb_status solve(cmb_integrator *in, struct bdf *m, double t)
{
  const double ratio = m->factored ? 1 / (m->history.alpha * m->c_factored) : 0;
  const double least_ratio = m->rules->least_ratio;
  m->updated_here = m->derived_here = m->widened_here = false;
  restart_iteration(in, m);
  if (!m->factored || m->update_wanted || ratio < least_ratio || ratio > 1 / least_ratio) {
    CMB_TRY(update_matrix(in, m, t, false));
  } else if (m->history.alpha != m->alpha_before) {
    cmb_newton_forget(&m->newton);
  }
  if (m->form->kind == CMB_FORM_INDEX3) cmb_newton_forget(&m->newton);
  m->alpha_before = m->history.alpha;
  for (;;) {
    cmb_status status = iterate(in, m, t);
    if (status != CMB_RETRY_NEWTON && status != CMB_RETRY_NONFINITE) return status;
    if (!can_improve_matrix(m)) return status;
    restart_iteration(in, m);
    CMB_TRY(improve_matrix(in, m, t));
  }
}

/* ---- the first steps with a fixed order */

/* Takes a step of size h as four steps of size h/4 of the classical Runge–Kutta method of order 4 on the index-1 form, and projects the result
 * onto the constraints. Stores the result in m->y, in place of a converged Newton iterate. */
static cmb_status runge_kutta(cmb_integrator *in, struct bdf *m, double h)
{
  static const double node[4] = {0, 0.5, 0.5, 1}, share[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const double s = h / SUBSTEPS;
  double *y = in->y_new;
  memcpy(y, in->y, (size_t)in->n * sizeof *y);
  for (int sub = 0; sub < SUBSTEPS; sub++) {
    const double t = in->t + sub * s;
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < in->n; j++) {
        m->y_sub[j] = y[j] + (i > 0 ? node[i] * s * m->k1[i - 1][j] : 0);
      }
      CMB_TRY(cmb_slope(in, t + node[i] * s, m->y_sub, m->k1[i], in->lambda_new));
    }
    for (int i = 0; i < 4; i++) {
      for (int j = 0; j < in->n; j++) y[j] += share[i] * s * m->k1[i][j];
    }
  }
  CMB_TRY(cmb_implicit_project(in, CMB_IMPLICIT_EVERY, in->t + h, m->rate + in->nq));
  copy_to_y(in, y, in->lambda_new, m->y);
  return CMB_OK;
}

/* Projects the new state m->y at time t onto the constraints, as the option `projection` requires (velocities, or positions and velocities),
 * and then computes accelerations and multipliers by the index-1 equations. */
static cmb_status project(cmb_integrator *in, struct bdf *m, double t)
{
  memcpy(in->y_new, m->y, (size_t)in->n * sizeof *in->y_new);
  CMB_TRY(cmb_implicit_project(in, m->projection, t, m->rate + in->nq));
  copy_to_y(in, in->y_new, in->lambda_new, m->y);
  return CMB_OK;
}

/* ---- errors and orders */

/* Returns the weighted root-mean-square norm of an error x = (q, v, λ) times the safety factor m->caution. Multipliers count only if the option
 * `multipliers` includes them in the error test. In the index-3 form without projection, velocity errors perpendicular to the constraints do
 * not count. */
static double size_of(const cmb_integrator *in, struct bdf *m, const double *x)
{
  const double *of_v = x + in->nq;
  if (m->form->kind == CMB_FORM_INDEX3 && m->projection == CMB_IMPLICIT_NONE && m->factored) {
    of_v = memcpy(m->W, of_v, (size_t)in->nv * sizeof *of_v);
    cmb_remove_normal_part(m->form, m->matrix, m->W);
  }
  const cmb_weights *w = &m->weights;
  double sum =
      cmb_weighted_square(in->nq, w->error_q, x) + cmb_weighted_square(in->nv, w->error_v, of_v);
  if (!m->tests_multipliers) return m->caution * sqrt(sum / in->n);
  sum += cmb_weighted_square(in->ng, w->l, x + in->n);
  return m->caution * sqrt(sum / m->size);
}

/* Computes out := x + c φ_i, where φ_i is the i-th divided difference of the BDF history; all vectors have m->size elements, and out may be x. */
static void add_phi(const struct bdf *m, int i, double c, const double *x, double *out)
{
  const double *phi = m->history.phi[i];
  for (int j = 0; j < m->size; j += 2) {
    cmb_lanes_store(cmb_lanes_load(x + j) + c * cmb_lanes_load(phi + j), out + j);
  }
}

/* Estimates the error of an attempted step of order k by the difference of corrector and predictor, and the errors of orders k − 1 and k − 2
 * unless the order is fixed, as in DASSL, each multiplied by (order + 1). Stores them in m->error_k, m->error_lower and m->error_lowest. Sets
 * m->k_next to k − 1 if the lower orders have smaller errors, else to k. */
static void estimate(const cmb_integrator *in, struct bdf *m)
{
  const int k = m->k;
  const double *sigma = m->history.sigma;
  m->norm = size_of(in, m, m->e);
  m->error_k = (k + 1) * sigma[k] * m->norm;
  m->est = sigma[k] * m->norm;
  m->k_next = k;
  if (k == 1 || m->order > 0) return;
  add_phi(m, k, 1, m->e, m->work);
  const double lower = sigma[k - 1] * size_of(in, m, m->work);
  m->error_lower = k * lower;
  bool lowered = m->error_lower <= 0.5 * m->error_k;
  if (k > 2) {
    add_phi(m, k - 1, 1, m->work, m->work);
    m->error_lowest = (k - 1) * sigma[k - 2] * size_of(in, m, m->work);
    lowered = fmax(m->error_lower, m->error_lowest) <= m->error_k;
  }
  if (!lowered) return;
  m->k_next = k - 1;
  m->est = lower;
}

/* Updates the exponentially weighted sums of the squared divided differences of orders k and k + 1, by which oscillations of negligible
 * amplitude are detected. The sums restart at 0 when step size or order has changed. */
static void update_difference_sums(struct bdf *m)
{
  const double lower = m->error_lower / (m->k * m->history.sigma[m->k - 1]);
  if (m->history.constant == 1) m->sum = m->sum_higher = m->sum_weight = 0;
  m->sum = KEPT * m->sum + lower * lower;
  m->sum_higher = KEPT * m->sum_higher + m->norm * m->norm;
  m->sum_weight = KEPT * m->sum_weight + 1;
}

/* Returns whether the step size is limited by an oscillation of negligible amplitude. Such an oscillation has divided differences of order
 * i of about A sⁱ; s and A are computed from the mean squares of those of orders k and k + 1 (k: order of the method). The result is true
 * if s > 0.3 and A is below 10 times the permitted error. It is false for k < 3, and until size and order were constant for k + 1 steps. */
static bool is_limited_by_oscillation(const struct bdf *m)
{
  if (m->k < 3 || m->history.constant < m->k + 1) return false;
  const double s = sqrt(m->sum_higher / m->sum), higher = sqrt(m->sum_higher / m->sum_weight);
  return s > UNSMOOTH && higher < IDLE * pow(s, m->k + 1);
}

/* Selects order 2 for a number of steps, so that an oscillation that is undamped at higher order decays, if the error estimate of order 2
 * permits the same step size. Returns whether it does. The number of steps is doubled each time, up to a limit. */
static bool choose_order_2(const cmb_integrator *in, struct bdf *m)
{
  memcpy(m->work, m->e, (size_t)m->size * sizeof *m->work);
  for (int i = m->k; i > 2; i--) add_phi(m, i, 1, m->work, m->work);
  const double est = m->history.sigma[2] * size_of(in, m, m->work);
  if (2 * est > 1) return false;
  m->k_next = 2;
  m->est = est;
  m->stay_length = m->stay_length == 0             ? FIRST_STAY
                   : m->stay_length < LONGEST_STAY ? 2 * m->stay_length
                                                   : LONGEST_STAY;
  m->stay = m->stay_length;
  return true;
}

/* Sets m->k_next to 2 and returns true if an oscillation of negligible amplitude limits the step size, or did so recently. Is called once after
 * each accepted step. Order 2 ends as soon as its error estimate would require a smaller step. */
static bool keeps_order_2(const cmb_integrator *in, struct bdf *m)
{
  if (!m->finds_oscillations || in->fixed_step || m->k < 2) return false;
  update_difference_sums(m);
  if (is_limited_by_oscillation(m) && choose_order_2(in, m)) return true;
  m->stay = 2 * m->est > 1 || m->stay == 0 ? 0 : m->stay - 1;
  return m->stay > 0 && m->k == 2 && m->k_next == 2;
}

/* Chooses m->k_next, the order of the next step after an accepted step of order k, by comparing the error estimates of orders k − 1, k and k +
 * 1. In the start-up phase, and until a fixed order (option `order`) is reached, the order rises by 1 with each step. */
static void choose_order(const cmb_integrator *in, struct bdf *m)
{
  const int k = m->k;
  const cmb_bdf_history *b = &m->history;
  if (m->order > 0) {
    m->k_next = k < m->order ? k + 1 : k;
    return;
  }
  if (m->k_next < k || k == CMB_BDF_MOST) m->rising = false;
  if (m->rising) {
    m->k_next = k + 1;
    return;
  }
  if (keeps_order_2(in, m)) return;
  if (m->k_next < k || k == CMB_BDF_MOST || k + 1 >= b->constant || k == b->k_taken + 1) return;
  add_phi(m, k + 1, -1, m->e, m->work);
  const double higher = size_of(in, m, m->work) / (k + 2), error_higher = (k + 2) * higher;
  if (k > 1 && m->error_lower <= fmin(m->error_k, error_higher)) {
    m->k_next = k - 1;
    m->est = m->error_lower / k;
  } else if (error_higher < (k > 1 ? m->error_k : 0.5 * m->error_k)) {
    m->k_next = k + 1;
    m->est = higher;
  }
}

/* ---- the step */

static cmb_status attempt(cmb_integrator *in, double h, double *error)
{
  struct bdf *m = in->data;
  const double t = in->t + h;
  const bool starting = in->fixed_step && m->order > 0 && m->k < m->order;
  in->order_tried = starting ? 4 : m->k;
  cmb_bdf_open(&m->history, m->k, h);
  cmb_bdf_predict(&m->history, m->y0, m->rate0);
  const cmb_tolerance tolerance = {m->form, m->rtol, m->atol, m->least, 1 / m->caution};
  cmb_weights_at(in, &tolerance, h, &m->weights);
  cmb_warn_of_rounding(in, &m->weights);
  CMB_TRY(starting ? runge_kutta(in, m, h) : solve(in, m, t));
  if (in->ev->eq->normalize) in->ev->eq->normalize(in->ev->eq->self, m->y);
  if (m->projection != CMB_IMPLICIT_NONE && !starting) CMB_TRY(project(in, m, t));
  for (int i = 0; i < m->size; i += 2) {
    cmb_lanes_store(cmb_lanes_load(m->y + i) - cmb_lanes_load(m->y0 + i), m->e + i);
  }
  memcpy(in->y_new, m->y, (size_t)in->n * sizeof *in->y_new);
  memcpy(in->lambda_new, m->y + in->n, (size_t)in->ng * sizeof *in->lambda_new);
  estimate(in, m);
  *error = m->history.error_part * m->norm;
  return CMB_OK;
}

static double propose(cmb_integrator *in, double h, double error, cmb_status status)
{
  struct bdf *m = in->data;
  if (status != CMB_OK || (error > 1 && !in->fixed_step)) {
    m->rising = false;
    m->wait = m->rules->waits ? m->k + 3 : 0;
  }
  if (status != CMB_OK) return control.failed * h;
  if (error > 1 && !in->fixed_step) {
    m->failures++;
    m->k = m->failures > 2 ? 1 : m->k_next;
    return cmb_controller_halve_rejected(&control, h, m->est, m->k + 1, m->failures);
  }
  m->failures = 0;
  choose_order(in, m);
  if (m->rising) return control.grow * h;
  if (m->wait > 0) m->wait--;
  return cmb_controller_halve(&control, h, m->est, m->k_next + 1, m->wait == 0);
}

static void accept(cmb_integrator *in)
{
  struct bdf *m = in->data;
  cmb_bdf_accept(&m->history, m->history.h_open, m->e);
  m->k = m->k_next;
  memcpy(m->a, m->rate + in->nq, (size_t)in->nv * sizeof *m->a);
}

static int dense_degree_now(const cmb_integrator *in)
{
  const struct bdf *m = in->data;
  return m->history.k_taken;
}

static void interpolate(const cmb_integrator *in, double theta, double *y)
{
  const struct bdf *m = in->data;
  cmb_bdf_interpolate(&m->history, (theta - 1) * in->h_taken, in->n, y);
}

static const cmb_option options[] = {
    {"jacobian", "exact|dense|sparse|partitioned|sparse-partitioned|extended|sparse-extended",
     "exact",
     "derivatives from the expressions; by differences, column by column or on an estimated "
     "pattern; renewed in parts; following the inputs"},
    {"form", "auto|ggl|index3|index2|index1", "auto",
     "constraints of positions and velocities, stabilised; of positions; of velocities; of "
     "accelerations; auto: ggl, but index1 with Euler parameters or where q' is not v"},
    {"control", "strict|classic|dassl", "strict",
     "steps so small that errors at the end are about the tolerance; larger ones, by DASSL's rule; "
     "all of DASSL's own rules, for its iteration and its order, too"},
    CMB_OPTION_IMPLICIT_PROJECTION,
    {"order", "auto|1|2|3|4|5", "auto", "chosen by the error, or this one"},
    CMB_OPTION_FORMALISM,
    CMB_OPTION_MULTIPLIERS,
    CMB_OPTION_STEPS,
};

const cmb_method cmb_method_bdf = {
    .name = "bdf",
    .title = "backward differentiation, orders 1 to 5 (DASSL), for stiff systems",
    .order = 5,
    .control = &control,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .implicit = true,
    .create = create,
    .begin = begin,
    .attempt = attempt,
    .accept = accept,
    .dense_degree = CMB_BDF_MOST,
    .dense_degree_now = dense_degree_now,
    .interpolate = interpolate,
    .multistep = true,
    .propose = propose,
    .destroy = destroy,
};
