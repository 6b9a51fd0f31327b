/*
 * Stores and prints the constraint impulses of a run (impulses.h).
 */
#include "cli/impulses.h"

#include <stdlib.h>

cmb_status cli_impulses_add(struct cli_impulses *list, const cmb_impulse *impulse)
{
  if (list->count >= CLI_MOST_KEPT) {
    list->count++;
    return CMB_OK;
  }
  if (list->count == list->room) {
    long room = list->room ? 2 * list->room : 32;
    cmb_impulse *grown = realloc(list->all, (size_t)room * sizeof *grown);
    if (!grown) return CMB_ERROR_MEMORY;
    list->all = grown;
    list->room = room;
  }
  list->all[list->count++] = *impulse;
  return CMB_OK;
}

void cli_impulses_end(struct cli_impulses *list)
{
  free(list->all);
}

void cli_impulses_print(const struct cli_impulses *list)
{
  enum { SHOWN = 20 };
  for (long i = 0; i < list->count && i < SHOWN; i++) {
    const cmb_impulse *p = &list->all[i];
    printf("  %-12s t = %-18.12g %s, %.9g%s%s%s\n", i ? "" : "impulses", p->t, p->name, p->value,
           p->unit[0] ? " " : "", p->unit, p->unique ? "" : " (not unique)");
  }
  if (list->count > SHOWN) {
    printf("               and %ld more; --json lists %s\n", list->count - SHOWN,
           list->count > CLI_MOST_KEPT ? "the first 10,000" : "all");
  }
}

void cli_impulses_json(const struct cli_impulses *list, struct cli_json *j)
{
  cli_json_open(j, "impulses", '[');
  for (long i = 0; i < list->count && i < CLI_MOST_KEPT; i++) {
    const cmb_impulse *p = &list->all[i];
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", p->name);
    cli_json_number(j, "t", p->t);
    cli_json_number(j, "value", p->value);
    cli_json_text(j, "unit", p->unit);
    if (!p->unique) cli_json_bool(j, "unique", false);
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
  if (list->count > CLI_MOST_KEPT) cli_json_integer(j, "impulse_count", list->count);
}
