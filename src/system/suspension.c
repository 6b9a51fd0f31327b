/*
 * Kinematics and compliance of suspensions (camber/system.h, docs/kinematics.md; terms and signs of ISO 8855).
 *
 * A drive is a motion of the model whose value is a live parameter, a load a force on a wheel's carrier with live components: both
 * are added to the model before it is read. Sweeps follow the states of rest (quasistatic.h). With their exact derivatives w the
 * carrier's velocities at v = w are its twist (C', ω), which gives contact point, roll centre, support angles and kingpin:
 *
 *     n  outward unit vector along the spin axis,  d = (z − n_z n)/|..|,  P = C − R d     centre, contact point
 *     camber = −asin n_z,  toe = atan2(n_x, |n_y|)
 *     V = C' + ω × (P − C),  roll centre P_y V_y / V_z above the road on y = 0,  slopes V_x/V_z and C'_x/C'_z
 *     kingpin along ω of the steering drive, through C + ω × C'/ω²
 */
#include "base/context.h"
#include "base/text.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "model/model.h"
#include "model/tir.h"
#include "model/tyre.h"
#include "system/quasistatic.h"
#include "system/rank.h"

#include <camber/system.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
  MOST = 64,
  MOST_NAMES = 1000,
  TEXT_ROOM = 1 << 16,
  NAME_ROOM = 300,
  LOAD_PARTS = 4,
  OF_WHEEL = 12
};

enum wheel_column {
  CAMBER,
  TOE,
  CAMBER_RATE,
  TOE_RATE,
  TRAVEL,
  FORWARD,
  OUTWARD,
  TRACK,
  WHEELBASE,
  RATE,
  ROLL_CENTRE,
  BRAKE_SLOPE,
  DRIVE_SLOPE,
  CASTER,
  KINGPIN,
  SCRUB,
  TRAIL,
  WHEEL_COLUMNS
};

static const cmb_suspension_column wheel_columns[WHEEL_COLUMNS] = {
    [CAMBER] = {"camber", "rad"},
    [TOE] = {"toe", "rad"},
    [CAMBER_RATE] = {"camber_change", "rad"},
    [TOE_RATE] = {"toe_change", "rad"},
    [TRAVEL] = {"travel", "m"},
    [FORWARD] = {"forward", "m"},
    [OUTWARD] = {"outward", "m"},
    [TRACK] = {"track", "m"},
    [WHEELBASE] = {"wheelbase", "m"},
    [RATE] = {"rate", "N/m"},
    [ROLL_CENTRE] = {"roll_centre", "m"},
    [BRAKE_SLOPE] = {"brake_slope", ""},
    [DRIVE_SLOPE] = {"drive_slope", ""},
    [CASTER] = {"caster", "rad"},
    [KINGPIN] = {"kingpin", "rad"},
    [SCRUB] = {"scrub", "m"},
    [TRAIL] = {"trail", "m"}};

struct wheel {
  int body; /* the wheel carrier */
  /* index of the first of OF_WHEEL outputs: C, y axis, velocity, angular velocity */
  int output;
  double design[3];  /* centre in the design position */
  double contact[3]; /* contact point there, of an upright wheel */
  int travel, steer; /* indices of the drives that lift and that steer the wheel, −1: none */
};

struct cmb_suspension {
  cmb_context *ctx;
  cmb_arena *arena;
  cmb_model *model;
  cmb_system *system;
  cmb_quasistatic x;
  bool created;       /* x was created */
  int points, at;     /* number of points of the sweep, and of those done */
  int freedoms;       /* degrees of freedom of the model without drives */
  int drives, inputs; /* number of drives; number of drives and loads */
  cmb_suspension_range range[2 * MOST];
  int parameter[2 * MOST], row[MOST]; /* live parameter of each input; constraint of each drive */
  int wheel_count;
  double radius;
  struct wheel wheel[MOST];
  double *out, *out_moved, *v, *to;
  int left_out_count;
  const char *left_out[MOST];
  cmb_suspension_column *columns;
  int column_count;
};

/* ---- the model with drives and loads */

struct text {
  char *at;
  size_t used;
};

static void append_text(struct text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void append_text(struct text *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int n = vsnprintf(t->at + t->used, TEXT_ROOM - t->used, format, arguments);
  va_end(arguments);
  t->used += (size_t)n;
  if (t->used >= TEXT_ROOM) t->used = TEXT_ROOM - 1;
}

/* Finds the wheel on which a load such as "MARKER.fy" acts. *wheel is set to the index of the wheel whose carrier has this
 * marker, *part to the index of the component among fx, fy, fz and mz. Returns false if there is no such wheel or component. */
static bool find_load(const cmb_suspension_options *o, const char *name, int *wheel, int *part)
{
  static const char *const parts[LOAD_PARTS] = {"fx", "fy", "fz", "mz"};
  const char *point = strrchr(name, '.');
  *part = point ? cmb_find_name(point + 1, parts, LOAD_PARTS, sizeof *parts) : -1;
  for (*wheel = 0; *wheel < o->wheel_count && *part >= 0; ++*wheel) {
    const char *marker = o->wheels[*wheel];
    if (strlen(marker) == (size_t)(point - name) && strncmp(marker, name, strlen(marker)) == 0) {
      return true;
    }
  }
  return false;
}

/* Appends entries for a load to the model text t: a force at the contact point of wheel number `wheel`, moved to the wheel centre together with
 * its moment r × F, and a moment about z. m is the name of the marker on the wheel carrier, `radius` the wheel radius. */
static void append_load(struct text *t, const char *m, int wheel, double radius)
{
  char r[3][3 * NAME_ROOM];
  for (int i = 0; i < 2; i++) {
    snprintf(r[i], sizeof r[i], "(%.17g*%s.y_z*%s.y_%c/sqrt(1 - %s.y_z^2))", radius, m, m, "xy"[i],
             m);
  }
  snprintf(r[2], sizeof r[2], "(-%.17g*sqrt(1 - %s.y_z^2))", radius, m);
  append_text(t, "  kinematics_force%d: {type: load, on: %s, force: [", wheel, m);
  for (int i = 0; i < 3; i++) append_text(t, "%skinematics_load%d_%d", i ? ", " : "", wheel, i);
  append_text(t, "], torque: [");
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    append_text(t, "%s'%s*kinematics_load%d_%d - %s*kinematics_load%d_%d", i ? ", " : "", r[j],
                wheel, k, r[k], wheel, j);
    append_text(t, i == 2 ? " + kinematics_load%d_3'" : "'", wheel);
  }
  append_text(t, "]}\n");
}

