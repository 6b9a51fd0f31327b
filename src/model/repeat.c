/*
 * Reads repeated instances of templates: `repeat: N` makes N copies of a template, LINK1 to LINKN; called by templates.c and wherever names
 * are looked up (reader.h). In a copy, the parameter `index` is its number, and `previous.NAME` is NAME in the preceding copy.
 *
 * The first copy has no predecessor. Its key `before` names a substitute: an instance, whose names are used for those of a preceding copy;
 * or a body (default: the ground), which is used for every body of a preceding copy.
 */
#include "base/buffer.h"
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

static const char previous[] = "previous.";
enum { PREVIOUS = sizeof previous - 1, MOST_COPIES = 100000 };

cmb_status cmb_read_copies(cmb_reader *r, const cmb_scope *s, const cmb_node *entry, int *copies)
{
  static const char *const needing[] = {"step", "before"};
  const cmb_node *repeat = cmb_node_find(entry, "repeat");
  double count;
  *copies = 0;
  if (repeat) {
    CMB_TRY(cmb_read_fixed(r, s, repeat, "the number of copies", &count));
    if (!(count >= 1 && count <= MOST_COPIES && count == (int)count)) {
      return cmb_reader_fail(r, repeat->place,
                             "'repeat' is %s; expected a whole number from 1 to %d",
                             cmb_shortest(count).text, (int)MOST_COPIES);
    }
    *copies = (int)count;
    return CMB_OK;
  }
  for (int i = 0; i < 2; i++) {
    const cmb_node *node = cmb_node_find(entry, needing[i]);
    if (node) {
      return cmb_reader_fail(r, node->key_place,
                             "'%s' is given without 'repeat'; expected 'repeat' beside it",
                             needing[i]);
    }
  }
  return CMB_OK;
}

bool cmb_is_previous(const char *name)
{
  return strncmp(name, previous, PREVIOUS) == 0;
}

/* Returns the innermost scope that is a copy of a repeated template instance: s itself or one around it; NULL if there is none. */
static const cmb_scope *copy_around(const cmb_scope *s)
{
  while (s && s->copy == 0) s = s->parent;
  return s;
}

static const char *text_of_before(const cmb_scope *first)
{
  const cmb_node *node = cmb_node_find(first->instance, "before");
  return node ? node->text : "ground";
}

/* Returns the scope (name space) of what comes before copy s of a repeated template instance: the previous copy or, for the first copy, the
 * instance named by the key `before`; NULL if there is none. */
static const cmb_scope *scope_before(cmb_reader *r, const cmb_scope *s)
{
  if (s->copy == 0 || s->previous) return s->previous;
  const cmb_name *found = cmb_look_up(r, s->parent, CMB_NAMES_INSTANCE, text_of_before(s));
  return found ? found->data : NULL;
}

/* Finds which body "previous.NAME" means in the first copy of a repeated template instance, where no other copy comes before: the one that the
 * instance's key `before` names, or the ground (its default). Writes its full name to `full` and returns true. Returns false if `name` is no
 * body of the copy or `before` names no body. */
static bool body_before(cmb_reader *r, const cmb_scope *first, const char *name,
                        char full[CMB_NAME_ROOM])
{
  const char *before = text_of_before(first);
  const cmb_name *body = cmb_look_up(r, first->parent, CMB_NAMES_BODY, before);
  if (first->copy != 1 || (!body && strcmp(before, "ground") != 0)) return false;
  if (snprintf(full, CMB_NAME_ROOM, "%s%s", first->prefix, name) >= CMB_NAME_ROOM) return false;
  if (!cmb_look_up(r, r->scopes, CMB_NAMES_BODY, full)) return false;
  snprintf(full, CMB_NAME_ROOM, "%s", body ? body->name : "ground");
  return true;
}

