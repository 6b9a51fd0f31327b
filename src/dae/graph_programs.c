/*
 * Creates the programs of a graph system (graph_data.h).
 *
 * Methods request the following sets of terms in one call, the most frequent first: M f G γ (accelerations), g (projection), G g_t
 * with or without M, f γ (with existing factors), M f (half-explicit stages, which impose constraints elsewhere). A program
 * computes one such set; a call runs the shortest program that has all terms wanted. A set without velocities does not have them as
 * inputs. Most of g is part of G, and g_t is mostly empty, so M f G γ has no separate program beside that of all six terms.
 */
#include "base/context.h"
#include "dae/graph_data.h"

#define BIT(part) (1U << CMB_PART_##part)

/* Stands for `factor_input` in place of the first blocks of the layout. */
enum { FACTOR_INPUTS = CMB_BLOCKS };

static const struct {
  unsigned parts;
  int inputs; /* the last block that the program reads */
} rows[CMB_PROGRAMS] = {
    [CMB_PROGRAM_POSITION] = {BIT(POSITION), CMB_BLOCK_P},
    [CMB_PROGRAM_CONSTRAINTS] = {BIT(POSITION) | BIT(G) | BIT(GT), CMB_BLOCK_P},
    [CMB_PROGRAM_KINEMATICS] = {BIT(M) | BIT(POSITION) | BIT(G) | BIT(GT), CMB_BLOCK_P},
    [CMB_PROGRAM_FORCES] = {BIT(F) | BIT(GAMMA), CMB_BLOCK_V},
    [CMB_PROGRAM_DYNAMICS] = {BIT(M) | BIT(F), CMB_BLOCK_V},
    [CMB_PROGRAM_TERMS] = {(1U << CMB_TERMS) - 1, CMB_BLOCK_V},
    [CMB_PROGRAM_RESIDUAL] = {BIT(RESIDUAL), CMB_BLOCK_A},
    [CMB_PROGRAM_ACCELERATE] = {BIT(ACCELERATION) | BIT(MULTIPLIER) | BIT(PIVOT), CMB_BLOCK_V},
    [CMB_PROGRAM_FORCED] = {BIT(FORCED), CMB_BLOCK_LAMBDA},
    [CMB_PROGRAM_SWITCHES] = {BIT(MARGINS), CMB_BLOCK_LAMBDA},
    [CMB_PROGRAM_LEVELS] = {BIT(DECIDING), CMB_BLOCK_LAMBDA},
    [CMB_PROGRAM_OUTPUTS] = {BIT(OUTPUTS), CMB_BLOCK_PUSH},
    [CMB_PROGRAM_LATE] = {BIT(LATE), CMB_BLOCK_PUSH},
    [CMB_PROGRAM_INPUTS] = {BIT(INPUTS), CMB_BLOCK_P},
    [CMB_PROGRAM_ENERGY] = {BIT(ENERGY), CMB_BLOCK_V},
    [CMB_PROGRAM_INERTIAL_Q] = {BIT(INERTIAL_Q), CMB_BLOCK_A},
    [CMB_PROGRAM_INERTIAL_V] = {BIT(INERTIAL_V), CMB_BLOCK_A},
    [CMB_PROGRAM_CONDITIONS] = {BIT(CONDITIONS), CMB_BLOCK_LAMBDA},
    [CMB_PROGRAM_RESETS] = {BIT(RESETS), CMB_BLOCK_LAMBDA},
    [CMB_PROGRAM_SURFACES] = {BIT(SURFACES), CMB_BLOCK_V},
    [CMB_PROGRAM_FLOW] = {BIT(FLOW), CMB_BLOCK_A},
    [CMB_PROGRAM_ROOTS] = {BIT(ROOTS), CMB_BLOCK_V},
    [CMB_PROGRAM_MASS_FORWARD] = {BIT(MASS_FORWARD), FACTOR_INPUTS},
    [CMB_PROGRAM_MASS_BACKWARD] = {BIT(MASS_BACKWARD), FACTOR_INPUTS},
    [CMB_PROGRAM_MASS_MULTIPLY] = {BIT(MASS_MULTIPLY), FACTOR_INPUTS},
};

