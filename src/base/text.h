/*
 * Text helpers: characters in UTF-8, numbers to and from text independently of the locale, the nearest known name for a
 * misspelt one, fields of CSV files.
 */
#ifndef CMB_BASE_TEXT_H
#define CMB_BASE_TEXT_H

#include <camber/base.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  CMB_NUMBER_ROOM = 32,
  CMB_LONGEST_NUMBER = 1200 /* characters that are read: all digits of any double, and more */
};

/* Length of the character in UTF-8 at text, of which `left` bytes remain; 0 if none begins there. */
size_t cmb_character_length(const char *text, size_t left);

/* Whether it is a control character of ASCII, of which nothing is seen. */
bool cmb_is_control(char c);

/* x with 17 significant digits ("%.17g", always with a decimal point), which reads back to the same
 * double. Returns the length. */
int cmb_format_number(double x, char text[CMB_NUMBER_ROOM]);

/* x with as few digits as read back to the same double: "0.1", "1e-07", "-3". Returns the length. */
int cmb_format_shortest(double x, char text[CMB_NUMBER_ROOM]);

/* The whole text as one finite number. False if anything else stands there, or more than CMB_LONGEST_NUMBER characters. */
bool cmb_parse_number(const char *text, double *x);

/* The text as one of `count` names: its index, or -1. names[i] is read at (char *)names + i*stride, so
 * that a table of structs that begin with their name can be searched. */
int cmb_find_name(const char *text, const void *names, int count, size_t stride);

/* The known name nearest to `text`, for "did you mean", large and small letters being the same; NULL if none is near. */
const char *cmb_nearest_name(const char *text, const void *names, int count, size_t stride);

enum { CMB_HINT_ROOM = 400 };

/* What may be meant by an unknown name: "did you mean 'NAME'?"; if none is near, "expected one of A, B and 3 more", with as many as a line
 * holds; "there is none". Returns `hint`. */
const char *cmb_hint_of_names(const char *text, const void *names, int count, size_t stride,
                              char hint[CMB_HINT_ROOM]);

/* A text as a field of a CSV file, by pieces: in quotes if it has a comma, a quote or a line end. Ends with the first status that is not
 * CMB_OK. */
cmb_status cmb_csv_field(const char *text,
                         cmb_status (*put)(void *to, const char *piece, size_t length), void *to);

#endif
