/*
 * Camber, layer dae: the equations every method sees, and problems written by hand in C.
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
 * and G and T have zeros in their columns. A method treats them like velocities, and no projection moves them.
 *
 * Some of the states may be late: ż = e(t,q,v,z,v̇,λ), the accelerations and multipliers being those of the same t, q, v and z. Then f has e with
 * these put in, and `late` is e itself.
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

/* Where equations are evaluated. The mode is +1 or -1 for each switching function, or a whole number for those that are
 * levels: a force law with a branch must take the branch that the mode says, not the one that its own comparison would. */
typedef struct cmb_point {
  double t;
  const double *q; /* (nq) */
  const double *v; /* (nv); NULL if none of f, gamma is wanted */
  const int *mode; /* (ns) */
  void *scratch;   /* (scratch_size bytes) of this thread, zeroed at first; may remember */
  const double *p; /* (np) values of the live parameters; NULL: those of the equations */
  const double *
      grip; /* (ns) of friction that sticks, in place of the mode: what it holds with (CMB_MODE_HELD); 0, NULL: the mode */
} cmb_point;

/* A piece of a motion (t, q, v)(θ): where it is, and its derivatives with respect to θ. */
typedef struct cmb_box {
  cmb_interval t, t_rate;
  const cmb_interval *q, *q_rate; /* (nq) */
  const cmb_interval *q_bend; /* (nq) second derivatives; only path_bends reads them, and t'' = 0 */
  const cmb_interval *v, *v_rate; /* (nv) */
  const int *mode;                /* (ns) */
  void *scratch;                  /* as in cmb_point */
  const double *p;                /* likewise */
  const bool *wanted; /* (ns) switching functions whose bounds are asked for; NULL: all */
} cmb_box;

/* What is wanted: the arrays that are not NULL are to be filled. */
typedef struct cmb_terms {
  double *
      M; /* (nv x nv), or (nv) if mass_diagonal, or the values on M_pattern, or those of mass_factors */
  double *f;     /* (nv) */
  double *g;     /* (ng) */
  double *G;     /* (ng x nv), or the values on G_pattern */
  double *gamma; /* (ng) */
  double *gt;    /* (ng) */
} cmb_terms;

/* What a switching function is to the user who reads of its events. */
typedef enum cmb_switch_kind {
  CMB_SWITCH_NAMED, /* something that the model names: friction of a joint, a tyre beyond its peak */
  CMB_SWITCH_CONTACT, /* a contact or tyre: positive while it presses */
  CMB_SWITCH_FORMULA  /* a kink or jump within a formula, called after the place of the formula */
} cmb_switch_kind;

/* The derivatives an implicit method asks for; r = M a − f + Gᵀ λ is the residual. */
typedef enum cmb_derivative {
  CMB_RESIDUAL_Q, /* ∂r/∂q (nv x nq), a and λ fixed */
  CMB_RESIDUAL_V, /* ∂r/∂v (nv x nv) */
  CMB_VELOCITY_Q, /* ∂(G v + g_t)/∂q (ng x nq) */
  CMB_GAMMA_Q,    /* ∂(G a + γ)/∂q (ng x nq), a fixed */
  CMB_GAMMA_V,    /* ∂γ/∂v (ng x nv) */
  CMB_RESIDUAL_U, /* ∂r/∂u (nv x nu), u the inputs; only where the equations give it */
  CMB_POSITION_U, /* ∂g/∂u (ng x nu), likewise */
  CMB_RESIDUAL_P, /* ∂r/∂p (nv x np), p the live parameters, likewise */
  CMB_POSITION_P, /* ∂g/∂p (ng x np), likewise */
  CMB_DERIVATIVES /* how many there are */
} cmb_derivative;

/* An event that the user asks for: what happens where its condition comes to be met (direction +1), ceases to be (-1), or both (0). */
typedef struct cmb_rule {
  const char *name;
  cmb_event_action action;
  int direction;
  bool
      gap; /* of a gap that closes: it acts at the beginning of a motion, too; what it resets is the gap's rate */
  bool
      surface; /* the condition changes where a function u(t, q) is 0, and is met where it is positive */
  int first_reset, reset_count; /* what it resets */
  cmb_impact_law law;           /* of a gap: how it opens again, .. */
  double restitution;           /* .. with this coefficient, from 0 to 1 */
  const char *
      warning; /* what is so where it comes to be met, or is met where a run begins, said once; NULL: nothing */
} cmb_rule;

