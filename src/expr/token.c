/*
 * Splits the text of a formula into tokens (token.h). A position in the text is its offset; line and column are counted only when an error
 * message needs them.
 */
#include "expr/token.h"

#include "base/context.h"
#include "base/text.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DIGITS = 63 };

/* A longer text comes before its own beginning: "<=" before "<". */
static const cmb_operator operators[] = {
    {"<=", CMB_BINDS_COMPARISON, CMB_OP_LE, NULL},
    {">=", CMB_BINDS_COMPARISON, CMB_OP_GE, NULL},
    {"==", CMB_BINDS_COMPARISON, CMB_OP_EQ, NULL},
    {"!=", CMB_BINDS_COMPARISON, CMB_OP_NE, NULL},
    {"**", 0, 0, "'^'"},
    {"&&", 0, 0, "'and'"},
    {"||", 0, 0, "'or'"},
    {"<", CMB_BINDS_COMPARISON, CMB_OP_LT, NULL},
    {">", CMB_BINDS_COMPARISON, CMB_OP_GT, NULL},
    {"+", CMB_BINDS_SUM, CMB_OP_ADD, NULL},
    {"-", CMB_BINDS_SUM, CMB_OP_SUB, NULL},
    {"*", CMB_BINDS_PRODUCT, CMB_OP_MUL, NULL},
    {"/", CMB_BINDS_PRODUCT, CMB_OP_DIV, NULL},
    {"^", CMB_BINDS_POWER, CMB_OP_POW, NULL},
    {"=", 0, 0, "'==' for a comparison"},
    {"!", 0, 0, "'not'"},
    {"&", 0, 0, "'and'"},
    {"|", 0, 0, "'or' for a condition, abs(x) for an absolute value"},
    {"%", 0, 0, "a - b*floor(a/b) for a remainder"},
    {"?", 0, 0, "if(condition, a, b)"},
    {"[", 0, 0, "'('"},
    {"{", 0, 0, "'('"},
    {";", 0, 0, "',' between arguments"},
    {"\xE2\x88\x92", 0, 0, "'-'"},  /* minus sign */
    {"\xE2\x80\x93", 0, 0, "'-'"},  /* en dash */
    {"\xC3\x97", 0, 0, "'*'"},      /* multiplication sign */
    {"\xC2\xB7", 0, 0, "'*'"},      /* middle dot */
    {"\xE2\x89\xA4", 0, 0, "'<='"}, /* less than or equal to */
    {"\xE2\x89\xA5", 0, 0, "'>='"}, /* greater than or equal to */
    {"\xE2\x89\xA0", 0, 0, "'!='"}, /* not equal to */
    {"\xC2\xB2", 0, 0, "'^2'"},     /* superscript two */
    {"\xC2\xB3", 0, 0, "'^3'"},     /* superscript three */
    {"\xCF\x80", 0, 0, "'pi'"},     /* small letter pi */
};

/* Operators that are written as names. */
static const cmb_operator words[] = {
    {"and", CMB_BINDS_AND, CMB_OP_MIN, NULL},
    {"or", CMB_BINDS_OR, CMB_OP_MAX, NULL},
    {"not", 0, CMB_OP_LE, NULL},
};

/* ---- characters, whatever the locale */

/* Returns whether c is one of the decimal digits 0 to 9. */
static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_or_number_character(char c) /* whether c can be inside a name or a number */
{
  return is_digit(c) || is_letter(c) || c == '.';
}

