/*
 * Uses the entries in the section `simulate` of a model file as command-line options: options of `camber run`, and some of other commands
 * (cli.h, docs/model-format.md). Called when a model is read.
 *
 * Every key and its value are checked, whichever command reads the model. A command uses those that are options of it, unless the command
 * line specifies them. A file name is used only if the option is that of `camber run`, as another command would write something else there.
 */
#include "base/file.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/realtime.h"

#include <math.h>
#include <string.h>

/* Returns whether option k is set already, so that `value` from the model file is not used. Of --start and --option, which can be repeated as
 * NAME=VALUE, only a setting with the same NAME as in `value` counts. */
static bool is_given(const struct cli_arguments *a, int k, const char *value)
{
  const size_t length = strcspn(value, "=");
  const bool start = strcmp(cli_options[k].name, "start") == 0;
  const bool option = strcmp(cli_options[k].name, "option") == 0;
  bool found = false;
  if (!start && !option) return a->given[k];
  for (int i = 0; i < (start ? a->start_count : a->option_count); i++) {
    const char *name = start ? a->start[i].name : a->option[i].name;
    found = found || (strncmp(name, value, length) == 0 && !name[length]);
  }
  return found;
}

/* Returns an error record, without a text, with the position in the model file of the value of an entry of the section `simulate`. */
static cmb_error at_value(const cmb_model_default *d)
{
  return (cmb_error){.status = CMB_ERROR_INPUT,
                     .file = d->file,
                     .line = d->line,
                     .column = d->column,
                     .subject = "simulate",
                     .time = NAN};
}

/* Returns an error record without a text that refers to the place in the model file where an entry of the section `simulate` has its key. */
static cmb_error at_key(const cmb_model_default *d)
{
  cmb_error e = at_value(d);
  e.line = d->key_line;
  e.column = d->key_column;
  return e;
}

static const char lead[] = "simulate: "; /* the beginning of error messages */

/* Prints the error message for an unknown key in the section `simulate` of the model file, and suggests a similar option if there is one;
 * returns the exit code CLI_BAD_INPUT. */
static int complain_key(const cmb_model_default *d)
{
  const char *near = cmb_nearest_name(d->name, cli_options, cli_option_count, sizeof *cli_options);
  const cmb_error at = at_key(d);
  return near ? cli_complain_at(&at, lead, "unknown key '%s'; did you mean '%s'?", d->name, near)
              : cli_complain_at(&at, lead, "unknown key '%s'; expected an option of 'camber run'",
                                d->name);
}

/* ---- checks of keys and values */

/* Returns whether the value of an option is the name of a file. */
static bool is_file(const struct cli_option *option)
{
  return option->argument && strcmp(option->argument, "FILE") == 0;
}

/* Returns whether a path contains the parent folder `..` as a component. */
static bool goes_up(const char *path)
{
  for (const char *at = path; *at; at += strspn(at, "/")) {
    const size_t length = strcspn(at, "/");
    if (length == 2 && strncmp(at, "..", 2) == 0) return true;
    at += length;
  }
  return false;
}

/* Returns whether a path is relative, has no `..` in it, and leads to a file in or below the current folder, after symbolic links are
 * resolved (of its folder if the file does not exist yet). Returns true if not even the folder exists; opening the file fails later. */
static bool stays_here(const char *path)
{
  char here[CLI_PATH_ROOM], there[CLI_PATH_ROOM], folder[CLI_PATH_ROOM];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  if (path[0] == '/' || goes_up(path) || !cmb_whole_path(".", sizeof here, here)) return false;
  const bool found =
      cmb_whole_path(path, sizeof there, there) || cmb_whole_path(folder, sizeof there, there);
  const size_t length = strcmp(here, "/") == 0 ? 0 : strlen(here);
  return !found || (strncmp(there, here, length) == 0 && (there[length] == '/' || !there[length]));
}

/* Returns whether an option accepts the value by itself, regardless of the values set so far. */
static bool is_acceptable(const struct cli_option *option, const char *value)
{
  struct cli_arguments alone = {.command = NULL};
  const bool good = option->take(&alone, value);
  cli_release(&alone);
  return good;
}

