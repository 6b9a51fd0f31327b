/*
 * Computes the positions of the sliders on the page of a model (view_model.h): each free coordinate of the mechanism is moved from its value at
 * the start in both directions while the others keep their values (cmb_freedoms), as far as its planned range goes, the loops can be closed, and
 * no stop is reached.
 */
#include "cli/view_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of sliders, of positions on a side of the start, and of bisections. */
enum { MOST_SLIDERS = 24, MOST_ON_A_SIDE = 40, LEAST_ON_A_SIDE = 5, HALVINGS = 10 };

/* Greatest changes of coordinates: half a turn each way for the angle of a joint, 30° for a rotation described by Euler parameters, and for a
 * translation this part of the mechanism's size. */
static const double TURN = 3.14159265358979323846, TILT = 0.5235987755982988, SHIFT = 0.25;

/* If a side has fewer positions than this fraction of the planned number, it is computed again in smaller steps. */
static const double COARSE = 0.6;

/* The positions of a slider on one side of its start value. */
struct side {
  /* (most x (1 + nq)) the value of the slider and q, in order of the distance from the start */
  double *rows;
  int count, most;         /* number of positions; the greatest number */
  double value;            /* value that was reached */
  enum cli_slider_end end; /* why the range ends there */
  const char *stop;        /* name of the stop or contact that is reached; NULL: none */
};

/* Working data for the positions of a slider. */
struct slider_work {
  struct cli_view_place *p;
  double *q, *kept; /* (nq) current position; last valid one */
  double *values;   /* (outputs) */
  bool in_time;     /* whether the slider moves the time, else a coordinate */
};

/* Returns the time that belongs to a value of a slider control: this value itself if the control moves the time (for prescribed motions),
 * otherwise the time of the state that the HTML page shows. */
static double time_of(const struct slider_work *w, double value)
{
  return w->in_time ? value : w->p->t;
}

/* ---- one side */

/* Appends the current position w->q[nq] of the mechanism and the value of the slider control to s->rows, the positions on one side of the start
 * value, and sets s->value to this value. */
static void append_position(const struct slider_work *w, struct side *s, double value)
{
  const int nq = w->p->eq.nq;
  double *row = s->rows + (ptrdiff_t)s->count++ * (1 + nq);
  row[0] = s->value = value;
  memcpy(row + 1, w->q, (size_t)nq * sizeof *row);
}

/* Moves the mechanism from the value s->value of a slider control to *value and stores the position in w->q. If the loops cannot be closed
 * there, *value becomes the last value at which they can be (unless it is a time), and s->end the reason. *arrived becomes whether the position
 * is valid: constraints satisfied, no stop or contact reached. */
static cmb_status step(const struct slider_work *w, struct side *s, double *value, bool *arrived)
{
  double reached;
  bool met;
  const double change = *value - s->value;
  cmb_freedoms *f = w->p->freedoms;
  *arrived = false;
  s->end = CLI_END_LOOPS;
  CMB_TRY(cmb_freedoms_move(f, w->in_time ? 0 : change, time_of(w, *value), w->q, &reached));
  if (reached < 1 && w->in_time) return CMB_OK;
  if (reached < 1) *value = s->value + reached * change;
  CMB_TRY(cmb_freedoms_check(f, time_of(w, *value), w->q, &met));
  if (!met) return CMB_OK;
  CMB_TRY(cmb_freedoms_closed_gap(f, time_of(w, *value), w->q, &s->stop));
  if (s->stop) {
    s->end = CLI_END_STOP;
    return CMB_OK;
  }
  *arrived = true;
  if (reached >= 1) s->end = CLI_END_CHOSEN;
  return CMB_OK;
}

/* Finds the last position before a stop or contact is reached, by bisection between s->value and `value` of a slider control, and appends it to
 * s unless it is that of s->value. On entry w->kept[nq] is the position of s->value; on return both w->q and w->kept are the position found. */
static cmb_status approach_stop(const struct slider_work *w, struct side *s, double value)
{
  const size_t size = (size_t)w->p->eq.nq * sizeof *w->q;
  const double from = s->value;
  const char *stop = s->stop;
  double good = 0, bad = 1;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = from + 0.5 * (good + bad) * (value - from);
    bool arrived;
    memcpy(w->q, w->kept, size);
    CMB_TRY(step(w, s, &middle, &arrived));
    if (arrived && s->end == CLI_END_CHOSEN) {
      good = 0.5 * (good + bad);
      memcpy(w->kept, w->q, size);
      s->value = middle;
    } else {
      bad = 0.5 * (good + bad);
    }
  }
  s->end = CLI_END_STOP;
  s->stop = stop;
  memcpy(w->q, w->kept, size);
  if (good > 0) append_position(w, s, s->value);
  return CMB_OK;
}

