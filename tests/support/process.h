/*
 * Runs other programs without a shell and waits for them, such as the C compiler.
 */
#ifndef CMBT_PROCESS_H
#define CMBT_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

/* the exit status is lost, because it was collected elsewhere in this process */
enum { CMBT_EXIT_UNKNOWN = -1 };

/* Starts the program at path words[0] with the given arguments and environment, both arrays ending with NULL. Its standard input is
 * empty, its output and errors go to the file `output`. Returns 0 and stores the number of the process in *process, or returns an error
 * number as in errno. */
int cmbt_process_start(char *const words[], char *const environment[], const char *output,
                       pid_t *process);

/* Waits until the process has ended. Returns its exit code, 128 + the number of the signal that ended it, or CMBT_EXIT_UNKNOWN. */
int cmbt_process_wait(pid_t process);

#endif
