/*
 * Computes animations of the modes (eigenvalues with their eigenvectors) for the page of a model (view_model.h). For an eigenvalue with the mode
 * shape φ the positions are
 *     q = q₀ + ε (Re φ cos θ − Im φ sin θ),   θ from 0 to 2π,
 * with the loops closed at each of them. The amplitude ε is such that the largest displacement of a point is a tenth of the mechanism's
 * size, or less if a body would rotate far. A real eigenvalue has a decaying or growing motion, q = q₀ + ε φ exp(∓τ); a neutral one is
 * shown as an oscillation.
 */
#include "cli/state_space.h"
#include "cli/view_model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Intervals of a period, and if the page would become too large with them; amplitudes that are tried; degrees of freedom with more of which no
 * modes are computed. */
enum { PHASES = 24, FEW_PHASES = 12, MOST_TRIES = 8, MOST_FREEDOMS = 200 };

static const double TWO_PI = 6.28318530717958647692;
static const double LARGEST_DISPLACEMENT = 0.1; /* relative to the mechanism's size */
static const double TURN = 0.3;                 /* largest rotation, in rad */
static const double DECAY = 4;                  /* number of time constants that are shown */

/* Computes the factors *re and *im of Re φ and −Im φ in the displacement of an eigenmode m with the shape φ, at the fraction x of the
 * animation. They are cos 2πx and sin 2πx for an oscillation or an eigenvalue 0; for another real eigenvalue, an exponential function that
 * decays from 1 or grows to 1, and 0. */
static void factors_at(const cmb_eigenmode *m, double x, double *re, double *im)
{
  *re = cos(TWO_PI * x);
  *im = sin(TWO_PI * x);
  if (m->im > 0 || m->neutral) return;
  *re = exp(m->re < 0 ? -DECAY * x : DECAY * (x - 1));
  *im = 0;
}

/* Computes the positions for the animation of an eigenmode m over one period, in the f->count rows f->rows: each has the fraction of the period
 * (0 to 1) and q[nq]. The displacement is the eigenvector times `amplitude`, corrected to close all loops; *closed becomes false, and the
 * computation ends, where that is impossible. */
static cmb_status fill_rows(struct cli_view_place *p, const cmb_eigenmode *m, double amplitude,
                            struct cli_frames *f, bool *closed)
{
  const int nq = p->eq.nq;
  *closed = true;
  for (long k = 0; k < f->count && *closed; k++) {
    double re, im, reached = 1, *row = f->rows + k * (1 + nq), *q = row + 1;
    row[0] = (double)k / (double)(f->count - 1);
    factors_at(m, row[0], &re, &im);
    for (int i = 0; i < nq; i++) {
      q[i] = p->q[i] + amplitude * (re * m->shape_re[i] - im * m->shape_im[i]);
    }
    if (p->eq.normalize) p->eq.normalize(p->eq.self, q);
    if (p->eq.ng > 0) CMB_TRY(cmb_freedoms_move(p->freedoms, 0, p->t, q, &reached));
    *closed = reached >= 1;
  }
  return CMB_OK;
}

/* Chooses the amplitude for the animation of a mode m, so that the largest displacement of a point is about a tenth of the mechanism's size,
 * and no body rotates by much more than 0.3 rad. *amplitude is 0 if the mode does not move bodies. */
static cmb_status find_amplitude(struct cli_view_place *p, const cmb_eigenmode *m,
                                 double *amplitude)
{
  double distance[2] = {0, 0}, turn[2] = {0, 0};
  CMB_TRY(cli_view_displaced(p, m->shape_re, &distance[0], &turn[0]));
  if (m->im > 0) CMB_TRY(cli_view_displaced(p, m->shape_im, &distance[1], &turn[1]));
  const double by_distance = LARGEST_DISPLACEMENT * p->size / hypot(distance[0], distance[1]);
  const double by_turn = TURN / hypot(turn[0], turn[1]);
  *amplitude = m->most < p->eq.nq ? fmin(by_distance, by_turn) : 0;
  if (!isfinite(*amplitude)) *amplitude = 0;
  return CMB_OK;
}

/* Computes the animation of a mode over one period, out->frames, at phases + 1 instants. The amplitude is halved until all loops can be
 * closed. Makes no frames if no body moves, or if MOST_TRIES amplitudes fail. */
static cmb_status fill_mode(struct cli_view_place *p, const cmb_eigenmode *m, int phases,
                            struct cli_mode *out)
{
  double amplitude;
  bool closed = false;
  *out = (struct cli_mode){.mode = m};
  CMB_TRY(find_amplitude(p, m, &amplitude));
  if (amplitude == 0) return CMB_OK;
  out->frames = (struct cli_frames){.nq = p->eq.nq, .count = phases + 1, .room = phases + 1};
  out->frames.rows = calloc((size_t)(phases + 1) * (size_t)(1 + p->eq.nq), sizeof(double));
  if (!out->frames.rows) return CMB_ERROR_MEMORY;
  for (int i = 0; i < MOST_TRIES && !closed; i++, amplitude /= 2) {
    out->amplitude = amplitude;
    CMB_TRY(fill_rows(p, m, amplitude, &out->frames, &closed));
  }
  if (!closed) out->frames.count = 0;
  return CMB_OK;
}

/* Returns how many of the `modes` modes are shown, so that the HTML page does not become too large: the first ones, at least one if there are
 * any. *phases is the number of intervals into which the animation of each divides its period. */