/* The equations: sizes, names, functions. All functions get `self`, never write to it, keep no state and
 * may be called from several threads at once. They return CMB_OK, or a positive status where they
 * cannot be evaluated (the method then cuts its step), or a negative one to end the run. */
typedef struct cmb_equations {
  const char *name;
  int nq, nv, ng;
  int nz; /* the last nz of v are states, which are no rates of anything; their start values stay as they are */
  int nl; /* late states, whose rates depend on accelerations and forces of constraints */
  int ns; /* switching functions */
  int no; /* outputs */
  int nu; /* inputs u(t), for derivatives with respect to them */
  int np; /* live parameters */
  int nh; /* sampled values, which are p[held_first] and those behind */

  const char *const *q_names;          /* (nq) */
  const char *const *v_names;          /* (nv) */
  const char *const *g_names;          /* (ng) constraints, in the words of an error message */
  const char *const *lambda_names;     /* (ng) */
  const char *const *switch_names;     /* (ns) */
  const cmb_switch_kind *switch_kinds; /* (ns) NULL: all are named */
  const char *const *output_names;     /* (no) */
  const char *const *u_names;          /* (nu) */
  const char *const *p_names;          /* (np) */
  const double *p; /* (np) the values of the live parameters where a point has none */

  /* Sampled values hold between the instants of their samplers and take their new values there, which `outputs` puts behind the outputs.
   * Those of one instant all read what was before. */
  int held_first, sampler_count;
  const cmb_sampler *samplers; /* (sampler_count) */
  const int *held_sampler;     /* (nh) the sampler of each */
  const bool *held_moves;      /* (nh) the motion, or what events do, depends on it */
  const bool *held_reads;   /* (nh x ns) functions whose signs its formula has, too; NULL: none */
  bool samples_read_forces; /* new values depend on v̇, λ or the forces of rests */

  /* for tables and plots, "" where there is none; NULL: not known */
  const char *const *q_units;      /* (nq) */
  const char *const *v_units;      /* (nv) */
  const char *const *output_units; /* (no) */

  /* Changes of coordinates and velocities that are large: 1 m or 1 rad, and less for lengths of a small mechanism. They are what it is
   * displaced by to look at it in other positions, and what convergence is measured in; greater than 0. NULL: 1 each */
  const double *q_sizes; /* (nq) */
  const double *v_sizes; /* (nv) */

  /* How impulses of constraints are reported, the integrals of their multipliers over a jump of the velocities: times these signs,
   * in these units, "" where there is none. NULL: as they are, M (v+ - v-) = -G' impulse; not known. Where M has a term c G_k' G_k
   * in place of a body's missing inertia, c is the weight of constraint k, and its impulse has c G_k (v+ - v-) more; NaN: it
   * depends on parameters that are live. NULL: there are none */
  const int *impulse_signs;         /* (ng) 1 or -1 */
  const char *const *impulse_units; /* (ng) */
  const double *impulse_weights;    /* (ng) */

  /* Some of q are Euler parameters. Velocities that are their rates (nq = nv) turn with the bodies, so that even a steady rotation is an
   * oscillation to a method. It says nothing about T, which may be another matrix than I without them, and I with them. */
  bool euler_parameters;

  bool mass_constant;                       /* M depends on nothing */
  bool mass_diagonal;                       /* M is stored as its diagonal */
  const cmb_pattern *M_pattern, *G_pattern; /* NULL: dense */

  /* M of a long chain, given by its factors and never formed; NULL: by its entries. Only a model's equations have it. */
  const struct cmb_mass_factors *mass_factors;

  /* what the equations of a model are made of, if that was asked for; NULL: not known */
  const struct cmb_code *code;

  const void *self;
  size_t scratch_size;

  /* needed */
  cmb_status (*evaluate)(const void *self, const cmb_point *at, const cmb_terms *want);

  /* q̇ = T(q) v; NULL: T = I and nq = nv */
  void (*rates)(const void *self, const double *q, const double *v, double *qdot);

  /* bring q back to where it is meant (Euler parameters to length 1); NULL: nothing to do */
  void (*normalize)(const void *self, double *q);

  /* r = M a − f + Gᵀ λ in one call (residual formalism); NULL: from M, f, G */
  cmb_status (*residual)(const void *self, const cmb_point *at, const double *a,
                         const double *lambda, double *r);

  /* a and λ of M a = f − Gᵀ λ, 0 = G a + γ in one call (explicit formalism); NULL: from M, f, G, γ.
   * CMB_RETRY_SINGULAR: the constraints are too near to losing rank for this way; the caller then takes the other. */
  cmb_status (*accelerate)(const void *self, const cmb_point *at, double *a, double *lambda);

  /* a = M⁻¹ (f − Gᵀ λ) for given λ in one call (explicit formalism, for methods that have λ as an unknown); NULL: from M, f, G */
  cmb_status (*forced)(const void *self, const cmb_point *at, const double *lambda, double *a);

  /* exact derivatives; NULL: differences, grouped by columns where a pattern is given */
  cmb_status (*derivative)(const void *self, const cmb_point *at, const double *a,
                           const double *lambda, cmb_derivative which, double *J);
  const cmb_pattern *derivative_pattern[CMB_DERIVATIVES]; /* NULL: dense */

  /* u(t) (nu), the inputs' values; NULL if there are none. Of the point, q and v are not read. */
  cmb_status (*inputs)(const void *self, const cmb_point *at, double *u);

  /* s (ns) and outputs (no), behind them the next sampled values (nh); NULL if there are none */
  cmb_status (*switches)(const void *self, const cmb_point *at, const double *lambda, double *s);
  cmb_status (*outputs)(const void *self, const cmb_point *at, const double *a,
                        const double *lambda, double *out);

  /* Levels: switching functions whose mode is a whole number (the interval of a table, floor). Such a function is positive
   * while the mode is right. `levels` sets mode[i] to what it should be at this point, for each i that is a level, with the other modes as the point
   * has them; one without a finite value is left as it is. A function may depend on the modes of functions before it. */
  const bool *switch_is_level; /* (ns), NULL: none is */
  cmb_status (*levels)(const void *self, const cmb_point *at, const double *lambda, int *mode);

  /* Functions with friction that can hold more than it exerts while it slips: besides +1 and -1 such a function has the modes +2 and -2,
   * the bounds of what holds it at 0. NULL: none. */
  const bool *switch_sticks; /* (ns) */

  /* Bounds of switching functions over a piece of a motion: s (ns) holds all their values, and rate (ns) their derivatives
   * with respect to θ; of a level, those of what decides on it. Either may be NULL. With these bounds no event inside a step is
   * missed. NULL: there are none; then the functions are looked at in some points of a step. */
  void (*enclose)(const void *self, const cmb_box *box, cmb_interval *s, cmb_interval *rate);
  const bool *switch_enclosed; /* (ns) the functions for which there are bounds; NULL: none */
  const bool *switch_reads;    /* (nq + nv) the components of the box that they read; NULL: all */

  /* Rates of switching functions along a motion with the accelerations a, into flow (2 ns): ds/dt of those that have order 1, which
   * depend on velocities, and d²s/dt² of those of order 2, which do not; of these ds/dt is in the second half. Order 0: not
   * known. NULL: none is. */
  const int *switch_order; /* (ns) */
  cmb_status (*switch_flow)(const void *self, const cmb_point *at, const double *a, double *flow);

  /* Events of the user's. `conditions` tells which conditions are met, from the modes alone. `resets` gives what the reset
   * quantities ask of the velocities, R (v⁺ − v⁻) = change, R (reset_count x nv). `surfaces` gives those of all rules, as the
   * constraints u = 0: u, u_t, γ and the gradients U (rule_count x nv) on their pattern; of a rule without one, anything. */
  int rule_count, reset_count;
  const cmb_rule *rules;          /* (rule_count) */
  const char *const *reset_names; /* (reset_count) */
  const char *const *
      reset_units; /* (reset_count) of impulses along them, "" where it is not known; NULL: nowhere */
  const bool *
      reset_of_state; /* (reset_count) it changes states alone, which takes no impulse; NULL: none does */
  const bool *rule_reads; /* (rule_count x ns) the functions whose modes a condition reads */
  const bool *
      surface_reads; /* (rule_count x ns) the functions whose modes a surface reads; NULL: not known */
  const bool *switch_silent; /* (ns) functions that only conditions read; NULL: none */
  const bool *switch_shown;  /* (ns) functions whose modes outputs read; NULL: not known */
  const bool *
      switch_of_gap; /* (ns) functions that only stops read: bodies that touch have them at 0, and it does not matter
                              * which sign rounding gives them; NULL: none */
  cmb_status (*conditions)(const void *self, const cmb_point *at, const double *lambda, bool *met);
  cmb_status (*resets)(const void *self, const cmb_point *at, const double *lambda, double *R,
                       double *change);
  cmb_status (*surfaces)(const void *self, const cmb_point *at, double *u, double *ut,
                         double *gamma, double *U);
  const cmb_pattern *U_pattern; /* NULL: dense */

  /* Outputs where bodies rest on surfaces: push (rule_count) are the forces μ of those of rules, M v̇ = f − Gᵀ λ − (∂u̇/∂v)ᵀ μ; 0 where
   * nothing rests. NULL: outputs do not depend on them. */
  cmb_status (*outputs_at_rest)(const void *self, const cmb_point *at, const double *a,
                                const double *lambda, const double *push, double *out);

  /* Rates of late states with accelerations and multipliers as they are: out (nl) belongs to the velocities late_row (nl); push as in
   * outputs_at_rest, NULL: nothing rests. Whoever evaluates equations that have it puts it in place of what `evaluate` and `residual`
   * say of these rows, which may be wrong where bodies rest, friction holds, or constraints depend on each other. NULL: there are none. */
  const int *late_row;
  cmb_status (*late)(const void *self, const cmb_point *at, const double *a, const double *lambda,
                     const double *push, double *out);

  /* What the motion takes from time alone (nt functions: inputs, drives, tables of t), values and bounds; of the point and the
   * box only t and the mode are read. With them no step passes over a variation that its stages do not see. 0, NULL: none. */
  int nt;
  void (*time_values)(const void *self, const cmb_point *at, double *values);
  void (*time_bounds)(const void *self, const cmb_box *box, cmb_interval *bounds);
  void (*time_rates)(const void *self, const cmb_box *box,
                     cmb_interval *rates); /* of their derivatives; NULL: there are none */

  /* The same for path_count functions of q, or of q and t, that may have narrow bumps (tables, exp): of the point and the box t, q and the
   * mode are read. 0, NULL: none. */
  int path_count;
  void (*path_values)(const void *self, const cmb_point *at, double *values);
  void (*path_bounds)(const void *self, const cmb_box *box, cmb_interval *bounds);
  void (*path_rates)(const void *self, const cmb_box *box,
                     cmb_interval *rates); /* of their derivatives by θ; NULL: there are none */
  void (*path_bends)(const void *self, const cmb_box *box,
                     cmb_interval *bends); /* of their second ones, unknown where the first ones
                                              may jump; NULL: there are none */
  const bool *path_reads;                  /* (nq) the coordinates that they read; NULL: all */

  /* Bounds of what holds while time goes on: of f (nv) and γ (ng), of the rates of switching functions with the accelerations a (`switch_flow`, 2 ns), and of
   * γ of the surfaces of all rules (rule_count), over a box with t, q and v. With them friction that holds and bodies that rest are let go by no load of
   * time unseen. `matrices_vary`: M, G or the gradients of surfaces depend on t, of which these bounds say nothing. NULL: none of it depends on
   * t, or nothing is known. */
  bool matrices_vary;
  void (*load_bounds)(const void *self, const cmb_box *box, cmb_interval *f, cmb_interval *gamma);
  void (*flow_bounds)(const void *self, const cmb_box *box, const double *a, cmb_interval *flow);
  void (*surface_bounds)(const void *self, const cmb_box *box, cmb_interval *gamma);

  /* kinetic and potential energy; NULL: not known */
  cmb_status (*energy)(const void *self, const cmb_point *at, double *energy);

  /* The name of an implicit function of t, q and v without a root at this point, which makes values not finite; NULL: all have one. Where
   * q is NULL, at the point that was last evaluated with this scratch memory. NULL: there are none. */
  const char *(*unsolved)(const void *self, const cmb_point *at);
} cmb_equations;

