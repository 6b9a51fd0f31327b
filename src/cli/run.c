/*
 * The command `camber run`: simulates a model, writes the trajectory, plot and report, and prints a summary as text or JSON. The simulation
 * calls back for each step, record and event, and what is needed of them is stored in a struct run.
 */
#include "base/file.h"
#include "base/output.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/extremes.h"
#include "cli/facts.h"
#include "cli/history.h"
#include "cli/impulses.h"
#include "cli/realtime.h"
#include "cli/report.h"
#include "cli/run_plot.h"
#include "cli/sides.h"
#include "cli/singular.h"
#include "cli/summary.h"
#include "cli/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_DIGITS = 6, ALL_DIGITS = 17 };

/* All data of the command while it runs. */
struct run {
  const struct cli_arguments *arguments;
  cmb_system *system;
  cmb_run_options options;
  cmb_simulation *sim;
  struct cli_table *table;    /* writer of the trajectory; NULL: not requested */
  struct cli_sheet sheet;     /* data about the run for the file of the trajectory */
  long rows;                  /* number of rows written, without those before a resumed run */
  struct cli_history history; /* trajectory for the plot */
  struct cli_run_plot plot;
  struct cli_report report;
  struct cli_progress progress;
  struct cli_realtime realtime;
  cmb_event *events; /* (event_room) the first ones */
  long *instants;    /* (event_room) for each event, the index of its instant in `sides` */
  long event_count, event_room; /* number of events of the run; number of entries allocated */
  struct cli_sides sides;       /* states right before and after events */
  struct cli_impulses impulses;
  struct cli_extremes extremes; /* least, greatest and root mean square values of the outputs */
  struct cli_singularities singularities;
  bool saved;       /* whether the state has been saved */
  bool table_broke; /* whether the run ended because a row could not be written */
  bool report_saved;
  cmb_status status;                 /* of the run, for the report */
  double setup_seconds, run_seconds; /* medians over the repetitions */
  double numbers[CLI_NUMBER_COUNT];  /* of the summary, set at the end of the run */
};

/* Writes a record of the run (its state at one time) as a row of the trajectory file. A callback of the simulation, where `user` is a struct
 * run; returns the status of writing. */
static cmb_status on_record(void *user, const cmb_record *record)
{
  struct run *run = user;
  const cmb_status status = cli_table_record(run->table, record);
  run->rows++;
  run->table_broke = status != CMB_OK;
  return status;
}

/* Adds a record of the run (its state at one time) to the extreme values of the outputs, except with --realtime, and to the HTML report and the
 * plot if they are requested. A callback of the simulation, where `user` is a struct run. */
static cmb_status on_sample(void *user, const cmb_record *record)
{
  struct run *run = user;
  if (!run->arguments->realtime) cli_extremes_add(&run->extremes, record->t, record->outputs);
  if (run->arguments->html) cli_report_sample(&run->report, record);
  return run->arguments->plot ? cli_history_add(&run->history, record) : CMB_OK;
}

/* Doubles the allocated size of the arrays `events` and `instants` of a run, which is 64 at first. Returns CMB_ERROR_MEMORY if memory runs out. */
static cmb_status grow_events(struct run *run)
{
  const long room = run->event_room ? 2 * run->event_room : 64;
  cmb_event *grown = realloc(run->events, (size_t)room * sizeof *grown);
  if (!grown) return CMB_ERROR_MEMORY;
  run->events = grown;
  long *instants = realloc(run->instants, (size_t)room * sizeof *instants);
  if (!instants) return CMB_ERROR_MEMORY;
  run->instants = instants;
  run->event_room = room;
  return CMB_OK;
}

/* Stores an event of the run in run->events; after the first CLI_MOST_KEPT, events are only counted. With --json, the states right before and
 * after it are in run->sides, at the index that is stored in run->instants. A callback of the simulation, where `user` is a struct run. */
static cmb_status on_event(void *user, const cmb_event *event)
{
  struct run *run = user;
  if (run->event_count >= CLI_MOST_KEPT) {
    run->event_count++;
    return CMB_OK;
  }
  if (run->event_count == run->event_room) CMB_TRY(grow_events(run));
  run->instants[run->event_count] = run->sides.count;
  run->events[run->event_count++] = *event;
  return CMB_OK;
}

/* Stores the state right before or right after an event in the list run->sides. A callback of the simulation, where `user` is a struct run. */
static cmb_status on_side(void *user, const cmb_record *record)
{
  struct run *run = user;
  return cli_sides_add(&run->sides, record);
}

/* Returns the number of events of the run that are stored: all, or the first CLI_MOST_KEPT. */
static long events_kept(const struct run *run)
{
  return run->event_count < CLI_MOST_KEPT ? run->event_count : CLI_MOST_KEPT;
}

/* Stores an impulsive constraint force, for example of an impact, for the results of the run. A callback of the simulation, where `user` is a
 * struct run. */
