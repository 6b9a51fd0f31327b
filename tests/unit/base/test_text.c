/*
 * Tests of base/text.h: conversion of numbers to text and back in any locale, suggestions for misspelt names, CSV fields and UTF-8.
 */
#include "base/text.h"
#include "check.h"
#include "random.h"

#include <float.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void assert_reads_back(double x, int (*format)(double, char *))
{
  char text[CMB_NUMBER_ROOM];
  int length = format(x, text);
  assert_int_equal(length, strlen(text));
  assert_true(length < CMB_NUMBER_ROOM);
  double back = 0;
  if (!cmb_parse_number(text, &back)) fail_msg("%s is not read back", text);
  assert_memory_equal(&back, &x, sizeof x); /* bit by bit, so the sign of zero counts too */
}

static void assert_round_trip(double x)
{
  assert_reads_back(x, cmb_format_number);
  assert_reads_back(x, cmb_format_shortest);
}

static void check_round_trips(void)
{
  const double special[] = {0.0,     -0.0,     1.0,         -1.0,   0.1,      1.0 / 3, DBL_MAX,
                            DBL_MIN, -DBL_MAX, DBL_EPSILON, 5e-324, 2.5e-310, 1e22,    123456789.0};
  for (size_t i = 0; i < sizeof special / sizeof special[0]; i++) assert_round_trip(special[i]);
  struct cmbt_random random = {3};
  for (int i = 0; i < 20000; i++) {
    uint64_t bits = cmbt_random_bits(&random);
    if (i % 4 == 0) bits &= ~(UINT64_C(0x7FF) << 52); /* a quarter of them denormal */
    double x;
    memcpy(&x, &bits, sizeof x);
    if (isfinite(x)) assert_round_trip(x);
  }
}

static void numbers_read_back_to_the_same_bits(void **state)
{
  (void)state;
  check_round_trips();
}

static void only_a_whole_number_is_read(void **state)
{
  (void)state;
  const char *good[] = {"1", "-2.5", "+3", ".5", "5.", "1e3", "1E-3", "0"};
  const double value[] = {1, -2.5, 3, 0.5, 5, 1000, 0.001, 0};
  for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
    double x = -1;
    if (!cmb_parse_number(good[i], &x)) fail_msg("%s is not read", good[i]);
    assert_true(x == value[i]);
  }
  const char *bad[] = {"",    " 1",  "1 ",   "1,5",   "1.5.2", "e5", "1e",  "--1",  "1-",  "0x10",
                       "nan", "inf", "-inf", "1e999", "+",     ".",  "1 2", "1.0f", "ten", "1e5.5"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    double x = 42;
    if (cmb_parse_number(bad[i], &x)) fail_msg("\"%s\" is read as %g", bad[i], x);
    assert_true(x == 42); /* unchanged */
  }
  char longest[CMB_LONGEST_NUMBER + 2] = "0.";
  double x;
  memset(longest + 2, '1', CMB_LONGEST_NUMBER - 2);
  assert_true(cmb_parse_number(longest, &x) && x == 1.0 / 9);
  longest[CMB_LONGEST_NUMBER] = '1';
  assert_false(cmb_parse_number(longest, &x));
}

/* Sets the first installed locale with a decimal comma and returns its name; NULL if there is none. */
static const char *locale_with_comma(void)
{
  static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8",
                                      "nl_NL.UTF-8", "it_IT.utf8", "es_ES.utf8",  "de_DE"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (setlocale(LC_NUMERIC, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0)
      return names[i];
  }
  return NULL;
}

/* Checks in the present locale that numbers are written and read with a point, and that one with the locale's own decimal point is
 * not read. Sets the locale back to C. */
static void check_in_this_locale(const char *number_of_the_locale)
{
  char text[CMB_NUMBER_ROOM];
  cmb_format_number(1.5, text);
  double local = 0, point = 0;
  bool reads_local = cmb_parse_number(number_of_the_locale, &local);
  bool reads_point = cmb_parse_number("2.5", &point);
  check_round_trips();
  setlocale(LC_NUMERIC, "C");
  assert_string_equal(text, "1.5");
  assert_false(reads_local);
  assert_true(reads_point && point == 2.5);
}

static void the_locale_does_not_matter(void **state)
{
  (void)state;
  if (!locale_with_comma()) {
    setlocale(LC_NUMERIC, "C");
    skip();
  }
  check_in_this_locale("2,5");
}

