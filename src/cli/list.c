/*
 * camber list methods | models | benches
 */
#include "base/text.h"
#include "cli/cli.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

static void list_methods(void)
{
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *m = cmb_method_at(i);
    int count;
    const cmb_option *o = cmb_method_options(m, &count);
    printf("%-10s %s, order %d\n", cmb_method_name(m), cmb_method_title(m), cmb_method_order(m));
    for (int k = 0; k < count; k++) {
      printf("           --option %s=%s (default: %s)\n               %s\n", o[k].name, o[k].values,
             o[k].fallback, o[k].meaning);
    }
  }
}

/* The model's own parameters; those of template instances, left.k, are there too but too many to list. */
static void list_parameters(const cmb_model *m)
{
  for (int i = 0; i < m->parameter_count; i++) {
    char value[CMB_NUMBER_ROOM];
    cmb_format_shortest(m->parameters[i].value, value);
    if (!strchr(m->parameters[i].name, '.')) {
      printf("                --set %s=%s\n", m->parameters[i].name, value);
    }
  }
}

static void list_model_files(cmb_context *ctx)
{
  char *names[CLI_MOST_MODELS];
  int count = cli_bundled_models(names);
  for (int i = 0; i < count; i++) {
    struct cli_arguments a = {.operand = names[i], .command = &cli_commands[0]};
    if (cli_read_model(ctx, &a) == CLI_DONE && a.model) {
      printf("%-15s %s\n", names[i], cmb_model_title(a.model));
      list_parameters(a.model);
    }
    cmb_model_destroy(a.model);
    cli_release(&a);
    free(names[i]);
  }
}

static void list_models(cmb_context *ctx)
{
  list_model_files(ctx);
  for (int i = 0; i < cmb_problem_count(); i++) {
    const cmb_problem *p = cmb_problem_at(i);
    int count;
    const cmb_parameter *table = cmb_problem_parameters(p, &count);
    printf("%-15s %s\n", cmb_problem_name(p), cmb_problem_title(p));
    for (int k = 0; k < count; k++) {
      printf("                --set %s=%-8g %-7s %s\n", table[k].name, table[k].value,
             table[k].unit, table[k].meaning);
    }
  }
}

int cli_list(cmb_context *ctx, const struct cli_arguments *a)
{
  if (strcmp(a->operand, "methods") == 0) {
    list_methods();
  } else if (strcmp(a->operand, "models") == 0) {
    list_models(ctx);
  } else if (strcmp(a->operand, "benches") == 0) {
    cli_list_benches();
  } else {
    return cli_complain("cannot list '%s'; expected methods, models or benches", a->operand);
  }
  return CLI_DONE;
}