/* Moves a slider control from the value `start` in up to `count` steps of `size` (with sign), until loops cannot be closed or a stop or contact
 * is reached. The positions of the mechanism replace those in *s, and s->end tells why the range ends. */
static cmb_status move_from_start(const struct slider_work *w, double start, double size, int count,
                                  struct side *s)
{
  const size_t bytes = (size_t)w->p->eq.nq * sizeof *w->q;
  memcpy(w->q, w->p->q, bytes);
  s->count = 0;
  s->value = start;
  s->stop = NULL;
  s->end = CLI_END_CHOSEN;
  for (int n = 1; n <= count && s->end == CLI_END_CHOSEN; n++) {
    double value = start + n * size;
    bool arrived;
    memcpy(w->kept, w->q, bytes);
    CMB_TRY(step(w, s, &value, &arrived));
    if (arrived && fabs(value - s->value) > 1e-6 * fabs(size)) append_position(w, s, value);
    if (!arrived && s->end == CLI_END_STOP) CMB_TRY(approach_stop(w, s, value));
  }
  return CMB_OK;
}

/* Computes the positions of the mechanism for a slider control on one side of the value `start`, over the distance `reach` (with sign), in
 * s->most − 1 steps. If the range ends early, because loops can no longer be closed or at a stop or contact, so that fewer than the fraction
 * COARSE of the steps remain, uses smaller steps up to that end. */
static cmb_status fill_side(const struct slider_work *w, double start, double reach, struct side *s)
{
  const int count = s->most - 1;
  CMB_TRY(move_from_start(w, start, reach / count, count, s));
  if (s->end == CLI_END_CHOSEN || s->count >= COARSE * count) return CMB_OK;
  const double far = s->value - start;
  if (!(fabs(far) > 1e-6 * fabs(reach))) return CMB_OK;
  const enum cli_slider_end end = s->end;
  const char *stop = s->stop;
  /* the end is known, and is reached or nearly so */
  CMB_TRY(move_from_start(w, start, far / count, count, s));
  s->end = end;
  s->stop = stop;
  return CMB_OK;
}

/* ---- one slider */

/* Joins the positions of the mechanism below and above the start value of a slider control, sides[0] and sides[1], with the start position
 * between them, to one array s->frames in ascending order. Computes the model's outputs at each position, s->outputs (positions x outputs).
 * Allocates both arrays. Copies why either side ends to s->end and s->stop. */
static cmb_status join(struct slider_work *w, const struct side sides[2], int outputs,
                       struct cli_slider *s)
{
  const int nq = w->p->eq.nq, low = sides[0].count;
  const size_t row_size = (size_t)(1 + nq) * sizeof(double);
  const long count = low + 1 + sides[1].count;
  s->frames = (struct cli_frames){.nq = nq, .count = count, .room = count};
  s->frames.rows = calloc((size_t)count, row_size);
  s->outputs = calloc((size_t)(count * outputs) + 1, sizeof *s->outputs);
  if (!s->frames.rows || !s->outputs) return CMB_ERROR_MEMORY;
  for (long k = 0; k < count; k++) {
    double *row = s->frames.rows + k * (1 + nq);
    const long side = k < low ? low - 1 - k : k - low - 1;
    const struct side *from = &sides[k > low];
    if (k == low) {
      row[0] = s->start;
      memcpy(row + 1, w->p->q, (size_t)nq * sizeof *row);
    } else {
      memcpy(row, from->rows + side * (1 + nq), row_size);
    }
    const double t = time_of(w, row[0]);
    CMB_TRY(cmb_freedoms_observe(w->p->freedoms, t, row + 1, w->values));
    for (int i = 0; i < outputs; i++) s->outputs[k * outputs + i] = (float)w->values[i];
  }
  for (int i = 0; i < 2; i++) s->end[i] = sides[i].end, s->stop[i] = sides[i].stop;
  return CMB_OK;
}

/* Computes the positions of the mechanism along a slider control from its start value down to `low` and up to `high`, as far as loops and stops
 * permit, with on_a_side steps on either side; also the model's outputs, `outputs` in number, at each position. */
