/*
 * Fuzz target: files of the format OpenCRG. The input is the file.
 *
 * For all bytes, reading returns either an error message of one line in ASCII with a position inside the file, or a grid with at least two
 * points in each direction, not larger than the file, with ascending u and v and finite heights. The grid of a straight road, written in the
 * form KDBI with a column for each v, is read back unchanged; on a curved reference line the points of the grid are found at their positions.
 */
#include "expr/foot.h"
#include "model/crg.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char file[] = "fuzz.crg";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
  if (!holds) abort();
}

static void require_message(const char *message, const char *bytes, size_t length)
{
  int lines = 1, line, column;
  for (size_t i = 0; i < length; i++) lines += bytes[i] == '\n';
  require(strncmp(message, "fuzz.crg:", 9) == 0);
  require(sscanf(message + 9, "%d:%d:", &line, &column) == 2);
  require(line >= 1 && line <= lines && column >= 1 && column <= 81);
  for (const char *at = message; *at; at++) require(*at >= ' ' && *at <= '~');
}

static void require_grid(const cmb_crg *crg, size_t length)
{
  require(crg->nu >= 2 && crg->nv >= 2 && (size_t)crg->nu * (size_t)crg->nv < length);
  for (int i = 0; i < crg->nu; i++) require(i == 0 ? crg->u[0] == 0 : crg->u[i] > crg->u[i - 1]);
  for (int j = 1; j < crg->nv; j++) require(crg->v[j] > crg->v[j - 1]);
  for (int k = 0; k < crg->nu * crg->nv; k++) require(isfinite(crg->z[k]));
  for (int i = 0; i < 3; i++) require(isfinite(crg->start[i]));
  require(isfinite(crg->phi));
}

static char *write_number(char *to, double x)
{
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  for (int k = 56; k >= 0; k -= 8) *to++ = (char)(bits >> k & 0xff);
  return to;
}

static void read_back(cmb_reader *r, const cmb_crg *crg)
{
  const int count = crg->nu * crg->nv, filled = (count + 9) / 10 * 10;
  const size_t room = 300 + (size_t)crg->nv * 60 + (size_t)filled * 8;
  char *text = malloc(room), *to = text;
  cmb_crg again;
  require(text != NULL);
  to += snprintf(to, room,
                 "$CT\n$\n$ROAD_CRG\nREFERENCE_LINE_START_PHI = %.17g\nREFERENCE_LINE_INCREMENT = "
                 "%.17g\n$\n$KD_Definition\n#:KDBI\n",
                 crg->phi, crg->u[1]);
  for (int j = 0; j < crg->nv; j++)
    to += snprintf(to, room - (size_t)(to - text), "D:long section at v = %.17g,m\n", crg->v[j]);
  to += snprintf(to, room - (size_t)(to - text), "$\n$$$$\n");
  for (int k = 0; k < filled; k++) to = write_number(to, k < count ? crg->z[k] : (double)NAN);
  require(cmb_parse_crg(r, file, text, (size_t)(to - text), &again) == CMB_OK);
  require(again.nu == crg->nu && again.nv == crg->nv && again.phi == crg->phi);
  require(memcmp(again.u, crg->u, (size_t)crg->nu * sizeof *crg->u) == 0);
  require(memcmp(again.v, crg->v, (size_t)crg->nv * sizeof *crg->v) == 0);
  for (int k = 0; k < count; k++) require(again.z[k] == crg->z[k]); /* -0 + 0 is 0 */
  free(text);
}

/* Checks that the point at row i and at the distance v from the reference line is projected back to row i and v. Leaves out points near the
 * end of a closed line, whose projection may be at either end. */
static void require_foot(const cmb_crg *crg, int i, double v)
{
  const cmb_table *t = crg->line;
  double p[2], d[2], at[2];
  const bool closed = t->c[3] > 0;
  if (closed && (i < 4 || i > crg->nu - 5)) return;
  for (int k = 0; k < 2; k++) {
    p[k] = cmb_table_value(t->line[k], 0, crg->u[i]);
    d[k] = cmb_table_value(t->line[k], 1, crg->u[i]);
  }
  for (int k = 0; k < 2; k++) at[k] = p[k] + (k == 0 ? -d[1] : d[0]) * v / hypot(d[0], d[1]);
  const double size = fabs(at[0]) + fabs(at[1]) + fabs(v);
  require(fabs(cmb_foot_value(t, false, at[0], at[1]) - crg->u[i]) <=
          1e-3 * crg->u[1] + 1e-9 * size);
  require(fabs(cmb_foot_value(t, true, at[0], at[1]) - v) <= 1e-6 * crg->u[1] + 1e-9 * size);
}

static void require_line(const cmb_crg *crg)
{
  require(crg->turns && crg->line->nx == crg->nu);
  for (int i = 0; i < crg->nu; i++) {
    require_foot(crg, i, crg->v[0]);
    require_foot(crg, i, 0);
    require_foot(crg, i, crg->v[crg->nv - 1]);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *bytes = malloc(
      size > 0 ? size
               : 1); /* of the exact length, so that the sanitizer detects reading beyond the end */
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_arena *scratch = cmb_arena_create(ctx);
  cmb_reader *r = scratch ? cmb_arena_take(scratch, 1, sizeof *r) : NULL;
  cmb_crg crg;
  require(bytes && r);
  if (size > 0) memcpy(bytes, data, size);
  *r = (cmb_reader){.ctx = ctx, .scratch = scratch};
  cmb_reader_subject(r, "road", "f", NULL);
  const cmb_status status = cmb_parse_crg(r, file, bytes, size, &crg);
  if (status == CMB_OK) {
    require_grid(&crg, size);
    if (crg.line)
      require_line(&crg);
    else
      read_back(r, &crg);
    cmb_table_destroy(crg.line);
  } else {
    require(!crg.line);
    require(status == CMB_ERROR_INPUT);
    require_message(cmb_last_error(ctx), bytes, size);
  }
  cmb_arena_destroy(scratch);
  cmb_context_destroy(ctx);
  free(bytes);
  return 0;
}
