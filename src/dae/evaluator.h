/*
 * The evaluator: one thread's access to a set of equations. All methods evaluate and solve the equations through it.
 *
 * The equations are shared and never written; the evaluator owns the data of one run: the modes, the scratch memory, the matrices
 * of the last evaluation, the KKT factors and the counters. So the evaluations of every method are counted, checked for NaN and
 * made with frozen modes in the same way.
 *
 * Functions return a positive status if a smaller step may help. They write no error message then; the caller, who knows when and
 * why it happened, gets the text from cmb_evaluator_blame.
 */
#ifndef CMB_DAE_EVALUATOR_H
#define CMB_DAE_EVALUATOR_H

#include "base/arena.h"
#include "math/kkt.h"

#include <camber/dae.h>

/* Returns whether switching function i belongs to dry friction that can hold with a larger force than it exerts while it
 * slides. */
static inline bool cmb_switch_sticks(const cmb_equations *eq, int i)
{
  return eq->switch_sticks && eq->switch_sticks[i];
}

/* Returns the mode of switching function i at a point, as programs read it: that of sticking friction, at->grip[i] (used by steps
 * of fixed cost), if this is not 0, else at->mode[i]. */
static inline double cmb_real_mode(const cmb_point *at, int i)
{
  return at->grip && at->grip[i] != 0 ? at->grip[i] : at->mode[i];
}

typedef struct cmb_evaluator {
  cmb_context *ctx;
  const cmb_equations *eq;
  cmb_arena *arena;
  cmb_kkt *kkt;
  /* what every point has, in the order of cmb_point, so that it is copied at once */
  /* (ns) modes: signs +1 or −1 of the switching functions, whole numbers for levels */
  int *mode;
  void *scratch;
  const double *p; /* (np) values of the live parameters; NULL: those of the equations */
  /* (ns) modes of sticking friction, for steps of fixed cost (see cmb_point); NULL: no friction sticks */
  double *grip;
  cmb_statistics stats;

  /* results of the last evaluation */
  /* mass matrix; if it is constant it is filled once, for the first factorisation */
  double *M;
  double *M_scratch; /* scratch of the mass matrix's factors, if the equations give M by factors */
  double *G;         /* (ng x nv) constraint Jacobian */
  double *f;         /* (nv) forces */
  double *g;         /* (ng) position constraints */
  double *gamma;     /* (ng) velocity-dependent part of G a + γ */
  double *gt;        /* (ng) ∂g/∂t */

  bool mass_ready;   /* a constant mass matrix has been factored */
  bool factors_near; /* the KKT factors belong to the point last evaluated or to one near it */

  /* dependent constraints */
  /* number of constraints that are dependent everywhere, as far as is known */
  int redundant;
  /* number of dependent constraints in the current factors, valid if *doubtful */
  int deficiency;
  /* whether the constraints in the current factors are dependent or nearly so */
  const bool *doubtful;
  bool watching;  /* nearly dependent constraints are treated specially (branch.h) */
  double *length; /* (ng) usual lengths of the constraint gradients in the metric of M⁻¹ */
  /* (ng) largest change of each g when q is displaced by a part of the coordinates' sizes */
  double *extent;
  struct cmb_branch *branch; /* scratch of branch.c */

  /* surfaces of the rules as constraints u = 0 (see cmb_surfaces) */
  double *u, *ut, *u_gamma; /* (rule_count) u, ∂u/∂t, and the velocity-dependent part of ü */
  double *U;                /* (rule_count x nv) gradients of u, on U_pattern */

  double *zero; /* (nv) zeros, never written */

  /* late states: their rates (nl), and a second evaluator that computes the accelerations and multipliers which these rates depend
   * on; NULL: no late states */
  double *late;
  struct cmb_evaluator *aside;
  double *late_a, *late_lambda; /* (nv), (ng) results of the second evaluator */

  /* scratch of the projections */
  double *w, *dw;     /* (nv) displacement and its increment in the directions of v */
  double *tau, *dtau; /* (ng) their multipliers */
  double *dq;         /* (nq) increment of q */
  /* ‖τ‖² of the last projection of positions, from its first increment (Simeon 1996, eq. 8) */
  double tau_square;
  double eta_square; /* ‖η‖² of the last projection of velocities (Simeon 1996, eq. 9) */
  double *q_given;   /* (nq) start positions as given */
  double *v_given;   /* (nv) start velocities as given */
  double *q_trial;   /* (nq) position under trial */
} cmb_evaluator;

