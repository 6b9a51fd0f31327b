/*
 * Random stacks and rows of three blocks with friction that sticks, periodic loads and springs, compared with an independent integration of a
 * regularised law: in place of sticking, friction is a stiff damper up to its static limit; beyond it the block slips until its velocity changes
 * sign. It is integrated by the midpoint rule with very small steps, and creeps with less than 0.1 mm/s.
 *
 * CAMBER_STICKING: number of cases.
 */
#include "check.h"
#include "methods.h"
#include "model_run.h"
#include "random.h"

#include <stdio.h>
#include <string.h>

enum { N = 3, HOLDS = 0 };

struct blocks {
  bool stack; /* friction of each block on the one before it, else all on the ground */
  double mass[N], spring[N], between[N], slip[N], hold[N], load[N], rate[N], phase[N], v[N];
};

/* Draws the parameters of a case. */
static void choose(struct blocks *b, uint64_t seed)
{
  struct cmbt_random r = {seed};
  b->stack = cmbt_random_int(&r, 0, 2) > 0;
  for (int i = 0; i < N; i++) {
    b->mass[i] = cmbt_random_uniform(&r, 0.5, 2);
    b->spring[i] = cmbt_random_uniform(&r, 5, 60);
    b->between[i] = i > 0 ? cmbt_random_uniform(&r, 0, 40) : 0;
    b->slip[i] = cmbt_random_uniform(&r, 0.5, 3);
    b->hold[i] = b->slip[i] * cmbt_random_uniform(&r, 1, 2.5);
    b->load[i] = cmbt_random_uniform(&r, 0, 8);
    b->rate[i] = cmbt_random_uniform(&r, 1, 6);
    b->phase[i] = cmbt_random_uniform(&r, 0, 6);
    b->v[i] = cmbt_random_int(&r, 0, 2) > 0 ? 0 : cmbt_random_uniform(&r, -1, 1);
  }
}

/* ---- the reference */

/* Computes the velocities of friction, D v: of block i, or relative to the block below in a stack. */
static void relative(const struct blocks *b, const double *v, double *out)
{
  for (int i = 0; i < N; i++) out[i] = v[i] - (b->stack && i > 0 ? v[i - 1] : 0);
}

/* Computes the accelerations M⁻¹ (f + Dᵀ φ) for the friction forces φ. */
static void accelerate(const struct blocks *b, const double *f, const double *phi, double *a)
{
  for (int i = 0; i < N; i++) {
    const double above = b->stack && i + 1 < N ? phi[i + 1] : 0;
    a[i] = (f[i] + phi[i] - above) / b->mass[i];
  }
}

static void loads(const struct blocks *b, double t, const double *x, double *f)
{
  for (int i = 0; i < N; i++) {
    f[i] = b->load[i] * sin(b->rate[i] * t + b->phase[i]) - b->spring[i] * x[i];
  }
  for (int i = 1; i < N; i++) {
    const double pull = b->between[i] * (x[i] - x[i - 1]);
    f[i] -= pull;
    f[i - 1] += pull;
  }
}

static const double CREEP = 1e-4; /* m/s, at which the damper exerts the static limit */

static void slopes(const struct blocks *b, double t, const double *x, const double *v,
                   const int *mode, double *a)
{
  double f[N], r[N], phi[N];
  loads(b, t, x, f);
  relative(b, v, r);
  for (int i = 0; i < N; i++) {
    phi[i] = mode[i] == HOLDS ? -b->hold[i] * r[i] / CREEP : -mode[i] * b->slip[i];
  }
  accelerate(b, f, phi, a);
}

/* Begins slip above the velocity CREEP, and ends it where the velocity has changed its sign. */
static void change_modes(const struct blocks *b, const double *v, int *mode)
{
  double r[N];
  relative(b, v, r);
  for (int i = 0; i < N; i++) {
    if (mode[i] == HOLDS) {
      mode[i] = r[i] > CREEP ? 1 : r[i] < -CREEP ? -1 : HOLDS;
    } else if (mode[i] * r[i] <= 0) {
      mode[i] = HOLDS;
    }
  }
}

