/*
 * Prints the text of `camber COMMAND --help` from the table of options in options.c.
 */
#include "cli/cli.h"

#include <string.h>

void cli_option_label(const struct cli_option *o, size_t room, char *label)
{
  const char letter[5] = {'-', o->letter, ',', ' ', '\0'};
  snprintf(label, room, "%s--%s%s%s", o->letter ? letter : "", o->name, o->argument ? " " : "",
           o->argument ? o->argument : "");
}

enum { COLUMNS = 80, LABEL = 22 };

/* Prints `text` in lines of at most 80 columns (more if a word needs them), broken at blanks. In the first line `used` columns are already
 * filled; the other lines are indented by `indent` columns. */
void cli_print_wrapped(FILE *to, int used, int indent, const char *text)
{
  bool first = true;
  while (*text) {
    const int length = (int)strcspn(text, " ");
    if (!first && used + 1 + length > COLUMNS) {
      fprintf(to, "\n%*s", indent, "");
      used = indent;
    } else if (!first) {
      fputc(' ', to);
      used++;
    }
    fprintf(to, "%.*s", length, text);
    used += length;
    first = false;
    text += length;
    text += strspn(text, " ");
  }
  fputc('\n', to);
}

/* Prints an option for the help text: its label in the left column and its meaning to the right, wrapped at 80 columns. */
static void print_option(FILE *to, const char *label, const char *meaning)
{
  fprintf(to, "  %-*s ", LABEL, label);
  cli_print_wrapped(to, LABEL + 3, LABEL + 3, meaning);
}

void cli_undo_texts(const struct cli_option *o, size_t room, char *label, char *meaning)
{
  snprintf(label, room, "--no-%s", o->name);
  snprintf(meaning, room, "switched off, even if the model file says '%s: true'", o->name);
}

/* Prints all options that the command accepts, for its help text; each switch that can be undone is followed by its negation --no-NAME. */
static void print_options(FILE *to, const struct cli_command *command)
{
  char label[128], meaning[128];
  for (int i = 0; i < cli_option_count; i++) {
    const struct cli_option *o = &cli_options[i];
    if (!cli_takes(command, o)) continue;
    cli_option_label(o, sizeof label, label);
    print_option(to, label, o->meaning);
    if (!cli_can_be_undone(o)) continue;
    cli_undo_texts(o, sizeof label, label, meaning);
    print_option(to, label, meaning);
  }
}

void cli_command_help(FILE *to, const struct cli_command *command)
{
  fprintf(to, "usage: camber %s%s%s [OPTIONS]\n\n", command->name, command->operand ? " " : "",
          command->operand ? command->operand : "");
  cli_print_wrapped(to, 0, 0, command->description);
  fputc('\n', to);
  print_options(to, command);
}
