/*
 * Text helpers: UTF-8 characters, numbers to and from text independently of the locale, the most similar known name for a misspelt one,
 * fields of CSV files.
 */
#ifndef CMB_BASE_TEXT_H
#define CMB_BASE_TEXT_H

#include <camber/base.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  CMB_NUMBER_ROOM = 32,
  CMB_SHOWN_ROOM = 64,
  /* longest text that is read as a number: enough for all digits of any double */
  CMB_LONGEST_NUMBER = 1200
};

/* Returns the length in bytes of the UTF-8 character at text, of which `left` bytes remain; 0 if no valid character begins there. */
size_t cmb_character_length(const char *text, size_t left);

/* Returns whether c is an ASCII control character. */
bool cmb_is_control(char c);

/* Prints x with up to 17 significant digits ("%.17g" with '.' as the decimal point), from which the same double is read back if x is finite.
 * Returns the length. */
int cmb_format_number(double x, char text[CMB_NUMBER_ROOM]);

/* Prints x with up to 15, 16 or 17 significant digits, the fewest of these that give the same double when read back: "0.1", "1e-07", "-3".
 * Returns the length. */
int cmb_format_shortest(double x, char text[CMB_NUMBER_ROOM]);

/* A number printed by cmb_shortest, which returns it by value, so that `cmb_shortest(x).text` can be an argument of a message. */
typedef struct cmb_number_text {
  char text[CMB_NUMBER_ROOM];
} cmb_number_text;
cmb_number_text cmb_shortest(double x);

/* Reads the whole text as one finite number into x. Returns false if it contains anything else or more than CMB_LONGEST_NUMBER
 * characters. */
bool cmb_parse_number(const char *text, double *x);

/* Copies a text of the user's to `shown` for a message: long texts are cut, control characters become '?'. Returns `shown`. */
const char *cmb_shown(const char *text, char shown[CMB_SHOWN_ROOM]);

/* Returns the index of the text among `count` names, or -1. names[i] is read at (char *)names + i*stride, so that an array of structs
 * that begin with their name can be searched. */
int cmb_find_name(const char *text, const void *names, int count, size_t stride);

/* Returns the known name that is most similar to `text`, ignoring case, for "did you mean"; NULL if none is similar enough. */
const char *cmb_nearest_name(const char *text, const void *names, int count, size_t stride);

enum { CMB_HINT_ROOM = 400 };

/* Writes a hint for an unknown name: "did you mean 'NAME'?" if a similar name exists; otherwise "expected one of A, B and 3 more", with as
 * many names as fit a line ("expected one of 4 others" if none does, "expected A" if there is only one); "there is none" if count is 0.
 * Returns `hint`. */
const char *cmb_hint_of_names(const char *text, const void *names, int count, size_t stride,
                              char hint[CMB_HINT_ROOM]);

/* Writes a text as a field of a CSV file by calls of `put`, in quotes (quotes in it doubled) if it contains a comma, a quote or a line
 * end. Stops at the first status of `put` that is not CMB_OK and returns it. */
cmb_status cmb_csv_field(const char *text,
                         cmb_status (*put)(void *to, const char *piece, size_t length), void *to);

#endif
