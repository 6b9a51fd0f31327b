/*
 * What layer dyn hands on: the equations of motion as expressions, and nothing about bodies and joints.
 *
 *     q̇ = T(q) v,   M(q) v̇ = f − Gᵀ λ,   0 = g(t, q),   G = ∂g/∂q T,   0 = G v + g_t,   0 = G v̇ + γ
 *
 * Matrices are lists of entries that are not zero for structural reasons: row, column, expression. All expressions are
 * functions of the graph's inputs t, q, v, a, lambda and u; modes are not frozen yet.
 */
#ifndef CMB_DYN_EXPRESSIONS_H
#define CMB_DYN_EXPRESSIONS_H

#include "base/arena.h"

#include <camber/dyn.h>

typedef struct cmb_entry {
  int row, column;
  cmb_expr e;
} cmb_entry;

typedef struct cmb_entries {
  cmb_entry *entry; /* sorted by row, then column; no place twice */
  int count;
} cmb_entries;

/* M = W⁻¹ D W⁻ᵀ for long chains, whose M has too many entries (articulated.c). The `value`s are functions of q, the first nv
 * of them are 1/D. The products are functions of `symbol`, inputs that stand for the values, and of the inputs a, the vector. */
typedef struct cmb_mass_expressions {
  int count;          /* of values; 0: M is given by its entries */
  cmb_expr *value;    /* (count) */
  cmb_expr *symbol;   /* (count) */
  cmb_expr *forward;  /* (nv) W a */
  cmb_expr *backward; /* (nv) Wᵀ a */
  cmb_expr *multiply; /* (nv) M a */
} cmb_mass_expressions;

/* An event of the user's, a stop, or a bound of what a law is good for: what happens when its condition comes to be met (or ceases to be). */
typedef struct cmb_rule_expressions {
  const char *name;
  cmb_event_action action;
  int direction; /* +1: comes to be met, -1: ceases to be, 0: both */
  bool gap;      /* that closes: it acts at the beginning of a motion, too */
  cmb_impact_law law;
  double restitution; /* of a gap */
  cmb_expr when;      /* a condition, or > 0 */
  int first_reset, reset_count;
  cmb_expr
      surface; /* of t and q: where it is 0 the condition changes, and > 0 where it is met; 0: nothing of the kind */
  const char *warning; /* of what is so where it comes to be met, said once; NULL: none */
  cmb_expr push; /* the force with which the surface holds what rests on it, an input of outputs */
} cmb_rule_expressions;

/* The middle one of three angles about one point: where c cos q + s sin q is 0, their axes are in one plane (lock.c). */
typedef struct cmb_lock {
  const char *joint; /* its name */
  const char *file;  /* and its place */
  int line, column;
  const char *axes; /* "its axes", or those of which joints */
  int q;
  double c, s;
} cmb_lock;

