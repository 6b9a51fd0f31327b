/*
 * Roads in files of the format OpenCRG 1.2 (ASAM 2020): heights over a grid along a reference line; used by roads.c. crg.c reads the
 * sections before the numbers, crg_data.c the numbers, crg_line.c makes the reference line from them and crg_grid.c the heights.
 */
#ifndef CMB_MODEL_CRG_H
#define CMB_MODEL_CRG_H

#include "model/reader.h"

/* A road as read from a file. The arrays are on the reader's scratch arena. */
typedef struct cmb_crg {
  int nu, nv;
  /* (nu) distance along the line from 0, (nv) distance to the left of it; both ascend */
  double *u, *v;
  double *z;       /* (nu x nv) heights above the start of the line */
  double start[3]; /* x, y, z of the start of the line */
  double phi;      /* heading of its first interval, angle from the x-axis in rad */
  bool turns;      /* the line is not straight */
  /* (s, n) -> (u, v) for a line that turns (expr/foot.h), s and n counted from the start of the line in the direction of its first
   * interval and to the left; the caller owns it. NULL: the line is straight */
  cmb_table *line;
} cmb_crg;

/* Reads the OpenCRG file that the node names into *crg. The path is relative to the file that contains the node. The caller owns
 * crg->line. */
cmb_status cmb_read_crg(cmb_reader *r, const cmb_node *file, cmb_crg *crg);

/* Reads an OpenCRG road from `length` bytes in memory into *crg; `name` is the file's name for messages. The caller owns crg->line. */
cmb_status cmb_parse_crg(cmb_reader *r, const char *name, const char *bytes, size_t length,
                         cmb_crg *crg);

/* ---- shared by crg.c, crg_data.c, crg_grid.c and crg_line.c */

/* The keys of the section $ROAD_CRG whose values are used. */
typedef enum cmb_crg_key {
  CMB_CRG_START_U,
  CMB_CRG_END_U,
  CMB_CRG_INCREMENT,
  CMB_CRG_V_RIGHT,
  CMB_CRG_V_LEFT,
  CMB_CRG_V_INCREMENT,
  CMB_CRG_START_S,
  CMB_CRG_END_S,
  CMB_CRG_START_B,
  CMB_CRG_END_B,
  CMB_CRG_START_X,
  CMB_CRG_START_Y,
  CMB_CRG_START_Z,
  CMB_CRG_END_X,
  CMB_CRG_END_Y,
  CMB_CRG_END_Z,
  CMB_CRG_START_PHI,
  CMB_CRG_END_PHI,
  CMB_CRG_KEYS
} cmb_crg_key;

typedef struct cmb_crg_value {
  double value; /* 0 if the key is not given */
  int line;     /* line of the key in the file; 0: it is not given */
} cmb_crg_value;

typedef enum cmb_crg_channel_kind {
  CMB_CRG_PHI,
  CMB_CRG_BANKING,
  CMB_CRG_SLOPE,
  CMB_CRG_LINE_CHANNELS, /* number of the channels that belong to the reference line */
  CMB_CRG_SECTION_AT = CMB_CRG_LINE_CHANNELS, /* long section at a distance v: `number` is v */
  CMB_CRG_SECTION                             /* long section without v: `number` counts from 1 */
} cmb_crg_channel_kind;

typedef struct cmb_crg_channel {
  cmb_crg_channel_kind kind;
  double number;
  int line;
} cmb_crg_channel;

enum { CMB_MOST_CRG_CHANNELS = 4000, CMB_MOST_CRG_VALUES = 500000 };

/* The state of a file that is being read. */
typedef struct cmb_crg_file {
  cmb_reader *r;
  const char *name;       /* for messages */
  const char *next, *end; /* the part of the file that has not been read */
  const char *line, *line_end;
  int number; /* of the current line, from 1 */
  cmb_crg_value value[CMB_CRG_KEYS];
  bool binary;                      /* the data are binary, else text */
  bool double_precision;            /* the data have double precision, else single */
  int channel_count, most_channels; /* most_channels: allocated number */
  cmb_crg_channel *channels;        /* (channel_count) in the order of the data's columns */
  int data_line;                    /* number of the last line before the data */
  int rows;
  double *data; /* (rows x channel_count), NaN: number missing */
} cmb_crg_file;

/* Advances to the next line of the file: sets c->line and c->line_end, without the line break, and increments c->number. Returns false at
 * the end of the file. */
bool cmb_crg_advance(cmb_crg_file *c);

static inline bool cmb_crg_blank(char x)
{
  return x == ' ' || x == '\t';
}

/* Copies `length` bytes to `to` and appends a '\0'; every byte that is neither a blank nor printable ASCII becomes '?'. */
void cmb_crg_copy(const char *from, size_t length, char *to);

static inline cmb_place cmb_crg_place(const cmb_crg_file *c, int line, int column)
{
  return cmb_place_in(c->name, line > 0 ? line : 1, column);
}

/* Reads the numbers that follow the last section into c->data and counts the rows; the sections must have been read. */
cmb_status cmb_crg_read_data(cmb_crg_file *c);

/* Returns the place in the file where a row of data begins, for messages; for binary data that is the last line before the data. */
cmb_place cmb_crg_row_place(const cmb_crg_file *c, int row);

static inline double cmb_crg_value_of(const cmb_crg_file *c, cmb_crg_key key)
{
  return c->value[key].value;
}

static inline bool cmb_crg_is_given(const cmb_crg_file *c, cmb_crg_key key)
{
  return c->value[key].line > 0;
}

static inline double cmb_crg_number(const cmb_crg_file *c, int row, int column)
{
  return c->data[(size_t)row * (size_t)c->channel_count + (size_t)column];
}

/* Returns the column of the data with the reference line's channel of this kind (heading, banking or slope), -1 if the file has none. */
int cmb_crg_column(const cmb_crg_file *c, cmb_crg_channel_kind kind);

/* Checks a redundant parameter: if the file gives `key`, its value must equal `expected`, which follows from the other numbers, within
 * the tolerance; else it is an error. CMB_CRG_SAME_PLACE is the tolerance of lengths in m, CMB_CRG_SAME_RATIO that of angles and ratios. */
#define CMB_CRG_SAME_PLACE 1e-3
#define CMB_CRG_SAME_RATIO 1e-6
cmb_status cmb_crg_agree(const cmb_crg_file *c, cmb_crg_key key, const char *name, double expected,
                         double tolerance);

/* cmb_crg_check_length checks the increment and the length of the reference line; cmb_crg_find_heading sets crg->phi and crg->turns from the
 * headings; cmb_crg_make_line, for which crg->v must be known, checks the line's end and creates crg->line if the line turns. */
cmb_status cmb_crg_check_length(const cmb_crg_file *c);
cmb_status cmb_crg_find_heading(const cmb_crg_file *c, cmb_crg *crg);
cmb_status cmb_crg_make_line(const cmb_crg_file *c, cmb_crg *crg);

/* Fills *crg with the grid of heights and the reference line from the file's keys and data. */
cmb_status cmb_crg_make_grid(const cmb_crg_file *c, cmb_crg *crg);

#endif
