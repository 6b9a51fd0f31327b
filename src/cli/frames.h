/*
 * Instants of a motion at which the coordinates are kept, for its animation, and further numbers, such as forces: at most so many as a page can hold, however many come. When there are
 * more, those that are nearer to each other than an interval are left out, and the interval doubles as the motion goes on.
 */
#ifndef CMB_CLI_FRAMES_H
#define CMB_CLI_FRAMES_H

#include <camber/camber.h>

enum { CLI_A_POSE = 7 }; /* numbers of a pose in a page: place, quaternion */

struct cli_frames {
  int nq, extra;
  double *
      rows; /* (room x (1 + nq + extra)): t, q, further numbers; that behind the last one kept is the newest instant */
  long count, room;
  double interval; /* between those kept, at least; 0: all that come */
  bool newer;      /* the newest instant is behind the last one kept */
};

/* Takes all memory. `bodies` 0: nothing is kept; `share`: of so many motions in a page this is one. */
cmb_status cli_frames_begin(struct cli_frames *f, int nq, int extra, int bodies, int share);
void cli_frames_add(struct cli_frames *f, double t, const double *q, const double *extra);

/* Nothing comes any more: the last instant is kept in any case. */
void cli_frames_close(struct cli_frames *f);
void cli_frames_end(struct cli_frames *f);

/* t, q, further numbers. */
double *cli_frames_row(const struct cli_frames *f, long k);

#endif
