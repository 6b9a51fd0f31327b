/*
 * Computes the fingerprint of a system (fingerprint.h).
 */
#include "dae/fingerprint.h"

#include "base/context.h"
#include "dae/evaluator.h"
#include "math/pattern.h"

#include <math.h>

/* arbitrary displacements of the evaluated point: s, and m or rad */
static const double TIME_SHIFT = 0.37, POSITION_SHIFT = 0.01;

static void add_names(cmb_sha256 *s, int count, const char *const *names)
{
  cmb_sha256_add(s, &count, sizeof count);
  for (int i = 0; names && i < count; i++) cmb_sha256_add_text(s, names[i]);
}

static void add_numbers(cmb_sha256 *s, int count, const double *x)
{
  cmb_sha256_add(s, x, (size_t)count * sizeof *x);
}

static void add_rule(cmb_sha256 *s, const cmb_rule *r)
{
  const int what[] = {(int)r->action, r->direction,   r->gap,     r->surface,
                      r->first_reset, r->reset_count, (int)r->law};
  cmb_sha256_add_text(s, r->name);
  cmb_sha256_add(s, what, sizeof what);
  add_numbers(s, 1, &r->restitution);
}

static void add_structure(cmb_sha256 *s, const cmb_system *system)
{
  const cmb_equations *eq = &system->eq;
  cmb_sha256_add_text(s, eq->name);
  add_names(s, eq->nq, eq->q_names);
  add_names(s, eq->nv, eq->v_names);
  add_names(s, eq->ng, eq->g_names);
  add_names(s, eq->ns, eq->switch_names);
  add_names(s, eq->no, eq->output_names);
  add_names(s, eq->np, eq->p_names);
  for (int i = 0; i < eq->rule_count; i++) add_rule(s, &eq->rules[i]);
  for (int i = 0; i < eq->sampler_count; i++) {
    const double times[] = {eq->samplers[i].period, eq->samplers[i].phase};
    cmb_sha256_add_text(s, eq->samplers[i].name);
    add_numbers(s, 2, times);
  }
  add_numbers(s, 1, &system->t_start);
  add_numbers(s, eq->nq, system->q);
  add_numbers(s, eq->nv, system->v);
}

/* Adds the status of an evaluation of M, f, g, G, γ and g_t at (t, q, v) to the hash s and, if the evaluation succeeded, the
 * values of these terms. */
static void add_values(cmb_sha256 *s, cmb_evaluator *ev, double t, const double *q, const double *v)
{
  const cmb_equations *eq = ev->eq;
  const cmb_terms want = {ev->M, ev->f, ev->g, ev->G, ev->gamma, ev->gt};
  const cmb_status status = cmb_evaluate(ev, t, q, v, &want);
  cmb_sha256_add(s, &status, sizeof status);
  if (status != CMB_OK) return;
  const int M = eq->mass_factors    ? eq->mass_factors->values
                : eq->mass_diagonal ? eq->nv
                                    : cmb_pattern_values(eq->M_pattern, eq->nv, eq->nv);
  add_numbers(s, M, ev->M);
  add_numbers(s, eq->nv, ev->f);
  add_numbers(s, eq->ng, ev->g);
  add_numbers(s, cmb_pattern_values(eq->G_pattern, eq->ng, eq->nv), ev->G);
  add_numbers(s, eq->ng, ev->gamma);
  add_numbers(s, eq->ng, ev->gt);
}

/* Adds the switching functions, the outputs and the next sampled values at (t, q, v), all with zero accelerations, to the hash s.
 * Switching functions are left out if their evaluation fails, and so are the outputs and sampled values. `out` is work space. */
static void add_switches_and_outputs(cmb_sha256 *s, cmb_evaluator *ev, double t, const double *q,
                                     const double *v, double *out)
{
  const cmb_equations *eq = ev->eq;
  if (eq->switches && cmb_switches(ev, t, q, v, ev->dtau, out) == CMB_OK) {
    add_numbers(s, eq->ns, out);
  }
  if (eq->outputs && cmb_outputs(ev, t, q, v, ev->zero, ev->dtau, out) == CMB_OK) {
    add_numbers(s, cmb_observed(eq), out);
  }
}

cmb_status cmb_fingerprint(cmb_context *ctx, const cmb_system *system, char text[CMB_DIGEST_TEXT])
{
  const cmb_equations *eq = &system->eq;
  cmb_evaluator *ev;
  uint8_t digest[CMB_DIGEST_SIZE];
  cmb_sha256 s = cmb_sha256_begin();
  CMB_TRY(cmb_evaluator_create(ctx, eq, &ev));
  double *q = cmb_arena_doubles(ev->arena, eq->nq), *v = cmb_arena_doubles(ev->arena, eq->nv);
  double *out = cmb_arena_doubles(ev->arena, eq->ns > cmb_observed(eq) ? eq->ns : cmb_observed(eq));
  if (cmb_arena_failed(ev->arena)) {
    cmb_evaluator_destroy(ev);
    return cmb_fail_memory(ctx);
  }
  for (int i = 0; i < eq->nq; i++) q[i] = system->q[i] + POSITION_SHIFT * sin(i + 1.0);
  for (int i = 0; i < eq->nv; i++) v[i] = system->v[i] + cos(i + 1.0);
  if (eq->normalize) eq->normalize(eq->self, q);
  add_structure(&s, system);
  if (system->digest) system->digest(system, &s);
  add_values(&s, ev, system->t_start + TIME_SHIFT, q, v);
  add_switches_and_outputs(&s, ev, system->t_start + TIME_SHIFT, q, v, out);
  cmb_evaluator_destroy(ev);
  cmb_sha256_end(&s, digest);
  cmb_digest_print(digest, text);
  return CMB_OK;
}