static bool is_wanted(const cmb_graph_parts *p, cmb_graph_program k)
{
  const bool residual = p->options->residual_form || p->options->derivatives; /* implicit methods */
  return k != CMB_PROGRAM_RESIDUAL || (residual && p->x->residual);
}

/* ---- programs */

static cmb_status make_program(const cmb_graph_parts *p, unsigned parts, int inputs,
                               const cmb_expr *input, cmb_program **program)
{
  int outputs = 0;
  for (int k = 0; k < CMB_PARTS; k++) outputs += parts >> k & 1 ? p->count[k] : 0;
  cmb_expr *output = cmb_arena_take(p->arena, (size_t)outputs, sizeof *output);
  if (!output) return cmb_fail_memory(p->ctx);
  for (int k = 0, n = 0; k < CMB_PARTS; k++) {
    for (int i = 0; parts >> k & 1 && i < p->count[k]; i++) output[n++] = p->part[k][i];
  }
  return cmb_program_create(p->ctx, p->x->graph, inputs, input, outputs, output, program);
}

/* Chooses for each set of terms of the equations of motion (bit mask of M, f, g, G, γ, g_t) the program with the fewest
 * instructions that computes all of them, apart from empty or constant terms, and stores it in d->for_terms[set]. For sets without
 * f and γ, considers only programs that do not read velocities. If none is suitable, chooses the program of all terms. */
static void choose_programs(cmb_graph_data *d)
{
  for (unsigned want = 0; want < 1U << CMB_TERMS; want++) {
    int shortest = -1;
    bool velocities = want & (BIT(F) | BIT(GAMMA));
    for (int k = 0; k < CMB_TERM_PROGRAMS; k++) {
      if (!d->program[k] || (want & d->term_parts & ~d->in[k]) != 0) continue;
      if (!velocities && rows[k].inputs != CMB_BLOCK_P) continue;
      int length = cmb_program_instructions(d->program[k]);
      if (shortest < 0 || length < cmb_program_instructions(d->program[shortest])) shortest = k;
    }
    d->for_terms[want] = (uint8_t)(shortest < 0 ? CMB_PROGRAM_TERMS : shortest);
  }
}

static cmb_status make_programs(const cmb_graph_parts *p, cmb_graph_data *d)
{
  unsigned there = 0;
  for (int k = 0; k < CMB_PARTS; k++) there |= p->count[k] > 0 ? 1U << k : 0;
  if (d->M_constant) there &= ~BIT(M);
  d->term_parts = there & ((1U << CMB_TERMS) - 1);
  for (int k = 0; k < CMB_PROGRAMS; k++) {
    bool again = false;
    d->in[k] = rows[k].parts & there;
    for (int j = 0; j < k; j++) again = again || d->in[j] == d->in[k];
    if (d->in[k] == 0 || again || !is_wanted(p, (cmb_graph_program)k)) continue;
    const bool factors = rows[k].inputs == FACTOR_INPUTS;
    CMB_TRY(make_program(p, d->in[k],
                         factors ? p->factor_inputs
                                 : cmb_layout_end(&d->layout, (cmb_block)rows[k].inputs),
                         factors ? p->factor_input : p->input, &d->program[k]));
  }
  choose_programs(d);
  return CMB_OK;
}

/* ---- Jacobians */

static bool all_zero(int count, const cmb_expr *e)
{
  for (int i = 0; i < count; i++) {
    if (e[i] != 0) return false;
  }
  return true;
}

/* Creates the program d->jacobian[which] for the derivative `which` of the equations of motion; leaves it NULL if the derivative
 * has no rows or columns. If derivatives of the inertial forces are computed by separate formulas, this program differentiates the
 * residual without these forces, and stays NULL if nothing else is left. */
