/*
 * Parses a YAML text into a tree of texts, lists and maps on an arena, each with its place in the file; used by the reader of models.
 *
 * Aliases (*name) are replaced by copies of their anchors' nodes, merge keys (<<) are merged. The size of the tree is limited to
 * CMB_MOST_NODES nodes and CMB_MOST_LEVELS levels, aliases counted with their contents, so that a walk over the tree always ends soon.
 */
#ifndef CMB_MODEL_YAML_H
#define CMB_MODEL_YAML_H

#include "base/text.h"
#include "model/name_map.h"

enum { CMB_MOST_NODES = 1000000, CMB_MOST_LEVELS = 64 };

typedef enum cmb_node_kind { CMB_NODE_TEXT, CMB_NODE_LIST, CMB_NODE_MAP } cmb_node_kind;

typedef struct cmb_node cmb_node;
struct cmb_node {
  cmb_node_kind kind;
  /* of a text that of its first character, inside of quotes; of a block text (| or >) the beginning of its first line */
  cmb_place place;
  const char *text; /* value of a text, "" otherwise; contains no 0 */
  const char *key;  /* of an entry of a map, else NULL */
  cmb_place key_place;
  int count;             /* number of entries of a list or map */
  const cmb_node *first; /* its first entry */
  const cmb_node *next;  /* next entry of the same list or map */
  int size, levels;      /* size: number of nodes of the tree below and itself; levels: its depth */
};

/* Parses the one document in a text of `length` bytes into a tree, whose root becomes *root; `file` is the file's name for messages. The
 * nodes are on the map's arena, and the keys of all maps are added to `map`. CMB_ERROR_INPUT if the text is empty, not valid YAML, too
 * large, or has what models do not use: tags, a second document, a key twice in a map. */
cmb_status cmb_yaml_parse(cmb_context *ctx, cmb_name_map *map, const char *text, size_t length,
                          const char *file, const cmb_node **root);

/* Returns the entry of a map with this key; NULL if there is none or the node is no map. */
const cmb_node *cmb_node_find(const cmb_node *map, const char *key);

/* Reports an error in the user's input: the formatted text after its place, "FILE:LINE:COL: ", or "FILE: KEY: " without a line. Returns
 * CMB_ERROR_INPUT. */
cmb_status cmb_fail_at(cmb_context *ctx, cmb_place at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { CMB_WHERE_ROOM = 1024 };

/* Writes a place for a message into `where`: "FILE:LINE:COLUMN", "FILE:LINE" without a column, or "FILE: KEY" without a line. Returns
 * `where`. */
const char *cmb_where(cmb_place at, char where[CMB_WHERE_ROOM]);

#endif
