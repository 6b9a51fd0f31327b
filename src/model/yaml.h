/*
 * A YAML text as a tree of texts, lists and maps on an arena, each with its place in the file.
 *
 * Aliases (*name) are put in, merge keys (<<) are merged. What a text of a few lines can unfold to is limited: MOST nodes
 * altogether and MOST levels, counted with what aliases stand for, so that a walk over the tree is always short.
 */
#ifndef CMB_MODEL_YAML_H
#define CMB_MODEL_YAML_H

#include "model/name_map.h"

enum { CMB_MOST_NODES = 1000000, CMB_MOST_LEVELS = 64 };

typedef enum cmb_node_kind { CMB_NODE_TEXT, CMB_NODE_LIST, CMB_NODE_MAP } cmb_node_kind;

typedef struct cmb_node cmb_node;
struct cmb_node {
  cmb_node_kind kind;
  cmb_place place;  /* of a text: of its first character, inside of quotes */
  const char *text; /* of a text, "" otherwise; has no 0 inside */
  const char *key;  /* of an entry of a map, else NULL */
  cmb_place key_place;
  int count;             /* entries of a list or map */
  const cmb_node *first; /* the first of them */
  const cmb_node *next;  /* the next entry of the list or map that this one stands in */
  int size, levels;      /* nodes in the tree below, itself included; how deep it is */
};

/* The one document in the text; file names it in messages. Nodes are taken from the map's arena. */
cmb_status cmb_yaml_parse(cmb_context *ctx, cmb_name_map *map, const char *text, size_t length,
                          const char *file, const cmb_node **root);

/* The entry of a map with this key, NULL if there is none. */
const cmb_node *cmb_node_find(const cmb_node *map, const char *key);

/* CMB_ERROR_INPUT with "FILE:LINE:COL: " and the words. */
cmb_status cmb_fail_at(cmb_context *ctx, cmb_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { CMB_SHOWN_ROOM = 64, CMB_WHERE_ROOM = 1024 };

/* A place for a message: "FILE:LINE:COLUMN", without a column "FILE:LINE", or "FILE: KEY". Returns `where`. */
const char *cmb_where(cmb_place at, char where[CMB_WHERE_ROOM]);

/* A text of the user's for a message: long ones are cut, what is not to be seen becomes '?'. Returns `shown`. */
const char *cmb_shown(const char *text, char shown[CMB_SHOWN_ROOM]);

#endif