static cmb_status make_jacobian(const cmb_graph_parts *p, cmb_graph_data *d, cmb_derivative which)
{
  const cmb_expressions *x = p->x;
  const bool split = p->count[CMB_PART_APPLIED] > 0;
  const int inertial = which == CMB_RESIDUAL_Q ? p->inertial_q.count : p->inertial_v.count;
  const cmb_expr *residual = p->part[split ? CMB_PART_APPLIED : CMB_PART_RESIDUAL];
  const cmb_expr *velocity = p->part[CMB_PART_VELOCITY_LEVEL];
  const cmb_expr *acceleration = p->part[CMB_PART_ACCELERATION_LEVEL];
  const struct {
    cmb_block inputs;
    int columns, rows;
    const cmb_expr *wrt, *of;
  } all[CMB_DERIVATIVES] =
      {
          [CMB_RESIDUAL_Q] = {CMB_BLOCK_A, x->nq, x->nv, x->q, residual},
          [CMB_RESIDUAL_V] = {CMB_BLOCK_A, x->nv, x->nv, x->v, residual},
          [CMB_VELOCITY_Q] = {CMB_BLOCK_V, x->nq, x->ng, x->q, velocity},
          [CMB_GAMMA_Q] = {CMB_BLOCK_A, x->nq, x->ng, x->q, acceleration},
          [CMB_GAMMA_V] = {CMB_BLOCK_V, x->nv, x->ng, x->v, p->part[CMB_PART_GAMMA]},
          [CMB_RESIDUAL_U] = {CMB_BLOCK_U, x->nu, x->nv, x->u, p->residual_of_u},
          [CMB_POSITION_U] = {CMB_BLOCK_U, x->nu, p->x->ng, x->u, p->position_of_u},
          [CMB_RESIDUAL_P] = {CMB_BLOCK_A, x->np, x->nv, x->parameter, p->part[CMB_PART_RESIDUAL]},
          [CMB_POSITION_P] = {CMB_BLOCK_P, x->np, x->ng, x->parameter, p->part[CMB_PART_POSITION]},
      },
    *j = &all[which];
  if (j->columns == 0 || j->rows == 0) return CMB_OK;
  if (split && j->of == residual && inertial > 0 && all_zero(j->rows, j->of)) return CMB_OK;
  return cmb_jacobian_create(p->ctx, x->graph, cmb_layout_end(&d->layout, j->inputs), p->input,
                             j->columns, j->wrt, j->rows, j->of, &d->jacobian[which]);
}

/* ---- scratch memory and constants */

/* Returns the larger of two numbers. */
static int larger_of(int a, int b)
{
  return a > b ? a : b;
}

static void measure_scratch(cmb_graph_data *d)
{
  enum { LINE = 8 }; /* 64 bytes */
  int out = 0, work = 0;
  for (int k = 0; k < CMB_PROGRAMS; k++) {
    if (!d->program[k]) continue;
    out = larger_of(out, cmb_program_outputs(d->program[k]));
    work = larger_of(work, cmb_program_work(d->program[k]));
  }
  for (int k = 0; k < CMB_DERIVATIVES; k++) {
    if (d->jacobian[k]) work = larger_of(work, cmb_jacobian_work(d->jacobian[k]));
  }
  d->out = (cmb_layout_end(&d->layout, CMB_BLOCK_U) + LINE - 1) / LINE * LINE;
  d->work = d->out + (out + LINE - 1) / LINE * LINE;
  d->scratch = d->work + work;
}

cmb_status cmb_graph_programs_make(const cmb_graph_parts *p, cmb_arena *arena, cmb_graph_data *d)
{
  CMB_TRY(make_programs(p, d));
  for (int k = 0; p->options->derivatives && k < CMB_DERIVATIVES; k++) {
    CMB_TRY(make_jacobian(p, d, (cmb_derivative)k));
  }
  if (p->count[CMB_PART_APPLIED] > 0) {
    CMB_TRY(cmb_graph_split_make(p, arena, CMB_RESIDUAL_Q, d));
    CMB_TRY(cmb_graph_split_make(p, arena, CMB_RESIDUAL_V, d));
  }
  measure_scratch(d);
  return CMB_OK;
}