static cmb_status fill(struct slider_work *w, double low, double high, int on_a_side, int outputs,
                       struct cli_slider *s)
{
  const size_t row_size = (size_t)(1 + w->p->eq.nq) * sizeof(double);
  const double reach[2] = {low - s->start, high - s->start};
  struct side sides[2] = {{.most = on_a_side + 1}, {.most = on_a_side + 1}};
  cmb_status status = CMB_OK;
  for (int i = 0; i < 2 && status == CMB_OK; i++) {
    sides[i].rows = calloc((size_t)sides[i].most + 1, row_size);
    if (!sides[i].rows) status = CMB_ERROR_MEMORY;
    if (status == CMB_OK && reach[i] != 0) status = fill_side(w, s->start, reach[i], &sides[i]);
  }
  if (status == CMB_OK) status = join(w, sides, outputs, s);
  free(sides[0].rows);
  free(sides[1].rows);
  return status;
}

/* Computes the positions along the slider control of degree of freedom k: half a turn to either side for an angle, 30° for a rotation described
 * by Euler parameters, a quarter of the mechanism's size for a translation, as far as loops and stops permit. on_a_side is the number of steps
 * on either side, `outputs` that of outputs. */
static cmb_status fill_freedom(struct slider_work *w, int k, int on_a_side, int outputs,
                               struct cli_slider *s)
{
  int count;
  const cmb_freedom *d = &cmb_freedoms_list(w->p->freedoms, &count)[k];
  const double reach = !d->angle ? SHIFT * w->p->size : d->axis < 0 ? TURN : TILT;
  *s = (struct cli_slider){.name = d->name, .unit = d->angle ? "rad" : "m", .start = d->start};
  CMB_TRY(cmb_freedoms_drive(w->p->freedoms, k));
  return fill(w, s->start - reach, s->start + reach, on_a_side, outputs, s);
}

/* ---- the slider of time */

/* Finds out whether the constraints depend on time, as prescribed motions do: *depends is true if the shown position violates them at one of 33
 * later times, evenly spaced up to the end of the run. */
static cmb_status depends_on_time(struct slider_work *w, bool *depends)
{
  enum { LOOKS = 33 };
  *depends = false;
  for (int k = 1; k <= LOOKS && !*depends; k++) {
    bool met = true;
    const double t = w->p->t + (w->p->t_end - w->p->t) * k / LOOKS;
    CMB_TRY(cmb_freedoms_check(w->p->freedoms, t, w->p->q, &met));
    *depends = !met;
  }
  return CMB_OK;
}

/* Appends a slider control for the time to *all if the constraints depend on time (prescribed motions), with the positions of the mechanism
 * from the time shown to the end of the run, in 2 on_a_side steps. Otherwise does nothing. */
static cmb_status fill_time(struct slider_work *w, int on_a_side, struct cli_sliders *all)
{
  struct cli_slider *s = &all->list[all->count];
  bool depends = false;
  if (w->p->t_end > w->p->t) CMB_TRY(depends_on_time(w, &depends));
  if (!depends) return CMB_OK;
  all->count++;
  *s = (struct cli_slider){.name = "t", .unit = "s", .start = w->p->t};
  w->in_time = true;
  CMB_TRY(cmb_freedoms_drive(w->p->freedoms, CMB_FREEDOMS_HELD));
  return fill(w, s->start, w->p->t_end, 2 * on_a_side, all->outputs, s);
}

/* ---- all sliders */

/* Returns how many numbers the HTML page stores for each position of a slider control: the poses of the bodies, the outputs and the control's
 * value. */
static int numbers_of(const struct cli_view_place *p, const struct cli_sliders *s)
{
  return CLI_A_POSE * p->bodies + s->outputs + 1;
}

/* Returns the smaller of two numbers. */
static int least_of(int a, int b)
{
  return a < b ? a : b;
}

/* Returns how many degrees of freedom get a slider control in the HTML page: at most MOST_SLIDERS, and only as many as the page has room for,
 * with LEAST_ON_A_SIDE positions on both sides of the start value; at least one if the mechanism has any. */
static int choose_moved(const struct cli_view_place *p, const struct cli_sliders *s)
{
  const int room = CLI_VIEW_NUMBERS / (numbers_of(p, s) * (2 * LEAST_ON_A_SIDE + 1)) - 1;
  return least_of(least_of(s->freedoms, MOST_SLIDERS), room > 1 ? room : 1);
}

/* Returns how many positions each slider control has on either side of its start value, so that all fit into the HTML page; between
 * LEAST_ON_A_SIDE and MOST_ON_A_SIDE. */
static int positions_on_a_side(const struct cli_view_place *p, const struct cli_sliders *s)
{
  const int most = (CLI_VIEW_NUMBERS / (numbers_of(p, s) * (s->moved + 1)) - 1) / 2;
  return most < LEAST_ON_A_SIDE ? LEAST_ON_A_SIDE : least_of(most, MOST_ON_A_SIDE);
}

/* Computes the positions of the mechanism over the ranges of all slider controls of the HTML page: one control for each chosen degree of
 * freedom and, if constraints depend on time, one for the time. Returns CMB_ERROR_INTERRUPTED if the user interrupts. */
