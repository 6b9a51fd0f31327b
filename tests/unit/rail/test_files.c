/*
 * Tests of reading profiles from files: the formats, the axes that the shape decides on, and the messages for files that are not correct.
 */
#include "check.h"
#include "failing_allocator.h"
#include "text_writer.h"

#include <camber/rail.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM = 1 << 20 };

static struct cmbt_text begin_text(void)
{
  struct cmbt_text t = {.text = malloc(ROOM), .room = ROOM};
  assert_non_null(t.text);
  return t;
}

/* How the points of a built-in profile are written to a file. */
struct form {
  double y_sign, z_sign, y_shift,
      unit; /* in the file: (y_sign y + y_shift, z_sign z)/unit, in mm */
  bool backwards;
  const char *separator, *end;
};

/* Appends points of a built-in profile, 0.2 mm apart. */
static void put_points(struct cmbt_text *t, const cmb_profile *p, const struct form *f)
{
  const double length = cmb_profile_about(p).length;
  const int n = (int)(length / 2e-4);
  for (int i = 0; i <= n; i++) {
    const cmb_profile_point x = cmb_profile_at(p, length * (f->backwards ? n - i : i) / n);
    cmbt_put(t, "%.9f%s%.9f%s", (1e3 * f->y_sign * x.y + f->y_shift) / f->unit, f->separator,
             (1e3 * f->z_sign * x.z + 3.7) / f->unit, f->end);
  }
}

/* Checks that a profile is the built-in one apart from the nature of its spline: 1 um, for points that are 0.2 mm apart. */
static void check_same(const cmb_profile *p, const cmb_profile *expected)
{
  const double length = cmb_profile_about(expected).length;
  cmbt_near(cmb_profile_about(p).length, length, 2e-6);
  for (int i = 0; i <= 1000; i++) {
    const cmb_profile_point a = cmb_profile_at(p, cmb_profile_about(p).length * i / 1000);
    const cmb_profile_point b = cmb_profile_at(expected, length * i / 1000);
    cmbt_near(a.y, b.y, 3e-6);
    cmbt_near(a.z, b.z, 3e-6);
  }
}

static void check_text(cmb_context *ctx, const struct cmbt_text *t, const char *name,
                       const cmb_profile *expected)
{
  cmb_profile *p;
  const cmb_profile_kind kind = cmb_profile_about(expected).kind;
  cmbt_ok(ctx, cmb_profile_parse(ctx, t->text, t->used, name, kind, NULL, &p));
  assert_string_equal(cmb_profile_about(p).name, name);
  check_same(p, expected);
  cmb_profile_destroy(p);
}

/* Wheels in all directions of the axes, in both orders, from the tape line and from the back of the flange; rails with z upwards and
 * downwards. */
static void test_axes(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *wheel, *rail;
  cmbt_ok(ctx, cmb_profile_open(ctx, "S1002", CMB_PROFILE_WHEEL, NULL, &wheel));
  cmbt_ok(ctx, cmb_profile_open(ctx, "UIC60", CMB_PROFILE_RAIL, NULL, &rail));
  for (int k = 0; k < 16; k++) {
    const double y_sign = k & 1 ? -1 : 1;
    struct form f = {.y_sign = y_sign,
                     .z_sign = k & 2 ? -1 : 1,
                     .y_shift = k & 8 ? 70 * y_sign : 0,
                     .unit = 1,
                     .backwards = (k & 4) != 0,
                     .separator = k & 1 ? "; " : ",",
                     .end = k & 2 ? "\n" : "\r\n"};
    struct cmbt_text t = begin_text();
    if (k & 4) cmbt_put(&t, "# a profile\ny %s z\n\n", f.separator);
    put_points(&t, wheel, &f);
    check_text(ctx, &t, "w.csv", wheel);
    t.used = 0;
    f.y_shift = 0; /* a rail is symmetric */
    put_points(&t, rail, &f);
    check_text(ctx, &t, "dir.d/R.TXT", rail);
    free(t.text);
  }
  cmb_profile_destroy(wheel);
  cmb_profile_destroy(rail);
  cmb_context_destroy(ctx);
}

