/*
 * Conditions on the numbers of a model: masses are positive, inertias physically possible and so on. The reader of models checks them with
 * the values of the file and stores those that depend on live parameters (which can change later); layers sim and system check these again
 * for later values.
 */
#ifndef CMB_MODEL_LIMITS_H
#define CMB_MODEL_LIMITS_H

#include <camber/model.h>

/* The stored conditions of a model, ready to be checked for values of its live parameters. Not to be used by two threads at once. */
typedef struct cmb_limits cmb_limits;

/* Creates the checker for a model, which must outlive it; *limits is NULL if the model has no conditions that depend on live parameters. The
 * caller destroys it with cmb_limits_destroy. */
cmb_status cmb_limits_create(cmb_context *ctx, const cmb_model *model, cmb_limits **limits);
void cmb_limits_destroy(cmb_limits *limits);

/* Checks all stored conditions for the values p of the live parameters, in the model's order. Returns CMB_OK, or CMB_ERROR_ARGUMENT with a
 * message if one is violated; logs a warning for unusual values. Allocates no memory. */
cmb_status cmb_limits_check(cmb_limits *limits, const double *p);

#endif
