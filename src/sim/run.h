/*
 * The inside of a run, for the files that make it; nobody else includes it. simulation.c has the loop and restart.c the order of things at an event.
 * Parts of that are in decide.c (contacts and friction), extra_outputs.c, friction_release.c, held_conditions.c, held_functions.c, indeterminate.c,
 * live.c (live parameters), regimes.c, report.c, resting_contacts.c, rules.c, samples.c (controllers), save.c, simultaneous.c and sticking.c.
 */
#ifndef CMB_SIM_RUN_H
#define CMB_SIM_RUN_H

#include "base/error.h"
#include "sim/active_contacts.h"
#include "sim/decide.h"
#include "sim/regime.h"
#include "system/start.h"

#include <float.h>
#include <math.h>

/* Number of events in a row without any time between them at which a run fails. */
enum { CMB_MOST_CROWDED = 1000 };

/* Number up to which instants of a sampler that change nothing are counted. */
enum { CMB_MOST_IDLE_INSTANTS = 20 };

/* An impulse relative to the largest one, or a rate relative to its jump, that is larger is significant, not rounding. */
#define CMB_SIGNIFICANT 1e-9

/* The history of a rule, from which accumulating impacts are recognised. NaN: there is no such time. */
typedef struct cmb_rule_times {
  double t[3];    /* the last times at which the rule has acted, the latest first */
  double limit;   /* the time at which its impacts accumulate */
  double longest; /* the longest of the intervals that become shorter and shorter */
} cmb_rule_times;

/* Counts steps, or restarts at events, since the time t. */
typedef struct cmb_pace {
  long count;
  double t;
} cmb_pace;

/* A run has not begun, is under way or at its end, or has failed. */
typedef enum cmb_run_phase { CMB_PHASE_FRESH, CMB_PHASE_RUNNING, CMB_PHASE_FAILED } cmb_run_phase;

/* What is being executed: nothing; a function of the observer between two steps; the start, a step, or what belongs to these. */
typedef enum cmb_run_place { CMB_PLACE_IDLE, CMB_PLACE_BETWEEN, CMB_PLACE_INSIDE } cmb_run_place;

/* Scratch memory and results for contacts whose forces are indeterminate (indeterminate.c). */
typedef struct cmb_indeterminate {
  double *row,
      *response; /* (nv) the gradient of a contact, and the velocities that a unit impulse along it causes */
  double *tau, *lambda; /* (ng of the regime) */
  double *push;         /* (rule_count) contact forces */
  double *out;          /* (2 no) outputs with two choices of the forces */
  bool *output_unique;  /* (no) whether each output has been unique in the run so far */
} cmb_indeterminate;

void cmb_indeterminate_create(cmb_indeterminate *x, cmb_arena *arena, const cmb_equations *eq);

/* The second set of equations of a run, and its outputs at the state of the result (extra_outputs.c). */
typedef struct cmb_extra_outputs {
  const cmb_equations *eq; /* NULL: there is none */
  double *out;             /* (no + nh) outputs, and behind them sampled values */
  double *modes;           /* (2 (no + nh)) the same in the two modes of friction that holds */
  double *push;            /* (rule_count) contact forces */
  void *scratch;
  bool known; /* `out` belongs to the result */
} cmb_extra_outputs;

cmb_status cmb_extra_outputs_create(cmb_extra_outputs *w, cmb_context *ctx, cmb_arena *arena,
                                    const cmb_equations *eq, const cmb_equations *asked);

/* Values at the beginning of a step of everything that idle events inside the step change. */
typedef struct cmb_step_start {
  int *mode;            /* (most_ns) */
  double *lift, *s;     /* (most_ns) */
  bool *at_zero;        /* (ns) */
  bool *met, *rebounds; /* (rule_count) */
} cmb_step_start;

struct cmb_simulation {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_system *system;
  const cmb_equations *eq; /* of the system */
  cmb_run_options options;

  /* live parameters and the start */
  bool moved;                /* a change of live parameters is under way */
  double *p, *p_before;      /* (np) live parameters, and their values before a change */
  struct cmb_limits *limits; /* the values that they may have; NULL: any finite number */
  cmb_start_values start;    /* the start values that belong to p_start */
  double *p_start;           /* (np) */
  const cmb_start_change
      *start_change; /* the last change of the system's start that `start` contains */
  bool start_known;

