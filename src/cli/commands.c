/*
 * The table of commands, and the parsing of the first word of the command line, which names one of them.
 */
#include "base/text.h"
#include "cli/benches.h"
#include "cli/cli.h"

const struct cli_command cli_commands[] = {
    {"run", "MODEL", NULL, "simulate a model",
     "Finds consistent initial values, integrates to the end time with error control, locates "
     "every "
     "event, and prints what it did and where it arrived. With --out the trajectory is written to "
     "a "
     "file as it is computed; the file is put in place under its name at the end.",
     cli_run, false},
    {"check", "MODEL", NULL, "read, assemble, count",
     "Prints the number of coordinates, constraints and degrees of freedom, the rank of the "
     "constraints and the redundant ones by name, and how far the initial values had to move to be "
     "consistent.",
     cli_check, false},
    {"linearize", "MODEL", NULL, "eigenvalues and mode shapes",
     "Linearises the equations of motion about the start values, their static equilibrium "
     "(--equilibrium), the state that a simulation reaches (--at) or a steady motion, straight or "
     "on "
     "a circle (--steady), with the constraints "
     "eliminated. Prints eigenvalues, frequencies, damping ratios and mode shapes; with --inputs "
     "and --outputs A, B, C, D and the transfer functions, too.",
     cli_linearize, true},
    {"kinematics", "MODEL", NULL, "quasi-static sweeps of a suspension",
     "Drives quantities of the model (--drive) and loads wheels (--load) in equal steps, with all "
     "else in static equilibrium, and prints for each wheel (--wheel) camber, toe, changes of "
     "track "
     "and wheelbase, wheel rate, roll centre, support angles and, where a drive steers, caster, "
     "kingpin inclination, scrub radius and trail. The forces of the road on wheels are left out.",
     cli_kinematics, false},
    {"export", "c MODEL", NULL, "standalone C of a model and a real-time method",
     "Writes NAME.c and NAME.h into a folder (-o): the model with a method of fixed cost, in C99 "
     "that needs nothing but libm and takes no memory. It computes the states that 'camber run' "
     "computes with the same method, step and --live, to the last bit. Inputs can be set at any "
     "time, and so can the parameters that --live names; all others are numbers in the code. With "
     "live parameters NAME_start begins with their values, where formulas give the start; what was "
     "found on constraints or in an equilibrium does not follow, and it returns 1 then.",
     cli_export, false},
    {"plot", "RESULT...", "", "draw files of results",
     "Draws quantities of files that camber run has written, CSV, HDF5 or MAT, over time or over "
     "each other, several files on top of each other, as SVG or PNG. What has one unit shares a "
     "panel. PNG needs rsvg-convert (Debian: librsvg2-bin).",
     cli_plot, false},
    {"view", "MODEL|RESULT...", NULL, "look at a mechanism, or at results, in 3D",
     "Writes a page for a browser, which opens from disk without a network. Of a model it shows "
     "the "
     "assembled mechanism, with sliders for its free coordinates and its modes; of files of "
     "results, "
     "CSV, HDF5 or MAT, the motion and the plots, those of several files on top of each other. The "
     "page can be drawn as a picture (-o FILE.png) or as a moving one (--video), by Chromium and "
     "ffmpeg, where they are installed.",
     cli_view, true},
    {"tyre", "FILE.tir", "", "what a tyre file says",
     "Reads a tyre property file with the Magic Formula 5.2, 6.1 or 6.2 and prints its sizes and "
     "ranges and, at four loads, slip and cornering stiffness, the largest friction and the "
     "relaxation lengths. Its curves can be drawn, and written as a table.",
     cli_tyre, false},
    {"rail", "WHEEL RAIL", "S1002 UIC60", "contact of wheel and rail profiles",
     "Finds where the wheels of a rigid wheelset touch the rails of a straight track, for each of "
     "a "
     "range of lateral displacements: contact points, contact angles, rolling radii and the roll "
     "angle, displacements at which contact points jump, and the equivalent conicity over the "
     "amplitude. WHEEL and RAIL are S1002 and UIC60, or files of profiles. Options and the table "
     "have millimetres; files and JSON have metres and radians.",
     cli_rail, false},
    {"list", "[WHAT]", "methods models parts benches", "list methods, models, parts or benches",
     "Lists the methods with their options, the bundled models with their parameters, the "
     "parts that models can include, or the benchmarks. Without WHAT it says what can be listed.",
     cli_list, false},
    {CLI_BENCH_COMMAND, cli_bench, false},
    {"manpage", NULL, NULL, "print this manual as a man page",
     "Prints the manual in troff format, made from the same tables as --help.", cli_manpage, false},
    {"completion", "SHELL", "bash zsh fish", "print a completion script for bash, zsh or fish",
     "Prints a script that completes commands, options, models and methods.", cli_completion,
     false},
};
const int cli_command_count = sizeof cli_commands / sizeof cli_commands[0];

/* Prints the error message that no command has the name `text`, with the most similar name, if there is one, as a suggestion; returns the
 * exit code CLI_BAD_INPUT. */
static int complain_command(const char *text)
{
  const char *near = cmb_nearest_name(text, cli_commands, cli_command_count, sizeof *cli_commands);
  return near ? cli_complain("unknown command '%s'; did you mean '%s'?", text, near)
              : cli_complain("unknown command '%s'; 'camber --help' lists them", text);
}

int cli_parse(int argc, char **argv, struct cli_arguments *a)
{
  int k = cmb_find_name(argv[1], cli_commands, cli_command_count, sizeof *cli_commands);
  if (k >= 0) return cli_parse_words(&cli_commands[k], argc - 2, argv + 2, a);
  *a = (struct cli_arguments){0};
  return complain_command(argv[1]);
}