/* Clears the modes of sticking friction ev->grip (ns) for steps of fixed cost, if there are any: they become 0, unknown. */
static inline void cmb_forget_grip(cmb_evaluator *ev)
{
  for (int i = 0; ev->grip && i < ev->eq->ns; i++) ev->grip[i] = 0;
}

cmb_status cmb_evaluator_create(cmb_context *ctx, const cmb_equations *eq, cmb_evaluator **ev);
void cmb_evaluator_destroy(cmb_evaluator *ev);

/* Returns the point (t, q, v) at which equations are evaluated, with the evaluator's modes, live parameters and scratch memory. */
static inline cmb_point cmb_evaluator_point(const cmb_evaluator *ev, double t, const double *q,
                                            const double *v)
{
  return (cmb_point){t, q, v, ev->mode, ev->scratch, ev->p, ev->grip};
}

/* Returns the box (intervals of the time t and of the positions q (nq)) over which functions of the equations are bounded, with the
 * evaluator's modes, live parameters and scratch memory; velocities and rates are not set. */
static inline cmb_box cmb_evaluator_box(const cmb_evaluator *ev, cmb_interval t,
                                        const cmb_interval *q)
{
  return (cmb_box){.t = t, .q = q, .mode = ev->mode, .scratch = ev->scratch, .p = ev->p};
}

/* Evaluate the terms among M, f, g, G, γ, g_t whose arrays in `want` are not NULL, at (t, q, v) or at a point that cmb_evaluator_point has
 * returned. Do not check them for NaN and Inf, which propagate through the linear solves, so that the caller checks the final result; only
 * the accelerations that late states depend on are checked. */
cmb_status cmb_evaluate(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const cmb_terms *want);
cmb_status cmb_evaluate_at(cmb_evaluator *ev, const cmb_point *at, const cmb_terms *want);

/* Overwrites the rows of late states in the residual r (nv) by a − rate, where the rate is computed from the accelerations and
 * multipliers at (t, q, v). Does nothing without late states. */
cmb_status cmb_late_residual(cmb_evaluator *ev, double t, const double *q, const double *v,
                             const double *a, double *r);

/* Computes qdot := T(q) v. */
void cmb_rates(const cmb_evaluator *ev, const double *q, const double *v, double *qdot);

/* Returns the array into which M is to be evaluated before cmb_factor, or NULL if the constant mass matrix has already been
 * factored. Pass the same pointer to cmb_factor. */
double *cmb_mass_wanted(cmb_evaluator *ev);

/* cmb_factor factors the matrix [M Bᵀ; G 0]; B == NULL means B = G. Dependent constraints are solved in the sense of least squares and
 * least norm (math/kkt.h) and counted in `deficiency`; if B ≠ G and more are dependent than `redundant`, or if a loss of rank is refused
 * (cmb_kkt_refuse), it returns CMB_RETRY_SINGULAR. cmb_solve solves M x + Bᵀ y = r, G x = −s with these factors; r == NULL means r = 0.
 * Both are counted in `stats`. */
cmb_status cmb_factor(cmb_evaluator *ev, const double *M, const double *G, const double *B);
void cmb_solve(cmb_evaluator *ev, const double *r, const double *s, double *x, double *y);

/* Refines the solution x, y of M x + Gᵀ y = r, G x = 0 once: solves for the residual that rounding has left, with the M and G that
 * were factored, and adds the correction to x and y. */
void cmb_solve_again(cmb_evaluator *ev, const double *r, double *x, double *y);

/* Computes the Newton correction x (nv) for the defect s (ng) of g or of G v + g_t (cmb_kkt_correct), and its multipliers y (ng)
 * with M x + Gᵀ y = 0; for dependent constraints those of least norm. y and s may be the same array. Counted as a solve. */
void cmb_correct(cmb_evaluator *ev, const double *s, double *x, double *y);

/* Fails with a message if the equations give M by its factors only. For callers who need its entries. */
cmb_status cmb_require_mass_entries(const cmb_evaluator *ev);

/* Computes y := M x with the evaluator's mass matrix; x and y (nv). */
void cmb_multiply_mass(const cmb_evaluator *ev, const double *x, double *y);

/* Computes the accelerations a and multipliers λ at (t, q, v) (Simeon 1996 eq. (4)). Uses the equations' own explicit formalism if they
 * have one, except near a loss of rank; then no factors are made and `factors_near` becomes false. */
