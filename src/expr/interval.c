/*
 * Interval arithmetic with outward rounding (interval.h): one function for each operation, and the evaluation of programs on intervals.
 *
 * Sums, products, quotients and roots are rounded correctly, so an end moves by one unit in the last place at most; sums are exact where
 * they underflow, so that 0 stays 0. Functions of the mathematics library are assumed to be accurate to LIBRARY units in the last place:
 * glibc states at most 2 for those in use.
 *
 * Monotone functions take the values at the interval's ends. If f(a, b) is monotone in each argument with the other one fixed, its
 * extremes are among the values at the box's four corners: products, quotients, powers of a positive base, atan2 off its branch cut.
 */
#include "expr/interval.h"

#include "expr/graph.h"
#include "expr/program.h"

#include <float.h>
#include <string.h>

static const double ULP = DBL_EPSILON;
static const double TINY = DBL_TRUE_MIN;
static const double PI = 3.14159265358979323846;
enum { LIBRARY = 4 };

/* ---- rounding of ends */

/* Returns the interval [low − units ε |low|, high + units ε |high|] with ε = DBL_EPSILON, which covers rounding errors; a bound of 0 remains
 * 0. Returns the unknown interval (NaN bounds) if a bound of the result is not finite. */
static cmb_interval outward(double low, double high, double units)
{
  cmb_interval x = {low - units * ULP * fabs(low), high + units * ULP * fabs(high)};
  return isfinite(x.low) && isfinite(x.high) ? x : cmb_interval_unknown();
}

/* Returns the interval [low, high] enlarged by `units` units in the last place at both ends (outward()), and at ends below DBL_MIN in
 * magnitude, which may have lost bits by underflow, also by `units` times the smallest subnormal number. */
static cmb_interval outward_tiny(double low, double high, double units)
{
  if (fabs(low) < DBL_MIN) low -= units * TINY;
  if (fabs(high) < DBL_MIN) high += units * TINY;
  return outward(low, high, units);
}

static bool is_point(cmb_interval x)
{
  return x.low == x.high;
}

static double smaller(double a, double b)
{
  return a < b ? a : b;
}

static double larger(double a, double b)
{
  return a > b ? a : b;
}

static bool contains(cmb_interval x, double value)
{
  return x.low <= value && value <= x.high;
}

/* Returns the smallest interval that contains the four values ll, lh, hl and hh of a function at the corners of a box, enlarged by `units`
 * units in the last place for rounding errors; the interval with NaN as bounds, which means unknown, if an end is then not finite. A NaN among
 * the values is not always noticed. */
static cmb_interval hull_of_corners(double ll, double lh, double hl, double hh, double units)
{
  return outward_tiny(smaller(smaller(ll, lh), smaller(hl, hh)),
                      larger(larger(ll, lh), larger(hl, hh)), units);
}

static cmb_interval increasing(double (*f)(double), cmb_interval a)
{
  return outward_tiny(f(a.low), f(a.high), LIBRARY);
}

static cmb_interval decreasing(double (*f)(double), cmb_interval a)
{
  return outward_tiny(f(a.high), f(a.low), LIBRARY);
}

static cmb_interval clamp(cmb_interval x, double low, double high)
{
  return (cmb_interval){larger(x.low, low), smaller(x.high, high)};
}

/* ---- one function for each row of CMB_OP_LIST; a, b and c are known, except b and c of IF and STICK */

/* Returns an enclosure of the sum a + b for all values in the intervals a and b, rounded outward. */
static cmb_interval enclose_ADD(cmb_interval a, cmb_interval b)
{
  return outward(a.low + b.low, a.high + b.high, 1);
}

static cmb_interval enclose_SUB(cmb_interval a, cmb_interval b)
{
  return outward(a.low - b.high, a.high - b.low, 1);
}

static cmb_interval enclose_MUL(cmb_interval a, cmb_interval b)
{
  if ((a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0)) return cmb_interval_of(0);
  if (is_point(b)) { /* the most frequent case: a constant */
    const double first = a.low * b.low, second = a.high * b.low;
    return b.low > 0 ? outward_tiny(first, second, 1) : outward_tiny(second, first, 1);
  }
  cmb_interval x =
      hull_of_corners(a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high, 1);
  if (!cmb_interval_known(x)) return x;
  bool positive = (a.low >= 0 && b.low >= 0) || (a.high <= 0 && b.high <= 0);
  bool negative = (a.low >= 0 && b.high <= 0) || (a.high <= 0 && b.low >= 0);
  return clamp(x, positive ? 0 : -INFINITY, negative ? 0 : INFINITY);
}

