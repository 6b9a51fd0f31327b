/*
 * Tests of models in several files: included files and the parameters that are set in them, tables in CSV files, files that must not be
 * read, and the limits on size and depth.
 */
#include "check.h"
#include "model_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void write_text(const char *path, const char *text)
{
  cmbt_write_file(path, text, strlen(text));
}

/* Checks that reading a model fails with this status, no model, and a message that begins with `message`. */
static void assert_refused(cmb_context *ctx, const char *path, cmb_status expected,
                           const char *message)
{
  cmb_model *model;
  cmb_status status = cmb_model_read(ctx, path, NULL, &model);
  const char *words = cmb_last_error(ctx);
  if (status != expected || model || strncmp(words, message, strlen(message)) != 0)
    fail_msg("%s: %s, \"%s\"; expected \"%s\"", path, cmb_status_code(status), words, message);
}

/* Checks that values of the including file take precedence, and that places name the file in which a value is written. */
static void sections_of_included_files_are_merged(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m;
  write_text("car/main.yaml", "title: whole\ninclude: [parts/axle.yaml, parts/wheel.yaml]\n"
                              "joints: {j: {type: free, child: axle}}\nsimulate: {t-end: 1}\n");
  write_text("car/parts/axle.yaml",
             "title: axle\ninclude: wheel.yaml\nparameters: {m: 2*w}\n"
             "bodies: {axle: {mass: m, com: [0, 0, 0]}}\nsimulate: {t-end: 2}\n");
  write_text("car/parts/wheel.yaml", "parameters: {w: 4}\ngravity: [0, 0, -1]\n");
  cmbt_ok(ctx, cmb_model_read(ctx, "car/main.yaml", NULL, &m));
  int count;
  assert_string_equal(cmb_model_name(m), "main");
  assert_string_equal(cmb_model_title(m), "whole"); /* the including file comes first */
  assert_string_equal(cmb_model_defaults(m, &count)->value, "1");
  const cmb_model_default *d = cmb_model_defaults(m, &count);
  assert_string_equal(d->file, "car/main.yaml");
  assert_int_equal(d->line, 4);
  assert_int_equal(d->column, 19);
  cmbt_near(m->gravity[2].value, -1, 0);
  cmbt_near(m->bodies[0].mass.value, 8, 0);
  assert_string_equal(m->bodies[0].place.file, "car/parts/axle.yaml");
  cmb_model_destroy(m);
  write_text("car/parts/wheel.yaml", "parameters: {w: 4,\n  m: 3}\n");
  assert_refused(ctx, "car/main.yaml", CMB_ERROR_INPUT,
                 "car/parts/wheel.yaml:2:3: parameter 'm': the name 'm' is taken");
  cmb_context_destroy(ctx);
}

/* Checks files that include each other, main → mid → inner: the value set by the outermost file is used, its formula is evaluated in the
 * including file, and parameters computed from the parameter change with it. */
