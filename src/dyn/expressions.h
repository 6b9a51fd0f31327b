/*
 * The result of layer dyn: the equations of motion as expressions, without bodies and joints. Layer dae compiles them into programs.
 *
 *     q̇ = T(q) v,   M(q) v̇ = f − Gᵀ λ,   0 = g(t, q),   G = ∂g/∂q T,   0 = G v + g_t,   0 = G v̇ + γ
 *
 * Matrices are lists of entries, row, column and expression; all others are zero. All expressions are functions of the graph's
 * inputs t, q, v, a, lambda, parameters and u; their switches are not yet fixed to a mode.
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
  cmb_entry *entry; /* sorted by row, then column; no position twice */
  int count;
} cmb_entries;

/* The mass matrix of long chains as factors, M = W⁻¹ D W⁻ᵀ, since M has too many entries (articulated.c). The
 * `value`s are functions of q and parameters; the first nv of them are 1/D. The products are functions of the inputs `symbol`, which
 * represent the values, and of the vector a (nv), the inputs for accelerations. */
typedef struct cmb_mass_expressions {
  int count;          /* of values; 0: M is given by its entries */
  cmb_expr *value;    /* (count) */
  cmb_expr *symbol;   /* (count) */
  cmb_expr *forward;  /* (nv) W a */
  cmb_expr *backward; /* (nv) Wᵀ a */
  cmb_expr *multiply; /* (nv) M a */
} cmb_mass_expressions;

/* A rule (an event of the model, a stop, or a limit of validity of a force law): a condition, and the action when it becomes true (or false). */
typedef struct cmb_rule_expressions {
  const char *name;
  cmb_event_action action;
  int direction; /* +1: when the condition becomes true, −1: false, 0: both */
  bool gap;      /* a gap that closes: the rule is also applied at the start of a simulation */
  cmb_impact_law law;
  double restitution; /* coefficient of restitution of a gap */
  cmb_expr when;      /* a condition, or a number that is true if > 0 */
  int first_reset, reset_count;
  /* function of t and q, 0 where the condition changes and > 0 where it is true; 0: there is none */
  cmb_expr surface;
  const char *warning; /* reported once when the condition becomes true; NULL: none */
  bool fails;          /* the warning is an error that ends the simulation */
  /* the contact force with which the surface supports resting bodies, an input of outputs */
  cmb_expr push;
} cmb_rule_expressions;

/* A possible gimbal lock of three rotations about one point: q is the middle angle, and the three axes are in one plane where
 * c cos q + s sin q is 0 (lock.c). */
typedef struct cmb_lock {
  const char *joint; /* its name */
  const char *file;  /* its position in the model */
  int line, column;
  const char *axes; /* "its axes", or those of which joints */
  int q;
  double c, s;
} cmb_lock;

