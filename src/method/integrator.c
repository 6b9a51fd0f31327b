/*
 * The integrator: its creation, its options, and the step loop that all methods share. The run loop in sim calls it through
 * include/camber/method.h and integrator.h.
 *
 * Step sizes follow from the method's controller (controller.h). Unless it is given, the first step size is chosen after Hairer, Nørsett
 * and Wanner (Solving ODEs I, §II.4) from the sizes of y, y', y''.
 */
#include "method/integrator.h"
#include "method/drift.h"
#include "method/method.h"
#include "method/runaway.h"
#include "method/stiffness.h"

#include "base/context.h"
#include "base/text.h"
#include "dae/attach.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* stiffness estimates above the limit, less those below it, before a warning is logged */
enum { STIFF_ESTIMATES = 6 };
/* consecutive rejections after which, near a loss of rank, the explicit method is tried */
enum { RESCUE_AFTER = 12 };
/* Least number of steps of the explicit method near a loss of rank: it may begin with a very small step, and the other method may get
 * stuck again as long as that has not grown. */
enum { RELIEF_STEPS = 20 };
enum { MOST_REJECTIONS = 100 }; /* consecutive rejections: 4^-100 is beyond any time scale */

/* relative difference of step sizes that counts as rounding of time */
static const double SAME_STEP = 1e-6;
static const double LEAST_FIRST = 1024 * DBL_EPSILON; /* the smallest first step, relative to t */

static const cmb_method *const methods[] = {
    &cmb_method_auto,   &cmb_method_mdop5,  &cmb_method_mdop853, &cmb_method_hem5,
    &cmb_method_phem56, &cmb_method_abm,    &cmb_method_radau5,  &cmb_method_radau,
    &cmb_method_bdf,    &cmb_method_sdirk4, &cmb_method_trap,    &cmb_method_forsdirk,
    &cmb_method_lie,    &cmb_method_rosw2,
};

enum { METHODS = sizeof methods / sizeof methods[0] };

int cmb_method_count(void)
{
  return METHODS;
}

const cmb_method *cmb_method_at(int i)
{
  return i >= 0 && i < METHODS ? methods[i] : NULL;
}

const cmb_method *cmb_method_find(const char *name)
{
  for (int i = 0; name && i < METHODS; i++) {
    if (strcmp(methods[i]->name, name) == 0) return methods[i];
  }
  return NULL;
}

const char *cmb_method_name(const cmb_method *method)
{
  return method->name;
}

const char *cmb_method_title(const cmb_method *method)
{
  return method->title;
}

int cmb_method_order(const cmb_method *method)
{
  return method->order;
}

bool cmb_method_is_implicit(const cmb_method *method)
{
  return method->implicit;
}

bool cmb_method_is_real_time(const cmb_method *method)
{
  return method->real_time;
}

bool cmb_method_holds_friction(const cmb_method *method)
{
  return method->holds_friction;
}

const cmb_option *cmb_method_options(const cmb_method *method, int *count)
{
  *count = method->option_count;
  return method->options;
}

cmb_integrator_options cmb_integrator_defaults(void)
{
  return (cmb_integrator_options){
      .rtol = 1e-6, .atol = CMB_ATOL_PER_RTOL * 1e-6, .max_steps = 100000000};
}

/* Returns the index of `word` in a list of words such as "one|two|three"; −1 if the list does not contain it. */
static int word_index(const char *words, const char *word)
{
  size_t length = strlen(word);
  for (int i = 0;; i++) {
    size_t here = strcspn(words, "|");
    if (here == length && strncmp(words, word, length) == 0) return i;
    if (words[here] == '\0') return -1;
    words += here + 1;
  }
}

/* Parses a setting (name and value) of one of the options of method m. *i becomes the index of the option; *choice the index of the given
 * word in the option's list of words, or that of the word NUMBER with the given number in *number (else 0). Returns an error if the method
 * has no such option or the option does not permit the value. */
static cmb_status parse_setting(cmb_context *ctx, const cmb_method *m,
                                const cmb_option_setting *setting, int *i, int *choice,
                                double *number)
{
  if (!setting->name || !setting->value) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "an option of method %s has no name or no value",
                    m->name);
  }
  *i = cmb_find_name(setting->name, m->options, m->option_count, sizeof *m->options);
  if (*i < 0) {
    const char *near =
        cmb_nearest_name(setting->name, m->options, m->option_count, sizeof *m->options);
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", setting->name),
                          "method %s has no option '%s'%s%s%s", m->name, setting->name,
                          near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  const char *values = m->options[*i].values;
  const int any = word_index(values, "NUMBER");
  *choice = word_index(values, setting->value);
  *number = 0;
  if (any >= 0 && cmb_parse_number(setting->value, number)) {
    *choice = *number > 0 ? any : -1;
  } else if (*choice == any) {
    *choice = -1; /* the user gave the word NUMBER itself */
  }
  if (*choice >= 0) return CMB_OK;
  return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", setting->name),
                        "option %s of method %s is '%s'; expected one of %s", setting->name,
                        m->name, setting->value, values);
}

