/*
 * Camber, layer system: kinematics and compliance of suspensions, as quasi-static sweeps (docs/kinematics.md).
 *
 *     cmb_suspension_create(ctx, "fivelink.yaml", &options, &k);
 *     for (int i = 0; i < options.points && cmb_suspension_next(k, row) == CMB_OK; i++) ...
 *
 * Quantities of the model are driven to given values, loads act on wheels, and the rest of the mechanism is in static equilibrium.
 */
#ifndef CAMBER_SUSPENSION_H
#define CAMBER_SUSPENSION_H

#include <camber/system.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A drive: a coordinate, a formula of positions, or an output of the model that is one. A load: MARKER.fx, .fy, .fz (N, global axes) or .mz
 * (N m) at the contact point of the wheel with this marker. It goes from `from` to `to` in equal steps. */
typedef struct cmb_suspension_range {
  const char *name;
  double from, to;
} cmb_suspension_range;

typedef struct cmb_suspension_options {
  const cmb_model_options *model; /* how the file is read; NULL: as it is */
  int drive_count, load_count, wheel_count;
  const cmb_suspension_range *drives, *loads;
  const char *const
      *wheels;   /* markers on wheel carriers: the wheel's centre; y is along its spin axis */
  double radius; /* from the centre to the contact point */
  int points;    /* of the sweep, at least 1 */
} cmb_suspension_options;

/* A column of the table: its name ("hub.camber") and its unit: "m", "rad", "N", "N/m", "" .. */
typedef struct cmb_suspension_column {
  const char *name, *unit;
} cmb_suspension_column;

typedef struct cmb_suspension cmb_suspension;

/* Reads the model and goes from its design position to the first point. */
CMB_API cmb_status cmb_suspension_create(cmb_context *ctx, const char *path,
                                         const cmb_suspension_options *options,
                                         cmb_suspension **kinematics);
CMB_API void cmb_suspension_destroy(cmb_suspension *kinematics);

CMB_API const cmb_suspension_column *cmb_suspension_columns(const cmb_suspension *kinematics,
                                                            int *count);

/* The next point of the sweep, into row (columns). What has no meaning at this point is NaN. CMB_ERROR_EQUATIONS: it cannot be reached,
 * and the context says how far the sweep got. */
CMB_API cmb_status cmb_suspension_next(cmb_suspension *kinematics, double *row);

/* The forces of the road on wheels, contacts and loads, which are left out: their names; how many. */
CMB_API int cmb_suspension_left_out(const cmb_suspension *kinematics, const char *const **names);

#ifdef __cplusplus
}
#endif
#endif