  /* the regimes, and the parts of the one in use */
  cmb_regime_source source;
  cmb_regime *regimes, *regime; /* the list of all, that of the system first; the one in use */
  cmb_integrator *in;
  cmb_evaluator *ev;
  cmb_events *events;
  cmb_rank_watch *watch;
  cmb_variation *variation;
  cmb_left_out *left_out_watch;
  cmb_impact *impact;

  /* contacts: what each of the rules does (rule_count) */
  bool *closed;    /* whether the contact stays closed in the regime that is wanted */
  bool *rebounds;  /* the condition becomes false as soon as the bodies are outside again */
  bool *reversed;  /* the rule has reversed bodies at this event, or has been left for an impact */
  bool *warned;    /* its warning has been given */
  bool *held_open; /* a stop that closed contacts elsewhere hold open at this event */
  bool *ended;     /* a contact that has opened at this event, since its force would pull */
  bool *undecided; /* a contact that has closed and may be active or not */
  bool *closed_without_gap; /* closed, on the surface of an event that is no contact */
  bool opened_for_impact;   /* contacts have been opened for an impact at this event */

  /* switching functions (ns, if nothing else is said) */
  int *
      hold_of; /* how each function is held at its switch in the regime that is wanted (dae/sliding.h) */
  int *
      same_surface; /* functions with the same surface as one of them: the sign of the ratio of both; 0: others */
  bool
      *at_zero; /* functions that a closed contact has held, or that held_conditions.c has marked */
  int *
      condition_of; /* conditions on held velocities: ±(1 + leader), as in dae/sliding.h; ns + 1: several hold it; 0: others */
  int *condition_before; /* scratch for condition_of */
  double *gradient;      /* sizes of the functions' gradients (held_conditions.c) */
  int *
      condition_mode; /* (most_ns) modes of conditions on held velocities, and on those released at this event; 0: of others */
  bool *
      was_closed; /* functions that were 0, except for rounding, since contacts were closed where this event begins */
  bool *
      was_torn; /* functions that were held until a jump at this event: reported, if they are held no longer */
  int *
      unreported; /* the mode with which a function has come to this event, until it is reported; 0: reported, or was held */
  double *
      released; /* functions that leave 0 at this event to a known side: their value there; 0: others */
  int *mode_before; /* modes before an event */
  int *mode_kept;   /* scratch */
  int *fixed;  /* (most_ns) scratch: functions whose modes do not follow others (dae/modes.h) */
  int most_ns; /* number of switching functions in a regime, at most */
  double *
      flow; /* (2 (CMB_PROBES + 2) most_ns) rates of the functions in two modes, their gradients, scratch */

  /* impacts and friction */
  cmb_rule_times *times;               /* (rule_count) */
  long acted;                          /* number of impacts so far */
  cmb_contacts contacts;               /* the contacts that touch */
  cmb_active_contacts active_contacts; /* those of them that carry load */
  cmb_decision decision;               /* on these and on dry friction */
  cmb_indeterminate indeterminate;
  cmb_extra_outputs extra;
  cmb_step_start step_start;
  double
      sequence; /* the time of impacts one after the other that come to an end; NaN: none are known */

  /* the result */
  cmb_result result;
  cmb_run_phase phase;
  cmb_run_place place;
  double raw
      [2]; /* ‖g‖ and ‖G v + g_t‖ of the dense output before its projection; NaN: the result is the integrator's */
  double *observed; /* outputs, and behind them the new values of sampled values */

  /* instants of controllers */
  double *q_there, *v_there; /* (nq), (nv) the state at an instant */
  double *next;              /* (sampler_count) the number of the next instant */
  bool *due_now;             /* (sampler_count) the sampler has an instant at this time */
  int *
      idle_instants; /* (sampler_count) number of the last instants in a row that have not changed the motion */

  /* time and records */
  double t_start, t_end;
  double t_limit;                   /* no step goes beyond this time; at most t_end */
  long due;                         /* number of the next record of `every` */
  long samples_inside;              /* number of samples taken inside of steps */
  double sampled;                   /* time of the last sample */
  cmb_pace steps, restarts;         /* how fast the run goes on */
  const char *last_event;           /* the name of the last event that was reported */
  int side;                         /* on which side of an event the result is, as in a record */
  double *q, *v, *lambda, *outputs; /* state, multipliers and outputs of the result */
  bool *unique;                     /* (ng) which multipliers of the result are unique */

