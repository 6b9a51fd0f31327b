/*
 * Parses tyre property files and converts their numbers to SI units; called by tyres.c (tir.h).
 *
 * Upper and lower case of keys and sections do not matter. Sections [MODEL], [DIMENSION], [INERTIA], [STRUCTURAL] and those that the Magic
 * Formula does not use (SKIPPED below) may have further keys, which are skipped. In all others an unknown key is an error, unless its value
 * has no effect: 0, or 1 of a scale factor. An unknown section, and a key of another version of the formula that has an effect
 * there, are skipped with a warning.
 */
#include "model/tir.h"

#include "base/context.h"
#include "base/text.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#define NO_LIMIT HUGE_VAL
#define LARGEST  1e12 /* allowed absolute value of a number: products of a few of them stay finite */

enum version { OLD = 1, V61 = 2, V62 = 4, NEW = V61 | V62, ALL = OLD | NEW };
enum limit { ANY, POSITIVE, NOT_NEGATIVE, NOT_ZERO, ZERO };
enum unit { LENGTH, FORCE, ANGLE, MASS, TIME, PRESSURE, UNITS };

/* The dimension of a quantity: its exponents of the units. */
struct quantity {
  signed char power[UNITS];
};
static const struct quantity quantity_NONE = {{0}};
static const struct quantity quantity_LENGTH = {{[LENGTH] = 1}};
static const struct quantity quantity_PER_LENGTH = {{[LENGTH] = -1}};
static const struct quantity quantity_PER_AREA = {{[LENGTH] = -2}};
static const struct quantity quantity_SPEED = {{[LENGTH] = 1, [TIME] = -1}};
static const struct quantity quantity_FORCE = {{[FORCE] = 1}};
static const struct quantity quantity_STIFFNESS = {{[FORCE] = 1, [LENGTH] = -1}};
static const struct quantity quantity_DAMPING = {{[FORCE] = 1, [TIME] = 1, [LENGTH] = -1}};
static const struct quantity quantity_MASS = {{[MASS] = 1}};
static const struct quantity quantity_INERTIA = {{[MASS] = 1, [LENGTH] = 2}};
static const struct quantity quantity_PRESSURE = {{[PRESSURE] = 1}};
static const struct quantity quantity_ANGLE = {{[ANGLE] = 1}};

struct key {
  const char *name, *section;
  const struct quantity *quantity;
  enum limit limit;
  int versions;
  double value; /* default value; NaN: the key is required */
  size_t offset;
};

