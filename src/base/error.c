/*
 * The record of a failure (error.h). Its sentence is made here and nowhere else:
 *
 *     [FILE:]LINE:COLUMN: SUBJECT: LEAD: text
 *     FILE: KEY: [LINE:COLUMN: ]SUBJECT: LEAD: text
 *
 * each part where it is known and asked for. Texts that are too long for their room are cut.
 */
#include "base/error.h"

#include <stdio.h>
#include <string.h>

/* As much of the text as there is room for behind what is there. */
static void add(char *to, size_t room, const char *text)
{
  const size_t used = strlen(to), free = room - 1 - used, length = strlen(text);
  const size_t count = length < free ? length : free;
  memcpy(to + used, text, count);
  to[used + count] = '\0';
}

static void keep(char *to, size_t room, const char *text)
{
  to[0] = '\0';
  if (text) add(to, room, text);
}

void cmb_error_clear(cmb_error_record *record)
{
  memset(record, 0, sizeof *record);
  record->time = NAN;
}

/* A kind without a name is nothing in particular. */
static void keep_subject(cmb_error_record *r, const cmb_about *about)
{
  const bool named = about->kind && about->name && about->name[0];
  if (named) {
    keep(r->kind, sizeof r->kind, about->kind);
    keep(r->name, sizeof r->name, about->name);
  }
  if (about->subject)
    keep(r->subject, sizeof r->subject, about->subject);
  else if (named)
    snprintf(r->subject, sizeof r->subject, "%s '%s'", r->kind, r->name);
}

/* A part of the sentence and a colon. */
static void begin_with(cmb_error_record *r, const char *part, const char *colon)
{
  if (!part || !part[0]) return;
  add(r->sentence, sizeof r->sentence, part);
  add(r->sentence, sizeof r->sentence, colon);
}

static void write_sentence(cmb_error_record *r, const cmb_about *about)
{
  char place[32];
  if (r->line > 0 || about->key) begin_with(r, r->file, about->key ? ": " : ":");
  begin_with(r, r->key, ": ");
  if (r->line > 0) {
    snprintf(place, sizeof place, "%d:%d", r->line, r->column);
    begin_with(r, place, ": ");
  }
  if (about->subject_leads) begin_with(r, r->subject, ": ");
  begin_with(r, about->lead, ": ");
  add(r->sentence, sizeof r->sentence, r->text);
}

void cmb_error_write(cmb_error_record *record, cmb_status status, const cmb_about *about,
                     const char *format, va_list arguments)
{
  cmb_error_clear(record);
  record->status = status;
  record->line = about->line;
  record->column = about->column;
  record->time = about->time;
  keep(record->file, sizeof record->file, about->file);
  keep(record->key, sizeof record->key, about->key);
  keep_subject(record, about);
  vsnprintf(record->text, sizeof record->text, format, arguments);
  write_sentence(record, about);
}

void cmb_error_add(cmb_error_record *record, const char *words)
{
  add(record->text, sizeof record->text, words);
  add(record->sentence, sizeof record->sentence, words);
}

static const char *known(const char *text)
{
  return text[0] ? text : NULL;
}

cmb_error cmb_error_view(const cmb_error_record *record)
{
  return (cmb_error){.status = record->status,
                     .file = known(record->file),
                     .key = known(record->key),
                     .line = record->line,
                     .column = record->column,
                     .kind = known(record->kind),
                     .name = known(record->name),
                     .subject = known(record->subject),
                     .time = record->time,
                     .text = known(record->text)};
}
