/*
 * Implements the name map (name_map.h): a hash table of buckets with chains, which is doubled when there are as many names as buckets.
 */
#include "model/name_map.h"

#include <string.h>

enum { BUCKETS_AT_FIRST = 256 };

/* Computes the 32-bit FNV-1a hash of the owner's address and the name. */
static uint32_t hash_of(const void *owner, const char *name)
{
  uint64_t address = (uintptr_t)owner;
  uint32_t hash = 2166136261u;
  for (int i = 0; i < 8; i++) hash = (hash ^ (uint32_t)(address >> (8 * i) & 0xFF)) * 16777619u;
  for (const char *c = name; *c; c++) hash = (hash ^ (unsigned char)*c) * 16777619u;
  return hash;
}

cmb_name *cmb_name_map_find(const cmb_name_map *map, const void *owner, const char *name)
{
  if (map->bucket_count == 0) return NULL;
  uint32_t hash = hash_of(owner, name);
  cmb_name *entry = map->buckets[hash & (map->bucket_count - 1)];
  while (entry && (entry->hash != hash || entry->owner != owner || strcmp(entry->name, name) != 0))
    entry = entry->chain;
  return entry;
}

static bool grow(cmb_name_map *map)
{
  uint32_t count = map->bucket_count > 0 ? 2 * map->bucket_count : BUCKETS_AT_FIRST;
  cmb_name **buckets = cmb_arena_take(map->arena, count, sizeof(cmb_name *));
  if (!buckets) return false;
  for (cmb_name *entry = map->first; entry; entry = entry->next) {
    cmb_name **bucket = &buckets[entry->hash & (count - 1)];
    entry->chain = *bucket;
    *bucket = entry;
  }
  map->buckets = buckets;
  map->bucket_count = count;
  return true;
}

cmb_name *cmb_name_map_add(cmb_name_map *map, const void *owner, const char *name)
{
  if (map->count == map->bucket_count && !grow(map)) return NULL;
  cmb_name *entry = cmb_arena_take(map->arena, 1, sizeof *entry);
  if (!entry) return NULL;
  entry->name = name;
  entry->owner = owner;
  entry->hash = hash_of(owner, name);
  cmb_name **bucket = &map->buckets[entry->hash & (map->bucket_count - 1)];
  entry->chain = *bucket;
  *bucket = entry;
  if (map->last)
    map->last->next = entry;
  else
    map->first = entry;
  map->last = entry;
  map->count++;
  return entry;
}
