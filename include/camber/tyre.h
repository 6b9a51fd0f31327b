/*
 * Camber, layer dyn: tyres by themselves. A tyre property file (.tir) with the Magic Formula 5.2, 6.1 or 6.2 (docs/tyres.md), and the
 * forces that it gives, with their derivatives:
 *
 *     cmb_tyre_open(ctx, "car.tir", &tyre);
 *     cmb_tyre_evaluate(tyre, &(cmb_tyre_state){.load = 4000, .slip_angle = 0.05, .speed = 20, .friction = 1}, &forces, NULL);
 */
#ifndef CAMBER_TYRE_H
#define CAMBER_TYRE_H

#include <camber/expr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A wheel on the road, in SI units and radians. */
typedef struct cmb_tyre_state {
  double load;       /* >= 0 */
  double slip;       /* κ = −Vsx/|Vx|: −1 is a locked wheel */
  double slip_angle; /* α, less than a right angle */
  double camber;     /* γ */
  double speed;      /* Vx */
  double friction;   /* factor of the road on the tyre's friction, >= 0 */
} cmb_tyre_state;

/* In the axes of the contact point: x forward, y to the left, z up. */
typedef struct cmb_tyre_forces {
  double Fx, Fy, Mx, My, Mz;
  double sigma_x, sigma_y; /* relaxation lengths; 0: the file has none */
} cmb_tyre_forces;

enum { CMB_TYRE_STATES = 6, CMB_TYRE_FORCES = 7 };

typedef struct cmb_tyre cmb_tyre;

/* Reads a file, or a text that `name` names in messages. On failure CMB_ERROR_INPUT (CMB_ERROR_IO if it cannot be read), and the context
 * has "FILE:LINE:COLUMN: what is wrong, and what was expected". A tyre belongs to one thread at a time. */
CMB_API cmb_status cmb_tyre_open(cmb_context *ctx, const char *path, cmb_tyre **tyre);
CMB_API cmb_status cmb_tyre_parse(cmb_context *ctx, const char *text, size_t length,
                                  const char *name, cmb_tyre **tyre);
CMB_API void cmb_tyre_close(cmb_tyre *tyre);

/* The number under a key of the file ("FNOMIN"), in SI units, or what stands for it if the file has none; infinite: no limit. False if
 * the Magic Formula has no such key. */
CMB_API bool cmb_tyre_number(const cmb_tyre *tyre, const char *key, double *x);

/* Forces, and their derivatives (CMB_TYRE_FORCES x CMB_TYRE_STATES, both in the order above) unless it is NULL. */
CMB_API cmb_status cmb_tyre_evaluate(cmb_tyre *tyre, const cmb_tyre_state *state,
                                     cmb_tyre_forces *forces, double *derivatives);

#ifdef __cplusplus
}
#endif
#endif