static void including_files_set_parameters(void **state)
{
  (void)state;
  static const char *const set_names[] = {"m"};
  static const double set_values[] = {9};
  const cmb_model_options options = {
      .set_count = 1, .set_names = set_names, .set_values = set_values};
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m;
  write_text("set/inner.yaml",
             "parameters: {m: {value: 2, least: 1, unit: kg}, l: 3*m, c: 1}\n"
             "templates: {half: {parameters: {k: 5}}}\n"
             "instances: {left: {template: half, repeat: c, parameters: {k: 8}},\n"
             "            right: {template: half}}\n");
  write_text("set/mid.yaml", "include: {file: inner.yaml, set: {m: 4, right.k: 7, c: 2}}\n");
  write_text("set/main.yaml",
             "parameters: {q: 20}\ninclude: [{file: mid, set: {m: q/4, left2.k: m}}]\n"
             "bodies: {b: {mass: m, com: [0, 0, 0]}}\njoints: {j: {type: free, child: b}}\n");
  cmbt_ok(ctx, cmb_model_read(ctx, "set/main.yaml", NULL, &m));
  cmbt_near(cmbt_model_parameter(m, "m"), 5, 0);
  cmbt_near(cmbt_model_parameter(m, "l"), 15, 0);
  cmbt_near(cmbt_model_parameter(m, "left1.k"), 8, 0);
  cmbt_near(cmbt_model_parameter(m, "left2.k"), 5, 0); /* mid.yaml sets the number of copies to 2 */
  cmbt_near(cmbt_model_parameter(m, "right.k"), 7, 0);
  cmbt_near(cmbt_model_body(m, "b")->mass.value, 5, 0);
  cmb_model_destroy(m);
  cmbt_ok(ctx, cmb_model_read(ctx, "set/main.yaml", &options, &m));
  cmbt_near(cmbt_model_parameter(m, "l"), 27, 0); /* options take precedence over all files */
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks that a template can set parameters of the files that it includes, and that parameters of an instance take precedence. */
static void templates_set_parameters_of_their_files(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m;
  write_text("set/wheel.yaml", "parameters: {w: 1, v: 1}\n");
  write_text("set/two.yaml",
             "templates: {half: {include: {file: wheel, set: {w: 2, v: 2}},\n"
             "  bodies: {b: {mass: w, com: [0, 0, 0]}}, joints: {j: {type: free, child: b}}}}\n"
             "instances: {l: {template: half}, r: {template: half, parameters: {w: 3}}}\n");
  cmbt_ok(ctx, cmb_model_read(ctx, "set/two.yaml", NULL, &m));
  cmbt_near(cmbt_model_parameter(m, "l.w"), 2, 0);
  cmbt_near(cmbt_model_parameter(m, "r.w"), 3, 0);
  cmbt_near(cmbt_model_parameter(m, "r.v"), 2, 0);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks that files named in the text of the option `addition` are searched for in the model's folder, with a long path and a short one. */
static void additions_include_files_beside_the_model(void **state)
{
  (void)state;
  static const char *const mains[] = {"set/beside.yaml", "set/with/long/path/beside.yaml"};
  static const char *const parts[] = {"set/part.yaml", "set/with/long/path/part.yaml"};
  const cmb_model_options options = {.addition = "include: part\n"};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < 2; i++) {
    cmb_model *m;
    write_text(mains[i],
               "bodies: {b: {mass: w, com: [0, 0, 0]}}\njoints: {j: {type: free, child: b}}\n");
    write_text(parts[i], "parameters: {w: 3}\n");
    cmbt_ok(ctx, cmb_model_read(ctx, mains[i], &options, &m));
    cmbt_near(cmbt_model_body(m, "b")->mass.value, 3, 0);
    cmb_model_destroy(m);
  }
  cmb_context_destroy(ctx);
}

/* Checks the messages for parameters that cannot be set: they have the place of the setting and, if a similar name exists, the place of its
 * definition. */
static void wrong_sets_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *main, *message;
  } rows[] = {
      {"include: {file: b, set: {masss: 1}}\n", "set/a.yaml:1:26: include 'b': the included file "
                                                "has no parameter 'masss': did you mean 'mass' "
                                                "(set/c.yaml:1:14)?"},
      {"include: {file: c, set: {axle.k1: 1}}\n",
       "set/a.yaml:1:26: include 'c': the included file has no parameter 'axle.k1': did you mean "
       "'axle.k' "
       "(set/c.yaml:2:30)?"},
      {"include: {file: c, set: {zzzzzz: 1}}\n",
       "set/a.yaml:1:26: include 'c': the included file has no parameter 'zzzzzz'; expected one of "
       "its parameters"},
      {"parameters: {own: 1}\ninclude: {file: c, set: {own: 1}}\n",
       "set/a.yaml:2:26: include 'c': the included file has no parameter 'own'"},
      {"include: [b, {file: c, set: {other: 1}}]\n", /* a parameter of b */
       "set/a.yaml:1:30: include 'c': the included file has no parameter 'other'"},
      {"include: [{file: b, set: {mass: 1}}, {file: c, set: {mass: 1}}]\n",
       "set/a.yaml:1:27: include 'b': the parameter 'mass' is set in set/a.yaml:1:54 already"},
      {"include: [{file: b}, {file: d}]\n",
       "set/d.yaml:1:26: include 'c': the parameter 'side' is set in set/b.yaml:1:26 already"},
      {"include: c\nparameters: {mass: 2}\n", /* included files are read after the file itself */
       "set/c.yaml:1:14: parameter 'mass': the name 'mass' is taken by the parameter in "
       "set/a.yaml:2; expected another one, or "
       "'include: {file: .., set: {mass: ..}}' to change its value"},
      {"include: {file: c, set: {mass: -1}}\n",
       "set/a.yaml:1:32: parameter 'mass': it is -1; expected at least 0"},
      {"include: {file: c, set: {mass: mass + 1}}\n",
       "set/a.yaml:1:32: parameter 'mass': the parameter 'mass' depends on itself"},
      {"include: {file: c, sets: {mass: 1}}\n", "set/a.yaml:1:20: unknown key 'sets'"},
      {"include: {set: {mass: 1}}\n", "set/a.yaml:1:10: the key 'file' is missing"},
      {"include: {file: c, set: [1]}\n", "set/a.yaml:1:"},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  write_text("set/b.yaml", "include: {file: c, set: {side: 3}}\nparameters: {other: 1}\n");
  write_text("set/d.yaml", "include: {file: c, set: {side: 4}}\n");
  write_text("set/c.yaml",
             "parameters: {mass: {value: 1, least: 0}, side: 1}\n"
             "templates: {u: {parameters: {k: 1}}}\ninstances: {axle: {template: u}}\n");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    write_text("set/a.yaml", rows[i].main);
    assert_refused(ctx, "set/a.yaml", CMB_ERROR_INPUT, rows[i].message);
  }
  cmb_context_destroy(ctx);
}

