/*
 * Checks that numbers of a model are physically possible, when it is read and whenever live parameters (which can change later) do so; called
 * by the readers of sections and, for later values, by layers sim and system (limits.h).
 */
#include "model/limits.h"

#include "base/context.h"
#include "base/text.h"
#include "math/vec3.h"
#include "model/reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct cmb_model_limit {
  cmb_limit_kind kind;
  const char *what, *expected; /* for messages: "the mass", "a number greater than 0" */
  cmb_place place;
  const char *subject;                     /* "body 'hub'", for messages */
  const char *subject_kind, *subject_name; /* the parts of `subject`: "body", "hub" */
  int count;
  cmb_number x[9];                    /* (count) */
  const struct cmb_model_limit *next; /* the next one in the order of reading */
};

static const double SLACK = 1e-9; /* relative tolerance: the numbers of an inertia may be rounded */

/* ---- the checks */

/* Computes turned := Rᵀ A R for 3 × 3 matrices stored by rows. */
static void rotate_matrix(const double A[9], const double R[9], double turned[9])
{
  double half[9];
  cmb_mul33(A, R, half);
  for (int i = 0; i < 9; i++) {
    turned[i] = 0;
    for (int k = 0; k < 3; k++) turned[i] += R[3 * k + i / 3] * half[3 * k + i % 3];
  }
}

/* Computes the eigenvalues e of the symmetric 3 × 3 matrix I by the Jacobi method: plane rotations, each of which makes the largest
 * off-diagonal entry 0. */
