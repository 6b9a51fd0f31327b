/*
 * Creates profiles from points, and evaluates them (profile.h).
 */
#include "rail/profile.h"

#include "base/context.h"
#include "base/input.h"
#include "math/root.h"
#include "rail/read.h"
#include "rail/spline.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- evaluation */

int cmb_profile_interval(const cmb_profile *p, double u)
{
  return cmb_spline_interval(p->n, p->u, u);
}

cmb_profile_point cmb_profile_at(const cmb_profile *p, double u)
{
  const int i = cmb_profile_interval(p, u);
  const double h = p->u[i + 1] - p->u[i], b = fmin(1, fmax(0, (u - p->u[i]) / h));
  const double beyond = u - (p->u[i] + b * h); /* 0 inside, apart from rounding */
  const cmb_spline_value y = cmb_spline_cubic(h, b, p->y[i], p->y[i + 1], p->yy[i], p->yy[i + 1]);
  const cmb_spline_value z = cmb_spline_cubic(h, b, p->z[i], p->z[i + 1], p->zz[i], p->zz[i + 1]);
  return (cmb_profile_point){.y = y.f + beyond * y.df,
                             .z = z.f + beyond * z.df,
                             .dy = y.df,
                             .dz = z.df,
                             .ddy = y.ddf,
                             .ddz = z.ddf};
}

cmb_profile_facts cmb_profile_about(const cmb_profile *p)
{
  cmb_profile_facts facts = {.name = p->name,
                             .kind = p->kind,
                             .cant = p->cant,
                             .length = p->u[p->n - 1],
                             .y_min = p->y[0],
                             .y_max = p->y[0],
                             .z_min = p->z[0],
                             .z_max = p->z[0],
                             .points = p->n,
                             .deviation = p->deviation,
                             .largest_deviation = p->largest_deviation};
  for (int i = 1; i < p->n; i++) {
    facts.y_min = fmin(facts.y_min, p->y[i]);
    facts.y_max = fmax(facts.y_max, p->y[i]);
    facts.z_min = fmin(facts.z_min, p->z[i]);
    facts.z_max = fmax(facts.z_max, p->z[i]);
  }
  return facts;
}

/* ---- the origin of z */

/* Returns u between `low` and `high`, where `function` has different signs, at which it is 0. */
static double find_zero(const cmb_profile *p, double low, double high,
                        double (*function)(const cmb_profile *p, double u))
{
  cmb_root r;
  cmb_root_begin(&r, low, function(p, low), high, function(p, high));
  while (cmb_root_width(&r) > 4 * DBL_EPSILON * p->u[p->n - 1]) {
    const double u = cmb_root_next(&r);
    cmb_root_update(&r, u, function(p, u));
  }
  return r.a;
}

static double coordinate_y(const cmb_profile *p, double u)
{
  return cmb_profile_at(p, u).y;
}

static double slope_z(const cmb_profile *p, double u)
{
  return cmb_profile_at(p, u).dz;
}

/* Returns z of the highest point of a profile: a knot, or a point of an interval over which the slope changes from positive to negative. */
static double highest(const cmb_profile *p)
{
  double z = p->z[p->n - 1];
  for (int i = 0; i < p->n - 1; i++) {
    z = fmax(z, p->z[i]);
    if (slope_z(p, p->u[i]) > 0 && slope_z(p, p->u[i + 1]) < 0)
      z = fmax(z, cmb_profile_at(p, find_zero(p, p->u[i], p->u[i + 1], slope_z)).z);
  }
  return z;
}

/* Computes z at the tape line of a wheel, y = 0, into *z. Returns false if the profile does not reach it. Where y = 0 more than once, it is
 * the last of the points. */
static bool height_at_tape_line(const cmb_profile *p, double *z)
{
  for (int i = p->n - 2; i >= 0; i--) {
    if ((p->y[i] > 0) == (p->y[i + 1] > 0)) continue;
    *z = cmb_profile_at(p, find_zero(p, p->u[i], p->u[i + 1], coordinate_y)).z;
    return true;
  }
  return false;
}

/* Moves the profile so that z is 0 at the tape line of a wheel or at the highest point of a rail. */
static cmb_status place(cmb_context *ctx, cmb_profile *p, double *z)
{
  double origin = 0;
  if (p->kind == CMB_PROFILE_RAIL) {
    origin = highest(p);
  } else if (!height_at_tape_line(p, &origin)) {
    return cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_file(p->name),
                          "%s: the profile extends from y = %.4g mm to %.4g mm; expected the tape "
                          "line of a wheel, y = 0, between them",
                          p->name, 1e3 * p->y[0], 1e3 * p->y[p->n - 1]);
  }
  for (int i = 0; i < p->n; i++) z[i] -= origin;
  return CMB_OK;
}

