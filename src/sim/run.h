/*
 * The inside of a run, for the files that make it: simulation.c has the loop, restart.c what happens at an event,
 * instants.c, obey.c, together.c, decide.c, rests.c, shares.c, slides.c, sticking.c, stages.c and tell.c parts of that.
 */
#ifndef CMB_SIM_RUN_H
#define CMB_SIM_RUN_H

#include "base/error.h"
#include "sim/bearing.h"
#include "sim/decide.h"
#include "sim/stage.h"
#include "system/start.h"

#include <float.h>
#include <math.h>

enum { CMB_MOST_CROWDED = 1000 }; /* events in a row with no time between them */
enum { CMB_MOST_CALM = 20 };      /* instants that change nothing, as far as they are counted */
#define CMB_FELT 1e-9 /* an impulse beside a larger one, or a rate beside its jump, that is not 0 */

/* The last times at which a rule has acted, the latest first, and where they accumulate, if they do; the longest interval of
 * those that become shorter. NaN: there is none. */
typedef struct cmb_rule_times {
  double t[3], limit, longest;
} cmb_rule_times;

/* So many steps, or restarts at events, since the time t. */
typedef struct cmb_pace {
  long count;
  double t;
} cmb_pace;

/* A run has not begun, is under way or at its end, or has failed. */
typedef enum cmb_run_phase { CMB_PHASE_FRESH, CMB_PHASE_RUNNING, CMB_PHASE_FAILED } cmb_run_phase;

/* Nothing is under way; a hook of the observer's between two steps is; the start, a step, or what belongs to them is. */
typedef enum cmb_run_place { CMB_PLACE_IDLE, CMB_PLACE_BETWEEN, CMB_PLACE_INSIDE } cmb_run_place;

/* Room for contacts that could push as well as others (shares.c). */
typedef struct cmb_share {
  double *row, *response; /* (nv) a gradient, and what it does to velocities */
  double *tau, *lambda;   /* (ng of a stage) */
  double *push;           /* (rule_count) */
  double *out;            /* (2 no) */
  bool *output_unique;    /* (no) up to here */
} cmb_share;

void cmb_share_create(cmb_share *x, cmb_arena *arena, const cmb_equations *eq);

/* Other equations of the same motion, and what their outputs are at the state of the result: witness.c. */
typedef struct cmb_witness {
  const cmb_equations *eq; /* NULL: none are asked for */
  double *out;             /* (no, and the sampled values behind) */
  double *modes;           /* twice as many: in two modes, where friction holds */
  double *push;            /* (rule_count) */
  void *scratch;
  bool knows; /* `out` belongs to the result */
} cmb_witness;

cmb_status cmb_witness_create(cmb_witness *w, cmb_context *ctx, cmb_arena *arena,
                              const cmb_equations *eq, const cmb_equations *asked);