static cmb_interval square(cmb_interval a)
{
  double low = smaller(fabs(a.low), fabs(a.high)), high = larger(fabs(a.low), fabs(a.high));
  if (contains(a, 0)) low = 0;
  return enclose_MUL((cmb_interval){low, high}, (cmb_interval){low, high});
}

static cmb_interval enclose_DIV(cmb_interval a, cmb_interval b)
{
  if (contains(b, 0)) return cmb_interval_unknown();
  if (a.low == 0 && a.high == 0) return cmb_interval_of(0);
  return hull_of_corners(a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high, 1);
}

static cmb_interval enclose_NEG(cmb_interval a)
{
  return (cmb_interval){-a.high, -a.low};
}

/* Returns an enclosure of aⁿ for all values in the interval a and an integer n; the unknown interval if n < 0 and a contains 0. */
static cmb_interval integer_power(cmb_interval a, double n)
{
  bool even = fmod(n, 2) == 0;
  if (n < 0 && contains(a, 0)) return cmb_interval_unknown();
  if (n == 0) return cmb_interval_of(1);
  if (even && a.low < 0) {
    double low = contains(a, 0) ? 0 : smaller(fabs(a.low), fabs(a.high));
    a = (cmb_interval){low, larger(fabs(a.low), fabs(a.high))};
  }
  double first = pow(a.low, n), second = pow(a.high, n);
  cmb_interval x = outward_tiny(smaller(first, second), larger(first, second), LIBRARY);
  return even && cmb_interval_known(x) ? clamp(x, 0, INFINITY) : x;
}

static cmb_interval enclose_POW(cmb_interval a, cmb_interval b)
{
  if (is_point(b) && floor(b.low) == b.low) return integer_power(a, b.low);
  if (!(a.low > 0 || (a.low == 0 && b.low > 0))) return cmb_interval_unknown();
  cmb_interval x = hull_of_corners(pow(a.low, b.low), pow(a.low, b.high), pow(a.high, b.low),
                                   pow(a.high, b.high), LIBRARY);
  return cmb_interval_known(x) ? clamp(x, 0, INFINITY) : x;
}

static cmb_interval truth_interval(bool certainly, bool perhaps)
{
  return (cmb_interval){certainly ? 1 : 0, perhaps ? 1 : 0};
}

static cmb_interval enclose_LT(cmb_interval a, cmb_interval b)
{
  return truth_interval(a.high < b.low, a.low < b.high);
}

static cmb_interval enclose_LE(cmb_interval a, cmb_interval b)
{
  return truth_interval(a.high <= b.low, a.low <= b.high);
}

static cmb_interval enclose_GT(cmb_interval a, cmb_interval b)
{
  return enclose_LT(b, a);
}

static cmb_interval enclose_GE(cmb_interval a, cmb_interval b)
{
  return enclose_LE(b, a);
}

static cmb_interval enclose_EQ(cmb_interval a, cmb_interval b)
{
  return truth_interval(is_point(a) && is_point(b) && a.low == b.low,
                        a.low <= b.high && b.low <= a.high);
}

static cmb_interval enclose_NE(cmb_interval a, cmb_interval b)
{
  cmb_interval equal = enclose_EQ(a, b);
  return (cmb_interval){1 - equal.high, 1 - equal.low};
}

static cmb_interval enclose_SQRT(cmb_interval a)
{
  if (a.low < 0) return cmb_interval_unknown();
  return clamp(outward(sqrt(a.low), sqrt(a.high), 1), 0, INFINITY);
}

/* Returns whether the interval a contains phase + 2πk for an integer k; true also if such an angle is so close to an end that rounding errors
 * could hide it. */
static bool may_contain_angle(cmb_interval a, double phase)
{
  const double near = 8 * ULP * (1 + larger(fabs(a.low), fabs(a.high)));
  double k = ceil((a.low - near - phase) / (2 * PI) - 1e-9);
  return phase + 2 * PI * k <= a.high + near;
}

/* Returns an enclosure of sine or cosine (op) on the interval a, where `top` is an angle at which the function has its maximum 1. Returns [−1,
 * 1] with a margin for rounding if the interval is at least 2π wide or has angles beyond 1e9. */
static cmb_interval enclose_wave(cmb_op op, cmb_interval a, double top)
{
  if (!(a.high - a.low < 2 * PI) || larger(fabs(a.low), fabs(a.high)) > 1e9) {
    return (cmb_interval){-1 - ULP, 1 + ULP};
  }
  double first = cmb_op_value(op, a.low, 0, 0), second = cmb_op_value(op, a.high, 0, 0);
  double low = may_contain_angle(a, top + PI) ? -1 : smaller(first, second);
  double high = may_contain_angle(a, top) ? 1 : larger(first, second);
  return clamp(outward_tiny(low, high, LIBRARY), -1 - ULP, 1 + ULP);
}