/* ---- creation */

static cmb_status check_options(cmb_context *ctx, cmb_profile_kind kind,
                                const cmb_profile_options *o)
{
  CMB_REQUIRE(ctx, kind == CMB_PROFILE_WHEEL || kind == CMB_PROFILE_RAIL,
              "a profile is that of a wheel or of a rail");
  if (!(fabs(o->cant) <= 0.5)) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "the cant is %g rad; expected from -0.5 to 0.5",
                    o->cant);
  }
  if (kind == CMB_PROFILE_WHEEL && o->cant != 0) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT, "the cant is %g rad; a wheel has none", o->cant);
  }
  if (!(o->smoothing >= 0 && o->smoothing <= 1e-3)) {
    return cmb_fail(ctx, CMB_ERROR_ARGUMENT,
                    "the tolerance of smoothing is %g um; expected from 0 to 1000",
                    1e6 * o->smoothing);
  }
  return CMB_OK;
}

/* Computes the deviations of a profile's points (y[i], z[i]) from its spline at the knots. */
static void measure_deviations(cmb_profile *p, const double *y, const double *z)
{
  double sum = 0;
  for (int i = 0; i < p->n; i++) {
    const double distance = hypot(y[i] - p->y[i], z[i] - p->z[i]);
    sum += distance * distance / p->n;
    p->largest_deviation = fmax(p->largest_deviation, distance);
  }
  p->deviation = sqrt(sum);
}

/* Computes the spline through the points and allocates the profile on the arena, which belongs to it from then on. */
static cmb_status fit(cmb_context *ctx, cmb_profile_kind kind, const cmb_profile_options *options,
                      const char *name, const cmb_profile_points *points, cmb_arena *arena,
                      cmb_profile **profile)
{
  const int n = points->n;
  const double s = sin(options->cant), c = cos(options->cant);
  cmb_profile *p = cmb_arena_take(arena, 1, sizeof *p);
  double *y = cmb_arena_doubles(arena, n), *z = cmb_arena_doubles(arena, n);
  cmb_spline spline = {.n = n,
                       .u = cmb_arena_doubles(arena, n),
                       .y = cmb_arena_doubles(arena, n),
                       .z = cmb_arena_doubles(arena, n),
                       .yy = cmb_arena_doubles(arena, n),
                       .zz = cmb_arena_doubles(arena, n)};
  const char *copy = cmb_arena_text(arena, name);
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < n; i++) { /* in metres, and canted */
    y[i] = 1e-3 * (c * points->y[i] - s * points->z[i]);
    z[i] = 1e-3 * (s * points->y[i] + c * points->z[i]);
  }
  CMB_TRY(cmb_spline_fit(ctx, y, z, options->smoothing, &spline));
  *p = (cmb_profile){.arena = arena,
                     .name = copy,
                     .kind = kind,
                     .cant = options->cant,
                     .n = n,
                     .u = spline.u,
                     .y = spline.y,
                     .z = spline.z,
                     .yy = spline.yy,
                     .zz = spline.zz};
  measure_deviations(p, y, z);
  CMB_TRY(place(ctx, p, spline.z));
  *profile = p;
  return CMB_OK;
}

static int find_built_in(const char *name)
{
  const char *known;
  for (int i = 0; (known = cmb_profile_built_in(i, NULL)); i++) {
    if (strcmp(name, known) == 0) return i;
  }
  return -1;
}

/* Computes the points of a built-in profile. */
static cmb_status take_formulas(cmb_context *ctx, int which, cmb_profile_kind kind,
                                cmb_arena *arena, cmb_profile_points *points)
{
  static const char *const kinds[] = {"wheel", "rail"};
  cmb_profile_kind own;
  const char *name = cmb_profile_built_in(which, &own);
  if (own != kind) {
    return cmb_fail(ctx, CMB_ERROR_INPUT, "%s is the profile of a %s; expected that of a %s", name,
                    kinds[own], kinds[kind]);
  }
  cmb_profile_formulas(arena, which, points);
  return cmb_arena_failed(arena) ? cmb_fail_memory(ctx) : CMB_OK;
}