/* Whether velocity i belongs to coordinate i, for all but states. */
static inline bool cmb_velocities_pair(const cmb_equations *eq)
{
  return eq->nq == eq->nv - eq->nz;
}

/* The frame that goes with a steady motion: in it velocities and positions are constant. Seen from the ground the accelerations of the motion
 * are v̇ = v_frame v, and a small change that is constant in the frame grows by q_frame δq. */
typedef struct cmb_steady_frame {
  double turn;           /* about the vertical, rad/s; 0: on a straight line */
  const double *v_frame; /* (nv x nv) */
  const double *q_frame; /* (nq x nq) */
} cmb_steady_frame;

/* A system: equations, where they start and how long they are usually run. */
typedef struct cmb_system cmb_system;

CMB_API const cmb_equations *cmb_system_equations(const cmb_system *system);
CMB_API double cmb_system_t_start(const cmb_system *system);
CMB_API double cmb_system_t_end(const cmb_system *system);
CMB_API const double *cmb_system_q(
    const cmb_system *system); /* (nq) start values, perhaps not consistent */
CMB_API const double *cmb_system_v(const cmb_system *system); /* (nv) */
CMB_API void cmb_system_destroy(cmb_system *system);

/* A system from equations written by the caller. `equations` and what it points to must outlive it. */
CMB_API cmb_status cmb_system_create(cmb_context *ctx, const cmb_equations *equations,
                                     double t_start, double t_end, const double *q, const double *v,
                                     cmb_system **system);

