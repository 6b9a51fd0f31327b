/*
 * Stores and prints the positions of a run at which the constraint Jacobian lost rank (singular.h).
 */
#include "cli/singular.h"

#include <stdlib.h>
#include <string.h>

struct cli_singularity {
  double t;
  int count;
  const char **names; /* (count) of the constraints that became dependent */
};

cmb_status cli_singularities_add(struct cli_singularities *list, const cmb_singularity *s)
{
  if (list->count >= CLI_MOST_KEPT) {
    list->count++;
    return CMB_OK;
  }
  if (list->count == list->room) {
    long room = list->room ? 2 * list->room : 32;
    struct cli_singularity *grown = realloc(list->all, (size_t)room * sizeof *grown);
    if (!grown) return CMB_ERROR_MEMORY;
    list->all = grown;
    list->room = room;
  }
  const char **names = calloc((size_t)s->count + 1, sizeof *names);
  if (!names) return CMB_ERROR_MEMORY;
  memcpy(names, s->constraints, (size_t)s->count * sizeof *names);
  list->all[list->count++] = (struct cli_singularity){s->t, s->count, names};
  return CMB_OK;
}

void cli_singularities_end(struct cli_singularities *list)
{
  for (long i = 0; i < list->count && i < CLI_MOST_KEPT; i++) free(list->all[i].names);
  free(list->all);
}

void cli_singularities_print(const struct cli_singularities *list)
{
  enum { SHOWN = 20 };
  for (long i = 0; i < list->count && i < SHOWN; i++) {
    const struct cli_singularity *s = &list->all[i];
    printf("  %-12s t = %.9g: the constraints lose rank here:", i ? "" : "warning", s->t);
    for (int k = 0; k < s->count; k++) printf("%s '%s'", k ? "," : "", s->names[k]);
    printf("\n");
  }
  if (list->count > SHOWN) {
    printf("               and %ld more; --json lists %s\n", list->count - SHOWN,
           list->count > CLI_MOST_KEPT ? "the first 10,000" : "all");
  }
}

void cli_singularities_json(const struct cli_singularities *list, struct cli_json *j)
{
  cli_json_open(j, "singularities", '[');
  for (long i = 0; i < list->count && i < CLI_MOST_KEPT; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_number(j, "t", list->all[i].t);
    cli_json_texts(j, "constraints", list->all[i].count, list->all[i].names);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

/* Returns whether Lagrange multiplier i is indeterminate: at the end of the run (unique[i] is false; NULL: all are unique), or always, because
 * redundant constraints share its force. */
static bool is_indeterminate(const cmb_system *system, const bool *unique, int i)
{
  const bool *shared = cmb_system_shared_multipliers(system);
  return (unique && !unique[i]) || (shared && shared[i]);
}

/* Returns whether output i depends on an indeterminate force. It does in every run if the force is shared by redundant constraints; in this run
 * also if unique[i] is false, because of its contacts (unique may be NULL: all are unique). */
static bool is_indeterminate_output(const cmb_system *system, const bool *unique, int i)
{
  const bool *shared = cmb_system_shared_outputs(system);
  return (unique && !unique[i]) || (shared && shared[i]);
}

void cli_not_unique_print(const cmb_system *system, const cmb_result *r)
{
  const cmb_equations *eq = cmb_system_equations(system);
  bool first = true;
  for (int i = 0; i < eq->ng + eq->no; i++) {
    const int output = i - eq->ng;
    if (output < 0 ? !is_indeterminate(system, r->lambda_unique, i)
                   : !is_indeterminate_output(system, r->outputs_unique, output)) {
      continue;
    }
    printf("%s %s", first ? "  not unique  " : ",",
           output < 0 ? eq->lambda_names[i] : eq->output_names[output]);
    first = false;
  }
  if (!first) printf("\n");
}

void cli_not_unique_json(const cmb_system *system, const cmb_result *r, struct cli_json *j)
{
  const cmb_equations *eq = cmb_system_equations(system);
  cli_json_open(j, "not_unique", '[');
  for (int i = 0; i < eq->ng; i++) {
    if (is_indeterminate(system, r->lambda_unique, i)) cli_json_text(j, NULL, eq->lambda_names[i]);
  }
  cli_json_close(j, ']');
  cli_json_open(j, "not_unique_outputs", '[');
  for (int i = 0; i < eq->no; i++) {
    if (is_indeterminate_output(system, r->outputs_unique, i))
      cli_json_text(j, NULL, eq->output_names[i]);
  }
  cli_json_close(j, ']');
}
