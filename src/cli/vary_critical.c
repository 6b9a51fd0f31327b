/*
 * Where the largest real part of the eigenvalues of steady motions crosses 0, between the rows of a table (vary.h).
 *
 * A crossing between two rows is found by false position with Illinois's weights. An eigenvalue that is too slow to be told from 0 counts as
 * neutral and is left aside, so that the largest real part jumps where one comes into this band or leaves it. Such a jump is no crossing:
 * only what the same number of eigenvalues leaves is compared. An eigenvalue that goes through the band is found on both sides of it, as the
 * slowest of those that are not neutral, and inverse interpolation gives where it is 0. Where that cannot be done a warning says which
 * motions may be unstable.
 */
#include "cli/vary.h"

#include <math.h>

enum { REFINEMENTS = 60, A_SIDE = 3 };

static const double CLOSE = 1e-6; /* a critical value is known to this part of the values */

double cli_largest_but(const cmb_linearization *l, int aside)
{
  double most = -INFINITY;
  for (int i = 0; i < l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &l->eigenmodes[i]; /* the slowest first */
    if (aside <= 0) most = fmax(most, m->re);
    aside -= m->im > 0 ? 2 : 1; /* of a pair one is listed */
  }
  return most;
}

static double scale_of(const struct cli_critical *s)
{
  return fmax(fabs(s->from), fabs(s->to));
}

/* In the order of the table. */
static void add_crossing(struct cli_critical *s, double at, bool unstable_above)
{
  int k = s->count++;
  for (; k > 0 && (s->crossings[k - 1].at > at) == (s->to > s->from); k--) {
    s->crossings[k] = s->crossings[k - 1];
  }
  s->crossings[k] = (struct cli_crossing){at, unstable_above};
}

static void warn_of_jump(const struct cli_critical *s, const struct cli_look *a,
                         const struct cli_look *b)
{
  char note[300];
  snprintf(note, sizeof note,
           "between %s = %.6g and %.6g the motion changes between stable and unstable, but no "
           "eigenvalue was found to pass 0; more values may show why",
           s->name, a->at, b->at);
  cli_note_message(NULL, CMB_LOG_WARNING, note);
}

static void warn_of_band(const struct cli_critical *s, double from, double to, double below)
{
  char place[200], note[500];
  snprintf(place, sizeof place, from == to ? "at %s = %.6g" : "between %s = %.6g and %.6g", s->name,
           from, to);
  snprintf(note, sizeof note,
           "%s an eigenvalue is too slow to be told from 0 (below %.3g 1/s): whether the motion is "
           "stable there is not known, and no critical value is given",
           place, below);
  cli_note_message(NULL, CMB_LOG_WARNING, note);
}

/* ---- through the band */

/* Motions near the band with the real part of the eigenvalue that goes through it, the nearest of a side first. */
struct side {
  int count;
  double at[A_SIDE], re[A_SIDE];
  bool others_grow; /* at the nearest, another eigenvalue has a positive real part */
};

/* Motions at growing distances from x on the side of the row `end`. Beyond this row there need not be any. */
static cmb_status look_aside(struct cli_critical *s, double x, const struct cli_look *end,
                             struct side *side)
{
  static const double parts[] = {0.01, 0.03, 0.1, 0.3, 0.6, 0.8, 1, 1.2, 1.5, 2};
  side->count = 0;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && side->count < A_SIDE; i++) {
    struct cli_look c;
    const double at = x + parts[i] * (end->at - x);
    if (at < fmin(s->from, s->to) || at > fmax(s->from, s->to)) break;
    const cmb_status status = s->look(s->user, at, end->neutral + 1, &c);
    if (status != CMB_OK && parts[i] > 1 && status != CMB_ERROR_MEMORY) break;
    CMB_TRY(status);
    if (c.neutral != end->neutral) continue;
    const bool goes_on = c.slow_im == 0 && (c.slow_re > 0) == (end->slow_re > 0);
    if (!goes_on && side->count > 0) break; /* another one is slower here */
    if (!goes_on) continue;
    if (side->count == 0) side->others_grow = c.re > 0;
    side->at[side->count] = at;
    side->re[side->count++] = c.slow_re;
  }
  return CMB_OK;
}

