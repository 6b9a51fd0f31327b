/*
 * Parses YAML texts into trees of nodes (yaml.h); called for model files, included files and tyre files. libfyaml gives events with their
 * places, and the tree is built from them with a stack of the open lists and maps. The messages of syntax errors are libfyaml's; it prints
 * nothing.
 */
#include "model/yaml.h"

#include "base/context.h"

#include <libfyaml.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct open {
  cmb_node *node;
  cmb_node *last;         /* its last entry */
  const cmb_node *key;    /* the key that was read last if its value was not read yet, else NULL */
  const cmb_node *merged; /* the value of the merge key <<, or NULL */
  bool flow;              /* written as {...} or [...], where a comma ends a text without quotes */
  const cmb_node *cut;    /* a text among its entries, without quotes, that lacks a ')'; or NULL */
};

struct builder {
  cmb_context *ctx;
  cmb_name_map *map; /* keys, owned by their map node, and anchors, owned by the builder */
  const char *file;
  struct open stack[CMB_MOST_LEVELS];
  int depth;
  int documents, nodes;
  cmb_place at; /* place of the last event that has one */
  const cmb_node *root;
  cmb_status status; /* the error if new_node, alias_node and so on return NULL */
};

cmb_status cmb_fail_at(cmb_context *ctx, cmb_place at, const char *format, ...)
{
  const cmb_about place = cmb_about_at(at);
  va_list arguments;
  va_start(arguments, format);
  cmb_fail_words(ctx, CMB_ERROR_INPUT, &place, format, arguments);
  va_end(arguments);
  return CMB_ERROR_INPUT;
}

const char *cmb_where(cmb_place at, char where[CMB_WHERE_ROOM])
{
  char place[64] = "";
  if (at.line > 0 && at.column > 0)
    snprintf(place, sizeof place, ":%d:%d", at.line, at.column);
  else if (at.line > 0)
    snprintf(place, sizeof place, ":%d", at.line);
  snprintf(where, CMB_WHERE_ROOM, "%s%s%s%s", at.file, at.key ? ": " : "", at.key ? at.key : "",
           place);
  return where;
}

const cmb_node *cmb_node_find(const cmb_node *map, const char *key)
{
  if (map->kind != CMB_NODE_MAP) return NULL;
  const cmb_node *entry = map->first;
  while (entry && strcmp(entry->key, key) != 0) entry = entry->next;
  return entry;
}

/* ---- nodes from events */

/* Converts a mark of libfyaml (a position in the text, counted from 0) to a place in the file, counted from 1; line 1, column 1 if mark is
 * NULL. */
static cmb_place place_of(const struct builder *b, const struct fy_mark *mark)
{
  return mark ? cmb_place_in(b->file, mark->line + 1, mark->column + 1)
              : cmb_place_in(b->file, 1, 1);
}

/* Allocates a node of the tree with this kind and place and no contents. Returns NULL on failure (out of memory or too many nodes), with
 * the status in b->status. */
static cmb_node *new_node(struct builder *b, cmb_node_kind kind, cmb_place place)
{
  if (++b->nodes > CMB_MOST_NODES) {
    b->status = cmb_fail_at(
        b->ctx, place,
        "the file has too many keys, values, lists and maps; expected at most %d of them",
        (int)CMB_MOST_NODES);
    return NULL;
  }
  cmb_node *node = cmb_arena_take(b->map->arena, 1, sizeof *node);
  if (node)
    *node = (cmb_node){.kind = kind, .place = place, .text = "", .size = 1, .levels = 1};
  else
    b->status = cmb_fail_memory(b->ctx);
  return node;
}

/* Copies the text of a libfyaml token to the arena as *text; a character 0 inside is an error. The text is copied in pieces, because
 * fy_token_get_text of libfyaml 0.7 leaks memory if a quoted text has many doubled quotes. */
