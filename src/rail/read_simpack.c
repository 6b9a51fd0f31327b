/*
 * Reads the files .prw of wheels and .prr of rails (read.h) that SIMPACK and CONTACT use: sections NAME.begin .. NAME.end with lines key = value,
 *
 *     header.begin                            type = 0: a rail, 1: a wheel
 *     header.end
 *     spline.begin                            units.len.f: units of length in a metre, 1000 unless given
 *       point.begin                           lines of y, z, and perhaps a weight, which is not used
 *       point.end
 *     spline.end
 *
 * with z downwards; or the columns y and z alone, without sections. What follows ! or % is a comment. The points are changed as the keys of the
 * spline say, in this order: shift.y, shift.z, rotate (units.ang.f: units of the angle in a radian), bound.y.min and bound.y.max (points
 * beyond are left out), mirror.y, mirror.z, inversion. CONTACT's manual describes the keys.
 */
#include "rail/read.h"

#include "base/context.h"

#include <math.h>
#include <string.h>

enum section { HEADER, SPLINE, POINT, SECTIONS };
static const char *const section_names[SECTIONS] = {"header", "spline", "point"};

enum key {
  TYPE,
  SMOOTH,
  DISTANCE,
  SHIFT_Y,
  SHIFT_Z,
  ROTATE,
  Y_MIN,
  Y_MAX,
  Z_MIN,
  Z_MAX,
  MIRROR_Y,
  MIRROR_Z,
  INVERSION,
  LENGTHS,
  ANGLES,
  KEYS
};

/* The keys that are used, with their defaults; others are skipped. A key with `is_choice` is 0 or 1. */
static const struct {
  const char *name;
  double value;
  enum section section;
  bool is_choice, is_positive;
} keys[KEYS] = {
    [TYPE] = {.name = "type", .section = HEADER, .value = -1, .is_choice = true},
    [SMOOTH] = {.name = "approx.smooth", .section = SPLINE},
    [DISTANCE] = {.name = "point.dist.min", .section = SPLINE},
    [SHIFT_Y] = {.name = "shift.y", .section = SPLINE},
    [SHIFT_Z] = {.name = "shift.z", .section = SPLINE},
    [ROTATE] = {.name = "rotate", .section = SPLINE},
    [Y_MIN] = {.name = "bound.y.min", .section = SPLINE},
    [Y_MAX] = {.name = "bound.y.max", .section = SPLINE},
    [Z_MIN] = {.name = "bound.z.min", .section = SPLINE},
    [Z_MAX] = {.name = "bound.z.max", .section = SPLINE},
    [MIRROR_Y] = {.name = "mirror.y", .section = SPLINE, .is_choice = true},
    [MIRROR_Z] = {.name = "mirror.z", .section = SPLINE, .is_choice = true},
    [INVERSION] = {.name = "inversion", .section = SPLINE, .is_choice = true},
    [LENGTHS] = {.name = "units.len.f", .section = SPLINE, .value = 1000, .is_positive = true},
    [ANGLES] = {.name = "units.ang.f", .section = SPLINE, .value = 1, .is_positive = true},
};

struct simpack {
  cmb_profile_file *f;
  bool inside[SECTIONS];
  bool has_sections;
  double value[KEYS];
  int line[KEYS]; /* 0: not given */
};

/* Returns the number of the section NAME for a line NAME.begin or NAME.end, and sets *begins; −1 for any other line, and SECTIONS for the
 * beginning or end of an unknown section. */
static int find_section(const cmb_profile_file *f, bool *begins)
{
  static const char *const words[] = {".end", ".begin"};
  for (int w = 0; w < 2; w++) {
    const size_t length = strlen(words[w]);
    if ((size_t)(f->line_end - f->line) <= length) continue;
    const char *dot = f->line_end - length;
    if (!cmb_profile_is_word(dot, f->line_end, words[w])) continue;
    *begins = w == 1;
    for (int i = 0; i < SECTIONS; i++) {
      if (cmb_profile_is_word(f->line, dot, section_names[i])) return i;
    }
    return SECTIONS;
  }
  return -1;
}

/* Begins or ends the section of the file that a keyword such as point.begin names. Returns an error if sections are nested or end without a
 * beginning. */
static cmb_status change_section(struct simpack *s, int section, bool begins)
{
  char room[CMB_SHOWN_ROOM];
  if (section == SECTIONS) {
    CMB_TRY(cmb_profile_check_line(s->f));
    return cmb_profile_fail(s->f, s->f->line,
                            "'%s' is no section that is known; expected header, "
                            "spline or point, with .begin or .end",
                            cmb_profile_shown(s->f->line, s->f->line_end, room));
  }
  if (s->inside[section] == begins) {
    return cmb_profile_fail(s->f, s->f->line, "the section %s %s; expected %s.%s first",
                            section_names[section],
                            begins ? "begins a second time" : "ends without a beginning",
                            section_names[section], begins ? "end" : "begin");
  }
  s->inside[section] = begins;
  s->has_sections = true;
  return CMB_OK;
}