/* What idle events inside of a step change, as it was where the step began. */
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
  bool moved;                /* a change of live parameters is under way */
  double *p, *p_before;      /* (np) live parameters, and what they were before a change */
  struct cmb_limits *limits; /* what they have to be; NULL: any finite number */
  cmb_start_values start;    /* start values for them, */
  double *p_start;           /* (np) as they were then, .. */
  const cmb_start_change *start_change; /* .. and what had been done to the system's last */
  bool start_known;
  cmb_stage_source source;
  cmb_stage *stages, *stage; /* all that there are, the system's own first; and that of now: */
  cmb_integrator *in;
  cmb_evaluator *ev;
  cmb_events *events;
  cmb_rank_watch *watch;
  cmb_variation *variation;
  cmb_agreement *agreement;
  cmb_impact *impact;
  bool *rests; /* (rule_count) what the stage should have, .. */
  int *slides; /* (ns) .. and this */
  bool *
      rebounds; /* (rule_count) its condition is met no longer, as soon as the bodies are out again */
  bool *
      turned; /* (rule_count) events that have turned bodies back at this event, or have been left for an impact */
  bool *warned; /* (rule_count) rules whose warning has been given */
  bool *held;   /* (rule_count) stops at this event that bodies at rest elsewhere hold open */
  bool *ended;  /* (rule_count) rests that have ended at this event, since the surface would pull */
  bool *
      asked; /* (rule_count) contacts that have come to rest, of which it is not decided yet whether they bear */
  bool left;         /* rests have been left for an impact at this event */
  bool *other_rests; /* (rule_count) those that are not on contacts */
  int *with;     /* (ns) functions that have the same surface: the sign of their ratio; 0: others */
  bool *at_zero; /* (ns) functions that a rest has held, or that readers.c asks for */
  int *
      read_of; /* (ns) conditions on velocities that friction holds: ±(1 + leader), as in dae/sliding.h; ns + 1: several hold it; 0: others */
  int *read_before; /* (ns) scratch */
  double *gradient; /* (ns) sizes of the functions' gradients, readers.c */
  int *
      still; /* (most_ns) modes of those, and of those that friction has let go at this event; 0: of others */
  bool *
      rested; /* (ns) functions that were 0, but for rounding, since bodies rested where this event begins */
  bool *
      loose; /* (ns) functions that were held at their switch, until a jump at this event: to be told, if they are held no more */
  int *
      untold; /* (ns) the mode with which a function has come to this event, as long as nothing has been told of it; 0: it has, or was held */
  double *
      released; /* (ns) functions that were 0 up to this event and leave it to a side that is known: where they have left it; 0: others */
  int *mode_before; /* (ns) before an event */
  int *mode_kept;   /* (ns) scratch */
  int most_ns;      /* switching functions of a stage */
  double
      *flow; /* (2 (CMB_PROBES + 2) most_ns) their rates in two modes, their gradients, scratch */
  cmb_rule_times *times; /* (rule_count) */
  long acted;            /* impacts so far */
  cmb_contacts contacts; /* that touch */
  cmb_bearing bearing;   /* those of them that stay */
  cmb_decision decision; /* of these and of dry friction */
  cmb_share share;
  cmb_witness witness;
  cmb_step_start step_start;
  double
      sequence; /* the time of impacts one after the other that come to an end; NaN: none are known */
  cmb_result result;
  cmb_run_phase phase;
  cmb_run_place place;
  double raw
      [2]; /* ‖g‖ and ‖G v + g_t‖ of the dense output before it was projected; NaN: the result is the integrator's */
  double *observed;          /* outputs, and behind them what sampled values would become */
  double *q_there, *v_there; /* (nq), (nv) at an instant */
  double *next;              /* (sampler_count) the number of the next instant */
  bool *due_now;             /* (sampler_count) those that sample at this one */
  int *
      calm; /* (sampler_count) instants in a row that have not changed the motion, those that are counted */
  double t_start, t_end;
  double t_limit;                   /* no step goes beyond it; at most t_end */
  long due;                         /* number of the next record at an interval */
  long sample_due;                  /* number of the next sample at an even distance */
  double sampled;                   /* time of the last sample */
  cmb_pace steps, restarts;         /* how fast the run goes on */
  const char *last_event;           /* the name of the last one that was told */
  int side;                         /* of an event that the result is on, as in a record */
  double *q, *v, *lambda, *outputs; /* the result's state */
  double *q_work, *v_work, *lambda_work, *outputs_new, *outputs_other;
  double *a, *a_other;       /* (nv) */
  double *v_before, *v_kept; /* (nv) velocities before an event, and before a rest is tried */
  double *v_begin;           /* (nv) velocities where this event begins, before all of its rounds */
  bool *unique;              /* (ng) which multipliers of the result are */
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
cmb_status cmb_run_hand_out_to(cmb_simulation *sim, double t, bool changes);

/* The state at t, inside the last step or at its end, for a picture, if one is wanted. */
cmb_status cmb_run_sample_at(cmb_simulation *sim, double t);

/* Modes have changed where a step of a real-time method ends: the constraints there. */
cmb_status cmb_run_enter_late(cmb_simulation *sim, double h);

/* The status becomes that of the result, and an error has words. */
cmb_status cmb_run_conclude(cmb_simulation *sim, cmb_status status);

/* stages.c: the first one, ... */
cmb_status cmb_run_first_stage(cmb_simulation *sim);
void cmb_run_destroy_stages(cmb_simulation *sim);

/* All of them anew, with the one that `rests` and `slides` say at work: nothing is left of what they knew. */
cmb_status cmb_run_new_stages(cmb_simulation *sim);

/* The first stage again, as a run has it when it begins. */
void cmb_run_begin_stages(cmb_simulation *sim);

/* ... the one that `rests` and `slides` say, at a state that satisfies its constraints, and one that was left for a trial. */
cmb_status cmb_run_change_stage(cmb_simulation *sim);
void cmb_run_return_to(cmb_simulation *sim, cmb_stage *stage);