  /* scratch */
  double *q_work, *v_work, *lambda_work, *outputs_new, *outputs_other;
  double *a, *a_other; /* (nv) */
  double *v_before,
      *v_kept;     /* (nv) velocities before an event, and before a contact is tried as closed */
  double *v_begin; /* (nv) velocities where this event begins, before all of its rounds */
};

/* A recoverable status outside a step cannot be recovered from: the words for it. */
cmb_status cmb_run_fail(cmb_simulation *sim, cmb_status status, const char *what, double t);

/* A failure of a rule, where the run stands. */
cmb_about cmb_run_about_rule(const cmb_simulation *sim, int rule);

static inline cmb_status cmb_run_final(cmb_simulation *sim, cmb_status status, const char *what,
                                       double t)
{
  return status > 0 ? cmb_run_fail(sim, status, what, t) : status;
}

/* Whether the run can go on from where it stands, and the call is not from inside of what is under way; else the words, which name
 * the call. */
cmb_status cmb_run_check_call(cmb_simulation *sim, const char *call, cmb_run_place most);

/* Where the integrator has begun anew becomes the result, with a record behind an event. */
cmb_status cmb_run_take_restart(cmb_simulation *sim);

/* The integrator has begun where a saved run was: that becomes the result; records go on behind it. */
cmb_status cmb_run_take_resumed(cmb_simulation *sim);

/* Records up to t inside the last step, or at its end; if the motion changes there, the state before it, too. */
cmb_status cmb_run_record_to(cmb_simulation *sim, double t, bool changes);

/* The state at t, inside the last step or at its end, for a picture, if one is wanted. */
cmb_status cmb_run_sample_at(cmb_simulation *sim, double t);

/* Modes have changed where a step of a real-time method ends: the constraints there. */
cmb_status cmb_run_enter_late(cmb_simulation *sim, double h);

/* The status becomes that of the result, and an error has words. */
cmb_status cmb_run_conclude(cmb_simulation *sim, cmb_status status);

/* regimes.c: the first one, ... */
cmb_status cmb_run_first_regime(cmb_simulation *sim);
void cmb_run_destroy_regimes(cmb_simulation *sim);

/* All of them anew, with the one that `rests` and `hold_of` say at work: nothing is left of what they knew. */
cmb_status cmb_run_new_regimes(cmb_simulation *sim);

/* The first regime again, as a run has it when it begins. */
void cmb_run_begin_regimes(cmb_simulation *sim);

/* ... the one that `rests` and `hold_of` say, at a state that satisfies its constraints, and one that was left for a trial. */
cmb_status cmb_run_change_regime(cmb_simulation *sim);
void cmb_run_return_to(cmb_simulation *sim, cmb_regime *regime);

/* The same; unless the run is `inside` of the regime that there is, which has been looked at only, it is entered, too. And back to a regime that
 * nothing has happened to since. */
cmb_status cmb_run_enter_regime(cmb_simulation *sim, bool inside);
void cmb_run_step_back(cmb_simulation *sim, cmb_regime *regime);

/* The regime that `rests` and `hold_of` say, at the same state, to be looked at and then entered or left. */
cmb_status cmb_run_inspect_regime(cmb_simulation *sim);

/* A velocity that does not matter: it is within the tolerances, or rounding. */
double cmb_run_slowness(const cmb_simulation *sim);

/* What does not matter where bodies rest, by the forces and velocities that are there now. */
cmb_status cmb_run_set_contact_tolerances(cmb_simulation *sim);

/* The same regime without rests on contacts, its evaluator in the modes that there are. */
cmb_status cmb_run_find_free_regime(cmb_simulation *sim, cmb_regime **found);

/* An acceleration that does not matter within the time scale. */
double cmb_run_still(const cmb_simulation *sim);

/* What does not matter where bodies rest, in view of the forces where the last step has ended. */
cmb_status cmb_run_widen_contact_tolerances(cmb_simulation *sim);

/* Losses of rank are watched from the event found on. */
cmb_status cmb_run_watch_rank(cmb_simulation *sim);