static cmb_status on_impulse(void *user, const cmb_impulse *impulse)
{
  struct run *run = user;
  return cli_impulses_add(&run->impulses, impulse);
}

/* Stores a singular position that the run has met, where the constraint Jacobian loses rank. A callback of the simulation, where `user` is a
 * struct run. */
static cmb_status on_singular(void *user, const cmb_singularity *singularity)
{
  struct run *run = user;
  return cli_singularities_add(&run->singularities, singularity);
}

/* Updates the progress bar. Returns CMB_ERROR_INTERRUPTED, which ends the run, if the user has interrupted it (Ctrl-C). A callback of the
 * simulation, where `user` is a struct run. */
static cmb_status on_progress(void *user, double t, double t_start, double t_end)
{
  struct run *run = user;
  cli_progress_show(&run->progress, (t - t_start) / (t_end - t_start), t);
  return cli_interrupted() ? CMB_ERROR_INTERRUPTED : CMB_OK;
}

/* Stores the time t at which a step begins, for the HTML report if requested; with --realtime, waits until the clock reaches t. A callback of
 * the simulation, where `user` is a struct run. */
static cmb_status before_step(void *user, double t)
{
  struct run *run = user;
  if (run->arguments->html) cli_report_before_step(&run->report, t);
  return run->arguments->realtime ? cli_realtime_before_step(&run->realtime, t) : CMB_OK;
}

/* Saves the state of the simulation to the file of --save, once, as soon as the time t has reached that of --save-at. Does nothing if --save or
 * --save-at is not given. */
static cmb_status save_state_if_due(struct run *run, double t)
{
  const struct cli_arguments *a = run->arguments;
  if (!a->save || run->saved || !(t >= a->save_at)) return CMB_OK;
  run->saved = true;
  return cmb_simulation_save(run->sim, a->save);
}

/* Completes a step that ends at time t: with --realtime measures its computing time, adds its size and its method's order to the HTML report if
 * requested, and saves the state if it is due (--save-at). A callback of the simulation, where `user` is a struct run. */
static cmb_status after_step(void *user, double t)
{
  struct run *run = user;
  if (run->arguments->realtime) cli_realtime_after_step(&run->realtime, t);
  if (run->arguments->html) {
    cli_report_after_step(&run->report, t, cmb_simulation_result(run->sim)->order);
  }
  return save_state_if_due(run, t);
}

/* Prints the numbers x[n] with their names and units, one per line, with up to `digits` significant digits; the title is in the first line.
 * `units` may be NULL; if x is NULL, "not computed" is printed for each. */
static void print_numbers(const char *title, int n, const char *const *names,
                          const char *const *units, int digits, const double *x)
{
  for (int i = 0; i < n; i++) {
    const char *unit = units ? units[i] : "";
    printf("  %-12s %-14s ", i ? "" : title, names[i]);
    if (!x) {
      printf("not computed\n");
    } else {
      printf("% .*g%s%s\n", digits, x[i], unit[0] ? " " : "", unit);
    }
  }
}

/* Prints a note if outputs vary too fast between the points of the run for their minimum, maximum and rms value to be accurate: the name of the
 * first such output and the number of others. */
static void print_coarse(const struct cli_extremes *x, const cmb_equations *eq)
{
  int count = 0, first = 0;
  for (int i = x->n - 1; i >= 0; i--) {
    if (cli_extremes_of(x, i).is_coarse) count++, first = i;
  }
  if (count == 0) return;
  printf("  '%s'", eq->output_names[first]);
  if (count > 1) printf(" and %d more", count - 1);
  printf(" %s faster than %ld points show, of which min, max and rms are taken\n",
         count > 1 ? "change" : "changes", x->points);
}

/* Prints a table of the outputs with their final, least and greatest values, root mean squares (rms) and units, and a note if some of these
 * may be inaccurate. */
static void print_extremes(const struct run *run)
{
  const struct cli_extremes *x = &run->extremes;
  const cmb_equations *eq = cmb_system_equations(run->system);
  const double *final = cmb_simulation_result(run->sim)->outputs;
  int width = (int)strlen("outputs");
  for (int i = 0; i < eq->no; i++) {
    const int length = (int)strlen(eq->output_names[i]);
    if (length > width) width = length;
  }
  printf("\n  %-*s  %13s %13s %13s %13s\n", width, "outputs", "final", "min", "max", "rms");
  for (int i = 0; i < eq->no; i++) {
    const char *unit = eq->output_units ? eq->output_units[i] : "";
    const struct cli_extreme e = cli_extremes_of(x, i);
    printf("  %-*s  %13.6g %13.6g %13.6g %13.6g%s%s\n", width, eq->output_names[i], final[i],
           e.least, e.greatest, e.rms, unit[0] ? "  " : "", unit);
  }
  print_coarse(x, eq);
}

/* Prints the final positions, velocities, first-order states and Lagrange multipliers with up to 17 significant digits. If the run could not
 * start, "not computed" is printed for the multipliers. */
