/*
 * Saves a run to a file and resumes it, in another process or in the same one.
 *
 * The file contains the state with its modes, closed contacts, held functions and live parameters, the tolerances that were measured where a
 * contact closed or friction began to hold, the history of accumulating impacts, the size of the next step, and the counters. Saving changes
 * nothing in the run.
 *
 * A run that resumes the file is the same, bit for bit, with explicit methods and those of fixed cost. What implicit and multistep methods build
 * up on the way (histories, derivatives, factors, partitions) is not saved: these methods begin anew at the state, and agree within the tolerances.
 */
#include "base/context.h"
#include "base/file.h"
#include "base/text.h"
#include "dae/fingerprint.h"
#include "dae/project.h"
#include "math/finite.h"
#include "method/integrator.h"
#include "model/limits.h"
#include "sim/run.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_BYTES = 1 << 30 };

/* ---- what it belongs to */

/* "1e-06" as it is meant, for words and for comparing. */
static void expect_number(cmb_archive *a, const char *what, double x)
{
  char text[64];
  snprintf(text, sizeof text, "%.17g", x);
  cmb_archive_expect(a, what, text, NULL);
}

static cmb_status visit_identity(cmb_simulation *sim, cmb_archive *a)
{
  const cmb_integrator_options *o = &sim->options.integrator;
  char digest[CMB_DIGEST_TEXT];
  CMB_TRY(cmb_fingerprint(sim->ctx, sim->system, digest));
  cmb_archive_expect(a, "camber", cmb_version(), NULL);
  cmb_archive_expect(a, "model", sim->eq->name, NULL);
  cmb_archive_expect(
      a, "equations", digest,
      "its equations differ from those of this run, in the model, its parameters, those that are "
      "live, the start values or the formulation");
  cmb_archive_expect(a, "method", cmb_method_name(sim->options.method), NULL);
  expect_number(a, "rtol", o->rtol);
  expect_number(a, "atol", o->atol);
  expect_number(a, "step", o->step);
  expect_number(a, "max-step", o->max_step);
  for (int i = 0; i < o->setting_count; i++) {
    char what[100];
    snprintf(what, sizeof what, "option-%s", o->settings[i].name);
    cmb_archive_expect(a, what, o->settings[i].value, "the options of the method differ");
  }
  cmb_archive_expect(a, "options", "end", "the options of the method differ");
  return a->status;
}

/* ---- what the equations are now */

/* Friction that sticks has the mode 2 where a step of fixed cost holds it. */
static int most_mode(const cmb_equations *eq, int i)
{
  return cmb_switch_sticks(eq, i) ? 2 : 1;
}

/* Saves or restores which events are contacts that stay closed. */
static void visit_closed(cmb_simulation *sim, cmb_archive *a)
{
  const cmb_equations *eq = sim->eq;
  cmb_archive_bools(a, "rests", eq->rule_count, sim->closed);
  for (int i = 0; i < eq->rule_count; i++) {
    const bool possible = eq->surfaces && eq->rules[i].surface;
    if (sim->closed[i] && !possible) {
      cmb_archive_refuse(a, "a contact is closed that this model does not have");
    }
  }
}

/* Returns whether hold_of[i] is 0 or a group of held functions that the equations can have. */
static bool is_possible_hold(const cmb_simulation *sim, int i)
{
  const cmb_equations *eq = sim->eq;
  const int group = sim->hold_of[i];
  if (group == 0) return true;
  if (!eq->switch_flow || group < -eq->ns || group > eq->ns) return false;
  const int leader = cmb_slide_leader(group);
  return leader >= 0 && leader < eq->ns && sim->hold_of[leader] == leader + 1;
}

/* Saves or restores which switching functions are held at their switches, and the conditions on held velocities. */
static void visit_held(cmb_simulation *sim, cmb_archive *a)
{
  const int ns = sim->eq->ns;
  cmb_archive_ints(a, "slides", ns, sim->hold_of);
  for (int i = 0; i < ns; i++) {
    if (!is_possible_hold(sim, i)) {
      cmb_archive_refuse(a, "a switching function is held that this model cannot hold");
    }
  }
  cmb_archive_ints(a, "read-of", ns, sim->condition_of);
  for (int i = 0; i < ns; i++) {
    cmb_archive_check(a, i, sim->condition_of[i], -ns - 1, ns + 1);
  }
  cmb_archive_ints(a, "still", ns, sim->condition_mode);
  for (int i = 0; i < ns; i++) {
    cmb_archive_check(a, i, sim->condition_mode[i], -1, most_mode(sim->eq, i));
  }
}

