/*
 * camber linearize --vary: eigenvalues of steady motions over a value that is held, such as the speed, and where the largest real part
 * crosses 0.
 *
 * A crossing is bracketed by two values of the table and found by false position with Illinois's weights. Near it the eigenvalue cannot be told
 * from the neutral ones, which are left aside: inverse interpolation by values on both sides at some distance gives the crossing.
 */
#include "cli/vary.h"

#include "base/output.h"
#include "cli/state_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REFINEMENTS = 60 };

struct table {
  cmb_context *ctx;
  const struct cli_arguments *a;
  cmb_system *system;
  int held; /* which of the settings is varied */
  cmb_setting holds[CLI_MOST_SETTINGS + 1];
  cmb_steady_options options;
  struct cli_look *looks;         /* (vary_count) */
  struct cli_crossing *crossings; /* (vary_count): one between two values at most */
  int done, crossing_count;       /* so many there are */
};

static void summarize(const cmb_linearization *l, struct cli_look *x)
{
  x->below = l->neutral_below;
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
static cmb_status look_at(struct table *t, double at, struct cli_look *x, cmb_linearization **kept)
{
  cmb_steady_report report;
  cmb_linearization *l;
  *x = (struct cli_look){.at = at};
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

/* Where values on both sides of the crossing say that the real part is 0: inverse interpolation. */
static double interpolate(int count, const struct cli_look *x)
{
  double sum = 0;
  for (int i = 0; i < count; i++) {
    double weight = 1;
    for (int k = 0; k < count; k++) {
      if (k != i) weight *= x[k].re / (x[k].re - x[i].re);
    }
    sum += weight * x[i].at;
  }
  return sum;
}

/* The crossing near x, between a and b, where an eigenvalue of `below` cannot be told from 0: from values at some distance, unless they say
 * that it is farther from x than such an eigenvalue can be. */
static cmb_status refine(struct table *t, const struct cli_look *a, const struct cli_look *b,
                         double below, double *x)
{
  static const double parts[] = {0.1, 0.03, 0.01};
  struct cli_look near[6];
  int count = 0, sides = 0;
  for (int i = 0; i < 6; i++) {
    const struct cli_look *end = i < 3 ? a : b;
    CMB_TRY(look_at(t, *x + parts[i % 3] * (end->at - *x), &near[count], NULL));
    if (near[count].neutral != end->neutral || (near[count].re > 0) != (end->re > 0)) continue;
    count++, sides |= i < 3 ? 1 : 2;
  }
  if (sides != 3) return CMB_OK;
  const struct cli_look *last = &near[count - 1];
  const double slope = (last->re - near[0].re) / (last->at - near[0].at);
  const double better = interpolate(count, near);
  if (fabs(better - *x) <= 2 * below / fabs(slope)) *x = better;
  return CMB_OK;
}

/* Where the largest real part is 0 between a and b, at which it has different signs; NaN: it is nowhere, as beside a pole. */
static cmb_status find_crossing(struct table *t, struct cli_look a, struct cli_look b,
                                double *crossing)
{
  const struct cli_look first = a, second = b;
  double x = NAN, fa = a.re, fb = b.re;
  const int neutral = a.neutral > b.neutral ? a.neutral : b.neutral;
  const double most = fmax(fabs(a.re), fabs(b.re));
  *crossing = NAN;
  for (int i = 0; i < REFINEMENTS; i++) {
    struct cli_look c;
    const double before = x;
    x = (a.at * fb - b.at * fa) / (fb - fa);
    if (fabs(x - before) <= 1e-12 * fabs(x)) break;
    CMB_TRY(look_at(t, x, &c, NULL));
    if (fabs(c.re) > most && c.neutral <= neutral) return CMB_OK;
    *crossing = x;
    if (c.re == 0) return CMB_OK;
    if (c.neutral > neutral) return refine(t, &first, &second, c.below, crossing);
    const bool same = (c.re < 0) == (b.re < 0);
    if (!same) a = b;
    fa = same ? fa / 2 : fb;
    b = c, fb = c.re;
  }
  if (!(fabs(x - *crossing) <= 1e-12 * fabs(x))) *crossing = NAN;
  return CMB_OK;
}

static void json_look(struct cli_json *j, const struct cli_look *x)
{
  cli_json_open(j, NULL, '{');
  cli_json_number(j, "value", x->at);
  cli_json_open(j, "eigenvalues", '[');
  for (int i = 0; i < x->l->eigenmode_count; i++) {
    const double pair[2] = {x->l->eigenmodes[i].re, x->l->eigenmodes[i].im};
    if (!x->l->eigenmodes[i].neutral) cli_json_numbers(j, NULL, 2, pair);
  }
  cli_json_close(j, ']');
  cli_json_integer(j, "neutral", x->neutral);
  cli_json_number(j, "neutral_below", x->below);
  cli_json_close(j, '}');
}

static void print_look(const struct cli_look *x)
{
  if (isfinite(x->re)) {
    printf("  %-14.6g %-14.6g %-14.6g % -14.4g %d\n", x->at, x->re, x->im, x->damping, x->neutral);
  } else {
    printf("  %-14.6g all eigenvalues are neutral\n", x->at);
  }
}

/* Where the largest real part passes 0 between two neighbours, or a warning that it changes its sign without doing so. */
static cmb_status compare(struct table *t, const struct cli_look *a, const struct cli_look *b)
{
  char note[300];
  double x = NAN;
  if ((a->re > 0) == (b->re > 0)) return CMB_OK;
  if (isfinite(a->re) && isfinite(b->re)) CMB_TRY(find_crossing(t, *a, *b, &x));
  const struct cli_look *end = a->neutral > b->neutral ? a : b;
  const bool at_end = a->neutral != b->neutral && fabs(x - end->at) < 1e-3 * fabs(b->at - a->at);
  if (at_end) x = end->at; /* there the eigenvalue is 0, and near it not told from that */
  if (isfinite(x)) {
    t->crossings[t->crossing_count++] = (struct cli_crossing){x, (b->re > 0) == (b->at > a->at)};
    return CMB_OK;
  }
  snprintf(note, sizeof note,
           "between %s = %.6g and %.6g the motion changes between stable and unstable, but no "
           "eigenvalue was found to pass 0; more values may show why",
           t->a->vary, a->at, b->at);
  cli_warn(NULL, CMB_LOG_WARNING, note);
  return CMB_OK;
}

/* The last value with those before it. One at which more eigenvalues are neutral than before it lies on a crossing, as it seems: it waits for the
 * next, which is compared with the one before it then. */
static cmb_status compare_last(struct table *t, bool *waits)
{
  const struct cli_look *here = &t->looks[t->done];
  const bool waited = *waits, is_last = t->done == (int)t->a->vary_count - 1;
  *waits = !waited && t->done > 0 && !is_last && here->neutral > here[-1].neutral;
  if (t->done == 0 || *waits) return CMB_OK;
  if (waited && here->neutral == here[-2].neutral) return compare(t, &here[-2], here);
  if (waited) CMB_TRY(compare(t, &here[-2], &here[-1]));
  return compare(t, &here[-1], here);
}

/* What is too slow to be told from 0: in a model with stiff parts that can be more than one would think. */
static void print_limit(const struct table *t)
{
  double below = 0;
  for (int i = 0; i < t->done; i++) below = fmax(below, t->looks[i].below);
  if (t->done > 0) printf("  neutral: below %.3g 1/s, not told from 0\n", below);
}

/* All values, and the crossings between them. */
static cmb_status walk(struct table *t)
{
  const struct cli_arguments *a = t->a;
  const int values = (int)a->vary_count;
  bool waits = false;
  for (t->done = 0; t->done < values; t->done++) {
    struct cli_look *here = &t->looks[t->done];
    const double part = (double)t->done / (values - 1);
    CMB_TRY(look_at(t, a->vary_from + part * (a->vary_to - a->vary_from), here, &here->l));
    if (!a->json) print_look(here);
    CMB_TRY(compare_last(t, &waits));
  }
  return CMB_OK;
}

/* The files that were asked for, also of a table that ends early. */
static cmb_status write_files(const struct table *t, cmb_status status)
{
  const struct cli_vary_table table = {.name = t->a->vary,
                                       .eq = cmb_system_equations(t->system),
                                       .count = t->done,
                                       .looks = t->looks,
                                       .crossing_count = t->crossing_count,
                                       .crossings = t->crossings,
                                       .failure = status == CMB_OK ? NULL : cli_last_complaint()};
  if (t->done == 0) return CMB_OK;
  if (cli_given(t->a, "out")) CMB_TRY(cli_vary_save(t->ctx, &table, t->a->out));
  return cli_given(t->a, "plot") ? cli_vary_draw(t->ctx, &table, t->a->plot) : CMB_OK;
}

static void print_json(const struct table *t, cmb_status status)
{
  struct cli_json j;
  cli_json_begin(&j, cmb_system_equations(t->system)->name, NULL, status);
  cli_json_text(&j, "varied", t->a->vary);
  cli_json_open(&j, "table", '[');
  for (int i = 0; i < t->done; i++) json_look(&j, &t->looks[i]);
  cli_json_close(&j, ']');
  cli_json_open(&j, "critical", '[');
  for (int i = 0; i < t->crossing_count; i++) cli_json_number(&j, NULL, t->crossings[i].at);
  cli_json_close(&j, ']');
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

/* ---- options */

/* Options of a run, which there is not; what a model says under `simulate` is for its run. */
static int complain_run_option(const struct cli_arguments *a)
{
  static const char *const names[] = {"method", "rtol", "atol", "option"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!cli_given(a, names[i])) continue;
    return cli_complain("--%s is for a simulation, and does not go with --vary", names[i]);
  }
  return CLI_DONE;
}

static int check_file(cmb_context *ctx, const struct cli_arguments *a, const char *option,
                      const char *path)
{
  if (!cli_given(a, option)) return CLI_DONE;
  const cmb_status possible = cmb_output_possible(ctx, path);
  return possible == CMB_OK ? CLI_DONE : cli_fail(ctx, possible);
}

int cli_vary_check(cmb_context *ctx, const struct cli_arguments *a)
{
  if (!a->vary) {
    return cli_given(a, "plot")
               ? cli_complain("--plot of 'camber linearize' draws eigenvalues over a value: it "
                              "needs --vary")
               : CLI_DONE;
  }
  if (cli_state_space_wanted(a)) {
    return cli_complain("--vary lists eigenvalues, and does not go with --inputs and --outputs");
  }
  if (a->bode || a->step_response) {
    return cli_complain("--vary lists eigenvalues, and does not go with %s",
                        a->bode ? "--bode" : "--step-response");
  }
  const size_t length = cli_given(a, "out") ? strlen(a->out) : 0;
  if (length > 4 && strcmp(a->out + length - 4, ".csv") != 0) {
    return cli_complain("option --out is '%s'; expected a file name that ends in .csv, since "
                        "--vary has a table and no matrices",
                        a->out);
  }
  int code = complain_run_option(a);
  if (code == CLI_DONE) code = check_file(ctx, a, "out", a->out);
  return code == CLI_DONE ? check_file(ctx, a, "plot", a->plot) : code;
}

/* ---- the command */

static int tabulate(struct table *t)
{
  const struct cli_arguments *a = t->a;
  find_held(t);
  if (!a->json) {
    printf("%s: steady motions over %s\n", cmb_system_equations(t->system)->name, a->vary);
    printf("  %-14s %-14s %-14s %-14s %s\n", a->vary, "largest re", "its im", " least damping",
           "neutral");
  }
  cmb_status status = walk(t);
  for (int i = 0; i < t->crossing_count && !a->json; i++) {
    printf("  critical %s  %.9g\n", a->vary, t->crossings[i].at);
  }
  if (!a->json) print_limit(t);
  int code = cli_complain_of(t->ctx, a, status);
  const cmb_status written = write_files(t, status);
  if (status == CMB_OK && written != CMB_OK) {
    status = written;
    code = cli_fail(written == CMB_ERROR_MEMORY ? NULL : t->ctx, written);
  }
  if (a->json) print_json(t, status);
  return code;
}

int cli_vary(cmb_context *ctx, const struct cli_arguments *a, cmb_system *system)
{
  struct table t = {.ctx = ctx, .a = a, .system = system};
  t.looks = calloc((size_t)a->vary_count, sizeof *t.looks);
  t.crossings = calloc((size_t)a->vary_count, sizeof *t.crossings);
  const int code = t.looks && t.crossings ? tabulate(&t) : cli_fail(NULL, CMB_ERROR_MEMORY);
  for (int i = 0; t.looks && i < (int)a->vary_count; i++) cmb_linearization_destroy(t.looks[i].l);
  free(t.looks);
  free(t.crossings);
  return code;
}