cmb_status cmb_method_check_option(cmb_context *ctx, const cmb_method *method,
                                   const cmb_option_setting *setting)
{
  int i, choice;
  double number;
  CMB_REQUIRE(ctx, method && setting, "cmb_method_check_option needs a method and a setting");
  return parse_setting(ctx, method, setting, &i, &choice, &number);
}

/* Parses an option setting of the user and stores its value in the integrator; returns an error if the integrator's method has no such
 * option or the option permits no such value. */
static cmb_status set_option(cmb_context *ctx, cmb_integrator *in,
                             const cmb_option_setting *setting)
{
  int i = 0, choice = 0;
  double number = 0;
  CMB_TRY(parse_setting(ctx, in->method, setting, &i, &choice, &number));
  in->chosen.word[i] = choice;
  in->chosen.number[i] = number;
  return CMB_OK;
}

cmb_status cmb_choices_create(cmb_arena *arena, const cmb_method *method, cmb_choices *chosen)
{
  chosen->word = cmb_arena_ints(arena, method->option_count);
  chosen->number = cmb_arena_doubles(arena, method->option_count);
  if (!chosen->word || !chosen->number) return CMB_ERROR_MEMORY;
  for (int i = 0; i < method->option_count; i++) {
    chosen->word[i] = word_index(method->options[i].values, method->options[i].fallback);
  }
  return CMB_OK;
}

static bool method_has_option(const cmb_method *m, const char *name)
{
  return cmb_find_name(name, m->options, m->option_count, sizeof *m->options) >= 0;
}

int cmb_choice(const cmb_integrator *in, const char *name)
{
  const cmb_method *m = in->method;
  int i = cmb_find_name(name, m->options, m->option_count, sizeof *m->options);
  return in->chosen.word[i];
}

double cmb_option_number(const cmb_integrator *in, const char *name)
{
  const cmb_method *m = in->method;
  return in->chosen.number[cmb_find_name(name, m->options, m->option_count, sizeof *m->options)];
}

/* Returns an error with a message unless the value of the option `name` is finite and positive, or 0 where zero_permitted is set. */
static cmb_status check_number(cmb_context *ctx, const char *name, double value,
                               bool zero_permitted)
{
  if (isfinite(value) && (value > 0 || (zero_permitted && value == 0))) return CMB_OK;
  return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", name),
                        "%s is %g; expected a finite number %s", name, value,
                        zero_permitted ? "not less than 0" : "greater than 0");
}

/* Checks the integrator's options (tolerances and step sizes), stores the settings of its method's own options, and determines whether all
 * steps have the same size. Sets the default step size of a real-time method. */
static cmb_status read_options(cmb_context *ctx, cmb_integrator *in)
{
  const cmb_integrator_options *o = &in->options;
  CMB_REQUIRE(ctx, o->setting_count == 0 || (o->setting_count > 0 && o->settings),
              "the method's options are missing");
  CMB_TRY(check_number(ctx, "rtol", o->rtol, false));
  CMB_TRY(check_number(ctx, "atol", o->atol, false));
  CMB_TRY(check_number(ctx, "step", o->step, true));
  CMB_TRY(check_number(ctx, "max_step", o->max_step, true));
  if (cmb_choices_create(in->arena, in->method, &in->chosen) != CMB_OK) return cmb_fail_memory(ctx);
  for (int k = 0; k < o->setting_count; k++) CMB_TRY(set_option(ctx, in, &o->settings[k]));
  const bool may_be_fixed = method_has_option(in->method, "steps");
  in->fixed_step = in->method->real_time || (may_be_fixed && cmb_choice(in, "steps") == 1);
  if (in->method->real_time && o->step == 0) in->options.step = CMB_USUAL_PERIOD;
  if (in->fixed_step && o->step == 0) {
    return cmb_fail_about(ctx, CMB_ERROR_ARGUMENT, cmb_about_thing("option", "step"),
                          "option steps=fixed needs a step size; expected the option step with a "
                          "number greater than 0");
  }
  return CMB_OK;
}

/* Returns whether the integrator needs an explicit method as a substitute near positions where the constraints lose rank: its own method has
 * adaptive steps and may fail there. False for method=auto, which has one already. */
static bool may_need_relief(const cmb_integrator *in)
{
  return in->ng > 0 && !in->fixed_step && !in->switcher && !in->method->passes_singular;
}

