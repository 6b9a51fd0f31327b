/*
 * The interpreters: one over numbers, one over lanes of CMB_LANES numbers. Both have a case for each row of the
 * table of operations, with the same C expression, so that they agree to the last bit (the compiler must not
 * contract a * b + c, see -ffp-contract=off). Loops over lanes of plain arithmetic become vector instructions.
 */
#include "expr/program.h"

#include <math.h>
#include <string.h>

void cmb_program_run(const cmb_program *p, const double *in, double *out, double *work)
{
  const cmb_instruction *end = p->code + p->instructions;
  memcpy(work, in, (size_t)p->inputs * sizeof *work);
  memcpy(work + p->inputs, p->constant, (size_t)p->constants * sizeof *work);
  for (const cmb_instruction *i = p->code; i < end; i++) {
    const double a = work[i->a], b = work[i->b], c = work[i->c];
    switch (i->op) {
#define RUN(name, text, arity, value)                                                              \
  case CMB_OP_##name: work[i->to] = value; break;
      CMB_OP_LIST(RUN)
#undef RUN
    default: break;
    }
  }
  for (int k = 0; k < p->outputs; k++) out[k] = work[p->output[k]];
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
    default: break;
    }
  }
  for (int k = 0; k < p->outputs; k++) memcpy(results[k], w[p->output[k]], sizeof *results);
}