static void eigenvalues(const double I[9], double e[3])
{
  double A[9];
  memcpy(A, I, sizeof A);
  for (int sweep = 0; sweep < 50; sweep++) {
    int p = 0, q = 1;
    if (fabs(A[2]) > fabs(A[3 * p + q])) q = 2;
    if (fabs(A[5]) > fabs(A[3 * p + q])) p = 1, q = 2;
    double off = A[3 * p + q];
    if (off == 0) break;
    double angle = 0.5 * atan2(2 * off, A[4 * p] - A[4 * q]), c = cos(angle), s = sin(angle);
    double R[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, turned[9]; /* columns are the rotated axes */
    R[4 * p] = R[4 * q] = c;
    R[3 * p + q] = -s;
    R[3 * q + p] = s;
    rotate_matrix(A, R, turned);
    memcpy(A, turned, sizeof A);
    A[3 * p + q] = A[3 * q + p] = 0;
  }
  for (int i = 0; i < 3; i++) e[i] = A[4 * i];
}

/* Returns whether only one of the principal moments of inertia e is not 0, to within rounding, as for a rotor whose other moments are
 * included in the inertia of another body. */
static bool is_about_one_axis(const double e[3])
{
  const double most = fmax(e[0], fmax(e[1], e[2])), others = e[0] + e[1] + e[2] - most;
  return most > 0 && fabs(others) <= SLACK * most;
}

static bool is_impossible_inertia(const double inertia[9], size_t room, char *text)
{
  double e[3];
  for (int i = 0; i < 9; i++) {
    if (isfinite(inertia[i])) continue;
    snprintf(text, room, "the inertia is not finite");
    return true;
  }
  eigenvalues(inertia, e);
  const double most = fmax(e[0], fmax(e[1], e[2])), least = fmin(e[0], fmin(e[1], e[2]));
  if (!(least >= -SLACK * fmax(most, 0))) {
    snprintf(text, room, "the inertia has the principal moment %g; expected none below 0", least);
    return true;
  }
  const double sum = e[0] + e[1] + e[2];
  if (most <= (sum - most) * (1 + SLACK) || is_about_one_axis(e)) return false;
  snprintf(
      text, room,
      "the inertia's principal moments are %g, %g and %g; expected none larger than the sum of "
      "the two others, or, for a rotor, only one that is not 0",
      e[0], e[1], e[2]);
  return true;
}

/* Returns whether value[0] violates the bound value[1] (at least, above or at most, as l->kind specifies) or is not finite. If so, writes
 * the reason into `text` of `room` characters, with all digits, since the two may differ by little. */
static bool is_out_of_bounds(const cmb_model_limit *l, const double value[2], size_t room,
                             char *text)
{
  static const char *const words[] = {
      [CMB_AT_LEAST] = "at least", [CMB_ABOVE] = "more than", [CMB_AT_MOST] = "at most"};
  const bool good = l->kind == CMB_AT_LEAST ? value[0] >= value[1]
                    : l->kind == CMB_ABOVE  ? value[0] > value[1]
                                            : value[0] <= value[1];
  if (good && isfinite(value[0])) return false;
  snprintf(text, room, "%s is %s; expected %s %s", l->what, cmb_shortest(value[0]).text,
           words[l->kind], cmb_shortest(value[1]).text);
  return true;
}

/* Returns whether the numbers value[l->count] violate the condition l on numbers of the model; if so, writes the reason into `text` of `room`
 * characters. */
static bool is_violated(const cmb_model_limit *l, const double *value, size_t room, char *text)
{
  if (l->kind == CMB_INERTIA) return is_impossible_inertia(value, room, text);
  if (l->kind == CMB_AT_LEAST || l->kind == CMB_ABOVE || l->kind == CMB_AT_MOST)
    return is_out_of_bounds(l, value, room, text);
  const bool good =
      *value > 0 || (*value == 0 && l->kind == CMB_NOT_NEGATIVE) || l->kind == CMB_SELDOM_NEGATIVE;
  if (good && isfinite(*value)) return false;
  snprintf(text, room, "%s is %g; expected %s", l->what, *value, l->expected);
  return true;
}

/* Returns whether values that satisfy condition l still deserve a warning: a negative value of a quantity that is seldom negative, or an
 * inertia with only one principal moment that is not 0. */
static bool is_unusual(const cmb_model_limit *l, const double *value)
{
  double e[3];
  if (l->kind != CMB_INERTIA) return l->kind == CMB_SELDOM_NEGATIVE && value[0] < 0;
  eigenvalues(value, e);
  return is_about_one_axis(e);
}

static void warn(cmb_context *ctx, const cmb_model_limit *l, const char *subject,
                 const double *value)
{
  char where[CMB_WHERE_ROOM], why[60] = "about one axis only, as of no real body";
  if (l->kind != CMB_INERTIA) snprintf(why, sizeof why, "%g, less than 0", value[0]);
  cmb_log(ctx, CMB_LOG_WARNING, "%s: %s: %s is %s; it is taken as it is",
          cmb_where(l->place, where), subject, l->what, why);
}

/* ---- limits while the model is read */

/* Stores condition l in the model if one of its numbers depends on a live parameter (which can change after the model is read), so that it
 * can be checked again later. */
static cmb_status store_if_live(cmb_reader *r, const cmb_model_limit *l)
{
  cmb_model *m = r->model;
  const cmb_subject *s = &r->subject;
  if (!cmb_any_live(l->count, l->x)) return CMB_OK;
  cmb_model_limit *kept = cmb_arena_take(m->arena, 1, sizeof *kept);
  if (!kept) return cmb_fail_memory(r->ctx);
  *kept = *l;
  kept->what = cmb_arena_text(m->arena, l->what);
  kept->subject = cmb_arena_text(m->arena, s->text);
  kept->subject_kind = s->kind;
  kept->subject_name = cmb_arena_text(m->arena, s->name);
  kept->place.file = l->place.file ? cmb_arena_text(m->arena, l->place.file) : NULL;
  if (r->last_limit) {
    r->last_limit->next = kept;
  } else {
    m->limits = kept;
  }
  r->last_limit = kept;
  return cmb_arena_failed(m->arena) ? cmb_fail_memory(r->ctx) : CMB_OK;
}

static cmb_status limit(cmb_reader *r, const cmb_model_limit *l)
{
  char text[240];
  double value[9];
  cmb_values_of(l->count, l->x, value);
  if (is_violated(l, value, sizeof text, text)) {
    return cmb_reader_fail(r, l->place, "%s", text);
  }
  if (is_unusual(l, value)) warn(r->ctx, l, r->subject.text, value);
  return store_if_live(r, l);
}

cmb_status cmb_limit_number(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                            const char *expected, cmb_number x)
{
  static const char *const usual[] = {[CMB_POSITIVE] = "a number greater than 0",
                                      [CMB_NOT_NEGATIVE] = "a number not less than 0",
                                      [CMB_SELDOM_NEGATIVE] = "a number"};
  return limit(r, &(cmb_model_limit){.kind = kind,
                                     .what = what,
                                     .expected = expected ? expected : usual[kind],
                                     .place = place,
                                     .count = 1,
                                     .x = {x}});
}

cmb_status cmb_limit_each(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                          int count, const cmb_number *x)
{
  for (int i = 0; i < count; i++) CMB_TRY(cmb_limit_number(r, place, what, kind, NULL, x[i]));
  return CMB_OK;
}

cmb_status cmb_limit_by(cmb_reader *r, cmb_place place, const char *what, cmb_limit_kind kind,
                        cmb_number x, cmb_number bound)
{
  return limit(r, &(cmb_model_limit){
                      .kind = kind, .what = what, .place = place, .count = 2, .x = {x, bound}});
}

cmb_status cmb_limit_inertia(cmb_reader *r, cmb_place place, const cmb_number inertia[9])
{
  cmb_model_limit l = {.kind = CMB_INERTIA, .what = "the inertia", .place = place, .count = 9};
  memcpy(l.x, inertia, sizeof l.x);
  return limit(r, &l);
}

/* ---- limits with other values of the live parameters */

struct cmb_limits {
  cmb_context *ctx;
  cmb_arena *arena;
  const cmb_model *model;
  cmb_program *program; /* computes the live numbers of all limits from the live parameters */
  double *in, *value, *work;
  /* (values) at the index of a limit's first value: whether its values were unusual at the last check */
  bool *warned;
};

/* Creates l->program, the instructions that compute the numbers (`values` of them) on which the stored conditions depend from the live
 * parameters (those that can change after the model is read), and the arrays that it needs. */
static cmb_status make_program(cmb_limits *l, int values)
{
  const cmb_model *m = l->model;
  int inputs = 0, count = 0;
  cmb_expr *input = cmb_arena_take(l->arena, (size_t)m->parameter_count, sizeof *input);
  cmb_expr *of = cmb_arena_take(l->arena, (size_t)values, sizeof *of);
  l->in = cmb_arena_doubles(l->arena, m->parameter_count);
  l->value = cmb_arena_doubles(l->arena, values);
  l->warned = cmb_arena_take(l->arena, (size_t)values, sizeof *l->warned);
  if (cmb_arena_failed(l->arena)) return cmb_fail_memory(l->ctx);
  for (int i = 0; i < m->parameter_count; i++) {
    if (m->parameters[i].live) input[inputs++] = m->parameters[i].number.live;
  }
  for (const cmb_model_limit *k = m->limits; k; k = k->next) {
    double value[9];
    cmb_values_of(k->count, k->x, value);
    l->warned[count] = is_unusual(k, value); /* the reader has warned */
    for (int i = 0; i < k->count; i++) of[count++] = k->x[i].live;
  }
  CMB_TRY(cmb_program_create(l->ctx, m->graph, inputs, input, count, of, &l->program));
  l->work = cmb_arena_doubles(l->arena, cmb_program_work(l->program));
  return cmb_arena_failed(l->arena) ? cmb_fail_memory(l->ctx) : CMB_OK;
}

cmb_status cmb_limits_create(cmb_context *ctx, const cmb_model *model, cmb_limits **limits)
{
  int values = 0;
  *limits = NULL;
  for (const cmb_model_limit *k = model->limits; k; k = k->next) values += k->count;
  if (values == 0) return CMB_OK;
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_limits *l = arena ? cmb_arena_take(arena, 1, sizeof *l) : NULL;
  if (!l) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *l = (cmb_limits){.ctx = ctx, .arena = arena, .model = model};
  cmb_status status = make_program(l, values);
  if (status == CMB_OK) {
    *limits = l;
  } else {
    cmb_limits_destroy(l);
  }
  return status;
}

void cmb_limits_destroy(cmb_limits *l)
{
  if (!l) return;
  cmb_program_destroy(l->program);
  cmb_arena_destroy(l->arena);
}

/* Logs a warning if the values of a condition, l->value[at] and following, deserve one (is_unusual) and did not at the last check.
 * l->warned[at] stores the result for the next check. */
static void warn_once(cmb_limits *l, const cmb_model_limit *limit, int at)
{
  const bool unusual = is_unusual(limit, l->value + at);
  if (unusual && !l->warned[at]) warn(l->ctx, limit, limit->subject, l->value + at);
  l->warned[at] = unusual;
}

static cmb_status refuse(const cmb_limits *l, const cmb_model_limit *limit, const char *text)
{
  cmb_about about = cmb_about_place(limit->place.file, limit->place.line, limit->place.column);
  about.kind = limit->subject_kind;
  about.name = limit->subject_name;
  about.subject = limit->subject;
  about.subject_leads = true;
  return cmb_fail_about(l->ctx, CMB_ERROR_ARGUMENT, about,
                        "with these values of the live parameters %s", text);
}

cmb_status cmb_limits_check(cmb_limits *l, const double *p)
{
  char text[240];
  int at = 0, count = 0;
  for (int i = 0; i < l->model->parameter_count; i++) {
    if (l->model->parameters[i].live) l->in[count] = p[count], count++;
  }
  cmb_program_run(l->program, l->in, l->value, l->work);
  for (const cmb_model_limit *k = l->model->limits; k; at += k->count, k = k->next) {
    for (int i = 0; i < k->count; i++) {
      if (k->x[i].live == 0) l->value[at + i] = k->x[i].value;
    }
    if (is_violated(k, l->value + at, sizeof text, text)) return refuse(l, k, text);
    warn_once(l, k, at);
  }
  return CMB_OK;
}
