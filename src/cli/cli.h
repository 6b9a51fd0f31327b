/*
 * Declarations that the files of the programs `camber` and `camber-bench` share.
 *
 * Commands and options are defined in one table each (commands.c, options.c); parsing, --help, the man page and the shell completions are
 * all made from these tables. Exit codes: 0 done, 1 the simulation could not continue, 2 bad input.
 */
#ifndef CMB_CLI_CLI_H
#define CMB_CLI_CLI_H

#include <camber/camber.h>
#include <stdbool.h>
#include <stdio.h>

enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_BAD_INPUT = 2 };
enum { CLI_MOST_SETTINGS = 64, CLI_MOST_MODELS = 256, CLI_MOST_OPTIONS = 96 };

enum { CLI_MOST_RESULTS = 8 }; /* curves of more results could not be distinguished */

/* The values of the command line. */
struct cli_arguments {
  const struct cli_command *command;
  int word_count; /* the words after the command */
  char **words;
  /* the word before the operand, if the command requires one: a fixed one, or any where the table of commands has it in capitals */
  const char *kind;
  const char *operand;                  /* MODEL, NAME ... ; NULL if none was given */
  const char *result[CLI_MOST_RESULTS]; /* where the operand is RESULT...: all of them */
  const char *x, *y, *log;              /* for a plot of results */
  const char *model_of_results; /* the model of the results; NULL: the result files name it */
  const char *method;
  double rtol, atol, t_end, step, max_step, every; /* NaN: not given */
  bool residuals;                                  /* records contain |g| and |Gv| */
  bool no_motion;                                  /* show only the plots of results */
  double at;                                       /* NaN: not given */
  double max_steps, repeat;
  const char *out, *plot, *plot_outputs, *html, *folder, *csv, *video;
  int width, height; /* of pictures of a page, in pixels */
  double speed;      /* playback speed of a video; NaN: not given */
  const char *inputs, *outputs, *bode, *step_response; /* for a linearisation; NULL: not given */
  const char *save, *resume; /* files with saved states; NULL: not given */
  double save_at;            /* NaN: at the end */
  bool json, quiet, verbose, states, help, equilibrium, realtime, pattern;
  bool inner; /* runs as a part of another command, which does the printing */
  bool include_anywhere;
  bool mirror_rail; /* files of rails have y positive to the gauge side */
  cmb_formulation formulation;
  cmb_evaluation evaluation;
  bool given[CLI_MOST_OPTIONS]; /* cli_options[k] was on the command line */
  /* the model file's key that supplies option k; NULL: none */
  const cmb_model_default *of_model[CLI_MOST_OPTIONS];
  cmb_model *model; /* the model that MODEL names; NULL: a problem written in C */
  int set_count, start_count, option_count, result_count;
  cmb_setting set[CLI_MOST_SETTINGS];
  cmb_setting start[CLI_MOST_SETTINGS];
  cmb_option_setting option[CLI_MOST_SETTINGS];
  int steady_count, free_count, trim_count; /* for a steady motion */
  cmb_setting steady[CLI_MOST_SETTINGS];
  const char *vary; /* what has vary_count values from vary_from to vary_to; NULL: nothing */
  double vary_from, vary_to, vary_count;
  const char *free[CLI_MOST_SETTINGS], *trim[CLI_MOST_SETTINGS];
  bool live_all;
  int live_count;
  const char *live[CLI_MOST_SETTINGS]; /* names of parameters that can be changed during a run */
  int drive_count, load_count, wheel_count;
  struct cli_range {
    const char *name;
    double from, to;
    int points; /* 0: it does not vary */
  } drive[CLI_MOST_SETTINGS], load[CLI_MOST_SETTINGS];
  const char *wheel[CLI_MOST_SETTINGS]; /* markers on wheel carriers */
  double radius;                        /* of wheels; NaN: not given */
  /* of a wheelset and a track, in mm, rad and rad/mm (of smoothing in µm); NaN: not given */
  double gauge, back_to_back, cant, yaw, yaw_per_mm, range, amplitude, smoothing, penetration;
  double wheel_load;                    /* N; NaN: not given */
  const char *right_wheel, *right_rail; /* profiles of the right side; NULL: those of the left */
  /* copies of the names before '=' and between commas, to be freed */
  char *owned[9 * CLI_MOST_SETTINGS];
  int owned_count;
};