/* A canted rail is not symmetric: `mirror` exchanges both sides. */
static void test_mirror(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *rail, *p;
  const cmb_profile_options canted = {.cant = 0.025}, mirrored = {.mirror = true};
  struct cmbt_text t = begin_text();
  cmbt_ok(ctx, cmb_profile_open(ctx, "UIC60", CMB_PROFILE_RAIL, &canted, &rail));
  put_points(&t, rail, &(struct form){-1, 1, 0, 1, false, " ", "\n"});
  cmbt_ok(ctx, cmb_profile_parse(ctx, t.text, t.used, "r.csv", CMB_PROFILE_RAIL, &mirrored, &p));
  check_same(p, rail);
  cmb_profile_destroy(p);
  cmb_profile_destroy(rail);
  cmb_context_destroy(ctx);
  free(t.text);
}

static void test_miniprof(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *wheel;
  cmbt_ok(ctx, cmb_profile_open(ctx, "S1002", CMB_PROFILE_WHEEL, NULL, &wheel));
  const struct form form = {1, -1, 70, 1, false, " ", " 0.01 0.5\n"};
  struct cmbt_text t = begin_text();
  /* newer: columns by name, a comment of another encoding, an offset of 0, no empty line before the points */
  cmbt_put(&t, "ProgramName=MiniProf\nStock=M\xFCller\nXoffset=0.0000\nColumnDef=N, X,Y,A\n"
               "\"RefPoint1=\nXYPoints=\nRefPoint1=0.0, 0.0\n");
  const double length = cmb_profile_about(wheel).length;
  for (int i = 0; i <= 800; i++) {
    const cmb_profile_point x = cmb_profile_at(wheel, length * i / 800);
    cmbt_put(&t, "%d %.9f\t%.9f 0.01 %% dent\n", i, 1e3 * x.y + 70, -1e3 * x.z);
  }
  check_text(ctx, &t, "w.WHL", wheel);
  /* first versions: lines of other forms until an empty line, with numbers among them */
  t.used = 0;
  cmbt_put(&t,
           "MINIPROF 101 148 1994 3 24\nw.prd\nStock.......: 5\n32.58 37.11 14.71  (Sd/Sh/qR)\n\n");
  put_points(&t, wheel, &form);
  check_text(ctx, &t, "w.whl", wheel);
  cmb_profile_destroy(wheel);
  cmb_context_destroy(ctx);
  free(t.text);
}

static void test_simpack(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *rail, *wheel;
  const cmb_profile_options canted = {.cant = 0.025};
  cmbt_ok(ctx, cmb_profile_open(ctx, "UIC60", CMB_PROFILE_RAIL, &canted, &rail));
  cmbt_ok(ctx, cmb_profile_open(ctx, "S1002", CMB_PROFILE_WHEEL, NULL, &wheel));
  struct cmbt_text t = begin_text();
  cmbt_put(&t,
           "! a rail\n  header.begin\n version = 1 ! 2\n type = 0\n header.end\n\nspline.begin\n"
           "approx.smooth = 0\ncomment = 'UIC60, M\xFCller'\nunits.len.f = 1.0e+0\n"
           "mirror.y = 1\nmirror.z = 1\ninversion = 1\nshift.y = 0.5\nbound.y.min = 1\n"
           "bound.y.max = 0\npoint.begin\n! y z\n");
  put_points(&t, rail, &(struct form){-1, 1, -500, 1000, true, " ", " 1.0 ! weight\n"});
  cmbt_put(&t, "point.end\nspline.end\n");
  check_text(ctx, &t, "r.prr", rail);
  /* columns alone; z downwards */
  t.used = 0;
  put_points(&t, wheel, &(struct form){1, -1, 0, 1, false, "\t", "\n"});
  check_text(ctx, &t, "w.prw", wheel);
  cmb_profile_destroy(rail);
  cmb_profile_destroy(wheel);
  cmb_context_destroy(ctx);
  free(t.text);
}

