/*
 * What tells results apart (result.h): of model, method, accuracy, formulation and settings those in which the files that say them differ. CSV files
 * say nothing of the kind.
 */
#include "base/text.h"
#include "cli/axis.h"
#include "cli/result.h"
#include "cli/viewed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum part { MODEL, METHOD, ACCURACY, FORMULATION, SETTINGS, PARTS };

enum { VALUE_ROOM = 48 };

struct labels {
  int count;
  struct cli_result *const *results;
  char *parts[CLI_MOST_RESULTS][PARTS]; /* "": not known, or all have the same */
};

/* ---- settings */

/* One line --set=NAME=VALUE of the options of a run. */
struct setting {
  const char *name;
  int length; /* of the name */
  double value;
};

static bool same_name(const struct setting *a, const struct setting *b)
{
  return a->length == b->length && memcmp(a->name, b->name, (size_t)a->length) == 0;
}

static const char *text_of(const struct cli_result *r, int text)
{
  return r->texts[text] ? r->texts[text] : "";
}

/* The next line that is a setting; false: there is none. */
static bool next_setting(const char **rest, struct setting *s)
{
  static const char option[] = "--set=";
  const size_t prefix = sizeof option - 1;
  const char *line;
  size_t length;
  while (cli_viewed_line(rest, &line, &length)) {
    const char *equals = length > prefix ? memchr(line + prefix, '=', length - prefix) : NULL;
    char number[VALUE_ROOM];
    if (!equals || strncmp(line, option, prefix) != 0) continue;
    snprintf(number, sizeof number, "%.*s", (int)(line + length - equals - 1), equals + 1);
    *s = (struct setting){line + prefix, (int)(equals - line - (ptrdiff_t)prefix), NAN};
    if (cmb_parse_number(number, &s->value)) return true;
  }
  return false;
}

/* The value that a run has under that name; NaN: none is set. */
static double value_in(const struct cli_result *r, const struct setting *wanted)
{
  const char *rest = text_of(r, CLI_TEXT_arguments);
  double value = NAN;
  for (struct setting s; next_setting(&rest, &s);) {
    if (same_name(&s, wanted)) value = s.value; /* the last one counts */
  }
  return value;
}

/* Whether another run than the one that has this setting, and whose options are known, has another value of it, or none. */
static bool differs(const struct labels *l, int result, const struct setting *s)
{
  const double value = value_in(l->results[result], s);
  for (int i = 0; i < l->count; i++) {
    if (!text_of(l->results[i], CLI_TEXT_arguments)[0]) continue;
    if (value_in(l->results[i], s) != value) return true; /* also where it is NaN */
  }
  return false;
}

/* Whether a result before this one, or an earlier line of it, has the setting. */
static bool is_known(const struct labels *l, int result, const struct setting *s)
{
  for (int i = 0; i < result; i++) {
    if (!isnan(value_in(l->results[i], s))) return true;
  }
  const char *rest = text_of(l->results[result], CLI_TEXT_arguments);
  for (struct setting other; next_setting(&rest, &other) && other.name != s->name;) {
    if (same_name(&other, s)) return true;
  }
  return false;
}

/* A number for a reader. */
static void put_number(FILE *to, const char *before, double x, const char *after)
{
  char text[VALUE_ROOM];
  snprintf(text, sizeof text, "%.6g", x);
  cli_shorten_exponent(text);
  fprintf(to, "%s%s%s", before, text, after);
}

/* "damping = 1500, stair = 1" */
static void put_settings(FILE *to, const struct labels *l, int result)
{
  const char *comma = "";
  for (int i = 0; i < l->count; i++) {
    const char *rest = text_of(l->results[i], CLI_TEXT_arguments);
    for (struct setting s; next_setting(&rest, &s);) {
      const double value = value_in(l->results[result], &s);
      if (isnan(value) || is_known(l, i, &s) || !differs(l, i, &s)) continue;
      fprintf(to, "%s%.*s", comma, s.length, s.name);
      put_number(to, " = ", value, "");
      comma = ", ";
    }
  }
}

/* ---- the other parts */

static void put_accuracy(FILE *to, const struct cli_result *r)
{
  const double step = r->numbers[CLI_NUMBER_step], rtol = r->numbers[CLI_NUMBER_rtol];
  if (!isnan(step)) {
    put_number(to, "step ", step, " s");
  } else if (!isnan(rtol)) {
    put_number(to, "rtol ", rtol, "");
  }
}

