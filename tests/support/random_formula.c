/*
 * Random formulas (random_formula.h), made from the outside in.
 */
#include "random_formula.h"

#include "check.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

struct writer {
  struct cmbt_random *r;
  const struct cmbt_formula_words *words;
  char *text;
  size_t used, room;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(w->text + w->used, w->room - w->used, format, arguments);
  va_end(arguments);
  assert_true(n >= 0 && (size_t)n < w->room - w->used);
  w->used += (size_t)n;
}

static int choose(struct writer *w, int a, int b)
{
  return cmbt_random_int(w->r, a, b);
}

static void put_value(struct writer *w, int depth);

static void put_leaf(struct writer *w)
{
  const char *name = w->words->variable[choose(w, 0, w->words->variables - 1)];
  switch (choose(w, 0, 5)) {
  case 0: put(w, "%.1f", 0.5 * choose(w, -4, 4)); return;
  case 1: put(w, "%.3f", cmbt_random_uniform(w->r, -2, 2)); return;
  case 2: put(w, "2*sin(%.2f*%s)", cmbt_random_uniform(w->r, 0.5, 4), name); return;
  case 3: put(w, "%d*%s", choose(w, 2, 4), name); return;
  default: put(w, "%s", name); return;
  }
}

static void put_condition(struct writer *w, int depth)
{
  static const char *const compare[] = {">", "<", ">=", "<="};
  if (depth > 0 && choose(w, 0, 3) == 0) {
    put(w, "(");
    put_condition(w, depth - 1);
    put(w, choose(w, 0, 1) ? " and " : " or ");
    put_condition(w, depth - 1);
    put(w, ")");
    return;
  }
  const bool negated = choose(w, 0, 5) == 0;
  if (negated) put(w, "not (");
  put_value(w, depth);
  put(w, " %s ", compare[choose(w, 0, 3)]);
  put_value(w, depth);
  if (negated) put(w, ")");
}

static void put_pair(struct writer *w, const char *name, int depth)
{
  put(w, "%s(", name);
  put_value(w, depth);
  put(w, ", ");
  put_value(w, depth);
  put(w, ")");
}

static void put_choice(struct writer *w, int depth)
{
  put(w, "if(");
  put_condition(w, depth);
  put(w, ", ");
  put_value(w, depth);
  put(w, ", ");
  put_value(w, depth);
  put(w, ")");
}

static void put_call(struct writer *w, const char *name, int depth)
{
  put(w, "%s(", name);
  put_value(w, depth);
  put(w, ")");
}

static void put_value(struct writer *w, int depth)
{
  if (depth <= 0) {
    put_leaf(w);
    return;
  }
  const int kind = choose(w, 0, w->words->tables > 0 ? 8 : 7);
  switch (kind) {
  case 0: put_pair(w, "max", depth - 1); return;
  case 1: put_pair(w, "min", depth - 1); return;
  case 2: put_call(w, "abs", depth - 1); return;
  case 3: put_call(w, "floor", depth - 1); return;
  case 4:
    put(w, "(");
    put_value(w, depth - 1);
    put(w, choose(w, 0, 1) ? " + " : " - ");
    put_value(w, depth - 1);
    put(w, ")");
    return;
  case 8: put_call(w, w->words->table[choose(w, 0, w->words->tables - 1)], depth - 1); return;
  case 7: put_leaf(w); return;
  default: put_choice(w, depth - 1); return;
  }
}

void cmbt_random_formula(struct cmbt_random *r, const struct cmbt_formula_words *words, int depth,
                         size_t room, char *text)
{
  struct writer w = {r, words, text, 0, room};
  text[0] = '\0';
  put_value(&w, depth);
}
