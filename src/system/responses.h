/*
 * Computes the response of linearised equations at a point of the complex plane, for frequency responses and for checking transfer
 * functions.
 */
#ifndef CMB_SYSTEM_RESPONSES_H
#define CMB_SYSTEM_RESPONSES_H

#include <camber/system.h>

/* Computes the response C (s − A)⁻¹ (B + s B') + D + s D' at s = re + i im, as pairs (re, im) (ny x nu x 2). Returns a positive
 * status if s is an eigenvalue. */
cmb_status cmb_response_at(cmb_context *ctx, const cmb_state_space *space, double re, double im,
                           double *response);

#endif
