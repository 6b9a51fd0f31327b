/*
 * Bundled parts for road vehicles (models/parts, docs/parts.md): steering, differentials, brakes, drag, speed controller, driver, paths and
 * manoeuvres, each in a small model with explicit and implicit methods, compared with an exact solution or with the Runge-Kutta method in
 * long double for equations written here. A brake stops a wheel, holds it without creep, and releases it. Parts that methods of fixed cost can
 * run give the same bits in exported code.
 */
#include "check.h"
#include "export_bits.h"
#include "methods.h"
#include "model_case.h"
#include "model_run.h"
#include "part_case.h"

#include <camber/camber.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUTS = 11 };

#define T_END 1.1

#define DOT                                                                                        \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {dot: {mass: 1, com: [0, 0, 0]}}\n"                                                     \
  "joints: {slide: {type: prismatic, child: dot, axis: x}}\n"

/* ---- steering */

/* The first rack reaches the table's point (0.942, 0.0547) at the end. The second oscillates about the balance of torsion bar and spring. */
static const char steering[] =
    "include: parts/steering\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {chassis: {mass: 1, com: [0, 0, 0]}, one: {mass: 20, com: [0, 0, 0]}, two: {mass: 20, "
    "com: [0, 0, 0]}}\n"
    "joints:\n"
    "  hold: {type: fixed, child: chassis}\n"
    "  first: {type: prismatic, child: one, axis: y, coordinates: [a]}\n"
    "  second: {type: prismatic, child: two, axis: y, coordinates: [b], stiffness: 5000, damping: "
    "40}\n"
    "instances:\n"
    "  drive:\n"
    "    template: steering_drive\n"
    "    measures: {rack: a, angle: 0.942*t/1.1}\n"
    "    tables: {gear: {kind: akima, points: [[-1.571, -0.0877], [-0.942, -0.0547], [-0.314, "
    "-0.0198], [0, 0], [0.314, 0.0198], [0.942, 0.0547], [1.571, 0.0877], [2.199, 0.1266]]}}\n"
    "  column:\n"
    "    template: steering_column\n"
    "    parameters: {travel_per_angle: 0.05, stiffness: 120, damping: 0.8, inertia: 0.002, "
    "friction: 0.1}\n"
    "    measures: {rack: b, angle: 0.4 + 0.5*t, angle_rate: 0.5}\n"
    "outputs: {travel: a, pinion: column.pinion, speed: \"column.pinion'\", torque: "
    "column.torque}\n";

static void exact_steering(double t, double *y)
{
  const double r = 0.05, k = 120, d = 0.8, J = 0.002 + 20 * r * r, D = d + 0.1 + 40 * r * r;
  const double K = k + 5000 * r * r; /* J p'' + D p' + K p = k (0.4 + 0.5 t) + 0.5 d */
  const double slope = 0.5 * k / K, rest = (0.4 * k + 0.5 * d - D * slope) / K;
  double p, v;
  cmbt_swing(D / (2 * J), sqrt(K / J), -rest, -slope, t, &p, &v);
  y[0] = 0.0547;
  y[1] = p + rest + slope * t;
  y[2] = v + slope;
  y[3] = k * (0.4 + 0.5 * t - y[1]) + d * (0.5 - y[2]);
}

/* ---- differentials: two wheels, a drive torque of 400 N m at the axle, and a load on the right one that grows with time */