static void templates_can_be_files(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m;
  write_text("two.yaml", "templates: {half: {include: half.yaml, parameters: {m: 3}}}\n"
                         "instances: {l: {template: half}, r: {template: half, mirror: y}}\n");
  write_text("half.yaml",
             "bodies: {b: {mass: m, com: [0, 1, 0]}}\njoints: {j: {type: free, child: b}}\n");
  cmbt_ok(ctx, cmb_model_read(ctx, "two.yaml", NULL, &m));
  cmbt_near(cmbt_model_body(m, "r.b")->com[1].value, -1, 0);
  cmbt_near(cmbt_model_body(m, "l.b")->mass.value, 3, 0);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks that no file outside of the model's folder is read, whether by its path or by a symbolic link, unless the option include_anywhere
 * is set. */
static void files_outside_are_not_read(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  const cmb_model_options anywhere = {.include_anywhere = true};
  cmb_model *m;
  write_text("secret.yaml", "parameters: {found: 1}\n");
  write_text("in/a.yaml", "include: ../secret.yaml\n");
  write_text("in/b.yaml", "include: x/../../secret.yaml\n");
  write_text("in/c.yaml", "include: /etc/passwd\n");
  write_text("in/d.yaml", "include: link/secret.yaml\n");
  write_text("in/e.yaml", "include: direct.yaml\n");
  write_text("in/f.yaml", "include: sub/../g.yaml\n");
  write_text("in/g.yaml", "parameters: {g: 1}\n");
  write_text("in/h.yaml", "include: missing.yaml\n");
  write_text("in/i.yaml", "include: [.]\n");
  write_text("in/j.yaml", "tables: {f: {file: ../secret.yaml}}\n");
  write_text("in/sub/k.yaml", "\n");
  unlink("in/link");
  unlink("in/direct.yaml");
  assert_int_equal(symlink("..", "in/link"), 0);
  assert_int_equal(symlink("../secret.yaml", "in/direct.yaml"), 0);
  assert_refused(
      ctx, "in/a.yaml", CMB_ERROR_INPUT,
      "in/a.yaml:1:10: '../secret.yaml' is an absolute path or leads out of the model's folder");
  assert_refused(ctx, "in/b.yaml", CMB_ERROR_INPUT,
                 "in/b.yaml:1:10: 'x/../../secret.yaml' is an absolute path or leads out of the "
                 "model's folder; expected a path inside of it");
  assert_refused(ctx, "in/c.yaml", CMB_ERROR_INPUT,
                 "in/c.yaml:1:10: '/etc/passwd' is an absolute path or leads out of the model's "
                 "folder; expected a path inside of it");
  assert_refused(ctx, "in/d.yaml", CMB_ERROR_INPUT,
                 "in/d.yaml:1:10: the file 'link/secret.yaml' cannot be read");
  assert_refused(ctx, "in/e.yaml", CMB_ERROR_INPUT,
                 "in/e.yaml:1:10: the file 'direct.yaml' cannot be read: it is a link");
  assert_refused(ctx, "in/h.yaml", CMB_ERROR_INPUT,
                 "in/h.yaml:1:10: the file 'missing.yaml' cannot be read: No such file");
  assert_refused(ctx, "in/i.yaml", CMB_ERROR_INPUT,
                 "in/i.yaml:1:11: '.' is an absolute path or leads out of the model's folder; "
                 "expected a path inside of it");
  assert_refused(ctx, "in/j.yaml", CMB_ERROR_INPUT,
                 "in/j.yaml:1:20: table 'f': '../secret.yaml' is an absolute path or leads out of "
                 "the model's folder; expected a path inside of it");
  cmbt_ok(ctx, cmb_model_read(ctx, "in/f.yaml", NULL, &m));
  cmb_model_destroy(m);
  cmbt_ok(ctx, cmb_model_read(ctx, "in/a.yaml", &anywhere, &m));
  cmbt_near(cmbt_model_parameter(m, "found"), 1, 0);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

static void cycles_of_files_are_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  char name[40], text[60];
  write_text("one.yaml", "include: other.yaml\n");
  write_text("other.yaml", "title: x\ninclude: [one.yaml]\n");
  assert_refused(ctx, "one.yaml", CMB_ERROR_INPUT, "other.yaml:2:11: 'one.yaml' includes itself");
  assert_refused(ctx, "nothing.yaml", CMB_ERROR_IO, "nothing.yaml: cannot be read: No such file");
  assert_refused(ctx, ".", CMB_ERROR_IO, ".: cannot be read: Is a directory");
  for (int i = 0; i < 30; i++) { /* 31 files, each of which includes the next one */
    snprintf(name, sizeof name, "deep%d.yaml", i);
    snprintf(text, sizeof text, "include: deep%d.yaml\n", i + 1);
    write_text(name, text);
  }
  assert_refused(ctx, "deep0.yaml", CMB_ERROR_INPUT,
                 "deep15.yaml:1:10: files include each other more than 16 deep");
  cmb_context_destroy(ctx);
}

/* ---- CSV */

/* Returns f(x) of the model's first table. */
static double table_value(cmb_context *ctx, const cmb_model *m, double x)
{
  cmb_graph *g;
  cmb_program *p;
  double work[64], value;
  cmbt_ok(ctx, cmb_graph_create(ctx, &g));
  cmb_expr input = cmb_input(g, "x"), e = cmb_table_apply(g, m->tables[0].table, input);
  cmbt_ok(ctx, cmb_program_create(ctx, g, 1, &input, 1, &e, &p));
  assert_true(cmb_program_work(p) <= 64);
  cmb_program_run(p, &x, &value, work);
  cmb_program_destroy(p);
  cmb_graph_destroy(g);
  return value;
}

/* Checks separators, names of columns, comments, quotes, byte order marks and long numbers in CSV files by the value of the table at
 * 0.5. */
static void columns_of_csv_files_are_tables(void **state)
{
  (void)state;
  static const struct {
    const char *csv, *columns;
    double at_half; /* f(0.5), linear */
  } rows[] = {{"0,1\n1,3\n", "", 2},
              {"t,u,z\r\n0,9,1\r\n1,9,5\r\n", "columns: [t, z]", 3},
              {"# comment\n\n\"t\"; \"z\"\n0;1\n\n1;2\n", "", 1.5},
              {"0\t1\n1\t-1", "", 0},
              {"  0   4\n  1   8  \n", "", 6},
              {"0,9,2\n1,9,4\n", "columns: [1, 3]", 3},
              /* comments after numbers; in the names of columns # is an ordinary character */
              {"0,1 # c\n1,3# d, e\n", "", 2},
              {"0 1 # a, b; c\n1 5\n", "", 3},
              {"t,F #1,F #2\n0,9,2 # \"x\n1,9,4\n", "columns: [t, 'F #2']", 3},
              {"0,\"1\" # it's\n1,\"3\"\n", "", 2},
              /* a byte order mark before numbers, names and a comment */
              {"\xEF\xBB\xBF"
               "0,1\n1,3\n",
               "", 2},
              {"\xEF\xBB\xBFt,z\n0,1\n1,3\n", "columns: [t, z]", 2},
              {"\xEF\xBB\xBF# road\n0,1\n1,3\n", "", 2},
              {"\"2nd\",\"1st\"\n0,1\n1,3\n", "", 2},
              {"\"0\",\"1\"\n\"1\",\"3\"\n", "", 2}, /* numbers in quotes */
              /* 1.5e5 and 1 with more than 60 digits */
              {"0,1.5000000000000000000000000000000000000000000000000000000000000000000e5\n"
               "1.0000000000000000000000000000000000000000000000000000000000000000000,50000\n",
               "", 1e5}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[200];
    cmb_model *m;
    snprintf(text, sizeof text, "tables: {f: {file: data.csv, %s}}\n", rows[i].columns);
    write_text("csv/model.yaml", text);
    write_text("csv/data.csv", rows[i].csv);
    cmbt_ok(ctx, cmb_model_read(ctx, "csv/model.yaml", NULL, &m));
    cmbt_near(table_value(ctx, m, 0.5), rows[i].at_half, 1e-14);
    cmb_model_destroy(m);
  }
  cmb_context_destroy(ctx);
}

static void errors_in_csv_files_name_the_line(void **state)
{
  (void)state;
  static const struct {
    const char *csv, *columns, *message;
  } rows[] = {
      {"0,1\n1,x\n", "", "csv/data.csv:2:1: table 'f': cell 2 is 'x'; expected a number"},
      {"0,1\n1\n", "", "csv/data.csv:2:1: table 'f': the line has no cell 2"},
      {"0,1\n1,\n", "", "csv/data.csv:2:1: table 'f': cell 2 is ''; expected a number"},
      {"0,1\n\n0,2\n", "", "csv/data.csv:3:1: table 'f': 0 follows 0; expected ascending numbers"},
      {"# nothing\n", "", "csv/data.csv:1:1: table 'f': the file has no numbers"},
      {"", "", "csv/data.csv:1:1: table 'f': the file has no numbers"},
      {"0,1\n1,nan\n", "", "csv/data.csv:2:1: table 'f': cell 2 is 'nan'; expected a number"},
      {"t,z\n0,1\n", "",
       "csv/model.yaml:1:13: table 'f': the table has 1 point; expected two or more"},
      {"t,z\n0,1\n1,2\n", "columns: [t, w]",
       "csv/model.yaml:1:43: table 'f': csv/data.csv has no column 'w'"},
      {"0,1\n1,2\n", "columns: [t, w]",
       "csv/model.yaml:1:40: table 'f': csv/data.csv has no column 't'"},
      {"O,1\n1,2\n", "", "csv/data.csv:1:1: table 'f': cell 1 is 'O'; expected a number"},
      {"0.O,l\n1,2\n", "", "csv/data.csv:1:1: table 'f': cell 1 is '0.O'; expected a number"},
      {"0;0,5\n1;2,5\n", "", "csv/data.csv:1:1: table 'f': cell 2 is '0,5'; expected a number"},
      {"NaN,nan\n1,2\n", "", "csv/data.csv:1:1: table 'f': cell 1 is 'NaN'; expected a number"},
      {"0,1\n\x80", "",
       "csv/data.csv:2:1: byte 0x80 is no part of a text; expected UTF-8 without control "
       "characters"}};
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char text[200];
    snprintf(text, sizeof text, "tables: {f: {file: data.csv, %s}}\n", rows[i].columns);
    write_text("csv/model.yaml", text);
    write_text("csv/data.csv", rows[i].csv);
    assert_refused(ctx, "csv/model.yaml", CMB_ERROR_INPUT, rows[i].message);
  }
  cmb_context_destroy(ctx);
}

