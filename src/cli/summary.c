/*
 * Converts the result of a run to numbers with names, and writes these as JSON (summary.h).
 */
#include "cli/summary.h"

#include "cli/realtime.h"

#include <math.h>

void cli_summary_ask(const cmb_run_options *options, const cmb_system *system, double *to)
{
  const bool stepped = cmb_method_is_real_time(options->method);
  to[CLI_NUMBER_rtol] = stepped ? NAN : options->integrator.rtol;
  to[CLI_NUMBER_atol] = stepped ? NAN : options->integrator.atol;
  to[CLI_NUMBER_step] = stepped ? cli_period(options) : NAN;
  to[CLI_NUMBER_t_end] = isnan(options->t_end) ? cmb_system_t_end(system) : options->t_end;
  to[CLI_NUMBER_states] = cmb_system_equations(system)->nz;
}

void cli_summary_take(const cmb_result *r, double *to)
{
  to[CLI_NUMBER_q_moved] = r->start.q_moved;
  to[CLI_NUMBER_v_moved] = r->start.v_moved;
  to[CLI_NUMBER_stiff_since] = r->stiff_since;
  to[CLI_NUMBER_singularities] = (double)r->singularities;
#define TAKE_STATISTIC(name) to[CLI_NUMBER_##name] = (double)r->statistics->name;
  CMB_STATISTICS_LIST(TAKE_STATISTIC)
#undef TAKE_STATISTIC
  to[CLI_NUMBER_position] = r->started ? r->position : NAN;
  to[CLI_NUMBER_velocity] = r->started ? r->velocity : NAN;
  to[CLI_NUMBER_worst_position] = r->started ? r->worst_position : NAN;
  to[CLI_NUMBER_worst_velocity] = r->started ? r->worst_velocity : NAN;
  to[CLI_NUMBER_tau] = r->started ? r->worst_tau : NAN;
  to[CLI_NUMBER_eta] = r->started ? r->worst_eta : NAN;
}

/* ---- JSON */

/* Writes the accuracy of a run as keys of a JSON object, from the numbers x[CLI_NUMBER_COUNT] about it: tolerances and step size (null where
 * they do not apply), and by how much the start values were corrected. */
void cli_summary_accuracy(struct cli_json *j, const double *x)
{
  cli_json_number(j, "rtol", x[CLI_NUMBER_rtol]);
  cli_json_number(j, "atol", x[CLI_NUMBER_atol]);
  cli_json_number(j, "step", x[CLI_NUMBER_step]);
  cli_json_number(j, "q_moved", x[CLI_NUMBER_q_moved]);
  cli_json_number(j, "v_moved", x[CLI_NUMBER_v_moved]);
}

/* Writes a JSON object under the key `key` with two numbers: x under the key `one`, y under the key `other`. */
static void put_pair(struct cli_json *j, const char *key, const char *one, double x,
                     const char *other, double y)
{
  cli_json_open(j, key, '{');
  cli_json_number(j, one, x);
  cli_json_number(j, other, y);
  cli_json_close(j, '}');
}

/* Writes, from the numbers x[CLI_NUMBER_COUNT] about a run, the residuals of the constraints at its end and the largest ones, and the largest
 * multipliers τ and η of the projections onto the constraints, as the JSON objects "residual", "worst" and "projected". */
static void put_residuals(struct cli_json *j, const double *x)
{
  put_pair(j, "residual", "position", x[CLI_NUMBER_position], "velocity", x[CLI_NUMBER_velocity]);
  put_pair(j, "worst", "position", x[CLI_NUMBER_worst_position], "velocity",
           x[CLI_NUMBER_worst_velocity]);
  put_pair(j, "projected", "tau", x[CLI_NUMBER_tau], "eta", x[CLI_NUMBER_eta]);
}

/* Writes the stored events of a run as the JSON list "events", with the states before and after each event if these are stored. Writes the
 * number of all events too if only the first ones are stored. */
static void put_events(struct cli_json *j, const struct cli_summary *s)
{
  cli_json_open(j, "events", '[');
  for (long i = 0; i < s->event_count; i++) {
    const cmb_event *e = &s->events[i];
    char text[CLI_EVENT_ROOM];
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", e->name);
    cli_json_text(j, "kind", cli_event_kind_name(e->kind));
    cli_json_text(j, "text", cli_event_text(e->name, e->kind, e->direction, text));
    cli_json_number(j, "t", e->t);
    cli_json_integer(j, "direction", e->direction);
    if (!isnan(e->limit)) cli_json_number(j, "limit", e->limit);
    if (s->sides) cli_sides_json(s->sides, s->instants[i], j);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
  if (s->numbers[CLI_NUMBER_event_count] >
      (double)s->event_count) { /* only the first ones are stored */
    cli_json_number(j, "event_count", s->numbers[CLI_NUMBER_event_count]);
  }
}

/* Writes a number as JSON under the key `key`, unless it is NaN (unknown) or infinite. */
static void put_known(struct cli_json *j, const char *key, double x)
{
  if (isfinite(x)) cli_json_number(j, key, x);
}

/* Writes the counters of the integrator (steps, evaluations, …) and the computing times in x[CLI_NUMBER_COUNT] as the JSON objects "stats"
 * and "seconds". */
static void put_costs(struct cli_json *j, const double *x)
{
  cli_json_open(j, "stats", '{');
#define PUT_STATISTIC(name) cli_json_number(j, #name, x[CLI_NUMBER_##name]);
  CMB_STATISTICS_LIST(PUT_STATISTIC)
#undef PUT_STATISTIC
  cli_json_close(j, '}');
  put_pair(j, "seconds", "setup", x[CLI_NUMBER_setup_seconds], "run", x[CLI_NUMBER_run_seconds]);
}

void cli_summary_put(struct cli_json *j, const struct cli_summary *s)
{
  put_residuals(j, s->numbers);
  put_events(j, s);
  if (s->stopped_by[0]) cli_json_text(j, "stopped_by", s->stopped_by);
  put_known(j, "singularity_count", s->numbers[CLI_NUMBER_singularities]);
  put_known(j, "stiff_since", s->numbers[CLI_NUMBER_stiff_since]);
  put_costs(j, s->numbers);
}
