/*
 * Converts names of a model to C identifiers: letters, digits and _, no duplicates, and no word that is reserved by C, C++ or their headers.
 */
#ifndef CMB_EXPORT_IDENTIFIERS_H
#define CMB_EXPORT_IDENTIFIERS_H

#include "base/arena.h"

/* Makes the name with which everything in the code begins, and which is also a type and the name of two files; `room` includes the final
 * 0. */
void cmb_code_name(const char *name, size_t room, char *text);

/* Makes identifiers for the members of one struct: PREFIX and an identifier for each name, in the order of the names, none of them among
 * `taken`. Returns NULL if memory runs out. */
const char *const *cmb_identifiers(cmb_arena *arena, const char *prefix, int count,
                                   const char *const *names, int taken_count,
                                   const char *const *taken);

#endif
