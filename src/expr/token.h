/*
 * The tokens of a formula: numbers, names, operators, parentheses; the rows of the table of operators; and their precedence, which parsing
 * (formula.c) and printing (print.c) share.
 */
#ifndef CMB_EXPR_TOKEN_H
#define CMB_EXPR_TOKEN_H

#include <camber/expr.h>

/* Precedence of operators: a + b * c is a + (b * c) because a product binds tighter than a sum. */
enum {
  CMB_BINDS_OR = 1,
  CMB_BINDS_AND,
  CMB_BINDS_NOT,
  CMB_BINDS_COMPARISON, /* not associative */
  CMB_BINDS_SUM,
  CMB_BINDS_PRODUCT,
  CMB_BINDS_SIGN,
  CMB_BINDS_POWER, /* associates to the right */
  CMB_BINDS_ATOM   /* numbers, names, calls */
};

enum { CMB_FORMULA_NAME_ROOM = 256 }; /* a name in a formula, the final 0 included */

/* A row of the table of operators. Frequent mistakes, such as && for `and`, are rows too, so that the message can be specific. */
typedef struct cmb_operator {
  const char *text;
  uint8_t binds;       /* precedence as a binary operator; 0: it is no binary operator */
  uint8_t op;          /* cmb_op */
  const char *instead; /* for a mistake: what to write instead */
} cmb_operator;

typedef enum cmb_token_kind {
  CMB_TOKEN_END,
  CMB_TOKEN_NUMBER,
  CMB_TOKEN_NAME,
  CMB_TOKEN_OPERATOR,
  CMB_TOKEN_LEFT,  /* ( */
  CMB_TOKEN_RIGHT, /* ) */
  CMB_TOKEN_COMMA
} cmb_token_kind;

typedef struct cmb_token {
  cmb_token_kind kind;
  size_t at, length;       /* position in the text */
  double number;           /* value of a number */
  const cmb_operator *row; /* row of an operator */
} cmb_token;

/* The text of a formula and its position in a file. */
typedef struct cmb_source {
  cmb_context *ctx;
  const char *text;
  size_t length;
  int line, column; /* of the first character */
} cmb_source;

/* Reads the token that begins at offset `at` of the formula, or after the white space and comments there. Reports a malformed one. */
cmb_status cmb_token_read(const cmb_source *source, size_t at, cmb_token *token);

/* Finds the line and the column of the byte at offset `at` of a formula's text. Columns count bytes; lines after the first begin with column
 * 1. */
void cmb_source_locate(const cmb_source *source, size_t at, int *line, int *column);

/* Reports an error at offset `at` of a formula's text as "LINE:COLUMN: message". Returns CMB_ERROR_INPUT. */
cmb_status cmb_source_fail(const cmb_source *source, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { CMB_QUOTE_ROOM = 64 };

/* Quotes `length` bytes of the formula's text, from offset `at` on, for a message: long parts are cut, and a byte that begins no printable
 * character becomes "byte 0xNN". Returns `quote`. */
const char *cmb_source_quote(const cmb_source *source, size_t at, size_t length,
                             char quote[CMB_QUOTE_ROOM]);

#endif
