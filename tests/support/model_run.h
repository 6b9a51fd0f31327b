/*
 * Runs models in tests: reads one from models/ or from a text, makes its system, simulates it, and returns outputs by their names. If a
 * call of the library fails, the test fails with the library's error message.
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
  cmbt_event *events; /* (event_count) all events of the run, in order of time */
  int event_count, event_room;
  /* Options, which a test may change between cmbt_run_open and the run */
  double rtol;                            /* 1e-10 by default */
  double atol;                            /* 0, the default: a hundredth of rtol */
  double step;                            /* 0, the default: the method chooses it */
  const char *method;                     /* mdop853 by default */
  const char *form, *control, *positions; /* options of the method; NULL: its defaults */
} cmbt_run;

/* Reads the model models/NAME.yaml, with other values for the parameters in `set`, and makes its system. */
void cmbt_run_open(cmbt_run *r, const char *name, cmb_formulation formulation, int set_count,
                   const cmb_setting *set);

/* Lists the names of the files models/NAME.yaml. Returns their number. */
enum { CMBT_MOST_MODELS = 64, CMBT_NAME_ROOM = 100 };
int cmbt_model_names(char names[CMBT_MOST_MODELS][CMBT_NAME_ROOM]);

/* Returns whether a model is a vehicle with a trailer. Its simulation takes as long as those of ten other models; cli.trailers tests it. */
bool cmbt_has_trailer(const char *name);

/* Reads a model from a text, which may include files of models/, and makes its system. */
void cmbt_run_open_text(cmbt_run *r, const char *text, cmb_formulation formulation);

/* As cmbt_run_open_text; `expressions`: keep the expressions, from which steps of fixed cost are generated. */
void cmbt_run_open_text_with(cmbt_run *r, const char *text, cmb_formulation formulation,
                             bool expressions);
void cmbt_run_close(cmbt_run *r);

/* Replaces the start values by the equilibrium near them. */
void cmbt_run_settle(cmbt_run *r);

/* cmbt_run_start computes consistent initial values and their outputs; cmbt_run_to simulates from 0 to t_end and records rows at the
 * interval `every` (0: no rows). */
void cmbt_run_start(cmbt_run *r);
void cmbt_run_to(cmbt_run *r, double t_end, double every);

/* cmbt_output returns an output or the time "t" at the end of the run, cmbt_row an output, "t", a coordinate or a velocity in a recorded
 * row, cmbt_velocity a velocity at the end of the run. The test fails if the name is unknown. */
double cmbt_output(const cmbt_run *r, const char *name);
double cmbt_row(const cmbt_run *r, int row, const char *name);
double cmbt_velocity(const cmbt_run *r, const char *name);

/* Write to t the first `most` times of a user's event, or of the crossings of a switching function, with this name and direction (0:
 * any). Return the number of all such times. */
int cmbt_times(const cmbt_run *r, const char *name, int direction, int most, double *t);
int cmbt_switch_times(const cmbt_run *r, const char *name, int direction, int most, double *t);

/* Returns the integral of an output over all rows by Simpson's rule. The rows must be equally spaced, and their number odd. */
double cmbt_integral(const cmbt_run *r, const char *name);

#endif
