/*
 * Files of results: their formats, and what they say of their run besides the trajectory, texts and numbers by the names that they have in the
 * file. Who writes such files and who reads them walks through these lists.
 */
#ifndef CMB_CLI_FACTS_H
#define CMB_CLI_FACTS_H

#include <camber/camber.h>

/* model_file: absolute, or the name of a bundled model; "" of a problem written in C. arguments: options of the command line that the mechanism
 * depends on, one a line. picture: cmb_picture_digest. warnings: one a line. */
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

/* NaN: not known, or there is none. Those behind `step` are the summary of the run. states: how many of the columns v are states. */
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

/* The norms of the residuals, as columns are called, and their units. */
extern const char *const cli_norm_names[2], *const cli_norm_units[2];

/* How far start values have been moved, with the unit of the one that has moved most: "0.144 rad". Less than this counts as rounding. */
#define CLI_MOVED_LEAST 1e-12
enum { CLI_MOVED_ROOM = 80 };
const char *cli_moved_text(double by, const char *const *units, int most,
                           char text[CLI_MOVED_ROOM]);

/* The format of a file by the ending of its name, of which so many letters count. */
enum cli_format { CLI_FORMAT_CSV, CLI_FORMAT_HDF5, CLI_FORMAT_MAT, CLI_FORMAT_NONE };
#define CLI_FORMAT_ENDINGS ".csv, .h5 or .mat"
enum cli_format cli_format_of(const char *path, size_t length);

/* Kinds of events by their names in files and in --json: "switch", "contact", "formula", "condition", "impact", "rest"; and back, CMB_KIND_SWITCH for others. */
const char *cli_event_kind_name(cmb_event_kind kind);
cmb_event_kind cli_event_kind_of(const char *name);

/* An event in words: "front_left.tyre lifts off", "touch comes to rest", "slider.friction, rising". Returns `text`. */
enum { CLI_EVENT_ROOM = 480 };
const char *cli_event_text(const char *name, cmb_event_kind kind, int direction,
                           char text[CLI_EVENT_ROOM]);

#endif
