/*
 * Follows eigenvalues from one steady motion of --vary to another, to find where their real parts are 0; called by vary_critical.c (vary.h).
 *
 * The modes (eigenvalues with their eigenvectors) of the two motions are joined by similarity, as for the plot (mode_curves.h). A mode whose
 * real part changes its sign is followed to its zero by the Illinois variant of false position: at each motion in between it is the mode that
 * is joined both with the mode at one end and with that at the other. Each eigenvalue is examined by its own real part, so that an undamped
 * one, whose real part is a rounding error, does not hide the others.
 */
#include "cli/mode_curves.h"

#include <math.h>

enum { REFINEMENTS = 60 }; /* greatest number of iterations for a zero */

/* Eigenvalues whose relative distance is smaller count as equal, e.g. those of two identical halves of a model. */
static const double ALIKE = 1e-6;
/* Damping ratios below this are rounding errors: a loss of 4π·10⁻⁹ of the energy per period. */
static const double UNDAMPED = 1e-9;

/* Returns an estimate of the rounding errors of a motion's eigenvalues λ: ε max|λ|, where ε is the relative rounding error of the matrix. As
 * x->below is √ε max|λ|, this is x->below²/max|λ|. Returns 0 if all eigenvalues are 0. */
static double rounding_of(const struct cli_motion *x)
{
  double fastest = 0;
  for (int i = 0; i < x->l->eigenmode_count; i++) {
    fastest = fmax(fastest, hypot(x->l->eigenmodes[i].re, x->l->eigenmodes[i].im));
  }
  return fastest > 0 ? x->below * x->below / fastest : 0;
}

/* Returns whether an eigenvalue is that of an undamped oscillation: it has a positive imaginary part, and its real part is 0 up to a rounding
 * error. */
static bool is_undamped(const struct cli_motion *x, const cmb_eigenmode *m)
{
  return m->im > 0 && fabs(m->re) <= fmax(UNDAMPED * m->im, rounding_of(x));
}

/* Finds the mode *partner of motion b that continues the mode m (eigenvalue and eigenvector) of motion a, that is, the most similar one; NULL
 * if there is none. Returns CMB_ERROR_MEMORY if memory runs out. */
static cmb_status find_partner(const struct cli_critical *s, const struct cli_motion *a,
                               const cmb_eigenmode *m, const struct cli_motion *b,
                               const cmb_eigenmode **partner)
{
  const struct cli_motion motions[2] = {*a, *b};
  const struct cli_vary_table table = {.eq = s->eq, .count = 2, .motions = motions};
  struct cli_mode_curves curves;
  const bool good = cli_mode_curves_create(&table, &curves);
  *partner = NULL;
  for (int i = 0; i < curves.count && good; i++) {
    if (cli_mode_of(&curves, i, 0) == m) *partner = cli_mode_of(&curves, i, 1);
  }
  cli_mode_curves_destroy(&curves);
  return good ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Returns whether the eigenvalues of two modes agree within the relative accuracy ALIKE. */
static bool is_same(const cmb_eigenmode *m, const cmb_eigenmode *n)
{
  return hypot(m->re - n->re, m->im - n->im) <= ALIKE * hypot(m->re, m->im);
}

/* Finds the mode *mode of motion c that continues the tracked mode both from motion f->a and from motion f->b. *mode is NULL if there is none,
 * or if the two give different eigenvalues. */
static cmb_status find_at(const struct cli_critical *s, const struct cli_follow *f,
                          const struct cli_motion *c, const cmb_eigenmode **mode)
{
  const cmb_eigenmode *behind = NULL;
  CMB_TRY(find_partner(s, f->a, f->at_a, c, mode));
  CMB_TRY(find_partner(s, f->b, f->at_b, c, &behind));
  if (*mode && (!behind || !is_same(*mode, behind))) *mode = NULL;
  return CMB_OK;
}

double cli_growth_rate(const struct cli_motion *x, const cmb_eigenmode *m)
{
  return is_undamped(x, m) ? -fabs(m->re) : m->re;
}

/* Computes the real part *re of the followed eigenvalue at the value x of the quantity of --vary; NaN if the eigenvalue is not found there.
 * *undamped says whether it is that of an undamped oscillation, and *neutral is the number of eigenvalues that count as 0 at x. */
static cmb_status growth_rate_at(struct cli_critical *s, const struct cli_follow *f, double x,
                                 double *re, bool *undamped, int *neutral)
{
  const cmb_eigenmode *mode = NULL;
  struct cli_motion c = {0};
  cmb_status status = s->compute(s->user, x, &c);
  if (status == CMB_OK) status = find_at(s, f, &c, &mode);
  *re = mode ? mode->re : NAN;
  *undamped = mode && is_undamped(&c, mode);
  *neutral = c.neutral;
  cmb_linearization_destroy(c.l);
  return status;
}

cmb_status cli_follow_to_zero(struct cli_critical *s, const struct cli_follow *f, double *x,
                              bool *in_band)
{
  const int most_neutral = f->a->neutral > f->b->neutral ? f->a->neutral : f->b->neutral;
  double from = f->a->at, to = f->b->at, re_to = f->re_b;
  double f_from = f->re_a, f_to = f->re_b;
  const double most = fmax(fabs(f_from), fabs(f_to));
  *x = NAN, *in_band = false;
  for (int i = 0; i < REFINEMENTS; i++) {
    const double before = *x;
    double re;
    bool undamped;
    int neutral;
    *x = (from * f_to - to * f_from) / (f_to - f_from);
    if (fabs(*x - before) <= 1e-12 * fabs(*x) && fabs(re_to) <= CLI_CLOSE * most) return CMB_OK;
    CMB_TRY(growth_rate_at(s, f, *x, &re, &undamped, &neutral));
    *in_band = isnan(re) && neutral > most_neutral;
    if (*in_band || re == 0) return CMB_OK;
    if (!(fabs(re) <= most)) break;
    const bool same = (re < 0) == (re_to < 0);
    if (!same) from = to;
    f_from = same ? f_from / 2 : f_to;
    to = *x, re_to = f_to = re;
  }
  *x = NAN;
  return CMB_OK;
}

/* Compares the signs of the real part of the followed eigenvalue at the value x and of `wanted`: *answer is 1 if they are equal, −1 if not, and
 * 0 if the eigenvalue is not found or undamped. Outside the range of --vary, where a motion need not exist, *answer is 1. */
static cmb_status compare_sign(struct cli_critical *s, const struct cli_follow *f, double x,
                               double wanted, int *answer)
{
  double re;
  bool undamped;
  int neutral;
  *answer = 1;
  if (x < fmin(s->from, s->to) || x > fmax(s->from, s->to)) return CMB_OK;
  CMB_TRY(growth_rate_at(s, f, x, &re, &undamped, &neutral));
  *answer = undamped || isnan(re) ? 0 : (re > 0) == (wanted > 0) ? 1 : -1;
  return CMB_OK;
}

cmb_status cli_follow_confirm(struct cli_critical *s, const struct cli_follow *f, double x,
                              bool *good)
{
  static const double parts[] = {1e-4, 1e-3, 1e-2};
  *good = false;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    const double aside = parts[i] * (f->b->at - f->a->at);
    int before, behind;
    CMB_TRY(compare_sign(s, f, x - aside, f->re_a, &before));
    CMB_TRY(compare_sign(s, f, x + aside, f->re_b, &behind));
    *good = before > 0 && behind > 0;
    if (*good || before < 0 || behind < 0) return CMB_OK;
  }
  return CMB_OK;
}
