/*
 * Tests of column groups (math/colour.h): groups are valid by the definition, entry by entry; their number is the least where that is
 * known or can be found by trying all.
 */
#include "check.h"
#include "failing_allocator.h"
#include "math/colour.h"
#include "random.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST = 300, MANY = 10000, ROOM = 10 * MANY };

/* A pattern (rows in start, column), made from a table that says whether entry (i, j) is in it. */
struct grid {
  cmb_pattern pattern;
  int start[LARGEST + 1], column[LARGEST * LARGEST];
  bool present[LARGEST][LARGEST];
};

static struct grid g;

struct fixture {
  struct cmbt_allocator memory;
  cmb_context *ctx;
};

static int set_up(void **state)
{
  static struct fixture f;
  cmbt_allocator_init(&f.memory);
  f.ctx = cmb_context_create(&f.memory.hook);
  *state = &f;
  return f.ctx ? 0 : 1;
}

static int tear_down(void **state)
{
  struct fixture *f = *state;
  cmb_context_destroy(f->ctx);
  return f->memory.outstanding == 0 ? 0 : 1;
}

static void grid_close(int rows, int columns)
{
  int at = 0;
  for (int i = 0; i < rows; i++) {
    g.start[i] = at;
    for (int j = 0; j < columns; j++) {
      if (g.present[i][j]) g.column[at++] = j;
    }
  }
  g.start[rows] = at;
  g.pattern = (cmb_pattern){rows, columns, g.start, g.column};
}

static void grid_empty(void)
{
  memset(g.present, 0, sizeof g.present);
}

static void random_grid(struct cmbt_random *random, int rows, int columns, double density)
{
  grid_empty();
  for (int i = 0; i < rows; i++) {
    for (int j = 0; j < columns; j++) g.present[i][j] = cmbt_random_uniform(random, 0, 1) < density;
  }
  grid_close(rows, columns);
}

static void band_grid(int n, int width)
{
  grid_empty();
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) g.present[i][j] = abs(i - j) <= width;
  }
  grid_close(n, n);
}

/* Makes a pattern like that of a mechanism, square and symmetric: bodies with up to `most` coordinates, each coupled to itself and to one
 * of the eight bodies before it, and one body in five to any other (a closed loop). */
static void random_mechanism(struct cmbt_random *random, int n, int most)
{
  int at[LARGEST + 1] = {0}, bodies = 0;
  for (; at[bodies] < n; bodies++) {
    int end = at[bodies] + cmbt_random_int(random, 1, most);
    at[bodies + 1] = end < n ? end : n;
  }
  grid_empty();
  for (int k = 0; k < bodies + bodies / 5; k++) {
    int x = k < bodies ? k : cmbt_random_int(random, 0, bodies - 1);
    int y = k >= bodies ? cmbt_random_int(random, 0, bodies - 1)
            : k > 0     ? cmbt_random_int(random, k > 8 ? k - 8 : 0, k - 1)
                        : 0;
    for (int i = at[x]; i < at[x + 1]; i++) {
      for (int j = at[x]; j < at[x + 1]; j++) g.present[i][j] = true;
      for (int j = at[y]; j < at[y + 1]; j++) g.present[i][j] = g.present[j][i] = true;
    }
  }
  grid_close(n, n);
}

/* ---- validity by the definition */

static void check_all_groups_used(const int *group, int columns, int groups)
{
  static bool used[MANY];
  memset(used, 0, sizeof used);
  for (int j = 0; j < columns; j++) {
    assert_in_range(group[j], 0, groups - 1);
    used[group[j]] = true;
  }
  for (int k = 0; k < groups; k++) assert_true(used[k]);
}

/* Colours the columns of p, checks that no row has two entries in one group, and returns the number of groups. */
static int colours(cmb_context *ctx, const cmb_pattern *p)
{
  static int group[MANY], last[MANY];
  int groups = -1;
  cmbt_ok(ctx, cmb_colour_columns(ctx, p, group, &groups));
  check_all_groups_used(group, p->columns, groups);
  for (int k = 0; k < groups; k++) last[k] = -1;
  for (int i = 0; i < p->rows; i++) {
    for (int k = p->start[i]; k < p->start[i + 1]; k++) {
      assert_int_not_equal(last[group[p->column[k]]], i);
      last[group[p->column[k]]] = i;
    }
  }
  return groups;
}

