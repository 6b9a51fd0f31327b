/*
 * The evaluator: one thread's access to a set of equations.
 *
 * The equations are shared and never written; the evaluator owns what belongs to one run: the mode, the
 * scratch memory, the matrices of the last evaluation, the KKT factors, the counters. Every method
 * works through it, so every method is counted, checked for NaN and frozen in its mode alike.
 *
 * Functions return > 0 for what a smaller step may cure. They leave the words to the caller, who knows
 * when and why; cmb_evaluator_blame supplies them.
 */
#ifndef CMB_DAE_EVALUATOR_H
#define CMB_DAE_EVALUATOR_H

#include "base/arena.h"
#include "math/kkt.h"

#include <camber/dae.h>

/* Whether function i is one of friction that can hold more than it exerts while it slips. */
static inline bool cmb_switch_sticks(const cmb_equations *eq, int i)
{
  return eq->switch_sticks && eq->switch_sticks[i];
}

/* The mode of function i as programs read it. */
static inline double cmb_real_mode(const cmb_point *at, int i)
{
  return at->grip && at->grip[i] != 0 ? at->grip[i] : at->mode[i];
}

typedef struct cmb_evaluator {
  cmb_context *ctx;
  const cmb_equations *eq;
  cmb_arena *arena;
  cmb_kkt *kkt;
  int *mode;    /* (ns) signs of the switching functions, +1 or -1; whole numbers for levels */
  double *grip; /* (ns) as in cmb_point, for steps of fixed cost; NULL: no friction sticks */
  void *scratch;
  const double *p; /* (np) values of live parameters; NULL: those of the equations */
  cmb_statistics stats;

  /* of the last evaluation */
  double *M;         /* mass matrix; constant mass: filled once, at creation */
  double *M_scratch; /* of the mass factors, if the equations have them */
  double *G;         /* (ng x nv) */
  double *f;         /* (nv) */
  double *g;         /* (ng) */
  double *gamma;     /* (ng) */
  double *gt;        /* (ng) */

  bool mass_ready;   /* a constant mass matrix has been factored */
  bool factors_near; /* the KKT factors belong to the point last evaluated, or one near it */

  /* dependent constraints */
  int redundant;        /* how many are dependent everywhere, as far as is known */
  int deficiency;       /* how many are in the factors held, if these are doubtful */
  const bool *doubtful; /* whether they are dependent or nearly so in the factors held */
  bool watching;        /* nearly dependent ones get special care (branch.h) */
  double *length;       /* (ng) lengths of gradients as they usually are, in the metric of M⁻¹ */
  double *extent;       /* (ng) how much g changes when q changes by a part */
  struct cmb_branch *branch; /* scratch of branch.c */

  /* surfaces of the rules, as constraints (cmb_surfaces) */
  double *u, *ut, *u_gamma; /* (rule_count) */
  double *U;                /* (rule_count x nv) on its pattern */

  double *zero; /* (nv) never written */

  /* late states: their rates (nl), and one who finds the accelerations and multipliers that these read; NULL: there are none */
  double *late;
  struct cmb_evaluator *aside;
  double *late_a, *late_lambda; /* (nv), (ng) */

  /* scratch of the projections */
  double *w, *dw;     /* (nv) displacement and increment in the directions of v */
  double *tau, *dtau; /* (ng) their multipliers */
  double *dq;         /* (nq) increment of q */
  double tau_square; /* ‖τ‖² of the last projection of positions, from its first increment, */
  double eta_square; /* and ‖η‖² of the last one of velocities (Simeon 1996, eqs. 8 and 9) */
  double *q_given;   /* (nq) start values as given */
  double *v_given;   /* (nv) */
  double *q_trial;   /* (nq) */
} cmb_evaluator;

/* Nothing is known of what friction that sticks holds. */
static inline void cmb_forget_grip(cmb_evaluator *ev)
{
  for (int i = 0; ev->grip && i < ev->eq->ns; i++) ev->grip[i] = 0;
}

cmb_status cmb_evaluator_create(cmb_context *ctx, const cmb_equations *eq, cmb_evaluator **ev);
void cmb_evaluator_destroy(cmb_evaluator *ev);

/* Where the equations are to be evaluated, with the evaluator's modes, parameters and scratch memory; and over which times and
 * positions, without rates. */
static inline cmb_point cmb_evaluator_point(const cmb_evaluator *ev, double t, const double *q,
                                            const double *v)
{
  return (cmb_point){t, q, v, ev->mode, ev->scratch, ev->p, ev->grip};
}

static inline cmb_box cmb_evaluator_box(const cmb_evaluator *ev, cmb_interval t,
                                        const cmb_interval *q)
{
  return (cmb_box){.t = t, .q = q, .mode = ev->mode, .scratch = ev->scratch, .p = ev->p};
}

/* What is wanted of M, f, g, G, γ, g_t at (t, q, v). Whoever computes something from it checks that it is
 * finite: NaN and Inf pass through the solves, so that one look at the end will do. */
cmb_status cmb_evaluate(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const cmb_terms *want);

/* Rows of late states in a residual r that the equations gave, or in their accelerations: with v̇ and λ as they are. */
cmb_status cmb_late_residual(cmb_evaluator *ev, double t, const double *q, const double *v,
                             const double *a, double *r);

/* q̇ = T(q) v */
void cmb_rates(const cmb_evaluator *ev, const double *q, const double *v, double *qdot);

