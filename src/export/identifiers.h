/*
 * Names of a model as identifiers of C: letters, digits and _, none twice, none a keyword.
 */
#ifndef CMB_EXPORT_IDENTIFIERS_H
#define CMB_EXPORT_IDENTIFIERS_H

#include "base/arena.h"

/* One identifier; `room` includes the final 0. */
void cmb_identifier(const char *name, size_t room, char *text);

/* An identifier for each name, in the order of the names; NULL without memory. */
const char *const *cmb_identifiers(cmb_arena *arena, int count, const char *const *names);

#endif