/* rotate turns the points about the origin, and bounds leave points out. */
static void test_simpack_changes(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p;
  struct cmbt_text t = begin_text();
  cmbt_put(
      &t, "spline.begin\nrotate = 90\nunits.ang.f = 57.29577951308232\nshift.z = -1\nbound.y.min = "
          "-20\nbound.y.max = 20\npoint.dist.min = 0\npoint.begin\n");
  for (int i = -30; i <= 30; i++) cmbt_put(&t, "%.9f %d\n", -sqrt(900.0 - i * i) + 30, i + 1);
  cmbt_put(&t, "point.end\nspline.end\n");
  cmbt_ok(ctx, cmb_profile_parse(ctx, t.text, t.used, "r.prr", CMB_PROFILE_RAIL, NULL, &p));
  const cmb_profile_facts facts = cmb_profile_about(p);
  cmbt_near(facts.y_min, -0.02, 1e-12);
  cmbt_near(facts.y_max, 0.02, 1e-12);
  cmbt_near(facts.z_max - facts.z_min, 0.03 - sqrt(9e-4 - 4e-4),
            1e-10); /* an arc with a radius of 30 mm */
  assert_int_equal(facts.points, 41);
  cmb_profile_destroy(p);
  cmb_context_destroy(ctx);
  free(t.text);
}

static void keep_log(void *user, cmb_log_level level, const char *message)
{
  (void)level;
  snprintf(user, 200, "%s", message);
}

/* Measured points may repeat and step back by a few hundredths of a millimetre; this and what has no effect is logged. */
static void test_measured(void **unused)
{
  (void)unused;
  static const struct {
    const char *name, *text, *log;
    int points;
  } cases[] = {
      {"r.csv", "-20 -9\n-10 -2\n-10 -2\n0 0\n10 -2\n20 -9\n",
       "r.csv: 1 points within 0.001 mm of the one before are left out", 5},
      {"r.csv", "-20 -9\n-10 -2\n0 0\n-0.01 0\n10 -2\n20 -9\n",
       "r.csv: 1 points that step back by up to 0.05 mm are left out", 5},
      {"r.ban", "XYPoints=7\n\n-20 -9\n-10 -2\n0 0\n10 -2\n20 -9\n",
       "r.ban:1: XYPoints is 7, but the file has 5 points", 5},
      {"r.ban", "XOffset=0.5\n-20 -9\n-10 -2\n0 0\n10 -2\n20 -9\n",
       "r.ban:1: XOffset is not 0; it has no effect on the points", 5},
      {"r.prr",
       "spline.begin\napprox.smooth=1\npoint.begin\n-20 9\n-10 2\n0 0\n10 2\n20 "
       "9\npoint.end\nspline.end",
       "r.prr:2: approx.smooth has no effect", 5},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cmb_context *ctx = cmb_context_create(NULL);
    cmb_profile *p;
    char log[200] = "";
    cmb_context_set_log(ctx, keep_log, log);
    cmbt_ok(ctx, cmb_profile_parse(ctx, cases[i].text, strlen(cases[i].text), cases[i].name,
                                   CMB_PROFILE_RAIL, NULL, &p));
    assert_string_equal(log, cases[i].log);
    assert_int_equal(cmb_profile_about(p).points, cases[i].points);
    cmb_profile_destroy(p);
    cmb_context_destroy(ctx);
  }
}