/* ---- limits */

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Checks that a file of 100 MB is refused in less than 0.5 s, since its size is checked before it is read. */
static void large_files_are_refused_unread(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  write_text("large.yaml", "");
  assert_int_equal(truncate("large.yaml", 100000000), 0);
  double begin = seconds();
  assert_refused(ctx, "large.yaml", CMB_ERROR_INPUT,
                 "large.yaml:1:1: the file is larger than 16 MB");
  cmbt_below(seconds() - begin, 0.5);
  unlink("large.yaml");
  cmb_context_destroy(ctx);
}

/* Checks nine anchors, each with ten aliases of the previous one, which would be 10^9 nodes: refused in less than 0.5 s. */
static void alias_bombs_are_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  char text[2000] = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n", part[20];
  for (int i = 1; i < 9; i++) {
    snprintf(part, sizeof part, "a%d: &a%d [", i, i);
    strcat(text, part);
    for (int k = 0; k < 10; k++) {
      snprintf(part, sizeof part, "%s*a%d", k > 0 ? ", " : "", i - 1);
      strcat(text, part);
    }
    strcat(text, "]\n");
  }
  double begin = seconds();
  cmbt_model_refused(ctx, text, "test.yaml:6:55",
                     "too many parts, counted with those that aliases repeat");
  cmbt_below(seconds() - begin, 0.5);
  cmb_context_destroy(ctx);
}

