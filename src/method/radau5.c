/*
 * radau5: Radau IIA of order 5 with three stages (Hairer and Wanner, Solving ODEs II, §§IV.8 and VII.6), for second-order equations
 * with constraints of index 3, ggl or index 1 (form.h).
 *
 *     V_i = v_0 + z_i,   a_i = h⁻¹ Σ_j (A⁻¹)_ij z_j,   Q_i = q_0 + h Σ_j A_ij T(Q_j) W_j,   W_j = V_j − Ḡᵀ η_j
 *
 * The defects of the three stages vanish by a simplified Newton iteration. A⁻¹ = T Λ T⁻¹ with one real eigenvalue γ₀ and a complex
 * pair α ± iβ: T⁻¹ takes the increments apart into a real system with c = h/γ₀ and a complex one with c = h/(α + iβ), each
 * nv + ng wide. Error: the embedded formula of order 3, smoothed,
 *     s_w = v_0 + h⁻¹ Σ e_i w_i,  s_v = a_0 + h⁻¹ Σ e_i z_i,   w_i = h Σ_j A_ij W_j.
 * It is of lower order than the step: O(h⁴), while errors at the end of a run are O(h⁵). control=strict holds it to 0.4 rtol^(4/5),
 * which makes them proportional to rtol, and what the iteration leaves in each of the O(1/h) steps to its (3/2)th power, O(h rtol);
 * classic to 0.1 rtol^(2/3), as their code RADAU5, and counts errors of velocities of index 3 h times, but not what the iteration leaves in
 * them, which no later step takes away; strict counts what is along the constraints fully (implicit.h), and prefers ggl, since the
 * rest loses orders. In Cartesian coordinates sizes of increments and errors are those of the worst number (method.h), but for
 * fixed steps, which cannot become smaller if the iteration is slow.
 *
 * Dense output: the collocation polynomials of q and v. Where q̇ = T(q) v the matrix leaves out that T depends on q: positions then
 * follow the increments only to O(h ω), which index 1 bears best.
 */
#include "base/context.h"
#include "math/dense.h"
#include "method/implicit.h"
#include "method/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STAGES = 3, MOST_FIXED = 12 }; /* iterations of a fixed step, which cannot become smaller */

static const double GAMMA = 3.6378342527444957, ALPHA = 2.6810828736277521,
                    BETA = 3.0504301992474105;
