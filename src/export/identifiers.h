/*
 * Names of a model as identifiers of C: letters, digits and _, none twice, none a word that C, C++ or their headers have taken.
 */
#ifndef CMB_EXPORT_IDENTIFIERS_H
#define CMB_EXPORT_IDENTIFIERS_H

#include "base/arena.h"

/* The name that everything in the code begins with, also a type and two files; `room` includes the final 0. */
void cmb_code_name(const char *name, size_t room, char *text);

/* Members of one struct: PREFIX and an identifier for each name, in the order of the names, none of them among `taken`; NULL
 * without memory. */
const char *const *cmb_identifiers(cmb_arena *arena, const char *prefix, int count,
                                   const char *const *names, int taken_count,
                                   const char *const *taken);

#endif
