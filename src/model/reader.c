/*
 * Implements what the readers of all sections use (reader.h): error messages with their place and the part of the model, the table of names
 * and their scopes, and loops over the entries of a section.
 */
#include "model/reader.h"

#include "base/context.h"
#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* longest full name: formulas allow 255 characters, and suffixes such as .wx' are appended */
enum { MOST_NAME = 240 };

/* Reports an error in a model. The message consists of the place `at`, the part of the model that is being read, such as joint 'left.pivot', if
 * there is one, and the formatted text. Returns CMB_ERROR_INPUT. */
cmb_status cmb_reader_fail(cmb_reader *r, cmb_place at, const char *format, ...)
{
  cmb_about about = cmb_about_at(at);
  about.kind = r->subject.kind;
  about.name = r->subject.name;
  about.subject = r->subject.text;
  about.subject_leads = true;
  va_list arguments;
  va_start(arguments, format);
  cmb_fail_words(r->ctx, CMB_ERROR_INPUT, &about, format, arguments);
  va_end(arguments);
  return CMB_ERROR_INPUT;
}

cmb_status cmb_reader_repeat(cmb_reader *r, cmb_place at)
{
  const cmb_error *inner = cmb_error_of(r->ctx);
  if (inner->line > 0) at.line = inner->line, at.column = inner->column;
  return cmb_reader_fail(r, at, "%s", inner->text);
}

void cmb_reader_subject(cmb_reader *r, const char *what, const char *prefix, const char *name)
{
  char shown[CMB_SHOWN_ROOM];
  cmb_subject *s = &r->subject;
  s->kind = what;
  if (!name) {
    snprintf(s->text, sizeof s->text, "%s", what);
    s->name[0] = '\0';
  } else {
    snprintf(s->text, sizeof s->text, "%s '%.40s%s'", what, prefix, cmb_shown(name, shown));
    snprintf(s->name, sizeof s->name, "%s%s", prefix, name);
  }
}

/* ---- names */

/* Returns the word for a kind of model elements in messages, such as "joint" or "body". */
const char *cmb_name_kind_text(cmb_name_kind kind)
{
  static const char *const texts[CMB_NAMES_KINDS] = {"parameter",
                                                     "body",
                                                     "marker",
                                                     "joint",
                                                     "coordinate",
                                                     "loop",
                                                     "input",
                                                     "table",
                                                     "measure",
                                                     "state",
                                                     "sampled value",
                                                     "force",
                                                     "implicit function",
                                                     "road",
                                                     "instance",
                                                     "point",
                                                     "output",
                                                     "event",
                                                     "controller",
                                                     "template"};
  return texts[kind];
}

static const void *space_of(const cmb_reader *r, cmb_name_kind kind)
{
  return &r->spaces[kind < CMB_NAMES_SHARED ? 0 : kind];
}

const char *cmb_full_name(cmb_reader *r, const char *prefix, const char *name, const char *suffix)
{
  size_t room = strlen(prefix) + strlen(name) + strlen(suffix) + 1;
  char *full = cmb_arena_take(r->model->arena, room, 1);
  if (full) snprintf(full, room, "%s%s%s", prefix, name, suffix);
  return full;
}

bool cmb_join_names(const char *prefix, const char *name, char full[CMB_NAME_ROOM])
{
  return snprintf(full, CMB_NAME_ROOM, "%s%s", prefix, name) < CMB_NAME_ROOM;
}

