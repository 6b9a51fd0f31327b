/*
 * The command `camber check`: prints degrees of freedom, rank and redundant constraints of a model, whether its start position is singular,
 * how far consistent initial values are from those given (with --json the values too), and the sparsity pattern of its Jacobian.
 */
#include "base/output.h"
#include "cli/counts.h"
#include "cli/facts.h"
#include "cli/pattern.h"

#include <stdlib.h>

struct check {
  const cmb_equations *eq;
  struct cli_counts counts;
  bool has_pattern; /* `pattern` has been computed */
  struct cli_pattern pattern;
};

/* Returns the number of constraints of the model, including redundant ones that have been left out of the equations. */
static int constraint_count(const struct cli_counts *c)
{
  return c->eq->ng + c->left_out_count;
}

/* Returns whether the start position is singular, i.e. the constraint Jacobian has a lower rank there than at nearby positions. */
static bool is_singular(const struct cli_counts *c)
{
  return c->rank.here < c->rank.around;
}

/* Prints the names of the redundant constraints, one per line, and a note if the start position is singular (the constraint Jacobian has a
 * lower rank than nearby). */
static void print_names(const struct cli_counts *c)
{
  for (int i = 0; i < c->left_out_count; i++) {
    printf("  %-12s %s, left out\n", i ? "" : "redundant", c->left_out[i]);
  }
  for (int i = 0; i < c->rank.redundant_count; i++) {
    printf("  %-12s %s\n", i || c->left_out_count ? "" : "redundant",
           c->eq->g_names[c->redundant[i]]);
  }
  if (is_singular(c)) {
    printf("  %-12s here the rank is %d, around it %d: the mechanism may branch\n", "singular",
           c->rank.here, c->rank.around);
  }
}

/* Prints by how much the initial positions or velocities were corrected to satisfy the constraints. `what` is the label of the line, and
 * `moved` the largest correction; it concerns the component `most`, with the name names[most] and the unit units[most]. Negligible corrections
 * are reported as "consistent as given". */
static void print_moved(const char *what, double moved, const char *const *units,
                        const char *const *names, int most)
{
  char text[CLI_MOVED_ROOM];
  if (moved > CLI_MOVED_LEAST) {
    printf("  %-12s moved by %s to be consistent, %s most\n", what,
           cli_moved_text(moved, units, most, text), names[most]);
  } else {
    printf("  %-12s consistent as given\n", what);
  }
}

static void print_text(const struct check *c, const cmb_result *r)
{
  const cmb_equations *eq = c->eq;
  const struct cli_counts *n = &c->counts;
  const int nv = eq->nv - eq->nz;
  const int freedoms = nv - n->rank.around;
  printf("%s: %d degree%s of freedom", eq->name, freedoms, freedoms == 1 ? "" : "s");
  if (eq->nz > 0) printf(", %d state%s", eq->nz, eq->nz > 1 ? "s" : "");
  printf("\n  coordinates  %d, velocities %d\n", eq->nq, nv);
  printf("  constraints  %d, rank %d", constraint_count(n), n->rank.around);
  printf("; Gruebler's count is %d - %d = %d\n", nv, constraint_count(n), nv - constraint_count(n));
  print_names(n);
  if (r->status != CMB_OK) return;
  print_moved("positions", r->start.q_moved, eq->q_units, eq->q_names, r->start.q_most);
  print_moved("velocities", r->start.v_moved, eq->v_units, eq->v_names, r->start.v_most);
  if (eq->ng > 0 && r->started) {
    printf("  residuals    |g| = %.2g, |G v + g_t| = %.2g\n", r->position, r->velocity);
  }
  if (c->has_pattern) cli_pattern_print(&c->pattern);
}

bool cli_counts_begin(const cmb_system *system, struct cli_counts *c)
{
  *c = (struct cli_counts){.eq = cmb_system_equations(system)};
  c->left_out = cmb_system_left_out(system, &c->left_out_count);
  c->redundant = calloc((size_t)c->eq->ng + 1, sizeof *c->redundant);
  return c->redundant != NULL;
}

cmb_status cli_counts_find(cmb_context *ctx, const cmb_system *system, double t, const double *q,
                           const int *mode, struct cli_counts *c)
{
  return cmb_system_rank(ctx, system, t, q, mode, &c->rank, c->redundant);
}

void cli_counts_end(struct cli_counts *c)
{
  free(c->redundant);
}

void cli_json_counts(struct cli_json *j, const struct cli_counts *c)
{
  const cmb_equations *eq = c->eq;
  cli_json_integer(j, "constraints", constraint_count(c));
  cli_json_integer(j, "rank", c->rank.around);
  cli_json_integer(j, "rank_here", c->rank.here);
  cli_json_integer(j, "gruebler", eq->nv - eq->nz - constraint_count(c));
  cli_json_integer(j, "degrees_of_freedom", eq->nv - eq->nz - c->rank.around);
  cli_json_bool(j, "singular", is_singular(c));
  cli_json_open(j, "redundant", '[');
  for (int i = 0; i < c->left_out_count; i++) cli_json_text(j, NULL, c->left_out[i]);
  for (int i = 0; i < c->rank.redundant_count; i++) {
    cli_json_text(j, NULL, eq->g_names[c->redundant[i]]);
  }
  cli_json_close(j, ']');
}

