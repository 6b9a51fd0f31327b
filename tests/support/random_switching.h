/*
 * Writes random models with switching functions as text: one to four bodies in trees, some with a loop; springs, loads, contacts, inputs
 * and measures whose formulas are nested conditions (random_formula.h), and tables. Every third seed gives a model with controllers and
 * delays. The same seed gives the same model.
 */
#ifndef CMBT_RANDOM_SWITCHING_H
#define CMBT_RANDOM_SWITCHING_H

#include <stddef.h>
#include <stdint.h>

enum { CMBT_SWITCHING_ROOM = 40000 };

/* Writes the model to text (room: CMBT_SWITCHING_ROOM characters are enough). */
void cmbt_random_switching(uint64_t seed, size_t room, char *text);

#endif
