/*
 * The table of all command-line options, and the parser of the words after the name of a command, which uses this table. Called for every
 * command; the help, the man page and the shell completions are made from the same table.
 */
#include "base/text.h"
#include "cli/cli.h"
#include "cli/facts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Parses a number, or a formula of numbers such as 2*900 or 30 deg, and stores its value in *x. Returns false if the text is neither. */
static bool take_number(const char *value, double *x)
{
  if (cmb_parse_number(value, x)) return true;
  cmb_context *ctx = cmb_context_create(NULL);
  const bool good = ctx && cmb_number_parse(ctx, value, x) == CMB_OK;
  cmb_context_destroy(ctx);
  return good;
}

static bool take_positive(const char *value, double *x)
{
  return cmb_parse_number(value, x) && *x > 0;
}

static bool take_method(struct cli_arguments *a, const char *value)
{
  a->method = value;
  return true;
}

static bool take_rtol(struct cli_arguments *a, const char *value)
{
  return take_positive(value, &a->rtol);
}

static bool take_atol(struct cli_arguments *a, const char *value)
{
  return take_positive(value, &a->atol);
}

static bool take_t_end(struct cli_arguments *a, const char *value)
{
  return take_number(value, &a->t_end);
}

static bool take_at(struct cli_arguments *a, const char *value)
{
  return take_number(value, &a->at);
}

static bool take_step(struct cli_arguments *a, const char *value)
{
  return take_positive(value, &a->step);
}

static bool take_max_step(struct cli_arguments *a, const char *value)
{
  return take_positive(value, &a->max_step);
}

static bool take_every(struct cli_arguments *a, const char *value)
{
  return take_positive(value, &a->every);
}

static bool take_record(struct cli_arguments *a, const char *value)
{
  a->residuals = strcmp(value, "residuals") == 0;
  return a->residuals;
}

static bool take_count(const char *value, double *x)
{
  return take_positive(value, x) && *x == floor(*x) && *x <= 1e15;
}

static bool take_max_steps(struct cli_arguments *a, const char *value)
{
  return take_count(value, &a->max_steps);
}

static bool take_repeat(struct cli_arguments *a, const char *value)
{
  return take_count(value, &a->repeat) && a->repeat <= 1e6;
}

static char *copy_of(const char *text, size_t length)
{
  char *copy = malloc(length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return copy;
}

/* Splits a text of the form "NAME=VALUE": stores a copy of NAME in *name, which is freed together with the arguments `a`, and a pointer to
 * VALUE within `text` in *value. Returns false if NAME or VALUE is missing, or if memory runs out. */
static bool split(struct cli_arguments *a, const char *text, const char **name, const char **value)
{
  const char *equals = strchr(text, '=');
  if (!equals || equals == text || equals[1] == '\0') return false;
  char *copy = copy_of(text, (size_t)(equals - text));
  if (!copy) return false;
  a->owned[a->owned_count++] = copy;
  *name = copy;
  *value = equals + 1;
  return true;
}

/* Parses "NAME=VALUE", where VALUE is a number or a formula of numbers, and appends the pair to settings[*count], which has room for
 * CLI_MOST_SETTINGS. Returns false if the text is invalid or the array is full. The name is freed with the arguments `a`. */
static bool take_setting(struct cli_arguments *a, const char *text, cmb_setting *settings,
                         int *count)
{
  const char *value;
  if (*count >= CLI_MOST_SETTINGS) return false;
  if (!split(a, text, &settings[*count].name, &value)) return false;
  if (!take_number(value, &settings[*count].value)) return false;
  ++*count;
  return true;
}

static bool take_set(struct cli_arguments *a, const char *text)
{
  return take_setting(a, text, a->set, &a->set_count);
}

/* Splits "NAME,NAME,.." at the commas, appends copies of the names to names[*count], an array of CLI_MOST_SETTINGS elements, and increases
 * *count. The copies are freed together with the arguments `a`. Returns false if a name is empty, the array is full, or memory runs out. */
static bool take_names(struct cli_arguments *a, const char *text, const char **names, int *count)
{
  for (const char *at = text, *end; *at; at = *end ? end + 1 : end) {
    while (*at == ' ') at++;
    end = at + strcspn(at, ",");
    if (end == at || (*end && !end[1]) || *count >= CLI_MOST_SETTINGS) return false;
    char *copy = copy_of(at, (size_t)(end - at));
    if (!copy) return false;
    a->owned[a->owned_count++] = copy;
    names[(*count)++] = copy;
  }
  return *text != '\0';
}

/* Parses the argument of the option --live, which lists the model parameters that can be changed without compiling the model again: their
 * names separated by commas, or "all". Returns false if it is invalid. */
static bool take_live(struct cli_arguments *a, const char *text)
{
  if (strcmp(text, "all") == 0) {
    a->live_all = true;
    return true;
  }
  return take_names(a, text, a->live, &a->live_count);
}

static bool take_steady(struct cli_arguments *a, const char *text)
{
  return take_setting(a, text, a->steady, &a->steady_count);
}

static bool take_free(struct cli_arguments *a, const char *text)
{
  return take_names(a, text, a->free, &a->free_count);
}

static bool take_trim(struct cli_arguments *a, const char *text)
{
  return take_names(a, text, a->trim, &a->trim_count);
}

/* Parses "NAME=A" (one value; points = 0) or "NAME=A:B:N" (N values from A to B, with 2 ≤ N ≤ 1 000 000), appends it to ranges[*count] and
 * increments *count. Returns false if the text is invalid, the array contains CLI_MOST_SETTINGS ranges already, or memory runs out. */
static bool take_range(struct cli_arguments *a, const char *text, struct cli_range *ranges,
                       int *count)
{
  const char *value;
  double points = 0;
  struct cli_range *r = &ranges[*count];
  if (*count >= CLI_MOST_SETTINGS || !split(a, text, &r->name, &value)) return false;
  char *copy = copy_of(value, strlen(value)), *to = copy ? strchr(copy, ':') : NULL;
  char *many = to ? strchr(to + 1, ':') : NULL;
  bool good = copy != NULL;
  if (to) *to = '\0';
  if (many) *many = '\0';
  good = good && !to == !many && take_number(copy, &r->from);
  r->to = r->from;
  if (good && to) good = take_number(to + 1, &r->to) && take_number(many + 1, &points);
  free(copy);
  if (!good || (to && !(points >= 2 && points <= 1e6 && points == floor(points)))) return false;
  r->points = (int)points;
  ++*count;
  return true;
}

static bool take_vary(struct cli_arguments *a, const char *text)
{
  struct cli_range r = {0};
  int count = 0;
  if (a->vary || !take_range(a, text, &r, &count)) return false;
  a->vary = r.name;
  a->vary_from = r.from;
  a->vary_to = r.to;
  a->vary_count = r.points;
  return r.points >= 2 && r.points <= 10000 && r.from != r.to;
}

static bool take_drive(struct cli_arguments *a, const char *text)
{
  return take_range(a, text, a->drive, &a->drive_count);
}

static bool take_load(struct cli_arguments *a, const char *text)
{
  return take_range(a, text, a->load, &a->load_count);
}

static bool take_wheel(struct cli_arguments *a, const char *text)
{
  if (a->wheel_count >= CLI_MOST_SETTINGS || !text[0]) return false;
  a->wheel[a->wheel_count++] = text;
  return true;
}

static bool take_radius(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->radius) && a->radius > 0;
}

