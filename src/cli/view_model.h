/*
 * The HTML page of a model (`camber view MODEL`): declarations that view_model.c, view_extent.c, view_sliders.c and view_modes.c share.
 *
 * The mechanism is shown in the state where a run would start. All motions that the page can show are computed in advance: positions along
 * each free coordinate (view_sliders.c) and over a period of each mode (view_modes.c).
 */
#ifndef CMB_CLI_VIEW_MODEL_H
#define CMB_CLI_VIEW_MODEL_H

#include "cli/report.h"

/* The greatest number of values for all sliders, and the same for all modes: a page with the viewer then has less than 6 MB. */
enum { CLI_VIEW_NUMBERS = 400000 };

/* The state that is shown, and what is needed to compute others. */
struct cli_view_place {
  cmb_context *ctx;
  const struct cli_arguments *a;
  const cmb_system *system;
  cmb_equations eq;       /* with the parameters of the state */
  double t, t_end;        /* time of the state; end of the run, in s */
  const double *q, *v;    /* (nq), (nv) positions and velocities */
  cmb_freedoms *freedoms; /* moves the degrees of freedom */
  cmb_poses *poses;       /* computes the poses of the bodies */
  int bodies;             /* number of bodies */
  double size; /* size of the mechanism: diagonal of the bounding box of its points, in m */
  struct cli_progress progress;
  double done, all; /* pieces of work for the progress bar: number done; of all */
};

/* Advances the progress bar by one piece of work. Returns false if the user has interrupted. */
bool cli_view_advance(struct cli_view_place *p);

/* ---- view_extent.c: size of the mechanism, and displacements */

/* Computes the size of the mechanism at the positions shown: the diagonal of the bounding box of all points that are fixed to bodies; 1 if
 * this is 0. */
cmb_status cli_view_size(struct cli_view_place *p, double *size);

/* Computes how far a small change ε dq of the coordinates, dq[nq], moves the mechanism, divided by ε: the largest displacement *distance of a
 * point, and the largest rotation angle *turn of a body. */
cmb_status cli_view_displaced(struct cli_view_place *p, const double *dq, double *distance,
                              double *turn);

/* ---- view_sliders.c */

/* Why the range of a slider control ends: at the planned limit, where loops cannot be closed, or at a stop or contact. */
enum cli_slider_end { CLI_END_CHOSEN, CLI_END_LOOPS, CLI_END_STOP };

/* A control of the page by which the user moves a coordinate, or the time, and the positions that it leads to. */
struct cli_slider {
  const char *name, *unit;    /* of the coordinate */
  double start;               /* its value in the state that is shown */
  struct cli_frames frames;   /* the positions; each row begins with the value of the coordinate */
  float *outputs;             /* (frames.count x outputs) the model's outputs at each position */
  enum cli_slider_end end[2]; /* why the range ends at its lower and upper end */
  const char *stop[2];        /* name of the stop or contact that is reached there; NULL: none */
};

struct cli_sliders {
  int freedoms; /* number of degrees of freedom */
  /* number of sliders; number of those for degrees of freedom, which come first */
  int count, moved;
  int outputs;       /* number of outputs shown: those that depend on positions and time only */
  const int *output; /* (outputs) their indices in the equations */
  struct cli_slider *list; /* (moved + 1) sliders; `count` are in use */
};

/* Computes the positions of all sliders. `sliders` has to be released even after a failure. cli_sliders_put writes them as the JSON object
 * "sliders". */
cmb_status cli_sliders_find(struct cli_view_place *p, struct cli_sliders *sliders);
cmb_status cli_sliders_put(struct cli_json *j, const struct cli_view_place *p,
                           const struct cli_sliders *sliders);
void cli_sliders_release(struct cli_sliders *sliders);

/* ---- view_modes.c */

/* The animation of a mode. */
struct cli_mode {
  const cmb_eigenmode *mode; /* eigenvalue and eigenvector */
  double amplitude;          /* of the coordinate with the largest change */
  /* the positions; each row begins with the fraction of the period. Empty if no body moves, or loops cannot be closed */
  struct cli_frames frames;
};

struct cli_modes {
  cmb_linearization *linearization; /* NULL: there is none */
  /* why modes cannot be computed; NULL: they are, or there are no degrees of freedom */
  char *refused;
  int count;             /* number of modes shown, the first ones of the linearisation */
  struct cli_mode *list; /* (count) */
};

/* Computes the animations of the modes. `modes` has to be released even after a failure. cli_modes_put writes them as the JSON object
 * "modes". */
cmb_status cli_modes_find(struct cli_view_place *p, struct cli_modes *modes);
cmb_status cli_modes_put(struct cli_json *j, const struct cli_view_place *p,
                         const struct cli_modes *modes);
void cli_modes_release(struct cli_modes *modes);

#endif
