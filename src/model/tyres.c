/*
 * Reads forces of the type `tyre`: the wheel's centre and axis, the road, and the force law; called by forces.c (reader.h). The law is a
 * vertical spring and damper alone, the Magic Formula with the numbers of a .tir file, or TMeasy with numbers in the model or in a YAML
 * file.
 *
 * A tyre with a law for the forces along the road has two states, NAME.u and NAME.v. In a mirrored copy the axis is mirrored like that of a
 * joint, and the law is the mirror image of the one written.
 */
#include "base/text.h"
#include "model/tir.h"
#include "model/tyre.h"

#include "base/context.h"
#include "model/reader.h"

#include <string.h>

/* Reads two positive numbers under a key into x[2], such as the values of a tyre's property at the nominal load and at twice this load. */
static cmb_status read_pair(cmb_reader *r, const cmb_scope *s, const cmb_node *map, const char *key,
                            double x[2])
{
  const cmb_node *node;
  CMB_TRY(cmb_require(r, map, key, &node));
  CMB_TRY(cmb_read_fixed_list(r, s, node, 2, "a number of a tyre", x));
  if (x[0] > 0 && x[1] > 0) return CMB_OK;
  return cmb_reader_fail(r, node->place, "'%s' is [%g, %g]; expected two numbers greater than 0",
                         key, x[0], x[1]);
}

/* Checks a characteristic slip of a tyre, x[0] at the nominal load and x[1] at twice this load, for which a linear dependence on the load
 * is assumed: it must be positive from zero load to three times the nominal load. */
static cmb_status check_slips(cmb_reader *r, const cmb_node *map, const char *key,
                              const double x[2])
{
  if (2 * x[0] > x[1] && 2 * x[1] > x[0]) return CMB_OK;
  return cmb_reader_fail(r, cmb_node_find(map, key)->place,
                         "'%s' is [%s, %s]; expected each number to be less than twice the other",
                         key, cmb_shortest(x[0]).text, cmb_shortest(x[1]).text);
}

static cmb_status check_forces(cmb_reader *r, const cmb_node *map, const char *key,
                               const double x[2])
{
  if (x[1] > x[0] && x[1] <= 2 * x[0]) return CMB_OK;
  return cmb_reader_fail(r, cmb_node_find(map, key)->place,
                         "'%s' is [%s, %s]; expected the second number, for twice the load, to be "
                         "greater than the first and at most twice it",
                         key, cmb_shortest(x[0]).text, cmb_shortest(x[1]).text);
}

/* Returns whether the tyre property a is less than b at all loads from zero to three times the nominal one. Both depend linearly on the
 * load and are given at the nominal load (index 0) and at twice this load (index 1). */
static bool is_below(const double a[2], const double b[2])
{
  return 2 * a[0] - a[1] < 2 * b[0] - b[1] && 2 * a[1] - a[0] < 2 * b[1] - b[0];
}

static cmb_status read_side(cmb_reader *r, const cmb_scope *s, const cmb_node *map, const char *key,
                            cmb_tmeasy_side *side)
{
  static const char *const keys[] = {"slope", "peak-slip", "peak", "sliding-slip", "sliding"};
  double *const to[] = {side->slope, side->peak_slip, side->peak, side->sliding_slip,
                        side->sliding};
  const cmb_node *node;
  CMB_TRY(cmb_require(r, map, key, &node));
  CMB_TRY(cmb_expect_map(r, node));
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  for (int i = 0; i < 5; i++) {
    CMB_TRY(read_pair(r, s, node, keys[i], to[i]));
    CMB_TRY((i % 2 == 1 ? check_slips : check_forces)(r, node, keys[i], to[i]));
  }
  for (int i = 0; i < 2; i++) {
    if (side->slope[i] * side->peak_slip[i] >= side->peak[i] && side->sliding[i] <= side->peak[i])
      continue;
    return cmb_reader_fail(
        r, node->place,
        "at %s the force of the initial slope at 'peak-slip' is %s, 'peak' is %s and "
        "'sliding' is %s; expected each to be at least as large as the next",
        i == 0 ? "the nominal load" : "twice the nominal load",
        cmb_shortest(side->slope[i] * side->peak_slip[i]).text, cmb_shortest(side->peak[i]).text,
        cmb_shortest(side->sliding[i]).text);
  }
  if (is_below(side->peak_slip, side->sliding_slip)) return CMB_OK;
  return cmb_reader_fail(r, node->place,
                         "'peak-slip' is not below 'sliding-slip' at all loads up to three times "
                         "the nominal one; expected it below at all of them");
}