#define WHEELS(template, parameters)                                                               \
  "include: parts/differential\n"                                                                  \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies:\n"                                                                                      \
  "  one: {mass: 9, com: [0, 0, 0], inertia: [2, 2, 2]}\n"                                         \
  "  two: {mass: 9, com: [0, 0, 0], inertia: [3, 3, 3]}\n"                                         \
  "joints:\n"                                                                                      \
  "  left: {type: revolute, child: one, at: [0, 0, 0], axis: y}\n"                                 \
  "  right: {type: revolute, child: two, at: [0, 0, 0], axis: y}\n"                                \
  "instances:\n"                                                                                   \
  "  axle: {template: " template ", parameters: {ratio: 4" parameters                              \
                                 "}, measures: {torque: 100, left_speed: \"left'\", right_speed: " \
                                 "\"right'\"}}\n"                                                  \
                                 "forces:\n"                                                       \
                                 "  a: {type: torsion, coordinate: left, torque: -axle.left}\n"    \
                                 "  b: {type: torsion, coordinate: right, torque: 400*t - "        \
                                 "axle.right}\n"                                                   \
                                 "outputs: {a: left, b: right, c: \"left'\", d: \"right'\", e: "   \
                                 "axle.left, f: axle.right, g: "                                   \
                                 "axle.speed}\n"

static const char opened[] = WHEELS("open_differential", "");

static void exact_open(double t, double *y)
{
  y[0] = 50 * t * t;
  y[1] = 100 * t * t / 3 - 200 * t * t * t / 9;
  y[2] = 100 * t;
  y[3] = 200 * t / 3 - 200 * t * t / 3;
  y[4] = y[5] = 200;
  y[6] = 2 * (y[2] + y[3]);
}

/* Locked: 5 w' = 400 − 400 t, and 200 − 2 w' = 40 + 160 t N m is transferred from left to right. The friction slips at 50 + 0.3 · 400 = 170. */
static const char limited[] = WHEELS("limited_differential", ", preload: 50, share: 0.3");

static void exact_limited(double t, double *y)
{
  const double s = 130 / 160.0, w = 80 * s - 40 * s * s, phi = 40 * s * s - 40 * s * s * s / 3;
  const double h = t - s;
  y[0] = phi + w * h + 7.5 * h * h;
  y[1] = phi + w * h + (370 - 400 * s) / 6 * h * h - 400 / 18.0 * h * h * h;
  y[2] = w + 15 * h;
  y[3] = w + (370 - 400 * s) / 3 * h - 400 / 6.0 * h * h;
  y[4] = 30;
  y[5] = 370;
  y[6] = 2 * (y[2] + y[3]);
}

static const char bristled[] =
    WHEELS("limited_differential_bristle", ", preload: 50, share: 0.3, stroke: 0.02, time: 0.004");

/* Returns the friction force of a bristle model relative to its limit, at the sliding speed v, and the rate of the bristle's deflection. */
static long double bristle(long double v, long double bend, long double stroke, long double time,
                           long double *rate)
{
  const long double w = 0.02L * stroke;
  *rate = (v - bend * v * v / sqrtl(v * v + w * w)) / stroke;
  return bend + time * *rate;
}

static void bristled_rates(long double t, const long double *x, long double *rate)
{
  const long double M = 170 * bristle(x[2] - x[3], x[4], 0.02L, 0.004L, &rate[4]);
  rate[0] = x[2];
  rate[1] = x[3];
  rate[2] = (200 - M) / 2;
  rate[3] = (200 + M - 400 * t) / 3;
}

static void exact_bristled(double t, double *y)
{
  long double x[5] = {0}, ignored;
  cmbt_runge_kutta(bristled_rates, 5, t, 40000, x);
  for (int i = 0; i < 4; i++) y[i] = (double)x[i];
  const double M = (double)(170 * bristle(x[2] - x[3], x[4], 0.02L, 0.004L, &ignored));
  y[4] = 200 - M;
  y[5] = 200 + M;
  y[6] = 2 * (y[2] + y[3]);
}

/* ---- brakes */

/*
 * The brake of 200 N m is half applied and stops the wheel at 0.6 s. It holds the wheel against 80 N m, is released from 0.8 s to 1 s, and
 * slips when 1.2 · 200 N m · pedal = 80 N m.
 */
#define BRAKED(template, parameters)                                                               \
  "include: parts/brake\n"                                                                         \
  "gravity: [0, 0, 0]\n"                                                                           \
  "bodies: {wheel: {mass: 20, com: [0, 0, 0], inertia: [1, 1.5, 1]}}\n"                            \
  "joints: {bearing: {type: revolute, child: wheel, at: [0, 0, 0], axis: y, coordinates: [spin], " \
  "rate: 40}}\n"                                                                                   \
  "inputs:\n"                                                                                      \
  "  pedal: 'if(t < 0.8, 0.5, if(t < 1, 0.5 - 2.5*(t - 0.8), 0))'\n"                               \
  "  load: 'min(max(8000*(t - 0.62), 0), 80)'\n"                                                   \
  "instances:\n"                                                                                   \
  "  brake: {template: " template ", parameters: {most: 200" parameters                            \
                                  "}, measures: {pedal: pedal, speed: \"spin'\"}}\n"               \
                                  "forces:\n"                                                      \
                                  "  brake_torque: {type: torsion, coordinate: spin, torque: "     \
                                  "brake.torque}\n"                                                \
                                  "  push: {type: torsion, coordinate: spin, torque: -load}\n"     \
                                  "outputs: {a: spin, b: \"spin'\", c: brake.torque}\n"

static const char braked[] = BRAKED("brake", ", grip: 1.2");

/* Computes the motion after the release, J w' = 80 − 500 (1 − t) until the brake is fully released at 1 s. */
static void exact_braked(double t, double *y)
{
  const double J = 1.5, stop = 40 * J / 100, go = 1 - 80 / 240.0 / 2.5, h = 1 - go;
  const double first = 80 - 500 * h; /* torque at the release */
  const double w = (first * h + 250 * h * h) / J;
  y[0] = 40 * stop / 2 + (first * h * h / 2 + 250 * h * h * h / 3) / J + w * (t - 1) +
         40 * (t - 1) * (t - 1) / J;
  y[1] = w + 80 * (t - 1) / J;
  y[2] = 0;
}

static const char brushed[] = BRAKED("brake_bristle", ", stroke: 0.002, time: 0.01");

static void brushed_rates(long double t, const long double *x, long double *rate)
{
  const long double pedal = t < 0.8L ? 0.5L : t < 1 ? 0.5L - 2.5L * (t - 0.8L) : 0;
  rate[0] = x[1];
  rate[1] = (fminl(fmaxl(8000 * (t - 0.62L), 0), 80) -
             200 * pedal * bristle(x[1], x[2], 0.002L, 0.01L, &rate[2])) /
            1.5L;
}

static void exact_brushed(double t, double *y)
{
  long double x[3] = {0, 40, 1};
  cmbt_runge_kutta(brushed_rates, 3, t, 44000, x);
  y[0] = (double)x[0];
  y[1] = (double)x[1];
  y[2] = 0;
}

/* ---- aerodynamic drag */

/* A car that coasts against a wind, with lift: u' = −k u² for its speed u relative to the air. The other body drifts in a side wind. */
static const char windy[] =
    "include: parts/drag\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {car: {mass: 4, com: [0, 0, 0]}, kite: {mass: 2, com: [0, 0, 0], inertia: [1, 1, "
    "1]}}\n"
    "joints:\n"
    "  road: {type: prismatic, child: car, axis: x, coordinates: [s], rate: 30}\n"
    "  field: {type: planar, child: kite, at: [0, 0, 0], normal: z, coordinates: [x, y, turn], "
    "rate: [10, -2, 0]}\n"
    "instances:\n"
    "  first: {template: drag, parameters: {density: 1.25, area: 0.8, drag: 0.4, lift: -0.2}, "
    "measures: {vx: car.vx, vy: car.vy, vz: car.vz, wind_x: -10}}\n"
    "  second: {template: drag, parameters: {area: 1.5, drag: 0.6, lift: 0.3}, measures: {vx: "
    "kite.vx, vy: kite.vy, vz: 0, wind_x: -3, wind_y: 12, up_x: 0.6, up_y: -0.8, up_z: 0}}\n"
    "forces:\n"
    "  a: {type: load, on: {body: car, at: [0, 0, 0]}, force: [first.fx, first.fy, first.fz]}\n"
    "  b: {type: load, on: {body: kite, at: [0, 0, 0]}, force: [second.fx, second.fy, second.fz]}\n"
    "outputs: {a: s, b: \"s'\", c: first.fz, d: x, e: y, f: \"x'\", g: \"y'\"}\n";

static void kite_rates(long double t, const long double *x, long double *rate)
{
  (void)t;
  const long double u = x[2] + 3, v = x[3] - 12, w = sqrtl(u * u + v * v), p = 0.6L * 1.5L * w / 2;
  rate[0] = x[2];
  rate[1] = x[3];
  rate[2] = p * (0.3L * w * 0.6L - 0.6L * u);
  rate[3] = p * (0.3L * w * -0.8L - 0.6L * v);
}

static void exact_windy(double t, double *y)
{
  const double k = 1.25 / 2 * 0.8 * 0.4 / 4, u = 40 / (1 + 40 * k * t);
  long double x[4] = {0, 0, 10, -2};
  cmbt_runge_kutta(kite_rates, 4, t, 2000, x);
  y[0] = log(1 + 40 * k * t) / k - 10 * t;
  y[1] = u - 10;
  y[2] = -1.25 / 2 * 0.8 * 0.2 * u * u;
  for (int i = 0; i < 4; i++) y[3 + i] = (double)x[i];
}

/* ---- speed controller */

/* The desired speed is 20 m/s, and 4 m/s from about 0.55 s on; the start is at 3 m/s. The output is at both limits and between them. */
static const char cruising[] =
    "include: parts/speed-control\n"
    "gravity: [0, 0, 0]\n"
    "bodies: {car: {mass: 50, com: [0, 0, 0]}}\n"
    "joints: {road: {type: prismatic, child: car, axis: x, coordinates: [s], rate: 3, damping: "
    "5}}\n"
    "instances:\n"
    "  cruise: {template: speed_control, parameters: {kp: 100, ki: 150, most_drive: 480, "
    "most_brake: 900, windup_time: 0.15}, measures: {wanted: 'min(max(20 - 400*(t - 0.55), 4), "
    "20)', speed: \"s'\"}}\n"
    "forces: {push: {type: torsion, coordinate: s, torque: 300*cruise.brake*3 - cruise.drive}}\n"
    "outputs: {a: s, b: \"s'\", c: cruise.integral, d: cruise.drive, e: cruise.brake}\n";

static long double cruise_output(long double t, const long double *x, long double *error,
                                 long double *asked)
{
  *error = fminl(fmaxl(20 - 400 * (t - 0.55L), 4), 20) - x[1];
  *asked = 100 * *error + x[2];
  return fminl(fmaxl(*asked, -900), 480);
}

static void cruise_rates(long double t, const long double *x, long double *rate)
{
  long double error, asked, u = cruise_output(t, x, &error, &asked);
  rate[0] = x[1];
  rate[1] = (u - 5 * x[1]) / 50;
  rate[2] = 150 * error + (u - asked) / 0.15L;
}

static void exact_cruising(double t, double *y)
{
  long double x[3] = {0, 3, 0}, error, asked;
  cmbt_runge_kutta(cruise_rates, 3, t, 44000, x);
  const double u = (double)cruise_output(t, x, &error, &asked);
  for (int i = 0; i < 3; i++) y[i] = (double)x[i];
  y[3] = fmax(u, 0);
  y[4] = fmax(-u, 0) / 900;
}

/* ---- paths */

/* Points whose offsets from the paths are known; on a straight path, 0.3 rad to the left, the computed arc length catches up with a point
 * that is 2 m ahead. */
static const char paths[] =
    "include: parts/paths\n" DOT "instances:\n"
    "  left: {template: circle_path, parameters: {radius: 50, centre_x: 10, centre_y: 50}, "
    "measures: {x: 10 + 51*sin(t), y: 50 - 51*cos(t)}}\n"
    "  right: {template: circle_path, parameters: {radius: -50, centre_x: 10, centre_y: -50}, "
    "measures: {x: 10 + 51*sin(t), y: 51*cos(t) - 50}}\n"
    "  line:\n"
    "    template: path_by_tables\n"
    "    measures: {x: (2 + 10*t)*cos(0.3) + 0.7*sin(0.3), y: (2 + 10*t)*sin(0.3) - 0.7*cos(0.3), "
    "speed: 10}\n"
    "    tables: {px: [[0, 0], [1, cos(0.3)]], py: [[0, 0], [1, sin(0.3)]], heading: [[0, 0.3], "
    "[1, "
    "0.3]]}\n"
    "  there: {template: double_lane_change, parameters: {begin: 20, shift: 3}, measures: {x: 20 + "
    "15 - 5 + 10, y: 0.2}}\n"
    "  back: {template: double_lane_change, parameters: {begin: 20, early: 0}, measures: {x: 20 + "
    "70 + 12.5, y: 0}}\n"
    "  swerve: {template: periodic_lane_change, parameters: {begin: 5, wavelength: 60, shift: 3}, "
    "measures: {x: 25, y: 1}}\n"
    "  gate: {template: lane_gates, parameters: {begin: 20, width: 2}, measures: {x: 20 + 50*t, y: "
    "3.4}}\n"
    "  first: {template: lane_gates, parameters: {begin: 20, width: 2}, measures: {x: 30, y: "
    "-0.3}}\n"
    "  third: {template: lane_gates, parameters: {begin: 20, width: 2}, measures: {x: 144, y: "
    "0.2}}\n"
    "  none: {template: lane_gates, parameters: {begin: 20, between: 7}, measures: {x: 50, y: 0}}\n"
    "outputs: {a: left.offset, b: right.offset, c: line.way, d: line.offset, e: there.offset, f: "
    "back.offset, g: swerve.offset, h: gate.room, i: first.room, j: third.room, k: none.room}\n";

static void exact_paths(double t, double *y)
{
  y[0] = 1;
  y[1] = -1;
  y[2] = 10 * t + 2 * (1 - exp(-5 * t));
  y[3] = 0.7;
  y[4] = 3 * (10 / 64.0 - 15 / 256.0 + 6 / 1024.0) - 0.2;
  y[5] = 3.5 / 2;
  y[6] = 3 * 0.75 - 1;
  y[7] = (1.2 * 2 + 0.25) / 2 - 0.1;
  y[8] = (1.1 * 2 + 0.25) / 2 - 0.3;
  y[9] = (1.3 * 2 + 0.25) / 2 - 0.2;
  y[10] = 7;
}

/* ---- manoeuvres; at the end they are in different phases */

static const char manoeuvres[] =
    "include: parts/manoeuvres\n" DOT "instances:\n"
    "  step: {template: step_steer, parameters: {amplitude: -0.8, rate: 5, begin: 0.95}}\n"
    "  held: {template: step_steer, parameters: {amplitude: 0.8, begin: 0.1}}\n"
    "  rise: {template: sine_with_dwell, parameters: {amplitude: 2, begin: 0.8}}\n"
    "  dwell: {template: sine_with_dwell, parameters: {amplitude: 2, begin: -0.3}}\n"
    "  last: {template: sine_with_dwell, parameters: {amplitude: 2, begin: -0.7}}\n"
    "  over: {template: sine_with_dwell, parameters: {amplitude: 2, begin: -0.9}}\n"
    "  sway: {template: periodic_steer, parameters: {amplitude: 0.5, frequency: 0.4, begin: "
    "-0.15}}\n"
    "  turn: {template: braking_in_a_turn, parameters: {amplitude: 1, rate: 3, begin: 0.2, pedal: "
    "0.6, brake_begin: 0.3, brake_time: 0.2, brake_end: 0.95}}\n"
    "outputs: {a: step.steer, b: held.steer, c: rise.steer, d: dwell.steer, e: last.steer, f: "
    "over.steer, g: sway.steer, h: turn.steer, i: turn.brake}\n";

static double step_of(double s)
{
  return s * s * s * (10 - 15 * s + 6 * s * s);
}

static void exact_manoeuvres(double t, double *y)
{
  const double pi = 3.14159265358979323846;
  y[0] = -0.8 * step_of((t - 0.95) / (15 / 8.0 * 0.8 / 5));
  y[1] = 0.8;
  y[2] = 2 * sin(2 * pi * 0.7 * 0.3);
  y[3] = -2;
  y[4] = 2 * sin(2 * pi * 0.7 * 1.3);
  y[5] = 0;
  y[6] = 0.5 * step_of(0.5) * sin(2 * pi * 0.4 * 1.25);
  y[7] = 1;
  y[8] = 0.6 * (1 - step_of(0.75));
}

/* ---- a single-track car with a driver who changes lanes */

static const char driven[] =
    "include: [parts/driver, parts/paths]\n"
    "bodies:\n"
    "  chassis: {mass: 1500, com: [-1.2, 0, 0], inertia: [400, 1900, 2000], markers: {front: {at: "
    "[0, 0, 0]}, rear: {at: [-2.8, 0, 0]}}}\n"
    "joints:\n"
    "  body: {type: planar, child: chassis, at: [-1.2, 0, 0], normal: z, coordinates: [x, y, yaw], "
    "rate: [24, 0, 0]}\n"
    "measures:\n"
    "  forward: chassis.vx*chassis.x_x + chassis.vy*chassis.x_y\n"
    "  front_side: front.vx*chassis.y_x + front.vy*chassis.y_y\n"
    "  rear_side: rear.vx*chassis.y_x + rear.vy*chassis.y_y\n"
    "  angle: driver.steer/15\n"
    "  grip: 9e4*(angle - atan2(front_side, forward))\n"
    "instances:\n"
    "  driver:\n"
    "    template: driver\n"
    "    parameters: {preview: 0.5, least: 3, gain: 1.1, ratio: 15, wheelbase: 2.8, understeer: "
    "0.001, lag: 0.12, limit: 0.4}\n"
    "    measures: {x: front.x, y: front.y, ahead_x: chassis.x_x, ahead_y: chassis.x_y, speed: "
    "forward, offset: lane.offset}\n"
    "  lane: {template: double_lane_change, parameters: {begin: -2, early: 5}, measures: {x: "
    "driver.look_x, y: driver.look_y}}\n"
    "forces:\n"
    "  f: {type: load, on: front, frame: body, force: [-grip*sin(angle), grip*cos(angle), 0]}\n"
    "  r: {type: load, on: rear, frame: body, force: [0, '-1.1e5*atan2(rear_side, forward)', 0]}\n"
    "outputs: {a: x, b: y, c: yaw, d: \"x'\", e: \"y'\", f: \"yaw'\", g: driver.steer, h: "
    "driver.wanted}\n";

/* Returns the lateral position of the double lane change at x. */
static long double lane_of(long double x)
{
  const long double there = fminl(fmaxl((x - 8) / 40, 0), 1);
  const long double back = fminl(fmaxl((x - 63) / 35, 0), 1);
  return 3.5L * (there * there * there * (10 - 15 * there + 6 * there * there) -
                 back * back * back * (10 - 15 * back + 6 * back * back));
}

/* Returns the steering angle that the driver demands for the car's state (x, y, yaw, vx, vy, yaw'). */
static long double wanted_angle(const long double *x)
{
  const long double c = cosl(x[2]), s = sinl(x[2]), v = x[3] * c + x[4] * s;
  const long double L = sqrtl(0.25L * v * v + 9), ahead = 1.2L + L;
  const long double off = lane_of(x[0] - 1.2L + ahead * c) - (x[1] + ahead * s);
  const long double wanted = 15 * (2.8L + 0.001L * v * v) * 2 * 1.1L * off / (L * L);
  return fminl(fmaxl(wanted, -0.4L), 0.4L);
}

static void driven_rates(long double t, const long double *x, long double *rate)
{
  (void)t;
  const long double c = cosl(x[2]), s = sinl(x[2]), u = x[3] * c + x[4] * s,
                    v = x[4] * c - x[3] * s;
  const long double front = 9e4L * (x[6] / 15 - atan2l(v + 1.2L * x[5], u));
  const long double rear = -1.1e5L * atan2l(v - 1.6L * x[5], u);
  const long double along = -front * sinl(x[6] / 15), across = front * cosl(x[6] / 15);
  for (int i = 0; i < 3; i++) rate[i] = x[3 + i];
  rate[3] = (along * c - (across + rear) * s) / 1500;
  rate[4] = (along * s + (across + rear) * c) / 1500;
  rate[5] = (1.2L * across - 1.6L * rear) / 2000;
  rate[6] = (wanted_angle(x) - x[6]) / 0.12L;
}

static void exact_driven(double t, double *y)
{
  long double x[7] = {0, 0, 0, 24, 0, 0, 0};
  cmbt_runge_kutta(driven_rates, 7, t, 20000, x);
  for (int i = 0; i < 7; i++) y[i] = (double)x[i];
  y[7] = (double)wanted_angle(x);
}

/* ---- comparison of all parts with their exact outputs */

static const struct part {
  const char *name, *text;
  void (*exact)(double t, double *y);
  double t_end;
} parts[] = {
    {"steering", steering, exact_steering, T_END},
    {"open differential", opened, exact_open, T_END},
    {"limited differential", limited, exact_limited, T_END},
    {"limited diff., bristle", bristled, exact_bristled, T_END},
    {"brake", braked, exact_braked, T_END},
    {"brake by bristle", brushed, exact_brushed, T_END},
    {"drag", windy, exact_windy, T_END},
    {"speed controller", cruising, exact_cruising, T_END},
    {"paths", paths, exact_paths, T_END},
    {"manoeuvres", manoeuvres, exact_manoeuvres, T_END},
    {"driver", driven, exact_driven, 3.7},
};

enum { PARTS = sizeof parts / sizeof *parts };

static void test_exact(void **state)
{
  (void)state;
  static const char *const methods[] = {"mdop5", "radau5", "bdf"};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < PARTS; i++) {
    cmb_model *model = cmbt_model_of_parts(ctx, parts[i].text);
    double exact[MOST_OUTPUTS], worst = 0;
    parts[i].exact(parts[i].t_end, exact);
    for (int k = 0; k < 4; k++) {
      const cmb_formulation form = k < 3 ? CMB_FORM_EXPLICIT : CMB_FORM_CARTESIAN;
      worst = fmax(worst, cmbt_part_error(ctx, model, methods[k % 3], form, parts[i].t_end, exact));
    }
    printf("%-20s %.2g tolerances\n", parts[i].name, worst);
    cmbt_below(worst, 30);
    cmb_model_destroy(model);
  }
  cmb_context_destroy(ctx);
}

/* ---- a locked wheel */

/* Checks with every method that locates events that the wheel stops at 0.6 s, does not move until the release, and is released when the brake's
 * static limit equals the load. */
static void test_locked(void **state)
{
  (void)state;
  for (int i = cmbt_next_method(0); i < cmb_method_count(); i = cmbt_next_method(i + 1)) {
    cmbt_run r;
    double t[2];
    int seen = 0;
    cmbt_run_open_text(&r, braked, CMB_FORM_EXPLICIT);
    r.method = cmb_method_name(cmb_method_at(i));
    r.rtol = 1e-7;
    cmbt_run_to(&r, T_END, 0.01);
    for (int row = 0; row < r.row_count; row++) {
      const double time = cmbt_row(&r, row, "t");
      if (time < 0.6001 || time > 0.8666) continue;
      seen++;
      cmbt_near(cmbt_row(&r, row, "spin'"), 0, 40e-14); /* rounding errors of 40 rad/s */
      cmbt_near(cmbt_row(&r, row, "spin"), 12, 1e-5);
    }
    assert_true(seen >= 26);
    assert_int_equal(cmbt_switch_times(&r, "measure brake.torque, brake.yaml line 20", 0, 2, t), 2);
    cmbt_near(t[0], 0.6, 1e-6);
    cmbt_near(t[1], 1 - 80 / 240.0 / 2.5, 1e-6);
    cmbt_run_close(&r);
  }
}

/* ---- a negative pedal position */

/* Checks that a brake with a negative pedal position does not drive: with J = 1, the pedal 0.5 − t and a limit of 40 N m the wheels lose
 * 40/8 = 5 rad/s until t = 0.5 and none after it. */
static void test_released(void **state)
{
  (void)state;
  static const char text[] =
      "include: parts/brake\n"
      "gravity: [0, 0, 0]\n"
      "bodies: {one: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]},\n"
      "         two: {mass: 1, com: [0, 0, 0], inertia: [1, 1, 1]}}\n"
      "joints:\n"
      "  a: {type: revolute, child: one, at: [0, 0, 0], axis: y, rate: 10}\n"
      "  b: {type: revolute, child: two, at: [0, 0, 0], axis: y, rate: 10}\n"
      "inputs: {pedal: 0.5 - t}\n"
      "instances:\n"
      "  disc: {template: brake, parameters: {most: 40}, measures: {pedal: pedal, speed: \"a'\"}}\n"
      "  drum: {template: brake_bristle, parameters: {most: 40}, measures: {pedal: pedal, speed: "
      "\"b'\"}}\n"
      "forces:\n"
      "  a_torque: {type: torsion, coordinate: a, torque: disc.torque}\n"
      "  b_torque: {type: torsion, coordinate: b, torque: drum.torque}\n"
      "outputs: {a_speed: \"a'\", b_speed: \"b'\"}\n";
  static const char *const methods[] = {"mdop5", "radau5", "lie"};
  for (int i = 0; i < 3; i++) {
    cmbt_run r;
    cmbt_run_open_text_with(&r, text, CMB_FORM_EXPLICIT, true);
    r.method = methods[i];
    if (i == 2) r.step = 1e-3;
    cmbt_run_to(&r, 2, 0);
    cmbt_near(cmbt_output(&r, "a_speed"), 5, i == 2 ? 0.02 : 1e-5);
    cmbt_near(cmbt_output(&r, "b_speed"), 5, i == 2 ? 0.02 : 1e-5);
    cmbt_run_close(&r);
  }
}

/* Checks with steps of 1 ms that the bristle model holds the wheel without creep. The angle at which it stops is exact within the bristle's
 * stroke and one step. */
static void test_locked_in_real_time(void **state)
{
  (void)state;
  static const char *const methods[] = {"lie", "rosw2"};
  for (int i = 0; i < 2; i++) {
    cmbt_run r;
    cmbt_run_open_text_with(&r, brushed, CMB_FORM_EXPLICIT, true);
    r.method = methods[i];
    r.step = 1e-3;
    cmbt_run_to(&r, 0.8, 0.01);
    for (int row = 77; row <= 79; row++) cmbt_near(cmbt_row(&r, row, "spin'"), 0, 1e-7);
    cmbt_near(cmbt_row(&r, 79, "spin"), 12, 40 * r.step + 0.002);
    cmbt_near(cmbt_row(&r, 79, "spin") - cmbt_row(&r, 77, "spin"), 0, 1e-8);
    cmbt_near(cmbt_row(&r, 79, "c"), 80, 1e-5);
    cmbt_run_close(&r);
  }
}

/* ---- exported code */

static void test_exported(void **state)
{
  (void)state;
  static const cmb_option_setting none[] = {{"bound", "none"}};
  static const char *const texts[] = {steering, brushed, driven};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < 3; i++) {
    cmb_model *model = cmbt_model_of_parts(ctx, texts[i]);
    struct cmbt_export_bits seen;
    cmbt_export_bits(ctx, model, CMB_FORM_EXPLICIT, i == 2 ? "rosw2" : "lie", 1, none, "road",
                     &seen);
    assert_true(seen.whole);
    cmb_model_destroy(model);
  }
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exact),    cmocka_unit_test(test_locked),
      cmocka_unit_test(test_released), cmocka_unit_test(test_locked_in_real_time),

      cmocka_unit_test(test_exported),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