/* Returns the formula of the output called `name` in the model `plain`; if there is no such output, returns `name`, which is then itself a
 * formula. */
static const char *formula_of(const cmb_model *plain, const char *name)
{
  cmb_item item;
  const int i = cmb_model_find(plain, CMB_ITEM_OUTPUT, name);
  return i >= 0 && cmb_model_item(plain, CMB_ITEM_OUTPUT, i, &item) ? item.text : name;
}

static void append_additions(struct text *t, const cmb_suspension_options *o,
                             const cmb_model *plain, const double *design)
{
  static const char *const parts[OF_WHEEL] = {"x",  "y",  "z",  "y_x", "y_y", "y_z",
                                              "vx", "vy", "vz", "wx",  "wy",  "wz"};
  append_text(t, "parameters:\n");
  for (int i = 0; i < o->drive_count; i++) {
    append_text(t, "  kinematics_drive%d_value: %.17g\n", i, design[i]);
  }
  for (int i = 0; i < LOAD_PARTS * o->wheel_count; i++) {
    append_text(t, "  kinematics_load%d_%d: 0\n", i / LOAD_PARTS, i % LOAD_PARTS);
  }
  append_text(t, "motions:\n");
  for (int i = 0; i < o->drive_count; i++) {
    append_text(t, "  kinematics_drive%d: {formula: '%s', value: kinematics_drive%d_value}\n", i,
                formula_of(plain, o->drives[i].name), i);
  }
  if (o->wheel_count == 0) return;
  append_text(t, "forces:\n");
  for (int i = 0; i < o->wheel_count; i++) append_load(t, o->wheels[i], i, o->radius);
  append_text(t, "outputs:\n");
  for (int i = 0; i < OF_WHEEL * o->wheel_count; i++) {
    const int wheel = i / OF_WHEEL, part = i % OF_WHEEL;
    append_text(t, "  kinematics_wheel%d_%s: %s.%s\n", wheel, parts[part], o->wheels[wheel],
                parts[part]);
  }
}

/* Appends the names of all items of one kind in the model (outputs, markers ..) to `names`, which has `count` entries already, up
 * to MOST_NAMES in total. Returns the new number. */
static int list_items(const cmb_model *model, cmb_item_kind kind, int count, const char **names)
{
  cmb_item item;
  for (int i = 0; count < MOST_NAMES && cmb_model_item(model, kind, i, &item); i++) {
    names[count++] = item.name;
  }
  return count;
}

static cmb_status check_wheels(cmb_context *ctx, const cmb_suspension_options *o,
                               const cmb_model *plain)
{
  for (int i = 0; i < o->wheel_count; i++) {
    if (cmb_model_find(plain, CMB_ITEM_MARKER, o->wheels[i]) >= 0) continue;
    const char *names[MOST_NAMES], *near;
    const int count = list_items(plain, CMB_ITEM_MARKER, 0, names);
    near = cmb_nearest_name(o->wheels[i], names, count, sizeof *names);
    return cmb_fail_about(ctx, CMB_ERROR_INPUT, cmb_about_thing("marker", o->wheels[i]),
                          "unknown marker '%s'; %s%s%s", o->wheels[i],
                          near ? "did you mean '" : "expected a marker on a wheel carrier",
                          near ? near : "", near ? "'?" : "");
  }
  return CMB_OK;
}

/* Checks the names in the options of a suspension sweep and returns an error with a message if one is invalid. Names of prescribed quantities
 * become part of quoted formulas, so they may have no quote or line end; wheels must be markers of the model `plain`; a load must be MARKER.fx,
 * .fy, .fz or .mz of a wheel, given once. */
static cmb_status check_names(cmb_context *ctx, const cmb_suspension_options *o,
                              const cmb_model *plain)
{
  for (int i = 0; i < o->drive_count; i++) {
    if (!strpbrk(o->drives[i].name, "'\n\r")) continue;
    return cmb_fail(
        ctx, CMB_ERROR_INPUT,
        "the drive \"%s\" is no quantity of positions; expected a coordinate, an output "
        "or a formula such as MARKER.z",
        o->drives[i].name);
  }
  CMB_TRY(check_wheels(ctx, o, plain));
  for (int i = 0; i < o->load_count; i++) {
    int wheel, part, j = 0;
    while (j < i && strcmp(o->loads[j].name, o->loads[i].name) != 0) j++;
    if (j < i) {
      return cmb_fail(ctx, CMB_ERROR_INPUT, "load '%s' is given twice; expected one value or range",
                      o->loads[i].name);
    }
    if (find_load(o, o->loads[i].name, &wheel, &part)) continue;
    return cmb_fail(ctx, CMB_ERROR_INPUT,
                    "unknown load '%s'; expected MARKER.fx, .fy, .fz or .mz with the marker of a "
                    "wheel",
                    o->loads[i].name);
  }
  return CMB_OK;
}

/* Returns i if `added` is "kinematics_drive<i>", the name of the model entry that was added for prescribed quantity number i of the sweep; −1
 * if it is no such name or NULL. */