/* Allocates the arrays of the integrator and of its method from the integrator's arena. Arrays for states have one element more than a state,
 * since they are processed two numbers at a time. */
static cmb_status take_memory(cmb_integrator *in)
{
  cmb_arena *a = in->arena;
  in->y = cmb_arena_doubles(a, in->n + 1);
  in->y_new = cmb_arena_doubles(a, in->n + 1);
  in->y_before = cmb_arena_doubles(a, in->n + 1);
  in->y_out = cmb_arena_doubles(a, in->n + 1);
  in->lambda = cmb_arena_doubles(a, in->ng);
  in->lambda_new = cmb_arena_doubles(a, in->ng);
  in->lambda_before = cmb_arena_doubles(a, in->ng);
  in->runaway = cmb_arena_take(a, 1, sizeof *in->runaway);
  cmb_passage_take(in);
  if (!in->fixed_step && (in->method->stability > 0 || in->method == &cmb_method_auto)) {
    in->stiffness = cmb_stiffness_create(in);
  }
  if (cmb_arena_failed(a)) return cmb_fail_memory(in->ctx);
  CMB_TRY(in->method->create(in));
  if (may_need_relief(in)) CMB_TRY(cmb_switcher_add(in));
  return cmb_arena_failed(a) ? cmb_fail_memory(in->ctx) : CMB_OK;
}

cmb_status cmb_integrator_create(cmb_context *ctx, const cmb_equations *eq,
                                 const cmb_method *method, const cmb_integrator_options *options,
                                 cmb_integrator **out)
{
  CMB_REQUIRE(ctx, ctx && out,
              "cmb_integrator_create needs a context and a place for the integrator");
  *out = NULL;
  CMB_REQUIRE(ctx, method && options, "cmb_integrator_create needs a method and options");
  CMB_TRY(cmb_equations_check(ctx, eq));
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  cmb_integrator *in = cmb_arena_take(arena, 1, sizeof *in);
  if (!in) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  in->ctx = ctx;
  in->arena = arena;
  in->method = method;
  in->options = *options;
  in->nq = eq->nq, in->nv = eq->nv, in->ng = eq->ng, in->n = eq->nq + eq->nv;
  cmb_status status = read_options(ctx, in);
  if (status == CMB_OK) status = cmb_evaluator_create(ctx, eq, &in->ev);
  if (status == CMB_OK) status = take_memory(in);
  if (status != CMB_OK) {
    cmb_integrator_destroy(in);
    return status;
  }
  *out = in;
  return CMB_OK;
}

void cmb_integrator_destroy(cmb_integrator *in)
{
  if (!in) return;
  if (in->switcher) {
    cmb_switcher_destroy(in);
  } else if (in->method->destroy && in->data) {
    in->method->destroy(in);
  }
  cmb_evaluator_destroy(in->ev);
  cmb_arena_destroy(in->arena);
}

double cmb_error_norm(const cmb_integrator *in, int from, int to, const double *x)
{
  const double rtol = in->options.rtol, atol = in->options.atol;
  const double *y = in->y, *y_new = in->y_new;
  const ptrdiff_t end = to;
  double sum = 0;
  for (ptrdiff_t i = from; i < end; i++) {
    const double before = fabs(y[i]), after = fabs(y_new[i]);
    const double e = x[i] / (rtol * (before > after ? before : after) + atol);
    sum += e * e;
  }
  return sqrt(sum / (to - from));
}

cmb_status cmb_slope(cmb_integrator *in, double t, const double *y, double *slope, double *lambda)
{
  cmb_rates(in->ev, y, y + in->nq, slope);
  return cmb_accelerate(in->ev, t, y, y + in->nq, slope + in->nq, lambda);
}

cmb_status cmb_factor_and_slope(cmb_integrator *in, double t, const double *y, double *slope,
                                double *lambda)
{
  cmb_rates(in->ev, y, y + in->nq, slope);
  return cmb_factor_and_accelerate(in->ev, t, y, y + in->nq, slope + in->nq, lambda);
}

/* Two numbers that are processed at once. cmb_combine adds eight numbers at a time over all terms, held in registers. It may go beyond
 * n: the arrays come from the arena, which hands out zeroed blocks of a multiple of 8 doubles. */
typedef double pair __attribute__((vector_size(16), may_alias));

/* Returns whether x is +0, as an integer comparison, which is shorter than one of numbers that may be NaN. */
static inline bool is_zero(double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits == 0;
}