/* Evaluates the entries of a constant mass matrix and stores them in d->M_constant. Runs a program without inputs for this, since
 * an entry may be a table or a C function of constants. */
cmb_status cmb_graph_constant_mass(const cmb_graph_parts *p, cmb_graph_data *d)
{
  cmb_program *program;
  CMB_TRY(make_program(p, BIT(M), 0, p->input, &program));
  double *value = cmb_arena_doubles(p->arena, p->M.count);
  double *work = cmb_arena_doubles(p->arena, cmb_program_work(program));
  if (value && work) {
    cmb_program_run(program, value, value, work);
    for (int k = 0; k < p->M.count; k++) d->M_constant[d->M_place ? d->M_place[k] : k] = value[k];
  }
  cmb_program_destroy(program);
  return value && work ? CMB_OK : cmb_fail_memory(p->ctx);
}

/* ---- native code */

static cmb_status emit(const cmb_graph_parts *p, int count, const cmb_program *const *programs,
                       bool lanes, cmb_graph_code *code)
{
  const cmb_program *list[CMB_PROGRAMS];
  int n = 0;
  for (int k = 0; k < count; k++) {
    code->index[k] = n;
    if (programs[k]) list[n++] = programs[k];
  }
  if (n == 0) return CMB_OK;
  const cmb_native_options options = {.no_lanes = !lanes, .no_numbers = lanes};
  CMB_TRY(cmb_native_create(p->ctx, n, list, &options, &code->native));
  if (cmb_native_where_from(code->native) == CMB_NATIVE_INTERPRETED) {
    cmb_native_destroy(code->native);
    code->native = NULL;
    if (p->options->evaluation == CMB_EVALUATE_NATIVE && !lanes) { /* once */
      cmb_log(
          p->ctx, CMB_LOG_WARNING,
          "no native code: the processor is no x86-64, or the system refuses executable memory; "
          "formulas are interpreted");
    }
  }
  return CMB_OK;
}

cmb_status cmb_graph_compile(const cmb_graph_parts *p, cmb_graph_data *d)
{
  const cmb_program *programs[CMB_PROGRAMS], *derivatives[CMB_DERIVATIVES];
  if (p->options->evaluation == CMB_EVALUATE_INTERPRETER) return CMB_OK;
  for (int k = 0; k < CMB_PROGRAMS; k++) {
    const bool seldom = k == CMB_PROGRAM_FLOW || k == CMB_PROGRAM_ROOTS;
    programs[k] = seldom ? NULL : d->program[k];
  }
  for (int k = 0; k < CMB_DERIVATIVES; k++) {
    derivatives[k] = d->jacobian[k] ? cmb_jacobian_program(d->jacobian[k]) : NULL;
  }
  CMB_TRY(emit(p, CMB_PROGRAMS, programs, false, &d->code));
  return emit(p, CMB_DERIVATIVES, derivatives, true, &d->jacobian_code);
}

void cmb_graph_programs_destroy(cmb_graph_data *d)
{
  cmb_native_destroy(d->code.native);
  cmb_native_destroy(d->jacobian_code.native);
  cmb_program_destroy(d->switch_rates);
  cmb_program_destroy(d->time);
  cmb_program_destroy(d->time_rates);
  cmb_program_destroy(d->path);
  cmb_program_destroy(d->path_rates);
  cmb_program_destroy(d->path_bends);
  for (int k = 0; k < CMB_PROGRAMS; k++) cmb_program_destroy(d->program[k]);
  for (int k = 0; k < CMB_DERIVATIVES; k++) cmb_jacobian_destroy(d->jacobian[k]);
}