static int drive_named(const cmb_suspension_options *o, const char *added)
{
  char name[64];
  for (int i = 0; i < o->drive_count && added; i++) {
    snprintf(name, sizeof name, "kinematics_drive%d", i);
    if (strcmp(added, name) == 0) return i;
  }
  return -1;
}

/* Rewrites the last error so that it names the prescribed quantity of the sweep, if the error concerns an entry that was added to the model for
 * this quantity, and proposes a similar known name if there is one. Returns `status` in any case. */
static cmb_status fail_drive(cmb_context *ctx, const cmb_suspension_options *o,
                             const cmb_model *plain, cmb_status status)
{
  const cmb_error *error = cmb_error_of(ctx);
  char text[CMB_SENTENCE_ROOM];
  const char *names[MOST_NAMES], *near = NULL;
  const int i = drive_named(o, error->name);
  int count = list_items(plain, CMB_ITEM_OUTPUT, 0, names);
  if (i < 0) return status;
  const char *drive = o->drives[i].name;
  snprintf(text, sizeof text, "%s", error->text ? error->text : "");
  cmb_joint joint;
  for (int k = 0; cmb_joint_of(plain, k, &joint); k++) {
    for (int m = 0; m < joint.nq && count < MOST_NAMES; m++) names[count++] = joint.q_names[m];
  }
  if (strcspn(drive, "+-*/^( ") == strlen(drive)) {
    near = cmb_nearest_name(drive, names, count, sizeof *names);
  }
  const cmb_about about = cmb_about_thing("drive", drive);
  if (!near) return cmb_fail_about(ctx, status, about, "drive '%s': %s", drive, text);
  return cmb_fail_about(ctx, status, about,
                        "drive '%s' is no coordinate, output or formula of positions: did you mean "
                        "'%s'?",
                        drive, near);
}

/* Returns whether the body is a wheel carrier, or is attached to a wheel carrier directly or through other bodies. */
static bool is_of_wheel(const cmb_suspension *k, int body)
{
  while (body != CMB_NO_BODY) {
    for (int i = 0; i < k->wheel_count; i++) {
      if (k->wheel[i].body == body) return true;
    }
    cmb_body b;
    if (!cmb_body_of(k->model, body, &b)) return false;
    body = b.parent;
  }
  return false;
}

/* Replaces f->tyre by a copy without force: stiffness and damping 0, no force law, no first-order states. */
static cmb_status leave_out_tyre(cmb_suspension *k, cmb_model_force *f)
{
  cmb_model_tyre *none = cmb_arena_take(k->model->arena, 1, sizeof *none);
  if (!none) return cmb_fail_memory(k->ctx);
  *none = *f->tyre;
  if (none->tir) none->radius = cmb_fixed(none->tir->UNLOADED_RADIUS);
  none->stiffness = none->damping = cmb_fixed(0);
  none->tir = NULL;
  none->tmeasy = NULL;
  none->first_state = -1;
  f->tyre = none;
  return CMB_OK;
}

static cmb_status refuse_state(cmb_suspension *k, const char *name)
{
  return cmb_fail(k->ctx, CMB_ERROR_INPUT,
                  "the model has the state '%s'; expected a model without states for a sweep",
                  name);
}

/* Removes from the model the first-order states of omitted tyres; fails with a message if the model has other states. */
static cmb_status drop_states(cmb_suspension *k)
{
  for (int i = 0; i < k->model->state_count; i++) {
    const cmb_model_state *s = &k->model->states[i];
    const bool gone = s->tyre > 0 && k->model->forces[s->tyre - 1].tyre->first_state < 0;
    if (!gone) return refuse_state(k, s->name);
  }
  k->model->state_count = 0;
  return CMB_OK;
}

/* Sets the forces between road and wheels to 0, which the sweep replaces by prescribed quantities and loads: contacts with a stiffness, tyres,
 * and loads that react on the ground. Lists the names of up to MOST of them in k->left_out. Returns an error with a message if the model then
 * still has first-order states. */
static cmb_status leave_out_road(cmb_suspension *k)
{
  for (int i = 0; i < k->model->force_count; i++) {
    cmb_model_force *f = &k->model->forces[i];
    const bool load = f->type == CMB_FORCE_LOAD && f->a.body == CMB_GROUND;
    const bool tyre = f->type == CMB_FORCE_TYRE;
    if (!load && !tyre && f->type != CMB_FORCE_CONTACT) continue;
    if (!is_of_wheel(k, f->b.body) || cmb_is_addition(f->place.file)) continue;
    f->stiffness = f->damping = f->friction = f->friction_static = cmb_fixed(0);
    for (int c = 0; c < 3 && load; c++) {
      f->force[c].text = f->force[c].text ? "0" : NULL;
      f->torque[c].text = f->torque[c].text ? "0" : NULL;
    }
    if (tyre) CMB_TRY(leave_out_tyre(k, f));
    if (k->left_out_count < MOST) k->left_out[k->left_out_count++] = f->name;
  }
  return drop_states(k);
}

/* Logs a warning for each spring or bushing between the ground and a wheel. It is treated as a part of the suspension, which is wrong if it
 * models a tyre. */
static void warn_ground_springs(cmb_suspension *k)
{
  for (int i = 0; i < k->model->force_count; i++) {
    const cmb_model_force *f = &k->model->forces[i];
    if (f->type != CMB_FORCE_SPRING && f->type != CMB_FORCE_BUSHING) continue;
    const bool a = f->a.body == CMB_GROUND, b = f->b.body == CMB_GROUND;
    if (a == b || !is_of_wheel(k, a ? f->b.body : f->a.body)) continue;
    cmb_log(k->ctx, CMB_LOG_WARNING,
            "force '%s' acts between the ground and a wheel or its carrier: it is taken for a part "
            "of the suspension, and the wheel rate contains it",
            f->name);
  }
}