const char *cli_result_formulation(const struct cli_result *r)
{
  static const char option[] = "--formulation=";
  const size_t prefix = sizeof option - 1;
  const char *rest = text_of(r, CLI_TEXT_arguments), *line;
  size_t length;
  while (cli_viewed_line(&rest, &line, &length)) {
    char name[32];
    cmb_formulation found;
    if (strncmp(line, option, prefix) != 0) continue;
    snprintf(name, sizeof name, "%.*s", (int)(length - prefix), line + prefix);
    return cmb_formulation_find(name, &found) ? cmb_formulation_name(found) : NULL;
  }
  return NULL;
}

static void put_formulation(FILE *to, const struct cli_result *r)
{
  const char *name = cli_result_formulation(r);
  if (name) fputs(name, to);
}

static void put_part(FILE *to, const struct labels *l, int result, enum part part)
{
  const struct cli_result *r = l->results[result];
  switch (part) {
  case MODEL: fputs(text_of(r, CLI_TEXT_model), to); break;
  case METHOD: fputs(text_of(r, CLI_TEXT_method), to); break;
  case ACCURACY: put_accuracy(to, r); break;
  case FORMULATION: put_formulation(to, r); break;
  default: put_settings(to, l, result);
  }
}

/* The part of each; nothing where all that have one have the same. Settings are those that differ already. */
static bool take_part(struct labels *l, enum part part)
{
  const char *known = NULL;
  bool same = part != SETTINGS;
  for (int i = 0; i < l->count; i++) {
    size_t length;
    FILE *to = open_memstream(&l->parts[i][part], &length);
    if (!to) return false;
    put_part(to, l, i, part);
    const bool good = !ferror(to);
    if (fclose(to) != 0 || !good) return false;
    if (!l->parts[i][part][0]) continue;
    same = same && (!known || strcmp(known, l->parts[i][part]) == 0);
    known = l->parts[i][part];
  }
  for (int i = 0; i < l->count && same; i++) l->parts[i][part][0] = '\0';
  return true;
}

/* ---- labels */

const char *cli_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Ways to name a result, from what differs to what always tells it from the others. */
enum way { BY_PARTS, BY_FILE, BY_PATH, BY_NUMBER, WAYS };

static void put_label(FILE *to, const struct labels *l, int i, enum way way)
{
  const char *path = l->results[i]->path, *comma = "";
  for (int p = 0; p < PARTS && way == BY_PARTS; p++) {
    if (!l->parts[i][p][0]) continue;
    fprintf(to, "%s%s", comma, l->parts[i][p]);
    comma = ", ";
  }
  if (!comma[0]) fputs(way >= BY_PATH ? path : cli_base_name(path), to);
  if (way == BY_NUMBER) fprintf(to, " (%d)", i + 1);
}

static bool take_label(const struct labels *l, int i, enum way way)
{
  struct cli_result *r = l->results[i];
  size_t length;
  free(r->label);
  r->label = NULL;
  FILE *to = open_memstream(&r->label, &length);
  if (!to) return false;
  put_label(to, l, i, way);
  const bool good = !ferror(to);
  if (fclose(to) != 0 || !good) return false;
  cli_result_clean(r->label, false);
  return true;
}

static bool are_distinct(const struct labels *l)
{
  for (int i = 0; i < l->count; i++) {
    for (int k = 0; k < i; k++) {
      if (strcmp(l->results[i]->label, l->results[k]->label) == 0) return false;
    }
  }
  return true;
}

bool cli_result_label(int count, struct cli_result *const *results)
{
  struct labels l = {.count = count, .results = results};
  bool good = true, distinct = false;
  for (int part = 0; part < PARTS && good; part++) good = take_part(&l, (enum part)part);
  for (int way = 0; way < WAYS && good && !distinct; way++) {
    for (int i = 0; i < count && good; i++) good = take_label(&l, i, (enum way)way);
    distinct = good && are_distinct(&l);
  }
  for (int i = 0; i < count; i++) {
    for (int part = 0; part < PARTS; part++) free(l.parts[i][part]);
  }
  return good;
}