static void json_start(struct cli_json *j, const cmb_equations *eq, const cmb_result *r)
{
  cli_json_open(j, "moved", '{');
  cli_json_number(j, "q", r->start.q_moved);
  cli_json_number(j, "v", r->start.v_moved);
  cli_json_close(j, '}');
  cli_json_numbers(j, "q", eq->nq, r->q);
  cli_json_velocities(j, eq, r->v);
  cli_json_numbers(j, "lambda", eq->ng, r->lambda);
  cli_json_open(j, "residual", '{');
  cli_json_number(j, "position", r->position);
  cli_json_number(j, "velocity", r->velocity);
  cli_json_close(j, '}');
}

static void print_json(const struct check *c, const cmb_model *model, const cmb_result *r,
                       cmb_status status)
{
  const cmb_equations *eq = c->eq;
  struct cli_json j;
  cli_json_begin(&j, eq->name, NULL, status);
  cli_json_integer(&j, "coordinates", eq->nq);
  cli_json_integer(&j, "velocities", eq->nv - eq->nz);
  cli_json_counts(&j, &c->counts);
  if (status == CMB_OK) json_start(&j, eq, r);
  if (c->has_pattern) cli_pattern_json(&j, &c->pattern);
  cli_json_contents(&j, model);
  cli_json_end(&j);
}

/* Computes the sparsity pattern of the Jacobian into c->pattern if --pattern is given, and draws it to the file of --plot if this is on the
 * command line. A --plot in the options of the model file is ignored, as it is meant for simulations. */
static cmb_status find_pattern(cmb_context *ctx, const struct cli_arguments *a,
                               const cmb_system *system, const cmb_result *r, struct check *c)
{
  if (!a->pattern) return CMB_OK;
  CMB_TRY(cli_pattern_find(ctx, system, r, &c->pattern));
  c->has_pattern = true;
  return cli_given(a, "plot") ? cli_pattern_draw(ctx, &c->pattern, a->plot) : CMB_OK;
}

/* Computes consistent initial values, counts the constraints and finds their rank, and prints the results as text or JSON. If there are no
 * consistent initial values, the results are those for the given values. Returns CLI_DONE or, after an error message, another exit code. */
static int check_system(cmb_context *ctx, const struct cli_arguments *a, const cmb_system *system,
                        struct check *c)
{
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim = NULL;
  cmb_status status = cmb_simulation_create(ctx, system, &options, &sim);
  const cmb_result *r = status == CMB_OK ? cmb_simulation_result(sim) : NULL;
  if (r) {
    cli_counts_find(ctx, system, cmb_system_t_start(system), cmb_system_q(system), r->mode,
                    &c->counts);
    status = cmb_simulation_start(sim);
    if (status == CMB_OK) {
      status = cli_counts_find(ctx, system, r->t, r->q, r->mode, &c->counts);
    }
    if (status == CMB_OK) status = find_pattern(ctx, a, system, r, c);
  }
  if (r && !a->json) print_text(c, r);
  const int code = cli_complain_of(ctx, a, status);
  if (r && a->json) print_json(c, a->model, r, status);
  cmb_simulation_destroy(sim);
  return code;
}

/* Checks the option --plot of `camber check`: --pattern has to be given as well, and its file has to be writable. Returns CLI_DONE, also if
 * there is no --plot, or another exit code after an error message. */
static int check_plot(cmb_context *ctx, const struct cli_arguments *a)
{
  if (!cli_given(a, "plot")) return CLI_DONE;
  if (!a->pattern) {
    return cli_complain("--plot of 'camber check' draws the pattern of the Jacobian: it needs "
                        "--pattern");
  }
  const cmb_status possible = cmb_output_possible(ctx, a->plot);
  return possible == CMB_OK ? CLI_DONE : cli_fail(ctx, possible);
}

int cli_check(cmb_context *ctx, const struct cli_arguments *a)
{
  cmb_system *system = NULL;
  int code = check_plot(ctx, a);
  if (code == CLI_DONE) code = cli_open_system(ctx, a, &system);
  if (code != CLI_DONE) return code;
  struct check c = {.eq = cmb_system_equations(system)};
  code = cli_counts_begin(system, &c.counts) ? check_system(ctx, a, system, &c)
                                             : cli_fail(NULL, CMB_ERROR_MEMORY);
  cli_pattern_release(&c.pattern);
  cli_counts_end(&c.counts);
  cmb_system_destroy(system);
  return code;
}
