/*
 * Finds critical values of --vary: where steady motions become unstable or stable between the rows of a table (vary.h).
 *
 * Each eigenvalue is followed from row to row (vary_follow.c). Where its real part passes 0, the value is critical unless another
 * eigenvalue makes the motion unstable there anyway. An eigenvalue that is too small to be distinguished from 0 counts as neutral, and its
 * real part is unknown. If an eigenvalue passes through this band of neutral ones, it is found on both sides of it, as the one with the
 * smallest absolute value that is not neutral, and inverse interpolation gives the value at which it is 0.
 *
 * The critical values found must explain where the motion changes between stable and unstable. If they do not, the interval is bisected, and
 * a warning is printed where that does not help.
 */
#include "cli/mode_curves.h"

#include <math.h>
#include <stdlib.h>

/* Samples of an eigenvalue on each side of its zero; bisections of the interval between two rows. */
enum { A_SIDE = 3, MOST_DIVISIONS = 6 };

/* Returns the largest real part among the eigenvalues of a motion without the first `excluded` ones; −∞ if none are left. They are sorted:
 * neutral ones, which count as 0, then the others by absolute value; a conjugate pair counts as two. Undamped oscillations never give a
 * positive value. */
static double largest_real_part(const struct cli_motion *x, int excluded)
{
  double most = -INFINITY;
  for (int i = 0; i < x->l->eigenmode_count; i++) {
    const cmb_eigenmode *m =
        &x->l->eigenmodes[i]; /* sorted: neutral ones, then by absolute value */
    if (excluded <= 0) most = fmax(most, cli_growth_rate(x, m));
    excluded -= m->im > 0 ? 2 : 1; /* only one of a conjugate pair is listed */
  }
  return most;
}

/* Returns whether a steady motion is unstable, i.e. has an eigenvalue with a positive real part. Ignores neutral eigenvalues, which count as 0,
 * and undamped oscillations, whose real part is a rounding error. */
static bool is_unstable(const struct cli_motion *row)
{
  return largest_real_part(row, row->neutral) > 0;
}

/* Computes the steady motion at the value `at` of the quantity of --vary and summarises its eigenvalues in *x. x->re is the largest real part
 * of all eigenvalues but the first `excluded` ones, in an order that begins with neutral eigenvalues (0 up to rounding) and continues by
 * absolute value. The linearisation is freed; x->l becomes NULL. */
static cmb_status compute_motion(struct cli_critical *s, double at, int excluded,
                                 struct cli_motion *x)
{
  CMB_TRY(s->compute(s->user, at, x));
  x->re = largest_real_part(x, excluded);
  cmb_linearization_destroy(x->l);
  x->l = NULL;
  return CMB_OK;
}

/* Returns the larger absolute value of the two ends of the range of --vary, to which the accuracy of critical values is relative. */
static double scale_of(const struct cli_critical *s)
{
  return fmax(fabs(s->from), fabs(s->to));
}

/* Inserts the critical value `at` of the quantity of --vary, where stability changes, into the list s->crossings, in the order of the table.
 * `unstable_above` says on which side motions are unstable. A value that is in the list already, within CLI_CLOSE and with the same direction,
 * is not added. */
static cmb_status add_crossing(struct cli_critical *s, double at, bool unstable_above)
{
  for (int i = 0; i < s->count; i++) {
    const struct cli_crossing *c = &s->crossings[i];
    const bool same = fabs(c->at - at) <= CLI_CLOSE * scale_of(s);
    if (same && c->unstable_above == unstable_above) return CMB_OK;
  }
  if (s->count == s->room) {
    const int room = 2 * s->room + 8;
    void *crossings = realloc(s->crossings, (size_t)room * sizeof *s->crossings);
    if (!crossings) return CMB_ERROR_MEMORY;
    s->crossings = crossings, s->room = room;
  }
  int k = s->count++;
  for (; k > 0 && (s->crossings[k - 1].at > at) == (s->to > s->from); k--) {
    s->crossings[k] = s->crossings[k - 1];
  }
  s->crossings[k] = (struct cli_crossing){at, unstable_above};
  return CMB_OK;
}

/* Prints a warning that stability changes between the steady motions a and b, although no eigenvalue was found whose real part changes its sign
 * between them. */
