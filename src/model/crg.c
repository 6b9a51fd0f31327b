/*
 * Reads the sections of OpenCRG files, the part before the numbers, and the file as a whole; called by roads.c (crg.h; ASAM OpenCRG 1.2,
 * chapter 3). A section begins with a line `$NAME` and ends with the next line that begins with `$`; the first is $CT, a text. A line that
 * begins with `*` is a comment, and so is what follows a `!`. Upper and lower case of names do not matter. The numbers follow a line that
 * begins with `$$`.
 *
 * Features that would change the heights and are not implemented are errors: options and modifiers with other values than those that
 * leave the road as it is, references to other files, reference lines given by x and y.
 */
#include "model/crg.h"

#include "base/context.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* ---- sections and their keys */

enum section {
  OUTSIDE,
  TEXT,       /* $CT */
  PARAMETERS, /* $ROAD_CRG */
  PROJECTION, /* position on the globe: heights do not depend on it */
  DEFINITION, /* $KD_Definition: the channels */
  OPTIONS,
  MODIFIERS,
  REFERENCE,
  SECTIONS
};

static const char *const sections[SECTIONS] = {
    [OUTSIDE] = "",
    [TEXT] = "CT",
    [PARAMETERS] = "ROAD_CRG",
    [PROJECTION] = "ROAD_CRG_MPRO",
    [DEFINITION] = "KD_Definition",
    [OPTIONS] = "ROAD_CRG_OPTS",
    [MODIFIERS] = "ROAD_CRG_MODS",
    [REFERENCE] = "ROAD_CRG_FILE",
};

/* How the number under a key is treated: KEEP stores it, ANY ignores it, ONLY accepts just the value that changes nothing. */
enum rule { KEEP, ANY, ONLY };

struct key {
  enum section section;
  const char *name;
  enum rule rule;
  int kept;    /* KEEP: index in cmb_crg_file.value */
  double only; /* ONLY: the accepted value */
};