void cmb_combine(int n, const double *y, double h, int count, const double *c, double *const *k,
                 double *out)
{
  const ptrdiff_t end = n, terms = count;
  if (terms == 0) {
    cmb_copy(n, y, out);
    return;
  }
  for (ptrdiff_t block = 0; block < end; block += 8) {
    const pair *k0 = (const pair *)(k[0] + block);
    pair s0 = c[0] * k0[0], s1 = c[0] * k0[1], s2 = c[0] * k0[2], s3 = c[0] * k0[3];
    for (ptrdiff_t j = 1; j < terms; j++) {
      if (is_zero(c[j])) continue;
      const pair *kj = (const pair *)(k[j] + block);
      s0 += c[j] * kj[0], s1 += c[j] * kj[1], s2 += c[j] * kj[2], s3 += c[j] * kj[3];
    }
    const pair *from = (const pair *)(y + block);
    pair *to = (pair *)(out + block);
    to[0] = from[0] + h * s0, to[1] = from[1] + h * s1, to[2] = from[2] + h * s2;
    to[3] = from[3] + h * s3;
  }
}

/* Writes to text[room] that the constraints are near a loss of rank and, unless the method can pass such a position, which methods can.
 * Writes an empty string if the constraints are not near one. */
static void describe_singularity(cmb_integrator *in, size_t room, char *text)
{
  const char *name, *end = in->method->passes_singular ? "" : "; methods that pass such positions:";
  *text = '\0';
  if (!cmb_passage_is_near(in, &name)) return;
  int length =
      snprintf(text, room, "; the constraints are near to losing rank here ('%s')%s", name, end);
  for (int i = 0; i < METHODS && *end && length < (int)room; i++) {
    if (!methods[i]->passes_singular) continue;
    length += snprintf(text + length, room - (size_t)length, " %s", methods[i]->name);
  }
}

/* Returns an error with the message that the motion diverges, if velocities were growing exponentially or faster; otherwise that no further
 * step is possible, with the time, the step size h and the cause. `status` is the result of the last attempt, or that of the method's
 * function `begin`. */
static cmb_status give_up(cmb_integrator *in, cmb_status status, double h)
{
  char text[512] = "the error test asks for steps below the resolution of time";
  if (cmb_runaway_suspected(in)) return cmb_runaway_fail(in);
  const char *blamed = cmb_evaluator_blamed(in->ev, status);
  if (status > 0) cmb_evaluator_blame(in->ev, status, 256, text);
  const size_t length = strlen(text);
  describe_singularity(in, sizeof text - length, text + length);
  return cmb_fail_about(in->ctx, CMB_ERROR_STEP_SIZE, cmb_about_time(in->t, "constraint", blamed),
                        "no step possible at t = %.9g (step size %.3g): %s", in->t, h, text);
}

/* Computes the size *h of the first step from y, y' and a difference quotient for y'' (Hairer, Nørsett, Wanner, Solving ODEs I, §II.4).
 * Returns a positive status if the equations cannot be evaluated at y or at the trial point. */
static cmb_status first_step(cmb_integrator *in, double *h)
{
  const int n = in->n;
  double *f0 = in->y_out, *y1 = in->y_new, *f1 = in->y_before;
  CMB_TRY(cmb_slope(in, in->t, in->y, f0, in->lambda_new));
  /* the norm takes its weights from y_new */
  memcpy(in->y_new, in->y, (size_t)n * sizeof *in->y_new);
  double d0 = cmb_error_norm(in, 0, n, in->y), d1 = cmb_error_norm(in, 0, n, f0);
  double h0 = d0 < 1e-5 || d1 < 1e-5 ? 1e-6 : 0.01 * d0 / d1;
  if (in->options.max_step > 0) h0 = fmin(h0, in->options.max_step);
  for (int i = 0; i < n; i++) y1[i] = in->y[i] + h0 * f0[i];
  CMB_TRY(cmb_slope(in, in->t + h0, y1, f1, in->lambda_new));
  for (int i = 0; i < n; i++) f1[i] -= f0[i];
  double d2 = cmb_error_norm(in, 0, n, f1) / h0, most = fmax(d1, d2);
  double h1 =
      most <= 1e-15 ? fmax(1e-6, 1e-3 * h0) : pow(0.01 / most, 1.0 / in->method->control->order);
  *h = fmax(fmin(100 * h0, h1), LEAST_FIRST * fabs(in->t));
  return CMB_OK;
}

void cmb_integrator_reset(cmb_integrator *in)
{
  cmb_forget_grip(in->ev);
  cmb_runaway_reset(in);
  in->rounding_reported = in->keep_size = false;
  in->h = in->h_taken = 0;
  cmb_controller_reset(&in->control);
  if (in->stiffness) in->stiffness->reported = false;
  if (in->switcher) cmb_switcher_begin(in);
}

