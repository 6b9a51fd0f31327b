/*
 * Lists of named formulas (formulas.h).
 */
#include "dyn/formulas.h"

#include "base/text.h"

#include <string.h>

void cmb_formulas_define(cmb_formulas *f, const char *name, cmb_expr e)
{
  int i = cmb_find_name(name, f->of, f->count, sizeof *f->of);
  if (i < 0 && f->count == CMB_MOST_FORMULAS) {
    f->full = true;
    return;
  }
  if (i < 0) i = f->count++;
  f->of[i].name = name;
  f->of[i].e = e;
}

bool cmb_formulas_find(const cmb_formulas *f, const char *name, cmb_expr *e)
{
  const int i = cmb_find_name(name, f->of, f->count, sizeof *f->of);
  if (i >= 0) *e = f->of[i].e;
  return i >= 0;
}

cmb_expr cmb_formulas_value(const cmb_formulas *f, const char *name)
{
  cmb_expr e = 0;
  cmb_formulas_find(f, name, &e);
  return e;
}

cmb_status cmb_formulas_parse(cmb_formulas *f, const cmb_names *names, const char *name,
                              const char *formula)
{
  cmb_expr e = 0;
  CMB_TRY(cmb_formula_parse(f->g, formula, strlen(formula), 1, 1, names, &e));
  cmb_formulas_define(f, name, e);
  return f->full ? CMB_ERROR_MEMORY : cmb_graph_status(f->g);
}