static cmb_status copy_text(struct builder *b, struct fy_token *token, cmb_place place,
                            const char **text)
{
  size_t length = token ? fy_token_get_text_length(token) : 0, done = 0;
  char *to = length < SIZE_MAX ? cmb_arena_take(b->map->arena, length + 1, 1) : NULL;
  struct fy_token_iter *from = to && token ? fy_token_iter_create(token) : NULL;
  if (!to || (token && !from)) return cmb_fail_memory(b->ctx);
  const struct fy_iter_chunk *piece = from ? fy_token_iter_chunk_next(from, NULL, NULL) : NULL;
  for (; piece && piece->len <= length - done;
       piece = fy_token_iter_chunk_next(from, piece, NULL)) {
    memcpy(to + done, piece->str, piece->len);
    done += piece->len;
  }
  fy_token_iter_destroy(from);
  if (done < length || memchr(to, 0, done)) {
    return cmb_fail_at(b->ctx, place,
                       "the text contains the character with the code 0; expected text without it");
  }
  *text = to;
  return CMB_OK;
}

/* Creates a text node of the tree from a scalar event of the YAML parser. Its place is that of its first character, inside of quotes; for a
 * block text (| or >) the beginning of its first line, for a missing value the place of its key, or in a list that of what comes before it.
 * Returns NULL on failure, with the status in b->status. */
static cmb_node *scalar_node(struct builder *b, struct fy_event *event)
{
  struct fy_token *token = event->scalar.value;
  const struct fy_mark *mark = fy_event_start_mark(event);
  cmb_place place = place_of(b, mark);
  const cmb_node *key = b->depth > 0 ? b->stack[b->depth - 1].key : NULL;
  if (!mark) place = key ? key->place : b->at; /* the value is missing */
  cmb_node *node = new_node(b, CMB_NODE_TEXT, place);
  if (!node) return NULL;
  b->status = copy_text(b, token, place, &node->text);
  return b->status == CMB_OK ? node : NULL;
}

/* Records `node` under the YAML anchor &name of a parser event, if it has one, for the aliases *name that follow. A later anchor of the
 * same name replaces it. */
static cmb_status set_anchor(struct builder *b, struct fy_event *event, const cmb_node *node)
{
  struct fy_token *token = fy_event_get_anchor_token(event);
  const char *name = "";
  if (!token) return CMB_OK;
  CMB_TRY(copy_text(b, token, node->place, &name));
  cmb_name *entry = cmb_name_map_find(b->map, b, name);
  if (!entry) entry = cmb_name_map_add(b->map, b, name);
  if (!entry) return cmb_fail_memory(b->ctx);
  entry->data = node;
  return CMB_OK;
}

/* Returns the node that carries the YAML anchor &name, to which an alias *name refers. Returns NULL, with the status in b->status, if there
 * is no such anchor before the alias, or if the alias is inside of that node. */
static const cmb_node *find_anchor(struct builder *b, const char *name)
{
  char shown[CMB_SHOWN_ROOM];
  cmb_name *entry = cmb_name_map_find(b->map, b, name);
  if (!entry) {
    b->status = cmb_fail_at(b->ctx, b->at,
                            "unknown alias '*%s': expected '&%s' in front of an earlier value",
                            cmb_shown(name, shown), shown);
    return NULL;
  }
  for (int i = 0; i < b->depth; i++) {
    if (b->stack[i].node != entry->data) continue;
    b->status = cmb_fail_at(
        b->ctx, b->at,
        "the alias '*%s' is inside of the value to which it refers; expected it outside",
        cmb_shown(name, shown));
    return NULL;
  }
  return entry->data;
}

/* Creates the node of a YAML alias *name: a copy of the node of its anchor, which shares the entries of that node. Returns NULL on failure,
 * with the status in b->status. */
static cmb_node *alias_node(struct builder *b, struct fy_event *event)
{
  const char *name = "";
  b->status = copy_text(b, event->alias.anchor, b->at, &name);
  if (b->status != CMB_OK) return NULL;
  const cmb_node *target = find_anchor(b, name);
  cmb_node *node = target ? new_node(b, target->kind, target->place) : NULL;
  if (!node) return NULL;
  *node = *target;
  node->key = NULL;
  node->next = NULL;
  return node;
}

