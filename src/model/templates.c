/*
 * Collects the parts of a model: its file, the files that it includes, and the instances of templates, each with its scope (name space);
 * called by read.c (reader.h). place.c computes where the instances are.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

#include <stdio.h>
#include <string.h>

/* ---- included files */

/* The files that are being read, a linked list from the innermost to the main one or, for an instance, to the one with its template. */
struct chain {
  const char *file;
  const struct chain *outer;
  int length;
};

struct parts {
  cmb_part *first, *last;
};

static cmb_status add_part(cmb_reader *r, struct parts *parts, const cmb_node *root,
                           bool in_template, const struct chain *chain);

static cmb_part *find_file(const struct parts *parts, const char *file)
{
  cmb_part *part = parts->first;
  while (part && strcmp(part->root->place.file, file) != 0) part = part->next;
  return part;
}

/* Reads the included file that `node` names, appends it and the files that it includes to *parts, and sets *part to it. A file that is
 * included several times is appended only once; one that includes itself, directly or through others, is an error. */
static cmb_status add_file(cmb_reader *r, struct parts *parts, const cmb_node *node,
                           bool in_template, const struct chain *chain, cmb_part **part)
{
  const char *name, *text;
  size_t length;
  const cmb_node *root;
  CMB_TRY(cmb_load_included(r, node, &name, &text, &length));
  for (const struct chain *c = chain; c; c = c->outer) {
    if (strcmp(c->file, name) == 0)
      return cmb_reader_fail(r, node->place, "'%s' includes itself; expected no cycle", name);
  }
  if (chain->length == CMB_MOST_INCLUDES) {
    return cmb_reader_fail(r, node->place,
                           "files include each other more than %d deep; expected fewer levels",
                           (int)CMB_MOST_INCLUDES);
  }
  *part = find_file(parts, name);
  if (*part) return CMB_OK;
  CMB_TRY(cmb_yaml_parse(r->ctx, &r->map, text, length, name, &root));
  const struct chain inner = {name, chain, chain->length + 1};
  CMB_TRY(add_part(r, parts, root, in_template, &inner));
  *part = find_file(parts, name);
  return CMB_OK;
}

/* Reads an entry of the section `include` of the file `from`: a file's name or {file: name, set: {parameter: number}}. Adds it to the
 * include statements of `from` and reads the included file. */
static cmb_status add_include(cmb_reader *r, struct parts *parts, cmb_part *from,
                              const cmb_node *node, bool in_template, const struct chain *chain)
{
  static const char *const keys[] = {"file", "set"};
  cmb_include *include = cmb_arena_take(r->scratch, 1, sizeof *include);
  if (!include) return cmb_fail_memory(r->ctx);
  *include = (cmb_include){.file = node, .next = from->includes};
  if (node->kind == CMB_NODE_MAP) {
    CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
    CMB_TRY(cmb_require(r, node, "file", &include->file));
    include->set = cmb_node_find(node, "set");
    if (include->set) CMB_TRY(cmb_expect_map(r, include->set));
  }
  from->includes = include;
  return add_file(r, parts, include->file, in_template, chain, &include->part);
}

static cmb_status count_nodes(cmb_reader *r, int size, cmb_place at)
{
  r->unfolded_size += size;
  if (r->unfolded_size <= CMB_MOST_NODES) return CMB_OK;
  return cmb_reader_fail(r, at, "the model has too many parts; expected at most %d",
                         (int)CMB_MOST_NODES);
}

static cmb_status add_part(cmb_reader *r, struct parts *parts, const cmb_node *root,
                           bool in_template, const struct chain *chain)
{
  CMB_TRY(cmb_check_sections(r, root, in_template));
  cmb_part *part = cmb_arena_take(r->scratch, 1, sizeof *part);
  if (!part) return cmb_fail_memory(r->ctx);
  part->root = root;
  if (parts->last)
    parts->last->next = part;
  else
    parts->first = part;
  parts->last = part;
  CMB_TRY(count_nodes(r, root->size, root->place));
  const cmb_node *include = cmb_node_find(root, "include");
  if (!include || (include->kind == CMB_NODE_TEXT && !include->text[0])) return CMB_OK;
  if (include->kind != CMB_NODE_LIST)
    return add_include(r, parts, part, include, in_template, chain);
  for (const cmb_node *entry = include->first; entry; entry = entry->next)
    CMB_TRY(add_include(r, parts, part, entry, in_template, chain));
  return CMB_OK;
}

