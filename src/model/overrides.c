/*
 * Applies the parameters that a file sets in files it includes: `include: {file: F, set: {NAME: number}}`; called by parameters.c and
 * templates.c (reader.h).
 *
 * A value of an including file takes precedence over that of an included one, and over what an instance in the included file sets in its
 * template. Two files of which neither includes the other cannot both set a parameter. The formulas are evaluated in the scope of the
 * including file.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <string.h>

/* ---- which files a file includes, directly and through others */

/* Appends the file `part` to a linked list of included files, whose last element is `last` (NULL: the list is empty), unless it is in the list
 * already. The list is the result of the search with the number `search`. Returns the new last element. */
static cmb_part *append(cmb_part *last, cmb_part *part, int search)
{
  if (part->search == search) return last;
  part->search = search;
  part->found = NULL;
  if (last) last->found = part;
  return part;
}

/* Returns whether the file `from` is the file `to`, or includes it directly or through other files; a breadth-first search. */
static bool reaches(cmb_reader *r, cmb_part *from, const cmb_part *to)
{
  const int search = ++r->part_searches;
  cmb_part *last = append(NULL, from, search);
  for (cmb_part *part = from; part; part = part->found) {
    if (part == to) return true;
    for (const cmb_include *i = part->includes; i; i = i->next)
      last = append(last, i->part, search);
  }
  return false;
}

/* Returns the file of scope s (the model or a template instance) in which a parameter is defined or, for a parameter of an instance inside
 * s, the file that contains this instance. Returns NULL if it is none of the files of s. */
static const cmb_part *part_of(const cmb_scope *s, const cmb_lazy *parameter)
{
  const char *file = parameter->entry->place.file;
  for (const cmb_scope *home = parameter->home; home != s; home = home->parent)
    file = home->instance->place.file;
  const cmb_part *part = s->parts;
  while (part && strcmp(part->root->place.file, file) != 0) part = part->next;
  return part;
}

/* Returns the parameter `name` of scope s (the model or a template instance); the name may be INSTANCE.NAME for an instance inside s. Returns
 * NULL if there is none, or if it cannot be set, as `index`, the number of a copy in a repeated instance. */
static cmb_lazy *find_settable_parameter(cmb_reader *r, const cmb_scope *s, const char *name)
{
  char full[CMB_NAME_ROOM];
  if (!cmb_join_names(s->prefix, name, full)) return NULL;
  const cmb_name *found = cmb_look_up(r, r->scopes, CMB_NAMES_PARAMETER, full);
  cmb_lazy *parameter = found ? &r->parameters[found->index] : NULL;
  return parameter && !parameter->is_index ? parameter : NULL;
}

/* Returns whether an include statement of scope s leads to the file that defines a parameter of s: whether the file that `include` names is
 * that file, or includes it directly or through other files. For a parameter of an instance inside s, the file that contains the instance
 * counts. */
static bool includes_parameter(cmb_reader *r, const cmb_scope *s, const cmb_include *include,
                               const cmb_lazy *parameter)
{
  const cmb_part *part = part_of(s, parameter);
  return part && reaches(r, include->part, part);
}

/* ---- values */

/* Makes the error messages that follow refer to `include`, an include statement in scope s (the model or a template instance). */
static void set_subject(cmb_reader *r, const cmb_scope *s, const cmb_include *include)
{
  cmb_reader_subject(r, "include", s->prefix, include->file->text);
}

/* Sets a parameter to the value that file `part` of scope s (the model or a template instance) gives, unless a value with precedence is set:
 * that of an including file before that of an included one, and an instance's argument before all files of its template. It is an error if the
 * same file sets the parameter twice, or if two files set it of which neither includes the other. */