static const double c[STAGES] = {0.15505102572168219, 0.64494897427831781, 1};
static const double A[STAGES][STAGES] = {
    {0.19681547722366043, -0.06553542585019838, 0.023770974348220152},
    {0.39442431473908727, 0.29207341166522846, -0.041548752125997930},
    {0.37640306270046725, 0.51248582618842161, 1.0 / 9},
};
static const double A_inverse[STAGES][STAGES] = {
    {3.2247448713915889, 1.1678400846904055, -0.25319726474218083},
    {-3.5678400846904054, 0.77525512860841096, 1.0531972647421808},
    {5.5319726474218083, -7.5319726474218083, 5},
};
static const double T[STAGES][STAGES] = {
    {9.1232394870892942792e-2, -0.14125529502095420843, -3.0029194105147424492e-2},
    {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
    {0.96604818261509293619, 1, 0},
};
static const double T_inverse[STAGES][STAGES] = {
    {4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
    {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
    {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497},
};
static const double e[STAGES] = {-10.048809399827416, 1.3821427331607490, -1.0 / 3};

static const double LEAST_TOLERANCE = 1e6 * DBL_EPSILON; /* of the estimate; below it is rounding */

/* RADAU5 (Hairer, Wanner, §IV.8), but for `slow`, 1e-3 there, for the power of η, 0.8 there, and for κ (above). */
static const cmb_newton_rule newton = {
    .most = 7,
    .mean = CMB_NEWTON_OF_TWO,
    .diverges = 0.99,
    .predicts = true,
    .spare = 1,
    .slow = 2e-2,
    .eta_new = 1,
    .eta_power = 0.75,
    .eta_least = DBL_EPSILON,
    .kappa = 0.03,
    .roundings = 100,
};

/* RADAU5, but for keep_from, 1 there. After the iteration has failed with a matrix made where the step begins, the next steps stay below
 * the size in question, and come back to it slowly: else every other step would fail where motion turns the matrix faster than
 * accuracy limits h. */
static const cmb_controller control = {
    .kind = CMB_CONTROLLER_PREDICTIVE,
    .order = 4,
    .safety = 0.9,
    .shrink = 0.2,
    .grow = 8,
    .failed = 0.5,
    .iterations = 7,
    .keep_from = 0.95,
    .keep_to = 1.2,
    .first_rejected = 0.1,
    .foreseen = 0.8,
    .below_failure = 0.9,
    .back = 1.05,
};

struct radau5 {
  cmb_form *form;
  cmb_linear *real, *complex;
  double rtol, atol; /* of the error estimate */
  cmb_newton newton; /* what it may leave is a part of that */
  cmb_implicit_projection projection;
  bool tested, strict;
  bool worst; /* sizes are those of the worst number, not the mean of all */

  /* of the stages */
  double *Q[STAGES];                                     /* (nq) */
  double *V[STAGES], *z[STAGES], *w[STAGES], *a[STAGES]; /* (nv) */
  double *lambda[STAGES];                                /* (ng) */
  double *r[STAGES], *position[STAGES], *motion[STAGES]; /* defects */
  double *dv[STAGES], *dw[STAGES], *dl[STAGES];          /* increments */
  double *normal[STAGES], *dn[STAGES]; /* (nv) Ḡᵀ η and its increments; ggl */
  double *rate[STAGES];                /* (nq) T(Q_j) W_j */
  cmb_weights weights;
  double *s_w, *s_v, *e_w, *e_v, *e_q;
  double *a_here, *a_new; /* (nv) where the step begins and where it ends */

  /* the last accepted step, for extrapolation and dense output */
  double *y_stage[STAGES];     /* (n) y_i − y_0 */
  double *lambda_last[STAGES]; /* (ng) */
  double h_tried, h_last;      /* the size of the attempt, and of that step; 0: there is none */

  bool jacobian_here; /* D and K belong to where the step begins */
  bool want_jacobian;
  double h_factored; /* 0: there are no factors */
};

/* ---- creation */

/* One more than is needed: they are worked on two at a time. */
static void take_stages(cmb_integrator *in, int size, double **array)
{
  for (int i = 0; i < STAGES; i++) array[i] = cmb_arena_doubles(in->arena, size + 1);
}

static void take_memory(cmb_integrator *in, struct radau5 *m)
{
  const int nv = in->nv, ng = in->ng, nq = in->nq;
  double **velocities[] = {m->V, m->z, m->w, m->a, m->r, m->dv, m->dw, m->normal, m->dn};
  double **constraints[] = {m->lambda, m->position, m->motion, m->dl, m->lambda_last};
  double **coordinates[] = {m->Q, m->rate};
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

static cmb_form_kind form_of(const cmb_integrator *in)
{
  static const cmb_form_kind kinds[] = {CMB_FORM_INDEX3, CMB_FORM_GGL, CMB_FORM_INDEX1};
  const int choice = cmb_choice(in, "form");
  if (choice > 0) return kinds[choice - 1];
  if (cmb_implicit_prefers_index1(in->ev->eq)) return CMB_FORM_INDEX1;
  return cmb_choice(in, "control") == CMB_CONTROL_STRICT ? CMB_FORM_GGL : CMB_FORM_INDEX3;
}

static void take_tolerances(const cmb_integrator *in, struct radau5 *m)
{
  const double rtol = in->options.rtol;
  const bool strict = m->strict = cmb_choice(in, "control") == CMB_CONTROL_STRICT;
  m->rtol = strict ? fmax(0.4 * pow(rtol, 4.0 / 5), LEAST_TOLERANCE) : 0.1 * pow(rtol, 2.0 / 3);
  m->atol = m->rtol * (in->options.atol / rtol);
  cmb_newton_create(&m->newton, &newton, strict ? sqrt(m->rtol) : 0.5 * cbrt(m->rtol), m->rtol);
  if (in->fixed_step) m->newton.most = MOST_FIXED;
  m->worst = cmb_has_turning_velocities(in->ev->eq) && !in->fixed_step;
  if (m->worst) { /* which is at most the mean times this, and so are roundings */
    const double most = sqrt(STAGES * in->n);
    m->newton.enough = fmax(m->newton.enough, most * newton.roundings * DBL_EPSILON / m->rtol);
  }
}

/* RADAU5's rule for index 3: errors of velocities count h times. */
static bool has_light_velocities(const struct radau5 *m)
{
  return !m->strict && m->form->kind == CMB_FORM_INDEX3;
}

static void warn_of_velocities(const cmb_integrator *in)
{
  cmb_log(in->ctx, CMB_LOG_WARNING,
          "radau5 with control=classic in index 3 counts errors of velocities h times, as RADAU5 "
          "does: they are not held to the tolerance, and in fast mechanisms errors at the end can "
          "be hundreds of tolerances; control=strict holds them");
}

static cmb_status create(cmb_integrator *in)
{
  struct radau5 *m = in->data = cmb_arena_take(in->arena, 1, sizeof *m);
  if (!m) return CMB_OK;
  cmb_form_options options = {.kind = form_of(in),
                              .formalism = (cmb_formalism)cmb_choice(in, "formalism")};
  take_tolerances(in, m);
  m->projection = cmb_implicit_projection_of(in, options.kind);
  m->tested = cmb_choice(in, "multipliers") == 1;
  take_memory(in, m);
  CMB_TRY(cmb_form_create(in->ev, &options, &m->form));
  CMB_TRY(cmb_form_matrix_create(m->form, false, &m->real));
  if (has_light_velocities(m) && !in->fixed_step) warn_of_velocities(in);
  return cmb_form_matrix_create(m->form, true, &m->complex);
}

static void destroy(cmb_integrator *in)
{
  struct radau5 *m = in->data;
  cmb_linear_destroy(m->real);
  cmb_linear_destroy(m->complex);
  cmb_form_destroy(m->form);
}

static cmb_status begin(cmb_integrator *in)
{
  struct radau5 *m = in->data;
  cmb_watch_rank(in->ev, false);
  m->h_last = m->h_factored = 0;
  cmb_controller_restart(&in->control);
  m->want_jacobian = true;
  m->jacobian_here = false;
  cmb_newton_forget(&m->newton);
  in->a = m->a_here;
  return cmb_accelerate(in->ev, in->t, in->y, in->y + in->nq, m->a_here, in->lambda);
}

/* ---- the iteration */

/* D and K where the step begins if they are wanted and not there, and factors for h. */
static cmb_status prepare(cmb_integrator *in, struct radau5 *m, double h)
{
  const double square = ALPHA * ALPHA + BETA * BETA;
  if (m->want_jacobian && !m->jacobian_here) {
    cmb_form_state here = {in->t, in->y, in->y + in->nq, m->a_here, in->lambda};
    m->h_factored = 0;
    CMB_TRY(cmb_form_linearize(m->form, &here, true));
    m->jacobian_here = true;
    m->want_jacobian = false;
  }
  if (h == m->h_factored) return CMB_OK;
  m->h_factored = 0;
  CMB_TRY(cmb_form_factor(m->form, h / GAMMA, 0, m->real));
  CMB_TRY(cmb_form_factor(m->form, h * ALPHA / square, -h * BETA / square, m->complex));
  m->h_factored = h;
  return CMB_OK;
}

/* out = Σ factor_j x_j from place `from` on; two at a time, as combine. */
static inline void sum_up(int n, const double *factor, double *const x[STAGES], int from,
                          double *out)
{
  for (int k = 0; k < n; k += 2) {
    const int at = from + k;
    cmb_lanes_store(factor[0] * cmb_lanes_load(x[0] + at) + factor[1] * cmb_lanes_load(x[1] + at) +
                        factor[2] * cmb_lanes_load(x[2] + at),
                    out + k);
  }
}

/* The collocation polynomials of the last step, continued: z from nodes 0, c1, c2, 1 and λ from c1, c2, 1. */
static void extrapolate(const cmb_integrator *in, struct radau5 *m, double h)
{
  const double s = h / m->h_last;
  for (int i = 0; i < STAGES; i++) {
    const double x = 1 + c[i] * s;
    double of_z[STAGES], of_lambda[STAGES];
    for (int j = 0; j < STAGES; j++) {
      of_lambda[j] = 1;
      for (int k = 0; k < STAGES; k++) {
        if (k != j) of_lambda[j] *= (x - c[k]) / (c[j] - c[k]);
      }
      of_z[j] = of_lambda[j] * x / c[j];
    }
    of_z[2] -= 1; /* from where this step begins */
    double *const *y = m->y_stage, *const *l = m->lambda_last;
    sum_up(in->nv, of_z, y, in->nq, m->z[i]);
    sum_up(in->ng, of_lambda, l, 0, m->lambda[i]);
  }
}

static void start_values(const cmb_integrator *in, struct radau5 *m, double h)
{
  const bool ggl = m->form->kind == CMB_FORM_GGL, rates = in->ev->eq->rates != NULL;
  for (int i = 0; i < STAGES; i++) {
    if (ggl) memset(m->normal[i], 0, (size_t)in->nv * sizeof(double));
    if (rates) memcpy(m->Q[i], in->y, (size_t)in->nq * sizeof(double));
  }
  if (m->h_last > 0) {
    extrapolate(in, m, h);
    return;
  }
  for (int i = 0; i < STAGES; i++) {
    for (int k = 0; k < in->nv; k++) m->z[i][k] = c[i] * h * m->a_here[k];
    memcpy(m->lambda[i], in->lambda, (size_t)in->ng * sizeof(double));
  }
}

/* out_i = factor Σ_j B_ij x_j, each of n numbers; out may be x. Two at a time, one beyond n if need be: the arrays come from the
 * arena, which hands out whole blocks. */
static inline void combine(int n, const double B[STAGES][STAGES], double factor,
                           double *const x[STAGES], double *const out[STAGES])
{
  for (int k = 0; k < n; k += 2) {
    const cmb_lanes x0 = factor * cmb_lanes_load(x[0] + k), x1 = factor * cmb_lanes_load(x[1] + k),
                    x2 = factor * cmb_lanes_load(x[2] + k);
    for (int i = 0; i < STAGES; i++) {
      cmb_lanes_store(B[i][0] * x0 + B[i][1] * x1 + B[i][2] * x2, out[i] + k);
    }
  }
}

/* Q from T(Q) W, Q itself on both sides: a few rounds, each by h |ω| / 2 better, beside what the iteration does anyway. */
static void integrate_rates(const cmb_integrator *in, struct radau5 *m, double h,
                            double *const W[STAGES])
{
  enum { ROUNDS = 3 };
  for (int round = 0; round < ROUNDS; round++) {
    for (int i = 0; i < STAGES; i++) cmb_rates(in->ev, m->Q[i], W[i], m->rate[i]);
    combine(in->nq, A, h, m->rate, m->Q);
    for (int i = 0; i < STAGES; i++) {
      for (int k = 0; k < in->nq; k++) m->Q[i][k] += in->y[k];
    }
  }
}

/* V, a, w and Q of the stages from z, where q̇ = v: w_i = h Σ A_ij (v + z_j), and the rows of A add up to c. */
static void complete_plain(const cmb_integrator *in, struct radau5 *m, double h)
{
  const double inverse = 1 / h;
  double *const *Q = in->ev->eq->rates ? m->rate : m->Q; /* in the first case not meant */
  for (int k = 0; k < in->nv; k += 2) {
    const cmb_lanes z0 = cmb_lanes_load(m->z[0] + k), z1 = cmb_lanes_load(m->z[1] + k),
                    z2 = cmb_lanes_load(m->z[2] + k), v = cmb_lanes_load(in->y + in->nq + k),
                    q = cmb_lanes_load(in->y + k);
    for (int i = 0; i < STAGES; i++) {
      const double *B = A_inverse[i], *C = A[i];
      const cmb_lanes w = h * (c[i] * v + (C[0] * z0 + C[1] * z1 + C[2] * z2));
      cmb_lanes_store(inverse * (B[0] * z0 + B[1] * z1 + B[2] * z2), m->a[i] + k);
      cmb_lanes_store(w, m->w[i] + k);
      cmb_lanes_store(q + w, Q[i] + k);
    }
    cmb_lanes_store(v + z0, m->V[0] + k);
    cmb_lanes_store(v + z1, m->V[1] + k);
    cmb_lanes_store(v + z2, m->V[2] + k);
  }
}

/* The same with η, or T ≠ I. */
static void complete_stages(const cmb_integrator *in, struct radau5 *m, double h)
{
  const int nv = in->nv;
  const bool ggl = m->form->kind == CMB_FORM_GGL && in->ng > 0;
  complete_plain(in, m, h);
  if (!ggl && !in->ev->eq->rates) return;
  double *const *W = ggl ? m->dw : m->V;
  for (int i = 0; ggl && i < STAGES; i++) {
    for (int k = 0; k < nv; k++) W[i][k] = m->V[i][k] - m->normal[i][k];
  }
  combine(nv, A, h, W, m->w);
  if (in->ev->eq->rates) {
    integrate_rates(in, m, h, W);
    return;
  }
  for (int i = 0; i < STAGES; i++) {
    for (int k = 0; k < nv; k++) m->Q[i][k] = in->y[k] + m->w[i][k];
  }
}

static cmb_status stage_defects(cmb_integrator *in, struct radau5 *m, double h)
{
  for (int i = 0; i < STAGES; i++) {
    cmb_form_state at = {in->t + c[i] * h, m->Q[i], m->V[i], m->a[i], m->lambda[i]};
    cmb_defects out = {m->r[i], m->position[i], m->motion[i]};
    CMB_TRY(cmb_form_defects(m->form, &at, &out));
  }
  return CMB_OK;
}

/* The defects taken apart by T⁻¹, and solved for: dv, dw, dl, dn. */
static void solve_stages(const cmb_integrator *in, struct radau5 *m, double h)
{
  const double square = ALPHA * ALPHA + BETA * BETA;
  const cmb_form *form = m->form;
  combine(in->nv, T_inverse, 1, m->r, m->r);
  if (form->has_position) combine(in->ng, T_inverse, 1, m->position, m->position);
  if (form->has_motion) combine(in->ng, T_inverse, 1, m->motion, m->motion);
  const cmb_defects defects[STAGES] = {{m->r[0], m->position[0], m->motion[0]},
                                       {m->r[1], m->position[1], m->motion[1]},
                                       {m->r[2], m->position[2], m->motion[2]}};
  cmb_increment one = {
      .v = {m->dv[0]}, .lambda = {m->dl[0]}, .w = {m->dw[0]}, .normal = {m->dn[0]}};
  cmb_increment two = {.v = {m->dv[1], m->dv[2]},
                       .lambda = {m->dl[1], m->dl[2]},
                       .w = {m->dw[1], m->dw[2]},
                       .normal = {m->dn[1], m->dn[2]}};
  const cmb_defects single[2] = {defects[0], defects[0]};
  cmb_form_solve(m->form, 1, h / GAMMA, 0, m->real, single, &one);
  cmb_form_solve(m->form, 2, h * ALPHA / square, -h * BETA / square, m->complex, defects + 1, &two);
}

/* x += T d for the increments d of the stages, taken apart; d is put together, too. */
static inline void put_together(int n, double *const d[STAGES], double *const x[STAGES])
{
  for (int k = 0; k < n; k += 2) {
    const cmb_lanes d0 = cmb_lanes_load(d[0] + k), d1 = cmb_lanes_load(d[1] + k),
                    d2 = cmb_lanes_load(d[2] + k);
    for (int i = 0; i < STAGES; i++) {
      const cmb_lanes sum = T[i][0] * d0 + T[i][1] * d1 + T[i][2] * d2;
      cmb_lanes_store(sum, d[i] + k);
      cmb_lanes_store(cmb_lanes_load(x[i] + k) + sum, x[i] + k);
    }
  }
}

/* square[i] = cmb_weighted_square of x[i] */
static inline void squares_of_stages(int n, const double *w, double *const x[STAGES],
                                     double square[STAGES])
{
  cmb_lanes sum[STAGES] = {{0, 0}};
  int k = 0;
  for (; k + 1 < n; k += 2) {
    const cmb_lanes weight = cmb_lanes_load(w + k);
    for (int i = 0; i < STAGES; i++) {
      const cmb_lanes part = weight * cmb_lanes_load(x[i] + k);
      sum[i] += part * part;
    }
  }
  for (int i = 0; i < STAGES; i++) {
    const double last = k < n ? w[k] * x[i][k] : 0;
    square[i] = sum[i][0] + sum[i][1] + last * last;
  }
}

/* The largest increment of a stage. */
static double worst_increment(const cmb_integrator *in, const struct radau5 *m,
                              double *const dq[STAGES])
{
  const cmb_weights *w = &m->weights;
  double most = 0;
  for (int i = 0; i < STAGES; i++) {
    most = cmb_larger_error(cmb_weighted_worst(in->nq, w->q, dq[i]), most);
    most = cmb_larger_error(cmb_weighted_worst(in->nv, w->v, m->dv[i]), most);
    most = cmb_larger_error(cmb_weighted_worst(in->ng, w->l, m->dl[i]), most);
  }
  return sqrt(most);
}

/* The increments are made; their size in the units of the error estimate. */
static double move_stages(const cmb_integrator *in, struct radau5 *m)
{
  const bool rates = in->ev->eq->rates != NULL;
  double *const *dq = rates ? m->rate : m->dw;
  put_together(in->nv, m->dv, m->z);
  put_together(in->ng, m->dl, m->lambda);
  combine(in->nv, T, 1, m->dw, m->dw);
  if (m->form->kind == CMB_FORM_GGL) put_together(in->nv, m->dn, m->normal);
  for (int i = 0; rates && i < STAGES; i++) cmb_rates(in->ev, in->y, m->dw[i], m->rate[i]);
  for (int i = 0; i < STAGES; i++) {
    cmb_drop_rounding(m->form, m->newton.enough, m->h_factored / GAMMA, m->real, m->weights.v,
                      m->dv[i]);
  }
  if (m->worst) return worst_increment(in, m, dq);
  double sum = 0, of_q[STAGES], of_v[STAGES], of_lambda[STAGES];
  squares_of_stages(in->nq, m->weights.q, dq, of_q);
  squares_of_stages(in->nv, m->weights.v, m->dv, of_v);
  squares_of_stages(in->ng, m->weights.l, m->dl, of_lambda);
  for (int i = 0; i < STAGES; i++) sum += of_q[i] + of_v[i], sum += of_lambda[i];
  return sqrt(sum / (STAGES * in->n));
}

/* Nothing that is not finite may stay behind the ends of the arrays, which are worked on two at a time. */
static void clear_increments(const cmb_integrator *in, struct radau5 *m)
{
  double **velocities[] = {m->z, m->dv, m->dw, m->dn, m->normal},
         **constraints[] = {m->lambda, m->dl};
  for (int i = 0; i < STAGES; i++) {
    for (size_t k = 0; k < sizeof velocities / sizeof *velocities; k++) {
      memset(velocities[k][i], 0, (size_t)(in->nv + 1) * sizeof(double));
    }
    for (size_t k = 0; k < sizeof constraints / sizeof *constraints; k++) {
      memset(constraints[k][i], 0, (size_t)(in->ng + 1) * sizeof(double));
    }
  }
}

static cmb_status iterate(cmb_integrator *in, struct radau5 *m, double h)
{
  for (cmb_newton_begin(&m->newton); !m->newton.arrived;) {
    complete_stages(in, m, h);
    CMB_TRY(stage_defects(in, m, h));
    solve_stages(in, m, h);
    in->ev->stats.newton++;
    const cmb_status status = cmb_newton_judge(&m->newton, move_stages(in, m));
    if (status == CMB_RETRY_NONFINITE) clear_increments(in, m);
    CMB_TRY(status);
  }
  return CMB_OK;
}

/* ---- the step */

static double size_of_error(const cmb_integrator *in, struct radau5 *m)
{
  const double *e_q = m->e_w;
  if (in->ev->eq->rates) {
    cmb_rates(in->ev, in->y, m->e_w, m->e_q);
    e_q = m->e_q;
  }
  double *e_v = memcpy(m->dv[0], m->e_v, (size_t)in->nv * sizeof *e_v);
  if (m->strict) cmb_drop_crossing(m->form, m->real, e_v);
  const cmb_weights *w = &m->weights;
  const double size = m->worst ? cmb_larger_error(cmb_weighted_worst(in->nq, w->error_q, e_q),
                                                  cmb_weighted_worst(in->nv, w->error_v, e_v))
                               : (cmb_weighted_square(in->nq, w->error_q, e_q) +
                                  cmb_weighted_square(in->nv, w->error_v, e_v)) /
                                     in->n;
  return cmb_larger_error(sqrt(size), 1e-10);
}

/* How far the multipliers of the last stage are from those that belong to the new state. */
static double multiplier_error(const cmb_integrator *in, struct radau5 *m)
{
  for (int k = 0; k < in->ng; k++) m->dl[2][k] = m->lambda[2][k] - in->lambda_new[k];
  return in->ng > 0 ? sqrt(cmb_weighted_square(in->ng, m->weights.l, m->dl[2]) / in->ng) : 0;
}

/* After a step that was rejected, or the first, the estimate is smoothed again: with the defect at y_0 + error. */
static cmb_status estimate_error(cmb_integrator *in, struct radau5 *m, double h, double *error)
{
  const double *v = in->y + in->nq;
  const double factor[STAGES] = {e[0] / h, e[1] / h, e[2] / h};
  sum_up(in->nv, factor, m->w, 0, m->s_w);
  sum_up(in->nv, factor, m->z, 0, m->s_v);
  cmb_add_scaled(in->nv, 1, v, m->s_w);
  cmb_add_scaled(in->nv, 1, m->a_here, m->s_v);
  cmb_form_smooth(m->form, h / GAMMA, m->real, m->s_w, m->s_v, m->e_w, m->e_v);
  *error = size_of_error(in, m);
  if (*error < 1 || (m->h_last > 0 && in->rejections == 0)) return CMB_OK;
  for (int k = 0; k < in->nv; k++) m->V[0][k] = v[k] + m->e_v[k], m->s_w[k] += m->e_v[k];
  cmb_rates(in->ev, in->y, m->e_w, m->rate[0]);
  for (int k = 0; k < in->nq; k++) m->Q[0][k] = in->y[k] + m->rate[0][k];
  CMB_TRY(cmb_accelerate(in->ev, in->t, m->Q[0], m->V[0], m->a[0], in->lambda_new));
  for (int k = 0; k < in->nv; k++) m->s_v[k] += m->a[0][k] - m->a_here[k];
  cmb_form_smooth(m->form, h / GAMMA, m->real, m->s_w, m->s_v, m->e_w, m->e_v);
  *error = size_of_error(in, m);
  return CMB_OK;
}

static cmb_status attempt(cmb_integrator *in, double h, double *error)
{
  struct radau5 *m = in->data;
  m->h_tried = h;
  m->newton.excess =
      0; /* that of an earlier attempt says nothing if this one does not come so far */
  CMB_TRY(prepare(in, m, h));
  const cmb_tolerance tolerance = {m->form, m->rtol, m->atol, m->newton.enough, 1};
  cmb_weights_at(in, &tolerance, h, &m->weights);
  if (has_light_velocities(m)) cmb_weigh_velocity_errors(in, h, &m->weights);
  start_values(in, m, h);
  cmb_status status = iterate(in, m, h);
  if (status > 0 && !m->jacobian_here) {
    m->want_jacobian = true;
    if (in->fixed_step) { /* which cannot become smaller */
      CMB_TRY(prepare(in, m, h));
      start_values(in, m, h);
      status = iterate(in, m, h);
    }
  }
  CMB_TRY(status);
  complete_stages(in, m, h);
  CMB_TRY(estimate_error(in, m, h, error));
  memcpy(in->y_new, m->Q[2], (size_t)in->nq * sizeof(double));
  memcpy(in->y_new + in->nq, m->V[2], (size_t)in->nv * sizeof(double));
  memcpy(in->lambda_new, m->lambda[2], (size_t)in->ng * sizeof(double));
  memcpy(m->a_new, m->a[2], (size_t)in->nv * sizeof(double));
  if (*error > 1 && !in->fixed_step) return CMB_OK;
  CMB_TRY(cmb_implicit_project(in, m->projection, in->t + h, m->a_new));
  if (m->tested) *error = cmb_larger_error(*error, multiplier_error(in, m));
  return CMB_OK;
}

static double propose(cmb_integrator *in, double h, double error, cmb_status status)
{
  struct radau5 *m = in->data;
  const cmb_newton *n = &m->newton;
  const cmb_controller_step step = {h, error, in->rejections, n->iterations};
  if (status == CMB_RETRY_NEWTON && m->jacobian_here) {
    cmb_controller_stay_below(&control, &in->control, h);
  }
  if (status != CMB_OK) return h * cmb_controller_failure(&control, n->excess, n->left);
  if (error <= 1)
    return cmb_controller_predict(&control, &in->control, &step, !cmb_newton_is_slow(n));
  if (!m->jacobian_here) m->want_jacobian = true;
  return cmb_controller_predict_rejected(&control, &step, m->h_last == 0);
}

/* out = x − y, two at a time; what lies behind out must be free. */
static inline void subtract(int n, const double *x, const double *y, double *out)
{
  for (int k = 0; k < n; k += 2) {
    cmb_lanes_store(cmb_lanes_load(x + k) - cmb_lanes_load(y + k), out + k);
  }
}

static void accept(cmb_integrator *in)
{
  struct radau5 *m = in->data;
  double *free_a = m->a_here;
  m->a_here = m->a_new, m->a_new = free_a;
  in->a = m->a_here;
  for (int i = 0; i < STAGES; i++) {
    const double *y[2] = {i < 2 ? m->Q[i] : in->y_new, i < 2 ? m->V[i] : in->y_new + in->nq};
    subtract(in->nq, y[0], in->y, m->y_stage[i]);
    subtract(in->nv, y[1], in->y + in->nq, m->y_stage[i] + in->nq);
    double *free_lambda = m->lambda_last[i];
    m->lambda_last[i] = m->lambda[i], m->lambda[i] = free_lambda;
  }
  m->jacobian_here = false;
  m->want_jacobian = cmb_newton_is_slow(&m->newton);
  m->h_last = m->h_tried;
}

static void interpolate(const cmb_integrator *in, double theta, double *y)
{
  const struct radau5 *m = in->data;
  double of[STAGES];
  for (int j = 0; j < STAGES; j++) {
    of[j] = theta / c[j];
    for (int k = 0; k < STAGES; k++) {
      if (k != j) of[j] *= (theta - c[k]) / (c[j] - c[k]);
    }
  }
  for (int k = 0; k < in->n; k++) {
    y[k] = in->y_before[k] + of[0] * m->y_stage[0][k] + of[1] * m->y_stage[1][k] +
           of[2] * m->y_stage[2][k];
  }
}

static const cmb_option options[] = {
    {"form", "auto|index3|ggl|index1", "auto",
     "constraints of positions; of positions and velocities, stabilised; of accelerations; auto: "
     "ggl, index3 with classic control, but index1 with Euler parameters or where q' is not v"},
    CMB_OPTION_CONTROL("RADAU5"),
    CMB_OPTION_FORMALISM,
    CMB_OPTION_IMPLICIT_PROJECTION,
    CMB_OPTION_MULTIPLIERS,
    CMB_OPTION_STEPS,
};

const cmb_method cmb_method_radau5 = {
    .name = "radau5",
    .title = "Radau IIA of order 5, for stiff systems (Hairer, Wanner)",
    .order = 5,
    .control = &control,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .implicit = true,
    .create = create,
    .begin = begin,
    .attempt = attempt,
    .accept = accept,
    .nodes = c,
    .node_count = sizeof c / sizeof *c,
    .dense_degree = 3,
    .interpolate = interpolate,
    .propose = propose,
    .destroy = destroy,
};