#define LINE(suffix) "REFERENCE_LINE_" suffix
static const struct key keys[] = {
    {PARAMETERS, LINE("START_U"), KEEP, CMB_CRG_START_U, 0},
    {PARAMETERS, LINE("END_U"), KEEP, CMB_CRG_END_U, 0},
    {PARAMETERS, LINE("INCREMENT"), KEEP, CMB_CRG_INCREMENT, 0},
    {PARAMETERS, "LONG_SECTION_V_RIGHT", KEEP, CMB_CRG_V_RIGHT, 0},
    {PARAMETERS, "LONG_SECTION_V_LEFT", KEEP, CMB_CRG_V_LEFT, 0},
    {PARAMETERS, "LONG_SECTION_V_INCREMENT", KEEP, CMB_CRG_V_INCREMENT, 0},
    {PARAMETERS, LINE("START_S"), KEEP, CMB_CRG_START_S, 0},
    {PARAMETERS, LINE("END_S"), KEEP, CMB_CRG_END_S, 0},
    {PARAMETERS, LINE("START_B"), KEEP, CMB_CRG_START_B, 0},
    {PARAMETERS, LINE("END_B"), KEEP, CMB_CRG_END_B, 0},
    {PARAMETERS, LINE("START_X"), KEEP, CMB_CRG_START_X, 0},
    {PARAMETERS, LINE("START_Y"), KEEP, CMB_CRG_START_Y, 0},
    {PARAMETERS, LINE("START_Z"), KEEP, CMB_CRG_START_Z, 0},
    {PARAMETERS, LINE("END_X"), KEEP, CMB_CRG_END_X, 0},
    {PARAMETERS, LINE("END_Y"), KEEP, CMB_CRG_END_Y, 0},
    {PARAMETERS, LINE("END_Z"), KEEP, CMB_CRG_END_Z, 0},
    {PARAMETERS, LINE("START_PHI"), KEEP, CMB_CRG_START_PHI, 0},
    {PARAMETERS, LINE("END_PHI"), KEEP, CMB_CRG_END_PHI, 0},
    {PARAMETERS, LINE("OFFSET_X"), ONLY, 0, 0},
    {PARAMETERS, LINE("OFFSET_Y"), ONLY, 0, 0},
    {PARAMETERS, LINE("OFFSET_Z"), ONLY, 0, 0},
    {PARAMETERS, LINE("OFFSET_PHI"), ONLY, 0, 0},
    {PARAMETERS, LINE("START_LON"), ANY, 0, 0},
    {PARAMETERS, LINE("START_LAT"), ANY, 0, 0},
    {PARAMETERS, LINE("START_ALT"), ANY, 0, 0},
    {PARAMETERS, LINE("END_LON"), ANY, 0, 0},
    {PARAMETERS, LINE("END_LAT"), ANY, 0, 0},
    {PARAMETERS, LINE("END_ALT"), ANY, 0, 0},
    {OPTIONS, "BORDER_MODE_U", ONLY, 0,
     2}, /* 2: beyond the border the height at the border holds */
    {OPTIONS, "BORDER_MODE_V", ONLY, 0, 2},
    {OPTIONS, "BORDER_OFFSET_U", ONLY, 0, 0},
    {OPTIONS, "BORDER_OFFSET_V", ONLY, 0, 0},
    {OPTIONS, "BORDER_SMOOTH_UBEG", ONLY, 0, 0},
    {OPTIONS, "BORDER_SMOOTH_UEND", ONLY, 0, 0},
    {OPTIONS, "REFLINE_CONTINUATION", ONLY, 0, 0},
    {OPTIONS, "REFLINE_SEARCH_CLOSE", ANY, 0, 0}, /* settings of the search for u and v */
    {OPTIONS, "REFLINE_SEARCH_FAR", ANY, 0, 0},
    {OPTIONS, "REFLINE_SEARCH_U", ANY, 0, 0},
    {OPTIONS, "LOG_MSGS", ANY, 0, 0}, /* settings of a program's log */
    {OPTIONS, "LOG_STAT", ANY, 0, 0},
    {OPTIONS, "LOG_STAT_FREQ", ANY, 0, 0},
    {OPTIONS, "WARN_MSGS", ANY, 0, 0},
    {OPTIONS, "WARN_CURV_LOCAL", ANY, 0, 0},
    {OPTIONS, "WARN_CURV_GLOBAL", ANY, 0, 0},
    {OPTIONS, "CHECK_EPS", ANY, 0, 0},
    {OPTIONS, "CHECK_INC", ANY, 0, 0},
    {OPTIONS, "CHECK_TOL", ANY, 0, 0},
    {OPTIONS, "CHECK_PRO", ANY, 0, 0},
    {OPTIONS, "CHECK_WGS", ANY, 0, 0},
    {MODIFIERS, "REFLINE_OFFSET_X", ONLY, 0, 0},
    {MODIFIERS, "REFLINE_OFFSET_Y", ONLY, 0, 0},
    {MODIFIERS, "REFLINE_OFFSET_Z", ONLY, 0, 0},
    {MODIFIERS, "REFLINE_OFFSET_PHI", ONLY, 0, 0},
    {MODIFIERS, "SCALE_Z_GRID", ONLY, 0, 1},
    {MODIFIERS, "SCALE_SLOPE", ONLY, 0, 1},
    {MODIFIERS, "SCALE_BANKING", ONLY, 0, 1},
    {MODIFIERS, "SCALE_LENGTH", ONLY, 0, 1},
    {MODIFIERS, "SCALE_WIDTH", ONLY, 0, 1},
    {MODIFIERS, "SCALE_CURVATURE", ONLY, 0, 1},
    {MODIFIERS, "GRID_NAN_MODE", ONLY, 0,
     2}, /* 2: missing numbers at the borders get the next height */
    {MODIFIERS, "GRID_NAN_OFFSET", ONLY, 0, 0},
};
enum { KEY_COUNT = (int)(sizeof keys / sizeof *keys) };

/* ---- lines */

/* Advances to the next line of an OpenCRG file: sets c->line to its first character and c->line_end to its end, without the line break, and
 * increments the line number c->number. Returns false at the end of the file. */
bool cmb_crg_advance(cmb_crg_file *c)
{
  if (c->next == c->end) return false;
  const char *stop = memchr(c->next, '\n', (size_t)(c->end - c->next));
  c->line = c->next;
  c->line_end = stop ? stop : c->end;
  c->next = stop ? stop + 1 : c->end;
  c->number++;
  if (c->line < c->line_end && c->line_end[-1] == '\r') c->line_end--;
  return true;
}

static cmb_place here(const cmb_crg_file *c)
{
  return cmb_crg_place(c, c->number, 1);
}

void cmb_crg_copy(const char *from, size_t length, char *to)
{
  for (size_t i = 0; i < length; i++)
    to[i] = cmb_crg_blank(from[i]) || isgraph((unsigned char)from[i]) ? from[i] : '?';
  to[length] = '\0';
}

