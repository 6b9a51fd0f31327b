/*
 * Compares the cost of Camber's methods with that of SUNDIALS ARKODE and IDA on the car axis, t in [0, 3], in one run.
 *
 *     caraxis_race [--repetitions N] [--csv FILE]
 *
 * Each code runs at rtol = atol = 10^-(4 + m/4), m = 0 .. 24. Times are the least of N repetitions (15 unless
 * told), and the repetitions of all codes at all tolerances are interleaved, so that a disturbance hits them
 * alike. Accuracy is mescd over q, v and λ (dae/problems/caraxis_reference.h). Then, since a tolerance means
 * something else to each code, times are compared at equal accuracy (support/envelope.h).
 */
#include "support/codes.h"
#include "support/envelope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>

enum { TOLERANCES = 25, REPETITIONS = 15, LOWEST_MESCD = 3, MESCDS = 6 };

/* The results of one code. */
struct runner {
  bench_outcome best[TOLERANCES]; /* of the fastest repetition */
  bench_point front[TOLERANCES];
  int front_count;
};

typedef struct race {
  int codes;
  struct runner *of; /* (codes) */
} race;

/* A claim of the project: the time of `ours` over that of `rival`, at equal accuracy. */
struct duel {
  const char *ours, *rival;
  double target; /* 0: for information */
};

static double tolerance_at(int m)
{
  return pow(10, -(4 + m / 4.0));
}

static int code_index(const char *name)
{
  return (int)(bench_code_find(name) - bench_codes);
}

static void run_all(race *r, bench_caraxis *problem, int repetitions)
{
  for (int k = 0; k < repetitions; k++) {
    for (int m = 0; m < TOLERANCES; m++) {
      for (int i = 0; i < r->codes; i++) {
        bench_outcome o;
        bench_integrate(&bench_codes[i], problem, tolerance_at(m), &o);
        if (k == 0 || o.seconds < r->of[i].best[m].seconds) r->of[i].best[m] = o;
      }
    }
  }
}

static void find_fronts(race *r)
{
  for (int i = 0; i < r->codes; i++) {
    bench_point runs[TOLERANCES];
    for (int m = 0; m < TOLERANCES; m++) {
      runs[m] = (bench_point){bench_mescd(&r->of[i].best[m]), r->of[i].best[m].seconds};
    }
    r->of[i].front_count = bench_envelope(TOLERANCES, runs, r->of[i].front);
  }
}

static void print_codes(const race *r)
{
  for (int i = 0; i < r->codes; i++) {
    printf("  %-16s %s\n", bench_codes[i].name, bench_codes[i].title);
  }
}

static void print_runs(const race *r)
{
  printf("\nSingle runs: mescd, accepted steps, evaluations of f, microseconds\n\n%-16s", "");
  for (int m = 0; m < TOLERANCES; m += 12)
    printf("  | %-28s", m ? m == 12 ? "1e-7" : "1e-10" : "1e-4");
  printf("\n%-16s", "code");
  for (int m = 0; m < TOLERANCES; m += 12)
    printf("  | %5s %6s %7s %7s", "mescd", "steps", "f", "us");
  printf("\n");
  for (int i = 0; i < r->codes; i++) {
    printf("%-16s", bench_codes[i].name);
    for (int m = 0; m < TOLERANCES; m += 12) {
      const bench_outcome *o = &r->of[i].best[m];
      printf("  | %5.2f %6ld %7ld %7.0f", bench_mescd(o), o->steps, o->f, 1e6 * o->seconds);
    }
    printf("\n");
  }
}

static void print_mescd_heading(const char *first)
{
  printf("%-28s", first);
  for (int k = 0; k < MESCDS; k++) printf(" %8d", LOWEST_MESCD + k);
}

static void print_times(const race *r)
{
  printf(
      "\nMicroseconds at equal accuracy (< the cheapest run is more accurate; - not reached)\n\n");
  print_mescd_heading("mescd");
  printf("\n");
  for (int i = 0; i < r->codes; i++) {
    printf("%-28s", bench_codes[i].name);
    for (int k = 0; k < MESCDS; k++) {
      bool beyond;
      double s = bench_time_at(r->of[i].front_count, r->of[i].front, LOWEST_MESCD + k, &beyond);
      if (isnan(s)) {
        printf(" %8s", "-");
      } else {
        printf(" %c%7.0f", beyond ? '<' : ' ', 1e6 * s);
      }
    }
    printf("\n");
  }
}

