/*
 * The command `camber linearize --vary`: computes the eigenvalues of steady motions over a prescribed quantity, such as the speed, and the
 * values at which the largest real part crosses 0 (vary_critical.c).
 */
#include "cli/vary.h"

#include "base/output.h"
#include "cli/state_space.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The table of steady motions over the varied quantity, and what is needed to compute it. */
struct table {
  cmb_context *ctx;
  const struct cli_arguments *a;
  cmb_system *system;
  int varied;                               /* index of the varied quantity in `holds` */
  cmb_setting holds[CLI_MOST_SETTINGS + 1]; /* conditions of the steady motions */
  cmb_steady_options options;
  struct cli_motion *motions; /* (vary_count) rows of the table */
  int done;                   /* number of rows that have been computed */
  struct cli_critical critical;
};

/* Summarises the eigenvalues of a linearisation in *x: the number of those that count as 0 (neutral) and, of the others, the eigenvalue with
 * the largest real part, that with the smallest absolute value, and the least damping ratio. If all are neutral, x->re is −∞, and x->slow_re
 * and x->damping are ∞. */
static void summarize(const cmb_linearization *l, struct cli_motion *x)
{
  x->below = l->neutral_below;
  x->neutral = 0, x->re = -INFINITY, x->im = 0, x->damping = INFINITY;
  x->slow_re = INFINITY, x->slow_im = 0;
  for (int i = 0; i < l->eigenmode_count; i++) {
    const cmb_eigenmode *m = &l->eigenmodes[i];
    if (m->neutral) {
      x->neutral += m->im > 0 ? 2 : 1; /* only one of a conjugate pair is listed */
      continue;
    }
    if (m->re > x->re) x->re = m->re, x->im = m->im;
    /* eigenmodes are sorted by size, so the first one is the slowest */
    if (x->slow_re == INFINITY) x->slow_re = m->re, x->slow_im = m->im;
    x->damping = fmin(x->damping, m->damping);
  }
}

/* Computes the steady motion at the value `at` of the quantity that --vary varies, with the previous motion as initial guess, linearises the
 * equations about it, and summarises their eigenvalues in *x. The caller destroys x->l. */
static cmb_status compute_motion(struct table *t, double at, struct cli_motion *x)
{
  cmb_steady_report report;
  *x = (struct cli_motion){.at = at};
  t->holds[t->varied].value = at;
  CMB_TRY(cmb_system_steady(t->ctx, t->system, &t->options, &report));
  CMB_TRY(cmb_linearize_in(t->ctx, cmb_system_equations(t->system), cmb_system_frame(t->system),
                           cmb_system_t_start(t->system), cmb_system_q(t->system),
                           cmb_system_v(t->system), &x->l));
  summarize(x->l, x);
  return CMB_OK;
}

/* Computes the steady motion at the value `at` of the quantity that --vary varies, with its eigenvalues, into *x. A callback of the search for
 * critical values; `user` is the struct table. The caller destroys x->l. */
static cmb_status compute_motion_for_search(void *user, double at, struct cli_motion *x)
{
  return compute_motion(user, at, x);
}

/* Writes one steady motion of the table of --vary as a JSON object: the value of the varied quantity; the eigenvalues, of a conjugate pair the
 * one with im > 0; the number of eigenvalues that count as 0, where a pair counts twice; and the limit below which they do. */
static void json_row(struct cli_json *j, const struct cli_motion *x)
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

/* Prints one line of the table of --vary: the value of the varied quantity, the eigenvalue with the largest real part, the least damping ratio,
 * and the number of neutral eigenvalues, which count as 0 and are left out of the other columns. If all are neutral, a note is printed instead. */
static void print_row(const struct cli_motion *x)
{
  if (isfinite(x->re)) {
    printf("  %-14.6g %-14.6g %-14.6g % -14.4g %d\n", x->at, x->re, x->im, x->damping, x->neutral);
  } else {
    printf("  %-14.6g all eigenvalues are neutral\n", x->at);
  }
}

/* Prints the limit below which eigenvalues count as 0 (are neutral), the largest one of all computed motions: rounding errors could have caused
 * smaller eigenvalues. Does nothing if there are no motions. */
static void print_limit(const struct table *t)
{
  double below = 0;
  for (int i = 0; i < t->done; i++) below = fmax(below, t->motions[i].below);
  if (t->done > 0) printf("  neutral: indistinguishable from 0, all below %.3g 1/s\n", below);
}

/* Computes the table of --vary: steady motions and their eigenvalues at evenly spaced values of the varied quantity, and the critical values
 * between them, where stability changes. Prints each line at once, unless --json is given. t->done is the number of complete lines, also on
 * failure. */
static cmb_status compute_rows(struct table *t)
{
  const struct cli_arguments *a = t->a;
  const int values = (int)a->vary_count;
  for (t->done = 0; t->done < values; t->done++) {
    struct cli_motion *here = &t->motions[t->done];
    const double part = (double)t->done / (values - 1);
    CMB_TRY(compute_motion(t, a->vary_from + part * (a->vary_to - a->vary_from), here));
    if (!a->json) print_row(here);
    CMB_TRY(cli_critical_next(&t->critical, t->done, t->done == values - 1));
  }
  return CMB_OK;
}

/* Writes the eigenvalues over the quantity of --vary to the CSV file of --out and as a plot to the file of --plot, as far as they are
 * requested. If the computation failed (`status`), they contain the motions computed before, and the plot tells why. Does nothing if there are
 * none. */