static void print_states(const cmb_equations *eq, const cmb_result *r)
{
  const int nv = eq->nv - eq->nz;
  print_numbers("positions", eq->nq, eq->q_names, NULL, ALL_DIGITS, r->q);
  print_numbers("velocities", nv, eq->v_names, NULL, ALL_DIGITS, r->v);
  print_numbers("states", eq->nz, eq->v_names + nv, eq->v_units ? eq->v_units + nv : NULL,
                ALL_DIGITS, r->v + nv);
  print_numbers("multipliers", eq->ng, eq->lambda_names, NULL, ALL_DIGITS,
                r->started ? r->lambda : NULL);
}

/* Prints the final values of the run: the outputs, with their extreme values if known, or for a model without outputs the positions and
 * velocities; with --states, all states and multipliers too. A note names multipliers and outputs that are not unique. */
static void print_values(const struct run *run)
{
  const cmb_equations *eq = cmb_system_equations(run->system);
  const cmb_result *r = cmb_simulation_result(run->sim);
  const bool states = run->arguments->states;
  if (states) print_states(eq, r);
  cli_not_unique_print(run->system, r);
  if (run->extremes.points > 0 && eq->no > 0) {
    print_extremes(run);
  } else if (eq->no > 0) {
    print_numbers("outputs", eq->no, eq->output_names, eq->output_units, FEW_DIGITS,
                  r->started ? r->outputs : NULL);
  } else if (!states) {
    print_numbers("positions", eq->nq, eq->q_names, NULL, FEW_DIGITS, r->q);
    print_numbers("velocities", eq->nv - eq->nz, eq->v_names, NULL, FEW_DIGITS, r->v);
  }
}

/* Prints by how much the initial positions and velocities were corrected to satisfy the constraints, unless the correction is as small as a
 * rounding error. */
static void print_start(const cmb_equations *eq, const cmb_result *r)
{
  const cmb_start_report *s = &r->start;
  char text[CLI_MOVED_ROOM];
  if (s->q_moved > CLI_MOVED_LEAST) {
    printf("  start        positions moved by %s to be consistent, '%s' most\n",
           cli_moved_text(s->q_moved, eq->q_units, s->q_most, text), eq->q_names[s->q_most]);
  }
  if (s->v_moved > CLI_MOVED_LEAST) {
    printf("  start        velocities moved by %s to be consistent, \"%s\" most\n",
           cli_moved_text(s->v_moved, eq->v_units, s->v_most, text), eq->v_names[s->v_most]);
  }
}

/* Prints the first 20 events and the number of further ones; with --verbose all that were kept. Events inside formulas, such as corners of
 * tables, are printed only with --verbose, and counted otherwise. */
static void print_events(const struct run *run)
{
  enum { SHOWN = 20 };
  const long kept = events_kept(run);
  const bool all = run->arguments->verbose;
  const long most = all ? kept : SHOWN;
  long shown = 0, counted = 0;
  for (long i = 0; i < kept; i++) {
    const cmb_event *e = &run->events[i];
    char text[CLI_EVENT_ROOM];
    if (e->kind == CMB_KIND_FORMULA && !all) continue;
    if (counted++ >= most) continue;
    printf("  %-12s t = %-18.12g %s", shown++ ? "" : "events", e->t,
           cli_event_text(e->name, e->kind, e->direction, text));
    if (!isnan(e->limit)) printf(" (impacts accumulate at t = %.12g)", e->limit);
    printf("\n");
  }
  if (counted > most) printf("               and %ld more; --verbose lists all\n", counted - most);
  if (run->event_count > kept) {
    printf("               only the first %ld of %ld events were kept\n", kept, run->event_count);
  }
  if (counted < kept) {
    printf(
        "  %-12s %s%ld in formulas, such as corners of tables and limits; --verbose lists them\n",
        shown ? "" : "events", shown ? "and " : "", kept - counted);
  }
}

/* Prints the upper bound on the drift |g|, the error of the position constraints, for the whole run or, if it could not be kept, the time from
 * which on there is no bound; also the constants of the estimate, C0, C1 and C2. */
static void print_bound(const cmb_drift_bound *b)
{
  if (b->holds) {
    printf("  drift bound  |g| stays below %.2g, as long as C0 = %.3g, C1 = %.3g, C2 = %.3g do\n",
           b->limit, b->C0, b->C1, b->C2);
  } else {
    printf(
        "  drift bound  none from t = %.9g on: C0 = %.3g, C1 = %.3g, C2 = %.3g are too large for "
        "the step\n",
        b->broken_at, b->C0, b->C1, b->C2);
  }
}

/* Prints the first line of the summary: model, method, step size or tolerances, final time and computing time. */
static void print_headline(const struct run *run)
{
  const cmb_method *method = run->options.method;
  const cmb_integrator_options *o = &run->options.integrator;
  const cmb_result *r = cmb_simulation_result(run->sim);
  printf("%s with %s, ", cmb_system_equations(run->system)->name, cmb_method_name(method));
  if (cmb_method_is_real_time(method)) {
    printf("step %g", cli_period(&run->options));
  } else {
    printf("rtol %g, atol %g", o->rtol, o->atol);
  }
  printf(": t = %.9g reached in %.3g s\n", r->t, run->run_seconds);
}