static void test_wrong_files(void **unused)
{
  (void)unused;
#define HEAD "-20 -9\n-10 -2\n0 0\n10 -2\n"
  static const struct {
    const char *name, *text, *message;
  } cases[] = {
      {"r.csv", "",
       "r.csv:1:1: the file has no points that can be used; expected lines of two numbers, y and z "
       "in mm"},
      {"r.csv", "# nothing\n",
       "r.csv:1:1: the file has no points that can be used; expected lines of two numbers, y and z "
       "in mm"},
      {"r.csv", "y,z\n",
       "r.csv:1:1: the file has no points that can be used; expected lines of two numbers, y and z "
       "in mm"},
      {"r.csv", HEAD, "r.csv:4:1: the profile has 4 different points; expected at least 5"},
      {"r.csv", HEAD "10 -2\n10 -2\n",
       "r.csv:4:1: the profile has 4 different points; expected at least 5"},
      {"r.csv", HEAD "nan 3\n", "r.csv:5:1: column 1 is 'nan'; expected a number in mm"},
      {"r.csv", HEAD "20 inf\n", "r.csv:5:4: column 2 is 'inf'; expected a number in mm"},
      {"r.csv", "nan 3\n" HEAD "20 -9\n", "r.csv:1:1: column 1 is 'nan'; expected a number in mm"},
      {"r.csv", HEAD "20\n", "r.csv:5:1: the line has no column 2; expected a number in mm"},
      {"r.csv", "-20;-9\n-10,5;-2\n", "r.csv:2:1: column 1 is '-10,5'; expected a number in mm"},
      {"r.csv", HEAD "20 1e999\n", "r.csv:5:4: column 2 is '1e999'; expected a number in mm"},
      {"r.csv", HEAD "20 \x01\n",
       "r.csv:5:4: byte 0x01 is no part of a text; expected UTF-8 without control characters"},
      {"r.csv", HEAD "20 1e8\n",
       "r.csv:5:1: point 5 is (20, 1e+08) mm; expected numbers of at most a million"},
      {"r.csv", HEAD "500 -9\n",
       "r.csv:1:1: the profile is 520 mm wide and 9 mm high; expected at most 400 mm"},
      {"r.csv", "-0.036 0.014\n-0.02 0.002\n0 0\n0.02 0.002\n0.036 0.014\n",
       "r.csv:1:1: the profile is 0.072 mm wide; expected at least 10 mm; the file seems to be in "
       "metres"},
      {"r.csv", "-1.4 0.5\n-0.8 0.2\n0 0\n0.8 0.2\n1.4 0.5\n",
       "r.csv:1:1: the profile is 2.8 mm wide; expected at least 10 mm; the file seems to be in "
       "inches"},
      {"r.csv", "0 0\n0 1\n0 2\n0 3\n0 4\n",
       "r.csv:1:1: the profile is 0 mm wide; expected at least 10 mm"},
      {"r.csv", "-20 -9\n-10 -2\n0 0\n-5 0\n10 -2\n20 -9\n",
       "r.csv:4:1: the profile doubles back by 5 mm; expected the points in their order along the "
       "profile, without a fold"},
      {"r.csv", "20 -9\n10 -2\n0 0\n5 0\n-10 -2\n-20 -9\n",
       "r.csv:3:1: the profile doubles back by 5 mm; expected the points in their order along the "
       "profile, without a fold"},
      {"r.xyz", HEAD,
       "r.xyz: no format of profiles has this ending; expected .csv, .txt, .ban or .prr"},
      {"dir.csv/r", HEAD,
       "dir.csv/r: no format of profiles has this ending; expected .csv, .txt, .ban or .prr"},
      {"w.whl", HEAD,
       "w.whl: .whl is the ending of profiles of a wheel; expected the profile of a rail"},
      {"r.ban", "ColumnDef=A,X\n" HEAD,
       "r.ban:1:11: ColumnDef is 'A,X'; expected X and Y among its columns"},
      {"r.ban", "XYPoints=many\n" HEAD,
       "r.ban:1:10: XYPoints is 'many'; expected the number of points"},
      {"r.ban", "XYPoints=0\n" HEAD, "r.ban:1:10: XYPoints is '0'; expected the number of points"},
      {"r.ban", "XYPoints=5\n\n" HEAD "x 3", "r.ban:7:1: column 1 is 'x'; expected a number in mm"},
      {"r.ban", "XYPoints=5\n\n",
       "r.ban:2:1: the file has no points that can be used; expected lines of numbers in mm in the "
       "order of ColumnDef"},
      {"r.ban", "ColumnDef=N,X,Y\n1 2\n",
       "r.ban:2:1: the line has no column 3; expected a number in mm"},
      {"r.prr", "header.begin\ntype=1\nheader.end\n",
       "r.prr:2:1: type is 1, a wheel; expected 0, a rail"},
      {"r.prr", "header.begin\ntype=2\nheader.end\n", "r.prr:2:6: type is '2'; expected 0 or 1"},
      {"r.prr", "head.begin\n",
       "r.prr:1:1: 'head.begin' is no section that is known; expected header, spline or point, "
       "with .begin or .end"},
      {"r.prr", "spline.end\n",
       "r.prr:1:1: the section spline ends without a beginning; expected spline.begin first"},
      {"r.prr", "spline.begin\nspline.begin\n",
       "r.prr:2:1: the section spline begins a second time; expected spline.end first"},
      {"r.prr", "spline.begin\npoint.begin\n1 2\n",
       "r.prr:3:1: the file ends in the section point; expected point.end"},
      {"r.prr", "spline.begin\n1 2\n",
       "r.prr:2:1: '1 2' is in no section of points; expected key = value, or point.begin before "
       "it"},
      {"r.prr", "spline.begin\nunits.len.f = 0\n",
       "r.prr:2:15: units.len.f is '0'; expected a number greater than 0"},
      {"r.prr", "spline.begin\nshift.y = 'a'\n", "r.prr:2:11: shift.y is ''a''; expected a number"},
      {"r.prr", "spline.begin\nbound.z.min = 1\nbound.z.max = 2\nspline.end\n",
       "r.prr:3:1: bound.z.min is less than bound.z.max, so that the profile would be cut off, "
       "which is not done; expected no bounds of z"},
      {"r.prr", "header.begin\nheader.end\n",
       "r.prr:2:1: the file has no points that can be used; expected lines of y and z between "
       "point.begin and point.end, with y between bound.y.min and bound.y.max"},
  };
#undef HEAD
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    cmb_profile *p;
    const cmb_status status = cmb_profile_parse(ctx, cases[i].text, strlen(cases[i].text),
                                                cases[i].name, CMB_PROFILE_RAIL, NULL, &p);
    assert_int_equal(status, CMB_ERROR_INPUT);
    assert_null(p);
    assert_string_equal(cmb_last_error(ctx), cases[i].message);
    assert_string_equal(cmb_error_of(ctx)->file, cases[i].name);
  }
  cmb_context_destroy(ctx);
}

