/*
 * The functions of cmb_equations for graph systems (graph_data.h): each stores its inputs in the scratch memory, runs a program and
 * copies the results to the caller's arrays. Nothing is allocated.
 */
#include "dae/evaluator.h"
#include "dae/graph_data.h"
#include "expr/table.h"

#include <limits.h>
#include <math.h>

/* The explicit form eliminates G M⁻¹ Gᵀ without pivoting. A pivot is the squared sine of the angle between a constraint's gradient
 * and those before it; the relative error grows by 1/pivot in the multipliers, by 1/sine in the accelerations. Down to this pivot,
 * an angle of 1e-5, at least 5 digits of λ and 10 of a are right; below it the factorisation with complete pivoting is used. */
static const double LEAST_PIVOT = 1e-10;

struct workplace {
  double *in, *out, *work;
};

static struct workplace workplace_of(const cmb_graph_data *d, const cmb_point *at)
{
  double *scratch = at->scratch;
  return (struct workplace){scratch, scratch + d->out, scratch + d->work};
}

static void put(int count, const double *from, double *to)
{
  for (int i = 0; i < count; i++) to[i] = from[i];
}

void cmb_graph_put_first(const cmb_graph_data *d, const cmb_point *at, const double *q, double *in)
{
  const int *first = d->layout.first;
  in[0] = at->t;
  if (q) put(d->nq, q, in + first[CMB_BLOCK_Q]);
  for (int i = 0; i < d->ns; i++) in[first[CMB_BLOCK_MODE] + i] = cmb_real_mode(at, i);
  if (d->np > 0) put(d->np, at->p ? at->p : d->p, in + first[CMB_BLOCK_P]);
}

/* Copies t, q, modes, live parameters, v (nv), λ (ng) and a (nv) to the input array in the point's scratch memory, from which
 * programs read. Returns pointers to this array, to the results and to the work array. at->v, lambda and a may be NULL if the
 * program to be run does not read them. */
static struct workplace put_inputs(const cmb_graph_data *d, const cmb_point *at,
                                   const double *lambda, const double *a)
{
  struct workplace w = workplace_of(d, at);
  cmb_graph_put_first(d, at, at->q, w.in);
  if (at->v) put(d->nv, at->v, w.in + d->layout.first[CMB_BLOCK_V]);
  if (lambda) put(d->ng, lambda, w.in + d->layout.first[CMB_BLOCK_LAMBDA]);
  if (a) put(d->nv, a, w.in + d->layout.first[CMB_BLOCK_A]);
  return w;
}

static void run(const cmb_graph_data *d, cmb_graph_program k, const struct workplace *w,
                double *out)
{
  if (d->code.native) {
    cmb_native_run(d->code.native, d->code.index[k], w->in, out, w->work);
  } else {
    cmb_program_run(d->program[k], w->in, out, w->work);
  }
}

void cmb_graph_run(const cmb_graph_data *d, cmb_graph_program k, const cmb_point *at,
                   const double *lambda, const double *a, double *out)
{
  struct workplace w = put_inputs(d, at, lambda, a);
  if (k == CMB_PROGRAM_FLOW) {
    cmb_program_run(d->program[k], w.in, out, w.work);
  } else {
    run(d, k, &w, out);
  }
}

double *cmb_graph_results(const cmb_graph_data *d, const cmb_point *at)
{
  return workplace_of(d, at).out;
}

/* ---- terms */

static void put_zeros(int count, double *to)
{
  for (int i = 0; i < count; i++) to[i] = 0;
}

static void store(int count, const double *values, const int *place, int size, double *to)
{
  if (!place) {
    put(count, values, to);
    return;
  }
  put_zeros(size, to);
  for (int k = 0; k < count; k++) to[place[k]] = values[k];
}

static cmb_status evaluate(const void *self, const cmb_point *at, const cmb_terms *want)
{
  const cmb_graph_data *d = self;
  double *const to[CMB_TERMS] = {want->M, want->f, want->g, want->G, want->gamma, want->gt};
  unsigned wanted = 0;
  for (int k = 0; k < CMB_TERMS; k++) wanted |= to[k] ? 1U << k : 0;
  if (want->M && d->M_constant) put(d->M_size, d->M_constant, want->M);
  if (want->G && d->count[CMB_PART_G] == 0) put_zeros(d->G_size, want->G);
  if ((wanted & d->term_parts) == 0) return CMB_OK;
  cmb_graph_program program = d->for_terms[wanted];
  struct workplace w = put_inputs(d, at, NULL, NULL);
  run(d, program, &w, w.out);
  const double *from = w.out;
  for (int k = 0; k < CMB_TERMS; k++) {
    if ((d->in[program] >> k & 1) == 0) continue;
    bool mass = k == CMB_PART_M, matrix = mass || k == CMB_PART_G;
    const int *place = mass ? d->M_place : matrix ? d->G_place : NULL;
    if (to[k]) store(d->count[k], from, place, mass ? d->M_size : d->G_size, to[k]);
    from += d->count[k];
  }
  return CMB_OK;
}