/* Returns the number of '(' in the text minus the number of ')'. */
static int open_parentheses(const char *text)
{
  int count = 0;
  for (; *text; text++) count += (*text == '(') - (*text == ')');
  return count;
}

/* Recognises formulas without quotes that YAML has cut at the comma between two arguments, as {x: max(0, y)} into the keys 'x' and 'y)'. Called
 * for every text. Remembers a text inside of {...} or [...] that lacks a ')'; if another text follows it there, reports the error. */
static cmb_status refuse_cut_formula(struct builder *b, struct fy_event *event,
                                     const cmb_node *node)
{
  struct open *o = b->depth > 0 ? &b->stack[b->depth - 1] : NULL;
  char shown[CMB_SHOWN_ROOM];
  if (!o || !o->flow) return CMB_OK;
  if (o->cut) {
    return cmb_fail_at(b->ctx, o->cut->place,
                       "the comma behind '%s' ends the text; expected quotes around a formula "
                       "with a comma in it",
                       cmb_shown(o->cut->text, shown));
  }
  const bool is_value = o->node->kind == CMB_NODE_LIST || o->key;
  const bool is_plain = fy_event_get_node_style(event) == FYNS_PLAIN;
  if (is_value && is_plain && open_parentheses(node->text) > 0) o->cut = node;
  return CMB_OK;
}

/* ---- the tree */

/* Appends an entry to the open list or map o and updates the count, size and depth of o. It is an error if size or depth become too large.
 * */
static cmb_status append(struct builder *b, struct open *o, cmb_node *entry)
{
  if (b->depth + entry->levels > CMB_MOST_LEVELS) {
    return cmb_fail_at(b->ctx, b->at,
                       "lists and maps are nested too deeply; expected at most %d levels",
                       (int)CMB_MOST_LEVELS);
  }
  if (entry->size > CMB_MOST_NODES - o->node->size) {
    return cmb_fail_at(
        b->ctx, b->at,
        "the file has too many parts, counted with those that aliases repeat; expected "
        "at most %d",
        (int)CMB_MOST_NODES);
  }
  o->node->size += entry->size;
  if (o->node->levels < entry->levels + 1) o->node->levels = entry->levels + 1;
  o->node->count++;
  if (o->last)
    o->last->next = entry;
  else
    o->node->first = entry;
  o->last = entry;
  return CMB_OK;
}

static cmb_status add_entry(struct builder *b, struct open *o, const cmb_node *key, cmb_node *value)
{
  char shown[CMB_SHOWN_ROOM];
  cmb_name *earlier = cmb_name_map_find(b->map, o->node, key->text);
  if (earlier) {
    return cmb_fail_at(b->ctx, key->place, "the key '%s' is given twice; the first is in line %d",
                       cmb_shown(key->text, shown), earlier->place.line);
  }
  cmb_name *entry = cmb_name_map_add(b->map, o->node, key->text);
  if (!entry) return cmb_fail_memory(b->ctx);
  entry->place = key->place;
  value->key = key->text;
  value->key_place = key->place;
  return append(b, o, value);
}

/* Merges (by the YAML key <<) the entries of the map `from`, or of each map in the list `from`, into the open map o, except those whose
 * keys o has already. A text as `from` is an error. */
static cmb_status merge(struct builder *b, struct open *o, const cmb_node *from)
{
  if (from->kind == CMB_NODE_TEXT) {
    return cmb_fail_at(b->ctx, from->place, "'<<' merges a map: expected an alias such as *left");
  }
  for (const cmb_node *entry = from->first; entry; entry = entry->next) {
    if (from->kind == CMB_NODE_LIST) {
      CMB_TRY(merge(b, o, entry));
    } else if (!cmb_name_map_find(b->map, o->node, entry->key)) {
      cmb_node *copy = new_node(b, entry->kind, entry->place);
      const cmb_node key = {.text = entry->key, .place = entry->key_place};
      if (!copy) return b->status;
      *copy = *entry;
      copy->next = NULL;
      CMB_TRY(add_entry(b, o, &key, copy));
    }
  }
  return CMB_OK;
}