/* Sets *on to the state of a switch on the command line: false if its value is the text "false", and true for any other text or no value
 * (NULL). Always returns true. */
static bool take_switch(const char *value, bool *on)
{
  *on = !value || strcmp(value, "false") != 0;
  return true;
}

static bool take_gauge(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->gauge) && a->gauge > 0;
}

static bool take_back_to_back(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->back_to_back) && a->back_to_back > 0;
}

/* Parses the inclination of rails, "1/40", "1:40" or 0.025, and stores its slope. Returns false if the text is invalid or the slope is not between
 * −1 and 1. */
static bool take_cant(struct cli_arguments *a, const char *text)
{
  const char *colon = strchr(text, ':');
  char *first = copy_of(text, colon ? (size_t)(colon - text) : strlen(text));
  double below = 1;
  const bool good =
      first && take_number(first, &a->cant) && (!colon || take_number(colon + 1, &below));
  free(first);
  a->cant /= below;
  return good && fabs(a->cant) < 1;
}

static bool take_yaw(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->yaw) && fabs(a->yaw) <= 0.5;
}

static bool take_yaw_per_mm(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->yaw_per_mm) && fabs(a->yaw_per_mm) <= 0.1;
}

static bool take_lateral_range(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->range) && a->range > 0 && a->range <= 1000;
}

static bool take_amplitude(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->amplitude) && a->amplitude >= 0.1 && a->amplitude <= 1000;
}

static bool take_smooth(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->smoothing) && a->smoothing >= 0;
}

static bool take_penetration(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->penetration) && a->penetration >= 0 && a->penetration <= 1;
}

static bool take_wheel_load(struct cli_arguments *a, const char *text)
{
  return take_number(text, &a->wheel_load) && a->wheel_load > 0 && a->wheel_load <= 1e7;
}

static bool take_mirror_rail(struct cli_arguments *a, const char *text)
{
  return take_switch(text, &a->mirror_rail);
}

static bool take_right_wheel(struct cli_arguments *a, const char *text)
{
  a->right_wheel = text;
  return text[0] != '\0';
}

static bool take_right_rail(struct cli_arguments *a, const char *text)
{
  a->right_rail = text;
  return text[0] != '\0';
}

static bool take_start(struct cli_arguments *a, const char *text)
{
  return take_setting(a, text, a->start, &a->start_count);
}

static bool take_option(struct cli_arguments *a, const char *text)
{
  if (a->option_count >= CLI_MOST_SETTINGS) return false;
  cmb_option_setting *o = &a->option[a->option_count];
  if (!split(a, text, &o->name, &o->value)) return false;
  a->option_count++;
  return true;
}

bool cli_ends_in(const char *text, const char *ending)
{
  size_t length = strlen(text), tail = strlen(ending);
  return length > tail && strcmp(text + length - tail, ending) == 0;
}

static bool take_trajectory(struct cli_arguments *a, const char *value)
{
  a->out = value;
  return cli_format_of(value, strlen(value)) != CLI_FORMAT_NONE;
}

static bool take_matrices(struct cli_arguments *a, const char *value)
{
  a->out = value;
  return cli_ends_in(value, ".csv") || cli_ends_in(value, ".mat");
}

static bool take_table(struct cli_arguments *a, const char *value)
{
  a->out = value;
  return cli_ends_in(value, ".csv");
}

