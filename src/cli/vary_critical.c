/*
 * Critical values: where steady motions begin or cease to be unstable, between the rows of a table (vary.h).
 *
 * Each eigenvalue is followed from row to row (vary_follow.c). Where its real part passes 0 the value is critical unless another eigenvalue makes the
 * motion unstable there in any case. An eigenvalue that is too slow to be told from 0 counts as neutral, and has no real part to follow. One that
 * goes through this band is found on both sides of it, as the slowest of those that are not neutral, and inverse interpolation gives where it is 0.
 * What is found must explain where the motion changes between stable and unstable: if it does not, the values between are divided, and
 * a warning says where that does not help.
 */
#include "cli/mode_curves.h"

#include <math.h>
#include <stdlib.h>

enum { A_SIDE = 3, MOST_DIVISIONS = 6 };

/* The largest real part of all but the `aside` slowest eigenvalues, neutral ones included; -INFINITY: there are no others. Of an oscillation that is
 * undamped it is not above 0. */
static double largest_but(const struct cli_look *x, int aside)
{
  double most = -INFINITY;
  for (int i = 0; i < x->l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &x->l->eigenmodes[i]; /* the slowest first */
    if (aside <= 0) most = fmax(most, cli_growth(x, m));
    aside -= m->im > 0 ? 2 : 1; /* of a pair one is listed */
  }
  return most;
}

static bool grows(const struct cli_look *row)
{
  return largest_but(row, row->neutral) > 0;
}

/* The motion at a value with the largest real part of all but the `aside` slowest eigenvalues as re. */
static cmb_status look_past(struct cli_critical *s, double at, int aside, struct cli_look *x)
{
  CMB_TRY(s->look(s->user, at, x));
  x->re = largest_but(x, aside);
  cmb_linearization_destroy(x->l);
  x->l = NULL;
  return CMB_OK;
}

static double scale_of(const struct cli_critical *s)
{
  return fmax(fabs(s->from), fabs(s->to));
}

/* In the order of the table, and each once: equal halves of a model have equal eigenvalues. */
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