static cmb_status read_trail(cmb_reader *r, const cmb_scope *s, const cmb_node *map, cmb_tmeasy *t)
{
  static const char *const keys[] = {"ratio", "zero", "end"};
  double *const to[] = {t->trail, t->trail_zero, t->trail_end};
  const cmb_node *node = cmb_node_find(map, "trail");
  if (!node) return CMB_OK;
  t->has_trail = true;
  CMB_TRY(cmb_expect_map(r, node));
  CMB_TRY(CMB_CHECK_KEYS(r, node, keys));
  for (int i = 0; i < 3; i++) {
    CMB_TRY(read_pair(r, s, node, keys[i], to[i]));
    CMB_TRY(check_slips(r, node, keys[i], to[i]));
  }
  if (is_below(t->trail_zero, t->trail_end)) return CMB_OK;
  return cmb_reader_fail(r, node->place,
                         "'zero' is not below 'end' at all loads up to three times the nominal "
                         "one; expected it below at all of them");
}

static cmb_status read_tmeasy(cmb_reader *r, const cmb_scope *s, const cmb_node *map,
                              cmb_model_tyre *tyre)
{
  static const char *const keys[] = {"load",    "longitudinal",   "lateral",
                                     "carcass", "rolling-radius", "trail"};
  const cmb_node *load, *rolling = cmb_node_find(map, "rolling-radius");
  cmb_tmeasy *t = cmb_arena_take(r->model->arena, 1, sizeof *t);
  if (!t) return cmb_fail_memory(r->ctx);
  tyre->tmeasy = t;
  CMB_TRY(cmb_expect_map(r, map));
  CMB_TRY(CMB_CHECK_KEYS(r, map, keys));
  CMB_TRY(cmb_require(r, map, "load", &load));
  CMB_TRY(cmb_read_fixed(r, s, load, "a number of a tyre", &t->load));
  if (!(t->load > 0)) {
    return cmb_reader_fail(r, load->place, "'load' is %g; expected a number greater than 0",
                           t->load);
  }
  CMB_TRY(read_side(r, s, map, "longitudinal", &t->x));
  CMB_TRY(read_side(r, s, map, "lateral", &t->y));
  CMB_TRY(read_pair(r, s, map, "carcass", t->stiffness));
  if (rolling) CMB_TRY(read_pair(r, s, map, "rolling-radius", tyre->rolling));
  return read_trail(r, s, map, t);
}

/* Appends a first-order state of the tyre force f to the model, with the name NAME.u or NAME.v as `suffix` says. Its rate is defined later,
 * with the equations of the tyre. */
static cmb_status add_state(cmb_reader *r, const cmb_node *entry, const cmb_model_force *f,
                            const char *suffix, const char *title)
{
  cmb_model *m = r->model;
  cmb_model_state *state = &m->states[m->state_count];
  state->name = cmb_full_name(r, f->name, suffix, "");
  if (!state->name) return cmb_fail_memory(r->ctx);
  state->place = entry->key_place;
  state->unit = "m";
  state->title = title;
  state->tyre = 1 + (int)(f - m->forces);
  return cmb_define(r, CMB_NAMES_STATE, state->name, m->state_count++, entry->key_place);
}

static cmb_status add_states(cmb_reader *r, const cmb_node *entry, const cmb_model_force *f,
                             cmb_model_tyre *tyre)
{
  tyre->first_state = r->model->state_count;
  CMB_TRY(
      add_state(r, entry, f, ".u", "longitudinal slip of the tyre times its relaxation length"));
  return add_state(r, entry, f, ".v", "lateral slip of the tyre times its relaxation length");
}

