/*
 * Camber, layer method: integrators. An integrator integrates one set of equations with one method, step by
 * step; layer sim runs it with output and events.
 */
#ifndef CAMBER_METHOD_H
#define CAMBER_METHOD_H

#include <camber/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An option of a method: its name, the values that it accepts ("none|control|every"), its default value, and what it does. The word
 * NUMBER among the values stands for a positive number. */
typedef struct cmb_option {
  const char *name;
  const char *values;
  const char *fallback;
  const char *meaning;
} cmb_option;

/* A value that a user gives to an option: "projection=every". */
typedef struct cmb_option_setting {
  const char *name;
  const char *value;
} cmb_option_setting;

typedef struct cmb_method cmb_method;

/* The methods are numbered from 0 to cmb_method_count() − 1; cmb_method_at returns NULL for other numbers. */
CMB_API int cmb_method_count(void);
CMB_API const cmb_method *cmb_method_at(int i);
CMB_API const cmb_method *cmb_method_find(const char *name); /* NULL if there is none */
CMB_API const char *cmb_method_name(const cmb_method *method);
CMB_API const char *cmb_method_title(const cmb_method *method);
CMB_API int cmb_method_order(const cmb_method *method);
/* Returns whether the method is implicit: it solves equations with Jacobians, and uses exact ones if the equations provide them. */
CMB_API bool cmb_method_is_implicit(const cmb_method *method);
/* Returns whether the method makes only steps of one size and of fixed cost. */
CMB_API bool cmb_method_is_real_time(const cmb_method *method);
/* Returns the options that a method has, and their number in *count. */
CMB_API const cmb_option *cmb_method_options(const cmb_method *method, int *count);

/* Checks that a method has an option with this name that accepts this value; otherwise returns CMB_ERROR_ARGUMENT, with the reason in
 * the context. */
CMB_API cmb_status cmb_method_check_option(cmb_context *ctx, const cmb_method *method,
                                           const cmb_option_setting *setting);

typedef struct cmb_integrator_options {
  double rtol, atol; /* relative and absolute tolerance of the error of a step, > 0 */
  /* size of the first step, or of all if the method has a fixed step; 0: chosen by the method */
  double step;
  double max_step;   /* 0: no limit */
  long max_steps;    /* largest number of steps tried, rejected ones included */
  int setting_count; /* values for options of the method */
  const cmb_option_setting *settings;
} cmb_integrator_options;

/* Returns the default options: rtol 1e-6, atol a hundredth of it, no limit of the step size. */
CMB_API cmb_integrator_options cmb_integrator_defaults(void);

/* The default step size of a real-time method, in seconds. */
#define CMB_USUAL_PERIOD 1e-3

/* The default absolute tolerance divided by the relative one. */
#define CMB_ATOL_PER_RTOL 0.01

typedef struct cmb_integrator cmb_integrator;

/* Creates an integrator. `equations` must outlive it. All memory is allocated here; steps allocate none, except for the factors of large
 * sparse matrices. */
CMB_API cmb_status cmb_integrator_create(cmb_context *ctx, const cmb_equations *equations,
                                         const cmb_method *method,
                                         const cmb_integrator_options *options,
                                         cmb_integrator **integrator);
/* Frees an integrator; NULL is allowed. */
CMB_API void cmb_integrator_destroy(cmb_integrator *in);

/* Starts the integration at the state (t, q, v), which must be consistent with the constraints. Also to be called after an event has
 * changed the state: former steps are forgotten. q (nq) and v (nv) are copied. */
CMB_API cmb_status cmb_integrator_begin(cmb_integrator *in, double t, const double *q,
                                        const double *v);

/* Takes one accepted step forward that ends at t_limit or before; cmb_integrator_begin must have been called. Returns CMB_ERROR_STEP_SIZE,
 * CMB_ERROR_STEP_COUNT or another negative status if it cannot. */
CMB_API cmb_status cmb_integrator_step(cmb_integrator *in, double t_limit);

