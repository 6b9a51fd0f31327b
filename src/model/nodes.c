/*
 * Checks that nodes of a file have the expected kind and maps only known keys, and reports an error if not; called by the readers of
 * sections (reader.h).
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

static const char *kind_text(const cmb_node *node)
{
  if (node->kind == CMB_NODE_TEXT) return node->text[0] ? "a text or number" : "nothing";
  return node->kind == CMB_NODE_LIST ? "a list" : "a map";
}

/* Returns the key of a map's entry as text for messages, written into `shown` with '?' for control characters; "this" for an entry of a
 * list. */
static const char *key_text(const cmb_node *node, char shown[CMB_SHOWN_ROOM])
{
  return node->key ? cmb_shown(node->key, shown) : "this";
}

static cmb_status fail_kind(cmb_reader *r, const cmb_node *node, const char *expected)
{
  char shown[CMB_SHOWN_ROOM];
  const char *quote = node->key ? "'" : "";
  return cmb_reader_fail(r, node->place, "%s%s%s is %s; expected %s", quote, key_text(node, shown),
                         quote, kind_text(node), expected);
}

cmb_status cmb_expect_map(cmb_reader *r, const cmb_node *node)
{
  return node->kind == CMB_NODE_MAP ? CMB_OK : fail_kind(r, node, "a map {key: value, ...}");
}

cmb_status cmb_expect_text(cmb_reader *r, const cmb_node *node, const char *expected)
{
  return node->kind == CMB_NODE_TEXT && node->text[0] ? CMB_OK : fail_kind(r, node, expected);
}

cmb_status cmb_read_line(cmb_reader *r, const cmb_node *node, const char **line)
{
  size_t length = strlen(node->text);
  while (length > 0 && node->text[length - 1] == '\n')
    length--; /* line ends at the end come from a block of text */
  for (size_t i = 0; i < length; i++) {
    const unsigned char c = (unsigned char)node->text[i];
    if (!cmb_is_control(node->text[i])) continue;
    char shown[CMB_SHOWN_ROOM];
    return cmb_reader_fail(r, node->place,
                           "'%s' has the control character 0x%02X%s; expected a line of text",
                           key_text(node, shown), (unsigned)c,
                           c == '\n'   ? ", a line end"
                           : c == '\t' ? ", a tab"
                                       : "");
  }
  char *copy = cmb_arena_take(r->model->arena, length + 1, 1);
  if (!copy) return cmb_fail_memory(r->ctx);
  memcpy(copy, node->text, length);
  copy[length] = '\0';
  *line = copy;
  return CMB_OK;
}

cmb_status cmb_expect_list(cmb_reader *r, const cmb_node *node, int count, const char *expected)
{
  if (node->kind != CMB_NODE_LIST) return fail_kind(r, node, expected);
  if (node->count == count) return CMB_OK;
  char shown[CMB_SHOWN_ROOM];
  const char *quote = node->key ? "'" : "";
  return cmb_reader_fail(r, node->place, "%s%s%s has %d entr%s; expected %s", quote,
                         key_text(node, shown), quote, node->count, node->count == 1 ? "y" : "ies",
                         expected);
}

/* Reports that `text` is not one of the `count` names in a table whose names are `stride` bytes apart. The message suggests the most
 * similar name or else lists all; `what` is the kind of name, such as "key". */
static cmb_status fail_choice(cmb_reader *r, cmb_place at, const char *what, const char *text,
                              const void *names, int count, size_t stride)
{
  char shown[CMB_SHOWN_ROOM], known[300] = "";
  const char *nearest = cmb_nearest_name(text, names, count, stride);
  cmb_shown(text, shown);
  if (nearest) {
    return cmb_reader_fail(r, at, "unknown %s '%s': did you mean '%s'?", what, shown, nearest);
  }
  for (int i = 0; i < count; i++) {
    const char *const *name = (const void *)((const char *)names + (size_t)i * stride);
    size_t length = strlen(known);
    snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "", *name);
  }
  return cmb_reader_fail(r, at, "unknown %s '%s': expected one of %s", what, shown, known);
}

cmb_status cmb_check_keys(cmb_reader *r, const cmb_node *map, int count, const char *const *keys)
{
  CMB_TRY(cmb_expect_map(r, map));
  for (const cmb_node *entry = map->first; entry; entry = entry->next) {
    if (cmb_find_name(entry->key, keys, count, sizeof *keys) >= 0) continue;
    return fail_choice(r, entry->key_place, "key", entry->key, keys, count, sizeof *keys);
  }
  return CMB_OK;
}

cmb_status cmb_require(cmb_reader *r, const cmb_node *map, const char *key, const cmb_node **node)
{
  *node = cmb_node_find(map, key);
  if (*node) return CMB_OK;
  return cmb_reader_fail(r, map->place, "the key '%s' is missing", key);
}

cmb_status cmb_read_choice(cmb_reader *r, const cmb_node *node, const void *names, int count,
                           size_t stride, int *choice)
{
  char shown[CMB_SHOWN_ROOM];
  CMB_TRY(cmb_expect_text(r, node, "a name"));
  *choice = cmb_find_name(node->text, names, count, stride);
  if (*choice >= 0) return CMB_OK;
  return fail_choice(r, node->place, key_text(node, shown), node->text, names, count, stride);
}
