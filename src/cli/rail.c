/*
 * The command `camber rail WHEEL RAIL`: the contact geometry of a wheelset on a straight track over its lateral displacement, as a table, CSV,
 * JSON and picture (rail_plot.c; docs/rail.md). Options, table and picture have millimetres and degrees; CSV and JSON have SI units.
 */
#include "cli/rail.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/plot.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_JUMPS = 256, MOST_ROWS = 20001, PICTURE_ROWS = 161 };

static const double MM = 1e-3, MICROMETRE = 1e-6;
static const double DEGREE = 0.017453292519943295; /* in rad */
static const double AMPLITUDE_STEP = 0.5e-3;       /* m */

static const char *const sides[CMB_RAIL_SIDES] = {"left", "right"};

/* The quantities of one wheel in CSV and JSON. */
static const struct {
  const char *name, *unit;
  size_t offset; /* in cmb_wheel_contact */
} quantities[] = {{"wheel_y", "m", offsetof(cmb_wheel_contact, wheel_y)},
                  {"wheel_z", "m", offsetof(cmb_wheel_contact, wheel_z)},
                  {"rail_y", "m", offsetof(cmb_wheel_contact, rail_y)},
                  {"rail_z", "m", offsetof(cmb_wheel_contact, rail_z)},
                  {"x", "m", offsetof(cmb_wheel_contact, x)},
                  {"y", "m", offsetof(cmb_wheel_contact, y)},
                  {"z", "m", offsetof(cmb_wheel_contact, z)},
                  {"angle", "rad", offsetof(cmb_wheel_contact, angle)},
                  {"radius", "m", offsetof(cmb_wheel_contact, radius)}};
enum { QUANTITIES = sizeof quantities / sizeof *quantities };

/* Returns quantity number k of a wheel. */
static double quantity(const cmb_wheel_contact *c, int k)
{
  double value;
  memcpy(&value, (const char *)c + quantities[k].offset, sizeof value);
  return value;
}

/* What is added to them with --wheel-load. */
static const struct {
  const char *name, *unit;
  size_t offset; /* in cmb_creep_forces */
} elastic_quantities[] = {{"a", "m", offsetof(cmb_creep_forces, a)},
                          {"b", "m", offsetof(cmb_creep_forces, b)},
                          {"pressure", "Pa", offsetof(cmb_creep_forces, pressure)},
                          {"approach", "m", offsetof(cmb_creep_forces, approach)}};
enum { ELASTIC_QUANTITIES = sizeof elastic_quantities / sizeof *elastic_quantities };

/* Returns quantity number k of the elastic contact of a wheel. */
static double elastic_quantity(const cmb_creep_forces *f, int k)
{
  double value;
  memcpy(&value, (const char *)f + elastic_quantities[k].offset, sizeof value);
  return value;
}

/* Returns the contact angle of the left wheel minus that of the right one. */
static double angle_difference(const struct cli_rail_row *row)
{
  return row->c.at[CMB_RAIL_LEFT].angle - row->c.at[CMB_RAIL_RIGHT].angle;
}

double cli_rail_difference(const struct cli_rail_row *row)
{
  return row->c.at[CMB_RAIL_LEFT].radius - row->c.at[CMB_RAIL_RIGHT].radius;
}

/* ---- computation */

/* Returns `given`, or `other` if it is NaN. */
static double or_else(double given, double other)
{
  return isnan(given) ? other : given;
}

/* Opens the profiles of one kind for both sides: `name` on the left, and on the right `right`, or the left one if that is NULL. */
static cmb_status open_pair(cmb_context *ctx, const char *name, const char *right,
                            cmb_profile_kind kind, const cmb_profile_options *options,
                            const cmb_profile *profile[CMB_RAIL_SIDES])
{
  cmb_profile *opened;
  CMB_TRY(cmb_profile_open(ctx, name, kind, options, &opened));
  profile[CMB_RAIL_LEFT] = opened;
  if (right) CMB_TRY(cmb_profile_open(ctx, right, kind, options, &opened));
  profile[CMB_RAIL_RIGHT] = opened;
  return CMB_OK;
}

