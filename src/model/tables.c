/*
 * Reads the section `tables`, and tables that are written inside of other sections; called by read.c and the readers of sections
 * (reader.h). A table is points in the model or columns of a CSV file, joined by straight lines, a spline or Akima's cubics; or a grid of
 * values f(x, y).
 *
 * The points cannot depend on live parameters (which can change after the model is read), because they have to stay in ascending order. The
 * factors that they are multiplied by can: then the function is scaled, else the points are. Both give the same function, since all kinds of
 * curves scale with their points.
 */
#include "base/context.h"
#include "base/text.h"
#include "model/reader.h"

static const char *const kinds[] = {"linear", "spline",
                                    "akima"}; /* in the order of cmb_table_kind */
static const char points_of_table[] = "a point of a table";

/* ---- scales */

/* The factors of the values, and of the points along x and y. */
struct scales {
  cmb_number value, along[2];
};

static struct scales no_scales(void)
{
  return (struct scales){cmb_fixed(1), {cmb_fixed(1), cmb_fixed(1)}};
}

static cmb_status read_scales(cmb_reader *r, const cmb_scope *s, const cmb_node *map,
                              struct scales *scales)
{
  static const char *const keys[] = {"x-scale", "y-scale"};
  CMB_TRY(cmb_read_optional(r, s, map, "scale", &scales->value));
  for (int i = 0; i < 2; i++) {
    CMB_TRY(cmb_read_limited(r, s, map, keys[i], CMB_POSITIVE, &scales->along[i]));
  }
  return CMB_OK;
}

/* Multiplies the numbers x[0..count-1] by *scale and sets *scale to 1. Leaves both unchanged if the scale depends on live parameters, which
 * can change after the model is read. */
static void scale_points(cmb_number *scale, int count, double *x)
{
  if (scale->live != 0) return;
  for (int i = 0; i < count && scale->value != 1; i++) x[i] *= scale->value;
  *scale = cmb_fixed(1);
}

/* Appends a table, just created with the result `status`, to the model, which owns it from here on. If the creation failed, returns the error;
 * an error in the table's data is reported again with the position of the node in the file. */
static cmb_status append_table(cmb_reader *r, const cmb_node *node, const char *full, int arguments,
                               const struct scales *scales, cmb_status status, cmb_table *table)
{
  if (status == CMB_ERROR_ARGUMENT || status == CMB_ERROR_INPUT) {
    return cmb_reader_repeat(r, node->place);
  }
  CMB_TRY(status);
  cmb_model *m = r->model;
  m->tables[m->table_count++] = (cmb_model_table){.name = full,
                                                  .place = node->place,
                                                  .table = table,
                                                  .arguments = arguments,
                                                  .scale = scales->value,
                                                  .stretch = {scales->along[0], scales->along[1]}};
  return CMB_OK;
}

/* ---- one argument */

/* Reads a list of points [x, f] into the arrays (*x)[*n] and (*f)[*n], which are allocated on the scratch arena. It is an error if x is not
 * strictly ascending. */
static cmb_status read_rows(cmb_reader *r, const cmb_scope *s, const cmb_node *list, int *n,
                            double **x, double **f)
{
  CMB_TRY(cmb_expect_list(r, list, list->count, "a list of points [x, f]"));
  *n = list->count;
  *x = cmb_arena_doubles(r->scratch, *n);
  *f = cmb_arena_doubles(r->scratch, *n);
  if (cmb_arena_failed(r->scratch)) return cmb_fail_memory(r->ctx);
  int i = 0;
  for (const cmb_node *row = list->first; row; row = row->next, i++) {
    double pair[2];
    CMB_TRY(cmb_read_fixed_list(r, s, row, 2, points_of_table, pair));
    (*x)[i] = pair[0];
    (*f)[i] = pair[1];
    if (i > 0 && !(pair[0] > (*x)[i - 1])) {
      return cmb_reader_fail(r, row->place, "x = %s follows x = %s; expected ascending numbers",
                             cmb_shortest(pair[0]).text, cmb_shortest((*x)[i - 1]).text);
    }
  }
  return CMB_OK;
}

/* ---- two arguments */

/* Reads the list of numbers under a key of a map into the array (*x)[*n], which is allocated on the scratch arena. It is an error if they
 * are not strictly ascending. */
