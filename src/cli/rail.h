/*
 * The contact geometry of a wheelset on a track that `camber rail` computes (rail.c), and the picture of it (rail_plot.c).
 */
#ifndef CMB_CLI_RAIL_H
#define CMB_CLI_RAIL_H

#include "cli/cli.h"

/* A line of the table: a lateral displacement. At a jump of a contact point there are two lines, before and after it. */
struct cli_rail_row {
  cmb_wheelset_contact c;
  bool jump;
  cmb_rail_side side; /* whose contact point jumps */
  /* with --wheel-load: the elastic contact of each wheel; NaN where wheel and rail are not convex against each other */
  cmb_creep_forces elastic[CMB_RAIL_SIDES];
};

/* Lines in the order of y, with those of the jumps. */
struct cli_rail_rows {
  int count;
  struct cli_rail_row *row;
};

struct cli_rail {
  const char *wheel[CMB_RAIL_SIDES], *rail[CMB_RAIL_SIDES]; /* names of the profiles */
  cmb_wheelset set;
  cmb_contact_geometry *geometry;
  double wheel_load;                   /* N; 0: not given */
  cmb_creep *creep;                    /* NULL if wheel_load is not given */
  bool same;                           /* whether both sides have the same profiles */
  double cant;                         /* slope */
  double yaw, yaw_rate;                /* the yaw angle is yaw + yaw_rate*y, in rad and rad/m */
  double range, step;                  /* m */
  struct cli_rail_rows table, picture; /* the latter only with --plot: with smaller steps */
  int amplitude_count;
  double *amplitude, *conicity, *centre; /* (amplitude_count) m, 1, m */
};

/* Returns the rolling radius of the left wheel minus that of the right one. */
double cli_rail_difference(const struct cli_rail_row *row);

/* Writes the names of the profiles, e.g. "S1002 on UIC60", to text[room]. */
void cli_rail_title(const struct cli_rail *r, size_t room, char *text);

/* rail_plot.c: writes the picture as SVG; a callback of cli_svg_save. `rail` is a struct cli_rail. */
void cli_rail_draw(FILE *to, const void *rail);

#endif
