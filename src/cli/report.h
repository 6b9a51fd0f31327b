/*
 * The report of a run (`camber run --html`): one HTML file with the summary, the plots and an animation of the bodies, which a browser opens
 * from disk. Parts of it are also used for the pages of `camber view`.
 *
 * The report is an HTML page with the viewer (page.h). It shows what --json prints, the bodies, joints and forces of the model
 * (report_scene.c), the poses of the bodies at some instants, and columns of numbers over time (report_data.c). The memory for the data of
 * the run is allocated before it; if they do not fit, they are thinned.
 */
#ifndef CMB_CLI_REPORT_H
#define CMB_CLI_REPORT_H

#include "cli/cli.h"
#include "cli/frames.h"
#include "cli/history.h"

/* A force of a joint, loop, spring, contact or tyre, which the page shows as an arrow (report_forces.c). */
struct cli_arrow {
  cmb_item_kind kind; /* kind of the element that exerts it */
  int item;           /* number of the element among those of its kind */
  int components; /* 3: along the global axes; 1 along the line between two points, positive in tension */
  int first; /* index of its first component among those of all arrows */
};

/* The forces that a report shows as arrows. */
struct cli_forces {
  cmb_context *ctx;         /* for the model below: its messages are not shown to the user */
  cmb_model *model;         /* a second copy of the model, with the forces as outputs */
  cmb_system *system;       /* its system (the second system); NULL: no forces are available */
  int count;                /* number of arrows */
  int numbers;              /* number of force components, also of arrows that were removed */
  struct cli_arrow *arrows; /* (count) */
  int *output; /* (numbers) index of each force component among the outputs of `system` */
  double *now; /* (numbers) the force components in the current record */
};

/* About the greatest number of values of all curves in a report (more for over 600 columns). With the viewer, the page then has less than 6
 * MB for models with up to some hundred columns and some fifty bodies. */
enum { CLI_SERIES_NUMBERS = 600000 };

/* The data of a report, collected during the run. */
struct cli_report {
  const cmb_equations *eq;
  FILE *viewer;              /* the JavaScript file of the viewer */
  struct cli_history series; /* the trajectory, with fewer rows if there are many columns */
  struct cli_history steps;  /* of the steps: columns t, step size, order */
  struct cli_frames frames;  /* the instants of the animation: positions and forces */
  struct cli_forces forces;
  double step_begin; /* time at the beginning of the current step; NaN: there was none */
};

/* Texts and numbers at the top of a report. */
struct cli_report_texts {
  const char *title, *file; /* title of the model; its file or name */
  double t_end;             /* requested end of the simulated time */
};

/* Begin a report. cli_report_open initialises *r and opens the file of the viewer, cli_report_begin allocates the memory for the data;
 * without --html nothing is opened or allocated. They print an error message on failure, e.g. if this build has no viewer, and return an exit
 * code, CLI_DONE on success. cli_report_end closes the file and frees the memory. */
int cli_report_open(struct cli_report *r, const struct cli_arguments *a);
int cli_report_begin(struct cli_report *r, const struct cli_arguments *a, const cmb_equations *eq);
void cli_report_end(struct cli_report *r);

/* Store the data of the run: of a record, and of each step, from the time t before it to the time t after it. `order` is that of the
 * integration method in the step. */
void cli_report_sample(struct cli_report *r, const cmb_record *record);
void cli_report_before_step(struct cli_report *r, double t);
void cli_report_after_step(struct cli_report *r, double t, int order);

/* Writes the report to the file of --html, which is replaced as a whole. The callback `put_run` writes the summary of the run `run` as keys
 * of a JSON object. If CMB_ERROR_MEMORY is returned, the context may have no error message. */
cmb_status cli_report_save(cmb_context *ctx, struct cli_report *r, const struct cli_arguments *a,
                           const struct cli_report_texts *texts,
                           void (*put_run)(struct cli_json *j, const void *run), const void *run);

/* ---- parts of a page */

/* Writes title, file, end time, formulation and parameter settings of a report as JSON keys. */
void cli_report_head(struct cli_json *j, const struct cli_arguments *a,
                     const struct cli_report_texts *texts);

/* report_scene.c: writes the JSON object "scene" with the elements of the model that are drawn: bodies, joints, forces, shapes, ... */
void cli_report_scene(struct cli_json *j, const cmb_model *model);

/* report_data.c: the poses of the bodies at stored instants. */
struct cli_poses {
  long count;  /* number of instants */
  int bodies;  /* number of bodies */
  double *t;   /* (count) the times */
  float *pose; /* (count x bodies x 7) position of the centre of mass, quaternion x, y, z, w */
};

/* Computes the poses of `bodies` bodies at the instants of `frames` by the calculator `from`. `poses` has to be released even after a
 * failure. cli_report_poses writes them as the JSON object "frames". */
cmb_status cli_report_poses_by(cmb_poses *from, int bodies, const struct cli_frames *frames,
                               struct cli_poses *poses);
void cli_report_poses(struct cli_json *j, const struct cli_poses *poses);
void cli_report_release_poses(struct cli_poses *poses);

/* Writes the animation as the JSON keys "scene" (the elements of the model), "frames" (the poses of its bodies at the instants of `frames`)
 * and "surfaces" (the ground below them). */
cmb_status cli_report_motion(cmb_context *ctx, struct cli_json *j, struct cli_frames *frames,
                             const struct cli_arguments *a);

/* A column of a history that is shown as a curve. */
struct cli_report_column {
  const char *name, *unit, *title; /* unit and title may be NULL */
  const char *kind;                /* "output", "velocity", ... */
  int index;                       /* its index in the rows of the history */
};

/* Writes the times of the history h and columns[count] as a JSON object under `key`. `exact` selects double precision, so that small
 * differences between curves are not lost. */
cmb_status cli_report_table(struct cli_json *j, const char *key, const struct cli_history *h,
                            bool exact, int count, const struct cli_report_column *columns);

/* report_forces.c: the forces to be shown as arrows. cli_forces_begin reads the model a second time with the forces as outputs.
 * cli_forces_equations returns the equations of this second system, which a run has to evaluate beside its own (option `extra_equations` of
 * cmb_run_options); NULL if there are none. cli_forces_of returns the force components (numbers) in a record of the run, NaN if unknown.
 * cli_report_forces writes the forces at the instants of `frames` as the JSON list "forces", which is empty if they are not available. */
cmb_status cli_forces_begin(struct cli_forces *f, const struct cli_arguments *a,
                            const cmb_equations *eq);
const cmb_equations *cli_forces_equations(const struct cli_forces *f);
const double *cli_forces_of(struct cli_forces *f, const cmb_record *record);
cmb_status cli_report_forces(struct cli_json *j, const struct cli_forces *f,
                             const struct cli_frames *frames);
void cli_forces_end(struct cli_forces *f);

/* report_surface.c: writes the shape of the ground near the bodies as the JSON list "surfaces". */
cmb_status cli_report_surfaces(cmb_context *ctx, struct cli_json *j, const cmb_model *model,
                               const struct cli_poses *poses);

/* report_data.c: writes the curves of a report as the JSON objects "series" (the trajectory) and "steps" (step size and order). */
cmb_status cli_report_columns(struct cli_json *j, const struct cli_report *r);

#endif