/* Reads the model from the file `path` with the entries in the text t added, and makes the values of all prescribed quantities and loads
 * changeable after set-up. Returns an error with a message also if t was too long. */
static cmb_status read_with(cmb_suspension *k, const char *path, const cmb_suspension_options *o,
                            const struct text *t, cmb_model **model)
{
  cmb_model_options with = o->model ? *o->model : (cmb_model_options){0};
  char names[MOST + LOAD_PARTS * MOST][40];
  const char *live[MOST + LOAD_PARTS * MOST];
  if (t->used == TEXT_ROOM - 1) {
    return cmb_fail(
        k->ctx, CMB_ERROR_INPUT,
        "the formulas of the drives are too long; expected fewer than %d characters in all",
        TEXT_ROOM);
  }
  with.live_count = 0;
  for (int i = 0; i < o->drive_count; i++) {
    snprintf(names[i], sizeof *names, "kinematics_drive%d_value", i);
    live[with.live_count++] = names[i];
  }
  for (int i = 0; i < LOAD_PARTS * o->wheel_count; i++) {
    char *name = names[with.live_count];
    snprintf(name, sizeof *names, "kinematics_load%d_%d", i / LOAD_PARTS, i % LOAD_PARTS);
    live[with.live_count++] = name;
  }
  with.live_names = live;
  with.addition = t->at;
  return cmb_model_read(k->ctx, path, &with, model);
}

/* Returns the index among `names` (count) of the name that the printf format yields for the numbers i and j; −1 if it is not there. */
__attribute__((format(printf, 3, 0))) static int find_named(const char *const *names, int count,
                                                            const char *format, int i, int j)
{
  char name[64];
  snprintf(name, sizeof name, format, i, j);
  return cmb_find_name(name, names, count, sizeof *names);
}

/* Computes the values `design` (count) of the prescribed quantities of a sweep in the start position of a system that has these quantities as
 * outputs. Sets k->freedoms to its number of degrees of freedom. */
static cmb_status evaluate_design(cmb_suspension *k, const cmb_system *system, cmb_evaluator *ev,
                                  int count, double *design)
{
  const cmb_equations *eq = &system->eq;
  const double t = system->t_start;
  double *out = cmb_arena_doubles(k->arena, eq->no + eq->nh);
  double *lambda = cmb_arena_doubles(k->arena, eq->ng);
  cmb_mode_search modes;
  cmb_rank rank;
  bool changed;
  cmb_mode_search_create(&modes, k->arena, eq);
  if (cmb_arena_failed(k->arena)) return cmb_fail_memory(k->ctx);
  CMB_TRY(cmb_guess_modes(ev, &modes, t, system->q, system->v, &changed));
  CMB_TRY(cmb_outputs(ev, t, system->q, system->v, ev->zero, lambda, out));
  CMB_TRY(cmb_rank_examine(ev, k->arena, t, system->q, &rank));
  k->freedoms = eq->nv - eq->nz - rank.around;
  for (int i = 0; i < count; i++)
    design[i] = out[find_named(eq->output_names, eq->no, "kinematics_drive%d", i, 0)];
  return CMB_OK;
}

/* Computes the values `design` (count) of the prescribed quantities of a sweep at the start, from a model that has these quantities as outputs.
 * Sets k->freedoms to the number of degrees of freedom of that model. */
static cmb_status evaluate_drives(cmb_suspension *k, const cmb_model *model, int count,
                                  double *design)
{
  const cmb_model_system_options options = {.formulation = CMB_FORM_EXPLICIT,
                                            .evaluation = CMB_EVALUATE_INTERPRETER};
  cmb_system *system = NULL;
  cmb_evaluator *ev = NULL;
  CMB_TRY(cmb_model_system(k->ctx, model, &options, &system));
  cmb_status status = cmb_evaluator_create(k->ctx, &system->eq, &ev);
  if (status == CMB_OK) status = evaluate_design(k, system, ev, count, design);
  cmb_evaluator_destroy(ev);
  cmb_system_destroy(system);
  if (status <= 0) return status;
  return cmb_fail(k->ctx, CMB_ERROR_INPUT, "a drive has no finite value in the design position: %s",
                  cmb_status_meaning(status));
}

/* Computes the values `design` that the quantities prescribed by a sweep have in the model without the sweep, by reading the model file again
 * with these quantities added as outputs. Also determines the number of degrees of freedom. */
static cmb_status find_design(cmb_suspension *k, const char *path, const cmb_suspension_options *o,
                              const cmb_model *plain, double *design)
{
  cmb_model_options with = o->model ? *o->model : (cmb_model_options){0};
  struct text t = {cmb_arena_take(k->arena, TEXT_ROOM, 1), 0};
  cmb_model *model;
  if (!t.at) return cmb_fail_memory(k->ctx);
  if (o->drive_count > 0) append_text(&t, "outputs:\n");
  for (int i = 0; i < o->drive_count; i++) {
    append_text(&t, "  kinematics_drive%d: '%s'\n", i, formula_of(plain, o->drives[i].name));
  }
  with.addition = o->drive_count > 0 ? t.at : NULL;
  cmb_status status = cmb_model_read(k->ctx, path, &with, &model);
  if (status != CMB_OK) return fail_drive(k->ctx, o, plain, status);
  status = evaluate_drives(k, model, o->drive_count, design);
  if (status != CMB_OK) status = fail_drive(k->ctx, o, plain, status);
  cmb_model_destroy(model);
  return status;
}