static cmb_status write_files(const struct table *t, cmb_status status)
{
  const struct cli_vary_table table = {.title = cli_title(t->a),
                                       .name = t->a->vary,
                                       .eq = cmb_system_equations(t->system),
                                       .count = t->done,
                                       .motions = t->motions,
                                       .crossing_count = t->critical.count,
                                       .crossings = t->critical.crossings,
                                       .failure = status == CMB_OK ? NULL : cli_last_complaint()};
  if (t->done == 0) return CMB_OK;
  if (cli_given(t->a, "out")) CMB_TRY(cli_vary_save(t->ctx, &table, t->a->out));
  return cli_given(t->a, "plot") ? cli_vary_draw(t->ctx, &table, t->a->plot) : CMB_OK;
}

/* Prints the table of eigenvalues over the quantity of --vary and the critical values as one JSON object, also if the computation ended early;
 * `status` tells whether it failed. */
static void print_json(const struct table *t, cmb_status status)
{
  struct cli_json j;
  cli_json_begin(&j, cmb_system_equations(t->system)->name, NULL, status);
  cli_json_text(&j, "varied", t->a->vary);
  cli_json_open(&j, "table", '[');
  for (int i = 0; i < t->done; i++) json_row(&j, &t->motions[i]);
  cli_json_close(&j, ']');
  cli_json_open(&j, "critical", '[');
  for (int i = 0; i < t->critical.count; i++)
    cli_json_number(&j, NULL, t->critical.crossings[i].at);
  cli_json_close(&j, ']');
  cli_json_end(&j);
}

/* Sets the options for computing steady motions, t->options: the conditions of --steady, and a condition for the quantity of --vary. This one
 * replaces a condition of --steady with the same name; its value is set before each motion. */
static void set_conditions(struct table *t)
{
  const struct cli_arguments *a = t->a;
  t->varied = a->steady_count;
  for (int i = 0; i < a->steady_count; i++) {
    t->holds[i] = a->steady[i];
    if (strcmp(a->steady[i].name, a->vary) == 0) t->varied = i;
  }
  t->holds[t->varied].name = a->vary;
  t->options = (cmb_steady_options){.hold_count = a->steady_count + (t->varied == a->steady_count),
                                    .holds = t->holds,
                                    .free_count = a->free_count,
                                    .free = a->free,
                                    .trim_count = a->trim_count,
                                    .trim = a->trim};
}

/* ---- options */

/* Checks that the command line has no options of a simulation (--method, --rtol, --atol, --option), since --vary runs none. Returns CLI_DONE,
 * or CLI_BAD_INPUT after an error message. The section `simulate` of a model file may have them. */
static int check_run_options(const struct cli_arguments *a)
{
  static const char *const names[] = {"method", "rtol", "atol", "option"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!cli_given(a, names[i])) continue;
    return cli_complain("--%s is for a simulation, and cannot be used with --vary", names[i]);
  }
  return CLI_DONE;
}

/* Checks that the output file `path` can be written, if `option` is on the command line. Returns CLI_DONE or, after an error message, another
 * exit code. */
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
    return cli_complain("--vary lists eigenvalues, and cannot be used with --inputs and --outputs");
  }
  if (a->bode || a->step_response) {
    return cli_complain("--vary lists eigenvalues, and cannot be used with %s",
                        a->bode ? "--bode" : "--step-response");
  }
  const size_t length = cli_given(a, "out") ? strlen(a->out) : 0;
  if (length > 4 && strcmp(a->out + length - 4, ".csv") != 0) {
    return cli_complain("option --out is '%s'; expected a file name that ends in .csv, since "
                        "--vary has a table and no matrices",
                        a->out);
  }
  int code = check_run_options(a);
  if (code == CLI_DONE) code = check_file(ctx, a, "out", a->out);
  return code == CLI_DONE ? check_file(ctx, a, "plot", a->plot) : code;
}

/* ---- the command */

/* Computes the table of steady motions over the quantity of --vary, prints it with the critical values as text or JSON, and writes the files of
 * --out and --plot. Returns CLI_DONE or, after an error message, another exit code. */
static int tabulate(struct table *t)
{
  const struct cli_arguments *a = t->a;
  set_conditions(t);
  if (!a->json) {
    printf("%s: steady motions over %s\n", cmb_system_equations(t->system)->name, a->vary);
    printf("  %-14s %-14s %-14s %-14s %s\n", a->vary, "largest re", "its im", " least damping",
           "neutral");
  }
  cmb_status status = compute_rows(t);
  for (int i = 0; i < t->critical.count && !a->json; i++) {
    printf("  critical %s  %.9g\n", a->vary, t->critical.crossings[i].at);
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
  const size_t count = (size_t)a->vary_count;
  struct table t = {.ctx = ctx, .a = a, .system = system};
  t.motions = calloc(count, sizeof *t.motions);
  t.critical = (struct cli_critical){.eq = cmb_system_equations(system),
                                     .name = a->vary,
                                     .from = a->vary_from,
                                     .to = a->vary_to,
                                     .compute = compute_motion_for_search,
                                     .user = &t,
                                     .rows = t.motions};
  const int code = t.motions ? tabulate(&t) : cli_fail(NULL, CMB_ERROR_MEMORY);
  for (size_t i = 0; t.motions && i < count; i++) cmb_linearization_destroy(t.motions[i].l);
  free(t.motions);
  free(t.critical.crossings);
  return code;
}
