/*
 * Whether two sets of equations are the same: a digest of their sizes, names, rules and start values, of what they give at a point that
 * has nothing special, and of the programs that compute it. Of equations written in C the programs are not known.
 */
#ifndef CMB_DAE_FINGERPRINT_H
#define CMB_DAE_FINGERPRINT_H

#include "base/sha256.h"
#include "dae/system.h"

cmb_status cmb_fingerprint(cmb_context *ctx, const cmb_system *system, char text[CMB_DIGEST_TEXT]);

#endif