enum { WORDS_ROOM = 200 }; /* the format limits a line of a section to 72 characters */

/* Copies the text from `from` up to, but not including, `stop` into `room` without leading and trailing blanks, cut at WORDS_ROOM - 1
 * characters and with '?' for characters that are not printable ASCII. Returns `room`. */
static const char *copy_trimmed(const char *from, const char *stop, char room[WORDS_ROOM])
{
  while (from < stop && cmb_crg_blank(*from)) from++;
  while (from < stop && cmb_crg_blank(stop[-1])) stop--;
  const size_t length = stop - from < WORDS_ROOM ? (size_t)(stop - from) : WORDS_ROOM - 1;
  cmb_crg_copy(from, length, room);
  return room;
}

/* Removes the comment, which begins with '!', from the current line of an OpenCRG file by moving c->line_end. */
static void drop_comment(cmb_crg_file *c)
{
  const char *mark = memchr(c->line, '!', (size_t)(c->line_end - c->line));
  if (mark) c->line_end = mark;
}

/* ---- keys */

/* Returns the entry of the table `keys` for the key `name` in this section of an OpenCRG file, ignoring upper and lower case; NULL if the
 * key is unknown. */
static const struct key *find_key(enum section section, const char *name)
{
  for (int i = 0; i < KEY_COUNT; i++) {
    if (keys[i].section == section && strcasecmp(keys[i].name, name) == 0) return &keys[i];
  }
  return NULL;
}

static cmb_status keep_value(cmb_crg_file *c, const struct key *key, double value)
{
  cmb_crg_value *to = &c->value[key->kept];
  if (to->line > 0) {
    return cmb_reader_fail(c->r, here(c), "'%s' is given twice; the first is in line %d", key->name,
                           to->line);
  }
  *to = (cmb_crg_value){value, c->number};
  return CMB_OK;
}

/* Reads the current line, KEY = number, in a section of an OpenCRG file (a road surface on a grid) and stores, ignores or checks the number
 * as the table `keys` specifies for this key. An unknown key, or a value that the table does not allow, is an error. */
static cmb_status read_key(cmb_crg_file *c, enum section section)
{
  char name[WORDS_ROOM], text[WORDS_ROOM], shown[CMB_SHOWN_ROOM];
  const char *sign = memchr(c->line, '=', (size_t)(c->line_end - c->line));
  double value;
  if (!sign) {
    return cmb_reader_fail(c->r, here(c), "'%s' has no '='; expected KEY = number",
                           cmb_shown(copy_trimmed(c->line, c->line_end, name), shown));
  }
  const struct key *key = find_key(section, copy_trimmed(c->line, sign, name));
  if (!key) {
    return cmb_reader_fail(c->r, here(c), "the key '%s' of the section $%s is not supported",
                           cmb_shown(name, shown), sections[section]);
  }
  if (!cmb_parse_number(copy_trimmed(sign + 1, c->line_end, text), &value)) {
    return cmb_reader_fail(c->r, here(c),
                           "'%s' is '%s'; expected a finite number such as 0.5 or 1e-3", key->name,
                           cmb_shown(text, shown));
  }
  if (key->rule == ONLY && value != key->only) {
    return cmb_reader_fail(c->r, here(c), "'%s' is %s, which is not supported; expected %g",
                           key->name, cmb_shortest(value).text, key->only);
  }
  return key->rule == KEEP ? keep_value(c, key, value) : CMB_OK;
}

/* ---- channels */

/* Sets c->binary (else text) and c->double_precision (double precision, else single) from the name of an OpenCRG file's data format: LRFI,
 * LDFI, KRBI or KDBI, in upper or lower case. Any other name is an error. */
static cmb_status read_format(cmb_crg_file *c, const char *text)
{
  static const char *const formats[] = {"LRFI", "LDFI", "KRBI", "KDBI"};
  char shown[CMB_SHOWN_ROOM];
  for (int i = 0; i < 4; i++) {
    if (strcasecmp(text, formats[i]) != 0) continue;
    c->binary = i >= 2;
    c->double_precision = i % 2 == 1;
    return CMB_OK;
  }
  return cmb_reader_fail(c->r, here(c),
                         "unknown data format '%s'; expected LRFI, LDFI, KRBI or KDBI",
                         cmb_shown(text, shown));
}

/* Reads the number in a text of the form "PREFIXnumber,m", such as "longsection3,m", into *number. Returns false if the text has another
 * form. */