/* Prints the largest multipliers τ and η that were needed to project steps back onto the position constraints (τ) and the velocity constraints
 * (η). They measure by how much a step had left the constraints. Prints nothing if both are 0. */
static void print_projections(const cmb_result *r)
{
  const bool both = r->worst_tau > 0 && r->worst_eta > 0;
  if (r->worst_tau <= 0 && r->worst_eta <= 0) return;
  printf("  projected    ");
  if (r->worst_tau > 0) printf("|tau| <= %.2g", r->worst_tau);
  if (r->worst_eta > 0) printf("%s|eta| <= %.2g", both ? ", " : "", r->worst_eta);
  printf(", multipliers that measure the drift of a step\n");
}

/* Prints how often an implicit method has computed its Jacobian and, if columns were grouped for difference quotients, the number of its
 * nonzero entries and of the groups. Prints nothing if no Jacobian was computed. */
static void print_jacobians(const cmb_statistics *s)
{
  if (s->jacobian == 0) return;
  printf("  jacobians    %ld", s->jacobian);
  if (s->jacobian_update > 0) printf(", %ld partitioned updates", s->jacobian_update);
  if (s->groups > 0) {
    printf("; pattern of %ld entries in %ld groups", s->pattern, s->groups);
    if (s->pattern_growth > 0) printf(", grown %ld times", s->pattern_growth);
  }
  printf("\n");
}

/* Prints the summary of the run as text: steps, work, constraints, events, final values and the names of output files. */
static void print_summary(const struct run *run)
{
  const cmb_result *r = cmb_simulation_result(run->sim);
  const cmb_equations *eq = cmb_system_equations(run->system);
  const cmb_statistics *s = r->statistics;
  print_headline(run);
  print_start(eq, r);
  printf("  steps        %ld accepted, %ld rejected\n", s->accepted, s->rejected);
  printf("  work         %ld right-hand sides, %ld factorisations, %ld solves, %ld projections\n",
         s->f, s->factor, s->solve, s->projections);
  if (s->repartitions > 0) printf("  partition    changed %ld times\n", s->repartitions);
  print_jacobians(s);
  if (eq->ng > 0 && r->started) {
    printf("  constraints  |g| = %.2g (worst %.2g), |G v + g_t| = %.2g (worst %.2g)\n", r->position,
           r->worst_position, r->velocity, r->worst_velocity);
    print_projections(r);
    if (r->drift) print_bound(r->drift);
  }
  cli_singularities_print(&run->singularities);
  if (eq->nh > 0) printf("  controllers  %ld samples\n", r->instants);
  if (r->stopped_by) printf("  stopped      by event '%s' at t = %.12g\n", r->stopped_by, r->t);
  print_events(run);
  cli_impulses_print(&run->impulses);
  print_values(run);
  if (run->table) {
    printf("  trajectory   %ld points in %s\n", run->rows, run->arguments->out);
  }
  if (run->report_saved) printf("  report       %s\n", run->arguments->html);
  if (run->arguments->realtime) cli_realtime_print(&run->realtime);
}

/* Returns x, a value at the end of the run, or NaN (null in JSON) if the run could not start. */
static double if_known(const cmb_result *r, double x)
{
  return r->started ? x : NAN;
}

/* Writes the final Lagrange multipliers as the JSON list "lambda"; each is null if the run could not start. */
static void json_multipliers(struct cli_json *j, const cmb_equations *eq, const cmb_result *r)
{
  if (r->started) {
    cli_json_numbers(j, "lambda", eq->ng, r->lambda);
    return;
  }
  cli_json_open(j, "lambda", '[');
  for (int i = 0; i < eq->ng; i++) cli_json_number(j, NULL, NAN);
  cli_json_close(j, ']');
}

/* Writes the final state as keys of a JSON object: the names and values of coordinates, velocities and multipliers, a note which of these are
 * not unique, and the outputs with their units, if known. */
static void json_state(struct cli_json *j, const cmb_system *system, const cmb_result *r)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cli_json_open(j, "names", '{');
  cli_json_texts(j, "q", eq->nq, eq->q_names);
  cli_json_velocity_names(j, eq);
  cli_json_texts(j, "lambda", eq->ng, eq->lambda_names);
  cli_json_close(j, '}');
  cli_json_numbers(j, "q", eq->nq, r->q);
  cli_json_velocities(j, eq, r->v);
  json_multipliers(j, eq, r);
  cli_not_unique_json(system, r, j);
  cli_json_open(j, "outputs", '{');
  for (int i = 0; i < eq->no; i++) {
    cli_json_number(j, eq->output_names[i], if_known(r, r->outputs[i]));
  }
  cli_json_close(j, '}');
  if (eq->output_units) {
    cli_json_open(j, "units", '{');
    for (int i = 0; i < eq->no; i++) cli_json_text(j, eq->output_names[i], eq->output_units[i]);
    cli_json_close(j, '}');
  }
}

