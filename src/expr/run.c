/*
 * The interpreters of programs: one for numbers, one for lanes of CMB_LANES numbers. Both have a case for each row of the table of
 * operations, with the same C expression, so that they agree to the last bit (the compiler must not contract a * b + c, see
 * -ffp-contract=off). Loops over lanes of plain arithmetic become vector instructions.
 */
#include "expr/graph.h"
#include "expr/program.h"
#include "expr/root_code.h"
#include "expr/sine_code.h"
#include "expr/table.h"
#include "expr/table_code.h"

#include <float.h>
#include <math.h>
#include <string.h>

CMB_TURN_CODE(CMB_CODE_COMPILED)
CMB_SINE_CODE(CMB_CODE_COMPILED)
CMB_COSINE_CODE(CMB_CODE_COMPILED)
CMB_LINEAR_CODE(CMB_CODE_COMPILED)
CMB_LINEAR_SOLVE_CODE(CMB_CODE_COMPILED)
CMB_ROOT_CODE(CMB_CODE_COMPILED)

/* Returns the value of a user's C function f at x[3], or a partial derivative. The base-4 digits of `order` are the numbers (1 to 3) of the
 * arguments by which it is differentiated, the highest digit last. Higher derivatives, and first ones without f->partial, are central
 * differences, with steps of `step` times the argument, or `step` if the argument is less than 1. */
static double call_with_step(const cmb_external *f, int order, double step, const double *x)
{
  if (order == 0) return f->value(f->user, x);
  if (order < 4 && f->partial) return f->partial(f->user, x, order - 1);
  const int last = order >= 16 ? 16 : order >= 4 ? 4 : 1, i = order / last - 1;
  double moved[3] = {x[0], x[1], x[2]};
  const double h = step * fmax(1, fabs(x[i])), upper = x[i] + h, lower = x[i] - h;
  moved[i] = upper;
  const double after = call_with_step(f, order % last, step, moved);
  moved[i] = lower;
  return (after - call_with_step(f, order % last, step, moved)) / (upper - lower);
}

/* Returns the value (order = 0) or a partial derivative of a user's C function f at x[3]; `order` is coded as in call_with_step. With k nested
 * central differences the errors of rounding, ε/h^k, and of the differences, h², are of the same size for the step h = ε^(1/(k + 2)), ε the
 * unit of rounding. */
static double call_order(const cmb_external *f, int order, const double *x)
{
  const int derivatives = (order > 0) + (order >= 4) + (order >= 16);
  const int differences = f->partial && derivatives > 0 ? derivatives - 1 : derivatives;
  return call_with_step(f, order, pow(DBL_EPSILON, 1.0 / (differences + 2)), x);
}

static double run_table_at(const cmb_table *table, int order, double x, double mode)
{
  int piece = cmb_table_piece(table, mode);
  return order == CMB_TABLE_MARGIN ? cmb_table_margin(table, piece, x)
                                   : cmb_table_value_in(table, order, piece, x);
}

double cmb_instruction_value(const cmb_program *p, const cmb_instruction *i, double a, double b,
                             double c)
{
  const double x[3] = {a, b, c};
  switch (i->op) {
  case CMB_OP_TABLE: return cmb_table_value(p->tables[i->data], i->order, a);
  case CMB_OP_TABLE_AT: return run_table_at(p->tables[i->data], i->order, a, b);
  case CMB_OP_TABLE2:
    return cmb_table2_value(p->tables[i->data], i->order % CMB_TABLE2_ORDERS,
                            i->order / CMB_TABLE2_ORDERS, a, b);
  case CMB_OP_PART: return a;
  default: return call_order(p->externals[i->data], i->order, x);
  }
}

static void run_equations(const void *program, const double *z, double *y, double *work)
{
  cmb_program_run(program, z, y, work);
}

void cmb_program_solve(const cmb_program *p, const cmb_program_solution *solution, double *room,
                       double *w)
{
  const cmb_program_system *s = &p->systems[solution->system];
  if (s->linear) {
    op_linear(s->n, room, w);
  } else {
    op_root(s->n, run_equations, s->equations, s->size, room, room + s->operands, w);
  }
}

