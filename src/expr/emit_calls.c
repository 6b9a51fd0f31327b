/*
 * The C functions that emitted code calls (emit_calls.h).
 */
#include "expr/emit_calls.h"

#include "expr/sine_code.h"
#include "expr/table_code.h"

#include <math.h>

CMB_TURN_CODE(CMB_CODE_COMPILED)
CMB_SINE_CODE(CMB_CODE_COMPILED)
CMB_COSINE_CODE(CMB_CODE_COMPILED)

/* Returns 1 if the first `arity` arguments have the same bits in all lanes, as they do in Jacobians for what depends on no column; otherwise
 * the number of lanes. */
static int count_different(int arity, int width, double x[3][CMB_EMIT_MOST_LANES])
{
  for (int n = 0; n < arity; n++) {
    for (int l = 1; l < width; l++) {
      if (!cmb_same_bits(x[n][l], x[n][0])) return width;
    }
  }
  return 1;
}

static void fill_lanes(int first, int width, double *x)
{
  for (int l = first; l < width; l++) x[l] = x[0];
}

#define FUNCTIONS(name, text, arity, value)                                                        \
  static double scalar_##name(const cmb_program *p, const cmb_instruction *i, double a, double b,  \
                              double c)                                                            \
  {                                                                                                \
    (void)p, (void)i, (void)a, (void)b, (void)c;                                                   \
    return value;                                                                                  \
  }                                                                                                \
  static void lanes_##name(const cmb_program *p, const cmb_instruction *i, int width,              \
                           double x[3][CMB_EMIT_MOST_LANES])                                       \
  {                                                                                                \
    const int different = count_different(arity, width, x);                                        \
    for (int l = 0; l < different; l++) x[0][l] = scalar_##name(p, i, x[0][l], x[1][l], x[2][l]);  \
    fill_lanes(different, width, x[0]);                                                            \
  }
CMB_OP_LIST(FUNCTIONS)
#undef FUNCTIONS

static void lanes_value(const cmb_program *p, const cmb_instruction *i, int width,
                        double x[3][CMB_EMIT_MOST_LANES])
{
  const int different = count_different(cmb_op_arity((cmb_op)i->op), width, x);
  for (int l = 0; l < different; l++) {
    x[0][l] = cmb_instruction_value(p, i, x[0][l], x[1][l], x[2][l]);
  }
  fill_lanes(different, width, x[0]);
}

static const cmb_emit_scalar scalars[CMB_OPS] = {
#define SCALAR(name, text, arity, value) [CMB_OP_##name] = scalar_##name,
    CMB_OP_LIST(SCALAR)
#undef SCALAR
};

static const cmb_emit_lanes of_lanes[CMB_OPS] = {
#define LANES(name, text, arity, value) [CMB_OP_##name] = lanes_##name,
    CMB_OP_LIST(LANES)
#undef LANES
};

cmb_emit_call cmb_emit_call_of(cmb_op op, bool lanes)
{
  if (op == CMB_OP_SOLVE) return (cmb_emit_call){.solve = cmb_program_run_solution};
  if (lanes) return (cmb_emit_call){.lanes = of_lanes[op] ? of_lanes[op] : lanes_value};
  return (cmb_emit_call){.scalar = scalars[op] ? scalars[op] : cmb_instruction_value};
}