/* Checks that an option accepts the value that the model file gives it, and that a file name lies in or below the current folder, unless
 * --include-anywhere is given. Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int check_value(const struct cli_arguments *a, const struct cli_option *option,
                       const cmb_model_default *d)
{
  const cmb_error at = at_value(d);
  if (!option->argument && strcmp(d->value, "false") != 0 && strcmp(d->value, "true") != 0) {
    return cli_complain_at(&at, lead, "%s is '%s'; expected true or false", d->name, d->value);
  }
  if (!is_acceptable(option, d->value)) {
    return cli_complain_at(&at, lead, "%s is '%s'; expected %s", d->name, d->value,
                           option->expected);
  }
  if (!is_file(option) || a->include_anywhere || stays_here(d->value)) return CLI_DONE;
  return cli_complain_at(&at, lead,
                         "%s is '%s'; expected a relative name in the folder that the command runs "
                         "in or below it, or --include-anywhere on the command line",
                         d->name, d->value);
}

/* ---- taking the values */

/* Returns whether an option on the command line overrides the key `key` in the section `simulate` of the model file: --steady, --free, --trim
 * or --vary overrides equilibrium, --vary also inputs and outputs, and --equilibrium overrides steady, free and trim. */
static bool is_replaced(const struct cli_arguments *a, const char *key)
{
  static const struct {
    const char *key, *option;
  } rows[] = {{"equilibrium", "steady"}, {"equilibrium", "free"}, {"equilibrium", "trim"},
              {"equilibrium", "vary"},   {"inputs", "vary"},      {"outputs", "vary"}};
  static const char *const motion[] = {"steady", "free", "trim"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (strcmp(key, rows[i].key) == 0 && cli_given(a, rows[i].option)) return true;
  }
  return cli_given(a, "equilibrium") && a->equilibrium && /* not with --no-equilibrium */
         cmb_find_name(key, motion, 3, sizeof *motion) >= 0;
}

/* Prints a warning if the command is `camber export` and the key `name` in the model file is `steady`: runs of the model start from a
 * steady motion, but exported code starts from the model's start values. */
static void warn_of_steady(const struct cli_arguments *a, const char *name)
{
  if (strcmp(a->command->name, "export") != 0 || strcmp(name, "steady") != 0) return;
  cli_warn(NULL, CMB_LOG_WARNING,
           "the model's run starts from a steady motion (simulate: steady); exported code "
           "starts from the model's start values");
}

/* Checks an entry in the section `simulate` of the model file, and stores its value as an option if the command has this option and the
 * command line gives neither this option nor one that overrides the entry; a file name only for an option of `camber run`. Returns CLI_DONE,
 * or CLI_BAD_INPUT after an error message if the key or value is invalid. */
static int take_key(struct cli_arguments *a, const cmb_model_default *d)
{
  const int key = cli_find_key(d->name), k = cli_find_option(a->command, d->name);
  if (key < 0) return complain_key(d);
  if (!cli_model_may_set(&cli_options[key])) {
    const cmb_error at = at_key(d);
    return cli_complain_at(&at, lead, "'%s' belongs on the command line; a model cannot set it",
                           d->name);
  }
  const int code = check_value(a, &cli_options[key], d);
  if (code != CLI_DONE) return code;
  const struct cli_option *option = &cli_options[k];
  const bool taken = cli_takes(a->command, option);
  if (!taken) warn_of_steady(a, d->name);
  if (!taken || (is_file(option) && key != k) || is_given(a, k, d->value) ||
      is_replaced(a, d->name)) {
    return CLI_DONE;
  }
  a->of_model[k] = d;
  if (option->take(a, d->value)) return CLI_DONE;
  const cmb_error at = at_value(d);
  return cli_complain_at(&at, lead, "%s is '%s'; expected %s", d->name, d->value, option->expected);
}

/* Checks that the integration method named in the model file exists. Returns CLI_DONE, or CLI_BAD_INPUT after an error message with similar or
 * existing names. */