/* ---- bounds */

/* Returns the number of entries of the longest row: a lower bound of the number of groups, as the columns of a row have to be in different
 * groups. */
static int longest_row(const cmb_pattern *p)
{
  int longest = 1;
  for (int i = 0; i < p->rows; i++) {
    int length = p->start[i + 1] - p->start[i];
    if (length > longest) longest = length;
  }
  return longest;
}

static bool share_a_row(const cmb_pattern *p, int j, int k)
{
  for (int i = 0; i < p->rows; i++) {
    if (g.present[i][j] && g.present[i][k]) return true;
  }
  return false;
}

/* Returns the number of groups if columns are taken in their order, each into the first group without a common row. The reference that
 * the colouring has to improve upon. */
static int plain_first_fit(const cmb_pattern *p)
{
  int group[LARGEST], groups = 0;
  for (int j = 0; j < p->columns; j++) {
    bool taken[LARGEST + 1] = {false};
    for (int k = 0; k < j; k++) {
      if (!taken[group[k]] && share_a_row(p, j, k)) taken[group[k]] = true;
    }
    for (group[j] = 0; taken[group[j]];) group[j]++;
    if (group[j] >= groups) groups = group[j] + 1;
  }
  return groups;
}

/* Returns whether the columns from j on can be added to at most `groups` groups. Tries all possibilities, so only for a few columns. */
static bool can_colour(const cmb_pattern *p, int groups, int j, int used, int *group)
{
  if (j == p->columns) return true;
  for (int c = 0; c < groups && c <= used; c++) {
    bool fits = true;
    for (int k = 0; k < j; k++) {
      if (group[k] == c && share_a_row(p, j, k)) fits = false;
    }
    group[j] = c;
    if (fits && can_colour(p, groups, j + 1, c == used ? used + 1 : used, group)) {
      return true;
    }
  }
  return false;
}

static int fewest(const cmb_pattern *p)
{
  int group[LARGEST], groups = p->columns > 0 ? 1 : 0;
  while (!can_colour(p, groups, 0, 0, group)) groups++;
  return groups;
}

/* ---- groups of columns */

static void bands_take_their_width(void **state)
{
  struct fixture *f = *state;
  for (int n = 1; n <= 40; n++) {
    for (int width = 0; width <= 5; width++) { /* 0: diagonal, one group */
      band_grid(n, width);
      int expected = 2 * width + 1 < n ? 2 * width + 1 : longest_row(&g.pattern);
      assert_int_equal(colours(f->ctx, &g.pattern), expected);
    }
    band_grid(n, n); /* dense */
    assert_int_equal(colours(f->ctx, &g.pattern), n);
  }
}

/* Checks a diagonal with one full column, which needs two groups, and with a full row as well, which needs a group for every column. */
static void a_diagonal_with_a_full_column_takes_two(void **state)
{
  struct fixture *f = *state;
  for (int n = 2; n <= 40; n++) {
    grid_empty();
    for (int i = 0; i < n; i++) g.present[i][i] = g.present[i][n / 2] = true;
    grid_close(n, n);
    assert_int_equal(colours(f->ctx, &g.pattern), 2);
    for (int j = 0; j < n; j++) g.present[n - 1][j] = true;
    grid_close(n, n);
    assert_int_equal(colours(f->ctx, &g.pattern), n);
  }
}

/* The matrix of Arnold, Fuchs and Führer 2006, eq. (19), has the three groups {1, 5}, {2, 4, 6} and {3}. */
static void the_example_of_arnold_2006_takes_three(void **state)
{
  struct fixture *f = *state;
  static const char *const rows[6] = {"*..*..", "***...", "*.*..*", "...**.", ".**.*.", "**...."};
  grid_empty();
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 6; j++) g.present[i][j] = rows[i][j] == '*';
  }
  grid_close(6, 6);
  assert_int_equal(colours(f->ctx, &g.pattern), 3);
}