/* Return the present time and state: q (nq), v (nv) and the multipliers λ (ng). The arrays belong to the integrator. */
CMB_API double cmb_integrator_t(const cmb_integrator *in);
CMB_API const double *cmb_integrator_q(const cmb_integrator *in);
CMB_API const double *cmb_integrator_v(const cmb_integrator *in);
CMB_API const double *cmb_integrator_lambda(const cmb_integrator *in);
/* Returns the accelerations (nv); valid until the next step. */
CMB_API const double *cmb_integrator_a(const cmb_integrator *in);
/* Returns the time at which the last step began. */
CMB_API double cmb_integrator_t_before(const cmb_integrator *in);

/* Computes q (nq) and v (nv) at a time t inside the last step, ends included, from the continuous solution. They are not projected onto the
 * constraints. Returns CMB_ERROR_ARGUMENT if t is outside. */
CMB_API cmb_status cmb_integrator_interpolate(cmb_integrator *in, double t, double *q, double *v);

/* Returns the highest degree of the polynomials in time by which the last step is interpolated. */
CMB_API int cmb_integrator_dense_degree(const cmb_integrator *in);

/* Returns to the beginning of the last step; half its size is tried next. It is used if an event was found in the step but could not be
 * bracketed on the projected solution. Only one step can be undone. */
CMB_API cmb_status cmb_integrator_undo(cmb_integrator *in);

/* Gets measures of how far the last step was from the constraints before it was projected onto them: the 2-norm of the multipliers τ of
 * the projection of positions, and of the multipliers η of that of velocities (Simeon 1996, eqs. 8 and 9; docs/theory.md). They are 0 if
 * there was no projection. */
CMB_API void cmb_integrator_drift(const cmb_integrator *in, double *tau, double *eta);

/* Returns the order of the last step: the order of the method, or the one that a method of variable order has chosen. */
CMB_API int cmb_integrator_order(const cmb_integrator *in);

/* Returns the time since which the step size of an explicit method has been limited by stability rather than by accuracy (the equations
 * are stiff); NaN if it is not. */
CMB_API double cmb_integrator_stiff_since(const cmb_integrator *in);

/* A bound on the drift of positions from the constraints, ‖g‖ <= limit, which holds as long as `holds` is true. Methods that project
 * once per step compute it along the run (docs/methods/lie.md). */
typedef struct cmb_drift_bound {
  double C0, C1, C2; /* largest values so far of the constants in the bound */
  double limit;      /* g_lim; infinite if no bound is known */
  bool holds; /* in all steps so far the condition for the bound was met, and ‖g‖ was within it */
  double broken_at; /* time at which this was first not so; NaN: it always was */
  long steps;       /* number of steps in which the bound was computed */
} cmb_drift_bound;

/* Returns the bound on the drift, which belongs to the integrator; NULL if the method has none. */
CMB_API const cmb_drift_bound *cmb_integrator_drift_bound(const cmb_integrator *in);

/* Returns the counts of steps, evaluations and so on since the integrator was created. They belong to the integrator. */
CMB_API const cmb_statistics *cmb_integrator_statistics(const cmb_integrator *in);

/* The size of the pattern of a difference Jacobian as `jacobian=sparse` of bdf estimates it (Arnold, Fuchs and Führer 2006 §3.1, their Ω),
 * and the number of groups of columns that are displaced simultaneously. Rows: nv equations of motion, then the ng constraints on
 * velocities (on accelerations with Euler parameters, or where velocities are no rates of coordinates); columns: nv directions of q, then
 * v. */
typedef struct cmb_jacobian_report {
  int rows, columns;   /* nv + ng, 2 nv */
  int entries, groups; /* number of entries that are not 0 at this state; groups of their columns */
  /* numbers for all entries that can be not 0 anywhere, as the equations specify them; -1: not known */
  int exact_entries, exact_groups;
} cmb_jacobian_report;

/* Estimates the pattern of the Jacobian at a state (t, q, v) that meets the constraints, in the given modes of the switching functions
 * (ns). `there` (rows x columns) and `group` (columns) receive the pattern and the group of each column; they may be NULL. Returns
 * CMB_ERROR_EQUATIONS if the equations cannot be evaluated there. */
CMB_API cmb_status cmb_system_jacobian(cmb_context *ctx, const cmb_system *system, double t,
                                       const double *q, const double *v, const int *mode,
                                       cmb_jacobian_report *report, bool *there, int *group);

#ifdef __cplusplus
}
#endif
#endif
