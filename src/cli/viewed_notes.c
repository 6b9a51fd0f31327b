/*
 * Collects the warnings that occur while results are read (viewed.h). Results of one model have the same warnings: each is printed once,
 * with the files that it is about, while the page shows for each result its warnings.
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

/* Returns whether a warning of `size` bytes is stored for a result. */
static bool has_line(const struct cli_viewed *v, const char *wanted, size_t size)
{
  const char *rest = v->notes ? v->notes : "", *line;
  size_t length;
  while (cli_viewed_line(&rest, &line, &length)) {
    if (length == size && memcmp(line, wanted, size) == 0) return true;
  }
  return false;
}

void cli_viewed_note(void *user, cmb_log_level level, const char *message)
{
  struct cli_viewed *v = user;
  const size_t used = v->notes ? strlen(v->notes) : 0, size = strlen(message);
  if (level < CMB_LOG_WARNING || has_line(v, message, size)) return;
  char *grown = realloc(v->notes, used + size + 2);
  if (!grown) {
    v->notes_lost = true;
    return;
  }
  v->notes = grown;
  snprintf(grown + used, size + 2, "%s\n", message);
}

/* Prints a warning of result `first` with all files that have it, e.g. "a.csv, b.csv: ..."; without a file name if there is only one
 * result. Returns false if there is no memory. */
static bool print_note(int count, const struct cli_viewed *all, int first, const char *line,
                       size_t length)
{
  char *text = NULL;
  size_t size = 0;
  FILE *to = open_memstream(&text, &size);
  if (!to) return false;
  for (int i = first; i < count && count > 1; i++) {
    if (!has_line(&all[i], line, length)) continue;
    fprintf(to, "%s%s", i > first ? ", " : "", all[i].result.path);
  }
  fprintf(to, "%s%.*s", count > 1 ? ": " : "", (int)length, line);
  const bool written = fclose(to) == 0;
  if (written) cli_warn(NULL, CMB_LOG_WARNING, text);
  free(text);
  return written;
}

bool cli_viewed_say_notes(int count, const struct cli_viewed *all)
{
  bool said = true;
  for (int i = 0; i < count; i++) {
    const char *rest = all[i].notes ? all[i].notes : "", *line;
    size_t length;
    while (cli_viewed_line(&rest, &line, &length)) {
      bool before = false;
      for (int k = 0; k < i && !before; k++) before = has_line(&all[k], line, length);
      if (!before) said &= print_note(count, all, i, line, length);
    }
    said &= !all[i].notes_lost;
  }
  return said;
}
