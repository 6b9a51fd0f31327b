/*
 * Random models that switch, as text: one to four bodies in trees, sometimes with a loop or a drive; springs, loads, contacts,
 * inputs, measures and tables whose formulas are nested conditions (random_formula.h); every third has controllers with delays. The same seed gives the same model.
 */
#ifndef CMBT_RANDOM_SWITCHING_H
#define CMBT_RANDOM_SWITCHING_H

#include <stddef.h>
#include <stdint.h>

enum { CMBT_SWITCHING_ROOM = 40000 };

void cmbt_random_switching(uint64_t seed, size_t room, char *text);

#endif
