/*
 * The words of a formula: numbers, names, operators, parentheses; and the one table of operators with how tightly
 * they bind, which reading (formula.c) and printing (print.c) share. Private to the layer.
 */
#ifndef CMB_EXPR_TOKEN_H
#define CMB_EXPR_TOKEN_H

#include <camber/expr.h>

/* How tightly: a + b * c is a + (b * c) because a product binds tighter than a sum. */
enum {
  CMB_BINDS_OR = 1,
  CMB_BINDS_AND,
  CMB_BINDS_NOT,
  CMB_BINDS_COMPARISON, /* not associative */
  CMB_BINDS_SUM,
  CMB_BINDS_PRODUCT,
  CMB_BINDS_SIGN,
  CMB_BINDS_POWER, /* to the right */
  CMB_BINDS_ATOM   /* numbers, names, calls */
};

enum { CMB_FORMULA_NAME_ROOM = 256 }; /* a name in a formula, the final 0 included */

/* A row of the table of operators. Slips, such as && for `and`, are rows too, for the sake of a good message. */
typedef struct cmb_operator {
  const char *text;
  uint8_t binds;       /* as a binary operator; 0: it is none */
  uint8_t op;          /* cmb_op */
  const char *instead; /* of a slip: what to write */
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
  size_t at, length;       /* where it stands in the text */
  double number;           /* of a number */
  const cmb_operator *row; /* of an operator */
} cmb_token;

/* The text and where it comes from. */
typedef struct cmb_source {
  cmb_context *ctx;
  const char *text;
  size_t length;
  int line, column; /* of the first character */
} cmb_source;

/* The token that begins at `at` or, after white space and comments, later. */
cmb_status cmb_token_read(const cmb_source *source, size_t at, cmb_token *token);

/* Line and column of a place in the text. Columns count bytes; later lines begin with column 1. */
void cmb_source_locate(const cmb_source *source, size_t at, int *line, int *column);

/* CMB_ERROR_INPUT with "LINE:COLUMN: " and the words. */
cmb_status cmb_source_fail(const cmb_source *source, size_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { CMB_QUOTE_ROOM = 64 };

/* 'words of the text' for a message: long ones are cut, what is not text becomes "byte 0xNN". Returns `quote`. */
const char *cmb_source_quote(const cmb_source *source, size_t at, size_t length,
                             char quote[CMB_QUOTE_ROOM]);

#endif