/* Returns whether each operand of the solution has the same bits in all lanes; operands are in work[slot stride + lane]. */
static bool same_in_all(const cmb_program *p, const cmb_program_solution *solution, int lanes,
                        int stride, const double *work)
{
  const int count = p->systems[solution->system].operands;
  for (int k = 0; k < count; k++) {
    const double *x = work + (size_t)stride * p->operand[solution->first + (uint32_t)k];
    for (int l = 1; l < lanes; l++) {
      if (!cmb_same_bits(x[l], x[0])) return false;
    }
  }
  return true;
}

void cmb_program_run_solution(const cmb_program *p, const cmb_instruction *i, int lanes,
                              double *work)
{
  const cmb_program_solution *solution = &p->solutions[i->data];
  const cmb_program_system *s = &p->systems[solution->system];
  const size_t stride = lanes > 1 ? CMB_LANES : 1;
  const int different = same_in_all(p, solution, lanes, (int)stride, work) ? 1 : lanes;
  double *room = cmb_program_room(p, (int)stride, work), found[CMB_MOST_UNKNOWNS];
  for (int l = 0; l < lanes; l++) {
    for (int k = 0; k < s->operands && l < different; k++) {
      room[k] = work[stride * p->operand[solution->first + (uint32_t)k] + (size_t)l];
    }
    if (l < different) cmb_program_solve(p, solution, room, found);
    for (int k = 0; k < s->n; k++) work[stride * (i->to + (uint32_t)k) + (size_t)l] = found[k];
  }
}

void cmb_program_run(const cmb_program *p, const double *in, double *out, double *work)
{
  const cmb_instruction *i = p->grouped.code;
  memcpy(work, in, (size_t)p->inputs * sizeof *work);
  memcpy(work + p->inputs, p->constant, (size_t)p->constants * sizeof *work);
  for (;;) {
    switch (i->op) {
#define RUN(name, text, arity, value)                                                              \
  case CMB_OP_##name:                                                                              \
    do {                                                                                           \
      const double a = work[i->a], b = work[i->b], c = work[i->c];                                 \
      (void)b, (void)c;                                                                            \
      work[i->to] = value;                                                                         \
    } while ((++i)->op == CMB_OP_##name);                                                          \
    break;
      CMB_OP_LIST(RUN)
#undef RUN
    case CMB_OP_CONSTANT: /* the end of the program */
      for (int k = 0; k < p->outputs; k++) out[k] = work[p->grouped.output[k]];
      return;
    case CMB_OP_SOLVE: cmb_program_run_solution(p, i++, 1, work); break;
    default: work[i->to] = cmb_instruction_value(p, i, work[i->a], work[i->b], work[i->c]); i++;
    }
  }
}

typedef double lanes[CMB_LANES];

void cmb_program_run_lanes(const cmb_program *p, const double *in, double *out, double *work)
{
  const cmb_instruction *end = p->code + p->instructions;
  lanes *w = (lanes *)work, *results = (lanes *)out;
  memcpy(w, in, (size_t)p->inputs * sizeof *w);
  for (int k = 0; k < p->constants; k++) {
    for (int l = 0; l < CMB_LANES; l++) w[p->inputs + k][l] = p->constant[k];
  }
  for (const cmb_instruction *i = p->code; i < end; i++) {
    const double *A = w[i->a], *B = w[i->b], *C = w[i->c];
    double *to = w[i->to];
    switch (i->op) {
#define RUN(name, text, arity, value)                                                              \
  case CMB_OP_##name:                                                                              \
    for (int l = 0; l < CMB_LANES; l++) {                                                          \
      const double a = A[l], b = B[l], c = C[l];                                                   \
      (void)b, (void)c;                                                                            \
      to[l] = value;                                                                               \
    }                                                                                              \
    break;
      CMB_OP_LIST(RUN)
#undef RUN
    case CMB_OP_SOLVE: cmb_program_run_solution(p, i, CMB_LANES, work); break;
    default:
      for (int l = 0; l < CMB_LANES; l++) to[l] = cmb_instruction_value(p, i, A[l], B[l], C[l]);
    }
  }
  for (int k = 0; k < p->outputs; k++) memcpy(results[k], w[p->output[k]], sizeof *results);
}