static cmb_status read_ascending(cmb_reader *r, const cmb_scope *s, const cmb_node *map,
                                 const char *key, int *n, double **x)
{
  const cmb_node *list;
  CMB_TRY(cmb_require(r, map, key, &list));
  CMB_TRY(cmb_expect_list(r, list, list->count, "a list of ascending numbers"));
  *n = list->count;
  *x = cmb_arena_doubles(r->scratch, *n);
  if (!*x) return cmb_fail_memory(r->ctx);
  CMB_TRY(cmb_read_fixed_list(r, s, list, *n, points_of_table, *x));
  for (int i = 1; i < *n; i++) {
    if ((*x)[i] > (*x)[i - 1]) continue;
    return cmb_reader_fail(r, list->place, "%s = %s follows %s; expected ascending numbers", key,
                           cmb_shortest((*x)[i]).text, cmb_shortest((*x)[i - 1]).text);
  }
  return CMB_OK;
}

/* Reads a table of two arguments, values[i][j] = f(x[i], y[j]), from a map with the keys x, y and values, and appends it to the model under
 * the name `full`. */
static cmb_status read_grid(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                            const char *full)
{
  static const char *const keys[] = {"x", "y", "values", "scale", "x-scale", "y-scale"};
  struct scales scales = no_scales();
  int nx, ny;
  double *x, *y, *f;
  const cmb_node *values;
  cmb_table *table = NULL;
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  CMB_TRY(read_ascending(r, s, node, "x", &nx, &x));
  CMB_TRY(read_ascending(r, s, node, "y", &ny, &y));
  CMB_TRY(cmb_require(r, node, "values", &values));
  CMB_TRY(cmb_expect_list(r, values, nx, "a row for each x"));
  f = cmb_arena_take(r->scratch, (size_t)nx * (size_t)ny, sizeof *f);
  if (!f) return cmb_fail_memory(r->ctx);
  double *to = f;
  for (const cmb_node *row = values->first; row; row = row->next, to += ny)
    CMB_TRY(cmb_read_fixed_list(r, s, row, ny, points_of_table, to));
  CMB_TRY(read_scales(r, s, node, &scales));
  scale_points(&scales.along[0], nx, x);
  scale_points(&scales.along[1], ny, y);
  scale_points(&scales.value, nx * ny, f);
  cmb_status status = cmb_table2_create(r->ctx, nx, x, ny, y, f, &table);
  return append_table(r, node, full, 2, &scales, status, table);
}

/* ---- one or two arguments */

/* Reports an error if a table of one argument has the keys of a table of two. */
static cmb_status refuse_grid_keys(cmb_reader *r, const cmb_node *table)
{
  static const char *const keys[] = {"x", "y"};
  for (int i = 0; i < 2; i++) {
    const cmb_node *key = cmb_node_find(table, keys[i]);
    if (!key) continue;
    return cmb_reader_fail(r, key->key_place,
                           "'%s' is given without 'values'; expected 'x', 'y' and 'values' for a "
                           "table of two arguments",
                           keys[i]);
  }
  return CMB_OK;
}

/* Reads a table of one argument from a map: *n points (x[i], f[i]) from the key `points` (or `table`) or from a CSV file, and the *kind of
 * interpolation, which is unchanged if it is not given. */
static cmb_status read_columns(cmb_reader *r, const cmb_scope *s, const cmb_node *node, int *kind,
                               int *n, double **x, double **f)
{
  static const char *const keys[] = {"kind", "points", "table",  "file",  "columns",
                                     "x",    "y",      "values", "scale", "x-scale"};
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  const cmb_node *choice = cmb_node_find(node, "kind"), *file = cmb_node_find(node, "file");
  const cmb_node *rows = cmb_node_find(node, "points");
  if (!rows) rows = cmb_node_find(node, "table");
  if (choice) CMB_TRY(cmb_read_choice(r, choice, kinds, 3, sizeof *kinds, kind));
  if (!rows == !file) {
    return cmb_reader_fail(r, node->place,
                           rows ? "points and 'file' are both given; expected one of them"
                                : "neither points nor 'file' are given; expected 'points: [[x, f], "
                                  "...]' or 'file: NAME.csv'");
  }
  CMB_TRY(refuse_grid_keys(r, node));
  const cmb_node *columns = cmb_node_find(node, "columns");
  if (rows && columns) {
    return cmb_reader_fail(r, columns->key_place,
                           "'columns' is given with points; expected it with 'file'");
  }
  return rows ? read_rows(r, s, rows, n, x, f)
              : cmb_read_csv(r, file, cmb_node_find(node, "columns"), n, x, f);
}

