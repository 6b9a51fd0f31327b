/*
 * Tests of repeated instances: numbers and positions of the copies, the meaning of `previous` in them, and messages for wrong ones.
 */
#include "check.h"
#include "model_case.h"

#include <stdio.h>
#include <string.h>

#define SEGMENT                                                                                    \
  "templates:\n"                                                                                   \
  "  segment:\n"                                                                                   \
  "    parameters: {m: 10/index, k: 1}\n"                                                          \
  "    points: {A: [0, 0, 0], B: [l, 0, 0]}\n"                                                     \
  "    bodies: {rod: {mass: m, rod: [A, B]}}\n"                                                    \
  "    joints: {pin: {type: revolute, parent: previous.rod, child: rod, at: A, axis: y}}\n"

static const char chain[] = "parameters: {n: 2 + 1, l: 0.5}\n" SEGMENT
                            "instances: {link: {template: segment, repeat: n, step: [l, 0, -0.1], "
                            "offset: [1, 2, 3]}}\n";

static void copies_have_numbers_and_places(void **state)
{
  (void)state;
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, chain);
  assert_int_equal(m->body_count, 3);
  for (int i = 0; i < 3; i++) {
    char name[20];
    snprintf(name, sizeof name, "link%d.rod", i + 1);
    const cmb_model_body *b = cmbt_model_body(m, name);
    cmbt_near(b->mass.value, 10.0 / (i + 1), 1e-15);
    cmbt_near(b->com[0].value, 1.25 + 0.5 * i, 1e-15);
    cmbt_near(b->com[1].value, 2, 0);
    cmbt_near(b->com[2].value, 3 - 0.1 * i, 1e-15);
    snprintf(name, sizeof name, "link%d.pin", i + 1);
    /* the parent is the previous copy, for the first copy the ground, −1 */
    assert_int_equal(cmbt_model_joint(m, name)->parent, i - 1);
    snprintf(name, sizeof name, "link%d.index", i + 1);
    cmbt_near(cmbt_model_parameter(m, name), i + 1, 0);
  }
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks that the number of copies may depend on parameters that options set, directly or through another parameter. */
static void the_number_can_be_set(void **state)
{
  (void)state;
  static const char text[] = "parameters: {n: k - 1, k: 4, l: 1}\n" SEGMENT
                             "instances: {link: {template: segment, repeat: n, step: [l, 0, 0]}}\n";
  static const char *const names[] = {"k", "n"};
  static const double values[] = {8, 5};
  static const int expected[] = {3, 7, 5};
  cmb_context *ctx = cmb_context_create(NULL);
  for (int i = 0; i < 3; i++) {
    cmb_model *m;
    const cmb_model_options options = {
        .set_count = i, .set_names = names, .set_values = values}; /* none, k, k and n */
    assert_int_equal(cmb_model_parse(ctx, text, strlen(text), "n.yaml", &options, &m), CMB_OK);
    assert_int_equal(m->body_count, expected[i]);
    cmb_model_destroy(m);
  }
  cmb_context_destroy(ctx);
}

