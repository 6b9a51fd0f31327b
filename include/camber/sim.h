/*
 * Camber, layer sim: a whole run. Consistent start, steps, events, output, statistics.
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

/* A point of the trajectory, as it is handed out; the arrays are valid during the call only. */
typedef struct cmb_record {
  double t;
  const double *q, *v, *lambda, *outputs;
  const double *
      witness; /* outputs of the equations `witness`; NULL: there are none, or they are not known here */
  const bool *lambda_unique; /* (ng) whether the equations determine each; NULL: all */
  double position,
      velocity; /* 2-norms of g and of G v + g_t; NaN unless `residuals` is asked for */
  int side; /* of an event: -1 right before it, in the old modes; +1 right behind it; 0: there is none here */
} cmb_record;

typedef enum cmb_event_kind {
  CMB_KIND_SWITCH, /* a switching function that the model names, with its index; any that was held at its switch and is released */
  CMB_KIND_CONTACT,   /* that of a contact or tyre: it touches, +1, or lifts off, -1 */
  CMB_KIND_FORMULA,   /* that of a kink or jump within a formula */
  CMB_KIND_CONDITION, /* a condition of an event of the user's */
  CMB_KIND_IMPACT,    /* a gap of a stop or rigid contact has closed */
  CMB_KIND_REST /* bodies rest on a surface, or leave it; the name is that of the rule with ".rest" behind */
} cmb_event_kind;

/* A switching function changed its sign; direction is its new sign. A level changed: the sign of the change. Or (index -1)
 * a condition of the user's came to be met, +1, or ceased to be, -1, or bodies came to rest on a surface, +1, or left it, -1. */
typedef struct cmb_event {
  const char *name;
  int index; /* of the switching function; -1: an event that the user asked for */
  double t;
  int direction;
  double
      limit; /* of a rest that begins: the time at which the impacts before it accumulate; else NaN */
  cmb_event_kind kind;
} cmb_event;

/* A constraint has acted with an impulse: velocities jumped, because its rate did or it came into force. It is the integral of the
 * constraint's force over no time, with the sign and the unit that the equations give it (impulse_signs, impulse_units). Where the
 * constraints are dependent, `unique` tells whether the equations determine it. */
typedef struct cmb_impulse {
  const char *name; /* of the constraint */
  double t;
  double value;
  const char *unit; /* "N s", "N m s"; "": not known */
  int index; /* of the constraint; -1: it acts along what an event or a stop has reset, its name is that */
  bool unique;
} cmb_impulse;

/* The constraints lost rank here: those with these names became dependent on each other. The motion goes on along its branch.
 * The array is valid during the call only, the names as long as the equations. */
typedef struct cmb_singularity {
  double t;
  int count;
  const char *const *constraints; /* (count) */
} cmb_singularity;

/* What the run calls as it goes. Each may be NULL. A status other than CMB_OK ends the run with it. */
typedef struct cmb_observer {
  void *user;
  /* at each accepted step and on both sides of each event; with `every`, at this interval only */
  cmb_status (*record)(void *user, const cmb_record *record);
  cmb_status (*side)(void *user, const cmb_record *record); /* both sides of each event, always */
  /* what a picture needs, if `samples` is not 0: points at nearly even distances, each accepted step, both sides of an event */
  cmb_status (*sample)(void *user, const cmb_record *record);
  cmb_status (*event)(void *user, const cmb_event *event);
  cmb_status (*impulse)(void *user,
                        const cmb_impulse *impulse); /* behind the events that made it */
  cmb_status (*singular)(void *user, const cmb_singularity *singularity);
  /* after each step, and after each record inside one */
  cmb_status (*progress)(void *user, double t, double t_start, double t_end);
  /* right before a step from t on, and when all that belongs to a step to t is done: events, outputs, records */
  cmb_status (*before_step)(void *user, double t);
  cmb_status (*after_step)(void *user, double t);
} cmb_observer;

typedef struct cmb_run_options {
  const cmb_method *method;
  cmb_integrator_options integrator;
  double t_end; /* NaN: the system's */
  double
      every; /* record at this interval; 0: at each accepted step and on both sides of each event */
  bool residuals; /* records have the norms of the constraints */
  /* Other equations of the same motion, as of the same model with other outputs: records have what these outputs are. They must outlive
   * the run, which does not depend on them otherwise. They are not known where forces of constraints are not determined, and while
   * dry friction holds. NULL: none */
  const cmb_equations *witness;
  int samples; /* how many nearly even distances the time has for the observer's `sample`; 0: none */
  cmb_observer observer;
} cmb_run_options;

CMB_API cmb_run_options cmb_run_defaults(void);

/* Whether equations have the sizes that the option `witness` of a run with others asks for. */
CMB_API bool cmb_can_witness(const cmb_equations *witness, const cmb_equations *eq);