static int check_method(const cmb_model_default *d)
{
  enum { MOST_NAMES = 64 };
  const char *names[MOST_NAMES];
  const int count = cmb_method_count() < MOST_NAMES ? cmb_method_count() : MOST_NAMES;
  if (cmb_method_find(d->value)) return CLI_DONE;
  for (int i = 0; i < count; i++) names[i] = cmb_method_name(cmb_method_at(i));
  char hint[CMB_HINT_ROOM];
  const cmb_error at = at_value(d);
  return cli_complain_at(&at, lead, "unknown method '%s'; %s", d->value,
                         cmb_hint_of_names(d->value, names, count, sizeof *names, hint));
}

/* Returns the integration method of the run: that named on the command line, otherwise that in the model file, otherwise the default. Returns
 * NULL if there is no method of this name. */
static const cmb_method *method_of_run(const struct cli_arguments *a)
{
  int count;
  const cmb_model_default *all = cmb_model_defaults(a->model, &count);
  const char *name = a->method;
  for (int i = 0; i < count && !name; i++) {
    if (strcmp(all[i].name, "method") == 0) name = all[i].value;
  }
  return name ? cmb_method_find(name) : cmb_run_defaults().method;
}

/* Checks that the integration method of the run has the option that the model file sets, with a valid value. Returns CLI_DONE, or CLI_BAD_INPUT
 * after an error message. An unknown method or a value without '=' is not reported here. */
static int check_option(cmb_context *ctx, const struct cli_arguments *a, const cmb_model_default *d)
{
  enum { NAME_ROOM = 256 };
  char name[NAME_ROOM];
  const cmb_method *m = method_of_run(a);
  const char *equals = strchr(d->value, '=');
  if (!m || !equals) return CLI_DONE; /* reported elsewhere */
  snprintf(name, sizeof name, "%.*s", (int)(equals - d->value), d->value);
  const cmb_option_setting setting = {name, equals + 1};
  if (cmb_method_check_option(ctx, m, &setting) == CMB_OK) return CLI_DONE;
  const cmb_error at = at_value(d);
  return cli_complain_at(&at, lead, "%s", cmb_error_of(ctx)->text);
}

/* Checks an entry in the section `simulate` of the model file that names an integration method or an option of one. Returns CLI_DONE, or
 * CLI_BAD_INPUT after an error message if there is no such method or option. */
static int check_default(cmb_context *ctx, const struct cli_arguments *a,
                         const cmb_model_default *d)
{
  if (strcmp(d->name, "method") == 0) return check_method(d);
  return strcmp(d->name, "option") == 0 ? check_option(ctx, a, d) : CLI_DONE;
}

int cli_take_keys(cmb_context *ctx, struct cli_arguments *a)
{
  int count, code = CLI_DONE;
  const cmb_model_default *d = cmb_model_defaults(a->model, &count);
  for (int i = 0; i < count && code == CLI_DONE; i++) code = take_key(a, &d[i]);
  if (code == CLI_DONE) code = cli_realtime_choose(a);
  for (int i = 0; i < count && code == CLI_DONE; i++) code = check_default(ctx, a, &d[i]);
  return code;
}

/* ---- two options that contradict each other */

/* Prints the error message that the options `one` and `other` contradict each other; `words` stands between their names, e.g. "cannot be used
 * with". If the model file sets one of them, the message begins with its position there. Returns the exit code CLI_BAD_INPUT. */
int cli_complain_pair(const struct cli_arguments *a, const char *one, const char *words,
                      const char *other)
{
  const cmb_model_default *first = a->of_model[cli_find_option(a->command, one)];
  const cmb_model_default *second = a->of_model[cli_find_option(a->command, other)];
  const cmb_error at = first    ? at_key(first)
                       : second ? at_key(second)
                                : (cmb_error){.status = CMB_ERROR_INPUT, .time = NAN};
  return cli_complain_at(&at, first || second ? lead : "", "%s%s%s %s %s%s%s", first ? "'" : "--",
                         one, first ? "'" : "", words, second ? "'" : "--", other,
                         second ? "'" : "");
}