static void warn_of_jump(const struct cli_critical *s, const struct cli_motion *a,
                         const struct cli_motion *b)
{
  char note[300];
  snprintf(note, sizeof note,
           "between %s = %.6g and %.6g the motion changes between stable and unstable, but no "
           "eigenvalue was found to pass 0; more values of it may show why",
           s->name, a->at, b->at);
  cli_warn(NULL, CMB_LOG_WARNING, note);
}

/* Prints a warning that stability is unknown between the values `from` and `to` (possibly equal) of the quantity of --vary, since an eigenvalue
 * below the limit `below` cannot be distinguished from 0 there. */
static void warn_of_band(const struct cli_critical *s, double from, double to, double below)
{
  char place[200], note[500];
  snprintf(place, sizeof place, from == to ? "at %s = %.6g" : "between %s = %.6g and %.6g", s->name,
           from, to);
  snprintf(note, sizeof note,
           "%s an eigenvalue is too small to be distinguished from 0 (below %.3g 1/s): whether the "
           "motion is stable there is unknown, and no critical value is given",
           place, below);
  cli_warn(NULL, CMB_LOG_WARNING, note);
}

/* ---- eigenvalues that pass through the neutral band */

/* Samples of the eigenvalue that passes through the neutral band (where it cannot be distinguished from 0), on one side of it: values of the
 * varied quantity and real parts, the nearest first. */
struct side {
  int count; /* number of samples */
  double at[A_SIDE], re[A_SIDE];
  bool others_grow; /* whether at the nearest sample another eigenvalue has a positive real part */
};

/* Samples the real eigenvalue of smallest absolute value at up to A_SIDE values of the quantity of --vary at growing distances from x, towards
 * the motion `end` and beyond it, where it can be distinguished from 0. Stores values, real parts and whether another eigenvalue grows in
 * *side. Ends early at the end of the range, where beyond `end` no motion exists, or where another eigenvalue is the slowest. */
static cmb_status sample_side(struct cli_critical *s, double x, const struct cli_motion *end,
                              struct side *side)
{
  static const double parts[] = {0.01, 0.03, 0.1, 0.3, 0.6, 0.8, 1, 1.2, 1.5, 2};
  side->count = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && side->count < A_SIDE; i++) {
    struct cli_motion c;
    const double at = x + parts[i] * (end->at - x);
    if (at < fmin(s->from, s->to) || at > fmax(s->from, s->to)) break;
    const cmb_status status = compute_motion(s, at, end->neutral + 1, &c);
    if (status != CMB_OK && parts[i] > 1 && status != CMB_ERROR_MEMORY) break;
    CMB_TRY(status);
    if (c.neutral != end->neutral) continue;
    const bool goes_on = c.slow_im == 0 && (c.slow_re > 0) == (end->slow_re > 0);
    if (!goes_on && side->count > 0) break; /* another eigenvalue is the slowest here */
    if (!goes_on) continue;
    if (side->count == 0) side->others_grow = c.re > 0;
    side->at[side->count] = at;
    side->re[side->count++] = c.slow_re;
  }
  return CMB_OK;
}

/* Returns the value of the varied quantity at which the real part of an eigenvalue is 0, by inverse Lagrange interpolation. Uses the first
 * `count` samples of each side[sides], the samples on one side of the zero. */
static double interpolate(int sides, const struct side *side, int count)
{
  double sum = 0;
  for (int i = 0; i < sides * count; i++) {
    const struct side *here = &side[i / count];
    const double re = here->re[i % count];
    double weight = 1;
    for (int k = 0; k < sides * count; k++) {
      const double other = side[k / count].re[k % count];
      if (k != i) weight *= other / (other - re);
    }
    sum += weight * here->at[i % count];
  }
  return sum;
}

/* Returns whether samples of an eigenvalue around its zero, the first `count` ones of each side[sides], are plausible: |real part| grows with
 * the distance, and the zero *x interpolated from them hardly changes (by CLI_CLOSE, relative) if the last sample of each side is left out. */
