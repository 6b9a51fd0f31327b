/*
 * Camber, layer dae: the equations that every method integrates, and problems written by hand in C.
 *
 *     q̇ = T(q) v                       q: nq coordinates, v: nv velocities, T = I unless stated
 *     M(q) v̇ = f(t,q,v) − G(t,q)ᵀ λ     M: nv x nv, symmetric positive definite; λ: ng multipliers
 *     0 = g(t,q)                        G = ∂g/∂q T: ng x nv
 *     0 = G v + g_t                     velocity level, g_t = ∂g/∂t
 *     0 = G v̇ + γ(t,q,v)                acceleration level
 *     s(t,q,v,λ)                        ns switching functions; their signs are the mode
 *     p                                 np live parameters, which all of these may depend on
 *     w⁺(t,q,v,v̇,λ,p)                   nh sampled values, which are among p and change at instants
 *
 * The last nz of v may be states z of first order, ż = e(t,q,v,z), instead of velocities: then M is 1 on their diagonal, f is e,
 * and G and T have zeros in their columns. A method treats them like velocities, and no projection changes them.
 *
 * Some of the states may be late states: ż = e(t,q,v,z,v̇,λ), with the accelerations and multipliers at the same t, q, v and z. Then f
 * contains e with these inserted, and the function `late` computes e itself.
 *
 * Matrices are row-major. SI units and radians.
 */
#ifndef CAMBER_DAE_H
#define CAMBER_DAE_H

#include <camber/dyn.h>
#include <camber/math.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The point at which equations are evaluated. The mode of each switching function is +1 or -1 (friction that sticks: also +2 or -2), or a
 * whole number for level functions: a force law with a branch must take the branch that the mode specifies, not the one that its own
 * comparison would. */
typedef struct cmb_point {
  double t;
  const double *q; /* (nq) */
  const double *v; /* (nv); NULL if neither f nor gamma is requested */
  const int *mode; /* (ns) */
  /* (scratch_size bytes) memory of this thread, zeroed at first; its contents are kept between calls */
  void *scratch;
  const double *p; /* (np) values of the live parameters; NULL: cmb_equations.p */
  /* (ns) for friction that sticks during a step of fixed cost: replaces the mode (see CMB_MODE_HELD); 0, or NULL for all: the mode is
   * used */
  const double *grip;
} cmb_point;

/* Intervals that enclose a piece of a motion (t, q, v)(θ) and its derivatives with respect to θ. */
typedef struct cmb_box {
  cmb_interval t, t_rate;
  const cmb_interval *q, *q_rate; /* (nq) */
  const cmb_interval *q_bend; /* (nq) second derivatives; only path_bends uses them, with t'' = 0 */
  const cmb_interval *v, *v_rate; /* (nv) */
  const int *mode;                /* (ns) */
  void *scratch;                  /* as in cmb_point */
  const double *p;                /* as in cmb_point */
  const bool *wanted; /* (ns) switching functions whose bounds are requested; NULL: all */
} cmb_box;

/* The requested results: each array that is not NULL has to be filled. */
typedef struct cmb_terms {
  /* (nv x nv), or (nv) if mass_diagonal, or the values on M_pattern, or those of mass_factors */
  double *M;
  double *f;     /* (nv) */
  double *g;     /* (ng) */
  double *G;     /* (ng x nv), or the values on G_pattern */
  double *gamma; /* (ng) */
  double *gt;    /* (ng) */
} cmb_terms;

/* The kind of a switching function, for reports of its sign changes to the user. */
typedef enum cmb_switch_kind {
  /* a part of the model, by its name: friction of a joint, a tyre beyond its peak */
  CMB_SWITCH_NAMED,
  CMB_SWITCH_CONTACT, /* a contact or tyre: positive while it is closed */
  CMB_SWITCH_FORMULA  /* a kink or discontinuity inside a formula, named by the formula's place */
} cmb_switch_kind;

