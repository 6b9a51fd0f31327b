/*
 * A hash map from names to values, on an arena, used by the YAML parser and drafts for keys, by the reader and layer dyn for names of a model.
 * A name belongs to an owner (the address of anything that represents a map or a namespace), so that one hash map serves many. Entries are
 * never removed.
 */
#ifndef CMB_MODEL_NAME_MAP_H
#define CMB_MODEL_NAME_MAP_H

#include "model/model.h"

#include <stdint.h>

typedef struct cmb_name {
  const char *name; /* the first member, as cmb_nearest_name expects */
  const void *owner;
  cmb_place place; /* where the name is defined */
  int kind, index; /* for the caller */
  const void *data;
  uint32_t hash;
  struct cmb_name *chain; /* next one in the same bucket */
  struct cmb_name *next;  /* next one in the order of addition */
} cmb_name;

typedef struct cmb_name_map {
  cmb_arena *arena;
  cmb_name **buckets;
  uint32_t bucket_count, count; /* bucket_count: a power of two, or 0; count: of the entries */
  cmb_name *first, *last;
} cmb_name_map;

/* Returns the entry of a name of this owner; NULL if there is none. */
cmb_name *cmb_name_map_find(const cmb_name_map *map, const void *owner, const char *name);

/* Adds a name of an owner that is not in the map yet, and returns the new entry; the members for the caller are 0. The name's text must
 * outlive the map. Returns NULL if out of memory. */
cmb_name *cmb_name_map_add(cmb_name_map *map, const void *owner, const char *name);

#endif
