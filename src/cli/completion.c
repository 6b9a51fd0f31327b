/*
 * The command `camber completion`: prints scripts that complete commands, options and their values in bash, zsh and fish, made from the
 * tables in options.c and those of methods, models and benchmarks.
 */
#include "base/text.h"
#include "cli/cli.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of words, separated by blanks */

/* Prints the names of all commands of the program, separated by blanks, for a shell completion script. */
static void put_commands(void)
{
  for (int i = 0; i < cli_command_count; i++) printf("%s%s", i ? " " : "", cli_commands[i].name);
}

/* Prints all options that a command accepts, with their dashes and separated by blanks; for a switch that the command line can undo also
 * --no-NAME. */
static void put_options(const struct cli_command *command)
{
  const char *gap = "";
  for (int i = 0; i < cli_option_count; i++) {
    const struct cli_option *o = &cli_options[i];
    if (!cli_takes(command, o)) continue;
    printf("%s--%s", gap, o->name);
    gap = " ";
    if (cli_can_be_undone(o)) printf(" --no-%s", o->name);
  }
}

static void put_models(void)
{
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

/* Prints the words that can follow a command on the command line, separated by blanks: the fixed word of commands that need one (`c` of `export
 * c MODEL`), and the known values of the operand, e.g. the names of all models. Prints nothing for a command without operand. */
static void put_operands(const struct cli_command *c)
{
  if (!c->operand) return;
  const char *blank = strchr(c->operand, ' ');
  if (blank && islower((unsigned char)c->operand[0]))
    printf("%.*s ", (int)(blank - c->operand), c->operand);
  if (c->run == cli_bench) {
    cli_complete_benches();
  } else if (c->operands_known) {
    fputs(c->operands_known, stdout);
  } else {
    put_models();
  }
}

static void put_methods(void)
{
  for (int i = 0; i < cmb_method_count(); i++) {
    printf("%s%s", i ? " " : "", cmb_method_name(cmb_method_at(i)));
  }
}

/* ---- options of integration methods */

enum { MOST_NAMES = 64 };

/* Collects the names of the options of all integration methods (--option NAME=VALUE) in names[], each once; returns their number. */
static int option_names(const char *names[MOST_NAMES])
{
  int found = 0, count;
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_option *o = cmb_method_options(cmb_method_at(i), &count);
    for (int k = 0; k < count && found < MOST_NAMES; k++) {
      if (cmb_find_name(o[k].name, names, found, sizeof *names) < 0) names[found++] = o[k].name;
    }
  }
  return found;
}

/* Returns whether `word`, given by its `length` characters without a terminating 0, is among words[count], whose lengths are in
 * lengths[count]. */
static bool has_word(const char *const *words, const size_t *lengths, int count, const char *word,
                     size_t length)
{
  for (int i = 0; i < count; i++) {
    if (lengths[i] == length && strncmp(words[i], word, length) == 0) return true;
  }
  return false;
}

/* Prints the possible values of the option `name` of the integration methods, separated by blanks, each once and preceded by the text
 * `before_each`. Placeholders such as NUMBER are left out. */
static void put_values(const char *name, const char *before_each)
{
  const char *words[MOST_NAMES];
  size_t lengths[MOST_NAMES];
  int found = 0, count;
  for (int i = 0; i < cmb_method_count(); i++) {
    const cmb_option *o = cmb_method_options(cmb_method_at(i), &count);
    const int k = cmb_find_name(name, o, count, sizeof *o);
    for (const char *at = k < 0 ? "" : o[k].values; *at && found < MOST_NAMES;) {
      const size_t length = strcspn(at, "|");
      if (!isupper((unsigned char)*at) && !has_word(words, lengths, found, at, length)) {
        printf("%s%s%.*s", found ? " " : "", before_each, (int)length, at);
        words[found] = at;
        lengths[found++] = length;
      }
      at += length + (at[length] == '|');
    }
  }
}

/* Prints the possible settings of those options of the integration methods whose values are words, separated by blanks: "projection=none
 * projection=every ...". */
static void put_settings(void)
{
  const char *names[MOST_NAMES];
  const int count = option_names(names);
  for (int i = 0; i < count; i++) {
    char before[64];
    snprintf(before, sizeof before, "%s=", names[i]);
    if (i) fputc(' ', stdout);
    put_values(names[i], before);
  }
}

/* ---- the arguments of options */

enum argument_kind { NOTHING, ANYTHING, WORDS, METHODS, SETTINGS, FILES, FOLDERS };