bool cmb_previous_name(cmb_reader *r, const cmb_scope *s, const char *name,
                       char full[CMB_NAME_ROOM])
{
  s = copy_around(s);
  while (s && cmb_is_previous(name)) {
    const cmb_scope *before = scope_before(r, s);
    name += PREVIOUS;
    if (!before) return !cmb_is_previous(name) && body_before(r, s, name, full);
    s = before;
  }
  return s && snprintf(full, CMB_NAME_ROOM, "%s%s", s->prefix, name) < CMB_NAME_ROOM;
}

/* Reports that a name "previous.NAME" (`shown`) refers to nothing in the first copy of a repeated template instance, which has no preceding
 * copy. The message contains the value of the instance's key `before` or says that this is missing; `what` is the kind of name, such as
 * "body". */
static cmb_status fail_in_first_copy(cmb_reader *r, const cmb_scope *copy, const char *shown,
                                     const char *what, cmb_place at)
{
  const cmb_node *before = cmb_node_find(copy->instance, "before");
  const int length = (int)strlen(copy->prefix) - 1;
  char where[CMB_WHERE_ROOM], name[CMB_SHOWN_ROOM];
  if (before && cmb_is_previous(shown + PREVIOUS)) {
    return cmb_reader_fail(r, at,
                           "'%s' does not exist for the first copy, '%.*s': '%s', which its key "
                           "'before' names, is no copy with a copy before it; "
                           "expected the name of such a copy",
                           shown, length, copy->prefix, cmb_shown(before->text, name));
  }
  if (before) {
    return cmb_reader_fail(r, at,
                           "'%s' does not exist for the first copy, '%.*s': its key 'before' names "
                           "'%s'; expected the name of an instance that has this %s",
                           shown, length, copy->prefix, cmb_shown(before->text, name), what);
  }
  return cmb_reader_fail(r, at,
                         "'%s' does not exist for the first copy, '%.*s': '%s' (%s) has no key "
                         "'before'; expected 'before: NAME' with an instance that has this %s",
                         shown, length, copy->prefix, cmb_shown(copy->instance->key, name),
                         cmb_where(copy->instance->key_place, where), what);
}

/* Returns whether "previous.`name`" in a repeated template instance is misspelt: the copy has no item `name` of this kind, and therefore no
 * other copy has one. If so, writes the full name that the copy's item would have into `full`. */
static bool is_misspelt(cmb_reader *r, const cmb_scope *copy, cmb_name_kind kind, const char *name,
                        char full[CMB_NAME_ROOM])
{
  if (cmb_is_previous(name)) return false;
  const int length = snprintf(full, CMB_NAME_ROOM, "%s%s", copy->prefix, name);
  return length < CMB_NAME_ROOM && !cmb_look_up(r, r->scopes, kind, full);
}

cmb_status cmb_fail_previous(cmb_reader *r, const cmb_scope *s, cmb_name_kind kind,
                             const char *name, cmb_place at)
{
  char shown[CMB_SHOWN_ROOM], full[CMB_NAME_ROOM];
  const char *what = cmb_name_kind_text(kind);
  const cmb_scope *copy = copy_around(s);
  cmb_shown(name, shown);
  if (!copy) {
    return cmb_reader_fail(r, at,
                           "'%s' refers to the copy before this one; expected it only in a "
                           "template whose instance has 'repeat'",
                           shown);
  }
  const bool found = cmb_previous_name(r, s, name, full);
  if (!found && !is_misspelt(r, copy, kind, name + PREVIOUS, full)) {
    return fail_in_first_copy(r, copy, shown, what, at);
  }
  const cmb_scope *near = found ? copy->previous : copy;
  const char *nearest = near ? cmb_nearest(r, near, kind, name + PREVIOUS) : NULL;
  if (nearest) {
    return cmb_reader_fail(r, at, "unknown %s '%s': did you mean '%s%s'?", what, shown, previous,
                           nearest);
  }
  return cmb_reader_fail(r, at, "unknown %s '%s': the model has no %s '%s'", what, shown, what,
                         full);
}