/* The crown graph: columns 0, 2, 4, .. and 1, 3, 5, .., where each even column shares a row with every odd one but the next. Taking
 * columns in their order needs n/2 groups; checks that two are found. */
static void crowns_take_two(void **state)
{
  struct fixture *f = *state;
  for (int n = 6; n <= 20; n += 2) {
    int row = 0;
    grid_empty();
    for (int a = 0; a < n; a += 2) {
      for (int b = 1; b < n; b += 2) {
        if (b == a + 1) continue;
        g.present[row][a] = g.present[row][b] = true;
        row++;
      }
    }
    grid_close(row, n);
    assert_int_equal(plain_first_fit(&g.pattern), n / 2);
    assert_int_equal(colours(f->ctx, &g.pattern), 2);
  }
}

static void empty_columns_and_rows_are_accepted(void **state)
{
  struct fixture *f = *state;
  grid_empty();
  grid_close(5, 4);
  assert_int_equal(colours(f->ctx, &g.pattern), 1);
  grid_close(0, 4);
  assert_int_equal(colours(f->ctx, &g.pattern), 1);
  grid_close(5, 0);
  assert_int_equal(colours(f->ctx, &g.pattern), 0);
}

/* Compares with the least possible number of groups, found by trying all. The heuristic may miss it in 1 % of the patterns, by one. */
static void few_columns_take_the_least_groups(void **state)
{
  struct fixture *f = *state;
  struct cmbt_random random = {3};
  int best = 0, trials = 400;
  for (int trial = 0; trial < trials; trial++) {
    int rows = cmbt_random_int(&random, 1, 14), columns = cmbt_random_int(&random, 1, 10);
    random_grid(&random, rows, columns, cmbt_random_uniform(&random, 0, 0.5));
    int groups = colours(f->ctx, &g.pattern), least = fewest(&g.pattern);
    assert_in_range(groups, least, least + 1);
    best += groups == least;
  }
  print_message("           of %d patterns with up to 10 columns %.1f %% have the fewest groups\n",
                trials, 100.0 * best / trials);
  assert_true(best >= 0.99 * trials);
}

/* ---- random patterns against the lower bound */

enum family { MECHANISM, SHORT_ROWS, MEDIUM_ROWS, LONG_ROWS, BAND_AND_FILL, FAMILIES };

static void random_of_family(struct cmbt_random *random, enum family family)
{
  static const double mean[FAMILIES] = {[SHORT_ROWS] = 3, [MEDIUM_ROWS] = 6, [LONG_ROWS] = 10};
  int rows = cmbt_random_int(random, 10, LARGEST), columns = cmbt_random_int(random, 10, LARGEST);
  if (family == MECHANISM) {
    random_mechanism(random, columns, cmbt_random_int(random, 1, 6));
  } else if (family == BAND_AND_FILL) {
    random_grid(random, columns, columns, cmbt_random_uniform(random, 0, 2) / columns);
    int width = cmbt_random_int(random, 0, 4);
    for (int i = 0; i < columns; i++) {
      for (int j = 0; j < columns; j++) g.present[i][j] |= abs(i - j) <= width;
    }
    grid_close(columns, columns);
  } else {
    random_grid(random, rows, columns, cmbt_random_uniform(random, 0.5, mean[family]) / columns);
  }
}

/* Counts how many of `trials` patterns need at most one group more than their longest row has entries. This bound is not sharp: three
 * columns of which each two share a row need three groups, although the rows have two entries. */
static int close_to_bound(cmb_context *ctx, enum family family, const char *name, int trials)
{
  struct cmbt_random random = {2};
  int near = 0, plain_near = 0, over = 0, plain_over = 0;
  for (int trial = 0; trial < trials; trial++) {
    random_of_family(&random, family);
    int groups = colours(ctx, &g.pattern), least = longest_row(&g.pattern);
    int plain = plain_first_fit(&g.pattern);
    assert_in_range(groups, least, plain);
    near += groups <= least + 1;
    plain_near += plain <= least + 1;
    over += groups - least;
    plain_over += plain - least;
  }
  print_message("           %s: within 1 of the longest row %.1f %% (plain first fit %.1f %%), "
                "mean distance %.2f (%.2f)\n",
                name, 100.0 * near / trials, 100.0 * plain_near / trials, (double)over / trials,
                (double)plain_over / trials);
  return near;
}

