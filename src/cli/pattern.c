/*
 * Computes and shows the sparsity pattern of the Jacobian for `camber check --pattern` (pattern.h). The picture shows the matrix twice, with
 * a dot for each entry in the colour of its column's group: in the order of the equations, as in Fig. 3 of Arnold, Fuchs and Führer 2006,
 * and with the columns of a group side by side, as in Figs. 4 and 5, where no row has two dots of one group.
 */
#include "cli/pattern.h"

#include "cli/plot.h"

#include <math.h>
#include <stdlib.h>

/* Lengths in pixels. */
enum {
  SIDE = 420,       /* greatest width of a matrix */
  LEAST_SIDE = 240, /* smallest width of a matrix */
  MARGIN = 56,      /* to the left of the first matrix */
  TOP = 78,         /* above the matrices */
  BETWEEN = 44,     /* between the two matrices */
  BELOW = 46        /* below the matrices */
};

/* ---- computing the pattern */

/* Computes the sparsity pattern of the Jacobian of the equations by positions and velocities at the state r, and groups its columns: columns of
 * a group share no row, so one difference quotient serves all of them. Stores the results in *p, which the caller has to release even after a
 * failure. */
cmb_status cli_pattern_find(cmb_context *ctx, const cmb_system *system, const cmb_result *r,
                            struct cli_pattern *p)
{
  const cmb_equations *eq = cmb_system_equations(system);
  const size_t columns = 2 * (size_t)eq->nv, rows = (size_t)eq->nv + (size_t)eq->ng;
  *p = (struct cli_pattern){.eq = eq, .t = r->t};
  p->nonzero = calloc(rows * columns + 1, sizeof *p->nonzero);
  p->group = calloc(columns + 1, sizeof *p->group);
  if (!p->nonzero || !p->group) return CMB_ERROR_MEMORY;
  return cmb_system_jacobian(ctx, system, r->t, r->q, r->v, r->mode, &p->report, p->nonzero,
                             p->group);
}

void cli_pattern_release(struct cli_pattern *p)
{
  free(p->nonzero);
  free(p->group);
  p->nonzero = NULL;
  p->group = NULL;
}

/* ---- text and JSON */

/* Prints the name of column j of the Jacobian: of a position coordinate for j < nv, of a velocity otherwise. Where coordinates and velocities
 * do not correspond one to one, a position is written as "along" followed by the name of the velocity. */
static void print_column(const cmb_equations *eq, int j)
{
  if (j >= eq->nv) {
    printf("%s", eq->v_names[j - eq->nv]);
  } else if (cmb_velocities_pair(eq) && j < eq->nq) {
    printf("%s", eq->q_names[j]);
  } else {
    printf("along %s", eq->v_names[j]);
  }
}

/* Prints one line about a group of Jacobian columns (which share no row, so that one difference quotient serves all of them): its number and
 * the names of its columns. */
static void print_group(const struct cli_pattern *p, int group)
{
  const char *before = "";
  printf("  group %-6d ", group + 1);
  for (int j = 0; j < p->report.columns; j++) {
    if (p->group[j] != group) continue;
    printf("%s", before);
    print_column(p->eq, j);
    before = ", ";
  }
  printf("\n");
}

void cli_pattern_print(const struct cli_pattern *p)
{
  const cmb_jacobian_report *r = &p->report;
  printf("  jacobian     %d rows, %d columns: %d evaluations column by column\n", r->rows,
         r->columns, r->columns + 1);
  printf("  pattern      %d entries at t = %.6g, %d groups: %d evaluations\n", r->entries, p->t,
         r->groups, r->groups + 1);
  if (r->exact_entries >= 0) {
    printf("  exact        %d entries anywhere, %d groups\n", r->exact_entries, r->exact_groups);
  }
  for (int group = 0; group < r->groups; group++) print_group(p, group);
}

