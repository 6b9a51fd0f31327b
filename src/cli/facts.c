/*
 * Tables of the names that result files use, and texts that describe events (facts.h).
 */
#include "cli/facts.h"

#include "base/text.h"

#include <stdio.h>
#include <string.h>

const char *const cli_text_names[CLI_TEXT_COUNT] = {
#define CLI_FACT_NAME(name) #name,
    CLI_TEXTS_LIST(CLI_FACT_NAME)};

const char *const cli_number_names[CLI_NUMBER_COUNT] = {CLI_NUMBERS_LIST(CLI_FACT_NAME)
#undef CLI_FACT_NAME
};

const char *const cli_norm_names[2] = {
    "|g|", "|Gv|"}; /* the same as in the CSV files of cmb_csv_open_residuals */
const char *const cli_norm_units[2] = {"m, rad", "m/s, rad/s"};

enum cli_format cli_format_of(const char *path, size_t length)
{
  static const char *const endings[CLI_FORMAT_NONE] = {
      [CLI_FORMAT_CSV] = ".csv", [CLI_FORMAT_HDF5] = ".h5", [CLI_FORMAT_MAT] = ".mat"};
  for (int k = 0; k < CLI_FORMAT_NONE; k++) {
    const size_t tail = strlen(endings[k]);
    if (length > tail && strncmp(path + length - tail, endings[k], tail) == 0) {
      return (enum cli_format)k;
    }
  }
  return CLI_FORMAT_NONE;
}

static const char *const kinds[] = {
    [CMB_KIND_SWITCH] = "switch",   [CMB_KIND_CONTACT] = "contact",
    [CMB_KIND_FORMULA] = "formula", [CMB_KIND_CONDITION] = "condition",
    [CMB_KIND_IMPACT] = "impact",   [CMB_KIND_REST] = "rest"};

const char *cli_event_kind_name(cmb_event_kind kind)
{
  return kinds[kind];
}

cmb_event_kind cli_event_kind_of(const char *name)
{
  const int k = cmb_find_name(name, kinds, sizeof kinds / sizeof kinds[0], sizeof kinds[0]);
  return k < 0 ? CMB_KIND_SWITCH : (cmb_event_kind)k;
}

/* Returns the length of an event's name without the suffix, such as ".contact" or ".rest" (names that the library makes); the full length if
 * the name does not end in it. */
static int length_without_suffix(const char *name, const char *suffix)
{
  const size_t length = strlen(name), added = strlen(suffix);
  const bool ends = length > added && strcmp(name + length - added, suffix) == 0;
  return (int)(ends ? length - added : length);
}

const char *cli_moved_text(double by, const char *const *units, int most, char text[CLI_MOVED_ROOM])
{
  const char *unit = units && units[most] ? units[most] : "";
  snprintf(text, CLI_MOVED_ROOM, "%.4g%s%.40s", by, unit[0] ? " " : "", unit);
  return text;
}

const char *cli_event_text(const char *name, cmb_event_kind kind, int direction,
                           char text[CLI_EVENT_ROOM])
{
  const bool up = direction > 0;
  if (kind == CMB_KIND_CONTACT) {
    snprintf(text, CLI_EVENT_ROOM, "%.*s %s", length_without_suffix(name, ".contact"), name,
             up ? "touches" : "lifts off");
  } else if (kind == CMB_KIND_REST) {
    snprintf(text, CLI_EVENT_ROOM, "%.*s %s", length_without_suffix(name, ".rest"), name,
             up ? "comes to rest" : "leaves");
  } else if (kind == CMB_KIND_IMPACT) {
    snprintf(text, CLI_EVENT_ROOM, "%s hits", name);
  } else {
    snprintf(text, CLI_EVENT_ROOM, "%s, %s", name, up ? "rising" : "falling");
  }
  return text;
}
