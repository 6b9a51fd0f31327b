/*
 * Converts names of a model to C identifiers: letters, digits and _, no duplicates, and no word that is reserved by C, C++ or their headers.
 */
#ifndef CMB_EXPORT_IDENTIFIERS_H
#define CMB_EXPORT_IDENTIFIERS_H

#include "base/arena.h"

/* Converts the model's name to the C identifier with which all names in the exported code begin, and which is also a type and the name of two
 * files. It is cut to fit into text[room], the final 0 included. */
void cmb_code_name(const char *name, size_t room, char *text);

/* Makes C identifiers for the members of one struct, in the order of names[count]: each begins with `prefix`, is different from all others
 * and not among taken[taken_count]. Returns NULL if out of memory. */
const char *const *cmb_identifiers(cmb_arena *arena, const char *prefix, int count,
                                   const char *const *names, int taken_count,
                                   const char *const *taken);

#endif