static cmb_status fill_all(struct slider_work *w, struct cli_sliders *s)
{
  const int on_a_side = positions_on_a_side(w->p, s);
  for (int k = 0; k < s->moved; k++) {
    s->count++;
    CMB_TRY(fill_freedom(w, k, on_a_side, s->outputs, &s->list[k]));
    if (!cli_view_advance(w->p)) return CMB_ERROR_INTERRUPTED;
  }
  return fill_time(w, on_a_side, s);
}

cmb_status cli_sliders_find(struct cli_view_place *p, struct cli_sliders *s)
{
  struct slider_work w = {.p = p};
  *s = (struct cli_sliders){.count = 0};
  cmb_freedoms_list(p->freedoms, &s->freedoms);
  s->output = cmb_freedoms_outputs(p->freedoms, &s->outputs);
  s->moved = choose_moved(p, s);
  s->list = calloc((size_t)s->moved + 1, sizeof *s->list);
  w.q = calloc(2 * (size_t)p->eq.nq + (size_t)s->outputs + 1, sizeof *w.q);
  cmb_status status = s->list && w.q ? CMB_OK : CMB_ERROR_MEMORY;
  if (status == CMB_OK) {
    w.kept = w.q + p->eq.nq;
    w.values = w.kept + p->eq.nq;
    status = fill_all(&w, s);
  }
  free(w.q);
  return status;
}

void cli_sliders_release(struct cli_sliders *s)
{
  for (int k = 0; s->list && k < s->count; k++) {
    free(s->list[k].frames.rows);
    free(s->list[k].outputs);
  }
  free(s->list);
}

/* ---- the page */

/* Writes why the range of a slider control ends on one side (0: lower, 1: upper) as a JSON object under `key`: the end of the range that was
 * asked for, a position beyond which loops cannot be closed, or a stop or contact, with its name. */
static void put_end(struct cli_json *j, const char *key, const struct cli_slider *s, int side)
{
  static const char *const words[] = {
      [CLI_END_CHOSEN] = "chosen", [CLI_END_LOOPS] = "loops", [CLI_END_STOP] = "stop"};
  cli_json_open(j, key, '{');
  cli_json_text(j, "why", words[s->end[side]]);
  if (s->stop[side]) cli_json_text(j, "stop", s->stop[side]);
  cli_json_close(j, '}');
}

/* Writes a slider control as a JSON object: its name, unit and start value, what limits its range at each end, and the poses of the bodies and
 * the outputs at each of its positions. */
static cmb_status put_slider(struct cli_json *j, const struct cli_view_place *p, int outputs,
                             const struct cli_slider *s)
{
  struct cli_poses poses;
  const cmb_status status = cli_report_poses_by(p->poses, p->bodies, &s->frames, &poses);
  if (status == CMB_OK) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", s->name);
    cli_json_text(j, "unit", s->unit);
    cli_json_number(j, "start", s->start);
    put_end(j, "low", s, 0);
    put_end(j, "high", s, 1);
    cli_report_poses(j, &poses);
    cli_json_bytes(j, "outputs", s->outputs,
                   (size_t)(s->frames.count * outputs) * sizeof *s->outputs);
    cli_json_close(j, '}');
  }
  cli_report_release_poses(&poses);
  return status;
}

/* Writes the names and units of the model's outputs that are shown with the slider controls as the JSON list "outputs". */
static void put_outputs(struct cli_json *j, const struct cli_view_place *p,
                        const struct cli_sliders *s)
{
  cli_json_open(j, "outputs", '[');
  for (int i = 0; i < s->outputs; i++) {
    cli_json_open(j, NULL, '{');
    cli_json_text(j, "name", p->eq.output_names[s->output[i]]);
    cli_json_text(j, "unit", p->eq.output_units ? p->eq.output_units[s->output[i]] : "");
    cli_json_close(j, '}');
  }
  cli_json_close(j, ']');
}

cmb_status cli_sliders_put(struct cli_json *j, const struct cli_view_place *p,
                           const struct cli_sliders *s)
{
  cmb_status status = CMB_OK;
  cli_json_open(j, "sliders", '{');
  cli_json_integer(j, "freedoms", s->freedoms);
  cli_json_integer(j, "shown", s->moved);
  put_outputs(j, p, s);
  cli_json_open(j, "list", '[');
  for (int k = 0; k < s->count && status == CMB_OK; k++) {
    status = put_slider(j, p, s->outputs, &s->list[k]);
  }
  cli_json_close(j, ']');
  cli_json_close(j, '}');
  return status;
}