static void sparse_patterns_come_close_to_the_bound(void **state)
{
  struct fixture *f = *state;
  int near = close_to_bound(f->ctx, MECHANISM, "tree mechanisms with loops", 100) +
             close_to_bound(f->ctx, SHORT_ROWS, "random, 0.5 to 3 entries a row", 100);
  print_message("           both: %.1f %%\n", near / 2.0);
  assert_true(near >= 180);
}

/* Checks that denser patterns are coloured validly and never worse than in the order of columns; the lower bound is not sharp here. */
static void denser_patterns_improve_on_plain_first_fit(void **state)
{
  struct fixture *f = *state;
  close_to_bound(f->ctx, MEDIUM_ROWS, "random, 0.5 to 6 entries a row", 100);
  close_to_bound(f->ctx, LONG_ROWS, "random, 0.5 to 10 entries a row", 100);
  close_to_bound(f->ctx, BAND_AND_FILL, "band of 1 to 9, 0 to 2 more a row", 100);
}

/* ---- many columns */

/* Returns a pattern whose rows have six entries from a random column on, and, if `full` > 0, a last row with the first `full` columns. */
static cmb_pattern long_pattern(int full)
{
  static int start[MANY + 2], column[ROOM];
  struct cmbt_random random = {4};
  int at = 0;
  for (int i = 0; i < MANY; i++) {
    start[i] = at;
    for (int k = 0, j = cmbt_random_int(&random, 0, MANY - 60); k < 6; k++) {
      j += cmbt_random_int(&random, 1, 10);
      column[at++] = j - 1;
    }
  }
  start[MANY] = at;
  for (int j = 0; j < full; j++) column[at++] = j;
  start[MANY + 1] = at;
  return (cmb_pattern){MANY + 1, MANY, start, column};
}

static void ten_thousand_columns(void **state)
{
  struct fixture *f = *state;
  static const int full[] = {0, MANY, MANY - 1, MANY / 2};
  for (int k = 0; k < 4; k++) {
    cmb_pattern p = long_pattern(full[k]);
    size_t before = f->memory.bytes;
    f->memory.peak = before;
    int groups = colours(f->ctx, &p);
    assert_in_range(groups, longest_row(&p), full[k] > 0 ? full[k] + 1 : 40);
    /* at most 64 bytes for each column and each entry */
    assert_true(f->memory.peak - before <= 64 * (size_t)(MANY + p.start[p.rows]));
  }
}

/* ---- errors */

static void every_refused_allocation_is_reported(void **state)
{
  (void)state;
  static int group[LARGEST];
  struct cmbt_random random = {10};
  random_mechanism(&random, LARGEST, 3);
  long passes = 0;
  for (bool refused = true; refused; passes++) {
    struct cmbt_allocator memory;
    int groups;
    cmbt_allocator_init(&memory);
    cmb_context *ctx = cmb_context_create(&memory.hook);
    memory.fail_at = memory.calls + 1 + passes;
    cmb_status status = cmb_colour_columns(ctx, &g.pattern, group, &groups);
    refused = memory.refused > 0;
    assert_int_equal(status, refused ? CMB_ERROR_MEMORY : CMB_OK);
    cmb_context_destroy(ctx);
    assert_int_equal(memory.outstanding, 0);
  }
  assert_true(passes > 2);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bands_take_their_width),
      cmocka_unit_test(a_diagonal_with_a_full_column_takes_two),
      cmocka_unit_test(the_example_of_arnold_2006_takes_three),
      cmocka_unit_test(crowns_take_two),
      cmocka_unit_test(empty_columns_and_rows_are_accepted),
      cmocka_unit_test(few_columns_take_the_least_groups),
      cmocka_unit_test(sparse_patterns_come_close_to_the_bound),
      cmocka_unit_test(denser_patterns_improve_on_plain_first_fit),
      cmocka_unit_test(ten_thousand_columns),
      cmocka_unit_test(every_refused_allocation_is_reported),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}