/* Points given by calls, and options. */
static void test_wrong_calls(void **unused)
{
  (void)unused;
  static const double y[] = {-0.02, -0.01, 0, 0.01, 0.02}, z[] = {0, 1e-3, 2e-3, 1e-3, 0};
  static const double bad[] = {0, 1e-3, NAN, 1e-3, 0}, beside[] = {0.01, 0.02, 0.03, 0.04, 0.05};
  static const double straight[5] = {0};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p;
  cmbt_ok(ctx, cmb_profile_create(ctx, "a", CMB_PROFILE_RAIL, 5, y, z, NULL, &p));
  cmbt_near(cmb_profile_about(p).z_max, 0, 1e-15);
  cmb_profile_destroy(p);
  assert_int_equal(cmb_profile_create(ctx, "a", CMB_PROFILE_RAIL, 4, y, z, NULL, &p),
                   CMB_ERROR_INPUT);
  assert_string_equal(cmb_last_error(ctx),
                      "a: the profile has 4 different points; expected at least 5");
  assert_int_equal(cmb_profile_create(ctx, "a", CMB_PROFILE_RAIL, 5, y, bad, NULL, &p),
                   CMB_ERROR_INPUT);
  assert_string_equal(cmb_last_error(ctx),
                      "a: point 3 is (0, nan) mm; expected numbers of at most a million");
  assert_int_equal(cmb_profile_create(ctx, "a", CMB_PROFILE_WHEEL, 5, beside, straight, NULL, &p),
                   CMB_ERROR_INPUT);
  assert_string_equal(cmb_last_error(ctx),
                      "a: the profile extends from y = 10 mm to 50 mm; expected the "
                      "tape line of a wheel, y = 0, between them");
  const cmb_profile_options rough = {.smoothing = 2e-3}, steep = {.cant = 0.6},
                            wheel = {.cant = 0.025};
  assert_int_equal(cmb_profile_create(ctx, "a", CMB_PROFILE_RAIL, 5, y, z, &rough, &p),
                   CMB_ERROR_ARGUMENT);
  assert_string_equal(cmb_last_error(ctx),
                      "the tolerance of smoothing is 2000 um; expected from 0 to 1000");
  assert_int_equal(cmb_profile_create(ctx, "a", CMB_PROFILE_RAIL, 5, y, z, &steep, &p),
                   CMB_ERROR_ARGUMENT);
  assert_string_equal(cmb_last_error(ctx), "the cant is 0.6 rad; expected from -0.5 to 0.5");
  assert_int_equal(cmb_profile_create(ctx, "a", CMB_PROFILE_WHEEL, 5, y, z, &wheel, &p),
                   CMB_ERROR_ARGUMENT);
  assert_string_equal(cmb_last_error(ctx), "the cant is 0.025 rad; a wheel has none");
  cmb_context_destroy(ctx);
}

