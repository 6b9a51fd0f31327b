/*
 * What numbers of a model have to be: masses positive, inertias those of bodies, stiffnesses not negative. The reader asks for it with
 * the values of the file, and keeps what depends on live parameters: other values of these are held to the same rule.
 */
#ifndef CMB_MODEL_LIMITS_H
#define CMB_MODEL_LIMITS_H

#include <camber/model.h>

/* The limits of a model for values of its live parameters; of one thread. */
typedef struct cmb_limits cmb_limits;

/* *limits is NULL if the model has none. */
cmb_status cmb_limits_create(cmb_context *ctx, const cmb_model *model, cmb_limits **limits);
void cmb_limits_destroy(cmb_limits *limits);

/* The live parameters have the values p, in the order of the model: CMB_ERROR_ARGUMENT with words, or CMB_OK. Allocates nothing. */
cmb_status cmb_limits_check(cmb_limits *limits, const double *p);

#endif