static cmb_status read_curve(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                             const char *full)
{
  int n = 0, kind = CMB_TABLE_LINEAR;
  double *x = NULL, *f = NULL;
  struct scales scales = no_scales();
  cmb_table *made = NULL;
  if (node->kind == CMB_NODE_LIST) {
    CMB_TRY(read_rows(r, s, node, &n, &x, &f));
  } else {
    CMB_TRY(read_columns(r, s, node, &kind, &n, &x, &f));
    CMB_TRY(read_scales(r, s, node, &scales));
  }
  if (n < 2)
    return cmb_reader_fail(r, node->place, "the table has %d point%s; expected two or more", n,
                           n == 1 ? "" : "s");
  scale_points(&scales.along[0], n, x);
  scale_points(&scales.value, n, f);
  cmb_status status = cmb_table_create(r->ctx, (cmb_table_kind)kind, n, x, f, &made);
  return append_table(r, node, full, 1, &scales, status, made);
}

cmb_status cmb_read_table(cmb_reader *r, const cmb_scope *s, const cmb_node *node, const char *full,
                          const cmb_model_table **table)
{
  CMB_TRY(cmb_node_find(node, "values") ? read_grid(r, s, node, full)
                                        : read_curve(r, s, node, full));
  if (table) *table = &r->model->tables[r->model->table_count - 1];
  return CMB_OK;
}

cmb_status cmb_read_named_table(cmb_reader *r, const cmb_scope *s, const cmb_node *node,
                                const char *owner, const cmb_model_table **table)
{
  const cmb_name *found;
  if (node->kind != CMB_NODE_TEXT || !node->text[0]) {
    const char *full = cmb_full_name(r, owner, ".", node->key);
    CMB_TRY(cmb_define(r, CMB_NAMES_TABLE, full, r->model->table_count, node->key_place));
    return cmb_read_table(r, s, node, full, table);
  }
  CMB_TRY(cmb_refer(r, s, CMB_NAMES_TABLE, node->text, node->place, &found));
  *table = &r->model->tables[found->index];
  return CMB_OK;
}

cmb_status cmb_make_grid(cmb_reader *r, const cmb_node *node, const char *owner, int nx,
                         const double *x, int ny, const double *y, const double *f,
                         const cmb_model_table **table)
{
  const struct scales scales = no_scales();
  const char *full = cmb_full_name(r, owner, ".", node->key);
  cmb_table *made = NULL;
  CMB_TRY(cmb_define(r, CMB_NAMES_TABLE, full, r->model->table_count, node->key_place));
  const cmb_status status = cmb_table2_create(r->ctx, nx, x, ny, y, f, &made);
  CMB_TRY(append_table(r, node, full, 2, &scales, status, made));
  *table = &r->model->tables[r->model->table_count - 1];
  return CMB_OK;
}

static cmb_status read_entry(cmb_reader *r, const cmb_scope *s, const cmb_node *entry)
{
  const char *full = cmb_full_name(r, s->prefix, entry->key, "");
  CMB_TRY(cmb_define(r, CMB_NAMES_TABLE, full, r->model->table_count, entry->key_place));
  CMB_TRY(cmb_find_given(r, "tables", &s, &entry));
  return cmb_read_table(r, s, entry, full, NULL);
}

/* Reads the section `tables` of a model. The model's array gets room for the tables in other sections, too: inputs and roads can have one
 * each, force elements two. */
cmb_status cmb_read_tables(cmb_reader *r)
{
  int more = cmb_count_entries(r, "inputs") + cmb_count_entries(r, "roads") +
             2 * cmb_count_entries(r, "forces");
  CMB_TRY(cmb_take_section(r, "tables", more, sizeof *r->model->tables, &r->model->tables));
  return cmb_each_entry(r, "tables", "table", read_entry);
}