static bool is_space(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Returns the character at offset `at` of the formula's text; 0 beyond its end. */
static char peek(const cmb_source *s, size_t at)
{
  return at < s->length ? s->text[at] : '\0';
}

/* Returns the length in bytes of the UTF-8 character at offset `at` of the formula's text; 0 at its end, for a control character and for
 * bytes that are no valid UTF-8. */
static size_t character_length(const cmb_source *s, size_t at)
{
  if (at >= s->length || cmb_is_control(s->text[at])) return 0;
  return cmb_character_length(s->text + at, s->length - at);
}

/* ---- messages */

/* Finds the line and the column (in bytes) of the byte at offset `at` of a formula's text, which begins at s->line and s->column. */
void cmb_source_locate(const cmb_source *s, size_t at, int *line, int *column)
{
  *line = s->line;
  *column = s->column;
  for (size_t i = 0; i < at && i < s->length; i++) {
    if (s->text[i] == '\n') {
      if (*line < INT_MAX) ++*line;
      *column = 1;
    } else if (*column < INT_MAX) {
      ++*column;
    }
  }
}

cmb_status cmb_source_fail(const cmb_source *s, size_t at, const char *format, ...)
{
  int line, column;
  cmb_source_locate(s, at, &line, &column);
  const cmb_about place = cmb_about_place(NULL, line, column);
  va_list arguments;
  va_start(arguments, format);
  cmb_fail_words(s->ctx, CMB_ERROR_INPUT, &place, format, arguments);
  va_end(arguments);
  return CMB_ERROR_INPUT;
}

const char *cmb_source_quote(const cmb_source *s, size_t at, size_t length,
                             char quote[CMB_QUOTE_ROOM])
{
  enum { MOST = CMB_QUOTE_ROOM - 24 };
  size_t shown = 0, next = character_length(s, at);
  if (next == 0) {
    snprintf(quote, CMB_QUOTE_ROOM, "byte 0x%02X", (unsigned)(unsigned char)peek(s, at));
    return quote;
  }
  while (next > 0 && shown + next <= length && shown + next <= MOST) {
    shown += next;
    next = character_length(s, at + shown);
  }
  snprintf(quote, CMB_QUOTE_ROOM, "'%.*s%s'", (int)shown, s->text + at,
           shown < length ? "..." : "");
  return quote;
}

/* ---- tokens */

/* Returns the first offset from `at` on that is neither white space nor in a comment (from # to the end of the line); the length of the text
 * if there is none. */
static size_t skip_space(const cmb_source *s, size_t at)
{
  while (at < s->length && (is_space(s->text[at]) || s->text[at] == '#')) {
    if (s->text[at] == '#') {
      const char *end = memchr(s->text + at, '\n', s->length - at);
      at = end ? (size_t)(end - s->text) : s->length;
    } else {
      at++;
    }
  }
  return at;
}

static size_t skip_digits(const cmb_source *s, size_t at)
{
  while (is_digit(peek(s, at))) at++;
  return at;
}

/* Reads a number such as 2, 0.5, .5 or 1.5e-3 at token->at, and sets the token's length and value. Returns an error if it is malformed,
 * longer than MOST_DIGITS characters or too large. */
static cmb_status read_number(const cmb_source *s, cmb_token *token)
{
  char quote[CMB_QUOTE_ROOM], digits[MOST_DIGITS + 1];
  size_t end = skip_digits(s, token->at);
  if (peek(s, end) == '.') end = skip_digits(s, end + 1);
  if (peek(s, end) == 'e' || peek(s, end) == 'E') {
    size_t sign = peek(s, end + 1) == '+' || peek(s, end + 1) == '-';
    if (is_digit(peek(s, end + 1 + sign))) end = skip_digits(s, end + 1 + sign);
  }
  token->length = end - token->at;
  if (is_name_or_number_character(peek(s, end))) {
    while (is_name_or_number_character(peek(s, end))) end++;
    cmb_source_quote(s, token->at, end - token->at, quote);
    return cmb_source_fail(s, token->at,
                           "malformed number %s: expected one such as 2, 0.5 or 1.5e-3, and "
                           "'*' between factors",
                           quote);
  }
  cmb_source_quote(s, token->at, token->length, quote);
  if (token->length > MOST_DIGITS) {
    return cmb_source_fail(s, token->at, "the number %s has %zu characters; expected at most %d",
                           quote, token->length, (int)MOST_DIGITS);
  }
  memcpy(digits, s->text + token->at, token->length);
  digits[token->length] = '\0';
  if (!cmb_parse_number(digits, &token->number)) {
    return cmb_source_fail(
        s, token->at, "the number %s is too large; expected at most 1.7976931348623157e308", quote);
  }
  return CMB_OK;
}

static bool is_word(const cmb_source *s, const cmb_token *token, const char *word)
{
  return strlen(word) == token->length && memcmp(word, s->text + token->at, token->length) == 0;
}

static cmb_status read_name(const cmb_source *s, cmb_token *token)
{
  char quote[CMB_QUOTE_ROOM];
  size_t end = token->at;
  while (is_name_or_number_character(peek(s, end))) end++;
  bool ends_with_point = peek(s, end - 1) == '.';
  if (peek(s, end) == '\'' && !ends_with_point) end++;
  token->length = end - token->at;
  cmb_source_quote(s, token->at, token->length, quote);
  if (token->length >= CMB_FORMULA_NAME_ROOM) {
    return cmb_source_fail(s, token->at, "the name %s has %zu characters; expected at most %d",
                           quote, token->length, CMB_FORMULA_NAME_ROOM - 1);
  }
  if (ends_with_point) {
    return cmb_source_fail(
        s, end - 1, "the name %s ends with a point; expected a letter or digit after it", quote);
  }
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!is_word(s, token, words[i].text)) continue;
    token->kind = CMB_TOKEN_OPERATOR;
    token->row = &words[i];
  }
  return CMB_OK;
}

static cmb_status read_operator(const cmb_source *s, cmb_token *token)
{
  char quote[CMB_QUOTE_ROOM];
  for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
    const cmb_operator *row = &operators[i];
    size_t length = strlen(row->text);
    if (s->length - token->at < length || memcmp(row->text, s->text + token->at, length) != 0)
      continue;
    token->length = length;
    token->row = row;
    if (!row->instead) return CMB_OK;
    return cmb_source_fail(s, token->at, "'%s' is not part of formulas: expected %s", row->text,
                           row->instead);
  }
  cmb_source_quote(s, token->at, character_length(s, token->at), quote);
  return cmb_source_fail(s, token->at,
                         "%s is not part of formulas: expected numbers, names, operators or "
                         "parentheses",
                         quote);
}

cmb_status cmb_token_read(const cmb_source *s, size_t at, cmb_token *token)
{
  at = skip_space(s, at);
  *token = (cmb_token){.kind = CMB_TOKEN_END, .at = at, .length = 1};
  if (at == s->length) return CMB_OK;
  char c = s->text[at];
  if (is_digit(c) || (c == '.' && is_digit(peek(s, at + 1)))) {
    token->kind = CMB_TOKEN_NUMBER;
    return read_number(s, token);
  }
  if (is_letter(c)) {
    token->kind = CMB_TOKEN_NAME;
    return read_name(s, token);
  }
  if (c == '(' || c == ')' || c == ',') {
    token->kind = c == '(' ? CMB_TOKEN_LEFT : c == ')' ? CMB_TOKEN_RIGHT : CMB_TOKEN_COMMA;
    return CMB_OK;
  }
  token->kind = CMB_TOKEN_OPERATOR;
  return read_operator(s, token);
}
