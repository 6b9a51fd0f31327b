/*
 * Evaluates programs in long double (long_value.h): expands the table of operations with <tgmath.h>, which selects sinl for sin.
 */
#include "long_value.h"

#include "expr/program.h"

#include <tgmath.h>

#define op_sine   sin
#define op_cosine cos

enum { MOST_INPUTS = 64 };

long double cmbt_long_value(const cmb_program *p, const long double *in, long double *work)
{
  for (int i = 0; i < p->inputs; i++) work[i] = in[i];
  for (int k = 0; k < p->constants; k++) work[p->inputs + k] = p->constant[k];
  for (int k = 0; k < p->instructions; k++) {
    const cmb_instruction *i = &p->code[k];
    const long double a = work[i->a], b = work[i->b], c = work[i->c];
    switch (i->op) {
#define RUN(name, text, arity, value)                                                              \
  case CMB_OP_##name: work[i->to] = value; break;
      CMB_OP_LIST(RUN)
#undef RUN
    default: break;
    }
  }
  return work[p->output[0]];
}

/* f' = (45 (f₁ − f₋₁) − 9 (f₂ − f₋₂) + (f₃ − f₋₃)) / (60 h), f_k = f(at + k h direction), h = step */
long double cmbt_long_slope(const cmb_program *p, const double *at, const double *direction,
                            long double step, long double *work)
{
  static const int weight[3] = {45, -9, 1};
  long double sum = 0;
  for (int k = 1; k <= 3; k++) {
    long double x[MOST_INPUTS], y[MOST_INPUTS];
    for (int i = 0; i < p->inputs; i++) {
      x[i] = at[i] + k * step * direction[i];
      y[i] = at[i] - k * step * direction[i];
    }
    long double after = cmbt_long_value(p, x, work), before = cmbt_long_value(p, y, work);
    sum += weight[k - 1] * (after - before);
  }
  return sum / (60 * step);
}