/* Checks repeated instances inside of a mirrored one: their steps and offsets are mirrored. */
static void nested_copies_are_mirrored(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {l: 0.5}\n" SEGMENT
      "  side: {instances: {link: {template: segment, repeat: 2, step: [0, 1, 0], "
      "offset: [0, 0.2, 0]}}}\n"
      "instances: {right: {template: side, mirror: y}}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, text);
  cmbt_near(cmbt_model_body(m, "right.link1.rod")->com[1].value, -0.2, 1e-15);
  cmbt_near(cmbt_model_body(m, "right.link2.rod")->com[1].value, -1.2, 1e-15);
  assert_int_equal(cmbt_model_joint(m, "right.link2.pin")->parent, 0);
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

/* Checks the key `before`, which says what `previous` means in the first copy: a body stands for each body, an instance for each of its
 * elements with the same name. */
static void the_first_copy_may_have_a_predecessor(void **state)
{
  (void)state;
  static const char text[] =
      "parameters: {l: 1}\n"
      "bodies: {hub: {mass: 1, sphere: [0, 0, 0], radius: 0.1}}\n"
      "joints: {spin: {type: revolute, child: hub, at: [0, 0, 0], axis: z}}\n" SEGMENT "  tail:\n"
      "    parameters: {k: 1 + previous.k}\n"
      "    points: {B: {between: [previous.B, [index, 9, 0]], ratio: 1}}\n"
      "    bodies: {rod: {mass: k, rod: [previous.B, B]}}\n"
      "    joints: {pin: {type: revolute, parent: previous.rod, child: rod, at: previous.B, axis: "
      "y}}\n"
      "    loops: {tie: {type: gear, coordinates: [pin, previous.pin], ratio: 2}}\n"
      "    outputs: {lag: 2*(pin - previous.pin) + previous.rod.x*previous.previous.k}\n"
      "instances:\n"
      "  front: {template: segment, repeat: 2, before: hub}\n"
      "  back: {template: tail, repeat: 2, before: front2}\n";
  cmb_context *ctx = cmb_context_create(NULL);
  cmb_model *m = cmbt_model_parse(ctx, text);
  assert_string_equal(m->bodies[cmbt_model_joint(m, "front1.pin")->parent].name, "hub");
  assert_string_equal(m->bodies[cmbt_model_joint(m, "back1.pin")->parent].name, "front2.rod");
  cmbt_near(cmbt_model_parameter(m, "back1.k"), 2, 0);
  cmbt_near(cmbt_model_parameter(m, "back2.k"), 3, 0);
  cmbt_near(cmbt_model_joint(m, "back1.pin")->at[0].value, 1, 0);
  cmbt_near(cmbt_model_joint(m, "back2.pin")->at[1].value, 9, 0);
  const cmb_model_loop *tie = cmbt_model_loop(m, "back2.tie");
  assert_string_equal(tie->formula.text, "back2.pin");
  assert_string_equal(tie->second.text, "back1.pin");
  cmbt_near(tie->ratio.value, 2, 0);
  cmbt_near(tie->offset.value, 0, 0);
  /* names with `previous` are replaced by full names and blanks of the same length, so that columns in messages remain right */
  assert_string_equal(m->outputs[0].formula.text,
                      "2*(pin - front2.pin  ) + front2.rod.x  *front1.k           ");
  assert_string_equal(m->outputs[1].formula.text,
                      "2*(pin - back1.pin   ) + back1.rod.x   *front2.k           ");
  cmb_model_destroy(m);
  cmb_context_destroy(ctx);
}

#define ONE(more) "parameters: {l: 1}\n" SEGMENT more

static void wrong_repetitions_are_refused(void **state)
{
  (void)state;
  static const struct {
    const char *text, *place, *fragment;
  } rows[] = {
      {ONE("instances: {a: {template: segment, repeat: 0}}"), "test.yaml:8:44",
       "instance 'a': 'repeat' is 0; expected a whole number from 1 to 100000"},
      {ONE("instances: {a: {template: segment, repeat: 100001}}"), "test.yaml:8:44", "expected a"},
      {ONE("instances: {a: {template: segment, repeat: 1.5}}"), "test.yaml:8:44", "whole number"},
      {ONE("instances: {a: {template: segment, repeat: t}}"), "test.yaml:8:44", "unknown name 't'"},
      {ONE("instances: {a: {template: segment, repeat: [2]}}"), "test.yaml:8:44", "is a list"},
      {ONE("instances: {a: {template: segment, step: [0, 0, 1]}}"), "test.yaml:8:36",
       "instance 'a': 'step' is given without 'repeat'; expected 'repeat' beside it"},
      {ONE("instances: {a: {template: segment, before: ground}}"), "test.yaml:8:36",
       "instance 'a': 'before' is given without 'repeat'; expected 'repeat' beside it"},
      {ONE("instances: {a: {template: segment, repeat: 2, before: grund}}"), "test.yaml:8:55",
       "instance 'a': unknown body 'grund'"},
      {ONE("instances: {a: {template: segment, repeat: 2, parameters: {index: 1}}}"),
       "test.yaml:8:60", "instance 'a': the template has no parameter 'index'"},
      {ONE("instances: {a: {template: segment, repeat: 2}, a2: {template: segment}}"),
       "test.yaml:8:48", "instance 'a2': the name 'a2' is taken by the instance in test.yaml:8"},
      {ONE("instances: {a: {template: segment}}"), "test.yaml:4:24",
       "parameter 'a.m': unknown name 'index'"},
      {"templates: {s: {bodies: {b: {mass: 1, com: [0, 0, 0]}}, joints: {pin: {type: free, child: "
       "b, parent: previous.b}}}}\ninstances: {a: {template: s}}",
       "test.yaml:1:102",
       "joint 'a.pin': 'previous.b' refers to the copy before this one; expected it only in a "
       "template"},
      {ONE("instances: {a: {template: segment, repeat: 100000}}"), "test.yaml:8:13",
       "the model has too many parts"},
      {"templates: {s: {parameters: {index: 1}}}\ninstances: {a: {template: s, repeat: 1}}",
       "test.yaml:1:30", "parameter 'a1.index': the name 'a1.index' is taken"},
      {"templates: {s: {parameters: {p: previous.p}}}\ninstances: {a: {template: s, repeat: 2}}",
       "test.yaml:1:33", "'previous.p' does not exist for the first copy, 'a1'"},
      {"templates: {s: {points: {P: previous.P}}}\ninstances: {a: {template: s, repeat: 2}}",
       "test.yaml:1:29",
       "point 'a1.P': 'previous.P' does not exist for the first copy, 'a1': 'a' (test.yaml:2:13) "
       "has no key 'before'; expected 'before: NAME' with an instance that has this point"},
      {"templates: {s: {bodies: {b: {mass: 1, com: [0, 0, 0]}}, joints: {j: {type: free, child: b, "
       "parent: previous.c}}}}\ninstances: {a: {template: s, repeat: 2}}",
       "test.yaml:1:100", "joint 'a1.j': unknown body 'previous.c': "},
      {"templates: {s: {bodies: {rod: {mass: 1, com: [0, 0, 0]}}, joints: {j: {type: free, child: "
       "rod}}}, u: {bodies: {b: {mass: 1, com: [0, 0, 0]}}, joints: {j: {type: free, child: b, "
       "parent: previous.rood}}}}\n"
       "instances: {z: {template: s}, a: {template: u, repeat: 2, before: z}}",
       "test.yaml:1:186", "unknown body 'previous.rood': the model has no body 'z.rood'"},
      {"templates: {s: {outputs: {y: 1 + previous.previous.b}}}\n"
       "instances: {a: {template: s, repeat: 2}}",
       "test.yaml:1:34", "output 'a1.y': 'previous.previous.b' has no value in the first copy"},
      {"bodies: {previous: {mass: 1, com: [0, 0, 0]}}", "test.yaml:1:10", "has a meaning"},
      {"outputs: {x: 1 + previous.b.x}", "test.yaml:1:18",
       "output 'x': 'previous.b.x' refers to the copy before this one"},
  };
  cmb_context *ctx = cmb_context_create(NULL);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    cmbt_model_refused(ctx, rows[i].text, rows[i].place, rows[i].fragment);
  cmb_context_destroy(ctx);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copies_have_numbers_and_places),
      cmocka_unit_test(the_number_can_be_set),
      cmocka_unit_test(nested_copies_are_mirrored),
      cmocka_unit_test(the_first_copy_may_have_a_predecessor),
      cmocka_unit_test(wrong_repetitions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