static cmb_interval enclose_SIN(cmb_interval a)
{
  return enclose_wave(CMB_OP_SIN, a, PI / 2);
}

static cmb_interval enclose_COS(cmb_interval a)
{
  return enclose_wave(CMB_OP_COS, a, 0);
}

static cmb_interval enclose_TAN(cmb_interval a)
{
  bool far = larger(fabs(a.low), fabs(a.high)) > 1e9 || !(a.high - a.low < PI);
  if (far || may_contain_angle(a, PI / 2) || may_contain_angle(a, -PI / 2))
    return cmb_interval_unknown();
  return increasing(tan, a);
}

static cmb_interval enclose_ASIN(cmb_interval a)
{
  return a.low < -1 || a.high > 1 ? cmb_interval_unknown() : increasing(asin, a);
}

static cmb_interval enclose_ACOS(cmb_interval a)
{
  if (a.low < -1 || a.high > 1) return cmb_interval_unknown();
  return clamp(decreasing(acos, a), 0, INFINITY);
}

static cmb_interval enclose_ATAN(cmb_interval a)
{
  return increasing(atan, a);
}

/* Returns an enclosure of atan2(a, b), the angle of the points (b, a); all angles from −π to π if the box may touch the branch cut, where the
 * angle is discontinuous. */
static cmb_interval enclose_ATAN2(cmb_interval a, cmb_interval b)
{
  if (contains(a, 0) && b.low <= 0) return outward(-PI, PI, LIBRARY);
  return hull_of_corners(atan2(a.low, b.low), atan2(a.low, b.high), atan2(a.high, b.low),
                         atan2(a.high, b.high), LIBRARY);
}

static cmb_interval enclose_SINH(cmb_interval a)
{
  return increasing(sinh, a);
}

static cmb_interval enclose_COSH(cmb_interval a)
{
  double low = contains(a, 0) ? 1 : cosh(smaller(fabs(a.low), fabs(a.high)));
  return outward(low, cosh(larger(fabs(a.low), fabs(a.high))), LIBRARY);
}

static cmb_interval enclose_TANH(cmb_interval a)
{
  return increasing(tanh, a);
}

static cmb_interval enclose_EXP(cmb_interval a)
{
  cmb_interval x = increasing(exp, a);
  return cmb_interval_known(x) ? clamp(x, 0, INFINITY) : x;
}

static cmb_interval enclose_LOG(cmb_interval a)
{
  return a.low > 0 ? increasing(log, a) : cmb_interval_unknown();
}

static cmb_interval enclose_ABS(cmb_interval a)
{
  double first = fabs(a.low), second = fabs(a.high);
  return (cmb_interval){contains(a, 0) ? 0 : smaller(first, second), larger(first, second)};
}

static cmb_interval enclose_SIGN(cmb_interval a)
{
  return (cmb_interval){cmb_op_value(CMB_OP_SIGN, a.low, 0, 0),
                        cmb_op_value(CMB_OP_SIGN, a.high, 0, 0)};
}

static cmb_interval enclose_MIN(cmb_interval a, cmb_interval b)
{
  return (cmb_interval){smaller(a.low, b.low), smaller(a.high, b.high)};
}

static cmb_interval enclose_MAX(cmb_interval a, cmb_interval b)
{
  return (cmb_interval){larger(a.low, b.low), larger(a.high, b.high)};
}

static cmb_interval enclose_FLOOR(cmb_interval a)
{
  return (cmb_interval){floor(a.low), floor(a.high)};
}

static cmb_interval enclose_SMOOTH(cmb_interval a)
{
  return a;
}

static cmb_interval enclose_IF(cmb_interval a, cmb_interval b, cmb_interval c)
{
  return a.low > 0 ? b : a.high <= 0 ? c : cmb_interval_hull(b, c);
}

static cmb_interval enclose_STICK(cmb_interval a, cmb_interval b, cmb_interval c)
{
  const bool known = cmb_interval_known(b) && cmb_interval_known(c);
  return known ? enclose_MUL(enclose_SIGN(a), b) : cmb_interval_unknown();
}

/* ---- evaluation of programs */

#define CALL_1(name) enclose_##name(a)
#define CALL_2(name) enclose_##name(a, b)
#define CALL_3(name) enclose_##name(a, b, c)

cmb_interval cmb_op_enclose(cmb_op op, cmb_interval a, cmb_interval b, cmb_interval c)
{
  const int arity = cmb_op_arity(op);
  bool known = cmb_interval_known(a) && (arity != 2 || cmb_interval_known(b));
  if (!known) return cmb_interval_unknown();
  switch (op) {
#define ENCLOSE(name, text, count, value)                                                          \
  case CMB_OP_##name: return CALL_##count(name);
    CMB_OP_LIST(ENCLOSE)
#undef ENCLOSE
  default: return cmb_interval_unknown();
  }
}

