/*
 * The command `camber bench`: replaces this process by the program camber-bench, which is beside this program or in PATH, so that its
 * output and exit code are those of the command. It is a separate program so that this one does not depend on the solvers with which the
 * benchmarks compare Camber. Also lists the benchmarks.
 */
#include "cli/benches.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name, *title;
} benches[] = {
#define BENCH_ROW(name, title, model, parameter, value, takes_rtol, plots, function) {name, title},
    CLI_BENCH_LIST(BENCH_ROW)
#undef BENCH_ROW
};

void cli_complete_benches(void)
{
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
    printf("%s%s", i ? " " : "", benches[i].name);
  }
}

void cli_list_benches(void)
{
  for (size_t i = 0; i < sizeof benches / sizeof *benches; i++) {
    printf("%-19s %s\n", benches[i].name, benches[i].title);
  }
}

/* Replaces this process by the program words[0] with the arguments `words` (terminated by NULL). It is looked for beside this program, then
 * in PATH. Returns only if it cannot be started, with the error number; that is ENOENT if it is in neither place. */
static int start(char *const words[])
{
  char folder[CLI_PATH_ROOM], path[CLI_PATH_ROOM + 32];
  if (cli_program_folder(folder)) {
    snprintf(path, sizeof path, "%s/%s", folder, words[0]);
    execv(path, words);
    if (errno != ENOENT) return errno;
  }
  execvp(words[0], words);
  return errno;
}

int cli_bench(cmb_context *ctx, const struct cli_arguments *a)
{
  static char program[] = "camber-bench";
  (void)ctx;
  char **words = calloc((size_t)a->word_count + 2, sizeof(void *));
  if (!words) return cli_fail(NULL, CMB_ERROR_MEMORY);
  words[0] = program;
  for (int i = 0; i < a->word_count; i++) words[i + 1] = a->words[i];
  const int error = start(words);
  free(words);
  if (error != ENOENT) {
    return cli_complain("cannot start '%s', the program of the benchmarks: %s", program,
                        strerror(error));
  }
  return cli_complain("the benchmarks are in another program, %s, which is neither beside camber "
                      "nor in PATH; 'make install' installs both",
                      program);
}
