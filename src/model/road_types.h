/*
 * The table of road types: name, numeric parameters and keys of each, used by the reader of models and the test of the schema. roads.c
 * reads everything else of a road, dyn/road.c computes its height.
 */
#ifndef CMB_MODEL_ROAD_TYPES_H
#define CMB_MODEL_ROAD_TYPES_H

#include <stdbool.h>

typedef enum cmb_road_type {
  CMB_ROAD_FLAT,     /* a plane */
  CMB_ROAD_FORMULA,  /* a height as a formula of x, y and t */
  CMB_ROAD_CYLINDER, /* half a cylinder, lying across the road */
  CMB_ROAD_BUMP,     /* one haversine */
  CMB_ROAD_STAIR,    /* steps up */
  CMB_ROAD_SINE,
  CMB_ROAD_RANDOM,  /* a sum of waves with the spectrum of ISO 8608 */
  CMB_ROAD_PROFILE, /* a table of heights over s, or over s and n */
  CMB_ROAD_CRG,     /* a file of the format OpenCRG */
  CMB_ROAD_SUM,     /* the sum of other roads */
  CMB_ROAD_TYPES
} cmb_road_type;

/* The values that a number of a road may have. */
typedef enum cmb_road_limit { CMB_ROAD_ANY, CMB_ROAD_POSITIVE } cmb_road_limit;

/* A number of a road: its key, default value, allowed values, and whether the key is required. */
typedef struct cmb_road_number {
  const char *key;
  double usual; /* default value */
  cmb_road_limit limit;
  bool required;
} cmb_road_number;

enum { CMB_MOST_ROAD_NUMBERS = 6, CMB_MOST_ROAD_KEYS = 6 };

typedef struct cmb_road_row {
  const char *name;
  bool placed; /* has the keys `at` and `direction`: where it begins and where it leads */
  bool scaled; /* has the key `scale` */
  int number_count;
  cmb_road_number numbers[CMB_MOST_ROAD_NUMBERS];
  int key_count;
  const char *keys[CMB_MOST_ROAD_KEYS]; /* other keys beside `type` and `friction` */
} cmb_road_row;

extern const cmb_road_row cmb_road_rows[CMB_ROAD_TYPES];

#endif
