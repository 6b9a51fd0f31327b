/*
 * A file on its way: the one way in which Camber writes files for its user.
 *
 * The bytes of PATH go to a file of its own beside it, PATH.partial, which is created here and now and never opened if it is
 * there already: what lies there under that name (what a killed run left, a stranger's file, a link, a pipe) is left alone, and
 * PATH.2.partial, PATH.3.partial ... are tried next. A partial file that a living process is writing means that two would
 * write PATH; the second is refused. Finishing syncs the file and renames it to PATH, which is atomic: a reader
 * sees the old file or the new one and nothing between. If PATH is a link, the file that it leads to is replaced.
 */
#ifndef CMB_BASE_OUTPUT_H
#define CMB_BASE_OUTPUT_H

#include <camber/base.h>

typedef struct cmb_output cmb_output;

/* Refused, in words: a folder, a device or pipe, a link that leads nowhere, a file that must not be written, a file that another
 * run is writing. */
cmb_status cmb_output_open(cmb_context *ctx, const char *path, cmb_output **output);

/* The bytes, written at once. A failure stays: whatever follows fails with the same words. */
cmb_status cmb_output_add(cmb_output *o, const void *bytes, size_t length);

/* All bytes are on the disk: what can fail for want of room has failed. */
cmb_status cmb_output_sync(cmb_output *o);

/* Syncs and puts the file in place. On failure the partial file stays, and the words say where it is. Releases o. */
cmb_status cmb_output_finish(cmb_output *o);

/* The file cannot be completed, for the reason in errno: finishing will fail with these words, as this call does. */
cmb_status cmb_output_spoil(cmb_output *o);

/* A file that cannot grow line by line, because what it begins with says how much follows, is written anew from time to time: a draft,
 * an empty file beside the partial one, whose path is handed out, and which takes the place of the partial file as a whole.
 * So whoever is killed leaves a file that can be read. A draft is adopted or dropped before the next one is made. */
cmb_status cmb_output_draft(cmb_output *o, const char **path);
cmb_status cmb_output_adopt(cmb_output *o);
void cmb_output_drop(cmb_output *o);

/* An open file without a name on the same disk, to keep what drafts are made of; -1 and words on failure. */
int cmb_output_scratch(cmb_output *o);

/* Removes what was written. o may be NULL. */
void cmb_output_discard(cmb_output *o);

/* Whether PATH can be written: to be known before a long run. */
cmb_status cmb_output_possible(cmb_context *ctx, const char *path);

#endif