cmb_interval cmb_interval_add(cmb_interval a, cmb_interval b)
{
  return enclose_ADD(a, b); /* NaN: a sum with an unknown interval is unknown */
}

cmb_interval cmb_interval_subtract(cmb_interval a, cmb_interval b)
{
  return enclose_SUB(a, b);
}

cmb_interval cmb_interval_multiply(cmb_interval a, cmb_interval b)
{
  const bool known = cmb_interval_known(a) && cmb_interval_known(b);
  return known ? enclose_MUL(a, b) : cmb_interval_unknown();
}

static cmb_interval enclose_call(const cmb_program *p, const cmb_instruction *i, cmb_interval a,
                                 cmb_interval b, cmb_interval c)
{
  const int arity = p->externals[i->data]->arity;
  bool points = is_point(a) && (arity < 2 || is_point(b)) && (arity < 3 || is_point(c));
  if (!points) return cmb_interval_unknown();
  return cmb_interval_of(cmb_instruction_value(p, i, a.low, b.low, c.low));
}

static cmb_interval enclose_instruction(const cmb_program *p, const cmb_instruction *i,
                                        cmb_interval a, cmb_interval b, cmb_interval c)
{
  switch (i->op) {
  case CMB_OP_TABLE: return cmb_table_enclose(p->tables[i->data], i->order, a);
  case CMB_OP_TABLE_AT: return cmb_table_enclose_at(p->tables[i->data], i->order, a, b);
  case CMB_OP_TABLE2:
    return cmb_table2_enclose(p->tables[i->data], i->order % CMB_TABLE2_ORDERS,
                              i->order / CMB_TABLE2_ORDERS, a, b);
  case CMB_OP_CALL: return enclose_call(p, i, a, b, c);
  case CMB_OP_SOLVE:
  case CMB_OP_PART: return cmb_interval_unknown();
  case CMB_OP_ADD: return cmb_interval_add(a, b); /* these three are the most frequent ones */
  case CMB_OP_SUB: return cmb_interval_subtract(a, b);
  case CMB_OP_MUL:
    return i->a == i->b && cmb_interval_known(a) ? square(a) : cmb_interval_multiply(a, b);
  default: return cmb_op_enclose((cmb_op)i->op, a, b, c);
  }
}

/* Writes the indices of the instructions that the outputs k with wanted[k] need in an evaluation on intervals to needed[], in ascending
 * order, and returns their number. needed has room for all instructions of the program; alive (one byte per slot of the work array) is
 * overwritten. */
int cmb_program_find_needed(const cmb_program *p, const bool *wanted, uint8_t *alive,
                            uint32_t *needed)
{
  int first = p->instructions;
  memset(alive, 0, (size_t)p->slots);
  for (int k = 0; k < p->outputs; k++) alive[p->output[k]] |= wanted[k];
  for (int k = p->instructions - 1; k >= 0; k--) {
    const cmb_instruction *i = p->code + k;
    if (!alive[i->to]) continue;
    alive[i->to] = 0;
    alive[i->a] = alive[i->b] = alive[i->c] = 1;
    needed[--first] = (uint32_t)k;
  }
  const int count = p->instructions - first;
  memmove(needed, needed + first, (size_t)count * sizeof *needed);
  return count;
}

static void load_inputs(const cmb_program *p, const cmb_interval *in, cmb_interval *work)
{
  memcpy(work, in, (size_t)p->inputs * sizeof *work);
  for (int k = 0; k < p->constants; k++) work[p->inputs + k] = cmb_interval_of(p->constant[k]);
}

static void enclose_into(const cmb_program *p, const cmb_instruction *i, cmb_interval *work)
{
  work[i->to] = enclose_instruction(p, i, work[i->a], work[i->b], work[i->c]);
}

void cmb_program_enclose(const cmb_program *p, const cmb_interval *in, cmb_interval *out,
                         cmb_interval *work)
{
  load_inputs(p, in, work);
  for (int k = 0; k < p->instructions; k++) enclose_into(p, p->code + k, work);
  for (int k = 0; k < p->outputs; k++) out[k] = work[p->output[k]];
}

void cmb_program_enclose_wanted(const cmb_program *p, const cmb_interval *in, const bool *wanted,
                                int count, const uint32_t *needed, cmb_interval *out,
                                cmb_interval *work)
{
  load_inputs(p, in, work);
  for (int k = 0; k < count; k++) enclose_into(p, p->code + needed[k], work);
  for (int k = 0; k < p->outputs; k++) {
    out[k] = wanted[k] ? work[p->output[k]] : cmb_interval_unknown();
  }
}