/* ---- forms of the equations of motion */

/* Computes the residual r = M a − f + Gᵀ λ (nv) of the equations of motion at a point, by evaluating one compiled program. */
static cmb_status residual(const void *self, const cmb_point *at, const double *a,
                           const double *lambda, double *r)
{
  const cmb_graph_data *d = self;
  struct workplace w = put_inputs(d, at, lambda, a);
  run(d, CMB_PROGRAM_RESIDUAL, &w, r);
  return CMB_OK;
}

static cmb_status accelerate(const void *self, const cmb_point *at, double *a, double *lambda)
{
  const cmb_graph_data *d = self;
  struct workplace w = put_inputs(d, at, NULL, NULL);
  run(d, CMB_PROGRAM_ACCELERATE, &w, w.out);
  put(d->nv, w.out, a);
  put(d->ng, w.out + d->nv, lambda);
  const double *pivot = w.out + d->nv + d->ng;
  for (int i = 0; i < d->ng; i++) {
    if (!(pivot[i] >= LEAST_PIVOT && pivot[i] < INFINITY)) return CMB_RETRY_SINGULAR;
  }
  return CMB_OK;
}

static cmb_status forced(const void *self, const cmb_point *at, const double *lambda, double *a)
{
  const cmb_graph_data *d = self;
  struct workplace w = put_inputs(d, at, lambda, NULL);
  run(d, CMB_PROGRAM_FORCED, &w, a);
  return CMB_OK;
}

static cmb_status derivative(const void *self, const cmb_point *at, const double *a,
                             const double *lambda, cmb_derivative which, double *J)
{
  const cmb_graph_data *d = self;
  const cmb_jacobian *jacobian = d->jacobian[which];
  const cmb_graph_split *split = &d->split[which];
  if (!jacobian && !split->pattern.start) return CMB_OK;
  struct workplace w = put_inputs(d, at, lambda, a);
  const int u = d->layout.first[CMB_BLOCK_U];
  for (int i = 0; i < d->layout.count[CMB_BLOCK_U]; i++) w.in[u + i] = 0;
  if (jacobian && d->jacobian_code.native) {
    cmb_jacobian_run_native(jacobian, d->jacobian_code.native, d->jacobian_code.index[which], w.in,
                            J, w.work);
  } else if (jacobian) {
    cmb_jacobian_run(jacobian, w.in, J, w.work);
  }
  if (!split->pattern.start) return CMB_OK;
  run(d, split->program, &w, split->inertial ? w.out : J);
  if (split->inertial) cmb_graph_split_add(split, w.out, J);
  return CMB_OK;
}

/* ---- switches */

static cmb_status switches(const void *self, const cmb_point *at, const double *lambda, double *s)
{
  const cmb_graph_data *d = self;
  struct workplace w = put_inputs(d, at, lambda, NULL);
  run(d, CMB_PROGRAM_SWITCHES, &w, s);
  return CMB_OK;
}

static int level_at(const cmb_graph_level *level, double value)
{
  if (level->table) return cmb_table_interval(level->table, value);
  double below = floor(value);
  return below >= INT_MAX ? INT_MAX : below <= -INT_MAX ? -INT_MAX : (int)below;
}

/* Sets the whole-number entries of mode (ns), such as the current interval of a table or the value of floor(x), to their values at
 * a point with the multipliers λ (ng). Other entries are unchanged, and so are those whose argument x is not finite. */
static cmb_status levels(const void *self, const cmb_point *at, const double *lambda, int *mode)
{
  const cmb_graph_data *d = self;
  struct workplace w = put_inputs(d, at, lambda, NULL);
  run(d, CMB_PROGRAM_LEVELS, &w, w.out);
  for (int k = 0; k < d->level_count; k++) {
    const cmb_graph_level *level = &d->level[k];
    if (isfinite(w.out[k])) mode[level->mode] = level_at(level, w.out[k]);
  }
  return CMB_OK;
}

/* ---- outputs and other observed quantities */

/* Runs program k, which computes outputs or rates of first-order states from a (nv), λ (ng) and the forces of closed contacts, and
 * writes its results to `out`. push[i] is the contact force of event rule i; push == NULL means that all contact forces are 0. */
static cmb_status run_with_contact_forces(const cmb_graph_data *d, cmb_graph_program k,
                                          const cmb_point *at, const double *a,
                                          const double *lambda, const double *push, double *out)
{
  struct workplace w = put_inputs(d, at, lambda, a);
  const int pushes = d->layout.count[CMB_BLOCK_PUSH], first = d->layout.first[CMB_BLOCK_PUSH];
  for (int i = 0; i < pushes; i++) w.in[first + i] = push ? push[i] : 0;
  run(d, k, &w, out);
  return CMB_OK;
}

static cmb_status outputs_at_rest(const void *self, const cmb_point *at, const double *a,
                                  const double *lambda, const double *push, double *out)
{
  return run_with_contact_forces(self, CMB_PROGRAM_OUTPUTS, at, a, lambda, push, out);
}