/* A number with a name: "xl=0.01". */
typedef struct cmb_setting {
  const char *name;
  double value;
} cmb_setting;

/* Change start values by coordinate or velocity name. They are not held: a consistent start may move them like any other. For
 * a model, values that are to be held belong into cmb_model_system_options. */
CMB_API cmb_status cmb_system_set_start(cmb_context *ctx, cmb_system *system, int count,
                                        const cmb_setting *settings);

/* A parameter of a bundled problem. */
typedef struct cmb_parameter {
  const char *name;
  double value;    /* default */
  double min, max; /* permitted range, ends included */
  bool integer;
  const char *unit;
  const char *meaning;
} cmb_parameter;

/* A bundled problem, written by hand in C. */
typedef struct cmb_problem cmb_problem;

CMB_API int cmb_problem_count(void);
CMB_API const cmb_problem *cmb_problem_at(int i);
CMB_API const cmb_problem *cmb_problem_find(const char *name); /* NULL if there is none */
CMB_API const char *cmb_problem_name(const cmb_problem *problem);
CMB_API const char *cmb_problem_title(const cmb_problem *problem);
CMB_API const char *cmb_problem_twin(
    const cmb_problem *problem); /* the bundled model file of the same mechanism; NULL: none */
CMB_API const cmb_parameter *cmb_problem_parameters(const cmb_problem *problem, int *count);

