/*
 * Runs a simulation in real time and reports the computing times of its steps (realtime.h).
 *
 * The step from t to t + h begins at start + (t - t_start) on the monotonic clock and is due at start + (t + h - t_start), where start is
 * the clock time of the first one. These times are fixed: a run that is late does not sleep until it has caught up. The time of a step is
 * measured from wake-up until everything in it is done: integration, switching, outputs, records.
 */
#include "cli/realtime.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum {
  PRIORITY = 49,        /* above all ordinary programs, below the interrupt threads of the kernel */
  STACK_AHEAD = 262144, /* bytes of stack that a step may need */
  PAGE = 4096,
  MOST_ROWS = 10, /* of the printed histogram */
  BAR = 36
};

static const double FAR_AHEAD = 3e18; /* limit for times since the start in ns, a century */

static const struct {
  const char *name;
  int permille;
} percentiles[] = {{"50", 500}, {"90", 900}, {"99", 990}, {"99.9", 999}};
enum { PERCENTILES = sizeof percentiles / sizeof percentiles[0] };

int cli_realtime_choose(struct cli_arguments *a)
{
  if (!a->realtime) return CLI_DONE;
  if (a->repeat > 1) {
    return cli_complain_pair(a, "realtime", "runs once; it cannot be used with", "repeat");
  }
  const cmb_method *m = a->method ? cmb_method_find(a->method) : NULL;
  /* an unknown method is reported elsewhere */
  if (a->method && (!m || cmb_method_is_real_time(m))) return CLI_DONE;
  const bool method_given = cli_given(a, "method");
  if (a->method && method_given == cli_given(a, "realtime")) {
    char words[128];
    snprintf(words, sizeof words, "needs a real-time method such as lie; '%.40s' is none: see",
             a->method);
    return cli_complain_pair(a, "realtime", words, "method");
  }
  if (method_given) {
    /* --realtime comes from the model file; the method on the command line has priority */
    a->realtime = false;
  } else {
    a->method = "lie";
  }
  return CLI_DONE;
}

double cli_period(const cmb_run_options *options)
{
  const cmb_integrator_options *o = &options->integrator;
  double step = o->step > 0 ? o->step : CMB_USUAL_PERIOD;
  return o->max_step > 0 ? fmin(step, o->max_step) : step;
}

/* Returns the time of the monotonic clock in nanoseconds. */
static long long now_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return 1000000000LL * t.tv_sec + t.tv_nsec;
}

/* Returns the time of the monotonic clock, in nanoseconds, at which the simulated time t (in seconds) is due. The time since the start is
 * limited to about a century to avoid overflow. */
static long long due_ns(const struct cli_realtime *r, double t)
{
  return r->start + llround(fmin(FAR_AHEAD, 1e9 * (t - r->t_start)));
}

/* Writes to each memory page of the next STACK_AHEAD bytes of the stack, so that no page fault occurs during a real-time step. */
static void touch_stack(void)
{
  char ahead[STACK_AHEAD];
  for (volatile char *at = ahead; at < ahead + STACK_AHEAD; at += PAGE) *at = 0;
}

void cli_realtime_begin(struct cli_realtime *r, double period)
{
  *r = (struct cli_realtime){.begun = false};
  cli_histogram_begin(&r->times, period);
}

/* Prepares the process for steps in real time, before the first one, at simulated time t: locks all present memory against swapping
 * (r->locked), requests the real-time scheduler SCHED_FIFO (r->fifo), and stores the start time of the clock. The system may refuse both
 * requests. */
static void prepare_process(struct cli_realtime *r, double t)
{
  const struct sched_param priority = {.sched_priority = PRIORITY};
  touch_stack();
  r->locked = mlockall(MCL_CURRENT) == 0;
  r->policy_before = sched_getscheduler(0);
  sched_getparam(0, &r->priority_before);
  r->fifo = r->policy_before == SCHED_FIFO || sched_setscheduler(0, SCHED_FIFO, &priority) == 0;
  r->begun = true;
  r->t_start = t;
  r->start = r->woken = now_ns();
}

cmb_status cli_realtime_before_step(struct cli_realtime *r, double t)
{
  if (!r->begun) {
    prepare_process(r, t);
    return CMB_OK;
  }
  const long long due = due_ns(r, t);
  r->woken = now_ns();
  if (r->woken >= due) return CMB_OK;
  const struct timespec until = {.tv_sec = due / 1000000000, .tv_nsec = due % 1000000000};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR) {
    if (cli_interrupted()) return CMB_ERROR_INTERRUPTED;
  }
  r->woken = now_ns();
  r->latest = fmax(r->latest, 1e-9 * (double)(r->woken - due));
  return CMB_OK;
}