/* The derivatives that implicit methods request; r = M a − f + Gᵀ λ is the residual. */
typedef enum cmb_derivative {
  CMB_RESIDUAL_Q, /* ∂r/∂q (nv x nq), a and λ fixed */
  CMB_RESIDUAL_V, /* ∂r/∂v (nv x nv) */
  CMB_VELOCITY_Q, /* ∂(G v + g_t)/∂q (ng x nq) */
  CMB_GAMMA_Q,    /* ∂(G a + γ)/∂q (ng x nq), a fixed */
  CMB_GAMMA_V,    /* ∂γ/∂v (ng x nv) */
  CMB_RESIDUAL_U, /* ∂r/∂u (nv x nu), u the inputs; optional */
  CMB_POSITION_U, /* ∂g/∂u (ng x nu); optional */
  CMB_RESIDUAL_P, /* ∂r/∂p (nv x np), p the live parameters; optional */
  CMB_POSITION_P, /* ∂g/∂p (ng x np); optional */
  CMB_DERIVATIVES /* number of derivatives */
} cmb_derivative;

/* A user-defined event with its condition and action. The action is taken when the condition becomes true (direction +1), becomes
 * false (-1), or both (0). */
typedef struct cmb_rule {
  const char *name;
  cmb_event_action action;
  int direction;
  /* the condition is that a gap is closed: the rule also acts at the beginning of a motion, and resets the rate of the gap */
  bool gap;
  /* the condition changes where a function u(t, q) is 0, and is true where it is positive */
  bool surface;
  int first_reset, reset_count; /* the resets of this rule, among all resets */
  cmb_impact_law law;           /* of a gap: the law of impact .. */
  double restitution;           /* .. and its coefficient of restitution, from 0 to 1 */
  /* a warning given once when the condition becomes true, or is true at the beginning of a run; NULL: none */
  const char *warning;
  bool fails; /* this warning is an error, which ends the run */
} cmb_rule;

/* The equations: sizes, names, functions. All functions get `self`, never write to it, keep no state and
 * may be called from several threads at once. They return CMB_OK, or a positive status where they
 * cannot be evaluated (the method then cuts its step), or a negative one to end the run. Optional functions may be NULL. */