static void integrate(const struct blocks *b, double end, double *x)
{
  const int steps = 2000000;
  const double h = end / steps;
  double v[N], a[N], x_middle[N], v_middle[N];
  int mode[N] = {HOLDS, HOLDS, HOLDS};
  memcpy(v, b->v, sizeof v);
  for (int i = 0; i < N; i++) x[i] = 0;
  change_modes(b, v, mode);
  for (int n = 0; n < steps; n++) {
    slopes(b, n * h, x, v, mode, a);
    for (int i = 0; i < N; i++) {
      x_middle[i] = x[i] + h / 2 * v[i];
      v_middle[i] = v[i] + h / 2 * a[i];
    }
    slopes(b, (n + 0.5) * h, x_middle, v_middle, mode, a);
    for (int i = 0; i < N; i++) {
      x[i] += h * v_middle[i];
      v[i] += h * a[i];
    }
    change_modes(b, v, mode);
  }
}

/* ---- the model */

static int add_block(const struct blocks *b, int i, size_t room, char *text)
{
  return snprintf(
      text, room,
      "  f%d: {type: load, on: {body: b%d, at: [0, 0, %d]},\n"
      "       force: [\"%.17g*sin(%.17g*t + %.17g) - %.17g*(x%d - x%d) + %.17g*(x%d - x%d)\n"
      "               - stick(%s, %.17g, %.17g) + stick(%s, %.17g, %.17g)\", 0, 0]}\n",
      i, i, i, b->load[i], b->rate[i], b->phase[i], b->between[i], i, i > 0 ? i - 1 : i,
      i + 1 < N ? b->between[i + 1] : 0, i + 1 < N ? i + 1 : i, i,
      b->stack && i == 1   ? "x1' - x0'"
      : b->stack && i == 2 ? "x2' - x1'"
      : i == 0             ? "x0'"
      : i == 1             ? "x1'"
                           : "x2'",
      b->slip[i], b->hold[i],
      !b->stack || i + 1 == N ? "1"
      : i == 0                ? "x1' - x0'"
                              : "x2' - x1'",
      !b->stack || i + 1 == N ? 0 : b->slip[i + 1], !b->stack || i + 1 == N ? 0 : b->hold[i + 1]);
}

static void write_model(const struct blocks *b, size_t room, char *text)
{
  size_t used = (size_t)snprintf(text, room, "gravity: [0, 0, 0]\nbodies:\n");
  for (int i = 0; i < N; i++) {
    used += (size_t)snprintf(text + used, room - used, "  b%d: {mass: %.17g, com: [0, 0, %d]}\n", i,
                             b->mass[i], i);
  }
  used += (size_t)snprintf(text + used, room - used, "joints:\n");
  for (int i = 0; i < N; i++) {
    used += (size_t)snprintf(
        text + used, room - used,
        "  x%d: {type: prismatic, child: b%d, axis: x, rate: %.17g, stiffness: %.17g}\n", i, i,
        b->v[i], b->spring[i]);
  }
  used += (size_t)snprintf(text + used, room - used, "forces:\n");
  for (int i = 0; i < N; i++) used += (size_t)add_block(b, i, room - used, text + used);
  snprintf(text + used, room - used, "outputs: {p0: b0.x, p1: b1.x, p2: b2.x}\n");
}

static void test_blocks(void **state)
{
  (void)state;
  const int count = cmbt_count("CAMBER_STICKING", getenv("CAMBER_SANITIZED") ? 1 : 4);
  const double end = 3;
  double worst = 0;
  for (int seed = 1; seed <= count; seed++) {
    const char *const methods[] = {"mdop5", "mdop853", "radau5", "bdf"};
    struct blocks b;
    char text[4000];
    double x[N];
    cmbt_run r;
    choose(&b, (uint64_t)seed);
    integrate(&b, end, x);
    write_model(&b, sizeof text, text);
    cmbt_run_open_text(&r, text, cmbt_formulation(seed % 3));
    r.method = methods[seed % 4];
    r.rtol = 1e-8;
    cmbt_run_to(&r, end, 0);
    const double off =
        fmax(fabs(cmbt_output(&r, "p0") - x[0]),
             fmax(fabs(cmbt_output(&r, "p1") - x[1]), fabs(cmbt_output(&r, "p2") - x[2])));
    if (!(off < 1e-3)) fail_msg("seed %d: off by %.3g", seed, off);
    worst = fmax(worst, off);
    cmbt_run_close(&r);
  }
  printf("%d cases, off by %.2g m at most\n", count, worst);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_blocks)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