/* The decimal point of Pashto is U+066B, two bytes in UTF-8. Compiles this locale if the machine has its source; skips if not. */
static void a_decimal_point_of_several_bytes_does_not_matter(void **state)
{
  (void)state;
  const char *make = "localedef -i ps_AF -f UTF-8 ./ps_AF.UTF-8 >/dev/null 2>&1";
  bool made = system(make) == 0 && setenv("LOCPATH", ".", 1) == 0;
  if (!made || !setlocale(LC_NUMERIC, "ps_AF.UTF-8") || strlen(localeconv()->decimal_point) < 2) {
    setlocale(LC_NUMERIC, "C");
    skip();
  }
  check_in_this_locale("2\xD9\xAB"
                       "5");
}

static void the_shortest_text_has_no_needless_digits(void **state)
{
  (void)state;
  static const struct {
    double x;
    const char *text;
  } rows[] = {{0.1, "0.1"},
              {-3, "-3"},
              {1.0 / 3, "0.3333333333333333"},
              {0.1 + 0.2, "0.30000000000000004"},
              {1e-7, "1e-07"},
              {123456.789, "123456.789"},
              {1e22, "1e+22"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char text[CMB_NUMBER_ROOM];
    cmb_format_shortest(rows[i].x, text);
    assert_string_equal(text, rows[i].text);
  }
}

struct joint {
  const char *name;
  int freedoms;
};

static const struct joint joints[] = {
    {"revolute", 1}, {"prismatic", 1}, {"spherical", 3}, {"universal", 2}};
enum { JOINTS = sizeof joints / sizeof joints[0] };

static void names_are_found_in_a_table(void **state)
{
  (void)state;
  for (int i = 0; i < JOINTS; i++) {
    assert_int_equal(cmb_find_name(joints[i].name, joints, JOINTS, sizeof joints[0]), i);
  }
  assert_int_equal(cmb_find_name("Revolute", joints, JOINTS, sizeof joints[0]), -1);
  assert_int_equal(cmb_find_name("", joints, JOINTS, sizeof joints[0]), -1);
  assert_int_equal(cmb_find_name("revolute", joints, 0, sizeof joints[0]), -1);
  const char *const plain[] = {"a", "b"};
  assert_int_equal(cmb_find_name("b", plain, 2, sizeof plain[0]), 1);
}

static const char *nearest(const char *text)
{
  return cmb_nearest_name(text, joints, JOINTS, sizeof joints[0]);
}

static void a_misspelt_name_is_recognised(void **state)
{
  (void)state;
  assert_string_equal(nearest("revolut"), "revolute");   /* a letter missing */
  assert_string_equal(nearest("revollute"), "revolute"); /* one too many */
  assert_string_equal(nearest("rewolute"), "revolute");  /* a wrong letter */
  assert_string_equal(nearest("sperical"), "spherical");
  assert_string_equal(nearest("prizmatik"), "prismatic");
  assert_string_equal(nearest("universal"), "universal");
  assert_string_equal(nearest("REVOLUTE"), "revolute"); /* capital letters */
  assert_null(nearest("gearbox"));
  assert_null(nearest(""));
  static const char *const short_names[] = {"t", "ab"};
  assert_null(
      cmb_nearest_name("b", short_names, 1, sizeof short_names[0])); /* a different letter */
  assert_string_equal(cmb_nearest_name("T", short_names, 2, sizeof short_names[0]), "t");
  assert_string_equal(cmb_nearest_name("a", short_names, 2, sizeof short_names[0]), "ab");
  char longest[200];
  memset(longest, 'r', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  assert_null(nearest(longest));
  assert_null(cmb_nearest_name("revolute", joints, 0, sizeof joints[0]));
}

/* Checks that for a name of three letters two wrong letters are permitted and three are not. */
static void too_different_names_are_not_suggested(void **state)
{
  (void)state;
  const char *const names[] = {"xyz"};
  assert_string_equal(cmb_nearest_name("abz", names, 1, sizeof names[0]), "xyz");
  assert_null(cmb_nearest_name("abc", names, 1, sizeof names[0]));
}

/* Checks that the more similar of two possible names is suggested, in any order of the table. */
static void the_more_similar_name_is_suggested(void **state)
{
  (void)state;
  const char *const a[] = {"damping", "dumping"}, *const b[] = {"dumping", "damping"};
  assert_string_equal(cmb_nearest_name("dampin", a, 2, sizeof a[0]), "damping");
  assert_string_equal(cmb_nearest_name("dampin", b, 2, sizeof b[0]), "damping");
}

static cmb_status take_piece(void *to, const char *piece, size_t length)
{
  return strlen(to) + length < 40 ? (strncat(to, piece, length), CMB_OK) : CMB_ERROR_IO;
}

static void csv_fields_are_quoted_if_necessary(void **state)
{
  (void)state;
  const struct {
    const char *text, *field;
  } fields[] = {{"x'", "x'"},
                {"", ""},
                {"a,b", "\"a,b\""},
                {"say \"so\"", "\"say \"\"so\"\"\""},
                {"two\nlines", "\"two\nlines\""}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
    char seen[64] = "";
    assert_int_equal(cmb_csv_field(fields[i].text, take_piece, seen), CMB_OK);
    assert_string_equal(seen, fields[i].field);
  }
  char full[64] = "0123456789012345678901234567890123456789";
  assert_int_equal(cmb_csv_field("a,b", take_piece, full), CMB_ERROR_IO);
}

/* Compares lengths with the table of well-formed byte sequences, Unicode 15, table 3-7: the first and last sequence of its rows, and
 * sequences just outside. */
static void lengths_of_characters_follow_unicode(void **state)
{
  (void)state;
  const struct {
    const char *text;
    size_t length;
  } texts[] = {{"a", 1},
               {"\x7f", 1},
               {"\xc2\x80", 2},
               {"\xdf\xbf", 2},
               {"\xe0\xa0\x80", 3},
               {"\xed\x9f\xbf", 3},
               {"\xee\x80\x80", 3},
               {"\xf0\x90\x80\x80", 4},
               {"\xf4\x8f\xbf\xbf", 4},
               {"", 0},
               {"\x80", 0},
               {"\xc1\xbf", 0},
               {"\xc3", 0},
               {"\xc3(", 0},
               {"\xe0\x9f\xbf", 0},
               {"\xed\xa0\x80", 0},
               {"\xe2\x82", 0},
               {"\xf0\x8f\xbf\xbf", 0},
               {"\xf4\x90\x80\x80", 0},
               {"\xf5\x80\x80\x80", 0}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(cmb_character_length(texts[i].text, strlen(texts[i].text)), texts[i].length);
  }
  assert_true(cmb_is_control('\n') && cmb_is_control('\0') && cmb_is_control(0x7F));
  assert_false(cmb_is_control(' ') || cmb_is_control('~') || cmb_is_control((char)0xC3));
}

/* Checks the hint: the most similar name; otherwise the list of names, cut if it is long; or that there are no names. */
static void hints_name_what_is_known(void **state)
{
  (void)state;
  static const char *const long_names[] = {
      "a_name_that_is_long_enough_to_fill_a_line_with_a_few_of_its_kind_1",
      "a_name_that_is_long_enough_to_fill_a_line_with_a_few_of_its_kind_2",
      "a_name_that_is_long_enough_to_fill_a_line_with_a_few_of_its_kind_3",
      "a_name_that_is_long_enough_to_fill_a_line_with_a_few_of_its_kind_4"};
  static const char *const letters[] = {"alpha", "beta"};
  char hint[CMB_HINT_ROOM], whole[CMB_HINT_ROOM];
  assert_string_equal(cmb_hint_of_names("alpa", letters, 2, sizeof *letters, hint),
                      "did you mean 'alpha'?");
  assert_string_equal(cmb_hint_of_names("qqqq", letters, 2, sizeof *letters, hint),
                      "expected one of alpha, beta");
  assert_string_equal(cmb_hint_of_names("qqqq", letters, 1, sizeof *letters, hint),
                      "expected alpha");
  assert_string_equal(cmb_hint_of_names("qqqq", letters, 0, sizeof *letters, hint),
                      "there is none");
  snprintf(whole, sizeof whole, "expected one of %s, %s and 2 more", long_names[0], long_names[1]);
  assert_string_equal(cmb_hint_of_names("q", long_names, 4, sizeof *long_names, hint), whole);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_read_back_to_the_same_bits),
      cmocka_unit_test(the_shortest_text_has_no_needless_digits),
      cmocka_unit_test(only_a_whole_number_is_read),
      cmocka_unit_test(the_locale_does_not_matter),
      cmocka_unit_test(a_decimal_point_of_several_bytes_does_not_matter),
      cmocka_unit_test(names_are_found_in_a_table),
      cmocka_unit_test(a_misspelt_name_is_recognised),
      cmocka_unit_test(hints_name_what_is_known),
      cmocka_unit_test(too_different_names_are_not_suggested),
      cmocka_unit_test(the_more_similar_name_is_suggested),
      cmocka_unit_test(csv_fields_are_quoted_if_necessary),
      cmocka_unit_test(lengths_of_characters_follow_unicode),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
