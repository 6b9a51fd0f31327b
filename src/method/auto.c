/*
 * The method `auto` of the integrator: an explicit method as long as the system is not stiff, an implicit one where it is. The integrator
 * calls it when an estimate of the stiffness (stiffness.h) says that a change is due. The same functions change to the explicit method
 * beside one that cannot pass a loss of rank of the constraints, and back.
 *
 * The explicit method is mdop5, or mdop853 for small tolerances, and the implicit one radau5, unless the options choose others. The run
 * begins with the implicit method, because its step sizes show what accuracy requires. That holds with control=strict; the control of
 * RADAU5 counts errors of velocities h times, so its steps would pass over vibrations that the tolerance requires to be resolved. The first
 * change needs little evidence, and each further change, up to a limit, more than the one before it.
 */
#include "base/context.h"
#include "base/text.h"
#include "dae/branch.h"
#include "method/stiffness.h"

enum { EXPLICIT, IMPLICIT };
/* from here on the number of stiffness estimates that a change requires grows no more */
enum { MOST = 1000 };

/* up to this relative tolerance the explicit method of higher order is more efficient */
static const double SMALL = 1e-5;

static const cmb_method *const explicit_methods[] = {NULL, &cmb_method_mdop5, &cmb_method_mdop853},
                               *const implicit_methods[] = {&cmb_method_radau5, &cmb_method_bdf};

/* Makes one of the switcher's two methods the active one (which = EXPLICIT or IMPLICIT): copies its functions, data and options to the
 * integrator. */
static void activate(cmb_integrator *in, int which)
{
  cmb_switcher *s = in->switcher;
  s->active = which;
  in->method = s->method[which];
  in->order_tried = 0;
  in->data = s->data[which];
  in->chosen = s->chosen[which];
}

/* Returns the index of the option named `option` in the list of options of method m; −1 if m has no such option. */
static int option_index(const char *option, const cmb_method *m)
{
  return cmb_find_name(option, m->options, m->option_count, sizeof *m->options);
}

/* Creates the data of one of the switcher's two methods, number `which`, and makes this method the active one. Its options must have been
 * chosen before. */
static cmb_status create_method(cmb_integrator *in, int which)
{
  cmb_switcher *s = in->switcher;
  activate(in, which);
  const cmb_status status = s->method[which]->create(in);
  s->data[which] = in->data;
  return status;
}

/* Returns the explicit method number `wanted`; for 0 the more efficient one at the integrator's tolerance. */
static const cmb_method *explicit_method(const cmb_integrator *in, int wanted)
{
  return explicit_methods[wanted > 0 ? wanted : in->options.rtol > SMALL ? 1 : 2];
}

cmb_status cmb_switcher_create(cmb_integrator *in)
{
  cmb_switcher *s = in->switcher = cmb_arena_take(in->arena, 1, sizeof *s);
  if (!s) return CMB_OK;
  const int control = cmb_choice(in, "control");
  s->by_stiffness = true;
  s->method[EXPLICIT] = explicit_method(in, cmb_choice(in, "explicit"));
  s->method[IMPLICIT] = implicit_methods[cmb_choice(in, "implicit")];
  for (int which = EXPLICIT; which <= IMPLICIT; which++) {
    cmb_choices *chosen = &s->chosen[which];
    if (cmb_choices_create(in->arena, s->method[which], chosen) != CMB_OK) return CMB_OK;
    if (which == IMPLICIT) chosen->word[option_index("control", s->method[which])] = control;
    CMB_TRY(create_method(in, which));
  }
  cmb_switcher_begin(in);
  return CMB_OK;
}

cmb_status cmb_switcher_add(cmb_integrator *in)
{
  cmb_switcher *s = cmb_arena_take(in->arena, 1, sizeof *s);
  if (!s) return CMB_OK;
  s->method[EXPLICIT] = explicit_method(in, 0);
  s->method[IMPLICIT] = in->method;
  s->data[IMPLICIT] = in->data;
  s->chosen[IMPLICIT] = in->chosen;
  in->switcher = s;
  if (cmb_choices_create(in->arena, s->method[EXPLICIT], &s->chosen[EXPLICIT]) != CMB_OK)
    return CMB_OK;
  CMB_TRY(create_method(in, EXPLICIT));
  cmb_switcher_begin(in);
  return CMB_OK;
}

void cmb_switcher_begin(cmb_integrator *in)
{
  in->switcher->enough = 2;
  in->switcher->steps = 0;
  in->switcher->due = false;
  activate(in, IMPLICIT);
}

void cmb_switcher_visit(cmb_integrator *in, cmb_archive *a)
{
  cmb_switcher *s = in->switcher;
  int active = s->active;
  cmb_archive_ints(a, "switcher", 1, &active);
  const bool known = active == EXPLICIT || active == IMPLICIT;
  if (!known) cmb_archive_refuse(a, "the number of the active method is out of range");
  cmb_archive_small_count(a, "switcher-steps", &s->steps);
  cmb_archive_ints(a, "switcher-looks", 1, &s->enough);
  cmb_archive_bools(a, "switcher-due", 1, &s->due);
  if (known) activate(in, active);
}

void cmb_switcher_destroy(cmb_integrator *in)
{
  cmb_switcher *s = in->switcher;
  for (int which = 0; which < 2; which++) {
    in->data = s->data[which];
    if (s->method[which] && s->method[which]->destroy && in->data) s->method[which]->destroy(in);
  }
}

void cmb_switcher_check(cmb_integrator *in)
{
  cmb_switcher *s = in->switcher;
  const double stability = s->method[EXPLICIT]->stability;
  if (cmb_stiffness_update(in, in->stiffness, stability, s->enough)) s->due = true;
}

cmb_status cmb_switcher_change(cmb_integrator *in)
{
  cmb_switcher *s = in->switcher;
  const double h = in->h;
  s->due = false;
  s->steps = 0;
  if (s->enough < MOST) s->enough = 2 * s->enough + 2;
  activate(in, s->active == EXPLICIT ? IMPLICIT : EXPLICIT);
  cmb_log(in->ctx, CMB_LOG_INFO, "t = %.9g: continues with %s", in->t, in->method->name);
  if (in->stiffness) cmb_stiffness_begin(in->stiffness);
  cmb_watch_rank(in->ev, true); /* the implicit methods switch it off again */
  CMB_TRY(in->method->begin(in));
  in->h = h;
  return CMB_OK;
}

bool cmb_switcher_can_pass(const cmb_integrator *in)
{
  return in->switcher && in->switcher->active == IMPLICIT;
}

static const cmb_option options[] = {
    {"explicit", "auto|mdop5|mdop853", "auto",
     "the method where the system is not stiff; auto: the higher order for small tolerances"},
    {"implicit", "radau5|bdf", "radau5", "the method where it is stiff"},
    {"control", "strict|classic", "strict", "that method's option control"},
};

const cmb_method cmb_method_auto = {
    .name = "auto",
    .passes_singular = true,
    .title = "an explicit method where the system is not stiff, an implicit one where it is",
    .order = 5,
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .implicit = true,
    .create = cmb_switcher_create,
};