/* Where the controllers are. */
static void visit_instants(cmb_simulation *sim, cmb_archive *a)
{
  if (sim->eq->nh == 0) return;
  const int n = sim->eq->sampler_count;
  cmb_archive_doubles(a, "instants", n, sim->next);
  for (int i = 0; i < n; i++) {
    const bool counted = sim->next[i] >= 0 && sim->next[i] == floor(sim->next[i]);
    if (!counted) cmb_archive_refuse(a, "a number is not a whole number from 0 on");
  }
  cmb_archive_ints(a, "calm", n, sim->idle_instants);
  for (int i = 0; i < n; i++) {
    cmb_archive_check(a, i, sim->idle_instants[i], 0, CMB_MOST_IDLE_INSTANTS);
  }
}

/* Saves or restores the parameters. Rejects restored values that are not finite, or impossible for what they are part of, as a negative mass
 * is. */
static void visit_parameters(cmb_simulation *sim, cmb_archive *a)
{
  cmb_archive_doubles(a, "p", sim->eq->np, sim->p);
  if (!cmb_all_finite(sim->eq->np, sim->p)) cmb_archive_refuse(a, "a parameter is not finite");
  if (a->writing || a->status != CMB_OK || !sim->limits) return;
  const cmb_status status = cmb_limits_check(sim->limits, sim->p);
  if (status == CMB_OK) return;
  cmb_error_record reason;
  char why[CMB_SENTENCE_ROOM + 40];
  cmb_error_keep(sim->ctx, status, &reason);
  snprintf(why, sizeof why, "a parameter is impossible: %s", reason.sentence);
  cmb_archive_refuse(a, why);
}

static cmb_status visit_regime(cmb_simulation *sim, cmb_archive *a)
{
  visit_parameters(sim, a);
  visit_instants(sim, a);
  visit_closed(sim, a);
  visit_held(sim, a);
  return a->status;
}

/* ---- where it is */

/* The levels that belong to the state, from modes that are possible anywhere. */
static cmb_status levels_there(cmb_simulation *sim, const int *saved, int *mode)
{
  const cmb_events *e = sim->events;
  cmb_evaluator *ev = sim->ev;
  const int n = ev->eq->ns;
  for (int i = 0; i < n; i++) ev->mode[i] = mode[i] = cmb_mode_is_level(ev, i) ? 1 : saved[i];
  for (int round = 0; round < 2 && ev->eq->levels; round++) {
    CMB_TRY(cmb_levels(ev, e->t, e->q_found, e->v_found, e->lambda_found, mode));
    for (int i = 0; i < n; i++) ev->mode[i] = mode[i];
  }
  return CMB_OK;
}

/* Saves or restores the modes. Rejects those of functions without levels that are no signs. */
static void visit_modes(cmb_simulation *sim, int *mode, cmb_archive *a)
{
  const cmb_evaluator *ev = sim->ev;
  cmb_archive_ints(a, "mode", ev->eq->ns, mode);
  for (int i = 0; i < ev->eq->ns; i++) {
    const bool sign = abs(mode[i]) == 1 || mode[i] == most_mode(ev->eq, i);
    if (!cmb_mode_is_level(ev, i) && !sign) cmb_archive_refuse(a, "a mode is out of range");
  }
}

/* Checks that the levels which were read are at most one from those that belong to the state, and makes the modes those of the evaluator. */
static cmb_status take_modes(cmb_simulation *sim, const int *saved, cmb_archive *a)
{
  cmb_evaluator *ev = sim->ev;
  CMB_TRY(
      cmb_run_final(sim, levels_there(sim, saved, sim->events->mode_new), "state", sim->events->t));
  for (int i = 0; i < ev->eq->ns; i++) {
    const int level = sim->events->mode_new[i];
    if (!cmb_mode_is_level(ev, i) || labs((long)saved[i] - level) <= 1) continue;
    return cmb_fail_about(sim->ctx, CMB_ERROR_INPUT, cmb_about_file(a->path),
                          "%s cannot be resumed: its line 'mode' has the level %d for switching "
                          "function '%s', which is %d at the saved positions and velocities",
                          a->path, saved[i], ev->eq->switch_names[i], level);
  }
  memcpy(ev->mode, saved, (size_t)ev->eq->ns * sizeof *saved);
  return CMB_OK;
}

