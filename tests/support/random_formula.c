/*
 * Writes random formulas (random_formula.h), from the outermost operation to the innermost.
 */
#include "random_formula.h"

#include "check.h"
#include "text_writer.h"

#include <stdbool.h>
#include <stdio.h>

struct writer {
  struct cmbt_random *r;
  const struct cmbt_formula_words *words;
  struct cmbt_text to;
};

static int choose(struct writer *w, int a, int b)
{
  return cmbt_random_int(w->r, a, b);
}

static void put_value(struct writer *w, int depth);

static void put_leaf(struct writer *w)
{
  const char *name = w->words->variable[choose(w, 0, w->words->variables - 1)];
  switch (choose(w, 0, 5)) {
  case 0: cmbt_put(&w->to, "%.1f", 0.5 * choose(w, -4, 4)); return;
  case 1: cmbt_put(&w->to, "%.3f", cmbt_random_uniform(w->r, -2, 2)); return;
  case 2: cmbt_put(&w->to, "2*sin(%.2f*%s)", cmbt_random_uniform(w->r, 0.5, 4), name); return;
  case 3: cmbt_put(&w->to, "%d*%s", choose(w, 2, 4), name); return;
  default: cmbt_put(&w->to, "%s", name); return;
  }
}

static void put_condition(struct writer *w, int depth)
{
  static const char *const compare[] = {">", "<", ">=", "<="};
  if (depth > 0 && choose(w, 0, 3) == 0) {
    cmbt_put(&w->to, "(");
    put_condition(w, depth - 1);
    cmbt_put(&w->to, choose(w, 0, 1) ? " and " : " or ");
    put_condition(w, depth - 1);
    cmbt_put(&w->to, ")");
    return;
  }
  const bool negated = choose(w, 0, 5) == 0;
  if (negated) cmbt_put(&w->to, "not (");
  put_value(w, depth);
  cmbt_put(&w->to, " %s ", compare[choose(w, 0, 3)]);
  put_value(w, depth);
  if (negated) cmbt_put(&w->to, ")");
}

static void put_pair(struct writer *w, const char *name, int depth)
{
  cmbt_put(&w->to, "%s(", name);
  put_value(w, depth);
  cmbt_put(&w->to, ", ");
  put_value(w, depth);
  cmbt_put(&w->to, ")");
}

static void put_choice(struct writer *w, int depth)
{
  cmbt_put(&w->to, "if(");
  put_condition(w, depth);
  cmbt_put(&w->to, ", ");
  put_value(w, depth);
  cmbt_put(&w->to, ", ");
  put_value(w, depth);
  cmbt_put(&w->to, ")");
}

static void put_call(struct writer *w, const char *name, int depth)
{
  cmbt_put(&w->to, "%s(", name);
  put_value(w, depth);
  cmbt_put(&w->to, ")");
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
    cmbt_put(&w->to, "(");
    put_value(w, depth - 1);
    cmbt_put(&w->to, choose(w, 0, 1) ? " + " : " - ");
    put_value(w, depth - 1);
    cmbt_put(&w->to, ")");
    return;
  case 8: put_call(w, w->words->table[choose(w, 0, w->words->tables - 1)], depth - 1); return;
  case 7: put_leaf(w); return;
  default: put_choice(w, depth - 1); return;
  }
}

void cmbt_random_formula(struct cmbt_random *r, const struct cmbt_formula_words *words, int depth,
                         size_t room, char *text)
{
  struct writer w = {r, words, {text, 0, room}};
  text[0] = '\0';
  put_value(&w, depth);
}
