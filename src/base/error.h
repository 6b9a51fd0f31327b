/*
 * Description of a failure for error messages: what it concerns (cmb_about, filled in where the failure occurs) and the record that stores
 * it with all its texts (cmb_error_record). A record contains fixed arrays and no pointers, so that it can be copied by assignment.
 */
#ifndef CMB_BASE_ERROR_H
#define CMB_BASE_ERROR_H

#include <camber/base.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>

/* What a failure concerns. Unknown parts are NULL, 0 or NaN. The functions below create one. */
typedef struct cmb_about {
  const char *file;
  /* names the part of the file instead of a line: the message begins with "FILE: KEY: " */
  const char *key;
  /* line > 0: the message begins with "FILE:LINE:COLUMN: ", or with "FILE: KEY: LINE:COLUMN: " */
  int line, column;
  const char *kind, *name;
  const char *subject; /* NULL: composed of kind and name */
  /* the message continues with "SUBJECT: "; otherwise the subject is mentioned by its text, if at all */
  bool subject_leads;
  const char *lead; /* then with this and ": ", such as "no consistent initial values at t = 0" */
  double time;
} cmb_about;

/* Returns a description of a failure that concerns the named thing, such as kind "joint" and name "J1"; either may be NULL. */
static inline cmb_about cmb_about_thing(const char *kind, const char *name)
{
  return (cmb_about){.kind = kind, .name = name, .time = NAN};
}

/* Returns a description of a failure that concerns the named thing at the simulation time t; kind and name may be NULL. */
static inline cmb_about cmb_about_time(double t, const char *kind, const char *name)
{
  return (cmb_about){.kind = kind, .name = name, .time = t};
}

/* Returns a description of a failure that concerns a file as a whole. */
static inline cmb_about cmb_about_file(const char *file)
{
  return (cmb_about){.file = file, .time = NAN};
}

/* Returns a description of a failure at a line and column of a file, or, if file is NULL, of the text of a formula. */
static inline cmb_about cmb_about_place(const char *file, int line, int column)
{
  return (cmb_about){.file = file, .line = line, .column = column, .time = NAN};
}

/* Returns `about` changed so that the message begins with the subject. */
static inline cmb_about cmb_about_leading(cmb_about about)
{
  about.subject_leads = true;
  return about;
}

enum {
  CMB_SENTENCE_ROOM = 1024,
  CMB_ERROR_FILE_ROOM = 4096,
  CMB_ERROR_NAME_ROOM = 320,
  CMB_ERROR_KEY_ROOM = 512,
  CMB_ERROR_KIND_ROOM = 40
};

/* A failure with all its texts; a text that is not known is "". */
typedef struct cmb_error_record {
  cmb_status status;
  int line, column;
  double time;
  char sentence[CMB_SENTENCE_ROOM];
  char text[CMB_SENTENCE_ROOM];
  char file[CMB_ERROR_FILE_ROOM];
  char key[CMB_ERROR_KEY_ROOM];
  char kind[CMB_ERROR_KIND_ROOM];
  char name[CMB_ERROR_NAME_ROOM];
  char subject[CMB_ERROR_NAME_ROOM + CMB_ERROR_KIND_ROOM + 2]; /* "KIND 'NAME'" unless given */
} cmb_error_record;

/* Makes the record empty, so that it describes no failure. */
void cmb_error_clear(cmb_error_record *record);

/* Fills the record with a failure and its printed message. The arguments must not point into the record. */
void cmb_error_write(cmb_error_record *record, cmb_status status, const cmb_about *about,
                     const char *format, va_list arguments) __attribute__((format(printf, 4, 0)));

/* Appends words to the message of the record. */
void cmb_error_add(cmb_error_record *record, const char *words);

/* Returns the public view of the record, whose texts point into the record. */
cmb_error cmb_error_view(const cmb_error_record *record);

#endif