static bool take_picture(struct cli_arguments *a, const char *value)
{
  a->out = value;
  return cli_ends_in(value, ".svg") || cli_ends_in(value, ".png");
}

static bool take_page(struct cli_arguments *a, const char *value)
{
  a->out = value;
  return cli_ends_in(value, ".html") || cli_ends_in(value, ".png");
}

static bool take_x(struct cli_arguments *a, const char *value)
{
  a->x = value;
  return value[0] != '\0';
}

static bool take_y(struct cli_arguments *a, const char *value)
{
  a->y = value;
  return value[0] != '\0';
}

static bool take_log(struct cli_arguments *a, const char *value)
{
  a->log = value;
  return strcmp(value, "x") == 0 || strcmp(value, "y") == 0 || strcmp(value, "xy") == 0;
}

static bool take_inputs(struct cli_arguments *a, const char *value)
{
  a->inputs = value;
  return value[0] != '\0';
}

static bool take_outputs(struct cli_arguments *a, const char *value)
{
  a->outputs = value;
  return value[0] != '\0';
}

static bool take_bode(struct cli_arguments *a, const char *value)
{
  a->bode = value;
  return cli_ends_in(value, ".svg");
}

static bool take_step_response(struct cli_arguments *a, const char *value)
{
  a->step_response = value;
  return cli_ends_in(value, ".svg");
}

static bool take_save(struct cli_arguments *a, const char *value)
{
  a->save = value;
  return value[0] != '\0';
}

static bool take_resume(struct cli_arguments *a, const char *value)
{
  a->resume = value;
  return value[0] != '\0';
}

static bool take_save_at(struct cli_arguments *a, const char *value)
{
  return take_number(value, &a->save_at);
}

static bool take_folder(struct cli_arguments *a, const char *value)
{
  a->folder = value;
  return value[0] != '\0';
}

static bool take_csv(struct cli_arguments *a, const char *value)
{
  a->csv = value;
  return cli_ends_in(value, ".csv");
}

static bool take_plot(struct cli_arguments *a, const char *value)
{
  a->plot = value;
  return cli_ends_in(value, ".svg");
}

static bool take_html(struct cli_arguments *a, const char *value)
{
  a->html = value;
  return cli_ends_in(value, ".html");
}

static bool take_video(struct cli_arguments *a, const char *value)
{
  a->video = value;
  return cli_ends_in(value, ".mp4") || cli_ends_in(value, ".gif");
}

/* Parses the size of a picture, "WIDTHxHEIGHT" in pixels, and stores it in a->width and a->height. Returns false if the text is invalid or
 * a number is not between 64 and 4096. */
static bool take_size(struct cli_arguments *a, const char *value)
{
  char *after;
  const long width = strtol(value, &after, 10);
  if (after == value || *after != 'x') return false;
  const char *second = after + 1;
  const long height = strtol(second, &after, 10);
  if (after == second || *after) return false;
  a->width = (int)width;
  a->height = (int)height;
  return width >= 64 && width <= 4096 && height >= 64 && height <= 4096;
}

static bool take_speed(struct cli_arguments *a, const char *value)
{
  return take_positive(value, &a->speed);
}

static bool take_model(struct cli_arguments *a, const char *value)
{
  a->model_of_results = value;
  return value[0] != '\0' && value[0] != '-';
}

static bool take_no_motion(struct cli_arguments *a, const char *value)
{
  (void)value;
  a->no_motion = true;
  return true;
}

static bool take_plot_outputs(struct cli_arguments *a, const char *value)
{
  a->plot_outputs = value;
  return value[0] != '\0';
}

static bool take_equilibrium(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->equilibrium);
}

static bool take_include_anywhere(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->include_anywhere);
}

static bool take_formulation(struct cli_arguments *a, const char *value)
{
  return cmb_formulation_find(value, &a->formulation);
}

static bool take_evaluator(struct cli_arguments *a, const char *value)
{
  static const char *const words[] = {
      "auto", "interpreter", "native"}; /* in the order of the enumeration cmb_evaluation */
  int i = cmb_find_name(value, words, 3, sizeof *words);
  if (i >= 0) a->evaluation = (cmb_evaluation)i;
  return i >= 0;
}

static bool take_json(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->json);
}

static bool take_quiet(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->quiet);
}

static bool take_verbose(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->verbose);
}

static bool take_states(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->states);
}

static bool take_realtime(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->realtime);
}

static bool take_pattern(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->pattern);
}

static bool take_help(struct cli_arguments *a, const char *value)
{
  return take_switch(value, &a->help);
}

