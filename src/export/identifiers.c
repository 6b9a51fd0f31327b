/*
 * Converts names to C identifiers (identifiers.h). Characters that C does not permit become _, a word that is reserved by C, C++ or their
 * headers gets a _ appended, and a name that is then in use already gets a number.
 *
 * A member of a struct can collide with keywords and macros only. Macros of headers are in capitals, except for those listed here, so a name
 * in capitals, two at least, always gets a _. The name of the code is also that of a type and of the files: it must differ from the
 * functions, types and headers of the library as well.
 */
#include "export/identifiers.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROOM = 64 };

/* Keywords of C up to C23 and of C++, since headers are included there too, and macros in small letters. */
static const char reserved[] = " alignas alignof and and_eq asm atomic_cancel atomic_commit "
                               "atomic_noexcept auto bitand bitor bool break case "
                               "catch char char16_t char32_t char8_t class co_await co_return "
                               "co_yield compl concept const const_cast consteval "
                               "constexpr constinit continue contract_assert decltype default "
                               "delete do double dynamic_cast else enum explicit "
                               "export extern false float for fortran friend goto if import inline "
                               "int long module mutable namespace new "
                               "noexcept not not_eq nullptr operator or or_eq private protected "
                               "public reflexpr register reinterpret_cast "
                               "requires restrict return short signed sizeof static static_assert "
                               "static_cast struct switch synchronized "
                               "template this thread_local throw true try typedef typeid typename "
                               "typeof typeof_unqual union unsigned using "
                               "virtual void volatile wchar_t while xor xor_eq "
                               "assert complex errno far i386 imaginary interface linux near "
                               "noreturn offsetof pascal small stderr stdin stdout "
                               "unix I ";

/* Functions and types of C and POSIX that small programs use, headers, and names used in the generated code. For the mathematical
 * functions the variants that end in f and l are reserved as well. */
static const char library[] =
    " main abort abs accept access alarm asctime atexit atof atoi atol bind bsearch calloc chdir "
    "chmod clearerr clock "
    "close connect creat ctime difftime div dup environ execl execv exit fclose feof ferror fflush "
    "fgetc fgets fopen "
    "fork fprintf fputc fputs fread free freopen fscanf fseek ftell fwrite getc getchar getenv "
    "getpid gets gmtime "
    "index ioctl isalnum isalpha iscntrl isdigit isgraph islower isprint ispunct isspace isupper "
    "isxdigit kill labs "
    "ldiv link listen localtime longjmp lseek malloc mblen memchr memcmp memcpy memmove memset "
    "mkdir mktime nice open "
    "pause perror pipe poll printf putc putchar puts qsort raise rand random read realloc recv "
    "remove rename rewind "
    "rindex rmdir scanf select send setjmp shutdown signal sleep socket sprintf srand sscanf stat "
    "strcat strchr strcmp "
    "strcpy strlen strncat strncmp strncpy strstr strtod strtok strtol sync system time times "
    "tmpfile tmpnam tolower "
    "toupper truncate ungetc unlink usleep utime vprintf wait write "
    "size_t ptrdiff_t time_t clock_t div_t fpos_t float_t double_t int8_t int16_t int32_t int64_t "
    "uint8_t uint16_t "
    "uint32_t uint64_t intptr_t uintptr_t intmax_t uintmax_t ssize_t off_t pid_t tm timespec "
    "math float ctype errno fenv inttypes iso646 limits locale stdalign stdarg stdatomic stdbool "
    "stddef stdint stdio "
    "stdlib stdnoreturn string strings tgmath threads uchar wchar wctype unistd fcntl pthread "
    "sched semaphore "
    "number constants_are_double take_modes m in out s i q v x y w lambda sum health none ";

