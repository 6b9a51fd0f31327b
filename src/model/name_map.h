/*
 * Names and what they stand for: a hash map on an arena. A name belongs to an owner (a mapping, a namespace), so that one
 * map serves many. Entries are never removed.
 */
#ifndef CMB_MODEL_NAME_MAP_H
#define CMB_MODEL_NAME_MAP_H

#include "model/model.h"

#include <stdint.h>

typedef struct cmb_name {
  const char *name; /* first, for cmb_nearest_name */
  const void *owner;
  cmb_place place; /* of the definition */
  int kind, index; /* the user's */
  const void *data;
  uint32_t hash;
  struct cmb_name *chain; /* in the same bucket */
  struct cmb_name *next;  /* in the order they were added */
} cmb_name;

typedef struct cmb_name_map {
  cmb_arena *arena;
  cmb_name **buckets;
  uint32_t bucket_count, count; /* a power of two, or 0; entries */
  cmb_name *first, *last;
} cmb_name_map;

cmb_name *cmb_name_map_find(const cmb_name_map *map, const void *owner, const char *name);

/* A new entry for a name that is not there yet. The text must outlive the map. NULL without memory. */
cmb_name *cmb_name_map_add(cmb_name_map *map, const void *owner, const char *name);

#endif