/* Writes the bound on the drift |g| of the position constraints as the JSON object "bound": its value, whether it holds, the time from which on
 * it does not, and the constants of the estimate. */
static void json_bound(struct cli_json *j, const cmb_drift_bound *b)
{
  cli_json_open(j, "bound", '{');
  cli_json_number(j, "limit", b->limit);
  cli_json_bool(j, "holds", b->holds);
  if (!b->holds) cli_json_number(j, "broken_at", b->broken_at);
  cli_json_number(j, "C0", b->C0);
  cli_json_number(j, "C1", b->C1);
  cli_json_number(j, "C2", b->C2);
  cli_json_close(j, '}');
}

/* Writes the results of the run as keys of a JSON object, which must have been begun: final state, summary, events, impulses, singular
 * positions and others. If `sides` is set, each event contains the states right before and after it. */
static void json_result(struct cli_json *j, const struct run *run, bool sides)
{
  const cmb_result *r = cmb_simulation_result(run->sim);
  const cmb_equations *eq = cmb_system_equations(run->system);
  const struct cli_summary summary = {.numbers = run->numbers,
                                      .stopped_by = r->stopped_by ? r->stopped_by : "",
                                      .event_count = events_kept(run),
                                      .events = run->events,
                                      .sides = sides ? &run->sides : NULL,
                                      .instants = run->instants};
  cli_json_number(j, "t", r->t);
  if (run->arguments->model) {
    const bool interpreted = cmb_system_origin(run->system) == CMB_NATIVE_INTERPRETED;
    cli_json_text(j, "evaluator", interpreted ? "interpreter" : "native");
  }
  cli_trim_json(run->arguments, eq, j);
  json_state(j, run->system, r);
  cli_summary_put(j, &summary);
  cli_impulses_json(&run->impulses, j);
  cli_singularities_json(&run->singularities, j);
  if (eq->nh > 0) cli_json_integer(j, "samples", r->instants);
  if (r->drift) json_bound(j, r->drift);
  if (run->arguments->realtime) cli_realtime_json(&run->realtime, j);
}

/* Prints the results of the run as one JSON object; `status` tells whether the run succeeded. */
static void print_json(const struct run *run, cmb_status status)
{
  struct cli_json j;
  cli_json_begin(&j, cmb_system_equations(run->system)->name, cmb_method_name(run->options.method),
                 status);
  json_result(&j, run, true);
  cli_json_end(&j);
}

/* Writes the results of the run (`user` is a struct run) as JSON for the HTML report: those that --json prints, with the method's title and the
 * accuracy in addition, but without the states at events. A callback of cli_report_save. */
static void put_report_run(struct cli_json *j, const void *user)
{
  const struct run *run = user;
  cli_json_head(j, cmb_system_equations(run->system)->name, cmb_method_name(run->options.method),
                run->status);
  cli_json_text(j, "method_title", cmb_method_title(run->options.method));
  cli_summary_accuracy(j, run->numbers);
  json_result(j, run, false);
  cli_json_warnings(j);
}

/* Returns the end time of the run: the value of --t-end if it is given, otherwise the end time of the model. */
static double end_of_run(const struct run *run)
{
  return isnan(run->options.t_end) ? cmb_system_t_end(run->system) : run->options.t_end;
}

/* Runs the simulation `sim` to its end, from the start or, with --resume, from the state that another run has saved. If that state cannot be
 * used, there are no results to report; if run->sim is this simulation, it is then destroyed and set to NULL. */
static cmb_status run_or_resume(struct run *run, cmb_simulation *sim)
{
  if (!run->arguments->resume) return cmb_simulation_run(sim);
  cmb_status status = cmb_simulation_resume(sim, run->arguments->resume);
  if (status == CMB_OK) return cmb_simulation_advance(sim, end_of_run(run));
  if (sim == run->sim) {
    cmb_simulation_destroy(sim);
    run->sim = NULL;
  }
  return status;
}

/* Runs the simulation `repeat` times, or until a run fails. The first one is recorded and remains in run->sim, even if it fails (NULL if it
 * could not be created or resumed); the others only measure time. The median times of set-up and computation are stored in *run;
 * setup[repeat] and seconds[repeat] are working arrays. */