/* Where the first `count` motions of a side or of both say that the real part is 0: inverse interpolation. */
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

/* Whether the motions agree on where it is 0: farther away it is farther from 0, and those that are farthest change nothing. */
static bool do_agree(const struct cli_critical *s, int sides, const struct side *side, int count,
                     double *x)
{
  for (int i = 0; i < sides; i++) {
    for (int k = 1; k < count; k++) {
      if (!(fabs(side[i].re[k]) > fabs(side[i].re[k - 1]))) return false;
    }
  }
  *x = interpolate(sides, side, count);
  return fabs(*x - interpolate(sides, side, count - 1)) <= CLOSE * scale_of(s);
}

/* An eigenvalue goes through the band between the rows a and b, which have the same number of neutral ones, near x. NaN: it cannot be said where
 * it is 0; then a warning is due unless the motion is unstable there in any case. */
static cmb_status pass_band(struct cli_critical *s, const struct cli_look *a,
                            const struct cli_look *b, double x, double *crossing, bool *doubtful)
{
  struct side side[2];
  *crossing = NAN, *doubtful = true;
  if (a->slow_im != 0 || b->slow_im != 0 || (a->slow_re > 0) == (b->slow_re > 0)) return CMB_OK;
  CMB_TRY(look_aside(s, x, a, &side[0]));
  CMB_TRY(look_aside(s, x, b, &side[1]));
  const int count = side[0].count < side[1].count ? side[0].count : side[1].count;
  if (count < 2) return CMB_OK;
  *doubtful = !side[0].others_grow || !side[1].others_grow;
  if (side[0].others_grow || side[1].others_grow) return CMB_OK;
  const bool found =
      do_agree(s, 2, side, count, &x) && (x - side[0].at[0]) * (x - side[1].at[0]) < 0;
  if (found) *crossing = x;
  return CMB_OK;
}

/* ---- between neighbours */

/* Where the largest real part is 0 between a and b, at which it has different signs, as x. NaN: it is nowhere, as beside a pole.
 * `in_band`: at x more eigenvalues are neutral than are left aside. */
static cmb_status find_crossing(struct cli_critical *s, struct cli_look a, struct cli_look b,
                                int aside, double *x, bool *in_band)
{
  const double most = fmax(fabs(a.re), fabs(b.re));
  double fa = a.re, fb = b.re;
  *x = NAN, *in_band = false;
  for (int i = 0; i < REFINEMENTS; i++) {
    struct cli_look c;
    const double before = *x;
    *x = (a.at * fb - b.at * fa) / (fb - fa);
    if (fabs(*x - before) <= 1e-12 * fabs(*x) && fabs(b.re) <= CLOSE * most) return CMB_OK;
    CMB_TRY(s->look(s->user, *x, aside, &c));
    *in_band = c.neutral > aside;
    if (*in_band || c.re == 0) return CMB_OK;
    if (fabs(c.re) > most) break;
    const bool same = (c.re < 0) == (b.re < 0);
    if (!same) a = b;
    fa = same ? fa / 2 : fb;
    b = c, fb = c.re;
  }
  *x = NAN;
  return CMB_OK;
}

/* Crossings between neighbours of what the eigenvalues that are neutral in one of them leave. */
static cmb_status compare(struct cli_critical *s, struct cli_look a, struct cli_look b)
{
  const int aside = a.neutral > b.neutral ? a.neutral : b.neutral;
  double x = NAN;
  bool in_band = false, doubtful = true;
  if (a.neutral < aside) a.re = cli_largest_but(a.l, aside);
  if (b.neutral < aside) b.re = cli_largest_but(b.l, aside);
  if ((a.re > 0) == (b.re > 0)) return CMB_OK;
  if (isfinite(a.re) && isfinite(b.re)) CMB_TRY(find_crossing(s, a, b, aside, &x, &in_band));
  if (in_band && a.neutral == b.neutral) {
    CMB_TRY(pass_band(s, &a, &b, x, &x, &doubtful));
  } else if (in_band) {
    x = NAN;
  }
  if (isfinite(x)) {
    add_crossing(s, x, (b.re > 0) == (b.at > a.at));
  } else if (in_band && doubtful) {
    warn_of_band(s, a.at, b.at, fmax(a.below, b.below));
  } else if (!in_band) {
    warn_of_jump(s, &a, &b);
  }
  return CMB_OK;
}