static cmb_status read_model(cmb_suspension *k, const char *path, const cmb_suspension_options *o)
{
  double design[MOST] = {0};
  cmb_model *plain;
  struct text t = {cmb_arena_take(k->arena, TEXT_ROOM, 1), 0};
  if (!t.at) return cmb_fail_memory(k->ctx);
  CMB_TRY(cmb_model_read(k->ctx, path, o->model, &plain));
  cmb_status status = check_names(k->ctx, o, plain);
  if (status == CMB_OK) status = find_design(k, path, o, plain, design);
  if (status == CMB_OK && o->drive_count > k->freedoms) {
    status = cmb_fail(k->ctx, CMB_ERROR_INPUT,
                      "%d drive%s given, but the mechanism has %d degree%s of freedom; expected no "
                      "more drives than degrees of freedom",
                      o->drive_count, o->drive_count == 1 ? "" : "s", k->freedoms,
                      k->freedoms == 1 ? "" : "s");
  }
  if (status == CMB_OK) {
    append_additions(&t, o, plain, design);
    status = read_with(k, path, o, &t, &k->model);
    if (status != CMB_OK) status = fail_drive(k->ctx, o, plain, status);
  }
  cmb_model_destroy(plain);
  return status;
}

/* ---- setting up */

static cmb_status find_wheels(cmb_suspension *k, const cmb_suspension_options *o)
{
  k->wheel_count = o->wheel_count;
  k->radius = o->radius;
  for (int i = 0; i < o->wheel_count; i++) {
    struct wheel *w = &k->wheel[i];
    cmb_body_point at;
    w->output = cmb_model_find(k->model, CMB_ITEM_MARKER, o->wheels[i]);
    w->travel = w->steer = -1;
    if (cmb_model_points(k->model, CMB_ITEM_MARKER, w->output, 1, &at) != 1) continue;
    w->body = at.body;
    memcpy(w->design, at.at, sizeof at.at);
    memcpy(w->contact, at.at, sizeof at.at);
    w->contact[2] -= k->radius;
    if (at.body == CMB_NO_BODY) {
      return cmb_fail(k->ctx, CMB_ERROR_INPUT,
                      "marker '%s' is on the ground; expected one on a wheel carrier",
                      o->wheels[i]);
    }
  }
  CMB_TRY(leave_out_road(k));
  warn_ground_springs(k);
  return CMB_OK;
}

/* Finds, by their names, the indices of the parameters, constraints and outputs that were added to the model for prescribed
 * quantities, loads and wheels. Returns an error with a message if the constraint of a prescribed quantity is redundant. */
static cmb_status find_added_indices(cmb_suspension *k, const cmb_suspension_options *o)
{
  const cmb_equations *eq = &k->system->eq;
  k->drives = o->drive_count;
  for (int i = 0; i < o->drive_count; i++) {
    k->range[k->inputs] = o->drives[i];
    k->parameter[k->inputs++] = find_named(eq->p_names, eq->np, "kinematics_drive%d_value", i, 0);
    k->row[i] = find_named(eq->g_names, eq->ng, "kinematics_drive%d", i, 0);
    if (k->row[i] >= 0) continue;
    return cmb_fail(
        k->ctx, CMB_ERROR_INPUT,
        "drive '%s' is redundant: the constraints and the other drives determine its value",
        o->drives[i].name);
  }
  for (int i = 0; i < o->load_count; i++) {
    int wheel = 0, part = 0;
    find_load(o, o->loads[i].name, &wheel, &part);
    k->range[k->inputs] = o->loads[i];
    k->parameter[k->inputs++] =
        find_named(eq->p_names, eq->np, "kinematics_load%d_%d", wheel, part);
  }
  for (int i = 0; i < k->wheel_count; i++) {
    k->wheel[i].output = find_named(eq->output_names, eq->no, "kinematics_wheel%d_x", i, 0);
  }
  for (int i = 0; i < k->inputs; i++) {
    char *copy = cmb_arena_text(k->arena, k->range[i].name);
    if (!copy) return cmb_fail_memory(k->ctx);
    k->range[i].name = copy;
  }
  return CMB_OK;
}

/* Returns whether the body is a wheel carrier, or lies on the chain of joints from the ground to one. */
static bool carries_wheel(const cmb_suspension *k, int body)
{
  for (int i = 0; i < k->wheel_count; i++) {
    int at = k->wheel[i].body;
    cmb_body b;
    while (at != CMB_NO_BODY && at != body && cmb_body_of(k->model, at, &b)) at = b.parent;
    if (at == body) return true;
  }
  return false;
}

/* Returns an error with a message if a body that carries wheels is free to move along a coordinate of its joint to the ground, as the body of a
 * vehicle model usually is. The sweep needs a fixed body. */
static cmb_status refuse_free_body(cmb_suspension *k)
{
  const cmb_equations *eq = &k->system->eq;
  cmb_body body;
  cmb_joint joint;
  CMB_TRY(cmb_quasistatic_evaluate(&k->x, k->system->q));
  for (int i = 0; cmb_body_of(k->model, i, &body); i++) {
    if (body.parent != CMB_NO_BODY || !carries_wheel(k, i)) continue;
    if (!cmb_joint_of(k->model, body.joint, &joint)) continue;
    for (int n = 0; n < joint.nv; n++) {
      const int v = cmb_find_name(joint.v_names[n], eq->v_names, eq->nv, sizeof *eq->v_names);
      if (v < 0 || !cmb_quasistatic_is_free(&k->x, v, k->drives, k->row)) continue;
      const char *name = joint.q_names[joint.nq == joint.nv ? n : 0];
      return cmb_fail_about(k->ctx, CMB_ERROR_INPUT, cmb_about_thing("coordinate", name),
                            "body '%s' carries a wheel and is free to move along '%s', as the "
                            "forces of the road are left out: hold it, as with --drive %s=0",
                            body.name, name, name);
    }
  }
  return CMB_OK;
}

/* Rewrites the last error so that it names the prescribed quantity of the sweep, if the error concerns the prescribed motion that was added to
 * the model for this quantity. Returns `status` in any case. */
