/*
 * The report of a run (`camber run --html`): one HTML file with the summary, the plots and the motion of the bodies, which opens from disk.
 *
 * It is a page of the viewer (page.h) that shows what --json prints, the bodies, joints and forces of the model (report_scene.c), the poses
 * of the bodies at some instants, and columns of numbers over time (report_data.c). Memory is allocated before the run and does not grow
 * with it: longer data are thinned.
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
  int parts; /* number of components: 3 along the axes; 1 along the line between two points, positive in tension */
  int first; /* index of its first component among the stored numbers */
};

struct cli_forces {
  cmb_context *ctx; /* for the model below: its messages are not shown to the user */
  cmb_model *model; /* a second copy of the model, with the forces as outputs */
  cmb_system *system;
  int count, numbers; /* number of arrows; of values stored per instant */
  struct cli_arrow *arrows;
  int *output; /* (numbers) index of each stored number among the system's outputs */
  double *now; /* (numbers) values of the current record */
};

/* The limit for the values of all curves in a page: with the viewer it stays below 6 MB for models with up to some hundred columns and
 * some fifty bodies. */
enum { CLI_SERIES_NUMBERS = 600000 };

struct cli_report {
  const cmb_equations *eq;
  FILE *viewer;
  struct cli_history series; /* as for a plot, but with fewer rows if there are many columns */
  struct cli_history steps;  /* columns: t, step size, order */
  struct cli_frames frames;
  struct cli_forces forces;
  double step_begin; /* time at the beginning of the current step; NaN: there was none */
};

/* Texts and numbers in the head of a report. */
struct cli_report_texts {
  const char *title, *file; /* title of the model; its file or name */
  double t_end;             /* requested end of the simulated time */
};

/* cli_report_open finds the viewer and cli_report_begin allocates all memory, both only if --html is given. They print an error message
 * on failure, e.g. if this build has no viewer, and return an exit code. */
int cli_report_open(struct cli_report *r, const struct cli_arguments *a);
int cli_report_begin(struct cli_report *r, const struct cli_arguments *a, const cmb_equations *eq);
void cli_report_end(struct cli_report *r);

void cli_report_sample(struct cli_report *r, const cmb_record *record);
void cli_report_before_step(struct cli_report *r, double t);
void cli_report_after_step(struct cli_report *r, double t, int order);

/* Writes the report to the file of --html, which is replaced as a whole. `put_run` writes the summary of the run as keys of an object.
 * If the result is CMB_ERROR_MEMORY, the context may have no error message. */
cmb_status cli_report_save(cmb_context *ctx, struct cli_report *r, const struct cli_arguments *a,
                           const struct cli_report_texts *texts,
                           void (*put_run)(struct cli_json *j, const void *run), const void *run);

/* ---- parts */

/* Writes title, file, end time, formulation and parameter settings of a report as JSON keys. */
void cli_report_head(struct cli_json *j, const struct cli_arguments *a,
                     const struct cli_report_texts *texts);

/* report_scene.c: writes "scene", the elements of the model to be drawn. */
void cli_report_scene(struct cli_json *j, const cmb_model *model);

/* report_data.c: the poses of the bodies at stored instants. */
struct cli_poses {
  long count; /* number of instants */
  int bodies;
  double *t;   /* (count) */
  float *pose; /* (count x bodies x 7) position of the centre of mass, quaternion x, y, z, w */
};

/* Computes the poses of `bodies` bodies at the instants of `frames`. `poses` has to be released in any case. */
cmb_status cli_report_poses_by(cmb_poses *from, int bodies, const struct cli_frames *frames,
                               struct cli_poses *poses);
void cli_report_poses(struct cli_json *j, const struct cli_poses *poses);
void cli_report_release_poses(struct cli_poses *poses);

/* Writes "scene", "frames" and "surfaces": the elements of the model, the poses of its bodies over time, and the ground below them. */
cmb_status cli_report_motion(cmb_context *ctx, struct cli_json *j, struct cli_frames *frames,
                             const struct cli_arguments *a);

/* Describes a column of a history that becomes a curve. cli_report_table writes the times and the columns as an object, in the given
 * order; `exact` selects double precision, so that small differences between curves are not lost. */
struct cli_report_column {
  const char *name, *unit, *title, *kind; /* unit and title may be NULL */
  int index;                              /* in the rows of the history */
};
cmb_status cli_report_table(struct cli_json *j, const char *key, const struct cli_history *h,
                            bool exact, int count, const struct cli_report_column *columns);

/* report_forces.c: the forces to be shown as arrows. cli_forces_begin reads the model with forces as outputs; cli_report_forces writes
 * their values at all stored instants as "forces", an empty list if the forces are not available. */
cmb_status cli_forces_begin(struct cli_forces *f, const struct cli_arguments *a,
                            const cmb_equations *eq);
const cmb_equations *cli_forces_equations(const struct cli_forces *f);
const double *cli_forces_of(struct cli_forces *f, const cmb_record *record);
cmb_status cli_report_forces(struct cli_json *j, const struct cli_forces *f,
                             const struct cli_frames *frames);
void cli_forces_end(struct cli_forces *f);

/* report_surface.c: writes "surfaces", the shape of the ground. */
cmb_status cli_report_surfaces(cmb_context *ctx, struct cli_json *j, const cmb_model *model,
                               const struct cli_poses *poses);
cmb_status cli_report_columns(struct cli_json *j, const struct cli_report *r);

#endif