/* Saves or restores the time. Rejects a time outside of the run. */
static void visit_time(cmb_simulation *sim, double *t, cmb_archive *a)
{
  cmb_archive_doubles(a, "t", 1, t);
  if (!(*t >= sim->t_start)) {
    cmb_archive_refuse(a, "the time is not a number, or is before the start of the run");
  }
  if (a->writing || a->status != CMB_OK || *t <= sim->t_end) return;
  a->status = cmb_fail(sim->ctx, CMB_ERROR_ARGUMENT,
                       "%s was saved at t = %s, but this run ends at t = %s; expected a later end",
                       a->path, cmb_shortest(*t).text, cmb_shortest(sim->t_end).text);
}

/* Saves or restores `count` numbers of the state. Rejects restored numbers that are not finite. */
static void visit_finite(cmb_archive *a, const char *name, int count, double *x)
{
  cmb_archive_doubles(a, name, count, x);
  if (!cmb_all_finite(count, x)) cmb_archive_refuse(a, "a number is not finite");
}

/* What gradients of constraints are measured by. */
static void visit_references(cmb_evaluator *ev, cmb_archive *a)
{
  const int ng = ev->eq->ng;
  cmb_archive_ints(a, "redundant", 1, &ev->redundant);
  cmb_archive_check(a, 0, ev->redundant, 0, ng);
  cmb_archive_doubles(a, "length", ng, ev->length);
  cmb_archive_doubles(a, "extent", ng, ev->extent);
  if (!a->writing && a->status == CMB_OK && ng > 0) cmb_kkt_set_reference(ev->kkt, ev->length);
}

static cmb_status visit_state(cmb_simulation *sim, cmb_archive *a)
{
  cmb_events *e = sim->events;
  cmb_evaluator *ev = sim->ev, *whole = sim->left_out_watch->whole;
  const cmb_regime *regime = sim->regime;
  const cmb_equations *eq = ev->eq;
  visit_time(sim, &e->t, a);
  visit_finite(a, "q", eq->nq, e->q_found);
  visit_finite(a, "v", eq->nv, e->v_found);
  visit_finite(a, "lambda", eq->ng, e->lambda_found);
  int *mode = a->writing ? ev->mode : e->search.before;
  visit_modes(sim, mode, a);
  visit_references(ev, a);
  if (whole) visit_references(whole, a);
  if (regime != sim->regimes) visit_references(sim->regimes->ev, a);
  if (regime->mean) cmb_mean_visit(regime->mean, a);
  if (regime->resting) cmb_resting_visit(regime->resting, a);
  if (a->writing || a->status != CMB_OK) return a->status;
  return take_modes(sim, mode, a);
}

/* ---- what has happened */

/* What the regime has learnt where it began, and on the way. */
static void visit_events(cmb_simulation *sim, cmb_archive *a)
{
  cmb_events *e = sim->events;
  cmb_archive_small_count(a, "crowded", &e->crowded);
  cmb_archive_doubles(a, "scale", e->ns, e->scale);
  cmb_archive_doubles(a, "lift", e->ns, e->lift);
  cmb_archive_doubles(a, "unit", e->ns, e->unit);
  cmb_archive_doubles(a, "steepest", e->ns, e->steepest);
  cmb_archive_bools(a, "constrained", e->ns, e->constrained);
  cmb_archive_ints(a, "parts", 1, &e->enclosure.budget);
}