typedef struct cmb_equations {
  const char *name;
  int nq, nv, ng;
  /* the last nz of v are first-order states, no velocities; a consistent start does not change their start values */
  int nz;
  int nl; /* late states, whose rates depend on accelerations and constraint forces */
  int ns; /* switching functions */
  int no; /* outputs */
  int nu; /* inputs u(t), if derivatives with respect to them are provided */
  int np; /* live parameters */
  int nh; /* sampled values: p[held_first] to p[held_first + nh - 1]; those before them are parameters of the model */

  const char *const *q_names;          /* (nq) */
  const char *const *v_names;          /* (nv) */
  const char *const *g_names;          /* (ng) names of the constraints for error messages */
  const char *const *lambda_names;     /* (ng) */
  const char *const *switch_names;     /* (ns) */
  const cmb_switch_kind *switch_kinds; /* (ns) NULL: all are CMB_SWITCH_NAMED */
  const char *const *output_names;     /* (no) */
  const char *const *u_names;          /* (nu) */
  const char *const *p_names;          /* (np) */
  const double *p; /* (np) values of the live parameters where cmb_point.p is NULL */

  /* Sampled values are constant between the instants of their samplers, and get new values there, which `outputs` computes and appends
   * to the outputs. All new values of one instant are computed from the old ones. */
  int held_first, sampler_count;
  const cmb_sampler *samplers; /* (sampler_count) */
  const int *held_sampler;     /* (nh) number of each value's sampler */
  const bool *held_moves;      /* (nh) the motion, or what events do, depends on the value */
  /* (nh x ns) switching functions that the value's formula contains as well as the motion; NULL: none */
  const bool *held_reads;
  bool samples_read_forces; /* the new values depend on v̇, λ or the forces of resting contacts */

  /* units for tables and plots, "" where there is none; NULL: unknown */
  const char *const *q_units;      /* (nq) */
  const char *const *v_units;      /* (nv) */
  const char *const *output_units; /* (no) */

  /* Sizes of changes that count as large, > 0: 1 m or 1 rad, and less for lengths of a small mechanism. Tests in other positions
   * displace the mechanism by them, and convergence is measured in them. NULL: all 1 */
  const double *q_sizes; /* (nq) */
  const double *v_sizes; /* (nv) */

  /* How impulses of constraints (integrals of their multipliers over an impulsive change of velocity) are reported: multiplied by these
   * signs, in these units ("" if unknown). NULL: with their own sign, M (v⁺ − v⁻) = −Gᵀ impulse, and units unknown. Where M contains a
   * term c G_kᵀ G_k instead of the missing inertia of a body, c is the weight of constraint k, and its impulse contains c G_k (v⁺ − v⁻)
   * in addition; NaN: the weight depends on live parameters. impulse_weights NULL: there are none */
  const int *impulse_signs;         /* (ng) 1 or -1 */
  const char *const *impulse_units; /* (ng) */
  const double *impulse_weights;    /* (ng) */

  /* Some of q are Euler parameters. If the velocities are their rates (nq = nv), these turn with the bodies, so that even a steady
   * rotation is an oscillation for a method. This does not determine T: it may differ from I without Euler parameters, and be I with
   * them. */
  bool euler_parameters;

  bool mass_constant;                       /* M is constant */
  bool mass_diagonal;                       /* M is stored as its diagonal */
  const cmb_pattern *M_pattern, *G_pattern; /* NULL: dense */

  /* M of a long chain, given by its factors without its entries; NULL: by its entries. Only the equations of a model have it. */
  const struct cmb_mass_factors *mass_factors;

  /* the expressions from which a model's equations were made, if they were kept; NULL: unknown */
  const struct cmb_code *code;

  const void *self;
  size_t scratch_size;

  /* required: computes the arrays of *want that are not NULL */
  cmb_status (*evaluate)(const void *self, const cmb_point *at, const cmb_terms *want);

  /* computes q̇ = T(q) v (nq); NULL: T = I and nq = nv */
  void (*rates)(const void *self, const double *q, const double *v, double *qdot);

  /* scales Euler parameters in q back to length 1, in place; NULL: nothing to do */
  void (*normalize)(const void *self, double *q);

  /* computes r = M a − f + Gᵀ λ (nv) in one call (residual formalism); NULL: from M, f, G */
  cmb_status (*residual)(const void *self, const cmb_point *at, const double *a,
                         const double *lambda, double *r);

  /* computes a (nv) and λ (ng) from M a = f − Gᵀ λ, 0 = G a + γ in one call (explicit formalism); NULL: from M, f, G, γ.
   * CMB_RETRY_SINGULAR: the constraints are too close to a loss of rank for this formalism; the caller then solves with M, f, G, γ. */
  cmb_status (*accelerate)(const void *self, const cmb_point *at, double *a, double *lambda);

  /* computes a = M⁻¹ (f − Gᵀ λ) for given λ in one call (explicit formalism, for methods with λ as an unknown); NULL: from M, f, G */
  cmb_status (*forced)(const void *self, const cmb_point *at, const double *lambda, double *a);

  /* computes the exact derivative `which`, whose shape is given in cmb_derivative, or its values on the pattern; NULL: differences are
   * used, by groups of columns where a pattern is given */
  cmb_status (*derivative)(const void *self, const cmb_point *at, const double *a,
                           const double *lambda, cmb_derivative which, double *J);
  const cmb_pattern *derivative_pattern[CMB_DERIVATIVES]; /* NULL: dense */

  /* computes the values u(t) of the inputs (nu); NULL if there are none. It does not use q and v of the point. */
  cmb_status (*inputs)(const void *self, const cmb_point *at, double *u);

  /* compute the switching functions s (ns), and the outputs (no) followed by the next sampled values (nh); NULL if there are none */
  cmb_status (*switches)(const void *self, const cmb_point *at, const double *lambda, double *s);
  cmb_status (*outputs)(const void *self, const cmb_point *at, const double *a,
                        const double *lambda, double *out);

  /* Level functions: switching functions whose mode is a whole number (the interval of a table, the value of floor). Such a function is
   * positive while the mode is right. `levels` sets mode[i] to the right value at this point for each level function i, with the other
   * modes as in the point; where it has no finite value mode[i] is unchanged. A function may depend on the modes of functions with
   * smaller numbers. */
  const bool *switch_is_level; /* (ns), NULL: none is */
  cmb_status (*levels)(const void *self, const cmb_point *at, const double *lambda, int *mode);

  /* Functions of friction that can hold a larger force than it exerts while it slips: besides +1 and -1 such a function has the modes +2
   * and -2, the bounds of the force that holds it at 0. NULL: none. */
  const bool *switch_sticks; /* (ns) */

  /* Computes bounds of switching functions over a piece of a motion: s (ns) encloses their values, and rate (ns) their derivatives with
   * respect to θ; for a level function, those of the argument that decides on its mode. Either may be NULL. With these bounds no event
   * inside a step is missed. NULL: there are no bounds; then the functions are only checked at some points of a step. */
  void (*enclose)(const void *self, const cmb_box *box, cmb_interval *s, cmb_interval *rate);
  const bool *switch_enclosed; /* (ns) the functions for which bounds are computed; NULL: none */
  /* (nq + nv) the components of the box that the bounds depend on; NULL: all */
  const bool *switch_reads;

  /* Computes rates of switching functions along a motion with the accelerations a, into flow (2 ns): ds/dt of functions of order 1,
   * which depend on velocities; d²s/dt² of functions of order 2, which do not, with their ds/dt in the second half of flow. Order 0:
   * unknown. NULL: all are unknown. */
  const int *switch_order; /* (ns) */
  cmb_status (*switch_flow)(const void *self, const cmb_point *at, const double *a, double *flow);

  /* User-defined events. `conditions` computes which conditions are met, from the modes alone. `resets` computes R (reset_count x nv)
   * and change (reset_count) of the resets, R (v⁺ − v⁻) = change. `surfaces` computes the surfaces of all rules as constraints u = 0: u,
   * u_t, γ (rule_count each) and the gradients U (rule_count x nv) on their pattern; for a rule without a surface the values have no
   * meaning. */
  int rule_count, reset_count;
  const cmb_rule *rules;          /* (rule_count) */
  const char *const *reset_names; /* (reset_count) */
  /* (reset_count) units of the impulses along them, "" if unknown; NULL: all unknown */
  const char *const *reset_units;
  /* (reset_count) it changes first-order states only, without an impulse; NULL: none does */
  const bool *reset_of_state;
  const bool *rule_reads; /* (rule_count x ns) functions whose modes the condition depends on */
  /* (rule_count x ns) functions whose modes the surface depends on; NULL: unknown */
  const bool *surface_reads;
  const bool *switch_silent; /* (ns) functions on which only conditions depend; NULL: none */
  /* (ns) functions on whose modes other functions depend; NULL: perhaps all */
  const bool *switch_nested;
  const bool *switch_shown; /* (ns) functions on whose modes outputs depend; NULL: unknown */
  /* (ns) functions on whose modes nothing depends while the first held_first parameters have their values p; NULL: none */
  const bool *switch_idle;
  /* (ns) functions on which only stops depend: in a resting contact they are 0, and the sign that rounding gives them does not matter;
   * NULL: none */
  const bool *switch_of_gap;
  cmb_status (*conditions)(const void *self, const cmb_point *at, const double *lambda, bool *met);
  cmb_status (*resets)(const void *self, const cmb_point *at, const double *lambda, double *R,
                       double *change);
  cmb_status (*surfaces)(const void *self, const cmb_point *at, double *u, double *ut,
                         double *gamma, double *U);
  const cmb_pattern *U_pattern; /* NULL: dense */

  /* Computes the outputs while contacts are at rest: push (rule_count) are the forces μ that hold bodies on the surfaces u = 0 of rules,
   * M v̇ = f − Gᵀ λ − (∂u̇/∂v)ᵀ μ; 0 where there is no resting contact. NULL: outputs do not depend on them. */
  cmb_status (*outputs_at_rest)(const void *self, const cmb_point *at, const double *a,
                                const double *lambda, const double *push, double *out);

  /* Computes the rates of late states from given accelerations and multipliers: out (nl) belongs to the rows late_row (nl) of f; push as
   * in outputs_at_rest, NULL: no resting contacts. These values replace the ones that `evaluate` and `residual` give for these rows,
   * which may be wrong in resting contacts, while friction sticks, or if constraints are dependent. NULL: there are no late states. */
  const int *late_row;
  cmb_status (*late)(const void *self, const cmb_point *at, const double *a, const double *lambda,
                     const double *push, double *out);

  /* Computes nt functions of time alone on which the motion depends (inputs, drives, tables of t), their values and bounds; positions,
   * velocities and rates in the point and the box are not used. With them no step passes over a variation that falls between its stages. 0
   * and NULL: none. */
  int nt;
  void (*time_values)(const void *self, const cmb_point *at, double *values);
  void (*time_bounds)(const void *self, const cmb_box *box, cmb_interval *bounds);
  /* computes bounds of the derivatives of these functions with respect to θ; NULL: there are none */
  void (*time_rates)(const void *self, const cmb_box *box, cmb_interval *rates);

  /* Computes path_count functions of q, or of q and t, that may have narrow bumps (tables, exp), their values and bounds; velocities and
   * rates in the point and the box are not used. With them no step passes over a variation that falls between its stages. 0 and NULL:
   * none. */
  int path_count;
  void (*path_values)(const void *self, const cmb_point *at, double *values);
  void (*path_bounds)(const void *self, const cmb_box *box, cmb_interval *bounds);
  /* compute bounds of the first and second derivatives of these functions with respect to θ; second derivatives are unbounded where the
   * first ones may be discontinuous. NULL: there are none */
  void (*path_rates)(const void *self, const cmb_box *box, cmb_interval *rates);
  void (*path_bends)(const void *self, const cmb_box *box, cmb_interval *bends);
  const bool *path_reads; /* (nq) coordinates on which they depend; NULL: all */

  /* Compute bounds of what determines the forces of sticking friction and resting contacts while time advances: f (nv) and γ (ng), the
   * rates of switching functions with the accelerations a (as `switch_flow`, 2 ns), and γ of the surfaces of all rules (rule_count),
   * over a box of t, q and v. With them no load that varies with time can release them unnoticed. `matrices_vary`: M, G or the gradients
   * of surfaces depend on t, which these bounds do not cover. NULL: nothing of this depends on t, or there are no bounds. */
  bool matrices_vary;
  void (*load_bounds)(const void *self, const cmb_box *box, cmb_interval *f, cmb_interval *gamma);
  void (*flow_bounds)(const void *self, const cmb_box *box, const double *a, cmb_interval *flow);
  void (*surface_bounds)(const void *self, const cmb_box *box, cmb_interval *gamma);

  /* computes the sum of kinetic and potential energy; NULL: unknown */
  cmb_status (*energy)(const void *self, const cmb_point *at, double *energy);

  /* Returns the name of an implicit function of t, q and v that has no root at this point, which makes values not finite; NULL if all
   * have one. If at->q is NULL, the point that was last evaluated with this scratch memory is meant. NULL: there are no implicit
   * functions. */
  const char *(*unsolved)(const void *self, const cmb_point *at);
} cmb_equations;

