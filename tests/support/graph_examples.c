/*
 * Example models for tests of graph systems (graph_examples.h).
 */
#include "graph_examples.h"

#include <math.h>

#define TEXTS(...)   ((const char *const[]){__VA_ARGS__})
#define NUMBERS(...) ((const double[]){__VA_ARGS__})
#define ENTRIES(...) ((const struct cmbt_entry[]){__VA_ARGS__})

#define LAMBDA "((vx^2 + vy^2 - 9.81*y)/((x^2 + y^2)/2))"

const struct cmbt_graph_model cmbt_pendulum = {
    .name = "pendulum",
    .nq = 2,
    .nv = 2,
    .ng = 1,
    .no = 4,
    .q = TEXTS("x", "y"),
    .v = TEXTS("vx", "vy"),
    .g_names = TEXTS("length of the rod"),
    .output_names = TEXTS("angle", "energy", "force", "acceleration"),
    .q_start = NUMBERS(0.9, -1.2),
    .v_start = NUMBERS(0, 0),
    .M_count = 2,
    .M = ENTRIES({0, 0, "2"}, {1, 1, "2"}),
    .G_count = 2,
    .G = ENTRIES({0, 0, "x"}, {0, 1, "y"}),
    .f = TEXTS("0", "-2*9.81"),
    .g = TEXTS("(x^2 + y^2 - 1.5^2)/2"),
    .gamma = TEXTS("vx^2 + vy^2"),
    .gt = TEXTS("0"),
    .residual = TEXTS("2*a_0 + x*lambda_0", "2*a_1 + 2*9.81 + y*lambda_0"),
    .acceleration = TEXTS("-x*" LAMBDA "/2", "-9.81 - y*" LAMBDA "/2"),
    .multiplier = TEXTS(LAMBDA),
    .pivot = TEXTS("x^2/(x^2 + 1e-14)"),
    .outputs = TEXTS("atan2(x, -y)", "vx^2 + vy^2 + 2*9.81*(y + 1.5)", "lambda_0", "a_0"),
    .energy = "vx^2 + vy^2 + 2*9.81*y",
};

const struct cmbt_graph_model cmbt_arm = {
    .name = "arm",
    .nq = 3,
    .nv = 3,
    .ng = 1,
    .nu = 1,
    .no = 1,
    .q = TEXTS("p1", "p2", "p3"),
    .v = TEXTS("w1", "w2", "w3"),
    .g_names = TEXTS("rail"),
    .output_names = TEXTS("steep"),
    .q_start = NUMBERS(0.1, 0.2, 0.3),
    .v_start = NUMBERS(0, 0, 0),
    .M_count = 7,
    .M = ENTRIES({0, 0, "3 + cos(p2)"}, {0, 1, "cos(p1 - p2)/2"}, {0, 2, "0"},
                 {1, 0, "cos(p1 - p2)/2"}, {1, 1, "2 + p3^2"}, {2, 0, "0"}, {2, 2, "1.5"}),
    .G_count = 3,
    .G = ENTRIES({0, 0, "cos(p1)"}, {0, 1, "-2*sin(p2)"}, {0, 2, "-1 - u_0"}),
    .f = TEXTS("-2*sin(p1) - w2^2*sin(p1 - p2)", "u_0*w1 - p2^3", "sin(t) - 0.3*w3*w1 + u_0^2"),
    .g = TEXTS("sin(p1) + 2*cos(p2) - p3 - t^2/10 - u_0*p3"),
    .gamma = TEXTS("-sin(p1)*w1^2 - 2*cos(p2)*w2^2 - 0.2"),
    .gt = TEXTS("-t/5"),
    .outputs = TEXTS("max(p1, abs(p2))"),
    .inputs = TEXTS("0.25*t^2"),
};

void cmbt_arm_residual(double t, const double *q, const double *v, const double *a, double lambda,
                       double u, double *r)
{
  double c = cos(q[0] - q[1]) / 2;
  r[0] = (3 + cos(q[1])) * a[0] + c * a[1] + 2 * sin(q[0]) + v[1] * v[1] * sin(q[0] - q[1]) +
         cos(q[0]) * lambda;
  r[1] =
      c * a[0] + (2 + q[2] * q[2]) * a[1] - u * v[0] + q[1] * q[1] * q[1] - 2 * sin(q[1]) * lambda;
  r[2] = 1.5 * a[2] - sin(t) + 0.3 * v[2] * v[0] - u * u - (1 + u) * lambda;
}

double cmbt_arm_position(double t, const double *q, double u)
{
  return sin(q[0]) + 2 * cos(q[1]) - q[2] - t * t / 10 - u * q[2];
}

double cmbt_arm_gamma(double t, const double *q, const double *v)
{
  (void)t;
  return -sin(q[0]) * v[0] * v[0] - 2 * cos(q[1]) * v[1] * v[1] - 0.2;
}

const struct cmbt_graph_model cmbt_top = {
    .name = "top",
    .nq = 4,
    .nv = 3,
    .q = TEXTS("e0", "e1", "e2", "e3"),
    .v = TEXTS("w1", "w2", "w3"),
    .q_start = NUMBERS(1, 0, 0, 0),
    .v_start = NUMBERS(0.5, 0, 1.25),
    .M_count = 3,
    .M = ENTRIES({0, 0, "1"}, {1, 1, "1"}, {2, 2, "2"}),
    .f = TEXTS("-w2*w3", "w3*w1", "0"),
    .rates = TEXTS("-(e1*w1 + e2*w2 + e3*w3)/2", "(e0*w1 + e2*w3 - e3*w2)/2",
                   "(e0*w2 + e3*w1 - e1*w3)/2", "(e0*w3 + e1*w2 - e2*w1)/2"),
    .energy = "(w1^2 + w2^2 + 2*w3^2)/2",
    .ball_count = 1,
};

const struct cmbt_graph_model cmbt_bounce = {
    .name = "bounce",
    .nq = 1,
    .nv = 1,
    .q = TEXTS("y"),
    .v = TEXTS("w"),
    .q_start = NUMBERS(1),
    .v_start = NUMBERS(0),
    .M_count = 1,
    .M = ENTRIES({0, 0, "1"}),
    .f = TEXTS("-9.81 + max(0, -100*y)"),
};
