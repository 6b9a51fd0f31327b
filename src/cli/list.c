/*
 * The command `camber list methods | models | parts | benches`; without an operand it prints what can be listed.
 */
#include "base/text.h"
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMNS = 11 };

/* Prints all integration methods, each with its title, its order and its options. */
static void list_methods(void)
{
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *m = cmb_method_at(i);
    int count;
    const cmb_option *o = cmb_method_options(m, &count);
    char title[256];
    snprintf(title, sizeof title, "%s, order %d", cmb_method_title(m), cmb_method_order(m));
    printf("%-10s ", cmb_method_name(m));
    cli_print_wrapped(stdout, NAME_COLUMNS, NAME_COLUMNS, title);
    for (int k = 0; k < count; k++) {
      printf("%*s--option %s=%s (default: %s)\n%*s", NAME_COLUMNS, "", o[k].name, o[k].values,
             o[k].fallback, NAME_COLUMNS + 4, "");
      cli_print_wrapped(stdout, NAME_COLUMNS + 4, NAME_COLUMNS + 4, o[k].meaning);
    }
  }
}

enum { MODEL_COLUMNS = 16, PART_COLUMNS = 34 };

/* Prints a name in the left column and a title to the right, wrapped at 80 columns. */
static void list_title(const char *name, const char *title)
{
  printf("%-15s ", name);
  cli_print_wrapped(stdout, MODEL_COLUMNS, MODEL_COLUMNS, title);
}

/* Prints the note that a listed model describes the same mechanism as the model `twin`; `how` tells in which form the listed model does so,
 * e.g. "its equations written by hand". */
static void list_twin(const char *twin, const char *how)
{
  char text[256];
  snprintf(text, sizeof text, "(the mechanism of '%s', %s)", twin, how);
  list_title("", text);
}

/* Returns the problem written in C that describes the same mechanism as the model file with the name `model`; NULL if there is none. */
static const cmb_problem *twin_of(const char *model)
{
  for (int i = 0; i < cmb_problem_count(); i++) {
    const cmb_problem *p = cmb_problem_at(i);
    const char *twin = cmb_problem_twin(p);
    if (twin && strcmp(twin, model) == 0) return p;
  }
  return NULL;
}

/* Prints the parameters of a model with their values, units and titles. Those of template instances (names with a dot, such as left.k) are
 * omitted, as there are too many. */
static void list_parameters(const cmb_model *m)
{
  cmb_item p;
  for (int i = 0; cmb_model_item(m, CMB_ITEM_PARAMETER, i, &p); i++) {
    enum { LONG = 10 }; /* longer values, such as 120° in rad with its 17 digits, are rounded */
    char value[CMB_NUMBER_ROOM];
    if (strchr(p.name, '.')) continue;
    cmb_format_shortest(p.value, value);
    if (strlen(value) > LONG) snprintf(value, sizeof value, "%.6g", p.value);
    printf("                --set %s=%s", p.name, value);
    if (p.unit[0]) printf(" %s", p.unit);
    if (p.title[0]) printf("  %s", p.title);
    putchar('\n');
  }
}

/* Prints a warning if no bundled files were found (`count` is 0), which happens if the program was copied without them. */
static void warn_if_none(int count)
{
  if (count > 0) return;
  cli_warn(NULL, CMB_LOG_WARNING, CLI_NO_BUNDLED);
}

/* Prints the bundled model files, each with its title, its parameters and, if there is one, the name of the bundled problem written in C
 * that describes the same mechanism. */
static void list_model_files(cmb_context *ctx)
{
  char *names[CLI_MOST_MODELS];
  int count = cli_bundled_models(names);
  warn_if_none(count);
  for (int i = 0; i < count; i++) {
    struct cli_arguments a = {.operand = names[i], .command = &cli_commands[0]};
    if (cli_read_model(ctx, &a) == CLI_DONE && a.model) {
      const cmb_problem *twin = twin_of(names[i]);
      list_title(names[i], cmb_model_title(a.model));
      if (twin) list_twin(cmb_problem_name(twin), "written as bodies and joints");
      list_parameters(a.model);
    }
    cmb_model_destroy(a.model);
    cli_release(&a);
    free(names[i]);
  }
}

/* Prints the bundled model files and the problems written in C, each with its title and its parameters. */
static void list_models(cmb_context *ctx)
{
  fputs("Model files, which can be copied and changed:\n\n", stdout);
  list_model_files(ctx);
  fputs("\nProblems written in C, for tests and comparisons of methods:\n\n", stdout);
  for (int i = 0; i < cmb_problem_count(); i++) {
    const cmb_problem *p = cmb_problem_at(i);
    int count;
    const cmb_parameter *table = cmb_problem_parameters(p, &count);
    list_title(cmb_problem_name(p), cmb_problem_title(p));
    if (cmb_problem_twin(p)) list_twin(cmb_problem_twin(p), "its equations written by hand");
    for (int k = 0; k < count; k++) {
      printf("                --set %s=%-8g %-7s %s\n", table[k].name, table[k].value,
             table[k].unit, table[k].meaning);
    }
  }
}

/* Prints the templates (reusable subassemblies such as a brake) that each bundled library file parts/NAME defines, with their titles.
 * */
static void list_parts(cmb_context *ctx)
{
  char *names[CLI_MOST_MODELS];
  int count = cli_bundled_parts(names);
  warn_if_none(count);
  fputs("Templates that a model can use after `include: parts/NAME` (docs/parts.md):\n\n", stdout);
  for (int i = 0; i < count; i++) {
    cmb_model *part = NULL;
    cmb_item item;
    const cmb_status status = cli_read_part(ctx, names[i], &part);
    if (status != CMB_OK) cli_fail(ctx, status);
    for (int k = 0; cmb_model_item(part, CMB_ITEM_TEMPLATE, k, &item); k++) {
      char file[64];
      snprintf(file, sizeof file, "parts/%.40s", names[i]);
      printf("%-19s %-13s ", k == 0 ? file : "", item.name);
      cli_print_wrapped(stdout, PART_COLUMNS, PART_COLUMNS, item.title);
    }
    cmb_model_destroy(part);
    free(names[i]);
  }
}

/* Prints what `camber list` can list: methods, models, parts and benchmarks. */
static void list_operands(void)
{
  fputs("camber list methods   integration methods and their options\n"
        "camber list models    bundled models and their parameters\n"
        "camber list parts     templates that models can include\n"
        "camber list benches   tables and figures of papers that 'camber bench' reproduces\n",
        stdout);
}

int cli_list(cmb_context *ctx, const struct cli_arguments *a)
{
  if (!a->operand) {
    list_operands();
  } else if (strcmp(a->operand, "methods") == 0) {
    list_methods();
  } else if (strcmp(a->operand, "models") == 0) {
    list_models(ctx);
  } else if (strcmp(a->operand, "parts") == 0) {
    list_parts(ctx);
  } else if (strcmp(a->operand, "benches") == 0) {
    cli_list_benches();
  } else {
    return cli_complain("cannot list '%s'; expected methods, models, parts or benches", a->operand);
  }
  return CLI_DONE;
}
