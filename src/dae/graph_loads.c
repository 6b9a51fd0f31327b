/*
 * Bounds of forces and of rates while time goes on in one state (dae.h, `load_bounds`), by which it is found when sticking friction or a
 * closed contact is released. The programs for f and γ, for the rates of switching functions and for the surfaces of rules run on
 * intervals. The bounds are only offered if one of these, M or G depends on t: otherwise the dense output of a step shows all that happens
 * in it.
 */
#include "base/context.h"
#include "dae/graph_data.h"
#include "expr/graph.h"
#include "expr/interval.h"
#include "expr/program.h"

#include <string.h>

enum { LOADS = 1 << CMB_PART_F | 1 << CMB_PART_GAMMA };

/* Sets *yes to true if one of the `count` expressions e depends on the time t; does nothing if *yes is already true. */
static cmb_status find_time_dependence(const cmb_graph_parts *p, int count, const cmb_expr *e,
                                       bool *yes)
{
  if (count == 0 || *yes) return CMB_OK;
  uint8_t *used = cmb_reachable(p->x->graph, count, e);
  if (!used) return cmb_fail_memory(p->ctx);
  *yes = used[p->x->t];
  cmb_release(p->ctx, used);
  return CMB_OK;
}

static void enlarge_scratch(cmb_graph_data *d, const cmb_program *program)
{
  const int values = cmb_layout_end(&d->layout, CMB_BLOCK_A) + cmb_program_work(program) +
                     cmb_program_outputs(program);
  if (2 * values > d->scratch) d->scratch = 2 * values;
}

cmb_status cmb_graph_loads_make(const cmb_graph_parts *p, cmb_graph_data *d)
{
  static const cmb_graph_part loads[] = {CMB_PART_F, CMB_PART_GAMMA, CMB_PART_FLOW};
  static const cmb_graph_part matrices[] = {CMB_PART_M, CMB_PART_G};
  const int surfaces = 3 * p->x->rule_count, all = p->count[CMB_PART_SURFACES];
  const cmb_expr *surface = p->part[CMB_PART_SURFACES];
  if (p->ns == 0) return CMB_OK;
  for (int k = 0; k < 3; k++) {
    CMB_TRY(find_time_dependence(p, p->count[loads[k]], p->part[loads[k]], &d->loads_vary));
  }
  for (int k = 0; k < 2; k++) {
    CMB_TRY(
        find_time_dependence(p, p->count[matrices[k]], p->part[matrices[k]], &d->matrices_vary));
  }
  if (all > surfaces) {
    CMB_TRY(find_time_dependence(p, surfaces, surface, &d->loads_vary));
    CMB_TRY(find_time_dependence(p, all - surfaces, surface + surfaces, &d->matrices_vary));
  }
  d->loads_vary = d->loads_vary || d->matrices_vary;
  if (!d->loads_vary) return CMB_OK;
  enlarge_scratch(d, d->program[d->for_terms[LOADS]]);
  if (d->program[CMB_PROGRAM_FLOW]) enlarge_scratch(d, d->program[CMB_PROGRAM_FLOW]);
  if (d->program[CMB_PROGRAM_SURFACES]) enlarge_scratch(d, d->program[CMB_PROGRAM_SURFACES]);
  return CMB_OK;
}

/* Runs program k in interval arithmetic over a box of times, positions and velocities, and returns the bounds of its results,
 * stored in the box's scratch memory. The accelerations are a (nv), or unbounded if a is NULL; the multipliers are unbounded. */
static const cmb_interval *run(const cmb_graph_data *d, cmb_graph_program k, const cmb_box *box,
                               const double *a)
{
  const int *first = d->layout.first;
  cmb_interval *in = box->scratch, *out = in + cmb_layout_end(&d->layout, CMB_BLOCK_A);
  cmb_graph_put_first_box(d, box, box->q, in);
  for (int i = 0; i < d->nv; i++) in[first[CMB_BLOCK_V] + i] = box->v[i];
  for (int i = 0; i < d->ng; i++) in[first[CMB_BLOCK_LAMBDA] + i] = cmb_interval_unknown();
  for (int i = 0; i < d->nv; i++) {
    in[first[CMB_BLOCK_A] + i] = a ? cmb_interval_of(a[i]) : cmb_interval_unknown();
  }
  cmb_program_enclose(d->program[k], in, out, out + cmb_program_outputs(d->program[k]));
  return out;
}

static void load_bounds(const void *self, const cmb_box *box, cmb_interval *f, cmb_interval *gamma)
{
  const cmb_graph_data *d = self;
  const cmb_graph_program k = d->for_terms[LOADS];
  const cmb_interval *from = run(d, k, box, NULL);
  for (int part = 0; part < CMB_TERMS; part++) {
    if ((d->in[k] >> part & 1) == 0) continue;
    cmb_interval *to = part == CMB_PART_F ? f : part == CMB_PART_GAMMA ? gamma : NULL;
    if (to) memcpy(to, from, (size_t)d->count[part] * sizeof *to);
    from += d->count[part];
  }
}

static void flow_bounds(const void *self, const cmb_box *box, const double *a, cmb_interval *flow)
{
  const cmb_graph_data *d = self;
  memcpy(flow, run(d, CMB_PROGRAM_FLOW, box, a), 2 * (size_t)d->ns * sizeof *flow);
}

static void surface_bounds(const void *self, const cmb_box *box, cmb_interval *gamma)
{
  const cmb_graph_data *d = self;
  const cmb_interval *out = run(d, CMB_PROGRAM_SURFACES, box, NULL);
  memcpy(gamma, out + 2 * (ptrdiff_t)d->rule_count, (size_t)d->rule_count * sizeof *gamma);
}

void cmb_graph_load_functions(const cmb_graph_data *d, cmb_equations *eq)
{
  if (!d->loads_vary) return;
  eq->matrices_vary = d->matrices_vary;
  eq->load_bounds = load_bounds;
  if (d->program[CMB_PROGRAM_FLOW]) eq->flow_bounds = flow_bounds;
  if (d->program[CMB_PROGRAM_SURFACES]) eq->surface_bounds = surface_bounds;
}