/* indeterminate.c: at a state with a and λ (of the regime) that becomes the result, which multipliers and outputs depend on how contacts that
 * touch share their forces. */
void cmb_run_evaluate_extra(cmb_simulation *sim, double t, const double *q, const double *v,
                            const double *a, const double *lambda);
cmb_status cmb_run_mark_indeterminate(cmb_simulation *sim, double t, const double *q,
                                      const double *v, const double *a, const double *lambda);

/* Which outputs of the run so far do, into the result. */
void cmb_run_note_unique(cmb_simulation *sim);

/* held_functions.c: functions whose modes have changed at this event, if `changed`, or that are marked, and whose surface the motion does not
 * leave, slide from now on; the group of a leader slides no longer and goes to one side. Functions are marked that a rest holds at 0
 * which is over, or does not come about: friction may hold them. */
cmb_status cmb_run_find_held_functions(cmb_simulation *sim, bool changed);

/* For decide.c: functions of velocities that are 0, but for what is within the tolerances; the functions that have the surface of function
 * i, as signs into `with`; rates of all functions at the state found, with the accelerations; whether rests hold function i; the group of
 * function i, as `with` has it, slides from now on, and is checked as soon as its regime has been entered. */
cmb_status cmb_run_find_still(cmb_simulation *sim, bool *still);

/* Directions in which gradients are looked at. */
enum { CMB_PROBES = 3 };

/* Functions of velocities that the constraints hold at 0, where the step begins and in the state found, into events->constrained: no motion changes
 * their signs, which are rounding. *any: there are some that were not known yet. */
cmb_status cmb_run_mark_constrained(cmb_simulation *sim, bool *any);

/* The values of all functions at the state found, into s_probe, and what the constraints leave of their gradients; then the size of that of
 * function i, and the sign of the ratio of those of i and j; 0: they do not have the same direction. */
cmb_status cmb_run_find_gradients(cmb_simulation *sim);
double *cmb_run_probe(const cmb_simulation *sim,
                      int k); /* (2 most_ns), k < CMB_PROBES; two more are scratch */
double cmb_run_gradient_size(const cmb_simulation *sim, int i);
int cmb_run_ratio_sign(const cmb_simulation *sim, int i, int j);
cmb_status cmb_run_find_group(cmb_simulation *sim, int i, int *with);
cmb_status cmb_run_flow_here(cmb_simulation *sim, double *a, double *flow);
bool cmb_run_is_held(const cmb_simulation *sim, int i);
void cmb_run_hold_function(cmb_simulation *sim, int i, const int *with);
cmb_status cmb_run_check_held_functions(cmb_simulation *sim);

/* At the event found, functions that depend on held ones get the modes that follow from these on both sides (dae/sliding.h); *changed: some had
 * others. */
cmb_status cmb_run_follow_held(cmb_simulation *sim, bool *changed);

/* Releases held functions that are no longer 0 in the new modes of others, as x' - floor(t) when floor(t) jumps. And where a step has ended, and
 * the functions have been looked at (cmb_events_here): fails if a held function has left its zero. */
cmb_status cmb_run_release_jumped(cmb_simulation *sim);
cmb_status cmb_run_check_held(cmb_simulation *sim);

/* Velocities that begin to be held, and are 0 but for the resolution of time, become 0, so that what is held does not creep. */
cmb_status cmb_run_stop_held(cmb_simulation *sim);

void cmb_run_mark_held(cmb_simulation *sim);
void cmb_run_stop_holding(cmb_simulation *sim, int leader, int side);

/* The slide of this leader ends by itself: its functions are released. So are those of velocities that are exactly 0 where a run
 * begins and leave it at once. */
void cmb_run_release_function(cmb_simulation *sim, int leader);
cmb_status cmb_run_release_zeros(cmb_simulation *sim);

/* Those leave 0 to the side of their modes, unless velocities have jumped. */
cmb_status cmb_run_leave_zeros(cmb_simulation *sim, bool jumped);

/* Functions that were held until a jump at this event, which has not moved them, are looked at again. */
cmb_status cmb_run_mark_torn(cmb_simulation *sim);

/* Slides of functions that rests hold are over: the rests do it. */
cmb_status cmb_run_end_redundant_holds(cmb_simulation *sim);

