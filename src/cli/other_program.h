/*
 * Starts another program and waits for its end; used for Chromium, ffmpeg and rsvg-convert, which make pictures.
 */
#ifndef CMB_CLI_OTHER_PROGRAM_H
#define CMB_CLI_OTHER_PROGRAM_H

enum { CLI_NOT_INSTALLED = 127 };

/* Starts the program words[0], which is searched in PATH, with the arguments `words` (ended by NULL), and waits for its end. `input` and
 * `output` are open file descriptors for its standard input and output, or -1 for /dev/null; its error messages are discarded. Returns
 * its exit code, CLI_NOT_INSTALLED if there is no such program, or 1 if it was killed or could not be started. */
int cli_other_program(char *const words[], int input, int output);

#endif
