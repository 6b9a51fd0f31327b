/*
 * Copies a model file into a draft: walks through its tree and sets every text, list and matrix by a call of cmb_draft_*.
 */
#ifndef CMBT_DRAFT_COPY_H
#define CMBT_DRAFT_COPY_H

#include "model/yaml.h"

/* Parses YAML text and returns the root of its tree, which lives until the arena is destroyed. */
const cmb_node *cmbt_yaml(cmb_context *ctx, cmb_arena *arena, const char *text, size_t length);

/* Copies the whole tree into the draft; texts that are numbers are set as numbers, and lists of them as lists or matrices of numbers.
 * Returns the number of calls. */
int cmbt_draft_copy(cmb_draft *draft, const cmb_node *root);

/* Returns the bytes of a file, followed by a zero byte; the caller frees them. */
char *cmbt_load_file(const char *path, size_t *length);

#endif