/* Opens the profiles and prepares the geometry r->geometry; close_rail frees both, also after a failure. */
static cmb_status open_rail(cmb_context *ctx, const struct cli_arguments *a, struct cli_rail *r)
{
  const cmb_profile_options wheels = {.smoothing = MICROMETRE * or_else(a->smoothing, 0)};
  cmb_profile_options rails = wheels;
  *r = (struct cli_rail){.wheel = {a->kind, a->right_wheel ? a->right_wheel : a->kind},
                         .rail = {a->operand, a->right_rail ? a->right_rail : a->operand},
                         .cant = or_else(a->cant, 1.0 / 40),
                         .yaw = or_else(a->yaw, 0),
                         .yaw_rate = or_else(a->yaw_per_mm, 0) / MM,
                         .range = MM * or_else(a->range, 8),
                         .step = MM * or_else(a->step, 0.5),
                         .wheel_load = or_else(a->wheel_load, 0),
                         .set = {.radius = MM * or_else(a->radius, 460),
                                 .back_to_back = MM * or_else(a->back_to_back, 1360),
                                 .gauge = MM * or_else(a->gauge, 1435),
                                 .penetration = MM * or_else(a->penetration, 0)}};
  rails.cant = atan(r->cant);
  rails.mirror = a->mirror_rail;
  CMB_TRY(open_pair(ctx, a->kind, a->right_wheel, CMB_PROFILE_WHEEL, &wheels, r->set.wheel));
  CMB_TRY(open_pair(ctx, a->operand, a->right_rail, CMB_PROFILE_RAIL, &rails, r->set.rail));
  if (r->wheel_load > 0) {
    CMB_TRY(cmb_creep_create(ctx, &(cmb_creep_options){.law = CMB_CREEP_LINEAR}, &r->creep));
  }
  r->same = r->set.wheel[0] == r->set.wheel[1] && r->set.rail[0] == r->set.rail[1];
  return cmb_contact_geometry_create(ctx, &r->set, &r->geometry);
}

/* Frees a profile that a side does not share with the other one, or that it shares, once. */
static void close_pair(const cmb_profile *profile[CMB_RAIL_SIDES])
{
  if (profile[0] != profile[1]) cmb_profile_destroy((cmb_profile *)profile[1]);
  cmb_profile_destroy((cmb_profile *)profile[0]);
}

/* Frees all that belongs to the geometry. */
static void close_rail(struct cli_rail *r)
{
  cmb_contact_geometry_destroy(r->geometry);
  cmb_creep_destroy(r->creep);
  close_pair(r->set.wheel);
  close_pair(r->set.rail);
  free(r->table.row);
  free(r->picture.row);
  free(r->amplitude);
}

/* Returns the curvature of a profile at the arc length u; positive where it is hollow from above. */
static double curvature(const cmb_profile *profile, double u)
{
  const cmb_profile_point p = cmb_profile_at(profile, u);
  return (p.dy * p.ddz - p.dz * p.ddy) / pow(hypot(p.dy, p.dz), 3);
}

/* Computes the elastic contact of both wheels, with the curvatures at their contact points. */
static cmb_status load_wheels(const struct cli_rail *r, struct cli_rail_row *row)
{
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    const cmb_wheel_contact *c = &row->c.at[i];
    const cmb_creep_state state = {.curvature_x = cos(c->angle) / c->radius,
                                   .curvature_y = curvature(r->set.wheel[i], c->wheel_u) -
                                                  curvature(r->set.rail[i], c->rail_u),
                                   .load = r->wheel_load};
    row->elastic[i] = (cmb_creep_forces){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (state.curvature_x > 0 && state.curvature_y > 0)
      CMB_TRY(cmb_creep_evaluate(r->creep, &state, &row->elastic[i], NULL));
  }
  return CMB_OK;
}

