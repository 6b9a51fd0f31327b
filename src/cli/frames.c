/*
 * Stores the instants of a motion for its animation (frames.h).
 */
#include "cli/frames.h"

#include <stdlib.h>
#include <string.h>

enum {
  FRAME_BYTES = 1500000, /* bytes of a page for all poses, before their encoding as base64 */
  A_POSE_BYTES = CLI_A_POSE * 4, /* in single precision */
  AN_EXTRA_BYTES = 2,
  MOST_FRAMES = 2048,
  LEAST_FRAMES = 128
};

/* Returns the number of values that are stored for each instant of an animation: the time, nq positions, and f->extra further numbers such as
 * forces. */
static long width_of(const struct cli_frames *f)
{
  return 1L + f->nq + f->extra;
}

double *cli_frames_row(const struct cli_frames *f, long k)
{
  return f->rows + k * width_of(f);
}

/* Removes stored instants of an animation so that about half of the array becomes free: keeps only instants that are at least twice their mean
 * spacing apart, which becomes the new minimum interval. t is the time of the newest instant. */
static void thin(struct cli_frames *f, double t)
{
  long last = 0;
  f->interval = 2 * (t - cli_frames_row(f, 0)[0]) / (double)f->room;
  for (long k = 1; k < f->count; k++) {
    double *row = cli_frames_row(f, k);
    if (row[0] - cli_frames_row(f, last)[0] < f->interval) continue;
    if (++last < k) memcpy(cli_frames_row(f, last), row, (size_t)width_of(f) * sizeof *row);
  }
  f->count = last + 1;
}

/* Returns how many of the last two stored instants of an animation have exactly the time t: 0, 1 or 2. */
static int count_at(const struct cli_frames *f, double t)
{
  int sides = 0;
  while (sides < 2 && sides < f->count && cli_frames_row(f, f->count - 1 - sides)[0] == t) sides++;
  return sides;
}

/* Stores an instant of a motion for its animation: the time t, the positions q[nq] and further numbers extra[] such as forces. Instants that
 * follow too soon are skipped. Of several instants with the same time (an event) the first is stored; if there are extra numbers, which may
 * jump, the last one is stored as well, unless instants have been thinned out. */
void cli_frames_add(struct cli_frames *f, double t, const double *q, const double *extra)
{
  if (f->room == 0) return; /* a problem written in C has no bodies */
  const int sides = count_at(f, t);
  if (sides > 0 && f->extra == 0) return;
  if (sides == 0 && f->count > 0 && !(t > cli_frames_row(f, f->count - 1)[0])) return;
  double *row = cli_frames_row(f, sides == 2 ? f->count - 1 : f->count);
  row[0] = t;
  memcpy(row + 1, q, (size_t)f->nq * sizeof *row);
  if (f->extra > 0) memcpy(row + 1 + f->nq, extra, (size_t)f->extra * sizeof *row);
  if (sides == 2) return; /* the row of an earlier record at this time has been overwritten */
  f->newer = f->count > 0 && t - cli_frames_row(f, f->count - 1)[0] < f->interval;
  if (f->newer) return;
  if (++f->count == f->room - 1) thin(f, t);
}

cmb_status cli_frames_begin(struct cli_frames *f, int nq, int extra, int bodies, int share)
{
  *f = (struct cli_frames){.nq = nq, .extra = extra};
  if (bodies == 0) return CMB_OK;
  f->room = FRAME_BYTES / (((long)A_POSE_BYTES * bodies + (long)AN_EXTRA_BYTES * extra) * share);
  if (f->room > MOST_FRAMES) f->room = MOST_FRAMES;
  if (f->room < LEAST_FRAMES) f->room = LEAST_FRAMES;
  f->rows = calloc((size_t)f->room * (size_t)width_of(f), sizeof *f->rows);
  return f->rows ? CMB_OK : CMB_ERROR_MEMORY;
}

void cli_frames_close(struct cli_frames *f)
{
  if (f->newer) f->count++;
  f->newer = false;
}

void cli_frames_end(struct cli_frames *f)
{
  free(f->rows);
}