/* held_conditions.c: conditions of events on velocities that friction holds. Where a run begins: those that may be held have the modes of 0.
 * Where an event begins: the modes found for those that may be held are put off to the next round, if *any, and the friction that may hold them
 * is marked. At the end of a round: which are held, and which have been let go. At the end of the event these are as any others. */
cmb_status cmb_run_begin_held_conditions(cmb_simulation *sim);
cmb_status cmb_run_postpone_held_conditions(cmb_simulation *sim, bool *any);
cmb_status cmb_run_update_held_conditions(cmb_simulation *sim, bool jumped);
void cmb_run_end_held_conditions(cmb_simulation *sim);

/* sticking.c: where bodies have begun to rest friction along the same line has the mean of its values, unless the motion depends on it; and
 * where the run goes on from there outputs that depend on that choice are noted, and warned of once. After each step it is checked that the
 * velocity of such friction is still 0. */
cmb_status cmb_run_take_mean_friction(cmb_simulation *sim);
cmb_status cmb_run_check_mean_friction(cmb_simulation *sim);
cmb_status cmb_run_note_indeterminate(cmb_simulation *sim);

/* Times are short beside this one, or beside t: a run that may go on for ever is as exact as one that ends soon. Positions and velocities have
 * one absolute tolerance, so that it is a second, or the whole of a run that is shorter. */
static inline double cmb_run_time_scale(const cmb_simulation *sim, double t)
{
  return fmax(fabs(t), fmin(sim->t_end - sim->t_start, 1));
}

/* No step fits into so little time at t: 16 roundings. */
static inline double cmb_run_least_step(const cmb_simulation *sim, double t)
{
  return 16 * DBL_EPSILON * cmb_run_time_scale(sim, t);
}

/* A distance from a surface that errors of the run can make of none. */
static inline double cmb_run_leeway(const cmb_simulation *sim)
{
  return 1e3 * sim->options.integrator.atol;
}

/* The least that leads a switching function away from a zero. */
static inline double cmb_run_away(const cmb_simulation *sim, int i)
{
  return 1e-3 * sim->options.integrator.atol * sim->events->unit[i];
}

/* What kind of event it is when switching function i of the system changes its sign (report.c). */
cmb_event_kind cmb_run_kind_of_switch(const cmb_equations *eq, int i);

/* report.c: the observer is told of an event, of a rest that begins on the rule's surface, of an impulse, of those of the constraints at
 * the event, and of those along what a rule has reset. */
cmb_status cmb_run_report_event(cmb_simulation *sim, cmb_event_kind kind, const char *name,
                                int index, int direction);
cmb_status cmb_run_report_closed_contact(cmb_simulation *sim, int rule, double limit);
cmb_status cmb_run_report_impulse(cmb_simulation *sim, const cmb_impulse *impulse);
cmb_status cmb_run_report_impulses(cmb_simulation *sim);
cmb_status cmb_run_report_impact(cmb_simulation *sim, int rule);
const char *cmb_run_reset_unit(const cmb_simulation *sim, int reset);

/* resting_contacts.c: whether a change of velocities is within the tolerances. */
bool cmb_run_is_negligible(const cmb_simulation *sim, const double *jump);

/* The rule acts here: for the accumulation of its impacts; the limit of these, NaN unless they have come faster and faster; and the words
 * where the rule has no surface to rest on. */
void cmb_run_remember_time(cmb_simulation *sim, int rule);
double cmb_run_accumulation_of(const cmb_rule_times *times);
cmb_status cmb_run_fail_accumulating(cmb_simulation *sim, int rule, double limit);

/* The surfaces of all rules at the state found, into the evaluator's u, ut, u_gamma and U. */
cmb_status cmb_run_find_surfaces(cmb_simulation *sim);

/* One of them, its gradient into row (nv): u and du/dt, counted so that u is positive where the rule has just acted. */
cmb_status cmb_run_surface_here(cmb_simulation *sim, int rule, double *u, double *rate,
                                double *gamma, double *row);

/* What rounding of places makes of the distance from a surface with the gradient `row`: jumps that are not higher are not seen. */
double cmb_run_unseen_distance(const cmb_simulation *sim, const double *row);

