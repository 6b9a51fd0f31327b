/*
 * Writes output files such that a file is either complete or absent; the only way in which Camber writes files for its user.
 *
 * The bytes of PATH are written to PATH.partial in the same folder. This file is always created, never opened: if the name is in use already
 * (left by a killed run, a file of somebody else, a link, a pipe), that file stays untouched, and PATH.2.partial, PATH.3.partial ... are
 * tried next. If a running process is writing one of these, two processes would write PATH, and opening fails. Finishing syncs the file and
 * renames it to PATH, which is atomic: a reader sees the old file or the new one and nothing between. If PATH is a link, the file that it
 * leads to is replaced.
 */
#ifndef CMB_BASE_OUTPUT_H
#define CMB_BASE_OUTPUT_H

#include <camber/base.h>

typedef struct cmb_output cmb_output;

/* Begins to write the file PATH. Fails with a message if PATH is a folder, a device or pipe, a link that leads nowhere or a file without
 * write permission, or if another run is writing it. */
cmb_status cmb_output_open(cmb_context *ctx, const char *path, cmb_output **output);

/* Appends bytes to the file, without buffering. After a failure all later calls that add, sync, adopt a draft or finish fail for the same
 * reason. */
cmb_status cmb_output_add(cmb_output *o, const void *bytes, size_t length);

/* Forces all bytes to the disk, so that a lack of disk space is reported here at the latest. */
cmb_status cmb_output_sync(cmb_output *o);

/* Syncs the file, renames it to PATH and frees o. On failure the partial file stays, and the message contains its path. */
cmb_status cmb_output_finish(cmb_output *o);

/* Marks the file as one that cannot be completed, for the reason in errno or that of an earlier failure. This call and cmb_output_finish fail
 * with that reason. */
cmb_status cmb_output_spoil(cmb_output *o);

/* Drafts serve file formats that cannot be appended to, because their beginning contains the amount of data: the file is written as a
 * whole from time to time. cmb_output_draft creates an empty file, the draft, beside the partial one and returns its path;
 * cmb_output_adopt replaces the partial file by the draft; cmb_output_drop removes the draft. So a killed process leaves a readable file.
 * A draft has to be adopted or dropped before the next is created. */
cmb_status cmb_output_draft(cmb_output *o, const char **path);
cmb_status cmb_output_adopt(cmb_output *o);
void cmb_output_drop(cmb_output *o);

/* Creates an open temporary file without a name on the same disk, for data from which drafts are made; no draft may be pending. On failure
 * returns -1 with a message, and the output cannot be completed. */
int cmb_output_scratch(cmb_output *o);

/* Removes the partial file and frees o, which may be NULL. */
void cmb_output_discard(cmb_output *o);

/* Checks whether PATH can be written, so that a long run does not fail at its end. */
cmb_status cmb_output_possible(cmb_context *ctx, const char *path);

#endif
