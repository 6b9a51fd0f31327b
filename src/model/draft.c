/*
 * Builds a model by calls of the library instead of a file (camber/model.h): a tree of texts, lists and maps as the YAML parser makes it
 * from a file, which the same reader turns into a model (reader.h). So the meaning of keys, the list of known keys, defaults, units and
 * error messages are defined in one place, the reader.
 *
 * A key is the names on the path to a part, separated by '/'; '~1' stands for a '/' in a name and '~0' for '~', as in JSON pointers
 * (RFC 6901). Maps on the path are created as needed. A number as a name is the index of a list entry, from 0; the index after the last one
 * creates an entry.
 *
 * The first failure of a call that adds to the model is kept: later calls do nothing and return it.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_KEY = 480 }; /* longest key, so that error messages have room for it */

struct item {
  cmb_node_kind kind;
  const char *key;  /* of an entry of a map; NULL in a list */
  const char *text; /* if the item is a text, else NULL or "" */
  int count;
  struct item *first, *last, *next;
};

struct cmb_draft {
  cmb_context *ctx;
  cmb_arena *arena;
  const char *path;
  cmb_name_map map; /* key -> index in `all`; the owner of a key is its map */
  struct item root;
  struct item **all; /* (room) all items but the root, by the index in `map` */
  int items, room;
  size_t bytes; /* total length of all texts and names so far, with those that were replaced */
  cmb_status status;
  cmb_error_record failure;
};

/* ---- failures */

/* Stores the context's last error with this status in the draft (a model under construction), so that all later calls on the draft return
 * it. Returns `status`. */
static cmb_status keep_failure(cmb_draft *d, cmb_status status)
{
  d->status = status;
  cmb_error_keep(d->ctx, status, &d->failure);
  return status;
}

