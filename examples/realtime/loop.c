/*
 * A 1 kHz loop around exported C code: a quarter car in real time, as on a test bench.
 *
 *     camber export c quarter-car -o .
 *     cc -std=c99 -O2 -ffp-contract=off loop.c quarter_car.c -o loop -lm
 *     ./loop 5
 *
 * Each period reads its inputs, makes one step, hands out the outputs, and sleeps until the next one begins. A period whose work
 * is not done in time is counted as an overrun; the grid of periods stays where it is, so that simulated time and the clock do not
 * drift apart. On a bench, read_sensors and write_actuators talk to the hardware.
 */
#define _POSIX_C_SOURCE 200809L

#include "quarter_car.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { NANOSECONDS = 1000000000 };

static struct timespec after(struct timespec t, long nanoseconds)
{
  t.tv_nsec += nanoseconds;
  while (t.tv_nsec >= NANOSECONDS) {
    t.tv_nsec -= NANOSECONDS;
    t.tv_sec++;
  }
  return t;
}

static double seconds_between(struct timespec from, struct timespec to)
{
  return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* Sets the inputs of the model at time t: a road that rises by 30 mm within 50 ms from t = 2 s on, in addition to the model's own bump. The
 * rate of the height is an input as well, because the tyre has damping. */
static void read_sensors(double t, quarter_car_inputs *in)
{
  const double rate = t >= 2 && t < 2.05 ? 0.6 : 0;
  in->road = t >= 2.05 ? 0.03 : rate * (t - 2);
  in->road_rate = rate;
}

static void write_actuators(double t, const quarter_car_outputs *out)
{
  static double next = 0;
  if (t < next) return;
  next += 0.25;
  printf("%5.2f s   heave %8.5f m   tyre force %7.0f N%s\n", t, out->heave, out->left_tyre_force,
         out->event_left_tyre_contact ? "   contact changed" : "");
}

/* Requests real-time priority and locked memory from the operating system; where this is not permitted, prints a message and continues
 * without. */
static void become_real_time(void)
{
  struct sched_param priority;
  memset(&priority, 0, sizeof priority);
  priority.sched_priority = 49;
  if (sched_setscheduler(0, SCHED_FIFO, &priority) != 0) puts("no real-time priority");
  if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) puts("memory is not locked");
}

int main(int argc, char **argv)
{
  const long period = (long)(1e9 * QUARTER_CAR_STEP);
  const long periods = (long)((argc > 1 ? atof(argv[1]) : 5) / QUARTER_CAR_STEP);
  static quarter_car car; /* all memory of the model: nothing is allocated */
  quarter_car_inputs in;
  quarter_car_outputs out;
  quarter_car_state state;
  struct timespec due, begun, done;
  long overruns = 0, failures = 0;
  double worst = 0;
  memset(&in, 0, sizeof in);
  memset(&out, 0, sizeof out);
  quarter_car_init(&car);
  quarter_car_get_state(&car, &state);
  become_real_time();
  clock_gettime(CLOCK_MONOTONIC, &due);
  for (long k = 0; k < periods; k++) {
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
    clock_gettime(CLOCK_MONOTONIC, &begun);
    read_sensors(state.t, &in);
    failures += quarter_car_step(&car, &in, &out);
    quarter_car_get_state(&car, &state);
    write_actuators(state.t, &out);
    clock_gettime(CLOCK_MONOTONIC, &done);
    due = after(due, period);
    if (seconds_between(done, due) < 0) overruns++;
    if (seconds_between(begun, done) > worst) worst = seconds_between(begun, done);
  }
  printf("%ld periods of %g ms: %ld overruns, %ld failed steps, slowest period %.1f us\n", periods,
         1e3 * QUARTER_CAR_STEP, overruns, failures, 1e6 * worst);
  return failures != 0;
}
