/*
 * Tests of the proof of full rank from sparse pivots (cmb_kkt_sparse_certain): full rank is never claimed of a matrix that lacks it, and
 * it is claimed where the distance from a loss of rank is well above rounding.
 *
 * Rows of small integers, each with a column of its own, have full rank. One row is replaced by a sum of multiples of others, without its
 * own column: the rank is then exactly one less. A small number in that column gives a known distance from the loss of rank. In some
 * matrices the dependent row is the difference of two nearly parallel rows, so that its pivot, which should be 0, contains much amplified
 * rounding errors. Units of rows and columns are powers of 2, so that the entries themselves are exact.
 */
#include "base/arena.h"
#include "check.h"
#include "math/kkt_sparse.h"
#include "random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 60, SHARED = 12, MOST_COLUMNS = MOST_ROWS + SHARED, REACH = 4 };

static const double ROUNDING = 4 * DBL_EPSILON; /* the same as in kkt.c */

struct matrix {
  int ng, nv, dependent;
  double tilt; /* size of the difference of two nearly parallel rows; 1: there are none */
  double G[MOST_ROWS][MOST_COLUMNS]; /* the rows in units 1, the dependent one as it was at first */
  double sum[MOST_COLUMNS];          /* the dependent row, without its own column */
  double row[MOST_ROWS], column[MOST_COLUMNS]; /* units */
  double M[MOST_COLUMNS];
  int start[MOST_ROWS + 1], at[MOST_ROWS * MOST_COLUMNS];
  double values[MOST_ROWS * MOST_COLUMNS];
};

static double some_integer(struct cmbt_random *random)
{
  const int size = cmbt_random_int(random, 1, 3);
  return cmbt_random_int(random, 0, 1) ? size : -size;
}

static double some_unit(struct cmbt_random *random, int most)
{
  return ldexp(1, cmbt_random_int(random, -most, most));
}

/* Makes the dependent row a sum of multiples of rows before it. */
static void add_rows(struct matrix *m, struct cmbt_random *random)
{
  const int terms = cmbt_random_int(random, 1, REACH);
  for (int k = 1; k <= terms; k++) {
    const double times = some_integer(random);
    for (int j = 0; j < m->nv; j++) m->sum[j] += times * m->G[m->dependent - k][j];
  }
}

/* Makes the dependent row (a − b)/tilt of two nearly parallel rows a, b: division by the small tilt amplifies rounding errors. */
static void subtract_nearly_parallel_rows(struct matrix *m, struct cmbt_random *random)
{
  const int one = m->dependent - 1, other = m->dependent - 2;
  m->tilt = ldexp(1, -cmbt_random_int(random, 4, 12));
  m->sum[other] = some_integer(random);
  for (int k = 0; k < 3; k++) {
    const double value = some_integer(random);
    m->sum[m->ng + cmbt_random_int(random, 0, SHARED - 1)] = value;
  }
  for (int j = 0; j < m->nv; j++) m->G[other][j] = m->G[one][j] + m->tilt * m->sum[j];
}

/* Makes rows with full rank: column i < ng belongs to row i alone, the columns after them are shared by rows with nearby indices. */
static void make_rows(struct matrix *m, struct cmbt_random *random)
{
  memset(m, 0, sizeof *m);
  m->tilt = 1;
  m->ng = cmbt_random_int(random, 5, MOST_ROWS);
  m->nv = m->ng + SHARED;
  m->dependent = cmbt_random_int(random, REACH, m->ng - 1);
  const int most = cmbt_random_int(random, 0, 1) ? 30 : 0;
  for (int i = 0; i < m->ng; i++) {
    m->G[i][i] = some_integer(random);
    for (int k = 0; k < 3; k++) {
      m->G[i][m->ng + (i * SHARED / m->ng + k) % SHARED] = some_integer(random);
    }
    m->row[i] = some_unit(random, most);
  }
  for (int j = 0; j < m->nv; j++) {
    m->column[j] = some_unit(random, most);
    m->M[j] = m->column[j] * m->column[j] * some_unit(random, 3);
  }
  if (cmbt_random_int(random, 0, 1)) {
    add_rows(m, random);
  } else {
    subtract_nearly_parallel_rows(m, random);
  }
}