/* Appends the lines of the jumps from number *next on that are before the displacement y, and increases *next. */
static void add_jumps(struct cli_rail_rows *rows, double y, const cmb_contact_jump *jump, int jumps,
                      int *next)
{
  for (; *next < jumps && jump[*next].before.y < y; ++*next) {
    const cmb_contact_jump *j = &jump[*next];
    rows->row[rows->count++] = (struct cli_rail_row){.c = j->before, .jump = true, .side = j->side};
    rows->row[rows->count++] = (struct cli_rail_row){.c = j->after, .jump = true, .side = j->side};
  }
}

/* Computes the lines at the multiples of `step` up to r->range to either side, with those of the jumps in between. */
static cmb_status fill_rows(struct cli_rail *r, double step, const cmb_contact_jump *jump,
                            int jumps, struct cli_rail_rows *rows)
{
  const int n = (int)floor(r->range / step * (1 + 1e-12));
  int next = 0;
  rows->row = malloc(((size_t)(2 * n + 1) + 2 * (size_t)jumps) * sizeof *rows->row);
  if (!rows->row) return CMB_ERROR_MEMORY;
  for (int i = -n; i <= n; i++) {
    const double y = step * i;
    add_jumps(rows, y, jump, jumps, &next);
    struct cli_rail_row *row = &rows->row[rows->count++];
    *row = (struct cli_rail_row){.jump = false};
    CMB_TRY(cmb_contact_find(r->geometry, y, r->yaw + r->yaw_rate * y, &row->c));
  }
  add_jumps(rows, INFINITY, jump, jumps, &next);
  for (int i = 0; r->creep && i < rows->count; i++) CMB_TRY(load_wheels(r, &rows->row[i]));
  return CMB_OK;
}

/* Computes the lines of the table and, if there is to be one, of the picture. */
static cmb_status study_displacements(struct cli_rail *r, bool picture)
{
  int count;
  cmb_contact_jump *jump = malloc(MOST_JUMPS * sizeof *jump);
  if (!jump) return CMB_ERROR_MEMORY;
  cmb_status status = cmb_contact_jumps(r->geometry, -r->range, r->range, r->yaw, r->yaw_rate,
                                        MOST_JUMPS, jump, &count);
  if (count > MOST_JUMPS) count = MOST_JUMPS;
  if (status == CMB_OK) status = fill_rows(r, r->step, jump, count, &r->table);
  if (status == CMB_OK && picture) {
    status = fill_rows(r, 2 * r->range / (PICTURE_ROWS - 1), jump, count, &r->picture);
  }
  free(jump);
  return status;
}

/* Computes the equivalent conicity for amplitudes up to `most` in steps of at most AMPLITUDE_STEP. */
static cmb_status study_amplitudes(struct cli_rail *r, double most)
{
  const int n = (int)ceil(most / AMPLITUDE_STEP * (1 - 1e-12));
  r->amplitude = malloc(3 * (size_t)n * sizeof(double));
  if (!r->amplitude) return CMB_ERROR_MEMORY;
  r->conicity = r->amplitude + n;
  r->centre = r->conicity + n;
  r->amplitude_count = n;
  for (int i = 0; i < n; i++) r->amplitude[i] = most * (i + 1) / n;
  return cmb_contact_conicity(r->geometry, n, r->amplitude, r->conicity, r->centre);
}

/* ---- text */

void cli_rail_title(const struct cli_rail *r, size_t room, char *text)
{
  const char *name[4] = {r->wheel[0], r->rail[0], r->wheel[1], r->rail[1]};
  for (int i = 0; i < 4; i++) {
    const char *slash = strrchr(name[i], '/');
    if (slash) name[i] = slash + 1;
  }
  if (r->same) {
    snprintf(text, room, "%s on %s", name[0], name[1]);
  } else {
    snprintf(text, room, "%s on %s, right %s on %s", name[0], name[1], name[2], name[3]);
  }
}