static cmb_status late(const void *self, const cmb_point *at, const double *a, const double *lambda,
                       const double *push, double *out)
{
  return run_with_contact_forces(self, CMB_PROGRAM_LATE, at, a, lambda, push, out);
}

static cmb_status outputs(const void *self, const cmb_point *at, const double *a,
                          const double *lambda, double *out)
{
  return outputs_at_rest(self, at, a, lambda, NULL, out);
}

/* Computes the model's input functions u(t) (nu) at the point's time. at->q is not read, since inputs depend on neither positions
 * nor velocities. */
static cmb_status inputs(const void *self, const cmb_point *at, double *u)
{
  const cmb_graph_data *d = self;
  struct workplace w = workplace_of(d, at);
  cmb_graph_put_first(d, at, NULL, w.in);
  run(d, CMB_PROGRAM_INPUTS, &w, u);
  return CMB_OK;
}

static cmb_status energy(const void *self, const cmb_point *at, double *sum)
{
  const cmb_graph_data *d = self;
  struct workplace w = put_inputs(d, at, NULL, NULL);
  run(d, CMB_PROGRAM_ENERGY, &w, sum);
  return CMB_OK;
}

static const char *unsolved(const void *self, const cmb_point *at)
{
  const cmb_graph_data *d = self;
  const cmb_program *program = d->program[CMB_PROGRAM_ROOTS];
  struct workplace w = workplace_of(d, at);
  if (at->q) w = put_inputs(d, at, NULL, NULL);
  cmb_program_run(program, w.in, w.out, w.work);
  for (int i = 0; i < cmb_program_outputs(program); i++) {
    if (isnan(w.out[i])) return d->root_names[i];
  }
  return NULL;
}

/* Sets the functions in eq by which the simulation makes sure that it misses no event inside of a time step: functions of time and of position
 * that may vary rapidly, with their bounds; bounds of switching functions; and bounds of forces. Functions that the model does not need stay
 * NULL. */
static void watch_functions(const cmb_graph_data *d, cmb_equations *eq)
{
  if (d->time) {
    eq->nt = cmb_program_outputs(d->time);
    eq->time_values = cmb_graph_time_values;
    eq->time_bounds = cmb_graph_time_bounds;
    eq->time_rates = cmb_graph_time_rates;
  }
  if (d->path) {
    eq->path_count = cmb_program_outputs(d->path);
    eq->path_values = cmb_graph_path_values;
    eq->path_bounds = cmb_graph_path_bounds;
    eq->path_rates = cmb_graph_path_rates;
    if (d->path_bends) eq->path_bends = cmb_graph_path_bends;
    eq->path_reads = d->path_reads;
  }
  if (d->switch_rates) {
    eq->enclose = cmb_graph_enclose;
    eq->switch_enclosed = d->switch_enclosed;
    eq->switch_reads = d->switch_reads;
  }
  cmb_graph_load_functions(d, eq);
}

void cmb_graph_functions(const cmb_graph_parts *p, const cmb_graph_data *d, cmb_equations *eq)
{
  eq->self = d;
  eq->scratch_size = (size_t)d->scratch * sizeof(double);
  eq->evaluate = evaluate;
  if (d->factors.values > 0) eq->mass_factors = &d->factors;
  if (cmb_has_rates(p->x)) eq->rates = cmb_graph_rates;
  if (p->x->quaternions) {
    eq->euler_parameters = true;
    eq->normalize = cmb_graph_normalize;
  }
  if (d->program[CMB_PROGRAM_RESIDUAL]) eq->residual = residual;
  if (d->program[CMB_PROGRAM_ACCELERATE]) eq->accelerate = accelerate;
  if (d->program[CMB_PROGRAM_FORCED]) eq->forced = forced;
  if (d->program[CMB_PROGRAM_SWITCHES]) eq->switches = switches;
  if (d->program[CMB_PROGRAM_LEVELS]) eq->levels = levels;
  cmb_graph_rule_functions(d, eq);
  watch_functions(d, eq);
  if (d->program[CMB_PROGRAM_OUTPUTS]) {
    eq->outputs = outputs;
    eq->outputs_at_rest = outputs_at_rest;
  }
  if (d->program[CMB_PROGRAM_LATE]) eq->late = late;
  if (d->program[CMB_PROGRAM_INPUTS]) eq->inputs = inputs;
  if (d->program[CMB_PROGRAM_ENERGY]) eq->energy = energy;
  if (d->program[CMB_PROGRAM_ROOTS]) eq->unsolved = unsolved;
  if (!p->options->derivatives) return;
  eq->derivative = derivative;
  for (int k = 0; k < CMB_DERIVATIVES; k++) {
    if (d->jacobian[k]) eq->derivative_pattern[k] = cmb_jacobian_pattern(d->jacobian[k]);
    if (d->split[k].pattern.start) eq->derivative_pattern[k] = &d->split[k].pattern;
  }
}