/* Returns the pattern of all entries that G or the dependent row may have. */
static cmb_pattern find_pattern(struct matrix *m)
{
  int count = 0;
  for (int i = 0; i < m->ng; i++) {
    for (int j = 0; j < m->nv; j++) {
      const bool sum = i == m->dependent && m->sum[j] != 0;
      if (m->G[i][j] != 0 || sum) m->at[count++] = j;
    }
    m->start[i + 1] = count;
  }
  return (cmb_pattern){.rows = m->ng, .columns = m->nv, .start = m->start, .column = m->at};
}

/* Fills in the values, in their units. The dependent row is the sum plus `away` in its own column; away < 0: the row as it was at first. */
static void fill(struct matrix *m, double away)
{
  for (int i = 0; i < m->ng; i++) {
    for (int k = m->start[i]; k < m->start[i + 1]; k++) {
      const int j = m->at[k];
      const double turned = j == i ? away : m->sum[j];
      const double entry = i == m->dependent && away >= 0 ? turned : m->G[i][j];
      m->values[k] = entry * m->row[i] * m->column[j];
    }
  }
}

/* Returns a lower bound of sin² of the angle between the dependent row and the span of the others: no other row has an entry in its own
 * column. */
static double distance2(const struct matrix *m, double away)
{
  const int own = m->dependent;
  const double unit = m->column[own] * m->column[own] / m->M[own];
  double length2 = away * away * unit;
  for (int j = 0; j < m->nv; j++) {
    length2 += m->sum[j] * m->sum[j] * m->column[j] * m->column[j] / m->M[j];
  }
  return away * away * unit / length2;
}

/* Returns whether full rank is claimed, as kkt.c decides: no pivot is up to ROUNDING w², with w the entries of the widest row of the
 * factors, and cmb_kkt_sparse_certain confirms the others. */
static bool is_certain(cmb_kkt_sparse *sparse, struct matrix *m, double away)
{
  const double widest = cmb_kkt_sparse_widest(sparse), zero = ROUNDING * widest * widest;
  fill(m, away);
  const cmb_status status = cmb_kkt_sparse_factor(sparse, m->values, m->values, zero);
  assert_true(status == CMB_OK || status == CMB_RETRY_SINGULAR);
  return status == CMB_OK && cmb_kkt_sparse_certain(sparse, ROUNDING);
}

/* Checks the decision for the dependent row with `away` in its own column: full rank is never claimed for 0, and has to be claimed where
 * sin² is far above rounding, amplified by 1/tilt². */
static void check_at(cmb_kkt_sparse *sparse, struct matrix *m, double away)
{
  const bool certain = is_certain(sparse, m, away);
  if (away == 0) assert_false(certain);
  if (distance2(m, away) * m->tilt * m->tilt > 1e6 * ROUNDING) assert_true(certain);
}

static void claims_hold_on_random_matrices(void **state)
{
  (void)state;
  struct cmbt_random random = {11};
  static struct matrix m;
  const int trials = cmbt_count("CAMBER_CERTAIN", 300);
  for (int trial = 0; trial < trials; trial++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_arena *arena = cmb_arena_create(ctx);
    cmb_kkt_sparse *sparse;
    make_rows(&m, &random);
    const cmb_pattern pattern = find_pattern(&m);
    const cmb_kkt_shape shape = {m.nv, m.ng, true, NULL, &pattern};
    cmbt_ok(ctx, cmb_kkt_sparse_create(ctx, arena, &shape, &sparse));
    cmbt_ok(ctx, cmb_kkt_sparse_mass(sparse, m.M));
    for (int round = 0; round < 12; round++) {
      /* in random order: what was proved for one matrix must not be used for another */
      const int what = cmbt_random_int(&random, 0, 3);
      const double away = ldexp(1, -cmbt_random_int(&random, 0, 26));
      if (what == 0) assert_true(is_certain(sparse, &m, -1));
      if (what == 1) check_at(sparse, &m, 0);
      if (what > 1) check_at(sparse, &m, away);
    }
    cmb_arena_destroy(arena);
    cmb_context_destroy(ctx);
  }
}

