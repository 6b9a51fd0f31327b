/*
 * Reading of the files of profiles: what the readers of the formats share, and the checks of the points. docs/rail.md describes the formats;
 * read_csv.c, read_miniprof.c and read_simpack.c read them. profile.c calls cmb_profile_read and the functions of shape.c.
 */
#ifndef CMB_RAIL_READ_H
#define CMB_RAIL_READ_H

#include "base/text.h"
#include "rail/profile.h"

/* The text of a file that is read line by line, and the points found so far. */
typedef struct cmb_profile_file {
  cmb_context *ctx;
  const char *name;            /* for messages */
  cmb_profile_kind kind;       /* that the caller expects */
  const char *next, *end;      /* the part of the text that has not been read */
  const char *begin;           /* of the current line */
  const char *line, *line_end; /* of its text without leading and trailing blanks */
  int number;                  /* of the current line, from 1 */
  cmb_profile_points *points;  /* with room for as many points as the text has lines */
} cmb_profile_file;

/* Advances to the next line that is not empty; returns false at the end of the file. cmb_profile_any_line does not skip empty lines. */
bool cmb_profile_line(cmb_profile_file *f);
bool cmb_profile_any_line(cmb_profile_file *f);

/* Moves the reading back to the beginning of the current line, which cmb_profile_line then returns again. */
void cmb_profile_same_line(cmb_profile_file *f);

/* Moves the end of the current line to the first of these characters in it, and removes the blanks before it. */
void cmb_profile_cut_line(cmb_profile_file *f, const char *characters);

/* Checks that the current line is text (cmb_check_text). */
cmb_status cmb_profile_check_line(const cmb_profile_file *f);

/* Returns CMB_ERROR_INPUT with the printed message at a character of the current line; line 1 if no line has been read. */
cmb_status cmb_profile_fail(const cmb_profile_file *f, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Copies a part of a line to `room` for a message and returns `room`. */
const char *cmb_profile_shown(const char *from, const char *to, char room[CMB_SHOWN_ROOM]);

/* Returns whether the text between two pointers is a word, in upper or lower case. */
bool cmb_profile_is_word(const char *from, const char *to, const char *word);

/* Parses the text between two pointers as a finite number. */
bool cmb_profile_number(const char *from, const char *to, double *x);

/* Returns whether a line begins like a number, so that it is data: with a digit, sign or point, or as nan or inf. */
bool cmb_profile_begins_number(const cmb_profile_file *f);

/* Reads columns number column_y and column_z (from 0) of the current line as a point. Columns are separated by `separator`, or, if that is
 * a blank, by blanks, tabs and commas. */
cmb_status cmb_profile_row(cmb_profile_file *f, char separator, int column_y, int column_z);

/* The readers of the formats. */
cmb_status cmb_profile_read_csv(cmb_profile_file *f);
cmb_status cmb_profile_read_miniprof(cmb_profile_file *f);
cmb_status cmb_profile_read_simpack(cmb_profile_file *f);

/* Reads the points of a file from its text, in its own axes, in mm, with z upwards if the format defines it. The points are allocated on
 * the arena. The ending of `name` decides on the format. */
cmb_status cmb_profile_read(cmb_context *ctx, const char *name, cmb_profile_kind kind,
                            const char *text, size_t length, cmb_arena *arena,
                            cmb_profile_points *points);

/* ---- shape.c */

/* Checks what does not depend on the axes: that there are enough points, and that their extent is that of a profile. Leaves out points that
 * are very near to the one before. */
cmb_status cmb_profile_clean(cmb_context *ctx, const char *name, cmb_profile_points *points);

/* Turns points round that run from the field side to the flange or gauge side. */
void cmb_profile_turn_round(cmb_profile_points *points);

/* Changes the points of a file to the axes of cmb_profile_kind, by the shape of the profile (shape.c). `mirror`: y is positive to the
 * gauge side of a rail. */
void cmb_profile_orient(cmb_profile_kind kind, bool mirror, cmb_profile_points *points);

/* Checks that the profile does not double back. Leaves out points that step back by little, as where measurements are joined. */
cmb_status cmb_profile_unfold(cmb_context *ctx, const char *name, cmb_profile_points *points);

#endif