/* Adds a complete text, list or map to the innermost open list or map: as an entry, as a key, or as the value of the preceding key; if none
 * is open, it becomes the root. The value of the key << is merged when its map is closed, so that the map's own keys take precedence. A
 * list or map as a key, or a second <<, is an error. */
static cmb_status place_node(struct builder *b, cmb_node *node)
{
  if (b->depth == 0) {
    b->root = node;
    return CMB_OK;
  }
  struct open *o = &b->stack[b->depth - 1];
  if (o->node->kind == CMB_NODE_LIST) return append(b, o, node);
  if (!o->key) {
    if (node->kind != CMB_NODE_TEXT) {
      return cmb_fail_at(b->ctx, node->place, "the key is a list or a map; expected a name");
    }
    o->key = node;
    return CMB_OK;
  }
  const cmb_node *key = o->key;
  o->key = NULL;
  if (strcmp(key->text, "<<") != 0) return add_entry(b, o, key, node);
  if (o->merged)
    return cmb_fail_at(b->ctx, key->place,
                       "the key '<<' is given twice; expected it once, with a list of maps");
  o->merged = node;
  return CMB_OK;
}

static cmb_status open_container(struct builder *b, struct fy_event *event, cmb_node_kind kind)
{
  cmb_node *node = new_node(b, kind, place_of(b, fy_event_start_mark(event)));
  if (!node) return b->status;
  if (b->depth == CMB_MOST_LEVELS) {
    return cmb_fail_at(b->ctx, node->place,
                       "lists and maps are nested too deeply; expected at most %d levels",
                       (int)CMB_MOST_LEVELS);
  }
  b->stack[b->depth++] =
      (struct open){.node = node, .flow = fy_event_get_node_style(event) == FYNS_FLOW};
  return set_anchor(b, event, node);
}

static cmb_status close_container(struct builder *b)
{
  struct open *o = &b->stack[b->depth - 1];
  if (o->merged) CMB_TRY(merge(b, o, o->merged));
  b->depth--;
  return place_node(b, o->node);
}

static cmb_status take_event(struct builder *b, struct fy_event *event)
{
  cmb_node *node;
  struct fy_token *tag = fy_event_get_tag_token(event);
  const struct fy_mark *mark = fy_event_start_mark(event);
  if (mark) b->at = place_of(b, mark);
  if (event->type == FYET_ALIAS) b->at.column--; /* the mark is behind the '*' */
  if (tag) {
    return cmb_fail_at(b->ctx, place_of(b, fy_token_start_mark(tag)),
                       "tags are not used in models; expected the value without '!'");
  }
  switch (event->type) {
  case FYET_DOCUMENT_START:
    if (++b->documents == 1) return CMB_OK;
    return cmb_fail_at(b->ctx, place_of(b, fy_event_start_mark(event)),
                       "a second document begins here; expected one model in a file");
  case FYET_SCALAR:
    node = scalar_node(b, event);
    if (!node) return b->status;
    CMB_TRY(refuse_cut_formula(b, event, node));
    CMB_TRY(set_anchor(b, event, node));
    return place_node(b, node);
  case FYET_ALIAS: node = alias_node(b, event); return node ? place_node(b, node) : b->status;
  case FYET_SEQUENCE_START: return open_container(b, event, CMB_NODE_LIST);
  case FYET_MAPPING_START: return open_container(b, event, CMB_NODE_MAP);
  case FYET_SEQUENCE_END:
  case FYET_MAPPING_END: return close_container(b);
  default: return CMB_OK;
  }
}

/* ---- the parser */

