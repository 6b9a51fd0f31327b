/*
 * Runs another program and waits for its end; used for Chromium, ffmpeg and rsvg-convert, which make pictures and videos.
 */
#ifndef CMB_CLI_OTHER_PROGRAM_H
#define CMB_CLI_OTHER_PROGRAM_H

enum { CLI_NOT_INSTALLED = 127 };

/* Runs the program words[0], which is searched in PATH, with the arguments words[] (ended by NULL), and waits for its end. `input` and
 * `output` are open file descriptors for its standard input and output, or −1 for /dev/null; its error output is discarded. Returns its
 * exit code, CLI_NOT_INSTALLED if it cannot be executed, or 1 if it was killed, the user interrupted it or no process could be created. */
int cli_other_program(char *const words[], int input, int output);

#endif
