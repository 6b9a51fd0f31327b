/*
 * The programs `camber` and `camber-bench`: what their files share.
 *
 * Commands and options each stand in one table (commands.c, options.c); parsing, --help, the man page and the shell
 * completions are all made from them. Exit codes: 0 done, 1 the simulation could not go on, 2 bad input.
 */
#ifndef CMB_CLI_CLI_H
#define CMB_CLI_CLI_H

#include <camber/camber.h>
#include <stdbool.h>
#include <stdio.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_BAD_INPUT = 2 };
enum { CLI_MOST_SETTINGS = 64, CLI_MOST_MODELS = 256, CLI_MOST_OPTIONS = 96 };

/* What the command line said. */
enum { CLI_MOST_RESULTS = 8 }; /* curves of more could not be told apart */

struct cli_arguments {
  const struct cli_command *command;
  int word_count; /* what follows the command on the line */
  char **words;
  const char *kind;                     /* the word before the operand, if the command has one */
  const char *operand;                  /* MODEL, NAME ... ; NULL if none was given */
  const char *result[CLI_MOST_RESULTS]; /* where it is RESULT...: all of them */
  const char *x, *y, *log;              /* of a plot of results */
  const char *model_of_results;         /* that results are of; NULL: they say it themselves */
  const char *method;
  double rtol, atol, t_end, step, max_step, every; /* NaN: not given */
  bool residuals;                                  /* records have |g| and |Gv| */
  bool no_motion;                                  /* of results the plots alone */
  double at;                                       /* NaN: not given */
  double max_steps, repeat;
  const char *out, *plot, *plot_outputs, *html, *folder, *csv, *video;
  int width, height;                                   /* of pictures of a page, in pixels */
  double speed;                                        /* of a film; NaN: not given */
  const char *inputs, *outputs, *bode, *step_response; /* of a linearisation; NULL: not given */
  const char *save, *resume;                           /* files of states; NULL: not given */
  double save_at;                                      /* NaN: at the end */
  bool json, quiet, verbose, states, help, equilibrium, realtime, pattern;
  bool inner; /* a part of another command, which does the printing */
  bool include_anywhere;
  cmb_formulation formulation;
  cmb_evaluation evaluation;
  bool given[CLI_MOST_OPTIONS];                        /* cli_options[k] was on the command line */
  const cmb_model_default *of_model[CLI_MOST_OPTIONS]; /* the key that stands for it; NULL: none */
  cmb_model *model; /* what MODEL names; NULL: a problem written in C */
  int set_count, start_count, option_count, result_count;
  cmb_setting set[CLI_MOST_SETTINGS];
  cmb_setting start[CLI_MOST_SETTINGS];
  cmb_option_setting option[CLI_MOST_SETTINGS];
  int steady_count, free_count, trim_count; /* of a steady motion */
  cmb_setting steady[CLI_MOST_SETTINGS];
  const char *vary; /* what goes from vary_from to vary_to in vary_count steps; NULL: nothing */
  double vary_from, vary_to, vary_count;
  const char *free[CLI_MOST_SETTINGS], *trim[CLI_MOST_SETTINGS];
  bool live_all;
  int live_count;
  const char *live[CLI_MOST_SETTINGS]; /* names of parameters that stay live */
  int drive_count, load_count, wheel_count;
  struct cli_range {
    const char *name;
    double from, to;
    int points; /* 0: it stays where it is */
  } drive[CLI_MOST_SETTINGS], load[CLI_MOST_SETTINGS];
  const char *wheel[CLI_MOST_SETTINGS]; /* markers on wheel carriers */
  double radius;                        /* of wheels; NaN: not given */
  char *owned[9 *
              CLI_MOST_SETTINGS]; /* copies of the names before '=', and of those between commas */
  int owned_count;
};

struct cli_command {
  const char *name;
  const char *
      operand; /* "MODEL", "[WHAT]" that may be left out, or "c MODEL" with a word before; NULL: none */
  const char *operands_known; /* words the operand can take, for completion; NULL: models */
  const char *summary;
  const char *description; /* a paragraph for the manual */
  int (*run)(cmb_context *ctx, const struct cli_arguments *arguments);
  bool derivatives; /* it needs those of a model's equations */
};

struct cli_option {
  const char *name;     /* without the dashes */
  char letter;          /* "-o" for short; 0: none */
  const char *argument; /* "R"; NULL: a switch */
  const char
      *commands; /* " run check ": which commands take it; others may have one of this name */
  const char *meaning;
  /* take the value, of a switch NULL, "true" or "false"; false: not acceptable */
  bool (*take)(struct cli_arguments *arguments, const char *value);
  const char *expected; /* what was expected, for the error message */
  const char *words;    /* "a b c": all the values there are, for completion; NULL: others */
};

extern const struct cli_command cli_commands[];
extern const int cli_command_count;
extern const struct cli_option cli_options[];
extern const int cli_option_count;