/* Receives the messages that libfyaml would print, and discards them. */
static void ignore_message(struct fy_diag *diag, void *user, const char *text, size_t length)
{
  (void)diag;
  (void)user;
  (void)text;
  (void)length;
}

/* Returns whether libfyaml's error message is the one for a text such as a@[x, y] inside of brackets, which needs quotes because its own
 * bracket begins a list. */
static bool is_bracket_message(const char *message)
{
  return strstr(message, "missing comma in flow") != NULL;
}

/* Reports libfyaml's first syntax error at its place; if libfyaml has no message, reports a general error at the place of the last event.
 * */
static cmb_status fail_syntax(struct builder *b, struct fy_diag *diag)
{
  void *at = NULL;
  const struct fy_diag_error *error = fy_diag_errors_iterate(diag, &at);
  if (!error || !error->msg) {
    return cmb_fail_at(b->ctx, b->at, "this is not YAML: the text cannot be read from here on");
  }
  const cmb_place place = cmb_place_in(b->file, error->line > 0 ? error->line : 1,
                                       error->column > 0 ? error->column : 1);
  return cmb_fail_at(b->ctx, place, "this is not YAML: %s%s", error->msg,
                     is_bracket_message(error->msg)
                         ? "; inside of [..] and {..} a position on a body is {body: ground, at: "
                           "[0, 0, 1]}, and a formula with a bracket or a comma needs quotes"
                         : "");
}

static cmb_status run_parser(struct builder *b, struct fy_parser *parser, struct fy_diag *diag)
{
  cmb_status status = CMB_OK;
  while (status == CMB_OK) {
    struct fy_event *event = fy_parser_parse(parser);
    if (!event) break;
    bool last = event->type == FYET_STREAM_END;
    status = take_event(b, event);
    fy_parser_event_free(parser, event);
    if (last) return status;
  }
  return status == CMB_OK ? fail_syntax(b, diag) : status;
}

static cmb_status build(struct builder *b, struct fy_diag *diag, const char *text, size_t length)
{
  const struct fy_parse_cfg configuration = {
      .search_path = "", .flags = FYPCF_QUIET | FYPCF_JSON_NONE, .diag = diag};
  struct fy_parser *parser = fy_parser_create(&configuration);
  if (!parser) return cmb_fail_memory(b->ctx);
  cmb_status status = fy_parser_set_string(parser, text, length) == 0 ? run_parser(b, parser, diag)
                                                                      : cmb_fail_memory(b->ctx);
  fy_parser_destroy(parser);
  return status;
}

cmb_status cmb_yaml_parse(cmb_context *ctx, cmb_name_map *map, const char *text, size_t length,
                          const char *file, const cmb_node **root)
{
  if (length > 0 && text[0] == '<') {
    return cmb_fail_at(
        ctx, cmb_place_in(file, 1, 1),
        "the text begins with '<', as XML does; expected a model in YAML (files of other "
        "programs, such as URDF and MJCF, are not read)");
  }
  struct builder *b = cmb_arena_take(map->arena, 1, sizeof *b); /* its address owns the anchors */
  const struct fy_diag_cfg quiet = {
      .output_fn = ignore_message, .level = FYET_ERROR, .module_mask = ~0u};
  struct fy_diag *diag = b ? fy_diag_create(&quiet) : NULL;
  if (!diag) return cmb_fail_memory(ctx);
  *b = (struct builder){.ctx = ctx, .map = map, .file = file, .at = cmb_place_in(file, 1, 1)};
  fy_diag_set_collect_errors(diag, true);
  cmb_status status = build(b, diag, text, length);
  fy_diag_destroy(diag);
  CMB_TRY(status);
  if (!b->root || (b->root->kind == CMB_NODE_TEXT && !b->root->text[0])) {
    return cmb_fail_at(ctx, cmb_place_in(file, 1, 1),
                       "the text is empty or has only comments; expected a map of sections");
  }
  *root = b->root;
  return CMB_OK;
}