/* The same; unless the run is `inside` of the stage that there is, which has been looked at only, it is entered, too. And back to a stage that
 * nothing has happened to since. */
cmb_status cmb_run_enter_stage(cmb_simulation *sim, bool inside);
void cmb_run_step_back(cmb_simulation *sim, cmb_stage *stage);

/* The stage that `rests` and `slides` say, at the same state, to be looked at and then entered or left. */
cmb_status cmb_run_look_at_stage(cmb_simulation *sim);

/* A velocity that does not matter: it is within the tolerances, or rounding. */
double cmb_run_slowness(const cmb_simulation *sim);

/* What does not matter where bodies rest, by the forces and velocities that are there now. */
cmb_status cmb_run_weigh_rest(cmb_simulation *sim);

/* The same stage without rests on contacts, its evaluator in the modes that there are. */
cmb_status cmb_run_find_free_stage(cmb_simulation *sim, cmb_stage **found);

/* An acceleration that does not matter within the time scale. */
double cmb_run_still(const cmb_simulation *sim);

/* What does not matter where bodies rest, in view of the forces where the last step has ended. */
cmb_status cmb_run_widen_rest(cmb_simulation *sim);

/* Losses of rank are watched from the event found on. */
cmb_status cmb_run_watch_rank(cmb_simulation *sim);

/* shares.c: at a state with a and λ (of the stage) that becomes the result, which multipliers and outputs depend on how contacts that
 * touch share their forces. */
void cmb_run_ask_witness(cmb_simulation *sim, double t, const double *q, const double *v,
                         const double *a, const double *lambda);
cmb_status cmb_run_mark_shares(cmb_simulation *sim, double t, const double *q, const double *v,
                               const double *a, const double *lambda);

/* Which outputs of the run so far do, into the result. */
void cmb_run_note_unique(cmb_simulation *sim);

/* slides.c: functions whose modes have changed at this event, if `changed`, or that are marked, and whose surface the motion does not
 * leave, slide from now on; the group of a leader slides no longer and goes to one side. Functions are marked that a rest holds at 0
 * which is over, or does not come about: friction may hold them. */
cmb_status cmb_run_look_for_slides(cmb_simulation *sim, bool changed);

/* For decide.c: functions of velocities that are 0, but for what is within the tolerances; the functions that have the surface of function
 * i, as signs into `with`; rates of all functions at the state found, with the accelerations; whether rests hold function i; the group of
 * function i, as `with` has it, slides from now on, and is checked as soon as its stage has been entered. */
cmb_status cmb_run_find_still(cmb_simulation *sim, bool *still);

/* Directions in which gradients are looked at. */
enum { CMB_PROBES = 3 };

/* Functions of velocities that the constraints hold at 0, where the step begins and in the state found, into events->constrained: no motion changes
 * their signs, which are rounding. *any: there are some that were not known yet. */
cmb_status cmb_run_mark_constrained(cmb_simulation *sim, bool *any);

/* The values of all functions at the state found, into s_probe, and what the constraints leave of their gradients; then the size of that of function i,
 * and the sign of the ratio of those of i and j; 0: they do not have the same direction. */
cmb_status cmb_run_find_gradients(cmb_simulation *sim);
double *cmb_run_probe(const cmb_simulation *sim,
                      int k); /* (2 most_ns), k < CMB_PROBES; two more are scratch */
double cmb_run_gradient_size(const cmb_simulation *sim, int i);
int cmb_run_ratio_sign(const cmb_simulation *sim, int i, int j);
cmb_status cmb_run_find_group(cmb_simulation *sim, int i, int *with);
cmb_status cmb_run_flow_here(cmb_simulation *sim, double *a, double *flow);
bool cmb_run_is_held(const cmb_simulation *sim, int i);
void cmb_run_begin_slide(cmb_simulation *sim, int i, const int *with);
cmb_status cmb_run_check_slides(cmb_simulation *sim);

/* Velocities that begin to be held, and are 0 but for the resolution of time, become 0, so that what is held does not creep. */
cmb_status cmb_run_stop_held(cmb_simulation *sim);

void cmb_run_mark_held(cmb_simulation *sim);
void cmb_run_stop_sliding(cmb_simulation *sim, int leader, int side);

