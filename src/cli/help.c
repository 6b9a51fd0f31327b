/*
 * --help, the man page and the shell completions, all from the tables in options.c.
 */
#include "cli/cli.h"

#include <stdlib.h>
#include <string.h>

static const char PURPOSE[] = "simulate constrained mechanical systems";

static void option_label(const struct cli_option *o, size_t room, char *label)
{
  const char letter[5] = {'-', o->letter, ',', ' ', '\0'};
  snprintf(label, room, "%s--%s%s%s", o->letter ? letter : "", o->name, o->argument ? " " : "",
           o->argument ? o->argument : "");
}

static void print_options(FILE *to, const struct cli_command *command)
{
  char label[64];
  for (int i = 0; i < cli_option_count; i++) {
    if (!cli_takes(command, &cli_options[i])) continue;
    option_label(&cli_options[i], sizeof label, label);
    fprintf(to, "  %-20s %s\n", label, cli_options[i].meaning);
  }
}

void cli_help(FILE *to)
{
  fprintf(to, "camber %s: %s\n\nusage: camber COMMAND [OPERAND] [OPTIONS]\n\n", cmb_version(),
          PURPOSE);
  for (int i = 0; i < cli_command_count; i++) {
    const struct cli_command *c = &cli_commands[i];
    fprintf(to, "  camber %-10s %-7s %s\n", c->name, c->operand ? c->operand : "", c->summary);
  }
  fputs("\n'camber COMMAND --help' shows a command's options; 'man camber' has it all.\n"
        "First steps:  camber run pendulum    camber list models    camber list methods\n",
        to);
}

void cli_command_help(FILE *to, const struct cli_command *command)
{
  fprintf(to, "usage: camber %s%s%s [OPTIONS]\n\n%s\n\n", command->name,
          command->operand ? " " : "", command->operand ? command->operand : "",
          command->description);
  print_options(to, command);
}

/* Text for troff: dashes that can be copied, no line that begins with a control character, alternatives a|b that can be
 * broken. */
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

static void put_definition(const char *label, const char *text)
{
  fputs(".TP\n.B ", stdout);
  put_troff(label);
  fputc('\n', stdout);
  put_troff(text);
  fputc('\n', stdout);
}

static void manpage_options(const struct cli_command *command)
{
  char label[64];
  for (int i = 0; i < cli_option_count; i++) {
    if (!cli_takes(command, &cli_options[i])) continue;
    option_label(&cli_options[i], sizeof label, label);
    put_definition(label, cli_options[i].meaning);
  }
}

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

static void put_words(const char *before, const char *between, const struct cli_command *command)
{
  const char *gap = before;
  for (int i = 0; i < cli_option_count; i++) {
    if (!cli_takes(command, &cli_options[i])) continue;
    printf("%s--%s", gap, cli_options[i].name);
    gap = between;
  }
}

static void put_operands(const struct cli_command *c)
{
  if (!c->operand) return;
  const char *blank = strchr(c->operand, ' ');
  if (blank) printf("%.*s ", (int)(blank - c->operand), c->operand);
  if (c->operands_known) {
    fputs(c->operands_known, stdout);
    return;
  }
  for (int i = 0; i < cmb_problem_count(); i++) {
    printf("%s%s", i ? " " : "", cmb_problem_name(cmb_problem_at(i)));
  }
  char *models[CLI_MOST_MODELS];
  int count = cli_bundled_models(models);
  for (int i = 0; i < count; i++) {
    printf(" %s", models[i]);
    free(models[i]);
  }
}

static void put_methods(void)
{
  for (int i = 0; i < cmb_method_count(); i++) {
    printf("%s%s", i ? " " : "", cmb_method_name(cmb_method_at(i)));
  }
}

static void put_commands(void)
{
  for (int i = 0; i < cli_command_count; i++) printf("%s%s", i ? " " : "", cli_commands[i].name);
}

static bool takes_file(const struct cli_option *o)
{
  return o->argument && strcmp(o->argument, "FILE") == 0;
}