/* Returns whether the state at which the KKT matrix was last factorised is inside of the region near a loss of rank of the constraints, where
 * no step should end. */
static bool is_inside(const cmb_integrator *in)
{
  return *in->ev->doubtful && cmb_kkt_nearness(in->ev->kkt) < CMB_WEAK_ZONE;
}

/* Schedules a change of the integration method (s->due) after an accepted step: where the state comes too near to a loss of rank of the
 * constraints for a step to end there, to a method that can pass it; at least RELIEF_STEPS steps later, where the constraints have full
 * rank and are not near a loss of it, back to the selected method. Does nothing for method=auto or if there is no other method. */
static void check_rank(cmb_integrator *in)
{
  cmb_switcher *s = in->switcher;
  if (!s || s->by_stiffness) return;
  const bool inside = is_inside(in), enters = inside && !s->inside;
  const bool relieved = in->method->passes_singular;
  if (relieved && s->steps < RELIEF_STEPS) s->steps++;
  const bool regular = in->passage.near_steps == 0 && in->ev->redundant == 0;
  s->due = relieved ? regular && s->steps == RELIEF_STEPS : enters;
  s->inside = inside;
}

/* Sets the time t from which fixed steps are counted, so that the times of later steps are t plus multiples of the step size without
 * accumulated rounding errors. */
static void count_from(cmb_integrator *in, double t)
{
  in->t_begin = t;
  in->fixed_steps = 0;
}

cmb_status cmb_integrator_begin(cmb_integrator *in, double t, const double *q, const double *v)
{
  if (!in) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(in->ctx, q && v && isfinite(t), "cmb_integrator_begin needs a finite t, q and v");
  cmb_runaway_restart(in, t, v);
  in->begun = true;
  in->t = in->t_before = t;
  count_from(in, t);
  memcpy(in->y, q, (size_t)in->nq * sizeof *q);
  memcpy(in->y + in->nq, v, (size_t)in->nv * sizeof *v);
  cmb_runaway_begin(in);
  cmb_controller_begin(&in->control);
  in->step_taken = in->dense_ready = false;
  cmb_passage_begin(in);
  if (in->stiffness && !in->keep_size) cmb_stiffness_begin(in->stiffness);
  cmb_watch_rank(in->ev, !in->fixed_step);
  const double last = in->h;
  const double kept = in->keep_size && !in->method->multistep ? in->h : 0;
  in->h = in->options.step > 0 ? in->options.step : kept;
  cmb_status status = CMB_OK;
  if (in->h == 0) {
    status = first_step(in, &in->h);
    /* the trial point may be outside of the equations' domain: begin with a small step */
    if (status > 0) {
      in->h = 1e-6;
      status = CMB_OK;
    }
    /* The estimate of first_step sees no derivative of the motion above the second: on a rough road it is far too large for a method of
     * high order. */
    const bool cautious = in->method->control->caution > 0 && last > LEAST_FIRST * fabs(t);
    if (cautious) in->h = fmin(in->h, last);
  }
  if (status == CMB_OK) status = in->method->begin(in);
  in->keep_size = false;
  if (status > 0) return give_up(in, status, in->h);
  if (status != CMB_OK) return status;
  if (in->switcher) in->switcher->inside = is_inside(in);
  cmb_passage_after(in);
  return CMB_OK;
}

/* Returns the size of the next step before it is changed because of t_limit or a nearby loss of rank of the constraints: the fixed step
 * size or the controller's proposal, at most the option max_step. */
static double full_step(const cmb_integrator *in)
{
  const double h = in->fixed_step ? in->options.step : in->h;
  return in->options.max_step > 0 ? fmin(h, in->options.max_step) : h;
}

/* Returns whether a fixed step of size h from the current time ends at t_limit up to rounding errors, so that no further step is made for a
 * tiny remainder. */
static bool fixed_step_ends(const cmb_integrator *in, double h, double t_limit)
{
  return fabs(t_limit - in->t - h) <= SAME_STEP * h;
}

/* Returns the size of the next attempt: the fixed or proposed step size, at most the option max_step, changed where the step has to pass a
 * loss of rank of the constraints, and shortened where necessary so that a step ends exactly at t_limit. */
static double step_to_try(const cmb_integrator *in, double t_limit)
{
  const double h = cmb_passage_size(in, full_step(in));
  double left = t_limit - in->t;
  if (in->method->real_time && fixed_step_ends(in, h, t_limit)) return h;
  if (in->fixed_step) return left < h * (1 + SAME_STEP) ? left : h;
  if (left <= h * (1 + 1e-10)) return left;
  return left < 2 * h ? left / 2 : h; /* two equal steps in place of a tiny last one */
}

