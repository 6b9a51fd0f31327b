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

/* ---- a wheelset on a straight track
 *
 * The track has the axes x forward, y to the left and z upwards; z = 0 touches both rails from above, and y = 0 is midway between their
 * gauge points, the innermost points of the rails down to 14 mm below their highest points. The wheelset is at (0, y, z), turned about z by
 * the yaw angle and then about its own x by the roll angle. src/rail/contact_geometry.c has the equations. */

typedef enum cmb_rail_side { CMB_RAIL_LEFT, CMB_RAIL_RIGHT, CMB_RAIL_SIDES } cmb_rail_side;

/* The wheelset and the track. The profiles remain the caller's and must exist as long as the geometry. */
typedef struct cmb_wheelset {
  const cmb_profile *wheel[CMB_RAIL_SIDES], *rail[CMB_RAIL_SIDES];
  double radius; /* of the wheels at their tape lines */
  /* between the backs of the flanges; the tape lines are 70 mm from these */
  double back_to_back;
  double gauge; /* between the gauge points of the rails */
  /* 0: rigid contact. Otherwise contact is quasi-elastic: the wheelset is lowered by this distance from its rigid contact, and the contact
   * point of a wheel is the mean over the region in which it then penetrates the rail (cmb_contact_patch) */
  double penetration;
} cmb_wheelset;

typedef struct cmb_contact_geometry cmb_contact_geometry;

/* Creates the contact geometry of a wheelset on a straight track; one thread at a time can use it. Returns CMB_ERROR_INPUT with a message if
 * the wheelset does not fit the track. */
CMB_API cmb_status cmb_contact_geometry_create(cmb_context *ctx, const cmb_wheelset *wheelset,
                                               cmb_contact_geometry **geometry);

/* Frees a contact geometry; NULL is allowed. */
CMB_API void cmb_contact_geometry_destroy(cmb_contact_geometry *geometry);

/* Returns the lateral play of the wheelset between the rails: the gauge minus the distance between the outer sides of the flanges, which is
 * measured 10 mm below the tape lines; infinite if a wheel has no flange there. */
CMB_API double cmb_contact_play(const cmb_contact_geometry *geometry);

/* Returns the lateral position y, in the axes of the track, of the origin of a rail's profile. */
CMB_API double cmb_contact_rail_place(const cmb_contact_geometry *geometry, cmb_rail_side side);

/* The contact of a wheel with its rail. */
typedef struct cmb_wheel_contact {
  double wheel_u, rail_u;  /* arc lengths of the contact point on both profiles */
  double wheel_y, wheel_z; /* the point in the axes of the wheel's profile, and of the rail's */
  double rail_y, rail_z;
  double x, y, z; /* in the axes of the track; x: how far ahead of the wheelset's centre it is */
  /* between the common tangent plane and that of the track; positive if it rises to the field side, as at a flange */
  double angle;
  double radius;      /* rolling radius: distance from the axis of the wheelset */
  double penetration; /* the largest vertical one; 0: rigid contact */
  /* in rigid contact, the local minimum of the distance that is the next to touch: its distance (infinite: there is none) and its place on the
   * wheel */
  double other_distance, other_wheel_u;
} cmb_wheel_contact;

/* A position of the wheelset in which both wheels touch their rails. */
typedef struct cmb_wheelset_contact {
  double y, yaw;  /* as given */
  double z, roll; /* z: height of the wheelset's centre; roll > 0: the left wheel is raised */
  cmb_wheel_contact at[CMB_RAIL_SIDES];
} cmb_wheelset_contact;

/* Finds the height and the roll angle at which both wheels touch their rails without penetration and, if the wheelset has a penetration, the
 * quasi-elastic contact at a height that is less by it. Returns CMB_ERROR_INPUT with a message if the wheels cannot touch, e.g. because one
 * is beside its rail. */
CMB_API cmb_status cmb_contact_find(cmb_contact_geometry *geometry, double y, double yaw,
                                    cmb_wheelset_contact *contact);

/* Computes the quasi-elastic contact for a given position of the wheelset, in which the wheels penetrate their rails. The lateral place of the
 * contact point is the mean over the region of penetration, weighted by the square of the penetration, and so is its angle, of the slope of the
 * rail. Returns CMB_ERROR_INPUT with a message if a wheel does not penetrate its rail. */
CMB_API cmb_status cmb_contact_patch(cmb_contact_geometry *geometry, double y, double z,
                                     double roll, double yaw, cmb_wheelset_contact *contact);

/* A lateral displacement at which the contact point of a wheel jumps: the wheel touches at two points at once. */
typedef struct cmb_contact_jump {
  cmb_rail_side side;
  cmb_wheelset_contact before, after; /* on both sides of the jump, 1e-10 m apart */
} cmb_contact_jump;

/* Finds the jumps of contact points between the displacements `from` and `to`, ascending, for the yaw angle yaw + yaw_rate*y. Stores the first
 * `room` of them in jump[room] and their number in *count. Jumps of less than 1 mm on the wheel are not found, nor are contact points that
 * leave a place and return to it within 0.1 mm; of several jumps of a side within 0.1 mm one is found. Smaller jumps
 * that follow each other within 1e-7 m, as where wheel and rail have the same radius, count as one; `before` and `after` are then up to
 * 1e-7 m apart. */
CMB_API cmb_status cmb_contact_jumps(cmb_contact_geometry *geometry, double from, double to,
                                     double yaw, double yaw_rate, int room, cmb_contact_jump *jump,
                                     int *count);

/* Computes the equivalent conicity tan γ_e of the wheelset without yaw by harmonic linearisation for n amplitudes A of its lateral motion:
 *
 *     tan γ_e = 1/(2 π A) ∫ Δr(y0 + A sin φ) sin φ dφ   over φ from 0 to 2 π,
 *
 * where Δr is the rolling radius of the left wheel minus that of the right one, and y0 the middle of the motion, about which the mean of Δr
 * is 0; it is 0 if both sides have the same profiles. Both are stored in conicity[n] and centre[n]; they are NaN if Δr
 * is not 0 within 10 mm, or y0 is farther than 2 mm from where it is. */
CMB_API cmb_status cmb_contact_conicity(cmb_contact_geometry *geometry, int n,
                                        const double *amplitude, double *conicity, double *centre);

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
