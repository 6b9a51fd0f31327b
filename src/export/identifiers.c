/*
 * Identifiers (identifiers.h). What C does not permit becomes _; a name that is then taken gets a number.
 */
#include "export/identifiers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 64 };

/* C99 and C++, since headers are included there too. */
static const char *const reserved[] = {
    "auto",     "break",   "case",      "char",     "const",    "continue", "default",   "do",
    "double",   "else",    "enum",      "extern",   "float",    "for",      "goto",      "if",
    "inline",   "int",     "long",      "register", "restrict", "return",   "short",     "signed",
    "sizeof",   "static",  "struct",    "switch",   "typedef",  "union",    "unsigned",  "void",
    "volatile", "while",   "bool",      "catch",    "class",    "delete",   "explicit",  "false",
    "friend",   "mutable", "namespace", "new",      "operator", "private",  "protected", "public",
    "template", "this",    "throw",     "true",     "try",      "typename", "using",     "virtual",
};

static bool is_reserved(const char *text)
{
  for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
    if (strcmp(text, reserved[i]) == 0) return true;
  }
  return false;
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* A rate x' becomes x_rate. */
void cmb_identifier(const char *name, size_t room, char *text)
{
  size_t n = 0;
  if (!is_letter(name[0])) text[n++] = 'x';
  for (const char *c = name; *c && n + 8 < room; c++) {
    if (*c == '\'') {
      memcpy(text + n, "_rate", 5);
      n += 5;
    } else {
      text[n++] = is_letter(*c) || is_digit(*c) ? *c : '_';
    }
  }
  text[n] = '\0';
  if (is_reserved(text)) memcpy(text + n, "_", 2);
}

static bool is_taken(int count, const char *const *identifiers, const char *text)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(identifiers[i], text) == 0) return true;
  }
  return false;
}

const char *const *cmb_identifiers(cmb_arena *arena, int count, const char *const *names)
{
  const char **all = cmb_arena_take(arena, (size_t)count, sizeof *all);
  for (int i = 0; all && i < count; i++) {
    char text[ROOM + 16];
    cmb_identifier(names[i], ROOM, text);
    const size_t length = strlen(text);
    for (int k = 2; is_taken(i, all, text); k++) snprintf(text + length, 16, "_%d", k);
    all[i] = cmb_arena_text(arena, text);
    if (!all[i]) return NULL;
  }
  return all;
}