/* Returns the time at which the accepted step of size h ends: exactly t_limit if the step was meant to end there, else the current time
 * plus h. Counts fixed steps, whose times differ by multiples of h without accumulated rounding errors. */
static double end_of_step(cmb_integrator *in, double h, double t_limit)
{
  if (h == t_limit - in->t || (in->method->real_time && fixed_step_ends(in, h, t_limit))) {
    count_from(in, t_limit);
    return t_limit;
  }
  return in->fixed_step ? in->t_begin + (double)++in->fixed_steps * h : in->t + h;
}

/* Makes the state after an accepted step of size h the integrator's current state, at time t_new, by exchanging the arrays of states and
 * multipliers. */
static void accept_step(cmb_integrator *in, double h, double t_new)
{
  in->method->accept(in);
  cmb_passage_after(in);
  double *free_y = in->y_before, *free_lambda = in->lambda_before;
  in->y_before = in->y, in->y = in->y_new, in->y_new = free_y;
  in->lambda_before = in->lambda, in->lambda = in->lambda_new, in->lambda_new = free_lambda;
  in->t_before = in->t;
  in->t = t_new;
  in->h_taken = h;
  in->step_taken = true;
  in->dense_ready = false;
  in->ev->stats.accepted++;
  in->tau_square = in->ev->tau_square;
  in->eta_square = in->ev->eta_square;
}

/* Returns the next step size by the PI controller after a step of size h was accepted with this error in units of the tolerance. If the step
 * was shortened because of a nearby loss of rank of the constraints, returns at least the size proposed before it. */
static double step_after(cmb_integrator *in, double h, double error)
{
  const double wanted = in->h;
  const double next =
      cmb_controller_pi(in->method->control, &in->control, h, error, in->rejections);
  return cmb_passage_next(in, h, wanted, next);
}

/* Returns the size of the next attempt after one of size h has failed. If it was rejected because its error estimate `error` is above 1 (status
 * CMB_OK), the size follows from the PI controller; if it failed with a status > 0, the size is reduced by a constant factor. */
static double step_after_failure(const cmb_integrator *in, double h, double error,
                                 cmb_status status)
{
  const cmb_controller *c = in->method->control;
  return status == CMB_OK ? cmb_controller_pi_rejected(c, h, error) : c->failed * h;
}

/* Returns the next step size after an accepted step of size h: in->h or, if that is smaller because the step was shortened to end at
 * t_limit, the size `wanted` proposed before. If the method has its own function `propose`, always in->h. */
static double step_after_limit(const cmb_integrator *in, double h, double t_limit, double wanted)
{
  const bool cut = h == t_limit - in->t && h < wanted && in->rejections == 0;
  return cut && !in->method->propose ? fmax(in->h, wanted) : in->h;
}

/* Checks for stiffness after an accepted step. With the method `auto` this may schedule a change of the method; with other explicit methods
 * a warning is logged, once, if stability limits the step size. Does nothing near a loss of rank of the constraints. Returns a negative
 * status if the equations have requested the end of the run. */
static cmb_status check_stiffness(cmb_integrator *in)
{
  if (cmb_step_is_near_singular(in)) return CMB_OK;
  if (in->switcher && in->switcher->by_stiffness) {
    cmb_switcher_check(in);
  } else if (!in->stiffness->reported &&
             cmb_stiffness_update(in, in->stiffness, in->method->stability, STIFF_ESTIMATES)) {
    in->stiffness->reported = true;
    cmb_log(
        in->ctx, CMB_LOG_WARNING,
        "from t = %.6g on the steps of %s are limited by stability, not by accuracy: the system "
        "is stiff there; methods radau5 and auto can take larger ones",
        in->stiffness->since, in->method->name);
  }
  return in->stiffness->end;
}

/* Changes to the other one of two methods if a change is scheduled; the new method begins at the current state. */
static cmb_status change_method(cmb_integrator *in)
{
  if (!in->switcher->due) return CMB_OK;
  cmb_status status = cmb_switcher_change(in);
  return status > 0 ? give_up(in, status, in->h) : status;
}

/* Changes to the explicit method that can pass a loss of rank of the constraints, after repeated failures of another method near such a
 * position or while constraints in the equations are dependent. Does nothing elsewhere, if the integrator has no second method, or if the
 * explicit one is active already. */
static cmb_status switch_where_dependent(cmb_integrator *in)
{
  const char *name;
  if (!in->switcher || !cmb_switcher_can_pass(in)) return CMB_OK;
  if (in->ev->redundant == 0 && !cmb_passage_is_near(in, &name)) return CMB_OK;
  in->h = in->h_taken > 0 ? in->h_taken : in->h;
  in->switcher->due = true;
  in->rejections = 0;
  CMB_TRY(change_method(in));
  cmb_passage_after(in);
  cmb_passage_before(in);
  return CMB_OK;
}