/* Returns whether there are as many coordinates as velocities (first-order states not counted), so that velocity i belongs to coordinate
 * i. */
static inline bool cmb_velocities_pair(const cmb_equations *eq)
{
  return eq->nq == eq->nv - eq->nz;
}

/* The moving frame of a steady motion, in which velocities and positions are constant. Seen from the ground, the accelerations of the
 * motion are v̇ = v_frame v, and a small change of position that is constant in the frame has the rate q_frame δq. */
typedef struct cmb_steady_frame {
  double turn;           /* angular velocity about the vertical, rad/s; 0: on a straight line */
  const double *v_frame; /* (nv x nv) */
  const double *q_frame; /* (nq x nq) */
} cmb_steady_frame;

/* A system: equations with start values, a start time and a default end time. */
typedef struct cmb_system cmb_system;

/* Return the equations, the start time and the default end time of a system. The equations belong to the system. */
CMB_API const cmb_equations *cmb_system_equations(const cmb_system *system);
CMB_API double cmb_system_t_start(const cmb_system *system);
CMB_API double cmb_system_t_end(const cmb_system *system);
/* Return the start values q (nq) and v (nv), which need not be consistent. */
CMB_API const double *cmb_system_q(const cmb_system *system);
CMB_API const double *cmb_system_v(const cmb_system *system);