/* What the velocities behind an impact do. */
typedef enum cmb_rebound { CMB_PASSES, CMB_REBOUNDS, CMB_STAYS } cmb_rebound;

/* Whether they lead through the rule's surface, back from it, or back but not out of it again, against the accelerations there; `jump`
 * is what the impact has done to them. A condition that jumps is met far behind its surface: nothing rebounds from it there. */
cmb_status cmb_run_classify_rebound(cmb_simulation *sim, int rule, const double *jump,
                                    cmb_rebound *what);

/* Whether the gap of this rule, which has closed, opens again by the accelerations before rounding of places would show that it was closed: it is
 * touched only, and no impact follows. */
cmb_status cmb_run_is_touched(cmb_simulation *sim, int rule, bool *touched);

/* Whether the gap of this rule, or the surface whose rate an event resets, is approached or left so slowly that rounding of places can make that
 * of a body that is pushed onto it. */
cmb_status cmb_run_is_unseen(cmb_simulation *sim, int rule, bool *unseen);

/* Whether what the rule resets is the rate of its surface; *off is how far the state is from the surface. */
cmb_status cmb_run_acts_along_surface(cmb_simulation *sim, int rule, bool *along, double *off);

/* The impacts of this rule, whose rows are in sim->impact, have become negligible: the bodies come to rest if they are pushed onto its
 * surface. */
cmb_status cmb_run_close_contact(cmb_simulation *sim, int rule);

/* The same, with the rows of the regime that there is now. */
cmb_status cmb_run_close_contact_again(cmb_simulation *sim, int rule);

/* Events that have turned bodies back, and whose impacts have become negligible: what is pushed onto their surfaces now that all have
 * acted comes to rest; *settled if something does, else it stays as it is. */
cmb_status cmb_run_settle(cmb_simulation *sim, bool *settled);

/* Which of the contacts that touch bear is decided anew (active_contacts.h). */
cmb_status cmb_run_choose_active_contacts(cmb_simulation *sim);

/* What active_contacts.h is asked at the state found; and what it has found becomes the rests of the run, which had those of the regime `before`. */
cmb_active_contacts_query cmb_run_active_contacts_query(const cmb_simulation *sim);
cmb_status cmb_run_take_active_contacts(cmb_simulation *sim, const cmb_regime *before);

/* The last of that: nothing is asked any more, and contacts that touch and do not push are open. */
cmb_status cmb_run_end_active_contacts(cmb_simulation *sim);

/* decide.c: where dry friction and contacts, or more than one friction, can hold, they are decided together: *decided. */
cmb_status cmb_run_decide(cmb_simulation *sim, bool *decided);

/* For friction_release.c: functions of group k on one side; whether it held up to this event. */
void cmb_decision_put(cmb_simulation *sim, int k, int side);
bool cmb_decision_was_released(const cmb_simulation *sim, int k);

/* friction_release.c: which groups hold, into x of the decision, in the order in which they yield; *done: otherwise the complementarity problem
 * has to decide. */
cmb_status cmb_decision_release(cmb_simulation *sim, bool *done);

/* An event begins: no friction has been let go at it yet. */
void cmb_run_forget_passed(cmb_simulation *sim);

/* A round of an event begins, with what friction holds there. */
void cmb_run_remember_held(cmb_simulation *sim);

/* The modes of a rule that holds from one side, on that side; and on the other one, so that it acts. */
void cmb_run_disarm_rule(cmb_simulation *sim, int rule);
void cmb_run_arm_rule(cmb_simulation *sim, int rule);

/* The functions that a rule reads and that are 0, but for rounding, leave it to the side of their modes. */
cmb_status cmb_run_lift(cmb_simulation *sim, int rule);

/* Whether an impact with these impulses of constraints, the largest of its own beside them, is felt on a surface that bodies rest on. */
bool cmb_run_impact_reaches_contacts(const cmb_simulation *sim, const double *tau, double largest);

/* Slides end, and all rests if that is said. What is still pushed onto its surface will come to rest again. */
cmb_status cmb_run_leave_all(cmb_simulation *sim, bool rests);

/* rules.c: which conditions are met at the state found; and the rules whose conditions have changed act, one after the other. */
cmb_status cmb_run_find_met_conditions(cmb_simulation *sim);