/* Returns what kind of argument an option of the command line takes, e.g. a file or the name of a method; NOTHING if it is a switch. */
static enum argument_kind argument_kind_of(const struct cli_option *o)
{
  if (!o->argument) return NOTHING;
  if (o->words) return WORDS;
  if (strcmp(o->name, "method") == 0) return METHODS;
  if (strcmp(o->name, "option") == 0) return SETTINGS;
  if (strcmp(o->argument, "FILE") == 0) return FILES;
  return strcmp(o->argument, "DIR") == 0 ? FOLDERS : ANYTHING;
}

/* Prints the possible arguments of an option, separated by blanks; nothing if they are not a known set of words (a file name, for example).
 * */
static void put_words(const struct cli_option *o)
{
  switch (argument_kind_of(o)) {
  case WORDS: fputs(o->words, stdout); break;
  case METHODS: put_methods(); break;
  case SETTINGS: put_settings(); break;
  default: break;
  }
}

/* Returns whether an option of the same name stands before `o` in the table of options (for another command). Both take the same arguments, so
 * completion code is printed only for the first. */
static bool is_repeated(const struct cli_option *o)
{
  return cmb_find_name(o->name, cli_options, cli_option_count, sizeof *cli_options) !=
         (int)(o - cli_options);
}

/* ---- bash, which splits words at '=', so that "--option NAME=VALUE" is four words */

/* Prints the beginning of a bash statement that offers a list of words for completion, up to the quote before the first word; `indent` is
 * printed before it. */
static void bash_offer(const char *indent)
{
  printf("%sCOMPREPLY=($(compgen -W \"", indent);
}

/* Prints the bash code that completes the argument NAME=VALUE of --option: first the name of an option of the integration methods, then its
 * value. */
static void bash_settings(void)
{
  const char *names[MOST_NAMES];
  const int count = option_names(names);
  fputs("    --option)\n      case $name in\n", stdout);
  for (int i = 0; i < count; i++) {
    printf("        %s)", names[i]);
    bash_offer(" ");
    put_values(names[i], "");
    fputs("\" -- \"$word\")) ;;\n", stdout);
  }
  fputs("        '') compopt -o nospace 2>/dev/null\n          COMPREPLY=($(compgen -S = -W \"",
        stdout);
  for (int i = 0; i < count; i++) printf("%s%s", i ? " " : "", names[i]);
  fputs("\" -- \"$word\")) ;;\n      esac\n      return ;;\n", stdout);
}

/* Prints the branch of a bash `case` statement that completes the argument of an option; nothing if the option takes none or if its name
 * has been handled before. */
static void bash_values(const struct cli_option *o)
{
  const enum argument_kind kind = argument_kind_of(o);
  if (is_repeated(o)) return;
  if (kind == SETTINGS) {
    bash_settings();
    return;
  }
  if (kind == NOTHING) return;
  printf("    --%s)", o->name);
  switch (kind) {
  case FILES: fputs(" COMPREPLY=($(compgen -f -- \"$word\"))", stdout); break;
  case FOLDERS: fputs(" COMPREPLY=($(compgen -d -- \"$word\"))", stdout); break;
  case ANYTHING: fputs(" COMPREPLY=()", stdout); break;
  default:
    bash_offer(" ");
    put_words(o);
    fputs("\" -- \"$word\"))", stdout);
  }
  fputs("; return ;;\n", stdout);
}

static void completion_bash(void)
{
  fputs("# bash completion for camber\n_camber()\n{\n"
        "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} name=\n"
        "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n",
        stdout);
  bash_offer("    ");
  put_commands();
  fputs("\" -- \"$word\"))\n    return\n  fi\n"
        "  if [ \"$word\" = = ]; then\n"
        "    word= name=$before before=${COMP_WORDS[COMP_CWORD-2]}\n"
        "  elif [ \"$before\" = = ]; then\n"
        "    name=${COMP_WORDS[COMP_CWORD-2]} before=${COMP_WORDS[COMP_CWORD-3]}\n"
        "  fi\n"
        "  case $name in --*) before=$name name= ;; esac\n"
        "  case $before in\n",
        stdout);
  for (int i = 0; i < cli_option_count; i++) bash_values(&cli_options[i]);
  fputs("  esac\n  case ${COMP_WORDS[1]} in\n", stdout);
  for (int i = 0; i < cli_command_count; i++) {
    printf("    %s)", cli_commands[i].name);
    bash_offer(" ");
    put_operands(&cli_commands[i]);
    fputc(' ', stdout);
    put_options(&cli_commands[i]);
    fputs("\" -- \"$word\")", stdout);
    if (cli_on_model(&cli_commands[i])) fputs(" $(compgen -f -X '!*.yaml' -- \"$word\")", stdout);
    fputs(") ;;\n", stdout);
  }
  fputs("  esac\n  return 0\n}\ncomplete -o default -F _camber camber\n", stdout);
}