/* Parse a command line, and what follows a command. Returns CLI_DONE or CLI_BAD_INPUT, with a message on standard error; then
 * `json` says whether an object is wanted, too. */
int cli_parse(int argc, char **argv, struct cli_arguments *arguments);
int cli_parse_words(const struct cli_command *command, int argc, char **argv,
                    struct cli_arguments *arguments);
void cli_release(struct cli_arguments *arguments);

/* program.c: carry out what was parsed, or report that it could not be; releases the arguments and returns the exit code of the
 * program. */
int cli_carry_out(struct cli_arguments *arguments, int parsed);

/* What was printed must have arrived: a full disk behind standard output is an error. Returns the exit code. */
int cli_finish(int code);

/* failure.c: what was said on standard error is kept, for --json. */

/* "camber: message" on standard error; returns CLI_BAD_INPUT. */
int cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with what is known of it: the message is the place, if there is one, `lead` and the words. */
int cli_complain_at(const cmb_error *about, const char *lead, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a failure of the library, whose words the context has; returns the exit code of the status. */
int cli_fail(const cmb_context *ctx, cmb_status status);

/* Keep such a message without saying it; and say it. */
void cli_keep_complaint(const cmb_error *about, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_keep_failure(const cmb_context *ctx, cmb_status status);
int cli_say_kept(void); /* returns CLI_BAD_INPUT */

/* The exit code of a status. */
int cli_exit_code(cmb_status status);

/* A cmb_log_function: warnings go to standard error. */
void cli_warn(void *arguments_or_null, cmb_log_level level, const char *message);

/* What was complained of last. */
const char *cli_last_complaint(void);

/* An object with what all commands report of a failure (status, message, error, warnings) and with the names and start values of the
 * system, which may be NULL; nothing without --json, or if an object was printed already. */
void cli_json_failure(const struct cli_arguments *arguments, const cmb_system *system);

/* All warnings until now, each with the end of a line, to be freed; NULL: no memory. */
char *cli_warnings_text(void);

void cli_failure_end(void); /* releases what was kept */

/* Whether the command works on a model. */
bool cli_on_model(const struct cli_command *command);

/* Whether the command line has --NAME. */
bool cli_given(const struct cli_arguments *arguments, const char *name);

/* Whether a file's name has this ending, and more before it. */
bool cli_ends_in(const char *text, const char *ending);

bool cli_takes(const struct cli_command *command, const struct cli_option *option);

/* The option of that name, as the command takes it; if it takes none, as another one does; -1: there is none. */
int cli_find_option(const struct cli_command *command, const char *name);

/* Keys of `simulate` of a model file are options of `camber run`, but for those that belong to one run, and these, which say what other
 * commands look at. */
#define CLI_OTHER_KEYS "inputs", "outputs", "wheel", "radius"

/* The option of that name, as a key; -1: there is none. Whether a model may set it: a switch of this kind can be undone, --no-NAME. */
int cli_find_key(const char *name);
bool cli_model_may_set(const struct cli_option *option);
bool cli_can_be_undone(const struct cli_option *option);

/* The commands. */
int cli_run(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_check(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_linearize(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_kinematics(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_export(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_plot(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_view(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_tyre(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_list(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_bench(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_manpage(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_completion(cmb_context *ctx, const struct cli_arguments *arguments);

void cli_list_benches(void);
void cli_complete_benches(void); /* their names, separated by blanks */
void cli_help(FILE *to);
void cli_command_help(FILE *to, const struct cli_command *command);

/* "-o, --folder DIR"; label and meaning of --no-NAME. */
void cli_option_label(const struct cli_option *option, size_t room, char *label);
void cli_undo_texts(const struct cli_option *option, size_t room, char *label, char *meaning);

/* Text in lines of at most 80 columns: the first begins where `used` columns are filled, the others are indented. */
void cli_print_wrapped(FILE *to, int used, int indent, const char *text);

/* Reads the model that MODEL names, if it is not a problem written in C, into arguments->model; what it says under
 * `simulate` is taken where the command line says nothing, and what --realtime leaves open is chosen. Complains and returns an
 * exit code. */
int cli_read_model(cmb_context *ctx, struct cli_arguments *arguments);

/* simulate.c: takes what the model says. Complains and returns an exit code. */
int cli_take_keys(cmb_context *ctx, struct cli_arguments *arguments);

/* Complains of two options, "--one WORDS --other", at the place of one in the model's file that stands there: "'one' WORDS --other". Returns
 * CLI_BAD_INPUT. */
int cli_complain_pair(const struct cli_arguments *arguments, const char *one, const char *words,
                      const char *other);

/* The file that MODEL names, and how it is read. */
struct cli_model_source {
  char path[4096], library[4096];
  const char *names[CLI_MOST_SETTINGS];
  double values[CLI_MOST_SETTINGS];
  cmb_model_options options;
  bool bundled; /* MODEL is the name of a bundled model */
};
bool cli_find_model(const struct cli_arguments *arguments, struct cli_model_source *source);

/* What pictures and pages of MODEL are called: the title that it has, else its name. */
const char *cli_title(const struct cli_arguments *arguments);

/* The system of a model that differs from the one on the command line in its outputs alone. Of a failure the context has the words. */
cmb_status cli_create_witness(cmb_context *ctx, const struct cli_arguments *arguments,
                              const cmb_model *model, cmb_system **system);

/* Whether the constraints of a model file cannot be met at the start: the loop that cannot close is complained of at
 * its place in the file. */
bool cli_complain_loop(cmb_context *ctx, const struct cli_arguments *arguments, cmb_status status);

/* Complains of what came of a system: of a loop at its place, else in the library's words. Returns the exit code; 0 of CMB_OK. */
int cli_complain_of(cmb_context *ctx, const struct cli_arguments *arguments, cmb_status status);

/* The folder that the program lies in, without a slash at its end; false if it cannot be told. */
enum { CLI_PATH_ROOM = 4096 };
bool cli_program_folder(char path[CLI_PATH_ROOM]);

/* What is said where there are none, of a program that was copied without its files. */
#define CLI_NO_BUNDLED                                                                             \
  "no bundled files are found beside the program; CAMBER_MODELS can name the folder that they "    \
  "are in"

/* Names of the bundled model files, sorted, to be freed; how many. */
int cli_bundled_models(char *names[CLI_MOST_MODELS]);

/* The same of the files of parts, which models can include; and one of them. */
int cli_bundled_parts(char *names[CLI_MOST_MODELS]);
cmb_status cli_read_part(cmb_context *ctx, const char *name, cmb_model **part);

/* The system that MODEL names, with --set, --start, --equilibrium and --steady applied. Complains and returns an exit code. */
int cli_open_system(cmb_context *ctx, const struct cli_arguments *arguments, cmb_system **system);

/* Of a component of a mode's shape: the coordinates', then the states'. */
const char *cli_component_name(const cmb_equations *eq, int i);

/* Whether the start is to be a steady motion. */
bool cli_steady_wanted(const struct cli_arguments *arguments);

struct cli_json;

/* What --trim has found, by its names. */
void cli_trim_json(const struct cli_arguments *arguments, const cmb_equations *eq,
                   struct cli_json *j);

/* The options of a run as the command line says. Complains and returns an exit code. */
int cli_run_options(const struct cli_arguments *arguments, cmb_run_options *options);

double cli_seconds(void);            /* a monotonic clock */
double cli_median(int n, double *x); /* sorts x */

/* A progress bar on standard error; drawn only on a terminal, after half a second. */
struct cli_progress {
  bool on, drawn;
  double begun, last;
};
void cli_progress_begin(struct cli_progress *p, bool quiet);
void cli_progress_show(struct cli_progress *p, double fraction, double t);
void cli_progress_end(struct cli_progress *p);

/* Events and singular positions of a run that are kept for its report, the first so many: a run takes no more memory the longer it
 * is. All are counted. */
enum { CLI_MOST_KEPT = 10000 };

/* Ctrl-C, SIGTERM and SIGHUP ask a run to stop; it then ends with everything kept. */
void cli_catch_interrupt(void);
bool cli_interrupted(void);

/* JSON, with commas and indentation taken care of by the writer. */
struct cli_json {
  FILE *to;
  int depth;
  bool first;
  bool in_page; /* it stands in an HTML page */
};
/* The object of a command: its first keys (camber, model; method unless it is NULL; status, and message and error of a failure, which
 * are those of the last complaint), and its last, the warnings. */
void cli_json_begin(struct cli_json *j, const char *model, const char *method, cmb_status status);
void cli_json_end(struct cli_json *j);

/* The same keys inside of an object that was begun. */
void cli_json_head(struct cli_json *j, const char *model, const char *method, cmb_status status);
void cli_json_warnings(struct cli_json *j);

void cli_json_open(struct cli_json *j, const char *key, char bracket);
void cli_json_close(struct cli_json *j, char bracket);
void cli_json_text(struct cli_json *j, const char *key, const char *text); /* NULL: null */
void cli_json_number(struct cli_json *j, const char *key, double x);
void cli_json_integer(struct cli_json *j, const char *key, long x);
void cli_json_count(struct cli_json *j, const char *key, int x); /* from 1; 0: null */
void cli_json_bool(struct cli_json *j, const char *key, bool x);
void cli_json_numbers(struct cli_json *j, const char *key, int n, const double *x);
void cli_json_texts(struct cli_json *j, const char *key, int n, const char *const *text);
void cli_json_bytes(struct cli_json *j, const char *key, const void *bytes,
                    size_t length); /* base64 */
void cli_json_velocities(struct cli_json *j, const cmb_equations *eq, const double *v);
void cli_json_velocity_names(struct cli_json *j, const cmb_equations *eq);

/* contents.c: what the model has; nothing of a problem written in C (NULL). */
void cli_json_contents(struct cli_json *j, const cmb_model *model);

#endif