/* ---- scopes */

/* Appends a new scope (the name space of the model or of a template instance) to the reader's list: a copy of `like` with a placement
 * (rotation, mirror and offset) of its own, which is the identity at first. *scope becomes the new scope. */
static cmb_status add_scope(cmb_reader *r, const cmb_scope *like, cmb_scope **scope)
{
  *scope = cmb_arena_take(r->scratch, 1, sizeof **scope);
  cmb_placement *placed = cmb_arena_take(r->scratch, 1, sizeof *placed);
  if (!*scope || !placed) return cmb_fail_memory(r->ctx);
  *placed = (cmb_placement){.mirror = {.sign = {1, 1, 1}, .turn = 1}};
  **scope = *like;
  (*scope)->placed = placed;
  if (r->last_scope)
    r->last_scope->next = *scope;
  else
    r->scopes = *scope;
  r->last_scope = *scope;
  return CMB_OK;
}

/* Lists the templates that the model itself defines (not those inside of templates) in m->templates, so that cmb_model_item can return
 * them. */
static cmb_status keep_templates(cmb_reader *r)
{
  cmb_model *m = r->model;
  CMB_TRY(cmb_take_section(r, "templates", 0, sizeof *m->templates, &m->templates));
  for (const cmb_part *part = r->scopes->parts; part; part = part->next) {
    const cmb_node *templates = cmb_node_find(part->root, "templates");
    for (const cmb_node *entry = templates ? templates->first : NULL; entry; entry = entry->next) {
      cmb_model_template *template = &m->templates[m->template_count++];
      *template = (cmb_model_template){.place = entry->key_place};
      template->name = cmb_arena_text(m->arena, entry->key);
      if (!template->name) return cmb_fail_memory(r->ctx);
      cmb_reader_subject(r, "template", "", entry->key);
      CMB_TRY(cmb_read_words(r, entry, "title", "a text", &template->title));
    }
  }
  return CMB_OK;
}

static cmb_status define_templates(cmb_reader *r, const cmb_scope *s)
{
  for (const cmb_part *part = s->parts; part; part = part->next) {
    const cmb_node *templates = cmb_node_find(part->root, "templates");
    for (const cmb_node *entry = templates ? templates->first : NULL; entry; entry = entry->next) {
      const char *full = cmb_full_name(r, s->prefix, entry->key, "");
      cmb_reader_subject(r, "template", s->prefix, entry->key);
      CMB_TRY(cmb_check_name(r, entry->key, entry->key_place));
      CMB_TRY(cmb_define(r, CMB_NAMES_TEMPLATE, full, 0, entry->key_place));
      cmb_look_up(r, r->scopes, CMB_NAMES_TEMPLATE, full)->data = entry;
    }
  }
  return CMB_OK;
}

static cmb_status find_template(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                const cmb_name **found)
{
  const cmb_node *name;
  CMB_TRY(cmb_require(r, entry, "template", &name));
  CMB_TRY(cmb_expect_text(r, name, "a template's name"));
  CMB_TRY(cmb_refer(r, s, CMB_NAMES_TEMPLATE, name->text, name->place, found));
  for (const cmb_scope *outer = s; outer; outer = outer->parent) {
    if (!*found || outer->template_of != *found) continue;
    return cmb_reader_fail(r, name->place, "the template '%s' contains itself; expected no cycle",
                           (*found)->name);
  }
  return CMB_OK;
}

/* Adds one instance of a template under the name `name` as a new scope. `like` is a prototype with the data that all copies have in common;
 * `copy` is the number of the copy in a repeated instance (0: not repeated). *previous, the preceding copy (NULL: none), becomes the new one. */
