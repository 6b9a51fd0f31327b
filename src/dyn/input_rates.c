/*
 * Adds the rates of inputs to time derivatives; called wherever an expression is differentiated with respect to time while a mechanism is built.
 * An input is its formula, a function of t, plus a free part u (expressions.h). Forces and constraints on moving inputs depend on their rates: a
 * contact with damping on `surface: z - road`, a motion with `value: lift`. The rates of the formula are its derivatives; those of u are separate
 * symbols u' and u'', since only the program that supplies u knows them:
 *
 *     d/dt e(t, u, u') = ∂e/∂t + ∂e/∂u u' + ∂e/∂u' u''
 *
 * cmb_build_add_input_rates adds the last two terms. The symbols are 0 in a simulation, as u is.
 */
#include "base/context.h"
#include "dyn/build.h"
#include "expr/graph.h"

#include <stdio.h>

enum { NAME_ROOM = 320, MOST_RATES = 2 };

/* Marks in b->rate_asked[] which first and second time derivatives u' and u'' of the model's inputs occur in the
 * expression e. */
static cmb_status mark_used_rates(cmb_build *b, cmb_expr e)
{
  const int n = b->model->input_count;
  uint8_t *used = cmb_reachable(b->g, 1, &e);
  if (!used) return CMB_ERROR_MEMORY;
  for (int i = 0; i < MOST_RATES * n; i++) {
    b->rate_asked[i] = b->rate_asked[i] || used[b->u[n + i]];
  }
  cmb_release(b->ctx, used);
  return CMB_OK;
}

cmb_status cmb_build_input_symbols(cmb_build *b)
{
  static const char *const dashes[1 + MOST_RATES] = {"", "'", "''"};
  const cmb_model *m = b->model;
  const size_t n = (size_t)m->input_count;
  b->u = cmb_arena_take(b->arena, (1 + MOST_RATES) * n + 1, sizeof *b->u);
  b->rate_asked = cmb_arena_take(b->arena, MOST_RATES * n + 1, sizeof *b->rate_asked);
  if (!b->u || !b->rate_asked) return CMB_ERROR_MEMORY;
  for (int k = 0; k <= MOST_RATES; k++) {
    for (int i = 0; i < m->input_count; i++) {
      char text[NAME_ROOM];
      snprintf(text, sizeof text, "u %s%s", m->inputs[i].name, dashes[k]);
      b->u[k * m->input_count + i] = cmb_input(b->g, text);
    }
  }
  return CMB_OK;
}

cmb_status cmb_build_add_input_rates(cmb_build *b, cmb_expr e, cmb_expr *rate)
{
  const int n = b->model->input_count;
  cmb_expr more;
  if (n == 0) return CMB_OK;
  CMB_TRY(cmb_forward(b->g, MOST_RATES * n, b->u, b->u + n, 1, &e, &more));
  if (more == 0) return CMB_OK;
  *rate = cmb_apply(b->g, CMB_OP_ADD, *rate, more, 0);
  return mark_used_rates(b, more);
}

/* Appends those time derivatives u' and u'' of the model's inputs that some expression uses to the list of parameters that can be changed
 * during a simulation: x->parameter, x->parameter_value (0) and x->parameter_names. The arrays x->parameter and x->parameter_value must
 * have room for them. */
static cmb_status append_live_parameters(cmb_build *b, cmb_expressions *x)
{
  const char **names = cmb_arena_take(b->arena, (size_t)(x->np + x->nr) + 1, sizeof *names);
  if (!names) return CMB_ERROR_MEMORY;
  for (int i = 0; i < x->np; i++) names[i] = x->parameter_names[i];
  for (int i = 0; i < x->nr; i++) {
    x->parameter[x->np] = x->input_rate[i];
    x->parameter_value[x->np] = 0;
    names[x->np++] = x->input_rate_names[i];
  }
  x->parameter_names = names;
  return CMB_OK;
}

cmb_status cmb_build_take_input_rates(cmb_build *b, cmb_expressions *x)
{
  const cmb_model *m = b->model;
  const int n = m->input_count;
  const size_t most = MOST_RATES * (size_t)n + 1;
  const char **names = cmb_arena_take(b->arena, most, sizeof *names);
  x->input_rate = cmb_arena_take(b->arena, most, sizeof *x->input_rate);
  if (!names || !x->input_rate) return CMB_ERROR_MEMORY;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < MOST_RATES; k++) {
      char text[NAME_ROOM];
      if (!b->rate_asked[k * n + i]) continue;
      snprintf(text, sizeof text, "%s%s", m->inputs[i].name, k == 0 ? "'" : "''");
      names[x->nr] = cmb_arena_text(b->arena, text);
      if (!names[x->nr]) return CMB_ERROR_MEMORY;
      x->input_rate[x->nr++] = b->u[(k + 1) * n + i];
    }
  }
  x->input_rate_names = names;
  return x->live_inputs ? append_live_parameters(b, x) : CMB_OK;
}