/* Frees a system; NULL is allowed. */
CMB_API void cmb_system_destroy(cmb_system *system);

/* Creates a system from equations written by the caller; `equations` and what it points to must outlive it. The start values q (nq) and
 * v (nv) are copied. */
CMB_API cmb_status cmb_system_create(cmb_context *ctx, const cmb_equations *equations,
                                     double t_start, double t_end, const double *q, const double *v,
                                     cmb_system **system);

/* A value for a name: "xl=0.01". */
typedef struct cmb_setting {
  const char *name;
  double value;
} cmb_setting;

/* Changes start values of coordinates or velocities, by their names. They are not held: a consistent start may change them like any others.
 * For a model, values that are to be held belong in cmb_model_system_options. An unknown name is an error, described in the context; the
 * settings before it have then been made. */
CMB_API cmb_status cmb_system_set_start(cmb_context *ctx, cmb_system *system, int count,
                                        const cmb_setting *settings);

/* A parameter of a bundled problem. */
typedef struct cmb_parameter {
  const char *name;
  double value;    /* default value */
  double min, max; /* permitted range, ends included */
  bool integer;
  const char *unit;
  const char *meaning;
} cmb_parameter;

/* A bundled problem, written by hand in C. Problems are numbered from 0 to cmb_problem_count() − 1. */
typedef struct cmb_problem cmb_problem;