void cli_realtime_after_step(struct cli_realtime *r, double t)
{
  const long long done = now_ns();
  cli_histogram_add(&r->times, 1e-9 * (double)(done - r->woken));
  if (done > due_ns(r, t)) r->overruns++;
}

/* Ends the real-time part of a run: unlocks the memory and restores the previous scheduler. */
void cli_realtime_end(struct cli_realtime *r)
{
  if (r->locked) munlockall();
  if (r->fifo) sched_setscheduler(0, r->policy_before, &r->priority_before);
}

/* ---- the report */

enum { TIME_ROOM = 32 };

/* Writes a time in seconds with up to three significant digits and a suitable unit, such as "12.3 us", to `text`. Returns `text`. */
static const char *time_text(double seconds, char text[TIME_ROOM])
{
  static const struct {
    double size;
    const char *name;
  } units[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
  int i = 0;
  /* so that 999.9 us is not printed as "1e+03 us" */
  while (i < 3 && seconds < 0.9995 * units[i].size) i++;
  snprintf(text, TIME_ROOM, "%.3g %s", seconds / units[i].size, units[i].name);
  return text;
}

/* Prints a row of a histogram: the texts `limit` and `margin`, the number of steps `count`, and a bar whose length is proportional to
 * count/largest. */
static void print_row(const char *limit, const char *margin, long count, long largest)
{
  static const char full[] = "####################################";
  const int length = (int)ceil(BAR * (double)count / (double)largest);
  printf("  %16s %12s %10ld%s%.*s\n", limit, margin, count, length ? "  " : "", length, full);
}

/* Prints the histogram of the computing times of real-time steps. Each row covers a factor of 2 (the lowest one all shorter times, the last
 * one all longer than the period) and shows the upper limit, the margin (the percentage of the period that remains) and the number of
 * steps. */
static void print_margins(const struct cli_histogram *h)
{
  long rows[MOST_ROWS] = {0}, largest = 1, before = 0;
  char limit[TIME_ROOM], margin[TIME_ROOM];
  for (int i = 0; i < MOST_ROWS; i++) {
    long up_to = i < MOST_ROWS - 1 ? cli_histogram_up_to(h, i - MOST_ROWS + 2) : h->total;
    rows[i] = up_to - before;
    before = up_to;
    if (rows[i] > largest) largest = rows[i];
  }
  int first = 0;
  while (first < MOST_ROWS - 2 && rows[first] == 0) first++;
  printf("  %16s %12s %10s\n", "step time up to", "margin from", "steps");
  for (int i = first; i < MOST_ROWS - 1; i++) {
    const double part = exp2(i - MOST_ROWS + 2);
    snprintf(margin, sizeof margin, "%.1f %%", 100 * (1 - part));
    print_row(time_text(h->unit * part, limit), margin, rows[i], largest);
  }
  print_row("longer", "none", rows[MOST_ROWS - 1], largest);
}

void cli_realtime_print(const struct cli_realtime *r)
{
  const struct cli_histogram *h = &r->times;
  char text[TIME_ROOM];
  printf("  real time    period %s, %ld steps, %ld overruns\n", time_text(h->unit, text), h->total,
         r->overruns);
  if (h->total == 0) return;
  printf("  system       scheduler %s, memory %s\n", r->fifo ? "fifo" : "other (fifo refused)",
         r->locked ? "locked" : "not locked (refused)");
  printf("  step time   ");
  for (int i = 0; i < PERCENTILES; i++) {
    const double time = cli_histogram_quantile(h, percentiles[i].permille);
    printf("%s %s %% %s", i ? "," : "", percentiles[i].name, time_text(time, text));
  }
  printf("\n  worst        step %s, ", time_text(h->most, text));
  printf("wake-up %s late\n", time_text(r->latest, text));
  print_margins(h);
}

void cli_realtime_json(const struct cli_realtime *r, struct cli_json *j)
{
  const struct cli_histogram *h = &r->times;
  cli_json_open(j, "realtime", '{');
  cli_json_number(j, "period", h->unit);
  cli_json_integer(j, "steps", h->total);
  cli_json_integer(j, "overruns", r->overruns);
  cli_json_number(j, "worst", h->total > 0 ? h->most : NAN);
  cli_json_open(j, "percentiles", '{');
  for (int i = 0; i < PERCENTILES; i++) {
    cli_json_number(j, percentiles[i].name, cli_histogram_quantile(h, percentiles[i].permille));
  }
  cli_json_close(j, '}');
  cli_json_number(j, "latest_wakeup", r->latest);
  cli_json_text(j, "scheduler", r->fifo ? "fifo" : "other");
  cli_json_bool(j, "memory_locked", r->locked);
  cli_json_close(j, '}');
}