struct cli_command {
  const char *name;
  /* "MODEL"; "[WHAT]" if it may be left out; "c MODEL" with a word before it, "WHEEL RAIL" with any word before it; NULL: none */
  const char *operand;
  const char *operands_known; /* values of the operand, for completion; NULL: models (or benches) */
  const char *summary;
  const char *description; /* a paragraph for the manual */
  int (*run)(cmb_context *ctx, const struct cli_arguments *arguments);
  bool derivatives; /* the command needs derivatives of the model's equations */
};

struct cli_option {
  const char *name;     /* without the dashes */
  char letter;          /* short form, "-o"; 0: none */
  const char *argument; /* name of its argument, "R"; NULL: it is a switch */
  /* " run check ": the commands that take it; another option may have the same name */
  const char *commands;
  const char *meaning;
  /* stores the value (of a switch NULL, "true" or "false"); returns false if it is not acceptable */
  bool (*take)(struct cli_arguments *arguments, const char *value);
  const char *expected; /* description of acceptable values, for the error message */
  const char *words;    /* "a b c": all possible values, for completion; NULL: others */
};

extern const struct cli_command cli_commands[];
extern const int cli_command_count;
extern const struct cli_option cli_options[];
extern const int cli_option_count;

/* Parse a whole command line, or the words after a command. They return CLI_DONE, or CLI_BAD_INPUT with an error message on standard error;
 * `arguments->json` then says whether a JSON object is requested as well (never for an unknown command). cli_release frees what they
 * allocated. */
int cli_parse(int argc, char **argv, struct cli_arguments *arguments);
int cli_parse_words(const struct cli_command *command, int argc, char **argv,
                    struct cli_arguments *arguments);
void cli_release(struct cli_arguments *arguments);

/* Runs the parsed command, or reports that the command line was wrong (`parsed` is not CLI_DONE), and releases the arguments. Returns the
 * exit code of the program. In program.c. */
int cli_carry_out(struct cli_arguments *arguments, int parsed);

/* Flushes standard output and checks that all output has been written; prints an error message otherwise, e.g. if the disk is full. Returns
 * the exit code of the program: `code`, or that of the failure. */
int cli_finish(int code);

/* failure.c: error messages on standard error, which are kept for --json. */

/* Prints the formatted text as an error message, "camber: TEXT", on standard error; returns CLI_BAD_INPUT. */
int cli_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints an error message on standard error: the file position in `about` (if known), the text `lead` and the formatted text. Stores the
 * data in `about` (file position, kind and name of the element) for --json. Returns CLI_BAD_INPUT. */