/* Moves a row in small steps towards the span of two nearly parallel ones. Checks that an object that has factorised the matrices before
 * decides each of them as a new object does. */
static void decisions_do_not_depend_on_earlier_matrices(void **state)
{
  (void)state;
  struct cmbt_random random = {13};
  static struct matrix m;
  enum { TRIALS = 300 };
  int doubtful = 0;
  for (int trial = 0; trial < TRIALS; trial++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_arena *arena = cmb_arena_create(ctx);
    cmb_kkt_sparse *old;
    do {
      make_rows(&m, &random);
    } while (m.tilt == 1);
    const cmb_pattern pattern = find_pattern(&m);
    const cmb_kkt_shape shape = {m.nv, m.ng, true, NULL, &pattern};
    cmbt_ok(ctx, cmb_kkt_sparse_create(ctx, arena, &shape, &old));
    cmbt_ok(ctx, cmb_kkt_sparse_mass(old, m.M));
    bool certain = true;
    for (int k = 0; certain && k < 120; k++) {
      cmb_kkt_sparse *fresh;
      cmbt_ok(ctx, cmb_kkt_sparse_create(ctx, arena, &shape, &fresh));
      cmbt_ok(ctx, cmb_kkt_sparse_mass(fresh, m.M));
      certain = is_certain(fresh, &m, exp2(-k / 4.0));
      assert_int_equal(is_certain(old, &m, exp2(-k / 4.0)), certain);
    }
    doubtful += !certain;
    cmb_arena_destroy(arena);
    cmb_context_destroy(ctx);
  }
  assert_int_equal(doubtful, TRIALS);
}

/* Rows (1, 1, 0, ..), (0, 1, 1, 0, ..), .. with masses 1e12 at the first and last velocity. Without these two the rows would be dependent
 * (one more than velocities), so the least pivot is below 1e-10, and yet full rank is claimed. With masses 1e300 it is not. */
static void a_chain_with_small_pivots_has_full_rank(void **state)
{
  (void)state;
  static struct matrix m;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_kkt_sparse *sparse;
  memset(&m, 0, sizeof m);
  m.ng = MOST_ROWS, m.nv = MOST_ROWS + 1, m.dependent = -1;
  for (int i = 0; i < m.ng; i++) m.G[i][i] = m.G[i][i + 1] = m.row[i] = 1;
  for (int j = 0; j < m.nv; j++) m.column[j] = 1, m.M[j] = j == 0 || j == m.ng ? 1e12 : 1;
  const cmb_pattern pattern = find_pattern(&m);
  const cmb_kkt_shape shape = {m.nv, m.ng, true, NULL, &pattern};
  cmbt_ok(ctx, cmb_kkt_sparse_create(ctx, arena, &shape, &sparse));
  cmbt_ok(ctx, cmb_kkt_sparse_mass(sparse, m.M));
  assert_true(is_certain(sparse, &m, -1));
  cmbt_below(cmb_kkt_sparse_least(sparse), 1e-10);
  m.M[0] = m.M[m.ng] = 1e300; /* as good as fixed: one row is too many */
  cmbt_ok(ctx, cmb_kkt_sparse_mass(sparse, m.M));
  assert_false(is_certain(sparse, &m, -1));
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims_hold_on_random_matrices),
      cmocka_unit_test(decisions_do_not_depend_on_earlier_matrices),
      cmocka_unit_test(a_chain_with_small_pivots_has_full_rank),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
