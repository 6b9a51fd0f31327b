/*
 * Roads in files of the format OpenCRG 1.2 (ASAM 2020): heights over a grid along a reference line. crg.c reads the sections in front of the
 * numbers, crg_data.c the numbers, crg_line.c makes the reference line of them and
 * crg_grid.c heights.
 */
#ifndef CMB_MODEL_CRG_H
#define CMB_MODEL_CRG_H

#include "model/reader.h"

/* A road. The arrays are on the reader's scratch arena. */
typedef struct cmb_crg {
  int nu, nv;
  double *u, *v;   /* (nu) from 0 at the start of the line, (nv) from right to left; both ascend */
  double *z;       /* (nu x nv) heights above the start of the line */
  double start[3]; /* where the line starts */
  double phi;      /* its heading there, against x */
  bool turns;      /* the line is not straight */
  cmb_table *
      line; /* where a place is on a line that turns (expr/foot.h), from its start and its heading there on: owned by who reads the
                      file; NULL: it is straight */
} cmb_crg;

/* The file that a node names, beside the model. */
cmb_status cmb_read_crg(cmb_reader *r, const cmb_node *file, cmb_crg *crg);

/* The same from bytes in memory; `name` is that of the file in messages. */
cmb_status cmb_parse_crg(cmb_reader *r, const char *name, const char *bytes, size_t length,
                         cmb_crg *crg);

/* ---- between the three files */

/* The parameters of the reference line that heights and places depend on. */
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
  double value; /* 0 if it is not given */
  int line;     /* 0: it is not given */
} cmb_crg_value;

typedef enum cmb_crg_channel_kind {
  CMB_CRG_PHI,
  CMB_CRG_BANKING,
  CMB_CRG_SLOPE,
  CMB_CRG_LINE_CHANNELS,                      /* how many there are of these */
  CMB_CRG_SECTION_AT = CMB_CRG_LINE_CHANNELS, /* `number` is v */
  CMB_CRG_SECTION                             /* `number` counts from 1 */
} cmb_crg_channel_kind;

typedef struct cmb_crg_channel {
  cmb_crg_channel_kind kind;
  double number;
  int line;
} cmb_crg_channel;

enum { CMB_MOST_CRG_CHANNELS = 4000, CMB_MOST_CRG_VALUES = 500000 };

/* A file that is being read. */
typedef struct cmb_crg_file {
  cmb_reader *r;
  const char *name;       /* for messages */
  const char *next, *end; /* what is left of it */
  const char *line, *line_end;
  int number; /* of the line */
  cmb_crg_value value[CMB_CRG_KEYS];
  bool binary, twice; /* how numbers are written: as bytes, of double precision */
  int channel_count, most_channels;
  cmb_crg_channel *channels; /* (channel_count) in the order of the columns */
  int data_line;             /* the last one before the numbers */
  int rows;
  double *data; /* (rows x channel_count), NaN: none given */
} cmb_crg_file;

/* On to the next line, as it is, without its end. False: there is none. */
bool cmb_crg_advance(cmb_crg_file *c);

static inline bool cmb_crg_blank(char x)
{
  return x == ' ' || x == '\t';
}

/* A part of a line as a text: letters of ISO 8859-1 that are not in ASCII, and what is no letter, become '?'. */
void cmb_crg_copy(const char *from, size_t length, char *to);

static inline cmb_place cmb_crg_place(const cmb_crg_file *c, int line, int column)
{
  return cmb_place_in(c->name, line > 0 ? line : 1, column);
}

/* The numbers after the last section. */
cmb_status cmb_crg_read_data(cmb_crg_file *c);

/* Where a row begins; in binary data the line before all of them. */
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

/* The column of a channel of the reference line, or -1. */
int cmb_crg_column(const cmb_crg_file *c, cmb_crg_channel_kind kind);

/* What is given as a parameter is what follows from the others, if it is given: to so many metres, or so much of a ratio. */
#define CMB_CRG_SAME_PLACE 1e-3
#define CMB_CRG_SAME_RATIO 1e-6
cmb_status cmb_crg_agree(const cmb_crg_file *c, cmb_crg_key key, const char *name, double expected,
                         double tolerance);

/* The reference line: its increments, phi and whether it turns, and with v known where places are on it. */
cmb_status cmb_crg_check_length(const cmb_crg_file *c);
cmb_status cmb_crg_find_heading(const cmb_crg_file *c, cmb_crg *crg);
cmb_status cmb_crg_make_line(const cmb_crg_file *c, cmb_crg *crg);

/* Heights from all of this. */
cmb_status cmb_crg_make_grid(const cmb_crg_file *c, cmb_crg *crg);

#endif