static cmb_status simulate(cmb_context *ctx, struct run *run, int repeat, double *setup,
                           double *seconds)
{
  const cmb_observer recording = {.user = run,
                                  .record = run->table ? on_record : NULL,
                                  .side = run->arguments->json ? on_side : NULL,
                                  .sample = run->options.samples > 0 ? on_sample : NULL,
                                  .event = on_event,
                                  .impulse = on_impulse,
                                  .singular = on_singular,
                                  .progress = on_progress,
                                  .before_step = before_step,
                                  .after_step = after_step};
  const cmb_observer timing = {.user = run, .progress = on_progress};
  cmb_status status = CMB_OK;
  int done = 0;
  for (; done < repeat && status == CMB_OK; done++) {
    cmb_simulation *sim;
    double begun = cli_seconds();
    run->options.observer = done == 0 ? recording : timing;
    status = cmb_simulation_create(ctx, run->system, &run->options, &sim);
    setup[done] = cli_seconds() - begun;
    if (done == 0) run->sim = sim;
    if (status == CMB_OK) status = run_or_resume(run, sim);
    seconds[done] = cli_seconds() - begun - setup[done];
    if (done > 0) cmb_simulation_destroy(sim);
  }
  run->setup_seconds = cli_median(done, setup);
  run->run_seconds = cli_median(done, seconds);
  return status;
}

/* Writes the subtitle of the plot to text[room]: model, settings, method and accuracy, e.g. "fivelink with stair = 1; mdop5, rtol 1e-6, atol
 * 1e-8". */
static void write_subtitle(const struct run *run, size_t room, char *text)
{
  const struct cli_arguments *a = run->arguments;
  const cmb_integrator_options *o = &run->options.integrator;
  size_t used = (size_t)snprintf(text, room, "%s", cmb_system_equations(run->system)->name);
  for (int i = 0; i < a->set_count && used < room; i++) {
    used += (size_t)snprintf(text + used, room - used, "%s %s = %g", i ? "," : " with",
                             a->set[i].name, a->set[i].value);
  }
  if (used >= room) return;
  used +=
      (size_t)snprintf(text + used, room - used, "; %s, ", cmb_method_name(run->options.method));
  if (used >= room) return;
  if (cmb_method_is_real_time(run->options.method)) {
    snprintf(text + used, room - used, "step %g", cli_period(&run->options));
  } else {
    snprintf(text + used, room - used, "rtol %g, atol %g", o->rtol, o->atol);
  }
}

/* Handles the error `failure` in writing the output file `path` of a run that ended with `status`. If the run succeeded, stores the error
 * message, which is printed later, and returns `failure`; otherwise prints it as a warning and returns `status`. */
static cmb_status report_unwritten(cmb_context *ctx, const char *path, cmb_status status,
                                   cmb_status failure)
{
  const cmb_context *words = failure == CMB_ERROR_MEMORY ? NULL : ctx;
  if (status == CMB_OK) {
    cli_keep_failure(words, failure);
    return failure;
  }
  char text[CLI_PATH_ROOM + 64];
  snprintf(text, sizeof text, "cannot write '%s': %s", path, cmb_status_meaning(failure));
  cli_warn(NULL, CMB_LOG_WARNING, words ? cmb_last_error(words) : text);
  return status;
}

/* Draws the plot to the file of --plot, if this is given and the run has points to draw. Returns `status`, the status of the run, or the error
 * of drawing if the run succeeded. */
static cmb_status draw_plot(cmb_context *ctx, struct run *run, cmb_status status)
{
  const char *path = run->arguments->plot;
  char subtitle[256];
  const struct cli_run_plot_texts texts = {.title = cli_title(run->arguments),
                                           .subtitle = subtitle,
                                           .failure = status == CMB_OK ? "" : cli_last_complaint()};
  if (!path || run->history.count == 0) return status;
  write_subtitle(run, sizeof subtitle, subtitle);
  const struct cli_run_events events = {.all = run->events,
                                        .kept = events_kept(run),
                                        .count = run->event_count,
                                        .formulas = run->arguments->verbose};
  const cmb_status drawn = cli_run_plot_draw(ctx, &run->plot, &run->history, &texts, &events, path);
  return drawn == CMB_OK ? status : report_unwritten(ctx, path, status, drawn);
}

/* Writes the HTML report to the file of --html, if this is given. Returns `status`, the status of the run, or the error of writing if the run
 * succeeded. */
static cmb_status save_report(cmb_context *ctx, struct run *run, cmb_status status)
{
  const struct cli_arguments *a = run->arguments;
  const struct cli_report_texts texts = {
      .title = cli_title(run->arguments), .file = a->operand, .t_end = end_of_run(run)};
  if (!a->html) return status;
  run->status = status;
  const cmb_status saved = cli_report_save(ctx, &run->report, a, &texts, put_report_run, run);
  run->report_saved = saved == CMB_OK;
  return saved == CMB_OK ? status : report_unwritten(ctx, a->html, status, saved);
}

/* Completes the trajectory file of --out with the outcome of the run, and closes it; does nothing without this option. Returns `status`, the
 * status of the run. If closing fails, returns that error instead, or only prints a warning if the run had failed for another reason than the
 * file. */
static cmb_status close_trajectory(cmb_context *ctx, struct run *run, cmb_status status)
{
  if (!run->table) return status;
  cli_sheet_finish(&run->sheet, status, cmb_simulation_result(run->sim), run->numbers);
  run->sheet.events = run->events;
  run->sheet.event_count = events_kept(run);
  const cmb_status kept = cli_table_close(run->table, &run->sheet);
  if (kept == CMB_OK) return status;
  run->table = NULL;
  return report_unwritten(ctx, run->arguments->out, run->table_broke ? CMB_OK : status, kept);
}

