/*
 * Camber, layer rail: profiles of wheels and rails.
 *
 * A profile is a plane curve (y(u), z(u)) with u from 0 to its length: a cubic spline with continuous second derivatives, where u is the arc
 * length. All numbers are in metres and radians; files of profiles are in millimetres. z is positive upwards. Both sides of a wheelset and
 * of a track have the same axes: y is positive to the field side (away from the centre of the track), and u grows from the flange or
 * gauge side to the field side.
 *
 *     cmb_profile_open(ctx, "S1002", CMB_PROFILE_WHEEL, NULL, &wheel);
 *     cmb_profile_open(ctx, "rail.ban", CMB_PROFILE_RAIL, &(cmb_profile_options){.cant = 0.025, .smoothing = 5e-6}, &rail);
 */
#ifndef CAMBER_RAIL_H
#define CAMBER_RAIL_H

#include <camber/base.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a profile belongs to, and the origin of its axes:
 *   wheel   y = 0 is the tape line, where z = 0: 70 mm from the back of the flange;
 *   rail    y = 0 is the centre of the built-in head before it is canted, and the origin of a file; the highest point of the canted profile has z = 0. */
typedef enum cmb_profile_kind { CMB_PROFILE_WHEEL, CMB_PROFILE_RAIL } cmb_profile_kind;

/* Options of a profile. Zeros are the defaults. */
typedef struct cmb_profile_options {
  /* angle by which the head of a rail is turned towards the centre of the track, e.g. atan(1/40) */
  double cant;
  /* the root mean square of the distances between the points and the spline: the spline is the smoothest with this value; 0: the spline
   * passes through all points. A built-in profile is not smoothed. */
  double smoothing;
  /* the file of a rail has y positive to the gauge side; wheels show their flange, and need no option */
  bool mirror;
} cmb_profile_options;

typedef struct cmb_profile cmb_profile;

/* Creates a profile from n >= 5 points (y[i], z[i]), in metres and in the axes of cmb_profile_kind, of which z may have any origin. The points
 * are in their order along the profile, from either end. options may be NULL. Returns CMB_ERROR_INPUT with a message that begins with
 * `name` if the points are not acceptable. */
CMB_API cmb_status cmb_profile_create(cmb_context *ctx, const char *name, cmb_profile_kind kind,
                                      int n, const double *y, const double *z,
                                      const cmb_profile_options *options, cmb_profile **profile);

/* Creates a profile by its name: a built-in one ("S1002", a wheel; "UIC60", a rail) or the path of a file (docs/rail.md). options may be
 * NULL. Returns CMB_ERROR_INPUT (CMB_ERROR_IO if the file cannot be read) on failure, with "FILE:LINE:COLUMN: what is wrong, and what was
 * expected" in the context. */
CMB_API cmb_status cmb_profile_open(cmb_context *ctx, const char *name, cmb_profile_kind kind,
                                    const cmb_profile_options *options, cmb_profile **profile);

/* Creates a profile from the text of a file of `length` bytes; the ending of `name` decides on its format, as that of a path does. */
CMB_API cmb_status cmb_profile_parse(cmb_context *ctx, const char *text, size_t length,
                                     const char *name, cmb_profile_kind kind,
                                     const cmb_profile_options *options, cmb_profile **profile);

/* Frees a profile; NULL is allowed. */
CMB_API void cmb_profile_destroy(cmb_profile *profile);

/* Returns the name of the built-in profile number i, from 0, and its kind in *kind, unless kind is NULL; returns NULL if there are not so
 * many. */
CMB_API const char *cmb_profile_built_in(int i, cmb_profile_kind *kind);

/* Data of a profile. */
typedef struct cmb_profile_facts {
  const char *name; /* of the file, or of the built-in profile; it belongs to the profile */
  cmb_profile_kind kind;
  double cant;
  double length;                     /* largest u */
  double y_min, y_max, z_min, z_max; /* of the points of the spline at its knots */
  int points;                        /* number of points from which the spline was made */
  /* root mean square and maximum of the distances between these points and the spline */
  double deviation, largest_deviation;
} cmb_profile_facts;