/* The slide of this leader ends by itself: its functions are released. So are those of velocities that are exactly 0 where a run
 * begins and leave it at once. */
void cmb_run_release_slide(cmb_simulation *sim, int leader);
cmb_status cmb_run_release_zeros(cmb_simulation *sim);

/* Those leave 0 to the side of their modes, unless velocities have jumped. */
cmb_status cmb_run_leave_zeros(cmb_simulation *sim, bool jumped);

/* Functions that were held until a jump at this event, which has not moved them, are looked at again. */
cmb_status cmb_run_mark_torn(cmb_simulation *sim);

/* Slides of functions that rests hold are over: the rests do it. */
cmb_status cmb_run_end_held_slides(cmb_simulation *sim);

/* readers.c: conditions of events on velocities that friction holds. Where a run begins: those that may be held have the modes of 0. Where an event begins: the modes found for those that may be held are put off to
 * the next round, if *any, and the friction that may hold them is marked. At the end of a round: which are held, and which have been let go. At the
 * end of the event these are as any others. */
cmb_status cmb_run_begin_readers(cmb_simulation *sim);
cmb_status cmb_run_put_off_readers(cmb_simulation *sim, bool *any);
cmb_status cmb_run_note_readers(cmb_simulation *sim, bool jumped);
void cmb_run_end_readers(cmb_simulation *sim);

/* sticking.c: where bodies have begun to rest friction along the same line has the mean of its values, unless the motion depends on it; and
 * where the run goes on from there outputs that depend on that choice are noted, and warned of once. */
cmb_status cmb_run_even_out(cmb_simulation *sim);
cmb_status cmb_run_note_shares(cmb_simulation *sim);

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

/* What kind of event it is when switching function i of the system changes its sign (tell.c). */
cmb_event_kind cmb_run_kind_of_switch(const cmb_equations *eq, int i);

/* tell.c: the observer is told of an event, of a rest that begins on the rule's surface, of an impulse, of those of the constraints at
 * the event, and of those along what a rule has reset. */
cmb_status cmb_run_announce(cmb_simulation *sim, cmb_event_kind kind, const char *name, int index,
                            int direction);
cmb_status cmb_run_announce_rest(cmb_simulation *sim, int rule, double limit);
cmb_status cmb_run_tell_impulse(cmb_simulation *sim, const cmb_impulse *impulse);
cmb_status cmb_run_tell_impulses(cmb_simulation *sim);
cmb_status cmb_run_tell_impact(cmb_simulation *sim, int rule);
const char *cmb_run_reset_unit(const cmb_simulation *sim, int reset);

/* rests.c: whether a change of velocities is within the tolerances. */
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
cmb_status cmb_run_look_at_rebound(cmb_simulation *sim, int rule, const double *jump,
                                   cmb_rebound *what);

/* Whether the gap of this rule, or the surface whose rate an event resets, is approached or left so slowly that rounding of places can make that
 * of a body that is pushed onto it. */
cmb_status cmb_run_is_unseen(cmb_simulation *sim, int rule, bool *unseen);

/* Whether what the rule resets is the rate of its surface; *off is how far the state is from the surface. */
cmb_status cmb_run_acts_along_surface(cmb_simulation *sim, int rule, bool *along, double *off);

/* The impacts of this rule, whose rows are in sim->impact, have become negligible: the bodies come to rest if they are pushed onto its
 * surface. */
cmb_status cmb_run_come_to_rest(cmb_simulation *sim, int rule);

/* The same, with the rows of the stage that there is now. */
cmb_status cmb_run_come_to_rest_anew(cmb_simulation *sim, int rule);

/* Events that have turned bodies back, and whose impacts have become negligible: what is pushed onto their surfaces now that all have
 * acted comes to rest; *settled if something does, else it stays as it is. */
cmb_status cmb_run_settle(cmb_simulation *sim, bool *settled);

/* Which of the contacts that touch bear is decided anew (bearing.h). */
cmb_status cmb_run_share_rests(cmb_simulation *sim);

/* What bearing.h is asked at the state found; and what it has found becomes the rests of the run, which had those of the stage `before`. */
cmb_bearing_query cmb_run_bearing_query(const cmb_simulation *sim);
cmb_status cmb_run_take_bearing(cmb_simulation *sim, const cmb_stage *before);

/* The last of that: nothing is asked any more, and contacts that touch and do not push are open. */
cmb_status cmb_run_end_bearing(cmb_simulation *sim);

