/*
 * Camber, layer sim: a whole run: consistent start, steps, events, output, statistics.
 *
 *     cmb_simulation_create(ctx, system, &options, &sim);
 *     cmb_simulation_run(sim);
 *     const cmb_result *r = cmb_simulation_result(sim);
 */
#ifndef CAMBER_SIM_H
#define CAMBER_SIM_H

#include <camber/method.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A point of the trajectory as the observer gets it; the arrays are valid during the call only. */
typedef struct cmb_record {
  double t;
  const double *q, *v, *lambda, *outputs;
  /* outputs of the equations in the option `extra_equations`; NULL: there are none, or the forces are not unique here */
  const double *extra_outputs;
  /* (ng) whether the equations determine each multiplier uniquely; NULL: all are unique */
  const bool *lambda_unique;
  /* 2-norms of g and of G v + g_t, at a time inside a step before the state there is projected; NaN unless the option `residuals` is set */
  double position, velocity;
  /* at an event: -1 right before it, in the old modes; +1 right after it; 0: no event here */
  int side;
} cmb_record;

typedef enum cmb_event_kind {
  /* sign change of a switching function that the model names; or any function that was held at its switch (sticking friction) is
   * released */
  CMB_KIND_SWITCH,
  CMB_KIND_CONTACT,   /* a contact or tyre closes (+1) or opens (-1) */
  CMB_KIND_FORMULA,   /* kink or discontinuity inside a formula */
  CMB_KIND_CONDITION, /* the condition of an event of the user's */
  CMB_KIND_IMPACT,    /* the gap of a stop or rigid contact has closed */
  /* a resting contact begins or ends; the name is that of the rule with ".rest" appended */
  CMB_KIND_REST
} cmb_event_kind;

/* An event. Of a switching function: `direction` is its new sign, or the sign of the change of a level. With index -1: a condition of
 * the user's became true (+1) or false (-1), or a resting contact began (+1) or ended (-1). */
typedef struct cmb_event {
  const char *name;
  int index; /* of the switching function; -1: an event of the user's */
  double t;
  int direction;
  /* of a resting contact that begins: the time at which the impacts before it accumulate; else NaN */
  double limit;
  cmb_event_kind kind;
} cmb_event;

/* An impulse of a constraint: the velocities changed impulsively, because the prescribed rate of the constraint did or the constraint
 * came into force. Its value is the integral of the constraint's force over this instant, with the sign and unit that the equations
 * define (impulse_signs, impulse_units). If constraints are dependent, `unique` is true if the equations determine the value. */
typedef struct cmb_impulse {
  const char *name; /* of the constraint, or of the quantity that was reset */
  double t;
  double value;
  const char *unit; /* "N s", "N m s"; "": unknown */
  /* number of the constraint; -1: an impulse along a quantity that an event or a stop has reset */
  int index;
  bool unique;
} cmb_impulse;

/* A singular position: the constraints lost rank there, because those with these names became dependent on each other. The motion
 * continues on its branch. The array is valid during the call only, the names as long as the equations. */
typedef struct cmb_singularity {
  double t;
  int count;
  const char *const *constraints; /* (count) */
} cmb_singularity;

/* The functions that a run calls; each may be NULL. A status other than CMB_OK ends the run with this status. */
typedef struct cmb_observer {
  void *user;
  /* gets the state at each accepted step and on both sides of each event; with the option `every`, at this interval and at the end only */
  cmb_status (*record)(void *user, const cmb_record *record);
  /* gets the state on both sides of each event, always */
  cmb_status (*side)(void *user, const cmb_record *record);
  /* gets the states that a plot needs, if the option `samples` is not 0: each accepted step, both sides of each event, and points inside
   * of long steps */
  cmb_status (*sample)(void *user, const cmb_record *record);
  /* gets each event as it happens */
  cmb_status (*event)(void *user, const cmb_event *event);
  /* gets each impulse, after the events that caused it */
  cmb_status (*impulse)(void *user, const cmb_impulse *impulse);
  /* gets each singular position through which the motion passes */
  cmb_status (*singular)(void *user, const cmb_singularity *singularity);
  /* called after each step, and after each record inside of one */
  cmb_status (*progress)(void *user, double t, double t_start, double t_end);
  /* called right before a step that begins at t, and after everything that belongs to a step that ends at t: events, outputs, records */
  cmb_status (*before_step)(void *user, double t);
  cmb_status (*after_step)(void *user, double t);
} cmb_observer;