#define REQUIRED NAN
#define KEY(section, key, quantity, limit, versions, value, meaning)                               \
  {#key, #section, &quantity_##quantity, limit, versions, value, offsetof(cmb_tir, key)},
static const struct key keys[] = {CMB_TIR_KEYS(KEY)};

#define NAME(section, key, quantity, limit, versions, value, meaning) #key,
static const char *const names[] = {CMB_TIR_KEYS(NAME)};

const char *const *cmb_tir_names(void)
{
  return names;
}

double cmb_tir_number(const cmb_tir *tir, int key)
{
  double x;
  memcpy(&x, (const char *)tir + keys[key].offset, sizeof x);
  return x;
}

static void set_number(cmb_tir *tir, int key, double x)
{
  memcpy((char *)tir + keys[key].offset, &x, sizeof x);
}

double cmb_tir_pressure(const cmb_tir *tir)
{
  return tir->NOMPRES > 0 && tir->INFLPRES > 0 ? tir->INFLPRES / tir->NOMPRES - 1 : 0;
}

/* ---- units */

static const char *const unit_keys[UNITS] = {
    [LENGTH] = "LENGTH", [FORCE] = "FORCE", [ANGLE] = "ANGLE",
    [MASS] = "MASS",     [TIME] = "TIME",   [PRESSURE] = "PRESSURE"};
static const struct {
  const char *name;
  enum unit unit;
  double factor;
} units[] = {
    {"meter", LENGTH, 1},
    {"m", LENGTH, 1},
    {"mm", LENGTH, 1e-3},
    {"millimeter", LENGTH, 1e-3},
    {"cm", LENGTH, 1e-2},
    {"centimeter", LENGTH, 1e-2},
    {"inch", LENGTH, 0.0254},
    {"in", LENGTH, 0.0254},
    {"foot", LENGTH, 0.3048},
    {"ft", LENGTH, 0.3048},
    {"newton", FORCE, 1},
    {"n", FORCE, 1},
    {"kn", FORCE, 1e3},
    {"kilonewton", FORCE, 1e3},
    {"kgf", FORCE, 9.80665},
    {"kilogram_force", FORCE, 9.80665},
    {"lbf", FORCE, 4.4482216152605},
    {"pound_force", FORCE, 4.4482216152605},
    {"radians", ANGLE, 1},
    {"radian", ANGLE, 1},
    {"rad", ANGLE, 1},
    {"degrees", ANGLE, 0.017453292519943295},
    {"degree", ANGLE, 0.017453292519943295},
    {"deg", ANGLE, 0.017453292519943295},
    {"kg", MASS, 1},
    {"kilogram", MASS, 1},
    {"gram", MASS, 1e-3},
    {"lbm", MASS, 0.45359237},
    {"pound_mass", MASS, 0.45359237},
    {"slug", MASS, 14.593902937206364},
    {"second", TIME, 1},
    {"sec", TIME, 1},
    {"s", TIME, 1},
    {"millisecond", TIME, 1e-3},
    {"ms", TIME, 1e-3},
    {"pascal", PRESSURE, 1},
    {"pa", PRESSURE, 1},
    {"kpa", PRESSURE, 1e3},
    {"kilopascal", PRESSURE, 1e3},
    {"bar", PRESSURE, 1e5},
    {"psi", PRESSURE, 6894.757293168361},
};

/* ---- sections */

enum section_kind { UNKNOWN, STRICT, OPEN, SKIPPED, UNIT_SECTION };

static const struct {
  const char *name;
  enum section_kind kind;
} sections[] = {
    {"MDI_HEADER", SKIPPED},
    {"UNITS", UNIT_SECTION},
    {"MODEL", OPEN},
    {"DIMENSION", OPEN},
    {"SHAPE", SKIPPED},
    {"OPERATING_CONDITIONS", STRICT},
    {"INERTIA", OPEN},
    {"VERTICAL", STRICT},
    {"STRUCTURAL", OPEN},
    {"CONTACT_PATCH", SKIPPED},
    {"INFLATION_PRESSURE_RANGE", STRICT},
    {"VERTICAL_FORCE_RANGE", STRICT},
    {"LONG_SLIP_RANGE", STRICT},
    {"SLIP_ANGLE_RANGE", STRICT},
    {"INCLINATION_ANGLE_RANGE", STRICT},
    {"SCALING_COEFFICIENTS", STRICT},
    {"LONGITUDINAL_COEFFICIENTS", STRICT},
    {"OVERTURNING_COEFFICIENTS", STRICT},
    {"LATERAL_COEFFICIENTS", STRICT},
    {"ROLLING_COEFFICIENTS", STRICT},
    {"ALIGNING_COEFFICIENTS", STRICT},
    {"TURNSLIP_COEFFICIENTS", SKIPPED},
};

/* ---- lines */

enum { WORD_ROOM = 64 };

struct file {
  cmb_context *ctx;
  const char *name;
  const char *next, *end;      /* the part of the text that has not been read */
  const char *begin;           /* of the current line */
  const char *line, *line_end; /* of its text without blanks and comment */
  int number;
  const char *section; /* name of the current section; NULL before the first one */
  enum section_kind kind;
  char unknown[WORD_ROOM]; /* name of the current section if it is unknown */
  bool table;              /* inside of a table, which begins with a line in braces */
  double factor[UNITS];
  int unit_line[UNITS];
  int line_of[CMB_TIR_KEY_COUNT];  /* line of each key in the file; 0: not given */
  double given[CMB_TIR_KEY_COUNT]; /* value of each key in the units of the file */
  int side_line;
};

#define FAIL(f, at, ...)                                                                           \
  cmb_fail_about((f)->ctx, CMB_ERROR_INPUT,                                                        \
                 cmb_about_place((f)->name, (f)->number, (int)((at) - (f)->begin) + 1),            \
                 __VA_ARGS__)

/* Copies a part of a line (`length` characters, cut if too many) to `room` for use in a message, with '?' for control characters, and
 * returns `room`. */
static const char *shown(const char *text, size_t length, char room[CMB_SHOWN_ROOM])
{
  char part[CMB_SHOWN_ROOM];
  if (length >= sizeof part) length = sizeof part - 1;
  memcpy(part, text, length);
  part[length] = '\0';
  return cmb_shown(part, room);
}

static bool is_word(const char *text, size_t length, const char *word)
{
  return strlen(word) == length && strncasecmp(text, word, length) == 0;
}

static void trim(const char **from, const char **to)
{
  while (*from < *to && strchr(" \t\r", **from)) ++*from;
  while (*from < *to && strchr(" \t\r", (*to)[-1])) --*to;
}

/* Removes a comment, which begins with $ or ! outside of quotes, from the current line by moving f->line_end. */
static void drop_comment(struct file *f)
{
  char quote = 0;
  for (const char *at = f->line; at < f->line_end; at++) {
    if (quote ? *at == quote : *at == '\'' || *at == '"') {
      quote = quote ? 0 : *at;
    } else if (!quote && (*at == '$' || *at == '!')) {
      f->line_end = at;
    }
  }
}

/* Advances to the next line that has more than blanks and a comment, and sets f->line and f->line_end to its text. Returns false at the end
 * of the file. */
static bool advance(struct file *f)
{
  while (f->next < f->end) {
    const char *stop = memchr(f->next, '\n', (size_t)(f->end - f->next));
    f->begin = f->line = f->next;
    f->line_end = stop ? stop : f->end;
    f->next = stop ? stop + 1 : f->end;
    f->number++;
    drop_comment(f);
    trim(&f->line, &f->line_end);
    if (f->line < f->line_end) return true;
  }
  return false;
}

static cmb_status read_section(struct file *f)
{
  const char *from = f->line + 1, *to = memchr(from, ']', (size_t)(f->line_end - from));
  char room[CMB_SHOWN_ROOM];
  if (!to || to + 1 != f->line_end) {
    return FAIL(f, f->line, "expected a section, [NAME], and nothing after it");
  }
  trim(&from, &to);
  f->table = false;
  f->kind = UNKNOWN;
  f->section = f->unknown;
  cmb_shown(shown(from, (size_t)(to - from), room), f->unknown);
  for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
    if (!is_word(from, (size_t)(to - from), sections[i].name)) continue;
    f->section = sections[i].name;
    f->kind = sections[i].kind;
    return CMB_OK;
  }
  cmb_log(f->ctx, CMB_LOG_WARNING, "%s:%d: the section [%s] is not known and is skipped", f->name,
          f->number, f->unknown);
  return CMB_OK;
}

