/*
 * Programs on intervals: what an expression can become when its inputs are known only to lie in intervals.
 *
 *     x_j in [low_j, high_j] for all j   =>   f(x) in [low, high]
 *
 * for the value that cmb_program_run computes as well as for the exact one: every operation rounds outward. So an interval without 0
 * proves that f is not 0 anywhere in the box.
 *
 * An interval is finite, or it is unknown (both ends NaN): f may be infinite or undefined somewhere in the box, or nothing is known of
 * it. Unknown is passed on by all operations, except that `if` ignores the branch that is certainly not taken.
 */
#ifndef CMB_EXPR_INTERVAL_H
#define CMB_EXPR_INTERVAL_H

#include "expr/table.h"

#include <camber/expr.h>
#include <math.h>

/* out (outputs) from in (inputs); work holds cmb_program_work intervals. A C function of the user's is known only where its
 * arguments are single numbers, the solution of a system never. */
void cmb_program_enclose(const cmb_program *p, const cmb_interval *in, cmb_interval *out,
                         cmb_interval *work);

/* The instructions that the wanted outputs (outputs) need, ascending, into needed (cmb_program_instructions); returns how many. alive holds
 * cmb_program_work bytes. */
int cmb_program_find_needed(const cmb_program *p, const bool *wanted, uint8_t *alive,
                            uint32_t *needed);

/* cmb_program_enclose with these instructions only: outputs that are not wanted are unknown. */
void cmb_program_enclose_wanted(const cmb_program *p, const cmb_interval *in, const bool *wanted,
                                int count, const uint32_t *needed, cmb_interval *out,
                                cmb_interval *work);

/* The same for one operation of CMB_OP_LIST; arguments beyond its number are not looked at. */
cmb_interval cmb_op_enclose(cmb_op op, cmb_interval a, cmb_interval b, cmb_interval c);

/* Its most frequent cases. */
cmb_interval cmb_interval_add(cmb_interval a, cmb_interval b);
cmb_interval cmb_interval_subtract(cmb_interval a, cmb_interval b);
cmb_interval cmb_interval_multiply(cmb_interval a, cmb_interval b);

/* Tables, as cmb_table_value and cmb_table2_value have them; `mode` as in CMB_OP_TABLE_AT, order CMB_TABLE_MARGIN included. */
cmb_interval cmb_table_enclose(const cmb_table *table, int order, cmb_interval x);
cmb_interval cmb_table_enclose_at(const cmb_table *table, int order, cmb_interval x,
                                  cmb_interval mode);
cmb_interval cmb_table2_enclose(const cmb_table *table, int dx, int dy, cmb_interval x,
                                cmb_interval y);

/* Whether a border of a grid may be inside of the box. Behind it the table keeps the values of the border: its slope jumps there, of which bounds of
 * second derivatives know nothing. */
bool cmb_table2_crosses_border(const cmb_table *table, cmb_interval x, cmb_interval y);

/* cmb_table2_enclose of a sum of waves; x and y are known. */
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

/* The smallest interval that contains both. */
static inline cmb_interval cmb_interval_hull(cmb_interval a, cmb_interval b)
{
  if (!cmb_interval_known(a) || !cmb_interval_known(b)) return cmb_interval_unknown();
  return (cmb_interval){a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high};
}

#endif
