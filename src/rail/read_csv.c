/*
 * Reads a profile as two columns of numbers, y and z in mm (read.h). The columns are separated by semicolons, else by commas, else by tabs or
 * blanks, whichever the first line has. A first line of words is skipped, as are empty lines, lines that begin with #, and further columns.
 */
#include "rail/read.h"

#include <string.h>

static char choose_separator(const cmb_profile_file *f)
{
  const size_t length = (size_t)(f->line_end - f->line);
  if (memchr(f->line, ';', length)) return ';';
  return memchr(f->line, ',', length) ? ',' : ' ';
}

cmb_status cmb_profile_read_csv(cmb_profile_file *f)
{
  char separator = '\0';
  while (cmb_profile_line(f)) {
    cmb_profile_cut_line(f, "#");
    if (f->line == f->line_end) continue;
    if (!separator) {
      separator = choose_separator(f);
      if (!cmb_profile_begins_number(f)) continue; /* the names of the columns */
    }
    CMB_TRY(cmb_profile_row(f, separator, 0, 1));
  }
  return CMB_OK;
}