static cmb_status read_unit(struct file *f, const char *key, size_t length, const char *value,
                            size_t value_length)
{
  char room[CMB_SHOWN_ROOM];
  int unit = 0;
  while (unit < UNITS && !is_word(key, length, unit_keys[unit])) unit++;
  if (unit == UNITS) {
    return FAIL(f, key,
                "'%s' is no key of [UNITS]; expected LENGTH, FORCE, ANGLE, MASS, TIME or "
                "PRESSURE",
                shown(key, length, room));
  }
  if (f->unit_line[unit]) {
    return FAIL(f, key, "%s is given in line %d already", unit_keys[unit], f->unit_line[unit]);
  }
  f->unit_line[unit] = f->number;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (units[i].unit != (enum unit)unit || !is_word(value, value_length, units[i].name)) continue;
    f->factor[unit] = units[i].factor;
    return CMB_OK;
  }
  return FAIL(f, value, "'%s' is no unit of %s that is known; docs/tyres.md lists them",
              shown(value, value_length, room), unit_keys[unit]);
}

static cmb_status read_side(struct file *f, const char *key, const char *value, size_t length,
                            cmb_tir *tir)
{
  char room[CMB_SHOWN_ROOM];
  static const struct {
    const char *name;
    cmb_tyre_side side;
  } sides[] = {{"LEFT", CMB_TYRE_SIDE_LEFT},
               {"RIGHT", CMB_TYRE_SIDE_RIGHT},
               {"SYMMETRIC", CMB_TYRE_SIDE_SYMMETRIC},
               {"SYMMETRICAL", CMB_TYRE_SIDE_SYMMETRIC}};
  if (f->side_line) return FAIL(f, key, "TYRESIDE is given in line %d already", f->side_line);
  f->side_line = f->number;
  for (int i = 0; i < 4; i++) {
    if (!is_word(value, length, sides[i].name)) continue;
    tir->side = sides[i].side;
    return CMB_OK;
  }
  return FAIL(f, value, "TYRESIDE is '%s'; expected 'LEFT', 'RIGHT' or 'SYMMETRIC'",
              shown(value, length, room));
}

static bool parse_number(const char *text, size_t length, double *x)
{
  char copy[CMB_LONGEST_NUMBER + 1];
  if (length > CMB_LONGEST_NUMBER) return false;
  memcpy(copy, text, length);
  copy[length] = '\0';
  return cmb_parse_number(copy, x);
}

/* Handles a key of a tyre property file that is not in the table `keys`: it is skipped if the section may have further keys or if the value
 * has no effect (0, or 1 of a scaling factor). Otherwise it is an error, which suggests the most similar key. */
