/*
 * The record of a failure (error.h). Its full message, the `sentence`, is composed here and nowhere else:
 *
 *     [FILE:]LINE:COLUMN: SUBJECT: LEAD: text
 *     FILE: KEY: [LINE:COLUMN: ]SUBJECT: LEAD: text
 *
 * Each part appears only if it is known and requested. Texts that are too long for their arrays are cut.
 */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* Appends `text` to the string `to`, whose array has `room` bytes. Cuts what does not fit; the result ends with a 0. */
static void append(char *to, size_t room, const char *text)
{
  const size_t used = strlen(to), free = room - 1 - used, length = strlen(text);
  const size_t count = length < free ? length : free;
  memcpy(to + used, text, count);
  to[used + count] = '\0';
}

/* Copies `text`, or "" if it is NULL, to the string `to`, whose array has `room` bytes. Cuts what does not fit; the result ends with a 0. */
static void copy_text(char *to, size_t room, const char *text)
{
  to[0] = '\0';
  if (text) append(to, room, text);
}

void cmb_error_clear(cmb_error_record *record)
{
  memset(record, 0, sizeof *record);
  record->time = NAN;
}

/* Stores in an error record what the error concerns: kind and name, such as "joint" and "J1", if both are known, and the subject, which is
 * "KIND 'NAME'" unless given. */
static void keep_subject(cmb_error_record *r, const cmb_about *about)
{
  const bool named = about->kind && about->name && about->name[0];
  if (named) {
    copy_text(r->kind, sizeof r->kind, about->kind);
    copy_text(r->name, sizeof r->name, about->name);
  }
  if (about->subject)
    copy_text(r->subject, sizeof r->subject, about->subject);
  else if (named)
    snprintf(r->subject, sizeof r->subject, "%s '%s'", r->kind, r->name);
}

/* Appends `part` and then `colon` (a separator such as ": ") to the message of an error record. Does nothing if `part` is NULL or empty. */
static void append_part(cmb_error_record *r, const char *part, const char *colon)
{
  if (!part || !part[0]) return;
  append(r->sentence, sizeof r->sentence, part);
  append(r->sentence, sizeof r->sentence, colon);
}

static void write_sentence(cmb_error_record *r, const cmb_about *about)
{
  char place[32];
  if (r->line > 0 || about->key) append_part(r, r->file, about->key ? ": " : ":");
  append_part(r, r->key, ": ");
  if (r->line > 0) {
    snprintf(place, sizeof place, "%d:%d", r->line, r->column);
    append_part(r, place, ": ");
  }
  if (about->subject_leads) append_part(r, r->subject, ": ");
  append_part(r, about->lead, ": ");
  append(r->sentence, sizeof r->sentence, r->text);
}

void cmb_error_write(cmb_error_record *record, cmb_status status, const cmb_about *about,
                     const char *format, va_list arguments)
{
  cmb_error_clear(record);
  record->status = status;
  record->line = about->line;
  record->column = about->column;
  record->time = about->time;
  copy_text(record->file, sizeof record->file, about->file);
  copy_text(record->key, sizeof record->key, about->key);
  keep_subject(record, about);
  vsnprintf(record->text, sizeof record->text, format, arguments);
  write_sentence(record, about);
}

void cmb_error_add(cmb_error_record *record, const char *words)
{
  append(record->text, sizeof record->text, words);
  append(record->sentence, sizeof record->sentence, words);
}

/* Returns `text`, or NULL if it is an empty string. */
static const char *null_if_empty(const char *text)
{
  return text[0] ? text : NULL;
}

cmb_error cmb_error_view(const cmb_error_record *record)
{
  return (cmb_error){.status = record->status,
                     .file = null_if_empty(record->file),
                     .key = null_if_empty(record->key),
                     .line = record->line,
                     .column = record->column,
                     .kind = null_if_empty(record->kind),
                     .name = null_if_empty(record->name),
                     .subject = null_if_empty(record->subject),
                     .time = record->time,
                     .text = null_if_empty(record->text)};
}