typedef struct cmb_expressions {
  const char *name;
  cmb_graph *graph;
  int nq, nv, ng, nu, no;

  /* The graph's inputs. M, G, f, g, gt, gamma and the solutions below for a and λ do not contain `a` and `lambda`. The
   * expressions contain the inputs u_i(t) of the model as functions of t plus `u` (nu), which is 0 in a simulation: a
   * derivative with respect to `u` is the derivative with respect to the input. */
  cmb_expr t, *q, *v, *a, *lambda, *u;

  /* The rates u' and u'' of the free parts u that some expression uses, also 0 in a simulation. Which these are does
   * not depend on the formulation. Names: "road'", "road''". */
  int nr;
  cmb_expr *input_rate; /* (nr) */
  const char *const *input_rate_names;
  int nz; /* first-order states, the last nz of the velocities (states.c) */

  /* Late states, whose rates depend on a, λ and forces of resting contacts (late_states.c): their indices among the
   * velocities, and these rates. In f and other functions of t, q and v their a and λ are replaced by those of a
   * motion without resting contacts. */
  int nl, *late_row; /* (nl) */
  cmb_expr *late;    /* (nl) */
  int np; /* live parameters, which are inputs, too; a simulation uses `parameter_value` */
  int first_count;
  cmb_expr *parameter; /* (np) */
  double *parameter_value;
  const char *const *parameter_names;

  /* Sampled values (sampled.c): the parameters from held_first on. Their new values follow the outputs. */
  int nh, held_first, sampler_count;
  const cmb_sampler *samplers; /* (sampler_count) */
  int *held_sampler;           /* (nh) */

  cmb_expr *input_value; /* (nu) u_i(t) plus the free part */
  const char *const *q_names,
      *const *v_names, *const *g_names, *const *lambda_names, *const *u_names, *const *output_names;
  const char *const *q_units, *const *v_units, *const *output_units; /* (nq), (nv), (no) */
  /* (nq), (nv) typical magnitudes, as in cmb_equations; NULL: 1 each */
  const double *q_sizes, *v_sizes;
  int *impulse_signs;               /* (ng) 1 or −1, as in cmb_equations */
  const char *const *impulse_units; /* (ng) */
  bool *closes; /* (ng) constraints of loops and motions, not of joints; NULL: not known */
  double *impulse_weights;     /* (ng) as in cmb_equations; NULL: none */
  double *q_start, *v_start;   /* (nq), (nv) not necessarily consistent */
  double *q_wanted, *v_wanted; /* (nq), (nv) values requested by the user; NULL: q_start, v_start */

  /* The model's start values of all joints, q and then v, and of the states, as functions of the parameters. NULL: there are
   * no parameters. */
  cmb_expr *first; /* (first_count) */

  /* the last nu + nr of the parameters are `u` and `input_rate`, which may be non-zero */
  bool live_inputs;
  bool quaternions; /* there are Euler parameters */
  /* groups of four Euler parameters q[ball_q[i]] .. + 3, normalised by dividing by their length */
  int ball_count;
  int *ball_q;
  cmb_expr *rates; /* (nq) T(q) v */
  int lock_count;
  int root_count; /* implicit functions of t, q, v and inputs */
  cmb_lock *locks;
  cmb_expr *roots;         /* (root_count) the first unknown of each */
  const char **root_names; /* (root_count) and its name */

  cmb_entries M; /* nv x nv, both triangles; empty if there are mass_factors */
  cmb_mass_expressions mass_factors;
  cmb_expr *f;              /* (nv) */
  cmb_expr *g, *gamma, *gt; /* (ng) */
  cmb_entries G;            /* ng x nv */

  /* The residual r = M a − f + Gᵀ λ, computed at once; NULL: computed from M, f and G. */
  cmb_expr *residual; /* (nv) */

  /* ∂r/∂q and ∂r/∂v in two parts: the derivatives of the inertial forces, whose entries inertial(kinematics, ..)
   * computes on demand, and r without these forces (`applied`), to be differentiated. applied == NULL: r itself is to
   * be differentiated. */
  cmb_expr *applied; /* (nv) */
  cmb_status (*inertial)(void *kinematics, cmb_entries *by_q, cmb_entries *by_v);
  void *kinematics;

  /* The stiff forces: ∂f/∂q T ≈ Σ row rowᵀ x and ∂f/∂v ≈ Σ row rowᵀ rate over them; the other forces (`loose`); and
   * all applied forces (stiffness.c). Only if the option `stiffness` is set; stiff_row == NULL: not known. */
  int stiff_count;
  cmb_expr *stiff_row;            /* (stiff_count x nv) */
  cmb_expr *stiff_x, *stiff_rate; /* (stiff_count) */
  cmb_expr *loose;                /* (nv) */
  cmb_expr *forces; /* (nv) all applied forces; as in `loose`, then the rates of states */

  /* a and λ, computed at once as functions of t, q, v (u, modes); NULL: not available. The elimination has a static
   * order and no pivoting: pivot (ng) are the squared sines of the angles between each constraint's gradient and those eliminated before
   * it, in the metric of M⁻¹. If one is near 0 the result must not be used. */
  cmb_expr *acceleration; /* (nv) */
  cmb_expr *multiplier;   /* (ng) */
  cmb_expr *pivot;        /* (ng) */

  /* M⁻¹ (f − Gᵀ λ), computed at once as a function of t, q, v, λ; only if the option `forced` is set and there are
   * constraints. NULL: not available. */
  cmb_expr *forced; /* (nv) */

  /* Names of switching functions: a switch that is decided by the sign of a hint has the hint's name. */
  int hint_count;
  bool *hint_of_rule;    /* (hint_count) switches of conditions; else of the motion */
  bool *hint_of_contact; /* (hint_count) positive while a contact or tyre is loaded */
  cmb_expr *hints;
  const char **hint_names;

  /* Any other switch is named after the first of these expressions that contains it; several switches of one source
   * are numbered. */
  int source_count;
  cmb_expr *sources;
  const char **source_names;

  /* Rules: conditions; R (v⁺ − v⁻) = change, one row for each quantity that is reset; and surfaces as constraints. */
  int rule_count, reset_count;
  /* number of rules with contact forces in the outputs: all, or none */
  int push_count;
  cmb_rule_expressions *rules; /* (rule_count) */
  cmb_expr *reset_row;         /* (reset_count x nv) */
  cmb_expr *reset_change;      /* (reset_count) */
  const char **reset_names;    /* (reset_count) */
  /* (reset_count) resets of states only, without an impulse */
  bool *reset_of_state;
  const char **reset_units;             /* (reset_count) unit of the impulse; "": not known */
  cmb_expr *surface_row;                /* (rule_count x nv) gradients of the surfaces */
  cmb_expr *surface_gt, *surface_gamma; /* (rule_count) g_t and γ of the surface as a constraint */

  /* (no + nh) functions of t, q, v, a, λ: outputs, then the new sampled values */
  cmb_expr *outputs;
  cmb_expr energy; /* kinetic and potential energy; 0 if not known */
} cmb_expressions;

/* Returns whether T may differ from the identity. */
static inline bool cmb_has_rates(const cmb_expressions *x)
{
  return x->quaternions || x->nz > 0;
}

#endif