/* Stores the error message of a run that ended with the failure `status`; it is printed after all files have been written. Does nothing for
 * CMB_OK. */
static void store_failure(const cmb_context *ctx, const struct run *run, cmb_status status)
{
  const double t = cmb_simulation_result(run->sim)->t;
  if (status == CMB_OK) return;
  if (status == CMB_ERROR_INTERRUPTED)
    cli_keep_complaint(&(cmb_error){.status = status, .time = t}, "interrupted at t = %.9g", t);
  else
    cli_keep_failure(ctx, status);
}

/* Sets run->numbers, the numbers about the run (accuracy, counts of steps, computing times, …) that the printed summary, the report and the
 * files contain. */
static void collect_numbers(struct run *run)
{
  cli_summary_ask(&run->options, run->system, run->numbers);
  cli_summary_take(cmb_simulation_result(run->sim), run->numbers);
  run->numbers[CLI_NUMBER_event_count] = (double)run->event_count;
  run->numbers[CLI_NUMBER_setup_seconds] = run->setup_seconds;
  run->numbers[CLI_NUMBER_run_seconds] = run->run_seconds;
}

/* Completes all output files, prints the results, and prints the error message if the run failed with `status`. Files and results then contain
 * what was computed before, unless the run could not begin. Returns the exit code of the program. */
static int end_run(cmb_context *ctx, struct run *run, cmb_status status)
{
  if (!run->sim) {
    cli_table_discard(run->table);
    cli_fail(ctx, status);
    cli_json_failure(run->arguments, run->system);
    return cli_exit_code(status);
  }
  collect_numbers(run);
  cli_extremes_finish(&run->extremes);
  if (cli_complain_loop(ctx, run->arguments, status)) {
    cli_table_discard(run->table);
    if (run->arguments->json) print_json(run, status);
    return CLI_BAD_INPUT;
  }
  store_failure(ctx, run, status);
  status = close_trajectory(ctx, run, status);
  status = draw_plot(ctx, run, status);
  status = save_report(ctx, run, status);
  if (run->arguments->json) {
    print_json(run, status);
  } else {
    print_summary(run);
  }
  if (status != CMB_OK) cli_say_kept();
  return cli_exit_code(status);
}

/* Checks that the output file `path` of the option --OPTION (NULL: not given) is not a file that the model reads and would be overwritten.
 * Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int refuse_source(const struct cli_arguments *a, const char *option, const char *path)
{
  if (!path || !a->model || !cmb_model_reads(a->model, path)) return CLI_DONE;
  return cli_complain(
      "option --%s would overwrite '%s', a file of the model; expected another file", option, path);
}

/* Creates the trajectory file of --out as run->table, and collects the facts about the run (model, method, options, ...) that it will contain.
 * The caller closes it. */
static cmb_status open_trajectory(cmb_context *ctx, struct run *run)
{
  const struct cli_arguments *a = run->arguments;
  const cmb_equations *eq = cmb_system_equations(run->system);
  cli_sheet_begin(ctx, &run->sheet, a, &run->options, run->system);
  run->sheet.texts[CLI_TEXT_title] = cli_title(run->arguments);
  return cli_table_open(ctx, a->out, eq, a->residuals, &run->sheet, &run->table);
}

/* Checks that the options --ONE and --OTHER (path NULL: not given) do not name the same file, since one would overwrite the other. Returns
 * CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int refuse_same(const char *one, const char *path, const char *other, const char *other_path)
{
  if (!path || !other_path) return CLI_DONE;
  if (!cmb_same_place(path, other_path)) return CLI_DONE;
  return cli_complain("--%s and --%s are the same file, '%s'; expected two different files", one,
                      other, path);
}

/* Creates the trajectory file of --out, checks that the files of --plot, --html and --save can be written, and initialises the memory for
 * values collected during the run. Refuses files that the run still needs, such as the model file. Returns CLI_DONE or, after an error message,
 * another exit code. */