const struct cli_option cli_options[] = {
    {"method", 0, "NAME", " run ", "integration method, see 'camber list methods' (default: mdop5)",
     take_method, "the name of a method", NULL},
    {"method", 0, "NAME", " linearize ",
     "integration method of the simulation to --at, see 'camber list methods' (default: mdop5)",
     take_method, "the name of a method", NULL},
    {"method", 0, "NAME", " export ",
     "real-time method of the code, see 'camber list methods' (default: that of the model if it is "
     "one, else lie)",
     take_method, "the name of a method", NULL},
    {"rtol", 0, "R", " run bench linearize ",
     "relative tolerance of a step's error (default: 1e-6)", take_rtol, "a positive number", NULL},
    {"atol", 0, "A", " run linearize ", "absolute tolerance (default: a hundredth of --rtol)",
     take_atol, "a positive number", NULL},
    {"t-end", 0, "T", " run ",
     "end of the simulated time in seconds (default: the model's, or 1 if it has none)", take_t_end,
     "a number, or a formula of numbers", NULL},
    {"step", 0, "H", " run export ",
     "first step in seconds; with --option steps=fixed and for real-time methods each step",
     take_step, "a positive number", NULL},
    {"max-step", 0, "H", " run ", "no step larger than H seconds (default: no limit)",
     take_max_step, "a positive number", NULL},
    {"max-steps", 0, "N", " run ", "give up after N attempted steps (default: 100000000)",
     take_max_steps, "a positive whole number", NULL},
    {"set", 0, "NAME=VALUE", " run check linearize export kinematics view ",
     "set a parameter of the model to a number or a formula of numbers, e.g. 2*900; repeatable",
     take_set, "NAME=VALUE with a number, or a formula of numbers, for VALUE, 64 times at most",
     NULL},
    {"live", 0, "NAME,..", " run check linearize export view ",
     "parameters of a model file that stay changeable: exported C code has them in a struct; run, "
     "check and linearize compute with the equations of that code and the parameters' values; all: "
     "those that are not computed from others and choose nothing, such as a number of copies "
     "(default: none)",
     take_live, "names of parameters separated by commas, 64 at most, or all", NULL},
    {"drive", 0, "NAME=A:B:N", " kinematics ",
     "drive a coordinate, an output or a formula of positions from A to B in N points; NAME=A "
     "holds "
     "it; repeatable: all move together",
     take_drive, "NAME=A:B:N with N from 2 to 1000000, or NAME=A, 64 times at most", NULL},
    {"load", 0, "NAME=A:B:N", " kinematics ",
     "a load at the contact point of a wheel: NAME is MARKER.fx, .fy, .fz (N) or .mz (N m); "
     "repeatable",
     take_load, "MARKER.fx=A:B:N with N from 2 to 1000000, or MARKER.fx=A, 64 times at most", NULL},
    {"wheel", 0, "MARKER", " kinematics ",
     "a marker on a wheel carrier: where the wheel's centre is, with y along its spin axis; "
     "repeatable",
     take_wheel, "the name of a marker, 64 times at most", NULL},
    {"radius", 0, "R", " kinematics ", "from the wheels' centres to their contact points",
     take_radius, "a positive number", NULL},
    {"radius", 0, "MM", " rail ", "radius of the wheels at their tape lines (default: 460)",
     take_radius, "a positive number of millimetres", NULL},
    {"gauge", 0, "MM", " rail ",
     "distance of the rails, between their innermost points down to 14 mm below the highest "
     "(default: 1435)",
     take_gauge, "a positive number of millimetres", NULL},
    {"back-to-back", 0, "MM", " rail ",
     "distance between the backs of the flanges; the tape lines are 70 mm from them (default: "
     "1360)",
     take_back_to_back, "a positive number of millimetres", NULL},
    {"cant", 0, "SLOPE", " rail ",
     "inclination of the rails towards the middle of the track (default: 1/40; 0 if a profile has "
     "it already)",
     take_cant, "a slope such as 1/40, 1:40 or 0.025, less than 1", NULL},
    {"right-wheel", 0, "FILE", " rail ", "profile of the right wheel (default: WHEEL)",
     take_right_wheel, "the name of a profile", NULL},
    {"right-rail", 0, "FILE", " rail ", "profile of the right rail (default: RAIL)",
     take_right_rail, "the name of a profile", NULL},
    {"mirror-rail", 0, NULL, " rail ",
     "files of rails have y positive to the gauge side, as those of MiniProf often have",
     take_mirror_rail, NULL, NULL},
    {"smooth", 0, "UM", " rail ",
     "smooth profiles of files: root mean square of the distances from the points to the curve in "
     "micrometres (default: 0)",
     take_smooth, "a number of micrometres, 0 or more", NULL},
    {"range", 0, "MM", " rail ", "largest lateral displacement to either side (default: 8)",
     take_lateral_range, "a positive number of millimetres, 1000 at most", NULL},
    {"step", 0, "MM", " rail ", "distance of the lateral displacements (default: 0.5)", take_step,
     "a positive number of millimetres", NULL},
    {"yaw", 0, "RAD", " rail ",
     "yaw angle of the wheelset, positive to the left (default: 0); the conicity is without yaw",
     take_yaw, "an angle from -0.5 to 0.5", NULL},
    {"yaw-per-mm", 0, "RAD", " rail ",
     "yaw angle in addition, for each millimetre of lateral displacement (default: 0)",
     take_yaw_per_mm, "an angle from -0.1 to 0.1", NULL},
    {"penetration", 0, "MM", " rail ",
     "quasi-elastic contact: the wheels are lowered by this distance, and the contact point is the "
     "mean over the region in which a wheel penetrates its rail (default: 0: rigid contact)",
     take_penetration, "a number of millimetres from 0 to 1", NULL},
    {"wheel-load", 0, "N", " rail ",
     "normal force of each wheel: the ellipse, the largest pressure and the approach of its "
     "contact "
     "by Hertz's theory are in the table",
     take_wheel_load, "a positive number of newtons up to 1e7", NULL},
    {"amplitude", 0, "MM", " rail ",
     "largest amplitude of the equivalent conicity (default: that of --range)", take_amplitude,
     "a number of millimetres from 0.1 to 1000", NULL},
    {"start", 0, "NAME=VALUE", " run check linearize export view ",
     "set the start value of a coordinate, velocity or state; in a model it is held while the "
     "others "
     "become consistent; repeatable",
     take_start, "NAME=VALUE with a number, or a formula of numbers, for VALUE, 64 times at most",
     NULL},
    {"equilibrium", 0, NULL, " run check linearize export view ",
     "start from the static equilibrium near the start values; velocities become 0, but for those "
     "along "
     "which nothing brings the system to rest",
     take_equilibrium, NULL, NULL},
    {"steady", 0, "NAME=VALUE", " run linearize view ",
     "start from a steady motion near the start values, straight or on a circle, in which the "
     "output, velocity, coordinate or state NAME has this value; repeatable",
     take_steady, "NAME=VALUE with a number, or a formula of numbers, for VALUE, 64 times at most",
     NULL},
    {"free", 0, "NAME,..", " run linearize view ",
     "coordinates, or joints, that go on at a constant rate in the steady motion, such as the "
     "angles of wheels; those that carry the model over the ground do so anyway",
     take_free, "names separated by commas, 64 at most", NULL},
    {"trim", 0, "NAME,..", " run linearize view ",
     "inputs, or parameters that --live names, whose values are found so that the motion is "
     "steady",
     take_trim, "names separated by commas, 64 at most", NULL},
    {"vary", 0, "NAME=A:B:N", " linearize ",
     "a table of the steady motions in which the output, velocity, coordinate or state NAME has N "
     "values from A to B, 10000 at most: "
     "the eigenvalue with the largest real part and the least damping of each, and the values at "
     "which the motion becomes unstable or stable; of one NAME only",
     take_vary, "one NAME=A:B:N, with A other than B and N from 2 to 10000", NULL},
    {"at", 0, "T", " linearize ", "simulate to T seconds and linearise there (default: the start)",
     take_at, "a number, or a formula of numbers", NULL},
    {"at", 0, "T", " view ", "the time that a picture shows (default: the start)", take_at,
     "a number, or a formula of numbers", NULL},
    {"option", 0, "NAME=VALUE", " run linearize export ",
     "set an option of the method, e.g. projection=every; repeatable", take_option,
     "NAME=VALUE, 64 times at most", NULL},
    {"formulation", 0, "NAME", " run check linearize export view ",
     "equations of a model file: explicit (joint coordinates, O(N) accelerations), residual (joint "
     "coordinates, O(N) residuals) or cartesian (Euler parameters) (default: explicit)",
     take_formulation, "explicit, residual or cartesian", "explicit residual cartesian"},
    {"evaluator", 0, "NAME", " run check linearize ",
     "how a model file's equations are run: native (machine code, where the processor is an "
     "x86-64), interpreter or auto (native, without a warning if it is not possible) (default: "
     "auto)",
     take_evaluator, "auto, interpreter or native", "auto interpreter native"},
    {"include-anywhere", 0, NULL, " run check linearize export kinematics view ",
     "a model file may include files outside its own folder, and name files to be written outside "
     "this one",
     take_include_anywhere, NULL, NULL},
    {"folder", 'o', "DIR", " export ", "where to write (default: here)", take_folder,
     "the name of a folder", NULL},
    {"inputs", 0, "NAME,..", " linearize ",
     "inputs u of the model for x' = A x + B u, y = C x + D u about the state; live parameters, "
     "too",
     take_inputs, "names separated by commas", NULL},
    {"outputs", 0, "NAME,..", " linearize ", "outputs y of the model for the same", take_outputs,
     "names separated by commas", NULL},
    {"bode", 0, "FILE", " linearize ",
     "draw amplitude and phase of --outputs over the frequency of --inputs to FILE, which must end "
     "in .svg",
     take_bode, "a file name that ends in .svg", NULL},
    {"step-response", 0, "FILE", " linearize ",
     "draw the answer of --outputs to steps of --inputs by 1 to FILE, which must end in .svg",
     take_step_response, "a file name that ends in .svg", NULL},
    {"x", 0, "NAME", " plot ", "what is drawn to the right (default: t)", take_x, "a name", NULL},
    {"y", 0, "NAME,..", " plot ",
     "what is drawn upwards (default: the outputs of the model; a CSV file does not say which they "
     "are)",
     take_y, "names separated by commas", NULL},
    {"log", 0, "AXES", " plot ", "which axes are logarithmic", take_log, "x, y or xy", "x y xy"},
    {"out", 'o', "FILE", " run ",
     "write the trajectory to FILE, which must end in .csv, .h5 (HDF5) or .mat (MATLAB)",
     take_trajectory, "a file name that ends in " CLI_FORMAT_ENDINGS, NULL},
    {"out", 'o', "FILE", " linearize ",
     "write A, B, C and D to FILE, which must end in .csv or .mat, or with --vary the eigenvalues "
     "to a .csv",
     take_matrices, "a file name that ends in .csv or .mat", NULL},
    {"out", 'o', "FILE", " kinematics rail ", "write the table to FILE, which must end in .csv",
     take_table, "a file name that ends in .csv", NULL},
    {"out", 'o', "FILE", " plot ", "the picture, which must end in .svg or .png", take_picture,
     "a file name that ends in .svg or .png", NULL},
    {"out", 'o', "FILE", " view ",
     "the page, which must end in .html, or the picture, which must end in .png (default: "
     "the names of the model or results with .html behind them, osc.yaml.html or a.h5+b.h5.html)",
     take_page, "a file name that ends in .html or .png", NULL},
    {"model", 0, "MODEL", " view ",
     "the model that the results are of: CSV files do not say it; of other files it replaces the "
     "one that they name. Settings of the run that the mechanism depends on belong to it",
     take_model, "a model", NULL},
    {"no-motion", 0, NULL, " view ", "of results the plots alone, without a model", take_no_motion,
     NULL, NULL},
    {"pattern", 0, NULL, " check ",
     "what of the difference Jacobian is not 0, and the groups of columns that jacobian=sparse of "
     "bdf moves together; a plot shows them",
     take_pattern, NULL, NULL},
    {"csv", 0, "FILE", " tyre ", "write the curves of the tyre to FILE, which must end in .csv",
     take_csv, "a file name that ends in .csv", NULL},
    {"plot", 0, "FILE", " run ", "draw the trajectory to FILE, which must end in .svg", take_plot,
     "a file name that ends in .svg; 'camber plot' draws a PNG of what --out has written", NULL},
    {"plot", 0, "FILE", " bench ",
     "draw the figure of the bench, where it has one, to FILE, which must end in .svg", take_plot,
     "a file name that ends in .svg", NULL},
    {"plot", 0, "FILE", " check ",
     "draw the pattern of the Jacobian (--pattern) to FILE, which must end in .svg", take_plot,
     "a file name that ends in .svg", NULL},
    {"plot", 0, "FILE", " linearize ",
     "draw the eigenvalues of --vary to FILE, which must end in .svg", take_plot,
     "a file name that ends in .svg", NULL},
    {"plot", 0, "FILE", " kinematics ", "draw the sweep to FILE, which must end in .svg", take_plot,
     "a file name that ends in .svg", NULL},
    {"plot", 0, "FILE", " rail ",
     "draw the profiles in contact and the curves to FILE, which must end in .svg", take_plot,
     "a file name that ends in .svg", NULL},
    {"plot", 0, "FILE", " tyre ", "draw the curves of the tyre to FILE, which must end in .svg",
     take_plot, "a file name that ends in .svg", NULL},
    {"plot-outputs", 0, "NAME,..", " run ",
     "what --plot draws: outputs, coordinates, velocities, states or multipliers (default: all "
     "outputs; "
     "coordinates and velocities if there are none)",
     take_plot_outputs, "names separated by commas", NULL},
    {"html", 0, "FILE", " run ",
     "write the report to FILE, which must end in .html: a page with the summary, plots and the "
     "animation of the bodies, which opens in a browser without a network",
     take_html, "a file name that ends in .html", NULL},
    {"video", 0, "FILE", " view ",
     "write the animation as a film to FILE, which must end in .mp4 or .gif, by Chromium and "
     "ffmpeg, which have to be installed",
     take_video, "a file name that ends in .mp4 or .gif", NULL},
    {"size", 0, "WIDTHxHEIGHT", " view ", "of the picture or film in pixels (default: 1280x720)",
     take_size, "WIDTHxHEIGHT in pixels, each from 64 to 4096", NULL},
    {"speed", 0, "S", " view ",
     "of the film: seconds of the motion in a second of the film (default: 1, or less for a short "
     "motion)",
     take_speed, "a positive number", NULL},
    {"every", 0, "DT", " run ", "record every DT seconds (default: each accepted step)", take_every,
     "a positive number", NULL},
    {"record", 0, "WHAT", " run ",
     "record more than positions, velocities, multipliers and outputs: residuals, the norms |g| "
     "and "
     "|Gv| of "
     "the constraints on positions and on velocities, in --out and --plot",
     take_record, "residuals", "residuals"},
    {"save", 0, "FILE", " run ",
     "write the whole state to FILE, to go on from there later (default: at the end of the run)",
     take_save, "a file name", NULL},
    {"save-at", 0, "T", " run ",
     "save the state at the end of the first step that comes to T seconds, and go on", take_save_at,
     "a number, or a formula of numbers", NULL},
    {"resume", 0, "FILE", " run ",
     "go on from the state in FILE, which a run of the same model, method, tolerances and options "
     "has saved",
     take_resume, "a file name", NULL},
    {"repeat", 0, "N", " run bench ", "run N times and report the median time (default: 1)",
     take_repeat, "a whole number from 1 to 1000000", NULL},
    {"realtime", 0, NULL, " run ",
     "pace the run by the clock, a step every --step seconds (default: 0.001), and report the "
     "times "
     "of the steps and the overruns; methods lie (default) and rosw2",
     take_realtime, NULL, NULL},
    {"json", 0, NULL, " run check linearize export kinematics tyre rail ",
     "print one JSON object on standard output and nothing else", take_json, NULL, NULL},
    {"quiet", 0, NULL, " run ", "no progress bar", take_quiet, NULL, NULL},
    {"states", 0, NULL, " run ",
     "print the state at the end too, to the last digit: positions, velocities, multipliers",
     take_states, NULL, NULL},
    {"verbose", 0, NULL, " run check ",
     "print each warning of a kind, notes, and events of kinks in formulas", take_verbose, NULL,
     NULL},
    {"quiet", 0, NULL, " export view ", "print nothing of what was written", take_quiet, NULL,
     NULL},
    {"help", 0, NULL,
     " run check list bench manpage completion linearize export kinematics tyre rail plot view ",
     "this help", take_help, NULL, NULL},
};
const int cli_option_count = sizeof cli_options / sizeof cli_options[0];

