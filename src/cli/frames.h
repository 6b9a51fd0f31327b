/*
 * Stores instants of a motion for its animation in an HTML page: the positions q and further numbers such as forces. Their number is
 * limited by what a page can hold, however long the motion is: when the memory is full, the minimum interval between two stored instants
 * is enlarged and those that are closer are dropped.
 */
#ifndef CMB_CLI_FRAMES_H
#define CMB_CLI_FRAMES_H

#include <camber/camber.h>

enum { CLI_A_POSE = 7 }; /* numbers that describe a pose in a page: position (3), quaternion (4) */

struct cli_frames {
  int nq, extra; /* numbers of positions and of further numbers in a row */
  /* (room x (1 + nq + extra)): t, q, further numbers; the row after the last stored one is the newest instant */
  double *rows;
  long count, room; /* number of rows in use; number of rows allocated */
  double interval;  /* minimum time between two stored instants; 0: all are stored */
  bool newer;       /* the newest instant is in the row after the last stored one */
};

/* Allocates all memory for rows of nq positions and `extra` further numbers. The number of rows depends on the number of bodies (0: nothing
 * is stored) and on `share`, the number of motions in the same page. */
cmb_status cli_frames_begin(struct cli_frames *f, int nq, int extra, int bodies, int share);
void cli_frames_add(struct cli_frames *f, double t, const double *q, const double *extra);

/* Ends the recording; the newest instant is stored even if it is closer to the one before it than the minimum interval. */
void cli_frames_close(struct cli_frames *f);
void cli_frames_end(struct cli_frames *f);

/* Returns row k: time, positions (nq), further numbers (extra). */
double *cli_frames_row(const struct cli_frames *f, long k);

#endif