void cli_pattern_json(struct cli_json *j, const struct cli_pattern *p)
{
  const cmb_jacobian_report *r = &p->report;
  cli_json_open(j, "pattern", '{');
  cli_json_integer(j, "rows", r->rows);
  cli_json_integer(j, "columns", r->columns);
  cli_json_integer(j, "entries", r->entries);
  cli_json_integer(j, "groups", r->groups);
  if (r->exact_entries >= 0) {
    cli_json_integer(j, "exact_entries", r->exact_entries);
    cli_json_integer(j, "exact_groups", r->exact_groups);
  }
  cli_json_open(j, "group", '[');
  for (int k = 0; k < r->columns; k++) cli_json_integer(j, NULL, p->group[k] + 1);
  cli_json_close(j, ']');
  cli_json_open(j, "columns_of_rows", '[');
  for (int i = 0; i < r->rows; i++) {
    cli_json_open(j, NULL, '[');
    for (int k = 0; k < r->columns; k++) {
      if (p->nonzero[i * r->columns + k]) cli_json_integer(j, NULL, k + 1);
    }
    cli_json_close(j, ']');
  }
  cli_json_close(j, ']');
  cli_json_close(j, '}');
}

/* ---- the picture */

/* One of the two matrices in the picture. */
struct matrix {
  double left, cell; /* left edge, and side of the square for an entry, in pixels */
  const int *place;  /* (columns) the column's position in the picture, 0 at the left */
};

struct picture {
  const struct cli_pattern *pattern;
  double cell;          /* side of the square for an entry of a matrix, in pixels */
  double width, height; /* of a matrix, in pixels */
  int *plain, *sorted;  /* (columns) positions in the order of the equations; by groups */
};

/* Writes a text as an SVG element at the position (x, y) in pixels. `style` is a list of further SVG attributes. */
static void put_label(FILE *to, double x, double y, const char *style, const char *text)
{
  fprintf(to, "<text x='%.1f' y='%.1f' %s>", x, y, style);
  cli_svg_text(to, text);
  fputs("</text>\n", to);
}

/* Draws the sparsity pattern of the Jacobian as SVG: a dot for each nonzero entry, in a colour for each group of columns (columns that
 * share no row). The hues of consecutive groups differ by the golden angle, so that they are easy to distinguish. */
static void put_dots(FILE *to, const struct picture *s, const struct matrix *m)
{
  const struct cli_pattern *p = s->pattern;
  const cmb_jacobian_report *r = &p->report;
  for (int j = 0; j < r->columns; j++) {
    const int hue = (int)fmod(137.508 * p->group[j], 360), light = 38 + 14 * (p->group[j] % 2);
    fprintf(to, "<g fill='hsl(%d,75%%,%d%%)'>", hue, light);
    for (int i = 0; i < r->rows; i++) {
      if (!p->nonzero[i * r->columns + j]) continue;
      fprintf(to, "<circle cx='%.2f' cy='%.2f' r='%.2f'/>", m->left + (m->place[j] + 0.5) * m->cell,
              TOP + (i + 0.5) * m->cell, 0.44 * m->cell);
    }
    fputs("</g>\n", to);
  }
}

/* Writes a straight line from (x1, y1) to (x2, y2), in pixels, as an SVG element. */
static void put_line(FILE *to, double x1, double y1, double x2, double y2, const char *colour)
{
  fprintf(to, "<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' stroke='%s'/>\n", x1, y1, x2, y2,
          colour);
}

/* Draws the frame of a Jacobian matrix as SVG, the line between the rows of the equations of motion and those of the constraints, and the
 * numbers of every n-th row and, if column_numbers is set, of every n-th column. `left` is the left edge of the matrix in pixels. */
static void put_frame(FILE *to, const struct picture *s, double left, bool column_numbers)
{
  const cmb_jacobian_report *r = &s->pattern->report;
  const int most = r->columns > r->rows ? r->columns : r->rows;
  const int every = most <= 40 ? 5 : most <= 120 ? 10 : most / 10;
  const double middle = TOP + s->pattern->eq->nv * s->cell;
  fprintf(to, "<rect x='%.1f' y='%d' width='%.1f' height='%.1f' fill='none' stroke='#555'/>\n",
          left, TOP, s->width, s->height);
  if (r->rows > s->pattern->eq->nv) put_line(to, left, middle, left + s->width, middle, "#999");
  char text[16];
  for (int k = every; k <= r->rows; k += every) {
    snprintf(text, sizeof text, "%d", k);
    put_label(to, left - 5, TOP + (k - 0.5) * s->cell + 4, "class='end'", text);
  }
  for (int k = every; column_numbers && k <= r->columns; k += every) {
    snprintf(text, sizeof text, "%d", k);
    put_label(to, left + (k - 0.5) * s->cell, TOP + s->height + 14, "class='middle'", text);
  }
}

/* Draws vertical lines between the groups of Jacobian columns (columns that share no row) in the matrix in which the columns of each group
 * are side by side. `left` is the left edge of this matrix in pixels. */