_Static_assert(sizeof cli_options / sizeof cli_options[0] <= CLI_MOST_OPTIONS,
               "the arrays of struct cli_arguments have an element for each option");

/* Returns whether a command accepts an option, i.e. whether the name of the command is among the blank-separated words of
 * option->commands. */
static bool belongs_to(const struct cli_option *option, const char *command)
{
  const size_t length = strlen(command);
  for (const char *at = option->commands; (at = strstr(at, command)); at += length) {
    if (at[-1] == ' ' && at[length] == ' ') return true;
  }
  return false;
}

bool cli_takes(const struct cli_command *command, const struct cli_option *option)
{
  return belongs_to(option, command->name);
}

/* Returns the index in the table cli_options of the option `name` that the command accepts. If the command has no such option, returns the
 * first option of this name (of another command), or −1 if there is none. */
static int find_option(const char *command, const char *name)
{
  int found = -1;
  for (int k = 0; k < cli_option_count; k++) {
    if (strcmp(cli_options[k].name, name) != 0) continue;
    if (belongs_to(&cli_options[k], command)) return k;
    if (found < 0) found = k;
  }
  return found;
}

int cli_find_option(const struct cli_command *command, const char *name)
{
  return find_option(command->name, name);
}

bool cli_given(const struct cli_arguments *a, const char *name)
{
  const int k = cli_find_option(a->command, name);
  return k >= 0 && a->given[k];
}