/* Returns whether no further attempt with a step of size h makes sense: more than MOST_REJECTIONS attempts were rejected, or h is lost in the
 * rounding of the time t (h <= 8 eps |t|, or NaN). */
static bool is_hopeless(const cmb_integrator *in, double h)
{
  return in->rejections > MOST_REJECTIONS || !(h > 8 * DBL_EPSILON * fabs(in->t));
}

cmb_status cmb_integrator_step(cmb_integrator *in, double t_limit)
{
  if (!in) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(in->ctx, in->begun, "cmb_integrator_begin comes before cmb_integrator_step");
  if (in->switcher) CMB_TRY(change_method(in));
  cmb_status trouble = CMB_OK;
  in->ev->tau_square = in->ev->eta_square = 0;
  cmb_kkt_lose(in->ev->kkt); /* those of other points, at which the run loop has evaluated */
  cmb_passage_before(in);
  for (in->rejections = 0;; in->rejections++) {
    double h = step_to_try(in, t_limit), error = 0;
    if (in->rejections == RESCUE_AFTER || is_hopeless(in, h)) {
      CMB_TRY(switch_where_dependent(in));
      h = step_to_try(in, t_limit);
    }
    if (is_hopeless(in, h)) return give_up(in, trouble, h);
    if (in->ev->stats.steps >= in->options.max_steps) {
      return cmb_fail_about(in->ctx, CMB_ERROR_STEP_COUNT, cmb_about_time(in->t, NULL, NULL),
                            "%ld attempted step%s, all that the option max-steps permits, reached "
                            "t = %.9g; expected a larger max-steps, or larger tolerances",
                            in->options.max_steps, in->options.max_steps == 1 ? "" : "s", in->t);
    }
    const cmb_method *m = in->method;
    in->ev->stats.steps++;
    cmb_kkt_refuse(in->ev->kkt, cmb_passage_may_refuse(in));
    cmb_status status = m->attempt(in, h, &error);
    cmb_kkt_refuse(in->ev->kkt, false);
    if (status < 0) return status;
    if (status == CMB_OK && !isfinite(error)) status = CMB_RETRY_NONFINITE;
    if (in->fixed_step && status != CMB_OK) return give_up(in, status, h);
    if (status == CMB_OK) error = cmb_passage_error(in, h, error);
    if (status == CMB_OK && (in->fixed_step || error <= 1)) {
      if (!m->real_time) {
        const double wanted = in->h;
        in->h = m->propose ? m->propose(in, h, error, status) : step_after(in, h, error);
        in->h = step_after_limit(in, h, t_limit, wanted);
      }
      accept_step(in, h, end_of_step(in, h, t_limit));
      CMB_TRY(cmb_runaway_check(in, t_limit));
      check_rank(in);
      return in->stiffness ? check_stiffness(in) : CMB_OK;
    }
    in->ev->stats.rejected++;
    trouble = status;
    in->h =
        m->propose ? m->propose(in, h, error, status) : step_after_failure(in, h, error, status);
  }
}

cmb_status cmb_integrator_undo(cmb_integrator *in)
{
  if (!in) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(in->ctx, in->step_taken, "there is no step to be undone");
  double *later = in->y;
  in->y = in->y_before, in->y_before = later;
  in->t = in->t_before;
  count_from(in, in->t);
  in->h = in->h_taken / 2;
  in->step_taken = in->dense_ready = false;
  in->ev->stats.accepted--;
  in->ev->stats.rejected++;
  in->keep_size = true;
  cmb_status status = in->method->begin(in);
  in->keep_size = false;
  return status > 0 ? give_up(in, status, in->h) : status;
}

/* Prepares dense output over the last step. The result may be less accurate inside of the step than at its ends (see
 * cmb_integrator_is_rough). */
static cmb_status densify(cmb_integrator *in)
{
  if (in->dense_ready) return CMB_OK;
  if (in->method->densify) CMB_TRY(in->method->densify(in));
  in->dense_ready = true;
  in->dense_refined = !in->method->is_rough;
  return CMB_OK;
}

cmb_status cmb_integrator_is_rough(cmb_integrator *in, bool *rough, double *bounds)
{
  CMB_TRY(densify(in));
  *rough = !in->dense_refined && in->method->is_rough(in, bounds);
  in->dense_refined = !*rough;
  return CMB_OK;
}

/* Makes dense output over the last step as accurate as the ends of the step, if the method can. */
static cmb_status refine(cmb_integrator *in)
{
  bool rough;
  CMB_TRY(cmb_integrator_is_rough(in, &rough, in->y_out));
  if (rough) CMB_TRY(in->method->refine(in));
  in->dense_refined = true;
  return CMB_OK;
}