typedef struct cmb_run_options {
  const cmb_method *method;
  cmb_integrator_options integrator;
  double t_end; /* NaN: the end time of the system */
  /* interval of the records, besides the one at the end; 0: a record at each accepted step and on both sides of each event */
  double every;
  bool residuals; /* compute the norms of the constraints for records */
  /* Other equations of the same motion, such as those of the same model with other outputs: records contain these outputs, too. They
   * must outlive the run and do not influence it otherwise. Their outputs are unknown where constraint forces are not unique, and where
   * dry friction and a closed contact act along the same line. NULL: none */
  const cmb_equations *extra_equations;
  /* The observer's `sample` gets states at most the length of the run divided by `samples` apart; 0: none */
  int samples;
  cmb_observer observer;
} cmb_run_options;

/* Returns default options: method mdop5, cmb_integrator_defaults, the system's end time, no observer. */
CMB_API cmb_run_options cmb_run_defaults(void);

/* Returns whether equations have the sizes that are required of the option `extra_equations` in a run with the equations eq. */
CMB_API bool cmb_extra_equations_fit(const cmb_equations *extra, const cmb_equations *eq);

/* The present state of a run; after a failure, the last state that was reached. */
typedef struct cmb_result {
  cmb_status status;
  double t;
  const double *q, *v, *lambda, *outputs;
  const double *p; /* (np) values of live parameters and sampled values at t */
  bool started;    /* false: the start has failed; λ, outputs and norms are unknown and 0 */
  const bool *lambda_unique; /* (ng) as in cmb_record */
  /* (no) false: the output has depended on how contacts share indeterminate forces; NULL: none has */
  const bool *outputs_unique;
  const int *mode;           /* (ns) modes of the switching functions, as in cmb_point */
  double position, velocity; /* 2-norms of g and of G v + g_t at t */
  double worst_position, worst_velocity; /* the largest of these norms at all accepted steps */
  /* largest 2-norms of the multipliers of the projections at the ends of steps (cmb_integrator_drift) */
  double worst_tau, worst_eta;
  long events;
  long impulses;
  long instants;          /* number of instants at which controllers have sampled */
  const char *stopped_by; /* name of the event that ended the run before its end time; NULL: none */
  /* name of a switching function that is held at 0 at t, such as that of sticking friction; NULL: none */
  const char *sliding;
  /* number of time intervals in which a switching function comes so close to 0, or to a discontinuity, that an event could neither be
   * proved nor excluded .. */
  long undecided;
  double undecided_t;         /* .. time of the last of them .. */
  const char *undecided_name; /* .. and name of its function; NULL: none */
  long singularities;
  long records;
  int order;          /* of the last step: cmb_integrator_order */
  double stiff_since; /* cmb_integrator_stiff_since */
  cmb_start_report start;
  const cmb_drift_bound *drift; /* cmb_integrator_drift_bound */
  const cmb_statistics *statistics;
} cmb_result;

typedef struct cmb_simulation cmb_simulation;

/* Creates a run; `system` and all that `options` points to must outlive it. */
CMB_API cmb_status cmb_simulation_create(cmb_context *ctx, const cmb_system *system,
                                         const cmb_run_options *options,
                                         cmb_simulation **simulation);
/* Frees a run; NULL is allowed. */
CMB_API void cmb_simulation_destroy(cmb_simulation *sim);

/* Computes only the consistent start: fills t, q, v, λ, outputs, residuals and the start report of the result. */
CMB_API cmb_status cmb_simulation_start(cmb_simulation *sim);