cmb_status cmb_check_name(cmb_reader *r, const char *name, cmb_place at)
{
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char *const reserved[] = {"ground", "t",  "pi",  "deg",     "delay",
                                         "and",    "or", "not", "previous"};
  enum { RESERVED = sizeof reserved / sizeof *reserved };
  char shown[CMB_SHOWN_ROOM];
  cmb_shown(name, shown);
  size_t length = strlen(name), good = strspn(name, letters);
  if (good > 0) good += strspn(name + good, "0123456789");
  while (good > 0 && good < length &&
         (strchr(letters, name[good]) || (name[good] >= '0' && name[good] <= '9')))
    good++;
  if (length == 0 || good < length) {
    return cmb_reader_fail(r, at, "'%s' is no name; expected letters, digits and _, no digit first",
                           shown);
  }
  if (length > CMB_MOST_NAME_PART) {
    return cmb_reader_fail(r, at, "the name '%s' is too long; expected at most %d characters",
                           shown, (int)CMB_MOST_NAME_PART);
  }
  bool taken = cmb_find_name(name, reserved, RESERVED, sizeof *reserved) >= 0;
  for (int op = CMB_OP_SQRT; op < CMB_OP_TABLE && !taken; op++)
    taken = strcmp(name, cmb_op_text((cmb_op)op)) == 0;
  if (!taken) return CMB_OK;
  return cmb_reader_fail(r, at, "the name '%s' has a meaning in formulas; expected another one",
                         shown);
}

/* Reports that a name is taken. If both are parameters, defined in two files, the message also says how a file gives a parameter of an included file
 * another value. */
static cmb_status fail_taken(cmb_reader *r, cmb_name_kind kind, const char *full,
                             const cmb_name *earlier, cmb_place at)
{
  char shown[CMB_SHOWN_ROOM], where[CMB_WHERE_ROOM];
  cmb_place line = earlier->place;
  line.column = 0;
  const bool overrides = kind == CMB_NAMES_PARAMETER && earlier->kind == (int)kind && at.file &&
                         line.file && strcmp(at.file, line.file) != 0;
  cmb_shown(full, shown);
  return cmb_reader_fail(
      r, at, "the name '%s' is taken by the %s in %s; expected another one%s%s%s", shown,
      cmb_name_kind_text((cmb_name_kind)earlier->kind), cmb_where(line, where),
      overrides ? ", or 'include: {file: .., set: {" : "", overrides ? shown : "",
      overrides ? ": ..}}' to change its value" : "");
}

cmb_status cmb_define(cmb_reader *r, cmb_name_kind kind, const char *full, int index, cmb_place at)
{
  if (!full) return cmb_fail_memory(r->ctx);
  if (strlen(full) > MOST_NAME) {
    return cmb_reader_fail(
        r, at,
        "the name, with the names of the instances that contain it, has %zu characters; "
        "expected at most %d",
        strlen(full), (int)MOST_NAME);
  }
  cmb_name *earlier = cmb_name_map_find(&r->map, space_of(r, kind), full);
  if (earlier) return fail_taken(r, kind, full, earlier, at);
  cmb_name *entry = cmb_name_map_add(&r->map, space_of(r, kind), full);
  if (!entry) return cmb_fail_memory(r->ctx);
  entry->kind = (int)kind;
  entry->index = index;
  entry->place = at;
  return CMB_OK;
}

static cmb_name *find_full(cmb_reader *r, cmb_name_kind kind, const char *full)
{
  cmb_name *entry = cmb_name_map_find(&r->map, space_of(r, kind), full);
  return entry && entry->kind == (int)kind ? entry : NULL;
}

cmb_name *cmb_look_up(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name)
{
  char full[CMB_NAME_ROOM];
  cmb_name *entry = NULL;
  if (cmb_is_previous(name))
    return cmb_previous_name(r, s, name, full) ? find_full(r, kind, full) : NULL;
  for (; s && !entry; s = s->parent) {
    if (cmb_join_names(s->prefix, name, full)) entry = find_full(r, kind, full);
  }
  return entry;
}

/* Returns a full name as it can be written inside scope s (the model or a template instance): without the prefix of the scope, or unchanged
 * if it does not begin with this prefix. */
static const char *name_in_scope(const cmb_scope *s, const char *full)
{
  size_t prefix = strlen(s->prefix);
  return strncmp(full, s->prefix, prefix) == 0 ? full + prefix : full;
}

