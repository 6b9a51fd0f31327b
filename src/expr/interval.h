/*
 * Evaluation of programs on intervals: bounds of an expression when its inputs are known only to lie in intervals. Used, for example, to
 * prove that switching functions do not cross zero.
 *
 *     x_j in [low_j, high_j] for all j   =>   f(x) in [low, high]
 *
 * for the value that cmb_program_run computes as well as for the exact one: every operation rounds outward. So a result without 0 proves
 * that f is not 0 anywhere in the box.
 *
 * An interval is finite, or it is unknown (both ends NaN): f may be infinite or undefined somewhere in the box, or no bounds were found.
 * An operation on an unknown interval gives an unknown one, except that `if` ignores the branch that is certainly not taken.
 */
#ifndef CMB_EXPR_INTERVAL_H
#define CMB_EXPR_INTERVAL_H

#include "expr/table.h"

#include <camber/expr.h>
#include <math.h>

/* Computes enclosures out[outputs] of a program's outputs for all inputs in the intervals in[inputs]; work has room for cmb_program_work
 * intervals. A user's C function has an enclosure only where its arguments are single numbers, the solution of a system of equations
 * never. */
void cmb_program_enclose(const cmb_program *p, const cmb_interval *in, cmb_interval *out,
                         cmb_interval *work);

/* Writes the indices of the instructions that the outputs k with wanted[k] need in an evaluation on intervals to
 * needed[cmb_program_instructions], in ascending order, and returns their number. alive[cmb_program_work] is overwritten. */
int cmb_program_find_needed(const cmb_program *p, const bool *wanted, uint8_t *alive,
                            uint32_t *needed);

/* Computes enclosures out[outputs] as cmb_program_enclose does, but evaluates only the instructions needed[count] from
 * cmb_program_find_needed: outputs k without wanted[k] are unknown. */
void cmb_program_enclose_wanted(const cmb_program *p, const cmb_interval *in, const bool *wanted,
                                int count, const uint32_t *needed, cmb_interval *out,
                                cmb_interval *work);

/* Returns an enclosure of the value of one operation of CMB_OP_LIST for all arguments in a, b and c; those that it does not have are
 * ignored. */
cmb_interval cmb_op_enclose(cmb_op op, cmb_interval a, cmb_interval b, cmb_interval c);

/* Return enclosures of a + b, a − b and a b, the most frequent operations. */
cmb_interval cmb_interval_add(cmb_interval a, cmb_interval b);
cmb_interval cmb_interval_subtract(cmb_interval a, cmb_interval b);
cmb_interval cmb_interval_multiply(cmb_interval a, cmb_interval b);

/* Return enclosures of the values of cmb_table_value, cmb_table_value_in and cmb_table2_value. In the second function `mode` is the number
 * of an interval of the table, as in CMB_OP_TABLE_AT, and order may be CMB_TABLE_MARGIN. */
cmb_interval cmb_table_enclose(const cmb_table *table, int order, cmb_interval x);
cmb_interval cmb_table_enclose_at(const cmb_table *table, int order, cmb_interval x,
                                  cmb_interval mode);
cmb_interval cmb_table2_enclose(const cmb_table *table, int dx, int dy, cmb_interval x,
                                cmb_interval y);

/* Returns whether a border of the table's grid may be inside the box. Beyond it the table keeps the values of the border: its slope is
 * discontinuous there, which bounds of second derivatives do not include. */
bool cmb_table2_crosses_border(const cmb_table *table, cmb_interval x, cmb_interval y);

/* Returns an enclosure of the derivative of order dx in x and dy in y of a sum of waves; x and y must not be unknown intervals. */
cmb_interval cmb_waves_enclose(const cmb_table *table, int dx, int dy, cmb_interval x,
                               cmb_interval y);

static inline bool cmb_interval_known(cmb_interval x)
{
  return x.low <= x.high;
}

static inline cmb_interval cmb_interval_unknown(void)
{
  return (cmb_interval){NAN, NAN};
}

static inline cmb_interval cmb_interval_of(double x)
{
  return isfinite(x) ? (cmb_interval){x, x} : cmb_interval_unknown();
}

/* Returns the smallest interval that contains a and b; the unknown interval if one of them is unknown. */
static inline cmb_interval cmb_interval_hull(cmb_interval a, cmb_interval b)
{
  if (!cmb_interval_known(a) || !cmb_interval_known(b)) return cmb_interval_unknown();
  return (cmb_interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

#endif
