/*
 * The progress bar of runs and of films on standard error; it is shown only on a terminal, and only if the work takes longer than half a
 * second.
 */
#include "cli/cli.h"

#include <unistd.h>

enum { WIDTH = 40 }; /* characters of the bar */

/* Times in seconds until the bar is shown for the first time, and between two updates. */
static const double FIRST_AFTER = 0.5, AGAIN_AFTER = 0.1;

/* Starts the progress bar of a run. It is not shown if `quiet` is set or standard error is not a terminal. */
void cli_progress_begin(struct cli_progress *p, bool quiet)
{
  *p = (struct cli_progress){.on = !quiet && isatty(STDERR_FILENO)};
  p->begun = p->last = cli_seconds();
}

void cli_progress_show(struct cli_progress *p, double fraction, double t)
{
  if (!p->on) return;
  double now = cli_seconds();
  if (now - p->begun < FIRST_AFTER || now - p->last < AGAIN_AFTER) return;
  char bar[WIDTH + 1];
  int filled = (int)(fraction * WIDTH);
  for (int i = 0; i < WIDTH; i++) bar[i] = i < filled ? '#' : '.';
  bar[WIDTH] = '\0';
  double left = fraction > 0 ? (now - p->begun) * (1 - fraction) / fraction : 0;
  fprintf(stderr, "\r[%s] %3.0f %%  t = %-10.4g  %.0f s left ", bar, 100 * fraction, t, left);
  p->last = now;
  p->drawn = true;
}

void cli_progress_end(struct cli_progress *p)
{
  if (p->drawn) fprintf(stderr, "\r%*s\r", WIDTH + 40, "");
}