int cli_find_key(const char *name)
{
  return find_option("run", name);
}

bool cli_model_may_set(const struct cli_option *option)
{
  static const char *const never[] = {"set",  "live",    "help",  "json", "include-anywhere",
                                      "save", "save-at", "resume"};
  static const char *const others[] = {CLI_OTHER_KEYS};
  return belongs_to(option, "run")
             ? cmb_find_name(option->name, never, sizeof never / sizeof *never, sizeof *never) < 0
             : cmb_find_name(option->name, others, sizeof others / sizeof *others,
                             sizeof *others) >= 0;
}

bool cli_can_be_undone(const struct cli_option *option)
{
  return !option->argument && cli_model_may_set(&cli_options[cli_find_key(option->name)]);
}

/* Prints the error message for the unknown option `text`, with the option whose name is most similar to `name`, if any is similar, as a
 * suggestion; returns the exit code CLI_BAD_INPUT. */
static int complain_option(const struct cli_command *command, const char *text, const char *name)
{
  const char *near = cmb_nearest_name(name, cli_options, cli_option_count, sizeof *cli_options);
  return near ? cli_complain("unknown option '%s'; did you mean '--%s'?", text, near)
              : cli_complain("unknown option '%s'; 'camber %s --help' lists them", text,
                             command->name);
}