static cmb_status fail_motion(cmb_suspension *k, const cmb_suspension_options *o, cmb_status status)
{
  const cmb_error *error = cmb_error_of(k->ctx);
  const int i = drive_named(o, error->name);
  if (i < 0) return status;
  const char *name = o->drives[i].name;
  return cmb_fail_about(k->ctx, status, cmb_about_thing("drive", name),
                        status == CMB_ERROR_INPUT
                            ? "drive '%s' is no quantity of positions: expected a coordinate, an "
                              "output or a formula such as MARKER.z, which has no velocity or "
                              "force in it and changes with the position"
                            : "drive '%s' cannot be met in the design position",
                        name);
}

static cmb_status make_system(cmb_suspension *k, const cmb_suspension_options *o)
{
  const cmb_model_system_options options = {.formulation = CMB_FORM_EXPLICIT,
                                            .evaluation = CMB_EVALUATE_INTERPRETER,
                                            .derivatives = true};
  const cmb_status status = cmb_model_system(k->ctx, k->model, &options, &k->system);
  if (status != CMB_OK) return fail_motion(k, o, status);
  const cmb_equations *eq = &k->system->eq;
  if (eq->nz > 0) return refuse_state(k, eq->v_names[eq->nv - eq->nz]);
  CMB_TRY(find_added_indices(k, o));
  k->out = cmb_arena_doubles(k->arena, eq->no + eq->nh);
  k->out_moved = cmb_arena_doubles(k->arena, (eq->no + eq->nh) * (k->inputs + 1));
  k->v = cmb_arena_doubles(k->arena, eq->nv);
  k->to = cmb_arena_doubles(k->arena, k->inputs);
  if (cmb_arena_failed(k->arena)) return cmb_fail_memory(k->ctx);
  k->created = true;
  CMB_TRY(cmb_quasistatic_create(&k->x, k->ctx, k->system, k->inputs, k->parameter));
  CMB_TRY(refuse_free_body(k));
  return cmb_quasistatic_begin(&k->x, k->system->q);
}

/* ---- quantities of wheels */

/* Evaluates the outputs into `out` at the current equilibrium with velocities v (nv). If v is the derivative of the displacements with respect
 * to a parameter, an output that is a velocity becomes the derivative of a position with respect to that parameter. */
static cmb_status outputs_with(cmb_suspension *k, const double *v, double *out)
{
  return cmb_outputs(k->x.ev, k->x.t, k->x.q, v, k->x.ev->zero, k->x.lambda, out);
}

/* Evaluates the outputs at the current state of rest, into k->out with velocities 0. Then evaluates them with derivatives of the displacements
 * in place of the velocities, into the rows of k->out_moved: with respect to each prescribed quantity and load and, in the last row, along the
 * sweep. */
static cmb_status evaluate(cmb_suspension *k)
{
  const cmb_equations *eq = &k->system->eq;
  const int room = eq->no + eq->nh;
  CMB_TRY(outputs_with(k, k->x.rest, k->out));
  memset(k->v, 0, (size_t)eq->nv * sizeof *k->v);
  for (int i = 0; i < k->inputs; i++) {
    const double *w = k->x.W + (ptrdiff_t)i * eq->nv;
    CMB_TRY(outputs_with(k, w, k->out_moved + (ptrdiff_t)i * room));
    cmb_add_scaled(eq->nv, k->range[i].to - k->range[i].from, w, k->v);
  }
  return outputs_with(k, k->v, k->out_moved + (ptrdiff_t)k->inputs * room);
}

static const double *twist(const cmb_suspension *k, const struct wheel *w, int input)
{
  const int room = k->system->eq.no + k->system->eq.nh;
  return k->out_moved + (ptrdiff_t)input * room + w->output + 6;
}

/* Finds for each wheel the index of the prescribed quantity that mainly moves its centre up and down, w->travel, and of the one that steers it,
 * w->steer. For the travel, quantities that change in the sweep are preferred. */
static void find_roles(cmb_suspension *k)
{
  for (int n = 0; n < k->wheel_count; n++) {
    struct wheel *w = &k->wheel[n];
    double rise = 1e-6, turn = 1e-6;
    /* a drive that moves in the sweep takes precedence over those that are held */
    bool moves = false;
    for (int i = 0; i < k->drives; i++) {
      const double *x = twist(k, w, i), up = fabs(x[2]), about = k->radius * fabs(x[5]);
      const bool swept = k->range[i].to != k->range[i].from;
      if (up >= about && up > 1e-6 && (swept > moves || (swept == moves && up > rise))) {
        rise = up, moves = swept, w->travel = i;
      }
      const bool steers = up < about && fabs(x[5]) > 0.8 * cmb_norm3(x + 3); /* an upright axis */
      if (steers && about > turn) turn = about, w->steer = i;
    }
  }
}

/* Returns the force or moment needed to hold the quantity with the index `drive` at its prescribed value. */
static double holding_force(const cmb_suspension *k, int drive)
{
  const int ng = k->system->eq.ng, row = k->row[drive];
  return k->x.lambda[row] * k->x.gp[drive * ng + row] + 0.0; /* not −0 */
}

/* Returns the derivative of the force or moment that holds prescribed quantity number `drive` with respect to this quantity: the total
 * derivative along the sweep or, if the quantity does not change in the sweep, the partial one, with all other prescribed quantities and the
 * loads fixed. */
static double holding_stiffness(const cmb_suspension *k, int drive)
{
  const int ng = k->system->eq.ng, row = k->row[drive];
  const double own = k->range[drive].to - k->range[drive].from;
  double sum = 0;
  for (int i = 0; i < k->inputs && own != 0; i++) {
    sum += (k->range[i].to - k->range[i].from) / own * k->x.L[i * ng + row];
  }
  return (own != 0 ? sum : k->x.L[drive * ng + row]) * k->x.gp[drive * ng + row];
}