/* Prints the numbers of one wheel in a line of the table. */
static void print_wheel(const struct cli_rail *r, const cmb_wheel_contact *c)
{
  printf("  %9.4f %9.4f %8.4f %9.4f", c->wheel_y / MM, c->rail_y / MM, c->angle / DEGREE,
         c->radius / MM);
  if (r->yaw != 0 || r->yaw_rate != 0) printf(" %8.4f", c->x / MM);
}

/* Prints the table of lateral displacements. */
static void print_rows(const struct cli_rail *r)
{
  const bool yaw = r->yaw != 0 || r->yaw_rate != 0;
  printf("\n  %8s %9s  %-*s  %-*s %9s\n", "", "", yaw ? 47 : 38, "left wheel", yaw ? 47 : 38,
         "right wheel", "radius");
  printf("  %8s %9s", "y", "roll");
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    printf("  %9s %9s %8s %9s%s", "on wheel", "on rail", "angle", "radius", yaw ? "    ahead" : "");
  }
  printf(" %9s\n  %8s %9s", "difference", "mm", "mrad");
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    printf("  %9s %9s %8s %9s%s", "mm", "mm", "deg", "mm", yaw ? "       mm" : "");
  }
  printf(" %9s\n", "mm");
  for (int i = 0; i < r->table.count; i++) {
    const struct cli_rail_row *row = &r->table.row[i];
    printf("  %8.4f %9.5f", row->c.y / MM, 1000 * row->c.roll);
    for (int k = 0; k < CMB_RAIL_SIDES; k++) print_wheel(r, &row->c.at[k]);
    printf(" %9.4f", cli_rail_difference(row) / MM);
    if (row->jump) printf("  %s jumps", sides[row->side]);
    printf("\n");
  }
}

/* Prints the table of the elastic contacts. */
static void print_elastic(const struct cli_rail *r)
{
  printf("\n  contact of each wheel with a normal force of %.6g N, by Hertz's theory: semi-axes a "
         "along "
         "the rail and b across it\n\n  %8s",
         r->wheel_load, "y");
  for (int i = 0; i < CMB_RAIL_SIDES; i++)
    printf("  %*s a %7s %8s %8s", 4 + (int)strlen(sides[i]), sides[i], "b", "pressure", "approach");
  printf("\n  %8s", "mm");
  for (int i = 0; i < CMB_RAIL_SIDES; i++)
    printf("  %*s %7s %8s %8s", 6 + (int)strlen(sides[i]), "mm", "mm", "MPa", "um");
  printf("\n");
  for (int i = 0; i < r->table.count; i++) {
    const struct cli_rail_row *row = &r->table.row[i];
    printf("  %8.4f", row->c.y / MM);
    for (int k = 0; k < CMB_RAIL_SIDES; k++) {
      const cmb_creep_forces *f = &row->elastic[k];
      printf("  %*.4f %7.4f %8.2f %8.3f", 6 + (int)strlen(sides[k]), f->a / MM, f->b / MM,
             f->pressure / 1e6, f->approach / MICROMETRE);
    }
    printf("\n");
  }
}

/* Prints how far the points of a smoothed profile are from its curve; nothing for one that passes through its points. */
static void print_deviation(const cmb_profile *p)
{
  const cmb_profile_facts f = cmb_profile_about(p);
  if (f.deviation > 1e-3 * MICROMETRE)
    printf(
        "  %s: %d points, distances from the curve %.3g um (root mean square), at most %.3g um\n",
        f.name, f.points, f.deviation / MICROMETRE, f.largest_deviation / MICROMETRE);
}

