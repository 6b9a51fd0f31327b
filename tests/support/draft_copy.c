/*
 * Copies a model file into a draft (draft_copy.h).
 */
#include "draft_copy.h"

#include "base/text.h"
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_ROOM = 400, MOST_ENTRIES = 400 };

char *cmbt_load_file(const char *path, size_t *length)
{
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s cannot be opened", path);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const long size = ftell(file);
  rewind(file);
  char *text = malloc((size_t)size + 1);
  assert_non_null(text);
  *length = fread(text, 1, (size_t)size, file);
  assert_int_equal(*length, size);
  text[size] = '\0';
  fclose(file);
  return text;
}

const cmb_node *cmbt_yaml(cmb_context *ctx, cmb_arena *arena, const char *text, size_t length)
{
  cmb_name_map *map = cmb_arena_take(arena, 1, sizeof *map);
  const cmb_node *root;
  assert_non_null(map);
  map->arena = arena;
  cmbt_ok(ctx, cmb_yaml_parse(ctx, map, text, length, "copied.yaml", &root));
  return root;
}

/* Reads the entries of a list as numbers. Returns false if the list is empty or an entry is not a number. */
static bool all_numbers(const cmb_node *list, double x[MOST_ENTRIES])
{
  int i = 0;
  for (const cmb_node *entry = list->first; entry; entry = entry->next) {
    if (entry->kind != CMB_NODE_TEXT || !cmb_parse_number(entry->text, &x[i++])) return false;
  }
  return list->count > 0;
}

/* Reads a list of rows of equal length, all numbers, into x (rows x columns). Returns false if the list is no such matrix. */
static bool all_rows(const cmb_node *list, double x[MOST_ENTRIES])
{
  const int columns = list->count > 0 ? list->first->count : 0;
  if (columns == 0 || columns * list->count > MOST_ENTRIES) return false;
  for (const cmb_node *row = list->first; row; row = row->next, x += columns) {
    if (row->kind != CMB_NODE_LIST || row->count != columns || !all_numbers(row, x)) return false;
  }
  return true;
}

static int copy_list(cmb_draft *d, const cmb_node *list, const char *key);

/* Appends a name to the key of the node above it; "~" is written as "~0" and "/" as "~1", as in keys of drafts. */
static void put_name(char *key, size_t room, const char *above, const char *name)
{
  size_t n = (size_t)snprintf(key, room, "%s%s", above, above[0] ? "/" : "");
  for (; *name; name++) {
    assert_true(n + 3 < room);
    if (*name == '/' || *name == '~') key[n++] = '~';
    key[n++] = (char)(*name == '/' ? '1' : *name == '~' ? '0' : *name);
  }
  key[n] = '\0';
}

/* Copies a node and all nodes below it into the draft. Returns the number of calls. */
static int copy_node(cmb_draft *d, const cmb_node *node, const char *key)
{
  double x;
  int calls = 0;
  if (node->kind == CMB_NODE_LIST) return copy_list(d, node, key);
  if (node->kind == CMB_NODE_TEXT) {
    const bool number = cmb_parse_number(node->text, &x);
    assert_int_equal(number ? cmb_draft_number(d, key, x) : cmb_draft_text(d, key, node->text), 0);
    return 1;
  }
  for (const cmb_node *entry = node->first; entry; entry = entry->next) {
    char further[KEY_ROOM];
    put_name(further, sizeof further, key, entry->key);
    calls += copy_node(d, entry, further);
  }
  return calls;
}

static int copy_list(cmb_draft *d, const cmb_node *list, const char *key)
{
  double x[MOST_ENTRIES];
  int calls = 0, i = 0;
  assert_true(list->count <= MOST_ENTRIES);
  if (list->count == 0) return cmb_draft_texts(d, key, 0, NULL) == CMB_OK;
  if (all_numbers(list, x)) {
    assert_int_equal(cmb_draft_numbers(d, key, list->count, x), CMB_OK);
    return 1;
  }
  if (all_rows(list, x)) {
    assert_int_equal(cmb_draft_rows(d, key, list->count, list->first->count, x), CMB_OK);
    return 1;
  }
  for (const cmb_node *entry = list->first; entry; entry = entry->next) {
    char further[KEY_ROOM], number[16];
    snprintf(number, sizeof number, "%d", i++);
    put_name(further, sizeof further, key, number);
    calls += copy_node(d, entry, further);
  }
  return calls;
}

int cmbt_draft_copy(cmb_draft *draft, const cmb_node *root)
{
  return copy_node(draft, root, "");
}