static void visit_rules(cmb_simulation *sim, cmb_archive *a)
{
  const int rules = sim->eq->rule_count, ns = sim->eq->ns;
  cmb_archive_bools(a, "rebounds", rules, sim->rebounds);
  cmb_archive_bools(a, "met", rules, sim->impact->met);
  cmb_archive_bools(a, "met-here", rules, sim->impact->met_here);
  for (int i = 0; i < rules; i++) {
    cmb_archive_doubles(a, "times", 3, sim->times[i].t);
    cmb_archive_doubles(a, "limit", 1, &sim->times[i].limit);
    cmb_archive_doubles(a, "longest", 1, &sim->times[i].longest);
  }
  cmb_archive_count(a, "acted", &sim->acted);
  cmb_archive_doubles(a, "sequence", 1, &sim->sequence);
  cmb_archive_doubles(a, "released", ns, sim->released);
  cmb_archive_bools(a, "at-zero", ns, sim->at_zero);
  cmb_archive_bools(a, "unique", sim->eq->no, sim->indeterminate.output_unique);
  cmb_archive_bools(a, "warned", rules, sim->warned);
  cmb_archive_bools(a, "warned-of-friction", 1, &sim->decision.warned);
  visit_events(sim, a);
  cmb_archive_doubles(a, "singular-last", 1, &sim->watch->t_last);
  cmb_variation_visit(sim->variation, a);
}

/* Saves or restores the index of one of `count` things. Rejects a restored index that is out of range. */
static void visit_index(cmb_archive *a, const char *name, int count, int *index)
{
  cmb_archive_ints(a, name, 1, index);
  cmb_archive_check(a, 0, *index, 0, count - 1);
}

static void visit_counts(cmb_simulation *sim, cmb_archive *a)
{
  cmb_result *r = &sim->result;
  cmb_start_report *s = &r->start;
  cmb_enclosure *e = &sim->events->enclosure;
  cmb_archive_count(a, "events", &r->events);
  cmb_archive_count(a, "samples", &r->instants);
  cmb_archive_count(a, "impulses", &r->impulses);
  cmb_archive_count(a, "singularities", &r->singularities);
  cmb_archive_count(a, "records", &r->records);
  cmb_archive_doubles(a, "worst-position", 1, &r->worst_position);
  cmb_archive_doubles(a, "worst-velocity", 1, &r->worst_velocity);
  cmb_archive_doubles(a, "worst-tau", 1, &r->worst_tau);
  cmb_archive_doubles(a, "worst-eta", 1, &r->worst_eta);
  cmb_archive_count(a, "undecided", &e->undecided);
  visit_index(a, "undecided-function", e->undecided > 0 ? sim->eq->ns : INT_MAX,
              &e->undecided_function);
  cmb_archive_doubles(a, "undecided-t", 1, &e->undecided_t);
  cmb_archive_count(a, "pace-steps", &sim->steps.count);
  cmb_archive_doubles(a, "pace-steps-t", 1, &sim->steps.t);
  cmb_archive_count(a, "pace-events", &sim->restarts.count);
  cmb_archive_doubles(a, "pace-events-t", 1, &sim->restarts.t);
  cmb_archive_doubles(a, "start-q", 1, &s->q_moved);
  cmb_archive_doubles(a, "start-v", 1, &s->v_moved);
  visit_index(a, "start-q-most", sim->eq->nq, &s->q_most);
  visit_index(a, "start-v-most", sim->eq->nv, &s->v_most);
  cmb_archive_doubles(a, "start-position", 1, &s->position);
  cmb_archive_doubles(a, "start-velocity", 1, &s->velocity);
  cmb_archive_ints(a, "start-iterations", 1, &s->iterations);
}

static void visit_statistics(cmb_statistics *s, cmb_archive *a)
{
#define VISIT(name) cmb_archive_count(a, #name, &s->name);
  CMB_STATISTICS_LIST(VISIT)
#undef VISIT
}

/* ---- saving and going on */

static cmb_status write_all(cmb_simulation *sim, cmb_archive *a)
{
  cmb_events_at_end(sim->events);
  CMB_TRY(visit_identity(sim, a));
  CMB_TRY(visit_regime(sim, a));
  cmb_integrator_visit_method(sim->in, a);
  CMB_TRY(visit_state(sim, a));
  visit_rules(sim, a);
  visit_counts(sim, a);
  visit_statistics(&sim->ev->stats, a);
  cmb_integrator_visit(sim->in, a);
  return cmb_archive_close(a);
}