/* Prints the geometry, the table and the equivalent conicity. */
static void print_text(const struct cli_rail *r)
{
  char title[1024];
  cli_rail_title(r, sizeof title, title);
  printf("%s: gauge %.6g mm, back to back %.6g mm, radius %.6g mm, cant %.5g\n", title,
         r->set.gauge / MM, r->set.back_to_back / MM, r->set.radius / MM, r->cant);
  const double play = cmb_contact_play(r->geometry);
  if (isfinite(play)) printf("  the flanges have a play of %.4g mm between the rails\n", play / MM);
  if (r->set.penetration > 0)
    printf("  quasi-elastic contact with a penetration of %.4g mm\n", r->set.penetration / MM);
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    if (i == 0 || r->set.wheel[1] != r->set.wheel[0]) print_deviation(r->set.wheel[i]);
    if (i == 0 || r->set.rail[1] != r->set.rail[0]) print_deviation(r->set.rail[i]);
  }
  print_rows(r);
  if (r->creep) print_elastic(r);
  printf("\n  %9s %10s%s\n  %9s %10s%s\n", "amplitude", "equivalent", r->same ? "" : "    centre",
         "mm", "conicity", r->same ? "" : "        mm");
  for (int i = 0; i < r->amplitude_count; i++) {
    printf("  %9.4g %10.6f", r->amplitude[i] / MM, r->conicity[i]);
    if (!r->same) printf(" %9.4f", r->centre[i] / MM);
    printf("\n");
  }
}

/* ---- JSON and CSV */

/* Prints a line of the table as a JSON object. */
static void print_json_row(const struct cli_rail *r, struct cli_json *j,
                           const struct cli_rail_row *row)
{
  cli_json_open(j, NULL, '{');
  cli_json_number(j, "y", row->c.y);
  cli_json_number(j, "yaw", row->c.yaw);
  cli_json_number(j, "roll", row->c.roll);
  cli_json_number(j, "z", row->c.z);
  cli_json_text(j, "jump", row->jump ? sides[row->side] : NULL);
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    cli_json_open(j, sides[i], '{');
    for (int k = 0; k < QUANTITIES; k++) {
      cli_json_number(j, quantities[k].name, quantity(&row->c.at[i], k));
    }
    for (int k = 0; r->creep && k < ELASTIC_QUANTITIES; k++) {
      cli_json_number(j, elastic_quantities[k].name, elastic_quantity(&row->elastic[i], k));
    }
    cli_json_close(j, '}');
  }
  cli_json_number(j, "radius_difference", cli_rail_difference(row));
  cli_json_number(j, "angle_difference", angle_difference(row));
  cli_json_close(j, '}');
}

/* Prints the geometry, the table and the equivalent conicity as JSON. */
static void print_json(const struct cli_rail *r)
{
  char title[1024];
  struct cli_json j = {.to = stdout};
  cli_rail_title(r, sizeof title, title);
  cli_json_begin(&j, title, NULL, CMB_OK);
  cli_json_texts(&j, "wheels", CMB_RAIL_SIDES, r->wheel);
  cli_json_texts(&j, "rails", CMB_RAIL_SIDES, r->rail);
  cli_json_number(&j, "gauge", r->set.gauge);
  cli_json_number(&j, "back_to_back", r->set.back_to_back);
  cli_json_number(&j, "radius", r->set.radius);
  cli_json_number(&j, "cant", r->cant);
  cli_json_number(&j, "penetration", r->set.penetration);
  if (r->creep) cli_json_number(&j, "wheel_load", r->wheel_load);
  cli_json_number(&j, "play", cmb_contact_play(r->geometry));
  cli_json_open(&j, "displacements", '[');
  for (int i = 0; i < r->table.count; i++) print_json_row(r, &j, &r->table.row[i]);
  cli_json_close(&j, ']');
  cli_json_open(&j, "conicities", '[');
  for (int i = 0; i < r->amplitude_count; i++) {
    cli_json_open(&j, NULL, '{');
    cli_json_number(&j, "amplitude", r->amplitude[i]);
    cli_json_number(&j, "conicity", r->conicity[i]);
    cli_json_number(&j, "centre", r->centre[i]);
    cli_json_close(&j, '}');
  }
  cli_json_close(&j, ']');
  cli_json_end(&j);
}

