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

/* "explicit", "residual", "cartesian"; false for other words. */
CMB_API bool cmb_formulation_find(const char *name, cmb_formulation *formulation);

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

#ifdef __cplusplus
}
#endif
#endif
