/*
 * Camber, layer dyn: makes equations of motion from a model, as expressions, and computes poses, ground surfaces and tyre forces.
 *
 *     cmb_mechanism_create(ctx, model, &options, &mechanism);
 *
 * The same model gives the equations in joint coordinates or in Cartesian ones. cmb_model_system (camber/system.h) makes a system that
 * can be simulated.
 */
#ifndef CAMBER_DYN_H
#define CAMBER_DYN_H

#include <camber/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cmb_formulation {
  /* joint coordinates, O(N) explicit formalism: articulated bodies, loops by a small Schur complement */
  CMB_FORM_EXPLICIT,
  CMB_FORM_RESIDUAL, /* joint coordinates, O(N) residual formalism: Newton-Euler equations */
  CMB_FORM_CARTESIAN /* seven Cartesian coordinates per body, with Euler parameters */
} cmb_formulation;

/* cmb_formulation_find finds the formulation called "explicit", "residual" or "cartesian" and returns false for other names;
 * cmb_formulation_name returns the name of a formulation, "" if there is no such formulation. */
CMB_API bool cmb_formulation_find(const char *name, cmb_formulation *formulation);
CMB_API const char *cmb_formulation_name(cmb_formulation formulation);

/* A controller's instants: it samples at the times phase + k period, k = 0, 1, .. */
typedef struct cmb_sampler {
  const char *name; /* name of the controller */
  double period, phase;
} cmb_sampler;

typedef struct cmb_mechanism_options {
  cmb_formulation formulation;
  int left_out_count; /* number of redundant constraints that are left out */
  /* (left_out_count) their numbers, ascending, among the constraints of the complete mechanism */
  const int *left_out;
  /* start values of the coordinates and velocities of all joints, in the order of the joints; NULL: those of the model */
  const double *q_start, *v_start;
  /* store the entries of M even for a long chain with very many entries, which is stored by factors otherwise */
  bool whole_mass;
  /* the values that the user gave, from which q_start and v_start were computed; NULL: those of the model */
  const double *q_wanted, *v_wanted;
  /* a value can be added to each input later: these values are inputs of the equations, after the live parameters */
  bool live_inputs;
  /* prepare the function for accelerations at given multipliers λ, if there are constraints */
  bool forced;
  /* find out separately on what stiff forces depend, for methods with steps of fixed cost */
  bool stiffness;
} cmb_mechanism_options;

typedef struct cmb_mechanism cmb_mechanism;

/* Makes the equations of motion of a model as expressions. The model must outlive the mechanism, and also what is made from the
 * mechanism if the model has tables. Returns CMB_ERROR_INPUT on a mistake in the model, with "FILE:LINE:COL: what is wrong" in the
 * context; then *mechanism is NULL. */
CMB_API cmb_status cmb_mechanism_create(cmb_context *ctx, const cmb_model *model,
                                        const cmb_mechanism_options *options,
                                        cmb_mechanism **mechanism);
CMB_API void cmb_mechanism_destroy(cmb_mechanism *mechanism);

/* The pose of a body of a model. A body has no axes of its own: its rotation is counted from the design position, so that a point fixed
 * to it that is at x in the design position is at place + turn (x − com). */
typedef struct cmb_pose_of_body {
  double place[3]; /* position of the centre of mass, global */
  /* rows of the rotation matrix from the design position to the present one */
  double turn[9];
} cmb_pose_of_body;

typedef struct cmb_poses cmb_poses;

/* Creates a calculator of poses from the coordinates q of a formulation. The model need not outlive it. The object belongs to one thread
 * at a time. */
CMB_API cmb_status cmb_poses_create(cmb_context *ctx, const cmb_model *model,
                                    cmb_formulation formulation, cmb_poses **poses);
/* Frees the calculator; NULL is allowed. */
CMB_API void cmb_poses_destroy(cmb_poses *poses);

/* Computes the poses of all bodies, pose[0..bodies-1], from the coordinates q (nq) of the model's system, whose Euler parameters must
 * have length 1. p (np): values of the live parameters, in the order of cmb_equations, of which further ones are ignored; NULL: those
 * with which the model was read. Returns CMB_ERROR_NONFINITE if a pose is not finite. */
CMB_API cmb_status cmb_poses_at(cmb_poses *poses, int nq, const double *q, int np, const double *p,
                                cmb_pose_of_body *pose);

/* ---- the ground
 *
 * The surfaces that contacts and tyres of a model touch, each as a function s(t, x, y, z) that is 0 on the surface and positive above
 * it. Surfaces that depend on a controller's values are left out. */
typedef struct cmb_ground cmb_ground;

