/*
 * The page of a model (camber view MODEL): what its parts share.
 *
 * The mechanism is shown where a run would start. Everything that the page can move was computed before: positions along each free
 * coordinate (view_sliders.c) and over a period of each mode (view_modes.c).
 */
#ifndef CMB_CLI_VIEW_MODEL_H
#define CMB_CLI_VIEW_MODEL_H

#include "cli/report.h"

/* Numbers that the sliders have, and as many the modes: with the viewer a page stays below 6 MB. */
enum { CLI_VIEW_NUMBERS = 400000 };

/* The state that is shown, and what it takes to compute others. */
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
  double size; /* of the mechanism: the diagonal of the box around its points */
  struct cli_progress progress;
  double done, all; /* of the work that the progress bar shows */
};

/* One more of its pieces of work is done. False: the user has interrupted. */
bool cli_view_advance(struct cli_view_place *p);

/* ---- view_extent.c: how large the mechanism is, and how far it is displaced */

/* A box around all points that are fixed to bodies, at q. */
cmb_status cli_view_size(struct cli_view_place *p, double *size);

/* How far a small change dq (nq) of the coordinates moves: the largest way of a point and the largest turn of a body, for a change of 1. */
cmb_status cli_view_displaced(struct cli_view_place *p, const double *dq, double *way,
                              double *turn);

/* ---- view_sliders.c */

/* Why a range ends there. */
enum cli_slider_end { CLI_END_CHOSEN, CLI_END_LOOPS, CLI_END_STOP };

struct cli_slider {
  const char *name, *unit;
  double start;
  struct cli_frames frames;   /* the rows begin with the value of the coordinate */
  float *outputs;             /* (count x outputs) */
  enum cli_slider_end end[2]; /* of the low and of the high end */
  const char *stop[2];        /* that closes there; NULL: none */
};

struct cli_sliders {
  int freedoms;     /* degrees of freedom */
  int count, moved; /* sliders; how many of them are of freedoms: those that come first */
  int outputs;
  const int *output; /* (outputs) their numbers in the equations */
  struct cli_slider *list;
};

cmb_status cli_sliders_find(struct cli_view_place *p, struct cli_sliders *sliders);
cmb_status cli_sliders_put(struct cli_json *j, const struct cli_view_place *p,
                           const struct cli_sliders *sliders);
void cli_sliders_release(struct cli_sliders *sliders);

/* ---- view_modes.c */

struct cli_mode {
  const cmb_eigenmode *mode;
  double amplitude; /* of the coordinate that changes most */
  struct cli_frames
      frames; /* the rows begin with the part of the period; none: no coordinate changes */
};

struct cli_modes {
  cmb_linearization *linearization; /* NULL: there is none */
  char *refused;                    /* why; NULL: nothing to linearise */
  int count;
  struct cli_mode *list;
};

cmb_status cli_modes_find(struct cli_view_place *p, struct cli_modes *modes);
cmb_status cli_modes_put(struct cli_json *j, const struct cli_view_place *p,
                         const struct cli_modes *modes);
void cli_modes_release(struct cli_modes *modes);

#endif