/* decide.c: where dry friction and contacts, or more than one friction, can hold, they are decided together: *decided. */
cmb_status cmb_run_decide(cmb_simulation *sim, bool *decided);

/* For yield.c: functions of group k on one side; whether it held up to this event. */
void cmb_decision_put(cmb_simulation *sim, int k, int side);
bool cmb_decision_has_let_go(const cmb_simulation *sim, int k);

/* yield.c: which groups hold, into x of the decision, in the order in which they yield; *done: otherwise the complementarity problem has to
 * decide. */
cmb_status cmb_decision_yield(cmb_simulation *sim, bool *done);

/* An event begins: no friction has been let go at it yet. */
void cmb_run_forget_passed(cmb_simulation *sim);

/* A round of an event begins, with what friction holds there. */
void cmb_run_remember_held(cmb_simulation *sim);

/* The modes of a rule that holds from one side, on that side; and on the other one, so that it acts. */
void cmb_run_put_back(cmb_simulation *sim, int rule);
void cmb_run_put_forth(cmb_simulation *sim, int rule);

/* The functions that a rule reads and that are 0, but for rounding, leave it to the side of their modes. */
cmb_status cmb_run_lift(cmb_simulation *sim, int rule);

/* Whether an impact with these impulses of constraints, the largest of its own beside them, is felt on a surface that bodies rest on. */
bool cmb_run_reaches_rests(const cmb_simulation *sim, const double *tau, double largest);

/* Slides end, and all rests if that is said. What is still pushed onto its surface will come to rest again. */
cmb_status cmb_run_leave_all(cmb_simulation *sim, bool rests);

/* obey.c: which conditions are met at the state found; and the rules whose conditions have changed act, one after the other. */
cmb_status cmb_run_look_at_conditions(cmb_simulation *sim);

/* The warning of a rule whose condition is met here. */
void cmb_run_warn_of_rule(cmb_simulation *sim, int i);
cmb_status cmb_run_obey_rules(cmb_simulation *sim);

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
cmb_status cmb_run_look_before(cmb_simulation *sim);
cmb_status cmb_run_follow_change(cmb_simulation *sim);

/* instants.c: samplers must suit the method and its step; sampled values are those of the start. */
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

/* together.c: the gap of this rule closes. If its contact has to act together with others that touch they do so: *acted. */
cmb_status cmb_run_act_together(cmb_simulation *sim, int rule, bool *acted);

/* restart.c: the event found as a point. */
cmb_point cmb_run_point(const cmb_simulation *sim);

/* No surface may be inside of what rests on it, at the event found. */
cmb_status cmb_run_check_rests(cmb_simulation *sim);

/* The event found is idle if only functions change that the motion does not read, and no rule has to act: then they have changed. */
cmb_status cmb_run_pass_idle(cmb_simulation *sim, bool *idle);

/* At the event found: new modes, impacts, rests and slides, then the integrator begins there. */
cmb_status cmb_run_restart(cmb_simulation *sim);

/* The integrator has begun. Conditions that are met from the beginning are no events; but gaps that are closing there are. */
cmb_status cmb_run_begin_rules(cmb_simulation *sim, bool *restarted);

/* The same of slides: functions of velocities that are 0 there, and whose modes both lead back, slide from the beginning. */
cmb_status cmb_run_begin_slides(cmb_simulation *sim, bool *restarted);

/* Where a step begins, and if it is to be made anew. */
void cmb_run_keep_start(cmb_simulation *sim);
void cmb_run_restore_start(cmb_simulation *sim);

/* Whether rebounds were too small for the last step, up to the event if one was found, so that bodies have gone back through the surface unseen; and
 * after a step without an event what comes to rest, since its rebound was too small for the method. */
cmb_status cmb_run_has_sunk(cmb_simulation *sim, bool found, bool *sunk);
cmb_status cmb_run_look_back(cmb_simulation *sim);

/* Whether the event found is none, but an error of the dense output just behind the beginning of the step. */
cmb_status cmb_run_strays(cmb_simulation *sim, bool *strays);

/* After such a step: no gap may have been closed in it unseen. */
cmb_status cmb_run_check_ends(cmb_simulation *sim);

/* The modes of a real-time step that has ended, and what rules say to that. */
cmb_status cmb_run_end_step(cmb_simulation *sim);

#endif