cmb_status cmb_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v, double *a,
                          double *lambda);

/* Computes the accelerations a and multipliers λ at (t, q, v) from M, f, G and γ, even if the equations have an explicit formalism.
 * G and the factors remain in the evaluator. */
cmb_status cmb_factor_and_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v,
                                     double *a, double *lambda);

/* Compute accelerations in two halves, between which velocities can be projected. cmb_factor_at evaluates M, G, g_t at (t, q) and
 * makes the factors; cmb_accelerate_factored evaluates f and γ at (t, q, v) and solves for a and λ with these factors. */
cmb_status cmb_factor_at(cmb_evaluator *ev, double t, const double *q);
cmb_status cmb_accelerate_factored(cmb_evaluator *ev, double t, const double *q, const double *v,
                                   double *a, double *lambda);

/* cmb_surfaces evaluates the surfaces u = 0 of all rules at (t, q, v) into the evaluator's u, ut, u_gamma and U; cmb_surface_row
 * copies the gradient of one of them to a dense row (nv). */
cmb_status cmb_surfaces(cmb_evaluator *ev, double t, const double *q, const double *v);
void cmb_surface_row(const cmb_evaluator *ev, int rule, double *row);

/* Returns the absolutely largest entry of the gradient of a rule's surface, 1 if the gradient vanishes. Divided by it, u is the
 * distance from the surface, whatever the units of its formula are. */
double cmb_surface_size(const cmb_evaluator *ev, int rule);

/* Returns whether the multipliers computed with the current factors are unique. If not, writes for each whether it is, into unique
 * (ng). */
bool cmb_unique_multipliers(const cmb_evaluator *ev, bool *unique);

/* Computes the residual r := M a − f + Gᵀ λ. */
cmb_status cmb_residual(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const double *a, const double *lambda, double *r);

/* Returns the number of values that the equations' function `outputs` writes: no outputs, then nh next values of sampled
 * variables. */
static inline int cmb_observed(const cmb_equations *eq)
{
  return eq->no + eq->nh;
}

/* cmb_switches evaluates the switching functions, s (ns). cmb_levels writes the modes (ns) with the levels updated for this point.
 * cmb_outputs evaluates the outputs, and writes the next sampled values behind them (`out` has cmb_observed entries); none is ever −0,
 * because the sign of a zero only shows whether an input of 0 was folded into the expressions (0 + x is x, 0·x is 0) or is added and
 * multiplied at run time, as in exported code. */
cmb_status cmb_switches(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const double *lambda, double *s);
cmb_status cmb_levels(cmb_evaluator *ev, double t, const double *q, const double *v,
                      const double *lambda, int *mode);
cmb_status cmb_outputs(cmb_evaluator *ev, double t, const double *q, const double *v,
                       const double *a, const double *lambda, double *out);

/* Evaluates the same values as cmb_outputs, cmb_observed in number, without a check: outputs may be NaN or infinite. */
cmb_status cmb_next_samples(cmb_evaluator *ev, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double *out);

/* cmb_conditions writes which conditions of the user's events are met in the evaluator's modes (dae.h). cmb_resets evaluates the
 * linear equations R (v⁺ − v⁻) = change by which resets change the velocities. */
cmb_status cmb_conditions(cmb_evaluator *ev, double t, const double *q, const double *v,
                          const double *lambda, bool *met);
cmb_status cmb_resets(cmb_evaluator *ev, double t, const double *q, const double *v,
                      const double *lambda, double *R, double *change);

/* Computes the 2-norms of g, the position residual, and of G v + g_t, the velocity residual, at (t, q, v). */
cmb_status cmb_constraint_residuals(cmb_evaluator *ev, double t, const double *q, const double *v,
                                    double *position, double *velocity);

/* Writes the text for a recoverable status that turned out to be final to `text` and returns it, for example "the constraints lost
 * rank: constraint 'closing distance' depends on the others". */
const char *cmb_evaluator_blame(const cmb_evaluator *ev, cmb_status status, size_t room,
                                char *text);

/* Returns the name of the constraint that cmb_evaluator_blame mentions; NULL: none. */
const char *cmb_evaluator_blamed(const cmb_evaluator *ev, cmb_status status);

/* Returns the name of an implicit function that had no root at the point last evaluated; NULL: none. */
const char *cmb_evaluator_unsolved(const cmb_evaluator *ev);

#endif