/* The warning of a rule whose condition is met here, or the error that it is. */
cmb_status cmb_run_warn_of_rule(cmb_simulation *sim, int i);
cmb_status cmb_run_apply_rules(cmb_simulation *sim);

/* The impact of a rule, into sim->impact. Where it is felt, bodies rest no longer (*left), and the impact is to be found anew. *held: what
 * it asks for is so already, because bodies rest there. */
cmb_status cmb_run_find_impact(cmb_simulation *sim, int rule, bool *held, bool *left);

/* A gap must not be closed by more than the leeway; with the surfaces found, or found here. */
cmb_status cmb_run_check_found_gap(cmb_simulation *sim, int rule);
cmb_status cmb_run_check_gap(cmb_simulation *sim, int rule);

/* Impacts follow each other without end. */
cmb_status cmb_run_fail_endless(cmb_simulation *sim);

/* live.c: the start values that belong to the parameters of the run, in `start`; those of the system are copied. */
cmb_status cmb_run_find_start(cmb_simulation *sim);

/* What there is before parameters change where the integrator stands; and behind a change at the event found. The run goes on as behind an
 * event; that of a real-time method without a new beginning. */
cmb_status cmb_run_evaluate_before_change(cmb_simulation *sim);
cmb_status cmb_run_follow_change(cmb_simulation *sim);

/* samples.c: samplers must suit the method and its step; sampled values are those of the start. */
cmb_status cmb_run_check_samplers(cmb_context *ctx, const cmb_simulation *sim);
void cmb_run_forget_samples(cmb_simulation *sim);

/* A step must not go beyond this time. */
double cmb_run_step_limit(const cmb_simulation *sim);

/* The next instant of all samplers; and what happens at it, if it lies in the last step: *moved if it changes the motion, and the run has
 * begun anew there. */
double cmb_run_next_instant(const cmb_simulation *sim);
cmb_status cmb_run_pass_instant(cmb_simulation *sim, double t, bool *moved);

/* An instant where the integrator stands, if there is one; *changed: a value has changed, and the run has followed if the motion depends on
 * it. */
cmb_status cmb_run_sample_here(cmb_simulation *sim, bool *changed);

/* simultaneous.c: the gap of this rule closes. If its contact has to act together with others that touch they do so: *acted. */
cmb_status cmb_run_act_simultaneously(cmb_simulation *sim, int rule, bool *acted);

/* restart.c: the event found as a point. */
cmb_point cmb_run_point(const cmb_simulation *sim);

/* No surface may be inside of what rests on it, at the event found. */
cmb_status cmb_run_check_closed_contacts(cmb_simulation *sim);

/* The event found is idle if only functions change that the motion does not read, and no rule has to act: then they have changed. */
cmb_status cmb_run_pass_idle(cmb_simulation *sim, bool *idle);

/* At the event found: new modes, impacts, rests and slides, then the integrator begins there. */
cmb_status cmb_run_restart(cmb_simulation *sim);

/* The integrator has begun. Conditions that are met from the beginning are no events; but gaps that are closing there are. */
cmb_status cmb_run_begin_rules(cmb_simulation *sim, bool *restarted);

/* The same of slides: functions of velocities that are 0 there, and whose modes both lead back, slide from the beginning. */
cmb_status cmb_run_hold_functions_at_start(cmb_simulation *sim, bool *restarted);

/* Where a step begins, and if it is to be made anew. */
void cmb_run_keep_start(cmb_simulation *sim);
void cmb_run_restore_start(cmb_simulation *sim);

/* Whether rebounds were too small for the last step, up to the event if one was found, so that bodies have gone back through the surface unseen; and
 * after a step without an event what comes to rest, since its rebound was too small for the method. */
cmb_status cmb_run_has_penetrated(cmb_simulation *sim, bool found, bool *penetrated);
cmb_status cmb_run_close_small_rebounds(cmb_simulation *sim);

/* Whether the event found is none, but an error of the dense output just behind the beginning of the step. */
cmb_status cmb_run_is_spurious_event(cmb_simulation *sim, bool *spurious);

/* After such a step: no gap may have been closed in it unseen. */
cmb_status cmb_run_check_ends(cmb_simulation *sim);

/* The modes of a real-time step that has ended, and what rules say to that. */
cmb_status cmb_run_end_step(cmb_simulation *sim);

#endif