typedef struct cmb_surface {
  const char *name;  /* name of the contact or tyre; valid as long as the model */
  cmb_body_point at; /* point of the body, or centre of the wheel, that touches the surface */
  bool moves;        /* the surface depends on time */
  int same;          /* number of the first surface with the same function, perhaps this one */
} cmb_surface;

/* Creates the functions of all surfaces of a model, which must outlive them. The object belongs to one thread at a time. */
CMB_API cmb_status cmb_ground_create(cmb_context *ctx, const cmb_model *model, cmb_ground **ground);
/* Frees the surfaces; NULL is allowed. */
CMB_API void cmb_ground_destroy(cmb_ground *ground);

/* Describes surface i in *surface; returns false if there is no such surface. Surfaces are numbered from 0. */
CMB_API bool cmb_ground_surface(const cmb_ground *ground, int i, cmb_surface *surface);

/* Returns the value of the function of surface i at the time t and the point x (3); live parameters have the values with which the model
 * was read. Returns NaN if there is no such surface or the function has no value there. */
CMB_API double cmb_ground_at(cmb_ground *ground, int i, double t, const double *x);

/* ---- what a model looks like
 *
 * Computes a digest (a hash as text) of everything that a picture of the model shows: bodies, joints, points, shapes, and surfaces at
 * some points. Two models with the same digest look the same at the same coordinates; masses, stiffnesses and start values do not enter. */
enum { CMB_PICTURE_DIGEST_ROOM = 65 };
CMB_API cmb_status cmb_picture_digest(cmb_context *ctx, const cmb_model *model,
                                      char text[CMB_PICTURE_DIGEST_ROOM]);

/* ---- tyres without a model
 *
 * A tyre property file (.tir) with the Magic Formula 5.2, 6.1 or 6.2 (docs/tyres.md), and the forces that it gives, with their
 * derivatives:
 *
 *     cmb_tyre_open(ctx, "car.tir", &tyre);
 *     cmb_tyre_evaluate(tyre, &(cmb_tyre_state){.load = 4000, .slip_angle = 0.05, .speed = 20, .friction = 1}, &forces, NULL); */

/* The state of a wheel on the road, in SI units and radians. */
typedef struct cmb_tyre_state {
  double load;       /* vertical load, >= 0 */
  double slip;       /* longitudinal slip κ = −Vsx/|Vx|: −1 is a locked wheel */
  double slip_angle; /* α, less than a right angle */
  double camber;     /* camber angle γ */
  double speed;      /* longitudinal velocity Vx */
  double friction;   /* factor of the road on the tyre's friction, >= 0 */
} cmb_tyre_state;

/* The forces and moments of the road on the tyre, in the axes of the contact point: x forward, y to the left, z up. */
typedef struct cmb_tyre_forces {
  double Fx, Fy, Mx, My, Mz;
  double sigma_x, sigma_y; /* relaxation lengths; 0: the file has none */
} cmb_tyre_forces;

enum { CMB_TYRE_STATES = 6, CMB_TYRE_FORCES = 7 };

typedef struct cmb_tyre cmb_tyre;

/* Create a tyre from a file, or from a text of `length` bytes that is called `name` in messages. Return CMB_ERROR_INPUT (CMB_ERROR_IO if
 * the file cannot be read) on failure, with "FILE:LINE:COLUMN: what is wrong, and what was expected" in the context. A tyre belongs to
 * one thread at a time. */
CMB_API cmb_status cmb_tyre_open(cmb_context *ctx, const char *path, cmb_tyre **tyre);
CMB_API cmb_status cmb_tyre_parse(cmb_context *ctx, const char *text, size_t length,
                                  const char *name, cmb_tyre **tyre);
/* Frees a tyre; NULL is allowed. */
CMB_API void cmb_tyre_close(cmb_tyre *tyre);

/* Gets the number under a key of the file ("FNOMIN") into *x, in SI units; the default value if the file does not give it, infinite for
 * a limit that is not given. Returns false if the Magic Formula has no such key. */
CMB_API bool cmb_tyre_number(const cmb_tyre *tyre, const char *key, double *x);

/* Computes the forces of a tyre in a state and, unless `derivatives` is NULL, their derivatives (CMB_TYRE_FORCES x CMB_TYRE_STATES, both
 * in the order of the structures' members). Returns CMB_ERROR_ARGUMENT for an impossible state and CMB_ERROR_NONFINITE if a force is not
 * finite. */
CMB_API cmb_status cmb_tyre_evaluate(cmb_tyre *tyre, const cmb_tyre_state *state,
                                     cmb_tyre_forces *forces, double *derivatives);

#ifdef __cplusplus
}
#endif
#endif