/* Computes caster angle, kingpin angle, scrub radius and trail into `to`, from the motion that steering causes: the twist x (6) with the
 * velocity of the wheel centre C and the angular velocity. P is the contact point, n the outward spin axis, side 1 for a left and −1 for a
 * right wheel. */
static void find_kingpin(const double *x, const double *C, const double *P, const double *n,
                         double side, double *to)
{
  const double *omega = x + 3, square = cmb_dot3(omega, omega), up = omega[2] < 0 ? -1 : 1;
  double arm[3], axis[3], ground[3];
  cmb_cross3(omega, x, arm);
  for (int i = 0; i < 3; i++) axis[i] = up * omega[i] / sqrt(square);
  for (int i = 0; i < 3; i++) ground[i] = C[i] + arm[i] / square;
  const double along = (P[2] - ground[2]) / axis[2];
  for (int i = 0; i < 3; i++) ground[i] += along * axis[i];
  const double flat = hypot(n[0], n[1]);
  const double out[2] = {n[0] / flat, n[1] / flat}, ahead[2] = {side * out[1], -side * out[0]};
  to[CASTER] = atan2(-axis[0], axis[2]);
  to[KINGPIN] = atan2(-side * axis[1], axis[2]);
  to[SCRUB] = (P[0] - ground[0]) * out[0] + (P[1] - ground[1]) * out[1];
  to[TRAIL] = (ground[0] - P[0]) * ahead[0] + (ground[1] - P[1]) * ahead[1];
}

static void find_travel(const cmb_suspension *k, const struct wheel *w, const double *C,
                        const double *P, double *to)
{
  const double *x = twist(k, w, w->travel);
  const double arm[3] = {P[0] - C[0], P[1] - C[1], P[2] - C[2]};
  double V[3];
  cmb_cross3(x + 3, arm, V);
  for (int i = 0; i < 3; i++) V[i] += x[i];
  to[ROLL_CENTRE] = P[1] * V[1] / V[2];
  to[BRAKE_SLOPE] = V[0] / V[2];
  to[DRIVE_SLOPE] = x[0] / x[2];
  to[RATE] = fabs(x[2] - 1) < 1e-6 ? holding_stiffness(k, w->travel) : NAN;
}

/* Computes all quantities of a wheel (camber, toe, track ..) at the current position into `to` (WHEEL_COLUMNS). Quantities without a value
 * become NaN, such as those that need a prescribed travel or steering of this wheel. */
static void find_wheel(const cmb_suspension *k, const struct wheel *w, double *to)
{
  const double *C = k->out + w->output, *axis = C + 3, *x = twist(k, w, k->inputs);
  const double side = w->design[1] < 0 ? -1 : 1, sign = axis[1] * side < 0 ? -1 : 1;
  const double n[3] = {sign * axis[0], sign * axis[1], sign * axis[2]};
  const double level = sqrt(n[0] * n[0] + n[1] * n[1]);
  const double d[3] = {-n[2] * n[0] / level, -n[2] * n[1] / level, level};
  const double P[3] = {C[0] - k->radius * d[0], C[1] - k->radius * d[1], C[2] - k->radius * d[2]};
  double turn[3];
  cmb_cross3(x + 3, n, turn); /* n' */
  for (int i = 0; i < WHEEL_COLUMNS; i++) to[i] = NAN;
  to[CAMBER] = -asin(fmax(-1, fmin(1, n[2])));
  to[TOE] = atan2(n[0], side * n[1]);
  to[CAMBER_RATE] = -turn[2] / level;
  to[TOE_RATE] = side * (turn[0] * n[1] - n[0] * turn[1]) / (level * level);
  to[TRAVEL] = C[2] - w->design[2];
  to[FORWARD] = C[0] - w->design[0];
  to[OUTWARD] = side * (C[1] - w->design[1]);
  to[TRACK] = side * (P[1] - w->contact[1]);
  to[WHEELBASE] = P[0] - w->contact[0];
  if (w->travel >= 0) find_travel(k, w, C, P, to);
  if (w->steer >= 0) find_kingpin(twist(k, w, w->steer), C, P, n, side, to);
}

/* ---- the table */

static bool has_column(const struct wheel *w, int c)
{
  if (c >= RATE && c <= DRIVE_SLOPE) return w->travel >= 0;
  return c < CASTER || w->steer >= 0;
}

static void add_column(cmb_suspension *k, const char *of, const char *what, const char *unit)
{
  const size_t room = strlen(of) + strlen(what) + 2;
  char *name = cmb_arena_take(k->arena, room, 1);
  if (!name) return;
  snprintf(name, room, "%s%s%s", of, what[0] ? "." : "", what);
  k->columns[k->column_count++] = (cmb_suspension_column){name, unit};
}

/* Returns whether output i belongs to the model file, and was not added for a wheel whose quantities the sweep computes. */
static bool is_own_output(const cmb_suspension *k, int i)
{
  for (int n = 0; n < k->wheel_count; n++) {
    const int first = k->wheel[n].output;
    if (i >= first && i < first + OF_WHEEL) return false;
  }
  return true;
}

static cmb_status make_columns(cmb_suspension *k, const cmb_suspension_options *o)
{
  const cmb_equations *eq = &k->system->eq;
  const int most = 3 * k->inputs + WHEEL_COLUMNS * k->wheel_count + eq->no;
  k->columns = cmb_arena_take(k->arena, (size_t)most, sizeof *k->columns);
  if (!k->columns) return cmb_fail_memory(k->ctx);
  for (int i = 0; i < k->inputs; i++) add_column(k, k->range[i].name, "", "");
  for (int n = 0; n < k->wheel_count; n++) {
    for (int c = 0; c < WHEEL_COLUMNS; c++) {
      if (!has_column(&k->wheel[n], c)) continue;
      add_column(k, o->wheels[n], wheel_columns[c].name, wheel_columns[c].unit);
    }
  }
  for (int i = 0; i < k->drives; i++) {
    add_column(k, k->range[i].name, "hold_force", "");
    add_column(k, k->range[i].name, "hold_stiffness", "");
  }
  for (int i = 0; i < eq->no; i++) {
    if (!is_own_output(k, i)) continue;
    add_column(k, eq->output_names[i], "", eq->output_units ? eq->output_units[i] : "");
  }
  return cmb_arena_failed(k->arena) ? cmb_fail_memory(k->ctx) : CMB_OK;
}