/* Reads an optional number under a key into *x, which is unchanged if the key is missing. The number must be positive or, if `positive` is
 * false, not negative. */
static cmb_status read_setting(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                               const char *key, bool positive, double *x)
{
  const cmb_node *node = cmb_node_find(entry, key);
  if (!node) return CMB_OK;
  CMB_TRY(cmb_read_fixed(r, s, node, "a number of a tyre", x));
  if (*x > 0 || (*x == 0 && !positive)) return CMB_OK;
  return cmb_reader_fail(r, node->place, "'%s' is %g; expected a number %s", key, *x,
                         positive ? "greater than 0" : "not less than 0");
}

static cmb_status read_place(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                             cmb_model_force *f, cmb_model_tyre *tyre)
{
  const cmb_node *on, *axis, *road = cmb_node_find(entry, "road");
  const cmb_name *found;
  const int turn = s->placed->mirror.turn;
  CMB_TRY(cmb_require(r, entry, "on", &on));
  CMB_TRY(cmb_require(r, entry, "axis", &axis));
  CMB_TRY(cmb_read_contact_point(r, s, on, &f->b));
  CMB_TRY(cmb_read_direction(r, s, axis, tyre->axis));
  for (int i = 0; i < 3; i++) tyre->axis[i] = cmb_scaled(r->model->graph, turn, tyre->axis[i]);
  tyre->side = turn;
  tyre->road = -1;
  if (!road) return CMB_OK;
  CMB_TRY(cmb_expect_text(r, road, "a road's name"));
  CMB_TRY(cmb_refer(r, s, CMB_NAMES_ROAD, road->text, road->place, &found));
  tyre->road = found->index;
  return CMB_OK;
}

/* Checks the entry of a tyre whose force law is in a file: it must not have the key `tmeasy`, which is another force law, or keys of
 * numbers that the file contains. */
static cmb_status check_beside_file(cmb_reader *r, const cmb_node *entry)
{
  static const char *const in_file[] = {"radius", "stiffness", "damping", "rolling-resistance"};
  const cmb_node *tmeasy = cmb_node_find(entry, "tmeasy");
  if (tmeasy) {
    return cmb_reader_fail(r, tmeasy->place,
                           "'file' and 'tmeasy' are both given; expected one of them");
  }
  for (int i = 0; i < 4; i++) {
    const cmb_node *node = cmb_node_find(entry, in_file[i]);
    if (node) {
      return cmb_reader_fail(r, node->place,
                             "'%s' is given beside 'file', which determines it; expected one of "
                             "them",
                             in_file[i]);
    }
  }
  return CMB_OK;
}

static cmb_status read_vertical(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                                cmb_model_tyre *tyre)
{
  const cmb_node *needed;
  CMB_TRY(cmb_require(r, entry, "radius", &needed));
  CMB_TRY(cmb_require(r, entry, "stiffness", &needed));
  CMB_TRY(cmb_read_limited(r, s, entry, "radius", CMB_POSITIVE, &tyre->radius));
  CMB_TRY(cmb_read_limited(r, s, entry, "stiffness", CMB_POSITIVE, &tyre->stiffness));
  CMB_TRY(cmb_read_limited(r, s, entry, "damping", CMB_NOT_NEGATIVE, &tyre->damping));
  return read_setting(r, s, entry, "rolling-resistance", false, &tyre->resistance);
}

/* Reads the parameters of the tyre model TMeasy and of the vertical force from a YAML file. */
static cmb_status read_yaml_tyre(cmb_reader *r, const cmb_scope *s, const cmb_node *file,
                                 cmb_model_tyre *tyre)
{
  static const char *const keys[] = {
      "title", "radius", "stiffness", "damping", "rolling-resistance", "tmeasy"};
  const char *name, *text;
  size_t length;
  const cmb_node *root, *tmeasy;
  CMB_TRY(cmb_load_included(r, file, &name, &text, &length));
  CMB_TRY(cmb_yaml_parse(r->ctx, &r->map, text, length, name, &root));
  CMB_TRY(cmb_expect_map(r, root));
  CMB_TRY(CMB_CHECK_KEYS(r, root, keys));
  CMB_TRY(cmb_require(r, root, "tmeasy", &tmeasy));
  CMB_TRY(read_tmeasy(r, s, tmeasy, tyre));
  return read_vertical(r, s, root, tyre);
}

