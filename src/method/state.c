/*
 * Saves and restores the integrator's part of a saved run (integrator.h). A restored run begins anew at the saved state, so that stages,
 * histories, factors and partitions are not saved. The size of the next step is restored, except for methods whose steps are large only
 * with a history; and also what explicit methods carry from step to step, so that they continue exactly as without the interruption.
 */
#include "method/drift.h"
#include "method/integrator.h"
#include "method/method.h"
#include "method/runaway.h"
#include "method/stiffness.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SUSPICION = 1000000 }; /* far more than can occur */

/* Saves which of two methods is active (stiffness.h) to the archive a, or restores it from there; with one method does nothing. */
void cmb_integrator_visit_method(cmb_integrator *in, cmb_archive *a)
{
  if (in->switcher) cmb_switcher_visit(in, a);
}

/* Saves or restores in the archive a the data for the detection of diverging runs of equations with nv velocities. Rejects restored
 * indices that are out of range. */
static void visit_runaway(cmb_runaway *w, int nv, cmb_archive *a)
{
  int level[] = {w->level, w->fastest};
  double size[] = {w->base, w->next};
  cmb_archive_bools(a, "runaway-begun", 1, &w->begun);
  cmb_archive_ints(a, "runaway-level", 2, level);
  cmb_archive_check(a, 0, level[0], 0, CMB_RUNAWAY_LEVELS);
  cmb_archive_check(a, 1, level[1], 0, nv - 1);
  if (a->status == CMB_OK) w->level = level[0], w->fastest = level[1];
  cmb_archive_doubles(a, "runaway-size", 2, size);
  cmb_archive_doubles(a, "runaway-times", CMB_RUNAWAY_LEVELS, w->t);
  cmb_archive_longs(a, "runaway-steps", CMB_RUNAWAY_LEVELS, w->steps);
  w->base = size[0], w->next = size[1];
}

/* Saves the bound on the drift of the constraints, with its constants, to the archive a or restores it from there. */
static void visit_drift(cmb_drift *d, cmb_archive *a)
{
  cmb_drift_bound *b = &d->bound;
  double x[] = {b->C0, b->C1, b->C2, b->limit, b->broken_at, d->rounding, d->h, d->first};
  cmb_archive_doubles(a, "drift", sizeof x / sizeof *x, x);
  cmb_archive_bools(a, "drift-holds", 1, &b->holds);
  cmb_archive_count(a, "drift-steps", &b->steps);
  b->C0 = x[0], b->C1 = x[1], b->C2 = x[2], b->limit = x[3], b->broken_at = x[4];
  d->rounding = x[5], d->h = x[6], d->first = x[7];
}

/* Saves the stiffness estimate and its counters to the archive a or restores them from there. Rejects restored counters that are out of range. */
static void visit_stiffness(const cmb_integrator *in, cmb_stiffness *s, cmb_archive *a)
{
  cmb_archive_bools(a, "stiff", 1, &s->reported);
  cmb_archive_doubles(a, "stiff-since", 1, &s->since);
  cmb_archive_doubles(a, "stiff-stretch", 1, &s->stretch);
  cmb_archive_doubles(a, "stiff-rho", 1, &s->rho);
  cmb_archive_small_count(a, "stiff-wait", &s->wait);
  cmb_archive_ints(a, "stiff-suspicion", 1, &s->suspicion);
  cmb_archive_check(a, 0, s->suspicion, -MOST_SUSPICION, MOST_SUSPICION);
  cmb_archive_doubles(a, "stiff-direction", in->n, s->direction);
}

void cmb_integrator_visit(cmb_integrator *in, cmb_archive *a)
{
  double h = in->h;
  cmb_archive_doubles(a, "step", 1, &h);
  if (!(h > 0 && isfinite(h))) {
    cmb_archive_refuse(a, "the size of the next step is not a positive number");
  }
  cmb_archive_doubles(a, "log-error", 1, &in->control.log_error);
  cmb_archive_doubles(a, "rejected-mean", 1, &in->control.rejected);
  if (!in->method->multistep && a->status == CMB_OK) in->h = h;
  cmb_archive_doubles(a, "counted-from", 1, &in->t_begin);
  cmb_archive_count(a, "counted-steps", &in->fixed_steps);
  cmb_archive_doubles(a, "lambda-here", in->ng, in->lambda);
  cmb_archive_small_count(a, "near-steps", &in->passage.near_steps);
  cmb_archive_small_count(a, "inside-steps", &in->passage.inside_steps);
  cmb_archive_doubles(a, "nearness", 1, &in->passage.nearness);
  if (in->method->visit) in->method->visit(in, a);
  cmb_archive_doubles(a, "a-here", in->nv, in->a);
  visit_runaway(in->runaway, in->nv, a);
  if (in->stiffness) visit_stiffness(in, in->stiffness, a);
  if (in->drift) visit_drift(in->drift, a);
}
