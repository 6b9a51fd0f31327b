/*
 * The types of roads, a row each: what the reader and the schema's test need to know of them. What a road reads beside these numbers is in
 * roads.c, what its height is in dyn/road.c.
 */
#ifndef CMB_MODEL_ROAD_TYPES_H
#define CMB_MODEL_ROAD_TYPES_H

#include <stdbool.h>

typedef enum cmb_road_type {
  CMB_ROAD_FLAT,     /* a plane */
  CMB_ROAD_FORMULA,  /* a height as a formula of x, y and t */
  CMB_ROAD_CYLINDER, /* half of one, lying across the road */
  CMB_ROAD_BUMP,     /* a haversine */
  CMB_ROAD_STAIR,    /* steps up */
  CMB_ROAD_SINE,
  CMB_ROAD_RANDOM,  /* ISO 8608: a sum of waves */
  CMB_ROAD_PROFILE, /* a table of s, or of s and n */
  CMB_ROAD_CRG,     /* a file of the format OpenCRG */
  CMB_ROAD_SUM,     /* of other roads */
  CMB_ROAD_TYPES
} cmb_road_type;

/* What a number of a road has to be. */
typedef enum cmb_road_limit { CMB_ROAD_ANY, CMB_ROAD_POSITIVE } cmb_road_limit;

/* A number of a road: its key, its value if it is not given, and its limits. */
typedef struct cmb_road_number {
  const char *key;
  double usual;
  cmb_road_limit limit;
  bool required;
} cmb_road_number;

enum { CMB_MOST_ROAD_NUMBERS = 6, CMB_MOST_ROAD_KEYS = 6 };

typedef struct cmb_road_row {
  const char *name;
  bool placed; /* it begins at a place and runs in a direction: `at`, `direction` */
  bool scaled; /* `scale` */
  int number_count;
  cmb_road_number numbers[CMB_MOST_ROAD_NUMBERS];
  int key_count;
  const char *keys[CMB_MOST_ROAD_KEYS]; /* others, beside `type` and `friction` */
} cmb_road_row;

extern const cmb_road_row cmb_road_rows[CMB_ROAD_TYPES];

#endif
