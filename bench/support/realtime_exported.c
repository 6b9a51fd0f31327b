/*
 * Camber's side of the race in steps of 1 ms (realtime_code.h): the C code that `camber export c` wrote when this was built.
 */
#include "support/realtime_code.h"

#include <fivelink.h>
#include <quarter_car.h>
#include <stdlib.h>
#include <string.h>

struct car {
  quarter_car m;
  quarter_car_state s;
};

static void restart_car(void *self)
{
  struct car *c = self;
  quarter_car_init(&c->m);
}

static void step_car(void *self)
{
  struct car *c = self;
  (void)quarter_car_step(&c->m, NULL, NULL);
}

static const double *car_position(void *self)
{
  struct car *c = self;
  quarter_car_get_state(&c->m, &c->s);
  return c->s.q;
}

struct axle {
  fivelink m;
  fivelink_state s;
};

static void restart_axle(void *self)
{
  struct axle *a = self;
  fivelink_init(&a->m);
}

static void step_axle(void *self)
{
  struct axle *a = self;
  (void)fivelink_step(&a->m, NULL, NULL);
}

static const double *axle_position(void *self)
{
  struct axle *a = self;
  fivelink_get_state(&a->m, &a->s);
  return a->s.q;
}

bool bench_realtime_exported(const char *model, bench_realtime_code *code)
{
  if (strcmp(model, "quarter-car") == 0) {
    *code = (bench_realtime_code){calloc(1, sizeof(struct car)), restart_car, step_car,
                                  car_position, free};
  } else if (strcmp(model, "fivelink") == 0) {
    *code = (bench_realtime_code){calloc(1, sizeof(struct axle)), restart_axle, step_axle,
                                  axle_position, free};
  } else {
    return false;
  }
  if (!code->self) return false;
  code->restart(code->self);
  return true;
}
