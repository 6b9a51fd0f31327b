/*
 * Full rank from sparse pivots (cmb_kkt_sparse_certain): never claimed of a matrix that lacks it, and claimed where the distance from
 * losing it is more than rounding. Rows of small integers, each with a column of its own, have full rank; one that is a sum of
 * multiples of others, its own column left out, makes it one less, exactly; and with a small number in that column its distance is
 * known. Where it is the difference of two rows that are nearly parallel, rounding leaves much more than itself of a pivot that should
 * be 0. Units of rows and columns are powers of 2, so that nothing of this is rounded.
 */
#include "base/arena.h"
#include "check.h"
#include "math/kkt_sparse.h"
#include "random.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 60, SHARED = 12, MOST_COLUMNS = MOST_ROWS + SHARED, REACH = 4 };

static const double ROUNDING = 4 * DBL_EPSILON; /* as kkt.c has it */

struct matrix {
  int ng, nv, dependent;
  double tilt; /* of two rows whose difference the dependent one is; 1: there are none */
  double G[MOST_ROWS][MOST_COLUMNS];           /* as integers, without the dependent row */
  double sum[MOST_COLUMNS];                    /* that row without its own column */
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

/* The dependent row is a sum of multiples of rows before it. */
static void add_rows(struct matrix *m, struct cmbt_random *random)
{
  const int terms = cmbt_random_int(random, 1, REACH);
  for (int k = 1; k <= terms; k++) {
    const double times = some_integer(random);
    for (int j = 0; j < m->nv; j++) m->sum[j] += times * m->G[m->dependent - k][j];
  }
}

/* Or it is the difference of two rows that are nearly parallel, made large: rounding is made large with it. */
static void tilt_a_row(struct matrix *m, struct cmbt_random *random)
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

/* Column i is that of row i; those behind are shared by rows that are near each other. */
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
    tilt_a_row(m, random);
  }
}

/* The pattern of all that the dependent row may have. */
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

/* Values in their units: the dependent row is the sum plus `away` in its own column; away < 0: the row as it was first. */
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

/* sin² of the angle between the dependent row and the span of the others, from below: only it has its own column. */
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

/* As kkt.c decides: pivots that the rows they meet can have made are zero, of the others cmb_kkt_sparse_certain judges. */
static bool is_certain(cmb_kkt_sparse *sparse, struct matrix *m, double away)
{
  const double widest = cmb_kkt_sparse_widest(sparse), zero = ROUNDING * widest * widest;
  fill(m, away);
  const cmb_status status = cmb_kkt_sparse_factor(sparse, m->values, m->values, zero);
  assert_true(status == CMB_OK || status == CMB_RETRY_SINGULAR);
  return status == CMB_OK && cmb_kkt_sparse_certain(sparse, ROUNDING);
}

/* Away by this: full rank is beyond doubt where sin² is far above what w² roundings make of 0, with w entries in a row of the factors. */
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
      /* in any order: what was shown of one matrix must not be taken for another */
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

/* A row that comes nearer to the span of two that are nearly parallel, in small steps: what is said of each matrix by one who has seen those before is what is
 * said by one who sees it first. */
static void what_was_shown_before_does_not_decide(void **state)
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

/* Rows in a chain, each nearly the one before: pivots of independent rows that are far below n² eps, as those of long rows of bodies.
 * (1, 1, 0, ..), (0, 1, 1, 0, ..): their last pivots fall as 1/n, and again as 1/n with all lengths made alike. */
static void a_chain_is_certain_also_when_its_pivots_are_small(void **state)
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
  m.M[0] = m.M[m.ng] = 1e300; /* held at both ends: one too many */
  cmbt_ok(ctx, cmb_kkt_sparse_mass(sparse, m.M));
  assert_false(is_certain(sparse, &m, -1));
  cmb_arena_destroy(arena);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(claims_hold_on_random_matrices),
      cmocka_unit_test(what_was_shown_before_does_not_decide),
      cmocka_unit_test(a_chain_is_certain_also_when_its_pivots_are_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
