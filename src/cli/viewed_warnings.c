/*
 * Collects the warnings that occur while result files are read for `camber view` (viewed.h). Files of one model have the same warnings: each is
 * printed once, with the names of all files that have it, while the page shows the warnings of each file.
 */
#include "cli/viewed.h"

#include <stdlib.h>
#include <string.h>

bool cli_viewed_line(const char **rest, const char **line, size_t *length)
{
  *line = *rest;
  *length = strcspn(*rest, "\n");
  *rest += *length + ((*rest)[*length] == '\n');
  return *rest != *line;
}

/* Returns whether the text wanted[size] is one of the warnings stored for a result file. */
static bool has_warning(const struct cli_viewed *v, const char *wanted, size_t size)
{
  const char *rest = v->warnings ? v->warnings : "", *line;
  size_t length;
  while (cli_viewed_line(&rest, &line, &length)) {
    if (length == size && memcmp(line, wanted, size) == 0) return true;
  }
  return false;
}

void cli_viewed_add_warning(void *user, cmb_log_level level, const char *message)
{
  struct cli_viewed *v = user;
  const size_t used = v->warnings ? strlen(v->warnings) : 0, size = strlen(message);
  if (level < CMB_LOG_WARNING || has_warning(v, message, size)) return;
  char *grown = realloc(v->warnings, used + size + 2);
  if (!grown) {
    v->warnings_lost = true;
    return;
  }
  v->warnings = grown;
  snprintf(grown + used, size + 2, "%s\n", message);
}

/* Prints a warning, line[length], of result file number `first` among all[count]. If there are several files, the names of this and all later
 * files with the same warning precede it, e.g. "a.csv, b.csv: ...". Returns false if memory runs out. */
static bool print_warning(int count, const struct cli_viewed *all, int first, const char *line,
                          size_t length)
{
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (!to) return false;
  for (int i = first; i < count && count > 1; i++) {
    if (!has_warning(&all[i], line, length)) continue;
    fprintf(to, "%s%s", i > first ? ", " : "", all[i].result.path);
  }
  fprintf(to, "%s%.*s", count > 1 ? ": " : "", (int)length, line);
  const bool written = fclose(to) == 0;
  if (written) cli_warn(NULL, CMB_LOG_WARNING, text);
  free(text);
  return written;
}

bool cli_viewed_print_warnings(int count, const struct cli_viewed *all)
{
  bool said = true;
  for (int i = 0; i < count; i++) {
    const char *rest = all[i].warnings ? all[i].warnings : "", *line;
    size_t length;
    while (cli_viewed_line(&rest, &line, &length)) {
      bool before = false;
      for (int k = 0; k < i && !before; k++) before = has_warning(&all[k], line, length);
      if (!before) said &= print_warning(count, all, i, line, length);
    }
    said &= !all[i].warnings_lost;
  }
  return said;
}
