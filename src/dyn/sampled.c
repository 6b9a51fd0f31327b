/*
 * Builds the sampled values w of the model's controllers: their inputs in the graph, their updates and delays. At each instant of a controller
 *
 *     w⁺ = U(t, q, v, z, a, λ, w⁻),
 *
 * and between the instants w is constant. The equations of motion treat them as parameters: inputs of the graph, behind the live
 * parameters. The new values are computed like outputs and stored behind them.
 *
 * delay(w, T) of a sampled value is implemented by a shift register: with T = m P + r and the period P, the values h₁⁺ = w⁻, h₂⁺ = h₁⁻, ..
 * are sampled together with w, so that h_m is the w of m periods ago; if r > 0, one more value samples h_m at instants that are later by
 * r. In the update of a controller, delay(x, m P) of any other x begins with a sample of x: h₁⁺ = x, so that the update reads the x of m
 * periods ago.
 */
#include "base/context.h"
#include "dyn/build.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME_ROOM = 320, MOST_REGISTERS = 1000 };

static const double SAME = 1e-12; /* relative tolerance for a delay to be a multiple of a period */

/* Returns sampled value number i, which a controller updates at its sampling instants. The pointer is valid until another one is appended. */
cmb_sampled *cmb_sampled_at(const cmb_build *b, int i)
{
  return (cmb_sampled *)b->sampled.items + i;
}

static cmb_sampler *sampler_at(const cmb_build *b, int i)
{
  return (cmb_sampler *)b->samplers.items + i;
}

/* Appends a sampled value with the given name, the index of its sampler and its initial value, and creates the graph
 * input (symbol) that represents it. Returns its index, or −1 if out of memory. */
static int add_sampled(cmb_build *b, const char *name, int sampler, double start)
{
  char text[NAME_ROOM];
  cmb_sampled *s = cmb_list_add(b, &b->sampled, sizeof *s);
  if (!s) return -1;
  snprintf(text, sizeof text, "sampled value %d, %s", b->sampled.count, name);
  *s = (cmb_sampled){.name = name, .sampler = sampler, .start = start, .x = cmb_input(b->g, text)};
  return b->sampled.count - 1;
}

cmb_status cmb_build_sampled(cmb_build *b)
{
  const cmb_model *m = b->model;
  for (int i = 0; i < m->controller_count; i++) {
    const cmb_model_controller *c = &m->controllers[i];
    cmb_sampler *s = cmb_list_add(b, &b->samplers, sizeof *s);
    if (!s) return CMB_ERROR_MEMORY;
    *s = (cmb_sampler){c->name, c->period, c->phase};
  }
  for (int i = 0; i < m->sampled_count; i++) {
    const cmb_model_sampled *s = &m->sampled[i];
    if (add_sampled(b, s->name, s->controller, s->start) < 0) return CMB_ERROR_MEMORY;
  }
  return CMB_OK;
}

/* ---- delays */

/* Returns the index of the sampled value that is value number `of` delayed by `count` sampling periods. Creates the stages of the shift
 * register that do not exist yet. Returns −1 on failure. */
static int find_register(cmb_build *b, int of, int count)
{
  for (int k = 0; k < count; k++) {
    const cmb_sampled *from = cmb_sampled_at(b, of);
    int next = from->delayed;
    if (next == 0) {
      const cmb_expr update = from->x;
      char text[NAME_ROOM];
      snprintf(text, sizeof text, "%.280s, delayed", from->name);
      const char *name = cmb_arena_text(b->arena, text);
      if (!name) return -1;
      next = add_sampled(b, name, from->sampler, from->start);
      if (next < 0) return -1;
      cmb_sampled_at(b, next)->update = update;
      cmb_sampled_at(b, of)->delayed = next;
    }
    of = next;
  }
  return of;
}

/* Returns the index of a sampled value that is a copy of value number `of`, delayed by `rest` seconds. Creates it, with a sampler of the same
 * period, if there is none yet. Returns −1 if out of memory. */
static int find_later_sample(cmb_build *b, int of, double rest)
{
  for (int i = 0; i < b->sampled.count; i++) {
    const cmb_sampled *s = cmb_sampled_at(b, i);
    if (s->late && s->update == cmb_sampled_at(b, of)->x && s->rest == rest) return i;
  }
  const cmb_sampled *from = cmb_sampled_at(b, of);
  const cmb_sampler base = *sampler_at(b, from->sampler);
  cmb_sampler *later = cmb_list_add(b, &b->samplers, sizeof *later);
  if (!later) return -1;
  *later = (cmb_sampler){base.name, base.period, base.phase + rest};
  const cmb_expr x = from->x;
  const int i = add_sampled(b, from->name, b->samplers.count - 1, from->start);
  if (i < 0) return -1;
  cmb_sampled *s = cmb_sampled_at(b, i);
  s->late = true, s->rest = rest, s->update = x;
  return i;
}

static bool refuse(cmb_build *b, const cmb_model_formula *formula, const char *why)
{
  cmb_build_fail(b, cmb_about_formula(formula), "delay: %s", why);
  return false;
}

