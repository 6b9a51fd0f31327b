/*
 * Bundled models in tests: read from models/, made into a system, run, and asked for outputs by name. Whatever fails, fails
 * the test with the library's words.
 */
#ifndef CMBT_MODEL_RUN_H
#define CMBT_MODEL_RUN_H

#include <camber/camber.h>

/* An event of a run; `limit` as in cmb_event. */
typedef struct cmbt_event {
  char name[60];
  double t, limit;
  int index, direction;
  cmb_event_kind kind;
} cmbt_event;

typedef struct cmbt_run {
  cmb_context *ctx;
  cmb_model *model;
  cmb_system *system;
  cmb_simulation *sim;
  const cmb_equations *eq;
  const cmb_result *result;
  double *rows; /* (row_count x (1 + no + nq + nv)) t, outputs, q and v of each record */
  int row_count, row_room;
  cmbt_event *events; /* (event_count) all of them, in their order */
  int event_count, event_room;
  double rtol;        /* 1e-10 unless changed before the run */
  double atol;        /* 0, unless changed: a hundredth of rtol */
  double step;        /* 0, unless changed: the method chooses it */
  const char *method; /* mdop853 */
  const char *form, *control,
      *positions; /* options of the method by these names; NULL: as they are */
} cmbt_run;

/* The model NAME in models/, with parameters in place of its own. */
void cmbt_run_open(cmbt_run *r, const char *name, cmb_formulation formulation, int set_count,
                   const cmb_setting *set);

/* The names of the files in models/, without their ending; how many. */
enum { CMBT_MOST_MODELS = 64, CMBT_NAME_ROOM = 100 };
int cmbt_model_names(char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM]);

/* Whether a model is a vehicle with a trailer: one takes as long as ten others together, and has tests of its own (cli.trailers). */
bool cmbt_has_trailer(const char *name);

/* A model in a text; files that it includes are those in models/. */
void cmbt_run_open_text(cmbt_run *r, const char *text, cmb_formulation formulation);

/* The same with the expressions that steps of fixed cost are made of. */
void cmbt_run_open_text_with(cmbt_run *r, const char *text, cmb_formulation formulation,
                             bool expressions);
void cmbt_run_close(cmbt_run *r);

/* Start values become the equilibrium near them. */
void cmbt_run_settle(cmbt_run *r);

/* Consistent initial values and their outputs only; or the whole run to t_end, recorded at the interval `every` (0: not). */
void cmbt_run_start(cmbt_run *r);
void cmbt_run_to(cmbt_run *r, double t_end, double every);

/* An output where the run stands, or in a row; "t" too, and in a row coordinates and velocities. A velocity by its name. */
double cmbt_output(const cmbt_run *r, const char *name);
double cmbt_row(const cmbt_run *r, int row, const char *name);
double cmbt_velocity(const cmbt_run *r, const char *name);

/* The times of the user's events with a name and a direction (0: any), `most` of them; how many there are. And those of a switching
 * function. */
int cmbt_times(const cmbt_run *r, const char *name, int direction, int most, double *t);
int cmbt_switch_times(const cmbt_run *r, const char *name, int direction, int most, double *t);

/* The integral of an output over all rows, which are equally spaced and odd in number, by Simpson's rule. */
double cmbt_integral(const cmbt_run *r, const char *name);

#endif