/* Where the run stands. After a failure: where it came to. */
typedef struct cmb_result {
  cmb_status status;
  double t;
  const double *q, *v, *lambda, *outputs;
  const double *p; /* (np) the values of live parameters and sampled values at t */
  bool started;    /* false: the start has failed; λ, outputs and norms are 0, not known */
  const bool *lambda_unique; /* as in a record */
  const bool *
      outputs_unique; /* (no) false: it has depended on how contacts share their forces; NULL: none has */
  const int *mode;                       /* (ns) of the switching functions, as in cmb_point */
  double position, velocity;             /* 2-norms of g and of G v + g_t at t */
  double worst_position, worst_velocity; /* the same, largest over all accepted steps */
  double worst_tau,
      worst_eta; /* largest 2-norms of the multipliers of projections at the ends of steps */
  long events;
  long impulses;
  long instants;          /* at which controllers have sampled */
  const char *stopped_by; /* the event that ended the run before its time; NULL: none */
  const char *
      sliding; /* a switching function that is held at 0 at t, as that of friction that sticks; NULL: none */
  long
      undecided; /* stretches of time in which a switching function comes so near to 0, or to where it jumps, that no event could be proved or excluded .. */
  double undecided_t;         /* .. the last of them .. */
  const char *undecided_name; /* .. and its function; NULL: none */
  long singularities;
  long records;
  int order;          /* of the last step: cmb_integrator_order */
  double stiff_since; /* cmb_integrator_stiff_since */
  cmb_start_report start;
  const cmb_drift_bound *drift; /* cmb_integrator_drift_bound */
  const cmb_statistics *statistics;
} cmb_result;

typedef struct cmb_simulation cmb_simulation;

/* `system` must outlive the simulation. */
CMB_API cmb_status cmb_simulation_create(cmb_context *ctx, const cmb_system *system,
                                         const cmb_run_options *options,
                                         cmb_simulation **simulation);
CMB_API void cmb_simulation_destroy(cmb_simulation *sim);

/* Only the consistent start: fills the result's t, q, v, λ, outputs, residuals and start report. */
CMB_API cmb_status cmb_simulation_start(cmb_simulation *sim);

/* The whole run, start included. The status is also in the result; the context has the words. */
CMB_API cmb_status cmb_simulation_run(cmb_simulation *sim);

/* The run in pieces, for programs that drive it: on to exactly t, from where it stands or, if it has not begun, from the start; the
 * step that would pass t ends there. Observers, events and records are those of a run. A stop may end it before: `stopped_by` of
 * the result. A t before the present time or behind the end, and a run that has failed or was stopped, are CMB_ERROR_ARGUMENT with
 * words, and nothing changes; cmb_simulation_run begins anew. */
CMB_API cmb_status cmb_simulation_advance(cmb_simulation *sim, double t);

/* Live parameters and inputs (p_names of the equations) get other values, together, for this run: before it begins, between two
 * pieces, or in the observer's before_step and after_step. It goes on as behind an event: modes, impulses, rests, a record, and the integrator begins
 * anew where it is. Values with which a constraint or a gap is not met by the positions of the moment are refused (< 0, with words),
 * and so are those that the model's file could not have, such as a negative mass, numbers that are not finite and unknown names;
 * nothing has changed then, and the run can go on. They stay for the next run.
 *
 * Before the run begins, or after a start that has failed, the start values follow: they are found with the new values, as those of a model
 * that was read with them (cmb_system_start). That there are none with these values is told when the run begins. */
CMB_API cmb_status cmb_simulation_set(cmb_simulation *sim, int count, const cmb_setting *settings);
CMB_API cmb_status cmb_simulation_get(const cmb_simulation *sim, const char *name, double *value);

/* The whole state into a file, to go on from later: after a piece of a run, or in the observer's before_step and after_step. The run
 * that was saved goes on as if it had not been, bit for bit. A file that cannot be written is an error, and the run can go on. */
CMB_API cmb_status cmb_simulation_save(cmb_simulation *sim, const char *path);

/* In place of a start: where a saved run was, of the same system, method, tolerances and options, by the same version. It goes on by
 * cmb_simulation_advance, bit for bit with explicit methods and those of fixed cost, while the others begin anew at the state; t_end and `every` may be others. A file of something else, or a damaged one, is CMB_ERROR_INPUT with words. */
CMB_API cmb_status cmb_simulation_resume(cmb_simulation *sim, const char *path);

CMB_API const cmb_result *cmb_simulation_result(const cmb_simulation *sim);

/* A trajectory as CSV: a line of names, then a line a record, 17 digits. Lines go to PATH.partial as they
 * come, at least twice a second, always whole lines; closing puts the file in place under its name. If that
 * fails, PATH.partial stays and the error's words say so. A file of that name that is there already, say from a run that was
 * killed, is left alone: PATH.2.partial is used then, and so on. A PATH that another run is writing is refused. */
typedef struct cmb_csv cmb_csv;

CMB_API cmb_status cmb_csv_open(cmb_context *ctx, const char *path, const cmb_equations *equations,
                                cmb_csv **csv);

/* The same with the columns |g| and |Gv| at the end, for records that have residuals. */
CMB_API cmb_status cmb_csv_open_residuals(cmb_context *ctx, const char *path,
                                          const cmb_equations *equations, cmb_csv **csv);
CMB_API cmb_status cmb_csv_record(cmb_csv *csv, const cmb_record *record);
CMB_API cmb_status cmb_csv_close(cmb_csv *csv); /* keeps the file */
CMB_API void cmb_csv_discard(cmb_csv *csv);     /* removes it */

#ifdef __cplusplus
}
#endif
#endif
