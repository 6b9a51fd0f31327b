/*
 * Camber, layer method: integrators. One handle integrates one set of equations with one method, step by
 * step; layer sim runs it with output and events.
 */
#ifndef CAMBER_METHOD_H
#define CAMBER_METHOD_H

#include <camber/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An option of a method: its name, the words it takes ("none|control|every"), the one it has unless told
 * otherwise, and what it does. The word NUMBER stands for a positive number. */
typedef struct cmb_option {
  const char *name;
  const char *values;
  const char *fallback;
  const char *meaning;
} cmb_option;

/* An option as a user gives it: "projection=every". */
typedef struct cmb_option_setting {
  const char *name;
  const char *value;
} cmb_option_setting;

typedef struct cmb_method cmb_method;

CMB_API int cmb_method_count(void);
CMB_API const cmb_method *cmb_method_at(int i);
CMB_API const cmb_method *cmb_method_find(const char *name); /* NULL if there is none */
CMB_API const char *cmb_method_name(const cmb_method *method);
CMB_API const char *cmb_method_title(const cmb_method *method);
CMB_API int cmb_method_order(const cmb_method *method);
CMB_API bool cmb_method_is_implicit(
    const cmb_method *method); /* it works with exact Jacobians if there are some */
CMB_API bool cmb_method_is_real_time(
    const cmb_method *method); /* it makes steps of one size and of fixed cost, and no others */
CMB_API const cmb_option *cmb_method_options(const cmb_method *method, int *count);

/* Whether the method has this option and takes this value; otherwise CMB_ERROR_ARGUMENT, with words. */
CMB_API cmb_status cmb_method_check_option(cmb_context *ctx, const cmb_method *method,
                                           const cmb_option_setting *setting);

typedef struct cmb_integrator_options {
  double rtol, atol; /* relative and absolute tolerance of a step's error, > 0 */
  double step;       /* first step, or the step if it is fixed; 0: chosen */
  double max_step;   /* 0: no limit */
  long max_steps;    /* attempts in all */
  int setting_count; /* options of the method */
  const cmb_option_setting *settings;
} cmb_integrator_options;

/* rtol 1e-6, atol a hundredth of it. */
CMB_API cmb_integrator_options cmb_integrator_defaults(void);

/* The step of a real-time method unless it is given, in seconds. */
#define CMB_USUAL_PERIOD 1e-3

/* The absolute tolerance that goes with a relative one unless it is given. */
#define CMB_ATOL_PER_RTOL 0.01

typedef struct cmb_integrator cmb_integrator;

/* `equations` must outlive the integrator. All memory is taken here; stepping takes none. */
CMB_API cmb_status cmb_integrator_create(cmb_context *ctx, const cmb_equations *equations,
                                         const cmb_method *method,
                                         const cmb_integrator_options *options,
                                         cmb_integrator **integrator);
CMB_API void cmb_integrator_destroy(cmb_integrator *in);

/* Begin at (t, q, v), which must be consistent. Also after an event: the old history is dropped. */
CMB_API cmb_status cmb_integrator_begin(cmb_integrator *in, double t, const double *q,
                                        const double *v);

/* One accepted step forward, not beyond t_limit. */
CMB_API cmb_status cmb_integrator_step(cmb_integrator *in, double t_limit);

/* Where the integrator stands. */
CMB_API double cmb_integrator_t(const cmb_integrator *in);
CMB_API const double *cmb_integrator_q(const cmb_integrator *in);
CMB_API const double *cmb_integrator_v(const cmb_integrator *in);
CMB_API const double *cmb_integrator_lambda(const cmb_integrator *in);
CMB_API const double *cmb_integrator_a(
    const cmb_integrator *in); /* accelerations; until the next step */
CMB_API double cmb_integrator_t_before(const cmb_integrator *in); /* where the last step began */

/* The continuous solution inside the last step, t_before <= t <= t. Not projected. */
CMB_API cmb_status cmb_integrator_interpolate(cmb_integrator *in, double t, double *q, double *v);

/* The degree, at the most, of the polynomials in time that interpolation over the last step gives. */
CMB_API int cmb_integrator_dense_degree(const cmb_integrator *in);

/* Go back to where the last step began; half its size is tried next. For when an event was seen but
 * could not be bracketed on the projected solution. */
CMB_API cmb_status cmb_integrator_undo(cmb_integrator *in);

/* How far the last step was from the constraints before it was projected onto them: the 2-norms of the multipliers τ of its positions'
 * projection and η of its velocities' (Simeon 1996, eqs. 8 and 9; docs/theory.md). 0: it made none. */
CMB_API void cmb_integrator_drift(const cmb_integrator *in, double *tau, double *eta);

/* The order of the last step: that of the method, or what a method of variable order has chosen. */
CMB_API int cmb_integrator_order(const cmb_integrator *in);

/* Since when an explicit method has been held by stability rather than by accuracy; NaN: it has not. */
CMB_API double cmb_integrator_stiff_since(const cmb_integrator *in);

/* How far positions can drift from the constraints, computed along the run by methods that project once per step (docs/methods/lie.md):
 * ‖g‖ <= limit as long as `holds`. */
typedef struct cmb_drift_bound {
  double C0, C1, C2; /* the largest constants so far */
  double limit;      /* g_lim; infinite if there is none */
  bool holds;        /* the condition for it has held in all steps so far */
  double broken_at;  /* when it failed first; NaN: it has not */
  long steps;        /* looked at */
} cmb_drift_bound;

/* NULL if the method has no such bound. */
CMB_API const cmb_drift_bound *cmb_integrator_drift_bound(const cmb_integrator *in);

CMB_API const cmb_statistics *cmb_integrator_statistics(const cmb_integrator *in);

/* The pattern of a difference Jacobian as `jacobian=sparse` of bdf estimates it (Arnold, Fuchs and Führer 2006 §3.1, their Ω), and the
 * groups of columns that are moved together. Rows: nv equations of motion, then the ng constraints on velocities (on accelerations
 * where velocities are no rates of coordinates); columns: nv directions of q, then v. */
typedef struct cmb_jacobian_report {
  int rows, columns;   /* nv + ng, 2 nv */
  int entries, groups; /* what is not 0 there */
  int exact_entries,
      exact_groups; /* of all that can be not 0 anywhere, as the equations say; -1: not known */
} cmb_jacobian_report;

/* At a state that meets the constraints, in the modes given (ns). `there` (rows x columns) and `group` (columns) receive the pattern and
 * the group of each column; they may be NULL. */
CMB_API cmb_status cmb_system_jacobian(cmb_context *ctx, const cmb_system *system, double t,
                                       const double *q, const double *v, const int *mode,
                                       cmb_jacobian_report *report, bool *there, int *group);

#ifdef __cplusplus
}
#endif
#endif