/* Writes the table of displacements (`rail` is a struct cli_rail) to the file `to` as CSV. A callback of cli_svg_save. */
static void write_csv(FILE *to, const void *rail)
{
  const struct cli_rail *r = rail;
  fputs("y [m],yaw [rad],roll [rad],z [m]", to);
  for (int i = 0; i < CMB_RAIL_SIDES; i++) {
    for (int k = 0; k < QUANTITIES; k++) {
      fprintf(to, ",%s.%s [%s]", sides[i], quantities[k].name, quantities[k].unit);
    }
    for (int k = 0; r->creep && k < ELASTIC_QUANTITIES; k++) {
      fprintf(to, ",%s.%s [%s]", sides[i], elastic_quantities[k].name, elastic_quantities[k].unit);
    }
  }
  fputs(",radius_difference [m],angle_difference [rad],jump\n", to);
  for (int n = 0; n < r->table.count; n++) {
    const struct cli_rail_row *row = &r->table.row[n];
    fprintf(to, "%.17g,%.17g,%.17g,%.17g", row->c.y, row->c.yaw, row->c.roll, row->c.z);
    for (int i = 0; i < CMB_RAIL_SIDES; i++) {
      for (int k = 0; k < QUANTITIES; k++) fprintf(to, ",%.17g", quantity(&row->c.at[i], k));
      for (int k = 0; r->creep && k < ELASTIC_QUANTITIES; k++) {
        fprintf(to, ",%.17g", elastic_quantity(&row->elastic[i], k));
      }
    }
    fprintf(to, ",%.17g,%.17g,%s\n", cli_rail_difference(row), angle_difference(row),
            row->jump ? sides[row->side] : "");
  }
}

/* ---- the command */

/* Computes everything that the command line asks for, writes the files, and prints the table as text or JSON. */
static cmb_status report(cmb_context *ctx, const struct cli_arguments *a, struct cli_rail *r)
{
  CMB_TRY(open_rail(ctx, a, r));
  CMB_TRY(study_displacements(r, a->plot != NULL));
  CMB_TRY(study_amplitudes(r, isnan(a->amplitude) ? r->range : MM * a->amplitude));
  if (a->out) CMB_TRY(cli_svg_save(ctx, write_csv, r, a->out));
  if (a->plot) CMB_TRY(cli_svg_save(ctx, cli_rail_draw, r, a->plot));
  if (a->json) {
    print_json(r);
  } else {
    print_text(r);
  }
  return CMB_OK;
}

/* Returns the first of the profiles on the command line that is the same file as `output`; NULL if there is none. */
static const char *overwritten(const struct cli_arguments *a, const char *output)
{
  const char *const inputs[] = {a->kind, a->operand, a->right_wheel, a->right_rail};
  for (size_t i = 0; output && i < sizeof inputs / sizeof *inputs; i++) {
    if (inputs[i] && cmb_same_file(inputs[i], output)) return inputs[i];
  }
  return NULL;
}

int cli_rail(cmb_context *ctx, const struct cli_arguments *a)
{
  const char *over = overwritten(a, a->out) ? overwritten(a, a->out) : overwritten(a, a->plot);
  if (over)
    return cli_complain(
        "the profile '%s' would be overwritten; expected another name for the output", over);
  const double range = or_else(a->range, 8), step = or_else(a->step, 0.5);
  if (step > range || 2 * range / step + 1 > MOST_ROWS) {
    return cli_complain(
        "--step %g mm gives no table up to --range %g mm; expected a step of at most "
        "the range and at least its %dth part",
        step, range, MOST_ROWS / 2);
  }
  struct cli_rail r = {.wheel = {NULL}};
  const cmb_status status = report(ctx, a, &r);
  int code = CLI_DONE;
  if (status != CMB_OK) {
    code = cli_fail(ctx, status);
    cli_json_failure(a, NULL);
  }
  close_rail(&r);
  return code;
}