/* Factor [M Bᵀ; G 0] and solve with it, counted. A constant mass matrix is evaluated and factored only
 * once: cmb_mass_wanted gives the array to fill, or NULL when M is not needed any more; the same pointer
 * then goes to cmb_factor. B == NULL: B = G. r == NULL: r = 0.
 */
double *cmb_mass_wanted(cmb_evaluator *ev);

/* Dependent constraints are solved in the sense of least squares and least norm (math/kkt.h), and counted in `deficiency`. If
 * B ≠ G and there are more of them than `redundant`: CMB_RETRY_SINGULAR. */
cmb_status cmb_factor(cmb_evaluator *ev, const double *M, const double *G, const double *B);
void cmb_solve(cmb_evaluator *ev, const double *r, const double *s, double *x, double *y);

/* M x + Gᵀ y = r, G x = 0 has been solved by the factors at hand: what rounding has left of these equations is solved for once more, with
 * the M and G that were factored, and added to x and y. */
void cmb_solve_again(cmb_evaluator *ev, const double *r, double *x, double *y);

/* Newton's correction for the defect s of g or of G v + g_t, counted as a solve (cmb_kkt_correct); and its multipliers y, with
 * M x + Gᵀ y = 0, of dependent constraints those of least norm. y may be s. */
void cmb_correct(cmb_evaluator *ev, const double *s, double *x, double *y);

/* Fails in words where the equations give M by its factors: for those who need its entries. */
cmb_status cmb_require_mass_entries(const cmb_evaluator *ev);

/* y = M x with the evaluator's mass matrix. */
void cmb_multiply_mass(const cmb_evaluator *ev, const double *x, double *y);

/* Simeon 1996 eq. (4): accelerations a and multipliers λ at (t, q, v), by the equations' own explicit formalism if they
 * have one: then there are no factors (`factors_near`). */
cmb_status cmb_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v, double *a,
                          double *lambda);

/* The same by M, f, G and γ in any case. G and the factors stay. */
cmb_status cmb_factor_and_accelerate(cmb_evaluator *ev, double t, const double *q, const double *v,
                                     double *a, double *lambda);

/* The same in two halves: M, G, g_t at (t, q) and the factors; then f, γ at (t, q, v) and the solution
 * with these factors. Between them velocities can be projected. */
cmb_status cmb_factor_at(cmb_evaluator *ev, double t, const double *q);
cmb_status cmb_accelerate_factored(cmb_evaluator *ev, double t, const double *q, const double *v,
                                   double *a, double *lambda);

/* The surfaces of all rules at (t, q, v), into u, ut, u_gamma and U; and the gradient (nv) of one of them, written out. */
cmb_status cmb_surfaces(cmb_evaluator *ev, double t, const double *q, const double *v);
void cmb_surface_row(const cmb_evaluator *ev, int rule, double *row);

/* The largest entry of that gradient, 1 where it vanishes: a surface is as far away as velocities have to act for it, |u| / size, whatever the
 * units of its formula are. */
double cmb_surface_size(const cmb_evaluator *ev, int rule);

/* Whether the multipliers solved for with the factors held are the only ones; else unique (ng) tells which are. */
bool cmb_unique_multipliers(const cmb_evaluator *ev, bool *unique);

/* r = M a − f + Gᵀ λ */
cmb_status cmb_residual(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const double *a, const double *lambda, double *r);

/* The outputs, and what sampled values become: all that `outputs` puts. */
static inline int cmb_observed(const cmb_equations *eq)
{
  return eq->no + eq->nh;
}

/* Switching functions, the modes with the levels that belong to this point, and outputs. An output is never −0: the sign of a 0 only tells
 * whether an input of 0 was folded into the expressions (0 + x is x, 0·x is 0) or is added and multiplied, as in exported code. */
cmb_status cmb_switches(cmb_evaluator *ev, double t, const double *q, const double *v,
                        const double *lambda, double *s);
cmb_status cmb_levels(cmb_evaluator *ev, double t, const double *q, const double *v,
                      const double *lambda, int *mode);
cmb_status cmb_outputs(cmb_evaluator *ev, double t, const double *q, const double *v,
                       const double *a, const double *lambda, double *out);

/* The same for what sampled values become: all of cmb_observed, and nothing is said of what is not finite. */
cmb_status cmb_next_samples(cmb_evaluator *ev, double t, const double *q, const double *v,
                            const double *a, const double *lambda, double *out);

/* Events of the user's, with the evaluator's modes (dae.h): which conditions are met; what resets ask of the velocities. */
cmb_status cmb_conditions(cmb_evaluator *ev, double t, const double *q, const double *v,
                          const double *lambda, bool *met);
cmb_status cmb_resets(cmb_evaluator *ev, double t, const double *q, const double *v,
                      const double *lambda, double *R, double *change);

/* 2-norms of g and of G v + g_t at (t, q, v). */
cmb_status cmb_constraint_residuals(cmb_evaluator *ev, double t, const double *q, const double *v,
                                    double *position, double *velocity);

/* The words for a recoverable status that turned out to be final: "the constraints lost rank:
 * `closing distance` depends on the others". Writes to text, returns it. */
const char *cmb_evaluator_blame(const cmb_evaluator *ev, cmb_status status, size_t room,
                                char *text);

/* The constraint that these words name; NULL: none. */
const char *cmb_evaluator_blamed(const cmb_evaluator *ev, cmb_status status);

/* An implicit function without a root at the point that was last evaluated; NULL: none. */
const char *cmb_evaluator_unsolved(const cmb_evaluator *ev);

#endif
