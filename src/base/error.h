/*
 * What is known of a failure: gathered where it happens (cmb_about), kept with all its texts (cmb_error_record). A record has a fixed
 * room for each text and no pointers: it is copied by assignment.
 */
#ifndef CMB_BASE_ERROR_H
#define CMB_BASE_ERROR_H

#include <camber/base.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>

/* What a failure is about. What is not known is NULL, 0 or NaN; the functions below make one. */
typedef struct cmb_about {
  const char *file;
  const char *key; /* the place where there are no lines: the sentence begins with "FILE: KEY: " */
  int line,
      column; /* line > 0: it begins with "FILE:LINE:COLUMN: ", or "FILE: KEY: LINE:COLUMN: " */
  const char *kind, *name;
  const char *subject; /* NULL: made of kind and name */
  bool
      subject_leads; /* the sentence goes on with "SUBJECT: "; otherwise its words name the subject, if they do */
  const char *lead; /* and with this and ": ", as "no consistent initial values at t = 0" */
  double time;
} cmb_about;

/* Of a kind and a name, either of which may be NULL. */
static inline cmb_about cmb_about_thing(const char *kind, const char *name)
{
  return (cmb_about){.kind = kind, .name = name, .time = NAN};
}

/* The same at a time of the simulation. */
static inline cmb_about cmb_about_time(double t, const char *kind, const char *name)
{
  return (cmb_about){.kind = kind, .name = name, .time = t};
}

/* Of a file as a whole; of a place in it, or (file NULL) in the text of a formula. */
static inline cmb_about cmb_about_file(const char *file)
{
  return (cmb_about){.file = file, .time = NAN};
}

static inline cmb_about cmb_about_place(const char *file, int line, int column)
{
  return (cmb_about){.file = file, .line = line, .column = column, .time = NAN};
}

/* The same, and the sentence begins with the subject. */
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
  char subject[CMB_ERROR_NAME_ROOM + CMB_ERROR_KIND_ROOM + 2]; /* "KIND 'NAME'" */
} cmb_error_record;

/* No failure. */
void cmb_error_clear(cmb_error_record *record);

/* A failure; what the arguments point to may not lie in the record. */
void cmb_error_write(cmb_error_record *record, cmb_status status, const cmb_about *about,
                     const char *format, va_list arguments) __attribute__((format(printf, 4, 0)));

/* More words behind those that the failure has. */
void cmb_error_add(cmb_error_record *record, const char *words);

/* The record as users see it; it points into the record. */
cmb_error cmb_error_view(const cmb_error_record *record);

#endif