/* Returns an array, on the scratch arena, of all names of one kind as they can be written inside scope s (the model or a template
 * instance), with "ground" among those of bodies, and stores their number in *count. Returns NULL if out of memory. */
static const char **names_of(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, int *count)
{
  const char **names = cmb_arena_take(r->scratch, r->map.count + 1, sizeof(char *));
  *count = 0;
  for (const cmb_name *entry = names ? r->map.first : NULL; entry; entry = entry->next) {
    if (entry->owner == space_of(r, kind) && entry->kind == (int)kind)
      names[(*count)++] = name_in_scope(s, entry->name);
  }
  if (names && kind == CMB_NAMES_BODY) names[(*count)++] = "ground";
  return names;
}

const char *cmb_nearest(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name)
{
  int count;
  const char **names = names_of(r, s, kind, &count);
  return names ? cmb_nearest_name(name, names, count, sizeof *names) : NULL;
}

const char *cmb_expected(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name)
{
  int count;
  const char **names = names_of(r, s, kind, &count);
  char *hint = cmb_arena_take(r->scratch, CMB_HINT_ROOM, 1);
  if (!names || !hint || count == 0) return NULL;
  return cmb_hint_of_names(name, names, count, sizeof *names, hint);
}

cmb_status cmb_refer(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind, const char *name,
                     cmb_place at, const cmb_name **found)
{
  char shown[CMB_SHOWN_ROOM], hint[CMB_HINT_ROOM];
  *found = cmb_look_up(r, s, kind, name);
  if (*found) return CMB_OK;
  if (cmb_is_previous(name)) return cmb_fail_previous(r, s, kind, name, at);
  int count;
  const char **names = names_of(r, s, kind, &count);
  if (!names) return cmb_fail_memory(r->ctx);
  return cmb_reader_fail(r, at, "unknown %s '%s': %s", cmb_name_kind_text(kind),
                         cmb_shown(name, shown),
                         cmb_hint_of_names(name, names, count, sizeof *names, hint));
}

/* ---- sections */

/* Calls `read` for each entry of a section in scope s (the model or a template instance), after checking the entry's name; an entry of a list has
 * none. Messages refer to the entry by the word `what` and its name. Stops at the first error. */
cmb_status cmb_each_entry_of(cmb_reader *r, const cmb_scope *s, const char *section,
                             const char *what, cmb_entry_reader read)
{
  for (const cmb_part *part = s->parts; part; part = part->next) {
    const cmb_node *node = cmb_node_find(part->root, section);
    for (const cmb_node *entry = node ? node->first : NULL; entry; entry = entry->next) {
      cmb_reader_subject(r, what, s->prefix, entry->key);
      if (entry->key) CMB_TRY(cmb_check_name(r, entry->key, entry->key_place));
      CMB_TRY(read(r, s, entry));
    }
  }
  cmb_reader_subject(r, "", "", NULL);
  return CMB_OK;
}

cmb_status cmb_each_entry(cmb_reader *r, const char *section, const char *what,
                          cmb_entry_reader read)
{
  for (const cmb_scope *s = r->scopes; s; s = s->next)
    CMB_TRY(cmb_each_entry_of(r, s, section, what, read));
  return CMB_OK;
}

int cmb_count_entries(const cmb_reader *r, const char *section)
{
  int count = 0;
  for (const cmb_scope *s = r->scopes; s; s = s->next) {
    for (const cmb_part *part = s->parts; part; part = part->next) {
      const cmb_node *node = cmb_node_find(part->root, section);
      count += node ? node->count : 0;
    }
  }
  return count;
}

cmb_status cmb_take_section(cmb_reader *r, const char *section, int more, size_t size, void *array)
{
  size_t count = (size_t)cmb_count_entries(r, section) + (size_t)more;
  void *memory = cmb_arena_take(r->model->arena, count, size);
  if (!memory) return cmb_fail_memory(r->ctx);
  memcpy(array, &memory, sizeof memory);
  return CMB_OK;
}