static int choose_count(const struct cli_view_place *p, int modes, int *phases)
{
  const int a_position = CLI_A_POSE * (p->bodies > 0 ? p->bodies : 1);
  const int room = CLI_VIEW_NUMBERS / a_position;
  *phases = modes * (PHASES + 1) <= room ? PHASES : FEW_PHASES;
  const int most = room / (*phases + 1);
  return modes <= most ? modes : most > 0 ? most : 1;
}

/* Returns a copy of a string, to be freed by the caller; NULL if memory runs out. */
static char *copy_of(const char *text)
{
  const size_t size = strlen(text) + 1;
  char *copy = malloc(size);
  return copy ? memcpy(copy, text, size) : NULL;
}

/* Stores the reason `why` the HTML page has no modes (eigenvalues and eigenvectors), and prints it as a warning. Returns CMB_ERROR_MEMORY if
 * memory runs out, otherwise CMB_OK. */
static cmb_status refuse(struct cli_modes *modes, const char *why)
{
  char note[1200];
  snprintf(note, sizeof note, "there are no modes: %.1100s", why);
  cli_warn(NULL, CMB_LOG_WARNING, note);
  modes->refused = copy_of(why);
  return modes->refused ? CMB_OK : CMB_ERROR_MEMORY;
}

/* Marks the modes (eigenvalues and eigenvectors) as left out of the HTML page, since they take too long to compute for so many degrees of
 * freedom, and prints this as a warning. */
static cmb_status refuse_many(struct cli_modes *modes, int freedoms)
{
  char why[160];
  snprintf(why, sizeof why,
           "with %d degrees of freedom they take long; 'camber linearize' computes those of more "
           "than %d",
           freedoms, MOST_FREEDOMS);
  return refuse(modes, why);
}

cmb_status cli_modes_find(struct cli_view_place *p, struct cli_modes *modes)
{
  int phases, freedoms;
  *modes = (struct cli_modes){.count = 0};
  cmb_freedoms_list(p->freedoms, &freedoms);
  if (freedoms == 0) return CMB_OK;
  if (freedoms > MOST_FREEDOMS) return refuse_many(modes, freedoms);
  const cmb_status status = cmb_linearize_in(p->ctx, &p->eq, cmb_system_frame(p->system), p->t,
                                             p->q, p->v, &modes->linearization);
  if (status == CMB_ERROR_MEMORY) return status;
  if (status != CMB_OK) return refuse(modes, cmb_last_error(p->ctx));
  const cmb_linearization *l = modes->linearization;
  const int count = choose_count(p, l->eigenmode_count, &phases);
  modes->list = calloc((size_t)count + 1, sizeof *modes->list);
  if (!modes->list) return CMB_ERROR_MEMORY;
  CMB_TRY(cmb_freedoms_drive(p->freedoms, CMB_FREEDOMS_LOOSE));
  while (modes->count < count) {
    const int k = modes->count++;
    CMB_TRY(fill_mode(p, &l->eigenmodes[k], phases, &modes->list[k]));
    if (!cli_view_advance(p)) return CMB_ERROR_INTERRUPTED;
  }
  return CMB_OK;
}

void cli_modes_release(struct cli_modes *modes)
{
  for (int k = 0; k < modes->count; k++) free(modes->list[k].frames.rows);
  free(modes->list);
  free(modes->refused);
  cmb_linearization_destroy(modes->linearization);
}

/* ---- the page */

/* Writes a mode as a JSON object: its eigenvalue, the amplitude of the coordinate that changes most and its unit (0 and "" if none changes),
 * and the poses of the bodies over one period if they move and the loops can be closed. */
static cmb_status put_mode(struct cli_json *j, const struct cli_view_place *p,
                           const struct cli_mode *mode)
{
  const cmb_eigenmode *m = mode->mode;
  struct cli_poses poses = {.count = 0};
  cmb_status status = CMB_OK;
  cli_json_open(j, NULL, '{');
  cli_json_eigenvalue(j, &p->eq, m);
  cli_json_number(j, "amplitude", mode->amplitude);
  cli_json_text(j, "unit", m->most < p->eq.nq ? p->eq.q_units[m->most] : "");
  if (mode->frames.count > 0) {
    status = cli_report_poses_by(p->poses, p->bodies, &mode->frames, &poses);
    if (status == CMB_OK) cli_report_poses(j, &poses);
    cli_report_release_poses(&poses);
  }
  cli_json_close(j, '}');
  return status;
}

cmb_status cli_modes_put(struct cli_json *j, const struct cli_view_place *p,
                         const struct cli_modes *modes)
{
  const cmb_linearization *l = modes->linearization;
  cmb_status status = CMB_OK;
  cli_json_open(j, "modes", '{');
  cli_json_text(j, "refused", modes->refused);
  cli_json_integer(j, "count", l ? l->eigenmode_count : 0);
  if (l) {
    cli_json_number(j, "acceleration", l->freedoms > 0 ? l->a[l->a_most] : 0);
    cli_json_text(j, "acceleration_of", l->freedoms > 0 ? p->eq.v_names[l->a_most] : "");
  }
  cli_json_open(j, "list", '[');
  for (int k = 0; k < modes->count && status == CMB_OK; k++) {
    status = put_mode(j, p, &modes->list[k]);
  }
  cli_json_close(j, ']');
  cli_json_close(j, '}');
  return status;
}