static cmb_status add_copy(cmb_reader *r, const cmb_scope *like, const char *name, int copy,
                           const cmb_scope **previous)
{
  cmb_scope *scope;
  const cmb_scope *s = like->parent;
  const char *full = cmb_full_name(r, s->prefix, name, "");
  cmb_reader_subject(r, "instance", s->prefix, name);
  CMB_TRY(cmb_define(r, CMB_NAMES_INSTANCE, full, 0, like->instance->key_place));
  CMB_TRY(add_scope(r, like, &scope));
  cmb_look_up(r, r->scopes, CMB_NAMES_INSTANCE, full)->data = scope;
  scope->prefix = cmb_full_name(r, s->prefix, name, ".");
  scope->copy = copy;
  scope->previous = *previous;
  *previous = scope;
  return scope->prefix ? CMB_OK : cmb_fail_memory(r->ctx);
}

static cmb_status add_copies(cmb_reader *r, const cmb_scope *like, int copies, int size)
{
  const cmb_node *entry = like->instance;
  const cmb_scope *previous = NULL;
  for (int i = 1; i <= copies; i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    const char *name = cmb_full_name(r, entry->key, number, "");
    if (!name) return cmb_fail_memory(r->ctx);
    if (i > 1) CMB_TRY(count_nodes(r, size, entry->key_place));
    CMB_TRY(add_copy(r, like, name, i, &previous));
  }
  return CMB_OK;
}

/* ---- measures and tables of a template that an instance replaces */

static const char *const given_sections[] = {"measures", "tables"};

enum { GIVEN_SECTIONS = sizeof given_sections / sizeof *given_sections };

/* Reports that an instance of a template replaces an entry, `node`, of a section that has no such entry in the template. The message
 * suggests the most similar name, if there is one. */
static cmb_status fail_given(cmb_reader *r, const cmb_scope *like, const char *section,
                             const cmb_node *node)
{
  enum { MOST_NAMES = 64 };
  const char *names[MOST_NAMES];
  char shown[CMB_SHOWN_ROOM];
  int count = 0;
  for (const cmb_part *part = like->parts; part; part = part->next) {
    const cmb_node *own = cmb_node_find(part->root, section);
    const cmb_node *entry = own ? own->first : NULL;
    for (; entry && count < MOST_NAMES; entry = entry->next) names[count++] = entry->key;
  }
  const char *near = cmb_nearest_name(node->key, names, count, sizeof *names);
  return cmb_reader_fail(r, node->key_place, "the template '%s' has no '%s' under '%s'%s%s%s",
                         like->template_of->name, cmb_shown(node->key, shown), section,
                         near ? ": did you mean '"
                              : "; expected a name that the template has there",
                         near ? near : "", near ? "'?" : "");
}

/* Checks that all entries that a template instance replaces in the section `measures` or `tables` are entries of that section of the
 * template. */
static cmb_status check_given(cmb_reader *r, const cmb_scope *like, const char *section)
{
  const cmb_node *given = cmb_node_find(like->instance, section);
  if (!given) return CMB_OK;
  CMB_TRY(cmb_expect_map(r, given));
  for (const cmb_node *node = given->first; node; node = node->next) {
    const cmb_node *entry = NULL;
    for (const cmb_part *part = like->parts; part && !entry; part = part->next) {
      const cmb_node *own = cmb_node_find(part->root, section);
      entry = own ? cmb_node_find(own, node->key) : NULL;
    }
    if (!entry) return fail_given(r, like, section, node);
  }
  return CMB_OK;
}

cmb_status cmb_find_given(cmb_reader *r, const char *section, const cmb_scope **s,
                          const cmb_node **entry)
{
  static const char *const keys[] = {"needed"};
  const cmb_node *given = (*s)->instance ? cmb_node_find((*s)->instance, section) : NULL;
  const cmb_node *found = given ? cmb_node_find(given, (*entry)->key) : NULL;
  const cmb_node *needed = (*entry)->kind == CMB_NODE_MAP ? cmb_node_find(*entry, "needed") : NULL;
  if (found) {
    *entry = found;
    *s = (*s)->parent;
    return CMB_OK;
  }
  if (!needed) return CMB_OK;
  CMB_TRY(CMB_CHECK_KEYS(r, *entry, keys));
  CMB_TRY(cmb_expect_text(r, needed, "words that say what is needed"));
  if (!(*s)->instance) {
    return cmb_reader_fail(
        r, (*entry)->place,
        "'needed' is only for templates, whose instances give the value; expected a "
        "value");
  }
  return cmb_reader_fail(
      r, (*s)->instance->key_place,
      "the template '%s' needs '%s' (%s); expected '%s: {%s: ...}' in the instance",
      (*s)->template_of->name, (*entry)->key, needed->text, section, (*entry)->key);
}