static void put_groups(FILE *to, const struct picture *s, double left)
{
  const struct cli_pattern *p = s->pattern;
  int end = 0;
  for (int group = 0; group < p->report.groups; group++) {
    for (int j = 0; j < p->report.columns; j++) end += p->group[j] == group;
    const double x = left + end * s->cell;
    put_line(to, x, TOP, x, TOP + s->height, "#ddd");
  }
}

/* Writes the texts of the picture of a Jacobian's sparsity pattern: the title, the captions of its two matrices (columns in the order of the
 * equations, and sorted by groups) and an explanation below. `second` is the left edge of the second matrix in pixels. */
static void put_captions(FILE *to, const struct picture *s, double second)
{
  const struct cli_pattern *p = s->pattern;
  const cmb_jacobian_report *r = &p->report;
  const double foot = TOP + s->height + 32;
  char text[160];
  snprintf(text, sizeof text, "%.80s: Jacobian at t = %.6g", p->eq->name, p->t);
  put_label(to, MARGIN, 24, "font-size='14'", text);
  snprintf(text, sizeof text, "%d rows, %d columns, %d entries, %d groups", r->rows, r->columns,
           r->entries, r->groups);
  put_label(to, MARGIN, 42, "class='small'", text);
  put_label(to, MARGIN + s->width / 4, TOP - 8, "class='middle'", "positions");
  put_label(to, MARGIN + 3 * s->width / 4, TOP - 8, "class='middle'", "velocities");
  put_label(to, second + s->width / 2, TOP - 8, "class='middle'", "the same, by groups");
  put_label(to, MARGIN, foot, "class='small'",
            r->rows > p->eq->nv ? "Rows: equations of motion, below the line constraints. The "
                                  "colour of a column is that of its group."
                                : "Rows: equations of motion. The colour of a column is that of "
                                  "its group.");
}

/* Writes the picture of a sparsity pattern (`what` is a struct picture) as SVG to a file. Callback of cli_svg_save. */
static void write_picture(FILE *to, const void *what)
{
  const struct picture *s = what;
  const double second = MARGIN + s->width + BETWEEN, half = MARGIN + s->width / 2;
  const int width = (int)ceil(second + s->width + 20), height = (int)ceil(TOP + s->height + BELOW);
  fprintf(to,
          "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
          "font-family='sans-serif' font-size='12'>\n"
          "<style>.small{font-size:11px;fill:#444}.end{text-anchor:end;font-size:10px;fill:#444}"
          ".middle{text-anchor:middle;font-size:11px;fill:#444}</style>\n"
          "<rect width='%d' height='%d' fill='white'/>\n",
          width, height, width, height, width, height);
  put_captions(to, s, second);
  put_line(to, half, TOP, half, TOP + s->height, "#999");
  put_groups(to, s, second);
  put_dots(to, s, &(struct matrix){MARGIN, s->cell, s->plain});
  put_dots(to, s, &(struct matrix){second, s->cell, s->sorted});
  put_frame(to, s, MARGIN, true);
  put_frame(to, s, second, false);
  fputs("</svg>\n", to);
}

/* Computes the positions at which the columns of the Jacobian are drawn: plain[columns] in the order of the equations, and sorted[columns]
 * with the columns of each group (columns that share no row) side by side. */
static void sort_columns(const struct cli_pattern *p, int *plain, int *sorted)
{
  int next = 0;
  for (int j = 0; j < p->report.columns; j++) plain[j] = j;
  for (int group = 0; group < p->report.groups; group++) {
    for (int j = 0; j < p->report.columns; j++) {
      if (p->group[j] == group) sorted[j] = next++;
    }
  }
}

cmb_status cli_pattern_draw(cmb_context *ctx, const struct cli_pattern *p, const char *path)
{
  const cmb_jacobian_report *r = &p->report;
  int *place = calloc(2 * (size_t)r->columns + 1, sizeof *place);
  if (!place) return CMB_ERROR_MEMORY;
  struct picture s = {.pattern = p, .plain = place, .sorted = place + r->columns};
  s.cell = fmin(fmax(14, LEAST_SIDE / fmax(r->columns, 1)), SIDE / fmax(r->columns, 1));
  s.width = r->columns * s.cell;
  s.height = r->rows * s.cell;
  sort_columns(p, s.plain, s.sorted);
  const cmb_status status = cli_svg_save(ctx, write_picture, &s, path);
  free(place);
  return status;
}
