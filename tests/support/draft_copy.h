/*
 * A model file once more by calls: its tree is walked through, and every text, list and row is set in a draft.
 */
#ifndef CMBT_DRAFT_COPY_H
#define CMBT_DRAFT_COPY_H

#include "model/yaml.h"

/* The tree of a text, which stays until the arena goes. */
const cmb_node *cmbt_yaml(cmb_context *ctx, cmb_arena *arena, const char *text, size_t length);

/* All parts of the tree, texts that are numbers as numbers and lists of these as such. Returns how many calls it took. */
int cmbt_draft_copy(cmb_draft *draft, const cmb_node *root);

/* The bytes of a file, with a 0 behind; to be freed. */
char *cmbt_load_file(const char *path, size_t *length);

#endif