/* ---- rows in the band */

/* The rows first..last, of which some are stable but for an eigenvalue in the band. */
static void warn_of_rows(const struct cli_critical *s, int first, int last)
{
  double below = 0;
  int from = -1, to = -1;
  for (int i = first; i <= last; i++) {
    if (s->rows[i].re > 0) continue;
    if (from < 0) from = i;
    to = i, below = fmax(below, s->rows[i].below);
  }
  if (from >= 0) warn_of_band(s, s->rows[from].at, s->rows[to].at, below);
}

/* The rows between a and b, which have the same number of neutral eigenvalues, have more of them. */
static cmb_status pass_rows(struct cli_critical *s, int a, int b)
{
  const struct cli_look *from = &s->rows[a], *to = &s->rows[b];
  double x = NAN;
  bool doubtful = true, one = true;
  for (int i = a + 1; i < b; i++) one = one && s->rows[i].neutral == from->neutral + 1;
  if (one && (from->slow_re > 0) != (to->slow_re > 0)) {
    const double weight = from->slow_re / (from->slow_re - to->slow_re);
    x = from->at + weight * (to->at - from->at);
    CMB_TRY(pass_band(s, from, to, x, &x, &doubtful));
  }
  if (isfinite(x)) {
    add_crossing(s, x, (to->slow_re > 0) == (to->at > from->at));
  } else if (doubtful) {
    warn_of_rows(s, a + 1, b - 1);
  }
  return CMB_OK;
}

/* The rows first..last at an end of the table have more neutral eigenvalues than `inner`, their neighbour. One of them may lie on a crossing: then those
 * very near say so. */
static cmb_status end_in_band(struct cli_critical *s, int first, int last, int inner)
{
  const struct cli_look *end = &s->rows[first], *in = &s->rows[inner];
  struct side side = {.count = 0};
  double x = NAN;
  const double step = copysign(CLOSE * scale_of(s), in->at - end->at);
  for (int i = 0; i < A_SIDE && first == last && end->neutral == in->neutral + 1; i++) {
    struct cli_look c;
    side.at[i] = end->at + step * (1 << i);
    CMB_TRY(s->look(s->user, side.at[i], in->neutral + 1, &c));
    if (c.neutral != in->neutral || c.slow_im != 0) break;
    side.re[side.count++] = c.slow_re;
  }
  const bool on_crossing = side.count == A_SIDE && do_agree(s, 1, &side, A_SIDE, &x) &&
                           fabs(x - end->at) <= CLOSE * scale_of(s);
  if (!on_crossing) {
    warn_of_rows(s, first, last);
  } else if (side.re[0] > 0 && !(end->re > 0)) {
    add_crossing(s, end->at, in->at > end->at);
  }
  return CMB_OK;
}

cmb_status cli_critical_next(struct cli_critical *s, int i, bool is_last)
{
  const struct cli_look *here = &s->rows[i];
  if (i == 0) return CMB_OK;
  CMB_TRY(compare(s, here[-1], *here));
  const int least = s->rows[s->before].neutral;
  if (here->neutral > least) {
    return is_last ? end_in_band(s, s->before + 1, i, s->before) : CMB_OK;
  }
  if (here->neutral < least) {
    CMB_TRY(end_in_band(s, s->first, i - 1, i));
    s->first = i;
  } else if (s->before < i - 1) {
    CMB_TRY(pass_rows(s, s->before, i));
  }
  s->before = i;
  return CMB_OK;
}