/* The problem as a system, with the given parameters in place of their defaults. */
CMB_API cmb_status cmb_problem_create(cmb_context *ctx, const cmb_problem *problem, int count,
                                      const cmb_setting *settings, cmb_system **system);

/* How programs made from a model's expressions are run. */
typedef enum cmb_evaluation {
  CMB_EVALUATE_AUTO, /* native code if an earlier run has compiled it, else the interpreter */
  CMB_EVALUATE_INTERPRETER,
  CMB_EVALUATE_NATIVE /* compiled by the system's C compiler, once; the interpreter if there is none */
} cmb_evaluation;

/* The constraints that were left out: their names. */
CMB_API const char *const *cmb_system_left_out(const cmb_system *system, int *count);

/* Which multipliers (ng) and outputs (no) are not unique, because redundant constraints can share out their forces in several ways.
 * NULL: none is redundant. */
CMB_API const bool *cmb_system_shared_multipliers(const cmb_system *system);
CMB_API const bool *cmb_system_shared_outputs(const cmb_system *system);

/* How the system's equations are run; CMB_NATIVE_INTERPRETED for those written in C, too. */
CMB_API cmb_native_origin cmb_system_origin(const cmb_system *system);

/* How far the consistent initial values lie from those given. */
typedef struct cmb_start_report {
  double q_moved, v_moved;   /* 2-norms of the changes */
  int q_most, v_most;        /* the coordinate and the velocity that moved most */
  double position, velocity; /* 2-norms of g and G v + g_t afterwards */
  int iterations;
} cmb_start_report;

/* What was done, counted. `f` counts every evaluation of the right-hand side or the residual, those for
 * difference Jacobians included; `newton` counts iterations, `projections` those of positions, `repartitions`
 * how often methods with coordinate partitioning took other velocities as the independent ones. Of difference Jacobians by groups of
 * columns: `pattern` is the number of entries of the estimated pattern, `groups` that of its groups, both as they are last, and
 * `pattern_growth` how often it took up more. */
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