cmb_status cmb_integrator_interpolate_roughly(cmb_integrator *in, double t, double *q, double *v)
{
  if (!in->step_taken || !(t >= in->t_before && t <= in->t)) {
    return cmb_fail_about(in->ctx, CMB_ERROR_ARGUMENT, cmb_about_time(t, NULL, NULL),
                          "t = %.9g is not inside the last step", t);
  }
  CMB_TRY(densify(in));
  in->method->interpolate(in, (t - in->t_before) / in->h_taken, in->y_out);
  memcpy(q, in->y_out, (size_t)in->nq * sizeof *q);
  memcpy(v, in->y_out + in->nq, (size_t)in->nv * sizeof *v);
  return CMB_OK;
}

/* Computes q and v at time t in the last step by dense output. Rough dense output, which is less accurate inside of the step, has no error at
 * its ends. */
cmb_status cmb_integrator_interpolate(cmb_integrator *in, double t, double *q, double *v)
{
  if (!in) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(in->ctx, q && v, "cmb_integrator_interpolate needs places for q and v");
  if (in->step_taken && t > in->t_before && t < in->t) CMB_TRY(refine(in));
  return cmb_integrator_interpolate_roughly(in, t, q, v);
}

const double *cmb_integrator_nodes(const cmb_integrator *in, int *count)
{
  const cmb_method *m = in->method;
  if (m->nodes_now) return m->nodes_now(in, count);
  *count = m->node_count;
  return m->nodes;
}

void cmb_integrator_node_position(const cmb_integrator *in, int k, double *q)
{
  in->method->node_position(in, k, q);
}

void cmb_integrator_drift(const cmb_integrator *in, double *tau, double *eta)
{
  *tau = sqrt(in->tau_square);
  *eta = sqrt(in->eta_square);
}

double cmb_integrator_rtol(const cmb_integrator *in)
{
  return in->options.rtol;
}

double cmb_integrator_atol(const cmb_integrator *in)
{
  return in->options.atol;
}

bool cmb_integrator_is_fixed(const cmb_integrator *in)
{
  return in->fixed_step;
}

void cmb_integrator_keep_size(cmb_integrator *in)
{
  in->keep_size = true;
}

double cmb_integrator_fixed_step(const cmb_integrator *in)
{
  return in->options.step;
}

bool cmb_integrator_has_loose_rates(const cmb_integrator *in)
{
  return in->loose_rates;
}

double cmb_integrator_time_at(const cmb_integrator *in, double theta)
{
  return theta >= 1 ? in->t : fmin(in->t_before + theta * (in->t - in->t_before), in->t);
}

int cmb_integrator_dense_degree(const cmb_integrator *in)
{
  const cmb_method *m = in->method;
  return m->dense_degree_now ? m->dense_degree_now(in) : m->dense_degree;
}

double cmb_integrator_t(const cmb_integrator *in)
{
  return in->t;
}

const double *cmb_integrator_q(const cmb_integrator *in)
{
  return in->y;
}

const double *cmb_integrator_v(const cmb_integrator *in)
{
  return in->y + in->nq;
}

const double *cmb_integrator_lambda(const cmb_integrator *in)
{
  return in->lambda;
}

const double *cmb_integrator_a(const cmb_integrator *in)
{
  return in->a;
}

double cmb_integrator_t_before(const cmb_integrator *in)
{
  return in->t_before;
}

int cmb_integrator_order(const cmb_integrator *in)
{
  return in->order_tried > 0 ? in->order_tried : in->method->order;
}

double cmb_integrator_stiff_since(const cmb_integrator *in)
{
  return in->stiffness && in->stiffness->reported ? in->stiffness->since : NAN;
}

const cmb_drift_bound *cmb_integrator_drift_bound(const cmb_integrator *in)
{
  return in->drift ? &in->drift->bound : NULL;
}

void cmb_integrator_meet_drift(cmb_integrator *in, double t, const double *q, double size)
{
  if (in->drift) cmb_drift_check(in->drift, in->ev, t, q, size);
}

const cmb_statistics *cmb_integrator_statistics(const cmb_integrator *in)
{
  return &in->ev->stats;
}

cmb_evaluator *cmb_integrator_evaluator(cmb_integrator *in)
{
  return in->ev;
}

const double *cmb_integrator_lambda_before(const cmb_integrator *in)
{
  return in->lambda_before;
}

const double *cmb_integrator_q_before(const cmb_integrator *in)
{
  return in->y_before;
}

const double *cmb_integrator_v_before(const cmb_integrator *in)
{
  return in->y_before + in->nq;
}