/* A conical wheel by five points is straight, and its z is 0 at the tape line; the points may come in any of both orders. */
static void test_cone(void **unused)
{
  (void)unused;
  static const double y[] = {0.06, 0.05, 0.02, -0.01, -0.03};
  double z[5];
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *p;
  for (int i = 0; i < 5; i++) z[i] = 1 + y[i] / 20;
  for (int k = 0; k < 2; k++) {
    const cmb_profile_options options = {.smoothing = k * 1e-6};
    cmbt_ok(ctx, cmb_profile_create(ctx, "cone", CMB_PROFILE_WHEEL, 5, y, z, &options, &p));
    for (int i = 0; i <= 10; i++) {
      const cmb_profile_point x = cmb_profile_at(p, i * cmb_profile_about(p).length / 10);
      cmbt_near(x.z, x.y / 20, 1e-14);
      cmbt_near(x.dz / x.dy, 0.05, 1e-12);
      cmbt_near(x.ddz, 0, 1e-9);
    }
    assert_true(cmb_profile_at(p, 0).y < 0);
    cmb_profile_destroy(p);
  }
  cmb_context_destroy(ctx);
}

/* The smoothing tolerance is the root mean square of the distances of the points. */
static void test_smoothing(void **unused)
{
  (void)unused;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_profile *rail, *p;
  struct cmbt_text t = begin_text();
  cmbt_ok(ctx, cmb_profile_open(ctx, "UIC60", CMB_PROFILE_RAIL, NULL, &rail));
  for (int i = 0; i <= 600; i++) {
    const cmb_profile_point x = cmb_profile_at(rail, cmb_profile_about(rail).length * i / 600);
    cmbt_put(&t, "%.6f,%.6f\n", 1e3 * x.y, 1e3 * x.z + (i % 2 ? 0.005 : -0.005));
  }
  const cmb_profile_options smooth = {.smoothing = 5e-6};
  cmbt_ok(ctx, cmb_profile_parse(ctx, t.text, t.used, "r.csv", CMB_PROFILE_RAIL, &smooth, &p));
  const cmb_profile_facts facts = cmb_profile_about(p);
  cmbt_near(facts.deviation, 5e-6, 1e-12);
  cmbt_below(facts.largest_deviation, 5e-5);
  cmb_profile_destroy(p);
  cmb_profile_destroy(rail);
  cmb_context_destroy(ctx);
  free(t.text);
}

/* Each request for memory fails once. */
static void test_memory(void **unused)
{
  (void)unused;
  static const char text[] = "-20 -9\n-10 -2\n0 0\n10 -2\n20 -9\n";
  for (int k = 0; k < 2; k++) {
    struct cmbt_allocator memory;
    long fail_at = 1;
    do {
      cmb_profile *p = NULL;
      cmbt_allocator_init(&memory);
      cmb_context *ctx = cmb_context_create(&memory.hook);
      memory.fail_at = memory.calls + fail_at++;
      const cmb_status status =
          k == 0
              ? cmb_profile_parse(ctx, text, sizeof text - 1, "r.csv", CMB_PROFILE_RAIL, NULL, &p)
              : cmb_profile_open(ctx, "S1002", CMB_PROFILE_WHEEL, NULL, &p);
      assert_int_equal(status, memory.refused ? CMB_ERROR_MEMORY : CMB_OK);
      assert_true((p == NULL) == (status != CMB_OK));
      cmb_profile_destroy(p);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
    } while (memory.refused);
    assert_true(fail_at > 4);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_axes),
                                     cmocka_unit_test(test_mirror),
                                     cmocka_unit_test(test_miniprof),
                                     cmocka_unit_test(test_simpack),
                                     cmocka_unit_test(test_simpack_changes),
                                     cmocka_unit_test(test_measured),
                                     cmocka_unit_test(test_wrong_files),
                                     cmocka_unit_test(test_wrong_calls),
                                     cmocka_unit_test(test_smoothing),
                                     cmocka_unit_test(test_cone),
                                     cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