static cmb_status add_instance(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  static const char *const keys[] = {"template", "parameters", "mirror",   "offset", "repeat", "at",
                                     "step",     "before",     "measures", "tables", "axes"};
  cmb_scope like = {.parent = s, .instance = entry};
  struct parts parts = {0};
  int copies, size = r->unfolded_size;
  const cmb_scope *previous = NULL;
  const cmb_node *arguments = cmb_node_find(entry, "parameters");
  cmb_reader_subject(r, "instance", s->prefix, entry->key);
  CMB_TRY(cmb_check_name(r, entry->key, entry->key_place));
  CMB_TRY(CMB_CHECK_KEYS(r, entry, keys));
  if (arguments) CMB_TRY(cmb_expect_map(r, arguments));
  CMB_TRY(find_template(r, s, entry, &like.template_of));
  CMB_TRY(cmb_read_copies(r, s, entry, &copies));
  const cmb_node *body = like.template_of->data;
  const struct chain chain = {.file = body->place.file, .length = 1};
  CMB_TRY(add_part(r, &parts, body, true, &chain));
  like.parts = parts.first;
  like.arguments = arguments;
  for (int i = 0; i < GIVEN_SECTIONS; i++) CMB_TRY(check_given(r, &like, given_sections[i]));
  return copies > 0 ? add_copies(r, &like, copies, r->unfolded_size - size)
                    : add_copy(r, &like, entry->key, 0, &previous);
}

static const char ADDITION[] = "(addition)";

bool cmb_is_addition(const char *file)
{
  return file && strcmp(file, ADDITION) == 0;
}

/* Appends the text of the option `addition`, if given, and the files that it includes to the files of the model, as one more file beside the
 * model's own. */
static cmb_status add_option_text(cmb_reader *r, struct parts *parts, const struct chain *chain)
{
  const char *text = r->options ? r->options->addition : NULL;
  const cmb_node *root;
  if (!text) return CMB_OK;
  CMB_TRY(cmb_check_text(r->ctx, text, strlen(text), cmb_about_place(ADDITION, 1, 1)));
  CMB_TRY(cmb_yaml_parse(r->ctx, &r->map, text, strlen(text), ADDITION, &root));
  return add_part(r, parts, root, false, chain);
}

/* Builds the list of scopes (name spaces): the model with its included files, and all template instances. Also registers their templates
 * and parameters. The list grows while it is walked through, because instances inside of instances are appended. */
cmb_status cmb_unfold(cmb_reader *r, const cmb_node *root)
{
  cmb_scope *model;
  const cmb_scope first = {.prefix = ""};
  struct parts parts = {0};
  const struct chain chain = {.file = root->place.file, .length = 1};
  CMB_TRY(add_part(r, &parts, root, false, &chain));
  CMB_TRY(add_option_text(r, &parts, &chain));
  CMB_TRY(add_scope(r, &first, &model));
  model->placed->state = CMB_PLACE_KNOWN;
  model->parts = parts.first;
  CMB_TRY(keep_templates(r));
  for (const cmb_scope *s = r->scopes; s; s = s->next) {
    CMB_TRY(define_templates(r, s));
    CMB_TRY(cmb_define_parameters(r, s));
    for (const cmb_part *part = s->parts; part; part = part->next) {
      const cmb_node *instances = cmb_node_find(part->root, "instances");
      for (const cmb_node *entry = instances ? instances->first : NULL; entry; entry = entry->next)
        CMB_TRY(add_instance(r, s, entry));
    }
  }
  CMB_TRY(cmb_check_overrides(r));
  cmb_reader_subject(r, "", "", NULL);
  return CMB_OK;
}