static cmb_status read_key(struct simpack *s, const char *sign)
{
  cmb_profile_file *f = s->f;
  char room[CMB_SHOWN_ROOM];
  const char *key_end = sign, *value = sign + 1;
  double x;
  while (key_end > f->line && (key_end[-1] == ' ' || key_end[-1] == '\t')) key_end--;
  while (value < f->line_end && (*value == ' ' || *value == '\t')) value++;
  for (int k = 0; k < KEYS; k++) {
    if (!s->inside[keys[k].section] || !cmb_profile_is_word(f->line, key_end, keys[k].name))
      continue;
    CMB_TRY(cmb_profile_check_line(f));
    if (!cmb_profile_number(value, f->line_end, &x) || fabs(x) > 1e9 ||
        (keys[k].is_choice && x != 0 && x != 1) || (keys[k].is_positive && !(x >= 1e-9))) {
      return cmb_profile_fail(f, value, "%s is '%s'; expected %s", keys[k].name,
                              cmb_profile_shown(value, f->line_end, room),
                              keys[k].is_choice     ? "0 or 1"
                              : keys[k].is_positive ? "a number greater than 0"
                                                    : "a number");
    }
    s->value[k] = x;
    s->line[k] = f->number;
  }
  return CMB_OK;
}

static cmb_status read_line(struct simpack *s)
{
  cmb_profile_file *f = s->f;
  char room[CMB_SHOWN_ROOM];
  bool begins = false;
  const int section = find_section(f, &begins);
  if (section >= 0) return change_section(s, section, begins);
  const char *sign = memchr(f->line, '=', (size_t)(f->line_end - f->line));
  if (sign) return read_key(s, sign);
  if (s->inside[POINT] || !s->has_sections) return cmb_profile_row(f, ' ', 0, 1);
  CMB_TRY(cmb_profile_check_line(f));
  return cmb_profile_fail(f, f->line,
                          "'%s' is in no section of points; expected key = value, or point.begin "
                          "before it",
                          cmb_profile_shown(f->line, f->line_end, room));
}

/* Checks the keys of a file: the kind of the profile must be the one that is wanted, and bounds of z that would cut the profile are refused.
 * Warns that approx.smooth has no effect. */
static cmb_status check_keys(const struct simpack *s)
{
  const cmb_profile_file *f = s->f;
  static const char *const kinds[] = {"rail", "wheel"};
  const int own = f->kind == CMB_PROFILE_WHEEL;
  if (s->line[TYPE] && (int)s->value[TYPE] != own) {
    return cmb_fail_about(f->ctx, CMB_ERROR_INPUT, cmb_about_place(f->name, s->line[TYPE], 1),
                          "type is %d, a %s; expected %d, a %s", !own, kinds[!own], own,
                          kinds[own]);
  }
  if (s->value[Z_MIN] < s->value[Z_MAX]) {
    return cmb_fail_about(
        f->ctx, CMB_ERROR_INPUT,
        cmb_about_place(f->name, s->line[Z_MAX] ? s->line[Z_MAX] : s->line[Z_MIN], 1),
        "bound.z.min is less than bound.z.max, so that the profile would be cut "
        "off, which is not done; expected no bounds of z");
  }
  if (s->value[SMOOTH] != 0) {
    cmb_log(f->ctx, CMB_LOG_WARNING, "%s:%d: approx.smooth has no effect", f->name,
            s->line[SMOOTH]);
  }
  return CMB_OK;
}

/* Shifts, turns and mirrors the points as the file's keys demand, and converts them to mm. Leaves out points outside of the bounds of y, and
 * those closer together than the file permits. */
static void apply_keys(const struct simpack *s)
{
  cmb_profile_points *points = s->f->points;
  const double *v = s->value, angle = v[ROTATE] / v[ANGLES], unit = 1000 / v[LENGTHS];
  const bool bounded = v[Y_MIN] < v[Y_MAX];
  int n = 0;
  double last = NAN;
  for (int i = 0; i < points->n; i++) {
    const double y0 = points->y[i] + v[SHIFT_Y], z0 = points->z[i] + v[SHIFT_Z];
    const double y = cos(angle) * y0 - sin(angle) * z0, z = sin(angle) * y0 + cos(angle) * z0;
    if (v[DISTANCE] > 0 && i > 0 && !(fabs(points->y[i] - last) > v[DISTANCE])) continue;
    last = points->y[i];
    if (bounded && (y < v[Y_MIN] || y > v[Y_MAX])) continue;
    points->y[n] = (v[MIRROR_Y] != 0 ? -unit : unit) * y;
    points->z[n] = (v[MIRROR_Z] != 0 ? unit : -unit) * z; /* z is downwards in the file */
    points->line[n++] = points->line[i];
  }
  points->n = n; /* an inversion of the order is left to the orientation of the profile */
}

cmb_status cmb_profile_read_simpack(cmb_profile_file *f)
{
  struct simpack s = {.f = f};
  for (int k = 0; k < KEYS; k++) s.value[k] = keys[k].value;
  while (cmb_profile_line(f)) {
    cmb_profile_cut_line(f, "!%");
    if (f->line < f->line_end) CMB_TRY(read_line(&s));
  }
  for (int i = SECTIONS - 1; i >= 0; i--) {
    if (!s.inside[i]) continue;
    return cmb_profile_fail(f, NULL, "the file ends in the section %s; expected %s.end",
                            section_names[i], section_names[i]);
  }
  CMB_TRY(check_keys(&s));
  apply_keys(&s);
  return CMB_OK;
}
