/*
 * Other programs that camber starts and waits for: converters of pictures, a browser.
 */
#ifndef CMB_CLI_OTHER_PROGRAM_H
#define CMB_CLI_OTHER_PROGRAM_H

enum { CLI_NOT_INSTALLED = 127 };

/* Starts the program words[0], found on the path, with these words, the last of which is NULL. Its input and output are open files, -1: nothing; what it
 * complains of is not seen. Its exit code; CLI_NOT_INSTALLED if it is not there; 1 if it ended otherwise. */
int cli_other_program(char *const words[], int input, int output);

#endif
