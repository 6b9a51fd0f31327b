/*
 * Camber, layer dyn: from a model to equations of motion, as expressions.
 *
 *     cmb_mechanism_create(ctx, model, &options, &mechanism);
 *
 * The same model gives the equations in joint coordinates or in Cartesian ones.
 */
#ifndef CAMBER_DYN_H
#define CAMBER_DYN_H

#include <camber/model.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cmb_formulation {
  CMB_FORM_EXPLICIT, /* joint coordinates, O(N) explicit formalism: articulated bodies, loops by a small Schur complement */
  CMB_FORM_RESIDUAL, /* joint coordinates, O(N) residual formalism: Newton and Euler */
  CMB_FORM_CARTESIAN /* seven Cartesian coordinates a body, with Euler parameters */
} cmb_formulation;

/* "explicit", "residual", "cartesian"; false for other words. And back, "" for what is none. */
CMB_API bool cmb_formulation_find(const char *name, cmb_formulation *formulation);
CMB_API const char *cmb_formulation_name(cmb_formulation formulation);

/* Samples at the times phase + k period, k = 0, 1, .. */
typedef struct cmb_sampler {
  const char *name; /* of the controller */
  double period, phase;
} cmb_sampler;

typedef struct cmb_mechanism_options {
  cmb_formulation formulation;
  int left_out_count;  /* constraints that are redundant and left out */
  const int *left_out; /* their numbers, ascending, in the mechanism without any left out */
  /* start values of all joints' coordinates and velocities, in the order of the joints; NULL: the model's */
  const double *q_start, *v_start;
  bool
      whole_mass; /* M by its entries, also where a long chain has very many; otherwise by factors there */
  /* what the user asked for, which these were found from; NULL: the model's */
  const double *q_wanted, *v_wanted;
  bool live_inputs; /* what is added to the inputs stays changeable, behind the live parameters */
  bool forced;      /* accelerations for given λ, where there are constraints */
  bool stiffness;   /* what stiff forces depend on apart from the rest, for steps of fixed cost */
} cmb_mechanism_options;

typedef struct cmb_mechanism cmb_mechanism;

/* `model` must outlive the mechanism, and what is made from it if the model has tables. On failure CMB_ERROR_INPUT, with
 * "FILE:LINE:COL: what is wrong" in the context. */
CMB_API cmb_status cmb_mechanism_create(cmb_context *ctx, const cmb_model *model,
                                        const cmb_mechanism_options *options,
                                        cmb_mechanism **mechanism);
CMB_API void cmb_mechanism_destroy(cmb_mechanism *mechanism);

/* Where the bodies of a model are. A body has no axes of its own: its turn is from the design position, so that a point that is at x there
 * is now at place + turn (x - com). */
typedef struct cmb_pose_of_body {
  double place[3]; /* of the centre of mass */
  double
      turn[9]; /* rows of the matrix that takes directions of the design position to those of now */
} cmb_pose_of_body;

typedef struct cmb_poses cmb_poses;

/* For coordinates q of this formulation. The model need not outlive it. The object belongs to one thread at a time. */
CMB_API cmb_status cmb_poses_create(cmb_context *ctx, const cmb_model *model,
                                    cmb_formulation formulation, cmb_poses **poses);
CMB_API void cmb_poses_destroy(cmb_poses *poses);

/* The poses (bodies) at q (nq), the coordinates of the model's system in their order, Euler parameters of length 1. p (np): values of the
 * live parameters, as cmb_equations has them (what is behind these is not read); NULL: those that the model was read with. */
CMB_API cmb_status cmb_poses_at(cmb_poses *poses, int nq, const double *q, int np, const double *p,
                                cmb_pose_of_body *pose);

/* ---- the ground
 *
 * The surfaces that contacts and tyres of a model touch, each as a function of time and place that is 0 on the surface and positive above
 * it. Those that depend on a controller's values are left out. */
typedef struct cmb_ground cmb_ground;