/* Splits a delay into a whole number *count of sampling periods and a remainder *rest (0 if within rounding). Reports an error and returns
 * false if `time` is not a constant ≥ 0, or has more than 1000 whole periods. */
static bool split_delay(cmb_build *b, const cmb_model_formula *formula, cmb_expr time,
                        double period, int *count, double *rest)
{
  const bool constant = cmb_expr_op(b->g, time) == CMB_OP_CONSTANT;
  if (!constant) {
    return refuse(b, formula,
                  "the time is not constant, since it depends on live parameters or on the motion; "
                  "expected a number");
  }
  const double T = cmb_expr_constant(b->g, time);
  if (!(T >= 0 && isfinite(T))) {
    return refuse(b, formula, "the time is negative or not finite; expected a number from 0 on");
  }
  const double near = nearbyint(T / period);
  const bool multiple = fabs(T - near * period) <= SAME * T;
  const double whole = multiple ? near : floor(T / period);
  if (!(whole <= MOST_REGISTERS)) {
    return refuse(b, formula,
                  "the time is longer than 1000 periods of the controller; expected a shorter "
                  "time, or a controller with a longer period");
  }
  *count = (int)whole;
  *rest = multiple ? 0 : T - whole * period;
  return true;
}

/* Builds the expression *e of delay(w, time) for sampled value number `of`, with a shift register that has a stage for each whole period. The
 * rest of the delay, a fraction of the period, is waited for after the last stage. Returns false on failure. */
static bool delay_sampled(cmb_build *b, const cmb_model_formula *formula, int of, cmb_expr time,
                          cmb_expr *e)
{
  int count;
  double rest;
  const double period = sampler_at(b, cmb_sampled_at(b, of)->sampler)->period;
  if (!split_delay(b, formula, time, period, &count, &rest)) return false;
  int last = find_register(b, of, count);
  if (last >= 0 && rest > 0) last = find_later_sample(b, last, rest);
  if (last < 0) return false;
  *e = cmb_sampled_at(b, last)->x;
  return true;
}

/* Builds the expression *e of delay(x, time) in the formula that updates a sampled value, by a shift register whose first stage samples x. If
 * the formula is read again, the same register is used. Returns false on failure. */
static bool delay_in_update(cmb_build *b, cmb_expr x, cmb_expr time, cmb_expr *e)
{
  const int of = b->updating, number = b->update_delays++;
  const cmb_model_formula *formula = &b->model->sampled[of].update;
  const int sampler = cmb_sampled_at(b, of)->sampler;
  int count, first = -1;
  double rest;
  if (!split_delay(b, formula, time, sampler_at(b, sampler)->period, &count, &rest)) return false;
  if (rest > 0) {
    return refuse(b, formula,
                  "the time is no multiple of the controller's period; expected a multiple, or a "
                  "sampled value "
                  "as the delayed quantity");
  }
  *e = x;
  if (count == 0) return true;
  for (int i = 0; i < b->sampled.count && first < 0; i++) {
    const cmb_sampled *s = cmb_sampled_at(b, i);
    if (s->of_update == of + 1 && s->number == number) first = i;
  }
  if (first < 0) first = add_sampled(b, cmb_sampled_at(b, of)->name, sampler, 0);
  if (first < 0) return false;
  cmb_sampled *s = cmb_sampled_at(b, first);
  s->of_update = of + 1, s->number = number, s->update = x;
  const int last = find_register(b, first, count - 1);
  if (last < 0) return false;
  *e = cmb_sampled_at(b, last)->x;
  return true;
}

bool cmb_build_delay(cmb_build *b, const cmb_model_formula *formula, cmb_expr x, cmb_expr time,
                     cmb_expr *e)
{
  for (int i = 0; i < b->sampled.count; i++) {
    if (cmb_sampled_at(b, i)->x == x) return delay_sampled(b, formula, i, time, e);
  }
  if (b->updating >= 0 && formula == &b->model->sampled[b->updating].update) {
    return delay_in_update(b, x, time, e);
  }
  return refuse(
      b, formula,
      "only sampled values can be delayed here; expected a sampled value of a controller, "
      "or 'delay' in a formula of its 'update'");
}

/* ---- updates */

cmb_status cmb_build_updates(cmb_build *b)
{
  cmb_status status = CMB_OK;
  for (int i = 0; i < b->model->sampled_count && status == CMB_OK; i++) {
    cmb_expr e = 0;
    b->updating = i, b->update_delays = 0;
    status = cmb_build_formula(b, &b->model->sampled[i].update, CMB_LEVEL_OUTPUT, NULL, &e);
    cmb_sampled_at(b, i)->update = e;
  }
  b->updating = -1;
  return status;
}

cmb_status cmb_build_take_samplers(cmb_build *b, cmb_expressions *x)
{
  x->nh = b->sampled.count;
  x->sampler_count = b->samplers.count;
  x->samplers = b->samplers.items;
  x->held_sampler = cmb_arena_ints(b->arena, x->nh);
  if (!x->held_sampler) return CMB_ERROR_MEMORY;
  for (int i = 0; i < x->nh; i++) x->held_sampler[i] = cmb_sampled_at(b, i)->sampler;
  return CMB_OK;
}
