/*
 * The report of a run (--html): one HTML file with the summary, the plots and the motion of the bodies, that opens from disk.
 *
 * It is a page of the viewer (page.h) that shows what --json prints, the bodies, joints and forces of the model (report_scene.c), where the
 * bodies are at some instants, and columns of numbers over time (report_data.c). Memory is taken before the run and does not grow with it:
 * what is longer is thinned.
 */
#ifndef CMB_CLI_REPORT_H
#define CMB_CLI_REPORT_H

#include "cli/cli.h"
#include "cli/frames.h"
#include "cli/history.h"

/* Forces of joints, loops, springs, contacts and tyres, which the page shows as arrows (report_forces.c). */
struct cli_arrow {
  cmb_item_kind kind; /* of what exerts it, .. */
  int item;           /* .. and its number */
  int parts; /* 3: along the axes; 1: along the line between two points, positive if it pulls */
  int first; /* of the numbers that are kept */
};

struct cli_forces {
  cmb_context *ctx; /* of what follows: its messages are nobody's */
  cmb_model *model; /* the same model, with the forces as outputs */
  cmb_system *system;
  int count, numbers; /* of arrows; of what is kept at an instant */
  struct cli_arrow *arrows;
  int *output; /* (numbers) of the system */
  double *now; /* (numbers) of the record that is being kept */
};

/* Of all curves in a page: with the viewer it is below 6 MB, of models with up to some hundred columns and some fifty bodies. */
enum { CLI_SERIES_NUMBERS = 600000 };

struct cli_report {
  const cmb_equations *eq;
  FILE *viewer;
  struct cli_history series; /* as of a plot, but with fewer rows where there are many columns */
  struct cli_history steps;  /* t, size of the step, order */
  struct cli_frames frames;
  struct cli_forces forces;
  double step_begin; /* where the last step ended; NaN: there was none */
};

/* What there is to show. */
struct cli_report_texts {
  const char *title, *file; /* of the model; its file, or its name */
  double t_end;             /* that was asked for */
};

/* The viewer; then all memory. Both complain, the first one if this build has no viewer, and return an exit code. */
int cli_report_open(struct cli_report *r, const struct cli_arguments *a);
int cli_report_begin(struct cli_report *r, const struct cli_arguments *a, const cmb_equations *eq);
void cli_report_end(struct cli_report *r);

void cli_report_sample(struct cli_report *r, const cmb_record *record);
void cli_report_before_step(struct cli_report *r, double t);
void cli_report_after_step(struct cli_report *r, double t, int order);

/* The page, put in place as a whole. `put_run` writes the summary as an object's keys. Of CMB_ERROR_MEMORY the context may have no words. */
cmb_status cli_report_save(cmb_context *ctx, struct cli_report *r, const struct cli_arguments *a,
                           const struct cli_report_texts *texts,
                           void (*put_run)(struct cli_json *j, const void *run), const void *run);

/* ---- parts */

/* Title, file, end, formulation and settings of a report. */
void cli_report_head(struct cli_json *j, const struct cli_arguments *a,
                     const struct cli_report_texts *texts);

/* report_scene.c: "scene", what the model has to show. */
void cli_report_scene(struct cli_json *j, const cmb_model *model);

/* report_data.c: where the bodies are; the columns. */
struct cli_poses {
  long count; /* instants */
  int bodies;
  double *t;   /* (count) */
  float *pose; /* (count x bodies x 7) place of the centre of mass, quaternion x, y, z, w */
};

/* Poses of a model with so many bodies; to be released in any case. */
cmb_status cli_report_poses_by(cmb_poses *from, int bodies, const struct cli_frames *frames,
                               struct cli_poses *poses);
void cli_report_poses(struct cli_json *j, const struct cli_poses *poses);
void cli_report_release_poses(struct cli_poses *poses);

/* "scene", "frames" and "surfaces": what the model has, where its bodies are, and what is below them. */
cmb_status cli_report_motion(cmb_context *ctx, struct cli_json *j, struct cli_frames *frames,
                             const struct cli_arguments *a);

/* Columns of a history that become curves, in this order: an object with the times and the columns. exact: in double precision, so that
 * small differences between curves are not lost. */
struct cli_report_column {
  const char *name, *unit, *title, *kind; /* NULL: there is none; the kind is always there */
  int index;                              /* in the rows of the history */
};
cmb_status cli_report_table(struct cli_json *j, const char *key, const struct cli_history *h,
                            bool exact, int count, const struct cli_report_column *columns);

/* report_forces.c: what is to be recorded, from the model with forces as outputs; "forces", a table of the instants. Without them the list is empty. */
cmb_status cli_forces_begin(struct cli_forces *f, const struct cli_arguments *a,
                            const cmb_equations *eq);
const cmb_equations *cli_forces_witness(const struct cli_forces *f);
const double *cli_forces_of(struct cli_forces *f, const cmb_record *record);
cmb_status cli_report_forces(struct cli_json *j, const struct cli_forces *f,
                             const struct cli_frames *frames);
void cli_forces_end(struct cli_forces *f);

/* report_surface.c: "surfaces", the ground. */
cmb_status cli_report_surfaces(cmb_context *ctx, struct cli_json *j, const cmb_model *model,
                               const struct cli_poses *poses);
cmb_status cli_report_columns(struct cli_json *j, const struct cli_report *r);

#endif