/* All that watches begins at the state; the integrator does. */
static cmb_status begin_there(cmb_simulation *sim)
{
  cmb_events *e = sim->events;
  cmb_evaluator *ev = sim->ev;
  cmb_enclosure_begin(&e->enclosure);
  if (ev->eq->ng > 0) {
    CMB_TRY(cmb_run_final(sim, cmb_factor_at(ev, e->t, e->q_found), "constraints", e->t));
  }
  cmb_variation_begin(sim->variation, e->t, sim->t_end);
  cmb_status status = cmb_left_out_resume(sim->left_out_watch, e->t, e->q_found, e->v_found);
  CMB_TRY(cmb_run_final(sim, status, "constraints", e->t));
  CMB_TRY(cmb_run_watch_rank(sim));
  return cmb_integrator_begin(sim->in, e->t, e->q_found, e->v_found);
}

/* What was read of the way so far, over what beginning has put there. */
static cmb_status read_way(cmb_simulation *sim, cmb_archive *a)
{
  cmb_statistics statistics = {0};
  visit_rules(sim, a);
  visit_counts(sim, a);
  visit_statistics(&statistics, a);
  cmb_integrator_visit(sim->in, a);
  cmb_archive_finish(a);
  CMB_TRY(a->status);
  cmb_run_note_unique(sim);
  CMB_TRY(cmb_run_final(sim, cmb_events_here(sim->events), "switching functions", sim->events->t));
  CMB_TRY(cmb_run_take_resumed(sim));
  sim->ev->stats = statistics;
  sim->last_event = "";
  sim->side = 0;
  return CMB_OK;
}

/* The regimes are new, and filled from the archive, whose first part has been read. */
static cmb_status read_closed(cmb_simulation *sim, cmb_archive *a)
{
  CMB_TRY(visit_regime(sim, a));
  CMB_TRY(cmb_run_new_regimes(sim));
  cmb_integrator_reset(sim->in);
  cmb_integrator_visit_method(sim->in, a);
  CMB_TRY(visit_state(sim, a));
  CMB_TRY(begin_there(sim));
  return read_way(sim, a);
}

/* From a text: nothing has changed if it belongs to something else; else the run goes on from there, or has failed. */
static cmb_status read_all(cmb_simulation *sim, const char *path, const char *text, size_t length)
{
  cmb_archive a = cmb_archive_read(sim->ctx, path, text, length);
  CMB_TRY(a.status);
  CMB_TRY(visit_identity(sim, &a));
  const cmb_run_place place = sim->place;
  sim->place = CMB_PLACE_INSIDE;
  sim->phase = CMB_PHASE_RUNNING;
  sim->result.stopped_by = NULL;
  cmb_status status = read_closed(sim, &a);
  sim->place = place;
  return cmb_run_conclude(sim, status);
}

cmb_status cmb_simulation_save(cmb_simulation *sim, const char *path)
{
  static const char call[] = "cmb_simulation_save";
  if (!sim) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(sim->ctx, path && path[0], "cmb_simulation_save needs a path");
  CMB_TRY(cmb_run_check_call(sim, call, CMB_PLACE_BETWEEN));
  CMB_REQUIRE(sim->ctx, sim->phase == CMB_PHASE_RUNNING,
              "cmb_simulation_save: the run has not begun");
  cmb_archive a = cmb_archive_write(sim->ctx);
  cmb_status status = write_all(sim, &a);
  if (status == CMB_OK) status = cmb_file_save(sim->ctx, path, a.text.text, a.text.length);
  cmb_buffer_release(&a.text);
  return status;
}

static cmb_status read_file(cmb_context *ctx, const char *path, void **bytes, size_t *length)
{
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  const bool good = file >= 0 && cmb_read_all(ctx, file, MOST_BYTES, bytes, length);
  const int error = errno;
  if (file >= 0) close(file);
  if (good) return CMB_OK;
  return cmb_fail_about(ctx, CMB_ERROR_IO, cmb_about_file(path), "cannot read %s: %s", path,
                        strerror(error));
}

cmb_status cmb_simulation_resume(cmb_simulation *sim, const char *path)
{
  void *bytes = NULL;
  size_t length = 0;
  if (!sim) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(sim->ctx, path, "cmb_simulation_resume needs a path");
  CMB_REQUIRE(sim->ctx, sim->place == CMB_PLACE_IDLE,
              "cmb_simulation_resume is called from inside of a run");
  CMB_TRY(read_file(sim->ctx, path, &bytes, &length));
  cmb_status status = read_all(sim, path, bytes, length);
  cmb_release(sim->ctx, bytes);
  return status;
}