static void warn_of_jump(const struct cli_critical *s, const struct cli_look *a,
                         const struct cli_look *b)
{
  char note[300];
  snprintf(note, sizeof note,
           "between %s = %.6g and %.6g the motion changes between stable and unstable, but no "
           "eigenvalue was found to pass 0; more values may show why",
           s->name, a->at, b->at);
  cli_warn(NULL, CMB_LOG_WARNING, note);
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
  cli_warn(NULL, CMB_LOG_WARNING, note);
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
    const cmb_status status = look_past(s, at, end->neutral + 1, &c);
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
  return fabs(*x - interpolate(sides, side, count - 1)) <= CLI_CLOSE * scale_of(s);
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

/* What is found between the motions a and b. */
struct interval {
  const struct cli_look *a, *b;
  bool a_grows, b_grows; /* as far as eigenvalues go that are told from 0 at both */
  int before;            /* crossings that were known */
  bool in_band; /* an eigenvalue goes through the band, and it cannot be said where it is 0 */
};

/* Whether at x, where one eigenvalue is 0, another one has a positive real part; `unknown`: one is neutral that is not in both rows. */
static cmb_status ask_others(struct cli_critical *s, const struct cli_follow *f, double x,
                             bool *others_grow, bool *unknown)
{
  const int told = f->a->neutral < f->b->neutral ? f->a->neutral : f->b->neutral;
  struct cli_look c;
  CMB_TRY(look_past(s, x, told, &c));
  *unknown = c.neutral > told;
  *others_grow = c.re > CLI_CLOSE * fmax(fabs(f->re_a), fabs(f->re_b));
  return CMB_OK;
}

/* The eigenvalue passes 0 between a and b: where, if that is critical. */
static cmb_status pass_zero(struct cli_critical *s, struct interval *i, const struct cli_follow *f)
{
  double x;
  bool in_band, good = true, others_grow = false, unknown = false;
  CMB_TRY(cli_follow_to_zero(s, f, &x, &in_band));
  if (in_band && f->a->neutral == f->b->neutral) {
    struct cli_look a = *f->a, b = *f->b;
    a.slow_re = f->re_a, b.slow_re = f->re_b; /* what passes 0 is the slowest only near x */
    a.slow_im = b.slow_im = 0;
    CMB_TRY(pass_band(s, &a, &b, x, &x, &unknown));
  } else if (in_band) {
    x = NAN, unknown = true;
  } else if (isfinite(x)) {
    CMB_TRY(cli_follow_confirm(s, f, x, &good));
    if (good) CMB_TRY(ask_others(s, f, x, &others_grow, &unknown));
    if (!good || others_grow || unknown) x = NAN;
  }
  if (isfinite(x)) return add_crossing(s, x, (f->re_b > 0) == (f->b->at > f->a->at));
  i->in_band = i->in_band || unknown;
  return CMB_OK;
}

/* An eigenvalue of a and one of b that are joined; NULL: there is none. One that is undamped at both is left aside. */
static cmb_status pass_one(struct cli_critical *s, struct interval *i, const cmb_eigenmode *at_a,
                           const cmb_eigenmode *at_b)
{
  const bool joined = at_a && at_b;
  if (!joined && i->a->neutral != i->b->neutral) return CMB_OK; /* one of them may be it */
  struct cli_follow f = {.a = i->a, .b = i->b, .at_a = at_a, .at_b = at_b};
  f.re_a = at_a ? cli_growth(f.a, at_a) : 0;
  f.re_b = at_b ? cli_growth(f.b, at_b) : 0;
  i->a_grows = i->a_grows || f.re_a > 0;
  i->b_grows = i->b_grows || f.re_b > 0;
  return joined && (f.re_a > 0) != (f.re_b > 0) ? pass_zero(s, i, &f) : CMB_OK;
}

static cmb_status pass_all(struct cli_critical *s, struct interval *i)
{
  const struct cli_look looks[2] = {*i->a, *i->b};
  const struct cli_vary_table table = {.eq = s->eq, .count = 2, .looks = looks};
  struct cli_mode_curves curves;
  cmb_status status = cli_mode_curves_create(&table, &curves) ? CMB_OK : CMB_ERROR_MEMORY;
  for (int k = 0; k < curves.count && status == CMB_OK; k++) {
    status = pass_one(s, i, cli_mode_of(&curves, k, 0), cli_mode_of(&curves, k, 1));
  }
  cli_mode_curves_destroy(&curves);
  return status;
}

static cmb_status compare(struct cli_critical *s, const struct cli_look *a,
                          const struct cli_look *b, int divisions);

/* The same in two halves. `done`: that is of use. */
static cmb_status divide(struct cli_critical *s, const struct interval *i, int divisions,
                         bool *done)
{
  struct cli_look c = {0};
  *done = divisions < MOST_DIVISIONS && i->a->neutral == i->b->neutral;
  if (!*done) return CMB_OK;
  CMB_TRY(s->look(s->user, 0.5 * (i->a->at + i->b->at), &c));
  *done = c.neutral == i->a->neutral;
  cmb_status status = CMB_OK;
  if (*done) {
    s->count = i->before;
    status = compare(s, i->a, &c, divisions + 1);
    if (status == CMB_OK) status = compare(s, &c, i->b, divisions + 1);
  }
  cmb_linearization_destroy(c.l);
  return status;
}

/* Critical values between a and b. */
static cmb_status compare(struct cli_critical *s, const struct cli_look *a,
                          const struct cli_look *b, int divisions)
{
  struct interval i = {.a = a, .b = b, .before = s->count};
  bool done;
  CMB_TRY(pass_all(s, &i));
  if ((i.a_grows != i.b_grows) == ((s->count - i.before) % 2 == 1)) return CMB_OK;
  CMB_TRY(divide(s, &i, divisions, &done));
  if (done) return CMB_OK;
  if (i.in_band) {
    warn_of_band(s, a->at, b->at, fmax(a->below, b->below));
  } else {
    warn_of_jump(s, a, b);
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
    if (grows(&s->rows[i])) continue;
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
    CMB_TRY(add_crossing(s, x, (to->slow_re > 0) == (to->at > from->at)));
  } else if (doubtful) {
    warn_of_rows(s, a + 1, b - 1);
  }
  return CMB_OK;
}

/* The rows first..last at an end of the table have more neutral eigenvalues than `inner`, their neighbour. One of them may lie on a crossing: then those
 * very near say so, and it is critical if they grow; if they do not, nobody knows what lies beyond. */
static cmb_status end_in_band(struct cli_critical *s, int first, int last, int inner)
{
  const struct cli_look *end = &s->rows[first], *in = &s->rows[inner];
  struct side side = {.count = 0};
  double x = NAN;
  const double step = copysign(CLI_CLOSE * scale_of(s), in->at - end->at);
  for (int i = 0; i < A_SIDE && first == last && end->neutral == in->neutral + 1; i++) {
    struct cli_look c;
    side.at[i] = end->at + step * (1 << i);
    CMB_TRY(look_past(s, side.at[i], in->neutral + 1, &c));
    if (c.neutral != in->neutral || c.slow_im != 0) break;
    side.re[side.count++] = c.slow_re;
  }
  const bool on_crossing = side.count == A_SIDE && do_agree(s, 1, &side, A_SIDE, &x) &&
                           fabs(x - end->at) <= CLI_CLOSE * scale_of(s);
  if (!on_crossing || side.re[0] < 0) {
    warn_of_rows(s, first, last);
  } else if (!grows(end)) {
    CMB_TRY(add_crossing(s, end->at, in->at > end->at));
  }
  return CMB_OK;
}

cmb_status cli_critical_next(struct cli_critical *s, int i, bool is_last)
{
  const struct cli_look *here = &s->rows[i];
  if (i == 0) return CMB_OK;
  CMB_TRY(compare(s, &here[-1], here, 0));
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