static bool read_section_number(const char *text, const char *prefix, double *number)
{
  char digits[WORDS_ROOM];
  const size_t length = strlen(text), begin = strlen(prefix);
  if (length < begin + 2 || strncmp(text, prefix, begin) != 0) return false;
  if (strcmp(text + length - 2, ",m") != 0) return false;
  copy_trimmed(text + begin, text + length - 2, digits);
  return cmb_parse_number(digits, number);
}

/* Finds out which channel (column of data) of an OpenCRG file a definition describes, given in lower case without blanks, such as
 * "referencelinephi,rad". Sets channel->kind and, for a long section (a height profile along the road), channel->number. Returns false if
 * the channel is not supported. */
static bool find_channel(const char *text, cmb_crg_channel *channel)
{
  static const char *const lines[CMB_CRG_LINE_CHANNELS] = {
      [CMB_CRG_PHI] = "referencelinephi,rad",
      [CMB_CRG_BANKING] = "referencelinebanking,m/m",
      [CMB_CRG_SLOPE] = "referencelineslope,m/m"};
  for (int i = 0; i < CMB_CRG_LINE_CHANNELS; i++) {
    channel->kind = (cmb_crg_channel_kind)i;
    if (strcmp(text, lines[i]) == 0) return true;
  }
  channel->kind = CMB_CRG_SECTION_AT;
  if (read_section_number(text, "longsectionatv=", &channel->number)) return true;
  channel->kind = CMB_CRG_SECTION;
  return read_section_number(text, "longsection", &channel->number);
}

static cmb_status read_channel(cmb_crg_file *c, const char *text)
{
  char small[WORDS_ROOM], shown[CMB_SHOWN_ROOM];
  cmb_crg_channel channel = {.line = c->number};
  int length = 0;
  for (const char *at = text; *at; at++) {
    if (!cmb_crg_blank(*at)) small[length++] = (char)tolower((unsigned char)*at);
  }
  small[length] = '\0';
  if (!find_channel(small, &channel)) {
    return cmb_reader_fail(c->r, here(c),
                           "the channel '%s' is not supported; expected 'reference line phi,rad', "
                           "'.. banking,m/m', '.. slope,m/m' or 'long section ..,m'",
                           cmb_shown(text, shown));
  }
  for (int i = 0; i < c->channel_count && channel.kind < CMB_CRG_LINE_CHANNELS; i++) {
    if (c->channels[i].kind != channel.kind) continue;
    return cmb_reader_fail(c->r, here(c),
                           "the channel '%s' is given twice; the first is in line %d",
                           cmb_shown(text, shown), c->channels[i].line);
  }
  if (c->channel_count == c->most_channels) {
    return cmb_reader_fail(c->r, here(c), "too many channels; expected at most %d",
                           CMB_MOST_CRG_CHANNELS);
  }
  c->channels[c->channel_count++] = channel;
  return CMB_OK;
}

/* Reads the current line of the section $KD_Definition of an OpenCRG file: `#:` specifies the format of the data, `D:` the next channel
 * (column of data); `U:`, a definition without data, is skipped. Any other line is an error. */
static cmb_status read_definition(cmb_crg_file *c)
{
  char text[WORDS_ROOM], rest[WORDS_ROOM], shown[CMB_SHOWN_ROOM];
  copy_trimmed(c->line, c->line_end, text);
  const char kind = text[1] == ':' ? (char)toupper((unsigned char)text[0]) : '\0';
  if (kind == 'U') return CMB_OK;
  if (kind == '#' || kind == 'D') {
    copy_trimmed(text + 2, text + strlen(text), rest);
    return kind == '#' ? read_format(c, rest) : read_channel(c, rest);
  }
  return cmb_reader_fail(c->r, here(c),
                         "'%s' is no definition; expected a line that begins with #:, D: or U:",
                         cmb_shown(text, shown));
}

/* ---- sections */

/* Handles a line of an OpenCRG file that begins with a single `$`: followed by the name of a known section it begins this section, else it ends
 * the current one. Sets *section, and marks a new section in seen[]. It is an error if a section is unknown (outside of others), begins twice
 * or before the current one has ended, or if the heights are in another file ($ROAD_CRG_FILE). */