/* "--out|--plot": the options that a file name follows. */
static void put_file_options(void)
{
  const char *gap = "";
  for (int i = 0; i < cli_option_count; i++) {
    if (!takes_file(&cli_options[i])) continue;
    printf("%s--%s", gap, cli_options[i].name);
    gap = "|";
  }
}

static void completion_bash(void)
{
  fputs("# bash completion for camber\n_camber()\n{\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W \"",
        stdout);
  put_commands();
  fputs("\" -- \"$word\"))\n    return\n  fi\n"
        "  case $before in\n    --method) COMPREPLY=($(compgen -W \"",
        stdout);
  put_methods();
  fputs("\" -- \"$word\")); return ;;\n    ", stdout);
  put_file_options();
  fputs(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n"
        "  esac\n  case ${COMP_WORDS[1]} in\n",
        stdout);
  for (int i = 0; i < cli_command_count; i++) {
    printf("    %s) COMPREPLY=($(compgen -W \"", cli_commands[i].name);
    put_operands(&cli_commands[i]);
    put_words(" ", " ", &cli_commands[i]);
    fputs("\" -- \"$word\")) ;;\n", stdout);
  }
  fputs("  esac\n}\ncomplete -o default -F _camber camber\n", stdout);
}

static void completion_zsh(void)
{
  fputs("#compdef camber\n# zsh completion for camber\n_camber() {\n"
        "  if (( CURRENT == 2 )); then\n    compadd -- ",
        stdout);
  put_commands();
  fputs("\n    return\n  fi\n  case $words[CURRENT-1] in\n    --method) compadd -- ", stdout);
  put_methods();
  fputs("; return ;;\n    ", stdout);
  put_file_options();
  fputs(") _files; return ;;\n  esac\n  case $words[2] in\n", stdout);
  for (int i = 0; i < cli_command_count; i++) {
    printf("    %s) compadd -- ", cli_commands[i].name);
    put_operands(&cli_commands[i]);
    put_words(" ", " ", &cli_commands[i]);
    fputs(" ;;\n", stdout);
  }
  fputs("  esac\n}\n_camber \"$@\"\n", stdout);
}

/* A text in single quotes for fish. */
static void put_fish(const char *text)
{
  fputc('\'', stdout);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', stdout);
    fputc(*text, stdout);
  }
  fputc('\'', stdout);
}

/* What follows an option: a method, a file, or something that cannot be guessed. */
static void put_fish_value(const struct cli_option *o)
{
  if (!o->argument) return;
  if (strcmp(o->name, "method") == 0) {
    fputs(" -x -a '", stdout);
    put_methods();
    fputc('\'', stdout);
  } else {
    fputs(takes_file(o) ? " -r -F" : " -x", stdout);
  }
}

static void completion_fish(void)
{
  fputs("# fish completion for camber\ncomplete -c camber -f\n", stdout);
  for (int i = 0; i < cli_command_count; i++) {
    const struct cli_command *c = &cli_commands[i];
    printf("complete -c camber -n __fish_use_subcommand -a %s -d ", c->name);
    put_fish(c->summary);
    fputc('\n', stdout);
    if (c->operand) {
      printf("complete -c camber -n '__fish_seen_subcommand_from %s' -a '", c->name);
      put_operands(c);
      fputs("'\n", stdout);
    }
    for (int k = 0; k < cli_option_count; k++) {
      const struct cli_option *o = &cli_options[k];
      if (!cli_takes(c, o)) continue;
      printf("complete -c camber -n '__fish_seen_subcommand_from %s' -l %s", c->name, o->name);
      put_fish_value(o);
      fputs(" -d ", stdout);
      put_fish(o->meaning);
      fputc('\n', stdout);
    }
  }
}

int cli_completion(cmb_context *ctx, const struct cli_arguments *a)
{
  (void)ctx;
  if (strcmp(a->operand, "bash") == 0) {
    completion_bash();
  } else if (strcmp(a->operand, "zsh") == 0) {
    completion_zsh();
  } else if (strcmp(a->operand, "fish") == 0) {
    completion_fish();
  } else {
    return cli_complain("no completion for '%s'; expected bash, zsh or fish", a->operand);
  }
  return CLI_DONE;
}
