/*
 * Prints the list of commands (`camber help`) and the man page (`camber manpage`), from the tables in commands.c and options.c.
 */
#include "cli/cli.h"

#include <string.h>

static const char PURPOSE[] = "simulate constrained mechanical systems";

void cli_help(FILE *to)
{
  fprintf(to, "camber %s: %s\n\nusage: camber COMMAND [OPERAND] [OPTIONS]\n\n", cmb_version(),
          PURPOSE);
  for (int i = 0; i < cli_command_count; i++) {
    const struct cli_command *c = &cli_commands[i];
    fprintf(to, "  camber %-10s %-8s %s\n", c->name, c->operand ? c->operand : "", c->summary);
  }
  fputs("\n'camber COMMAND --help' shows a command's options; 'man camber' has it all.\n"
        "First steps:  camber run pendulum    camber list models    camber list methods\n",
        to);
}

/* Prints a text for the man page with the characters escaped that troff treats specially: '-' becomes "\-" and '\' becomes "\e", and a '.'
 * or ' at the beginning is protected. A line may be broken after each '|' between alternatives. */
static void put_troff(const char *text)
{
  if (*text == '.' || *text == '\'') fputs("\\&", stdout);
  for (; *text; text++) {
    if (*text == '-') fputc('\\', stdout);
    if (*text == '\\') {
      fputs("\\e", stdout);
    } else {
      fputc(*text, stdout);
    }
    if (*text == '|') fputs("\\:", stdout);
  }
}

/* Prints one entry of a definition list of the man page in the troff language: the label in bold face, and its explanation below. */
static void put_definition(const char *label, const char *text)
{
  fputs(".TP\n.B ", stdout);
  put_troff(label);
  fputc('\n', stdout);
  put_troff(text);
  fputc('\n', stdout);
}

/* Prints the options of a command for its man page, in the troff language: label and meaning. A switch with a negated form --no-NAME is
 * followed by an entry for that form. */
static void manpage_options(const struct cli_command *command)
{
  char label[128], meaning[128];
  for (int i = 0; i < cli_option_count; i++) {
    const struct cli_option *o = &cli_options[i];
    if (!cli_takes(command, o)) continue;
    cli_option_label(o, sizeof label, label);
    put_definition(label, o->meaning);
    if (!cli_can_be_undone(o)) continue;
    cli_undo_texts(o, sizeof label, label, meaning);
    put_definition(label, meaning);
  }
}

/* Prints the section METHODS of the man page in the troff language: all integration methods with their options, and the values, meaning and
 * default of each. */
static void manpage_methods(void)
{
  fputs(".SH METHODS\n.ad l\n.nh\n", stdout);
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_method *m = cmb_method_at(i);
    int count;
    const cmb_option *o = cmb_method_options(m, &count);
    put_definition(cmb_method_name(m), cmb_method_title(m));
    for (int k = 0; k < count; k++) {
      fputs(".br\n", stdout);
      put_troff(o[k].name);
      fputc('=', stdout);
      put_troff(o[k].values);
      fputs(": ", stdout);
      put_troff(o[k].meaning);
      printf(" (default: %s)\n", o[k].fallback);
    }
  }
}

int cli_manpage(cmb_context *ctx, const struct cli_arguments *a)
{
  (void)ctx, (void)a;
  printf(".TH CAMBER 1 \"\" \"camber %s\" \"User Commands\"\n.SH NAME\ncamber \\- %s\n"
         ".SH SYNOPSIS\n.B camber\n.I COMMAND\n[\n.I OPERAND\n] [\n.I OPTIONS\n]\n.SH COMMANDS\n",
         cmb_version(), PURPOSE);
  for (int i = 0; i < cli_command_count; i++) {
    const struct cli_command *c = &cli_commands[i];
    printf(".SS camber %s%s%s\n", c->name, c->operand ? " " : "", c->operand ? c->operand : "");
    put_troff(c->description);
    fputc('\n', stdout);
    manpage_options(c);
  }
  manpage_methods();
  fputs(".SH EXIT STATUS\n", stdout);
  put_definition("0", "done");
  put_definition("1", "the simulation could not go on; what was computed up to there is kept");
  put_definition("2", "bad input: a file, an option or a model; nothing is written");
  fputs(".SH EXAMPLES\n.nf\n"
        "camber run pendulum \\-\\-out pendulum.csv \\-\\-every 0.01\n"
        "camber run caraxis \\-\\-method mdop853 \\-\\-rtol 1e\\-10 \\-\\-json\n"
        "camber check caraxis \\-\\-start xl=0.01\n.fi\n",
        stdout);
  return CLI_DONE;
}