static cmb_status fail(cmb_draft *d, cmb_status status, const char *key, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static cmb_status fail(cmb_draft *d, cmb_status status, const char *key, const char *format, ...)
{
  const cmb_about about = {.file = d->path, .key = key ? key : "", .time = NAN};
  va_list arguments;
  va_start(arguments, format);
  cmb_fail_words(d->ctx, status, &about, format, arguments);
  va_end(arguments);
  return keep_failure(d, status);
}

static cmb_status fail_memory(cmb_draft *d)
{
  return keep_failure(d, cmb_fail_memory(d->ctx));
}

/* Returns CMB_OK if no failure is stored in the draft (a model under construction); else reports it again and returns its status. */
static cmb_status check_earlier_failure(cmb_draft *d)
{
  return d->status == CMB_OK ? CMB_OK : cmb_fail_again(d->ctx, &d->failure);
}

#define BEGIN(d)                                                                                   \
  do {                                                                                             \
    if (!(d)) return CMB_ERROR_ARGUMENT;                                                           \
    CMB_TRY(check_earlier_failure(d));                                                             \
  } while (0)

/* ---- items */

/* Copies a text to the draft's arena and returns the copy; `key` is the full key for messages. Returns NULL, with the failure stored in the
 * draft, if the text is not valid UTF-8 or has control characters other than line breaks and tabs, if all texts together are too long, or if
 * out of memory. */
static const char *copy_text(cmb_draft *d, const char *key, const char *text)
{
  const size_t length = strlen(text);
  const cmb_place at = cmb_place_of_text((cmb_place){.file = d->path, .key = key});
  d->bytes += length;
  if (d->bytes > CMB_MOST_BYTES) {
    fail(d, CMB_ERROR_INPUT, key, "the texts of the model are larger than %d MB",
         CMB_MOST_BYTES >> 20);
    return NULL;
  }
  if (cmb_check_text(d->ctx, text, length, cmb_about_at(at)) != CMB_OK) {
    keep_failure(d, CMB_ERROR_INPUT);
    return NULL;
  }
  const char *copy = cmb_arena_text(d->arena, text);
  if (!copy) fail_memory(d);
  return copy;
}

/* Appends the item to the array d->all, which grows as needed, and increments d->items; the index in the array is the number under which
 * the name map finds the item. Returns false if out of memory. */
static bool number_item(cmb_draft *d, struct item *item)
{
  if (d->items == d->room) {
    const int room = d->room > 0 ? 2 * d->room : 64;
    struct item **all = cmb_arena_take(d->arena, (size_t)room, sizeof(void *));
    if (!all) return false;
    if (d->items > 0) memcpy(all, d->all, (size_t)d->items * sizeof(void *));
    d->all = all;
    d->room = room;
  }
  d->all[d->items++] = item;
  return true;
}

/* Appends a new entry, an empty text, to the list `parent` (name == NULL) or, under `name`, to the map `parent`, and returns it. `key` is
 * the full key for error messages. Returns NULL on failure, with the status in d->status. */
static struct item *add_item(cmb_draft *d, struct item *parent, const char *key, const char *name)
{
  if (d->items == CMB_MOST_NODES - 1) {
    fail(d, CMB_ERROR_INPUT, key, "the model has too many parts; expected at most %d",
         (int)CMB_MOST_NODES);
    return NULL;
  }
  const char *copy = name ? copy_text(d, key, name) : NULL;
  if (d->status != CMB_OK) return NULL;
  struct item *item = cmb_arena_take(d->arena, 1, sizeof *item);
  cmb_name *entry = item && copy ? cmb_name_map_add(&d->map, parent, copy) : NULL;
  if (entry) entry->index = d->items;
  if (!item || (copy && !entry) || !number_item(d, item)) {
    fail_memory(d);
    return NULL;
  }
  *item = (struct item){.kind = CMB_NODE_TEXT, .key = copy, .text = ""};
  if (parent->last)
    parent->last->next = item;
  else
    parent->first = item;
  parent->last = item;
  parent->count++;
  return item;
}

/* ---- keys */

/* Decodes the first name of the key *key, such as bodies/rod/mass, into `name` ('~1' means '/', '~0' means '~') and advances *key past this
 * name and its '/'. Returns false if the name is empty, too long, or has a control character or an invalid '~', or if the key ends with
 * '/'. */
static bool take_name(const char **key, char name[MOST_KEY + 1])
{
  const char *from = *key;
  size_t n = 0;
  for (; *from && *from != '/'; from++) {
    char c = *from;
    if ((unsigned char)c < ' ') return false;
    if (c == '~') {
      from++;
      if (*from != '0' && *from != '1') return false;
      c = *from == '1' ? '/' : '~';
    }
    if (n == MOST_KEY) return false;
    name[n++] = c;
  }
  name[n] = '\0';
  *key = *from == '/' ? from + 1 : from;
  return n > 0 && (*from != '/' || from[1]);
}

/* Copies `name` into the buffer `to` of `room` characters with '/' encoded as '~1' and '~' as '~0', as in keys. Returns the length of the
 * result without the final '\0', or `room` if it does not fit. */
static size_t write_name(const char *name, char *to, size_t room)
{
  size_t n = 0;
  for (; *name; name++) {
    const bool sign = *name == '/' || *name == '~';
    if (n + sign + 1 >= room) return room;
    if (sign) to[n++] = '~';
    to[n++] = (char)(*name == '/' ? '1' : *name == '~' ? '0' : *name);
  }
  to[n] = '\0';
  return n;
}

/* Returns the list index that the decimal digits in `name` denote; -1 if it is no number, or has leading zeros or more than seven digits.
 * */
static int index_of(const char *name)
{
  const size_t length = strlen(name);
  if (length > 7 || strspn(name, "0123456789") != length || (name[0] == '0' && name[1])) return -1;
  int index = 0;
  for (; *name; name++) index = 10 * index + (*name - '0');
  return index;
}

static struct item *entry_of_list(cmb_draft *d, struct item *list, const char *key,
                                  const char *name)
{
  const int index = index_of(name);
  if (index < 0 || index > list->count) {
    char shown[CMB_SHOWN_ROOM];
    fail(d, CMB_ERROR_INPUT, key,
         "'%s' is no index of this list, which has %d entr%s; expected a number from 0 to %d",
         cmb_shown(name, shown), list->count, list->count == 1 ? "y" : "ies", list->count);
    return NULL;
  }
  if (index == list->count) return add_item(d, list, key, NULL);
  if (index == list->count - 1) return list->last;
  struct item *item = list->first;
  for (int i = 0; i < index; i++) item = item->next;
  return item;
}

/* Returns the entry `name` of a list or map in a draft (a model under construction), which is created if it is missing, in a list only after
 * the last one. An item that is still an empty text first becomes a list if `name` is a number, else a map; entering any other text is an
 * error. Returns NULL on failure, with the status in d->status. */
static struct item *enter(cmb_draft *d, struct item *item, const char *key, const char *name)
{
  if (item->kind == CMB_NODE_TEXT && !item->text[0])
    item->kind = index_of(name) >= 0 ? CMB_NODE_LIST : CMB_NODE_MAP;
  if (item->kind == CMB_NODE_TEXT) {
    char shown[CMB_SHOWN_ROOM];
    fail(d, CMB_ERROR_INPUT, key,
         "'%s' cannot be set in a value that is the text '%s'; expected a map", name,
         cmb_shown(item->text, shown));
    return NULL;
  }
  if (item->kind == CMB_NODE_LIST) return entry_of_list(d, item, key, name);
  const cmb_name *found = cmb_name_map_find(&d->map, item, name);
  return found ? d->all[found->index] : add_item(d, item, key, name);
}

/* Returns the item of a draft (a model under construction) under a key such as "bodies/rod/mass"; it is created, with the maps and lists
 * above it, if it is missing. Returns NULL on failure, with the status in d->status. */
static struct item *find(cmb_draft *d, const char *key)
{
  struct item *item = &d->root;
  const char *rest = key;
  char name[MOST_KEY + 1];
  if (strlen(key) > MOST_KEY) {
    fail(d, CMB_ERROR_INPUT, NULL, "a key has %zu characters; expected at most %d", strlen(key),
         (int)MOST_KEY);
    return NULL;
  }
  if (cmb_check_text(d->ctx, key, strlen(key),
                     cmb_about_at((cmb_place){.file = d->path, .key = ""})) != CMB_OK) {
    keep_failure(d, CMB_ERROR_INPUT);
    return NULL;
  }
  for (int level = 1; item && (level == 1 || *rest); level++) {
    if (!take_name(&rest, name) || level >= CMB_MOST_LEVELS) {
      char shown[CMB_SHOWN_ROOM];
      fail(d, CMB_ERROR_INPUT, NULL,
           "'%s' is no key; expected 1 to %d names with '/' between them, such as bodies/rod/mass",
           cmb_shown(key, shown), CMB_MOST_LEVELS - 1);
      return NULL;
    }
    item = enter(d, item, key, name);
  }
  return item;
}

/* Finds or creates the item under a key and makes it an empty text, ready for a new value: an earlier text or list is discarded, an earlier
 * map is an error. *item becomes the item, or NULL if it cannot be found or created. */
static cmb_status find_value(cmb_draft *d, const char *key, struct item **item)
{
  *item = find(d, key);
  if (!*item) return d->status;
  if ((*item)->kind == CMB_NODE_MAP) {
    return fail(d, CMB_ERROR_INPUT, key,
                "the value of this key is a map already; expected a key without a map");
  }
  (*item)->kind = CMB_NODE_TEXT;
  (*item)->text = "";
  (*item)->first = (*item)->last = NULL;
  (*item)->count = 0;
  return CMB_OK;
}

/* ---- values */

/* Sets the value of a text item to a copy of `text`; text == NULL is an error. `key` is the full key for messages. */
static cmb_status set_text(cmb_draft *d, struct item *item, const char *key, const char *text)
{
  if (!text) return fail(d, CMB_ERROR_ARGUMENT, key, "wrong call: the text is NULL");
  const char *copy = copy_text(d, key, text);
  if (!copy) return d->status;
  item->text = copy;
  return CMB_OK;
}

static cmb_status set_number(cmb_draft *d, struct item *item, const char *key, double x)
{
  char text[CMB_NUMBER_ROOM];
  if (!isfinite(x))
    return fail(d, CMB_ERROR_ARGUMENT, key, "wrong call: the number is %g; expected a finite one",
                x);
  cmb_format_shortest(x, text);
  return set_text(d, item, key, text);
}

/* Makes an empty item a list of `count` numbers or, if numbers is NULL, of `count` texts, which are copied; it is an error if count is
 * negative, or positive with both arrays NULL. `key` is the full key for messages. */
static cmb_status set_list(cmb_draft *d, struct item *item, const char *key, int count,
                           const double *numbers, const char *const *texts)
{
  if (count < 0 || (count > 0 && !numbers && !texts))
    return fail(d, CMB_ERROR_ARGUMENT, key,
                "wrong call: the list of %d values is NULL or has a negative length", count);
  item->kind = CMB_NODE_LIST;
  for (int i = 0; i < count; i++) {
    struct item *entry = add_item(d, item, key, NULL);
    if (!entry) return d->status;
    CMB_TRY(numbers ? set_number(d, entry, key, numbers[i]) : set_text(d, entry, key, texts[i]));
  }
  return CMB_OK;
}

#define BEGIN_KEY(d, key)                                                                          \
  do {                                                                                             \
    BEGIN(d);                                                                                      \
    if (!(key)) return fail(d, CMB_ERROR_ARGUMENT, NULL, "wrong call: the key is NULL");           \
  } while (0)

cmb_status cmb_draft_text(cmb_draft *d, const char *key, const char *text)
{
  struct item *item;
  BEGIN_KEY(d, key);
  CMB_TRY(find_value(d, key, &item));
  return set_text(d, item, key, text);
}

cmb_status cmb_draft_number(cmb_draft *d, const char *key, double x)
{
  struct item *item;
  BEGIN_KEY(d, key);
  CMB_TRY(find_value(d, key, &item));
  return set_number(d, item, key, x);
}

cmb_status cmb_draft_texts(cmb_draft *d, const char *key, int count, const char *const *texts)
{
  struct item *item;
  BEGIN_KEY(d, key);
  CMB_TRY(find_value(d, key, &item));
  return set_list(d, item, key, count, NULL, texts);
}

cmb_status cmb_draft_numbers(cmb_draft *d, const char *key, int count, const double *x)
{
  struct item *item;
  BEGIN_KEY(d, key);
  CMB_TRY(find_value(d, key, &item));
  return set_list(d, item, key, count, x, NULL);
}

cmb_status cmb_draft_rows(cmb_draft *d, const char *key, int rows, int columns, const double *x)
{
  struct item *item;
  BEGIN_KEY(d, key);
  CMB_TRY(find_value(d, key, &item));
  if (rows < 0 || columns < 1 || (rows > 0 && !x)) {
    return fail(d, CMB_ERROR_ARGUMENT, key,
                "wrong call: the table of %d rows and %d columns is NULL or has an impossible size",
                rows, columns);
  }
  item->kind = CMB_NODE_LIST;
  for (int i = 0; i < rows; i++) {
    struct item *row = add_item(d, item, key, NULL);
    if (!row) return d->status;
    CMB_TRY(set_list(d, row, key, columns, x + (size_t)i * (size_t)columns, NULL));
  }
  return CMB_OK;
}

/* ---- entries of the sections */

/* Writes the key "section/name/part", such as "bodies/rod/mass", into key[]; without part (NULL), "section/name". '/' and '~' in the name
 * are encoded. A key that is too long is an error. */
static cmb_status write_key(cmb_draft *d, const char *section, const char *name, const char *part,
                            char key[MOST_KEY + 1])
{
  size_t n = (size_t)snprintf(key, MOST_KEY + 1, "%s/", section);
  n += write_name(name, key + n, MOST_KEY + 1 - n);
  if (n <= MOST_KEY && part) n += (size_t)snprintf(key + n, MOST_KEY + 1 - n, "/%s", part);
  if (n <= MOST_KEY) return CMB_OK;
  return fail(d, CMB_ERROR_INPUT, section, "a name is too long; expected at most %d characters",
              (int)CMB_MOST_NAME_PART);
}

/* Creates the entry `name` in a section of the draft, the model that is being built; an entry is, for example, a body. It is an error if it
 * exists already, because the contents of the two would be mixed. */
static cmb_status add_entry(cmb_draft *d, const char *section, const char *name)
{
  char key[MOST_KEY + 1];
  BEGIN(d);
  if (!name) return fail(d, CMB_ERROR_ARGUMENT, section, "wrong call: the name is NULL");
  if (!name[0]) return fail(d, CMB_ERROR_INPUT, section, "the name is empty; expected letters");
  CMB_TRY(write_key(d, section, name, NULL, key));
  const int items = d->items;
  if (!find(d, key)) return d->status;
  if (items == d->items)
    return fail(d, CMB_ERROR_INPUT, key, "this entry exists already; expected another name");
  return CMB_OK;
}

/* Stores a text in the draft under the key "section/name/part", such as "joints/J1/type"; does nothing if text is NULL. */
static cmb_status put_text(cmb_draft *d, const char *section, const char *name, const char *part,
                           const char *text)
{
  char key[MOST_KEY + 1];
  if (!text) return CMB_OK;
  CMB_TRY(write_key(d, section, name, part, key));
  return cmb_draft_text(d, key, text);
}

static cmb_status put_numbers(cmb_draft *d, const char *section, const char *name, const char *part,
                              int count, const double *x)
{
  char key[MOST_KEY + 1];
  CMB_TRY(write_key(d, section, name, part, key));
  return cmb_draft_numbers(d, key, count, x);
}

static cmb_status put_number(cmb_draft *d, const char *section, const char *name, const char *part,
                             double x)
{
  char key[MOST_KEY + 1];
  CMB_TRY(write_key(d, section, name, part, key));
  return cmb_draft_number(d, key, x);
}

static cmb_status put_pair(cmb_draft *d, const char *section, const char *name, const char *part,
                           const char *a, const char *b)
{
  char key[MOST_KEY + 1];
  const char *const pair[] = {a, b};
  CMB_TRY(write_key(d, section, name, part, key));
  return cmb_draft_texts(d, key, 2, pair);
}

cmb_status cmb_draft_parameter(cmb_draft *d, const char *name, double value)
{
  CMB_TRY(add_entry(d, "parameters", name));
  return put_number(d, "parameters", name, NULL, value);
}

cmb_status cmb_draft_point(cmb_draft *d, const char *name, double x, double y, double z)
{
  const double at[3] = {x, y, z};
  CMB_TRY(add_entry(d, "points", name));
  return put_numbers(d, "points", name, NULL, 3, at);
}

cmb_status cmb_draft_body(cmb_draft *d, const char *name, double mass, const double *com,
                          const double *inertia)
{
  CMB_TRY(add_entry(d, "bodies", name));
  CMB_TRY(put_number(d, "bodies", name, "mass", mass));
  CMB_TRY(put_numbers(d, "bodies", name, "com", 3, com));
  return inertia ? put_numbers(d, "bodies", name, "inertia", 6, inertia) : CMB_OK;
}

cmb_status cmb_draft_rod(cmb_draft *d, const char *name, double mass, const char *from,
                         const char *to)
{
  CMB_TRY(add_entry(d, "bodies", name));
  CMB_TRY(put_number(d, "bodies", name, "mass", mass));
  return put_pair(d, "bodies", name, "rod", from, to);
}

/* Returns the key under which the calls for joints and loops of this type put the direction: "normal" for a planar joint, "axis" for all other
 * types, whether they have this key or not. */
static const char *direction_key(const char *type)
{
  const char *keys[2];
  const int joint = type ? cmb_joint_type_of(type) : -1;
  const int count = joint >= 0 ? cmb_joint_direction_keys((cmb_joint_type)joint, keys) : 0;
  return count > 0 && strcmp(keys[0], "axes") != 0 ? keys[0] : "axis";
}

cmb_status cmb_draft_joint(cmb_draft *d, const char *name, const char *type, const char *parent,
                           const char *child, const char *at, const char *axis)
{
  CMB_TRY(add_entry(d, "joints", name));
  CMB_TRY(put_text(d, "joints", name, "type", type));
  CMB_TRY(put_text(d, "joints", name, "parent", parent));
  CMB_TRY(put_text(d, "joints", name, "child", child));
  CMB_TRY(put_text(d, "joints", name, "at", at));
  return put_text(d, "joints", name, direction_key(type), axis);
}

cmb_status cmb_draft_loop(cmb_draft *d, const char *name, const char *type, const char *a,
                          const char *b, const char *axis)
{
  CMB_TRY(add_entry(d, "loops", name));
  CMB_TRY(put_text(d, "loops", name, "type", type));
  CMB_TRY(put_pair(d, "loops", name, "between", a, b));
  return put_text(d, "loops", name, direction_key(type), axis);
}

cmb_status cmb_draft_spring(cmb_draft *d, const char *name, const char *a, const char *b,
                            double stiffness, double damping)
{
  CMB_TRY(add_entry(d, "forces", name));
  CMB_TRY(put_text(d, "forces", name, "type", "spring"));
  CMB_TRY(put_pair(d, "forces", name, "between", a, b));
  CMB_TRY(put_number(d, "forces", name, "stiffness", stiffness));
  return put_number(d, "forces", name, "damping", damping);
}

cmb_status cmb_draft_output(cmb_draft *d, const char *name, const char *formula, const char *unit)
{
  CMB_TRY(add_entry(d, "outputs", name));
  CMB_TRY(put_text(d, "outputs", name, "value", formula ? formula : ""));
  return put_text(d, "outputs", name, "unit", unit);
}

cmb_status cmb_draft_event(cmb_draft *d, const char *name, const char *when, const char *action)
{
  CMB_TRY(add_entry(d, "events", name));
  CMB_TRY(put_text(d, "events", name, "when", when ? when : ""));
  return put_text(d, "events", name, "action", action);
}

/* ---- the model */

/* Creates an empty draft, a model that is built by calls; `name` is the model's name, which replaces the file's path in messages. The
 * caller destroys *draft with cmb_draft_destroy. */
cmb_status cmb_draft_create(cmb_context *ctx, const char *name, cmb_draft **draft)
{
  CMB_REQUIRE(ctx, ctx && draft, "cmb_draft_create needs a context and a place for the draft");
  *draft = NULL;
  CMB_REQUIRE(ctx, name && name[0], "cmb_draft_create needs a name for the model");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_draft *d = arena ? cmb_arena_take(arena, 1, sizeof *d) : NULL;
  const char *path = d ? cmb_arena_text(arena, name) : NULL;
  if (!path) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *d = (cmb_draft){.ctx = ctx, .arena = arena, .path = path, .root = {.kind = CMB_NODE_MAP}};
  d->map.arena = arena;
  *draft = d;
  return CMB_OK;
}

void cmb_draft_destroy(cmb_draft *d)
{
  if (d) cmb_arena_destroy(d->arena);
}

/* Returns the key of an item for messages, such as "bodies/rod/mass", on the model's arena: the key `above` of its parent, a '/', and its
 * own name or, in a list, its index. Returns NULL if out of memory. */
static const char *path_of(cmb_reader *r, const char *above, const struct item *item, int index)
{
  const size_t room = strlen(above) + 2 + (item->key ? 2 * strlen(item->key) : 12);
  char *path = cmb_arena_take(r->model->arena, room, 1);
  if (!path) return NULL;
  size_t n = (size_t)snprintf(path, room, "%s%s", above, above[0] ? "/" : "");
  if (item->key)
    write_name(item->key, path + n, room - n);
  else
    snprintf(path + n, room - n, "%d", index);
  return path;
}

/* Converts the entries of `from` into the child nodes of `to`, recursively. The nodes are on the reader's scratch arena; the keys, which serve
 * as their places in messages, are on the model's arena, which outlives it. */
static cmb_status make_nodes(cmb_reader *r, const struct item *from, cmb_node *to)
{
  cmb_node *last = NULL;
  int index = 0;
  to->kind = from->kind;
  to->text = from->kind == CMB_NODE_TEXT ? from->text : "";
  to->count = from->count;
  to->size = to->levels = 1;
  for (const struct item *item = from->first; item; item = item->next) {
    cmb_node *node = cmb_arena_take(r->scratch, 1, sizeof *node);
    const char *path = node ? path_of(r, to->place.key, item, index++) : NULL;
    if (!path) return cmb_fail_memory(r->ctx);
    node->key = item->key;
    node->place = node->key_place = (cmb_place){.file = to->place.file, .key = path};
    CMB_TRY(make_nodes(r, item, node));
    to->size += node->size;
    if (to->levels <= node->levels) to->levels = node->levels + 1;
    if (last)
      last->next = node;
    else
      to->first = node;
    last = node;
  }
  return CMB_OK;
}

static cmb_status take_tree(cmb_reader *r, const void *from, const cmb_node **root)
{
  const cmb_draft *d = from;
  cmb_node *node = cmb_arena_take(r->scratch, 1, sizeof *node);
  if (!node) return cmb_fail_memory(r->ctx);
  r->model->place = node->place = (cmb_place){.file = r->model->path, .key = ""};
  *root = node;
  return make_nodes(r, &d->root, node);
}

cmb_status cmb_draft_model(cmb_draft *d, const cmb_model_options *options, cmb_model **model)
{
  if (model) *model = NULL;
  BEGIN(d);
  CMB_REQUIRE(d->ctx, model, "cmb_draft_model needs a place for the model");
  return cmb_read_model(d->ctx, d->path, options, take_tree, d, model);
}