int cli_complain_at(const cmb_error *about, const char *lead, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints the error message of the context on standard error, or the meaning of the status if the context is NULL or has no message for it
 * (interruptions and recoverable failures). Returns the exit code of the program for the status. */
int cli_fail(const cmb_context *ctx, cmb_status status);

/* Store an error message without printing it: cli_keep_complaint the formatted text with the data in `about`, cli_keep_failure that of
 * cli_fail. cli_say_kept prints the stored message and returns CLI_BAD_INPUT. */
void cli_keep_complaint(const cmb_error *about, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void cli_keep_failure(const cmb_context *ctx, cmb_status status);
int cli_say_kept(void);

/* Returns the exit code of the program for a status of the library. */
int cli_exit_code(cmb_status status);

/* Prints a warning of the library on standard error and stores it for --json; information is printed only with --verbose. A
 * cmb_log_function. */
void cli_warn(void *arguments_or_null, cmb_log_level level, const char *message);

/* Returns the last error message. */
const char *cli_last_complaint(void);

/* Prints a JSON object that reports a failure: status, message, error and warnings as for all commands, and the names and initial values of
 * the system (NULL: none). Prints nothing without --json, or if an object has been printed. */
void cli_json_failure(const struct cli_arguments *arguments, const cmb_system *system);

/* Returns all warnings so far, one per line, as a string to be freed; NULL if memory runs out. */
char *cli_warnings_text(void);

void cli_failure_end(void); /* frees the warnings that were kept */

/* Returns whether the operand of the command is MODEL; false for `view`, whose operand is a model or files of results. */
bool cli_on_model(const struct cli_command *command);

/* Returns whether the option --NAME, or --no-NAME, was on the command line. */
bool cli_given(const struct cli_arguments *arguments, const char *name);

/* Returns whether a file name ends in `ending` and has at least one character before it. */
bool cli_ends_in(const char *text, const char *ending);

/* Returns whether the command accepts the option. */
bool cli_takes(const struct cli_command *command, const struct cli_option *option);

/* Returns the index in cli_options of the option with this name that the command accepts; if it accepts none, of an option of this name of
 * another command; -1 if there is none. */
int cli_find_option(const struct cli_command *command, const char *name);

/* The keys of `simulate` in model files are the options of `camber run`, except for those that belong to a single run, and in addition
 * these keys for other commands. */
#define CLI_OTHER_KEYS "inputs", "outputs", "wheel", "radius"

/* cli_find_key returns the index of the option that a key of a model file names, or -1. cli_model_may_set returns whether a model file may
 * set the option. cli_can_be_undone returns whether the option is a switch that --no-NAME on the command line can undo. */
int cli_find_key(const char *name);
bool cli_model_may_set(const struct cli_option *option);
bool cli_can_be_undone(const struct cli_option *option);

/* The functions that run the commands; each returns the exit code. */
int cli_run(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_check(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_linearize(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_kinematics(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_export(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_plot(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_view(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_tyre(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_rail(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_list(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_bench(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_manpage(cmb_context *ctx, const struct cli_arguments *arguments);
int cli_completion(cmb_context *ctx, const struct cli_arguments *arguments);

void cli_list_benches(void);
void cli_complete_benches(void); /* prints their names, separated by blanks */
void cli_help(FILE *to);
void cli_command_help(FILE *to, const struct cli_command *command);

/* Write the label of an option, "-o, --folder DIR", and the label and meaning of its negation --no-NAME. */
void cli_option_label(const struct cli_option *option, size_t room, char *label);
void cli_undo_texts(const struct cli_option *option, size_t room, char *label, char *meaning);

/* Prints a text in lines of at most 80 columns (more if a word needs them), broken at blanks. In the first line `used` columns are already
 * filled; the other lines are indented by `indent` columns. */
void cli_print_wrapped(FILE *to, int used, int indent, const char *text);

/* Reads the model that MODEL names into arguments->model, unless it is a problem written in C. Keys of its section `simulate` supply
 * options that are not on the command line, and options that --realtime leaves open are chosen. Prints an error message on failure and
 * returns the exit code. */
int cli_read_model(cmb_context *ctx, struct cli_arguments *arguments);

/* Takes options from the keys of the model's section `simulate`. Prints an error message on failure and returns the exit code. In
 * simulate.c. */
int cli_take_keys(cmb_context *ctx, struct cli_arguments *arguments);

/* Prints the error message "--ONE WORDS --OTHER" about two options. An option that the model file sets is written 'ONE' instead of --ONE, and
 * the message then begins with its position there. Returns CLI_BAD_INPUT. In simulate.c. */
int cli_complain_pair(const struct cli_arguments *arguments, const char *one, const char *words,
                      const char *other);

/* The file that MODEL names, and the options with which it is read. */
struct cli_model_source {
  char path[4096], library[4096];
  const char *names[CLI_MOST_SETTINGS];
  double values[CLI_MOST_SETTINGS];
  cmb_model_options options;
  bool bundled; /* MODEL is the name of a bundled model */
};
/* Determines the file that the operand MODEL names and stores it in *source, with the options for reading it. Returns false if MODEL is neither
 * the name of a bundled model nor a file name (with '/', .yaml or .yml). Whether a file of that name exists is not checked: reading it fails. */
bool cli_find_model(const struct cli_arguments *arguments, struct cli_model_source *source);

/* Returns the title for pictures and pages: that of the model or, if it has none, the name of the model. */
const char *cli_title(const struct cli_arguments *arguments);

/* Creates the system of `model` with the options of the command line. The model differs from that on the command line only in its outputs,
 * which are evaluated in addition during a run. On failure the context contains the error message. */
cmb_status cli_create_extra_system(cmb_context *ctx, const struct cli_arguments *arguments,
                                   const cmb_model *model, cmb_system **system);

/* Returns whether the status is a failure because a constraint of the model file, such as a loop, cannot be satisfied at the start; if so,
 * prints an error message with the position of the constraint in the file. */
bool cli_complain_loop(cmb_context *ctx, const struct cli_arguments *arguments, cmb_status status);

/* Prints an error message for a failed computation with a system: with the position in the model file if a constraint cannot be satisfied
 * at the start, otherwise the message of the library. Returns the exit code of the program; CLI_DONE and no message for CMB_OK. */
int cli_complain_of(cmb_context *ctx, const struct cli_arguments *arguments, cmb_status status);

/* Stores the folder that contains the program in `path`, without a slash at its end; returns false if it cannot be determined. */
enum { CLI_PATH_ROOM = 4096 };
bool cli_program_folder(char path[CLI_PATH_ROOM]);

/* Error message of a program that was copied without its bundled files. */
#define CLI_NO_BUNDLED                                                                             \
  "no bundled files are found beside the program; CAMBER_MODELS can name the folder that they "    \
  "are in"

/* Stores the names of the bundled model files in names[], sorted, each to be freed; returns their number. */
int cli_bundled_models(char *names[CLI_MOST_MODELS]);

/* cli_bundled_parts does the same with the bundled files of parts (templates that models can include); cli_read_part reads one of them. */
int cli_bundled_parts(char *names[CLI_MOST_MODELS]);
cmb_status cli_read_part(cmb_context *ctx, const char *name, cmb_model **part);

/* Opens the system that MODEL names, with --set, --start, --equilibrium and --steady applied. Prints an error message on failure and
 * returns the exit code. */
int cli_open_system(cmb_context *ctx, const struct cli_arguments *arguments, cmb_system **system);

/* Returns the name of component i of an eigenvector (mode shape): of position coordinate i for i < nq, otherwise of first-order state i −
 * nq. */
const char *cli_component_name(const cmb_equations *eq, int i);

/* Returns whether the command line requests a steady motion as the initial state. */
bool cli_steady_wanted(const struct cli_arguments *arguments);

struct cli_json;

/* Writes the values that --trim has determined as the JSON object "trim", under the names of the parameters; nothing without --trim, or with
 * --vary. */
void cli_trim_json(const struct cli_arguments *arguments, const cmb_equations *eq,
                   struct cli_json *j);

/* Fills the options of a run from the command line. Prints an error message on failure and returns the exit code. */
int cli_run_options(const struct cli_arguments *arguments, cmb_run_options *options);

double cli_seconds(void);            /* seconds of a monotonic clock */
double cli_median(int n, double *x); /* median of x (n), of an even n the upper one; sorts x */

/* A progress bar on standard error; it is drawn only on a terminal, and only after half a second. */
struct cli_progress {
  bool on, drawn;
  double begun, last;
};
void cli_progress_begin(struct cli_progress *p, bool quiet);
void cli_progress_show(struct cli_progress *p, double fraction, double t);
void cli_progress_end(struct cli_progress *p);

/* The largest number of events, of impulses and of singular positions of a run that are stored for its report (the first ones), so that
 * memory is limited however long the run is. All are counted. */
enum { CLI_MOST_KEPT = 10000 };

/* cli_catch_interrupt makes Ctrl-C, SIGTERM and SIGHUP request the end of a run, which then stops and saves its results; cli_interrupted
 * returns whether one of these signals has occurred. */
void cli_catch_interrupt(void);
bool cli_interrupted(void);

/* A JSON writer, which inserts commas and indentation. */
struct cli_json {
  FILE *to;
  int depth;    /* number of open objects and lists */
  bool first;   /* the next value is the first in its object or list */
  bool in_page; /* the JSON is part of an HTML page */
};
/* Begin and end the JSON object of a command. Its first keys are camber, model, method (unless it is NULL), status and, for a failure,
 * message and error from the last error message; its last key is warnings. */
void cli_json_begin(struct cli_json *j, const char *model, const char *method, cmb_status status);
void cli_json_end(struct cli_json *j);

/* Print the same first keys, and the warnings, inside an object that has been begun. */
void cli_json_head(struct cli_json *j, const char *model, const char *method, cmb_status status);
void cli_json_warnings(struct cli_json *j);

void cli_json_open(struct cli_json *j, const char *key, char bracket);
void cli_json_close(struct cli_json *j, char bracket);
void cli_json_text(struct cli_json *j, const char *key, const char *text); /* NULL: null */
void cli_json_number(struct cli_json *j, const char *key, double x);
void cli_json_integer(struct cli_json *j, const char *key, long x);
void cli_json_count(struct cli_json *j, const char *key, int x); /* counts from 1; 0: null */
void cli_json_bool(struct cli_json *j, const char *key, bool x);
void cli_json_numbers(struct cli_json *j, const char *key, int n, const double *x);
void cli_json_texts(struct cli_json *j, const char *key, int n, const char *const *text);
void cli_json_bytes(struct cli_json *j, const char *key, const void *bytes,
                    size_t length); /* base64 */
void cli_json_velocities(struct cli_json *j, const cmb_equations *eq, const double *v);
void cli_json_velocity_names(struct cli_json *j, const cmb_equations *eq);

/* Writes the items of a model (bodies, joints, ...) as JSON lists; nothing if model is NULL (a problem written in C). In contents.c. */
void cli_json_contents(struct cli_json *j, const cmb_model *model);

#endif
