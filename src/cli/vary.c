/*
 * camber linearize --vary: eigenvalues of steady motions over a value that is held, such as the speed, and where the largest real part
 * crosses 0.
 *
 * A crossing is bracketed by two values of the table and found by false position with Illinois's weights. Near it the eigenvalue cannot be told
 * from the neutral ones, which are left aside: inverse interpolation by the last three values outside gives the crossing.
 */
#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 60, MOST_CROSSINGS = 64 };

/* One value of the table. */
struct look {
  double at;
  int neutral;          /* eigenvalues that are 0 */
  double re, im;        /* the eigenvalue with the largest real part of the others, */
  double damping;       /* and the least damping of all of them */
  cmb_linearization *l; /* NULL: not kept */
};

struct table {
  cmb_context *ctx;
  const struct cli_arguments *a;
  cmb_system *system;
  int held; /* which of the settings is varied */
  cmb_setting holds[CLI_MOST_SETTINGS + 1];
  cmb_steady_options options;
  int crossings;
  double crossing[MOST_CROSSINGS];
};

static void summarize(const cmb_linearization *l, struct look *x)
{
  x->neutral = 0, x->re = -INFINITY, x->im = 0, x->damping = INFINITY;
  for (int i = 0; i < l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &l->eigenmodes[i];
    if (m->neutral) {
      x->neutral += m->im > 0 ? 2 : 1; /* of a pair one is listed */
      continue;
    }
    if (m->re > x->re) x->re = m->re, x->im = m->im;
    x->damping = fmin(x->damping, m->damping);
  }
}

/* The steady motion with this value, from the one before, and its linearisation, which may be kept. */
static cmb_status look_at(struct table *t, double at, struct look *x, cmb_linearization **kept)
{
  cmb_steady_report report;
  cmb_linearization *l;
  *x = (struct look){.at = at};
  t->holds[t->held].value = at;
  CMB_TRY(cmb_system_steady(t->ctx, t->system, &t->options, &report));
  CMB_TRY(cmb_linearize_in(t->ctx, cmb_system_equations(t->system), cmb_system_frame(t->system),
                           cmb_system_t_start(t->system), cmb_system_q(t->system),
                           cmb_system_v(t->system), &l));
  summarize(l, x);
  if (kept) *kept = l;
  if (!kept) cmb_linearization_destroy(l);
  return CMB_OK;
}

/* Where three values of the table and near the crossing say that the real part is 0: inverse interpolation. */
static double interpolate(const struct look x[3])
{
  double sum = 0;
  for (int i = 0; i < 3; i++) {
    const struct look *a = &x[i], *b = &x[(i + 1) % 3], *c = &x[(i + 2) % 3];
    sum += a->at * (b->re / (b->re - a->re)) * (c->re / (c->re - a->re));
  }
  return sum;
}

/* Where the largest real part is 0 between a and b, at which it has different signs; NaN: it is nowhere, as beside a pole. */
static cmb_status find_crossing(struct table *t, struct look a, struct look b, double *crossing)
{
  struct look last[3] = {a, b, b};
  double x = NAN, fa = a.re, fb = b.re;
  const int neutral = a.neutral > b.neutral ? a.neutral : b.neutral;
  const double most = fmax(fabs(a.re), fabs(b.re));
  int i = 0;
  for (; i < REFINEMENTS; i++) {
    struct look c;
    const double before = x;
    x = (a.at * fb - b.at * fa) / (fb - fa);
    if (fabs(x - before) <= 1e-12 * fabs(x)) break;
    CMB_TRY(look_at(t, x, &c, NULL));
    if (c.neutral > neutral || c.re == 0) break;
    if (fabs(c.re) > most) i = REFINEMENTS;
    last[0] = last[1], last[1] = last[2], last[2] = c;
    if (i == 0) last[0] = a, last[1] = b;
    const bool same = (c.re < 0) == (b.re < 0);
    if (!same) a = b;
    fa = same ? fa / 2 : fb;
    b = c, fb = c.re;
  }
  *crossing = i >= REFINEMENTS ? NAN : i == 0 ? x : interpolate(last);
  return CMB_OK;
}

