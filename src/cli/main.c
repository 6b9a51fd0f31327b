/*
 * The main function of the program `camber`: parses the command line and runs the command. Commands are in commands.c, their options in
 * options.c.
 */
#include "cli/cli.h"

#include <string.h>

int main(int argc, char **argv)
{
  struct cli_arguments arguments;
  if (argc < 2) {
    cli_help(stderr);
    return CLI_BAD_INPUT;
  }
  if (strcmp(argv[1], "--version") == 0) {
    printf("camber %s\n", cmb_version());
    return cli_finish(CLI_DONE);
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    cli_help(stdout);
    return cli_finish(CLI_DONE);
  }
  const int parsed = cli_parse(argc, argv, &arguments);
  return cli_carry_out(&arguments, parsed);
}
