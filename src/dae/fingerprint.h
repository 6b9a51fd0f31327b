/*
 * Fingerprint of a system, by which a saved run is checked to belong to the same equations: a SHA-256 hash of their sizes,
 * names, rules and start values, of their values at an arbitrary point, and of the programs that compute them. For equations
 * written in C the programs are not known and not hashed.
 */
#ifndef CMB_DAE_FINGERPRINT_H
#define CMB_DAE_FINGERPRINT_H

#include "base/sha256.h"
#include "dae/system.h"

/* Computes the fingerprint of a system as text; on failure `text` is unchanged. */
cmb_status cmb_fingerprint(cmb_context *ctx, const cmb_system *system, char text[CMB_DIGEST_TEXT]);

#endif
