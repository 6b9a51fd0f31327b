/*
 * camber check: degrees of freedom, rank, redundant constraints, consistent initial values.
 */
#include "cli/cli.h"
#include "dae/evaluator.h"

#include <stdlib.h>

struct check {
  const cmb_equations *eq;
  int rank;
  int *redundant; /* (ng) numbers of the redundant constraints */
  int redundant_count;
};

static void print_redundant(const struct check *c)
{
  for (int i = 0; i < c->redundant_count; i++) {
    printf("  %-12s %s\n", i ? "" : "redundant", c->eq->g_names[c->redundant[i]]);
  }
}

static void print_moved(const char *what, double moved, const char *most, const char *unmoved)
{
  if (moved > 0) {
    printf("  %-12s moved by %.6g to be consistent, %s most\n", what, moved, most);
  } else {
    printf("  %-12s %s\n", what, unmoved);
  }
}

static void print_text(const struct check *c, const cmb_result *r)
{
  const cmb_equations *eq = c->eq;
  printf("%s: %d degrees of freedom\n", eq->name, eq->nv - c->rank);
  printf("  coordinates  %d, velocities %d\n", eq->nq, eq->nv);
  printf("  constraints  %d, rank %d\n", eq->ng, c->rank);
  print_redundant(c);
  if (r->status != CMB_OK) return;
  print_moved("positions", r->start.q_moved, eq->q_names[r->start.q_most], "consistent as given");
  print_moved("velocities", r->start.v_moved, eq->v_names[r->start.v_most], "consistent as given");
  if (eq->ng > 0) {
    printf("  residuals    |g| = %.2g, |G v + g_t| = %.2g\n", r->position, r->velocity);
  }
}

static void print_json(const struct check *c, const cmb_result *r, const char *message)
{
  const cmb_equations *eq = c->eq;
  struct cli_json j = {.to = stdout, .first = true};
  cli_json_open(&j, NULL, '{');
  cli_json_text(&j, "camber", cmb_version());
  cli_json_text(&j, "model", eq->name);
  cli_json_text(&j, "status", cmb_status_code(r->status));
  if (r->status != CMB_OK) cli_json_text(&j, "message", message);
  cli_json_integer(&j, "coordinates", eq->nq);
  cli_json_integer(&j, "velocities", eq->nv);
  cli_json_integer(&j, "constraints", eq->ng);
  cli_json_integer(&j, "rank", c->rank);
  cli_json_integer(&j, "degrees_of_freedom", eq->nv - c->rank);
  cli_json_open(&j, "redundant", '[');
  for (int i = 0; i < c->redundant_count; i++) {
    cli_json_text(&j, NULL, eq->g_names[c->redundant[i]]);
  }
  cli_json_close(&j, ']');
  if (r->status == CMB_OK) {
    cli_json_open(&j, "moved", '{');
    cli_json_number(&j, "q", r->start.q_moved);
    cli_json_number(&j, "v", r->start.v_moved);
    cli_json_close(&j, '}');
    cli_json_numbers(&j, "q", eq->nq, r->q);
    cli_json_numbers(&j, "v", eq->nv, r->v);
    cli_json_numbers(&j, "lambda", eq->ng, r->lambda);
    cli_json_open(&j, "residual", '{');
    cli_json_number(&j, "position", r->position);
    cli_json_number(&j, "velocity", r->velocity);
    cli_json_close(&j, '}');
  }
  cli_json_close(&j, '}');
}

/* The rank of G at the start values as given. */
static cmb_status count_rank(cmb_context *ctx, const cmb_system *system, struct check *c)
{
  const cmb_equations *eq = c->eq;
  cmb_evaluator *ev;
  CMB_TRY(cmb_evaluator_create(ctx, eq, &ev));
  cmb_terms want = {.M = ev->M, .G = ev->G};
  cmb_status status =
      cmb_evaluate(ev, cmb_system_t_start(system), cmb_system_q(system), NULL, &want);
  if (status == CMB_OK) {
    status = cmb_kkt_redundant(ev->kkt, ev->M, ev->G, c->redundant, &c->redundant_count);
  }
  c->rank = eq->ng - c->redundant_count;
  cmb_evaluator_destroy(ev);
  return status;
}

static int check_system(cmb_context *ctx, const struct cli_arguments *a, const cmb_system *system,
                        struct check *c)
{
  cmb_run_options options = cmb_run_defaults();
  cmb_simulation *sim = NULL;
  cmb_status status = count_rank(ctx, system, c);
  if (status > 0) {
    cli_complain("the constraints cannot be examined at the start: %s", cmb_status_meaning(status));
    return CLI_FAILED;
  }
  if (status == CMB_OK) status = cmb_simulation_create(ctx, system, &options, &sim);
  if (status == CMB_OK) {
    status = cmb_simulation_start(sim);
    if (a->json) {
      print_json(c, cmb_simulation_result(sim), cmb_last_error(ctx));
    } else {
      print_text(c, cmb_simulation_result(sim));
    }
  }
  cmb_simulation_destroy(sim);
  if (status != CMB_OK) cli_complain("%s", cmb_last_error(ctx));
  return cli_exit_code(status);
}

int cli_check(cmb_context *ctx, const struct cli_arguments *a)
{
  cmb_system *system = NULL;
  int code = cli_open_system(ctx, a, &system);
  if (code != CLI_DONE) return code;
  struct check c = {.eq = cmb_system_equations(system)};
  c.redundant = calloc((size_t)c.eq->ng + 1, sizeof *c.redundant);
  if (c.redundant) {
    code = check_system(ctx, a, system, &c);
  } else {
    cli_complain("%s", cmb_status_meaning(CMB_ERROR_MEMORY));
    code = CLI_FAILED;
  }
  free(c.redundant);
  cmb_system_destroy(system);
  return code;
}
