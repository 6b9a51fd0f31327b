/*
 * Names shared by everything that writes or reads a result file (CSV, HDF5 or MAT): the file formats, and the texts and numbers that an HDF5
 * or MAT file contains about its run besides the trajectory. The writers and readers loop over the two lists below, so that a fact is added
 * to both formats by one line here.
 */
#ifndef CMB_CLI_FACTS_H
#define CMB_CLI_FACTS_H

#include <camber/camber.h>

/* Texts of a run, each stored under the name given here. model_file: absolute path, or name of a bundled model; "" for a problem written
 * in C. arguments: the command-line options that the mechanism depends on, one a line. picture: hash of what is drawn
 * (cmb_picture_digest). warnings: one a line. */
#define CLI_TEXTS_LIST(X)                                                                          \
  X(camber)                                                                                        \
  X(model)                                                                                         \
  X(title)                                                                                         \
  X(method)                                                                                        \
  X(method_title)                                                                                  \
  X(command)                                                                                       \
  X(status)                                                                                        \
  X(message)                                                                                       \
  X(stopped_by)                                                                                    \
  X(warnings)                                                                                      \
  X(model_file)                                                                                    \
  X(arguments)                                                                                     \
  X(picture)

/* Numbers of a run, each stored under the name given here; NaN: unknown or not applicable. Those after `step` make up the summary of the
 * run. states: the number of first-order states z, which are the last columns of v. */
#define CLI_NUMBERS_LIST(X)                                                                        \
  X(rtol)                                                                                          \
  X(atol)                                                                                          \
  X(step)                                                                                          \
  X(t_end)                                                                                         \
  X(states)                                                                                        \
  X(q_moved)                                                                                       \
  X(v_moved)                                                                                       \
  X(position)                                                                                      \
  X(velocity)                                                                                      \
  X(worst_position)                                                                                \
  X(worst_velocity)                                                                                \
  X(tau)                                                                                           \
  X(eta)                                                                                           \
  X(stiff_since)                                                                                   \
  X(event_count)                                                                                   \
  X(singularities)                                                                                 \
  X(setup_seconds)                                                                                 \
  X(run_seconds)                                                                                   \
  CMB_STATISTICS_LIST(X)

enum {
#define CLI_FACT_TEXT(name) CLI_TEXT_##name,
  CLI_TEXTS_LIST(CLI_FACT_TEXT)
#undef CLI_FACT_TEXT
      CLI_TEXT_COUNT
};

enum {
#define CLI_FACT_NUMBER(name) CLI_NUMBER_##name,
  CLI_NUMBERS_LIST(CLI_FACT_NUMBER)
#undef CLI_FACT_NUMBER
      CLI_NUMBER_COUNT,
  CLI_FIRST_OF_SUMMARY = CLI_NUMBER_t_end
};

extern const char *const cli_text_names[CLI_TEXT_COUNT];
extern const char *const cli_number_names[CLI_NUMBER_COUNT];

/* Column names and units of the two residual norms: |g| of the position constraints and |Gv| of the velocity constraints. */
extern const char *const cli_norm_names[2], *const cli_norm_units[2];

/* Writes by how much the start values were corrected, with the unit of the most corrected coordinate units[most], into `text`, e.g.
 * "0.144 rad"; returns `text`. Corrections below CLI_MOVED_LEAST count as rounding errors. */
#define CLI_MOVED_LEAST 1e-12
enum { CLI_MOVED_ROOM = 80 };
const char *cli_moved_text(double by, const char *const *units, int most,
                           char text[CLI_MOVED_ROOM]);

/* Returns the file format that belongs to the ending of `path`, of which the first `length` characters are read; CLI_FORMAT_NONE for
 * other endings. */
enum cli_format { CLI_FORMAT_CSV, CLI_FORMAT_HDF5, CLI_FORMAT_MAT, CLI_FORMAT_NONE };
#define CLI_FORMAT_ENDINGS ".csv, .h5 or .mat"
enum cli_format cli_format_of(const char *path, size_t length);

/* Converts a kind of event to its name in result files and in --json ("switch", "contact", "formula", "condition", "impact", "rest") and
 * back; an unknown name gives CMB_KIND_SWITCH. */
const char *cli_event_kind_name(cmb_event_kind kind);
cmb_event_kind cli_event_kind_of(const char *name);

/* Describes an event in words, e.g. "front_left.tyre lifts off", "touch comes to rest", "slider.friction, rising", into `text`, and
 * returns `text`. `direction` is positive if the switching function rises. */
enum { CLI_EVENT_ROOM = 480 };
const char *cli_event_text(const char *name, cmb_event_kind kind, int direction,
                           char text[CLI_EVENT_ROOM]);

#endif