/* ---- zsh */

/* Prints the branch of a zsh `case` statement that completes the argument of an option; nothing if the option takes none or if its name has
 * been handled before. */
static void zsh_values(const struct cli_option *o)
{
  const enum argument_kind kind = argument_kind_of(o);
  if (kind == NOTHING || is_repeated(o)) return;
  printf("    --%s) ", o->name);
  switch (kind) {
  case FILES: fputs("_files", stdout); break;
  case FOLDERS: fputs("_files -/", stdout); break;
  case ANYTHING: break;
  default: fputs("compadd -- ", stdout); put_words(o);
  }
  fputs("; return ;;\n", stdout);
}

static void completion_zsh(void)
{
  fputs("#compdef camber\n# zsh completion for camber\n_camber() {\n"
        "  if (( CURRENT == 2 )); then\n    compadd -- ",
        stdout);
  put_commands();
  fputs("\n    return\n  fi\n"
        "  local before=$words[CURRENT-1]\n"
        "  if [[ $PREFIX == --*=* ]]; then\n"
        "    before=${PREFIX%%=*}\n    compset -P '--[a-z-]##='\n  fi\n"
        "  case $before in\n",
        stdout);
  for (int i = 0; i < cli_option_count; i++) zsh_values(&cli_options[i]);
  fputs("  esac\n  case $words[2] in\n", stdout);
  for (int i = 0; i < cli_command_count; i++) {
    printf("    %s) compadd -- ", cli_commands[i].name);
    put_operands(&cli_commands[i]);
    fputc(' ', stdout);
    put_options(&cli_commands[i]);
    if (cli_on_model(&cli_commands[i])) fputs("; _files -g '*.yaml'", stdout);
    fputs(" ;;\n", stdout);
  }
  fputs("  esac\n}\nsetopt localoptions extendedglob\n_camber \"$@\"\n", stdout);
}

/* ---- fish */

/* Prints a text as a string of the fish shell in single quotes, with quotes and backslashes escaped. */
static void put_fish(const char *text)
{
  fputc('\'', stdout);
  for (; *text; text++) {
    if (*text == '\'' || *text == '\\') fputc('\\', stdout);
    fputc(*text, stdout);
  }
  fputc('\'', stdout);
}

/* Prints the arguments of fish's `complete` command that describe the argument of an option (files, folders, a list of words, ...); nothing
 * if the option is a switch. */
static void fish_values(const struct cli_option *o)
{
  switch (argument_kind_of(o)) {
  case NOTHING: break;
  case ANYTHING: fputs(" -x", stdout); break;
  case FILES: fputs(" -r -F", stdout); break;
  case FOLDERS: fputs(" -x -a '(__fish_complete_directories)'", stdout); break;
  default:
    fputs(" -x -a '", stdout);
    put_words(o);
    fputc('\'', stdout);
  }
}

/* Prints the fish command that completes the option --NAME of the command c, or the form --no-NAME if `undone` is set. */
static void fish_option(const struct cli_command *c, const struct cli_option *o, bool undone)
{
  printf("complete -c camber -n '__fish_seen_subcommand_from %s' -l %s%s", c->name,
         undone ? "no-" : "", o->name);
  if (o->letter) printf(" -s %c", o->letter);
  fish_values(o);
  fputs(" -d ", stdout);
  put_fish(undone ? "not so, whatever the model file says" : o->meaning);
  fputc('\n', stdout);
}

/* Prints the fish commands that complete the name of the command c, its operand and its options. */
static void fish_command(const struct cli_command *c)
{
  printf("complete -c camber -n __fish_use_subcommand -a %s -d ", c->name);
  put_fish(c->summary);
  fputc('\n', stdout);
  if (c->operand) {
    printf("complete -c camber -n '__fish_seen_subcommand_from %s' -a '", c->name);
    put_operands(c);
    fputs("'\n", stdout);
  }
  if (cli_on_model(c)) {
    printf("complete -c camber -n '__fish_seen_subcommand_from %s' -k -a "
           "'(__fish_complete_suffix .yaml)'\n",
           c->name);
  }
  for (int k = 0; k < cli_option_count; k++) {
    const struct cli_option *o = &cli_options[k];
    if (!cli_takes(c, o)) continue;
    fish_option(c, o, false);
    if (cli_can_be_undone(o)) fish_option(c, o, true);
  }
}

static void completion_fish(void)
{
  fputs("# fish completion for camber\ncomplete -c camber -f\n", stdout);
  for (int i = 0; i < cli_command_count; i++) fish_command(&cli_commands[i]);
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
