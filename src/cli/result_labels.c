/*
 * Makes the labels of results that are compared in a plot or page (result.h): the model, method, accuracy, formulation and parameter settings
 * in which they differ. CSV files do not contain such data; their labels are file names. Called by `camber plot` and `camber view`.
 */
#include "base/text.h"
#include "cli/axis.h"
#include "cli/result.h"
#include "cli/viewed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a label. */
enum part { MODEL, METHOD, ACCURACY, FORMULATION, SETTINGS, PARTS };

enum { VALUE_ROOM = 48 };

/* The results that are compared, and the parts of their labels. */
struct labels {
  int count;
  struct cli_result *const *results;    /* (count) */
  char *parts[CLI_MOST_RESULTS][PARTS]; /* "": unknown, or equal for all results */
};

/* ---- parameter settings */

/* A parameter setting, from a line --set=NAME=VALUE of a run's options. */
struct setting {
  const char *name; /* (length), in the text of the options, without a terminating 0 */
  int length;
  double value;
};

/* Returns whether two settings concern the same parameter. */
static bool same_name(const struct setting *a, const struct setting *b)
{
  return a->length == b->length && memcmp(a->name, b->name, (size_t)a->length) == 0;
}

/* Returns the text about a run with the index `text` (CLI_TEXT_model, CLI_TEXT_method, …) from a result file; "" if the file does not
 * contain it. */
static const char *text_of(const struct cli_result *r, int text)
{
  return r->texts[text] ? r->texts[text] : "";
}

/* Finds the next line --set=NAME=VALUE with a valid number in *rest, a text with the command-line options of a run, one per line. Stores name
 * and value in *s, and advances *rest past the line. Returns false if there is none. */
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

/* Returns the value to which the options of a run set the parameter that `wanted` names; NaN if they do not set it. If it is set repeatedly,
 * the last value counts. */
static double value_in(const struct cli_result *r, const struct setting *wanted)
{
  const char *rest = text_of(r, CLI_TEXT_arguments);
  double value = NAN;
  for (struct setting s; next_setting(&rest, &s);) {
    if (same_name(&s, wanted)) value = s.value; /* the last setting of a parameter is valid */
  }
  return value;
}

/* Returns whether the compared runs differ in the parameter of s: whether some run gives it another value than run number `result`, or none.
 * Runs without known options, as in CSV files, are ignored. */
static bool differs(const struct labels *l, int result, const struct setting *s)
{
  const double value = value_in(l->results[result], s);
  for (int i = 0; i < l->count; i++) {
    if (!text_of(l->results[i], CLI_TEXT_arguments)[0]) continue;
    if (value_in(l->results[i], s) != value) return true; /* also if it is NaN */
  }
  return false;
}

/* Returns whether the parameter of s has been treated already: whether an earlier result sets it, or an earlier setting in the options of
 * results[result], in which s stands. */
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

/* Writes the text `before`, the number x with up to six significant digits, and the text `after`. */
static void put_number(FILE *to, const char *before, double x, const char *after)
{
  char text[VALUE_ROOM];
  snprintf(text, sizeof text, "%.6g", x);
  cli_shorten_exponent(text);
  fprintf(to, "%s%s%s", before, text, after);
}

/* Writes the settings of run number `result` that differ among the compared runs, e.g. "damping = 1500, stair = 1". */
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

/* Writes the step size of a run, e.g. "step 0.001 s", or if that is unknown, the relative tolerance, e.g. "rtol 1e-6"; nothing if both are
 * unknown. */
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

/* Writes the name of the formulation of the equations of motion with which a run was computed; nothing if it is unknown. */
static void put_formulation(FILE *to, const struct cli_result *r)
{
  const char *name = cli_result_formulation(r);
  if (name) fputs(name, to);
}

/* Writes one part of the label of results[result]: model, method, accuracy, formulation, or the parameter settings that differ. */
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

/* Writes one part of the labels of all results: model, method, accuracy, formulation or parameter settings. If all results that have this part
 * agree in it, it is removed again, since it does not distinguish them; settings always differ and are kept. Returns false if memory runs out. */
static bool make_part(struct labels *l, enum part part)
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

/* Returns the name of a file without its folders, a pointer into `path`. */
const char *cli_base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* Kinds of labels, in the order in which they are tried: parts that differ, file name, path, path and number, which is always unique. */
enum label_kind { BY_PARTS, BY_FILE, BY_PATH, BY_NUMBER, LABEL_KINDS };

/* Writes the label of results[i]: the parts in which the results differ, separated by commas, the file name, the path, or the path and the
 * number i + 1, as `label_kind` says. If the result has no such part, the file name is used. */
static void put_label(FILE *to, const struct labels *l, int i, enum label_kind label_kind)
{
  const char *path = l->results[i]->path, *comma = "";
  for (int p = 0; p < PARTS && label_kind == BY_PARTS; p++) {
    if (!l->parts[i][p][0]) continue;
    fprintf(to, "%s%s", comma, l->parts[i][p]);
    comma = ", ";
  }
  if (!comma[0]) fputs(label_kind >= BY_PATH ? path : cli_base_name(path), to);
  if (label_kind == BY_NUMBER) fprintf(to, " (%d)", i + 1);
}

/* Sets the label of results[i] to a new string, and frees its previous one. Characters that cannot be shown are replaced by '?'. Returns false
 * if memory runs out. */
static bool make_label(const struct labels *l, int i, enum label_kind label_kind)
{
  struct cli_result *r = l->results[i];
  size_t length;
  free(r->label);
  r->label = NULL;
  FILE *to = open_memstream(&r->label, &length);
  if (!to) return false;
  put_label(to, l, i, label_kind);
  const bool good = !ferror(to);
  if (fclose(to) != 0 || !good) return false;
  cli_result_clean(r->label, false);
  return true;
}

/* Returns whether all results have different labels. */
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
  for (int part = 0; part < PARTS && good; part++) good = make_part(&l, (enum part)part);
  for (int label_kind = 0; label_kind < LABEL_KINDS && good && !distinct; label_kind++) {
    for (int i = 0; i < count && good; i++) good = make_label(&l, i, (enum label_kind)label_kind);
    distinct = good && are_distinct(&l);
  }
  for (int i = 0; i < count; i++) {
    for (int part = 0; part < PARTS; part++) free(l.parts[i][part]);
  }
  return good;
}
