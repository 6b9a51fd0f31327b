/*
 * The page of a model (`camber view MODEL`): declarations shared by its parts.
 *
 * The mechanism is shown in the state where a run would start. All motions that the page can show are computed in advance: positions along
 * each free coordinate (view_sliders.c) and over a period of each mode (view_modes.c).
 */
#ifndef CMB_CLI_VIEW_MODEL_H
#define CMB_CLI_VIEW_MODEL_H

#include "cli/report.h"

/* Limit for the numbers of all sliders, and the same for the modes: with the viewer a page stays below 6 MB. */
enum { CLI_VIEW_NUMBERS = 400000 };

/* The state that is shown, and what is needed to compute others. */
struct cli_view_place {
  cmb_context *ctx;
  const struct cli_arguments *a;
  const cmb_system *system;
  cmb_equations eq; /* with the parameters of the state */
  double t, t_end;
  const double *q, *v;
  cmb_freedoms *freedoms;
  cmb_poses *poses;
  int bodies;
  double size; /* size of the mechanism: diagonal of the bounding box of its points */
  struct cli_progress progress;
  double done, all; /* pieces of work for the progress bar */
};

/* Advances the progress bar by one piece of work. Returns false if the user has interrupted. */
bool cli_view_advance(struct cli_view_place *p);

/* ---- view_extent.c: size of the mechanism, and displacements */

/* Computes the diagonal of the bounding box of all points that are fixed to bodies, at the shown position. */
cmb_status cli_view_size(struct cli_view_place *p, double *size);

/* Computes how far a small change dq (nq) of the coordinates moves the mechanism, per unit of dq: the largest displacement of a point,
 * and the largest rotation angle of a body. */
cmb_status cli_view_displaced(struct cli_view_place *p, const double *dq, double *distance,
                              double *turn);

/* ---- view_sliders.c */

/* Why a slider's range ends: at the planned limit, where loops do not close, or at a stop. */
enum cli_slider_end { CLI_END_CHOSEN, CLI_END_LOOPS, CLI_END_STOP };

struct cli_slider {
  const char *name, *unit;
  double start;
  struct cli_frames frames;   /* each row begins with the value of the coordinate */
  float *outputs;             /* (count x outputs) */
  enum cli_slider_end end[2]; /* of the lower and upper end */
  const char *stop[2];        /* name of the stop that is reached at the end; NULL: none */
};

struct cli_sliders {
  int freedoms; /* degrees of freedom */
  /* number of sliders; number of those for degrees of freedom, which come first */
  int count, moved;
  int outputs;
  const int *output; /* (outputs) their indices in the equations */
  struct cli_slider *list;
};

cmb_status cli_sliders_find(struct cli_view_place *p, struct cli_sliders *sliders);
cmb_status cli_sliders_put(struct cli_json *j, const struct cli_view_place *p,
                           const struct cli_sliders *sliders);
void cli_sliders_release(struct cli_sliders *sliders);

/* ---- view_modes.c */

struct cli_mode {
  const cmb_eigenmode *mode;
  double amplitude; /* of the coordinate with the largest change */
  /* each row begins with the fraction of the period; empty if no coordinate changes */
  struct cli_frames frames;
};

struct cli_modes {
  cmb_linearization *linearization; /* NULL: there is none */
  char *refused;                    /* why there are no modes; NULL: nothing to linearise */
  int count;
  struct cli_mode *list;
};

cmb_status cli_modes_find(struct cli_view_place *p, struct cli_modes *modes);
cmb_status cli_modes_put(struct cli_json *j, const struct cli_view_place *p,
                         const struct cli_modes *modes);
void cli_modes_release(struct cli_modes *modes);

#endif