/* Stores the value of the option cli_options[k] in the arguments. If the option needs a value and `value` is NULL, takes the next word,
 * argv[*i + 1], and increments *i. Returns CLI_DONE; CLI_BAD_INPUT after an error message if the value is missing, invalid or given to a
 * switch, or if the command does not accept the option. */
static int take_value(int argc, char **argv, int *i, struct cli_arguments *a, int k,
                      const char *value)
{
  const struct cli_option *option = &cli_options[k];
  if (!cli_takes(a->command, option)) {
    return cli_complain("'camber %s' takes no option --%s", a->command->name, option->name);
  }
  if (!option->argument && value) return cli_complain("option --%s takes no value", option->name);
  if (option->argument && !value) {
    if (*i + 1 >= argc) {
      return cli_complain("option --%s needs a value: %s", option->name, option->expected);
    }
    value = argv[++*i];
  }
  a->given[k] = true;
  if (option->take(a, value)) return CLI_DONE;
  return cli_complain("option --%s is '%s'; expected %s", option->name, value, option->expected);
}

/* Parses the form --no-NAME of the switch cli_options[k]: sets the switch to false, even if the model file sets it to true. `value` is the text
 * after '=' or NULL; such a text is an error. Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int undo_switch(struct cli_arguments *a, int k, const char *value)
{
  const struct cli_option *option = &cli_options[k];
  if (!cli_takes(a->command, option)) {
    return cli_complain("'camber %s' takes no option --no-%s", a->command->name, option->name);
  }
  if (value) return cli_complain("option --no-%s takes no value", option->name);
  a->given[k] = true;
  option->take(a, "false");
  return CLI_DONE;
}

/* Parses the long option argv[*i]: "--name", "--name=value", "--name value" or "--no-name". Increments *i if the value is the next word.
 * Returns CLI_DONE, or CLI_BAD_INPUT after an error message. */
static int parse_option(int argc, char **argv, int *i, struct cli_arguments *a)
{
  const char *text = argv[*i] + 2;
  char name[32];
  size_t length = strcspn(text, "=");
  if (length >= sizeof name) return cli_complain("unknown option '%s'", argv[*i]);
  memcpy(name, text, length);
  name[length] = '\0';
  int k = cli_find_option(a->command, name);
  const char *value = text[length] == '=' ? text + length + 1 : NULL;
  if (k < 0 && strncmp(name, "no-", 3) == 0) {
    k = cli_find_option(a->command, name + 3);
    if (k >= 0 && cli_can_be_undone(&cli_options[k])) return undo_switch(a, k, value);
    k = -1;
  }
  if (k < 0) return complain_option(a->command, argv[*i], name);
  return take_value(argc, argv, i, a, k, value);
}