static cmb_status set_value(cmb_reader *r, const cmb_scope *s, cmb_part *part,
                            const cmb_node *value, cmb_lazy *parameter)
{
  char where[CMB_WHERE_ROOM];
  if (s == parameter->home && parameter->scope != s) return CMB_OK;
  cmb_part *earlier = parameter->scope == s ? parameter->set_in : NULL;
  if (earlier && earlier != part && reaches(r, earlier, part)) return CMB_OK;
  if (earlier && (earlier == part || !reaches(r, part, earlier))) {
    return cmb_reader_fail(r, value->key_place,
                           "the parameter '%s' is set in %s already; expected one value for it",
                           parameter->name, cmb_where(parameter->node->key_place, where));
  }
  parameter->node = value;
  parameter->scope = s;
  parameter->set_in = part;
  return CMB_OK;
}

/* Applies the values that include statements of scope s (the model or a template instance) set for parameters which are defined in scope
 * `home`: s, or an instance inside s. A value that has precedence (from an option, an instance's arguments, or a file that includes the setting
 * one) is kept. Two values of which neither has precedence are an error. */
static cmb_status apply_includes(cmb_reader *r, const cmb_scope *s, const cmb_scope *home)
{
  for (cmb_part *part = s->parts; part; part = part->next) {
    for (const cmb_include *i = part->includes; i; i = i->next) {
      const cmb_node *value = i->set ? i->set->first : NULL;
      for (; value; value = value->next) {
        cmb_lazy *parameter = find_settable_parameter(r, s, value->key);
        if (!parameter || parameter->home != home || !includes_parameter(r, s, i, parameter))
          continue;
        set_subject(r, s, i);
        CMB_TRY(set_value(r, s, part, value, parameter));
      }
    }
  }
  return CMB_OK;
}

cmb_status cmb_put_overrides(cmb_reader *r, const cmb_scope *home)
{
  for (const cmb_scope *s = home; s; s = s->parent) CMB_TRY(apply_includes(r, s, home));
  cmb_reader_subject(r, "", "", NULL);
  return CMB_OK;
}

/* ---- names that are no parameter's */

/* Reports that the file included by `include` has no parameter with the name of `value`. The message suggests the most similar parameter of
 * the file, if there is one, and says where it is defined. */
static cmb_status fail_unknown(cmb_reader *r, const cmb_scope *s, const cmb_include *include,
                               const cmb_node *value)
{
  char shown[CMB_SHOWN_ROOM], where[CMB_WHERE_ROOM];
  const size_t prefix = strlen(s->prefix);
  const char **names = cmb_arena_take(r->scratch, (size_t)r->model->parameter_count, sizeof *names);
  int count = 0;
  if (!names) return cmb_fail_memory(r->ctx);
  for (int i = 0; i < r->model->parameter_count; i++) {
    const cmb_lazy *p = &r->parameters[i];
    if (!p->is_index && strncmp(p->name, s->prefix, prefix) == 0 &&
        includes_parameter(r, s, include, p))
      names[count++] = p->name + prefix;
  }
  cmb_shown(value->key, shown);
  set_subject(r, s, include);
  const char *near = cmb_nearest_name(value->key, names, count, sizeof *names);
  if (!near) {
    return cmb_reader_fail(
        r, value->key_place,
        "the included file has no parameter '%s'; expected one of its parameters", shown);
  }
  const cmb_place there = find_settable_parameter(r, s, near)->entry->key_place;
  return cmb_reader_fail(r, value->key_place,
                         "the included file has no parameter '%s': did you mean '%s' (%s)?", shown,
                         near, cmb_where(there, where));
}

cmb_status cmb_check_overrides(cmb_reader *r)
{
  for (const cmb_scope *s = r->scopes; s; s = s->next) {
    for (const cmb_part *part = s->parts; part; part = part->next) {
      for (const cmb_include *i = part->includes; i; i = i->next) {
        const cmb_node *value = i->set ? i->set->first : NULL;
        for (; value; value = value->next) {
          const cmb_lazy *parameter = find_settable_parameter(r, s, value->key);
          if (!parameter || !includes_parameter(r, s, i, parameter))
            return fail_unknown(r, s, i, value);
        }
      }
    }
  }
  return CMB_OK;
}