/* Reads the parameters of the Magic Formula (a tyre model) from a .tir file into tyre->tir. Logs a warning if they make the vertical load
 * depend on the forces Fx and Fy: this is neglected, because Fx and Fy are computed from the load. */
static cmb_status read_magic(cmb_reader *r, const cmb_node *entry, const cmb_node *file,
                             cmb_model_tyre *tyre)
{
  CMB_TRY(cmb_read_tir(r, file, &tyre->tir));
  const cmb_tir *t = tyre->tir;
  char where[CMB_WHERE_ROOM];
  if (t->Q_FCX == 0 && t->Q_FCY == 0) return CMB_OK;
  cmb_log(r->ctx, CMB_LOG_WARNING,
          "%s: force '%s': the load is computed without the forces along the road: Q_FCX = %g and "
          "Q_FCY = %g of '%s' are left out",
          cmb_where(file->place, where), entry->key, t->Q_FCX, t->Q_FCY, file->text);
  return CMB_OK;
}

static cmb_status read_file(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                            const cmb_node *file, cmb_model_tyre *tyre)
{
  CMB_TRY(check_beside_file(r, entry));
  CMB_TRY(cmb_expect_text(r, file, "a file's name"));
  const size_t length = strlen(file->text);
  const bool yaml = length > 5 && strcmp(file->text + length - 5, ".yaml") == 0;
  return yaml ? read_yaml_tyre(r, s, file, tyre) : read_magic(r, entry, file, tyre);
}

/* Reads the force law of a tyre: from a file, from TMeasy parameters in the model, or a vertical force alone. */
static cmb_status read_law(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                           cmb_model_tyre *tyre)
{
  static const char *const of_law[] = {"rolling-resistance", "low-speed", "low-speed-damping"};
  const cmb_node *file = cmb_node_find(entry, "file"), *tmeasy = cmb_node_find(entry, "tmeasy");
  if (file) return read_file(r, s, entry, file, tyre);
  for (int i = 0; i < 3 && !tmeasy; i++) {
    const cmb_node *node = cmb_node_find(entry, of_law[i]);
    if (node) {
      return cmb_reader_fail(r, node->place,
                             "'%s' belongs to a law of the tyre's forces; expected %s beside it",
                             of_law[i], i == 0 ? "'tmeasy'" : "'file' or 'tmeasy'");
    }
  }
  if (tmeasy) CMB_TRY(read_tmeasy(r, s, tmeasy, tyre));
  return read_vertical(r, s, entry, tyre);
}

cmb_status cmb_read_tyre(cmb_reader *r, const cmb_scope *s, const cmb_node *entry,
                         cmb_model_force *f)
{
  cmb_model_tyre *tyre = cmb_arena_take(r->model->arena, 1, sizeof *tyre);
  if (!tyre) return cmb_fail_memory(r->ctx);
  *tyre = (cmb_model_tyre){
      .rolling = {2.0 / 3, 2.0 / 3}, .low_speed = 1, .low_speed_damping = 0.05, .first_state = -1};
  f->tyre = tyre;
  f->a.body = CMB_GROUND;
  CMB_TRY(read_place(r, s, entry, f, tyre));
  CMB_TRY(read_law(r, s, entry, tyre));
  CMB_TRY(read_setting(r, s, entry, "low-speed", true, &tyre->low_speed));
  CMB_TRY(read_setting(r, s, entry, "low-speed-damping", false, &tyre->low_speed_damping));
  return tyre->tir || tyre->tmeasy ? add_states(r, entry, f, tyre) : CMB_OK;
}