/* Parses the short option argv[*i], such as "-o", with the next word as its value, and increments *i. Returns CLI_DONE, or CLI_BAD_INPUT after
 * an error message. */
static int parse_letter(int argc, char **argv, int *i, struct cli_arguments *a)
{
  const char *text = argv[*i];
  for (int k = 0; k < cli_option_count && text[2] == '\0'; k++) {
    if (cli_options[k].letter == text[1] && cli_takes(a->command, &cli_options[k])) {
      return take_value(argc, argv, i, a, k, NULL);
    }
  }
  return cli_complain("unknown option '%s'; 'camber %s --help' lists them", text, a->command->name);
}

bool cli_on_model(const struct cli_command *command)
{
  const char *operand = command->operand;
  return operand && (strcmp(operand, "MODEL") == 0 || cli_ends_in(operand, " MODEL"));
}

/* Stores a word of the command line that is not an option: an operand such as MODEL, or the word that some commands need before it: a fixed one
 * (`c` of `export c MODEL`), or any if the table has it in capitals (WHEEL of `rail WHEEL RAIL`). Returns CLI_DONE; CLI_BAD_INPUT after an
 * error message if the command does not expect the word. */
static int take_word(struct cli_arguments *a, const char *word)
{
  const char *operand = a->command->operand, *blank = operand ? strchr(operand, ' ') : NULL;
  const bool several = operand && cli_ends_in(operand, "...");
  if (several && a->result_count == CLI_MOST_RESULTS) {
    return cli_complain("'camber %s' takes %d files at most", a->command->name, CLI_MOST_RESULTS);
  }
  if (several) a->result[a->result_count++] = word;
  if (several && a->operand) return CLI_DONE;
  if (!operand || a->operand) {
    return cli_complain("'camber %s' does not expect '%s'", a->command->name, word);
  }
  if (!blank || a->kind) {
    a->operand = word;
    return CLI_DONE;
  }
  const size_t length = (size_t)(blank - operand);
  const bool any = isupper((unsigned char)operand[0]);
  if (!any && (strlen(word) != length || strncmp(word, operand, length) != 0)) {
    return cli_complain("'camber %s' does not know '%s'; expected '%.*s'", a->command->name, word,
                        (int)length, operand);
  }
  a->kind = word;
  return CLI_DONE;
}

/* Parses the options and operands after the name of a command, argv[0] to argv[argc − 1], and stores their values in the arguments `a`. Returns
 * CLI_DONE; CLI_BAD_INPUT after an error message at the first invalid word, or if the operand is missing. */
static int parse_words(int argc, char **argv, struct cli_arguments *a)
{
  for (int i = 0; i < argc; i++) {
    if (strncmp(argv[i], "--", 2) == 0) {
      int code = parse_option(argc, argv, &i, a);
      if (code != CLI_DONE) return code;
    } else if (strcmp(argv[i], "-h") == 0) {
      a->help = true;
    } else if (argv[i][0] == '-' && argv[i][1] != '\0') {
      int code = parse_letter(argc, argv, &i, a);
      if (code != CLI_DONE) return code;
    } else {
      int code = take_word(a, argv[i]);
      if (code != CLI_DONE) return code;
    }
  }
  const char *operand = a->command->operand;
  if (operand && operand[0] != '[' && !a->operand && !a->help) {
    return cli_complain("'camber %s' needs %s; 'camber %s --help' explains", a->command->name,
                        a->command->operand, a->command->name);
  }
  return CLI_DONE;
}

/* Returns whether --json is among the words argv[0] to argv[argc − 1] and the command accepts it. Used when the command line is invalid, to
 * decide whether the error is reported as JSON too. */
static bool wants_json(int argc, char **argv, const struct cli_command *command)
{
  if (!cli_takes(command, &cli_options[cli_find_option(command, "json")])) return false;
  for (int i = 0; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) return true;
  }
  return false;
}

int cli_parse_words(const struct cli_command *command, int argc, char **argv,
                    struct cli_arguments *a)
{
  *a = (struct cli_arguments){.command = command,
                              .word_count = argc,
                              .words = argv,
                              .rtol = NAN,
                              .atol = NAN,
                              .t_end = NAN,
                              .step = NAN,
                              .max_step = NAN,
                              .every = NAN,
                              .at = NAN,
                              .save_at = NAN,
                              .radius = NAN,
                              .gauge = NAN,
                              .back_to_back = NAN,
                              .cant = NAN,
                              .yaw = NAN,
                              .yaw_per_mm = NAN,
                              .range = NAN,
                              .amplitude = NAN,
                              .smoothing = NAN,
                              .penetration = NAN,
                              .wheel_load = NAN,
                              .speed = NAN,
                              .width = 1280,
                              .height = 720,
                              .max_steps = NAN,
                              .repeat = 1,
                              .x = "t"};
  const int code = parse_words(argc, argv, a);
  if (code != CLI_DONE) a->json = wants_json(argc, argv, command);
  return code;
}

void cli_release(struct cli_arguments *a)
{
  for (int i = 0; i < a->owned_count; i++) free(a->owned[i]);
}