static bool are_consistent(const struct cli_critical *s, int sides, const struct side *side,
                           int count, double *x)
{
  for (int i = 0; i < sides; i++) {
    for (int k = 1; k < count; k++) {
      if (!(fabs(side[i].re[k]) > fabs(side[i].re[k - 1]))) return false;
    }
  }
  *x = interpolate(sides, side, count);
  return fabs(*x - interpolate(sides, side, count - 1)) <= CLI_CLOSE * scale_of(s);
}

/* Finds the value *crossing of the quantity of --vary near x at which the slowest eigenvalue is 0, between the steady motions a and b.
 * Interpolates values from both sides at some distance, since near 0 the eigenvalue is lost in rounding errors. *crossing becomes NaN if this
 * fails, or if another eigenvalue makes the motion unstable; *doubtful then says whether to warn. */
static cmb_status locate_zero_in_band(struct cli_critical *s, const struct cli_motion *a,
                                      const struct cli_motion *b, double x, double *crossing,
                                      bool *doubtful)
{
  struct side side[2];
  *crossing = NAN, *doubtful = true;
  if (a->slow_im != 0 || b->slow_im != 0 || (a->slow_re > 0) == (b->slow_re > 0)) return CMB_OK;
  CMB_TRY(sample_side(s, x, a, &side[0]));
  CMB_TRY(sample_side(s, x, b, &side[1]));
  const int count = side[0].count < side[1].count ? side[0].count : side[1].count;
  if (count < 2) return CMB_OK;
  *doubtful = !side[0].others_grow || !side[1].others_grow;
  if (side[0].others_grow || side[1].others_grow) return CMB_OK;
  const bool found =
      are_consistent(s, 2, side, count, &x) && (x - side[0].at[0]) * (x - side[1].at[0]) < 0;
  if (found) *crossing = x;
  return CMB_OK;
}

/* ---- between neighbouring rows */

/* The search for critical values between the motions a and b. */
struct interval {
  const struct cli_motion *a, *b;
  /* whether an examined eigenvalue has a positive real part in a, in b */
  bool a_grows, b_grows;
  int before; /* number of critical values before this search */
  /* whether an eigenvalue passes through the neutral band and its zero cannot be located */
  bool in_band;
};

/* Checks the other eigenvalues at the value x of the varied quantity, at which the real part of the followed eigenvalue is 0. *others_grow
 * becomes whether one of them has a clearly positive real part. Neutral eigenvalues (0 up to rounding), as many as at that end of the interval
 * (f->a or f->b) that has fewer of them, are ignored; *unknown becomes whether there are more. */
static cmb_status check_others(struct cli_critical *s, const struct cli_follow *f, double x,
                               bool *others_grow, bool *unknown)
{
  const int neutral_in_both = f->a->neutral < f->b->neutral ? f->a->neutral : f->b->neutral;
  struct cli_motion c;
  CMB_TRY(compute_motion(s, x, neutral_in_both, &c));
  *unknown = c.neutral > neutral_in_both;
  *others_grow = c.re > CLI_CLOSE * fmax(fabs(f->re_a), fabs(f->re_b));
  return CMB_OK;
}

/* Finds the value of the varied quantity, between the steady motions f->a and f->b, at which the real part of the followed eigenvalue changes
 * its sign. Adds it to the critical values if nearby motions confirm it and no other eigenvalue makes the motion unstable there. Sets
 * i->in_band if eigenvalues too close to 0 prevent an answer. */
static cmb_status locate_zero(struct cli_critical *s, struct interval *i,
                              const struct cli_follow *f)
{
  double x;
  bool in_band, good = true, others_grow = false, unknown = false;
  CMB_TRY(cli_follow_to_zero(s, f, &x, &in_band));
  if (in_band && f->a->neutral == f->b->neutral) {
    struct cli_motion a = *f->a, b = *f->b;
    a.slow_re = f->re_a, b.slow_re = f->re_b; /* it is the slowest eigenvalue only near x */
    a.slow_im = b.slow_im = 0;
    CMB_TRY(locate_zero_in_band(s, &a, &b, x, &x, &unknown));
  } else if (in_band) {
    x = NAN, unknown = true;
  } else if (isfinite(x)) {
    CMB_TRY(cli_follow_confirm(s, f, x, &good));
    if (good) CMB_TRY(check_others(s, f, x, &others_grow, &unknown));
    if (!good || others_grow || unknown) x = NAN;
  }
  if (isfinite(x)) return add_crossing(s, x, (f->re_b > 0) == (f->b->at > f->a->at));
  i->in_band = i->in_band || unknown;
  return CMB_OK;
}