/* Returns the data of a profile. */
CMB_API cmb_profile_facts cmb_profile_about(const cmb_profile *profile);

/* A point of a profile with the first and second derivatives with respect to u. */
typedef struct cmb_profile_point {
  double y, z;
  double dy, dz;
  double ddy, ddz;
} cmb_profile_point;

/* Returns the point of a profile at the arc length u. Beyond the ends the profile is continued by its tangents. */
CMB_API cmb_profile_point cmb_profile_at(const cmb_profile *profile, double u);

/* ---- the forces in one contact of a wheel and a rail
 *
 * The contact has the axes x in the direction of rolling, y in the common tangent plane across it, and z normal to it from the rail into the
 * wheel (right-handed). The creepages are the velocity of the wheel's material at the contact relative to the rail's, divided by the speed: xi
 * along x, eta along y, and phi, the relative angular velocity about z, in rad/m. Forces and moment act on the wheel, at the centre of the
 * contact; so they are opposite to the creepages. src/dyn/creep.c has the equations. */

typedef enum cmb_creep_law {
  CMB_CREEP_FASTSIM, /* Kalker 1982: strips along x, each divided into elements */
  CMB_CREEP_POLACH,  /* Polach 1999, in closed form */
  CMB_CREEP_LINEAR   /* Kalker's linear theory, without a limit by friction */
} cmb_creep_law;

/* What a contact is made of. Zeros are the defaults, in parentheses. */
typedef struct cmb_creep_options {
  cmb_creep_law law;
  double
      young; /* modulus of elasticity of both bodies (2.1e11 Pa); if it is 0, Poisson's ratio is 0.28 */
  double poisson;       /* 0 to 0.5 */
  int strips, elements; /* of FASTSIM (10, 10) */
  /* Friction falls with the speed of creep w, in m/s, from the state's friction µ to µ times falling_to:
   * µ (A + (1 − A) e^(−B w)), A = falling_to, B = falling_rate (0: constant friction) */
  double falling_to, falling_rate;
  double adhesion,
      slip; /* reduction factors k_A and k_S of Polach's law (1, 1), with k_S <= k_A <= 1 */
} cmb_creep_options;

/* The state of a contact. The curvatures are the sums of those of both bodies, 1/R_wheel + 1/R_rail, in 1/m: along x and along y. */
typedef struct cmb_creep_state {
  double curvature_x, curvature_y; /* > 0 */
  double load;                     /* normal force, >= 0 */
  double xi, eta, phi;
  double speed;    /* of rolling; only for falling friction */
  double friction; /* coefficient, >= 0 */
} cmb_creep_state;

typedef struct cmb_creep_forces {
  double a, b;     /* semi-axes of the ellipse along x and y */
  double pressure; /* the largest */
  double approach; /* of the bodies */
  double Fx, Fy, Mz;
  double friction; /* the coefficient at this speed of creep */
} cmb_creep_forces;

enum { CMB_CREEP_STATES = 8, CMB_CREEP_FORCES = 8 }; /* numbers of members of both */

typedef struct cmb_creep cmb_creep;

/* Creates a contact; one thread at a time can use it. options may be NULL. */
CMB_API cmb_status cmb_creep_create(cmb_context *ctx, const cmb_creep_options *options,
                                    cmb_creep **creep);

/* Frees a contact; NULL is allowed. */
CMB_API void cmb_creep_destroy(cmb_creep *creep);

/* Computes the forces, and their derivatives [CMB_CREEP_FORCES x CMB_CREEP_STATES] in the order of the members of both structs, unless
 * derivatives is NULL. */
CMB_API cmb_status cmb_creep_evaluate(cmb_creep *creep, const cmb_creep_state *state,
                                      cmb_creep_forces *forces, double *derivatives);

/* Returns the number of operations of one evaluation; with derivatives, of the product of the derivatives with one direction. */
CMB_API int cmb_creep_operations(const cmb_creep *creep, bool derivatives);

#ifdef __cplusplus
}
#endif
#endif
