/*
 * Solves impacts for rules.c: velocities that jump because an event of the model resets them.
 *
 * A rule's reset quantities ask for R (v⁺ − v⁻) = change. Of all velocities that do so and satisfy the constraints, the nearest in
 * the metric of M are taken, since then nothing acts but impulses along what is reset, and those of the constraints:
 *
 *     M (v⁺ − v⁻) = Rᵀ ρ − Gᵀ τ,   R (v⁺ − v⁻) = change,   G (v⁺ − v⁻) = 0.
 */
#ifndef CMB_SIM_IMPACT_H
#define CMB_SIM_IMPACT_H

#include "dae/evaluator.h"

typedef struct cmb_impact {
  cmb_evaluator *ev;
  int most;             /* resets of one rule, at the most */
  bool *met, *met_here; /* (rule_count) conditions, before and at the event */
  double *R;            /* (reset_count x nv) */
  double *change;       /* (reset_count) */
  double *response;     /* (most x nv) what an impulse along a row of R does to v */
  double *A, *scale;    /* (most x most), (most) */
  int *pivot;           /* (most) */
  double *rho;          /* (most) the impulses of the rule last looked at */
  double *jump;         /* (nv) what they do to v .. */
  double *tau, *tau_of; /* (ng) .. and the constraints' impulses; (most x ng) for each row of R */
  double *rate, *size;  /* (ng) G jump, and what rounding may make of it: |G| times .. */
  double *G_size, *jump_size; /* .. these entries, and those of G */
  double *normal;             /* (nv) what an impulse along a surface's gradient does to v */
  double *momentum;           /* (nv) Rᵀ ρ, and scratch */
  double *refinement;         /* (nv) by how much a response has been refined */
} cmb_impact;

/* Memory from `arena`; a failure is left to it. */
void cmb_impact_create(cmb_impact *x, cmb_arena *arena, cmb_evaluator *ev);

/* The conditions that are met at a state are no news from now on. At the beginning of a motion those of stops are. */
cmb_status cmb_impact_begin(cmb_impact *x, double t, const double *q, const double *v,
                            const double *lambda);

/* The next rule, from `rule` on, whose condition has changed in its direction, or rule_count; `met_here` is there. */
int cmb_impact_next(const cmb_impact *x, int rule);

/* The impulses of this rule and what they do to the velocities, into rho and jump. CMB_RETRY_SINGULAR: the constraints leave no room
 * for what is asked; then R and change are there. */
cmb_status cmb_impact_solve(cmb_impact *x, int rule, double t, const double *q, const double *v,
                            const double *lambda);

/* Whether the changes that were found for this rule are more than the tolerances. */
bool cmb_impact_asks_for_more(const cmb_impact *x, int rule, const double *v, double rtol,
                              double atol);

/* What an impulse along row (nv) does to the velocities, and the constraints' impulses, refined; M and G have been factored. False: the constraints
 * hold it, and what is there is nothing but rounding. */
bool cmb_impact_respond(const cmb_impact *x, const double *row, double *response, double *tau);

/* Whether what a rule resets, with the gradient R (nv), is the rate of a surface with the gradient U (nv), but for a factor and for
 * rates that the constraints hold: in coordinates of which some depend on others a rate has many gradients. A gradient U that is far smaller than `usual` is none. */
cmb_status cmb_impact_is_along(cmb_impact *x, double t, const double *q, const double *R,
                               const double *U, double usual, bool *along);

#endif
