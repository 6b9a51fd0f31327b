/*
 * Runs other programs (process.h) with posix_spawn. The child gets no blocked signals and the default action for SIGCHLD and SIGPIPE, which
 * a host program often changes, so that it can be interrupted and can use pipes as usual.
 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

/* Prepares the standard files of a child process to be spawned: empty input, and output and errors to the file at path `output`, which is
 * created or overwritten. Returns 0 or an error number as in errno. */
static int set_files(posix_spawn_file_actions_t *files, const char *output)
{
  const int flags = O_WRONLY | O_CREAT | O_TRUNC;
  int error = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (!error) {
    error = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, output, flags, 0600);
  }
  if (!error) error = posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO);
  return error;
}

/* Prepares the signals of a child process to be spawned: none is blocked, and SIGCHLD and SIGPIPE have their default actions. Returns 0 or an
 * error number as in errno. */
static int set_signals(posix_spawnattr_t *attributes)
{
  sigset_t none, usual;
  sigemptyset(&none);
  sigemptyset(&usual);
  sigaddset(&usual, SIGCHLD);
  sigaddset(&usual, SIGPIPE);
  int error = posix_spawnattr_setsigmask(attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &usual);
  if (!error) {
    error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  return error;
}

int cmbt_process_start(char *const words[], char *const environment[], const char *output,
                       pid_t *process)
{
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&files);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = set_files(&files, output);
    if (!error) error = set_signals(&attributes);
    if (!error) error = posix_spawn(process, words[0], &files, &attributes, words, environment);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return error;
}

int cmbt_process_wait(pid_t process)
{
  int status = 0;
  while (waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return CMBT_EXIT_UNKNOWN;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