static const char mathematical[] = " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos "
                                   "cosh drem erf erfc exp exp10 exp2 expm1 fabs fdim "
                                   "finite floor fma fmax fmin fmod frexp gamma hypot ilogb "
                                   "isfinite isgreater isinf isless isnan isnormal j0 j1 jn "
                                   "ldexp lgamma llrint llround log log10 log1p log2 logb lrint "
                                   "lround modf nan nearbyint nextafter nexttoward pow "
                                   "pow10 remainder remquo rint round scalb scalbln scalbn signbit "
                                   "significand signgam sin sincos sinh sqrt tan tanh "
                                   "tgamma trunc y0 y1 yn ";

/* Returns whether `text` without its last `less` characters is one of the words in `words`, each of which has a blank before and after it.
 * Returns false if nothing is left, or if `text` has ROOM characters or more. */
static bool is_word(const char *words, const char *text, size_t less)
{
  char word[ROOM + 2];
  const size_t length = strlen(text);
  if (length <= less || length >= ROOM) return false;
  snprintf(word, sizeof word, " %.*s ", (int)(length - less), text);
  return strstr(words, word) != NULL;
}

static bool is_capital(char c)
{
  return c >= 'A' && c <= 'Z';
}

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || is_capital(c);
}

static bool is_digit(char c)
{
  return c >= '0' && c <= '9';
}

/* Returns whether a name could be that of a C macro, such as NULL or NAN: it has no lower-case letter and at least two capitals. */
static bool may_be_macro(const char *text)
{
  int capitals = 0;
  for (; *text; text++) {
    if (is_letter(*text) && !is_capital(*text)) return false;
    capitals += is_capital(*text);
  }
  return capitals >= 2;
}

/* Converts a name of the model to a C identifier that begins with `prefix`, cut to fit into text[room]. The rate x' becomes x_rate, and
 * "input u, line 12 (2)" becomes input_u_line_12_2; reserved words get a _ appended. */
static void make_identifier(const char *prefix, const char *name, size_t room, char *text)
{
  size_t n = (size_t)snprintf(text, room, "%s", prefix);
  if (n == 0 && !is_letter(name[0])) text[n++] = 'x';
  for (const char *c = name; *c && n + 8 < room; c++) {
    if (*c == '\'') {
      memcpy(text + n, "_rate", 5);
      n += 5;
    } else if (is_letter(*c) || is_digit(*c) || *c == '_') {
      text[n++] = *c;
    } else if (!strchr(" ,()", *c) || (c[1] != '\0' && n > 0 && text[n - 1] != '_')) {
      text[n++] = '_';
    }
  }
  text[n] = '\0';
  if (is_word(reserved, text, 0) || may_be_macro(text)) memcpy(text + n, "_", 2);
}

void cmb_code_name(const char *name, size_t room, char *text)
{
  make_identifier("", name, room, text);
  const size_t length = strlen(text);
  const char last = length > 1 ? text[length - 1] : '\0';
  const bool variant = (last == 'f' || last == 'l') && is_word(mathematical, text, 1);
  /* names of operations in the generated code */
  const bool is_operation = strncmp(text, "op_", 3) == 0;
  if (is_operation || variant || is_word(library, text, 0) || is_word(mathematical, text, 0)) {
    memcpy(text + length, "_", 2);
  }
}

static bool is_taken(int count, const char *const *identifiers, const char *text)
{
  for (int i = 0; i < count; i++) {
    if (strcmp(identifiers[i], text) == 0) return true;
  }
  return false;
}

const char *const *cmb_identifiers(cmb_arena *arena, const char *prefix, int count,
                                   const char *const *names, int taken_count,
                                   const char *const *taken)
{
  const char **all = cmb_arena_take(arena, (size_t)count, sizeof *all);
  for (int i = 0; all && i < count; i++) {
    char text[ROOM + 16];
    make_identifier(prefix, names[i], ROOM, text);
    const size_t length = strlen(text);
    for (int k = 2; is_taken(i, all, text) || is_taken(taken_count, taken, text); k++) {
      snprintf(text + length, 16, "_%d", k);
    }
    all[i] = cmb_arena_text(arena, text);
    if (!all[i]) return NULL;
  }
  return all;
}
