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

/* Bounds out (outputs) for inputs in (inputs); work holds cmb_program_work intervals. A C function of the user's is known only where its
 * arguments are single numbers, the solution of a system never. */
void cmb_program_enclose(const cmb_program *p, const cmb_interval *in, cmb_interval *out,
                         cmb_interval *work);

/* Writes the numbers of the instructions that the wanted outputs (outputs) need, ascending, into needed (cmb_program_instructions), and
 * returns how many they are. alive holds cmb_program_work bytes. */
int cmb_program_find_needed(const cmb_program *p, const bool *wanted, uint8_t *alive,
                            uint32_t *needed);

/* Evaluates only these instructions of a program, as cmb_program_enclose does: outputs that are not wanted are unknown. */
void cmb_program_enclose_wanted(const cmb_program *p, const cmb_interval *in, const bool *wanted,
                                int count, const uint32_t *needed, cmb_interval *out,
                                cmb_interval *work);

/* Bounds the value of one operation of CMB_OP_LIST; arguments beyond its number are ignored. */
cmb_interval cmb_op_enclose(cmb_op op, cmb_interval a, cmb_interval b, cmb_interval c);

/* Bounds of a sum, a difference and a product: the most frequent operations. */
cmb_interval cmb_interval_add(cmb_interval a, cmb_interval b);
cmb_interval cmb_interval_subtract(cmb_interval a, cmb_interval b);
cmb_interval cmb_interval_multiply(cmb_interval a, cmb_interval b);

/* Bounds of tables, for the values of cmb_table_value and cmb_table2_value; `mode` is the interval's number as in CMB_OP_TABLE_AT, and
 * order may be CMB_TABLE_MARGIN. */
cmb_interval cmb_table_enclose(const cmb_table *table, int order, cmb_interval x);
cmb_interval cmb_table_enclose_at(const cmb_table *table, int order, cmb_interval x,
                                  cmb_interval mode);
cmb_interval cmb_table2_enclose(const cmb_table *table, int dx, int dy, cmb_interval x,
                                cmb_interval y);

/* Returns whether a border of the table's grid may be inside the box. Beyond it the table keeps the values of the border: its slope is
 * discontinuous there, which bounds of second derivatives do not include. */
bool cmb_table2_crosses_border(const cmb_table *table, cmb_interval x, cmb_interval y);

/* Bounds a derivative of a sum of waves, like cmb_table2_enclose; x and y must be known. */
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

/* Returns the smallest interval that contains both. */
static inline cmb_interval cmb_interval_hull(cmb_interval a, cmb_interval b)
{
  if (!cmb_interval_known(a) || !cmb_interval_known(b)) return cmb_interval_unknown();
  return (cmb_interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

#endif