/* Does the whole run from the start. The status is also stored in the result; the context has the message of a failure. */
CMB_API cmb_status cmb_simulation_run(cmb_simulation *sim);

/* Continues the run to the time t, exactly but for rounding, for programs that run it in pieces: from its present time or, if it has not
 * begun, from the start; the step that would pass t ends there. Observers, events and records are those of a run. An event may stop it
 * before t: `stopped_by` of the result. Returns CMB_ERROR_ARGUMENT, and changes nothing, if t is before the present time or after the end
 * time, or if the run has failed or was stopped; cmb_simulation_run then begins anew. */
CMB_API cmb_status cmb_simulation_advance(cmb_simulation *sim, double t);

/* Changes the values of live parameters and inputs (p_names of the equations), all simultaneously, for this run: before it begins, between
 * two pieces, or in the observer's before_step and after_step. The run continues as after an event: modes, impulses, resting contacts, a
 * record, and the integrator starts again. An error (< 0, described in the context) is returned for values with which the present positions
 * violate a constraint or a gap, values that the model's file could not have, such as a negative mass, numbers that are not finite, unknown
 * names and those of sampled values, and rates other than 0 of inputs that move a constraint or a gap; then nothing has changed, and the
 * run can be continued. The values stay for the next run.
 *
 * Before the run begins, or after a start that has failed, the start values are computed anew for the new values, as those of a model that
 * was read with them (cmb_system_start). If there are none, this is reported when the run begins. cmb_simulation_get gets the present value
 * of one parameter or input. */
CMB_API cmb_status cmb_simulation_set(cmb_simulation *sim, int count, const cmb_setting *settings);
CMB_API cmb_status cmb_simulation_get(const cmb_simulation *sim, const char *name, double *value);

/* Saves the complete state to a file, from which the run can be resumed: after a piece of a run, or in the observer's before_step and
 * after_step. It does not influence the run, to the last bit. If the file cannot be written this is an error, and the run can be
 * continued. */
CMB_API cmb_status cmb_simulation_save(cmb_simulation *sim, const char *path);

/* Resumes a saved run, instead of a start: of the same system, method, tolerances and options, saved by the same version. It is continued
 * by cmb_simulation_advance; with explicit one-step methods and those of fixed cost the results are the same to the last bit, while other
 * methods start again at the state; t_end and `every` may differ. Returns CMB_ERROR_INPUT, with the reason in the context, for any other or
 * a damaged file. */
CMB_API cmb_status cmb_simulation_resume(cmb_simulation *sim, const char *path);

/* Returns the state of the run, which belongs to it and is updated by it. */
CMB_API const cmb_result *cmb_simulation_result(const cmb_simulation *sim);

/* A CSV file of a trajectory: a line of names, then a line per record, with 17 digits. While it is open, whole lines are written to
 * PATH.partial, at the latest with the first record half a second after the last writing; closing gives the file its name. If this fails,
 * PATH.partial stays, and the error message contains this. An existing PATH.partial, for instance of a run that was killed, is kept:
 * PATH.2.partial is used then, and so on. A PATH to which another run is writing is an error. */
typedef struct cmb_csv cmb_csv;

/* Creates a CSV file for the records of a run with these equations, which must outlive it. */
CMB_API cmb_status cmb_csv_open(cmb_context *ctx, const char *path, const cmb_equations *equations,
                                cmb_csv **csv);

/* Creates a CSV file as cmb_csv_open does, with the columns |g| and |Gv| at the end, for records that have residuals. */
CMB_API cmb_status cmb_csv_open_residuals(cmb_context *ctx, const char *path,
                                          const cmb_equations *equations, cmb_csv **csv);
CMB_API cmb_status cmb_csv_record(cmb_csv *csv, const cmb_record *record);
CMB_API cmb_status cmb_csv_close(cmb_csv *csv); /* keeps the file; frees csv */
CMB_API void cmb_csv_discard(cmb_csv *csv);     /* removes the file; frees csv */

#ifdef __cplusplus
}
#endif
#endif