static int open_outputs(cmb_context *ctx, struct run *run)
{
  const struct cli_arguments *a = run->arguments;
  const cmb_equations *eq = cmb_system_equations(run->system);
  cli_history_begin(&run->history, eq);
  cli_sides_begin(&run->sides, eq);
  int code = refuse_source(a, "out", a->out);
  const enum cli_format format = a->out ? cli_format_of(a->out, strlen(a->out)) : CLI_FORMAT_NONE;
  if (code == CLI_DONE && format == CLI_FORMAT_HDF5 && !cli_has_hdf5()) {
    return cli_complain("cannot write '%s': this camber was built without HDF5 (Debian: "
                        "libhdf5-dev); expected a name that ends in .csv or .mat",
                        a->out);
  }
  if (code == CLI_DONE) code = refuse_source(a, "plot", a->plot);
  if (code == CLI_DONE) code = refuse_source(a, "html", a->html);
  if (code == CLI_DONE) code = refuse_source(a, "save", a->save);
  if (code == CLI_DONE) code = refuse_same("html", a->html, "save", a->save);
  if (code == CLI_DONE) code = refuse_same("plot", a->plot, "save", a->save);
  if (code == CLI_DONE) code = refuse_same("out", a->out, "resume", a->resume);
  if (code == CLI_DONE) code = refuse_same("plot", a->plot, "resume", a->resume);
  if (code == CLI_DONE) code = refuse_same("html", a->html, "resume", a->resume);
  if (code != CLI_DONE) return code;
  cmb_status status = cli_extremes_begin(&run->extremes, eq->no);
  if (status == CMB_OK && a->out) status = open_trajectory(ctx, run);
  if (status == CMB_OK && a->plot) status = cmb_output_possible(ctx, a->plot);
  if (status == CMB_OK && a->html) status = cmb_output_possible(ctx, a->html);
  if (status == CMB_OK && a->save) status = cmb_output_possible(ctx, a->save);
  if (status == CMB_OK) return CLI_DONE;
  cli_table_discard(run->table);
  return cli_fail(status == CMB_ERROR_MEMORY ? NULL : ctx, status);
}

/* Opens the output files, runs the simulation, and writes and prints its results. Returns the exit code of the program: CLI_DONE, or another
 * after an error message. */
static int run_system(cmb_context *ctx, struct run *run)
{
  const struct cli_arguments *a = run->arguments;
  int repeat = (int)a->repeat;
  if (a->save_at > end_of_run(run)) {
    return cli_complain(
        "--save-at is %s, but the run ends at t = %s; expected a time up to the end",
        cmb_shortest(a->save_at).text, cmb_shortest(end_of_run(run)).text);
  }
  double *times = calloc(2 * (size_t)repeat, sizeof *times);
  if (!times) return cli_fail(NULL, CMB_ERROR_MEMORY);
  int code = open_outputs(ctx, run);
  if (code != CLI_DONE) {
    free(times);
    return code;
  }
  cli_catch_interrupt();
  cli_progress_begin(&run->progress, a->quiet || a->realtime);
  cli_realtime_begin(&run->realtime, cli_period(&run->options));
  cmb_status status = simulate(ctx, run, repeat, times, times + repeat);
  if (status == CMB_OK && a->save && !run->saved) status = cmb_simulation_save(run->sim, a->save);
  cli_realtime_end(&run->realtime);
  cli_progress_end(&run->progress);
  free(times);
  return end_run(ctx, run, status);
}

/* Checks that --save-at is used only with --save, and --resume not with --realtime. Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_states(const struct cli_arguments *a)
{
  if (!isnan(a->save_at) && !a->save) return cli_complain("--save-at needs --save FILE");
  if (a->resume && a->realtime) {
    return cli_complain_pair(a, "realtime", "cannot be used with", "resume");
  }
  return CLI_DONE;
}

/* Returns into how many intervals the run is divided at least, by its steps and by states computed inside of long steps: 1000 for a plot or
 * an HTML report, 250 for a printed table of outputs, otherwise 0. With --realtime, to save time, it is 1 for a plot or report, otherwise 0. */
static int samples_of(const struct cli_arguments *a, const cmb_equations *eq)
{
  const bool pictured = a->plot || a->html, summed_up = eq->no > 0 && !a->json;
  if (a->realtime) return pictured ? 1 : 0;
  return pictured ? 1000 : summed_up ? 250 : 0;
}

int cli_run(cmb_context *ctx, const struct cli_arguments *a)
{
  struct run run = {.arguments = a};
  int code = cli_run_options(a, &run.options);
  run.options.residuals = a->residuals || a->html;
  if (code == CLI_DONE) code = check_states(a);
  if (code == CLI_DONE) code = cli_report_open(&run.report, a);
  if (code == CLI_DONE) code = cli_open_system(ctx, a, &run.system);
  if (code == CLI_DONE) code = cli_run_plot_begin(&run.plot, a, cmb_system_equations(run.system));
  if (code == CLI_DONE) code = cli_report_begin(&run.report, a, cmb_system_equations(run.system));
  if (code == CLI_DONE) run.options.samples = samples_of(a, cmb_system_equations(run.system));
  run.options.extra_equations = a->html ? cli_forces_equations(&run.report.forces) : NULL;
  if (code == CLI_DONE) code = run_system(ctx, &run);
  cmb_simulation_destroy(run.sim);
  cmb_system_destroy(run.system);
  cli_history_end(&run.history);
  cli_run_plot_end(&run.plot);
  cli_report_end(&run.report);
  free(run.events);
  free(run.instants);
  cli_sides_end(&run.sides);
  cli_impulses_end(&run.impulses);
  cli_extremes_end(&run.extremes);
  cli_singularities_end(&run.singularities);
  cli_sheet_end(&run.sheet);
  return code;
}