static cmb_status skip_key(struct file *f, const char *key, size_t length, const char *value,
                           size_t value_length)
{
  char room[CMB_SHOWN_ROOM], word[CMB_SHOWN_ROOM];
  double x = NAN;
  if (f->kind != STRICT) return CMB_OK;
  const double neutral = strcmp(f->section, "SCALING_COEFFICIENTS") == 0 ? 1 : 0;
  if (parse_number(value, value_length, &x) && x == neutral) return CMB_OK;
  const char *near =
      cmb_nearest_name(shown(key, length, word), names, CMB_TIR_KEY_COUNT, sizeof *names);
  return FAIL(f, key,
              "[%s] has a key '%s' that the Magic Formula here does not have%s%s%s; expected "
              "a key of docs/tyres.md, or %g as its value",
              f->section, shown(key, length, room), near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "", neutral);
}

static cmb_status read_number(struct file *f, int k, const char *key, const char *value,
                              size_t length)
{
  char room[CMB_SHOWN_ROOM];
  if (f->line_of[k]) {
    return FAIL(f, key, "%s is given in line %d already", names[k], f->line_of[k]);
  }
  if (!parse_number(value, length, &f->given[k])) {
    return FAIL(f, value, "%s is '%s'; expected a number", names[k], shown(value, length, room));
  }
  f->line_of[k] = f->number;
  return CMB_OK;
}

/* Removes the quotes around a value, the text from *from up to *to, by moving both ends. A value that does not begin with a quote is left
 * as it is. Returns false if the closing quote is missing. */
static bool unquote(const char **from, const char **to)
{
  if (*from == *to || (**from != '\'' && **from != '"')) return true;
  if (*to - *from < 2 || (*to)[-1] != **from) return false;
  ++*from;
  --*to;
  trim(from, to);
  return true;
}

/* Handles a key of a tyre property file that has no value: a known key is treated as not given, with a warning, but it is an error if the
 * key is required or in the section [UNITS]. Unknown keys are skipped. */
static cmb_status read_nothing(struct file *f, const char *key, size_t length)
{
  char room[CMB_SHOWN_ROOM];
  if (f->kind == UNIT_SECTION)
    return FAIL(f, key, "%s has no value; expected a unit", shown(key, length, room));
  for (int k = 0; k < CMB_TIR_KEY_COUNT; k++) {
    if (!is_word(key, length, names[k])) continue;
    if (isnan(keys[k].value)) return FAIL(f, key, "%s has no value; expected a number", names[k]);
    cmb_log(f->ctx, CMB_LOG_WARNING, "%s:%d: %s has no value and counts as not given", f->name,
            f->number, names[k]);
  }
  return CMB_OK;
}

static cmb_status read_entry(struct file *f, const char *sign, cmb_tir *tir)
{
  const char *key = f->line, *key_end = sign, *value = sign + 1, *end = f->line_end;
  trim(&key, &key_end);
  trim(&value, &end);
  const size_t length = (size_t)(key_end - key);
  if (length == 0) return FAIL(f, sign, "expected a key before '='");
  if (f->section && value == end) return read_nothing(f, key, length);
  if (!unquote(&value, &end))
    return FAIL(f, value, "the value begins with a quote; expected the same quote at its end");
  const size_t value_length = (size_t)(end - value);
  if (!f->section) return FAIL(f, key, "expected a section, [NAME], before the first key");
  if (f->kind == SKIPPED || f->kind == UNKNOWN) return CMB_OK;
  if (f->kind == UNIT_SECTION) return read_unit(f, key, length, value, value_length);
  if (is_word(key, length, "TYRESIDE")) return read_side(f, key, value, value_length, tir);
  for (int k = 0; k < CMB_TIR_KEY_COUNT; k++) {
    if (is_word(key, length, names[k])) return read_number(f, k, key, value, value_length);
  }
  return skip_key(f, key, length, value, value_length);
}

static cmb_status read_line(struct file *f, cmb_tir *tir)
{
  char room[CMB_SHOWN_ROOM];
  if (*f->line == '[') return read_section(f);
  if (*f->line == '{') {
    f->table = true;
    return CMB_OK;
  }
  const char *sign = memchr(f->line, '=', (size_t)(f->line_end - f->line));
  if (sign) return read_entry(f, sign, tir);
  if (f->table) return CMB_OK;
  return FAIL(f, f->line,
              "'%s' is not KEY = value; expected that, a section [NAME], or a comment after $ or !",
              shown(f->line, (size_t)(f->line_end - f->line), room));
}