static void fill_row(const cmb_suspension *k, double *row)
{
  double all[WHEEL_COLUMNS];
  for (int i = 0; i < k->inputs; i++) *row++ = k->x.p[k->parameter[i]];
  for (int n = 0; n < k->wheel_count; n++) {
    find_wheel(k, &k->wheel[n], all);
    for (int c = 0; c < WHEEL_COLUMNS; c++) {
      if (has_column(&k->wheel[n], c)) *row++ = all[c];
    }
  }
  for (int i = 0; i < k->drives; i++) {
    *row++ = holding_force(k, i);
    *row++ = holding_stiffness(k, i);
  }
  for (int i = 0; i < k->system->eq.no; i++) {
    if (is_own_output(k, i)) *row++ = k->out[i];
  }
}

/* Returns an error with the message that the sweep cannot be continued. The message names the prescribed quantity or load that is
 * farthest from its target value, and the value that it has reached. */
static cmb_status fail_to_reach(cmb_suspension *k)
{
  double most = 0;
  int furthest = 0;
  for (int i = 0; i < k->inputs; i++) {
    const double way = fabs(k->to[i] - k->x.p[k->parameter[i]]);
    if (way > most) most = way, furthest = i;
  }
  const char *name = k->range[furthest].name;
  return cmb_fail_about(
      k->ctx, CMB_ERROR_EQUATIONS, cmb_about_thing(furthest < k->drives ? "drive" : "load", name),
      "'%s' cannot reach %.9g: the last value reached is %.9g; the mechanism may be at "
      "a dead centre there, or have no equilibrium beyond",
      name, k->to[furthest], k->x.p[k->parameter[furthest]]);
}

/* Moves the suspension to the values k->to (inputs) of all prescribed quantities and loads. If they cannot be reached, returns an error with a
 * message that says how far the suspension was moved. */
static cmb_status move_to_inputs(cmb_suspension *k)
{
  double reached;
  const cmb_status status = cmb_quasistatic_go(&k->x, k->to, &reached);
  return status > 0 ? fail_to_reach(k) : status;
}

cmb_status cmb_suspension_next(cmb_suspension *k, double *row)
{
  if (!k || !row) return CMB_ERROR_ARGUMENT;
  CMB_REQUIRE(k->ctx, k->at < k->points, "the sweep has no more points");
  if (k->at > 0) {
    const double s = (double)k->at / (k->points - 1);
    for (int i = 0; i < k->inputs; i++) {
      const cmb_suspension_range *r = &k->range[i];
      k->to[i] = k->at == k->points - 1 ? r->to : r->from + s * (r->to - r->from);
    }
    CMB_TRY(move_to_inputs(k));
  }
  CMB_TRY(evaluate(k));
  fill_row(k, row);
  k->at++;
  return CMB_OK;
}

static cmb_status create(cmb_suspension *k, const char *path, const cmb_suspension_options *o)
{
  CMB_TRY(read_model(k, path, o));
  if (!k->model) return CMB_ERROR_INPUT;
  CMB_TRY(find_wheels(k, o));
  CMB_TRY(make_system(k, o));
  for (int i = 0; i < k->inputs; i++) k->to[i] = k->range[i].from;
  CMB_TRY(move_to_inputs(k));
  CMB_TRY(evaluate(k));
  find_roles(k);
  return make_columns(k, o);
}

cmb_status cmb_suspension_create(cmb_context *ctx, const char *path,
                                 const cmb_suspension_options *o, cmb_suspension **kinematics)
{
  CMB_REQUIRE(ctx, ctx && kinematics, "cmb_suspension_create needs a context and a place");
  *kinematics = NULL;
  CMB_REQUIRE(ctx, path && o && o->points >= 1, "cmb_suspension_create needs a file and points");
  CMB_REQUIRE(ctx, o->drive_count <= MOST && o->load_count <= MOST && o->wheel_count <= MOST,
              "there are more than 64 drives, loads or wheels");
  CMB_REQUIRE(ctx, o->wheel_count == 0 || (isfinite(o->radius) && o->radius >= 0),
              "the wheel's radius is no length");
  cmb_arena *arena = cmb_arena_create(ctx);
  cmb_suspension *k = arena ? cmb_arena_take(arena, 1, sizeof *k) : NULL;
  if (!k) {
    cmb_arena_destroy(arena);
    return cmb_fail_memory(ctx);
  }
  *k = (cmb_suspension){.ctx = ctx, .arena = arena, .points = o->points};
  const cmb_status status = create(k, path, o);
  if (status == CMB_OK) {
    *kinematics = k;
  } else {
    cmb_suspension_destroy(k);
  }
  return status;
}

void cmb_suspension_destroy(cmb_suspension *k)
{
  if (!k) return;
  if (k->created) cmb_quasistatic_destroy(&k->x);
  cmb_system_destroy(k->system);
  cmb_model_destroy(k->model);
  cmb_arena_destroy(k->arena);
}

const cmb_suspension_column *cmb_suspension_columns(const cmb_suspension *k, int *count)
{
  *count = k ? k->column_count : 0;
  return k ? k->columns : NULL;
}

int cmb_suspension_left_out(const cmb_suspension *k, const char *const **names)
{
  *names = k ? k->left_out : NULL;
  return k ? k->left_out_count : 0;
}
