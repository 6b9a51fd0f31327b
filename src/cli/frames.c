/*
 * Instants of a motion (frames.h).
 */
#include "cli/frames.h"

#include <stdlib.h>
#include <string.h>

enum {
  FRAME_NUMBERS = 300000, /* seven a body */
  MOST_FRAMES = 2048,
  LEAST_FRAMES = 128
};

double *cli_frames_row(const struct cli_frames *f, long k)
{
  return f->rows + k * (1 + f->nq);
}

/* Half as many as there is room for, over the time until t. */
static void thin(struct cli_frames *f, double t)
{
  long last = 0;
  f->interval = 2 * (t - cli_frames_row(f, 0)[0]) / (double)f->room;
  for (long k = 1; k < f->count; k++) {
    double *row = cli_frames_row(f, k);
    if (row[0] - cli_frames_row(f, last)[0] < f->interval) continue;
    if (++last < k) memcpy(cli_frames_row(f, last), row, (size_t)(1 + f->nq) * sizeof *row);
  }
  f->count = last + 1;
}

/* Positions do not jump: of the two sides of an event one is enough. */
void cli_frames_add(struct cli_frames *f, double t, const double *q)
{
  if (f->room == 0) return; /* a problem written in C has no bodies */
  double *row = cli_frames_row(f, f->count);
  if (f->count > 0 && !(t > cli_frames_row(f, f->count - 1)[0])) return;
  row[0] = t;
  memcpy(row + 1, q, (size_t)f->nq * sizeof *row);
  f->newer = f->count > 0 && t - cli_frames_row(f, f->count - 1)[0] < f->interval;
  if (f->newer) return;
  if (++f->count == f->room - 1) thin(f, t);
}

cmb_status cli_frames_begin(struct cli_frames *f, int nq, int bodies, int share)
{
  *f = (struct cli_frames){.nq = nq};
  if (bodies == 0) return CMB_OK;
  f->room = FRAME_NUMBERS / (7 * (long)bodies * share);
  if (f->room > MOST_FRAMES) f->room = MOST_FRAMES;
  if (f->room < LEAST_FRAMES) f->room = LEAST_FRAMES;
  f->rows = calloc((size_t)f->room * (size_t)(1 + f->nq), sizeof *f->rows);
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