CMB_API int cmb_problem_count(void);
CMB_API const cmb_problem *cmb_problem_at(int i);
CMB_API const cmb_problem *cmb_problem_find(const char *name); /* NULL if there is none */
CMB_API const char *cmb_problem_name(const cmb_problem *problem);
CMB_API const char *cmb_problem_title(const cmb_problem *problem);
/* Returns the name of the bundled model file of the same mechanism; NULL if there is none. */
CMB_API const char *cmb_problem_twin(const cmb_problem *problem);
CMB_API const cmb_parameter *cmb_problem_parameters(const cmb_problem *problem, int *count);

/* Creates the system of a bundled problem; the `count` settings replace default values of its parameters. An unknown parameter or a
 * value outside of its range is an error, described in the context. */
CMB_API cmb_status cmb_problem_create(cmb_context *ctx, const cmb_problem *problem, int count,
                                      const cmb_setting *settings, cmb_system **system);

/* How programs made from a model's expressions are executed. */
typedef enum cmb_evaluation {
  CMB_EVALUATE_AUTO, /* machine code, written directly; the interpreter where that is not possible */
  CMB_EVALUATE_INTERPRETER,
  CMB_EVALUATE_NATIVE /* the same, with a warning if it is not possible */
} cmb_evaluation;

/* Returns the names of the redundant constraints that were left out of the equations, and their number in *count. */
CMB_API const char *const *cmb_system_left_out(const cmb_system *system, int *count);

/* Return which multipliers (ng) and outputs (no) are not unique, because redundant constraints can share their forces in several ways.
 * NULL: all are unique. */
CMB_API const bool *cmb_system_shared_multipliers(const cmb_system *system);
CMB_API const bool *cmb_system_shared_outputs(const cmb_system *system);

/* Returns how the system's equations are executed; CMB_NATIVE_INTERPRETED also for equations written in C. */
CMB_API cmb_native_origin cmb_system_origin(const cmb_system *system);

/* How much the consistent initial values differ from the given start values. */
typedef struct cmb_start_report {
  double q_moved, v_moved;   /* 2-norms of the changes */
  int q_most, v_most;        /* the coordinate and the velocity that changed most */
  double position, velocity; /* 2-norms of g and G v + g_t after the change */
  int iterations;
} cmb_start_report;

/* Counts of operations. `f` counts every evaluation of the right-hand side or the residual, including those for
 * difference Jacobians; `newton` counts iterations, `projections` those of positions, `repartitions`
 * how often methods with coordinate partitioning changed the independent velocities. For difference Jacobians by groups of
 * columns: `pattern` is the number of entries of the estimated pattern, `groups` the number of its groups, both of the last one, and
 * `pattern_growth` how often entries were added to it. */
#define CMB_STATISTICS_LIST(X)                                                                     \
  X(steps)                                                                                         \
  X(accepted)                                                                                      \
  X(rejected)                                                                                      \
  X(f)                                                                                             \
  X(jacobian)                                                                                      \
  X(jacobian_update)                                                                               \
  X(factor)                                                                                        \
  X(solve)                                                                                         \
  X(newton)                                                                                        \
  X(projections)                                                                                   \
  X(repartitions)                                                                                  \
  X(pattern)                                                                                       \
  X(groups)                                                                                        \
  X(pattern_growth)

typedef struct cmb_statistics {
#define CMB_STATISTICS_FIELD(name) long name;
  CMB_STATISTICS_LIST(CMB_STATISTICS_FIELD)
#undef CMB_STATISTICS_FIELD
} cmb_statistics;

#ifdef __cplusplus
}
#endif
#endif