typedef struct cmb_surface {
  const char *name;  /* of the contact or tyre, as long as the model is */
  cmb_body_point at; /* the point or the centre of the wheel that touches it */
  bool moves;        /* it depends on the time */
  int same;          /* the first surface with this function: perhaps this one */
} cmb_surface;

/* The model must outlive it. The object belongs to one thread at a time. */
CMB_API cmb_status cmb_ground_create(cmb_context *ctx, const cmb_model *model, cmb_ground **ground);
CMB_API void cmb_ground_destroy(cmb_ground *ground);

/* False if there is no such surface; they are counted from 0. */
CMB_API bool cmb_ground_surface(const cmb_ground *ground, int i, cmb_surface *surface);

/* The function of surface i at the time t and the place x (3), with live parameters as the model was read; NaN if there is none. */
CMB_API double cmb_ground_at(cmb_ground *ground, int i, double t, const double *x);

/* ---- what a model looks like
 *
 * A digest of all that a picture of the model shows: bodies, joints, points, shapes, and surfaces at some places. Two models with the same digest
 * look the same at the same coordinates; masses, stiffnesses and start values have no part in it. */
enum { CMB_PICTURE_DIGEST_ROOM = 65 };
CMB_API cmb_status cmb_picture_digest(cmb_context *ctx, const cmb_model *model,
                                      char text[CMB_PICTURE_DIGEST_ROOM]);

/* ---- tyres by themselves
 *
 * A tyre property file (.tir) with the Magic Formula 5.2, 6.1 or 6.2 (docs/tyres.md), and the forces that it gives, with their derivatives:
 *
 *     cmb_tyre_open(ctx, "car.tir", &tyre);
 *     cmb_tyre_evaluate(tyre, &(cmb_tyre_state){.load = 4000, .slip_angle = 0.05, .speed = 20, .friction = 1}, &forces, NULL);
 */

/* A wheel on the road, in SI units and radians. */
typedef struct cmb_tyre_state {
  double load;       /* >= 0 */
  double slip;       /* κ = −Vsx/|Vx|: −1 is a locked wheel */
  double slip_angle; /* α, less than a right angle */
  double camber;     /* γ */
  double speed;      /* Vx */
  double friction;   /* factor of the road on the tyre's friction, >= 0 */
} cmb_tyre_state;

/* In the axes of the contact point: x forward, y to the left, z up. */
typedef struct cmb_tyre_forces {
  double Fx, Fy, Mx, My, Mz;
  double sigma_x, sigma_y; /* relaxation lengths; 0: the file has none */
} cmb_tyre_forces;

enum { CMB_TYRE_STATES = 6, CMB_TYRE_FORCES = 7 };

typedef struct cmb_tyre cmb_tyre;

/* Reads a file, or a text that `name` names in messages. On failure CMB_ERROR_INPUT (CMB_ERROR_IO if it cannot be read), and the context
 * has "FILE:LINE:COLUMN: what is wrong, and what was expected". A tyre belongs to one thread at a time. */
CMB_API cmb_status cmb_tyre_open(cmb_context *ctx, const char *path, cmb_tyre **tyre);
CMB_API cmb_status cmb_tyre_parse(cmb_context *ctx, const char *text, size_t length,
                                  const char *name, cmb_tyre **tyre);
CMB_API void cmb_tyre_close(cmb_tyre *tyre);

/* The number under a key of the file ("FNOMIN"), in SI units, or what stands for it if the file has none; infinite: no limit. False if
 * the Magic Formula has no such key. */
CMB_API bool cmb_tyre_number(const cmb_tyre *tyre, const char *key, double *x);

/* Forces, and their derivatives (CMB_TYRE_FORCES x CMB_TYRE_STATES, both in the order above) unless it is NULL. */
CMB_API cmb_status cmb_tyre_evaluate(cmb_tyre *tyre, const cmb_tyre_state *state,
                                     cmb_tyre_forces *forces, double *derivatives);

#ifdef __cplusplus
}
#endif
#endif