/* Examines how a mode at_a (eigenvalue and eigenvector) of the motion i->a changes to its continuation at_b in i->b (NULL: there is none). Sets
 * i->a_grows or i->b_grows if its real part is positive there, and locates the zero if its sign changes. Does nothing if one of them is missing
 * and could be hidden among the neutral eigenvalues. */
static cmb_status examine_mode(struct cli_critical *s, struct interval *i,
                               const cmb_eigenmode *at_a, const cmb_eigenmode *at_b)
{
  const bool joined = at_a && at_b;
  /* the missing one may be neutral there */
  if (!joined && i->a->neutral != i->b->neutral) return CMB_OK;
  struct cli_follow f = {.a = i->a, .b = i->b, .at_a = at_a, .at_b = at_b};
  f.re_a = at_a ? cli_growth_rate(f.a, at_a) : 0;
  f.re_b = at_b ? cli_growth_rate(f.b, at_b) : 0;
  i->a_grows = i->a_grows || f.re_a > 0;
  i->b_grows = i->b_grows || f.re_b > 0;
  return joined && (f.re_a > 0) != (f.re_b > 0) ? locate_zero(s, i, &f) : CMB_OK;
}

/* Pairs the modes (eigenvalue and eigenvector) of the motions i->a and i->b by similarity, and searches for a critical value for each pair
 * whose real parts differ in sign. */
static cmb_status examine_modes(struct cli_critical *s, struct interval *i)
{
  const struct cli_motion motions[2] = {*i->a, *i->b};
  const struct cli_vary_table table = {.eq = s->eq, .count = 2, .motions = motions};
  struct cli_mode_curves curves;
  cmb_status status = cli_mode_curves_create(&table, &curves) ? CMB_OK : CMB_ERROR_MEMORY;
  for (int k = 0; k < curves.count && status == CMB_OK; k++) {
    status = examine_mode(s, i, cli_mode_of(&curves, k, 0), cli_mode_of(&curves, k, 1));
  }
  cli_mode_curves_destroy(&curves);
  return status;
}

static cmb_status find_crossings(struct cli_critical *s, const struct cli_motion *a,
                                 const struct cli_motion *b, int divisions);

/* Searches for critical values of the quantity of --vary (where a motion becomes unstable) in the two halves of an interval; the result
 * replaces that for the whole. *done becomes false, and the list stays unchanged, if the interval has been bisected MOST_DIVISIONS times or the
 * motions at its ends and middle differ in the number of neutral eigenvalues. */
static cmb_status bisect(struct cli_critical *s, const struct interval *i, int divisions,
                         bool *done)
{
  struct cli_motion c = {0};
  *done = divisions < MOST_DIVISIONS && i->a->neutral == i->b->neutral;
  if (!*done) return CMB_OK;
  CMB_TRY(s->compute(s->user, 0.5 * (i->a->at + i->b->at), &c));
  *done = c.neutral == i->a->neutral;
  cmb_status status = CMB_OK;
  if (*done) {
    s->count = i->before;
    status = find_crossings(s, i->a, &c, divisions + 1);
    if (status == CMB_OK) status = find_crossings(s, &c, i->b, divisions + 1);
  }
  cmb_linearization_destroy(c.l);
  return status;
}

/* Finds the critical values of the quantity of --vary, where stability changes, between the steady motions a and b, and adds them to
 * s->crossings. If their number contradicts the stability of a and b, bisects the interval or, where that is impossible, prints a warning.
 * `divisions` counts the bisections so far. */
static cmb_status find_crossings(struct cli_critical *s, const struct cli_motion *a,
                                 const struct cli_motion *b, int divisions)
{
  struct interval i = {.a = a, .b = b, .before = s->count};
  bool done;
  CMB_TRY(examine_modes(s, &i));
  if ((i.a_grows != i.b_grows) == ((s->count - i.before) % 2 == 1)) return CMB_OK;
  CMB_TRY(bisect(s, &i, divisions, &done));
  if (done) return CMB_OK;
  if (i.in_band) {
    warn_of_band(s, a->at, b->at, fmax(a->below, b->below));
  } else {
    warn_of_jump(s, a, b);
  }
  return CMB_OK;
}