typedef struct cmb_expressions {
  const char *name;
  cmb_graph *graph;
  int nq, nv, ng, nu, no;

  /* the graph's inputs. `a` and `lambda` are only used by residual and outputs. The inputs u_i(t) of the model are in the
   * expressions as functions of t, plus `u` (nu), which is 0 in a simulation: a derivative with respect to it is
   * the derivative with respect to the input. */
  cmb_expr t, *q, *v, *a, *lambda, *u;

  /* Rates u' and u'' of the free parts, 0 in a simulation too: those that have been asked for. Which these are does not depend on the
   * formulation; whether an equation reads them may. Names: "road'", "road''". */
  int nr;
  cmb_expr *input_rate; /* (nr) */
  const char *const *input_rate_names;
  int nz; /* states, the last nz of the velocities (states.c) */

  /* Late states, whose rates read a, λ and forces of rests (late_states.c): which of the velocities they are, and these rates. In f and
   * whatever else is a function of t, q and v they have a and λ of a motion without rests put in. */
  int nl, *late_row; /* (nl) */
  cmb_expr *late;    /* (nl) */
  int np; /* parameters that are inputs too; a simulation has them at `parameter_value` */
  int first_count;
  cmb_expr *parameter; /* (np) */
  double *parameter_value;
  const char *const *parameter_names;

  /* Sampled values (sampled.c): parameters from held_first on, whose new values are behind the outputs. */
  int nh, held_first, sampler_count;
  const cmb_sampler *samplers; /* (sampler_count) */
  int *held_sampler;           /* (nh) */

  cmb_expr *input_value; /* (nu) u_i(t), and the free part */
  const char *const *q_names,
      *const *v_names, *const *g_names, *const *lambda_names, *const *u_names, *const *output_names;
  const char *const *q_units, *const *v_units, *const *output_units; /* (nq), (nv), (no) */
  const double *q_sizes, *v_sizes;  /* (nq), (nv) as in cmb_equations; NULL: 1 each */
  int *impulse_signs;               /* (ng) as in cmb_equations */
  const char *const *impulse_units; /* (ng) */
  bool *closes; /* (ng) constraints of loops and motions, not of joints; NULL: not known */
  double *impulse_weights;   /* (ng) as in cmb_equations; NULL: none has one */
  double *q_start, *v_start; /* (nq), (nv) perhaps not consistent */
  double *q_wanted,
      *v_wanted; /* (nq), (nv) what the user asked for; NULL: q_start, v_start themselves */

  /* What the model says of all joints, q and then v, as functions of the parameters: in joint coordinates those of q_start and v_start.
   * NULL: no parameter is live. */
  cmb_expr *first; /* (first_count) */

  bool
      live_inputs; /* the last nu + nr of the parameters are `u` and `input_rate`: they need not be 0 */
  bool quaternions; /* there are Euler parameters: */
  int ball_count; /* groups of Euler parameters: q[ball_q[i]] .. + 3, normalised by dividing by their length */
  int *ball_q;
  cmb_expr *rates; /* (nq) T(q) v */
  int lock_count;
  int root_count; /* implicit functions of t, q, v and inputs: */
  cmb_lock *locks;
  cmb_expr *roots;         /* (root_count) the first unknown of each .. */
  const char **root_names; /* .. and what it is called */

  cmb_entries M; /* nv x nv, both triangles; empty if there are mass_factors */
  cmb_mass_expressions mass_factors;
  cmb_expr *f;              /* (nv) */
  cmb_expr *g, *gamma, *gt; /* (ng) */
  cmb_entries G;            /* ng x nv */

  /* r = M a − f + Gᵀ λ in one go; NULL: not available, to be had from M, f, G */
  cmb_expr *residual; /* (nv) */

  /* ∂r/∂q and ∂r/∂v in two parts: the inertial forces' derivatives, whose entries inertial(kinematics, ..) makes when they
   * are wanted, and r without these forces, to be differentiated. applied == NULL: r itself is to be differentiated. */
  cmb_expr *applied; /* (nv) */
  cmb_status (*inertial)(void *kinematics, cmb_entries *by_q, cmb_entries *by_v);
  void *kinematics;

  /* ∂f/∂q T ≈ Σ row rowᵀ x, ∂f/∂v ≈ Σ row rowᵀ rate over the stiff forces, the forces that are not among them, and all of them (stiffness.c).
   * Only where `stiffness` was asked for; stiff_row == NULL: not known. */
  int stiff_count;
  cmb_expr *stiff_row;            /* (stiff_count x nv) */
  cmb_expr *stiff_x, *stiff_rate; /* (stiff_count) */
  cmb_expr *loose;                /* (nv) */
  cmb_expr *forces;               /* (nv) all applied forces */

  /* a and λ in one go, as functions of t, q, v (u, modes); NULL: not available. The elimination has a static order and
   * no pivoting: pivot (ng) are the squared sines of the angles between each constraint's gradient and those
   * before it, in the metric of M⁻¹. Near 0 the result is not to be used. */
  cmb_expr *acceleration; /* (nv) */
  cmb_expr *multiplier;   /* (ng) */
  cmb_expr *pivot;        /* (ng) */

  /* M⁻¹ (f − Gᵀ λ) in one go, as functions of t, q, v, λ; only where it was asked for and there are constraints. NULL: not
   * available */
  cmb_expr *forced; /* (nv) */

  /* names of switches: where the sign of a hint decides, that is what the switch is called */
  int hint_count;
  bool *hint_of_rule;    /* (hint_count) switches of conditions; else of the motion */
  bool *hint_of_contact; /* (hint_count) positive while something presses */
  cmb_expr *hints;
  const char **hint_names;

  /* any other is called after the first of these that it is in; several of one source are numbered */
  int source_count;
  cmb_expr *sources;
  const char **source_names;

  /* events: conditions; R (v⁺ − v⁻) = change, a row for each quantity that is reset; and surfaces as constraints */
  int rule_count, reset_count;
  int push_count;                       /* rules whose forces of rests outputs read: all, or none */
  cmb_rule_expressions *rules;          /* (rule_count) */
  cmb_expr *reset_row;                  /* (reset_count x nv) */
  cmb_expr *reset_change;               /* (reset_count) */
  const char **reset_names;             /* (reset_count) */
  bool *reset_of_state;                 /* (reset_count) of states alone: there is no impulse */
  const char **reset_units;             /* (reset_count) of impulses along them; "": not known */
  cmb_expr *surface_row;                /* (rule_count x nv) its gradient */
  cmb_expr *surface_gt, *surface_gamma; /* (rule_count) as g_t and γ of a constraint */

  cmb_expr *
      outputs; /* (no) functions of t, q, v, a, λ; behind them (nh) new values of what is sampled */
  cmb_expr energy; /* kinetic and potential; 0 where nothing is known of it */
} cmb_expressions;

/* Whether T may be another matrix than the identity. */
static inline bool cmb_has_rates(const cmb_expressions *x)
{
  return x->quaternions || x->nz > 0;
}

#endif