static cmb_status change_section(cmb_crg_file *c, bool seen[SECTIONS], enum section *section)
{
  char name[WORDS_ROOM], shown[CMB_SHOWN_ROOM];
  drop_comment(c);
  copy_trimmed(c->line + 1, c->line_end, name);
  name[strcspn(name, " \t")] = '\0';
  int found = name[0] ? SECTIONS - 1 : OUTSIDE;
  while (found > OUTSIDE && strcasecmp(sections[found], name) != 0) found--;
  if (*section != OUTSIDE && found != OUTSIDE) {
    return cmb_reader_fail(
        c->r, here(c), "the section $%s is not ended; expected a line '$' before the next section",
        sections[*section]);
  }
  if (found == OUTSIDE && *section == OUTSIDE && name[0]) {
    return cmb_reader_fail(c->r, here(c), "the section $%s is not supported",
                           cmb_shown(name, shown));
  }
  if (found == REFERENCE) {
    return cmb_reader_fail(c->r, here(c),
                           "the road is in another file ($%s), which is not supported; "
                           "expected a file with data",
                           sections[found]);
  }
  if (found != OUTSIDE && seen[found])
    return cmb_reader_fail(c->r, here(c), "the section $%s is given twice; expected it once",
                           sections[found]);
  seen[found] = found != OUTSIDE;
  *section = (enum section)found;
  return CMB_OK;
}

static cmb_status read_line(cmb_crg_file *c, enum section section)
{
  char text[WORDS_ROOM], shown[CMB_SHOWN_ROOM];
  if (section == TEXT || section == PROJECTION || c->line[0] == '*') return CMB_OK;
  drop_comment(c);
  if (!copy_trimmed(c->line, c->line_end, text)[0]) return CMB_OK;
  if (section == OUTSIDE) {
    return cmb_reader_fail(c->r, here(c),
                           "'%s' is in no section; expected a line that begins one, such as "
                           "$ROAD_CRG, or the line $$$$ before the data",
                           cmb_shown(text, shown));
  }
  return section == DEFINITION ? read_definition(c) : read_key(c, section);
}

/* Reads all sections of an OpenCRG file, up to the line `$$...` before the data, and stores that line's number in c->data_line. It is an
 * error if the file does not begin with the section $CT, or if $ROAD_CRG, $KD_Definition or the line `$$...` is missing. */
static cmb_status read_sections(cmb_crg_file *c)
{
  bool seen[SECTIONS] = {false};
  enum section section = OUTSIDE;
  while (cmb_crg_advance(c)) {
    const bool mark = c->line < c->line_end && c->line[0] == '$';
    if (mark && c->line + 1 < c->line_end && c->line[1] == '$') {
      c->data_line = c->number;
      break;
    }
    if (c->line == c->line_end) continue;
    CMB_TRY(mark ? change_section(c, seen, &section) : read_line(c, section));
    if (!seen[TEXT] && c->line[0] != '*') {
      return cmb_reader_fail(
          c->r, here(c), "the file does not begin with a section $CT; expected an OpenCRG file");
    }
  }
  for (int i = TEXT; i <= DEFINITION; i++) {
    if (seen[i] || i == PROJECTION) continue;
    return cmb_reader_fail(c->r, here(c), "the file has no section $%s before its data",
                           sections[i]);
  }
  if (c->data_line > 0) return CMB_OK;
  return cmb_reader_fail(c->r, here(c),
                         "the file ends without data; expected a line $$$$ and the data after it");
}

/* ---- the file */

/* Reads an OpenCRG road (heights over a grid along a reference line) from `length` bytes in memory into *crg; `name` is the file's name for
 * messages. The caller owns crg->line. */
cmb_status cmb_parse_crg(cmb_reader *r, const char *name, const char *bytes, size_t length,
                         cmb_crg *crg)
{
  cmb_crg_file c = {.r = r, .name = name, .next = bytes, .end = bytes + length, .binary = true};
  for (const char *at = bytes; at < c.end && c.most_channels < CMB_MOST_CRG_CHANNELS; at++)
    c.most_channels += *at == '\n';
  c.channels = cmb_arena_take(r->scratch, (size_t)c.most_channels + 1, sizeof *c.channels);
  if (!c.channels) return cmb_fail_memory(r->ctx);
  *crg = (cmb_crg){0};
  CMB_TRY(read_sections(&c));
  CMB_TRY(cmb_crg_read_data(&c));
  return cmb_crg_make_grid(&c, crg);
}

cmb_status cmb_read_crg(cmb_reader *r, const cmb_node *file, cmb_crg *crg)
{
  const char *name, *bytes;
  size_t length;
  CMB_TRY(cmb_load_bytes_beside(r, file, &name, &bytes, &length));
  return cmb_parse_crg(r, name, bytes, length, crg);
}