cmb_status cmb_check_before(cmb_reader *r)
{
  for (const cmb_scope *s = r->scopes->next; s; s = s->next) {
    const cmb_node *before = s->copy == 1 ? cmb_node_find(s->instance, "before") : NULL;
    int body;
    if (!before) continue;
    cmb_reader_subject(r, "instance", s->parent->prefix, s->instance->key);
    CMB_TRY(cmb_expect_text(r, before, "a body or an instance"));
    if (cmb_look_up(r, s->parent, CMB_NAMES_INSTANCE, before->text)) continue;
    CMB_TRY(cmb_read_body(r, s->parent, before->text, before->place, &body));
  }
  cmb_reader_subject(r, "", "", NULL);
  return CMB_OK;
}

/* ---- formulas */

/* Returns whether a character can be part of a name in a formula: a letter, a digit, or one of _ . ' */
static bool is_part_of_name(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '\'';
}

/* Returns the first name in the text that begins with "previous.", and its length in *length; NULL if there is none. */
static const char *find_previous(const char *text, size_t *length)
{
  bool inside = false;
  for (; *text; text++) {
    if (!inside && cmb_is_previous(text)) {
      *length = 0;
      while (is_part_of_name(text[*length])) ++*length;
      return text;
    }
    inside = is_part_of_name(*text);
  }
  return NULL;
}

/* Replaces the name "previous.NAME" in a formula (`length` characters from `from`) by the full name of the item to which it refers, which is
 * appended to the buffer `to`. If only the beginning of NAME is an item, the rest, such as ".length", is copied. A full name shorter than the
 * original is padded with blanks, so that columns in messages stay right, unless a '(' follows. It is an error if nothing precedes the copy,
 * or if the name refers to the ground; whether the full name exists is checked later. */
static cmb_status write_name(cmb_reader *r, const cmb_scope *s, const char *from, size_t length,
                             cmb_place at, cmb_buffer *to)
{
  char name[CMB_NAME_ROOM], full[CMB_NAME_ROOM];
  int room = snprintf(name, sizeof name, "%.*s", (int)length, from);
  size_t end = length;
  bool found = room < CMB_NAME_ROOM && cmb_previous_name(r, s, name, full);
  while (room < CMB_NAME_ROOM && !found) {
    while (end > 0 && name[end - 1] != '.') end--;
    if (end <= PREVIOUS) break;
    name[--end] = '\0';
    found = cmb_previous_name(r, s, name, full);
  }
  if (!found || strcmp(full, "ground") == 0) {
    snprintf(name, sizeof name, "%.*s", room < CMB_NAME_ROOM ? (int)length : 60, from);
    if (!copy_around(s)) return cmb_fail_previous(r, s, CMB_NAMES_BODY, name, at);
    return cmb_reader_fail(
        r, at,
        "'%s' has no value in the first copy, which no copy precedes; expected the "
        "key 'before' to name an instance in which the name has a value",
        name);
  }
  size_t written = strlen(full) + length - end;
  cmb_buffer_print(to, "%s%.*s", full, (int)(length - end), from + end);
  if (written < length && from[length] != '(')
    cmb_buffer_print(to, "%*s", (int)(length - written), "");
  return CMB_OK;
}

cmb_status cmb_write_previous(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                              const char **text)
{
  const char *from = node->text, *name;
  size_t length;
  cmb_status status = CMB_OK;
  cmb_buffer to = cmb_buffer_begin(r->ctx);
  while (status == CMB_OK && (name = find_previous(from, &length))) {
    cmb_place at = node->place;
    at.column += (int)(name - node->text);
    cmb_buffer_print(&to, "%.*s", (int)(name - from), from);
    status = write_name(r, s, name, length, at, &to);
    from = name + length;
  }
  cmb_buffer_print(&to, "%s", from);
  *text = status == CMB_OK && !to.failed ? cmb_arena_text(r->model->arena, to.text) : NULL;
  cmb_buffer_release(&to);
  CMB_TRY(status);
  return *text ? CMB_OK : cmb_fail_memory(r->ctx);
}