/* Checks nested instances, of which level k has 10^k with 22 nodes each: level 5, the instances of template t3, exceeds the limit. */
static void template_bombs_are_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  char text[4000] = "templates:\n  t0: {points: {A: [1, 2, 3]}}\n", part[60];
  for (int i = 1; i < 9; i++) {
    snprintf(part, sizeof part, "  t%d: {instances: {", i);
    strcat(text, part);
    for (int k = 0; k < 10; k++) {
      snprintf(part, sizeof part, "i%d: {template: t%d}%s", k, i - 1, k < 9 ? ", " : "}}\n");
      strcat(text, part);
    }
  }
  strcat(text, "instances: {all: {template: t8}}\n");
  cmbt_model_refused(ctx, text, "test.yaml:5:7", "too many parts");
  cmb_context_destroy(ctx);
}

/* Returns the text `begin`, `what` repeated `count` times, `end`; the caller frees it. */
static char *repeated(const char *begin, const char *what, int count, const char *end)
{
  size_t length = strlen(begin), step = strlen(what);
  char *text = malloc(length + step * (size_t)count + strlen(end) + 1);
  assert_non_null(text);
  memcpy(text, begin, length);
  for (int i = 0; i < count; i++, length += step) memcpy(text + length, what, step);
  strcpy(text + length, end);
  return text;
}

