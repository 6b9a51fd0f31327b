/*
 * Other programs: started without a shell, waited for.
 */
#ifndef CMB_BASE_PROCESS_H
#define CMB_BASE_PROCESS_H

#include <stdbool.h>
#include <sys/types.h>

enum { CMB_EXIT_UNKNOWN = -1 }; /* the program's end was noticed elsewhere in this process */

/* Start the program at path words[0] with an environment of its own, both ending with NULL. Its input is empty, what it
 * prints goes to the file at `output`. 0 and its number, or an errno. */
int cmb_process_start(char *const words[], char *const environment[], const char *output,
                      pid_t *process);

/* Wait until it has ended: its exit code, 128 + the signal that ended it, or CMB_EXIT_UNKNOWN. */
int cmb_process_wait(pid_t process);

#endif