/* ---- rows in the neutral band */

/* Prints a warning that stability is unknown in lines `first` to `last` of the table of --vary, where an eigenvalue cannot be distinguished
 * from 0. Lines at both ends that are unstable by another eigenvalue are left out; nothing is printed if all are. */
static void warn_of_rows(const struct cli_critical *s, int first, int last)
{
  double below = 0;
  int from = -1, to = -1;
  for (int i = first; i <= last; i++) {
    if (is_unstable(&s->rows[i])) continue;
    if (from < 0) from = i;
    to = i, below = fmax(below, s->rows[i].below);
  }
  if (from >= 0) warn_of_band(s, s->rows[from].at, s->rows[to].at, below);
}

/* Finds the critical value between rows a and b of the table, and adds it to the list; the rows between them have more neutral eigenvalues (0
 * up to rounding) than these two. If it cannot be found, prints a warning, unless another eigenvalue makes the motion unstable there. */
static cmb_status locate_between_rows(struct cli_critical *s, int a, int b)
{
  const struct cli_motion *from = &s->rows[a], *to = &s->rows[b];
  double x = NAN;
  bool doubtful = true, one = true;
  for (int i = a + 1; i < b; i++) one = one && s->rows[i].neutral == from->neutral + 1;
  if (one && (from->slow_re > 0) != (to->slow_re > 0)) {
    const double weight = from->slow_re / (from->slow_re - to->slow_re);
    x = from->at + weight * (to->at - from->at);
    CMB_TRY(locate_zero_in_band(s, from, to, x, &x, &doubtful));
  }
  if (isfinite(x)) {
    CMB_TRY(add_crossing(s, x, (to->slow_re > 0) == (to->at > from->at)));
  } else if (doubtful) {
    warn_of_rows(s, a + 1, b - 1);
  }
  return CMB_OK;
}

/* Examines the motions `first` to `last` at one end of a series of rows; they have more neutral eigenvalues (0 up to rounding) than the motion
 * `inner` beside them. One single motion becomes a critical value if nearby motions show that one real eigenvalue is 0 there and positive
 * towards `inner`, and if no other eigenvalue is unstable. If nearby motions do not show it, prints a warning. */
static cmb_status end_in_band(struct cli_critical *s, int first, int last, int inner)
{
  const struct cli_motion *end = &s->rows[first], *in = &s->rows[inner];
  struct side side = {.count = 0};
  double x = NAN;
  const double step = copysign(CLI_CLOSE * scale_of(s), in->at - end->at);
  for (int i = 0; i < A_SIDE && first == last && end->neutral == in->neutral + 1; i++) {
    struct cli_motion c;
    side.at[i] = end->at + step * (1 << i);
    CMB_TRY(compute_motion(s, side.at[i], in->neutral + 1, &c));
    if (c.neutral != in->neutral || c.slow_im != 0) break;
    side.re[side.count++] = c.slow_re;
  }
  const bool on_crossing = side.count == A_SIDE && are_consistent(s, 1, &side, A_SIDE, &x) &&
                           fabs(x - end->at) <= CLI_CLOSE * scale_of(s);
  if (!on_crossing || side.re[0] < 0) {
    warn_of_rows(s, first, last);
  } else if (!is_unstable(end)) {
    CMB_TRY(add_crossing(s, end->at, in->at > end->at));
  }
  return CMB_OK;
}

cmb_status cli_critical_next(struct cli_critical *s, int i, bool is_last)
{
  const struct cli_motion *here = &s->rows[i];
  if (i == 0) return CMB_OK;
  CMB_TRY(find_crossings(s, &here[-1], here, 0));
  const int least = s->rows[s->before].neutral;
  if (here->neutral > least) {
    return is_last ? end_in_band(s, s->before + 1, i, s->before) : CMB_OK;
  }
  if (here->neutral < least) {
    CMB_TRY(end_in_band(s, s->first, i - 1, i));
    s->first = i;
  } else if (s->before < i - 1) {
    CMB_TRY(locate_between_rows(s, s->before, i));
  }
  s->before = i;
  return CMB_OK;
}
