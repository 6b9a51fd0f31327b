/*
 * Tests of reading models when memory runs out: each request for memory fails once; the error is CMB_ERROR_MEMORY, and no memory is leaked.
 */
#include "check.h"
#include "failing_allocator.h"
#include "model_case.h"

#include <string.h>

static const char model[] =
    "title: Everything once\n"
    "parameters: {m: 2*k, k: 3 deg}\n"
    "points: {A: [0, 0, 0], B: [1, k, 0], C: {between: [A, B]}}\n"
    "tables: {f: {kind: spline, points: [[0, 0], [1, 2], [2, 3]]},\n"
    "         g: {x: [0, 1], y: [0, 1], values: [[1, 2], [3, 4]]}}\n"
    "bodies:\n"
    "  a: &body {mass: m, com: A, inertia: [1, 1, 1], markers: {tip: {at: B}}}\n"
    "  b: {<<: *body, markers: {}}\n"
    "joints:\n"
    "  j: {type: free, child: a, at: A, start: [1, 2, 3]}\n"
    "  h: {type: revolute, parent: a, child: b, at: B, axis: x, start: k}\n"
    "loops: {l: {type: distance, between: [ground@C, tip], length: 1 + t},\n"
    "        g2: {type: gear, coordinates: [h, j.x], ratio: 2}}\n"
    "motions: {m2: {coordinate: h, value: sin(t)}}\n"
    "inputs: {u: {table: [[0, 0], [1, 1]]}}\n"
    "measures: {d: {distance: [ground@A, tip]}}\n"
    "implicit: {w: {equation: w - h, start: 0},\n"
    "  e: {unknowns: {p: 1, q: {start: h, size: 2}}, equations: [p - q, p + q - h]}}\n"
    "forces: {s: {type: spring, between: [ground@C, tip], stiffness: 5, spring: f, damper: [[0, "
    "0], [1, 1]]}}\n"
    "outputs: {z: tip.z}\n"
    "shapes: [{body: a, line: [A, B]}]\n"
    "templates:\n"
    "  half: {include: half.yaml, points: {P: [1, 2, 3]}}\n"
    "  row: {points: {Q: [index, 0, 0]}, bodies: {w: {mass: 1, com: Q}}, "
    "outputs: {y: previous.w.y},\n"
    "        joints: {r: {type: prismatic, parent: previous.w, child: w, axis: y}}}\n"
    "instances: {left: {template: half}, right: {template: half, mirror: y, offset: [k, 0, 0]},\n"
    "            row: {template: row, repeat: 3, step: [0, k, 0], before: b}}\n"
    "simulate: {t-end: 1, option: {projection: every}}\n";

static const char half[] = "bodies: {w: {mass: 1, sphere: {at: P, radius: 1}}}\n"
                           "joints: {r: {type: revolute, parent: b, child: w, at: P, axis: y}}\n"
                           "tables: {road: {file: road.csv, columns: [x, z]}}\n"
                           "roads: {strip: {type: crg, file: strip.crg}}\n";

static const char road[] = "x, z\n0, 1\n1, 2\n";

static const char strip[] =
    "$CT\n$\n$ROAD_CRG\nREFERENCE_LINE_INCREMENT = 1\nLONG_SECTION_V_INCREMENT = 2\n$\n"
    "$KD_Definition\n#:LRFI\nD:reference line phi,rad\nD:long section 1,m\nD:long section 2,m\n$\n"
    "$$$$\n 0.0000000 0.1000000 0.2000000\n 0.0000000 0.3000000 0.4000000\n"
    " 0.1000000 0.3000000 0.4000000\n";

static void write_files(void)
{
  cmbt_write_file("memory/model.yaml", model, sizeof model - 1);
  cmbt_write_file("memory/half.yaml", half, sizeof half - 1);
  cmbt_write_file("memory/road.csv", road, sizeof road - 1);
  cmbt_write_file("memory/strip.crg", strip, sizeof strip - 1);
}

/* Makes the k-th request for memory fail, alone or together with all later ones, for a model with almost every section and several
 * files. */
static void every_failed_allocation_is_reported(void **state)
{
  (void)state;
  write_files();
  for (int after_too = 0; after_too < 2; after_too++) {
    long refused = 1;
    for (long k = 2; refused > 0; k++) { /* the first request is that of the context */
      struct cmbt_allocator memory;
      cmbt_allocator_init(&memory);
      memory.fail_at = k;
      memory.fail_after_too = after_too;
      cmb_context *ctx = cmb_context_create(&memory.hook);
      cmb_model *m;
      assert_non_null(ctx);
      cmb_status status = cmb_model_read(ctx, "memory/model.yaml", NULL, &m);
      refused = memory.refused;
      if (status != (refused > 0 ? CMB_ERROR_MEMORY : CMB_OK)) {
        fail_msg("allocation %ld: %s: %s", k, cmb_status_code(status), cmb_last_error(ctx));
      }
      assert_int_equal(m == NULL, refused > 0);
      cmb_model_destroy(m);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
      assert_true(refused > 0 || k > 20);
    }
  }
}

/* Makes each request for memory fail while a wrong model is read: the error is CMB_ERROR_INPUT or CMB_ERROR_MEMORY, and memory for the
 * message is given back as well. */
static void wrong_models_leak_no_memory(void **state)
{
  (void)state;
  static const char *const texts[] = {"bodies: {a: {mass: 1, com: B}}\npoints: {BB: [0, 0, 0]}",
                                      "tables: {f: [[0, 0], [1, 1]], g: [[0, 0], [0, 1]]}",
                                      "parameters: {a: b, b: c, c: 1 +}", "include: nothing.yaml"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    long refused = 1;
    for (long k = 2; refused > 0; k++) {
      struct cmbt_allocator memory;
      cmbt_allocator_init(&memory);
      memory.fail_at = k;
      cmb_context *ctx = cmb_context_create(&memory.hook);
      cmb_model *m;
      cmb_status status = cmb_model_parse(ctx, texts[i], strlen(texts[i]), "x.yaml", NULL, &m);
      refused = memory.refused;
      assert_true(status == CMB_ERROR_INPUT || (refused > 0 && status == CMB_ERROR_MEMORY));
      assert_null(m);
      cmb_context_destroy(ctx);
      assert_int_equal(memory.outstanding, 0);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_failed_allocation_is_reported),
      cmocka_unit_test(wrong_models_leak_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