/* ---- numbers in SI units */

/* Checks that the number x (in SI units) of key k of a tyre property file is not extremely large, or extremely small where it has to be
 * positive, and satisfies the key's condition, such as POSITIVE. `at` is the place for messages. */
static cmb_status check_limit(const struct file *f, cmb_place at, int k, double x)
{
  static const char *const words[] = {[POSITIVE] = "a number greater than 0",
                                      [NOT_NEGATIVE] = "a number not less than 0",
                                      [NOT_ZERO] = "a number that is not 0",
                                      [ZERO] = "0"};
  const enum limit limit = keys[k].limit;
  if ((limit == POSITIVE && !(x > 0)) || (limit == NOT_NEGATIVE && x < 0) ||
      (limit == NOT_ZERO && x == 0) || (limit == ZERO && x != 0)) {
    return cmb_fail_at(f->ctx, at, "%s is %g; expected %s", names[k], f->given[k], words[limit]);
  }
  const double least = limit == POSITIVE ? 1 / LARGEST : limit == NOT_NEGATIVE ? 0 : -LARGEST;
  if (fabs(x) > LARGEST || (limit == POSITIVE && x > 0 && x < 1 / LARGEST)) {
    return cmb_fail_at(f->ctx, at, "%s is %s; expected a number from %g to %g in SI units",
                       names[k], cmb_shortest(f->given[k]).text, least, LARGEST);
  }
  return CMB_OK;
}

static cmb_status find_version(const struct file *f, int *version)
{
  const double type = f->given[CMB_TIR_AT_FITTYP];
  const int line = f->line_of[CMB_TIR_AT_FITTYP];
  *version = type == 6 ? OLD : type == 61 ? V61 : V62;
  if (line && type != 6 && type != 61 && type != 62) {
    return cmb_fail_at(f->ctx, cmb_place_in(f->name, line, 1),
                       "FITTYP is %s; expected 6 (Magic Formula 5.2), 61 or 62",
                       cmb_shortest(type).text);
  }
  return CMB_OK;
}

static cmb_status convert(const struct file *f, int version, int k, cmb_tir *tir)
{
  const struct key *key = &keys[k];
  double x = key->value;
  if (!f->line_of[k] || !(key->versions & version)) {
    if (isnan(x)) {
      return cmb_fail_at(f->ctx, cmb_place_in(f->name, f->number > 0 ? f->number : 1, 1),
                         "%s is not given in any section that is read; expected it in [%s]",
                         key->name, key->section);
    }
    if (f->line_of[k] && f->given[k] != x) {
      cmb_log(f->ctx, CMB_LOG_WARNING,
              "%s:%d: %s is skipped: this version of the Magic Formula has no such number", f->name,
              f->line_of[k], key->name);
    }
    set_number(tir, k, x);
    return CMB_OK;
  }
  x = f->given[k];
  for (int unit = 0; unit < UNITS; unit++) x *= pow(f->factor[unit], key->quantity->power[unit]);
  CMB_TRY(check_limit(f, cmb_place_in(f->name, f->line_of[k], 1), k, x));
  set_number(tir, k, x);
  return CMB_OK;
}

cmb_status cmb_tir_parse(cmb_context *ctx, const char *name, const char *text, size_t length,
                         cmb_tir *tir)
{
  const bool marked = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0;
  struct file f = {.ctx = ctx, .name = name, .next = text + (marked ? 3 : 0), .end = text + length};
  int version = 0;
  *tir = (cmb_tir){.side = CMB_TYRE_SIDE_UNKNOWN};
  for (int i = 0; i < UNITS; i++) f.factor[i] = 1;
  while (advance(&f)) CMB_TRY(read_line(&f, tir));
  CMB_TRY(find_version(&f, &version));
  for (int k = 0; k < CMB_TIR_KEY_COUNT; k++) CMB_TRY(convert(&f, version, k, tir));
  return cmb_tir_check(ctx, name, f.line_of, tir);
}

cmb_status cmb_read_tir(cmb_reader *r, const cmb_node *file, const cmb_tir **tir)
{
  const char *name, *text;
  size_t length;
  CMB_TRY(cmb_load_included(r, file, &name, &text, &length));
  cmb_tir *read = cmb_arena_take(r->model->arena, 1, sizeof *read);
  if (!read) return cmb_fail_memory(r->ctx);
  *tir = read;
  const cmb_status status = cmb_tir_parse(r->ctx, name, text, length, read);
  return status == CMB_ERROR_INPUT ? cmb_reader_repeat(r, cmb_place_in(name, 1, 1)) : status;
}