/* Checks the limit on the depth of lists, with depths of 60 to 70 and of 100000: from 64 on, the message says that they are nested too
 * deep, below, that a title cannot be a list. */
static void depth_is_limited(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  for (int depth = 60; depth <= 100000;
       depth = depth < 70 ? depth + 1 : 100000 + (depth == 100000)) {
    char *text = repeated("title: ", "[", depth, "");
    char *closed = repeated(text, "]", depth, "");
    cmb_model *m;
    assert_int_equal(cmb_model_parse(ctx, closed, strlen(closed), "test.yaml", NULL, &m),
                     CMB_ERROR_INPUT);
    const char *expected = depth < 64 ? "expected a text" : "nested";
    if (!strstr(cmb_last_error(ctx), expected)) fail_msg("%d: %s", depth, cmb_last_error(ctx));
    free(closed);
    free(text);
  }
  cmb_context_destroy(ctx);
}

static void long_chains_of_parameters_are_refused(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  enum { CHAIN = 20000 };
  char *text = malloc(40 * CHAIN), *end = text;
  assert_non_null(text);
  end += sprintf(end, "parameters:\n");
  for (int i = 0; i < CHAIN; i++) end += sprintf(end, "  p%d: p%d + 1\n", i, i + 1);
  sprintf(end, "  p%d: 1\n", (int)CHAIN);
  cmbt_model_refused(ctx, text, "test.yaml:101:8",
                     "parameter 'p99': more than 100 parameters depend on each other in a chain; "
                     "expected at most so many");
  free(text);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sections_of_included_files_are_merged),
      cmocka_unit_test(including_files_set_parameters),
      cmocka_unit_test(templates_set_parameters_of_their_files),
      cmocka_unit_test(additions_include_files_beside_the_model),
      cmocka_unit_test(wrong_sets_are_refused),
      cmocka_unit_test(templates_can_be_files),
      cmocka_unit_test(files_outside_are_not_read),
      cmocka_unit_test(cycles_of_files_are_refused),
      cmocka_unit_test(columns_of_csv_files_are_tables),
      cmocka_unit_test(errors_in_csv_files_name_the_line),
      cmocka_unit_test(large_files_are_refused_unread),
      cmocka_unit_test(alias_bombs_are_refused),
      cmocka_unit_test(template_bombs_are_refused),
      cmocka_unit_test(depth_is_limited),
      cmocka_unit_test(long_chains_of_parameters_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