static void json_look(struct cli_json *j, const struct look *x)
{
  cli_json_open(j, NULL, '{');
  cli_json_number(j, "value", x->at);
  cli_json_open(j, "eigenvalues", '[');
  for (int i = 0; i < x->l->eigenmode_count; i++) {
    const double pair[2] = {x->l->eigenmodes[i].re, x->l->eigenmodes[i].im};
    if (!x->l->eigenmodes[i].neutral) cli_json_numbers(j, NULL, 2, pair);
  }
  cli_json_close(j, ']');
  cli_json_close(j, '}');
}

static void print_look(const struct look *x)
{
  printf("  %-14.6g %-14.6g %-14.6g % .4g\n", x->at, x->re, x->im, x->damping);
}

/* All values (vary_count), how many there are in the end, and the crossings between them. */
static cmb_status walk(struct table *t, struct look *looks, int *done)
{
  const struct cli_arguments *a = t->a;
  const int values = (int)a->vary_count;
  for (*done = 0; *done < values; ++*done) {
    struct look *here = &looks[*done];
    double x = NAN;
    const double part = (double)*done / (values - 1);
    CMB_TRY(look_at(t, a->vary_from + part * (a->vary_to - a->vary_from), here, &here->l));
    if (!a->json) print_look(here);
    if (*done == 0 || (here->re > 0) == (here[-1].re > 0)) continue;
    CMB_TRY(find_crossing(t, here[-1], *here, &x));
    if (isfinite(x) && t->crossings < MOST_CROSSINGS) t->crossing[t->crossings++] = x;
  }
  return CMB_OK;
}

static void print_json(const struct table *t, const struct look *looks, int done, cmb_status status)
{
  struct cli_json j;
  cli_json_begin(&j, cmb_system_equations(t->system)->name, NULL, status);
  cli_json_text(&j, "varied", t->a->vary);
  cli_json_open(&j, "table", '[');
  for (int i = 0; i < done; i++) json_look(&j, &looks[i]);
  cli_json_close(&j, ']');
  cli_json_numbers(&j, "critical", t->crossings, t->crossing);
  cli_json_end(&j);
}

static void find_held(struct table *t)
{
  const struct cli_arguments *a = t->a;
  t->held = a->steady_count;
  for (int i = 0; i < a->steady_count; i++) {
    t->holds[i] = a->steady[i];
    if (strcmp(a->steady[i].name, a->vary) == 0) t->held = i;
  }
  t->holds[t->held].name = a->vary;
  t->options = (cmb_steady_options){.hold_count = a->steady_count + (t->held == a->steady_count),
                                    .holds = t->holds,
                                    .free_count = a->free_count,
                                    .free = a->free,
                                    .trim_count = a->trim_count,
                                    .trim = a->trim};
}

int cli_vary(cmb_context *ctx, const struct cli_arguments *a, cmb_system *system)
{
  struct table t = {.ctx = ctx, .a = a, .system = system};
  struct look *looks = calloc((size_t)a->vary_count, sizeof *looks);
  int done = 0;
  if (!looks) return cli_fail(ctx, CMB_ERROR_MEMORY);
  find_held(&t);
  if (!a->json) {
    printf("%s: steady motions over %s\n", cmb_system_equations(system)->name, a->vary);
    printf("  %-14s %-14s %-14s %s\n", a->vary, "largest re", "its im", " least damping");
  }
  const cmb_status status = walk(&t, looks, &done);
  for (int i = 0; i < t.crossings && !a->json; i++) {
    printf("  critical %s  %.9g\n", a->vary, t.crossing[i]);
  }
  const int code = cli_complain_of(ctx, a, status);
  if (a->json) print_json(&t, looks, done, status);
  for (int i = 0; i < (int)a->vary_count; i++) cmb_linearization_destroy(looks[i].l);
  free(looks);
  return code;
}