static void print_duel(const race *r, const struct duel *d)
{
  char title[64];
  double log_sum = 0;
  int count = 0, a = code_index(d->ours), b = code_index(d->rival);
  snprintf(title, sizeof title, "%s / %s", d->ours, d->rival);
  printf("%-28s", title);
  for (int k = 0; k < MESCDS; k++) {
    bool beyond;
    double ours = bench_time_at(r->of[a].front_count, r->of[a].front, LOWEST_MESCD + k, &beyond);
    double theirs = bench_time_at(r->of[b].front_count, r->of[b].front, LOWEST_MESCD + k, &beyond);
    if (isnan(ours / theirs)) {
      printf(" %8s", "-");
    } else {
      printf(" %8.3f", ours / theirs);
      log_sum += log(ours / theirs);
      count++;
    }
  }
  printf(" %8.3f", exp(log_sum / count));
  if (d->target > 0) printf("   <= %.1f", d->target);
  printf("\n");
}

static void print_ratios(const race *r)
{
  static const struct duel duels[] = {
      {"mdop5", "arkode5", 0.6},
      {"mdop853", "arkode8", 0.3},
      {"mdop5", "arkode5-dp", 0},
      {"mdop5", "arkode5-hand", 0},
      {"mdop5", "arkode5-dp-hand", 0},
      {"mdop853", "arkode8-hand", 0},
      {"mdop853", "arkode5-hand", 0},
      {"mdop853", "arkode5-dp-hand", 0},
      {"mdop5", "ida", 0},
      {"mdop853", "ida", 0},
      {"hem5", "ida", 0},
      {"phem56", "ida", 0},
  };
  printf("\nRatio of times at equal accuracy\n\n");
  print_mescd_heading("mescd");
  printf(" %8s   target\n", "mean");
  for (size_t i = 0; i < sizeof duels / sizeof duels[0]; i++) print_duel(r, &duels[i]);
}

static bool unbeaten(const race *r, int code, double mescd)
{
  for (int k = 0; k < r->of[code].front_count; k++) {
    if (r->of[code].front[k].mescd == mescd) return true;
  }
  return false;
}

/* Writes the results of all codes at all tolerances to a CSV file, for bench/plot_work_precision.py. Returns 0, or 1 if the file cannot be
 * written. */
static int write_csv(const race *r, const char *path)
{
  FILE *file = fopen(path, "w");
  if (!file) {
    perror(path);
    return 1;
  }
  fprintf(file, "code,tolerance,mescd,steps,rejected,f,seconds,unbeaten\n");
  for (int i = 0; i < r->codes; i++) {
    for (int m = 0; m < TOLERANCES; m++) {
      const bench_outcome *o = &r->of[i].best[m];
      double mescd = bench_mescd(o);
      fprintf(file, "%s,%.3e,%.3f,%ld,%ld,%ld,%.4e,%d\n", bench_codes[i].name, tolerance_at(m),
              mescd, o->steps, o->rejected, o->f, o->seconds, unbeaten(r, i, mescd));
    }
  }
  return fclose(file) == 0 ? 0 : 1;
}

static int usage(void)
{
  fprintf(stderr, "usage: caraxis_race [--repetitions N] [--csv FILE]\n");
  return 2;
}

int main(int argc, char **argv)
{
  const char *csv = NULL;
  long repetitions = REPETITIONS;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return usage();
    if (strcmp(argv[i], "--csv") == 0) {
      csv = argv[i + 1];
    } else if (strcmp(argv[i], "--repetitions") == 0) {
      repetitions = strtol(argv[i + 1], NULL, 10);
    } else {
      return usage();
    }
  }
  if (repetitions < 1 || repetitions > 100000) return usage();

  bench_caraxis *problem = bench_caraxis_create();
  race r = {0};
  while (bench_codes[r.codes].name) r.codes++;
  r.of = calloc((size_t)r.codes, sizeof *r.of);
  if (!problem || !r.of) return 1;
  char sundials[32];
  SUNDIALSGetVersion(sundials, sizeof sundials);
  printf("Car axis, t in [0, 3]: Camber %s, SUNDIALS %s; least of %ld repetitions\n\n",
         cmb_version(), sundials, repetitions);
  print_codes(&r);
  run_all(&r, problem, (int)repetitions);
  find_fronts(&r);
  print_runs(&r);
  print_times(&r);
  print_ratios(&r);
  int failed = csv ? write_csv(&r, csv) : 0;
  free(r.of);
  bench_caraxis_destroy(problem);
  return failed;
}