/* Copies points in m to points in mm. */
static cmb_status take_points(cmb_context *ctx, const char *name, int n, const double *y,
                              const double *z, cmb_arena *arena, cmb_profile_points *points)
{
  *points = (cmb_profile_points){
      .n = n, .y = cmb_arena_doubles(arena, n), .z = cmb_arena_doubles(arena, n)};
  if (cmb_arena_failed(arena)) return cmb_fail_memory(ctx);
  for (int i = 0; i < n; i++) {
    points->y[i] = 1e3 * y[i];
    points->z[i] = 1e3 * z[i];
  }
  CMB_TRY(cmb_profile_clean(ctx, name, points));
  cmb_profile_turn_round(points);
  return cmb_profile_unfold(ctx, name, points);
}

/* Reads the points of a profile from the text of a file, whose format follows from the ending of `name`, into *points on the arena, in the axes
 * of cmb_profile_kind. With `mirror`, y is positive to the gauge side in the file. */
static cmb_status take_file(cmb_context *ctx, const char *name, cmb_profile_kind kind, bool mirror,
                            const char *text, size_t length, cmb_arena *arena,
                            cmb_profile_points *points)
{
  CMB_TRY(cmb_profile_read(ctx, name, kind, text, length, arena, points));
  CMB_TRY(cmb_profile_clean(ctx, name, points));
  cmb_profile_orient(kind, mirror, points);
  return cmb_profile_unfold(ctx, name, points);
}

/* What a profile is made from: one of these three. */
struct source {
  int built_in; /* −1: none */
  int n;        /* number of points y, z; 0: none */
  const double *y, *z;
  const char *text;
  size_t length;
};

static cmb_status make(cmb_context *ctx, const struct source *from, const char *name,
                       cmb_profile_kind kind, const cmb_profile_options *options,
                       cmb_profile **profile)
{
  cmb_profile_points points = {0};
  cmb_profile_options o = options ? *options : (cmb_profile_options){0};
  cmb_status status = check_options(ctx, kind, &o);
  if (status != CMB_OK) return status;
  cmb_arena *arena = cmb_arena_create(ctx);
  if (!arena) return cmb_fail_memory(ctx);
  if (from->built_in >= 0) {
    status = take_formulas(ctx, from->built_in, kind, arena, &points);
    o.smoothing = 0;
  } else if (from->n > 0) {
    status = take_points(ctx, name, from->n, from->y, from->z, arena, &points);
  } else {
    status = take_file(ctx, name, kind, o.mirror, from->text, from->length, arena, &points);
  }
  if (status == CMB_OK) status = fit(ctx, kind, &o, name, &points, arena, profile);
  if (status != CMB_OK) cmb_arena_destroy(arena);
  return status;
}

cmb_status cmb_profile_create(cmb_context *ctx, const char *name, cmb_profile_kind kind, int n,
                              const double *y, const double *z, const cmb_profile_options *options,
                              cmb_profile **profile)
{
  CMB_REQUIRE(ctx, name && y && z && n > 0 && profile, "a profile needs a name and points");
  *profile = NULL;
  return make(ctx, &(struct source){.built_in = -1, .n = n, .y = y, .z = z}, name, kind, options,
              profile);
}

cmb_status cmb_profile_parse(cmb_context *ctx, const char *text, size_t length, const char *name,
                             cmb_profile_kind kind, const cmb_profile_options *options,
                             cmb_profile **profile)
{
  CMB_REQUIRE(ctx, text && name && profile, "a profile needs a text and a name");
  *profile = NULL;
  return make(ctx, &(struct source){.built_in = -1, .text = text, .length = length}, name, kind,
              options, profile);
}

cmb_status cmb_profile_open(cmb_context *ctx, const char *name, cmb_profile_kind kind,
                            const cmb_profile_options *options, cmb_profile **profile)
{
  char *text, hint[CMB_HINT_ROOM], room[CMB_SHOWN_ROOM];
  size_t length;
  CMB_REQUIRE(ctx, name && profile, "a profile needs a name and a place for the result");
  *profile = NULL;
  const int which = find_built_in(name);
  if (which >= 0)
    return make(ctx, &(struct source){.built_in = which}, name, kind, options, profile);
  if (!strpbrk(name, "./")) {
    const char *names[] = {cmb_profile_built_in(0, NULL), cmb_profile_built_in(1, NULL)};
    return cmb_fail(ctx, CMB_ERROR_INPUT,
                    "'%s' is neither a built-in profile nor the name of a file with an ending; %s",
                    cmb_shown(name, room), cmb_hint_of_names(name, names, 2, sizeof *names, hint));
  }
  CMB_TRY(cmb_load_file(ctx, name, &text, &length));
  const cmb_status status = cmb_profile_parse(ctx, text, length, name, kind, options, profile);
  cmb_release(ctx, text);
  return status;
}

void cmb_profile_destroy(cmb_profile *p)
{
  if (p) cmb_arena_destroy(p->arena);
}
